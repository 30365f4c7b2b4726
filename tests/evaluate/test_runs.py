import gc
import gzip
import weakref

import joblib
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, P

from pyterrier_diversity import RBU, Adhoc, alpha_nDCG, evaluate_runs, signature
from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset
from pyterrier_diversity.evaluate import DiversityEvaluator, runs
from pyterrier_diversity.evaluate.runs import run_files

MEASURES = [RBU @ 5, alpha_nDCG @ 5, Adhoc(AP), P @ 5]
DEMO = DemoDataset()
QRELS = DEMO.get_qrels()


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return {name: str(FOLDER / f"{name}.run") for name in RUNS}


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("perquery", [False, True])
def test_files_have_the_values_of_an_experiment(files, perquery, n_jobs):
    table = evaluate_runs(QRELS, files, MEASURES, perquery=perquery, n_jobs=n_jobs)

    systems = [DEMO.get_results(name) for name in RUNS]
    expected = pt.Experiment(systems, DEMO.get_topics(), QRELS, MEASURES, names=list(RUNS), perquery=perquery)
    keys = ["name", "qid", "measure"] if perquery else ["name"]
    pd.testing.assert_frame_equal(
        table.sort_values(keys, ignore_index=True)[list(expected)],
        expected.sort_values(keys, ignore_index=True),
        check_exact=True,
    )


def test_runs_may_be_frames_and_paths_and_compressed(tmp_path, files):
    compressed = tmp_path / "packed.run.gz"
    compressed.write_bytes(gzip.compress((FOLDER / "xquad.run").read_bytes()))

    table = evaluate_runs(QRELS, {"frame": DEMO.get_results("xquad"), "file": files["xquad"]}, [RBU @ 5])

    assert table["name"].tolist() == ["frame", "file"]
    packed = evaluate_runs(QRELS, compressed, [RBU @ 5])
    assert packed["name"].tolist() == ["packed"]
    assert table["RBU@5"].tolist() == [packed["RBU@5"][0]] * 2


def test_files_of_one_name_are_called_by_their_paths(tmp_path, files):
    copy = tmp_path / "bm25.run"
    copy.write_bytes((FOLDER / "bm25.run").read_bytes())

    assert evaluate_runs(QRELS, [copy, files["bm25"]], [RBU @ 5])["name"].tolist() == [str(copy), files["bm25"]]


def test_a_table_carries_the_signatures_of_its_measures(files):
    table = evaluate_runs(QRELS, files, MEASURES)

    assert table.attrs["signatures"] == {str(measure): signature(measure) for measure in MEASURES}


def test_an_error_names_its_run(tmp_path, files):
    bad = tmp_path / "bad.run"
    bad.write_text("1 Q0 d1 1 high tag\n")
    infinite = DEMO.get_results("bm25").assign(score=float("inf"))

    with pytest.raises(ValueError, match=r"Run bad: .*bad.run, line 1: score must be a finite number, not 'high'"):
        evaluate_runs(QRELS, [files["bm25"], bad], [RBU @ 5])
    with pytest.raises(ValueError, match=r"Run second: .*score"):
        evaluate_runs(QRELS, {"first": files["bm25"], "second": infinite}, [RBU @ 5])


def test_one_measure_or_run_may_be_given_by_its_name(files):
    expected = evaluate_runs(QRELS, files, [RBU @ 5])

    pd.testing.assert_frame_equal(evaluate_runs(QRELS, files, "RBU@5"), expected)
    pd.testing.assert_frame_equal(evaluate_runs(QRELS, files, RBU @ 5), expected)
    everything = evaluate_runs(QRELS, str(FOLDER / "*.run"), [RBU @ 5])
    assert sorted(everything["name"]) == sorted(RUNS)
    assert evaluate_runs(QRELS, FOLDER / "bm25.run", RBU @ 5)["name"].tolist() == ["bm25"]


def test_no_run_or_measure_is_refused(files):
    with pytest.raises(ValueError, match="there must be a run at least"):
        evaluate_runs(QRELS, [], [RBU @ 5])
    with pytest.raises(ValueError, match="there must be a measure at least"):
        evaluate_runs(QRELS, files, [])


def test_one_evaluator_serves_all_runs_of_a_process_and_is_let_go(files, monkeypatch):
    made = []

    def watched(*args):
        result = DiversityEvaluator(*args)
        made.append(weakref.ref(result))
        return result

    monkeypatch.setattr(runs, "DiversityEvaluator", watched)

    evaluate_runs(QRELS, files, [RBU @ 5], n_jobs=1)
    gc.collect()

    assert [known() for known in made] == [None]


def test_a_dask_cluster_evaluates_files(files):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, protocol="inproc://"
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        table = evaluate_runs(QRELS, files, MEASURES, perquery=True)

    pd.testing.assert_frame_equal(table, evaluate_runs(QRELS, files, MEASURES, perquery=True), check_exact=True)


def test_folders_and_patterns_are_searched(tmp_path):
    for name in ("b.run", "a.run.gz", ".hidden", "c.txt"):
        (tmp_path / name).touch()
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "d.run").touch()

    assert [path.name for path in run_files([tmp_path])] == ["a.run.gz", "b.run", "c.txt"]
    assert [path.name for path in run_files([tmp_path / "**" / "*.run"])] == ["b.run", "d.run"]
    assert [path.name for path in run_files([tmp_path / "c.txt", tmp_path])] == ["c.txt", "a.run.gz", "b.run"]


@pytest.mark.parametrize("pattern", ["nothing.run", "*.nothing"])
def test_a_pattern_without_a_file_is_refused(tmp_path, pattern):
    with pytest.raises(ValueError, match="There is no run file"):
        run_files([tmp_path / pattern])
