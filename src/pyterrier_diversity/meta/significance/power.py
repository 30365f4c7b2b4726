"""Power: how many differences tests find, how many of them by chance, and how many topics they need."""

from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterable, Mapping
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from ...parameters import LEVEL, POSITIVE, Parameter, Parameters, checked
from ..scores import Measures, read_scores, rounded, with_legend
from .compare import refuse_incomplete
from .tests import TESTS

# Give up at this number of topics, and at so many steps of the difference, in standard deviations.
_MOST_TOPICS, _MOST_STEPS, _STEP = 10**6, 10**18, 1e-12
_PLAN: Parameters = {
    "power": LEVEL,
    "alpha": LEVEL,
    "delta": Parameter(float, interval=POSITIVE),
    "n": Parameter(int, interval=f"[2, {_MOST_TOPICS}]"),
}

# From this noncentrality of t on, the power is 1.
_FARTHEST = 1e6

_PAIR = ["name", "other"]


def discriminative_power(compared: pd.DataFrame) -> pd.DataFrame:
    """Count the pairs of systems that differ significantly by each measure.

    Parameters
    ----------
    compared : DataFrame
        The frame from `compare`. Not changed.

    Returns
    -------
    DataFrame
        One row for each measure.

        - ``measure``: the measure
        - ``pairs``: number of pairs of systems
        - ``significant``: number of pairs that differ significantly
        - ``share`` in [0, 1]: ``significant`` over ``pairs``: the discriminative power

        ``attrs`` describes the columns and the test.

    Raises
    ------
    ValueError
        If a column is missing.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Tables 2 and 3.

    Examples
    --------
    >>> from pyterrier_diversity.meta import compare
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3], "z": [0.1, 0.5, 0.4, 0.4]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> compared = compare(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "t")
    >>> table = discriminative_power(compared)
    >>> table.round(3)
      measure  pairs  significant  share
    0     RBU      3            2  0.667

    A picture, with matplotlib:

    >>> ax = table.plot.barh("measure", "share")
    """
    refuse_incomplete("discriminative_power", compared, ("measure", "significant"))
    significant = compared.groupby("measure", sort=False)["significant"]
    found = significant.agg(pairs="size", significant="sum", share="mean").reset_index()
    return with_legend(found, discriminative_power, _test_of(compared))


def delta_required(compared: pd.DataFrame) -> pd.DataFrame:
    """Estimate how large the difference of two systems' means must be to be significant, for each measure.

    Parameters
    ----------
    compared : DataFrame
        The frame from `compare`, with the test "tukey-randomised", "tukey" or "bootstrap". Not changed.

    Returns
    -------
    DataFrame
        One row for each measure.

        - ``measure``: the measure
        - ``delta``: smallest significant difference of two systems' means; NaN if no pair differs significantly

        With the bootstrap, ``delta`` is the largest ``borderline`` of a pair. ``attrs`` describes the columns and the
        test.

    Raises
    ------
    ValueError
        If a column is missing, the test is another one, or the bootstrap has a correction.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Figs. 3 and 5.

    Examples
    --------
    >>> from pyterrier_diversity.meta import compare
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3], "z": [0.1, 0.5, 0.4, 0.4]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> table = delta_required(compare(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "tukey"))
    >>> table
      measure  delta
    0     RBU  0.375

    A picture, with matplotlib:

    >>> ax = table.plot.barh("measure", "delta")
    """
    who = "delta_required"
    refuse_incomplete(who, compared, ("measure", "difference", "significant"))
    of_all = [name for name, test in TESTS.items() if test.of_all is not None]
    is_hsd = Parameter(str, choices=(*of_all, "bootstrap")).check(who, "test", compared.attrs.get("test")) in of_all
    if not is_hsd and "correction" in compared.attrs:
        raise ValueError(
            f"{who}: correction must be None with the bootstrap, because borderline differences are not corrected."
        )
    deltas = compared["difference"].abs().where(compared["significant"]) if is_hsd else compared["borderline"]
    delta = deltas.groupby(compared["measure"], sort=False).agg("min" if is_hsd else "max")
    return with_legend(delta.rename("delta").reset_index(), delta_required, _test_of(compared))


