"""Read qrels and runs in any form."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

import numpy as np
import pandas as pd

from .. import frames
from ..arithmetic import counted
from ..warnings import RanksWarning
from .dynamic_domain import dd_qrels, is_dd_run, read_dd_run, read_dd_truth
from .files import Content, is_file, read_content
from .forms import SharedColumns, expanded, frame_of, with_whole_labels
from .lines import Kinds, read_columns
from .nuggets import read_nuggets
from .records import Field, first_record, kind_of, read_parquet, read_records

OrderedBy = Literal["score", "rank"]

# The columns of ids and of numbers.
_ID_COLUMNS = ("query_id", "doc_id", "iteration", "subtopic_id")
_NUMBERS = ("relevance", "weight", "rarity", "gain", "score", "turn")


def read_qrels(source: Any, *, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Read qrels in any form, with the intent of each judgement, which PyTerrier's own reader drops.

    Parameters
    ----------
    source : path-like, file object, frame, list of dicts or of named tuples, or dict
        One of the following. A file is recognised by its content; it may be compressed (gzip, bzip2, xz, zstd) or a
        pipe, and ``"-"`` is the standard input.

        - A file of lines ``query intent document label``, optionally with a fifth column, the weight of the intent.
        - The qrels or the truth of TREC Dynamic Domain, whose passages are read as `read_dd_truth` does.
        - A table: a frame of pandas, Arrow or polars, or a file (CSV or TSV with a header, parquet).
        - Nuggets (JSON, JSON lines, a table without labels, or a folder of these files), as for `read_nuggets`.
        - Rows, as dicts or named tuples, or ``{query: {document: label}}``; also as JSON.
    columns : mapping of str to str, optional
        The meaning of columns with other names, as in ``{"topic": "qid", "aspect": "iteration"}``.

    Returns
    -------
    DataFrame
        The columns ``qid``, ``docno``, ``label`` and, if there are any, ``iteration``, ``weight`` and the other columns
        of a table.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If a file cannot be read (the message names file and line), a column is missing, or the weights in a fifth
        column differ within an intent.
    TypeError
        If ``source`` has another form.

    Examples
    --------
    >>> read_qrels([{"topic": 1, "docno": "d1", "label": 2, "iteration": "a"}], columns={"topic": "qid"})
      qid docno  label iteration
    0   1    d1      2         a
    """
    return _read_qrels(source, columns, "qrels")


def qrels_frame(qrels: Any, what: str = "qrels") -> pd.DataFrame:
    """Return a frame of qrels as it is, and other forms as `read_qrels` does; ``what`` is their name in messages."""
    is_frame = isinstance(qrels, pd.DataFrame) and not _are_nuggets(qrels, {})
    return qrels if is_frame else _read_qrels(qrels, None, what)


def _read_qrels(source: Any, columns: Mapping[str, str] | None, what: str) -> pd.DataFrame:
    given, name = _opened(source, what)
    are_nuggets = _are_nuggets(given, columns or {})
    frame = read_nuggets(given, columns=columns) if are_nuggets else _judged(given, columns, name)
    if frame.empty and is_file(source):
        raise ValueError(f"{name} contains no judgement.")
    qrels = frames.Columns(frame, frames.QRELS_COLUMNS, what)
    label = pd.Series(qrels.numbers("relevance"), frame.index)
    frame = qrels.renamed([name for name in ("query_id", "doc_id", "iteration") if name in qrels])
    return with_whole_labels(frame.assign(relevance=label).rename(columns=frames.PYTERRIER_NAMES))


def _opened(source: Any, what: str) -> tuple[Any, str]:
    """Return a frame, the content of a file other than parquet, or data as given; and the name for messages."""
    if hasattr(source, "to_pandas"):
        return source.to_pandas(), what
    if not is_file(source):
        return source, what
    content = read_content(source)
    return read_parquet(content) if kind_of(content) == "parquet" else content, content.name


def _are_nuggets(given: Any, columns: Mapping[str, str]) -> bool:
    """Tell by the columns or the first object whether a frame or file has nuggets, not qrels or a run."""
    if isinstance(given, pd.DataFrame):
        return frames.look_of_columns(columns.get(name, name) for name in map(str, given)) == "nuggets"
    kind = kind_of(given) if isinstance(given, Content) else ""
    if kind not in ("json", "table"):
        return isinstance(given, (str, os.PathLike))  # a folder
    first = first_record(given)
    if first is None or not isinstance(first.value, Mapping):
        return kind == "json"
    try:
        rows = expanded([(first.value, first.where)], False, columns)[0]
    except TypeError:  # lists of lists, which are groups of documents
        return True
    names = {str(name) for row in rows for name in row}
    if kind == "json" and not (names | first.value.keys()) & frames.OF_NUGGETS:
        return not (names & {"label", "score", "rank"} or names <= {"qid", "docno"})
    return kind == "json" or frames.look_of_columns(names) == "nuggets"


