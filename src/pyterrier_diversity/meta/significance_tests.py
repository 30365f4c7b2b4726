r"""The significance tests of `compare`: their p-values, intervals and borderline differences.

*Randomised Tukey HSD.* Each of B trials shuffles the values of every query among the systems. The share of trials in
which the best and the worst mean differ by at least the difference of the pair is p.

*Parametric Tukey HSD*, for m systems on the same n queries: :math:`q = |\bar x_i - \bar x_j| / \sqrt{MS_{res}/n}` has
the studentised range distribution with (n - 1)(m - 1) degrees of freedom. :math:`MS_{res}` is the residual mean square
of systems by queries. With ``groups="pairwise"``, this is the paired t-test. ``tukey_hsd`` of scipy and statsmodels is
a different test, for systems on different queries. Türkmen et al. (2023) did not pair the queries either, which finds
fewer differences.

*Bootstrap*, with the differences z of N queries and :math:`w = z - \bar z`: p is the share of B resamples :math:`w^*`
of w in which :math:`|t(w^*)| \ge |t(z)|`, where :math:`t(v) = \bar v / (s_v/\sqrt N)`. For values without variance, t
is 0 if their mean is 0, otherwise infinite; the t-test does the same. The *borderline* is the smallest significant
difference: :math:`|\bar w^*|` of the resample with the :math:`B\alpha`-th largest :math:`|t(w^*)|`. If resamples are
tied, the largest value counts.

*Wilcoxon* and *permutation* are scipy's ``wilcoxon`` and ``permutation_test`` with default settings. The permutation
test flips the signs of the differences, and tries all permutations if that takes no more trials. Wilcoxon's p is 1 if
all differences are 0.

*Intervals.* HSD tests have simultaneous intervals: the difference plus and minus a quantile of the largest differences
in the trials, or of the studentised range. The bootstrap interval is :math:`\bar z \pm t^* s_z/\sqrt N`, where
:math:`t^*` is a quantile of :math:`|t(w^*)|` over the same resamples. Wilcoxon's test and the permutation test have
none. An interval excludes 0 exactly if the difference is significant, unless ``correction`` or ``ci`` is given. A
correction does not change the intervals.

All pairs and measures share the same trials. Errors of their p-values are therefore correlated; more trials make them
smaller. ``joblib.parallel_config(backend="dask")`` or ``"ray"`` runs long tests on a cluster.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from ..parallel import in_parallel
from ..parameters import Parameter, Rng, seed_of
from .scores import TOLERANCE, Scores, differences, generators, signs
from .trials import Draws, draws, fitting, flips, resamples, shuffle

# If the variance is a smaller share of the mean square, it is computed from the deviations.
_CANCELLED = 1e-3
# Pairs in one task: scipy is slow for the studentised range and for Wilcoxon's test.
_SLOW_PAIRS = 32


# Takes the level, 1 minus the confidence, and returns the half widths of intervals.
HalfWidths = Callable[[float], np.ndarray]


def studentised(samples: np.ndarray) -> np.ndarray:
    r"""Compute :math:`t = \bar v / (s_v/\sqrt N)` over the last axis.

    :math:`s_v` divides by N - 1. Without variance, the value is 0 if the mean is 0, otherwise plus or minus infinity.

    Examples
    --------
    >>> studentised(np.array([[1.0, 3.0], [1.0, 1.0], [0.0, 0.0]]))
    array([ 2., inf,  0.])
    """
    mean, error = _mean_and_error(samples)
    constant = error == 0
    limits = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(constant, limits, mean / np.where(constant, 1.0, error))


def _mean_and_error(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the means over the last axis and their standard errors, 0 without variance."""
    n = samples.shape[-1]
    mean = samples.mean(axis=-1)
    mean = np.where(signs(mean, np.zeros(())) == 0, 0.0, mean)
    deviations = samples - mean[..., None]
    sd = np.sqrt(np.einsum("...n,...n->...", deviations, deviations) / (n - 1))
    return mean, np.where(signs(mean + sd, mean) == 0, 0.0, sd / np.sqrt(n))


