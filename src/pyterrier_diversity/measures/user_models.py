"""Carterette's user models: how users accumulate gain, and where they stop.

A measure combines an accumulation model, 1 to 4, with a distribution of the rank at which users stop. It is computed
for each intent separately, and averaged by the intents' weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic import divide, power
from ..ideal import ByWorth, n_terms
from ..judged import Ranked, ideal
from ..parameters import CUTOFF, GAINS, GRADES, POSITIVE, REL, GainTable, Parameter, Parameters
from .ad_hoc import by_label
from .base import DiversityMeasure
from .registration import register

__all__ = ["ARR", "CDG", "DAG", "DCG", "EPR", "RAP", "RBAP", "RBTR", "RRAP", "RRG", "RRR", "RRTR", "UserModel"]


Value = Callable[[np.ndarray], np.ndarray]


class Static(NamedTuple):
    """A distribution of the rank i at which users stop, regardless of relevance.

    F(i), the probability of reading rank i, and P(i), that of stopping there, are functions of the rank, theta and the
    base: Carterette (2011, SIGIR), Sec. 3. ``parameters`` names those that have an effect.
    """

    parameters: tuple[str, ...]
    F: Callable[[np.ndarray, np.ndarray | float, float], np.ndarray]
    P: Callable[[np.ndarray, np.ndarray | float, float], np.ndarray]


class Dynamic(NamedTuple):
    """A distribution of the rank i at which users stop, always at a relevant document.

    The fraction of users who read on below rank i is a function of U_i, and P(i) is its fall at rank i. The relevant
    documents add ``value(1)``, ``value(2)``, ... to U_i; if each adds 1, U_i is R_i. Each satisfies a user with the
    given probability.
    """

    parameters: tuple[str, ...]
    P: Callable[[Ranked, np.ndarray, Value], np.ndarray]


def _log(i: np.ndarray, b: float) -> np.ndarray:
    """Return 1 / log_b(i + b - 1)."""
    return 1.0 / (np.log2(i + (b - 1.0)) / np.log2(b))


def _err(ranked: Ranked, satisfied: np.ndarray, value: Value) -> np.ndarray:
    """Return the fall of (1 - theta)^U_i; with graded labels, r_i replaces theta."""
    stops = 1.0 - power(1.0 - satisfied, value(ranked.met + 1))
    return stops * ranked.intents.left(stops)


def _ap(ranked: Ranked, satisfied: np.ndarray, value: Value) -> np.ndarray:
    """Return the fall of 1 - U_i / U, where U is what all relevant documents add, retrieved or not."""
    added = np.cumsum(value(np.arange(1, ranked.n_relevant.max(initial=0) + 1)))
    return value(ranked.met + 1) / added[ranked.n_relevant - 1]


def _rrr(ranked: Ranked, satisfied: np.ndarray, value: Value) -> np.ndarray:
    """Return the fall of 1 / (U_i + 1)."""
    added = value(ranked.met + 1)
    above = ranked.intents.above(added)
    return added / ((above + 1.0) * (above + added + 1.0))


STATIC = {
    "RBP": Static(
        ("theta", "theta_nav", "gain"),
        lambda i, theta, b: power(1.0 - theta, i - 1.0),
        lambda i, theta, b: power(1.0 - theta, i - 1.0) * theta,
    ),
    "DCG": Static(("base", "gain"), lambda i, theta, b: _log(i, b), lambda i, theta, b: _log(i, b) - _log(i + 1.0, b)),
    "RR": Static(("gain",), lambda i, theta, b: 1.0 / i, lambda i, theta, b: 1.0 / (i * (i + 1.0))),
}
DYNAMIC = {
    "ERR": Dynamic(("theta", "theta_nav", "gain", "max_rel"), _err),
    "AP": Dynamic((), _ap),
    "RRR": Dynamic((), _rrr),
}
STOPS: dict[str, Static | Dynamic] = {**STATIC, **DYNAMIC}


def average_while_reading(n: np.ndarray, stop: str, theta: np.ndarray, base: float) -> np.ndarray:
    """Return sum_{i<=n} P(i)/i: the average utility of users who stop by rank n, from a gain of 1 at rank 1."""
    rank = np.arange(1.0, n.max(initial=0) + 1)
    result = np.zeros(n.shape)
    for value in np.unique(theta):
        sums = np.cumsum(np.append(0.0, STATIC[stop].P(rank, value, base) / rank))
        result = np.where(theta == value, sums[n], result)
    return result


class Model(NamedTuple):
    """What users accumulate; ``added`` is what each relevant document adds to it if n ranks are read."""

    parameters: tuple[str, ...]
    stops: tuple[str, ...]
    added: Callable[[UserModelMeasure, Ranked, np.ndarray], np.ndarray]


def _relevance(user: UserModelMeasure, ranked: Ranked, n: np.ndarray) -> np.ndarray:
    """M1: sum_i J_i P(i)."""
    return ranked.gain(user) * STATIC[user.stop].P(ranked.rank, user.theta_of(ranked), user["base"])


def _utility(user: UserModelMeasure, ranked: Ranked, n: np.ndarray) -> np.ndarray:
    """M2: sum_i J_i F(i)."""
    return user.utility_of(ranked) * STATIC[user.stop].F(ranked.rank, user.theta_of(ranked), user["base"])


def _effort(user: UserModelMeasure, ranked: Ranked, n: np.ndarray) -> np.ndarray:
    """M3: sum_i f(i) P(i)."""
    f = 1.0 / ranked.rank if user.effort == "reciprocal" else ranked.rank
    return f * DYNAMIC[user.stop].P(ranked, user.satisfied(ranked), user.novelty)


def _average_utility(user: UserModelMeasure, ranked: Ranked, n: np.ndarray) -> np.ndarray:
    """M4: sum_i (U_i / i) P(i)."""
    utility = user.utility_of(ranked)
    if user.stop in DYNAMIC:
        stops = DYNAMIC[user.stop].P(ranked, user.satisfied(ranked), lambda found: np.ones(len(found)))
        return (ranked.intents.above(utility) + utility) / ranked.rank * stops
    # The sum over ranks as a sum over documents: each adds its utility from its own rank to the last.
    static = user.stop, user.theta_of(ranked), user["base"]
    last, above = (average_while_reading(rank, *static) for rank in (n[ranked.query], ranked.rank - 1))
    return utility * (last - above)


REDUNDANCY = ("redundancy", "theta_red")
MODELS = {
    1: Model((), (*STATIC,), _relevance),
    2: Model(REDUNDANCY, (*STATIC,), _utility),
    3: Model(("effort", *REDUNDANCY), (*DYNAMIC,), _effort),
    4: Model(REDUNDANCY, (*STOPS,), _average_utility),
}

# The usual base of the logarithm in DCG.
BASE = 2.0
PARAMETERS: Parameters = {
    **CUTOFF,
    "model": Parameter(
        int, interval="[1, 4]", desc="what accumulates: 1 relevance, 2 utility, 3 effort, 4 average utility"
    ),
    "stop": Parameter(str, choices=(*STOPS,), desc="distribution of the rank at which users stop"),
    "theta": Parameter(
        float,
        0.5,
        interval="(0, 1]",
        desc="probability of stopping at a document (RBP) or at a relevant document (ERR)",
    ),
    "theta_nav": Parameter(
        float, interval="(0, 1]", desc="theta of navigational intents; the same as theta if not given"
    ),
    "base": Parameter(
        float, BASE, interval="[2, inf)", desc="base of the logarithm in the stopping distribution of DCG"
    ),
    "norm": Parameter(bool, False, desc="divide by the value of a perfect ranking of the same length for each intent"),
    "redundancy": Parameter(
        str, choices=(*STATIC,), desc="how each relevant document lowers the value of the next; no effect if not given"
    ),
    "theta_red": Parameter(
        float, 0.5, interval="[0, 1]", desc="fraction of value that each relevant document takes from the next (RBP)"
    ),
    "effort": Parameter(
        str,
        "reciprocal",
        choices=("reciprocal", "rank"),
        desc="1 / i for users who stop at rank i, or i itself, where lower is better",
    ),
    "gain": Parameter(str, "binary", choices=GAINS, table=POSITIVE, desc="how a label becomes a value"),
    "max_rel": GRADES["max_rel"],
    **REL,
}


_NEEDS = "UserModel needs a model and a distribution, as in UserModel(2, 'DCG')."


class UserModelMeasure(DiversityMeasure):
    """A measure with an accumulation model and a distribution of the rank at which users stop.

    Notes
    -----
    :Values: [0, inf); [0, 1] with norm=True
    """

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.params.keys() <= {"cutoff"}:
            return
        if self.model is None or self.stop is None:
            raise ValueError(_NEEDS)
        stops, gain = MODELS[self.model].stops, self["gain"]
        if self.stop not in stops:
            named = ", ".join(map(repr, stops))
            raise ValueError(f"{self.NAME}: stop must be one of {named} with model {self.model}, not {self.stop!r}.")
        if gain != "binary" and self.stop in ("AP", "RRR"):
            raise ValueError(
                f"{self.NAME}: gain must be 'binary' with stop={self.stop!r}, not {gain!r}: otherwise the "
                "probabilities of stopping do not sum to 1."
            )
        effective = {"model", "stop", *cell_parameters(self.model, self.stop)}
        if self["redundancy"] != "RBP":
            effective -= {"theta_red"}
        if self.stop == "ERR":
            # A table has the probabilities themselves.
            effective -= {"max_rel"} if gain == "binary" else {"theta", "theta_nav"}
            effective -= {"max_rel"} if isinstance(gain, GainTable) else set()
        idle = self.params.keys() - effective
        if idle:
            raise ValueError(f"{self.NAME}: {', '.join(sorted(idle))} has no effect in {self!r}.")
        if self.stop == "ERR" and isinstance(gain, GainTable) and max(gain.values()) > 1:
            raise ValueError(f"{self.NAME}: with stop='ERR' gains are probabilities, not {max(gain.values()):g}.")

    @property
    def HIGHER_IS_BETTER(self) -> bool:  # type: ignore[override]
        """Whether a higher value is better: not that of the ranks that users reach."""
        return bool(self.get("effort") != "rank")

    def range(self) -> tuple[float, float]:
        return 0.0, 1.0 if self.norm and self.get("effort") != "rank" else math.inf

    def score(self, ranked: Ranked) -> np.ndarray:
        if self.model is None:
            raise ValueError(_NEEDS)
        values = self.of_intents(ranked, ranked.n)
        if self.norm:
            values = divide(values, self.of_perfect_rankings(ranked))
        return ranked.judgements.mean_over_intents(values)

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter, or the default of one that has no effect in this measure."""
        return self.params.get(name, PARAMETERS[name].default)

    def of_intents(self, ranked: Ranked, n: np.ndarray) -> np.ndarray:
        """Return M of each intent if n ranks of each query are read."""
        return ranked.intents.total(MODELS[self.model].added(self, ranked, n))

    def of_perfect_rankings(self, ranked: Ranked) -> np.ndarray:
        """Return M of each intent's perfect ranking: relevant documents by label, then other documents."""
        judgements = ranked.judgements.view("each intent")
        perfect = ideal(judgements, ByWorth(by_label), ranked.cutoff)
        if ranked.cutoff is None:
            longest = np.maximum(ranked.n[ranked.judgements.intents.query], judgements.n_relevant)
            return self.of_intents(perfect, longest)
        last = np.full(len(judgements), self._last_rank(ranked.cutoff))
        return perfect.value(self, lambda found: self.of_intents(found, last))

    def _last_rank(self, cutoff: int) -> int:
        """Return the last rank down to the cutoff that adds to the value of a perfect ranking."""
        if self.model != 4 or self.stop in DYNAMIC:
            return 0  # not read: only relevant documents add to the value
        base = 1 - min(self["theta"], self["theta_nav"] or 1.0) if self.stop == "RBP" else 1.0
        return n_terms(self, cutoff, base)

    def theta_of(self, ranked: Ranked) -> np.ndarray:
        """Return theta of each entry's intent."""
        return np.where(ranked.navigational, self["theta_nav"] or self["theta"], self["theta"])

    def satisfied(self, ranked: Ranked) -> np.ndarray:
        """Return the probability that each document satisfies a user who reads it."""
        return self.theta_of(ranked) if self["gain"] == "binary" else ranked.probability(self)

    def utility_of(self, ranked: Ranked) -> np.ndarray:
        """Return what each document adds to U_i."""
        return ranked.gain(self) * self.novelty(ranked.met + 1)

    def novelty(self, found: np.ndarray) -> np.ndarray:
        """Return the fraction of its value that the first, second, ... relevant document keeps."""
        if self["redundancy"] is None:
            return np.ones(len(found))
        return STATIC[self["redundancy"]].F(found, self["theta_red"], BASE)


