"""Reads qrels and runs row by row (specification, sections 1 and 4)."""

import math
import numbers
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
OF_QRELS = ("query_id", "doc_id", "relevance")
OF_RUN = ("query_id", "doc_id", "score")
OPTIONAL = (
    *("iteration", "subtopic_id", "weight", "intent_type", "importance", "importance_value"),
    *("rarity", "gain", "passage", "nugget"),
)

Rows = list[dict[str, Any]]
# Documents of each turn. None is a rank without a new document: a repeated document, or a turn that has no document.
Turns = list[list[str | None]]


class RefusedError(Exception):
    """The specification refuses this input."""


class UnknownError(Exception):
    """The naive program does not know the value."""


class Passage(NamedTuple):
    """A relevant passage of a document."""

    intent: str
    doc: str
    label: float
    nugget: str


class Topic(NamedTuple):
    """A query: its judgements by intent and document, and its ranking."""

    query_id: str
    labels: dict[str, dict[str, float]]
    gains: dict[str, dict[str, float]]
    passages: list[Passage]
    weights: dict[str, float]
    navigational: set[str]
    importance: dict[str, float]
    rarity: dict[str, float]
    turns: Turns
    has_turns: bool
    lengths: dict[str | None, float]
    columns: set[str]

    @property
    def ranking(self) -> list[str | None]:
        """The documents of all turns."""
        return [doc for docs in self.turns for doc in docs]


def rows_of(data: Any, required: tuple[str, ...], optional: tuple[str, ...]) -> Rows:
    """Return the rows of a frame, of named tuples or of a dict of dicts, with the column names of ir_measures."""
    is_run = required == OF_RUN
    if isinstance(data, Mapping):
        if not all(isinstance(docs, (Mapping, list, tuple) if is_run else Mapping) for docs in data.values()):
            raise RefusedError("not a dict of dicts")
        listed = {query: dict(docs) for query, docs in data.items() if isinstance(docs, Mapping)}
        rows = [(query, doc, value) for query, docs in listed.items() for doc, value in docs.items()]
        rows += [(q, doc, -i) for q, docs in data.items() if q not in listed for i, doc in enumerate(docs)]
        return [dict(zip(required, row, strict=True)) for row in rows]
    if isinstance(data, (list, np.ndarray, pd.Series)):
        rows = list(data)
        if rows and all(isinstance(row, dict) for row in rows):
            rows = [one for row in rows for one in (_listed(row) if is_run else [row])]
        elif rows and not hasattr(rows[0], "_fields"):
            raise RefusedError("not named tuples")
        data = pd.DataFrame(rows, dtype=object)
    if not isinstance(data, pd.DataFrame):
        raise RefusedError("not a table")
    if data.shape == (0, 0):
        return []
    # A column name of several levels counts as its first level if the others are empty.
    columns = [name[0] if isinstance(name, tuple) and not any(name[1:]) else name for name in data.columns]
    names = [NAMES.get(name, name) if NAMES.get(name) not in columns else name for name in columns]
    by_rank = is_run and "score" not in names and "rank" in names
    needed = {"rank" if by_rank and name == "score" else name for name in required}
    if len(set(names)) < len(names) or not needed <= set(names):
        raise RefusedError("columns")
    cells = [data.iloc[:, i].astype(object).tolist() for i in range(len(names))]
    for old, new in NAMES.items():
        if old in names and new in names:
            for pair in zip(cells[names.index(old)], cells[names.index(new)], strict=True):
                equal = all(isinstance(cell, numbers.Number) for cell in pair) and pair[0] == pair[1]
                if not equal and str(pair[0]) != str(pair[1]) and not all(map(is_missing, pair)):
                    raise RefusedError("two names of one column, with different values")
    rows = [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]
    if by_rank:
        rows = [row | {"score": -number(row["rank"])} for row in rows]
    return [{name: cell for name, cell in row.items() if name in required + optional} for row in rows]


def is_missing(value: Any) -> bool:
    return not isinstance(value, (list, tuple, dict, set)) and bool(pd.isna(value))


def text(value: Any) -> str:
    """Return an id as text: a string, or an integer's digits."""
    if is_missing(value):
        raise RefusedError("a missing id")
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (str, int, np.integer)):
        raise RefusedError("an id that is neither a string nor an integer")
    return str(value)


