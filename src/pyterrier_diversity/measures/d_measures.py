"""D-measures, DIN-measures and Ef-P: a document's global gain is the weighted mean of its gains over the intents."""

from __future__ import annotations

import numpy as np

from ..arithmetic import divide
from ..ideal import ByWorth, log_discount
from ..judged import Gain, Order, Ranked, gain_value
from ..parameters import CUTOFF, GAIN, REL
from .base import DiversityMeasure, Normalised, register
from .q_measure import BlendedRatio

__all__ = ["DIN_Q", "D_Q", "DIN_nDCG", "D_nDCG", "EfP"]


def weighted_gain(ranked: Ranked, gain: Gain) -> np.ndarray:
    """Return w_t g_it, which sums to the global gain GG over the intents of a document."""
    return ranked.weight * gain_value(ranked.label, gain)


def once_if_navigational(ranked: Ranked) -> np.ndarray:
    """Tell which entries count: only the first document for each navigational intent."""
    return ~ranked.navigational | (ranked.met == 0)


class _ByGlobalGain(DiversityMeasure):
    """A measure whose ideal ranking sorts documents by global gain."""

    READS: tuple[str, ...] = ("weight",)

    @property
    def normaliser(self) -> Order:
        """By global gain."""
        return ByWorth(weighted_gain, self.gain)

    def best(self, depth: int | None, time_limit: float) -> Order | None:
        """By global gain: this ideal ranking has the value 1.

        None for DIN-measures: a document's gain depends on the documents above it, so the ideal ranking may not be
        optimal.
        """
        return None if "intent_type" in self.READS else self.normaliser


class _D_nDCG(_ByGlobalGain, Normalised):
    r"""D-nDCG: nDCG over global gains, the weighted means of documents' gains for the intents.

    With one intent it is nDCG with exponential gains (NTCIREVAL's MSnDCG with gains 1, 3, 7).

    Notes
    -----
    :Name: D-nDCG
    :Formula: \frac{\sum_i GG_i / \log_2(i + 1)}{\sum_i GG^*_i / \log_2(i + 1)}
    :Where: $GG_i = \sum_t w_t g_{it}$ is the document's global gain
    :Source: Sakai and Song (2011); Sakai (2013), Eqs. 1, 6
    :Equal to: MSnDCG of pyNTCIREVAL, given global gains

    .. cite.dblp:: conf/sigir/SakaiS11

    Examples
    --------
    >>> from pyterrier_diversity import D_nDCG, score
    >>> score(D_nDCG @ 1, [[1, 0], [1, 1]])
    0.5
    """

    SUPPORTED_PARAMS = {**CUTOFF, **GAIN}

    def gained(self, ranked: Ranked, counted: np.ndarray | float = 1.0) -> np.ndarray:
        """Return the discounted sum of global gains."""
        return ranked.total(ranked.weight * ranked.gain(self) * counted * log_discount(ranked.rank))


class _D_Q(_ByGlobalGain, BlendedRatio):
    r"""D-Q: the Q-measure over global gains, the weighted means of documents' gains for the intents.

    Notes
    -----
    :Name: D-Q
    :Formula: \frac{1}{\min(k, R)} \sum_i J_i \frac{C_i + \beta \sum_{j \le i} GG_j}{i + \beta \sum_{j \le i} GG^*_j}
    :Where: $C_i = \sum_{j \le i} J_j$ counts the relevant documents down to rank i, and $J_i = [GG_i > 0]$
    :Source: Sakai and Song (2011); Sakai (2013), Eqs. 2, 3, 6
    :Equal to: Q of pyNTCIREVAL, given global gains

    .. cite.dblp:: conf/sigir/SakaiS11

    Examples
    --------
    >>> from pyterrier_diversity import D_Q, score
    >>> score(D_Q, [[1, 0], [1, 1]])
    0.875
    """


class _DIN_nDCG(_D_nDCG):
    r"""DIN-nDCG: D-nDCG that counts a navigational intent only at its first relevant document.

    The ideal ranking is that of D-nDCG, so it may be impossible to reach 1.

    Notes
    -----
    :Name: DIN-nDCG
    :Formula: \frac{\sum_i GG'_i / \log_2(i + 1)}{\sum_i GG^*_i / \log_2(i + 1)}
    :Where: $GG'_i$ is the global gain without the navigational intents that were met above
    :Source: Sakai (2013), Eqs. 8, 9

    .. cite.dblp:: journals/jip/Sakai13

    Examples
    --------
    >>> from pyterrier_diversity import DIN_nDCG, score
    >>> score(DIN_nDCG @ 1, [[1, 0], [1, 1]], intent_types=["nav", "inf"])
    0.5
    """

    READS = ("weight", "intent_type")

    def score(self, ranked: Ranked) -> np.ndarray:
        gained = self.gained(ranked, once_if_navigational(ranked))
        return divide(gained, ranked.ideal(self.normaliser).value(self, self.gained))


class _DIN_Q(_D_Q):
    r"""DIN-Q: D-Q that counts a navigational intent only at its first relevant document.

    The ideal ranking is that of D-Q, so it may be impossible to reach 1.

    Notes
    -----
    :Name: DIN-Q
    :Formula: \frac{1}{\min(k, R)} \sum_i J_i \frac{C_i + \beta \sum_{j \le i} GG'_j}{i + \beta \sum_{j \le i} GG^*_j}
    :Where: $GG'_i$ is the global gain without the navigational intents that were met above, and $J_i = [GG'_i > 0]$
    :Source: Sakai (2013), Eqs. 10, 11

    .. cite.dblp:: journals/jip/Sakai13

    Examples
    --------
    >>> from pyterrier_diversity import DIN_Q, score
    >>> score(DIN_Q, [[1], [1]], intent_types=["nav"])
    0.5
    """

    READS = ("weight", "intent_type")

    def counted(self, ranked: Ranked) -> np.ndarray:
        return once_if_navigational(ranked)


class _EfP(DiversityMeasure):
    r"""Effective precision (Ef-P): the fraction of documents that are useful for some intent.

    A document is useful if it is relevant to an informational intent, or the first relevant one for a navigational
    intent. The sum is divided by the cutoff even if fewer documents are retrieved. Without a cutoff, it is divided by
    the number of retrieved documents.

    Notes
    -----
    :Name: Effective Precision (Ef-P)
    :Formula: \frac{1}{k} \sum_i [\exists t : J_{it} = 1 \text{ and } (t \text{ informational or } c_{it} = 0)]
    :Source: Sakai (2013), Sec. 4.2

    .. cite.dblp:: journals/jip/Sakai13

    Examples
    --------
    >>> from pyterrier_diversity import EfP, score
    >>> score(EfP @ 2, [[1, 0], [1, 1]], intent_types=["nav", "nav"])
    1.0
    """

    READS = ("intent_type",)
    SUPPORTED_PARAMS = {**CUTOFF, **REL}

    def score(self, ranked: Ranked) -> np.ndarray:
        documents = ranked.documents
        effective = documents.total(once_if_navigational(ranked)) > 0
        return divide(documents.queries.total(effective), ranked.depth)


D_nDCG = register(_D_nDCG())
D_Q = register(_D_Q())
DIN_nDCG = register(_DIN_nDCG())
DIN_Q = register(_DIN_Q())
EfP = register(_EfP())
