"""Carterette's user models: how users accumulate gain, and where they stop.

A measure combines an accumulation model, 1 to 4, with a distribution of the rank at which users stop. It is computed
for each intent separately, and averaged by the intents' weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arithmetic import MAX_TERMS, divide, power, underflow
from ..ideal import ByWorth
from ..judged import Ranked, ideal
from ..parameters import CUTOFF, GAINS, GRADES, POSITIVE, REL, GainTable, Parameter, Parameters
from .base import DiversityMeasure, register
from .err import by_label

STATIC = ("RBP", "DCG", "RR")
DYNAMIC = ("ERR", "AP", "RRR")
STOPS = {1: STATIC, 2: STATIC, 3: DYNAMIC, 4: STATIC + DYNAMIC}

MODEL: Parameters = {
    "model": Parameter(
        int, interval="[1, 4]", desc="what accumulates: 1 relevance, 2 utility, 3 effort, 4 average utility"
    ),
    "stop": Parameter(str, choices=STATIC + DYNAMIC, desc="distribution of the rank at which users stop"),
}
THETA: Parameters = {
    "theta": Parameter(
        float,
        0.5,
        interval="(0, 1]",
        desc="probability of stopping at a document (RBP) or at a relevant document (ERR)",
    ),
    "theta_nav": Parameter(
        float, interval="(0, 1]", desc="theta of navigational intents; the same as theta if not given"
    ),
}
BASE: Parameters = {
    "base": Parameter(float, 2.0, interval="[2, inf)", desc="base of the logarithm in the stopping distribution of DCG")
}
NORM: Parameters = {
    "norm": Parameter(bool, False, desc="divide by the value of a perfect ranking of the same length for the intent")
}
REDUNDANCY: Parameters = {
    "redundancy": Parameter(
        str, choices=STATIC, desc="how each relevant document lowers the value of the next; no effect if not given"
    ),
    "theta_red": Parameter(
        float, 0.5, interval="[0, 1]", desc="fraction of value that each relevant document takes from the next (RBP)"
    ),
}
EFFORT: Parameters = {
    "effort": Parameter(
        str,
        "reciprocal",
        choices=("reciprocal", "rank"),
        desc="1 / i for users who stop at rank i, or i itself: then less is better",
    )
}
GAIN: Parameters = {
    "gain": Parameter(str, "binary", choices=GAINS, table=POSITIVE, desc="how a label becomes a value"),
}
MAX_REL: Parameters = {"max_rel": GRADES["max_rel"]}


def viewing_probability(rank: npt.ArrayLike, stop: str, theta: npt.ArrayLike = 0.5, base: float = 2.0) -> np.ndarray:
    r"""Return the probability that a user reads each rank, because they have not stopped above it.

    Parameters
    ----------
    rank : array_like
        Rank, from 1.
    stop : {"RBP", "DCG", "RR"}
        The distribution of the rank at which users stop.
    theta : array_like in [0, 1]
        With "RBP", the probability of stopping at a document; broadcast against ``rank``.
    base : float >= 2
        With "DCG", the base b of the logarithm. With a larger base, users read further.

    Returns
    -------
    ndarray
        :math:`F(i)`: :math:`(1 - \theta)^{i-1}`, :math:`1/\log_b(i+b-1)` or :math:`1/i`. The probability of stopping at
        rank i is :math:`F(i) - F(i+1)`.

    References
    ----------
    Carterette (2011). System effectiveness, user models, and user utility. SIGIR, 903-912, Sec. 3.
    https://doi.org/10.1145/2009916.2010037

    Examples
    --------
    >>> viewing_probability([1, 2, 4], "RR")
    array([1.  , 0.5 , 0.25])
    """
    rank = np.asarray(rank, dtype=np.float64)
    if stop == "RBP":
        return power(1.0 - np.asarray(theta), rank - 1.0)
    return 1.0 / (np.log2(rank + (base - 1.0)) / np.log2(base) if stop == "DCG" else rank)


def stopping_probability(rank: npt.ArrayLike, stop: str, theta: npt.ArrayLike = 0.5, base: float = 2.0) -> np.ndarray:
    r"""Return the probability that a user stops at each rank, regardless of relevance.

    Parameters
    ----------
    rank, stop, theta, base
        As for `viewing_probability`.

    Returns
    -------
    ndarray
        :math:`P(i)`: :math:`(1 - \theta)^{i-1} \theta`, :math:`1/\log_b(i+b-1) - 1/\log_b(i+b)` or
        :math:`1/(i(i+1))`.

    Examples
    --------
    >>> stopping_probability([1, 2, 3], "RBP")
    array([0.5  , 0.25 , 0.125])
    """
    rank = np.asarray(rank, dtype=np.float64)
    if stop == "RR":
        return 1.0 / (rank * (rank + 1.0))
    if stop == "RBP":
        return viewing_probability(rank, stop, theta) * theta
    return viewing_probability(rank, stop, base=base) - viewing_probability(rank + 1.0, stop, base=base)


def average_while_reading(n: np.ndarray, stop: str, theta: np.ndarray, base: float) -> np.ndarray:
    """Return sum_{i<=n} P(i)/i: the average utility of a document with utility 1 at rank 1, down to rank n."""
    rank = np.arange(1.0, n.max(initial=0) + 1)
    result = np.zeros(n.shape)
    for value in np.unique(theta):
        sums = np.cumsum(np.append(0.0, stopping_probability(rank, stop, value, base) / rank))
        result = np.where(theta == value, sums[n], result)
    return result


class UserModelMeasure(DiversityMeasure):
    """A measure with an accumulation model and a distribution of the rank at which users stop."""

    model: int
    stop: str
    RANGE = "[0, inf); [0, 1] with norm=True and without effort='rank'"

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.refuse_idle()

    def refuse_idle(self) -> None:
        """Raise a ``ValueError`` for parameters that have no effect."""
        idle = self.params.keys() - cell_parameters(self.model, self.stop).keys() - MODEL.keys()
        if self.get("redundancy") != "RBP":
            idle |= {"theta_red"}
        if self.stop == "ERR":
            # A table has the probabilities themselves.
            idle |= {"theta", "theta_nav"} if self.graded else set()
            idle |= set() if self.get("gain") in ("exp", "linear") else {"max_rel"}
        idle &= self.params.keys()
        if idle:
            raise ValueError(f"{self.NAME}: {', '.join(sorted(idle))} has no effect in {self!r}.")
        table = self.get("gain")
        if self.stop == "ERR" and isinstance(table, GainTable) and max(table.values()) > 1:
            raise ValueError(
                f"{self.NAME}: with stop='ERR' the values of gain are probabilities and may be at most 1, not "
                f"{max(table.values()):g}."
            )

    @property
    def graded(self) -> bool:
        """Whether labels above 0 differ in value."""
        return self.get("gain") not in (None, "binary")

    def score(self, ranked: Ranked) -> np.ndarray:
        values = self.of_intents(ranked)
        if self.norm:
            values = divide(values, self._of_perfect_rankings(ranked))
        return ranked.sum_intents(values * ranked.judgements.weights)

    def of_intents(self, ranked: Ranked) -> np.ndarray:
        """Return the value for each intent."""
        return ranked.intents.total(self._added(ranked))

    def _of_perfect_rankings(self, ranked: Ranked) -> np.ndarray:
        """Return the value of each intent's perfect ranking: relevant documents by label, then other documents."""
        judgements = ranked.judgements.view("each intent")
        perfect = ideal(judgements, ByWorth(by_label), ranked.cutoff)
        if self.model != 4 or self.stop in DYNAMIC:
            # The other documents add nothing.
            return perfect.value(self, self.of_intents)
        if ranked.cutoff is None:
            n = np.maximum(ranked.n[ranked.judgements.intents.query], judgements.n_relevant)
            return self.of_intents(Ranked(perfect.retrieved, perfect.row, n))
        last = self._last_rank(ranked.cutoff)
        return perfect.value(
            self,
            lambda found: self.of_intents(Ranked(found.retrieved, found.row, np.full(len(judgements), last), last)),
        )

    def _last_rank(self, cutoff: int) -> int:
        """Return the last rank down to the cutoff at which users may stop."""
        last: float = cutoff
        if self.stop == "RBP":
            theta = min(filter(None, [self.theta, self.get("theta_nav")]))
            last = min(last, underflow(1 - theta))
        if last > MAX_TERMS:
            raise ValueError(f"{self}: with norm=True the cutoff may be at most {MAX_TERMS}, not {cutoff}.")
        return int(last)

    def _added(self, ranked: Ranked) -> np.ndarray:
        """Return what each entry adds to the value of its intent."""
        rank = ranked.rank
        if self.model == 3:
            return (1.0 / rank if self.effort == "reciprocal" else rank) * self._stops_at_relevant(ranked)
        gain = ranked.gain(self) if self.graded else np.ones(len(rank))
        if self.model == 1:
            return gain * stopping_probability(rank, self.stop, self._theta(ranked), self._base)
        utility = gain * self._novelty(ranked)
        if self.model == 2:
            return utility * viewing_probability(rank, self.stop, self._theta(ranked), self._base)
        if self.stop in DYNAMIC:
            return (ranked.intents.above(utility) + utility) / rank * self._stops_at_relevant(ranked)
        # The sum over ranks as a sum over documents: each adds its utility from its own rank to the last.
        theta = self._theta(ranked)
        n = ranked.n[ranked.query]
        return utility * (
            average_while_reading(n, self.stop, theta, self._base)
            - average_while_reading(rank - 1, self.stop, theta, self._base)
        )

    def _theta(self, ranked: Ranked) -> np.ndarray:
        """Return theta of each entry's intent."""
        theta, theta_nav = self.get("theta") or 0.5, self.get("theta_nav")
        return np.where(ranked.navigational, theta if theta_nav is None else theta_nav, theta)

    @property
    def _base(self) -> float:
        """The base of the logarithm in the stopping distribution of DCG."""
        return self.get("base") or 2.0

    def _novelty(self, ranked: Ranked) -> np.ndarray | float:
        """Return the fraction of value that each document keeps after the relevant ones above it."""
        redundancy = self.get("redundancy")
        return 1.0 if redundancy is None else viewing_probability(ranked.met + 1, redundancy, self.theta_red)

    def _stops_at_relevant(self, ranked: Ranked) -> np.ndarray:
        """Return the probability of stopping at each document, which depends on the relevant ones above it."""
        if self.model == 3 and self.get("redundancy") is not None:
            return self._stops_as_utility_grows(ranked)
        if self.stop == "AP":
            return 1.0 / ranked.n_relevant
        if self.stop == "RRR":
            return stopping_probability(ranked.met + 1, "RR")
        satisfied = self._satisfied(ranked)
        return satisfied * ranked.intents.left(satisfied)

    def _stops_as_utility_grows(self, ranked: Ranked) -> np.ndarray:
        """Return the probability of stopping at each document if U_i replaces R_i; redundant documents add less to U_i.

        The share of users who read on is (1 - theta)^U_i, 1 - U_i/U or 1/(U_i + 1). It falls by this probability.
        """
        novelty = np.asarray(self._novelty(ranked))
        if self.stop == "ERR":
            satisfied = 1.0 - power(1.0 - self._satisfied(ranked), novelty)
            return satisfied * ranked.intents.left(satisfied)
        if self.stop == "RRR":
            above = ranked.intents.above(novelty)
            return novelty / ((above + 1.0) * (above + novelty + 1.0))
        found = np.arange(1.0, ranked.n_relevant.max(initial=0) + 1)
        return novelty / np.cumsum(viewing_probability(found, self.redundancy, self.theta_red))[ranked.n_relevant - 1]

    def _satisfied(self, ranked: Ranked) -> np.ndarray:
        """Return the probability that a relevant document satisfies a user who reads it."""
        return ranked.probability(self) if self.graded else self._theta(ranked)


