"""Judgements: the documents that are relevant to each intent of each query."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..frames.strings import Pairs, repeated
from .entries import Groups
from .grades import Gain

T = TypeVar("T")
Arrays = TypeVar("Arrays", bound=tuple[np.ndarray, ...])
View = Literal["intents", "ad hoc", "each intent"]


class Documents(NamedTuple):
    """Relevant (query, document) pairs, sorted by query and descending name.

    The document's name, the index of the query, and R(d), or 0 if the qrels have no rarity.
    """

    ids: np.ndarray
    query: np.ndarray
    rarity: np.ndarray


class Intents(NamedTuple):
    """Intents, sorted by query.

    Name, query, P(t|q) as given, type, and what the importance counts (1 is vital). Intents with weight 0 do not count
    in any measure.
    """

    ids: np.ndarray
    query: np.ndarray
    weight: np.ndarray
    navigational: np.ndarray
    importance: np.ndarray


class Labels(NamedTuple):
    """Labels above 0, sorted by intent and document: index of the document, index of the intent, value, and gain."""

    doc: np.ndarray
    intent: np.ndarray
    value: np.ndarray
    gain: np.ndarray


class Passages(NamedTuple):
    """Relevant passages, in reading order: index of the label, index of the nugget, rating."""

    label: np.ndarray
    nugget: np.ndarray
    rating: np.ndarray

    def moved(self, place: np.ndarray) -> Passages:
        """Return the passages for labels at new indices; passages of labels at -1 are dropped."""
        return take(self._replace(label=place[self.label]), place[self.label] >= 0)


class Rows(NamedTuple):
    """Every judged row, relevant or not: index of the query, name of the document, label, index of the named intent."""

    query: np.ndarray
    doc_ids: np.ndarray
    label: np.ndarray
    named: np.ndarray


def take(columns: Arrays, rows: np.ndarray | slice) -> Arrays:
    """Return rows of columns of equal length."""
    return type(columns)(*(values[rows] for values in columns))


class Memo(dict[Hashable, Any]):
    """A cache of computed values, which is not pickled."""

    def __call__(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the result of ``compute``, which is called once for each ``key``."""
        if key not in self:
            self[key] = compute()
        result: T = self[key]
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
    documents, labels : Documents, Labels
        The relevant documents, and the labels that link them to their intents.
    named : Intents
        All intents in the qrels, with or without relevant documents.
    kept : ndarray of int, shape (intents,)
        The index of each intent that has a relevant document among the named intents.
    rows : Rows
        All judged rows; with passages, one for each document and intent.
    passages : Passages or None
        The relevant passages, if the qrels contain them and their nuggets.
    columns, of_integers : set of str
        The optional columns that the qrels have, and the columns of ids that were integers.
    base_doc, base_query : ndarray, shape (documents,), shape (Q,)
        The index of each document and of each query in the judgements as read.
    remembered : Memo
        Values that are computed once from the judgements.
    """

    query_ids: Sequence[str]
    documents: Documents
    labels: Labels
    named: Intents
    kept: np.ndarray
    rows: Rows
    passages: Passages | None
    columns: frozenset[str]
    of_integers: set[str]
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
        return self.remembered(view, {"ad hoc": self._ad_hoc, "each intent": self._each_intent}[view])

    def _at_least(self, rel: float) -> Judgements:
        high = self.labels.value >= rel
        labels = take(self.labels, high)
        docs, doc = np.unique(labels.doc, return_inverse=True)
        intents, intent = np.unique(labels.intent, return_inverse=True)
        labels = labels._replace(doc=doc, intent=intent)
        return self._with(docs, labels, np.where(high, np.cumsum(high) - 1, -1), kept=self.kept[intents])

    def _ad_hoc(self) -> Judgements:
        query, intent = np.unique(self.documents.query, return_inverse=True)
        of_docs, none = Groups(self.labels.doc, len(intent)), np.zeros(len(self))
        value, gain = of_docs.highest(self.labels.value), of_docs.highest(self.labels.gain)
        nameless = np.full(len(self), "", dtype=object)
        # Sorted by label: the last of a document's rows has its highest label, which may be negative.
        rows = take(self.rows, np.argsort(self.rows.label, kind="stable"))
        rows = take(rows, ~repeated(rows.query, rows.doc_ids, keep="last"))
        return self._with(
            slice(None),
            Labels(np.arange(len(intent)), intent, value, gain),
            self.labels.doc,
            kept=query,
            named=Intents(nameless, np.arange(len(self)), np.ones(len(self)), none > 0, none),
            rows=rows._replace(named=rows.query),
        )

    def _each_intent(self) -> Judgements:
        docs, itself, of_labels = self.labels.doc, np.arange(len(self.kept)), np.arange(len(self.labels.doc))
        query = np.full(len(self.named.query), -1)
        query[self.kept] = itself
        of_row = query[self.rows.named]
        return self._with(
            docs,
            self.labels._replace(doc=of_labels),
            of_labels,
            documents=take(self.documents, docs)._replace(query=self.labels.intent),
            kept=itself,
            query_ids=[self.query_ids[query] for query in self.intents.query],
            named=self.intents._replace(query=itself, weight=np.ones(len(itself))),
            rows=take(self.rows._replace(query=of_row, named=of_row), of_row >= 0),
            base_query=self.base_query[self.intents.query],
        )

    def _with(self, docs: np.ndarray | slice, labels: Labels, place: np.ndarray, **changed: Any) -> Judgements:
        """Return other judgements; ``docs`` indexes this one's documents, ``place`` maps its labels to new indices."""
        passages = None if self.passages is None else self.passages.moved(place)
        changed = {"documents": take(self.documents, docs), "base_doc": self.base_doc[docs], **changed}
        return replace(self, labels=labels, passages=passages, remembered=Memo(), **changed)

    @cached_property
    def intents(self) -> Intents:
        """The intents with a relevant document, sorted by query."""
        return take(self.named, self.kept)

    @cached_property
    def max_label(self) -> np.ndarray:
        """The largest label of each intent that has a relevant document."""
        return Groups(self.labels.intent, len(self.kept)).highest(self.labels.value)

    @cached_property
    def weights(self) -> np.ndarray:
        """w_t: the weights of the intents, which sum to 1 for each query."""
        return self.intents.weight / self.sum_intents(self.intents.weight)[self.intents.query]

    def sum_intents(self, values: np.ndarray) -> np.ndarray:
        """Sum the values of intents over each query."""
        return np.bincount(self.intents.query, values, minlength=len(self))

    def mean_over_intents(self, values: np.ndarray) -> np.ndarray:
        """Average values of intents by their weights; a query without intents gets 0."""
        return self.sum_intents(self.weights * values)

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
        return np.bincount(self.labels.intent, minlength=len(self.kept))

    @cached_property
    def query_index(self) -> dict[str, int]:
        """The index of each query, by name; only valid if names are distinct."""
        return {name: query for query, name in enumerate(self.query_ids)}

    @cached_property
    def pairs(self) -> Pairs:
        """The documents, to be found by query and name in Arrow."""
        return Pairs(self.documents.query, self.documents.ids)

    @cached_property
    def places_of_docs(self) -> list[dict[str, int]]:
        """For each query, the indices of its relevant documents."""
        places: list[dict[str, int]] = [{} for _ in self.query_ids]
        for place, (query, doc) in enumerate(zip(self.documents.query.tolist(), self.documents.ids, strict=True)):
            places[query][doc] = place
        return places

    def ranks(self, doc: npt.ArrayLike, rank: np.ndarray) -> np.ndarray:
        """Return the rank of each document, or 0, given the index of each retrieved document, or -1, and its rank."""
        ranks = np.zeros(len(self.documents.ids) + 1, dtype=np.int64)
        # Backwards, so that the best rank of a document counts. The last is for the others.
        ranks[np.asarray(doc, dtype=np.int64)[::-1]] = rank[::-1]
        return ranks[:-1]

    @cached_property
    def judged_docs(self) -> list[set[str]]:
        """The names of each query's judged documents, relevant or not."""
        judged: list[set[str]] = [set() for _ in self.query_ids]
        for query, doc in zip(self.rows.query.tolist(), self.rows.doc_ids.tolist(), strict=True):
            judged[query].add(doc)
        return judged

    def check_labels(self, largest: float | None, who: object, gain: Gain = "exp") -> None:
        """Raise a ``ValueError`` if a label is not in the table ``gain`` or exceeds ``largest``."""
        labels, rules = self.labels, []
        if not isinstance(gain, str):
            listed = ", ".join(f"{label:g}" for label in gain)
            rules.append((f"must be in the table gain ({listed})", ~np.isin(labels.value, list(gain))))
        if largest is not None:
            rules.append((f"may be at most {largest:g}", labels.value > largest))
        for rule, wrong in rules:
            for row in np.flatnonzero(wrong)[:1].tolist():
                doc = labels.doc[row]
                raise ValueError(
                    f"{who}: labels {rule}, but query {self.query_ids[self.documents.query[doc]]!r} has "
                    f"{labels.value[row]:g} for document {self.documents.ids[doc]!r}."
                )
