"""Groups of rows, with sums and products over them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arithmetic import counted, rows_by


class Groups:
    """Groups of rows, such as the entries of an intent, the documents of a query or the turns of a session.

    Sums and products run in the order of the rows, so that the result for a group does not depend on other groups.

    Parameters
    ----------
    of : ndarray of int, shape (rows,)
        The group of each row, in any order.
    n : int
        The number of groups; some may have no rows.

    Examples
    --------
    >>> groups = Groups(np.array([0, 2, 0, 0]), 3)
    >>> groups.place
    array([0, 0, 1, 2])
    >>> groups.total(np.array([1.0, 2.0, 3.0, 4.0]))
    array([8., 0., 2.])
    >>> groups.above(np.array([1.0, 2.0, 3.0, 4.0]))
    array([0., 0., 1., 4.])
    >>> groups.left(np.array([0.5, 0.5, 0.5, 0.5]))
    array([1.  , 1.  , 0.5 , 0.25])
    """

    def __init__(self, of: np.ndarray, n: int) -> None:
        self.of = of
        self.n = n

    def top(self, n_rows: int) -> Groups:
        """Return the groups of the first rows."""
        top = Groups(self.of[:n_rows], self.n)
        # The order and the places of the first rows do not depend on the rows below.
        top.__dict__.update(order=self.order[self.order < n_rows], place=self.place[:n_rows])
        return top

    @cached_property
    def size(self) -> np.ndarray:
        """The number of rows of each group."""
        return np.bincount(self.of, minlength=self.n)

    @cached_property
    def order(self) -> np.ndarray:
        """The rows, group by group."""
        return rows_by(self.of)

    @cached_property
    def place(self) -> np.ndarray:
        """0, 1, 2, ... within each group."""
        place = np.empty(len(self.of), dtype=np.int64)
        place[self.order] = counted(self.size)
        return place

    @property
    def first(self) -> np.ndarray:
        """Whether each row is the first of its group."""
        return self.place == 0

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
        sums = np.append((self.above(values) + values)[self.order], 0.0)
        start = np.cumsum(self.size) - self.size
        last = start[group] + np.minimum(place, self.size[group]).astype(np.intp) - 1
        return sums[np.where((place > 0) & (self.size[group] > 0), last, -1)]

    def _accumulated(self, operation: np.ufunc, values: np.ndarray, initial: float) -> np.ndarray:
        """Combine, for each row, the values of the rows 1, 2, 4, ... above it, and so of all rows above."""
        place = self.place[self.order]
        scan = np.full(len(place), initial)
        scan[1:] = values[self.order[:-1]]
        scan[place == 0] = initial
        step, below = 1, np.flatnonzero(place)
        while len(below := below[place[below] > step]):
            scan[below] = operation(scan[below], scan[below - step])
            step *= 2
        result = np.empty(len(place))
        result[self.order] = scan
        return result
