"""Discounts of gains by rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arithmetic import power

Discount = Callable[[np.ndarray], np.ndarray]


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
