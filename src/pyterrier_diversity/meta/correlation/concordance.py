"""The concordance test of Sakai: which of two measures is more intuitive."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from ...parameters import Parameter
from ..scores import Measures, names_of, read_scores

_METHOD = Parameter(str, "exact", choices=("exact", "normal"), desc="how to compute the p-value of the sign test")

_LEGEND = {
    "measure": "the first measure",
    "other": "the second measure",
    "concordance": "share of the disagreements in which the first measure agrees with all gold standards; NaN if none",
    "other_concordance": "share of the disagreements in which the second measure agrees with all gold standards",
    "disagreements": "number of pairs of systems, over all topics, that the two measures order in opposite ways",
    "p": "two-sided p-value of the sign test that both are right equally often; 1 if neither is ever right alone",
}


def concordance(
    perquery: pd.DataFrame,
    gold: Measures,
    measures: Measures | None = None,
    *,
    method: Literal["exact", "normal"] = "exact",
) -> pd.DataFrame:
    r"""Test which of two measures agrees more often with gold standards, when the two measures disagree.

    A gold standard is a simple measure of one goal, such as ``StRecall@10`` for diversity and ``EfP@10`` for relevance.
    Two measures disagree on a topic if they order two systems in opposite ways. A measure is right if all gold
    standards order the systems as it does. A gold standard on which the systems tie agrees with both measures.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name``, ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)`` returns them.
    gold : Measure or str, or iterable of them
        The gold standards. A measure is right if it agrees with all of them.
    measures : Measure or str, or iterable of them, optional
        Two or more measures to compare; by default, all of the frame except the gold standards.
    method : {"exact", "normal"}
        The sign test: exact (binomial), or the normal approximation without continuity correction, which reproduces
        the marks in the paper.

    Returns
    -------
    DataFrame
        A row for each pair of measures: ``measure``, ``other``, ``concordance`` and ``other_concordance`` in [0, 1],
        NaN if the two never disagree, ``disagreements``, and ``p`` in [0, 1]. ``attrs`` describes the columns, and has
        the parameters.

    Raises
    ------
    ValueError
        If no gold standard is given, the method is unknown, or the frame has fewer than two measures or systems to
        compare. Also if a column, a measure or a value is missing.

    Warns
    -----
    UserWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    The sign test counts disagreements in which exactly one of the two measures is right. Like the paper, it treats them
    as independent, although pairs share systems and topics.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Sec. 4.2, Fig. 6.

    Examples
    --------
    >>> rows = [("a", "P", 1.0), ("b", "P", 0.0), ("a", "RR", 0.2), ("b", "RR", 0.5), ("a", "R", 0.9), ("b", "R", 0.3)]
    >>> frame = pd.DataFrame(rows, columns=["name", "measure", "value"]).assign(qid="1")
    >>> concordance(frame, gold="R")
      measure other  concordance  other_concordance  disagreements    p
    0       P    RR          1.0                0.0              1  1.0
    """
    _METHOD.check("concordance", "method", method)
    golds = names_of(gold)
    if not golds:
        raise ValueError("concordance: gold must have at least one measure.")
    wanted = None if measures is None else names_of(measures)
    scores = read_scores(perquery, None if wanted is None else [*wanted, *golds])
    compared = [measure for measure in scores.measures if measure not in golds] if wanted is None else wanted
    absent = [measure for measure in golds if measure not in scores.measures]
    if absent:
        raise ValueError(f"perquery has no measure {', '.join(absent)}; it has {', '.join(scores.measures)}.")
    if len(compared) < 2:
        raise ValueError(f"concordance: give at least two measures besides gold, not {compared!r}.")
    scores.need_two("concordance", "systems")
    counts = _counts(*(np.stack([scores.by_measure[name] for name in names]) for names in (compared, golds)))
    one, other = np.array(list(combinations(range(len(compared)), 2))).T
    disagreements, correct, both = (count[one, other] for count in counts)
    others_correct = counts[1][other, one]
    names = np.array(compared, dtype=object)
    some = np.where(disagreements > 0, disagreements, np.nan)
    table = pd.DataFrame(
        {
            "measure": names[one],
            "other": names[other],
            "concordance": correct / some,
            "other_concordance": others_correct / some,
            "disagreements": disagreements.astype(np.int64),
            "p": _sign_test(correct - both, others_correct - both, method),
        }
    )
    table.attrs = {"legend": dict(_LEGEND), **scores.sizes, "gold": golds, "method": method}
    return table


def _counts(values: np.ndarray, golds: np.ndarray) -> np.ndarray:
    """Count over all pairs of systems and all topics.

    Parameters
    ----------
    values, golds : ndarray, shape (measures, systems, queries)
        Values of the measures to compare, and of the gold standards.

    Returns
    -------
    ndarray, shape (3, measures, measures)
        How often two measures disagree, how often the one of the row is right then, and how often both are.
    """
    n_measures, n_systems, _ = values.shape
    counts = np.zeros((3, n_measures, n_measures))
    for i in range(n_systems):
        higher, lower = (
            order(values[:, [i]], values).reshape(n_measures, -1).astype(np.float64) for order in (np.greater, np.less)
        )
        right = (golds[:, [i]] >= golds).all(axis=0).ravel()
        tied = (golds[:, [i]] == golds).all(axis=0).ravel()
        # A matrix product counts, for all pairs of measures, how often one says higher and the other lower.
        for count, counted in zip(counts, (higher, higher * right, higher * tied), strict=True):
            count += counted @ lower.T
    return counts


def _sign_test(wins: np.ndarray, losses: np.ndarray, method: str) -> np.ndarray:
    """Return the two-sided p-values of the sign test; 1 without wins and losses."""
    from scipy import stats

    n = wins + losses
    if method == "exact":
        return np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(wins, losses), n, 0.5))
    return 2 * stats.norm.sf(np.abs(wins - losses) / np.sqrt(np.maximum(n, 1)))
