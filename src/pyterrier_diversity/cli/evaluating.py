"""The commands that evaluate and check run files."""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import click
import ir_measures

from .. import check_files, evaluate_runs
from ..measures import parse
from . import gating
from .inputs import Asked
from .options import Written, command, of
from .outputs import Shown


@command
@of(Asked, "qrels", "runs", "columns", "measures", "by", "order", "strict", "ignore", "doc_len", "n_jobs", "rng")
@of(Shown)
@of(evaluate_runs, "ties", "samples", save_mode="What to do with values that are in --save-dir.")
def evaluate(
    asked: Asked,
    shown: Shown,
    *,
    by_query: Annotated[bool, "-q"] = False,
    minima: Annotated[tuple[str, ...], "--min"] = (),
    gate_output: Annotated[str | None, Written(".json", ".xml")] = None,
    queries: bool = False,
    signatures: Annotated[bool, "-s"] = False,
    save_dir: Annotated[Path | None, click.Path(file_okay=False, path_type=Path)] = None,
    **how: Any,
) -> None:
    """Evaluate RUNS with QRELS. In Python: evaluate_runs.

    QRELS is a file of qrels or nuggets, or a dataset such as demo, clueweb12/trec-web-2014 or irds:... RUNS are run
    files of TREC, of TREC Dynamic Domain or of JSON lines, folders of run files, or patterns such as 'runs/**/*.gz'.

    Parameters
    ----------
    by_query : bool
        Print a row for each query, and a row 'all' with the means.
    minima : MEASURE=VALUE
        Gate: exit with status 3 if a run is below this value, such as 'Coverage@50=0.7'. Repeatable.
    gate_output : path
        Write the results of the gates to this .json file, or to this .xml file as JUnit.
    queries : bool
        Add a column with the number of queries that each run answers.
    signatures : bool
        Print how each measure was computed, so that others can reproduce it.
    save_dir : path
        Save each run's values to this folder. Values that it has are not computed again.
    """
    least = dict(map(_minimum, minima))
    if gate_output and not least:
        raise click.UsageError("--gate-output needs --min.")
    chosen = asked.named(least)
    if queries and asked.by and not by_query:
        raise click.UsageError("--queries counts the queries of whole runs. Leave it out with --by.")
    how |= {"keep_by_query": by_query or bool(least), "by": asked.groups, "save_dir": save_dir}
    found = asked.values([*chosen, *least], **how)
    if not found.names:
        gating.end_if_incomplete(found)
    shown.put(found.means(list(map(str, chosen)), by_query=by_query, counted=queries).rename(columns={"name": "run"}))
    in_text = shown.chosen == "table" and shown.printed
    if found.attrs["empty"] and in_text:
        click.echo(f"\nRuns without documents, which get default values: {', '.join(found.attrs['empty'])}.")
    if signatures and shown.chosen != "latex":
        told = [found.attrs["signatures"][str(measure)] for measure in chosen]
        click.echo("\n" + "\n".join(told), err=not in_text)
    passed = {(f"{measure} >= {low:g}", run): "" for measure, low in least.items() for run in found.names}
    if least:
        from ..meta import below_minimum

        failed = below_minimum(found.perquery(), least).to_dict("records")
        passed |= {(f"{row['measure']} >= {row['minimum']:g}", row["system"]): row["message"] for row in failed}
    gating.end(found, passed, gate_output)


@command
@of(Asked, "qrels", "columns", "order", "ignore", runs="[RUNS]...", strict="Exit with status 1 for warnings, too.")
@of(Shown, "output", "format")
def check(asked: Asked, shown: Shown) -> None:
    """Look for mistakes in QRELS and RUNS. In Python: check_files.

    This computes no measure. The exit status is 1 if there is an error.
    """
    found = check_files(asked.judged_by(asked.qrels), asked.given, order=asked.order)
    lines = [
        f"{kind}: {name}: {message}{f' [{about}]' if about else ''}" for name, kind, about, message in found.to_numpy()
    ]
    shown.put(found, lambda _: "\n".join(lines))
    if found["kind"].isin(["error", "warning"] if asked.strict else ["error"]).any():
        sys.exit(1)


def _minimum(text: str) -> tuple[ir_measures.Measure, float]:
    """Read a gate such as ``Coverage@50=0.7``."""
    name, separator, number = text.rpartition("=")
    least = math.nan
    with suppress(ValueError):
        least = float(number)
    if not separator or math.isnan(least):
        raise click.UsageError(f"--min must be a measure and a value, such as 'Coverage@50=0.7', not {text!r}.")
    return parse(name.rstrip(">").strip()), least
