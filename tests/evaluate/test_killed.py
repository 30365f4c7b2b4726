"""Processes are killed while they evaluate: finished results are kept, and not computed again."""

import os
import subprocess
import sys
from collections import Counter

import pandas as pd
import pytest

from killed import Evaluation, kill, wait

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")


def same(table: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(table, other, check_exact=True)
    assert table.attrs == other.attrs


def again(evaluation: Evaluation, main: int) -> list[str]:
    """The runs that more than one worker read."""
    times = Counter(run for pid, run in evaluation.read() if pid != main)
    return sorted(run for run, n in times.items() if n > 1)


def test_a_worker_that_is_killed_costs_only_what_it_did(tmp_path):
    evaluation = Evaluation(tmp_path)

    with evaluation.start(n_jobs=2) as main:
        evaluation.wait_for(3, main)
        kill(min({pid for pid, _ in evaluation.read()} - {main.pid}))
        at_death = evaluation.finished()
        assert main.wait() == 0

    assert set(again(evaluation, main.pid)).isdisjoint(at_death)
    assert len(at_death) < evaluation.n_runs == len(set(evaluation.finished())) == len(evaluation.finished())
    same(evaluation.table(main), evaluation.undisturbed())


@pytest.mark.parametrize(("n_processes", "n_jobs"), [(1, 1), (2, 2)])
def test_a_call_that_is_killed_goes_on_where_it_ended(tmp_path, n_jobs, n_processes):
    evaluation = Evaluation(tmp_path)
    processes = [evaluation.start(n_jobs=n_jobs) for _ in range(n_processes)]
    evaluation.wait_for(3, processes[0])
    kill(*(process.pid for process in processes))
    for process in processes:
        process.wait()
    at_death, saved = evaluation.finished(), evaluation.saved()
    assert 3 <= len(at_death) < evaluation.n_runs

    with evaluation.start(n_jobs=2) as main:
        assert main.wait() == 0

    read = {run for pid, run in evaluation.read(by_last=True) if pid != main.pid}
    assert sorted([*read, *at_death]) == sorted(path.name for path in evaluation.runs.iterdir())
    assert saved.items() <= evaluation.saved().items()
    same(evaluation.table(main), evaluation.undisturbed())


class Cluster:
    """A Dask scheduler and workers, each a process."""

    def __init__(self, evaluation: Evaluation, folder: os.PathLike[str]) -> None:
        self._file, self._environment = os.path.join(folder, "scheduler.json"), evaluation.environment
        self._scheduler = self._start("scheduler", "--port", "0", "--no-dashboard")
        wait(lambda: os.path.exists(self._file) and os.path.getsize(self._file))
        self.workers = [self.add(), self.add()]

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", self._file, *options]
        return subprocess.Popen(command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def add(self) -> subprocess.Popen[bytes]:
        return self._start("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", "/tmp")

    def before(self) -> str:
        return (
            "from distributed import Client\nimport joblib\n"
            f"client = Client(scheduler_file={self._file!r})\nclient.wait_for_workers(2)\n"
            "joblib.parallel_config(backend='dask')"
        )

    def close(self) -> None:
        for process in (*self.workers, self._scheduler):
            process.kill()
            process.wait()


def test_workers_of_a_dask_cluster_that_are_killed_cost_only_what_they_did(tmp_path):
    pytest.importorskip("distributed")
    evaluation = Evaluation(tmp_path, n_runs=24)
    cluster = Cluster(evaluation, tmp_path)
    try:
        with evaluation.start(before=cluster.before()) as main:
            evaluation.wait_for(4, main)
            kill(cluster.workers[0].pid)
            after_one = evaluation.finished()
            cluster.workers[0].wait()
            cluster.workers[0] = cluster.add()
            evaluation.wait_for(len(after_one) + 4, main)
            kill(*(worker.pid for worker in cluster.workers))
            after_all = evaluation.finished()
            for worker in cluster.workers:
                worker.wait()
            cluster.workers = [cluster.add(), cluster.add()]
            assert main.wait(120) == 0
    finally:
        cluster.close()

    assert len(after_one) < len(after_all) < evaluation.n_runs
    assert set(again(evaluation, main.pid)).isdisjoint(after_one)
    assert len(evaluation.finished()) == evaluation.n_runs
    same(evaluation.table(main), evaluation.undisturbed())
