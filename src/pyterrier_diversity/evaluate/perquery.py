"""Frames of values by query, as ``pt.Experiment(..., perquery=True)`` returns them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from ..frames import Told, give
from ..warnings import MissingWarning


def refuse_repeated(frame: pd.DataFrame) -> None:
    """Raise a ``ValueError`` if a system has two values of a measure for a query."""
    refuse_value(frame, frame.duplicated(["name", "qid", "measure"]).to_numpy(), "must appear once")


def refuse_value(frame: pd.DataFrame, bad: np.ndarray, rule: str) -> None:
    """Raise a ``ValueError`` for the first ``bad`` row of a frame from `io.read_perquery`."""
    if bad.any():
        row = frame[bad].iloc[0]
        raise ValueError(
            f"perquery: each value {rule}, but system {row['name']!r} has {row['value']:g} of {row['measure']} for "
            f"query {row['qid']!r} (such rows: {int(bad.sum())})."
        )


def warn_of_missing(perquery: pd.DataFrame) -> None:
    """Warn if some systems in a frame of `evaluate_runs` do not answer all of its queries."""
    names, queries = (set(perquery[column].astype(str)) for column in ("name", "qid"))
    of_names = {name: missing for name, missing in perquery.attrs.get("missing", {}).items() if name in names}
    missing = {name: [query for query in of_name if query in queries] for name, of_name in of_names.items()}
    give(told_of_missing(missing, len(queries)))


def told_of_missing(missing: Mapping[str, Sequence[str]], n_queries: int) -> Iterator[Told]:
    """Yield a warning about each run that answers some queries, but not all."""
    for name, queries in missing.items():
        if 0 < len(queries) < n_queries:
            answered = f"The run answers {n_queries - len(queries)} of {n_queries} queries"
            message = f"{answered}, but not {listed(queries, 3)}. A missing query gets each measure's default value."
            yield Told(MissingWarning(message), name)


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return names for a message, separated by commas; of many, the first ones."""
    return ", ".join([*names[:most], *(["..."] if len(names) > most else [])]) or "none"
