r"""The significance tests of `compare`: their p-values, intervals and borderline differences.

*Randomised Tukey HSD.* Each of B trials shuffles the values of every query among the systems. The share of trials in
which the best and the worst mean differ by at least the difference of the pair is p.

*Parametric Tukey HSD*, for m systems on the same n queries: :math:`q = |a_i - a_j| / \sqrt{MS_{res}/n}`, where
:math:`a_i` is the mean of system i, has the studentised range distribution with (n - 1)(m - 1) degrees of freedom.
:math:`MS_{res}` is the residual mean square of systems by queries. With ``groups="pairwise"``, this is the paired
t-test. ``tukey_hsd`` of scipy and statsmodels is a different test, for systems on different queries. Türkmen et al.
(2023) did not pair the queries either, which finds fewer differences.

*Bootstrap*, with the differences z of N queries and :math:`w = z - \bar z`: p is the share of B resamples :math:`w^*`
of w in which :math:`|t(w^*)| \ge |t(z)|`, where :math:`t(v) = \bar v / (s_v/\sqrt N)`. For values without variance, t
is 0 if their mean is 0, otherwise infinite; the t-test does the same. The *borderline* is the smallest significant
difference: :math:`|\bar w^*|` of the resample with the :math:`B\alpha`-th largest :math:`|t(w^*)|`. If resamples are
tied, the largest value counts.

*Permutation.* The signs of the differences are flipped, as the randomised HSD test of two systems does. If all
:math:`2^N` flips take no more trials, p is the share of them whose mean is as large as the observed one; otherwise it
is (b + 1)/(B + 1), where b of B random flips have such a mean. (``permutation_test`` of scipy doubles the smaller of
two one-sided shares.)

*Wilcoxon* equals scipy's ``wilcoxon`` with default settings: exact for up to 50 queries without ties and zeros, and for
up to 13 queries with them (there by all flips of signs). p is 1 if all differences are 0.

*Intervals.* HSD tests have simultaneous intervals: the difference plus and minus a quantile of the largest differences
in the trials, or of the studentised range. The bootstrap interval is :math:`\bar z \pm t^* s_z/\sqrt N`, where
:math:`t^*` is a quantile of :math:`|t(w^*)|` over the same resamples. Wilcoxon's test and the permutation test give
no intervals. An interval excludes 0 if and only if the difference is significant, unless ``correction`` or ``ci`` is
given. A correction does not change the intervals.

All pairs and measures share the same trials. Errors of their p-values are therefore correlated; more trials make them
smaller. ``joblib.parallel_config(backend="dask")`` or ``"ray"`` runs long tests on a cluster.
"""

import functools
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from ...parallel import in_parallel
from ...parameters import LEVEL, Parameter, Parameters, checked
from ...randomness import Rng, seed_of
from ..scores import Scores, rounded
from .randomisation import Blocks, all_flips, blocks_of, critical, flips, reached, resamples, shuffle, slices

# If the variance is a smaller share of the mean square, it is computed from the deviations.
_CANCELLED = 1e-3
# Numbers in memory for a pair whose test is slow, so that such pairs are divided among workers.
_SLOW = 2**15

# The most queries for which Wilcoxon's test is exact, without and with zeros or ties.
_MOST_EXACT, _MOST_FLIPPED = 50, 13

