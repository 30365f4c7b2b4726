"""Recognise the shapes of data by a look at it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from numbers import Number
from types import NoneType
from typing import Any

import pandas as pd

from ..frames import label_of, number_of
from .dynamic_domain import is_dd_run
from .forms import LISTS
from .look import Look, usual_names
from .nugget_formats import Format
from .records import is_frame, reads

Fits = Callable[[Look], bool]

# Columns of rows of nuggets.
_OF_NUGGETS = {"nuggets", "nugget_bank", "claim_bank", "nugget_text", "nugget", "nugget_id", "assignment", "importance"}
_NO_INTENT = {"0", "Q0"}
#: What other tools call the rows of means among the values of queries, in any case.
SUMMARIES = ("all", "amean", "mean")


def of_object(*attributes: str) -> Fits:
    """Fit an object, or a list of objects, that have one of some attributes."""

    def fits(look: Look) -> bool:
        one = next(iter(look.data), None) if isinstance(look.data, list) else look.data
        return look.form == "object" and any(hasattr(one, name) for name in attributes)

    return fits


def are_runs(look: Look) -> bool:
    """Fit frames and paths, in a list or by name."""
    are_named = look.form == "records" and not look.text and "docno" not in look.names
    members = look.record.values() if are_named else look.data
    are_listed = not isinstance(members, (str, os.PathLike, pd.DataFrame)) and isinstance(members, Iterable)
    runs = list(members) if are_listed else []
    return bool(runs) and all(isinstance(run, (str, os.PathLike)) or is_frame(run) for run in runs)


def of_lines(
    n: int | range, *tests: Callable[[list[tuple[str, ...]]], bool], wanted: str = "run qrels results"
) -> Fits:
    """Fit lines of so many words; the tests are about the columns of the first lines."""

    def fits(look: Look) -> bool:
        size = len(look.lines[0]) if look.form == "lines" else 0
        if size not in (n if isinstance(n, range) else (n,)) or look.wanted not in wanted.split():
            return False
        columns = list(zip(*(words for words in look.lines if len(words) == size), strict=True))
        return all(test(columns) for test in tests)

    return fits


def by_number(look: Look) -> bool:
    """Fit lines of which the columns that are needed were named by number."""
    names = usual_names((name for place, name in look.columns.items() if place.isdigit()), {})
    values = {"run": {"score", "rank"}, "qrels": {"label"}, "results": {"value"}}[look.wanted]
    needed = ({"qid"}, {"measure" if look.wanted == "results" else "docno"}, values)
    return look.form == "lines" and not any(names.isdisjoint(of) for of in needed)


def of_values(names: str) -> Fits:
    """Fit lines of values, if words in the column of measures, or rows of means in that of queries, are known."""
    query, measure = (names.split().index(name) for name in ("qid", "measure"))

    def test(columns: list[tuple[str, ...]]) -> bool:
        has_means = any(word.lower() in SUMMARIES for word in columns[query])
        has_measures = any(map(_is_measure, columns[measure])) and not any(map(_is_measure, columns[query]))
        return reads(float, columns[-1][0]) and (has_means or has_measures)

    return of_lines(len(names.split()), test, wanted="results")


def _is_measure(word: str) -> bool:
    """Tell whether a word begins with the name of a registered measure, or is one of trec_eval's."""
    import ir_measures  # which registers the measures of this package, which read files

    name = re.split("[@(]", word)[0].replace("-", "_")
    return name in ir_measures.measures.registry or reads(ir_measures.parse_trec_measure, word)


def is_session(look: Look) -> bool:
    """Fit lines of sessions."""
    return look.form == "lines" and is_dd_run(look.data)


def is_xml(look: Look) -> bool:
    """Fit XML."""
    return look.form == "xml"


def is_folder(wanted: str, look: Look) -> bool:
    """Fit the path of a folder, if something is wanted."""
    return look.form == "object" and isinstance(look.data, (str, os.PathLike)) and look.wanted == wanted


def is_empty(look: Look) -> bool:
    """Fit files without lines, and frames and lists without rows and columns."""
    if look.form == "frame":
        return bool(look.data.shape == (0, 0))
    return (look.form == "lines" and not look.lines) or (look.form == "records" and not look.fields)


def other_lines(wanted: str, look: Look) -> bool:
    """Fit all lines, if something is wanted."""
    return look.form == "lines" and look.wanted == wanted


def _are_whole(words: Iterable[str], low: int = -9, high: int = 9) -> bool:
    return all(re.fullmatch(r"-?[0-9]{1,9}", word) and low <= int(word) <= high for word in words)


def are_aspects(columns: list[tuple[str, ...]]) -> bool:
    """Fit topic, 0, document, and several labels."""
    return {*columns[1]} <= _NO_INTENT and all(map(_are_whole, columns[3:]))


