"""Small topics, written down or drawn at random, and what a measure makes of them."""

from collections.abc import Callable, Iterable, Mapping

import ir_measures
import numpy as np
import pandas as pd
import pytest

Judged = Mapping[str, Mapping[str, float]]
Frames = tuple[pd.DataFrame, pd.DataFrame]


def _topic(
    judged: Judged,
    ranking: Iterable[str],
    weights: Mapping[str, float] | None = None,
    query_id: str = "q",
    navigational: Iterable[str] | None = None,
) -> Frames:
    rows = [(query_id, doc, label, intent) for doc, labels in judged.items() for intent, label in labels.items()]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    if weights is not None:
        qrels["weight"] = qrels["iteration"].map(weights)
    if navigational is not None:
        qrels["intent_type"] = np.where(qrels["iteration"].isin(list(navigational)), "nav", "inf")
    docs = list(ranking)
    run = pd.DataFrame({"query_id": [query_id] * len(docs), "doc_id": docs, "score": np.arange(len(docs), 0.0, -1.0)})
    return qrels, run


def _random_topics(seed: int, *, n_queries: int = 12, n_docs: int = 25, max_label: int = 3) -> Frames:
    rng = np.random.default_rng(seed)
    qrels, run = [], []
    for q in range(n_queries):
        docs = [f"d{i:02d}" for i in rng.permutation(n_docs)]
        intents = [f"intent {t}" for t in range(rng.integers(1, 6))]
        labels = rng.integers(1, max_label + 1, (n_docs, len(intents))) * (rng.random((n_docs, len(intents))) < 0.3)
        labels[0] = 1  # every intent has a relevant document
        judged = n_docs - int(rng.integers(0, 8))
        qrels += [(f"q{q}", docs[i], labels[i, t], intents[t]) for i in range(judged) for t in range(len(intents))]
        retrieved = rng.permutation(docs)[: rng.integers(1, n_docs + 1)].tolist()
        run += [(f"q{q}", doc, float(len(retrieved) - i)) for i, doc in enumerate(retrieved)]
    return (
        pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance", "iteration"]),
        pd.DataFrame(run, columns=["query_id", "doc_id", "score"]),
    )


def _by_query(measure: ir_measures.Measure, qrels: pd.DataFrame, run: pd.DataFrame) -> dict[str, float]:
    return {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}


@pytest.fixture(scope="session")
def topic() -> Callable[..., Frames]:
    """Return qrels and run of one query: ``topic({"a": {"x": 1}, "b": {"x": 0, "y": 2}}, "abz")`` ranks a, b, z."""
    return _topic


@pytest.fixture(scope="session")
def random_topics() -> Callable[..., Frames]:
    """Return qrels and run of some queries, drawn by a seed; no two scores of a query tie."""
    return _random_topics


@pytest.fixture(scope="session")
def by_query() -> Callable[..., dict[str, float]]:
    """Return the value of each query: ``by_query(RBU, qrels, run)``."""
    return _by_query


@pytest.fixture(scope="session")
def value_of() -> Callable[..., float]:
    """Return the value of one query: ``value_of(RBU, {"a": {"x": 1}}, "ab", weights={"x": 1}, navigational="x")``."""

    def value(
        measure: ir_measures.Measure,
        judged: Judged,
        ranking: Iterable[str],
        weights: Mapping[str, float] | None = None,
        navigational: Iterable[str] | None = None,
    ) -> float:
        return _by_query(measure, *_topic(judged, ranking, weights, navigational=navigational))["q"]

    return value
