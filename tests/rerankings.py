"""Rankings tried one by one: the best there is, and the greedy one, by nothing but the values of a measure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

import ir_measures
import pandas as pd

Tried = dict[tuple[str, ...], float]


def values_of(measures: Sequence[ir_measures.Measure], qrels: pd.DataFrame, rankings: Iterable[Sequence[str]]) -> list:
    """Return the values of each measure: one for each ranking of the documents of the only query."""
    rankings = [tuple(ranking) for ranking in rankings]
    judged = qrels.drop(columns="qid", errors="ignore")
    copies = pd.concat([judged.assign(query_id=f"{i}") for i in range(len(rankings))])
    rows = [(f"{i}", doc, -float(at)) for i, docs in enumerate(rankings) for at, doc in enumerate(docs)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    tried: dict[ir_measures.Measure, Tried] = {measure: dict.fromkeys(rankings, 0.0) for measure in measures}
    for metric in ir_measures.iter_calc(
        measures, copies.rename(columns={"docno": "doc_id", "label": "relevance"}), run
    ):
        tried[metric.measure][rankings[int(metric.query_id)]] = metric.value
    return [tried[measure] for measure in measures]


def best_by_trying(measures: Sequence[ir_measures.Measure], qrels: pd.DataFrame, depth: int | None = None) -> list:
    """Return the highest value of each measure over all rankings of judged documents, of any length."""
    docs = sorted(set(qrels["docno"]))
    lengths = range(1, min(len(docs), depth or len(docs)) + 1)
    rankings = [ranking for length in lengths for ranking in permutations(docs, length)]
    return [max(tried.values()) for tried in values_of(measures, qrels, rankings)]


def greedy_by_trying(measure: ir_measures.Measure, qrels: pd.DataFrame, depth: int) -> list[str]:
    """Take the document that raises the value most, the highest name of those that tie, unless it lowers the value."""
    left, ranking, value = sorted(set(qrels["docno"][qrels["label"] > 0])), [], 0.0
    while left and len(ranking) < depth:
        (tried,) = values_of([measure], qrels, [[*ranking, doc] for doc in left])
        best = max(tried.values())
        if best < value - 1e-12:
            break
        ranking = list(max(docs for docs, reached in tried.items() if reached >= best - 1e-12))
        value = tried[tuple(ranking)]
        left.remove(ranking[-1])
    return ranking
