"""Sessions of the shell on pages: commands after ``$``, and what they print, in lines that fit the page."""

import atexit
import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import called
import pyterrier_diversity

# The pages that show sessions, and how many commands at least. The commands read files that examples in Python write.
WITH_SESSIONS = {"shell": 18, "gate": 6, "long_evaluations": 1, "rag": 1, "nuggets": 1}


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of the console blocks of a page, and the output that follows it."""
    for block in re.findall(r"^\.\. code-block:: console\n\n((?:(?: +.*)?\n)+)", text, flags=re.MULTILINE):
        for part in re.split(r"^\$ ", textwrap.dedent(block), flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                line, _, output = output.partition("\n")
                command += f"\n{line}"
            yield command, output.strip("\n")


# Where the package under test is: in the checkout, or installed from the wheel.
SOURCE = Path(pyterrier_diversity.__file__).parents[1]


@functools.cache
def _command() -> str:
    """Return what runs the command: it calls a process that has imported everything once."""
    folder, owner = tempfile.mkdtemp(), os.getpid()
    program, address = Path(folder, "call.py"), f"{folder}/socket"
    program.write_text(called.CALL)
    process = subprocess.Popen(
        [sys.executable, called.__file__, address],
        env=os.environ | {"PYTHONPATH": str(SOURCE), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )

    def end() -> None:
        if os.getpid() == owner:  # and not a worker that was forked
            process.communicate()
            shutil.rmtree(folder)

    atexit.register(end)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return shlex.join([sys.executable, "-IS", str(program), address])


class Shell:
    """A shell in a folder: what a command prints, on both streams, and its status for the next command.

    Parameters
    ----------
    folder : Path
        Where it works.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0
        programs = folder.parent / f"{folder.name}-bin"
        programs.mkdir()
        for name, command in (("pyterrier-diversity", _command()), ("python", shlex.quote(sys.executable))):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
            program.chmod(0o755)
        self._environment = os.environ | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(SOURCE),
            "COLUMNS": "80",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, command: str) -> str:
        """Run a command and return what it prints."""
        ran = subprocess.run(
            ["bash", "-c", f"(exit {self.status}); {command}"],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.status = ran.returncode
        return "\n".join(line.rstrip() for line in ran.stdout.splitlines()).strip("\n")
