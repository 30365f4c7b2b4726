"""Pictures of rankings by intent: which intents a run covers at which rank, and which it misses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import pandas as pd

from ..judged import Ranked, Run, judge, to_frame
from ..measures import parse
from ..measures.composite import last_rank
from ..parameters import CUTOFF, checked
from .drawing import GAIN, characters_in, figure_of, fitted, new_axes, new_panels, rank_ticks, readable, size_of, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

_JUDGED_0 = "#eef1f4"
_UNJUDGED: dict[str, Any] = {"facecolor": "white", "edgecolor": "0.65", "hatch": "////", "linewidth": 0}
# Every picture has the same shades for the labels of TREC; larger labels need their own scale.
_HIGHEST = 4
# The order of the legend.
_KINDS = ("label", "judged,", "unjudged", "new", "tied")
_EXPLAIN = "transformers.Explain"
_EXPLAINED = ("qid", "position", "intents", "new_intents", "unmet_intents", "judged", "tied", "measure", "value")


class _Grid(NamedTuple):
    """A ranking by intent and rank.

    ``labels`` and ``new`` have the shape (intents, ranks); ``judged`` and ``tied`` (ranks,); ``possible`` (intents,) is
    whether any judged document is relevant to an intent.
    """

    labels: np.ndarray
    new: np.ndarray
    judged: np.ndarray
    tied: np.ndarray
    possible: np.ndarray
    first_rank: int


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
        Last rank to show, if the ranking is that long.
    intents : mapping of str to str, optional
        The text of each intent, of any length; by default its id.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A row for each intent in the qrels, with its share of the total weight, and a column for each rank. The first
        document of an intent has a ring; unjudged documents are hatched. An intent without a relevant document says so.

    Raises
    ------
    ValueError
        If the cutoff is below 1, or the qrels have no relevant document for the query.

    Examples
    --------
    >>> import pyterrier as pt
    >>> demo = pt.get_dataset("diversity:demo")
    >>> ax = coverage(demo.get_results("xquad"), demo.get_qrels(), "3")
    >>> ax.get_title()
    'query 3: crane'
    """
    cutoff = checked("coverage", CUTOFF, cutoff=cutoff)["cutoff"]
    frame = to_frame(qrels, ("query_id",), "qrels")
    judgements = judge(frame[frame["query_id"].astype(str) == query_id])
    if not len(judgements.intents.ids):
        raise ValueError(f"The qrels have no relevant document for query {query_id!r}.")
    named = judgements.named.take(judgements.named.weight > 0)
    read = Run(run)
    ranked = Ranked(read.retrieve(judgements)).down_to(cutoff)
    docs = read.ranking(query_id, cutoff)
    row_of = {name: row for row, name in enumerate(named.ids)}
    rows = np.array([row_of[name] for name in judgements.intents.ids], dtype=np.intp)
    labels = np.zeros((len(named.ids), max(len(docs), 1)))
    labels[rows[ranked.intent], ranked.rank.astype(np.intp) - 1] = ranked.label
    possible = np.isin(np.arange(len(labels)), rows)
    judged = np.array([doc in judgements.judged_docs[0] for doc in docs] or [True])
    grid = _Grid(labels, _first_of_rows(labels), judged, np.zeros(len(judged), bool), possible, 1)
    ax = new_axes(_size(1, labels.shape)) if ax is None else ax
    names = {} if intents is None else dict(intents)
    shares = named.weight / named.weight.sum()
    texts = [_text(names, name) for name in named.ids]
    highest = max(_HIGHEST, judgements.intents.max_label.max())
    _draw(ax, grid, highest, texts, [f" ({share:.2f})" for share in shares])
    _key(ax, [grid])
    title(ax, _told_of_query(query_id, run if isinstance(run, pd.DataFrame) else pd.DataFrame()))
    return ax


