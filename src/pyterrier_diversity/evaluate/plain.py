"""Compute a measure from plain labels."""

from collections.abc import Sequence

import ir_measures
import numpy as np
import numpy.typing as npt
import pandas as pd

from ..measures.parse import read_measure
from .evaluator import DiversityEvaluator


def score(
    measure: ir_measures.Measure | str,
    labels: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    intent_types: Sequence[str] | None = None,
    others: npt.ArrayLike = (),
) -> float:
    """Compute a measure for one ranking, given as labels.

    Parameters
    ----------
    measure : Measure or str
        Any measure that reads only labels, so not one of rareness, sessions or passages.
    labels : array_like, shape (n_docs, n_intents) or (n_docs,)
        The label of each document for each intent, from rank 1 down; 0 if not relevant.
    weights : array_like, shape (n_intents,), optional
        P(t|q) of each intent; uniform by default.
    intent_types : sequence of {"inf", "nav"}, shape (n_intents,), optional
        Informational or navigational; by default all informational.
    others : array_like, shape (n_others, n_intents) or (n_others,)
        Labels of documents that are judged but not retrieved.

    Returns
    -------
    float
        The value of the ranking.

    Raises
    ------
    ValueError
        If the arguments differ in the number of intents or have none, a label is not a finite number, or the measure
        needs more than labels.
    TypeError
        If ``measure`` is neither a measure nor text.

    Notes
    -----
    Intents without a positive label in ``labels`` or ``others`` are ignored, as in qrels.

    Examples
    --------
    >>> from pyterrier_diversity import RBU, StRecall
    >>> score(StRecall @ 2, [[1, 0], [2, 0]], others=[[0, 1]])
    0.5
    >>> round(score(RBU(e=0), [1, 0, 3]), 3)
    0.867
    """
    read = read_measure("score", measure)
    given = {"labels": _by_intent(labels, "labels"), "others": _by_intent(others, "others")}
    sizes = {name: array.shape[1] for name, array in given.items() if len(array)}
    options = {"weights": weights, "intent_types": intent_types}
    sizes |= {name: np.size(values) for name, values in options.items() if values is not None}
    n_intents = next(iter(sizes.values()), 0)
    for name, n in sizes.items():
        if n != n_intents:
            raise ValueError(f"score: {name} must have {n_intents} intents, like {next(iter(sizes))}, not {n}.")
    if not n_intents:
        raise ValueError("score: labels and others have no intent. Give the labels of at least one document.")
    every = np.concatenate([array.reshape(-1, n_intents) for array in given.values()])
    doc, intent = np.indices(every.shape).reshape(2, -1)
    qrels = pd.DataFrame({"qid": "q", "docno": doc, "label": every.ravel(), "iteration": intent})
    if weights is not None:
        qrels["weight"] = np.ravel(weights)[intent]
    if intent_types is not None:
        qrels["intent_type"] = np.asarray(intent_types, dtype=object)[intent]
    rank = np.arange(len(given["labels"]))
    run = pd.DataFrame({"qid": "q", "docno": rank, "score": -1.0 * rank})
    return float(DiversityEvaluator([read], qrels).values(run).sum())


def _by_intent(labels: npt.ArrayLike, what: str) -> np.ndarray:
    """Return labels of shape (documents, intents)."""
    array = np.asarray(labels, dtype=np.float64)
    if array.ndim not in (1, 2):
        raise ValueError(f"score: {what} must have one or two dimensions, not the shape {array.shape}.")
    return array[:, None] if array.ndim == 1 else array
