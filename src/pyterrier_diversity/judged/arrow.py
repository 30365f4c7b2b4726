"""Columns of Arrow strings. Comparing and searching them in Arrow avoids making Python objects."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

# Strings are compared in blocks of this size, or of one group, because small hash tables are fast.
_BLOCK = 2_000

# Fewer strings are looked up faster as Python objects.
FEWEST = 2_000


class ArrowStrings:
    """A column of strings. Indexing by a slice or by rows gives an array of objects."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._array)

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        """Return some strings, or None if a value is missing."""
        part = self._array[rows] if isinstance(rows, slice) else self._array.take(rows)
        return part.to_numpy(zero_copy_only=False)

    @property
    def type(self) -> str:
        """The Arrow type of the strings."""
        return str(self._array.type)

    @property
    def missing(self) -> np.ndarray:
        """Whether each row has no string."""
        return self._array.is_null().to_numpy(zero_copy_only=False)

    @property
    def heads(self) -> np.ndarray:
        """The rows where the value changes."""
        from pyarrow import compute

        differ = compute.not_equal(self._array[1:], self._array[:-1]).fill_null(True)
        return np.concatenate([[0], np.flatnonzero(differ.to_numpy(zero_copy_only=False)) + 1])

    def take(self, rows: np.ndarray) -> ArrowStrings:
        """Return the strings of some rows."""
        return ArrowStrings(self._array.take(rows))

    def repeats(self, group: np.ndarray) -> bool:
        """Tell whether any group of adjacent rows contains a string twice."""
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        starts = starts[np.diff(starts // _BLOCK, prepend=-1) > 0]
        for start, end in pairwise([*starts.tolist(), len(group)]):
            codes = self._array.slice(start, end - start).dictionary_encode().indices.to_numpy()
            keys = np.sort((group[start:end] - group[start]) * (end - start) + codes)
            if (keys[1:] == keys[:-1]).any():
                return True
        return False

    def like(self, names: np.ndarray) -> ArrowStrings:
        """Return names as Arrow strings of the same type."""
        import pyarrow

        return ArrowStrings(pyarrow.array(names, type=self._array.type))

    def places_in(self, names: ArrowStrings) -> np.ndarray:
        """Return the index of each string among distinct names, or -1."""
        from pyarrow import compute

        return compute.index_in(self._array, value_set=names._array).fill_null(-1).to_numpy()


def arrow_strings(column: pd.Series) -> ArrowStrings | None:
    """Return a column of Arrow strings, or None if the column has another type or few rows."""
    if len(column) < FEWEST:
        return None
    dtype = column.dtype
    if isinstance(dtype, pd.ArrowDtype):
        if str(dtype.pyarrow_dtype) not in ("string", "large_string"):
            return None
    elif getattr(dtype, "storage", None) != "pyarrow":
        return None
    import pyarrow

    array = pyarrow.array(column.array)
    return ArrowStrings(array.combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array)