def are_prels(columns: list[tuple[str, ...]]) -> bool:
    """Fit topic, document, judgement, method and probability, with each document once in a topic."""
    topic, doc, label, method, share = columns
    # Names of intents are rather letters or numbers.
    is_doc = any(re.search(r"[0-9]", name) and not name.isdigit() for name in doc)
    is_doc = is_doc and len({*zip(topic, doc, strict=True)}) == len(doc)
    return is_doc and _are_whole(label) and _are_whole(method, 0) and all(0 <= number_of(word) <= 1 for word in share)


def are_samples(columns: list[tuple[str, ...]]) -> bool:
    """Fit topic, 0, document, stratum and judgement, which differs within a topic, unlike a weight."""
    topic, intent, _, stratum, label = columns
    differs = len({*zip(topic, label, strict=True)}) > len({*topic})
    return {*intent} <= _NO_INTENT and _are_whole(stratum, 0, 99) and _are_whole(label) and differs


def are_passages(columns: list[tuple[str, ...]]) -> bool:
    """Fit topics and subtopics such as DD16-1 and DD16-1.1. Topic DD16-24 has a subtopic 24.11."""
    topic, subtopic, _, passage, rating = columns
    pairs = zip(topic, subtopic, strict=True)
    are_named = all(re.fullmatch(r"DD\d+-\d+", a) and b.startswith((f"{a}.", f"{a.split('-')[1]}.")) for a, b in pairs)
    return are_named and _are_whole(passage, 0, 10**9) and _are_whole(rating)


def are_bits(columns: list[tuple[str, ...]]) -> bool:
    """Fit topic, document, and a 0 or 1 for each intent."""
    return all(len(bits) > 1 and {*bits} <= {"0", "1"} for bits in columns[2])


def are_qrels(columns: list[tuple[str, ...]]) -> bool:
    """Fit query, intent, document and label, and not query, document, rank and score."""
    _, intent, doc, label = columns
    is_placed = {*intent} <= _NO_INTENT or any(number_of(word) != number_of(word) for word in doc)
    return is_placed and all(label_of(word) % 1 == 0 for word in label)


def of_names(*names: str, without: str = "", wanted: str = "run qrels results") -> Fits:
    """Fit columns or keys that have all of some names, of which "a|b" is one of two, and none of others."""
    return lambda look: (
        look.form in ("frame", "records")
        and all(not look.names.isdisjoint(name.split("|")) for name in names)
        and look.names.isdisjoint(without.split())
        and look.wanted in wanted.split()
    )


def of_record(test: Callable[[Mapping[Any, Any], Look], bool], wanted: str = "run qrels") -> Fits:
    """Fit records of which the first one passes a test."""
    return lambda look: (
        look.form == "records"
        and isinstance(look.record, Mapping)
        and bool(look.record)
        and look.wanted in wanted.split()
        and test(look.record, look)
    )


def _has_columns(names: Iterable[Any], look: Look) -> bool:
    known = usual_names(names, look.columns)
    is_result = look.wanted == "results" and "qid" in known
    return is_result or ("docno" in known and not known.isdisjoint({"qid", "query", "label", "score", "rank"}))


def are_columns(record: Mapping[Any, Any], look: Look) -> bool:
    """Fit an object of columns."""
    return _has_columns(record, look) and all(isinstance(column, (Mapping, list)) for column in record.values())


def are_rows(record: Mapping[Any, Any], look: Look) -> bool:
    """Fit an object of rows by their number."""
    return all(isinstance(row, Mapping) and _has_columns(row, look) for row in record.values())


def holds_rows(record: Mapping[Any, Any], look: Look) -> bool:
    """Fit an object that only holds a list of rows."""
    name, rows = next(iter(record.items()))
    are_listed = len(record) == 1 and name in ("results", "run", "qrels", "rows") and isinstance(rows, list)
    return are_listed and bool(rows) and isinstance(rows[0], Mapping) and "qid" in usual_names(rows[0], look.columns)


def are_answers(_: Mapping[Any, Any], look: Look) -> bool:
    """Fit the judged answer of a system."""
    return {"qid", "nuggets", "run_id"} <= look.names


def is_split(record: Mapping[Any, Any], _: Look) -> bool:
    """Fit pandas' orients "split" and "table"."""
    return isinstance(record.get("data"), list) and not {"columns", "schema"}.isdisjoint(record)


def is_request(record: Mapping[Any, Any], _: Look) -> bool:
    """Fit a query with its candidates or hits."""
    docs = record.get("candidates", record.get("hits"))
    return "query" in record and isinstance(docs, list) and all(isinstance(doc, Mapping) for doc in docs)


def lists_documents(record: Mapping[Any, Any], look: Look) -> bool:
    """Fit an object about a query with a list of documents."""
    names = {look.columns.get(name, name): docs for name, docs in record.items()}
    return "qid" in look.names and any(isinstance(names.get(name), (Mapping, list, tuple)) for name in LISTS)