# For type checkers and editors, which check that these are the keys of the table.
Test = Literal["tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "permutation"]
Grouping = Literal["all", "pairwise"]
Alternative = Literal["two-sided", "greater"]


class PairResults(NamedTuple):
    """What a test says about each pair.

    ``half_width``, of the confidence interval, and ``borderline``, the smallest significant difference, are None if the
    test has none.
    """

    p: np.ndarray
    half_width: np.ndarray | None = None
    borderline: np.ndarray | None = None


class Design(NamedTuple):
    """How pairs are tested. ``level`` is 1 minus the confidence of intervals."""

    test: Test
    groups: Grouping
    n_trials: int
    blocks: Blocks
    alpha: float
    correction: str | None
    alternative: Alternative = "two-sided"
    seed: Mapping[Hashable, int] = {}
    level: float = 0.05

    @property
    def together(self) -> bool:
        """Whether the test takes all systems together, which controls the family-wise error."""
        return TESTS[self.test].of_all is not None and self.groups == "all"

    @property
    def n_sides(self) -> int:
        """The number of tails of a distribution that contradict the hypothesis of no difference."""
        return 2 if self.alternative == "two-sided" else 1

    def sided(self, statistic: np.ndarray) -> np.ndarray:
        """Return a statistic that is larger the better it supports the alternative."""
        return np.abs(statistic) if self.alternative == "two-sided" else statistic

    def tries_all(self, n_queries: int) -> bool:
        """Tell whether the permutation test tries all flips of the signs, because there are no more than trials."""
        return self.test == "permutation" and bool(n_queries <= np.log2(self.n_trials))

    def signs(self, n_queries: int) -> Iterator[np.ndarray]:
        """Yield flips of the queries' signs, those of a block of trials at a time."""
        if not self.tries_all(n_queries):
            return flips(self.blocks, n_queries)
        every, size = all_flips(n_queries), self.blocks[0][1]
        return (every[at : at + size] for at in range(0, len(every), size))

    @property
    def is_random(self) -> bool:
        """Whether p comes from random trials, unless these are all that there are."""
        return TESTS[self.test].n_trials is not None

    def smallest_p(self, n_systems: int, n_queries: int) -> float:
        """Return the smallest p-value that any values of so many systems and queries could have."""
        if not TESTS[self.test].rearranges:
            return 0.0
        # The best and the worst value of each query may belong to the same two systems, which can be any two.
        n_pairs = n_systems * (n_systems - 1) if self.together else 2
        least = self.n_sides / 2 * float(n_pairs) ** (1 - n_queries)
        some = self.test == "permutation" and not self.tries_all(n_queries)
        return max(least, 1 / (self.n_trials + 1)) if some else least

    def attributes(self, scores: Scores) -> dict[Hashable, Any]:
        """Return the attributes of a table of results that describe the test, as JSON values."""
        parameters: dict[Hashable, Any] = {"test": self.test, "alpha": self.alpha}
        if self.correction is not None:
            parameters["correction"] = self.correction
        if self.alternative != "two-sided":
            parameters["alternative"] = self.alternative
        if TESTS[self.test].of_all is not None:
            parameters["groups"] = self.groups
        if self.is_random:
            parameters |= {"n_trials": self.n_trials, **self.seed}
        return {**parameters, "version": sys.modules[__name__.partition(".")[0]].__version__, **scores.sizes}


def studentised(samples: np.ndarray) -> np.ndarray:
    r"""Compute :math:`t = \bar v / (s_v/\sqrt N)` over the last axis.

    :math:`s_v` divides by N - 1. Without variance, the value is 0 if the mean is 0, otherwise plus or minus infinity.

    Examples
    --------
    >>> studentised(np.array([[1.0, 3.0], [1.0, 1.0], [0.0, 0.0]]))
    array([ 2., inf,  0.])
    """
    mean, error = samples.mean(axis=-1), standard_error(samples)
    mean = np.where(rounded(mean) == 0, 0.0, mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((mean == 0) & (error == 0), 0.0, mean / error)


def standard_error(samples: np.ndarray) -> np.ndarray:
    """Return the standard errors of the means over the last axis, 0 where all values are equal."""
    deviations = samples - samples.mean(axis=-1, keepdims=True)
    variance = np.einsum("...n,...n->...", deviations, deviations) / (samples.shape[-1] - 1)
    return np.where(np.ptp(samples, axis=-1) == 0, 0.0, np.sqrt(variance / samples.shape[-1]))


def t_half_width(samples: np.ndarray, level: float) -> np.ndarray:
    """Return half the width of Student's interval of each mean over the last axis, with ``level`` outside."""
    from scipy.stats import t

    return np.asarray(t.isf(level / 2, samples.shape[-1] - 1) * standard_error(samples))


def mean_interval(
    values: np.ndarray, means: np.ndarray, bounds: tuple[float, float], level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of Student's intervals of means within their range; NaN where all values are equal."""
    half = np.where(np.ptp(values, axis=-1) == 0, np.nan, t_half_width(values, level))
    return np.clip(means - half, *bounds), np.clip(means + half, *bounds)


def _in_parts(function: Callable[..., Any], rows: np.ndarray, how: Design, cells: int, *others: Any) -> list[Any]:
    """Call a function for as many rows at a time as fit in memory, with ``cells`` numbers for each."""
    tasks = [(rows[part], *others) for part in slices(len(rows), cells)]
    return in_parallel(function, tasks, what=how.test)


def _randomised_hsd(values: np.ndarray, delta: np.ndarray, how: Design) -> PairResults:
    # Sakai (2013), Fig. 4.
    tasks = [(values, *block) for block in how.blocks]
    ranges = np.sort(rounded(np.concatenate(in_parallel(_ranges, tasks, what=how.test))))
    p = (how.n_trials - np.searchsorted(ranges, delta)) / how.n_trials
    return PairResults(p, critical(ranges, how.level))


def _ranges(values: np.ndarray, seed: np.random.SeedSequence, n_trials: int) -> np.ndarray:
    return np.asarray(np.ptp(shuffle(values, seed, n_trials).mean(axis=1), axis=-1))


def _flips(z: np.ndarray, how: Design) -> PairResults:
    # The range of the means of two shuffled systems is the size of their mean difference with flipped signs.
    means = np.concatenate([how.sided(z @ signs.T) / z.shape[1] for signs in how.signs(z.shape[1])], axis=1)
    return PairResults(reached(means, how.sided(z.mean(axis=1))) / how.n_trials, critical(means, how.level))


def _permutation(z: np.ndarray, how: Design) -> PairResults:
    n, observed = z.shape[1], how.sided(z.mean(axis=1))
    count = np.sum([reached(how.sided(z @ signs.T) / n, observed) for signs in how.signs(n)], axis=0)
    return PairResults(count / 2**n if how.tries_all(n) else (count + 1) / (how.n_trials + 1))


def _bootstrap(z: np.ndarray, how: Design) -> PairResults:
    # Sakai (2013), Fig. 2.
    w = z - z.mean(axis=1, keepdims=True)
    drawn = (_resampled(w, queries) for queries in resamples(how.blocks, z.shape[1]))
    t, means = (np.concatenate(each, axis=1) for each in zip(*drawn, strict=True))
    p = reached(how.sided(t), how.sided(studentised(z))) / how.n_trials
    error = standard_error(z)
    half_width = np.where(error == 0, 0.0, critical(how.sided(t), how.level)) * error
    # Fig. 3: the threshold is the B alpha-th largest of the resamples.
    sizes, place = rounded(np.abs(t)), int(np.round(how.n_trials * how.alpha, 10))
    threshold = np.partition(sizes, -place, axis=1)[:, [-place]]
    return PairResults(p, half_width, np.where(sizes == threshold, np.abs(means), 0.0).max(axis=1))


def _resampled(w: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return t and the mean of resamples of the centred differences, arrays of shape (pairs, trials of a block)."""
    n = w.shape[1]
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
    return t, mean


def _parametric_hsd(values: np.ndarray, delta: np.ndarray, how: Design) -> PairResults:
    from scipy.stats import studentized_range

    m, n = values.shape
    residuals = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    freedom = (n - 1) * (m - 1)
    # Root of MS_res / n, with the residual mean square of systems by queries.
    error = float(np.sqrt((residuals**2).sum() / freedom / n))
    if rounded(error) == 0:
        return PairResults(np.where(delta == 0, 1.0, 0.0), np.zeros(()))
    p = np.clip(np.concatenate(_in_parts(studentized_range.sf, delta / error, how, _SLOW, m, freedom)), 0.0, 1.0)
    return PairResults(p, np.asarray(_critical_range(how.level, m, freedom) * error))


@functools.cache
def _critical_range(level: float, n_systems: int, freedom: int) -> np.float64:
    """Return the studentised range that is exceeded with this probability: the same for each measure, and slow."""
    from scipy.stats import studentized_range

    return studentized_range.isf(level, n_systems, freedom)


def _t(z: np.ndarray, how: Design) -> PairResults:
    from scipy.stats import t

    p = np.asarray(how.n_sides * t.sf(how.sided(studentised(z)), z.shape[1] - 1))
    return PairResults(p, t_half_width(z, 2 * how.level / how.n_sides))


def _wilcoxon(z: np.ndarray, how: Design) -> PairResults:
    from scipy.stats import wilcoxon

    # scipy takes one method for all rows, and its exact one counts neither zeros nor ties.
    p, n = np.ones(len(z)), z.shape[1]
    plain = (np.diff(np.sort(np.abs(z)), prepend=0.0) > 0).all(axis=1)
    of_plain = "exact" if n <= _MOST_EXACT else "asymptotic"
    of_others = "flips" if n <= _MOST_FLIPPED else "asymptotic"
    for rows, method in ((plain, of_plain), (z.any(axis=1) & ~plain, of_others)):
        if rows.any() and method == "flips":
            p[rows] = how.n_sides * _tail_of_ranks(z[rows], two_sided=how.n_sides == 2)
        elif rows.any():
            p[rows] = wilcoxon(z[rows], axis=1, alternative=how.alternative, method=method).pvalue
    return PairResults(np.minimum(p, 1.0))


def _tail_of_ranks(z: np.ndarray, *, two_sided: bool) -> np.ndarray:
    """Return the share of all flips of signs whose sum of positive ranks is at least the observed one.

    Zeros have no rank. If two-sided, the share of those that are at most as large is returned if it is smaller.
    """
    from scipy.stats import rankdata

    rank = np.where(z == 0, 0.0, rankdata(np.abs(z), axis=1) - np.count_nonzero(z == 0, axis=1)[:, None])
    sums, observed = rank @ (all_flips(z.shape[1]) > 0).T, (rank * (z > 0)).sum(axis=1)[:, None]
    share = (sums >= observed).mean(axis=1)
    return np.minimum(share, (sums <= observed).mean(axis=1)) if two_sided else share


class SignificanceTest(NamedTuple):
    """A significance test.

    Attributes
    ----------
    title : str
        Its name in the legends of tables.
    of_pairs : callable
        Takes the differences by query, shape (n_pairs, n_queries), and a `Design`, and tests each pair by itself.
    of_all : callable, optional
        A test of all systems together, which controls the family-wise error. Takes the values, shape (n_systems,
        n_queries), the sizes of the differences of the pairs' means and a `Design`.
    n_trials : int, optional
        Default number of trials of a randomised test.
    rearranges : bool
        Whether it compares a difference with those of rearranged values only, so that p cannot be arbitrarily small.
    cells : int
        How many numbers a pair takes in memory, if not one for each trial.
    """

    title: str
    of_pairs: Callable[[np.ndarray, Design], PairResults]
    of_all: Callable[[np.ndarray, np.ndarray, Design], PairResults] | None = None
    n_trials: int | None = None
    rearranges: bool = False
    cells: int = 0


# The numbers of trials are those of Sakai (2013) and, for permutations, of scipy.
TESTS: dict[Test, SignificanceTest] = {
    "tukey-randomised": SignificanceTest("randomised Tukey HSD", _flips, _randomised_hsd, 5_000, rearranges=True),
    "bootstrap": SignificanceTest("paired bootstrap test", _bootstrap, n_trials=1_000),
    # The studentised range of two systems is sqrt(2) |t|.
    "tukey": SignificanceTest("two-way Tukey HSD", _t, _parametric_hsd),
    "t": SignificanceTest("paired t-test", _t),
    "wilcoxon": SignificanceTest("Wilcoxon signed-rank test", _wilcoxon, rearranges=True, cells=_SLOW),
    "permutation": SignificanceTest("paired permutation test", _permutation, n_trials=9_999, rearranges=True),
}

_CHOICES = {"test": Test, "groups": Grouping, "alternative": Alternative}
_DESIGN: Parameters = {
    **{name: Parameter(str, choices=get_args(words)) for name, words in _CHOICES.items()},
    "alpha": LEVEL,
    "n_trials": Parameter(int, interval="[1, inf)"),
}


def design(who: str, scores: Scores, n_trials: int | None, correction: str | None, rng: Rng, **options: Any) -> Design:
    """Check the parameters of a test, and seed its trials.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    for name, value in options.items():
        if value is None:
            raise ValueError(f"{who}: {name} must not be None.")
    given = checked(who, _DESIGN, n_trials=n_trials, **options)
    test = given["test"]
    given["n_trials"] = given["n_trials"] or TESTS[test].n_trials or 1
    blocks = blocks_of(rng, given["n_trials"], len(scores.systems) * len(scores.queries))
    how = Design(blocks=blocks, correction=correction, seed=seed_of(rng), **given)
    of_pairs = ", ".join(repr(name) for name, each in TESTS.items() if each.of_all is None)
    if how.alternative != "two-sided" and TESTS[test].of_all is not None:
        raise ValueError(
            f"{who}: alternative must be 'two-sided' for test={test!r}, not {how.alternative!r}. One-sided tests are "
            f"{of_pairs}."
        )
    if correction is not None:
        try:
            adjusted(np.array([0.5]), correction)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{who}: correction must be a method of statsmodels.stats.multitest.multipletests, such as 'holm', not "
                f"{correction!r}."
            ) from error
        if how.together:
            raise ValueError(
                f"{who}: correction={correction!r} cannot be used with test={test!r}, which compares all systems "
                f"together. Use a correction with groups='pairwise' or one of {of_pairs}."
            )
    return how


def adjusted(p: np.ndarray, correction: str | None, n_measures: int = 1) -> np.ndarray:
    """Return the p-values of the pairs of each measure, one measure after the other, corrected within the measure."""
    if correction is None:
        return p
    from statsmodels.stats.multitest import multipletests

    return np.concatenate([multipletests(each, method=correction)[1] for each in np.split(p, n_measures)])


def tested(values: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design) -> PairResults:
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
    if test.of_all is not None and how.together:
        means = values.mean(axis=1)
        return test.of_all(values, np.abs(rounded(means[first] - means[second])), how)
    z = rounded(values[first] - values[second])
    parts = _in_parts(test.of_pairs, z, how, test.cells or how.n_trials, how)
    p, *others = ([part for part in each if part is not None] for each in zip(*parts, strict=True))
    return PairResults(np.concatenate(p), *(np.concatenate(each) if each else None for each in others))
