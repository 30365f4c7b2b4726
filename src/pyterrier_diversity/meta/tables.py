"""Tables for papers: means of systems with marks of significance."""

from __future__ import annotations

import html
import itertools
import string
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd

from ..io import escaped, latex
from ..measures import parse, signature
from ..parameters import Parameter
from .significance_tests import TESTS, Test, corrected

_PLACES = Parameter(int, interval="[0, 100]", desc="decimal places of the means")
_NEEDED = ("measure", "system", "other", "mean", "other_mean", "significant")
_FAMILIES = {"measure": "per measure", "all": "over all measures"}
# So many decisions that more trials could change are named in a legend.
_MOST_NAMED = 3


class Cell(NamedTuple):
    """The mean of a system, and the marks of the systems with a significantly lower or higher mean."""

    mean: float
    higher_than: list[str]
    lower_than: list[str]


@dataclass(frozen=True, eq=False)
class SignificanceTable:
    """Means of systems by measure, with marks of significant differences; shown as HTML in notebooks.

    Attributes
    ----------
    measures : list of str
        The columns.
    rows : dict of str to list of Cell
        The cells of each system, one for each measure.
    legend : str
        The meaning of the marks, and the test.
    places : int
        Decimal places of the means.
    """

    measures: list[str]
    rows: dict[str, list[Cell]]
    legend: str
    places: int

    @cached_property
    def signatures(self) -> dict[str, str]:
        """The `signature` of each measure whose name can be parsed."""
        found = {}
        for name in self.measures:
            with suppress(ValueError):
                found[name] = signature(parse(name))
        return found

    def __str__(self) -> str:
        """Return the table as text, with marks of lower systems after ``^`` and of higher ones after ``_``."""
        written = self._written("{}", "^{}", "_{}")
        table = pd.DataFrame(list(written.values()), index=list(written), columns=self.measures)
        return f"{table.to_string()}\n\n{self.legend}"

    def to_html(self) -> str:
        """Return the table as HTML. The best means are bold, and header cells show signatures as tool tips."""
        tips = {name: f' title="{html.escape(text)}"' for name, text in self.signatures.items()}
        head = "".join(f"<th{tips.get(name, '')}>{html.escape(name)}</th>" for name in self.measures)
        body = "\n".join(
            f"<tr><th>{html.escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
            for name, cells in self._written("<b>{}</b>", "<sup>{}</sup>", "<sub>{}</sub>").items()
        )
        return (
            f"<table>\n<caption>{html.escape(self.legend)}</caption>\n<thead><tr><th></th>{head}</tr></thead>\n"
            f"<tbody>\n{body}\n</tbody>\n</table>"
        )

    _repr_html_ = to_html

    def to_latex(self) -> str:
        """Return the table as LaTeX with booktabs. The best means are bold, and comments show signatures."""
        written = self._written(r"\textbf{{{}}}", r"$^{{\mathrm{{{}}}}}$", r"$_{{\mathrm{{{}}}}}$")
        rows = [["", *map(escaped, self.measures)], *([escaped(name), *cells] for name, cells in written.items())]
        # A name with a line break would end the comment.
        comments = [f"% {' '.join(text.splitlines())}" for text in (*self.signatures.values(), self.legend)]
        return "\n".join([*comments, latex(rows, "l" + "r" * len(self.measures))])

    def _written(self, best: str, higher_than: str, lower_than: str) -> dict[str, list[str]]:
        """Return the cells of each system in these formats."""
        means = {name: [f"{cell.mean:.{self.places}f}" for cell in cells] for name, cells in self.rows.items()}
        highest = [max(column, key=float) for column in zip(*means.values(), strict=True)]
        return {
            name: [
                (best.format(mean) if mean == top else mean)
                + (higher_than.format(_joined(cell.higher_than)) if cell.higher_than else "")
                + (lower_than.format(_joined(cell.lower_than)) if cell.lower_than else "")
                for mean, top, cell in zip(means[name], highest, cells, strict=True)
            ]
            for name, cells in self.rows.items()
        }


def _joined(marks: list[str]) -> str:
    return ("," if marks[0].isdigit() else "").join(marks)


