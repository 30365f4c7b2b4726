"""Panels with a row for each intent and a column for each rank or system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ..io import called
from .drawing import GAIN, Names, figure_of, fitted, in_rows, legend, name_rows, panels_in, size_of, tell, whole_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

_JUDGED_0 = "#eef1f4"
_UNJUDGED: dict[str, Any] = {"facecolor": "white", "edgecolor": "0.65", "hatch": "////", "linewidth": 0}
# Every picture has the same shades for the labels of TREC; larger labels need their own scale.
_HIGHEST = 4
# More ranks than these have smaller marks.
_MANY = 30
# Panels beside each other, and the width of all of them in inches.
_MOST_PANELS, _PANELS = 5, 14.0


class Grid(NamedTuple):
    """A ranking by intent and rank.

    ``labels`` and ``new`` have the shape (intents, ranks); ``judged`` and ``tied`` (ranks,); ``possible`` (intents,) is
    whether any judged document is relevant to an intent. ``running`` has the values of a measure by rank, and its name.
    """

    labels: np.ndarray
    new: np.ndarray
    judged: np.ndarray
    tied: np.ndarray
    possible: np.ndarray
    first_rank: int = 1
    running: pd.Series | None = None


def panels_of(
    who: str,
    named: bool,
    grids: Mapping[str, Grid],
    texts: list[str],
    told: str,
    names: Names,
    ax: Any,
    ends: Sequence[str] = (),
) -> Any:
    """Draw a panel for each system, with the values above it. Return one panel if the system is not named."""
    given = ax if named or ax is None else [ax]
    if given is not None and len(given) != len(grids):
        raise ValueError(f"{who}: ax must have one Axes object for each system, not {len(given)} for {len(grids)}.")
    n_rows = -(-len(grids) // _MOST_PANELS) if given is None else 1
    n_columns = -(-len(grids) // n_rows)
    depth = max(grid.labels.shape[1] for grid in grids.values())
    width = max(float(np.clip(_PANELS / n_columns - 0.5, 0, 4.2)), min(8.0, 0.16 * depth))
    values = [grid.running for grid in grids.values() if grid.running is not None]
    limits = np.nanmin(np.hstack([0.0, *values])), np.nanmax(np.hstack([1.0, *values]))
    # The values above take some of the room.
    most = (1 / n_rows - 0.1 if given is None else 0.6) if values else 1 / n_rows
    rows, height = in_rows(texts, None if given is None else given[0], most=most, ends=ends)
    highest = max(_HIGHEST, *(grid.labels.max() for grid in grids.values()))
    last = max(grid.first_rank + grid.labels.shape[1] for grid in grids.values()) - 0.5
    systems = called("names", names, grids)
    with panels_in(given, len(grids), n_columns, width, height) as panels:
        for place, (panel, (system, grid)) in enumerate(zip(panels, grids.items(), strict=True)):
            above = 0.9 if given is None else min(0.9, 0.3 * size_of(panel)[1])
            inner = [panel] if grid.running is None else [panel, _draw_values(panel, grid.running, limits, above)]
            draw_cells(panel, grid.labels, highest, rows, height, grid.first_rank)
            _draw_marks(panel, grid)
            panel.set_xlim(right=last)
            tell(panel, systems[system], "" if given is None and len(grids) > 1 else told, x="rank")
            for beside in inner if given is None and place % n_columns else ():
                beside.set_ylabel("")
                beside.tick_params(labelleft=False)
        _key(panels[n_columns - 1], grids.values())
        if given is None and len(grids) > 1:
            figure_of(panels[0]).suptitle(fitted(told, int(10 * width * n_columns)), fontsize=10)
    return list(panels) if named else panels[0]


def _draw_values(panel: Axes, values: pd.Series, limits: tuple[float, float], height: float) -> Axes:
    """Draw the value down to each rank and write the last one, in axes between the panel and its title."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    top: Any = panel.transAxes
    inches = figure_of(panel).dpi_scale_trans + ScaledTranslation(0, 1, top)
    ax = panel.inset_axes((0, 0.1, 1, height), transform=blended_transform_factory(top, inches), sharex=panel)
    margin, last = 0.08 * (limits[1] - limits[0]), values.iloc[-1]
    ax.axhline(0, color="0.6", linewidth=0.8)
    ax.plot(values, color=GAIN, marker="." if len(values) <= 30 else None, label=values.name)
    ax.text(1.01, last, f"{last:.3f}", va="center", size=9, transform=ax.get_yaxis_transform())
    ax.set_ylim(limits[0] - margin, limits[1] + 2 * margin)
    ax.set_ylabel(fitted(values.name, 20), fontsize=9, rotation=0, ha="right", va="center")
    ax.tick_params(labelbottom=False, labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _shades() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    # The lowest label is far from 0, in grey as well.
    shades = [(0.0, _JUDGED_0), (1e-6, "#b9d6ee"), (0.25, "#92c0e2"), (0.5, "#4a90c4"), (1.0, "#08306b")]
    return LinearSegmentedColormap.from_list("labels", shades, N=1024)


def draw_cells(ax: Axes, labels: np.ndarray, highest: float, texts: list[str], height: float, start: int = 1) -> None:
    """Draw labels by intent and rank, darker the higher, with the texts of the intents."""
    n_intents, depth = labels.shape
    ax.pcolormesh(
        np.arange(depth + 1) + start - 0.5,
        np.arange(n_intents + 1) - 0.5,
        labels,
        cmap=_shades(),
        vmin=0,
        vmax=highest,
        edgecolors="white",
        linewidth=0.5 if depth > _MANY else 2,
    )
    name_rows(ax, texts, height)
    ax.set_xlim(start - 0.5, start + depth - 0.5)
    ax.spines[:].set_visible(False)


def _draw_marks(ax: Axes, grid: Grid) -> None:
    """Mark unjudged documents, new intents, ties, and the intents that no judged document is relevant to."""
    (n_intents, depth), start = grid.labels.shape, grid.first_rank
    ax.bar(start + np.flatnonzero(~grid.judged), n_intents, 1, -0.5, **_UNJUDGED)
    rows, places = np.nonzero(grid.new)
    size = 3.5 if depth > _MANY else 7
    ax.plot(places + start, rows, "o", color="white", markeredgecolor="black", markersize=size, label="_new")
    for row in np.flatnonzero(~grid.possible).tolist():
        middle = start + (depth - 1) / 2
        ax.text(middle, row, "no judged document is relevant", ha="center", va="center", size=8, style="italic")
    for place in np.flatnonzero(grid.tied).tolist():
        ax.text(place + start, n_intents - 0.3, "=", ha="center", va="center", size=6 if depth > _MANY else 9)
    ax.set_ylim(n_intents - (0.1 if grid.tied.any() else 0.5), -0.5)
    whole_numbers(ax.xaxis)


def _key(ax: Axes, grids: Iterable[Grid]) -> None:
    """Add a legend of the shades and marks that occur."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    mesh = ax.collections[0]
    labels, new, judged, tied = (np.hstack(parts) for parts in [*zip(*grids, strict=True)][:4])
    shades = np.unique(labels[labels > 0])
    shades = shades[np.linspace(0, len(shades) - 1, min(5, len(shades))).astype(int)]
    look: dict[str, Any] = {"linestyle": "", "markeredgecolor": "black", "markersize": 6}
    marks: list[tuple[Any, str, Any]] = [
        (((labels == 0) & judged).any(), "label 0 or none", Patch(facecolor=_JUDGED_0, edgecolor="0.8")),
        *((True, f"label {label:g}", Patch(facecolor=mesh.cmap(mesh.norm(label)))) for label in shades),
        (not judged.all(), "unjudged", Patch(**_UNJUDGED)),
        (new.any(), "new intent", Line2D([], [], marker="o", color="white", **look)),
        (tied.any(), "tied score", Line2D([], [], marker="$=$", color="black", **look)),
    ]
    legend(ax, [mark for occurs, _, mark in marks if occurs], [name for occurs, name, _ in marks if occurs])
