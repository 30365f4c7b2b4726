from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity import AP_IA, P_IA, nP_IA
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


def test_precision_at_a_cutoff_that_no_ranking_reaches_is_not_negative(value_of):
    assert value_of(P_IA @ 2**62, JUDGED, "anb") >= 0


def test_precision_of_judged_documents_divides_by_their_number(value_of):
    assert value_of(P_IA(judged_only=True), {"a": {"x": 1}, "n": {"x": 0}}, "uanv") == 1 / 2


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
