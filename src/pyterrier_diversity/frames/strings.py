"""Columns of strings. Long ones stay in Arrow, where they are compared and looked up without making Python objects.

Only this module tells the two kinds apart. Both have a length, ``take(rows)`` and ``tolist()``.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sized
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

T = TypeVar("T", bound=Hashable)

# Fewer strings are looked up faster as Python objects.
FEWEST = 2_000

# A pyarrow array, or an array of Python strings.
Strings = Any
# What finds the strings of rows: a fingerprint for each row, or its group and string.
Keys = np.ndarray | list[tuple[int, str]]


class Ids(NamedTuple):
    """A column of ids: a code for each row, and the string for each code."""

    codes: np.ndarray
    names: np.ndarray


def is_long(rows: Sized) -> bool:
    """Tell whether there are many strings, for which arrays pay off."""
    return len(rows) >= FEWEST


def kept_in_arrow(frame: pd.DataFrame, name: str) -> Strings | None:
    """Return a column as an Arrow array, or None if it has few rows or another type."""
    if not is_long(frame):
        return None
    column = frame[name]
    dtype = column.dtype
    kind = str(dtype.pyarrow_dtype) if isinstance(dtype, pd.ArrowDtype) else getattr(dtype, "storage", None)
    if kind not in ("pyarrow", "string", "large_string"):
        return None
    import pyarrow

    array = pyarrow.array(column.array).cast(pyarrow.large_string())  # pandas 2 may have short ones
    return array.combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array


def long_objects(frame: pd.DataFrame, name: str) -> np.ndarray | None:
    """Return a column as an array of Python objects, or None if it has few rows or another type."""
    return frame[name].to_numpy() if is_long(frame) and frame[name].dtype == object else None


def are_long_objects(strings: Strings) -> bool:
    """Tell whether these are many Python strings, of which a dict for each ranking is fastest."""
    return isinstance(strings, np.ndarray) and is_long(strings)


def taken(strings: Strings, rows: np.ndarray) -> Strings:
    """Return the strings of ascending rows, without a copy if the rows are adjacent."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows):
        return strings[rows[0] : rows[-1] + 1]
    return strings.take(rows)


def objects(strings: Strings) -> np.ndarray:
    """Return strings as an array of Python objects."""
    return strings if isinstance(strings, np.ndarray) else np.asarray(strings.to_numpy(zero_copy_only=False))


def numbered(strings: Strings) -> Ids:
    """Give numbers to strings, from 0 in the order in which they first appear. Equal strings are mostly adjacent."""
    if not is_long(strings):
        listed = strings.tolist()
        index = {name: code for code, name in enumerate(dict.fromkeys(listed))}
        return Ids(places(listed, index), np.array(list(index), dtype=object))
    if isinstance(strings, np.ndarray):
        starts = heads(strings)
        # With None, pandas compares Python objects: its table of strings takes some unpaired surrogates for others.
        codes, names = pd.factorize(np.concatenate([strings[starts], [None]]))
        codes = codes[:-1]
    else:
        from pyarrow import compute

        differ = compute.not_equal(strings[1:], strings[:-1]).to_numpy(zero_copy_only=False)
        starts = np.append(0, np.flatnonzero(differ) + 1)
        encoded = (strings if len(starts) == len(strings) else strings.take(starts)).dictionary_encode()
        codes, names = encoded.indices.to_numpy().astype(np.int64), objects(encoded.dictionary)
    return Ids(np.repeat(codes, np.diff(starts, append=len(strings))), names)


