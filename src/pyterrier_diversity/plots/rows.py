"""Pictures in rows: a bar, a point, or cells for each measure, system, pair of systems, or label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arithmetic import divide
from ..evaluate.by_group import MACRO_MEAN, refuse_groups
from ..evaluate.perquery import listed
from ..io import called, renamed
from ..meta.significance.marks import told_of_test, with_bounds
from ..parameters import LEVEL
from . import drawing
from .drawing import COUNTS, GAIN, LOSS, Names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "assessor_agreement",
    "concordance",
    "confusion",
    "delta_required",
    "differences",
    "discriminative_power",
    "groups",
    "means",
    "stability",
    "tau_matrix",
    "unanimity",
]

# The parts of a bar of `stability`.
_ORDERS: dict[str, dict[str, Any]] = {
    "the more frequent order": {"color": GAIN},
    "tied": {"color": "0.85", "edgecolor": "0.5", "hatch": "///"},
    "the other order": {"color": LOSS, "edgecolor": "white", "hatch": "xxx"},
}
_NEEDED = ("measure", "system", "other", "difference", "p", "significant", "ci_low", "ci_high")
_SOURCE = "meta.compare, with a test that has intervals"
# Intervals of one test differ by rounding only.
_ROUNDING = 1e-9
# Two names in a row have longer lines.
_PAIR = 56
_COEFFICIENTS = {
    "tau": "Kendall's τ",
    "tau_ap": "τ AP",
    "tau_ap_symmetric": "symmetric τ AP",
    "spearman": "Spearman's rho",
}
# On cells darker than this, black text is hard to read.
_DARK = 0.6
_TWO_PLACES = np.vectorize("{:.2f}".format, otypes=[str])


def unanimity(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show the unanimity of measures.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure`` and ``unanimity``, as `meta.unanimity` returns them.
    labels : mapping, optional
        The text to show for each measure, by its name.
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
    frame, values = _by_measure("unanimity", frame, labels, "unanimity")
    finite = values[np.isfinite(values)]
    limits = 1.15 * finite.min(initial=0.0), 1.15 * finite.max(initial=1.0)
    return _bars(ax, frame, values, [f"{value:.2f}" for value in values], limits, "unanimity")


def discriminative_power(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show the share of the pairs of systems that differ significantly, for each measure.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, and either ``significant`` (number of pairs that differ significantly) and ``pairs``
        (number of all pairs) or ``share``, as `meta.discriminative_power` returns them.
    labels : mapping, optional
        The text to show for each measure, by its name.
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
    what = "share of pairs of systems that differ significantly"
    if "share" in frame and not {"significant", "pairs"} <= {*frame}:
        frame, values = _by_measure("discriminative_power", frame, labels, "share")
        return _bars(ax, frame, values, [f"{value:.1%}" for value in values], (0, 1.15), what)
    frame, *counts = _by_measure("discriminative_power", frame, labels, "significant", "pairs")
    texts = [f"{part}/{whole}" for part, whole in zip(frame["significant"], frame["pairs"], strict=True)]
    return _bars(ax, frame, divide(*counts), texts, (0, 1.15), what)


def delta_required(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show how large a difference of means must be to be significant, for each measure.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure`` and ``delta``, as `meta.delta_required` returns them.
    labels : mapping, optional
        The text to show for each measure, by its name.
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
    frame, values = _by_measure("delta_required", frame, labels, "delta")
    texts = [f"{value:.3f}" if np.isfinite(value) else "no pair is significant" for value in values]
    limits = 0, 1.25 * max(np.nanmax(values, initial=0.0), 0.01)
    return _bars(ax, frame, values, texts, limits, "difference of means that is significant")


def stability(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show how often measures order two systems the same way on different samples of the topics.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``stability`` and ``ties``, as `meta.stability` returns them.
    labels : mapping, optional
        The text to show for each measure, by its name.
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
    frame, stable, ties = _by_measure("stability", frame, labels, "stability", "ties")
    shares = np.array([stable, ties, np.clip(1 - stable - ties, 0, None)])
    with drawing.named_rows(ax, frame["measure"]) as ax:
        for share, left, look in zip(shares, np.cumsum(shares, axis=0) - shares, _ORDERS.values(), strict=True):
            ax.barh(range(len(frame)), share, left=left, linewidth=0, **look)
        paper = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
        for row, value in enumerate(stable):
            ax.text(0.012, row, f"{value:.2f}", va="center", size=drawing.scaled(9), bbox=paper)
        ax.set_xlim(0, 1)
        drawing.legend(ax, ax.containers, list(_ORDERS))
        told = drawing.known(frame, **COUNTS, n_topics="samples of {}")
        return drawing.tell(ax, *told, x="share of samples of the topics, mean over pairs of systems")


def assessor_agreement(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show how similarly the judgements of two assessors rank the systems, for each measure.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``tau``, ``tau_low`` and ``tau_high``, as `meta.assessor_agreement` returns them.
    labels : mapping, optional
        The text to show for each measure, by its name.
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
    frame, tau, low, high = _by_measure("assessor_agreement", frame, labels, "tau", "tau_low", "tau_high")
    with drawing.named_rows(ax, frame["measure"], spread=1.2) as ax:
        rows = np.arange(len(frame))
        ax.hlines(rows, low, high, color=GAIN)
        ax.plot(tau, rows, "o", color=GAIN)
        for row, value in zip(rows[np.isfinite(tau)], tau[np.isfinite(tau)], strict=True):
            above: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "size": drawing.scaled(8)}
            ax.annotate(f"{value:.2f}", (value, row), (0, 5), **above)
        ax.set_xlim(min(0.0, np.nanmin(low, initial=0.0) - 0.02), 1.02)
        return drawing.tell(ax, *drawing.known(frame, **COUNTS), x="Kendall's τ of the two orders of the systems")


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
        A point for each system, the highest mean on top, with an interval as long as the smallest difference that is
        significant. It is not the confidence interval of the mean: it compares systems on the same queries. If more
        trials could decide otherwise on some pairs, the label says on how many.

    Raises
    ------
    ValueError
        If the frame has no rows, or a column or the measure is missing. Also if ``measure`` is required but not given,
        or if the pairs do not share one critical difference, as with other tests, a correction, or another ``ci``.

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
            "means needs a Tukey HSD test of all systems, without ci: only this test has one critical difference for "
            "all pairs. For other tests, use plots.differences."
        )
    means = pd.concat([rows.set_index("system")["mean"], rows.set_index("other")["other_mean"]])
    means = means[~means.index.duplicated()].sort_values(ascending=False, kind="stable")
    with drawing.named_rows(ax, means.index, 4.8) as ax:
        half = widths[0] / 2
        _points(ax, pd.DataFrame({"mean": means, "low": means - half, "high": means + half, "filled": True}))
        unsure = int(rows["undecided"].sum())
        doubt = f"\n{unsure} of {len(rows)} pairs: more trials could decide otherwise" if unsure else ""
        told = "two intervals that do not overlap: a significant difference"
        return drawing.tell(ax, told_of_test(compared.attrs), x=f"mean {rows['measure'].iloc[0]}\n{told}{doubt}")


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
    p, linestyle, caveat = ("p_corrected", "--", ", not corrected") if "p_corrected" in rows else ("p", "-", "")
    with drawing.named_rows(ax, pairs, 4.8, line=_PAIR) as ax:
        _points(ax, rows[["difference", "ci_low", "ci_high", "significant"]], linestyle, [0])
        ax.axvline(0, color="0.4", linewidth=0.8)
        for row, (value, unsure) in enumerate(rows[[p, "undecided"]].to_numpy()):
            text = f"p {value}{' ?' if unsure else ''}"
            ax.text(1.01, row, text, va="center", size=drawing.scaled(8), transform=ax.get_yaxis_transform())
        told = f" from {baselines[0]}" if one else ""
        level = f"{100 * compared.attrs['ci']:g}% " if "ci" in compared.attrs else ""
        marks = "● significant   ○ not significant"
        marks += "   ? more trials could decide otherwise" if rows["undecided"].any() else ""
        what = f"difference in {rows['measure'].iloc[0]}{told}, with {level}intervals{caveat}"
        return drawing.tell(ax, told_of_test(compared.attrs), x=f"{what}\n{marks}")


def groups(
    table: pd.DataFrame, measure: object = None, *, names: Names = None, labels: Names = None, ax: Axes | None = None
) -> Axes:
    """Show the means of systems by group of queries, and the macro mean.

    Parameters
    ----------
    table : DataFrame
        Columns ``name``, the group, ``queries``, and one for each measure, as ``evaluate_runs(..., by=...)`` returns
        them.
    measure : Measure or str, optional
        The measure to show; required if there are several.
    names, labels : mapping, optional
        The text to show for each system or measure, by its name.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A row for each group, with its number of queries and a point for each system, and below them the macro mean.

    Raises
    ------
    ValueError
        If the frame has no rows or no groups, the measure is missing, or ``measure`` is required but not given.

    Examples
    --------
    >>> rows = [("A", "easy", 2, 0.75), ("A", "hard", 1, 0.25), ("A", "macro mean", 3, 0.5)]
    >>> ax = groups(pd.DataFrame(rows, columns=["name", "kind", "queries", "RBU@5"]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['easy (2 queries)', 'hard (1 query)', 'macro mean']
    """
    who, source = "groups", "evaluate_runs(..., by=...)"
    frame = drawing.readable(who, table, source, "name", "queries", names=names)
    others = [str(one) for one in frame if one not in ("name", "queries") and not str(one).startswith("se(")]
    if len(others) < 2 or pd.api.types.is_numeric_dtype(frame[others[0]]):
        raise drawing.unreadable(who, "the frame has no column with groups", source)
    column, *found = others
    shown = drawing.one_of(who, "measure", found, measure)
    sizes = frame.drop_duplicates(column).set_index(column)["queries"]
    rows = [
        group if group == MACRO_MEAN else f"{group} ({n} {'query' if n == 1 else 'queries'})"
        for group, n in sizes.items()
    ]
    with drawing.named_rows(ax, rows, 4.8) as ax:
        for i, (name, of) in enumerate(frame.groupby("name", sort=False)):
            means = of.set_index(column)[shown].reindex(sizes.index)
            ax.plot(means, range(len(rows)), linestyle="", **drawing.look(i), alpha=0.8, label=name)
        ax.grid(axis="y", color="0.9")
        drawing.legend(ax, ax.get_lines(), [str(line.get_label()) for line in ax.get_lines()])
        return drawing.tell(ax, f"by {column}", x=f"mean {called('labels', labels, [shown])[shown]}")


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
    frame = drawing.readable("confusion", frame, source)
    if not all(isinstance(label, (int, float, np.number)) for label in (*frame.index, *frame.columns)):
        rule = "the frame must have labels, which are numbers, as rows and columns, not"
        raise drawing.unreadable("confusion", f"{rule} {listed(list(map(str, frame.columns)))}", source)
    found = sorted({*frame.index, *frame.columns})
    counts = frame.reindex(index=found, columns=found, fill_value=0).to_numpy(dtype=np.float64)
    shares = divide(counts, counts.sum(axis=1, keepdims=True))
    with _cells(ax, shares, np.vectorize("{:g}".format)(counts), found) as ax:
        same = f"{divide(np.trace(counts), counts.sum()):.0%} with the same label"
        told = f"{int(counts.sum())} judgements"
        return drawing.tell(ax, told, same, x="label of the second judge", y="label of the first judge")


def tau_matrix(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show the rank correlations of measures with each other.

    Parameters
    ----------
    frame : DataFrame
        Correlations in [-1, 1], with the same measures as rows and as columns, as
        ``meta.rank_correlation(..., matrix=True)`` returns them.
    labels : mapping, optional
        The text to show for each measure, by its name.
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
        If the frame has no rows, its rows and columns are not the same measures, or a value is out of range.
    """
    who, source = "tau_matrix", "meta.rank_correlation(..., matrix=True)"
    rows, columns = (list(map(str, names)) for names in (frame.index, frame.columns))
    if not rows or rows != columns:
        rule = "the frame must have the same measures as rows and columns, not"
        raise drawing.unreadable(who, f"{rule} {listed(rows)} and {listed(columns)}", source)
    values = frame.to_numpy(dtype=np.float64)
    if np.nanmax(np.abs(values), initial=0.0) > 1 + 1e-9:
        raise drawing.unreadable(who, f"correlations must be in [-1, 1], not {values[np.abs(values) > 1][0]:g}", source)
    lowest = np.floor(10 * np.nanmin(values, initial=0.9)) / 10
    colours, start = ("RdBu", -1.0) if lowest < 0 else ("Blues", lowest)
    shown = called("labels", labels, rows)
    coefficient = _COEFFICIENTS.get(str(frame.attrs.get("method")), "Rank correlation")
    with _cells(ax, values, _TWO_PLACES(values), [shown[name] for name in rows], colours, start) as ax:
        ax.figure.colorbar(ax.images[-1], ax=ax, shrink=0.8).set_label(coefficient)
        return drawing.tell(
            ax, f"{coefficient} of the orders of the systems", *drawing.known(frame, top="the best {} systems")
        )


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
        The text to show for each measure, by its name.
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
    frame = drawing.readable("concordance", frame, "meta.concordance", *columns)
    alpha = LEVEL.check("concordance", "alpha", alpha)
    names = list(dict.fromkeys([*frame["measure"], *frame["other"]]))
    row, column = (pd.Index(names).get_indexer(frame[which]) for which in ("measure", "other"))
    values, p = np.full((2, len(names), len(names)), np.nan)
    values[row, column], values[column, row] = frame["concordance"], frame["other_concordance"]
    p[row, column] = p[column, row] = frame["p"]
    texts = np.char.add(_TWO_PLACES(values), np.where(p < alpha, "*", ""))
    with _cells(ax, values, texts, list(called("labels", labels, names).values())) as ax:
        gold = ", ".join(map(str, frame.attrs.get("gold", [])))
        star = f"* p < {alpha:g}".replace(" ", "\N{NO-BREAK SPACE}")
        told = f"agrees with {gold}" if gold else "", star, *drawing.known(frame, **COUNTS)
        return drawing.tell(ax, *told, x="... where it disagrees with this one", y="this measure is right ...")


def _by_measure(who: str, frame: pd.DataFrame, labels: Names, *columns: str) -> tuple[Any, ...]:
    """Return a frame of the function of `meta` with this name, if it has one row for each measure, and its numbers."""
    frame = drawing.readable(who, frame, f"meta.{who}", "measure", *columns, labels=labels)
    again = frame["measure"][frame["measure"].duplicated()]
    if len(again):
        raise drawing.unreadable(who, f"each measure must have one row, but {again.iloc[0]} has several", f"meta.{who}")
    return frame, *(frame[column].to_numpy(dtype=np.float64) for column in columns)


def _bars(
    ax: Axes | None, frame: pd.DataFrame, values: np.ndarray, texts: list[str], limits: tuple[float, float], what: str
) -> Axes:
    """Draw a bar for each measure with a text at its end."""
    with drawing.named_rows(ax, frame["measure"]) as ax:
        bars = ax.barh(range(len(values)), np.where(np.isfinite(values), values, 0.0), color=GAIN)
        ax.bar_label(bars, texts, padding=3, fontsize=drawing.scaled(9))
        ax.set_xlim(*limits)
        return drawing.tell(ax, *drawing.known(frame, test="{}", alpha="alpha {:g}", **COUNTS), x=what)


def _rows_of(
    who: str, compared: pd.DataFrame, measure: object, names: Names, labels: Names, *columns: str
) -> pd.DataFrame:
    """Return the rows of one measure, with bounds instead of p-values of 0, and names as they are shown."""
    refuse_groups(who, "compared", compared)
    frame = with_bounds(drawing.readable(who, compared, _SOURCE, *_NEEDED, *columns), 3)
    frame = frame.assign(undecided=frame.get("undecided", False))
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
    ax.hlines(places, np.clip(low, *limits), np.clip(high, *limits), color=GAIN, linestyle=linestyle)
    insides = [GAIN if full else "white" for full in filled]
    ax.scatter(values, places, s=drawing.scaled(6) ** 2, zorder=3, edgecolors=GAIN, c=insides)
    ax.set_xlim(*limits)


@contextmanager
def _cells(
    ax: Axes | None, values: np.ndarray, texts: np.ndarray, names: list[Any], colours: str = "Blues", lowest: float = 0
) -> Iterator[Axes]:
    """Give axes with a cell for each finite value, its text white on dark shades, and the names of rows and columns."""
    width, height = np.maximum(np.array([0.55, 0.5]) * len(names), 2.6)
    with drawing.axes(ax, width, height) as ax:
        ax.imshow(np.ma.masked_invalid(values), aspect="auto", cmap=colours, vmin=lowest, vmax=1)
        shades = np.abs(values) if lowest < 0 else (values - lowest) / (1 - lowest)
        for row, column in np.argwhere(np.isfinite(values)):
            color = "white" if shades[row, column] > _DARK else "black"
            ax.text(column, row, texts[row, column], ha="center", va="center", color=color, size=drawing.scaled(9))
        drawing.name_columns(ax, names)
        ax.set_yticks(range(len(names)), [drawing.fitted(name) for name in names], fontsize=drawing.scaled(9))
        ax.tick_params(length=0)
        yield ax
