"""The values of all systems on all queries, out of a frame of ``pt.Experiment(..., perquery=True)``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

Rng = np.random.Generator | int | None
Group = Mapping[str, str] | Callable[[str], str]

# Two values are equal within this, relative to the larger of 1 and themselves: one measure computed in two ways
# differs in the last bit.
TOLERANCE = 1e-12

_COLUMNS = ("name", "qid", "measure", "value")


class Scores(NamedTuple):
    """Values of systems on queries.

    ``systems``, ``queries`` and ``measures`` are names, in the order of the frame; ``by_measure`` has an array of shape
    (systems, queries) for each measure.
    """

    systems: list[str]
    queries: list[str]
    by_measure: dict[str, np.ndarray]

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return list(self.by_measure)


def read_scores(perquery: pd.DataFrame, measures: Iterable[object] | None = None) -> Scores:
    """Read the values of all systems on the queries that all of them have.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``. Not changed.
    measures : iterable of Measure or str, optional
        Which measures to read; all of the frame if omitted.

    Raises
    ------
    ValueError
        If a column or a measure is missing, a system has two values of a measure for a query or one that is no number,
        or no query is left.

    Warns
    -----
    UserWarning
        If systems lack queries, which are left out for all of them, with their count.
    """
    missing = [column for column in _COLUMNS if column not in perquery]
    if missing:
        found = ", ".join(map(str, perquery.columns))
        raise ValueError(
            f"perquery: missing column {', '.join(missing)}; found: {found}. pt.Experiment(..., perquery=True) returns "
            "such a frame."
        )
    frame = perquery[list(_COLUMNS)].astype({"name": str, "qid": str, "measure": str, "value": float})
    wanted = list(frame["measure"].unique()) if measures is None else list(dict.fromkeys(map(str, measures)))
    absent = [measure for measure in wanted if measure not in set(frame["measure"])]
    if absent:
        raise ValueError(f"perquery has no measure {', '.join(absent)}; it has {', '.join(frame['measure'].unique())}.")
    frame = frame[frame["measure"].isin(wanted)]
    _refuse(frame, ~np.isfinite(frame["value"]).to_numpy(), "must be a finite number")
    _refuse(frame, frame.duplicated(["name", "qid", "measure"]).to_numpy(), "must be there once")
    systems, queries = list(frame["name"].unique()), list(frame["qid"].unique())
    keys = ["measure", "name"]
    table = frame.pivot(index=keys, columns="qid", values="value")  # noqa: PD010
    table = table.reindex(index=pd.MultiIndex.from_product([wanted, systems], names=keys), columns=queries)
    complete = table.notna().all(axis=0)
    if not complete.all():
        warnings.warn(
            f"{int((~complete).sum())} of {len(complete)} queries are left out: not every system has a value for them.",
            UserWarning,
            stacklevel=3,
        )
    table = table.loc[:, complete]
    if not table.shape[1] or not systems:
        raise ValueError("perquery has no query for which every system has a value.")
    return Scores(systems, list(table.columns), {measure: table.loc[measure].to_numpy() for measure in wanted})


def _refuse(frame: pd.DataFrame, bad: np.ndarray, rule: str) -> None:
    if bad.any():
        row = frame[bad].iloc[0]
        raise ValueError(
            f"perquery: each value {rule}, but system {row['name']!r} has {row['value']:g} of {row['measure']} for "
            f"query {row['qid']!r} ({int(bad.sum())} such rows in all)."
        )


def signs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return 1 where the first value is larger, -1 where the second is, 0 where they are equal within `TOLERANCE`."""
    scale = np.maximum(1.0, np.maximum(np.abs(first), np.abs(second)))
    difference = first - second
    return np.where(np.abs(difference) <= TOLERANCE * scale, 0.0, np.sign(difference))


def families(who: str, measures: Iterable[str], group: Group | None) -> dict[str, str] | None:
    """Return the family of each measure, by its name; a ``ValueError`` if ``group`` has none for it."""
    if group is None:
        return None
    if callable(group):
        return {measure: group(measure) for measure in measures}
    family_of = {str(measure): family for measure, family in group.items()}
    missing = [measure for measure in measures if measure not in family_of]
    if missing:
        raise ValueError(f"{who}: group has no family for {', '.join(missing)}.")
    return family_of


def generators(rng: Rng, n: int) -> list[np.random.Generator]:
    """Return a generator for each of ``n`` tasks, the same whoever works on them."""
    return list(np.random.default_rng(rng).spawn(n))
