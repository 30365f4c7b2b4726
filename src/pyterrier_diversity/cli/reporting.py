"""The command that writes a report."""

from __future__ import annotations

from pathlib import Path

import click

from .. import html_report
from ..io.trec import OrderedBy
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
@click.option(
    "-b", "--baseline", help="Compare with this run; a file, or the name of a run. By default, the first run."
)
@click.option("-k", "--depth", type=click.IntRange(1), default=10, show_default=True, help="Last rank to show.")
@options.choice("--test", Test, "tukey-randomised", "The significance test.")
@options.with_options(options.CORRECTION, options.ALPHA)
@click.option("--title", default="Diversity of search results", show_default=True, help="Title of the page.")
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
    order: OrderedBy,
    doc_len: Path | None,
) -> None:
    """Write a report as one HTML page.

    The page has the means of RUNS, their differences, the rankings side by side, and the intents covered and missed. In
    Python: html_report.
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
    tell(f"Wrote {output}.")
