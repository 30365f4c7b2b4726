"""Convert qrels and runs from any form to frames. `frames.given_frame` reads only those of ir_measures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from ..frames import PYTERRIER_NAMES, RUN_COLUMNS, Columns, given_frame, refuse_read

# Other names of PyTerrier's columns.
_OTHER_NAMES = {**PYTERRIER_NAMES, "docid": "docno"}
# TREC's placeholders for an intent.
_NO_INTENT = ("0", "Q0")
# Names of a list of documents in an object about a query, of the list of all rows, and of a document's id in a list.
_LISTS = ("docno", "results", "documents", "hits")
_ROWS = ("results", "run", "qrels", "rows")
_DOC_IDS = ("docno", "id", "_id")
# Where retrieval frameworks keep the id of a text.
_NODE = ("id", "node_id", "id_")
_FORMS = (
    "must be a file, a frame, a list of dicts or of named tuples, or a dict {query: {document: value}}",
    "must be a file, a frame, a list of dicts or of named tuples, or a dict of queries with {document: score}, "
    "[document], or [(document, score)]",
)


class SharedColumns(dict[str, str]):
    """New names of columns, shared by several files, each of which may have only some of the columns."""


def frame_of(
    data: Any, required: tuple[str, ...], what: str, *, order: str = "score", columns: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Return qrels or a run in any form but a file as a frame with the required columns.

    Parameters
    ----------
    data : DataFrame, object with ``to_pandas()``, iterable of dicts or of named tuples, or dict
        Qrels or a run, as `read_qrels` and `read_run` take them.
    required : tuple of str
        The required columns.
    what : str
        The name of the data in messages.
    order : {"score", "rank"}
        With "rank", the ranks of a run count, and there must be ranks.
    columns : mapping of str to str, optional
        New names of columns.

    Raises
    ------
    ValueError
        If a required column is missing, two names of one column have different values, or ``data`` is a generator or an
        iterator that was read before.
    TypeError
        If ``data`` has another form.
    """
    data = data.to_pandas() if hasattr(data, "to_pandas") else data
    if isinstance(data, pd.DataFrame):
        frame = data.rename(columns=new_names(data.columns, columns, what)) if columns else data
    else:
        frame = _framed(data, required, what, columns or {})
    if order == "rank" and required == RUN_COLUMNS and len(frame):
        if "rank" not in frame:
            found = ", ".join(map(str, frame.columns))
            raise ValueError(f"{what}: order='rank' needs the column rank; found: {found}.")
        frame = frame.drop(columns="score", errors="ignore")
    return Columns(frame, required, what).frame


def new_names(found: Iterable[Any], columns: Mapping[str, str], what: str) -> dict[Any, str]:
    """Return the new name of each column that gets one. An old column of that name is kept as ``name (old)``.

    Raises
    ------
    ValueError
        If a key of ``columns`` is not the name of a column.
    """
    names = list(found)
    missing = [name for name in columns if name not in names]
    if missing and not isinstance(columns, SharedColumns):
        raise ValueError(
            f"{what}: columns renames {missing[0]!r}, which is not a column; found: {', '.join(map(str, names))}."
        )
    new = {old: name for old, name in columns.items() if old in names}
    taken = {_OTHER_NAMES.get(name, name) for name in new.values()}
    return {**{name: f"{name} (old)" for name in names if _OTHER_NAMES.get(name, name) in taken}, **new}


def _framed(data: Any, required: tuple[str, ...], what: str, columns: Mapping[str, str]) -> pd.DataFrame:
    is_run = required == RUN_COLUMNS
    forms = f"{what} {_FORMS[is_run]}"
    if isinstance(data, Mapping):
        if all(isinstance(docs, Mapping) and not _is_row(docs, columns) for docs in data.values()):
            return given_frame(data, required, what)
        data = [data]
    if isinstance(data, (str, os.PathLike)):
        raise TypeError(f"{what} must be one run, but {os.fspath(data)!r} is a folder. io.read_runs reads its files.")
    if not isinstance(data, Iterable):
        raise TypeError(f"{forms}, not {type(data).__name__}.")
    refuse_read(data, what)
    members = list(data)
    for member in members:
        if not isinstance(member, Mapping) and not hasattr(member, "_fields"):
            raise TypeError(f"{forms}, not rows of {type(member).__name__}.")
    if members and not isinstance(members[0], Mapping):
        frame = given_frame(members, required, what)
        return frame.rename(columns=new_names(frame.columns, columns, what)) if columns else frame
    return pd.DataFrame(expanded(((one, what) for one in members), is_run, columns)[0], dtype=object)


def expanded(
    records: Iterable[tuple[Mapping[Any, Any], str]], is_run: bool, columns: Mapping[str, str]
) -> tuple[list[dict[Any, Any]], list[str]]:
    """Return the rows of objects, and where each row is, given where the objects are."""
    rows: list[dict[Any, Any]] = []
    places: list[str] = []
    listed: set[Any] = set()
    for record, where in ((one, where) for whole, where in records for one in _unwrapped(whole, columns)):
        added = list(_rows_in(record, is_run, where, columns))
        if added and "rank" in added[0] and "rank" not in record:  # these are the places in lists
            # One dict may have lists for "1" and for 1.
            for query in {repr(row["qid"]): str(row["qid"]) for row in added}.values():
                if query in listed:
                    raise ValueError(f"{where}: query {query!r} has two lists of documents; give one list.")
                listed.add(query)
        rows += added
        places += [where] * len(added)
    return rows, places


def _is_row(value: Any, columns: Mapping[str, str]) -> bool:
    names = {columns.get(name, name) for name in value} if isinstance(value, Mapping) else set()
    return bool(names & {"qid", "query_id"})


