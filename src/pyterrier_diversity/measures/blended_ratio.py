"""Measures over the blended ratio of precision and cumulated gain: Q, P+, and P+Q, which gives each intent its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..arrays import descending, over_documents, over_intents, ranks_of, share
from ..judged import JudgedRankings, Judgements
from ..judged.judgements import View
from ..parameters import CUTOFF, GAIN, Parameter, Parameters
from .base import CompositeMeasure, DiversityMeasure, Part, by_worth, register

BETA: Parameters = {
    "beta": Parameter(
        float, 1.0, interval="[0, inf)", desc="weight of cumulated gain beside precision; 0 for precision"
    )
}


def blended_ratio(
    relevant: npt.ArrayLike,
    gains: npt.ArrayLike,
    ideal: npt.ArrayLike,
    ranks: npt.ArrayLike | None = None,
    *,
    beta: float = 1.0,
) -> np.ndarray:
    r"""Compute the blended ratio at the rank of each document: precision, mixed with cumulated gain over the ideal's.

    Parameters
    ----------
    relevant : array_like, shape (..., n_docs)
        1 where a document is relevant, else 0; best rank first.
    gains : array_like, shape (..., n_docs)
        Gain of each document. Documents without gain that are not relevant may be left out.
    ideal : array_like, shape (..., n_ideal)
        Gains of the ideal ranking, largest first, down to the cutoff; 0 for padding.
    ranks : array_like of int, shape (..., n_docs), optional
        Rank of each document, from 1; 1, 2, 3, ... if omitted.
    beta : float >= 0
        Weight of cumulated gain.

    Returns
    -------
    ndarray, shape (..., n_docs)
        :math:`(C_i + \beta \sum_{j \le i} g_j) / (i + \beta \sum_{j \le i} g^*_j)`

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Eq. 2.

    Examples
    --------
    >>> blended_ratio([1, 1], [1.0, 3.0], ideal=[3.0, 1.0])
    array([0.5, 1. ])
    """
    gains, ideal = np.asarray(gains, dtype=np.float64), np.asarray(ideal, dtype=np.float64)
    ranks = np.broadcast_to(ranks_of(ranks, gains.shape[-1]), gains.shape)
    # Position i of the cumulated ideal is the gain down to rank i: nothing is added below its end.
    cumulated = np.cumsum(np.pad(ideal, [(0, 0)] * (ideal.ndim - 1) + [(1, 0)]), axis=-1)
    ideal_gains = np.take_along_axis(cumulated, np.minimum(ranks, ideal.shape[-1]).astype(np.intp), axis=-1)
    found = np.cumsum(np.asarray(relevant, dtype=np.float64), axis=-1)
    return (found + beta * np.cumsum(gains, axis=-1)) / (ranks + beta * ideal_gains)


def q_measure(
    relevant: npt.ArrayLike,
    gains: npt.ArrayLike,
    ideal: npt.ArrayLike,
    n_relevant: npt.ArrayLike,
    ranks: npt.ArrayLike | None = None,
    *,
    cutoff: int | None = None,
    beta: float = 1.0,
) -> np.ndarray:
    r"""Compute the mean blended ratio at the ranks of all relevant documents.

    Parameters
    ----------
    relevant, gains, ideal, ranks, beta
        As for `blended_ratio`.
    n_relevant : array_like of int, shape (...)
        R, the number of relevant documents, retrieved or not.
    cutoff : int, optional
        Most documents that count; R if omitted or larger.

    Returns
    -------
    ndarray, shape (...)
        :math:`\frac{1}{\min(k, R)} \sum_i J_i BR_i`, in [0, 1]; 0 for a query without relevant documents.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Eq. 3.

    Examples
    --------
    >>> q_measure([1, 1], [1.0, 3.0], ideal=[3.0, 1.0], n_relevant=2)
    array(0.75)
    """
    n_relevant = np.asarray(n_relevant, dtype=np.float64)
    ratios = np.asarray(relevant) * blended_ratio(relevant, gains, ideal, ranks, beta=beta)
    return share(over_documents(ratios), n_relevant if cutoff is None else np.minimum(n_relevant, cutoff))


class _BlendedRatio(DiversityMeasure):
    """A measure over the blended ratios of each document's highest label."""

    VIEW: View = "ad hoc"
    SUPPORTED_PARAMS = {**CUTOFF, **BETA, **GAIN}

    def gains(self, ranked: JudgedRankings) -> np.ndarray:
        """Return the gain of each document."""
        return over_intents(ranked.gain(self))

    def ideal(self, ranked: JudgedRankings) -> np.ndarray:
        """Return the gains of the ideal ranking, down to the cutoff."""
        gains = ranked.ideal(("gain", self["gain"]), lambda every: descending(self.gains(every)))
        return gains[:, : ranked.cutoff]

    def best_rankings(self, every: JudgedRankings, depth: int | None, time_limit: float) -> Sequence[np.ndarray]:
        """Rank by label: that is the ideal ranking, whose value is 1."""
        return by_worth(every, over_intents(every.labels), depth)


