"""Functions for all pictures: new figures, checks of frames, styles of lines, names that fit."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# The colours of Okabe and Ito (2008), which people with any colour vision can tell apart, without the pale yellow.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GAIN, LOSS = COLOURS[:2]
_MARKERS = "os^DvPX*<>"
_DASHES = ("-", "--", "-.", ":")

# On cells darker than this, black text is hard to read.
DARK = 0.6

_POINTS = 72
_NAME_SIZE = 9
# Longer names, or more lines, are in a legend.
_LONGEST_NAME = 24
_MOST_NAMES = 10
# Lines that are nowhere farther apart than this, in inches, cannot be told apart.
_ONE_LINE = 0.02


def new_axes(size: tuple[float, float] | None = None) -> Axes:
    """Return the only axes of a new figure, of a size in inches."""
    return new_panels(1, size)[0]


def new_panels(n: int, size: tuple[float, float] | None = None) -> list[Axes]:
    """Return axes side by side in a new figure, with the same scales."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'pyterrier-diversity[plots]'") from error
    _, axes = plt.subplots(1, n, figsize=size, layout="constrained", squeeze=False, sharex=True, sharey=True)
    return list(axes[0])


def readable(who: str, frame: pd.DataFrame, source: str, *columns: str) -> pd.DataFrame:
    """Return the frame if it has rows and these columns; otherwise the error says what returns such a frame."""
    missing = [column for column in columns if column not in frame]
    if missing:
        found = ", ".join(map(str, frame.columns))
        raise ValueError(
            f"{who}: missing column {', '.join(missing)}; found: {found or 'none'}. {source} returns such a frame."
        )
    if frame.empty:
        raise ValueError(f"{who}: the frame has no rows. {source} returns such a frame.")
    return frame


def figure_of(ax: Axes) -> Any:
    """Return the whole figure of axes, which may be in a part of it."""
    return ax.figure.figure


def size_of(ax: Axes) -> tuple[float, float]:
    """Return width and height of the axes in inches, before the layout makes room for texts."""
    box, figure = ax.get_position(), figure_of(ax)
    return float(box.width * figure.get_figwidth()), float(box.height * figure.get_figheight())


def fitted(text: object, characters: int, lines: int = 2) -> str:
    """Wrap a text into a number of lines, and shorten it if it is longer."""
    return _plain("\n".join(wrap(str(text), characters, max_lines=lines, placeholder=" …")) or str(text)[:characters])


def _plain(text: str) -> str:
    """Return a text in which matplotlib finds no formula."""
    return text.replace("$", r"\$")


def characters_in(inches: float, size: float = _NAME_SIZE) -> int:
    """Return how many characters of a font size, in points, fit into a width."""
    return max(12, int(inches * _POINTS / (0.58 * size)))


def title(ax: Axes, *parts: str) -> None:
    """Write a title of at most three lines, without the parts that are unknown."""
    told = ", ".join(part for part in parts if part)
    ax.set_title(fitted(told, characters_in(size_of(ax)[0], 10), 3), fontsize=10)


def counts_of(frame: pd.DataFrame) -> str:
    """Return the numbers of systems and queries of a table of `meta`, if it says so."""
    told = [
        f"{frame.attrs[key]} {noun}"
        for key, noun in (("n_systems", "systems"), ("n_queries", "queries"))
        if key in frame.attrs
    ]
    return ", ".join(told)


def rank_ticks(ax: Axes, first: int, last: int, *, upright: bool = False) -> None:
    """Label the first rank, the last one, and as many between them as fit; ``upright`` is the y axis."""
    width, height = size_of(ax)
    room = max(2.0, height / 0.3 if upright else width * 0.7 / (0.09 * (len(str(last)) + 1)))
    step = next(s * 10**e for e in range(20) for s in (1, 2, 5) if (last - first) / (s * 10**e) <= room)
    between = range(first - first % step + step, last, step)
    ticks = [first, *(at for at in between if min(at - first, last - at) > 0.6 * step or step == 1), last]
    (ax.yaxis if upright else ax.xaxis).set_ticks(ticks)


def ticks_at(ax: Axes, values: np.ndarray) -> None:
    """Label each value on the horizontal axis if they are few, also on a logarithmic axis."""
    if len(values) <= _MOST_NAMES:
        ax.set_xticks(values, [f"{value:g}" for value in values])
        ax.minorticks_off()


