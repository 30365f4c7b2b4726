"""Read qrels and runs in every form that ir_measures accepts, check their columns, and rename them.

Only this module knows the names ``qid``, ``docno``, ``label`` and ``subtopic_id``. Other modules use ``query_id``,
``doc_id``, ``relevance`` and ``iteration``.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from inspect import GEN_CLOSED, getgeneratorstate
from numbers import Integral, Number
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .arrow import ArrowStrings, arrow_strings

_IR_MEASURES_NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
_FORMS = "must be a frame, an iterable of named tuples or of dicts, or a dict of dicts"
_FORMS_OF_RUNS = "must be a frame, an iterable of named tuples or of dicts, a dict of dicts or a dict of lists"
RUN_COLUMNS = ("query_id", "doc_id", "score")

# The attribute of a frame that lists its renamed columns.
_RENAMED = "pyterrier_diversity: renamed"

# Floats represent all integers up to here exactly.
_LARGEST_EXACT = 2.0**53
_PYTERRIER_NAMES = {new: old for old, new in _IR_MEASURES_NAMES.items()}


def to_frame(data: Any, required: tuple[str, ...], what: str) -> pd.DataFrame:
    """Return ``data`` as a frame with ir_measures' column names.

    Parameters
    ----------
    data : DataFrame, iterable of named tuples or of dicts, or dict of dicts
        Qrels or a run, with PyTerrier's or ir_measures' names. A run may also be a dict of lists, best document first.
        The dicts of a run may have such a list instead of a document.
    required : tuple of str
        The required columns; the keys, inner keys and values of a dict of dicts fill them. A run, which requires
        `RUN_COLUMNS`, may have ``rank`` instead of ``score``.
    what : str
        The name of the data in messages.

    Raises
    ------
    ValueError
        If a required column is missing, two names of one column have different values, or ``data`` is a generator or an
        iterator that was read before.
    TypeError
        If ``data`` has another form.
    """
    is_run = required == RUN_COLUMNS
    frame = _framed(data, required, what)
    if frame.shape == (0, 0):
        return pd.DataFrame(columns=list(required))
    by_rank = is_run and "score" not in frame and "rank" in frame
    missing = [column for column in required if column not in frame and not (by_rank and column == "score")]
    if missing:
        named = ", ".join(shown(frame, name) for name in missing)
        found = ", ".join(map(str, data.columns if isinstance(data, pd.DataFrame) else frame.columns))
        raise ValueError(f"{what}: missing column {named}; found: {found}.")
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()]
        hint = " PyTerrier's get_qrels(variant) repeats it; use get_qrels()." if twice[0] == "relevance" else ""
        raise ValueError(f"{what}: column {shown(frame, twice[0])} must not be repeated.{hint}")
    for old, new in _IR_MEASURES_NAMES.items():
        if old in frame and new in frame:
            _check_agreement(frame, old, new, what)
    return frame.assign(score=-numbers(frame, "rank", what)) if by_rank else frame


def _framed(data: Any, required: tuple[str, ...], what: str) -> pd.DataFrame:
    """Return data in any form that `to_frame` takes as a frame, with PyTerrier's column names renamed."""
    is_run = required == RUN_COLUMNS
    forms = _FORMS_OF_RUNS if is_run else _FORMS
    if isinstance(data, pd.DataFrame):
        return _renamed(data)
    if isinstance(data, Mapping) and all(
        isinstance(docs, (Mapping, list, tuple) if is_run else Mapping) for docs in data.values()
    ):
        rows = [(query, doc, value) for query, docs in data.items() for doc, value in _valued(docs)]
        return pd.DataFrame(rows, columns=list(required), dtype=object)
    if isinstance(data, Iterable) and not isinstance(data, (str, Mapping)):
        if _is_read(data):
            kind = "generator" if isinstance(data, Generator) else "iterator"
            raise ValueError(f"{what}: the {kind} has been read before and is empty now; give a list of its rows.")
        records = list(data)
        if records and all(isinstance(record, Mapping) for record in records):
            records = [row for record in records for row in (_rows(record) if is_run else [record])]
        elif records and not hasattr(records[0], "_fields"):
            raise TypeError(f"{what} {forms}, not rows of {type(records[0]).__name__}.")
        return _renamed(pd.DataFrame(records, dtype=object))
    raise TypeError(f"{what} {forms}, not {type(data).__name__}.")


