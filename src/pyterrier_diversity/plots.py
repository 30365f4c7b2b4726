"""Pictures of what the measures see, and of how they compare.

They need matplotlib: ``pip install 'pyterrier-diversity[plots]'``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import fill, shorten
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np
import pandas as pd

from .arithmetic import divide
from .evaluate import DiversityEvaluator
from .judged import Ranked, Run, judge, to_frame
from .measures import Coverage
from .measures.parse import read_measure
from .meta.scores import differences, read_scores
from .parameters import CUTOFF, checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# On a cell of a darker shade than this, black is hard to read.
_DARK = 0.6


def coverage(
    run: Any,
    qrels: pd.DataFrame,
    query_id: str,
    *,
    cutoff: int = 10,
    intents: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Show which intents of a query a run covers at which rank, darker for a higher label.

    Parameters
    ----------
    run : DataFrame
        Results with ``qid``, ``docno``, ``score``.
    qrels : DataFrame
        Qrels with ``qid``, ``docno``, ``label``, ``iteration``.
    query_id : str
        The query to show.
    cutoff : int
        Last rank to show.
    intents : mapping of str to str, optional
        What to write for each intent's id; the id itself if omitted.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A row for each intent that has a relevant document, with its weight, and a column for each rank.

    Raises
    ------
    ValueError
        If the qrels have no relevant document for the query.
    """
    frame = to_frame(qrels, ("query_id",), "qrels")
    judgements = judge(frame[frame["query_id"].astype(str) == query_id])
    if not len(judgements.intents.ids):
        raise ValueError(f"The qrels have no relevant document for query {query_id!r}.")
    ranked = Ranked(Run(run).retrieve(judgements)).down_to(cutoff)
    labels = np.zeros((len(judgements.intents.ids), cutoff))
    labels[ranked.intent, ranked.rank.astype(np.intp) - 1] = ranked.label
    names = {} if intents is None else dict(intents)
    weighted = zip(judgements.intents.ids, judgements.weights, strict=True)
    ticks = [f"{names.get(name, name)} ({weight:.2f})" for name, weight in weighted]
    return _labels_by_rank(labels, judgements.intents.max_label.max(), ticks, ax)


