"""Tied documents: their ranks, and their other possible orders."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from .entries import Groups


class Ties:
    """The tied documents of a run, which have the same score.

    Parameters
    ----------
    query : ndarray of int, shape (rows,)
        The query of each row of the run, in ranking order.
    turn : ndarray, shape (rows,), or None
        The turn of each row; None if the run has no turns.
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
        # A repeated document has its best rank, except in sessions, where each row has a rank.
        repeated = _repeated(query, docs) if turn is None else np.zeros(len(query), dtype=bool)
        self._repeated = repeated
        self._rank = Groups(query, int(query.max(initial=-1)) + 1).above(np.where(repeated, 0, 1)) + 1
        if turn is not None:  # each turn without documents takes one rank
            turns = pd.Series(turn).groupby(query).rank("dense").to_numpy()
            self._rank = self._rank + turn - (turns - 1)

    def across(self, rank: int) -> np.ndarray:
        """Return the queries with tied documents at a rank and at the next one."""
        distinct = np.flatnonzero(~self._repeated)
        tie, at_rank = self._tie[distinct], self._rank[distinct] == rank
        return np.unique(self._query[distinct[:-1][at_rank[:-1] & (tie[1:] == tie[:-1])]])

    @property
    def queries(self) -> np.ndarray:
        """The queries with tied documents."""
        tie = self._tie[~self._repeated]
        return np.unique(self._query[~self._repeated][np.isin(tie, tie[1:][tie[1:] == tie[:-1]])])

    def order(self, keys: np.ndarray) -> np.ndarray:
        """Return the rows in the order of the scores, with ties in the order of ``keys``."""
        return np.lexsort([keys, self._repeated, self._tie])


def _repeated(query: np.ndarray, docs: np.ndarray) -> np.ndarray:
    """Return which rows repeat a document of the same query."""
    bounds = [0, *(np.flatnonzero(np.diff(query, append=-1)) + 1).tolist()]
    listed = docs.tolist()
    # Most runs have no repeats, which sets of each query's documents show quickly.
    if all(len(set(listed[start:end])) == end - start for start, end in pairwise(bounds)):
        return np.zeros(len(query), dtype=bool)
    repeated: np.ndarray = pd.DataFrame({"query": query, "doc": docs}).duplicated().to_numpy()
    return repeated
