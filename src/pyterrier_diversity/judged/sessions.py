"""Rankings read in turns, and the rows that only measures of sessions look at."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .entries import Groups


class Turns:
    """The turns of some rankings, one row for each.

    Parameters
    ----------
    query : ndarray of int, shape (turns,)
        The ranking of each turn, ascending.
    last : ndarray of int, shape (turns,)
        The last rank of each turn.
    n_queries : int
        The number of rankings.

    Attributes
    ----------
    queries : Groups
        The turns of each ranking; ``queries.place`` counts them from 0.
    """

    def __init__(self, query: np.ndarray, last: np.ndarray, n_queries: int) -> None:
        self.queries = Groups(query, n_queries)
        self.last = last

    @property
    def n(self) -> np.ndarray:
        """The number of turns of each ranking."""
        return self.queries.size

    @cached_property
    def start(self) -> np.ndarray:
        """The number of ranks above each turn."""
        return np.where(self.queries.first, 0, np.append(0, self.last[:-1])[: len(self.last)])

    def down_to(self, cutoff: int | None) -> Turns:
        """Return the first turns of each ranking."""
        if cutoff is None:
            return self
        kept = self.queries.place < cutoff
        return Turns(self.queries.of[kept], self.last[kept], self.queries.n)

    @property
    def last_rank(self) -> np.ndarray:
        """The last rank of each ranking's last turn; 0 where there is none."""
        return self.queries.highest(self.last).astype(np.int64)

    def of(self, query: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """Return the row of the turn in which each rank of a ranking is read; ranks must not be below the last one."""
        # One search for all: each ranking has its ranks to itself.
        ranks_above = int(self.last.max(initial=0)) + 1
        return np.searchsorted(self.queries.of * ranks_above + self.last, query * ranks_above + rank.astype(np.int64))


def read_in_turns(sizes: list[np.ndarray] | None, n: np.ndarray, batch: int) -> Turns:
    """Return the turns in which rankings are read.

    Parameters
    ----------
    sizes : list of ndarray of int, or None
        The number of ranks of each turn of each ranking; None where all turns are ``batch`` ranks.
    n : ndarray of int, shape (queries,)
        How many ranks of each ranking are read: turns below them are left out.
    batch : int
        Ranks of a turn, where they are not told.
    """
    if sizes is None:
        batch = min(batch, max(int(n.max(initial=0)), 1))
        query = np.repeat(np.arange(len(n)), -(-n // batch))
        return Turns(query, np.minimum((Groups(query, len(n)).place + 1) * batch, n[query]), len(n))
    query = np.repeat(np.arange(len(n)), [len(of_query) for of_query in sizes])
    size = np.concatenate([np.zeros(0, dtype=np.int64), *sizes])
    above = Groups(query, len(n)).above(size).astype(np.int64)
    read = above < n[query]
    return Turns(query[read], np.minimum(above + size, n[query])[read], len(n))
