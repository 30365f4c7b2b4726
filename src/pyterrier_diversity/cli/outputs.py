"""Tables, printed or written to a file; the check that no output is an input; and how gates end a command."""

import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from typing import Annotated, Any

import click
import pandas as pd

from .. import io
from ..io.forms import LINE_FORMATS
from ..io.tables import FORMATS, format_of

STANDARD_OUTPUT = "-"
FILE = click.Path(dir_okay=False)


# The options below each heading of a help; the last heading has all others.
_HEADINGS = {
    "Measures and tests": "measures baselines baseline test correction alternative groups alpha n_trials rng tuning",
    "Input": "columns order doc_len people query depth rel",
    "Gates and warnings": "minima no_worse tolerance strict ignore",
    "Output": "output format by_query queries signatures places transpose names labels title dpi",
}
# It looks like a hyphen, and no line ends behind it.
_JOINED = "\N{NON-BREAKING HYPHEN}"


class _Formatter(click.HelpFormatter):
    """A formatter of helps that breaks no line at a hyphen."""

    def write(self, string: str) -> None:
        super().write(string.replace(_JOINED, "-"))

    def write_text(self, text: str) -> None:
        super().write_text(text.replace("-", _JOINED))


class _Context(click.Context):
    formatter_class = _Formatter


class Command(click.Command):
    """A command with options in groups, which refuses to write over its inputs before it computes anything."""

    context_class = _Context

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options below their headings."""
        options = (each for each in self.get_params(ctx) if isinstance(each, click.Option))
        told = {str(option.name): option.get_help_record(ctx) for option in options}
        left = {name: (of[0], of[1].replace("-", _JOINED)) for name, of in told.items() if of}
        for heading, names in {**_HEADINGS, "Other options": " ".join(left)}.items():
            if rows := [left.pop(name) for name in names.split() if name in left]:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Check the output and call the command."""
        output = ctx.params.get("output")
        for path in () if output in (None, STANDARD_OUTPUT) else (output, f"{output}.json"):
            io.refuse_inputs(ctx.command.name or "", path, _files(ctx.params))
        return super().invoke(ctx)


