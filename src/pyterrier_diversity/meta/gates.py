"""Gates for automated checks: systems below a minimum, or worse than a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..evaluate import aggregates
from ..parameters import Parameter
from .compare import compare
from .scores import Measures, signs
from .significance_tests import Test
from .tables import with_bounds

_MINIMUM = Parameter(float, desc="the lowest value that is enough")

# How many queries a message names.
_MOST = 3


def below_minimum(perquery: pd.DataFrame, minimum: Mapping[Any, float]) -> pd.DataFrame:
    """Return the systems whose value of a measure is below a minimum.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as from `evaluate_runs` or ``pt.Experiment``
        with ``perquery=True``.
    minimum : mapping of Measure or str to float
        The minimum of each measure. A value equal to it passes.

    Returns
    -------
    DataFrame
        One row for each measure and system below the minimum: ``measure``, ``system``, ``value``, ``minimum``,
        ``short_by``, ``queries`` (a dict of the three queries with the lowest values), and ``message``, which says all
        of this in a sentence. NaN is below every minimum.

    Raises
    ------
    ValueError
        If no minimum is given, a measure is not in the frame, or a minimum is not a finite number.

    Examples
    --------
    >>> rows = [("bm25", "1", "RBU@5", 0.25), ("bm25", "2", "RBU@5", 0.5), ("xquad", "1", "RBU@5", 0.75)]
    >>> perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(*below_minimum(perquery, {"RBU@5": 0.5})["message"])
    RBU@5 of bm25 is 0.375, below 0.5 by 0.125; lowest on queries 1 (0.25), 2 (0.5).
    """
    if not minimum:
        raise ValueError("below_minimum: minimum must have at least one measure, as in {'RBU@20': 0.5}.")
    leasts = [_MINIMUM.check("below_minimum", f"the minimum of {name}", least) for name, least in minimum.items()]
    values = aggregates(perquery, minimum).set_index("name")
    rows = []
    for name, least in zip(values, leasts, strict=True):
        for system, value in values[name].items():
            if signs(np.array(value), np.array(least)) >= 0:
                continue
            chosen = perquery[(perquery["name"] == system) & (perquery["measure"].astype(str) == name)]
            lowest = _first(chosen.set_index("qid")["value"])
            message = (
                f"{name} of {system} is {value:.4g}, below {least:g} by {least - value:.4g}; lowest on "
                f"{_listed(lowest)}."
            )
            rows.append((name, system, value, least, least - value, lowest, message))
    columns = ["measure", "system", "value", "minimum", "short_by", "queries", "message"]
    return pd.DataFrame(rows, columns=columns)


def worse_than(
    perquery: pd.DataFrame,
    baseline: str | Iterable[str],
    measures: Measures | None = None,
    *,
    test: Test = "tukey-randomised",
    tolerance: float | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Return the systems that are worse than a baseline: significantly, or by more than a tolerance.

    Parameters
    ----------
    perquery : DataFrame
        A per-query frame, as for `compare`. Not changed.
    baseline : str or iterable of str
        The system or systems that the others should not be worse than.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of the frame.
    test : str
        The significance test, as in `compare`.
    tolerance : float >= 0, optional
        A system is also worse if its mean is lower by more than this, significant or not. If omitted, only the test
        decides.
    **options
        Further parameters of `compare`, such as ``correction``, ``alpha`` and ``rng``.

    Returns
    -------
    DataFrame
        The rows of `compare` for the systems that are worse, with two more columns: ``queries``, a dict of the three
        queries with the largest losses, and ``message``, a sentence that says by how much the system is worse.

    Raises
    ------
    ValueError
        As in `compare`. Also if the alternative is "greater", or the tolerance is negative or not a finite number.

    Examples
    --------
    >>> values = {"new": [0.5, 0.25, 0.5, 0.25], "old": [0.75, 0.5, 0.5, 0.75]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(*worse_than(perquery, "old", test="t", tolerance=0.1)["message"])
    RBU of new is lower than of old by 0.25 (0.375, 0.625; p = 0.09172); most on queries 3 (-0.5), 0 (-0.25), 1 (-0.25).
    """
    if options.get("alternative", "two-sided") != "two-sided":
        raise ValueError("worse_than: alternative must be 'two-sided', because 'greater' never finds a system worse.")
    if tolerance is not None and not 0 <= tolerance < math.inf:
        raise ValueError(f"worse_than: tolerance must be a number in [0, inf), not {tolerance!r}.")
    compared = compare(perquery, test, measures, baseline=baseline, **options)
    lower = compared["difference"] < 0
    worse = compared["significant"] & lower
    if tolerance is not None:
        worse |= signs(compared["difference"].to_numpy(), np.full(len(compared), -tolerance)) < 0
    failed, told = (table[worse].reset_index(drop=True) for table in (compared, with_bounds(compared, 4)))
    decisive = "p_corrected" if "p_corrected" in told else "p"
    chances = [f"= {p:.4g}" if isinstance(p, float) else p for p in told[decisive]]
    keys = list(zip(*(failed[column].tolist() for column in ("measure", "system", "other")), strict=True))
    lost = [_losses(perquery, *key) for key in keys]
    means = zip(*(failed[column].tolist() for column in ("difference", "mean", "other_mean")), strict=True)
    messages = [
        f"{measure} of {system} is lower than of {other} by {-difference:.4g} ({mean:.4g}, {other_mean:.4g}; "
        f"{decisive.replace('_', ' ')} {chance}); most on {_listed(queries)}."
        for (measure, system, other), (difference, mean, other_mean), chance, queries in zip(
            keys, means, chances, lost, strict=True
        )
    ]
    result = failed.assign(queries=pd.Series(lost, dtype=object), message=pd.Series(messages, dtype=object))
    result.attrs = compared.attrs
    return result


def _losses(perquery: pd.DataFrame, measure: Any, system: Any, other: Any) -> dict[str, float]:
    """Return the queries on which a system loses most against another, and the differences."""
    chosen = perquery[perquery["measure"].astype(str) == measure]
    values = [chosen[chosen["name"].astype(str) == name].set_index("qid")["value"] for name in (system, other)]
    return _first((values[0] - values[1]).dropna())


def _first(values: pd.Series) -> dict[str, float]:
    """Return the lowest values by query."""
    return {str(qid): float(value) for qid, value in values.sort_values(kind="stable").head(_MOST).items()}


def _listed(queries: Mapping[str, float]) -> str:
    named = ", ".join(f"{qid} ({value:.4g})" for qid, value in queries.items())
    return f"{'query' if len(queries) == 1 else 'queries'} {named}"
