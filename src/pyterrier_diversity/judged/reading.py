"""Read qrels into `Judgements`, and refuse data that would lead to wrong values."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..frames.columns import (
    IMPORTANCE,
    INTENT_TYPES,
    NO_DOCUMENT,
    QRELS_COLUMNS,
    by_number,
    given_frame,
    ids,
    numbers,
    refuse,
    strings,
)
from ..frames.strings import Ids, equal
from .judgements import Documents, Judgements, Labels, NamedIntents, Passages, Rows

_OF_INTENTS = ("iteration", "subtopic_id", "weight", "intent_type", "importance", "importance_value")
_OPTIONAL = (*_OF_INTENTS, "rarity", "gain", "passage", "nugget")
# Columns that other tools call the intent.
_LIKE_INTENTS = ("subtopic", "aspect", "intent", "facet", "perspective", "nugget")

# Only ratios of weights matter. The sum of larger weights could be infinite.
_LARGEST_WEIGHT = 1e100


# Qrels that were read before, the most recent first: pt.Experiment passes a new copy of the same qrels for every
# system. A tuple, which other threads may go through while one replaces it.
_recent: tuple[tuple[dict[str, pd.Series], Judgements], ...] = ()

# How many qrels to remember, and how many rows in all. The most recent qrels are always remembered.
_MOST_QRELS = 16
_MOST_ROWS = 2**20


def judge(qrels: pd.DataFrame) -> Judgements:
    """Read qrels, or return the judgements of equal qrels that were read recently.

    Parameters
    ----------
    qrels : DataFrame
        Query, document and label, with PyTerrier's or ir_measures' names; optionally ``iteration`` or
        ``subtopic_id`` (the intent), ``weight``, ``intent_type``, ``importance`` (a word), ``importance_value`` (what
        the word counts, at most 1), ``rarity``, and ``gain``. A row with an empty document only names an
        intent. With a column ``passage``, a row is a passage of a document, and may have a ``nugget``. The document's
        label for an intent is then the highest label of its passages, and its gain is their sum.

    Returns
    -------
    Judgements
        Judgements that do not depend on the order of the rows, nor on later changes of ``qrels``.

    Raises
    ------
    ValueError
        If a column or a value is missing or out of range, or two labels contradict each other. Also if a document has
        several labels, but the column for the intent is missing or has another name.
    """
    frame = given_frame(qrels, QRELS_COLUMNS, "qrels")
    _refuse_unread_intents(frame)
    # Numbers first: different qrels mostly differ in labels, and comparing numbers is fast.
    columns = {name: frame[name] for name in ("relevance", *_OPTIONAL, "query_id", "doc_id") if name in frame}
    global _recent
    for known, judgements in _recent:
        if known.keys() == columns.keys() and all(equal(known[name], column) for name, column in columns.items()):
            return judgements
    judgements = _read(frame)
    recent = (({name: column.copy() for name, column in columns.items()}, judgements), *_recent)
    rows = np.cumsum([len(known["query_id"]) for known, _ in recent])
    _recent = recent[: max(1, int(np.count_nonzero(rows[:_MOST_QRELS] <= _MOST_ROWS)))]
    return judgements


def _refuse_unread_intents(frame: pd.DataFrame) -> None:
    """Raise a ``ValueError`` if a column looks like the intent, but no column has its name."""
    for column in () if _has_intents(frame) else _LIKE_INTENTS:
        if column in frame and not (column == "nugget" and "passage" in frame):
            raise ValueError(
                f"qrels have a column {column}, but no column iteration or subtopic_id. If {column} is the intent, "
                f"rename it, as in io.read_qrels(..., columns={{{column!r}: 'iteration'}}) or, in the shell, --columns "
                f"{column}=iteration. Otherwise, drop it."
            )


def _read(frame: pd.DataFrame) -> Judgements:
    columns = frozenset(_OPTIONAL).intersection(frame.columns)
    if "passage" not in columns:
        return _read_documents(frame, columns)
    frame = _distinct_passages(frame)
    judgements = _read_documents(_of_documents(frame), columns)
    return replace(judgements, passages=_passages(frame, judgements)) if "nugget" in columns else judgements


def _distinct_passages(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the passages without duplicates, and with relevance as checked numbers."""
    keys = [name for name in (*QRELS_COLUMNS[:2], "iteration", "subtopic_id", "passage") if name in frame]
    texts = {name: strings(frame, name, "qrels") for name in keys}
    frame = frame.assign(relevance=numbers(frame, "relevance", "qrels"), **texts)
    frame = frame.drop_duplicates([name for name in (*QRELS_COLUMNS, *_OPTIONAL) if name in frame])
    twice = frame.duplicated(keys).to_numpy()
    refuse(frame, twice, "passage", "qrels", "must have one rating and nugget for a document and intent")
    return frame


