"""The commands that evaluate and check run files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import evaluate_runs
from ..evaluate import check_files, values_of_runs
from ..io.readers import OrderedBy
from . import gating, options
from .inputs import read_by, read_judged, renamed_runs, run_paths
from .outputs import Command, Shown, tell

if TYPE_CHECKING:
    import ir_measures

    from ..evaluate import RunValues

_GATE = "{measure} >= {minimum:g}"


@click.command(cls=Command)
@options.with_options(options.QRELS, options.RUNS, options.MEASURES)
@click.option("-q", "--by-query", is_flag=True, help="Print a row for each query, and a row 'all' with the means.")
@click.option(
    "--min",
    "minima",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Gate: exit with status 3 if a run is below this value, such as 'Coverage@50=0.7'. Repeatable.",
)
@options.GATE_OUTPUT
@click.option("--queries", is_flag=True, help="Add a column with the number of queries that each run answers.")
@click.option(
    "-s", "--signatures", is_flag=True, help="Print how each measure was computed, so that others can reproduce it."
)
@options.TABLE
@options.with_options(options.BY, options.ORDER, options.STRICT, options.IGNORE, options.DOC_LEN, options.JOBS)
@options.of(evaluate_runs, "ties", "samples")
@options.SEED
@click.option(
    "--save-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save each run's values to this folder. Values that it has are not computed again.",
)
@options.of(evaluate_runs, save_mode="What to do with values that are in --save-dir.")
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    by_query: bool,
    by: str | None,
    minima: tuple[str, ...],
    gate_output: str | None,
    queries: bool,
    signatures: bool,
    shown: Shown,
    seed: int,
    jobs: int | None,
    **how: Any,
) -> None:
    """Evaluate RUNS with QRELS. In Python: evaluate_runs.

    QRELS is a file of qrels or nuggets, or a dataset such as demo, clueweb12/trec-web-2014 or irds:... RUNS are run
    files of TREC, of TREC Dynamic Domain or of JSON lines, folders of run files, or patterns such as 'runs/**/*.gz'.
    """
    least = options.minima_of(minima)
    if gate_output and not least:
        raise click.UsageError("--gate-output needs --min.")
    chosen = asked(options.measures_of(measures), least)
    if queries and by and not by_query:
        raise click.UsageError("--queries counts the queries of whole runs. Leave it out with --by.")
    how |= {"keep_by_query": by_query or bool(least), "by": read_by(by, qrels), "rng": seed, "n_jobs": jobs}
    found = evaluated(qrels, run_paths(runs, qrels), [*chosen, *least], **how)
    if not found.names:
        end_if_incomplete(found)
    shown.put(found.means(list(map(str, chosen)), by_query=by_query, counted=queries).rename(columns={"name": "run"}))
    in_text = shown.chosen == "table" and shown.printed
    if found.attrs["empty"] and in_text:
        click.echo(f"\nRuns without documents, which get default values: {', '.join(found.attrs['empty'])}.")
    if signatures and shown.chosen != "latex":
        told = [found.attrs["signatures"][str(measure)] for measure in chosen]
        click.echo("\n" + "\n".join(told), err=not in_text)
    passed: gating.Results = {}
    if least:
        from ..meta import below_minimum

        each = [{"measure": m, "minimum": low, "system": run} for m, low in least.items() for run in found.names]
        passed = gating.results(_GATE, each, below_minimum(found.perquery(), least), found.attrs["errors"])
        gating.write(passed, gate_output)
    end_if_incomplete(found)
    gating.end(passed)


@click.command(cls=Command)
@options.QRELS
@click.argument("runs", nargs=-1)
@options.with_options(options.ORDER, options.IGNORE)
@options.LISTED
@click.option("--strict", is_flag=True, help="Exit with status 1 for warnings, too.")
def check(qrels: str, runs: tuple[str, ...], order: OrderedBy, shown: Shown, strict: bool) -> None:
    """Look for mistakes in QRELS and RUNS. In Python: check_files.

    This computes no measure. The exit status is 1 if there is an error.
    """
    found = check_files(read_judged(qrels, strict=strict), renamed_runs(run_paths(runs, qrels), order), order=order)
    lines = [
        f"{kind}: {name}: {message}{f' [{about}]' if about else ''}" for name, kind, about, message in found.to_numpy()
    ]
    shown.put(found, {"table": lambda _: "\n".join(lines)})
    if found["kind"].isin(["error", "warning"] if strict else ["error"]).any():
        sys.exit(1)


def asked(measures: list[ir_measures.Measure], gates: Any) -> list[ir_measures.Measure]:
    """Return the measures to show: those asked for, or those of the gates if none were."""
    if not measures and not gates:
        raise click.UsageError("Name the measures, as in -m 'RBU@20 alpha_nDCG@20'.")
    return measures or list(gates)


def evaluated(qrels: str, runs: Any, measures: list[ir_measures.Measure], *, strict: bool, **how: Any) -> RunValues:
    """Return the values of runs, without those that cannot be read."""
    judged = read_judged(qrels, measures, strict=strict)
    runs = renamed_runs(runs, how["order"])
    return values_of_runs(judged, runs, measures, on_error="skip", strict=strict, **how)


def end_if_incomplete(found: RunValues) -> None:
    """Print a line for each run that could not be evaluated, and exit with status 1 if there are any."""
    errors: dict[str, str] = found.attrs["errors"]
    if not found.names and len(set(errors.values())) == 1:  # the same for all runs: the cause is the qrels or a measure
        raise ValueError(next(iter(errors.values())))
    for name, message in errors.items():
        tell(f"Error: {message if name in message else f'{name}: {message}'}")
    if errors:
        tell(f"The table is incomplete: {len(errors)} of the runs could not be evaluated.")
        sys.exit(1)
