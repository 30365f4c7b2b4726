"""The measures of the TREC Dynamic Domain track against the jig of 2017 and the simulation harness of 2015."""

import re

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity import (
    ACT,
    CT,
    EU_DD,
    ERR_arith,
    ERR_harm,
    P_at_Recall,
    P_at_Recall_mod,
    RR_at_Recall,
    SessionDCG,
    nCT,
    nSessionDCG,
)
from pyterrier_diversity.io import read_dd_run, read_dd_truth

JIG, HARNESS = "dd-jig-2017.tsv.gz", "dd-harness-2015.tsv.gz"
N_TOPICS = {
    "dd16-mini-syn1": 3,
    "dd16-mini-syn2": 3,
    "dd16-mini-syn3": 3,
    "dd16-odd-jig-sample": 25,
    "dd17-odd-syn1": 30,
    "dd17-odd-syn2": 30,
    "dd17-odd-syn3": 30,
}
OF_THE_JIG = {"CT": CT, "ACT": ACT, "nCT": nCT, "sDCG": SessionDCG, "nsDCG": nSessionDCG, "EU": EU_DD}
OF_THE_HARNESS = {
    "average_err_arithmetic": ERR_arith,
    "average_err_harmonic": ERR_harm,
    "precision_at_recall": P_at_Recall,
    "modified_precision_at_recall": P_at_Recall_mod,
    "reciprocal_rank_at_recall": RR_at_Recall,
}

# The documents of these runs are in the order of their scores, and none comes twice.
IN_ORDER = ("dd16-mini-syn1", "dd16-odd-jig-sample", "dd17-odd-syn1")
# The documents of these are not, and turns are missing.
UNSORTED = ("dd16-mini-syn3", "dd17-odd-syn3")
# The topic whose passages of rating 0 are read as those of 1.
RATED_0 = "DD16-50"


def truth_of(name):
    """Return the name of the truth that a run is for: "dd17-odd" of "dd17-odd-syn1"."""
    return "-".join(name.split("-")[:2])


@pytest.fixture(scope="session")
def truth(shared):
    """Return the qrels that a run is for."""
    known = {}

    def read(name, level):
        key = truth_of(name), level
        if key not in known:
            (path,) = (shared / "trec-dd").glob(f"{key[0]}-truth.xml*")
            known[key] = read_dd_truth(path, level)
        return known[key]

    return read


@pytest.fixture(scope="session")
def sessions(shared):
    """Return a run with the lengths of its documents."""
    known = {}

    def read(name):
        if name not in known:
            (lengths,) = (shared / "trec-dd").glob(f"{truth_of(name)}-doc-lengths.tsv*")
            known[name] = read_dd_run(shared / "trec-dd" / "runs" / f"{name}.txt", doc_len=lengths)
        return known[name]

    return read


