"""The commands that explain rankings in tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from textwrap import shorten
from typing import Annotated, Any

import click
import pandas as pd

from .. import missed_intents
from ..io.tables import PEOPLE
from ..measures import parse
from ..measures.composite import last_rank
from .inputs import Asked
from .options import MeasureText, command, of
from .outputs import Shown, tell


@command
@of(Asked, "qrels", "columns", "order", "doc_len", runs="RUN [RUN]")
@of(Shown)
def explain(
    asked: Asked,
    shown: Shown,
    *,
    query: Annotated[str, "-q"],
    measure: Annotated[str, MeasureText(), "-m"],
    depth: Annotated[int | None, "-k"] = None,
) -> None:
    """Show what each document contributes to a measure.

    With two runs, show their difference rank by rank. In Python: transformers.Explain and
    transformers.explain_difference.

    Parameters
    ----------
    query : str
        The query to explain.
    measure : str
        The measure, such as 'RBU@20'.
    depth : int >= 1
        Last rank to show. By default, that is the measure's cutoff.
    """
    from ..transformers import explain_difference

    names = list(asked.paths)
    if len(names) > 2:
        raise click.UsageError(f"Give one run to explain, or two to explain their difference, not {len(names)}.")
    chosen = parse(measure)
    whole = list(replace(asked, measures=(measure,)).explained(query, chosen).values())
    # The cutoff of a session counts turns.
    lasts = [depth or (None if "turn" in table else last_rank(chosen)) or len(table) for table in whole]
    explained = [table[table["position"] <= last] for table, last in zip(whole, lasts, strict=True)]
    if len(explained) == 1:
        columns = ["position", "docno", "intents", "new_intents", "judged", "contribution", "value"]
        shown.put((_with_texts(explained[0]) if shown.chosen in PEOPLE else explained[0])[columns])
    else:
        table = explain_difference(*explained)
        columns = ["docno", "new_intents", "contribution", "value"]
        headers = {column: f"{column} {names[0]}" for column in columns}
        headers |= {f"{column}_other": f"{column} {names[1]}" for column in columns}
        shown.put(table[["position", *headers, "difference"]].rename(columns=headers))
    values = [table["value"].iloc[-1] for table in whole]
    told = [f"{name} {value:.4g}" for name, value in zip(names, values, strict=True)]
    told += [f"difference {values[0] - values[1]:.4g}"] if len(values) == 2 else []
    tell(f"{chosen} for query {query}: {', '.join(told)}.")


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


@command
@of(Asked, "qrels", "runs", "columns", "order")
@of(missed_intents, "rel")
@of(Shown)
def missed(
    asked: Asked,
    shown: Shown,
    rel: float | None,
    *,
    query: Annotated[str | None, "-q"] = None,
    depth: Annotated[int | None, "-k"] = None,
) -> None:
    """List the intents that each of RUNS does not cover. In Python: missed_intents.

    An intent is coverable if a judged document is relevant to it.

    Parameters
    ----------
    query : str
        Only the intents of this query.
    depth : int >= 1
        Last rank that counts. By default, all ranks.
    """
    found = missed_intents(asked.judged, asked.frames, depth, rel=rel)
    counts: dict[str, int] = found.attrs["intents"]
    if query is not None:
        if query not in counts:
            raise ValueError(f"The qrels have no query {query!r}.")
        counts = {query: counts[query]}
        found = found[found["qid"] == query]
    shown.put(found.rename(columns={"name": "run"}))
    for name in asked.paths:
        of_run = found[found["name"] == name]
        never = int((~of_run["coverable"]).sum())
        told = f"; no judged document covers {never} of these" if never else ""
        tell(f"{name} misses {len(of_run)} of {sum(counts.values())} intents{told}.")
