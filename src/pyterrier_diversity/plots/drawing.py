"""Functions for all pictures: axes that make room for their texts, checks of frames, styles of lines, legends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# How systems or measures are shown, by their names.
Names = Mapping[Any, str] | None

# The colours of Okabe and Ito (2008) without the pale yellow, which people with any colour vision can tell apart, and
# three of Paul Tol.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255", "#999933", "#7F7F7F")
GAIN, LOSS = COLOURS[:2]
# One more than colours, so that many lines differ.
_MARKERS = "os^DvPX*<>p"
_FORMULA = re.compile(r"\$[^$]*\$")
_DASHES = ("-", "--", "-.", ":")

# On cells darker than this, black text is hard to read.
DARK = 0.6

# Characters in a line of a name, and in an inch of other texts.
NAME, _PER_INCH = 32, 13
# Inches: a line of text, the space between rows, the smallest axes, the largest figure, and what is around its axes.
LINE, _GAP, _SMALLEST, _LARGEST, _AROUND = 0.16, 0.16, 1.0, 20.0, 3.5


@contextmanager
def drawing(ax: Axes | None, width: float = 4.8, height: float = 3.6) -> Iterator[Axes]:
    """Give the axes to draw into: ``ax``, or those of a new figure that become this large, in inches, within texts."""
    if ax is not None:
        yield ax
        return
    (panel,) = new_panels(1, 1, width, height)
    yield panel
    enlarge([panel], 1, width, height)


def new_panels(n: int, n_columns: int, width: float, height: float) -> list[Axes]:
    """Return axes of about this size in the rows of a new figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'pyterrier-diversity[plots]'") from error
    n_rows = -(-n // n_columns)
    size = width * n_columns / 0.775, height * n_rows / 0.77  # axes have this share of a figure, by default
    _, axes = plt.subplots(n_rows, n_columns, figsize=size, layout="constrained", squeeze=False)
    panels = list(axes.ravel())
    for empty in panels[n:]:
        empty.remove()
    return panels[:n]


def enlarge(panels: Sequence[Axes], n_columns: int, width: float, height: float) -> None:
    """Give a figure the size at which its axes are this large, in inches, as matplotlib lays out their texts."""
    figure = figure_of(panels[0])
    parts = np.array([min(n_columns, len(panels)), -(-len(panels) // n_columns)])
    figure.set_size_inches(parts * (width, height) + 5)
    for _ in range(2):  # the first time makes room, the second one keeps it after texts have moved
        figure.draw_without_rendering()
        beside = [legend.get_window_extent().height / figure.dpi for ax in panels if (legend := ax.get_legend())]
        missing = np.subtract((width, max([height, *beside])), size_of(panels[0]))
        figure.set_size_inches(np.minimum(figure.get_size_inches() + parts * missing, _LARGEST))


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
    """Return width and height of the axes in inches."""
    box = ax.get_window_extent()
    return box.width / figure_of(ax).dpi, box.height / figure_of(ax).dpi


def fitted(text: object, width: int = NAME, lines: int | None = None) -> str:
    """Wrap a text into lines of so many characters, and shorten it if there may not be so many lines.

    Dollars are dollars, unless they enclose a formula that matplotlib can read.
    """
    whole = str(text)
    whole = _FORMULA.sub(_in_one_piece, whole) if _has_formula(whole) else whole.replace("$", r"\$")
    return "\n".join(wrap(whole, width, max_lines=lines, placeholder=" …")) or whole[:width]


def _has_formula(text: str) -> bool:
    from matplotlib.mathtext import MathTextParser

    if text.count("$") % 2 or not re.search(r"[\\_^]", "".join(_FORMULA.findall(text))):
        return False
    try:
        MathTextParser("path").parse(text)
    except ValueError:
        return False
    return True


def _in_one_piece(formula: re.Match[str]) -> str:
    return formula[0].replace(" ", "{}")


def in_rows(
    names: Iterable[object], ax: Axes | None = None, width: int = NAME, *, most: float = 1.0, ends: Sequence[str] = ()
) -> tuple[list[str], float]:
    """Wrap the names of rows, with ``ends`` after them, and return the height of all rows in inches.

    In a new figure, lines are longer if rows would be higher than this part of the largest figure. In given axes, names
    have as many lines as there is room for in this part of them.
    """
    names, lines = list(names), None
    if ax is not None:
        high = most * size_of(ax)[1]
        lines = max(1, int(high / len(names) / LINE))
    texts = [fitted(name, width, lines) + end for name, end in zip(names, ends or [""] * len(names), strict=True)]
    if ax is not None:
        return texts, high
    high = max(_SMALLEST, len(texts) * (LINE * max(text.count("\n") + 1 for text in texts) + _GAP))
    room = most * (_LARGEST - _AROUND)
    if high <= room:
        return texts, high
    longer = any("\n" in text for text in texts)
    return in_rows(names, None, 2 * width, most=most, ends=ends) if longer else (texts, room)


def name_rows(ax: Axes, texts: list[str], height: float) -> None:
    """Write the names of rows, the first on top."""
    size = min(9.0, 72 * height / len(texts) / 1.2)
    ax.set_yticks(range(len(texts)), texts, fontsize=size)
    ax.set_ylim(len(texts) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right"]].set_visible(False)


def name_columns(ax: Axes, names: Iterable[object], first: int = 0) -> None:
    """Write the names of columns, upright if they are long."""
    texts = [fitted(name) for name in names]
    ax.set_xticks(range(first, first + len(texts)), texts, fontsize=9, rotation=90 if max(map(len, texts)) > 3 else 0)
    ax.tick_params(axis="x", length=0)


def tell(ax: Axes, *parts: str, x: str = "", y: str = "") -> None:
    """Write a title of the parts that are known, and the labels of the axes, in lines that are as long as these."""
    across, up = (max(20, int(_PER_INCH * inches)) for inches in size_of(ax))
    ax.set_title(fitted(", ".join(part for part in parts if part), across), fontsize=10)
    if x:
        ax.set_xlabel("\n".join(fitted(line, across) for line in x.split("\n")))
    if y:
        ax.set_ylabel("\n".join(fitted(line, up) for line in y.split("\n")))


def counts_of(frame: pd.DataFrame) -> str:
    """Return the numbers of systems and queries of a table of `meta`, if it says so."""
    told = [
        f"{frame.attrs[key]} {noun}"
        for key, noun in (("n_systems", "systems"), ("n_queries", "queries"))
        if key in frame.attrs
    ]
    return ", ".join(told)


def whole_numbers(axis: Any) -> None:
    """Label whole numbers of an axis, each one if there are at most ten."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(10, integer=True, steps=[1, 2, 5, 10]))


def logarithmic(axis: Any, values: Any = ()) -> None:
    """Give an axis a logarithmic scale with plain numbers: of these values, where there is room."""
    from matplotlib.ticker import FixedLocator, LogLocator, NullLocator, StrMethodFormatter

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    shown: list[float] = []
    known = np.unique(values)
    for value in known.tolist():
        if not shown or np.log(value / shown[-1]) > np.log(known[-1] / known[0]) / 12:
            shown.append(value)
    axis.set_major_locator(FixedLocator(shown) if shown else LogLocator(subs=(1, 2, 3, 5, 7)))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_locator(NullLocator())


def from_data(ax: Axes, values: Any, highest: float = np.inf) -> str:
    """Let the vertical axis go from a tick below the values to one above. Return what to say if that is not 0."""
    from matplotlib.ticker import MaxNLocator

    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if len(values) else (0.0, 0.0)
    if low == high:
        low, high = min(low, 0.0), max(high, 0.0) or 1.0
    ticks = MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(low, high)
    start, end = ticks[0], min(ticks[-1], max(high, highest))
    margin = 0.03 * (end - start)
    ax.set_ylim(start - margin, end + margin)
    if start < 0 < end:
        ax.axhline(0, color="0.6", linewidth=0.8)
    return f"\n(the axis starts at {start:g})" if start > 0 else ""


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
    """Plot lines of x and y by their names. Equal lines have one entry in the legend."""
    alike: dict[Any, list[int]] = {}
    for i, (name, (x, y)) in enumerate(lines.items()):
        ax.plot(x, y, label=fitted(name), **style(i, len(x)))
        points = np.asarray([x, y], dtype=float).round(10)
        alike.setdefault(points.tobytes(), []).append(i)
    drawn, names = ax.get_lines()[-len(lines) :], list(lines)
    texts = [", ".join(names[i] for i in group) + (" (one line)" if len(group) > 1 else "") for group in alike.values()]
    legend(ax, [drawn[group[-1]] for group in alike.values()], texts)


def legend(ax: Axes, handles: Sequence[Any], texts: Sequence[str], width: int = NAME) -> None:
    """Write a legend beside the axes; inside, where the figure makes no room."""
    beside = {"loc": "upper left", "bbox_to_anchor": (1, 1), "borderaxespad": 0, "frameon": False}
    look: dict[str, Any] = {} if figure_of(ax).get_layout_engine() is None else beside
    n_columns = -(-len(texts) // 25)
    ax.legend(handles, [fitted(text, width) for text in texts], fontsize=8, handlelength=3, ncols=n_columns, **look)


def lines_of(frame: pd.DataFrame, by: str, x: str, y: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the points of each line of a tidy frame, by its name."""
    groups = {str(name): group.sort_values(x, kind="stable") for name, group in frame.groupby(by, sort=False)}
    return {name: (group[x].to_numpy(), group[y].to_numpy(dtype=float)) for name, group in groups.items()}
