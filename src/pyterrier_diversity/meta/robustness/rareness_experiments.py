"""How measures of rareness depend on which systems take part."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import compress, product
from typing import Any, Literal

import ir_measures
import numpy as np
import pandas as pd

from ...evaluate import DiversityEvaluator, Evaluation
from ...frames import QRELS_COLUMNS, RUN_COLUMNS, Columns
from ...io import Runs
from ...judged import Judgements, Memo, Ranked, Run, take
from ...measures.base import parts_of
from ...measures.composite import innermost
from ...measures.parse import higher_is_better
from ...parallel import in_parallel
from ...parameters import Parameter, Parameters, checked
from ...progress import progress
from ...qrels import RARITY_CUTOFF, RARITY_FORM, RarityForm, add_rarity, rarity, retrieval_counts
from ...randomness import Rng, generator_of, seed_of
from ..correlation.orderings import correlate
from ..scores import Measures, rounded, with_legend
from .rankings import N_TRIALS, over_trials, read_experiment

Options = Mapping[str, Any]

_RARENESS: Parameters = {
    "cutoff": RARITY_CUTOFF,
    "form": RARITY_FORM,
    "n_trials": N_TRIALS,
    "kind": Parameter(str, "rare", choices=("rare", "common")),
    "n_relevant": Parameter(int, interval="[0, inf)"),
}

# Number of trials in one task.
_BATCH = 25

# Prefix of document ids that are not in the runs and qrels.
_SYNTHETIC = "\2synthetic"


def number_of_systems(
    qrels: Any,
    runs: Runs,
    measures: Measures,
    sizes: Iterable[int] | None = None,
    *,
    n_trials: int = 1000,
    cutoff: int = 100,
    form: RarityForm = "linear",
    rng: Rng = None,
) -> pd.DataFrame:
    r"""Measure how much the ranking of systems by rareness depends on the other systems.

    Each trial draws some systems, computes rarity from these alone, and ranks them. The result is the correlation with
    their ranking by the rarity from all systems.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, in any form that `io.read_qrels` reads. A column ``rarity`` is ignored. Not changed.
    runs : mapping of names to runs, path, or iterable of paths
        The rankings of all systems, as `io.read_runs` takes them. Not changed.
    measures : Measure or str, or iterable of them
        Measures to rank by, such as ``P_Rareness @ 100``. The correlation of a measure that does not read rarity is
        always 1.
    sizes : iterable of int, optional
        Numbers of systems to draw; the powers of 2 below the number of systems if omitted.
    n_trials : int >= 1
        Number of samples of each size, which all measures share.
    cutoff, form
        As in `add_rarity`.
    rng : int or Generator, optional
        Random seed or generator.

    Returns
    -------
    DataFrame
        One row for each measure and size.

        - ``measure``: the measure
        - ``n_systems``: number of systems in a sample
        - ``mean``: `kendall_tau` with the ranking of the same systems by rarity from all systems; mean over trials
        - ``std``: standard deviation of the correlation over trials (with n - 1)
        - ``n_trials``: number of trials in which not all systems are tied

        ``attrs`` describes the columns, and has the parameters.

    Raises
    ------
    ValueError
        If there are fewer than two systems (three without ``sizes``), a size is not between 2 and their number, or
        another parameter is out of range. Also if no measure is given, or a column or a value is missing in a run or
        the qrels.
    TypeError
        If ``runs`` or ``qrels`` is of the wrong type, or ``measures`` contains anything other than measures.

    References
    ----------
    Türkmen, Lease, Kutlu (2023). New metrics to encourage innovation and diversity in information retrieval approaches.
    ECIR, 239-254, Algorithm 1. https://doi.org/10.1007/978-3-031-28238-6_16

    Examples
    --------
    >>> from pyterrier_diversity import P_Rareness
    >>> found = {"one": "ab", "two": "ac", "three": "a", "four": "xb"}
    >>> runs = {
    ...     name: pd.DataFrame({"qid": "q", "docno": list(docs), "score": range(len(docs), 0, -1)})
    ...     for name, docs in found.items()
    ... }
    >>> qrels = pd.DataFrame({"qid": "q", "docno": list("abc"), "label": 1})
    >>> table = number_of_systems(qrels, runs, P_Rareness @ 2, sizes=[3], n_trials=20, rng=1)
    >>> table[["measure", "n_systems", "mean"]].round(3)
            measure  n_systems   mean
    0  P_Rareness@2          3  0.927

    A picture, with matplotlib:

    >>> of_size = table.pivot(index="n_systems", columns="measure", values=["mean", "std"])
    >>> ax = of_size["mean"].plot(marker="o", yerr=of_size["std"])
    """
    who = "number_of_systems"
    how = checked(who, _RARENESS, n_trials=n_trials, cutoff=cutoff, form=form)
    (frame,), named, chosen = read_experiment(who, runs, measures, fewest=3 if sizes is None else 1, qrels=qrels)
    if sizes is None:
        sizes = [2**j for j in range(1, len(named).bit_length()) if 2**j < len(named)]
    sizes = Parameter(int, interval=f"[2, {len(named)}]").check_each(who, "sizes", sizes)
    wanted = list(chosen.values())
    if any(_reads_rarity(measure) and innermost(measure).params.get("judged_only") for measure in wanted):
        raise ValueError(f"{who}: a measure that reads rarity must not have judged_only=True.")
    # Sorted by name, so that the order of the runs does not matter.
    systems = [Columns(named[name], RUN_COLUMNS, "run").renamed() for name in sorted(named)]
    initial, judgements = _evaluate(wanted, frame, systems, how)
    # Measures of rareness only read the rows of relevant documents.
    relevant = replace(judgements, rows=take(judgements.rows, judgements.rows.label > 0), remembered=Memo())
    # Workers get the ranks but not the run, because no measure that reads rarity counts turns.
    ranked = [Ranked.of_run(Run(system), judgements) for system in systems]
    found = [Ranked(relevant, each.ranks, each.n) for each in ranked]
    tasks = []
    for size, generator in zip(sizes, generator_of(rng).spawn(len(sizes)), strict=True):
        drawn = np.array([generator.choice(len(named), size, replace=False) for _ in range(how["n_trials"])])
        batches = np.array_split(drawn, -(-len(drawn) // _BATCH))
        tasks += [(found, wanted, rounded(initial), batch, how) for batch in batches]
    results = in_parallel(_correlations, tasks, what="number of systems")
    correlations = np.concatenate(results, axis=1).reshape(-1, how["n_trials"])
    table = over_trials(correlations, {"measure": chosen, "n_systems": sizes}, "mean", "std")
    attrs: dict[Any, Any] = {"n_systems": len(named), "n_queries": len(judgements), **how, **seed_of(rng)}
    return with_legend(table, number_of_systems, attrs)


def insert_synthetic_system(
    qrels: Any,
    runs: Runs,
    measures: Measures,
    n_relevant: Iterable[int] = range(1, 46),
    kind: Literal["rare", "common"] = "rare",
    *,
    cutoff: int = 100,
    form: RarityForm = "linear",
) -> pd.DataFrame:
    r"""Rank a synthetic system that retrieves D rare relevant documents, or the D most common ones.

    The synthetic system retrieves nothing else, and counts as a system when rarity is computed. Rare documents are new
    ones that no other system retrieves; they are added to the qrels with the label 1 for all intents of the query.
    Common documents are those that most systems retrieve, most common first, ties by descending document id. If a query
    has fewer relevant documents, the system retrieves all of them.

    Parameters
    ----------
    qrels : DataFrame
        Qrels (in the paper, of a single query), in any form that `io.read_qrels` reads. A column ``rarity`` is ignored.
        Not changed.
    runs : mapping of names to runs, path, or iterable of paths
        The rankings of the other systems, as `io.read_runs` takes them. Not changed.
    measures : Measure or str, or iterable of them
        Measures to rank by, such as ``P_Rareness(alpha=0.5) @ 100``.
    n_relevant : iterable of int >= 0
        Numbers of relevant documents, D.
    kind : {"rare", "common"}
        Which documents the system retrieves.
    cutoff, form
        As in `add_rarity`.

    Returns
    -------
    DataFrame
        One row for each measure and number.

        - ``measure``: the measure
        - ``kind``: which relevant documents the synthetic system retrieves
        - ``n_relevant``: how many of them it retrieves for each query
        - ``value``: its mean value
        - ``rank``: its rank among all systems, from 1

        The rank is 1 plus the number of systems with a better mean. ``attrs`` describes the columns, and has the
        parameters.

    Raises
    ------
    ValueError
        If no run, measure or number is given, or a parameter is out of range. Also if a column or a value is
        missing in a run or the qrels.
    TypeError
        If ``runs`` or ``qrels`` is of the wrong type, or ``measures`` contains anything other than measures.

    Notes
    -----
    Rare documents add to the relevant documents of a query. They lower the average precision of all other systems,
    which do not find them. The ranking of the synthetic system ends after D documents.

    References
    ----------
    Türkmen, Lease, Kutlu (2023). New metrics to encourage innovation and diversity in information retrieval approaches.
    ECIR, 239-254, Sec. 3, Fig. 1. https://doi.org/10.1007/978-3-031-28238-6_16

    Examples
    --------
    >>> from pyterrier_diversity import P_Rareness
    >>> run = pd.DataFrame({"qid": "q", "docno": list("abc"), "score": [3.0, 2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": "q", "docno": list("abcd"), "label": 1})
    >>> alphas = [P_Rareness(alpha=0) @ 3, P_Rareness @ 3]
    >>> table = insert_synthetic_system(qrels, {"one": run, "two": run}, alphas, n_relevant=[2, 3])
    >>> table[["measure", "n_relevant", "rank"]]
                       measure  n_relevant  rank
    0  P_Rareness(alpha=0.0)@3           2     3
    1  P_Rareness(alpha=0.0)@3           3     1
    2             P_Rareness@3           2     3
    3             P_Rareness@3           3     1

    A picture, with matplotlib and rank 1 on top:

    >>> ax = table.pivot(index="n_relevant", columns="measure", values="rank").plot(marker="o")
    >>> ax.invert_yaxis()
    """
    who = "insert_synthetic_system"
    how = checked(who, _RARENESS, kind=kind, cutoff=cutoff, form=form)
    (frame,), named, chosen = read_experiment(who, runs, measures, qrels=qrels)
    sizes = _RARENESS["n_relevant"].check_each(who, "n_relevant", n_relevant)
    queries = frame["query_id"].unique()
    others = [_only_queries(Columns(run, RUN_COLUMNS, "run").renamed(), queries) for run in named.values()]
    documents = _new_documents(frame, max(sizes)) if kind == "rare" else _most_common(frame, others, how["cutoff"])
    means = []
    for n in progress(sizes, "synthetic systems", unit="system"):
        own = documents[documents["place"] < n]
        judged = pd.concat([frame, own.drop(columns="place")], ignore_index=True) if kind == "rare" else frame
        ranking = own.drop_duplicates(["query_id", "doc_id"])
        synthetic = ranking[["query_id", "doc_id"]].assign(score=-ranking["place"].astype(float))
        means.append(_evaluate(list(chosen.values()), judged, [synthetic, *others], how)[0])
    table = pd.DataFrame(product(chosen, [kind], sizes), columns=["measure", "kind", "n_relevant"])
    by_measure = np.stack(means, axis=1)  # shape (measures, numbers, systems)
    compared = rounded(by_measure) * [[[1 if higher_is_better(measure) else -1]] for measure in chosen.values()]
    table["value"] = by_measure[..., 0].ravel()
    table["rank"] = np.count_nonzero(compared > compared[..., :1], axis=-1).ravel() + 1
    del how["kind"]  # a column
    return with_legend(table, insert_synthetic_system, {"n_systems": len(named), "n_queries": len(queries), **how})


def _evaluate(
    measures: list[ir_measures.Measure], qrels: pd.DataFrame, runs: list[pd.DataFrame], how: Options
) -> tuple[np.ndarray, Judgements]:
    """Return the means, shape (measures, systems), and the judgements, with the rarity from these systems."""
    qrels = add_rarity(qrels.drop(columns="rarity", errors="ignore"), runs, cutoff=how["cutoff"], form=how["form"])
    evaluator = DiversityEvaluator(measures, qrels)
    return np.array([list(evaluator.calc_aggregate(run).values()) for run in runs]).T, evaluator.judgements


def _correlations(
    found: list[Ranked], measures: list[ir_measures.Measure], initial: np.ndarray, trials: np.ndarray, how: Options
) -> np.ndarray:
    """Return the correlation of each trial's ranking with the initial one, shape (measures, trials).

    Parameters
    ----------
    initial : ndarray, shape (measures, systems)
        Means with the rarity from all systems.
    trials : ndarray of int, shape (trials, N)
        The systems drawn in each trial.
    how : mapping
        The method, and the cutoff and form of rarity.
    """
    is_rare = [_reads_rarity(measure) for measure in measures]
    rare = list(compress(measures, is_rare))
    judgements = found[0].judgements
    in_top = np.array([(each.ranks > 0) & (each.ranks <= how["cutoff"]) for each in found])
    correlations = np.empty((len(measures), len(trials)))
    for trial, drawn in enumerate(trials):
        # The rarity that `add_rarity` would compute from these systems.
        n_systems = np.maximum(np.count_nonzero(in_top[drawn], axis=0), 1)
        documents = judgements.documents._replace(rarity=rarity(n_systems, len(drawn), how["form"]))
        evaluation = Evaluation(replace(judgements, documents=documents, remembered=Memo()), rare)
        before = initial[:, drawn]
        after = before.copy()
        after[is_rare] = rounded([evaluation.values(found[system]).mean(axis=1) for system in drawn]).T
        for m, lists in enumerate(zip(after[:, None], before[:, None], strict=True)):
            correlations[m, trial] = correlate(*lists).item()
    return correlations


def _reads_rarity(measure: ir_measures.Measure) -> bool:
    return any(ours is not None and "rarity" in ours.READS for _, ours in parts_of(measure))


def _only_queries(run: pd.DataFrame, queries: np.ndarray) -> pd.DataFrame:
    """Return the rows of some queries; all rows if there are none, so that measures warn about it."""
    kept = run["query_id"].isin(queries)
    return run[kept] if kept.any() else run


def _new_documents(qrels: pd.DataFrame, n: int) -> pd.DataFrame:
    """Return qrels of new documents for each query, relevant to all intents, and their places in a ranking."""
    intents = qrels.drop_duplicates([name for name in ("query_id", "iteration", "subtopic_id") if name in qrels])
    intents = intents.assign(**dict.fromkeys({"relevance", "gain"}.intersection(qrels), 1.0))
    new = [intents.assign(doc_id=f"{_SYNTHETIC} {place}", place=place) for place in range(n)]
    return pd.concat([intents.assign(place=0).head(0), *new], ignore_index=True)


def _most_common(qrels: pd.DataFrame, runs: list[pd.DataFrame], cutoff: int) -> pd.DataFrame:
    """Return the relevant documents of each query, and their places by the number of systems that find them."""
    label = Columns(qrels, QRELS_COLUMNS, "qrels").numbers("relevance")
    documents = qrels[label > 0].drop_duplicates(["query_id", "doc_id"])
    n_systems = retrieval_counts(Columns(documents, (), "qrels"), map(Run, runs), cutoff)
    documents = documents.assign(n_systems=n_systems).sort_values(["n_systems", "doc_id"], ascending=False)
    return documents.assign(place=documents.groupby("query_id").cumcount())
