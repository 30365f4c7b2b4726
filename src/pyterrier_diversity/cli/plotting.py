"""The command that draws pictures."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Annotated, Any

import click
import pandas as pd
from click.core import ParameterSource

from .. import meta, missed_intents, plots
from ..io import replaced
from ..plots.drawing import pyplot
from .inputs import Asked, own_name
from .options import command, of
from .outputs import FILE, STANDARD_OUTPUT, Called, tell

# The last rank that a picture shows by default.
_DEPTH = 10


# A table along a parameter is made in Python.
PICTURES = {name: getattr(plots, name) for name in plots.__all__ if name != "sweep"}


@dataclass(frozen=True)
class Drawn(Called, Asked):
    """The input of the command that draws pictures.

    Parameters
    ----------
    picture : NAME
        The picture.
    measures : tuple of str
        For a picture of values: a measure such as 'RBU(p=0.9)@20', or a group such as NDEVAL. Separate several by
        spaces, or repeat -m.
    query : str
        The query, for a picture that shows one query.
    depth : int >= 1
        Last rank to show: by default 10, or the cutoff of explain's measure.
    """

    picture: Annotated[str, click.Choice(list(PICTURES))]

    @property
    def perquery(self) -> pd.DataFrame:
        """The values of the runs by query."""
        return self.values(self.named(), self.judged, on_error="raise", perquery=True)

    @property
    def systems(self) -> list[str]:
        """The names of the runs. It is a usage error if there is only one."""
        if len(self.paths) < 2:
            raise click.UsageError("per_query_deltas compares each run with the last; give at least two runs.")
        return list(self.paths)


# The values of the parameters of pictures, and the options that they come from.
_GIVEN: dict[str, tuple[Callable[[Drawn], Any], tuple[str, ...]]] = {
    "perquery": (lambda drawn: drawn.perquery, ("measures",)),
    "compared": (lambda drawn: meta.compare(drawn.perquery, rng=drawn.rng), ("measures", "rng")),
    "qrels": (lambda drawn: drawn.judged, ()),
    "runs": (lambda drawn: drawn.frames, ()),
    "explained": (lambda drawn: drawn.explained(), ("measures", "query")),
    "missed": (lambda drawn: missed_intents(drawn.judged, drawn.frames, drawn.depth or _DEPTH), ("depth",)),
    "query_id": (lambda drawn: drawn.query, ("query",)),
    "cutoff": (lambda drawn: drawn.depth or (None if drawn.picture == "explain" else _DEPTH), ("depth",)),
    "measure": (lambda drawn: drawn.exactly(1)[0] if drawn.chosen else None, ("measures",)),
    "a": (lambda drawn: drawn.exactly(2)[0], ("measures",)),
    "b": (lambda drawn: drawn.exactly(2)[1], ("measures",)),
    "system": (lambda drawn: drawn.systems[0] if len(drawn.systems) == 2 else drawn.systems[:-1], ()),
    "baseline": (lambda drawn: drawn.systems[-1], ()),
    "labels": (lambda drawn: drawn.shown, ("labels",)),
}
# The options that only some pictures read.
_CHOSEN = list(dict.fromkeys(option for _, options in _GIVEN.values() for option in options))


@command
@of(Drawn, "picture", "qrels", "runs", "columns", *_CHOSEN, "order", "doc_len", "names", "n_jobs")
def plot(drawn: Drawn, *, output: Annotated[str, FILE, "-o"], dpi: int = 150) -> None:
    """Draw a picture of RUNS and save it.

    NAME is one of {names}. In Python, it is the function of that name in plots.

    Parameters
    ----------
    output : path
        The file to write; its ending is the format: .png, .svg or .pdf. - writes a PNG to standard output.
    dpi : int >= 10
        Dots per inch of a PNG file.
    """
    plt = pyplot()
    draw = PICTURES[drawn.picture]
    given = {name: _GIVEN[name] for name in signature(draw).parameters if name in _GIVEN}
    unread = {*_CHOSEN}.difference(*(options for _, options in given.values()))
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in unread and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"The picture {drawn.picture} does not read {parameter.opts[-1]}: leave it out.")
    plt.switch_backend("agg")
    formats = plt.FigureCanvasBase.get_supported_filetypes()
    ending = "png" if output == STANDARD_OUTPUT else os.path.splitext(output)[1].removeprefix(".").lower()
    if ending not in formats:
        raise click.UsageError(f"-o must end in a picture format ({', '.join(sorted(formats))}), not {output!r}.")
    draw(**{name: value for name, (of, _) in given.items() if (value := of(drawn)) is not None})
    if collection := own_name(drawn.qrels):
        plt.suptitle(", ".join(filter(None, [collection, plt.gcf().get_suptitle()])), fontsize=10)
    if output == STANDARD_OUTPUT:
        plt.savefig(sys.stdout.buffer, dpi=dpi, format=ending)
    else:
        with replaced(output) as file:
            plt.savefig(file, dpi=dpi)
        tell(f"Wrote {output}.")
    plt.close()


plot.help = (plot.help or "").replace("{names}", ", ".join(PICTURES))
