"""The greedy order of relevant documents, with the largest gain at each rank."""

from __future__ import annotations

import math
from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

# Gains that differ by less are tied. Summing the same terms in another order changes a sum by less than this.
TIE = 1e-12

# Queries with more labels are ordered one by one, and so are the last few queries. The order is the same, only faster.
_MAX_LABELS_SIDE_BY_SIDE = 800
_MIN_QUERIES_SIDE_BY_SIDE = 12

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.intp]
_Labels = tuple[tuple[int, float], ...]


def greedy_places(
    query: npt.ArrayLike,
    doc: npt.ArrayLike,
    intent: npt.ArrayLike,
    worth: npt.ArrayLike,
    *,
    n_docs: int,
    alpha: float,
    depth: int | None = None,
    least: float = -math.inf,
) -> _Ints:
    r"""Order the documents of many queries greedily, by the largest gain at each rank.

    The gain is :math:`\sum_t v_{dt} (1 - \alpha)^{c_t}`, where :math:`c_t` is the number of documents above that are
    relevant to intent :math:`t`. Gains within `TIE` of the largest are tied; the first of the tied documents is taken.

    Parameters
    ----------
    query : array_like of int, shape (n_docs,)
        The query of each document, ascending. The documents of a query are in the order that breaks ties.
    doc, intent : array_like of int, shape (n_labels,)
        The document and the intent of each label. Documents ascend from 0 to ``n_docs - 1``. An intent belongs to one
        query.
    worth : array_like of float, shape (n_labels,)
        :math:`v`, the gain of the document for the intent before it is met; not negative.
    n_docs : int
        The number of documents.
    alpha : float in [0, 1]
        Penalty for repetition: an intent's gain is multiplied by 1 - alpha each time it is covered again.
    depth : int, optional
        Number of ranks; by default, the number of documents.
    least : float
        The order ends before the first document whose gain does not exceed ``least`` (by more than `TIE` times the
        gain). By default it has all documents, and those that are not relevant to any intent come last.

    Returns
    -------
    ndarray of int, shape (n_docs,)
        The place of each document in the order of its query, from 1, or 0 if the order does not reach it.

    Notes
    -----
    Small queries are ordered together, rank by rank. Large queries are ordered one by one, which only recomputes the
    gains that changed. Both sum a gain in the given order of labels, so that the order of a query does not depend on
    others.

    References
    ----------
    Clarke et al. (2008). Novelty and diversity in information retrieval evaluation. SIGIR, 659-666.
    https://doi.org/10.1145/1390334.1390446

    Examples
    --------
    The second document is relevant to both intents, and the others to one each:

    >>> greedy_places([0, 0, 0], [0, 1, 1, 2], [0, 0, 1, 1], [1, 1, 1, 1], n_docs=3, alpha=0.5)
    array([2, 1, 3])
    """
    query, doc, intent = (np.asarray(values, dtype=np.intp) for values in (query, doc, intent))
    n_labels = np.bincount(doc, minlength=n_docs)
    worth = np.asarray(worth, dtype=np.float64)
    search = _Search(n_labels, intent, worth, alpha, n_docs if depth is None else depth, least)
    docs = np.flatnonzero(n_labels)
    if len(docs):
        starts = np.flatnonzero(np.diff(query[docs], prepend=-1))
        lengths = np.diff(starts, append=len(docs))
        small = np.add.reduceat(n_labels[docs], starts) <= _MAX_LABELS_SIDE_BY_SIDE
        search.side_by_side(docs[np.repeat(small, lengths)], lengths[small])
        for start, length in zip(starts[~small].tolist(), lengths[~small].tolist(), strict=True):
            search.one_by_one(docs[start : start + length], 0)
    if len(docs) < n_docs and least < 0:
        search.append_useless(query)
    return search.places


