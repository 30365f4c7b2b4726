"""Read columns of words from text files, compressed or not. Errors name file and line."""

from __future__ import annotations

import csv
import gzip
import math
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, BytesIO, TextIOWrapper
from itertools import chain
from reprlib import repr as shown  # long words are shortened in messages
from typing import IO, Any, NamedTuple

import numpy as np
import pandas as pd

Path = str | os.PathLike[str]
# The columns of a table, in order, and their types, as for `read_table`; None for a column that is not kept.
Columns = dict[str, type | None]

_MARK = "\ufeff"
_GZIP = b"\x1f\x8b"
# The first bytes of files that other tools compressed.
_OTHERS = {"zstd": rb"\x28\xb5\x2f\xfd", "bzip2": rb"BZh\d1AY&SY", "xz": rb"\xfd7zXZ", "zip": rb"PK\x03\x04"}
_CHUNK = 2**20
# Longer whole numbers may not fit into 64 bits.
_MOST_DIGITS = 18

# Characters that pandas and Python read in the same way.
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n\r"
_FIRST_LINE = re.compile(rb"[\r\n]*([^\r\n]*)")

# Newer versions read floats exactly, and warn about this option.
_EXACT: dict[str, Any] = (
    {"float_precision": "round_trip"} if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1) else {}
)


class Distinct(str):
    """A type for columns whose words rarely repeat."""


# The type of each kind in pandas. Of a word that is not kept, one letter shows that it is there.
_DTYPES: dict[type | None, Any] = {str: str, Distinct: str, float: float, int: np.int64, object: float, None: "S1"}
_NUMBERS = (float, int, object)
# Pandas makes equal strings one object by looking each one up. For distinct words, reading bytes takes half the time.
_SHORT = "S48"
_BLOCK = 1024


class Content(NamedTuple):
    """The decompressed content of a file, and the name of the file in messages."""

    name: str
    data: bytes


Source = Path | IO[bytes] | IO[str] | Content


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader | gzip.GzipFile]:
    """Open a file, and decompress it if it ends in ``.gz`` or begins like a gzip file."""
    with open(path, "rb") as stream:
        if os.fspath(path).endswith(".gz") or stream.peek(2)[:2] == _GZIP:
            with gzip.open(stream) as content:
                yield content
        else:
            yield stream


def read_content(source: Source) -> Content:
    """Read a file in one pass, so that it may be a pipe.

    Parameters
    ----------
    source : path-like, file object or Content
        A path, gzipped or not; ``"-"`` for the standard input; an open file; or content that was read before.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the file cannot be read or decompressed; the message names file and line.
    """
    if isinstance(source, Content):
        return source
    if not isinstance(source, (str, os.PathLike)):
        if not hasattr(source, "read"):
            raise TypeError(f"A file must be a path or an open file, not {type(source).__name__}.")
        data = source.read()
        name = str(getattr(source, "name", "the stream"))
        return _decompressed(name, data.encode() if isinstance(data, str) else data)
    name = os.fspath(source)
    if name == "-":
        return _decompressed("standard input", sys.stdin.buffer.read())
    try:
        with open(source, "rb") as stream:
            data = stream.read()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror}.") from error
    return _decompressed(name, data)


def _decompressed(name: str, data: bytes) -> Content:
    for tool, first in _OTHERS.items():
        if re.match(first, data):
            raise ValueError(f"{name} is compressed by {tool}, which is not read; decompress it, or use gzip.")
    if not (name.endswith(".gz") or data.startswith(_GZIP)):
        return Content(name, data)
    chunks: list[bytes] = []
    try:
        with gzip.open(BytesIO(data)) as stream:
            while chunk := stream.read(_CHUNK):
                chunks.append(chunk)
    except (OSError, EOFError, zlib.error) as error:
        n_lines = sum(chunk.count(b"\n") for chunk in chunks)
        raise ValueError(f"{name}, line {n_lines}: {error}.") from error
    return Content(name, b"".join(chunks))


def read_table(
    source: Source, columns: Columns, *, separator: str | None = None, to_blank: bool = False
) -> pd.DataFrame:
    """Return the result of `read_columns` as a frame."""
    return pd.DataFrame(read_columns(source, columns, separator=separator, to_blank=to_blank))


