import math

import ir_measures
import numpy as np
import pytest

from by_hand import values_by_query
from pyterrier_diversity import (
    AP_IA,
    ERR_IA,
    NRBP,
    NRBP_IA,
    P_IA,
    StRecall,
    alpha_DCG,
    alpha_DCG_IA,
    alpha_nDCG,
    alpha_nDCG_exact,
    alpha_nDCG_IA,
    nERR_IA,
    nNRBP,
    score,
)
from pyterrier_diversity.ideal import (
    NotProvenError,
)
from small_topics import qrels_of, random_masks

# The gains of the ranking a, b, z are 1, 1.5 and 0; those of the ideal one, b, a, are 2 and 0.5.
JUDGED = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "z": {"y": 0}}
LOG3 = math.log2(3)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (alpha_DCG @ 3, (1 + 1.5 / LOG3) / (2 * (1 + 0.5 / LOG3 + 0.25 / 2))),
        (alpha_DCG(alpha=0.0) @ 2, (1 + 2 / LOG3) / (2 * (1 + 1 / LOG3))),
        (alpha_DCG(alpha=1.0) @ 2, (1 + 1 / LOG3) / 2),
        (alpha_nDCG @ 3, (1 + 1.5 / LOG3) / (2 + 0.5 / LOG3)),
        (alpha_nDCG, (1 + 1.5 / LOG3) / (2 + 0.5 / LOG3)),
        (alpha_nDCG @ 1, 1 / 2),
        (alpha_nDCG(alpha=0.25) @ 2, (1 + 1.75 / LOG3) / (2 + 0.75 / LOG3)),
        (ERR_IA @ 3, (1 + 1.5 / 2) / (2 * (1 + 0.5 / 2 + 0.25 / 3))),
        (nERR_IA @ 3, (1 + 1.5 / 2) / (2 + 0.5 / 2)),
        (nERR_IA, (1 + 1.5 / 2) / (2 + 0.5 / 2)),
        (NRBP, (1 + 0.5 * 1.5) * (1 - 0.5 * 0.5) / 2),
        (NRBP(alpha=0.25, beta=0.8), (1 + 0.8 * 1.75) * (1 - 0.75 * 0.8) / 2),
        (NRBP(beta=0.0), 1 / 2),
        (nNRBP, (1 + 0.5 * 1.5) / (2 + 0.5 * 0.5)),
        (nNRBP(alpha=0.25, beta=0.8), (1 + 0.8 * 1.75) / (2 + 0.8 * 0.75)),
    ],
    ids=repr,
)
def test_values_of_three_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, JUDGED, "abz") == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("measure", [ERR_IA @ 1, alpha_DCG @ 1], ids=repr)
def test_a_cutoff_of_1_is_normalised_though_ndeval_leaves_it_out(measure, topic, value_of):
    qrels, run = topic(JUDGED, "abz")

    value = value_of(measure, JUDGED, "abz")

    assert value == 1 / 2
    assert [metric.value for metric in ir_measures.pyndeval.iter_calc([measure], qrels, run)] == [1.0]


@pytest.mark.parametrize(
    "measure", [ERR_IA, alpha_DCG, alpha_DCG(alpha=0.1, rel=2), ERR_IA(judged_only=True)], ids=repr
)
def test_a_perfect_list_needs_a_cutoff(measure, value_of):
    name = measure.NAME

    with pytest.raises(ValueError, match=f"^{name} needs a cutoff, as in {name}@20: it divides by a perfect list"):
        value_of(measure, JUDGED, "a")


SIX = [
    alpha_DCG,
    alpha_DCG(alpha=0.1),
    alpha_DCG(alpha=1.0),
    alpha_nDCG,
    alpha_nDCG(alpha=0.1),
    alpha_nDCG(alpha=0.75),
    ERR_IA,
    nERR_IA,
]
WITHOUT_CUTOFF = [NRBP, NRBP(alpha=0.1, beta=0.8), nNRBP, nNRBP(alpha=0.75), nNRBP(alpha=0.1, beta=0.9), NRBP(rel=2)]
PEERS = [
    *(measure @ cutoff for measure in (*SIX, P_IA, StRecall) for cutoff in (2, 5, 10, 20)),
    *WITHOUT_CUTOFF,
    *(alpha_nDCG(rel=2) @ 10, nERR_IA(rel=2) @ 10, P_IA @ 1, P_IA(rel=2) @ 5, AP_IA, AP_IA(rel=2), StRecall(rel=2) @ 5),
]


def test_values_equal_those_of_pyndeval(random_topics):
    qrels, run = random_topics(0, n_queries=15)
    ours = values_by_query(PEERS, qrels, run)

    # One call each: in ir_measures only the first set of parameters sees the rows of the run.
    peers = {
        (repr(measure), metric.query_id): metric.value
        for measure in PEERS
        for metric in ir_measures.pyndeval.iter_calc([measure], qrels, run)
    }

    assert ours == pytest.approx(peers, abs=1e-9)


@pytest.mark.parametrize("measure", [ERR_IA, alpha_DCG, alpha_DCG(alpha=0.9), alpha_DCG(alpha=1.0)], ids=repr)
def test_a_cutoff_that_stands_for_all_costs_nothing(measure, value_of):
    assert value_of(measure @ 10**15, JUDGED, "abz") == pytest.approx(
        value_of(measure @ 5000, JUDGED, "abz"), abs=1e-12
    )


