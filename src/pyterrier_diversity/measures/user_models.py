"""Carterette's user models: what users gain from the documents they read, and where they stop.

A measure is a pair of an accumulation model, 1 to 4, and a distribution of the rank at which users stop. It is computed
for each intent alone, and averaged by the intents' weights.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import left_before, over_documents, over_intents, share
from ..judged import JudgedRankings
from ..parameters import CUTOFF, GRADES, REL, Parameter, Parameters
from .base import DiversityMeasure, register

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
        float, 0.5, interval="(0, 1]", desc="probability of stopping at a document (RBP), if relevant (ERR)"
    ),
    "theta_nav": Parameter(float, interval="(0, 1]", desc="theta of navigational intents, if another"),
}
NORM: Parameters = {
    "norm": Parameter(bool, False, desc="divide by the value of the intent's perfect ranking, cut at the cutoff")
}
REDUNDANCY: Parameters = {
    "redundancy": Parameter(
        str, choices=STATIC, desc="how relevant documents lose value as more of them are met, if they do"
    ),
    "theta_red": Parameter(float, 0.5, interval="[0, 1]", desc="what a relevant document loses each time (RBP)"),
}
EFFORT: Parameters = {
    "effort": Parameter(
        str,
        "reciprocal",
        choices=("reciprocal", "rank"),
        desc="1 over the rank of stopping, or that rank: less is better then",
    )
}
GAIN: Parameters = {
    "gain": Parameter(str, "binary", choices=("exp", "linear", "binary"), desc="how a label becomes a value"),
}
MAX_REL: Parameters = {"max_rel": GRADES["max_rel"]}


def viewing_probability(ranks: npt.ArrayLike, stop: str, theta: npt.ArrayLike = 0.5) -> np.ndarray:
    r"""Compute the probability that a user reads each rank: of not having stopped above it.

    Parameters
    ----------
    ranks : array_like
        Ranks, from 1.
    stop : {"RBP", "DCG", "RR"}
        The distribution of the rank of stopping.
    theta : array_like in [0, 1]
        With "RBP", the probability of stopping at a document; broadcast against ``ranks``.

    Returns
    -------
    ndarray
        :math:`F(i)`: :math:`(1 - \theta)^{i-1}`, :math:`1/\log_2(i+1)` or :math:`1/i`. The probability of stopping at
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
    ranks = np.asarray(ranks, dtype=np.float64)
    if stop == "RBP":
        return np.power(1.0 - np.asarray(theta), ranks - 1.0)
    return 1.0 / (np.log2(ranks + 1.0) if stop == "DCG" else ranks)


def stopping_probability(ranks: npt.ArrayLike, stop: str, theta: npt.ArrayLike = 0.5) -> np.ndarray:
    r"""Compute the probability that a user stops at each rank, whatever is there.

    Parameters
    ----------
    ranks, stop, theta
        As for `viewing_probability`.

    Returns
    -------
    ndarray
        :math:`P(i)`: :math:`(1 - \theta)^{i-1} \theta`, :math:`1/\log_2(i+1) - 1/\log_2(i+2)` or :math:`1/(i(i+1))`.

    Examples
    --------
    >>> stopping_probability([1, 2, 3], "RBP")
    array([0.5  , 0.25 , 0.125])
    """
    ranks = np.asarray(ranks, dtype=np.float64)
    if stop == "RR":
        return 1.0 / (ranks * (ranks + 1.0))
    if stop == "RBP":
        return viewing_probability(ranks, stop, theta) * theta
    return viewing_probability(ranks, stop) - viewing_probability(ranks + 1.0, stop)


def average_while_reading(n: np.ndarray, stop: str, theta: np.ndarray) -> np.ndarray:
    """Compute sum_{i<=n} P(i)/i, the average utility down to rank n of a document of utility 1 at rank 1."""
    ranks = np.arange(1.0, n.max(initial=0) + 1)
    n, theta = np.broadcast_arrays(n, theta)
    result = np.zeros(n.shape)
    for value in np.unique(theta):
        sums = np.cumsum(np.append(0.0, stopping_probability(ranks, stop, value) / ranks))
        result = np.where(theta == value, sums[n], result)
    return result


