"""Recognise the shapes of data by a look at it."""

import os
import re
from collections.abc import Callable, Container, Iterable, Mapping
from numbers import Number
from types import NoneType
from typing import Any

import pandas as pd

from ..frames import label_of, number_of
from .labels import is_measure
from .look import LISTS, NEEDED, NO_INTENT, Look, SharedColumns, usual_names, usually_named
from .nugget_records import LEVELS, nugget_format_of
from .records import is_frame, plain, reads

Fits = Callable[[Look], bool]
TestOfLines = Callable[[list[tuple[str, ...]]], bool]

# Columns of rows of nuggets.
_OF_NUGGETS = {"nuggets", "nugget_bank", "claim_bank", "nugget_text", "nugget", "nugget_id", "assignment", "importance"}
# Columns with the nugget of a judgement, and with its intent.
_NUGGETS, _INTENTS = {"nugget_id", "nugget_text"}, {"iteration", "subtopic_id"}
_OF_BEIR = ({"query-id", "corpus-id", "score"}, {"q_id", "doc_id", "score"})
# Columns of values; the kinds of members that are documents of a query, and those of lists.
_VALUES = {"label", "score", "rank"}
_LISTS = {"nothing", "list", "groups", "objects"}
_DOCUMENTS_OR_RUN = {"numbers", "records", *_LISTS}
# How many rows are searched for a word: the labels of the first ones may be missing or unknown words.
_FIRST_ROWS = 100
# What other tools call the rows of means among the values of queries, in any case.
_SUMMARY = re.compile(r"(over)?all|[ag]?means?|(macro|micro)?[ _-]?(average|avg)|macro|micro", re.IGNORECASE)


def of_object(*attributes: str) -> Fits:
    """Fit an object, or a list of objects, that have one of some attributes."""

    def fits(look: Look) -> bool:
        one = next(iter(look.data), None) if isinstance(look.data, list) else look.data
        return look.form == "object" and any(hasattr(one, name) for name in attributes)

    return fits


def of_first_line(form: str, pattern: str | re.Pattern[str] = "") -> Fits:
    """Fit text of a form whose first line begins with a pattern."""
    return lambda look: look.form == form and re.match(pattern, look.data.first_line.lstrip(" ")) is not None


def is_folder(look: Look) -> bool:
    """Fit the path of a folder."""
    return look.form == "object" and isinstance(look.data, (str, os.PathLike))


def are_texts(look: Look) -> bool:
    """Fit texts by name that are no paths of files."""
    runs = look.record.values()
    return are_runs(look) and all(isinstance(run, str) and not os.path.exists(run) for run in runs) and bool(runs)


def are_rows(look: Look) -> bool:
    """Fit rows without names."""
    return look.form == "object" and kind_of(look.data) == "rows"


def are_runs(look: Look) -> bool:
    """Fit frames and paths, in a list or by name."""
    are_named = look.form == "records" and bool(look.data) and look.data[0].where == look.name and not look.is_text
    runs = list(look.record.values()) if are_named and look.names.isdisjoint({"qid", "docno"}) else look.data
    are_alike = isinstance(runs, list) and all(isinstance(run, (str, os.PathLike)) or is_frame(run) for run in runs)
    return are_alike and bool(runs)


def is_empty(look: Look) -> bool:
    """Fit files without lines, and frames and lists without rows or columns."""
    has_rows = look.form == "frame" and len(look.data) > 0
    return look.form in ("frame", "records", "lines") and not (look.fields or look.lines or has_rows)


def of_lines(n: int, *tests: TestOfLines) -> Fits:
    """Fit lines of so many words, or of any number if it is 0; the tests are about the columns of the first lines."""

    def fits(look: Look) -> bool:
        if look.form != "lines" or n not in (0, len(look.lines[0])):
            return False
        columns = list(zip(*(words for words in look.lines if len(words) == len(look.lines[0])), strict=True))
        return all(test(columns) for test in tests)

    return fits


def missing(names: Container[str], needed: Iterable[str]) -> list[str]:
    """Return the needed columns that are missing, of which "a|b" is one of two."""
    return [each for each in needed if not any(name in names for name in each.split("|"))]


