"""Sizes of figures, axes and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches: a line of text of 10 points; narrower figures, if they are given, have room for texts only below.
LINE, _NARROW = 0.16, 5.0
# New figures, which make room for their texts.
NEW: WeakSet[Any] = WeakSet()


def scaled(size: float) -> float:
    """Return a size in points or inches for the font size that is set, given the size for 10 points, the default."""
    from matplotlib import rcParams

    return float(size * (rcParams["font.size"] / 10))


def narrow_width(ax: Axes) -> float | None:
    """Return the width in inches of the figure (or part of one) of given axes if it is narrow, otherwise None."""
    inches = float(ax.figure.bbox.width / figure_of(ax).dpi)
    return inches if inches < _NARROW and figure_of(ax) not in NEW else None


def size_of(ax: Axes) -> np.ndarray:
    """Return width and height of the axes in inches."""
    return np.asarray(ax.get_window_extent().size / figure_of(ax).dpi)


def figure_of(ax: Axes) -> Any:
    """Return the whole figure of axes, which may be in a part of it."""
    return ax.figure.figure
