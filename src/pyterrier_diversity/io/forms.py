"""Convert records to rows: one for each document of a query."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from ..frames import NO_DOCUMENT, QRELS_COLUMNS, RUN_COLUMNS, Columns, exact, given_frame
from .look import USUAL_NAMES, Look
from .records import Field, plain

# TREC's placeholders for an intent.
_NO_INTENT = ("0", "Q0")
# Names of a list of documents in an object about a query, and of a document's id in a list.
LISTS = ("docno", "results", "documents", "hits", "references", "candidates")
_DOC_IDS = ("docno", "id", "_id")
# Where retrieval frameworks keep the id of a text.
_NODE = ("id", "node_id", "id_")
_REQUIRED = {"run": RUN_COLUMNS, "qrels": QRELS_COLUMNS}
# What reads the cells of columns of ids and of numbers.
_READERS: dict[str, Callable[[Field], Any]] = {
    **dict.fromkeys(("query_id", "doc_id", "iteration", "subtopic_id"), Field.identifier),
    **dict.fromkeys(("weight", "rarity", "gain", "score", "turn"), Field.number),
    "relevance": Field.label,
}

RowsIn = Callable[[Field, Look], Iterable[dict[Any, Any]]]


def frame_of(rows_in: RowsIn, look: Look) -> pd.DataFrame:
    """Return the rows of records as a frame; numbers in text are checked, so that errors name file and line."""
    if rows_in is rows_of_queries and not look.text and all(isinstance(docs, Mapping) for docs in look.record.values()):
        return given_frame(look.record, _REQUIRED[look.wanted], look.name)
    rows: list[dict[Any, Any]] = []
    places: list[str] = []
    listed: set[str] = set()
    for record in look.data:
        added = list(rows_in(record, look))
        # Each list begins with a row of rank 1. One dict may have lists for "1" and for 1.
        firsts = [row for row in added if row.get("rank") == 1] if "rank" not in record.need_object() else []
        for query in (str(row.get("qid")) for row in firsts):
            if query in listed:
                raise ValueError(f"{record.where}: query {query!r} has two lists of documents; give one list.")
            listed.add(query)
        rows += added
        places += [record.where] * len(added)
    return completed(pd.DataFrame(rows, dtype=object), places, look)


def completed(frame: pd.DataFrame, places: Sequence[str], look: Look) -> pd.DataFrame:
    """Return rows, of which some of qrels only name a query or an intent; those of a file with numbers."""
    frame = _with_unjudged(frame) if look.wanted == "qrels" else frame
    return _with_numbers(frame, places, look) if look.text else frame


def rows_of_row(record: Field, look: Look) -> Iterator[dict[Any, Any]]:
    """Yield an object as a row, or a row for each document of its list."""
    row = named(record.need_object(), record.where)
    if isinstance(row.get("query"), Mapping):
        row |= {"qid": row["query"].get("qid"), "query": row["query"].get("text")}
    lists = [name for name in LISTS if isinstance(row.get(name), (Mapping, list, tuple))]
    if not lists:
        yield row
        return
    docs, score = row[lists[0]], row.get("score")
    if isinstance(score, (list, tuple)):
        if len(score) != len(docs):
            raise ValueError(f"{record.where}: a row lists {len(docs)} documents and {len(score)} scores.")
        docs = list(zip(docs, score, strict=True))
    rest = {name: value for name, value in row.items() if name not in (lists[0], "score", "rank")}
    yield from _documents(docs, rest, record.where, look)


def rows_of_queries(record: Field, look: Look) -> Iterator[dict[Any, Any]]:
    """Yield the rows of {query: documents}."""
    for query, docs in record.need_object().items():
        if docs in ({}, []) and look.wanted == "qrels":  # a query without judgements counts, too
            docs = {NO_DOCUMENT: 0}
        yield from _documents(docs, {"qid": query}, record.where, look)


def rows_of_answer(record: Field, look: Look) -> Iterator[dict[Any, Any]]:
    """Yield the row of a judged answer, which is the only document of its system."""
    row = named(record.need_object(), record.where)
    yield {"qid": row["qid"], "docno": row["run_id"], "score": 1.0}


def _with_numbers(frame: pd.DataFrame, places: Sequence[str], look: Look) -> pd.DataFrame:
    """Return the rows of a file with numbers, or raise a ``ValueError`` for the first value that cannot be read."""
    if look.wanted == "run" and look.by_rank and "rank" in frame:
        frame = frame.drop(columns="score", errors="ignore")
    if "doc_len" in frame:
        frame = frame.assign(doc_len=frame["doc_len"].replace("", np.nan))
    columns = Columns(frame, (), look.name)
    # Rows without a document only name a query or an intent.
    may_be_empty = ("doc_id", "iteration") if look.wanted == "qrels" else ()
    docs = columns["doc_id"].tolist() if "doc_id" in columns else places
    numbers: dict[str, Any] = {}
    for name, read in _READERS.items():
        if name not in columns:
            continue
        cells = zip(columns[name].tolist(), docs, places, strict=True)
        values = [
            value
            if value == NO_DOCUMENT == doc and name in may_be_empty
            else read(Field(value, where, columns.shown(name)).present())
            for value, doc, where in cells
        ]
        if read is not Field.identifier:
            numbers[columns.theirs[name]] = exact(columns[name]) if name == "score" else values
    return frame.assign(**numbers)


def _with_unjudged(qrels: pd.DataFrame) -> pd.DataFrame:
    """Return qrels in which rows without a document and a label, which only name a query or an intent, have label 0."""
    docs, label = (next(filter(qrels.__contains__, of), "") for of in (("docno", "doc_id"), ("label", "relevance")))
    empty = qrels[docs].isna() | (qrels[docs] == NO_DOCUMENT) if docs and label else pd.Series(dtype=bool)
    if not qrels.columns.is_unique or not empty.any():
        return qrels
    is_zero = qrels[label].where(empty).astype(object).map(lambda cell: cell in ("", 0, None) or cell != cell)
    nobody = empty & (is_zero | (qrels[docs] == ""))
    intent = (
        {"iteration": qrels["iteration"].mask(nobody & qrels["iteration"].isna(), "")} if "iteration" in qrels else {}
    )
    filled = {docs: qrels[docs].mask(nobody, NO_DOCUMENT), label: qrels[label].mask(nobody & is_zero, 0)}
    return qrels.assign(**filled, **intent)


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
        if name == "iteration" and str(known) in _NO_INTENT:
            row[name] = value
        elif str(known) != str(value) and not (name == "iteration" and str(value) in _NO_INTENT):
            raise ValueError(f"{what}: {name} is given twice, as {known!r} and as {value!r}.")
    return row


def _documents(docs: Any, rest: Mapping[Any, Any], what: str, look: Look) -> Iterator[dict[Any, Any]]:
    """Yield the documents of a query with the ``rest`` of each row; those of a list have ranks."""
    is_run = look.wanted == "run"
    if docs is None:
        raise TypeError(f"{what}: query {rest.get('qid')!r} has None, not a list or a dict of documents.")
    if isinstance(docs, Mapping):
        value_name = "score" if is_run else "label"
        yield from ({**rest, "docno": doc, value_name: value} for doc, value in docs.items())
        return
    rows = [_document(doc, what) for doc in docs]
    n_scored = sum("score" in row or "rank" in row for row in rows)
    if is_run and 0 < n_scored < len(rows):
        raise ValueError(f"{what}: in a list, {n_scored} of {len(rows)} documents have scores. Score all or none.")
    for rank, row in enumerate(rows, start=1):
        placed = {"rank": rank, "score": -rank} if is_run and "rank" not in row else {}
        yield {**rest, **placed, **row}


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
    is_whole = ((label % 1 == 0) & (label.abs() < 2.0**63)).all()
    return qrels.assign(label=label.astype(np.int64)) if is_whole else qrels
