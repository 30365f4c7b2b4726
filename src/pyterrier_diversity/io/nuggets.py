"""Read nuggets as qrels, from files of tools and tracks that judge answers and passages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..judged import NO_DOCUMENT, warn_of_data
from .nugget_formats import (
    FORMATS,
    LEVELS,
    NO_SUPPORT,
    UNKNOWN,
    NuggetRecord,
    Reading,
    Unit,
    format_of,
    questions,
    unasked,
)
from .ordering import highest_label_last
from .records import Field, read_records
from .tabular import with_whole_labels

IMPORTANCE = {"vital": 1.0, "okay": 0.5}
_WHO = "read_nuggets"
# The number of words that a warning lists, and the length of each.
_MOST_NAMED, _LONGEST_NAMED = 3, 40


def read_nuggets(
    source: Any,
    format: str | None = None,
    *,
    nuggets: Any = None,
    unit: Unit = "question",
    importance: Mapping[Any, float] | None = None,
    levels: Mapping[str, float] | None = None,
    columns: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Read nuggets and their support as qrels; each nugget is an intent of its query.

    Parameters
    ----------
    source : path-like, frame, object, or list of them
        Files (JSON, JSON lines, ``.csv``, ``.tsv``, ``.parquet``; gzipped or not), folders of files, or objects as
        Python reads them from such files. Files of several systems are read together.
    format : str, optional
        One of the formats below; by default, it is recognised for each object.
    nuggets : like ``source``, optional
        For CRUX: the topics. Its judgements identify questions only by position.
    unit : {"question", "answer"}
        Whether a question or each of its answers is an intent.
    importance : mapping of words to numbers above 0, optional
        The weight of each importance, by default ``{"vital": 1, "okay": 0.5}``. Other nuggets have the lowest weight.
    levels : mapping of words to numbers, optional
        The label of each assignment, by default ``{"support": 2, "partial_support": 1}``. Other words mean 0.
    columns : mapping of str to str, optional
        For tables: the meaning of columns, as in ``{"chunk": "docno", "fact": "nugget_text"}``.

    Returns
    -------
    DataFrame
        The columns ``qid``, ``docno``, ``label`` and ``iteration`` (the nugget's id, the MD5 of its text, or its
        position). Also ``weight`` and ``importance``, ``nugget_text``, and the other columns of a table, if there are
        any. A nugget without judgements is a row with an empty ``docno`` and label 0. If a text is repeated in a list,
        the second nugget ends in ``-2``.

    Raises
    ------
    ValueError
        If something cannot be read (the message names file, line and field), the systems have different nuggets for a
        query, two labels contradict each other, or no word of the assignments is known.

    Warns
    -----
    UserWarning
        Once, with counts of everything odd: unknown importances and assignments, nuggets without judgements, documents
        and queries without nuggets, and combinations of answers (such as NOT) that are read in another way.

    Notes
    -----
    ==================  ================================================================================================
    ``autonuggetizer``  nuggets, alone or assigned to passages (``docid``) or to answers, whose document is the
                        ``run_id``; `answers` makes runs of them
    ``freshstack``      nuggets with ids of relevant documents (label 1) and of irrelevant ones (0)
    ``nuggetbank``      NuggetBank v3 (RAGTIME 2025, Auto-ARGUE): questions and claims with references (label 1)
    ``ragtime``         RAGTIME 2026: questions with references (label 1)
    ``crux``            ratings of passages for the questions of a topic; the ratings are the labels
    ``groups``          lists of lists of gold documents (AutoRAG's ``retrieval_gt``): each group is an intent,
                        which any of its documents covers
    ``table``           a row for each document and nugget: ``qid``, ``docno``, ``label`` or ``assignment``,
                        ``iteration`` or ``nugget_text``. RAGElo's qrels of rubrics have this format
    ==================  ================================================================================================

    Examples
    --------
    >>> nuggets = [{"text": "It is free.", "importance": "vital", "assignment": "support"}]
    >>> nuggets += [{"text": "It is fast.", "importance": "okay", "assignment": "not_support"}]
    >>> qrels = read_nuggets([{"qid": "q1", "run_id": "mine", "nuggets": nuggets}])
    >>> qrels[["qid", "docno", "label", "weight", "importance", "nugget_text"]]
      qid docno  label  weight importance  nugget_text
    0  q1  mine      0     0.5       okay  It is fast.
    1  q1  mine      2     1.0      vital  It is free.
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"{_WHO}: format must be one of {', '.join(map(repr, FORMATS))}, not {format!r}.")
    if unit not in ("question", "answer"):
        raise ValueError(f"{_WHO}: unit must be 'question' or 'answer', not {unit!r}.")
    weights = _numbers("importance", IMPORTANCE if importance is None else importance, above_0=True)
    records = read_records(source, _WHO)
    asked = None if nuggets is None else questions(read_records(nuggets, f"{_WHO}, nuggets"))
    reading = Reading(unit, _numbers("levels", LEVELS if levels is None else levels), dict(columns or {}), asked)
    said = [one for record in records for one in _read(record, format, reading)]
    if asked is not None:
        if any(format_of(record) != "crux" for record in records):
            raise ValueError(f"{_WHO}: nuggets must be omitted: only judgements of CRUX need their topics.")
        said += unasked(reading, f"{_WHO}, nuggets")
    if not said:
        raise ValueError(f"{_WHO}: there is no nugget in {len(records)} objects.")
    _check_assigned(reading.assigned)
    if UNKNOWN in reading.odd and not reading.known:
        words = ", ".join(repr(word) for word, _ in reading.odd[UNKNOWN].most_common(_MOST_NAMED))
        raise ValueError(
            f"{_WHO}: no assignment is one of {', '.join(map(repr, [*reading.levels, NO_SUPPORT]))}, but {words}; give "
            "the label of each word, as in levels={'supported': 1}."
        )
    qrels = _qrels(_Nuggets(said), weights, reading)
    message = _message(reading, len(qrels.drop_duplicates(["qid", "iteration"])))
    if message:
        warn_of_data(message)
    return qrels


def answers(qrels: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Make a run for each system whose answers are judged; its only document for a query is its answer.

    Parameters
    ----------
    qrels : DataFrame
        Qrels of answers from `read_nuggets`, whose documents are the names of systems.

    Returns
    -------
    dict of str to DataFrame
        For each system, a run with ``qid``, ``docno``, ``score`` and ``rank``: its judged answers.

    Examples
    --------
    >>> qrels = pd.DataFrame({"qid": ["1", "2"], "docno": "mine", "label": [2, 0], "iteration": ["a", "b"]})
    >>> answers(qrels)["mine"]
      qid docno  score  rank
    0   1  mine    1.0     0
    1   2  mine    1.0     0
    """
    judged = qrels.loc[qrels["docno"] != NO_DOCUMENT, ["qid", "docno"]].drop_duplicates()
    return {
        str(name): rows.assign(score=1.0, rank=0).reset_index(drop=True)
        for name, rows in judged.groupby("docno", sort=False)
    }


