"""The command beside that of ir_measures: ``pytest tests/benchmarks/bench_shell.py -s``, one case with ``-k``.

Whole commands in processes of their own, from the start of Python to its end; a speed is a ratio of CPU times, each the
shortest of some rounds in which the two take turns. A case prints its ratio beside the one that it should have.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from timing import MEASURES

Commands = Sequence[list[str]]

NAMES = [str(measure) for measure in MEASURES]
START = "import sys; from {}; sys.exit({}())"
OURS = [sys.executable, "-c", START.format("pyterrier_diversity.cli import app", "app")]
PEER = [sys.executable, "-c", START.format("ir_measures.__main__ import main_cli", "main_cli")]


def cpu_seconds(commands: Commands) -> float:
    """Return the CPU time of processes that run one after the other."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in commands:
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(benchmark: Any, name: str, ours: Commands, peer: Commands, floor: float, rounds: int) -> None:
    """Print and keep how many times as long the peer takes."""
    times = [(cpu_seconds(ours), cpu_seconds(peer)) for _ in range(rounds + 1)][1:]  # the first one compiles
    mine, theirs = map(min, zip(*times, strict=True))
    benchmark.extra_info |= {"ratio": theirs / mine, "floor": floor, "s": mine, "peer's s": theirs}
    print(f"\n{name}: {theirs / mine:.2f} times as fast (should be {floor:g}); {mine:.2f} s, peer {theirs:.2f} s")
    benchmark.pedantic(lambda: None, rounds=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, trec_qrels, trec_run) -> Path:
    """The qrels of TREC Web 2012, and a run of 50,000 lines in 32 files."""
    folder = tmp_path_factory.mktemp("runs")
    qrels = trec_qrels(2012)[["query_id", "subtopic_id", "doc_id", "relevance"]]
    qrels.to_csv(folder / "qrels.txt", sep=" ", header=False, index=False)
    run = trec_run("2012/rm.catb").sort_values(["query_id", "score"], ascending=[True, False])
    run = run.assign(q0="Q0", rank=run.groupby("query_id").cumcount() + 1, tag="t")
    columns = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
    assert len(run) > 45_000
    for i in range(32):
        run.assign(tag=f"t{i}")[columns].to_csv(folder / f"run{i:02}.txt", sep=" ", header=False, index=False)
    return folder


@pytest.mark.parametrize("measures", [["alpha_nDCG@20"], NAMES], ids=["one measure", "six measures"])
def test_one_run(benchmark, folder, measures):
    qrels, run = str(folder / "qrels.txt"), str(folder / "run00.txt")

    report(
        benchmark,
        f"One run of 50,000 lines, {len(measures)} measures",
        [[*OURS, "evaluate", qrels, run, "-m", " ".join(measures)]],
        [[*PEER, qrels, run, *measures]],
        0.9,
        rounds=5,
    )


def test_thirty_two_runs(benchmark, folder):
    qrels, runs = str(folder / "qrels.txt"), sorted(map(str, folder.glob("run*.txt")))

    report(
        benchmark,
        "32 runs of 50,000 lines: one command, and the peer's 32 times",
        [[*OURS, "evaluate", qrels, *runs, "-m", " ".join(NAMES)]],
        [[*PEER, qrels, run, *NAMES] for run in runs],
        6,
        rounds=1,
    )


def test_two_workers(benchmark, folder):
    qrels, runs = str(folder / "qrels.txt"), sorted(map(str, folder.glob("run*.txt")))
    command = [*OURS, "evaluate", qrels, *runs, "-m", " ".join(NAMES)]
    times: dict[str, list[float]] = {"1": [], "2": []}
    for _ in range(2):
        for jobs, taken in times.items():
            started = time.perf_counter()
            cpu_seconds([[*command, "--jobs", jobs]])
            taken.append(time.perf_counter() - started)
    one, two = min(times["1"]), min(times["2"])
    benchmark.extra_info["ratio"] = one / two
    print(
        f"\n32 runs with --jobs 2: {one / two:.2f} times as fast as with one (should be 1.6); {two:.2f} s, {one:.2f} s"
    )
    benchmark.pedantic(lambda: None, rounds=1)


@pytest.mark.parametrize("statement", ["import pyterrier_diversity", "import pyterrier_diversity.cli"])
def test_the_import(benchmark, statement):
    """Beside pandas and ir_measures, which it needs."""
    ours, peer = ([[sys.executable, "-c", code]] for code in (statement, "import pandas, ir_measures"))

    report(benchmark, statement, ours, peer, 0.9, rounds=8)
