"""The best order of relevant documents for alpha-DCG with any discount, with a proof: branch and bound with prices."""

from __future__ import annotations

import time
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from .discount import Discount, log_discount
from .errors import NotProvenError
from .greedy import greedy_places
from .prices import PRECISION, Prices, Topic

# Each partial order stores the number of documents of each kind, so more kinds would need too much memory.
MAX_KINDS = 2000

# Cells (partial orders x kinds x kinds) of one step of the search.
_MAX_CELLS = 2**22


def exact_order(
    doc: npt.ArrayLike,
    intent: npt.ArrayLike,
    *,
    n_docs: int,
    alpha: float = 0.5,
    depth: int | None = None,
    discount: Discount | None = None,
    time_limit: float = 60.0,
) -> np.ndarray:
    r"""Find an order with the highest alpha-DCG, for any discount, and prove that none is better.

    Parameters
    ----------
    doc, intent : array_like of int, shape (n_labels,)
        The document and the intent of each label of one query. Documents are numbered from 0 in the order that breaks
        ties, and are in ascending order.
    n_docs : int
        The number of documents.
    alpha : float in [0, 1]
        Penalty for repetition: an intent's gain is multiplied by 1 - alpha each time it is covered again.
    depth : int, optional
        Number of ranks; by default, the number of documents.
    discount : callable, optional
        Takes ranks from 1 and returns the discount at each, which must not be negative or rise;
        :math:`1 / \log_2(i + 1)` by default.
    time_limit : float
        Limit of the search in seconds.

    Returns
    -------
    ndarray of int, shape (min(depth, n_docs),)
        The documents, best first; documents that are not relevant to any intent come last.

    Raises
    ------
    ValueError
        If the discount is negative or rises.
    NotProvenError
        If the time runs out. The error has the best value found and the proven upper bound.

    Notes
    -----
    Let :math:`G_j` be the total gain of the first j documents, and d the discount. The value of an order is
    :math:`\sum_j (d_j - d_{j+1}) G_j`, so a bound on each :math:`G_j` is a bound on the value.

    An intent that is met c times gains :math:`L(c) = \sum_{i<c} (1 - \alpha)^i`. Give each intent any *price*
    :math:`p_t \ge 0`, and let a document cost the sum of the prices of its intents. Then

    .. math:: G_j = \sum_t (L(c_t) - p_t c_t) + \sum_t p_t c_t
       \le \sum_t \max_c (L(c) - p_t c) + \text{the cost of the j dearest documents}.

    The best prices solve the dual of a linear program that maximises :math:`G_j` over fractions of documents. Often all
    prices are the same power of :math:`1 - \alpha`, and suit several ranks, so the program is solved only for ranks
    where the known prices leave a gap. For most topics, the bound equals the value of the greedy order, which is then
    proven.

    For other topics, partial orders grow by one document at a time, and are dropped when they cannot beat the best
    order found. Documents that are relevant to the same intents are one *kind*. A document comes after all documents
    that have its intents and more, because swapping them would gain. Of the partial orders that meet every intent
    equally often and leave the same documents, only the best is kept. The bound also holds for continuations of a
    partial order: there, c is at least the number of times that the intent was met, and a document that was taken
    although it is cheaper than the j-th dearest one lowers the total cost by the difference.

    References
    ----------
    Carterette (2011). An analysis of NP-completeness in novelty and diversity ranking. Information Retrieval 14(1),
    89-106.

    Examples
    --------
    The first document has the most intents, but the other two together cover all:

    >>> exact_order([0, 0, 0, 0, 1, 1, 1, 2, 2, 2], [1, 2, 3, 4, 1, 2, 5, 3, 4, 6], n_docs=3, alpha=1.0, depth=2)
    array([2, 1])
    """
    end = time.monotonic() + time_limit
    doc, intent = np.asarray(doc, dtype=np.intp), np.unique(intent, return_inverse=True)[1]
    ranks = np.arange(1.0, (n_docs if depth is None else min(depth, n_docs)) + 1)
    discounts = np.asarray(log_discount(ranks) if discount is None else discount(ranks), dtype=np.float64)
    if not (np.diff(discounts, append=0.0) <= 0).all():
        raise ValueError("exact_order: discount must not be negative or rise from one rank to the next.")
    places = greedy_places(
        np.zeros(n_docs), doc, intent, np.ones(len(doc)), n_docs=n_docs, alpha=alpha, depth=len(ranks)
    )
    greedy = np.argsort(places)[n_docs - len(ranks) :]
    kinds: dict[tuple[int, ...], list[int]] = {}
    for number, intents in enumerate(np.split(intent, np.searchsorted(doc, np.arange(1, n_docs)))):
        kinds.setdefault(tuple(intents.tolist()), []).append(number)
    useless = kinds.pop((), [])
    if not kinds or not len(ranks):
        return greedy
    kind_of_doc = {number: kind for kind, same_kind in enumerate(kinds.values()) for number in same_kind}
    topic = Topic(list(kinds), [len(same_kind) for same_kind in kinds.values()], alpha, discounts)
    path = [kind_of_doc[number] for number in greedy.tolist() if number in kind_of_doc]
    docs = [iter(same_kind) for same_kind in kinds.values()]
    order = [next(docs[kind]) for kind in _Branches(topic, path, end, time_limit).run()]
    return np.array([*order, *useless][: len(ranks)], dtype=np.intp)


