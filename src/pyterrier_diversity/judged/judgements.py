"""Judgements: the documents that are relevant to each intent of each query."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from .arrow import ArrowStrings, encoded

T = TypeVar("T")
View = Literal["intents", "ad hoc", "each intent"]


class Documents(NamedTuple):
    """Relevant (query, document) pairs, sorted by query: document name, index of the query, R(d) if known."""

    ids: np.ndarray
    query: np.ndarray
    rarity: np.ndarray | None

    def take(self, index: np.ndarray) -> Documents:
        """Return the pairs at ``index``."""
        return Documents(self.ids[index], self.query[index], None if self.rarity is None else self.rarity[index])


class Intents(NamedTuple):
    """Intents with a relevant document, sorted by query: name, query, P(t|q) as given, type, largest label.

    ``named`` is the index of the intent among the named intents.
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


class NamedIntents(NamedTuple):
    """All intents in the qrels, with or without relevant documents, sorted by query.

    Name, query, P(t|q) as given, importance as given. Intents with weight 0 do not count in any measure.
    """

    ids: np.ndarray
    query: np.ndarray
    weight: np.ndarray
    importance: np.ndarray

    def take(self, index: np.ndarray) -> NamedIntents:
        """Return the intents at ``index``."""
        return NamedIntents(*(values[index] for values in self))


class Labels(NamedTuple):
    """Labels above 0: index of the document, index of the intent, value, and gain."""

    doc: np.ndarray
    intent: np.ndarray
    value: np.ndarray
    gain: np.ndarray

    def take(self, index: np.ndarray) -> Labels:
        """Return the labels at ``index``."""
        return Labels(*(values[index] for values in self))


class Passages(NamedTuple):
    """Relevant passages, in reading order: index of the label, index of the nugget, rating."""

    label: np.ndarray
    nugget: np.ndarray
    rating: np.ndarray

    def moved(self, place: np.ndarray) -> Passages:
        """Return the passages for labels at new indices; passages of labels at -1 are dropped."""
        label = place[self.label]
        kept = label >= 0
        return Passages(label[kept], self.nugget[kept], self.rating[kept])


class Rows(NamedTuple):
    """Every judged row, relevant or not: index of the query, name of the document, label, index of the named intent."""

    query: np.ndarray
    doc_ids: np.ndarray
    label: np.ndarray
    named: np.ndarray

    def take(self, index: np.ndarray) -> Rows:
        """Return the rows at ``index``."""
        return Rows(*(values[index] for values in self))


class Memo:
    """A cache of computed values, which is not pickled."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def __call__(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result of ``compute``, which is called once for each ``key``."""
        if key not in self._known:
            self._known[key] = compute()
        result: T = self._known[key]
        return result

    def __reduce__(self) -> tuple[type[Memo], tuple[()]]:
        """Pickle without the values."""
        return Memo, ()


