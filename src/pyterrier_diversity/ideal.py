"""Ideal rankings: the best that the judgements allow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .arrays import over_intents

# Two gains this close are a tie: sums of the same terms in another order differ by less.
TIE = 1e-12


def greedy_gains(relevant: npt.ArrayLike, *, alpha: float = 0.5, depth: int | None = None) -> np.ndarray:
    r"""Compute the novelty-discounted gains of the greedy ideal ranking.

    At each rank, the document of the largest gain :math:`\sum_t J_{dt} (1 - \alpha)^{c_t}` is taken, :math:`c_t`
    being how many documents before it are relevant to intent :math:`t`; of tied ones, the first in ``relevant``.

    Parameters
    ----------
    relevant : array_like, shape (..., n_docs, n_intents)
        1 where a document is relevant to an intent, else 0; documents in the order that breaks ties.
    alpha : float in [0, 1]
        How much an intent is worth less each time that it is met.
    depth : int, optional
        Number of ranks; all documents if omitted.

    Returns
    -------
    ndarray, shape (..., min(depth, n_docs))
        Gain at each rank; 0 once nothing is left.

    References
    ----------
    Clarke et al. (2008). Novelty and diversity in information retrieval evaluation. SIGIR, 659-666.
    https://doi.org/10.1145/1390334.1390446

    Examples
    --------
    >>> greedy_gains([[1, 0], [1, 1], [0, 1]])
    array([2. , 0.5, 0.5])
    """
    relevant = np.asarray(relevant, dtype=np.float64)
    n_docs = relevant.shape[-2]
    depth = n_docs if depth is None else min(depth, n_docs)
    worth = np.ones((*relevant.shape[:-2], 1, relevant.shape[-1]))
    left = np.asarray(relevant.any(axis=-1))
    gains = np.zeros((*relevant.shape[:-2], depth))
    for i in range(depth):
        gain = np.where(left, over_intents(relevant * worth), 0.0)
        best = gain.max(axis=-1, keepdims=True)
        chosen = np.argmax(left & (gain >= best - TIE), axis=-1)[..., None]
        gains[..., i] = np.take_along_axis(gain, chosen, axis=-1)[..., 0]
        np.put_along_axis(left, chosen, False, axis=-1)
        worth *= np.where(np.take_along_axis(relevant, chosen[..., None], axis=-2) > 0, 1 - alpha, 1.0)
    return gains
