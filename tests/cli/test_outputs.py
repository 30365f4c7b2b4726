"""What commands print and write, whichever command it is."""

import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyterrier_diversity import missed_intents
from pyterrier_diversity.cli import app
from pyterrier_diversity.cli.options import of
from pyterrier_diversity.datasets.demo import FOLDER, DemoDataset
from pyterrier_diversity.meta import compare
from shell import BM25, XQUAD, fail, run

QRELS = str(FOLDER / "qrels.txt")
RBU_5 = ["-m", "RBU@5"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Work in a folder with qrels and a run, which must stay as they are."""
    monkeypatch.chdir(tmp_path)
    contents = {"qrels.csv": QRELS, "qrels.html": QRELS, "qrels.png": QRELS, "runs/a.csv": BM25}
    (tmp_path / "runs").mkdir()
    for name, source in contents.items():
        shutil.copyfile(source, tmp_path / name)
    before = {name: (tmp_path / name).read_bytes() for name in contents}
    yield tmp_path
    assert {name: (tmp_path / name).read_bytes() for name in contents} == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "qrels.csv", BM25, *RBU_5, "-o", "qrels.csv"],
        ["evaluate", "qrels.csv", BM25, *RBU_5, "-o", "./runs/../qrels.csv"],
        ["evaluate", QRELS, "runs/a.csv", *RBU_5, "-o", "runs/a.csv"],
        ["evaluate", QRELS, "runs", *RBU_5, "-o", "runs/a.csv"],
        ["evaluate", QRELS, "runs/*", *RBU_5, "-o", "runs/a.csv"],
        ["evaluate", QRELS, BM25, *RBU_5, "-o", "qrels.csv", "--names", "qrels.csv"],
        ["compare", QRELS, BM25, *RBU_5, "-b", "runs/a.csv", "-o", "runs/a.csv"],
        ["check", "qrels.csv", "-o", "qrels.csv"],
        ["report", "qrels.html", BM25, *RBU_5, "-o", "qrels.html"],
        ["explain", "qrels.csv", BM25, *RBU_5, "--query", "1", "-o", "qrels.csv"],
        ["missed", "qrels.csv", BM25, "-o", "qrels.csv"],
        ["plot", "intent_coverage", "qrels.png", BM25, "-o", "qrels.png"],
    ],
    ids=" ".join,
)
def test_an_output_that_is_an_input_is_refused(files, arguments):
    message = fail(*arguments)

    assert message.startswith(f"Error: {arguments[0]}: the output ")
    assert "is one of the inputs. Choose another file." in message
    assert sorted(path.name for path in files.rglob("*.*")) == ["a.csv", "qrels.csv", "qrels.html", "qrels.png"]


def test_the_file_beside_a_table_is_no_input_either(files):
    (files / "qrels.json").write_bytes((files / "qrels.csv").read_bytes())
    (files / "t.csv.json").symlink_to(files / "qrels.json")

    assert "is one of the inputs" in fail("evaluate", "t.csv.json", BM25, *RBU_5, "-o", "t.csv")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["evaluate", QRELS, BM25, *RBU_5, "-o", "x.pdf"], 1, "does not name a format: its ending must be one of .txt"),
        (["report", QRELS, BM25, *RBU_5, "-o", "x.pdf"], 2, "-o must end in .html or .htm, not 'x.pdf'"),
        (["plot", "intent_coverage", QRELS, BM25, "-o", "x.csv"], 2, "svgz, tif, tiff, webp), not 'x.csv'"),
    ],
)
def test_an_ending_that_the_command_cannot_write_is_refused_before_anything_is_computed(
    tmp_path, monkeypatch, arguments, status, message
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pyterrier_diversity.cli.inputs.evaluate_runs", None)

    assert message in fail(*arguments, status=status)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "begin"),
    [
        (["evaluate", QRELS, BM25, *RBU_5, "--format", "csv"], b"name,RBU@5\nbm25,"),
        (["compare", QRELS, BM25, XQUAD, *RBU_5], b"RBU@5\nname"),
        (["report", QRELS, BM25, XQUAD, *RBU_5], b"<!DOCTYPE html>"),
        (["plot", "intent_coverage", QRELS, BM25], b"\x89PNG"),
        (["measures", "RBU"], b"RBU("),
    ],
)
def test_a_hyphen_is_standard_output_everywhere(tmp_path, monkeypatch, arguments, begin):
    monkeypatch.chdir(tmp_path)

    result = CliRunner().invoke(app, [*arguments, "-o", "-"])

    assert result.exit_code == 0, result.output
    assert result.stdout_bytes.lower().startswith(begin.lower())
    assert not list(tmp_path.iterdir())


def test_a_device_has_no_file_beside_it(monkeypatch, tmp_path):
    run("evaluate", QRELS, BM25, *RBU_5, "-o", os.devnull, "--format", "csv")

    assert not os.path.exists(f"{os.devnull}.json")


def test_a_full_device_is_named():
    message = fail("evaluate", QRELS, BM25, *RBU_5, "-o", "/dev/full", "--format", "csv")

    assert message == "Error: /dev/full: No space left on device.\n"


@pytest.mark.filterwarnings("default")
def test_warnings_about_a_run_name_it_and_the_option_in_every_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [line.split() for line in Path(BM25).read_text().splitlines()]
    ranks = [f"{qid} Q0 {docno} {9 if rank == '2' else rank} {score} t" for qid, _, docno, rank, score, _ in rows]
    (tmp_path / "odd.run").write_text("\n".join(ranks))

    for arguments in (
        ["evaluate", QRELS, "odd.run", *RBU_5],
        ["missed", QRELS, "odd.run"],
        ["explain", QRELS, "odd.run", *RBU_5, "--query", "1"],
        ["report", QRELS, "odd.run", *RBU_5, "-o", "report.html"],
        ["plot", "intent_coverage", QRELS, "odd.run", "-o", "picture.png"],
    ):
        told = CliRunner().invoke(app, arguments).stderr.splitlines()
        assert sum(line.startswith("Warning: Run odd: Scores and ranks contradict each other") for line in told) == 1
        assert any("read the run with --order rank" in line for line in told)
    assert "read the run with --order rank" in run("check", QRELS, "odd.run")
    assert "read the run with --order rank" in run("check", QRELS, "odd.run", "--format", "json")


@pytest.mark.filterwarnings("default")
def test_names_that_turn_the_direction_of_the_text_are_escaped_everywhere(tmp_path):
    for name, source in (("a\u202eb.run", BM25), ("c\u202ed.run", os.devnull)):
        shutil.copyfile(source, tmp_path / name)
    runs = [str(path) for path in sorted(tmp_path.iterdir())]

    for arguments in (["evaluate", QRELS, *runs, *RBU_5], ["check", QRELS, *runs], ["missed", QRELS, *runs]):
        result = CliRunner().invoke(app, arguments)
        assert "\\u202e" in result.stdout
        assert "\u202e" not in result.output


def test_the_terminal_decides_about_turning_round_and_a_pipe_does_not(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "60")
    text = run("evaluate", QRELS, BM25, XQUAD, "-m", "NDEVAL")
    for _ in range(2):  # a table may be written again
        run("evaluate", QRELS, BM25, XQUAD, "-m", "NDEVAL", "-o", str(tmp_path / "t.txt"))
    rows = run("evaluate", QRELS, BM25, "-m", "NDEVAL", "--format", "markdown").splitlines()
    monkeypatch.delenv("COLUMNS")

    assert text.splitlines()[0].split() == ["measure", "bm25", "xquad"]
    assert [row.split()[1] for row in rows[::2]] == ["name", "bm25"]
    assert max(map(len, text.splitlines())) <= 60
    assert run("evaluate", QRELS, BM25, XQUAD, "-m", "NDEVAL") == (tmp_path / "t.txt").read_text()
    assert (tmp_path / "t.txt").read_text().startswith("name")


def test_missed_lists_what_the_function_lists():
    rows = json.loads(run("missed", "demo", "bm25", "xquad", "-k", "3", "--format", "json"))

    demo = DemoDataset()
    expected = missed_intents(demo.get_qrels(), {name: demo.get_results(name) for name in ("bm25", "xquad")}, 3)
    assert [(row["name"], row["qid"], row["iteration"], row["covered_by"]) for row in rows] == list(
        expected[["name", "qid", "iteration", "covered_by"]].itertuples(index=False, name=None)
    )
    assert all(row["nugget_text"] for row in rows)


def test_missed_counts_the_intents_of_each_run_or_of_one_query():
    result = CliRunner().invoke(app, ["missed", QRELS, BM25, XQUAD, "-k", "3"])
    of_one = CliRunner().invoke(app, ["missed", QRELS, BM25, "-k", "3", "--query", "3"])

    assert result.stderr.splitlines() == ["bm25 misses 27 of 66 intents.", "xquad misses 13 of 66 intents."]
    assert of_one.stderr == "bm25 misses 2 of 5 intents.\n"
    assert "The qrels have no query '99'." in fail("missed", QRELS, BM25, "--query", "99")


def test_options_have_the_types_defaults_and_help_of_the_function():
    function = of(compare, "test", "n_trials", "alpha", ci="mine")(lambda: None)
    options = {option.name: option for option in function.__click_params__}

    assert "wilcoxon" in options["test"].type.choices
    assert options["test"].default == "tukey-randomised"
    assert options["n_trials"].type.min == 1
    assert options["alpha"].help == "Significance level."
    assert options["ci"].help == "mine"


def test_explained_rows_are_turned_round_on_request():
    rows = json.loads(run("explain", QRELS, BM25, *RBU_5, "--query", "1", "--format", "json", "--transpose"))

    assert [row[""] for row in rows] == ["docno", "intents", "new_intents", "judged", "contribution", "value"]


def test_tables_with_other_names_say_what_they_were_computed_from(tmp_path):
    (tmp_path / "names").write_text("bm25\tQL\n")
    (tmp_path / "more").write_text("xquad\tx\n")
    (tmp_path / "labels").write_text("RBU@5\t$R_5$\n")
    arguments = ["compare", "demo", BM25, XQUAD, "-b", "bm25", "-m", "RBU@5"]
    renamed = ["--names", str(tmp_path / "names"), "--names", str(tmp_path / "more")]
    renamed += ["--labels", str(tmp_path / "labels")]

    for ending, told in {"tex": "% RBU@5|cutoff=5,p=0.99", "html": 'title="RBU@5|cutoff=5,p=0.99'}.items():
        run(*arguments, *renamed, "-o", str(tmp_path / f"table.{ending}"))
        how = json.loads((tmp_path / f"table.{ending}.json").read_text())

        assert told in (tmp_path / f"table.{ending}").read_text()
        assert how["signatures"]["$R_5$"].startswith("RBU@5|cutoff=5,p=0.99")
        assert (how["baseline"], how["labels"]) == (["QL"], {"RBU@5": "$R_5$"})
    assert "names: unknown names RBU@5. The names are bm25, xquad." in fail(
        *arguments, "--names", str(tmp_path / "labels")
    )
    (tmp_path / "more").write_text("bm25\tBM25\n")
    assert "--names: 'bm25' must have one new name, not both 'QL' and 'BM25'." in fail(*arguments, *renamed)
    run("missed", "demo", BM25, "--labels", str(tmp_path / "labels"))  # no measures: nothing to rename
    (tmp_path / "labels").write_text("docno\tDocument\n")
    assert "Document" in run("explain", "demo", BM25, *RBU_5, "--query", "1", "--labels", str(tmp_path / "labels"))
    arguments = ["evaluate", "demo", BM25, "-m", "RBU@5", "--labels", str(tmp_path / "labels")]
    assert "labels: unknown names docno." in fail(*arguments)