class Pairs:
    """Distinct pairs of a group and a name, which are found by group and string.

    Parameters
    ----------
    group, name : ndarray of int, shape (pairs,)
        The group of each pair and the index of its name, sorted by both.
    names : list of str
        The distinct names.
    n_groups : int
        The number of groups.

    Examples
    --------
    >>> pairs = Pairs(np.array([0, 0, 1]), np.array([0, 1, 0]), ["b", "a"], n_groups=2)
    >>> pairs.find(np.array([0, 1, 1]), np.array(["a", "a", "b"], dtype=object))
    (array([0, 2]), array([1, 2]))
    """

    def __init__(self, group: np.ndarray, name: np.ndarray, names: list[str], n_groups: int) -> None:
        self._group, self._names = group, np.array(names, dtype=object)[name]
        # Each group has its part of the hash table, four slots for each pair: rows of one group read one part.
        self._n_slots = 4 * np.bincount(group, minlength=n_groups) + 1
        self._first_slot = np.cumsum(self._n_slots) - self._n_slots

    @cached_property
    def _index(self) -> dict[tuple[int, str], int]:
        return {key: pair for pair, key in enumerate(_listed(self._group, self._names))}

    def _slots(self, group: np.ndarray, prints: np.ndarray) -> np.ndarray:
        """Return the slot of each row: the highest bits of the print, scaled to the slots of the group."""
        scaled = (prints >> np.uint64(32)) * self._n_slots.astype(np.uint64)[group]
        return self._first_slot[group] + (scaled >> np.uint64(32)).astype(np.int64)

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The pairs by slot, their prints, and the first pair of each slot."""
        prints = _fingerprints(self._bytes)
        slots = self._slots(self._group, prints)
        by_slot = np.argsort(slots)
        return by_slot, prints[by_slot], np.append(0, np.cumsum(np.bincount(slots, minlength=self._n_slots.sum())))

    def find(self, group: np.ndarray, strings: Strings, keys: Keys | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return which rows, given by group and string, are pairs, and the index of each pair.

        Parameters
        ----------
        keys : ndarray or list of tuple, optional
            The result of `keys_of`, if known.
        """
        keys = keys_of(group, strings) if keys is None else keys
        if isinstance(keys, list):
            pair = places(keys, self._index)
            row = np.flatnonzero(pair >= 0)
            return row, pair[row]
        by_slot, known, firsts = self._table
        slots = self._slots(group, keys)
        place, end = firsts[slots], firsts[slots + 1]
        rows, found = np.flatnonzero(place < end), []
        while len(rows):
            alike = known[place[rows]] == keys[rows]
            found.append(rows[alike])
            rows = rows[~alike]
            place[rows] += 1
            rows = rows[place[rows] < end[rows]]
        row = np.concatenate([rows, *found])
        pair = by_slot[place[row]]
        # Different strings may have the same print.
        from pyarrow import compute

        strings_found = strings.take(row).view("large_binary")
        same = compute.equal(strings_found, self._bytes.take(pair)).to_numpy(zero_copy_only=False)
        if same.all():
            return row, pair
        unsure = row[~same]
        others, theirs = self.find(group, strings, _listed(group[unsure], strings.take(unsure)))
        return np.append(row[same], unsure[others]), np.append(pair[same], theirs)

    @cached_property
    def _bytes(self) -> Any:
        """The names in Arrow, as bytes, because they may contain unpaired surrogates."""
        import pyarrow

        return pyarrow.array([name.encode(errors="surrogatepass") for name in self._names], pyarrow.large_binary())


def _listed(group: np.ndarray, strings: Strings) -> list[tuple[int, str]]:
    return list(zip(group.tolist(), objects(strings).tolist(), strict=True))


# Odd numbers that spread bits over a product.
_SPREAD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)


