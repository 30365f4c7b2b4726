"""Evaluations that take long enough for something to be killed meanwhile, and a record of who read which run."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from pyterrier_diversity import NDEVAL, RBU, evaluate_runs
from pyterrier_diversity.io import read_qrels
from timing import made_up

# Python imports it when it starts, so that each process writes down which runs it reads.
_RECORDER = """
import os, sys
def record(event, args):
    if event == "open" and str(args[0]).endswith(".run"):
        log = os.open(os.environ["READ_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(log, f"{os.getpid()} {os.path.basename(args[0])}\\n".encode())
        os.close(log)
sys.addaudithook(record)
"""

_MAIN = """
import json, os, pathlib, sys
from pyterrier_diversity import NDEVAL, RBU, evaluate_runs
from pyterrier_diversity.evaluate import scoring
from pyterrier_diversity.io import read_qrels

if __name__ == "__main__":
    scoring.SMALL = 0
    folder, save_dir, options, before = pathlib.Path(sys.argv[1]), *sys.argv[2:]
    exec(before)
    qrels = read_qrels(folder.parent / "qrels.txt")
    table = evaluate_runs(qrels, folder, [*NDEVAL, RBU @ 20], perquery=True, save_dir=save_dir, **json.loads(options))
    table.to_pickle(f"{save_dir}.{os.getpid()}.pickle")
"""


@functools.cache
def _run(n_queries: int, n_docs: int, seed: int) -> str:
    run = made_up(n_queries, n_docs, 6, seed=seed)[0]
    run = run.assign(q0="Q0", rank=run.groupby("query_id").cumcount(), tag="t")
    columns = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
    return run[columns].to_csv(sep=" ", header=False, index=False)


@functools.cache
def _qrels(n_queries: int, n_docs: int) -> str:
    columns = ["query_id", "iteration", "doc_id", "relevance"]
    return made_up(n_queries, n_docs, 6)[1][columns].to_csv(sep=" ", header=False, index=False)


# By the sizes of evaluations.
_UNDISTURBED: dict[tuple[int, int, int], pd.DataFrame] = {}


class Evaluation:
    """Run files, and processes that evaluate them.

    Parameters
    ----------
    folder : Path
        An empty folder.
    n_runs, n_queries, n_docs : int
        How many there are.
    """

    def __init__(self, folder: Path, *, n_runs: int = 12, n_queries: int = 50, n_docs: int = 300):
        self.runs, self.save_dir = folder / "runs", folder / "saved"
        self._logs = [folder / "log-0.txt"]
        self._main = folder / "main.py"
        self.runs.mkdir()
        for seed in range(n_runs):
            (self.runs / f"{seed:03}.run").write_text(_run(n_queries, n_docs, seed))
        (folder / "qrels.txt").write_text(_qrels(n_queries, n_docs))
        self.n_runs, self.rows_of_run = n_runs, n_queries * n_docs
        self._sizes = n_runs, n_queries, n_docs
        self._main.write_text(_MAIN)
        (folder / "sitecustomize.py").write_text(_RECORDER)
        self.environment = {
            **os.environ,
            "READ_LOG": str(self._logs[0]),
            "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]),
        }

    def start(self, *, before: str = "", **options: object) -> subprocess.Popen[bytes]:
        """Start a process that evaluates the runs."""
        self._logs.append(self._logs[0].with_name(f"log-{len(self._logs)}.txt"))
        arguments = [str(self.runs), str(self.save_dir), json.dumps(options), before]
        return subprocess.Popen(
            [sys.executable, str(self._main), *arguments], env={**self.environment, "READ_LOG": str(self._logs[-1])}
        )

    def table(self, process: subprocess.Popen[bytes]) -> pd.DataFrame:
        """Return what a process returned, which must have ended well."""
        return pd.read_pickle(f"{self.save_dir}.{process.pid}.pickle")

    def undisturbed(self) -> pd.DataFrame:
        """Return what the process returns if nothing happens to it: the same for all with as many runs."""
        if self._sizes not in _UNDISTURBED:
            qrels = read_qrels(self.runs.parent / "qrels.txt")
            _UNDISTURBED[self._sizes] = evaluate_runs(qrels, self.runs, [*NDEVAL, RBU @ 20], perquery=True, n_jobs=1)
        return _UNDISTURBED[self._sizes]

    def finished(self) -> list[str]:
        """Return the runs whose values are saved."""
        return sorted(f"{path.name.split('.')[0]}.run" for path in self.save_dir.glob("*.values.json"))

    def saved(self) -> dict[str, bytes]:
        """Return the tables and notes that are saved."""
        return {path.name: path.read_bytes() for path in self.save_dir.glob("*.values.*")}

    def read(self, *, by_last: bool = False) -> set[tuple[int, str]]:
        """Return pairs of process and run: who read what, among all, or among the last call and its workers."""
        logs = [log.read_text().splitlines() for log in self._logs[-1 if by_last else 0 :] if log.exists()]
        return {(int(pid), run) for log in logs for pid, run in (line.split(" ") for line in log)}

    def wait_for(self, n_finished: int, process: subprocess.Popen[bytes]) -> None:
        """Wait until so many runs are finished."""
        wait(lambda: len(self.finished()) >= n_finished or process.poll() is not None)


def wait(until: Callable[[], object], seconds: float = 120) -> None:
    """Wait until something is so."""
    ends = time.monotonic() + seconds
    while not until():
        if time.monotonic() > ends:
            raise TimeoutError
        time.sleep(0.005)


def kill(*pids: int) -> None:
    """End processes without notice."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
