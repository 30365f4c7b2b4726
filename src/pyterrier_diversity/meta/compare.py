"""Significance of the differences between systems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from ..parameters import Parameter, Rng
from .scores import Measures, Scores, differences, read_scores, signs
from .significance_tests import (
    LEVEL,
    TESTS,
    Alternative,
    Design,
    Family,
    Groups,
    Test,
    borderlines,
    corrected,
    design,
    interval,
    mean_interval,
    studentised,
    tested,
    undecided,
)

P = ParamSpec("P")
T = TypeVar("T")

_LEGEND = {
    "measure": "the measure",
    "system": "the first system of the pair",
    "other": "the second system of the pair; the baseline, if there is one",
    "mean": "mean value of the system",
    "mean_low": "lower end of the confidence interval of mean",
    "mean_high": "upper end of the confidence interval of mean",
    "other_mean": "mean value of the other system",
    "other_mean_low": "lower end of the confidence interval of other_mean",
    "other_mean_high": "upper end of the confidence interval of other_mean",
    "difference": "mean minus other_mean",
    "wins": "number of queries on which the system is better",
    "ties": "number of queries on which both are equal",
    "losses": "number of queries on which the other system is better",
    "p": "two-sided p-value: probability of such a difference by chance; 0 means below 1 / n_trials",
    "p_corrected": "p, corrected for the number of pairs of the measure",
    "significant": "whether p_corrected (without a correction, p) is below alpha",
    "undecided": "whether p is so close to alpha that more trials could decide otherwise",
    "effect_size": "mean difference by query over its standard deviation",
    "borderline": "smallest difference of means that would be significant, by the resamples of the pair",
    "ci_low": "lower end of the confidence interval of the difference",
    "ci_high": "upper end of the confidence interval of the difference",
}


def compare(
    perquery: pd.DataFrame,
    test: Test = "tukey-randomised",
    measures: Measures | None = None,
    *,
    baseline: str | Iterable[str] | None = None,
    groups: Groups = "all",
    correction: str | None = None,
    family: Family = "measure",
    alternative: Alternative = "two-sided",
    n_trials: int | None = None,
    alpha: float = 0.05,
    ci: float | None = None,
    rng: Rng = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Test which differences between systems are significant.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name``, ``qid``, ``measure``, ``value``, as from ``pt.Experiment(..., perquery=True)``.
    test : {"tukey-randomised", "tukey", "bootstrap", "t", "wilcoxon", "permutation"}
        Tukey's HSD tests compare all systems together, the others two at a time.
    measures : Measure or str, or iterable of them, optional
        By default, all of the frame.
    baseline : str or iterable of str, optional
        The systems to compare the others with. By default, all pairs are compared.
    groups : {"all", "pairwise"}
        "pairwise" makes an HSD test compare two systems at a time, which is too lenient for many pairs.
    correction : str, optional
        Correction for multiple comparisons, a method of statsmodels' ``multipletests``. Not for HSD tests.
    family : {"measure", "all"}
        Whether to correct the p-values of each measure separately, or all together.
    alternative : {"two-sided", "greater"}
        "greater" asks whether the first system has the higher mean. Not for HSD tests.
    n_trials : int >= 1, optional
        Trials of a randomised test. By default 5,000 (HSD), 1,000 (bootstrap) or 9,999 (permutation).
    alpha : float in (0, 1)
        Significance level.
    ci : float in (0, 1), optional
        Confidence level of the intervals, by default 1 - alpha.
    rng : int or Generator, optional
        Random seed.
    n_jobs : int, optional
        Number of parallel workers, as for joblib.

    Returns
    -------
    DataFrame
        One row for each measure and pair: ``system``, ``other``, both means with Student's intervals, ``difference``,
        ``wins``, ``ties`` (within 1e-12), ``losses``, ``p``, ``p_corrected``, ``significant``, ``undecided`` (random
        trials only: p is within two standard errors of alpha; raise ``n_trials``), ``effect_size`` (mean difference
        over its standard deviation), ``borderline`` (bootstrap only), ``ci_low`` and ``ci_high``.
        ``attrs["legend"]`` describes the columns, ``attrs`` the test. `significance_table` and others take this frame.

    Raises
    ------
    ValueError
        If the frame cannot be read, there are fewer than two systems or queries, a parameter is out of range, or there
        are fewer trials than 1/alpha or 1/(1 - ci).
    TypeError
        If the baseline is neither a name nor a list of names.

    Warns
    -----
    UserWarning
        If queries are left out, because a system has no value for them.

    Notes
    -----
    `meta.significance_tests` defines the tests. All pairs and measures share the same random trials.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Sec. 4.1.

    Carterette (2012). Multiple testing in statistical analysis of systems-based information retrieval experiments. ACM
    Transactions on Information Systems 30(1).

    Examples
    --------
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> result = compare(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "t")
    >>> result[["measure", "system", "other", "difference", "p", "significant"]].round(3)
      measure system other  difference      p  significant
    0     RBU      x     y         0.4  0.002         True
    """
    return _compared(
        "compare",
        _LEGEND,
        perquery,
        test,
        measures,
        baseline=baseline,
        groups=groups,
        correction=correction,
        family=family,
        alternative=alternative,
        n_trials=n_trials,
        alpha=alpha,
        ci=ci,
        rng=rng,
        n_jobs=n_jobs,
    )


