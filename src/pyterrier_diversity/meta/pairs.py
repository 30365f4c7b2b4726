"""Pairs of systems, and how likely their difference is by chance: p-values of an array of values."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from ..parallel import in_parallel
from ..parameters import Parameter, Rng
from .scores import TOLERANCE, Scores, generators, signs

Test = Literal["tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "permutation"]
Groups = Literal["all", "pairwise"]

HSD = ("tukey-randomised", "tukey")
# The trials of tests that draw, unless told: Sakai (2013), and scipy's number of permutations.
N_TRIALS = {"tukey-randomised": 5_000, "bootstrap": 1_000, "permutation": 9_999}

TEST = Parameter(str, choices=("tukey-randomised", "bootstrap", "tukey", "t", "wilcoxon", "permutation"), desc="test")
GROUPS = Parameter(str, choices=("all", "pairwise"), desc="the systems that an HSD test compares together")
TRIALS = Parameter(int, interval="[1, inf)", desc="trials of a test that draws")
LEVEL = Parameter(float, interval="(0, 1)", desc="a probability")

# How many numbers of the trials are in memory at a time.
_CELLS = 2**20
# A variance that is a smaller part of the mean square is computed from the deviations.
_CANCELLED = 1e-3
# One p-value of the studentised range, or an exact one of Wilcoxon's, takes scipy long.
_SLOW_PAIRS = 32


class Draws(NamedTuple):
    """Trials in chunks: a generator for each chunk, and its number of trials.

    Going through them again draws the same again, whoever does it.
    """

    generators: list[np.random.Generator]
    sizes: list[int]

    @property
    def n(self) -> int:
        """The number of trials."""
        return sum(self.sizes)

    @property
    def n_pairs(self) -> int:
        """For how many pairs the trials of a chunk fit in memory together."""
        return max(1, _CELLS // 4 // max(self.sizes))

    def again(self) -> Iterator[tuple[np.random.Generator, int]]:
        """Return a fresh copy of each generator, and the trials to draw by it."""
        return zip(copy.deepcopy(self.generators), self.sizes, strict=True)


class Design(NamedTuple):
    """How pairs are tested."""

    test: Test
    groups: Groups
    draws: Draws
    alpha: float
    correction: str | None
    n_jobs: int | None
    interval_rng: np.random.Generator

    def described(self, scores: Scores) -> dict[Hashable, Any]:
        """Return what a table of results says of its making."""
        parameters: dict[Hashable, Any] = {"test": self.test, "alpha": self.alpha}
        if self.correction is not None:
            parameters["correction"] = self.correction
        if self.test in HSD:
            parameters["groups"] = self.groups
        if self.test in N_TRIALS:
            parameters["n_trials"] = self.draws.n
        return {**parameters, "n_systems": len(scores.systems), "n_queries": len(scores.queries)}


def design(
    who: str,
    scores: Scores,
    test: Test,
    *,
    groups: Groups,
    n_trials: int | None,
    alpha: float = 0.05,
    correction: str | None = None,
    rng: Rng,
    n_jobs: int | None,
) -> Design:
    """Check how pairs are to be tested, and seed the trials: equal seeds make equal p-values, whoever asks.

    Raises
    ------
    ValueError
        If there are less than two systems or queries, or a parameter is out of range.
    """
    TEST.check(who, "test", test)
    GROUPS.check(who, "groups", groups)
    alpha = LEVEL.check(who, "alpha", alpha)
    if correction is not None:
        _check_correction(who, correction)
    for what, names in (("systems", scores.systems), ("queries", scores.queries)):
        if len(names) < 2:
            raise ValueError(f"{who}: perquery must have two {what} at least, not {len(names)}.")
    n = N_TRIALS.get(test, 1) if n_trials is None else TRIALS.check(who, "n_trials", n_trials)
    test_rng, interval_rng = generators(rng, 2)
    trials = draws(test_rng, n, len(scores.systems) * len(scores.queries))
    return Design(test, groups, trials, alpha, correction, n_jobs, interval_rng)


def _check_correction(who: str, correction: str) -> None:
    from statsmodels.stats.multitest import multipletests

    try:
        multipletests([0.5], method=correction)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{who}: correction must be a method of statsmodels.stats.multitest.multipletests, such as 'holm', not "
            f"{correction!r}."
        ) from error


def draws(rng: Rng, n_trials: int, n_cells: int) -> Draws:
    """Divide trials into chunks, so that those of one chunk fit in memory together: ``n_cells`` numbers for each."""
    size = max(1, _CELLS // n_cells)
    sizes = [min(size, n_trials - start) for start in range(0, n_trials, size)]
    return Draws(generators(rng, len(sizes)), sizes)


def pairs_of(
    who: str, systems: list[str], baseline: str | Iterable[str] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the first and of the second system of each pair.

    Parameters
    ----------
    who : str
        Who asks, for errors.
    systems : list of str
        All systems there are.
    baseline : str or iterable of str, optional
        The second system of the pairs, or several, with each of which all others are paired; every two systems once
        if omitted.

    Raises
    ------
    ValueError
        If a baseline is not among the systems, or there is none.
    TypeError
        If the baseline is neither a name nor several, such as a number.
    """
    if baseline is None:
        return np.triu_indices(len(systems), 1)
    if not isinstance(baseline, Iterable):
        raise TypeError(f"{who}: baseline must be the name of a system, or several, not {baseline!r}.")
    names = list(dict.fromkeys([baseline] if isinstance(baseline, str) else map(str, baseline)))
    unknown = [name for name in names if name not in systems]
    if unknown or not names:
        raise ValueError(f"{who}: baseline must name systems among {', '.join(systems)}, not {baseline!r}.")
    seconds = [systems.index(name) for name in names]
    # Two baselines are one pair.
    chosen = [(i, j) for at, j in enumerate(seconds) for i in range(len(systems)) if i not in seconds[: at + 1]]
    first, second = np.array(chosen).T
    return first, second


