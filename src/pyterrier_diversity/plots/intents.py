"""Pictures of rankings by intent: which intents a run covers at which rank, and what that is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ..io import called, check_order, one_or_more_runs, qrels_as_given, texts_of, texts_of_queries
from ..judged import Judgements, Ranked, Run, given_frame, judge
from ..measures import parse
from ..measures.composite import last_rank
from ..parameters import CUTOFF, checked
from . import drawing
from .drawing import GAIN, Names
from .matrices import JUDGED_0, MANY, draw_labels, one_query

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["coverage", "explain"]

_EXPLAIN = "transformers.Explain"
_EXPLAINED = ("qid", "position", "intents", "new_intents", "unmet_intents", "judged", "tied", "measure", "value")
_UNJUDGED: dict[str, Any] = {"facecolor": "white", "edgecolor": "0.65", "hatch": "////", "linewidth": 0}
# Every picture has the same shades for the labels of TREC; larger labels need their own scale.
_HIGHEST = 4
# Panels beside each other, and the width of all of them in inches.
_MOST_PANELS, _PANELS = 5, 14.0


class _Grid(NamedTuple):
    """A ranking by intent and rank.

    ``labels`` and ``new`` have the shape (intents, ranks); ``judged`` and ``tied`` (ranks,); ``possible`` (intents,) is
    whether any judged document is relevant to an intent. ``running`` has the values of a measure by rank, and its name.
    """

    labels: np.ndarray
    new: np.ndarray
    judged: np.ndarray
    tied: np.ndarray
    possible: np.ndarray
    first_rank: int = 1
    running: pd.Series | None = None


def coverage(
    qrels: Any,
    runs: Any,
    query_id: str,
    *,
    cutoff: int = 10,
    intents: Any = None,
    names: Names = None,
    ax: Any = None,
) -> Any:
    """Show which intents of a query runs cover at which rank, darker for a higher label.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, in any form that `io.read_qrels` reads.
    runs : DataFrame, mapping of names to runs, path, or iterable of paths
        The results of one system, or of several as `io.read_runs` takes them.
    query_id : str
        The query to show.
    cutoff : int
        Last rank to show, if the ranking is that long.
    intents : mapping or DataFrame, optional
        The texts of intents, by their ids, or a frame such as ``dataset.get_topics("subtopics")``; by default those of
        the qrels (``nugget_text``), or ids.
    names : mapping, optional
        The text to show for each system, by its name.
    ax : Axes, or sequence of Axes if runs have names, optional
        Where to draw, one for each system; by default, a new figure with at most five panels beside each other.

    Returns
    -------
    Axes, or list of Axes if runs have names
        A row for each intent in the qrels, with its share of the total weight, and a column for each rank. The first
        document of an intent has a ring; unjudged documents are hatched. An intent without a relevant document is
        labelled as such.

    Raises
    ------
    ValueError
        If the cutoff is below 1, no run is given, the number of axes is wrong, or the qrels have no relevant document
        for the query.

    Examples
    --------
    >>> import pyterrier as pt
    >>> demo = pt.get_dataset("diversity:demo")
    >>> ax = coverage(demo.get_qrels(), demo.get_results("xquad"), "3")
    >>> ax.get_title()
    'query 3: crane'
    """
    cutoff = checked("coverage", CUTOFF, cutoff=cutoff)["cutoff"]
    check_order("coverage", qrels, runs, order="qrels, runs, query_id", may_be_one=True)
    qrels = qrels_as_given(qrels)
    frame = given_frame(qrels, ("query_id",), "qrels")
    judgements = judge(frame[frame["query_id"].astype(str) == query_id])
    if not len(judgements.intents.ids):
        raise ValueError(f"The qrels have no relevant document for query {query_id!r}.")
    systems, named = one_or_more_runs("coverage", runs)
    intents_of = judgements.named.take(judgements.named.weight > 0)
    texts = _texts("coverage", query_id, intents, qrels)
    grids = {name: _grid_of_run(run, judgements, intents_of.ids.tolist(), cutoff) for name, run in systems.items()}
    shares = intents_of.weight / intents_of.weight.sum()
    rows = [(texts.get(name, name), f" ({share:.2f})") for name, share in zip(intents_of.ids, shares, strict=True)]
    return _panels_of("coverage", named, grids, rows, _told_of_query(query_id, *systems.values(), qrels), names, ax)


def explain(
    explained: pd.DataFrame | Mapping[str, pd.DataFrame],
    query_id: str | None = None,
    *,
    cutoff: int | None = None,
    intents: Any = None,
    names: Names = None,
    labels: Names = None,
    ax: Any = None,
) -> Any:
    """Show why a ranking has its value: the intents of each document, and the value of the measure down to each rank.

    Parameters
    ----------
    explained : DataFrame, or mapping of str to DataFrame
        The result of `transformers.Explain`, or several by the names of the systems, with the same measure.
    query_id : str, optional
        The query to show; required if there are several.
    cutoff : int, optional
        Last rank to show; by default the measure's cutoff, or 10 if it has none.
    intents : mapping or DataFrame, optional
        The texts of intents, by their ids, or a frame such as ``dataset.get_topics("subtopics")``; by default those of
        the qrels that `transformers.Explain` had, or ids.
    names, labels : mapping, optional
        The text to show for each system or measure, by its name.
    ax : Axes, or sequence of Axes if runs have names, optional
        Where to draw, one for each system; by default, a new figure with at most five panels beside each other.

    Returns
    -------
    Axes, or list of Axes for a mapping
        A row for each intent and a column for each rank, darker for a higher label. The first document of an intent has
        a ring, unjudged documents are hatched, and ``=`` marks ranks that a tie decided. Axes above them, in
        ``child_axes`` and with the same scale for all systems, show the value of the ranking down to each rank. Their
        label says so if the measure reads more ranks than are shown.

    Raises
    ------
    ValueError
        If the cutoff is below 1, a frame has no rows or a column is missing, no system is given, the measures differ,
        or the number of axes is wrong. Also if the query is not in the frame, has no intents, or is not given although
        there are several.
    TypeError
        If ``explained`` is a list, which does not name the systems.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pyterrier_diversity import RBU
    >>> from pyterrier_diversity.transformers import Explain
    >>> demo = pt.get_dataset("diversity:demo")
    >>> why = Explain(demo.get_qrels(), RBU @ 10)
    >>> left, right = explain({name: why(demo.get_results(name)) for name in ("bm25", "xquad")}, "3")
    >>> right.get_xlabel()
    'rank'
    """
    who, named = "explain", isinstance(explained, Mapping)
    if not isinstance(explained, (pd.DataFrame, Mapping)):
        raise TypeError(
            f"{who}: give a frame, or a dict of the systems' names to frames, not {type(explained).__name__}."
        )
    cutoff = checked(who, CUTOFF, cutoff=cutoff)["cutoff"]
    frames = dict(explained) if isinstance(explained, Mapping) else {"": explained}
    shown = _rankings_to_show(who, frames, query_id, cutoff, labels)
    query = str(next(iter(shown.values()))["qid"].iloc[0])
    named_by = [of for rows in shown.values() for of in (rows["unmet_intents"].iloc[0], *rows["intents"])]
    known = sorted({name for of in named_by for name in of})
    if not known:
        raise ValueError(f"{who}: query {query!r} has no intent with a relevant document.")
    texts = next(filter(None, (_texts(who, query, intents, frame) for frame in frames.values())), {})
    grids = {name: _grid_of(rows, known) for name, rows in shown.items()}
    rows = [(texts.get(name, name), "") for name in known]
    return _panels_of(who, named, grids, rows, _told_of_query(query, *shown.values()), names, ax)


def _grid_of_run(run: Any, judgements: Judgements, named: list[str], cutoff: int) -> _Grid:
    """Return the labels of a run's documents for the one query of the judgements."""
    read = Run(run)
    ranked = Ranked.of_run(read, judgements).top(cutoff)
    docs = read.ranking(judgements.query_ids[0], cutoff)
    rows = np.array([named.index(name) for name in judgements.intents.ids], dtype=np.intp)
    labels = np.zeros((len(named), max(len(docs), 1)))
    labels[rows[ranked.intent], ranked.rank.astype(np.intp) - 1] = ranked.label
    new = (labels > 0) & (np.cumsum(labels > 0, axis=1) == 1)
    judged = np.array([doc in judgements.judged_docs[0] for doc in docs] or [True])
    return _Grid(labels, new, judged, np.zeros(len(judged), bool), np.isin(np.arange(len(named)), rows))


