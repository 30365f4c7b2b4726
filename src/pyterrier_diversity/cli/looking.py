"""The commands that explain rankings in tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import click

from .. import missed_intents
from ..io import named_runs
from ..io.readers import OrderedBy
from ..io.tables import PEOPLE
from . import options
from .asked import Asked
from .inputs import run_paths
from .outputs import Command, Shown, tell

if TYPE_CHECKING:
    import pandas as pd


@click.command(cls=Command)
@options.QRELS
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN]")
@click.option("-q", "--query", required=True, help="The query to explain.")
@click.option("-m", "--measure", required=True, type=options.GroupOrMeasure(), help="The measure, such as 'RBU@20'.")
@click.option(
    "-k", "--depth", type=click.IntRange(1), help="Last rank to show. By default, that is the measure's cutoff."
)
@options.TABLE
@options.with_options(options.ORDER, options.DOC_LEN)
def explain(
    qrels: str,
    runs: tuple[str, ...],
    query: str,
    measure: str,
    depth: int | None,
    shown: Shown,
    order: OrderedBy,
    doc_len: Path | None,
) -> None:
    """Show what each document contributes to a measure.

    With two runs, show their difference rank by rank. In Python: transformers.Explain and
    transformers.explain_difference.
    """
    from ..transformers import explain_difference

    paths = named_runs("explain", run_paths(runs, qrels))
    if len(paths) > 2:
        raise click.UsageError(f"Give one run to explain, or two to explain their difference, not {len(paths)}.")
    asked = Asked(qrels, {}, [options.parsed(measure)], query, depth, order, doc_len)
    whole = [asked.explained(path) for path in paths.values()]
    values = [table["value"].iloc[-1] for table in whole]
    explained = [asked.shown(table, depth) for table in whole]
    names = list(paths)
    if len(explained) == 1:
        columns = ["position", "docno", "intents", "new_intents", "judged", "contribution", "value"]
        shown.put((_with_texts(explained[0]) if shown.chosen in PEOPLE else explained[0])[columns])
    else:
        table = explain_difference(*explained)
        columns = ["docno", "new_intents", "contribution", "value"]
        headers = {column: f"{column} {names[0]}" for column in columns}
        headers |= {f"{column}_other": f"{column} {names[1]}" for column in columns}
        shown.put(table[["position", *headers, "difference"]].rename(columns=headers))
    told = [f"{name} {value:.4g}" for name, value in zip(names, values, strict=True)]
    apart = f", difference {values[0] - values[1]:.4g}" if len(values) == 2 else ""
    tell(f"{measure} for query {query}: {', '.join(told)}{apart}.")


def _with_texts(explained: pd.DataFrame) -> pd.DataFrame:
    """Return an explanation with the beginning of the intents' texts in place of their ids, for people."""
    whole = {name: text for of in explained.attrs.get("texts", {}).values() for name, text in of.items()}
    short = {name: shorten(text, 40, placeholder=" …") for name, text in whole.items()}
    times = Counter(short.values())
    texts = {name: text if times[text] == 1 else f"{name}: {text}" for name, text in short.items()}
    shown: dict[str, Any] = {
        "intents": [{texts.get(name, name): label for name, label in row.items()} for row in explained["intents"]],
        "new_intents": [[texts.get(name, name) for name in row] for row in explained["new_intents"]],
    }
    return explained.assign(**shown)


@click.command(cls=Command)
@options.with_options(options.QRELS, options.RUNS)
@click.option("-q", "--query", help="Only the intents of this query.")
@click.option("-k", "--depth", type=click.IntRange(1), help="Last rank that counts. By default, all ranks.")
@options.of(missed_intents, "rel")
@options.TABLE
@options.ORDER
def missed(
    qrels: str,
    runs: tuple[str, ...],
    query: str | None,
    depth: int | None,
    rel: float | None,
    shown: Shown,
    order: OrderedBy,
) -> None:
    """List the intents that each of RUNS does not cover. In Python: missed_intents.

    An intent is coverable if a judged document is relevant to it.
    """
    asked = Asked(qrels, named_runs("missed", run_paths(runs, qrels)), [], query, depth or 0, order)
    found = missed_intents(asked.judged, asked.runs, depth, rel=rel)
    counts: dict[str, int] = found.attrs["intents"]
    if query is not None:
        if query not in counts:
            raise ValueError(f"The qrels have no query {query!r}.")
        counts = {query: counts[query]}
        found = found[found["qid"] == query]
    shown.put(found.rename(columns={"name": "run"}))
    n_intents = sum(counts.values())
    for name in asked.paths:
        of_run = found[found["name"] == name]
        never = int((~of_run["coverable"]).sum())
        told = f"; no judged document covers {never} of these" if never else ""
        tell(f"{name} misses {len(of_run)} of {n_intents} intents{told}.")
