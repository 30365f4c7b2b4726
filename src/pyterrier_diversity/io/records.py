"""Read objects and rows from files or from Python. Errors name file, line and field."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

import pandas as pd

from .files import Content, Path, Source, is_file, read_content, visible_files
from .writing import require_pyarrow

Kind = Literal["json", "parquet", "table", "xml", ""]

_SEPARATORS = ",\t;"
_JSON = re.compile(r"\s*(\{\s*[\"}]|\{\s*$|\[\s*[\[{\"\]]|\[\s*$)")
_SHOWN = 60
# A lone surrogate (half of a character), which Python's JSON reader accepts.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

_WHOLE = re.compile(r"^(-?[0-9]+)\.0+$")


class Field:
    """A value in an object, and its location.

    Parameters
    ----------
    value : object
        A value that JSON can represent.
    where : str
        The location of the object: a file and line, or an index of a list.
    name : str
        The field in the object, such as ``nuggets[2].text``; empty for the object itself.
    """

    def __init__(self, value: Any, where: str, name: str = "") -> None:
        self.value = value
        self.where = where
        self.name = name

    def refused(self, rule: str) -> ValueError:
        """Return an error about a rule that this value breaks."""
        shown = repr(self.value)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
        return ValueError(f"{self.where}: {self.name or 'the object'} {rule}, not {shown}.")

    def has(self, names: str) -> bool:
        """Tell whether this is an object in which one of some fields has a value."""
        return isinstance(self.value, dict) and self.get(names) is not None

    def get(self, names: str) -> Field | None:
        """Return the first of some fields that has a value, given their names separated by spaces."""
        members = self.need_object()
        for key in names.split():
            value = members.get(key)
            if value is not None and value != "":
                return Field(value, self.where, f"{self.name}.{key}" if self.name else key)
        return None

    def need(self, names: str) -> Field:
        """Return the first of some fields that has a value, or raise a ``ValueError``."""
        found = self.get(names)
        if found is None:
            first, *others = names.split()
            told = f" (or {', '.join(others)})" if others else ""
            raise ValueError(f"{self.where}: {f'{self.name}.' if self.name else ''}{first}{told} is missing.")
        return found

    def need_object(self) -> dict[str, Any]:
        """Return the object, or raise a ``ValueError``."""
        if not isinstance(self.value, dict):
            raise self.refused("must be an object")
        return self.value

    def members(self) -> list[Field]:
        """Return the members of a list."""
        if not isinstance(self.value, (list, tuple)):
            raise self.refused("must be a list")
        return [Field(value, self.where, f"{self.name}[{i}]") for i, value in enumerate(self.value)]

    def entries(self) -> list[tuple[str | None, Field]]:
        """Return the values of an object with their keys, or the members of a list with empty keys."""
        if isinstance(self.value, dict):
            return [(str(key), Field(value, self.where, f"{self.name}[{key!r}]")) for key, value in self.value.items()]
        return [(None, member) for member in self.members()]

    def text(self) -> str:
        """Return a string."""
        if not isinstance(self.value, str) or not self.value:
            raise self.refused("must be a non-empty string")
        return self.value

    def identifier(self) -> str:
        """Return a string; integers are read as their digits."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        if not isinstance(self.value, str) or not self.value:
            raise self.refused("must be a non-empty string or an integer")
        return self.value

    def word(self) -> str:
        """Return a string or a number as a word."""
        return word_of(self.value if isinstance(self.value, float) else self.identifier())

    def number(self) -> float:
        """Return a finite number, which may be given as a string."""
        number = number_of(self.value)
        if not math.isfinite(number):
            raise self.refused("must be a finite number")
        return number


def word_of(value: Any) -> str:
    """Return a string or a number as a word: 1.0 is written as "1", as a column with an empty cell has floats.

    Examples
    --------
    >>> word_of(1.0), word_of("1.0"), word_of(0.5), word_of("v1.0")
    ('1', '1', '0.5', 'v1.0')
    """
    return _WHOLE.sub(r"\1", str(value))


def number_of(value: Any) -> float:
    """Return a number, which may be given as a string, or NaN for anything else."""
    try:
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def read_records(source: Any, who: str) -> list[Field]:
    """Return the objects of files, or of Python.

    Parameters
    ----------
    source : path-like, frame, mapping, or iterable of them
        Files (JSON, JSON lines, ``.csv``, ``.tsv``, ``.parquet``; gzipped or not); folders, for all visible files in
        them; objects and rows; or named tuples.
    who : str
        The name of the source in messages, if it is not a file.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If a file cannot be read. The message names file and line.
    TypeError
        If the source is something else.
    """
    if isinstance(source, (str, os.PathLike)):
        return [record for path in _paths(source) for record in _of_file(read_content(path))]
    if isinstance(source, Content):
        return list(_of_file(source))
    if isinstance(source, pd.DataFrame):
        rows = source.to_dict("records")
        return [Field(_native(row), f"{who}, row {i}") for i, row in enumerate(rows)]
    if isinstance(source, Mapping):
        return [Field(_native(source), who)]
    if not isinstance(source, Iterable):
        raise TypeError(f"{who} must be a path, a frame, an object or a list of them, not {type(source).__name__}.")
    records: list[Field] = []
    for i, member in enumerate(source):
        value = member._asdict() if hasattr(member, "_asdict") else member
        if not isinstance(value, (str, os.PathLike, Mapping)):
            raise TypeError(f"{who} must be a list of paths or objects, not of {type(member).__name__}.")
        is_object = isinstance(value, Mapping)
        records += [Field(_native(value), f"{who}, object {i}")] if is_object else read_records(value, who)
    return records


