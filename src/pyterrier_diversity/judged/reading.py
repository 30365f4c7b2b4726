"""Read qrels into `Judgements`, and refuse data that would lead to wrong values."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from ..frames.columns import IMPORTANCE, INTENT_TYPES, NO_DOCUMENT, QRELS_COLUMNS, Columns, by_number, of_documents
from ..frames.strings import Ids, equal
from .judgements import Documents, Intents, Judgements, Labels, Passages, Rows, take


class _Optional(NamedTuple):
    """An optional column: where its values must agree, what counts without it, its largest value, or its words."""

    within: Literal["intent", "document", "intent and document"]
    default: float = 0.0
    most: float = math.inf
    words: Mapping[str, float] | None = None


_OPTIONAL = {
    # Only ratios of weights matter. The sum of larger weights could be infinite.
    "weight": _Optional("intent", 1.0, most=1e100),
    "intent_type": _Optional("intent", words=INTENT_TYPES),
    "importance": _Optional("intent", words=IMPORTANCE),
    "importance_value": _Optional("intent", most=1.0),
    "rarity": _Optional("document", most=1.0),
    "gain": _Optional("intent and document"),
}
# Names of the intent, and columns that other tools call so.
_INTENT = ("iteration", "subtopic_id")
_READ = (*_INTENT, *_OPTIONAL, "passage", "nugget")
_LIKE_INTENTS = ("subtopic", "aspect", "intent", "facet", "perspective", "nugget", "nugget_id", "nugget_text")

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
        the word counts, at most 1), ``rarity``, and ``gain``. A row with an empty document, or with a placeholder of
        RAGElo, only names an intent. With a column ``passage``, a row is a passage of a document, and may have a
        ``nugget``. The document's label for an intent is then the highest label of its passages, and its gain is their
        sum.

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
    columns = Columns(qrels, QRELS_COLUMNS, "qrels")
    for column in _LIKE_INTENTS if columns.theirs.keys().isdisjoint(_INTENT) else ():
        if column in columns and not (column == "nugget" and "passage" in columns):
            raise ValueError(
                f"qrels have a column {column}, but no column iteration or subtopic_id. If {column} is the intent, "
                f"rename it, as in io.read_qrels(..., columns={{{column!r}: 'iteration'}}) or, in the shell, --columns "
                f"{column}=iteration. Otherwise, drop it."
            )
    # Numbers first: different qrels mostly differ in labels, and comparing numbers is fast.
    read = {name: columns[name] for name in ("relevance", *_READ, "query_id", "doc_id") if name in columns}
    global _recent
    for known, judgements in _recent:
        if known.keys() == read.keys() and all(equal(known[name], column) for name, column in read.items()):
            return judgements
    judgements = _with_passages(columns) if "passage" in columns else _judged(columns)
    recent = (({name: column.copy() for name, column in read.items()}, judgements), *_recent)
    rows = np.cumsum([len(known["query_id"]) for known, _ in recent])
    _recent = recent[: max(1, int(np.count_nonzero(rows[:_MOST_QRELS] <= _MOST_ROWS)))]
    return judgements


def _with_passages(qrels: Columns) -> Judgements:
    keys = [name for name in ("query_id", "doc_id", "iteration", "subtopic_id", "passage") if name in qrels]
    read: dict[str, Any] = {name: qrels[name].array for name in _READ if name in qrels}
    read |= {name: qrels.numbers(name) for name in ("relevance", "gain") if name in qrels}
    frame = pd.DataFrame(read | {name: qrels.objects(name) for name in keys}).drop_duplicates()
    distinct, twice = qrels.of(frame), frame.duplicated(keys).to_numpy()
    distinct.refuse(twice, "passage", "must have one rating and nugget for a document and intent")
    judgements = replace(_judged(qrels.of(_of_documents(frame))), columns=frozenset(_READ).intersection(qrels.theirs))
    return replace(judgements, passages=_passages(distinct, judgements)) if "nugget" in qrels else judgements


def _of_documents(passages: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each document and intent, with the highest label of its passages, and their sum as gain."""
    gain = passages["gain"] if "gain" in passages else passages["relevance"].clip(lower=0)
    keys = [name for name in passages if name not in ("relevance", "gain", "passage", "nugget")]
    groups = passages.assign(gain=gain).groupby(keys, sort=False, dropna=False)
    return groups.agg(relevance=("relevance", "max"), gain=("gain", "sum")).reset_index()


