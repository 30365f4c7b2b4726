"""Aggregate per-query values."""

from collections.abc import Iterable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ..frames import warn
from ..io import read_perquery
from ..measures.groups import read_measures
from ..warnings import MissingWarning
from .evaluator import aggregated
from .perquery import refuse_repeated


def aggregates(
    perquery: Any, measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str] | None = None
) -> pd.DataFrame:
    """Aggregate per-query values over the queries of each system.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of the frame.

    Returns
    -------
    DataFrame
        One row for each system: ``name``, and a column for each measure with its aggregate, usually the mean. The
        values are those that `evaluate_runs` returns without ``perquery``.

    Raises
    ------
    ValueError
        If the frame cannot be read, has two values of a system, query and measure, or does not have a measure; or if
        a measure cannot be parsed.

    Warns
    -----
    MissingWarning
        If systems have values on different queries.

    Examples
    --------
    >>> values = {"bm25": [0.25, 0.75], "xquad": [0.5, 0.5]}
    >>> rows = [(name, str(i), "RBU@5", v) for name in values for i, v in enumerate(values[name])]
    >>> aggregates(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
        name  RBU@5
    0   bm25    0.5
    1  xquad    0.5
    """
    frame = read_perquery(perquery)
    refuse_repeated(frame)
    there = list(frame["measure"].unique())
    wanted = read_measures("aggregates", there if measures is None else measures)
    absent = [str(measure) for measure in wanted if str(measure) not in there]
    if absent:
        raise ValueError(f"aggregates: perquery has no measure {', '.join(absent)}; it has {', '.join(there)}.")
    _warn_of_other_queries(frame, list(map(str, wanted)))
    of_both = dict(iter(frame.groupby(["name", "measure"], sort=False)["value"]))
    systems, nothing = list(frame["name"].unique()), pd.Series(dtype=np.float64)
    table = pd.DataFrame({"name": systems})
    for measure in wanted:
        of_systems = [of_both.get((name, str(measure)), nothing).to_numpy()[None] for name in systems]
        table[str(measure)] = [aggregated([measure], values)[0] for values in of_systems]
    return table


def _warn_of_other_queries(frame: pd.DataFrame, measures: list[str]) -> None:
    """Warn if systems have values of a measure on different queries."""
    counts = pd.crosstab(frame["name"], frame["measure"])[measures]
    n_queries = frame.groupby("measure")["qid"].nunique()[measures]
    fewer = np.argwhere(counts.to_numpy() < n_queries.to_numpy())
    if len(fewer):
        system, measure = fewer[0]
        message = (
            f"perquery: the means are over different queries: {counts.index[system]!r} has only "
            f"{counts.iloc[system, measure]} of {n_queries.iloc[measure]} values of {measures[measure]} (systems "
            f"without some values: {len(set(fewer[:, 0]))} of {len(counts)})."
        )
        warn(MissingWarning(message))