def _least(threshold: np.ndarray) -> np.ndarray:
    """Return the threshold minus the tolerance; it may be infinite."""
    small = np.where(threshold < -1, threshold * (1 + TOLERANCE), threshold - TOLERANCE)
    return np.where(threshold < 1, small, threshold * (1 - TOLERANCE))


def _sided(statistic: np.ndarray, how: Design) -> np.ndarray:
    """Return a statistic that is larger the better it supports the alternative."""
    return np.abs(statistic) if how.alternative == "two-sided" else statistic


def _by_pairs(
    function: Callable[..., np.ndarray], arguments: tuple[Any, ...], n_at_a_time: int, how: Design
) -> np.ndarray:
    """Call a function for some pairs at a time, which are the rows of its first argument."""
    rows, *others = arguments
    tasks = [(rows[start : start + n_at_a_time], *others) for start in range(0, len(rows), n_at_a_time)]
    return np.concatenate(in_parallel(function, tasks, n_jobs=how.n_jobs, what=how.test))


def _drawn(function: Callable[..., np.ndarray], z: np.ndarray, how: Design) -> np.ndarray:
    """Call a function of differences and trials, for as many pairs at a time as fit in memory."""
    return _by_pairs(function, (z, how), how.draws.n_pairs, how)


def _n_significant(n_trials: int, level: float) -> int:
    """Return how many of the counts 0, 1, 2, ... are a share of the trials below the level."""
    return int(np.count_nonzero(signs(np.arange(n_trials + 1) / n_trials, np.array(level)) < 0))


def _critical(drawn: np.ndarray, level: float) -> np.ndarray:
    """Return the value above which a statistic is significant, from trials along the last axis."""
    # A statistic is significant if at most place - 1 trials reach it.
    place = _n_significant(drawn.shape[-1], level)
    if place < 1:
        return np.full(drawn.shape[:-1], np.inf)
    return np.asarray(np.partition(drawn, -place, axis=-1)[..., -place])


def _randomised_hsd(values: np.ndarray, delta: np.ndarray, how: Design) -> tuple[np.ndarray, HalfWidths]:
    # Sakai (2013), Fig. 4.
    tasks = [(values, generator, size) for generator, size in how.draws.again()]
    ranges = np.sort(np.concatenate(in_parallel(_ranges, tasks, n_jobs=how.n_jobs, what=how.test)))
    p = (how.draws.n - np.searchsorted(ranges, _least(delta))) / how.draws.n
    return p, partial(_critical, ranges)


def _ranges(values: np.ndarray, generator: np.random.Generator, n_trials: int) -> np.ndarray:
    means = shuffle(values, generator, n_trials).mean(axis=1)
    return means.max(axis=-1) - means.min(axis=-1)


def _parametric_hsd(values: np.ndarray, delta: np.ndarray, how: Design) -> tuple[np.ndarray, HalfWidths]:
    m, n = values.shape
    grand = values.mean()
    residuals = values - values.mean(axis=1)[:, None] - values.mean(axis=0) + grand
    freedom = (n - 1) * (m - 1)
    # Root of MS_res, the residual mean square of systems by queries.
    rms = np.sqrt((residuals**2).sum() / freedom)
    if signs(np.abs(grand) + rms, np.abs(grand)) == 0:
        return np.where(delta == 0, 1.0, 0.0), lambda _: np.zeros(())
    error = float(rms / np.sqrt(n))
    p = _by_pairs(_studentised_range, (delta / error, m, freedom), _SLOW_PAIRS, how)
    return p, partial(_studentised_range_half_width, error, m, freedom)


def _studentised_range_half_width(error: float, m: int, freedom: int, level: float) -> np.ndarray:
    from scipy.stats import studentized_range

    return np.asarray(studentized_range.isf(level, m, freedom) * error)


