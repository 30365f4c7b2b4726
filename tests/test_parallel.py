import math
import os
from concurrent.futures import BrokenExecutor

import joblib
import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity import P_Rareness
from pyterrier_diversity.meta import (
    compare,
    insert_synthetic_system,
    number_of_systems,
    stability,
    topic_sampling,
)
from pyterrier_diversity.parallel import as_finished, enough_workers, in_parallel
from tasks import Shared, called, loads

SYSTEMS, QUERIES = [f"s{i}" for i in range(6)], [f"q{i}" for i in range(46)]


@pytest.fixture(scope="module")
def perquery() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    keys = pd.MultiIndex.from_product([SYSTEMS, QUERIES, ["A", "B"]], names=["name", "qid", "measure"])
    return pd.DataFrame({"value": rng.random(len(keys)).round(2)}, index=keys).reset_index()


@pytest.fixture(scope="module")
def runs() -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(6)
    docs = np.array([f"d{i:02}" for i in range(20)])
    return {
        name: pd.concat(
            pd.DataFrame({"qid": qid, "docno": rng.permutation(docs)[:8], "score": np.arange(8.0, 0.0, -1.0)})
            for qid in QUERIES[:5]
        )
        for name in SYSTEMS
    }


@pytest.fixture(scope="module")
def qrels() -> pd.DataFrame:
    keys = pd.MultiIndex.from_product([QUERIES[:5], [f"d{i:02}" for i in range(0, 20, 2)]], names=["qid", "docno"])
    return keys.to_frame(index=False).assign(label=1)


@pytest.fixture(scope="module")
def everything_that_draws(perquery, runs, qrels):
    """Return a function that calls all methods that draw, with trials for several tasks each."""

    def call() -> dict[str, pd.DataFrame]:
        how = {"rng": 1}
        return {
            "tukey-randomised": compare(perquery, "tukey-randomised", n_trials=9000, **how),
            "bootstrap": compare(perquery, "bootstrap", **how),
            "permutation": compare(perquery, "permutation", n_trials=99, **how),
            "stability": stability(perquery, n_trials=300, **how),
            "topic_sampling": topic_sampling(perquery, n_trials=20, **how),
            "number_of_systems": number_of_systems(qrels, runs, P_Rareness @ 5, n_trials=60, **how),
            "insert_synthetic_system": insert_synthetic_system(qrels, runs, P_Rareness @ 5, range(4)),
        }

    return call


@pytest.fixture(scope="module")
def alone(everything_that_draws):
    return everything_that_draws()


def test_zero_workers_are_refused():
    with pytest.raises(ValueError, match=r"^n_jobs must be a number of workers, or -1 for all cores, not 0\.$"):
        enough_workers(1, 0)


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_tasks_give_their_results_in_order(n_jobs):
    with joblib.parallel_config(n_jobs=n_jobs):
        assert in_parallel(math.gcd, [(4, 6), (9, 6), (5, 7)], what="divisors") == [2, 3, 1]


def test_there_are_no_more_workers_than_tasks(monkeypatch):
    asked = []
    parallel = joblib.Parallel
    monkeypatch.setattr(joblib, "Parallel", lambda n_jobs, **how: asked.append(n_jobs) or parallel(n_jobs, **how))

    with joblib.parallel_config(n_jobs=100_000):
        assert in_parallel(math.gcd, [(4, 6), (9, 6)], what="divisors") == [2, 3]
    assert asked == [2]


@pytest.mark.parametrize(("cores", "workers"), [(1, 2), (2, 2), (4, 4)])
def test_there_are_no_more_workers_than_cores_but_two_are_allowed(cores, workers, monkeypatch):
    monkeypatch.setattr(joblib, "effective_n_jobs", lambda n: cores if n == -1 else n)

    assert enough_workers(9, 9) == workers


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_each_process_loads_the_shared_object_once(backend):
    with joblib.parallel_config(backend=backend):
        results = dict(as_finished(loads, Shared(), ((str(n), (n,)) for n in range(20)), n_workers=2))

    assert sorted(results) == sorted(map(str, range(20)))
    assert os.getpid() not in {pid for pid, _ in results.values()}
    assert {n for _, n in results.values()} == {1}


@pytest.mark.parametrize(
    "how", [{"backend": "threading", "n_jobs": 2}, {"n_jobs": 2}, {}], ids=["threads", "processes", "alone"]
)
def test_a_shared_function_needs_no_name(how):
    with joblib.parallel_config(**how):
        results = dict(
            as_finished(called, lambda n: n + 1, ((n, (n,)) for n in range(5)), n_workers=enough_workers(5, None))
        )

    assert results == {n: n + 1 for n in range(5)}


def test_a_worker_that_dies_ends_the_call():
    with joblib.parallel_config(n_jobs=2), pytest.raises(BrokenExecutor):
        in_parallel(os._exit, [(1,), (1,)], what="deaths")


def worker(task: int) -> str:
    from distributed import get_worker

    return get_worker().address


@pytest.fixture
def dask_workers():
    """Start a cluster of two workers, take joblib there, and return their addresses."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, protocol="inproc://"
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        yield {worker.address for worker in cluster.workers.values()}


def test_tasks_are_done_by_the_workers_of_a_dask_cluster(dask_workers):
    assert set(in_parallel(worker, [(task,) for task in range(20)], what="tasks")) <= dask_workers


def test_a_dask_cluster_draws_what_one_worker_draws(dask_workers, everything_that_draws, alone):
    for name, table in everything_that_draws().items():
        pd.testing.assert_frame_equal(table, alone[name], check_exact=True)


def test_another_seed_draws_other_trials(perquery):
    first, second = (compare(perquery, "bootstrap", rng=rng)["p"] for rng in (1, 2))

    assert (first != second).any()
