"""The Q-measure and D-measures: precision combined with cumulated gain, for one intent or over all.

The global gain of a document is the weighted mean of its gains over the intents. D-measures use it as the gain, and
DIN-measures count a navigational intent only once.
"""

from collections.abc import Sequence

import numpy as np

from ..arithmetic import divide
from ..ideal import ByWorth, log_discount
from ..judged import Gain, Judgements, Order, Ranked, View, gain_value
from ..parameters import CUTOFF, GAIN, REL, Parameter, Parameters
from .ad_hoc import by_label
from .base import CompositeMeasure, Normalised, Part, ZeroToOne
from .registration import register

__all__ = ["DIN_Q", "D_Q", "DIN_nDCG", "D_nDCG", "EfP", "Pplus", "PplusQ", "Q"]

GAIN_WEIGHT: Parameters = {
    "beta": Parameter(float, 1.0, interval="[0, inf)", desc="weight of cumulated gain; 0 for precision alone")
}


class BlendedRatio(ZeroToOne):
    """A mean of blended ratios, which combine precision with cumulated gain. A document's gain is sum_t w_t g_it.

    Subclasses set ``normaliser``, the order of the relevant documents in the ideal ranking.
    """

    SUPPORTED_PARAMS = {**CUTOFF, **GAIN_WEIGHT, **GAIN}

    def counted(self, ranked: Ranked) -> np.ndarray:
        """Tell which entries count."""
        return np.ones(len(ranked.rank), dtype=bool)

    def ratios(self, ranked: Ranked) -> np.ndarray:
        """Return J_i BR_i of each document, where BR_i = (C_i + beta cg_i) / (i + beta cg*_i): Sakai (2013), Eq. 2."""
        documents, counted = ranked.documents, self.counted(ranked)
        relevant = (documents.total(counted) > 0).astype(np.float64)
        gain = documents.total(ranked.weight * ranked.gain(self) * counted)  # raises if labels are too large
        found, gained = (documents.queries.above(each) + each for each in (relevant, gain))
        ideal = ranked.ideal(self.normaliser)
        ideal_gain = ideal.documents.total(ideal.weight * ideal.gain(self))
        best = ideal.documents.queries.until(ideal_gain, documents.queries.of, documents.rank)
        # Divided by beta above and below where it is large, so that no product overflows.
        of_count, of_gain = (1.0 / self.beta, 1.0) if self.beta > 1 else (1.0, self.beta)
        return relevant * ((of_count * found + of_gain * gained) / (of_count * documents.rank + of_gain * best))

    def score(self, ranked: Ranked) -> np.ndarray:
        n = ranked.n_relevant_docs
        most = n if ranked.cutoff is None else np.minimum(n, ranked.depth)
        return divide(ranked.documents.queries.total(self.ratios(ranked)), most)


class _Q(BlendedRatio):
    r"""Q-measure: average precision for graded labels, which combines precision with cumulated gain.

    ``beta=0`` is average precision. If the qrels have several intents, a document counts with its highest label;
    ``IA(Q)`` is the intent-aware form.

    Notes
    -----
    :Name: Q-measure
    :Formula: \frac{1}{\min(k, R)} \sum_i J_i \frac{C_i + \beta G_i}{i + \beta G^*_i}
    :Where: $C_i$ counts the relevant documents down to rank i, and $G_i$ is their gain
    :Source: Sakai (2013), Eqs. 2, 3
    :Equal to: pyNTCIREVAL

    .. cite.dblp:: journals/jip/Sakai13

    Examples
    --------
    >>> from pyterrier_diversity import Q, score
    >>> score(Q, [[1], [2]])
    0.75
    """

    VIEW: View = "ad hoc"
    normaliser = optimal = ByWorth(by_label)


class _Pplus(_Q):
    r"""P+: the Q-measure for users who stop at the first document with the highest label retrieved.

    Only ranks down to the cutoff count. If the qrels have several intents, a document counts with its highest label;
    ``IA(Pplus)`` is the intent-aware form.

    Notes
    -----
    :Name: P+
    :Formula: \frac{1}{C_m} \sum_{i \le m} J_i \frac{C_i + \beta G_i}{i + \beta G^*_i}
    :Where: m is the first rank of the highest label retrieved, $C_i$ counts the relevant documents down to rank i, and
        $G_i$ is their gain
    :Source: Sakai (2013), Eqs. 2, 4
    :Equal to: P+ of pyNTCIREVAL, given the run down to the cutoff

    .. cite.dblp:: journals/jip/Sakai13

    Examples
    --------
    >>> from pyterrier_diversity import Pplus, score
    >>> score(Pplus, [[0], [1], [1]])
    0.5
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        documents, queries = ranked.documents, ranked.documents.queries
        label = documents.total(ranked.label)
        is_best = (label == queries.highest(label)[queries.of]).astype(np.float64)
        read = queries.above(is_best) == 0  # down to the preferred rank
        return divide(queries.total(read * self.ratios(ranked)), queries.total(read))


class _PplusQ(CompositeMeasure, ZeroToOne):
    r"""P+Q: Q for each informational intent and P+ for each navigational one, averaged by the intents' weights.

    Notes
    -----
    :Name: P+Q
    :Formula: \sum_{t \text{ informational}} w_t Q_t + \sum_{t \text{ navigational}} w_t P^+_t
    :Source: Sakai (2013), Eq. 12

    .. cite.dblp:: journals/jip/Sakai13

    Examples
    --------
    >>> from pyterrier_diversity import PplusQ, score
    >>> score(PplusQ, [[1, 1], [1, 0]], intent_types=["inf", "nav"])
    1.0
    """

    READS = ("weight", "intent_type")
    SUPPORTED_PARAMS = BlendedRatio.SUPPORTED_PARAMS

    def parts(self) -> Sequence[Part]:
        """Return Q and P+, for each intent."""
        return [Part(kind(**self.params), "each intent", self.rel) for kind in (_Q, _Pplus)]

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the weighted mean over each query's intents."""
        judgements = judgements.view(rel=self.rel)
        return judgements.mean_over_intents(np.where(judgements.intents.navigational, values[1], values[0]))


def weighted_gain(ranked: Ranked, gain: Gain) -> np.ndarray:
    """Return w_t g_it, which sums to the global gain GG over the intents of a document."""
    return ranked.weight * gain_value(ranked.label, gain)


def once_if_navigational(ranked: Ranked) -> np.ndarray:
    """Tell which entries count: only the first document for each navigational intent."""
    return ~ranked.navigational | (ranked.met == 0)


class _ByGlobalGain(ZeroToOne):
    """A measure whose ideal ranking sorts documents by global gain."""

    READS: tuple[str, ...] = ("weight",)

    @property
    def normaliser(self) -> Order:
        """By global gain."""
        return ByWorth(weighted_gain, (self.gain,))

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


class _EfP(ZeroToOne):
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


Q = register(_Q())
Pplus = register(_Pplus())
PplusQ = register(_PplusQ())
D_nDCG = register(_D_nDCG())
D_Q = register(_D_Q())
DIN_nDCG = register(_DIN_nDCG())
DIN_Q = register(_DIN_Q())
EfP = register(_EfP())
