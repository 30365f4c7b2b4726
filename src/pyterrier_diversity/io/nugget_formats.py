"""The nugget formats of tools and tracks, as a table: how each is recognised, and where it has its fields."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..frames import PYTERRIER_NAMES
from .records import Field


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


#: What lists of formats call the objects of a layout, and how these are recognised: the first one that fits counts.
FORMATS = {
    "freshstack": ("nuggets of FreshStack", _is_freshstack),
    "autonuggetizer": ("nuggets of AutoNuggetizer", _holds((list, dict), "nuggets")),
    "nuggetbank": ("a NuggetBank or RAGTIME bank", _holds((list, dict), "nugget_bank", "claim_bank")),
    "ragelo": ("results of RAGElo", _holds(str, "evaluator_name")),
    "crux": ("ratings of CRUX", _holds(list, "rating")),
    "questions": ("topics of CRUX", _holds(list, "questions")),
    "groups": ("groups of documents", _holds(list, "retrieval_gt")),
}


def layout_of(record: Field) -> str:
    """Return the name of the layout of an object: that of its format, of groups by query, or of a row of a table."""
    fields = record.need_object()
    are_groups = len(fields) > 0 and all(isinstance(value, list) for value in fields.values())
    known = (name for name, (_, fits) in FORMATS.items() if fits(fields))
    return next(known, "groups" if are_groups else "table")
