"""Losses against a baseline: risk, and gates for automated checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...evaluate import aggregates
from ...frames import collected, give
from ...io import read_perquery
from ...measures.parse import read_measure
from ...parameters import FROM_0, Parameter
from ..scores import Measures, outcomes, range_of, read_scores, rounded, with_legend
from .compare import compare, why_none_is_significant
from .marks import with_bounds
from .tests import Test, studentised


class GateError(ValueError):
    """A gate that no run could fail."""


# How many queries a message names.
_NAMED_QUERIES = 3


def below_minimum(perquery: Any, minimum: Mapping[Any, float]) -> pd.DataFrame:
    """Return the systems whose value of a measure is below a minimum.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    minimum : mapping of Measure or str to float
        The minimum of each measure. A value equal to it passes.

    Returns
    -------
    DataFrame
        One row for each measure and system below the minimum. NaN is below every minimum.

        - ``measure``: the measure
        - ``name``: the system
        - ``value``: its value of the measure
        - ``minimum``: the minimum of the measure
        - ``short_by``: ``minimum`` minus ``value``
        - ``queries``: a dict of the three queries with the lowest values
        - ``message``: all of this in a sentence

    Raises
    ------
    ValueError
        If no minimum is given, a measure is not in the frame or has two minima, or a minimum is not a finite number.

    Warns
    -----
    MissingWarning
        If systems have values on different queries.

    Examples
    --------
    >>> values = {"bm25": [0.25, 0.5], "xquad": [0.75, 0.5]}
    >>> rows = [(name, str(i + 1), "RBU@5", v) for name in values for i, v in enumerate(values[name])]
    >>> perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(*below_minimum(perquery, {"RBU@5": 0.5})["message"])
    RBU@5 of bm25 is 0.375, below 0.5 by 0.125; lowest on queries 1 (0.25), 2 (0.5).
    """
    if not minimum:
        raise ValueError("below_minimum: minimum must have at least one measure, as in {'RBU@20': 0.5}.")
    leasts = [
        Parameter(float).check("below_minimum", f"the minimum of {name}", least) for name, least in minimum.items()
    ]
    perquery = read_perquery(perquery)
    values = aggregates(perquery, [read_measure("below_minimum", name) for name in minimum]).set_index("name")
    if len(values.columns) < len(leasts):
        named = ", ".join(map(str, minimum))
        raise ValueError(f"below_minimum: minimum must have each measure once, not as {named}.")
    rows = []
    for name, least in zip(values, leasts, strict=True):
        for system, value in values[name].items():
            if rounded(value) >= rounded(least):
                continue
            lowest, short_by = _first(_by_query(perquery, name, system)), least - value
            message = (
                f"{name} of {system} is {value:.4g}, below {least:g} by {short_by:.4g}; lowest on {_in_words(lowest)}."
            )
            rows.append((name, system, value, least, short_by, lowest, message))
    columns = ["measure", "name", "value", "minimum", "short_by", "queries", "message"]
    return pd.DataFrame(rows, columns=columns)


def worse_than(
    perquery: Any,
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
    perquery : frame, path-like, or several of them
        Results by query, as for `compare`. Not changed.
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
        The rows of `compare` for the systems that are worse, with two more columns.

        - ``queries``: a dict of the three queries with the largest losses
        - ``message``: by how much the system is worse, in a sentence

    Raises
    ------
    ValueError
        As in `compare`. Also if the alternative is "greater", or the tolerance is negative or not a finite number.
    GateError
        If the gate can never fail: a baseline answers no query of the qrels, has no judged document, or has the lowest
        value of a measure on every query; or no difference could be significant, and there is no tolerance or a measure
        cannot fall by more than it. (A ``ValueError``, too.)

    Examples
    --------
    >>> values = {"new": [0.5, 0.25, 0.5, 0.25], "old": [0.75, 0.5, 0.5, 0.75]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> worse_than(perquery, "old", test="t", tolerance=0.1)["message"].item().split("; most on queries ")
    ['RBU of new is lower than that of old by 0.25 (0.375, 0.625; p = 0.0917)', '3 (-0.5), 0 (-0.25), 1 (-0.25).']
    """
    if options.get("alternative", "two-sided") != "two-sided":
        raise ValueError("worse_than: alternative must be 'two-sided', because 'greater' never finds a system worse.")
    if tolerance is not None:
        tolerance = Parameter(float, interval="[0, inf)").check("worse_than", "tolerance", tolerance)
    perquery = read_perquery(perquery)
    with collected() as warned:
        compared = compare(perquery, test, measures, baseline=baseline, **options)
    _check_gate(perquery, compared, tolerance)
    give(warned)
    worse = compared["significant"] & (compared["difference"] < 0)
    if tolerance is not None:
        worse |= rounded(compared["difference"]) < -rounded(tolerance)
    failed, told = (table[worse].reset_index(drop=True) for table in (compared, with_bounds(compared, 4)))
    decisive = "p_corrected" if "p_corrected" in told else "p"
    lost, texts = [], []
    for row, p in zip(failed.to_dict("records"), told[decisive], strict=True):
        mine, others = (_by_query(perquery, row["measure"], row[name]) for name in ("name", "other"))
        lost.append(_first((mine - others).dropna()))
        texts.append(
            f"{row['measure']} of {row['name']} is lower than that of {row['other']} by {-row['difference']:.4g} "
            f"({row['mean']:.4g}, {row['other_mean']:.4g}; {decisive.replace('_', ' ')} "
            f"{p if p.startswith('<') else f'= {p}'}); most on {_in_words(lost[-1])}."
        )
    result = failed.assign(queries=pd.Series(lost, dtype=object), message=pd.Series(texts, dtype=object))
    result.attrs = compared.attrs
    return result


