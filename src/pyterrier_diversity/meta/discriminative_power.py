"""Discriminative power: how many pairs of systems a measure tells apart, and how large a difference this takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeVar

import numpy as np
import pandas as pd

from ..parameters import Parameter, Rng
from .pairs import HSD, Design, Groups, Test, borderlines, decide, design, differences, p_values, pairs_of
from .scores import Scores, read_scores

T = TypeVar("T")

DELTA_TEST = Parameter(
    str, choices=("tukey-randomised", "tukey", "bootstrap"), desc="a test with a required difference"
)

_PAIR = ["system", "other"]

_LEGENDS = {
    "discriminative_power": {
        "measure": "the measure",
        "pairs": "number of pairs of systems",
        "significant": "number of pairs that differ significantly",
        "share": "significant over pairs: the discriminative power",
    },
    "delta_required": {
        "measure": "the measure",
        "delta": "difference of two systems' means that significance takes; NaN if no pair differs significantly",
    },
    "asl_curve": {
        "measure": "the measure",
        "rank": "place of the pair, from 1, the highest asl first",
        "system": "the first system of the pair",
        "other": "the second system of the pair",
        "asl": "achieved significance level: the p-value",
    },
    "overlap": {
        "measure": "a measure of the first table",
        "other_measure": "a measure of the second table",
        "first_only": "number of pairs that differ significantly by the first only",
        "both": "number of pairs that differ significantly by both",
        "second_only": "number of pairs that differ significantly by the second only",
    },
}


def discriminative_power(
    perquery: pd.DataFrame,
    test: Test = "tukey-randomised",
    measures: Iterable[object] | None = None,
    *,
    groups: Groups = "all",
    correction: str | None = None,
    n_trials: int | None = None,
    alpha: float = 0.05,
    rng: Rng = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Count the pairs of systems that differ significantly by each measure.

    Parameters
    ----------
    perquery, test, measures, groups, correction, n_trials, alpha, rng, n_jobs
        As for `compare`, which has the same p-values for the same ``rng``.

    Returns
    -------
    DataFrame
        A row for each measure: ``measure``, ``pairs``, ``significant`` (pairs) and their ``share`` in [0, 1], the
        discriminative power. ``attrs`` says what each column is, how the test was made and of how many systems and
        queries.

    Raises
    ------
    ValueError
        As `compare`.

    Warns
    -----
    UserWarning
        If systems lack queries, which are left out for all of them, with their count.

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
    who = "discriminative_power"
    scores = read_scores(perquery, measures)
    how = design(
        who,
        scores,
        test,
        groups=groups,
        n_trials=n_trials,
        alpha=alpha,
        correction=correction,
        rng=rng,
        n_jobs=n_jobs,
    )
    first, second = pairs_of(who, scores.systems)
    decisions = _each(_significant, scores, first, second, how)
    rows = [(measure, len(first), int(found.sum()), found.mean()) for measure, found in decisions.items()]
    return _table(who, rows, scores, how)


def delta_required(
    perquery: pd.DataFrame,
    test: Literal["tukey-randomised", "tukey", "bootstrap"] = "tukey-randomised",
    measures: Iterable[object] | None = None,
    *,
    groups: Groups = "all",
    n_trials: int | None = None,
    alpha: float = 0.05,
    rng: Rng = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    r"""Estimate the difference between two systems' means that significance takes, by each measure.

    Parameters
    ----------
    perquery, measures, groups, n_trials, alpha, rng, n_jobs
        As for `compare`, which has the same p-values for the same ``rng``.
    test : {"tukey-randomised", "tukey", "bootstrap"}
        HSD: the smallest difference that is significant. Bootstrap: the largest borderline difference of a pair, which
        is :math:`|\bar w^*|` of the resample with the :math:`B\alpha`-th largest :math:`|t(w^*)|`; the largest one
        where several share this place.

    Returns
    -------
    DataFrame
        A row for each measure: ``measure``, ``delta``, which is NaN if no pair differs significantly by an HSD test.
        ``attrs`` says what each column is, how the test was made and of how many systems and queries.

    Raises
    ------
    ValueError
        As `compare`; if the test is another; if there are fewer than 1/alpha trials of the bootstrap.

    Warns
    -----
    UserWarning
        If systems lack queries, which are left out for all of them, with their count.

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
    DELTA_TEST.check(who, "test", test)
    scores = read_scores(perquery, measures)
    how = design(who, scores, test, groups=groups, n_trials=n_trials, alpha=alpha, rng=rng, n_jobs=n_jobs)
    first, second = pairs_of(who, scores.systems)
    delta = _smallest_significant if test in HSD else _largest_borderline
    return _table(who, _each(delta, scores, first, second, how).items(), scores, how)


