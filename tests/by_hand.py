"""Qrels and runs written by hand, and what the package makes of them."""

import itertools
import math
from collections.abc import Iterable, Sequence

import ir_measures
import numpy as np
import pandas as pd

from pyterrier_diversity.evaluate.evaluator import Evaluation
from pyterrier_diversity.judged import Ranked, Run, judge
from pyterrier_diversity.provider import DiversityProvider


def qrels(*rows: str, **columns: list) -> pd.DataFrame:
    """Qrels of the rows "qid iteration docno label"."""
    frame = pd.DataFrame([row.split() for row in rows], columns=["qid", "iteration", "docno", "label"])
    return frame.astype({"label": float}).assign(**columns)


def perquery(values: dict[str, list] | Iterable, measure: str = "RBU") -> pd.DataFrame:
    """Values by query of a measure: a row for each system, by name or numbered S0, S1, ...; queries are q0, q1, ..."""
    named = values if isinstance(values, dict) else {f"S{i}": row for i, row in enumerate(values)}
    rows = [(name, f"q{q}", measure, float(v)) for name, row in named.items() for q, v in enumerate(np.atleast_1d(row))]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def of_measures(**tables: Iterable) -> pd.DataFrame:
    """Values by query of several measures, each as in `perquery`: of_measures(P=[[1, 0], [0, 0]], AP=...)."""
    return pd.concat([perquery(values, measure) for measure, values in tables.items()], ignore_index=True)


def tau_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b, pair by pair; None where a list orders nothing."""

    def sign(a: float, b: float) -> int:
        return 0 if abs(a - b) <= 1e-12 else (1 if a > b else -1)

    pairs = list(itertools.combinations(range(len(first)), 2))
    one, two = ([sign(values[i], values[j]) for i, j in pairs] for values in (first, second))
    untied = sum(map(abs, one)) * sum(map(abs, two))
    return sum(a * b for a, b in zip(one, two, strict=True)) / untied**0.5 if untied else None


def t_of(sample: Sequence[float]) -> float:
    """The studentised mean, in plain Python."""
    n, mean = len(sample), sum(sample) / len(sample)
    sd = math.sqrt(sum((v - mean) ** 2 for v in sample) / (n - 1))
    if sd < 1e-12:
        return 0.0 if abs(mean) < 1e-12 else math.copysign(math.inf, mean)
    return mean / (sd / math.sqrt(n))


def renamed(frame: pd.DataFrame, names: dict[str, dict[str, object]]) -> pd.DataFrame:
    """A frame with other names in some of its columns: renamed(frame, {"qid": {"q": 7}})."""
    return frame.assign(**{column: frame[column].map(new) for column, new in names.items() if column in frame})


def run(**rankings: str) -> dict[str, dict[str, float]]:
    """A run of a ranking for each query: run(q="d2 d1")."""
    return {query: {doc: -float(i) for i, doc in enumerate(docs.split())} for query, docs in rankings.items()}


def session(*turns: str, query_id: str = "q", **columns: list) -> pd.DataFrame:
    """A run with a letter for each document: session("ab", "", "c") has the turns 0 and 2."""
    rows = [(query_id, doc, -float(i), turn) for turn, docs in enumerate(turns) for i, doc in enumerate(docs)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "turn"]).assign(**columns)


def value(measure: ir_measures.Measure, judgements: object, retrieved: object) -> float:
    return ir_measures.calc_aggregate([measure], judgements, retrieved)[measure]


def values(measures: Iterable[ir_measures.Measure], judgements: object, retrieved: object) -> dict[str, list[float]]:
    """The values of each measure, query by query in the order of their names."""
    metrics = sorted(ir_measures.iter_calc(measures, judgements, retrieved), key=lambda metric: metric.query_id)
    return {repr(measure): [m.value for m in metrics if m.measure == measure] for measure in measures}


def values_by_query(
    measures: Iterable[ir_measures.Measure], judgements: object, retrieved: object
) -> dict[tuple[str, str], float]:
    """The value of each measure for each query."""
    return {(repr(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(measures, judgements, retrieved)}


def values_of_labels(measures: Iterable[ir_measures.Measure], rankings: Iterable[Iterable[float]]) -> list[list[float]]:
    """The values of each measure for rankings that are given as labels for one intent, all in one evaluation."""
    rows = [
        (f"{i:06}", f"d{place}", label, -place)
        for i, labels in enumerate(rankings)
        for place, label in enumerate(labels)
    ]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "score"])
    evaluator = DiversityProvider().evaluator(list(measures), frame.drop(columns="score"))
    return evaluator.values(frame.drop(columns="relevance")).tolist()


def evaluator(*measures: ir_measures.Measure, of: object) -> ir_measures.Evaluator:
    return DiversityProvider().evaluator(measures, of)


class Data:
    """Qrels and a run that are read once for many evaluations."""

    def __init__(self, qrels: pd.DataFrame, run: pd.DataFrame) -> None:
        self.qrels, self.judgements, self.run = qrels, judge(qrels), Run(run)

    def values(self, measures: Iterable[ir_measures.Measure]) -> np.ndarray:
        """The values of measures that are computed together, and with no others, shape (measures, queries)."""
        evaluation = Evaluation(self.judgements, measures, self.qrels)
        return evaluation.values(Ranked.of_run(self.run, self.judgements, evaluation.depth))
