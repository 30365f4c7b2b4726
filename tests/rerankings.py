"""Rankings tried one by one: the best there is, and the greedy one, by nothing but the values of a measure."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations

import ir_measures
import pandas as pd

# By query and ranking.
Tried = dict[tuple[str, tuple[str, ...]], float]


def values_of(
    measures: Sequence[ir_measures.Measure], qrels: pd.DataFrame, rankings: Mapping[str, Iterable[Sequence[str]]]
) -> list[Tried]:
    """Return the values of each measure: one for each ranking of the documents of each query, in one evaluation."""
    pairs = [(qid, tuple(ranking)) for qid, of_query in rankings.items() for ranking in of_query]
    copies = pd.DataFrame({"qid": [qid for qid, _ in pairs], "query_id": [f"{i}" for i in range(len(pairs))]})
    judged = copies.merge(qrels.rename(columns={"docno": "doc_id", "label": "relevance"}), on="qid").drop(columns="qid")
    rows = [(f"{i}", doc, -float(at)) for i, (_, docs) in enumerate(pairs) for at, doc in enumerate(docs)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    tried: dict[ir_measures.Measure, Tried] = {measure: dict.fromkeys(pairs, 0.0) for measure in measures}
    for metric in ir_measures.iter_calc(measures, judged, run):
        tried[metric.measure][pairs[int(metric.query_id)]] = metric.value
    return [tried[measure] for measure in measures]


def best_by_trying(measures: Sequence[ir_measures.Measure], qrels: pd.DataFrame) -> list[dict[str, float]]:
    """Return the highest value of each measure for each query, over all rankings of its documents, of any length."""
    rankings = {}
    for qid, docs in qrels.groupby("qid")["docno"].unique().items():
        rankings[qid] = [
            ranking for length in range(1, len(docs) + 1) for ranking in permutations(sorted(docs), length)
        ]
    return [
        {qid: max(tried[qid, ranking] for ranking in rankings[qid]) for qid in rankings}
        for tried in values_of(measures, qrels, rankings)
    ]


def greedy_by_trying(measure: ir_measures.Measure, qrels: pd.DataFrame, depth: int) -> dict[str, list[str]]:
    """Take the document that raises the value most, the highest name of those that tie, unless it lowers the value."""
    relevant = qrels[qrels["label"] > 0].groupby("qid")["docno"].unique()
    left = {qid: sorted(docs) for qid, docs in relevant.items()}
    rankings: dict[str, list[str]] = {qid: [] for qid in qrels["qid"].unique()}
    values = dict.fromkeys(rankings, 0.0)
    while left := {qid: docs for qid, docs in left.items() if docs and len(rankings[qid]) < depth}:
        (tried,) = values_of([measure], qrels, {q: [[*rankings[q], doc] for doc in docs] for q, docs in left.items()})
        for qid, docs in list(left.items()):
            reached = {doc: tried[qid, (*rankings[qid], doc)] for doc in docs}
            best = max(reached.values())
            if best < values[qid] - 1e-12:
                del left[qid]
                continue
            taken = max(doc for doc, value in reached.items() if value >= best - 1e-12)
            rankings[qid].append(taken)
            values[qid] = reached[taken]
            docs.remove(taken)
    return rankings