@dataclass(frozen=True, eq=False)
class Judgements:
    """The relevant documents of every query, with their labels for each intent.

    Documents without a positive label are only in ``rows``, and intents without a relevant document only in ``named``.
    A `view` has the same form, so that the same formula computes a measure over all intents, over each intent, or over
    the highest labels.

    Attributes
    ----------
    query_ids : sequence of str
        Query ids, in a fixed order; they repeat when each intent is scored as a query.
    documents, intents, labels : Documents, Intents, Labels
        The relevant documents, their intents, and the labels that link them.
    named : NamedIntents
        All intents in the qrels.
    rows : Rows
        All judged rows; with passages, one for each document and intent.
    passages : Passages or None
        The relevant passages, if the qrels contain them and their nuggets.
    columns : frozenset of str
        The optional columns that the qrels have.
    base_doc, base_query : ndarray, shape (documents,), shape (Q,)
        The index of each document and of each query in the judgements as read.
    remembered : Memo
        Values that are computed once from the judgements.
    """

    query_ids: Sequence[str]
    documents: Documents
    intents: Intents
    labels: Labels
    named: NamedIntents
    rows: Rows
    passages: Passages | None
    columns: frozenset[str]
    base_doc: np.ndarray
    base_query: np.ndarray
    remembered: Memo = field(default_factory=Memo, repr=False)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.query_ids)

    def view(self, view: View = "intents", rel: float | None = None) -> Judgements:
        """Return the judgements in the form that a kind of measure reads.

        Parameters
        ----------
        view : {"intents", "ad hoc", "each intent"}
            All intents of a query together; each document's highest label over the intents; or each intent as a
            separate query.
        rel : float, optional
            Smallest relevant label. Lower labels count as 0, and intents without a relevant label are dropped.
        """
        if rel is not None:
            return self.remembered(("rel", rel), lambda: self._at_least(rel)).view(view)
        if view == "intents":
            return self
        return self.remembered(view, self._ad_hoc if view == "ad hoc" else self._each_intent)

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
        nameless = np.full(n_queries, "", dtype=object)
        named = NamedIntents(nameless, np.arange(n_queries), np.ones(n_queries), nameless)
        return replace(judged, named=named, rows=Rows(*columns))

    def _each_intent(self) -> Judgements:
        order = np.argsort(self.labels.intent, kind="stable")
        labels = self.labels.take(order)
        documents = self.documents.take(labels.doc)._replace(query=labels.intent)
        itself = np.arange(len(self.intents.ids))
        query = np.full(len(self.named.query), -1)
        query[self.intents.named] = itself
        of_row = query[self.rows.named]
        rows = self.rows.take(of_row >= 0)._replace(query=of_row[of_row >= 0], named=of_row[of_row >= 0])
        intents = self.intents._replace(query=itself, weight=np.ones(len(itself)), named=itself)
        each = self._with(documents, intents, labels._replace(doc=np.arange(len(order))), labels.doc, np.argsort(order))
        return replace(
            each,
            query_ids=[self.query_ids[query] for query in self.intents.query],
            named=self.named.take(self.intents.named)._replace(query=itself, weight=np.ones(len(itself))),
            rows=rows,
            base_query=self.base_query[self.intents.query],
        )

    def _with(
        self, documents: Documents, intents: Intents, labels: Labels, docs: np.ndarray, place: np.ndarray
    ) -> Judgements:
        """Return other judgements; ``docs`` indexes this one's documents, ``place`` maps its labels to new indices."""
        return replace(
            self,
            documents=documents,
            intents=intents,
            labels=labels,
            passages=None if self.passages is None else self.passages.moved(place),
            base_doc=self.base_doc[docs],
            remembered=Memo(),
        )

    @cached_property
    def weights(self) -> np.ndarray:
        """w_t: the weights of the intents, which sum to 1 for each query."""
        total = np.bincount(self.intents.query, self.intents.weight, minlength=len(self))
        return self.intents.weight / total[self.intents.query]

    def mean_over_intents(self, values: np.ndarray) -> np.ndarray:
        """Average values of intents by their weights; a query without intents gets 0."""
        return np.bincount(self.intents.query, self.weights * values, minlength=len(self))

    @cached_property
    def n_intents(self) -> np.ndarray:
        """``|T|``: the number of intents of each query that have a relevant document."""
        return np.bincount(self.intents.query, minlength=len(self))

    @cached_property
    def n_relevant_docs(self) -> np.ndarray:
        """R: the number of documents of each query that are relevant to any intent."""
        return np.bincount(self.documents.query, minlength=len(self))

    @cached_property
    def n_relevant(self) -> np.ndarray:
        """The number of documents that are relevant to each intent."""
        return np.bincount(self.labels.intent, minlength=len(self.intents.ids))

    @cached_property
    def largest_label(self) -> float:
        """The largest label of any document."""
        return float(self.labels.value.max(initial=0.0))

    @cached_property
    def by_name(self) -> np.ndarray:
        """The place of each document, 1, 2, 3, ..., by descending name within its query, as ties are broken."""
        names = self.documents.ids.tolist()
        order = np.array(sorted(range(len(names)), key=names.__getitem__, reverse=True), dtype=np.intp)
        order = order[np.argsort(self.documents.query[order], kind="stable")]
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(1, len(order) + 1)
        return place - (np.cumsum(self.n_relevant_docs) - self.n_relevant_docs)[self.documents.query]

    @cached_property
    def relevant_docs(self) -> list[dict[str, int]]:
        """The index of each of a query's relevant documents, by name."""
        names = zip(self.documents.ids.tolist(), range(len(self.documents.ids)), strict=True)
        return [dict(islice(names, n)) for n in self.n_relevant_docs.tolist()]

    def documents_of(self, queries: np.ndarray) -> np.ndarray:
        """Return the indices of the relevant documents of some queries, one query after the other."""
        n = self.n_relevant_docs[queries]
        first = (np.cumsum(self.n_relevant_docs) - self.n_relevant_docs)[queries]
        return np.repeat(first - (np.cumsum(n) - n), n) + np.arange(n.sum())

    def documents_named(self, query: np.ndarray, names: ArrowStrings) -> tuple[np.ndarray, np.ndarray]:
        """Return which of some documents, given by query (-1 if unknown) and name, are relevant, and their indices."""
        known, keys, doc = self.remembered("named", self._named)
        place = names.places_in(known)
        row = np.flatnonzero((place >= 0) & (query >= 0))
        sought = query[row] * len(known) + place[row]
        at = np.searchsorted(keys, sought)
        relevant = np.append(keys, -1)[at] == sought
        return row[relevant], doc[at[relevant]]

    def _named(self) -> tuple[ArrowStrings, np.ndarray, np.ndarray]:
        """Return the names of relevant documents, ascending keys of query and name, and the document of each key."""
        codes, names = pd.factorize(self.documents.ids)
        keys = self.documents.query * len(names) + codes
        doc = np.argsort(keys)
        return encoded(names), keys[doc], doc

    @cached_property
    def query_index(self) -> dict[str, int]:
        """The index of each query, by name; only valid if names are distinct."""
        return {name: query for query, name in enumerate(self.query_ids)}

    @cached_property
    def judged_docs(self) -> list[set[str]]:
        """The names of each query's judged documents, relevant or not."""
        judged: list[set[str]] = [set() for _ in self.query_ids]
        for query, doc in zip(self.rows.query.tolist(), self.rows.doc_ids.tolist(), strict=True):
            judged[query].add(doc)
        return judged

    def check_labels(self, largest: float, who: object) -> None:
        """Raise a ``ValueError`` if a label exceeds ``largest``."""
        if self.largest_label > largest:
            self._refuse_labels(self.labels.value > largest, f"may be at most {largest:g}", who)

    def check_listed(self, labels: Collection[float], who: object) -> None:
        """Raise a ``ValueError`` if a label above 0 is not one of ``labels``."""
        unlisted = ~np.isin(self.labels.value, list(labels))
        if unlisted.any():
            self._refuse_labels(unlisted, f"must be in the table gain ({', '.join(f'{x:g}' for x in labels)})", who)

    def _refuse_labels(self, wrong: np.ndarray, rule: str, who: object) -> None:
        first = int(wrong.argmax())
        query = self.query_ids[self.documents.query[self.labels.doc[first]]]
        raise ValueError(
            f"{who}: labels {rule}, but query {query!r} has {self.labels.value[first]:g} "
            f"for document {self.documents.ids[self.labels.doc[first]]!r}."
        )
