"""Frames of values by query, as ``pt.Experiment(..., perquery=True)`` returns them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import ir_measures
import numpy as np
import pandas as pd

from ..frames import Told, listed
from ..measures.parse import higher_is_better
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


def told_of_missing(
    missing: Mapping[str, Sequence[str]], queries: Collection[str], measures: Iterable[ir_measures.Measure | str] = ()
) -> Iterator[Told]:
    """Yield a warning about each run that answers some of these queries, but not all.

    It names those of the measures of which lower values are better: by them, the run is better than it should be.
    """
    best = ", ".join(str(measure) for measure in measures if not higher_is_better(measure))
    for name, of_run in missing.items():
        lacking = [query for query in of_run if query in queries]
        if 0 < len(lacking) < len(queries):
            answered = f"The run answers {len(queries) - len(lacking)} of {len(queries)} queries"
            which = f", the best one of {best}" if best else ""
            told = f"{answered}, but not {listed(lacking, 3)}"
            message = f"{told}. A missing query gets each measure's default value{which}."
            yield Told(MissingWarning(message), name)
