"""A run seen through judgements: only the hits, as dense arrays that every measure shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .grades import relevance_probability
from .judgements import Chunk, Judgements
from .runs import Retrieved

if TYPE_CHECKING:
    from ..measures.base import DiversityMeasure


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
    n : ndarray, shape (queries,)
        Number of ranks looked at: the length of the ranking, at most the cutoff.
    cutoff : int or None
        Last rank looked at; None for all.
    chunk : Chunk
        The queries and their judgements.
    """

    labels: np.ndarray
    ranks: np.ndarray
    n: np.ndarray
    cutoff: int | None
    chunk: Chunk

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

    def ideal(self, key: Any, compute: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Compute something from the labels of all relevant documents, once for all runs; see `Chunk.ideal`."""
        return self.chunk.ideal(key, compute)


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
        row, slot, labels = chunk.layout(hits)
        ranks = np.ones(labels.shape[:2], dtype=np.int64)
        ranks[row, slot] = rank[hits]
        yield JudgedRankings(labels, ranks, np.minimum(retrieved.n[chunk.queries], last), cutoff, chunk)
