"""The page "From the shell" does what it says."""

from importlib.resources import files

import pytest

from console import Shell, folded, sessions

PAGE = files("pyterrier_diversity").joinpath("pt_docs", "shell.rst").read_text(encoding="utf-8")


def test_commands_and_their_output_are_found():
    page = "Text\n\n.. code-block:: console\n\n    $ echo a\n    a\n\n    b\n    $ true\n\nText\n"

    assert list(sessions(page)) == [("echo a", "a\n\nb"), ("true", "")]


def test_a_command_goes_on_after_a_backslash():
    page = ".. code-block:: console\n\n    $ echo a \\\n        b\n    a b\n"

    assert list(sessions(page)) == [("echo a \\\n    b", "a b")]


def test_a_long_line_of_output_is_folded_and_a_short_one_is_left_as_it_is():
    assert folded("a   b\n" + "word " * 20) == "a   b\n" + " ".join(["word"] * 16) + "\n  " + " ".join(["word"] * 4)


def test_the_session_of_the_page_gives_what_it_says(tmp_path):
    pytest.importorskip("matplotlib")
    shell = Shell(tmp_path)
    commands = list(sessions(PAGE))

    assert len(commands) > 20
    for command, output in commands:
        assert (command, folded(shell.run(command))) == (command, output)
