"""Columns of strings. Long ones stay in Arrow, where they are compared and looked up without making Python objects.

Only this module tells the two kinds apart. Both have a length, ``take(rows)`` and ``tolist()``.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable
from itertools import count, repeat
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd

T = TypeVar("T", bound=Hashable)

# Fewer strings are looked up faster as Python objects.
FEWEST = 2_000

# A pyarrow array, or an array of Python strings.
Strings = Any

_ODD_CHARACTER = re.compile("[\0\ud800-\udfff]")

# Odd numbers that spread bits over a product.
_ODD, _OTHER_ODD = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F


class Ids(NamedTuple):
    """A column of ids: a code for each row, and the string for each code."""

    codes: np.ndarray
    names: np.ndarray


def in_arrow(column: pd.Series) -> Strings | None:
    """Return a column in Arrow, or as objects if it is short; None if a value is missing or the type is another."""
    dtype = column.dtype
    kind = str(dtype.pyarrow_dtype) if isinstance(dtype, pd.ArrowDtype) else getattr(dtype, "storage", None)
    if kind not in ("pyarrow", "string", "large_string"):
        return None
    import pyarrow

    array = pyarrow.array(column.array)
    if array.null_count:
        return None
    if len(array) < FEWEST:
        return array.to_numpy(zero_copy_only=False)
    array = array.cast(pyarrow.large_string())  # pandas 2 may have short ones
    return array.combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array


def objects(strings: Strings) -> np.ndarray:
    """Return strings as an array of Python objects."""
    return strings if isinstance(strings, np.ndarray) else np.asarray(strings.to_numpy(zero_copy_only=False))


def odd_row(strings: Strings) -> int | None:
    """Return the first row with NUL or half of a character, which neither files nor programs in C can hold, or None."""
    if isinstance(strings, np.ndarray):
        text = "".join(strings)
        is_odd = not (text.isascii() and "\0" not in text) and _ODD_CHARACTER.search(text) is not None
    else:
        _, offsets, data = strings.buffers()
        ends = np.frombuffer(offsets, np.int64)[strings.offset : strings.offset + len(strings) + 1]
        is_odd = data is not None and not np.frombuffer(data, np.uint8)[ends[0] : ends[-1]].min(initial=1)
    return next(row for row, one in enumerate(strings.tolist()) if _ODD_CHARACTER.search(one)) if is_odd else None


def numbered(strings: Strings) -> Ids:
    """Give numbers to strings, from 0 in the order in which they first appear."""
    is_object, first, size = isinstance(strings, np.ndarray), strings, None
    if len(strings) >= FEWEST:  # equal strings are mostly adjacent
        start = heads(strings)
        first, size = strings.take(start), np.diff(start, append=len(strings))
    if is_object:
        index: dict[str, int] = defaultdict(count().__next__)
        codes = np.fromiter(map(index.__getitem__, first.tolist()), np.int64, len(first))
        names = np.array(list(index), dtype=object)
    else:
        encoded = first.dictionary_encode()
        codes, names = encoded.indices.to_numpy().astype(np.int64), objects(encoded.dictionary)
    return Ids(codes if size is None else codes.repeat(size), names)


class Pairs:
    """Pairs of a group and a string, which are found in Arrow by the fingerprints of both.

    Parameters
    ----------
    group, names : ndarray, shape (pairs,)
        The group and the string of each pair.

    Examples
    --------
    >>> import pyarrow
    >>> pairs = Pairs(np.array([0, 0, 1]), np.array(["b", "a", "b"], dtype=object))
    >>> strings = pyarrow.array(["a", "a", "b"], pyarrow.large_string())
    >>> pairs.find(np.arange(3), np.array([0, 1, 1]), strings)
    (array([0, 2]), array([1, 2]))
    """

    def __init__(self, group: np.ndarray, names: np.ndarray) -> None:
        import pyarrow

        # As bytes, because names may contain unpaired surrogates.
        self._bytes = pyarrow.array([name.encode(errors="surrogatepass") for name in names], pyarrow.large_binary())
        self._keys = keys_of(group, self._bytes)

    def find(self, pairs: np.ndarray, group: np.ndarray, strings: Strings) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the row and the index of each of some pairs that is among rows; None if rows may repeat a string."""
        rows = pd.Index(keys_of(group, strings))
        if not rows.is_unique:
            return None
        row = rows.get_indexer(self._keys[pairs])
        pair, row = pairs[row >= 0], row[row >= 0]
        # Different strings may have the same key.
        from pyarrow import compute

        same = compute.equal(strings.take(row).view("large_binary"), self._bytes.take(pair))
        are_same = same.to_numpy(zero_copy_only=False)
        return row[are_same], pair[are_same]