def _of_documents(passages: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each document and intent, with the highest label of its passages, and their sum as gain."""
    gain = passages["relevance"].clip(lower=0) if "gain" not in passages else numbers(passages, "gain", "qrels")
    keys = [name for name in ("query_id", "doc_id", *_OF_INTENTS, "rarity") if name in passages]
    groups = passages.assign(gain=gain).groupby(keys, sort=False, dropna=False)
    return groups.agg(relevance=("relevance", "max"), gain=("gain", "sum")).reset_index()


def _passages(frame: pd.DataFrame, judgements: Judgements) -> Passages:
    """Return the relevant passages sorted by number, then by name."""
    named, query, names = intents_of_rows(frame)
    row, doc = judgements.pairs.find(query[named], strings(frame, "doc_id", "qrels"))
    n_docs, labels = len(judgements.documents.ids), judgements.labels
    of_label = pd.Index(judgements.kept[labels.intent] * n_docs + labels.doc)
    passages = frame.iloc[row].assign(
        label=of_label.get_indexer(named[row] * n_docs + doc),
        nugget=strings(frame, "nugget", "qrels")[row],
        number=pd.to_numeric(frame["passage"], errors="coerce").to_numpy()[row],
        intent=names[named[row]],
    )
    passages = passages[(passages["relevance"] > 0) & (passages["label"] >= 0)]
    passages = passages.sort_values(["number", "passage"], kind="stable")
    nugget = passages.groupby(["query_id", "intent", "nugget"]).ngroup()
    return Passages(passages["label"].to_numpy(), nugget.to_numpy(), passages["relevance"].to_numpy())


def _read_documents(frame: pd.DataFrame, columns: frozenset[str]) -> Judgements:
    query, doc, iteration = _sorted_ids(frame, "query_id"), ids(frame, "doc_id", "qrels"), _iteration(frame)
    label = numbers(frame, "relevance", "qrels")
    named, named_query, named_ids = _named_intents(query, iteration)
    weight = _optional(frame, "weight", 1.0)
    refuse(frame, weight > _LARGEST_WEIGHT, "weight", "qrels", f"must not be above {_LARGEST_WEIGHT:g}")
    weight = _agreed(frame, "weight", weight, named)
    navigational, importance = _navigational(frame, named), _importance(frame, named)
    rarity, gain = _optional(frame, "rarity", 0.0, most=1.0), _optional(frame, "gain", label)
    if "rarity" in frame:
        _agreed(frame, "rarity", rarity, pd.factorize(query.codes * len(doc.names) + doc.codes)[0], "document")
    unjudged = (doc.names == NO_DOCUMENT)[doc.codes]
    refuse(frame, unjudged & (label > 0), "relevance", "qrels", "must be 0 in a row without a document")
    repeated = _repeated(frame, doc, named, label, gain)
    keep = (weight[named] > 0) & ~unjudged & ~repeated
    relevant = np.flatnonzero(keep & (label > 0))
    intents, intent = np.unique(named[relevant], return_inverse=True)
    names, name = _descending(doc.names, doc.codes[relevant])
    keys = query.codes[relevant] * len(names) + name
    _, first, of_label = np.unique(keys, return_index=True, return_inverse=True)
    row = relevant[first]
    by_intent = np.argsort(intent * len(first) + of_label)
    labels = Labels(of_label, intent, label[relevant], gain[relevant])
    return Judgements(
        query_ids=query.names.tolist(),
        names=names.tolist(),
        documents=Documents(names[name[first]], name[first], query.codes[row], rarity[row]),
        labels=labels.take(by_intent),
        named=NamedIntents(named_ids, named_query, weight, navigational, importance),
        kept=intents,
        rows=Rows(query.codes, doc.names[doc.codes], label, named).take(keep),
        passages=None,
        columns=columns,
        base_doc=np.arange(len(first)),
        base_query=np.arange(len(query.names)),
    )


def _descending(names: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the names that codes refer to, in descending order, and the place of each code's name among them."""
    used, code = np.unique(codes, return_inverse=True)
    listed = names[used].tolist()
    order = np.array(sorted(range(len(listed)), key=listed.__getitem__, reverse=True), dtype=np.intp)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return names[used[order]], place[code]


def intents_of_rows(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the index of each row's intent, and the query and the name of each intent."""
    return _named_intents(_sorted_ids(frame, "query_id"), _iteration(frame))


def _sorted_ids(frame: pd.DataFrame, column: str) -> Ids:
    """Return a column of ids with the names sorted as numbers if all are numbers, otherwise alphabetically."""
    codes, distinct = ids(frame, column, "qrels")
    names = distinct.tolist()
    keys = [by_number(name) for name in names]
    numeric = not any(other for other, *_ in keys)
    order = sorted(range(len(names)), key=keys.__getitem__ if numeric else names.__getitem__)
    return Ids(np.argsort(order)[codes], distinct[order])


def _has_intents(frame: pd.DataFrame) -> bool:
    return "iteration" in frame or "subtopic_id" in frame


def _iteration(frame: pd.DataFrame) -> Ids:
    if not _has_intents(frame):
        return Ids(np.zeros(len(frame), dtype=np.int64), np.array(["0"], dtype=object))
    if "subtopic_id" not in frame:
        return _sorted_ids(frame, "iteration")
    subtopic = _sorted_ids(frame, "subtopic_id")
    if "iteration" in frame:
        iteration = ids(frame, "iteration", "qrels")
        differ = iteration.names[iteration.codes] != subtopic.names[subtopic.codes]
        if len(iteration.names) > 1:
            refuse(frame, differ, "iteration", "qrels", "must agree with subtopic_id, as both name the intent")
    return subtopic


def _named_intents(query: Ids, iteration: Ids) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the index of each row's (query, intent) pair, and the query and the intent's name of each pair."""
    n_names = max(len(iteration.names), 1)
    codes, keys = pd.factorize(query.codes * n_names + iteration.codes, sort=True)
    keys = np.asarray(keys)
    return codes, keys // n_names, iteration.names[keys % n_names]


def _repeated(frame: pd.DataFrame, doc: Ids, named: np.ndarray, label: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Return which rows are exact duplicates of an earlier row, or raise a ``ValueError`` if rows contradict it."""
    pair = named * len(doc.names) + doc.codes
    again = pd.Index(pair).duplicated()
    if not again.any():
        return again
    if not _has_intents(frame):
        row = int(again.argmax())
        raise ValueError(
            f"qrels have several rows for document {doc.names[doc.codes[row]]!r} of query "
            f"{frame['query_id'].iloc[row]!r}, but no column iteration or subtopic_id for the intent; "
            "pyterrier_diversity.io.read_qrels keeps the intents of a qrels file."
        )
    labels = pd.DataFrame({"pair": pair, "label": label}).drop_duplicates()
    labels = labels[labels.duplicated("pair", keep=False)]
    contradicting = [group for _, group in labels.groupby("pair", sort=False)["label"]]
    if contradicting:
        column = "subtopic_id" if "subtopic_id" in frame else "iteration"
        cases = [
            f"query {frame['query_id'].iloc[group.index[0]]!r}, {column} {frame[column].iloc[group.index[0]]!r}, "
            f"document {frame['doc_id'].iloc[group.index[0]]!r}: {', '.join(f'{value:g}' for value in group)}"
            for group in contradicting[:3]
        ]
        raise ValueError(
            f"qrels have different labels for one query, intent and document ({len(contradicting)} cases): "
            f"{'; '.join(cases)}."
        )
    _agreed(frame, "gain", gain, pd.factorize(pair)[0], "intent and document")
    return again


def _agreed(
    frame: pd.DataFrame, column: str, values: np.ndarray, group: np.ndarray, within: str = "intent"
) -> np.ndarray:
    """Return the value of each group, or raise a ``ValueError`` if the rows of a group differ."""
    per_group = np.empty(group.max(initial=-1) + 1, dtype=values.dtype)
    per_group[group] = values
    hint = "" if "intent" not in within or _has_intents(frame) else " (no column iteration tells them apart)"
    rule = f"must be the same in all rows of a query's {within}{hint}"
    refuse(frame, per_group[group] != values, column, "qrels", rule)
    return per_group


def _optional(frame: pd.DataFrame, column: str, default: npt.ArrayLike, *, most: float = math.inf) -> np.ndarray:
    """Return a column of numbers from 0 to ``most``, or the default if the column is missing."""
    if column not in frame:
        return np.full(len(frame), default)
    values = numbers(frame, column, "qrels")
    rule = "must not be negative" if most == math.inf else f"must be in [0, {most:g}]"
    refuse(frame, (values < 0) | (values > most), column, "qrels", rule)
    return values


def _navigational(frame: pd.DataFrame, named: np.ndarray) -> np.ndarray:
    if "intent_type" not in frame:
        return np.zeros(named.max(initial=-1) + 1, dtype=bool)
    kind = strings(frame, "intent_type", "qrels", are_ids=False)
    refuse(frame, ~np.isin(kind, INTENT_TYPES), "intent_type", "qrels", "must be 'inf' or 'nav'")
    return _agreed(frame, "intent_type", kind == "nav", named)


def _importance(frame: pd.DataFrame, named: np.ndarray) -> np.ndarray:
    """Return v_t of each intent: what its importance counts, where 1 is vital."""
    if "importance_value" in frame or "importance" not in frame:
        return _agreed(frame, "importance_value", _optional(frame, "importance_value", 0.0, most=1.0), named)
    words = Ids(*pd.factorize(strings(frame, "importance", "qrels", are_ids=False)))
    counts = np.array([IMPORTANCE.get(name, 0.0) for name in words.names], dtype=np.float64)
    return counts[_agreed(frame, "importance", words.codes, named)]
