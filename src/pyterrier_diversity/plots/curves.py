"""Pictures with a line for each system or measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np
import pandas as pd

from ..evaluate import DiversityEvaluator
from ..judged import Run, judge
from ..measures import Coverage
from ..measures.parse import read_measure
from ..meta.significance_tests import LEVEL
from ..parameters import CUTOFF, checked
from .drawing import counts_of, lines_of, name_lines, new_axes, plot_lines, rank_ticks, readable, style, ticks_at, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The most points of a line, because each is an evaluation.
_MOST_RANKS = 200


def intent_coverage(
    runs: Any,
    qrels: pd.DataFrame,
    *,
    measure: ir_measures.Measure | str = Coverage,
    cutoff: int = 20,
    ax: Axes | None = None,
) -> Axes:
    """Show the share of the intents that runs cover down to each rank: a measure at every cutoff.

    Parameters
    ----------
    runs : DataFrame, or mapping of str to runs
        Results with ``qid``, ``docno``, ``score``, of one system or of several by name.
    qrels : DataFrame
        Qrels with ``qid``, ``docno``, ``label``, ``iteration``.
    measure : Measure or str
        A measure without cutoff, such as `StRecall`. `Coverage` weights intents, and counts those without a relevant
        document.
    cutoff : int
        Last rank to show, if a ranking is that long.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A line for each system, over at most 200 ranks. Queries without a ranking or without relevant documents count
        as 0.

    Raises
    ------
    ValueError
        If there is no run, the qrels have no relevant document, or the measure does not take such cutoffs.
    """
    cutoff = checked("intent_coverage", CUTOFF, cutoff=cutoff)["cutoff"]
    judgements = judge(qrels)
    if not len(judgements.intents.ids):
        raise ValueError("The qrels have no relevant document.")
    named = isinstance(runs, Mapping)
    if named and not runs:
        raise ValueError("intent_coverage: runs must not be empty.")
    measure = read_measure("intent_coverage", measure)
    systems = dict(runs) if named else {"": runs}
    longest = max(int(Run(run).retrieve(judgements).n.max(initial=1)) for run in systems.values())
    last = min(cutoff, max(longest, 1))
    ranks = np.unique(np.linspace(1, last, min(last, _MOST_RANKS)).astype(int))
    at_ranks = [measure @ rank for rank in ranks.tolist()]
    evaluator = DiversityEvaluator(at_ranks, qrels)
    values = {name: evaluator.calc_aggregate(run) for name, run in systems.items()}
    lines = {name: (ranks, np.array([value[at_rank] for at_rank in at_ranks])) for name, value in values.items()}
    ax = new_axes() if ax is None else ax
    plot_lines(ax, lines)
    rank_ticks(ax, 1, last)
    drawn = np.concatenate([y for _, y in lines.values()])
    low, high = np.nanmin(drawn, initial=0.0), np.nanmax(drawn, initial=0.0)
    # A measure that can be negative has no scale of shares, from 0 to 1.
    ax.set_ylim((-0.02, 1.02) if low >= 0 and high <= 1 else (low - 0.05 * (high - low), high + 0.05 * (high - low)))
    if low < 0:
        ax.axhline(0, color="0.6", linewidth=0.8)
    ax.set_xlabel("rank")
    ax.set_ylabel(str(measure))
    title(ax, f"{measure} down to each rank, {len(judgements)} queries")
    if named:
        name_lines(ax)
    return ax


def asl_curve(frame: pd.DataFrame, *, log: bool = False, alpha: float | None = None, ax: Axes | None = None) -> Axes:
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
    frame = readable("asl_curve", frame, "meta.asl_curve", "measure", "rank", "asl")
    alpha = frame.attrs.get("alpha") if alpha is None else LEVEL.check("asl_curve", "alpha", alpha)
    lines = lines_of(frame, "measure", "rank", "asl")
    ax = new_axes() if ax is None else ax
    plot_lines(ax, lines)
    if alpha is not None:
        ax.axhline(alpha, color="0.4", linewidth=1, linestyle=(0, (1, 2)))
        ax.text(0.01, alpha, f"{alpha:g}", transform=ax.get_yaxis_transform(), va="bottom", size=9, color="0.3")
    ax.set_yscale("log" if log else "linear")
    if not log:
        ax.set_ylim(0, 1.02)
    rank_ticks(ax, 1, max(int(x[-1]) for x, _ in lines.values()))
    ax.set_xlabel("pairs of systems, the highest p-value first")
    ax.set_ylabel("achieved significance level (p-value)")
    title(ax, str(frame.attrs.get("test", "")), counts_of(frame))
    name_lines(ax)
    return ax


def by_topic_set_size(frame: pd.DataFrame, *, by: str = "measure", ax: Axes | None = None) -> Axes:
    """Show how similarly samples of the topics and all topics rank the systems, by the size of the samples.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``size`` and ``tau``, as `meta.topic_sampling` returns them.
    by : str
        The column that has a line for each of its values: with ``"family"``, for each family, means over its measures.
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
    return _taus("by_topic_set_size", frame, "meta.topic_sampling", by, "size", "topics in a sample", ax)


