"""Check the columns of frames of qrels and runs, and rename them.

Inside the package, the columns are ``query_id``, ``doc_id``, ``relevance`` and ``iteration``.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from numbers import Integral, Number
from typing import Any

import numpy as np
import pandas as pd

from .strings import Ids, Strings, kept_in_arrow, long_objects, numbered

PYTERRIER_NAMES = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
RUN_COLUMNS = ("query_id", "doc_id", "score")
QRELS_COLUMNS = ("query_id", "doc_id", "relevance")
INTENT_TYPES = ("inf", "nav")
# What the words of the column importance count; all others count 0.
IMPORTANCE = {"vital": 1.0, "okay": 0.5}
# The document of a row that only names an intent.
NO_DOCUMENT = ""

# Columns of rows of nuggets, which `io.read_nuggets` reads.
OF_NUGGETS = {"nuggets", "nugget_bank", "claim_bank", "nugget_text", "nugget", "nugget_id", "assignment", "importance"}

# What to say about columns that `look_of_columns` recognises where a reader needs others.
_HINTS = {
    ("read_run", "qrels"): " This looks like qrels. Give them before the runs.",
    ("read_run", "nuggets"): " This looks like nuggets. Give them before the runs, in the place of the qrels.",
    ("read_qrels", "a run"): " This looks like a run. Give the qrels first.",
    ("read_qrels", "nuggets"): " This looks like nuggets. Read them with io.read_nuggets.",
}

# How to make strings of values of other types; the first type that fits counts.
_FIXES: dict[Any, str] = {
    bytes: "decode them, as with frame[column].str.decode('utf-8')",
    (float, np.floating): "read the column as strings, as with pandas.read_csv(..., dtype=str)",
    object: "convert them to strings, as with frame[column].map(str)",
}

# The attribute of a frame that lists its renamed columns.
_RENAMED = "pyterrier_diversity: renamed"
# The attributes of frames that the package reads; "file" is where a frame was read from.
_ATTRIBUTES = {_RENAMED, "file"}

# Floats represent all integers up to here exactly.
LARGEST_EXACT = 2.0**53


def look_of_columns(columns: Iterable[object]) -> str:
    """Return what columns look like: "qrels", "nuggets", "a run" or "topics"; or ""."""
    names = {str(name) for name in columns}
    if names & {"label", "relevance"}:
        return "qrels"
    if names & {"score", "rank"} and names & {"docno", "doc_id"}:
        return "a run"
    return "nuggets" if names & OF_NUGGETS else "topics" if "query" in names else ""


def given_frame(data: Any, required: tuple[str, ...], what: str) -> pd.DataFrame:
    """Return a frame of qrels or of a run with ir_measures' column names.

    Parameters
    ----------
    data : DataFrame
        Qrels or a run, with PyTerrier's or ir_measures' names.
    required : tuple of str
        The required columns. A run, which requires `RUN_COLUMNS`, may have ``rank`` instead of ``score``.
    what : str
        The name of the data in messages.

    Raises
    ------
    ValueError
        If a required column is missing or repeated, or two names of one column have different values.
    TypeError
        If ``data`` is not a frame.
    """
    if not isinstance(data, pd.DataFrame):
        raise TypeError(f"{what} must be a frame here, not {type(data).__name__}.")
    frame = _renamed(data)
    if frame.shape == (0, 0):
        return pd.DataFrame(columns=list(required))
    by_rank = required == RUN_COLUMNS and "score" not in frame and "rank" in frame
    missing = [column for column in required if column not in frame and not (by_rank and column == "score")]
    if missing:
        named = ", ".join(shown(frame, name) for name in missing)
        found = ", ".join(map(str, data.columns))
        ours = PYTERRIER_NAMES.get(missing[0], missing[0])
        reader = "read_run" if required == RUN_COLUMNS else "read_qrels"
        hint = _HINTS.get((reader, look_of_columns(frame)), "")
        raise ValueError(
            f"{what}: missing column {named}; found: {found}. If a column has another name, rename it, as in "
            f"io.{reader}(..., columns={{'theirs': '{ours}'}}) or, in the shell, --columns theirs={ours}.{hint}"
        )
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()]
        hint = " PyTerrier's get_qrels(variant) repeats it; use get_qrels()." if twice[0] == "relevance" else ""
        raise ValueError(f"{what}: the column {shown(frame, twice[0])} appears twice.{hint}")
    twins = {old: new for new, old in PYTERRIER_NAMES.items() if old in frame and new in frame}
    for old, new in twins.items():
        _check_agreement(frame, old, new, what)
    frame = frame.drop(columns=list(twins)) if twins else frame
    return frame.assign(score=-numbers(frame, "rank", what)) if by_rank else frame


def _check_agreement(frame: pd.DataFrame, old: str, new: str, what: str) -> None:
    """Raise a ``ValueError`` if two names of one column have different values: an integer equals its digits."""
    pairs = [] if frame[old].equals(frame[new]) else zip(frame[old].tolist(), frame[new].tolist(), strict=True)
    for row, (one, other) in enumerate(pairs):
        are_numbers = isinstance(one, Number) and isinstance(other, Number)
        are_missing = all(pd.api.types.is_scalar(cell) and pd.isna(cell) for cell in (one, other))
        if not (str(one) == str(other) or are_missing or (are_numbers and one == other)):
            raise ValueError(
                f"{what}: {old} and {new} are names of one column, but differ in row {row}: {one!r} and {other!r}. "
                "Drop one of the columns."
            )


def _renamed(frame: pd.DataFrame) -> pd.DataFrame:
    """Rename columns from PyTerrier's names to those of ir_measures, and drop attributes of the user."""
    renames = {old: new for new, old in PYTERRIER_NAMES.items() if old in frame and new not in frame}
    if not renames and frame.attrs.keys() <= _ATTRIBUTES:
        return frame
    renamed = frame.rename(columns=renames)
    # pandas cannot join frames with attributes that it cannot compare, such as arrays.
    renamed.attrs = {name: frame.attrs[name] for name in _ATTRIBUTES & frame.attrs.keys()}
    if renames:
        renamed.attrs[_RENAMED] = list(renames.values())
    return renamed


