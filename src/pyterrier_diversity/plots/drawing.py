"""Functions for all pictures: axes that make room for their texts, sizes, checks of frames, legends."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from textwrap import TextWrapper
from typing import Any, Literal
from weakref import WeakSet

import numpy as np
import pandas as pd

from ..frames import listed

# Axes of matplotlib, which is imported when a picture is drawn.
Axes = Any

# The text to show for each system or measure, by its name; and its colour.
Names = Mapping[Any, str] | None
Colours = Mapping[str, Any] | None

# The colours of Okabe and Ito (2008) without the pale yellow, which people with any colour vision can tell apart, and
# three of Paul Tol.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255", "#999933", "#7F7F7F")
BLUE = COLOURS[0]
# One marker more than colours, so that many lines differ.
MARKERS = "os^DvPX*<>p"
_DASHES = ("-", "--", "-.", ":")
_FORMULA = re.compile(r"\$[^$]*\$")

# Characters in a line of a name, and in an inch of other texts of 10 points.
_NAME_LENGTH, _PER_INCH = 32, 13
# The part of a narrow figure that names of rows may take.
_OF_NAMES = 0.3
# Inches: a line of text of 10 points, the space between rows of them, the smallest axes, the largest figure, what is
# around its axes, and the width below which figures that are given have room for texts only below.
LINE, _GAP, _SMALLEST, _LARGEST_FIGURE, _AROUND, _NARROW = 0.16, 0.16, 1.0, 20.0, 3.5, 5.0
# New figures, which make room for their texts.
_NEW: WeakSet[Any] = WeakSet()


def pyplot() -> Any:
    """Return matplotlib's pyplot; an ``ImportError`` says how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install matplotlib") from error
    return plt


@contextmanager
def axes(ax: Axes | None, width: float = 4.8, height: float = 3.6) -> Iterator[Axes]:
    """Give the axes to draw into: ``ax``, or those of a new figure that become this large, in inches, within texts."""
    with panels(None if ax is None else [ax], 1, 1, width, height) as (panel,):
        yield panel


