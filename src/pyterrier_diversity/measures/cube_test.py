"""The Cube Test: how fast a session fills the cubes of a query's intents."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import left_before, over_documents, over_intents, share
from ..judged import JudgedRankings
from ..parameters import CUTOFF, GRADES, Parameter, Parameters
from .base import DiversityMeasure, register

BATCH: Parameters = {
    "batch": Parameter(
        int,
        5,
        interval="[1, inf)",
        desc="documents of a turn, where the run has no column turn, and of an ideal's turn",
    )
}
GAMMA: Parameters = {
    "gamma": Parameter(float, 0.5, interval="[0, 1]", desc="what is left of an intent's gains each time it is met")
}
CUBE: Parameters = {
    **CUTOFF,
    **GAMMA,
    "max_height": Parameter(float, 5.0, interval="(0, inf)", desc="gain at which an intent is satisfied"),
    **BATCH,
}


def cube_gain(gains: npt.ArrayLike, *, gamma: float = 0.5, max_height: float = 5.0) -> np.ndarray:
    r"""Compute what each document adds to the cube of each intent.

    Parameters
    ----------
    gains : array_like, shape (..., n_docs, n_intents)
        Gain of each document for each intent, best rank first; 0 where it has none.
    gamma : float in [0, 1]
        What is left of an intent's gains each time it is met; the first document loses already.
    max_height : float > 0
        Height of a cube; what would pass it is cut off.

    Returns
    -------
    ndarray, shape (..., n_docs, n_intents)
        :math:`\min(\gamma^{c_{it} + 1} g_{it}, H - h_{it})`, :math:`h` being the height so far.

    References
    ----------
    Luo, Wing, Yang, Hearst (2013). The water filling model and the cube test: multi-dimensional evaluation for
    professional search. CIKM, 709-714.

    Examples
    --------
    >>> cube_gain([[4.0], [4.0], [40.0]])
    array([[2.],
           [1.],
           [2.]])
    """
    gains = np.asarray(gains, dtype=np.float64)
    met = np.cumsum(gains > 0, axis=-2)
    heights = np.minimum(np.cumsum(np.power(gamma, met) * gains, axis=-2), max_height)
    return np.diff(heights, axis=-2, prepend=0)


class _CubeTest(DiversityMeasure):
    """A Cube Test, whose cutoff counts turns."""

    READS = ("weight", "gain")
    COUNTS_TURNS = True
    SUPPORTED_PARAMS = CUBE

    def gained(self, ranked: JudgedRankings) -> np.ndarray:
        """Return what each document adds to the weighted heights, over the height of a cube, shape (queries, hits)."""
        last = ranked.turns(self["batch"]).last_ranks(self["cutoff"])
        gains = np.where((ranked.ranks <= last[:, None])[..., None], ranked.document_gain, 0.0)
        cubes = cube_gain(gains, gamma=self["gamma"], max_height=self["max_height"])
        return over_intents(cubes * ranked.weights[:, None]) / self["max_height"]

    def n_turns(self, ranked: JudgedRankings) -> np.ndarray:
        """Return the number of turns, at most the cutoff."""
        n = ranked.turns(self["batch"]).n
        return n if self["cutoff"] is None else np.minimum(n, float(self["cutoff"]))


class _CT(_CubeTest):
    """Cube Test of a session: what fills the cubes of the intents, by the turn.

    Equal to the scorer of TREC Dynamic Domain 2017: the first document of an intent is discounted already, and a
    session that ends before the cutoff is divided by its own number of turns. The gain of a document is the column
    ``gain`` of the qrels, the sum of its passages' ratings; the label where there is none.

    .. cite.dblp:: conf/cikm/LuoWYH13
    """

    NAME = __name__ = "CT"
    PRETTY_NAME = "Cube Test"
    SHORT_DESC = "What fills the cubes of the intents, by the turn."
    FORMULA = "1/(K H) sum_i sum_t w_t min(gamma^(c_it + 1) gain_it, H - h_it), K turns, H = max_height"
    SOURCE = "Luo et al. (2013); TREC Dynamic Domain 2017"
    EQUALS = "the jig of TREC Dynamic Domain 2017"

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return share(over_documents(self.gained(ranked)), self.n_turns(ranked))


class _ACT(_CubeTest):
    """Average Cube Test: the Cube Test after each document, averaged over all documents read.

    Equal to the scorer of TREC Dynamic Domain 2017; repeated documents and missing turns are documents read, too.

    .. cite.dblp:: conf/cikm/LuoWYH13
    """

    NAME = __name__ = "ACT"
    PRETTY_NAME = "Average Cube Test"
    SHORT_DESC = "The Cube Test after each document, averaged over all documents read."
    FORMULA = "1/n sum_i CT_i, CT_i the filling down to rank i over H and the turns begun"
    SOURCE = "Luo et al. (2013); TREC Dynamic Domain 2017"
    EQUALS = "the jig of TREC Dynamic Domain 2017"

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        turns = ranked.turns(self["batch"])
        last = turns.last_ranks(self["cutoff"])
        # What a document adds counts at its own rank and all below: the sum of 1/turn over these ranks.
        rank = np.broadcast_to(np.arange(1, last.max(initial=0) + 1), (len(last), last.max(initial=0)))
        read = np.cumsum(np.pad(1.0 / turns.of(rank), [(0, 0), (1, 0)]), axis=-1)
        above = np.take_along_axis(read, np.minimum(ranked.ranks - 1, last[:, None]), axis=-1)
        below = np.take_along_axis(read, last[:, None], axis=-1) - above
        return share(over_documents(self.gained(ranked) * below), last)


class _nCT(_CubeTest):
    """Cube Test over a bound of what the judgements allow.

    Equal to the scorer of TREC Dynamic Domain 2017, slips included: the bound takes gamma^i where the gain takes
    gamma^(i + 1), so that a perfect session stays below 1; and it is divided by the cutoff where the gain is divided by
    the turns of the session, so that a session shorter than the cutoff can exceed 1.

    .. cite.dblp:: conf/cikm/LuoWYH13
    """

    NAME = __name__ = "nCT"
    PRETTY_NAME = "Normalised Cube Test"
    SHORT_DESC = "The Cube Test over a bound of what the judgements allow."
    FORMULA = "CT / (1/(K H) sum_t w_t sum_i min(gamma^i gain*_it, H - h_it)), i from 0 to batch K"
    SOURCE = "TREC Dynamic Domain 2017"
    EQUALS = "the jig of TREC Dynamic Domain 2017"
    RANGE = "[0, inf)"

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        turns = ranked.turns(self["batch"]).n
        n_turns = turns if self["cutoff"] is None else np.full(turns.shape, float(self["cutoff"]))
        gains = ranked.ideal("gains by intent", lambda every: -np.sort(-every.document_gain, axis=1))
        place = np.arange(gains.shape[1])
        counted = place <= self["batch"] * n_turns[:, None]
        discounted = np.power(self["gamma"], place)[:, None] * gains * counted[..., None]
        filled = np.minimum(discounted.sum(axis=1), self["max_height"])
        bound = share(over_intents(filled * ranked.weights), self["max_height"] * n_turns)
        value = share(over_documents(self.gained(ranked)), self.n_turns(ranked))
        return share(value, bound)


class _CT_rank(DiversityMeasure):
    """The Cube Test over ranks, as it is compared in the axiomatic analysis: an intent is satisfied at a saturation.

    .. cite.dblp:: conf/sigir/AmigoSC18
    """

    NAME = __name__ = "CT_rank"
    PRETTY_NAME = "Cube Test over Ranks"
    SHORT_DESC = "Graded, weighted gains by the rank, until an intent is saturated."
    FORMULA = "sum_i 1/i sum_t w_t r_it gamma^c_it [sum_{j<i} r_jt < saturation]"
    SOURCE = "Luo et al. (2013); Amigó et al. (2018), Sec. 4.3"
    RANGE = "[0, inf)"
    READS = ("weight",)
    SUPPORTED_PARAMS = {
        **CUTOFF,
        **GAMMA,
        "saturation": Parameter(
            float, 1.0, interval="(0, inf)", desc="sum of probabilities at which an intent is satisfied"
        ),
        **GRADES,
    }

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        probability = ranked.probability(self)
        hungry = np.cumsum(probability, axis=-2) - probability < self["saturation"] - ROUNDING
        novelty = left_before((1 - self["gamma"]) * ranked.relevant, axis=-2)
        gains = over_intents(probability * novelty * hungry * ranked.weights[:, None])
        return over_documents(gains / ranked.ranks)


# Sums of probabilities that differ by less are equal.
ROUNDING = 1e-12

CT = register(_CT())
ACT = register(_ACT())
nCT = register(_nCT())
CT_rank = register(_CT_rank())
