"""Tied documents: those of a query with the same score, or of a turn in sessions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..frames.strings import heads
from .entries import Groups
from .run import Run


class Ties:
    """The ties of a run.

    Parameters
    ----------
    run : Run
        The run.

    Attributes
    ----------
    query_ids : list of str
        The queries with tied documents.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        begins = np.zeros(len(run.query), dtype=np.int64)
        begins[heads(run.turn)] = 1
        begins[heads(run.tie)] = 1
        # The number of each row's group of tied documents.
        self._group = np.cumsum(begins)
        rows = np.flatnonzero(run.takes_rank)
        rows = rows[:-1][self._group[rows[1:]] == self._group[rows[:-1]]]
        rank = Groups(run.query, len(run)).above(run.takes_rank) + 1 if run.sessions is None else run.sessions.rank
        # Of each document that is tied with the next one.
        self._query, self._rank = run.query[rows], rank[rows]
        self.query_ids = self._names(self._query)

    def across(self, rank: int) -> list[str]:
        """Return the queries with the same score at a rank and at the next one."""
        return self._names(self._query[self._rank == rank])

    def shuffled(self, generators: Mapping[str, np.random.Generator]) -> Run:
        """Return the run with tied documents in random order; each query has its own generator."""
        keys = np.zeros(len(self._group))
        for query_id, generator in generators.items():
            rows = self._run.rows(query_id)
            keys[rows] = generator.random(rows.stop - rows.start)
        return self._run.reordered(np.lexsort([keys, ~self._run.takes_rank, self._group]))

    def _names(self, query: np.ndarray) -> list[str]:
        return [self._run.query_ids[place] for place in np.unique(query).tolist()]
