"""The README: its blocks run as they stand, and what it says in numbers and names is so."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout

import pytest

from by_hand import value
from console import Shell
from pyterrier_diversity import NDEVAL, RBU, alpha_nDCG, evaluate_runs
from pyterrier_diversity.datasets import TREC_DD, TREC_WEB
from pyterrier_diversity.meta.axioms import CONSTRAINTS


@pytest.fixture
def readme(request):
    text = (request.config.rootpath / "README.md").read_text(encoding="utf-8")
    return " ".join(text.split())


def test_every_block_runs_as_pasted_in_order(request, shared, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    text = (request.config.rootpath / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python|bash|text)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    (tmp_path / "here").mkdir()
    shell, names, printed = Shell(tmp_path / "here"), {}, ""
    monkeypatch.chdir(shell.folder)
    (shell.folder / "web-runs").mkdir()
    for model in ("ql", "rm"):  # what the block in between downloads
        run = shared / "trec-web" / "runs" / "2012" / f"{model}.catb.run.gz"
        (shell.folder / "web-runs" / f"{model}.run").symlink_to(run)

    for language, code in blocks:
        if language == "text":
            assert printed == code
        elif language == "python":
            with redirect_stdout(io.StringIO()) as output:
                # The script on TREC Web is copied alone.
                exec(compile(code, "README.md", "exec"), {} if "web-runs" in code else names)
            printed = output.getvalue()
        elif "sphinx-build" not in code:  # this one builds the checkout, in `test_docs.py`
            printed = shell.run(f"set -e\n{code}")
            assert shell.status == 0, printed

    assert {language for language, _ in blocks} == {"python", "bash", "text"}
    assert (shell.folder / "table.tex").read_text(encoding="utf-8").count("\\midrule") == 1
    assert (shell.folder / "deltas.pdf").stat().st_size > 5000


def test_extras_are_named_before_the_block_that_needs_them(readme):
    assert readme.index("pip install '.[plots]'") < readme.index("import plots")
    assert readme.index("pip install . --group docs") < readme.index("sphinx-build")


def test_files_that_are_linked_are_there(request, readme):
    root = request.config.rootpath
    linked = [target for target in re.findall(r"\]\(([^)]+)\)", readme) if "://" not in target]

    assert len(linked) > 10
    assert [target for target in linked if not (root / target).is_file()] == []


def numbers(pattern, text):
    """The numbers in a sentence of the README."""
    found = re.search(pattern, text)
    assert found, f"the README does not say {pattern!r}"
    return tuple(map(float, found.groups()))


def test_numbers_in_words_are_so(readme):
    assert "the nine measures of `NDEVAL`" in readme
    assert len({measure.NAME for measure in NDEVAL}) == 9
    assert "which of ten constraints each meets" in readme
    assert len(CONSTRAINTS) == 10


def test_rbu_has_these_defaults(readme):
    p, e = numbers(r"`p=([\d.]+), e=([\d.]+)` if not given", readme)
    p_of_the_release, e_of_the_release = numbers(
        r"The authors' release computes `RBU\(p=([\d.]+), e=([\d.]+), norm=True\)`", readme
    )

    assert (RBU["p"], RBU["e"]) == (p, e)
    assert (p_of_the_release, e_of_the_release) == (0.8, 0.03)


def test_the_years_are_those_of_the_datasets(readme):
    web, dd = (numbers(rf"{track}\D* (\d+)-(\d+)", readme) for track in ("TREC Web tracks", "TREC Dynamic Domain"))

    assert [int(name[-4:]) for name in TREC_WEB] == list(range(int(web[0]), int(web[1]) + 1))
    assert [int(name[-4:]) for name in TREC_DD] == list(range(int(dd[0]), int(dd[1]) + 1))


def test_parameters_are_checked_when_it_says_so(readme):
    assert (
        "an error when the measure is built; for names of ir_measures itself, such as `alpha_nDCG`, when it is"
        in readme
    )
    with pytest.raises(ValueError, match="p must be a number"):
        RBU(p=2)
    late = alpha_nDCG(alpha=2.0) @ 5
    with pytest.raises(ValueError, match="alpha must be a number"):
        evaluate_runs({"q": {"d": 1}}, {"mine": {"q": {"d": 1}}}, late)


def test_a_query_that_is_missing_in_a_run_scores_0_and_counts(readme):
    assert "A query of the qrels that is missing in a run scores 0 and counts in the mean" in readme
    judged = {"q": {"d": 1}, "r": {"d": 1}}
    assert value(RBU(p=0.5, e=0.0, gain="binary"), judged, {"q": {"d": 1}}) == 0.25
