"""Significance: which differences between systems are more than chance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from ..parameters import Rng
from .pairs import (
    LEVEL,
    Draws,
    Groups,
    Test,
    decide,
    design,
    differences,
    draws,
    p_values,
    pairs_of,
    resamples,
    studentised,
)
from .scores import read_scores

# Resamples of the queries for the confidence intervals, and how many pairs' are in memory at a time.
_RESAMPLES = 10_000
_AT_A_TIME = 100

_LEGEND = {
    "measure": "the measure",
    "system": "the first system of the pair",
    "other": "the second system of the pair: the baseline, if there is one",
    "mean": "mean value of the system",
    "other_mean": "mean value of the other system",
    "difference": "mean minus other_mean",
    "p": "probability of such a difference by chance, two-sided",
    "p_corrected": "p, corrected for the number of pairs",
    "significant": "whether p_corrected, or p if there is none, is below alpha",
    "effect_size": "mean of the differences by query over their standard deviation",
    "ci_low": "lower end of the confidence interval of the difference",
    "ci_high": "upper end of the confidence interval of the difference",
}


def compare(
    perquery: pd.DataFrame,
    test: Test = "tukey-randomised",
    measures: Iterable[object] | None = None,
    *,
    baseline: str | Iterable[str] | None = None,
    groups: Groups = "all",
    correction: str | None = None,
    n_trials: int | None = None,
    alpha: float = 0.05,
    ci: float = 0.95,
    rng: Rng = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    r"""Test the differences between systems for significance.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them. Not changed.
    test : {"tukey-randomised", "tukey", "bootstrap", "t", "wilcoxon", "permutation"}
        Tukey's HSD (honestly significant differences) in its randomised or its parametric form, over all systems; or a
        test of each pair by itself: the paired bootstrap, t-test, Wilcoxon's signed-rank test or permutation test. See
        Notes.
    measures : iterable of Measure or str, optional
        Which measures; all of the frame if omitted.
    baseline : str or iterable of str, optional
        Compare all systems with this one, or with each of several; every two systems if omitted. An HSD test remains
        one over all systems of the frame.
    groups : {"all", "pairwise"}
        With "pairwise", an HSD test is made for the two systems of each pair alone: only to reproduce papers that did
        so, since its p-values do not hold for many pairs together. The parametric one is the paired t-test then;
        Türkmen et al. (2023) did not pair the queries, which finds fewer differences. The other tests are pairwise
        always.
    correction : str, optional
        How to correct the p-values for the number of pairs of a measure: a method of
        ``statsmodels.stats.multitest.multipletests``, such as "holm" or "fdr_bh". An HSD test over all systems needs
        none.
    n_trials : int >= 1, optional
        Trials of a test that draws; 5,000 for "tukey-randomised", 1,000 for "bootstrap", 9,999 for "permutation" if
        omitted. The permutation test goes through all permutations if there are no more of them.
    alpha : float in (0, 1)
        A difference is significant if its p-value is below.
    ci : float in (0, 1)
        Confidence of the intervals.
    rng : int, numpy.random.Generator, optional
        Seed of all draws. The measures share them.
    n_jobs : int, optional
        As of ``joblib.Parallel``. Results do not depend on it.

    Returns
    -------
    DataFrame
        A row for each measure and pair:

        - ``measure``, ``system``, ``other`` (the baseline, if there is one);
        - ``mean``, ``other_mean`` over the queries, and ``difference``, the first minus the second;
        - ``p`` in [0, 1], ``p_corrected`` if there is a correction, and ``significant``;
        - ``effect_size``, the mean of the differences by query over their standard deviation (with N - 1), infinite
          where all are equal but not 0;
        - ``ci_low`` and ``ci_high``, the percentile interval of the difference over 10,000 resamples of the queries.

        ``attrs`` says what each column is, how the test was made and of how many systems and queries.

    Raises
    ------
    ValueError
        If the frame cannot be read, there are fewer than two systems or two queries, a baseline is not among the
        systems, or a parameter is out of range.
    TypeError
        If the baseline is neither a name nor several, such as a number.

    Warns
    -----
    UserWarning
        If systems lack queries, which are left out for all of them, with their count.

    Notes
    -----
    Values of two systems within 1e-12 are no difference.

    *Randomised HSD*: in each of B trials, every query's values are given to the systems at random; p is the share of
    trials in which the best mean exceeds the worst by at least the difference of the pair. *Parametric HSD*:
    :math:`q = |\bar x_i - \bar x_j| / \sqrt{MS_{res}/n}` with (n - 1)(m - 1) degrees of freedom, of m systems and n
    queries, in the studentised range distribution; :math:`MS_{res}` is the mean square of what neither the systems nor
    the queries explain. ``tukey_hsd`` of scipy and statsmodels is another test, which ignores that the systems share
    the queries.

    *Bootstrap*: with the differences z, :math:`w = z - \bar z` and :math:`t(v) = \bar v / (s_v/\sqrt N)`, p is the
    share of B resamples :math:`w^*` of w in which :math:`|t(w^*)| \ge |t(z)|`. A sample without variance has a t of 0
    if its mean is 0 too, else an infinite one, in the t-test as well. *Wilcoxon* and *permutation* are ``wilcoxon`` and
    ``permutation_test`` (of the signs of the differences) of scipy, with its defaults; Wilcoxon's p is 1 if there is no
    difference at all.

    All pairs are tested on the same trials, which is fast and fair to each, but makes the p-values of different pairs
    depend on one another: their errors, which more trials lessen, do not average out over pairs.

    Long work goes to a cluster with ``joblib.parallel_config(backend="dask")`` or ``"ray"``, without other results.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Sec. 4.1.

    Carterette (2012). Multiple testing in statistical analysis of systems-based information retrieval experiments. ACM
    Transactions on Information Systems 30(1).

    Examples
    --------
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> result = compare(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "t")
    >>> result[["measure", "system", "other", "difference", "p", "significant"]].round(3)
      measure system other  difference      p  significant
    0     RBU      x     y         0.4  0.002         True
    """
    scores = read_scores(perquery, measures)
    how = design(
        "compare",
        scores,
        test,
        groups=groups,
        n_trials=n_trials,
        alpha=alpha,
        correction=correction,
        rng=rng,
        n_jobs=n_jobs,
    )
    ci = LEVEL.check("compare", "ci", ci)
    first, second = pairs_of("compare", scores.systems, baseline)
    names = np.array(scores.systems, dtype=object)
    trials = draws(how.interval_rng, _RESAMPLES, len(scores.systems) * len(scores.queries))
    tables = []
    for measure, values in scores.by_measure.items():
        p = p_values(values, first, second, how)
        p_corrected, significant = decide(p, how)
        columns = {
            "measure": measure,
            "system": names[first],
            "other": names[second],
            **_sizes(values, first, second),
            "p": p,
            "p_corrected": p_corrected,
            "significant": significant,
            **_interval(values, first, second, ci, trials),
        }
        tables.append(pd.DataFrame(columns))
    legend = {column: what for column, what in _LEGEND.items() if column != "p_corrected" or correction is not None}
    result = pd.concat(tables, ignore_index=True)[list(legend)]
    result.attrs = {"legend": legend, **how.described(scores), "ci": ci}
    if baseline is not None:
        result.attrs["baseline"] = list(dict.fromkeys(names[second]))
    return result


def _sizes(values: np.ndarray, first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    means = values.mean(axis=1)
    z = differences(values[first], values[second])
    return {
        "mean": means[first],
        "other_mean": means[second],
        "difference": differences(means[first], means[second]),
        "effect_size": studentised(z) / np.sqrt(z.shape[1]),
    }


def _interval(values: np.ndarray, first: np.ndarray, second: np.ndarray, ci: float, trials: Draws) -> dict[str, Any]:
    means = np.concatenate([values[:, queries].mean(axis=-1) for queries in resamples(trials, values.shape[1])], axis=1)
    ends = [(1 - ci) / 2, (1 + ci) / 2]
    chunks = [slice(start, start + _AT_A_TIME) for start in range(0, len(first), _AT_A_TIME)]
    low, high = np.concatenate(
        [np.quantile(means[first[chunk]] - means[second[chunk]], ends, axis=1) for chunk in chunks], axis=1
    )
    return {"ci_low": low, "ci_high": high}
