"""Upper bounds on the gain of the first documents of an order, by prices of intents: see the notes of `exact_order`."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

# Relative differences below this are rounding errors, and not worth a search.
PRECISION = 1e-12

# The prices at a rank do not depend on gains that differ from the gain at the rank by more than this factor.
_FAR = 1e4


class Topic:
    """The kinds of relevant documents, and their gains."""

    def __init__(self, kinds: list[tuple[int, ...]], n_docs: list[int], alpha: float, discounts: np.ndarray) -> None:
        from scipy.sparse import csr_array

        self.intents = [np.array(kind) for kind in kinds]
        starts = np.cumsum([0, *map(len, kinds)])
        self.kinds = csr_array((np.ones(starts[-1]), np.concatenate(self.intents), starts))
        self.n_docs = np.array(n_docs)
        self.depth = min(len(discounts), sum(n_docs))
        self.n_intents = int(self.kinds.shape[1])
        self.n_relevant = np.minimum(self.kinds.T @ self.n_docs, self.depth).astype(np.intp)
        # The discount is 0 below the last rank.
        self.discount = np.append(discounts[: self.depth], 0.0)
        self.steps = -np.diff(self.discount)
        self.left = np.power(1.0 - alpha, np.arange(self.depth + 1))
        self.gained = np.append(0.0, np.cumsum(self.left[:-1]))

    def gains(self, path: Sequence[int]) -> np.ndarray:
        """Return the gain of each document of an order."""
        left = np.ones(self.n_intents)
        gains = np.zeros(len(path))
        for place, kind in enumerate(path):
            gains[place] = left[self.intents[kind]].sum()
            left[self.intents[kind]] *= self.left[1]
        return gains

    def value(self, path: Sequence[int]) -> float:
        """Return the sum of an order's discounted gains."""
        return float(self.gains(path) @ self.discount[: len(path)])


class Prices:
    """Prices of the intents for each rank, and the bounds that they prove.

    Parameters
    ----------
    topic : Topic
        The kinds of documents.
    path : sequence of int
        A good order. At ranks where its gain is proven to be the largest, no better prices are needed.
    end : float
        The time at which to stop the search for better prices.

    Attributes
    ----------
    prices : list of ndarray, each of shape (n_intents,)
        All prices.
    of_rank : ndarray of int, shape (depth,)
        The index of the prices that prove the best bound at each rank.
    cheapest : ndarray, shape (depth,)
        At each rank j, the cost of the j-th dearest document.
    most : ndarray, shape (depth,)
        The upper bound on the gain down to each rank.
    """

    def __init__(self, topic: Topic, path: Sequence[int], end: float) -> None:
        self._topic = topic
        self.prices: list[np.ndarray] = []
        self.of_rank = np.zeros(topic.depth, dtype=np.intp)
        self.cheapest = np.zeros(topic.depth)
        self.most = np.full(topic.depth, np.inf)
        for price in np.unique(np.append(topic.left[: topic.n_relevant.max() + 1], 0.0)):
            self._offer(np.full(topic.n_intents, price))
        gains = topic.gains(path)
        known = np.cumsum(gains)
        # If the gaps sum to a rounding error, no better prices are needed.
        rounding = PRECISION * topic.value(path) / (4 * topic.depth)
        for rank in range(topic.depth):
            if time.monotonic() > end:
                break
            if topic.steps[rank] * (self.most[rank] - known[rank]) > rounding:
                self._solve(rank + 1, float(gains[rank]) or 1.0, end)

    @property
    def bound(self) -> float:
        """The upper bound on the value of any order."""
        return float(self._topic.steps @ self.most)

    def _offer(self, price: np.ndarray) -> None:
        """Use prices at the ranks where they prove a better bound."""
        cost = self._topic.kinds @ price
        order = np.argsort(-cost)
        dearest = np.repeat(cost[order], self._topic.n_docs[order])[: self._topic.depth]
        most = self.kept(price, np.zeros_like(self._topic.n_relevant)).sum() + np.cumsum(dearest)
        lower = most < self.most
        self.most[lower], self.cheapest[lower], self.of_rank[lower] = most[lower], dearest[lower], len(self.prices)
        self.prices.append(price)

    def kept(self, price: np.ndarray, met: np.ndarray) -> np.ndarray:
        """Return an upper bound on each intent's gain minus its cost, if it was met ``met`` times already."""
        n_worth_it = np.minimum(np.searchsorted(-self._topic.left, -price), self._topic.n_relevant)
        n = np.maximum(n_worth_it, met)
        return self._topic.gained[n] - price * n

    def _solve(self, n: int, gain: float, end: float) -> None:
        """Offer the best prices for the first ``n`` ranks; ``gain`` is the gain at the last of them."""
        from scipy.optimize import linprog
        from scipy.sparse import csc_array

        topic = self._topic
        # How often an intent is met: one variable for the first times, one for each of the next; the last are left out.
        near = topic.left / gain
        first, last = np.searchsorted(-near, [-_FAR, -1 / _FAR]).tolist()
        n_near = np.clip(topic.n_relevant, first, last) - first
        intent = np.concatenate([np.arange(topic.n_intents), np.repeat(np.arange(topic.n_intents), n_near)])
        level = first + np.arange(n_near.sum()) - np.repeat(np.cumsum(n_near) - n_near, n_near)
        n_kinds, n_times = len(topic.n_docs), len(intent)
        # An intent is met at most as often as there are documents with it.
        kind_of_label = np.repeat(np.arange(n_kinds), np.diff(topic.kinds.indptr))
        row = np.concatenate([topic.kinds.indices, intent])
        column = np.concatenate([kind_of_label, n_kinds + np.arange(n_times)])
        sign = np.repeat([-1.0, 1.0], [len(kind_of_label), n_times])
        most = np.concatenate([topic.n_docs, np.minimum(topic.n_relevant, first), np.ones(len(level))])
        result = linprog(
            -np.concatenate([np.zeros(n_kinds), np.full(topic.n_intents, _FAR), near[level]]),
            A_ub=csc_array((sign, (row, column))),
            b_ub=np.zeros(topic.n_intents),
            A_eq=np.repeat([1.0, 0.0], [n_kinds, n_times])[None],
            b_eq=[n],
            bounds=np.stack([np.zeros(len(most)), most], axis=1),
            method="highs-ds",
            options={"presolve": False, "time_limit": max(end - time.monotonic(), 0.01)},
        )
        if result.status == 0:
            self._offer(np.maximum(-result.ineqlin.marginals, 0.0) * gain)
