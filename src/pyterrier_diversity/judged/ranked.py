"""Rankings with their judgements, as arrays of entries for the formulas of measures."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from .entries import Groups
from .grades import Gain, gain_value, relevance_probability
from .judgements import Judgements, Memo, Passages
from .run import Retrieved
from .sessions import Turns, read_in_turns

# With larger labels g, sums of 2^g over the documents of a query could be infinite.
LARGEST_EXPONENT = 1000
# No ranking is longer, and a larger number would not fit into an array.
_LAST = 2**62

LARGEST_GAIN = 2.0**LARGEST_EXPONENT
_LARGEST_LABEL = {"exp": LARGEST_EXPONENT, "linear": LARGEST_GAIN, "binary": np.inf}


class Declared(Protocol):
    """A measure with parameters."""

    def __getitem__(self, name: str) -> Any:
        """Return the value of a parameter."""


class Order(Hashable, Protocol):
    """An order of the relevant documents. Orders with equal parameters are equal."""

    def places(self, every: Ranked, depth: int | None) -> np.ndarray:
        """Return the place of each document of the judgements, 1, 2, 3, ..., or 0 if it is left out.

        Parameters
        ----------
        every : Ranked
            All relevant documents, by descending name in each query.
        depth : int or None
            Number of places; None for all documents.
        """


class Normalisable(Declared, Hashable, Protocol):
    """A measure that is divided by the value of an ideal ranking."""

    @property
    def normaliser(self) -> Order:
        """The order of the ideal ranking."""


class Listed(NamedTuple):
    """All retrieved documents, judged or not: words (NaN if unknown), rank, turn, and place in the turn from 1.

    ``turn`` is the row of the document's turn in `Turns`.
    """

    words: np.ndarray
    rank: np.ndarray
    turn: Groups
    place: np.ndarray


class PassagesRead(NamedTuple):
    """Passages of relevant documents by nugget, in reading order: nugget, index of the entry, query, rating."""

    nuggets: Groups
    entry: np.ndarray
    query: np.ndarray
    rating: np.ndarray


class RankedDocuments:
    """The relevant documents that rankings retrieve, each once, by query and rank.

    Attributes
    ----------
    rank : ndarray of int, shape (documents,)
        True rank of each document, from 1.
    doc : ndarray of int, shape (documents,)
        Index of each document in the judgements.
    queries : Groups
        The documents of each query.
    of_entry : ndarray of int, shape (entries,)
        Index of each entry's document.
    """

    def __init__(self, ranked: Ranked) -> None:
        found = ranked.retrieved
        self._judgements = found.judgements
        doc = np.flatnonzero((found.ranks > 0) & (found.ranks <= ranked.n[found.judgements.documents.query]))
        query = found.judgements.documents.query[doc]
        order = np.argsort(query * (int(found.ranks.max(initial=0)) + 1) + found.ranks[doc])
        self.doc = doc[order]
        self.rank = found.ranks[self.doc]
        self.queries = Groups(query[order], len(found.judgements))
        index = np.zeros(len(found.ranks), dtype=np.intp)
        index[self.doc] = np.arange(len(self.doc))
        self.of_entry = index[ranked.doc]

    def total(self, entries: np.ndarray) -> np.ndarray:
        """Sum the values of entries over the intents of each document."""
        return np.bincount(self.of_entry, entries, minlength=len(self.doc))

    @cached_property
    def rarity(self) -> np.ndarray:
        """R(d) of each document, or 0 if the qrels have no rarity."""
        rarity = self._judgements.documents.rarity
        return np.zeros(len(self.doc)) if rarity is None else rarity[self.doc]


class Arrivals(NamedTuple):
    """The first entry of each covered intent, by query and rank."""

    rank: np.ndarray
    queries: Groups


class Ranked:
    """The relevant documents that rankings retrieve, as entries: one for each intent and relevant document.

    A document that is not relevant to any intent has no entry. It only takes up a rank.
    Entries are sorted by query, intent and rank.

    Parameters
    ----------
    retrieved : Retrieved
        The rankings, over a view of the judgements.
    row : ndarray of int, optional
        The label of the judgements for each entry; by default, all labels of retrieved documents.
    n : ndarray of int, optional
        The number of ranks to read; by default, the lengths of the rankings.
    cutoff : int, optional
        The cutoff of the measure, if any.

    Attributes
    ----------
    n : ndarray of int, shape (queries,)
        The number of ranks read: the length of the ranking, at most the cutoff.
    intent, doc : ndarray of int, shape (entries,)
        Index of the intent and of the document in the judgements.
    rank : ndarray of int, shape (entries,)
        True rank of each entry's document, from 1.
    """

    def __init__(
        self,
        retrieved: Retrieved,
        row: np.ndarray | None = None,
        n: np.ndarray | None = None,
        cutoff: int | None = None,
    ) -> None:
        self.retrieved = retrieved
        self.judgements = retrieved.judgements
        self.row = _found(retrieved) if row is None else row
        self.n = retrieved.n if n is None else n
        self.cutoff = cutoff
        self.intent = self.judgements.labels.intent[self.row]
        self.doc = self.judgements.labels.doc[self.row]
        self.rank = retrieved.ranks[self.doc]

    def down_to(self, last: np.ndarray | int, cutoff: int | None = None) -> Ranked:
        """Return the rankings down to a last rank (one for all, or one for each), with the cutoff of a measure."""
        last = min(last, _LAST) if isinstance(last, int) else last
        kept = np.flatnonzero(self.rank <= (last if isinstance(last, int) else last[self.query]))
        return Ranked(self.retrieved, self.row[kept], np.minimum(self.n, last), cutoff)

    @cached_property
    def intents(self) -> Groups:
        """The entries of each intent."""
        return Groups(self.intent, len(self.judgements.intents.ids))

    @cached_property
    def query(self) -> np.ndarray:
        """The query of each entry."""
        return self.judgements.intents.query[self.intent]

    @cached_property
    def label(self) -> np.ndarray:
        """The label of each entry, above 0."""
        return self.judgements.labels.value[self.row]

    @cached_property
    def document_gain(self) -> np.ndarray:
        """The gain of each entry: the column ``gain`` of the qrels, or the label if there is no such column.

        Raises
        ------
        ValueError
            If a gain is so large that sums may be infinite.
        """
        largest = float(self.judgements.labels.gain.max(initial=0.0))
        if largest > LARGEST_GAIN:
            raise ValueError(f"qrels: gains may be at most {LARGEST_GAIN:g}, not {largest:g}.")
        return self.judgements.labels.gain[self.row]

    @cached_property
    def weight(self) -> np.ndarray:
        """w_t of each entry; the weights of a query's intents sum to 1."""
        return self.judgements.weights[self.intent]

    @property
    def met(self) -> np.ndarray:
        """c_it: the number of documents above that are relevant to the same intent, for each entry."""
        return self.intents.place

    @cached_property
    def navigational(self) -> np.ndarray:
        """Whether the intent of each entry is navigational."""
        return self.judgements.intents.navigational[self.intent]

    @property
    def n_intents(self) -> np.ndarray:
        """``|T|``: the number of intents of each query that have a relevant document."""
        return self.judgements.n_intents

    @property
    def n_relevant_docs(self) -> np.ndarray:
        """R: the number of documents of each query that are relevant to any intent, retrieved or not."""
        return self.judgements.n_relevant_docs

    @property
    def n_relevant(self) -> np.ndarray:
        """R_t: for each entry, the number of documents that are relevant to its intent, retrieved or not."""
        return self.judgements.n_relevant[self.intent]

    @property
    def depth(self) -> np.ndarray:
        """The divisor of precision: the cutoff, or the length of the ranking without one."""
        return self.n if self.cutoff is None else np.full(len(self.n), float(self.cutoff))

    def total(self, entries: np.ndarray) -> np.ndarray:
        """Sum the values of entries over each query."""
        return np.bincount(self.query, entries, minlength=len(self.n))

    def sum_intents(self, values: np.ndarray) -> np.ndarray:
        """Sum the values of intents over each query."""
        return np.bincount(self.judgements.intents.query, values, minlength=len(self.n))

    @cached_property
    def documents(self) -> RankedDocuments:
        """The same rankings, by document."""
        return RankedDocuments(self)

    @cached_property
    def arrivals(self) -> Arrivals:
        """The first entry of each intent."""
        first = self.intents.first
        query, rank = self.query[first], self.rank[first]
        order = np.lexsort([rank, query])
        return Arrivals(rank[order], Groups(query[order], len(self.n)))

    @cached_property
    def passages(self) -> PassagesRead:
        """The passages of the entries' documents."""
        passages = self.judgements.passages or Passages(*np.zeros((3, 0), dtype=np.intp))
        entry = np.full(len(self.judgements.labels.doc), -1)
        entry[self.row] = np.arange(len(self.row))
        of = entry[passages.label]
        read = np.flatnonzero(of >= 0)
        read = read[np.lexsort([self.rank[of[read]], passages.nugget[read]])]
        of = of[read]
        n_nuggets = int(passages.nugget.max(initial=-1)) + 1
        return PassagesRead(Groups(passages.nugget[read], n_nuggets), of, self.query[of], passages.rating[read])

    def turns(self, batch: int) -> Turns:
        """Return the turns of the rankings; a run without turns is read in turns of ``batch`` documents."""
        return read_in_turns(self.retrieved.turn_sizes(), self.n, batch)

    def listed(self, turns: Turns, who: str) -> Listed:
        """Return one row for each document read, judged or not.

        Warns
        -----
        UserWarning
            Once for each run without a column ``doc_len``; all lengths are then unknown to the measure ``who``.
        """
        lengths = self.retrieved.doc_len()
        if lengths is None and self.n.any() and self.retrieved.run is not None:
            self.retrieved.run.warn_once(
                "The run has no column doc_len with the number of words of each document, so reading costs nothing for "
                f"{who}. Add it with pyterrier_diversity.io.add_lengths; in the shell, with --doc-len FILE."
            )
        size = turns.last - turns.start
        turn = Groups(np.repeat(np.arange(len(size)), size), len(size))
        rank = turns.start[turn.of] + turn.place + 1
        if lengths is None:
            return Listed(np.full(len(rank), np.nan), rank, turn, turn.place + 1)
        query = turns.queries.of[turn.of]
        n_above = np.cumsum([0, *map(len, lengths)])
        words = np.concatenate([np.zeros(0), *lengths])[n_above[query] + Groups(query, len(lengths)).place]
        return Listed(words, rank, turn, turn.place + 1)

    def gain(self, measure: Declared) -> np.ndarray:
        """Gain value of each entry under the measure's ``gain``.

        Raises
        ------
        ValueError
            If a label of the qrels is so large that sums of its gain may be infinite, or the table has no gain for it.
        """
        gain: Gain = measure["gain"]
        if isinstance(gain, str):
            self.judgements.check_labels(_LARGEST_LABEL[gain], measure)
        else:
            self.judgements.check_listed(gain, measure)
        return gain_value(self.label, gain)

    def probability(self, measure: Declared) -> np.ndarray:
        """r_it: probability of relevance of each entry under the measure's ``gain`` and ``max_rel``.

        Raises
        ------
        ValueError
            If a label of the qrels is above ``max_rel``, or the table has no probability for it.
        """
        gain: Gain = measure["gain"]
        if not isinstance(gain, str):
            self.judgements.check_listed(gain, measure)
            return gain_value(self.label, gain)
        if measure["max_rel"] is None:
            return relevance_probability(self.label, self.judgements.intents.max_label[self.intent], gain)
        self.judgements.check_labels(measure["max_rel"], measure)
        return relevance_probability(self.label, measure["max_rel"], gain)

    def normalised_by(self, measure: Normalisable) -> Ranked:
        """Return the ideal ranking of a measure, down to the cutoff; it depends only on the judgements."""
        return ideal(self.judgements, measure.normaliser, self.cutoff)

    def value(self, measure: Hashable, compute: Callable[[Ranked], np.ndarray]) -> np.ndarray:
        """Return the result of ``compute`` for these rankings, which is called once for each measure."""
        return self._values(measure, lambda: compute(self))

    @cached_property
    def _values(self) -> Memo:
        return Memo()