def read_columns(
    source: Source,
    columns: Columns,
    optional: Columns | None = None,
    *,
    separator: str | None = None,
    to_blank: bool = False,
) -> dict[str, np.ndarray]:
    """Read the columns that have a type from lines of words.

    Parameters
    ----------
    source : path-like, file object or Content
        As of `read_content`, in UTF-8.
    columns : dict
        The type of each column: ``str``, `Distinct`, ``float`` (a finite number), ``int`` (a whole number from 0),
        ``object`` (a number; any other word is read as NaN) or None.
    optional : dict, optional
        Columns after these; either all lines have them or none.
    separator : str, optional
        The separator of words; white space by default.
    to_blank : bool
        Whether to stop at the first blank line. Otherwise blank lines are skipped.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If a line cannot be read; the message names file and line.
    """
    content = read_content(source)
    # Some editors begin a file with a byte order mark, which is not part of its first word.
    content = content._replace(data=content.data.removeprefix(_MARK.encode()))
    if separator is None:
        found = _plain_columns(content.data, columns, optional or {})
        if found is not None:
            return found
    return _careful_columns(content, columns, optional or {}, separator, to_blank)


def _plain_columns(data: bytes, columns: Columns, optional: Columns) -> dict[str, np.ndarray] | None:
    """Read a table with pyarrow, or with pandas' reader in C, or return None if something may be wrong."""
    line = _FIRST_LINE.match(data)[1]  # type: ignore[index]
    words = line.split()
    columns = columns | optional if len(words) > len(columns) else columns
    if len(words) != len(columns) or not _is_plain(data):
        return None
    # A column of True and False only would be numbers for pandas.
    if any(math.isnan(_number(word)) for word, kind in zip(words, columns.values(), strict=True) if kind in _NUMBERS):
        return None
    # In most files, one character separates words, which is faster to read. In others, words then seem to be empty.
    separators = [one for one, other in ((b" ", b"\t"), (b"\t", b" ")) if other not in data]
    single = [one.decode() for one in separators if line.count(one) == len(words) - 1]
    ways = [(_parsed_by_arrow, one) for one in single] + [(_parsed, one) for one in (*single, r"\s+")]
    for read, separator in ways:
        found = read(data, columns, separator)
        if found is not None:
            return found
    return None


def _parsed_by_arrow(data: bytes, columns: Columns, separator: str) -> dict[str, np.ndarray] | None:
    """Read a table with pyarrow, or return None if something may be wrong or pyarrow is not installed."""
    try:
        import pyarrow
        from pyarrow import compute, csv
    except ImportError:
        return None
    # Arrow reads more forms of whole numbers than Python, and carriage returns in its own way.
    if int in columns.values() or b"\r" in data:
        return None
    number, string = pyarrow.float64(), pyarrow.string()
    types: dict[type | None, Any] = {float: number, object: number, str: pyarrow.dictionary(pyarrow.int32(), string)}
    try:
        table = csv.read_csv(
            BytesIO(data),
            csv.ReadOptions(use_threads=False, column_names=list(columns)),
            csv.ParseOptions(delimiter=separator, quote_char=False),
            csv.ConvertOptions(
                column_types={name: types.get(kind, string) for name, kind in columns.items()}, null_values=[]
            ),
        )
    except ValueError:
        return None
    table = table.unify_dictionaries().combine_chunks()
    arrays = {name: table[name].chunk(0) for name in columns}
    words = [arrays[name] for name, kind in columns.items() if kind not in _NUMBERS]
    if not all(compute.min(compute.binary_length(getattr(column, "dictionary", column))).as_py() for column in words):
        return None
    if not all(np.isfinite(arrays[name]).all() for name, kind in columns.items() if kind is float):
        return None
    # Equal strings of a dictionary are one object.
    return {
        name: (
            array.dictionary.to_numpy(zero_copy_only=False)[array.indices.to_numpy()]
            if columns[name] is str
            else array.to_numpy(zero_copy_only=False)
        )
        for name, array in arrays.items()
        if columns[name]
    }