def test_the_ideal_breaks_ties_by_the_highest_name(value_of):
    # All tie at first. With c taken, as ndeval does, one new intent is left to each of the others; a and b have none in
    # common.
    judged = {"a": {"x": 1, "w": 1}, "b": {"y": 1, "z": 1}, "c": {"x": 1, "y": 1}}

    value = value_of(alpha_nDCG(alpha=1.0) @ 2, judged, "ab")

    assert value == pytest.approx((2 + 2 / LOG3) / (2 + 1 / LOG3), abs=1e-15)


def test_a_perfect_list_that_is_too_long_to_sum_is_refused(value_of):
    with pytest.raises(ValueError, match=r"alpha_DCG\(alpha=0.0\)@100000000000: the cutoff must not exceed 10000000"):
        value_of(alpha_DCG(alpha=0.0) @ 10**11, JUDGED, "a")


# At rank 2 and with full intolerance the best documents are a and b; greedy takes c and b.
GREEDY_IS_WRONG = {
    "a": {"1": 1, "2": 1, "5": 1},
    "b": {"3": 1, "4": 1, "6": 1},
    "c": {"1": 1, "2": 1, "3": 1, "4": 1},
}


@pytest.mark.parametrize(
    ("measure", "ranking", "value"),
    [
        (alpha_nDCG_exact(alpha=1.0) @ 1, "cb", 1),
        (alpha_nDCG_exact(alpha=1.0) @ 2, "cb", (4 + 1 / LOG3) / (3 + 3 / LOG3)),
        (alpha_nDCG_exact(alpha=1.0) @ 2, "ab", 1),
        (alpha_nDCG(alpha=1.0) @ 2, "ab", (3 + 3 / LOG3) / (4 + 1 / LOG3)),
        (alpha_nDCG_exact @ 2, "cb", 1),
        (alpha_nDCG_exact @ 2, "ab", (3 + 3 / LOG3) / (4 + (1 + 2 * 0.5) / LOG3)),
        (alpha_nDCG_exact @ 2, "uc", (4 / LOG3) / (4 + (1 + 2 * 0.5) / LOG3)),
    ],
    ids=repr,
)
def test_exact_values_where_greedy_is_wrong(measure, ranking, value, value_of):
    assert value_of(measure, GREEDY_IS_WRONG, ranking) == pytest.approx(value, abs=1e-15)


def test_an_exact_value_whose_proof_takes_longer_than_its_time_limit_is_an_error():
    qrels = qrels_of([random_masks(0, 200, 100, 0.1)])
    run = {"0": dict.fromkeys(qrels["docno"], 1.0)}

    with pytest.raises(NotProvenError, match="time_limit"):
        ir_measures.calc_aggregate([alpha_nDCG_exact(time_limit=0.01) @ 20], qrels, run)


# r of a: 3/4 for x, 1/2 for y; of c: 1/4 for x. The measures below are graded, and weighted.
GRADED = {"a": {"x": 2, "y": 1}, "b": {"x": 0, "y": 0}, "c": {"x": 1}}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (alpha_DCG_IA, 5 / 8 + 1 / 2 * (1 / 4 * 1 / 2) / 2),
        (alpha_DCG_IA @ 2, 5 / 8),
        (alpha_DCG_IA(alpha=0.0) @ 3, 5 / 8 + 1 / 2 * 1 / 4 / 2),
        (alpha_DCG_IA(alpha=1.0) @ 3, 5 / 8),
        (alpha_DCG_IA(gain="linear"), 1 + 1 / 2 * (1 / 2 * 1 / 2) / 2),
        (alpha_DCG_IA(gain="binary"), 1 + 1 / 2 * (1 / 2) / 2),
        (alpha_DCG_IA(max_rel=3), (3 / 8 + 1 / 8) / 2 + 1 / 2 * (1 / 8 * 1 / 2) / 2),
        (alpha_DCG_IA(rel=2), 3 / 4),
        (NRBP_IA, 5 / 8 + 0.64 * (1 / 4 * 1 / 2) / 2),
        (NRBP_IA @ 2, 5 / 8),
        (NRBP_IA(p=0.5, alpha=0.25), 5 / 8 + 0.25 * (1 / 4 * 3 / 4) / 2),
        (NRBP_IA(gain="linear", max_rel=4), (1 / 2 + 1 / 4) / 2 + 0.64 * (1 / 4 * 1 / 2) / 2),
        (NRBP_IA(gain="binary"), 1 + 0.64 * (1 / 2) / 2),
        (NRBP_IA(rel=2), 3 / 4),
    ],
    ids=repr,
)
def test_graded_values_of_three_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, GRADED, "abc") == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (alpha_nDCG_IA @ 1, 1 / 4 * 3 / 4 / (3 / 4 * 3 / 4)),
        (alpha_nDCG_IA(gain="linear") @ 2, (1 / 4 + 3 / 4 / math.log2(3)) / (3 / 4 + 1 / 4 / math.log2(3))),
        (alpha_nDCG_IA(gain="binary") @ 3, 1),
    ],
    ids=str,
)
def test_normalised_graded_values_worked_by_hand(measure, expected):
    labels = [[2, 0], [0, 2]] if measure["gain"] != "binary" else [[0, 1], [1, 0]]

    assert score(measure, labels, weights=[1, 3]) == pytest.approx(expected, abs=1e-15)


def test_a_low_label_can_use_up_an_intent_in_the_greedy_ideal_ranking():
    # Greedy takes the first document, after which the others gain nothing; they are worth more without it.
    others = 4 * np.eye(6)
    first = [2] * 6

    assert score(alpha_nDCG_IA(alpha=1, gain="linear"), others, others=[first]) > 1
