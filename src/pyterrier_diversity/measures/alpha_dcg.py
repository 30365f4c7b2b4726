r"""The alpha-DCG family: alpha-DCG, ERR-IA and NRBP, in which repeated intents gain less.

All three have the gain :math:`\sum_t J_{it} (1 - \alpha)^{c_{it}}` and differ in the discount by rank. Labels are
binary and weights uniform, as in ndeval 4.5 with ``-traditional``.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from ..arithmetic import divide
from ..ideal import Discount, Exact, GeometricDiscount, Greedy, log_discount, n_terms, reciprocal_discount
from ..judged import Order, Ranked
from ..parameters import ALPHA, CUTOFF, JUDGED_ONLY, REL, REL_FROM_1, TIME_LIMIT, Parameter, Parameters
from .base import Normalised, ZeroToOne
from .registration import register, serve

__all__ = ["ERR_IA", "NRBP", "alpha_DCG", "alpha_nDCG", "alpha_nDCG_exact", "nERR_IA", "nNRBP"]

PATIENCE: Parameters = {
    "beta": Parameter(float, 0.5, interval="[0, 1)", desc="patience: probability of going on to the next document")
}


class AlphaFamily(ZeroToOne):
    """A discounted sum of gains, in which repeated intents gain less; the discount is that of DCG by default."""

    discount: Discount = staticmethod(log_discount)
    alpha: float

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.greedy = Greedy(self.alpha)

    def gained(self, ranked: Ranked) -> np.ndarray:
        """Return sum_i d(i) sum_t J_it (1 - alpha)^c_it of each query."""
        return ranked.total(ranked.novelty(self.alpha) * ranked.discounted(self.discount))

    def best(self, depth: int | None, time_limit: float) -> Order:
        """Search for the highest discounted sum."""
        return Exact(self.alpha, self.discount, depth, time_limit)


class OverGreedy(AlphaFamily, Normalised):
    """The discounted sum, divided by that of the greedy ideal ranking."""

    def range(self) -> tuple[float, float]:
        # The gains are submodular, so greedy reaches 1 - 1/e of the optimum at every rank (Nemhauser et al. 1978).
        return 0.0, 1.582

    @property
    def normaliser(self) -> Order:
        """The greedy ideal ranking."""
        return Greedy(self.alpha)


class OverPerfect(AlphaFamily):
    """The discounted sum, divided by that of a perfect list: ``cutoff`` documents, each relevant to all intents."""

    def score(self, ranked: Ranked) -> np.ndarray:
        if ranked.cutoff is None:
            raise ValueError(
                f"{self.NAME} needs a cutoff, as in {self.NAME}@20: it divides by a perfect list of that length."
            )
        # From there on, (1 - alpha)^i is 0, so a huge cutoff (in the sense of "all") costs no time.
        n = n_terms(self, ranked.cutoff, 1 - self.alpha)
        return divide(self.gained(ranked), _perfect(self.alpha, self.discount, n) * ranked.n_intents)


@lru_cache
def _perfect(alpha: float, discount: Discount, n: int) -> float:
    """Return sum_i d(i) (1 - alpha)^(i - 1) of the first n ranks."""
    rank = np.arange(1.0, n + 1)
    return float((np.power(1.0 - alpha, rank - 1) * discount(rank)).sum())


class _alpha_DCG(OverPerfect):
    r"""Alpha-DCG: DCG in which repeated intents gain less, divided by the value of a perfect list.

    In the perfect list, every document is relevant to all intents. Values equal those of ndeval, except at cutoff 1,
    where ndeval does not normalise.

    Notes
    -----
    :Name: Alpha Discounted Cumulative Gain
    :Formula: \frac{\sum_i \frac{1}{\log_2(i + 1)} \sum_t J_{it} (1 - \alpha)^{c_{it}}}{|T| \sum_{i \le k} (1 -
        \alpha)^{i - 1} / \log_2(i + 1)}
    :Source: Clarke et al. (2008); ndeval 4.5
    :Equal to: ndeval 4.5 with -traditional, except at cutoff 1, where ndeval does not normalise

    .. cite.dblp:: conf/sigir/ClarkeKCVABM08

    Examples
    --------
    >>> from pyterrier_diversity import alpha_DCG, score
    >>> score(alpha_DCG @ 1, [[1, 0], [1, 1]])
    0.5
    """

    SUPPORTED_PARAMS = {**CUTOFF, **ALPHA, **REL_FROM_1, **JUDGED_ONLY}


class _ERR_IA(OverPerfect):
    r"""Intent-aware expected reciprocal rank: the mean ERR over the intents, divided by the value of a perfect list.

    Labels are binary. In the perfect list, every document is relevant to all intents. Values equal those of ndeval
    with its alpha of 0.5, except at cutoff 1, where ndeval does not normalise.

    Notes
    -----
    :Name: Intent-Aware Expected Reciprocal Rank
    :Formula: \frac{\sum_i \frac{1}{i} \sum_t J_{it}\, 0.5^{c_{it}}}{|T| \sum_{i \le k} 0.5^{i - 1} / i}
    :Source: Chapelle et al. (2009); ndeval 4.5
    :Equal to: ndeval 4.5 with -traditional, except at cutoff 1, where ndeval does not normalise

    .. cite.dblp:: conf/cikm/ChapelleMZG09

    Examples
    --------
    >>> from pyterrier_diversity import ERR_IA, score
    >>> score(ERR_IA @ 2, [[1, 1], [0, 0]])
    0.8
    """

    SUPPORTED_PARAMS = {**CUTOFF, **REL_FROM_1, **JUDGED_ONLY}
    # ndeval discounts repeated intents as in alpha-DCG; ir_measures always calls it with the default alpha.
    alpha = 0.5
    discount = staticmethod(reciprocal_discount)


class _alpha_nDCG(OverGreedy):
    r"""Alpha-nDCG: DCG in which repeated intents gain less, divided by that of the ideal ranking.

    The ideal ranking is built greedily. A better one may exist, so values can exceed 1, but not e/(e - 1). Values equal
    those of ndeval at every cutoff.

    Notes
    -----
    :Name: Alpha Normalised Discounted Cumulative Gain
    :Formula: \frac{\alpha\text{-DCG}}{\alpha\text{-DCG}^*}, \quad \alpha\text{-DCG} = \sum_i \frac{1}{\log_2(i + 1)}
        \sum_t J_{it} (1 - \alpha)^{c_{it}}
    :Source: Clarke et al. (2008); ndeval 4.5
    :Equal to: ndeval 4.5 with -traditional

    .. cite.dblp:: conf/sigir/ClarkeKCVABM08

    References
    ----------
    Clarke et al. (2008). Novelty and diversity in information retrieval evaluation. SIGIR, 659-666.
    https://doi.org/10.1145/1390334.1390446

    Examples
    --------
    >>> from pyterrier_diversity import alpha_nDCG, score
    >>> score(alpha_nDCG @ 1, [[1, 0], [1, 1]])
    0.5
    """

    SUPPORTED_PARAMS = _alpha_DCG.SUPPORTED_PARAMS


class _nERR_IA(OverGreedy):
    r"""Normalised ERR-IA: the mean ERR over the intents, divided by that of the ideal ranking.

    Labels are binary. The ideal ranking is built greedily. Values equal those of ndeval at every cutoff.

    Notes
    -----
    :Name: Intent-Aware Normalised Expected Reciprocal Rank
    :Formula: \frac{\mathrm{ERR}}{\mathrm{ERR}^*}, \quad \mathrm{ERR} = \sum_i \frac{1}{i} \sum_t J_{it}\, 0.5^{c_{it}}
    :Source: Chapelle et al. (2009); ndeval 4.5
    :Equal to: ndeval 4.5 with -traditional

    .. cite.dblp:: conf/cikm/ChapelleMZG09

    Examples
    --------
    >>> from pyterrier_diversity import nERR_IA, score
    >>> score(nERR_IA @ 1, [[1, 0], [1, 1]])
    0.5
    """

    SUPPORTED_PARAMS = _ERR_IA.SUPPORTED_PARAMS
    alpha = _ERR_IA.alpha
    discount = staticmethod(reciprocal_discount)


class RankBiased(AlphaFamily):
    """A sum discounted by the users' patience."""

    SUPPORTED_PARAMS: Parameters = {**ALPHA, **PATIENCE, **REL_FROM_1}

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.discount = GeometricDiscount(self.beta)


