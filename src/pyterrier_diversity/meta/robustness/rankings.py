"""Whether a measure ranks systems the same way on other topics, with fewer judgements, or by another assessor."""

from collections.abc import Iterable
from itertools import product
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ...evaluate import DiversityEvaluator, aggregated
from ...frames import QRELS_COLUMNS, Columns, of_documents, warn
from ...io import Runs, qrels_frame, read_runs
from ...judged import Run
from ...measures.groups import read_measures
from ...parallel import in_parallel
from ...parameters import Parameter, Parameters, checked
from ...progress import progress
from ...qrels import retrieval_counts
from ...randomness import Rng, generator_of, seed_of
from ...warnings import MissingWarning
from ..correlation.orderings import correlate, kendall_tau
from ..scores import Group, Measures, read_scores, rounded, with_families, with_legend

N_TRIALS = Parameter(int, 1000, interval="[1, inf)")
_SAMPLING: Parameters = {"n_trials": N_TRIALS, "fuzziness": Parameter(float, 0.05, interval="[0, inf)")}


def stability(
    perquery: Any,
    measures: Measures | None = None,
    *,
    n_trials: int = 1000,
    fuzziness: float = 0.05,
    rng: Rng = None,
) -> pd.DataFrame:
    r"""Compute how often a measure orders two systems the same way on different samples of the topics.

    Each trial draws half of the topics (rounded down) without replacement and orders each pair of systems by their
    means. The stability is the share of trials with the more frequent order, averaged over the pairs.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    measures : Measure or str, or iterable of them, optional
        By default, all measures of the frame.
    n_trials : int >= 1
        R, the number of samples. All measures share them.
    fuzziness : float >= 0
        Two systems are tied in a trial if their means differ by at most this.
    rng : int or Generator, optional
        Random seed.

    Returns
    -------
    DataFrame
        One row for each measure.

        - ``measure``: the measure
        - ``stability`` in [0, 1]: share of the trials in which two systems are in their more frequent order; mean over
          pairs
        - ``ties`` in [0, 1]: share of the trials in which two systems are tied; mean over pairs

        The remaining trials have the less frequent order. ``attrs`` describes the columns, and has the parameters and
        ``n_topics``.

    Raises
    ------
    ValueError
        If a parameter is out of range, or there are fewer than two systems or topics. Also if a column, a measure or a
        value is missing in the frame.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    :math:`\frac{1}{R |P|} \sum_{(a, b) \in P} \max(n_{a > b}, n_{b > a})` over the set P of pairs of systems. Systems
    that are always tied have a stability of 0. The fuzziness is a difference of means, as in Türkmen et al.; in Buckley
    and Voorhees it is a share of the larger mean.

    References
    ----------
    Türkmen, Lease, Kutlu (2023). New metrics to encourage innovation and diversity in information retrieval approaches.
    ECIR, 239-254, Sec. 4.4. https://doi.org/10.1007/978-3-031-28238-6_16

    Buckley, Voorhees (2000). Evaluating evaluation measure stability. SIGIR, 33-40.

    Examples
    --------
    >>> rows = [("a", "1", 0.9), ("a", "2", 0.7), ("a", "3", 0.8), ("b", "1", 0.5), ("b", "2", 0.6), ("b", "3", 0.5)]
    >>> frame = pd.DataFrame(rows, columns=["name", "qid", "value"]).assign(measure="P@5")
    >>> table = stability(frame, n_trials=9)
    >>> table
      measure  stability  ties
    0     P@5        1.0   0.0

    A picture, with matplotlib:

    >>> ax = table.plot.barh("measure", ["stability", "ties"], stacked=True)
    """
    how = checked("stability", _SAMPLING, n_trials=n_trials, fuzziness=fuzziness)
    n_trials, fuzziness = how.values()
    scores = read_scores(perquery, measures, two=["systems", "queries"], who="stability")
    n_queries = len(scores.queries)
    n_topics = n_queries // 2
    # Drawn before the work is divided, so that the result does not depend on the number of workers.
    samples = _samples(generator_of(rng), n_queries, n_topics, n_trials)
    tasks = [(values, samples, fuzziness) for values in scores.unrounded.values()]
    results = in_parallel(_stability_of, tasks, what="stability")
    table = pd.DataFrame(results, pd.Index(scores.measures, name="measure"), ["stability", "ties"]).reset_index()
    return with_legend(table, stability, {**scores.sizes, "n_topics": n_topics, **how, **seed_of(rng)})


