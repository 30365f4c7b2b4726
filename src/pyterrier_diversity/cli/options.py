"""The options that several commands share, and how their values are read."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

from ..io import is_device
from ..io.readers import OrderedBy
from ..io.tables import FORMATS
from ..judged import KINDS
from .inputs import COLUMNS
from .outputs import STANDARD_OUTPUT, Shown

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


def of(function: Callable[..., Any], *names: str, **helps: str) -> Callable[[Decorated], Decorated]:
    """Return options for parameters of a function.

    Their types, choices and defaults are those of its signature, their ranges and help those of its docstring, unless
    ``helps`` has another help.
    """
    hints, told = get_type_hints(function), _described(function)
    options = []
    for name in (*names, *helps):
        default = inspect.signature(function).parameters[name].default
        of_docstring, help = told[name]
        options.append(
            click.option(
                f"--{name.replace('_', '-')}",
                type=_type_of(hints[name], of_docstring),
                default=default,
                show_default=default is not None,
                help=helps.get(name, help),
            )
        )
    return with_options(*options)


def _described(function: Callable[..., Any]) -> dict[str, tuple[str, str]]:
    """Return the type and the description of each parameter in a docstring."""
    _, _, section = (inspect.getdoc(function) or "").partition("Parameters\n----------\n")
    found = re.findall(r"^(\S.*?) : (.*)\n((?: {4}.*\n?)+)", section.partition("\n\n")[0], flags=re.MULTILINE)
    return {
        name: (kind, " ".join(text.replace("`", "").split()))
        for names, kind, text in found
        for name in names.split(", ")
    }


def _type_of(hint: Any, of_docstring: str) -> Any:
    """Return the type of an option: a choice for a literal, a range for a number with a least value."""
    if get_origin(hint) is not Literal:
        hint = next((kind for kind in get_args(hint) if kind is not NoneType), hint)
    if get_origin(hint) is Literal:
        return click.Choice(get_args(hint))
    least = re.search(r">= (\d+)", of_docstring)
    ranges = {int: click.IntRange, float: click.FloatRange}
    return ranges[hint](min=hint(least[1])) if least and hint in ranges else hint


def _keep_columns(context: click.Context, _: click.Parameter, text: str | None) -> None:
    context.meta[COLUMNS] = text


def ending(*allowed: str) -> Callable[..., str | None]:
    """Return a check that a file to write has one of these endings; devices and standard output need none."""

    def check(_: click.Context, __: click.Parameter, path: str | None) -> str | None:
        if path not in (None, STANDARD_OUTPUT) and not is_device(path) and not path.lower().endswith(allowed):
            raise click.BadParameter(f"the ending must be {' or '.join(allowed)}, not {path!r}.")
        return path

    return check


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
ORDER = click.option(
    "--order",
    type=click.Choice(get_args(OrderedBy)),
    default="score",
    show_default=True,
    help="Order the documents of a run by score, as trec_eval does, or by rank.",
)


def _ignoring(ctx: click.Context, param: click.Parameter, kinds: tuple[str, ...]) -> None:
    """Ignore these kinds of warnings until the command ends."""
    from ..judged import ignoring

    ctx.with_resource(ignoring("--ignore", kinds))


IGNORE = click.option(
    "--ignore",
    multiple=True,
    metavar="KIND",
    type=click.Choice(list(KINDS)),
    expose_value=False,
    callback=_ignoring,
    help=f"Neither show warnings of this kind nor treat them as errors: {', '.join(KINDS)}. Repeatable.",
)
STRICT = click.option("--strict", is_flag=True, help="Treat warnings about the data as errors.")
OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Write the table to this file, in the format of its ending; - for standard output. FILE.json says how the "
    "numbers were computed.",
)
FORMAT = click.option(
    "--format", type=click.Choice(FORMATS), help="Format of the table. By default, the ending of --output, or 'table'."
)
PLACES = click.option(
    "-p",
    "--places",
    type=click.IntRange(0, 300),
    help="Decimal places. By default 4, but all digits in csv, tsv, json, jsonl and parquet.",
)
TRANSPOSE = click.option("--transpose", is_flag=True, help="Make the measures the rows and the runs the columns.")
NAMES = click.option(
    "--names",
    type=click.Path(dir_okay=False),
    help="A file with two columns: the name of a run, a tab or comma, and what to call it.",
)
LABELS = click.option(
    "--labels",
    type=click.Path(dir_okay=False),
    help="A file with two columns: a measure, a tab or comma, and what to call it. $...$ is LaTeX.",
)
GATE_OUTPUT = click.option(
    "--gate-output",
    type=click.Path(dir_okay=False),
    callback=ending(".json", ".xml"),
    help="Write the results of the gates to this .json file, or to this .xml file as JUnit.",
)
DOC_LEN = click.option(
    "--doc-len",
    type=click.Path(path_type=Path),
    help="For EU_DD: a file with the number of words of each document, in lines 'document<TAB>words'.",
)
SEED = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of everything that is random."
)
BY = click.option(
    "--by",
    metavar="FILE|COLUMN",
    help="Show groups of queries: a file of two columns with a header, the query id first, or a column of the topics.",
)
DEPTH = click.option("-k", "--depth", type=click.IntRange(1), default=10, show_default=True, help="Last rank to show.")


def with_options(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Return a decorator that gives a command these arguments and options, in this order."""

    def decorate(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


QRELS = with_options(
    click.argument("qrels", type=QrelsName()),
    click.option(
        "--columns",
        expose_value=False,
        callback=_keep_columns,
        metavar="THEIRS=OURS,...",
        help="What the files call the columns, such as 'topic=qid,passage=docno,aspect=iteration'.",
    ),
)


def shown(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Return a decorator that gives a command options of its table, which it gets as one argument ``shown``."""

    def decorate(function: Decorated) -> Decorated:
        @wraps(function)
        def command(**given: Any) -> Any:
            of_table = {name: given.pop(name) for name in Shown.__dataclass_fields__ if name in given}
            return function(shown=Shown(**of_table), **given)

        return with_options(OUTPUT, FORMAT, *options)(command)

    return decorate


LISTED = shown()
TABLE = shown(PLACES, TRANSPOSE, NAMES, LABELS)


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