def pool_depth(frame: pd.DataFrame, *, by: str = "measure", ax: Axes | None = None) -> Axes:
    """Show how similarly the judgements of a shallow pool and all judgements rank the systems, by the pool depth.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``depth`` and ``tau``, as `meta.pool_depth` returns them.
    by : str
        The column that has a line for each of its values: with ``"family"``, for each family, means over its measures.
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
    ax = _taus("pool_depth", frame, "meta.pool_depth", by, "depth", "depth of the pool", ax)
    ax.set_xscale("log")
    ticks_at(ax, np.unique(frame["depth"]))
    return ax


def number_of_systems(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show how similarly systems are ranked when rarity is computed from some of them and from all.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``n_systems``, ``mean`` and ``std``, as `meta.number_of_systems` returns them.
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
    frame = readable("number_of_systems", frame, "meta.number_of_systems", "measure", "n_systems", "mean", "std")
    lines, spread = (lines_of(frame, "measure", "n_systems", y) for y in ("mean", "std"))
    ax = new_axes() if ax is None else ax
    plot_lines(ax, lines)
    for i, (name, (x, y)) in enumerate(lines.items()):
        # Side by side, so that they do not cover each other.
        moved = x * 1.02 ** (i - (len(lines) - 1) / 2)
        ends = spread[name][1], np.minimum(spread[name][1], 1 - y)
        ax.errorbar(moved, y, ends, fmt="none", ecolor=style(i, 1)["color"], capsize=3, linewidth=1)
    ax.set_xscale("log")
    ticks_at(ax, np.unique(frame["n_systems"]))
    _show_taus(ax, frame["mean"] - frame["std"].fillna(0))
    ax.set_xlabel("systems drawn")
    ax.set_ylabel("rank correlation with the order among all systems")
    title(
        ax, f"of {frame.attrs['n_systems']} systems" if "n_systems" in frame.attrs else "", "mean and std over trials"
    )
    name_lines(ax)
    return ax


def insert_synthetic_system(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show the rank of a synthetic system that retrieves some rare, or common, relevant documents.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``n_relevant`` and ``rank``, as `meta.insert_synthetic_system` returns them.
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
    source = "meta.insert_synthetic_system"
    frame = readable("insert_synthetic_system", frame, source, "measure", "n_relevant", "rank")
    ax = new_axes() if ax is None else ax
    plot_lines(ax, lines_of(frame, "measure", "n_relevant", "rank"))
    last = max(int(frame["rank"].max()), frame.attrs.get("n_systems", 0) + 1)
    ax.set_ylim(last + 0.5, 0.5)
    rank_ticks(ax, 1, last, upright=True)
    rank_ticks(ax, int(frame["n_relevant"].min()), int(frame["n_relevant"].max()))
    kinds = " or ".join(frame["kind"].unique()) + " " if "kind" in frame else ""
    ax.set_xlabel(f"{kinds}relevant documents that the synthetic system finds")
    ax.set_ylabel("rank of the synthetic system")
    title(ax, f"among {frame.attrs['n_systems']} systems" if "n_systems" in frame.attrs else "")
    name_lines(ax)
    return ax


def topics_needed(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show the smallest difference that a number of topics finds, or how many topics a difference needs.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``topics`` and ``delta``, as `meta.topics_needed` returns them for several ``n`` or
        ``delta``.
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
    from matplotlib.ticker import LogLocator, StrMethodFormatter

    frame = readable("topics_needed", frame, "meta.topics_needed", "measure", "topics", "delta")
    ax = new_axes() if ax is None else ax
    plot_lines(ax, lines_of(frame, "measure", "topics", "delta"))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5)))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ticks_at(ax, np.unique(frame["topics"]))
    ax.set_xlabel("topics")
    ax.set_ylabel("smallest difference of means that is found")
    told = [f"{key} {frame.attrs[key]:g}" for key in ("power", "alpha") if key in frame.attrs]
    title(ax, f"{frame.attrs['test']} test" if "test" in frame.attrs else "", *told)
    name_lines(ax)
    return ax


def _taus(who: str, frame: pd.DataFrame, source: str, by: str, x: str, what: str, ax: Axes | None) -> Axes:
    """Draw the mean tau of each line by a number."""
    frame = readable(who, frame, source, by, x, "tau")
    means = frame.groupby([by, x], sort=False)["tau"].mean().reset_index()
    ax = new_axes() if ax is None else ax
    plot_lines(ax, lines_of(means, by, x, "tau"))
    _show_taus(ax, means["tau"])
    ticks_at(ax, np.unique(means[x]))
    ax.set_xlabel(what)
    ax.set_ylabel("Kendall's τ with the order by all")
    title(ax, f"a line for each {by}", counts_of(frame))
    name_lines(ax)
    return ax


def _show_taus(ax: Axes, values: pd.Series) -> None:
    """Show an axis of correlations from 0, or from a negative value, to 1."""
    ax.set_ylim(min(0.0, 1.1 * np.nanmin(values, initial=0.0)), 1.02)
