"""Measures of novelty that discount an intent each time that it is met: alpha-DCG, ERR-IA, NRBP.

All three have one gain, sum_t J_it (1 - alpha)^c_it, and differ in the discount by rank. Their values are those of
ndeval 4.5 with ``-traditional``: binary labels, uniform weights. The forms of Amigó et al. (2018) are graded and
weighted, sum_t w_t r_it (1 - alpha)^c_it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import ir_measures
import numpy as np
import numpy.typing as npt

from ..arrays import left_before, over_documents, over_intents, ranks_of, share
from ..ideal import greedy_gains, rank_exactly, rank_greedily
from ..judged import JudgedRankings
from ..parameters import ALPHA, CUTOFF, GRADES, JUDGED_ONLY, REL, TIME_LIMIT, Parameter, Parameters
from .base import DiversityMeasure, register, search

Discount = Callable[[np.ndarray], np.ndarray]

# ndeval's ERR-IA has the redundancy of alpha-DCG, which ir_measures leaves at its default.
ERR_IA_ALPHA = 0.5

# Greedy reaches 1 - 1/e of the best at every rank, the gains being submodular (Nemhauser et al. 1978).
GREEDY_RANGE = "[0, 1.582]"

# Ranks of a perfect list that are summed at the most.
MAX_TERMS = 10_000_000

BETA: Parameters = {
    "beta": Parameter(float, 0.5, interval="[0, 1)", desc="patience: probability of going on to the next document")
}


def log_discount(ranks: np.ndarray) -> np.ndarray:
    """Return 1 / log2(rank + 1), of DCG."""
    return 1.0 / np.log2(ranks + 1.0)


def reciprocal_discount(ranks: np.ndarray) -> np.ndarray:
    """Return 1 / rank, of ERR."""
    return 1.0 / ranks


def geometric_discount(beta: float) -> Discount:
    """Return the discount beta^(rank - 1), of RBP."""
    return lambda ranks: np.power(beta, ranks - 1.0)


def novelty_gain(relevant: npt.ArrayLike, *, worth: npt.ArrayLike | None = None, alpha: float = 0.5) -> np.ndarray:
    r"""Compute the gain of each document over those above it.

    Parameters
    ----------
    relevant : array_like, shape (..., n_docs, n_intents)
        1 where a document is relevant to an intent, else 0; best rank first.
    worth : array_like, shape (..., n_docs, n_intents), optional
        :math:`v`, what a document is worth to an intent that was not met yet; ``relevant`` if omitted.
    alpha : float in [0, 1]
        How much an intent is worth less each time that it is met.

    Returns
    -------
    ndarray, shape (..., n_docs)
        :math:`\sum_t v_{it} (1 - \alpha)^{c_{it}}`, :math:`c_{it}` being the relevant documents above rank i.

    References
    ----------
    Clarke et al. (2008). Novelty and diversity in information retrieval evaluation. SIGIR, 659-666.
    https://doi.org/10.1145/1390334.1390446

    Examples
    --------
    >>> novelty_gain([[1, 0], [1, 1]])
    array([1. , 1.5])
    """
    relevant = np.asarray(relevant, dtype=np.float64)
    # (1 - alpha)^c as a product over the documents above: cheaper than a power.
    gains = left_before(alpha * relevant, axis=-2)
    gains *= relevant if worth is None else np.asarray(worth, dtype=np.float64)
    return over_intents(gains)


def discounted(gains: npt.ArrayLike, discount: Discount, ranks: npt.ArrayLike | None = None) -> np.ndarray:
    """Sum gains of shape (..., n_docs), each times the discount at its rank; ranks 1, 2, 3, ... if omitted."""
    gains = np.asarray(gains, dtype=np.float64)
    return over_documents(gains * discount(ranks_of(ranks, gains.shape[-1])))


def _underflow(base: float) -> float:
    """Return an exponent at which a power of ``base`` in [0, 1] is 0; infinity for 1."""
    if base == 1:
        return math.inf
    return 2 if base == 0 else math.ceil(-746 / math.log(base)) + 1


class _Novelty(DiversityMeasure):
    """A discounted sum of novelty gains, by default over that of the greedy ideal ranking."""

    alpha = property(lambda self: self["alpha"])

    @property
    def discount(self) -> Discount:
        """How much a gain is worth at a rank."""
        raise NotImplementedError

    def value(self, ranked: JudgedRankings) -> np.ndarray:
        """Return the discounted sum of the ranking."""
        return discounted(novelty_gain(ranked.relevant, alpha=self.alpha), self.discount, ranked.ranks)

    def over_perfect(self, ranked: JudgedRankings, total: float) -> np.ndarray:
        """Return the value over ``total`` for each intent, that of a list of documents relevant to all intents."""
        return share(self.value(ranked), total * ranked.n_intents)

    def over_ideal(self, ranked: JudgedRankings) -> np.ndarray:
        """Return the value over that of the greedy ideal ranking."""
        gains = ranked.ideal(
            ("greedy", self.alpha, ranked.cutoff),
            lambda every: greedy_gains(every.relevant, alpha=self.alpha, depth=ranked.cutoff),
        )
        return self.over(ranked, gains)

    def over(self, ranked: JudgedRankings, ideal_gains: np.ndarray) -> np.ndarray:
        """Return the value over that of a list of gains."""
        return share(self.value(ranked), discounted(ideal_gains, self.discount))

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return self.over_ideal(ranked)

    def best_rankings(self, every: JudgedRankings, depth: int | None, time_limit: float) -> Sequence[np.ndarray]:
        """Search for the highest discounted sum."""
        given: dict[str, Any] = {"alpha": self.alpha, "discount": self.discount, "depth": depth}
        return search(every, lambda relevant: rank_exactly(relevant, **given, time_limit=time_limit), self)

    def greedy_rankings(self, every: JudgedRankings, depth: int | None) -> Sequence[np.ndarray]:
        """Take the largest gain at each rank, whatever its discount."""
        docs = rank_greedily(every.relevant, alpha=self.alpha, depth=depth).docs
        return [ranking[:n] for ranking, n in zip(docs, every.n.tolist(), strict=True)]


class _CutoffNovelty(_Novelty):
    """Novelty over a perfect list of the cutoff's length, which it therefore needs."""

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        if ranked.cutoff is None:
            raise ValueError(
                f"{self.NAME} needs a cutoff, as in {self.NAME}@20: it divides by a perfect list of that length."
            )
        # (1 - alpha)^i underflows to 0 at the latest there: a cutoff that stands for "all" costs nothing.
        n_terms = min(ranked.cutoff, _underflow(1 - self.alpha))
        if n_terms > MAX_TERMS:
            raise ValueError(f"{self}: the cutoff may be at most {MAX_TERMS} with so small an alpha.")
        ranks = np.arange(1.0, n_terms + 1)
        perfect = float((np.power(1.0 - self.alpha, ranks - 1) * self.discount(ranks)).sum())
        return self.over_perfect(ranked, perfect)


