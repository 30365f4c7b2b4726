"""Family-wise error: how often a test finds a difference among systems that do not differ."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...parallel import in_parallel
from ...parameters import Parameter, Rng
from ..scores import Measures, generators, read_scores, rounded
from .randomisation import draws, shuffle
from .tests import TESTS, Design, Groups, Test, corrected, design, tested

_SHUFFLES = Parameter(int, 200, interval="[1, inf)", desc="number of shuffles")

_LEGEND = {
    "measure": "the measure",
    "pairs": "number of pairs of systems",
    "independent": "probability of at least one significant pair by chance if the tests were independent",
    "error": "share of the shuffles with at least one significant pair: the family-wise error rate",
    "significant": "number of significant pairs in a shuffle; mean over shuffles",
}


def family_wise_error(
    perquery: pd.DataFrame,
    test: Test = "bootstrap",
    measures: Measures | None = None,
    *,
    groups: Groups = "all",
    correction: str | None = None,
    alpha: float = 0.05,
    n_shuffles: int = 200,
    n_trials: int | None = None,
    rng: Rng = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    r"""Measure how often a test finds a significant pair among systems that do not differ.

    Each shuffle gives the values of every query to the systems at random, so that no system is better than another.
    Then all pairs are tested. The family-wise error rate is the share of the shuffles in which a pair is significant.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them. Not changed.
    test, measures, groups, correction, alpha, n_trials
        As in `compare`. A correction counts the pairs of one measure.
    n_shuffles : int >= 1
        Number of shuffles.
    rng : int or Generator, optional
        Seed or source of randomness. The order of rows and systems does not change the result.
    n_jobs : int, optional
        Number of parallel workers, as for joblib. It does not change the result.

    Returns
    -------
    DataFrame
        A row for each measure: ``measure``; ``pairs``; ``independent``, :math:`1 - (1 - \alpha)^{pairs}`, or alpha with
        a correction or an HSD test over all systems; ``error`` in [0, 1]; and ``significant``, the mean number of
        significant pairs of a shuffle. ``attrs`` describes the columns and the test.

    Raises
    ------
    ValueError
        As in `compare`, or if ``n_shuffles`` is out of range.

    Warns
    -----
    UserWarning
        If queries are left out, as in `compare`.

    Notes
    -----
    Pairs share systems, so their tests depend on each other, and the rate is lower than for independent tests. An
    ``error`` of r from n shuffles has the standard error :math:`\sqrt{r(1 - r)/n}`.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Secs. 4.1 and 5.1.

    Examples
    --------
    >>> values = np.random.default_rng(1).random((20, 24))
    >>> rows = [(f"s{i}", str(q), "RBU", v) for i, row in enumerate(values) for q, v in enumerate(row)]
    >>> frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> family_wise_error(frame, "t", rng=1).drop(columns="significant").round(4)
      measure  pairs  independent  error
    0     RBU    190       0.9999   0.94
    """
    who = "family_wise_error"
    n_shuffles = _SHUFFLES.check(who, "n_shuffles", n_shuffles)
    scores = read_scores(perquery, measures)
    how = design(who, scores, test, groups=groups, n_trials=n_trials, alpha=alpha, correction=correction, rng=rng)
    values = np.array(list(scores.by_measure.values()))
    tasks = [(values, generator, how) for generator in generators(rng, n_shuffles)]
    found = np.array(in_parallel(_n_significant, tasks, n_jobs=n_jobs, what="family-wise error"))
    n_pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    controlled = how.correction is not None or (TESTS[test].of_all is not None and groups == "all")
    table = pd.DataFrame(
        {
            "measure": scores.measures,
            "pairs": n_pairs,
            "independent": how.alpha if controlled else 1 - (1 - how.alpha) ** n_pairs,
            "error": (found > 0).mean(axis=0),
            "significant": found.mean(axis=0),
        }
    )
    table.attrs = {"legend": dict(_LEGEND), **how.described(scores), "n_shuffles": n_shuffles}
    return table


def _n_significant(values: np.ndarray, generator: np.random.Generator, how: Design) -> np.ndarray:
    """Return the number of significant pairs by each measure in one shuffle, the same for all measures.

    ``values`` have the shape (measures, systems, queries).
    """
    n_systems, n_queries = values.shape[1:]
    order = shuffle(np.tile(np.arange(n_systems)[:, None], n_queries), generator, 1)[0].T
    first, second = np.triu_indices(n_systems, 1)
    how = how._replace(draws=draws(generator, how.draws.n, n_systems * n_queries))
    counts = []
    for of_measure in values:
        p = tested(np.take_along_axis(of_measure, order, axis=0), first, second, how).p
        p = p if how.correction is None else corrected(p, how.correction, 1)
        counts.append(np.count_nonzero(rounded(p) < rounded(how.alpha)))
    return np.array(counts)
