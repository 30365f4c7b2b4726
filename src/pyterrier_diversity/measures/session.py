"""Measures of sessions: Session DCG, and Expected Utility as in the Dynamic Domain track."""

from __future__ import annotations

import math

import numpy as np

from ..arithmetic import divide, power
from ..ideal import ByWorth
from ..judged import LARGEST_GAIN, Groups, Listed, Ranked, Turns, ideal
from ..parameters import CUTOFF, FROM_0, Parameter
from .base import DiversityMeasure, register
from .cube_test import BATCH, gain_column


class _SessionDCG(DiversityMeasure):
    """Session DCG: DCG that discounts a gain by its turn and by its rank in the turn.

    Values equal those of the scorer of TREC Dynamic Domain 2017. The gain of a document is the sum of its passages'
    ratings over all intents, in the column ``gain`` of the qrels; without that column, the sum of its labels.

    .. cite.dblp:: conf/ecir/JarvelinPDN08

    Examples
    --------
    >>> from pyterrier_diversity import SessionDCG, score
    >>> score(SessionDCG(batch=2), [[1], [1]])
    1.5
    """

    NAME = __name__ = "SessionDCG"
    PRETTY_NAME = "Session Discounted Cumulative Gain"
    FORMULA = r"\sum_m \sum_j \frac{g_{mj}}{(1 + \log_b j) (1 + \log_{bq} m)}"
    WHERE = r"m is the turn, and j the rank in the turn"
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
        """Return the discount of ranks within turns."""
        return 1 / ((1 + np.log(place) / math.log(self.b)) * (1 + np.log(turn) / math.log(self.bq)))

    def score(self, ranked: Ranked) -> np.ndarray:
        turns = ranked.turns(self.batch).down_to(self.cutoff)
        read = ranked.down_to(turns.last_rank)
        turn = turns.of(read.query, read.rank)
        discount = self.discount(turns.number[turn] + 1.0, read.rank - turns.start[turn])
        return read.total(read.document_gain * discount)


