"""The fewest documents that cover a number of intents: set cover, greedy or exact."""

import math
from collections import deque
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .exact import NotProvenError
from .greedy import greedy_places

# Up to this number of intents, all sets of covered intents are listed. Beyond it, a solver is faster.
MAX_LISTED_INTENTS = 12


class Covers:
    """The smallest covers of one query's intents; each is computed once.

    Parameters
    ----------
    doc, intent : array_like of int, shape (n_labels,)
        The document and the intent of each label. Documents are numbered from 0 in the order that breaks ties, and
        are in ascending order.

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
        self._sizes = np.bincount(self._doc)
        self._exact: dict[int, list[int]] = {}

    def greedy(self, n_intents: int) -> list[int]:
        """Return documents until ``n_intents`` are covered, each time the one that covers the most new intents."""
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
            cover = self.greedy(n_intents)
            # As many documents are needed even if no two share an intent.
            at_least = int(np.searchsorted(np.cumsum(-np.sort(-self._sizes)), n_intents)) + 1
            if len(cover) > at_least and self.n_intents > MAX_LISTED_INTENTS:
                cover = self._solve(n_intents, cover, time_limit)
            elif len(cover) > at_least:
                cover = min(cover, self._list_sets(n_intents), key=len)
            self._exact[n_intents] = cover
        return self._exact[n_intents]

    @cached_property
    def _greedy(self) -> tuple[list[int], np.ndarray]:
        """The greedy cover of all intents, and the number of intents that its first 0, 1, 2, ... documents cover."""
        query, worth = np.zeros(len(self._sizes)), np.ones(len(self._doc))
        # With alpha = 1, the gain is the number of new intents; the order stops when there are none.
        places = greedy_places(query, self._doc, self._intent, worth, alpha=1.0, least=0.0)
        docs = np.argsort(places)[np.count_nonzero(places == 0) :]
        first = np.full(self.n_intents, len(query))
        taken = places[self._doc] > 0
        np.minimum.at(first, self._intent[taken], places[self._doc[taken]])
        return docs.tolist(), np.cumsum(np.bincount(first, minlength=len(docs) + 1))

    def _list_sets(self, n_intents: int) -> list[int]:
        """Return the fewest documents, by listing all sets of intents that one, two, three, ... documents cover."""
        masks = np.zeros(len(self._sizes), dtype=np.intp)
        np.bitwise_or.at(masks, self._doc, 1 << self._intent)
        masks, docs = np.unique(masks, return_index=True)
        # Documents whose intents are part of another's are not needed.
        maximal = np.count_nonzero(masks[:, None] & masks == masks[:, None], axis=1) == 1
        kinds = sorted(zip(docs[maximal].tolist(), masks[maximal].tolist(), strict=True))
        covers: dict[int, list[int]] = {0: []}
        queue = deque(covers)
        while True:
            before = queue.popleft()
            for doc, mask in kinds:
                after = before | mask
                if after not in covers:
                    covers[after] = [*covers[before], doc]
                    queue.append(after)
                    if after.bit_count() >= n_intents:
                        return covers[after]

    def _solve(self, n_intents: int, greedy: list[int], time_limit: float) -> list[int]:
        """Return the fewest documents by integer programming, or the greedy cover if it is as small."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array, hstack, identity

        n_docs = len(self._sizes)
        # One variable for each document, taken or not, and one for each intent, covered or not.
        is_doc = np.repeat([1.0, 0.0], [n_docs, self.n_intents])
        of_docs = csr_array((np.ones(len(self._doc)), (self._intent, self._doc)), shape=(self.n_intents, n_docs))
        result = milp(
            is_doc,
            integrality=is_doc,
            bounds=Bounds(0, 1),
            constraints=[
                LinearConstraint(hstack([of_docs, -identity(self.n_intents)]), 0),
                LinearConstraint(1 - is_doc[None], n_intents),
            ],
            options={"time_limit": time_limit, "mip_rel_gap": 0.0},
        )
        taken = np.zeros(n_docs, dtype=bool) if result.x is None else result.x[:n_docs] > 0.5
        is_cover = np.count_nonzero(of_docs @ taken) >= n_intents
        best = min(greedy, np.flatnonzero(taken).tolist() if is_cover else greedy, key=len)
        bound = 1 if result.mip_dual_bound is None else max(math.ceil(result.mip_dual_bound - 1e-6), 1)
        if bound < len(best):
            raise NotProvenError("The smallest cover", best=len(best), bound=bound, time_limit=time_limit)
        return best