def _unwrapped(record: Mapping[Any, Any], columns: Mapping[str, str]) -> list[Mapping[Any, Any]]:
    """Return the rows in an object that only holds their list, or the object itself."""
    name, rows = next(iter(record.items())) if len(record) == 1 else ("", [])
    are_rows = name in _ROWS and isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows)
    return rows if are_rows and rows and _is_row(rows[0], columns) else [record]


def _rows_in(
    record: Mapping[Any, Any], is_run: bool, what: str, columns: Mapping[str, str]
) -> Iterator[dict[Any, Any]]:
    """Yield the rows of an object: itself, one for each document in its list, or those of the queries that it maps."""
    row = named(record, what, columns)
    lists: list[tuple[dict[Any, Any], Any]] = []
    if "qid" not in row:
        given = [docs for docs in row.values() if docs is not None]
        if given and all(isinstance(docs, (Mapping, list, tuple)) for docs in given):
            lists = [({"qid": query}, docs) for query, docs in row.items()]
        elif row and not any(value is None or isinstance(value, (str, Number)) for value in row.values()):
            raise TypeError(f"{what} {_FORMS[is_run]}, not a dict of {type(next(iter(row.values()))).__name__}.")
    elif is_run and "nuggets" in row and "run_id" in row:  # a judged answer is the only document of its system
        row = {"qid": row["qid"], "docno": row["run_id"], "score": 1.0}
    elif listed := [name for name in _LISTS if isinstance(row.get(name), (Mapping, list, tuple))]:
        docs, score = row[listed[0]], row.get("score")
        if isinstance(score, (list, tuple)):
            if len(score) != len(docs):
                raise ValueError(f"{what}: a row lists {len(docs)} documents and {len(score)} scores.")
            docs = list(zip(docs, score, strict=True))
        lists = [({name: value for name, value in row.items() if name not in (listed[0], "score", "rank")}, docs)]
    if not lists:
        yield row
    for rest, docs in lists:
        yield from ({**rest, **doc} for doc in _documents(docs, rest["qid"], is_run, what, columns))


def named(
    record: Mapping[Any, Any], what: str, columns: Mapping[str, str], others: Mapping[str, str] = _OTHER_NAMES
) -> dict[Any, Any]:
    """Return an object with new names of its fields, and PyTerrier's for the ``others``.

    Raises
    ------
    ValueError
        If two names of one field have different values.
    """
    names = new_names(record, columns, what) if columns else {}
    row: dict[Any, Any] = {}
    has_id = any(names.get(name, name) in ("docno", "doc_id") for name in record)
    for old, value in record.items():
        given = names.get(old, old)
        name = others.get(given, given)
        if given == "docid" != name and has_id:  # PyTerrier's number of a document
            continue
        known = row.setdefault(name, value)
        if name == "iteration" and str(known) in _NO_INTENT:
            row[name] = value
        elif str(known) != str(value) and not (name == "iteration" and str(value) in _NO_INTENT):
            raise ValueError(f"{what}: {name} is given twice, as {known!r} and as {value!r}.")
    return row


def _documents(docs: Any, query: Any, is_run: bool, what: str, columns: Mapping[str, str]) -> Iterator[dict[Any, Any]]:
    """Yield the documents of a query; those of a list have ranks."""
    if docs is None:
        raise TypeError(f"{what}: query {query!r} has None, not a list or a dict of documents.")
    if isinstance(docs, Mapping):
        value_name = "score" if is_run else "label"
        yield from ({"docno": doc, value_name: value} for doc, value in docs.items())
        return
    rows = []
    for doc in docs:
        is_tuple = isinstance(doc, (tuple, list)) and len(doc) == 2
        is_pair = is_tuple and (isinstance(doc[1], Number) or not hasattr(doc, "_fields"))
        if is_pair and not isinstance(doc[1], Number):
            raise TypeError(f"{what}: the score in {doc!r:.80} must be a number, not {doc[1]!r:.80}.")
        rows.append({**_document(doc[0], what, columns), "score": doc[1]} if is_pair else _document(doc, what, columns))
    n_scored = sum("score" in row for row in rows)
    if is_run and 0 < n_scored < len(rows):
        raise ValueError(f"{what}: in a list, {n_scored} of {len(rows)} documents have scores. Score all or none.")
    for rank, row in enumerate(rows, start=1):
        yield {"rank": rank, "score": -rank, **row} if is_run else row


def _document(doc: Any, what: str, columns: Mapping[str, str]) -> dict[Any, Any]:
    """Return the row of a document: an id, an object, or what LangChain and LlamaIndex return."""
    if doc is None or isinstance(doc, (str, bytes, Number)):
        return {"docno": doc}
    doc = doc._asdict() if hasattr(doc, "_asdict") else doc
    if not isinstance(doc, Mapping):
        node, score = getattr(doc, "node", doc), getattr(doc, "score", None)
        # In metadata, doc_id is often the id of the document that a chunk is from.
        told = getattr(node, "metadata", None) or {}
        ids = [told.get("docno"), *(getattr(node, n, None) for n in _NODE), told.get("doc_id"), told.get("docid")]
        known = next((one for one in ids if one not in (None, "")), None)
        if known is None:
            raise TypeError(
                f"{what}: a document of type {type(doc).__name__} has no id: give an id or metadata['docno'], or lists "
                "of ids or of (id, score)."
            )
        return {"docno": known} if score is None else {"docno": known, "score": score}
    row = named(doc, what, SharedColumns(columns))
    of_id = next((name for name in _DOC_IDS if name in row), None)
    return {"docno" if name == of_id else name: value for name, value in row.items()}


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
