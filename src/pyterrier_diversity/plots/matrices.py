"""Pictures of matrices: measures against measures, labels against labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arithmetic import divide
from ..meta.significance_tests import LEVEL
from .drawing import DARK, counts_of, fitted, new_axes, readable, size_of, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COEFFICIENTS = {
    "tau": "Kendall's τ",
    "tau_ap": "τ AP",
    "tau_ap_symmetric": "symmetric τ AP",
    "spearman": "Spearman's rho",
}


def confusion(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show how often two judges gave each pair of labels.

    Parameters
    ----------
    frame : DataFrame
        Counts with the labels of the first judge as rows and those of the second as columns, as
        ``meta.agreement(..., table=True)`` returns them.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A cell for each pair of labels with its count, darker for a larger share of the first judge's label.

    Raises
    ------
    ValueError
        If the frame has no rows, or its rows or columns are not labels.
    """
    source = "meta.agreement(..., table=True)"
    frame = readable("confusion", frame, source)
    if not all(isinstance(label, (int, float, np.number)) for label in (*frame.index, *frame.columns)):
        raise ValueError(
            f"confusion: the frame must have labels, which are numbers, as rows and columns, not "
            f"{_few(list(map(str, frame.columns)))}. {source} returns such a frame."
        )
    counts = frame.to_numpy(dtype=np.float64)
    shares = divide(counts, counts.sum(axis=1, keepdims=True))
    ax = _new(counts.shape) if ax is None else ax
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    _write(ax, np.vectorize("{:g}".format, otypes=[object])(counts), shares)
    _name(ax, list(map(str, frame.index)), list(map(str, frame.columns)))
    ax.set_xlabel("label of the second judge")
    ax.set_ylabel("label of the first judge")
    same = sum(
        counts[row, column] for row, a in enumerate(frame.index) for column, b in enumerate(frame.columns) if a == b
    )
    title(ax, f"{int(counts.sum())} judgements", f"{divide(same, counts.sum()):.0%} with the same label")
    return ax


def tau_matrix(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show the rank correlations of measures with each other.

    Parameters
    ----------
    frame : DataFrame
        Correlations in [-1, 1], with the same measures as rows and as columns, as
        ``meta.rank_correlation(..., matrix=True)`` returns them.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A cell for each pair of measures with its value, or blank. The colour bar names the coefficient. Colours go from
        -1 to 1 if a value is negative, otherwise from the lowest value (rounded down to a tenth) to 1, because the
        measures of one family hardly differ on the whole scale.

    Raises
    ------
    ValueError
        If the frame has no rows, not the same measures as rows and columns, or a value out of range.
    """
    source = "meta.rank_correlation(..., matrix=True)"
    rows, columns = (list(map(str, names)) for names in (frame.index, frame.columns))
    if not rows or rows != columns:
        raise ValueError(
            f"tau_matrix: the frame must have the same measures as rows and columns, not {_few(rows)} and "
            f"{_few(columns)}. {source} returns such a frame."
        )
    values = frame.to_numpy(dtype=np.float64)
    if np.nanmax(np.abs(values), initial=0.0) > 1 + 1e-9:
        raise ValueError(
            f"tau_matrix: correlations must be in [-1, 1], not {values[np.abs(values) > 1][0]:g}. {source} returns "
            "such a frame."
        )
    lowest = np.floor(10 * np.nanmin(values, initial=0.9)) / 10
    start = -1.0 if lowest < 0 else lowest
    ax = _new(values.shape) if ax is None else ax
    texts = np.array([[f"{value:.2f}" if np.isfinite(value) else "" for value in row] for row in values])
    shades = np.abs(values) if lowest < 0 else (values - start) / (1 - start)
    image = ax.imshow(np.ma.masked_invalid(values), cmap="RdBu" if lowest < 0 else "Blues", vmin=start, vmax=1)
    _write(ax, texts, shades)
    _name(ax, rows, columns)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label(_COEFFICIENTS.get(str(frame.attrs.get("method")), "rank correlation"))
    top = f"the best {frame.attrs['top']} systems" if "top" in frame.attrs else ""
    title(ax, f"{_COEFFICIENTS.get(str(frame.attrs.get('method')), 'Correlation')} of the orders of the systems", top)
    return ax


def concordance(frame: pd.DataFrame, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Show which of two measures agrees more often with the gold standards when the two disagree.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``other``, ``concordance``, ``other_concordance`` and ``p``, as `meta.concordance` returns
        them.
    alpha : float in (0, 1)
        The significance level.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A cell for each pair of measures: how often the measure of the row is right when it disagrees with that of the
        column, with a star if ``p`` is below alpha. It is blank if they never disagree.

    Raises
    ------
    ValueError
        If the frame has no rows, a column is missing, or alpha is out of range.
    """
    columns = ("measure", "other", "concordance", "other_concordance", "p")
    frame = readable("concordance", frame, "meta.concordance", *columns)
    alpha = LEVEL.check("concordance", "alpha", alpha)
    names = list(dict.fromkeys([*frame["measure"], *frame["other"]]))
    at = {name: i for i, name in enumerate(names)}
    values, marks = np.full((len(names), len(names)), np.nan), np.full((len(names), len(names)), "", dtype=object)
    for one, other, share, others_share, p in frame[list(columns)].itertuples(index=False):
        for row, column, value in ((at[one], at[other], share), (at[other], at[one], others_share)):
            values[row, column] = value
            marks[row, column] = f"{value:.2f}{'*' if p < alpha else ''}" if np.isfinite(value) else ""
    ax = _new(values.shape) if ax is None else ax
    ax.imshow(np.ma.masked_invalid(values), cmap="Blues", vmin=0, vmax=1)
    _write(ax, marks, values)
    _name(ax, list(map(str, names)), list(map(str, names)))
    ax.set_ylabel("this measure is right ...")
    ax.set_xlabel("... where it disagrees with this one")
    gold = ", ".join(map(str, frame.attrs.get("gold", [])))
    title(
        ax,
        f"agrees with {gold}" if gold else "",
        f"*\N{NO-BREAK SPACE}p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}{alpha:g}",
        counts_of(frame),
    )
    return ax


def _few(names: list[str]) -> str:
    """Return names for a message, the first five of many."""
    return ", ".join([*names[:5], *(["..."] if len(names) > 5 else [])]) or "none"


def _new(shape: tuple[int, ...]) -> Axes:
    rows, columns = shape
    return new_axes((max(4.0, 2.6 + 0.58 * columns), max(3.4, 1.8 + 0.5 * rows)))


def _write(ax: Axes, texts: np.ndarray, shades: np.ndarray) -> None:
    """Write a text into each cell, white on dark shades."""
    width, height = size_of(ax)
    size = min(10.0, 72 * width / max(1, texts.shape[1]) / 3.6, 72 * height / max(1, texts.shape[0]) / 1.5)
    for (row, column), text in np.ndenumerate(texts):
        if text:
            color = "white" if shades[row, column] > DARK else "black"
            ax.text(column, row, text, ha="center", va="center", color=color, size=size)


def _name(ax: Axes, rows: list[str], columns: list[str]) -> None:
    turned: dict[str, Any] = (
        {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if max(map(len, columns)) > 3 else {}
    )
    ax.set_xticks(range(len(columns)), [fitted(name, 24) for name in columns], **turned)
    ax.set_yticks(range(len(rows)), [fitted(name, 24) for name in rows])
    ax.tick_params(length=0)
