"""Read qrels into `Judgements`, and refuse data that would lead to wrong values."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from .columns import Ids, addresses, by_number, fail, ids, numbers, strings, texts, to_frame
from .judgements import Documents, Intents, Judgements, Labels, NamedIntents, Passages, Rows

INTENT_TYPES = ("inf", "nav")
QRELS_COLUMNS = ("query_id", "doc_id", "relevance")
_OPTIONAL = ("iteration", "subtopic_id", "weight", "intent_type", "importance", "rarity", "gain", "passage", "nugget")
# The document of a row that only names an intent.
NO_DOCUMENT = ""

# Only ratios of weights matter. The sum of larger weights could be infinite.
_LARGEST_WEIGHT = 1e100


@dataclass(frozen=True, eq=False)
class _Known:
    """The columns of qrels that were read before, and their judgements."""

    columns: dict[str, np.ndarray]
    judgements: Judgements
    strings: frozenset[str]


# pt.Experiment passes a new copy of the same qrels for every system.
_recent: deque[_Known] = deque(maxlen=16)

# How many rows to compare first.
_SAMPLE = 64

# How many rows to remember in all. The most recent qrels are always remembered.
_MOST_ROWS = 2**20


def judge(qrels: Any) -> Judgements:
    """Read qrels, or return the judgements of equal qrels that were read recently.

    Parameters
    ----------
    qrels : DataFrame, iterable of named tuples, or dict of dicts
        Query, document and label, with PyTerrier's or ir_measures' names; optionally ``iteration`` or
        ``subtopic_id`` (the intent), ``weight``, ``intent_type``, ``importance``, ``rarity``, and ``gain``. A row with
        an empty document only names an intent. With a column ``passage``, a row is a passage of a document, and may
        have a ``nugget``. The document's label for an intent is then the highest label of its passages, and its gain is
        their sum.

    Returns
    -------
    Judgements
        Judgements that do not depend on the order of the rows, nor on later changes of ``qrels``.

    Raises
    ------
    ValueError
        If a column or a value is missing or out of range, or two labels contradict each other. Also if a document has
        several labels, but there is no column for the intent.
    """
    frame = to_frame(qrels, QRELS_COLUMNS, "qrels")
    # Numbers first: different qrels mostly differ in labels, and comparing numbers is fast.
    columns = {
        name: frame[name].to_numpy() for name in ("relevance", *_OPTIONAL, "query_id", "doc_id") if name in frame
    }
    # Different qrels mostly differ in a sample of rows, so the others need not be compared.
    some_rows = np.linspace(0, len(frame) - 1, min(_SAMPLE, len(frame))).astype(np.intp)
    for known in reversed(tuple(_recent)):
        if _alike(known, columns, some_rows) and _alike(known, columns, slice(None)):
            return known.judgements
    judgements = _read(frame)
    texts = {name for name, values in columns.items() if values.dtype == object and _is_text(values)}
    if texts >= {"query_id", "doc_id"}:
        copies = {name: values.copy() for name, values in columns.items()}
        _remember(_Known(copies, judgements, frozenset(texts)))
    return judgements


def _remember(known: _Known) -> None:
    n_rows = len(known.columns["relevance"])
    for older in reversed(tuple(_recent)):
        n_rows += len(older.columns["relevance"])
        if n_rows > _MOST_ROWS:
            _recent.clear()
            break
    _recent.append(known)


def _is_text(values: np.ndarray) -> bool:
    return bool(pd.api.types.infer_dtype(values, skipna=False) == "string")


def _alike(known: _Known, columns: dict[str, np.ndarray], rows: np.ndarray | slice) -> bool:
    """Tell whether qrels have the same columns as known ones and are equal in some rows."""
    return known.columns.keys() == columns.keys() and all(
        len(known.columns[name]) == len(columns[name])
        and _same(known.columns[name][rows], columns[name][rows], name in known.strings)
        for name in columns
    )


def _same(known: np.ndarray, column: np.ndarray, is_text: bool) -> bool:
    """Tell whether a column has the same values with the same types; ``is_text`` columns need no check of types."""
    if known.dtype != column.dtype or known.shape != column.shape:
        return False
    try:
        if known.dtype != object:
            return np.array_equal(known, column)
        # Identical objects have the same value, so only others are compared.
        others = np.flatnonzero(addresses(known) != addresses(column))
        if not np.all(known[others] == column[others]):
            return False
        return is_text or list(map(type, known[others])) == list(map(type, column[others]))
    except TypeError:  # pd.NA is neither equal nor unequal
        return False


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
    if twice.any():
        fail(frame, twice, "passage", "qrels", "must have one rating and nugget for a document and intent")
    return frame


def _of_documents(passages: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each document and intent, with the highest label of its passages, and their sum as gain."""
    constant = ("query_id", "doc_id", "iteration", "subtopic_id", "weight", "intent_type", "importance", "rarity")
    gain = passages["relevance"].clip(lower=0) if "gain" not in passages else numbers(passages, "gain", "qrels")
    keys = [name for name in constant if name in passages]
    groups = passages.assign(gain=gain).groupby(keys, sort=False, dropna=False)
    return groups.agg(relevance=("relevance", "max"), gain=("gain", "sum")).reset_index()


