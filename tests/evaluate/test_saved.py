import csv
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from ir_measures import AP, P

from pyterrier_diversity import RBU, Adhoc, alpha_nDCG, evaluate_runs
from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset
from pyterrier_diversity.evaluate import scoring
from pyterrier_diversity.evaluate.saved import COLUMNS, content_key, file_key
from pyterrier_diversity.io import read_run_or_session

MEASURES = [RBU @ 5, alpha_nDCG @ 5, Adhoc(AP), P @ 5]
QRELS = DemoDataset().get_qrels()
QUERIES = sorted(QRELS["qid"].unique())
BM25 = DemoDataset().get_results("bm25")
FILES = {name: FOLDER / f"{name}.run" for name in RUNS}
NO_PYARROW = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")
ENDINGS = ["csv", pytest.param("parquet", marks=NO_PYARROW)]


@pytest.fixture
def read(monkeypatch) -> list[str]:
    """The paths of run files that this process reads to score them."""
    paths = []

    def watched(path, order):
        paths.append(Path(path).stem)
        return read_run_or_session(path, order)

    monkeypatch.setattr(scoring, "read_run_or_session", watched)
    return paths


def rows(path: Path) -> pd.DataFrame:
    """What a file has, as it is."""
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    return pd.read_csv(path, dtype={"qid": str, "notes": str}, converters={"value": float})


def same(table: pd.DataFrame, other: pd.DataFrame) -> None:
    """Tables are equal to the bit, and say the same of themselves."""
    pd.testing.assert_frame_equal(table, other, check_exact=True)
    assert table.attrs == other.attrs


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_has_the_values_of_the_table(tmp_path, ending, n_jobs):
    path = tmp_path / f"results.{ending}"

    table = evaluate_runs(QRELS, FILES, MEASURES, perquery=True, save=path, n_jobs=n_jobs)

    same(table, evaluate_runs(QRELS, FILES, MEASURES, perquery=True))
    saved = rows(path)
    assert tuple(saved) == COLUMNS
    keys = ["name", "qid", "measure"]
    pd.testing.assert_frame_equal(
        saved.sort_values(keys, ignore_index=True)[list(table)],
        table.sort_values(keys, ignore_index=True),
        check_exact=True,
        check_dtype=False,
    )
    assert set(zip(saved["measure"], saved["signature"], strict=True)) == {*table.attrs["signatures"].items()}
    assert saved.groupby("name")["run_key"].unique().map(list).to_dict() == {
        name: [file_key(file, "order=score", "ties=docno")] for name, file in FILES.items()
    }
    assert len(set(saved["qrels_key"])) == 1


@pytest.mark.parametrize("perquery", [False, True])
@pytest.mark.parametrize("ending", ENDINGS)
def test_saved_results_are_not_computed_again(tmp_path, read, ending, perquery):
    path = tmp_path / f"results.{ending}"
    given = {**FILES, "few": BM25[BM25["qid"].isin(QUERIES[:1])], "empty": {}}
    with pytest.warns(UserWarning, match=r"^Run") as first_warnings:
        first = evaluate_runs(QRELS, given, MEASURES, perquery=perquery, queries=True, save=path)
    before = rows(path)
    read.clear()

    with pytest.warns(UserWarning, match=r"^Run") as again_warnings:
        again = evaluate_runs(QRELS, given, MEASURES, perquery=perquery, queries=True, save=path)

    assert read == []
    same(again, first)
    assert [str(w.message) for w in again_warnings] == [str(w.message) for w in first_warnings]
    pd.testing.assert_frame_equal(rows(path), before)


@pytest.mark.parametrize("ending", ENDINGS)
def test_only_missing_results_are_computed_and_the_others_stay(tmp_path, read, ending):
    path = tmp_path / f"results.{ending}"
    some = dict(list(FILES.items())[:2])
    evaluate_runs(QRELS, some, MEASURES[:2], save=path)
    before = rows(path)
    read.clear()

    evaluate_runs(QRELS, FILES, [MEASURES[1]], save=path)
    assert read == list(FILES)[2:]
    read.clear()
    table = evaluate_runs(QRELS, FILES, MEASURES[1:3], save=path)

    assert read == list(FILES)
    same(table, evaluate_runs(QRELS, FILES, MEASURES[1:3]))
    after = rows(path)
    pd.testing.assert_frame_equal(after.head(len(before)), before)
    assert not after.duplicated(["name", "qid", "measure", "run_key", "signature"]).any()


