"""Read columns of words from the lines of files. Errors name file and line."""

import csv
import math
import re
from io import BytesIO, StringIO
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..frames import number_of
from .files import MARK, Content, Source, read_content
from .records import Field, Label

_TAB = "\t"
# `csv.QUOTE_MINIMAL` or `csv.QUOTE_NONE`.
Quoting = Literal[0, 3]


class Same(str):
    """The type of a column that is kept only if its words differ."""


# The columns of a table, in order, and their types, as for `read_columns`; None for a column that is not kept.
Kinds = dict[str, type | None]

# Whole numbers with more digits may not fit into 64 bits.
_WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")
# Characters that pandas and Python read in the same way.
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n\r"
# Pandas reads parts of so many bytes faster than a large file as a whole, because it uses their memory again.
_PART = 2**22
# Newer versions read floats exactly, and warn about this option.
_IS_OLD = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
_EXACT = {"float_precision": "round_trip"} if _IS_OLD else {}
_HOW: dict[str, Any] = {"header": None, "index_col": False, "na_filter": False, "low_memory": False, **_EXACT}

# Pandas reads words fastest if it may choose their type. A line of letters before each part keeps it from choosing
# numbers.
_DTYPES: dict[type | None, Any] = {float: float, int: np.int64, object: float, Label: float}
# Words as pandas and spreadsheets quote them: with doubled quotes, numbers, Q0, or separators inside.
_QUOTED = re.compile(rb'(?:^|[ \t])"(?:[^"\s]*""[^\s]*|[-+]?[0-9.]+|Q0)"(?=\s|$)', re.MULTILINE)
_SPACED = re.compile(rb'(?:^|[ \t])"[^"\r\n]*[ \t][^"\r\n]*"(?=\s|$)', re.MULTILINE)
# How many words the lines of runs and qrels have.
_WORDS = ({3}, {4}, {5}, {6})


def read_columns(
    source: Source,
    columns: Kinds,
    optional: Kinds | None = None,
    *,
    separator: str | None = None,
    to_blank: bool = False,
) -> pd.DataFrame:
    """Read the columns that have a type from lines of words.

    Parameters
    ----------
    source : path-like, file object or Content
        As for `read_content`, in UTF-8.
    columns : dict
        The type of each column: ``str``, ``float`` (a finite number), ``int`` (a non-negative whole number),
        ``object`` (a number; any other word is read as NaN), `Label`, `Same` or None.
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
    quoting: Quoting = quoting_of(content.data) if separator in (None, _TAB) else 0
    found = _plain_columns(content, columns, optional or {}, quoting) if separator is None else None
    return _careful_columns(content, columns, optional or {}, separator, to_blank, quoting) if found is None else found


def read_pairs(source: Source, columns: Kinds, separator: str) -> dict[Any, Any]:
    """Read lines of two columns as a mapping; raise a ``ValueError`` also if it would have two values for a key."""
    content, (name, value) = read_content(source), columns
    table = read_columns(content, columns, separator=separator).drop_duplicates()
    for key in table[name][table[name].duplicated()]:
        raise ValueError(f"{content.name}: the {value} of {key!r} is given twice.")
    return dict(zip(table[name], table[value], strict=True))


def quoting_of(data: bytes) -> Quoting:
    """Tell whether words are quoted."""
    if b'"' not in data:
        return 3
    is_spaced = _SPACED.search(data) and {len(line.split()) for line in data.splitlines()} - {0} not in _WORDS
    return 0 if is_spaced or _QUOTED.search(data) else 3


def words_of(line: str, quoting: Quoting, separator: str | None = None) -> list[str]:
    """Return the words of a line, which white space separates by default."""
    if quoting != csv.QUOTE_NONE:
        words = next(csv.reader([line], delimiter=separator or ("\t" if "\t" in line else " ")), [])
        return [word.strip() for word in words] if separator else [word for word in words if word]
    return line.split() if separator is None else [cell.strip() for cell in line.split(separator)]


def _plain_columns(content: Content, columns: Kinds, optional: Kinds, quoting: Quoting) -> pd.DataFrame | None:
    """Read a table with pandas' reader in C, or return None if something may be wrong."""
    line = content.first_line
    words = words_of(line, quoting)
    columns = columns | optional if len(words) > len(columns) else columns
    if len(words) != len(columns) or not _is_plain(content.data):
        return None
    if any(kind in _DTYPES and math.isnan(number_of(word)) for word, kind in zip(words, columns.values(), strict=True)):
        return None
    # In most files, one character separates words, which is faster to read. In others, words then seem to be empty.
    for separator, other in ((" ", b"\t"), ("\t", b" "), (r"\s+", b"")):
        if separator == r"\s+" or (other not in content.data and line.count(separator) == len(words) - 1):
            found = _parsed(content.data, columns, separator, quoting)
            if found is not None:
                return found
    return None


