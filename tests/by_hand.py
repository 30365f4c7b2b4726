"""Qrels and runs written by hand, and what the package makes of them."""

from __future__ import annotations

import ir_measures
import pandas as pd

from pyterrier_diversity.evaluate.provider import DiversityProvider


def qrels(*rows: str, **columns: list) -> pd.DataFrame:
    """Qrels of the rows "qid iteration docno label"."""
    frame = pd.DataFrame([row.split() for row in rows], columns=["qid", "iteration", "docno", "label"])
    return frame.astype({"label": float}).assign(**columns)


def renamed(frame: pd.DataFrame, names: dict[str, dict[str, object]]) -> pd.DataFrame:
    """A frame with other names in some of its columns: renamed(frame, {"qid": {"q": 7}})."""
    return frame.assign(**{column: frame[column].map(new) for column, new in names.items() if column in frame})


def run(**rankings: str) -> dict[str, dict[str, float]]:
    """A run of a ranking for each query: run(q="d2 d1")."""
    return {query: {doc: -float(i) for i, doc in enumerate(docs.split())} for query, docs in rankings.items()}


def value(measure: ir_measures.Measure, judgements: object, retrieved: object) -> float:
    return ir_measures.calc_aggregate([measure], judgements, retrieved)[measure]


def evaluator(*measures: ir_measures.Measure, of: object) -> ir_measures.Evaluator:
    return DiversityProvider().evaluator(measures, of)
