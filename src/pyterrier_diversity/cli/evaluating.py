"""The commands that evaluate, check and explain run files."""

import math
import sys
from functools import partial
from typing import Annotated, Any

import click
import ir_measures
import pandas as pd

from .. import check_files, missed_intents
from ..evaluate import aggregates
from ..frames import number_of
from ..io import formatted, printable
from ..io.forms import LINE_FORMATS, lines_of_results
from ..measures import parse
from ..measures.composite import last_rank
from .inputs import Asked
from .options import MeasureText, command, of
from .outputs import Shown, Written, end_if_incomplete, in_the_shell, say, tell, told_of_gates

_TO_20 = "Last rank at which judged documents are counted: 20 by default."
_TO_CUTOFF = "Last rank to show. By default, that is the measure's cutoff."
_ONE = "The measure, such as 'RBU@20'."
# Ids of intents with more characters are shown as numbers.
_LONGEST_ID = 4
_WARNINGS_TOO = "Exit with status 1 for warnings, too."


@command
@of(Asked, "qrels", "runs", "columns", "measures", "order", "strict", "ignore", "doc_len", "names", "n_jobs")
@of(Written)
def evaluate(
    asked: Asked,
    written: Written,
    *,
    by_query: Annotated[bool, "-q"] = False,
    minima: Annotated[tuple[str, ...], MeasureText(), "--min"] = (),
    queries: bool = False,
    signatures: Annotated[bool, "-s"] = False,
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
    queries : bool
        Add a column with the number of queries that each run answers.
    signatures : bool
        Print how each measure was computed, so that others can reproduce it.
    """
    limits = list(map(_minimum, minima))
    least = dict(limits)
    if len(least) < len(limits):
        raise click.UsageError(f"--min must be given once for each measure, not as {', '.join(minima)}.")
    if written.chosen in LINE_FORMATS and not by_query:
        raise click.UsageError(f"--format {written.chosen} has a line for each value of a query: add -q.")
    if written.chosen in ("trec_eval", "ir_measures") and len(asked.paths) > 1:
        raise click.UsageError(f"--format {written.chosen} has no names of runs: give one run, or use --format long.")
    chosen = asked.named(least)
    with asked.checked():
        found = asked.values(chosen, perquery=by_query or bool(least), queries=queries)
    if found.empty:
        end_if_incomplete(found)
    failures: list[str] = []
    if least:
        from ..meta.significance.gates import GateError, below_minimum

        try:
            failures = list(dict.fromkeys(below_minimum(found, least)["message"]))
        except GateError as error:
            raise click.UsageError(f"--min: {str(error).partition(': ')[2]}") from error
    table = _with_means(found, chosen, by_query=by_query) if "qid" in found else found
    with told_of_gates(found, failures):
        written.put(table, partial(lines_of_results, format=written.chosen, places=written.places), LINE_FORMATS)
        if signatures and written.chosen != "latex":
            told = [found.attrs["signatures"][str(measure)] for measure in chosen]
            say("\n" + "\n".join(told), "  ", err=not (written.printed and written.chosen == "table"))


def _with_means(perquery: pd.DataFrame, measures: list[ir_measures.Measure], *, by_query: bool) -> pd.DataFrame:
    """Return the means of each run, with a column for each measure, or the values of its queries and then the means."""
    rows = perquery.drop_duplicates(["name", "qid"]).drop(columns=["measure", "value"])
    means = rows.drop(columns="qid").drop_duplicates("name").merge(aggregates(perquery, measures), on="name")
    if by_query:
        means.insert(1, "qid", "all")
        for measure in map(str, measures):
            rows[measure] = perquery.loc[perquery["measure"] == measure, "value"].to_numpy()
        of_runs = [pd.concat([rows[rows["name"] == name], means[means["name"] == name]]) for name in means["name"]]
        means = pd.concat(of_runs, ignore_index=True)
    means.attrs = perquery.attrs
    return means


@command
@of(Asked, "qrels", "columns", "order", "ignore", runs="[RUNS]...", strict=_WARNINGS_TOO, depth=_TO_20)
@of(Shown, "output", "format")
def check(asked: Asked, shown: Shown) -> None:
    """Look for mistakes in QRELS and RUNS. In Python: check_files.

    This computes no measure. The exit status is 1 if there is an error.
    """
    with asked.checked():
        judged = asked.judged_by([])
    found = check_files(judged, asked.given, order=asked.order, cutoff=asked.depth or 20)
    found = found[~found["about"].isin(asked.ignore)].reset_index(drop=True)
    found["message"] = [in_the_shell(message, click.get_current_context().command) for message in found["message"]]
    lines = [
        printable(f"{kind}: {name}: {message}{f' [{about}]' if about else ''}")
        for name, kind, about, message in found.to_numpy()
    ]
    shown.put(found, lambda _: "\n".join(lines))
    if found["kind"].isin(["error", "warning"] if asked.strict else ["error"]).any():
        sys.exit(1)


@command
@of(Asked, "qrels", "columns", "order", "doc_len", "names", "query", measures=_ONE, runs="RUN [RUN]", depth=_TO_CUTOFF)
@of(Shown)
def explain(asked: Asked, shown: Shown) -> None:
    """Show what each document contributes to a measure.

    With two runs, show their difference rank by rank. In Python: transformers.Explain and
    transformers.explain_difference.
    """
    from ..transformers import explain_difference

    names = list(asked.paths)
    if len(names) > 2:
        raise click.UsageError(f"Give one run to explain, or two to explain their difference, not {len(names)}.")
    whole = list(asked.explained().values())
    # The cutoff of a session counts turns.
    lasts = [asked.depth or (None if "turn" in table else last_rank(asked.chosen[0])) or len(table) for table in whole]
    explained = [table[table["position"] <= last] for table, last in zip(whole, lasts, strict=True)]
    # People see numbers, whose intents are told below the table.
    numbers, legend = _numbered(explained) if shown.chosen == "table" else ({}, "")
    called = [
        table.assign(
            intents=table["intents"].map(lambda row: {numbers.get(name, name): label for name, label in row.items()}),
            new_intents=table["new_intents"].map(lambda row: [numbers.get(name, name) for name in row]),
        )
        for table in explained
    ]
    if len(called) == 1:
        table = called[0][["position", "docno", "intents", "new_intents", "judged", "contribution", "value"]]
    else:
        table = explain_difference(*called)
        headers = {
            f"{column}{suffix}": f"{column} {name}"
            for column in ("docno", "new_intents", "contribution", "value")
            for suffix, name in zip(("", "_other"), names, strict=True)
        }
        table = table[["position", "difference", *headers]].rename(columns=headers)
    how: Any = {"places": shown.places, "transpose": shown.transpose, "width": shown.width}
    shown.put(table, lambda frame: f"{formatted(frame, **how)}\n\n{legend}".rstrip())
    values = [table["value"].iloc[-1] for table in whole]
    places = 4 if shown.places is None else shown.places
    told = [f"{name} {value:z.{places}f}" for name, value in zip(names, values, strict=True)]
    told += [f"difference {values[0] - values[1]:z.{places}f}"] if len(values) == 2 else []
    tell(f"{asked.chosen[0]} for query {asked.query}: {', '.join(told)}.")


def _numbered(explained: list[pd.DataFrame]) -> tuple[dict[str, str], str]:
    """Return the numbers of intents whose ids are long, and a line for each intent that the table shows."""
    texts = {name: text for of in explained[0].attrs.get("texts", {}).values() for name, text in of.items()}
    there = {intent for table in explained for of in table["intents"] for intent in of}
    ordered = sorted(there, key=lambda name: (len(name), name))
    is_long = max(map(len, ordered), default=0) > _LONGEST_ID
    numbers = {name: str(number) if is_long else name for number, name in enumerate(ordered, 1)}
    return numbers, "\n".join(f"{numbers[name]}: {texts.get(name) or name}" for name in ordered if is_long or texts)


@command
@of(Asked, "qrels", "runs", "columns", "order", "ignore", "names", "query", "depth")
@of(missed_intents, "rel")
@of(Shown)
def missed(asked: Asked, shown: Shown, rel: float | None) -> None:
    """List the intents that each of RUNS does not cover. In Python: missed_intents.

    An intent is coverable if a judged document is relevant to it.
    """
    found, query = missed_intents(asked.judged, asked.frames, asked.depth, rel=rel), asked.query
    counts: dict[str, int] = found.attrs["intents"]
    if query is not None:
        if query not in counts:
            raise ValueError(f"The qrels have no query {query!r}.")
        counts = {query: counts[query]}
        found = found[found["qid"] == query]
    shown.put(found)
    for name in asked.paths:
        of_run = found[found["name"] == name]
        never = int((~of_run["coverable"]).sum())
        told = f"; no judged document covers {never} of these" if never else ""
        tell(f"{name} misses {len(of_run)} of {sum(counts.values())} intents{told}.")


def _minimum(text: str) -> tuple[ir_measures.Measure, float]:
    """Read a gate such as ``Coverage@50=0.7``."""
    name, separator, number = text.rpartition("=")
    least = number_of(number)
    if not separator or math.isnan(least):
        raise click.UsageError(f"--min must be a measure and a value, such as 'Coverage@50=0.7', not {text!r}.")
    return parse(name.rstrip(">").strip()), least
