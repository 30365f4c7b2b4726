"""The measures of Sakai (2013) read aloud, one rank at a time, and random topics that have all that they look at."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from read_aloud import Query, worth


def draw(seed: int, *, n_queries: int = 10, n_docs: int = 14) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw qrels and a run: queries of every kind, the labels fractions if the seed is odd.

    The first query has no relevant document, the second no document in the run; some other intents have no relevant
    document, some documents are not judged for all intents, and some that are retrieved for none.
    """
    rng = np.random.default_rng(seed)
    qrels, run = [], []
    for q in range(n_queries):
        docs = [f"d{i:02d}" for i in rng.permutation(n_docs)]
        for t in range(rng.integers(1, 5)):
            weight, kind = rng.choice([0.2, 1.0, 3.0]), rng.choice(["inf", "nav"])
            highest = 0 if q == 0 else rng.choice([0, 1, 4] if t else [3, 4])
            labels = rng.integers(-2, highest + 1, n_docs) * (0.75 if seed % 2 else 1)
            qrels += [(f"q{q}", docs[i], labels[i], f"t{t}", weight, kind) for i in range(n_docs) if rng.random() < 0.7]
        retrieved = rng.permutation([*docs, "u1", "u2", "u3"])[: rng.integers(1, n_docs + 4)].tolist()
        run += [(f"q{q}", doc, float(-i)) for i, doc in enumerate(retrieved) if q != 1]
    return (
        pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance", "iteration", "weight", "intent_type"]),
        pd.DataFrame(run, columns=["query_id", "doc_id", "score"]),
    )


def _global_gains(query: Query, gain: str, *, din: bool) -> tuple[list[float], list[float]]:
    """Equations 6 and 8: the gain at each rank, and those of an ideal list."""
    gains, satisfied = [], set()
    for doc in query.ranking:
        gains.append(0.0)
        for t, intent in enumerate(query.intents):
            if doc in intent.labels:
                if not (din and intent.navigational and t in satisfied):
                    gains[-1] += intent.weight * worth(intent.labels[doc], gain)
                satisfied.add(t)
    relevant = {doc for intent in query.intents for doc in intent.labels}
    ideal = [
        sum(intent.weight * worth(intent.labels.get(doc, 0), gain) for intent in query.intents) for doc in relevant
    ]
    return gains, sorted(ideal, reverse=True)


def _ndcg(gains: list[float], ideal: list[float], cutoff: int | None) -> float:
    """Equations 1 and 9."""
    if not ideal:
        return 0.0
    dcg, best = (
        sum(gain / math.log2(i + 1) for i, gain in enumerate(values[:cutoff], start=1)) for values in (gains, ideal)
    )
    return dcg / best


def _blended_ratios(gains: list[float], ideal: list[float], beta: float) -> list[float]:
    """Equations 2 and 11: J(r) BR(r) of each rank."""
    ratios, count = [], 0
    for i, gain in enumerate(gains, start=1):
        count += gain > 0
        blended = (count + beta * sum(gains[:i])) / (i + beta * sum(ideal[:i]))
        ratios.append(blended if gain > 0 else 0.0)
    return ratios


def _q(gains: list[float], ideal: list[float], beta: float, cutoff: int | None) -> float:
    """Equations 3 and 10."""
    if not ideal:
        return 0.0
    return sum(_blended_ratios(gains, ideal, beta)[:cutoff]) / min(len(ideal), cutoff or len(ideal))


def _p_plus(grades: list[float], gains: list[float], ideal: list[float], beta: float, cutoff: int | None) -> float:
    """Equation 4; the preferred rank is that of the first of the highest grades down to the cutoff."""
    if not any(grades[:cutoff]):
        return 0.0
    preferred = grades.index(max(grades[:cutoff])) + 1
    count = sum(grade > 0 for grade in grades[:preferred])
    return sum(_blended_ratios(gains, ideal, beta)[:preferred]) / count


def d_ndcg(query: Query, *, gain: str, cutoff: int | None) -> float:
    return _ndcg(*_global_gains(query, gain, din=False), cutoff)


def d_q(query: Query, *, beta: float, gain: str, cutoff: int | None) -> float:
    return _q(*_global_gains(query, gain, din=False), beta, cutoff)


def din_ndcg(query: Query, *, gain: str, cutoff: int | None) -> float:
    return _ndcg(*_global_gains(query, gain, din=True), cutoff)


def din_q(query: Query, *, beta: float, gain: str, cutoff: int | None) -> float:
    return _q(*_global_gains(query, gain, din=True), beta, cutoff)


def ef_p(query: Query, *, cutoff: int | None) -> float:
    effective, satisfied = 0, set()
    for doc in query.ranking[:cutoff]:
        relevant = {t for t, intent in enumerate(query.intents) if doc in intent.labels}
        redundant = {t for t in relevant & satisfied if query.intents[t].navigational}
        effective += relevant > redundant
        satisfied |= relevant
    return effective / (cutoff or max(len(query.ranking), 1))


def _alone(labels: dict[str, float], query: Query, gain: str) -> tuple[list[float], list[float], list[float]]:
    """Return the label and the gain at each rank, and the gains of an ideal list, for one set of labels."""
    grades = [labels.get(doc, 0.0) for doc in query.ranking]
    ideal = sorted((worth(label, gain) for label in labels.values()), reverse=True)
    return grades, [worth(grade, gain) for grade in grades], ideal


def _highest(query: Query) -> dict[str, float]:
    """Return the highest label of each relevant document over the intents."""
    relevant = {doc for intent in query.intents for doc in intent.labels}
    return {doc: max(intent.labels.get(doc, 0) for intent in query.intents) for doc in relevant}


def q(query: Query, *, beta: float, gain: str, cutoff: int | None) -> float:
    _, gains, ideal = _alone(_highest(query), query, gain)
    return _q(gains, ideal, beta, cutoff)


def p_plus(query: Query, *, beta: float, gain: str, cutoff: int | None) -> float:
    return _p_plus(*_alone(_highest(query), query, gain), beta, cutoff)


def p_plus_q(query: Query, *, beta: float, gain: str, cutoff: int | None) -> float:
    """Equation 12."""
    value = 0.0
    for intent in query.intents:
        grades, gains, ideal = _alone(intent.labels, query, gain)
        if intent.navigational:
            value += intent.weight * _p_plus(grades, gains, ideal, beta, cutoff)
        else:
            value += intent.weight * _q(gains, ideal, beta, cutoff)
    return value