def our_measure(name, params):
    """Return our measure for the names of a row of the jig."""
    values = {key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", params)}
    return OF_THE_JIG[name](**values)


def beside(rows, ours, qrels, run):
    """Return our values for the rows of a run, means over the topics of the run among them, and those of the table."""
    values = {
        (metric.measure, metric.query_id): metric.value for metric in ir_measures.iter_calc(set(ours), qrels, run)
    }
    topics = run["qid"].unique()
    values |= {(measure, "all"): np.mean([values[measure, topic] for topic in topics]) for measure in set(ours)}
    return [values[key] for key in zip(ours, rows["query_id"], strict=True)], rows["value"].tolist()


@pytest.mark.parametrize("name", N_TOPICS)
def test_values_and_their_means_equal_those_of_the_jig(name, golden_by_run, truth, sessions):
    rows = golden_by_run(JIG)[name]
    rows = rows[rows["measure"].isin(OF_THE_JIG)]
    ours = [our_measure(*kind) for kind in zip(rows["measure"], rows["params"], strict=True)]

    values, expected = beside(rows, ours, truth(name, "passages"), sessions(name))

    assert len(values) == (N_TOPICS[name] + 1) * 5 * 6
    np.testing.assert_allclose(values, expected, atol=1e-9, rtol=0)


def test_documents_with_gains_give_the_values_of_the_jig_as_passages_do(golden_by_run, truth, sessions):
    rows = golden_by_run(JIG)["dd17-odd-syn2"]
    rows = rows[rows["measure"].isin(OF_THE_JIG) & (rows["measure"] != "EU")]
    ours = [our_measure(*kind) for kind in zip(rows["measure"], rows["params"], strict=True)]

    values, expected = beside(rows, ours, truth("dd17-odd-syn2", "documents"), sessions("dd17-odd-syn2"))

    np.testing.assert_allclose(values, expected, atol=1e-9, rtol=0)


def test_only_the_gain_without_time_and_the_normalised_utility_of_the_jig_are_left_out(golden):
    rows = golden(JIG)

    assert set(rows["measure"]) - set(OF_THE_JIG) == {"CT-gain", "nEU"}
    assert set(rows["run"]) == set(N_TOPICS)


def test_topics_missing_from_the_run_score_0_and_count_in_the_aggregate(truth, sessions):
    qrels, run = truth("dd16-odd-jig-sample", "documents"), sessions("dd16-odd-jig-sample")
    aggregated, metrics = ir_measures.calc([CT @ 10], qrels, run)
    values = {metric.query_id: metric.value for metric in metrics}

    missing = values.keys() - set(run["qid"])

    assert len(missing) == 2
    assert {values[topic] for topic in missing} == {0.0}
    assert aggregated[CT @ 10] == pytest.approx(sum(values.values()) / 27, abs=1e-15)


def of_the_harness(rows):
    """Return the rows that can be compared, and our measure for each."""
    rows = rows[rows["measure"].isin(OF_THE_HARNESS)]
    # The harness gives nothing for a rating of 0.
    differ = rows["measure"].str.startswith("average_err") & rows["query_id"].isin([RATED_0, "all"])
    if (rows["query_id"] == RATED_0).any():
        rows = rows[~differ]
    return rows, [OF_THE_HARNESS[name] for name in rows["measure"]]


@pytest.mark.parametrize("name", IN_ORDER)
def test_values_and_their_means_equal_those_of_the_harness(name, golden_by_run, truth, sessions):
    rows, ours = of_the_harness(golden_by_run(HARNESS)[name])

    values, expected = beside(rows, ours, truth(name, "documents"), sessions(name))

    assert len(values) == (N_TOPICS[name] + 1) * 5 - (4 if name == "dd16-mini-syn1" else 0)
    np.testing.assert_allclose(values, expected, atol=1e-9, rtol=0)


@pytest.mark.parametrize("name", UNSORTED)
def test_values_of_a_run_in_the_order_of_its_file_equal_those_of_the_harness(
    name, golden_by_run, truth, lines_in_order
):
    rows, ours = of_the_harness(golden_by_run(HARNESS)[name])

    values, expected = beside(rows, ours, truth(name, "documents"), lines_in_order(name))

    assert len(values) == (N_TOPICS[name] + 1) * 5 - (4 if name == "dd16-mini-syn3" else 0)
    np.testing.assert_allclose(values, expected, atol=1e-9, rtol=0)


@pytest.fixture(scope="session")
def lines_in_order(shared):
    """Return a run as the harness reads it: the score and the iteration play no part."""

    def read(name):
        path = shared / "trec-dd" / "runs" / f"{name}.txt"
        run = pd.read_csv(path, sep="\t", header=None, usecols=[0, 2], names=["qid", "docno"], dtype=str)
        return run.assign(score=-np.arange(len(run), dtype=float))

    return read


def test_only_a_topic_with_ratings_of_0_differs_from_the_harness(golden_by_run, truth, sessions):
    rows = golden_by_run(HARNESS)["dd16-mini-syn1"]
    rows = rows[rows["measure"] == "average_err_arithmetic"]
    values, expected = beside(rows, [ERR_arith] * 4, truth("dd16-mini-syn1", "documents"), sessions("dd16-mini-syn1"))

    differences = dict(zip(rows["query_id"], np.subtract(values, expected).tolist(), strict=True))

    assert differences == pytest.approx(
        {"DD16-3": 0, "DD16-12": 0, RATED_0: 0.0194421563, "all": 0.0194421563 / 3}, abs=1e-9
    )


def test_only_binary_and_unofficial_scores_of_the_harness_are_left_out(golden):
    rows = golden(HARNESS)
    others = {"average_err_arithmetic_binary", "average_err_harmonic_binary", "u_err", "cube_test(2015)"}

    assert set(rows["measure"]) - set(OF_THE_HARNESS) == others


def test_only_runs_with_repeated_documents_which_the_harness_counts_again_are_left_out(golden, sessions):
    left_out = set(golden(HARNESS)["run"]) - {*IN_ORDER, *UNSORTED}

    repeats = {name for name in N_TOPICS if sessions(name).duplicated(["qid", "docno"]).any()}

    assert left_out == repeats == {"dd16-mini-syn2", "dd17-odd-syn2"}