@overload
def explain(
    explained: pd.DataFrame,
    query_id: str | None = None,
    *,
    cutoff: int | None = None,
    intents: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes: ...


@overload
def explain(
    explained: Mapping[str, pd.DataFrame],
    query_id: str | None = None,
    *,
    cutoff: int | None = None,
    intents: Mapping[str, str] | None = None,
    ax: Sequence[Axes] | None = None,
) -> list[Axes]: ...


def explain(
    explained: pd.DataFrame | Mapping[str, pd.DataFrame],
    query_id: str | None = None,
    *,
    cutoff: int | None = None,
    intents: Mapping[str, str] | None = None,
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
    intents : mapping of str to str, optional
        The text of each intent, of any length; by default its id.
    ax : Axes, or sequence of Axes for a mapping, optional
        Where to draw, one for each system; by default, a new figure.

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
        If the cutoff is below 1, a frame has no rows or a column is missing, there is no system, the measures differ,
        or the number of axes is wrong. Also if the query is not in the frame, has no intents, or is not given although
        there are several.

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
    who = "explain"
    if cutoff is not None:
        cutoff = checked(who, CUTOFF, cutoff=cutoff)["cutoff"]
    frames = dict(explained) if isinstance(explained, Mapping) else {"": explained}
    several = isinstance(explained, Mapping)
    shown = _rankings_to_show(who, frames, query_id, cutoff)
    known = sorted({name for rows in shown.values() for name in _intents_of(rows)})
    if not known:
        query = next(iter(shown.values()))["qid"].iloc[0]
        raise ValueError(f"{who}: query {query!r} has no intent with a relevant document.")
    names = {} if intents is None else dict(intents)
    grids = [_grid_of(rows, known) for rows in shown.values()]
    given = ax if several else [ax]
    shape = len(known), max(grid.labels.shape[1] for grid in grids)
    panels = new_panels(len(shown), _size(len(shown), shape, 1.2)) if ax is None else list(given)
    if len(panels) != len(shown):
        raise ValueError(f"{who}: ax must have one Axes object for each system, not {len(panels)} for {len(shown)}.")
    highest = max(_HIGHEST, *(grid.labels.max() for grid in grids))
    values = np.concatenate([rows["value"].to_numpy(dtype=float) for rows in shown.values()])
    limits = float(np.nanmin(values, initial=0.0)), float(np.nanmax(values, initial=1.0))
    for i, (panel, grid, (system, rows)) in enumerate(zip(panels, grids, shown.items(), strict=True)):
        above = _above(panel)
        _draw(panel, grid, highest, [_text(names, name) for name in known])
        _draw_values(above, rows, limits, _height_above(panel))
        title(panel, system, _told_of_query(rows["qid"].iloc[0], rows))
        if i and ax is None:
            panel.tick_params(labelleft=False)
            above.set_ylabel("")
            above.tick_params(labelleft=False)
    _key(panels[0], grids)
    return panels if several else panels[0]


def _rankings_to_show(
    who: str, frames: Mapping[str, pd.DataFrame], query_id: str | None, cutoff: int | None
) -> dict[str, pd.DataFrame]:
    """Return the rows of one query, in order of rank, for each system."""
    if not frames:
        raise ValueError(f"{who}: give at least one explanation.")
    strings = {name: readable(who, frame, _EXPLAIN, *_EXPLAINED).astype({"qid": str}) for name, frame in frames.items()}
    query = _query_to_show(who, pd.concat(strings.values()), query_id)
    measures = list(dict.fromkeys(frame["measure"].iloc[0] for frame in strings.values()))
    if len(measures) > 1:
        raise ValueError(f"{who}: all systems must be explained by one measure, not by {', '.join(measures)}.")
    last = _last_rank(measures[0])
    cutoff = cutoff or last or 10
    shown = {}
    for name, frame in strings.items():
        read = frame[(frame["qid"] == query) & (frame["position"] <= (last or np.inf))].sort_values("position")
        rows = read[read["position"] <= cutoff]
        if rows.empty:
            of = f" of {name}" if name else ""
            raise ValueError(f"{who}: the frame{of} has no query {query!r} down to rank {cutoff}.")
        # The value down to an earlier rank is not the measure's value.
        part = f", first {cutoff} ranks" if len(rows) < len(read) else ""
        shown[name] = rows.assign(measure=rows["measure"] + part)
    return shown


def _last_rank(measure: str) -> int | None:
    """Return the last rank that a measure reads; None for all ranks, or for a measure that a user defined."""
    try:
        return last_rank(parse(measure))
    except ValueError:  # its name cannot be parsed
        return None


def _intents_of(rows: pd.DataFrame) -> set[str]:
    return {*rows["unmet_intents"].iloc[0], *(name for grades in rows["intents"] for name in grades)}


def _grid_of(rows: pd.DataFrame, known: list[str]) -> _Grid:
    labels = np.array([[grades.get(name, 0) for grades in rows["intents"]] for name in known], dtype=np.float64)
    new = np.array([[name in found for found in rows["new_intents"]] for name in known])
    judged, tied = (rows[column].to_numpy(dtype=bool) for column in ("judged", "tied"))
    return _Grid(labels, new, judged, tied, np.ones(len(known), dtype=bool), int(rows["position"].iloc[0]))


def _first_of_rows(labels: np.ndarray) -> np.ndarray:
    return (labels > 0) & (np.cumsum(labels > 0, axis=1) == 1)


def _size(n_panels: int, shape: tuple[int, ...], values: float = 0.0) -> tuple[float, float]:
    """Return width and height of a figure in inches: wider for many ranks, so that they can be told apart."""
    n_intents, n_ranks = shape
    width = np.clip(0.16 * n_ranks, 4.2, 8)
    return 2.2 + float(width) * n_panels, 1.7 + values + 0.38 * max(n_intents, 2)


def _told_of_query(query_id: str, rows: pd.DataFrame) -> str:
    """Return the id of a query, and its text if rows of the query, or of several, have it."""
    found = (
        rows.loc[rows["qid"].astype(str) == query_id, "query"].head(1).tolist() if {"qid", "query"} <= {*rows} else []
    )
    return f"query {query_id}" + "".join(f": {text}" for text in found if text)


def _text(names: Mapping[str, str], name: str) -> str:
    return str(names.get(name, name))


def _above(ax: Axes) -> Axes:
    """Return new axes between those for the ranks, which they share, and their title."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    # A height in inches, which the layout makes room for.
    top: Any = ax.transAxes
    inches = figure_of(ax).dpi_scale_trans + ScaledTranslation(0, 1, top)
    return ax.inset_axes(
        (0, 0.1, 1, _height_above(ax)), transform=blended_transform_factory(ax.transAxes, inches), sharex=ax
    )


def _height_above(ax: Axes) -> float:
    """Return the height of the values above the ranks, in inches."""
    return min(0.9, 0.3 * size_of(ax)[1])


def _draw_values(ax: Axes, rows: pd.DataFrame, limits: tuple[float, float], height: float) -> None:
    """Draw the value down to each rank, and write the last one, in axes of a height in inches."""
    values, ranks = rows["value"].to_numpy(dtype=float), rows["position"].to_numpy()
    margin = 0.08 * (limits[1] - limits[0])
    ax.axhline(0, color="0.6", linewidth=0.8)
    ax.plot(ranks, values, color=GAIN, marker="." if len(values) <= 30 else None, label=rows["measure"].iloc[0])
    ax.text(1.01, values[-1], f"{values[-1]:.3f}", va="center", size=9, transform=ax.get_yaxis_transform())
    ax.set_ylim(limits[0] - margin, limits[1] + 2 * margin)
    text = fitted(rows["measure"].iloc[0], 16, 3)
    room = 72 * height / (0.6 * max(map(len, text.splitlines())))
    ax.set_ylabel(text, fontsize=min(9.0, max(5.0, room)))
    ax.tick_params(labelbottom=False)
    ax.spines[["top", "right"]].set_visible(False)


def _shades() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    # The lowest label is far from 0, in grey as well.
    shades = [(0.0, _JUDGED_0), (1e-6, "#b9d6ee"), (0.25, "#92c0e2"), (0.5, "#4a90c4"), (1.0, "#08306b")]
    return LinearSegmentedColormap.from_list("labels", shades, N=1024)


def _draw(ax: Axes, grid: _Grid, highest: float, names: list[str], weights: list[str] | None = None) -> None:
    """Draw labels by intent and rank, darker the higher, with the names of the intents and their weights."""
    n_intents, depth = grid.labels.shape
    start = grid.first_rank
    column = 72 * 0.6 * size_of(ax)[0] / depth
    ax.pcolormesh(
        np.arange(depth + 1) + start - 0.5,
        np.arange(n_intents + 1) - 0.5,
        grid.labels,
        cmap=_shades(),
        vmin=0,
        vmax=highest,
        edgecolors="white",
        linewidth=min(2.0, 0.12 * column),
    )
    ax.bar(start + np.flatnonzero(~grid.judged), n_intents, 1, -0.5, **_UNJUDGED)
    rows, places = np.nonzero(grid.new)
    size = min(7.0, max(2.5, 0.55 * column))
    ax.plot(places + start, rows, "o", color="white", markeredgecolor="black", markersize=size, label="_new")
    for row in np.flatnonzero(~grid.possible).tolist():
        middle = start + (depth - 1) / 2
        ax.text(middle, row, "no judged document is relevant", ha="center", va="center", size=8, style="italic")
    for place in np.flatnonzero(grid.tied).tolist():
        ax.text(place + start, n_intents - 0.3, "=", ha="center", va="center", size=min(9.0, 0.9 * column))
    ax.set_ylim(n_intents - (0.1 if grid.tied.any() else 0.5), -0.5)
    # A panel that shares its ranks with longer ones leaves them room.
    shared = [other for other in ax.get_shared_x_axes().get_siblings(ax) if other is not ax and other.has_data()]
    last = max([start + depth - 1, *(int(other.get_xlim()[1]) for other in shared)])
    ax.set_xlim(start - 0.5, last + 0.5)
    rank_ticks(ax, start, last)
    ax.set_xlabel("rank")
    ax.spines[:].set_visible(False)
    _name_rows(ax, names, weights or [""] * n_intents)


def _name_rows(ax: Axes, names: list[str], weights: list[str]) -> None:
    """Write the names of intents, as long and as large as fits, and their weights."""
    width, height = size_of(ax)
    # Names take up at most a third of the picture, so that there is room for the ranks.
    characters = min(32, characters_in(0.3 * figure_of(ax).get_figwidth()), characters_in(0.52 * width))
    # Besides the rows there are the title, the values, the numbers of the ranks and the key.
    row = (height - 0.6 - (_height_above(ax) if ax.child_axes else 0)) / abs(np.subtract(*ax.get_ylim()))
    lines = min(3, max(1, round(row / 0.16)))
    texts = [fitted(name, characters, lines) for name in names]
    size = min(9.0, max(5.0, 72 * row / (1.25 * lines)))
    ax.set_yticks(range(len(names)), [*map(add, texts, weights)], fontsize=size)
    ax.tick_params(axis="y", length=0)


def _key(ax: Axes, grids: list[_Grid]) -> None:
    """Add a legend of the shades and marks, once for all panels, below the figure."""
    handles = _handles(ax, grids)
    figure = figure_of(ax)
    if figure.get_layout_engine() is None:
        width = size_of(ax)[0]
        ax.legend(**_legend(handles, width), loc="upper center", bbox_to_anchor=(0.5, -0.6 / size_of(ax)[1]))
        return
    scale = f"labels up to {ax.collections[0].norm.vmax:g}"
    for other in figure.legends:
        # Panels of one scale have one key.
        if other.get_gid() == scale:
            handles = list({handle.get_label(): handle for handle in [*handles, *other.legend_handles]}.values())
            other.remove()
    handles.sort(key=lambda handle: (_KINDS.index(handle.get_label().split()[0]), handle.get_label()))
    figure.legend(**_legend(handles, figure.get_figwidth()), loc="outside lower center").set_gid(scale)


def _legend(handles: list[Any], width: float) -> dict[str, Any]:
    """Return how a legend of a width in inches looks, with rows of one length."""
    rows = -(-len(handles) // max(1, int(width / 1.2)))
    return {"handles": handles, "ncols": -(-len(handles) // rows), "fontsize": 8, "frameon": False}


def _handles(ax: Axes, grids: list[_Grid]) -> list[Any]:
    """Return the shades and marks that occur."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    mesh = ax.collections[0]
    labels = np.unique(np.concatenate([grid.labels.ravel() for grid in grids]))
    labels = labels[labels > 0]
    if len(labels) > 5:
        labels = labels[np.linspace(0, len(labels) - 1, 5).astype(int)]
    handles: list[Any] = [Patch(facecolor=mesh.cmap(mesh.norm(label)), label=f"label {label:g}") for label in labels]
    if any(((grid.labels == 0) & grid.judged).any() for grid in grids):
        handles.append(Patch(facecolor=_JUDGED_0, edgecolor="0.8", label="label 0 or none"))
    if any(not grid.judged.all() for grid in grids):
        handles.append(Patch(**_UNJUDGED, label="unjudged"))
    if any(grid.new.any() for grid in grids):
        handles.append(_mark(Line2D, "o", "new intent", "white"))
    if any(grid.tied.any() for grid in grids):
        handles.append(_mark(Line2D, "$=$", "tied score", "black"))
    return handles


def _mark(line: Any, marker: str, label: str, color: str) -> Any:
    return line([], [], linestyle="", marker=marker, color=color, markeredgecolor="black", markersize=6, label=label)


def missed_intents(missed: pd.DataFrame, query_id: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Show the intents of a query that some system misses, and which systems cover them.

    Parameters
    ----------
    missed : DataFrame
        The result of `pyterrier_diversity.missed_intents`.
    query_id : str, optional
        The query to show; required if there are several in the frame.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A column for each system, and a row for each intent that a system misses, with its text (or name) and weight,
        the largest weight on top. A dot means covered, a cross means that no judged document covers the intent, and a
        blank cell means missed although it could be covered.

    Raises
    ------
    ValueError
        If a column is missing, no system misses an intent of the query, or there are several queries and none is given.
    """
    columns = ("name", "qid", "iteration", "nugget_text", "weight", "coverable", "covered_by")
    source = "pyterrier_diversity.missed_intents"
    frame = readable("missed_intents", missed, source, *columns).astype({"qid": str})
    known = missed.attrs.get("intents", {})
    if query_id is not None and str(query_id) in known and str(query_id) not in set(frame["qid"]):
        raise ValueError(f"missed_intents: no system misses an intent of query {query_id!r}; show another query.")
    shown = _query_to_show("missed_intents", frame, query_id)
    rows = frame[frame["qid"] == shown]
    found = [*frame["name"], *(name for others in frame["covered_by"] for name in others)]
    systems = list(missed.attrs.get("systems", dict.fromkeys(found)))
    intents = rows.drop_duplicates("iteration").sort_values("weight", ascending=False, kind="stable")
    missing = rows.groupby("iteration")["name"].agg(set)
    covered = np.array([[system not in missing[name] for system in systems] for name in intents["iteration"]])
    ax = new_axes((3.6 + 0.6 * len(systems), 1.8 + 0.4 * len(intents))) if ax is None else ax
    judged, possible = np.ones(len(systems), dtype=bool), np.ones(len(intents), dtype=bool)
    grid = _Grid(covered.astype(float), np.zeros(covered.shape, dtype=bool), judged, ~judged, possible, 1)
    texts = [str(text or name) for text, name in intents[["nugget_text", "iteration"]].to_numpy()]
    _draw(ax, grid, 1, texts, [f" ({round(weight, 2):g})" for weight in intents["weight"]])
    for (row, column), is_covered in np.ndenumerate(covered):
        mark = "●" if is_covered else "" if intents["coverable"].iloc[row] else "✗"
        ax.text(column + 1, row, mark, ha="center", va="center", color="white" if is_covered else "black")
    ax.set_xticks(
        range(1, len(systems) + 1),
        [fitted(name, 20) for name in systems],
        rotation=45,
        ha="right",
        rotation_mode="anchor",
    )
    ax.set_xlabel("● covered   ✗ no judged document   blank: missed", loc="right", fontsize=9)
    n_intents = known.get(shown)
    told = f": {len(intents)} of {n_intents} intents are missed by a system" if n_intents else ""
    ax.set_title(f"query {shown}{told}", loc="right", fontsize=10)
    return ax


def _query_to_show(who: str, frame: pd.DataFrame, query_id: str | None) -> str:
    query_ids = frame["qid"].astype(str).unique()
    if query_id is None and len(query_ids) > 1:
        raise ValueError(f"{who}: query_id must name one of the {len(query_ids)} queries of the frame.")
    shown = query_ids[0] if query_id is None else str(query_id)
    if shown not in query_ids:
        raise ValueError(f"{who}: the frame has no query {shown!r}.")
    return str(shown)
