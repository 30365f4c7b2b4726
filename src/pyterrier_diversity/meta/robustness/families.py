"""The mean tau of the measures of a family."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd


def with_families(
    frame: pd.DataFrame, family_of: dict[str, str] | None, legend: dict[str, str], attrs: Mapping[Hashable, Any]
) -> pd.DataFrame:
    """Add the family of each measure and its mean tau at the same size or depth, and describe the columns."""
    if family_of is not None:
        frame.insert(1, "family", frame["measure"].map(family_of))
        same = [name for name in ("family", "size", "depth") if name in frame]
        mean = frame.groupby(same, sort=False, dropna=False)["tau"].transform("mean")
        frame.insert(list(frame).index("tau") + 1, "family_tau", mean)
    frame.attrs = {"legend": {column: what for column, what in legend.items() if column in frame}, **attrs}
    return frame