def first_record(source: Source) -> Field | None:
    """Return the first object of a file, or of the first file of a folder, without reading lines after it."""
    contents = map(read_content, _paths(source)) if isinstance(source, (str, os.PathLike)) else [read_content(source)]
    return next((record for content in contents for record in _of_file(content)), None)


def _native(value: Any) -> Any:
    """Convert numpy's values, from frames and parquet files, to Python's."""
    if isinstance(value, Mapping):
        return {str(key): _native(member) for key, member in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_native(member) for member in value]
    return None if value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)) else value


def _paths(source: Path) -> list[Path]:
    if not os.path.isdir(source):
        return [source]
    files: list[Path] = [*visible_files(source)]
    if not files:
        raise ValueError(f"{os.fspath(source)}: the folder is empty.")
    return files


def kind_of(content: Content) -> Kind:
    """Tell from its beginning what kind of file this is; the kind is empty for lines of words.

    A table begins with a header, which has no numbers, unlike the lines of qrels and runs.
    """
    if content.data.startswith(b"PAR1"):
        return "parquet"
    line = content.first_line
    if _JSON.match(line):
        return "json"
    if line.lstrip().startswith(("<?xml", "<trec_dd", "<!DOCTYPE")):
        return "xml"
    separator = separator_of(line)
    is_header = separator in line and not any(reads(float, cell) for cell in re.split(rf"[{separator}\s]", line))
    return "table" if is_header else ""


def names_in(source: Source) -> set[str]:
    """Return the names of columns or fields in a file or folder, as far as its first row or object has them."""
    if is_file(source):
        source = read_content(source)
        if kind_of(source) in ("xml", ""):
            return set()
    record = first_record(source)
    return set() if record is None else _names(record.value)


def _names(value: Any) -> set[str]:
    if isinstance(value, Mapping):
        return {str(name) for name in value}.union(*map(_names, value.values()))
    return _names(value[0]) if isinstance(value, list) and value else set()


def separator_of(header: str) -> str:
    """Return the character that separates the columns of a table."""
    return max(_SEPARATORS, key=header.count)


def reads(reader: Callable[[str], Any], text: str) -> bool:
    """Tell whether a text can be read: without a ``ValueError``."""
    try:
        reader(text)
    except ValueError:
        return False
    return True


def _of_file(content: Content) -> Iterator[Field]:
    kind = kind_of(content)
    if kind == "parquet":
        yield from read_records(read_parquet(content), content.name)
    elif kind == "table":
        yield from _csv_rows(content.text(), separator_of(content.first_line), content.name)
    else:
        yield from _json_objects(content.text(), content.name)


def read_parquet(content: Content) -> pd.DataFrame:
    """Read a parquet file, or raise a ``ValueError`` that names it."""
    require_pyarrow(f"Reading {content.name}")
    try:
        return pd.read_parquet(io.BytesIO(content.data))
    except (ValueError, OSError) as error:
        raise ValueError(f"{content.name}: {str(error).rstrip('.')}.") from error


def _csv_rows(text: str, separator: str, name: str) -> Iterator[Field]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    filled = filter(any, rows)
    try:
        header = next(filled, [])
        for cell in header:
            if header.count(cell) > 1:
                raise ValueError(f"the column {cell!r} occurs twice")
        for cells in filled:
            if len(cells) != len(header):
                raise ValueError(f"expected {len(header)} columns ({' '.join(header)}), found {len(cells)}")
            yield Field(dict(zip(header, cells, strict=True)), f"{name}, line {rows.line_num}")
    except (csv.Error, ValueError) as error:
        raise ValueError(f"{name}, line {rows.line_num}: {error}.") from error


def _json_objects(text: str, name: str) -> Iterator[Field]:
    """Yield the objects of a text: the text as one object, the members of its list, or its lines."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise ValueError(f"{name} is empty.")
    are_objects = len(lines) > 1 and reads(_from_json, lines[0][1])
    for number, part in lines if are_objects else [(1, text)]:
        try:
            value = _from_json(part)
        except ValueError as error:
            line = number - 1 + getattr(error, "lineno", 1)
            reason = str(error).rstrip(".")
            if isinstance(error, json.JSONDecodeError):
                reason = f"this is not JSON: {error.msg} (column {error.colno})"
            raise ValueError(f"{name}, line {line}: {reason}.") from error
        if isinstance(value, list) and not are_objects:
            yield from (Field(member, f"{name}, object {i}") for i, member in enumerate(value))
        else:
            yield Field(value, f"{name}, line {number}" if are_objects or len(lines) == 1 else name)


def _from_json(text: str) -> Any:
    try:
        value = json.loads(text.lstrip("\ufeff"), object_pairs_hook=_object)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("objects are nested too deeply") from error
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise ValueError(f"a text must not contain {half!r}, which is half of a character") from error
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, or raise a ``ValueError`` if a key is repeated, which would lose a value."""
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice[:_SHOWN]!r} is repeated in an object")
    return value