def explain(
    explained: pd.DataFrame,
    query_id: str | None = None,
    *,
    cutoff: int = 10,
    intents: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Show why a ranking scored what it scored: its intents by rank, and the value of the measure down to each rank.

    Two systems side by side: ``plt.subplots(1, 2)``, and one of the axes for each.

    Parameters
    ----------
    explained : DataFrame
        What `transformers.Explain` returns.
    query_id : str, optional
        The query to show; needed if there are several in the frame.
    cutoff : int
        Last rank to show.
    intents : mapping of str to str, optional
        What to write for each intent's id; the id itself if omitted.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A row for each intent and a column for each rank, darker for a higher grade, with a dot where the intent is new;
        ranks are marked ``?`` if the document is unjudged, and ``=`` if a tie decided its place. The line, on an axis
        of its own from 0 to 1 or as far as values go, is the value of the ranking down to each rank.

    Raises
    ------
    ValueError
        If the frame has no rows or lacks a column, or the query is not in it, or is to be named, or has no intents.
    """
    cutoff = checked("explain", CUTOFF, cutoff=cutoff)["cutoff"]
    columns = ("qid", "position", "intents", "new_intents", "unmet_intents", "judged", "tied", "measure", "value")
    frame = _readable("explain", explained, *columns).astype({"qid": str})
    shown = _query_to_show("explain", frame, query_id)
    rows = frame[frame["qid"] == shown].sort_values("position")
    rows = rows[rows["position"] <= cutoff]
    if rows.empty:
        raise ValueError(f"explain: the frame has no query {shown!r} down to rank {cutoff}.")
    known = sorted({*rows["unmet_intents"].iloc[0], *(name for grades in rows["intents"] for name in grades)})
    if not known:
        raise ValueError(f"explain: query {shown!r} has no intent with a relevant document.")
    labels = np.array([[grades.get(name, 0) for grades in rows["intents"]] for name in known], dtype=np.float64)
    names = {} if intents is None else dict(intents)
    ax = _labels_by_rank(labels, labels.max(), [str(names.get(name, name)) for name in known], ax)
    places = range(1, len(rows) + 1)
    for place, new in zip(places, rows["new_intents"], strict=True):
        ax.plot([place] * len(new), [known.index(name) for name in new], "o", color="white", markersize=4)
    marks = [("" if judged else "?") + ("=" if tied else "") for judged, tied in rows[["judged", "tied"]].to_numpy()]
    ax.set_xticks(places, [f"{at}\n{mark}".rstrip() for at, mark in zip(rows["position"], marks, strict=True)])
    values = ax.twinx()
    values.plot(places, rows["value"], color="C1", marker=".")
    values.set_ylim(min(0.0, rows["value"].min()) - 0.02, max(1.0, rows["value"].max()) + 0.02)
    values.set_ylabel(rows["measure"].iloc[0], color="C1")
    return ax


def _labels_by_rank(labels: np.ndarray, highest: float, names: list[str], ax: Axes | None) -> Axes:
    """Show labels of shape (intents, ranks), darker the higher, with the names of the intents."""
    ax = _new_axes() if ax is None else ax
    n_intents, depth = labels.shape
    ax.pcolormesh(
        np.arange(0.5, depth + 1),
        np.arange(n_intents + 1) - 0.5,
        labels,
        cmap="Blues",
        vmin=0,
        vmax=max(highest, 1),
        edgecolors="white",
        linewidth=2,
    )
    ax.set_yticks(range(n_intents), names)
    ax.set_xticks(range(1, depth + 1))
    ax.set_ylim(n_intents - 0.5, -0.5)
    ax.set_xlabel("rank")
    return ax


def intent_coverage(
    runs: Any,
    qrels: pd.DataFrame,
    *,
    measure: ir_measures.Measure | str = Coverage,
    cutoff: int = 20,
    ax: Axes | None = None,
) -> Axes:
    """Show how much of a query's intents runs cover down to each rank: a measure at each cutoff.

    Parameters
    ----------
    runs : DataFrame, or mapping of str to runs
        Results with ``qid``, ``docno``, ``score``: of one system, or of each by its name.
    qrels : DataFrame
        Qrels with ``qid``, ``docno``, ``label``, ``iteration``.
    measure : Measure or str
        The measure without its cutoff: `Coverage`, which weighs intents and counts those that no document is relevant
        to, or another one such as `StRecall`.
    cutoff : int
        Last rank to show.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A line for each system. Queries that it has no ranking for, and queries without relevant documents, count as 0.

    Raises
    ------
    ValueError
        If there is no run, the qrels have no relevant document, or the measure has no cutoffs down to this one.
    """
    cutoff = checked("intent_coverage", CUTOFF, cutoff=cutoff)["cutoff"]
    if not len(judge(qrels).intents.ids):
        raise ValueError("The qrels have no relevant document.")
    named = isinstance(runs, Mapping)
    if named and not runs:
        raise ValueError("intent_coverage: runs must not be empty.")
    measure = read_measure("intent_coverage", measure)
    at_ranks = [measure @ rank for rank in range(1, cutoff + 1)]
    evaluator = DiversityEvaluator(at_ranks, qrels)
    ax = _new_axes() if ax is None else ax
    for i, (name, run) in enumerate(runs.items() if named else [(None, runs)]):
        values = evaluator.calc_aggregate(run)
        ax.plot(range(1, cutoff + 1), [values[at_rank] for at_rank in at_ranks], label=name, **_style(i))
    ax.locator_params(axis="x", integer=True)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("rank")
    ax.set_ylabel(str(measure))
    if named:
        ax.legend()
    return ax


def missed_intents(missed: pd.DataFrame, query_id: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Show which systems cover which intents of a query, those that some system misses.

    Parameters
    ----------
    missed : DataFrame
        What `pyterrier_diversity.missed_intents` returns.
    query_id : str, optional
        The query to show; needed if there are several in the frame.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A row for each intent that a system misses, its text (or name) and weight before it, the weightiest on top, and
        a column for each system. A dot is a covered intent, a cross one that no judged document covers; what is missed
        and could be covered is blank.

    Raises
    ------
    ValueError
        If the frame lacks a column, or the query is not in it or is to be named.
    """
    columns = ("name", "qid", "iteration", "nugget_text", "weight", "coverable", "covered_by")
    frame = _readable("missed_intents", missed, *columns).astype({"qid": str})
    shown = _query_to_show("missed_intents", frame, query_id)
    rows = frame[frame["qid"] == shown]
    found = [*frame["name"], *(name for others in frame["covered_by"] for name in others)]
    systems = list(missed.attrs.get("systems", dict.fromkeys(found)))
    intents = rows.drop_duplicates("iteration").sort_values("weight", ascending=False, kind="stable")
    missing = rows.groupby("iteration")["name"].agg(set)
    covered = np.array([[system not in missing[name] for system in systems] for name in intents["iteration"]])
    ax = _new_axes((5 + 0.5 * len(systems), 1.8 + 0.4 * len(intents))) if ax is None else ax
    _labels_by_rank(covered.astype(np.float64), 1, _named_intents(intents), ax)
    for (row, column), is_covered in np.ndenumerate(covered):
        mark = "●" if is_covered else "" if intents["coverable"].iloc[row] else "✗"
        ax.text(column + 1, row, mark, ha="center", va="center", color="white" if is_covered else "black")
    ax.set_xticks(range(1, len(systems) + 1), systems, rotation=45, ha="right")
    ax.set_xlabel("● covered, ✗ not covered by any judged document", loc="right")
    n_intents = missed.attrs.get("intents", {}).get(shown)
    told = f": {len(intents)} of {n_intents} intents are missed" if n_intents else ""
    ax.set_title(f"query {shown}{told}", loc="right")
    return ax


def _named_intents(intents: pd.DataFrame) -> list[str]:
    """Return the text of each intent, or its name, on two lines at most, with its weight."""
    cells = zip(intents["nugget_text"], intents["iteration"], intents["weight"], strict=True)
    return [
        f"{fill(shorten(str(text or name), 78, placeholder=' ...'), 40)} ({weight:g})" for text, name, weight in cells
    ]


def _query_to_show(who: str, frame: pd.DataFrame, query_id: str | None) -> str:
    query_ids = frame["qid"].astype(str).unique()
    if query_id is None and len(query_ids) > 1:
        raise ValueError(f"{who}: query_id must name one of the {len(query_ids)} queries of the frame.")
    shown = query_ids[0] if query_id is None else str(query_id)
    if shown not in query_ids:
        raise ValueError(f"{who}: the frame has no query {shown!r}.")
    return str(shown)


def per_query_deltas(
    perquery: pd.DataFrame,
    measure: object,
    system: str | Iterable[str],
    baseline: str,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Show by how much a system is better than another on each query, the largest gain first.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them.
    measure : Measure or str
        The measure.
    system : str, or iterable of str
        The system, or several that are shown as lines.
    baseline : str
        The system that they are compared with.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A bar for each query, with its id below; of several systems a line each, whose queries are sorted by its own
        differences: the part above 0 is what `meta.risk` weighs against the part below. Values that are equal within
        1e-12 have a difference of 0.

    Raises
    ------
    ValueError
        If the frame cannot be read, or lacks the measure or a system.

    Warns
    -----
    UserWarning
        If one of the systems lacks queries, which are left out.
    """
    frame = _readable("per_query_deltas", perquery, "name", "qid", "measure", "value")
    frame = frame.astype({"name": str, "measure": str})
    frame = frame[frame["measure"] == str(measure)]
    if frame.empty:
        raise ValueError(f"per_query_deltas: the frame has no measure {measure}.")
    systems = [system] if isinstance(system, str) else list(dict.fromkeys(map(str, system)))
    if not systems:
        raise ValueError("per_query_deltas: system must name a system.")
    for name in (*systems, baseline):
        if name not in set(frame["name"]):
            there = ", ".join(frame["name"].unique())
            raise ValueError(f"per_query_deltas: the frame has no system {name!r} with {measure}; it has {there}.")
    scores = read_scores(frame[frame["name"].isin([*systems, baseline])])
    (values,) = scores.by_measure.values()
    theirs = values[scores.systems.index(baseline)]
    deltas = {name: differences(values[scores.systems.index(name)], theirs) for name in systems}
    ax = _new_axes() if ax is None else ax
    if isinstance(system, str):
        order = np.argsort(-deltas[system], kind="stable")
        ordered = deltas[system][order]
        ax.bar(range(len(order)), ordered, color=np.where(ordered < 0, "C3", "C0"))
        ax.set_xticks(range(len(order)), [scores.queries[query] for query in order], rotation=90)
        ax.set_xlabel("query")
    else:
        for i, (name, delta) in enumerate(deltas.items()):
            ax.plot(range(1, len(delta) + 1), -np.sort(-delta), label=name, **_style(i))
        ax.locator_params(axis="x", integer=True)
        ax.set_xlabel("queries by difference")
        ax.legend()
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set_ylabel(f"{measure}: {system if isinstance(system, str) else 'system'} minus {baseline}")
    return ax


def asl_curve(frame: pd.DataFrame, *, log: bool = False, ax: Axes | None = None) -> Axes:
    """Show the p-values of all pairs of systems, sorted: the lower a line, the more pairs the measure tells apart.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``rank`` (of the pair by its p-value) and ``asl`` (the achieved significance level, which
        is the p-value), as `meta.asl_curve` returns them.
    log : bool
        Whether the axis of p-values is logarithmic; p-values of 0 then lie below it.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A line for each measure.

    Raises
    ------
    ValueError
        If the frame has no rows or lacks a column.
    """
    ax = _lines(_readable("asl_curve", frame, "measure", "rank", "asl"), "measure", "rank", "asl", ax)
    ax.set_yscale("log" if log else "linear")
    ax.set_xlabel("pairs of systems by p-value")
    ax.set_ylabel("achieved significance level")
    return ax


def by_topic_set_size(frame: pd.DataFrame, *, by: str = "measure", ax: Axes | None = None) -> Axes:
    """Show how alike the systems are ordered by samples of the topics and by all of them, for each size of a sample.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``size`` and ``tau``, as `meta.topic_sampling` returns them.
    by : str
        The column that has a line for each of its values: with ``"family"``, for each family, means over its measures.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A line for each measure, or for each value of ``by``.

    Raises
    ------
    ValueError
        If the frame has no rows or lacks a column.
    """
    readable = _readable("by_topic_set_size", frame, by, "size", "tau")
    means = readable.groupby([by, "size"], sort=False)["tau"].mean().reset_index()
    ax = _lines(means, by, "size", "tau", ax, marker="o")
    ax.set_xlabel("topics")
    ax.set_ylabel("Kendall's τ with all topics")
    return ax


def confusion(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show how many documents have which labels by two judges.

    Parameters
    ----------
    frame : DataFrame
        Counts with the labels of the first judge as rows and those of the second as columns, as
        ``meta.agreement(..., table=True)`` returns them.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A cell for each two labels with its count, darker for a larger share of the first judge's label.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    frame = _readable("confusion", frame)
    counts = frame.to_numpy(dtype=np.float64)
    shares = divide(counts, counts.sum(axis=1, keepdims=True))
    ax = _new_axes() if ax is None else ax
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for (row, column), share in np.ndenumerate(shares):
        color = "white" if share > _DARK else "black"
        ax.text(column, row, f"{counts[row, column]:g}", ha="center", va="center", color=color)
    ax.set_xticks(range(frame.shape[1]), list(map(str, frame.columns)))
    ax.set_yticks(range(frame.shape[0]), list(map(str, frame.index)))
    ax.set_xlabel("label of the second judge")
    ax.set_ylabel("label of the first judge")
    return ax


def topics_needed(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show the smallest difference that so many topics find, or how many topics a difference takes.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, ``topics`` and ``delta``, as `meta.topics_needed` returns them for several ``n`` or
        ``delta``.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A line for each measure, both axes logarithmic: a difference of half the size takes about four times the topics.

    Raises
    ------
    ValueError
        If the frame has no rows or lacks a column.
    """
    readable = _readable("topics_needed", frame, "measure", "topics", "delta")
    ax = _lines(readable, "measure", "topics", "delta", ax, marker="o")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("topics")
    ax.set_ylabel("smallest difference that is found")
    return ax


def unanimity(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show the unanimity of measures.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure`` and ``unanimity``, as `meta.unanimity` returns them.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A bar for each measure, the first row on top, with its value; no bar where that is infinite or NaN.

    Raises
    ------
    ValueError
        If the frame has no rows or lacks a column.
    """
    frame = _readable("unanimity", frame, "measure", "unanimity")
    values = frame["unanimity"].to_numpy(dtype=np.float64)
    ax = _bars(frame["measure"], values, [f"{value:.2f}" for value in values], ax)
    ax.set_xlabel("unanimity")
    return ax


def discriminative_power(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show the share of the pairs of systems that measures tell apart.

    Parameters
    ----------
    frame : DataFrame
        Columns ``measure``, and ``significant`` and ``pairs``, the numbers of pairs that differ significantly and of
        all, or ``share``, as `meta.discriminative_power` returns them.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A bar for each measure, the first row on top, with its numbers of pairs if the frame has them, or its share.

    Raises
    ------
    ValueError
        If the frame has no rows or lacks a column.
    """
    counted = {"significant", "pairs"} <= set(frame)
    columns = ("significant", "pairs") if counted or "share" not in frame else ("share",)
    frame = _readable("discriminative_power", frame, "measure", *columns)
    if counted:
        values = divide(frame["significant"], frame["pairs"])
        texts = [f"{part}/{whole}" for part, whole in zip(frame["significant"], frame["pairs"], strict=True)]
    else:
        values = frame["share"].to_numpy(dtype=np.float64)
        texts = [f"{value:.1%}" for value in values]
    ax = _bars(frame["measure"], values, texts, ax)
    ax.set_xlabel("share of pairs that differ significantly")
    return ax


def tau_matrix(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Show the rank correlations of measures with each other.

    Parameters
    ----------
    frame : DataFrame
        Correlations in [-1, 1], with the same measures as rows and as columns, as
        ``meta.rank_correlation(..., matrix=True)`` returns them.
    ax : Axes, optional
        Where to draw; a new figure if omitted.

    Returns
    -------
    Axes
        A cell for each two measures, with its value; blank where there is none. Colours go from -1 to 1 if a value is
        negative, otherwise from the lowest tenth to 1, as measures of one family hardly differ on the whole scale.

    Raises
    ------
    ValueError
        If the frame has no rows, or not the same measures as rows and columns.
    """
    rows, columns = (list(map(str, names)) for names in (frame.index, frame.columns))
    if not rows or rows != columns:
        raise ValueError(
            f"tau_matrix: the frame must have the same measures as rows and columns, not {', '.join(rows) or 'none'} "
            f"and {', '.join(columns) or 'none'}."
        )
    values = frame.to_numpy(dtype=np.float64)
    ax = _new_axes() if ax is None else ax
    lowest = np.floor(10 * np.nanmin(values, initial=0.9)) / 10
    start = -1.0 if lowest < 0 else lowest
    ax.imshow(np.ma.masked_invalid(values), cmap="RdBu" if lowest < 0 else "Blues", vmin=start, vmax=1)
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            shade = abs(value) if lowest < 0 else (value - start) / (1 - start)
            color = "white" if shade > _DARK else "black"
            ax.text(column, row, f"{value:.2f}", ha="center", va="center", color=color)
    ax.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
    ax.set_yticks(range(len(rows)), rows)
    return ax


def _readable(who: str, frame: pd.DataFrame, *columns: str) -> pd.DataFrame:
    missing = [column for column in columns if column not in frame]
    if missing:
        found = ", ".join(map(str, frame.columns))
        raise ValueError(f"{who}: missing column {', '.join(missing)}; found: {found}.")
    if frame.empty:
        raise ValueError(f"{who}: the frame has no rows.")
    return frame


def _style(i: int) -> dict[str, Any]:
    """Return the look of the i-th line: ten colours, then the same ones dashed."""
    return {"color": f"C{i % 10}", "linestyle": ("-", "--", ":", "-.")[i // 10 % 4]}


def _lines(frame: pd.DataFrame, by: str, x: str, y: str, ax: Axes | None, **style: Any) -> Axes:
    ax = _new_axes() if ax is None else ax
    for i, (name, group) in enumerate(frame.groupby(by, sort=False)):
        line = group.sort_values(x, kind="stable")
        ax.plot(line[x].to_numpy(), line[y].to_numpy(), label=str(name), **_style(i), **style)
    ax.legend()
    return ax


def _bars(names: pd.Series, values: np.ndarray, texts: list[str], ax: Axes | None) -> Axes:
    ax = _new_axes() if ax is None else ax
    bars = ax.barh(range(len(values)), np.where(np.isfinite(values), values, 0.0))
    ax.bar_label(bars, texts, padding=3)
    ax.margins(x=0.15)
    ax.set_yticks(range(len(values)), [str(name) for name in names])
    ax.set_ylim(len(values) - 0.5, -0.5)
    return ax


def _new_axes(size: tuple[float, float] | None = None) -> Axes:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'pyterrier-diversity[plots]'") from error
    return plt.figure(figsize=size, layout="constrained").add_subplot()