def _kind(value: Any) -> str:
    if is_missing(value):
        raise RefusedError("a missing type of intent")
    return str(value)


def number(value: Any, low: float = -math.inf, high: float = math.inf) -> float:
    """Return a finite number between ``low`` and ``high``."""
    try:
        real = float(value) if isinstance(value, (numbers.Number, str, bytes)) else math.nan
    except (TypeError, ValueError, OverflowError) as error:
        raise RefusedError("not a number") from error
    if not math.isfinite(real) or not low <= real <= high:
        raise RefusedError("a number out of range")
    return real


def _listed(row: dict[Any, Any]) -> list[dict[Any, Any]]:
    """Return a row for each document of a list of them, best first."""
    name = "docno" if "docno" in row else "doc_id"
    docs, score = row.get(name), row.get("score")
    if not isinstance(docs, (list, tuple)):
        return [row]
    rows = [{**row, name: doc, "rank": i} for i, doc in enumerate(docs)]
    if isinstance(score, (list, tuple)):
        if len(score) != len(docs):
            raise RefusedError("documents without scores")
        rows = [{**one, "score": value} for one, value in zip(rows, score, strict=True)]
    return rows


def _constant(known: dict[Any, Any], key: Any, value: Any) -> None:
    """Record the value of a key, which must not have another value."""
    if known.setdefault(key, value) != value:
        raise RefusedError(f"two values for {key}")


def read(qrels: Any, run: Any) -> list[Topic]:
    """Return a topic for each query of the qrels.

    Raises
    ------
    RefusedError
        If the specification refuses the qrels or the run.
    """
    judged = rows_of(qrels, OF_QRELS, OPTIONAL)
    retrieved = rows_of(run, OF_RUN, ("turn", "doc_len"))
    rankings, has_turns = rankings_of(retrieved), any("turn" in row for row in retrieved)
    columns = {name for row in judged for name in row}
    topics = _judgements(judged, columns)
    result = []
    for query, topic in topics.items():
        turns = rankings.pop(query, [])
        if turns is None:
            raise RefusedError("a document is missing")
        of_query = [row for row in retrieved if text(row["query_id"]) == query]
        result.append(topic._replace(turns=turns, has_turns=has_turns, lengths=_lengths(of_query)))
    if None in rankings.values():
        raise UnknownError("a document is missing in a query that is not evaluated")
    return result


def _judgements(rows: Rows, columns: set[str]) -> dict[str, Topic]:
    """Return the judgements of each query; intents of weight 0 are dropped."""
    n_iterations = len({text(row["iteration"]) for row in rows if "iteration" in row})
    labels: dict[Any, float] = {}
    gains: dict[Any, float] = {}
    nuggets: dict[Any, str] = {}
    weights: dict[Any, float] = {}
    types: dict[Any, str] = {}
    importance: dict[Any, float] = {}
    rarity: dict[Any, float] = {}
    for row in rows:
        query, doc, intent = text(row["query_id"]), text(row["doc_id"]), _intent(row, n_iterations)
        key = query, intent or "0", doc, text(row.get("passage", ""))
        if intent is None and key in labels and "passage" not in row:
            raise RefusedError("several rows for a document, and no column that names the intent")
        label = number(row["relevance"])
        if not doc and label > 0:
            raise RefusedError("a label above 0 for no document")
        _constant(labels, key, label)
        _constant(gains, key, number(row["gain"], low=0) if "gain" in row else label)
        _constant(nuggets, key, text(row.get("nugget", "")) if "passage" in row else "")
        _constant(weights, key[:2], number(row.get("weight", 1.0), low=0, high=1e100))
        _constant(types, key[:2], _kind(row.get("intent_type", "inf")))
        word = {"vital": 1.0, "okay": 0.5}.get(_kind(row.get("importance", "")), 0.0)
        _constant(importance, key[:2], number(row.get("importance_value", word), low=0, high=1))
        _constant(rarity, (query, doc), number(row.get("rarity", 0.0), low=0, high=1))
    if not set(types.values()) <= {"inf", "nav"}:
        raise RefusedError("an unknown type of intent")
    topics = {}
    for query in dict.fromkeys(query for query, _, _, _ in labels):
        topic = Topic(query, {}, {}, [], {}, set(), {}, {}, [], False, {}, columns)
        for of, intent, doc, passage in sorted(labels, key=lambda key: _order_of_passages(key[3])):
            if of == query and weights[query, intent] > 0:
                label, gain = labels[of, intent, doc, passage], gains[of, intent, doc, passage]
                _add(topic, intent, doc, label, gain)
                if label > 0:
                    topic.passages.append(Passage(intent, doc, label, nuggets[of, intent, doc, passage]))
        topic.weights.update({intent: x for (of, intent), x in weights.items() if of == query and x > 0})
        topic.importance.update({intent: x for (of, intent), x in importance.items() if of == query})
        topic.navigational.update(intent for (of, intent), type_ in types.items() if of == query and type_ == "nav")
        topic.rarity.update({doc: x for (of, doc), x in rarity.items() if of == query})
        topics[query] = topic
    return topics


