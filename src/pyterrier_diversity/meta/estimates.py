"""Estimates from values by query: expected values over the ranks where users stop, and means by a corrected judge."""

import math
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ..frames import warn
from ..measures import parse
from ..measures.composite import innermost
from ..measures.parse import value_range
from ..parameters import CUTOFF, LEVEL, Parameter
from ..warnings import SignificanceWarning
from .scores import Measures, Scores, read_scores, with_legend

_PROBABILITY = Parameter(float, interval="[0, 1]")

# With fewer judged queries, intervals of 95 % cover about 90 % in simulations.
_FEWEST = 50

_ESTIMATES = ("mean", "ci_low", "ci_high", "judged_mean", "judged_low", "judged_high")


def expected_over_cutoffs(perquery: Any, probabilities: Mapping[int, float]) -> pd.DataFrame:
    r"""Compute the expected value of a measure when users stop at rank k with probability P(k).

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them, for instance for ``[RBU @ k for k in probabilities]``. Measures with other cutoffs are ignored.
    probabilities : mapping of int to float
        The probability in [0, 1] of each cutoff. They sum to 1: count users who read further at the last cutoff.

    Returns
    -------
    DataFrame
        A frame like that of ``pt.Experiment``, for `compare` and the other functions. ``attrs`` describes the columns.

        - ``name``: the system
        - ``qid``: the query
        - ``measure``, such as ``E[RBU@k]``: the expected measure; k is the rank at which the user stops
        - ``value``: mean of the measure over the cutoffs, weighted by their probabilities

    Raises
    ------
    ValueError
        If the frame cannot be read, a cutoff or probability is out of range, or the probabilities do not sum to 1
        (within 1e-9). Also if a measure has some of the cutoffs but not all.
    TypeError
        If the probabilities are not a mapping.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    :math:`\sum_k P(k)\, M@k`. For precision and a fixed distribution P(k), this is model 4 of Carterette, such as
    ``RBAP`` with P(k) = (1 - θ)^(k - 1) θ. This function takes any distribution, such as one from a log, and any
    measure.

    References
    ----------
    Carterette (2011). System effectiveness, user models, and user utility: a conceptual framework for investigation.
    SIGIR, 903-912, Sec. 5.3. https://doi.org/10.1145/2009916.2010037

    Examples
    --------
    One of three users reads one document, and two read five: (0.9 + 2 * 0.3) / 3.

    >>> rows = [("x", "1", "RBU@1", 0.9), ("x", "1", "RBU@5", 0.3)]
    >>> frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> expected_over_cutoffs(frame, {1: 1 / 3, 5: 2 / 3})
      name qid   measure  value
    0    x   1  E[RBU@k]    0.5
    """
    who = "expected_over_cutoffs"
    if not isinstance(probabilities, Mapping):
        raise TypeError(f"{who}: probabilities must be a dict of cutoffs, not {type(probabilities).__name__}.")
    cutoffs = [CUTOFF["cutoff"].check(who, "probabilities", cutoff) for cutoff in probabilities]
    given = [_PROBABILITY.check(who, f"probability of cutoff {cutoff}", p) for cutoff, p in probabilities.items()]
    total = math.fsum(given)
    if abs(total - 1) > 1e-9:
        raise ValueError(f"{who}: probabilities must sum to 1, not {total:g}: add the rest to the last cutoff.")
    chances = {cutoff: chance for cutoff, chance in zip(cutoffs, given, strict=True) if chance}
    scores = read_scores(perquery)
    pairs = list(product(scores.systems, scores.queries))
    rows = []
    for measure, names in _names_by_cutoff(scores, chances).items():
        values = np.sum([chances[cutoff] * scores.by_measure[name] for cutoff, name in names.items()], axis=0)
        rows += [(*of, measure, value) for of, value in zip(pairs, values.flat, strict=True)]
    table = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    return with_legend(table, expected_over_cutoffs, {})


def _names_by_cutoff(scores: Scores, chances: Mapping[int, float]) -> dict[str, dict[int, str]]:
    """Return, for each expected measure, the name of its measure at each cutoff."""
    found: dict[str, dict[int, str]] = {}
    for name in scores.measures:
        measure = parse(name)
        cutoff = innermost(measure).params.get("cutoff")
        if cutoff is not None and cutoff in chances:
            before, _, after = str(measure @ 1).rpartition("@1")
            found.setdefault(f"E[{before}@k{after}]", {})[cutoff] = name
    if not found:
        raise ValueError(
            "expected_over_cutoffs: perquery must have a measure with a cutoff of "
            f"{', '.join(map(str, chances))}, but has {', '.join(scores.measures)}."
        )
    for expected, names in found.items():
        missing = [str(cutoff) for cutoff in chances if cutoff not in names]
        if missing:
            raise ValueError(f"expected_over_cutoffs: {expected} needs the cutoffs {', '.join(missing)}, too.")
    return found