def _rankings_to_show(
    who: str, frames: Mapping[str, pd.DataFrame], query_id: str | None, cutoff: int | None, labels: Names
) -> dict[str, pd.DataFrame]:
    """Return the rows of one query, in order of rank, for each system, with the measure as it is called."""
    if not frames:
        raise ValueError(f"{who}: give at least one explanation.")
    strings = {
        name: drawing.readable(who, frame, _EXPLAIN, *_EXPLAINED).astype({"qid": str}) for name, frame in frames.items()
    }
    query = one_query(who, pd.concat(strings.values()), query_id)
    measures = dict.fromkeys(str(frame["measure"].iloc[0]) for frame in strings.values())
    if len(measures) > 1:
        raise ValueError(f"{who}: all systems must be explained by one measure, not by {', '.join(measures)}.")
    (measure,), last = measures, None
    with suppress(ValueError):  # the name of a measure that a user defined cannot be parsed
        last = last_rank(parse(measure))
    cutoff = cutoff or last or 10
    shown: dict[str, pd.DataFrame] = {}
    for name, frame in strings.items():
        read = frame[(frame["qid"] == query) & (frame["position"] <= (last or np.inf))].sort_values("position")
        rows = read[read["position"] <= cutoff]
        if rows.empty:
            of = f" of {name}" if name else ""
            raise ValueError(f"{who}: the frame{of} has no query {query!r} down to rank {cutoff}.")
        # The value down to an earlier rank is not the measure's value.
        part = f", first {cutoff} ranks" if len(rows) < len(read) else ""
        shown[name] = rows.assign(measure=called("labels", labels, [measure])[measure] + part)
    return shown


