"""Whether a measure ranks systems the same way with fewer judgements, or with those of another assessor."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import product
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.measures import MeanAgg

from ...evaluate import DiversityEvaluator, aggregated
from ...io import Runs
from ...judged import NO_DOCUMENT, Run, warn_user
from ...parameters import Parameter, Parameters, Rng, checked, generator_of, seed_of
from ...progress import progress
from ...qrels import retrieval_counts
from ..correlation.rank_correlation import kendall_tau
from ..described import described
from ..scores import Group, Measures, families
from .experiments import N_TRIALS, read_experiment

_RESAMPLES: Parameters = {
    "n_trials": N_TRIALS,
    "ci": Parameter(float, 0.95, interval="(0, 1)", desc="confidence of the interval"),
}
_DEPTH = Parameter(int, interval="[1, inf)", desc="number of documents of each run in the pool")

_LEGEND = {
    "depth": "number of documents of each run in the pool",
    "tau": "Kendall's tau-b with the ranking of the systems by the full data; NaN if all systems are tied",
    "tau_low": "lower end of the bootstrap interval of tau over the topics",
    "tau_high": "upper end of the bootstrap interval of tau over the topics",
    "judged": "share of the judgements that are in the pool",
    "n_queries": "number of queries with judgements in the pool",
}


def pool_depth(
    qrels: Any,
    runs: Runs,
    measures: Measures,
    depths: Iterable[int] = (1, 2, 5, 10, 20, 50, 100),
    *,
    group: Group | None = None,
) -> pd.DataFrame:
    """Compare the ranking of the systems by the judgements of a shallow pool with the ranking by all judgements.

    A pool of depth k has the top k documents of each run and query. Judgements of other documents are dropped.

    Parameters
    ----------
    qrels : DataFrame
        All judgements, in any form that `io.read_qrels` reads. Not changed.
    runs : mapping of names to runs, path, or iterable of paths
        The results of each system, as `io.read_runs` takes them. Not changed.
    measures : Measure or str, or iterable of them
        The measures to compute.
    depths : iterable of int >= 1
        Depths of the pools.
    group : mapping of str to str, or callable, optional
        The family of each measure, by the measure's name.

    Returns
    -------
    DataFrame
        A row for each measure and depth: ``measure``, ``family`` (with ``group``), ``depth``, ``tau`` in [-1, 1] and
        ``family_tau`` (with ``group``, mean over the family). ``judged`` in (0, 1] is the share of the judgements in
        the pool, and ``n_queries`` the number of queries with judgements in the pool; others are not evaluated.
        ``attrs`` describes the columns, and has the numbers of systems and of queries in the full qrels.

    Raises
    ------
    ValueError
        If there are fewer than two runs, no measure or no depth, a depth is below 1, or a pool has no judged document.
        Also if a run or the qrels cannot be read, a value is not finite, or ``group`` has no family for a measure.
    TypeError
        If ``runs`` or ``qrels`` is of the wrong type.

    Notes
    -----
    Systems are ranked by the aggregates of ir_measures, which are means over the queries for most measures. Values
    that are equal to ten decimals are tied. Documents with equal scores are pooled by descending id, as they are
    evaluated.

    References
    ----------
    Carterette (2011). System effectiveness, user models, and user utility: a conceptual framework for investigation.
    SIGIR, 903-912, Sec. 4.2. https://doi.org/10.1145/2009916.2010037

    Examples
    --------
    >>> from ir_measures import P
    >>> run = {"qid": ["q"] * 2, "score": [2.0, 1.0]}
    >>> runs = {name: pd.DataFrame({**run, "docno": list(docs)}) for name, docs in {"x": "ab", "y": "cd"}.items()}
    >>> qrels = pd.DataFrame({"qid": ["q"] * 3, "docno": list("acd"), "label": [0, 1, 1]})
    >>> pool_depth(qrels, runs, [P @ 2], depths=[1, 2])
      measure  depth  tau    judged  n_queries
    0     P@2      1  1.0  0.666667          1
    1     P@2      2  1.0  1.000000          1
    """
    who = "pool_depth"
    (judged,), systems, chosen = read_experiment(who, runs, measures, fewest=2, qrels=qrels)
    wanted = _DEPTH.check_each(who, "depths", depths)
    family_of = families(who, list(chosen), group)
    rankings = [Run(run) for run in systems.values()]
    pools = [judged[retrieval_counts(judged, rankings, depth) > 0] for depth in wanted]
    for depth, pool in zip(wanted, pools, strict=True):
        if pool.empty:
            raise ValueError(f"{who}: qrels must judge at least one of the top {depth} documents of the runs.")
    # Rows that name an intent without judging a document belong to every pool.
    naming = judged[judged["doc_id"] == NO_DOCUMENT]
    forms = [judged, *(pd.concat([pool, naming]) for pool in pools)]
    full, *values = _evaluated(systems, forms, chosen, "depths of the pool")
    n_judged = len(judged) - len(naming)
    rows = []
    for (name, measure), (depth, pool, value) in product(chosen.items(), zip(wanted, pools, values, strict=True)):
        tau = _tau_of(measure, value[name], full[name])
        rows.append((name, depth, tau, len(pool) / n_judged, pool["query_id"].nunique()))
    frame = pd.DataFrame(rows, columns=["measure", "depth", "tau", "judged", "n_queries"])
    attrs: dict[Hashable, int] = {"n_systems": len(systems), "n_queries": judged["query_id"].nunique()}
    return described(frame, _LEGEND, attrs, family_of)


def assessor_agreement(
    qrels: Any,
    other_qrels: Any,
    runs: Runs,
    measures: Measures,
    *,
    group: Group | None = None,
    n_trials: int = 1000,
    ci: float = 0.95,
    rng: Rng = None,
) -> pd.DataFrame:
    """Compare the rankings of the systems by the judgements of two assessors.

    `agreement` compares the judgements themselves.

    Parameters
    ----------
    qrels, other_qrels : DataFrame
        The judgements of each assessor, in any form that `io.read_qrels` reads. Not changed.
    runs : mapping of names to runs, path, or iterable of paths
        The results of each system, as `io.read_runs` takes them. Not changed.
    measures : Measure or str, or iterable of them
        The measures to compute.
    group : mapping of str to str, or callable, optional
        The family of each measure, by the measure's name.
    n_trials : int >= 1
        Number of resamples of the topics, for the interval of tau.
    ci : float in (0, 1)
        Confidence of the interval.
    rng : int or Generator, optional
        Random seed or generator.

    Returns
    -------
    DataFrame
        A row for each measure: ``measure``, ``family`` (with ``group``), ``tau`` in [-1, 1], ``family_tau`` (with
        ``group``, mean over the family), and the interval of tau, ``tau_low`` and ``tau_high``. ``attrs`` describes the
        columns, and has the numbers of systems, common queries and trials.

    Raises
    ------
    ValueError
        If there are fewer than two runs or no measure, the qrels have no query in common, or a run or qrels cannot be
        read. Also if a value is not finite, ``group`` has no family for a measure, or ``n_trials`` or ``ci`` is out of
        range.
    TypeError
        If ``runs`` or ``qrels`` is of the wrong type.

    Warns
    -----
    UserWarning
        If queries are left out, because only one assessor judged them.

    Notes
    -----
    Systems are ranked as in `pool_depth`. The interval is a percentile interval of tau over resamples of the topics,
    the same for both assessors and all measures. Resamples in which all systems are tied do not count. The interval
    shows how much tau depends on the topics, not on the assessors or the systems.

    References
    ----------
    Carterette (2011). System effectiveness, user models, and user utility: a conceptual framework for investigation.
    SIGIR, 903-912, Sec. 4.2 and Table 2. https://doi.org/10.1145/2009916.2010037

    Examples
    --------
    >>> from ir_measures import P
    >>> run = {"qid": ["q"] * 2, "score": [2.0, 1.0]}
    >>> runs = {name: pd.DataFrame({**run, "docno": list(docs)}) for name, docs in {"x": "ab", "y": "bc"}.items()}
    >>> first = pd.DataFrame({"qid": ["q"] * 3, "docno": list("abc"), "label": [1, 0, 0]})
    >>> assessor_agreement(first, first.assign(label=[0, 1, 0]), runs, [P @ 1, P @ 2])
      measure  tau  tau_low  tau_high
    0     P@1 -1.0     -1.0      -1.0
    1     P@2  NaN      NaN       NaN
    """
    who = "assessor_agreement"
    n_trials, ci = checked(who, _RESAMPLES, n_trials=n_trials, ci=ci).values()
    both, systems, chosen = read_experiment(who, runs, measures, fewest=2, qrels=qrels, other_qrels=other_qrels)
    family_of = families(who, list(chosen), group)
    queries, others = (set(judged["query_id"]) for judged in both)
    common = queries & others
    if not common:
        raise ValueError(f"{who}: qrels and other_qrels must have at least one query in common.")
    if queries != others:
        warn_user(
            f"{who}: {len(queries ^ others)} of {len(queries | others)} queries are left out, because only one of the "
            "two qrels has them."
        )
    values, other_values = _evaluated(
        systems, [judged[judged["query_id"].isin(common)] for judged in both], chosen, "assessors"
    )
    samples = generator_of(rng).integers(len(common), size=(n_trials, len(common)))
    rows = []
    for name, measure in chosen.items():
        tables = values[name], other_values[name]
        taus = [_tau_of(measure, *(table[:, sample] for table in tables)) for sample in samples]
        # Without the samples in which all systems are tied.
        rows.append((name, _tau_of(measure, *tables), *pd.Series(taus).quantile([(1 - ci) / 2, (1 + ci) / 2])))
    frame = pd.DataFrame(rows, columns=["measure", "tau", "tau_low", "tau_high"])
    how = {"n_trials": n_trials, "ci": ci, **seed_of(rng)}
    return described(frame, _LEGEND, {"n_systems": len(systems), "n_queries": len(common), **how}, family_of)


def _tau_of(measure: ir_measures.Measure, values: np.ndarray, other_values: np.ndarray) -> float:
    """Return tau of two rankings of the systems, from values of shape (systems, queries)."""
    first, second = (
        table.mean(axis=1) if type(measure.aggregator()) is MeanAgg else [aggregated(measure, row) for row in table]
        for table in (values, other_values)
    )
    return kendall_tau(first, second)


def _evaluated(
    runs: dict[str, pd.DataFrame], judgements: list[pd.DataFrame], measures: dict[str, ir_measures.Measure], what: str
) -> list[dict[str, np.ndarray]]:
    """Return the values of each measure by each of the qrels, arrays of shape (systems, queries)."""
    evaluators = [DiversityEvaluator(measures.values(), qrels) for qrels in judgements]
    tables = []
    for evaluator, (system, run) in progress(list(product(evaluators, runs.items())), what, unit="run"):
        tables.append(evaluator.values(run))
        for measure, query in np.argwhere(~np.isfinite(tables[-1])):
            name, value = list(measures)[measure], tables[-1][measure, query]
            raise ValueError(f"{name} must be finite to rank systems, but is {value} for run {system}.")
    starts = range(0, len(tables), len(runs))
    return [dict(zip(measures, np.stack(tables[i : i + len(runs)], axis=1), strict=True)) for i in starts]
