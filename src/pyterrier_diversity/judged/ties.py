"""Tied documents: those of a query with the same score, or of a turn in sessions."""

from collections.abc import Iterable

import numpy as np

from .entries import Groups
from .run import Run


def tied_across(run: Run, ranks: Iterable[int]) -> list[list[str]]:
    """Return, for each rank, the queries whose documents at this rank and at the next one have the same score."""
    # Only sessions keep repeated documents.
    takes_rank = ~run.repeats if run.sessions is None else np.ones(len(run.query), dtype=bool)
    rows = np.flatnonzero(takes_rank)
    above, below = rows[:-1], rows[1:]
    tied = above[(run.turn[above] == run.turn[below]) & (run.tie[above] == run.tie[below])]
    rank = Groups(run.query, len(run)).above(takes_rank) + 1 if run.sessions is None else run.sessions.rank
    queries = [np.unique(run.query[tied[rank[tied] == at]]).tolist() for at in ranks]
    return [[run.query_ids[place] for place in of_rank] for of_rank in queries]
