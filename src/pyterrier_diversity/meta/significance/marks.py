"""Comparisons as tables: means with marks of significance for papers, and pairs of systems for terminals."""

import itertools
import string
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from ...io import Cell, Table, aligned, in_lines, p_text, printable, renamed
from ...measures.parse import higher_is_better
from ...parameters import Parameter
from .compare import refuse_incomplete
from .tests import TESTS

_FOR_MARKS = ("measure", "name", "other", "mean", "other_mean", "significant")
_TOLD = {"alpha": "alpha =", "n_trials": "trials:", "seed": "seed:", "n_queries": "queries:"}


def significance_table(
    compared: pd.DataFrame,
    places: int = 3,
    *,
    names: Mapping[str, str] | None = None,
    labels: Mapping[Any, str] | None = None,
) -> Table:
    """Make a table for a paper: the mean of each system, with marks of significant differences.

    Parameters
    ----------
    compared : DataFrame
        The frame from `compare`. Not changed.
    places : int in [0, 100]
        Decimal places of the means.
    names, labels : mapping of str to str, optional
        The text to show for each system or measure, by its name. In LaTeX, formulas (``$...$``) stay as they are, and
        the rest is escaped.

    Returns
    -------
    Table
        The baselines come first, then the other systems in the order of the frame. Each system, or each baseline, has a
        letter, or a number if there are more than 26, in the first column. A mean carries the letters of the systems
        with a significantly lower mean and, if the systems were compared with baselines, those of the baselines with a
        significantly higher one; the other way round if lower values are better. The legend says which test was used,
        and which p-values were corrected together. ``to_latex()``,
        ``to_html()``, ``to_markdown()`` and ``to_text()`` return the table in these forms, ``transposed()`` the table
        with the measures as rows.

    Raises
    ------
    ValueError
        If a column is missing, the frame has no rows, ``places`` is out of range, two systems or measures would have
        the same name, or none of the names or labels is known.
    TypeError
        If ``names`` or ``labels`` is not a mapping.

    Examples
    --------
    >>> from pyterrier_diversity.meta import compare
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(significance_table(compare(frame, "t"), names={"x": "ours"}))
       name      RBU
    a  ours  0.725^b
    b  y     0.325
    <BLANKLINE>
    Raised: significantly higher than (paired t-test, not corrected, alpha = 0.05, queries: 4).
    """
    places = Parameter(int, interval="[0, 100]").check("significance_table", "places", places)
    refuse_incomplete("significance_table", compared, _FOR_MARKS)
    compared = renamed(compared, names, labels)
    old = {new: name for name, new in compared.attrs.get("labels", {}).items()}
    signs = {name: 1 if higher_is_better(old.get(name, name)) else -1 for name in compared["measure"].unique()}
    cells = _table_cells(compared, places, signs)
    up, down = ("better", "worse") if -1 in signs.values() else ("higher", "lower")
    marked = [f"raised: significantly {up} than"] if any(cell.above for row in cells for cell in row) else []
    marked += [f"lowered: significantly {down} than"] if any(cell.below for row in cells for cell in row) else []
    meaning, told = ("; ".join(marked) or "no difference is significant").capitalize(), told_of_test(compared.attrs)
    legend = f"{meaning}{f' ({told})' if told else ''}."
    header = ["", "name", *map(str, signs)]
    return Table(header, cells, legend, compared.attrs.get("signatures", {}))


def _table_cells(compared: pd.DataFrame, places: int, signs: Mapping[str, int]) -> list[list[Cell]]:
    """Return a row for each system: its mark, its name, and its means with the marks beside them.

    The sign of a measure is -1 if lower values are better.
    """
    columns = [compared[name].tolist() for name in _FOR_MARKS]
    baselines = compared.attrs.get("baseline")
    first = [name for name in baselines or () if name in columns[2]]
    systems = list(dict.fromkeys([*first, *columns[1], *columns[2]]))
    marks = letters(systems if baselines is None else baselines)
    texts = dict.fromkeys(itertools.product(systems, signs), "nan")
    better: dict[tuple[str, str], list[str]] = {at: [] for at in texts}
    worse: dict[tuple[str, str], list[str]] = {at: [] for at in texts}
    for measure, *names, one_mean, other_mean, significant in zip(*columns, strict=True):
        for (name, other), (mean, against) in ((names, (one_mean, other_mean)), (names[::-1], (other_mean, one_mean))):
            texts[name, measure] = f"{mean:z.{places}f}"
            gain = signs[measure] * (mean - against)
            if significant and other in marks and gain > 0:
                better[name, measure].append(marks[other])
            elif significant and other in marks and gain < 0 and baselines is not None:
                worse[name, measure].append(marks[other])
    best = {
        measure: texts[max(systems, key=lambda name: sign * float(texts[name, measure])), measure]
        for measure, sign in signs.items()
    }
    separator = "," if len(marks) > len(string.ascii_lowercase) else ""

    def cell(name: str, measure: str) -> Cell:
        above, below = (separator.join(of[name, measure]) for of in (better, worse))
        return Cell(texts[name, measure], above, below, texts[name, measure] == best[measure], is_number=True)

    return [[Cell(marks.get(name, "")), Cell(str(name)), *(cell(name, m) for m in signs)] for name in systems]


def letters(systems: Sequence[str]) -> dict[str, str]:
    """Return a letter for each system, or a number if there are more than 26."""
    names = string.ascii_lowercase if len(systems) <= len(string.ascii_lowercase) else map(str, itertools.count(1))
    return dict(zip(systems, names, strict=False))


