"""Whether a measure ranks systems the same way on other topics, or on fewer."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ...parallel import in_parallel
from ...parameters import Parameter, Parameters, Rng, checked, generator_of, seed_of
from ..correlation.rank_correlation import correlate
from ..described import described
from ..scores import Group, Measures, families, read_scores, rounded
from .experiments import N_TRIALS, over_trials

_PARAMETERS: Parameters = {
    "n_trials": N_TRIALS,
    "fuzziness": Parameter(float, 0.05, interval="[0, inf)", desc="largest difference of means that is a tie"),
    "share": Parameter(float, 0.5, interval="(0, 1]", desc="share of the topics in a sample"),
}

_LEGEND = {
    "size": "number of topics in a sample",
    "tau": "Kendall's tau-b with the ranking of the systems by all topics, mean over the trials; NaN if all are tied",
    "sd": "standard deviation of tau over the trials (with n - 1)",
    "stability": "share of the trials in which two systems are in their more frequent order; mean over pairs",
    "ties": "share of the trials in which two systems are tied; mean over pairs",
}


def stability(
    perquery: pd.DataFrame,
    measures: Measures | None = None,
    *,
    n_trials: int = 1000,
    fuzziness: float = 0.05,
    share: float = 0.5,
    rng: Rng = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    r"""Compute how often a measure orders two systems the same way on different samples of the topics.

    Each trial draws topics without replacement and orders each pair of systems by their means. The stability is the
    share of trials with the more frequent order, averaged over the pairs.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name``, ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)`` returns them.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of the frame.
    n_trials : int >= 1
        R, the number of samples. All measures share them.
    fuzziness : float >= 0
        Two systems are tied in a trial if their means differ by at most this.
    share : float in (0, 1]
        Share of the topics in a sample, rounded down to whole topics.
    rng : int or Generator, optional
        Random seed.
    n_jobs : int, optional
        Number of parallel workers, as for joblib. It does not change the result.

    Returns
    -------
    DataFrame
        One row for each measure: ``measure``, ``stability`` and ``ties``, both in [0, 1]. The remaining trials have the
        less frequent order. ``attrs`` describes the columns, and has the parameters and ``n_topics``.

    Raises
    ------
    ValueError
        If a parameter is out of range, a sample would be empty, or there are fewer than two systems. Also if a column,
        a measure or a value is missing in the frame.

    Warns
    -----
    UserWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    :math:`\frac{1}{R |P|} \sum_{(a, b) \in P} \max(n_{a > b}, n_{b > a})` over the set P of pairs of systems. Systems
    that are always tied have a stability of 0. The fuzziness is a difference of means, as in Türkmen et al.; in Buckley
    and Voorhees it is a share of the larger mean.

    References
    ----------
    Türkmen, Lease, Kutlu (2023). New metrics to encourage innovation and diversity in information retrieval approaches.
    ECIR, 239-254, Sec. 4.4. https://doi.org/10.1007/978-3-031-28238-6_16

    Buckley, Voorhees (2000). Evaluating evaluation measure stability. SIGIR, 33-40.

    Examples
    --------
    >>> rows = [("a", "1", 0.9), ("a", "2", 0.2), ("a", "3", 0.8), ("b", "1", 0.5), ("b", "2", 0.6), ("b", "3", 0.5)]
    >>> frame = pd.DataFrame(rows, columns=["name", "qid", "value"]).assign(measure="P@5")
    >>> stability(frame, n_trials=9, share=1)
      measure  stability  ties
    0     P@5        1.0   0.0
    """
    how: dict[Any, Any] = checked("stability", _PARAMETERS, n_trials=n_trials, fuzziness=fuzziness, share=share)
    n_trials, fuzziness, share = how.values()
    scores = read_scores(perquery, measures)
    scores.need_two("stability", "systems")
    n_queries = len(scores.queries)
    n_topics = int(round(n_queries * share, 10))  # 0.29 * 100 is slightly below 29
    if n_topics < 1:
        raise ValueError(
            f"stability: share must leave at least one topic in a sample, but is {share!r} of {n_queries} topics."
        )
    # Drawn before the work is divided, so that the result does not depend on the number of workers.
    samples = _samples(generator_of(rng), n_queries, n_topics, n_trials)
    tasks = [(values, samples, fuzziness) for values in scores.unrounded.values()]
    results = in_parallel(_stability_of, tasks, n_jobs=n_jobs, what="stability")
    table = pd.DataFrame(results, columns=["stability", "ties"])
    table.insert(0, "measure", scores.measures)
    return described(table, _LEGEND, {**scores.sizes, "n_topics": n_topics, **how, **seed_of(rng)})


def topic_sampling(
    perquery: pd.DataFrame,
    measures: Measures | None = None,
    sizes: Iterable[int] = range(5, 50, 5),
    *,
    n_trials: int = 100,
    group: Group | None = None,
    rng: Rng = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Compare the ranking of the systems by a sample of the topics with the ranking by all topics.

    Each trial draws topics without replacement, the same for all measures.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them. Not changed.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of the frame.
    sizes : iterable of int
        Numbers of topics to draw, each at most the number of all topics.
    n_trials : int >= 1
        Number of samples of each size.
    group : mapping of str to str, or callable, optional
        The family of each measure, by the measure's name.
    rng : int or Generator, optional
        Random seed or generator.
    n_jobs : int, optional
        Number of parallel workers, as for joblib. It does not change the result.

    Returns
    -------
    DataFrame
        A row for each measure and size: ``measure``, ``family`` (with ``group``), ``size``, ``tau`` in [-1, 1] (mean
        over the trials), ``family_tau`` (with ``group``, mean over the family), ``sd`` and ``n_trials``. Trials in
        which all systems are tied do not count. ``attrs`` describes the columns, and has the numbers of systems and
        queries.

    Raises
    ------
    ValueError
        If the frame cannot be read or has fewer than two systems, ``sizes`` is empty, or a size or ``n_trials`` is out
        of range. Also if ``group`` has no family for a measure.

    Warns
    -----
    UserWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    Systems are ordered by their means over the topics; means that are equal to eight decimals are tied.

    References
    ----------
    Carterette (2011). System effectiveness, user models, and user utility: a conceptual framework for investigation.
    SIGIR, 903-912, Sec. 4.2. https://doi.org/10.1145/2009916.2010037

    Examples
    --------
    Two topics rank the systems one way, and one topic the other way. The mean tau of single topics is about 1/3.

    >>> values = {"1": (0.9, 0.5, 0.1), "2": (0.9, 0.5, 0.1), "3": (0.1, 0.2, 0.3)}
    >>> rows = [(name, qid, "AP", v) for qid in values for name, v in zip("xyz", values[qid])]
    >>> frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> topic_sampling(frame, sizes=[1, 3], n_trials=100, rng=1).round(2)
      measure  size   tau    sd  n_trials
    0      AP     1  0.32  0.95       100
    1      AP     3  1.00  0.00       100
    """
    who = "topic_sampling"
    n_trials = N_TRIALS.check(who, "n_trials", n_trials)
    scores = read_scores(perquery, measures)
    scores.need_two(who, "systems")
    n_queries = len(scores.queries)
    size = Parameter(int, interval=f"[1, {n_queries}]", desc="number of topics")
    drawn = size.check_each(who, "sizes", sizes)
    family_of = families(who, scores.measures, group)
    sized = zip(drawn, generator_of(rng).spawn(len(drawn)), strict=True)
    samples = [_samples(generator, n_queries, n, n_trials) for n, generator in sized]
    tasks = list(product(scores.unrounded.values(), samples))
    taus = in_parallel(_taus_of_samples, tasks, n_jobs=n_jobs, what="samples of topics")
    frame = over_trials(np.array(taus), {"measure": scores.measures, "size": drawn}, "tau", "sd")
    return described(frame, _LEGEND, {**scores.sizes, "n_trials": n_trials, **seed_of(rng)}, family_of)