def are_queries(record: Mapping[Any, Any], look: Look) -> bool:
    """Fit an object that maps queries to documents."""
    rankings = [docs for docs in record.values() if not _is_nothing(docs)]
    are_alike = len({isinstance(docs, Mapping) for docs in rankings}) < 2
    are_listed = all(docs is None or isinstance(docs, (Mapping, list, tuple)) for docs in record.values())
    is_table = {"label", "score", "rank"}.issuperset(record) and isinstance(next(iter(record.values())), Mapping)
    return "qid" not in look.names and are_listed and are_alike and not is_table and all(map(_is_ranking, rankings))


def _is_nothing(docs: Any) -> bool:
    return docs is None or (isinstance(docs, (Mapping, list, tuple)) and not docs)


def _is_ranking(docs: Any) -> bool:
    """Tell whether something has the documents of one query: no rows with a query, and no table."""
    if isinstance(docs, Mapping):
        are_numbers = all(
            isinstance(one, (Number, NoneType)) or label_of(one) == label_of(one) for one in docs.values()
        )
        return are_numbers and not (docs and {"label", "score", "rank"}.issuperset(docs))
    return isinstance(docs, (list, tuple)) and not _are_rows_of_run(docs)


def _are_rows_of_run(docs: Any) -> bool:
    first = docs[0] if isinstance(docs, (list, tuple)) and docs else None
    return isinstance(first, Mapping) and {"qid", "docno"} <= usual_names(first, {})


def are_labels(record: Mapping[Any, Any], look: Look) -> bool:
    """Fit an object that maps queries to documents with labels; in files, fractions are scores."""
    values = [value for docs in record.values() if isinstance(docs, Mapping) for value in docs.values()]
    are_scores = look.text and any(isinstance(value, float) and value % 1 for value in values)
    return not are_scores and are_values(record, look)


def are_values(record: Mapping[Any, Any], look: Look) -> bool:
    """Fit an object that maps queries to documents or measures with numbers."""
    return are_queries(record, look) and all(
        isinstance(of_query, Mapping) or _is_nothing(of_query) for of_query in record.values()
    )


def are_groups(record: Mapping[Any, Any], look: Look) -> bool:
    """Fit an object that maps queries to lists of lists of documents."""
    groups = [group for docs in record.values() if isinstance(docs, list) for group in docs]
    are_lists = bool(groups) and all(isinstance(group, list) for group in groups)
    return are_lists and are_queries(record, look) and not any(type(one) is float for group in groups for one in group)


def map_intents(record: Mapping[Any, Any], look: Look) -> bool:
    """Fit an object that maps queries to intents with lists of documents."""
    members = [one for of_query in record.values() if isinstance(of_query, Mapping) for one in of_query.values()]
    return bool(members) and all(isinstance(docs, list) for docs in members) and "qid" not in look.names


def map_systems(record: Mapping[Any, Any], _: Look) -> bool:
    """Fit an object that maps systems to runs."""
    runs = [run for run in record.values() if not _is_nothing(run)]
    are_runs = (
        _are_rows_of_run(run) or (isinstance(run, Mapping) and all(map(_is_ranking, run.values()))) for run in runs
    )
    return bool(runs) and all(are_runs)


def is_nested(record: Mapping[Any, Any], _: Look) -> bool:
    """Fit an object with others inside."""
    return any(isinstance(value, (Mapping, list)) for value in record.values())


def of_nuggets(known: Format) -> Fits:
    """Fit an object in a format of nuggets."""
    return of_record(lambda record, look: known.fits({look.columns.get(key, key): one for key, one in record.items()}))


def are_nugget_rows(look: Look) -> bool:
    """Fit rows about nuggets: without labels, or in JSON."""
    if look.form not in ("frame", "records") or look.wanted != "qrels":
        return False
    is_about = bool(look.names & _OF_NUGGETS)
    if look.text == "json" and is_about:
        return True
    is_listed = look.form == "records" and look.text != "table" and {"qid", "iteration"} <= look.names
    return (is_about or is_listed) and look.names.isdisjoint({"label", "score", "rank"})


def are_qrels_of_beir(look: Look) -> bool:
    """Fit qrels whose labels are called score, as those of BEIR, MTEB and ranx."""
    names = {*look.fields} if look.form in ("frame", "records") and look.wanted == "qrels" else set()
    are_theirs = {"query-id", "corpus-id", "score"} <= names or {"q_id", "doc_id", "score"} <= names
    return are_theirs and "label" not in look.names


def have_aspects(look: Look) -> bool:
    """Fit judgements with several columns of whole numbers, none of which is called label."""
    if not of_names("qid", "docno", without="label score rank", wanted="qrels")(look):
        return False
    first = look.record if look.form == "records" else dict(look.data.head(1).squeeze())
    others = [
        value for name, value in first.items() if not usual_names([name], {}) & {"qid", "docno", "iteration", "q0"}
    ]
    return len(others) > 1 and all(number_of(value) % 1 == 0 for value in others)
