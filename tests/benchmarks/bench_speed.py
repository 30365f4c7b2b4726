"""Speed beside the peers: ``pytest tests/benchmarks/bench_speed.py -s``.

Both sides run in one process, garbage collector on; printed are the medians and their ratio.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_diversity import RBU, alpha_nDCG
from pyterrier_diversity.judged import qrels as reading
from timing import MEASURES, pyndeval


def median_seconds(function: Callable[[], object], rounds: int) -> float:
    """Time a function over and over, after a first call that does not count."""
    function()
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def versus(name: str, ours: Callable[[], object], peer: Callable[[], object], rounds: int = 15) -> float:
    """Print the median seconds of two functions, each timed by itself, and their ratio."""
    assert gc.isenabled()
    mine, theirs = median_seconds(ours, rounds), median_seconds(peer, rounds)
    print(f"\n{name}: {mine * 1e3:.2f} ms, peer {theirs * 1e3:.2f} ms, {theirs / mine:.1f} times faster")
    return theirs / mine


@pytest.fixture(scope="module")
def qrels(trec_qrels) -> pd.DataFrame:
    return trec_qrels(2012).rename(columns={"subtopic_id": "iteration"})


@pytest.mark.parametrize("name", ["rm.catb", "ql.catb", "rm.catb-filtered", "ql.cata-filtered"])
def test_a_run(benchmark, qrels, shared, name):
    path = shared / "trec-web" / "runs" / "2012" / f"{name}.run.gz"
    run = pt.model.to_ir_measures(pt.io.read_results(str(path)))
    ours = ir_measures.evaluator(MEASURES, qrels)
    peer = pyndeval().evaluator(MEASURES, qrels)
    benchmark.extra_info["ratio"] = versus(
        f"run {name}, {len(run)} rows", lambda: ours.calc_aggregate(run), lambda: peer.calc_aggregate(run)
    )

    benchmark.pedantic(ours.calc_aggregate, args=(run,), rounds=10)


def test_building_an_evaluator(benchmark, qrels):
    def ours() -> None:
        reading._recent.clear()
        ir_measures.evaluator(MEASURES, qrels)

    benchmark.extra_info["ratio"] = versus(
        f"evaluator, {len(qrels)} rows", ours, lambda: pyndeval().evaluator(MEASURES, qrels)
    )

    benchmark.pedantic(ours, rounds=10)


def test_an_experiment(benchmark, qrels, trec_run, monkeypatch):
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    frame = qrels.rename(columns=names)
    topics = pd.DataFrame({"qid": frame["qid"].unique(), "query": "x"})
    systems = [
        trec_run(f"2012/{name}").rename(columns=names)
        for name in ("rm.catb", "ql.catb", "rm.catb-filtered", "ql.cata-filtered")
    ]
    systems_named = dict(zip("abcd", systems, strict=True))

    def ours() -> None:
        pt.Experiment(systems_named, topics, frame, MEASURES)

    def peer() -> None:
        pipeline = ir_measures.DefaultPipeline
        with monkeypatch.context() as patch:
            patch.setattr(pipeline, "providers", [p for p in pipeline.providers if p.NAME != "diversity"])
            ours()

    benchmark.extra_info["ratio"] = versus("pt.Experiment, 4 runs of 2012", ours, peer, rounds=5)

    benchmark.pedantic(ours, rounds=5)


def test_rbu_costs_what_the_others_cost(benchmark, qrels, trec_run):
    run = trec_run("2012/rm.catb")
    rbu = ir_measures.evaluator([RBU @ 20], qrels)
    alpha = ir_measures.evaluator([alpha_nDCG @ 20], qrels)
    versus("RBU@20, peer: our alpha_nDCG@20", lambda: rbu.calc_aggregate(run), lambda: alpha.calc_aggregate(run))

    benchmark.pedantic(rbu.calc_aggregate, args=(run,), rounds=10)