def _rows(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return one row for each document if a row of a run has a list of documents, otherwise the row itself."""
    name = "docno" if "docno" in record else "doc_id"
    docs, score = record.get(name), record.get("score")
    if not isinstance(docs, (list, tuple)):
        return [record]
    scores = [{"score": value} for value in score] if isinstance(score, (list, tuple)) else [{}] * len(docs)
    if len(scores) != len(docs):
        raise ValueError(f"run: a row lists {len(docs)} documents and {len(scores)} scores.")
    return [
        {**record, name: doc, "rank": rank, **of_doc}
        for rank, (doc, of_doc) in enumerate(zip(docs, scores, strict=True))
    ]


def _is_read(rows: Any) -> bool:
    """Tell whether a generator, an iterator over a list, or a map or zip of these has been read before."""
    if isinstance(rows, Generator):
        return getgeneratorstate(rows) == GEN_CLOSED
    if isinstance(rows, (map, filter, zip, enumerate)):
        return any(map(_is_read, rows.__reduce__()[1]))
    # When used up, they no longer have a position.
    return isinstance(rows, (type(iter([])), type(iter(())))) and len(rows.__reduce__()) < 3


def _valued(docs: Any) -> Iterable[tuple[Any, Any]]:
    """Return documents and their values, which count down to 1 for a list."""
    return docs.items() if isinstance(docs, Mapping) else zip(docs, range(len(docs), 0, -1), strict=True)


def _check_agreement(frame: pd.DataFrame, old: str, new: str, what: str) -> None:
    """Raise a ``ValueError`` if two names of one column have different values."""
    first, second = frame[old], frame[new]
    if first.equals(second):
        return
    for row, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        if not _agree(one, other):
            raise ValueError(
                f"{what}: {old} and {new} are two names of one column, but row {row} has {one!r} and {other!r}; drop "
                "one of them."
            )


def _agree(one: Any, other: Any) -> bool:
    """Tell whether two cells have the same value: an integer equals its digits, and 1 equals 1.0."""
    if isinstance(one, Number) and isinstance(other, Number) and one == other:
        return True
    return str(one) == str(other) or all(pd.api.types.is_scalar(cell) and pd.isna(cell) for cell in (one, other))


def given_frame(data: Any, required: tuple[str, ...], what: str) -> pd.DataFrame:
    """Return the result of `to_frame`, or raise a ``TypeError`` if ``data`` is not a frame."""
    if not isinstance(data, pd.DataFrame):
        raise TypeError(f"{what} must be a frame here, not {type(data).__name__}.")
    return to_frame(data, required, what)


def _renamed(frame: pd.DataFrame) -> pd.DataFrame:
    """Rename columns from PyTerrier's names to those of ir_measures."""
    renames = {old: new for old, new in _IR_MEASURES_NAMES.items() if old in frame and new not in frame}
    if not renames:
        return frame
    renamed = frame.rename(columns=renames)
    renamed.attrs = {**renamed.attrs, _RENAMED: list(renames.values())}
    return renamed


def shown(frame: pd.DataFrame, column: str) -> str:
    """Return the name of a column for messages: the user's own, or both if the host has renamed the columns."""
    if column not in _PYTERRIER_NAMES:
        return column
    old, renamed = _PYTERRIER_NAMES[column], frame.attrs.get(_RENAMED)
    if renamed is None:
        return f"{column} ({old} in PyTerrier)"
    return old if column in renamed or column not in frame else column


class Ids(NamedTuple):
    """A column of ids: a code for each row, and the string for each code."""

    codes: np.ndarray
    names: np.ndarray


def ids(frame: pd.DataFrame, column: str, what: str, *, grouped: bool = False) -> Ids:
    """Return the distinct strings of a column and the code of each row; integers become their digits.

    Parameters
    ----------
    grouped : bool
        Whether equal values are mostly adjacent. If so, only the rows where the value changes are hashed.

    Raises
    ------
    ValueError
        If a row has no value in the column.
    TypeError
        If a value is neither a string nor an integer.
    """
    column_of = frame[column]
    arrow = arrow_strings(column_of)
    values = column_of.to_numpy(dtype=object) if arrow is None else arrow
    heads = None
    if grouped and len(frame):
        heads = values.heads if isinstance(values, ArrowStrings) else _heads(values)
    named = values[slice(None) if heads is None else heads]
    try:
        codes, names = pd.factorize(named)
    except TypeError:  # lists have no hash
        strings(frame, column, what)
        raise
    if heads is not None:
        # Small numbers are compared and sorted fast; a missing name has the code -1.
        n = np.diff(heads, append=len(frame))
        codes = np.repeat(codes.astype(np.int16) if len(names) < 2**15 else codes, n)
    if len(codes) and codes.min() < 0:
        raise ValueError(f"{what}: row {int(codes.argmin())} has no {shown(frame, column)}.")
    # A string type contains only strings and missing values.
    known = arrow is not None or isinstance(column_of.dtype, pd.StringDtype)
    if not known and len(names) and pd.api.types.infer_dtype(names, skipna=False) != "string":
        codes, names = pd.factorize(strings(frame, column, what))
    return Ids(codes, np.asarray(names, dtype=object))


def _heads(values: np.ndarray) -> np.ndarray:
    """Return the rows where the value changes, or all rows if the values cannot be compared."""
    # Equal neighbours may be one object, so values are compared only where the addresses differ.
    address = addresses(values)
    changes = np.flatnonzero(address[1:] != address[:-1])
    try:
        if 2 * len(changes) < len(values):
            changes = changes[np.asarray(values[changes] != values[changes + 1], dtype=bool)]
        else:
            changes = np.flatnonzero(np.asarray(values[1:] != values[:-1], dtype=bool))
    except TypeError:  # pd.NA is neither equal nor unequal
        return np.arange(len(values))
    return np.concatenate([[0], changes + 1])


def addresses(objects: np.ndarray) -> np.ndarray:
    """Return the memory addresses of the objects in an array."""
    return np.frombuffer(np.ascontiguousarray(objects), dtype=np.intp) if len(objects) else np.zeros(0, dtype=np.intp)


def by_number(name: str) -> tuple[bool, int, str, str]:
    """Return a sort key that puts names of digits first, as numbers of any length, and other names after them."""
    is_number = name.isascii() and name.isdigit()
    digits = name.lstrip("0") if is_number else ""
    return not is_number, len(digits), digits, name


def strings(frame: pd.DataFrame, column: str, what: str) -> np.ndarray:
    """Return a column of ids as an object array of strings; integers become their digits.

    Raises
    ------
    ValueError
        If a row has no value in the column.
    TypeError
        If a value is neither a string nor an integer.
    """
    values = frame[column].to_numpy(dtype=object)
    kind = pd.api.types.infer_dtype(values, skipna=False) if len(values) else "string"
    if kind != "string":
        _check_present(values, shown(frame, column), what)
        if kind != "integer":
            _check_types(values, shown(frame, column), what)
        values = np.array([str(value) for value in values], dtype=object)
    return values


def texts(frame: pd.DataFrame, column: str, what: str) -> np.ndarray:
    """Return a column of any values as an object array of strings, or raise a ``ValueError`` for a missing value."""
    values = frame[column].to_numpy(dtype=object)
    if len(values) and pd.api.types.infer_dtype(values, skipna=False) != "string":
        _check_present(values, shown(frame, column), what)
        values = np.array([str(value) for value in values], dtype=object)
    return values


def _check_present(values: np.ndarray, column: str, what: str) -> None:
    missing = pd.isna(values)
    if missing.any():
        raise ValueError(f"{what}: row {int(missing.argmax())} has no {column}.")


def _check_types(values: np.ndarray, column: str, what: str) -> None:
    """Raise a ``TypeError`` for the first value that is neither a string nor an integer."""
    known = {kind: issubclass(kind, (str, int, np.integer)) and kind is not bool for kind in set(map(type, values))}
    if all(known.values()):
        return
    row, value = next((row, value) for row, value in enumerate(values) if not known[type(value)])
    if isinstance(value, bytes):
        fix = "decode them, as with frame[column].str.decode('utf-8')"
    elif isinstance(value, (float, np.floating)):
        fix = "read the column as strings, as with pandas.read_csv(..., dtype=str)"
    else:
        fix = "convert them to strings, as with frame[column].map(str)"
    raise TypeError(
        f"{what}: {column} must contain strings or integers, but row {row} has {value!r} of type "
        f"{type(value).__name__}: {fix}."
    )


def with_string_ids(data: Any, required: tuple[str, ...], what: str) -> pd.DataFrame:
    """Return the result of `to_frame` with ids as strings, because some providers find nothing if ids are numbers."""
    frame = to_frame(data, required, what)
    # As objects, because string types cannot represent every string.
    named = {name: pd.Series(strings(frame, name, what), frame.index, dtype=object) for name in ("query_id", "doc_id")}
    return frame.assign(**named)


def kept_strings(frame: pd.DataFrame, column: str, what: str) -> np.ndarray | ArrowStrings:
    """Return the result of `strings`, but leave Arrow strings in Arrow.

    A column with a string type contains nothing else, so its values need no check.
    """
    column_of = frame[column]
    values = arrow_strings(column_of)
    if values is not None:
        missing = values.missing
    elif isinstance(column_of.dtype, pd.StringDtype):
        objects = column_of.to_numpy(dtype=object)
        # One object stands for all missing values.
        missing = np.equal(addresses(objects), id(column_of.dtype.na_value))
    else:
        return strings(frame, column, what)
    if missing.any():
        raise ValueError(f"{what}: row {int(missing.argmax())} has no {shown(frame, column)}.")
    return objects if values is None else values


def numbers(frame: pd.DataFrame, column: str, what: str) -> np.ndarray:
    """Return a column as finite floats.

    Raises
    ------
    ValueError
        If a value is not a finite number; the message names its query.
    """
    column_of = frame[column]
    try:
        dtype = getattr(column_of.dtype, "categories", column_of).dtype
        if dtype.kind in "mMc":  # numpy would convert them to numbers
            raise TypeError(f"its type is {dtype}")
        values = column_of.to_numpy(dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{what}: the column {shown(frame, column)} must contain numbers: {error}.") from error
    finite = np.isfinite(values)
    if not finite.all():
        fail(frame, ~finite, column, what, "must be a finite number")
    return values


def scores(frame: pd.DataFrame, what: str) -> np.ndarray:
    """Return the column ``score`` as finite floats, or as ranks if floats cannot distinguish its integers.

    Raises
    ------
    ValueError
        If a score is not a finite number; the message names its query.
    """
    values = numbers(frame, "score", what)
    if not len(values) or (values.max() < _LARGEST_EXACT and values.min() > -_LARGEST_EXACT):
        return values
    column = frame["score"]
    if column.dtype.kind == "f":
        return values
    # Integers beyond the precision of floats are numbered. Python compares them with floats exactly.
    exact = [
        int(score) if isinstance(score, Integral) else value
        for score, value in zip(column.tolist(), values.tolist(), strict=True)
    ]
    place = {score: float(i) for i, score in enumerate(sorted(set(exact)))}
    return np.array([place[score] for score in exact])


def given_ranks(frame: pd.DataFrame) -> np.ndarray | None:
    """Return the column ``rank`` as numbers (NaN if a cell is not a number), or None if there is no such column."""
    if "rank" not in frame:
        return None
    column = frame["rank"]
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        return column.to_numpy()
    if column.dtype.kind in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64) if column.dtype.kind == "O" else None


def fail(frame: pd.DataFrame, bad: np.ndarray, column: str, what: str, rule: str) -> None:
    """Raise a ``ValueError`` for the first ``bad`` row of a column, with its query and its value."""
    row = int(bad.argmax())
    query, value = (frame[name].iloc[row : row + 1].tolist()[0] for name in ("query_id", column))
    raise ValueError(
        f"{what}: {shown(frame, column)} {rule}, but query {query!r} has {value!r} ({int(bad.sum())} such rows in all)."
    )