def asl_curve(
    perquery: pd.DataFrame,
    test: Test = "tukey-randomised",
    measures: Iterable[object] | None = None,
    *,
    groups: Groups = "all",
    n_trials: int | None = None,
    rng: Rng = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Sort the pairs of systems by their p-values, by each measure: the lower its curve, the more it tells apart.

    Parameters
    ----------
    perquery, test, measures, groups, n_trials, rng, n_jobs
        As for `compare`, which has the same p-values for the same ``rng``.

    Returns
    -------
    DataFrame
        A row for each measure and pair: ``measure``, ``rank`` (from 1), ``system``, ``other`` and ``asl``, the achieved
        significance level in [0, 1], highest first. ``attrs`` says what each column is, how the test was made and of
        how many systems and queries.

    Raises
    ------
    ValueError
        As `compare`.

    Warns
    -----
    UserWarning
        If systems lack queries, which are left out for all of them, with their count.

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
    who = "asl_curve"
    scores = read_scores(perquery, measures)
    how = design(who, scores, test, groups=groups, n_trials=n_trials, rng=rng, n_jobs=n_jobs)
    first, second = pairs_of(who, scores.systems)
    rows: list[tuple[object, ...]] = []
    for measure, p in _each(p_values, scores, first, second, how).items():
        order = np.argsort(-p, kind="stable")
        rows += [
            (measure, rank, scores.systems[first[i]], scores.systems[second[i]], p[i])
            for rank, i in enumerate(order, 1)
        ]
    result = _table(who, rows, scores, how)
    del result.attrs["alpha"]
    return result


def overlap(first: pd.DataFrame, second: pd.DataFrame | None = None) -> pd.DataFrame:
    """Count the significant differences that two measures, or two tests, have in common.

    Parameters
    ----------
    first : DataFrame
        A table of `compare`.
    second : DataFrame, optional
        Another one, such as of another test, on the same pairs of systems; if omitted, the measures of the first are
        compared with each other.

    Returns
    -------
    DataFrame
        A row for each measure of the first table with each of the second, or for every two measures of the only one:
        ``measure``, ``other_measure``, and how many pairs of systems differ significantly by the ``first_only``, by
        ``both`` and by the ``second_only``, whichever system is better. ``attrs`` says what each column is.

    Raises
    ------
    ValueError
        If a column is missing, a pair is there twice, or the measures are not on the same pairs of systems.

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
    ours = _decisions(first, "first")
    theirs = ours if second is None else _decisions(second, "second")
    rows = []
    for i, (measure, here) in enumerate(ours.items()):
        for other, there in list(theirs.items())[i + 1 if second is None else 0 :]:
            if here.keys() != there.keys():
                raise ValueError(f"overlap: {measure} and {other} must be on the same pairs of systems.")
            by_us, by_them = ({pair for pair, significant in by.items() if significant} for by in (here, there))
            rows.append((measure, other, len(by_us - by_them), len(by_us & by_them), len(by_them - by_us)))
    legend = _LEGENDS["overlap"]
    result = pd.DataFrame(rows, columns=list(legend))
    result.attrs = {"legend": dict(legend)}
    return result


def _decisions(compared: pd.DataFrame, what: str) -> dict[str, dict[frozenset[str], bool]]:
    """Return, for each measure, whether each pair differs significantly."""
    missing = [column for column in ("measure", *_PAIR, "significant") if column not in compared]
    if missing:
        raise ValueError(f"overlap: {what} must be a table of compare, but has no column {', '.join(missing)}.")
    decisions: dict[str, dict[frozenset[str], bool]] = {}
    for measure, *pair, significant in compared[["measure", *_PAIR, "significant"]].itertuples(index=False):
        of_measure = decisions.setdefault(str(measure), {})
        if frozenset(pair) in of_measure:
            raise ValueError(
                f"overlap: {what} must have each pair once, but has {' and '.join(pair)} again ({measure})."
            )
        of_measure[frozenset(pair)] = bool(significant)
    return decisions


def _each(
    function: Callable[[np.ndarray, np.ndarray, np.ndarray, Design], T],
    scores: Scores,
    first: np.ndarray,
    second: np.ndarray,
    how: Design,
) -> dict[str, T]:
    return {measure: function(values, first, second, how) for measure, values in scores.by_measure.items()}


def _significant(values: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design) -> np.ndarray:
    return decide(p_values(values, first, second, how), how)[1]


def _smallest_significant(values: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design) -> float:
    means = values.mean(axis=1)
    deltas = np.abs(differences(means[first], means[second]))[_significant(values, first, second, how)]
    return float(deltas.min()) if deltas.size else float("nan")


def _largest_borderline(values: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design) -> float:
    return float(borderlines(values, first, second, how).max())


def _table(who: str, rows: Iterable[tuple[object, ...]], scores: Scores, how: Design) -> pd.DataFrame:
    legend = _LEGENDS[who]
    result = pd.DataFrame(rows, columns=list(legend))
    result.attrs = {"legend": dict(legend), **how.described(scores)}
    return result