def asl_curve(compared: pd.DataFrame) -> pd.DataFrame:
    """Sort the pairs of systems by p-value for each measure: the lower the curve, the more discriminative the measure.

    Parameters
    ----------
    compared : DataFrame
        The frame from `compare`. Not changed.

    Returns
    -------
    DataFrame
        One row for each measure and pair.

        - ``measure``: the measure
        - ``rank``: place of the pair, from 1, the highest ``asl`` first
        - ``name``: the first system of the pair
        - ``other``: the second system of the pair
        - ``asl`` in [0, 1]: achieved significance level: the p-value

        ``attrs`` describes the columns and the test, without a correction, as these p-values are not corrected.

    Raises
    ------
    ValueError
        If a column is missing.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Figs. 8 and 9.

    Examples
    --------
    >>> from pyterrier_diversity.meta import compare
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3], "z": [0.1, 0.5, 0.4, 0.4]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> curve = asl_curve(compare(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "t"))
    >>> curve.round(3)
      measure  rank name other    asl
    0     RBU     1    y     z  0.638
    1     RBU     2    x     z  0.009
    2     RBU     3    x     y  0.002

    A picture with a line for each measure:

    >>> ax = curve.pivot(index="rank", columns="measure", values="asl").plot(marker="o")
    """
    columns = ["measure", *_PAIR, "p"]
    refuse_incomplete("asl_curve", compared, columns)
    order = np.lexsort((-compared["p"], pd.factorize(compared["measure"])[0]))
    curve = compared.iloc[order][columns].rename(columns={"p": "asl"}).reset_index(drop=True)
    curve.insert(1, "rank", curve.groupby("measure", sort=False).cumcount() + 1)
    # The level of corrected p-values is not one for these.
    without = ("alpha", "correction") if "correction" in compared.attrs else ()
    return with_legend(curve, asl_curve, _test_of(compared, without))


def overlap(compared: pd.DataFrame) -> pd.DataFrame:
    """Count the significant differences that two measures have in common.

    Parameters
    ----------
    compared : DataFrame
        The frame from `compare`. Not changed. To compare two tests, concatenate their frames, with another name of the
        measure in one of them.

    Returns
    -------
    DataFrame
        One row for every two measures.

        - ``measure``: the first measure
        - ``other_measure``: the second measure
        - ``first_only``: number of pairs that differ significantly only by the first measure
        - ``both``: number of pairs that differ significantly by both measures
        - ``second_only``: number of pairs that differ significantly only by the second measure

        ``attrs`` describes the columns.

    Raises
    ------
    ValueError
        If a column is missing, the frame has no rows, a pair appears twice, or the measures have different pairs of
        systems.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Table 4.

    Examples
    --------
    >>> rows = [("P", "x", "y", True), ("P", "x", "z", True), ("AP", "x", "y", True), ("AP", "z", "x", False)]
    >>> overlap(pd.DataFrame(rows, columns=["measure", "name", "other", "significant"]))
      measure other_measure  first_only  both  second_only
    0       P            AP           1     1            0
    """
    columns = ["measure", *_PAIR, "significant"]
    refuse_incomplete("overlap", compared, columns)
    frame = compared[columns].assign(pair=compared[_PAIR].apply(frozenset, axis=1))
    for measure, name, other, *_ in frame[frame.duplicated(["measure", "pair"])].itertuples(index=False):
        twice = f"{name} and {other} twice for {measure}"
        raise ValueError(f"overlap: compared must have each pair of systems once, but has {twice}.")
    groups = frame.set_index("pair").groupby("measure", sort=False)["significant"]
    rows = []
    for (measure, here), (other, there) in combinations(groups, 2):
        if {*here.index} != {*there.index}:
            raise ValueError(f"overlap: {measure!s} and {other!s} must have the same pairs of systems.")
        one, two = here.to_numpy(dtype=bool), there.reindex(here.index).to_numpy(dtype=bool)
        rows.append((measure, other, *(np.count_nonzero(both) for both in (one & ~two, one & two, ~one & two))))
    table = pd.DataFrame(rows, columns=["measure", "other_measure", "first_only", "both", "second_only"])
    return with_legend(table, overlap, {})


def _test_of(compared: pd.DataFrame, without: Collection[str] = ()) -> dict[Hashable, Any]:
    """Return the attributes of a comparison that describe its test, except for those in ``without``."""
    return {name: what for name, what in compared.attrs.items() if name not in ("legend", "ci", "signatures", *without)}


