"""Pictures of matrices: measures against measures, labels against labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arithmetic import divide
from ..io import called
from ..meta.significance.tests import LEVEL
from .drawing import DARK, Names, counts_of, drawing, fitted, name_columns, readable, tell

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
        A cell for each pair of labels with its count, darker for a larger share of the first judge's label. Rows and
        columns are all labels that one of the judges gave.

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
    found = sorted({*frame.index, *frame.columns})
    counts = frame.reindex(index=found, columns=found, fill_value=0).to_numpy(dtype=np.float64)
    shares = divide(counts, counts.sum(axis=1, keepdims=True))
    texts = np.vectorize("{:g}".format, otypes=[object])(counts)
    with _cells(ax, len(found)) as ax:
        _draw(ax, shares, texts, shares, found, cmap="Blues", vmin=0, vmax=1)
        same = f"{divide(np.trace(counts), counts.sum()):.0%} with the same label"
        told = f"{int(counts.sum())} judgements"
        tell(ax, told, same, x="label of the second judge", y="label of the first judge")
    return ax


def tau_matrix(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show the rank correlations of measures with each other.

    Parameters
    ----------
    frame : DataFrame
        Correlations in [-1, 1], with the same measures as rows and as columns, as
        ``meta.rank_correlation(..., matrix=True)`` returns them.
    labels : mapping, optional
        How measures are shown, by their names.
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
    texts = np.array([[f"{value:.2f}" if np.isfinite(value) else "" for value in row] for row in values])
    shades = np.abs(values) if lowest < 0 else (values - start) / (1 - start)
    shown = called("labels", labels, rows)
    coefficient = _COEFFICIENTS.get(str(frame.attrs.get("method")), "Rank correlation")
    with _cells(ax, len(rows)) as ax:
        colours = "RdBu" if lowest < 0 else "Blues"
        image = _draw(ax, values, texts, shades, [shown[name] for name in rows], cmap=colours, vmin=start, vmax=1)
        ax.figure.colorbar(image, ax=ax, shrink=0.8).set_label(coefficient)
        top = f"the best {frame.attrs['top']} systems" if "top" in frame.attrs else ""
        tell(ax, f"{coefficient} of the orders of the systems", top)
    return ax


def concordance(frame: pd.DataFrame, *, alpha: float = 0.05, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show which of two measures agrees more often with the gold standards when the two disagree.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``other``, ``concordance``, ``other_concordance`` and ``p``, as `meta.concordance` returns
        them.
    alpha : float in (0, 1)
        The significance level.
    labels : mapping, optional
        How measures are shown, by their names.
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
    shown = called("labels", labels, names)
    at = {name: i for i, name in enumerate(names)}
    values, marks = np.full((len(names), len(names)), np.nan), np.full((len(names), len(names)), "", dtype=object)
    for one, other, share, others_share, p in frame[list(columns)].itertuples(index=False):
        for row, column, value in ((at[one], at[other], share), (at[other], at[one], others_share)):
            values[row, column] = value
            marks[row, column] = f"{value:.2f}{'*' if p < alpha else ''}" if np.isfinite(value) else ""
    gold = ", ".join(map(str, frame.attrs.get("gold", [])))
    with _cells(ax, len(names)) as ax:
        _draw(ax, values, marks, values, list(shown.values()), cmap="Blues", vmin=0, vmax=1)
        star = f"* p < {alpha:g}".replace(" ", "\N{NO-BREAK SPACE}")
        told = f"agrees with {gold}" if gold else "", star, counts_of(frame)
        tell(ax, *told, x="... where it disagrees with this one", y="this measure is right ...")
    return ax


def _few(names: list[str]) -> str:
    """Return names for a message, the first five of many."""
    return ", ".join([*names[:5], *(["..."] if len(names) > 5 else [])]) or "none"


def _cells(ax: Axes | None, n: int) -> Any:
    """Give the axes to draw a matrix of this many rows and columns into."""
    return drawing(ax, *np.maximum(np.array([0.55, 0.5]) * n, 2.6))


def _draw(ax: Axes, values: np.ndarray, texts: np.ndarray, shades: np.ndarray, names: list[Any], **look: Any) -> Any:
    """Draw cells with texts, white on dark shades, and name rows and columns."""
    image = ax.imshow(np.ma.masked_invalid(values), aspect="auto", **look)
    for (row, column), text in np.ndenumerate(texts):
        if text:
            color = "white" if shades[row, column] > DARK else "black"
            ax.text(column, row, text, ha="center", va="center", color=color, size=9)
    name_columns(ax, names)
    ax.set_yticks(range(len(names)), [fitted(name) for name in names], fontsize=9)
    ax.tick_params(length=0)
    return image