def are_numbered(look: Look) -> bool:
    """Fit lines of which the columns that are needed were named by number."""
    if look.form != "lines":
        return False
    # Other files may have the other columns.
    last = len(look.lines[0]) if isinstance(look.columns, SharedColumns) else float("inf")
    names = usual_names(name for place, name in look.columns.items() if place.isdigit() and int(place) <= last)
    return not missing(names, NEEDED[look.wanted])


def is_summary(query: str) -> bool:
    """Tell whether a query is a row of means."""
    return _SUMMARY.fullmatch(query) is not None


def of_values(names: str) -> Fits:
    """Fit lines of values, if words in the column of measures, or rows of means in that of queries, are known."""
    query, measure = (names.split().index(name) for name in ("qid", "measure"))

    def test(columns: list[tuple[str, ...]]) -> bool:
        has_means = any(map(is_summary, columns[query]))
        has_measures = any(map(is_measure, columns[measure])) and not any(map(is_measure, columns[query]))
        return reads(float, columns[-1][0]) and (has_means or has_measures)

    return of_lines(len(names.split()), test)


def like(pattern: str) -> TestOfLines:
    """Fit lines whose words, with a space between them, match a pattern."""
    return lambda columns: all(re.fullmatch(pattern, " ".join(words)) for words in zip(*columns, strict=True))


def are_once(columns: list[tuple[str, ...]]) -> bool:
    """Fit a second word that no query has twice, as a document in prels; an intent may have several documents."""
    return len({*zip(columns[0], columns[1], strict=True)}) == len(columns[1])


def have_strata(columns: list[tuple[str, ...]]) -> bool:
    """Fit judgements in the last of five columns: they differ within an intent, unlike its weight."""
    query, intent, _, _, last = columns
    return len({*zip(query, intent, map(number_of, last), strict=True)}) > len({*zip(query, intent, strict=True)})


def are_qrels(columns: list[tuple[str, ...]]) -> bool:
    """Fit query, intent, document and label, and not query, document, rank and score."""
    _, intent, doc, label = columns
    is_placed = {*intent} <= NO_INTENT or any(number_of(word) != number_of(word) for word in doc)
    return is_placed and all(label_of(word) % 1 == 0 for word in label)


def of_names(*names: str, without: str = "") -> Fits:
    """Fit columns or keys that have all of some names, of which "a|b" is one of two, and none of others."""
    return lambda look: not missing(look.names, names) and look.names.isdisjoint(without.split())


def of_record(test: Callable[[Mapping[Any, Any], Look], bool]) -> Fits:
    """Fit records of which the first one passes a test."""
    return lambda look: look.form == "records" and bool(look.record) and test(look.record, look)


def is_request(record: Mapping[Any, Any], _: Look) -> bool:
    """Fit a query, which is an object, with its candidates or hits."""
    return isinstance(record.get("query"), Mapping) and any(isinstance(record.get(name), list) for name in LISTS)


def lists_documents(record: Mapping[Any, Any], look: Look) -> bool:
    """Fit an object about a query with a list of documents."""
    return "qid" in look.names and any(isinstance(record.get(name), (Mapping, list, tuple)) for name in LISTS)