def shown(frame: pd.DataFrame, column: str) -> str:
    """Return the name of a column for messages: the user's own, or both if the host has renamed the columns."""
    if column not in PYTERRIER_NAMES:
        return column
    old, renamed = PYTERRIER_NAMES[column], frame.attrs.get(_RENAMED)
    if renamed is None:
        return f"{column} ({old} in PyTerrier)"
    return old if column in renamed or column not in frame else column


def ids(frame: pd.DataFrame, column: str, what: str) -> Ids:
    """Return the distinct strings of a column and the code of each row; integers become their digits.

    Raises
    ------
    ValueError
        If a row has no value in the column.
    TypeError
        If a value is neither a string nor an integer.
    """
    values = long_objects(frame, column)
    if values is not None:  # it is faster to check only distinct values
        with suppress(TypeError, ValueError):  # some values, such as pd.NA, are neither equal nor unequal
            named = numbered(values)
            if named.codes.min() >= 0 and pd.api.types.infer_dtype(named.names, skipna=False) == "string":
                return named
    return numbered(kept_strings(frame, column, what))


def by_number(name: str) -> tuple[bool, int, str, str]:
    """Return a sort key that puts names of digits first, as numbers of any length, and other names after them."""
    is_number = name.isascii() and name.isdigit()
    digits = name.lstrip("0") if is_number else ""
    return not is_number, len(digits), digits, name


def strings(frame: pd.DataFrame, column: str, what: str, *, are_ids: bool = True) -> np.ndarray:
    """Return a column of ids, or of any values, as an object array of strings; integers become their digits.

    Raises
    ------
    ValueError
        If a row has no value in the column.
    TypeError
        If an id is neither a string nor an integer.
    """
    values = frame[column].to_numpy(dtype=object)
    kind = pd.api.types.infer_dtype(values, skipna=False) if len(values) else "string"
    if kind == "string":
        return values
    _check_present(pd.isna(values), shown(frame, column), what)
    for row, value in enumerate(values) if are_ids and kind != "integer" else ():
        if not isinstance(value, (str, int, np.integer)) or isinstance(value, bool):
            fix = next(fix for kind, fix in _FIXES.items() if isinstance(value, kind))
            raise TypeError(
                f"{what}: {shown(frame, column)} must contain strings or integers, but row {row} has {value!r} of type "
                f"{type(value).__name__}: {fix}."
            )
    return np.array([str(value) for value in values], dtype=object)