def cell_parameters(model: int, stop: str) -> Parameters:
    """Return the parameters that have an effect with a model and a distribution."""
    names = {"cutoff", "norm", "rel", *MODELS[model].parameters, *STOPS[stop].parameters}
    return {name: parameter for name, parameter in PARAMETERS.items() if name in names}


class _UserModel(UserModelMeasure):
    r"""A user model: what users accumulate, and where they stop, as in ``UserModel(2, "DCG")``.

    Users accumulate the relevance of the document where they stop (model 1), the utility of all documents read (model
    2), the effort (model 3), or the average utility of the documents read (model 4). Models 1 and 2 take the static
    distributions RBP, DCG and RR. Model 3 takes the dynamic distributions ERR, AP and RRR, whose users stop only at
    relevant documents. Model 4 takes all six. With a cutoff, model 2 assumes that nothing below is relevant.

    ``norm=True`` divides by the value of a perfect ranking for each intent: its relevant documents by label, then
    others down to the cutoff. Without a cutoff, the perfect ranking is as long as the ranking, or has all relevant
    documents if there are more. Values then do not exceed 1, except with ``effort="rank"``, where lower is better. A
    query that is missing from the run, or whose ranking has no relevant document, scores 0 there, too, the best value:
    compare only systems that answer the same queries.

    ``gain={1: 3, 2: 10}`` gives each label its value; with the distribution ERR, its probability of satisfying a user.
    Graded ERR is that of Chapelle et al. (2009). The paper's form (Sec. 5.1), a product over all grades, may exceed 1.

    ``base`` is the base b in the viewing probability of DCG, 1/log_b(i + b - 1), which is 1 at the first rank. (nDCG
    with base b and no discount above rank b is a different measure.)

    ``redundancy`` replaces R_i by U_i, in which each relevant document counts only with the value that is left after
    those above it. The paper defines it for model 2, and says that models 3 and 4 follow. In model 3, the probability
    of reading on is then a function of U_i, and the probability of stopping is its difference between ranks.

    Raises
    ------
    ValueError
        If the model does not take the distribution, a parameter has no effect, or gains are graded with AP or RRR,
        whose probabilities would not sum to 1.

    Notes
    -----
    :Name: User Model
    :Values: [0, inf); [0, 1] with norm=True, unless effort='rank'
    :Formula: \sum_t w_t M_t, \quad M_1 = \sum_i J_i P(i), \; M_2 = \sum_i J_i F(i), \; M_3 = \sum_i \frac{1}{i} P(i),
        \; M_4 = \sum_i \frac{R_i}{i} P(i)
    :Where: $P(i)$ is the probability that the user stops at rank i, $F(i)$ that they read at least that far, and $R_i$
        the number of relevant documents, or their gain, down to rank i
    :Source: Carterette (2011, SIGIR), Eqs. 1-4, Table 1
    :Equal to: with one intent, (1, 'RBP') is RBP(rel=1) of cwl_eval, and (4, 'AP') is AP of pytrec_eval

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

    READS = ("weight", "intent_type")
    SUPPORTED_PARAMS = PARAMETERS

    def __call__(self, model: int | None = None, stop: str | None = None, **params: Any) -> _UserModel:
        """Return this measure with other parameters."""
        given = {"model": model, "stop": stop, **params}
        return super().__call__(**{name: value for name, value in given.items() if value is not None})


class NamedModel(UserModelMeasure):
    """A named cell of the table of models and distributions, with the parameters that have an effect in it.

    Notes
    -----
    :Source: Carterette (2011, SIGIR), Table 1
    """

    model: int
    stop: str

    def __init__(self, **params: Any) -> None:
        self.SUPPORTED_PARAMS = cell_parameters(self.model, self.stop)
        self.READS = ("weight", "intent_type") if "theta_nav" in self.SUPPORTED_PARAMS else ("weight",)
        super().__init__(**params)


class _RBTR(NamedModel):
    r"""Rank-Biased Total Relevance: total relevance for users who stop at each document with the same probability.

    It is ``UserModel(2, "RBP")``.

    Notes
    -----
    :Name: Rank-Biased Total Relevance
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i J_i (1 - \theta)^{i - 1}

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 2, "RBP"


