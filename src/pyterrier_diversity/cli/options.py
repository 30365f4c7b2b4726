"""The options that several commands have, and what they are read as."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ..io.written import FORMATS

if TYPE_CHECKING:
    import ir_measures

    TextType = click.ParamType[str]
else:
    TextType = click.ParamType  # older versions of click have no type in brackets


class GroupOrMeasure(TextType):
    """Measures as text, completed by the names of measures and of groups."""

    name = "measure"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin as the last word of a text does."""
        from ..measures import registered
        from ..measures.groups import GROUPS

        begun = incomplete.rpartition(" ")[0]
        names = [*GROUPS, *(measure.NAME for measure in registered())]
        texts = [f"{begun} {name}".strip() for name in names]
        return [CompletionItem(text) for text in texts if text.lower().startswith(incomplete.lower())]


class QrelsName(TextType):
    """A file, or the name of a dataset."""

    name = "qrels"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the datasets that begin so, and leave files to the shell."""
        from ..datasets import DiversityDatasetProvider

        return [
            *(
                CompletionItem(name)
                for name in DiversityDatasetProvider().list_dataset_names()
                if name.startswith(incomplete)
            ),
            CompletionItem(incomplete, type="file"),
        ]


QRELS = click.argument("qrels", type=QrelsName())
RUNS = click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=str))
MEASURES = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    type=GroupOrMeasure(),
    help="A measure such as 'RBU(p=0.9)@20' or a group such as NDEVAL; several, or several in one with spaces.",
)
JOBS = click.option("-j", "--jobs", type=int, help="Runs evaluated side by side; -1 for all cores.")
ORDER = click.option(
    "--order",
    type=click.Choice(["score", "rank"]),
    default="score",
    show_default=True,
    help="What orders a run: its scores, as trec_eval has it, or its ranks.",
)
STRICT = click.option("--strict", is_flag=True, help="Warnings about data are errors.")
PLACES = click.option(
    "-p",
    "--places",
    type=click.IntRange(0, 300),
    help="Decimal places of the values; 4 if omitted, but every digit in csv, json, jsonl and parquet.",
)
OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file, in the format of its ending; FILE.json beside it says how the numbers were made.",
)
FORMAT = click.option(
    "--format", type=click.Choice(FORMATS), help="How to write the table; 'table' if neither this nor a file says."
)
DOC_LEN = click.option(
    "--doc-len",
    type=click.Path(path_type=Path),
    help="A file of lines 'document words', tab-separated, for EU_DD, which charges the words that are read.",
)
SEED = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of what is drawn at random.")

Decorated = Callable[..., Any]


def with_options(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Return a decorator that gives a command these arguments and options, in this order."""

    def decorate(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def measures_of(texts: tuple[str, ...]) -> list[ir_measures.Measure]:
    """Read measures and names of groups: in each text one, or several with spaces or commas between them."""
    from ..measures.groups import read_measures

    return list(dict.fromkeys(read_measures("measures", texts)))


def parsed(text: str) -> ir_measures.Measure:
    """Read one measure."""
    from ..measures import parse

    return parse(text)


def minima_of(texts: tuple[str, ...]) -> dict[ir_measures.Measure, float]:
    """Read gates such as ``Coverage@50=0.7``."""
    from ..measures import parse

    minima: dict[ir_measures.Measure, float] = {}
    for text in texts:
        name, separator, number = text.rpartition("=")
        try:
            least = float(number)
        except ValueError:
            least = float("nan")
        if not separator or least != least:
            raise click.UsageError(f"--min must be a measure and its least value, as 'Coverage@50=0.7', not {text!r}.")
        minima[parse(name.rstrip(">").strip())] = least
    return minima
