"""Qrels as arrays: which documents are relevant to which intents of which query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd

T = TypeVar("T")
View = Literal["intents", "ad hoc", "each intent"]

# Cells (queries x documents x intents) that one dense array may have: 8 MB of floats.
MAX_CELLS = 2**20


class Documents(NamedTuple):
    """Relevant (query, document) pairs, sorted by query: name, index of the query, R(d) if known."""

    ids: np.ndarray
    query: np.ndarray
    rarity: np.ndarray | None

    def take(self, index: np.ndarray) -> Documents:
        """Return the pairs at ``index``."""
        return Documents(self.ids[index], self.query[index], None if self.rarity is None else self.rarity[index])


class Intents(NamedTuple):
    """Intents with a relevant document, sorted by query: name, query, P(t|q) as given, type, largest label.

    ``named`` is the intent's index among all that the qrels name, satisfiable or not.
    """

    ids: np.ndarray
    query: np.ndarray
    weight: np.ndarray
    navigational: np.ndarray
    max_label: np.ndarray
    named: np.ndarray

    def take(self, index: np.ndarray) -> Intents:
        """Return the intents at ``index``."""
        return Intents(*(values[index] for values in self))


class Labels(NamedTuple):
    """Labels above 0: index of the document, index of the intent, value, and gain if it is another than the value."""

    doc: np.ndarray
    intent: np.ndarray
    value: np.ndarray
    gain: np.ndarray

    def take(self, index: np.ndarray) -> Labels:
        """Return the labels at ``index``."""
        return Labels(*(values[index] for values in self))


class Passages(NamedTuple):
    """Relevant passages, in reading order: index of the label that each belongs to, index of the nugget, rating."""

    label: np.ndarray
    nugget: np.ndarray
    rating: np.ndarray

    def moved(self, place: np.ndarray) -> Passages:
        """Return them for labels that moved to another place; those of labels at -1 are left out."""
        label = place[self.label]
        kept = label >= 0
        return Passages(label[kept], self.nugget[kept], self.rating[kept])


class Rows(NamedTuple):
    """Every judged row, relevant or not: index of the query, name of the document, label, index of the named intent."""

    query: np.ndarray
    doc_ids: np.ndarray
    label: np.ndarray
    named: np.ndarray


class Memo:
    """What was computed once, and is kept."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def __call__(self, key: Any, compute: Callable[[], T]) -> T:
        """Return what ``compute`` returns, computed once for each ``key``."""
        if key not in self._known:
            self._known[key] = compute()
        result: T = self._known[key]
        return result


