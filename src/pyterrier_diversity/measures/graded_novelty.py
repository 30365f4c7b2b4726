r"""Graded novelty: the forms of alpha-DCG and NRBP with graded labels and intent weights, and expected utility.

All have the gain :math:`\sum_t w_t r_{it} (1 - \alpha)^{c_{it}}` and differ in the discount by rank, and in whether
reading costs effort. They are those of Amigó et al. (2018), Sec. 4.3.
"""

import math

import numpy as np

from ..arithmetic import power
from ..ideal import Greedy, log_discount
from ..judged import Gain, Order, Ranked
from ..parameters import ALPHA, CUTOFF, FROM_0, GRADES, Parameter
from .base import DiversityMeasure, FromZero, Normalised
from .registration import register

__all__ = ["EU", "NRBP_IA", "alpha_DCG_IA", "alpha_nDCG_IA", "nEU"]


def weighted_probability(ranked: Ranked, gain: Gain, max_rel: float | None) -> np.ndarray:
    """Return w_t r_it: the gain of a document for an intent that no document above it covers."""
    return ranked.weight * ranked.probability({"gain": gain, "max_rel": max_rel})


def novel_gain(ranked: Ranked, who: DiversityMeasure) -> np.ndarray:
    """Return w_t r_it (1 - alpha)^c_it of each entry."""
    return ranked.weight * ranked.probability(who) * ranked.novelty(who.alpha)


class _alpha_DCG_IA(FromZero):
    r"""Alpha-DCG with graded labels and intent weights, as defined in the axiomatic analysis of Amigó et al. (2018).

    Not normalised. With ``gain="binary"`` and uniform weights it is alpha-DCG divided by the number of intents.

    Notes
    -----
    :Name: Intent-Aware Alpha Discounted Cumulative Gain
    :Formula: \sum_i \frac{1}{\log_2(i + 1)} \sum_t w_t r_{it} (1 - \alpha)^{c_{it}}
    :Source: Amigó et al. (2018), Sec. 4.3

    .. cite.dblp:: conf/sigir/AmigoSC18

    Examples
    --------
    >>> from pyterrier_diversity import alpha_DCG_IA, score
    >>> score(alpha_DCG_IA, [[1, 1]])
    0.5
    """

    READS = ("weight",)
    SUPPORTED_PARAMS = {**CUTOFF, **ALPHA, **GRADES}

    def score(self, ranked: Ranked) -> np.ndarray:
        return ranked.total(novel_gain(ranked, self) * log_discount(ranked.rank))


class _alpha_nDCG_IA(Normalised, _alpha_DCG_IA):
    r"""Alpha-nDCG with graded labels and intent weights: `alpha_DCG_IA` divided by that of the greedy ideal ranking.

    With ``gain="binary"`` and uniform weights it is alpha-nDCG. The greedy ranking need not be optimal: with graded
    labels, a document with a low label can use up the novelty of an intent. Values can then be far above 1.

    Notes
    -----
    :Name: Intent-Aware Alpha Normalised Discounted Cumulative Gain
    :Formula: \frac{\alpha\text{-DCG}}{\alpha\text{-DCG}^*}, \quad \alpha\text{-DCG} = \sum_i \frac{1}{\log_2(i + 1)}
        \sum_t w_t r_{it} (1 - \alpha)^{c_{it}}
    :Source: Clarke et al. (2008); Amigó et al. (2018), Sec. 4.3

    .. cite.dblp:: conf/sigir/AmigoSC18

    Examples
    --------
    >>> from pyterrier_diversity import alpha_nDCG_IA, score
    >>> score(alpha_nDCG_IA @ 1, [[4, 0], [0, 4]], weights=[1, 2])
    0.5
    """

    gained = _alpha_DCG_IA.score

    @property
    def normaliser(self) -> Order:
        """The greedy ideal ranking."""
        return Greedy(self.alpha, weighted_probability, (self.gain, self.max_rel))


class _NRBP_IA(FromZero):
    r"""Novelty- and rank-biased precision with graded labels and intent weights.

    Not normalised. With ``gain="binary"`` and uniform weights it is ``NRBP / (1 - (1 - alpha) p)`` for ``beta=p``.

    Notes
    -----
    :Name: Intent-Aware Novelty- and Rank-Biased Precision
    :Formula: \sum_i p^{i - 1} \sum_t w_t r_{it} (1 - \alpha)^{c_{it}}
    :Source: Clarke et al. (2009); Amigó et al. (2018), Sec. 4.3

    .. cite.dblp:: conf/sigir/AmigoSC18

    Examples
    --------
    >>> from pyterrier_diversity import NRBP_IA, score
    >>> score(NRBP_IA(p=0.5), [[1, 1], [1, 1]])
    0.625
    """

    READS = ("weight",)
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "p": Parameter(float, 0.8, interval="(0, 1]", desc="probability of going on to the next document"),
        **ALPHA,
        **GRADES,
    }

    def score(self, ranked: Ranked) -> np.ndarray:
        return ranked.total(novel_gain(ranked, self) * power(self.p, ranked.rank - 1))


class _EU(DiversityMeasure):
    r"""Expected utility: graded and weighted novelty, minus the effort of reading, discounted by rank.

    The value is negative if the effort exceeds the gain. A query that is missing from the run scores 0.

    Notes
    -----
    :Name: Expected Utility
    :Formula: \sum_i \frac{1}{1 + \log_{\mathrm{base}} i} \left( \sum_t w_t r_{it} (1 - \alpha)^{c_{it}} - e \right)
    :Values: [-e k, inf)
    :Source: Yang and Lad (2009); Amigó et al. (2018), Sec. 4.3

    .. cite.dblp:: conf/ictir/YangL09

    Examples
    --------
    >>> from pyterrier_diversity import EU, score
    >>> score(EU(e=0), [[1], [1]])
    0.625
    """

    READS = ("weight",)
    SUPPORTED_PARAMS = {
        **CUTOFF,
        **ALPHA,
        "e": Parameter(float, 0.001, interval=FROM_0, desc="effort of looking at a document"),
        "base": Parameter(float, 2.0, interval="(1, inf)", desc="base of the logarithm that discounts ranks"),
        **GRADES,
    }

    def range(self) -> tuple[float, float]:
        return -self.e * (self.get("cutoff") or math.inf) if self.e else 0.0, math.inf

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
    :Values: (-inf, inf)
    :Source: Yang and Lad (2009); Yang et al. (2007)

    .. cite.dblp:: conf/sigir/YangLLHKR07

    Examples
    --------
    >>> from pyterrier_diversity import nEU, score
    >>> score(nEU, [[1], [1]])
    1.0
    """

    gained = _EU.score
    range = DiversityMeasure.range

    @property
    def normaliser(self) -> Order:
        """The greedy ideal ranking."""
        return Greedy(self.alpha, weighted_probability, (self.gain, self.max_rel), least=self.e)


alpha_DCG_IA = register(_alpha_DCG_IA())
alpha_nDCG_IA = register(_alpha_nDCG_IA())
NRBP_IA = register(_NRBP_IA())
EU = register(_EU())
nEU = register(_nEU())
