"""Qrels and runs from files of TREC."""

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

Order = Literal["score", "rank"]


def read_qrels(path: Source) -> pd.DataFrame:
    """Read a TREC qrels file and keep the intent of each judgement, which PyTerrier's own reader drops.

    Parameters
    ----------
    path : path-like or file object
        A file of lines ``query intent document label`` and, optionally, a fifth column: the intent's weight. Or the
        qrels of TREC Dynamic Domain, ``topic subtopic document passage rating``, known by their topics (``DD16-1``) and
        subtopics (``DD16-1.1``). Or a table that `write_qrels` wrote (``.csv``, ``.tsv``, ``.parquet``), with its
        columns. Or nuggets (``.jsonl``, ``.json``), as `read_nuggets` reads them by default. Gzipped or not; ``"-"`` is
        the standard input.

    Returns
    -------
    DataFrame
        Columns ``qid``, ``docno``, ``label``, ``iteration`` and, if the file has it, ``weight``. Of Dynamic Domain
        ``qid``, ``docno``, ``label`` (the passage's rating), ``iteration``, ``passage``: each passage once, in the
        order of topic numbers, documents, labels; ratings of 0 and below are read as 1, as by `read_dd_truth`.

    Raises
    ------
    ValueError
        If a line cannot be read: file, line number, and what is wrong; or if the fifth column is no weight, as it is
        not the same for each row of an intent.
    """
    content = read_content(path)
    if ending(content.name) in TABLES:
        return read_qrels_table(content)
    if ending(content.name) in JSON:
        return read_nuggets(content)
    columns: Columns = {"qid": str, "iteration": str, "docno": Distinct, "label": float}
    table = pd.DataFrame(read_columns(content, columns, {"weight": float}))
    if table.empty:
        raise ValueError(f"{content.name} holds no judgement.")
    if "weight" in table:
        if is_dd_qrels(table):
            return dd_qrels(table)
        _check_weights(table, content.name)
    return with_whole_labels(table[["qid", "docno", "label", "iteration", *table.columns[4:]]])


def _check_weights(table: pd.DataFrame, name: str) -> None:
    """Raise the ``ValueError`` for a column that cannot be the weight of intents."""
    first = table.groupby(["qid", "iteration"], sort=False)["weight"].transform("first")
    differ = (first != table["weight"]).to_numpy()
    if differ.any():
        row = table.iloc[int(differ.argmax())]
        raise ValueError(
            f"{name}: the fifth column is the weight of an intent, and must be the same in all rows of intent "
            f"{row['iteration']!r} of query {row['qid']!r}. read_dd_truth reads truth files of Dynamic Domain."
        )


def read_run(path: Source, *, order: Order = "score") -> pd.DataFrame:
    """Read a TREC run file in the order in which it is evaluated.

    Parameters
    ----------
    path : path-like or file object
        A file of lines ``query Q0 document rank score tag``; or of JSON lines (``.jsonl``, ``.json``) with ``qid``,
        ``docno`` and ``score`` or ``rank``, or with a list of documents, best first, or AutoNuggetizer's judgements of
        one system's answers, which are its documents. Gzipped or not; ``"-"`` is the standard input.
    order : {"score", "rank"}
        Which column orders the documents: the score, as trec_eval has it, or the rank, as ndeval has it by default. By
        rank, ``score`` is minus the rank of the file, and the file's scores are not read.

    Returns
    -------
    DataFrame
        Columns ``qid``, ``docno``, ``score`` and ``rank`` (from 0), each query's rows together, by descending score
        and, among equal scores, descending document id.

    Raises
    ------
    ValueError
        If a line cannot be read: file, line number, and what is wrong; or if it is a TREC Dynamic Domain run, which has
        as many columns.

    Warns
    -----
    UserWarning
        If the score rises somewhere down the ranks of a query, and the score orders.
    """
    order, content = checked_order("read_run", order), read_content(path)
    if ending(content.name) in JSON:
        return _read_json_run(content, order)
    if is_dd_run(content):
        raise ValueError(f"{content.name} is a TREC Dynamic Domain run: read_dd_run reads it.")
    return _read_trec_run(content, order)


def read_run_or_session(path: Source, order: Order = "score") -> pd.DataFrame:
    """Read a run file of TREC as `read_run` does, or one of TREC Dynamic Domain as `read_dd_run` does."""
    content = read_content(path)
    if ending(content.name) in JSON:
        return _read_json_run(content, order)
    if not is_dd_run(content):
        return _read_trec_run(content, order)
    if order == "rank":
        raise ValueError(f"{content.name} is a TREC Dynamic Domain run, which has no ranks: order must be 'score'.")
    return read_dd_run(content)


def read_if_path(run: Any, order: Order = "score") -> Any:
    """Return the run of a path as `read_run_or_session` does, and any other form of a run as it is."""
    return read_run_or_session(run, order) if isinstance(run, (str, os.PathLike)) else run


def checked_order(who: str, order: Any) -> Order:
    """Return what orders a run, refusing other words."""
    if order not in ("score", "rank"):
        raise ValueError(f"{who}: order must be 'score' or 'rank', not {order!r}.")
    return "rank" if order == "rank" else "score"


def _read_trec_run(content: Content, order: Order) -> pd.DataFrame:
    by_rank = order == "rank"
    # Files say anything in the place of a column that is not used to order documents.
    columns: Columns = {"qid": str, "q0": None, "docno": Distinct, "rank": object, "score": float, "tag": None}
    return _ranked(read_columns(content, columns | ({"rank": float, "score": None} if by_rank else {})), by_rank)


def _read_json_run(content: Content, order: Order) -> pd.DataFrame:
    run = {column: values.to_numpy() for column, values in read_json_run(content).items()}
    if order == "rank" and np.isnan(run["rank"]).any():
        raise ValueError(f"{content.name}: order='rank' needs the rank of each document.")
    return _ranked(run, order == "rank")


def _ranked(run: dict[Any, np.ndarray], by_rank: bool) -> pd.DataFrame:
    """Return the rows of a run in the order in which they are evaluated."""
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
