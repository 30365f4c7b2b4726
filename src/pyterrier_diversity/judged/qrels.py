"""Read qrels into `Judgements`, refusing what would give a wrong number."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pandas as pd

from .columns import Ids, fail, ids, numbers, strings, to_frame
from .judgements import Documents, Intents, Judgements, Labels, Rows

INTENT_TYPES = ("inf", "nav")
_REQUIRED = ("query_id", "doc_id", "relevance")
_OPTIONAL = ("iteration", "subtopic_id", "weight", "intent_type", "rarity")

# pt.Experiment hands over a fresh copy of the same qrels for every system.
_recent: deque[tuple[dict[str, np.ndarray], Judgements]] = deque(maxlen=4)


def judge(qrels: Any) -> Judgements:
    """Read qrels, or find them among those read last.

    Parameters
    ----------
    qrels : DataFrame, iterable of named tuples, or dict of dicts
        Query, document and label, with PyTerrier's or ir_measures' names; optionally ``iteration`` or
        ``subtopic_id`` (the intent), ``weight``, ``intent_type`` and ``rarity``. Not changed.

    Returns
    -------
    Judgements
        Independent of the order of the rows, and of what becomes of ``qrels`` later.

    Raises
    ------
    ValueError
        If a column or a value is missing or out of range, if two labels contradict each other, or if a document has
        several labels and nothing tells for which intent.
    """
    frame = to_frame(qrels, _REQUIRED, "qrels")
    columns = {name: frame[name].to_numpy() for name in (*_REQUIRED, *_OPTIONAL) if name in frame}
    for known, judgements in _recent:
        if known.keys() == columns.keys() and all(np.array_equal(known[name], columns[name]) for name in known):
            return judgements
    judgements = _read(frame)
    _recent.append(({name: values.copy() for name, values in columns.items()}, judgements))
    return judgements


def _read(frame: pd.DataFrame) -> Judgements:
    query, doc = _sorted(ids(frame, "query_id", "qrels")), ids(frame, "doc_id", "qrels")
    label = numbers(frame, "relevance", "qrels")
    iteration = _iteration(frame)
    named, named_query, named_ids = _named_intents(query, iteration)
    weight, navigational = _weight(frame, named, len(named_query)), _navigational(frame, named, len(named_query))
    keep = _without_repeats(frame, doc, named, label, iteration is not None)
    if not weight.all():
        keep = (weight[named] > 0) if keep is None else keep & (weight[named] > 0)
    rarity = _rarity(frame, query, doc)
    names = doc.names[doc.codes]
    rows = Rows(query.codes, names, label, named)
    if keep is not None:
        rows = Rows(*(values[keep] for values in rows))
        rarity = rarity if rarity is None else rarity[keep]
        doc = Ids(doc.codes[keep], doc.names)

    relevant = rows.label > 0
    pair, first, doc_index = np.unique(rows.query[relevant] * len(doc.names) + doc.codes[relevant], return_index=True, return_inverse=True)
    intent, intent_index = np.unique(rows.named[relevant], return_inverse=True)
    max_label = np.zeros(len(intent))
    np.maximum.at(max_label, intent_index, rows.label[relevant])
    return Judgements(
        query_ids=query.names.tolist(),
        documents=Documents(rows.doc_ids[relevant][first], pair // max(len(doc.names), 1), None if rarity is None else rarity[relevant][first]),
        intents=Intents(named_ids[intent], named_query[intent], weight[intent], navigational[intent], max_label, intent),
        labels=Labels(doc_index, intent_index, rows.label[relevant]),
        named_weight=np.bincount(named_query, weight, minlength=len(query.names)),
        rows=rows,
        base_doc=np.arange(len(pair)),
        base_query=np.arange(len(query.names)),
    )


def _sorted(column: Ids) -> Ids:
    """Put the names into numeric order if all are numbers, else into alphabetical order."""
    names = column.names.tolist()
    numeric = all(name.isdecimal() for name in names)
    order = sorted(range(len(names)), key=(lambda i: (int(names[i]), names[i])) if numeric else names.__getitem__)
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
    """Return the (query, intent) pair of each row, then the query and the name of each pair."""
    if iteration is None:
        return query.codes, np.arange(len(query.names)), np.full(len(query.names), "0", dtype=object)
    n_names = max(len(iteration.names), 1)
    codes, keys = pd.factorize(query.codes * n_names + iteration.codes, sort=True)
    keys = np.asarray(keys)
    return codes, keys // n_names, iteration.names[keys % n_names]


def _without_repeats(frame: pd.DataFrame, doc: Ids, named: np.ndarray, label: np.ndarray, with_intents: bool) -> np.ndarray | None:
    """Return which rows to keep when exact duplicates are dropped; None for all."""
    key = doc.codes * (named.max(initial=0) + 1) + named
    in_order = np.sort(key)
    if not (in_order[1:] == in_order[:-1]).any():
        return None
    if not with_intents:
        row = int(pd.Series(key).duplicated().argmax())
        raise ValueError(
            f"qrels hold several rows for document {doc.names[doc.codes[row]]!r} of query {frame['query_id'].iloc[row]!r} and no column "
            "iteration or subtopic_id to tell the intents apart; pyterrier_diversity.io.read_qrels keeps the intent of a qrels file."
        )
    labels = pd.DataFrame({"key": key, "label": label})
    first = ~labels.duplicated()
    contradicting = labels[first & labels["key"].duplicated(keep=False).to_numpy()]
    contradicting = contradicting[contradicting["key"].duplicated(keep=False)].sort_values("key", kind="stable")
    if len(contradicting):
        column = "subtopic_id" if "subtopic_id" in frame else "iteration"
        cases = [
            f"query {frame['query_id'].iloc[group.index[0]]!r}, {column} {frame[column].iloc[group.index[0]]!r}, "
            f"document {frame['doc_id'].iloc[group.index[0]]!r}: {', '.join(f'{value:g}' for value in group['label'])}"
            for _, group in list(contradicting.groupby("key", sort=False))[:3]
        ]
        n_cases = contradicting["key"].nunique()
        raise ValueError(f"qrels hold different labels for one query, intent and document ({n_cases} cases): {'; '.join(cases)}.")
    return first.to_numpy()


def _constant(frame: pd.DataFrame, column: str, values: np.ndarray, group: np.ndarray, n_groups: int, within: str) -> np.ndarray:
    """Return the value of each group, which all its rows must have."""
    per_group = np.empty(n_groups, dtype=values.dtype)
    per_group[group] = values
    differ = per_group[group] != values
    if differ.any():
        fail(frame, differ, column, "qrels", f"must be the same in all rows of {within}")
    return per_group


def _weight(frame: pd.DataFrame, named: np.ndarray, n_named: int) -> np.ndarray:
    if "weight" not in frame:
        return np.ones(n_named)
    weight = numbers(frame, "weight", "qrels")
    if (weight < 0).any():
        fail(frame, weight < 0, "weight", "qrels", "must not be negative")
    return _constant(frame, "weight", weight, named, n_named, "a query's intent")


def _navigational(frame: pd.DataFrame, named: np.ndarray, n_named: int) -> np.ndarray:
    if "intent_type" not in frame:
        return np.zeros(n_named, dtype=bool)
    kind = ids(frame, "intent_type", "qrels")
    unknown = ~np.isin(kind.names.astype(str), INTENT_TYPES)
    if unknown.any():
        fail(frame, unknown[kind.codes], "intent_type", "qrels", "must be 'inf' or 'nav'")
    return _constant(frame, "intent_type", (kind.names == "nav")[kind.codes], named, n_named, "a query's intent")


def _rarity(frame: pd.DataFrame, query: Ids, doc: Ids) -> np.ndarray | None:
    if "rarity" not in frame:
        return None
    rarity = numbers(frame, "rarity", "qrels")
    outside = (rarity < 0) | (rarity > 1)
    if outside.any():
        fail(frame, outside, "rarity", "qrels", "must lie in [0, 1]")
    pair, pairs = pd.factorize(query.codes * max(len(doc.names), 1) + doc.codes)
    _constant(frame, "rarity", rarity, pair, len(pairs), "a query's document")
    return rarity