class UserModelMeasure(DiversityMeasure):
    """A measure of an accumulation model and a distribution of the rank of stopping."""

    RANGE = "[0, inf)"
    READS: tuple[str, ...] = ("weight",)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.refuse_idle()

    def refuse_idle(self) -> None:
        """Raise the ``ValueError`` for parameters that have no effect beside the others."""
        idle = self.params.keys() - cell_parameters(self.model, self.stop).keys() - MODEL.keys()
        if self.get("redundancy") != "RBP":
            idle |= {"theta_red"}
        if self.stop == "ERR":
            idle |= {"theta", "theta_nav"} if self.graded else {"max_rel"}
        idle &= self.params.keys()
        if idle:
            raise ValueError(f"{self.NAME}: {', '.join(sorted(idle))} has no effect in {self!r}.")

    @property
    def model(self) -> int:
        """The accumulation model, 1 to 4."""
        raise NotImplementedError

    @property
    def stop(self) -> str:
        """The distribution of the rank of stopping."""
        raise NotImplementedError

    @property
    def graded(self) -> bool:
        """Whether labels above 0 differ in value."""
        return self.get("gain") in ("exp", "linear")

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        values = self._of_intents(ranked, ranked.n[:, None])
        if self["norm"]:
            values = share(values, ranked.ideal(("perfect", self), self._of_perfect))
        return over_intents(values * ranked.weights)

    def _of_perfect(self, every: JudgedRankings) -> np.ndarray:
        """Return the value of each intent's relevant documents by descending label."""
        labels = -np.sort(-every.labels, axis=1)[:, : self["cutoff"]]
        perfect = replace(every, labels=labels, ranks=every.ranks[:, : labels.shape[1]])
        return self._of_intents(perfect, np.minimum(every.n_relevant, labels.shape[1]))

    def _of_intents(self, ranked: JudgedRankings, n: np.ndarray) -> np.ndarray:
        """Return the value for each intent, shape (queries, intents), ``n`` being the ranks read for it."""
        ranks = ranked.ranks[..., None]
        if self.model == 3:
            effort = 1.0 / ranks if self["effort"] == "reciprocal" else ranks
            return _over_documents(effort * self._stops_at_relevant(ranked))
        gains = ranked.gain(self) if self.graded else ranked.relevant
        if self.model == 1:
            return _over_documents(gains * stopping_probability(ranks, self.stop, self._theta(ranked)))
        utility = gains * self._novelty(ranked.relevant)
        if self.model == 2:
            return _over_documents(utility * viewing_probability(ranks, self.stop, self._theta(ranked)))
        if self.stop in DYNAMIC:
            return _over_documents(np.cumsum(utility, axis=-2) / ranks * self._stops_at_relevant(ranked))
        # The sum over all ranks, turned round: a document adds its utility to every rank from its own to the last.
        theta = self._theta(ranked)
        below = average_while_reading(n[:, None, :], self.stop, theta)
        return _over_documents(utility * (below - average_while_reading(ranks - 1, self.stop, theta)))

    def _theta(self, ranked: JudgedRankings) -> np.ndarray:
        """Return theta of each intent, shape (queries, 1, intents)."""
        theta, theta_nav = self.get("theta") or 0.5, self.get("theta_nav")
        return np.where(ranked.navigational, theta if theta_nav is None else theta_nav, theta)[:, None]

    def _novelty(self, relevant: np.ndarray) -> np.ndarray | float:
        """Return what is left of each document's value after the relevant ones above it."""
        redundancy = self.get("redundancy")
        if redundancy is None:
            return 1.0
        return viewing_probability(np.maximum(np.cumsum(relevant, axis=-2), 1.0), redundancy, self["theta_red"])

    def _stops_at_relevant(self, ranked: JudgedRankings) -> np.ndarray:
        """Return the probability of stopping at each document, which depends on the relevant ones above it."""
        if self.stop == "ERR" and self.graded:
            satisfied = ranked.probability(self)
        elif self.stop == "ERR":
            satisfied = ranked.relevant * self._theta(ranked)
        elif self.stop == "AP":
            return ranked.relevant * share(1.0, ranked.n_relevant)[:, None]
        else:
            found = np.maximum(np.cumsum(ranked.relevant, axis=-2), 1.0)
            return ranked.relevant * stopping_probability(found, "RR")
        return satisfied * left_before(satisfied, axis=-2)


def _over_documents(values: np.ndarray) -> np.ndarray:
    """Sum an array of shape (..., n_docs, n_intents) over the documents."""
    return over_documents(np.moveaxis(values, -2, -1))