def _judged(given: Any, columns: Mapping[str, str] | None, name: str) -> pd.DataFrame:
    """Return the qrels of a frame, of the content of a file, or of data."""
    if not isinstance(given, Content):
        return frame_of(given, frames.QRELS_COLUMNS, name, columns=columns)
    kind = kind_of(given)
    if kind == "xml":
        return read_dd_truth(given)
    refusal = ValueError(f"{name} is a run, not qrels. Give the qrels first.")
    try:
        frame = _frame_of_content(given, frames.QRELS_COLUMNS, columns) if kind else _qrels_of_lines(given, columns)
    except ValueError as error:
        if _is_run(given, columns):
            raise refusal from error
        raise
    if kind == "json" and (frame["label"] % 1 != 0).any() and _is_run(given, columns):
        raise refusal  # {query: {document: score}}
    return frame


def _frame_of_content(
    content: Content, required: tuple[str, ...], columns: Mapping[str, str] | None, order: OrderedBy = "score"
) -> pd.DataFrame:
    """Return the rows of a table or of JSON, as `frame_of` does, with numbers that are checked line by line."""
    is_run = required == frames.RUN_COLUMNS
    records = ((record.need_object(), record.where) for record in read_records(content, content.name))
    rows, places = expanded(records, is_run, columns or {})
    frame = frame_of(pd.DataFrame(rows, dtype=object), required, content.name, order=order)
    return _with_numbers(frame, places, required, content.name)


def _with_numbers(frame: pd.DataFrame, places: list[str], required: tuple[str, ...], what: str) -> pd.DataFrame:
    """Return the rows of a file with numbers, or raise a ``ValueError`` for the first value that cannot be read."""
    is_run = required == frames.RUN_COLUMNS
    if not is_run:  # a row may only name an intent
        frame = frame.assign(docno=frame["docno"].where(frame["docno"].notna(), frames.NO_DOCUMENT))
    if "doc_len" in frame:
        frame = frame.assign(doc_len=frame["doc_len"].replace("", np.nan))
    columns = frames.Columns(frame, required, what)
    for name in (name for name in (*_ID_COLUMNS, *_NUMBERS) if name in columns):
        for value, where in zip(columns[name].tolist(), places, strict=True):
            if (type(value) is str and value) if name in _ID_COLUMNS else type(value) is float and math.isfinite(value):
                continue
            field = Field(value, where, columns.shown(name))
            if value == frames.NO_DOCUMENT and name == "doc_id" and not is_run:
                continue
            if value is None or value == "" or value != value:
                raise ValueError(f"{where}: {field.name} is missing.")
            field.identifier() if name in _ID_COLUMNS else field.number()
    read = {columns.theirs[name]: columns.numbers(name) for name in _NUMBERS if name in columns}
    return frame.assign(**read | ({"score": frames.exact(frame["score"])} if is_run else {}))


def _is_run(content: Content, columns: Mapping[str, str] | None) -> bool:
    with suppress(ValueError, TypeError), frames.collected():
        frame = run_frame(content, columns=columns)
        return not frame.empty and {"label", "relevance"}.isdisjoint(frame)
    return False


def _qrels_of_lines(content: Content, columns: Mapping[str, str] | None) -> pd.DataFrame:
    _refuse_names(content, columns)
    kinds: Kinds = {"qid": str, "iteration": str, "docno": str, "label": float}
    table = read_columns(content, kinds, {"weight": float})
    if "weight" in table:
        passages = dd_qrels(table)
        if passages is not None:
            return passages
        first = table.groupby(["qid", "iteration"], sort=False)["weight"].transform("first")
        for row in table[first != table["weight"]].head(1).itertuples():
            raise ValueError(
                f"{content.name}: the fifth column is the weight of an intent, and must be the same in all rows of "
                f"intent {row.iteration!r} of query {row.qid!r}. read_dd_truth reads truth files of Dynamic Domain."
            )
    return table[["qid", "docno", "label", "iteration", *table.columns[4:]]]


def _refuse_names(content: Content, columns: Mapping[str, str] | None) -> None:
    if columns and not isinstance(columns, SharedColumns):
        raise ValueError(f"{content.name}: columns must be omitted, because the lines of this file have no names.")


