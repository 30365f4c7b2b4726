"""Compare systems: which of their differences are more than chance."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from ..parameters import Parameter, Rng
from .scores import Scores, differences, read_scores, signs
from .significance_tests import (
    LEVEL,
    TESTS,
    Alternative,
    Design,
    Family,
    Groups,
    Test,
    borderlines,
    corrected,
    design,
    interval,
    mean_interval,
    studentised,
    tested,
)

P = ParamSpec("P")
T = TypeVar("T")

_LEGEND = {
    "measure": "the measure",
    "system": "the first system of the pair",
    "other": "the second system of the pair: the baseline, if there is one",
    "mean": "mean value of the system",
    "mean_low": "lower end of the confidence interval of mean",
    "mean_high": "upper end of the confidence interval of mean",
    "other_mean": "mean value of the other system",
    "other_mean_low": "lower end of the confidence interval of other_mean",
    "other_mean_high": "upper end of the confidence interval of other_mean",
    "difference": "mean minus other_mean",
    "wins": "number of queries on which the system is better",
    "ties": "number of queries on which both are equal",
    "losses": "number of queries on which the other system is better",
    "p": "probability of such a difference by chance, two-sided",
    "p_corrected": "p, corrected for the number of pairs of the measure",
    "significant": "whether p_corrected, or p if there is none, is below alpha",
    "effect_size": "mean of the differences by query over their standard deviation",
    "borderline": "difference of means at the border of significance, by the resamples of the pair",
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
    family: Family = "measure",
    alternative: Alternative = "two-sided",
    n_trials: int | None = None,
    alpha: float = 0.05,
    ci: float | None = None,
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
        How to correct the p-values for the number of pairs: a method of
        ``statsmodels.stats.multitest.multipletests``, such as "holm" or "fdr_bh". An HSD test over all systems
        allows for their number itself, and takes none.
    family : {"measure", "all"}
        Which p-values are corrected together: those of a measure's pairs, or of all pairs and measures.
    alternative : {"two-sided", "greater"}
        With "greater", only a higher mean of the first system of a pair is significant, such as of a system over the
        baseline, and the interval of the difference has a lower end only. Not for HSD tests.
    n_trials : int >= 1, optional
        Trials of a test that draws; 5,000 for "tukey-randomised", 1,000 for "bootstrap", 9,999 for "permutation" if
        omitted. The permutation test goes through all permutations if there are no more of them.
    alpha : float in (0, 1)
        A difference is significant if its p-value is below.
    ci : float in (0, 1), optional
        Confidence of the intervals; 1 - alpha if omitted.
    rng : int, numpy.random.Generator, optional
        Seed of all draws. The measures share them, and the order of rows and systems does not matter: systems and
        queries are sorted by their names first.
    n_jobs : int, optional
        As of ``joblib.Parallel``. Results do not depend on it.

    Returns
    -------
    DataFrame
        A row for each measure and pair, systems in the order of the frame:

        - ``measure``, ``system``, ``other`` (the baseline, if there is one);
        - ``mean``, ``other_mean`` over the queries, each with the ends ``..._low`` and ``..._high`` of Student's
          interval, and ``difference``, the first minus the second;
        - ``wins``, ``ties``, ``losses``: on how many queries the first is better, both are equal within 1e-12, or the
          second is better;
        - ``p`` in [0, 1], ``p_corrected`` if there is a correction, and ``significant``;
        - ``effect_size``, the mean of the differences by query over their standard deviation (with N - 1), infinite
          where all are equal but not 0;
        - ``borderline``, of the bootstrap only: the difference of the pair at the border of significance, which is
          :math:`|\bar w^*|` of the resample with the :math:`B\alpha`-th largest :math:`|t(w^*)|`; the largest one
          where several share this place, NaN if there are fewer than 1/alpha trials;
        - ``ci_low`` and ``ci_high``, the interval of the difference that belongs to the test; Wilcoxon's and the
          permutation test have none. See Notes.

        ``attrs`` says what each column is, how the test was made (test, trials, seed, correction, family, version) and
        of how many systems and queries, in values that JSON has. A p-value of 0 means that no trial reached the
        difference, so that p is below 1 / n_trials; the command prints it so. Give the frame to
        `discriminative_power`, `delta_required`, `asl_curve`, `overlap` and `significance_table`, and the tests are not
        made again.

    Raises
    ------
    ValueError
        If the frame cannot be read, there are fewer than two systems or two queries, a baseline is not among the
        systems, a parameter is out of range, or there is a correction for an HSD test over all systems.
    TypeError
        If the baseline is neither a name nor several, such as a number.

    Warns
    -----
    UserWarning
        If systems lack queries, which are left out for all of them, with their count; if queries are NaN for every
        system and measure, as those without judgements are, which are left out, with their names.

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

    *Intervals* are those of the test. Of an HSD test they are simultaneous, the difference plus and minus a quantile of
    what its p-values are from: the largest differences of the trials, or the studentised range. The t-test has its own;
    that of the bootstrap is studentised, :math:`\bar z \pm t^* s_z/\sqrt N`, where :math:`t^*` is a quantile of
    :math:`|t(w^*)|` over the same resamples. Without a correction, and with ``ci`` omitted, 0 is outside the interval
    exactly if the difference is significant. A correction does not reach the intervals.

    All pairs are tested on the same trials, which is fast and fair to each, but makes the p-values of different pairs
    depend on one another: their errors, which more trials lessen, do not average out over pairs.

    Long work goes to a cluster with ``joblib.parallel_config(backend="dask")`` or ``"ray"``, without other results.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Sec. 4.1, Figs. 2 to 5.

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
    return _compared(
        "compare",
        _LEGEND,
        perquery,
        test,
        measures,
        baseline=baseline,
        groups=groups,
        correction=correction,
        family=family,
        alternative=alternative,
        n_trials=n_trials,
        alpha=alpha,
        ci=ci,
        rng=rng,
        n_jobs=n_jobs,
    )


def read_compared(
    who: str,
    columns: Collection[str] | Mapping[Test, Collection[str]],
    frame: pd.DataFrame,
    args: Sequence[Any],
    options: Mapping[str, Any],
    *,
    what: str = "perquery",
) -> pd.DataFrame:
    """Return a frame of `compare`: the frame itself if it is one, otherwise what `compare` makes of it.

    ``columns`` are those that are read, or those of each test that is allowed; what takes time and is not read is not
    computed. Errors call the frame ``what``: a ``TypeError`` if a frame of `compare` comes with ``args`` or
    ``options``, a ``ValueError`` if a column is missing or the test is not allowed.
    """
    compared = isinstance(frame, pd.DataFrame) and "system" in frame and "qid" not in frame
    if compared and (args or options):
        raise TypeError(f"{who}: {what} is what compare returned, so the pairs are tested: leave out other parameters.")
    how: dict[Any, Any] = frame.attrs if compared else _called(frame, *args, **options)
    if isinstance(columns, Mapping):
        allowed = Parameter(str, choices=tuple(columns), desc="a test with these columns")
        columns = columns[allowed.check(who, "test", how.get("test"))]
    if not compared:
        return _compared(who, columns, **how)
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"{who}: {what} must be a table of compare, but has no column {', '.join(missing)}.")
    return frame


def _called(*args: Any, **options: Any) -> dict[str, Any]:
    """Return all parameters that `compare` has when it is called like this, by name."""
    call = signature(compare).bind(*args, **options)
    call.apply_defaults()
    return call.arguments


def takes_what(_: Callable[P, T]) -> Callable[[Callable[..., T]], Callable[P, T]]:
    """Tell type checkers and editors that a function takes what another one takes, and hands it on."""
    return lambda function: function


def _compared(
    who: str,
    columns: Collection[str],
    perquery: pd.DataFrame,
    test: Test,
    measures: Iterable[object] | None,
    *,
    baseline: str | Iterable[str] | None,
    ci: float | None,
    **options: Any,
) -> pd.DataFrame:
    scores = read_scores(perquery, measures)
    how = design(who, scores, test, **options)
    level = how.alpha if ci is None else 1 - LEVEL.check(who, "ci", ci)
    ci = 1 - level if ci is None else float(ci)
    first, second = _pairs(who, scores, baseline)
    names = np.array(scores.systems, dtype=object)
    attrs = {**how.described(scores), "ci": ci}
    has_intervals = TESTS[test].half_widths is not None
    if baseline is not None:
        attrs["baseline"] = list(dict.fromkeys(names[second]))
    test_has = {
        "p_corrected": how.correction is not None,
        "borderline": TESTS[test].borderlines is not None,
        "ci_low": has_intervals,
        "ci_high": has_intervals,
    }
    legend = {column: _LEGEND[column] for column in columns if test_has.get(column, True)}
    if "p" in legend and how.alternative == "greater":
        legend["p"] = "probability of such a difference or a larger one by chance, one-sided"
    if "p_corrected" in legend and how.family == "all":
        legend["p_corrected"] = "p, corrected for the number of pairs of all measures together"
    if how.correction is not None:
        legend |= {column: f"{legend[column]}, not corrected" for column in ("ci_low", "ci_high") if column in legend}
    parts = [_statistics(v, first, second, how, legend.keys(), level) for v in scores.by_measure.values()]
    table = {
        "measure": np.repeat(np.array(scores.measures, dtype=object), len(first)),
        "system": np.tile(names[first], len(parts)),
        "other": np.tile(names[second], len(parts)),
        **{column: np.concatenate([part[column] for part in parts]) for column in parts[0]},
    }
    if "p" in table:
        table |= _decisions(table["p"], len(parts) if how.family == "measure" else 1, how)
    result = pd.DataFrame({column: table[column] for column in legend})
    result.attrs = {"legend": legend, **attrs}
    return result


def _statistics(
    values: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    how: Design,
    wanted: Set[str],
    level: float,
) -> dict[str, np.ndarray]:
    """Return the columns of a measure's pairs, without those that take time and are not wanted."""
    means = values.mean(axis=1)
    mean_low, mean_high = mean_interval(values, level)
    z = differences(values[first], values[second])
    columns = {
        "mean": means[first],
        "mean_low": mean_low[first],
        "mean_high": mean_high[first],
        "other_mean": means[second],
        "other_mean_low": mean_low[second],
        "other_mean_high": mean_high[second],
        "difference": differences(means[first], means[second]),
        "wins": np.count_nonzero(z > 0, axis=1),
        "ties": np.count_nonzero(z == 0, axis=1),
        "losses": np.count_nonzero(z < 0, axis=1),
        "effect_size": studentised(z) / np.sqrt(z.shape[1]),
    }
    if wanted & {"p", "p_corrected", "significant", "ci_low", "ci_high"}:
        p, half_widths = tested(values, first, second, how)
        columns["p"] = p
        if half_widths is not None and wanted & {"ci_low", "ci_high"}:
            columns["ci_low"], columns["ci_high"] = interval(
                columns["difference"], p, half_widths(level), level, how.alternative
            )
    if "borderline" in wanted:
        columns["borderline"] = borderlines(values, first, second, how)
    return columns