def _files(params: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that a command reads, also those in folders and of patterns."""
    for name, value in params.items():
        for each in value if isinstance(value, tuple) else [value]:
            if name != "output" and isinstance(each, (str, os.PathLike)):
                path = os.fspath(each)
                yield from glob(os.path.join(path, "*") if os.path.isdir(path) else path, recursive=True)
                yield path


def new_names(option: str, paths: Iterable[str]) -> dict[str, str]:
    """Read the new names of an option from files; raise a ``ValueError`` if a run or measure has two."""
    found: dict[str, str] = {}
    for path in paths:
        for name, new in io.read_names(path).items():
            if found.setdefault(name, new) != new:
                raise ValueError(f"--{option}: {name!r} must have one new name, not both {found[name]!r} and {new!r}.")
    return found


@dataclass(frozen=True, kw_only=True)
class Called:
    """The names of measures in the output.

    Parameters
    ----------
    labels : str
        A file with two columns: a measure, a tab or comma, and its new name. $...$ is a formula of LaTeX. Repeatable.
    """

    labels: Annotated[tuple[str, ...], FILE] = ()

    @property
    def shown(self) -> dict[str, str] | None:
        """The new names of measures, if they are given."""
        return new_names("labels", self.labels) or None


@dataclass(frozen=True, kw_only=True)
class Shown(Called):
    """Where and how a command writes its table.

    Parameters
    ----------
    output : str, optional
        Write the table to this file, in the format of its ending; - for standard output. FILE.json says how the numbers
        were computed.
    format : str, optional
        Format of the table. By default, the ending of --output, or 'table'.
    places : int, optional
        Decimal places. By default 4, but all digits in csv, tsv, json, jsonl and parquet.
    transpose : bool
        Swap rows and columns.
    """

    output: Annotated[str | None, FILE, "-o"] = None
    format: Annotated[str | None, click.Choice(FORMATS)] = None
    places: Annotated[int | None, click.IntRange(0, 300), "-p"] = None
    transpose: bool = False

    def __post_init__(self) -> None:
        """Refuse an ending that does not name a format."""
        self.chosen  # noqa: B018

    @property
    def printed(self) -> bool:
        """Whether the table goes to standard output."""
        return self.output in (None, STANDARD_OUTPUT)

    @property
    def chosen(self) -> str:
        """The format."""
        return self.format or ("table" if self.printed else format_of(str(self.output)))

    @property
    def width(self) -> int | None:
        """The width of the terminal, if the table goes there."""
        return io.terminal_width() if self.printed else None

    def put(
        self, frame: pd.DataFrame, text: Callable[[pd.DataFrame], str] | None = None, of: Collection[str] = ("table",)
    ) -> None:
        """Print a table, or write it to a file with its attributes beside it.

        ``text`` writes the formats ``of`` which need more than the rows of the frame.
        """
        frame = io.renamed(frame, labels=self.shown)
        how: Any = {"format": self.chosen, "places": self.places, "transpose": self.transpose}
        written = text(frame) if text and self.chosen in of else None
        if self.printed:
            written = io.formatted(frame, width=self.width, **how) if written is None else written
            say(written, "  ") if self.chosen == "table" else click.echo(written)
        else:
            if written is None:
                io.write_table(frame, str(self.output), **how)
            else:
                io.write_content(written, str(self.output), frame.attrs)
            tell(f"Wrote {self.output}.")


@dataclass(frozen=True, kw_only=True)
class Written(Shown):
    """Where and how a command writes its table, which may be lines of values.

    Parameters
    ----------
    format : FORMAT
        table, csv, tsv, json, jsonl, latex, html or markdown. By default, the ending of --output, or 'table'. With -q
        also lines of values: trec_eval or ir_measures for one run, and long (name, query, measure, value) for several.
    """

    format: Annotated[str | None, click.Choice([*FORMATS, *LINE_FORMATS])] = None


def in_the_shell(message: str, command: click.Command | None) -> str:
    """Return a message on one line, with the options of the command in place of Python's arguments."""
    for option in [] if command is None else command.params:
        if isinstance(option, click.Option):
            # A parameter of a measure is behind a bracket.
            message = re.sub(rf"(?<!\()\b{option.name}='([^']*)'", rf"{option.opts[-1]} \1", message)
            message = re.sub(rf"(?<!\()\b{option.name}=True", option.opts[-1], message)
            # Names of measures, whose parameters may have this name, have capital letters.
            message = re.sub(rf"^([a-z_]+: ){option.name} must", rf"\1{option.opts[-1]} must", message)
    return io.printable(message)


def say(text: str, indent: str = "", *, err: bool = False) -> None:
    """Print a text in lines that fit the terminal that it goes to; in a file or pipe, lines stay as they are."""
    click.echo(io.in_lines(text, io.terminal_width(2 if err else 1), indent), err=err)


def tell(message: str) -> None:
    """Print a message to standard error."""
    say(io.printable(message), "  ", err=True)


@contextmanager
def told_of_gates(found: pd.DataFrame, failures: Collection[str], notes: Iterable[str] = ()) -> Iterator[None]:
    """Print why gates failed after the output, also if it cannot be written, and exit with status 3 if one did.

    If no gate failed, exit with status 1 if a run could not be evaluated. The ``notes`` tell more about gates that
    passed.
    """
    context = click.get_current_context()
    try:
        yield
    finally:
        for word, messages in (("Note", notes), ("Gate", failures)):
            for message in messages:
                tell(f"{word}: {in_the_shell(message, context.command)}")
        context.meta["status"] = 3 if len(failures) else 1
    end_if_incomplete(found)
    if len(failures):
        sys.exit(3)


def end_if_incomplete(found: pd.DataFrame) -> None:
    """Print a line for each run that could not be evaluated, and exit with status 1 if there are any."""
    errors: dict[str, str] = found.attrs["errors"]
    if found.empty and len(set(errors.values())) == 1:  # the same for all runs: the cause is the qrels or a measure
        raise ValueError(next(iter(errors.values())))
    for name, message in errors.items():
        tell(f"Error: {message if name in message else f'{name}: {message}'}")
    if errors:
        tell(f"The table is incomplete: {len(errors)} of the runs could not be evaluated.")
        sys.exit(click.get_current_context().meta.get("status", 1))
