"""The Cube Test: how fast a session fills the cubes of a query's intents."""

from __future__ import annotations

import numpy as np

from ..arithmetic import divide, power
from ..ideal import ByWorth
from ..judged import Ranked, Turns, ideal
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
    "max_height": Parameter(float, 5.0, interval="(0, 1e100]", desc="gain at which an intent is satisfied"),
    **BATCH,
}


def gain_column(ranked: Ranked) -> np.ndarray:
    """Return the column ``gain`` of the qrels, the label where there is none."""
    return ranked.document_gain


class _CubeTest(DiversityMeasure):
    """A Cube Test, whose cutoff counts turns."""

    READS = ("weight", "gain")
    COUNTS_TURNS = True
    SUPPORTED_PARAMS = CUBE

    def read(self, ranked: Ranked) -> tuple[Ranked, Turns]:
        """Return the rankings down to the cutoff, which counts turns, and their turns."""
        turns = ranked.turns(self.batch).down_to(self.cutoff)
        return ranked.down_to(turns.last_rank), turns

    def filled(self, read: Ranked) -> np.ndarray:
        """Return what each entry adds to the weighted height of a cube, over the height of a full one.

        That is min(gamma^(c_it + 1) gain_it, H - h_it), h_it being the height so far.
        """
        added = power(self.gamma, read.met + 1) * read.document_gain
        height = read.intents.above(added)
        full = np.minimum(height + added, self.max_height) - np.minimum(height, self.max_height)
        return full * read.weight / self.max_height


class _CT(_CubeTest):
    """Cube Test of a session: what fills the cubes of the intents, by the turn.

    Equal to the scorer of TREC Dynamic Domain 2017: the first document of an intent is discounted already, and a
    session that ends before the cutoff is divided by its own number of turns. The gain of a document is the column
    ``gain`` of the qrels, the sum of its passages' ratings; the label where there is none.

    .. cite.dblp:: conf/cikm/LuoWYH13

    Examples
    --------
    >>> from pyterrier_diversity import CT, score
    >>> round(score(CT(batch=1), [[4], [4]]), 4)
    0.3
    """

    NAME = __name__ = "CT"
    PRETTY_NAME = "Cube Test"
    FORMULA = r"\frac{1}{K H} \sum_i \sum_t w_t \min(\gamma^{c_{it} + 1} g_{it}, H - h_{it})"
    WHERE = (
        r"K is the number of turns, $H$ is max_height, and $h_{it}$ what the documents above have filled of the "
        r"cube of t"
    )
    SOURCE = "Luo et al. (2013); TREC Dynamic Domain 2017"
    EQUALS = "the jig of TREC Dynamic Domain 2017"

    def score(self, ranked: Ranked) -> np.ndarray:
        read, turns = self.read(ranked)
        return divide(read.total(self.filled(read)), turns.n)


class _ACT(_CubeTest):
    """Average Cube Test: the Cube Test after each document, averaged over all documents read.

    Equal to the scorer of TREC Dynamic Domain 2017; repeated documents and missing turns are documents read, too.

    .. cite.dblp:: conf/cikm/LuoWYH13

    Examples
    --------
    >>> from pyterrier_diversity import ACT, score
    >>> round(score(ACT(batch=1), [[4], [4]]), 4)
    0.35
    """

    NAME = __name__ = "ACT"
    PRETTY_NAME = "Average Cube Test"
    FORMULA = r"\frac{1}{n} \sum_i \mathrm{CT}_i"
    WHERE = r"$\mathrm{CT}_i$ is the Cube Test of the first i documents"
    SOURCE = "Luo et al. (2013); TREC Dynamic Domain 2017"
    EQUALS = "the jig of TREC Dynamic Domain 2017"

    def score(self, ranked: Ranked) -> np.ndarray:
        read, turns = self.read(ranked)
        # What a document adds counts at its own rank and all below: the sum of 1/turn over these ranks. Every turn
        # below has one rank, and a turn with several documents so many more.
        size, number = turns.last - turns.start, turns.number + 1
        more = (size - 1) / number
        turn = turns.of(read.query, read.rank)
        below = turns.queries.total(more)[read.query] - (turns.queries.above(more) + more)[turn]
        to_turn = np.append(0.0, np.cumsum(1 / np.arange(1, int(turns.n.max(initial=0)) + 1)))
        below += to_turn[turns.n[read.query]] - to_turn[number[turn]]
        below += (turns.last[turn] - read.rank + 1) / number[turn]
        return divide(read.total(self.filled(read) * below), read.n)


