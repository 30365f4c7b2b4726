"""Robustness: whether a measure ranks systems the same way with fewer topics, fewer judgements or another assessor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.measures import MeanAgg

from ..evaluate import DiversityEvaluator, aggregated, runs_by_name
from ..io import read_if_path
from ..judged import NO_DOCUMENT, QRELS_COLUMNS, RUN_COLUMNS, Run, ids, warn_user, with_string_ids
from ..measures.groups import read_some_measures
from ..parallel import in_parallel
from ..parameters import Parameter, Rng, generator_of, seed_of
from .correlation import correlate, kendall_tau
from .scores import Group, Measures, families, generators, read_scores
from .significance_tests import LEVEL

_TRIALS = Parameter(int, interval="[1, inf)", desc="number of samples of each size")
_DEPTH = Parameter(int, interval="[1, inf)", desc="number of documents of each run in the pool")

_LEGEND = {
    "measure": "the measure",
    "family": "the family of the measure",
    "size": "number of topics in a sample",
    "depth": "number of documents of each run in the pool",
    "tau": "Kendall's tau-b with the ranking of the systems by the full data; NaN if all systems are tied",
    "tau_low": "lower end of the bootstrap interval of tau over the topics",
    "tau_high": "upper end of the bootstrap interval of tau over the topics",
    "sd": "standard deviation of tau over the trials (with n - 1)",
    "family_tau": "mean tau of the family's measures, without NaN",
    "n_trials": "number of trials in which not all systems are tied",
    "judged": "share of the judgements that are in the pool",
    "n_queries": "number of queries with judgements in the pool",
}


def topic_sampling(
    perquery: pd.DataFrame,
    measures: Measures | None = None,
    sizes: Iterable[int] = range(5, 50, 5),
    *,
    n_trials: int = 100,
    group: Group | None = None,
    rng: Rng = None,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Compare the ranking of the systems by a sample of the topics with the ranking by all topics.

    Each trial draws topics without replacement, the same for all measures.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them. Not changed.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of the frame.
    sizes : iterable of int
        Numbers of topics to draw, each at most the number of all topics.
    n_trials : int >= 1
        Number of samples of each size.
    group : mapping of str to str, or callable, optional
        The family of each measure, by the measure's name.
    rng : int or Generator, optional
        Random seed or generator.
    n_jobs : int, optional
        Number of parallel workers, as for joblib. It does not change the result.

    Returns
    -------
    DataFrame
        A row for each measure and size: ``measure``, ``family`` (with ``group``), ``size``, ``tau`` in [-1, 1] (mean
        over the trials), ``family_tau`` (with ``group``, mean over the family), ``sd`` and ``n_trials``. Trials in
        which all systems are tied do not count. ``attrs`` describes the columns, and has the numbers of systems and
        queries.

    Raises
    ------
    ValueError
        If the frame cannot be read or has fewer than two systems, ``sizes`` is empty, or a size or ``n_trials`` is out
        of range. Also if ``group`` has no family for a measure.

    Warns
    -----
    UserWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    Systems are ordered by their means over the topics; means within 1e-12 are equal.

    References
    ----------
    Carterette (2011). System effectiveness, user models, and user utility: a conceptual framework for investigation.
    SIGIR, 903-912, Sec. 4.2. https://doi.org/10.1145/2009916.2010037

    Examples
    --------
    Two topics rank the systems one way, and one topic the other way. The mean tau of single topics is about 1/3.

    >>> values = {"1": (0.9, 0.5, 0.1), "2": (0.9, 0.5, 0.1), "3": (0.1, 0.2, 0.3)}
    >>> rows = [(name, qid, "AP", v) for qid in values for name, v in zip("xyz", values[qid])]
    >>> frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> topic_sampling(frame, sizes=[1, 3], n_trials=100, rng=1).round(2)
      measure  size   tau    sd  n_trials
    0      AP     1  0.32  0.95       100
    1      AP     3  1.00  0.00       100
    """
    who = "topic_sampling"
    n_trials = _TRIALS.check(who, "n_trials", n_trials)
    scores = read_scores(perquery, measures)
    scores.need_two(who, "systems")
    n_queries = len(scores.queries)
    size = Parameter(int, interval=f"[1, {n_queries}]", desc="number of topics")
    drawn = size.check_each(who, "sizes", sizes)
    family_of = families(who, scores.measures, group)
    samples = {
        size: generator.permuted(np.tile(np.arange(n_queries), (n_trials, 1)), axis=1)[:, :size]
        for size, generator in zip(drawn, generators(rng, len(drawn)), strict=True)
    }
    keys = [(measure, size) for measure in scores.measures for size in drawn]
    tasks = [(scores.by_measure[measure], samples[size]) for measure, size in keys]
    taus = pd.DataFrame(in_parallel(_taus_of_samples, tasks, n_jobs=n_jobs, what="samples of topics"))
    frame = pd.DataFrame(keys, columns=["measure", "size"]).assign(
        tau=taus.mean(axis=1), sd=taus.std(axis=1), n_trials=taus.count(axis=1)
    )
    frame = _finished(frame, family_of, len(scores.systems), n_queries)
    frame.attrs |= {"n_trials": n_trials, **seed_of(rng)}
    return frame