def _studentised_range(q: np.ndarray, m: int, freedom: int) -> np.ndarray:
    from scipy.stats import studentized_range

    return np.clip(studentized_range.sf(q, m, freedom), 0.0, 1.0)


def _t(z: np.ndarray, how: Design) -> np.ndarray:
    from scipy.stats import t

    return np.asarray(_n_sides(how) * t.sf(_sided(studentised(z), how), z.shape[1] - 1))


def _n_sides(how: Design) -> int:
    return 2 if how.alternative == "two-sided" else 1


def _t_half_widths(z: np.ndarray, how: Design, level: float) -> np.ndarray:
    from scipy.stats import t

    return np.asarray(t.isf(level / _n_sides(how), z.shape[1] - 1) * _mean_and_error(z)[1])


def _wilcoxon(z: np.ndarray, how: Design) -> np.ndarray:
    return _by_pairs(_wilcoxon_of_pairs, (z, how.alternative), _SLOW_PAIRS, how)


def _wilcoxon_of_pairs(z: np.ndarray, alternative: Alternative) -> np.ndarray:
    from scipy.stats import wilcoxon

    rows = map(_signed_places, z)
    return np.array([wilcoxon(row, alternative=alternative).pvalue if row.any() else 1.0 for row in rows])


def _signed_places(z: np.ndarray) -> np.ndarray:
    """Return the signed rank of each difference by size; equal sizes have the same rank."""
    sizes = np.abs(z)
    order = np.argsort(sizes)
    places = np.empty_like(z)
    places[order] = np.cumsum(signs(sizes[order], np.append(0.0, sizes[order][:-1])))
    return np.sign(z) * places


def _permutation(z: np.ndarray, how: Design) -> np.ndarray:
    from scipy.stats import permutation_test

    generator, _ = next(how.draws.again())
    result = permutation_test(
        (z,),
        _mean,
        permutation_type="samples",
        vectorized=True,
        alternative=how.alternative,
        n_resamples=how.draws.n,
        batch=fitting(z.size),
        axis=-1,
        random_state=generator,
    )
    return np.asarray(result.pvalue)


def _mean(z: np.ndarray, axis: int) -> np.ndarray:
    return np.round(z.mean(axis=axis), 12)


def _flips(z: np.ndarray, how: Design) -> np.ndarray:
    least = _least(np.abs(z.mean(axis=1)))
    count = np.zeros(len(z))
    for sizes in _flipped(z, how.draws):
        count += (sizes >= least).sum(axis=0)
    return count / how.draws.n


def _flipped(z: np.ndarray, trials: Draws) -> Iterator[np.ndarray]:
    """Return the sizes of the mean differences of flipped pairs, arrays of shape (trials of a chunk, pairs)."""
    for flip in flips(trials, z.shape[1]):
        yield np.abs(flip @ z.T) / z.shape[1]


def _flips_half_widths(z: np.ndarray, how: Design, level: float) -> np.ndarray:
    return _by_pairs(_flips_critical, (z, how.draws, level), fitting(how.draws.n), how)


def _flips_critical(z: np.ndarray, trials: Draws, level: float) -> np.ndarray:
    return _critical(np.concatenate(list(_flipped(z, trials))).T, level)


def _bootstrap(z: np.ndarray, how: Design) -> np.ndarray:
    # Sakai (2013), Fig. 2.
    least = _least(_sided(studentised(z), how))[:, None]
    count = np.zeros(len(z))
    for t, _ in _resampled(z, how.draws):
        count += (_sided(t, how) >= least).sum(axis=1)
    return count / how.draws.n


def _bootstrap_half_widths(z: np.ndarray, how: Design, level: float) -> np.ndarray:
    return _by_pairs(_bootstrap_half_widths_of_pairs, (z, how, level), fitting(how.draws.n), how)


def _bootstrap_half_widths_of_pairs(z: np.ndarray, how: Design, level: float) -> np.ndarray:
    critical = _critical(np.concatenate([_sided(t, how) for t, _ in _resampled(z, how.draws)], axis=1), level)
    error = _mean_and_error(z)[1]
    return np.where(error == 0, 0.0, critical) * error


