"""The best ranking by a measure, where it is known how to prove that none is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import ir_measures
import numpy as np

from ..judged import JudgedRankings, Judgements, relevant_documents
from .base import DiversityMeasure, by_worth, implementation, registered
from .lifts import Adhoc, lifted

# Measures of ir_measures that are never lowered by exchanging neighbours so that the higher label comes first.
BY_LABEL = ("AP", "Bpref", "IPrec", "P", "R", "RBP", "RR", "Rprec", "Success", "nDCG")


def is_provable(measure: ir_measures.Measure) -> bool:
    """Tell whether it is known how to prove that a ranking is the best by a measure."""
    ours = implementation(measure)
    if ours is None:
        return measure.NAME in BY_LABEL and not hasattr(measure, "runtime_impl") and _grows_with_label(measure)
    inner = lifted(ours)
    if inner is not None:
        return ours.NAME == Adhoc.NAME and is_provable(inner)
    return _defines(ours, "best_rankings")


def _grows_with_label(measure: ir_measures.Measure) -> bool:
    """Tell whether a document is worth something only with a label above 0, and never less with a higher one."""
    return "gains" not in measure.params and measure.params.get("rel", 1) > 0


def provable() -> list[str]:
    """Return the names of the measures, but lifts, for which `is_provable` holds."""
    ours = [str(measure.NAME) for measure in registered() if _defines(measure, "best_rankings")]
    return sorted([*ours, *BY_LABEL], key=str.lower)


def exact_rankings(
    measure: ir_measures.Measure, judgements: Judgements, depth: int | None, time_limit: float
) -> list[list[str]]:
    """Rank each query's relevant documents so that no ranking of them has a higher value, which is proven.

    Parameters
    ----------
    measure : Measure
        One for which `is_provable` holds; those of ir_measures are read over each document's highest label.
    judgements : Judgements
        The judgements.
    depth : int or None
        Number of documents at the most; None for any number.
    time_limit : float
        Seconds to search for at the most, for each query.

    Returns
    -------
    list of list of str
        The documents of each query, best first.

    Raises
    ------
    NotProvenError
        If the time is over before a ranking is proven to be the best.
    """
    ours = implementation(measure)
    if ours is None:
        by_label = judgements.view("ad hoc", measure.params.get("rel"))
        return _names(by_label, lambda every: by_worth(every, every.labels.max(axis=-1, initial=0), depth))
    inner = lifted(ours)
    if inner is not None:
        return exact_rankings(inner, judgements.view("ad hoc"), depth, time_limit)
    view = judgements.view(ours.VIEW, ours.get("rel"))
    return _names(view, lambda every: ours.best_rankings(every, depth, time_limit))


def greedy_rankings(measure: ir_measures.Measure, judgements: Judgements, depth: int | None) -> list[list[str]] | None:
    """Rank each query's relevant documents greedily; None for a measure that has no fast way to do that."""
    ours = implementation(measure)
    if ours is None or not _defines(ours, "greedy_rankings"):
        return None
    view = judgements.view(ours.VIEW, ours.get("rel"))
    return _names(view, lambda every: ours.greedy_rankings(every, depth))


def _defines(measure: DiversityMeasure, method: str) -> bool:
    return getattr(type(measure), method) is not getattr(DiversityMeasure, method)


def _names(judgements: Judgements, rank: Callable[[JudgedRankings], Sequence[np.ndarray]]) -> list[list[str]]:
    """Return the names of each query's documents, ranked."""
    rankings: list[list[str]] = [[] for _ in judgements.query_ids]
    for chunk in judgements.chunks:
        every = relevant_documents(chunk)
        for row, (query, ranking) in enumerate(zip(chunk.queries.tolist(), rank(every), strict=True)):
            rankings[query] = judgements.documents.ids[every.docs[row, ranking]].tolist()
    return rankings
