"""Read the nugget formats of tools and tracks, one record for each nugget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any, Literal, NamedTuple

from .records import Field

Unit = Literal["question", "answer"]
# The labels of assignments; any other word means 0, but only this one is not warned about.
LEVELS = {"support": 2.0, "partial_support": 1.0}
NO_SUPPORT = "not_support"
# RAGElo's qrels name a document like this if there is none.
_NOBODY = "__ragelo_unaddressed__"
_NUGGETIZER, _FRESHSTACK, _BANK, _RAGTIME = "autonuggetizer", "freshstack", "nuggetbank", "ragtime"
_CRUX, _GROUPS, _TABLE = "crux", "groups", "table"


class NuggetRecord(NamedTuple):
    """The content of a record about one nugget: its query, id, text, importance, and the labels of documents."""

    query_id: str
    nugget_id: str
    text: str | None
    importance: str | None
    labels: list[tuple[str, float]]
    where: str
    columns: Mapping[str, Any] = {}


UNKNOWN = "assignments are unknown words, which count as 0"


@dataclass
class Reading:
    """The options for reading records, and counts of everything odd in them.

    Parameters
    ----------
    unit : {"question", "answer"}
        Whether a question or each of its answers is an intent.
    levels : mapping of str to float
        The labels of assignments.
    columns : mapping of str to str
        The meaning of a table's fields, by name.
    questions : mapping of str to list of (str, str)
        The ids and texts of the questions of each query of CRUX.
    """

    unit: Unit = "question"
    levels: Mapping[str, float] = field(default_factory=lambda: LEVELS)
    columns: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, list[tuple[str, str]]] | None = None
    # How often each oddity occurs, and with which words.
    odd: dict[str, Counter[str]] = field(default_factory=dict)
    # How many assignments are known words.
    known: int = 0
    # The nuggets that each answer to a query was assigned.
    assigned: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def note(self, what: str, word: str = "") -> None:
        """Count an oddity."""
        self.odd.setdefault(what, Counter())[word] += 1

    def label(self, assignment: Field) -> float:
        """Return the label of an assignment; unknown assignments are counted."""
        word = assignment.word()
        if word not in self.levels and word != NO_SUPPORT:
            self.note(UNKNOWN, word)
        else:
            self.known += 1
        return self.levels.get(word, 0.0)


class Listing:
    """Name the nuggets of one list by their id, or by the MD5 of their text; repeated texts are numbered."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()

    def name(self, given: Field | None, text: str) -> str:
        """Return the id of the next nugget."""
        if given is not None:
            return given.identifier()
        self._times[text] += 1
        return text_id(text) if self._times[text] == 1 else f"{text_id(text)}-{self._times[text]}"


def text_id(text: str) -> str:
    """Return the MD5 of a text in hexadecimal, which names a nugget without an id."""
    return md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def format_of(record: Field) -> str | None:
    """Return the name of the format of a record, or None."""
    if record.has("metadata") and record.has("nugget_bank"):
        return _RAGTIME
    if record.has("nugget_bank") or record.has("claim_bank"):
        return _BANK
    nuggets = record.get("nuggets")
    if nuggets is not None:
        listed = nuggets.value if isinstance(nuggets.value, list) else []
        fields = {str(key) for nugget in listed if isinstance(nugget, Mapping) for key in nugget}
        by_document = fields & {"relevant_corpus_ids", "non_relevant_corpus_ids"}
        return _FRESHSTACK if by_document or (not fields and record.has("query_id")) else _NUGGETIZER
    if record.has("rating"):
        return _CRUX
    if record.has("retrieval_gt") or _is_groups(record.value):
        return _GROUPS
    return _TABLE if any(not isinstance(value, (Mapping, list)) for value in record.value.values()) else None


def _is_groups(value: Mapping[str, Any]) -> bool:
    return bool(value) and all(isinstance(groups, list) for groups in value.values())


