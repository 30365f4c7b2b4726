"""Discounts of gains by rank."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arithmetic import power

Discount = Callable[[np.ndarray], np.ndarray]

# The longest series that is summed.
_MAX_TERMS = 10_000_000


def log_discount(rank: np.ndarray) -> np.ndarray:
    """Return 1 / log2(rank + 1), the discount of DCG."""
    return 1.0 / np.log2(rank + 1.0)


def reciprocal_discount(rank: np.ndarray) -> np.ndarray:
    """Return 1 / rank, the discount of ERR."""
    return 1.0 / rank


@dataclass(frozen=True)
class GeometricDiscount:
    """The discount of RBP, p^(rank - 1)."""

    p: float

    def __call__(self, rank: np.ndarray) -> np.ndarray:
        """Return the discount at ranks."""
        return power(self.p, rank - 1)


def n_terms(who: object, cutoff: int, base: float = 1.0) -> int:
    """Return how many ranks down to a cutoff add to a series of powers of ``base``, in [0, 1].

    Raises
    ------
    ValueError
        If there are too many to be summed.

    Examples
    --------
    >>> n_terms("RBP", 10**100, 0.5)
    1078
    """
    n = cutoff
    if base < 1:  # from some rank on, all powers are 0
        n = min(cutoff, 2 if base == 0 else math.ceil(-746 / math.log(base)) + 1)
    if n > _MAX_TERMS:
        raise ValueError(f"{who}: the cutoff must not exceed {_MAX_TERMS} with these parameters.")
    return n