class _alpha_DCG(_CutoffNovelty):
    """Alpha-DCG over a list whose every document is relevant to all intents.

    Equal to ndeval's; at cutoff 1, where ndeval leaves it out, it is divided too.

    .. cite.dblp:: conf/sigir/ClarkeKCVABM08
    """

    NAME = __name__ = "alpha_DCG"
    PRETTY_NAME = "Alpha Discounted Cumulative Gain"
    SHORT_DESC = "DCG whose gains shrink each time that an intent is met, over a perfect list."
    FORMULA = "sum_i 1/log2(i+1) sum_t J_it (1-alpha)^c_it / (|T| sum_i (1-alpha)^(i-1)/log2(i+1))"
    SOURCE = "Clarke et al. (2008); ndeval 4.5"
    EQUALS = "ndeval 4.5 with -traditional, which does not divide at the cutoff 1"
    EXAMPLE = "alpha_DCG@20"
    SUPPORTED_PARAMS = {**CUTOFF, **ALPHA, **REL, **JUDGED_ONLY}
    discount = property(lambda self: log_discount)


class _ERR_IA(_CutoffNovelty):
    """Intent-aware expected reciprocal rank over a list whose every document is relevant to all intents.

    Equal to ndeval's with its alpha of 0.5; at cutoff 1, where ndeval leaves it out, it is divided too.

    .. cite.dblp:: conf/cikm/ChapelleMZG09
    """

    NAME = __name__ = "ERR_IA"
    PRETTY_NAME = "Intent-Aware Expected Reciprocal Rank"
    SHORT_DESC = "ERR averaged over the intents, binary labels, over a perfect list."
    FORMULA = "sum_i 1/i sum_t J_it 0.5^c_it / (|T| sum_i 0.5^(i-1)/i)"
    SOURCE = "Chapelle et al. (2009); ndeval 4.5"
    EQUALS = "ndeval 4.5 with -traditional, which does not divide at the cutoff 1"
    EXAMPLE = "ERR_IA@20"
    SUPPORTED_PARAMS = {**CUTOFF, **REL, **JUDGED_ONLY}
    alpha = ERR_IA_ALPHA
    discount = property(lambda self: reciprocal_discount)


