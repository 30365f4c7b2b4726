"""Qrels and runs as entries: frames go in, ranked entries come out, and no measure knows about frames."""

from .columns import fail, given_frame, ids, numbers, strings, to_frame, with_string_ids
from .entries import Groups
from .grades import Gain, gain_value, relevance_probability
from .judgements import Judgements, Memo, View
from .ranked import LARGEST_EXPONENT, LARGEST_GAIN, Listed, Order, Ranked, RankedDocuments, ideal, relevant_documents
from .reading import QRELS_COLUMNS, intents_of_rows, judge
from .relevance import QueryRelevance, relevance_by_query
from .run import RUN_COLUMNS, Retrieved, Run, ranking_order, retrieved
from .sessions import Turns

__all__ = [
    "LARGEST_EXPONENT",
    "LARGEST_GAIN",
    "QRELS_COLUMNS",
    "RUN_COLUMNS",
    "Gain",
    "Groups",
    "Judgements",
    "Listed",
    "Memo",
    "Order",
    "QueryRelevance",
    "Ranked",
    "RankedDocuments",
    "Retrieved",
    "Run",
    "Turns",
    "View",
    "fail",
    "gain_value",
    "given_frame",
    "ideal",
    "ids",
    "intents_of_rows",
    "judge",
    "numbers",
    "ranking_order",
    "relevance_by_query",
    "relevance_probability",
    "relevant_documents",
    "retrieved",
    "strings",
    "to_frame",
    "with_string_ids",
]