def cell_parameters(model: int, stop: str) -> Parameters:
    """Return the parameters that have an effect with a model and a distribution."""
    return {
        **CUTOFF,
        **(THETA if stop in ("RBP", "ERR") else {}),
        **NORM,
        **(REDUNDANCY if model in (2, 4) else {}),
        **(EFFORT if model == 3 else {}),
        # M3 has no gain but that of the probability to stop.
        **(GAIN if stop in STATIC or stop == "ERR" else {}),
        **(MAX_REL if stop == "ERR" else {}),
        **REL,
    }


class _UserModel(UserModelMeasure):
    """A user who accumulates by a model and stops by a distribution: ``UserModel(2, "DCG")``.

    The models: 1 is the relevance of the document where the user stops, 2 the utility of all documents read, 3 the
    effort, 4 the average utility of a document read. Models 1 and 2 take the static distributions RBP, DCG and RR;
    model 3 the dynamic ones ERR, AP and RRR, whose users stop at relevant documents only; model 4 takes all. At a
    cutoff, model 2 assumes that nothing relevant comes below. With ``norm``, model 4 with a static distribution can
    exceed 1: the perfect ranking ends with its last relevant document, where a longer one goes on being read.

    Raises
    ------
    ValueError
        When it is built with a pair that is none, graded gains for AP or RRR, which would be no distributions, or a
        parameter that has no effect there.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "UserModel"
    PRETTY_NAME = "User Model"
    SHORT_DESC = "What a user accumulates by a model until stopping by a distribution."
    FORMULA = "sum_t w_t M_t, M1 = sum J_i P(i), M2 = sum J_i F(i), M3 = sum P(i)/i (or i P(i)), M4 = sum (R_i/i) P(i)"
    SOURCE = "Carterette (2011, SIGIR), Eqs. 1-4, Table 1"
    EQUALS = "of one intent: (1, 'RBP') RBP(rel=1) of cwl_eval; (4, 'AP') AP of pytrec_eval"
    EXAMPLE = "UserModel(model=1, stop='RBP')"
    READS = ("weight", "intent_type")
    SUPPORTED_PARAMS = {**CUTOFF, **MODEL, **THETA, **NORM, **REDUNDANCY, **EFFORT, **GAIN, **MAX_REL, **REL}
    model = property(lambda self: self["model"])
    stop = property(lambda self: self["stop"])

    def __init__(self, model: int | None = None, stop: str | None = None, **params: Any) -> None:
        super().__init__(model=model, stop=stop, **params)

    def refuse_idle(self) -> None:
        """Raise the ``ValueError`` for what is no pair, and for parameters that have no effect there."""
        if self.params.keys() <= {"cutoff"}:
            return
        if self.model is None or self.stop is None:
            raise ValueError(_NEEDS)
        if self.stop not in STOPS[self.model]:
            stops = ", ".join(map(repr, STOPS[self.model]))
            raise ValueError(f"UserModel: stop must be one of {stops} with model {self.model}, not {self.stop!r}.")
        if self.graded and self.stop in ("AP", "RRR"):
            raise ValueError(
                f"UserModel: gain must be 'binary' with stop {self.stop!r}, which is no distribution else."
            )
        super().refuse_idle()

    def __call__(self, model: int | None = None, stop: str | None = None, **params: Any) -> _UserModel:
        """Return this measure with other parameters."""
        given = {"model": model, "stop": stop, **params}
        return _UserModel(**{**self.params, **{name: value for name, value in given.items() if value is not None}})

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        if self.model is None:
            raise ValueError(_NEEDS)
        return super().score(ranked)


_NEEDS = "UserModel needs a model and a distribution, as in UserModel(2, 'DCG')."


class _Cell(UserModelMeasure):
    """A cell of the table of models and distributions."""

    MODEL: int
    STOP: str
    SOURCE = "Carterette (2011, SIGIR), Table 1"

    def __init_subclass__(cls) -> None:
        cls.FORMULA = f"sum_t w_t M_t, M_t = {cls.FORMULA}"
        cls.SUPPORTED_PARAMS = cell_parameters(cls.MODEL, cls.STOP)
        cls.READS = ("weight", "intent_type") if "theta_nav" in cls.SUPPORTED_PARAMS else ("weight",)

    model = property(lambda self: self.MODEL)
    stop = property(lambda self: self.STOP)


class _RBTR(_Cell):
    """Rank-Biased Total Relevance: ``UserModel(2, "RBP")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "RBTR"
    PRETTY_NAME = "Rank-Biased Total Relevance"
    SHORT_DESC = "Total relevance read by users who stop at each document with the same probability."
    FORMULA = "sum_i J_i (1-theta)^(i-1)"
    MODEL, STOP = 2, "RBP"


