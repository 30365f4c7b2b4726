"""Read TREC qrels and runs."""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..judged import Groups, Ids, contradicted_ranks, ranking_order, warn_of_data
from .dynamic_domain import dd_qrels, is_dd_qrels, is_dd_run, read_dd_run
from .files import Columns, Content, Distinct, Source, read_columns, read_content
from .nuggets import read_nuggets
from .records import ending
from .tabular import JSON, TABLES, read_json_run, read_qrels_table, with_whole_labels

OrderedBy = Literal["score", "rank"]


def read_qrels(path: Source) -> pd.DataFrame:
    """Read a qrels file with the intent of each judgement, which PyTerrier's own reader drops.

    Parameters
    ----------
    path : path-like or file object
        One of the following, gzipped or not; ``"-"`` is the standard input.

        - Lines ``query intent document label``, optionally with a fifth column, the weight of the intent.
        - The qrels of TREC Dynamic Domain, ``topic subtopic document passage rating``, with topics like ``DD16-1``.
        - A table from `write_qrels` (``.csv``, ``.tsv``, ``.parquet``).
        - Nuggets (``.jsonl``, ``.json``), as for `read_nuggets`.

    Returns
    -------
    DataFrame
        The columns ``qid``, ``docno``, ``label``, ``iteration`` and, if the file has it, ``weight``. A table keeps all
        of its columns. Dynamic Domain has one row for each passage, with a column ``passage``; its ratings of 0 and
        below are read as 1, as in `read_dd_truth`.

    Raises
    ------
    ValueError
        If a line cannot be read (the message names file and line), or the weights in the fifth column differ within an
        intent.
    """
    content = read_content(path)
    if ending(content.name) in TABLES:
        return read_qrels_table(content)
    if ending(content.name) in JSON:
        return read_nuggets(content)
    columns: Columns = {"qid": str, "iteration": str, "docno": Distinct, "label": float}
    table = pd.DataFrame(read_columns(content, columns, {"weight": float}))
    if table.empty:
        raise ValueError(f"{content.name} contains no judgement.")
    if "weight" in table:
        if is_dd_qrels(table):
            return dd_qrels(table)
        _check_weights(table, content.name)
    return with_whole_labels(table[["qid", "docno", "label", "iteration", *table.columns[4:]]])


def _check_weights(table: pd.DataFrame, name: str) -> None:
    """Raise a ``ValueError`` if a column cannot be the weight of intents."""
    first = table.groupby(["qid", "iteration"], sort=False)["weight"].transform("first")
    differ = (first != table["weight"]).to_numpy()
    if differ.any():
        row = table.iloc[int(differ.argmax())]
        raise ValueError(
            f"{name}: the fifth column is the weight of an intent, and must be the same in all rows of intent "
            f"{row['iteration']!r} of query {row['qid']!r}. read_dd_truth reads truth files of Dynamic Domain."
        )


def read_run(path: Source, *, order: OrderedBy = "score") -> pd.DataFrame:
    """Read a run file, in the order of evaluation.

    Parameters
    ----------
    path : path-like or file object
        One of the following, gzipped or not; ``"-"`` is the standard input.

        - Lines ``query Q0 document rank score tag``.
        - JSON lines (``.jsonl``, ``.json``) with ``qid``, ``docno`` and ``score`` or ``rank``, or with a list of
          documents, best first.
        - AutoNuggetizer's judgements of a system's answers, which are its documents.
    order : {"score", "rank"}
        The column that orders the documents: the score, as in trec_eval, or the rank, as in ndeval by default. With
        "rank", the column ``score`` is minus the rank, and the scores of the file are ignored.

    Returns
    -------
    DataFrame
        The columns ``qid``, ``docno``, ``score`` and ``rank`` (from 0). The rows of each query are sorted by descending
        score and, for equal scores, by descending document id.

    Raises
    ------
    ValueError
        If a line cannot be read (the message names file and line), or the file is a TREC Dynamic Domain run.

    Warns
    -----
    UserWarning
        If the documents are ordered by score, but the file's ranks contradict the scores.
    """
    order, content = checked_order("read_run", order), read_content(path)
    if ending(content.name) in JSON:
        return _read_json_run(content, order)
    if is_dd_run(content):
        raise ValueError(f"{content.name} is a TREC Dynamic Domain run; use read_dd_run.")
    return _read_trec_run(content, order)


def read_run_or_session(path: Source, order: OrderedBy = "score") -> pd.DataFrame:
    """Read a run file with `read_run`, or with `read_dd_run` if it is one of TREC Dynamic Domain."""
    content = read_content(path)
    if ending(content.name) in JSON:
        return _read_json_run(content, order)
    if not is_dd_run(content):
        return _read_trec_run(content, order)
    if order == "rank":
        raise ValueError(f"{content.name} is a TREC Dynamic Domain run, which has no ranks: order must be 'score'.")
    return read_dd_run(content)


def read_if_path(run: Any, order: OrderedBy = "score") -> Any:
    """Read a run if it is a path; return anything else as it is."""
    return read_run_or_session(run, order) if isinstance(run, (str, os.PathLike)) else run


def checked_order(who: str, order: Any) -> OrderedBy:
    """Return ``order``, or raise a ``ValueError`` if it is not "score" or "rank"."""
    if order not in ("score", "rank"):
        raise ValueError(f"{who}: order must be 'score' or 'rank', not {order!r}.")
    return "rank" if order == "rank" else "score"


def _read_trec_run(content: Content, order: OrderedBy) -> pd.DataFrame:
    by_rank = order == "rank"
    # The other of the two columns may contain anything.
    columns: Columns = {"qid": str, "q0": None, "docno": Distinct, "rank": object, "score": float, "tag": None}
    return _ranked(read_columns(content, columns | ({"rank": float, "score": None} if by_rank else {})), by_rank)


def _read_json_run(content: Content, order: OrderedBy) -> pd.DataFrame:
    run = {column: values.to_numpy() for column, values in read_json_run(content).items()}
    if order == "rank" and np.isnan(run["rank"]).any():
        raise ValueError(f"{content.name}: order='rank' needs the rank of each document.")
    return _ranked(run, order == "rank")


def _ranked(run: dict[Any, np.ndarray], by_rank: bool) -> pd.DataFrame:
    """Return the rows of a run in the order of evaluation."""
    rank, query = run.pop("rank"), Ids(*pd.factorize(run["qid"]))
    run["score"] = -rank if by_rank else run["score"]
    rows = ranking_order(query.codes, None, run["score"], run["docno"])
    if not by_rank:
        contradicted = contradicted_ranks(query, None, run["score"], run["docno"], rank, rows)
        if contradicted:
            warn_of_data(contradicted)
    codes = query.codes
    if rows is not None:
        codes, run = codes[rows], {column: values[rows] for column, values in run.items()}
    return pd.DataFrame(run).assign(rank=Groups(codes, len(query.names)).place)
