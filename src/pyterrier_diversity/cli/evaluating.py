"""The commands that evaluate and check run files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from ..evaluate.expected import TiesOption
from ..io.written import Format
from . import options
from .inputs import read_judged, run_paths
from .outputs import put, refuse, tell

if TYPE_CHECKING:
    import ir_measures
    import pandas as pd

Order = Literal["score", "rank"]


@click.command()
@options.with_options(options.QRELS, options.RUNS, options.MEASURES)
@click.option("-q", "--by-query", is_flag=True, help="A row for each query, and 'all' for the aggregate.")
@click.option(
    "--min",
    "minima",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="A gate: every run must reach this value, as 'Coverage@50=0.7', otherwise the exit status is 3; repeatable.",
)
@click.option("--queries", is_flag=True, help="A column with the number of queries that a run answers.")
@click.option("-s", "--signatures", is_flag=True, help="A line for each measure that makes it reproducible.")
@options.with_options(options.OUTPUT, options.FORMAT, options.PLACES)
@options.with_options(options.ORDER, options.STRICT, options.DOC_LEN, options.JOBS)
@click.option(
    "--ties",
    type=click.Choice(get_args(TiesOption)),
    default="docno",
    help="Documents of one score by descending id, or means over random orders, with standard errors by run.",
)
@click.option("--samples", type=click.IntRange(2), default=100, show_default=True, help="Orders of --ties expected.")
@options.SEED
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A .csv or .parquet file that gets what is finished, run by run; what is there is not computed again.",
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
    """Evaluate RUNS by QRELS, file by file. In Python: evaluate_runs.

    QRELS is a file of qrels or nuggets, or a dataset: demo, clueweb12/trec-web-2014, irds:... RUNS are files of TREC,
    of TREC Dynamic Domain or of JSON lines, folders of them, or patterns such as 'runs/**/*.gz'.
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
        click.echo(f"\nWithout documents, and so with default values: {', '.join(table.attrs['empty'])}.")
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
@click.option("--strict", is_flag=True, help="The exit status is 1 for warnings, too.")
def check(
    qrels: str, runs: tuple[str, ...], order: Order, output: Path | None, format: Format | None, strict: bool
) -> None:
    """Tell what is odd about QRELS and RUNS. In Python: check_files.

    No measure is computed. The exit status is 1 if there is an error.
    """
    from ..evaluate import check_files

    found = check_files(read_judged(qrels), run_paths(runs, qrels), order=order)
    lines = [f"{kind}: {name}: {message}" for name, kind, message in found.to_numpy()]
    put(found, output, format, None, {"table": lambda: "\n".join(lines)})
    if found["kind"].isin(["error", "warning"] if strict else ["error"]).any():
        sys.exit(1)


def asked(measures: list[ir_measures.Measure], gates: Any) -> list[ir_measures.Measure]:
    """Return the measures to show: those that were asked for, or those of the gates."""
    if not measures and not gates:
        raise click.UsageError("Say which measures, as in -m 'RBU@20 alpha_nDCG@20'.")
    return measures or list(gates)


def evaluated(qrels: str, runs: Any, measures: list[ir_measures.Measure], **how: Any) -> pd.DataFrame:
    """Return values of runs; those that cannot be read are left out."""
    from ..evaluate import evaluate_runs

    return evaluate_runs(read_judged(qrels, measures), runs, measures, on_error="skip", **how)


def _shown(values: pd.DataFrame, measures: list[ir_measures.Measure], by_query: bool) -> pd.DataFrame:
    """Return a row for each run; by query, one for each query before it."""
    import pandas as pd

    from ..evaluate import aggregates

    means = aggregates(values, measures)
    counted = [name for name in map(str, values) if name == "queries" or name.startswith("ties@")]
    of_run = values.groupby("name", sort=False)[counted].first()
    for place, column in enumerate(counted, 1):
        means.insert(place, column, of_run[column].to_numpy())
    if not by_query:
        return means
    names = [str(measure) for measure in measures]
    keys = ["name", *counted, "qid"]
    wide = values[values["measure"].isin(names)].set_index([*keys, "measure"])["value"].unstack()  # noqa: PD010
    wide = wide[names].reindex(pd.MultiIndex.from_frame(values[keys].drop_duplicates())).reset_index()
    blocks = [
        pd.concat([wide[wide["name"] == name], means[means["name"] == name].assign(qid="all")])
        for name in means["name"]
    ]
    return pd.concat(blocks, ignore_index=True).rename_axis(columns=None)


def end_if_incomplete(table: pd.DataFrame) -> None:
    """End with status 1 if runs are missing in a table, after a line for each."""
    errors: dict[str, str] = table.attrs["errors"]
    if table.empty and len(set(errors.values())) == 1:  # of all runs, as of a measure that misreads the qrels
        raise ValueError(next(iter(errors.values())))
    for name, message in errors.items():
        tell(f"Error: {message if name in message else f'{name}: {message}'}")
    if errors:
        tell(f"{len(errors)} of the runs could not be evaluated: the table is not complete.")
        sys.exit(1)
