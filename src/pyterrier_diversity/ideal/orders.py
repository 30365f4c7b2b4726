"""Orders of the relevant documents: the ideal rankings of measures, and proven optima.

Orders with equal parameters are equal. An order depends only on the judgements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..judged import Judgements, QueryRelevance, Ranked, relevance_by_query
from ..progress import progress
from .cover import Covers
from .errors import naming
from .exact import exact_order
from .greedy import greedy_places

# Weights and fractions that differ by less count as equal.
ROUNDING = 1e-9

# Takes a ranking and parameters, and returns the gain of each entry.
Worth = Callable[..., np.ndarray]


@dataclass(frozen=True, init=False)
class ByWorth:
    """Order documents by their total worth over all intents, largest first; ties by descending name.

    Parameters
    ----------
    worth : callable
        The worth of each entry: a function at the top level of a module.
    *parameters : hashable
        Further arguments of ``worth``.
    """

    worth: Worth
    parameters: tuple[Hashable, ...]

    def __init__(self, worth: Worth, *parameters: Hashable) -> None:
        object.__setattr__(self, "worth", worth)
        object.__setattr__(self, "parameters", parameters)

    def places(self, every: Ranked, depth: int | None) -> np.ndarray:
        """Return the place of each document."""
        documents = every.documents
        worth = documents.total(self.worth(every, *self.parameters))
        order = np.lexsort([documents.rank, -worth, documents.queries.of])
        places = np.empty(len(order), dtype=np.int64)
        places[documents.doc[order]] = documents.queries.place + 1
        return places


@dataclass(frozen=True)
class Greedy:
    """Order documents greedily by their gain sum_t v_it (1 - alpha)^c_it; ties by descending name.

    Parameters
    ----------
    alpha : float
        Penalty for repetition: an intent's gain is multiplied by 1 - alpha each time it is covered again.
    worth : callable, optional
        v, as for `ByWorth`; 1 by default.
    parameters : tuple
        Further arguments of ``worth``.
    least : float
        The order ends before the first document whose gain does not exceed ``least``.
    """

    alpha: float
    worth: Worth | None = None
    parameters: tuple[Hashable, ...] = ()
    least: float = -math.inf

    def places(self, every: Ranked, depth: int | None) -> np.ndarray:
        """Return the place of each document."""
        documents = every.documents
        worth = np.ones(len(every.rank)) if self.worth is None else self.worth(every, *self.parameters)
        order = np.argsort(documents.of_entry, kind="stable")
        places = np.empty(len(documents.doc), dtype=np.int64)
        places[documents.doc] = greedy_places(
            documents.queries.of,
            documents.of_entry[order],
            every.intent[order],
            worth[order],
            n_docs=len(documents.doc),
            alpha=self.alpha,
            depth=depth,
            least=self.least,
        )
        return places


@dataclass(frozen=True)
class Exact:
    """Order documents by the highest discounted sum of sum_t J_it (1 - alpha)^c_it, with a proof.

    Parameters
    ----------
    alpha : float
        Penalty for repetition: an intent's gain is multiplied by 1 - alpha each time it is covered again.
    discount : callable
        The discount at ranks; discounts with the same parameters must be equal.
    depth : int or None
        Number of documents. The best ranking for one depth may not be the best for another.
    time_limit : float
        Limit of the search in seconds for each query.
    """

    alpha: float
    discount: Callable[[np.ndarray], np.ndarray]
    depth: int | None
    time_limit: float

    def places(self, every: Ranked, depth: int | None) -> np.ndarray:
        """Return the place of each document."""
        return _query_by_query(every.judgements, self._best)

    def _best(self, query: QueryRelevance) -> Sequence[int]:
        return exact_order(
            query.doc,
            query.intent,
            n_docs=len(query.docs),
            alpha=self.alpha,
            discount=self.discount,
            depth=self.depth,
            time_limit=self.time_limit,
        ).tolist()


@dataclass(frozen=True)
class Cover:
    """The fewest documents that together cover a fraction of a query's intents, with a proof.

    Parameters
    ----------
    recall : float
        The fraction of the intents.
    time_limit : float
        Limit of the search in seconds for each query.
    """

    recall: float
    time_limit: float

    def places(self, every: Ranked, depth: int | None) -> np.ndarray:
        """Return the place of each document."""
        return _query_by_query(every.judgements, self._best)

    def _best(self, query: QueryRelevance) -> Sequence[int]:
        covers = Covers(query.doc, query.intent)
        return covers.exact(int(n_wanted(self.recall, covers.n_intents)), self.time_limit)


def n_wanted(recall: float, n_intents: npt.ArrayLike) -> np.ndarray:
    """Return a fraction of the number of intents, rounded up: 2/3 of three intents are two."""
    n_intents = np.asarray(n_intents)
    wanted = np.ceil(recall * n_intents - ROUNDING).astype(np.intp)
    return np.maximum(wanted, n_intents > 0)


@dataclass(frozen=True)
class MostCovering:
    """The documents that cover the most intents, and as few of them as possible, with a proof.

    Parameters
    ----------
    depth : int or None
        Largest number of documents; None for any number.
    time_limit : float
        Limit of the search in seconds for each query.
    by_weight : str, optional
        The name of the measure, if it weights intents; the weights of a query's intents must then be equal.
    """

    depth: int | None
    time_limit: float
    by_weight: str | None = None

    def places(self, every: Ranked, depth: int | None) -> np.ndarray:
        """Return the place of each document.

        Raises
        ------
        ValueError
            If the measure weights intents, and the weights of a query's intents differ.
        """
        if self.by_weight is not None:
            self._check_weights(every.judgements)
        return _query_by_query(every.judgements, self._best)

    def _check_weights(self, judgements: Judgements) -> None:
        highest = np.zeros(len(judgements))
        np.maximum.at(highest, judgements.intents.query, judgements.weights)
        if not np.isclose(judgements.weights, highest[judgements.intents.query], rtol=ROUNDING, atol=0).all():
            raise ValueError(
                f"{self.by_weight}: the best ranking can be proven only if all intents of a query have the same "
                "weight; use ideal='greedy'."
            )

    def _best(self, query: QueryRelevance) -> Sequence[int]:
        covers = Covers(query.doc, query.intent)
        cover = covers.exact(covers.n_intents, self.time_limit)
        if self.depth is None or len(cover) <= self.depth:
            return cover
        as_many = exact_order(
            query.doc,
            query.intent,
            n_docs=len(query.docs),
            alpha=1.0,
            discount=np.ones_like,
            depth=self.depth,
            time_limit=self.time_limit,
        )
        return as_many.tolist()


def min_ranks(judgements: Judgements, n_intents: np.ndarray, ideal: str, time_limit: float, who: str) -> np.ndarray:
    """Return minRank for each query: the smallest number of documents that cover ``n_intents`` intents.

    Parameters
    ----------
    judgements : Judgements
        The judgements.
    n_intents : ndarray of int, shape (queries,)
        The number of intents to cover.
    ideal : {"exact", "greedy"}
        The proven minimum, or the greedy approximation.
    time_limit : float
        Limit of the search in seconds for each query.
    who : str
        The title of the progress bar.

    Raises
    ------
    NotProvenError
        If a query needs more time.
    """
    covers = judgements.remembered(
        "covers", lambda: [Covers(query.doc, query.intent) for query in relevance_by_query(judgements)]
    )
    n_docs = np.zeros(len(judgements), dtype=np.int64)
    for i, (query_id, wanted) in enumerate(
        zip(progress(judgements.query_ids, who, unit="query"), n_intents.tolist(), strict=True)
    ):
        with naming(query_id):
            cover = covers[i].greedy(wanted) if ideal == "greedy" else covers[i].exact(wanted, time_limit)
        n_docs[i] = len(cover)
    return n_docs


def _query_by_query(judgements: Judgements, rank: Callable[[QueryRelevance], Sequence[int]]) -> np.ndarray:
    places = np.zeros(len(judgements.documents.ids), dtype=np.int64)
    for query in progress(relevance_by_query(judgements), "best rankings", unit="query"):
        with naming(query.query_id):
            docs = query.documents[list(rank(query))]
        places[docs] = np.arange(1, len(docs) + 1)
    return places