def topic_sampling(
    perquery: Any,
    measures: Measures | None = None,
    sizes: Iterable[int] = range(5, 50, 5),
    *,
    n_trials: int = 100,
    group: Group | None = None,
    rng: Rng = None,
) -> pd.DataFrame:
    """Compare the ranking of the systems by a sample of the topics with the ranking by all topics.

    Each trial draws topics without replacement, the same for all measures.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
        Not changed.
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

    Returns
    -------
    DataFrame
        One row for each measure and size.

        - ``measure``: the measure
        - ``family`` (with ``group``): the family of the measure
        - ``size``: number of topics in a sample
        - ``tau`` in [-1, 1]: Kendall's tau-b with the ranking of the systems by all topics, mean over the trials; NaN
          if all are tied
        - ``family_tau`` (with ``group``): mean tau of the family's measures, without NaN
        - ``sd``: standard deviation of tau over the trials (with n - 1)
        - ``n_trials``: number of trials in which not all systems are tied

        Trials in which all systems are tied do not count. ``attrs`` describes the columns, and has the numbers of
        systems and queries.

    Raises
    ------
    ValueError
        If the frame cannot be read or has fewer than two systems, ``sizes`` is empty, or a size or ``n_trials`` is out
        of range. Also if ``group`` has no family for a measure.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    Systems are ordered by their means over the topics; means that are equal to ten decimals are tied.

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

    A picture with a line for each measure:

    >>> table = topic_sampling(frame, sizes=[1, 2, 3], rng=1)
    >>> ax = table.pivot(index="size", columns="measure", values="tau").plot(marker="o")
    """
    who = "topic_sampling"
    n_trials = N_TRIALS.check(who, "n_trials", n_trials)
    scores = read_scores(perquery, measures, two=["systems"], who=who)
    n_queries = len(scores.queries)
    drawn = Parameter(int, interval=f"[1, {n_queries}]").check_each(who, "sizes", sizes)
    sized = zip(drawn, generator_of(rng).spawn(len(drawn)), strict=True)
    samples = [_samples(generator, n_queries, n, n_trials) for n, generator in sized]
    tasks = list(product(scores.unrounded.values(), samples))
    taus = in_parallel(_taus_of_samples, tasks, what="samples of topics")
    frame = over_trials(np.array(taus), {"measure": scores.measures, "size": drawn}, "tau", "sd")
    frame = with_families(who, frame, group)
    return with_legend(frame, topic_sampling, {**scores.sizes, "n_trials": n_trials, **seed_of(rng)})


def _samples(generator: np.random.Generator, n_queries: int, size: int, n_trials: int) -> np.ndarray:
    """Draw topics without replacement. Return 1 for each topic of a trial and 0 for others, shape (trials, queries)."""
    topics = generator.permuted(np.tile(np.arange(n_queries), (n_trials, 1)), axis=1)[:, :size]
    samples = np.zeros((n_trials, n_queries))
    np.put_along_axis(samples, topics, 1.0, axis=1)
    return samples


