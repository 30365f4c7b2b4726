"""Tables to the terminal or to a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..io import formatted, printable, write_attrs, write_table
from ..io.written import Format, format_of

if TYPE_CHECKING:
    import pandas as pd

GATE = 3


def put(
    frame: pd.DataFrame,
    output: Path | None,
    format: Format | None,
    places: int | None,
    written: Mapping[str, Callable[[], str]] | None = None,
) -> str:
    """Write a table to standard output, or to a file and what is known of it beside the file.

    ``written`` has the formats in which it is no plain table of rows. Returns the format.
    """
    chosen = format or ("table" if output is None else format_of(output))
    text = (written or {}).get(chosen)
    if output is None:
        click.echo(text() if text else formatted(frame, chosen, places))  # type: ignore[arg-type]
    elif text:
        output.write_text(text() + "\n", encoding="utf-8")
        write_attrs(frame, output)
    else:
        write_table(frame, output, chosen, places)
    return chosen


def tell(message: str) -> None:
    """Write a line beside the table, to standard error."""
    click.echo(printable(message), err=True)


def refuse(messages: list[str]) -> None:
    """End with the status of a gate that was not passed, after a line for each reason; return if there is none."""
    for message in messages:
        tell(f"Gate: {message}")
    if messages:
        sys.exit(GATE)
