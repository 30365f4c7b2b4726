"""Pictures with a bar or a point for each measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arithmetic import divide
from ..io import renamed
from .drawing import COLOURS, GAIN, Names, counts_of, drawing, in_rows, legend, name_rows, readable, tell

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def unanimity(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show the unanimity of measures.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure`` and ``unanimity``, as `meta.unanimity` returns them.
    labels : mapping, optional
        How measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A bar for each measure, the first row on top, with its value; no bar if it is infinite or NaN.

    Raises
    ------
    ValueError
        If the frame has no rows or several for a measure, or a column is missing.
    """
    frame = _by_measure("unanimity", frame, "meta.unanimity", labels, "unanimity")
    values = frame["unanimity"].to_numpy(dtype=np.float64)
    finite = values[np.isfinite(values)]
    limits = (1.15 * finite.min(initial=0.0), 1.15 * finite.max(initial=1.0))
    return _bars(frame, values, [f"{value:.2f}" for value in values], limits, "unanimity", ax)


def discriminative_power(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show the share of the pairs of systems that differ significantly, for each measure.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, and ``significant`` and ``pairs``, the numbers of pairs that differ significantly and of
        all, or ``share``, as `meta.discriminative_power` returns them.
    labels : mapping, optional
        How measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A bar for each measure, the first row on top, with its number of pairs if the frame has it, or its share.

    Raises
    ------
    ValueError
        If the frame has no rows or several for a measure, or a column is missing.
    """
    counted = {"significant", "pairs"} <= set(frame)
    columns = ("significant", "pairs") if counted or "share" not in frame else ("share",)
    frame = _by_measure("discriminative_power", frame, "meta.discriminative_power", labels, *columns)
    if counted:
        values = divide(frame["significant"], frame["pairs"])
        texts = [f"{part}/{whole}" for part, whole in zip(frame["significant"], frame["pairs"], strict=True)]
    else:
        values = frame["share"].to_numpy(dtype=np.float64)
        texts = [f"{value:.1%}" for value in values]
    return _bars(frame, values, texts, (0, 1.15), "share of pairs of systems that differ significantly", ax)


def delta_required(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show how large a difference of means must be to be significant, for each measure.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure`` and ``delta``, as `meta.delta_required` returns them.
    labels : mapping, optional
        How measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A bar for each measure, the first row on top, with its value; no bar if no pair differs significantly.

    Raises
    ------
    ValueError
        If the frame has no rows or several for a measure, or a column is missing.
    """
    frame = _by_measure("delta_required", frame, "meta.delta_required", labels, "delta")
    values = frame["delta"].to_numpy(dtype=np.float64)
    texts = [f"{value:.3f}" if np.isfinite(value) else "no pair is significant" for value in values]
    highest = max(np.nanmax(values, initial=0.0), 0.01)
    return _bars(frame, values, texts, (0, 1.25 * highest), "difference of means that is significant", ax)


def stability(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show how often measures order two systems the same way on different samples of the topics.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``stability`` and ``ties``, as `meta.stability` returns them.
    labels : mapping, optional
        How measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A bar from 0 to 1 for each measure, the first row on top: the share of the more frequent order, of the ties, and
        of the less frequent order.

    Raises
    ------
    ValueError
        If the frame has no rows or several for a measure, or a column is missing.
    """
    frame = _by_measure("stability", frame, "meta.stability", labels, "stability", "ties")
    stable, ties = (frame[column].to_numpy(dtype=np.float64) for column in ("stability", "ties"))
    parts: dict[str, tuple[np.ndarray, dict[str, Any]]] = {
        "the more frequent order": (stable, {"color": GAIN}),
        "tied": (ties, {"color": "0.85", "edgecolor": "0.5", "hatch": "///"}),
        "the other order": (
            np.clip(1 - stable - ties, 0, None),
            {"color": COLOURS[1], "edgecolor": "white", "hatch": "xxx"},
        ),
    }
    names, height = in_rows(frame["measure"], ax)
    with drawing(ax, 4.0, height) as ax:
        left = np.zeros(len(frame))
        for name, (share, look) in parts.items():
            ax.barh(range(len(frame)), share, left=left, label=name, linewidth=0, **look)
            left = left + share
        paper = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
        for row, value in enumerate(stable):
            ax.text(0.012, row, f"{value:.2f}", va="center", size=9, bbox=paper)
        name_rows(ax, names, height)
        ax.set_xlim(0, 1)
        legend(ax, ax.containers, list(parts))
        sample = f"samples of {frame.attrs['n_topics']}" if "n_topics" in frame.attrs else ""
        tell(ax, counts_of(frame), sample, x="share of samples of the topics, mean over pairs of systems")
    return ax


def assessor_agreement(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show how similarly the judgements of two assessors rank the systems, for each measure.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``tau``, ``tau_low`` and ``tau_high``, as `meta.assessor_agreement` returns them.
    labels : mapping, optional
        How measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A point for each measure, the first row on top, with the interval of its tau; no point if tau is NaN.

    Raises
    ------
    ValueError
        If the frame has no rows or several for a measure, or a column is missing.
    """
    columns = ("tau", "tau_low", "tau_high")
    frame = _by_measure("assessor_agreement", frame, "meta.assessor_agreement", labels, *columns)
    tau, low, high = (frame[column].to_numpy(dtype=np.float64) for column in columns)
    names, height = in_rows(frame["measure"], ax)
    with drawing(ax, 4.0, 1.2 * height) as ax:
        rows = np.arange(len(frame))
        ax.hlines(rows, low, high, color=GAIN)
        ax.plot(tau, rows, "o", color=GAIN)
        for row, value in zip(rows[np.isfinite(tau)], tau[np.isfinite(tau)], strict=True):
            ax.annotate(f"{value:.2f}", (value, row), (0, 5), textcoords="offset points", ha="center", size=8)
        name_rows(ax, names, height)
        ax.set_xlim(min(0.0, np.nanmin(low, initial=0.0) - 0.02), 1.02)
        tell(ax, counts_of(frame), x="Kendall's τ of the two orders of the systems")
    return ax


def _by_measure(who: str, frame: pd.DataFrame, source: str, labels: Names, *columns: str) -> pd.DataFrame:
    """Return a frame with these columns and one row for each measure; the error says what returns such a frame."""
    frame = renamed(readable(who, frame, source, "measure", *columns), labels=labels)
    if frame["measure"].duplicated().any():
        again = frame["measure"][frame["measure"].duplicated()].iloc[0]
        raise ValueError(
            f"{who}: each measure must have one row, but {again} has several. {source} returns such a frame."
        )
    return frame


def _test_of(frame: pd.DataFrame) -> str:
    """Return the test and the level of a table of `meta`, if it says so."""
    told = [str(frame.attrs["test"])] if "test" in frame.attrs else []
    return ", ".join(told + ([f"alpha {frame.attrs['alpha']:g}"] if "alpha" in frame.attrs else []))


def _bars(
    frame: pd.DataFrame, values: np.ndarray, texts: list[str], limits: tuple[float, float], what: str, ax: Axes | None
) -> Axes:
    """Draw a bar for each measure with a text at its end."""
    names, height = in_rows(frame["measure"], ax)
    with drawing(ax, 4.0, height) as ax:
        bars = ax.barh(range(len(values)), np.where(np.isfinite(values), values, 0.0), color=GAIN)
        ax.bar_label(bars, texts, padding=3, fontsize=9)
        name_rows(ax, names, height)
        ax.set_xlim(*limits)
        tell(ax, _test_of(frame), counts_of(frame), x=what)
    return ax
