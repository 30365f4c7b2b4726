"""Pictures of what the measures see. They need matplotlib: ``pip install pyterrier-diversity[plots]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .judged import Run, judge, judged_rankings
from .judged.columns import to_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    ranked = next(judged_rankings(judgements, Run(run).retrieve(judgements), cutoff))
    labels = np.zeros((len(judgements.intents.ids), cutoff))
    hit = ranked.labels[0].any(axis=-1)
    labels[:, ranked.ranks[0][hit] - 1] = ranked.labels[0][hit].T
    ax = _new_axes() if ax is None else ax
    ax.pcolormesh(
        np.arange(0.5, cutoff + 1),
        np.arange(len(labels) + 1) - 0.5,
        labels,
        cmap="Blues",
        vmin=0,
        vmax=max(judgements.intents.max_label.max(), 1),
        edgecolors="white",
        linewidth=2,
    )
    names = {} if intents is None else dict(intents)
    weighted = zip(judgements.intents.ids, judgements.weights, strict=True)
    ticks = [f"{names.get(name, name)} ({weight:.2f})" for name, weight in weighted]
    ax.set_yticks(range(len(labels)), ticks)
    ax.set_xticks(range(1, cutoff + 1))
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.set_xlabel("rank")
    return ax


def _new_axes() -> Axes:
    import matplotlib.pyplot as plt

    return plt.figure(layout="constrained").add_subplot()
