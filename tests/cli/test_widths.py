"""What the command prints fits the terminal, and no line is broken within a word; in a pipe, a message is one line."""

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from pyterrier_diversity.cli import app
from pyterrier_diversity.datasets.demo import FOLDER
from shell import BM25, MORE, XQUAD

pytestmark = pytest.mark.filterwarnings("default")
QRELS = str(FOLDER / "qrels.txt")
TWO = [QRELS, BM25, XQUAD]
COMMANDS = {
    "help": ["--help"],
    **{f"help of {name}": [name, "--help"] for name in app.list_commands(None)},
    "demo": ["demo"],
    "measures": ["measures"],
    "one measure": ["measures", "RBU"],
    "datasets": ["datasets"],
    "axioms": ["axioms", "StRecall(rel=2)@5 RBU@5"],
    "table": ["evaluate", *TWO, "-m", "NDEVAL"],
    "signatures": ["evaluate", *TWO, "-m", "RBU@5", "-s"],
    "gate": ["evaluate", *TWO, "--min", "RBU@5=0.6"],
    "comparison": ["compare", QRELS, BM25, MORE, "-b", XQUAD, "-m", "RBU@5", "--no-worse", "RBU@5"],
    "check": ["check", QRELS, "foreign.run"],
    "warning": ["evaluate", QRELS, "part.run", "-m", "RBU@5"],
    "error": ["evaluate", "nowhere.txt", BM25, "-m", "RBU@5"],
    "usage error": ["evaluate", *TWO, "--format", "pictures", "-m", "RBU@5"],
    "explanation": ["explain", "demo", "bm25", "--query", "3", "-m", "RBU@5"],
    "difference": ["explain", "demo", "bm25", "xquad", "--query", "3", "-m", "RBU@5"],
    "missed": ["missed", "demo", "bm25", "xquad", "-k", "5"],
}


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    """A run with other ids than the qrels and a part of a run, in the folder where the command is called."""
    monkeypatch.chdir(tmp_path)
    text = Path(BM25).read_text(encoding="utf-8")
    Path("foreign.run").write_text(text.replace("demo-", "DEMO_"), encoding="utf-8")
    Path("part.run").write_text("\n".join(text.splitlines()[:20]), encoding="utf-8")


def printed(arguments, columns):
    result = CliRunner().invoke(app, arguments, prog_name="pyterrier-diversity", env={"COLUMNS": columns})
    return result.stdout, result.stderr.rpartition("\r")[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_lines_fit_a_terminal_of_80_columns_and_are_broken_between_words(name):
    whole, narrow = ("".join(printed(COMMANDS[name], columns)) for columns in ("10000", "80"))

    words = {*f"{whole} measure … Transposed to fit 80 columns: the measures are rows.".split()}
    assert max(map(len, narrow.splitlines())) <= 80
    assert [word for word in narrow.split() if word not in words] == []


@pytest.mark.parametrize("pipe", [1, 2], ids=["output", "messages"])
def test_lines_in_a_pipe_are_whole_beside_a_terminal(monkeypatch, pipe):
    def size(stream):
        if stream == pipe:
            raise OSError
        return os.terminal_size((80, 24))

    monkeypatch.setattr("os.get_terminal_size", size)

    streams = [text.splitlines() for text in printed([*COMMANDS["warning"], "-s", "--min", "RBU@5=0.6"], None)]

    whole = ([r"name .*", r"part .*", "", r"RBU@5\|.{80,}"], [r"Warning: .{80,} \[MissingWarning\]", r"Gate: .{80,}"])
    assert all(re.fullmatch(line, found) for line, found in zip(whole[pipe - 1], streams[pipe - 1], strict=True))
    assert max(map(len, streams[2 - pipe])) <= 80
