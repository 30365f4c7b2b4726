"""Check the columns of qrels and runs.

Inside the package, the columns are ``query_id``, ``doc_id``, ``relevance`` and ``iteration``.
"""

from collections.abc import Iterable
from numbers import Number
from typing import Any, Self

import numpy as np
import pandas as pd

from .numbers import LARGEST_EXACT, exact, label_of, number_of
from .strings import Ids, Strings, in_arrow, numbered, objects, odd_row

PYTERRIER_NAMES = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
_OURS = {theirs: ours for ours, theirs in PYTERRIER_NAMES.items()}
RUN_COLUMNS = ("query_id", "doc_id", "score")
QRELS_COLUMNS = ("query_id", "doc_id", "relevance")
INTENT_TYPES = {"inf": 0.0, "nav": 1.0}
# What the words of the column importance count; all others count 0.
IMPORTANCE = {"vital": 1.0, "okay": 0.5}
# The document of a row that only names an intent. RAGElo writes a name with this beginning instead, and label 1; the
# names that begin so are those from here up to the next one.
NO_DOCUMENT = ""
PLACEHOLDER, _AFTER = "__ragelo_unaddressed__", "__ragelo_unaddressed_`"

# How to make strings of values of other types; the first type that fits counts.
_FIXES: dict[Any, str] = {
    bytes: "decode them, as with frame[column].str.decode('utf-8')",
    (float, np.floating): "read the column as strings, as with pandas.read_csv(..., dtype=str)",
    (list, tuple, dict): "read them with pyterrier_diversity.io.read_run or read_qrels",
    object: "convert them to strings, as with frame[column].map(str)",
}