def _fingerprints(strings: Any) -> np.ndarray:
    """Return a number for each string in Arrow: equal strings have equal ones."""
    _, bounds, data = strings.buffers()
    bounds = np.frombuffer(bounds, np.int64)[strings.offset : strings.offset + len(strings) + 1]
    text = np.frombuffer(data or b"", np.uint8)[bounds[0] : bounds[-1]]
    end, size = bounds[1:] - bounds[0], np.diff(bounds)
    padded = np.append(np.zeros(8, np.uint8), text)
    # Eight bytes that begin at each byte.
    words = np.ndarray(len(padded) - 7, "<u8", padded, strides=(1,))
    last, before = words[end], words[end + 8 - np.clip(size, 8, 16)]
    if size.min(initial=8) < 8:
        # The lowest bytes of a word that ends with a shorter string belong to the string before.
        foreign = (8 * np.maximum(8 - size, 0)).astype(np.uint64)
        last, before = last >> foreign, before >> foreign
    return np.asarray(last * _SPREAD[0] + before * _SPREAD[1] + size.astype(np.uint64))


def keys_of(group: np.ndarray, strings: Strings) -> Keys:
    """Return what finds strings in groups: their fingerprints or, for Python strings, tuples of group and string.

    Equal strings have equal fingerprints; others mostly differ if their last 16 bytes do.

    Examples
    --------
    >>> keys_of(np.array([4, 4, 7]), np.array(["a", "b", "a"], dtype=object))
    [(4, 'a'), (4, 'b'), (7, 'a')]
    """
    return _listed(group, strings) if isinstance(strings, np.ndarray) else _fingerprints(strings)


def repeats(group: np.ndarray, strings: Strings, keys: Keys | None = None) -> np.ndarray | None:
    """Tell which rows repeat a string of the same group, or return None if no row does.

    Parameters
    ----------
    keys : ndarray or list of tuple, optional
        The result of `keys_of`, if known.
    """
    if keys is None:
        is_objects = isinstance(strings, np.ndarray)
        keys = numbered(strings).codes.astype(np.uint64) if is_objects else _fingerprints(strings)
    if isinstance(keys, list):
        rows = np.arange(len(keys) if len(set(keys)) < len(keys) else 0)
    else:
        rows = np.flatnonzero(pd.Index(keys + group.astype(np.uint64) * _SPREAD[1]).duplicated(keep=False))
    if not len(rows):
        return None
    first: dict[tuple[int, str], int] = {}
    again = np.zeros(len(group), dtype=bool)
    again[rows] = [first.setdefault(key, row) < row for row, key in enumerate(_listed(group[rows], strings.take(rows)))]
    return again if again.any() else None


def places(names: Collection[T], index: Mapping[T, int]) -> np.ndarray:
    """Return the place of each name in an index, or -1.

    Examples
    --------
    >>> places(["b", "c"], {"a": 0, "b": 1})
    array([ 1, -1])
    """
    return np.fromiter(map(index.get, names, repeat(-1)), np.int64, len(names))


def heads(values: np.ndarray) -> np.ndarray:
    """Return the rows whose value differs from the one above.

    Examples
    --------
    >>> heads(np.array([4, 4, 7, 4]))
    array([0, 2, 3])
    """
    differ = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=differ[1:])
    return np.flatnonzero(differ)


def addresses(objects: np.ndarray) -> np.ndarray:
    """Return the memory addresses of the objects in an array."""
    return np.frombuffer(np.ascontiguousarray(objects), dtype=np.intp) if len(objects) else np.zeros(0, dtype=np.intp)


def equal(known: pd.Series, column: pd.Series) -> bool:
    """Tell whether two columns have the same values with the same types."""
    if known.dtype != column.dtype or len(known) != len(column):
        return False
    if not isinstance(known.dtype, np.dtype):
        return bool(known.array.equals(column.array))
    first, second = known.to_numpy(), column.to_numpy()
    if first.dtype != object:
        return np.array_equal(first, second)
    # Identical objects have the same value, so only others are compared.
    others = np.flatnonzero(addresses(first) != addresses(second))
    one, other = first[others].tolist(), second[others].tolist()
    try:
        return list(map(type, one)) == list(map(type, other)) and bool(one == other)
    except (TypeError, ValueError):  # pd.NA and arrays are neither equal nor unequal
        return False
