"""Read nuggets as qrels, from files of tools and tracks that judge answers and passages."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, get_args

import numpy as np
import pandas as pd

from ..frames import IMPORTANCE, NO_DOCUMENT, listed, warn
from ..parameters import POSITIVE, Parameter
from ..warnings import DifferenceWarning, NuggetsWarning, WordsWarning
from .forms import highest_label_last, with_whole_labels
from .look import SharedColumns, check_fields, names_of_fields, read_records
from .nugget_records import LEVELS, Reading, Unit
from .records import word_of

_CALL = "read_nuggets"
_NUGGET, _JUDGEMENT = ["qid", "iteration"], ["qid", "iteration", "docno"]
# The columns that are constant for each nugget.
_OF_NUGGET = ("nugget_text", "importance", "weight")
# What rows also have: their location, whose list they are in, whether a row has no id, and the word of the label.
_OF_READING = ("where", "of_list", "by_text", "assignment")
# The first columns of qrels, in order.
_FIRST = ("qid", "docno", "label", "iteration", "weight", "importance", "importance_value", "nugget_text", "query")
# The length of a word in a message.
_LONGEST = 40


def read_nuggets(
    source: Any,
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
    nuggets : like ``source``, optional
        More of the source, such as the topics of CRUX, whose judgements identify questions only by position.
    unit : {"question", "answer"}
        Whether a question, which any of its answers supports, or each of its answers is an intent.
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
        other, a weight is negative, no word of the assignments is known, a group has a document twice or only digits
        (ratings), a query has two lists of groups or questions, or no query has the same nuggets for all its answers or
        passages.

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
    ``freshstack``      nuggets with ids of relevant documents (label 1) and of irrelevant ones (0), or with documents
                        that have labels
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
    Parameter(str, choices=get_args(Unit)).check(_CALL, "unit", unit)
    weights = _numbers_of_words("importance", IMPORTANCE if importance is None else importance, POSITIVE)
    labels = _numbers_of_words("levels", LEVELS if levels is None else levels)
    labels.setdefault("not_support", 0.0)
    shared = SharedColumns(columns or {})
    records = read_records(source, _CALL, shared)
    records += [] if nuggets is None else read_records(nuggets, f"{_CALL}, nuggets", shared)
    check_fields(names_of_fields(records), columns or {}, _CALL)
    # The ratings of CRUX are joined with its questions, which are read first.
    records.sort(key=lambda one: not one.has("questions"))
    reading = Reading(unit, labels)
    found = pd.DataFrame([row for one in records for row in reading.rows_in(one)], dtype=object)
    if "docno" not in found:
        raise ValueError(f"{_CALL}: {len(records)} objects contain no nugget.")
    if reading.words and set(reading.words).isdisjoint(labels):
        raise ValueError(
            f"{_CALL}: no assignment is one of {', '.join(map(repr, labels))}; found: {_counted(reading.words)}. Give "
            "the label of each word, as in levels={'supported': 1}."
        )
    qrels = _qrels(_without_differences(found), weights, has_own_words=importance is not None)
    _warn(found, qrels, reading, weights)
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
    judged = qrels.loc[qrels["docno"] != NO_DOCUMENT, ["qid", "docno"]].drop_duplicates().assign(score=1.0, rank=0)
    return {str(name): rows.reset_index(drop=True) for name, rows in judged.groupby("docno", sort=False)}


def _numbers_of_words(name: str, mapping: Any, interval: str = "(-inf, inf)") -> dict[str, float]:
    """Check a mapping of words to numbers, and return it."""
    if not isinstance(mapping, Mapping) or not mapping:
        raise ValueError(f"{_CALL}: {name} must map words to numbers, not {mapping!r}.")
    number = Parameter(float, interval=interval)
    return {word_of(word): number.check(_CALL, f"{name} of {word!r}", value) for word, value in mapping.items()}


def _without_differences(found: pd.DataFrame) -> pd.DataFrame:
    """Leave out the queries whose answers or passages were assigned different nuggets: scores cannot be compared."""
    rows = found.dropna(subset="iteration")
    n_lists, n_with = (found.groupby(of)["of_list"].transform("nunique") for of in ("qid", _NUGGET))
    differing = found[found["of_list"].notna() & (n_with < n_lists)].drop_duplicates("qid")
    if differing.empty:
        return rows
    named = [f"{of.qid!r} ({of.of_list!r} has {of.nugget_text or of.iteration!r})" for of in differing.itertuples()]
    message = (
        f"{_CALL}: {len(named)} of {rows['qid'].nunique()} queries are left out for all runs, because their answers or "
        f"passages were assigned different nuggets, even when compared by text: {listed(named, 3)}."
    )
    kept = rows[~rows["qid"].isin(differing["qid"])]
    if kept.empty:
        raise ValueError(message)
    warn(DifferenceWarning(message))
    return kept


def _qrels(rows: pd.DataFrame, weights: Mapping[str, float], *, has_own_words: bool) -> pd.DataFrame:
    """Return a row for each judgement, and for each nugget without one; columns have one value for each of them."""
    others = rows.columns.difference([*_JUDGEMENT, *_OF_NUGGET, "query", *_OF_READING], sort=False)
    first = rows.groupby(_NUGGET)[[*_OF_NUGGET]].transform("first")
    first = first.join(rows.groupby(_JUDGEMENT)[[*others]].transform("first"))
    for at, place in np.argwhere((rows[first.columns].notna() & (rows[first.columns] != first)).to_numpy())[:1]:
        row, name = rows.iloc[at], first.columns[place]
        what = name if name in _OF_NUGGET else f"{name} of document {row['docno']!r}"
        raise ValueError(
            f"{row['where']}: {what} for nugget {row['nugget_text'] or row['iteration']!r} of query {row['qid']!r} "
            f"is {row[name]!r}, but {first.iloc[at, place]!r} in an earlier row."
        )
    first = first.assign(label=first["label"].astype(float), query=rows.groupby("qid")["query"].transform("first"))
    is_unjudged = rows.groupby(_NUGGET)["docno"].transform("max") == NO_DOCUMENT
    table = rows.assign(**first)[(rows["docno"] != NO_DOCUMENT) | is_unjudged].drop_duplicates(_JUDGEMENT)
    if table["importance"].notna().any():
        words = table["importance"].fillna("")
        number = words.map(weights)
        weight = table["weight"].astype(float).fillna(number).fillna(min(weights.values()))
        value = {"importance_value": number.fillna(0.0) / max(weights.values())} if has_own_words else {}
        table = table.assign(importance=words, weight=weight, **value)
    names = [*_FIRST, *others.difference([*_FIRST], sort=False)]
    table = table.reindex(columns=names).dropna(axis=1, how="all").fillna({"nugget_text": "", "query": ""})
    return highest_label_last(with_whole_labels(table.apply(pd.Series.infer_objects)))


def _warn(found: pd.DataFrame, qrels: pd.DataFrame, reading: Reading, weights: Mapping[str, float]) -> None:
    """Give a warning about words, and one about nuggets, with the count of each oddity."""
    rows, each = found.dropna(subset="iteration"), qrels.drop_duplicates(_NUGGET)
    importances = [word for word in each.get("importance", []) if word not in weights]
    empty = rows[rows["nugget_text"] == ""].drop_duplicates(_NUGGET)
    repeated = rows[rows["by_text"].astype(bool) & rows.duplicated(_JUDGEMENT)]
    words = {
        "assignments with an unknown word, which counts as 0": [of for of in reading.words if of not in reading.levels],
        "nuggets without a known importance, with the lowest weight, and 0 in vital and weighted scores": importances,
    }
    others = {
        **reading.odd,
        "queries without a nugget, which are not evaluated": sorted({*found["qid"]} - {*rows["qid"]}),
        "nuggets with an empty text, named by their id or place": empty["iteration"].tolist(),
        "rows that repeat a nugget without an id for a document, and count once": repeated["nugget_text"].tolist(),
        "nuggets without a judgement, only a row without a document": [""] * (each["docno"] == NO_DOCUMENT).sum(),
    }
    for kind, odd in ((WordsWarning, words), (NuggetsWarning, others)):
        told = [f"{what}: {_counted(of)}" for what, of in odd.items() if of]
        if told:
            warn(kind("; ".join([f"{_CALL}: {len(each)} nuggets", *told]) + "."))


def _counted(words: Collection[str]) -> str:
    """Return how many words there are, and the most frequent ones."""
    named = [f"{word[:_LONGEST]!r}" + f" {n}" * (n > 1) for word, n in Counter(words).most_common() if word]
    return f"{len(words)} ({listed(named, 3)})" if named else f"{len(words)}"