class _nSessionDCG(_SessionDCG):
    """Session DCG, divided by that of an ideal session.

    Values equal those of the scorer of TREC Dynamic Domain 2017. Its ideal session has ``batch`` documents in each
    turn, and puts the largest gains where they are discounted least, in any turn.

    .. cite.dblp:: conf/ecir/JarvelinPDN08

    Examples
    --------
    >>> from pyterrier_diversity import nSessionDCG, score
    >>> score(nSessionDCG(batch=2), [[0], [1]])
    0.5
    """

    NAME = __name__ = "nSessionDCG"
    PRETTY_NAME = "Normalised Session Discounted Cumulative Gain"
    FORMULA = r"\frac{\mathrm{SessionDCG}}{\sum_i g^*_i d^*_i}"
    WHERE = r"the gains $g^*$ and the discounts $d^*$ are both in descending order"
    SOURCE = "TREC Dynamic Domain 2017"
    EQUALS = "nsDCG of the jig of TREC Dynamic Domain 2017"

    def score(self, ranked: Ranked) -> np.ndarray:
        n_turns = ranked.turns(self.batch).n
        if self.cutoff is not None:
            n_turns = np.full(len(n_turns), min(self.cutoff, np.iinfo(np.int64).max))
        best = ideal(ranked.judgements, ByWorth(gain_column), None)
        gains = best.documents.total(best.document_gain)
        queries = best.documents.queries
        # Further turns have no documents.
        n_turns = np.minimum(n_turns, queries.size)
        discounts = np.zeros(len(gains))
        for n in np.unique(n_turns).tolist():
            of_these = np.flatnonzero(n_turns[queries.of] == n)
            smallest = self._best_discounts(n, int(queries.place[of_these].max(initial=-1)) + 1)
            discounts[of_these] = np.append(smallest, 0.0)[np.minimum(queries.place[of_these], len(smallest))]
        return divide(super().score(ranked), queries.total(gains * discounts))

    def _best_discounts(self, n_turns: int, n_docs: int) -> np.ndarray:
        """Return up to ``n_docs`` discounts of ``n_turns`` turns, largest first."""
        # At least j m - 1 discounts are no smaller than that of rank j in turn m: it is out of reach if j m > n_docs.
        number = np.arange(1, n_turns + 1)
        turn = np.repeat(number, np.minimum(min(self.batch, n_docs), n_docs // number)) - 1
        place = Groups(turn, n_turns).place
        return -np.sort(-self.discount(turn + 1.0, place + 1.0))[:n_docs]


class _EU_DD(DiversityMeasure):
    """Expected Utility of TREC Dynamic Domain: the nuggets that users find, minus the words they read.

    Values equal those of the scorer of TREC Dynamic Domain 2017. In each turn, users stop at a document with
    probability p, and always at the last one. Each passage of a document meets its nugget once. A document of
    unknown length costs nothing to read, and users who stop there pay nothing for the documents above it either.

    Raises
    ------
    ValueError
        If the qrels have no columns ``passage`` and ``nugget``.

    .. cite.dblp:: conf/ictir/YangL09
    """

    NAME = __name__ = "EU_DD"
    PRETTY_NAME = "Expected Utility of Dynamic Domain"
    FORMULA = r"\sum_n r_n \frac{1 - \gamma^{E(n)}}{1 - \gamma} - a\, E(\text{words})"
    WHERE = (
        r"$E(n)$ is the expected number of times that the user meets nugget n, $r_n$ its rating, and "
        r"$E(\text{words})$ the expected number of words read"
    )
    SOURCE = "TREC Dynamic Domain 2017"
    EQUALS = "EU of the jig of TREC Dynamic Domain 2017"
    RANGE = "(-inf, inf)"
    READS = ("passage", "nugget")
    NEEDS = ("passage", "nugget")
    COUNTS_TURNS = True
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "a": Parameter(float, 0.001, interval=FROM_0, desc="cost of reading a word"),
        "gamma": Parameter(
            float, 0.5, interval="[0, 1)", desc="factor by which a nugget's gain shrinks each time it is met"
        ),
        "p": Parameter(float, 0.5, interval="(0, 1]", desc="probability of stopping at a document"),
        **BATCH,
    }

    def score(self, ranked: Ranked) -> np.ndarray:
        turns = ranked.turns(self.batch).down_to(self.cutoff)
        read = ranked.down_to(turns.last_rank)
        return self._gain(read, turns) - self.a * self._words(read.listed(turns, self.NAME), turns)

    def _gain(self, read: Ranked, turns: Turns) -> np.ndarray:
        """Return the expected gain from nuggets."""
        read.judgements.check_labels(LARGEST_GAIN, self)
        passages, nuggets = read.passages, read.passages.nuggets
        place = read.rank - turns.start[turns.of(read.query, read.rank)]
        reached = power(1 - self.p, place - 1)[passages.entry]
        met = nuggets.total(reached)
        # The last passage read with a nugget gives its rating.
        last = np.flatnonzero(reached > 0)
        last = last[np.diff(nuggets.of[last], append=-1) != 0]
        gain = passages.rating[last] * (1 - power(self.gamma, met[nuggets.of[last]])) / (1 - self.gamma)
        return np.bincount(passages.query[last], gain, minlength=len(read.n))

    def _words(self, listed: Listed, turns: Turns) -> np.ndarray:
        """Return the expected number of words read."""
        is_last = turns.last[listed.turn.of] == listed.rank
        stops = power(1 - self.p, listed.place - 1) * np.where(is_last, 1.0, self.p)
        known = ~np.isnan(listed.words)
        words = np.where(known, listed.words, 0.0)
        read = np.where(known, stops * (listed.turn.above(words) + words), 0.0)
        return np.bincount(turns.queries.of[listed.turn.of], read, minlength=turns.queries.n)


SessionDCG = register(_SessionDCG())
nSessionDCG = register(_nSessionDCG())
EU_DD = register(_EU_DD())