def _read(record: Field, format: str | None, reading: Reading) -> Iterable[NuggetRecord]:
    name = format or format_of(record)
    if name is None:
        fields = ", ".join(map(repr, list(record.value)[:5])) or "none"
        raise ValueError(
            f"{record.where}: the format is not one of {', '.join(FORMATS)}; the object has the fields {fields}."
        )
    return FORMATS[name](record, reading)


def _numbers(name: str, mapping: Any, *, above_0: bool = False) -> dict[str, float]:
    """Check a mapping of words to numbers, and return it."""
    rule = "a number above 0 (to leave nuggets out, drop their rows)" if above_0 else "a finite number"
    if not isinstance(mapping, Mapping) or not mapping:
        raise ValueError(f"{_WHO}: {name} must map words to numbers, not {mapping!r}.")
    for word, value in mapping.items():
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or (above_0 and value <= 0):
            raise ValueError(f"{_WHO}: {name} of {word!r} must be {rule}, not {value!r}.")
    return {str(word): float(value) for word, value in mapping.items()}


def _check_assigned(assigned: Mapping[str, Mapping[str, list[str]]]) -> None:
    """Refuse answers to the same query that are judged by different nuggets: their scores cannot be compared."""
    for query, by_system in assigned.items():
        (first, expected), *others = by_system.items()
        for system, named in others:
            if set(named) != set(expected):
                raise ValueError(
                    f"{_WHO}: the answers of {first!r} and {system!r} to query {query!r} were assigned different "
                    f"nuggets, {len(expected)} and {len(named)}: read them one by one, or assign the same nuggets."
                )


