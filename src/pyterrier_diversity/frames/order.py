"""The order of a ranking: by query, turn, descending score, and descending document id."""

from __future__ import annotations

import numpy as np

from ..arithmetic import counted
from .strings import Ids, Strings, heads, objects

# No session has more turns.
MOST_TURNS = 1_000_000


def turn_keys(query: np.ndarray, turn: np.ndarray | None) -> np.ndarray:
    """Return one number for the query and the turn of each row, which sorts by both."""
    return query if turn is None else query.astype(np.int64) * MOST_TURNS + turn.astype(np.int64)


def ranking_order(query: np.ndarray, turn: np.ndarray | None, score: np.ndarray, docs: Strings) -> np.ndarray | None:
    """Return the order of rows by query and rank, or None if they are in that order already."""
    key = turn_keys(query, turn)
    begins = key[1:] != key[:-1]
    order = None
    if not ((key[1:] >= key[:-1]).all() and ((score[1:] <= score[:-1]) | begins).all()):
        order = np.argsort(-score)
        # Small numbers are sorted fast.
        order = order[np.argsort(key[order].astype(np.min_scalar_type(int(key.max()))), kind="stable")]
        key, score = key[order], score[order]
        begins = key[1:] != key[:-1]
    ties = np.flatnonzero((score[1:] == score[:-1]) & ~begins)
    if not len(ties):
        return order
    order_of_scores = np.arange(len(key)) if order is None else order
    upper, lower = (objects(docs.take(order_of_scores[rows])) for rows in (ties, ties + 1))
    wrong = upper < lower
    return _by_name(order_of_scores, ties, wrong, docs) if wrong.any() else order


def _by_name(order: np.ndarray, ties: np.ndarray, wrong: np.ndarray, docs: Strings) -> np.ndarray:
    """Return the rows with ties sorted by descending name; ``wrong`` marks ties in the wrong order."""
    # Comparing names is slow, so only tied groups in the wrong order are sorted, all at once.
    starts = heads(ties - np.arange(len(ties)))
    unsorted = np.logical_or.reduceat(wrong, starts)
    size = np.diff(starts, append=len(ties))[unsorted] + 1
    group = np.repeat(np.arange(len(size)), size)
    rows = np.repeat(ties[starts][unsorted], size) + counted(size)
    names = docs.take(order[rows]).tolist()
    by_name = np.array(sorted(range(len(rows)), key=names.__getitem__, reverse=True))
    order[rows] = order[rows[by_name[np.argsort(group[by_name], kind="stable")]]]
    return order


def doubtful_order(
    query: Ids,
    size: np.ndarray,
    turn: np.ndarray | None,
    score: np.ndarray,
    docs: Strings,
    rank: np.ndarray | None,
    fewest: float = 1,
) -> str:
    """Return a message if ranks contradict the scores, or if the scores do not order documents; or an empty string.

    Parameters
    ----------
    size : ndarray of int
        The number of rows of each query. The rows are in the order of the ranking.
    fewest : float
        With fewer queries, scores may by chance all be the same.
    """
    contradicted = "" if rank is None else contradicted_ranks(query, turn, score, docs, rank)
    if contradicted or turn is not None or len(size) < fewest:
        return contradicted
    return _tied_queries(query, size, score, rank)


def _tied_queries(query: Ids, size: np.ndarray, score: np.ndarray, rank: np.ndarray | None) -> str:
    """Return a message if, in half of the queries or more, all documents have one score, unless ranks agree."""
    last = np.cumsum(size) - 1
    is_tied = (size > 1) & (score[last - size + 1] == score[last])
    n_tied = int(np.count_nonzero(is_tied))
    if not n_tied or 2 * n_tied < len(size):
        return ""
    how = ""
    if rank is not None:
        inside = is_tied[query.codes[1:]] & (query.codes[1:] == query.codes[:-1])
        if (rank[1:] > rank[:-1])[inside].all():
            return ""
        how = ", not by rank or by their order in a list; to use these, read the run with order='rank'"
    return (
        f"All documents have the same score in {n_tied} of {len(size)} queries of the run, such as "
        f"{query.names[is_tied.argmax()]!r}. They are ordered by descending document id{how}."
    )


def contradicted_ranks(query: Ids, turn: np.ndarray | None, score: np.ndarray, docs: Strings, rank: np.ndarray) -> str:
    """Return a message about queries where a lower rank has a higher score, or an empty string.

    The rows are in the order of the ranking.
    """
    key = turn_keys(query.codes, turn)
    same = key[1:] == key[:-1]
    if not ((rank[1:] < rank[:-1]) & same).any():
        return ""
    # Tied documents may swap their ranks.
    starts = np.flatnonzero(np.concatenate([[True], ~same | (score[1:] != score[:-1])]))
    lowest, highest = np.minimum.reduceat(rank, starts), np.maximum.reduceat(rank, starts)
    risen = np.flatnonzero((lowest[1:] < highest[:-1]) & (key[starts][1:] == key[starts][:-1]))
    if not len(risen):
        return ""
    first = int(risen[0])
    above = starts[first] + int(rank[starts[first] : starts[first + 1]].argmax())
    below = starts[first + 1] + int((rank[starts[first + 1] :] == lowest[first + 1]).argmax())
    queries = query.codes[starts[risen]]
    upper, lower = docs.take(np.array([above, below])).tolist()
    return (
        f"Scores and ranks contradict each other in {len(np.unique(queries))} of {len(query.names)} queries of the "
        f"run, such as {query.names[queries[0]]!r}, where {upper!r} has rank {rank[above]:g} and a higher score than "
        f"{lower!r} at rank {rank[below]:g}. The score counts; to use the rank, read the run with order='rank'."
    )