class _RBAP(NamedModel):
    r"""Rank-Biased Average Precision: precision for users who stop at each document with the same probability.

    It is ``UserModel(4, "RBP")``.

    Notes
    -----
    :Name: Rank-Biased Average Precision
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i \frac{R_i}{i} (1 - \theta)^{i - 1} \theta
    :Where: $R_i$ is the number of relevant documents, or their gain, down to rank i

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 4, "RBP"


class _CDG(NamedModel):
    r"""Cumulated Discounted Gain: relevance at the last rank for users who read rank i with probability 1/log2(i + 1).

    It is ``UserModel(1, "DCG")``.

    Notes
    -----
    :Name: Cumulated Discounted Gain
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i J_i \left( \frac{1}{\log_2(i + 1)} - \frac{1}{\log_2(i + 2)} \right)

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 1, "DCG"


class _DCG(NamedModel):
    r"""Discounted Cumulated Gain: total relevance for users who read rank i with probability 1/log2(i + 1).

    It is ``UserModel(2, "DCG")``.

    Notes
    -----
    :Name: Discounted Cumulated Gain
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i J_i \frac{1}{\log_2(i + 1)}

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 2, "DCG"


class _DAG(NamedModel):
    r"""Discounted Average Gain: precision for users who read rank i with probability 1/log2(i + 1).

    It is ``UserModel(4, "DCG")``.

    Notes
    -----
    :Name: Discounted Average Gain
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i \frac{R_i}{i} \left( \frac{1}{\log_2(i + 1)} - \frac{1}{\log_2(i + 2)}
        \right)
    :Where: $R_i$ is the number of relevant documents, or their gain, down to rank i

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 4, "DCG"


