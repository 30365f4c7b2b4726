"""Pictures of rankings by intent: which intents a run covers at which rank, and which it misses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..io import called, check_order, one_or_more_runs, qrels_as_given, texts_of
from ..judged import Judgements, Ranked, Run, given_frame, judge
from ..measures import parse
from ..measures.composite import last_rank
from ..parameters import CUTOFF, checked
from .drawing import Names, drawing, in_rows, name_columns, readable, tell
from .grids import Grid, draw_cells, panels_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EXPLAIN = "transformers.Explain"
_EXPLAINED = ("qid", "position", "intents", "new_intents", "unmet_intents", "judged", "tied", "measure", "value")


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
        How systems are shown, by their names.
    ax : Axes, or sequence of Axes if runs have names, optional
        Where to draw, one for each system; by default, a new figure with at most five panels beside each other.

    Returns
    -------
    Axes, or list of Axes if runs have names
        A row for each intent in the qrels, with its share of the total weight, and a column for each rank. The first
        document of an intent has a ring; unjudged documents are hatched. An intent without a relevant document says so.

    Raises
    ------
    ValueError
        If the cutoff is below 1, there is no run, the number of axes is wrong, or the qrels have no relevant document
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
    rows, told = [texts.get(name, name) for name in intents_of.ids], _told_of_query(query_id, *systems.values(), qrels)
    shares = [f" ({share:.2f})" for share in intents_of.weight / intents_of.weight.sum()]
    return panels_of("coverage", named, grids, rows, told, names, ax, shares)


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
        How systems and measures are shown, by their names.
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
        If the cutoff is below 1, a frame has no rows or a column is missing, there is no system, the measures differ,
        or the number of axes is wrong. Also if the query is not in the frame, has no intents, or is not given although
        there are several.
    TypeError
        If ``explained`` is a list, which has no names of systems.

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
    known = sorted({name for rows in shown.values() for name in _intents_of(rows)})
    if not known:
        raise ValueError(f"{who}: query {query!r} has no intent with a relevant document.")
    texts = next(filter(None, (_texts(who, query, intents, frame) for frame in frames.values())), {})
    grids = {name: _grid_of(rows, known) for name, rows in shown.items()}
    rows, told = [texts.get(name, name) for name in known], _told_of_query(query, *shown.values())
    return panels_of(who, named, grids, rows, told, names, ax)


def _grid_of_run(run: Any, judgements: Judgements, named: list[str], cutoff: int) -> Grid:
    """Return the labels of a run's documents for the one query of the judgements."""
    read = Run(run)
    ranked = Ranked.of_run(read, judgements).top(cutoff)
    docs = read.ranking(judgements.query_ids[0], cutoff)
    row_of = {name: row for row, name in enumerate(named)}
    rows = np.array([row_of[name] for name in judgements.intents.ids], dtype=np.intp)
    labels = np.zeros((len(named), max(len(docs), 1)))
    labels[rows[ranked.intent], ranked.rank.astype(np.intp) - 1] = ranked.label
    new = (labels > 0) & (np.cumsum(labels > 0, axis=1) == 1)
    judged = np.array([doc in judgements.judged_docs[0] for doc in docs] or [True])
    possible = np.isin(np.arange(len(labels)), rows)
    return Grid(labels, new, judged, np.zeros(len(judged), bool), possible)


def _rankings_to_show(
    who: str, frames: Mapping[str, pd.DataFrame], query_id: str | None, cutoff: int | None, labels: Names
) -> dict[str, pd.DataFrame]:
    """Return the rows of one query, in order of rank, for each system, with the measure as it is called."""
    if not frames:
        raise ValueError(f"{who}: give at least one explanation.")
    strings = {name: readable(who, frame, _EXPLAIN, *_EXPLAINED).astype({"qid": str}) for name, frame in frames.items()}
    query = _query_to_show(who, pd.concat(strings.values()), query_id)
    measure, *others = dict.fromkeys(str(frame["measure"].iloc[0]) for frame in strings.values())
    if others:
        raise ValueError(
            f"{who}: all systems must be explained by one measure, not by {', '.join([measure, *others])}."
        )
    last = _last_rank(measure)
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


def _last_rank(measure: str) -> int | None:
    """Return the last rank that a measure reads; None for all ranks, or for a measure that a user defined."""
    try:
        return last_rank(parse(measure))
    except ValueError:  # its name cannot be parsed
        return None


def _intents_of(rows: pd.DataFrame) -> set[str]:
    return {*rows["unmet_intents"].iloc[0], *(name for grades in rows["intents"] for name in grades)}