def _check_present(missing: np.ndarray, column: str, what: str) -> None:
    if missing.any():
        raise ValueError(f"{what}: row {int(missing.argmax())} has no {column}.")


def with_string_ids(data: Any, required: tuple[str, ...], what: str) -> pd.DataFrame:
    """Return the result of `given_frame` with string ids, because some providers find nothing if ids are numbers."""
    frame = given_frame(data, required, what)
    # As objects, because string types cannot represent every string.
    named = {name: pd.Series(strings(frame, name, what), frame.index, dtype=object) for name in ("query_id", "doc_id")}
    return frame.assign(**named)


def column_of(values: Any, index: Any = None) -> pd.Series:
    """Return values as a column; strings with unpaired surrogates, which Arrow refuses, as objects."""
    try:
        return pd.Series(values, index)
    except UnicodeEncodeError:
        return pd.Series(values, index, dtype=object)


def kept_strings(frame: pd.DataFrame, column: str, what: str) -> Strings:
    """Return the result of `strings`, but leave a long column of Arrow strings in Arrow."""
    kept = kept_in_arrow(frame, column)
    if kept is None:
        return strings(frame, column, what)
    if kept.null_count:
        _check_present(frame[column].isna().to_numpy(), shown(frame, column), what)
    return kept


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
    refuse(frame, ~np.isfinite(values), column, what, "must be a finite number")
    return values


def scores(frame: pd.DataFrame, what: str) -> np.ndarray:
    """Return the column ``score`` as finite floats, or as ranks if floats cannot distinguish its integers.

    Raises
    ------
    ValueError
        If a score is not a finite number; the message names its query.
    """
    values = numbers(frame, "score", what)
    if not len(values) or max(values.max(), -values.min()) < LARGEST_EXACT or frame["score"].dtype.kind == "f":
        return values
    # Integers beyond the precision of floats are numbered. Python compares them with floats exactly.
    listed = exact(frame["score"]).tolist()
    place = {score: float(i) for i, score in enumerate(sorted(set(listed)))}
    return np.array([place[score] for score in listed])


def exact(words: pd.Series) -> pd.Series:
    """Return finite numbers, given as numbers or words, so that large integers stay what they are."""
    values = [_number(word) for word in words.tolist()]
    are_floats = all(abs(value) < LARGEST_EXACT for value in values if isinstance(value, int))
    return pd.Series(values, words.index, dtype=float if are_floats else object)


def _number(word: Any) -> int | float:
    is_integer = isinstance(word, Integral) or (isinstance(word, str) and word.lstrip("+-").isdigit())
    return int(word) if is_integer else float(word)


def given_ranks(frame: pd.DataFrame) -> np.ndarray | None:
    """Return the column ``rank`` as numbers (NaN if a cell is not a number), or None if this column is missing."""
    if "rank" not in frame or frame["rank"].dtype.kind not in "iufO":
        return None
    column = frame["rank"] if frame["rank"].dtype.kind in "iuf" else pd.to_numeric(frame["rank"], errors="coerce")
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def refuse(frame: pd.DataFrame, bad: np.ndarray, column: str, what: str, rule: str) -> None:
    """Raise a ``ValueError`` for the first ``bad`` row of a column, if any, with its query and its value."""
    if bad.any():
        row = int(bad.argmax())
        query, value = (frame[name].iloc[row : row + 1].tolist()[0] for name in ("query_id", column))
        raise ValueError(
            f"{what}: {shown(frame, column)} {rule}, but query {query!r} has {value!r} (rows like this: "
            f"{int(bad.sum())})."
        )


def judging_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of qrels that judge a document; other rows only name an intent."""
    return frame[frame["doc_id"] != NO_DOCUMENT] if (frame["doc_id"] == NO_DOCUMENT).any() else frame