def _sample_means(values: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return the means of each sample, shape (systems, trials), from values of shape (systems, queries)."""
    return np.asarray(values @ samples.T / samples.sum(axis=1))


def _taus_of_samples(values: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return tau of each sample of topics with all topics, shape (trials,)."""
    return correlate(rounded(_sample_means(values, samples)).T, rounded(values.mean(axis=1))[None])[:, 0]


def _stability_of(values: np.ndarray, samples: np.ndarray, fuzziness: float) -> tuple[float, float]:
    """Return the stability and the share of ties of a measure."""
    means = _sample_means(values, samples)
    majorities, ties, n_pairs = 0, 0, len(means) * (len(means) - 1) // 2
    for i, mean in enumerate(means[:-1]):
        differences = rounded(mean - means[i + 1 :])
        higher = np.count_nonzero(differences > fuzziness, axis=1)
        lower = np.count_nonzero(differences < -fuzziness, axis=1)
        majorities += int(np.maximum(higher, lower).sum())
        ties += int((len(samples) - higher - lower).sum())
    return majorities / (n_pairs * len(samples)), ties / (n_pairs * len(samples))


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
        One row for each measure and depth.

        - ``measure``: the measure
        - ``family`` (with ``group``): the family of the measure
        - ``depth``: number of documents of each run in the pool
        - ``tau`` in [-1, 1]: Kendall's tau-b with the ranking of the systems by the full data; NaN if all systems are
          tied
        - ``family_tau`` (with ``group``): mean tau of the family's measures, without NaN
        - ``judged`` in (0, 1]: share of the judgements that are in the pool
        - ``n_queries``: number of queries with judgements in the pool

        Other queries are not evaluated. ``attrs`` describes the columns, and has the numbers of systems and of queries
        in the full qrels.

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
    >>> table = pool_depth(qrels, runs, [P @ 2], depths=[1, 2])
    >>> table
      measure  depth  tau    judged  n_queries
    0     P@2      1  1.0  0.666667          1
    1     P@2      2  1.0  1.000000          1

    A picture, with matplotlib:

    >>> ax = table.pivot(index="depth", columns="measure", values="tau").plot(marker="o")
    """
    who = "pool_depth"
    (judged,), systems, chosen = read_experiment(who, runs, measures, fewest=2, qrels=qrels)
    wanted = Parameter(int, interval="[1, inf)").check_each(who, "depths", depths)
    rankings = [Run(run) for run in systems.values()]
    pools = [judged[retrieval_counts(Columns(judged, (), "qrels"), rankings, depth) > 0] for depth in wanted]
    for depth, pool in zip(wanted, pools, strict=True):
        if pool.empty:
            raise ValueError(f"{who}: qrels must judge at least one of the top {depth} documents of the runs.")
    # Rows that name an intent without judging a document belong to every pool that judges its query.
    naming = judged[~of_documents(Columns(judged, QRELS_COLUMNS, "qrels").ids("doc_id"))]
    forms = [judged, *(pd.concat([pool, naming[naming["query_id"].isin(pool["query_id"])]]) for pool in pools)]
    full, *values = _evaluated(systems, forms, chosen, "depths of the pool")
    n_judged = len(judged) - len(naming)
    rows = []
    for (name, measure), (depth, pool, value) in product(chosen.items(), zip(wanted, pools, values, strict=True)):
        tau = _tau_of(measure, value[name], full[name])
        rows.append((name, depth, tau, len(pool) / n_judged, pool["query_id"].nunique()))
    frame = pd.DataFrame(rows, columns=["measure", "depth", "tau", "judged", "n_queries"])
    sizes = {"n_systems": len(systems), "n_queries": judged["query_id"].nunique()}
    return with_legend(with_families(who, frame, group), pool_depth, sizes)


def assessor_agreement(
    qrels: Any,
    other_qrels: Any,
    runs: Runs,
    measures: Measures,
    *,
    group: Group | None = None,
    n_trials: int = 1000,
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
    rng : int or Generator, optional
        Random seed or generator.

    Returns
    -------
    DataFrame
        One row for each measure.

        - ``measure``: the measure
        - ``family`` (with ``group``): the family of the measure
        - ``tau`` in [-1, 1]: Kendall's tau-b with the ranking of the systems by the full data; NaN if all systems are
          tied
        - ``family_tau`` (with ``group``): mean tau of the family's measures, without NaN
        - ``tau_low``: lower end of the 95 % bootstrap interval of tau over the topics
        - ``tau_high``: upper end of the 95 % bootstrap interval of tau over the topics

        ``attrs`` describes the columns, and has the numbers of systems, common queries and trials.

    Raises
    ------
    ValueError
        If there are fewer than two runs or no measure, the qrels have no query in common, or a run or qrels cannot be
        read. Also if a value is not finite, ``group`` has no family for a measure, or ``n_trials`` is out of range.
    TypeError
        If ``runs`` or ``qrels`` is of the wrong type.

    Warns
    -----
    MissingWarning
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
    >>> table = assessor_agreement(first, first.assign(label=[0, 1, 0]), runs, [P @ 1, P @ 2])
    >>> table
      measure  tau  tau_low  tau_high
    0     P@1 -1.0     -1.0      -1.0
    1     P@2  NaN      NaN       NaN

    A picture of tau and the ends of its interval, with matplotlib:

    >>> ax = table.plot("measure", ["tau", "tau_low", "tau_high"], style=["o", "_", "_"])
    """
    who = "assessor_agreement"
    n_trials = N_TRIALS.check(who, "n_trials", n_trials)
    both, systems, chosen = read_experiment(who, runs, measures, fewest=2, qrels=qrels, other_qrels=other_qrels)
    queries, others = (set(judged["query_id"]) for judged in both)
    common = queries & others
    if not common:
        raise ValueError(f"{who}: qrels and other_qrels must have at least one query in common.")
    if queries != others:
        left_out = f"{len(queries ^ others)} of {len(queries | others)} queries are left out"
        warn(MissingWarning(f"{who}: {left_out}, because only one of the two qrels has them."))
    forms = [judged[judged["query_id"].isin(common)] for judged in both]
    values, other_values = _evaluated(systems, forms, chosen, "assessors")
    samples = generator_of(rng).integers(len(common), size=(n_trials, len(common)))
    rows = []
    for name, measure in chosen.items():
        tables = values[name], other_values[name]
        taus = [_tau_of(measure, *(table[:, sample] for table in tables)) for sample in samples]
        # Without the samples in which all systems are tied.
        rows.append((name, _tau_of(measure, *tables), *pd.Series(taus).quantile([0.025, 0.975])))
    frame = pd.DataFrame(rows, columns=["measure", "tau", "tau_low", "tau_high"])
    attrs = {"n_systems": len(systems), "n_queries": len(common), "n_trials": n_trials, **seed_of(rng)}
    return with_legend(with_families(who, frame, group), assessor_agreement, attrs)


def _tau_of(measure: ir_measures.Measure, values: np.ndarray, other_values: np.ndarray) -> float:
    """Return tau of two rankings of the systems, from values of shape (systems, queries)."""
    return kendall_tau(*(aggregated([measure], table[None])[0] for table in (values, other_values)))


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


def read_experiment(
    who: str, runs: Runs, measures: Measures, *, fewest: int = 1, **qrels: Any
) -> tuple[list[pd.DataFrame], dict[str, pd.DataFrame], dict[str, ir_measures.Measure]]:
    """Read the qrels of each assessor, runs by name and measures by name.

    Raises
    ------
    ValueError
        If runs, qrels or measures cannot be read, are in the wrong order or empty, or there are too few runs.
    TypeError
        If ``runs``, ``measures`` or qrels are of the wrong type.
    """
    named = dict(read_runs(runs, who=who))
    if len(named) < fewest:
        raise ValueError(f"{who}: runs must have at least {fewest} systems, not {len(named)} ({', '.join(named)}).")
    judged = []
    for what, given in qrels.items():
        judged.append(Columns(qrels_frame(given, what), QRELS_COLUMNS, what).renamed())
        if judged[-1].empty:
            raise ValueError(f"{what} must not be empty.")
    return judged, named, {str(measure): measure for measure in read_measures(who, measures)}


def over_trials(values: np.ndarray, keys: dict[str, Iterable[Any]], mean: str, deviation: str) -> pd.DataFrame:
    """Return mean, standard deviation and number of the trials that are not NaN.

    Parameters
    ----------
    values : ndarray, shape (combinations of keys, trials)
    """
    trials = pd.DataFrame(values, index=pd.MultiIndex.from_product(list(keys.values()), names=list(keys)))
    columns = {mean: trials.mean(axis=1), deviation: trials.std(axis=1), "n_trials": trials.count(axis=1)}
    return pd.DataFrame(columns).reset_index()
