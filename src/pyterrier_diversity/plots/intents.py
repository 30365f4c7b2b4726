"""Pictures of intents: which a ranking covers at which rank and what that is worth, and which ones systems miss."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from ..io import called, renamed, texts_of, texts_of_queries
from ..measures import parse
from ..measures.composite import last_rank
from ..parameters import CUTOFF, checked
from . import drawing
from .drawing import Axes, Names
from .panels import draw_labels, draw_panels

__all__ = ["explain", "missed_intents"]

_EXPLAINED = ("qid", "position", "intents", "new_intents", "unmet_intents", "judged", "tied", "measure", "value")
_MISSED = ("name", "qid", "iteration", "nugget_text", "weight", "coverable", "covered_by")


def explain(
    explained: pd.DataFrame | Mapping[str, pd.DataFrame],
    query_id: str | None = None,
    *,
    cutoff: int | None = None,
    intents: Any = None,
    names: Names = None,
    labels: Names = None,
    ax: Any = None,
    width: float | None = None,
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
    width : float, optional
        The width of a new figure in inches, such as that of a page. By default, it is as wide as its panels and texts.

    Returns
    -------
    Axes, or list of Axes for a mapping
        A row for each intent and a column for each rank, darker for a higher label. The first document of an intent has
        a ring, unjudged documents are hatched, and ``=`` marks ranks that a tie decided. In a session, a line ends each
        turn, and documents that were returned before are cross-hatched. Axes above them, in
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
    rankings = _rankings_to_show(who, frames, query_id, cutoff, labels)
    query = rankings["qid"].iloc[0]
    known = sorted({name for column in ("intents", "unmet_intents") for of in rankings[column] for name in of})
    if not known:
        raise ValueError(f"{who}: query {query!r} has no intent with a relevant document.")
    of_frames = (frame.attrs.get("texts", {}).get(query) for frame in frames.values())
    texts = texts_of(who, intents, query) or next(filter(None, of_frames), {})
    rows = {intent: texts.get(intent, intent) for intent in known}
    told = ": ".join(filter(None, [f"query {query}", texts_of_queries(*frames.values()).get(query)]))
    return draw_panels(who, named, rankings, rows, told, names, ax, width)


def missed_intents(
    missed: pd.DataFrame,
    query_id: str | None = None,
    *,
    intents: Any = None,
    names: Names = None,
    ax: Axes | None = None,
) -> Axes:
    """Show the intents of a query that some system misses, and which systems cover them.

    Parameters
    ----------
    missed : DataFrame
        The result of `pyterrier_diversity.missed_intents`.
    query_id : str, optional
        The query to show; required if there are several in the frame.
    intents : mapping or DataFrame, optional
        The texts of intents, by their ids, or a frame such as ``dataset.get_topics("subtopics")``; by default those of
        the frame, or ids.
    names : mapping, optional
        The text to show for each system, by its name.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A column for each system, and a row for each intent that a system misses, with its text (or name) and weight,
        the largest weight on top. A dark cell means missed although a judged document covers the intent, a cross means
        that none does, and a light cell means covered. If rows of the frame were left out, the picture shows only
        the intents of the others, and the title says how many are missed in all.

    Raises
    ------
    ValueError
        If a column is missing, no system misses an intent of the query, or there are several queries and none is given.
    """
    who = "missed_intents"
    frame = drawing.readable(who, missed, f"pyterrier_diversity.{who}", *_MISSED)
    frame = renamed(frame, names).astype({"qid": str})
    n_intents, found = frame.attrs.get("intents", {}), frame["qid"].unique().tolist()
    if query_id is not None and str(query_id) in n_intents and str(query_id) not in found:
        raise ValueError(f"{who}: no system misses an intent of query {query_id!r}; show another query.")
    query = drawing.one_of(who, "query", found, query_id)
    in_frame = pd.concat([frame["name"], frame["covered_by"].explode().dropna()]).unique()
    systems = list(frame.attrs.get("systems", in_frame))
    shown = frame[frame["qid"] == query].drop_duplicates("iteration")
    shown = shown.sort_values("weight", ascending=False, kind="stable")
    # What a row says of the other systems is true even if their rows are left out.
    covered = np.array([[system in others for system in systems] for others in shown["covered_by"]])
    texts = dict(zip(shown["iteration"], shown["nugget_text"], strict=True)) | texts_of(who, intents, query)
    weights = zip(shown["iteration"], shown["weight"], strict=True)
    rows = [(texts.get(intent) or intent, f" ({round(weight, 2):g})") for intent, weight in weights]
    named, height = drawing.in_rows(rows, ax)
    with drawing.axes(ax, max(4.2, 0.45 * len(systems)), height) as ax:
        coverable = shown["coverable"].to_numpy(dtype=bool)
        draw_labels(ax, (~covered & coverable[:, None]).astype(float), 1, named, height)
        for row, column in np.argwhere(~covered & ~coverable[:, None]).tolist():
            ax.text(column + 1, row, "✗", ha="center", va="center")
        columns = list(map(drawing.fitted, systems))
        upright = 90 if max(map(len, columns)) > 3 else 0
        ax.set_xticks(range(1, len(columns) + 1), columns, fontsize=drawing.scaled(9), rotation=upright)
        ax.tick_params(axis="x", length=0)
        n_missed = frame.attrs.get("missed", {}).get(query, len(shown))
        part = f"{len(shown)} of the {n_missed} " if len(shown) < n_missed else ""
        of_all = f" ({n_missed} of {n_intents[query]})" if query in n_intents else ""
        marks = "dark: missed   light: covered\n✗ no judged document covers it"
        return drawing.caption(ax, f"query {query}: {part}intents that a system misses{of_all}", x=marks)


def _rankings_to_show(
    who: str, frames: Mapping[str, pd.DataFrame], query_id: str | None, cutoff: int | None, labels: Names
) -> pd.DataFrame:
    """Return the rows of one query by system, in order of rank, with the measure as it is called."""
    if not frames:
        raise ValueError(f"{who}: give at least one explanation.")
    read = {name: drawing.readable(who, frame, "transformers.Explain", *_EXPLAINED) for name, frame in frames.items()}
    rows = pd.concat({name: frame.sort_values("position") for name, frame in read.items()})
    rows = rows.astype({"qid": str, "measure": str})
    query = drawing.one_of(who, "query", rows["qid"].unique().tolist(), query_id)
    measure, *others = rows["measure"].unique()
    if others:
        raise ValueError(f"{who}: all systems must be explained by one measure, not by {measure}, {', '.join(others)}.")
    last = None
    with suppress(ValueError):  # the name of a measure that a user defined cannot be parsed
        last = last_rank(parse(measure))
    cutoff, label = cutoff or last or 10, called("labels", labels, [measure])[measure]
    rows = rows[(rows["qid"] == query) & (rows["position"] <= (last or np.inf))]
    # The value down to an earlier rank is not the measure's value.
    is_part = (rows["position"] > cutoff).groupby(level=0).transform("any")
    rows = rows.assign(measure=np.where(is_part, f"{label}, first {cutoff} ranks", label))[rows["position"] <= cutoff]
    for name in frames:
        if name not in rows.index:
            of = f" of {name}" if name else ""
            raise ValueError(f"{who}: the frame{of} has no query {query!r} down to rank {cutoff}.")
    return rows
