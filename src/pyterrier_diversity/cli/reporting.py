"""The command that writes a report."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from .. import html_report
from ..io import read_names
from ..io.readers import OrderedBy
from ..meta import compare
from . import options
from .asked import Asked
from .inputs import runs_and_baselines
from .outputs import STANDARD_OUTPUT, Command, tell


@click.command(cls=Command)
@options.with_options(options.QRELS, options.RUNS, options.MEASURES)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    callback=options.ending(".html", ".htm"),
    help="The file to write, such as report.html; - for standard output.",
)
@click.option(
    "-b", "--baseline", help="Compare with this run; a file, or the name of a run. By default, the first run."
)
@click.option(
    "-k", "--depth", type=click.IntRange(1), help="Last rank to show. By default, the highest cutoff of the measures."
)
@options.of(compare, "test", "correction", "alpha")
@click.option("--title", default="Diversity of search results", show_default=True, help="Title of the page.")
@options.with_options(options.NAMES, options.LABELS, options.SEED, options.ORDER, options.DOC_LEN)
def report(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    output: str,
    baseline: str | None,
    depth: int | None,
    names: str | None,
    labels: str | None,
    seed: int,
    order: OrderedBy,
    doc_len: Path | None,
    **how: Any,
) -> None:
    """Write a report as one HTML page.

    The page has the means of RUNS, their differences, the rankings side by side, and the intents covered and missed. In
    Python: html_report.
    """
    chosen = options.measures_of(measures)
    if not chosen:
        raise click.UsageError("Name the measures with -m.")
    paths, others = runs_and_baselines(runs, [] if baseline is None else [baseline], qrels)
    asked = Asked(qrels, paths, chosen, None, depth, order, doc_len)
    judged = asked.judged
    judged.attrs["file"] = qrels
    for name, run in asked.runs.items():
        run.attrs["file"] = str(paths[name])
    how |= {"baseline": others[0] if others else None, "cutoff": depth, "rng": seed}
    how |= {what: read_names(path) for what, path in (("names", names), ("labels", labels)) if path}
    with TemporaryDirectory() as folder:
        path = Path(folder, "report.html") if output == STANDARD_OUTPUT else output
        html_report(judged, asked.runs, chosen, path, **how)
        if output == STANDARD_OUTPUT:
            click.echo(Path(path).read_text(encoding="utf-8"), nl=False)
    if output != STANDARD_OUTPUT:
        tell(f"Wrote {output}.")