def significance_table(compared: pd.DataFrame, places: int = 3) -> SignificanceTable:
    """Make a table for a paper: the mean of each system, with marks of significant differences.

    Parameters
    ----------
    compared : DataFrame
        The frame from `compare`. Not changed.
    places : int in [0, 100]
        Decimal places of the means.

    Returns
    -------
    SignificanceTable
        Each system has a letter, or a number if there are more than 26. A mean carries the letters of the systems with
        a significantly lower mean and, if the systems were compared with baselines, those of the baselines with a
        significantly higher one. The legend tells the test, which p-values it takes together, and which decisions more
        trials could change.

    Raises
    ------
    ValueError
        If a column is missing, the frame has no rows, or ``places`` is out of range.

    Examples
    --------
    >>> from pyterrier_diversity.meta import compare
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(significance_table(compare(frame, "t")))
           RBU
    x  0.725^b
    y    0.325
    <BLANKLINE>
    Raised: significantly higher than (paired t-test, not corrected, alpha = 0.05, queries: 4). Systems: a x, b y.
    """
    places = _PLACES.check("significance_table", "places", places)
    missing = [column for column in _NEEDED if column not in compared]
    if missing or compared.empty:
        why = f"the column {', '.join(missing)} is missing" if missing else "it has no rows"
        raise ValueError(f"significance_table: compared must be a frame from compare, but {why}.")
    columns = {name: compared[name].tolist() for name in _NEEDED}
    measures = list(dict.fromkeys(columns["measure"]))
    systems = list(dict.fromkeys([*columns["system"], *columns["other"]]))
    baselines = compared.attrs.get("baseline")
    marks = letters(systems if baselines is None else baselines)
    cells = {(name, measure): Cell(float("nan"), [], []) for name in systems for measure in measures}
    for measure, one, other, mean, other_mean, significant in zip(*columns.values(), strict=True):
        for name, value, against, difference in (
            (one, mean, other, mean - other_mean),
            (other, other_mean, one, other_mean - mean),
        ):
            cell = cells[name, measure]._replace(mean=value)
            cells[name, measure] = cell
            if significant and against in marks and difference > 0:
                cell.higher_than.append(marks[against])
            elif significant and against in marks and difference < 0 and baselines is not None:
                cell.lower_than.append(marks[against])
    rows = {name: [cells[name, measure] for measure in measures] for name in systems}
    return SignificanceTable(measures, rows, _legend(compared.attrs, marks) + _told_of_undecided(compared), places)


def letters(systems: Sequence[str]) -> dict[str, str]:
    """Return a letter for each system, or a number if there are more than 26."""
    names = string.ascii_lowercase if len(systems) <= len(string.ascii_lowercase) else map(str, itertools.count(1))
    return dict(zip(systems, names, strict=False))


def _legend(attrs: Mapping[Hashable, Any], marks: dict[str, str]) -> str:
    lower = "" if attrs.get("baseline") is None else "; lowered: significantly lower than"
    systems = ", ".join(f"{mark} {name}" for name, mark in marks.items())
    told = told_of_test(attrs)
    return f"Raised: significantly higher than{lower}{f' ({told})' if told else ''}. Systems: {systems}."


def told_of_test(attrs: Mapping[Hashable, Any]) -> str:
    """Describe the test of a frame from `compare`: family, correction, level, trials, seed and number of queries."""
    how = [f"{test.title}{_of_family(name, attrs)}" for name, test in TESTS.items() if name == attrs.get("test")]
    how += ["one-sided"] if attrs.get("alternative") == "greater" else []
    how += [
        f"{what} {attrs[name]}"
        for name, what in (
            ("alpha", "alpha ="),
            ("n_trials", "trials:"),
            ("seed", "seed:"),
            ("n_queries", "queries:"),
        )
        if attrs.get(name) is not None
    ]
    return ", ".join(how)


def _of_family(test: Test, attrs: Mapping[Hashable, Any]) -> str:
    """Say which p-values a test takes together, after its name."""
    if attrs.get("correction"):
        return f", {attrs['correction']} correction {_FAMILIES[attrs.get('family', 'measure')]}"
    together = TESTS[test].of_all is not None and attrs.get("groups", "all") == "all"
    return f" {_FAMILIES['measure']}" if together else ", not corrected"


def _told_of_undecided(compared: pd.DataFrame) -> str:
    """Name the decisions that more trials could change, for a legend."""
    unsure = compared[compared["undecided"]] if "undecided" in compared else compared[:0]
    pairs = [f"{one} and {other} by {measure}" for measure, one, other in unsure[list(_NEEDED[:3])].to_numpy()]
    if not pairs:
        return ""
    more = f" and {len(pairs) - _MOST_NAMED} more" if len(pairs) > _MOST_NAMED else ""
    return (
        f" More trials (n_trials) could decide otherwise on {', '.join(pairs[:_MOST_NAMED])}{more}: p is within two "
        "standard errors of alpha."
    )


def with_bounds(compared: pd.DataFrame, places: int) -> pd.DataFrame:
    """Return a frame from `compare` for printing, with "< 1/B" for a p-value of 0 in B trials."""
    n_trials = compared.attrs.get("n_trials")
    if n_trials is None or not (compared["p"] == 0).any():
        return compared
    none = (compared["p"] == 0).to_numpy()
    bounds = {"p": compared["p"].mask(none, 1 / n_trials).to_numpy()}
    if "p_corrected" in compared:
        n_families = compared["measure"].nunique() if compared.attrs["family"] == "measure" else 1
        bounds["p_corrected"] = corrected(bounds["p"], compared.attrs["correction"], n_families)
    printed = compared.copy()
    for column, bound in bounds.items():
        printed[column] = [
            f"< {high:g}" if unreached else f"{value:.{places}f}"
            for value, high, unreached in zip(compared[column], bound, none, strict=True)
        ]
    return printed
