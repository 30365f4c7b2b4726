"""Turn frames of qrels and runs into rankings with judgements, which is all that measures see."""

from .columns import (
    RUN_COLUMNS,
    Ids,
    by_number,
    fail,
    given_frame,
    given_ranks,
    ids,
    numbers,
    scores,
    strings,
    to_frame,
    with_string_ids,
)
from .entries import Groups
from .grades import Gain, gain_value, relevance_probability
from .judgements import Judgements, Memo, View
from .ranked import LARGEST_EXPONENT, LARGEST_GAIN, Listed, Order, Ranked, RankedDocuments, ideal, relevant_documents
from .reading import NO_DOCUMENT, QRELS_COLUMNS, intents_of_rows, judge, judging_rows
from .relevance import QueryRelevance, relevance_by_query
from .run import Retrieved, Run, contradicted_ranks, ranking_order, retrieved
from .sessions import Turns
from .warned import collected, give, warn_of_data, warn_user

__all__ = [
    "LARGEST_EXPONENT",
    "LARGEST_GAIN",
    "NO_DOCUMENT",
    "QRELS_COLUMNS",
    "RUN_COLUMNS",
    "Gain",
    "Groups",
    "Ids",
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
    "by_number",
    "collected",
    "contradicted_ranks",
    "fail",
    "gain_value",
    "give",
    "given_frame",
    "given_ranks",
    "ideal",
    "ids",
    "intents_of_rows",
    "judge",
    "judging_rows",
    "numbers",
    "ranking_order",
    "relevance_by_query",
    "relevance_probability",
    "relevant_documents",
    "retrieved",
    "scores",
    "strings",
    "to_frame",
    "warn_of_data",
    "warn_user",
    "with_string_ids",
]
