"""Power: how many topics it takes to find a difference between systems, and which difference so many topics find."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from ..parallel import in_parallel
from ..parameters import Parameter, Rng
from .scores import differences, generators, read_scores, signs
from .significance_tests import LEVEL
from .trials import draws, shuffle

PowerTest = Literal["t", "tukey-randomised"]

_TEST = Parameter(str, choices=("t", "tukey-randomised"), desc="the test that the topics are for")
_DELTA = Parameter(float, interval="(0, 1e100]", desc="difference of two systems' means that is to be found")
_TOPICS = Parameter(int, interval="[2, inf)", desc="number of topics")
_TRIALS = Parameter(int, 1000, interval="[1, inf)", desc="samples of topics, and shuffles of each, of a simulation")

# More topics are not looked for.
_MOST = {"t": 10**6, "tukey-randomised": 10**4}
# How exactly the smallest difference is found, relative to itself. A simulated power is a share of trials.
_EXACTNESS = {"t": 1e-9, "tukey-randomised": 1e-3}

# Larger differences are not looked for.
_LARGEST = 1e9
# The largest noncentrality of t: the power is 1 from there on.
_FARTHEST = 1e6

_LEGEND = {
    "measure": "the measure",
    "sd": "standard deviation over the topics of the difference of two systems: root of the mean variance of the pairs",
    "delta": "true difference of two systems' means",
    "topics": "number of topics",
    "power": "probability that so many topics find this difference significant",
}

# From a number of topics and a difference to the probability that it is found.
_Power = Callable[[int, float], float]


def topics_needed(
    perquery: pd.DataFrame,
    delta: float | Iterable[float] | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    test: PowerTest = "t",
    *,
    n: int | Iterable[int] | None = None,
    measures: Iterable[object] | None = None,
    n_trials: int = 1000,
    rng: Rng = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    r"""Estimate from a pilot how many topics find a difference, or which difference so many topics find.

    Parameters
    ----------
    perquery : DataFrame
        The pilot: columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(...,
        perquery=True)`` returns them. Not changed.
    delta : float > 0, or iterable of them, optional
        True differences of two systems' means, in units of the measure: the smallest that would matter. Either these
        or ``n``.
    power : float in (0, 1)
        Probability that the difference is found.
    alpha : float in (0, 1)
        A difference is found if the p-value is below.
    test : {"t", "tukey-randomised"}
        The paired t-test of one pair, or the randomised Tukey HSD test over as many systems as the pilot has.
    n : int >= 2, or iterable of them, optional
        Numbers of topics, for the smallest difference that each finds with this power.
    measures : iterable of Measure or str, optional
        Which measures; all of the frame if omitted.
    n_trials : int >= 1
        Of "tukey-randomised": how many samples of topics are drawn for a power, and how many shuffles test each.
    rng : int or Generator, optional
        Seed or source of these; others each time if omitted. Measures and sizes share them.
    n_jobs : int, optional
        Workers, as of joblib. The result does not depend on it.

    Returns
    -------
    DataFrame
        A row for each measure and each ``delta`` or ``n``: ``measure``; ``sd`` of the difference of two systems over
        the topics; ``delta``; ``topics``, rounded up; ``power`` of that many topics for that difference. ``attrs`` says
        what each column is, how they were made, and of how many systems and queries. `plots.topics_needed` draws it.

    Raises
    ------
    ValueError
        If not exactly one of ``delta`` and ``n`` is given, a parameter is out of range, the frame cannot be read, there
        are fewer than two systems or two queries, two systems never differ by different amounts, so that there is no
        variance, or more topics are needed than are looked for (1,000,000; 10,000 by simulation).

    Warns
    -----
    UserWarning
        If systems lack queries, which are left out for all of them, with their count.

    Notes
    -----
    The variance of the difference is the mean over the pairs of systems, each with N - 1: twice the residual mean
    square of systems by topics. *t*: the power of statsmodels' ``TTestPower``, two-sided, with the effect size
    delta/sd; for several pairs give the level that the correction leaves, such as alpha over their number.

    *tukey-randomised*: the systems' values, moved to equal means and scaled by :math:`\sqrt{N/(N-1)}`, which makes up
    for the variance of a resample, are resampled by topic; a pair drawn at random is moved delta apart, the others lie
    in between; the power is the share of samples in which the test finds this pair. Its standard error is
    :math:`\sqrt{power (1 - power)/n\_trials}`, .013 by default.

    A pilot of few topics estimates the variance badly: from two systems on 25 topics, one number in twenty is too small
    by a factor of 1.7 or more.

    References
    ----------
    Sakai (2016). Topic set size design. Information Retrieval Journal 19(3), 256-283.
    https://doi.org/10.1007/s10791-015-9273-z

    Examples
    --------
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8, 0.2], "y": [0.1, 0.4, 0.5, 0.9, 0.3]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> pilot = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> topics_needed(pilot, delta=[0.1, 0.2]).round(3)
      measure     sd  delta  topics  power
    0     RBU  0.259    0.1      55  0.803
    1     RBU  0.259    0.2      16  0.823
    >>> topics_needed(pilot, n=[25, 50]).round(3)
      measure     sd  delta  topics  power
    0     RBU  0.259  0.151      25    0.8
    1     RBU  0.259  0.105      50    0.8
    """
    who = "topics_needed"
    _TEST.check(who, "test", test)
    power, alpha = LEVEL.check(who, "power", power), LEVEL.check(who, "alpha", alpha)
    n_trials = _TRIALS.check(who, "n_trials", n_trials)
    if (delta is None) == (n is None):
        raise ValueError(f"{who}: give either delta or n, {'one of them' if delta is None else 'not both'}.")
    name, given, parameter = ("n", n, _TOPICS) if delta is None else ("delta", delta, _DELTA)
    wanted = [parameter.check(who, name, value) for value in (given if isinstance(given, Iterable) else [given])]
    if not wanted:
        raise ValueError(f"{who}: {name} must not be empty.")
    scores = read_scores(perquery, measures)
    for what, names in (("systems", scores.systems), ("queries", scores.queries)):
        if len(names) < 2:
            raise ValueError(f"{who}: perquery must have two or more {what}, not {len(names)}.")
    source = generators(rng, 1)[0]
    find: Callable[..., tuple[float, int, float]] = _topics_for if n is None else _difference_for
    tasks = [
        (measure, _power_of(measure, values, alpha, test, n_trials, source), each, power, test)
        for measure, values in scores.by_measure.items()
        for each in wanted
    ]
    found = in_parallel(find, tasks, n_jobs=n_jobs, what=who)
    table = pd.DataFrame(found, columns=["delta", "topics", "power"])
    sds = {measure: _sd(values) for measure, values in scores.by_measure.items()}
    table.insert(0, "measure", np.repeat(np.array(scores.measures, dtype=object), len(wanted)))
    table.insert(1, "sd", table["measure"].map(sds).astype(float))
    table.attrs = {
        "legend": dict(_LEGEND),
        "test": test,
        "power": power,
        "alpha": alpha,
        "n_systems": len(scores.systems),
        "n_queries": len(scores.queries),
    }
    if test != "t":
        table.attrs["n_trials"] = n_trials
        if isinstance(rng, (int, np.integer)):
            table.attrs["seed"] = int(rng)
    return table


def _sd(values: np.ndarray) -> float:
    """Return the root of the mean variance of the difference of two systems, of values (systems, queries)."""
    first, second = np.triu_indices(len(values), 1)
    return float(np.sqrt(differences(values[first], values[second]).var(axis=1, ddof=1).mean()))


def _power_of(
    measure: str, values: np.ndarray, alpha: float, test: PowerTest, n_trials: int, source: np.random.Generator
) -> _Power:
    sd = _sd(values)
    if signs(np.array(sd), np.zeros(())) == 0:
        raise ValueError(
            f"topics_needed: {measure} differs by the same between two systems on all topics: no variance."
        )
    if test == "t":
        return partial(_t_power, sd, alpha)
    n_queries = values.shape[1]
    residuals = (values - values.mean(axis=1, keepdims=True)) * np.sqrt(n_queries / (n_queries - 1))
    return partial(_hsd_power, residuals, alpha, n_trials, source)


def _t_power(sd: float, alpha: float, n: int, delta: float) -> float:
    from statsmodels.stats.power import TTestPower

    effect = min(delta / sd, _FARTHEST / np.sqrt(n))
    right, wrong = (
        TTestPower().power(effect, n, alpha / 2, alternative=direction) for direction in ("larger", "smaller")
    )
    # scipy has no number for many a probability that is next to 0.
    return float(right + np.nan_to_num(wrong))


def _hsd_power(
    residuals: np.ndarray, alpha: float, n_trials: int, source: np.random.Generator, n: int, delta: float
) -> float:
    """Simulate the power of randomised HSD for n topics, of residuals of shape (systems, queries)."""
    m, n_queries = residuals.shape
    rng = copy.deepcopy(source)  # the same trials for each n and delta
    drawn = residuals[:, rng.integers(n_queries, size=(n_trials, n))]
    sample = np.arange(n_trials)
    best = rng.integers(m, size=n_trials)
    worst = (best + rng.integers(1, m, size=n_trials)) % m
    drawn[best, sample] += delta / 2
    drawn[worst, sample] -= delta / 2
    means = drawn.mean(axis=2)
    size = np.abs(means[best, sample] - means[worst, sample])
    # A shuffle says which system's value each system gets for a query: a matrix of 0 and 1, of (query, system) pairs.
    by_query = drawn.transpose(2, 0, 1).reshape(n * m, n_trials)
    reached = np.zeros(n_trials)
    for generator, n_shuffles in draws(rng, n_trials, max(n * m * m, m * n_trials)).again():
        places = shuffle(np.broadcast_to(np.arange(m)[:, None], (m, n)), generator, n_shuffles)
        gets = (places[:, :, :, None] == np.arange(m)).transpose(0, 2, 1, 3).reshape(n_shuffles * m, n * m)
        shuffled = (gets.astype(np.float64) @ by_query).reshape(n_shuffles, m, n_trials) / n
        reached += (signs(shuffled.max(axis=1) - shuffled.min(axis=1), size) >= 0).sum(axis=0)
    return float((signs(reached / n_trials, np.array(alpha)) < 0).mean())


def _topics_for(measure: str, of: _Power, delta: float, power: float, test: PowerTest) -> tuple[float, int, float]:
    """Return the difference, the fewest topics that find it, and their power."""
    low, high = 1, 2
    while of(high, delta) < power:
        low, high = high, 2 * high
        if high > _MOST[test]:
            raise ValueError(
                f"topics_needed: delta must be a difference that {_MOST[test]:,} topics find with test={test!r}; "
                f"{delta} of {measure} takes more."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if of(middle, delta) >= power else (middle, high)
    return delta, high, of(high, delta)


def _difference_for(measure: str, of: _Power, n: int, power: float, test: PowerTest) -> tuple[float, int, float]:
    """Return the smallest difference that n topics find, n, and the power."""
    if n > _MOST[test]:
        raise ValueError(f"topics_needed: n must be {_MOST[test]:,} or less with test={test!r}, not {n}.")
    low, high = 0.0, 1e-6
    while of(n, high) < power:
        low, high = high, 2 * high
        if high > _LARGEST:
            raise ValueError(
                f"topics_needed: n must be larger than {n}, at which test={test!r} finds no difference of {measure}."
            )
    while high - low > _EXACTNESS[test] * high:
        middle = (low + high) / 2
        low, high = (low, middle) if of(n, middle) >= power else (middle, high)
    return high, n, of(n, high)