def _passages(qrels: Columns, judgements: Judgements) -> Passages:
    """Return the relevant passages sorted by number, then by name."""
    named, query, names = intents_of_rows(qrels)
    at, docs = judgements.places_of_docs, qrels.objects("doc_id")
    doc = np.array([at[of].get(name, -1) for of, name in zip(query[named].tolist(), docs, strict=True)], dtype=np.intp)
    n_docs, labels = len(judgements.documents.ids), judgements.labels
    of_label = pd.Index(judgements.kept[labels.intent] * n_docs + labels.doc)
    passages = pd.DataFrame(
        {
            "label": np.where(doc < 0, -1, of_label.get_indexer(named * n_docs + doc)),
            "rating": qrels["relevance"].to_numpy(),
            "number": pd.to_numeric(qrels["passage"], errors="coerce").to_numpy(),
            "passage": qrels["passage"].to_numpy(),
            "query": query[named],
            "intent": names[named],
            "nugget": qrels.objects("nugget"),
        }
    )
    passages = passages[(passages["rating"] > 0) & (passages["label"] >= 0)]
    passages = passages.sort_values(["number", "passage"], kind="stable")
    nugget = passages.groupby(["query", "intent", "nugget"]).ngroup()
    return Passages(passages["label"].to_numpy(), nugget.to_numpy(), passages["rating"].to_numpy())


def _judged(qrels: Columns) -> Judgements:
    query, doc, label = _sorted_ids(qrels.ids("query_id")), qrels.ids("doc_id"), qrels.numbers("relevance")
    named, named_query, named_ids = intents_of_rows(qrels, query)
    weight, navigational = _optional(qrels, "weight", named), _optional(qrels, "intent_type", named) > 0
    is_word = "importance" in qrels and "importance_value" not in qrels
    importance = _optional(qrels, "importance" if is_word else "importance_value", named)
    rarity = _optional(qrels, "rarity", query.codes * len(doc.names) + doc.codes)
    qrels.refuse(
        (doc.names == NO_DOCUMENT)[doc.codes] & (label > 0), "relevance", "must be 0 in a row without a document"
    )
    pair = named * len(doc.names) + doc.codes
    repeats = pd.Index(pair).duplicated()
    if repeats.any():
        _refuse_contradictions(qrels, pair, label, repeats)
    gain = _optional(qrels, "gain", pair) if "gain" in qrels else label
    row = np.empty(len(named_ids), dtype=np.intp)
    row[named] = np.arange(len(named))
    keep = (weight > 0) & of_documents(doc) & ~repeats
    relevant = np.flatnonzero(keep & (label > 0))
    intents, intent = np.unique(named[relevant], return_inverse=True)
    used, code = np.unique(doc.codes[relevant], return_inverse=True)
    docs = _sorted_ids(Ids(code, doc.names[used]), descending=True)
    keys = query.codes[relevant] * len(docs.names) + docs.codes
    _, first, of_label = np.unique(keys, return_index=True, return_inverse=True)
    by_intent = np.argsort(intent * len(first) + of_label)
    return Judgements(
        query_ids=query.names.tolist(),
        documents=Documents(docs.names[docs.codes[first]], query.codes[relevant[first]], rarity[relevant[first]]),
        labels=take(Labels(of_label, intent, label[relevant], gain[relevant]), by_intent),
        named=Intents(named_ids, named_query, weight[row], navigational[row], importance[row]),
        kept=intents,
        rows=take(Rows(query.codes, doc.names[doc.codes], label, named), keep),
        passages=None,
        columns=frozenset(_READ).intersection(qrels.theirs),
        of_integers=qrels.of_integers & {"query_id", "doc_id"},
        base_doc=np.arange(len(first)),
        base_query=np.arange(len(query.names)),
    )


