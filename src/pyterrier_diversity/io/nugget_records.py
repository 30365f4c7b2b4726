"""Read the nuggets of objects and rows, in any format."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from hashlib import md5
from typing import Any, Literal

from ..frames import NO_DOCUMENT
from .forms import named
from .look import USUAL_NAMES
from .records import Field, reads, word_of

Unit = Literal["question", "answer"]
# A judgement of a nugget, by our names of columns, and where it is.
Row = dict[str, Any]
# The documents that are judged for a nugget, with their labels.
Judged = list[tuple[str, float]]
# The labels of assignments. NO_SUPPORT means 0, and so does any other word, with a warning.
LEVELS = {"support": 2.0, "partial_support": 1.0}
NO_SUPPORT = "not_support"
#: The fields by which formats are recognised, with lists of nuggets (a name in RAGElo), and what objects are called.
FORMATS = {
    "nuggets": "nuggets of AutoNuggetizer or FreshStack",
    "nugget_bank claim_bank": "a NuggetBank or RAGTIME bank",
    "evaluator_name": "results of RAGElo",
    "rating": "ratings of CRUX",
    "questions": "topics of CRUX",
    "retrieval_gt": "groups of documents",
}
# The fields of objects in all formats: names with spaces between, of which the first one with a value counts.
# The id of a query, or an object with its topic_id; and its text, which AutoNuggetizer has in "text" for a passage.
_QUERY, _QUERY_TEXT = "qid query_id example_id metadata id", "query query_title query_text title_query topic text"
# The judged document, or the system whose answer is judged.
_DOCUMENT, _JUDGED = "docid docno pid did", "docid docno pid did run_id agent"
# The id and the text of a nugget; and its judgement, a number or a word.
_ID = "nugget_id _id question_id claim_id answer_id criterion_name id"
_TEXT = "text criterion question claim short_question answer"
_LABEL = "assignment fulfillment rating"
# The documents of a nugget, with their labels.
_DOCUMENTS = {"relevant_corpus_ids": 1.0, "non_relevant_corpus_ids": 0.0, "references": 1.0, "documents": 1.0}

# Other names of a table's columns.
_OTHER_NAMES = {**USUAL_NAMES, "subtopic_id": "iteration", "nugget_id": "iteration", "nugget": "nugget_text"}
_OF_TABLES = {"qid", "docno", "label", "assignment", "iteration", "importance", "nugget_text", "query", "weight"}
# The ways to combine answers that are not read; NOT matters for a single answer, too.
_OTHER_WAYS = {"question": ("AND", "SUM", "NOT"), "answer": ("OR", "NOT")}


def format_of(fields: Mapping[Any, Any]) -> str:
    """Return the fields by which the format of an object is recognised, or an empty string if there are none."""
    for names in FORMATS:
        kind: Any = str if names == "evaluator_name" else (list, dict)
        if any(isinstance(fields.get(name), kind) for name in names.split()):
            return names
    return ""


class Reading:
    """Read objects and rows, and keep what was found in them.

    Parameters
    ----------
    unit : {"question", "answer"}
        Whether a question or each of its answers is an intent.
    levels : mapping of str to float
        The labels of assignments.

    Attributes
    ----------
    odd : dict
        For each oddity, a word for each time that it occurs, which may be empty.
    known, unknown : list
        The words of assignments: those of the levels, and all others.
    lists : dict
        For each query, the ids of the nuggets that each answer or passage was assigned.
    """

    def __init__(self, unit: Unit, levels: Mapping[str, float]) -> None:
        self.unit, self.levels = unit, levels
        self.odd: defaultdict[str, list[str]] = defaultdict(list)
        self.known: list[str] = []
        self.unknown: list[str] = []
        self.lists: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)
        # The questions of each query of CRUX, and how often each text of the object has no id.
        self._questions: dict[str, list[Row]] = {}
        self._times: Counter[str] = Counter()

    def note(self, what: str, word: str = "", times: int = 1) -> None:
        """Keep an oddity."""
        self.odd[what] += [word] * times

    def rows_in(self, record: Field) -> Iterator[Row]:
        """Return a row for each judgement of each nugget of an object, or one without a document."""
        names = format_of(record.need_object())
        if not names and record.value and all(isinstance(value, list) for value in record.value.values()):
            names = "retrieval_gt"
        if not names:
            return self._of_row(record)
        unpack = {"evaluator_name": self._of_result, "rating": self._of_ratings, "retrieval_gt": self._of_groups}
        values = unpack[names](record) if names in unpack else [record.value]
        objects = (Field(value, record.where, given=record.given) for value in values)
        lists = names.replace("evaluator_name", "criteria")
        return (row for one in objects for row in self._of_object(one, lists))

    def _of_ratings(self, judged: Field) -> Iterator[Row]:
        """Yield ratings as objects with the questions that they are for, or their places if there are no topics."""
        query, ratings = judged.need(_QUERY).identifier(), judged.need("rating")
        members = ratings.members()
        if self._questions and query not in self._questions:
            raise ValueError(f"{judged.where}: example_id must be a query of the topics, not {query!r}.")
        asked = self._questions.get(query) or [{"id": str(i)} for i in range(len(members))]
        if len(asked) != len(members):
            raise ratings.refused(f"must have a number for each of the {len(asked)} questions")
        numbers = [None if one.value is None else one.number() for one in members]
        yield {**judged.value, "rating": [{**one, "rating": y} for one, y in zip(asked, numbers, strict=True)]}

    def _of_groups(self, record: Field) -> Iterator[Row]:
        """Yield the numbered groups of documents of a query, or of each query in an object."""
        by_query = [{"qid": query, "retrieval_gt": groups} for query, groups in record.value.items()]
        for one in [record.value] if record.has("retrieval_gt") else by_query:
            groups = one["retrieval_gt"]
            if groups and not any(isinstance(group, list) for group in groups):
                self.note("lists of documents that are not nested in a list, so each is one group")
                groups = [groups]
            for group in groups:
                if isinstance(group, list) and len({*map(repr, group)}) < len(group):
                    form = "{'example_id': query, 'pid': document, 'rating': [5, 0]}"
                    what = f"a group has a document twice: {group!r:.60}. Ratings of questions have the form {form}"
                    raise ValueError(f"{record.where}: {what}.")
            numbered = [{"id": str(place), "documents": group} for place, group in enumerate(groups, start=1)]
            yield {**one, "retrieval_gt": numbered}

    def _of_result(self, result: Field) -> Iterator[Row]:
        """Yield a judgement of criteria. Older results name only the criteria that a document addresses."""
        answer = result.get("answer") or result
        if answer.has("criteria") and answer.value["criteria"]:
            criteria = []
            for one in answer.need("criteria").members():
                known = {name: of for name, of in one.need("criterion").need_object().items() if of is not None}
                criteria.append({"weight": 1.0, **known, "fulfillment": one.value.get("fulfillment")})
            yield {**result.value, "criteria": criteria}
        elif answer.has("criteria_addressed"):
            addressed = answer.need("criteria_addressed").members()
            criteria = [{"criterion_name": one.value, "documents": result.value.get("did")} for one in addressed]
            yield {**result.value, "did": None, "criteria": criteria}
        else:
            self.note("results of RAGElo without criteria, which are left out")

    def _of_row(self, record: Field) -> Iterator[Row]:
        """Yield the rows of a row of a table: a nugget, and a document or a list of relevant ones."""
        row = Field(named(record.value, record.where, _OTHER_NAMES), record.where, given=record.given)
        listed = row.get("docno")
        needs_label = listed is not None and not isinstance(listed.value, list)
        label = (row.need if needs_label else row.get)("label assignment")
        value = 1.0 if label is None else self._label(label)
        if label is not None and listed is None and value > 0:
            raise label.refused("must be 0 in a row without a document")
        shared = {name: one for name, one in row.value.items() if name not in _OF_TABLES}
        shared |= self._of_query(row, "qid", "query")
        yield from self._rows(row, shared, [(doc, value) for doc in _ids(listed)], "iteration", "nugget_text criterion")

    def _of_object(self, record: Field, names: str) -> Iterator[Row]:
        """Yield the rows of the nuggets in the lists of an object."""
        shared, judged, is_passage = self._of_query(record), record.get(_JUDGED), record.has(_DOCUMENT)
        nuggets = [nugget for name in names.split() for nugget in _as_objects(record.get(name))]
        is_assigned = any(nugget.get(_LABEL) is not None for nugget in nuggets)
        document = record.need(_JUDGED).identifier() if is_assigned else ""
        if not nuggets:
            self.note("empty lists of nuggets")
        elif judged is not None and not is_assigned:
            self.note("documents left out, because none of their nuggets has an assignment")
        rows = [row for nugget in nuggets for row in self._in_nugget(nugget, shared, document)]
        if names == "questions":
            self._questions[shared["qid"]] = [{"id": row["iteration"], "text": row["nugget_text"]} for row in rows]
        # A passage without nuggets is not judged; an answer without nuggets has none of them.
        if judged is not None and (is_assigned or not (nuggets or is_passage)):
            self.lists[shared["qid"]][judged.identifier()] = frozenset(row["iteration"] for row in rows)
        yield from rows

    def _of_query(self, record: Field, names: str = _QUERY, texts: str = _QUERY_TEXT) -> Row:
        """Return what the nuggets of an object share, the id and the text of the query, and forget other objects."""
        query = record.need(names)
        query = query.need("topic_id") if isinstance(query.value, dict) else query
        self._times.clear()
        self.lists[query.identifier()]  # a query may have no nugget
        return {"qid": query.identifier(), "query": _text_in(record, texts) or None, "importance": None, "weight": None}

    def _in_nugget(self, item: Field, shared: Row, document: str) -> Iterator[Row]:
        """Yield the rows of a nugget, or of each answer to a question, and of the nuggets inside it."""
        query, label, judged = item.get("query_id"), item.get(_LABEL), _relevant(item)
        if query is not None and query.identifier() != shared["qid"]:
            raise query.refused(f"must be that of the topic, {shared['qid']!r}")
        if document and label is not None:
            judged.append((document, self._label(label)))
        elif document:
            self.note("nuggets without an assignment, unlike others in their list")
        answers = _as_objects(item.get("answers"))
        way = item.get("aggregator_type")
        kind = "" if way is None else way.word().upper()
        if kind in _OTHER_WAYS[self.unit] and (len(answers) > 1 or kind == "NOT"):
            self.note(f"questions with an aggregator_type that unit={self.unit!r} does not read", kind)
        if answers and self.unit == "answer":
            self.note("references left out, because they are of a question, not of an answer", times=len(judged))
            (question,) = self._rows(item, shared, [])
            for row in (row for answer in answers for row in self._rows(answer, question, _relevant(answer))):
                text = " ".join(filter(None, (question["nugget_text"], row["nugget_text"])))
                yield row | {"nugget_text": text}
        else:
            yield from self._rows(item, shared, judged + [pair for answer in answers for pair in _relevant(answer)])
        for nugget in _as_objects(item.get("sub_nuggets")):
            self.note("nuggets inside others, which count like them")
            yield from self._in_nugget(nugget, shared, document)

    def _rows(self, item: Field, shared: Row, judged: Judged, ids: str = _ID, texts: str = _TEXT) -> list[Row]:
        """Return a row for each judgement of a nugget, or one without a document.

        The nugget is named by its id, the MD5 of its text, or its place; repeated texts are numbered.
        """
        own, text, weight, importance = item.get(ids), _text_in(item, texts), item.get("weight"), item.get("importance")
        if own is not None:
            name = own.identifier()
        elif text:
            self._times[text] += 1
            digest = md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
            name = f"{digest}-{self._times[text]}" if self._times[text] > 1 else digest
        else:
            name = (text == "" and item.name) or item.need(f"{texts} {ids.split()[-1]}").identifier()
        if weight is not None and weight.number() < 0:
            raise weight.refused("must not be negative (drop such criteria of a rubric, or add a number to all)")
        row = {**shared, "iteration": name, "nugget_text": text, "where": item.where, "by_text": not (own or item.name)}
        row |= {} if importance is None else {"importance": importance.word()}
        row |= {} if weight is None else {"weight": weight.number()}
        return [{**row, "docno": doc, "label": label} for doc, label in judged or [(NO_DOCUMENT, 0.0)]]

    def _label(self, judgement: Field) -> float:
        """Return a label that is given as a number, or as the word of a level; unknown words are 0."""
        word = word_of(judgement.value) if isinstance(judgement.value, (int, float)) else judgement.word()
        is_known = word in self.levels
        if not is_known and (reads(float, word) or word.lower() in ("true", "false")):
            return judgement.label()
        (self.known if is_known else self.unknown).append(word)
        return self.levels.get(word, 0.0)


def _relevant(item: Field) -> Judged:
    """Return the documents in the lists of a nugget, with their labels."""
    return [(doc, label) for name, label in _DOCUMENTS.items() for doc in _ids(item.get(name))]


def _ids(documents: Field | None) -> list[str]:
    """Return the ids of a document or a list of documents."""
    if documents is None:
        return []
    members = documents.members() if isinstance(documents.value, list) else [documents]
    return [(doc.need("doc_id") if isinstance(doc.value, Mapping) else doc).identifier() for doc in members]


def _as_objects(found: Field | None) -> list[Field]:
    """Return the members of a list as objects with a text, which may be the key or the whole member."""
    members = []
    for key, member in [] if found is None else found.entries():
        is_text = key is None and isinstance(member.value, str)
        fields = {"text": member.value} if is_text else member.need_object()
        fields = fields if key is None or member.has(_TEXT) else {**fields, "text": key}
        members.append(Field(fields, member.where, member.name))
    return members


def _text_in(item: Field, names: str) -> str | None:
    """Return a text, which may be empty, or None. Models copy texts with other spaces and other forms of Unicode."""
    text = item.get(names)
    if text is None:
        return "" if "" in map(item.need_object().get, names.split()) else None
    return " ".join(unicodedata.normalize("NFC", text.text()).split())
