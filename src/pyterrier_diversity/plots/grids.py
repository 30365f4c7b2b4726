"""Panels with a row for each intent and a column for each rank or system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..io import called
from .drawing import (
    Names,
    enlarge,
    figure_of,
    fitted,
    in_rows,
    legend,
    name_rows,
    new_panels,
    size_of,
    tell,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

_JUDGED_0 = "#eef1f4"
_UNJUDGED: dict[str, Any] = {"facecolor": "white", "edgecolor": "0.65", "hatch": "////", "linewidth": 0}
# Every picture has the same shades for the labels of TREC; larger labels need their own scale.
_HIGHEST = 4
# Panels beside each other, and the width of all of them in inches.
_MOST_PANELS, _PANELS = 5, 14.0


class Grid(NamedTuple):
    """A ranking by intent and rank.

    ``labels`` and ``new`` have the shape (intents, ranks); ``judged`` and ``tied`` (ranks,); ``possible`` (intents,) is
    whether any judged document is relevant to an intent.
    """

    labels: np.ndarray
    new: np.ndarray
    judged: np.ndarray
    tied: np.ndarray
    possible: np.ndarray
    first_rank: int


def panels_of(
    who: str,
    grids: Mapping[str, Grid],
    texts: list[str],
    told: str,
    names: Names,
    ax: Sequence[Axes] | None,
    ends: Sequence[str] = (),
    above: Callable[[Axes, str], None] | None = None,
) -> list[Axes]:
    """Draw a panel for each system, and what ``above`` draws into axes above it."""
    n_rows = -(-len(grids) // _MOST_PANELS) if ax is None else 1
    n_columns = -(-len(grids) // n_rows)
    width = float(np.clip(_PANELS / n_columns - 0.5, 0, 4.2))
    width = max(width, min(8.0, 0.16 * max(grid.labels.shape[1] for grid in grids.values())))
    panels = new_panels(len(grids), n_columns, width, 2) if ax is None else list(ax)
    if len(panels) != len(grids):
        raise ValueError(f"{who}: ax must have one Axes object for each system, not {len(panels)} for {len(grids)}.")
    given = None if ax is None else panels[0]
    # The values above take some of the room.
    most = (0.6 if given else 1 / n_rows - 0.1) if above else 1 / n_rows
    rows, height = in_rows(texts, given, most=most, ends=ends)
    highest = max(_HIGHEST, *(grid.labels.max() for grid in grids.values()))
    last = max(grid.first_rank + grid.labels.shape[1] for grid in grids.values()) - 0.5
    systems = called("names", names, grids)
    for i, (panel, (system, grid)) in enumerate(zip(panels, grids.items(), strict=True)):
        values = _add_above(panel, min(0.9, 0.3 * size_of(panel)[1]) if given else 0.9) if above else None
        draw(panel, grid, highest, rows, height)
        panel.set_xlim(right=last)
        tell(panel, systems[system], told if given or len(grids) == 1 else "", x="rank")
        if above and values:
            above(values, system)
        for inner in (panel, values) if given is None and i % n_columns else ():
            if inner:
                inner.set_ylabel("")
                inner.tick_params(labelleft=False)
    _key(panels[n_columns - 1], list(grids.values()))
    if given is None:
        if len(grids) > 1:
            figure_of(panels[0]).suptitle(fitted(told, int(10 * width * n_columns)), fontsize=10)
        enlarge(panels, n_columns, width, height)
    return panels


def _add_above(ax: Axes, height: float) -> Axes:
    """Return new axes of a height in inches between those for the ranks, which they share, and their title."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    top: Any = ax.transAxes
    inches = figure_of(ax).dpi_scale_trans + ScaledTranslation(0, 1, top)
    return ax.inset_axes((0, 0.1, 1, height), transform=blended_transform_factory(ax.transAxes, inches), sharex=ax)


def _shades() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    # The lowest label is far from 0, in grey as well.
    shades = [(0.0, _JUDGED_0), (1e-6, "#b9d6ee"), (0.25, "#92c0e2"), (0.5, "#4a90c4"), (1.0, "#08306b")]
    return LinearSegmentedColormap.from_list("labels", shades, N=1024)


def draw(ax: Axes, grid: Grid, highest: float, texts: list[str], height: float) -> None:
    """Draw labels by intent and rank, darker the higher, with the texts of the intents."""
    n_intents, depth = grid.labels.shape
    start, many = grid.first_rank, depth > 30
    ax.pcolormesh(
        np.arange(depth + 1) + start - 0.5,
        np.arange(n_intents + 1) - 0.5,
        grid.labels,
        cmap=_shades(),
        vmin=0,
        vmax=highest,
        edgecolors="white",
        linewidth=0.5 if many else 2,
    )
    ax.bar(start + np.flatnonzero(~grid.judged), n_intents, 1, -0.5, **_UNJUDGED)
    rows, places = np.nonzero(grid.new)
    size = 3.5 if many else 7
    ax.plot(places + start, rows, "o", color="white", markeredgecolor="black", markersize=size, label="_new")
    for row in np.flatnonzero(~grid.possible).tolist():
        middle = start + (depth - 1) / 2
        ax.text(middle, row, "no judged document is relevant", ha="center", va="center", size=8, style="italic")
    for place in np.flatnonzero(grid.tied).tolist():
        ax.text(place + start, n_intents - 0.3, "=", ha="center", va="center", size=6 if many else 9)
    name_rows(ax, texts, height)
    ax.set_ylim(n_intents - (0.1 if grid.tied.any() else 0.5), -0.5)
    ax.set_xlim(start - 0.5, start + depth - 0.5)
    whole_numbers(ax.xaxis)
    ax.spines[:].set_visible(False)


def _key(ax: Axes, grids: list[Grid]) -> None:
    """Add a legend of the shades and marks that occur."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    mesh = ax.collections[0]
    labels = np.unique(np.concatenate([grid.labels.ravel() for grid in grids]))
    labels = labels[labels > 0]
    if len(labels) > 5:
        labels = labels[np.linspace(0, len(labels) - 1, 5).astype(int)]
    marks: dict[str, Any] = {f"label {label:g}": Patch(facecolor=mesh.cmap(mesh.norm(label))) for label in labels}
    if any(((grid.labels == 0) & grid.judged).any() for grid in grids):
        marks = {"label 0 or none": Patch(facecolor=_JUDGED_0, edgecolor="0.8"), **marks}
    if any(not grid.judged.all() for grid in grids):
        marks["unjudged"] = Patch(**_UNJUDGED)
    look: dict[str, Any] = {"linestyle": "", "markeredgecolor": "black", "markersize": 6}
    if any(grid.new.any() for grid in grids):
        marks["new intent"] = Line2D([], [], marker="o", color="white", **look)
    if any(grid.tied.any() for grid in grids):
        marks["tied score"] = Line2D([], [], marker="$=$", color="black", **look)
    legend(ax, list(marks.values()), list(marks))
