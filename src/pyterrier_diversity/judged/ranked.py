"""Rankings with their judgements, as arrays of entries for the formulas of measures."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, partial, wraps
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVarTuple

import numpy as np

from ..arithmetic import counted, power, rows_by
from .entries import Groups
from .grades import Gain, gain_value, relevance_probability
from .judgements import Judgements, Memo
from .run import LARGEST_RANK, Run

Ts = TypeVarTuple("Ts")

# With larger labels g, sums of 2^g over the documents of a query could be infinite.
LARGEST_EXPONENT = 1000
LARGEST_GAIN = 2.0**LARGEST_EXPONENT

_LARGEST_LABEL: dict[Gain, float] = {"exp": LARGEST_EXPONENT, "linear": LARGEST_GAIN, "binary": np.inf}


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


class RankedDocuments(NamedTuple):
    """The relevant documents that rankings retrieve, each once, by rank and query.

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

    rank: np.ndarray
    doc: np.ndarray
    queries: Groups
    of_entry: np.ndarray

    def total(self, entries: np.ndarray) -> np.ndarray:
        """Sum the values of entries over the intents of each document."""
        return np.bincount(self.of_entry, entries, minlength=len(self.doc))


def _per_entry(
    compute: Callable[[Ranked, *Ts], np.ndarray], *, reads: tuple[str, ...] = ()
) -> Callable[[Ranked, *Ts], np.ndarray]:
    """Make a method a value of each entry, computed once for all cutoffs: a cutoff is the beginning of every array.

    It is also computed once for all measures that have the same values of the parameters that the method ``reads``.
    """

    @wraps(compute)
    def values(ranked: Ranked, *parameters: *Ts) -> np.ndarray:
        given: Any = parameters
        whole = ranked._whole or ranked
        key = compute, *([given[0][name] for name in reads] if reads else given)
        known: np.ndarray | None = whole._known.get(key)
        if known is None:
            known = whole._known[key] = compute(whole, *parameters)
            known.flags.writeable = False
        return known[: ranked._n_entries]

    return values


def _each_entry(compute: Callable[[Ranked], np.ndarray]) -> cached_property[np.ndarray]:
    """Make a property a value of each entry."""
    return cached_property(_per_entry(compute))


