"""The commands that compare run files, and that correct their means."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..io import printable, terminal_width
from ..io.readers import OrderedBy
from ..meta import compare as compared
from ..meta import comparison_text, corrected_means, significance_table, topics_needed, worse_than
from ..meta.significance.gates import GateError
from . import gating, options
from .evaluating import asked, end_if_incomplete, evaluated
from .inputs import read_by, run_paths, runs_and_baselines
from .outputs import Command, Shown, tell

# What is written above the table of a group of queries.
_HEADINGS = {"table": "{}:", "latex": "% {}", "html": "<!-- {} -->", "markdown": "### {}"}
_GATE = "{measure} no worse than {other}"


@click.command(cls=Command)
@options.with_options(options.QRELS, options.RUNS, options.MEASURES)
@click.option(
    "-b",
    "--baseline",
    "baselines",
    multiple=True,
    help="Compare each run with this one only; a file, or the name of a run.",
)
@options.of(compared, "test", "correction", "family", "alternative", "groups", "alpha", "n_trials")
@click.option(
    "--no-worse",
    multiple=True,
    metavar="MEASURE",
    help="Gate: exit with status 3 if a run is significantly worse than the baseline. Repeatable.",
)
@options.of(worse_than, tolerance="With --no-worse: also fail if a mean is lower by more than this.")
@options.GATE_OUTPUT
@options.TABLE
@options.with_options(
    options.BY, options.SEED, options.ORDER, options.STRICT, options.IGNORE, options.DOC_LEN, options.JOBS
)
def compare(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baselines: tuple[str, ...],
    no_worse: tuple[str, ...],
    tolerance: float | None,
    gate_output: str | None,
    by: str | None,
    seed: int,
    shown: Shown,
    order: OrderedBy,
    strict: bool,
    doc_len: Path | None,
    jobs: int | None,
    **how: Any,
) -> None:
    """Compare RUNS: means, differences and significance. In Python: meta.compare.

    LaTeX, HTML and Markdown have a row for each run and mark the significant differences, as does a table with
    --transpose. Other formats have a row for each pair of runs; csv and json have the most columns.
    """
    guarded = options.measures_of(no_worse)
    if bool(guarded) > bool(baselines):
        raise click.UsageError("--no-worse needs a --baseline.")
    if (tolerance is not None or gate_output) and not guarded:
        raise click.UsageError(f"{'--gate-output' if gate_output else '--tolerance'} needs --no-worse.")
    chosen = asked(options.measures_of(measures), guarded)
    named, others = runs_and_baselines(runs, baselines, qrels)
    if len(named) < 2:
        raise click.UsageError("Give at least two runs to compare, or one run and a --baseline.")
    read = {"order": order, "doc_len": doc_len, "n_jobs": jobs}
    found = evaluated(qrels, named, [*chosen, *guarded], strict=strict, keep_by_query=True, **read)
    if len(found.names) < 2 or not set(found.names).issuperset(others):
        end_if_incomplete(found)
    values = found.perquery()
    how |= {"rng": seed, "n_jobs": jobs}
    failed = pd.DataFrame()
    if guarded:
        try:
            failed = worse_than(values, others, guarded, tolerance=tolerance, **how)
        except GateError as error:
            raise click.UsageError(f"--no-worse: {str(error).partition(': ')[2]}") from error
    texts = _texts(shown)
    table = compared(values, measures=chosen, baseline=others or None, by=read_by(by, qrels), **how)
    shown.put(table, {name: _by_group(_HEADINGS[name], text) for name, text in texts.items()} if by else texts)
    passed: gating.Results = {}
    if guarded:
        # Two baselines are compared once.
        pairs = [(run, other) for i, other in enumerate(others) for run in found.names if run not in others[: i + 1]]
        each: list[dict[str, Any]] = [
            {"measure": m, "system": run, "other": other} for m in guarded for run, other in pairs
        ]
        passed = gating.results(_GATE, each, failed, found.attrs["errors"])
        gating.write(passed, gate_output)
    end_if_incomplete(found)
    for gate in each if guarded else []:
        if not passed[_GATE.format(**gate), gate["system"]]:
            tell(_power_of(values, gate, tolerance, how["alpha"]))
    gating.end(passed)


@click.command(cls=Command)
@options.with_options(options.QRELS, options.RUNS, options.MEASURES)
@click.option(
    "--people", required=True, type=options.QrelsName(), help="The qrels of some of the queries, as judged by people."
)
@options.of(corrected_means, "baseline", "alpha")
@click.option("--tuning/--no-tuning", default=True, help="Weight the judge of QRELS by how well it predicts people.")
@options.TABLE
@options.with_options(options.ORDER, options.STRICT, options.IGNORE, options.DOC_LEN, options.JOBS)
def corrected(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    people: str,
    shown: Shown,
    order: OrderedBy,
    strict: bool,
    doc_len: Path | None,
    jobs: int | None,
    **how: Any,
) -> None:
    """Correct means by QRELS of a cheap judge by those of people. In Python: meta.corrected_means.

    QRELS are the judgements of all queries by a cheap judge, such as a language model. People judged some of the
    queries, which were drawn at random.
    """
    named, chosen = run_paths(runs, qrels), asked(options.measures_of(measures), ())
    read: dict[str, Any] = {"order": order, "doc_len": doc_len, "n_jobs": jobs, "keep_by_query": True}
    cheap, judged = (evaluated(each, named, chosen, strict=strict, **read) for each in (qrels, people))
    end_if_incomplete(cheap)
    end_if_incomplete(judged)
    shown.put(corrected_means(cheap.perquery(), judged.perquery(), measures=chosen, **how))


def _texts(shown: Shown) -> dict[str, Any]:
    """Return the writers of the formats that mark differences."""
    places = 4 if shown.places is None else shown.places
    width = terminal_width() if shown.printed else None

    def marked(frame: pd.DataFrame) -> Any:
        table = significance_table(frame, places)
        return table.transposed() if shown.transpose else table

    return {
        "table": lambda frame: (
            marked(frame).to_text(width) if shown.transpose else comparison_text(frame, places, width)
        ),
        "latex": lambda frame: marked(frame).to_latex(),
        "html": lambda frame: marked(frame).to_html(),
        "markdown": lambda frame: marked(frame).to_markdown(),
    }


def _by_group(heading: str, text: Callable[[pd.DataFrame], str]) -> Callable[[pd.DataFrame], str]:
    """Return a writer of tables with one table below the other, each with the name of its group."""

    def written(frame: pd.DataFrame) -> str:
        parts = []
        for group, rows in frame.groupby(frame.attrs["by"], sort=False):
            rows.attrs = {**frame.attrs, "n_queries": int(rows["queries"].iloc[0])}
            parts.append(f"{heading.format(printable(str(group)))}\n\n{text(rows)}")
        return "\n\n".join(parts)

    return written


def _power_of(values: pd.DataFrame, gate: dict[str, Any], tolerance: float | None, alpha: float) -> str:
    """Say which loss the queries find, and how many would find the tolerance or, without one, the observed loss."""
    run, other, measure = gate["system"], gate["other"], str(gate["measure"])
    pilot = values[values["name"].isin([run, other]) & (values["measure"] == measure)]
    means = pilot.groupby("name")["value"].mean()
    told = f"Note: {measure} of {run} against {other}: "
    try:
        n = pilot["qid"].nunique()
        found = topics_needed(pilot, n=n, alpha=alpha)["delta"].item()
        told += f"{n} queries find a loss of {found:.4g} in 4 of 5 cases"
        delta = means[other] - means[run] if tolerance is None else tolerance
        if 0 < delta < found:
            told += f"; one of {delta:.4g} needs {topics_needed(pilot, delta, alpha=alpha)['topics'].item():,}"
    except ValueError as error:  # the differences do not vary, or more than a million queries are needed
        return told + str(error).removeprefix("topics_needed: ")
    return f"{told} (paired t-test)."
