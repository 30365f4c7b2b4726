"""Q-measure, P+ and P+Q: precision combined with cumulated gain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arithmetic import divide
from ..ideal import ByWorth
from ..judged import Judgements, Ranked, View
from ..parameters import CUTOFF, GAIN, Parameter, Parameters
from .ad_hoc import by_label
from .base import CompositeMeasure, DiversityMeasure, Part, register

__all__ = ["Pplus", "PplusQ", "Q"]

BETA: Parameters = {
    "beta": Parameter(float, 1.0, interval="[0, inf)", desc="weight of cumulated gain; 0 for precision alone")
}


class BlendedRatio(DiversityMeasure):
    """A mean of blended ratios, which combine precision with cumulated gain. A document's gain is sum_t w_t g_it.

    Subclasses set ``normaliser``, the order of the relevant documents in the ideal ranking.
    """

    SUPPORTED_PARAMS = {**CUTOFF, **BETA, **GAIN}

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
        # A large beta times large gains would overflow. Only the ratio of beta to 1 counts.
        of_count, of_gain = (1.0 / self.beta, 1.0) if self.beta > 1 else (1.0, self.beta)
        return relevant * (of_count * found + of_gain * gained) / (of_count * documents.rank + of_gain * best)

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


class _PplusQ(CompositeMeasure):
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


Q = register(_Q())
Pplus = register(_Pplus())
PplusQ = register(_PplusQ())
