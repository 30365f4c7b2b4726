"""Time and memory of large inputs, beside pyndeval: ``pytest tests/benchmarks/bench_scale.py -s``.

Memory is what Python allocates above the frames, at its peak.
"""

import os
import subprocess
import sys
import time

import ir_measures
import pytest

from pyterrier_diversity import RBU, evaluate_runs
from timing import MEASURES, in_turns, made_up, peak_mb, pyndeval, seconds

pytestmark = pytest.mark.benchmark(timer=time.process_time)


def test_time_grows_as_the_rows_do(benchmark):
    for n_queries in (125, 250, 500):
        run, qrels = made_up(n_queries, 1_000, 6)
        ours = ir_measures.evaluator(MEASURES, qrels)
        peer = pyndeval().evaluator(MEASURES, qrels)
        mine, theirs = in_turns(lambda: ours.calc_aggregate(run), lambda: peer.calc_aggregate(run))  # noqa: B023
        memory, peers = (peak_mb(side.calc_aggregate, run) for side in (ours, peer))
        print(
            f"\n{len(run):,} rows: {mine * 1e3:.0f} ms, {mine / len(run) * 1e9:.0f} ns a row, {memory:.0f} MB; "
            f"pyndeval {theirs * 1e3:.0f} ms, {theirs / mine:.1f} times as long, {peers:.0f} MB in Python",
            end="",
        )
    benchmark.pedantic(ours.calc_aggregate, (run,), rounds=3)


@pytest.mark.parametrize(
    ("n_queries", "n_docs", "n_intents", "n_relevant", "limit"),
    [(7_000, 1_000, 6, 20, 100), (200_000, 10, 4, 10, 200), (1, 10_000, 3_000, 9_000, 60)],
    ids=["7,000 queries x 1,000 documents", "200,000 queries x 10 documents", "3,000 intents of one query"],
)
def test_large_runs_need_little_memory(benchmark, request, n_queries, n_docs, n_intents, n_relevant, limit):
    run, qrels = made_up(n_queries, n_docs, n_intents, n_relevant)
    measures = [*MEASURES, RBU @ 20]

    reading = peak_mb(ir_measures.evaluator, measures, qrels)
    evaluator = ir_measures.evaluator(measures, qrels)
    first, again = (peak_mb(evaluator.calc_aggregate, run) for _ in range(2))
    benchmark.pedantic(evaluator.calc_aggregate, (run,), rounds=2)
    benchmark.extra_info |= {"MB": again, "MB of the first run": first, "MB of reading": reading, "limit": limit}
    print(
        f"\n{request.node.callspec.id}: a run {again:.0f} MB (should be at most {limit}), the first one "
        f"{first:.0f} MB, reading the qrels {reading:.0f} MB; {benchmark.stats.stats.min:.2f} s a run"
    )


def test_a_hundred_runs(benchmark):
    _, qrels = made_up(50, 1_000, 6)
    runs = [made_up(50, 1_000, 6, seed=seed)[0] for seed in range(100)]

    def all_runs(evaluator: ir_measures.providers.Evaluator) -> None:
        for run in runs:
            evaluator.calc_aggregate(run)

    ours, peer = ir_measures.evaluator(MEASURES, qrels), pyndeval().evaluator(MEASURES, qrels)
    benchmark.pedantic(all_runs, (ours,), rounds=1)
    mine, theirs = in_turns(lambda: ours.calc_aggregate(runs[0]), lambda: peer.calc_aggregate(runs[0]))
    print(
        f"\n100 runs of 50,000 rows: {benchmark.stats.stats.min:.2f} s, {peak_mb(all_runs, ours):.0f} MB; one "
        f"{mine * 1e3:.1f} ms, pyndeval {theirs * 1e3:.0f} ms, {theirs / mine:.1f} times as long"
    )


@pytest.mark.parametrize("backend", ["object", "python", "pyarrow"])
def test_strings_of_pandas(benchmark, backend):
    if backend == "pyarrow":
        pytest.importorskip("pyarrow")
    kind = "object" if backend == "object" else f"string[{backend}]"
    run, qrels = (frame.astype({"query_id": kind, "doc_id": kind}) for frame in made_up(50, 1_000, 6))

    ours, peer = ir_measures.evaluator(MEASURES, qrels), pyndeval().evaluator(MEASURES, qrels)
    mine, theirs = in_turns(lambda: ours.calc_aggregate(run), lambda: peer.calc_aggregate(run))
    print(f"\nStrings as {backend}, 50,000 rows: {mine * 1e3:.1f} ms, pyndeval {theirs / mine:.1f} times as long")
    benchmark.pedantic(ours.calc_aggregate, (run,), rounds=3)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder of 32 run files of 50,000 lines, and their qrels."""
    folder = tmp_path_factory.mktemp("runs")
    for seed in range(32):
        run = made_up(50, 1_000, 6, seed=seed)[0]
        run = run.assign(q0="Q0", rank=run.groupby("query_id").cumcount(), tag="t")
        columns = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
        run[columns].to_csv(folder / f"{seed:02}.run", sep=" ", header=False, index=False)
    return folder, made_up(50, 1_000, 6)[1]


def test_two_workers_are_faster_than_one(benchmark, files):
    folder, qrels = files
    evaluate_runs(qrels, folder, MEASURES, n_jobs=2)  # workers have been started

    one, two = (seconds(lambda: evaluate_runs(qrels, folder, MEASURES, n_jobs=n_jobs)) for n_jobs in (1, 2))  # noqa: B023
    benchmark.pedantic(evaluate_runs, (qrels, folder, MEASURES), {"n_jobs": 2}, rounds=1)
    print(
        f"\n32 files of 50,000 lines: {one:.2f} s, with two workers {two:.2f} s, {one / two:.2f} times faster "
        f"(should be 1.6); other processes keep {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores busy"
    )


# The same file with many names, to measure the memory and not the disk.
_PEAK = """
import resource, sys
from pathlib import Path
from pyterrier_diversity import evaluate_runs
from pyterrier_diversity.io import read_qrels
from timing import MEASURES
folder, n_runs = Path(sys.argv[1]), int(sys.argv[2])
paths = sorted(folder.glob("*.run"))
evaluate_runs(
    read_qrels(folder / "qrels.txt"), {str(i): paths[i % len(paths)] for i in range(n_runs)}, MEASURES, perquery=True
)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_of_many_files_is_that_of_one(benchmark, files):
    folder, qrels = files
    columns = ["query_id", "iteration", "doc_id", "relevance"]
    qrels[columns].to_csv(folder / "qrels.txt", sep=" ", header=False, index=False)

    def peak(n_runs: int) -> float:
        command = [sys.executable, "-c", _PEAK, str(folder), str(n_runs)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) / 2**10

    one = peak(1)
    many = benchmark.pedantic(peak, (200,), rounds=1)
    print(
        f"\n200 files of 50,000 lines: {many:.0f} MB at the peak, one {one:.0f} MB: {many - one:.0f} MB more (limit 50)"
    )
    (folder / "qrels.txt").unlink()
