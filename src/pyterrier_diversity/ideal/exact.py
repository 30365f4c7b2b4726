"""The best order of relevant documents for alpha-DCG with any discount, with a proof: branch and bound with prices."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, NoReturn, Self

import numpy as np
import numpy.typing as npt

from .discount import Discount
from .greedy import greedy_places

# Each partial order stores the number of documents of each kind, so more kinds would need too much memory.
MAX_KINDS = 2000

# Cells (partial orders x kinds x kinds) of one step of the search.
_MAX_CELLS = 2**22

# Relative differences below this are rounding errors, and not worth a search.
PRECISION = 1e-12

# The prices at a rank do not depend on gains that differ from the gain at the rank by more than this factor.
_FAR = 1e4


class NotProvenError(TimeoutError):
    """An optimum could not be proven within the time limit.

    Parameters
    ----------
    what : str
        The name of the optimum, with which the message begins.
    best : float
        The best value found.
    bound : float
        The proven bound on the optimum.
    time_limit : float
        The limit, in seconds.

    Attributes
    ----------
    best, bound : float
        The optimum lies between them.
    """

    def __init__(self, what: str, best: float, bound: float, time_limit: float) -> None:
        super().__init__(what)
        self.what, self.best, self.bound, self.time_limit = what, best, bound, time_limit

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the attributes when the error comes from another process."""
        return NotProvenError, (self.what, self.best, self.bound, self.time_limit)

    def __str__(self) -> str:
        """Return the message."""
        return (
            f"{self.what} could not be proven within {self.time_limit:g} seconds: the best value found is "
            f"{self.best:.12g}, and the proven bound is {self.bound:.12g}. Increase time_limit, or use the greedy "
            "ideal."
        )


@contextmanager
def naming(query_id: str) -> Iterator[None]:
    """Add the query to the message of a `NotProvenError`."""
    try:
        yield
    except NotProvenError as error:
        error.what = f"Query {query_id!r}: {error.what[0].lower()}{error.what[1:]}"
        raise


def exact_order(
    doc: npt.ArrayLike,
    intent: npt.ArrayLike,
    *,
    n_docs: int,
    alpha: float = 0.5,
    depth: int | None = None,
    discount: Discount,
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
    discount : callable
        Takes ranks from 1 and returns the discount at each, which is not negative and does not rise.
    time_limit : float
        Limit of the search in seconds.

    Returns
    -------
    ndarray of int, shape (min(depth, n_docs),)
        The documents, best first; documents that are not relevant to any intent come last.

    Raises
    ------
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

    >>> from pyterrier_diversity.ideal import log_discount
    >>> labels = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2], [1, 2, 3, 4, 1, 2, 5, 3, 4, 6]
    >>> exact_order(*labels, n_docs=3, alpha=1.0, depth=2, discount=log_discount)
    array([2, 1])
    """
    end = time.monotonic() + time_limit
    doc, intent = np.asarray(doc, dtype=np.intp), np.unique(intent, return_inverse=True)[1]
    ranks = np.arange(1.0, (n_docs if depth is None else min(depth, n_docs)) + 1)
    places = greedy_places(np.zeros(n_docs), doc, intent, np.ones(len(doc)), alpha=alpha, depth=len(ranks))
    greedy = np.argsort(places)[n_docs - len(ranks) :]
    kinds: dict[tuple[int, ...], list[int]] = {}
    for number, intents in enumerate(np.split(intent, np.searchsorted(doc, np.arange(1, n_docs)))):
        kinds.setdefault(tuple(intents.tolist()), []).append(number)
    useless = kinds.pop((), [])
    if not kinds or not len(ranks):
        return greedy
    kind_of_doc = {number: kind for kind, same_kind in enumerate(kinds.values()) for number in same_kind}
    topic = Topic(list(kinds), [len(same_kind) for same_kind in kinds.values()], alpha, discount(ranks))
    path = [kind_of_doc[number] for number in greedy.tolist() if number in kind_of_doc]
    docs = [iter(same_kind) for same_kind in kinds.values()]
    order = [next(docs[kind]) for kind in _Branches(topic, path, end, time_limit).run()]
    return np.array([*order, *useless][: len(ranks)], dtype=np.intp)


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


class _Partial(NamedTuple):
    """Partial orders of one length: the kinds in order, documents used of each kind, value, upper bound."""

    path: np.ndarray
    used: np.ndarray
    value: np.ndarray
    bound: np.ndarray

    def at(self, index: np.ndarray | slice) -> Self:
        """Return the partial orders at ``index``."""
        return type(self)(*(values[index] for values in self))


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
