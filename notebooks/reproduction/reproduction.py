"""Published numbers beside recomputed ones, with a verdict for each, and what becomes of a paper's claims."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pyterrier_diversity.parameters import Parameter, Parameters, checked

_PARAMETERS: Parameters = {
    "decimals": Parameter(int, 3, interval="[0, 15]", desc="decimal places that the paper prints"),
    "in_order": Parameter(float, 0.9, interval="(0.5, 1]", desc="share of the other cells for 'order only'"),
    "ordered": Parameter(bool, True, desc="whether the order of the cells matters"),
}

VERDICTS = {
    "agrees": "the recomputed number, rounded as in the paper, equals the paper's, or its statement is true here",
    "order only": "another number, but in the paper's order with the other cells of its column",
    "differs": "another number, in another order, or another statement",
    "paper error": "the paper's own numbers, formulas or code show that the number or statement is wrong",
    "not available": "not recomputed, because something is missing",
}
EVIDENCE = {
    "definition": "a formula, a worked example or a constant",
    "collection": "a count of topics, judgements or runs",
    "simulated": "systems, grades or topics that are made up, redrawn or changed by noise",
    "real": "rankings of real systems, or scores of official runs, with real judgements",
}
OUTCOMES = ("reproduced", "mixed", "contradicted", "not tested")

COLUMNS = ("paper", "table_or_figure", "cell", "theirs", "ours", "simulated", "evidence", "verdict", "why")
CLAIM_COLUMNS = ("paper", "claim", "outcome", "data", "theirs", "ours", "where")

Value = float | str
Cells = Mapping[str, Value]


def reproduction(
    paper: str,
    table: str,
    theirs: Cells,
    ours: Cells,
    *,
    evidence: str,
    simulated: Cells | None = None,
    decimals: int = 3,
    why: str | Mapping[str, str] = "",
    errors: Mapping[str, str] | None = None,
    in_order: float = 0.9,
    ordered: bool = True,
) -> pd.DataFrame:
    r"""Compare published numbers with recomputed ones, with a verdict for each.

    Parameters
    ----------
    paper : str
        The paper, such as ``"RBU18"``.
    table : str
        Its table or figure, and the column if there are several.
    theirs : mapping of str to float or str
        The published value of each cell of a column, or of other cells whose order matters.
    ours : mapping of str to float or str
        The recomputed value of each cell; missing or NaN if it is not available.
    evidence : {"definition", "collection", "simulated", "real"}
        What the recomputed values rest on; of cells that are not available, what the paper's rest on.
    simulated : mapping of str to float or str, optional
        What made-up systems give for cells that real data decides. It stands beside them, and has no verdict.
    decimals : int in [0, 15]
        Decimal places that the paper prints. All values are rounded to them here, and nowhere else.
    why : str or mapping of str to str
        Why cells do not agree: one reason for all cells, or one by cell.
    errors : mapping of str to str, optional
        The derivation for each cell that is shown to be an error of the paper, also if our value is the same.
    in_order : float in (0.5, 1]
        For the verdict "order only": the share of the other cells of the column that must be in the paper's order with
        a cell.
    ordered : bool
        Whether the order of the cells matters. If not, no verdict is "order only".

    Returns
    -------
    DataFrame
        A row for each cell, as text: ``paper``, ``table_or_figure``, ``cell``, ``theirs``, ``ours``, ``simulated``,
        ``evidence``, ``verdict`` and ``why``.

    Raises
    ------
    ValueError
        If a parameter is out of range, ``theirs`` is empty, ``evidence`` is none of the four, or ``ours``,
        ``simulated`` or ``errors`` has a cell that is not in ``theirs``. If there is no reason for a cell that does not
        agree, or if ``simulated`` stands beside other than real data.

    Notes
    -----
    Numbers agree if they differ by at most half a unit of the last printed place. Texts agree if they are equal. For
    "order only", a cell is compared with all recomputed cells that are not tied with it in the paper. A tie of
    recomputed values, rounded as in the paper, counts as another order. If there are no such cells, the verdict is
    "differs".

    Examples
    --------
    >>> printed, here = {"RBU": 0.80, "AP": 0.79, "RR": 0.68}, {"RBU": 0.87, "AP": 0.79}
    >>> frame = reproduction("RBU18", "Table 2", printed, here, evidence="real", decimals=2, why="other runs")
    >>> frame[["cell", "theirs", "ours", "why", "verdict"]]
      cell theirs  ours         why        verdict
    0  RBU   0.80  0.87  other runs     order only
    1   AP   0.79  0.79                     agrees
    2   RR   0.68        other runs  not available
    """
    decimals, in_order, ordered = checked(
        "reproduction", _PARAMETERS, decimals=decimals, in_order=in_order, ordered=ordered
    ).values()
    theirs, errors, beside = dict(theirs), dict(errors or {}), _had({} if simulated is None else simulated)
    _check(theirs, ours, evidence, beside, errors)
    had = _had(ours)
    rows = []
    for cell, printed in theirs.items():
        verdict = _verdict(cell, theirs, had, decimals, in_order)
        if verdict == "order only" and not ordered:
            verdict = "differs"
        verdict = "paper error" if cell in errors else verdict
        reason = errors.get(cell) or (why if isinstance(why, str) else why.get(cell, ""))
        if verdict != "agrees" and not reason:
            raise ValueError(f"reproduction: why must have a reason for {cell!r} of {table}: {verdict}.")
        shown = [_shown(value, decimals) for value in (printed, had.get(cell), beside.get(cell))]
        rows.append((paper, table, str(cell), *shown, evidence, verdict, "" if verdict == "agrees" else reason))
    return pd.DataFrame(rows, columns=list(COLUMNS))


class Reproduction:
    """What a notebook compares with a paper, and writes beside itself.

    Parameters
    ----------
    paper : str
        The paper, such as ``"RBU18"``.
    notebook : str
        The name of the notebook, without the ending.
    """

    def __init__(self, paper: str, notebook: str) -> None:
        self.paper, self.notebook = paper, notebook
        self._compared: list[pd.DataFrame] = []
        self._claims: list[tuple[str, ...]] = []

    def compare(self, table: str, theirs: Cells, ours: Cells, **options: Any) -> None:
        """Set numbers of the paper beside ours; the options are those of `reproduction`."""
        self._compared.append(reproduction(self.paper, table, theirs, ours, **options))

    def sentence(self, where: str, what: str, holds: bool, *, simulated: bool | None = None, **options: Any) -> None:
        """Note whether a statement of the paper holds here, and whether it does among made-up systems."""
        beside = {} if simulated is None else {what: _answer(simulated)}
        self.compare(where, {what: "holds"}, {what: _answer(holds)}, simulated=beside, ordered=False, **options)

    def claim(self, claim: str, found: Mapping[str, bool], theirs: str, ours: str, where: str) -> None:
        """Note what becomes of a headline claim.

        ``found`` tells for each real data set whether the claim holds there; none if it was not tested. ``where`` is
        the table, figure or section of the rows that it rests on.
        """
        outcome = OUTCOMES[2 - any(found.values()) - all(found.values())] if found else OUTCOMES[3]
        data = "; ".join(f"{name}: {'yes' if holds else 'no'}" for name, holds in found.items())
        self._claims.append((self.paper, claim, outcome, data, theirs, ours, where))

    def write(self, folder: Path | str = ".") -> pd.DataFrame:
        """Write the rows of this notebook into reproduction.csv and claims.csv, and return counts by evidence."""
        rows = pd.concat(self._compared, ignore_index=True)
        for name, frame in (("reproduction", rows), ("claims", pd.DataFrame(self._claims, columns=CLAIM_COLUMNS))):
            path = Path(folder) / f"{name}.csv"
            others = pd.read_csv(path, dtype=str, keep_default_na=False) if path.exists() else frame.assign(notebook="")
            others = others[(others["notebook"] != self.notebook) & (others["notebook"] != "")]
            every = pd.concat([others, frame.assign(notebook=self.notebook)]).sort_values("notebook", kind="stable")
            every.to_csv(path, columns=[*frame.columns, "notebook"], index=False, lineterminator="\n")
        counts = pd.crosstab(rows["evidence"], rows["verdict"])
        return counts.reindex(index=[*EVIDENCE], columns=[*VERDICTS], fill_value=0).rename_axis(columns=None)


def _had(values: Cells) -> dict[str, Value]:
    """Return the values that are not missing."""
    return {cell: value for cell, value in dict(values).items() if value is not None and value == value}


def _answer(holds: bool) -> str:
    return "holds" if holds else "does not hold"


def _check(theirs: Cells, ours: Cells, evidence: str, simulated: Cells, errors: Mapping[str, str]) -> None:
    if not theirs:
        raise ValueError("reproduction: theirs must not be empty.")
    if evidence not in EVIDENCE:
        raise ValueError(f"reproduction: evidence must be one of {', '.join(EVIDENCE)}, not {evidence!r}.")
    if simulated and evidence != "real":
        raise ValueError(f"reproduction: simulated stands beside real data only, not beside evidence={evidence!r}.")
    for name, cells in (("ours", ours), ("simulated", simulated), ("errors", errors)):
        if extra := [cell for cell in dict(cells) if cell not in theirs]:
            missing = ", ".join(map(str, extra[:3]))
            raise ValueError(f"reproduction: theirs must have each cell that {name} has, but {missing} is missing.")


def _verdict(cell: str, theirs: Cells, had: Cells, decimals: int, in_order: float) -> str:
    """Return the verdict on a cell among the cells of its column."""
    if cell not in had:
        return "not available"
    printed, here = theirs[cell], had[cell]
    if isinstance(printed, str) or isinstance(here, str):
        return "agrees" if printed == here else "differs"
    if math.isclose(here, printed, rel_tol=0, abs_tol=0.5 * 10**-decimals + 1e-12):
        return "agrees"
    here = round(here, decimals)
    placed = []
    for other, value in theirs.items():
        of_other = had.get(other)
        if value != printed and not isinstance(value, str) and not isinstance(of_other, str) and of_other is not None:
            placed.append((printed - value) * (here - round(of_other, decimals)) > 0)
    return "order only" if placed and sum(placed) >= in_order * len(placed) - 1e-12 else "differs"


def _shown(value: Value | None, decimals: int) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    # Minus zero is zero.
    return f"{round(value, decimals) + 0.0:.{decimals}f}"
