"""The commands that compare run files and report on them."""

from functools import partial
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import click
import pandas as pd

from .. import html_report
from ..io import is_device
from ..io.tables import PEOPLE
from ..meta import compare as compared
from ..meta import comparison_text, significance_table, worse_than
from ..meta.significance.gates import GateError
from .inputs import Asked, measures_of
from .options import MeasureText, command, of
from .outputs import FILE, STANDARD_OUTPUT, Called, Shown, end_if_incomplete, tell, told_of_gates

_TO_CUTOFFS = "Last rank to show. By default, the highest cutoff of the measures."


@command
@of(Asked, "qrels", "runs", "columns", "measures", "order", "strict", "ignore", "doc_len", "names", "n_jobs", "rng")
@of(compared, "test", "correction", "alternative", "groups", "alpha", "n_trials")
@of(
    worse_than,
    tolerance="With --no-worse: a loss of the mean that is tolerated, even if it is significant.",
    common_queries="With --no-worse: test the queries that both runs answer if they answer different ones.",
)
@of(Shown)
def compare(
    asked: Asked,
    shown: Shown,
    tolerance: float,
    common_queries: bool,
    *,
    baselines: Annotated[tuple[str, ...], click.Path(path_type=str), "-b", "--baseline"] = (),
    no_worse: Annotated[tuple[str, ...], MeasureText()] = (),
    **how: Any,
) -> None:
    """Compare RUNS: means, differences and significance. In Python: meta.compare.

    LaTeX, HTML and Markdown have a row for each run and mark the significant differences, as does a table with
    --transpose. Other formats have a row for each pair of runs; csv and json have the most columns.

    Parameters
    ----------
    baselines : tuple of str
        Compare each run with this one only: a file, - for standard input, or the name of a run.
    no_worse : MEASURE
        Gate: exit with status 3 if a run is significantly worse than the baseline, by a one-sided randomisation test of
        the two, or if they answer different queries. Repeatable.
    """
    guarded = measures_of(no_worse)
    if bool(guarded) > bool(baselines):
        raise click.UsageError("--no-worse needs a --baseline.")
    if (tolerance or common_queries) and not guarded:
        raise click.UsageError(f"{'--tolerance' if tolerance else '--common-queries'} needs --no-worse.")
    chosen = asked.named(guarded)
    asked, others = asked.with_baselines(baselines)
    if len(asked.paths) < 2:
        same = f" {others[0]} is both." if others else ""
        raise click.UsageError(f"Give at least two runs to compare, or one run and another --baseline.{same}")
    how["rng"] = asked.rng
    gates = pd.DataFrame({"fails": [], "message": []})
    with asked.checked():
        values = asked.values(chosen, perquery=True)
        if values["name"].nunique() < 2 or not set(values["name"]).issuperset(others):
            end_if_incomplete(values)
        if guarded:
            try:
                options = {"tolerance": tolerance, "common_queries": common_queries, "alpha": how["alpha"]}
                gates = worse_than(values, others, guarded, rng=asked.rng, all_systems=True, **options)
            except GateError as error:
                raise click.UsageError(f"--no-worse: {str(error).partition(': ')[2]}") from error
        table = compared(values, measures=chosen, baseline=others or None, **how)
    with told_of_gates(values, *(gates["message"][gates["fails"] == fails].unique() for fails in (True, False))):
        shown.put(table, partial(_marked_text, shown), of=PEOPLE)


@command
@of(Asked, "qrels", "runs", "columns", "measures", "order", "ignore", "doc_len", "names", "rng", depth=_TO_CUTOFFS)
@of(html_report, "test", "correction", "alpha", "title")
@of(Called)
def report(
    asked: Asked,
    called: Called,
    *,
    output: Annotated[str, FILE, "-o"],
    baseline: Annotated[str | None, click.Path(path_type=str), "-b"] = None,
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
        Compare each other run with this one: a file, - for standard input, or the name of a run. By default, all runs
        are compared.
    """
    if output != STANDARD_OUTPUT and not is_device(output) and not output.lower().endswith((".html", ".htm")):
        raise click.UsageError(f"-o must end in .html or .htm, not {output!r}.")
    measures = asked.named()
    asked, others = asked.with_baselines([baseline] if baseline else [])
    how |= {"baseline": others[0] if others else None, "cutoff": asked.depth, "rng": asked.rng}
    how["labels"] = called.shown
    with asked.checked(), TemporaryDirectory() as folder:  # the page has the warnings about files, too
        asked.judged.attrs["file"] = asked.qrels
        for name, run in asked.frames.items():
            run.attrs["file"] = asked.file_of(name)
        path = f"{folder}/report.html" if output == STANDARD_OUTPUT else output
        written = html_report(asked.judged, asked.frames, measures, path, **how)
        if output == STANDARD_OUTPUT:
            click.echo(written.read_text(encoding="utf-8"), nl=False)
        else:
            tell(f"Wrote {output}.")


def _marked_text(shown: Shown, frame: pd.DataFrame) -> str:
    """Return a comparison in a format that marks differences."""
    places = 4 if shown.places is None else shown.places
    if shown.chosen == "table" and not shown.transpose:
        return comparison_text(frame, places, shown.width)
    table: Any = significance_table(frame, places)
    table = table.transposed() if shown.transpose else table
    return table.to_text(shown.width) if shown.chosen == "table" else getattr(table, f"to_{shown.chosen}")()
