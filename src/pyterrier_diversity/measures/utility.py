"""Expected utility: what a user gains, less the effort of reading."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import share
from ..ideal import greedy_gains
from ..ideal.greedy import TIE
from ..judged import JudgedRankings
from ..parameters import ALPHA, CUTOFF, GRADES, Parameter
from .base import register
from .cascade import GradedNovelty, discounted


class _EU(GradedNovelty):
    """Expected utility: what a user gains from a ranking, less the effort of reading it, discounted by rank.

    Negative where the effort outweighs the gain; a query that the run lacks scores 0.

    .. cite.dblp:: conf/ictir/YangL09
    """

    NAME = __name__ = "EU"
    PRETTY_NAME = "Expected Utility"
    SHORT_DESC = "Graded, weighted novelty less the effort of reading, discounted by rank."
    FORMULA = "sum_i 1/(1 + log_base i) (sum_t w_t r_it (1-alpha)^c_it - e)"
    SOURCE = "Yang and Lad (2009); Amigó et al. (2018), Sec. 4.3"
    RANGE = "(-inf, inf)"
    SUPPORTED_PARAMS = {
        **CUTOFF,
        **ALPHA,
        "e": Parameter(float, 0.05, interval="[0, inf)", desc="effort of looking at a document"),
        "base": Parameter(float, 2.0, interval="(1, inf)", desc="base of the logarithm that discounts ranks"),
        **GRADES,
    }

    def discount(self, ranks: np.ndarray) -> np.ndarray:
        """Return 1 / (1 + log_base rank)."""
        return 1.0 / (1.0 + np.log(ranks) / math.log(self["base"]))

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        discounts = np.cumsum(np.append(0.0, self.discount(np.arange(1.0, ranked.n.max(initial=0) + 1))))
        return discounted(self.gains(ranked), self.discount, ranked.ranks) - self["e"] * discounts[ranked.n]


class _nEU(_EU):
    """Expected utility over that of the greedy ideal ranking.

    The ideal stops before the first document whose gain does not exceed the effort. Greedy need not be optimal, so that
    values above 1 are possible; 0 where the ideal is worth nothing.

    .. cite.dblp:: conf/sigir/YangLLHW07
    """

    NAME = __name__ = "nEU"
    PRETTY_NAME = "Normalised Expected Utility"
    SHORT_DESC = "Graded, weighted novelty less the effort of reading, over the greedy ideal."
    FORMULA = "EU / EU of the greedy ideal ranking, which stops before the first gain <= e"
    SOURCE = "Yang and Lad (2009); Yang et al. (2007)"

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        key = "utility", *(self[name] for name in ("alpha", "e", "gain", "max_rel")), ranked.cutoff
        surplus = ranked.ideal(key, self._greedy_surplus)
        return share(super().score(ranked), discounted(surplus, self.discount))

    def _greedy_surplus(self, every: JudgedRankings) -> np.ndarray:
        """Return gain less effort at each rank of the ideal; 0 where it has stopped."""
        worth = every.probability(self) * every.weights[:, None]
        gains = greedy_gains(every.relevant, worth=worth, alpha=self["alpha"], depth=self["cutoff"])
        surplus = gains - self["e"]
        # A gain that exceeds the effort by rounding only does not.
        return np.where(np.logical_and.accumulate(surplus > TIE * gains, axis=-1), surplus, 0.0)


EU = register(_EU())
nEU = register(_nEU())