def test_only_the_missing_measures_of_a_run_are_scored(tmp_path, monkeypatch):
    path = tmp_path / "results.csv"
    evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, [RBU @ 5], save=path)
    asked = []
    evaluator = scoring.Call.evaluator
    monkeypatch.setattr(scoring.Call, "evaluator", lambda call, names: asked.append(names) or evaluator(call, names))

    evaluate_runs(QRELS, {name: FILES[name] for name in ("bm25", "xquad")}, [RBU @ 5, P @ 5], save=path, n_jobs=1)

    assert asked == [("RBU@5", "P@5"), ("P@5",), ("RBU@5", "P@5")]


def change_qrels(path):
    return {"qrels": QRELS.assign(label=QRELS["label"] + 1)}


def change_run(path):
    path.write_text(path.read_text().replace(" 1 ", " 1  ", 1))
    return {}


@pytest.mark.parametrize(
    "change",
    [change_qrels, change_run, lambda _: {"order": "rank"}, lambda _: {"measures": [RBU(p=0.9) @ 5]}],
    ids=["qrels", "run", "order", "parameter"],
)
def test_results_of_other_qrels_or_runs_are_computed_again(tmp_path, read, change):
    run = tmp_path / "mine.run"
    run.write_bytes(FILES["bm25"].read_bytes())
    how = {"qrels": QRELS, "runs": run, "measures": [RBU @ 5], "save": tmp_path / "results.csv"}
    evaluate_runs(**how)
    read.clear()

    how |= change(run)
    table = evaluate_runs(**how)

    assert read == ["mine"]
    same(table, evaluate_runs(**{**how, "save": None}))
    assert len(rows(how["save"])) == 2 * len(QUERIES)


def test_the_order_of_rows_does_not_change_the_key_of_the_content(tmp_path):
    upside_down = QRELS.iloc[::-1]

    assert content_key(QRELS) == content_key(upside_down) == content_key(QRELS[QRELS.columns[::-1]])
    assert content_key(QRELS) != content_key(QRELS.iloc[1:])
    assert content_key(QRELS) != content_key(QRELS.rename(columns={"iteration": "subtopic"}))
    assert content_key(BM25, "order=score") != content_key(BM25, "order=rank")
    vectors = BM25.assign(query_vec=[[1.0, 2.0]] * len(BM25))
    assert content_key(vectors) == content_key(BM25)


def test_a_run_of_another_name_is_written_under_it_and_not_scored(tmp_path, read):
    path = tmp_path / "results.csv"
    evaluate_runs(QRELS, {"old": FILES["bm25"]}, MEASURES, save=path)
    read.clear()

    table = evaluate_runs(QRELS, {"new": FILES["bm25"]}, MEASURES, save=path)

    assert read == []
    assert table["name"].tolist() == ["new"]
    old, new = rows(path).groupby("name", sort=False)["value"].agg(list)
    assert old == new


def test_expected_values_over_ties_are_found_again_with_their_standard_errors(tmp_path, read):
    path = tmp_path / "results.csv"
    tied = BM25.assign(score=1.0)
    how = {"ties": "expected", "samples": 5, "rng": 1, "queries": True, "n_jobs": 1}
    both = [{**how, "perquery": perquery} for perquery in (False, True)]
    expected = [evaluate_runs(QRELS, {"mine": tied}, MEASURES, **options) for options in both]
    assert (expected[1]["se"] > 0).any()
    evaluate_runs(QRELS, {"mine": tied}, MEASURES[1:], save=path)
    evaluate_runs(QRELS, {"mine": tied}, MEASURES[:1], **how, save=path)

    for options, table in zip(both, expected, strict=True):
        for _ in range(2):
            same(evaluate_runs(QRELS, {"mine": tied}, MEASURES, **options, save=path), table)
    assert len(rows(path)) == len(QUERIES) * (2 * len(MEASURES) - 1)


@pytest.mark.parametrize("cut", [1, 2, 30, 200, 700])
def test_an_incomplete_block_is_removed_and_computed_again(tmp_path, read, cut):
    path = tmp_path / "results.csv"
    whole = evaluate_runs(QRELS, FILES, MEASURES, perquery=True, save=path, n_jobs=1)
    content = path.read_bytes()
    path.write_bytes(content[:-cut])
    read.clear()

    table = evaluate_runs(QRELS, FILES, MEASURES, perquery=True, save=path, n_jobs=1)

    assert read == list(FILES)[-1:]
    same(table, whole)
    assert path.read_bytes() == content