def _add(topic: Topic, intent: str, doc: str, label: float, gain: float) -> None:
    """Add a row to a topic: a document's label is the highest of its passages, its gain is their sum.

    A row without a document names its intent only.
    """
    labels, gains = topic.labels.setdefault(intent, {}), topic.gains.setdefault(intent, {})
    if not doc:
        return
    labels[doc] = max(label, labels.get(doc, label))
    gains[doc] = gains.get(doc, 0.0) + max(gain, 0.0)


def _order_of_passages(passage: str) -> tuple[bool, float, str]:
    """Return a key that sorts passages by number, and those without a number by name."""
    return (False, float(passage), passage) if passage.isdecimal() else (True, 0.0, passage)


def _intent(row: dict[str, Any], n_iterations: int) -> str | None:
    if "subtopic_id" not in row:
        return text(row["iteration"]) if "iteration" in row else None
    subtopic = text(row["subtopic_id"])
    if n_iterations > 1 and text(row["iteration"]) != subtopic:
        raise RefusedError("iteration contradicts subtopic_id")
    return subtopic


def rankings_of(rows: Rows) -> dict[str, Turns | None]:
    """Return the turns of each query; a ranking is one turn, and lists each document once, at its best rank.

    A query with a row without a document has None: it is refused only if the query is evaluated.
    """
    listed: dict[str, list[tuple[float, float, Any]]] = defaultdict(list)
    for row in rows:
        turn = number(row.get("turn", 0), low=0, high=10**6 - 1)
        if turn != int(turn):
            raise RefusedError("a fractional turn")
        if not is_missing(row.get("doc_len")):
            number(row["doc_len"], low=0)
        doc = None if is_missing(row["doc_id"]) else text(row["doc_id"])
        score = number(row["score"])
        exact = int(row["score"]) if isinstance(row["score"], numbers.Integral) else score
        listed[text(row["query_id"])].append((turn, exact, doc))
    has_turns = any("turn" in row for row in rows)
    return {
        query: None if any(doc is None for _, _, doc in triples) else _in_turns(triples, has_turns)
        for query, triples in listed.items()
    }


def _in_turns(triples: list[tuple[float, float, str]], has_turns: bool) -> Turns:
    """Rank by score, ties by document, both descending, in each turn."""
    ranked = sorted(triples, key=lambda triple: triple[1:], reverse=True)
    if not has_turns:
        return [list(dict.fromkeys(doc for _, _, doc in ranked))]
    turns: Turns = []
    seen: set[str] = set()
    for turn in range(int(max(turn for turn, _, _ in triples)) + 1):
        turns.append([])
        for doc in [doc for at, _, doc in ranked if at == turn]:
            turns[-1].append(None if doc in seen else doc)
            seen.add(doc)
        turns[-1] = turns[-1] or [None]
    return turns


def _lengths(rows: Rows) -> dict[str | None, float]:
    """Return the number of words of each document, at its first place in the ranking, where it is known."""
    lengths: dict[str | None, float] = {}
    known = [row for row in rows if not is_missing(row.get("doc_len"))]
    for row in sorted(known, key=lambda row: (-number(row.get("turn", 0)), number(row["score"]))):
        lengths[text(row["doc_id"])] = number(row["doc_len"])
    return lengths