def kind_of(docs: Any, name: Any = None) -> str:
    """Return what a member of an object, which has a name there, can be.

    Returns
    -------
    {"nothing", "numbers", "words", "list", "groups", "objects", "records", "frame", "rows", "lists", "run", "other"}
        Nothing; documents or measures with numbers, or with words; a list of documents, of lists of documents, of
        objects, of records of the query that is the name, or a frame of them; rows of a run; lists of documents by
        intent or query; the documents of several queries; or anything else.
    """
    if isinstance(docs, pd.DataFrame):
        columns = usually_named(docs)
        is_of_one = columns.keys() <= {"docno", *_VALUES} and "qid" not in usual_names(docs.index.names)
        ids = columns.get("qid", [name] * is_of_one)
        return "frame" if len(ids) and all(str(one) == str(name) for one in ids) else "other"
    if docs is None or (isinstance(docs, (Mapping, list, tuple)) and not docs):
        return "nothing"
    if isinstance(docs, Mapping):
        if _VALUES.issuperset(docs):
            return "other"
        if all(isinstance(one, (Number, NoneType)) or label_of(one) == label_of(one) for one in docs.values()):
            return "numbers"
        if all(isinstance(one, (str, Number, NoneType)) for one in docs.values()):
            return "words"
        kinds = {kind_of(of, query) for query, of in docs.items()}
        return "lists" if kinds <= _LISTS else "run" if kinds <= _DOCUMENTS_OR_RUN else "other"
    if not isinstance(docs, (list, tuple)):
        return "other"
    one = plain(docs[0])
    if isinstance(one, Mapping) and {"qid", "docno"} <= usual_names(one):
        return "records" if all(str(usually_named(plain(row)).get("qid")) == str(name) for row in docs) else "rows"
    is_row = isinstance(one, (list, tuple)) and len(one) > 2 and isinstance(one[-1], Number)
    if is_row and (isinstance(one, tuple) or isinstance(one[0], str)):
        return "rows"
    if isinstance(docs[0], Mapping) or hasattr(docs[0], "_fields"):
        return "objects"
    are_groups = all(isinstance(group, list) and not any(type(one) is float for one in group) for group in docs)
    return "groups" if are_groups else "list"


def of_members(*alternatives: str) -> Fits:
    """Fit an object, by queries or systems, whose members that are not empty are all of some kinds."""

    def test(record: Mapping[Any, Any], look: Look) -> bool:
        is_table = _VALUES.issuperset(record) and isinstance(next(iter(record.values())), Mapping)
        found = {kind_of(member, name) for name, member in record.items()}
        is_alike = any(found <= {"nothing", *kinds.split()} for kinds in alternatives)
        return is_alike and not is_table and "qid" not in look.names

    return of_record(test)


def are_scores(look: Look) -> bool:
    """Fit a file of documents with numbers by query, some of which are fractions."""
    numbers = (value for docs in look.record.values() for value in (docs or {}).values())
    return of_members("numbers")(look) and look.is_text and any(type(one) is float and one % 1 for one in numbers)


def are_frames(record: Mapping[Any, Any], _: Look) -> bool:
    """Fit frames by query, each of which only has its own; some queries may have nothing."""
    kinds = {kind_of(frame, query) for query, frame in record.items()}
    return "frame" in kinds and kinds <= {"frame", "nothing"}


def is_nested(record: Mapping[Any, Any], _: Look) -> bool:
    """Fit an object with others inside."""
    return any(isinstance(value, (Mapping, list)) for value in record.values())


def of_nuggets(names: str) -> Fits:
    """Fit an object in a format of nuggets, given the fields by which it is recognised."""
    return of_record(lambda record, _: nugget_format_of(record) == names)


def are_nugget_rows(look: Look) -> bool:
    """Fit rows about nuggets: without labels, with words for them, or with a nugget in the place of the intent."""
    if look.names.isdisjoint(_VALUES):
        is_about = not look.names.isdisjoint(_OF_NUGGETS)
        return is_about or (look.form == "records" and {"qid", "iteration"} <= look.names)
    is_judged = of_names("qid", "docno", "label")(look)
    has_words = is_judged and any(str(row.get("label")) in LEVELS for row in _rows(look))
    return has_words or (not look.names.isdisjoint(_NUGGETS) and look.names.isdisjoint(_INTENTS))


def _rows(look: Look) -> list[dict[str, Any]]:
    """Return the first rows of a table, with the usual names."""
    first = look.data[:_FIRST_ROWS]
    rows = first.to_dict("records") if look.form == "frame" else [one.value for one in first]
    return [usually_named(row) for row in rows if isinstance(row, Mapping)]


def are_qrels_of_beir(look: Look) -> bool:
    """Fit qrels whose labels are called score, as those of BEIR, MTEB and ranx."""
    return any(names <= {*look.fields} for names in _OF_BEIR) and "label" not in look.names


def have_aspects(look: Look) -> bool:
    """Fit judgements with several columns of whole numbers, none of which is called label."""
    if not of_names("qid", "docno", without="label score rank")(look):
        return False
    (first, *_) = _rows(look) or [{}]
    others = [value for name, value in first.items() if name not in ("qid", "docno", "iteration", "q0")]
    return len(others) > 1 and all(number_of(value) % 1 == 0 for value in others)
