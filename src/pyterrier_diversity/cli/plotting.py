"""The command that draws pictures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from .. import meta, missed_intents, plots
from ..io import named_runs, read_names, replaced
from . import options
from .asked import Asked
from .inputs import run_paths
from .outputs import STANDARD_OUTPUT, Command

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# The last rank that a picture shows by default.
_DEPTH = 10


def _explanations(asked: Asked) -> dict[str, pd.DataFrame]:
    return {name: asked.explained(path) for name, path in asked.paths.items()}


def _compared(asked: Asked) -> pd.DataFrame:
    return asked.given_to(meta.compare)


def _sampled(asked: Asked) -> pd.DataFrame:
    n = asked.perquery["qid"].nunique()
    step = -(-n // 10)
    return asked.given_to(meta.topic_sampling, sizes=range(step, n + 1, step))


def _compared_with_the_last(asked: Asked) -> dict[str, Any]:
    if len(asked.paths) < 2:
        raise click.UsageError("This picture compares runs with the last one: give two or more.")
    *systems, baseline = asked.paths
    return {"system": systems[0] if len(systems) == 1 else systems, "baseline": baseline}


_VALUES, _TESTED = ("measures", "jobs"), ("measures", "jobs", "seed")


# The options that only some pictures read.
_CHOSEN = {"measures", "query", "depth", "seed", "jobs", "gold", "other_qrels", "names", "labels"}


class Picture(NamedTuple):
    """A picture: what makes the frame that it shows, and the options that it reads besides those of files."""

    frame: Callable[[Asked], pd.DataFrame | dict[str, pd.DataFrame]] | None
    options: tuple[str, ...]


PICTURES: dict[str, Picture] = {
    "coverage": Picture(None, ("query", "depth")),
    "explain": Picture(_explanations, ("measures", "query", "depth")),
    "intent_coverage": Picture(None, ("measures", "depth")),
    "missed_intents": Picture(
        lambda asked: missed_intents(asked.judged, asked.runs, asked.depth or _DEPTH), ("query", "depth")
    ),
    "per_query_deltas": Picture(None, _VALUES),
    "means": Picture(_compared, _TESTED),
    "differences": Picture(_compared, _TESTED),
    "asl_curve": Picture(lambda asked: meta.asl_curve(_compared(asked)), _TESTED),
    "discriminative_power": Picture(lambda asked: meta.discriminative_power(_compared(asked)), _TESTED),
    "delta_required": Picture(lambda asked: meta.delta_required(_compared(asked)), _TESTED),
    "unanimity": Picture(lambda asked: asked.given_to(meta.unanimity), _VALUES),
    "stability": Picture(lambda asked: asked.given_to(meta.stability), _TESTED),
    "by_topic_set_size": Picture(_sampled, _TESTED),
    "topics_needed": Picture(lambda asked: asked.given_to(meta.topics_needed, n=[25, 50, 100, 200]), _TESTED),
    "tau_matrix": Picture(lambda asked: asked.given_to(meta.rank_correlation, matrix=True), _VALUES),
    "concordance": Picture(lambda asked: asked.given_to(meta.concordance), (*_VALUES, "gold")),
    "pool_depth": Picture(lambda asked: asked.given_to(meta.pool_depth), ("measures",)),
    "number_of_systems": Picture(lambda asked: asked.given_to(meta.number_of_systems), _TESTED),
    "insert_synthetic_system": Picture(lambda asked: asked.given_to(meta.insert_synthetic_system), _VALUES),
    "assessor_agreement": Picture(
        lambda asked: asked.given_to(meta.assessor_agreement), ("measures", "seed", "other_qrels")
    ),
    "confusion": Picture(lambda asked: asked.given_to(meta.agreement, table=True), ("other_qrels",)),
}


def _drawn(asked: Asked, picture: str) -> Axes:
    """Draw a picture."""
    draw, made = getattr(plots, picture), PICTURES[picture].frame
    parameters = signature(draw).parameters
    fixed: dict[str, Any] = {
        name: read_names(path) for name, path in (("names", asked.names), ("labels", asked.labels)) if path
    }
    if "cutoff" in parameters and (asked.depth or made is None):
        fixed["cutoff"] = asked.depth or _DEPTH
    if "query_id" in parameters:
        fixed["query_id"] = asked.query if picture == "missed_intents" else asked.one_query
    if "measure" in parameters and (asked.measures or made is not None):
        fixed["measure"] = asked.measure
    if draw is plots.per_query_deltas:
        fixed |= _compared_with_the_last(asked)
    panels = asked.given_to(draw, made and made(asked), **fixed)
    return panels[0] if isinstance(panels, list) else panels


@click.command(cls=Command)
@click.argument("picture", metavar="NAME", type=click.Choice(list(PICTURES)))
@options.with_options(options.QRELS)
@click.argument("runs", nargs=-1, type=click.Path(path_type=str))
@options.with_options(options.MEASURES)
@click.option("-q", "--query", help="The query, for a picture that shows one query.")
@click.option(
    "-k",
    "--depth",
    type=click.IntRange(1),
    help=f"Last rank to show: by default {_DEPTH}, or the cutoff of explain's measure.",
)
@click.option("--other-qrels", help="The judgements of a second judge, for assessor_agreement and confusion.")
@click.option("--gold", type=options.GroupOrMeasure(), help="The gold standard among the measures, for concordance.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    help="The file to write; its ending is the format: .png, .svg or .pdf. - writes a PNG to standard output.",
)
@click.option("--dpi", type=click.IntRange(10), default=150, show_default=True, help="Dots per inch of a PNG file.")
@options.with_options(options.NAMES, options.LABELS, options.SEED, options.ORDER, options.DOC_LEN, options.JOBS)
@click.pass_context
def plot(
    context: click.Context,
    /,
    picture: str,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    output: str,
    dpi: int,
    **how: Any,
) -> None:
    """Draw a picture of RUNS and save it.

    NAME is one of {names}. In Python, it is the function of that name in plots. The picture confusion takes no RUNS.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plot needs matplotlib: pip install 'pyterrier-diversity[plots]'.") from error
    read = {*PICTURES[picture].options, *signature(getattr(plots, picture)).parameters}
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if given and parameter.name in _CHOSEN and parameter.name not in read:
            raise click.UsageError(f"The picture {picture} does not read {parameter.opts[-1]}: leave it out.")
    if bool(runs) == (picture == "confusion"):
        raise click.UsageError(f"The picture {picture} {'takes no' if runs else 'needs'} runs.")
    plt.switch_backend("agg")
    ending = "png" if output == STANDARD_OUTPUT else os.path.splitext(output)[1].removeprefix(".").lower()
    formats = plt.figure().canvas.get_supported_filetypes()
    plt.close()
    if ending not in formats:
        raise click.UsageError(
            f"The ending of -o must be a format of pictures, not {output!r}: {', '.join(sorted(formats))}."
        )
    paths = named_runs("plot", run_paths(runs, qrels)) if runs else {}
    gold = how["gold"]
    asked = Asked(qrels, paths, options.measures_of(measures if gold is None else (*measures, gold)), **how)
    figure = _drawn(asked, picture).figure.figure
    if asked.texts.collection:
        known = figure.get_suptitle()
        figure.suptitle(asked.texts.collection + (f", {known}" if known else ""), fontsize=10)
    if output == STANDARD_OUTPUT:
        plt.savefig(sys.stdout.buffer, dpi=dpi, format=ending)
    else:
        with replaced(output) as file:
            plt.savefig(file, dpi=dpi)
    plt.close()


plot.help = (plot.help or "").replace("{names}", ", ".join(PICTURES))
