"""Qrels and runs as arrays: frames go in, judged rankings come out, and no measure knows about frames."""

from .grades import Gain, gain_value, relevance_probability
from .judgements import Judgements
from .qrels import judge
from .rankings import JudgedRankings, QueryRelevance, judged_rankings, relevance_by_query, relevant_documents
from .runs import Retrieved, Run, ranking_order

__all__ = [
    "Gain",
    "JudgedRankings",
    "Judgements",
    "QueryRelevance",
    "Retrieved",
    "Run",
    "gain_value",
    "judge",
    "judged_rankings",
    "ranking_order",
    "relevance_by_query",
    "relevance_probability",
    "relevant_documents",
]
