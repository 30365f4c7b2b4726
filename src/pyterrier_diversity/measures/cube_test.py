"""The Cube Test: how fast a session fills the cube of each intent."""

from __future__ import annotations

import numpy as np

from ..arithmetic import divide, power
from ..ideal import ByWorth
from ..judged import Ranked, Turns, View, ideal
from ..parameters import CUTOFF, GRADES, POSITIVE, Parameter, Parameters
from .base import DiversityMeasure, register

__all__ = ["ACT", "CT", "CT_rank", "nCT"]

BATCH: Parameters = {
    "batch": Parameter(
        int,
        5,
        interval="[1, inf)",
        desc="documents in a turn, in ideal rankings and in runs without a column turn",
    )
}
GAMMA: Parameters = {
    "gamma": Parameter(
        float, 0.5, interval="[0, 1]", desc="factor by which an intent's gains shrink each time it is met"
    )
}


def gain_column(ranked: Ranked) -> np.ndarray:
    """Return the gain of each entry: the column ``gain`` of the qrels, or the label without such a column."""
    return ranked.document_gain


def ideal_by_gain(ranked: Ranked, view: View) -> Ranked:
    """Return all relevant documents, the largest gain first."""
    return ideal(ranked.judgements.view(view), ByWorth(gain_column), None)


def n_turns(ranked: Ranked, cutoff: int | None, batch: int) -> np.ndarray:
    """Return the number of turns of ideal sessions: the cutoff, or that of each session without one."""
    return ranked.turns(batch).n if cutoff is None else np.full(len(ranked.n), float(cutoff))


def read_turns(ranked: Ranked, cutoff: int | None, batch: int) -> tuple[Ranked, Turns]:
    """Return the rankings down to the cutoff, which counts turns, and their turns."""
    turns = ranked.turns(batch).down_to(cutoff)
    return ranked.down_to(turns.last_rank), turns


class _CubeTest(DiversityMeasure):
    """A form of the Cube Test; its cutoff counts turns."""

    READS = ("weight", "gain")
    COUNTS_TURNS = True
    SUPPORTED_PARAMS = {
        **CUTOFF,
        **GAMMA,
        "max_height": Parameter(float, 5.0, interval=POSITIVE, desc="gain at which an intent is satisfied"),
        **BATCH,
    }

    def filled(self, read: Ranked) -> np.ndarray:
        """Return how much each entry fills its cube, as a weighted fraction of a full one.

        An entry adds min(gamma^(c_it + 1) gain_it, H - h_it), where h_it is the height so far.
        """
        added = power(self.gamma, read.met + 1) * read.document_gain
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
        read, turns = read_turns(ranked, self.cutoff, self.batch)
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
        read, turns = read_turns(ranked, self.cutoff, self.batch)
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


class _nCT(_CT):
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

    RANGE = "[0, inf)"

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(super().score(ranked), self.bound(ranked))

    def bound(self, ranked: Ranked) -> np.ndarray:
        """Return CT*: how much the largest gains fill each cube, with ``batch`` documents in each of K turns."""
        best, turns = ideal_by_gain(ranked, "each intent"), n_turns(ranked, self.cutoff, self.batch)
        counted = best.met / float(self.batch) <= turns[ranked.judgements.intents.query][best.query]
        height = best.total(power(self.gamma, best.met) * best.document_gain * counted)
        full = np.minimum(height, self.max_height) * ranked.judgements.weights
        return divide(ranked.sum_intents(full) / self.max_height, turns)


class _CT_rank(DiversityMeasure):
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

    def score(self, ranked: Ranked) -> np.ndarray:
        r = ranked.probability(self)
        hungry = ranked.intents.above(r) < self.saturation - ROUNDING
        gain = ranked.weight * r * power(self.gamma, ranked.met) * hungry
        return ranked.total(gain / ranked.rank)


# Sums of probabilities that differ by less count as equal.
ROUNDING = 1e-12

CT = register(_CT())
ACT = register(_ACT())
nCT = register(_nCT())
CT_rank = register(_CT_rank())