class _nCT(_CubeTest):
    """Cube Test over a bound of what the judgements allow.

    Equal to the scorer of TREC Dynamic Domain 2017, slips included: the bound takes gamma^i where the gain takes
    gamma^(i + 1), so that a perfect session stays below 1; and it is divided by the cutoff where the gain is divided by
    the turns of the session, so that a session shorter than the cutoff can exceed 1.

    .. cite.dblp:: conf/cikm/LuoWYH13

    Examples
    --------
    >>> from pyterrier_diversity import nCT, score
    >>> round(score(nCT(batch=1), [[4], [4]]), 4)
    0.6
    """

    NAME = __name__ = "nCT"
    PRETTY_NAME = "Normalised Cube Test"
    FORMULA = (
        r"\frac{\mathrm{CT}}{\mathrm{CT}^*}, \quad \mathrm{CT}^* = \frac{1}{K H} \sum_t w_t \sum_{i=0}^{bK} "
        r"\min(\gamma^i g^*_{it}, H - h_{it})"
    )
    WHERE = (
        r"K is the number of turns, $H$ is max_height, $b$ is batch, and $h_{it}$ what the documents above have "
        r"filled of the cube of t"
    )
    SOURCE = "TREC Dynamic Domain 2017"
    EQUALS = "the jig of TREC Dynamic Domain 2017"
    RANGE = "[0, inf)"

    def score(self, ranked: Ranked) -> np.ndarray:
        read, turns = self.read(ranked)
        value = divide(read.total(self.filled(read)), turns.n)
        return divide(value, self.bound(ranked))

    def bound(self, ranked: Ranked) -> np.ndarray:
        """Return what the largest gains of each intent fill, taken as many as ``batch`` documents a turn are."""
        n_turns = ranked.turns(self.batch).n if self.cutoff is None else np.full(len(ranked.n), float(self.cutoff))
        best = ideal(ranked.judgements.view("each intent"), ByWorth(gain_column), None)
        place = best.met
        of_intent = ranked.judgements.intents
        counted = place <= min(self.batch, 2**31) * np.minimum(n_turns, 2**31)[of_intent.query[best.query]]
        filled = best.total(power(self.gamma, place) * best.document_gain * counted)
        full = np.minimum(filled, self.max_height) * ranked.judgements.weights
        return divide(ranked.sum_intents(full) / self.max_height, n_turns)


class _CT_rank(DiversityMeasure):
    """The Cube Test over ranks, as it is compared in the axiomatic analysis: an intent is satisfied at a saturation.

    .. cite.dblp:: conf/sigir/AmigoSC18

    Examples
    --------
    >>> from pyterrier_diversity import CT_rank, score
    >>> score(CT_rank, [[1, 0], [0, 0], [1, 1]])
    0.375
    """

    NAME = __name__ = "CT_rank"
    PRETTY_NAME = "Cube Test over Ranks"
    FORMULA = (
        r"\sum_i \frac{1}{i} \sum_t w_t r_{it} \gamma^{c_{it}} \left[ \sum_{j<i} r_{jt} < \mathrm{saturation} \right]"
    )
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

    def score(self, ranked: Ranked) -> np.ndarray:
        r = ranked.probability(self)
        hungry = ranked.intents.above(r) < self.saturation - ROUNDING
        gain = ranked.weight * r * power(self.gamma, ranked.met) * hungry
        return ranked.total(gain / ranked.rank)


# Sums of probabilities that differ by less are equal.
ROUNDING = 1e-12

CT = register(_CT())
ACT = register(_ACT())
nCT = register(_nCT())
CT_rank = register(_CT_rank())
