"""Pictures of differences between systems, query by query."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..meta.scores import differences, read_scores
from .drawing import (
    GAIN,
    LOSS,
    characters_in,
    fitted,
    name_lines,
    new_axes,
    plot_lines,
    rank_ticks,
    readable,
    size_of,
    title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def per_query_deltas(
    perquery: pd.DataFrame,
    measure: object,
    system: str | Iterable[str],
    baseline: str,
    *,
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
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        For one system: a bar for each query, with its id below, a line at the mean, and how many queries are better,
        equal and worse. For several systems: a line for each, with queries sorted by its own differences. `meta.risk`
        weights the losses, which are below 0. Values within 1e-12 have a difference of 0.

    Raises
    ------
    ValueError
        If the frame cannot be read, or the measure or a system is not in it.

    Warns
    -----
    UserWarning
        If queries are left out, because a system has no value for them.
    """
    source = "pt.Experiment(..., perquery=True)"
    frame = readable("per_query_deltas", perquery, source, "name", "qid", "measure", "value")
    frame = frame.astype({"name": str, "measure": str})
    frame = frame[frame["measure"] == str(measure)]
    if frame.empty:
        raise ValueError(f"per_query_deltas: the frame has no measure {measure}.")
    systems = [system] if isinstance(system, str) else list(dict.fromkeys(map(str, system)))
    if not systems:
        raise ValueError("per_query_deltas: system must name a system.")
    for name in (*systems, baseline):
        if name not in set(frame["name"]):
            there = ", ".join(frame["name"].unique())
            raise ValueError(f"per_query_deltas: the frame has no system {name!r} with {measure}; it has {there}.")
    scores = read_scores(frame[frame["name"].isin([*systems, baseline])])
    (values,) = scores.by_measure.values()
    theirs = values[scores.systems.index(baseline)]
    deltas = {name: differences(values[scores.systems.index(name)], theirs) for name in systems}
    if ax is None:
        ax = new_axes(_size(len(systems), len(scores.queries) if isinstance(system, str) else 0))
    if isinstance(system, str):
        _draw_bars(ax, deltas[system], scores.queries)
        told = f"{system} against {baseline}: {_counted(deltas[system])}, mean {deltas[system].mean():+.3f}"
        title(ax, told)
    else:
        sorted_deltas = {f"{name}: {_counted(delta)}": -np.sort(-delta) for name, delta in deltas.items()}
        plot_lines(ax, {name: (np.arange(1, len(delta) + 1), delta) for name, delta in sorted_deltas.items()})
        rank_ticks(ax, 1, len(scores.queries))
        ax.set_xlabel("queries by difference, each system's largest gain first")
        title(ax, f"against {baseline}, {len(scores.queries)} queries")
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set_ylabel(fitted(f"difference in {measure}", characters_in(size_of(ax)[1], 10)))
    if not isinstance(system, str):
        name_lines(ax)
    return ax


def _size(n_systems: int, n_named: int) -> tuple[float, float]:
    """Return width and height of a figure in inches: larger for many names of queries, or of systems below it."""
    return (9.6, 5.4) if n_systems > 5 else (float(np.clip(0.16 * n_named, 6.4, 12)), 4.8)


def _counted(delta: np.ndarray) -> str:
    """Return on how many queries a system is better, and on how many it is worse."""
    wins, losses = int((delta > 0).sum()), int((delta < 0).sum())
    ties = len(delta) - wins - losses
    return f"{wins} better, " + (f"{ties} equal, " if ties else "") + f"{losses} worse"


def _draw_bars(ax: Axes, delta: np.ndarray, queries: list[str]) -> None:
    """Draw a bar for each query, the largest gain first, and a line at the mean."""
    order = np.argsort(-delta, kind="stable")
    ordered = delta[order]
    ax.bar(range(len(order)), ordered, color=np.where(ordered < 0, LOSS, GAIN))
    ax.axhline(delta.mean(), color="black", linestyle="--", linewidth=1)
    ax.text(1.005, delta.mean(), "mean", va="center", size=9, transform=ax.get_yaxis_transform())
    room = 72 * 0.8 * size_of(ax)[0] / len(order)
    # Name every query if there is room, otherwise every few.
    step = max(1, int(np.ceil(6 / room)))
    shown = range(0, len(order), step)
    ax.set_xticks(shown, [queries[order[at]] for at in shown], rotation=90, fontsize=min(9.0, 0.85 * room * step))
    ax.set_xlim(-0.8, len(order) - 0.2)
    ax.set_xlabel("query, the largest gain first" + (f" (every {step}th is named)" if step > 1 else ""))