@contextmanager
def panels(
    given: Sequence[Axes] | None, n: int, n_columns: int, width: float, height: float, whole: float | None = None
) -> Iterator[Sequence[Axes]]:
    """Give the axes to draw into, or so many in the rows of a new figure; afterwards each has this size in inches.

    The texts, which matplotlib lays out, are around the axes. If the width of the ``whole`` figure is given, the axes
    are as wide as that leaves them.
    """
    if given is not None:
        figure = figure_of(given[0])
        # A figure of its own makes room for the texts; one with other axes stays as its owner lays it out.
        if figure.get_layout_engine() is None and len(figure.axes) == len(given):
            figure.set_layout_engine("constrained")
        yield given
        return
    parts, size = np.array([n_columns, -(-n // n_columns)]), np.array([width, height])
    # By default, axes have this share of a figure.
    figsize = parts * size / (0.775, 0.77) if whole is None else (whole, parts[1] * height + _AROUND)
    figure = pyplot().figure(figsize=figsize, layout="constrained")
    if whole is None:
        _NEW.add(figure)
    panels = [figure.add_subplot(parts[1], n_columns, place + 1) for place in range(n)]
    yield panels
    figure.set_size_inches(whole or parts[0] * width + 5, parts[1] * height + 5)
    # The first layout makes room, the second one keeps it after texts have moved. Nothing is drawn yet.
    for _ in range(2):
        figure.get_layout_engine().execute(figure)
        beside = [legend.get_window_extent().height / figure.dpi for ax in panels if (legend := ax.get_legend())]
        missing = (width, max([height, *beside])) - size_of(panels[0])
        wide, high = np.minimum(figure.get_size_inches() + parts * missing, _LARGEST_FIGURE)
        figure.set_size_inches(whole or wide, high)


def readable(who: str, frame: pd.DataFrame, source: str, *columns: str) -> pd.DataFrame:
    """Return the frame if it has rows and these columns."""
    missing = ", ".join(column for column in columns if column not in frame)
    if missing or frame.empty:
        found = ", ".join(map(str, frame.columns)) or "none"
        problem = f"missing column {missing}; found: {found}" if missing else "the frame has no rows"
        raise ValueError(f"{who}: {problem}. Pass the result of {source}.")
    return frame


def one_of(who: str, kind: Literal["measure", "query", "system"], found: Sequence[str], given: object) -> str:
    """Return the name of the measure, query or system to show, by default the only one found."""
    if given is None and len(found) > 1:
        argument, plural = ("query_id", "queries") if kind == "query" else (kind, f"{kind}s")
        raise ValueError(
            f"{who}: {argument} must name one of the {len(found)} {plural} of the frame: {listed(found, 20)}."
        )
    shown = found[0] if given is None else str(given)
    if shown not in found:
        raise ValueError(f"{who}: the frame has no {kind} {shown}; it has {listed(found, 20)}.")
    return shown


def of_measure(who: str, frame: pd.DataFrame, measure: object) -> pd.DataFrame:
    """Return the rows of the measure to show, whose name is a string there."""
    frame = frame.astype({"measure": str})
    return frame[frame["measure"] == one_of(who, "measure", frame["measure"].unique().tolist(), measure)]


class _Wrapper(TextWrapper):
    """A wrapper that ends lines at spaces, and in names of measures and steps behind marks, too."""

    # At spaces but for those around "=", and between two words behind one of these marks.
    wordsep_re = re.compile(r"((?<!=)\s+(?!=)|(?<=[\w)'\"\]][-,(+*/|>])(?=\w))")


def fitted(text: object, width: int = _NAME_LENGTH, lines: int | None = None) -> str:
    """Wrap a text into lines of so many characters, and shorten it if there may not be so many lines.

    Dollars are dollars, unless they enclose a formula that matplotlib can read.
    """
    whole = str(text)
    if formula := _has_formula(whole):
        whole = _FORMULA.sub(lambda found: found[0].replace(" ", "{}"), whole)
    else:
        whole = whole.replace("$", r"\$")
    return _Wrapper(width, break_on_hyphens=not formula, max_lines=lines, placeholder=" …").fill(whole) or whole[:width]


def _has_formula(text: str) -> bool:
    """Tell whether dollars enclose a formula, with a command, a sub- or a superscript, that matplotlib can read."""
    from matplotlib.mathtext import MathTextParser

    has_marks = re.search(r"[\\_^]", "".join(_FORMULA.findall(text)))
    with suppress(ValueError):
        return text.count("$") % 2 == 0 and has_marks is not None and bool(MathTextParser("path").parse(text))
    return False


@contextmanager
def named_rows(ax: Axes | None, names: Iterable[object], line: int = _NAME_LENGTH) -> Iterator[Axes]:
    """Give the axes to draw rows with these names into, the first on top."""
    texts, height = in_rows([(name, "") for name in names], ax, line)
    with axes(ax, height=height) as ax:
        name_rows(ax, texts, height)
        yield ax


def in_rows(
    rows: Iterable[tuple[object, str]], ax: Axes | None = None, width: int = _NAME_LENGTH, *, most: float = 1.0
) -> tuple[list[str], float]:
    """Wrap the names of rows, add the text after each name, and return the lines and their height in inches.

    In a new figure, lines are longer if rows would be higher than this part of the largest figure. In given axes, names
    have as many lines as there is room for in this part of them.
    """
    rows, line, gap = list(rows), scaled(LINE), scaled(_GAP)
    if ax is not None:
        room = float(most * size_of(ax)[1])
        width = name_length(narrow_width(ax), width)
        most_lines = max(1, int(room / len(rows) / line))
        return [fitted(name, width, most_lines) + end for name, end in rows], room
    room = most * (_LARGEST_FIGURE - _AROUND)
    while True:
        texts = [fitted(name, width) + end for name, end in rows]
        needed = max(_SMALLEST, len(texts) * (line * max(text.count("\n") + 1 for text in texts) + gap))
        if needed <= room or not any("\n" in text for text in texts):
            return texts, min(needed, room)
        width *= 2


def name_length(inches: float | None, most: int = _NAME_LENGTH) -> int:
    """Return how many characters a line of the names of rows may have in a figure of this width, if it is given."""
    return int(min(most, _OF_NAMES * (inches or np.inf) * _PER_INCH / scaled(1)))


def name_rows(ax: Axes, texts: list[str], height: float) -> None:
    """Write the names of rows, the first on top."""
    size = min(scaled(9), 72 * height / len(texts) / 1.2)
    ax.set_yticks(range(len(texts)), texts, fontsize=size)
    ax.set_ylim(len(texts) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right"]].set_visible(False)


def caption(ax: Axes, *parts: str, x: str = "", y: str = "") -> Axes:
    """Write a title of the parts that are known, and the labels of the axes, in lines as long as these; return them."""
    if narrow_width(ax) and (engine := figure_of(ax).get_layout_engine()):
        engine.execute(figure_of(ax))  # which gives the axes their size
    across, up = (max(20, int(_PER_INCH * inches / scaled(1))) for inches in size_of(ax))
    ax.set_title(fitted(", ".join(filter(None, parts)), across), fontsize=scaled(10))
    for axis, text, width in ((ax.xaxis, x, across), (ax.yaxis, y, up)):
        if text:
            axis.set_label_text("\n".join(fitted(line, width) for line in text.split("\n")))
    return ax


def looks(names: Iterable[str], colours: Colours = None) -> dict[str, dict[str, Any]]:
    """Return colour, marker and dashes for each name, by its place among the sorted names.

    The colours given, of these or of other names, are taken.
    """
    given = colours or {}
    free = cycle([colour for colour in COLOURS if colour not in given.values()] or COLOURS)
    return {
        name: {"color": given[name] if name in given else next(free), "marker": marker, "linestyle": dashes}
        for name, marker, dashes in zip(sorted(names), cycle(MARKERS), cycle(_DASHES), strict=False)
    }


def integers(axis: Any) -> None:
    """Label whole numbers of a horizontal axis, each one if there are at most ten and there is room."""
    from matplotlib.ticker import MaxNLocator

    most = int(np.clip(size_of(axis.axes)[0] / scaled(0.22), 2, 10))
    axis.set_major_locator(MaxNLocator(most, integer=True, steps=[1, 2, 5, 10]))


def legend(ax: Axes, handles: Sequence[Any], texts: Sequence[str]) -> Any:
    """Write a legend beside the axes, or below given ones that are narrow; inside, where the figure makes no room."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    engine, inches = figure_of(ax).get_layout_engine(), narrow_width(ax)
    look: dict[str, Any] = {"fontsize": scaled(8), "handlelength": 3}
    if inches and not ax.figure.legends and isinstance(engine, ConstrainedLayoutEngine):
        look |= {"loc": "outside lower center", "frameon": False}
        lines = [fitted(text, int(_PER_INCH * inches / scaled(0.8)) - 10) for text in texts]  # the handle takes some
        for n_columns in range(len(lines), 0, -1):
            below = ax.figure.legend(handles, lines, ncols=n_columns, **look)
            if below.get_window_extent().width <= ax.figure.bbox.width or n_columns == 1:
                return below
            below.remove()
    if engine is not None:
        look |= {"loc": "upper left", "bbox_to_anchor": (1, 1), "borderaxespad": 0, "frameon": False}
    return ax.legend(handles, [fitted(text) for text in texts], ncols=-(-len(texts) // 25), **look)


def scaled(size: float) -> float:
    """Return a size in points or inches for the font size that is set, given the size for 10 points, the default."""
    return float(size * (pyplot().rcParams["font.size"] / 10))


def narrow_width(ax: Axes) -> float | None:
    """Return the width in inches of the figure (or part of one) of given axes if it is narrow, otherwise None."""
    inches = float(ax.figure.bbox.width / figure_of(ax).dpi)
    return inches if inches < _NARROW and figure_of(ax) not in _NEW else None


def size_of(ax: Axes) -> np.ndarray:
    """Return width and height of the axes in inches."""
    return np.asarray(ax.get_window_extent().size / figure_of(ax).dpi)


def figure_of(ax: Axes) -> Any:
    """Return the whole figure of axes, which may be in a part of it."""
    return ax.figure.figure