def p_values(values: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design) -> np.ndarray:
    """Compute the p-value of each pair.

    Parameters
    ----------
    values : ndarray, shape (n_systems, n_queries)
        A measure's values.
    first, second : ndarray of int, shape (n_pairs,)
        Positions of the systems of each pair.
    how : Design
        Test, its trials and workers. An HSD test is over all systems, whichever pairs are asked for, unless its groups
        are "pairwise".

    Returns
    -------
    ndarray, shape (n_pairs,)
        Probabilities, two-sided.
    """
    if how.groups == "all" and how.test == "tukey-randomised":
        return _randomised_hsd(values, first, second, how)
    if how.groups == "all" and how.test == "tukey":
        return _parametric_hsd(values, first, second, how)
    z = differences(values[first], values[second])
    if how.test in ("t", "tukey"):
        # The studentised range of two systems is sqrt(2) |t|.
        return _t(z)
    if how.test == "wilcoxon":
        return _by_pairs(_wilcoxon, (z,), _SLOW_PAIRS, how)
    function = {"tukey-randomised": _flips, "bootstrap": _bootstrap, "permutation": _permutation}[how.test]
    return _by_pairs(function, (z, how.draws), how.draws.n_pairs, how)


def decide(p: np.ndarray, how: Design) -> tuple[np.ndarray, np.ndarray]:
    """Return the p-values, corrected for their number where that is asked for, and which of them are significant."""
    if how.correction is not None:
        from statsmodels.stats.multitest import multipletests

        p = multipletests(p, alpha=how.alpha, method=how.correction)[1]
    return p, signs(p, np.full(p.shape, how.alpha)) < 0


