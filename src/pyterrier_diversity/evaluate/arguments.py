"""Arguments that several functions take: runs by name, and all in the right order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import ir_measures
import pandas as pd

_LABELS = {"label", "relevance"}
_SCORES = {"score", "rank"}


def _of_columns(columns: Iterable[object]) -> str:
    names = {str(name) for name in columns}
    if names & _LABELS:
        return "qrels"
    if names & _SCORES and names & {"docno", "doc_id"}:
        return "a run"
    return "topics" if "query" in names else ""


def look(value: Any) -> str:
    """Return what a value looks like: "qrels", "a run", "topics", "runs", "measures" or "a path"; or "".

    Iterators are not read.
    """
    if isinstance(value, pd.DataFrame):
        return _of_columns(value.columns)
    if isinstance(value, ir_measures.Measure):
        return "measures"
    if isinstance(value, (str, os.PathLike)):
        return "a path"
    if isinstance(value, Mapping):
        is_named = bool(value) and all(look(run) in ("qrels", "a run", "a path") for run in value.values())
        return "runs" if is_named else ""
    if not isinstance(value, (list, tuple, set, frozenset)) or not value:
        return ""
    first = next(iter(value))
    if isinstance(first, Mapping):
        return _of_columns(first)
    if hasattr(first, "_fields"):
        return _of_columns(first._fields)
    return {"measures": "measures", "a path": "a path", "": ""}.get(look(first), "runs")


def runs_by_name(who: str, runs: Any) -> dict[str, Any]:
    """Return runs or their paths by their names as strings.

    Raises
    ------
    ValueError
        If there is no run, or two names are the same string.
    TypeError
        If ``runs`` is not a mapping.
    """
    if not isinstance(runs, Mapping):
        raise TypeError(f"{who}: runs must be a dict of names to runs, not {type(runs).__name__}.")
    if not runs:
        raise ValueError(f"{who}: give at least one run.")
    named: dict[str, Any] = {}
    for name, run in runs.items():
        if str(name) in named:
            raise ValueError(f"{who}: two runs have the name {str(name)!r}.")
        named[str(name)] = run
    return named


def check_order(who: str, qrels: Any, runs: Any, measures: Any = None) -> None:
    """Raise a ``ValueError`` if one of qrels, runs and measures looks like another.

    A string may be a measure or a path, so it is accepted as either.
    """
    looks = {"qrels": look(qrels), "runs": look(runs), "measures": look(measures)}
    right = {"qrels": ("qrels", ""), "runs": ("runs", "a path", ""), "measures": ("measures", "a path", "")}
    wrong = [f"{name} looks like {seen}" for name, seen in looks.items() if seen not in right[name]]
    if not wrong:
        return
    how = f"The order is {who}(qrels, runs{'' if measures is None else ', measures'})."
    if looks["qrels"] == "a path":
        how += " Read qrels files with pyterrier_diversity.io.read_qrels."
    elif wrong == ["runs looks like a run"]:
        how = "Give it a name, as in {'mine': run}."
    raise ValueError(f"{who}: {' and '.join(wrong)}. {how}")
