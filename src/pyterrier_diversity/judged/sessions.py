"""The turns of rankings, for measures of sessions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .entries import Groups

# More turns than any ranking has, but still an integer that fits into an array.
_MANY = 2**62


class TurnSizes(NamedTuple):
    """The turns of a ranking with documents: their numbers from 0, ascending, and their numbers of documents."""

    number: np.ndarray
    size: np.ndarray


class Turns:
    """The turns of some rankings, one row for each turn with documents; other turns are only counted in ``n``.

    Parameters
    ----------
    query : ndarray of int, shape (turns,)
        The ranking of each turn, ascending.
    number : ndarray of int, shape (turns,)
        The number of each turn in its ranking, from 0.
    start, last : ndarray of int, shape (turns,)
        The number of ranks above each turn, and its last rank.
    n : ndarray of int, shape (queries,)
        The number of turns of each ranking, with those without documents.

    Attributes
    ----------
    queries : Groups
        The turns of each ranking.
    """

    def __init__(
        self, query: np.ndarray, number: np.ndarray, start: np.ndarray, last: np.ndarray, n: np.ndarray
    ) -> None:
        self.queries = Groups(query, len(n))
        self.number = number
        self.start = start
        self.last = last
        self.n = n

    def down_to(self, cutoff: int | None) -> Turns:
        """Return the first turns of each ranking."""
        if cutoff is None:
            return self
        kept = self.number < cutoff
        query, number, start, last = (values[kept] for values in (self.queries.of, self.number, self.start, self.last))
        return Turns(query, number, start, last, np.minimum(self.n, min(cutoff, _MANY)))

    @property
    def last_rank(self) -> np.ndarray:
        """The last rank of each ranking's last turn, or 0 without turns."""
        query, lowest = _lowest(self.queries.of)
        rank = self.n.copy()
        # Below the last turn with documents, each turn takes one rank.
        rank[query] += self.last[lowest] - (self.number[lowest] + 1)
        return rank

    def of(self, query: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """Return the row of the turn of each rank, given its ranking; each rank must have a document."""
        # One search for all rankings: each has its own range of keys.
        ranks_above = int(self.last.max(initial=0)) + 1
        return np.searchsorted(self.queries.of * ranks_above + self.last, query * ranks_above + rank.astype(np.int64))


def _lowest(query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the queries that have rows, and the last row of each."""
    lowest = np.flatnonzero(np.diff(query, append=-1))
    return query[lowest], lowest


def read_in_turns(sizes: list[TurnSizes] | None, n: np.ndarray, batch: int) -> Turns:
    """Return the turns of rankings.

    Parameters
    ----------
    sizes : list of TurnSizes, or None
        The turns with documents of each ranking; None if all turns have ``batch`` ranks.
    n : ndarray of int, shape (queries,)
        The number of ranks of each ranking; turns below are dropped.
    batch : int
        The number of ranks of a turn if ``sizes`` is None.
    """
    if sizes is None:
        batch = min(batch, max(int(n.max(initial=0)), 1))
        n_turns = -(-n // batch)
        query = np.repeat(np.arange(len(n)), n_turns)
        number = Groups(query, len(n)).place
        return Turns(query, number, number * batch, np.minimum((number + 1) * batch, n[query]), n_turns)
    groups = Groups(np.repeat(np.arange(len(n)), [len(of_query.number) for of_query in sizes]), len(n))
    none = np.zeros(0, dtype=np.int64)
    number, size = map(np.concatenate, zip(TurnSizes(none, none), *sizes, strict=True))
    # Each turn without documents takes one rank.
    start = groups.above(size).astype(np.int64) + number - groups.place
    read = start < n[groups.of]
    query, number, start = groups.of[read], number[read], start[read]
    last = np.minimum(start + size[read], n[query])
    of_lowest, lowest = _lowest(query)
    n_turns = n.copy()
    n_turns[of_lowest] += number[lowest] + 1 - last[lowest]
    return Turns(query, number, start, last, n_turns)
