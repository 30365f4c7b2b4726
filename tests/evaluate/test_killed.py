"""Processes are killed while they evaluate: finished results are kept, and not computed again."""

import os

import pandas as pd
import pytest

from killed import Evaluation, kill

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed as POSIX has it")


def same(table: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(table, other, check_exact=True)
    assert table.attrs == other.attrs


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
