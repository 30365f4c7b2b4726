"""Read qrels and runs in any form."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, Literal, get_args

import pandas as pd

from .. import frames
from ..arithmetic import counted
from ..parameters import Parameter
from ..warnings import RowsWarning
from .files import Renamed, Source, read_parts
from .forms import read_lines_of_run, read_numbered, with_whole_labels
from .look import Look, look_at
from .shapes import frame_in, shape_of

OrderedBy = Literal["score", "rank"]
ORDER = Parameter(str, choices=get_args(OrderedBy))
# About how many bytes of a large run to read at a time.
_PART = 2**23
# Columns that tell the rankings of several systems apart.
_OF_RANKINGS = {"name", "system", "run", "run_id", "agent", "q0", "tag"}
_OF_RUNS = {*frames.RUN_COLUMNS, "rank", "turn", "tie", "doc_len", "query"}


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
        - Nuggets, as for `read_nuggets`: objects, tables without labels or without intents, or a folder of these files.
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
    try:
        return _read_qrels(qrels, None, what, as_it_is=True)
    except FileNotFoundError as error:
        error.add_note("Is it a dataset? Give its qrels, as in pt.get_dataset('diversity:demo').get_qrels().")
        raise


def _read_qrels(source: Any, columns: Mapping[str, str] | None, what: str, *, as_it_is: bool = False) -> pd.DataFrame:
    look = look_at(source, "qrels", columns, name=what)
    frame = frame_in(look)
    if as_it_is and frame is source:
        qrels = frames.Columns(frame, (), look.name)
        qrels.refuse_odd_ids(name for name in ("query_id", "doc_id", "iteration") if name in qrels)
        return frame
    if frame.empty and look.is_text:
        raise ValueError(f"{look.name} contains no judgement.")
    qrels = frames.Columns(frame, frames.QRELS_COLUMNS, look.name)
    label = pd.Series(qrels.numbers("relevance"), frame.index)
    frame = qrels.renamed([name for name in ("query_id", "doc_id", "iteration") if name in qrels])
    return with_whole_labels(frame.assign(relevance=label).rename(columns=frames.PYTERRIER_NAMES))


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
    doubts = frames.Doubts()
    ordered.add_odd(doubts)
    doubts.warn()
    frame = frame.assign(rank=counted(ordered.size)).reset_index(drop=True)
    first = ["query_id", "doc_id", "score", "rank"]
    return frame[[*first, *(name for name in frame if name not in first)]].rename(columns=frames.PYTERRIER_NAMES)


def run_frame(
    source: Any, *, order: OrderedBy = "score", columns: Mapping[str, str] | None = None, what: str = "run"
) -> pd.DataFrame:
    """Return a run in any form that `read_run` reads as a frame with the required columns, in any order."""
    by_rank = ORDER.check("read_run", "order", order) == "rank"
    look = look_at(source, "run", columns, by_rank=by_rank, name=what)
    return _frame_of_run(look, frame_in(look))


class ReadWholeError(Exception):
    """A run must be read whole."""


def run_parts(source: Source, *, order: OrderedBy) -> Iterator[pd.DataFrame]:
    """Yield what `run_frame` returns, in parts of whole queries if it is a large file of lines.

    Raises
    ------
    ReadWholeError
        If the lines of a query are not adjacent, or reading a part cannot tell what reading the whole run would.
    """
    columns = source.columns if isinstance(source, Renamed) else None
    try:
        parts = read_parts(source, _PART)
        first, second = next(parts), next(parts, None)
        if second is None:
            yield run_frame(first, order=order, columns=columns)
            return
        look = look_at(first, "run", columns, by_rank=order == "rank")
        shape = shape_of(look)
        if shape is None or shape.read not in (read_lines_of_run, read_numbered):
            raise ReadWholeError
        known: set[str] = set()
        for part in chain([first, second], parts):
            # Elsewhere, quotes may mean that words are quoted here.
            if b'"' in part.data:
                raise ReadWholeError
            with frames.collected() as told:
                frame = _frame_of_run(look, frame_in(replace(look, data=part)))
            queries = set(frame["qid"].unique())
            if told or not known.isdisjoint(queries):
                raise ReadWholeError
            known |= queries
            yield frame
    except ValueError as error:  # whose line counts from the beginning of the part
        raise ReadWholeError from error


def _frame_of_run(look: Look, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a run as a frame with the required columns."""
    if look.by_rank and len(frame):
        if "rank" not in frame:
            found = ", ".join(map(str, look.fields or frame.columns))
            raise ValueError(f"{look.name}: order='rank' needs the column rank; found: {found}.")
        frame = frame.drop(columns="score", errors="ignore")
    run = frames.Columns(frame, frames.RUN_COLUMNS, look.name)
    if look.form != "lines":
        run.refuse_odd_ids(("query_id", "doc_id"))
    _check_rankings(run)
    if look.by_rank and len(frame):
        _refuse_repeated_ranks(run)
    return run.frame.drop(columns=["q0", "tag"], errors="ignore") if look.form == "lines" else run.frame


def _refuse_repeated_ranks(run: frames.Columns) -> None:
    """Raise a ``ValueError`` if documents of a query have one rank, apart from a document that is repeated with it."""
    at = pd.DataFrame({"query": run.ids("query_id").codes, "rank": run.ranks()})
    same = at[at.duplicated(keep=False)]
    same = same.assign(doc=run.strings("doc_id").take(same.index.to_numpy()).tolist()).drop_duplicates()
    repeated = same.index[same.duplicated(["query", "rank"], keep=False)]
    run.refuse(at.index.isin(repeated), "rank", "must differ within a query with order='rank'")


def _check_rankings(run: frames.Columns) -> None:
    """Raise a ``ValueError`` if queries have several rankings with the same ranks, and warn if their ranks differ."""
    for name in _columns_of_rankings(run):
        if run[name].nunique(dropna=False) < 2:
            continue
        ids, rank = run.ids("query_id").codes, run.ranks()
        words = run[name].map(str).groupby(ids, sort=False).unique()
        several = words[words.map(len) > 1]
        if several.empty:
            continue
        message = (
            f"{run.what}: a query has several words in the column {name}: {', '.join(map(repr, several.iloc[0][:3]))}. "
            f"If these are several rankings, split them: dict(tuple(frame.groupby({name!r}))), or a file for each."
        )
        if rank is not None and pd.DataFrame({"query": ids, "rank": rank}).duplicated().any():
            raise ValueError(f"{message} Two documents have the same rank.")
        frames.warn(RowsWarning(message))


def _columns_of_rankings(run: frames.Columns) -> list[str]:
    """Return the columns that may name rankings: by their names, or as they differ where documents repeat."""
    others = [name for name in run.theirs if name not in _OF_RUNS]
    found = [name for name in others if str(name).lower() in _OF_RANKINGS]
    if len(found) == len(others):
        return found
    docs = pd.DataFrame({"query": run["query_id"], "doc": run["doc_id"]})
    if not docs.duplicated().any():
        return found
    words = {name: run[name].map(str) for name in others if name not in found}
    few = {name: of for name, of in words.items() if of.nunique() <= len(of) / 2}
    return [*found, *(name for name, of in few.items() if not docs.assign(word=of).duplicated().any())]