class _alpha_nDCG(_Novelty):
    """Alpha-DCG over that of the greedy ideal ranking; equal to ndeval's at any cutoff.

    .. cite.dblp:: conf/sigir/ClarkeKCVABM08
    """

    NAME = __name__ = "alpha_nDCG"
    PRETTY_NAME = "Alpha Normalised Discounted Cumulative Gain"
    SHORT_DESC = "DCG whose gains shrink each time that an intent is met, over the greedy ideal."
    FORMULA = "sum_i 1/log2(i+1) sum_t J_it (1-alpha)^c_it / the same for the greedy ideal ranking"
    SOURCE = "Clarke et al. (2008); ndeval 4.5"
    EQUALS = "ndeval 4.5 with -traditional"
    RANGE = GREEDY_RANGE
    SUPPORTED_PARAMS = {**CUTOFF, **ALPHA, **REL, **JUDGED_ONLY}
    discount = property(lambda self: log_discount)


class _nERR_IA(_Novelty):
    """Intent-aware expected reciprocal rank over that of the greedy ideal ranking; equal to ndeval's at any cutoff.

    .. cite.dblp:: conf/cikm/ChapelleMZG09
    """

    NAME = __name__ = "nERR_IA"
    PRETTY_NAME = "Intent-Aware Normalised Expected Reciprocal Rank"
    SHORT_DESC = "ERR averaged over the intents, binary labels, over the greedy ideal."
    FORMULA = "sum_i 1/i sum_t J_it 0.5^c_it / the same for the greedy ideal ranking"
    SOURCE = "Chapelle et al. (2009); ndeval 4.5"
    EQUALS = "ndeval 4.5 with -traditional"
    RANGE = GREEDY_RANGE
    SUPPORTED_PARAMS = {**CUTOFF, **REL, **JUDGED_ONLY}
    alpha = ERR_IA_ALPHA
    discount = property(lambda self: reciprocal_discount)


class _NRBP(_Novelty):
    """Novelty- and rank-biased precision over the infinite list of documents relevant to all intents.

    .. cite.dblp:: conf/ictir/ClarkeKV09
    """

    NAME = __name__ = "NRBP"
    PRETTY_NAME = "Novelty- and Rank-Biased Precision"
    SHORT_DESC = "RBP whose gains shrink each time that an intent is met."
    FORMULA = "(1 - (1-alpha) beta)/|T| sum_i beta^(i-1) sum_t J_it (1-alpha)^c_it"
    SOURCE = "Clarke et al. (2009); ndeval 4.5"
    EQUALS = "ndeval 4.5 with -traditional"
    SUPPORTED_PARAMS = {**ALPHA, **BETA, **REL}

    @property
    def discount(self) -> Discount:
        """beta^(i-1)."""
        return geometric_discount(self["beta"])

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return self.over_perfect(ranked, 1 / (1 - (1 - self["alpha"]) * self["beta"]))


class _nNRBP(_NRBP):
    """Novelty- and rank-biased precision over that of the greedy ideal ranking.

    .. cite.dblp:: conf/ictir/ClarkeKV09
    """

    NAME = __name__ = "nNRBP"
    PRETTY_NAME = "Normalised Novelty- and Rank-Biased Precision"
    SHORT_DESC = "RBP whose gains shrink each time that an intent is met, over the greedy ideal."
    FORMULA = "sum_i beta^(i-1) sum_t J_it (1-alpha)^c_it / the same for the greedy ideal ranking"
    SOURCE = "Clarke et al. (2009); ndeval 4.5"
    EQUALS = "ndeval 4.5 with -traditional"
    RANGE = GREEDY_RANGE

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return self.over_ideal(ranked)


