"""The command that writes a report."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import click

from .. import html_report
from ..meta import compare
from .inputs import Asked
from .options import Written, command, of
from .outputs import STANDARD_OUTPUT, Called, tell

_TO_CUTOFFS = "Last rank to show. By default, the highest cutoff of the measures."


@command
@of(Asked, "qrels", "runs", "columns", "measures", "by", "order", "ignore", "doc_len", "rng", depth=_TO_CUTOFFS)
@of(compare, "test", "correction", "alpha")
@of(html_report, "title")
@of(Called)
def report(
    asked: Asked,
    called: Called,
    *,
    output: Annotated[str, Written(".html", ".htm"), "-o"],
    baseline: Annotated[str | None, "-b"] = None,
    **how: Any,
) -> None:
    """Write a report as one HTML page.

    The page has the means of RUNS, their differences, the rankings side by side, and the intents covered and missed. In
    Python: html_report.

    Parameters
    ----------
    output : path
        The file to write, such as report.html; - for standard output.
    baseline : str
        Compare with this run; a file, or the name of a run. By default, the first run.
    """
    measures = asked.named()
    asked, others = asked.with_baselines([baseline] if baseline else [])
    asked.judged.attrs["file"] = asked.qrels
    for name, run in asked.frames.items():
        run.attrs["file"] = str(asked.paths[name])
    how |= {"baseline": others[0] if others else None, "cutoff": asked.depth, "rng": asked.rng, "by": asked.groups}
    how |= called.renamed
    with TemporaryDirectory() as folder:
        path = Path(folder, "report.html") if output == STANDARD_OUTPUT else output
        html_report(asked.judged, asked.frames, measures, path, **how)
        if output == STANDARD_OUTPUT:
            click.echo(Path(path).read_text(encoding="utf-8"), nl=False)
    if output != STANDARD_OUTPUT:
        tell(f"Wrote {output}.")
