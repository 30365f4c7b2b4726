import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from pyterrier_diversity import RBU, alpha_nDCG, evaluate_runs
from pyterrier_diversity.cli import app
from pyterrier_diversity.datasets.demo import FOLDER, DemoDataset
from pyterrier_diversity.meta import compare
from shell import BM25, MORE, XQUAD, run


@pytest.mark.filterwarnings("default:corrected_means. only 8 queries are judged")
@pytest.mark.parametrize("command", [["compare"], ["report", "-o", "-"]], ids=["compare", "report"])
def test_a_baseline_may_come_from_standard_input(command):
    result = CliRunner().invoke(
        app, [*command, "demo", "xquad", "-b", "-", "-m", "RBU@5"], input=Path(BM25).read_bytes()
    )

    assert result.exit_code == 0, result.output
    assert "0.544" in result.stdout
    assert "0.384" in result.stdout.replace("0.3838", "0.384")


@pytest.mark.filterwarnings("always")
def test_a_strict_comparison_with_too_few_queries_for_a_test_ends_well(tmp_path):
    lines = (FOLDER / "qrels.txt").read_text().splitlines(keepends=True)
    (tmp_path / "few").write_text("".join(line for line in lines if int(line.split()[0]) <= 2))
    arguments = ["compare", str(tmp_path / "few"), BM25, str(FOLDER / "xquad.run"), "-m", "RBU@5", "--strict"]

    told = CliRunner().invoke(app, [*arguments, "--test", "permutation"])

    assert told.exit_code == 0
    assert "[SignificanceWarning]" in told.stderr


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (["--test", "t"], {"test": "t"}),
        (["-b", "bm25", "--test", "bootstrap", "--correction", "holm", "--seed", "6"],
         {"baseline": ["bm25"], "test": "bootstrap", "correction": "holm", "rng": 6}),
    ],
)  # fmt: skip
def test_compare_gives_the_table_of_the_library(given, options):
    runs = {"bm25": BM25, "xquad": XQUAD, "more-like-this": MORE}
    text = run("compare", "demo", *runs.values(), "-m", "RBU@5 alpha_nDCG@5", *given, "--format", "json")

    values = evaluate_runs(DemoDataset().get_qrels(), runs, [RBU @ 5, alpha_nDCG @ 5], perquery=True)
    pd.testing.assert_frame_equal(pd.DataFrame(json.loads(text)), compare(values, **options), check_exact=True)


@pytest.mark.parametrize(("runs", "table"), [([BM25, XQUAD], "RBU@5\n"), ([BM25], "")], ids=["two", "one"])
def test_the_runs_that_can_be_read_are_compared_if_there_are_two(runs, table, tmp_path):
    (tmp_path / "bad.run").write_text("1 Q0 d1\n")

    result = CliRunner().invoke(app, ["compare", "demo", *runs, str(tmp_path / "bad.run"), "-m", "RBU@5"])

    assert (result.exit_code, result.stdout[:6]) == (1, table)
    assert "The table is incomplete: 1 of the runs could not be evaluated." in result.stderr.replace("\n  ", " ")


def test_a_baseline_by_another_path_is_the_same_run(monkeypatch):
    monkeypatch.chdir(FOLDER)
    arguments = ["compare", "demo", "bm25.run", "xquad.run", "-m", "RBU@5", "--format", "csv", "-b"]

    assert run(*arguments, BM25) == run(*arguments, "bm25")


def test_two_links_to_a_file_are_two_runs(tmp_path):
    (tmp_path / "link.run").symlink_to(BM25)

    text = run("compare", "demo", BM25, str(tmp_path / "link.run"), "-m", "RBU@5", "-b", "link", "--format", "csv")

    assert text.splitlines()[1].startswith("RBU@5,bm25,link,")


@pytest.mark.parametrize(
    ("format", "higher"),
    [("latex", r"& xquad & \textbf{0.544} & $^{\mathrm{a}}$"), ("html", "<b>0.544</b>"), ("markdown", "<sup>a</sup>")],
)
def test_compare_marks_significant_differences(format, higher):
    text = run(
        "compare", "demo", BM25, XQUAD, "-m", "RBU@5", "-b", "bm25", "--test", "t", "--format", format, "-p", "3"
    )

    assert higher in text
    assert "(paired t-test, not corrected, alpha = 0.05, queries: 14)." in text


def test_a_comparison_is_written_as_it_is_printed(tmp_path):
    arguments = ["compare", "demo", BM25, XQUAD, "-m", "RBU@5"]

    for ending, format in (("txt", "table"), ("tex", "latex"), ("html", "html"), ("csv", "csv")):
        path = tmp_path / f"table.{ending}"
        run(*arguments, "-o", str(path))
        assert path.read_text() == run(*arguments, "--format", format)
    assert json.loads((tmp_path / "table.csv.json").read_text())["test"] == "tukey-randomised"


def test_a_comparison_fits_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = run("compare", "demo", str(FOLDER / "*.run"), "-m", "RBU@5 alpha_nDCG@5 ERR_IA@20")

    assert max(map(len, text.splitlines())) <= 80
    assert sum(line.endswith(" *") for line in text.splitlines()) > 1
