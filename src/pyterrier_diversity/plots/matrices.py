"""Pictures of matrices: measures against measures, labels against labels, intents against systems or ranks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arithmetic import divide
from ..io import called, texts_of
from ..parameters import LEVEL
from . import drawing
from .drawing import COUNTS, Names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["concordance", "confusion", "missed_intents", "tau_matrix"]

_COEFFICIENTS = {
    "tau": "Kendall's τ",
    "tau_ap": "τ AP",
    "tau_ap_symmetric": "symmetric τ AP",
    "spearman": "Spearman's rho",
}
# The shade of documents that are judged, but not relevant.
JUDGED_0 = "#eef1f4"
# More columns than these have smaller marks.
MANY = 30
# On cells darker than this, black text is hard to read.
_DARK = 0.6
_TWO_PLACES = np.vectorize("{:.2f}".format, otypes=[str])


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
        raise drawing.unreadable("confusion", f"{rule} {_few(list(map(str, frame.columns)))}", source)
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
        raise drawing.unreadable(who, f"{rule} {_few(rows)} and {_few(columns)}", source)
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
        the largest weight on top. A dot means covered, a cross means that no judged document covers the intent, and a
        blank cell means missed although it could be covered. If rows of the frame were left out, the picture shows only
        the intents of the others, and the title says how many are missed in all.

    Raises
    ------
    ValueError
        If a column is missing, no system misses an intent of the query, or there are several queries and none is given.
    """
    who = "missed_intents"
    columns = ("name", "qid", "iteration", "nugget_text", "weight", "coverable", "covered_by")
    frame = drawing.readable(who, missed, "pyterrier_diversity.missed_intents", *columns, names=names).astype(
        {"qid": str}
    )
    n_intents = missed.attrs.get("intents", {})
    if query_id is not None and str(query_id) in n_intents and str(query_id) not in set(frame["qid"]):
        raise ValueError(f"{who}: no system misses an intent of query {query_id!r}; show another query.")
    query = one_query(who, frame, query_id)
    found = [*frame["name"], *(name for others in frame["covered_by"] for name in others)]
    systems = list(frame.attrs.get("systems", dict.fromkeys(found)))
    shown = frame[frame["qid"] == query].drop_duplicates("iteration")
    shown = shown.sort_values("weight", ascending=False, kind="stable")
    # What a row says of the other systems is true even if their rows are left out.
    covered = np.array([[system in others for system in systems] for others in shown["covered_by"]])
    texts = dict(zip(shown["iteration"], shown["nugget_text"], strict=True)) | texts_of(who, intents, query)
    rows = zip(shown["iteration"], shown["weight"], strict=True)
    named, height = drawing.in_rows(
        [(texts.get(name) or name, f" ({round(weight, 2):g})") for name, weight in rows], ax
    )
    with drawing.axes(ax, max(4.2, 0.45 * len(systems)), height) as ax:
        draw_labels(ax, covered.astype(float), 1, named, height)
        for (row, column), is_covered in np.ndenumerate(covered):
            mark = "●" if is_covered else "" if shown["coverable"].iloc[row] else "✗"
            ax.text(column + 1, row, mark, ha="center", va="center", color="white" if is_covered else "black")
        drawing.name_columns(ax, systems, 1)
        n_missed = missed.attrs.get("missed", {}).get(query, len(shown))
        part = f"{len(shown)} of the {n_missed} " if len(shown) < n_missed else ""
        of_all = f" ({n_missed} of {n_intents[query]})" if query in n_intents else ""
        marks = "● covered   ✗ no judged document   blank: missed"
        return drawing.tell(ax, f"query {query}: {part}intents that a system misses{of_all}", x=marks)


def one_query(who: str, frame: pd.DataFrame, query_id: str | None) -> str:
    """Return the query to show: the one that is given, or the only one of a frame."""
    query_ids = frame["qid"].astype(str).unique()
    if query_id is None and len(query_ids) > 1:
        raise ValueError(f"{who}: query_id must name one of the {len(query_ids)} queries of the frame.")
    shown = query_ids[0] if query_id is None else str(query_id)
    if shown not in query_ids:
        raise ValueError(f"{who}: the frame has no query {shown!r}.")
    return str(shown)


def draw_labels(ax: Axes, labels: np.ndarray, highest: float, texts: list[str], height: float, start: int = 1) -> None:
    """Draw labels by intent and rank, darker the higher, with the texts of the intents."""
    from matplotlib.colors import LinearSegmentedColormap

    # The lowest label is far from 0, in grey as well.
    shades = [(0.0, JUDGED_0), (1e-6, "#b9d6ee"), (0.25, "#92c0e2"), (0.5, "#4a90c4"), (1.0, "#08306b")]
    colours = LinearSegmentedColormap.from_list("labels", shades, N=1024)
    n_intents, depth = labels.shape
    edges = np.arange(depth + 1) + start - 0.5, np.arange(n_intents + 1) - 0.5
    between = 0.5 if depth > MANY else 2
    ax.pcolormesh(*edges, labels, cmap=colours, vmin=0, vmax=highest, edgecolors="white", linewidth=between)
    drawing.name_rows(ax, texts, height)
    ax.set_xlim(start - 0.5, start + depth - 0.5)
    ax.spines[:].set_visible(False)


def _few(names: list[str]) -> str:
    """Return names for a message, the first five of many."""
    return ", ".join([*names[:5], *(["..."] if len(names) > 5 else [])]) or "none"


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
