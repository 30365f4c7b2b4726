"""The command that compares run files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..io.trec import OrderedBy
from ..io.written import Format
from ..meta import compare as compared
from ..meta import comparison_text, significance_table, worse_than
from ..meta.significance_tests import Alternative, Family, Groups, Test
from . import options
from .evaluating import asked, end_if_incomplete, evaluated
from .inputs import runs_and_baselines
from .outputs import put, refuse


@click.command()
@options.with_options(options.QRELS, options.RUNS, options.MEASURES)
@click.option(
    "-b",
    "--baseline",
    "baselines",
    multiple=True,
    help="Compare each run with this one only; a file, or the name of a run.",
)
@options.choice(
    "--test",
    Test,
    "tukey-randomised",
    "The significance test. The Tukey tests take all runs together; the others test each pair by itself.",
)
@options.CORRECTION
@options.choice("--family", Family, "measure", "Which p-values to correct together: those of one measure, or all.")
@options.choice(
    "--alternative",
    Alternative,
    "two-sided",
    "With 'greater', a pair is significant only if its first run has the higher mean.",
)
@options.choice("--groups", Groups, "all", "With 'pairwise', a Tukey test takes two runs at a time, as in some papers.")
@options.ALPHA
@click.option("--n-trials", type=click.IntRange(1), help="Number of trials of a randomised test.")
@click.option(
    "--no-worse",
    multiple=True,
    metavar="MEASURE",
    help="Gate: exit with status 3 if a run is significantly worse than the baseline. Repeatable.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    help="With --no-worse: also fail if a mean is lower by more than this, significant or not.",
)
@options.with_options(options.SEED, options.OUTPUT, options.FORMAT, options.PLACES)
@options.with_options(options.ORDER, options.STRICT, options.DOC_LEN, options.JOBS)
def compare(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baselines: tuple[str, ...],
    no_worse: tuple[str, ...],
    tolerance: float | None,
    seed: int,
    output: Path | None,
    format: Format | None,
    places: int | None,
    order: OrderedBy,
    strict: bool,
    doc_len: Path | None,
    jobs: int | None,
    **how: Any,
) -> None:
    """Compare RUNS: means, differences and significance. In Python: meta.compare.

    LaTeX and HTML have a row for each run and mark the significant differences. Other formats have a row for each pair
    of runs; csv and json have the most columns.
    """
    guarded = options.measures_of(no_worse)
    if bool(guarded) > bool(baselines):
        raise click.UsageError("--no-worse needs a --baseline.")
    if tolerance is not None and not guarded:
        raise click.UsageError("--tolerance needs --no-worse.")
    chosen = asked(options.measures_of(measures), guarded)
    named, others = runs_and_baselines(runs, baselines, qrels)
    if len(named) < 2:
        raise click.UsageError("Give at least two runs to compare, or one run and a --baseline.")
    read = {"order": order, "doc_len": doc_len, "n_jobs": jobs}
    values = evaluated(qrels, named, [*chosen, *guarded], strict=strict, perquery=True, **read)
    there = set(values["name"])
    if len(there) < 2 or not there.issuperset(others):
        end_if_incomplete(values)
    how |= {"rng": seed, "n_jobs": jobs}
    table = compared(values, measures=chosen, baseline=others or None, **how)
    decimals = 4 if places is None else places
    texts = {
        "table": lambda: comparison_text(table, decimals),
        "latex": lambda: significance_table(table, decimals).to_latex(),
        "html": lambda: significance_table(table, decimals).to_html(),
    }
    put(table, output, format, places, texts)
    end_if_incomplete(values)
    if guarded:
        refuse(worse_than(values, others, guarded, tolerance=tolerance, **how)["message"].tolist())