def keys_of(group: np.ndarray, strings: Strings) -> np.ndarray:
    """Return a number for each group and string in Arrow: equal ones have equal numbers, others mostly different ones.

    Examples
    --------
    >>> import pyarrow
    >>> keys = keys_of(np.array([4, 4, 7, 4]), pyarrow.array(["a", "b", "a", "a"], pyarrow.large_string()))
    >>> pd.Index(keys).duplicated()
    array([False, False, False,  True])
    """
    _, offsets, data = strings.buffers()
    bounds = np.frombuffer(offsets, np.int64)[strings.offset : strings.offset + len(strings) + 1]
    text = np.frombuffer(data or b"", np.uint8)[bounds[0] : bounds[-1]]
    start, size = bounds[:-1] - bounds[0], bounds[1:] - bounds[:-1]
    longest = int(size.max(initial=0))
    shortest = int(size.min(initial=longest))
    if shortest < 8:
        text = np.append(text, np.zeros(8, np.uint8))
    # Eight bytes that begin at each byte. The last ones of a string end with it, and overlap those before.
    words = np.ndarray(len(text) - 7, "<u8", text, strides=(1,))
    keys = size.view(np.uint64) * np.uint64(_ODD) + group.astype(np.uint64) * np.uint64(_OTHER_ODD)
    spread = _ODD
    for place in range(0, longest, 8):
        rows: slice | np.ndarray = slice(None) if place < shortest else np.flatnonzero(size > place)
        if shortest == longest:  # a slice is faster
            word = words[min(place, max(longest - 8, 0)) :: longest][: len(size)]
        else:
            word = words[start[rows] + np.minimum(place, np.maximum(size[rows] - 8, 0))]
        if shortest < 8 and place == 0:  # without the bytes of the next string
            word = word << (8 * np.maximum(8 - size[rows], 0)).astype(np.uint64)
        spread = spread * _ODD % 2**64
        keys[rows] += word * np.uint64(spread)
    # The lowest bits, which pandas reads, should depend on all.
    keys ^= keys >> np.uint64(32)
    return keys


def repeated(group: np.ndarray, strings: Strings, keep: Literal["first", "last"] = "first") -> np.ndarray:
    """Tell which rows repeat a string of the same group, other than the first or the last of these rows.

    Examples
    --------
    >>> repeated(np.array([4, 4, 7, 4]), np.array(["a", "b", "a", "a"], dtype=object))
    array([False, False, False,  True])
    """
    codes, names = numbered(strings)
    return pd.Index(group * len(names) + codes).duplicated(keep)


def places(names: Iterable[T], indexes: Iterable[dict[T, int]]) -> np.ndarray:
    """Return the place of each name in its index, or -1.

    Examples
    --------
    >>> places(["b", "c"], repeat({"a": 0, "b": 1}))
    array([ 1, -1])
    """
    return np.fromiter(map(dict.get, indexes, names, repeat(-1)), np.int64)


def heads(values: np.ndarray | Strings) -> np.ndarray:
    """Return the rows whose value differs from the one above.

    Examples
    --------
    >>> heads(np.array([4, 4, 7, 4]))
    array([0, 2, 3])
    """
    differ = np.ones(len(values), dtype=bool)
    if isinstance(values, np.ndarray):
        np.not_equal(values[1:], values[:-1], out=differ[1:])
    else:
        from pyarrow import compute

        differ[1:] = compute.not_equal(values[1:], values[:-1]).to_numpy(zero_copy_only=False)
    return differ.nonzero()[0]


def equal(known: pd.Series, column: pd.Series) -> bool:
    """Tell whether two columns have the same values with the same types."""
    if known.dtype != column.dtype or len(known) != len(column):
        return False
    if known.dtype != object or not len(known):
        return bool(known.array.equals(column.array))
    first, second = known.to_numpy(), column.to_numpy()
    # Identical objects, which have one address, have the same value, so only others are compared.
    addresses = [np.frombuffer(np.ascontiguousarray(objects), np.intp) for objects in (first, second)]
    others = np.flatnonzero(np.not_equal(*addresses))
    one, other = first[others].tolist(), second[others].tolist()
    try:
        return list(map(type, one)) == list(map(type, other)) and bool(one == other)
    except (TypeError, ValueError):  # pd.NA and arrays are neither equal nor unequal
        return False
