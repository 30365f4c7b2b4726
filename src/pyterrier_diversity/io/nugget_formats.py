"""The nugget formats of tools and tracks, as tables: how each is recognised, and where it has its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..frames import PYTERRIER_NAMES
from .records import Field


class Format(NamedTuple):
    """How a format is recognised.

    Attributes
    ----------
    name : str
        The name of its layout.
    title : str
        What lists of formats call it.
    fits : callable
        Whether an object has this format, if it has none of those above.
    example : mapping
        A small object in this format.
    """

    name: str
    title: str
    fits: Callable[[Mapping[str, Any]], bool]
    example: Mapping[str, Any]


class Layout(NamedTuple):
    """Where a format has its fields. Of several names, with spaces between, the first one with a value counts.

    Attributes
    ----------
    query, query_text : str
        The id and the text of the query.
    nuggets : str
        The lists of nuggets. Without any, the record itself is a nugget.
    id, text : str
        The id and the text of a nugget.
    document, system : str
        The judged document, or the name of the system whose answer is judged.
    label : str
        The judgement of that document for a nugget: a number or a word.
    documents : mapping of str to float
        The lists of documents of a nugget, with their labels.
    """

    query: str
    nuggets: str = ""
    id: str = "id"
    text: str = "text"
    query_text: str = "query"
    document: str = ""
    system: str = ""
    label: str = ""
    documents: Mapping[str, float] = {}


REFERENCES = {"references": 1.0}
_JUDGED = {"relevant_corpus_ids": 1.0, "non_relevant_corpus_ids": 0.0}
_BANKS, _IDS = "nugget_bank claim_bank", "question_id claim_id"
_GOLD = {"documents": 1.0}
LAYOUTS = {
    # The text of a passage's query is in "text".
    "autonuggetizer": Layout(
        "qid query_id", "nuggets", "nugget_id id", "text criterion", "query text", "docid", "run_id", "assignment"
    ),
    "freshstack": Layout("query_id qid", "nuggets", "_id id", query_text="query_title query_text", documents=_JUDGED),
    "nuggetbank": Layout("query_id qid metadata", _BANKS, _IDS, "question claim", "title_query", documents=REFERENCES),
    "ragelo": Layout("qid", "criteria", "criterion_name", "short_question", "", "did", "agent", "fulfillment", _GOLD),
    "crux": Layout("example_id id qid", "rating", document="pid docid", label="rating"),
    "questions": Layout("example_id id qid", "questions", query_text="topic"),
    "groups": Layout("qid query_id id", "retrieval_gt", documents=_GOLD),
    "table": Layout("qid", "", "iteration", "nugget_text criterion", "query", "docno", "", "label assignment"),
}

# The answers to a question of a bank.
ANSWER = Layout("", "", "answer_id", "answer", documents=REFERENCES)

# Other names of a table's columns.
OTHER_NAMES = {**PYTERRIER_NAMES, "subtopic_id": "iteration", "nugget_id": "iteration", "nugget": "nugget_text"}
OF_TABLES = {"qid", "docno", "label", "assignment", "iteration", "importance", "nugget_text", "query", "weight"}


def _holds(kind: Any, *names: str) -> Callable[[Mapping[str, Any]], bool]:
    """Return a test for objects in which one of some fields has a value of a type."""
    return lambda fields: any(isinstance(fields.get(name), kind) for name in names)


def _is_freshstack(fields: Mapping[str, Any]) -> bool:
    nuggets = fields.get("nuggets")
    listed = [nugget for nugget in nuggets if isinstance(nugget, Mapping)] if isinstance(nuggets, list) else []
    return any(not _JUDGED.keys().isdisjoint(nugget) for nugget in listed)


def _has_only_lists(fields: Mapping[str, Any]) -> bool:
    return len(fields) > 0 and all(isinstance(value, list) for value in fields.values())


_NESTED = (list, dict)
_FRESH = {"_id": "q1_0", "text": "cause", "relevant_corpus_ids": ["d1"]}
_ASSIGNED = {"text": "cause", "importance": "vital", "assignment": "support"}
_PASSAGE = {"qid": "q1", "docid": "d1", "nuggets": [_ASSIGNED]}
_BANK = {"query_id": "q1", "nugget_bank": {"Who?": {"answers": {"she": {"references": ["d1"]}}}}}
_CRITERIA = [{"criterion": {"criterion_name": "cause", "short_question": "Why?"}, "fulfillment": True}]
_RESULT = {"qid": "q1", "did": "d1", "evaluator_name": "rubric_coverage", "answer": {"criteria": _CRITERIA}}
_ROW = {"qid": "q1", "docno": "d1", "label": 1, "nugget_text": "cause"}
# From special to general: the first one that fits counts.
NUGGET_FORMATS = (
    Format("freshstack", "nuggets of FreshStack", _is_freshstack, {"query_id": "q1", "nuggets": [_FRESH]}),
    Format("autonuggetizer", "nuggets of AutoNuggetizer", _holds(_NESTED, "nuggets"), _PASSAGE),
    Format("nuggetbank", "a NuggetBank or RAGTIME bank", _holds(_NESTED, "nugget_bank", "claim_bank"), _BANK),
    Format("ragelo", "results of RAGElo", _holds(str, "evaluator_name"), _RESULT),
    Format("crux", "ratings of CRUX", _holds(list, "rating"), {"example_id": "q1", "pid": "d1", "rating": [5, 0]}),
    Format("questions", "topics of CRUX", _holds(list, "questions"), {"example_id": "q1", "questions": ["Why?"]}),
    Format("groups", "groups of documents", _holds(list, "retrieval_gt"), {"qid": "q1", "retrieval_gt": [["d1"]]}),
    Format("groups", "{query: groups of documents}", _has_only_lists, {"q1": [["d1", "d2"], ["d7"]], "q2": [["d3"]]}),
    Format("table", "rows of nuggets", lambda fields: True, _ROW),
)


def layout_of(record: Field) -> str:
    """Return the name of the format of an object."""
    fields = record.need_object()
    return next(known.name for known in NUGGET_FORMATS if known.fits(fields))
