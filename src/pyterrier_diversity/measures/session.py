"""Measures of sessions of several turns: Session DCG, and the Expected Utility of the Dynamic Domain track."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import descending, over_documents, over_intents, share
from ..judged import JudgedRankings
from ..parameters import CUTOFF, Parameter
from .base import DiversityMeasure, register
from .cube_test import BATCH


class _SessionDCG(DiversityMeasure):
    """DCG of a session: a gain is discounted by its rank in the turn and by the turn.

    Equal to the scorer of TREC Dynamic Domain 2017. The gain of a document is the sum over the intents of the column
    ``gain`` of the qrels, which is the sum of its passages' ratings; of the label where there is none.

    .. cite.dblp:: conf/ecir/JarvelinPDN08
    """

    NAME = __name__ = "SessionDCG"
    PRETTY_NAME = "Session Discounted Cumulative Gain"
    SHORT_DESC = "Gains discounted by the rank in the turn and by the turn."
    FORMULA = "sum_i sum_j gain_ij / ((1 + log_b j) (1 + log_bq i)), i the turn, j the rank in it"
    SOURCE = "Järvelin et al. (2008); TREC Dynamic Domain 2017"
    EQUALS = "sDCG of the jig of TREC Dynamic Domain 2017"
    RANGE = "[0, inf)"
    READS = ("gain",)
    COUNTS_TURNS = True
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "bq": Parameter(float, 4.0, interval="(1, inf)", desc="base of the logarithm that discounts turns"),
        "b": Parameter(float, 2.0, interval="(1, inf)", desc="base of the logarithm that discounts ranks in a turn"),
        **BATCH,
    }

    def discount(self, turn: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Return the discount of ranks of a turn."""
        return 1 / ((1 + np.log(place) / math.log(self["b"])) * (1 + np.log(turn) / math.log(self["bq"])))

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        turns = ranked.turns(self["batch"])
        read = ranked.ranks <= turns.last_ranks(self["cutoff"])[:, None]
        discount = self.discount(turns.of(ranked.ranks), np.maximum(turns.places(ranked.ranks), 1))
        return over_documents(np.where(read, over_intents(ranked.document_gain) * discount, 0.0))


class _nSessionDCG(_SessionDCG):
    """DCG of a session over that of the best documents at the best places.

    Equal to the scorer of TREC Dynamic Domain 2017: the largest gains are put where discounts are smallest among the
    ranks of ``batch`` documents a turn, whichever turn that is in.

    .. cite.dblp:: conf/ecir/JarvelinPDN08
    """

    NAME = __name__ = "nSessionDCG"
    PRETTY_NAME = "Normalised Session Discounted Cumulative Gain"
    SHORT_DESC = "Session DCG over that of the best documents at the best places."
    FORMULA = "SessionDCG / sum_i gain*_i d*_i, gains and discounts of batch K places in descending order"
    SOURCE = "TREC Dynamic Domain 2017"
    EQUALS = "nsDCG of the jig of TREC Dynamic Domain 2017"

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        n_turns = ranked.turns(self["batch"]).n
        if self["cutoff"] is not None:
            n_turns = np.full(n_turns.shape, self["cutoff"])
        gains = ranked.ideal("gains", lambda every: descending(over_intents(every.document_gain)))
        best = np.zeros(len(n_turns))
        for n in np.unique(n_turns).tolist():
            these = n_turns == n
            best[these] = self._best(gains[these], n)
        return share(super().score(ranked), best)

    def _best(self, gains: np.ndarray, n_turns: int) -> np.ndarray:
        """Return the value of the best session of ``n_turns``."""
        # No more turns than there are documents hold any of them.
        n_turns = min(n_turns, gains.shape[1])
        turn, place = np.meshgrid(np.arange(1.0, n_turns + 1), np.arange(1.0, self["batch"] + 1))
        discounts = descending(self.discount(turn, place).ravel())[: gains.shape[1]]
        return over_documents(gains[:, : len(discounts)] * discounts)


class _EU_DD(DiversityMeasure):
    """Expected Utility of TREC Dynamic Domain: the nuggets that users find, less the words they read.

    Equal to the scorer of 2017: in each turn users stop at a document with probability p, and at the last one for
    certain; every passage of a document is one more time that its nugget is met; a document of unknown length is
    read for free, and so is what users stop at there.

    Raises
    ------
    ValueError
        If the qrels have no columns ``passage`` and ``nugget``.

    .. cite.dblp:: conf/ictir/YangL09
    """

    NAME = __name__ = "EU_DD"
    PRETTY_NAME = "Expected Utility of Dynamic Domain"
    SHORT_DESC = "Nuggets that users of a session find, less the words they read."
    FORMULA = "sum_n r_n (1 - gamma^E(n))/(1 - gamma) - a E(words), E(n) the expected number of times that n is met"
    SOURCE = "TREC Dynamic Domain 2017"
    EQUALS = "EU of the jig of TREC Dynamic Domain 2017"
    RANGE = "(-inf, inf)"
    READS = ("passage", "nugget")
    NEEDS = ("passage", "nugget")
    COUNTS_TURNS = True
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "a": Parameter(float, 0.001, interval="[0, inf)", desc="cost of reading a word"),
        "gamma": Parameter(float, 0.5, interval="[0, 1)", desc="what is left of a nugget each time it is met"),
        "p": Parameter(float, 0.5, interval="(0, 1]", desc="probability of stopping at a document"),
        **BATCH,
    }

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return self._gain(ranked) - self["a"] * self._words(ranked)

    def _gain(self, ranked: JudgedRankings) -> np.ndarray:
        """Return the expected gain from nuggets."""
        turns, passages = ranked.turns(self["batch"]), ranked.passages
        reached = np.power(1 - self["p"], np.maximum(turns.places(ranked.ranks), 1) - 1.0)
        reached[ranked.ranks > turns.last_ranks(self["cutoff"])[:, None]] = 0.0
        weight = reached.ravel()[passages.hit]
        read = weight > 0
        met = np.bincount(passages.nugget[read], weight[read])
        # The last passage read with a nugget gives its rating.
        rating, query = np.zeros(len(met)), np.zeros(len(met), dtype=np.intp)
        rating[passages.nugget[read]], query[passages.nugget[read]] = passages.rating[read], passages.query[read]
        gains = rating * (1 - np.power(self["gamma"], met)) / (1 - self["gamma"])
        return np.bincount(query, gains, minlength=len(ranked.n))

    def _words(self, ranked: JudgedRankings) -> np.ndarray:
        """Return the expected number of words read."""
        words, turns = ranked.doc_len(self.NAME), ranked.turns(self["batch"])
        rank = np.broadcast_to(np.arange(1, words.shape[1] + 1), words.shape)
        turn, place = turns.of(rank), turns.places(rank)
        is_last = np.take_along_axis(turns.ends, turn - 1, axis=-1) == rank
        stops = np.power(1 - self["p"], place - 1.0) * np.where(is_last, 1.0, self["p"])
        known = ~np.isnan(words) & (rank <= turns.last_ranks(self["cutoff"])[:, None])
        total = np.cumsum(np.pad(np.where(known, words, 0.0), [(0, 0), (1, 0)]), axis=-1)
        in_turn = total[:, 1:] - np.take_along_axis(total, rank - place, axis=-1)
        return over_documents(np.where(known, stops * in_turn, 0.0))


SessionDCG = register(_SessionDCG())
nSessionDCG = register(_nSessionDCG())
EU_DD = register(_EU_DD())
