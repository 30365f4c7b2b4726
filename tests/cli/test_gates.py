import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyterrier_diversity.cli import app
from pyterrier_diversity.datasets.demo import FOLDER
from shell import BM25, XQUAD, fail, run

QRELS, TOP3 = str(FOLDER / "qrels.txt"), str(FOLDER / "xquad-top-3.run")


def test_each_minimum_has_its_line():
    message = fail("evaluate", QRELS, BM25, "--min", "RBU@5=0.9", "--min", "StRecall@5=.99", status=3)

    assert [line.split(" ")[1] for line in message.splitlines()] == ["RBU@5", "StRecall@5"]


def test_a_table_that_is_not_complete_passes_no_gate(tmp_path):
    (tmp_path / "bad.run").write_text("1 Q0 d1\n")
    arguments = ["evaluate", QRELS, BM25, str(tmp_path / "bad.run"), "--min", "RBU@5=0.9"]

    result = CliRunner().invoke(app, arguments)

    assert result.exit_code == 1
    assert "bm25" in result.stdout
    assert "bad.run is lines of three columns without names" in result.stderr
    assert "The table is incomplete: 1 of the runs could not be evaluated." in result.stderr
    assert "Gate" not in result.stderr


def test_a_run_that_is_significantly_worse_does_not_pass():
    arguments = ["compare", QRELS, BM25, "--baseline", XQUAD, "--no-worse", "RBU@5"]

    assert fail(*arguments, status=3).startswith("Gate: RBU@5 of bm25 is lower than that of xquad by 0.1602 (")


def test_a_tolerance_counts_even_if_the_difference_is_not_significant():
    arguments = ["compare", QRELS, TOP3, "-b", XQUAD, "--no-worse", "RBU(e=0.05)@5", "--test", "t"]

    run(*arguments)
    run(*arguments, "--tolerance", "0.05")
    assert "is lower than that of xquad by 0.04366" in fail(*arguments, "--tolerance", "0.04", status=3)


@pytest.mark.parametrize(
    ("minima", "status", "message"),
    [
        (["RBU@5"], 2, "--min must be a measure and a value, such as 'Coverage@50=0.7', not 'RBU@5'."),
        (["RBU@5=high"], 2, "--min must be a measure and a value"),
        (["RBU@5=nan"], 2, "--min must be a measure and a value"),
        (["=0.5"], 1, "Error: "),
        (["RBU@5=.9", "RBU@5=.1"], 2, "--min must be given once for each measure, not as RBU@5=.9, RBU@5=.1."),
        (["RBU@5=.9", "RBU(p=0.99)@5=.1"], 2, "--min must be given once for each measure"),
    ],
)
def test_an_invalid_minimum_is_refused(minima, status, message):
    given = (word for each in minima for word in ("--min", each))

    assert message in fail("evaluate", QRELS, BM25, *given, status=status)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--no-worse", "RBU@5"], 2, "--no-worse needs a --baseline."),
        (["-m", "RBU@5", "--tolerance", ".1"], 2, "--tolerance needs --no-worse."),
        (["-m", "RBU@5", "-b", "nobody"], 1, "The baseline 'nobody' is neither a file nor the name of a run. The"),
        (["-b", "bm25", "--no-worse", "RBU@5", "--test", "t", "--alternative", "greater"], 1, "must be 'two-sided'"),
        ([], 2, "Name the measures, as in -m"),
        (["-m", "RBU@5", "--test", "anova"], 2, "'anova' is not one of 'tukey-randomised', 'bootstrap'"),
    ],
)
def test_an_invalid_gate_is_refused(arguments, status, message):
    assert message in fail("compare", QRELS, BM25, XQUAD, *arguments, status=status)


def test_a_gate_that_cannot_fail_is_a_usage_error(tmp_path):
    lines = Path(QRELS).read_text().splitlines(keepends=True)
    few = tmp_path / "few.txt"
    few.write_text("".join(line for line in lines if line.split()[0] in "123"))
    arguments = ["compare", str(few), BM25, "-b", XQUAD, "--no-worse", "RBU@5"]

    assert "no difference can be significant with 4 queries at alpha = 0.05: the smallest possible p" in fail(
        *arguments, status=2
    )
    run(*arguments, "--tolerance", "0.9")


@pytest.mark.filterwarnings("always")
def test_runs_that_answer_different_queries_are_told_of_once_and_are_strictly_an_error(tmp_path):
    lines = Path(BM25).read_text().splitlines(keepends=True)
    short = tmp_path / "short.run"
    short.write_text("".join(line for line in lines if line.split()[0] != "3"))
    arguments = ["compare", QRELS, XQUAD, "-b", str(short), "--no-worse", "RBU@5", "--tolerance", "0.5"]
    told = "Run short: The run answers 13 of 14 queries, but not 3. A missing query gets each measure's default"

    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert result.stderr.count(told) == 1
    assert "default value. [MissingWarning]\n" in result.stderr
    assert "default value. [MissingWarning]\n" in fail(*arguments, "--strict")
    run(*arguments, "--strict", "--ignore", "MissingWarning")


def test_a_run_that_is_the_baseline_is_named():
    message = fail("compare", QRELS, BM25, "-b", BM25, "-m", "RBU@5", status=2)

    assert "or one run and another --baseline. bm25 is both." in message


def test_a_difference_that_is_the_same_on_every_query_has_no_power_to_tell(tmp_path):
    queries = range(1, 7)
    (tmp_path / "qrels.txt").write_text("".join(f"{q} a d1 1\n{q} b d2 1\n" for q in queries))
    for name, docs in {"one": ["d1"], "both": ["d1", "d2"]}.items():
        lines = (f"{q} Q0 {doc} 1 {-i} t\n" for q in queries for i, doc in enumerate(docs))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    qrels, one, both = (str(tmp_path / name) for name in ("qrels.txt", "one.run", "both.run"))

    result = CliRunner().invoke(app, ["compare", qrels, both, "-b", one, "--no-worse", "StRecall@2"])

    assert result.exit_code == 0
    assert result.stderr.startswith("Note: StRecall@2 of both against one: the difference of StRecall@2 between two ")
    assert result.stderr.endswith(" must vary over the topics.\n")


def test_equal_runs_are_told_to_have_no_difference(tmp_path):
    same = shutil.copy(BM25, tmp_path / "same.run")
    result = CliRunner().invoke(app, ["compare", QRELS, BM25, "-b", str(same), "--no-worse", "RBU@5"])

    assert result.stderr.endswith("Note: RBU@5 of bm25 against same: no difference on any query.\n")
