"""The command and its exit statuses. A command is imported when it is called, and an error is one sentence."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from contextlib import suppress
from difflib import get_close_matches
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
  0  success
  1  an error, or an incomplete table
  2  a usage error, such as an unknown option
  3  a run failed a gate (--min, --no-worse)

\b
Tab completion in bash (or zsh, fish):
  eval "$(_PYTERRIER_DIVERSITY_COMPLETE=bash_source pyterrier-diversity)"
"""


class _Failure(click.ClickException):
    """An error with exit status 1, told in one sentence."""

    def format_message(self) -> str:
        return printable(self.message)


class _Commands(click.Group):
    """The commands. Each is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            return None
        command: click.Command = getattr(import_module(f".{_MODULES[cmd_name]}", __package__), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        near = get_close_matches(args[0], _MODULES, n=1)
        if near and args[0] not in _MODULES and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

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
        except OSError as error:  # while the help was printed; all others became failures
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
    """Return an error's message as one sentence."""
    if isinstance(error, KeyError):
        return str(error.args[0])
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        if error.filename is None:
            return f"Cannot write the output: {error.strerror}."
        path = os.fspath(error.filename)
        if error.errno != errno.ENOENT:
            return f"{path}: {error.strerror}."
        folder = os.path.dirname(path)
        missing = f"folder {folder!r}" if folder and not os.path.isdir(folder) else f"file {path!r}"
        return f"There is no {missing}."
    return str(error)


def _flush_stdout() -> None:
    """Flush standard output now: if that failed when Python exits, it would print a traceback."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pyterrier-diversity")
def app() -> None:
    """Evaluate, compare and explain the diversity of search results, from run files and qrels with intents."""