def corrected_means(
    perquery: Any,
    judged: Any,
    alpha: float = 0.05,
    *,
    measures: Measures | None = None,
    baseline: str | Iterable[str] | None = None,
    tuning: bool = True,
) -> pd.DataFrame:
    r"""Correct the means from a cheap judge, such as a language model, with people's judgements of some queries.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: the values of all queries by the judgements of a cheap
        judge, as from `evaluate_runs` with ``perquery=True``.
    judged : frame, path-like, or several of them
        Like ``perquery``, with the values of some of its queries by the judgements of people. These queries must have
        been drawn at random.
    alpha : float in (0, 1)
        1 minus the confidence level of the intervals.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of ``perquery``.
    baseline : str or iterable of str, optional
        Estimate the differences of the other systems from these instead of means.
    tuning : bool
        Whether to weight the cheap judge by how well it predicts people's judgements. If not, its weight is 1.

    Returns
    -------
    DataFrame
        One row for each measure and system.

        - ``name``: the system
        - ``other`` (with ``baseline``): the baseline
        - ``measure``: the measure
        - ``mean``: corrected mean, or difference of means, over all queries
        - ``ci_low``: lower end of its confidence interval
        - ``ci_high``: upper end of its confidence interval
        - ``judged_mean``: mean, or difference of means, over the queries that people judged, by their judgements alone
        - ``judged_low``: lower end of its confidence interval
        - ``judged_high``: upper end of its confidence interval
        - ``clipped``: whether a mean or an end was outside of the measure's range, and was set to its limit
        - ``queries``: number of queries
        - ``judged``: number of queries that people judged

        An interval is NaN if all values, or all differences, are equal.
        ``attrs["legend"]`` describes the columns.

    Raises
    ------
    ValueError
        If a frame cannot be read, fewer than two queries are judged, ``judged`` has other systems or queries than
        ``perquery``, or a parameter is out of range.

    Warns
    -----
    SignificanceWarning
        If fewer than 50 queries are judged.

    Notes
    -----
    With the values :math:`\hat y` by the cheap judge on all N queries, and y by people on n of them, the mean is

    .. math:: \lambda \frac{1}{N} \sum \hat y + \frac{1}{n} \sum_{judged} (y - \lambda \hat y)

    with the variance :math:`\lambda^2 \sigma^2_{\hat y} / N + \sigma^2_{y - \lambda \hat y} / n`, and a normal
    interval. With ``tuning``, :math:`\lambda = \sigma_{y \hat y} / ((1 + n / N) \sigma^2_{\hat y})`, kept within
    [0, 1], where the variance is over the judged and all queries together. Values are those of the authors' ppi-python.

    The formulas treat the judged queries and all queries as independent samples. If more than a fifth of the queries
    are judged and the cheap judge is good, tuned intervals are too narrow: of 2,000 simulated intervals of 95 %, 94 %
    contain the mean if 200 of 2,000 queries are judged, 93 % for 200 of 1,000, and 90 % for 200 of 400. Without
    ``tuning`` they are wide enough (96 %, 96 % and 98 %).

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan, Zrnic (2023). Prediction-powered inference. Science 382(6671), 669-674.
    https://doi.org/10.1126/science.adi6000

    Angelopoulos, Duchi, Zrnic (2023). PPI++: efficient prediction-powered inference. arXiv:2311.01453.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> people = rng.random(200)
    >>> cheap = np.clip(people + 0.2, 0, 1)  # too lenient
    >>> columns = ["name", "qid", "measure", "value"]
    >>> all_queries = pd.DataFrame([("A", str(i), "RBU@5", v) for i, v in enumerate(cheap)], columns=columns)
    >>> some = pd.DataFrame([("A", str(i), "RBU@5", v) for i, v in enumerate(people[:50])], columns=columns)
    >>> corrected_means(all_queries, some)[["mean", "ci_low", "ci_high", "judged_low", "judged_high"]].round(2)
       mean  ci_low  ci_high  judged_low  judged_high
    0  0.51    0.48     0.55        0.44          0.6
    """
    alpha = LEVEL.check("corrected_means", "alpha", alpha)
    cheap = read_scores(perquery, measures)
    people = read_scores(judged, cheap.measures)
    places = _places_of_judged(cheap, people)
    first = second = np.array([cheap.systems.index(name) for name in cheap.given])
    if baseline is not None:
        first, second = cheap.pairs("corrected_means", baseline)
    parts = []
    for measure in cheap.measures:
        values = (of.by_measure[measure] for of in (cheap, people))
        predicted, observed = (of[first] if baseline is None else of[first] - of[second] for of in values)
        low, high = value_range(measure)
        bounds = (low, high) if baseline is None else (low - high, high - low)
        mean = prediction_powered(observed, np.take(predicted, places, axis=1), predicted, alpha, tuning=tuning)
        alone = _with_interval(observed.mean(axis=1), _error(observed), alpha)
        estimates = np.array([*mean, *alone])
        within = np.clip(estimates, *bounds)
        clipped = ((estimates != within) & ~np.isnan(estimates)).any(axis=0)
        parts.append(dict(zip(_ESTIMATES, within, strict=True)) | {"clipped": clipped})
    table = cheap.table(parts, first, second)
    table = table.assign(queries=len(cheap.queries), judged=len(places))
    table = table[
        ["name", *([] if baseline is None else ["other"]), "measure", *_ESTIMATES, "clipped", "queries", "judged"]
    ]
    return with_legend(table, corrected_means, {"alpha": alpha, "tuning": tuning})


