"""Panels of rankings beside each other: labels by intent and rank, marks, the values above, and a legend."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..io import called
from . import drawing
from .drawing import BLUE, Axes, Names

# The shade of documents that are judged, but not relevant.
_JUDGED_0 = "#eef1f4"
_UNJUDGED: dict[str, Any] = {"facecolor": "white", "edgecolor": "0.65", "hatch": "////", "linewidth": 0}
_AGAIN = _UNJUDGED | {"hatch": "xxxx"}
# Every picture has the same shades for the labels of TREC; larger labels need their own scale.
_HIGHEST = 4
# Narrower columns, in inches, have smaller marks.
_NARROW_COLUMN = 0.165
# Panels beside each other, the width of all of them in inches, and of the narrowest with the texts beside it.
_MOST_PANELS, _PANELS, _NARROWEST_PANEL = 5, 14.0, 1.6


def draw_panels(
    who: str,
    named: bool,
    rankings: pd.DataFrame,
    rows: Mapping[str, str],
    told: str,
    names: Names,
    ax: Any,
    whole: float | None,
) -> Any:
    """Draw a panel for each system, with the values above it. Return one panel if the system is not named.

    ``rows`` has the text of each intent. ``whole`` is the width of a new figure.
    """
    system_of = rankings.index.get_level_values(0)
    systems = called("names", names, system_of.unique())
    given, several = ax if named or ax is None else [ax], len(systems) > 1
    if given is not None and len(given) != len(systems):
        raise ValueError(f"{who}: ax must have one Axes object for each system, not {len(given)} for {len(systems)}.")
    if given is not None and whole is not None:
        raise ValueError(f"{who}: width is that of a new figure: leave it out, or ax.")
    rankings = rankings.astype({"judged": bool, "tied": bool}).assign(again=False)
    if "turn" in rankings:
        rankings["again"] = rankings.assign(system=system_of).duplicated(["system", "docno"]).to_numpy()
    labels = np.array([[of.get(intent, 0) for of in rankings["intents"]] for intent in rows], dtype=np.float64)
    new = np.array([[intent in of for of in rankings["new_intents"]] for intent in rows])
    starts, depths = rankings["position"].groupby(level=0).first(), system_of.value_counts()
    n_columns, width, texts, height = _sizes(rows, len(systems), depths.max(), given, whole)
    with drawing.panels(given, len(systems), n_columns, width, height, whole) as panels:
        for place, (panel, (system, name)) in enumerate(zip(panels, systems.items(), strict=True)):
            at = system_of == system
            ranking = rankings[at]
            height_above = 0.9 if given is None else min(0.9, 0.3 * drawing.size_of(panel)[1])
            above = _draw_values(panel, ranking, rankings["value"], height_above)
            draw_labels(panel, labels[:, at], max(_HIGHEST, labels.max()), texts, height, starts[system])
            _draw_marks(panel, ranking, new[:, at], depths.max())
            panel.set_ylim(len(rows) - (0.1 if rankings["tied"].any() else 0.5), -0.5)
            panel.set_xlim(right=(starts + depths).max() - 0.5)
            x = "rank; a line ends a turn" if "turn" in ranking else "rank"
            drawing.caption(panel, name, "" if given is None and several else told, x=x)
            for beside in (panel, above) if given is None and place % n_columns else ():
                beside.set_ylabel("")
                beside.tick_params(labelleft=False)
        _draw_key(panels[n_columns - 1], rankings, labels, new)
        if given is None and several:
            told = drawing.fitted(told, int(10 * (whole or width * n_columns) / drawing.scaled(1)))
            drawing.figure_of(panels[0]).suptitle(told, fontsize=drawing.scaled(10))
    return list(panels) if named else panels[0]


def _sizes(
    rows: Mapping[str, str], n: int, depth: int, given: Any, whole: float | None
) -> tuple[int, float, list[str], float]:
    """Return the number of panels beside each other, their width, the names of rows in lines, and the height."""
    fit = _MOST_PANELS if whole is None else max(1, int(whole / _NARROWEST_PANEL))
    n_rows = -(-n // fit) if given is None else 1
    n_columns = -(-n // n_rows)
    width = max(float(np.clip(_PANELS / n_columns - 0.5, 0, 4.2)), min(8.0, 0.16 * depth))
    # The values above take some of the room.
    most, ax = (1 / n_rows - 0.1, None) if given is None else (0.6, given[0])
    names = [(text, "") for text in rows.values()]
    return n_columns, width, *drawing.in_rows(names, ax, drawing.name_length(whole), most=most)


def _draw_values(panel: Axes, ranking: pd.DataFrame, values: pd.Series, height: float) -> Axes:
    """Draw the value down to each rank and write the last one, in axes between the panel and its title.

    The values of all rankings decide the scale.
    """
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    top: Any = panel.transAxes
    inches = drawing.figure_of(panel).dpi_scale_trans + ScaledTranslation(0, 1, top)
    ax = panel.inset_axes((0, 0.1, 1, height), transform=blended_transform_factory(top, inches), sharex=panel)
    lowest, highest = min(0.0, values.min()), max(1.0, values.max())
    margin, last, name = 0.08 * (highest - lowest), ranking["value"].iloc[-1], ranking["measure"].iloc[0]
    ax.axhline(0, color="0.6", linewidth=0.8)
    ax.plot(ranking["position"], ranking["value"], color=BLUE, marker="." if len(ranking) <= 30 else None, label=name)
    ax.text(1.01, last, f"{last:.3f}", va="center", size=drawing.scaled(9), transform=ax.get_yaxis_transform())
    ax.set_ylim(lowest - margin, highest + margin)
    ax.set_ylabel(drawing.fitted(name, 20), fontsize=drawing.scaled(9), rotation=0, ha="right", va="center")
    ax.tick_params(labelbottom=False, labelsize=drawing.scaled(8))
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def draw_labels(ax: Axes, labels: np.ndarray, highest: float, texts: list[str], height: float, start: int = 1) -> None:
    """Draw labels by intent and rank, darker the higher, with the texts of the intents."""
    from matplotlib.colors import LinearSegmentedColormap

    # The lowest label is far from 0, in grey as well.
    shades = [(0.0, _JUDGED_0), (1e-6, "#b9d6ee"), (0.25, "#92c0e2"), (0.5, "#4a90c4"), (1.0, "#08306b")]
    colours = LinearSegmentedColormap.from_list("labels", shades, N=1024)
    n_intents, depth = labels.shape
    edges = np.arange(depth + 1) + start - 0.5, np.arange(n_intents + 1) - 0.5
    ax.pcolormesh(*edges, labels, cmap=colours, vmin=0, vmax=highest, edgecolors="white", linewidth=2)
    drawing.name_rows(ax, texts, height)
    ax.set_xlim(start - 0.5, start + depth - 0.5)
    ax.spines[:].set_visible(False)


def _draw_marks(ax: Axes, ranking: pd.DataFrame, new: np.ndarray, deepest: int) -> None:
    """Mark ends of turns, documents without a judgement or returned before, new intents, and ties.

    All panels have marks of the size that fits the deepest ranking.
    """
    n_intents, start = len(new), int(ranking["position"].iloc[0])
    narrow = drawing.size_of(ax)[0] < _NARROW_COLUMN * deepest
    ax.collections[0].set_linewidth(0.5 if narrow else 2)
    ax.bar(start + np.flatnonzero(~ranking["judged"] & ~ranking["again"]), n_intents, 1, -0.5, **_UNJUDGED)
    ax.bar(start + np.flatnonzero(ranking["again"]), n_intents, 1, -0.5, **_AGAIN)
    if "turn" in ranking:
        turns = ranking["turn"].to_numpy()
        ax.vlines(start + 0.5 + np.flatnonzero(turns[1:] != turns[:-1]), -0.5, n_intents - 0.5, color="black")
    rows, places = np.nonzero(new)
    size, small = (3.5, 6) if narrow else (7, 9)
    ax.plot(places + start, rows, "o", color="white", markeredgecolor="black", markersize=size, label="_new")
    for place in np.flatnonzero(ranking["tied"]).tolist():
        ax.text(place + start, n_intents - 0.3, "=", size=drawing.scaled(small), ha="center", va="center")
    drawing.integers(ax.xaxis)


def _draw_key(ax: Axes, rankings: pd.DataFrame, labels: np.ndarray, new: np.ndarray) -> None:
    """Add a legend of the shades and marks that occur."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    mesh, judged, again = ax.collections[0], rankings["judged"].to_numpy(), rankings["again"].to_numpy()
    shades = np.unique(labels[labels > 0])
    shades = shades[np.linspace(0, len(shades) - 1, min(5, len(shades))).astype(int)]
    look: dict[str, Any] = {"linestyle": "", "markeredgecolor": "black", "markersize": 6}
    marks: list[tuple[Any, str, Any]] = [
        (((labels == 0) & judged).any(), "label 0 or none", Patch(facecolor=_JUDGED_0, edgecolor="0.8")),
        *((True, f"label {label:g}", Patch(facecolor=mesh.cmap(mesh.norm(label)))) for label in shades),
        (not (judged | again).all(), "unjudged", Patch(**_UNJUDGED)),
        (again.any(), "returned before", Patch(**_AGAIN)),
        (new.any(), "new intent", Line2D([], [], marker="o", color="white", **look)),
        (rankings["tied"].any(), "tied score", Line2D([], [], marker="$=$", color="black", **look)),
    ]
    drawing.legend(ax, [mark for occurs, _, mark in marks if occurs], [name for occurs, name, _ in marks if occurs])
