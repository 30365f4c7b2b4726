"""Read data of each shape as a frame: lines, whose columns have no names, records, tables and results."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from .. import frames
from ..warnings import RowsWarning
from .labels import is_measure, printable
from .lines import Kinds, read_columns
from .look import LISTS, NEEDED, NO_INTENT, USUAL_NAMES, Look, check_fields
from .records import Field, Label, is_frame, plain

#: The columns of lines of values, in order.
LINE_FORMATS = {
    "trec_eval": "measure qid value",
    "ir_measures": "qid measure value",
    "long": "name qid measure value",
}
# The types of columns of lines, None if they are not kept; all others are strings. Only several systems have several
# tags.
_KINDS: Kinds = {
    **dict.fromkeys(("score", "rank", "weight", "value"), float),
    **dict.fromkeys(("turn", "passage"), int),
    **dict.fromkeys(("q0", "tag"), pd.Categorical),
    **dict.fromkeys(("method", "probability")),
    "label": Label,
}
# Columns of tables that are neither names nor measures.
_OTHERS = ("name", "qid", "mrt", "queries", "index", "Unnamed: 0", "")
# Names of a document's id in a list.
_DOC_IDS = ("docno", "id", "_id")
# Where retrieval frameworks keep the id of a text.
_NODE = ("id", "node_id", "id_")
_REQUIRED = {"run": frames.RUN_COLUMNS, "qrels": frames.QRELS_COLUMNS}
# What reads the cells of columns of ids and of numbers.
_READERS: dict[str, Callable[[Field], Any]] = {
    **dict.fromkeys(("query_id", "doc_id", "iteration", "subtopic_id"), Field.identifier),
    **dict.fromkeys(("weight", "rarity", "gain", "score", "turn"), Field.number),
    "relevance": Field.label,
}


def read_lines_of_run(look: Look) -> pd.DataFrame:
    """Read lines ``query Q0 document rank score tag``, with the rank or the score."""
    return read_lines(["qid", "q0", "docno", "rank", "score", "tag"], look)


def read_lines_of_qrels(look: Look) -> pd.DataFrame:
    """Read lines ``query intent document label``, optionally with the weight of the intent."""
    names = ["qid", "iteration", "docno", "label", "weight"][: max(len(look.lines[0]), 4)]
    return read_lines(names, look)[["qid", "docno", "label", "iteration", *names[4:]]]


def read_passages(look: Look) -> pd.DataFrame:
    """Read the qrels of Dynamic Domain: lines ``topic subtopic document passage rating``."""
    table = read_lines(["qid", "iteration", "docno", "passage", "label"], look)
    rating = table["label"].clip(lower=1).astype(np.int64)
    passages = table.assign(label=rating, passage=table["passage"].astype(str)).drop_duplicates()
    return highest_label_last(passages[["qid", "docno", "label", "iteration", "passage"]])


def read_prels(look: Look) -> pd.DataFrame:
    """Read lines ``topic document judgement method probability``, without method and probability."""
    frames.warn(RowsWarning(f"{look.name}: prels are read by their judgements; method and probability are ignored."))
    return read_lines(["qid", "docno", "label", "method", "probability"], look)


def read_numbered(look: Look) -> pd.DataFrame:
    """Read lines whose columns were named by number, as in ``{"1": "qid", "2": "docno", "3": "score"}``."""
    places = [str(place) for place in range(1, len(look.lines[0]) + 1)]
    check_fields(places, look.columns, look.name)
    return read_lines([USUAL_NAMES.get(name, name) for name in (look.columns.get(at, at) for at in places)], look)


def read_lines(names: Sequence[str], look: Look) -> pd.DataFrame:
    """Read lines, whose columns have these names, without those that are called by their number.

    Scores are read again, exactly, if floats cannot distinguish them.
    """
    kinds = {name: _KINDS.get(name, None if name.isdigit() else str) for name in names}
    if {"rank", "score"} <= kinds.keys():  # the one that is not read may contain anything
        kinds |= {"score": None} if look.by_rank else {"rank": object}
    table = read_columns(look.data, kinds, separator=look.separator)
    if kinds.get("score") is float and table["score"].abs().max() >= frames.LARGEST_EXACT:
        words = read_columns(look.data, {**kinds, "score": str}, separator=look.separator)
        table["score"] = frames.exact(words["score"])
    return table


def read_nothing(look: Look) -> pd.DataFrame:
    """Return an empty frame with the columns that are needed."""
    return pd.DataFrame(columns=[name.split("|")[0] for name in NEEDED[look.wanted]])


def read_table(look: Look) -> pd.DataFrame:
    """Return rows with our names of columns; a frame that has PyTerrier's or ir_measures' is returned as it is."""
    return read_rows(look) if look.form == "records" else _completed(look.data, look.places, look)


def read_scored_documents(look: Look) -> pd.DataFrame:
    """Read qrels whose labels are called score."""
    return read_table(look).rename(columns={"score": "label"})


def read_answers(look: Look) -> pd.DataFrame:
    """Read judged answers, each of which is the only document of its system for a query."""
    rows = [(named(one.need_object(), one.where), one.where) for one in look.records()]
    answers = [Field({"qid": row["qid"], "docno": row["run_id"], "score": 1.0}, where) for row, where in rows]
    return read_rows(look, answers)


def read_queries(look: Look) -> pd.DataFrame:
    """Read ``{query: documents}``."""
    if not look.is_text and all(isinstance(docs, Mapping) for docs in look.record.values()):
        return frames.given_frame(look.record, _REQUIRED[look.wanted], look.name)
    records = []
    for one in look.data:
        for query, docs in one.need_object().items():
            if docs is None:
                raise TypeError(f"{one.where}: query {query!r} has None, not a list or a dict of documents.")
            # A query without judgements counts, too.
            judged = docs or {frames.NO_DOCUMENT: 0} if look.wanted == "qrels" else docs
            records.append(Field({"qid": query, "docno": judged}, one.where))
    return read_rows(look, records)


def read_frames(look: Look) -> pd.DataFrame:
    """Read ``{query: frame}``, some of which may be empty lists or dicts."""
    found = {query: frame for query, frame in look.record.items() if is_frame(frame)}
    return read_table(look.at(pd.concat(found, names=["qid"])))


def read_rows(look: Look, records: Iterable[Field] = ()) -> pd.DataFrame:
    """Read objects about a document, or about a query with a list of documents.

    Numbers in text are checked, so that errors name file and line.
    """
    rows: list[dict[Any, Any]] = []
    places: list[str] = []
    listed: set[str] = set()
    for record in records or look.data:
        added = list(_rows_of(record, look))
        # Each list begins with a row of rank 1. One dict may have lists for "1" and for 1.
        firsts = [row for row in added if row.get("rank") == 1] if "rank" not in record.value else []
        for query in (str(row["qid"]) for row in firsts if "qid" in row):
            if query in listed:
                raise ValueError(f"{record.where}: query {query!r} has two lists of documents; give one list.")
            listed.add(query)
        rows += added
        places += [record.where] * len(added)
    return _completed(pd.DataFrame(rows, dtype=object), places, look)


def _rows_of(record: Field, look: Look) -> Iterator[dict[Any, Any]]:
    """Yield an object as a row, or a row for each document of its list; those of a list without ranks get them."""
    row, is_run = named(record.need_object(), record.where), look.wanted == "run"
    if isinstance(row.get("query"), Mapping):
        row = {**named(row["query"], record.where), **row, "query": row["query"].get("text")}
    name = next((name for name in LISTS if isinstance(row.get(name), (Mapping, list, tuple))), None)
    if name is None:
        yield row
        return
    docs, score = row[name], row.get("score")
    rest = {other: value for other, value in row.items() if other not in (name, "score", "rank")}
    if isinstance(score, (list, tuple)):
        if len(score) != len(docs):
            raise ValueError(f"{record.where}: a row lists {len(docs)} documents and {len(score)} scores.")
        docs = list(zip(docs, score, strict=True))
    if isinstance(docs, Mapping):
        yield from ({**rest, "docno": doc, "score" if is_run else "label": value} for doc, value in docs.items())
        return
    members = [_document(doc, record.where) for doc in docs]
    n_scored = sum("score" in member or "rank" in member for member in members)
    if is_run and 0 < n_scored < len(members):
        told = f"{n_scored} of {len(members)} documents have scores. Score all or none."
        raise ValueError(f"{record.where}: in a list, {told}")
    for rank, member in enumerate(members, start=1):
        placed = {"rank": rank, "score": -rank} if is_run and "rank" not in member else {}
        yield {**rest, **placed, **member}


def _document(doc: Any, what: str) -> dict[Any, Any]:
    """Return the row of a document: an id, an object, what LangChain and LlamaIndex return, or one with its score."""
    if doc is None or isinstance(doc, (str, bytes, Number)):
        return {"docno": doc}
    if isinstance(doc, (tuple, list)) and len(doc) == 2 and (isinstance(doc[1], Number) or not hasattr(doc, "_fields")):
        if not isinstance(doc[1], Number):
            raise TypeError(f"{what}: the score in {doc!r:.80} must be a number, not {doc[1]!r:.80}.")
        return {**_document(doc[0], what), "score": doc[1]}
    if isinstance(doc, Mapping):
        row = named(doc, what)
        of_id = next((name for name in _DOC_IDS if name in row), None)
        return {"docno" if name == of_id else name: value for name, value in row.items()}
    node, score = getattr(doc, "node", doc), getattr(doc, "score", None)
    # In metadata, doc_id is often the id of the document that a chunk is from.
    told = getattr(node, "metadata", None) or {}
    ids = [told.get("docno"), *(getattr(node, n, None) for n in _NODE), told.get("doc_id"), told.get("docid")]
    known = next((one for one in ids if one not in (None, "")), None)
    if known is None and isinstance(plain(doc), Mapping):
        return _document(plain(doc), what)
    if known is None:
        raise TypeError(
            f"{what}: a document of type {type(doc).__name__} has no id: give an id or metadata['docno'], or lists of "
            "ids or of (id, score)."
        )
    return {"docno": known} if score is None else {"docno": known, "score": score}


def named(record: Mapping[Any, Any], what: str, names: Mapping[str, str] = USUAL_NAMES) -> dict[Any, Any]:
    """Return an object with the ``names`` that its fields have here.

    Raises
    ------
    ValueError
        If two names of one field have different values.
    """
    row: dict[Any, Any] = {}
    has_id = any(name in record for name in ("docno", "doc_id"))
    for given, value in record.items():
        name = names.get(given, given)
        if given == "docid" != name and has_id:  # PyTerrier's number of a document
            continue
        known = row.setdefault(name, value)
        if name == "iteration" and str(known) in NO_INTENT:
            row[name] = value
        elif str(known) != str(value) and not (name == "iteration" and str(value) in NO_INTENT):
            raise ValueError(f"{what}: {name} is given twice, as {known!r} and as {value!r}.")
    return row


def _completed(frame: pd.DataFrame, places: Sequence[str], look: Look) -> pd.DataFrame:
    """Return rows, of which some of qrels only name a query or an intent; those of a file with numbers.

    Raises
    ------
    ValueError
        For the first value in a file that cannot be read.
    """
    frame = _with_unjudged(frame) if look.wanted == "qrels" else frame
    if not look.is_text:
        return frame
    columns = frames.Columns(frame, (), look.name)
    # Rows without a document only name a query or an intent.
    may_be_empty = ("doc_id", "iteration") if look.wanted == "qrels" else ()
    docs = columns["doc_id"].tolist() if "doc_id" in columns else places
    numbers: dict[str, Any] = {}
    for name, read in _READERS.items():
        if name not in columns or (look.by_rank and name == "score" and "rank" in columns):
            continue
        shown = columns.shown(name)
        values = [
            read(Field(value, where, shown))
            for value, doc, where in zip(columns[name].tolist(), docs, places, strict=True)
            if doc != frames.NO_DOCUMENT or name not in may_be_empty
        ]
        if read is not Field.identifier:
            numbers[columns.theirs[name]] = frames.exact(columns[name]) if name == "score" else values
    if "doc_len" in columns:
        numbers["doc_len"] = columns["doc_len"].replace("", np.nan)
    return frame.assign(**numbers)


def _with_unjudged(qrels: pd.DataFrame) -> pd.DataFrame:
    """Return qrels in which rows without a document and a label, which only name a query or an intent, have label 0."""
    docs, label = (next(filter(qrels.__contains__, of), "") for of in (("docno", "doc_id"), ("label", "relevance")))
    empty = qrels[docs].isna() | (qrels[docs] == frames.NO_DOCUMENT) if docs and label else pd.Series(dtype=bool)
    if not qrels.columns.is_unique or not empty.any():
        return qrels
    is_zero = qrels[label].where(empty).astype(object).map(lambda cell: cell in ("", 0, None) or cell != cell)
    nobody = empty & (is_zero | (qrels[docs] == ""))
    filled = {docs: qrels[docs].mask(nobody, frames.NO_DOCUMENT), label: qrels[label].mask(nobody & is_zero, 0)}
    if "iteration" in qrels:
        filled["iteration"] = qrels["iteration"].mask(nobody & qrels["iteration"].isna(), "")
    return qrels.assign(**filled)


def read_table_of_results(look: Look) -> pd.DataFrame:
    """Read a table of results by query, with a column for each measure, or with the columns measure and value."""
    places = look.places if look.form == "frame" else [one.where for one in look.data]
    rows = look if look.form == "frame" else look.at(pd.DataFrame([one.value for one in look.data], dtype=object))
    table = rows.data.rename(columns=str)
    columns = frames.Columns(table, (), look.name)
    measures = ["value"] if "measure" in table else _measures_in(table)
    table = table.assign(**{name: _numbers(columns, name, places if look.is_text else None) for name in measures})
    return table if "measure" in table else melted(table)


def _numbers(columns: frames.Columns, name: str, places: Sequence[str] | None) -> Any:
    """Return a column of numbers, which may be missing; errors name the place in a file."""
    if places is None:
        return columns.numbers(name, may_be_missing=True)
    cells = (Field(value, where, name) for value, where in zip(columns[name], places, strict=True))
    return [math.nan if one.value in (None, "") or one.value != one.value else one.number() for one in cells]


def read_values_by_query(look: Look) -> pd.DataFrame:
    """Read ``{query: {measure: value}}``, or ``{measure: {query: value}}`` as pandas writes it."""
    rows = [(query, name, value) for query, of in look.record.items() for name, value in (of or {}).items()]
    is_by_measure = all(is_measure(one) and not is_measure(other) for one, other, _ in rows)
    return pd.DataFrame(rows, columns=["measure", "qid", "value"] if is_by_measure else ["qid", "measure", "value"])


def melted(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each value of a table that has a column for each measure."""
    measures = _measures_in(table)
    keys = table[[name for name in ("name", "qid") if name in table]]
    rows = keys.iloc[np.repeat(np.arange(len(table)), len(measures))]
    return rows.assign(measure=measures * len(table), value=table[measures].to_numpy(np.float64).ravel())