class _Q(_BlendedRatio):
    """Q-measure: the mean blended ratio of precision and cumulated gain; ``beta=0`` is average precision.

    On qrels of several intents it reads each document's highest label; ``IA(Q)`` is its intent-aware form.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "Q"
    PRETTY_NAME = "Q-measure"
    SHORT_DESC = "Average precision whose precision is blended with cumulated gain."
    FORMULA = "1/min(k,R) sum_i J_i (C_i + beta cg_i)/(i + beta cg*_i)"
    SOURCE = "Sakai (2013), Eqs. 2, 3"
    EQUALS = "pyNTCIREVAL"

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return q_measure(
            over_intents(ranked.relevant),
            self.gains(ranked),
            self.ideal(ranked),
            ranked.n_relevant_docs,
            ranked.ranks,
            cutoff=ranked.cutoff,
            beta=self["beta"],
        )


class _Pplus(_BlendedRatio):
    """P+: the mean blended ratio down to the preferred rank, where the user stops.

    The preferred rank is the first with the highest label that is retrieved down to the cutoff. On qrels of several
    intents it reads each document's highest label; ``IA(Pplus)`` is its intent-aware form.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "Pplus"
    PRETTY_NAME = "P+"
    SHORT_DESC = "Q-measure for a user who stops at the first of the best documents retrieved."
    FORMULA = (
        "1/C(rp) sum_{i<=rp} J_i (C_i + beta cg_i)/(i + beta cg*_i), rp the first rank of the highest label retrieved"
    )
    SOURCE = "Sakai (2013), Eqs. 2, 4"
    EQUALS = "P+ of pyNTCIREVAL, given the run down to the cutoff"

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        labels = over_intents(ranked.labels)
        relevant = over_intents(ranked.relevant)
        # Documents above the first of the highest label, and itself.
        best = labels.max(axis=-1, keepdims=True, initial=0.0)
        read = relevant * (np.cumsum(labels == best, axis=-1) - (labels == best) == 0)
        ratios = blended_ratio(relevant, self.gains(ranked), self.ideal(ranked), ranked.ranks, beta=self["beta"])
        return share(over_documents(read * ratios), over_documents(read))


class _PplusQ(CompositeMeasure):
    """P+Q: Q for each informational intent and P+ for each navigational one, averaged by the intents' weights.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "PplusQ"
    PRETTY_NAME = "P+Q"
    SHORT_DESC = "Q for informational intents and P+ for navigational ones, averaged by weight."
    FORMULA = "sum_{t informational} w_t Q_t@k + sum_{t navigational} w_t P+_t@k"
    SOURCE = "Sakai (2013), Eq. 12"
    READS = ("weight", "intent_type")
    SUPPORTED_PARAMS = {**CUTOFF, **BETA, **GAIN}

    def parts(self) -> Sequence[Part]:
        """Return Q and P+, for each intent."""
        return [Part(kind(**self.params), "each intent", self["rel"]) for kind in (_Q, _Pplus)]

    def combine(self, values: Sequence[np.ndarray], judgements: Judgements) -> np.ndarray:
        """Return the weighted mean over each query's intents."""
        judgements = judgements.view(rel=self["rel"])
        return judgements.mean_over_intents(np.where(judgements.intents.navigational, values[1], values[0]))


Q = register(_Q())
Pplus = register(_Pplus())
PplusQ = register(_PplusQ())
