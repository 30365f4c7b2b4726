"""Greedy orders of dense arrays, for callers that have not moved to entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .exact import exact_order
from .greedy import greedy_places


class GreedyRanking(NamedTuple):
    """Documents, best first, as indices, and what each gains over those above it."""

    docs: np.ndarray
    gains: np.ndarray


def rank_greedily(
    relevant: npt.ArrayLike, *, worth: npt.ArrayLike | None = None, alpha: float = 0.5, depth: int | None = None
) -> GreedyRanking:
    """Rank documents, shape (..., n_docs, n_intents), as `greedy_places` does.

    Examples
    --------
    >>> rank_greedily([[1, 0], [1, 1], [0, 1]])
    GreedyRanking(docs=array([1, 0, 2]), gains=array([2. , 0.5, 0.5]))
    """
    relevant = np.asarray(relevant, dtype=np.float64)
    worth = relevant if worth is None else np.asarray(worth, dtype=np.float64)
    *before, n_docs, n_intents = relevant.shape
    depth = n_docs if depth is None else min(depth, n_docs)
    n_queries = int(np.prod(before))
    query, doc, intent = np.nonzero(relevant.reshape(n_queries, n_docs, n_intents))
    places = greedy_places(
        np.repeat(np.arange(n_queries), n_docs),
        query * n_docs + doc,
        query * n_intents + intent,
        worth.reshape(n_queries, n_docs, n_intents)[query, doc, intent],
        n_docs=n_queries * n_docs,
        alpha=alpha,
    ).reshape(*before, n_docs)
    docs = np.argsort(places, axis=-1)[..., :depth]
    met = np.take_along_axis(relevant, docs[..., None], axis=-2)
    left = np.ones_like(met)
    np.cumprod(1.0 - alpha * met[..., :-1, :], axis=-2, out=left[..., 1:, :])
    return GreedyRanking(docs, (np.take_along_axis(worth, docs[..., None], axis=-2) * left).sum(axis=-1))


def greedy_gains(
    relevant: npt.ArrayLike, *, worth: npt.ArrayLike | None = None, alpha: float = 0.5, depth: int | None = None
) -> np.ndarray:
    """Return the gains of `rank_greedily`.

    Examples
    --------
    >>> greedy_gains([[1, 0], [1, 1], [0, 1]])
    array([2. , 0.5, 0.5])
    """
    return rank_greedily(relevant, worth=worth, alpha=alpha, depth=depth).gains


def rank_exactly(
    relevant: npt.ArrayLike,
    *,
    alpha: float = 0.5,
    depth: int | None = None,
    discount: Callable[[np.ndarray], np.ndarray] | None = None,
    time_limit: float = 60.0,
) -> np.ndarray:
    """Order documents, shape (n_docs, n_intents), as `exact_order` does.

    Examples
    --------
    >>> rank_exactly([[1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 0, 1]], alpha=1.0, depth=2)
    array([2, 1])
    """
    relevant = np.asarray(relevant) > 0
    doc, intent = np.nonzero(relevant)
    return exact_order(
        doc, intent, n_docs=len(relevant), alpha=alpha, depth=depth, discount=discount, time_limit=time_limit
    )