def _check_gate(perquery: pd.DataFrame, compared: pd.DataFrame, tolerance: float | None) -> None:
    """Raise a `GateError` if no system could be worse than the baselines."""
    answered, unmatched = perquery.attrs.get("answered", {}), perquery.attrs.get("unmatched", ())
    hopeless = why_none_is_significant(compared)
    for measure, name, mean in compared[["measure", "other", "other_mean"]].to_numpy():
        least, why = range_of(measure)[0], ""
        if answered.get(name) == 0:
            why = "which answers no query of the qrels."
        elif name in unmatched:
            why = "of which no document is judged. Do its document ids match those of the qrels?"
        elif rounded(mean) <= least:
            why = (
                f"whose {measure} is {least:g} on every query. Look for mistakes with check_files (the command check)."
            )
        elif hopeless and tolerance is not None and rounded(mean - least) <= rounded(tolerance):
            why = f"whose {measure} cannot fall by more than the tolerance, {tolerance:g}, from {mean:.4g}; {hopeless}"
        if why:
            raise GateError(f"worse_than: nothing can be worse than the baseline {name}, {why}")
    if hopeless and tolerance is None:
        raise GateError(f"worse_than: {hopeless} Give a tolerance, or more queries.")


def _by_query(perquery: pd.DataFrame, measure: Any, system: Any) -> pd.Series:
    """Return the values of a system by query."""
    chosen = (perquery["measure"] == measure) & (perquery["name"] == system)
    return perquery[chosen].set_index("qid")["value"]


def _first(values: pd.Series) -> dict[str, float]:
    """Return the lowest values by query."""
    return {str(qid): float(value) for qid, value in values.sort_values(kind="stable").head(_NAMED_QUERIES).items()}


def _in_words(queries: Mapping[str, float]) -> str:
    named = ", ".join(f"{qid} ({value:.4g})" for qid, value in queries.items())
    return f"{'query' if len(queries) == 1 else 'queries'} {named}"


