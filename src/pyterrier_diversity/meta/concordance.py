"""Which of two measures is the more intuitive: the concordance test of Sakai."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Literal, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from ..parameters import Parameter
from .scores import read_scores, signs

_METHOD = Parameter(str, "exact", choices=("exact", "normal"), desc="how the p-value of the sign test is computed")

_LEGEND = {
    "measure": "the one measure",
    "other": "the other measure",
    "concordance": "share of the disagreements where the one measure agrees with every gold standard; NaN without any",
    "other_concordance": "share of the disagreements where the other measure does",
    "disagreements": "pairs of systems on a topic that the two measures order in opposite ways",
    "p": "two-sided p-value of the sign test that both agree equally often; 1 if no disagreement tells them apart",
}


class _Counts(NamedTuple):
    """Counts over the disagreements of two measures, each of shape (measures, measures).

    ``correct`` is how often the measure of the row agrees with all gold standards, ``both`` how often the two do.
    """

    disagreements: np.ndarray
    correct: np.ndarray
    both: np.ndarray


def concordance(
    perquery: pd.DataFrame,
    gold: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
    measures: Iterable[ir_measures.Measure | str] | None = None,
    method: Literal["exact", "normal"] = "exact",
) -> pd.DataFrame:
    r"""Test which of two measures agrees more often with gold standards, where the two disagree with each other.

    A gold standard is a simple measure of what is wanted, such as ``StRecall@10`` for diversity and ``EfP@10`` for
    relevance. For two measures, every pair of systems on every topic that they order in opposite ways is looked at; a
    measure is right there if it orders the pair as each gold standard does. A gold standard that ties the pair agrees
    with both.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name``, ``qid``, ``measure``, ``value``, as of ``pt.Experiment(..., perquery=True)``. Not changed.
    gold : Measure or str, or iterable of them
        The gold standards, which a measure has to agree with all at once.
    measures : iterable of Measure or str, optional
        The measures to compare, two at least; all of the frame but the gold standards if omitted.
    method : {"exact", "normal"}
        Whether the sign test is the exact binomial one, or its normal approximation, without correction for continuity,
        which is what the marks of the paper agree with.

    Returns
    -------
    DataFrame
        A row for each pair of measures: ``measure``, ``other``, ``concordance`` and ``other_concordance`` in [0, 1],
        NaN if the two never disagree, ``disagreements``, and ``p`` in [0, 1]. ``.attrs`` has a ``legend``, and what was
        asked for.

    Raises
    ------
    ValueError
        If there is no gold standard, or there are fewer than two measures to compare or two systems, the method is
        unknown, or `perquery` lacks a column, a measure or a value.

    Warns
    -----
    UserWarning
        If systems lack queries, which are left out for all of them.

    Notes
    -----
    Only disagreements where exactly one of the two measures is right enter the sign test. Like the paper, it takes them
    for independent, although pairs share systems and topics.

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
    golds = _names([gold] if isinstance(gold, (str, ir_measures.Measure)) else gold)
    if not golds:
        raise ValueError("concordance: gold must name a measure at least, to tell which measure is right.")
    wanted = None if measures is None else _names(measures)
    scores = read_scores(perquery, None if wanted is None else [*wanted, *golds])
    compared = [measure for measure in scores.measures if measure not in golds] if wanted is None else wanted
    absent = [measure for measure in golds if measure not in scores.measures]
    if absent:
        raise ValueError(f"perquery has no measure {', '.join(absent)}; it has {', '.join(scores.measures)}.")
    if len(compared) < 2:
        raise ValueError(f"concordance: measures must be two at least, besides gold, not {compared!r}.")
    if len(scores.systems) < 2:
        raise ValueError(f"concordance: perquery must hold two systems at least, not {scores.systems!r}.")
    counts = _count(*(np.stack([scores.by_measure[name] for name in names]) for names in (compared, golds)))
    table = _table(compared, counts, method)
    table.attrs = {
        "legend": dict(_LEGEND),
        "n_systems": len(scores.systems),
        "n_queries": len(scores.queries),
        "gold": golds,
        "method": method,
    }
    return table


def _names(measures: Iterable[ir_measures.Measure | str]) -> list[str]:
    return list(dict.fromkeys(map(str, measures)))


def _count(values: np.ndarray, golds: np.ndarray) -> _Counts:
    """Count over all pairs of systems and all topics.

    Parameters
    ----------
    values, golds : ndarray, shape (measures, systems, queries)
        Values of the measures to compare, and of the gold standards.
    """
    n_measures, n_systems, _ = values.shape
    counts = _Counts(*np.zeros((3, n_measures, n_measures)))
    for i in range(n_systems - 1):
        order = signs(values[:, [i]], values[:, i + 1 :]).reshape(n_measures, -1)
        right = np.ones(order.shape, dtype=bool)
        for gold in golds:
            right &= order * signs(gold[[i]], gold[i + 1 :]).ravel() >= 0
        higher, lower = (order > 0).astype(np.float64), (order < 0).astype(np.float64)
        # A product of matrices counts, for all pairs of measures at once, where one says higher and the other lower.
        for ours, theirs in ((higher, lower), (lower, higher)):
            counts.disagreements[:] += ours @ theirs.T
            counts.correct[:] += (ours * right) @ theirs.T
            counts.both[:] += (ours * right) @ (theirs * right).T
    return counts


def _sign_test(wins: np.ndarray, losses: np.ndarray, method: str) -> np.ndarray:
    """Return the two-sided p-values of the sign test; 1 where there is neither a win nor a loss."""
    from scipy import stats

    n = wins + losses
    if method == "exact":
        return np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(wins, losses), n, 0.5))
    return 2 * stats.norm.sf(np.abs(wins - losses) / np.sqrt(np.maximum(n, 1)))


def _table(measures: list[str], counts: _Counts, method: str) -> pd.DataFrame:
    one, other = np.array(list(combinations(range(len(measures)), 2))).T
    disagreements, both = counts.disagreements[one, other], counts.both[one, other]
    correct, others_correct = counts.correct[one, other], counts.correct[other, one]
    names = np.array(measures, dtype=object)
    some = np.where(disagreements > 0, disagreements, np.nan)
    return pd.DataFrame(
        {
            "measure": names[one],
            "other": names[other],
            "concordance": correct / some,
            "other_concordance": others_correct / some,
            "disagreements": disagreements.astype(np.int64),
            "p": _sign_test(correct - both, others_correct - both, method),
        }
    )