def intents_of_rows(qrels: Columns, query: Ids | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the index of each row's intent, and the query and the name of each intent.

    Parameters
    ----------
    qrels : Columns
        The qrels.
    query : Ids, optional
        The column ``query_id``, if it was read before.

    Raises
    ------
    ValueError
        If a row has no value in a column, or two names of the intent differ.
    """
    query = _sorted_ids(qrels.ids("query_id")) if query is None else query
    names = [name for name in reversed(_INTENT) if name in qrels]
    if not names:
        return query.codes, np.arange(len(query.names)), np.full(len(query.names), "0", dtype=object)
    intent = _sorted_ids(qrels.ids(names[0]))
    if len(names) > 1:
        iteration = qrels.ids("iteration")
        differ = iteration.names[iteration.codes] != intent.names[intent.codes]
        if len(iteration.names) > 1:
            qrels.refuse(differ, "iteration", "must agree with subtopic_id, as both name the intent")
    n_names = max(len(intent.names), 1)
    codes, keys = map(np.asarray, pd.factorize(query.codes * n_names + intent.codes, sort=True))
    return codes, keys // n_names, intent.names[keys % n_names]


def _sorted_ids(ids: Ids, *, descending: bool = False) -> Ids:
    """Return ids with the names sorted: as numbers if all are numbers, otherwise, and descending, alphabetically."""
    names = ids.names.tolist()
    numbers = [] if descending else [by_number(name) for name in names]
    keys: list[Any] = names if descending or any(other for other, *_ in numbers) else numbers
    order = np.array(sorted(range(len(names)), key=keys.__getitem__, reverse=descending), dtype=np.intp)
    return Ids(np.argsort(order)[ids.codes], ids.names[order])


def _refuse_contradictions(qrels: Columns, pair: np.ndarray, label: np.ndarray, repeats: np.ndarray) -> None:
    """Raise a ``ValueError`` if rows of one query, intent and document have different labels."""
    column = next((name for name in reversed(_INTENT) if name in qrels), None)
    if column is None:
        row = int(repeats.argmax())
        raise ValueError(
            f"qrels have several rows for document {qrels['doc_id'].iloc[row]!r} of query "
            f"{qrels['query_id'].iloc[row]!r}, but no column iteration or subtopic_id for the intent; "
            "pyterrier_diversity.io.read_qrels keeps the intents of a qrels file."
        )
    labels = pd.DataFrame({"pair": pair, "label": label}).drop_duplicates()
    groups = labels[labels.duplicated("pair", keep=False)].groupby("pair", sort=False)["label"]
    if len(groups):
        query, intent, doc = (qrels[name] for name in ("query_id", column, "doc_id"))
        cases = [
            f"query {query.iloc[group.index[0]]!r}, {column} {intent.iloc[group.index[0]]!r}, "
            f"document {doc.iloc[group.index[0]]!r}: {', '.join(f'{value:g}' for value in group)}"
            for _, group in [*groups][:3]
        ]
        raise ValueError(
            f"qrels have different labels for one query, intent and document ({len(groups)} cases): {'; '.join(cases)}."
        )


def _optional(qrels: Columns, name: str, group: np.ndarray) -> np.ndarray:
    """Return the value of an optional column in each row, or its default if the column is missing.

    Raises
    ------
    ValueError
        If a value is out of range or an unknown word, or the rows of a group differ.
    """
    within, default, most, words = _OPTIONAL[name]
    if name not in qrels:
        return np.full(len(group), default)
    if words is None:
        values = same = qrels.numbers(name, most=most)
    else:
        same, distinct = pd.factorize(qrels.objects(name, are_ids=False))
        if words is INTENT_TYPES:
            unknown = ~np.isin(distinct, list(words))
            qrels.refuse(unknown[same], name, f"must be {' or '.join(map(repr, words))}")
        values = np.array([words.get(word, default) for word in distinct])[same]
    group = pd.factorize(group)[0]
    of_group = np.empty(len(group), dtype=same.dtype)
    of_group[group] = same
    is_told_apart = within == "document" or not qrels.theirs.keys().isdisjoint(_INTENT)
    hint = "" if is_told_apart else " (no column iteration tells them apart)"
    qrels.refuse(of_group[group] != same, name, f"must be the same in all rows of a query's {within}{hint}")
    return values
