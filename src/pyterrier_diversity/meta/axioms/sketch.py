"""Counter-examples in words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pandas as pd

from .search import differences


def sketch(counterexample: pd.DataFrame) -> str:
    """Describe a counter-example in a few lines.

    Parameters
    ----------
    counterexample : DataFrame
        As `counterexample` returns it.

    Returns
    -------
    str
        First, how the values of the rankings A ("better" in the frame) and B ("worse") should compare, and what they
        are. Then a table of the labels at each rank, in which equal ranks share a row. Last, the judged documents that
        neither ranking retrieves.

    Examples
    --------
    >>> from ir_measures import nDCG
    >>> from pyterrier_diversity import IA
    >>> from pyterrier_diversity.meta.axioms import counterexample
    >>> print(sketch(counterexample(IA(nDCG), "Red")))
    A should have a higher value than B, but both have 0.073261.
      rank  A                     B
         1  label 1 for intent 1  label 1 for intent 1
         2  label 1 for intent 2  label 1 for intent 1
    not retrieved: label 10 for intent 1; label 10 for intent 2; label 1 for intent 2
    weights of the intents: 0.5, 0.5
    """
    weights = counterexample.drop_duplicates("iteration")["weight"]
    retrieved = counterexample.dropna(subset="rank")
    rankings = [_labels(retrieved[retrieved["ranking"] == name], len(weights)) for name in ("better", "worse")]
    others = counterexample[~counterexample["docno"].isin(retrieved["docno"])]
    others = others[others["ranking"] == "better"]
    a, b = counterexample.groupby("ranking")["value"].first()
    demand = "A should have a higher value than B" if counterexample.attrs["strict"] else "A should not be below B"
    places = 6 if round(a, 6) != round(b, 6) else 10
    found = f"both have {a:.6f}" if differences(a, b) == 0 else f"A has {a:.{places}f} and B {b:.{places}f}"
    lines = [f"{demand}, but {found}.", *_side_by_side(*rankings)]
    lines.append(f"not retrieved: {'; '.join(_labels(others, len(weights)))}")
    if len(weights) > 1:
        lines.append(f"weights of the intents: {', '.join(f'{weight:.3g}' for weight in weights)}")
    return "\n".join(lines)


def _side_by_side(a: Sequence[str], b: Sequence[str]) -> list[str]:
    """Return the lines of a table of two rankings; ranks at which neither changes share a line."""
    rows: list[tuple[str, ...]] = [("rank", "A", "B")]
    first = 1
    for (one, other), same in itertools.groupby(itertools.zip_longest(a, b, fillvalue="no document")):
        last = first + len(list(same)) - 1
        rows.append((str(first) if first == last else f"{first}-{last}", one, other))
        first = last + 1
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [f"  {rank:>{widths[0]}}  {one:<{widths[1]}}  {other}" for rank, one, other in rows]


def _labels(rows: pd.DataFrame, n_intents: int) -> list[str]:
    """Return the labels of each document in words."""
    described = []
    for _, doc in rows.groupby("docno", sort=False):
        relevant = doc[doc["label"] > 0]
        labels = [
            f"label {label}" if n_intents == 1 else f"label {label} for intent {intent}"
            for label, intent in zip(relevant["label"], relevant["iteration"], strict=True)
        ]
        described.append(", ".join(labels) or "not relevant")
    return described