def prediction_powered(
    people: np.ndarray, cheap: np.ndarray, cheap_of_all: np.ndarray, alpha: float, *, tuning: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the means of the cheap judge, corrected by people, and both ends of their intervals.

    Parameters
    ----------
    people, cheap : ndarray, shape (..., judged)
        The values of the judged queries.
    cheap_of_all : ndarray, shape (..., queries)
        The values of all queries.
    """
    n, n_all = people.shape[-1], cheap_of_all.shape[-1]
    weight = np.ones((*people.shape[:-1], 1))
    if tuning:
        deviations = (each - each.mean(axis=-1, keepdims=True) for each in (people, cheap))
        covariance = np.multiply(*deviations).mean(axis=-1, keepdims=True)
        variance = np.concatenate([cheap, cheap_of_all], axis=-1).var(axis=-1, ddof=1, keepdims=True)
        varies = np.ptp(cheap_of_all, axis=-1, keepdims=True) > 0
        weight = np.where(varies, np.clip(covariance / np.where(varies, (1 + n / n_all) * variance, 1), 0, 1), 0.0)
    rest, predicted = people - weight * cheap, weight * cheap_of_all
    error = np.hypot(_error(predicted), _error(rest))
    return _with_interval(weight[..., 0] * cheap_of_all.mean(axis=-1) + rest.mean(axis=-1), error, alpha)


def _error(values: np.ndarray) -> np.ndarray:
    """Return the standard errors of means over the last axis, with deviations that divide by N."""
    return np.where(np.ptp(values, axis=-1) > 0, values.std(axis=-1) / np.sqrt(values.shape[-1]), 0.0)


def _with_interval(mean: np.ndarray, error: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return means with both ends of their normal intervals, NaN where nothing varies."""
    from scipy.stats import norm

    half_width = norm.isf(alpha / 2) * np.where(error > 0, error, np.nan)
    return mean, mean - half_width, mean + half_width


def _places_of_judged(cheap: Scores, people: Scores) -> list[int]:
    """Return the places of the judged queries among all, or raise a ``ValueError`` if the frames do not fit."""
    if people.systems != cheap.systems:
        raise ValueError(
            f"corrected_means: judged must have the systems of perquery ({', '.join(cheap.given)}), but has "
            f"{', '.join(people.given)}."
        )
    place = {query: i for i, query in enumerate(cheap.queries)}
    others = [query for query in people.queries if query not in place]
    if others:
        raise ValueError(
            f"corrected_means: {len(others)} of {len(people.queries)} queries of judged are not in perquery, such as "
            f"{others[0]!r}."
        )
    if len(people.queries) < 2:
        raise ValueError("corrected_means: judged must have at least two queries, not 1.")
    if len(people.queries) < _FEWEST:
        few = f"corrected_means: only {len(people.queries)} queries are judged, so the intervals may be too narrow."
        warn(SignificanceWarning(f"{few} Judge at least {_FEWEST}."))
    return [place[query] for query in people.queries]
