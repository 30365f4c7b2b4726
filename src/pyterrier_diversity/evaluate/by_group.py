"""Groups of queries: the parts of a benchmark, hard and easy queries, or several collections."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pandas as pd

from ..io import read_content, separator_of

By = Mapping[str, Hashable] | pd.Series | pd.DataFrame | str | os.PathLike[str]


@dataclass(frozen=True)
class QueryGroups:
    """A group for each query.

    Attributes
    ----------
    column : str
        What the groups are called: the name of a column.
    of_query : list of str
        The group of each query.
    names : list of str
        The groups that have a query, in the order in which they were given.
    """

    column: str
    of_query: list[str]
    names: list[str]


def read_groups(
    who: str, by: By, query_ids: Sequence[str], columns: Iterable[str], frame: pd.DataFrame | None = None
) -> QueryGroups:
    """Read groups of queries.

    Parameters
    ----------
    who : str
        The name of the calling function in messages.
    by : mapping, Series, DataFrame or path
        A group for each query: by id; a frame with ``qid`` and one more column; or a file of two such columns with a
        header. A string may also name a column of ``frame``.
    query_ids : sequence of str
        The queries.
    columns : iterable of str
        The columns of the caller's table. The column of the groups must not have one of these names.
    frame : DataFrame, optional
        A frame with the column ``qid``.

    Raises
    ------
    ValueError
        If a query has no group or several, or ``by`` cannot be read.
    TypeError
        If ``by`` is of another type.
    """
    column, pairs = _pairs(who, by, frame)
    of: dict[str, str] = {}
    for query_id, group in pairs:
        name = None if pd.isna(group) else str(group)
        if name and of.setdefault(str(query_id), name) != name:
            raise ValueError(
                f"{who}: by has two groups for query {str(query_id)!r}, {of[str(query_id)]!r} and {name!r}."
            )
    without = [query_id for query_id in query_ids if query_id not in of]
    if without:
        raise ValueError(
            f"{who}: by has no group for {len(without)} of {len(query_ids)} queries, such as {without[0]!r}."
        )
    of_query = [of[query_id] for query_id in query_ids]
    present = set(of_query)
    names = [name for name in dict.fromkeys(of.values()) if name in present]
    if column in columns:
        raise ValueError(f"{who}: the result already has a column {column!r}. Rename this column of by.")
    return QueryGroups(column, of_query, names)


def refuse_groups(who: str, what: str, frame: pd.DataFrame) -> None:
    """Raise a ``ValueError`` if a frame has the comparisons of several groups of queries."""
    column = frame.attrs.get("by")
    if column in frame and len(set(frame[column])) > 1:
        raise ValueError(f"{who}: {what} has several groups of queries. Give the rows of one group.")


def _pairs(who: str, by: Any, frame: pd.DataFrame | None) -> tuple[str, Iterable[tuple[Any, Any]]]:
    """Return the name of the groups, and pairs of query and group."""
    if isinstance(by, str) and frame is not None and by in frame:
        by = frame[["qid" if "qid" in frame else "query_id", by]].drop_duplicates()
    elif isinstance(by, str) and not os.path.exists(by):
        raise ValueError(f"{who}: by={by!r} is neither a column nor a file.")
    elif isinstance(by, (str, os.PathLike)):
        content = read_content(by)
        separator = separator_of(content.first_line)
        separator = separator if separator in content.first_line else r"\s+"
        by = pd.read_csv(BytesIO(content.data), sep=separator, dtype=str, keep_default_na=False)
    if isinstance(by, (Mapping, pd.Series)):
        return str(getattr(by, "name", None) or "group"), by.items()
    if not isinstance(by, pd.DataFrame):
        raise TypeError(
            f"{who}: by must be a mapping of queries to groups, a frame or a file, not {type(by).__name__}."
        )
    ids = [name for name in by if name in ("qid", "query_id")]
    others = [name for name in by if name not in ids]
    if len(ids) != 1 or len(others) != 1:
        raise ValueError(f"{who}: by must have the column qid and one more; found: {', '.join(map(str, by))}.")
    return str(others[0]), zip(by[ids[0]], by[others[0]], strict=True)