class _RBAP(_Cell):
    """Rank-Biased Average Precision: ``UserModel(4, "RBP")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "RBAP"
    PRETTY_NAME = "Rank-Biased Average Precision"
    SHORT_DESC = "Precision where users stop, each document with the same probability."
    FORMULA = "sum_i (R_i/i) (1-theta)^(i-1) theta"
    MODEL, STOP = 4, "RBP"


class _CDG(_Cell):
    """Cumulated Discounted Gain: ``UserModel(1, "DCG")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "CDG"
    PRETTY_NAME = "Cumulated Discounted Gain"
    SHORT_DESC = "Relevance of the document where users stop, by the distribution behind DCG."
    FORMULA = "sum_i J_i (1/log2(i+1) - 1/log2(i+2))"
    MODEL, STOP = 1, "DCG"


class _DCG(_Cell):
    """Discounted Cumulated Gain: ``UserModel(2, "DCG")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "DCG"
    PRETTY_NAME = "Discounted Cumulated Gain"
    SHORT_DESC = "Total relevance read, by the distribution behind the logarithmic discount."
    FORMULA = "sum_i J_i / log2(i+1)"
    MODEL, STOP = 2, "DCG"


class _DAG(_Cell):
    """Discounted Average Gain: ``UserModel(4, "DCG")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "DAG"
    PRETTY_NAME = "Discounted Average Gain"
    SHORT_DESC = "Precision where users stop, by the distribution behind DCG."
    FORMULA = "sum_i (R_i/i) (1/log2(i+1) - 1/log2(i+2))"
    MODEL, STOP = 4, "DCG"


class _RRG(_Cell):
    """Reciprocal Rank Gain: ``UserModel(1, "RR")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "RRG"
    PRETTY_NAME = "Reciprocal Rank Gain"
    SHORT_DESC = "Relevance of the document where users stop, reading on with reciprocal probability."
    FORMULA = "sum_i J_i / (i (i+1))"
    MODEL, STOP = 1, "RR"


class _RRTR(_Cell):
    """Reciprocal Rank Total Relevance: ``UserModel(2, "RR")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "RRTR"
    PRETTY_NAME = "Reciprocal Rank Total Relevance"
    SHORT_DESC = "Total relevance read, reading on with reciprocal probability (the paper's RR)."
    FORMULA = "sum_i J_i / i"
    MODEL, STOP = 2, "RR"


class _RAP(_Cell):
    """Reciprocal Average Precision: ``UserModel(4, "RR")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "RAP"
    PRETTY_NAME = "Reciprocal Average Precision"
    SHORT_DESC = "Precision where users stop, reading on with reciprocal probability."
    FORMULA = "sum_i (R_i/i) / (i (i+1))"
    MODEL, STOP = 4, "RR"


class _EPR(_Cell):
    """Expected Precision: ``UserModel(4, "ERR")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "EPR"
    PRETTY_NAME = "Expected Precision"
    SHORT_DESC = "Precision where users stop, at each relevant document with the same probability."
    FORMULA = "sum_i (R_i/i) J_i (1-theta)^(R_i-1) theta"
    MODEL, STOP = 4, "ERR"


class _ARR(_Cell):
    """Average Reciprocal Rank: ``UserModel(3, "AP")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "ARR"
    PRETTY_NAME = "Average Reciprocal Rank"
    SHORT_DESC = "Reciprocal rank of a relevant document, averaged over all of them."
    FORMULA = "1/R sum_i J_i / i"
    MODEL, STOP = 3, "AP"


class _RRR(_Cell):
    """Reciprocal Relevant Rank: ``UserModel(3, "RRR")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "RRR"
    PRETTY_NAME = "Reciprocal Relevant Rank"
    SHORT_DESC = (
        "Reciprocal rank where users stop, who read on to further relevant documents with reciprocal probability."
    )
    FORMULA = "sum_i 1/i J_i / (R_i (R_i+1))"
    MODEL, STOP = 3, "RRR"


class _RRAP(_Cell):
    """Reciprocal Relevant Average Precision: ``UserModel(4, "RRR")``.

    .. cite.dblp:: conf/sigir/Carterette11
    """

    NAME = __name__ = "RRAP"
    PRETTY_NAME = "Reciprocal Relevant Average Precision"
    SHORT_DESC = "Precision where users stop, who read on to further relevant documents with reciprocal probability."
    FORMULA = "sum_i (R_i/i) J_i / (R_i (R_i+1))"
    MODEL, STOP = 4, "RRR"


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
