"""Comparisons as a text table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ..io import printable
from .tables import letters, told_of_test, with_bounds

_GAP = "  "
_NAMES = ("system", "other")


def comparison_text(compared: pd.DataFrame, places: int = 4, width: int = 80) -> str:
    """Format comparisons as a text table with a block for each measure; ``*`` marks significant differences.

    ``?`` marks p-values within two standard errors of alpha, which more trials could put on its other side.

    Parameters
    ----------
    compared : DataFrame
        The frame from `compare`. Not changed.
    places : int >= 0
        Decimal places of the means, differences and p-values.
    width : int
        Width of the table. If the names of the systems do not fit, letters replace them, with a legend below.

    Returns
    -------
    str
        For each pair: both means, their difference, its confidence interval if the test has one, and the (corrected)
        p-value.

    Raises
    ------
    ValueError
        If the frame is empty.

    Examples
    --------
    >>> values = {"new": [0.5, 0.25, 0.5, 0.25], "old": [0.75, 0.5, 0.75, 0.5]}
    >>> rows = [(name, str(i), "RBU@5", v) for name in values for i, v in enumerate(values[name])]
    >>> from .compare import compare
    >>> print(comparison_text(compare(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "t"), 2))
    RBU@5
    system  other  mean  other's  diff.  95% interval     p
    new     old    0.38     0.62  -0.25  -0.25  -0.25  0.00  *
    <BLANKLINE>
    * significant (paired t-test, not corrected, alpha = 0.05, queries: 4)
    """
    if compared.empty:
        raise ValueError("comparison_text: compared must not be empty.")
    table = with_bounds(compared, places)
    table = table if "undecided" in table else table.assign(undecided=False)
    header, numbers = _numbers(table, compared.attrs, places)
    names = [[printable(str(name)) for name in table[column]] for column in _NAMES]
    room = width - sum(len(_GAP) + max(map(len, column)) for column in zip(header, *numbers, strict=True))
    legend = ""
    if sum(max(map(len, [head, *column])) for head, column in zip(_NAMES, names, strict=True)) > room - len(_GAP):
        marks = letters(list(dict.fromkeys([*names[0], *names[1]])))
        names = [[marks[name] for name in column] for column in names]
        legend = "\n" + "\n".join(f"{mark}: {name}" for name, mark in marks.items())
    lines = [[*pair, *cells] for pair, cells in zip(zip(*names, strict=True), numbers, strict=True)]
    blocks = []
    written = _aligned([[*_NAMES, *header], *lines])
    of_row = table["measure"].astype(str).tolist()
    for measure in dict.fromkeys(of_row):
        rows = [line for line, name in zip(written[1:], of_row, strict=True) if name == measure]
        blocks.append("\n".join([printable(measure), written[0], *rows]))
    doubt = (
        "\n? within two standard errors of alpha: raise the number of trials to decide"
        if table["undecided"].any()
        else ""
    )
    return "\n\n".join([*blocks, f"* significant ({told_of_test(compared.attrs)}){doubt}{legend}"])


def _numbers(table: pd.DataFrame, attrs: dict[object, object], places: int) -> tuple[list[str], list[list[str]]]:
    """Return the header and the cells of each row, without the names."""
    p = "p_corrected" if "p_corrected" in table else "p"
    columns = {
        "mean": [f"{value:.{places}f}" for value in table["mean"]],
        "other's": [f"{value:.{places}f}" for value in table["other_mean"]],
        "diff.": [f"{value:+.{places}f}" for value in table["difference"]],
    }
    if "ci_low" in table:
        ends = [[f"{value:+.{places}f}" for value in table[name]] for name in ("ci_low", "ci_high")]
        width = max(map(len, [*ends[0], *ends[1]]))
        columns[f"{float(str(attrs.get('ci', 0.95))):.0%} interval"] = [
            f"{low:>{width}}  {high:>{width}}" for low, high in zip(*ends, strict=True)
        ]
    columns[p.replace("_corrected", " corr.")] = [
        value if isinstance(value, str) else f"{value:.{places}f}" for value in table[p]
    ]
    marks = zip(table["significant"], table["undecided"], strict=True)
    columns[""] = ["*" * bool(significant) + "?" * bool(unsure) for significant, unsure in marks]
    return list(columns), list(map(list, zip(*columns.values(), strict=True)))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines, with names aligned to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        _GAP.join(
            f"{cell:<{width}}" if i < len(_NAMES) else f"{cell:>{width}}"
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