def lines_of_results(table: pd.DataFrame, format: str, places: int | None = None) -> str:
    """Return the values of a table that has a column for each measure as lines of words, separated by tabs."""
    lines = melted(table)[LINE_FORMATS[format].split()]
    values = [repr(value) if places is None else f"{value:.{places}f}" for value in lines.pop("value")]
    rows = zip(*(map(printable, lines[name]) for name in lines), values, strict=True)
    return "\n".join(map("\t".join, rows))


def _measures_in(table: pd.DataFrame) -> list[str]:
    return [str(name) for name in table if name not in _OTHERS and not str(name).startswith("ties@")]


def highest_label_last(qrels: pd.DataFrame) -> pd.DataFrame:
    """Sort qrels so that the last row of each document has its highest label.

    pytrec_eval reads the last of several rows for a document, so ad-hoc measures are correct on these qrels. Queries
    are sorted by the number at the end of their ids; ids without a number come last.
    """
    number = qrels["qid"].str.extract(r"(\d+)$", expand=False).astype(float)
    order = qrels.assign(number=number).sort_values(["number", "qid", "docno", "label", "iteration"])
    return qrels.loc[order.index].reset_index(drop=True)


def with_whole_labels(qrels: pd.DataFrame) -> pd.DataFrame:
    """Return qrels with integer labels if all labels are whole numbers that fit into integers."""
    label = qrels["label"]
    is_whole = ((label == np.trunc(label)) & (label.abs() < 2.0**63)).all()
    return qrels.assign(label=label.astype(np.int64)) if is_whole else qrels
