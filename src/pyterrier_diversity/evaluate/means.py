"""Aggregate per-query values."""

from __future__ import annotations

from collections.abc import Iterable

import ir_measures
import numpy as np
import pandas as pd

from ..measures.groups import read_measures
from ..measures.parse import read_measure
from .evaluator import aggregated


def aggregates(perquery: pd.DataFrame, measures: Iterable[ir_measures.Measure | str] | None = None) -> pd.DataFrame:
    """Aggregate per-query values over the queries of each system.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as from `evaluate_runs` or ``pt.Experiment``
        with ``perquery=True``.
    measures : iterable of Measure or str, optional
        By default, all measures of the frame.

    Returns
    -------
    DataFrame
        One row for each system: ``name``, and a column for each measure with its aggregate, usually the mean. The
        values are those that `evaluate_runs` returns without ``perquery``.

    Raises
    ------
    ValueError
        If a measure is not in the frame or cannot be parsed.

    Examples
    --------
    >>> rows = [("bm25", "1", "RBU@5", 0.25), ("bm25", "2", "RBU@5", 0.75), ("xquad", "1", "RBU@5", 0.5)]
    >>> aggregates(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
        name  RBU@5
    0   bm25    0.5
    1  xquad    0.5
    """
    there = list(dict.fromkeys(perquery["measure"].astype(str)))
    if measures is None:
        wanted = [read_measure("aggregates", name) for name in there]
    else:
        wanted = read_measures("aggregates", measures)
    absent = [str(measure) for measure in wanted if str(measure) not in there]
    if absent:
        raise ValueError(f"aggregates: perquery has no measure {', '.join(absent)}; it has {', '.join(there)}.")
    table = {"name": list(dict.fromkeys(perquery["name"]))}
    of_measure = dict(iter(perquery.groupby(perquery["measure"].astype(str), sort=False)))
    for measure in wanted:
        values = dict(iter(of_measure[str(measure)].groupby("name", sort=False)["value"]))
        nothing = np.array([])
        table[str(measure)] = [
            aggregated(measure, values[name].to_numpy() if name in values else nothing) for name in table["name"]
        ]
    return pd.DataFrame(table)
