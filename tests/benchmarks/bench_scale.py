"""Time and memory of large inputs, beside pyndeval: ``pytest tests/benchmarks/bench_scale.py -s``.

Memory is what is allocated above the frames, at its peak.
"""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity import RBU
from pyterrier_diversity.judged import qrels as reading
from timing import MEASURES, peak_mb, pyndeval, seconds


def made_up(
    n_queries: int, n_docs: int, n_intents: int, n_relevant: int = 20, seed: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make a run, and qrels with some relevant documents for each query, each of one intent."""
    rng = np.random.default_rng(seed)
    queries = np.array([f"q{i}" for i in range(n_queries)], dtype=object)
    docs = np.array([f"clueweb09-en0000-{i:05d}" for i in range(n_docs * 2)], dtype=object)
    doc = np.concatenate([rng.permutation(len(docs))[:n_docs] for _ in range(n_queries)])
    score = -np.sort(-rng.random((n_queries, n_docs)), axis=1).ravel()
    run = pd.DataFrame({"query_id": queries.repeat(n_docs), "doc_id": docs[doc], "score": score})
    judged = np.concatenate([rng.choice(len(docs), n_relevant, replace=False) for _ in range(n_queries)])
    qrels = pd.DataFrame({"query_id": queries.repeat(n_relevant), "doc_id": docs[judged]})
    qrels["iteration"] = rng.integers(0, n_intents, len(qrels)).astype(str)
    return run, qrels.assign(relevance=rng.integers(1, 4, len(qrels)))


def test_time_grows_as_the_rows_do(benchmark):
    for n_queries in (125, 250, 500):
        run, qrels = made_up(n_queries, 1_000, 6)
        ours = ir_measures.evaluator(MEASURES, qrels)
        peer = pyndeval().evaluator(MEASURES, qrels)
        mine, theirs = (seconds(side.calc_aggregate, run) for side in (ours, peer))
        memory, peers = (peak_mb(side.calc_aggregate, run) for side in (ours, peer))
        print(
            f"\n{len(run)} rows: {mine * 1e3:.0f} ms, {mine / len(run) * 1e9:.0f} ns a row, {memory:.0f} MB; pyndeval "
            f"{theirs * 1e3:.0f} ms, {theirs / mine:.1f} times as long, {peers:.0f} MB in Python",
            end="",
        )
    benchmark.pedantic(ours.calc_aggregate, (run,), rounds=3)


@pytest.mark.parametrize(
    ("n_queries", "n_docs", "n_intents", "n_relevant"),
    [(7_000, 1_000, 6, 20), (200_000, 10, 4, 10), (1, 10_000, 3_000, 9_000)],
    ids=["7,000 queries x 1,000 documents", "200,000 queries x 10 documents", "3,000 intents of one query"],
)
def test_large_runs_need_little_memory(benchmark, request, n_queries, n_docs, n_intents, n_relevant):
    run, qrels = made_up(n_queries, n_docs, n_intents, n_relevant)
    measures = [*MEASURES, RBU @ 20]
    read = seconds(ir_measures.evaluator, measures, qrels, rounds=1)
    evaluator = ir_measures.evaluator(measures, qrels)
    first = seconds(evaluator.calc_aggregate, run, rounds=1)
    benchmark.pedantic(evaluator.calc_aggregate, (run,), rounds=2)
    benchmark.extra_info["peak MB"] = peak_mb(evaluator.calc_aggregate, run)
    peer = pyndeval().evaluator(MEASURES, qrels)
    theirs = seconds(peer.calc_aggregate, run, rounds=1)
    again = benchmark.stats.stats.min
    print(
        f"\n{request.node.callspec.id}: qrels {read:.2f} s, first run {first:.2f} s, next ones {again:.2f} s, "
        f"{benchmark.extra_info['peak MB']:.0f} MB; pyndeval {theirs:.2f} s, {theirs / again:.1f} times as long"
    )


def test_a_hundred_runs(benchmark):
    _, qrels = made_up(50, 1_000, 6)
    runs = [made_up(50, 1_000, 6, seed=seed)[0] for seed in range(100)]

    def all_runs(evaluator: ir_measures.providers.Evaluator) -> None:
        for run in runs:
            evaluator.calc_aggregate(run)

    ours, peer = ir_measures.evaluator(MEASURES, qrels), pyndeval().evaluator(MEASURES, qrels)
    benchmark.pedantic(all_runs, (ours,), rounds=1)
    mine, theirs = benchmark.stats.stats.min, seconds(all_runs, peer, rounds=1)
    print(
        f"\n100 runs of 50,000 rows: {mine:.2f} s, {peak_mb(all_runs, ours):.0f} MB; pyndeval {theirs:.2f} s, "
        f"{theirs / mine:.1f} times as long"
    )


@pytest.mark.parametrize("backend", ["object", "python", "pyarrow"])
def test_strings_of_pandas(benchmark, backend):
    if backend == "pyarrow":
        pytest.importorskip("pyarrow")
    kind = "object" if backend == "object" else f"string[{backend}]"
    run, qrels = (frame.astype({"query_id": kind, "doc_id": kind}) for frame in made_up(50, 1_000, 6))

    def read() -> None:
        reading._recent.clear()
        ir_measures.evaluator(MEASURES, qrels)

    ours, peer = ir_measures.evaluator(MEASURES, qrels), pyndeval().evaluator(MEASURES, qrels)
    benchmark.pedantic(ours.calc_aggregate, (run,), rounds=10, warmup_rounds=1)
    mine, theirs = benchmark.stats.stats.min, seconds(peer.calc_aggregate, run)
    print(
        f"\nStrings as {backend}, 50,000 rows: {mine * 1e3:.1f} ms (pyndeval {theirs / mine:.1f} times as long), qrels "
        f"{seconds(read, rounds=5) * 1e3:.1f} ms"
    )
