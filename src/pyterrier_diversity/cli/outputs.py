"""Tables, printed or written to a file, and the check that no output is an input."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from glob import glob
from typing import TYPE_CHECKING, Any

import click

from ..io import formatted, printable, read_names, refuse_inputs, renamed, terminal_width, write_table, write_text
from ..io.tables import Format, format_of

if TYPE_CHECKING:
    import pandas as pd

STANDARD_OUTPUT = "-"
# The parameters of commands that name files or folders to write.
_WRITTEN = ("output", "gate_output", "save_dir")


class Command(click.Command):
    """A command that refuses to write over its inputs, before it computes anything."""

    def invoke(self, ctx: click.Context) -> Any:
        """Check the outputs and call the command."""
        for name in _WRITTEN:
            output = ctx.params.get(name)
            if output in (None, STANDARD_OUTPUT):
                continue
            for path in (output, f"{output}.json"):
                refuse_inputs(ctx.command.name or "", path, _files(ctx.params))
        return super().invoke(ctx)


def _files(params: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that a command reads, also those in folders and of patterns."""
    for name, value in params.items():
        for each in value if isinstance(value, tuple) else [value]:
            if name in _WRITTEN or not isinstance(each, (str, os.PathLike)):
                continue
            path = os.fspath(each)
            yield from glob(os.path.join(path, "*") if os.path.isdir(path) else path, recursive=True)
            yield path


@dataclass(frozen=True)
class Shown:
    """Where and how a command writes its table."""

    output: str | None
    format: Format | None
    places: int | None = None
    transpose: bool = False
    names: str | None = None
    labels: str | None = None

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

    def put(self, frame: pd.DataFrame, written: Mapping[str, Callable[[pd.DataFrame], str]] | None = None) -> None:
        """Print a table, or write it to a file with its attributes beside it.

        ``written`` makes the text of the formats that are not plain tables of rows.
        """
        names, labels = (None if path is None else read_names(path) for path in (self.names, self.labels))
        frame = renamed(frame, names, labels)
        own = (written or {}).get(self.chosen)
        if own is None and not self.printed:
            write_table(frame, str(self.output), self.chosen, self.places, transpose=self.transpose)  # type: ignore[arg-type]
            return
        how = {"transpose": self.transpose, "width": terminal_width() if self.printed else None}
        text = own(frame) if own else formatted(frame, self.chosen, self.places, **how)  # type: ignore[arg-type]
        if self.printed:
            click.echo(text)
        else:
            write_text(text, str(self.output), frame.attrs)


def tell(message: str) -> None:
    """Print a line to standard error."""
    click.echo(printable(message), err=True)
