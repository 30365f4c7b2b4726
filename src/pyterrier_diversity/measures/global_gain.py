"""Measures over global gains, a document's gains averaged by the intents' weights: the D and DIN families, and Ef-P."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import descending, over_intents, share
from ..judged import JudgedRankings
from ..parameters import CUTOFF, GAIN, REL
from .base import DiversityMeasure, by_worth, register
from .blended_ratio import BETA, q_measure
from .cascade import discounted, log_discount


class _GlobalGain(DiversityMeasure):
    """A measure over global gains, and over those of the ideal ranking by them."""

    READS: tuple[str, ...] = ("weight",)

    def counted(self, ranked: JudgedRankings) -> np.ndarray:
        """Return where a document counts for an intent, shape (queries, hits, intents)."""
        return ranked.relevant

    def gains(self, ranked: JudgedRankings, counted: np.ndarray) -> np.ndarray:
        """Return the global gain of each document."""
        return over_intents(ranked.gain(self) * counted * ranked.weights[:, None])

    def ideal(self, ranked: JudgedRankings) -> np.ndarray:
        """Return the global gains of the ideal ranking, down to the cutoff."""
        gains = ranked.ideal(("global gain", self["gain"]), lambda every: descending(self.gains(every, every.relevant)))
        return gains[:, : ranked.cutoff]

    def best_rankings(self, every: JudgedRankings, depth: int | None, time_limit: float) -> Sequence[np.ndarray]:
        """Rank by global gain: that is the ideal ranking, whose value is 1."""
        return by_worth(every, self.gains(every, every.relevant), depth)


class _D_nDCG(_GlobalGain):
    """nDCG over global gains: each document's gains, averaged by the intents' weights.

    With one intent it is nDCG with exponential gains (Microsoft's nDCG in NTCIREVAL, for gains 1, 3, 7).

    .. cite.dblp:: conf/sigir/SakaiS11
    """

    NAME = __name__ = "D_nDCG"
    PRETTY_NAME = "D-nDCG"
    SHORT_DESC = "nDCG over gains averaged by the intents' weights."
    FORMULA = "sum_i GG_i/log2(i+1) / sum_i GG*_i/log2(i+1), GG_i = sum_t w_t g_it"
    SOURCE = "Sakai and Song (2011); Sakai (2013), Eqs. 1, 6"
    EQUALS = "MSnDCG of pyNTCIREVAL, given global gains"
    SUPPORTED_PARAMS = {**CUTOFF, **GAIN}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        gains = self.gains(ranked, self.counted(ranked))
        return share(discounted(gains, log_discount, ranked.ranks), discounted(self.ideal(ranked), log_discount))


class _D_Q(_GlobalGain):
    """Q-measure over global gains: each document's gains, averaged by the intents' weights.

    .. cite.dblp:: conf/sigir/SakaiS11
    """

    NAME = __name__ = "D_Q"
    PRETTY_NAME = "D-Q"
    SHORT_DESC = "Q-measure over gains averaged by the intents' weights."
    FORMULA = "1/min(k,R) sum_i J_i (C_i + beta sum_{j<=i} GG_j)/(i + beta sum_{j<=i} GG*_j), J_i = [GG_i > 0]"
    SOURCE = "Sakai and Song (2011); Sakai (2013), Eqs. 2, 3, 6"
    EQUALS = "Q of pyNTCIREVAL, given global gains"
    SUPPORTED_PARAMS = {**CUTOFF, **BETA, **GAIN}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        counted = self.counted(ranked)
        return q_measure(
            counted.any(axis=-1),
            self.gains(ranked, counted),
            self.ideal(ranked),
            ranked.n_relevant_docs,
            ranked.ranks,
            cutoff=ranked.cutoff,
            beta=self["beta"],
        )


def first_if_navigational(relevant: np.ndarray, navigational: np.ndarray) -> np.ndarray:
    """Leave out what navigational intents have more than once.

    Parameters
    ----------
    relevant : ndarray, shape (..., n_docs, n_intents)
        1 where a document is relevant to an intent, else 0; best rank first.
    navigational : ndarray of bool, shape (..., n_intents)
        Which intents are navigational.

    Returns
    -------
    ndarray
        The same, but 0 where a document above is relevant to the same navigational intent.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents.
    Journal of Information Processing 21(1), Eq. 8.

    Examples
    --------
    >>> first_if_navigational(np.array([[1, 1], [1, 1]]), np.array([False, True]))
    array([[1, 1],
           [1, 0]])
    """
    repeated = (np.cumsum(relevant, axis=-2) > 1) & navigational[..., None, :]
    return np.where(repeated, 0, relevant)


class _FirstIfNavigational(_GlobalGain):
    """Global gains that count a navigational intent only at its first relevant document."""

    READS = ("weight", "intent_type")

    def counted(self, ranked: JudgedRankings) -> np.ndarray:
        """Return where a document counts for an intent."""
        return first_if_navigational(ranked.relevant, ranked.navigational)

    # What a document adds depends on those above it, so that the ideal ranking need not be the best.
    best_rankings = DiversityMeasure.best_rankings


class _DIN_nDCG(_FirstIfNavigational, _D_nDCG):
    """D-nDCG that counts a navigational intent only at its first relevant document.

    The ideal is that of D-nDCG, so that 1 may be out of reach.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "DIN_nDCG"
    PRETTY_NAME = "DIN-nDCG"
    SHORT_DESC = "D-nDCG that counts a navigational intent only once."
    FORMULA = (
        "sum_i GG_i/log2(i+1) / sum_i GG*_i/log2(i+1), GG_i with navigational intents at their first document only"
    )
    SOURCE = "Sakai (2013), Eqs. 8, 9"


class _DIN_Q(_FirstIfNavigational, _D_Q):
    """D-Q that counts a navigational intent only at its first relevant document.

    The ideal is that of D-Q, so that 1 may be out of reach.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "DIN_Q"
    PRETTY_NAME = "DIN-Q"
    SHORT_DESC = "D-Q that counts a navigational intent only once."
    FORMULA = "D-Q with navigational intents in GG_i and J_i at their first document only"
    SOURCE = "Sakai (2013), Eqs. 10, 11"


class _EfP(DiversityMeasure):
    """Effective precision: share of the documents that serve somebody.

    A document serves if it is relevant to an informational intent, or the first relevant one of a navigational intent.
    It divides by the cutoff even if fewer documents were retrieved, and by their number without a cutoff.

    .. cite.dblp:: journals/jip/Sakai13
    """

    NAME = __name__ = "EfP"
    PRETTY_NAME = "Effective Relevance (Ef-P)"
    SHORT_DESC = "Precision that counts a navigational intent only at its first relevant document."
    FORMULA = "1/k |{i: d_i relevant to an informational intent, or first relevant to a navigational one}|"
    SOURCE = "Sakai (2013), Sec. 4.2"
    READS = ("intent_type",)
    SUPPORTED_PARAMS = {**CUTOFF, **REL}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        effective = first_if_navigational(ranked.relevant, ranked.navigational).any(axis=-1)
        return share(np.count_nonzero(effective, axis=-1), ranked.depth)


D_nDCG = register(_D_nDCG())
D_Q = register(_D_Q())
DIN_nDCG = register(_DIN_nDCG())
DIN_Q = register(_DIN_Q())
EfP = register(_EfP())
