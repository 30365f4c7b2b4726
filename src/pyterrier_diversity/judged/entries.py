"""Rows that stand together, and what is summed and multiplied over them."""

from __future__ import annotations

from functools import cached_property

import numpy as np


class Groups:
    """Rows in groups: the entries of an intent, the documents of a query, the turns of a session.

    Sums and products run row after row inside a group, so that no other group changes a bit of them.

    Parameters
    ----------
    of : ndarray of int, shape (rows,)
        The group of each row, ascending.
    n : int
        The number of groups; some may have no rows.

    Examples
    --------
    >>> groups = Groups(np.array([0, 0, 0, 2]), 3)
    >>> groups.place
    array([0, 1, 2, 0])
    >>> groups.total(np.array([1.0, 2.0, 3.0, 4.0]))
    array([6., 0., 4.])
    >>> groups.above(np.array([1.0, 2.0, 3.0, 4.0]))
    array([0., 1., 3., 0.])
    >>> groups.left(np.array([0.5, 0.5, 0.5, 0.5]))
    array([1.  , 0.5 , 0.25, 1.  ])
    """

    def __init__(self, of: np.ndarray, n: int) -> None:
        self.of = of
        self.n = n

    @cached_property
    def size(self) -> np.ndarray:
        """The number of rows of each group."""
        return np.bincount(self.of, minlength=self.n)

    @cached_property
    def start(self) -> np.ndarray:
        """Where the rows of each group begin."""
        return np.cumsum(self.size) - self.size

    @cached_property
    def place(self) -> np.ndarray:
        """0, 1, 2, ... within each group."""
        return np.arange(len(self.of)) - self.start[self.of]

    @cached_property
    def first(self) -> np.ndarray:
        """Which rows are the first of their group."""
        first = np.ones(len(self.of), dtype=bool)
        np.not_equal(self.of[1:], self.of[:-1], out=first[1:])
        return first

    def total(self, values: np.ndarray) -> np.ndarray:
        """Sum the values of each group."""
        return np.bincount(self.of, values, minlength=self.n)

    def above(self, values: np.ndarray) -> np.ndarray:
        """Sum, for each row, the values above it in its group."""
        return self._accumulated(np.add, np.asarray(values, dtype=np.float64), 0.0)

    def left(self, taken: np.ndarray) -> np.ndarray:
        """Multiply, for each row, ``1 - taken`` of the rows above it in its group."""
        return self._accumulated(np.multiply, 1.0 - taken, 1.0)

    def highest(self, values: np.ndarray) -> np.ndarray:
        """Return the largest value of each group; 0 for a group without a positive one."""
        result = np.zeros(self.n)
        np.maximum.at(result, self.of, values)
        return result

    def until(self, values: np.ndarray, group: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Sum the first ``place`` values of groups: all of them where a group has fewer.

        Parameters
        ----------
        values : ndarray, shape (rows,)
        group, place : ndarray, shape (n,)
            Which group, and how many of its rows: a whole number.

        Returns
        -------
        ndarray, shape (n,)
        """
        sums = np.append(self.above(values) + values, 0.0)
        last = self.start[group] + np.minimum(place, self.size[group]).astype(np.intp) - 1
        return sums[np.where((place > 0) & (self.size[group] > 0), last, -1)]

    def _accumulated(self, operation: np.ufunc, values: np.ndarray, initial: float) -> np.ndarray:
        padded = np.append(values, initial)
        result = np.full(len(padded), initial)
        for rows in self._side_by_side:
            result[rows[:, 1:]] = operation.accumulate(padded[rows], axis=1)[:, :-1]
        return result[:-1]

    @cached_property
    def _side_by_side(self) -> list[np.ndarray]:
        """The rows of groups of like size, shape (groups, places); what a shorter group lacks points past the rows."""
        blocks = []
        # Groups of at most 2, 4, 8, ... rows; those of a single row have nothing above it.
        doubling = np.frexp(self.size - 1.0)[1]
        for like in range(1, int(doubling.max(initial=0)) + 1):
            groups = np.flatnonzero((doubling == like) & (self.size > 1))
            if len(groups):
                place = np.arange(self.size[groups].max())
                rows = self.start[groups, None] + place
                rows[place >= self.size[groups, None]] = len(self.of)
                blocks.append(rows)
        return blocks