def _bootstrap_borderlines(z: np.ndarray, how: Design) -> np.ndarray:
    # Sakai (2013), Fig. 3: the threshold is the B alpha-th largest of the resamples.
    place = int(how.draws.n * how.alpha + TOLERANCE)
    return _by_pairs(_borderlines, (z, how.draws, place), fitting(how.draws.n), how)


def _borderlines(z: np.ndarray, trials: Draws, place: int) -> np.ndarray:
    t, means = (np.abs(np.concatenate(values, axis=1)) for values in zip(*_resampled(z, trials), strict=True))
    threshold = np.partition(t, -place, axis=1)[:, [-place]]
    there = (t >= _least(threshold)) & (threshold >= _least(t))
    return np.where(there, means, 0.0).max(axis=1)


def _resampled(z: np.ndarray, trials: Draws) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return t and the mean of resamples of the centred differences, arrays of shape (pairs, trials of a chunk)."""
    n = z.shape[1]
    w = z - z.mean(axis=1, keepdims=True)
    for queries in resamples(trials, n):
        # A resample is described by how often each query is drawn, so its moments are matrix products.
        trial = np.arange(len(queries))[:, None]
        times = np.bincount((trial * n + queries).ravel(), minlength=len(queries) * n).reshape(-1, n)
        mean, square = w @ times.T / n, w**2 @ times.T / n
        variance = square - mean**2
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean / np.sqrt(variance / (n - 1))
        # A tiny variance is lost in the difference of two products.
        pair, drawn = np.nonzero(variance <= _CANCELLED * square)
        t[pair, drawn] = studentised(w[pair[:, None], queries[drawn]])
        yield t, mean


@dataclass(frozen=True)
class SignificanceTest:
    """A significance test.

    Attributes
    ----------
    title : str
        Its name in the legends of tables.
    of_pairs, borderlines : callable
        Take the differences by query, shape (n_pairs, n_queries), and a `Design`. Return the p-value of each pair by
        itself, and its borderline difference if the test has one.
    half_widths : callable, optional
        Takes the differences by query, a `Design`, and the level, which is 1 minus the confidence. Returns the half
        width of each pair's confidence interval.
    of_all : callable, optional
        A test of all systems together, which controls the family-wise error. Takes the values, shape (n_systems,
        n_queries), the differences of the pairs and a `Design`. Returns the p-values of the pairs, and a function that
        takes a level and returns the half width of the simultaneous intervals.
    n_trials : int, optional
        Default number of trials of a randomised test.
    """

    title: str
    of_pairs: Callable[[np.ndarray, Design], np.ndarray]
    of_all: Callable[[np.ndarray, np.ndarray, Design], tuple[np.ndarray, HalfWidths]] | None = None
    n_trials: int | None = None
    borderlines: Callable[[np.ndarray, Design], np.ndarray] | None = None
    half_widths: Callable[[np.ndarray, Design, float], np.ndarray] | None = None


# For type checkers and editors, which check that these are the keys of the table.
Test = Literal["tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "permutation"]
Groups = Literal["all", "pairwise"]
Family = Literal["measure", "all"]
Alternative = Literal["two-sided", "greater"]

# The numbers of trials are those of Sakai (2013) and, for permutations, of scipy.
TESTS: dict[Test, SignificanceTest] = {
    "tukey-randomised": SignificanceTest(
        "randomised Tukey HSD",
        partial(_drawn, _flips),
        of_all=_randomised_hsd,
        n_trials=5_000,
        half_widths=_flips_half_widths,
    ),
    "bootstrap": SignificanceTest(
        "paired bootstrap test",
        partial(_drawn, _bootstrap),
        n_trials=1_000,
        borderlines=_bootstrap_borderlines,
        half_widths=_bootstrap_half_widths,
    ),
    # The studentised range of two systems is sqrt(2) |t|.
    "tukey": SignificanceTest("two-way Tukey HSD", _t, of_all=_parametric_hsd, half_widths=_t_half_widths),
    "t": SignificanceTest("paired t-test", _t, half_widths=_t_half_widths),
    "wilcoxon": SignificanceTest("Wilcoxon signed-rank test", _wilcoxon),
    "permutation": SignificanceTest("paired permutation test", partial(_drawn, _permutation), n_trials=9_999),
}

TEST = Parameter(str, choices=tuple(TESTS), desc="test")
GROUPS = Parameter(str, choices=get_args(Groups), desc="the systems that an HSD test takes together")
FAMILY = Parameter(str, choices=get_args(Family), desc="the p-values to correct together")
ALTERNATIVE = Parameter(str, choices=get_args(Alternative), desc="alternative hypothesis")
TRIALS = Parameter(int, interval="[1, inf)", desc="number of trials of a randomised test")
LEVEL = Parameter(float, interval="(0, 1)", desc="a probability")


class Design(NamedTuple):
    """How pairs are tested."""

    test: Test
    groups: Groups
    draws: Draws
    alpha: float
    correction: str | None
    n_jobs: int | None
    family: Family = "measure"
    alternative: Alternative = "two-sided"
    seed: Mapping[Hashable, int] = {}

    def described(self, scores: Scores) -> dict[Hashable, Any]:
        """Return the attributes of a table of results that describe the test, as JSON values."""
        parameters: dict[Hashable, Any] = {"test": self.test, "alpha": self.alpha}
        if self.correction is not None:
            parameters |= {"correction": self.correction, "family": self.family}
        if self.alternative != "two-sided":
            parameters["alternative"] = self.alternative
        if TESTS[self.test].of_all is not None:
            parameters["groups"] = self.groups
        if TESTS[self.test].n_trials is not None:
            parameters |= {"n_trials": self.draws.n, **self.seed}
        parameters["version"] = sys.modules[__name__.partition(".")[0]].__version__
        return parameters | scores.sizes


def design(
    who: str,
    scores: Scores,
    test: Test,
    *,
    groups: Groups,
    n_trials: int | None,
    alpha: float,
    correction: str | None,
    family: Family,
    alternative: Alternative,
    rng: Rng,
    n_jobs: int | None,
) -> Design:
    """Check the parameters of a test, and seed its trials.

    Raises
    ------
    ValueError
        If there are fewer than two systems or queries, or a parameter is out of range.
    """
    TEST.check(who, "test", test)
    GROUPS.check(who, "groups", groups)
    FAMILY.check(who, "family", family)
    ALTERNATIVE.check(who, "alternative", alternative)
    of_pairs = ", ".join(repr(name) for name, each in TESTS.items() if each.of_all is None)
    if alternative != "two-sided" and TESTS[test].of_all is not None:
        raise ValueError(
            f"{who}: alternative must be 'two-sided' for test={test!r}, not {alternative!r}. One-sided tests are "
            f"{of_pairs}."
        )
    alpha = LEVEL.check(who, "alpha", alpha)
    if correction is not None:
        _check_correction(who, correction)
        if TESTS[test].of_all is not None and groups == "all":
            raise ValueError(
                f"{who}: correction must be None for test={test!r}, not {correction!r}: this test compares all "
                f"systems together. Use a correction with groups='pairwise' or one of {of_pairs}."
            )
    elif family == "all":
        raise ValueError(
            f"{who}: family must be 'measure' without a correction, not 'all'. Give a correction, such as "
            f"correction='holm', with one of {of_pairs}."
        )
    scores.need_two(who, "systems", "queries")
    n = TESTS[test].n_trials or 1 if n_trials is None else TRIALS.check(who, "n_trials", n_trials)
    trials = draws(generators(rng, 1)[0], n, len(scores.systems) * len(scores.queries))
    return Design(test, groups, trials, alpha, correction, n_jobs, family, alternative, seed_of(rng))


def corrected(p: np.ndarray, correction: str, n_families: int) -> np.ndarray:
    """Return p-values corrected within each of ``n_families`` consecutive families of equal size."""
    from statsmodels.stats.multitest import multipletests

    return np.concatenate([multipletests(each, method=correction)[1] for each in np.split(p, n_families)])


def undecided(p: np.ndarray, decisive: np.ndarray, n_families: int, n_queries: int, how: Design) -> np.ndarray:
    r"""Return, for each p-value, whether more trials could put it on the other side of alpha.

    That is the case within two standard errors, :math:`\sqrt{p(1-p)/B}` for B trials. The ``decisive`` p-values are
    corrected, if there is a correction, and so are their errors. The permutation test has none if it tries everything.
    """
    n_trials = how.draws.n
    if TESTS[how.test].n_trials is None or (how.test == "permutation" and 2.0**n_queries <= n_trials):
        return np.zeros(len(p), dtype=bool)
    # A p-value of 0 has an error, too: that of one trial more, which reaches the difference.
    at = (p * n_trials + 1) / (n_trials + 1)
    none = 1.0 if how.correction is None else len(p) / n_families
    factor = np.where(p > 0, decisive / np.where(p > 0, p, 1.0), none)
    return np.asarray(np.abs(decisive - how.alpha) <= 2 * factor * np.sqrt(at * (1 - at) / n_trials))


def _check_correction(who: str, correction: str) -> None:
    from statsmodels.stats.multitest import multipletests

    try:
        multipletests([0.5], method=correction)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{who}: correction must be a method of statsmodels.stats.multitest.multipletests, such as 'holm', not "
            f"{correction!r}."
        ) from error


class Tested(NamedTuple):
    """The p-value of each pair, and a function that takes a level and returns the half widths of the intervals.

    ``half_widths`` is None for tests without intervals.
    """

    p: np.ndarray
    half_widths: HalfWidths | None


def tested(values: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design) -> Tested:
    """Test each pair.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_queries)
        A measure's values.
    first, second : ndarray of int, shape (n_pairs,)
        Positions of the systems of each pair.
    how : Design
        The test, its trials and workers. An HSD test always takes all systems, unless its groups are "pairwise".
    """
    test = TESTS[how.test]
    if test.of_all is not None and how.groups == "all":
        means = values.mean(axis=1)
        return Tested(*test.of_all(values, np.abs(differences(means[first], means[second])), how))
    z = differences(values[first], values[second])
    return Tested(test.of_pairs(z, how), None if test.half_widths is None else partial(test.half_widths, z, how))


def interval(
    difference: np.ndarray, p: np.ndarray, half_widths: np.ndarray, level: float, alternative: Alternative
) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of the interval of each difference; the interval excludes 0 exactly if p is below the level.

    With the alternative "greater", the upper end is infinite. The ends are corrected where rounding would contradict p.
    """
    size = np.abs(difference) if alternative == "two-sided" else difference
    near = size - half_widths
    outside = signs(p, np.full(p.shape, level)) < 0
    near = np.where(outside, np.maximum(near, np.finfo(float).tiny), np.minimum(near, 0.0))
    if alternative == "greater":
        return near, np.full(p.shape, np.inf)
    far = size + half_widths
    positive = difference >= 0
    return np.where(positive, near, -far), np.where(positive, far, -near)


def mean_interval(values: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of Student's interval of each system's mean over the queries."""
    from scipy.stats import t

    half = t.isf(level / 2, values.shape[1] - 1) * _mean_and_error(values)[1]
    mean = values.mean(axis=1)
    return mean - half, mean + half


def borderlines(values: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design) -> np.ndarray:
    """Compute the borderline difference of each pair, from the same arguments as `tested`; NaN if the test has none."""
    function = TESTS[how.test].borderlines
    z = differences(values[first], values[second])
    return np.full(len(z), np.nan) if function is None else function(z, how)