def topics_needed(
    perquery: Any,
    delta: float | Iterable[float] | None = None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    n: int | Iterable[int] | None = None,
    measures: Measures | None = None,
) -> pd.DataFrame:
    """Estimate, from a pilot, how many topics are needed to find a difference, or which difference n topics can find.

    The planned test is the paired t-test of two systems.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        The pilot: columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(...,
        perquery=True)`` returns them.
    delta : float > 0, or iterable of them, optional
        Differences of two systems' means, in units of the measure: the smallest that would matter. Give either this or
        ``n``.
    power : float in (0, 1)
        Probability that the difference is significant.
    alpha : float in (0, 1)
        Significance level.
    n : int >= 2, or iterable of them, optional
        Numbers of topics, to find the smallest difference for each.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of the frame.

    Returns
    -------
    DataFrame
        One row for each measure and each ``delta`` or ``n``.

        - ``measure``: the measure
        - ``sd``: standard deviation, over the topics, of the difference of two systems: root of the mean variance of
          pairs
        - ``delta``: true difference of two systems' means
        - ``topics`` (rounded up): number of topics
        - ``power``: probability that this difference is significant with this number of topics

        ``attrs`` describes the columns, and has the parameters.

    Raises
    ------
    ValueError
        If not exactly one of ``delta`` and ``n`` is given, a parameter is out of range, or the frame cannot be read.
        Also if there are fewer than two systems or queries, the differences do not vary over the topics, or more than
        1,000,000 topics are needed.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    The variance of the difference is its mean over all pairs of systems (with N - 1). The power is that of
    statsmodels' ``TTestPower``, two-sided, with the effect size delta/sd. For several pairs, set alpha to the corrected
    level, such as alpha divided by the number of pairs.

    A small pilot estimates the variance poorly. With two systems and 25 topics, one estimate in twenty is too small by
    a factor of 1.7 or more.

    References
    ----------
    Sakai (2016). Topic set size design. Information Retrieval Journal 19(3), 256-283.
    https://doi.org/10.1007/s10791-015-9273-z

    Examples
    --------
    >>> values = {"x": [0.5, 0.7, 0.9, 0.8, 0.2], "y": [0.1, 0.4, 0.5, 0.9, 0.3]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> pilot = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> topics_needed(pilot, delta=[0.1, 0.2]).round(3)
      measure     sd  delta  topics  power
    0     RBU  0.259    0.1      55  0.803
    1     RBU  0.259    0.2      16  0.823
    >>> topics_needed(pilot, n=[25, 50]).round(3)
      measure     sd  delta  topics  power
    0     RBU  0.259  0.151      25    0.8
    1     RBU  0.259  0.105      50    0.8

    A picture with a line for each measure:

    >>> table = topics_needed(pilot, n=[25, 50, 100, 200])
    >>> ax = table.pivot(index="topics", columns="measure", values="delta").plot(loglog=True)
    """
    who = "topics_needed"
    how = checked(who, _PLAN, power=power, alpha=alpha)
    if (delta is None) == (n is None):
        raise ValueError(f"{who}: give exactly one of delta and n, not {'neither' if delta is None else 'both'}.")
    name, given = ("n", n) if delta is None else ("delta", delta)
    wanted = _PLAN[name].check_each(who, name, given if isinstance(given, Iterable) else [given])
    scores = read_scores(perquery, measures, two=["systems", "queries"], who=who)
    sds = {measure: _sd(measure, values) for measure, values in scores.by_measure.items()}
    rows = [
        (measure, sd, *_plan_of(measure, sd, name, each, how)) for (measure, sd), each in product(sds.items(), wanted)
    ]
    table = pd.DataFrame(rows, columns=["measure", "sd", "delta", "topics", "power"])
    return with_legend(table, topics_needed, {**how, **scores.sizes})


def _sd(measure: str, values: np.ndarray) -> float:
    """Return the root mean variance of the difference of two systems, from values of shape (systems, queries)."""
    first, second = np.triu_indices(len(values), 1)
    sd = float(np.sqrt(rounded(values[first] - values[second]).var(axis=1, ddof=1).mean()))
    if sd == 0:
        raise ValueError(f"topics_needed: all topics have the same difference in {measure}, so its variance is 0.")
    return sd


def _power(delta: float, n: int, sd: float, alpha: float) -> float:
    """Return the probability that a t-test of n topics finds the difference delta, in either direction."""
    from statsmodels.stats.power import TTestPower

    effect = min(delta / sd, _FARTHEST / np.sqrt(n))
    right, wrong = (TTestPower().power(effect, n, alpha / 2, alternative=side) for side in ("larger", "smaller"))
    # scipy returns NaN for many probabilities close to 0.
    return float(right + np.nan_to_num(wrong))


def _plan_of(measure: str, sd: float, name: str, given: Any, how: Mapping[str, Any]) -> tuple[float, int, float]:
    """Return the difference, the number of topics and the power, of which the difference or the number is ``given``.

    The other is the smallest that is enough.
    """
    step, numbers = (sd * _STEP, range(1, _MOST_STEPS)) if name == "n" else (1, range(2, _MOST_TOPICS + 1))

    def plan(number: int) -> tuple[float, int, float]:
        delta, n = (number * step, given) if name == "n" else (given, number)
        return delta, n, _power(delta, n, sd, how["alpha"])

    place = bisect_left(numbers, how["power"], key=lambda number: plan(number)[-1])
    if place == len(numbers):
        why = (
            "so few topics detect no difference" if name == "n" else f"even {_MOST_TOPICS:,} topics would not detect it"
        )
        raise ValueError(f"topics_needed: {name}={given} is too small for {measure}: {why}.")
    return plan(numbers[place])
