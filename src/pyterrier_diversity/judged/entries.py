"""Groups of rows, with sums and products over them."""

from __future__ import annotations

from functools import cached_property

import numpy as np


class Groups:
    """Groups of rows, such as the entries of an intent, the documents of a query or the turns of a session.

    Sums and products run row by row within a group, so that the result for a group does not depend on other groups.

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
        """The first row of each group."""
        return np.cumsum(self.size) - self.size

    @cached_property
    def place(self) -> np.ndarray:
        """0, 1, 2, ... within each group."""
        return np.arange(len(self.of)) - self.start[self.of]

    @cached_property
    def first(self) -> np.ndarray:
        """Whether each row is the first of its group."""
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
        """Return the largest value of each group, at least 0."""
        result = np.zeros(self.n)
        np.maximum.at(result, self.of, values)
        return result

    def until(self, values: np.ndarray, group: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Sum the first ``place`` values of groups, or all of a shorter group.

        Parameters
        ----------
        values : ndarray, shape (rows,)
        group, place : ndarray, shape (n,)
            The group, and the number of its rows to sum.

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
        """The rows of groups of similar size, shape (groups, places), padded with an index past the last row."""
        blocks = []
        # Groups of at most 2, 4, 8, ... rows; groups of one row have nothing above.
        doubling = np.frexp(self.size - 1.0)[1]
        for like in range(1, int(doubling.max(initial=0)) + 1):
            groups = np.flatnonzero((doubling == like) & (self.size > 1))
            if len(groups):
                place = np.arange(self.size[groups].max())
                rows = self.start[groups, None] + place
                rows[place >= self.size[groups, None]] = len(self.of)
                blocks.append(rows)
        return blocks
