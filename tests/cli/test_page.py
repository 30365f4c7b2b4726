"""The page "From the shell" does what it says."""

from importlib.resources import files

import pytest

from console import Shell, sessions

PAGE = files("pyterrier_diversity").joinpath("pt_docs", "shell.rst").read_text(encoding="utf-8")


def test_commands_and_their_output_are_found():
    page = "Text\n\n.. code-block:: console\n\n    $ echo a\n    a\n\n    b\n    $ true\n\nText\n"

    assert list(sessions(page)) == [("echo a", "a\n\nb"), ("true", "")]


def test_the_session_of_the_page_gives_what_it_says(tmp_path):
    pytest.importorskip("matplotlib")
    shell = Shell(tmp_path)
    commands = list(sessions(PAGE))

    assert len(commands) > 20
    for command, output in commands:
        assert (command, shell.run(command)) == (command, output)
