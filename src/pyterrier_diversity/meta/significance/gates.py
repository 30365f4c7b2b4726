"""Losses against a baseline: risk, and gates for automated checks."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ...evaluate import aggregates
from ...frames import listed, once_a_kind
from ...io import read_perquery
from ...measures.base import range_text
from ...measures.parse import higher_is_better, read_measure, value_range
from ...parameters import FROM_0, LEVEL, Parameter
from ...progress import progress
from ...randomness import Rng, seed_of
from ..scores import Measures, Scores, outcomes, pairs_with, read_scores, rounded, with_legend
from .randomisation import all_flips, blocks_of, critical, flips
from .tests import TESTS, Design, adjusted, studentised


class GateError(ValueError):
    """A gate that no run could fail."""


class _Gate(NamedTuple):
    """A system and a baseline by one measure, with the loss on each query that both answer.

    ``sign`` is -1 if lower values are better. ``alone`` are the queries that only one of them answers. ``why`` says why
    the system fails whatever its losses, and is empty otherwise.
    """

    measure: str
    name: str
    other: str
    mean: float
    other_mean: float
    losses: pd.Series
    sign: int
    alone: list[str]
    why: str


_COLUMNS = [*_Gate._fields[:5], "difference", "p", "p_corrected", "queries", "message", "fails"]


# How many queries a message names.
_NAMED_QUERIES = 3
# The trials of the test, if its correction does not need more, and the most.
_N_TRIALS, _MOST_TRIALS = 10_000, 2_000_000
# How many times the differences are resampled, to estimate which loss is found in this share of the cases.
_N_RESAMPLES, _POWER = 200, 0.8


def below_minimum(perquery: Any, minimum: Mapping[Any, float]) -> pd.DataFrame:
    """Return the systems whose value of a measure is below a minimum, or means nothing.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    minimum : mapping of Measure or str to float
        The minimum of each measure, or the maximum if lower values are better. A value equal to it passes. For a
        measure without a known lowest value, such as ``nEU``, take one that runs can miss.

    Returns
    -------
    DataFrame
        One row for each measure and system below the minimum. NaN is below every minimum, and so is a run of
        `evaluate_runs` that answers no query of the qrels or has no judged document.

        - ``measure``: the measure
        - ``name``: the system
        - ``value``: its value of the measure
        - ``minimum``: the minimum of the measure
        - ``short_by``: ``minimum`` minus ``value``
        - ``queries``: a dict of the three queries with the lowest values
        - ``message``: all of this in a sentence

    Raises
    ------
    ValueError
        If no minimum is given, a measure is not in the frame or has two minima, or a minimum is not a finite number.
    GateError
        If a minimum is at or below the smallest possible value, so that no system could be below it. (A ``ValueError``,
        too.)

    Warns
    -----
    MissingWarning
        If systems have values on different queries.

    Examples
    --------
    >>> values = {"bm25": [0.25, 0.5], "xquad": [0.75, 0.5]}
    >>> rows = [(name, str(i + 1), "RBU@5", v) for name in values for i, v in enumerate(values[name])]
    >>> perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(*below_minimum(perquery, {"RBU@5": 0.5})["message"])
    RBU@5 of bm25 is 0.375, below 0.5 by 0.125; lowest on queries 1 (0.25), 2 (0.5).
    """
    if not minimum:
        raise ValueError("below_minimum: minimum must have at least one measure, as in {'RBU@20': 0.5}.")
    measures = [read_measure("below_minimum", name) for name in minimum]
    for measure, least in zip(measures, minimum.values(), strict=True):
        least = Parameter(float).check("below_minimum", f"the minimum of {measure}", least)
        better, (low, high) = higher_is_better(measure), value_range(measure)
        if (rounded(least) <= rounded(low)) if better else (rounded(least) >= rounded(high)):
            beyond = f"{'below' if better else 'above'} {least:g}"
            raise GateError(f"below_minimum: no value of {measure} is {beyond}: its range is {range_text(low, high)}.")
    perquery = read_perquery(perquery)
    values = aggregates(perquery, measures).set_index("name")
    if len(values.columns) < len(measures):
        named = ", ".join(map(str, minimum))
        raise ValueError(f"below_minimum: minimum must have each measure once, not as {named}.")
    rows = []
    for name, least in zip(map(str, values), map(float, minimum.values()), strict=True):
        sign, below, lowest = (1, "below", "lowest") if higher_is_better(name) else (-1, "above", "highest")
        for system, value in values[name].items():
            nothing = _why_nothing(perquery, system)
            if sign * rounded(value) >= sign * rounded(least) and not nothing:
                continue
            own = perquery[(perquery["measure"] == name) & (perquery["name"] == system)].set_index("qid")["value"]
            queries, short_by = _first(own, sign), sign * (least - value)
            why = f"{below} {least:g} by {short_by:.4g}; {lowest} on {_in_words(queries)}."
            message = f"{system} {nothing}" if nothing else f"{name} of {system} is {value:.4g}, {why}"
            rows.append((name, system, value, least, short_by, queries, message))
    columns = ["measure", "name", "value", "minimum", "short_by", "queries", "message"]
    return pd.DataFrame(rows, columns=columns)


def worse_than(
    perquery: Any,
    baseline: str | Iterable[str],
    measures: Measures | None = None,
    *,
    tolerance: float = 0.0,
    common_queries: bool = False,
    alpha: float = 0.05,
    rng: Rng = None,
    all_systems: bool = False,
) -> pd.DataFrame:
    r"""Return the systems that are significantly worse than a baseline, by more than a tolerance.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as for `compare`. Not changed.
    baseline : str or iterable of str
        The system or systems that the others should not be worse than.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of the frame.
    tolerance : float >= 0
        A loss of the mean that is tolerated, even if it is significant.
    common_queries : bool
        Whether to test the queries that both systems answer if they answer different ones. Otherwise such a system is
        returned, too.
    alpha : float in (0, 1)
        Significance level.
    rng : int or Generator, optional
        Random seed.
    all_systems : bool
        Whether to return the other systems, too. Their messages say which loss the test would find in 80 % of cases.

    Returns
    -------
    DataFrame
        One row for each measure, system and baseline, if the system is worse, answers other queries than the baseline,
        or has no judged document.

        - ``measure``: the measure
        - ``name``: the system
        - ``other``: the baseline
        - ``mean``: mean value of the system over the queries that both answer
        - ``other_mean``: mean value of the baseline over these queries
        - ``difference``: ``mean`` minus ``other_mean``
        - ``p``: one-sided p-value: probability of a loss this large by chance
        - ``p_corrected``: ``p``, corrected by Holm's method for all measures and pairs of the call
        - ``queries``: a dict of the three queries with the largest losses
        - ``message``: why the system is in the table, in a sentence
        - ``fails`` (with ``all_systems``): whether the gate fails for the system

        ``attrs["legend"]`` describes the columns, and ``attrs`` the test.

    Raises
    ------
    ValueError
        If the frame cannot be read, the baseline is not in it, there is no other system, or a parameter is out of
        range.
    TypeError
        If the baseline is neither a name nor a list of names.
    GateError
        If no system could be worse: the baseline answers no query that the system answers, has no judged document, or
        cannot lose more than the tolerance; or there are so few queries that no loss could be significant. (A
        ``ValueError``, too.)

    Notes
    -----
    Each system is compared with the baseline alone, on the n queries that both answer, by a paired randomisation test:
    p is the share of flips of the signs of the differences by query whose mean loss is at least the observed one. All
    :math:`2^n` flips are tried if they are no more than B, otherwise B random ones (and the observed one), with B the
    larger of 10,000 and :math:`20 m/\alpha` for m measures and pairs, at most 2,000,000. The test asks for any loss;
    the tolerance is a second condition. Other systems change ``p_corrected`` only. The loss that the test finds, in
    messages, is estimated with at most 10,000 flips.

    Examples
    --------
    >>> values = {"new": [0.5, 0.25, 0.5, 0.25, 0.5], "old": [0.75, 0.5, 0.75, 0.75, 0.625]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> print(worse_than(perquery, "old", tolerance=0.1)["message"].item().replace("; ", ";\n"))
    RBU of new is lower than that of old by 0.275 (0.4, 0.675;
    one-sided p = 0.03125);
    most on queries 3 (-0.5), 0 (-0.25), 1 (-0.25).
    """
    who, perquery = "worse_than", read_perquery(perquery)
    tolerance = Parameter(float, interval=FROM_0).check(who, "tolerance", tolerance)
    alpha = LEVEL.check(who, "alpha", alpha)
    with once_a_kind():
        gates = list(_gates(who, perquery, baseline, measures, tolerance, common_queries))
    names = [gate.measure for gate in gates]
    gates.sort(key=lambda gate: names.index(gate.measure))
    m, n_queries = len(gates), perquery["qid"].nunique()
    n_trials = min(max(_N_TRIALS, math.ceil(20 * m / alpha)), _MOST_TRIALS)
    blocks = blocks_of(rng, n_trials, max(m, n_queries))
    holm = "holm" if m > 1 else None
    how = Design("permutation", "all", n_trials, blocks, alpha, holm, "greater", seed_of(rng), alpha / m)
    p = _p_values([gate.losses for gate in gates], how)
    best = np.array([how.smallest_p(2, n_queries if gate.why else len(gate.losses)) for gate in gates])
    if (least := adjusted(best, holm).max()) >= alpha:
        several, n = f" (corrected for {m} comparisons)" if m > 1 else "", min(len(gate.losses) for gate in gates)
        raise GateError(
            f"{who}: no loss can be significant with {n} common queries at alpha = {alpha:g}: the smallest "
            f"possible p-value is {least:.4g}{several}. Give more queries (meta.topics_needed estimates how many) or a "
            "larger alpha."
        )
    signs = {n: _some_signs(how, n) for n in {len(gate.losses) for gate in gates}}
    rows = []
    for gate, *of_test in progress(list(zip(gates, p, adjusted(p, holm), strict=True)), "gates", unit="comparison"):
        worse = of_test[1] < alpha and rounded(gate.losses.mean()) > rounded(tolerance)
        if worse or gate.why or all_systems:
            queries = _first(-gate.sign * gate.losses, gate.sign)
            corrected = f", {of_test[1]:.4g} corrected for {m} comparisons" if holm else ""
            tested = f"one-sided p = {of_test[0]:.4g}{corrected}"
            message = " ".join(_sentences(gate, tested, queries if worse else None, signs, how, tolerance))
            rows.append((*gate[:5], gate.mean - gate.other_mean, *of_test, queries, message, worse or bool(gate.why)))
    table = pd.DataFrame(rows, columns=_COLUMNS)
    attrs = {"alpha": alpha, "correction": "holm", "tolerance": tolerance, "n_trials": n_trials, **how.seed}
    return with_legend(table if all_systems else table.drop(columns="fails"), worse_than, attrs)


def _p_values(losses: list[pd.Series], how: Design) -> np.ndarray:
    """Return the p-value of each comparison; those with equally many queries are tested together."""
    p, sizes = np.ones(len(losses)), np.array(list(map(len, losses)))
    for n in np.unique(sizes):
        (places,) = np.nonzero(sizes == n)
        p[places] = TESTS[how.test].of_pairs(np.array([losses[i] for i in places]), how).p
    return p


def _gates(
    who: str, perquery: pd.DataFrame, baseline: Any, measures: Measures | None, tolerance: float, common_queries: bool
) -> Iterator[_Gate]:
    """Yield each pair by each measure. Raise a `GateError` if no system could be worse than the baseline."""
    there = {str(name): frozenset(rows["qid"]) for name, rows in perquery.groupby("name", sort=False)}
    pairs = pairs_with(who, list(there), baseline)
    if not pairs:
        raise ValueError(f"{who}: perquery must have at least two systems, not 1.")
    missing = perquery.attrs.get("missing", {})
    answered = {name: queries.difference(missing.get(name, ())) for name, queries in there.items()}
    read: dict[frozenset[str], Scores] = {}
    for one, other in pairs:
        nothing, alone = _why_nothing(perquery, one), sorted(answered[one] ^ answered[other])
        why = f"{one} {nothing}" if nothing else ""
        both = answered[other] if why else answered[one] & answered[other]
        if none := _why_nothing(perquery, other) or ("" if both else f"shares no query with {one}."):
            raise GateError(f"{who}: nothing can be worse than the baseline {other}, which {none}")
        if alone and not (why or common_queries):
            why = (
                f"{one} and {other} answer different queries: only one of them answers {len(alone)} "
                f"({listed(alone, _NAMED_QUERIES)}). To test the other {len(both)}, set common_queries=True."
            )
        if both not in read:
            systems = [name for name, queries in there.items() if queries >= both]
            read[both] = read_scores(perquery[perquery["name"].isin(systems) & perquery["qid"].isin(both)], measures)
        scores = read[both]
        for name, of_both in scores.unrounded.items():
            mine, others = of_both[[scores.systems.index(system) for system in (one, other)]]
            sign = 1 if higher_is_better(name) else -1
            worst = value_range(name)[0 if sign > 0 else 1]
            if rounded(sign * (others.mean() - worst)) <= rounded(tolerance):
                raise GateError(
                    f"{who}: nothing can be worse than the baseline {other}, whose {name} is {others.mean():.4g} and "
                    f"cannot {'fall' if sign > 0 else 'rise'} by more than {tolerance:g}. Give a smaller tolerance, or "
                    "leave this measure out."
                )
            losses = pd.Series(rounded(sign * (others - mine)), scores.queries)
            yield _Gate(name, one, other, mine.mean(), others.mean(), losses, sign, alone, why)


def _sentences(
    gate: _Gate,
    tested: str,
    worst: Mapping[str, float] | None,
    signs: Mapping[int, np.ndarray],
    how: Design,
    tolerance: float,
) -> Iterator[str]:
    """Yield the sentences about a gate; the ``worst`` queries are those of a system that is worse."""
    of, difference, n = f"{gate.measure} of {gate.name}", gate.mean - gate.other_mean, len(gate.losses)
    if worst:
        than = f"{'lower' if gate.sign > 0 else 'higher'} than that of {gate.other} by {abs(difference):.4g}"
        means = f"{gate.mean:.4g}, {gate.other_mean:.4g}"
        yield f"{of} is {than} ({means}; {tested}); most on {_in_words(worst)}."
    elif not gate.why:
        losses = gate.losses.to_numpy()
        found = f"{n} queries find a loss of {_found(losses, signs[n], how, tolerance):.4g} in {_POWER:.0%} of cases"
        found = found if np.ptp(losses) else f"the same on all {n} queries"
        yield f"{of} against {gate.other}: {difference:+z.4g}, {tested}; {found}."
    if gate.why:
        yield gate.why
    elif alone := len(gate.alone):
        yield f"Left out, as only one answers them: {alone} of {n + alone} ({listed(gate.alone, _NAMED_QUERIES)})."


def _some_signs(how: Design, n: int) -> np.ndarray:
    """Return flips of n queries that estimate which loss the test finds: its first ones, or all if these are few."""
    if 2**n <= _N_TRIALS:
        return all_flips(n)
    return np.concatenate([np.ones((1, n)), *flips([(how.blocks[0][0], _N_TRIALS)], n)])


def _found(losses: np.ndarray, signs: np.ndarray, how: Design, tolerance: float) -> float:
    """Return the loss that the gate finds with a power of `_POWER`, if other queries differ as these do.

    Of resampled losses without their mean, a loss more makes the gate fail from some size on.
    """
    n = len(losses)
    samples = np.random.default_rng(how.blocks[0][0]).choice(losses - losses.mean(), (_N_RESAMPLES, n))
    # Flips reach the mean of a sample with the loss d where s (w + d) >= w + d, summed: up to this d.
    room = n - signs.sum(axis=1)
    reach = samples @ signs.T - samples.sum(axis=1, keepdims=True)
    up_to = np.divide(reach, room, out=np.full_like(reach, np.inf), where=room > 0)
    enough = np.maximum(critical(up_to, how.level), tolerance - samples.mean(axis=1))
    return float(np.quantile(enough, _POWER))


def _why_nothing(perquery: pd.DataFrame, name: Any) -> str:
    """Return why the values of a run of `evaluate_runs` say nothing, or an empty string."""
    if perquery.attrs.get("answered", {}).get(name) == 0:
        return "answers no query of the qrels."
    unmatched = name in perquery.attrs.get("unmatched", ())
    return "has no judged document. Do its document ids match those of the qrels?" if unmatched else ""


def _first(values: pd.Series, sign: int) -> dict[str, float]:
    """Return the worst values by query: the lowest, or with the ``sign`` -1 the highest."""
    worst = (sign * values).sort_values(kind="stable").head(_NAMED_QUERIES) * sign
    return {str(qid): float(value) for qid, value in worst.items()}


def _in_words(queries: Mapping[str, float]) -> str:
    named = ", ".join(f"{qid} ({value:.4g})" for qid, value in queries.items())
    return f"{'query' if len(queries) == 1 else 'queries'} {named}"


def risk(perquery: Any, baseline: str, alpha: float = 1.0, *, measures: Measures | None = None) -> pd.DataFrame:
    r"""Compute the risk of each system against a baseline, as in the TREC Web tracks of 2013 and 2014.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    baseline : str
        The system to compare the others with.
    alpha : float >= 0
        Additional weight of losses: a loss counts 1 + alpha times, a gain once. The tracks used 0, 1, 5 and 10. With 0,
        ``urisk`` is the difference of means.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of the frame.

    Returns
    -------
    DataFrame
        One row for each measure and system except the baseline.

        - ``measure``: the measure
        - ``name``: the system
        - ``baseline``: the baseline
        - ``difference``: mean of the system minus mean of the baseline
        - ``urisk``: mean difference by query, in which a loss counts 1 + ``alpha`` times
        - ``trisk``: ``urisk`` over its standard error; below -2 a significant risk, above 2 a significant gain
        - ``wins``: number of queries on which the system is better
        - ``ties``: number of queries on which both are equal
        - ``losses``: number of queries on which the baseline is better
        - ``largest_loss``: largest loss on a query, 0 without losses
        - ``worst_query``: the query with the largest loss, empty without losses

        ``attrs`` describes the columns, and has the parameters.

    Raises
    ------
    ValueError
        If the frame cannot be read, the baseline is not in it, there are fewer than two systems or queries, or alpha is
        out of range.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    With the differences :math:`\Delta_q` of the N queries, and :math:`\delta_q = \Delta_q` if it is positive, otherwise
    :math:`(1 + \alpha) \Delta_q`,

    .. math::
        U_{risk} = \frac1N \sum_q \delta_q, \qquad T_{risk} = \frac{U_{risk}}{s_\delta / \sqrt N}

    where :math:`s_\delta` is the standard deviation with N - 1. ``urisk`` is the mean
    that ``ndeval -c -baseline RUN -riskAlpha ALPHA`` prints. ``trisk`` is infinite if all :math:`\delta_q` are equal
    and not 0, and 0 if all are 0.

    References
    ----------
    Collins-Thompson, Bennett, Diaz, Clarke, Voorhees (2014). TREC 2013 Web Track overview. TREC.

    Dinçer, Macdonald, Ounis (2014). Hypothesis testing for the risk-sensitive evaluation of retrieval systems. SIGIR,
    23-32. https://doi.org/10.1145/2600428.2609625

    Examples
    --------
    A gain of 0.3, a loss of 0.1 that counts twice, and a tie: (0.3 - 0.2 + 0) / 3.

    >>> values = {"base": [0.2, 0.5, 0.4], "x": [0.5, 0.4, 0.4]}
    >>> rows = [(name, str(i), "RBU", v) for name in values for i, v in enumerate(values[name])]
    >>> table = risk(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]), "base")
    >>> table[["name", "urisk", "trisk", "wins", "ties", "losses", "largest_loss", "worst_query"]].round(3)
      name  urisk  trisk  wins  ties  losses  largest_loss worst_query
    0    x  0.033  0.229     1     1       1           0.1           1
    """
    alpha = Parameter(float, interval=FROM_0).check("risk", "alpha", alpha)
    scores = read_scores(perquery, measures, two=["systems", "queries"], who="risk")
    first, second = scores.pairs("risk", baseline)
    gains = [values[first] - values[second] for values in scores.better.values()]
    parts = [_of_measure(*each, alpha, scores.queries) for each in zip(gains, scores.signs.values(), strict=True)]
    table = scores.table(parts, first, second).rename(columns={"other": "baseline"})
    return with_legend(table, risk, {"alpha": alpha, **scores.sizes})


def _of_measure(delta: np.ndarray, sign: int, alpha: float, queries: list[str]) -> dict[str, np.ndarray]:
    """Return a measure's columns, from gains of shape (systems, queries)."""
    weighted = np.where(delta < 0, (1 + alpha) * delta, delta)
    worst = delta.argmin(axis=1)
    lost = -delta[np.arange(len(delta)), worst]
    return {
        "difference": sign * delta.mean(axis=1),
        "urisk": weighted.mean(axis=1),
        "trisk": studentised(weighted),
        **outcomes(delta),
        "largest_loss": np.maximum(lost, 0.0),
        "worst_query": np.where(lost > 0, np.array(queries, dtype=object)[worst], ""),
    }
