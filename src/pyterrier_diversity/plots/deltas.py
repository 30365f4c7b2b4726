"""Pictures of differences between systems, query by query."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..io import called
from ..meta.scores import read_scores, rounded
from .drawing import GAIN, LINE, LOSS, Names, drawing, plot_lines, readable, size_of, tell, whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def per_query_deltas(
    perquery: pd.DataFrame,
    measure: object,
    system: str | Iterable[str],
    baseline: str,
    *,
    names: Names = None,
    labels: Names = None,
    ax: Axes | None = None,
) -> Axes:
    """Show by how much a system is better than another on each query, the largest gain first.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them.
    measure : Measure or str
        The measure.
    system : str, or iterable of str
        The system, or several systems, which are shown as lines.
    baseline : str
        The system to compare with.
    names, labels : mapping, optional
        How systems and measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        For one system: a bar for each query, with its id below, a line at the mean, and how many queries are better,
        equal and worse. For several systems: a line for each, with queries sorted by its own differences. `meta.risk`
        weights the losses, which are below 0.

    Raises
    ------
    ValueError
        If the frame cannot be read, or the measure or a system is not in it.

    Warns
    -----
    UserWarning
        If queries are left out, because a system has no value for them.
    """
    who, source = "per_query_deltas", "pt.Experiment(..., perquery=True)"
    frame = readable(who, perquery, source, "name", "qid", "measure", "value")
    frame = frame.astype({"name": str, "measure": str})
    frame = frame[frame["measure"] == str(measure)]
    if frame.empty:
        raise ValueError(f"{who}: the frame has no measure {measure}.")
    systems = [system] if isinstance(system, str) else list(dict.fromkeys(map(str, system)))
    if not systems:
        raise ValueError(f"{who}: system must name a system.")
    for name in (*systems, baseline):
        if name not in set(frame["name"]):
            there = ", ".join(frame["name"].unique())
            raise ValueError(f"{who}: the frame has no system {name!r} with {measure}; it has {there}.")
    shown = called("names", names, [*systems, baseline])
    scores = read_scores(frame[frame["name"].isin([*systems, baseline])])
    (values,) = scores.by_measure.values()
    theirs = values[scores.systems.index(baseline)]
    deltas = {name: rounded(values[scores.systems.index(name)] - theirs) for name in systems}
    n_named = len(scores.queries) if isinstance(system, str) else 0
    with drawing(ax, float(np.clip(LINE * n_named, 4.8, 16))) as ax:
        what = f"difference in {called('labels', labels, [measure])[measure]}"
        if isinstance(system, str):
            delta = deltas[system]
            step = _draw_bars(ax, delta, scores.queries)
            told = f"{shown[system]} against {shown[baseline]}: {_counted(delta)}, mean {delta.mean():+.3f}"
            part = f" (every {step}th is named)" if step > 1 else ""
            tell(ax, told, x=f"query, the largest gain first{part}", y=what)
        else:
            counted = {f"{shown[name]}: {_counted(delta)}": -np.sort(-delta) for name, delta in deltas.items()}
            plot_lines(ax, {name: (np.arange(1, len(delta) + 1), delta) for name, delta in counted.items()})
            whole_numbers(ax.xaxis)
            told = f"against {shown[baseline]}, {len(scores.queries)} queries"
            tell(ax, told, x="queries by difference, each system's largest gain first", y=what)
        ax.axhline(0, color="black", linewidth=0.8)
    return ax


def _counted(delta: np.ndarray) -> str:
    """Return on how many queries a system is better, and on how many it is worse."""
    wins, losses = int((delta > 0).sum()), int((delta < 0).sum())
    ties = len(delta) - wins - losses
    return f"{wins} better, " + (f"{ties} equal, " if ties else "") + f"{losses} worse"


def _draw_bars(ax: Axes, delta: np.ndarray, queries: list[str]) -> int:
    """Draw a bar for each query, the largest gain first, and a line at the mean. Return which queries are named."""
    order = np.argsort(-delta, kind="stable")
    ordered = delta[order]
    ax.bar(range(len(order)), ordered, color=np.where(ordered < 0, LOSS, GAIN))
    ax.axhline(delta.mean(), color="black", linestyle="--", linewidth=1)
    ax.text(1.005, delta.mean(), "mean", va="center", size=9, transform=ax.get_yaxis_transform())
    # Every query is named if there is room, otherwise every few.
    step = -(-len(order) // max(1, int(1.01 * size_of(ax)[0] / LINE)))
    shown = range(0, len(order), step)
    ax.set_xticks(shown, [queries[order[at]] for at in shown], rotation=90, fontsize=8)
    ax.set_xlim(-0.8, len(order) - 0.2)
    return step
