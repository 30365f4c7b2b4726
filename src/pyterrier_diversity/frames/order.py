"""The order of a ranking: by query, turn, descending score, and descending document id."""

from typing import NamedTuple

import numpy as np

from ..arithmetic import counted, rows_by
from .columns import Columns
from .doubts import Doubts
from .strings import Ids, Strings, heads, objects

# No session has more turns.
MOST_TURNS = 1_000_000


class RankedRows(NamedTuple):
    """The rows of a run in the order of its rankings.

    Attributes
    ----------
    rows : ndarray of int or None
        The place of each row in the run as given; None if the order is the same.
    query : Ids
        The query of each row.
    docs : array of strings
        The document of each row of the run as given.
    key : ndarray of int
        The same number for rows of one query and turn.
    score : ndarray of float
        The score of each row.
    has_turns : bool
        Whether the run has turns.
    rank : ndarray of float or None
        The rank of each row, if the run has this column.
    size : ndarray of int, shape (queries,)
        The number of rows of each query.
    """

    rows: np.ndarray | None
    query: Ids
    docs: Strings
    key: np.ndarray
    score: np.ndarray
    has_turns: bool
    rank: np.ndarray | None
    size: np.ndarray

    def add_odd(self, doubts: Doubts) -> None:
        """Add in how many queries ranks contradict the scores, or the scores do not order documents."""
        doubts.add("query", len(self.size))
        if self.rank is not None:
            doubts.add("ranked", len(self.size))
            same = self.key[1:] == self.key[:-1]
            if ((self.rank[1:] < self.rank[:-1]) & same).any():
                self._add_contradicted(self.rank, same, doubts)
        if self.has_turns or len(self.size) < doubts.fewest:  # no warning could come of the rest
            return
        if self.rank is None and self._rises():
            doubts.add("rising", len(self.size), repr(self.query.names[0]))
        last = self.size.cumsum() - 1
        is_tied = (self.size > 1) & (self.score[last - self.size + 1] == self.score[last])
        if is_tied.any():
            inside = is_tied[self.key[1:]] & (self.key[1:] == self.key[:-1])
            if self.rank is not None:
                inside &= ~(self.rank[1:] > self.rank[:-1])
            doubts.add("tied", int(np.count_nonzero(is_tied)), repr(self.query.names[is_tied.argmax()]))
            doubts.add("unranked", int(np.count_nonzero(inside)))

    def _rises(self) -> bool:
        """Tell whether the scores of all queries rise down the rows as given; at least one has three documents."""
        if self.rows is None or self.size.max() < 3:
            return False
        if self.rows[0] == 0 and self.score[0] > self.score[self.size[0] - 1]:  # most often, the first row is the best
            return False
        score, key = np.empty_like(self.score), np.empty_like(self.key)
        score[self.rows], key[self.rows] = self.score, self.key
        step = np.where(key[1:] == key[:-1], np.sign(score[1:] - score[:-1]), 0)
        return bool((step >= 0).all()) and len(np.unique(key[1:][step > 0])) == np.count_nonzero(self.size > 1)

    def _add_contradicted(self, rank: np.ndarray, same: np.ndarray, doubts: Doubts) -> None:
        """Add in how many queries a lower rank has a higher score, given which rows have the key of the next one."""
        # The scores by rank; a rank that is missing comes last.
        order = np.lexsort([rank, self.key])
        score, rank = self.score[order], rank[order]
        risen = np.flatnonzero(same & (score[1:] > score[:-1]) & (rank[1:] > rank[:-1]))
        for row in risen[:1].tolist():
            queries = self.query.codes[risen]
            pair = order[row : row + 2]
            lower, upper = self.docs.take(pair if self.rows is None else self.rows[pair]).tolist()
            example = (
                f"{self.query.names[queries[0]]!r}, where {upper!r} has rank {rank[row + 1]:g} and a higher score than "
                f"{lower!r} at rank {rank[row]:g}"
            )
            doubts.add("contradicted", len(np.unique(queries)), example)


def in_order(run: Columns) -> RankedRows:
    """Return the rows of a run by query, turn, descending score and descending document id.

    Raises
    ------
    ValueError
        If a value is missing, a score is not a finite number, or a turn is not a whole number from 0.
    TypeError
        If an id is neither a string nor an integer.
    """
    query, docs = run.ids("query_id"), run.strings("doc_id")
    key, score, rank = query.codes, run.scores(), run.ranks()
    if "turn" in run:
        turn = run.numbers("turn")
        bad = (turn < 0) | (turn != np.floor(turn)) | (turn >= MOST_TURNS)
        run.refuse(bad, "turn", f"must be a whole number from 0 to {MOST_TURNS - 1}")
        # One number for the query and the turn of each row, which sorts by both.
        key = key * MOST_TURNS + turn.astype(np.int64)
    size = np.bincount(query.codes, minlength=len(query.names))
    rows, key, score = ranking_order(key, score, docs)
    if rows is not None:
        query = Ids(key // MOST_TURNS if "turn" in run else key, query.names)
        rank = None if rank is None else rank[rows]
    return RankedRows(rows, query, docs, key, score, "turn" in run, rank, size)


def ranking_order(
    key: np.ndarray, score: np.ndarray, docs: Strings
) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
    """Return the order of rows by key and rank, or None if they are in it already; then both, sorted."""
    begins = key[1:] != key[:-1]
    order = None
    if not ((key[1:] >= key[:-1]).all() and ((score[1:] <= score[:-1]) | begins).all()):
        order = np.argsort(-score)
        order = order[rows_by(key[order])]
        key, score = key[order], score[order]
        begins = key[1:] != key[:-1]
    ties = ((score[1:] == score[:-1]) & ~begins).nonzero()[0]
    if len(ties):
        order_of_scores = np.arange(len(key)) if order is None else order
        upper, lower = (objects(docs.take(order_of_scores[rows])) for rows in (ties, ties + 1))
        wrong = upper < lower
        if wrong.any():
            order = _by_name(order_of_scores, ties, wrong, docs)
    return order, key, score


def _by_name(order: np.ndarray, ties: np.ndarray, wrong: np.ndarray, docs: Strings) -> np.ndarray:
    """Return the rows with ties sorted by descending name; ``wrong`` marks ties in the wrong order."""
    # Comparing names is slow, so only tied groups in the wrong order are sorted, all at once.
    starts = heads(ties - np.arange(len(ties)))
    unsorted = np.logical_or.reduceat(wrong, starts)
    size = np.diff(np.append(starts, len(ties)))[unsorted] + 1
    group = np.repeat(np.arange(len(size)), size)
    rows = np.repeat(ties[starts][unsorted], size) + counted(size)
    names = docs.take(order[rows]).tolist()
    by_name = np.array(sorted(range(len(rows)), key=names.__getitem__, reverse=True))
    order[rows] = order[rows[by_name[np.argsort(group[by_name], kind="stable")]]]
    return order
