"""Read the nuggets of objects and rows, in any format."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any, Literal

from ..frames import NO_DOCUMENT, PLACEHOLDER
from .forms import named
from .nugget_formats import ANSWER, LAYOUTS, OF_TABLES, OTHER_NAMES, REFERENCES, Layout
from .records import Field, reads, word_of

Unit = Literal["question", "answer"]
# A judgement of a nugget, by our names of columns, and where it is.
Row = dict[str, Any]
# The labels of assignments. NO_SUPPORT means 0, and so does any other word, with a warning.
LEVELS = {"support": 2.0, "partial_support": 1.0}
NO_SUPPORT = "not_support"


# The ways to combine answers that are read in another way.
_OTHER_WAYS = {"question": ("AND", "SUM"), "answer": ("OR",)}
UNKNOWN = "assignments have an unknown word, which counts as 0"


@dataclass
class Reading:
    """The options for reading records, and what was found in them.

    Parameters
    ----------
    unit : {"question", "answer"}
        Whether a question or each of its answers is an intent.
    levels, weights : mapping of str to float
        The labels of assignments, and the weights of importances.
    own_words : bool
        Whether the words of importances are the user's.
    """

    unit: Unit
    levels: Mapping[str, float]
    weights: Mapping[str, float]
    own_words: bool
    # The questions of each query of CRUX, as far as they were read: their ids and texts.
    questions: dict[str, list[Row]] = field(default_factory=dict)
    # How often each oddity occurs, and with which words.
    odd: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    # How many assignments are known words.
    known: int = 0
    # The nuggets that each answer or passage of a query was assigned.
    assigned: defaultdict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    # Queries with an empty list of nuggets; the query, nugget and document of each row without a nugget id.
    bare: set[str] = field(default_factory=set)
    rows: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def note(self, what: str, word: str = "", times: int = 1) -> None:
        """Count an oddity."""
        if times:
            self.odd[what][word] += times

    def label(self, judgement: Field) -> float:
        """Return a label that is given as a number, or as the word of a level; unknown words are counted."""
        word = word_of(judgement.value) if isinstance(judgement.value, (int, float)) else judgement.word()
        if word in self.levels:
            self.known += 1
            return self.levels[word]
        if word.lower() in ("true", "false") or reads(float, word):
            return judgement.label()
        self.note(UNKNOWN, word)
        return 0.0


class _Topic:
    """What the nuggets of an object share: query, format and document; and how often each text had no id."""

    def __init__(self, record: Field, form: Layout, reading: Reading) -> None:
        query = record.need(form.query)
        self.query_id = (query.need("topic_id") if isinstance(query.value, dict) else query).identifier()
        self.form, self.reading, self.document = form, reading, ""
        self._times: Counter[str] = Counter()
        self._query = _text_in(record, form.query_text) or None

    def rows(self, item: Field, form: Layout, labels: list[tuple[str, float]]) -> list[Row]:
        """Return a row for each judgement of a nugget, or one without a document.

        It is named by its id, the MD5 of its text, or its place; repeated texts are numbered.
        """
        text, own, importance, weight = _text_in(item, form.text), *map(item.get, (form.id, "importance", "weight"))
        name = item.name if text == "" else ""
        if own is not None:
            name = own.identifier()
        elif text:
            self._times[text] += 1
            digest = md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
            name = f"{digest}-{self._times[text]}" if self._times[text] > 1 else digest
        elif not name:
            item.need(f"{form.text} {form.id}")
        if weight is not None and weight.number() < 0:
            raise weight.refused("must not be negative (drop such criteria of a rubric, or add a number to all)")
        row: Row = {"qid": self.query_id, "iteration": name, "nugget_text": text, "query": self._query}
        row |= {"importance": None if importance is None else importance.word(), "where": item.where}
        row |= {} if weight is None else {"weight": weight.number()}
        return [{**row, "docno": doc, "label": label} for doc, label in labels or [(NO_DOCUMENT, 0.0)]]


def _text_in(item: Field, names: str) -> str | None:
    """Return a text, which may be empty, or None. Models copy texts with other spaces and other forms of Unicode."""
    text = item.get(names)
    if text is None:
        return "" if "" in map(item.need_object().get, names.split()) else None
    return " ".join(unicodedata.normalize("NFC", text.text()).split())


def rows_in(record: Field, name: str, reading: Reading) -> Iterator[Row]:
    """Yield the rows of the nuggets of an object, given the name of its format."""
    for value in _UNPACKED[name](record, reading) if name in _UNPACKED else [record.value]:
        one, form = Field(value, record.where, given=record.given), LAYOUTS[name]
        yield from _nuggets_of(one, form, reading) if form.nuggets else _of_row(one, reading)


def _of_cells(row: Field, reading: Reading) -> Iterator[dict[str, Any]]:
    yield named(row.value, row.where, OTHER_NAMES)


def _of_ratings(judged: Field, reading: Reading) -> Iterator[dict[str, Any]]:
    """Yield ratings as objects with the questions that they are for, or their places if there are no topics."""
    query, ratings = judged.need(LAYOUTS["crux"].query).identifier(), judged.need("rating")
    members, asked = ratings.members(), reading.questions.get(query, [])
    if reading.questions and not asked:
        raise ValueError(f"{judged.where}: example_id must be a query of the topics, not {query!r}.")
    ids = asked or [{"id": str(i)} for i in range(len(members))]
    if len(ids) != len(members):
        raise ratings.refused(f"must have a number for each of the {len(ids)} questions")
    numbers = [None if one.value is None else one.number() for one in members]
    yield {**judged.value, "rating": [{**one, "rating": y} for one, y in zip(ids, numbers, strict=True)]}


def _of_groups(record: Field, reading: Reading) -> Iterator[dict[str, Any]]:
    """Yield the numbered groups of documents of a query, or of each query in an object."""
    is_of_query = record.has("retrieval_gt")
    for query, listed in [("", record.need("retrieval_gt"))] if is_of_query else record.entries():
        groups = [member.value for member in listed.members()]
        for group in groups:
            if isinstance(group, list) and len({*map(repr, group)}) < len(group):
                form = "{'example_id': query, 'pid': document, 'rating': [5, 0]}"
                hint = f" Ratings of questions have this form: {form}." if isinstance(group[0], (int, float)) else ""
                raise ValueError(f"{record.where}: a group has a document twice: {group!r:.60}.{hint}")
        if groups and not any(isinstance(group, list) for group in groups):
            reading.note("lists of documents are not nested in a list, so each is one group")
            groups = [groups]
        numbered = [{"id": str(place), "documents": group} for place, group in enumerate(groups, start=1)]
        yield {**(record.value if is_of_query else {"qid": query}), "retrieval_gt": numbered}


def _of_result(result: Field, reading: Reading) -> Iterator[dict[str, Any]]:
    """Yield a judgement of criteria. Older results name only the criteria that a document addresses."""
    fields, answer = result.value, result.get("answer") or result
    criteria = []
    for one in answer.need("criteria").members() if answer.has("criteria") else []:
        if one.has("fulfillment"):
            known = {name: value for name, value in one.need("criterion").need_object().items() if value is not None}
            criteria.append({"weight": 1.0, **known, "fulfillment": one.value["fulfillment"]})
    if not criteria and answer.has("criteria_addressed"):
        addressed = answer.need("criteria_addressed").members()
        criteria = [{"criterion_name": one.value, "documents": fields.get("did")} for one in addressed]
        fields = {**fields, "did": None}
    if criteria or answer.has("criteria_addressed"):
        yield {**fields, "criteria": criteria}
    else:
        reading.note("results of RAGElo are left out, because they have no criteria")


_UNPACKED: dict[str, Callable[[Field, Reading], Iterator[dict[str, Any]]]] = {
    "crux": _of_ratings,
    "groups": _of_groups,
    "ragelo": _of_result,
    "table": _of_cells,
}


def _nuggets_of(record: Field, form: Layout, reading: Reading) -> list[Row]:
    topic = _Topic(record, form, reading)
    record.need(form.nuggets)
    nuggets = [nugget for name in form.nuggets.split() for nugget in _as_objects(record.get(name), form.text)]
    is_passage, document = record.has(form.document), record.get(f"{form.document} {form.system}")
    if not nuggets:
        reading.note("documents have no nugget" if is_passage else "lists of nuggets are empty")
        reading.bare.add(topic.query_id)
    is_assigned = any(nugget.get(form.label) is not None for nugget in nuggets)
    if is_assigned:
        topic.document = record.need(f"{form.document} {form.system}").identifier()
    elif document is not None and nuggets:
        reading.note("documents are left out, because none of their nuggets has an assignment")
    said = [one for nugget in nuggets for one in _in_nugget(nugget, topic)]
    if form is LAYOUTS["questions"]:
        reading.questions[topic.query_id] = [{"id": one["iteration"], "text": one["nugget_text"]} for one in said]
    # A passage without nuggets is not judged; an answer without nuggets has none of them.
    if document is not None and (is_assigned or not (nuggets or is_passage)):
        reading.assigned[topic.query_id][document.identifier()] = list(dict.fromkeys(one["iteration"] for one in said))
    return said


def _as_objects(found: Field | None, names: str) -> list[Field]:
    """Return the members of a list as objects with a text, which may be the key or the whole member."""
    members = []
    for key, member in [] if found is None else found.entries():
        value, name = member.value, names.split()[0]
        if key is None and isinstance(value, str):
            value = {name: value}
        elif key is not None and member.get(names) is None:
            value = {**value, name: key}
        members.append(Field(value, member.where, member.name))
    return members


def _in_nugget(item: Field, topic: _Topic) -> Iterator[Row]:
    """Yield the rows of a nugget, or of each answer to a question, and of the nuggets inside it."""
    form, reading, of_query, label = topic.form, topic.reading, item.get("query_id"), item.get(topic.form.label)
    if of_query is not None and of_query.identifier() != topic.query_id:
        raise of_query.refused(f"must be that of the topic, {topic.query_id!r}")
    labels = _relevant(item, form)
    if topic.document:
        reading.note("nuggets have no assignment, unlike others in their list", times=int(label is None))
        labels += [] if label is None else [(topic.document, reading.label(label))]
    answers = _as_objects(item.get("answers") if form.documents is REFERENCES else None, ANSWER.text)
    _note_aggregator(item, len(answers), reading)
    if answers and reading.unit == "answer":
        what = "references are left out, because they belong to a question, not to one of its answers"
        reading.note(what, times=len(labels))
        question = topic.rows(item, form, [])[0]
        for one in (row for answer in answers for row in topic.rows(answer, ANSWER, _relevant(answer, ANSWER))):
            text = " ".join(filter(None, (question["nugget_text"], one["nugget_text"])))
            yield {**question, **one, "nugget_text": text, "importance": question["importance"]}
    else:
        yield from topic.rows(item, form, labels + [one for each in answers for one in _relevant(each, ANSWER)])
    for nugget in _as_objects(item.get("sub_nuggets"), form.text):
        reading.note("nuggets are nested in others, but count like them")
        yield from _in_nugget(nugget, topic)


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
    kind = "" if given is None else given.word().upper()
    if kind == "NOT" or (n_answers > 1 and kind in _OTHER_WAYS[reading.unit]):
        by_question = 'any of their answers counts as support (unit="answer" makes each an intent)'
        what = by_question if reading.unit == "question" else "each of their answers counts as an intent"
        reading.note(f"questions have the aggregator_type {kind}, but {what}")


def _of_row(row: Field, reading: Reading) -> list[Row]:
    """Return the rows of a row of a table: a nugget, and a document or a list of relevant ones."""
    form = LAYOUTS["table"]
    topic, listed, label = _Topic(row, form, reading), row.get(form.document), row.get(form.label)
    if label is None and listed is not None and not isinstance(listed.value, list):
        row.need(form.label)
    value = 1.0 if label is None else reading.label(label)
    if label is not None and listed is None and value > 0:
        raise label.refused("must be 0 in a row without a document")
    named = _ids(listed)
    docs = [doc for doc in named if not doc.startswith(PLACEHOLDER)]
    reading.note("documents are left out: placeholders of RAGElo", times=len(named) - len(docs))
    others = {name: one for name, one in row.value.items() if name not in OF_TABLES}
    said = [{**others, **one} for one in topic.rows(row, form, [(doc, value) for doc in docs])]
    if row.get(form.id) is None:
        reading.rows.update((one["qid"], one["iteration"], one["docno"]) for one in said)
    return said