def borderlines(values: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design) -> np.ndarray:
    r"""Compute the borderline difference of each pair by the paired bootstrap.

    That is :math:`|\bar w^{*b}|` of the resample whose :math:`|t(w^{*b})|` is the :math:`B\alpha`-th largest; the
    largest one if several resamples share that place.

    Raises
    ------
    ValueError
        If :math:`B\alpha` is below 1.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Fig. 3.
    """
    place = int(how.draws.n * how.alpha + TOLERANCE)
    if place < 1:
        raise ValueError(
            f"n_trials * alpha must be 1 at least, not {how.draws.n} * {how.alpha}: no resample has this place."
        )
    z = differences(values[first], values[second])
    return _by_pairs(_borderline, (z, how.draws, place), max(1, _CELLS // how.draws.n), how)


def differences(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the differences, 0 where two values are equal within `TOLERANCE`."""
    return np.where(signs(first, second) == 0, 0.0, first - second)


def studentised(samples: np.ndarray) -> np.ndarray:
    r"""Compute :math:`t = \bar v / (s_v/\sqrt N)` over the last axis.

    :math:`s_v` divides by N - 1. A sample without variance has 0 if its mean is 0, else plus or minus infinity.

    Examples
    --------
    >>> studentised(np.array([[1.0, 3.0], [1.0, 1.0], [0.0, 0.0]]))
    array([ 2., inf,  0.])
    """
    n = samples.shape[-1]
    mean = samples.mean(axis=-1)
    mean = np.where(signs(mean, np.zeros(())) == 0, 0.0, mean)
    deviations = samples - mean[..., None]
    sd = np.sqrt(np.einsum("...n,...n->...", deviations, deviations) / (n - 1))
    constant = signs(mean + sd, mean) == 0
    limits = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(constant, limits, mean / (np.where(constant, 1.0, sd) / np.sqrt(n)))


def resamples(trials: Draws, n_queries: int) -> Iterator[np.ndarray]:
    """Return the queries of each trial, drawn with replacement: arrays of shape (trials of a chunk, n_queries)."""
    for generator, size in trials.again():
        yield generator.integers(n_queries, size=(size, n_queries))


def shuffle(values: np.ndarray, generator: np.random.Generator, n_trials: int) -> np.ndarray:
    """Give each query's values to the systems at random, in each trial anew: shape (n_trials, n_queries, n_systems)."""
    return generator.permuted(np.broadcast_to(values.T, (n_trials, *values.T.shape)), axis=-1)


def flips(trials: Draws, n_queries: int) -> Iterator[np.ndarray]:
    """Return 1 or -1 for each query of each trial: `shuffle` for the difference of two systems."""
    for generator, size in trials.again():
        yield generator.integers(2, size=(size, n_queries)) * 2.0 - 1.0


def _least(threshold: np.ndarray) -> np.ndarray:
    """Return the least value that counts as the threshold, which may be infinite but not negative."""
    return np.where(threshold < 1, threshold - TOLERANCE, threshold * (1 - TOLERANCE))


def _by_pairs(
    function: Callable[..., np.ndarray], arguments: tuple[Any, ...], n_at_a_time: int, how: Design
) -> np.ndarray:
    """Call a function for some pairs at a time: the rows of its first argument."""
    rows, *others = arguments
    tasks = [(rows[start : start + n_at_a_time], *others) for start in range(0, len(rows), n_at_a_time)]
    return np.concatenate(in_parallel(function, tasks, n_jobs=how.n_jobs, what=how.test))


def _randomised_hsd(values: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design) -> np.ndarray:
    # Sakai (2013), Fig. 4.
    tasks = [(values, generator, size) for generator, size in how.draws.again()]
    ranges = np.sort(np.concatenate(in_parallel(_ranges, tasks, n_jobs=how.n_jobs, what=how.test)))
    means = values.mean(axis=1)
    delta = np.abs(means[first] - means[second])
    return (how.draws.n - np.searchsorted(ranges, _least(delta))) / how.draws.n


def _ranges(values: np.ndarray, generator: np.random.Generator, n_trials: int) -> np.ndarray:
    means = shuffle(values, generator, n_trials).mean(axis=1)
    return means.max(axis=-1) - means.min(axis=-1)


def _parametric_hsd(values: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design) -> np.ndarray:
    m, n = values.shape
    means = values.mean(axis=1)
    grand = values.mean()
    residuals = values - means[:, None] - values.mean(axis=0) + grand
    freedom = (n - 1) * (m - 1)
    # Root of MS_res, the mean square of what neither systems nor queries explain.
    rms = np.sqrt((residuals**2).sum() / freedom)
    delta = np.abs(differences(means[first], means[second]))
    if signs(np.abs(grand) + rms, np.abs(grand)) == 0:
        return np.where(delta == 0, 1.0, 0.0)
    q = delta / (rms / np.sqrt(n))
    return _by_pairs(_studentised_range, (q, m, freedom), _SLOW_PAIRS, how)


def _studentised_range(q: np.ndarray, m: int, freedom: int) -> np.ndarray:
    from scipy.stats import studentized_range

    return np.clip(studentized_range.sf(q, m, freedom), 0.0, 1.0)


def _t(z: np.ndarray) -> np.ndarray:
    from scipy.stats import t

    return 2 * t.sf(np.abs(studentised(z)), z.shape[1] - 1)


def _wilcoxon(z: np.ndarray) -> np.ndarray:
    from scipy.stats import wilcoxon

    return np.array([wilcoxon(row).pvalue if row.any() else 1.0 for row in map(_signed_places, z)])


def _signed_places(z: np.ndarray) -> np.ndarray:
    """Return the place of each difference by its size, with its sign: one place for all sizes that are equal."""
    sizes = np.abs(z)
    order = np.argsort(sizes)
    places = np.empty_like(z)
    places[order] = np.cumsum(signs(sizes[order], np.append(0.0, sizes[order][:-1])))
    return np.sign(z) * places


def _permutation(z: np.ndarray, trials: Draws) -> np.ndarray:
    from scipy.stats import permutation_test

    generator, _ = next(trials.again())
    result = permutation_test(
        (z,),
        _mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=trials.n,
        batch=max(1, _CELLS // z.size),
        axis=-1,
        random_state=generator,
    )
    return np.asarray(result.pvalue)


def _mean(z: np.ndarray, axis: int) -> np.ndarray:
    return np.round(z.mean(axis=axis), 12)


def _flips(z: np.ndarray, trials: Draws) -> np.ndarray:
    least = _least(np.abs(z.mean(axis=1)))
    count = np.zeros(len(z))
    for flip in flips(trials, z.shape[1]):
        count += (np.abs(flip @ z.T) / z.shape[1] >= least).sum(axis=0)
    return count / trials.n


def _bootstrap(z: np.ndarray, trials: Draws) -> np.ndarray:
    # Sakai (2013), Fig. 2.
    least = _least(np.abs(studentised(z)))[:, None]
    count = np.zeros(len(z))
    for t, _ in _resampled(z, trials):
        count += (t >= least).sum(axis=1)
    return count / trials.n


def _borderline(z: np.ndarray, trials: Draws, place: int) -> np.ndarray:
    t, means = (np.concatenate(values, axis=1) for values in zip(*_resampled(z, trials), strict=True))
    threshold = np.partition(t, -place, axis=1)[:, [-place]]
    there = (t >= _least(threshold)) & (threshold >= _least(t))
    return np.where(there, means, 0.0).max(axis=1)


def _resampled(z: np.ndarray, trials: Draws) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return |t| and |mean| of resamples of the centred differences, arrays of shape (pairs, trials of a chunk)."""
    n = z.shape[1]
    w = z - z.mean(axis=1, keepdims=True)
    for queries in resamples(trials, n):
        # A resample is how often each query is drawn: its moments are products of matrices.
        trial = np.arange(len(queries))[:, None]
        times = np.bincount((trial * n + queries).ravel(), minlength=len(queries) * n).reshape(-1, n)
        mean, square = w @ times.T / n, w**2 @ times.T / n
        variance = square - mean**2
        size = np.abs(mean)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = size / np.sqrt(variance / (n - 1))
        # Where the variance is next to nothing, the difference of two products does not tell it.
        pair, drawn = np.nonzero(variance <= _CANCELLED * square)
        t[pair, drawn] = np.abs(studentised(w[pair[:, None], queries[drawn]]))
        yield t, size