def _decisions(p: np.ndarray, n_families: int, how: Design) -> dict[str, np.ndarray]:
    decisive = p if how.correction is None else corrected(p, how.correction, n_families)
    return {"p_corrected": decisive, "significant": signs(decisive, np.full(p.shape, how.alpha)) < 0}


def _pairs(who: str, scores: Scores, baseline: str | Iterable[str] | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the first and of the second system of each pair, in the order of the frame.

    The second ones are the baselines, if there are any.
    """
    systems = scores.given
    positions = np.array([scores.systems.index(name) for name in systems])
    if baseline is None:
        first, second = np.triu_indices(len(systems), 1)
        return positions[first], positions[second]
    if not isinstance(baseline, Iterable):
        raise TypeError(f"{who}: baseline must be the name of a system, or several, not {baseline!r}.")
    names = list(dict.fromkeys([baseline] if isinstance(baseline, str) else map(str, baseline)))
    unknown = [name for name in names if name not in systems]
    if unknown or not names:
        raise ValueError(f"{who}: baseline must name systems among {', '.join(systems)}, not {baseline!r}.")
    seconds = [systems.index(name) for name in names]
    # Two baselines are one pair.
    chosen = [(i, j) for at, j in enumerate(seconds) for i in range(len(systems)) if i not in seconds[: at + 1]]
    first, second = positions[np.array(chosen)].T
    return first, second
