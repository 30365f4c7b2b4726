"""The ranks of the rows of sessions."""

import numpy as np

from ..arithmetic import counted
from ..frames.order import MOST_TURNS
from ..frames.strings import heads


class Sessions:
    """The sessions of a run: the ranks of its rows, and its turns with documents.

    A turn without documents takes up one rank.

    Parameters
    ----------
    query, key : ndarray of int, shape (rows,)
        The query of each row, in ranking order, and the number of its query and turn, as in `RankedRows`.

    Attributes
    ----------
    rank : ndarray of int, shape (rows,)
        The rank of each row, from 1.
    n_turns : ndarray of int, shape (queries + 1,)
        The number of turns with documents of each query; the last is for queries without documents, at -1.
    number, first, last : ndarray of int, shape (turns,)
        The number of each turn with documents, from 0, how many ranks are above it, and its last rank.
    """

    def __init__(self, query: np.ndarray, key: np.ndarray) -> None:
        starts = heads(key)
        size = np.diff(starts, append=len(query))
        self.number = key[starts] % MOST_TURNS
        self.n_turns = np.append(np.bincount(query[starts]), 0)
        n_empty_above = self.number - counted(self.n_turns)
        self.rank = counted(np.bincount(query)) + 1 + np.repeat(n_empty_above, size)
        self.first = self.rank[starts] - 1
        self.last = self.first + size
