import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from pyterrier_diversity import RBU, evaluate_runs, meta
from pyterrier_diversity.cli import app
from pyterrier_diversity.datasets.demo import FOLDER
from pyterrier_diversity.io import read_qrels
from pyterrier_diversity.warnings import SignificanceWarning
from shell import BM25, run


@pytest.mark.filterwarnings("default:corrected_means. only 8 queries are judged")
def test_means_are_corrected_by_the_qrels_of_people(tmp_path):
    people = tmp_path / "people.txt"
    lines = (FOLDER / "qrels.txt").read_text().splitlines(keepends=True)
    people.write_text("".join(line for line in lines if int(line.split()[0]) <= 8))
    arguments = ["corrected", "demo", "bm25", "xquad", "-m", "RBU@5", "--people", str(people), "--format", "json"]

    rows = json.loads(run(*arguments))
    (difference,) = json.loads(run(*arguments, "--baseline", BM25, "--no-tuning"))
    run(*arguments, "--strict")

    runs = {name: FOLDER / f"{name}.run" for name in ("bm25", "xquad")}
    values = [evaluate_runs(read_qrels(path), runs, RBU @ 5, perquery=True) for path in (FOLDER / "qrels.txt", people)]
    with pytest.warns(SignificanceWarning, match="only 8 queries are judged"):
        expected = meta.corrected_means(*values)
    assert pd.DataFrame(rows).to_numpy().tolist() == expected.to_numpy().tolist()
    assert (difference["name"], difference["other"], difference["judged"]) == ("xquad", "bm25", 8)


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
