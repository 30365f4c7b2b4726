"""The commands that list measures, datasets, and the constraints that measures meet."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any

import click
import pandas as pd

from .inputs import measures_of
from .options import MeasureText, command, of
from .outputs import Shown


@command
@click.argument("name", required=False, type=MeasureText())
@of(Shown, "output", "format")
def measures(name: str | None, shown: Shown) -> None:
    """List the measures, or describe the measure NAME.

    A description has the formula, the parameters, the range, the columns that the measure reads, and the source.
    """
    from ..measures import registered
    from ..report import reference

    known = {measure.NAME.lower(): measure for measure in registered()}
    wanted = None if name is None else name.partition("@")[0].partition("(")[0].lower()
    chosen = [measure for key, measure in known.items() if wanted in (None, key)]
    if not chosen:
        meant = [f"Did you mean {known[near].NAME}? " for near in get_close_matches(str(wanted), known, n=1)]
        raise ValueError(
            f"This package has no measure {name!r}. {''.join(meant)}'pyterrier-diversity measures' lists all measures."
        )
    described = reference.text if name is None else reference.full_text
    table = pd.DataFrame([dict(reference.entry(measure)) for measure in chosen])
    shown.put(table, lambda _: "\n".join(map(described, chosen)))


@command
@of(Shown, "output", "format")
def datasets(shown: Shown) -> None:
    """List the datasets that can be given as QRELS.

    In Python: pt.get_dataset("diversity:NAME").
    """
    from ..datasets import described

    told = described()
    lines = [f"{name:<{max(map(len, told))}}  {text}" for name, text in told.items()]
    shown.put(pd.DataFrame(told.items(), columns=["name", "what"]), lambda _: "\n".join(lines))


@command
@click.argument("measures", metavar="MEASURES...", nargs=-1, required=True, type=MeasureText())
@of(Shown, "output", "format")
def axioms(measures: tuple[str, ...], shown: Shown, *, counterexamples: Annotated[bool, "-c"] = False) -> None:
    """Check measures against ten constraints.

    The constraints are those of Amigó et al. (2018). "yes" means that a search found no rankings on which the measure
    breaks the constraint. In Python: meta.axiom_table.

    Parameters
    ----------
    counterexamples : bool
        For each constraint that a measure breaks, print two rankings that show it.
    """
    from ..meta import axiom_table
    from ..meta import axioms as search

    chosen = measures_of(measures)
    table = axiom_table(chosen)
    shown.put(table.replace({True: "yes", False: "no"}).reset_index())
    for measure in chosen if counterexamples else []:
        for name in table.columns[~table.loc[str(measure)].to_numpy(bool)]:
            found: Any = search.counterexample(measure, name)
            click.echo(f"\n{measure} breaks {name}: {found.attrs['statement']}\n\n{search.sketch(found)}")
