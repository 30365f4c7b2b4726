"""The command and its exit statuses: each command is imported when it is called, errors are one sentence."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from typing import Any, TextIO

import click

from .. import __version__
from ..io import printable

# The module of each command.
_MODULES = {
    "evaluate": "evaluating",
    "compare": "comparing",
    "check": "evaluating",
    "report": "reporting",
    "explain": "looking",
    "plot": "looking",
    "measures": "listing",
    "datasets": "listing",
    "axioms": "listing",
    "demo": "demonstration",
}

_EPILOG = """\b
Exit status:
  0  all is well
  1  an error, or a table that is not complete
  2  a command that cannot be understood
  3  a gate (--min, --no-worse) that was not passed
\b
Completion of words for bash (or zsh, fish):
  eval "$(_PYTERRIER_DIVERSITY_COMPLETE=bash_source pyterrier-diversity)"
"""


class _Failure(click.ClickException):
    """An error in one sentence, exit status 1."""

    def format_message(self) -> str:
        return printable(self.message)


class _Commands(click.Group):
    """The commands, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        command: click.Command = getattr(import_module(f".{_MODULES[cmd_name]}", __package__), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            try:
                return super().invoke(ctx)
            except (ValueError, TypeError, KeyError, OSError, ImportError) as error:
                if isinstance(error, BrokenPipeError):
                    raise
                raise _Failure(_sentence(error)) from error

    def main(self, *args: Any, **options: Any) -> Any:
        try:
            return super().main(*args, **options)
        except OSError as error:  # of the help's output: all others became failures
            _Failure(_sentence(error)).show()
            sys.exit(1)
        finally:
            _flush_stdout()


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    click.echo(f"Warning: {printable(str(message))}", err=True)


def _sentence(error: Exception) -> str:
    """Return what an error says."""
    if isinstance(error, KeyError):
        return str(error.args[0])
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        if error.filename is None:
            return f"The output cannot be written: {error.strerror}."
        if error.errno == errno.ENOENT:
            return f"There is no file {os.fspath(error.filename)!r}."
        return f"{os.fspath(error.filename)}: {error.strerror}."
    return str(error)


def _flush_stdout() -> None:
    """Have nothing left for Python to write when it ends, where it would fail again, with a traceback."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pyterrier-diversity")
def app() -> None:
    """Search result diversity: evaluate, compare and explain run files, by qrels that keep the intents."""