class _alpha_nDCG_exact(_Novelty):
    """Alpha-DCG over the highest that there is, which is proven; alpha_nDCG divides by the greedy approximation.

    A best ranking differs with the cutoff, so that no system can score 1 at every cutoff. Where the proof takes longer
    than ``time_limit`` seconds for a query, `NotProvenError` carries the best value found and the proven bound.

    .. cite.dblp:: journals/ir/Carterette11
    """

    NAME = __name__ = "alpha_nDCG_exact"
    PRETTY_NAME = "Alpha Normalised Discounted Cumulative Gain over the Optimum"
    SHORT_DESC = "DCG whose gains shrink each time that an intent is met, over the proven optimum."
    FORMULA = "sum_i 1/log2(i+1) sum_t J_it (1-alpha)^c_it / max over rankings of the same"
    SOURCE = "Clarke et al. (2008); Carterette (2011, Inf. Retr.), Sec. 2.1.3"
    EQUALS = "the worked example of Carterette (2011, Inf. Retr.), Sec. 2.3"
    SUPPORTED_PARAMS = {**CUTOFF, **ALPHA, **REL, **TIME_LIMIT, **JUDGED_ONLY}
    discount = property(lambda self: log_discount)

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return self.over(ranked, ranked.ideal(("exact", self.alpha, ranked.cutoff), self._best_gains))

    def _best_gains(self, every: JudgedRankings) -> np.ndarray:
        """Return the gains of a best ranking of the documents."""
        gains = np.zeros(every.labels.shape[:2])
        for row, docs in enumerate(self.best_rankings(every, self["cutoff"], self["time_limit"])):
            gains[row, : len(docs)] = novelty_gain(every.relevant[row, docs], alpha=self.alpha)
        return gains


class GradedNovelty(DiversityMeasure):
    """A discounted sum of graded novelty gains, by the intents' weights."""

    READS = ("weight",)

    def gains(self, ranked: JudgedRankings) -> np.ndarray:
        """Return the gain of each document over those above it."""
        worth = ranked.probability(self) * ranked.weights[:, None]
        return novelty_gain(ranked.relevant, worth=worth, alpha=self["alpha"])


class _alpha_DCG_IA(GradedNovelty):
    """Alpha-DCG with graded labels and the intents' weights, as it is compared in the axiomatic analysis.

    Not normalised. With ``gain="binary"`` and uniform weights it is alpha-DCG over the number of intents.

    .. cite.dblp:: conf/sigir/AmigoSC18
    """

    NAME = __name__ = "alpha_DCG_IA"
    PRETTY_NAME = "Intent-Aware Alpha Discounted Cumulative Gain"
    SHORT_DESC = "Graded, weighted DCG whose gains shrink each time that an intent is met."
    FORMULA = "sum_i 1/log2(i+1) sum_t w_t r_it (1-alpha)^c_it"
    SOURCE = "Amigó et al. (2018), Sec. 4.3"
    RANGE = "[0, inf)"
    SUPPORTED_PARAMS = {**CUTOFF, **ALPHA, **GRADES}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return discounted(self.gains(ranked), log_discount, ranked.ranks)


class _NRBP_IA(GradedNovelty):
    """Novelty- and rank-biased precision with graded labels and the intents' weights.

    Not normalised. With ``gain="binary"`` and uniform weights it is ``NRBP / (1 - (1 - alpha) p)``, beta being p.

    .. cite.dblp:: conf/sigir/AmigoSC18
    """

    NAME = __name__ = "NRBP_IA"
    PRETTY_NAME = "Intent-Aware Novelty- and Rank-Biased Precision"
    SHORT_DESC = "Graded, weighted RBP whose gains shrink each time that an intent is met."
    FORMULA = "sum_i p^(i-1) sum_t w_t r_it (1-alpha)^c_it"
    SOURCE = "Clarke et al. (2009); Amigó et al. (2018), Sec. 4.3"
    RANGE = "[0, inf)"
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "p": Parameter(float, 0.8, interval="(0, 1]", desc="probability of going on to the next document"),
        **ALPHA,
        **GRADES,
    }

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return discounted(self.gains(ranked), geometric_discount(self["p"]), ranked.ranks)


alpha_DCG: ir_measures.Measure = register(_alpha_DCG())
alpha_nDCG: ir_measures.Measure = register(_alpha_nDCG())
ERR_IA: ir_measures.Measure = register(_ERR_IA())
nERR_IA: ir_measures.Measure = register(_nERR_IA())
NRBP: ir_measures.Measure = register(_NRBP())
nNRBP: ir_measures.Measure = register(_nNRBP())
alpha_nDCG_exact = register(_alpha_nDCG_exact())
alpha_DCG_IA = register(_alpha_DCG_IA())
NRBP_IA = register(_NRBP_IA())
