"""Pictures with a line for each system or measure, and of differences between systems, query by query."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ..evaluate import DiversityEvaluator
from ..io import called, is_frame, qrels_frame, read_perquery, read_runs
from ..judged import Run, judge
from ..measures import Coverage
from ..measures.base import implementation
from ..measures.parse import higher_is_better, parse, read_measure
from ..meta.scores import read_scores, rounded
from ..parameters import CUTOFF, checked
from . import drawing
from .drawing import COLOURS, LINE, Axes, Colours, Names

__all__ = [
    "intent_coverage",
    "per_query_deltas",
    "sweep",
]

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
    colors: Colours = None,
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
        The text to show for each system or measure, by its name.
    colors : mapping, optional
        The colour of each system by its name, so that it is the same in several pictures; by default, the colours go by
        the sorted names.
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
        If no run is given, the qrels have no relevant document, or the measure does not take such cutoffs.
    """
    who = "intent_coverage"
    cutoff = checked(who, CUTOFF, cutoff=cutoff)["cutoff"]
    qrels = qrels_frame(qrels)
    judgements = judge(qrels)
    if not len(judgements.intents.ids):
        raise ValueError("The qrels have no relevant document.")
    measure = read_measure(who, measure)
    systems = dict(read_runs({"": runs} if is_frame(runs) else runs, who=who))
    last = min(cutoff, max(int(Run(run).find(judgements)[1].max(initial=1)) for run in systems.values()))
    ranks = np.unique(np.linspace(1, last, min(last, _MOST_RANKS)).astype(int))
    evaluator = DiversityEvaluator([measure @ rank for rank in ranks.tolist()], qrels)
    values = {name: list(evaluator.calc_aggregate(run).values()) for name, run in systems.items()}
    shown, what = called("names", names, systems), called("labels", labels, [measure])[measure]
    with drawing.axes(ax) as ax:
        plot_lines(ax, {name: (ranks, at_ranks) for name, at_ranks in values.items()}, shown, colors)
        drawing.integers(ax.xaxis)
        told = f"{what} down to each rank, {len(judgements)} queries"
        return drawing.caption(ax, told, x="rank", y=what)


def per_query_deltas(
    perquery: Any,
    measure: object,
    system: str | Iterable[str],
    baseline: str,
    *,
    names: Names = None,
    labels: Names = None,
    colors: Colours = None,
    ax: Axes | None = None,
) -> Axes:
    """Show by how much a system is better than another on each query, the largest gain first.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    measure : Measure or str
        The measure.
    system : str, or iterable of str
        The system, or several systems, which are shown as lines.
    baseline : str
        The system to compare with.
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
        For one system: a bar for each query, with its id below, a line at the mean, and how many queries are better,
        equal and worse. For several systems: a line for each, with queries sorted by its own differences. `meta.risk`
        weights the losses.

    Raises
    ------
    ValueError
        If the frame cannot be read, or the measure or a system is not in it.

    Warns
    -----
    MissingWarning
        If queries are left out, because a system has no value for them.
    """
    who = "per_query_deltas"
    frame = drawing.of_measure(who, read_perquery(perquery), measure)
    systems = [system] if isinstance(system, str) else list(dict.fromkeys(map(str, system)))
    if not systems:
        raise ValueError(f"{who}: system must name a system.")
    there = frame["name"].unique().tolist()
    for name in (*systems, baseline):
        drawing.one_of(who, "system", there, name)
    shown = called("names", names, [*systems, baseline])
    scores = read_scores(frame[frame["name"].isin([*systems, baseline])])
    values = dict(zip(scores.systems, scores.by_measure[str(measure)], strict=True))
    deltas = {name: rounded(values[name] - values[baseline]) for name in systems}
    what = f"difference in {called('labels', labels, [measure])[measure]}"
    sign = 1 if higher_is_better(str(measure)) else -1
    if isinstance(system, str):
        told = f"{shown[system]} against {shown[baseline]}"
        return _bars_by_query(deltas[system], sign, scores.queries, told, what, ax)
    with drawing.axes(ax) as ax:
        counted = {name: f"{shown[name]}: {_wins_and_losses(sign * delta)}" for name, delta in deltas.items()}
        places = np.arange(1, len(scores.queries) + 1)
        plot_lines(
            ax, {name: (places, -sign * np.sort(-sign * delta)) for name, delta in deltas.items()}, counted, colors
        )
        ax.axhline(0, color="black", linewidth=0.8)
        drawing.integers(ax.xaxis)
        told = f"against {shown[baseline]}, {len(scores.queries)} queries"
        return drawing.caption(ax, told, x="queries by difference, each system's largest gain first", y=what)