def cell_parameters(model: int, stop: str) -> Parameters:
    """Return the parameters that have an effect with a model and a distribution."""
    return {
        **CUTOFF,
        **(THETA if stop in ("RBP", "ERR") else {}),
        **(BASE if stop == "DCG" else {}),
        **NORM,
        **(REDUNDANCY if model != 1 else {}),
        **(EFFORT if model == 3 else {}),
        # In M3, gain only changes the probability of stopping.
        **(GAIN if stop in STATIC or stop == "ERR" else {}),
        **(MAX_REL if stop == "ERR" else {}),
        **REL,
    }


class _UserModel(UserModelMeasure):
    """A user model: what users accumulate, and where they stop, as in ``UserModel(2, "DCG")``.

    Users accumulate the relevance of the document where they stop (model 1), the utility of all documents read (model
    2), the effort (model 3), or the average utility of the documents read (model 4). Models 1 and 2 take the static
    distributions RBP, DCG and RR. Model 3 takes the dynamic distributions ERR, AP and RRR, whose users stop only at
    relevant documents. Model 4 takes all six. With a cutoff, model 2 assumes that nothing below is relevant.

    ``norm=True`` divides by the value of a perfect ranking for each intent: its relevant documents by label, then
    others down to the cutoff. Without a cutoff, the perfect ranking is as long as the ranking, or has all relevant
    documents if there are more. Values then do not exceed 1, except with ``effort="rank"``, where less is better.

    ``gain={1: 3, 2: 10}`` gives each label its value; with the distribution ERR, its probability of satisfying a user.
    Graded ERR is that of Chapelle et al. (2009). The paper's form (Sec. 5.1), a product over all grades, may exceed 1.

    ``base`` is the base b in the viewing probability of DCG, 1/log_b(i + b - 1), which is 1 at the first rank. (nDCG
    with base b that does not discount above rank b is another measure.)

    ``redundancy`` replaces R_i by U_i, in which each relevant document counts only with the value that is left after
    those above it. The paper defines it for model 2, and says that models 3 and 4 follow. In model 3, the probability
    of reading on is then a function of U_i, and the probability of stopping is its difference between ranks.

    Raises
    ------
    ValueError
        If the model does not take the distribution, a parameter has no effect, or gains are graded with AP or RRR,
        whose probabilities would not sum to 1.

    .. cite.dblp:: conf/sigir/Carterette11

    References
    ----------
    Carterette (2011). System effectiveness, user models, and user utility. SIGIR, 903-912, Table 1.
    https://doi.org/10.1145/2009916.2010037

    Examples
    --------
    >>> from pyterrier_diversity import UserModel, score
    >>> score(UserModel(2, "RR"), [[1], [1]])
    1.5
    >>> score(UserModel(2, "RR", gain={1: 3, 2: 10}), [[2], [1]])
    11.5
    """

    NAME = __name__ = "UserModel"
    PRETTY_NAME = "User Model"
    FORMULA = (
        r"\sum_t w_t M_t, \quad M_1 = \sum_i J_i P(i), \; M_2 = \sum_i J_i F(i), \; M_3 = \sum_i \frac{1}{i} "
        r"P(i), \; M_4 = \sum_i \frac{R_i}{i} P(i)"
    )
    WHERE = (
        r"$P(i)$ is the probability that the user stops at rank i, $F(i)$ that they read at least that far, and "
        r"$R_i$ the number of relevant documents, or their gain, down to rank i"
    )
    SOURCE = "Carterette (2011, SIGIR), Eqs. 1-4, Table 1"
    EQUALS = "of one intent: (1, 'RBP') RBP(rel=1) of cwl_eval; (4, 'AP') AP of pytrec_eval"
    EXAMPLE = "UserModel(model=1, stop='RBP')"
    READS = ("weight", "intent_type")
    SUPPORTED_PARAMS = {**CUTOFF, **MODEL, **THETA, **BASE, **NORM, **REDUNDANCY, **EFFORT, **GAIN, **MAX_REL, **REL}

    def __init__(self, model: int | None = None, stop: str | None = None, **params: Any) -> None:
        super().__init__(model=model, stop=stop, **params)

    def refuse_idle(self) -> None:
        """Raise a ``ValueError`` for pairs that do not exist, and for parameters that have no effect."""
        if self.params.keys() <= {"cutoff"}:
            return
        if self.model is None or self.stop is None:
            raise ValueError(_NEEDS)
        if self.stop not in STOPS[self.model]:
            stops = ", ".join(map(repr, STOPS[self.model]))
            raise ValueError(f"UserModel: stop must be one of {stops} with model {self.model}, not {self.stop!r}.")
        if self.graded and self.stop in ("AP", "RRR"):
            raise ValueError(
                f"UserModel: gain must be 'binary' with stop={self.stop!r}, not {self.gain!r}: otherwise the "
                "probabilities of stopping do not sum to 1."
            )
        super().refuse_idle()

    def __call__(self, model: int | None = None, stop: str | None = None, **params: Any) -> _UserModel:
        """Return this measure with other parameters."""
        given = {"model": model, "stop": stop, **params}
        return _UserModel(**{**self.params, **{name: value for name, value in given.items() if value is not None}})

    def score(self, ranked: Ranked) -> np.ndarray:
        if self.model is None:
            raise ValueError(_NEEDS)
        return super().score(ranked)


