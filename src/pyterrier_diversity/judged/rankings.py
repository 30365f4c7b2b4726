"""A run seen through judgements: only the hits, as dense arrays that every measure shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .grades import gain_value, relevance_probability
from .judgements import Chunk, Judgements
from .runs import Retrieved

if TYPE_CHECKING:
    from ..measures.base import DiversityMeasure

T = TypeVar("T")

# 2 to the power of more, summed over the documents of a query, may not be finite.
LARGEST_EXPONENT = 1000


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
    cutoff : int or None
        Last rank looked at; None for all.
    chunk : Chunk
        The queries and their judgements.
    """

    labels: np.ndarray
    ranks: np.ndarray
    docs: np.ndarray
    n: np.ndarray
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
        """|T|, shape (queries,)."""
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

    def gain(self, measure: DiversityMeasure) -> np.ndarray:
        """Gain values under the measure's ``gain``, shape (queries, hits, intents).

        Raises
        ------
        ValueError
            If a label of the qrels is so large that its exponential gain is not finite.
        """
        if measure["gain"] == "exp":
            self.chunk.judgements.check_labels(LARGEST_EXPONENT, str(measure))
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
    return _laid_out(chunk, order, ranks, n, None)


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
        yield _laid_out(chunk, hits, rank[hits], np.minimum(retrieved.n[chunk.queries], last), cutoff)


def _laid_out(chunk: Chunk, order: np.ndarray, rank: np.ndarray, n: np.ndarray, cutoff: int | None) -> JudgedRankings:
    """Lay out documents of a chunk, given query by query with their ranks."""
    row, slot, labels = chunk.layout(order)
    ranks = np.ones(labels.shape[:2], dtype=np.int64)
    ranks[row, slot] = rank
    docs = np.full(labels.shape[:2], -1)
    docs[row, slot] = chunk.docs[order]
    return JudgedRankings(labels, ranks, docs, n, cutoff, chunk)
