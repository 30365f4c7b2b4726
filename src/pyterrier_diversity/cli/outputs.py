"""Tables, printed or written to a file."""

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
    """Print a table, or write it to a file with its attributes beside it. Return the format.

    ``written`` makes the text of the formats that are not plain tables of rows.
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
    """Print a line to standard error."""
    click.echo(printable(message), err=True)


def refuse(messages: list[str]) -> None:
    """Print a line for each reason why a gate failed, and exit with its status; return if there are none."""
    for message in messages:
        tell(f"Gate: {message}")
    if messages:
        sys.exit(GATE)