@dataclass(frozen=True, eq=False)
class Judgements:
    """The relevant documents of every query, with their labels for each intent.

    What cannot earn anything (documents without a positive label, intents that nobody can satisfy) is only in
    ``rows``. A `view` is judgements too, so that one code computes a measure over all intents, over each of them, or
    over the highest labels.

    Attributes
    ----------
    query_ids : sequence of str
        Names of the Q queries, in a fixed order; where each intent is a query of its own, they are not distinct.
    documents, intents, labels : Documents, Intents, Labels
        The relevant pairs, their intents, and the labels that link them.
    named_weight : ndarray, shape (Q,)
        Total weight of all intents that the qrels name.
    rows : Rows
        Every judged row; with passages, one for each document and intent.
    passages : Passages or None
        The relevant passages, if the qrels tell them and their nuggets.
    columns : frozenset of str
        The optional columns that the qrels have.
    base_doc, base_query : ndarray, shape (documents,), shape (Q,)
        Which document and which query of the judgements as read each one stems from.
    derived : Memo
        What was computed from them, once.
    """

    query_ids: Sequence[str]
    documents: Documents
    intents: Intents
    labels: Labels
    named_weight: np.ndarray
    rows: Rows
    passages: Passages | None
    columns: frozenset[str]
    base_doc: np.ndarray
    base_query: np.ndarray
    derived: Memo = field(default_factory=Memo, repr=False)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.query_ids)

    def view(self, view: View = "intents", rel: float | None = None) -> Judgements:
        """Return these judgements as another kind of measure reads them.

        Parameters
        ----------
        view : {"intents", "ad hoc", "each intent"}
            All intents of a query together; every document's highest label over the intents; or each intent as a
            query of its own.
        rel : float, optional
            Smallest relevant label; lower ones count as 0, and intents without a label that high are left out.
        """
        if rel is not None:
            return self.derived(rel, lambda: self._at_least(rel)).view(view)
        if view == "intents":
            return self
        return self.derived(view, self._ad_hoc if view == "ad hoc" else self._each_intent)

    def _at_least(self, rel: float) -> Judgements:
        high = self.labels.value >= rel
        labels = self.labels.take(high)
        docs, doc = np.unique(labels.doc, return_inverse=True)
        intents, intent = np.unique(labels.intent, return_inverse=True)
        labels = labels._replace(doc=doc, intent=intent)
        place = np.where(high, np.cumsum(high) - 1, -1)
        return self._with(self.documents.take(docs), self.intents.take(intents), labels, docs, place)

    def _ad_hoc(self) -> Judgements:
        n_docs, n_queries = len(self.documents.ids), len(self)
        value, gain, max_label = np.zeros(n_docs), np.zeros(n_docs), np.zeros(n_queries)
        np.maximum.at(value, self.labels.doc, self.labels.value)
        np.maximum.at(gain, self.labels.doc, self.labels.gain)
        np.maximum.at(max_label, self.documents.query, value)
        query, intent = np.unique(self.documents.query, return_inverse=True)
        one = np.ones(len(query))
        intents = Intents(np.full(len(query), "", dtype=object), query, one, one < 0, max_label[query], query)
        rows = pd.DataFrame({"query": self.rows.query, "doc_ids": self.rows.doc_ids})
        rows["label"] = np.maximum(self.rows.label, 0)
        rows = rows.groupby(["query", "doc_ids"], as_index=False, sort=False).max()
        columns = (rows[name].to_numpy() for name in ("query", "doc_ids", "label", "query"))
        labels = Labels(np.arange(n_docs), intent, value, gain)
        judged = self._with(self.documents, intents, labels, np.arange(n_docs), self.labels.doc)
        return replace(judged, named_weight=np.ones(n_queries), rows=Rows(*columns))

    def _each_intent(self) -> Judgements:
        order = np.argsort(self.labels.intent, kind="stable")
        labels = self.labels.take(order)
        documents = self.documents.take(labels.doc)._replace(query=labels.intent)
        n_intents = len(self.intents.ids)
        itself = np.arange(n_intents)
        names = [self.query_ids[query] for query in self.intents.query]
        satisfiable = np.full(self.rows.named.max(initial=-1) + 1, -1)
        satisfiable[self.intents.named] = itself
        query = satisfiable[self.rows.named]
        kept = query >= 0
        rows = Rows(query[kept], self.rows.doc_ids[kept], self.rows.label[kept], query[kept])
        intents = self.intents._replace(query=itself, weight=np.ones(n_intents), named=itself)
        each = self._with(documents, intents, labels._replace(doc=np.arange(len(order))), labels.doc, np.argsort(order))
        return replace(
            each,
            query_ids=names,
            named_weight=np.ones(n_intents),
            rows=rows,
            base_query=self.base_query[self.intents.query],
        )

    def _with(
        self, documents: Documents, intents: Intents, labels: Labels, docs: np.ndarray, place: np.ndarray
    ) -> Judgements:
        """Return other judgements, ``docs`` being the documents of these, ``place`` where their labels went."""
        return replace(
            self,
            documents=documents,
            intents=intents,
            labels=labels,
            passages=None if self.passages is None else self.passages.moved(place),
            base_doc=self.base_doc[docs],
            derived=Memo(),
        )

    @cached_property
    def weights(self) -> np.ndarray:
        """w_t: the weights of a query's intents, of sum 1."""
        total = np.bincount(self.intents.query, self.intents.weight, minlength=len(self))
        return self.intents.weight / total[self.intents.query]

    def mean_over_intents(self, values: np.ndarray) -> np.ndarray:
        """Average a value for each intent by the intents' weights; 0 for a query without intents."""
        return np.bincount(self.intents.query, self.weights * values, minlength=len(self))

    @cached_property
    def relevant_docs(self) -> list[list[str]]:
        """The names of each query's relevant documents."""
        bounds = np.searchsorted(self.documents.query, np.arange(1, len(self)))
        return [docs.tolist() for docs in np.split(self.documents.ids, bounds)] if len(self) else []

    @cached_property
    def judged_docs(self) -> list[set[str]]:
        """The names of each query's judged documents, relevant or not."""
        judged: list[set[str]] = [set() for _ in self.query_ids]
        for query, doc in zip(self.rows.query.tolist(), self.rows.doc_ids.tolist(), strict=True):
            judged[query].add(doc)
        return judged

    def check_labels(self, max_rel: float, who: str) -> None:
        """Refuse labels above ``max_rel`` with a ``ValueError`` that names the measure, a query and the label."""
        above = self.labels.value > max_rel
        if above.any():
            first = int(above.argmax())
            query = self.query_ids[self.documents.query[self.labels.doc[first]]]
            raise ValueError(
                f"{who}: labels may be at most {max_rel:g}, but query {query!r} has {self.labels.value[first]:g} "
                f"for document {self.documents.ids[self.labels.doc[first]]!r}."
            )

    @cached_property
    def chunks(self) -> list[Chunk]:
        """The queries in chunks of like size, so that no dense array over one exceeds `MAX_CELLS` by much."""
        n_docs = np.bincount(self.documents.query, minlength=len(self))
        n_intents = np.bincount(self.intents.query, minlength=len(self))
        order = np.lexsort((n_docs, n_intents))
        bounds, most_docs, most_intents = [0], 0, 0
        for i, (docs, intents) in enumerate(zip(n_docs[order].tolist(), n_intents[order].tolist(), strict=True)):
            most_docs, most_intents = max(most_docs, docs), max(most_intents, intents)
            if (i + 1 - bounds[-1]) * most_docs * most_intents > MAX_CELLS and i > bounds[-1]:
                bounds.append(i)
                most_docs, most_intents = docs, intents
        chunk = np.empty(len(self), dtype=np.intp)
        chunk[order] = np.searchsorted(bounds, np.arange(len(self)), side="right") - 1
        of_label = chunk[self.documents.query[self.labels.doc]]
        parts = (
            _split(of, len(bounds)) for of in (chunk, chunk[self.documents.query], chunk[self.intents.query], of_label)
        )
        return [Chunk(self, *indices) for indices in zip(*parts, strict=True)]