def _grid_of(rows: pd.DataFrame, known: list[str]) -> Grid:
    labels = np.array([[grades.get(name, 0) for grades in rows["intents"]] for name in known], dtype=np.float64)
    new = np.array([[name in found for found in rows["new_intents"]] for name in known])
    judged, tied = (rows[column].to_numpy(dtype=bool) for column in ("judged", "tied"))
    values = pd.Series(rows["value"].to_numpy(dtype=float), rows["position"], name=rows["measure"].iloc[0])
    return Grid(labels, new, judged, tied, np.ones(len(known), dtype=bool), int(rows["position"].iloc[0]), values)


def _texts(who: str, query_id: str, intents: Any, frame: pd.DataFrame) -> dict[str, str]:
    """Return the texts of a query's intents: those given, or those of qrels or of an explanation."""
    if intents is not None:
        return texts_of(who, intents, query_id)
    known = frame.attrs.get("texts", {}).get(query_id, {})
    return known or (texts_of(who, frame, query_id) if "nugget_text" in frame else {})


def _told_of_query(query_id: str, *frames: Any) -> str:
    """Return the id of a query, and its text if a frame has it."""
    found: list[Any] = []
    for frame in frames:
        if isinstance(frame, pd.DataFrame):
            found.append(frame.attrs.get("queries", {}).get(query_id))
            if {"qid", "query"} <= {*frame}:
                found += frame.loc[frame["qid"].astype(str) == query_id, "query"].head(1).tolist()
    return next((f"query {query_id}: {text}" for text in found if isinstance(text, str) and text), f"query {query_id}")


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
        How systems are shown, by their names.
    ax : Axes, optional
        Where to draw; by default, a new figure.

    Returns
    -------
    Axes
        A column for each system, and a row for each intent that a system misses, with its text (or name) and weight,
        the largest weight on top. A dot means covered, a cross means that no judged document covers the intent, and a
        blank cell means missed although it could be covered. Some rows of the frame show the intents of these rows,
        and the title says of how many.

    Raises
    ------
    ValueError
        If a column is missing, no system misses an intent of the query, or there are several queries and none is given.
    """
    who = "missed_intents"
    columns = ("name", "qid", "iteration", "nugget_text", "weight", "coverable", "covered_by")
    frame = readable(who, missed, "pyterrier_diversity.missed_intents", *columns, names=names).astype({"qid": str})
    known = missed.attrs.get("intents", {})
    if query_id is not None and str(query_id) in known and str(query_id) not in set(frame["qid"]):
        raise ValueError(f"{who}: no system misses an intent of query {query_id!r}; show another query.")
    query = _query_to_show(who, frame, query_id)
    rows = frame[frame["qid"] == query]
    found = [*frame["name"], *(name for others in frame["covered_by"] for name in others)]
    systems = list(frame.attrs.get("systems", dict.fromkeys(found)))
    shown = rows.drop_duplicates("iteration").sort_values("weight", ascending=False, kind="stable")
    # What a row says of the other systems is true even if their rows are left out.
    covered = np.array([[system in others for system in systems] for others in shown["covered_by"]])
    texts = dict(zip(shown["iteration"], shown["nugget_text"], strict=True)) | texts_of(who, intents, query)
    written = [texts.get(name) or name for name in shown["iteration"]]
    named, height = in_rows(written, ax, ends=[f" ({round(weight, 2):g})" for weight in shown["weight"]])
    with drawing(ax, max(4.2, 0.45 * len(systems)), height) as ax:
        draw_cells(ax, covered.astype(float), 1, named, height)
        for (row, column), is_covered in np.ndenumerate(covered):
            mark = "●" if is_covered else "" if shown["coverable"].iloc[row] else "✗"
            ax.text(column + 1, row, mark, ha="center", va="center", color="white" if is_covered else "black")
        name_columns(ax, systems, 1)
        n_missed = missed.attrs.get("missed", {}).get(query, len(shown))
        part = f"{len(shown)} of the {n_missed} " if len(shown) < n_missed else ""
        of_all = f" ({n_missed} of {known[query]})" if query in known else ""
        marks = "● covered   ✗ no judged document   blank: missed"
        return tell(ax, f"query {query}: {part}intents that a system misses{of_all}", x=marks)


def _query_to_show(who: str, frame: pd.DataFrame, query_id: str | None) -> str:
    query_ids = frame["qid"].astype(str).unique()
    if query_id is None and len(query_ids) > 1:
        raise ValueError(f"{who}: query_id must name one of the {len(query_ids)} queries of the frame.")
    shown = query_ids[0] if query_id is None else str(query_id)
    if shown not in query_ids:
        raise ValueError(f"{who}: the frame has no query {shown!r}.")
    return str(shown)
