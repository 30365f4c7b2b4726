"""The command that writes a report for others."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import click

from .. import html_report
from ..meta.significance_tests import Test
from . import options
from .inputs import read_judged, read_named_run, runs_and_baselines
from .outputs import tell


@click.command()
@options.with_options(options.QRELS, options.RUNS, options.MEASURES)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write, such as report.html.",
)
@click.option("-b", "--baseline", help="Compare with this run: its name or a file; with the first one if omitted.")
@click.option("-k", "--depth", type=click.IntRange(1), default=10, show_default=True, help="Last rank to show.")
@click.option(
    "--test",
    type=click.Choice(get_args(Test)),
    default="tukey-randomised",
    show_default=True,
    help="The test of significance.",
)
@click.option("--correction", help="Of p-values of tests of single pairs: of statsmodels, such as holm or fdr_bh.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Level of significance.")
@click.option("--title", default="Diversity of search results", help="The headline.")
@options.with_options(options.SEED, options.ORDER, options.DOC_LEN)
def report(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    output: Path,
    baseline: str | None,
    depth: int,
    test: str,
    correction: str | None,
    alpha: float,
    title: str,
    seed: int,
    order: Literal["score", "rank"],
    doc_len: Path | None,
) -> None:
    """Write a page that stands alone: means, differences, rankings side by side, intents covered and missed.

    In Python: html_report.
    """
    chosen = options.measures_of(measures)
    if not chosen:
        raise click.UsageError("Name the measures with -m.")
    paths, others = runs_and_baselines(runs, [] if baseline is None else [baseline], qrels)
    html_report(
        read_judged(qrels, chosen),
        {name: read_named_run(path, order, doc_len) for name, path in paths.items()},
        chosen,
        output,
        baseline=others[0] if others else None,
        cutoff=depth,
        test=test,
        correction=correction,
        alpha=alpha,
        title=title,
        rng=seed,
    )
    tell(f"{output} is written.")