def _parsed(
    data: bytes, columns: Columns, separator: str, distinct: type | str = _SHORT
) -> dict[str, np.ndarray] | None:
    dtypes = {column: (_DTYPES | {Distinct: distinct})[kind] for column, kind in columns.items()}
    try:
        table = pd.read_csv(
            BytesIO(data),
            sep=separator,
            header=None,
            names=list(columns),
            dtype=dtypes,
            index_col=False,
            quoting=csv.QUOTE_NONE,
            na_filter=False,
            low_memory=False,
            engine="c",
            **_EXACT,
        )
    except ValueError:
        return None
    # Older versions make objects of bytes.
    found = {column: table[column].to_numpy(dtype=object if kind is str else kind) for column, kind in dtypes.items()}
    # A longer line is an error of pandas; a shorter one ends with empty words.
    if any(_lacks_words(found[column]) for column, kind in columns.items() if kind not in _NUMBERS):
        return None
    if not all(np.isfinite(found[column]).all() for column, kind in columns.items() if kind is float):
        return None
    if any(_is_cut(found[column]) for column, kind in columns.items() if kind is Distinct):
        return _parsed(data, columns, separator, str)
    return {column: _strings(values) for column, values in found.items() if columns[column]}


def _lacks_words(column: np.ndarray) -> bool:
    return bool((column == b"").any()) if column.dtype.kind == "S" else "" in pd.unique(column)


def _is_plain(data: bytes) -> bool:
    """Tell whether pandas and Python split the lines and words in the same way."""
    try:
        if not data.isascii():
            data.decode()
        others = set(data.translate(None, _PLAIN).decode())
    except UnicodeDecodeError:
        return False
    return not any(character.isspace() or character in ("\0", _MARK) for character in others)


def _is_cut(column: np.ndarray) -> bool:
    """Tell whether a word of bytes fills its place, so that it may have been longer."""
    return column.dtype.kind == "S" and bool(column.view(np.uint8).reshape(len(column), -1)[:, -1].any())


def _strings(column: np.ndarray) -> np.ndarray:
    """Return a column, with bytes decoded to strings."""
    if column.dtype.kind != "S":
        return column
    # A few bytes objects at a time reuse the same little memory.
    blocks = (column[start : start + _BLOCK].tolist() for start in range(0, len(column), _BLOCK))
    return np.fromiter(map(bytes.decode, chain.from_iterable(blocks)), dtype=object, count=len(column))


def _careful_columns(
    content: Content, columns: Columns, optional: Columns, separator: str | None, to_blank: bool
) -> dict[str, np.ndarray]:
    """Read a table line by line, or raise a ``ValueError`` for the first bad line."""
    table: dict[str, list[str | float]] = {}
    number = 0
    try:
        for line in TextIOWrapper(BytesIO(content.data), encoding="utf-8"):
            number += 1
            if line[0] == _MARK:  # of a file that was appended to another one
                line = line.lstrip(_MARK)
            fields = line.split() if separator is None else _cells(line, separator)
            if not fields and to_blank:
                break
            if not fields:
                continue
            if not table:
                columns = columns | optional if len(fields) > len(columns) else columns
                table = {column: [] for column, kind in columns.items() if kind}
                kept = [(i, column, kind) for i, (column, kind) in enumerate(columns.items()) if kind]
            if len(fields) != len(columns):
                count = f"{len(columns)} {'tab-separated ' if separator else ''}columns"
                raise ValueError(f"expected {count} ({' '.join(columns)}), found {len(fields)}")
            for i, column, kind in kept:
                table[column].append(
                    fields[i] if kind not in _NUMBERS and fields[i] else _value(fields[i], column, kind)
                )
    except ValueError as error:
        at = number + 1 if isinstance(error, UnicodeDecodeError) else number
        raise ValueError(f"{content.name}, line {at}: {error}.") from error
    dtypes = {column: _DTYPES[kind] if kind in _NUMBERS else object for column, kind in columns.items() if kind}
    return {column: np.array(table.get(column, []), dtype=dtype) for column, dtype in dtypes.items()}


def _cells(line: str, separator: str) -> list[str]:
    cells = [cell.strip() for cell in line.split(separator)]
    return cells if any(cells) else []


def _value(text: str, column: str, kind: type) -> float:
    if not text:
        raise ValueError(f"{column} is empty")
    if kind is int:
        return _whole(text, column)
    value = _number(text)
    if kind is float and not math.isfinite(value):
        raise ValueError(f"{column} must be a finite number, not {shown(text)}")
    return value


def _whole(text: str, column: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{column} must be a whole number from 0, not {shown(text)}")
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"{column} must have at most {_MOST_DIGITS} digits, not {len(text)}: {shown(text)}")
    return int(text)


def _number(text: str | bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