class _RRG(NamedModel):
    r"""Reciprocal Rank Gain: relevance at the last rank for users who read rank i with probability 1/i.

    It is ``UserModel(1, "RR")``.

    Notes
    -----
    :Name: Reciprocal Rank Gain
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i J_i \frac{1}{i (i + 1)}

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 1, "RR"


class _RRTR(NamedModel):
    r"""Reciprocal Rank Total Relevance: total relevance for users who read rank i with probability 1/i.

    It is ``UserModel(2, "RR")``. The paper calls it RR.

    Notes
    -----
    :Name: Reciprocal Rank Total Relevance
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i J_i \frac{1}{i}

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 2, "RR"


class _RAP(NamedModel):
    r"""Reciprocal Average Precision: precision for users who read rank i with probability 1/i.

    It is ``UserModel(4, "RR")``.

    Notes
    -----
    :Name: Reciprocal Average Precision
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i \frac{R_i}{i} \frac{1}{i (i + 1)}
    :Where: $R_i$ is the number of relevant documents, or their gain, down to rank i

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 4, "RR"


class _EPR(NamedModel):
    r"""Expected Precision: precision for users who stop at each relevant document with the same probability.

    It is ``UserModel(4, "ERR")``.

    Notes
    -----
    :Name: Expected Precision
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i \frac{R_i}{i} J_i (1 - \theta)^{R_i - 1} \theta
    :Where: $R_i$ is the number of relevant documents, or their gain, down to rank i

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 4, "ERR"