def test_a_file_cut_anywhere_is_made_whole(tmp_path):
    path = tmp_path / "results.csv"
    runs = {'a\nb, "c"': FILES["bm25"], "=1+2": FILES["xquad"]}
    whole = evaluate_runs(QRELS, runs, [RBU @ 5], save=path, n_jobs=1)
    content = path.read_bytes()

    for size in range(0, len(content), 229):
        path.write_bytes(content[:size])
        same(evaluate_runs(QRELS, runs, [RBU @ 5], save=path, n_jobs=1), whole)
        assert path.read_bytes() == content


def test_rows_of_other_qrels_that_were_written_in_part_are_cut_off_too(tmp_path):
    path = tmp_path / "results.csv"
    evaluate_runs(QRELS, FILES, [RBU @ 5], save=path)
    path.write_bytes(path.read_bytes()[:-100])
    others = QRELS[QRELS["qid"] != QUERIES[0]]

    evaluate_runs(others, FILES, [RBU @ 5], save=path)
    table = evaluate_runs(QRELS, FILES, [RBU @ 5], save=path)

    same(table, evaluate_runs(QRELS, FILES, [RBU @ 5]))
    assert len(rows(path)) == len(FILES) * (2 * len(QUERIES) - 1)


@pytest.mark.parametrize("name", ["=1+2", "-x", "a\x1b", "line\nbreak", "'quoted", 'a"b,c', "ü"])
def test_names_of_every_kind_are_found_again(tmp_path, name):
    path = tmp_path / "results.csv"
    first = evaluate_runs(QRELS, {name: BM25}, [RBU @ 5], save=path)
    content = path.read_bytes()

    same(evaluate_runs(QRELS, {name: BM25}, [RBU @ 5], save=path), first)

    assert path.read_bytes() == content
    assert not any(
        cell[:1] in ("=", "-", "@")
        for row in csv.reader(path.read_text().splitlines(keepends=True))
        for cell in row[:3]
    )


def test_queries_of_every_kind_are_found_again(tmp_path):
    path = tmp_path / "results.csv"
    odd = {query: f"{'=+-@'[i % 4]}q\n{i}" for i, query in enumerate(QUERIES)}
    qrels, run = (frame.assign(qid=frame["qid"].map(odd)) for frame in (QRELS, BM25))
    first = evaluate_runs(qrels, {"mine": run}, [RBU @ 5], perquery=True, save=path)
    content = path.read_bytes()

    same(evaluate_runs(qrels, {"mine": run}, [RBU @ 5], perquery=True, save=path), first)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "content",
    [
        "name,value\nbm25,1\n",
        "hello",
        "a\x00b\n",
        ",".join(COLUMNS) + "\na,1,RBU@5,0.5,,k,q,s,\nb,1,RBU@5,0.5,,k,q,s,\n",
    ],
    ids=["other columns", "a word", "bytes", "sorted"],
)
def test_a_file_with_other_content_is_left_alone(tmp_path, content):
    path = tmp_path / "results.csv"
    path.write_text(content)

    with pytest.raises(ValueError, match=r"evaluate_runs: .*results.csv('? was changed since| has other columns)"):
        evaluate_runs(QRELS, FILES, [RBU @ 5], save=path)
    assert path.read_text() == content


def test_a_file_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "results.csv"
    evaluate_runs(QRELS, FILES, [RBU @ 5], save=path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2] + lines[3:]))

    with pytest.raises(ValueError, match=r"results.csv' was changed since evaluate_runs wrote it; move it away"):
        evaluate_runs(QRELS, FILES, [RBU @ 5], save=path)


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"evaluate_runs: save must end in .csv or .parquet, not .*results.xlsx"):
        evaluate_runs(QRELS, FILES, [RBU @ 5], save=tmp_path / "results.xlsx")


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(
        ImportError, match=r"save='.*results.parquet' needs pyarrow: pip install pyarrow, or choose .csv"
    ):
        evaluate_runs(QRELS, FILES, [RBU @ 5], save=tmp_path / "results.parquet")


