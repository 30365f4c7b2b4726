"""Pictures of significance tests: means, or differences of means, with intervals of the test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..evaluate.by_group import refuse_groups
from ..io import renamed
from ..meta.significance.marks import told_of_test, with_bounds
from .drawing import GAIN, Names, drawing, in_rows, name_rows, readable, tell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NEEDED = ("measure", "system", "other", "difference", "p", "significant", "ci_low", "ci_high")
_SOURCE = "meta.compare, with a test that has intervals,"
# Intervals of one test differ by rounding only.
_ROUNDING = 1e-9
# Two names in a row have longer lines.
_PAIR = 56
_SIDES = (("system", "mean"), ("other", "other_mean"))


def means(
    compared: pd.DataFrame, measure: object = None, *, names: Names = None, labels: Names = None, ax: Axes | None = None
) -> Axes:
    """Show the means of systems with intervals that overlap exactly if the means do not differ significantly.

    Parameters
    ----------
    compared : DataFrame
        The result of `meta.compare` with a Tukey HSD test of all systems, the default. `differences` shows other tests.
    measure : Measure or str, optional
        The measure to show; required if there are several.
    names, labels : mapping, optional
        How systems and measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A point for each system, the highest mean on top, with an interval as long as the smallest difference that is
        significant. It is not the confidence interval of the mean: it compares systems on the same queries. If more
        trials could decide otherwise on some pairs, the label says on how many.

    Raises
    ------
    ValueError
        If the frame has no rows, or a column or the measure is missing. Also if ``measure`` is required but not given,
        or if there is no single critical difference, as with other tests, a correction, or another ``ci``.

    Notes
    -----
    An HSD test has one critical difference w for all pairs, which is half the length of their confidence intervals. The
    intervals here are the means plus and minus w/2.

    Examples
    --------
    >>> from pyterrier_diversity import meta
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3], "z": [0.2, 0.3, 0.5, 0.3]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> ax = means(meta.compare(perquery, "tukey"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x', 'y', 'z']
    """
    rows = _rows_of("means", compared, measure, names, labels, "mean", "other_mean")
    far = rows[["ci_low", "ci_high"]].abs().max(axis=1)
    widths = (far - rows["difference"].abs()).to_numpy(dtype=float)
    apart = (rows["ci_low"] > 0) | (rows["ci_high"] < 0)
    if not np.isfinite(widths).all() or np.ptp(widths) > _ROUNDING * far.max() or (apart != rows["significant"]).any():
        raise ValueError(
            "means: compared must have one critical difference for all pairs, as that of a Tukey HSD test of all "
            "systems without ci. Draw plots.differences instead."
        )
    pairs = [rows[list(columns)].set_axis(["system", "mean"], axis=1) for columns in _SIDES]
    table = pd.concat(pairs).drop_duplicates("system").sort_values("mean", ascending=False, kind="stable")
    texts, height = in_rows(table["system"], ax)
    with drawing(ax, height=height) as ax:
        ends = table["mean"] - widths[0] / 2, table["mean"] + widths[0] / 2
        _draw(ax, table["mean"], *ends, np.ones(len(table), bool))
        name_rows(ax, texts, height)
        unsure = int(rows["undecided"].sum())
        doubt = f"\n{unsure} of {len(rows)} pairs: more trials could decide otherwise" if unsure else ""
        told = "two intervals that do not overlap: a significant difference"
        tell(ax, told_of_test(compared.attrs), x=f"mean {rows['measure'].iloc[0]}\n{told}{doubt}")
    return ax


def differences(
    compared: pd.DataFrame, measure: object = None, *, names: Names = None, labels: Names = None, ax: Axes | None = None
) -> Axes:
    """Show differences of means with the confidence intervals and p-values of the test.

    Parameters
    ----------
    compared : DataFrame
        The result of `meta.compare` with a test that has intervals, so not "wilcoxon" or "permutation".
    measure : Measure or str, optional
        The measure to show; required if there are several.
    names, labels : mapping, optional
        How systems and measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A point for each pair of systems, or for each system if there is one baseline, with its interval, the largest
        difference on top. Significant ones are filled. The (corrected) p-values are on the right; ``?`` marks those
        that more trials could move across alpha. If there is a correction, intervals are dashed, because they are not
        corrected.

    Raises
    ------
    ValueError
        If the frame has no rows, a column or the measure is missing, or ``measure`` is required but not given.

    Examples
    --------
    >>> from pyterrier_diversity import meta
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3], "z": [0.2, 0.3, 0.5, 0.3]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> ax = differences(meta.compare(perquery, "t", baseline="z"))
    >>> ax.get_xlabel().splitlines()
    ['difference in RBU from z, with 95% intervals', '● significant   ○ not significant']
    """
    rows = _rows_of("differences", compared, measure, names, labels)
    rows = rows.sort_values("difference", ascending=False, kind="stable")
    baselines = rows["other"].unique()
    one = len(baselines) == 1 and len(rows) > 1
    pairs = rows["system"] if one else rows["system"].astype(str) + " - " + rows["other"].astype(str)
    texts, height = in_rows(pairs, ax, _PAIR)
    corrected = "p_corrected" in rows
    with drawing(ax, height=height) as ax:
        significant = rows["significant"].to_numpy(dtype=bool)
        ends = rows["ci_low"], rows["ci_high"]
        _draw(ax, rows["difference"], *ends, significant, "--" if corrected else "-", [0])
        ax.axvline(0, color="0.4", linewidth=0.8)
        name_rows(ax, texts, height)
        for row, (p, unsure) in enumerate(rows[["p_corrected" if corrected else "p", "undecided"]].to_numpy()):
            text = f"p {p}{' ?' if unsure else ''}"
            ax.text(1.01, row, text, va="center", size=8, transform=ax.get_yaxis_transform())
        told = f" from {baselines[0]}" if one else ""
        level = f"{compared.attrs['ci']:.0%} " if "ci" in compared.attrs else ""
        kind = f"{level}intervals" + (", not corrected" if corrected else "")
        marks = "● significant   ○ not significant"
        marks += "   ? more trials could decide otherwise" if rows["undecided"].any() else ""
        what = f"difference in {rows['measure'].iloc[0]}{told}, with {kind}"
        tell(ax, told_of_test(compared.attrs), x=f"{what}\n{marks}")
    return ax


def _rows_of(
    who: str, compared: pd.DataFrame, measure: object, names: Names, labels: Names, *columns: str
) -> pd.DataFrame:
    """Return the rows of one measure, with bounds instead of p-values of 0, and names as they are shown."""
    refuse_groups(who, "compared", compared)
    frame = with_bounds(readable(who, compared, _SOURCE, *_NEEDED, *columns), 3)
    frame = frame if "undecided" in frame else frame.assign(undecided=False)
    there = frame["measure"].astype(str)
    found = list(there.unique())
    if measure is None and len(found) > 1:
        raise ValueError(f"{who}: measure must name one of the {len(found)} measures of the frame: {', '.join(found)}.")
    shown = found[0] if measure is None else str(measure)
    if shown not in found:
        raise ValueError(f"{who}: the frame has no measure {shown}; it has {', '.join(found)}.")
    return renamed(frame[there == shown], names, labels)


def _draw(
    ax: Axes,
    values: pd.Series,
    low: pd.Series,
    high: pd.Series,
    filled: np.ndarray,
    linestyle: str = "-",
    shown: Sequence[float] = (),
) -> None:
    """Draw a point for each value, the first on top, and an interval whose ends may be infinite.

    The axis includes the values ``shown``.
    """
    ends = np.concatenate([low, high, values]).astype(float)
    ends = np.append(ends[np.isfinite(ends)], shown)
    margin = 0.05 * (np.ptp(ends) or 1.0)
    limits = ends.min() - margin, ends.max() + margin
    rows = np.arange(len(values))
    ax.hlines(rows, np.clip(low, *limits), np.clip(high, *limits), color=GAIN, linestyle=linestyle)
    ax.scatter(values, rows, s=36, zorder=3, edgecolors=GAIN, c=[GAIN if full else "white" for full in filled])
    ax.set_xlim(*limits)