class _ARR(NamedModel):
    r"""Average Reciprocal Rank: reciprocal last rank for users who stop at a random relevant document.

    It is ``UserModel(3, "AP")``.

    Notes
    -----
    :Name: Average Reciprocal Rank
    :Values: [0, inf); [0, 1] with norm=True, unless effort='rank'
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i \frac{1}{i} \frac{J_i}{R}

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 3, "AP"


class _RRR(NamedModel):
    r"""Reciprocal Relevant Rank: reciprocal last rank for users who read relevant document i with probability 1/i.

    It is ``UserModel(3, "RRR")``.

    Notes
    -----
    :Name: Reciprocal Relevant Rank
    :Values: [0, inf); [0, 1] with norm=True, unless effort='rank'
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i \frac{1}{i} \frac{J_i}{R_i (R_i + 1)}
    :Where: $R_i$ is the number of relevant documents, or their gain, down to rank i

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 3, "RRR"


class _RRAP(NamedModel):
    r"""Reciprocal Relevant Average Precision: precision for users who read relevant document i with probability 1/i.

    It is ``UserModel(4, "RRR")``.

    Notes
    -----
    :Name: Reciprocal Relevant Average Precision
    :Formula: \sum_t w_t M_t, \quad M_t = \sum_i \frac{R_i}{i} \frac{J_i}{R_i (R_i + 1)}
    :Where: $R_i$ is the number of relevant documents, or their gain, down to rank i

    .. cite.dblp:: conf/sigir/Carterette11
    """

    model, stop = 4, "RRR"


UserModel = register(_UserModel())
RBTR = register(_RBTR())
RBAP = register(_RBAP())
CDG = register(_CDG())
DCG = register(_DCG())
DAG = register(_DAG())
RRG = register(_RRG())
RRTR = register(_RRTR())
RAP = register(_RAP())
EPR = register(_EPR())
ARR = register(_ARR())
RRR = register(_RRR())
RRAP = register(_RRAP())