_NEEDS = "UserModel needs a model and a distribution, as in UserModel(2, 'DCG')."


_R = "$R_i$ is the number of relevant documents, or their gain, down to rank i"


class Cell(NamedTuple):
    """A named cell of the table of models and distributions."""

    name: str
    model: int
    stop: str
    pretty_name: str
    formula: str
    summary: str


# Carterette (2011), Table 1.
CELLS = (
    Cell(
        "RBTR",
        2,
        "RBP",
        "Rank-Biased Total Relevance",
        r"\sum_i J_i (1 - \theta)^{i - 1}",
        "Total relevance read by users who stop at each document with the same probability.",
    ),
    Cell(
        "RBAP",
        4,
        "RBP",
        "Rank-Biased Average Precision",
        r"\sum_i \frac{R_i}{i} (1 - \theta)^{i - 1} \theta",
        "Precision at the rank where users stop, with the same probability at each document.",
    ),
    Cell(
        "CDG",
        1,
        "DCG",
        "Cumulated Discounted Gain",
        r"\sum_i J_i \left( \frac{1}{\log_2(i + 1)} - \frac{1}{\log_2(i + 2)} \right)",
        "Relevance of the document where users stop, with the stopping distribution of DCG.",
    ),
    Cell(
        "DCG",
        2,
        "DCG",
        "Discounted Cumulated Gain",
        r"\sum_i \frac{J_i}{\log_2(i + 1)}",
        "Total relevance of the documents read, with the stopping distribution of DCG.",
    ),
    Cell(
        "DAG",
        4,
        "DCG",
        "Discounted Average Gain",
        r"\sum_i \frac{R_i}{i} \left( \frac{1}{\log_2(i + 1)} - \frac{1}{\log_2(i + 2)} \right)",
        "Precision at the rank where users stop, with the stopping distribution of DCG.",
    ),
    Cell(
        "RRG",
        1,
        "RR",
        "Reciprocal Rank Gain",
        r"\sum_i \frac{J_i}{i (i + 1)}",
        "Relevance of the document where users stop. They read rank i with probability 1/i.",
    ),
    Cell(
        "RRTR",
        2,
        "RR",
        "Reciprocal Rank Total Relevance",
        r"\sum_i \frac{J_i}{i}",
        "Total relevance of the documents read by users who read rank i with probability 1/i (the paper's RR).",
    ),
    Cell(
        "RAP",
        4,
        "RR",
        "Reciprocal Average Precision",
        r"\sum_i \frac{R_i}{i} \frac{1}{i (i + 1)}",
        "Precision at the rank where users stop. They read rank i with probability 1/i.",
    ),
    Cell(
        "EPR",
        4,
        "ERR",
        "Expected Precision",
        r"\sum_i \frac{R_i}{i} J_i (1 - \theta)^{R_i - 1} \theta",
        "Precision at the rank where users stop, with the same probability at each relevant document.",
    ),
    Cell(
        "ARR",
        3,
        "AP",
        "Average Reciprocal Rank",
        r"\frac{1}{R} \sum_i \frac{J_i}{i}",
        "Reciprocal rank of a relevant document, averaged over all of them.",
    ),
    Cell(
        "RRR",
        3,
        "RRR",
        "Reciprocal Relevant Rank",
        r"\sum_i \frac{1}{i} \frac{J_i}{R_i (R_i + 1)}",
        "Reciprocal of the rank where users stop. They read the i-th relevant document with probability 1/i.",
    ),
    Cell(
        "RRAP",
        4,
        "RRR",
        "Reciprocal Relevant Average Precision",
        r"\sum_i \frac{R_i}{i} \frac{J_i}{R_i (R_i + 1)}",
        "Precision at the rank where users stop. They read the i-th relevant document with probability 1/i.",
    ),
)