def read_compared(
    who: str,
    columns: Collection[str] | Mapping[Test, Collection[str]],
    frame: pd.DataFrame,
    args: Sequence[Any],
    options: Mapping[str, Any],
    *,
    what: str = "perquery",
) -> pd.DataFrame:
    """Return the frame itself if it is from `compare`; otherwise call `compare` with it.

    ``columns`` are the columns to read, or those of each allowed test; other columns that take time are not computed.
    Errors call the frame ``what``. They are a ``TypeError`` if a frame from `compare` comes with ``args`` or
    ``options``, and a ``ValueError`` if a column is missing or the test is not allowed.
    """
    compared = isinstance(frame, pd.DataFrame) and "system" in frame and "qid" not in frame
    if compared and (args or options):
        raise TypeError(f"{who}: {what} is a frame from compare, already tested. Leave out the other parameters.")
    how: dict[Any, Any] = frame.attrs if compared else _called(frame, *args, **options)
    if isinstance(columns, Mapping):
        allowed = Parameter(str, choices=tuple(columns), desc="a test with these columns")
        columns = columns[allowed.check(who, "test", how.get("test"))]
    if not compared:
        return _compared(who, columns, **how)
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"{who}: {what} must be a frame from compare, but the column {', '.join(missing)} is missing.")
    return frame


def _called(*args: Any, **options: Any) -> dict[str, Any]:
    """Return the parameters of a call of `compare` by name, with defaults."""
    call = signature(compare).bind(*args, **options)
    call.apply_defaults()
    return call.arguments


def takes_what(_: Callable[P, T]) -> Callable[[Callable[..., T]], Callable[P, T]]:
    """Tell type checkers and editors that a function takes the parameters of another one."""
    return lambda function: function


def _compared(
    who: str,
    columns: Collection[str],
    perquery: pd.DataFrame,
    test: Test,
    measures: Measures | None,
    *,
    baseline: str | Iterable[str] | None,
    ci: float | None,
    **options: Any,
) -> pd.DataFrame:
    scores = read_scores(perquery, measures)
    how = design(who, scores, test, **options)
    level = how.alpha if ci is None else 1 - LEVEL.check(who, "ci", ci)
    ci = 1 - level if ci is None else float(ci)
    if {"significant", "borderline"} & set(columns):
        _check_trials(who, how, "alpha", how.alpha)
    if "ci_low" in columns:
        _check_trials(who, how, "(1 - ci)", level)
    first, second = _pairs(who, scores, baseline)
    names = np.array(scores.systems, dtype=object)
    attrs = {**how.described(scores), "ci": ci}
    has_intervals = TESTS[test].half_widths is not None
    if baseline is not None:
        attrs["baseline"] = list(dict.fromkeys(names[second]))
    test_has = {
        "p_corrected": how.correction is not None,
        "undecided": TESTS[test].n_trials is not None,
        "borderline": TESTS[test].borderlines is not None,
        "ci_low": has_intervals,
        "ci_high": has_intervals,
    }
    legend = {column: _LEGEND[column] for column in columns if test_has.get(column, True)}
    if "p" in legend and how.alternative == "greater":
        legend["p"] = "one-sided p-value: probability of such a difference by chance"
    if "p_corrected" in legend and how.family == "all":
        legend["p_corrected"] = "p, corrected for the number of pairs of all measures together"
    if how.correction is not None:
        legend |= {column: f"{legend[column]}, not corrected" for column in ("ci_low", "ci_high") if column in legend}
    parts = [_statistics(v, first, second, how, legend.keys(), level) for v in scores.by_measure.values()]
    table = {
        "measure": np.repeat(np.array(scores.measures, dtype=object), len(first)),
        "system": np.tile(names[first], len(parts)),
        "other": np.tile(names[second], len(parts)),
        **{column: np.concatenate([part[column] for part in parts]) for column in parts[0]},
    }
    if "p" in table:
        table |= _decisions(table["p"], len(parts) if how.family == "measure" else 1, len(scores.queries), how)
    result = pd.DataFrame({column: table[column] for column in legend})
    result.attrs = {"legend": legend, **attrs}
    return result


