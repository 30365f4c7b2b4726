"""Discriminative power: how many pairs of systems differ significantly, and how large a difference that takes."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..scores import described
from .compare import compare, read_compared, takes_what
from .tests import TESTS

# The tests with a required difference, and the columns from which it is computed.
_DELTA = {
    name: ("measure", "difference", "significant") if test.of_all else ("measure", "borderline")
    for name, test in TESTS.items()
    if test.of_all or name == "bootstrap"
}

_PAIR = ["system", "other"]

_LEGEND = {
    "pairs": "number of pairs of systems",
    "significant": "number of pairs that differ significantly",
    "share": "significant over pairs: the discriminative power",
    "delta": "smallest significant difference of two systems' means; NaN if no pair differs significantly",
    "rank": "place of the pair, from 1, the highest asl first",
    "other": "the second system of the pair",
    "asl": "achieved significance level: the p-value",
}
_OVERLAP = {
    "measure": "a measure of the first table",
    "other_measure": "a measure of the second table",
    "first_only": "number of pairs that differ significantly only by the first measure",
    "both": "number of pairs that differ significantly by both measures",
    "second_only": "number of pairs that differ significantly only by the second measure",
}


@takes_what(compare)
def discriminative_power(perquery: pd.DataFrame, *args: Any, **options: Any) -> pd.DataFrame:
    """Count the pairs of systems that differ significantly by each measure.

    Parameters
    ----------
    perquery : DataFrame
        A per-query frame as for `compare`, or the frame that `compare` returned.
    *args, **options
        The other parameters of `compare`, for a per-query frame.

    Returns
    -------
    DataFrame
        A row for each measure: ``measure``, ``pairs``, ``significant`` (number of pairs) and ``share`` in [0, 1], the
        discriminative power. ``attrs`` describes the columns and the test.

    Raises
    ------
    ValueError, TypeError
        As in `compare`, which may also warn; or if parameters are given for a frame that `compare` returned.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Tables 2 and 3.

    Examples
    --------
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3], "z": [0.1, 0.5, 0.4, 0.4]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> discriminative_power(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "t").round(3)
      measure  pairs  significant  share
    0     RBU      3            2  0.667
    """
    compared = read_compared("discriminative_power", ("measure", "significant"), perquery, args, options)
    significant = compared.groupby("measure", sort=False)["significant"]
    found = significant.agg(pairs="size", significant="sum", share="mean").reset_index()
    return described(found, _LEGEND, _test(compared))


@takes_what(compare)
def delta_required(perquery: pd.DataFrame, *args: Any, **options: Any) -> pd.DataFrame:
    """Estimate how large the difference of two systems' means must be to be significant, for each measure.

    Parameters
    ----------
    perquery : DataFrame
        A per-query frame as for `compare`, or the frame that `compare` returned. The test must be "tukey-randomised",
        "tukey" or "bootstrap".
    *args, **options
        The other parameters of `compare`, for a per-query frame.

    Returns
    -------
    DataFrame
        A row for each measure: ``measure`` and ``delta``. With an HSD test, this is the smallest significant
        difference, or NaN if there is none. With the bootstrap, it is the largest ``borderline`` of a pair. ``attrs``
        describes the columns and the test.

    Raises
    ------
    ValueError, TypeError
        As in `compare`, which may also warn. Also if parameters are given for a frame that `compare` returned, if the
        test is another one, or if the bootstrap has a correction.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Figs. 3 and 5.

    Examples
    --------
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3], "z": [0.1, 0.5, 0.4, 0.4]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> delta_required(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "tukey")
      measure  delta
    0     RBU  0.375
    """
    who = "delta_required"
    compared = read_compared(who, _DELTA, perquery, args, options)
    how = compared.attrs
    if TESTS[how["test"]].of_all is None:
        if "correction" in how:
            raise ValueError(
                f"{who}: correction must be None with the bootstrap, because borderline differences are not corrected."
            )
        delta = compared.groupby("measure", sort=False)["borderline"].max()
    else:
        deltas = compared["difference"].abs().where(compared["significant"])
        delta = deltas.groupby(compared["measure"], sort=False).min()
    return described(delta.rename("delta").reset_index(), _LEGEND, _test(compared))


@takes_what(compare)
def asl_curve(perquery: pd.DataFrame, *args: Any, **options: Any) -> pd.DataFrame:
    """Sort the pairs of systems by p-value for each measure: the lower the curve, the more discriminative the measure.

    Parameters
    ----------
    perquery : DataFrame
        A per-query frame as for `compare`, or the frame that `compare` returned.
    *args, **options
        The other parameters of `compare`, for a per-query frame.

    Returns
    -------
    DataFrame
        A row for each measure and pair: ``measure``, ``rank`` (from 1), ``system``, ``other`` and ``asl``, the achieved
        significance level in [0, 1], highest first. ``attrs`` describes the columns and the test, without a correction,
        as these p-values are not corrected.

    Raises
    ------
    ValueError, TypeError
        As in `compare`, which may also warn; or if parameters are given for a frame that `compare` returned.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Figs. 8 and 9.

    Examples
    --------
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3], "z": [0.1, 0.5, 0.4, 0.4]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> asl_curve(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "t").round(3)
      measure  rank system other    asl
    0     RBU     1      y     z  0.638
    1     RBU     2      x     z  0.009
    2     RBU     3      x     y  0.002
    """
    columns = ["measure", *_PAIR, "p"]
    compared = read_compared("asl_curve", columns, perquery, args, options)
    order = np.lexsort((-compared["p"], pd.factorize(compared["measure"])[0]))
    curve = compared.iloc[order][columns].rename(columns={"p": "asl"}).reset_index(drop=True)
    curve.insert(1, "rank", curve.groupby("measure", sort=False).cumcount() + 1)
    # The level of corrected p-values is not one for these.
    without = ("alpha", "correction", "family") if "correction" in compared.attrs else ()
    return described(curve, _LEGEND, _test(compared, without))


def overlap(first: pd.DataFrame, second: pd.DataFrame | None = None, **options: Any) -> pd.DataFrame:
    """Count the significant differences that two measures, or two tests, have in common.

    Parameters
    ----------
    first : DataFrame
        The frame that `compare` returned, or a per-query frame as for `compare`.
    second : DataFrame, optional
        Another such frame with the same pairs of systems, for instance from another test. By default, the measures of
        the first frame are compared with each other.
    **options
        The other parameters of `compare`, for per-query frames.

    Returns
    -------
    DataFrame
        One row for each measure of the first frame and each of the second, or for every two measures of a single frame:
        ``measure``, ``other_measure``, and the numbers of pairs of systems that differ significantly by the first
        (``first_only``), by ``both``, and by the second (``second_only``). ``attrs`` describes the columns.

    Raises
    ------
    ValueError, TypeError
        As in `compare`. Also if parameters are given although `compare` returned all frames, a column is missing, a
        pair appears twice, or the measures have different pairs of systems.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Table 4.

    Examples
    --------
    >>> rows = [("P", "x", "y", True), ("P", "x", "z", True), ("AP", "x", "y", True), ("AP", "z", "x", False)]
    >>> overlap(pd.DataFrame(rows, columns=["measure", "system", "other", "significant"]))
      measure other_measure  first_only  both  second_only
    0       P            AP           1     1            0
    """
    one = _decisions(first, "first", options)
    two = one if second is None else _decisions(second, "second", options)
    rows = []
    for i, (measure, here) in enumerate(one.items()):
        for other, there in list(two.items())[i + 1 if second is None else 0 :]:
            if here.keys() != there.keys():
                raise ValueError(f"overlap: {measure} and {other} must have the same pairs of systems.")
            found = [(here[pair], there[pair]) for pair in here]
            rows.append((measure, other, *map(found.count, [(True, False), (True, True), (False, True)])))
    return described(pd.DataFrame(rows, columns=list(_OVERLAP)), _OVERLAP, {})


def _decisions(frame: pd.DataFrame, what: str, options: Mapping[str, Any]) -> dict[str, dict[frozenset[str], bool]]:
    """Return, for each measure, whether each pair differs significantly."""
    columns = ["measure", *_PAIR, "significant"]
    compared = read_compared("overlap", columns, frame, (), options, what=what)
    decisions: dict[str, dict[frozenset[str], bool]] = {}
    for measure, *pair, significant in compared[columns].itertuples(index=False):
        of_measure = decisions.setdefault(str(measure), {})
        if frozenset(pair) in of_measure:
            twice = f"{' and '.join(pair)} twice for {measure}"
            raise ValueError(f"overlap: {what} must have each pair of systems once, but has {twice}.")
        of_measure[frozenset(pair)] = bool(significant)
    return decisions


def _test(compared: pd.DataFrame, without: Collection[str] = ()) -> dict[Hashable, Any]:
    """Return the attributes of a comparison that describe its test, except for those in ``without``."""
    return {name: what for name, what in compared.attrs.items() if name not in ("legend", "ci", "signatures", *without)}
