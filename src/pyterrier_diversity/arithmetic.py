"""Arithmetic whose results do not depend on what else is computed in the same call."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

# Longer tables of powers are not made.
_LONGEST_TABLE = 2**16

# More terms of a series are not summed up.
MAX_TERMS = 10_000_000


def divide(part: npt.ArrayLike, whole: npt.ArrayLike) -> np.ndarray:
    """Divide; 0 where there is nothing to divide by.

    Examples
    --------
    >>> divide([1.0, 2.0], [4.0, 0.0])
    array([0.25, 0.  ])
    """
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    if whole.all():
        return np.asarray(part / whole)
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0)


def power(base: npt.ArrayLike, exponent: npt.ArrayLike) -> np.ndarray:
    """Raise to powers, equal to the bit whether one value is computed or many.

    ``np.power`` takes short cuts such as the square root where there is a single exponent, and they may differ from the
    general way in the last bit.

    Examples
    --------
    >>> power(0.5, [0, 1, 2])
    array([1.  , 0.5 , 0.25])
    """
    exponent = np.asarray(exponent)
    if exponent.dtype.kind in "iu" and exponent.size and np.ndim(base) == 0 and exponent.max() < _LONGEST_TABLE:
        # Each power once.
        return np.asarray(np.power(base, np.arange(max(float(exponent.max()), 1.0) + 1))[exponent])
    exponent = exponent.astype(np.float64)
    if exponent.size > 1:
        return np.asarray(np.power(base, exponent))
    base, exponent = np.broadcast_arrays(np.asarray(base, dtype=np.float64), exponent)
    twice = np.power(np.tile(base.ravel(), 2), np.append(exponent.ravel(), np.arange(exponent.size)))
    return np.asarray(twice[: exponent.size].reshape(exponent.shape))


def underflow(base: float) -> float:
    """Return an exponent from which on the powers of ``base``, in [0, 1], are 0; infinity for 1.

    Examples
    --------
    >>> underflow(0.5)
    1078
    """
    if base == 1:
        return math.inf
    return 2 if base == 0 else math.ceil(-746 / math.log(base)) + 1
