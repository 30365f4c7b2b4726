"""The relevant documents of each query, for searches that work query by query."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .judgements import Judgements, take


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
    documents, intents = judgements.documents, judgements.intents
    labels = take(judgements.labels, np.lexsort([judgements.labels.intent, judgements.labels.doc]))
    n_labels = np.bincount(intents.query[labels.intent], minlength=len(judgements))
    sizes = (judgements.n_relevant_docs, judgements.n_intents, n_labels)
    bounds = (pairwise(np.cumsum(np.append(0, n)).tolist()) for n in sizes)
    found = []
    for query_id, *spans in zip(judgements.query_ids, *bounds, strict=True):
        of_docs, of_intents, of_labels = (slice(*span) for span in spans)
        index = np.arange(of_docs.start, of_docs.stop)
        doc, intent = labels.doc[of_labels] - of_docs.start, labels.intent[of_labels] - of_intents.start
        found.append(QueryRelevance(query_id, documents.ids[of_docs], intents.ids[of_intents], index, doc, intent))
    return found
