from math import log2

import pandas as pd
import pytest
from ir_measures import nDCG

from pyterrier_diversity import D_Q, DIN_Q, D_nDCG, DIN_nDCG, EfP

# Fig. 1 of Sakai (2013), a document of rank 5 that is L1-relevant: i is informational, j navigational.
# Global gains of a, b, d, e: 1/2, 4, 7/2, 1/2.
FIGURE_1 = {"a": {"i": 1}, "b": {"i": 3, "j": 1}, "d": {"j": 3}, "e": {"i": 1}}
NAVIGATIONAL = "j"

CUTOFFS = [1, 2, 3, 5, 10, 1000, None]


IDEAL_DCG = 4 + 3.5 / log2(3) + 0.5 / 2 + 0.5 / log2(5)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (D_nDCG, (0.5 + 4 / log2(3) + 3.5 / log2(5) + 0.5 / log2(6)) / IDEAL_DCG),
        (D_nDCG @ 1, 0.5 / 4),
        (D_nDCG @ 2, (0.5 + 4 / log2(3)) / (4 + 3.5 / log2(3))),
        (D_nDCG @ 3, (0.5 + 4 / log2(3)) / (4 + 3.5 / log2(3) + 0.5 / 2)),
        (DIN_nDCG, (0.5 + 4 / log2(3) + 0.5 / log2(6)) / IDEAL_DCG),
        (DIN_nDCG @ 2, (0.5 + 4 / log2(3)) / (4 + 3.5 / log2(3))),
        (DIN_nDCG @ 4, (0.5 + 4 / log2(3)) / IDEAL_DCG),
        (D_Q, (1.5 / (1 + 4) + 6.5 / (2 + 7.5) + 11 / (4 + 8.5) + 12.5 / (5 + 8.5)) / 4),
        (D_Q @ 1, 1.5 / (1 + 4)),
        (D_Q @ 3, (1.5 / (1 + 4) + 6.5 / (2 + 7.5)) / 3),
        (D_Q(beta=10), (6 / (1 + 40) + 47 / (2 + 75) + 83 / (4 + 85) + 89 / (5 + 85)) / 4),
        (D_Q(beta=0), (1 + 1 + 3 / 4 + 4 / 5) / 4),
        (DIN_Q, (1.5 / (1 + 4) + 6.5 / (2 + 7.5) + 8 / (5 + 8.5)) / 4),
        (DIN_Q @ 4, (1.5 / (1 + 4) + 6.5 / (2 + 7.5)) / 4),
        (DIN_Q(beta=0), (1 + 1 + 3 / 5) / 4),
        (EfP @ 1, 1),
        (EfP @ 3, 2 / 3),
        (EfP @ 4, 2 / 4),
    ],
    ids=repr,
)
def test_values_of_figure_1_worked_by_hand(measure, value, value_of):
    assert value_of(measure, FIGURE_1, "abcde", navigational=NAVIGATIONAL) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "value"),
    [  # global gains of a, b, d, e: 3/4, 11/2, 7/4, 3/4
        (D_nDCG @ 2, (0.75 + 5.5 / log2(3)) / (5.5 + 1.75 / log2(3))),
        (DIN_nDCG @ 4, (0.75 + 5.5 / log2(3)) / (5.5 + 1.75 / log2(3) + 0.75 / 2 + 0.75 / log2(5))),
        (D_Q @ 4, (1.75 / (1 + 5.5) + 8.25 / (2 + 7.25) + 11 / (4 + 8.75)) / 4),
        (DIN_Q @ 4, (1.75 / (1 + 5.5) + 8.25 / (2 + 7.25)) / 4),
    ],
    ids=repr,
)
def test_the_global_gain_weighs_intents_by_their_weights(measure, value, value_of):
    weights = {"i": 3, "j": 1}

    assert value_of(measure, FIGURE_1, "abcde", weights, NAVIGATIONAL) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "value"),
    [  # global gains of a, b, d, e: 1/2, 2, 3/2, 1/2, and 1/2, 1, 1/2, 1/2
        (D_nDCG(gain="linear") @ 2, (0.5 + 2 / log2(3)) / (2 + 1.5 / log2(3))),
        (D_nDCG(gain="binary") @ 2, (0.5 + 1 / log2(3)) / (1 + 0.5 / log2(3))),
        (DIN_nDCG(gain="linear") @ 4, (0.5 + 2 / log2(3)) / (2 + 1.5 / log2(3) + 0.5 / 2 + 0.5 / log2(5))),
        (DIN_nDCG(gain="binary") @ 4, (0.5 + 1 / log2(3)) / (1 + 0.5 / log2(3) + 0.5 / 2 + 0.5 / log2(5))),
        (D_Q(gain="linear") @ 2, (1.5 / (1 + 2) + 4.5 / (2 + 3.5)) / 2),
        (D_Q(gain="binary") @ 2, (1.5 / (1 + 1) + 3.5 / (2 + 1.5)) / 2),
        (DIN_Q(gain="linear") @ 4, (1.5 / (1 + 2) + 4.5 / (2 + 3.5)) / 4),
        (DIN_Q(gain="binary") @ 4, (1.5 / (1 + 1) + 3.5 / (2 + 1.5)) / 4),
    ],
    ids=repr,
)
def test_gain_makes_labels_values(measure, value, value_of):
    assert value_of(measure, FIGURE_1, "abcde", navigational=NAVIGATIONAL) == pytest.approx(value, abs=1e-12)


