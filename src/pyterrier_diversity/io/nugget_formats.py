"""The nugget formats of tools and tracks, as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

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
_BANK = Layout(
    "query_id", "nugget_bank claim_bank", "question_id claim_id", "question claim", "title_query", documents=REFERENCES
)
_JUDGED = {"relevant_corpus_ids": 1.0, "non_relevant_corpus_ids": 0.0}
LAYOUTS = {
    # The text of a passage's query is in "text".
    "autonuggetizer": Layout(
        "qid query_id", "nuggets", "nugget_id id", "text", "query text", "docid", "run_id", "assignment"
    ),
    "freshstack": Layout("query_id qid", "nuggets", "_id id", query_text="query_title query_text", documents=_JUDGED),
    "nuggetbank": _BANK,
    "ragtime": _BANK._replace(query="metadata.topic_id"),
    "crux": Layout("example_id id", "rating", document="pid docid", label="rating"),
    "questions": Layout("example_id id", "questions", query_text="topic"),
    "groups": Layout("qid query_id id", "retrieval_gt", documents={"documents": 1.0}),
    "table": Layout("qid", "", "iteration", "nugget_text", "query", "docno", "", "label assignment"),
}

# The answers to a question of a bank.
ANSWER = Layout("", "", "answer_id", "answer", documents=REFERENCES)

# Other names of a table's columns.
OTHER_NAMES = {**PYTERRIER_NAMES, "subtopic_id": "iteration", "nugget_id": "iteration", "nugget": "nugget_text"}
OF_TABLES = {"qid", "docno", "label", "assignment", "iteration", "importance", "nugget_text", "query"}


def layout_of(record: Field) -> str | None:
    """Return the name of the format of a record, or None."""
    fields = record.need_object()
    if record.has("nuggets"):
        listed = fields["nuggets"] if isinstance(fields["nuggets"], list) else []
        names = {str(key) for nugget in listed if isinstance(nugget, Mapping) for key in nugget}
        of_documents = names & _JUDGED.keys() or (not listed and record.has("query_id"))
        return "freshstack" if of_documents else "autonuggetizer"
    if record.has("nugget_bank claim_bank"):
        return "ragtime" if record.has("metadata") else "nuggetbank"
    known = next((name for name in ("crux", "questions", "groups") if record.has(LAYOUTS[name].nuggets)), None)
    if known is None and fields and all(isinstance(groups, list) for groups in fields.values()):
        return "groups"
    is_row = any(not isinstance(value, (Mapping, list)) for value in fields.values())
    return known or ("table" if is_row else None)
