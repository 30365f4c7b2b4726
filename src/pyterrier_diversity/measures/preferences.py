"""Concordant pairs: how often assessors prefer the documents above to the one where a user stops.

A preference is a better label for the same intent. Only the order of the labels matters.
"""

import math
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from typing import Any

import numpy as np

from ..judged import Ranked
from ..parameters import CUTOFF, REL, Parameter
from .base import DiversityMeasure
from .registration import register
from .user_models import BASE, STATIC, average_while_reading

__all__ = ["ConcordantPairs"]


class _ConcordantPairs(DiversityMeasure):
    r"""Concordant pairs: documents ranked above the one where a user stops, and preferred to it.

    A user stops at rank i. All documents above it (``above="all"``), or one of the first i at random (``"one"``), are
    compared with the document there. Those with a better label for the intent count. Only the order of labels matters:
    if the judgements are preferences, label the worst relevant document 1, the next one 2, and so on.

    ``ties=True`` also counts relevant documents with an equal label, including the one where the user stops. With
    binary labels, "all" is then ``UserModel(2, stop)``, and "one" is ``UserModel(4, stop)``.

    With ``stop="uniform"``, users stop at each rank down to the cutoff with the same probability; without a cutoff, at
    each rank of the ranking. If the better of two neighbours above the cutoff then moves up, the value does not fall.
    With the other distributions it may fall, because more users stop at the upper rank, and fewer documents are better
    than the one there.

    If all n documents are ranked and no two labels are equal, "all" with "uniform" is (n - 1)(τ + 1)/4, with Kendall's
    τ of the ranking and the labels.

    With "all" and another distribution, users who stop below the last rank count, too: each relevant document above is
    preferred to what they find there. With "one", these users add 0. According to the paper, the document is drawn from
    those "ranked above". But the measure only equals model 4, as the paper says, if the document at rank i can be
    drawn, too.

    Notes
    -----
    :Name: Concordant Pairs
    :Formula: \sum_t w_t \sum_i \frac{P(i)}{a_i} \sum_{j \le i} [d_j \succ_t d_i]
    :Where: $P(i)$ is the probability that the user stops at rank i; $a_i$ is 1 with `above='all'`, otherwise i; $d_j
        \succ_t d_i$ means $g_{jt} > g_{it}$, or $g_{jt} \ge g_{it} > 0$ with `ties`; with `above='all'` and a stop
        other than 'uniform', i continues below the last rank, where nothing is relevant
    :Values: [0, 1]; [0, inf) with above='all'
    :Source: Carterette (2011, SIGIR), Sec. 5.2
    :Equal to: Kendall's tau of scipy, on a scale from 0 to (n - 1) / 2

    .. cite.dblp:: conf/sigir/Carterette11

    References
    ----------
    Carterette (2011). System effectiveness, user models, and user utility. SIGIR, 903-912, Sec. 5.2.
    https://doi.org/10.1145/2009916.2010037

    Examples
    --------
    Of six pairs, four are concordant. Users stop at each of the four ranks with probability 1/4.

    >>> from pyterrier_diversity import ConcordantPairs, score
    >>> score(ConcordantPairs(above="all"), [[1], [3], [2], [0]])
    1.0
    """

    READS = ("weight",)
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "above": Parameter(
            str,
            "one",
            choices=("one", "all"),
            desc="which documents above the one where users stop are compared with it",
        ),
        "stop": Parameter(
            str, "uniform", choices=("uniform", *STATIC), desc="distribution of the rank at which users stop"
        ),
        "theta": Parameter(float, 0.5, interval="(0, 1]", desc="probability of stopping at a document (RBP)"),
        "ties": Parameter(bool, False, desc="also count a relevant document with an equal label"),
        **REL,
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if "theta" in self.params and self.stop != "RBP":
            raise ValueError(f"{self.NAME}: theta has no effect in {self!r}.")

    def range(self) -> tuple[float, float]:
        return 0.0, math.inf if self.above == "all" else 1.0

    def score(self, ranked: Ranked) -> np.ndarray:
        here, below = self._compared_from(ranked, ranked.rank), self._compared_from(ranked, ranked.rank + 1)
        # A document is preferred to those at its rank and below, except for those that are at least as good.
        return ranked.total(ranked.weight * (here - (here - below) * n_not_preferred(ranked, self.ties)))

    def _compared_from(self, ranked: Ranked, rank: np.ndarray) -> np.ndarray:
        """Return sum_{i >= rank} P(i) / a_i for a rank of each entry."""
        depth, n = ranked.depth[ranked.query], ranked.n[ranked.query]
        if self.above == "all":
            if self.stop == "uniform":
                return (depth + 1.0 - rank) / depth
            return STATIC[self.stop].F(rank, self.theta, BASE)
        if self.stop == "uniform":
            sums = np.cumsum(np.append(0.0, 1.0 / np.arange(1.0, n.max(initial=0) + 1)))
            return (sums[n] - sums[rank - 1]) / depth
        static = self.stop, np.full(len(rank), self.theta), BASE
        return average_while_reading(n, *static) - average_while_reading(rank - 1, *static)


def n_not_preferred(ranked: Ranked, ties: bool) -> np.ndarray:
    """Return how many relevant documents down to each entry, itself included, are not preferred to it."""
    place = bisect_left if ties else bisect_right
    above: dict[int, list[float]] = defaultdict(list)
    n = []
    for intent, label in zip(ranked.intent.tolist(), ranked.label.tolist(), strict=True):
        n.append(place(above[intent], label) + (not ties))
        insort(above[intent], label)
    return np.array(n, dtype=np.float64)


ConcordantPairs = register(_ConcordantPairs())
