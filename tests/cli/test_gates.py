import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyterrier_diversity.cli import app
from pyterrier_diversity.datasets.demo import FOLDER
from shell import BM25, XQUAD, fail, run

QRELS, TOP3 = str(FOLDER / "qrels.txt"), str(FOLDER / "xquad-top-3.run")


def test_each_minimum_has_its_line_and_its_column():
    gates = ["--min", "RBU@5=0.9", "--min", "StRecall=2"]

    result = CliRunner().invoke(app, ["evaluate", QRELS, BM25, "-m", "P_IA@5", *gates])

    assert result.exit_code == 3
    assert result.stdout.split("\n")[0].split() == ["name", "P_IA@5", "RBU@5", "StRecall"]
    note, *failed = result.stderr.splitlines()
    assert note == "Note: StRecall has no cutoff, unlike the other measures: it reads all ranks."
    assert [line.split(" ")[1] for line in failed] == ["RBU@5", "StRecall"]


@pytest.mark.parametrize(("minimum", "status"), [("RBU@5=0.9", 3), ("RBU@5=0.1", 1)])
def test_a_table_that_is_not_complete_passes_no_gate(tmp_path, minimum, status):
    (tmp_path / "bad.run").write_text("1 Q0 d1\n")

    result = CliRunner().invoke(app, ["evaluate", QRELS, BM25, str(tmp_path / "bad.run"), "--min", minimum])

    assert result.exit_code == status
    assert "bm25" in result.stdout
    assert "bad.run is lines of three columns without names" in result.stderr
    assert "The table is incomplete: 1 of the runs could not be evaluated." in result.stderr
    assert ("Gate: RBU@5 of bm25" in result.stderr) == (status == 3)


def test_gates_are_told_if_the_table_cannot_be_written(tmp_path):
    output = str(tmp_path / "none" / "table.csv")
    no_worse = ["compare", QRELS, BM25, "-b", XQUAD, "--no-worse", "RBU@5", "-o", output]

    for arguments, status in (
        (["evaluate", QRELS, BM25, "--min", "RBU@5=.9", "-o", output], 3),
        (["evaluate", QRELS, BM25, "--min", "RBU@5=.1", "-o", output], 1),
        (no_worse, 3),
        ([*no_worse, "--tolerance", ".4"], 1),
    ):
        message = fail(*arguments, status=status)
        assert f"Error: There is no folder '{tmp_path / 'none'}'" in message.replace("\n  ", " ")
        assert ("Gate: RBU@5 of bm25" in message) == (status == 3)


def test_a_run_that_is_significantly_worse_does_not_pass():
    arguments = ["compare", QRELS, BM25, "--baseline", XQUAD, "--no-worse", "RBU@5"]

    assert fail(*arguments, status=3).startswith("Gate: RBU@5 of bm25 is lower than that of xquad by 0.1602 (")


def test_a_gate_has_the_table_of_the_test_asked_for_and_a_test_of_its_own():
    arguments = ["compare", QRELS, TOP3, "-b", XQUAD, "-m", "StRecall@5", "--no-worse", "RBU(e=0.05)@5", "--test", "t"]

    result = CliRunner().invoke(app, arguments)

    assert result.exit_code == 3
    assert "+0.0017  0.0578\n" in result.stdout
    assert result.stdout.startswith("StRecall@5\n")
    assert "xquad-top-3 is lower than that of xquad by 0.04366 (0.2626, 0.3062; one-sided p = 0.03" in result.stderr
    run(*arguments, "--tolerance", "0.05")


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
        (["-m", "RBU@5", "--common-queries"], 2, "--common-queries needs --no-worse."),
        ([], 2, "Name the measures, as in -m"),
        (["-m", "RBU@5", "--test", "anova"], 2, "'anova' is not one of 'tukey-randomised', 'bootstrap'"),
    ],
)
def test_an_invalid_gate_is_refused(arguments, status, message):
    assert message in fail("compare", QRELS, BM25, XQUAD, *arguments, status=status)