def read_run(source: Any, *, order: OrderedBy = "score", columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Read a run in any form, in the order of evaluation.

    Parameters
    ----------
    source : path-like, file object, frame, list of dicts or of named tuples, or dict
        One of the following. A file is recognised by its content; it may be compressed (gzip, bzip2, xz, zstd) or a
        pipe, and ``"-"`` is the standard input.

        - A file of lines ``query Q0 document rank score tag``, or a session of TREC Dynamic Domain, as in
          `read_dd_run`.
        - A table with ``qid``, ``docno`` and ``score`` or ``rank``: a frame of pandas, Arrow or polars, or a file (CSV
          or TSV with a header, parquet).
        - Rows, as dicts or named tuples; also as JSON or JSON lines. A row may have a list of documents, best first.
        - ``{query: {document: score}}``, ``{query: [document]}`` or ``{query: [(document, score)]}``; also as JSON.
          Instead of a document, a list may have what LangChain and LlamaIndex return: its id is ``metadata["docno"]``,
          otherwise ``id`` or ``node_id``, otherwise ``metadata["doc_id"]``.
        - AutoNuggetizer's judgements of a system's answers, which are its documents.
    order : {"score", "rank"}
        What orders the documents: the score, as in trec_eval, or the rank, as in ndeval by default. Documents in a list
        have ranks. With "rank", the column ``score`` is minus the rank, and other scores are ignored.
    columns : mapping of str to str, optional
        The meaning of columns with other names, as in ``{"topic": "qid", "similarity": "score"}``.

    Returns
    -------
    DataFrame
        The columns ``qid``, ``docno``, ``score``, ``rank`` (from 0) and, if there are any, other columns of a table.
        The rows of each query are sorted by ``turn``, if there is one, by descending score and, for equal scores, by
        descending document id.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If a file cannot be read (the message names file and line), a column is missing, or ``order="rank"`` and
        ranks are missing.
    TypeError
        If ``source`` has another form.

    Warns
    -----
    RanksWarning
        If the documents are ordered by score, but ranks contradict the scores; or if, in half of the queries or more,
        all documents have the same score.

    Examples
    --------
    >>> read_run({"q": [("d1", 0.5), ("d2", 0.4)]})
      qid docno  score  rank
    0   q    d1    0.5     0
    1   q    d2    0.4     1
    """
    run = frames.Columns(run_frame(source, order=order, columns=columns), frames.RUN_COLUMNS, "run")
    ordered, frame = frames.in_order(run), run.renamed()
    if frame["score"].dtype == object:
        frame["score"] = frames.exact(frame["score"])
    if ordered.rows is not None:
        frame = frame.take(ordered.rows)
    doubt = ordered.doubt()
    if doubt:
        frames.warn(RanksWarning(doubt))
    frame = frame.assign(rank=counted(ordered.size)).reset_index(drop=True)
    first = ["query_id", "doc_id", "score", "rank"]
    return frame[[*first, *(name for name in frame if name not in first)]].rename(columns=frames.PYTERRIER_NAMES)


def run_frame(
    source: Any, *, order: OrderedBy = "score", columns: Mapping[str, str] | None = None, what: str = "run"
) -> pd.DataFrame:
    """Return a run in any form that `read_run` reads as a frame with the required columns, in any order."""
    checked_order("read_run", order)
    given, name = _opened(source, what)
    if not isinstance(given, Content):
        return frame_of(given, frames.RUN_COLUMNS, name, order=order, columns=columns)
    if kind_of(given):
        return _frame_of_content(given, frames.RUN_COLUMNS, columns, order)
    _refuse_names(given, columns)
    is_session, by_rank = is_dd_run(given), order == "rank"
    if is_session and by_rank:
        raise ValueError(f"{name} is a TREC Dynamic Domain run, which has no ranks: order must be 'score'.")
    frame = read_dd_run(given) if is_session else _run_of_lines(given, by_rank)
    return frames.Columns(frame, frames.RUN_COLUMNS, name).frame


def checked_order(who: str, order: Any) -> OrderedBy:
    """Return ``order``, or raise a ``ValueError`` if it is not "score" or "rank"."""
    if order not in ("score", "rank"):
        raise ValueError(f"{who}: order must be 'score' or 'rank', not {order!r}.")
    return "rank" if order == "rank" else "score"


def _run_of_lines(content: Content, by_rank: bool) -> pd.DataFrame:
    # The other of the two columns may contain anything.
    kinds: Kinds = {"qid": str, "q0": None, "docno": str, "rank": object, "score": float, "tag": None}
    kinds |= {"rank": float, "score": None} if by_rank else {}
    run = read_columns(content, kinds)
    if not by_rank and run["score"].abs().max() >= frames.LARGEST_EXACT:
        run["score"] = frames.exact(read_columns(content, {**kinds, "score": str})["score"])
    return run