def _check_trials(who: str, how: Design, name: str, level: float) -> None:
    """Refuse trials that are too few to tell whether a p-value is below a level."""
    n = how.draws.n
    if TESTS[how.test].n_trials is not None and signs(np.array(n * level), np.ones(())) < 0:
        raise ValueError(
            f"{who}: n_trials * {name} must be at least 1 for test={how.test!r}, not {n} * {level:g}; use more trials."
        )


def _statistics(
    values: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    how: Design,
    wanted: Set[str],
    level: float,
) -> dict[str, np.ndarray]:
    """Return the columns of a measure's pairs; of those that take time, only the wanted ones."""
    means = values.mean(axis=1)
    mean_low, mean_high = mean_interval(values, level)
    z = differences(values[first], values[second])
    columns = {
        "mean": means[first],
        "mean_low": mean_low[first],
        "mean_high": mean_high[first],
        "other_mean": means[second],
        "other_mean_low": mean_low[second],
        "other_mean_high": mean_high[second],
        "difference": differences(means[first], means[second]),
        "wins": np.count_nonzero(z > 0, axis=1),
        "ties": np.count_nonzero(z == 0, axis=1),
        "losses": np.count_nonzero(z < 0, axis=1),
        "effect_size": studentised(z) / np.sqrt(z.shape[1]),
    }
    if wanted & {"p", "p_corrected", "significant", "ci_low", "ci_high"}:
        p, half_widths = tested(values, first, second, how)
        columns["p"] = p
        if half_widths is not None and wanted & {"ci_low", "ci_high"}:
            columns["ci_low"], columns["ci_high"] = interval(
                columns["difference"], p, half_widths(level), level, how.alternative
            )
    if "borderline" in wanted:
        columns["borderline"] = borderlines(values, first, second, how)
    return columns


def _decisions(p: np.ndarray, n_families: int, n_queries: int, how: Design) -> dict[str, np.ndarray]:
    decisive = p if how.correction is None else corrected(p, how.correction, n_families)
    return {
        "p_corrected": decisive,
        "significant": signs(decisive, np.full(p.shape, how.alpha)) < 0,
        "undecided": undecided(p, decisive, n_families, n_queries, how),
    }


def _pairs(who: str, scores: Scores, baseline: str | Iterable[str] | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of both systems of each pair, in the order of the frame; baselines are second."""
    systems = scores.given
    positions = np.array([scores.systems.index(name) for name in systems])
    if baseline is None:
        first, second = np.triu_indices(len(systems), 1)
        return positions[first], positions[second]
    if not isinstance(baseline, Iterable):
        raise TypeError(f"{who}: baseline must be the name of a system or a list of names, not {baseline!r}.")
    names = list(dict.fromkeys([baseline] if isinstance(baseline, str) else map(str, baseline)))
    unknown = [name for name in names if name not in systems]
    if unknown or not names:
        raise ValueError(f"{who}: baseline must be among the systems {', '.join(systems)}, not {baseline!r}.")
    seconds = [systems.index(name) for name in names]
    # Two baselines are compared once.
    chosen = [(i, j) for at, j in enumerate(seconds) for i in range(len(systems)) if i not in seconds[: at + 1]]
    first, second = positions[np.array(chosen)].T
    return first, second