def risk(perquery: Any, baseline: str, alpha: float = 1.0, *, measures: Measures | None = None) -> pd.DataFrame:
    r"""Compute the risk of each system against a baseline, as in the TREC Web tracks of 2013 and 2014.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    baseline : str
        The system to compare the others with.
    alpha : float >= 0
        Additional weight of losses: a loss counts 1 + alpha times, a gain once. The tracks used 0, 1, 5 and 10. With 0,
        ``urisk`` is the difference of means.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of the frame.

    Returns
    -------
    DataFrame
        One row for each measure and system except the baseline.

        - ``measure``: the measure
        - ``name``: the system
        - ``baseline``: the baseline
        - ``difference``: mean of the system minus mean of the baseline
        - ``urisk``: mean difference by query, in which a loss counts 1 + ``alpha`` times
        - ``trisk``: ``urisk`` over its standard error; below -2 a significant risk, above 2 a significant gain
        - ``wins``: number of queries on which the system is better
        - ``ties``: number of queries on which both are equal
        - ``losses``: number of queries on which the baseline is better
        - ``largest_loss``: largest loss on a query, 0 without losses
        - ``worst_query``: the query with the largest loss, empty without losses

        ``attrs`` describes the columns, and has the parameters.

    Raises
    ------
    ValueError
        If the frame cannot be read, the baseline is not in it, there are fewer than two systems or queries, or alpha is
        out of range.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    With the differences :math:`\Delta_q` of the N queries, and :math:`\delta_q = \Delta_q` if it is positive, otherwise
    :math:`(1 + \alpha) \Delta_q`,

    .. math::
        U_{risk} = \frac1N \sum_q \delta_q, \qquad T_{risk} = \frac{U_{risk}}{s_\delta / \sqrt N}

    where :math:`s_\delta` is the standard deviation with N - 1. ``urisk`` is the mean
    that ``ndeval -c -baseline RUN -riskAlpha ALPHA`` prints. ``trisk`` is infinite if all :math:`\delta_q` are equal
    and not 0, and 0 if all are 0.

    References
    ----------
    Collins-Thompson, Bennett, Diaz, Clarke, Voorhees (2014). TREC 2013 Web Track overview. TREC.

    Dinçer, Macdonald, Ounis (2014). Hypothesis testing for the risk-sensitive evaluation of retrieval systems. SIGIR,
    23-32. https://doi.org/10.1145/2600428.2609625

    Examples
    --------
    A gain of 0.3, a loss of 0.1 that counts twice, and a tie: (0.3 - 0.2 + 0) / 3.

    >>> values = {"base": [0.2, 0.5, 0.4], "x": [0.5, 0.4, 0.4]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> table = risk(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "base")
    >>> table[["name", "urisk", "trisk", "wins", "ties", "losses", "largest_loss", "worst_query"]].round(3)
      name  urisk  trisk  wins  ties  losses  largest_loss worst_query
    0    x  0.033  0.229     1     1       1           0.1           1
    """
    alpha = Parameter(float, interval=FROM_0).check("risk", "alpha", alpha)
    scores = read_scores(perquery, measures, two=["systems", "queries"], who="risk")
    first, second = scores.pairs("risk", baseline)
    parts = [_of_measure(v[first] - v[second], alpha, scores.queries) for v in scores.by_measure.values()]
    table = scores.table(parts, first, second).rename(columns={"other": "baseline"})
    return with_legend(table, risk, {"alpha": alpha, **scores.sizes})


def _of_measure(delta: np.ndarray, alpha: float, queries: list[str]) -> dict[str, np.ndarray]:
    """Return a measure's columns, from differences of shape (systems, queries)."""
    weighted = np.where(delta < 0, (1 + alpha) * delta, delta)
    worst = delta.argmin(axis=1)
    lost = -delta[np.arange(len(delta)), worst]
    return {
        "difference": delta.mean(axis=1),
        "urisk": weighted.mean(axis=1),
        "trisk": studentised(weighted),
        **outcomes(delta),
        "largest_loss": np.maximum(lost, 0.0),
        "worst_query": np.where(lost > 0, np.array(queries, dtype=object)[worst], ""),
    }
