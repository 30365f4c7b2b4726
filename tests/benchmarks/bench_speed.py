"""Speed beside the peer: ``pytest tests/benchmarks/bench_speed.py -s``, one case with ``-k``.

Six measures of ndeval, computed by this package and by pyndeval through ir_measures, in one process. A speed is a ratio
of CPU times, each the shortest of many rounds in which the two take turns, so that it says the same on a busy machine.
Evaluators are built once for each side where the case does not say otherwise. A case prints its ratio beside the one
that it should have (with the strings of pandas 3 and pyarrow), but none fails on it, because no ratio is the same on
every machine. For numbers to quote, run each case in a process of its own.
"""

import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_DCG, nERR_IA

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


def python_strings(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with strings as Python objects."""
    return frame.astype({column: object for column in frame if not pd.api.types.is_numeric_dtype(frame[column])})


@pytest.fixture(params=["pandas", "python"])
def strings(request) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Return a function that gives a frame the strings of pandas, which it has already, or of Python."""
    return python_strings if request.param == "python" else pd.DataFrame.copy


@pytest.fixture(scope="module")
def qrels(trec_qrels) -> pd.DataFrame:
    return trec_qrels(2012).rename(columns={"subtopic_id": "iteration"})


@pytest.fixture(scope="module")
def long_run(trec_run) -> pd.DataFrame:
    return trec_run("2012/rm.catb")


@pytest.fixture
def frames_of(qrels, long_run) -> Callable[[int], Frames]:
    """Return the first documents of each query of TREC Web 2012, with the qrels: ``frames_of(20)``."""

    def frames(depth: int) -> Frames:
        run = long_run.sort_values(["query_id", "score"], ascending=[True, False]).groupby("query_id").head(depth)
        return run, qrels

    return frames


def renewed(qrels: pd.DataFrame) -> pd.DataFrame:
    """Return the qrels with a document in the first row that no qrels had before."""
    docs = qrels["doc_id"].astype(object).to_list()
    return qrels.assign(doc_id=pd.Series([f"new-{next(numbers)}", *docs[1:]], qrels.index, qrels["doc_id"].dtype))


def same_ends() -> Frames:
    """Make a run and qrels of documents whose ids differ only before their last 16 bytes."""
    run, qrels = made_up(500, 1_000, 6)
    return tuple(frame.assign(doc_id=frame["doc_id"] + ".html#the-document") for frame in (run, qrels))


AT_CUTOFFS = [measure @ k for measure in (alpha_nDCG, ERR_IA, P_IA, StRecall) for k in (1, 5, 10, 20)] + [NRBP, AP_IA]
ALL_AT_20 = [measure @ 20 for measure in (alpha_nDCG, alpha_DCG, ERR_IA, nERR_IA, P_IA, StRecall)]
# Depth of the run on TREC Web 2012 or input made up, the speed that it should have, and other measures than the six.
CASES: dict[str, tuple[int | Callable[[], Frames], float, list[ir_measures.Measure]]] = {
    "200 rows": (4, 3.2, MEASURES),
    "1,000 rows": (20, 4.5, MEASURES),
    "8,000 rows": (160, 10.5, MEASURES),
    "50,000 rows": (1000, 20, MEASURES),
    "500,000 rows": (partial(made_up, 500, 1_000, 6), 38, MEASURES),
    "500,000 rows whose ids share their last 16 bytes": (same_ends, 30, MEASURES),
    "one query": (partial(made_up, 1, 100, 6), 1.5, MEASURES),
    "200 x 100 with 100 nuggets": (partial(nuggets, 200, 100, 100), 12, MEASURES),
    "3,000 intents of one query": (partial(made_up, 1, 10_000, 3_000, 9_000), 14, MEASURES),
    "200 x 9": (partial(made_up, 200, 9, 6, 10), 5.5, MEASURES),
    "7,000 x 20": (partial(made_up, 7_000, 20, 4, 10), 18, MEASURES),
    "20,000 x 10": (partial(made_up, 20_000, 10, 4, 10), 10, MEASURES),
    "four measures at four cutoffs and two without": (1000, 23, AT_CUTOFFS),
    "six measures that all have a cutoff": (1000, 25, ALL_AT_20),
}


@pytest.mark.parametrize("case", CASES)
def test_a_run(benchmark, frames_of, strings, case):
    frames, floor, measures = CASES[case]
    run, qrels = map(strings, frames_of(frames) if isinstance(frames, int) else frames())
    ours, peer = ir_measures.evaluator(measures, qrels), pyndeval().evaluator(measures, qrels)
    report(benchmark, case, lambda: ours.calc_aggregate(run), lambda: peer.calc_aggregate(run), floor)


@pytest.mark.parametrize("case", ["7,000 x 20", "20,000 x 10"])
def test_the_values_of_many_queries(benchmark, strings, case):
    frames, floor, measures = CASES[case]
    run, qrels = map(strings, frames())
    ours, peer = ir_measures.evaluator(measures, qrels), pyndeval().evaluator(measures, qrels)
    report(benchmark, f"{case}, a Metric each", lambda: [*ours.iter_calc(run)], lambda: [*peer.iter_calc(run)], floor)


def test_an_evaluator_of_new_qrels_and_its_first_values(benchmark, qrels, long_run, strings):
    run, current = strings(long_run), [strings(qrels)]

    def next_qrels() -> None:
        current[0] = renewed(current[0])

    report(
        benchmark,
        "fresh qrels",
        lambda: ir_measures.evaluator(MEASURES, current[0]).calc_aggregate(run),
        lambda: pyndeval().evaluator(MEASURES, current[0]).calc_aggregate(run),
        17,
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


@pytest.fixture
def experiment(qrels, trec_run, strings) -> Callable[..., pd.DataFrame]:
    """Return an experiment of eight runs on the qrels of TREC Web 2012, or on others."""
    names = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    files = ["rm.catb", "ql.catb", "rm.catb-filtered", "ql.cata-filtered", "dssa-first-stage", "desa", "gdesa", "ppg"]
    systems = {name: strings(trec_run(f"2012/{name}").rename(columns=names)) for name in files}
    topics = pd.DataFrame({"qid": qrels["query_id"].unique(), "query": "x"})
    judged = strings(qrels).rename(columns=names)

    def run(other: pd.DataFrame | None = None) -> pd.DataFrame:
        return pt.Experiment(systems, topics, judged if other is None else other.rename(columns=names), MEASURES)

    return run


def test_an_experiment(benchmark, experiment, monkeypatch):
    pipeline = ir_measures.DefaultPipeline

    def peer() -> None:
        with monkeypatch.context() as patch:
            patch.setattr(pipeline, "providers", [p for p in pipeline.providers if p.NAME != "diversity"])
            experiment()

    report(benchmark, "pt.Experiment 8 x 6", experiment, peer, 38, budget=12)


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
