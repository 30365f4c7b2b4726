"""The greedy ideal ranking: at each rank, the document that gains most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import over_intents

# Two gains this close are a tie: sums of the same terms in another order differ by less.
TIE = 1e-12


class GreedyRanking(NamedTuple):
    """Documents, best first, as indices, and what each gains over those above it."""

    docs: np.ndarray
    gains: np.ndarray


def rank_greedily(
    relevant: npt.ArrayLike, *, worth: npt.ArrayLike | None = None, alpha: float = 0.5, depth: int | None = None
) -> GreedyRanking:
    r"""Rank documents by the largest gain over those already ranked.

    At each rank, the document of the largest gain :math:`\sum_t v_{dt} (1 - \alpha)^{c_t}` is taken, :math:`c_t`
    being how many documents before it are relevant to intent :math:`t`; of tied ones, the first in ``relevant``.

    Parameters
    ----------
    relevant : array_like, shape (..., n_docs, n_intents)
        1 where a document is relevant to an intent, else 0; documents in the order that breaks ties.
    worth : array_like, shape (..., n_docs, n_intents), optional
        :math:`v`, what a document is worth to an intent that was not met yet; ``relevant`` if omitted.
    alpha : float in [0, 1]
        How much an intent is worth less each time it is met.
    depth : int, optional
        Number of ranks; all documents if omitted.

    Returns
    -------
    GreedyRanking
        ``docs`` and ``gains``, each of shape (..., min(depth, n_docs)); documents that are relevant to nothing come
        last, with a gain of 0.

    References
    ----------
    Clarke et al. (2008). Novelty and diversity in information retrieval evaluation. SIGIR, 659-666.
    https://doi.org/10.1145/1390334.1390446

    Examples
    --------
    >>> rank_greedily([[1, 0], [1, 1], [0, 1]])
    GreedyRanking(docs=array([1, 0, 2]), gains=array([2. , 0.5, 0.5]))
    """
    relevant = np.asarray(relevant, dtype=np.float64)
    worth = relevant if worth is None else np.asarray(worth, dtype=np.float64)
    n_docs = relevant.shape[-2]
    depth = n_docs if depth is None else min(depth, n_docs)
    left_of_intent = np.ones((*relevant.shape[:-2], relevant.shape[-1]))
    left = np.ones(relevant.shape[:-1], dtype=bool)
    gain = np.where(relevant.any(axis=-1), over_intents(worth), -1.0)
    docs = np.zeros((*relevant.shape[:-2], depth), dtype=np.intp)
    gains = np.zeros(docs.shape)
    for i in range(depth):
        best = gain.max(axis=-1, keepdims=True)
        chosen = np.argmax(left & (gain >= best - TIE), axis=-1)[..., None]
        docs[..., i] = chosen[..., 0]
        gains[..., i] = np.maximum(np.take_along_axis(gain, chosen, axis=-1)[..., 0], 0.0)
        np.put_along_axis(left, chosen, False, axis=-1)
        np.put_along_axis(gain, chosen, -1.0, axis=-1)
        met = np.take_along_axis(relevant, chosen[..., None], axis=-2)[..., 0, :]
        left_of_intent *= np.where(met > 0, 1 - alpha, 1.0)
        # Only documents that share an intent with the chosen one are worth less than before.
        fewer = np.nonzero((gain >= 0) & ((relevant @ met[..., None])[..., 0] > 0))
        gain[fewer] = over_intents(worth[fewer] * left_of_intent[fewer[:-1]])
    return GreedyRanking(docs, gains)


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