class _Search:
    """The places assigned so far, and the remaining factor of each intent's gain."""

    def __init__(self, n_labels: _Ints, intent: _Ints, worth: _Floats, alpha: float, depth: int, least: float) -> None:
        self._n_labels, self._intent, self._worth = n_labels, intent, worth
        self._first_label = np.cumsum(n_labels) - n_labels
        self._factor = 1.0 - alpha
        self._left = np.ones(int(intent.max(initial=-1)) + 1)
        self._depth = depth
        self._least = least
        self.places = np.zeros(len(n_labels), dtype=np.intp)

    def side_by_side(self, docs: _Ints, lengths: _Ints) -> None:
        """Assign places to the documents of some queries, one rank of all queries at a time."""
        place = 0
        while len(lengths) >= _MIN_QUERIES_SIDE_BY_SIDE and place < self._depth:
            place, taken = self._until_half_is_taken(docs, lengths, place)
            of_query = np.repeat(np.arange(len(lengths)), lengths)[~taken]
            docs, lengths = docs[~taken], np.bincount(of_query)
            lengths = lengths[lengths > 0]
        if place < self._depth:
            for start, length in zip((np.cumsum(lengths) - lengths).tolist(), lengths.tolist(), strict=True):
                self.one_by_one(docs[start : start + length], place)

    def _until_half_is_taken(self, docs: _Ints, lengths: _Ints, place: int) -> tuple[int, npt.NDArray[np.bool_]]:
        """Assign places until half of the documents are taken; return the last place, and which are taken."""
        starts = np.cumsum(lengths) - lengths
        n_labels = self._n_labels[docs]
        labels = _ranges(self._first_label[docs], n_labels)
        intent, worth = self._intent[labels], self._worth[labels]
        first_label = np.cumsum(n_labels) - n_labels
        row = np.arange(len(docs))
        row_of_label = np.repeat(row, n_labels)
        taken = np.zeros(len(docs), dtype=bool)
        while place < self._depth and 2 * np.count_nonzero(taken) < len(docs):
            gain = np.asarray(np.bincount(row_of_label, worth * self._left[intent]), dtype=np.float64)
            gain[taken] = -1.0
            lowest = np.repeat(np.maximum.reduceat(gain, starts) - TIE, lengths)
            first = np.minimum.reduceat(np.where(gain >= lowest, row, len(row)), starts)
            goes_on = (gain[first] >= 0) & self._exceeds(gain[first])
            if not goes_on.all():
                taken |= np.repeat(~goes_on, lengths)
            chosen = first[goes_on]
            taken[chosen] = True
            place += 1
            self.places[docs[chosen]] = place
            self._left[intent[_ranges(first_label[chosen], n_labels[chosen])]] *= self._factor
        return place, taken

    def one_by_one(self, docs: _Ints, place: int) -> None:
        """Assign the places from ``place + 1`` on to the documents of one query."""
        kinds = self._kinds(docs)
        left = {t: self._left.item(t) for labels, _ in kinds for t, _ in labels}
        waiting = _Waiting([labels for labels, _ in kinds], left)
        for kind, (_, same_kind) in enumerate(kinds):
            waiting.add(same_kind[-1], kind)
        while waiting and place < self._depth:
            number, kind, gain, highest = waiting.take()
            if not self._exceeds(gain):
                return
            if highest <= TIE and self._least == -math.inf:
                # All remaining documents are tied, now and later.
                rest = sorted(number for _, same_kind in kinds for number in same_kind)[: self._depth - place]
                self.places[rest] = np.arange(place + 1, place + 1 + len(rest))
                return
            place += 1
            self.places[number] = place
            labels, same_kind = kinds[kind]
            for t, _ in labels:
                left[t] *= self._factor
            same_kind.pop()
            if same_kind:
                waiting.add(same_kind[-1], kind)

    def _kinds(self, docs: _Ints) -> list[tuple[_Labels, list[int]]]:
        """Return the labels of each kind of documents of one query, and the documents of that kind, last first.

        Documents of one kind are relevant to the same intents with the same gains.
        """
        starts, ends = self._first_label[docs], self._first_label[docs] + self._n_labels[docs]
        of_query = slice(starts[0], ends[-1])
        labels = list(zip(self._intent[of_query].tolist(), self._worth[of_query].tolist(), strict=True))
        rows = zip(docs.tolist(), (starts - starts[0]).tolist(), (ends - starts[0]).tolist(), strict=True)
        kinds: dict[_Labels, list[int]] = {}
        for number, start, end in reversed(list(rows)):
            kinds.setdefault(tuple(labels[start:end]), []).append(number)
        return list(kinds.items())

    def _exceeds(self, gain: _Floats | float) -> npt.NDArray[np.bool_] | bool:
        return gain - self._least > TIE * gain

    def append_useless(self, query: _Ints) -> None:
        """Assign the last places to the documents that are not relevant to any intent."""
        _, starts, lengths = np.unique(query, return_index=True, return_counts=True)
        useless = self._n_labels == 0
        n_useful = np.add.reduceat(~useless, starts, dtype=np.intp)
        seen = np.cumsum(useless)
        place = seen + np.repeat(n_useful - seen[starts] + useless[starts], lengths)
        placed = useless & (place <= self._depth)
        self.places[placed] = place[placed]


class _Waiting:
    """A queue with one document of each kind, sorted by a gain computed earlier; gains can only fall."""

    def __init__(self, labels: list[_Labels], left: dict[int, float]) -> None:
        self._labels, self._left = labels, left
        # A heap of gains, highest first, and a heap of documents for each gain.
        self._gains: list[float] = []
        self._docs: dict[float, list[tuple[int, int]]] = {}

    def __bool__(self) -> bool:
        return bool(self._docs)

    def add(self, number: int, kind: int) -> None:
        """Add a document."""
        gain = self._gain(kind)
        if gain not in self._docs:
            self._docs[gain] = []
            heappush(self._gains, -gain)
        heappush(self._docs[gain], (number, kind))

    def take(self) -> tuple[int, int, float, float]:
        """Remove the first of the tied best documents, and return it, its kind, its gain and the highest gain."""
        ties: list[float] = []
        while self._gains and (not ties or -self._gains[0] >= ties[0] - TIE):
            gain = -self._gains[0]
            docs = self._docs[gain]
            while docs and self._gain(docs[0][1]) < gain:
                self.add(*heappop(docs))
            # The documents just added gain less, so this gain is still the highest.
            heappop(self._gains)
            if docs:
                ties.append(gain)
            else:
                del self._docs[gain]
        chosen = min(ties, key=lambda gain: self._docs[gain][0])
        number, kind = heappop(self._docs[chosen])
        for gain in ties:
            if self._docs[gain]:
                heappush(self._gains, -gain)
            else:
                del self._docs[gain]
        return number, kind, chosen, ties[0]

    def _gain(self, kind: int) -> float:
        gain = 0.0
        # In the order of labels, as bincount does; sum() would round differently.
        for t, worth in self._labels[kind]:
            gain += worth * self._left[t]
        return gain


def _ranges(starts: _Ints, lengths: _Ints) -> _Ints:
    """Return the numbers of all ranges, given the start and the length of each."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)