def _nuggetizer(record: Field, reading: Reading) -> Iterator[NuggetRecord]:
    """Read AutoNuggetizer's nuggets, alone or assigned to an answer or a passage."""
    query = record.need("qid", "query_id").identifier()
    nuggets = record.need("nuggets").members()
    is_assigned = any(nugget.has("assignment") for nugget in nuggets)
    passage = record.get("docid")
    is_answer = is_assigned or (not nuggets and record.has("run_id"))
    document = passage or (record.need("run_id") if is_answer else None)
    if not nuggets:
        reading.note("documents have no nugget" if passage else "lists of nuggets are empty")
    elif not is_assigned and (passage or record.has("run_id")):
        reading.note("documents are left out, because their nuggets have no assignments")
    listing, named = Listing(), []
    for nugget in nuggets:
        text = nugget.need("text").text()
        named.append(listing.name(nugget.get("nugget_id", "id"), text))
        assignment = nugget.get("assignment")
        if is_assigned and assignment is None:
            reading.note("nuggets have no assignment, unlike others in their list")
        labels = [(document.identifier(), reading.label(assignment))] if document and assignment else []
        yield NuggetRecord(query, named[-1], text, _importance(nugget), labels, nugget.where)
    if document is not None and passage is None:
        reading.assigned.setdefault(query, {})[document.identifier()] = named


def _freshstack(record: Field, reading: Reading) -> Iterator[NuggetRecord]:
    """Read FreshStack's nuggets with relevant and irrelevant documents."""
    query, listing = record.need("query_id", "qid").identifier(), Listing()
    nuggets = record.need("nuggets").members()
    if not nuggets:
        reading.note("lists of nuggets are empty")
    for nugget in nuggets:
        text = nugget.need("text").text()
        labels = [(doc, 1.0) for doc in _ids(nugget.get("relevant_corpus_ids"))]
        labels += [(doc, 0.0) for doc in _ids(nugget.get("non_relevant_corpus_ids"))]
        yield NuggetRecord(
            query, listing.name(nugget.get("_id", "id"), text), text, _importance(nugget), labels, nugget.where
        )


def _ids(documents: Field | None) -> list[str]:
    return [] if documents is None else [member.identifier() for member in documents.members()]


def _importance(nugget: Field) -> str | None:
    importance = nugget.get("importance")
    return None if importance is None else importance.word()


def _ragtime(record: Field, reading: Reading) -> Iterator[NuggetRecord]:
    """Read the questions of a topic of RAGTIME 2026."""
    query = record.need("metadata").need("topic_id").identifier()
    yield from _bank_items(record.need("nugget_bank"), "question", query, Listing(), reading)


def _nugget_bank(record: Field, reading: Reading) -> Iterator[NuggetRecord]:
    """Read the questions and claims of a topic of NuggetBank v3."""
    query, listing = record.need("query_id").identifier(), Listing()
    for bank, kind in (("nugget_bank", "question"), ("claim_bank", "claim")):
        items = record.get(bank)
        if items is not None:
            yield from _bank_items(items, kind, query, listing, reading)


def _bank_items(items: Field, kind: str, query: str, listing: Listing, reading: Reading) -> Iterator[NuggetRecord]:
    """Yield questions or claims, and those nested in them."""
    entries = items.entries()
    if not entries:
        reading.note("lists of nuggets are empty")
    for key, item in entries:
        of_query = item.get("query_id")
        if of_query is not None and of_query.identifier() != query:
            raise of_query.refused(f"must be that of the topic, {query!r}")
        text = key if key and not item.has(kind) else item.need(kind).text()
        yield from _bank_item(item, kind, text, query, listing, reading)
        inside = item.get("sub_nuggets")
        if inside is not None:
            for name, nugget in inside.entries():
                reading.note("nuggets are nested in others, but count like them")
                of_kind = "claim" if nugget.has("claim") else "question"
                one = Field({name: nugget.value} if name else [nugget.value], nugget.where, inside.name)
                yield from _bank_items(one, of_kind, query, listing, reading)