class _Nuggets:
    """Everything that records say about each nugget.

    Raises
    ------
    ValueError
        If two records about a nugget contradict each other.
    """

    def __init__(self, said: Iterable[NuggetRecord]) -> None:
        self.labels: dict[tuple[str, str], dict[str, float]] = {}
        self.columns: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        self.texts: dict[tuple[str, str], str] = {}
        self.importances: dict[tuple[str, str], str] = {}
        for one in said:
            nugget = one.query_id, one.nugget_id
            labels = self.labels.setdefault(nugget, {})
            for doc, label in one.labels:
                if labels.setdefault(doc, label) != label:
                    raise _contradiction(one, f"the label of document {doc!r}", label, labels[doc])
            for of_nugget, value, what in (
                (self.texts, one.text, "the text"),
                (self.importances, one.importance, "the importance"),
            ):
                if value is not None and of_nugget.setdefault(nugget, value) != value:
                    raise _contradiction(one, what, value, of_nugget[nugget])
            if one.columns:
                doc = one.labels[0][0] if one.labels else NO_DOCUMENT
                known = self.columns.setdefault(nugget, {}).setdefault(doc, dict(one.columns))
                for name in one.columns:
                    if known.get(name) != one.columns[name]:
                        raise _contradiction(one, f"{name} of document {doc!r}", one.columns[name], known.get(name))


def _contradiction(one: NuggetRecord, what: str, value: Any, known: Any) -> ValueError:
    nugget = f"nugget {one.nugget_id!r} of query {one.query_id!r}"
    return ValueError(f"{one.where}: {what} for {nugget} is {value!r}, but {known!r} before.")


def _qrels(nuggets: _Nuggets, weights: Mapping[str, float], reading: Reading) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    lowest, has_importance = min(weights.values()), bool(nuggets.importances)
    for (query, nugget), labels in nuggets.labels.items():
        importance = nuggets.importances.get((query, nugget))
        of_nugget: dict[str, Any] = {"qid": query, "iteration": nugget}
        if has_importance:
            if importance is None:
                reading.note("nuggets have no importance, so they get the lowest weight")
            elif importance not in weights:
                reading.note("importances are unknown words, so their nuggets get the lowest weight", importance)
            of_nugget |= {"weight": weights.get(importance or "", lowest), "importance": importance or ""}
        if nuggets.texts:
            of_nugget["nugget_text"] = nuggets.texts.get((query, nugget), "")
        if not labels:
            reading.note("nuggets have no judgement, so they are rows without a document")
        columns = nuggets.columns.get((query, nugget), {})
        for doc, label in (labels or {NO_DOCUMENT: 0.0}).items():
            rows.append({**of_nugget, "docno": doc, "label": label, **columns.get(doc, {})})
    qrels = with_whole_labels(pd.DataFrame(rows))
    first = ["qid", "docno", "label", "iteration"]
    others = [name for name in ("weight", "importance", "nugget_text") if name in qrels]
    return highest_label_last(qrels[[*first, *others, *(name for name in qrels if name not in {*first, *others})]])


def _message(reading: Reading, n_nuggets: int) -> str:
    """Return everything odd as one sentence, or an empty string."""
    parts = []
    for what, words in reading.odd.items():
        named = ", ".join(
            f"{word[:_LONGEST_NAMED]!r} {n}" for word, n in Counter(words).most_common(_MOST_NAMED) if word
        )
        more = ", ..." if len(words) > _MOST_NAMED else ""
        parts.append(f"{sum(words.values())} {what}{f' ({named}{more})' if named else ''}")
    return f"{_WHO}: {n_nuggets} nuggets. " + "; ".join(parts) + "." if parts else ""
