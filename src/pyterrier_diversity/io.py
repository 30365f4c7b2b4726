"""Read TREC files into PyTerrier's frames, nothing lost."""

from __future__ import annotations

import gzip
import math
import os

import numpy as np
import pandas as pd

from .judged import ranking_order

Path = str | os.PathLike[str]
Columns = dict[str, type | None]


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
    table = _read_table(path, {"qid": str, "iteration": str, "docno": str, "label": float}, {"weight": float})
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
        If a line cannot be read: file, line number, and what is wrong.
    """
    columns: Columns = {"qid": str, "q0": None, "docno": str, "rank": None, "score": float, "tag": None}
    table = _read_table(path, columns)
    codes = pd.factorize(table["qid"])[0]
    order = ranking_order(codes, None, table["score"].to_numpy(), table["docno"].to_numpy(dtype=object))
    if order is not None:
        table = table.iloc[order].reset_index(drop=True)
    return table.assign(rank=table.groupby("qid", sort=False).cumcount())


def _read_table(path: Path, columns: Columns, optional: Columns | None = None) -> pd.DataFrame:
    """Read the columns that have a type from lines of words; all lines have the ``optional`` ones, or none has."""
    name = os.fspath(path)
    table: dict[str, list[str | float]] = {}
    number = 0
    try:
        with gzip.open(name, "rt", encoding="utf-8") if name.endswith(".gz") else open(name, encoding="utf-8") as lines:
            for line in lines:
                number += 1
                fields = line.split()
                if not fields:
                    continue
                if not table:
                    columns = columns | (optional or {}) if len(fields) > len(columns) else columns
                    table = {column: [] for column, kind in columns.items() if kind}
                    kept = [(i, column, kind) for i, (column, kind) in enumerate(columns.items()) if kind]
                if len(fields) != len(columns):
                    raise ValueError(f"expected {len(columns)} columns ({' '.join(columns)}), found {len(fields)}")
                for i, column, kind in kept:
                    table[column].append(fields[i] if kind is str else _finite(fields[i], column))
    except FileNotFoundError:
        raise
    except (ValueError, OSError, EOFError) as error:
        at = number + 1 if isinstance(error, UnicodeDecodeError) else number
        raise ValueError(f"{name}, line {at}: {error}.") from error
    table = table or {column: [] for column, kind in columns.items() if kind}
    return pd.DataFrame(table).astype({column: float for column, kind in columns.items() if kind is float})


def _finite(text: str, column: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{column} must be a finite number, not {text!r}")
    return value
