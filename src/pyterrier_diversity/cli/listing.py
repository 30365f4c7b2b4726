"""The commands that list measures, datasets, and the constraints that measures meet."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

import click

from . import options
from .outputs import Command, Shown

if TYPE_CHECKING:
    import pandas as pd


@click.command(cls=Command)
@click.argument("name", required=False, type=options.GroupOrMeasure())
@options.LISTED
def measures(name: str | None, shown: Shown) -> None:
    """List the measures, or describe the measure NAME.

    A description has the formula, the parameters, the range, the columns that the measure reads, and the source.
    """
    import pandas as pd

    from ..measures import registered
    from ..report import reference

    wanted = None if name is None else name.partition("@")[0].partition("(")[0].lower()
    chosen = [measure for measure in registered() if wanted in (None, measure.NAME.lower())]
    if not chosen:
        near = get_close_matches(str(wanted), [measure.NAME.lower() for measure in registered()], n=1)
        meant = [f"Did you mean {measure.NAME}? " for measure in registered() if measure.NAME.lower() in near]
        raise ValueError(
            f"This package has no measure {name!r}. {''.join(meant)}'pyterrier-diversity measures' lists all measures."
        )
    described = reference.text if name is None else reference.full_text
    table = pd.DataFrame([dict(reference.entry(measure)) for measure in chosen])
    shown.put(table, {"table": lambda _: "\n".join(map(described, chosen))})


@click.command(cls=Command)
@options.LISTED
def datasets(shown: Shown) -> None:
    """List the datasets that can be given as QRELS.

    In Python: pt.get_dataset("diversity:NAME").
    """
    import pandas as pd

    from ..datasets import described

    told = described()
    width = max(map(len, told))
    lines = [f"{name:<{width}}  {text}" for name, text in told.items()]
    table = pd.DataFrame({"name": list(told), "what": list(told.values())})
    shown.put(table, {"table": lambda _: "\n".join(lines)})


@click.command(cls=Command)
@click.argument("measures", metavar="MEASURES...", nargs=-1, required=True, type=options.GroupOrMeasure())
@click.option(
    "-c",
    "--counterexamples",
    is_flag=True,
    help="For each constraint that a measure breaks, print two rankings that show it.",
)
@options.LISTED
def axioms(measures: tuple[str, ...], counterexamples: bool, shown: Shown) -> None:
    """Check measures against ten constraints.

    The constraints are those of Amigó et al. (2018). "yes" means that a search found no rankings on which the measure
    breaks the constraint. In Python: meta.axiom_table.
    """
    from ..meta import axiom_table
    from ..meta import axioms as search

    chosen = options.measures_of(measures)
    table = axiom_table(chosen)
    shown.put(table.replace({True: "yes", False: "no"}).reset_index())
    for measure in chosen if counterexamples else []:
        for name in table.columns[~table.loc[str(measure)].to_numpy(bool)]:
            found = cast("pd.DataFrame", search.counterexample(measure, name))
            click.echo(f"\n{measure} breaks {name}: {found.attrs['statement']}\n\n{search.sketch(found)}")
