"""The proven best order of relevant documents for alpha-DCG and its like: bounds by prices, then branch and bound."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import NotProvenError
from .greedy import greedy_places

# An order that is better by less than this, relative to its value, is not searched for: it is rounding.
PRECISION = 1e-12

# A search tells how many documents of each kind an order has: with more kinds, that is too much to keep.
MAX_KINDS = 2000

# Cells (partial orders x kinds x kinds) of one step of the search.
_MAX_CELLS = 2**24

# Levels that are worth this many times more or less than a rank gains do not matter for its prices.
_NEAR = 1e4


def exact_order(
    doc: npt.ArrayLike,
    intent: npt.ArrayLike,
    *,
    n_docs: int,
    alpha: float = 0.5,
    depth: int | None = None,
    discount: Callable[[np.ndarray], np.ndarray] | None = None,
    time_limit: float = 60.0,
) -> np.ndarray:
    started = time.monotonic()
    doc, intent = np.asarray(doc, dtype=np.intp), np.asarray(intent, dtype=np.intp)
    query, worth = np.zeros(n_docs), np.ones(len(doc))
    places = greedy_places(query, doc, intent, worth, n_docs=n_docs, alpha=alpha, depth=depth)
    greedy = np.argsort(places, kind="stable")[np.count_nonzero(places == 0) :]
    discounts = _discounts(len(greedy), discount)
    kinds: dict[tuple[int, ...], list[int]] = {}
    _, intent = np.unique(intent, return_inverse=True)
    ends = np.cumsum(np.bincount(doc, minlength=n_docs))
    for number, of_doc in enumerate(np.split(intent, ends[:-1])):
        if len(of_doc):
            kinds.setdefault(tuple(of_doc.tolist()), []).append(number)
    if not kinds or not len(greedy):
        return greedy
    kind_of_doc = {number: kind for kind, docs in enumerate(kinds.values()) for number in docs}
    search = _Search(list(kinds), [len(docs) for docs in kinds.values()], alpha, discounts, started, time_limit)
    best = [kind_of_doc[number] for number in greedy.tolist() if number in kind_of_doc]
    found = search.run(best)
    if found is best:
        return greedy
    ahead = [iter(docs) for docs in kinds.values()]
    order = [next(ahead[kind]) for kind in found]
    useless = np.setdiff1d(np.arange(n_docs), doc)
    return np.array([*order, *useless][: len(greedy)], dtype=np.intp)


def _discounts(depth: int, discount: Callable[[np.ndarray], np.ndarray] | None) -> np.ndarray:
    """Return the discount at each rank, which the proof needs to fall from rank to rank."""
    ranks = np.arange(1.0, depth + 1)
    if discount is None:
        return 1 / np.log2(ranks + 1)
    discounts = np.asarray(discount(ranks), dtype=np.float64)
    if not (np.diff(discounts, append=0.0) <= 0).all():
        raise ValueError("exact_order: the discount must not be negative, nor rise from a rank to the next.")
    return discounts


class _Partial(NamedTuple):
    """Partial orders of one length: kinds in their order, documents used of each kind, value, bound on all ranks."""

    path: np.ndarray
    used: np.ndarray
    value: np.ndarray
    bound: np.ndarray

    def at(self, index: np.ndarray | slice) -> _Partial:
        """Return those at ``index``."""
        return _Partial(*(values[index] for values in self))


class _Search:
    """A search for the best order of documents that are all relevant to something."""

    def __init__(
        self,
        kinds: list[tuple[int, ...]],
        n_docs: list[int],
        alpha: float,
        discounts: np.ndarray,
        started: float,
        time_limit: float,
    ) -> None:
        from scipy.sparse import csr_array

        self._n_docs = np.array(n_docs)
        self._depth = min(len(discounts), int(self._n_docs.sum()))
        columns = np.concatenate(kinds)
        starts = np.cumsum([0, *map(len, kinds)])
        self._kinds = csr_array((np.ones(len(columns)), columns, starts))
        self._n_relevant = np.minimum(self._kinds.T @ self._n_docs, self._depth).astype(np.intp)
        self._discount = np.append(discounts[: self._depth], 0.0)
        self._steps = -np.diff(self._discount)
        self._left = np.power(1.0 - alpha, np.arange(self._depth + 1))
        self._gained = np.append(0.0, np.cumsum(self._left[:-1]))
        self._time_limit, self._end = time_limit, started + time_limit
        self.n_lps = self.n_states = 0

    def run(self, greedy):
        """Return the kinds of a best order: ``greedy`` itself if it is one."""
        self._best_path, gains = greedy, self._gains(greedy)
        self._best = float(gains @ self._discount[:-1])
        self._prices(np.cumsum(gains), gains)
        self.root = self.bound / self._best - 1
        if self.bound > self._goal:
            self._branch()
        return self._best_path

    @property
    def _goal(self) -> float:
        """What an order must be better than to be of interest."""
        return self._best * (1 + PRECISION)

    def _gains(self, path) -> np.ndarray:
        left = np.ones(self._kinds.shape[1])
        gains = []
        for kind in path:
            intents = self._kinds.indices[self._kinds.indptr[kind] : self._kinds.indptr[kind + 1]]
            gains.append(left[intents].sum())
            left[intents] *= self._left[1]
        return np.array(gains)

    # Bounds

    def _prices(self, total: np.ndarray, gains: np.ndarray) -> None:
        """Find prices of the intents at each rank, so that the bounds on the gain down to it are low."""
        n_intents = self._kinds.shape[1]
        self._most = np.full(self._depth, np.inf)
        self._price = np.zeros((self._depth, n_intents))
        self._threshold = np.zeros(self._depth)
        levels = self._left[: self._n_relevant.max() + 1]
        for level in np.unique(np.append(levels, 0.0)):
            self._offer(np.full(n_intents, level))
        gap = self._steps * (self._most - total)
        for j in range(self._depth):
            if self._steps @ self._most <= self._goal or time.monotonic() > self._end:
                break
            if self._steps[j] * (self._most[j] - total[j]) > PRECISION * self._best / self._depth / 4:
                prices = self._solve(j, gains[j])
                self.n_lps += 1
                if prices is not None:
                    self._offer(prices)
        self.bound = float(self._steps @ self._most)

    def _offer(self, price: np.ndarray) -> None:
        worth = self._kinds @ price
        order = np.argsort(-worth, kind="stable")
        dearest = np.repeat(worth[order], self._n_docs[order])[: self._depth]
        most = self._kept(price, 0).sum() + np.cumsum(dearest)
        lower = most < self._most
        self._most[lower], self._price[lower], self._threshold[lower] = most[lower], price, dearest[lower]

    def _kept(self, price: np.ndarray, met) -> np.ndarray:
        """Return what is gained from each intent less its price, at most, where it is met so often at least."""
        n_worth = np.searchsorted(-self._left, -price)
        n = np.maximum(np.minimum(n_worth, self._n_relevant), met)
        return self._gained[n] - price * n

    def _solve(self, j: int, gain: float) -> np.ndarray | None:
        from scipy.optimize import linprog
        from scipy.sparse import csr_array, hstack

        scaled = self._left / (gain if gain > 0 else 1.0)
        low, high = (int(np.searchsorted(-scaled, -bound)) for bound in (_NEAR, 1 / _NEAR))
        n_kinds, n_intents = self._kinds.shape
        n_low = np.minimum(self._n_relevant, low)
        n_high = np.clip(self._n_relevant - low, 0, max(high - low, 0))
        of_intent = np.r_[np.arange(n_intents), np.repeat(np.arange(n_intents), n_high)]
        level = low + np.arange(n_high.sum()) - np.repeat(np.cumsum(n_high) - n_high, n_high)
        value = np.r_[np.full(n_intents, _NEAR), scaled[level]]
        columns = csr_array((np.ones(len(of_intent)), (of_intent, np.arange(len(of_intent)))))
        result = linprog(
            np.r_[np.zeros(n_kinds), -value],
            A_ub=hstack([-self._kinds.T, columns]),
            b_ub=np.zeros(n_intents),
            A_eq=np.r_[np.ones(n_kinds), np.zeros(len(value))][None],
            b_eq=[j + 1],
            bounds=np.c_[np.zeros(n_kinds + len(value)), np.r_[self._n_docs, n_low, np.ones(len(level))]],
            method="highs-ds",
            options={"presolve": False},
        )
        if result.x is None:
            return None
        return np.maximum(-result.ineqlin.marginals, 0) * (gain if gain > 0 else 1.0)

    # Search

    def _branch(self) -> None:
        K = len(self._n_docs)
        if K > MAX_KINDS:
            self._give_up(self.bound)
        self._dense = self._kinds.toarray()
        self._size = self._dense.sum(1)
        within = self._dense @ self._dense.T == self._size[:, None]
        np.fill_diagonal(within, False)
        self._within = within.astype(np.float32)
        worth = self._price @ self._dense.T
        self._loss = np.cumsum((self._steps[:, None] * np.maximum(self._threshold[:, None] - worth, 0))[::-1], axis=0)[::-1]
        kept = np.array([self._kept(p, 0).sum() for p in self._price])
        self._rest = np.append(np.cumsum((self._steps * (self._most - kept))[::-1])[::-1], 0.0)
        root = _Partial(np.zeros((1, 0), dtype=np.int32), np.zeros((1, K), dtype=np.int32), np.zeros(1), np.array([self.bound]))
        at_once = max(_MAX_CELLS // K**2, 1)
        stack = [root]
        while stack:
            partial = stack.pop()
            partial = partial.at(partial.bound > self._goal)
            if not len(partial.value):
                continue
            if time.monotonic() > self._end:
                self._give_up(max(part.bound.max() for part in (partial, *stack)))
            self.n_states += len(partial.value)
            self._complete(partial.path[0], partial.used[0])
            if partial.path.shape[1] == self._depth:
                continue
            longer = self._longer(partial)
            longer = longer.at(longer.bound > self._goal)
            longer = longer.at(np.argsort(-longer.bound, kind="stable"))
            stack += [longer.at(slice(s, s + at_once)) for s in range(0, len(longer.value), at_once)][::-1]

    def _give_up(self, bound):
        raise NotProvenError("The best discounted gain", best=self._best, bound=float(bound), time_limit=self._time_limit)

    def _complete(self, path, used) -> None:
        path, used = path.tolist(), used.copy()
        left = self._left[(used @ self._dense).astype(np.intp)]
        while len(path) < self._depth:
            kind = int(np.argmax(np.where(used < self._n_docs, self._dense @ left, -1.0)))
            path.append(kind)
            used[kind] += 1
            left[self._dense[kind] > 0] *= self._left[1]
        value = float(self._gains(path) @ self._discount[:-1])
        if value > self._goal:
            self._best, self._best_path = value, path

    def _longer(self, partial: _Partial) -> _Partial:
        rank = partial.path.shape[1]
        is_left = partial.used < self._n_docs
        after_larger = is_left.astype(np.float32) @ self._within.T == 0
        parent, kind = np.nonzero(is_left & after_larger)
        met = (partial.used @ self._dense).astype(np.intp)
        gain = self._left[met] @ self._dense.T
        value = partial.value[parent] + gain[parent, kind] * self._discount[rank]
        used = partial.used[parent]
        used[np.arange(len(used)), kind] += 1
        best_first = np.argsort(-value, kind="stable")
        ahead = np.minimum(self._n_docs - used, self._depth - rank - 1)
        alike = np.ascontiguousarray(np.concatenate([(used @ self._dense), ahead], axis=1)[best_first], dtype=np.int32)
        _, distinct = np.unique(alike.view(f"V{alike.shape[1] * alike.itemsize}").ravel(), return_index=True)
        kept = best_first[distinct]
        path = np.concatenate([partial.path[parent[kept]], kind[kept, None].astype(np.int32)], axis=1)
        used, value = used[kept], value[kept]
        bound = value + self._ahead(used, rank + 1)
        return _Partial(path, used, value, np.minimum(bound, partial.bound[parent[kept]]))

    def _ahead(self, used, rank):
        """Bound on what ranks below ``rank`` add."""
        met = (used @ self._dense).astype(np.intp)
        bound = self._rest[rank] - self._discount[rank] * self._gained[met].sum(axis=1)
        if rank == self._depth:
            return bound
        prices, inverse = np.unique(self._price[rank:], axis=0, return_inverse=True)
        weight = np.bincount(inverse.ravel(), self._steps[rank:])
        table = np.zeros((len(self._n_relevant), rank + 1))
        for price, w in zip(prices, weight):
            n_worth = np.minimum(np.searchsorted(-self._left, -price), self._n_relevant)
            n = np.maximum(n_worth[:, None], np.arange(rank + 1))
            table += w * (self._gained[n] - price[:, None] * n)
        return bound - used @ self._loss[rank] + table[np.arange(len(table)), met].sum(axis=1)
