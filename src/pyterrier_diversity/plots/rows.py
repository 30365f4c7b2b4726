"""Pictures of means: a point for each system or pair of systems, with intervals."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..io import called, read_perquery, renamed
from ..measures.parse import higher_is_better, value_range
from ..meta.scores import read_scores, rounded
from ..meta.significance.marks import told_of_test, with_bounds
from ..meta.significance.tests import mean_interval
from . import drawing
from .drawing import BLUE, Axes, Colours, Names

__all__ = ["differences", "means", "scatter"]

_OF_COMPARE = ("measure", "name", "other", "difference", "p", "significant", "ci_low", "ci_high")
# Intervals of one test differ by rounding only.
_ROUNDING = 1e-9
# Two names in a row have longer lines.
_LINE_OF_TWO = 56


def means(
    compared: pd.DataFrame, measure: object = None, *, names: Names = None, labels: Names = None, ax: Axes | None = None
) -> Axes:
    """Show the means of systems with intervals that overlap unless the means differ significantly.

    Parameters
    ----------
    compared : DataFrame
        The result of `meta.compare` with a Tukey HSD test of all systems, the default. `differences` shows other tests.
    measure : Measure or str, optional
        The measure to show; required if there are several.
    names, labels : mapping, optional
        The text to show for each system or measure, by its name.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A point for each system, the best on top, with an interval as long as the smallest difference that is
        significant. It is not the confidence interval of the mean: it compares systems on the same queries. If more
        trials could decide otherwise on some pairs, the label says on how many.

    Raises
    ------
    ValueError
        If the frame has no rows, or a column or the measure is missing. Also if ``measure`` is required but not given,
        or if the pairs do not share one critical difference, as with other tests or a correction.

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
    rows = _rows_of_measure("means", compared, measure, names, labels, "mean", "other_mean")
    ends = rows[["ci_low", "ci_high"]].sub(rows["difference"], axis=0).abs()
    widths = ends.max(axis=1).to_numpy(dtype=float)  # an end may stop at the largest possible difference
    apart = (rows["ci_low"] > 0) | (rows["ci_high"] < 0)
    if (
        not np.isfinite(widths).all()
        or np.ptp(widths) > _ROUNDING * widths.max()
        or (apart != rows["significant"]).any()
    ):
        raise ValueError(
            "means needs a Tukey HSD test of all systems: only this test has one critical difference for all pairs. "
            "For other tests, use plots.differences."
        )
    means = pd.concat([rows.set_index("name")["mean"], rows.set_index("other")["other_mean"]])
    lower = not higher_is_better(str(measure or compared["measure"].iloc[0]))
    means = means[~means.index.duplicated()].sort_values(ascending=lower, kind="stable")
    with drawing.named_rows(ax, means.index) as ax:
        half = widths[0] / 2
        _points(ax, pd.DataFrame({"mean": means, "low": means - half, "high": means + half, "filled": True}))
        told = "non-overlapping intervals differ significantly"
        return drawing.caption(ax, told_of_test(compared.attrs), x=f"mean {rows['measure'].iloc[0]}\n{told}")


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
        The text to show for each system or measure, by its name.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A point for each pair of systems, or for each system if there is one baseline, with its interval, the largest
        difference on top. Without a baseline, the higher mean of a pair is first. Significant differences are filled.
        The (corrected) p-values are on the right; ``?`` marks those that more trials could move across alpha. If there
        is a correction, intervals are dashed, because they are not corrected.

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
    rows = _rows_of_measure("differences", compared, measure, names, labels)
    one = len(rows) > 1 and len(set(rows["other"])) == 1
    if not one and "baseline" not in compared.attrs and compared.attrs.get("alternative") != "greater":
        turned = rows.rename(columns={"name": "other", "other": "name", "ci_low": "ci_high", "ci_high": "ci_low"})
        turned[["difference", "ci_low", "ci_high"]] *= -1
        rows = rows.mask(rows["difference"] < 0, turned)
    rows = rows.sort_values("difference", ascending=False, kind="stable")
    pairs = rows["name"] if one else rows["name"].astype(str) + " against " + rows["other"].astype(str)
    p, linestyle, caveat = ("p_corrected", "--", ", not corrected") if "p_corrected" in rows else ("p", "-", "")
    with drawing.named_rows(ax, pairs, _LINE_OF_TWO) as ax:
        _points(ax, rows[["difference", "ci_low", "ci_high", "significant"]], linestyle, [0])
        ax.axvline(0, color="0.4", linewidth=0.8)
        for row, value in enumerate(rows[p]):
            ax.text(1.01, row, f"p {value}", va="center", size=drawing.scaled(8), transform=ax.get_yaxis_transform())
        told = f" from {rows['other'].iloc[0]}" if one else ""
        level = f"{100 * (1 - compared.attrs['alpha']):g}% " if "alpha" in compared.attrs else ""
        marks = "● significant   ○ not significant"
        what = f"difference in {rows['measure'].iloc[0]}{told}, with {level}intervals{caveat}"
        return drawing.caption(ax, told_of_test(compared.attrs), x=f"{what}\n{marks}")


