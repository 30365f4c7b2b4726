"""Published numbers beside recomputed ones, with a verdict for each."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from ..parameters import Parameter, Parameters, checked

_PARAMETERS: Parameters = {
    "decimals": Parameter(int, 3, interval="[0, 15]", desc="decimal places that the paper prints"),
    "in_order": Parameter(float, 0.9, interval="(0.5, 1]", desc="share of the other cells for 'order only'"),
    "ordered": Parameter(bool, True, desc="whether the order of the cells matters"),
}

VERDICTS = ("agrees", "order only", "differs", "cannot be had")

_LEGEND = {
    "agrees": "the recomputed number, rounded as in the paper, is the paper's",
    "order only": "another number, but in the paper's order with the other cells of its column",
    "differs": "another number, in another order",
    "cannot be had": "not recomputed, because public data does not allow it",
}


def reproduction(
    paper: str,
    table: str,
    theirs: Mapping[str, float | str],
    ours: Mapping[str, float | str],
    *,
    decimals: int = 3,
    why: str | Mapping[str, str] = "",
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
        The recomputed value of each cell; missing or NaN if it cannot be recomputed.
    decimals : int in [0, 15]
        Decimal places that the paper prints.
    why : str or mapping of str to str
        Why cells do not agree: one reason for all cells, or one by cell.
    in_order : float in (0.5, 1]
        For the verdict "order only": the share of the other cells of the column that must be in the paper's order with
        a cell.
    ordered : bool
        Whether the order of the cells matters. If not, no verdict is "order only".

    Returns
    -------
    DataFrame
        A row for each cell, as text: ``paper``, ``table_or_figure``, ``cell``, ``theirs``, ``ours``, ``verdict`` and
        ``why``. ``.attrs`` has a ``legend`` of the verdicts.

    Raises
    ------
    ValueError
        If a parameter is out of range, ``theirs`` is empty, or ``ours`` has a cell that is not in ``theirs``. Also if
        ``why`` gives no reason for a cell that does not agree.

    Notes
    -----
    Numbers agree if they differ by at most half a unit of the last printed place. Texts agree if they are equal. For
    "order only", a cell is compared with all recomputed cells that are not tied with it in the paper. A tie of
    recomputed values counts as another order. If there are no such cells, the verdict is "differs".

    Examples
    --------
    >>> printed, here = {"RBU": 0.80, "AP": 0.79, "RR": 0.68}, {"RBU": 0.87, "AP": 0.79}
    >>> frame = reproduction("RBU18", "Table 2", printed, here, decimals=2, why="other runs")
    >>> frame[["cell", "theirs", "ours", "why", "verdict"]]
      cell theirs  ours         why        verdict
    0  RBU   0.80  0.87  other runs     order only
    1   AP   0.79  0.79                     agrees
    2   RR   0.68        other runs  cannot be had
    """
    decimals, in_order, ordered = checked(
        "reproduction", _PARAMETERS, decimals=decimals, in_order=in_order, ordered=ordered
    ).values()
    theirs, ours = dict(theirs), dict(ours)
    if not theirs:
        raise ValueError("reproduction: theirs must not be empty.")
    if extra := [cell for cell in ours if cell not in theirs]:
        missing = ", ".join(map(str, extra[:3]))
        raise ValueError(f"reproduction: theirs must have each cell that ours has, but {missing} is missing.")
    had = {cell: value for cell, value in ours.items() if value is not None and value == value}
    rows = []
    for cell, printed in theirs.items():
        verdict = _verdict(cell, theirs, had, decimals, in_order)
        if verdict == "order only" and not ordered:
            verdict = "differs"
        reason = "" if verdict == "agrees" else why if isinstance(why, str) else why.get(cell, "")
        if verdict != "agrees" and not reason:
            raise ValueError(f"reproduction: why must have a reason for {cell!r} of {table}: {verdict}.")
        rows.append(
            (paper, table, str(cell), _shown(printed, decimals), _shown(had.get(cell), decimals), verdict, reason)
        )
    frame = pd.DataFrame(rows, columns=["paper", "table_or_figure", "cell", "theirs", "ours", "verdict", "why"])
    frame.attrs = {"legend": dict(_LEGEND), "decimals": decimals, "in_order": in_order, "ordered": ordered}
    return frame


def _verdict(
    cell: str, theirs: Mapping[str, float | str], had: Mapping[str, float | str], decimals: int, in_order: float
) -> str:
    """Return the verdict on a cell among the cells of its column."""
    if cell not in had:
        return "cannot be had"
    printed, here = theirs[cell], had[cell]
    if isinstance(printed, str) or isinstance(here, str):
        return "agrees" if printed == here else "differs"
    if math.isclose(here, printed, rel_tol=0, abs_tol=0.5 * 10**-decimals + 1e-12):
        return "agrees"
    others = [(value, had[other]) for other, value in theirs.items() if other in had]
    placed = [
        (printed - value) * (here - ours) > 0
        for value, ours in others
        if not isinstance(value, str) and not isinstance(ours, str) and value != printed
    ]
    return "order only" if placed and sum(placed) >= in_order * len(placed) - 1e-12 else "differs"


def _shown(value: float | str | None, decimals: int) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    # Minus zero is zero.
    return f"{round(value, decimals) + 0.0:.{decimals}f}"
