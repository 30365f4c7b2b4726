"""The command and its exit statuses. A command is imported when it is called, and an error is one sentence."""

import errno
import os
import sys
import warnings
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from inspect import cleandoc
from typing import Any

import click

from .. import __version__
from ..interrupts import watch, watch_the_end
from ..progress import only_in_terminals
from ..warnings import KINDS

# The module of each command.
_MODULES = {
    "evaluate": "evaluating",
    "compare": "comparing",
    "check": "evaluating",
    "report": "comparing",
    "explain": "evaluating",
    "missed": "evaluating",
    "plot": "plotting",
    "measures": "listing",
    "datasets": "listing",
    "axioms": "listing",
    "demo": "listing",
}

# What a command may raise because of its input. A warning is raised if Python is told so, as by -W error.
_REPORTED = (ValueError, TypeError, KeyError, OSError, ImportError, MemoryError, BrokenExecutor, Warning)

# Python's trackers of what processes share. After Ctrl-C, they clean up, and would say so below our line.
_TRACKERS = ("multiprocessing.resource_tracker", "joblib.externals.loky.backend.resource_tracker")


class _Commands(click.Group):
    """The commands. Each is imported when it is called."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Run as the program that the shell calls."""
        watch()
        only_in_terminals()
        sys.warnoptions += [f"ignore::UserWarning:{tracker}" for tracker in _TRACKERS]  # processes that start get these
        for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
            if getattr(sys, name) is None:  # it was closed: the first file would be opened in its place
                setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        try:
            return super().__call__(*args, **options)
        finally:
            watch_the_end()

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            near = get_close_matches(cmd_name, _MODULES, n=1)
            if near and not ctx.resilient_parsing:
                ctx.fail(f"No such command {cmd_name!r}. Did you mean {near[0]!r}?")
            return None
        command: click.Command = getattr(import_module(f".{_MODULES[cmd_name]}", __package__), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        with warnings.catch_warnings():
            warnings.showwarning = partial(_show_warning, ctx)
            try:
                return super().invoke(ctx)
            except click.UsageError as error:
                raise click.UsageError(_in_lines("Error: ", error.format_message(), ctx), error.ctx) from error
            except BrokenPipeError:
                raise
            except _REPORTED as error:
                failure = click.ClickException(_in_lines("Error: ", _sentence(error), ctx))
                failure.exit_code = ctx.meta.get("status", 1)  # type: ignore[misc]  # of this one
                raise failure from error

    def main(self, *args: Any, **options: Any) -> Any:
        try:
            return super().main(*args, **options)
        except OSError as error:  # while the help was printed; all others became failures
            click.ClickException(_sentence(error)).show()
            sys.exit(1)
        finally:
            _flush_stdout()


def _show_warning(ctx: click.Context, message: Warning | str, category: type[Warning], *_: Any) -> None:
    name = f" [{category.__name__}]" if category in KINDS.values() else ""
    click.echo(f"Warning: {_in_lines('Warning: ', f'{message}{name}', ctx)}", err=True)


def _in_lines(start: str, message: str, ctx: click.Context) -> str:
    """Return a message in the words of the command that was called, in lines that fit the terminal after a start."""
    from ..io import in_lines, terminal_width
    from .outputs import in_the_shell

    told = in_the_shell(message, app.get_command(ctx, ctx.invoked_subcommand or ""))
    return in_lines(f"{start}{told}", terminal_width(2), "  ").removeprefix(start)


def _sentence(error: Exception) -> str:
    """Return an error's message as one sentence."""
    if isinstance(error, KeyError):
        return str(error.args[0])
    if isinstance(error, MemoryError):
        return f"There is not enough memory{f': {error}' if str(error) else ''}".rstrip(".") + "."
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


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pyterrier-diversity")
def app() -> None:
    """Evaluate, compare and explain the diversity of search results, from run files and qrels with intents.

    \b
    Exit status:
      0  success
      1  an error, or an incomplete table
      2  a usage error, such as an unknown option
      3  a run failed a gate (--min, --no-worse)
      130  interrupted by Ctrl-C

    \b
    Tab completion in bash (or zsh, fish):
      eval "$(_PYTERRIER_DIVERSITY_COMPLETE=bash_source pyterrier-diversity)"
    """  # noqa: D301 - click reads this character as the mark of lines that are not to be joined


app.help, _, app.epilog = cleandoc(app.help or "").partition("\n\n")  # the rest is below the commands
