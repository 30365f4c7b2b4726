"""Sessions: the Cube Test, Session DCG, and Expected Utility as in the Dynamic Domain track."""

import math

import numpy as np
import pandas as pd

from ..arithmetic import divide, power
from ..ideal import ByWorth
from ..judged import LARGEST_GAIN, Groups, Passages, Ranked, Run, Turns, View, ideal, take, turns_of
from ..parameters import CUTOFF, FROM_0, GRADES, POSITIVE, Parameter, Parameters
from ..warnings import LengthsWarning
from .base import DiversityMeasure, FromZero, ZeroToOne
from .registration import register

__all__ = ["ACT", "CT", "EU_DD", "CT_rank", "SessionDCG", "nCT", "nSessionDCG"]

BATCH: Parameters = {
    "batch": Parameter(
        int, 5, interval="[1, inf)", desc="documents in a turn, in ideal rankings and in runs without a column turn"
    )
}
DECAY: Parameters = {
    "gamma": Parameter(
        float, 0.5, interval="[0, 1]", desc="factor by which an intent's gains shrink each time it is met"
    )
}


# Sums of probabilities that differ by less count as equal.
LAST_BITS = 1e-12


class InTurns(DiversityMeasure):
    """A measure of sessions; its cutoff counts turns."""

    COUNTS_TURNS = True

    def read(self, ranked: Ranked) -> tuple[Ranked, Turns]:
        """Return the rankings down to the cutoff, and their turns."""
        turns = turns_of(ranked, self.batch).down_to(self.cutoff)
        return ranked.down_to(turns.last_rank), turns

    def n_turns(self, ranked: Ranked) -> np.ndarray:
        """Return the number of turns of ideal sessions: the cutoff, or that of each session without one."""
        return turns_of(ranked, self.batch).n if self.cutoff is None else np.full(len(ranked.n), float(self.cutoff))


def gain_column(ranked: Ranked) -> np.ndarray:
    """Return the gain of each entry, from the column ``gain`` of the qrels, or the label if this column is missing.

    Raises
    ------
    ValueError
        If a gain is so large that sums may be infinite.
    """
    gain = ranked.judgements.labels.gain
    largest = float(gain.max(initial=0.0))
    if largest > LARGEST_GAIN:
        raise ValueError(f"qrels: gains may be at most {LARGEST_GAIN:g}, not {largest:g}.")
    return gain[ranked.row]


def ideal_by_gain(ranked: Ranked, view: View) -> Ranked:
    """Return all relevant documents, the largest gain first."""
    return ideal(ranked.judgements.view(view), ByWorth(gain_column), None)


class _CubeTest(InTurns, ZeroToOne):
    """A form of the Cube Test."""

    READS = ("weight", "gain")
    SUPPORTED_PARAMS = {
        **CUTOFF,
        **DECAY,
        "max_height": Parameter(float, 5.0, interval=POSITIVE, desc="gain at which an intent is satisfied"),
        **BATCH,
    }

    def filled(self, read: Ranked) -> np.ndarray:
        """Return how much each entry fills its cube, as a weighted fraction of a full one.

        An entry adds min(gamma^(c_it + 1) gain_it, H - h_it), where h_it is the height so far.
        """
        added = power(self.gamma, read.met + 1) * gain_column(read)
        height = read.intents.above(added)
        full = np.minimum(height + added, self.max_height) - np.minimum(height, self.max_height)
        return full * read.weight / self.max_height


class _CT(_CubeTest):
    r"""Cube Test: the gain that fills the cubes of the intents, per turn of the session.

    Values equal those of the scorer of TREC Dynamic Domain 2017. It discounts even the first document of an intent, and
    divides by the number of turns of the session if it ends before the cutoff. The gain of a document is the column
    ``gain`` of the qrels, the sum of its passages' ratings; without that column, it is the label.

    Notes
    -----
    :Name: Cube Test
    :Formula: \frac{1}{K H} \sum_i \sum_t w_t \min(\gamma^{c_{it} + 1} g_{it}, H - h_{it})
    :Where: K is the number of turns, $H$ is max_height, and $h_{it}$ is the height to which the documents above fill
        the cube of t
    :Source: Luo et al. (2013); TREC Dynamic Domain 2017
    :Equal to: the jig of TREC Dynamic Domain 2017

    .. cite.dblp:: conf/cikm/LuoWYH13

    Examples
    --------
    >>> from pyterrier_diversity import CT, score
    >>> round(score(CT(batch=1), [[4], [4]]), 4)
    0.3
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        read, turns = self.read(ranked)
        return divide(read.total(self.filled(read)), turns.n)


class _ACT(_CubeTest):
    r"""Average Cube Test: the Cube Test after each document, averaged over all documents read.

    Values equal those of the scorer of TREC Dynamic Domain 2017. Repeated documents and missing turns count as
    documents read.

    Notes
    -----
    :Name: Average Cube Test
    :Formula: \frac{1}{n} \sum_i \mathrm{CT}_i
    :Where: $\mathrm{CT}_i$ is the Cube Test of the first i documents
    :Source: Luo et al. (2013); TREC Dynamic Domain 2017
    :Equal to: the jig of TREC Dynamic Domain 2017

    .. cite.dblp:: conf/cikm/LuoWYH13

    Examples
    --------
    >>> from pyterrier_diversity import ACT, score
    >>> round(score(ACT(batch=1), [[4], [4]]), 4)
    0.35
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        read, turns = self.read(ranked)
        return divide(read.total(self.filled(read) * reciprocal_turns_from(turns, read.query, read.rank)), read.n)


