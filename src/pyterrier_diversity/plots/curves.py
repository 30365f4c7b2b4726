"""Pictures with a line for each system or measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np
import pandas as pd

from ..evaluate import DiversityEvaluator
from ..io import called, check_order, one_or_more_runs, qrels_frame, renamed
from ..judged import Run, judge
from ..measures import Coverage
from ..measures.parse import read_measure
from ..meta.significance.tests import LEVEL
from ..parameters import CUTOFF, checked
from .drawing import (
    Names,
    counts_of,
    drawing,
    from_data,
    lines_of,
    logarithmic,
    plot_lines,
    readable,
    style,
    tell,
    whole_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The most points of a line, because each is an evaluation.
_MOST_RANKS = 200


def intent_coverage(
    qrels: pd.DataFrame,
    runs: Any,
    *,
    measure: ir_measures.Measure | str = Coverage,
    cutoff: int = 20,
    names: Names = None,
    labels: Names = None,
    ax: Axes | None = None,
) -> Axes:
    """Show the share of the intents that runs cover down to each rank: a measure at every cutoff.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, in any form that `io.read_qrels` reads.
    runs : DataFrame, mapping of names to runs, path, or iterable of paths
        The results of one system, or of several as `io.read_runs` takes them.
    measure : Measure or str
        A measure without cutoff, such as `StRecall`. `Coverage` weights intents, and counts those without a relevant
        document.
    cutoff : int
        Last rank to show, if a ranking is that long.
    names, labels : mapping, optional
        How systems and measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A line for each system, over at most 200 ranks. Queries without a ranking or without relevant documents count
        as 0. The axis starts below the lowest value, and says so if that is not 0.

    Raises
    ------
    ValueError
        If there is no run, the qrels have no relevant document, or the measure does not take such cutoffs.
    """
    who = "intent_coverage"
    cutoff = checked(who, CUTOFF, cutoff=cutoff)["cutoff"]
    check_order(who, qrels, runs, order="qrels, runs", may_be_one=True)
    qrels = qrels_frame(qrels)
    judgements = judge(qrels)
    if not len(judgements.intents.ids):
        raise ValueError("The qrels have no relevant document.")
    measure = read_measure(who, measure)
    systems, named = one_or_more_runs(who, runs)
    longest = max(int(Run(run).find(judgements)[1].max(initial=1)) for run in systems.values())
    last = min(cutoff, max(longest, 1))
    ranks = np.unique(np.linspace(1, last, min(last, _MOST_RANKS)).astype(int))
    at_ranks = [measure @ rank for rank in ranks.tolist()]
    evaluator = DiversityEvaluator(at_ranks, qrels)
    values = {name: evaluator.calc_aggregate(run) for name, run in systems.items()}
    shown = called("names", names, systems)
    lines = {shown[name]: (ranks, np.array([value[at] for at in at_ranks])) for name, value in values.items()}
    with drawing(ax) as ax:
        plot_lines(ax, lines)
        if not named and (legend := ax.get_legend()):
            legend.remove()
        whole_numbers(ax.xaxis)
        what = called("labels", labels, [measure])[measure]
        start = from_data(ax, np.concatenate([y for _, y in lines.values()]))
        tell(ax, f"{what} down to each rank, {len(judgements)} queries", x="rank", y=f"{what}{start}")
    return ax


def asl_curve(
    frame: pd.DataFrame, *, log: bool = False, alpha: float | None = None, labels: Names = None, ax: Axes | None = None
) -> Axes:
    """Show the p-values of all pairs of systems, sorted: the lower a line, the more pairs the measure tells apart.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``rank`` (of the pair by its p-value) and ``asl`` (the achieved significance level, which
        is the p-value), as `meta.asl_curve` returns them.
    log : bool
        Whether the axis of p-values is logarithmic; p-values of 0 then lie below it.
    alpha : float in (0, 1), optional
        The level of significance, where a dotted line is: that of the test if omitted. There is no line if the frame
        does not know it, or if the test was corrected, because these p-values are not.
    labels : mapping, optional
        How measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A line for each measure.

    Raises
    ------
    ValueError
        If the frame has no rows, a column is missing, or alpha is out of range.
    """
    who = "asl_curve"
    frame = renamed(readable(who, frame, "meta.asl_curve", "measure", "rank", "asl"), labels=labels)
    alpha = frame.attrs.get("alpha") if alpha is None else LEVEL.check(who, "alpha", alpha)
    with drawing(ax) as ax:
        plot_lines(ax, lines_of(frame, "measure", "rank", "asl"))
        if alpha is not None:
            ax.axhline(alpha, color="0.4", linewidth=1, linestyle=(0, (1, 2)))
            ax.text(0.01, alpha, f"{alpha:g}", transform=ax.get_yaxis_transform(), va="bottom", size=9, color="0.3")
        ax.set_yscale("log" if log else "linear")
        if not log:
            ax.set_ylim(0, 1.02)
        whole_numbers(ax.xaxis)
        told = str(frame.attrs.get("test", "")), counts_of(frame)
        x, y = "pairs of systems, the highest p-value first", "achieved significance level (p-value)"
        tell(ax, *told, x=x, y=y)
    return ax


def by_topic_set_size(
    frame: pd.DataFrame, *, by: str = "measure", labels: Names = None, ax: Axes | None = None
) -> Axes:
    """Show how similarly samples of the topics and all topics rank the systems, by the size of the samples.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``size`` and ``tau``, as `meta.topic_sampling` returns them.
    by : str
        The column that has a line for each of its values: with ``"family"``, for each family, means over its measures.
    labels : mapping, optional
        How measures (or the values of ``by``) are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A line for each measure, or for each value of ``by``.

    Raises
    ------
    ValueError
        If the frame has no rows or a column is missing.
    """
    frame = readable("by_topic_set_size", frame, "meta.topic_sampling", by, "size", "tau")
    return _taus(frame, by, "size", "topics in a sample", labels, ax)


def pool_depth(frame: pd.DataFrame, *, by: str = "measure", labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show how similarly the judgements of a shallow pool and all judgements rank the systems, by the pool depth.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``depth`` and ``tau``, as `meta.pool_depth` returns them.
    by : str
        The column that has a line for each of its values: with ``"family"``, for each family, means over its measures.
    labels : mapping, optional
        How measures (or the values of ``by``) are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A line for each measure, or for each value of ``by``.

    Raises
    ------
    ValueError
        If the frame has no rows or a column is missing.
    """
    frame = readable("pool_depth", frame, "meta.pool_depth", by, "depth", "tau")
    return _taus(frame, by, "depth", "depth of the pool", labels, ax, log=True)


