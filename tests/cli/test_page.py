"""The sessions of the shell on pages give what the pages say."""

import doctest
import re
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from console import Shell, folded, sessions

PAGES = files("pyterrier_diversity").joinpath("pt_docs")


def test_commands_and_their_output_are_found():
    page = "Text\n\n.. code-block:: console\n\n    $ echo a\n    a\n\n    b\n    $ true\n\nText\n"

    assert list(sessions(page)) == [("echo a", "a\n\nb"), ("true", "")]


def test_a_command_goes_on_after_a_backslash():
    page = ".. code-block:: console\n\n    $ echo a \\\n        b\n    a b\n"

    assert list(sessions(page)) == [("echo a \\\n    b", "a b")]


def test_a_long_line_of_output_is_folded_and_a_short_one_is_left_as_it_is():
    assert folded("a   b\n" + "word " * 20) == "a   b\n" + " ".join(["word"] * 16) + "\n  " + " ".join(["word"] * 4)


def test_the_steps_of_the_workflow_pass_and_its_gates_stop_a_loss(tmp_path, monkeypatch):
    page = Path(str(PAGES / "gate.rst")).resolve()
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    folder = tmp_path / "work"
    folder.mkdir()
    shell = Shell(folder)
    monkeypatch.chdir(folder)
    doctest.testfile(str(page), module_relative=False, encoding="utf-8")  # writes the files that the steps read
    (workflow,) = re.findall(r"code-block:: yaml\n\n((?:(?: +.*)?\n)+)", page.read_text(encoding="utf-8"))
    steps = [step["run"] for step in yaml.safe_load(workflow)["jobs"]["gate"]["steps"] if "run" in step]
    better, accepted = Path("new.json").read_text(encoding="utf-8"), Path("accepted.json")

    assert steps[0] == "pip install pyterrier-diversity"
    for found, statuses in ((better, [0, 0, 0, 0]), (accepted.read_text(encoding="utf-8"), [0, 0, 3, 3])):
        Path("retrieve.py").write_text(f"open('new.json', 'w').write({found!r})", encoding="utf-8")
        for step, status in zip(steps[1:], statuses, strict=True):
            printed = shell.run(step)
            assert shell.status == status, f"{step}: {printed}"
        accepted.write_text(better, encoding="utf-8")
    assert "Coverage@5" in summary.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "n_commands"), [("shell", 18), ("gate", 6), ("long_evaluations", 2), ("rag", 1), ("nuggets", 1)]
)
def test_the_session_of_a_page_gives_what_it_says(page, n_commands, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    path = Path(str(PAGES / f"{page}.rst")).resolve()
    shell = Shell(tmp_path)
    commands = list(sessions(path.read_text(encoding="utf-8")))
    monkeypatch.chdir(tmp_path)
    doctest.testfile(str(path), module_relative=False, encoding="utf-8")  # writes the files that the commands read

    assert len(commands) >= n_commands
    for command, output in commands:
        assert (command, folded(shell.run(command))) == (command, output)
