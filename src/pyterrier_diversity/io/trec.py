"""Qrels and runs from files of TREC."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd

from ..judged import ranking_order
from .dynamic_domain import is_dd_run, read_dd_run
from .files import Columns, Path, read_table


def read_qrels(path: Path) -> pd.DataFrame:
    """Read a TREC qrels file and keep the intent of each judgement, which PyTerrier's own reader drops.

    Parameters
    ----------
    path : path-like
        A file of lines ``query intent document label`` and, optionally, a fifth column: the intent's weight. ``.gz``
        is read too.

    Returns
    -------
    DataFrame
        Columns ``qid``, ``docno``, ``label``, ``iteration`` and, if the file has it, ``weight``.

    Raises
    ------
    ValueError
        If a line cannot be read: file, line number, and what is wrong.
    """
    table = read_table(path, {"qid": str, "iteration": str, "docno": str, "label": float}, {"weight": float})
    if table.empty:
        raise ValueError(f"{os.fspath(path)} holds no judgement.")
    if (table["label"] % 1 == 0).all():
        table["label"] = table["label"].astype(np.int64)
    return table[["qid", "docno", "label", "iteration", *table.columns[4:]]]


def read_run(path: Path) -> pd.DataFrame:
    """Read a TREC run file in the order in which it is evaluated.

    Parameters
    ----------
    path : path-like
        A file of lines ``query Q0 document rank score tag``. ``.gz`` is read too. The rank column is ignored, as
        trec_eval does.

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
    """
    if is_dd_run(path):
        raise ValueError(f"{os.fspath(path)} is a TREC Dynamic Domain run: read_dd_run reads it.")
    return _read_trec_run(path)


def read_run_or_session(path: Path) -> pd.DataFrame:
    """Read a run file of TREC as `read_run` does, or one of TREC Dynamic Domain as `read_dd_run` does."""
    return read_dd_run(path) if is_dd_run(path) else _read_trec_run(path)


def _read_trec_run(path: Path) -> pd.DataFrame:
    columns: Columns = {"qid": str, "q0": None, "docno": str, "rank": None, "score": float, "tag": None}
    table = read_table(path, columns)
    codes = pd.factorize(table["qid"])[0]
    order = ranking_order(codes, None, table["score"].to_numpy(), table["docno"].to_numpy(dtype=object))
    if order is not None:
        table = table.iloc[order].reset_index(drop=True)
    return table.assign(rank=table.groupby("qid", sort=False).cumcount())
