"""Precision and average precision with rareness, and the rarity of documents, against the code of the authors."""

import re

import ir_measures
import numpy as np
import pytest

from pyterrier_diversity import AP_Rareness, P_Rareness, add_rarity

TABLE = "rareness.tsv.gz"
OURS = {"P_rareness": P_Rareness, "AP_rareness": AP_Rareness}
SYSTEMS = ("2012/ql.cata-filtered", "2012/ql.catb", "2012/rm.catb", "2012/rm.catb-filtered")
CUTOFFS = (20, 100)


@pytest.fixture(scope="session")
def with_rarity(trec_qrels, trec_run):
    """Return the ad-hoc qrels with the rarity of documents in the top of the four systems."""
    qrels = trec_qrels(2012, "adhoc")[["query_id", "doc_id", "relevance"]]
    runs = {name: trec_run(name) for name in SYSTEMS}
    return {cutoff: add_rarity(qrels, runs, cutoff=cutoff) for cutoff in CUTOFFS}


def our_measure(name, params):
    """Return our measure for the names of a row, and the cutoff that is meant for the rarity, too."""
    cutoff, alpha, rel = re.fullmatch(r"top_k=(\d+);alpha=(.+);rel>=(\d);systems=4", params).groups()
    alpha = "adaptive" if alpha == "1/R" else float(alpha)
    return OURS[name](alpha=alpha, rel=int(rel)) @ int(cutoff), int(cutoff)


def test_the_table_names_the_four_systems(golden_by_run):
    assert sorted(golden_by_run(TABLE)) == sorted(SYSTEMS)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("cutoff", CUTOFFS)
def test_values_and_their_means_equal_those_of_the_authors(cutoff, system, golden_by_run, with_rarity, trec_run):
    rows = golden_by_run(TABLE)[system]
    kinds = rows[["measure", "params"]].drop_duplicates().itertuples(index=False, name=None)
    ours = {kind: our_measure(*kind) for kind in kinds}
    ours = {kind: measure for kind, (measure, top) in ours.items() if top == cutoff}
    means, metrics = ir_measures.calc(ours.values(), with_rarity[cutoff], trec_run(system))
    values = {(metric.measure, metric.query_id): metric.value for metric in metrics}
    values |= {(measure, "all"): mean for measure, mean in means.items()}

    kinds = zip(rows["measure"], rows["params"], strict=True)
    measures = [ours.get(kind) for kind in kinds]
    compared = [
        (values[measure, query], expected)
        for measure, query, expected in zip(measures, rows["query_id"], rows["value"], strict=True)
        if measure is not None
    ]

    assert len(compared) == 51 * len(ours) == 51 * {20: 4, 100: 16}[cutoff]
    np.testing.assert_allclose(*zip(*compared, strict=True), atol=1e-9, rtol=0)


@pytest.fixture(scope="session")
def relevant(with_rarity, golden):
    """Return the relevant documents, with our rarity and how many of the systems retrieved them."""
    counts = golden("rareness-counts.tsv.gz")
    qrels = with_rarity[100].query("relevance >= 1")
    return qrels.merge(counts, on=["query_id", "doc_id"], how="outer", indicator=True)


def test_rarity_equals_the_counts_of_systems_that_retrieve_a_document(relevant):
    retrieved = relevant[relevant["_merge"] == "both"]

    assert set(retrieved["retrieved_by"]) == {1, 2, 3, 4}
    np.testing.assert_allclose((1 - retrieved["rarity"]) * len(SYSTEMS), retrieved["retrieved_by"], atol=1e-12, rtol=0)


def test_a_relevant_document_that_no_system_retrieves_is_as_rare_as_one_that_a_single_system_does(relevant):
    missed = relevant[relevant["_merge"] == "left_only"]

    assert len(missed) > 100
    assert set(missed["rarity"]) == {1 - 1 / len(SYSTEMS)}


def test_the_counts_name_no_document_that_is_not_relevant(relevant):
    assert (relevant["_merge"] != "right_only").all()
