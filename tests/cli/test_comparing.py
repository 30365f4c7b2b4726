from pathlib import Path

import pytest
from click.testing import CliRunner

from pyterrier_diversity.cli import app
from pyterrier_diversity.datasets.demo import FOLDER
from shell import BM25


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
