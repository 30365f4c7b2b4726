"""Rankings read in turns: where each turn ends, and how long documents are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .runs import Run


class Session(NamedTuple):
    """One session: how many ranks each turn has, None if they are not told, and the words of the document at each rank.

    Lengths are NaN where they are not known; there are none if the run does not tell any.
    """

    sizes: np.ndarray | None
    doc_len: np.ndarray | None


class Turns(NamedTuple):
    """The turns of some sessions.

    ``ends`` has the last rank of each turn, shape (queries, turns), that of the last turn for padding; ``n`` is the
    number of turns of each.
    """

    ends: np.ndarray
    n: np.ndarray

    def of(self, ranks: np.ndarray) -> np.ndarray:
        """Return the turn, from 1, of ranks of shape (queries, ranks); the last one for those below it."""
        # One search for all queries: each has its ranks to itself.
        above = np.arange(len(self.ends))[:, None] * (max(self.ends.max(initial=0), ranks.max(initial=0)) + 1)
        ends_above = np.searchsorted((self.ends + above).ravel(), ranks + above)
        turn = ends_above - np.arange(len(self.ends))[:, None] * self.ends.shape[1] + 1
        return np.minimum(turn, np.maximum(self.n, 1)[:, None])

    def places(self, ranks: np.ndarray) -> np.ndarray:
        """Return the rank within its turn, from 1, of ranks of shape (queries, ranks)."""
        starts = np.pad(self.ends, [(0, 0), (1, 0)])
        return ranks - np.take_along_axis(starts, self.of(ranks) - 1, axis=-1)

    def last_ranks(self, cutoff: int | None) -> np.ndarray:
        """Return the last rank of the turns down to the cutoff, shape (queries,)."""
        if not self.ends.shape[1]:
            return np.zeros(len(self.ends), dtype=np.int64)
        return self.ends[:, -1 if cutoff is None else min(cutoff, self.ends.shape[1]) - 1]


class Sessions:
    """How a run's rankings of some queries were read.

    Parameters
    ----------
    run : Run
        The run.
    query_ids : ndarray of str, shape (queries,)
        The queries.
    n : ndarray, shape (queries,)
        Number of ranks of each ranking.
    """

    def __init__(self, run: Run, query_ids: np.ndarray, n: np.ndarray) -> None:
        self._run = run
        self._query_ids = query_ids
        self._n = n

    def of(self, queries: np.ndarray) -> Sessions:
        """Return those of some of these queries."""
        return Sessions(self._run, self._query_ids[queries], self._n[queries])

    def turns(self, batch: int) -> Turns:
        """Return the turns; ``batch`` documents are one where the run does not tell."""
        ends = []
        for query_id, n in zip(self._query_ids.tolist(), self._n.tolist(), strict=True):
            sizes = self._run.session(query_id).sizes
            ends.append(np.minimum(np.arange(batch, n + batch, batch), n) if sizes is None else np.cumsum(sizes))
        n_turns = np.array([len(of_query) for of_query in ends], dtype=np.int64)
        last = [of_query[-1] if len(of_query) else 0 for of_query in ends]
        return Turns(_padded(ends, np.array(last, dtype=np.int64)), n_turns)

    def doc_len(self) -> np.ndarray | None:
        """Return the words of the document at each rank, shape (queries, ranks); None if the run does not tell any.

        NaN where they are not known, and for padding.
        """
        lengths = [self._run.session(query_id).doc_len for query_id in self._query_ids.tolist()]
        known = [of_query for of_query in lengths if of_query is not None]
        return None if len(known) < len(lengths) else _padded(known, np.full(len(known), np.nan))

    def warn_of_unknown_lengths(self, who: str) -> None:
        """Warn, once a run, that it does not tell how long documents are."""
        self._run.warn_once(
            f"The run has no column doc_len, the number of words of each document: for {who}, reading costs nothing."
        )


def _padded(rows: list[np.ndarray], fill: np.ndarray) -> np.ndarray:
    """Return rows of different lengths as a matrix, filled up with a value for each."""
    longest = max((len(row) for row in rows), default=0)
    matrix = np.repeat(fill[:, None], longest, axis=1)
    for to, row in zip(matrix, rows, strict=True):
        to[: len(row)] = row
    return matrix