@pytest.mark.parametrize(("queries", "n"), [("123", 4), ("1", 1)])
def test_a_gate_that_cannot_fail_is_a_usage_error(tmp_path, queries, n):
    few = tmp_path / "few.txt"
    lines = Path(QRELS).read_text().splitlines(keepends=True)
    few.write_text("".join(line for line in lines if line.split()[0] in [*queries, "12"][:n]))
    arguments = ["compare", str(few), BM25, "-b", XQUAD, "--no-worse", "RBU@5", "--tolerance", "0.1"]

    assert (
        f"--no-worse: no loss can be significant with {n} common queries at alpha = 0.05: the smallest possible"
        in fail(*arguments, status=2)
    )
    for minimum, said in (
        ("Coverage@5=0", "0: its range is [0, 1]."),
        ("RBU@5=-5", "-5: its range is [-0.00485199, 1]."),
    ):
        told = f"--min: no value of {minimum.split('=')[0]} is below {said}"
        assert told in fail("evaluate", QRELS, BM25, "--min", minimum, status=2)


@pytest.mark.filterwarnings("ignore::pyterrier_diversity.warnings.EmptyWarning")
def test_an_empty_run_fails_each_gate(tmp_path):
    empty = tmp_path / "empty.run"
    empty.write_text("")

    minimum = fail("evaluate", QRELS, str(empty), "--min", "RBU@5=-.001", "--min", "Coverage@5=.1", status=3)
    no_worse = fail("compare", QRELS, str(empty), "-b", XQUAD, "--no-worse", "RBU@5", status=3)

    assert minimum.endswith("Gate: empty answers no query of the qrels.\n")
    assert no_worse.endswith(". empty answers no query of the qrels.\n")
    assert "Gate: RBU@5 of empty is lower than that of xquad" in no_worse


@pytest.mark.filterwarnings("always")
def test_runs_that_answer_different_queries_fail_and_are_told_of_once_and_are_strictly_an_error(tmp_path):
    lines = Path(BM25).read_text().splitlines(keepends=True)
    short = tmp_path / "short.run"
    short.write_text("".join(line for line in lines if line.split()[0] != "3"))
    arguments = ["compare", QRELS, XQUAD, "-b", str(short), "--no-worse", "RBU@5"]
    told = "Run short: The run answers 13 of 14 queries, but not 3. A missing query gets each measure's default"

    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 3
    assert result.stderr.count(told) == 1
    assert " xquad and short answer different queries: only one of them answers 1 (3)." in result.stderr
    assert "default value. [MissingWarning]\n" in fail(*arguments, "--strict")
    run(*arguments, "--common-queries", "--strict", "--ignore", "MissingWarning")


def test_a_run_that_is_the_baseline_is_named():
    message = fail("compare", QRELS, BM25, "-b", BM25, "-m", "RBU@5", status=2)

    assert "or one run and another --baseline. bm25 is both." in message


@pytest.mark.parametrize("link", [shutil.copy, os.symlink, os.link])
def test_copies_and_links_are_runs_of_their_own_and_pass(tmp_path, link):
    same = tmp_path / "same.run"
    link(BM25, same)

    result = CliRunner().invoke(app, ["compare", QRELS, BM25, "-b", str(same), "--no-worse", "RBU@5"])

    assert result.exit_code == 0
    assert result.stdout.split("\n")[2].split()[:2] == ["bm25", "same"]
    assert result.stderr == "Note: RBU@5 of bm25 against same: +0, one-sided p = 1; the same on all 14 queries.\n"


@pytest.mark.filterwarnings("always")
def test_all_lines_have_the_names_that_the_user_gave(tmp_path):
    lines = Path(BM25).read_text().splitlines(keepends=True)
    (tmp_path / "short.run").write_text("".join(line for line in lines if line.split()[0] != "3"))
    (tmp_path / "names").write_text("short,A\nxquad,B\nbm25,C\n")
    given = [QRELS, str(tmp_path / "short.run"), BM25, "--names", str(tmp_path / "names")]

    minimum = CliRunner().invoke(app, ["evaluate", *given, "--min", "RBU@5=.5"])
    no_worse = CliRunner().invoke(app, ["compare", *given, "-b", XQUAD, "--no-worse", "RBU@5", "--tolerance", ".4"])
    of_intents = CliRunner().invoke(app, ["missed", *given, "--query", "3"])

    assert [line.split()[:4] for line in minimum.stderr.splitlines()] == [
        ["Warning:", "Run", "A:", "The"],
        ["Gate:", "RBU@5", "of", "A"],
        ["Gate:", "RBU@5", "of", "C"],
    ]
    assert "Note: RBU@5 of C against B: " in no_worse.stderr
    assert "Gate: A and B answer different queries" in no_worse.stderr
    assert no_worse.stderr.endswith("To test the other 13, set --common-queries.\n")
    assert of_intents.stderr.splitlines()[-1].startswith("C misses")
    assert "short" not in minimum.output + no_worse.output + of_intents.output