def _passages(frame: pd.DataFrame, judgements: Judgements) -> Passages:
    """Return the relevant passages sorted by number, then by name."""
    intent, _, names = intents_of_rows(frame)
    passages = frame[["query_id", "doc_id", "relevance", "passage"]].assign(
        intent=names[intent], nugget=strings(frame, "nugget", "qrels")
    )
    documents, labels = judgements.documents, judgements.labels
    of_label = pd.DataFrame(
        {
            "query_id": np.array(judgements.query_ids, dtype=object)[documents.query[labels.doc]],
            "doc_id": documents.ids[labels.doc],
            "intent": judgements.intents.ids[labels.intent],
            "label": np.arange(len(labels.doc)),
        }
    )
    passages = passages[passages["relevance"] > 0].merge(of_label, on=["query_id", "doc_id", "intent"])
    number = pd.to_numeric(passages["passage"], errors="coerce")
    passages = passages.assign(number=number).sort_values(["number", "passage"], kind="stable")
    nugget = passages.groupby(["query_id", "intent", "nugget"]).ngroup()
    return Passages(passages["label"].to_numpy(), nugget.to_numpy(), passages["relevance"].to_numpy())


def _read_documents(frame: pd.DataFrame, columns: frozenset[str]) -> Judgements:
    query, doc_ids = _query(frame), strings(frame, "doc_id", "qrels")
    label = numbers(frame, "relevance", "qrels")
    iteration = _iteration(frame)
    named, named_query, named_ids = _named_intents(query, iteration)
    weight, navigational = _weight(frame, named, len(named_query)), _navigational(frame, named, len(named_query))
    importance = _importance(frame, named, len(named_query))
    rarity = _rarity(frame, query, doc_ids)
    gain = _gain(frame, label)
    keep = weight[named] > 0
    repeats = _repeats(frame, doc_ids, named, label, with_intents=iteration is not None)
    if repeats is not None:
        pair = pd.DataFrame({"doc": doc_ids, "named": named}).groupby(["doc", "named"]).ngroup().to_numpy()
        _constant(frame, "gain", gain, pair, len(pair), "a query's intent and document")
        keep &= ~repeats
    unjudged = doc_ids == NO_DOCUMENT
    if (unjudged & (label > 0)).any():
        fail(frame, unjudged & (label > 0), "relevance", "qrels", "must be 0 in a row without a document")
    keep &= ~unjudged
    rows = Rows(query.codes, doc_ids.copy(), label.copy(), named)  # the user's frame may change
    relevant = keep & (label > 0)
    intent, intent_index = np.unique(named[relevant], return_inverse=True)
    max_label = np.zeros(len(intent))
    np.maximum.at(max_label, intent_index, label[relevant])
    documents, doc_index = _documents(
        query.codes[relevant], doc_ids[relevant], None if rarity is None else rarity[relevant]
    )
    return Judgements(
        query_ids=query.names.tolist(),
        documents=documents,
        intents=Intents(
            named_ids[intent], named_query[intent], weight[intent], navigational[intent], max_label, intent
        ),
        labels=Labels(doc_index, intent_index, label[relevant], gain[relevant]),
        named=NamedIntents(named_ids, named_query, weight, importance),
        rows=rows if keep.all() else rows.take(keep),
        passages=None,
        columns=columns,
        base_doc=np.arange(len(documents.ids)),
        base_query=np.arange(len(query.names)),
    )


