"""Read objects and rows from files or from Python. Errors name file, line and field."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import pandas as pd

from ..frames import label_of, number_of
from .files import Content

_SHOWN = 60
# A lone surrogate (half of a character), which Python's JSON reader accepts.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

_WHOLE = re.compile(r"^(-?[0-9]+)\.0+$")


class Label(float):
    """The type of a column of labels: numbers, truth values, or NTCIR's L0 to L9."""


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
    given : mapping, optional
        The object with the names that the user gave, for messages.
    """

    def __init__(self, value: Any, where: str, name: str = "", given: Mapping[Any, Any] | None = None) -> None:
        self.value, self.where, self.name = value, where, name
        self.given = value if given is None else given

    def refused(self, rule: str) -> ValueError:
        """Return an error about a rule that this value breaks, or that there is no value."""
        if self.name and (self.value is None or self.value == "" or self.value != self.value):
            return ValueError(f"{self.where}: {self.name} is missing.")
        shown = repr(self.value)
        more = "..." * (len(shown) > _SHOWN)
        return ValueError(f"{self.where}: {self.name or 'the object'} {rule}, not {shown[:_SHOWN]}{more}.")

    def has(self, names: str) -> bool:
        """Tell whether this is an object in which one of some fields has a value."""
        return isinstance(self.value, dict) and self.get(names) is not None

    def get(self, names: str) -> Field | None:
        """Return the first of some fields that has a value, given their names separated by spaces."""
        members = self.need_object()
        for key in names.split():
            if members.get(key) not in (None, ""):
                return Field(members[key], self.where, f"{self.name}.{key}" if self.name else key)
        return None

    def need(self, names: str) -> Field:
        """Return the first of some fields that has a value, or raise a ``ValueError`` that lists those of an object."""
        found = self.get(names)
        if found is not None:
            return found
        first, *others = names.split()
        told = f" (or {', '.join(others)})" if others else ""
        missing = f"{first}{told} is missing"
        if self.name:
            raise ValueError(f"{self.where}: {self.name}.{missing}.")
        lists = [name for name, of in self.given.items() if of and isinstance(of, list)]
        old = lists[0] if lists and first == "nugget_text" else "theirs"
        if old != "theirs":
            first = "nuggets" if isinstance(self.given[old][0], Mapping) else "retrieval_gt"
        raise ValueError(
            f"{self.where}: {missing}; found: {', '.join(map(str, self.given)) or 'none'}. Rename fields, as in "
            f"columns={{{old!r}: {first!r}}}."
        )

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

    def text(self, rule: str = "must be a non-empty string") -> str:
        """Return a string."""
        if not isinstance(self.value, str) or not self.value:
            raise self.refused(rule)
        if not (self.value.isascii() or reads(str.encode, self.value)):
            raise self.refused("must not contain half of a character")
        return self.value

    def identifier(self) -> str:
        """Return a string; integers are read as their digits."""
        if type(self.value) is int:
            return str(self.value)
        if "\0" in self.text("must be a non-empty string or an integer"):
            raise self.refused("must not contain the character NUL")
        return str(self.value)

    def word(self) -> str:
        """Return a string or a number as a word."""
        return word_of(self.value if isinstance(self.value, float) else self.identifier())

    def number(self, read: Callable[[Any], float] = number_of) -> float:
        """Return a finite number, which may be given as a string."""
        number = read(self.value)
        if not math.isfinite(number):
            raise self.refused("must be a finite number")
        return number

    def label(self) -> float:
        """Return a label: a finite number, a truth value, or one of NTCIR's words L0 to L9."""
        return self.number(label_of)

    def count(self) -> int:
        """Return a whole number that fits into 64 bits."""
        if not re.fullmatch("[0-9]{1,18}", self.value):
            raise self.refused("must be a non-negative whole number of at most 18 digits")
        return int(self.value)


def word_of(value: Any) -> str:
    """Return a string or a number as a word: 1.0 is written as "1", as a column with an empty cell has floats.

    Examples
    --------
    >>> word_of(1.0), word_of("1.0"), word_of(0.5), word_of("v1.0")
    ('1', '1', '0.5', 'v1.0')
    """
    return _WHOLE.sub(r"\1", str(value))


