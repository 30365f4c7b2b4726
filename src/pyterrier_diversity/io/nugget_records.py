"""Read the nuggets of objects and rows, in any format."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import md5
from typing import Any, Literal, NamedTuple

from .forms import SharedColumns, named
from .nugget_formats import ANSWER, LAYOUTS, OF_TABLES, OTHER_NAMES, REFERENCES, Layout, layout_of
from .records import Field, reads, word_of

Unit = Literal["question", "answer"]
# The labels of assignments. Any other word means 0, with a warning unless it is NO_SUPPORT.
LEVELS = {"support": 2.0, "partial_support": 1.0}
NO_SUPPORT = "not_support"
# RAGElo's qrels name a document like this if there is none.
_RAGELO_NOBODY = "__ragelo_unaddressed__"

UNKNOWN = "assignments have an unknown word, which counts as 0"


class NuggetRecord(NamedTuple):
    """The content of a record about one nugget: its query, id, text, importance, and the labels of documents."""

    query_id: str
    nugget_id: str
    text: str | None
    importance: str | None
    labels: list[tuple[str, float]]
    where: str
    columns: Mapping[str, Any] = {}


@dataclass
class Reading:
    """The options for reading records, and what was found in them.

    Parameters
    ----------
    unit : {"question", "answer"}
        Whether a question or each of its answers is an intent.
    levels : mapping of str to float
        The labels of assignments.
    columns : mapping of str to str
        The meaning of fields, by name.
    """

    unit: Unit
    levels: Mapping[str, float]
    columns: Mapping[str, str]
    # The questions of each query of CRUX, if its topics are given.
    questions: dict[str, list[NuggetRecord]] | None = None
    # How often each oddity occurs, and with which words.
    odd: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    # How many assignments are known words.
    known: int = 0
    # The texts of queries, and the nuggets that each answer or passage of a query was assigned.
    queries: dict[str, str] = field(default_factory=dict)
    assigned: defaultdict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    # Queries with an empty list of nuggets, and the query, nugget and document of each row without a nugget id.
    bare: set[str] = field(default_factory=set)
    rows: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def note(self, what: str, word: str = "", times: int = 1) -> None:
        """Count an oddity."""
        if times:
            self.odd[what][word] += times

    def label(self, judgement: Field) -> float:
        """Return a label that is given as a number, or as the word of a level; unknown words are counted."""
        word = word_of(judgement.value) if isinstance(judgement.value, (int, float)) else judgement.word()
        if word not in self.levels and reads(float, word):
            return judgement.number()
        if word in self.levels or word == NO_SUPPORT:
            self.known += 1
        else:
            self.note(UNKNOWN, word)
        return self.levels.get(word, 0.0)


class _OfQuery:
    """What the nuggets of a record share: query, format and document; and the ids of nuggets that have none."""

    def __init__(self, record: Field, form: Layout, reading: Reading) -> None:
        outer, _, inner = form.query.partition(".")
        query, text = record.need(outer).need(inner) if inner else record.need(outer), _text_in(record, form.query_text)
        self.query_id, self.form, self.reading = query.identifier(), form, reading
        self.document: str | None = None
        self._times: Counter[str] = Counter()
        if text is not None:
            reading.queries.setdefault(self.query_id, text)

    def record(self, item: Field, form: Layout, labels: list[tuple[str, float]]) -> NuggetRecord:
        """Return a nugget, named by its id or by the MD5 of its text; repeated texts are numbered."""
        text, given, importance = _text_in(item, form.text), item.get(form.id), item.get("importance")
        if given is None and text is None:
            item.need(f"{form.text} {form.id}")
        self._times[text or ""] += given is None
        times = self._times[text or ""]
        digest = md5((text or "").encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
        name = given.identifier() if given else digest + (f"-{times}" if times > 1 else "")
        word = None if importance is None else importance.word()
        return NuggetRecord(self.query_id, name, text, word, labels, item.where)


@cache
def _normal(text: str) -> str:
    """Return a text in one form of Unicode, with single spaces: models copy texts with small differences."""
    return " ".join(unicodedata.normalize("NFC", text).split()) or text


def _text_in(item: Field, names: str) -> str | None:
    text = item.get(names)
    return None if text is None else _normal(text.text())


def read_record(record: Field, format: str | None, reading: Reading) -> Iterator[NuggetRecord]:
    """Read the nuggets of an object or a row, in a format that is recognised if it is not given."""
    if reading.columns:
        record = Field(named(record.need_object(), record.where, SharedColumns(reading.columns), {}), record.where)
    name = format or layout_of(record)
    if name is None:
        fields = ", ".join(map(repr, list(record.value)[:5])) or "none"
        raise ValueError(
            f"{record.where}: the format is not one of {', '.join(LAYOUTS)}; the object has the fields {fields}. Give "
            "their meaning, as in columns={'theirs': 'qid'}."
        )
    if name == "table":
        yield _of_row(Field(named(record.value, record.where, {}, OTHER_NAMES), record.where), reading)
    elif name == "groups" and not record.has("retrieval_gt"):
        for query, groups in record.entries():
            yield from _nuggets_of(
                Field({"qid": query, "retrieval_gt": groups.value}, record.where), LAYOUTS[name], reading
            )
    else:
        yield from _nuggets_of(record, LAYOUTS[name], reading)


def _nuggets_of(record: Field, form: Layout, reading: Reading) -> Iterator[NuggetRecord]:
    topic = _OfQuery(record, form, reading)
    record.need(form.nuggets)
    lists = [found for found in map(record.get, form.nuggets.split()) if found is not None]
    nuggets = [nugget for found in lists for nugget in _members(found, topic)]
    is_passage, document = record.has(form.document), record.get(f"{form.document} {form.system}")
    if not nuggets:
        reading.note("documents have no nugget" if is_passage else "lists of nuggets are empty")
        reading.bare.add(topic.query_id)
    is_assigned = any(nugget.get(form.label) is not None for nugget in nuggets)
    if is_assigned:
        topic.document = record.need(f"{form.document} {form.system}").identifier()
    elif document is not None and nuggets:
        reading.note("documents are left out, because none of their nuggets has an assignment")
    of_nugget = _of_bank if form.documents is REFERENCES else _nugget
    said = [one for nugget in nuggets for one in of_nugget(nugget, topic)]
    # A passage without nuggets is not judged; an answer without nuggets has none of them.
    if document is not None and (is_assigned or not (nuggets or is_passage)):
        reading.assigned[topic.query_id][document.identifier()] = [one.nugget_id for one in said]
    yield from said


def _members(found: Field, topic: _OfQuery) -> list[Field]:
    """Return the members of a list of nuggets as objects with a text or an id."""
    form, asked = topic.form, topic.reading.questions
    if form.documents is REFERENCES:  # only a bank may be an object
        return _as_objects(found, form.text)
    members = found.members()
    values: list[Any] = [member.value for member in members]
    if form is LAYOUTS["groups"]:
        if members and not any(isinstance(group, list) for group in values):
            topic.reading.note("lists of documents are not nested in a list, so each is one group")
            members, values = [found], [found.value]
        values = [{"id": str(place), "documents": group} for place, group in enumerate(values, start=1)]
    elif form is LAYOUTS["crux"]:
        if asked is not None and topic.query_id not in asked:
            raise ValueError(f"{found.where}: example_id must be a query of nuggets, not {topic.query_id!r}.")
        ids = [{"id": str(place)} for place in range(len(values))]
        if asked is not None:
            ids = [{"id": one.nugget_id, "text": one.text or ""} for one in asked[topic.query_id]]
        if len(ids) != len(values):
            raise found.refused(f"must have a number for each of the {len(ids)} questions")
        ratings = [None if rating.value is None else rating.number() for rating in members]
        values = [{**one, "rating": rating} for one, rating in zip(ids, ratings, strict=True)]
    else:
        return _as_objects(found, form.text)
    return [Field(value, one.where, one.name) for value, one in zip(values, members, strict=True)]


def _as_objects(found: Field | None, names: str) -> list[Field]:
    """Return the members of a list as objects with a text, which may be the key or the whole member."""
    members = []
    for key, member in [] if found is None else found.entries():
        value, name = member.value, names.split()[0]
        if key is None and isinstance(value, str):
            value = {name: value}
        elif member.get(names) is None and key:
            value = {**value, name: key}
        members.append(Field(value, member.where, member.name))
    return members


def _nugget(item: Field, topic: _OfQuery) -> Iterator[NuggetRecord]:
    """Yield a nugget with the labels of its documents, or of the judged one."""
    form, reading, labels = topic.form, topic.reading, _relevant(item, topic.form)
    label = item.get(form.label)
    if topic.document is not None and label is None:
        reading.note("nuggets have no assignment, unlike others in their list")
    elif topic.document is not None and label is not None:
        labels.append((topic.document, reading.label(label)))
    yield topic.record(item, form, labels)


def _of_bank(item: Field, topic: _OfQuery) -> Iterator[NuggetRecord]:
    """Yield a question or each of its answers, or a claim, and the nuggets inside it."""
    form, reading, of_query = topic.form, topic.reading, item.get("query_id")
    if of_query is not None and of_query.identifier() != topic.query_id:
        raise of_query.refused(f"must be that of the topic, {topic.query_id!r}")
    labels, answers = _relevant(item, form), _as_objects(item.get("answers"), ANSWER.text)
    _note_aggregator(item, len(answers), reading)
    if answers and reading.unit == "answer":
        what = "references are left out, because they belong to a question, not to one of its answers"
        reading.note(what, times=len(labels))
        question = topic.record(item, form, [])
        for answer in answers:
            one = topic.record(answer, ANSWER, _relevant(answer, ANSWER))
            yield one._replace(text=f"{question.text} {one.text}", importance=question.importance)
    else:
        yield topic.record(item, form, labels + [one for each in answers for one in _relevant(each, ANSWER)])
    for nugget in _as_objects(item.get("sub_nuggets"), form.text):
        reading.note("nuggets are nested in others, but count like them")
        yield from _of_bank(nugget, topic)


def _relevant(item: Field, form: Layout) -> list[tuple[str, float]]:
    """Return the documents in the lists of a nugget, with their labels."""
    return [(doc, label) for name, label in form.documents.items() for doc in _ids(item.get(name))]


def _ids(documents: Field | None) -> list[str]:
    """Return the ids of a document or a list of documents."""
    if documents is None:
        return []
    members = documents.members() if isinstance(documents.value, list) else [documents]
    return [(doc.need("doc_id") if isinstance(doc.value, Mapping) else doc).identifier() for doc in members]


def _note_aggregator(item: Field, n_answers: int, reading: Reading) -> None:
    """Count the questions whose answers are combined in a way that qrels cannot express."""
    given = item.get("aggregator_type")
    kind = "DEFAULT" if given is None else given.word().upper()
    if kind == "NOT":
        reading.note("questions have the aggregator_type NOT, but their answers count as support, too")
    elif n_answers > 1 and reading.unit == "question" and kind in ("AND", "SUM"):
        reading.note(
            f"questions have the aggregator_type {kind}, but a document with one of the answers counts for all of them "
            '(unit="answer" makes each answer an intent)'
        )
    elif n_answers > 1 and reading.unit == "answer" and kind == "OR":
        reading.note("questions have the aggregator_type OR, but each of their answers counts as an intent")


def _of_row(row: Field, reading: Reading) -> NuggetRecord:
    """Read a row of a table: a nugget, and a document or a list of relevant ones."""
    form = LAYOUTS["table"]
    topic, listed, label = _OfQuery(row, form, reading), row.get(form.document), row.get(form.label)
    named = _ids(listed)
    if listed is None and label is not None and label.number() > 0:
        raise label.refused("must be 0 in a row without a document")
    docs = [doc for doc in named if not doc.startswith(_RAGELO_NOBODY)]
    if len(docs) < len(named):
        reading.note("documents are left out: placeholders of RAGElo")
    if label is None and listed is not None and not isinstance(listed.value, list):
        row.need(form.label)
    value = 1.0 if label is None or not docs else reading.label(label)
    others = {name: one for name, one in row.value.items() if name not in OF_TABLES}
    if "weight" in others:
        others["weight"] = row.need("weight").number()
    one = topic.record(row, form, [(doc, value) for doc in docs])
    if row.get(form.id) is None:
        reading.rows.update((one.query_id, one.nugget_id, doc) for doc in docs or [""])
    return one._replace(columns=others)
