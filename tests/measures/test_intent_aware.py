from __future__ import annotations

from itertools import combinations

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity import AP_IA, P_IA, nP_IA, score
from small_topics import judged_topics

JUDGED = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"z": 1}, "d": {"x": 1}, "n": {"y": 0}}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (P_IA @ 1, 1 / 3),
        (P_IA @ 3, (2 / 3 + 1 / 3) / 3),
        (P_IA @ 10, (2 / 10 + 1 / 10) / 3),
        (P_IA, (2 / 3 + 1 / 3) / 3),
        (AP_IA, ((1 + 2 / 3) / 3 + 1 / 3) / 3),
        (nP_IA @ 1, 1 / 2),
        (nP_IA @ 2, 1 / 3),
        (nP_IA @ 3, 3 / 4),
        (nP_IA @ 10, 3 / 5),
        (nP_IA, 3 / 5),
    ],
    ids=repr,
)
def test_values_of_three_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, JUDGED, "anb") == pytest.approx(value, abs=1e-15)


PEERS = [*(P_IA @ k for k in (1, 2, 5, 10, 20)), AP_IA, P_IA(rel=2) @ 5, AP_IA(rel=2)]


@pytest.mark.parametrize("seed", range(3))
def test_values_equal_those_of_pyndeval(seed, beside_pyndeval):
    ours, peers = beside_pyndeval(PEERS, seed)

    assert ours == pytest.approx(peers, abs=1e-9)


def test_precision_divides_by_the_cutoff_even_if_fewer_documents_were_retrieved(value_of):
    assert value_of(P_IA @ 100, {"a": {"x": 1}}, "a") == 1 / 100


def test_precision_without_a_cutoff_divides_by_the_length_of_the_ranking(value_of):
    assert value_of(P_IA, {"a": {"x": 1}}, "auvw") == 1 / 4


def test_precision_at_a_cutoff_that_no_ranking_reaches_is_not_negative(value_of):
    assert value_of(P_IA @ 2**62, JUDGED, "anb") >= 0


def test_average_precision_counts_relevant_documents_that_are_not_retrieved(value_of):
    assert value_of(AP_IA, {"a": {"x": 1}, "b": {"x": 1}}, "a") == 1 / 2


@pytest.mark.parametrize("measure", [P_IA @ 2, AP_IA], ids=repr)
def test_judged_only_takes_unjudged_documents_out_of_the_ranking(measure, value_of):
    lifted = value_of(measure(judged_only=True), JUDGED, "unvab")

    assert lifted == value_of(measure, JUDGED, "nab")
    assert lifted > value_of(measure, JUDGED, "unvab")


def test_precision_of_judged_documents_divides_by_their_number(value_of):
    assert value_of(P_IA(judged_only=True), {"a": {"x": 1}, "n": {"x": 0}}, "uanv") == 1 / 2


@pytest.mark.parametrize("measure", [P_IA @ 3, AP_IA, nP_IA @ 2], ids=repr)
def test_rel_makes_lower_labels_and_their_intents_irrelevant(measure, value_of):
    graded = {"a": {"x": 1, "y": 2}, "b": {"x": 1}, "c": {"y": 3, "z": 1}, "d": {"y": 1, "w": 2}}

    value = value_of(measure(rel=2), graded, "bac")

    assert value == value_of(measure, {"a": {"y": 1}, "c": {"y": 1}, "d": {"w": 1}}, "bac")


@pytest.mark.parametrize("measure", [P_IA @ 3, AP_IA, nP_IA @ 2], ids=repr)
def test_labels_are_read_as_binary(measure, value_of):
    graded = {doc: {t: label * 3.5 - (label == 0) for t, label in row.items()} for doc, row in JUDGED.items()}

    assert value_of(measure, graded, "anb") == value_of(measure, JUDGED, "anb")


@pytest.mark.parametrize("measure", [P_IA @ 3, AP_IA], ids=repr)
def test_weights_of_intents_change_nothing(measure, value_of):
    weights = {"x": 9, "y": 0.1, "z": 1}

    assert value_of(measure, JUDGED, "anb", weights=weights) == value_of(measure, JUDGED, "anb")


