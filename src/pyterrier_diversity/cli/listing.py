"""The commands that list measures, datasets, and the constraints that measures meet."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ..io.written import Format
from . import options
from .outputs import put

if TYPE_CHECKING:
    import pandas as pd


@click.command()
@click.argument("name", required=False, type=options.GroupOrMeasure())
@options.with_options(options.OUTPUT, options.FORMAT)
def measures(name: str | None, output: Path | None, format: Format | None) -> None:
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
    put(table, output, format, None, {"table": lambda: "\n".join(map(described, chosen))})


@click.command()
@options.with_options(options.OUTPUT, options.FORMAT)
def datasets(output: Path | None, format: Format | None) -> None:
    """List the datasets that can be given as QRELS.

    In Python: pt.get_dataset("diversity:NAME").
    """
    import pandas as pd

    from ..datasets import described

    told = described()
    width = max(map(len, told))
    lines = [f"{name:<{width}}  {text}" for name, text in told.items()]
    table = pd.DataFrame({"name": list(told), "what": list(told.values())})
    put(table, output, format, None, {"table": lambda: "\n".join(lines)})


@click.command()
@click.argument("names", metavar="MEASURES...", nargs=-1, required=True, type=options.GroupOrMeasure())
@click.option(
    "-c",
    "--counterexamples",
    is_flag=True,
    help="For each constraint that a measure breaks, print two rankings that show it.",
)
@click.option(
    "--n-pairs",
    type=click.IntRange(0),
    default=200,
    show_default=True,
    help="Number of random pairs of rankings to try for each constraint.",
)
@options.with_options(options.SEED, options.OUTPUT, options.FORMAT)
def axioms(
    names: tuple[str, ...],
    counterexamples: bool,
    n_pairs: int,
    seed: int,
    output: Path | None,
    format: Format | None,
) -> None:
    """Check measures against ten constraints.

    The constraints are those of Amigó et al. (2018). "yes" means that a search found no rankings on which the measure
    breaks the constraint. In Python: meta.axiom_table.
    """
    from ..meta import axiom_table
    from ..meta import axioms as search

    chosen = options.measures_of(names)
    table = axiom_table(chosen, n_pairs=n_pairs, rng=seed)
    put(table.replace({True: "yes", False: "no"}).reset_index(), output, format, None)
    for measure in chosen if counterexamples else []:
        for name in table.columns[~table.loc[str(measure)].to_numpy(bool)]:
            found = cast("pd.DataFrame", search.counterexample(measure, name, n_pairs=n_pairs, rng=seed))
            click.echo(f"\n{measure} breaks {name}: {found.attrs['statement']}\n\n{search.sketch(found)}")
