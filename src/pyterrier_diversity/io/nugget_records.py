"""Read the nuggets of objects and rows, in any format."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import md5
from itertools import chain
from operator import itemgetter
from typing import Any, Literal

from ..frames import NO_DOCUMENT, label_of
from .forms import named
from .look import USUAL_NAMES
from .records import Field, reads, word_of

Unit = Literal["question", "answer"]
# A judgement of a nugget, by our names of columns, and where it is.
Row = dict[str, Any]
# The documents that are judged for a nugget, with their labels.
Judged = Iterable[tuple[str, float]]
# The labels of assignments. Any other word means 0, with a warning.
LEVELS = {"support": 2.0, "partial_support": 1.0, "not_support": 0.0}
#: The fields by which formats are recognised, with lists of nuggets (a name in RAGElo), and what objects are called.
NUGGET_FORMATS = {
    "nuggets": "nuggets of AutoNuggetizer or FreshStack",
    "nugget_bank claim_bank": "a NuggetBank or RAGTIME bank",
    "evaluator_name": "results of RAGElo",
    "rating": "ratings of CRUX",
    "questions": "topics of CRUX",
    "retrieval_gt": "groups of documents",
}
# The fields of objects in all formats: names with spaces between, of which the first one with a value counts.
# The id of a query, or an object with it; and its text, which AutoNuggetizer has in "text" for a passage.
_QUERY = "qid query_id topic_id example_id metadata id"
_QUERY_TEXT = "query query_title query_text title_query topic text"
# The judged document, or the system whose answer is judged.
_DOCUMENT = "docno doc_id docid pid did"
_JUDGED = f"{_DOCUMENT} run_id agent"
# The id and the text of a nugget; and its judgement, a number or a word.
_ID = "nugget_id iteration _id question_id claim_id answer_id criterion_name id"
_TEXTS = "text nugget_text criterion question claim short_question answer"
_LABEL = "assignment fulfillment rating label relevance"
# The documents of a nugget, with their labels.
_DOCUMENTS = {"relevant_corpus_ids": 1.0, "non_relevant_corpus_ids": 0.0, "references": 1.0, "documents": 1.0}

# What names the nugget of a row of a table.
_NUGGET_OF_ROW = "iteration subtopic_id nugget_id nugget_text nugget criterion"
# Other names of a table's columns.
_NAMES_IN_ROWS = {**USUAL_NAMES, "subtopic_id": "iteration", "nugget_id": "iteration", "nugget": "nugget_text"}
# The ways to combine answers that are not read; NOT matters for a single answer, too.
_OTHER_WAYS = {"question": ("AND", "SUM", "NOT"), "answer": ("OR", "NOT")}


def nugget_format_of(fields: Mapping[Any, Any]) -> str:
    """Return the fields by which the format of an object is recognised, or an empty string if there are none."""
    lists = {name for name, of in fields.items() if isinstance(of, (list, dict)) or (name == "evaluator_name" and of)}
    return next((names for names in NUGGET_FORMATS if not lists.isdisjoint(names.split())), "")


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
    words : list
        The words of assignments.
    """

    def __init__(self, unit: Unit, levels: Mapping[str, float]) -> None:
        self.unit, self.levels = unit, levels
        self.odd: defaultdict[str, list[str]] = defaultdict(list)
        self.words: list[str] = []
        # The nuggets of queries that are named by their places, and how often each text of the object has no id.
        self._placed: dict[str, list[Row]] = {}
        self._times: Counter[str] = Counter()

    def rows_in(self, record: Field) -> Iterator[Row]:
        """Yield a row for each judgement of each nugget of an object, or one without a document or nugget."""
        names = nugget_format_of(record.need_object())
        if not names and not record.has(_NUGGET_OF_ROW):
            known = [of for of in NUGGET_FORMATS if not record.value.keys().isdisjoint(of.split())]
            are_lists = record.value and all(isinstance(value, list) for value in record.value.values())
            names = next(iter(known), "retrieval_gt" if are_lists else "")
        unpack = {"evaluator_name": self._of_result, "rating": self._of_ratings, "retrieval_gt": self._of_groups}
        values = unpack[names](record) if names in unpack else [record.value] * bool(names)
        for value in values:
            one = Field(value, record.where, given=record.given)
            yield from self._of_object(one, names.replace("evaluator_name", "criteria"))
        yield from () if names else self._of_row(record)

    def _of_ratings(self, judged: Field) -> Iterator[Row]:
        """Yield ratings as objects with the questions that they are for, or their places if there are no topics."""
        query, ratings = judged.need(_QUERY).identifier(), judged.need("rating")
        numbers = [one.value for one in ratings.members()]
        asked = {row["iteration"]: row["nugget_text"] for row in self._placed.get(query, [])}
        asked = asked if self._placed else {str(i): None for i in range(len(numbers))}
        if len(asked) != len(numbers):
            raise ratings.refused(f"must have a number for each of the {len(asked)} questions of query {query!r}")
        pairs = zip(asked.items(), numbers, strict=True)
        yield {**judged.value, "rating": [{"id": of, "text": text, "rating": number} for (of, text), number in pairs]}

    def _of_groups(self, record: Field) -> Iterator[Row]:
        """Yield the numbered groups of documents of a query, or of each query in an object."""
        by_query = [{"qid": query, "retrieval_gt": groups} for query, groups in record.value.items()]
        for one in [record.value] if "retrieval_gt" in record.value else by_query:
            groups = [of.value for of in Field(one["retrieval_gt"] or [], record.where, "retrieval_gt").members()]
            if groups and not any(isinstance(group, list) for group in groups):
                self.odd["lists of documents that are not nested in a list, so each is one group"].append("")
                groups = [groups]
            for group in (group for group in groups if isinstance(group, list) and len(group) > 1):
                if len({*map(repr, group)}) < len(group) or all(type(doc) is int and 0 <= doc < 10 for doc in group):
                    form = "{'example_id': query, 'pid': document, 'rating': [5, 0]}"
                    what = f"a group has a document twice or only digits: {group!r:.60}. Ratings of questions have"
                    raise ValueError(f"{record.where}: {what} the form {form}.")
            numbered = [{"id": str(place), "documents": group} for place, group in enumerate(groups, start=1)]
            yield {**one, "retrieval_gt": numbered}

    def _of_result(self, result: Field) -> Iterator[Row]:
        """Yield a judgement of criteria. Older results name only the criteria that a document addresses."""
        answer, shared, criteria = result.get("answer") or result, result.value, []
        if answer.has("criteria") and answer.value["criteria"]:
            for one in answer.need("criteria").members():
                known = {name: of for name, of in one.need("criterion").need_object().items() if of is not None}
                criteria.append({"weight": 1.0, **known, "fulfillment": one.value.get("fulfillment")})
        elif answer.has("criteria_addressed"):
            judged, shared = result.get(_JUDGED), {name: shared[name] for name in shared.keys() - _JUDGED.split()}
            for one in answer.need("criteria_addressed").members():
                criteria.append({"criterion_name": one.value, "documents": judged and judged.value})
        else:
            self.odd["results of RAGElo without criteria, which are left out"].append("")
            return
        yield {**shared, "criteria": criteria}

    def _of_row(self, record: Field) -> Iterator[Row]:
        """Yield the rows of a row of a table: a nugget, and a document or a list of relevant ones."""
        row = Field(named(record.value, record.where, _NAMES_IN_ROWS), record.where, given=record.given)
        listed = row.get(_JUDGED)
        needs_label = listed is not None and not isinstance(listed.value, list)
        label = (row.need if needs_label else row.get)("label assignment rating")
        value = 1.0 if label is None else self._label(label)
        if label is not None and listed is None and value > 0:
            raise label.refused("must be 0 in a row without a docno")
        shared = {**row.value, **self._of_query(row, "qid", "query")}
        yield from self._rows(row, shared, self._documents(row, {_JUDGED: value}), "iteration", "nugget_text criterion")

    def _of_object(self, record: Field, names: str) -> Iterator[Row]:
        """Yield the rows of the nuggets in the lists of an object, or one without a nugget."""
        shared = self._of_query(record)
        nuggets = [nugget for name in names.split() for nugget in _as_objects(record.get(name))]
        is_assigned = any(nugget.has(_LABEL) for nugget in nuggets)
        judged = (record.need if is_assigned else record.get)(_JUDGED)
        # A passage without nuggets is not judged; an answer without nuggets has none of them.
        if judged is not None and (is_assigned or not (nuggets or record.has(_DOCUMENT))):
            shared["of_list"] = judged.identifier()
        elif judged is not None and nuggets:
            self.odd["documents left out, because none of their nuggets has an assignment"].append("")
        rows = [row for nugget in nuggets for row in self._in_nugget(nugget, shared)]
        if names in ("questions", "retrieval_gt"):
            placed, place = self._placed.setdefault(shared["qid"], rows), itemgetter("iteration", "docno")
            if [*map(place, placed)] != [*map(place, rows)]:
                what = f"query {shared['qid']!r} has other {names} in an earlier object"
                raise ValueError(f"{record.where}: {what}. Give one list for each query.")
        if not nuggets:
            self.odd["empty lists of nuggets"].append("")
        yield from rows or [shared]

    def _of_query(self, record: Field, names: str = _QUERY, texts: str = _QUERY_TEXT) -> Row:
        """Return what the nuggets of an object share, the id and the text of the query, and forget other objects."""
        query = record.need(names)
        query = query.need(names) if isinstance(query.value, dict) else query
        self._times.clear()
        none = dict.fromkeys(("nugget_text", "importance", "weight", "of_list"))
        return {"qid": query.identifier(), "query": _text_in(record, texts) or None, "where": record.where, **none}

    def _in_nugget(self, item: Field, shared: Row) -> Iterator[Row]:
        """Yield the rows of a nugget, or of each answer to a question, and of the nuggets inside it."""
        query, label, way = item.get("query_id"), item.get(_LABEL), item.get("aggregator_type")
        if query is not None and query.identifier() != shared["qid"]:
            raise query.refused(f"must be that of the topic, {shared['qid']!r}")
        judged = [*self._documents(item)]
        if shared["of_list"] and label is not None:
            judged.append((shared["of_list"], self._label(label)))
        elif shared["of_list"]:
            self.odd["nuggets without an assignment, unlike others in their list"].append("")
        answers = [*_as_objects(item.get("answers"))]
        kind = "" if way is None else way.word().upper()
        if kind in _OTHER_WAYS[self.unit] and (len(answers) > 1 or kind == "NOT"):
            self.odd[f"questions with an aggregator_type that unit={self.unit!r} does not read"].append(kind)
        if answers and self.unit == "answer":
            self.odd["references left out, because they are of a question, not of an answer"] += [""] * len(judged)
            (shared_by_answers,) = self._rows(item, shared, [])
            for answer in answers:
                yield from self._rows(answer, shared_by_answers, self._documents(answer))
        else:
            yield from self._rows(item, shared, chain(judged, *map(self._documents, answers)))
        for nugget in _as_objects(item.get("sub_nuggets")):
            self.odd["nuggets inside others, which count like them"].append("")
            yield from self._in_nugget(nugget, shared)

    def _documents(self, item: Field, lists: Mapping[str, float] = _DOCUMENTS) -> Judged:
        """Yield the documents in the lists of a nugget, with their own labels or those of the lists."""
        for name, label in lists.items():
            found = item.get(name)
            one = [] if found is None else [found]
            for doc in found.members() if found is not None and isinstance(found.value, list) else one:
                of, own = (doc.need(_DOCUMENT), doc.get(_LABEL)) if isinstance(doc.value, dict) else (doc, None)
                yield of.identifier(), label if own is None else self._label(own)

    def _rows(self, item: Field, shared: Row, judged: Judged, ids: str = _ID, texts: str = _TEXTS) -> Iterator[Row]:
        """Yield a row for each judgement of a nugget, or one without a document.

        The nugget is named by its id, the MD5 of its text, or its place; repeated texts are numbered.
        """
        own, text, weight, importance = item.get(ids), _text_in(item, texts), item.get("weight"), item.get("importance")
        if own is not None:
            name = own.identifier()
        elif text:
            self._times[text] += 1
            name = md5(text.encode(), usedforsecurity=False).hexdigest()
            name += f"-{self._times[text]}" * (self._times[text] > 1)
        else:
            name = (text == "" and item.name) or item.need(f"{texts} {ids.split()[-1]}").identifier()
        if weight is not None and weight.number() < 0:
            raise weight.refused("must not be negative (drop such criteria of a rubric, or add a number to all)")
        # The text of an answer follows that of its question.
        text = " ".join(filter(None, (shared["nugget_text"], text))) if shared.get("nugget_text") else text
        row = {**shared, "iteration": name, "nugget_text": text, "by_text": not (own or item.name)}
        row |= {} if importance is None else {"importance": importance.word()}
        row |= {} if weight is None else {"weight": weight.number()}
        yield from ({**row, "docno": doc, "label": label} for doc, label in [*judged] or [(NO_DOCUMENT, 0.0)])

    def _label(self, judgement: Field) -> float:
        """Return a label that is given as a number, or as the word of a level; unknown words are 0."""
        word = word_of(judgement.value) if isinstance(judgement.value, (int, float)) else judgement.word()
        if word not in self.levels and (reads(float, word) or label_of(word) == label_of(word)):
            return judgement.label()
        self.words.append(word)
        return self.levels.get(word, 0.0)


def _as_objects(found: Field | None) -> Iterator[Field]:
    """Yield the members of a list as objects with a text, which may be the key or the whole member."""
    for key, member in [] if found is None else found.entries():
        is_text = key is None and isinstance(member.value, str)
        fields = {"text": member.value} if is_text else member.need_object()
        fields = fields if key is None or member.has(_TEXTS) else {**fields, "text": key}
        yield Field(fields, member.where, member.name)


def _text_in(item: Field, names: str) -> str | None:
    """Return a text, which may be empty, or None. Models copy texts with other spaces and other forms of Unicode."""
    text = item.get(names)
    if text is None:
        return "" if "" in map(item.need_object().get, names.split()) else None
    return " ".join(unicodedata.normalize("NFC", text.text()).split())
