"""The fewest documents that cover a number of intents: set cover, greedy or exact."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .errors import NotProvenError
from .greedy import greedy_places

# Up to this number of intents, all sets of covered intents are listed. Beyond it, a solver is faster.
MAX_LISTED_INTENTS = 12


class Covers:
    """The smallest covers of one query's intents; each is computed once.

    Parameters
    ----------
    doc, intent : array_like of int, shape (n_labels,)
        The document and the intent of each label. Documents are numbered from 0 in the order that breaks ties, and
        ascend.

    Attributes
    ----------
    n_intents : int
        The number of intents that can be covered.

    Examples
    --------
    The first document has the most intents, but the other two together cover all:

    >>> covers = Covers([0, 0, 0, 0, 1, 1, 1, 2, 2, 2], [1, 2, 3, 4, 1, 2, 5, 3, 4, 6])
    >>> covers.greedy(6), covers.exact(6)
    ([0, 1, 2], [1, 2])
    """

    def __init__(self, doc: npt.ArrayLike, intent: npt.ArrayLike) -> None:
        self._doc = np.asarray(doc, dtype=np.intp)
        names, self._intent = np.unique(np.asarray(intent, dtype=np.intp), return_inverse=True)
        self.n_intents = len(names)
        self._intents: list[list[int]] = [[] for _ in range(int(self._doc.max(initial=-1)) + 1)]
        for number, t in zip(self._doc.tolist(), self._intent.tolist(), strict=True):
            self._intents[number].append(t)
        self._exact: dict[int, list[int]] = {}

    def greedy(self, n_intents: int) -> list[int]:
        """Return documents until ``n_intents`` are covered, each time the one that covers most new intents."""
        docs, n_covered = self._greedy
        return docs[: int(np.searchsorted(n_covered, n_intents))]

    def exact(self, n_intents: int, time_limit: float = 60.0) -> list[int]:
        """Return the fewest documents that together cover ``n_intents`` intents.

        Raises
        ------
        NotProvenError
            If this takes more than ``time_limit`` seconds. The error has the size of the best cover found and the
            proven lower bound.
        """
        if n_intents not in self._exact:
            self._exact[n_intents] = self._search(n_intents, time_limit)
        return self._exact[n_intents]

    @cached_property
    def _greedy(self) -> tuple[list[int], np.ndarray]:
        """The greedy cover of all intents, and the number of intents that its first 0, 1, 2, ... documents cover."""
        query, worth = np.zeros(len(self._intents)), np.ones(len(self._doc))
        # With alpha = 1, the gain is the number of new intents; the order stops when there are none.
        places = greedy_places(query, self._doc, self._intent, worth, n_docs=len(query), alpha=1.0, least=0.0)
        docs = np.argsort(places)[np.count_nonzero(places == 0) :]
        first = np.full(self.n_intents, len(query))
        taken = places[self._doc] > 0
        np.minimum.at(first, self._intent[taken], places[self._doc[taken]])
        return docs.tolist(), np.cumsum(np.bincount(first, minlength=len(docs) + 1))

    def _at_least(self, n_intents: int) -> int:
        """Return a lower bound: the number of documents needed if no two share an intent."""
        most = np.cumsum(sorted(map(len, self._intents), reverse=True))
        return int(np.searchsorted(most, n_intents)) + 1

    def _search(self, n_intents: int, time_limit: float) -> list[int]:
        greedy = self.greedy(n_intents)
        if len(greedy) <= self._at_least(n_intents):
            return greedy
        docs = _undominated(self._intents)
        intents = [self._intents[doc] for doc in docs]
        if self.n_intents > MAX_LISTED_INTENTS:
            cover = _solve(intents, self.n_intents, n_intents, len(greedy), time_limit)
        else:
            cover = _list_sets(intents, n_intents)
        return [docs[i] for i in cover] if len(cover) < len(greedy) else greedy


def _undominated(intents: list[list[int]]) -> list[int]:
    """Return one document for each maximal set of intents, which is not part of another document's set."""
    first: dict[frozenset[int], int] = {}
    for doc, of_doc in enumerate(intents):
        first.setdefault(frozenset(of_doc), doc)
    # Largest sets first, so that a set comes after those that contain it.
    kept_with: dict[int, list[frozenset[int]]] = {}
    kept: list[frozenset[int]] = []
    for kind in sorted(first, key=len, reverse=True):
        rivals = min((kept_with.get(t, []) for t in kind), key=len, default=kept)
        if not any(kind < rival for rival in rivals):
            kept.append(kind)
            for t in kind:
                kept_with.setdefault(t, []).append(kind)
    return sorted(first[kind] for kind in kept)


def _list_sets(intents: list[list[int]], n_intents: int) -> list[int]:
    """Return the fewest documents, by listing all sets of intents that one, two, three, ... documents cover."""
    masks = [sum(1 << t for t in of_doc) for of_doc in intents]
    came_from: dict[int, tuple[int, int]] = {0: (0, -1)}
    covered = [0]
    while True:
        shorter, covered = covered, []
        for before in shorter:
            for doc, mask in enumerate(masks):
                after = before | mask
                if after not in came_from:
                    came_from[after] = before, doc
                    covered.append(after)
                    if after.bit_count() >= n_intents:
                        return _trace(after, came_from)


def _trace(covered: int, came_from: dict[int, tuple[int, int]]) -> list[int]:
    docs: list[int] = []
    while covered:
        covered, doc = came_from[covered]
        docs.insert(0, doc)
    return docs


def _solve(intents: list[list[int]], n_all: int, n_intents: int, n_greedy: int, time_limit: float) -> list[int]:
    """Return the fewest documents by integer programming, or any larger cover if the greedy one is as small."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, hstack, identity

    n_docs = len(intents)
    doc = np.repeat(np.arange(n_docs), [len(of_doc) for of_doc in intents])
    intent = np.concatenate(intents)
    # One variable for each document, taken or not, and one for each intent, covered or not.
    is_doc = np.repeat([1.0, 0.0], [n_docs, n_all])
    of_docs = csr_array((np.ones(len(doc)), (intent, doc)), shape=(n_all, n_docs))
    result = milp(
        is_doc,
        integrality=is_doc,
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(hstack([of_docs, -identity(n_all)]), 0),
            LinearConstraint(1 - is_doc[None], n_intents),
        ],
        options={"time_limit": time_limit, "mip_rel_gap": 0.0},
    )
    cover: list[int] = [] if result.x is None else np.flatnonzero(result.x[:n_docs] > 0.5).tolist()
    if len({t for doc in cover for t in intents[doc]}) < n_intents:
        cover = list(range(n_docs))
    bound = 1 if result.mip_dual_bound is None else max(math.ceil(result.mip_dual_bound - 1e-6), 1)
    best = min(len(cover), n_greedy)
    if bound < best:
        raise NotProvenError("The smallest cover", best=best, bound=bound, time_limit=time_limit)
    return cover
