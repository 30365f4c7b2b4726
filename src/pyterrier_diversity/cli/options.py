"""The options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from click.shell_completion import CompletionItem

from ..io.trec import OrderedBy
from ..io.written import FORMATS

if TYPE_CHECKING:
    import ir_measures

    TextType = click.ParamType[str]
else:
    TextType = click.ParamType  # older versions of click have no type in brackets


class GroupOrMeasure(TextType):
    """Measures as text. Tab completes the names of measures and groups."""

    name = "measure"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with the last word of a text."""
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
        """Return the datasets that begin with a text, and leave files to the shell."""
        from ..datasets import DiversityDatasetProvider

        return [
            *(
                CompletionItem(name)
                for name in DiversityDatasetProvider().list_dataset_names()
                if name.startswith(incomplete)
            ),
            CompletionItem(incomplete, type="file"),
        ]


Decorated = Callable[..., Any]


def choice(name: str, values: Any, default: str, help: str) -> Callable[[Decorated], Decorated]:
    """Return an option that takes one of the values of a literal type."""
    return click.option(name, type=click.Choice(get_args(values)), default=default, show_default=True, help=help)


QRELS = click.argument("qrels", type=QrelsName())
RUNS = click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=str))
MEASURES = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    type=GroupOrMeasure(),
    help="A measure such as 'RBU(p=0.9)@20', or a group such as NDEVAL. Separate several by spaces, or repeat -m.",
)
JOBS = click.option("-j", "--jobs", type=int, help="Number of parallel workers; -1 for one on each core.")
ORDER = choice(
    "--order",
    OrderedBy,
    "score",
    "Order the documents of a run by score, as trec_eval does, or by rank.",
)
STRICT = click.option("--strict", is_flag=True, help="Treat warnings about the data as errors.")
PLACES = click.option(
    "-p",
    "--places",
    type=click.IntRange(0, 300),
    help="Decimal places. By default 4, but all digits in csv, json, jsonl and parquet.",
)
OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the table to this file, in the format of its ending. FILE.json says how the numbers were computed.",
)
FORMAT = click.option(
    "--format", type=click.Choice(FORMATS), help="Format of the table. By default, the ending of --output, or 'table'."
)
DOC_LEN = click.option(
    "--doc-len",
    type=click.Path(path_type=Path),
    help="For EU_DD: a file with the number of words of each document, in lines 'document<TAB>words'.",
)
SEED = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of everything that is random."
)
CORRECTION = click.option(
    "--correction",
    help="Correct the p-values of a test of single pairs by this method of statsmodels, such as holm or fdr_bh.",
)
ALPHA = click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")


def with_options(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Return a decorator that gives a command these arguments and options, in this order."""

    def decorate(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def measures_of(texts: tuple[str, ...]) -> list[ir_measures.Measure]:
    """Read measures and names of groups. A text may have several, separated by spaces or commas."""
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
            raise click.UsageError(f"--min must be a measure and a value, such as 'Coverage@50=0.7', not {text!r}.")
        minima[parse(name.rstrip(">").strip())] = least
    return minima
