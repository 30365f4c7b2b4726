"""Expected utility: the user's gain minus the effort of reading."""

from __future__ import annotations

import math

import numpy as np

from ..ideal import Greedy
from ..judged import Order, Ranked
from ..parameters import ALPHA, CUTOFF, FROM_0, GRADES, Parameter
from .alpha_dcg import novel_gain, weighted_probability
from .base import DiversityMeasure, Normalised, register

__all__ = ["EU", "nEU"]


class _EU(DiversityMeasure):
    r"""Expected utility: graded and weighted novelty, minus the effort of reading, discounted by rank.

    The value is negative if the effort exceeds the gain. A query that is missing from the run scores 0.

    Notes
    -----
    :Name: Expected Utility
    :Formula: \sum_i \frac{1}{1 + \log_{\mathrm{base}} i} \left( \sum_t w_t r_{it} (1 - \alpha)^{c_{it}} - e \right)
    :Source: Yang and Lad (2009); Amigó et al. (2018), Sec. 4.3

    .. cite.dblp:: conf/ictir/YangL09

    Examples
    --------
    >>> from pyterrier_diversity import EU, score
    >>> score(EU(e=0), [[1], [1]])
    0.625
    """

    RANGE = "(-inf, inf)"
    READS = ("weight",)
    SUPPORTED_PARAMS = {
        **CUTOFF,
        **ALPHA,
        "e": Parameter(float, 0.001, interval=FROM_0, desc="effort of looking at a document"),
        "base": Parameter(float, 2.0, interval="(1, inf)", desc="base of the logarithm that discounts ranks"),
        **GRADES,
    }

    def discount(self, rank: np.ndarray) -> np.ndarray:
        """Return 1 / (1 + log_base i) of each rank."""
        return 1.0 / (1.0 + np.log(rank) / math.log(self.base))

    def score(self, ranked: Ranked) -> np.ndarray:
        effort = np.cumsum(np.append(0.0, self.discount(np.arange(1.0, ranked.n.max(initial=0) + 1))))
        return ranked.total(novel_gain(ranked, self) * self.discount(ranked.rank)) - self.e * effort[ranked.n]


class _nEU(Normalised, _EU):
    r"""Normalised expected utility: EU divided by that of the greedy ideal ranking.

    The ideal ranking ends before the first document whose gain does not exceed the effort. It need not be optimal, so
    values can exceed 1. The value is 0 if the ideal ranking has no utility.

    Notes
    -----
    :Name: Normalised Expected Utility
    :Formula: \frac{\mathrm{EU}}{\mathrm{EU}^*}
    :Source: Yang and Lad (2009); Yang et al. (2007)

    .. cite.dblp:: conf/sigir/YangLLHKR07

    Examples
    --------
    >>> from pyterrier_diversity import nEU, score
    >>> score(nEU, [[1], [1]])
    1.0
    """

    gained = _EU.score

    @property
    def normaliser(self) -> Order:
        """The greedy ideal ranking."""
        return Greedy(self.alpha, weighted_probability, (self.gain, self.max_rel), least=self.e)


EU = register(_EU())
nEU = register(_nEU())
