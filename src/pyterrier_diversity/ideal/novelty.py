"""The proven best ranking for alpha-DCG and its like: branch and bound over what documents cover."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .dense import rank_greedily
from .errors import NotProvenError
from .kinds import strictly_within

# A ranking that is better by less than this, relative to its value, is not searched for: it is rounding.
PRECISION = 1e-12

# Operations between two looks at the clock, and of one step; cells (partial rankings x kinds) that a step makes.
_MAX_OPERATIONS_AT_ONCE = 2**24
_MAX_OPERATIONS = 2**29
_MAX_CELLS = 2**24

# Each ranking tells how many documents of each kind it has: with more kinds, that is too much to keep.
_MAX_KINDS = 2000


def rank_exactly(
    relevant: npt.ArrayLike,
    *,
    alpha: float = 0.5,
    depth: int | None = None,
    discount: Callable[[np.ndarray], np.ndarray] | None = None,
    time_limit: float = 60.0,
) -> np.ndarray:
    r"""Find a ranking of the highest alpha-DCG, or of its like with another discount, and prove that none is better.

    Parameters
    ----------
    relevant : array_like, shape (n_docs, n_intents)
        1 where a document is relevant to an intent, else 0; documents in the order that breaks ties.
    alpha : float in [0, 1]
        How much an intent is worth less each time it is met.
    depth : int, optional
        Number of ranks; all documents if omitted.
    discount : callable, optional
        Takes ranks from 1 and returns what a gain is worth there: not negative, and never more than at the rank above;
        :math:`1 / \log_2(i + 1)` if omitted.
    time_limit : float
        Seconds to search for at the most.

    Returns
    -------
    ndarray, shape (min(depth, n_docs),)
        Indices of the documents, best first.

    Raises
    ------
    ValueError
        If the discount is negative or rises.
    NotProvenError
        If time is over; with the best value that was found, and the proven upper bound.

    Notes
    -----
    Documents that are relevant to the same intents are one *kind*. A best ranking takes a document only after all
    documents that are relevant to its intents and to more: exchanging the two gains at every rank between them. So
    partial rankings grow by such kinds only, all of one length together; of those that cover every intent equally
    often and leave the same documents, the best is kept; and a partial ranking is dropped when it cannot beat the best
    known. With :math:`G_j` the gains of the first j ranks together, and d the discount, the value of a ranking is
    :math:`\sum_j (d_j - d_{j+1}) G_j`: each :math:`G_j` is bounded by dealing out the intents of the largest documents
    left to the intents met least, each at most once a rank and as often as it has documents.

    References
    ----------
    Carterette (2011). An analysis of NP-completeness in novelty and diversity ranking. Information Retrieval 14(1),
    89-106.

    Examples
    --------
    >>> rank_exactly([[1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 0, 1]], alpha=1.0, depth=2)
    array([2, 1])
    """
    started = time.monotonic()
    relevant = np.asarray(relevant) > 0
    greedy = rank_greedily(relevant, alpha=alpha, depth=depth)
    discounts = _discounts(len(greedy.docs), discount)
    useful = np.flatnonzero(relevant.any(axis=-1))
    if not len(useful) or not len(discounts):
        return greedy.docs
    search = _Search(relevant[useful], alpha, discounts, greedy.gains, started, time_limit)
    kinds = search.run()
    if kinds is None:
        return greedy.docs
    taken = np.zeros(len(relevant), dtype=bool)
    docs = []
    for kind in kinds:
        same = useful[search.kind_of_doc == kind]
        docs.append(same[~taken[same]][0])
        taken[docs[-1]] = True
    # What the search left out gains nothing there.
    return np.array([*docs, *np.flatnonzero(~taken)][: len(discounts)], dtype=np.intp)


def _discounts(depth: int, discount: Callable[[np.ndarray], np.ndarray] | None) -> np.ndarray:
    """Return the discount at each rank, which the proof needs to fall from rank to rank."""
    ranks = np.arange(1.0, depth + 1)
    if discount is None:
        return 1 / np.log2(ranks + 1)
    discounts = np.asarray(discount(ranks), dtype=np.float64)
    if not (np.diff(discounts, append=0.0) <= 0).all():
        raise ValueError("rank_exactly: the discount must not be negative, nor rise from a rank to the next.")
    return discounts


class _Partial(NamedTuple):
    """Partial rankings of one length: kinds in their order, documents used of each kind, value, bound on all ranks."""

    path: np.ndarray
    used: np.ndarray
    value: np.ndarray
    bound: np.ndarray

    def at(self, index: np.ndarray | slice) -> _Partial:
        """Return those at ``index``."""
        return _Partial(*(values[index] for values in self))


def _parts(length: int, size: int) -> list[slice]:
    """Return slices that are no longer than ``size``."""
    return [slice(start, start + size) for start in range(0, length, size)]


class _Search:
    """A search for the best ranking of documents that are all relevant to something."""

    def __init__(
        self,
        relevant: np.ndarray,
        alpha: float,
        discounts: np.ndarray,
        greedy_gains: np.ndarray,
        started: float,
        time_limit: float,
    ) -> None:
        kinds, self.kind_of_doc, n_docs = np.unique(relevant, axis=0, return_inverse=True, return_counts=True)
        self.kind_of_doc = self.kind_of_doc.reshape(-1)
        self._kinds = kinds.astype(np.float64)
        self._size = kinds.sum(axis=-1)
        self._depth = min(len(discounts), len(relevant))
        self._n_docs = np.minimum(n_docs, self._depth)
        self._n_relevant = relevant.sum(axis=0)
        self._time_limit = time_limit
        self._end = started + time_limit
        few = kinds if len(kinds) <= _MAX_KINDS else kinds[:0]
        self._within = strictly_within(few).astype(np.float32)
        self._discount = discounts[: self._depth]
        # Going down to 0 below the last rank.
        self._steps = -np.diff(self._discount, append=0.0)
        self._levels = np.arange(self._depth)
        self._left = np.power(1 - alpha, np.arange(self._depth + 1))
        self._best = float((greedy_gains[: self._depth] * self._discount).sum())
        self._best_path: np.ndarray | None = None
        operations = self._depth**2 * relevant.shape[1]
        self._bounded_at_once = max(_MAX_OPERATIONS_AT_ONCE // operations, 1)
        most = _MAX_OPERATIONS // (operations * len(kinds)), _MAX_CELLS // len(kinds) ** 2
        self._lengthened_at_once = max(min(most), 1)

    def run(self) -> np.ndarray | None:
        """Return the kinds of a best ranking; None if the greedy one is."""
        none = np.zeros((1, len(self._size)), dtype=np.int32)
        stack = [_Partial(np.zeros((1, 0), dtype=np.int32), none, np.zeros(1), self._most(none, 0))]
        while stack:
            partial = stack.pop()
            partial = partial.at(partial.bound > self._goal)
            if not len(partial.value):
                continue
            longer = self._longer(partial) if len(self._size) <= _MAX_KINDS else None
            if longer is None:
                bound = float(max(part.bound.max() for part in (partial, *stack)))
                raise NotProvenError(
                    "The best discounted gain", best=self._best, bound=bound, time_limit=self._time_limit
                )
            longer = longer.at(longer.bound > self._goal)
            longer = longer.at(np.argsort(-longer.bound, kind="stable"))
            stack += reversed([longer.at(rows) for rows in _parts(len(longer.value), self._lengthened_at_once)])
        return self._best_path

    @property
    def _goal(self) -> float:
        """What a ranking must be better than to be of interest."""
        return self._best * (1 + PRECISION)

    def _longer(self, partial: _Partial) -> _Partial | None:
        """Return the partial rankings that are longer by one document, taking note of the best; None if time is up."""
        rank = partial.path.shape[1]
        if rank == self._depth:
            return partial.at(slice(0))
        is_left = partial.used < self._n_docs
        after_larger = is_left.astype(np.float32) @ self._within.T == 0
        parent, kind = np.nonzero(is_left & after_larger)
        gain = self._left[self._met(partial.used)] @ self._kinds.T
        value = partial.value[parent] + gain[parent, kind] * self._discount[rank]
        used = partial.used[parent]
        used[np.arange(len(used)), kind] += 1
        best_first = np.argsort(-value, kind="stable")
        ahead = np.minimum(self._n_docs - used, self._depth - rank - 1)
        alike = np.ascontiguousarray(np.concatenate([self._met(used), ahead], axis=1)[best_first], dtype=np.int32)
        _, distinct = np.unique(alike.view(f"V{alike.shape[1] * alike.itemsize}").ravel(), return_index=True)
        kept = best_first[distinct]
        path = np.concatenate([partial.path[parent[kept]], kind[kept, None].astype(np.int32)], axis=1)
        used, value = used[kept], value[kept]
        if len(value) and value.max() > self._goal:
            self._best, self._best_path = float(value.max()), path[value.argmax()]
        bound = np.empty(len(value))
        for rows in _parts(len(value), self._bounded_at_once):
            if time.monotonic() > self._end:
                return None
            bound[rows] = value[rows] + self._most(used[rows], rank + 1)
        # A longer ranking cannot gain more than the shorter one could.
        return _Partial(path, used, value, np.minimum(bound, partial.bound[parent[kept]]))

    def _met(self, used: np.ndarray) -> np.ndarray:
        """Return how often each intent was met, at most as often as there are ranks."""
        return (used @ self._kinds).astype(np.intp)

    def _most(self, used: np.ndarray, rank: int) -> np.ndarray:
        """Return what the ranks below ``rank`` can add at the most."""
        sizes = np.unique(self._size)[::-1]
        n_left = np.stack([(self._n_docs - used)[:, self._size == size].sum(axis=1) for size in sizes], axis=1)
        n_left = np.cumsum(n_left, axis=1)
        met = self._met(used)[:, :, None]
        open_levels = (met <= self._levels) & (self._levels < self._n_relevant[:, None])
        most = np.zeros(len(used))
        for n_ranks, step in enumerate(self._steps[rank:], start=1):
            n_intents = np.diff(np.minimum(n_left, n_ranks), axis=1, prepend=0) @ sizes
            n_at_level = np.count_nonzero(open_levels & (self._levels < met + n_ranks), axis=1)
            dealt = np.minimum(np.cumsum(n_at_level, axis=1), n_intents[:, None])
            most += step * (np.diff(dealt, axis=1, prepend=0) @ self._left[:-1])
        return most