def _parsed(data: bytes, columns: Kinds, separator: str, quoting: Quoting) -> pd.DataFrame | None:
    numeric = {name: _DTYPES[kind] for name, kind in columns.items() if kind in _DTYPES}
    first = (" " if separator == r"\s+" else separator).join("0" if name in numeric else "x" for name in columns)
    kept = [name for name, kind in columns.items() if kind not in (None, Same)]
    words: dict[str, str] = {}
    parts: list[pd.DataFrame] = []
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _PART) + 1 or len(data)
        try:
            part, names = BytesIO(f"{first}\n".encode() + data[start:end]), list(columns)
            table = pd.read_csv(part, sep=separator, names=names, dtype=numeric, quoting=quoting, engine="c", **_HOW)
        except ValueError:
            return None
        # A longer line is an error of pandas; a shorter one ends with empty words.
        if any((table[name] == "").any() for name in columns.keys() - numeric.keys()):
            return None
        if not all(np.isfinite(table[name]).all() for name, kind in columns.items() if kind is float):
            return None
        for name in (name for name, kind in columns.items() if kind is Same):
            if (table[name].iloc[1:] != words.setdefault(name, table[name].iloc[1])).any():
                return _parsed(data, columns | {name: str}, separator, quoting)
        parts.append(table.loc[1:, kept])
        start = end
    return pd.concat(parts, ignore_index=True)


def _is_plain(data: bytes) -> bool:
    """Tell whether pandas and Python split the lines and words in the same way."""
    try:
        if not data.isascii():
            data.decode()
        others = set(data.translate(None, _PLAIN).decode())
    except UnicodeDecodeError:
        return False
    return not any(character.isspace() or character in ("\0", MARK) for character in others)


def _careful_columns(
    content: Content, columns: Kinds, optional: Kinds, separator: str | None, to_blank: bool, quoting: Quoting
) -> pd.DataFrame:
    """Read a table line by line, or raise a ``ValueError`` for the first bad line."""
    rows: list[list[str | float]] = []
    for number, line in enumerate(StringIO(content.text(), newline=None), start=content.n_above + 1):
        fields = words_of(line.lstrip(MARK), quoting, separator)  # the mark of a file that was appended to another one
        if not any(fields):
            if to_blank and rows:
                break
            continue
        columns = columns | optional if not rows and len(fields) > len(columns) else columns
        where = f"{content.name}, line {number}"
        if len(fields) != len(columns):
            count = f"{len(columns)} {'tab-separated ' if separator == _TAB else ''}columns"
            raise ValueError(f"{where}: expected {count} ({' '.join(columns)}), found {len(fields)}.")
        named = zip(fields, columns.items(), strict=True)
        rows.append([_read_word(Field(word, where, name), kind) for word, (name, kind) in named])
    kept = {name: _DTYPES.get(kind, object) for name, kind in columns.items() if kind}
    table = pd.DataFrame(rows, columns=list(columns), dtype=object)[list(kept)].astype(kept)
    return table.drop(columns=[name for name in kept if columns[name] is Same and len({*table[name]}) < 2])


def _read_word(word: Field, kind: type | None) -> str | float:
    text: str = word.value
    if kind is None:
        return text
    if not text:
        raise ValueError(f"{word.where}: {word.name} is empty.")
    if kind is object:
        return number_of(text)
    if kind in (float, Label):
        return word.number() if kind is float else word.label()
    if kind is int and not _WHOLE_NUMBER.fullmatch(text):
        raise word.refused("must be a non-negative whole number of at most 18 digits")
    return int(text) if kind is int else word.identifier()