class Ranked:
    """The relevant documents that rankings retrieve, as entries: one for each intent and relevant document.

    A document that is not relevant to any intent has no entry. It only takes up a rank.
    Entries are sorted by rank, query and intent.

    Parameters
    ----------
    judgements : Judgements
        The judgements, or a view of them.
    ranks : ndarray of int, shape (documents,)
        The rank of each relevant document, from 1; 0 if it is not retrieved.
    n : ndarray of int, shape (queries,)
        The length of each ranking.
    run : Run, optional
        The run of the rankings; without one, they contain only relevant documents.

    Attributes
    ----------
    cutoff : int or None
        The cutoff, if any. Then ``n`` is at most the cutoff, and the entries are those down to the cutoff.
    """

    def __init__(self, judgements: Judgements, ranks: np.ndarray, n: np.ndarray, run: Run | None = None) -> None:
        self.judgements, self.ranks, self.n, self.run = judgements, ranks, n, run
        self.cutoff: int | None = None
        # The whole ranking, if this one is cut, and the number of its entries.
        self._whole: Ranked | None = None
        self._n_entries: int | None = None
        self._view_of: Ranked | None = None
        self._known = Memo()

    @classmethod
    def of_run(cls, run: Run, judgements: Judgements, depth: int | None = None) -> Ranked:
        """Return the relevant documents that the rankings of a run retrieve, as `Run.find` finds them."""
        return cls(judgements, *run.find(judgements, depth), run)

    def top(self, cutoff: int | None) -> Ranked:
        """Return the rankings down to a cutoff."""
        if cutoff is None:
            return self
        last = min(cutoff, LARGEST_RANK)
        top = Ranked(self.judgements, self.ranks, np.minimum(self.n, last), self.run)
        top.cutoff, top._whole, top._view_of = cutoff, self, self._view_of
        top._n_entries = int(self.rank.searchsorted(last, "right"))
        return top

    def down_to(self, last: np.ndarray) -> Ranked:
        """Return the rankings down to the last rank of each."""
        below = self.ranks > last[self.judgements.documents.query]
        return Ranked(self.judgements, np.where(below, 0, self.ranks), np.minimum(self.n, last), self.run)

    def view(self, view: Judgements) -> Ranked:
        """Return the same rankings over a view of the judgements as read."""
        if view is self.judgements:
            return self
        viewed = Ranked(view, self.ranks[view.base_doc], self.n[view.base_query], self.run)
        viewed._view_of = self
        return viewed

    @cached_property
    def judged_only(self) -> Ranked:
        """The rankings without unjudged documents."""
        if self.run is None:
            return self
        judged, places = self.judgements.judged_docs, self.judgements.places_of_docs
        kept = [[doc for doc in docs if doc in known] for known, docs in zip(judged, self.rankings(), strict=True)]
        found = [known.get(doc, -1) for known, docs in zip(places, kept, strict=True) for doc in docs]
        n = np.array(list(map(len, kept)), dtype=np.int64)
        return Ranked(self.judgements, self.judgements.ranks(found, counted(n) + 1), n, self.run)

    def rankings(self, depth: int | None = None, queries: slice = slice(None)) -> list[list[str]]:
        """Return the documents of each ranking, or of some, best first, down to a depth."""
        names = self.judgements.query_ids[queries]
        last = np.minimum(self.n[queries], LARGEST_RANK if depth is None else depth)
        if self.run is not None:
            known = {name: self.run.ranking(name, depth) for name in set(names)}
        else:
            base = self if self._view_of is None else self._view_of
            documents, every = base.documents, base.judgements
            ids = iter(every.documents.ids[documents.doc[documents.queries.order]].tolist())
            known = {
                name: list(islice(ids, n)) for name, n in zip(every.query_ids, documents.queries.size, strict=True)
            }
        return [known[name][:n] for name, n in zip(names, last.tolist(), strict=True)]

    @_each_entry
    def row(self) -> np.ndarray:
        """Index of each entry's label in the judgements."""
        doc = self.judgements.labels.doc
        row = (self.ranks > 0)[doc].nonzero()[0]
        # Labels are sorted by intent, and intents by query.
        return row[rows_by(self.ranks[doc[row]])]

    @_each_entry
    def rank(self) -> np.ndarray:
        """Rank of each entry's document, from 1."""
        return self.ranks[self.judgements.labels.doc[self.row]]

    @_each_entry
    def doc(self) -> np.ndarray:
        """Index of each entry's document."""
        return self.judgements.labels.doc[self.row]

    @_each_entry
    def intent(self) -> np.ndarray:
        """Index of each entry's intent."""
        return self.judgements.labels.intent[self.row]

    @_each_entry
    def query(self) -> np.ndarray:
        """Index of each entry's query."""
        return self.judgements.intents.query[self.intent]

    @_each_entry
    def label(self) -> np.ndarray:
        """Label of each entry, above 0."""
        return self.judgements.labels.value[self.row]

    @_each_entry
    def weight(self) -> np.ndarray:
        """w_t of each entry; the weights of a query's intents sum to 1."""
        return self.judgements.weights[self.intent]

    @_each_entry
    def met(self) -> np.ndarray:
        """For each entry, c_it, the number of documents above that are relevant to the same intent."""
        return self.intents.place

    @_each_entry
    def navigational(self) -> np.ndarray:
        """Whether the intent of each entry is navigational."""
        return self.judgements.intents.navigational[self.intent]

    @_each_entry
    def n_relevant(self) -> np.ndarray:
        """For each entry, R_t, the number of documents that are relevant to its intent, retrieved or not."""
        return self.judgements.n_relevant[self.intent]

    @cached_property
    def intents(self) -> Groups:
        """The entries of each intent."""
        if self._whole is not None:
            return self._whole.intents.top(len(self.rank))
        return Groups(self.intent, len(self.judgements.kept))

    @property
    def n_intents(self) -> np.ndarray:
        """``|T|``, the number of intents of each query that have a relevant document."""
        return self.judgements.n_intents

    @property
    def n_relevant_docs(self) -> np.ndarray:
        """R, the number of documents of each query that are relevant to any intent, retrieved or not."""
        return self.judgements.n_relevant_docs

    @property
    def depth(self) -> np.ndarray:
        """The divisor of precision, which is the cutoff, or the length of the ranking without one."""
        return self.n if self.cutoff is None else np.full(len(self.n), float(self.cutoff))

    def total(self, entries: np.ndarray) -> np.ndarray:
        """Sum the values of entries over each query."""
        return np.bincount(self.query, entries, minlength=len(self.n))

    def sum_intents(self, values: np.ndarray) -> np.ndarray:
        """Sum the values of intents over each query."""
        return self.judgements.sum_intents(values)

    @_per_entry
    def discounted(self, discount: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return the discount of each entry; equal discounts have equal parameters."""
        return discount(self.rank)

    @_per_entry
    def novelty(self, alpha: float) -> np.ndarray:
        """(1 - alpha)^c_it of each entry: what is left of a gain after the documents above."""
        return power(1 - alpha, self.met)

    @partial(_per_entry, reads=("gain",))
    def gain(self, measure: Declared) -> np.ndarray:
        """Gain value of each entry under the measure's ``gain``.

        Raises
        ------
        ValueError
            If a label of the qrels is so large that sums of its gain may be infinite, or the table has no gain for it.
        """
        gain: Gain = measure["gain"]
        self.judgements.check_labels(_LARGEST_LABEL.get(gain), measure, gain)
        return gain_value(self.label, gain)

    @partial(_per_entry, reads=("gain", "max_rel"))
    def probability(self, measure: Declared) -> np.ndarray:
        """r_it: probability of relevance of each entry under the measure's ``gain`` and ``max_rel``.

        Raises
        ------
        ValueError
            If a label of the qrels is above ``max_rel``, or the table has no probability for it.
        """
        gain, max_rel = measure["gain"], measure["max_rel"]
        self.judgements.check_labels(max_rel, measure, gain)
        largest = self.judgements.max_label[self.intent] if max_rel is None else max_rel
        return relevance_probability(self.label, largest, gain)

    @partial(_per_entry, reads=("gain", "max_rel"))
    def left(self, measure: Declared) -> np.ndarray:
        """prod_{j<i} (1 - r_jt): for each entry, the probability that no document above satisfies its intent."""
        return self.intents.left(self.probability(measure))

    @cached_property
    def documents(self) -> RankedDocuments:
        """The same rankings, by document."""
        if self._whole is not None and self.cutoff is not None:
            every = self._whole.documents
            n = int(every.rank.searchsorted(min(self.cutoff, LARGEST_RANK), "right"))
            return RankedDocuments(
                every.rank[:n], every.doc[:n], every.queries.top(n), every.of_entry[: self._n_entries]
            )
        doc = np.flatnonzero(self.ranks)
        doc = doc[rows_by(self.ranks[doc])]
        rank = self.ranks[doc]
        of_entry = np.zeros(len(self.ranks), dtype=np.int64)
        of_entry[doc] = np.arange(len(doc))
        queries = Groups(self.judgements.documents.query[doc], len(self.judgements))
        return RankedDocuments(rank, doc, queries, of_entry[self.doc])

    def ideal(self, order: Order) -> Ranked:
        """Return the ideal ranking in an order, down to the cutoff; it depends only on the judgements."""
        return ideal(self.judgements, order, self.cutoff)

    def value(self, measure: Hashable, compute: Callable[[Ranked], np.ndarray]) -> np.ndarray:
        """Return the result of ``compute`` for these rankings, which is called once for each measure."""
        # Measures of one name are equal, though they may be of different classes: a notebook cell that is run again.
        return self._known(("value", type(measure), measure), lambda: compute(self))


def ideal(judgements: Judgements, order: Order, depth: int | None) -> Ranked:
    """Return the ranking of the relevant documents in an order, down to a depth."""
    return judgements.remembered((order, depth), lambda: _in_order(judgements, order, depth))


def _in_order(judgements: Judgements, order: Order, depth: int | None) -> Ranked:
    # A shorter ranking is the beginning of a longer one.
    known: dict[float, Ranked] = judgements.remembered(order, dict)
    last = np.inf if depth is None else depth
    if max(known, default=0) < last:
        n = judgements.n_relevant_docs
        every = judgements.remembered("by name", lambda: Ranked(judgements, counted(n) + 1, n))
        places = order.places(every, depth)
        n = np.bincount(judgements.documents.query[places > 0], minlength=len(judgements))
        known[last] = Ranked(judgements, places, n)
    return known[max(known)].top(depth)