def sweep(
    table: pd.DataFrame,
    parameter: str,
    *,
    names: Names = None,
    labels: Names = None,
    colors: Colours = None,
    ax: Axes | None = None,
) -> Axes:
    """Show how values change along a parameter of the measure or of a pipeline.

    Parameters
    ----------
    table : DataFrame
        A table of `evaluate_runs` with measures of a `grid`, or of ``pt.GridScan``.
    parameter : str
        A parameter of the measures, such as ``"e"`` of `RBU` or ``"cutoff"``, or the one that ``pt.GridScan`` set, such
        as ``"lambda_"``.
    names, labels : mapping, optional
        The text to show for each system or measure, by its name. Measures are named without the parameter.
    colors : mapping, optional
        The colour of each line by its name; by default, the colours go by the sorted names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A line for each system, measure with the parameter, and value of other parameters that ``pt.GridScan`` set.

    Raises
    ------
    ValueError
        If the parameter is neither a column of the table nor a parameter of one of its measures.

    Examples
    --------
    >>> table = pd.DataFrame({"name": ["x", "y"], "RBU@5": [0.5, 0.4], "RBU(e=0.05)@5": [0.3, 0.35]})
    >>> ax = sweep(table, "e")
    >>> [line.get_xdata().tolist() for line in ax.get_lines()]
    [[0.001, 0.05], [0.001, 0.05]]
    """
    columns = [re.sub(r"^tran_\d+_", "", str(name)) for name in table]
    rows = pd.DataFrame(table.set_axis(columns, axis=1))
    settings: dict[str, tuple[Any, str]] = {}
    for name in columns:
        with suppress(ValueError, KeyError):  # of other columns, and of measures without the parameter
            settings[name] = (None, str(parse(name))) if parameter in columns else _setting(parse(name), parameter)
    if not settings:
        raise ValueError(
            f"sweep: {parameter!r} is neither a column of the table nor a parameter of its measures; "
            f"found: {', '.join(columns)}."
        )
    systems = called("names", names, rows.get("name", ()))
    measures = called("labels", labels, dict.fromkeys(what for _, what in settings.values()))
    others = [name for name in columns if name not in {*settings, parameter} and not re.fullmatch(r"tran_\d+", name)]
    parts = [name for name in others if len(rows[name].unique()) > 1]
    points: dict[str, list[tuple[Any, float]]] = {}
    for row in rows.to_dict("records"):
        told = [systems[row[name]] if name == "name" else f"{name}={row[name]}" for name in parts]
        for name, (value, what) in settings.items():
            line = ", ".join([*told, *[measures[what]] * (len(measures) > 1)])
            points.setdefault(line, []).append((row.get(parameter, value), row[name]))
    lines = {line: np.array(sorted(of), dtype=object).T for line, of in points.items()}
    with drawing.axes(ax) as ax:
        plot_lines(ax, lines, colours={systems.get(name, name): colour for name, colour in (colors or {}).items()})
        what = next(iter(measures.values())) if len(measures) == 1 else "value"
        return drawing.caption(ax, x=parameter, y=what)


def _setting(measure: ir_measures.Measure, parameter: str) -> tuple[Any, str]:
    """Return the value of a parameter of a measure, and the name of the measure without it."""
    declared = (implementation(measure, inside=True) or measure).SUPPORTED_PARAMS[parameter]
    others = {name: value for name, value in measure.params.items() if name != parameter}
    return measure.params.get(parameter, declared.default), str(type(measure)(**others))


def plot_lines(
    ax: Axes, lines: Mapping[str, Any], shown: Mapping[str, str] | None = None, colours: Colours = None
) -> None:
    """Plot lines of x and y by their names, with a few markers on long lines, and a legend.

    The legend has the names as they are ``shown``. A line without a name is alone, and needs none.
    """
    looks = drawing.looks(lines, colours)
    for i, (name, (x, y)) in enumerate(lines.items()):
        step, text = max(1, len(x) // 8), shown[name] if shown else name
        every, size = (i * step // 3 % step, step), drawing.scaled(5)
        ax.plot(x, y, markersize=size, markevery=every, label=text, **looks[name])
    if "" not in lines:
        drawing.legend(ax, *ax.get_legend_handles_labels())


def _wins_and_losses(delta: np.ndarray) -> str:
    """Return on how many queries a system is better, and on how many it is worse."""
    counts = {"better": (delta > 0).sum(), "equal": (delta == 0).sum(), "worse": (delta < 0).sum()}
    return ", ".join(f"{n} {how}" for how, n in counts.items() if n or how != "equal")


def _bars_by_query(delta: np.ndarray, sign: int, queries: list[str], told: str, what: str, ax: Axes | None) -> Axes:
    """Draw a bar for each query, the largest gain first, and a line at the mean. Losses have the other ``sign``."""
    order = np.argsort(-sign * delta, kind="stable")
    with drawing.axes(ax, float(np.clip(drawing.scaled(LINE) * len(order), 4.8, 16))) as ax:
        ax.bar(range(len(order)), delta[order], color=np.where(sign * delta[order] < 0, COLOURS[1], COLOURS[0]))
        ax.axhline(delta.mean(), color="black", linestyle="--", linewidth=1)
        ax.text(1.005, delta.mean(), "mean", va="center", size=drawing.scaled(9), transform=ax.get_yaxis_transform())
        ax.axhline(0, color="black", linewidth=0.8)
        # Every query is named if there is room, otherwise every few.
        step = -(-len(order) // max(1, int(1.01 * drawing.size_of(ax)[0] / drawing.scaled(LINE))))
        names = [queries[at] for at in order[::step]]
        ax.set_xticks(range(0, len(order), step), names, rotation=90, fontsize=drawing.scaled(8))
        ax.set_xlim(-0.8, len(order) - 0.2)
        part = f" (every {step}th is named)" if step > 1 else ""
        title = f"{told}: {_wins_and_losses(sign * delta)}, mean {delta.mean():+.3f}"
        return drawing.caption(ax, title, x=f"query, the largest gain first{part}", y=what)
