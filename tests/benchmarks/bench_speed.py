"""Speed beside the peer: ``pytest tests/benchmarks/bench_speed.py -s``, one case with ``-k``.

Six measures of ndeval, computed by this package and by pyndeval through ir_measures, in one process. A speed is a ratio
of CPU times, each the shortest of many rounds in which the two take turns, so that it says the same on a busy machine.
Evaluators are built once for each side where the case does not say otherwise. A case prints its ratio beside the one
that it should have; but none fails on it, because no ratio is the same on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import ERR_IA, P_IA, StRecall, alpha_DCG, nERR_IA

from pyterrier_diversity import RBU, alpha_nDCG
from pyterrier_diversity.io import read_run
from timing import MEASURES, in_turns, made_up, nuggets, pyndeval

pytestmark = pytest.mark.benchmark(timer=time.process_time)

Frames = tuple[pd.DataFrame, pd.DataFrame]
numbers = count()


def report(
    benchmark: Any,
    name: str,
    ours: Callable[[], object],
    peer: Callable[[], object],
    floor: float,
    digits: int = 1,
    **how: Any,
) -> None:
    """Print and keep how many times as long the peer takes."""
    mine, theirs = in_turns(ours, peer, **how)
    benchmark.extra_info |= {"ratio": theirs / mine, "floor": floor, "ms": mine * 1e3, "peer's ms": theirs * 1e3}
    print(
        f"\n{name}: {theirs / mine:.{digits}f} times as fast (should be {floor:g}); "
        f"{mine * 1e3:.2f} ms, peer {theirs * 1e3:.2f} ms"
    )
    benchmark.pedantic(ours, rounds=3)


def report_run(benchmark: Any, name: str, frames: Frames, floor: float) -> None:
    """Time the means of a run, evaluators built before."""
    run, qrels = frames
    ours, peer = ir_measures.evaluator(MEASURES, qrels), pyndeval().evaluator(MEASURES, qrels)
    report(
        benchmark,
        f"{name}, {len(run):,} rows",
        lambda: ours.calc_aggregate(run),
        lambda: peer.calc_aggregate(run),
        floor,
    )


@pytest.fixture(scope="module")
def qrels(trec_qrels) -> pd.DataFrame:
    return trec_qrels(2012).rename(columns={"subtopic_id": "iteration"})


@pytest.fixture(scope="module")
def long_run(trec_run) -> pd.DataFrame:
    return trec_run("2012/rm.catb")


def renewed(qrels: pd.DataFrame) -> pd.DataFrame:
    """Return the qrels with a document in the first row that no qrels had before."""
    return qrels.assign(doc_id=[f"new-{next(numbers)}", *qrels["doc_id"].to_list()[1:]])


@pytest.mark.parametrize(("depth", "floor"), [(1000, 17), (160, 7), (20, 2.5), (4, 2)], ids=str)
def test_a_run_of_trec_web_2012(benchmark, qrels, long_run, depth, floor):
    run = long_run.sort_values(["query_id", "score"], ascending=[True, False]).groupby("query_id").head(depth)

    report_run(benchmark, f"TREC Web 2012, {depth} a query", (run, qrels), floor)


def test_measures_that_all_have_a_cutoff(benchmark, qrels, long_run):
    measures = [alpha_nDCG @ 20, alpha_DCG @ 20, ERR_IA @ 20, nERR_IA @ 20, P_IA @ 20, StRecall @ 20]
    ours, peer = ir_measures.evaluator(measures, qrels), pyndeval().evaluator(measures, qrels)
    report(
        benchmark,
        f"Six measures @20, {len(long_run):,} rows",
        lambda: ours.calc_aggregate(long_run),
        lambda: peer.calc_aggregate(long_run),
        25,
    )


def test_strings_in_arrow(benchmark, qrels, long_run):
    pytest.importorskip("pyarrow")
    kinds = {"query_id": "string[pyarrow]", "doc_id": "string[pyarrow]"}
    report_run(benchmark, "Strings in Arrow", (long_run.astype(kinds), qrels.astype(kinds)), 20)


def test_one_query(benchmark):
    report_run(benchmark, "One query", made_up(1, 100, 6), 1)


def test_nuggets_of_passages(benchmark):
    report_run(benchmark, "200 queries, 100 passages and 100 nuggets each", nuggets(200, 100, 100), 9)


def test_many_intents_of_one_query(benchmark):
    report_run(benchmark, "One query, 3,000 intents, 9,000 relevant", made_up(1, 10_000, 3_000, 9_000), 10)


@pytest.mark.parametrize(("n_queries", "depth", "floor"), [(7_000, 20, 15), (20_000, 10, 12)])
def test_many_queries(benchmark, n_queries, depth, floor):
    report_run(benchmark, f"{n_queries:,} queries", made_up(n_queries, depth, 4, 10), floor)


def test_an_evaluator_of_new_qrels_and_its_first_values(benchmark, qrels, long_run):
    current = [qrels]

    def next_qrels() -> None:
        current[0] = renewed(qrels)

    report(
        benchmark,
        f"Evaluator of {len(qrels):,} new rows and its first values",
        lambda: ir_measures.evaluator(MEASURES, current[0]).calc_aggregate(long_run),
        lambda: pyndeval().evaluator(MEASURES, current[0]).calc_aggregate(long_run),
        9,
        between=next_qrels,
    )


@pytest.fixture(scope="module")
def run_file(long_run, tmp_path_factory) -> Path:
    """Return a run file of 50,000 plain lines."""
    path = tmp_path_factory.mktemp("runs") / "plain.run"
    rank = long_run.groupby("query_id").cumcount() + 1
    long_run.assign(q0="Q0", rank=rank, tag="run")[["query_id", "q0", "doc_id", "rank", "score", "tag"]].to_csv(
        path, sep=" ", header=False, index=False
    )
    return path


@pytest.mark.parametrize("peer", ["pandas.read_csv", "pt.io.read_results"])
def test_reading_a_run_file(benchmark, run_file, peer):
    def by_peer() -> pd.DataFrame:
        if peer == "pt.io.read_results":
            return pt.io.read_results(str(run_file))
        return pd.read_csv(run_file, sep=r"\s+", header=None)

    floor = 1.2 if peer == "pt.io.read_results" else 0.9
    report(benchmark, f"read_run beside {peer}", lambda: read_run(run_file), by_peer, floor, digits=2)


@pytest.fixture(scope="module")
def experiment(qrels, trec_run) -> Callable[..., pd.DataFrame]:
    """Return an experiment of eight runs on the qrels of TREC Web 2012, or on others."""
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    files = ["rm.catb", "ql.catb", "rm.catb-filtered", "ql.cata-filtered", "dssa-first-stage", "desa", "gdesa", "ppg"]
    systems = {name: trec_run(f"2012/{name}").rename(columns=names) for name in files}
    topics = pd.DataFrame({"qid": qrels["query_id"].unique(), "query": "x"})
    judged = qrels.rename(columns=names)

    def run(other: pd.DataFrame | None = None) -> pd.DataFrame:
        return pt.Experiment(systems, topics, judged if other is None else other.rename(columns=names), MEASURES)

    return run


def test_an_experiment(benchmark, experiment, monkeypatch):
    pipeline = ir_measures.DefaultPipeline

    def peer() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(pipeline, "providers", [p for p in pipeline.providers if p.NAME != "diversity"])
            experiment()

    report(benchmark, "pt.Experiment of 8 runs", experiment, peer, 25, budget=12)


def test_an_experiment_after_four_others(benchmark, qrels, experiment):
    after_others = [False]

    def others_first() -> None:
        after_others[0] = not after_others[0]
        if after_others[0]:
            for _ in range(4):
                experiment(renewed(qrels))

    after, again = in_turns(experiment, experiment, between=others_first, budget=12)
    benchmark.extra_info["ratio"] = after / again
    print(
        f"\npt.Experiment after four others with similar qrels: {after * 1e3:.1f} ms; right after itself "
        f"{again * 1e3:.1f} ms: {after / again:.2f} times as long (should be 1)"
    )
    benchmark.pedantic(experiment, rounds=3)


def test_rbu_costs_what_the_others_cost(benchmark, qrels, long_run):
    rbu, alpha = (ir_measures.evaluator([measure], qrels) for measure in (RBU @ 20, alpha_nDCG @ 20))
    mine, theirs = in_turns(lambda: rbu.calc_aggregate(long_run), lambda: alpha.calc_aggregate(long_run))
    benchmark.extra_info["ratio"] = mine / theirs
    print(
        f"\nRBU@20: {mine * 1e3:.2f} ms, our alpha_nDCG@20 {theirs * 1e3:.2f} ms: {mine / theirs:.2f} times as long "
        "(should be at most 1.05)"
    )
    benchmark.pedantic(rbu.calc_aggregate, args=(long_run,), rounds=3)
