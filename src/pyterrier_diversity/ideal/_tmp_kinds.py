"""Kinds of documents: those that are relevant to the same intents are one kind."""

from __future__ import annotations

import numpy as np

_ROWS_AT_ONCE = 512


def strictly_within(kinds: np.ndarray) -> np.ndarray:
    """Tell which kinds have all intents of another one, and more.

    Parameters
    ----------
    kinds : ndarray of bool, shape (n_kinds, n_intents)
        The intents of each kind; no two are the same.

    Returns
    -------
    ndarray of bool, shape (n_kinds, n_kinds)
        Whether the intents of the first are all among those of the second.

    Examples
    --------
    >>> strictly_within(np.array([[True, False], [True, True]]))
    array([[False,  True],
           [False, False]])
    """
    counts = kinds.astype(np.float32)
    size = counts.sum(axis=1)
    within = np.zeros((len(kinds), len(kinds)), dtype=bool)
    for start in range(0, len(kinds), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        within[rows] = counts[rows] @ counts.T == size[rows, None]
    np.fill_diagonal(within, False)
    return within
