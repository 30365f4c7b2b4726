import re

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RBP

from pyterrier_diversity import RBU, score

# r of a: 3/4 for x, 1/2 for y; of c: 1/2 for y.
JUDGED = {"a": {"x": 2, "y": 1}, "b": {"x": 0, "y": 0}, "c": {"y": 1}}


def test_rbu_of_three_documents_worked_by_hand(value_of):
    value = value_of(RBU(p=0.5, e=0.1), JUDGED, "abc")

    first = 0.5 * ((3 / 4 + 1 / 2) / 2 - 0.1)
    second = 0.25 * (0 - 0.1)
    third = 0.125 * (1 / 2 * (1 - 1 / 2) / 2 - 0.1)
    assert value == pytest.approx(first + second + third, abs=1e-15)


def test_rbu_weighs_intents_by_their_weights(value_of):
    value = value_of(RBU(p=0.5, e=0.1), JUDGED, "abc", weights={"x": 3, "y": 1})

    first = 0.5 * (3 / 4 * 3 / 4 + 1 / 4 * 1 / 2 - 0.1)
    second = 0.25 * (0 - 0.1)
    third = 0.125 * (1 / 4 * 1 / 2 * (1 - 1 / 2) - 0.1)
    assert value == pytest.approx(first + second + third, abs=1e-15)


@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
def test_rbu_with_one_intent_and_no_effort_is_a_scaled_rbp(p, random_topics, by_query):
    qrels, run = random_topics(1)
    qrels = qrels.query("iteration == 'intent 0'").assign(relevance=lambda rows: (rows["relevance"] > 0).astype(int))

    # So small a probability of relevance leaves the next document as good as untouched.
    values = by_query(RBU(p=p, e=0, max_rel=40), qrels, run)

    ranked = {metric.query_id: metric.value for metric in ir_measures.cwl_eval.iter_calc([RBP(p=p, rel=1)], qrels, run)}
    scaled = {query: value / 2.0**-40 for query, value in values.items()}
    assert scaled == pytest.approx({query: p * value / (1 - p) for query, value in ranked.items()}, abs=1e-9)
    assert len({round(value, 6) for value in ranked.values()}) > 3


@pytest.mark.parametrize("one", [1, 1.0, np.float64(1)])
def test_rbu_cannot_be_normalised_without_impatience(one):
    with pytest.raises(ValueError, match=r"^RBU: norm=True needs p in \(0, 1\), not 1.0, as it multiplies"):
        RBU(p=one, norm=True)


def test_rbu_refuses_normalisation_that_comes_after_p():
    with pytest.raises(ValueError, match="RBU: norm=True needs p"):
        RBU(p=1)(norm=True)


@pytest.mark.parametrize(("cutoff", "ranks"), [(1, 1), (2, 2), (3, 3), (4, 3), (1000, 3), (None, 3)])
def test_effort_is_charged_down_to_the_cutoff_or_the_end_of_the_ranking(cutoff, ranks, value_of):
    value = value_of(RBU(p=0.5, e=0.1, cutoff=cutoff), {"a": {"x": 1}}, "uvw")

    assert value == pytest.approx(-0.1 * sum(0.5**i for i in range(1, ranks + 1)), abs=1e-15)


def test_effort_without_impatience_is_the_same_at_every_rank(value_of):
    assert value_of(RBU(p=1, e=0.1), {"a": {"x": 1}}, "uvw") == pytest.approx(-0.3, abs=1e-15)


def test_effort_is_continuous_where_impatience_ends(value_of):
    almost = value_of(RBU(p=1 - 1e-12, e=1), {"a": {"x": 1}}, "uvw")

    assert almost == pytest.approx(-3, abs=1e-9)


@pytest.mark.parametrize("label", [0, -2])
def test_a_query_without_relevant_documents_is_pure_effort(label, value_of):
    value = value_of(RBU(p=0.5, e=0.1), {"a": {"x": label}}, "ab")

    assert value == pytest.approx(-0.1 * (0.5 + 0.25), abs=1e-15)


def test_a_table_gives_each_label_its_probability(value_of):
    value = value_of(RBU(p=0.5, e=0, gain={1: 0.2, 2: 0.3}), {"a": {"x": 1}, "b": {"x": 2}}, "ab")

    assert value == pytest.approx(0.5 * 0.2 + 0.25 * 0.3 * 0.8, abs=1e-15)


@pytest.mark.parametrize("gain", ["exp", "linear", "binary"])
def test_a_label_above_max_rel_is_refused(gain, value_of):
    measure = RBU(gain=gain, max_rel=2)
    sentence = f"{measure}: labels may be at most 2, but query 'q' has 3 for document 'b'."

    with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
        value_of(measure, {"a": {"x": 2}, "b": {"x": 3}}, "a")


@pytest.mark.parametrize("label", [60, 1023, 1024, 2000])
def test_the_highest_of_very_large_labels_is_almost_certainly_satisfying(label, value_of):
    assert value_of(RBU(p=0.5, e=0), {"a": {"x": label}, "b": {"x": 1}}, "a") == pytest.approx(0.5, abs=1e-12)


@given(
    probabilities=st.lists(st.lists(st.floats(0, 1), min_size=2, max_size=2), min_size=1, max_size=8),
    weight=st.floats(0, 1),
    p=st.floats(0.01, 0.99),
    e=st.floats(0, 10),
)
def test_rbu_lies_between_endless_effort_and_a_first_document_that_satisfies(probabilities, weight, p, e):
    value = score(RBU(p=p, e=e, gain="linear", max_rel=1), probabilities, weights=[weight, 1 - weight])

    assert -e * p / (1 - p) - 1e-9 <= value <= p + 1e-12