def _bank_item(
    item: Field, kind: str, text: str, query: str, listing: Listing, reading: Reading
) -> Iterator[NuggetRecord]:
    answers = item.get("answers")
    entries = [] if answers is None else answers.entries()
    for key, answer in entries:
        if key is not None and not isinstance(answer.value, Mapping):
            raise answer.refused("must be an object")
    _note_aggregator(item, len(entries), reading)
    own = [(doc, 1.0) for doc in _references(item)]
    if reading.unit == "question" or not entries:
        labels = own + [(doc, 1.0) for _, answer in entries for doc in _references(answer)]
        yield NuggetRecord(
            query, listing.name(item.get(f"{kind}_id"), text), text, _importance(item), labels, item.where
        )
        return
    for _, _ in own:
        reading.note("references are left out, because they belong to a question, not to one of its answers")
    for key, answer in entries:
        plain = answer.text() if isinstance(answer.value, str) else key
        words = plain if plain and not answer.has("answer") else answer.need("answer").text()
        given = None if isinstance(answer.value, str) else answer.get("answer_id")
        labels = [(doc, 1.0) for doc in _references(answer)]
        yield NuggetRecord(query, listing.name(given, words), f"{text} {words}", _importance(item), labels, item.where)


def _references(item: Field) -> Iterator[str]:
    """Yield the documents that an answer, question or claim refers to."""
    references = None if isinstance(item.value, str) else item.get("references")
    for reference in [] if references is None else references.members():
        yield (reference.need("doc_id") if isinstance(reference.value, Mapping) else reference).identifier()


def _note_aggregator(item: Field, n_answers: int, reading: Reading) -> None:
    """Count the questions whose answers are combined in a way that qrels cannot express."""
    given = item.get("aggregator_type")
    kind = "DEFAULT" if given is None else given.word().upper()
    if kind == "NOT":
        reading.note("questions have the aggregator_type NOT, but their answers count as support, too", "")
    elif n_answers > 1 and reading.unit == "question" and kind in ("AND", "SUM"):
        reading.note(
            f"questions have the aggregator_type {kind}, but a document with one of the answers counts for all of them "
            '(unit="answer" makes each answer an intent)'
        )
    elif n_answers > 1 and reading.unit == "answer" and kind == "OR":
        reading.note("questions have the aggregator_type OR, but each of their answers counts as an intent")


def _crux(record: Field, reading: Reading) -> Iterator[NuggetRecord]:
    """Read CRUX's ratings of a passage for the questions of a topic, in their order."""
    query, doc = record.need("example_id", "id").identifier(), record.need("pid", "docid").identifier()
    ratings = record.need("rating").members()
    asked: list[tuple[str, str | None]] = [(str(place), None) for place in range(len(ratings))]
    if reading.questions is not None:
        if query not in reading.questions:
            raise record.need("example_id", "id").refused("must be a query of nuggets")
        asked = [*reading.questions[query]]
        if len(asked) != len(ratings):
            raise record.need("rating").refused(f"must have a number for each of the {len(asked)} questions")
    if not ratings:
        reading.note("documents have no nugget")
    for (nugget, text), rating in zip(asked, ratings, strict=True):
        if rating.value is None:
            reading.note("ratings are missing")
        labels = [] if rating.value is None else [(doc, rating.number())]
        yield NuggetRecord(query, nugget, text, None, labels, record.where)


def questions(records: Iterable[Field]) -> dict[str, list[tuple[str, str]]]:
    """Return the questions of each query of CRUX's topics: the id and the text of each."""
    known: dict[str, list[tuple[str, str]]] = {}
    for record in records:
        query = record.need("example_id", "id")
        if query.identifier() in known:
            raise query.refused("must occur once")
        listing = Listing()
        texts = [member.text() for member in record.need("questions").members()]
        known[query.identifier()] = [(listing.name(None, text), text) for text in texts]
    return known


def unasked(reading: Reading, where: str) -> Iterator[NuggetRecord]:
    """Yield the questions of CRUX's topics, whether judged or not."""
    for query, asked in (reading.questions or {}).items():
        for nugget, text in asked:
            yield NuggetRecord(query, nugget, text, None, [], where)