def _grid_of(rows: pd.DataFrame, known: list[str]) -> _Grid:
    labels = np.array([[grades.get(name, 0) for grades in rows["intents"]] for name in known], dtype=np.float64)
    new = np.array([[name in found for found in rows["new_intents"]] for name in known])
    judged, tied = (rows[column].to_numpy(dtype=bool) for column in ("judged", "tied"))
    values = pd.Series(rows["value"].to_numpy(dtype=float), rows["position"], name=rows["measure"].iloc[0])
    return _Grid(labels, new, judged, tied, np.ones(len(known), dtype=bool), int(rows["position"].iloc[0]), values)


def _texts(who: str, query_id: str, intents: Any, frame: pd.DataFrame) -> dict[str, str]:
    """Return the texts of a query's intents: those given, or those of qrels or of an explanation."""
    if intents is not None:
        return texts_of(who, intents, query_id)
    known = frame.attrs.get("texts", {}).get(query_id, {})
    return known or (texts_of(who, frame, query_id) if "nugget_text" in frame else {})


def _told_of_query(query_id: str, *frames: pd.DataFrame) -> str:
    """Return the id of a query, and its text if a frame has it."""
    text = texts_of_queries(*frames).get(query_id)
    return f"query {query_id}: {text}" if text else f"query {query_id}"