class _Cell(UserModelMeasure):
    """A named cell of the table, with the parameters that have an effect in it."""

    SOURCE = "Carterette (2011, SIGIR), Table 1"

    def __init__(self, cell: Cell, **params: Any) -> None:
        self.cell = cell
        self.NAME = self.__name__ = cell.name
        self.PRETTY_NAME = cell.pretty_name
        self.FORMULA = rf"\sum_t w_t M_t, \quad M_t = {cell.formula}"
        self.__doc__ = (
            f"{cell.pretty_name}: {cell.summary[0].lower()}{cell.summary[1:]}\n\n"
            f'It is ``UserModel({cell.model}, "{cell.stop}")``.\n\n.. cite.dblp:: conf/sigir/Carterette11\n'
        )
        if "R_i" in cell.formula:
            self.WHERE = _R
        self.model, self.stop = cell.model, cell.stop
        self.SUPPORTED_PARAMS = cell_parameters(cell.model, cell.stop)
        self.READS = ("weight", "intent_type") if "theta_nav" in self.SUPPORTED_PARAMS else ("weight",)
        super().__init__(**params)

    def __call__(self, **params: Any) -> _Cell:
        """Return the measure with other values of these parameters."""
        return _Cell(self.cell, **{**self.params, **params})


UserModel = register(_UserModel())
RBTR, RBAP, CDG, DCG, DAG, RRG, RRTR, RAP, EPR, ARR, RRR, RRAP = (register(_Cell(cell)) for cell in CELLS)
