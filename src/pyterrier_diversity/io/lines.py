"""Read columns of words from the lines of files. Errors name file and line."""

import csv
import re
from collections.abc import Callable
from io import BytesIO, StringIO
from typing import Any

import numpy as np
import pandas as pd

from ..frames import number_of
from .files import MARK, Content, Source, read_content
from .records import Field, Label

_TAB = "\t"

# The columns of a table, in order, and their types, as for `read_columns`; None for a column that is not kept.
Kinds = dict[str, type | None]

# Characters that pandas and Python read in the same way.
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n\r"
# Pandas reads parts of so many bytes faster than a large file as a whole, because it uses their memory again.
_AT_ONCE = 2**22
_HOW: dict[str, Any] = {"index_col": False, "na_filter": False, "low_memory": False, "quoting": csv.QUOTE_NONE}
# Newer versions read floats exactly, and warn about this option.
if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
    _HOW["float_precision"] = "round_trip"

# The types of columns of numbers in pandas, and what reads a number.
_NUMBERS: dict[type | None, tuple[type, Callable[[Field], float]]] = {
    float: (float, Field.number),
    Label: (float, Field.label),
    int: (np.int64, Field.count),
    object: (float, lambda field: number_of(field.value)),
}
# Words as pandas and spreadsheets quote them: with doubled quotes, numbers, Q0, or separators inside.
_QUOTED = re.compile(rb'(?:^|[ \t])"(?:[^"\s]*""[^\s]*|[-+]?[0-9.]+|Q0)"(?=\s|$)', re.MULTILINE)
_SPACED = re.compile(rb'(?:^|[ \t])"(?:[^"\r\n]|"")*[ \t](?:[^"\r\n]|"")*"(?=\s|$)', re.MULTILINE)
# How many words the lines of runs and qrels have, if none has spaces.
_SIZES = ({3}, {4}, {5}, {6})


def read_columns(source: Source, columns: Kinds, *, separator: str | None = None) -> pd.DataFrame:
    """Read the columns that have a type from lines of words; blank lines are skipped.

    Parameters
    ----------
    source : path-like, file object or Content
        As for `read_content`, in UTF-8.
    columns : dict
        The type of each column: ``str``, ``pandas.Categorical`` (words that are often repeated), ``float`` (a finite
        number), ``int`` (a non-negative whole number), ``object`` (a number; any other word is read as NaN), `Label`
        or None.
    separator : str, optional
        The separator of words; white space by default.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If a line cannot be read; the message names file and line.
    """
    content = read_content(source)
    quoted = separator not in (None, _TAB) or are_quoted(content.data)
    table = _read_at_once(content, columns) if separator is None and not quoted else None
    table = _read_by_line(content, columns, separator, quoted) if table is None else table
    for name, kind in columns.items():
        if kind is None:
            del table[name]
        elif kind in _NUMBERS:
            table[name] = table[name].astype(_NUMBERS[kind][0])
    return table


def read_pairs(source: Source, columns: Kinds, separator: str) -> dict[Any, Any]:
    """Read lines of two columns as a mapping; raise a ``ValueError`` also if it would have two values for a key."""
    content, (name, value) = read_content(source), columns
    table = read_columns(content, columns, separator=separator).drop_duplicates()
    for key in table[name][table[name].duplicated()]:
        raise ValueError(f"{content.name}: the {value} of {key!r} is given twice.")
    return dict(zip(table[name], table[value], strict=True))


def are_quoted(data: bytes) -> bool:
    """Tell whether words are quoted."""
    if b'"' not in data:
        return False
    is_spaced = _SPACED.search(data) and {len(line.split()) for line in data.splitlines()} - {0} not in _SIZES
    return bool(is_spaced or _QUOTED.search(data))


def words_of(line: str, *, quoted: bool, separator: str | None = None) -> list[str]:
    """Return the words of a line, which white space separates by default."""
    delimiter = separator or (_TAB if _TAB in line else " ")
    words = next(csv.reader([line], delimiter=delimiter), []) if quoted else line.split(separator)
    return [word.strip() for word in words] if separator else list(filter(None, words))


def _read_at_once(content: Content, columns: Kinds) -> pd.DataFrame | None:
    """Read words between white space with pandas' reader in C, or return None if something may be wrong."""
    data, line = content.data, content.first_line
    others = data.translate(None, _PLAIN)
    if others and any(one.isspace() or one in ("\0", MARK) for one in set(content.text() and others.decode())):
        return None
    # In most files, one character separates words, which is faster to read. In others, words then seem to be empty.
    between, other = (_TAB, b" ") if _TAB in line else (" ", b"\t")
    is_single = line.count(between) == len(columns) - 1 and other not in data
    how = {**_HOW, "names": list(columns), "sep": between if is_single else r"\s+"}
    # Pandas reads numbers and different words fastest if it may choose their type, and other words as categories.
    how["dtype"] = {name: "category" for name, kind in columns.items() if kind not in (str, *_NUMBERS)}
    # A line of letters before each part keeps pandas from choosing numbers for words.
    first = between.join("x" if kind is str else "0" for kind in columns.values()).encode() + b"\n"
    parts: list[pd.DataFrame] = []
    end = 0
    try:
        while end < len(data):
            begin, end = end, data.find(b"\n", end + _AT_ONCE) + 1 or len(data)
            parts.append(pd.read_csv(BytesIO(first + memoryview(data)[begin:end]), **how).iloc[1:])
        table = pd.concat(parts, ignore_index=True)
    except ValueError:
        return None
    # A longer line is an error of pandas; a shorter one ends with empty words.
    return table if all(_is_right(table[name], kind) for name, kind in columns.items()) else None


def _is_right(column: pd.Series, kind: type | None) -> bool:
    """Tell whether words are not empty, and numbers are finite, and whole and not negative if they are integers."""
    if kind not in _NUMBERS:
        return not (column == "").any()
    if column.dtype.kind not in ("iu" if kind is int else "iuf"):
        return False
    return kind is object or bool((column.between(0, 10**18 - 1) if kind is int else np.isfinite(column)).all())


def _read_by_line(content: Content, columns: Kinds, separator: str | None, quoted: bool) -> pd.DataFrame:
    """Read a table line by line, or raise a ``ValueError`` for the first bad line."""
    rows: list[list[Any]] = []
    for number, line in enumerate(StringIO(content.text(), newline=None), start=1):
        # There is a mark inside if a file was appended to another one.
        words = words_of(line.lstrip(MARK), quoted=quoted, separator=separator)
        if len(words) != len(columns) == line.count(_TAB) + 1:  # words between tabs may have spaces inside
            words = words_of(line.lstrip(MARK), quoted=quoted, separator=_TAB)
        where = f"{content.name}, line {number}"
        if any(words) and len(words) != len(columns):
            count = f"{len(columns)} {'tab-separated ' if separator == _TAB else ''}columns"
            raise ValueError(f"{where}: expected {count} ({' '.join(columns)}), found {len(words)}.")
        if any(words):
            named = zip(words, columns.items(), strict=True)
            fields = [(Field(word, where, name), kind) for word, (name, kind) in named]
            # Columns without a kind, which are left out, may be empty.
            rows.append([_NUMBERS[of][1](one) if of in _NUMBERS else of and one.identifier() for one, of in fields])
    return pd.DataFrame(rows, columns=list(columns))
