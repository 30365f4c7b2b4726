"""Read nuggets as qrels, from files of tools and tracks that judge answers and passages."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
import pandas as pd

from ..frames import IMPORTANCE, NO_DOCUMENT, warn
from ..parameters import Parameter, checked
from ..warnings import DifferenceWarning, NuggetsWarning, WordsWarning
from .forms import highest_label_last, with_whole_labels
from .look import SharedColumns, check_names, names_of_fields, read_records
from .nugget_formats import LAYOUTS, layout_of
from .nugget_records import LEVELS, NO_SUPPORT, UNKNOWN, Reading, Row, Unit, rows_in
from .records import word_of

_WHO = "read_nuggets"
_CHOICES = {
    "format": Parameter(str, choices=tuple(LAYOUTS)),
    "unit": Parameter(str, choices=get_args(Unit)),
}
_JUDGEMENT = ["qid", "iteration", "docno"]
# The first columns of qrels, in order.
_FIRST = ("qid", "docno", "label", "iteration", "weight", "importance", "importance_value", "nugget_text", "query")
UNKNOWN_IMPORTANCE = (
    "nuggets have an unknown importance, which gives the lowest weight, and 0 in vital and weighted scores"
)
NO_IMPORTANCE = "nuggets have no importance, which gives the lowest weight"
# A message about several things, which is also needed for a single one.
_PLURAL = re.compile(r"^(\w+?)(ies|s)\b(.*?) (are|have)\b")
_SINGULAR = {"ies": "y", "s": "", "are": "is", "have": "has"}
_OF_WORDS = (UNKNOWN, UNKNOWN_IMPORTANCE, NO_IMPORTANCE)
# The number of words that a warning lists, and the length of each; the number of queries.
_MOST_TOLD, _LONGEST_NAMED = 3, 40
_MOST_QUERIES = 10


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
        More of the source, such as the topics of CRUX, whose judgements identify questions only by position.
    unit : {"question", "answer"}
        Whether a question or each of its answers is an intent.
    importance : mapping of words to numbers above 0, optional
        The weight of each importance, by default ``{"vital": 1, "okay": 0.5}``. Other nuggets have the lowest weight.
        In `NuggetScore`, words with the largest number are vital, and nuggets without a known word count 0.
    levels : mapping of words to numbers, optional
        The label of each assignment, by default ``{"support": 2, "partial_support": 1}``. Other words mean 0.
    columns : mapping of str to str, optional
        The meaning of fields or columns, as in ``{"chunk": "docno", "fact": "nugget_text"}``.

    Returns
    -------
    DataFrame
        The columns ``qid``, ``docno``, ``label`` and ``iteration`` (the nugget's id, the MD5 of its text, or its
        position, if there is no text). Also ``weight`` (the nugget's own, or that of its importance) and ``importance``
        (with ``importance_value``, the number of each word divided by the largest, if the parameter is given),
        ``nugget_text``, ``query`` (its text), and the other columns of a table, if there are any. A nugget without
        judgements is a row with an empty ``docno`` and label 0. If a text is repeated in a list, the id of the second
        nugget ends in ``-2``.

    Raises
    ------
    ValueError
        If something cannot be read (the message names file, line and field), two labels or weights contradict each
        other, a weight is negative, no word of the assignments is known, a group has a document twice, or no query has
        the same nuggets for all its answers or passages.

    Warns
    -----
    WordsWarning, NuggetsWarning, DifferenceWarning
        Counts unknown words of importances and assignments; nuggets without judgements or with an empty text; documents
        and queries without nuggets; combinations of answers (such as NOT) that are read in another way; and queries
        that are left out, because their answers, or passages, were assigned different nuggets. Nuggets without ids are
        the same if their texts are equal, apart from spaces and Unicode normalisation.

    Notes
    -----
    ==================  ================================================================================================
    ``autonuggetizer``  nuggets, alone or assigned to passages (``docid``) or to answers, whose document is the
                        ``run_id``; `answers` makes runs of them
    ``freshstack``      nuggets with ids of relevant documents (label 1) and of irrelevant ones (0)
    ``nuggetbank``      NuggetBank v3 (RAGTIME 2025, Auto-ARGUE) and RAGTIME 2026: questions and claims with references
                        (label 1)
    ``ragelo``          RAGElo's file of results: the criteria of rubrics, as judged for documents or answers
    ``crux``            ratings of passages for the questions of a topic; the ratings are the labels
    ``questions``       the topics of CRUX; ratings in the same source are joined with them
    ``groups``          lists of lists of gold documents (AutoRAG's ``retrieval_gt``): each group is an intent,
                        which any of its documents covers
    ``table``           a row for each document and nugget: ``qid``, ``docno``, ``label`` or ``assignment``,
                        ``iteration`` or ``nugget_text``. RAGElo's qrels of rubrics have this format. A list of
                        documents in a row is relevant (label 1) by default
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
    checked(_WHO, _CHOICES, format=format, unit=unit)
    weights = _numbers_of_words("importance", IMPORTANCE if importance is None else importance, above_0=True)
    labels = _numbers_of_words("levels", LEVELS if levels is None else levels)
    levels = {**labels, NO_SUPPORT: labels.get(NO_SUPPORT, 0.0)}
    reading = Reading(unit, levels, weights, own_words=importance is not None)
    shared = SharedColumns(columns or {})
    records = read_records(source, _WHO, shared)
    records += [] if nuggets is None else read_records(nuggets, f"{_WHO}, nuggets", shared)
    check_names(names_of_fields(records) if columns else [], columns or {}, _WHO)
    # The ratings of CRUX are joined with its questions, which are read first.
    formats = [known if known == "questions" else format or known for known in map(layout_of, records)]
    pairs = sorted(zip(formats, records, strict=True), key=lambda pair: pair[0] != "questions")
    said = [row for name, one in pairs for row in rows_in(one, name, reading)]
    if not said:
        raise ValueError(f"{_WHO}: {len(records)} objects contain no nugget.")
    if UNKNOWN in reading.odd and not reading.known:
        words = ", ".join(repr(word) for word, _ in reading.odd[UNKNOWN].most_common(_MOST_TOLD))
        raise ValueError(
            f"{_WHO}: no assignment is one of {', '.join(map(repr, levels))}, but {words}; give the label of each "
            "word, as in levels={'supported': 1}."
        )
    _note_lost_and_repeated(said, reading)
    qrels = _qrels(_without_differences(said, reading), reading)
    n_nuggets = len(qrels.drop_duplicates(["qid", "iteration"]))
    for kind, of_words in ((WordsWarning, True), (NuggetsWarning, False)):
        odd = {what: words for what, words in reading.odd.items() if (what in _OF_WORDS) == of_words}
        if odd:
            warn(kind(f"{_WHO}: {n_nuggets} nugget{'s' * (n_nuggets > 1)}. {_told_of(odd)}."))
    return qrels


def answers(qrels: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Make one run per judged system, with the system's answer as its only document for each query.

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


def _numbers_of_words(name: str, mapping: Any, *, above_0: bool = False) -> dict[str, float]:
    """Check a mapping of words to numbers, and return it."""
    rule = "a number above 0 (to leave nuggets out, drop their rows)" if above_0 else "a finite number"
    if not isinstance(mapping, Mapping) or not mapping:
        raise ValueError(f"{_WHO}: {name} must map words to numbers, not {mapping!r}.")
    for word, value in mapping.items():
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or (above_0 and value <= 0):
            raise ValueError(f"{_WHO}: {name} of {word!r} must be {rule}, not {value!r}.")
    return {word_of(word): float(value) for word, value in mapping.items()}


def _note_lost_and_repeated(said: list[Row], reading: Reading) -> None:
    """Count the queries without any nugget, empty texts, and the rows of a table that repeat a nugget of a document."""
    lost = sorted(reading.bare - {one["qid"] for one in said})
    named = ", ".join(map(repr, lost[:_MOST_TOLD])) + (", ..." if len(lost) > _MOST_TOLD else "")
    reading.note(f"queries have no nugget, so they are not evaluated: {named}", times=len(lost))
    empty = {(one["qid"], one["iteration"]) for one in said if one["nugget_text"] == ""}
    reading.note("nuggets have an empty text: the place in the list is the name", times=len(empty))
    repeated = {ids[:2] for ids, n in reading.rows.items() if n > 1}
    what = "nuggets without ids are repeated for a document, and count once (with ids in iteration, all count)"
    reading.note(what, times=len(repeated))


def _without_differences(said: list[Row], reading: Reading) -> list[Row]:
    """Leave out the queries whose answers or passages were assigned different nuggets: scores cannot be compared."""
    differing = [query for query, lists in reading.assigned.items() if len(set(map(frozenset, lists.values()))) > 1]
    if not differing:
        return said
    n_queries = len({one["qid"] for one in said})
    named = ", ".join(_difference(query, reading.assigned[query]) for query in differing[:_MOST_QUERIES])
    more = f" and {len(differing) - _MOST_QUERIES} others" if len(differing) > _MOST_QUERIES else ""
    message = f"answers or passages were assigned different nuggets, even when compared by text: {named}{more}."
    counted = f"{len(differing)} of {n_queries} queries"
    if len(differing) == n_queries:
        raise ValueError(f"{_WHO}: in {counted}, {message}")
    warn(DifferenceWarning(f"{_WHO}: {counted} are left out for all runs, because their {message}"))
    return [one for one in said if one["qid"] not in differing]


def _difference(query: str, lists: Mapping[str, list[str]]) -> str:
    """Return two answers or passages of a query that were assigned different nuggets."""
    first, expected = next(iter(lists.items()))
    other, named = next((name, named) for name, named in lists.items() if set(named) != set(expected))
    return f"{query!r} ({first!r} {len(expected)} nuggets, {other!r} {len(named)}, {len({*named} & {*expected})} equal)"


def _qrels(said: list[Row], reading: Reading) -> pd.DataFrame:
    """Return a row for each judgement, and for each nugget without one."""
    rows = pd.DataFrame(said, dtype=object)
    table = rows.drop(columns="where").apply(lambda column: _constant(column, rows))
    ids = pd.DataFrame(rows[_JUDGEMENT].to_numpy().tolist(), columns=_JUDGEMENT)
    queries = rows.groupby("qid")["query"].transform("first")
    table = table.assign(**ids, label=table["label"].astype(float), query=queries)
    named = table["docno"] == NO_DOCUMENT
    judged = (~named).groupby([rows["qid"], rows["iteration"]]).transform("any")
    table = table[~named | ~judged].drop_duplicates(_JUDGEMENT)
    if table["importance"].notna().any():
        table = table.assign(**_weight_columns(table, reading))
    unjudged = int((table["docno"] == NO_DOCUMENT).sum())
    reading.note("nuggets have no judgement, only a row without a document", times=unjudged)
    first = [name for name in _FIRST if name in table and table[name].notna().any()]
    others = [name for name in table if name not in _FIRST]
    table = table[[*first, *others]].fillna(dict.fromkeys({"nugget_text", "query"} & {*first}, ""))
    return highest_label_last(with_whole_labels(table.infer_objects()))


def _constant(column: pd.Series, rows: pd.DataFrame) -> pd.Series:
    """Return a column with the first value of each nugget or judgement; refuse different values."""
    if column.name in (*_JUDGEMENT, "query"):
        return column
    of_nugget = column.name in ("nugget_text", "importance", "weight")
    first = column.groupby([rows[name] for name in (_JUDGEMENT[:2] if of_nugget else _JUDGEMENT)]).transform("first")
    differ = column.notna() & (column != first)
    if differ.any():
        at = int(differ.to_numpy().argmax())
        row = rows.iloc[at]
        what = (
            f"the {str(column.name).removeprefix('nugget_')}"
            if of_nugget
            else f"{column.name} of document {row['docno']!r}"
        )
        raise ValueError(
            f"{row['where']}: {what} for nugget {row['nugget_text'] or row['iteration']!r} of query {row['qid']!r} is "
            f"{column.iloc[at]!r}, but {first.iloc[at]!r} in an earlier row."
        )
    return first


def _weight_columns(table: pd.DataFrame, reading: Reading) -> dict[str, pd.Series]:
    """Return the columns that follow from the importance of nuggets, and count its oddities."""
    words = table["importance"].fillna("")
    for word in words[~table.duplicated(_JUDGEMENT[:2])]:
        if word not in reading.weights:
            reading.note(UNKNOWN_IMPORTANCE if word else NO_IMPORTANCE, word)
    number, most, least = words.map(reading.weights), max(reading.weights.values()), min(reading.weights.values())
    columns = {"importance": words, "weight": number.fillna(least)}
    if "weight" in table:
        columns["weight"] = table["weight"].astype(float).fillna(columns["weight"])
    if reading.own_words:
        columns["importance_value"] = number.fillna(0.0) / most
    return columns


def _told_of(odd: Mapping[str, Counter[str]]) -> str:
    """Return oddities with their counts and most frequent words."""
    parts = []
    for what, words in odd.items():
        named = ", ".join(f"{word[:_LONGEST_NAMED]!r} {n}" for word, n in words.most_common(_MOST_TOLD) if word)
        more = ", ..." if len(words) > _MOST_TOLD else ""
        if words.total() == 1:
            what = _PLURAL.sub(lambda found: f"{found[1]}{_SINGULAR[found[2]]}{found[3]} {_SINGULAR[found[4]]}", what)
        parts.append(f"{words.total()} {what}{f' ({named}{more})' if named else ''}")
    return "; ".join(parts)
