"""The commands that evaluate and check run files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..evaluate.expected import TiesOption
from ..io.trec import OrderedBy
from ..io.written import Format
from . import options
from .inputs import read_judged, run_paths
from .outputs import put, refuse, tell

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd


@click.command()
@options.with_options(options.QRELS, options.RUNS, options.MEASURES)
@click.option("-q", "--by-query", is_flag=True, help="Print a row for each query, and a row 'all' with the means.")
@click.option(
    "--min",
    "minima",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Gate: exit with status 3 if a run is below this value, such as 'Coverage@50=0.7'. Repeatable.",
)
@click.option("--queries", is_flag=True, help="Add a column with the number of queries that each run answers.")
@click.option(
    "-s", "--signatures", is_flag=True, help="Print how each measure was computed, so that others can reproduce it."
)
@options.with_options(options.OUTPUT, options.FORMAT, options.PLACES)
@options.with_options(options.ORDER, options.STRICT, options.DOC_LEN, options.JOBS)
@options.choice(
    "--ties",
    TiesOption,
    "docno",
    "How to order documents with equal scores: by descending id, or at random, with the mean over many orders.",
)
@click.option(
    "--samples",
    type=click.IntRange(2),
    default=100,
    show_default=True,
    help="Number of random orders for --ties expected.",
)
@options.SEED
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save each run's values to this .csv or .parquet file. Values that the file has are not computed again.",
)
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    by_query: bool,
    minima: tuple[str, ...],
    queries: bool,
    signatures: bool,
    output: Path | None,
    format: Format | None,
    places: int | None,
    seed: int,
    jobs: int | None,
    **how: Any,
) -> None:
    """Evaluate RUNS with QRELS. In Python: evaluate_runs.

    QRELS is a file of qrels or nuggets, or a dataset such as demo, clueweb12/trec-web-2014 or irds:... RUNS are run
    files of TREC, of TREC Dynamic Domain or of JSON lines, folders of run files, or patterns such as 'runs/**/*.gz'.
    """
    least = options.minima_of(minima)
    chosen = asked(options.measures_of(measures), least)
    how |= {"perquery": by_query or bool(least), "queries": queries, "rng": seed, "n_jobs": jobs}
    table = evaluated(qrels, run_paths(runs, qrels), [*chosen, *least], **how)
    if table.empty:
        end_if_incomplete(table)
    told = [table.attrs["signatures"][str(measure)] for measure in chosen]
    shown = _shown(table, chosen, by_query) if by_query or least else table
    shown = shown.rename(columns={"name": "run"})
    if format == "latex" and output is None:
        click.echo("\n".join(f"% {signature}" for signature in told))
    written = put(shown, output, format, places)
    if table.attrs["empty"] and written == "table" and output is None:
        click.echo(f"\nRuns without documents, which get default values: {', '.join(table.attrs['empty'])}.")
    if signatures and written != "latex":
        click.echo("\n" + "\n".join(told), err=written != "table" or output is not None)
    end_if_incomplete(table)
    if least:
        from ..meta import below_minimum

        refuse(below_minimum(table, least)["message"].tolist())


@click.command()
@options.QRELS
@click.argument("runs", nargs=-1)
@options.with_options(options.ORDER, options.OUTPUT, options.FORMAT)
@click.option("--strict", is_flag=True, help="Exit with status 1 for warnings, too.")
def check(
    qrels: str, runs: tuple[str, ...], order: OrderedBy, output: Path | None, format: Format | None, strict: bool
) -> None:
    """Look for mistakes in QRELS and RUNS. In Python: check_files.

    This computes no measure. The exit status is 1 if there is an error.
    """
    from ..evaluate import check_files

    found = check_files(read_judged(qrels, strict=strict), run_paths(runs, qrels), order=order)
    lines = [f"{kind}: {name}: {message}" for name, kind, message in found.to_numpy()]
    put(found, output, format, None, {"table": lambda: "\n".join(lines)})
    if found["kind"].isin(["error", "warning"] if strict else ["error"]).any():
        sys.exit(1)


def asked(measures: list[ir_measures.Measure], gates: Any) -> list[ir_measures.Measure]:
    """Return the measures to show: those asked for, or those of the gates if none were."""
    if not measures and not gates:
        raise click.UsageError("Name the measures, as in -m 'RBU@20 alpha_nDCG@20'.")
    return measures or list(gates)


def evaluated(qrels: str, runs: Any, measures: list[ir_measures.Measure], *, strict: bool, **how: Any) -> pd.DataFrame:
    """Return the values of runs, without those that cannot be read."""
    from ..evaluate import evaluate_runs

    judged = read_judged(qrels, measures, strict=strict)
    return evaluate_runs(judged, runs, measures, on_error="skip", strict=strict, **how)


def _shown(values: pd.DataFrame, measures: list[ir_measures.Measure], by_query: bool) -> pd.DataFrame:
    """Return a row for each run, after a row for each of its queries if ``by_query``."""
    import pandas as pd

    counted = [name for name in map(str, values) if name == "queries" or name.startswith("ties@")]
    means = _means(values, measures, counted)
    if not by_query:
        return means
    # The rows of each measure are in the same order.
    wide = values[["name", *counted, "qid"]].drop_duplicates(ignore_index=True)
    for name in map(str, measures):
        of_measure = values[values["measure"] == name].reset_index(drop=True)
        wide[name] = of_measure["value"]
        if "se" in values:
            wide[f"se({name})"] = of_measure["se"]
    blocks = [
        pd.concat([wide[wide["name"] == name], means[means["name"] == name].assign(qid="all")])
        for name in means["name"]
    ]
    return pd.concat(blocks, ignore_index=True)


def _means(values: pd.DataFrame, measures: list[ir_measures.Measure], counted: list[str]) -> pd.DataFrame:
    """Return a row for each run, with the columns that count its queries."""
    from ..evaluate import aggregates

    means = aggregates(values, measures)
    of_run = values.drop_duplicates("name")
    for place, column in enumerate(counted, 1):
        means.insert(place, column, of_run[column].to_numpy())
    if "se" in values:
        errors = values.attrs["expected"]["se"]
        for name in map(str, measures):
            means.insert(list(means).index(name) + 1, f"se({name})", [errors[run][name] for run in means["name"]])
    return means


def end_if_incomplete(table: pd.DataFrame) -> None:
    """Print a line for each run that could not be evaluated, and exit with status 1 if there are any."""
    errors: dict[str, str] = table.attrs["errors"]
    if table.empty and len(set(errors.values())) == 1:  # the same for all runs: the cause is the qrels or a measure
        raise ValueError(next(iter(errors.values())))
    for name, message in errors.items():
        tell(f"Error: {message if name in message else f'{name}: {message}'}")
    if errors:
        tell(f"The table is incomplete: {len(errors)} of the runs could not be evaluated.")
        sys.exit(1)