def told_of_test(attrs: Mapping[Hashable, Any]) -> str:
    """Describe the test of a frame from `compare`: the family of p, level, trials, seed and number of queries."""
    how = []
    if attrs.get("test") in TESTS:
        test = TESTS[attrs["test"]]
        family = ", not corrected"
        if "correction" in attrs:
            pairs = "1 pair" if attrs["n_pairs"] == 1 else f"{attrs['n_pairs']} pairs"
            family = f", {attrs['correction']} correction of {pairs} per measure"
        elif test.of_all is not None and attrs.get("groups", "all") == "all":
            family = f" of {attrs['n_systems']} systems per measure"
        how.append(test.title + family)
    if attrs.get("alternative") == "greater":
        how.append("one-sided")
    how += [f"{what} {attrs[name]}" for name, what in _TOLD.items() if attrs.get(name) is not None]
    return ", ".join(how)


def with_bounds(compared: pd.DataFrame, places: int) -> pd.DataFrame:
    """Return a frame from `compare` with its p-values as texts: "< 1/B" for a p of 0 in B trials, never 0.000."""
    n_trials = compared.attrs.get("n_trials")
    none = (compared["p"] == 0).to_numpy() & (n_trials is not None)
    bounds = {"p": compared["p"].mask(none, 1 / (n_trials or 1)).to_numpy()}
    if "p_corrected" in compared:
        bounds["p_corrected"] = compared["measure"].map(compared.attrs.get("bounds", {})).to_numpy()
    texts = {
        column: [f"< {bound[i]:g}" if none[i] else p_text(p, places) for i, p in enumerate(compared[column])]
        for column, bound in bounds.items()
    }
    return compared.assign(**texts)


def comparison_text(compared: pd.DataFrame, places: int = 4, width: int | None = None) -> str:
    """Format comparisons as a text table with a block for each measure; ``*`` marks significant differences.

    Parameters
    ----------
    compared : DataFrame
        The frame from `compare`. Not changed.
    places : int >= 0
        Decimal places of the means, differences and p-values.
    width : int, optional
        Width of the table, unlimited by default. If the names of the systems do not fit, letters replace them, with a
        legend below.

    Returns
    -------
    str
        For each pair: both means, their difference, its confidence interval if the test has one, and the (corrected)
        p-value.

    Raises
    ------
    ValueError
        If a column is missing, or the frame has no rows.

    Examples
    --------
    >>> values = {"new": [0.5, 0.25, 0.5, 0.25], "old": [0.75, 0.5, 0.75, 0.5]}
    >>> rows = [(name, str(i), "RBU@5", v) for name in values for i, v in enumerate(values[name])]
    >>> from .compare import compare
    >>> print(comparison_text(compare(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "t"), 2))
    RBU@5
    name  other  mean  of other  diff.  95% interval       p
    new   old    0.38      0.62  -0.25  -0.25  -0.25  < 0.01  *
    <BLANKLINE>
    * significant (paired t-test, not corrected, alpha = 0.05, queries: 4)
    """
    refuse_incomplete("comparison_text", compared, [*_FOR_MARKS, "difference", "p"])
    table = with_bounds(compared, places)
    systems = {column: [printable(str(name)) for name in table[column]] for column in ("name", "other")}
    numbers = _text_columns(table, compared.attrs, places)
    written, notes = _text_lines(systems, numbers), []
    if width is not None and max(map(len, written)) > width:
        marks = letters(list(dict.fromkeys(itertools.chain(*systems.values()))))
        systems = {column: [marks[name] for name in given] for column, given in systems.items()}
        written = _text_lines(systems, numbers)
        notes = [f"{mark}: {name}" for name, mark in marks.items()]
    lines = pd.Series(written[1:], dtype=object).groupby(table["measure"].astype(str).to_numpy(), sort=False)
    blocks = ["\n".join([printable(str(measure)), written[0], *rows]) for measure, rows in lines]
    found = "* significant" if table["significant"].any() else "No difference is significant"
    notes.insert(0, f"{found} ({told_of_test(compared.attrs)})")
    return "\n\n".join([*blocks, in_lines("\n".join(notes), width, "  ")])


def _text_lines(systems: Mapping[str, list[str]], numbers: Mapping[str, list[str]]) -> list[str]:
    columns = [[name, *cells] for name, cells in {**systems, **numbers}.items()]
    return aligned(columns, [False] * len(systems) + [True] * len(numbers))


def _text_columns(table: pd.DataFrame, attrs: Mapping[Hashable, Any], places: int) -> dict[str, list[str]]:
    """Return the cells of each column with its header, without the names."""
    formats = {"mean": f"z.{places}f", "other_mean": f"z.{places}f", "difference": f"+z.{places}f"}
    texts = {name: [format(value, how) for value in table[name]] for name, how in formats.items()}
    columns = dict(zip(("mean", "of other", "diff."), texts.values(), strict=True))
    if "ci_low" in table:
        ends = [[f"{value:+z.{places}f}" for value in table[name]] for name in ("ci_low", "ci_high")]
        width = max(map(len, [*ends[0], *ends[1]]))
        columns[f"{100 * float(str(attrs.get('ci', 0.95))):g}% interval"] = [
            f"{low:>{width}}  {high:>{width}}" for low, high in zip(*ends, strict=True)
        ]
    p = "p_corrected" if "p_corrected" in table else "p"
    columns[p.replace("_corrected", " corr.")] = table[p].tolist()
    columns[""] = ["*" * bool(significant) for significant in table["significant"]]
    return columns