def style(i: int, n_points: int) -> dict[str, Any]:
    """Return the style of the i-th line: its own colour, marker and dashes, with a few markers on long lines."""
    step = max(1, n_points // 8)
    return {
        "color": COLOURS[i % len(COLOURS)],
        "marker": _MARKERS[i % len(_MARKERS)],
        "linestyle": _DASHES[i % len(_DASHES)],
        "markersize": 5,
        "markevery": (i * step // 3 % step, step),
    }


def plot_lines(ax: Axes, lines: Mapping[str, tuple[Any, Any]]) -> None:
    """Plot lines of x and y by their names."""
    for i, (name, (x, y)) in enumerate(lines.items()):
        ax.plot(x, y, label=_plain(name), **style(i, len(x)))


def lines_of(frame: pd.DataFrame, by: str, x: str, y: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the points of each line of a tidy frame, by its name."""
    groups = {str(name): group.sort_values(x, kind="stable") for name, group in frame.groupby(by, sort=False)}
    return {name: (group[x].to_numpy(), group[y].to_numpy(dtype=float)) for name, group in groups.items()}


def name_lines(ax: Axes) -> None:
    """Write the names of lines at their ends if there is room, otherwise in a legend. Set scales and limits before.

    Lines on top of each other have one entry with all names.
    """
    ax.get_xlim(), ax.get_ylim()  # limits are computed when they are asked for
    lines = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    groups = _together(ax, lines)
    names = [_joined([str(line.get_label()) for line in group]) for group in groups]
    shown = [group[-1] for group in groups]  # the one on top
    places = _places_at_the_end(ax, shown, names)
    if places is not None:
        for line, name, place in zip(shown, names, places, strict=True):
            # With its marker, because not everyone sees or prints colours.
            look = {"color": line.get_color(), "transform": ax.transAxes, "clip_on": False}
            ax.plot([1.03], [place], marker=line.get_marker(), markersize=5, label="_name", **look)
            ax.text(1.055, place, name, size=_NAME_SIZE, va="center", **look)
    else:
        ax.legend(shown, names, fontsize="small", **_place_of_legend(ax, names))


def _place_of_legend(ax: Axes, names: list[str]) -> dict[str, Any]:
    """Return where a legend is not over lines: beside the axes, or below them if that would make them narrow."""
    if figure_of(ax).get_layout_engine() is None:  # it would be outside of the figure
        return {}
    width, height = size_of(ax)
    longest = max(map(len, names))
    if longest <= characters_in(0.4 * width):
        return {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
    n_columns = max(1, characters_in(width, 8) // (longest + 6))
    return {"loc": "upper center", "bbox_to_anchor": (0.5, -0.6 / height), "ncols": n_columns, "frameon": False}


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names)} (one line)"


def _together(ax: Axes, lines: list[Line2D]) -> list[list[Line2D]]:
    """Return the lines in groups that an eye cannot tell apart at any point."""
    groups: list[list[Line2D]] = []
    size = np.array(size_of(ax))
    places = {line: size * ax.transAxes.inverted().transform(_drawn_points(ax, line)) for line in lines}
    for line in lines:
        for group in groups:
            one, other = places[group[0]], places[line]
            if one.shape == other.shape and np.allclose(one, other, rtol=0, atol=_ONE_LINE, equal_nan=True):
                group.append(line)
                break
        else:
            groups.append([line])
    return groups


def _drawn_points(ax: Axes, line: Line2D) -> np.ndarray:
    """Return the points of a line on the screen, NaN where a scale has no place for them."""
    with np.errstate(divide="ignore", invalid="ignore"):
        points = np.asarray(ax.transData.transform(np.asarray(line.get_xydata(), dtype=float)))
    return np.where(np.isfinite(points), points, np.nan)


def _places_at_the_end(ax: Axes, lines: list[Line2D], names: list[str]) -> np.ndarray | None:
    """Return the heights of names in the axes, from 0 to 1, or None if there is no room."""
    ends = [np.asarray(line.get_xydata())[-1] for line in lines]
    width, height = size_of(ax)
    fits = figure_of(ax).get_layout_engine() is not None and max(map(len, names)) <= _LONGEST_NAME
    if not fits or width < 3.5 or len(lines) > _MOST_NAMES or not np.isfinite(ends).all():
        return None
    x, y = ax.transAxes.inverted().transform(ax.transData.transform(ends)).T
    if not np.isfinite(y).all() or y.min() < -0.01 or x.min() < 0.9:
        return None
    gap = 1.25 * _NAME_SIZE / _POINTS / height
    order = np.argsort(y, kind="stable")
    steps = gap * np.arange(len(y))
    # The lowest places above each other, then as a block not above the top.
    placed = np.maximum.accumulate(y[order] - steps) + steps
    placed -= np.clip(placed - (1 - gap * np.arange(len(y))[::-1]), 0, None)
    if np.abs(placed - y[order]).max() > 2 * gap:
        return None
    places = np.empty(len(y))
    places[order] = placed
    return places
