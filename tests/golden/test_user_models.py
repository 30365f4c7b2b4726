"""Cells of Carterette's table that are measures of the literature, against who else computes these."""

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, RBP, nDCG

from pyterrier_diversity import ERR, ERR_IA, Adhoc, D_nDCG, UserModel, alpha_DCG, alpha_DCG_IA

# The same users with graded labels, and with one patience.
ERR_USER = UserModel(3, "ERR", gain="exp", max_rel=4)
DCG_USER = UserModel(2, "DCG", gain="linear")
PATIENT = UserModel(3, "ERR", theta=0.2)
# One dict for pytrec_eval and for this package.
TABLE = {1: 3, 2: 5, 3: 20, 4: 21}
ALPHAS = [0.1, 0.5, 0.75]

ADHOC = [
    (UserModel(1, "RBP"), Adhoc(RBP(p=0.5, rel=1))),
    (UserModel(1, "RBP", theta=1 - 0.8), Adhoc(RBP(p=0.8, rel=1))),
    (UserModel(1, "RBP", theta=1 - 0.95), Adhoc(RBP(p=0.95, rel=1))),
    (UserModel(4, "AP"), Adhoc(AP)),
    (ERR_USER, ERR),
    (ERR_USER @ 20, ERR @ 20),
    (DCG_USER(norm=True), Adhoc(nDCG)),
    (DCG_USER(norm=True) @ 20, Adhoc(nDCG @ 20)),
    (DCG_USER(norm=True, gain=TABLE), Adhoc(nDCG(gains=TABLE))),
    (DCG_USER(norm=True, gain=TABLE) @ 20, Adhoc(nDCG(gains=TABLE) @ 20)),
    (D_nDCG(gain=TABLE) @ 20, Adhoc(nDCG(gains=TABLE) @ 20)),
]
NDEVAL = [
    *((UserModel(2, "DCG", redundancy="RBP", theta_red=alpha) @ 20, alpha_DCG(alpha=alpha) @ 20) for alpha in ALPHAS),
    (UserModel(3, "ERR") @ 20, ERR_IA @ 20),
]
REDUNDANT = [
    (UserModel(2, "DCG", redundancy="RBP", theta_red=alpha), alpha_DCG_IA(alpha=alpha, gain="binary"))
    for alpha in ALPHAS
]
REDUNDANT += [(ours @ 20, theirs @ 20) for ours, theirs in REDUNDANT]


def values_by_run(measures, qrels_of, trec_run):
    """Return a function that computes measures for a run, once: a row for each query, a column for each name."""
    tables = {}

    def read(run_name):
        if run_name not in tables:
            values = {repr(measure): {} for measure in measures}
            for metric in ir_measures.iter_calc(measures, qrels_of(int(run_name[:4])), trec_run(run_name)):
                values[repr(metric.measure)][metric.query_id] = metric.value
            tables[run_name] = pd.DataFrame(values)
        return tables[run_name]

    return read


def sides(pairs, values):
    """Return the values of the first measure of each pair, and of the second."""
    ours, theirs = zip(*pairs, strict=True)
    return values[list(map(repr, ours))].to_numpy(), values[list(map(repr, theirs))].to_numpy()


@pytest.fixture(scope="session")
def adhoc_qrels(trec_qrels):
    """Return the ad-hoc qrels of a year without columns that name an intent."""
    return lambda year: trec_qrels(year, "adhoc")[["query_id", "doc_id", "relevance"]]


@pytest.fixture(scope="session")
def adhoc_values(adhoc_qrels, trec_run):
    """Return the values of a run on the ad-hoc qrels."""
    measures = [*(measure for pair in ADHOC for measure in pair), DCG_USER, PATIENT]
    return values_by_run(measures, adhoc_qrels, trec_run)


@pytest.fixture(scope="session")
def diversity_values(trec_qrels, trec_run):
    """Return the values of a run on the diversity qrels."""
    measures = [measure for pair in (*NDEVAL, *REDUNDANT) for measure in pair]
    return values_by_run(set(measures), trec_qrels, trec_run)


def test_a_user_model_is_the_measure_that_it_explains(run_name, adhoc_values):
    ours, theirs = sides(ADHOC, adhoc_values(run_name))

    np.testing.assert_allclose(ours, theirs, atol=1e-12, rtol=0)


@pytest.fixture(scope="session")
def relevant_ranks(adhoc_qrels, trec_run):
    """Return the relevant documents of a run, with the rank and how many there are down to it."""

    def read(run_name):
        run = trec_run(run_name).sort_values(["score", "doc_id"], ascending=False)
        run["rank"] = run.groupby("query_id").cumcount() + 1
        found = run.merge(adhoc_qrels(int(run_name[:4])).query("relevance > 0"), on=["query_id", "doc_id"])
        return found.assign(found=found.groupby("query_id").cumcount() + 1)

    return read


def test_total_utility_of_users_who_stop_as_dcg_says_is_dcg(run_name, relevant_ranks, adhoc_values):
    values, found = adhoc_values(run_name)[repr(DCG_USER)], relevant_ranks(run_name)

    dcg = (found["relevance"] / np.log2(found["rank"] + 1)).groupby(found["query_id"]).sum()
    np.testing.assert_allclose(values, dcg.reindex(values.index, fill_value=0), atol=1e-12, rtol=0)


def test_effort_of_users_of_one_patience_is_geometric_in_what_they_found(run_name, relevant_ranks, adhoc_values):
    values, found = adhoc_values(run_name)[repr(PATIENT)], relevant_ranks(run_name)

    err = (0.2 * 0.8 ** (found["found"] - 1) / found["rank"]).groupby(found["query_id"]).sum()
    np.testing.assert_allclose(values, err.reindex(values.index, fill_value=0), atol=1e-12, rtol=0)


def test_a_user_model_of_intents_is_a_measure_of_ndeval_without_its_norm(run_name, diversity_values):
    ours, theirs = sides(NDEVAL, diversity_values(run_name))

    # alpha_DCG and ERR_IA are over a list whose documents are all relevant to all intents, as in ndeval.
    ranks = np.arange(1, 21)
    perfect = [
        *(((1 - alpha) ** (ranks - 1) / np.log2(ranks + 1)).sum() for alpha in ALPHAS),
        (0.5**ranks / ranks).sum(),
    ]
    np.testing.assert_allclose(ours, theirs * perfect, atol=1e-12, rtol=0)


def test_total_utility_of_users_whom_redundancy_bores_is_alpha_dcg(run_name, diversity_values):
    ours, theirs = sides(REDUNDANT, diversity_values(run_name))

    np.testing.assert_allclose(ours, theirs, atol=1e-12, rtol=0)
