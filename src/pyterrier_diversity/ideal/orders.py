"""Orders of the relevant documents: the ideal rankings of measures, and proven optima.

Orders with equal parameters are equal. An order depends only on the judgements.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..judged import Groups, Judgements, QueryRelevance, Ranked, relevance_by_query
from ..parameters import TIME_LIMIT, Parameter, Parameters
from ..progress import progress
from .cover import Covers
from .discount import Discount
from .exact import exact_order, naming
from .greedy import greedy_places

# Weights and fractions that differ by less count as equal.
ROUNDING = 1e-9

IDEAL: Parameters = {
    "ideal": Parameter(
        str, "exact", choices=("exact", "greedy"), desc="find the smallest cover exactly (and prove it), or greedily"
    ),
    **TIME_LIMIT,
}

# Takes a ranking and parameters, and returns the gain of each entry.
Worth = Callable[..., np.ndarray]


@dataclass(frozen=True)
class ByWorth:
    """Order documents by their total worth over all intents, largest first; ties by descending name.

    Parameters
    ----------
    worth : callable
        The worth of each entry: a function at the top level of a module.
    parameters : tuple of hashable
        Further arguments of ``worth``.
    """

    worth: Worth
    parameters: tuple[Hashable, ...] = ()

    def places(self, every: Ranked, depth: int | None) -> np.ndarray:
        """Return the place of each document."""
        # Documents are sorted by query and descending name.
        query = every.judgements.documents.query
        worth = np.bincount(every.doc, self.worth(every, *self.parameters), minlength=len(query))
        places = np.empty(len(query), dtype=np.int64)
        places[np.lexsort([-worth, query])] = every.ranks
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
        worth = np.ones(len(every.rank)) if self.worth is None else self.worth(every, *self.parameters)
        order, query = np.argsort(every.doc, kind="stable"), every.judgements.documents.query
        return greedy_places(
            query, every.doc[order], every.intent[order], worth[order], alpha=self.alpha, depth=depth, least=self.least
        )


class _Proven:
    """An order that is searched for and proven, query by query."""

    def places(self, every: Ranked, depth: int | None) -> np.ndarray:
        """Return the place of each document, or 0 if the order leaves it out."""
        places = np.zeros(len(every.judgements.documents.ids), dtype=np.int64)
        for docs in _rankings_of(every.judgements, self._best, "best rankings"):
            places[docs] = np.arange(1, len(docs) + 1)
        return places

    def _best(self, query: QueryRelevance, covers: Covers) -> Sequence[int] | np.ndarray:
        raise NotImplementedError


@dataclass(frozen=True)
class Exact(_Proven):
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
    discount: Discount
    depth: int | None
    time_limit: float

    def _best(self, query: QueryRelevance, covers: Covers) -> Sequence[int] | np.ndarray:
        return exact_order(query.doc, query.intent, n_docs=len(query.docs), **vars(self))


def n_wanted(recall: float, n_intents: npt.ArrayLike) -> np.ndarray:
    """Return a fraction of the number of intents, rounded up: 2/3 of three intents are two."""
    n_intents = np.asarray(n_intents)
    wanted = np.ceil(recall * n_intents - ROUNDING).astype(np.intp)
    return np.maximum(wanted, n_intents > 0)


@dataclass(frozen=True)
class MostCovering(_Proven):
    """The fewest documents that cover all intents, or a fraction of them, or as many as possible, with a proof.

    Parameters
    ----------
    depth : int or None
        Largest number of documents; None for any number.
    time_limit : float
        Limit of the search in seconds for each query.
    by_weight : str, optional
        The name of the measure, if it weights intents; the weights of a query's intents must then be equal.
    recall : float
        The fraction of the intents to cover.
    """

    depth: int | None
    time_limit: float
    by_weight: str | None = None
    recall: float = 1.0

    def places(self, every: Ranked, depth: int | None) -> np.ndarray:
        """Return the place of each document.

        Raises
        ------
        ValueError
            If the measure weights intents, and the weights of a query's intents differ.
        """
        judgements = every.judgements
        if self.by_weight is not None:
            highest = Groups(judgements.intents.query, len(judgements)).highest(judgements.weights)
            if not np.isclose(judgements.weights, highest[judgements.intents.query], rtol=ROUNDING, atol=0).all():
                raise ValueError(f"{self.by_weight}: a proof needs intents of equal weight; use ideal='greedy'.")
        return super().places(every, depth)

    def _best(self, query: QueryRelevance, covers: Covers) -> Sequence[int] | np.ndarray:
        cover = covers.exact(int(n_wanted(self.recall, covers.n_intents)), self.time_limit)
        if self.depth is None or len(cover) <= self.depth:
            return cover
        # With alpha = 1 and no discount, the value is the number of intents.
        return Exact(1.0, np.ones_like, self.depth, self.time_limit)._best(query, covers)


def smallest_covers(
    judgements: Judgements, n_intents: np.ndarray, ideal: str, time_limit: float = math.inf, *, who: str
) -> list[np.ndarray]:
    """Return, for each query, the documents of a smallest set that covers ``n_intents`` intents.

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
    wanted = iter(n_intents.tolist())

    def cover(_: QueryRelevance, covers: Covers) -> list[int]:
        return covers.greedy(next(wanted)) if ideal == "greedy" else covers.exact(next(wanted), time_limit)

    return list(_rankings_of(judgements, cover, who))


def min_ranks(judgements: Judgements, n_intents: np.ndarray, ideal: str, time_limit: float, who: str) -> np.ndarray:
    """Return minRank for each query: the size of its smallest cover, as from `smallest_covers`."""
    covers = smallest_covers(judgements, n_intents, ideal, time_limit, who=who)
    return np.array([len(cover) for cover in covers], dtype=np.int64)


def _rankings_of(
    judgements: Judgements, find: Callable[..., Sequence[int] | np.ndarray], title: str
) -> Iterator[np.ndarray]:
    """Yield the documents of each query that are found by its relevance and its covers, with a progress bar."""
    # Each cover is computed once.
    queries: list[tuple[QueryRelevance, Covers]] = judgements.remembered(
        "covers", lambda: [(query, Covers(query.doc, query.intent)) for query in relevance_by_query(judgements)]
    )
    for query, covers in progress(queries, title, unit="query"):
        with naming(query.query_id):
            docs = query.documents[find(query, covers)]
        yield docs