def number_of_systems(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show how similarly systems are ranked when rarity is computed from some of them and from all.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``n_systems``, ``mean`` and ``std``, as `meta.number_of_systems` returns them.
    labels : mapping, optional
        How measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A line for each measure over the number of systems drawn, with one standard deviation down, and up to 1 at most.

    Raises
    ------
    ValueError
        If the frame has no rows or a column is missing.
    """
    who = "number_of_systems"
    columns = ("measure", "n_systems", "mean", "std")
    frame = renamed(readable(who, frame, "meta.number_of_systems", *columns), labels=labels)
    lines, spread = (lines_of(frame, "measure", "n_systems", y) for y in ("mean", "std"))
    with drawing(ax) as ax:
        plot_lines(ax, lines)
        for i, (name, (x, y)) in enumerate(lines.items()):
            # Side by side, so that they do not cover each other.
            moved = x * 1.02 ** (i - (len(lines) - 1) / 2)
            ends = spread[name][1], np.minimum(spread[name][1], 1 - y)
            ax.errorbar(moved, y, ends, fmt="none", ecolor=style(i, 1)["color"], capsize=3, linewidth=1)
        logarithmic(ax.xaxis, frame["n_systems"])
        start = from_data(ax, [*(frame["mean"] - frame["std"].fillna(0)), *frame["mean"]], 1)
        known = f"of {frame.attrs['n_systems']} systems" if "n_systems" in frame.attrs else ""
        what = f"rank correlation with the order among all systems{start}"
        tell(ax, known, "mean and std over trials", x="systems drawn", y=what)
    return ax


def insert_synthetic_system(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show the rank of a synthetic system that retrieves some rare, or common, relevant documents.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``n_relevant`` and ``rank``, as `meta.insert_synthetic_system` returns them.
    labels : mapping, optional
        How measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A line for each measure, rank 1 on top.

    Raises
    ------
    ValueError
        If the frame has no rows or a column is missing.
    """
    who = "insert_synthetic_system"
    columns = ("measure", "n_relevant", "rank")
    frame = renamed(readable(who, frame, "meta.insert_synthetic_system", *columns), labels=labels)
    with drawing(ax) as ax:
        plot_lines(ax, lines_of(frame, "measure", "n_relevant", "rank"))
        last = max(int(frame["rank"].max()), frame.attrs.get("n_systems", 0) + 1)
        ax.set_ylim(last + 0.5, 0.5)
        whole_numbers(ax.yaxis)
        whole_numbers(ax.xaxis)
        kinds = " or ".join(frame["kind"].unique()) + " " if "kind" in frame else ""
        known = f"among {frame.attrs['n_systems']} systems" if "n_systems" in frame.attrs else ""
        found = f"{kinds}relevant documents that the synthetic system finds"
        tell(ax, known, x=found, y="rank of the synthetic system")
    return ax


def topics_needed(frame: pd.DataFrame, *, labels: Names = None, ax: Axes | None = None) -> Axes:
    """Show the smallest difference that a number of topics finds, or how many topics a difference needs.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``topics`` and ``delta``, as `meta.topics_needed` returns them for several ``n`` or
        ``delta``.
    labels : mapping, optional
        How measures are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A line for each measure, with logarithmic axes: to find half the difference, about four times the topics are
        needed.

    Raises
    ------
    ValueError
        If the frame has no rows or a column is missing.
    """
    who = "topics_needed"
    frame = renamed(readable(who, frame, "meta.topics_needed", "measure", "topics", "delta"), labels=labels)
    with drawing(ax) as ax:
        plot_lines(ax, lines_of(frame, "measure", "topics", "delta"))
        logarithmic(ax.xaxis, frame["topics"])
        logarithmic(ax.yaxis)
        told = [f"{key} {frame.attrs[key]:g}" for key in ("power", "alpha") if key in frame.attrs]
        test = f"{frame.attrs['test']} test" if "test" in frame.attrs else ""
        tell(ax, test, *told, x="topics", y="smallest difference of means that is found")
    return ax


def _taus(
    frame: pd.DataFrame, by: str, x: str, what: str, labels: Names, ax: Axes | None, *, log: bool = False
) -> Axes:
    """Draw the mean tau of each line by a number."""
    means = frame.groupby([by, x], sort=False)["tau"].mean().reset_index()
    means[by] = means[by].map(called("labels", labels, means[by].unique()))
    with drawing(ax) as ax:
        plot_lines(ax, lines_of(means, by, x, "tau"))
        start = from_data(ax, means["tau"], 1)
        logarithmic(ax.xaxis, means[x]) if log else whole_numbers(ax.xaxis)
        y = f"Kendall's τ with the order by all{start}"
        tell(ax, f"a line for each {by}", counts_of(frame), x=what, y=y)
    return ax
