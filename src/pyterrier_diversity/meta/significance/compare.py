"""Significance of the differences between systems."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from ...evaluate.perquery import told_of_missing
from ...frames import give, warn
from ...io import read_perquery
from ...measures import parse, signature
from ...measures.parse import higher_is_better, value_range
from ...parameters import LEVEL
from ...progress import progress
from ...randomness import Rng
from ...warnings import SignificanceWarning
from ..scores import Measures, outcomes, read_scores, rounded, with_legend
from .tests import Alternative, Design, Grouping, Test, adjusted, design, mean_interval, studentised, tested

_MEANS = ("mean", "mean_low", "mean_high", "other_mean", "other_mean_low", "other_mean_high")
_TESTED = ("difference", "wins", "ties", "losses", "p", "p_corrected", "significant", "effect_size")
_OF_PAIRS = ("measure", "name", "other", *_MEANS, *_TESTED, "borderline", "ci_low", "ci_high")


def compare(
    perquery: Any,
    test: Test = "tukey-randomised",
    measures: Measures | None = None,
    *,
    baseline: str | Iterable[str] | None = None,
    groups: Grouping = "all",
    correction: str | None = None,
    alternative: Alternative = "two-sided",
    n_trials: int | None = None,
    alpha: float = 0.05,
    ci: float | None = None,
    rng: Rng = None,
) -> pd.DataFrame:
    """Test which differences between systems are significant.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    test : {"tukey-randomised", "tukey", "bootstrap", "t", "wilcoxon", "permutation"}
        Tukey's HSD tests compare all systems together, the others two at a time.
    measures : Measure or str, or iterable of them, optional
        By default, all measures in the frame.
    baseline : str or iterable of str, optional
        The systems to compare the others with. By default, all pairs are compared.
    groups : {"all", "pairwise"}
        "pairwise" makes an HSD test compare two systems at a time, which is too lenient for many pairs.
    correction : str, optional
        Correction for multiple comparisons, a method of statsmodels' ``multipletests``, of the pairs of each measure.
        Not for HSD tests.
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

    Returns
    -------
    DataFrame
        One row for each measure and pair of systems.

        - ``measure``: the measure
        - ``name``: the first system of the pair
        - ``other``: the second system of the pair; the baseline, if there is one
        - ``mean``: mean value of the system
        - ``mean_low``: lower end of the confidence interval of ``mean``
        - ``mean_high``: upper end of the confidence interval of ``mean``
        - ``other_mean``: mean value of the other system
        - ``other_mean_low``: lower end of the confidence interval of ``other_mean``
        - ``other_mean_high``: upper end of the confidence interval of ``other_mean``
        - ``difference``: ``mean`` minus ``other_mean``
        - ``wins``: number of queries on which the system is better
        - ``ties``: number of queries on which both are equal
        - ``losses``: number of queries on which the other system is better
        - ``p``: p-value: probability of a difference this large by chance; 0 means below 1 / ``n_trials``
        - ``p_corrected`` (with ``correction``): ``p``, corrected for the number of pairs of the measure
        - ``significant``: whether ``p_corrected`` (without a correction, ``p``) is below ``alpha``
        - ``effect_size``: mean difference by query over its standard deviation
        - ``borderline`` (bootstrap only): smallest difference of means that would be significant, by the resamples of
          the pair
        - ``ci_low``: lower end of the confidence interval of the difference, not corrected
        - ``ci_high``: upper end of the confidence interval of the difference, not corrected

        The intervals of means are Student's, and NaN where all values are equal. Intervals are cut off at what the
        measure's range allows. If ``n_trials`` are random, p has the standard error sqrt(p (1 - p) / n_trials): near
        alpha, more of them could decide otherwise.
        ``attrs["legend"]`` describes the columns, ``attrs["signatures"]`` the measures, and ``attrs`` the test;
        ``attrs["smallest_p"]`` is the smallest p-value that it can reach with these numbers of systems and queries, and
        ``attrs["bounds"]`` (corrected random trials only) what a ``p_corrected`` of 0 is below, by measure.
        `significance_table` and others take this frame.

    Raises
    ------
    ValueError
        If the frame cannot be read, there are fewer than two systems or queries, a parameter is out of range, or there
        are fewer trials than 1/alpha or 1/(1 - ci).
    TypeError
        If the baseline is neither a name nor a list of names.

    Warns
    -----
    MissingWarning, SignificanceWarning
        If queries are left out, because a system has no value for them, or no difference could be significant. Also if
        runs of `evaluate_runs` answer different queries.

    Notes
    -----
    `meta.significance.tests` defines the tests. All pairs and measures share the same random trials.
    ``joblib.parallel_config(n_jobs=4)`` gives them workers.

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
    >>> result[["measure", "name", "other", "difference", "p", "significant"]].round(3)
      measure name other  difference      p  significant
    0     RBU    x     y         0.4  0.002         True
    """
    who, perquery = "compare", read_perquery(perquery)
    scores = read_scores(perquery, measures, two=["systems", "queries"], who=who)
    how = design(who, scores, n_trials, correction, rng, test=test, groups=groups, alternative=alternative, alpha=alpha)
    level, ci = (how.alpha, 1 - how.alpha) if ci is None else (1 - LEVEL.check(who, "ci", ci), float(ci))
    for name, outside in (("alpha", how.alpha), ("(1 - ci)", level)):
        if how.is_random and np.round(how.n_trials * outside, 10) < 1:
            least = f"{np.ceil(np.round(1 / outside, 10)):.0f} for test={how.test!r} and {name} = {outside:g}"
            raise ValueError(f"{who}: n_trials must be at least {least}, not {how.n_trials}.")
    how = how._replace(level=level)
    first, second = scores.pairs(who, baseline)
    measures_left = progress(list(scores.by_measure.items()), how.test, unit="measure")
    means = scores.means
    parts = [_statistics(name, values, means[name], first, second, how) for name, values in measures_left]
    table = scores.table(parts, first, second)
    decisive = adjusted(table["p"].to_numpy(), correction, len(parts))
    table["significant"] = rounded(decisive) < rounded(how.alpha)
    if correction is not None:
        table["p_corrected"] = decisive
    attrs = {**how.attributes(scores), "n_pairs": len(first), "ci": ci}
    attrs["signatures"] = _signatures(scores.measures, perquery.attrs.get("signatures", {}))
    attrs |= {} if baseline is None else {"baseline": table["other"].unique().tolist()}
    attrs |= _bounds(table, how, len(parts))
    chosen = table[[column for column in _OF_PAIRS if column in table]]
    result = with_legend(chosen, compare, {**attrs, "smallest_p": how.smallest_p(*scores.sizes.values())})
    if hopeless := why_none_is_significant(result):
        warn(SignificanceWarning(f"{who}: {hopeless}"))
    missing = perquery.attrs.get("missing", {})
    give(
        told_of_missing({name: missing.get(name, ()) for name in scores.systems}, set(scores.queries), scores.measures)
    )
    return result


def _signatures(measures: Iterable[str], given: Mapping[str, str]) -> dict[str, str]:
    """Return how each measure was computed, as far as that is known."""
    found = {}
    for name in measures:
        with suppress(ValueError):  # a name of somebody else's measure
            found[name] = given.get(name) or signature(parse(name))
    return found


def refuse_incomplete(who: str, compared: Any, needed: Collection[str]) -> None:
    """Raise a ``ValueError`` unless ``compared`` is a frame with rows and these columns of `compare`."""
    missing = [column for column in needed if column not in getattr(compared, "columns", ())]
    if missing or compared.empty:
        why = f"the column {', '.join(missing)} is missing" if missing else "it has no rows"
        raise ValueError(f"{who}: compared must be a frame from compare, but {why}.")


def why_none_is_significant(compared: pd.DataFrame) -> str:
    """Return why no values could make a difference significant, as a sentence; an empty string if some could."""
    how, n_pairs = compared.attrs, len(compared) // compared["measure"].nunique()
    decisive = adjusted(np.full(n_pairs, how["smallest_p"]), how.get("correction")).min()
    if rounded(decisive) < rounded(how["alpha"]):
        return ""
    more = f" ({decisive:.4g} when it is corrected for {n_pairs} pairs)" if "correction" in how else ""
    least = f"the smallest possible p-value is {how['smallest_p']:.4g}{more}"
    return (
        f"no difference can be significant with {how['n_queries']} queries at alpha = {how['alpha']:g}: "
        f"{least if how['smallest_p'] else 'p-values are rounded to ten decimal places'}. meta.topics_needed estimates "
        "how many queries are needed."
    )


def _bounds(table: pd.DataFrame, how: Design, n_measures: int) -> dict[Hashable, dict[str, float]]:
    """Return the attribute that says what a corrected p-value of 0 is below, by measure: p is below 1/B in B trials."""
    if "p_corrected" not in table or not how.is_random:
        return {}
    none = (table["p"] == 0).to_numpy()
    bounds = adjusted(table["p"].mask(none, 1 / how.n_trials).to_numpy(), how.correction, n_measures)
    return {"bounds": dict(zip(table["measure"][none], bounds[none].tolist(), strict=True))}


def _statistics(
    measure: str, values: np.ndarray, means: np.ndarray, first: np.ndarray, second: np.ndarray, how: Design
) -> dict[str, np.ndarray]:
    """Return the columns of the pairs of a measure."""
    bounds, sign = value_range(measure), 1 if higher_is_better(measure) else -1
    low, high = mean_interval(values, means, bounds, how.level)
    z, difference = rounded(values[first] - values[second]), means[first] - means[second]
    p, half_width, borderline = tested(values, first, second, how)
    columns: dict[str, np.ndarray] = {}
    for name, at in (("mean", first), ("other_mean", second)):
        columns |= {name: means[at], f"{name}_low": low[at], f"{name}_high": high[at]}
    columns |= {
        "difference": np.where(rounded(difference) == 0, 0.0, difference),
        **outcomes(sign * z),
        "effect_size": studentised(z) / np.sqrt(z.shape[1]),
        "p": p,
    }
    if half_width is not None:
        most = bounds[1] - bounds[0]
        # Added, 0 makes a negative zero positive.
        ends = np.clip(_interval(columns["difference"], p, half_width, how), -most, most) + 0.0
        columns["ci_low"], columns["ci_high"] = ends
    return columns if borderline is None else columns | {"borderline": borderline}


def _interval(difference: np.ndarray, p: np.ndarray, half_widths: np.ndarray, how: Design) -> np.ndarray:
    """Return both ends of the interval of each difference; the interval excludes 0 if and only if p is below the level.

    With the alternative "greater", the upper end is infinite. The ends are corrected where rounding would contradict p.
    """
    size = how.sided(difference)
    near, far = size - half_widths, size + half_widths
    outside = rounded(p) < rounded(how.level)
    near = np.where(outside, np.maximum(near, np.finfo(float).tiny), np.minimum(near, 0.0))
    if how.alternative == "greater":
        return np.array([near, np.full(p.shape, np.inf)])
    return np.where(difference >= 0, [near, far], [-far, -near])
