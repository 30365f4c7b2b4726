"""The command that draws pictures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import signature
from typing import Annotated, Any

import click
import ir_measures
import pandas as pd
from click.core import ParameterSource

from .. import meta, missed_intents, plots
from ..io import replaced
from .inputs import Asked, measures_of, read_texts
from .options import MeasureText, command, of
from .outputs import FILE, STANDARD_OUTPUT, Called

# The last rank that a picture shows by default.
_DEPTH = 10


def _sampled(perquery: pd.DataFrame, rng: int, n_jobs: int | None = None) -> pd.DataFrame:
    n = perquery["qid"].nunique()
    step = -(-n // 10)
    return meta.topic_sampling(perquery, sizes=range(step, n + 1, step), rng=rng, n_jobs=n_jobs)


# The pictures, and what makes the frame that each shows, one function after the other.
PICTURES: dict[str, tuple[Callable[..., pd.DataFrame], ...]] = {
    "coverage": (),
    "explain": (),
    "intent_coverage": (),
    "missed_intents": (),
    "per_query_deltas": (),
    "means": (meta.compare,),
    "differences": (meta.compare,),
    "asl_curve": (meta.compare, meta.asl_curve),
    "discriminative_power": (meta.compare, meta.discriminative_power),
    "delta_required": (meta.compare, meta.delta_required),
    "unanimity": (meta.unanimity,),
    "stability": (meta.stability,),
    "by_topic_set_size": (_sampled,),
    "topics_needed": (partial(meta.topics_needed, n=[25, 50, 100, 200]),),
    "tau_matrix": (partial(meta.rank_correlation, matrix=True),),
    "concordance": (meta.concordance,),
    "pool_depth": (meta.pool_depth,),
    "number_of_systems": (meta.number_of_systems,),
    "insert_synthetic_system": (meta.insert_synthetic_system,),
    "assessor_agreement": (meta.assessor_agreement,),
    "confusion": (partial(meta.agreement, table=True),),
}


@dataclass(frozen=True)
class Drawn(Called, Asked):
    """What the command that draws pictures is given.

    Parameters
    ----------
    picture : NAME
        The picture.
    query : str
        The query, for a picture that shows one query.
    depth : int >= 1
        Last rank to show: by default 10, or the cutoff of explain's measure.
    other_qrels : str
        The judgements of a second judge, for assessor_agreement and confusion.
    gold : str
        The gold standard among the measures, for concordance.
    """

    picture: Annotated[str, click.Choice(list(PICTURES))]
    query: Annotated[str | None, "-q"] = None
    depth: Annotated[int | None, "-k"] = None
    other_qrels: str | None = None
    gold: Annotated[str | None, MeasureText()] = None

    @cached_property
    def chosen(self) -> list[ir_measures.Measure]:
        """The measures, with the gold standard."""
        return measures_of(self.measures if self.gold is None else (*self.measures, self.gold))

    @cached_property
    def perquery(self) -> pd.DataFrame:
        """The values of all measures for each run and query."""
        chosen = _needed(self.chosen, "shows measures: name them with -m.")
        return self.values(chosen, self.judged, on_error="raise", keep_by_query=True).perquery()

    @property
    def other_judged(self) -> pd.DataFrame:
        """The qrels of a second judge."""
        second = _needed(self.other_qrels, "compares two judges: name the second with --other-qrels.")
        return self.judged_by(second, self.chosen)

    @property
    def measure(self) -> ir_measures.Measure:
        """The measure, if there is exactly one."""
        return _needed(self.chosen if len(self.chosen) == 1 else None, "shows one measure: name it with -m.")[0]

    @property
    def one_query(self) -> str:
        """The query."""
        return str(_needed(self.query, "shows one query: name it with --query."))

    @property
    def systems(self) -> list[str]:
        """The names of the runs, if there are several."""
        several = list(self.paths) if len(self.paths) > 1 else None
        return list(_needed(several, "compares runs with the last one: give two or more."))


def _needed(value: Any, why: str) -> Any:
    """Return a value. It is a usage error if it is not given."""
    if not value:
        raise click.UsageError(f"This picture {why}")
    return value


_Given = dict[str, tuple[Callable[[Drawn], Any], tuple[str, ...]]]
_GOLD = "shows which measure is right: name the gold standard with --gold."
# What parameters of functions get, and the options that they read.
_DATA: _Given = {
    "perquery": (lambda drawn: drawn.perquery, ("measures", "n_jobs")),
    "perquery_or_means": (lambda drawn: drawn.perquery, ("measures", "n_jobs")),
    "qrels": (lambda drawn: drawn.judged, ()),
    "qrels_a": (lambda drawn: drawn.judged, ()),
    "qrels_b": (lambda drawn: drawn.other_judged, ("other_qrels",)),
    "other_qrels": (lambda drawn: drawn.other_judged, ("other_qrels",)),
    "runs": (lambda drawn: drawn.frames, ()),
    "measures": (lambda drawn: drawn.chosen, ("measures",)),
    "gold": (lambda drawn: _needed(drawn.gold, _GOLD), ("gold",)),
    "rng": (lambda drawn: drawn.rng, ("rng",)),
    "n_jobs": (lambda drawn: drawn.n_jobs, ("n_jobs",)),
}
# The same for the functions that draw.
_DRAWN: _Given = _DATA | {
    "explained": (lambda drawn: drawn.explained(drawn.one_query, drawn.measure), ("measures", "query")),
    "missed": (lambda drawn: missed_intents(drawn.judged, drawn.frames, drawn.depth or _DEPTH), ("depth",)),
    "query_id": (lambda drawn: drawn.query if drawn.picture == "missed_intents" else drawn.one_query, ("query",)),
    "cutoff": (lambda drawn: drawn.depth or (None if drawn.picture == "explain" else _DEPTH), ("depth",)),
    "measure": (lambda drawn: drawn.measure if drawn.chosen else None, ("measures",)),
    "system": (lambda drawn: drawn.systems[0] if len(drawn.systems) == 2 else drawn.systems[:-1], ()),
    "baseline": (lambda drawn: drawn.systems[-1], ()),
    "names": (lambda drawn: drawn.renamed.get("names"), ("names",)),
    "labels": (lambda drawn: drawn.renamed.get("labels"), ("labels",)),
}
# The options that only some pictures read.
_CHOSEN = list(dict.fromkeys(option for _, options in _DRAWN.values() for option in options))


def _steps(picture: str) -> list[tuple[Callable[..., Any], _Given]]:
    """Return the functions that make a picture, one after the other, each with what its parameters get."""
    steps: list[tuple[Callable[..., Any], _Given]] = []
    for function in (*PICTURES[picture], getattr(plots, picture)):
        known = _DRAWN if function is getattr(plots, picture) else _DATA
        names = list(signature(function).parameters)[len(steps[:1]) :]  # the first one is the frame of the step before
        left_out = {"measures"} if "perquery" in names else set()  # they are in the frame
        steps.append((function, {name: known[name] for name in names if name in known and name not in left_out}))
    return steps


@command
@of(Drawn, "picture", "qrels", "columns", *_CHOSEN, "order", "doc_len", runs="[RUNS]...")
def plot(drawn: Drawn, *, output: Annotated[str, FILE, "-o"], dpi: int = 150) -> None:
    """Draw a picture of RUNS and save it.

    NAME is one of {names}. In Python, it is the function of that name in plots. The picture confusion takes no RUNS.

    Parameters
    ----------
    output : path
        The file to write; its ending is the format: .png, .svg or .pdf. - writes a PNG to standard output.
    dpi : int >= 10
        Dots per inch of a PNG file.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plot needs matplotlib: pip install 'pyterrier-diversity[plots]'.") from error
    steps = _steps(drawn.picture)
    unread = {*_CHOSEN}.difference(*(options for _, given in steps for _, options in given.values()))
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in unread and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"The picture {drawn.picture} does not read {parameter.opts[-1]}: leave it out.")
    if bool(drawn.runs) == (drawn.picture == "confusion"):
        raise click.UsageError(f"The picture {drawn.picture} {'takes no' if drawn.runs else 'needs'} runs.")
    plt.switch_backend("agg")
    ending = "png" if output == STANDARD_OUTPUT else os.path.splitext(output)[1].removeprefix(".").lower()
    formats = plt.figure().canvas.get_supported_filetypes()
    plt.close()
    if ending not in formats:
        raise click.UsageError(
            f"The ending of -o must be a format of pictures, not {output!r}: {', '.join(sorted(formats))}."
        )
    frame: list[Any] = []
    for function, given in steps:
        arguments = {name: value(drawn) for name, (value, _) in given.items()}
        made = function(*frame, **{name: value for name, value in arguments.items() if value is not None})
        frame = [made]
    panels = made if isinstance(made, list) else [made]
    figure, collection = panels[0].figure.figure, read_texts(drawn.qrels).collection
    if collection:
        figure.suptitle(", ".join(filter(None, [collection, figure.get_suptitle()])), fontsize=10)
    if output == STANDARD_OUTPUT:
        plt.savefig(sys.stdout.buffer, dpi=dpi, format=ending)
    else:
        with replaced(output) as file:
            plt.savefig(file, dpi=dpi)
    plt.close()


plot.help = (plot.help or "").replace("{names}", ", ".join(PICTURES))