def _groups(record: Field, reading: Reading) -> Iterator[NuggetRecord]:
    """Read AutoRAG's groups of gold documents: an answer needs any document of each group."""
    if record.has("retrieval_gt"):
        queries = [(record.need("qid", "query_id", "id").identifier(), record.need("retrieval_gt"))]
    else:
        queries = [(str(key), value) for key, value in record.entries()]
    for query, groups in queries:
        members = groups.members()
        if members and not any(isinstance(member.value, list) for member in members):
            reading.note("lists of documents are not nested in a list, so each is one group")
            members = [groups]
        if not members:
            reading.note("lists of nuggets are empty")
        for place, group in enumerate(members, start=1):
            labels = [(doc.identifier(), 1.0) for doc in group.members()]
            yield NuggetRecord(query, str(place), None, None, labels, record.where)


# TREC's placeholder for an intent.
_NO_INTENT = ("0", "Q0")
# Names of columns in other tools.
_OTHER_NAMES = {
    "query_id": "qid",
    "doc_id": "docno",
    "relevance": "label",
    "subtopic_id": "iteration",
    "nugget_id": "iteration",
    "nugget": "nugget_text",
}


def _table(record: Field, reading: Reading) -> Iterator[NuggetRecord]:
    """Read a row of a document and a nugget."""
    row = Field(_renamed(record, reading.columns), record.where)
    query, text = row.need("qid").identifier(), row.get("nugget_text")
    words = None if text is None else text.text()
    if not row.has("iteration") and words is None:
        row.need("iteration", "nugget_text")
    nugget = row.need("iteration").identifier() if row.has("iteration") else text_id(words or "")
    doc, label = row.get("docno"), row.get("label")
    if doc is None and label is not None and label.number() > 0:
        raise label.refused("must be 0 in a row without a document")
    if doc is not None and doc.identifier().startswith(_NOBODY):
        reading.note("documents are left out, because they are RAGElo's placeholders")
        doc = None
    labels = [] if doc is None else [(doc.identifier(), _label(row, reading))]
    known = {"qid", "docno", "label", "assignment", "iteration", "importance", "nugget_text"}
    others = {name: value for name, value in row.value.items() if name not in known}
    if "weight" in others:
        others["weight"] = row.need("weight").number()
    yield NuggetRecord(query, nugget, words, _importance(row), labels, record.where, others)


def _label(row: Field, reading: Reading) -> float:
    """Return the label of a row: a number, or the level of a word."""
    label = row.need("label", "assignment")
    is_word = isinstance(label.value, str) and not _is_number(label.value)
    return reading.label(label) if is_word else label.number()


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _renamed(record: Field, columns: Mapping[str, str]) -> dict[str, Any]:
    """Return a row with this package's names; two columns with the same meaning must agree."""
    missing = columns.keys() - record.value.keys()
    if missing:
        found = ", ".join(map(repr, record.value))
        raise ValueError(f"{record.where}: the column {min(missing)!r} of columns is missing; found: {found}.")
    row: dict[str, Any] = {}
    given = set(columns.values())
    for name, value in record.value.items():
        other = columns.get(name, name if name in given else _OTHER_NAMES.get(name, name))
        known = row.get(other, value)
        if known != value and (other != "iteration" or str(known) not in _NO_INTENT):
            if other == "iteration" and str(value) in _NO_INTENT:
                continue
            raise Field(value, record.where, name).refused(f"must be {known!r}, like the other column for {other}")
        row[other] = value
    return row


FORMATS: dict[str, Callable[[Field, Reading], Iterator[NuggetRecord]]] = {
    _NUGGETIZER: _nuggetizer,
    _FRESHSTACK: _freshstack,
    _BANK: _nugget_bank,
    _RAGTIME: _ragtime,
    _CRUX: _crux,
    _GROUPS: _groups,
    _TABLE: _table,
}
