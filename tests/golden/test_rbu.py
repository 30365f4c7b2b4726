"""Rank-biased utility against the authors' release."""

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity import RBU

TABLE = "rbu.tsv.gz"


@pytest.fixture(scope="session")
def weighted(shared, trec_qrels):
    """Return the qrels of a year with the weights of a file; other intents have no relevant document."""
    frames = {}

    def read(year, name):
        if (year, name) not in frames:
            types = {"query_id": str, "subtopic_id": str}
            weights = pd.read_csv(shared / "golden" / name, sep="\t", dtype=types)
            qrels = trec_qrels(year).merge(weights, how="left", on=["query_id", "subtopic_id"])
            frames[year, name] = qrels.assign(weight=qrels["weight"].fillna(0.0))
        return frames[year, name]

    return read


def read_params(params):
    """Return the parameters of a row, and the file of its intent weights if it names one."""
    values = dict(pair.split("=") for pair in params.split(";"))
    weights = values.pop("weights", None)
    return {name: float(value) for name, value in values.items()}, weights


def test_rbu_equals_the_release_of_its_authors(run_name, golden_by_run, trec_qrels, trec_run, weighted):
    expected = golden_by_run(TABLE)[run_name]
    year, run = int(run_name[:4]), trec_run(run_name)

    values, by_weights = {}, {}
    for params in expected["params"].unique():
        floats, weights = read_params(params)
        by_weights.setdefault(weights, {})[RBU(**floats, norm=True)] = params
    for weights, measures in by_weights.items():
        qrels = trec_qrels(year) if weights is None else weighted(year, weights)
        for metric in ir_measures.iter_calc(measures, qrels, run):
            values[measures[metric.measure], metric.query_id] = metric.value

    ours = [values[key] for key in zip(expected["params"], expected["query_id"], strict=True)]
    np.testing.assert_allclose(ours, expected["value"], atol=1e-9, rtol=0)


def test_the_table_of_rbu_names_no_run_that_is_not_compared(golden_by_run, run_names):
    assert sorted(golden_by_run(TABLE)) == sorted(run_names)


@pytest.mark.parametrize("name", ["intent-weights-2011.tsv", "intent-weights-2012.tsv"])
def test_an_intent_without_a_weight_in_the_file_has_no_relevant_document(name, weighted):
    qrels = weighted(int(name[-8:-4]), name)

    assert (qrels.loc[qrels["weight"] == 0, "relevance"] <= 0).all()


def test_the_intent_weights_change_the_values(weighted, trec_qrels, trec_run):
    measure, run = RBU(p=0.9, norm=True), trec_run("2012/rm.catb")

    unweighted = ir_measures.calc_aggregate([measure], trec_qrels(2012), run)[measure]
    value = ir_measures.calc_aggregate([measure], weighted(2012, "intent-weights-2012.tsv"), run)[measure]

    assert abs(value - unweighted) > 1e-4