def _panels_of(
    who: str, named: bool, grids: Mapping[str, _Grid], rows: list[tuple[str, str]], told: str, names: Names, ax: Any
) -> Any:
    """Draw a panel for each system, with the values above it. Return one panel if the system is not named.

    ``rows`` has the texts of the intents, and what is behind each text.
    """
    given = ax if named or ax is None else [ax]
    if given is not None and len(given) != len(grids):
        raise ValueError(f"{who}: ax must have one Axes object for each system, not {len(given)} for {len(grids)}.")
    n_rows = -(-len(grids) // _MOST_PANELS) if given is None else 1
    n_columns = -(-len(grids) // n_rows)
    depth = max(grid.labels.shape[1] for grid in grids.values())
    width = max(float(np.clip(_PANELS / n_columns - 0.5, 0, 4.2)), min(8.0, 0.16 * depth))
    values = [grid.running for grid in grids.values() if grid.running is not None]
    limits = np.nanmin(np.hstack([0.0, *values])), np.nanmax(np.hstack([1.0, *values]))
    # The values above take some of the room.
    most = (1 / n_rows - 0.1 if given is None else 0.6) if values else 1 / n_rows
    texts, height = drawing.in_rows(rows, None if given is None else given[0], most=most)
    highest = max(_HIGHEST, *(grid.labels.max() for grid in grids.values()))
    last = max(grid.first_rank + grid.labels.shape[1] for grid in grids.values()) - 0.5
    systems = called("names", names, grids)
    with drawing.panels(given, len(grids), n_columns, width, height) as panels:
        for place, (panel, (system, grid)) in enumerate(zip(panels, grids.items(), strict=True)):
            above = 0.9 if given is None else min(0.9, 0.3 * drawing.size_of(panel)[1])
            inner = [panel] if grid.running is None else [panel, _draw_values(panel, grid.running, limits, above)]
            draw_labels(panel, grid.labels, highest, texts, height, grid.first_rank)
            _draw_marks(panel, grid)
            panel.set_xlim(right=last)
            drawing.tell(panel, systems[system], "" if given is None and len(grids) > 1 else told, x="rank")
            for beside in inner if given is None and place % n_columns else ():
                beside.set_ylabel("")
                beside.tick_params(labelleft=False)
        _key(panels[n_columns - 1], grids.values())
        if given is None and len(grids) > 1:
            drawing.figure_of(panels[0]).suptitle(
                drawing.fitted(told, int(10 * width * n_columns / drawing.scaled(1))), fontsize=drawing.scaled(10)
            )
    return list(panels) if named else panels[0]


def _draw_values(panel: Axes, values: pd.Series, limits: tuple[float, float], height: float) -> Axes:
    """Draw the value down to each rank and write the last one, in axes between the panel and its title."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    top: Any = panel.transAxes
    inches = drawing.figure_of(panel).dpi_scale_trans + ScaledTranslation(0, 1, top)
    ax = panel.inset_axes((0, 0.1, 1, height), transform=blended_transform_factory(top, inches), sharex=panel)
    margin, last = 0.08 * (limits[1] - limits[0]), values.iloc[-1]
    ax.axhline(0, color="0.6", linewidth=0.8)
    ax.plot(values, color=GAIN, marker="." if len(values) <= 30 else None, label=values.name)
    ax.text(1.01, last, f"{last:.3f}", va="center", size=drawing.scaled(9), transform=ax.get_yaxis_transform())
    ax.set_ylim(limits[0] - margin, limits[1] + 2 * margin)
    ax.set_ylabel(drawing.fitted(values.name, 20), fontsize=drawing.scaled(9), rotation=0, ha="right", va="center")
    ax.tick_params(labelbottom=False, labelsize=drawing.scaled(8))
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _draw_marks(ax: Axes, grid: _Grid) -> None:
    """Mark unjudged documents, new intents, ties, and the intents that no judged document is relevant to."""
    (n_intents, depth), start = grid.labels.shape, grid.first_rank
    ax.bar(start + np.flatnonzero(~grid.judged), n_intents, 1, -0.5, **_UNJUDGED)
    rows, places = np.nonzero(grid.new)
    size = 3.5 if depth > MANY else 7
    ax.plot(places + start, rows, "o", color="white", markeredgecolor="black", markersize=size, label="_new")
    for row in np.flatnonzero(~grid.possible).tolist():
        middle = start + (depth - 1) / 2
        said = "no judged document is relevant"
        ax.text(middle, row, said, ha="center", va="center", size=drawing.scaled(8), style="italic")
    for place in np.flatnonzero(grid.tied).tolist():
        ax.text(
            place + start, n_intents - 0.3, "=", ha="center", va="center", size=drawing.scaled(6 if depth > MANY else 9)
        )
    ax.set_ylim(n_intents - (0.1 if grid.tied.any() else 0.5), -0.5)
    drawing.integers(ax.xaxis)


def _key(ax: Axes, grids: Iterable[_Grid]) -> None:
    """Add a legend of the shades and marks that occur."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    mesh = ax.collections[0]
    labels, new, judged, tied = (np.hstack(parts) for parts in [*zip(*grids, strict=True)][:4])
    shades = np.unique(labels[labels > 0])
    shades = shades[np.linspace(0, len(shades) - 1, min(5, len(shades))).astype(int)]
    look: dict[str, Any] = {"linestyle": "", "markeredgecolor": "black", "markersize": 6}
    marks: list[tuple[Any, str, Any]] = [
        (((labels == 0) & judged).any(), "label 0 or none", Patch(facecolor=JUDGED_0, edgecolor="0.8")),
        *((True, f"label {label:g}", Patch(facecolor=mesh.cmap(mesh.norm(label)))) for label in shades),
        (not judged.all(), "unjudged", Patch(**_UNJUDGED)),
        (new.any(), "new intent", Line2D([], [], marker="o", color="white", **look)),
        (tied.any(), "tied score", Line2D([], [], marker="$=$", color="black", **look)),
    ]
    drawing.legend(ax, [mark for occurs, _, mark in marks if occurs], [name for occurs, name, _ in marks if occurs])
