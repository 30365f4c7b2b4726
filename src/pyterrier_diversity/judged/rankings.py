"""A run seen through judgements: only the hits, as dense arrays that every measure shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from .grades import gain_value, relevance_probability
from .judgements import Chunk, Judgements, Passages
from .runs import Retrieved
from .sessions import Sessions, Turns

if TYPE_CHECKING:
    from ..measures.base import DiversityMeasure

T = TypeVar("T")

# 2 to the power of more, summed over the documents of a query, may not be finite.
LARGEST_EXPONENT = 1000


class PassagesRead(NamedTuple):
    """Passages of hits: index of the hit in the flattened array of hits, row of the query, nugget, rating."""

    hit: np.ndarray
    query: np.ndarray
    nugget: np.ndarray
    rating: np.ndarray


@dataclass(frozen=True, eq=False)
class JudgedRankings:
    """The relevant documents that rankings found ("hits"), down to a cutoff.

    A document that is relevant to nothing earns nothing: all that it does is to push the others down and to lengthen
    the list. So it has no place here but in ``ranks`` and ``n``.

    Attributes
    ----------
    labels : ndarray, shape (queries, hits, intents)
        Label of each hit for each intent, best rank first; 0 where there is none.
    ranks : ndarray, shape (queries, hits)
        True rank of each hit, from 1; 1 for padding.
    docs : ndarray, shape (queries, hits)
        Index of each hit among the documents of the judgements; -1 for padding.
    n : ndarray, shape (queries,)
        Number of ranks looked at: the length of the ranking, at most the cutoff.
    sessions : Sessions or None
        How the rankings were read, in turns; None for ideals.
    cutoff : int or None
        Last rank looked at; None for all.
    chunk : Chunk
        The queries and their judgements.
    """

    labels: np.ndarray
    ranks: np.ndarray
    docs: np.ndarray
    n: np.ndarray
    sessions: Sessions | None
    cutoff: int | None
    chunk: Chunk

    @property
    def query_ids(self) -> list[str]:
        """The names of the queries."""
        return [self.chunk.judgements.query_ids[query] for query in self.chunk.queries.tolist()]

    @cached_property
    def relevant(self) -> np.ndarray:
        """J: 1.0 where a hit is relevant to an intent, shape (queries, hits, intents)."""
        return (self.labels > 0).astype(np.float64)

    @cached_property
    def intents(self) -> np.ndarray:
        """Which intents a query has, shape (queries, intents); False marks padding."""
        return self.chunk.per_intent(np.ones(len(self.chunk.judgements.intents.ids), dtype=bool))

    @cached_property
    def n_intents(self) -> np.ndarray:
        """The number of intents, ``|T|``, shape (queries,)."""
        return np.count_nonzero(self.intents, axis=-1)

    @cached_property
    def weights(self) -> np.ndarray:
        """w_t, of sum 1 in each query with an intent, shape (queries, intents)."""
        return self.chunk.per_intent(self.chunk.judgements.weights)

    @property
    def depth(self) -> np.ndarray:
        """What a precision divides by: the cutoff, or the length of the ranking where there is none."""
        return self.n if self.cutoff is None else np.full(self.n.shape, float(self.cutoff))

    @cached_property
    def n_relevant(self) -> np.ndarray:
        """The number of documents relevant to each intent, retrieved or not, shape (queries, intents)."""
        judged = self.chunk.judgements
        return self.chunk.per_intent(np.bincount(judged.labels.intent, minlength=len(judged.intents.ids)))

    @cached_property
    def n_relevant_docs(self) -> np.ndarray:
        """R: the number of documents relevant to any intent, retrieved or not, shape (queries,)."""
        return np.bincount(self.chunk.judgements.documents.query, minlength=len(self.chunk.judgements))[
            self.chunk.queries
        ]

    @cached_property
    def navigational(self) -> np.ndarray:
        """Which intents are navigational, shape (queries, intents)."""
        return self.chunk.per_intent(self.chunk.judgements.intents.navigational)

    @cached_property
    def rarity(self) -> np.ndarray:
        """R(d) of each hit, shape (queries, hits); 0 for padding, and where the qrels do not tell."""
        rarity = self.chunk.judgements.documents.rarity
        return np.zeros(self.docs.shape) if rarity is None else np.where(self.docs < 0, 0.0, rarity[self.docs])

    @cached_property
    def first_ranks(self) -> np.ndarray:
        """Rank at which each intent is first met, shape (queries, intents); infinity where it is not."""
        return np.where(self.labels > 0, self.ranks[..., None], np.inf).min(axis=-2, initial=np.inf)

    @cached_property
    def document_gain(self) -> np.ndarray:
        """The column ``gain`` of the qrels, the label where there is none, shape (queries, hits, intents)."""
        row, slot = np.nonzero(self.docs >= 0)
        order = np.searchsorted(self.chunk.docs, self.docs[row, slot])
        return self.chunk.per_label(order, slot, self.chunk.judgements.labels.gain)

    @cached_property
    def passages(self) -> PassagesRead:
        """The passages of the hits, in the order in which they are read."""
        judged, n_hits = self.chunk.judgements, self.docs.shape[1]
        passages = judged.passages or Passages(*np.zeros((3, 0), dtype=np.intp))
        hit_of_doc = np.full(len(judged.documents.ids), -1)
        hit_of_doc[self.docs[self.docs >= 0]] = np.flatnonzero(self.docs >= 0)
        hit = hit_of_doc[judged.labels.doc[passages.label]]
        read = np.flatnonzero(hit >= 0)
        read = read[np.argsort(hit[read], kind="stable")]
        return PassagesRead(hit[read], hit[read] // max(n_hits, 1), passages.nugget[read], passages.rating[read])

    def turns(self, batch: int) -> Turns:
        """Return the turns in which the rankings were read; ``batch`` documents are one where the run does not tell."""
        return self._sessions().turns(batch)

    def doc_len(self, who: str) -> np.ndarray:
        """Return the words of the document at each rank, shape (queries, ranks), NaN where not known.

        Warns
        -----
        UserWarning
            Once a run, if it has no column ``doc_len``, for the measure ``who``; all are unknown then.
        """
        lengths = self._sessions().doc_len()
        if lengths is None and self.n.any():
            self._sessions().warn_of_unknown_lengths(who)
        if lengths is None:
            return np.full((len(self.n), 0), np.nan)
        return lengths

    def _sessions(self) -> Sessions:
        if self.sessions is None:
            raise TypeError("An ideal ranking has no turns.")
        return self.sessions

    def gain(self, measure: DiversityMeasure) -> np.ndarray:
        """Gain values under the measure's ``gain``, shape (queries, hits, intents).

        Raises
        ------
        ValueError
            If a label of the qrels is so large that sums of its gain may not be finite.
        """
        largest = {"exp": LARGEST_EXPONENT, "linear": 2.0**LARGEST_EXPONENT, "binary": np.inf}
        self.chunk.judgements.check_labels(largest[measure["gain"]], str(measure))
        return gain_value(self.labels, measure["gain"])

    def probability(self, measure: DiversityMeasure) -> np.ndarray:
        """r_it under the measure's ``gain`` and ``max_rel``, shape (queries, hits, intents).

        Raises
        ------
        ValueError
            If a label of the qrels is above ``max_rel``.
        """
        if measure["max_rel"] is None:
            max_label = self.chunk.per_intent(self.chunk.judgements.intents.max_label)[:, None, :]
            return relevance_probability(self.labels, max_label, measure["gain"])
        self.chunk.judgements.check_labels(measure["max_rel"], str(measure))
        return relevance_probability(self.labels, measure["max_rel"], measure["gain"])

    def ideal(self, key: Any, compute: Callable[[JudgedRankings], T]) -> T:
        """Compute something from a ranking of all relevant documents, once for all runs.

        Parameters
        ----------
        key : hashable
            What tells this computation from others.
        compute : callable
            Takes the ranking of all relevant documents by descending name: the order that breaks ties of greedy ideals.
        """
        return self.chunk.derived(key, lambda: compute(relevant_documents(self.chunk)))


def relevant_documents(chunk: Chunk) -> JudgedRankings:
    """Return the ranking of all relevant documents by descending name."""
    order = chunk.by_name()
    n = np.bincount(np.searchsorted(chunk.queries, chunk.judgements.documents.query[chunk.docs]))
    n = np.pad(n, (0, len(chunk.queries) - len(n)))
    ranks = np.arange(1, len(order) + 1) - np.repeat(np.cumsum(n) - n, n)
    return _laid_out(chunk, order, ranks, n, None, None)


class QueryRelevance(NamedTuple):
    """A query, its relevant documents by descending name, its intents, and which of them is relevant to which."""

    query_id: str
    docs: np.ndarray
    intents: np.ndarray
    relevant: np.ndarray


def relevance_by_query(judgements: Judgements) -> list[QueryRelevance]:
    """Return the relevance of documents to intents, shape (docs, intents), query by query."""
    found: dict[int, QueryRelevance] = {}
    for chunk in judgements.chunks:
        every = relevant_documents(chunk)
        ids = chunk.per_intent(judgements.intents.ids)
        for row, query in enumerate(chunk.queries.tolist()):
            docs, intents = judgements.documents.ids[every.docs[row, : every.n[row]]], every.intents[row]
            relevant = every.relevant[row, : len(docs)][:, intents] > 0
            found[query] = QueryRelevance(judgements.query_ids[query], docs, ids[row, intents], relevant)
    return [found[query] for query in range(len(judgements))]


def judged_rankings(
    judgements: Judgements, retrieved: Retrieved, cutoff: int | None = None
) -> Iterator[JudgedRankings]:
    """Yield the judged rankings chunk by chunk.

    Parameters
    ----------
    judgements : Judgements
        The judgements, or a view of them.
    retrieved : Retrieved
        What the run found of them.
    cutoff : int, optional
        Last rank to look at; all of them if omitted.
    """
    last = np.iinfo(np.int64).max if cutoff is None else min(cutoff, np.iinfo(np.int64).max)
    for chunk in judgements.chunks:
        rank = retrieved.ranks[chunk.docs]
        hits = np.flatnonzero((rank > 0) & (rank <= last))
        hits = chunk.by_query(hits[np.argsort(rank[hits], kind="stable")])
        n = np.minimum(retrieved.n[chunk.queries], last)
        yield _laid_out(chunk, hits, rank[hits], n, retrieved.sessions.of(chunk.queries), cutoff)


def _laid_out(
    chunk: Chunk, order: np.ndarray, rank: np.ndarray, n: np.ndarray, sessions: Sessions | None, cutoff: int | None
) -> JudgedRankings:
    """Lay out documents of a chunk, given query by query with their ranks."""
    row, slot = chunk.layout(order)
    labels = chunk.per_label(order, slot, chunk.judgements.labels.value)
    ranks = np.ones(labels.shape[:2], dtype=np.int64)
    ranks[row, slot] = rank
    docs = np.full(labels.shape[:2], -1)
    docs[row, slot] = chunk.docs[order]
    return JudgedRankings(labels, ranks, docs, n, sessions, cutoff, chunk)