def _samples(generator: np.random.Generator, n_queries: int, size: int, n_trials: int) -> np.ndarray:
    """Draw topics without replacement. Return 1 for each topic of a trial and 0 for others, shape (trials, queries)."""
    topics = generator.permuted(np.tile(np.arange(n_queries), (n_trials, 1)), axis=1)[:, :size]
    samples = np.zeros((n_trials, n_queries))
    np.put_along_axis(samples, topics, 1.0, axis=1)
    return samples


def _means(values: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return the means of each sample, shape (systems, trials), from values of shape (systems, queries)."""
    return np.asarray(values @ samples.T / samples.sum(axis=1))


def _taus_of_samples(values: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return tau of each sample of topics with all topics, shape (trials,)."""
    return correlate(rounded(_means(values, samples)).T, rounded(values.mean(axis=1))[None])[:, 0]


def _stability_of(values: np.ndarray, samples: np.ndarray, fuzziness: float) -> tuple[float, float]:
    """Return the stability and the share of ties of a measure."""
    means = _means(values, samples)
    majorities, ties, n_pairs = 0, 0, len(means) * (len(means) - 1) // 2
    for i, mean in enumerate(means[:-1]):
        differences = rounded(mean - means[i + 1 :])
        higher = np.count_nonzero(differences > fuzziness, axis=1)
        lower = np.count_nonzero(differences < -fuzziness, axis=1)
        majorities += int(np.maximum(higher, lower).sum())
        ties += int((len(samples) - higher - lower).sum())
    return majorities / (n_pairs * len(samples)), ties / (n_pairs * len(samples))
