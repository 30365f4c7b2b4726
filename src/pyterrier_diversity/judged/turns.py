"""The turns of rankings, for measures of sessions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arithmetic import counted
from .entries import Groups
from .ranked import Ranked
from .run import LARGEST_RANK
from .sessions import Sessions


@dataclass
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
        The number of turns of each ranking, including those without documents.
    """

    query: np.ndarray
    number: np.ndarray
    start: np.ndarray
    last: np.ndarray
    n: np.ndarray

    @cached_property
    def queries(self) -> Groups:
        """The turns of each ranking."""
        return Groups(self.query, len(self.n))

    def down_to(self, cutoff: int | None) -> Turns:
        """Return the first turns of each ranking."""
        if cutoff is None:
            return self
        kept = self.number < cutoff
        n = np.minimum(self.n, min(cutoff, LARGEST_RANK))
        return Turns(self.query[kept], self.number[kept], self.start[kept], self.last[kept], n)

    @property
    def lowest(self) -> tuple[np.ndarray, np.ndarray]:
        """The rankings that have rows, and the last row of each."""
        lowest = np.flatnonzero(np.diff(self.query, append=-1))
        return self.query[lowest], lowest

    @property
    def last_rank(self) -> np.ndarray:
        """The last rank of each ranking's last turn, or 0 without turns."""
        query, lowest = self.lowest
        rank = self.n.copy()
        # Below the last turn with documents, each turn takes one rank.
        rank[query] += self.last[lowest] - (self.number[lowest] + 1)
        return rank

    def of(self, query: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """Return the row of the turn of each rank, given its ranking; each rank must have a document."""
        # One search for all rankings: each has its own range of keys.
        ranks_above = int(self.last.max(initial=0)) + 1
        return np.searchsorted(self.query * ranks_above + self.last, query * ranks_above + rank.astype(np.int64))


def turns_of(ranked: Ranked, batch: int) -> Turns:
    """Return the turns of rankings; a run without turns is read in turns of ``batch`` documents."""
    n, run = ranked.n, ranked.run
    if run is not None and run.sessions is not None:
        return turns_of_sessions(run.sessions, run.places(ranked.judgements.query_ids), n)
    batch = min(batch, max(int(n.max(initial=0)), 1))
    n_turns = -(-n // batch)
    query, number = np.repeat(np.arange(len(n)), n_turns), counted(n_turns)
    return Turns(query, number, number * batch, np.minimum((number + 1) * batch, n[query]), n_turns)


def turns_of_sessions(sessions: Sessions, query: np.ndarray, n: np.ndarray) -> Turns:
    """Return the turns of rankings that are sessions.

    Parameters
    ----------
    sessions : Sessions
        The sessions of the run.
    query : ndarray of int, shape (queries,)
        The query of each ranking among the sessions; -1 if it has none.
    n : ndarray of int, shape (queries,)
        The number of ranks of each ranking; turns below are dropped.
    """
    n_turns = sessions.n_turns[query]
    row = np.repeat((np.cumsum(sessions.n_turns) - sessions.n_turns)[query], n_turns) + counted(n_turns)
    ranking = np.repeat(np.arange(len(n)), n_turns)
    read = sessions.first[row] < n[ranking]
    row, ranking = row[read], ranking[read]
    last = np.minimum(sessions.last[row], n[ranking])
    turns = Turns(ranking, sessions.number[row], sessions.first[row], last, n.copy())
    # Below the last turn with documents, each rank is a turn.
    of_lowest, lowest = turns.lowest
    turns.n[of_lowest] += turns.number[lowest] + 1 - turns.last[lowest]
    return turns
