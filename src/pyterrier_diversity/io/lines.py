"""Read columns of words from the lines of files. Errors name file and line."""

import csv
import re
from collections.abc import Callable
from io import BytesIO, StringIO
from typing import Any

import numpy as np
import pandas as pd

from .files import MARK, Content, Source, read_content
from .records import Field, Label

_TAB = "\t"

# The columns of a table, in order, and their types, as for `read_columns`; None for a column that is not kept.
Kinds = dict[str, type | None]

# Characters that pandas and Python read in the same way.
_PLAIN = bytes(range(0x20, 0x7F)) + b"\t\n\r"
# Pandas reads parts of so many bytes faster than a large file as a whole, because it uses their memory again.
_PART = 2**22
_HOW: dict[str, Any] = {"index_col": False, "na_filter": False, "low_memory": False, "quoting": csv.QUOTE_NONE}
# Newer versions read floats exactly, and warn about this option.
if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
    _HOW["float_precision"] = "round_trip"

# The type of a column in pandas, and what reads a word of it. Pandas reads words fastest if it may choose their type.
_KINDS: dict[type | None, tuple[Any, Callable[[Field], Any]]] = {
    str: (object, Field.identifier),
    pd.Categorical: ("category", Field.identifier),
    float: (float, Field.number),
    Label: (float, Field.label),
    int: (np.int64, Field.count),
    object: (float, Field.any_number),
    None: ("category", Field.any_number),
}
# Words as pandas and spreadsheets quote them: with doubled quotes, numbers, Q0, or separators inside.
_QUOTED = re.compile(rb'(?:^|[ \t])"(?:[^"\s]*""[^\s]*|[-+]?[0-9.]+|Q0)"(?=\s|$)', re.MULTILINE)
_SPACED = re.compile(rb'(?:^|[ \t])"[^"\r\n]*[ \t][^"\r\n]*"(?=\s|$)', re.MULTILINE)
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
    found = _read_at_once(content, columns) if separator is None and not quoted else None
    return _read_by_line(content, columns, separator, quoted) if found is None else found


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
    if not _is_plain(content):
        return None
    line, stream = content.first_line, BytesIO(content.data)
    # In most files, one character separates words, which is faster to read. In others, words then seem to be empty.
    between, other = (_TAB, b" ") if _TAB in line else (" ", b"\t")
    is_single = line.count(between) == len(columns) - 1 and other not in content.data
    # A line of letters before each part keeps pandas from choosing numbers for words.
    first = between.join("x" if kind is str else "0" for kind in columns.values()) + "\n"
    separator = between if is_single else r"\s+"
    dtypes = {name: _KINDS[kind][0] for name, kind in columns.items() if kind is not str}
    parts: list[pd.DataFrame] = []
    try:
        while stream.tell() < len(content.data):
            part = b"".join([first.encode(), stream.read(_PART), stream.readline()])
            parts.append(pd.read_csv(BytesIO(part), sep=separator, names=list(columns), dtype=dtypes, **_HOW).iloc[1:])
        table = pd.concat(parts, ignore_index=True)
    except ValueError:
        return None
    # A longer line is an error of pandas; a shorter one ends with empty words.
    are_right = all(_are_right(table[name], kind) for name, kind in columns.items())
    return table[[name for name, kind in columns.items() if kind]] if are_right else None


def _are_right(column: pd.Series, kind: type | None) -> bool:
    """Tell whether words are not empty, and numbers are finite, and not negative if they are integers."""
    if kind in (float, Label, int):
        return bool(np.isfinite(column).all() and (kind is not int or column.between(0, 10**18 - 1).all()))
    return kind is object or not (column == "").any()


def _is_plain(content: Content) -> bool:
    """Tell whether pandas and Python split the lines and words in the same way."""
    if not content.data.isascii():
        content.text()
    others = set(content.data.translate(None, _PLAIN).decode())
    return not any(character.isspace() or character in ("\0", MARK) for character in others)


def _read_by_line(content: Content, columns: Kinds, separator: str | None, quoted: bool) -> pd.DataFrame:
    """Read a table line by line, or raise a ``ValueError`` for the first bad line."""
    rows: list[list[Any]] = []
    for number, line in enumerate(StringIO(content.text(), newline=None), start=content.n_above + 1):
        # There is a mark inside if a file was appended to another one.
        words = words_of(line.lstrip(MARK), quoted=quoted, separator=separator)
        where = f"{content.name}, line {number}"
        if any(words) and len(words) != len(columns):
            count = f"{len(columns)} {'tab-separated ' if separator == _TAB else ''}columns"
            raise ValueError(f"{where}: expected {count} ({' '.join(columns)}), found {len(words)}.")
        if any(words):
            named = zip(words, columns.items(), strict=True)
            rows.append([_KINDS[kind][1](Field(word, where, name)) for word, (name, kind) in named])
    kept = {name: _KINDS[kind][0] for name, kind in columns.items() if kind}
    return pd.DataFrame(rows, columns=list(columns), dtype=object)[list(kept)].astype(kept)
