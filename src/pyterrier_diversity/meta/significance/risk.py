"""Risk against a baseline: losses count more than gains."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...parameters import FROM_0, Parameter
from ..described import described
from ..scores import Measures, outcomes, read_scores
from .tests import studentised

_ALPHA = Parameter(float, interval=FROM_0, desc="additional weight of a loss")

_LEGEND = {
    "system": "the system",
    "baseline": "the baseline",
    "difference": "mean of the system minus mean of the baseline",
    "urisk": "mean difference by query, in which a loss counts 1 + alpha times",
    "trisk": "urisk over its standard error; below -2 a significant risk, above 2 a significant gain",
    "wins": "number of queries on which the system is better",
    "losses": "number of queries on which the baseline is better",
    "largest_loss": "largest loss on a query, 0 without losses",
    "worst_query": "the query with the largest loss, empty without losses",
}


def risk(
    perquery: pd.DataFrame, baseline: str, alpha: float = 1.0, *, measures: Measures | None = None
) -> pd.DataFrame:
    r"""Compute the risk of each system against a baseline, as in the TREC Web tracks of 2013 and 2014.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them.
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
        One row for each measure and system except the baseline: ``measure``, ``system``, ``baseline``, ``difference``
        of the means, ``urisk``, ``trisk``, ``wins``, ``ties``, ``losses`` (numbers of queries), ``largest_loss`` >= 0,
        and ``worst_query``, the query with the largest loss. ``attrs`` describes the columns, and has the parameters.

    Raises
    ------
    ValueError
        If the frame cannot be read, the baseline is not in it or is the only system, there are fewer than two queries,
        or alpha is out of range.

    Warns
    -----
    UserWarning
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
    >>> table[["system", "urisk", "trisk", "wins", "ties", "losses", "largest_loss", "worst_query"]].round(3)
      system  urisk  trisk  wins  ties  losses  largest_loss worst_query
    0      x  0.033  0.229     1     1       1           0.1           1
    """
    alpha = _ALPHA.check("risk", "alpha", alpha)
    scores = read_scores(perquery, measures)
    first, second = scores.pairs("risk", baseline, several=False)
    if not len(first):
        raise ValueError(f"risk: perquery must have a system besides the baseline {baseline!r}.")
    scores.need_two("risk", "queries")
    parts = [_of_measure(v[first] - v[second], alpha, scores.queries) for v in scores.by_measure.values()]
    table = scores.table(parts, first, second).rename(columns={"other": "baseline"})
    return described(table, _LEGEND, {"alpha": alpha, **scores.sizes})


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