def test_effective_precision_of_figure_1_is_that_of_the_paper(value_of):
    assert value_of(EfP @ 5, FIGURE_1, "abcde", navigational=NAVIGATIONAL) == 3 / 5


def test_a_document_is_effective_if_it_is_the_first_for_one_of_its_navigational_intents(value_of):
    judged = {"a": {"j": 1}, "b": {"j": 1, "k": 1}, "c": {"k": 1, "j": 1}}

    assert value_of(EfP @ 3, judged, "abc", navigational="jk") == 2 / 3


def test_a_document_that_repeats_a_navigational_intent_is_effective_for_an_informational_one(value_of):
    judged = {"a": {"j": 1}, "b": {"j": 1, "i": 1}, "c": {"j": 1, "i": 1}}

    assert value_of(EfP @ 3, judged, "abc", navigational="j") == 1


@pytest.mark.parametrize("cutoff", CUTOFFS[:-1])
def test_d_ndcg_of_one_intent_with_linear_gains_is_the_ndcg_of_ir_measures(cutoff, random_topics, by_query):
    qrels, run = random_topics(0)
    qrels = qrels.query("iteration == 'intent 0'")

    expected = by_query(nDCG @ cutoff, qrels, run)

    assert by_query(D_nDCG(gain="linear") @ cutoff, qrels, run) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("measure", [DIN_nDCG, DIN_Q], ids=repr)
def test_din_of_a_perfect_ranking_may_be_below_1(measure, value_of):
    assert value_of(measure, {"a": {"j": 2}, "b": {"j": 1}}, "ab", navigational="j") < 0.9


@pytest.mark.parametrize("measure", [DIN_nDCG, DIN_Q, EfP], ids=repr)
def test_an_unsatisfying_document_leaves_a_navigational_intent_open(measure, value_of):
    judged = {"a": {"j": 0, "i": 1}, "n": {"j": -2}, "b": {"j": 1}}

    assert value_of(measure, judged, "anb", navigational="j") > value_of(measure, judged, "anu", navigational="j")


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (D_nDCG, 4 / IDEAL_DCG),
        (DIN_nDCG, 4 / IDEAL_DCG),
        (D_Q, 1 / 4),
        (DIN_Q, 1 / 4),
    ],
    ids=repr,
)
@pytest.mark.parametrize("cutoff", [4, 5, None])
def test_the_ideal_ranking_is_longer_than_one_without_all_relevant_documents(measure, value, cutoff, value_of):
    assert value_of(measure(cutoff=cutoff), FIGURE_1, "b") == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("measure", [D_Q, DIN_Q], ids=repr)
def test_q_at_a_cutoff_larger_than_the_relevant_documents_divides_by_their_number(measure, value_of):
    # The ideal list ends with its second document: 1 + 1 below rank 1.
    value = value_of(measure @ 10, {"a": {"i": 1}, "b": {"i": 1}}, "auvb")

    assert value == pytest.approx((1 + (2 + 2) / (4 + 2)) / 2, abs=1e-12)


def test_the_first_document_of_each_navigational_intent_of_each_query_counts(topic, by_query):
    weights = {"i": 1, "j": 2}
    q = topic({"a": {"j": 1}, "b": {"i": 1, "j": 1}, "c": {"i": 1}}, "abc", weights, "q", "i")
    r = topic({"a": {"i": 1, "j": 1}, "b": {"i": 1, "j": 1}, "c": {"j": 1}}, "abc", weights, "r", "j")
    qrels, run = (pd.concat(frames) for frames in zip(q, r, strict=True))

    values = by_query(DIN_nDCG(gain="binary"), qrels, run)

    # What counts of a, b and c are the intents j; i and j; none: and i and j; i; none.
    expected = {
        "q": (2 + 3 / log2(3) + 0) / (3 + 2 / log2(3) + 1 / 2),
        "r": (3 + 1 / log2(3) + 0) / (3 + 3 / log2(3) + 2 / 2),
    }
    assert values == pytest.approx(expected, abs=1e-12)
