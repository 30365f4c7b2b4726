"""Tables of results that describe their columns, with the families of measures."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import pandas as pd

# Columns of several tables.
_LEGEND = {
    "measure": "the measure",
    "system": "the first system of the pair",
    "ties": "number of queries on which both are equal",
    "family": "the family of the measure",
    "family_tau": "mean tau of the family's measures, without NaN",
    "n_trials": "number of trials in which not all systems are tied",
}


def described(
    frame: pd.DataFrame,
    legend: Mapping[str, str],
    attrs: Mapping[Hashable, object],
    family_of: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Add attributes with a legend, the family of each measure, and the family's mean tau at the same size or depth."""
    if family_of is not None:
        frame.insert(1, "family", frame["measure"].map(family_of))
        if "tau" in frame:
            same = [name for name in ("family", "size", "depth") if name in frame]
            mean = frame.groupby(same, sort=False, dropna=False)["tau"].transform("mean")
            frame.insert(list(frame).index("tau") + 1, "family_tau", mean)
    legend = {**_LEGEND, **legend}
    frame.attrs = {"legend": {str(column): legend[str(column)] for column in frame}, **attrs}
    return frame