def intents_of_rows(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the index of each row's intent, and the query and the name of each intent."""
    return _named_intents(_query(frame), _iteration(frame))


def _query(frame: pd.DataFrame) -> Ids:
    return _sorted(ids(frame, "query_id", "qrels", grouped=True))


def _documents(query: np.ndarray, doc_ids: np.ndarray, rarity: np.ndarray | None) -> tuple[Documents, np.ndarray]:
    """Return the distinct (query, document) pairs, sorted by query, and the index of each row's pair."""
    codes, names = pd.factorize(doc_ids)
    _, first, index = np.unique(query * max(len(names), 1) + codes, return_index=True, return_inverse=True)
    return Documents(doc_ids[first], query[first], None if rarity is None else rarity[first]), index


def _sorted(column: Ids) -> Ids:
    """Sort the names as numbers if all are numbers, otherwise alphabetically."""
    names = column.names.tolist()
    keys = [by_number(name) for name in names]
    numeric = not any(other for other, *_ in keys)
    order = sorted(range(len(names)), key=keys.__getitem__ if numeric else names.__getitem__)
    rank = np.empty(len(names), dtype=np.intp)
    rank[order] = np.arange(len(names))
    return Ids(rank[column.codes], column.names[order])


def _iteration(frame: pd.DataFrame) -> Ids | None:
    if "subtopic_id" not in frame:
        return _sorted(ids(frame, "iteration", "qrels")) if "iteration" in frame else None
    subtopic = _sorted(ids(frame, "subtopic_id", "qrels"))
    if "iteration" in frame:
        iteration = ids(frame, "iteration", "qrels")
        differ = iteration.names[iteration.codes] != subtopic.names[subtopic.codes]
        if len(iteration.names) > 1 and differ.any():
            fail(frame, differ, "iteration", "qrels", "must agree with subtopic_id, as both name the intent")
    return subtopic


def _named_intents(query: Ids, iteration: Ids | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the index of each row's (query, intent) pair, and the query and the intent's name of each pair."""
    if iteration is None:
        return query.codes, np.arange(len(query.names)), np.full(len(query.names), "0", dtype=object)
    n_names = max(len(iteration.names), 1)
    codes, keys = pd.factorize(query.codes * n_names + iteration.codes, sort=True)
    keys = np.asarray(keys)
    return codes, keys // n_names, iteration.names[keys % n_names]


def _repeats(
    frame: pd.DataFrame, doc_ids: np.ndarray, named: np.ndarray, label: np.ndarray, with_intents: bool
) -> np.ndarray | None:
    """Return which rows are exact duplicates of an earlier row, or None if there are no duplicates."""
    # Rows with the same document and intent have the same key. Few others do, and they are distinguished below.
    hashes = np.fromiter(map(hash, doc_ids), dtype=np.int64, count=len(doc_ids))
    if pd.Index(hashes * 1_000_003 + named).is_unique:
        return None
    rows = pd.DataFrame({"doc": doc_ids, "named": named, "label": label})
    again = rows.duplicated(["doc", "named"]).to_numpy()
    if not with_intents and again.any():
        row = int(again.argmax())
        raise ValueError(
            f"qrels have several rows for document {doc_ids[row]!r} of query {frame['query_id'].iloc[row]!r}, but no "
            "column iteration or subtopic_id for the intent; pyterrier_diversity.io.read_qrels keeps the intents of a "
            "qrels file."
        )
    repeats = rows.duplicated().to_numpy()
    if (again & ~repeats).any():
        _refuse_contradictions(frame, rows)
    return repeats


def _refuse_contradictions(frame: pd.DataFrame, rows: pd.DataFrame) -> None:
    """Raise a ``ValueError`` for different labels of one query, intent and document, with the first three cases."""
    column = "subtopic_id" if "subtopic_id" in frame else "iteration"
    groups = rows.drop_duplicates().groupby(["named", "doc"], sort=False)["label"]
    contradicting = [group for _, group in groups if len(group) > 1]
    cases = [
        f"query {frame['query_id'].iloc[group.index[0]]!r}, {column} {frame[column].iloc[group.index[0]]!r}, "
        f"document {frame['doc_id'].iloc[group.index[0]]!r}: {', '.join(f'{value:g}' for value in group)}"
        for group in contradicting[:3]
    ]
    raise ValueError(
        f"qrels have different labels for one query, intent and document ({len(contradicting)} cases): "
        f"{'; '.join(cases)}."
    )


def _constant(
    frame: pd.DataFrame, column: str, values: np.ndarray, group: np.ndarray, n_groups: int, within: str
) -> np.ndarray:
    """Return the value of each group, or raise a ``ValueError`` if the rows of a group differ."""
    per_group = np.empty(n_groups, dtype=values.dtype)
    per_group[group] = values
    differ = per_group[group] != values
    if differ.any():
        named = "intent" not in within or {"iteration", "subtopic_id"} & set(frame)
        hint = "" if named else " (no column iteration tells them apart)"
        fail(frame, differ, column, "qrels", f"must be the same in all rows of {within}{hint}")
    return per_group


def _weight(frame: pd.DataFrame, named: np.ndarray, n_named: int) -> np.ndarray:
    if "weight" not in frame:
        return np.ones(n_named)
    weight = numbers(frame, "weight", "qrels")
    if (weight < 0).any():
        fail(frame, weight < 0, "weight", "qrels", "must not be negative")
    if (weight > _LARGEST_WEIGHT).any():
        fail(frame, weight > _LARGEST_WEIGHT, "weight", "qrels", f"must not be above {_LARGEST_WEIGHT:g}")
    return _constant(frame, "weight", weight, named, n_named, "a query's intent")


def _navigational(frame: pd.DataFrame, named: np.ndarray, n_named: int) -> np.ndarray:
    if "intent_type" not in frame:
        return np.zeros(n_named, dtype=bool)
    kind = Ids(*pd.factorize(texts(frame, "intent_type", "qrels")))
    unknown = ~np.isin(kind.names.astype(str), INTENT_TYPES)
    if unknown.any():
        fail(frame, unknown[kind.codes], "intent_type", "qrels", "must be 'inf' or 'nav'")
    return _constant(frame, "intent_type", (kind.names == "nav")[kind.codes], named, n_named, "a query's intent")


def _importance(frame: pd.DataFrame, named: np.ndarray, n_named: int) -> np.ndarray:
    if "importance" not in frame:
        return np.full(n_named, "", dtype=object)
    return _constant(frame, "importance", texts(frame, "importance", "qrels"), named, n_named, "a query's intent")


def judging_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of qrels that judge a document; other rows only name an intent."""
    return frame[frame["doc_id"] != NO_DOCUMENT] if (frame["doc_id"] == NO_DOCUMENT).any() else frame


def _gain(frame: pd.DataFrame, label: np.ndarray) -> np.ndarray:
    """Return the gain of each row, or the label if the qrels have no column ``gain``."""
    if "gain" not in frame:
        return label
    gain = numbers(frame, "gain", "qrels")
    if (gain < 0).any():
        fail(frame, gain < 0, "gain", "qrels", "must not be negative")
    return gain


def _rarity(frame: pd.DataFrame, query: Ids, doc_ids: np.ndarray) -> np.ndarray | None:
    if "rarity" not in frame:
        return None
    rarity = numbers(frame, "rarity", "qrels")
    outside = (rarity < 0) | (rarity > 1)
    if outside.any():
        fail(frame, outside, "rarity", "qrels", "must be in [0, 1]")
    documents, index = _documents(query.codes, doc_ids, None)
    _constant(frame, "rarity", rarity, index, len(documents.ids), "a query's document")
    return rarity