class _Partial(NamedTuple):
    """Partial orders of one length: the kinds in order, documents used of each kind, value, upper bound."""

    path: np.ndarray
    used: np.ndarray
    value: np.ndarray
    bound: np.ndarray

    def at(self, index: np.ndarray | slice) -> _Partial:
        """Return the partial orders at ``index``."""
        return _Partial(*(values[index] for values in self))


class _Branches:
    """A search for the best order that starts from a good one."""

    def __init__(self, topic: Topic, path: list[int], end: float, time_limit: float) -> None:
        self._topic, self._end, self._time_limit = topic, end, time_limit
        self._path, self._best = path, topic.value(path)

    @property
    def _goal(self) -> float:
        """The value that a better order must exceed."""
        return self._best * (1 + PRECISION)

    def run(self) -> list[int]:
        """Return the kinds of a best order."""
        topic = self._topic
        self._prices = prices = Prices(topic, self._path, self._end)
        if prices.bound <= self._goal:
            return self._path
        if len(topic.n_docs) > MAX_KINDS:
            self._give_up(prices.bound)
        self._kinds = topic.kinds.toarray()
        self._within = (self._kinds @ self._kinds.T == self._kinds.sum(axis=1)[:, None]).astype(np.float32)
        np.fill_diagonal(self._within, 0.0)
        never = np.zeros_like(topic.n_relevant)
        kept = np.array([prices.kept(price, never).sum() for price in prices.prices])[prices.of_rank]
        cost = (np.array(prices.prices) @ self._kinds.T)[prices.of_rank]
        # From each rank on: the cost of the dearest documents, and by how much taking a cheaper one lowers it.
        self._dearest = _from_here_on(topic.steps * (prices.most - kept))
        self._cheaper = _from_here_on(topic.steps[:, None] * np.maximum(prices.cheapest[:, None] - cost, 0.0))
        self._branch()
        return self._path

    def _branch(self) -> None:
        n_kinds = len(self._topic.n_docs)
        none = np.zeros((1, n_kinds), dtype=np.int32)
        stack = [_Partial(none[:, :0], none, np.zeros(1), np.array([self._prices.bound]))]
        at_once = max(_MAX_CELLS // n_kinds**2, 1)
        while stack:
            partial = stack.pop()
            partial = partial.at(partial.bound > self._goal)
            if not len(partial.value):
                continue
            if time.monotonic() > self._end:
                self._give_up(max(float(part.bound.max()) for part in (partial, *stack)))
            self._complete(partial.path[0].tolist(), partial.used[0])
            if partial.path.shape[1] < self._topic.depth:
                longer = self._longer(partial)
                longer = longer.at(longer.bound > self._goal)
                longer = longer.at(np.argsort(-longer.bound, kind="stable"))
                starts = range(0, len(longer.value), at_once)
                stack += [longer.at(slice(start, start + at_once)) for start in reversed(starts)]

    def _give_up(self, bound: float) -> NoReturn:
        raise NotProvenError("The best discounted gain", best=self._best, bound=bound, time_limit=self._time_limit)

    def _complete(self, path: list[int], used: np.ndarray) -> None:
        """Complete an order greedily, and keep it if it is the best."""
        n_left = self._topic.n_docs - used
        left = self._topic.left[self._met(used)]
        while len(path) < self._topic.depth:
            path.append(int(np.argmax(np.where(n_left > 0, self._kinds @ left, -1.0))))
            n_left[path[-1]] -= 1
            left[self._topic.intents[path[-1]]] *= self._topic.left[1]
        value = self._topic.value(path)
        if value > self._goal:
            self._path, self._best = path, value

    def _longer(self, partial: _Partial) -> _Partial:
        """Return the partial orders with one more document."""
        topic, rank = self._topic, partial.path.shape[1]
        is_left = partial.used < topic.n_docs
        after_larger = is_left.astype(np.float32) @ self._within.T == 0
        parent, kind = np.nonzero(is_left & after_larger)
        gain = topic.left[self._met(partial.used)] @ self._kinds.T
        value = partial.value[parent] + gain[parent, kind] * topic.discount[rank]
        used = partial.used[parent]
        used[np.arange(len(used)), kind] += 1
        best_first = np.argsort(-value, kind="stable")
        ahead = np.minimum(topic.n_docs - used, topic.depth - rank - 1)
        alike = np.ascontiguousarray(np.concatenate([self._met(used), ahead], axis=1)[best_first], dtype=np.int32)
        _, distinct = np.unique(alike.view(f"V{alike.shape[1] * alike.itemsize}").ravel(), return_index=True)
        kept = best_first[distinct]
        path = np.concatenate([partial.path[parent[kept]], kind[kept, None].astype(np.int32)], axis=1)
        used, value = used[kept], value[kept]
        # A longer order cannot gain more than the shorter one could.
        bound = np.minimum(value + self._most(used, rank + 1), partial.bound[parent[kept]])
        return _Partial(path, used, value, bound)

    def _met(self, used: np.ndarray) -> np.ndarray:
        """Return the number of times that each intent is met."""
        return (used @ self._kinds).astype(np.intp)

    def _most(self, used: np.ndarray, rank: int) -> np.ndarray:
        """Return an upper bound on the gain that the ranks below ``rank`` can add."""
        topic, prices = self._topic, self._prices
        met = self._met(used)
        steps = np.bincount(prices.of_rank[rank:], topic.steps[rank:])
        # The bound on each intent's gain minus its cost, if the intent was met 0, 1, 2, ... times.
        kept = np.zeros((rank + 1, topic.n_intents))
        for number in np.flatnonzero(steps).tolist():
            kept += steps[number] * prices.kept(prices.prices[number], np.arange(rank + 1)[:, None])
        most = self._dearest[rank] - used @ self._cheaper[rank] + np.take_along_axis(kept, met, axis=0).sum(axis=1)
        return most - topic.discount[rank] * topic.gained[met].sum(axis=1)


def _from_here_on(values: np.ndarray) -> np.ndarray:
    """Return the sums of the rows from each row to the last, and a final row of 0."""
    return np.concatenate([np.cumsum(values[::-1], axis=0)[::-1], np.zeros_like(values[:1])])
