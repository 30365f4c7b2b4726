"""Arithmetic whose results do not depend on the other values in the same call."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

# Fewer values are sorted faster by numpy.argsort.
_FEW = 500

# The longest table of powers. Those of small numbers are slow to compute, so tables are kept.
_LONGEST_TABLE = 2**16


def divide(part: npt.ArrayLike, whole: npt.ArrayLike) -> np.ndarray:
    """Divide, with 0 as the result of a division by 0.

    Examples
    --------
    >>> divide([1.0, 2.0], [4.0, 0.0])
    array([0.25, 0.  ])
    """
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    if np.count_nonzero(whole) == whole.size:  # faster than all()
        return np.asarray(part / whole)
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0)


def power(base: npt.ArrayLike, exponent: npt.ArrayLike) -> np.ndarray:
    """Raise to powers, with the same result, bit for bit, for one value and for many.

    ``np.power`` takes shortcuts such as the square root for a single exponent, which may differ from the general case
    in the last bit.

    Examples
    --------
    >>> power(0.5, [0, 1, 2])
    array([1.  , 0.5 , 0.25])
    """
    exponent = np.asarray(exponent)
    largest = int(exponent.max()) if exponent.dtype.kind in "iu" and exponent.size else _LONGEST_TABLE
    if largest < _LONGEST_TABLE and np.isscalar(base):
        return _powers(float(np.asarray(base)), max(2, 1 << largest.bit_length()))[exponent]
    exponent = exponent.astype(np.float64)
    if exponent.size > 1:
        return np.asarray(np.power(base, exponent))
    base, exponent = np.broadcast_arrays(np.asarray(base, dtype=np.float64), exponent)
    twice = np.power(np.tile(base.ravel(), 2), np.append(exponent.ravel(), np.arange(exponent.size)))
    return np.asarray(twice[: exponent.size].reshape(exponent.shape))


@lru_cache(maxsize=16)
def _powers(base: float, n: int) -> np.ndarray:
    return np.power(base, np.arange(float(n)))


def counted(size: np.ndarray) -> np.ndarray:
    """Return 0, 1, 2, ... for each of some groups of adjacent rows, given their sizes.

    Examples
    --------
    >>> counted(np.array([2, 0, 3]))
    array([0, 1, 0, 1, 2])
    """
    return np.arange(size.sum()) - (size.cumsum() - size).repeat(size)


def rows_by(values: np.ndarray) -> np.ndarray:
    """Return the rows by ascending value, which is not negative; rows of equal value stay in their order.

    Examples
    --------
    >>> rows_by(np.array([7, 0, 7, 3]))
    array([1, 3, 0, 2])
    """
    if len(values) < _FEW:
        return values.argsort(kind="stable")
    # Numbers of 16 bits are sorted fast, so that the lowest 16 bits come first, and then the next ones.
    order = np.argsort(values.astype(np.uint16), kind="stable")
    return order if values.max() < 2**16 else order[rows_by(values[order] >> 16)]
