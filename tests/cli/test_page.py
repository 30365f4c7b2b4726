"""The sessions of the shell on pages give what the pages say."""

import re
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

from console import WITH_SESSIONS, Shell, sessions
from write_pictures import check, work_through

PAGES = files("pyterrier_diversity").joinpath("pt_docs")


def test_commands_and_their_output_are_found():
    page = "Text\n\n.. code-block:: console\n\n    $ echo a\n    a\n\n    b\n    $ true\n\nText\n"

    assert list(sessions(page)) == [("echo a", "a\n\nb"), ("true", "")]


def test_a_command_goes_on_after_a_backslash():
    page = ".. code-block:: console\n\n    $ echo a \\\n        b\n    a b\n"

    assert list(sessions(page)) == [("echo a \\\n    b", "a b")]


@pytest.fixture(scope="module")
def worked_through(tmp_path_factory):
    """Return a function that copies to a folder what the examples of a page write, which are run once."""
    results = {}

    def run(name, to):
        if name not in results:
            folder = tmp_path_factory.mktemp(name)
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(folder)
                path = Path(str(PAGES / f"{name}.rst")).resolve()
                results[name] = folder, work_through(path, check)
        folder, result = results[name]
        shutil.copytree(folder, to, dirs_exist_ok=True)
        return result

    return run


def test_the_steps_of_the_workflow_pass_and_its_gates_stop_a_loss(tmp_path, monkeypatch, worked_through):
    page = Path(str(PAGES / "gate.rst")).resolve()
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    folder = tmp_path / "work"
    worked_through("gate", folder)
    shell = Shell(folder)
    monkeypatch.chdir(folder)
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


@pytest.mark.parametrize("page", WITH_SESSIONS)
def test_the_examples_of_a_page_give_what_it_says_and_draw_its_pictures(page, tmp_path, worked_through):
    failed, attempted = worked_through(page, tmp_path)

    assert failed == 0
    assert attempted > 0 or page == "shell"  # whose files are those of the demo


@pytest.mark.parametrize(("page", "n_commands"), WITH_SESSIONS.items())
def test_the_session_of_a_page_gives_what_it_says(page, n_commands, tmp_path, worked_through):
    pytest.importorskip("matplotlib")
    worked_through(page, tmp_path)
    shell = Shell(tmp_path)
    commands = list(sessions((PAGES / f"{page}.rst").read_text(encoding="utf-8")))

    assert len(commands) >= n_commands
    for command, output in commands:
        assert (command, shell.run(command)) == (command, output)
