"""Tied documents: their ranks, and their other possible orders."""

from __future__ import annotations

import numpy as np

from .strings import heads


class Ties:
    """The tied documents of a run, which have the same score.

    Parameters
    ----------
    query, rank : ndarray of int, shape (rows,)
        The query and the rank of each row of the run, in ranking order.
    key : ndarray of int, shape (rows,)
        A number for the query and the turn of each row.
    score : ndarray, shape (rows,)
        The score of each row.
    counts : ndarray of bool, shape (rows,)
        Whether a row takes up a rank: False for a document that is repeated in its query.
    """

    def __init__(
        self, query: np.ndarray, rank: np.ndarray, key: np.ndarray, score: np.ndarray, counts: np.ndarray
    ) -> None:
        changes = np.zeros(len(query), dtype=np.int64)
        changes[heads(key)] = 1
        changes[heads(score)] = 1
        self._tie = np.cumsum(changes)
        self._counts = counts
        self._query, self._rank, self._distinct = query[counts], rank[counts], self._tie[counts]

    @property
    def _with_next(self) -> np.ndarray:
        """Whether each document but the last is tied with the next one."""
        return self._distinct[1:] == self._distinct[:-1]

    def across(self, rank: int) -> np.ndarray:
        """Return the queries with tied documents at a rank and at the next one."""
        return np.unique(self._query[:-1][self._with_next & (self._rank[:-1] == rank)])

    @property
    def queries(self) -> np.ndarray:
        """The queries with tied documents."""
        return np.unique(self._query[:-1][self._with_next])

    def order(self, keys: np.ndarray) -> np.ndarray:
        """Return the rows in the order of the scores, with ties in the order of ``keys``."""
        return np.lexsort([keys, ~self._counts, self._tie])