class _NRBP(RankBiased):
    r"""Novelty- and rank-biased precision: RBP in which repeated intents gain less.

    The sum is divided by that of an infinite list in which every document is relevant to all intents.

    Notes
    -----
    :Name: Novelty- and Rank-Biased Precision
    :Formula: \frac{1 - (1 - \alpha) \beta}{|T|} \sum_i \beta^{i - 1} \sum_t J_{it} (1 - \alpha)^{c_{it}}
    :Source: Clarke et al. (2009); ndeval 4.5
    :Equal to: ndeval 4.5 with -traditional

    .. cite.dblp:: conf/ictir/ClarkeKV09

    Examples
    --------
    >>> from pyterrier_diversity import NRBP, score
    >>> score(NRBP, [[1, 1]])
    0.75
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        perfect = 1 / (1 - (1 - self.alpha) * self.beta)
        return divide(self.gained(ranked), perfect * ranked.n_intents)


class _nNRBP(OverGreedy, RankBiased):
    r"""Normalised NRBP: RBP in which repeated intents gain less, divided by that of the ideal ranking.

    The ideal ranking is built greedily.

    Notes
    -----
    :Name: Normalised Novelty- and Rank-Biased Precision
    :Formula: \frac{\mathrm{NRBP}}{\mathrm{NRBP}^*}, \quad \mathrm{NRBP} = \sum_i \beta^{i - 1} \sum_t J_{it} (1 -
        \alpha)^{c_{it}}
    :Source: Clarke et al. (2009); ndeval 4.5
    :Equal to: ndeval 4.5 with -traditional

    .. cite.dblp:: conf/ictir/ClarkeKV09

    Examples
    --------
    >>> from pyterrier_diversity import nNRBP, score
    >>> score(nNRBP, [[1, 1], [1, 0]])
    1.0
    """


class _alpha_nDCG_exact(AlphaFamily, Normalised):
    r"""Alpha-DCG divided by its highest value for any ranking; `alpha_nDCG` divides by that of the greedy ranking.

    Every published alpha-nDCG divides by the greedy ranking. At cutoff 20, the greedy ranking is not the best one on 10
    of the 298 topics of the TREC Web tracks, and alpha-nDCG is too high there by up to 1.5 %.

    The maximum is computed exactly. The best ranking depends on the cutoff, so there may be no ranking that scores 1 at
    every cutoff. If a query takes longer than ``time_limit`` seconds, `NotProvenError` reports the best value found and
    the proven bound.

    Notes
    -----
    :Name: Alpha Normalised Discounted Cumulative Gain over the Optimum
    :Formula: \frac{\alpha\text{-DCG}}{\max \alpha\text{-DCG}}, \quad \alpha\text{-DCG} = \sum_i \frac{1}{\log_2(i + 1)}
        \sum_t J_{it} (1 - \alpha)^{c_{it}}
    :Source: Clarke et al. (2008); Carterette (2011, Inf. Retr.), Sec. 2.1.3
    :Equal to: the worked example of Carterette (2011, Inf. Retr.), Sec. 2.3

    .. cite.dblp:: journals/ir/Carterette11

    Examples
    --------
    >>> from pyterrier_diversity import alpha_nDCG_exact, score
    >>> score(alpha_nDCG_exact @ 1, [[1, 0], [1, 1]])
    0.5
    """

    SUPPORTED_PARAMS = {**CUTOFF, **ALPHA, **REL, **TIME_LIMIT, **JUDGED_ONLY}

    @property
    def normaliser(self) -> Order:
        """A ranking with the highest value."""
        return self.best(self.cutoff, self.time_limit)


alpha_DCG = serve(_alpha_DCG())
alpha_nDCG = serve(_alpha_nDCG())
ERR_IA = serve(_ERR_IA())
nERR_IA = serve(_nERR_IA())
NRBP = serve(_NRBP())
nNRBP = serve(_nNRBP())
alpha_nDCG_exact = register(_alpha_nDCG_exact())