def test_a_parquet_file_is_merged_with_the_rows_of_a_killed_call(tmp_path, read):
    pytest.importorskip("pyarrow")
    growing, path = tmp_path / "results.parquet.csv", tmp_path / "results.parquet"
    some = dict(list(FILES.items())[:2])
    evaluate_runs(QRELS, some, MEASURES, save=growing)
    read.clear()

    table = evaluate_runs(QRELS, FILES, MEASURES, save=path)

    assert read == list(FILES)[2:]
    same(table, evaluate_runs(QRELS, FILES, MEASURES))
    assert os.listdir(tmp_path) == ["results.parquet"]
    assert len(rows(path)) == len(FILES) * len(QUERIES) * len(MEASURES)


def test_two_processes_do_not_save_to_one_file(tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "results.csv"
    other = f"import fcntl; f = open({str(path)!r}, 'a'); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", other], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with pytest.raises(OSError, match=r"another process saves to .*results.csv; wait for it, or save to another"):
            evaluate_runs(QRELS, FILES, [RBU @ 5], save=path)
        process.send_signal(signal.SIGKILL)

    evaluate_runs(QRELS, FILES, [RBU @ 5], save=path)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_bad_file_costs_only_itself(tmp_path, read, n_jobs):
    path, bad = tmp_path / "results.csv", tmp_path / "bad.run"
    bad.write_text("1 Q0 d1 1 high tag\n")
    given = {"bm25": FILES["bm25"], "bad": bad, "gone": tmp_path / "gone.run", "xquad": FILES["xquad"], "bytes": 3}

    table = evaluate_runs(QRELS, given, MEASURES, save=path, on_error="skip", n_jobs=n_jobs)

    errors = table.attrs.pop("errors")
    good = evaluate_runs(QRELS, {name: FILES[name] for name in ("bm25", "xquad")}, MEASURES)
    assert good.attrs.pop("errors") == {}
    same(table, good)
    assert sorted(errors) == ["bad", "bytes", "gone"]
    assert errors["bad"] == f"{bad}, line 1: score must be a finite number, not 'high'."
    assert errors["gone"] == f"{tmp_path / 'gone.run'}: No such file or directory"
    with pytest.raises(ValueError, match=r"^Run bad: .*bad.run, line 1: score must be"):
        evaluate_runs(QRELS, {name: given[name] for name in ("bm25", "bad", "xquad")}, MEASURES, save=path)
    bad.unlink()
    read.clear()
    same(evaluate_runs(QRELS, {**FILES}, MEASURES, save=path), evaluate_runs(QRELS, FILES, MEASURES))


def test_a_bad_file_is_an_error_after_finished_results_were_saved(tmp_path):
    path, bad = tmp_path / "results.csv", tmp_path / "bad.run"
    bad.write_text("1 Q0 d1 1 high tag\n")

    with pytest.raises(ValueError, match=r"^Run bad"):
        evaluate_runs(
            QRELS, {"bm25": FILES["bm25"], "bad": bad, "xquad": FILES["xquad"]}, MEASURES, save=path, n_jobs=1
        )

    assert rows(path)["name"].unique().tolist() == ["bm25"]
    with pytest.raises(FileNotFoundError, match=r"^Run gone"):
        evaluate_runs(QRELS, {"gone": tmp_path / "gone.run"}, MEASURES)


def test_all_runs_may_be_skipped():
    table = evaluate_runs(QRELS, {"bad": 3}, MEASURES, on_error="skip", queries=True)

    assert table.columns.tolist() == ["name", "queries", "ties@5", *map(str, MEASURES)]
    assert table.empty
    assert list(evaluate_runs(QRELS, {"bad": 3}, MEASURES, on_error="skip", perquery=True)) == [
        "name",
        "qid",
        "measure",
        "value",
    ]


def test_other_ways_with_errors_are_refused():
    with pytest.raises(ValueError, match=r"evaluate_runs: on_error must be 'raise' or 'skip', not 'ignore'"):
        evaluate_runs(QRELS, FILES, MEASURES, on_error="ignore")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.skipif(os.name != "posix", reason="pipes with names are POSIX's")
def test_pipes_are_saved_and_read_once(tmp_path, n_jobs):
    path, pipe = tmp_path / "results.csv", tmp_path / "pipe"
    os.mkfifo(pipe)
    tables = []
    for _ in range(2):
        with subprocess.Popen(f"cat {FILES['bm25']} > {pipe}", shell=True):
            tables.append(evaluate_runs(QRELS, {"bm25": pipe}, MEASURES, save=path, n_jobs=n_jobs))

    same(*tables)
    same(tables[0], evaluate_runs(QRELS, {"bm25": FILES["bm25"]}, MEASURES))
    assert len(rows(path)) == len(QUERIES) * len(MEASURES)
