"""Measures of sessions: Session DCG, and Expected Utility as in the Dynamic Domain track."""

from __future__ import annotations

import math

import numpy as np

from ..arithmetic import divide, power
from ..judged import LARGEST_GAIN, Groups, Passages, Ranked, Turns, counted
from ..parameters import CUTOFF, FROM_0, Parameter
from .base import DiversityMeasure, register
from .cube_test import BATCH, ideal_by_gain, n_turns, read_turns

__all__ = ["EU_DD", "SessionDCG", "nSessionDCG"]


class _SessionDCG(DiversityMeasure):
    r"""Session DCG: DCG that discounts a gain by its turn and by its rank in the turn.

    Values equal those of the scorer of TREC Dynamic Domain 2017. The gain of a document is the sum of its passages'
    ratings over all intents, in the column ``gain`` of the qrels; without that column, the sum of its labels.

    Notes
    -----
    :Name: Session Discounted Cumulative Gain
    :Formula: \sum_m \sum_j \frac{g_{mj}}{(1 + \log_b j) (1 + \log_{bq} m)}
    :Where: m is the turn, and j the rank in the turn
    :Source: Järvelin et al. (2008); TREC Dynamic Domain 2017
    :Equal to: sDCG of the jig of TREC Dynamic Domain 2017

    .. cite.dblp:: conf/ecir/JarvelinPDN08

    Examples
    --------
    >>> from pyterrier_diversity import SessionDCG, score
    >>> score(SessionDCG(batch=2), [[1], [1]])
    1.5
    """

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
        read, turns = read_turns(ranked, self.cutoff, self.batch)
        turn = turns.of(read.query, read.rank)
        discount = self.discount(turns.number[turn] + 1.0, read.rank - turns.start[turn])
        return read.total(read.document_gain * discount)


