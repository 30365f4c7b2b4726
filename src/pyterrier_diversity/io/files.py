"""Tables of words in text files, compressed or not: nothing is lost, and an error names file and line."""

from __future__ import annotations

import gzip
import math
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, TextIOWrapper

import pandas as pd

Path = str | os.PathLike[str]
# The columns of a table, in order, and what is in them; None for a column that is not kept.
Columns = dict[str, type | None]

_MARK = "\ufeff"
_GZIP = b"\x1f\x8b"


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader | gzip.GzipFile]:
    """Open a file; what ends in ``.gz`` or begins as gzip does is decompressed."""
    with open(path, "rb") as stream:
        if os.fspath(path).endswith(".gz") or stream.peek(2)[:2] == _GZIP:
            with gzip.open(stream) as content:
                yield content
        else:
            yield stream


def read_table(
    path: Path,
    columns: Columns,
    optional: Columns | None = None,
    *,
    separator: str | None = None,
    to_blank: bool = False,
) -> pd.DataFrame:
    """Read the columns that have a type from lines of words.

    Parameters
    ----------
    path : path-like
        A file in UTF-8, gzipped or not.
    columns : dict
        What is in each column: ``str``, ``float`` (a finite number), ``int`` (a whole number from 0) or None.
    optional : dict, optional
        Columns after these, which all lines have, or none.
    separator : str, optional
        What separates words; white space if omitted.
    to_blank : bool
        Whether the first blank line is the end of the file. Otherwise blank lines are skipped.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a line cannot be read: file, line number, and what is wrong.
    """
    name = os.fspath(path)
    table: dict[str, list[str | float]] = {}
    number = 0
    try:
        # Some editors begin a file with a byte order mark, which is not part of its first word.
        with opened(path) as stream, TextIOWrapper(stream, encoding="utf-8-sig") as lines:
            for line in lines:
                number += 1
                if line[0] == _MARK:  # of a file that was appended to another
                    line = line.lstrip(_MARK)
                fields = line.split() if separator is None else _cells(line, separator)
                if not fields and to_blank:
                    break
                if not fields:
                    continue
                if not table:
                    columns = columns | (optional or {}) if len(fields) > len(columns) else columns
                    table = {column: [] for column, kind in columns.items() if kind}
                    kept = [(i, column, kind) for i, (column, kind) in enumerate(columns.items()) if kind]
                if len(fields) != len(columns):
                    count = f"{len(columns)} {'tab-separated ' if separator else ''}columns"
                    raise ValueError(f"expected {count} ({' '.join(columns)}), found {len(fields)}")
                for i, column, kind in kept:
                    table[column].append(fields[i] if kind is str and fields[i] else _value(fields[i], column, kind))
    except FileNotFoundError:
        raise
    except (ValueError, OSError, EOFError, zlib.error) as error:
        at = number + 1 if isinstance(error, UnicodeDecodeError) else number
        raise ValueError(f"{name}, line {at}: {error}.") from error
    table = table or {column: [] for column, kind in columns.items() if kind}
    return pd.DataFrame(table).astype({column: kind for column, kind in columns.items() if kind in (int, float)})


def _cells(line: str, separator: str) -> list[str]:
    cells = [cell.strip() for cell in line.split(separator)]
    return cells if any(cells) else []


def _value(text: str, column: str, kind: type) -> float:
    if not text:
        raise ValueError(f"{column} is empty")
    return _whole(text, column) if kind is int else _finite(text, column)


def _whole(text: str, column: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{column} must be a whole number from 0, not {text!r}")
    return int(text)


def _finite(text: str, column: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{column} must be a finite number, not {text!r}")
    return value