def scatter(
    perquery: Any,
    a: object,
    b: object,
    *,
    names: Names = None,
    labels: Names = None,
    colors: Colours = None,
    ax: Axes | None = None,
) -> Axes:
    """Show the means of systems by two measures, such as relevance against diversity.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    a, b : Measure or str
        The measures to the right and upwards.
    names, labels : mapping, optional
        The text to show for each system or measure, by its name.
    colors : mapping, optional
        The colour of each system by its name, so that it is the same in several pictures; by default, the colours go by
        the sorted names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A point for each system with the 95% confidence intervals of both means, and a grey line through the best: the
        systems that no other system surpasses by one measure without being worse by the other.

    Raises
    ------
    ValueError
        If the frame cannot be read, a measure is not in it, or both are the same.

    Warns
    -----
    MissingWarning
        If queries are left out, because a system has no value for them.

    Examples
    --------
    >>> values = {"x": {"P@5": [0.5, 0.7], "RBU@5": [0.2, 0.3]}, "y": {"P@5": [0.2, 0.4], "RBU@5": [0.3, 0.4]}}
    >>> rows = [(name, str(i), m, v) for name, by in values.items() for m, of in by.items() for i, v in enumerate(of)]
    >>> ax = scatter(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "P@5", "RBU@5")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('P@5', 'RBU@5')
    """
    who, frame, chosen = "scatter", read_perquery(perquery), [str(a), str(b)]
    if chosen[0] == chosen[1]:
        raise ValueError(f"{who}: a and b must be two measures, not both {chosen[0]}.")
    scores = read_scores(pd.concat([drawing.of_measure(who, frame, measure) for measure in chosen]))
    means = np.array([scores.means[measure] for measure in chosen])
    ends = [
        mean_interval(scores.by_measure[measure], of_systems, value_range(measure), 0.05)
        for measure, of_systems in zip(chosen, means, strict=True)
    ]
    # How far the lower and the upper end of each interval are from the mean.
    wide, high = (np.abs(np.array(of) - mean).T for of, mean in zip(ends, means, strict=True))
    shown, what = called("names", names, scores.systems), called("labels", labels, chosen)
    good = rounded(means) * np.where([higher_is_better(measure) for measure in chosen], 1, -1)[:, None]
    ahead = good[:, None] - good[:, :, None]  # of each system (rows), the others (columns)
    best = means[:, ~((ahead >= 0).all(axis=0) & (ahead > 0).any(axis=0)).any(axis=1)]
    with drawing.axes(ax) as ax:
        ax.plot(*best[:, best[0].argsort()], color="0.6", linewidth=0.8, zorder=0)
        for (name, look), x, y, across, up in zip(
            drawing.looks(scores.systems, colors).items(), *means, wide, high, strict=True
        ):
            how = look | {"linestyle": "", "markersize": drawing.scaled(5), "elinewidth": 0.8}
            ax.errorbar(x, y, up[:, None], across[:, None], label=drawing.fitted(shown[name]), **how)
        drawing.legend(ax, *ax.get_legend_handles_labels())
        told = f"means of {len(scores.queries)} queries with 95% intervals; grey: the best"
        return drawing.caption(ax, told, x=what[chosen[0]], y=what[chosen[1]])


def _rows_of_measure(
    who: str, compared: pd.DataFrame, measure: object, names: Names, labels: Names, *columns: str
) -> pd.DataFrame:
    """Return the rows of one measure, with bounds instead of p-values of 0, and names as they are shown."""
    source = "meta.compare, with a test that has intervals"
    frame = with_bounds(drawing.readable(who, compared, source, *_OF_COMPARE, *columns), 3)
    return renamed(drawing.of_measure(who, frame, measure), names, labels)


def _points(ax: Axes, rows: pd.DataFrame, linestyle: str = "-", shown: Sequence[float] = ()) -> None:
    """Draw a point for each row, the first on top, and an interval whose ends may be infinite.

    The columns are the value, the ends, and whether the point is filled. The axis includes the values ``shown``.
    """
    values, low, high, filled = (rows[column].to_numpy() for column in rows)
    ends = np.concatenate([low, high, values]).astype(float)
    ends = np.append(ends[np.isfinite(ends)], shown)
    margin = 0.05 * (np.ptp(ends) or 1.0)
    limits = ends.min() - margin, ends.max() + margin
    places = np.arange(len(rows))
    ax.hlines(places, np.clip(low, *limits), np.clip(high, *limits), color=BLUE, linestyle=linestyle)
    insides = [BLUE if full else "white" for full in filled]
    ax.scatter(values, places, s=drawing.scaled(6) ** 2, zorder=3, edgecolors=BLUE, c=insides)
    ax.set_xlim(*limits)