@pytest.mark.parametrize("measure", [P_IA @ 3, AP_IA, nP_IA @ 2], ids=repr)
def test_an_intent_without_relevant_documents_is_left_out(measure, value_of):
    judged = {**JUDGED, "m": {"w": 0, "v": -2}}

    assert value_of(measure, judged, "anb") == value_of(measure, JUDGED, "anb")


@pytest.mark.parametrize("measure", [P_IA @ 3, P_IA, AP_IA, nP_IA @ 2, nP_IA], ids=repr)
def test_a_query_without_relevant_documents_scores_0(measure, value_of):
    assert value_of(measure, {"a": {"x": 0, "y": -2}}, "a") == 0


@pytest.mark.parametrize("measure", [P_IA @ 3, P_IA, AP_IA, nP_IA @ 2, nP_IA], ids=repr)
def test_a_ranking_of_nothing_but_unjudged_documents_scores_0(measure, value_of):
    assert value_of(measure, JUDGED, "uvw") == 0


def test_precision_without_an_intent_that_has_relevant_documents_is_0():
    nothing = np.zeros((3, 2))

    assert score(P_IA, nothing) == 0
    assert score(AP_IA, nothing) == 0


def test_average_precision_takes_the_true_ranks():
    assert score(AP_IA, [0, 1, 0, 1]) == (1 / 2 + 2 / 4) / 2


# The best ranking under these is c, b, and then a and d, which are worth the same.
WEIGHTS = {"x": 1, "y": 2, "z": 5}


@pytest.mark.parametrize(
    ("cutoff", "value"), [(1, 1 / 5), (2, 1 / (5 + 3)), (3, (1 + 3) / (5 + 3 + 1)), (9, (1 + 3) / (5 + 3 + 1 + 1))]
)
def test_normalised_precision_weighs_intents(cutoff, value, value_of):
    assert value_of(nP_IA @ cutoff, JUDGED, "anb", weights=WEIGHTS) == pytest.approx(value, abs=1e-15)


def slowly(judged, weights, ranking, cutoff, rel):
    """Return the weight of what a ranking finds over the most that any choice of as many documents finds."""
    worth = {
        doc: sum(weights[t] for t, label in labels.items() if (label > 0 if rel is None else label >= rel))
        for doc, labels in judged.items()
    }
    found = sum(worth.get(doc, 0) for doc in ranking[:cutoff])
    sizes = min(len(worth), cutoff or len(worth))
    most = max(sum(worth[doc] for doc in some) for some in combinations(worth, sizes))
    return found / most if most else 0


@settings(max_examples=100, deadline=None)
@given(
    drawn=judged_topics(max_intents=4),
    cutoff=st.sampled_from([None, 1, 2, 3, 5, 20]),
    rel=st.sampled_from([None, 1, 2]),
)
def test_normalised_precision_is_1_for_the_best_of_all_choices_of_documents(drawn, cutoff, rel, value_of):
    judged, weights, ranking = drawn

    value = value_of(nP_IA(cutoff=cutoff, rel=rel), judged, ranking, weights=weights)

    assert value == pytest.approx(slowly(judged, weights, ranking, cutoff, rel), abs=1e-12)


@pytest.mark.parametrize("cutoff", [1, 2, 3, 4, 100, None])
def test_documents_by_the_weight_of_their_intents_have_a_normalised_precision_of_1(cutoff, value_of):
    assert value_of(nP_IA(cutoff=cutoff), JUDGED, "cbda", weights=WEIGHTS) == pytest.approx(1, abs=1e-15)


def test_normalised_precision_does_not_look_for_novelty(value_of):
    judged = {"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 1}, "c": {"z": 1}}

    assert value_of(nP_IA @ 2, judged, "ab") == 1
    assert value_of(nP_IA @ 2, judged, "ac") == pytest.approx(3 / 4, abs=1e-15)


def test_normalised_precision_is_that_over_the_precision_of_the_best_ranking(value_of):
    value, best = (value_of(P_IA @ 3, JUDGED, ranking) for ranking in ("anb", "bac"))

    assert value_of(nP_IA @ 3, JUDGED, "anb") == pytest.approx(value / best, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "text"), [(nP_IA @ 10, "nP_IA@10"), (nP_IA, "nP_IA"), (nP_IA(rel=2) @ 5, "nP_IA(rel=2.0)@5")]
)
def test_the_names_of_normalised_precision_parse(measure, text):
    assert repr(measure) == text
    assert ir_measures.parse_measure(text) == measure