class Columns:
    """The columns of qrels, of a run or of another frame by ir_measures' names. Messages have the user's own names.

    Parameters
    ----------
    data : DataFrame
        The frame, with PyTerrier's or ir_measures' names. Not changed.
    required : tuple of str
        The required columns. A run, which requires `RUN_COLUMNS`, may have ``rank`` instead of ``score``.
    what : str
        The name of the data in messages.

    Attributes
    ----------
    frame : DataFrame
        The data.
    theirs : dict of str to hashable
        The name of each column in ``frame``.
    of_integers : set of str
        The columns that were read as strings, but hold integers.

    Raises
    ------
    ValueError
        If a required column is missing or repeated, or two names of one column have different values.
    TypeError
        If ``data`` is not a frame.
    """

    def __init__(self, data: Any, required: tuple[str, ...], what: str) -> None:
        if not isinstance(data, pd.DataFrame):
            raise TypeError(f"{what} must be a frame here, not {type(data).__name__}.")
        self.frame, self.what = data, what
        self.of_integers: set[str] = set()
        if data.shape == (0, 0):
            self.frame = pd.DataFrame(columns=[PYTERRIER_NAMES.get(name, name) for name in required])
        names = list(self.frame.columns)  # for few columns, less code runs than in tolist()
        self.theirs = {_OURS.get(name, name): name for name in names}
        by_rank = required == RUN_COLUMNS and "score" not in self.theirs and "rank" in self.theirs
        missing = [name for name in required if name not in self.theirs and not (by_rank and name == "score")]
        if missing:
            raise ValueError(self._missing(missing, "read_run" if required == RUN_COLUMNS else "read_qrels"))
        if len(self.theirs) < len(names):
            self._check_names()
        if by_rank:
            self.frame, self.theirs["score"] = self.frame.assign(score=-self.numbers("rank")), "score"

    def _missing(self, missing: list[str], reader: str) -> str:
        ours = PYTERRIER_NAMES.get(missing[0], missing[0])
        return (
            f"{self.what}: missing column {', '.join(map(self.shown, missing))}; found: "
            f"{', '.join(map(str, self.frame.columns))}. If a column has another name, rename it, as in "
            f"io.{reader}(..., columns={{'theirs': '{ours}'}}) or, in the shell, --columns theirs={ours}."
        )

    def _check_names(self) -> None:
        """Raise a ``ValueError`` if a column is repeated, or two names of one column have different values."""
        names = self.frame.columns
        for twice in names[names.duplicated()][:1]:
            is_label = twice in ("label", "relevance")
            hint = " PyTerrier's get_qrels(variant) repeats it; use get_qrels()." if is_label else ""
            raise ValueError(f"{self.what}: the column {self.shown(twice)} appears twice.{hint}")
        for new, old in PYTERRIER_NAMES.items():
            if old in names and new in names:
                self._check_agreement(old, new)
                self.theirs[new] = new

    def _check_agreement(self, old: str, new: str) -> None:
        """Raise a ``ValueError`` if two names of one column have different values: an integer equals its digits."""
        one, other = (self.frame[name] for name in (old, new))
        for row, cells in enumerate(() if one.equals(other) else zip(one.tolist(), other.tolist(), strict=True)):
            are_numbers = all(isinstance(cell, Number) for cell in cells) and cells[0] == cells[1]
            are_missing = all(pd.api.types.is_scalar(cell) and pd.isna(cell) for cell in cells)
            if str(cells[0]) != str(cells[1]) and not are_missing and not are_numbers:
                raise ValueError(
                    f"{self.what}: {old} and {new} are names of one column, but differ in row {row}: {cells[0]!r} and "
                    f"{cells[1]!r}. Drop one of the columns."
                )

    def __contains__(self, name: str) -> bool:
        """Tell whether there is a column."""
        return name in self.theirs

    def __getitem__(self, name: str) -> pd.Series:
        """Return a column."""
        return self.frame[self.theirs[name]]

    def shown(self, name: str) -> str:
        """Return the name of a column for messages: the user's own, or both if the host has renamed the columns."""
        old = PYTERRIER_NAMES.get(name)
        if old is None:
            return name
        if set(PYTERRIER_NAMES.values()).isdisjoint(self.theirs.values()):
            return f"{name} ({old} in PyTerrier)"
        return name if self.theirs.get(name) == name else old

    def ids(self, name: str) -> Ids:
        """Return the distinct strings of a column of ids and the code of each row; integers become their digits.

        Raises
        ------
        ValueError
            If a row has no value in the column.
        TypeError
            If a value is neither a string nor an integer.
        """
        return numbered(self.strings(name))

    def strings(self, name: str, *, are_ids: bool = True) -> Strings:
        """Return a column of ids, or of any values, as strings; integers become their digits.

        Returns
        -------
        pyarrow.LargeStringArray or ndarray of object
            A long column of Arrow strings stays in Arrow.

        Raises
        ------
        ValueError
            If a row has no value in the column.
        TypeError
            If an id is neither a string nor an integer.
        """
        column = self[name]
        kept = in_arrow(column)
        if kept is not None:
            return kept
        values = column.to_numpy(dtype=object)
        kind = pd.api.types.infer_dtype(values, skipna=False) if len(values) else "string"
        if kind == "string":
            return values
        missing = pd.isna(values)
        if missing.any():
            raise ValueError(f"{self.what}: row {int(missing.argmax())} has no {self.shown(name)}.")
        for row, value in enumerate(values) if are_ids and kind != "integer" else ():
            if not isinstance(value, (str, int, np.integer)) or isinstance(value, bool):
                fix = next(fix for kind, fix in _FIXES.items() if isinstance(value, kind))
                raise TypeError(
                    f"{self.what}: {self.shown(name)} must contain strings or integers, but row {row} has {value!r} of "
                    f"type {type(value).__name__}: {fix}."
                )
        if pd.api.types.is_integer(values[0]):
            self.of_integers.add(name)
        return np.array([str(value) for value in values], dtype=object)

    def objects(self, name: str, *, are_ids: bool = True) -> np.ndarray:
        """Return the result of `strings` as an array of Python objects."""
        return objects(self.strings(name, are_ids=are_ids))

    def numbers(self, name: str, *, most: float | None = None, may_be_missing: bool = False) -> np.ndarray:
        """Return a column as finite floats.

        Parameters
        ----------
        most : float, optional
            The largest value of a column whose values must not be negative.
        may_be_missing : bool
            Whether rows may have no value, which is NaN.

        Raises
        ------
        ValueError
            If a value is not a finite number, or not in the range; the message names its query.
        """
        column = self[name]
        missing = column.isna().to_numpy() if may_be_missing else None
        try:
            dtype = getattr(column.dtype, "categories", column).dtype
            if dtype.kind in "mMc":  # numpy would convert them to numbers
                raise TypeError(f"its type is {dtype}")
            column = column if missing is None else column.where(~missing, 0)
            if dtype.kind == "O":
                read = label_of if name == "relevance" else number_of
                column = column.astype(object).map(lambda cell: read(cell) if isinstance(cell, str) else cell)
            values = column.to_numpy(dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"{self.what}: the column {self.shown(name)} must contain numbers: {error}.") from error
        self.refuse(~np.isfinite(values), name, "must be a finite number")
        if most is not None:
            self.refuse(values < 0, name, "must not be negative")
            self.refuse(values > most, name, f"must be at most {most:g}")
        return values if missing is None else np.where(missing, np.nan, values)

    def scores(self) -> np.ndarray:
        """Return the column ``score`` as finite floats, or as ranks if floats cannot distinguish its integers.

        Raises
        ------
        ValueError
            If a score is not a finite number; the message names its query.
        """
        values = self.numbers("score")
        if max(values.max(initial=0), -values.min(initial=0)) < LARGEST_EXACT or self["score"].dtype.kind == "f":
            return values
        # Integers beyond the precision of floats are numbered. Python compares them with floats exactly.
        listed = exact(self["score"]).tolist()
        place = {score: float(i) for i, score in enumerate(sorted(set(listed)))}
        return np.array([place[score] for score in listed])

    def ranks(self) -> np.ndarray | None:
        """Return the column ``rank`` as numbers (NaN if a cell is not a number), or None if this column is missing."""
        if "rank" not in self or self["rank"].dtype.kind not in "iufO":
            return None
        column = self["rank"]
        column = column if column.dtype.kind in "iuf" else pd.to_numeric(column, errors="coerce")
        return column.to_numpy(dtype=np.float64, na_value=np.nan)

    def refuse(self, bad: np.ndarray, name: str, rule: str) -> None:
        """Raise a ``ValueError`` for the first ``bad`` row of a column, if any, with its query and its value."""
        if bad.any():
            row = int(bad.argmax())
            query, value = (self[column].iloc[row : row + 1].tolist()[0] for column in ("query_id", name))
            raise ValueError(
                f"{self.what}: {self.shown(name)} {rule}, but query {query!r} has {value!r} (such rows: "
                f"{int(bad.sum())})."
            )

    def refuse_odd_ids(self, names: Iterable[str]) -> None:
        """Raise a ``ValueError`` for the first id that no file can hold: with NUL or half of a character."""
        for name in names:
            ids = self.strings(name)
            row = odd_row(ids)
            if row is not None:
                raise ValueError(
                    f"{self.what}: {self.shown(name)} must not contain the character NUL or half of a character, but "
                    f"row {row} has {ids.tolist()[row]!r}."
                )

    def of(self, frame: pd.DataFrame) -> Self:
        """Return the columns of another frame with ir_measures' names; messages have the names of this one."""
        return type(self)(frame.rename(columns=self.theirs), (), self.what)

    def renamed(self, ids: Iterable[str] = ("query_id", "doc_id")) -> pd.DataFrame:
        """Return the frame with ir_measures' names, and columns of ids as strings, without attributes.

        Raises
        ------
        ValueError
            If an id is missing.
        TypeError
            If an id is neither a string nor an integer.
        """
        frame = self.frame[list(self.theirs.values())].set_axis(list(self.theirs), axis="columns")
        # pandas cannot join frames with attributes that it cannot compare, such as arrays.
        frame.attrs = {}
        names = list(ids)
        self.refuse_odd_ids(names)
        others = [name for name in names if not isinstance(frame[name].dtype, pd.StringDtype)]
        return frame.assign(**{name: column_of(self.objects(name), frame.index) for name in others})


def by_number(name: str) -> tuple[bool, int, str, str]:
    """Return a sort key that puts names of digits first, as numbers of any length, and other names after them."""
    is_number = name.isascii() and name.isdigit()
    digits = name.lstrip("0") if is_number else ""
    return not is_number, len(digits), digits, name


def of_documents(docs: Ids) -> np.ndarray:
    """Tell which rows of qrels are about a document, given their documents; the others only name an intent."""
    names = docs.names
    nobody = (names == NO_DOCUMENT) | ((names >= PLACEHOLDER) & (names < _AFTER))
    return ~nobody[docs.codes]


def column_of(values: Any, index: Any = None) -> pd.Series:
    """Return values as a column; strings with unpaired surrogates, which Arrow refuses, as objects."""
    try:
        return pd.Series(values, index)
    except UnicodeEncodeError:
        return pd.Series(values, index, dtype=object)
