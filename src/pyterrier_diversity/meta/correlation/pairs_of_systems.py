"""Which measures order two systems as other measures do, query by query: concordance and unanimity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd

from ...parameters import Parameter
from ..described import described
from ..scores import Group, Measures, families, names_of, read_scores

_METHOD = Parameter(str, "exact", choices=("exact", "normal"), desc="how to compute the p-value of the sign test")

_CONCORDANCE = {
    "measure": "the first measure",
    "other": "the second measure",
    "concordance": "share of the disagreements in which the first measure agrees with all gold standards; NaN if none",
    "other_concordance": "share of the disagreements in which the second measure agrees with all gold standards",
    "disagreements": "number of pairs of systems, over all topics, that the two measures order in opposite ways",
    "p": "two-sided p-value of the sign test that both are right equally often; 1 if neither is ever right alone",
}
_UNANIMITY = {
    "measure": "the measure; with families, the family's first measure with the highest unanimity",
    "unanimity": "log2 of how much more often than by chance the measure finds an improvement on which all others "
    "agree; at most 1, 0 by chance, NaN if there is no such improvement",
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
        Two or more measures to compare; by default, all in the frame except the gold standards.
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
    one, other = np.triu_indices(len(compared), 1)
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
    return described(table, _CONCORDANCE, {**scores.sizes, "gold": golds, "method": method})


def unanimity(perquery: pd.DataFrame, measures: Measures | None = None, *, group: Group | None = None) -> pd.DataFrame:
    r"""Compute metric unanimity (MU): how well each measure finds the improvements on which all others agree.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them. Not changed.
    measures : Measure or str, or iterable of them, optional
        The measures to compare with each other; by default, all in the frame. Unanimity depends on the whole set.
    group : mapping of str to str, or callable, optional
        The family of each measure, by the measure's name. All measures are compared, but only the best of each family
        is returned.

    Returns
    -------
    DataFrame
        A row for each measure, or for each family: ``measure``, ``family`` (with ``group``) and ``unanimity``, highest
        first. It is at most 1, and 0 for a measure that decides by chance or ties all systems. It is ``-inf`` if the
        measure sees every unanimous improvement as a loss, and NaN if no improvement is unanimous. ``attrs``
        describes the columns, and has the numbers of systems, queries and different measures.

    Raises
    ------
    ValueError
        If the frame cannot be read, or has fewer than two systems or two different measures. Also if ``group`` has no
        family for a measure.

    Warns
    -----
    UserWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    Over all ordered pairs of two systems, on each query,

    .. math::
        MU(m) = \log_2 \frac{P(\Delta m, \Delta \mathcal{M})}{\frac{1}{2} P(\Delta \mathcal{M})}

    Here, :math:`\Delta m` is the event that m gives the first system the higher value (one half if the values are
    equal). :math:`\Delta \mathcal{M}` is the event that no other measure gives it the lower value. Values count as
    equal if they agree to ten decimals.

    Measures with the same values for every system and query count once, so that copies change nothing. In the paper's
    formula, a copy of m counts as one of the other measures. Measures that rank alike with different values, such as
    DCG and nDCG, count twice: give only one of them, as the paper does.

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics: introducing the
    rank-biased utility metric. SIGIR, 625-634, Sec. 6.1. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    The paper's example.

    >>> values = {"m1": [1, 0.5, 0.2], "m2": [0.8, 0.3, 0.4], "m3": [1, 0.2, 0.5]}
    >>> rows = [(f"S{i + 1}", "q", m, v) for m in values for i, v in enumerate(values[m])]
    >>> unanimity(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])).round(3)
      measure  unanimity
    0      m2      1.000
    1      m3      1.000
    2      m1      0.415
    """
    scores = read_scores(perquery, measures)
    scores.need_two("unanimity", "systems")
    values = np.stack(list(scores.by_measure.values()))
    # Adding 0 makes zeros of both signs equal.
    copy_of, _ = pd.factorize(np.array([(own + 0.0).tobytes() for own in values], dtype=object))
    _, originals = np.unique(copy_of, return_index=True)
    if len(originals) < 2:
        raise ValueError(
            "unanimity: perquery must have at least two measures with different values, not only "
            f"{', '.join(scores.measures)}."
        )
    frame = pd.DataFrame({"measure": scores.measures, "unanimity": _mutual_information(values[originals])[copy_of]})
    frame = frame.sort_values("unanimity", ascending=False, kind="stable", ignore_index=True)
    family_of = families("unanimity", scores.measures, group)
    frame = described(frame, _UNANIMITY, {**scores.sizes, "n_measures": len(originals)}, family_of)
    return frame if family_of is None else frame.drop_duplicates("family", ignore_index=True)


def _compared(values: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Tell where each system is above each other one, and where below, shape (measures, systems * queries)."""
    for i in range(values.shape[1]):
        own = values[:, [i]]
        yield (own > values).reshape(len(values), -1), (own < values).reshape(len(values), -1)


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
    counts = np.zeros((3, len(values), len(values)))
    for (higher, lower), (gold_higher, gold_lower) in zip(_compared(values), _compared(golds), strict=True):
        right = ~gold_lower.any(axis=0)
        tied = right & ~gold_higher.any(axis=0)
        # A matrix product counts, for all pairs of measures, how often one says higher and the other lower.
        others = lower.T.astype(np.float64)
        for count, counted in zip(counts, (higher, higher & right, higher & tied), strict=True):
            count += counted.astype(np.float64) @ others
    return counts


def _sign_test(wins: np.ndarray, losses: np.ndarray, method: str) -> np.ndarray:
    """Return the two-sided p-values of the sign test; 1 without wins and losses."""
    from scipy import stats

    n = wins + losses
    if method == "exact":
        return np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(wins, losses), n, 0.5))
    return 2 * stats.norm.sf(np.abs(wins - losses) / np.sqrt(np.maximum(n, 1)))


def _mutual_information(values: np.ndarray) -> np.ndarray:
    """Return the unanimity of each measure, from values of shape (measures, systems, queries)."""
    unanimous, agreeing = np.zeros((2, len(values)))
    for i, (higher, lower) in enumerate(_compared(values)):
        # An improvement on which all measures but this one agree; one half of a tie agrees.
        seen = np.count_nonzero(lower, axis=0) - lower == 0
        seen.reshape(values.shape)[:, i] = False  # the system itself
        unanimous += np.count_nonzero(seen, axis=1)
        agreeing += (np.count_nonzero(seen & higher, axis=1) + np.count_nonzero(seen & ~lower, axis=1)) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log2(2 * agreeing / unanimous))
