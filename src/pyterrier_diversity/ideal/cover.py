"""The fewest documents that cover a number of intents: set cover, greedily or proven."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .errors import NotProvenError
from .kinds import strictly_within

# Sets of covered intents are listed where there are at most this many intents; more go to a solver.
MAX_LISTED_INTENTS = 12


class Covers:
    """The smallest covers of one query's intents, each searched for once.

    Parameters
    ----------
    relevant : array_like, shape (n_docs, n_intents)
        1 where a document is relevant to an intent, else 0; documents in the order that breaks ties.
    """

    def __init__(self, relevant: npt.ArrayLike) -> None:
        relevant = np.asarray(relevant) > 0
        self._relevant = relevant[:, relevant.any(axis=0)]
        self._exact: dict[int, list[int]] = {}

    @property
    def n_intents(self) -> int:
        """How many intents can be covered."""
        return int(self._relevant.shape[1])

    def greedy(self, n_intents: int) -> list[int]:
        """Return the documents that cover most new intents, one after the other, until ``n_intents`` are covered."""
        uncovered = np.ones(self.n_intents, dtype=bool)
        docs: list[int] = []
        while self.n_intents - np.count_nonzero(uncovered) < n_intents:
            docs.append(int(np.argmax(np.count_nonzero(self._relevant & uncovered, axis=1))))
            uncovered &= ~self._relevant[docs[-1]]
        return docs

    def exact(self, n_intents: int, time_limit: float = 60.0) -> list[int]:
        """Return the fewest documents that together cover ``n_intents`` intents.

        Raises
        ------
        NotProvenError
            If that needs more than ``time_limit`` seconds; with the size of the best cover that was found, and the
            proven lower bound.
        """
        if n_intents not in self._exact:
            self._exact[n_intents] = self._search(n_intents, time_limit)
        return self._exact[n_intents]

    def _search(self, n_intents: int, time_limit: float) -> list[int]:
        greedy = self.greedy(n_intents)
        docs = _undominated(self._relevant)
        if len(greedy) <= 1:
            return greedy
        if self.n_intents > MAX_LISTED_INTENTS:
            cover = _solve(self._relevant[docs], n_intents, len(greedy), time_limit)
        else:
            cover = _list_sets(self._relevant[docs], n_intents)
        smaller: list[int] = docs[cover].tolist()
        return smaller if len(smaller) < len(greedy) else greedy


def _undominated(relevant: np.ndarray) -> np.ndarray:
    """Return the documents whose intents no other document has all of, one for each set of intents."""
    kinds, first = np.unique(relevant, axis=0, return_index=True)
    return np.sort(first[~strictly_within(kinds).any(axis=1)])


def _list_sets(relevant: np.ndarray, n_intents: int) -> list[int]:
    """Return the fewest documents, from all sets of intents that one, two, three, ... of them cover."""
    masks = [int("".join("01"[bit] for bit in row), 2) for row in relevant.astype(int).tolist()]
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


def _solve(relevant: np.ndarray, n_intents: int, n_greedy: int, time_limit: float) -> list[int]:
    """Return the fewest documents, by integer programming; or any cover that is no smaller than the greedy one."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, hstack, identity

    n_docs, n_all = relevant.shape
    # One variable for each document, taken or not, and one for each intent, covered or not.
    is_doc = np.repeat([1.0, 0.0], [n_docs, n_all])
    covered_by_docs = hstack([csr_array(relevant.T.astype(float)), -identity(n_all)])
    result = milp(
        is_doc,
        integrality=is_doc,
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(covered_by_docs, 0), LinearConstraint(1 - is_doc[None], n_intents)],
        options={"time_limit": time_limit, "mip_rel_gap": 0.0},
    )
    cover: list[int] = [] if result.x is None else np.flatnonzero(result.x[:n_docs] > 0.5).tolist()
    if np.count_nonzero(relevant[cover].any(axis=0)) < n_intents:
        cover = list(range(n_docs))
    bound = 1 if result.mip_dual_bound is None else max(math.ceil(result.mip_dual_bound - 1e-6), 1)
    best = min(len(cover), n_greedy)
    if bound < best:
        raise NotProvenError("The smallest cover", best=best, bound=bound, time_limit=time_limit)
    return cover