class _nSessionDCG(_SessionDCG):
    r"""Session DCG, divided by that of an ideal session.

    Values equal those of the scorer of TREC Dynamic Domain 2017. Its ideal session has ``batch`` documents in each
    turn, and puts the largest gains where they are discounted least, in any turn.

    Notes
    -----
    :Name: Normalised Session Discounted Cumulative Gain
    :Formula: \frac{\mathrm{SessionDCG}}{\sum_i g^*_i d^*_i}
    :Where: the gains $g^*$ and the discounts $d^*$ are both in descending order
    :Source: TREC Dynamic Domain 2017
    :Equal to: nsDCG of the jig of TREC Dynamic Domain 2017

    .. cite.dblp:: conf/ecir/JarvelinPDN08

    Examples
    --------
    >>> from pyterrier_diversity import nSessionDCG, score
    >>> score(nSessionDCG(batch=2), [[0], [1]])
    0.5
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        best = ideal_by_gain(ranked, "intents")
        gains, queries = best.documents.total(best.document_gain), best.documents.queries
        discounts = self.best_discounts(queries, n_turns(ranked, self.cutoff, self.batch))
        return divide(super().score(ranked), queries.total(gains * discounts))

    def best_discounts(self, queries: Groups, n_turns: np.ndarray) -> np.ndarray:
        """Return d*_i of each document, by descending gain in its query."""
        n_turns = np.minimum(n_turns, queries.size).astype(np.intp)  # further turns have no documents
        discounts = np.zeros(len(queries.of))
        for n in np.unique(n_turns).tolist():
            of_these = n_turns[queries.of] == n
            place = queries.place[of_these]
            discounts[of_these] = self._largest_discounts(n, int(place.max(initial=-1)) + 1)[place]
        return discounts

    def _largest_discounts(self, n_turns: int, n_docs: int) -> np.ndarray:
        """Return the ``n_docs`` largest discounts of ``n_turns`` turns, in descending order; then 0."""
        # At least j m - 1 discounts are as large as that of rank j in turn m: it is out of reach if j m > n_docs.
        number = np.arange(1, n_turns + 1)
        turns = Groups(np.repeat(number, np.minimum(min(self.batch, n_docs), n_docs // number)) - 1, n_turns)
        discounts = -np.sort(-self.discount(turns.of + 1.0, turns.place + 1.0))
        return np.append(discounts, np.zeros(n_docs))[:n_docs]


def words_of(ranked: Ranked, query: np.ndarray, who: str) -> np.ndarray:
    """Return the number of words of each document read, given its query; NaN if unknown.

    Warns
    -----
    UserWarning
        Once for each run without a column ``doc_len``; all lengths are then unknown to the measure ``who``.
    """
    run = ranked.run
    if run is None or not run.has_lengths:
        if run is not None and ranked.n.any():
            run.warn_once(
                "The run has no column doc_len with the number of words of each document, so reading costs nothing for "
                f"{who}. Add it with pyterrier_diversity.io.add_lengths; in the shell, with --doc-len FILE.",
                "lengths",
            )
        return np.full(len(query), np.nan)
    of_queries = list(map(run.doc_len, ranked.judgements.query_ids))
    n_above = np.cumsum([0, *map(len, of_queries)])
    place = counted(np.bincount(query, minlength=len(of_queries)))
    return np.concatenate([np.zeros(0), *of_queries])[n_above[query] + place]


class _EU_DD(DiversityMeasure):
    r"""Expected Utility of TREC Dynamic Domain: the value of the nuggets that users find, minus the cost of reading.

    Values equal those of the scorer of TREC Dynamic Domain 2017. In each turn, users stop at a document with
    probability p, and always at the last one. In each passage that they read, users meet its nugget once. A document of
    unknown length costs nothing to read, and users who stop there pay nothing for the documents above it either.

    Raises
    ------
    ValueError
        If the qrels have no columns ``passage`` and ``nugget``.

    Notes
    -----
    :Name: Expected Utility of Dynamic Domain
    :Formula: \sum_n r_n \frac{1 - \gamma^{E(n)}}{1 - \gamma} - a\, E(\text{words})
    :Where: $E(n)$ is the expected number of times that the user meets nugget n, $r_n$ its rating, and $E(\text{words})$
        the expected number of words read
    :Source: TREC Dynamic Domain 2017
    :Equal to: EU of the jig of TREC Dynamic Domain 2017

    .. cite.dblp:: conf/ictir/YangL09
    """

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
        read, turns = read_turns(ranked, self.cutoff, self.batch)
        times, rating, query = self.meetings(read, turns)
        gain = rating * (1 - power(self.gamma, times)) / (1 - self.gamma)
        return np.bincount(query, gain, minlength=len(read.n)) - self.a * self.words(read, turns)

    def meetings(self, read: Ranked, turns: Turns) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return E(n), r_n and the query of each nugget."""
        read.judgements.check_labels(LARGEST_GAIN, self)
        passages = read.judgements.passages or Passages(*np.zeros((3, 0), dtype=np.intp))
        entry = np.full(len(read.judgements.labels.doc), -1)
        entry[read.row] = np.arange(len(read.row))
        passages = passages.moved(entry)  # those of the documents read
        # In the order of the entries, which are sorted by rank; in each document as they are.
        passages = passages.take(np.argsort(passages.label, kind="stable"))
        query, rank = read.query[passages.label], read.rank[passages.label]
        reached = power(1 - self.p, rank - turns.start[turns.of(query, rank)] - 1)
        nuggets = Groups(passages.nugget, int(passages.nugget.max(initial=-1)) + 1)
        rating, of_nugget = np.zeros(nuggets.n), np.zeros(nuggets.n, dtype=np.intp)
        # The last passage that a user may read gives the rating.
        met = reached > 0
        rating[passages.nugget[met]], of_nugget[passages.nugget] = passages.rating[met], query
        return nuggets.total(reached), rating, of_nugget

    def words(self, read: Ranked, turns: Turns) -> np.ndarray:
        """Return E(words)."""
        size = turns.last - turns.start
        turn = Groups(np.repeat(np.arange(len(size)), size), len(size))
        query, is_last = turns.query[turn.of], turn.place + 1 == size[turn.of]
        stops = power(1 - self.p, turn.place) * np.where(is_last, 1.0, self.p)
        words = words_of(read, query, self.NAME)
        known = np.nan_to_num(words)
        until = np.where(np.isnan(words), 0.0, turn.above(known) + known)
        return np.bincount(query, stops * until, minlength=len(turns.n))


SessionDCG = register(_SessionDCG())
nSessionDCG = register(_nSessionDCG())
EU_DD = register(_EU_DD())
