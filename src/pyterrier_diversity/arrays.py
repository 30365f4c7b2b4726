"""Sums and products over documents and intents, for kernels.

Padding never changes a value, not by a bit: sums run one term after the other, so that a query's value is the same
whichever other queries share its batch.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def share(part: npt.ArrayLike, whole: npt.ArrayLike) -> np.ndarray:
    """Divide, 0 where there is nothing to divide by."""
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0)


def over_documents(values: np.ndarray) -> np.ndarray:
    """Sum an array of shape (..., n_docs) over the documents."""
    return np.cumsum(values, axis=-1)[..., -1] if values.shape[-1] else np.zeros(values.shape[:-1])


def over_intents(values: np.ndarray) -> np.ndarray:
    """Sum an array of shape (..., n_intents) over the intents."""
    total = np.zeros(values.shape[:-1])
    for intent in range(values.shape[-1]):
        total += values[..., intent]
    return total


def descending(values: np.ndarray) -> np.ndarray:
    """Sort an array of shape (..., n_docs), largest first."""
    return -np.sort(-values, axis=-1)


def left_before(taken: np.ndarray, axis: int) -> np.ndarray:
    """Return prod_{j<i} (1 - x_j) along the axis of the documents: what those above document i leave."""
    left = np.ones_like(taken)
    np.subtract(1.0, np.moveaxis(taken, axis, 0)[:-1], out=np.moveaxis(left, axis, 0)[1:])
    return np.cumprod(left, axis=axis, out=left)


def ranks_of(ranks: npt.ArrayLike | None, n_docs: int) -> np.ndarray:
    """Return the ranks as floats, 1, 2, 3, ... if there are none."""
    return np.arange(1.0, n_docs + 1) if ranks is None else np.asarray(ranks, dtype=np.float64)
