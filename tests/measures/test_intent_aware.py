from __future__ import annotations

import numpy as np
import pytest

from pyterrier_diversity import AP_IA, P_IA, StRecall
from pyterrier_diversity.measures.intent_aware import average_precision_ia, precision_ia, subtopic_recall

JUDGED = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"z": 1}, "d": {"x": 1}, "n": {"y": 0}}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (P_IA @ 1, 1 / 3),
        (P_IA @ 3, (2 / 3 + 1 / 3) / 3),
        (P_IA @ 10, (2 / 10 + 1 / 10) / 3),
        (P_IA, (2 / 3 + 1 / 3) / 3),
        (AP_IA, ((1 + 2 / 3) / 3 + 1 / 3) / 3),
        (StRecall @ 1, 1 / 3),
        (StRecall @ 3, 2 / 3),
        (StRecall, 2 / 3),
    ],
    ids=repr,
)
def test_values_of_three_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, JUDGED, "anb") == pytest.approx(value, abs=1e-15)


NINE_LESS_SIX = [*(measure @ k for measure in (P_IA, StRecall) for k in (1, 2, 5, 10, 20)), AP_IA]
PEERS = [*NINE_LESS_SIX, P_IA(rel=2) @ 5, StRecall(rel=3) @ 10, AP_IA(rel=2)]


@pytest.mark.parametrize("seed", range(10))
def test_values_equal_those_of_pyndeval(seed, beside_pyndeval):
    ours, peers = beside_pyndeval(PEERS, seed)

    assert ours == pytest.approx(peers, abs=1e-9)


def test_precision_divides_by_the_cutoff_even_if_fewer_documents_were_retrieved(value_of):
    assert value_of(P_IA @ 100, {"a": {"x": 1}}, "a") == 1 / 100


def test_precision_without_a_cutoff_divides_by_the_length_of_the_ranking(value_of):
    assert value_of(P_IA, {"a": {"x": 1}}, "auvw") == 1 / 4


def test_precision_at_a_cutoff_that_no_ranking_reaches_is_not_negative(value_of):
    assert value_of(P_IA @ 2**62, JUDGED, "anb") >= 0


def test_average_precision_counts_relevant_documents_that_the_run_lacks(value_of):
    assert value_of(AP_IA, {"a": {"x": 1}, "b": {"x": 1}}, "a") == 1 / 2


@pytest.mark.parametrize("measure", [P_IA @ 2, AP_IA], ids=repr)
def test_judged_only_takes_unjudged_documents_out_of_the_ranking(measure, value_of):
    lifted = value_of(measure(judged_only=True), JUDGED, "unvab")

    assert lifted == value_of(measure, JUDGED, "nab")
    assert lifted > value_of(measure, JUDGED, "unvab")


def test_precision_of_judged_documents_divides_by_their_number(value_of):
    assert value_of(P_IA(judged_only=True), {"a": {"x": 1}, "n": {"x": 0}}, "uanv") == 1 / 2


@pytest.mark.parametrize("measure", [P_IA @ 3, AP_IA, StRecall @ 2], ids=repr)
def test_rel_makes_lower_labels_and_their_intents_irrelevant(measure, value_of):
    graded = {"a": {"x": 1, "y": 2}, "b": {"x": 1}, "c": {"y": 3, "z": 1}, "d": {"y": 1, "w": 2}}

    value = value_of(measure(rel=2), graded, "bac")

    assert value == value_of(measure, {"a": {"y": 1}, "c": {"y": 1}, "d": {"w": 1}}, "bac")


@pytest.mark.parametrize("measure", [P_IA @ 3, AP_IA, StRecall @ 2], ids=repr)
def test_labels_are_read_as_binary(measure, value_of):
    graded = {doc: {t: label * 3.5 - (label == 0) for t, label in row.items()} for doc, row in JUDGED.items()}

    assert value_of(measure, graded, "anb") == value_of(measure, JUDGED, "anb")


@pytest.mark.parametrize("measure", [P_IA @ 3, AP_IA, StRecall @ 2], ids=repr)
def test_weights_of_intents_change_nothing(measure, value_of):
    weights = {"x": 9, "y": 0.1, "z": 1}

    assert value_of(measure, JUDGED, "anb", weights=weights) == value_of(measure, JUDGED, "anb")


@pytest.mark.parametrize("measure", [P_IA @ 3, AP_IA, StRecall @ 2], ids=repr)
def test_an_intent_without_relevant_documents_is_left_out(measure, value_of):
    judged = {**JUDGED, "m": {"w": 0, "v": -2}}

    assert value_of(measure, judged, "anb") == value_of(measure, JUDGED, "anb")


@pytest.mark.parametrize("measure", [P_IA @ 3, P_IA, AP_IA, StRecall @ 2], ids=repr)
def test_a_query_without_relevant_documents_scores_0(measure, value_of):
    assert value_of(measure, {"a": {"x": 0, "y": -2}}, "a") == 0


@pytest.mark.parametrize("measure", [P_IA @ 3, P_IA, AP_IA, StRecall @ 2], ids=repr)
def test_a_ranking_of_nothing_but_unjudged_documents_scores_0(measure, value_of):
    assert value_of(measure, JUDGED, "uvw") == 0


def test_the_kernels_ignore_intents_that_only_pad():
    relevant, padded = [[1, 0], [1, 1]], [[1, 0, 0], [1, 1, 0]]

    assert precision_ia(padded, [True, True, False]) == precision_ia(relevant, [True, True])
    assert average_precision_ia(padded, [2, 1, 0]) == average_precision_ia(relevant, [2, 1])
    assert subtopic_recall(padded, [True, True, False]) == subtopic_recall(relevant, [True, True])


def test_the_kernels_give_0_for_a_query_without_intents():
    nothing = np.zeros((3, 2))

    assert precision_ia(nothing, [False, False]) == 0
    assert average_precision_ia(nothing, [0, 0]) == 0
    assert subtopic_recall(nothing, [False, False]) == 0


def test_the_kernels_score_a_batch_as_its_rankings_one_by_one():
    relevant = np.random.default_rng(0).random((4, 5, 3)) < 0.5
    intents, n_relevant = np.ones((4, 3), dtype=bool), np.full((4, 3), 5)

    batch = [precision_ia(relevant, intents), average_precision_ia(relevant, n_relevant)]

    assert batch[0].tolist() == [precision_ia(r, [True] * 3).item() for r in relevant]
    assert batch[1].tolist() == [average_precision_ia(r, [5] * 3).item() for r in relevant]


def test_average_precision_takes_the_ranks_it_is_given():
    assert average_precision_ia([[1], [1]], n_relevant=[2], ranks=[2, 4]) == (1 / 2 + 2 / 4) / 2
