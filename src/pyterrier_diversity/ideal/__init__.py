"""Ideal rankings, the best that the judgements allow: greedily, as evaluation has always done it, or proven."""

from .cover import Covers
from .dense import GreedyRanking, greedy_gains, rank_exactly, rank_greedily
from .errors import NotProvenError, naming
from .exact import exact_order
from .frames import exact_ranking, greedy_min_rank, greedy_ranking, min_rank
from .greedy import greedy_places
from .progress import progress

__all__ = [
    "Covers",
    "GreedyRanking",
    "NotProvenError",
    "exact_order",
    "exact_ranking",
    "greedy_gains",
    "greedy_min_rank",
    "greedy_places",
    "greedy_ranking",
    "min_rank",
    "naming",
    "progress",
    "rank_exactly",
    "rank_greedily",
]
