"""Stability: how often a measure orders two systems the same way on other topics."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..parallel import in_parallel
from ..parameters import Parameter, Parameters, Rng, checked, generator_of, seed_of
from .scores import Measures, read_scores, signs

_PARAMETERS: Parameters = {
    "n_trials": Parameter(int, 1000, interval="[1, inf)", desc="number of samples of topics"),
    "fuzziness": Parameter(float, 0.05, interval="[0, inf)", desc="largest difference of means that is a tie"),
    "share": Parameter(float, 0.5, interval="(0, 1]", desc="share of the topics in a sample"),
}

_LEGEND = {
    "measure": "the measure",
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
    n_trials, fuzziness, share = checked(
        "stability", _PARAMETERS, n_trials=n_trials, fuzziness=fuzziness, share=share
    ).values()
    scores = read_scores(perquery, measures)
    scores.need_two("stability", "systems")
    n_topics = _size_of_sample(len(scores.queries), share)
    # Drawn before the work is divided, so that the result does not depend on the number of workers.
    topics = np.tile(np.arange(len(scores.queries)), (n_trials, 1))
    topics = generator_of(rng).permuted(topics, axis=1)[:, :n_topics]
    tasks = [(values, topics, fuzziness) for values in scores.by_measure.values()]
    results = in_parallel(_of_measure, tasks, n_jobs=n_jobs, what="stability")
    table = pd.DataFrame(results, columns=["stability", "ties"])
    table.insert(0, "measure", scores.measures)
    table.attrs = {
        "legend": dict(_LEGEND),
        **scores.sizes,
        "n_topics": n_topics,
        "n_trials": n_trials,
        "fuzziness": fuzziness,
        "share": share,
        **seed_of(rng),
    }
    return table


def _size_of_sample(n_queries: int, share: float) -> int:
    # 0.29 * 100 is slightly below 29.
    n_topics = int(np.floor(n_queries * share * (1 + 1e-12)))
    if n_topics < 1:
        raise ValueError(
            f"stability: share must leave at least one topic in a sample, but is {share!r} of {n_queries} topics."
        )
    return n_topics


def _of_measure(values: np.ndarray, topics: np.ndarray, fuzziness: float) -> tuple[float, float]:
    """Return the stability and the share of ties of a measure.

    Parameters
    ----------
    values : ndarray, shape (systems, queries)
        Values of the measure.
    topics : ndarray of int, shape (trials, topics)
        The queries of each sample.
    fuzziness : float
        Largest difference of means that is a tie.
    """
    n_trials, n_topics = topics.shape
    sampled = np.zeros((n_trials, values.shape[1]))
    np.put_along_axis(sampled, topics, 1.0, axis=1)
    means = values @ sampled.T / n_topics
    majorities, ordered, n_pairs = 0, 0, 0
    for i, mean in enumerate(means[:-1]):
        difference = mean - means[i + 1 :]
        order = np.sign(difference) * (signs(np.abs(difference), np.array(fuzziness)) > 0)
        higher, lower = np.count_nonzero(order > 0, axis=1), np.count_nonzero(order < 0, axis=1)
        majorities += int(np.maximum(higher, lower).sum())
        ordered += int((higher + lower).sum())
        n_pairs += len(difference)
    return majorities / (n_pairs * n_trials), 1 - ordered / (n_pairs * n_trials)
