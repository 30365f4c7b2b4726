"""The command with arbitrary arguments, and run files with arbitrary lines."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

from fuzz import law
from fuzz.law import answer, fuzzed
from fuzz.lines import lines
from pyterrier_diversity.cli import app

QRELS = "q1 a d1 1\nq1 b d1 0\nq1 b d2 2\nq2 a d3 1\n"
RUNS = {"one": "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\nq2 Q0 x 1 1 t\n", "two": "q1 Q0 d2 1 2 t\nq2 Q0 d3 1 9 t\n"}
MEASURES = ["RBU@5", "alpha_nDCG@3 StRecall@2", "IA(nDCG@3)", "Sharp(AP, gamma=0.2)", "NDEVAL", "AP", "P_Rareness@3"]
MEASURES += ["", "  ", "RBU(p=2)", "\ud800", "ERR_IA(alpha=1)@5"]
MEASURES += ["x", "alpha_DCG", "UserModel", "IA", "@5", "RBU@", "("]
COMMANDS = [[], ["evaluate"], ["evaluate", "demo", "x"], ["compare", "demo", "x"], ["measures"], ["axioms"], ["x"]]
COMMANDS += [["check", "demo"], ["explain", "demo", "bm25"], ["plot", "coverage", "demo", "bm25"], ["datasets"]]
WORDS = [
    *("x", "demo", "-q", "--by-query", "--signatures", "--strict", "-h", "--min", "RBU@5=.1", "--help", "--format"),
    *("csv", "json", "latex", "html", "table", "--places", "-p", "-1", "400", "--jobs", "1", "-m", "", "--", "-"),
    *("--seed", "--alpha", "0.05", "--test", "t", "bootstrap", "--baseline", "RBU@5"),
]
FORMATS = [[], ["--format", "csv"], ["--format", "json"], ["--format", "latex"], ["--format", "html", "-p", "20"]]
OPTIONS = ["", "", "-q", "-s", "-p 0", "--jobs 0", "--min RBU@5=0.3", "--min AP>=x", "--strict"]
TESTS = ["t", "wilcoxon", "permutation", "tukey", "bootstrap", "tukey-randomised", "x"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "qrels").write_text(QRELS)
    for name, text in RUNS.items():
        (folder / f"{name}.run").write_text(text)
    return folder


def run(function: str, words: list[str]) -> str | None:
    """Run the command, which ends well, or with one sentence, or with a hint of how it is called."""
    result = answer(function, lambda: CliRunner().invoke(app, words))
    if isinstance(result.exception, Exception):
        raise result.exception
    assert result.exit_code in (0, 1, 2, 3)
    if result.exit_code == 1 and words[0] != "check":
        assert result.stderr.lstrip("\r").startswith(("Error: ", "Warning: ")), result.stderr
        assert "Error: " in result.stderr
        assert result.stderr.endswith(".\n"), result.stderr
        law.refused[function, "error in one sentence"] += 1
    elif result.exit_code == 3:
        assert result.stderr.splitlines()[-1].startswith("Gate: "), result.stderr
        law.refused[function, "a gate"] += 1
    elif result.exit_code == 2:
        law.refused[function, "usage"] += 1
    else:
        law.bounded[function] += 1
        return result.stdout
    return None


@fuzzed(60, command=st.sampled_from(COMMANDS), words=st.lists(st.sampled_from(WORDS), max_size=5))
def test_any_words_are_obeyed_or_refused(command, words):
    run("cli", [*command, *words])


@fuzzed(50, measures=st.lists(st.sampled_from(MEASURES), min_size=1, max_size=2), data=st.data())
def test_runs_are_evaluated_or_refused(folder, measures, data):
    names = data.draw(st.sampled_from([["one.run"], ["one.run", "two.run"], ["*.run"], ["none"], [""], []]))
    more = data.draw(st.sampled_from(FORMATS)) + data.draw(st.sampled_from(OPTIONS)).split()
    qrels = data.draw(st.sampled_from(["qrels", "qrels", "qrels", "none", "one.run"]))
    asked = [word for measure in measures for word in ("-m", measure)]

    table = run("cli evaluate", ["evaluate", str(folder / qrels), *(str(folder / n) for n in names), *asked, *more])

    assert table is None or "nan" not in table.lower()


@fuzzed(30, measure=st.sampled_from(MEASURES), test=st.sampled_from(TESTS), data=st.data())
def test_runs_are_compared_or_refused(folder, measure, test, data):
    of_test = [[], [], ["--correction", "holm"], ["--correction", "x"], ["-b", "one"], ["-b", "x"]]
    of_draw = [[], [], ["--alpha", "2"], ["--alpha", "nan"], ["--seed", "-1"], ["--jobs", "0"]]
    more = [word for words in (FORMATS, of_test, of_draw) for word in data.draw(st.sampled_from(words))]
    run("cli compare", ["compare", str(folder / "qrels"), str(folder / "*.run"), "-m", measure, "--test", test, *more])


@fuzzed(30, qrels=lines("wwwn"), of_run=lines("wwwwnw"), more=st.sampled_from([[], ["--strict"], ["--order", "rank"]]))
def test_any_files_are_checked(folder, qrels, of_run, more):
    (folder / "any").write_bytes(qrels.encode())
    (folder / "any.txt").write_bytes(of_run.encode())

    run("cli check", ["check", *(str(folder / name) for name in ("any", "any.txt")), *more])