def reciprocal_turns_from(turns: Turns, query: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Return sum_{i >= rank} 1 / m_i, where m_i is the turn of rank i: a document counts in CT_i from its rank on."""
    # Each turn has one rank, plus those of its further documents.
    first = np.cumsum(np.append(0.0, 1 / np.arange(1.0, turns.n.max(initial=0) + 1)))
    further = (turns.last - turns.start - 1) / (turns.number + 1)
    all_ranks = first[turns.n] + turns.queries.total(further)
    turn = turns.of(query, rank)
    above_turn = first[turns.number] + turns.queries.above(further)
    return all_ranks[query] - above_turn[turn] - (rank - turns.start[turn] - 1) / (turns.number[turn] + 1)


class _nCT(FromZero, _CT):
    r"""Normalised Cube Test: the Cube Test, divided by an upper bound from the judgements.

    Values equal those of the scorer of TREC Dynamic Domain 2017, including two mistakes. The bound is discounted by
    gamma^i but the gain by gamma^(i + 1), so a perfect session stays below 1. The bound is divided by the cutoff but
    the gain by the turns of the session, so a session shorter than the cutoff can exceed 1.

    Notes
    -----
    :Name: Normalised Cube Test
    :Formula: \frac{\mathrm{CT}}{\mathrm{CT}^*}, \quad \mathrm{CT}^* = \frac{1}{K H} \sum_t w_t \sum_{i=0}^{bK}
        \min(\gamma^i g^*_{it}, H - h_{it})
    :Where: K is the number of turns, $H$ is max_height, $b$ is batch, and $h_{it}$ is the height to which the documents
        above fill the cube of t
    :Source: TREC Dynamic Domain 2017
    :Equal to: the jig of TREC Dynamic Domain 2017

    .. cite.dblp:: conf/cikm/LuoWYH13

    Examples
    --------
    >>> from pyterrier_diversity import nCT, score
    >>> round(score(nCT(batch=1), [[4], [4]]), 4)
    0.6
    """

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(super().score(ranked), self.bound(ranked))

    def bound(self, ranked: Ranked) -> np.ndarray:
        """Return CT*: how much the largest gains fill each cube, with ``batch`` documents in each of K turns."""
        best, turns = ideal_by_gain(ranked, "each intent"), self.n_turns(ranked)
        counted = best.met / float(self.batch) <= turns[ranked.judgements.intents.query][best.query]
        height = best.total(power(self.gamma, best.met) * gain_column(best) * counted)
        full = np.minimum(height, self.max_height) * ranked.judgements.weights
        return divide(ranked.sum_intents(full) / self.max_height, turns)


class _CT_rank(FromZero):
    r"""Cube Test over ranks, as defined in the axiomatic analysis of Amigó et al. (2018).

    An intent stops gaining once its probabilities of relevance sum to ``saturation``.

    Notes
    -----
    :Name: Cube Test over Ranks
    :Formula: \sum_i \frac{1}{i} \sum_t w_t r_{it} \gamma^{c_{it}} \left[ \sum_{j<i} r_{jt} < \mathrm{saturation}
        \right]
    :Source: Luo et al. (2013); Amigó et al. (2018), Sec. 4.3

    .. cite.dblp:: conf/sigir/AmigoSC18

    Examples
    --------
    >>> from pyterrier_diversity import CT_rank, score
    >>> score(CT_rank, [[1, 0], [0, 0], [1, 1]])
    0.375
    """

    READS = ("weight",)
    SUPPORTED_PARAMS = {
        **CUTOFF,
        **DECAY,
        "saturation": Parameter(
            float, 1.0, interval="(0, inf)", desc="sum of probabilities at which an intent is satisfied"
        ),
        **GRADES,
    }

    def score(self, ranked: Ranked) -> np.ndarray:
        r = ranked.probability(self)
        hungry = ranked.intents.above(r) < self.saturation - LAST_BITS
        gain = ranked.weight * r * power(self.gamma, ranked.met) * hungry
        return ranked.total(gain / ranked.rank)


class _SessionDCG(InTurns, FromZero):
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

    READS = ("gain",)
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
        read, turns = self.read(ranked)
        turn = turns.of(read.query, read.rank)
        discount = self.discount(turns.number[turn] + 1.0, read.rank - turns.start[turn])
        return read.total(gain_column(read) * discount)


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
        gains, queries = best.documents.total(gain_column(best)), best.documents.queries
        discounts = self.best_discounts(queries, self.n_turns(ranked))
        return divide(super().score(ranked), queries.total(gains * discounts))

    def best_discounts(self, queries: Groups, n_turns: np.ndarray) -> np.ndarray:
        """Return d*_i of each document, by descending gain in its query."""
        n_turns = np.minimum(n_turns, queries.size).astype(np.intp)  # further turns have no documents
        discounts = np.zeros(len(queries.of))
        for n in np.unique(n_turns).tolist():
            of_these = n_turns[queries.of] == n
            place = queries.place[of_these]
            n_docs = int(place.max(initial=-1)) + 1
            # At least j m - 1 discounts are as large as that of rank j in turn m: it is out of reach if j m > n_docs.
            number = np.arange(1, n + 1)
            turns = Groups(np.repeat(number, np.minimum(min(self.batch, n_docs), n_docs // number)) - 1, n)
            largest = -np.sort(-self.discount(turns.of + 1.0, turns.place + 1.0))
            discounts[of_these] = np.append(largest, np.zeros(n_docs))[place]
        return discounts


class _EU_DD(InTurns):
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

    READS = ("passage", "nugget")
    NEEDS = ("passage", "nugget")
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
        read, turns = self.read(ranked)
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
        passages = take(passages, np.argsort(passages.label, kind="stable"))
        query, rank = read.query[passages.label], read.rank[passages.label]
        reached = power(1 - self.p, rank - turns.start[turns.of(query, rank)] - 1)
        nuggets = Groups(passages.nugget, int(passages.nugget.max(initial=-1)) + 1)
        rating, of_nugget = np.zeros(nuggets.n), np.zeros(nuggets.n, dtype=np.intp)
        # The last passage that a user may read gives the rating.
        met = reached > 0
        rating[passages.nugget[met]], of_nugget[passages.nugget] = passages.rating[met], query
        return nuggets.total(reached), rating, of_nugget

    def words(self, read: Ranked, turns: Turns) -> np.ndarray:
        """Return E(words): how far users read in each turn, times its words down to there, summed over turns.

        Documents of unknown length cost nothing.
        """
        run = read.run
        if run is None or run.doc_len is None:
            if run is not None and read.n.any():
                message = (
                    "The run has no column doc_len with the number of words of each document, so reading costs nothing "
                    f"for {self.NAME}. Add it with pyterrier_diversity.io.add_lengths; in the shell, with "
                    "--doc-len FILE."
                )
                run.warn_once(LengthsWarning(message))
            return np.zeros(len(turns.n))
        # Each place of each turn, and the words of its document.
        size = turns.last - turns.start
        turn = Groups(np.repeat(np.arange(len(size)), size), len(size))
        query, is_last = turns.query[turn.of], turn.place + 1 == size[turn.of]
        of_queries = [lengths(run, query_id) for query_id in read.judgements.query_ids]
        n_above = np.cumsum([0, *map(len, of_queries)])[query]
        words = np.concatenate([np.zeros(0), *of_queries])[n_above + Groups(query, len(turns.n)).place]
        # What users have read who stop at a place, and the probability that they do.
        known = np.nan_to_num(words)
        until = np.where(np.isnan(words), 0.0, turn.above(known) + known)
        stops = power(1 - self.p, turn.place) * np.where(is_last, 1.0, self.p)
        return np.bincount(query, stops * until, minlength=len(turns.n))


def lengths(run: Run, query_id: str) -> np.ndarray:
    """Return the number of words of each document of a query, best first; NaN if unknown.

    Raises
    ------
    ValueError
        If a document has two lengths.
    """
    rows = run.rows(query_id)
    words, again = np.asarray(run.doc_len)[rows], run.repeats[rows]
    if again.any():
        of_docs = pd.Series(words).groupby(run.docs[rows].tolist()).nunique(dropna=False)
        for doc in of_docs.index[of_docs > 1][:1]:
            raise ValueError(f"run: document {doc!r} of query {query_id!r} has two lengths in doc_len.")
    # Only sessions keep repeated documents; these count as unknown.
    return words[~again] if run.sessions is None else np.where(again, np.nan, words)


CT = register(_CT())
ACT = register(_ACT())
nCT = register(_nCT())
CT_rank = register(_CT_rank())
SessionDCG = register(_SessionDCG())
nSessionDCG = register(_nSessionDCG())
EU_DD = register(_EU_DD())