def _found(retrieved: Retrieved) -> np.ndarray:
    """Return the labels of retrieved documents, sorted by intent and rank."""
    labels = retrieved.judgements.labels
    rank = retrieved.ranks[labels.doc]
    row = np.flatnonzero(rank)
    # Each rank occurs once in an intent, so there are no ties.
    return row[np.argsort(labels.intent[row] * (int(rank.max(initial=0)) + 1) + rank[row])]


def relevant_documents(judgements: Judgements) -> Ranked:
    """Return the ranking of all relevant documents by descending name."""
    return judgements.remembered(
        "relevant", lambda: Ranked(Retrieved(judgements, judgements.by_name, judgements.n_relevant_docs))
    )


def ideal(judgements: Judgements, order: Order, depth: int | None) -> Ranked:
    """Return the ranking of the relevant documents in an order, down to a depth."""
    return judgements.remembered((order, depth), lambda: _in_order(judgements, order, depth))


def _in_order(judgements: Judgements, order: Order, depth: int | None) -> Ranked:
    # A shorter ranking is the beginning of a longer one.
    known = judgements.remembered(order, _Places)
    last = np.inf if depth is None else depth
    if known.depth < last:
        known.depth, known.places = last, order.places(relevant_documents(judgements), depth)
    places = np.where(known.places > last, 0, known.places)
    n = np.bincount(judgements.documents.query[places > 0], minlength=len(judgements))
    return Ranked(Retrieved(judgements, places, n), cutoff=depth)


class _Places:
    """The places of an order, down to the largest requested depth."""

    depth: float = 0
    places: np.ndarray
