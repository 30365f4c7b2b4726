"""Rareness: measures that reward relevant documents which few systems retrieve."""

import math
from typing import Any

import numpy as np

from ..arithmetic import divide, power
from ..ideal import ByWorth, log_discount
from ..judged import Gain, Order, Ranked, View, gain_value
from ..parameters import CUTOFF, FROM_0, GAINS, POSITIVE, REL, Parameter, Parameters
from .base import DiversityMeasure, Normalised, ZeroToOne
from .registration import register

__all__ = ["AP_Rareness", "P_Rareness", "RBP_Rareness", "nDCG_Rareness"]

ADAPTIVE = "adaptive"

RARENESS: Parameters = {
    "alpha": Parameter(
        float,
        1.0,
        interval=FROM_0,
        choices=(ADAPTIVE,),
        desc="weight of rareness; 'adaptive' is 1 divided by the number of relevant documents, as in the authors' code",
    )
}
MIXTURE: Parameters = {
    "mixture": Parameter(
        bool, False, desc="weight documents by (1 - alpha) + alpha R(d), at most 1, instead of 1 + alpha R(d)"
    )
}


class _Rareness(DiversityMeasure):
    """A measure that weights relevant documents by their rareness, with each document's highest label.

    Notes
    -----
    :Where: $R(d)$ is the rarity of a document
    :Values: [0, 1 + alpha]; [0, 1] with mixture=True
    """

    VIEW: View = "ad hoc"
    NEEDS = ("rarity",)
    READS = ("rarity",)
    SUPPORTED_PARAMS: Parameters = {**CUTOFF, **RARENESS, **MIXTURE, **REL}

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.get("mixture") and self.alpha != ADAPTIVE and self.alpha > 1:
            raise ValueError(f"{self.NAME}: alpha must be a number in [0, 1] with mixture=True, not {self.alpha!r}.")

    def range(self) -> tuple[float, float]:
        if self.get("mixture"):
            return 0.0, 1.0
        return 0.0, 1.0 + (1.0 if self.alpha == ADAPTIVE else self.alpha)


def rareness_weight(ranked: Ranked, alpha: Any, mixture: bool = False) -> np.ndarray:
    """Return 1 + alpha R(d) of each document, or (1 - alpha) + alpha R(d) with ``mixture``."""
    # With each document's highest label, an entry is a document.
    a = 1.0 / ranked.n_relevant if alpha == ADAPTIVE else alpha
    return np.asarray((1.0 - a if mixture else 1.0) + a * ranked.judgements.documents.rarity[ranked.doc])


def scaled_weight(ranked: Ranked, alpha: Any) -> np.ndarray:
    """Return rareness weights, at most 2, for ratios: divided by a power of two, which changes no other bit."""
    return rareness_weight(ranked, alpha) / 2.0 ** math.frexp(1.0 if alpha == ADAPTIVE else max(1.0, alpha))[1]


def rare_gain(ranked: Ranked, alpha: Any, gain: Gain) -> np.ndarray:
    """Return the gain of each document, multiplied by its rareness weight."""
    return gain_value(ranked.label, gain) * scaled_weight(ranked, alpha)


