"""Documents of equal score: which ranks they stand at, and other orders that they could have."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from .entries import Groups


class Ties:
    """The documents of a run that only their names put into an order.

    Parameters
    ----------
    query : ndarray of int, shape (rows,)
        The query of each row of the run, in ranking order.
    turn : ndarray, shape (rows,), or None
        The turn of each row; None if the run is not of sessions.
    score, docs : ndarray, shape (rows,)
        The score and the document of each row.
    """

    def __init__(self, query: np.ndarray, turn: np.ndarray | None, score: np.ndarray, docs: np.ndarray) -> None:
        self._query = query
        changes = np.ones(len(query), dtype=bool)
        changes[1:] = (query[1:] != query[:-1]) | (score[1:] != score[:-1])
        if turn is not None:
            changes[1:] |= turn[1:] != turn[:-1]
        self._tie = changes.cumsum()
        # A document that is there twice has its better rank, but in sessions, where each row is a rank.
        repeated = _repeated(query, docs) if turn is None else np.zeros(len(query), dtype=bool)
        self._repeated = repeated
        self._rank = Groups(query, int(query.max(initial=-1)) + 1).above(np.where(repeated, 0, 1)) + 1
        if turn is not None:  # each turn without documents is a rank
            turns = pd.Series(turn).groupby(query).rank("dense").to_numpy()
            self._rank = self._rank + turn - (turns - 1)

    def across(self, rank: int) -> np.ndarray:
        """Return the queries with tied documents at a rank and at the next one."""
        distinct = np.flatnonzero(~self._repeated)
        tie, at_rank = self._tie[distinct], self._rank[distinct] == rank
        return np.unique(self._query[distinct[:-1][at_rank[:-1] & (tie[1:] == tie[:-1])]])

    @property
    def queries(self) -> np.ndarray:
        """The queries that have tied documents."""
        tie = self._tie[~self._repeated]
        return np.unique(self._query[~self._repeated][np.isin(tie, tie[1:][tie[1:] == tie[:-1]])])

    def order(self, keys: np.ndarray) -> np.ndarray:
        """Return the rows in the order of the scores and, where these are tied, of ``keys``."""
        return np.lexsort([keys, self._repeated, self._tie])


def _repeated(query: np.ndarray, docs: np.ndarray) -> np.ndarray:
    """Return which rows hold a document that a row of the query above them holds, too."""
    bounds = [0, *(np.flatnonzero(np.diff(query, append=-1)) + 1).tolist()]
    listed = docs.tolist()
    # Sets of one query each tell soon that most runs have no such row.
    if all(len(set(listed[start:end])) == end - start for start, end in pairwise(bounds)):
        return np.zeros(len(query), dtype=bool)
    repeated: np.ndarray = pd.DataFrame({"query": query, "doc": docs}).duplicated().to_numpy()
    return repeated
