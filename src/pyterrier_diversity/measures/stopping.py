"""Carterette's distributions of the rank at which users stop."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arithmetic import power
from ..judged import Ranked

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
