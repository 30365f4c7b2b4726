"""How many workers evaluate runs."""

from pathlib import Path

import joblib
import pandas as pd
import pytest

from processes import in_a_new_process
from pyterrier_diversity import RBU, evaluate_runs
from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset

WITH_MY_MEASURE = """
from pyterrier_diversity import evaluate_runs
from pyterrier_diversity.datasets.demo import FOLDER, DemoDataset
from pyterrier_diversity.measures.base import DiversityMeasure

class Length(DiversityMeasure):
    NAME = "Length"

    def score(self, ranked):
        return 1.0 * ranked.n

how = {"qrels": DemoDataset().get_qrels(), "runs": [*FOLDER.glob("*.run")], "measures": [Length()]}
print(evaluate_runs(**how, n_jobs=2).equals(evaluate_runs(**how, n_jobs=1)))
"""
FILES = {name: FOLDER / f"{name}.run" for name in RUNS}
QRELS = DemoDataset().get_qrels()


@pytest.fixture
def workers(monkeypatch) -> list[int]:
    """Return a list to which the number of workers is added whenever some are asked for."""
    asked: list[int] = []
    parallel = joblib.Parallel

    def counted(*args: object, **how: int) -> joblib.Parallel:
        asked.append(how["n_jobs"])
        return parallel(*args, **how | {"n_jobs": 1})

    monkeypatch.setattr(joblib, "Parallel", counted)
    monkeypatch.setattr(joblib, "effective_n_jobs", lambda n_jobs=-1: 64 if n_jobs == -1 else n_jobs)
    return asked


@pytest.mark.parametrize("n_jobs", [100_000, -1, 64])
def test_there_are_no_more_workers_than_runs(workers, n_jobs):
    table = evaluate_runs(QRELS, FILES, [RBU @ 5], n_jobs=n_jobs)

    assert workers == [len(FILES)]
    pd.testing.assert_frame_equal(table, evaluate_runs(QRELS, FILES, [RBU @ 5], n_jobs=1), check_exact=True)


def test_there_are_no_more_workers_than_cores(workers):
    run = DemoDataset().get_results("bm25")

    evaluate_runs(QRELS, {str(i): run for i in range(70)}, [RBU @ 5], n_jobs=100_000)

    assert workers == [64]


def test_workers_know_measures_of_a_notebook():
    assert in_a_new_process(WITH_MY_MEASURE) == "True"


def test_paths_are_relative_to_the_folder_of_the_call_though_workers_are_older(tmp_path, monkeypatch):
    def mean(folder: str) -> list[float]:
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        for name in "ab":
            Path(f"{name}.run").write_bytes(FILES["bm25"].read_bytes())
        return evaluate_runs(QRELS, ["a.run", "b.run"], [RBU @ 5], n_jobs=2)["RBU@5"].round(3).tolist()

    assert mean("one") == mean("two") == [0.384, 0.384]