def pool_depth(
    runs: Mapping[str, Any],
    qrels: Any,
    measures: Measures,
    depths: Iterable[int] = (1, 2, 5, 10, 20, 50, 100),
    *,
    group: Group | None = None,
) -> pd.DataFrame:
    """Compare the ranking of the systems by the judgements of a shallow pool with the ranking by all judgements.

    A pool of depth k has the top k documents of each run and query. Judgements of other documents are dropped.

    Parameters
    ----------
    runs : mapping of str to DataFrame or path
        The results of each system, with PyTerrier's or ir_measures' names, or its run file. Not changed.
    qrels : DataFrame
        All judgements, with PyTerrier's or ir_measures' names. Not changed.
    measures : Measure or str, or iterable of them
        Which measures.
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
        If ``runs`` is not a mapping.

    Notes
    -----
    Systems are ranked by the aggregates of ir_measures, which are means over the queries for most measures. Values
    within 1e-12 are equal. Documents with equal scores are pooled by descending id, as they are evaluated.

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
    >>> pool_depth(runs, qrels, [P @ 2], depths=[1, 2])
      measure  depth  tau    judged  n_queries
    0     P@2      1  1.0  0.666667          1
    1     P@2      2  1.0  1.000000          1
    """
    who = "pool_depth"
    systems, judged = _read_runs(who, runs), _read_qrels(qrels, "qrels")
    chosen = {str(measure): measure for measure in read_some_measures(who, measures)}
    wanted = _DEPTH.check_each(who, "depths", depths)
    family_of = families(who, list(chosen), group)
    rank = _best_ranks(systems, judged, max(wanted))
    pools = [judged[rank <= depth] for depth in wanted]
    for depth, pool in zip(wanted, pools, strict=True):
        if pool.empty:
            raise ValueError(f"{who}: qrels must judge at least one of the top {depth} documents of the runs.")
    # Rows that name an intent without judging a document belong to every pool.
    naming = judged[judged["doc_id"] == NO_DOCUMENT]
    forms = [judged, *(pd.concat([pool, naming]) for pool in pools)]
    full, *values = _evaluated(systems, forms, chosen, "depths of the pool")
    rows = [
        (
            measure,
            depth,
            kendall_tau(_aggregates(of, value[measure]), _aggregates(of, full[measure])),
            len(pool) / (len(judged) - len(naming)),
            pool["query_id"].nunique(),
        )
        for measure, of in chosen.items()
        for depth, pool, value in zip(wanted, pools, values, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["measure", "depth", "tau", "judged", "n_queries"])
    return _finished(frame, family_of, len(systems), judged["query_id"].nunique())


def assessor_agreement(
    runs: Mapping[str, Any],
    qrels: Any,
    other_qrels: Any,
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
    runs : mapping of str to DataFrame or path
        The results of each system, with PyTerrier's or ir_measures' names, or its run file. Not changed.
    qrels, other_qrels : DataFrame
        The judgements of each assessor, with PyTerrier's or ir_measures' names. Not changed.
    measures : Measure or str, or iterable of them
        Which measures.
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
        If ``runs`` is not a mapping.

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
    >>> assessor_agreement(runs, first, first.assign(label=[0, 1, 0]), [P @ 1, P @ 2])
      measure  tau  tau_low  tau_high
    0     P@1 -1.0     -1.0      -1.0
    1     P@2  NaN      NaN       NaN
    """
    who = "assessor_agreement"
    n_trials, ci = _TRIALS.check(who, "n_trials", n_trials), LEVEL.check(who, "ci", ci)
    systems = _read_runs(who, runs)
    both = [_read_qrels(qrels, "qrels"), _read_qrels(other_qrels, "other_qrels")]
    chosen = {str(measure): measure for measure in read_some_measures(who, measures)}
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
        rows.append((name, _tau_of(measure, *tables), *_percentiles(np.array(taus), ci)))
    frame = pd.DataFrame(rows, columns=["measure", "tau", "tau_low", "tau_high"])
    frame = _finished(frame, family_of, len(systems), len(common))
    frame.attrs |= {"n_trials": n_trials, "ci": ci, **seed_of(rng)}
    return frame


def _tau_of(measure: ir_measures.Measure, values: np.ndarray, other_values: np.ndarray) -> float:
    """Return tau of two rankings of the systems, from values of shape (systems, queries)."""
    return kendall_tau(_aggregates(measure, values), _aggregates(measure, other_values))


def _percentiles(taus: np.ndarray, ci: float) -> tuple[float, float]:
    """Return both ends of the percentile interval of the finite values."""
    there = taus[np.isfinite(taus)]
    if not len(there):
        return np.nan, np.nan
    low, high = np.quantile(there, [(1 - ci) / 2, (1 + ci) / 2])
    return float(low), float(high)


def _read_runs(who: str, runs: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    named = runs_by_name(who, runs)
    if len(named) < 2:
        raise ValueError(f"{who}: runs must have at least two systems, not {list(named)!r}.")
    return {name: with_string_ids(read_if_path(run), RUN_COLUMNS, f"run {name}") for name, run in named.items()}


def _read_qrels(qrels: Any, what: str) -> pd.DataFrame:
    frame = with_string_ids(qrels, QRELS_COLUMNS, what)
    if frame.empty:
        raise ValueError(f"{what} must not be empty.")
    return frame


def _best_ranks(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, deepest: int) -> np.ndarray:
    """Return the best rank of each row's document in the runs; infinity if it is below ``deepest`` in all."""
    query = ids(qrels, "query_id", "qrels")
    best: list[dict[str, float]] = [{} for _ in query.names]
    for run in runs.values():
        for ranks, ranking in zip(best, Run(run).rankings(query.names.tolist(), deepest), strict=True):
            for rank, doc in enumerate(ranking, start=1):
                ranks[doc] = min(rank, ranks.get(doc, np.inf))
    rows = zip(query.codes.tolist(), qrels["doc_id"].tolist(), strict=True)
    return np.array([best[code].get(doc, np.inf) for code, doc in rows])


def _evaluated(
    runs: dict[str, pd.DataFrame], judgements: list[pd.DataFrame], measures: dict[str, ir_measures.Measure], what: str
) -> list[dict[str, np.ndarray]]:
    """Return the values of each measure by each of the qrels, arrays of shape (systems, queries)."""
    import pyterrier as pt

    results = []
    with pt.tqdm(total=len(judgements) * len(runs), desc=what, unit="run", delay=2, leave=False) as bar:
        for qrels in judgements:
            evaluator = DiversityEvaluator(measures.values(), qrels)
            values: dict[str, list[np.ndarray]] = {name: [] for name in measures}
            for system, run in runs.items():
                found = evaluator.values(run)
                for name, measure in measures.items():
                    if not np.isfinite(found[measure]).all():
                        bad = found[measure][~np.isfinite(found[measure])][0]
                        raise ValueError(f"{name} must be finite to rank systems, but is {bad} for run {system}.")
                    values[name].append(found[measure])
                bar.update()
            results.append({name: np.array(value, dtype=np.float64) for name, value in values.items()})
    return results


def _aggregates(measure: ir_measures.Measure, values: np.ndarray) -> np.ndarray:
    """Return the aggregate of each system, from values of shape (systems, queries)."""
    if type(measure.aggregator()) is MeanAgg:
        return values.mean(axis=1)
    return np.array([aggregated(measure, row) for row in values])


def _taus_of_samples(values: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return tau of each sample of topics, shape (trials,), from values of shape (systems, queries)."""
    means = np.array([values[:, sample].mean(axis=1) for sample in samples])
    return correlate(means, values.mean(axis=1)[None])[:, 0]


def _finished(frame: pd.DataFrame, family_of: dict[str, str] | None, n_systems: int, n_queries: int) -> pd.DataFrame:
    """Add the families and the legend."""
    if family_of is not None:
        frame.insert(1, "family", frame["measure"].map(family_of))
        same = [name for name in ("family", "size", "depth") if name in frame]
        mean = frame.groupby(same, sort=False, dropna=False)["tau"].transform("mean")
        frame.insert(list(frame).index("tau") + 1, "family_tau", mean)
    legend = {column: what for column, what in _LEGEND.items() if column in frame}
    frame.attrs = {"legend": legend, "n_systems": n_systems, "n_queries": n_queries}
    return frame