def is_frame(data: object) -> bool:
    """Tell whether something is a frame of pandas, Arrow or polars."""
    return isinstance(data, pd.DataFrame) or hasattr(data, "to_pandas")


def plain(data: Any) -> Any:
    """Return the frame of an object of Arrow or polars, the dict of a model or a series, and the list of an array."""
    if isinstance(data, (pd.DataFrame, Mapping, type)):
        return data
    if dataclasses.is_dataclass(data) and not callable(data):
        return dataclasses.asdict(data)
    ways = ("to_pandas", "model_dump", "_asdict", "to_dict", "tolist")
    return next((getattr(data, way)() for way in ways if callable(getattr(data, way, None))), data)


def native(value: Any) -> Any:
    """Convert numpy's values, from frames and parquet files, to Python's."""
    if isinstance(value, Mapping):
        return {str(key): native(member) for key, member in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [native(member) for member in value]
    return None if value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)) else value


def reads(reader: Callable[[str], Any], text: str) -> bool:
    """Tell whether a text can be read: without a ``ValueError``."""
    with suppress(ValueError):
        reader(text)
        return True
    return False


def read_parquet(content: Content) -> pd.DataFrame:
    """Read a parquet file, or raise a ``ValueError`` that names it."""
    try:
        return pd.read_parquet(io.BytesIO(content.data), engine="pyarrow")
    except (ValueError, OSError) as error:
        raise ValueError(f"{content.name}: {str(error).rstrip('.')}.") from error


def read_csv(content: Content, separator: str) -> tuple[pd.DataFrame, list[str]]:
    """Return a table with a header, and file and line of each row; a ``ValueError`` names them, too."""
    name, lines = content.name, io.StringIO(content.text(), newline="")
    is_spaced = separator == " " or f"{separator} " in content.first_line
    rows = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=is_spaced)
    try:
        (place, header), *records = ((f"{name}, line {rows.line_num}", cells) for cells in rows if any(cells))
    except csv.Error as error:
        raise ValueError(f"{name}, line {rows.line_num}: {error}.") from error
    for cell in header:
        if header.count(cell) > 1:
            raise ValueError(f"{place}: the column {cell!r} occurs twice.")
    for place, cells in records:
        if len(cells) != len(header):
            raise ValueError(f"{place}: expected {len(header)} columns ({' '.join(header)}), found {len(cells)}.")
    return pd.DataFrame([cells for _, cells in records], columns=header, dtype=object), [place for place, _ in records]


def read_json(content: Content) -> list[Field]:
    """Return the objects of JSON: the text as one, the members of its list, or its lines; errors name file and line."""
    name, text, records = content.name, content.text(), []
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    are_objects = len(lines) > 1 and reads(_from_json, lines[0][1])
    for number, part in lines if are_objects else [(1, text)]:
        value = _from_json(part, name, number)
        if isinstance(value, list) and not are_objects:
            records += [Field(member, f"{name}, object {i}") for i, member in enumerate(value)]
        else:
            records.append(Field(value, f"{name}, line {number}" if are_objects or len(lines) == 1 else name))
    return records


def _from_json(text: str, name: str = "", line: int = 1) -> Any:
    """Return the value of a text that begins in a line of a file, or raise a ``ValueError`` that names both."""
    try:
        value = json.loads(text.lstrip("\ufeff"), object_pairs_hook=_object)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except json.JSONDecodeError as error:
        line, fault = line + error.lineno - 1, f"this is not JSON: {error.msg} (column {error.colno})"
    except RecursionError:
        fault = "objects are nested too deeply"
    except UnicodeEncodeError as error:
        fault = f"a text must not contain {error.object[error.start]!r}, which is half of a character"
    except ValueError as error:
        fault = str(error)
    raise ValueError(f"{name}, line {line}: {fault}.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, or raise a ``ValueError`` if a key is repeated, which would lose a value."""
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise ValueError(f"the key {twice[:_SHOWN]!r} is repeated in an object")
    return value