class Chunk:
    """Some queries of `Judgements`, in whose rows their intents and documents are laid out.

    Parameters
    ----------
    judgements : Judgements
        What the indices point into.
    queries, docs, intents, labels : ndarray
        Indices of the queries and of all that is theirs, ascending.

    Attributes
    ----------
    derived : Memo
        What was computed from these queries alone, once for all runs.
    """

    def __init__(
        self, judgements: Judgements, queries: np.ndarray, docs: np.ndarray, intents: np.ndarray, labels: np.ndarray
    ) -> None:
        self.judgements = judgements
        self.queries = queries
        self.docs = docs
        self._doc_row = np.searchsorted(queries, judgements.documents.query[docs])
        self._intents = intents
        self._intent_row = np.searchsorted(queries, judgements.intents.query[intents])
        self._intent_slot = _slots(self._intent_row)
        self._labels = labels
        self._label_doc = np.searchsorted(docs, judgements.labels.doc[labels])
        self._label_slot = self._intent_slot[np.searchsorted(intents, judgements.labels.intent[labels])]
        self._shape = (len(queries), int(self._intent_slot.max(initial=-1)) + 1)
        self.derived = Memo()

    def per_intent(self, values: np.ndarray) -> np.ndarray:
        """Lay a value for each intent out in an array of shape (queries, intents), 0 where there is none."""
        result = np.zeros(self._shape, dtype=values.dtype)
        result[self._intent_row, self._intent_slot] = values[self._intents]
        return result

    def by_query(self, order: np.ndarray) -> np.ndarray:
        """Bring positions in ``docs`` together query by query; those of a query stay in their order."""
        return order[np.argsort(self._doc_row[order], kind="stable")]

    def layout(self, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lay documents out, those of a query in the given order.

        Parameters
        ----------
        order : ndarray
            Positions in ``docs``, query by query.

        Returns
        -------
        row, slot : ndarray, shape (docs,)
            Where each document goes.
        """
        row = self._doc_row[order]
        return row, _slots(row)

    def per_label(self, order: np.ndarray, slot: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Lay a value for each label out in an array of shape (queries, slots, intents).

        Parameters
        ----------
        order, slot : ndarray, shape (docs,)
            Positions in ``docs``, and where `layout` puts them.
        values : ndarray, shape (labels,)
            Values of all labels of the judgements; 0 stands where a query has fewer documents or an intent has none.
        """
        slot_of_doc = np.full(len(self.docs), -1)
        slot_of_doc[order] = slot
        at = slot_of_doc[self._label_doc]
        shown = at >= 0
        n_queries, n_intents = self._shape
        result = np.zeros((n_queries, int(slot.max(initial=-1)) + 1, n_intents))
        result[self._doc_row[self._label_doc[shown]], at[shown], self._label_slot[shown]] = values[self._labels[shown]]
        return result

    def by_name(self) -> np.ndarray:
        """Return the positions in ``docs``, query by query, by descending name: the order that breaks greedy ties."""
        names = self.judgements.documents.ids[self.docs].tolist()
        return self.by_query(np.array(sorted(range(len(names)), key=names.__getitem__, reverse=True), dtype=np.intp))


def _split(part: np.ndarray, n_parts: int) -> list[np.ndarray]:
    """Return the indices of each part, ascending, where ``part`` tells the part of each index."""
    return np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part, minlength=n_parts))[:-1])


def _slots(rows: np.ndarray) -> np.ndarray:
    """Return 0, 1, 2, ... for the items of each row, where ``rows`` is sorted."""
    return np.arange(len(rows)) - np.searchsorted(rows, rows, side="left")
