"""The relevant documents of each query, for searches that work query by query."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .judgements import Judgements
from .ranked import relevant_documents


class QueryRelevance(NamedTuple):
    """A query, its relevant documents by descending name, its intents, and the labels that link them.

    Attributes
    ----------
    query_id : str
        The query.
    docs, intents : ndarray of str
        The names of documents and intents.
    documents : ndarray of int, shape (documents,)
        Index of each document among those of the judgements.
    doc, intent : ndarray of int, shape (labels,)
        Document ``doc`` is relevant to ``intent``, both numbered from 0; sorted.
    """

    query_id: str
    docs: np.ndarray
    intents: np.ndarray
    documents: np.ndarray
    doc: np.ndarray
    intent: np.ndarray

    @property
    def matrix(self) -> np.ndarray:
        """Which document is relevant to which intent, shape (documents, intents)."""
        relevant = np.zeros((len(self.docs), len(self.intents)), dtype=bool)
        relevant[self.doc, self.intent] = True
        return relevant


def relevance_by_query(judgements: Judgements) -> list[QueryRelevance]:
    """Return the relevance of documents to intents, query by query."""
    every = relevant_documents(judgements)
    documents, names = every.documents, judgements.documents.ids
    order = np.lexsort([every.intent, documents.of_entry])
    doc, intent = documents.of_entry[order], every.intent[order]
    n_labels = np.bincount(every.query, minlength=len(judgements))
    n_intents = np.bincount(judgements.intents.query, minlength=len(judgements))
    bounds = (np.cumsum(np.append(0, n)).tolist() for n in (documents.queries.size, n_intents, n_labels))
    found = []
    for query_id, *spans in zip(judgements.query_ids, *map(pairwise, bounds), strict=True):
        docs, intents, labels = (slice(*span) for span in spans)
        index = documents.doc[docs]
        found.append(
            QueryRelevance(
                query_id,
                names[index],
                judgements.intents.ids[intents],
                index,
                doc[labels] - docs.start,
                intent[labels] - intents.start,
            )
        )
    return found