class _P_Rareness(_Rareness):
    r"""Precision that rewards relevant documents which few systems retrieve.

    ``alpha=0`` is P@k. The sum is divided by the cutoff even if fewer documents are retrieved. Without a cutoff, it is
    divided by the number of retrieved documents. A document counts with its highest label for any intent. The qrels
    need the column ``rarity``, which `add_rarity` adds.

    The largest value for S systems is 1 + alpha (S-1)/S. With ``alpha=1`` this is (2S-1)/S; the paper says 2(S-1)/S.
    To report relevance and rareness separately (Sec. 5.2), use ``mixture=True``: ``alpha=0`` gives P@k, and ``alpha=1``
    the mean rarity, in which documents that are not relevant count as 0.

    Notes
    -----
    :Name: Rareness-Based Precision
    :Formula: \frac{1}{k} \sum_i J_i (1 + \alpha R(d_i)); \quad \text{mixture: } \frac{1}{k} \sum_i J_i (1 - \alpha +
        \alpha R(d_i))
    :Source: Türkmen et al. (2023), Eqs. 1, 4
    :Equal to: the code of its authors, whose alpha=None is alpha='adaptive'

    .. cite.dblp:: conf/ecir/TurkmenLK23
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(ranked.total(rareness_weight(ranked, self.alpha, self.mixture)), ranked.depth)


class _AP_Rareness(_Rareness):
    r"""Average precision that rewards relevant documents which few systems retrieve.

    ``alpha=0`` is AP@k. A document counts with its highest label for any intent. The qrels need the column ``rarity``,
    which `add_rarity` adds.

    Notes
    -----
    :Name: Rareness-Based Average Precision
    :Formula: \frac{1}{N_R} \sum_i J_i \cdot \text{P-Rareness@}i
    :Where: $N_R$ is the number of relevant documents
    :Source: Türkmen et al. (2023), Eqs. 3, 4
    :Equal to: the code of its authors, whose alpha=None is alpha='adaptive'

    .. cite.dblp:: conf/ecir/TurkmenLK23
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        reward = rareness_weight(ranked, self.alpha, self.mixture)
        precision = (ranked.intents.above(reward) + reward) / ranked.rank
        return divide(ranked.total(precision), ranked.n_relevant_docs)


class _nDCG_Rareness(ZeroToOne, _Rareness, Normalised):
    r"""nDCG whose gains grow with rareness, also in the ideal ranking.

    This measure is not in the paper. ``alpha=0`` is nDCG@k. A document counts with its highest label for any intent.
    The qrels need the column ``rarity``, which `add_rarity` adds.

    Notes
    -----
    :Name: Rareness-Based nDCG
    :Formula: \frac{\mathrm{DCG}}{\mathrm{DCG}^*}, \quad \mathrm{DCG} = \sum_i \frac{g_i (1 + \alpha R(d_i))}{\log_2(i +
        1)}
    :Values: [0, 1]
    :Source: after Türkmen et al. (2023), Eq. 1

    .. cite.dblp:: conf/ecir/TurkmenLK23
    """

    SUPPORTED_PARAMS = {
        **CUTOFF,
        **RARENESS,
        "gain": Parameter(str, "linear", choices=GAINS, table=POSITIVE, desc="how a label becomes a value"),
        **REL,
    }

    @property
    def normaliser(self) -> Order:
        """By rewarded gain."""
        return ByWorth(rare_gain, (self.alpha, self.gain))

    def gained(self, ranked: Ranked) -> np.ndarray:
        """Return the discounted sum of rewarded gains."""
        return ranked.total(ranked.gain(self) * scaled_weight(ranked, self.alpha) * log_discount(ranked.rank))


class _RBP_Rareness(_Rareness):
    r"""Rank-biased precision that rewards relevant documents which few systems retrieve.

    This measure is not in the paper. ``alpha=0`` is RBP(p, rel=1). A document counts with its highest label for any
    intent. The qrels need the column ``rarity``, which `add_rarity` adds.

    Notes
    -----
    :Name: Rareness-Based RBP
    :Formula: (1 - p) \sum_i p^{i - 1} J_i (1 + \alpha R(d_i))
    :Values: [0, 1 + alpha]
    :Source: after Türkmen et al. (2023), Eq. 1

    .. cite.dblp:: conf/ecir/TurkmenLK23
    """

    SUPPORTED_PARAMS = {
        **CUTOFF,
        "p": Parameter(float, 0.8, interval="(0, 1)", desc="probability of going on to the next document"),
        **RARENESS,
        **REL,
    }

    def score(self, ranked: Ranked) -> np.ndarray:
        return (1 - self.p) * ranked.total(power(self.p, ranked.rank - 1) * rareness_weight(ranked, self.alpha))


P_Rareness = register(_P_Rareness())
AP_Rareness = register(_AP_Rareness())
nDCG_Rareness = register(_nDCG_Rareness())
RBP_Rareness = register(_RBP_Rareness())
