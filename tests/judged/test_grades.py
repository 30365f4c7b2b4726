"""What a label is worth."""

import math

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity import RBU
from pyterrier_diversity.judged import gain_value, relevance_probability

GAINS = ("exp", "linear", "binary")


def utility(measure: ir_measures.Measure, labels: dict[str, list[float]], ranking: list[str]) -> float:
    """RBU of one query whose documents have these labels for the intents 0, 1, ..."""
    rows = [("q", doc, str(t), label) for doc, row in labels.items() for t, label in enumerate(row)]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "iteration", "label"])
    run = {"q": {doc: -float(i) for i, doc in enumerate(ranking)}}
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


@pytest.mark.parametrize(
    ("gain", "expected"), [("exp", [0, 1, 3, 7]), ("linear", [0, 1, 2, 3]), ("binary", [0, 1, 1, 1])]
)
def test_gains_are_those_of_the_specification(gain, expected):
    assert gain_value([0, 1, 2, 3], gain).tolist() == expected


@pytest.mark.parametrize(
    ("gain", "expected"),
    [("exp", [0, 1 / 8, 3 / 8, 7 / 8]), ("linear", [0, 1 / 3, 2 / 3, 1]), ("binary", [0, 1, 1, 1])],
)
def test_probabilities_are_those_of_the_specification(gain, expected):
    assert relevance_probability([0, 1, 2, 3], 3, gain).tolist() == pytest.approx(expected, abs=1e-15)


def test_a_table_gives_each_label_its_value():
    table = {1: 0.25, 2: 0.5, 2.5: 1}

    for values in (gain_value([[2, 0], [-1, 2.5]], table), relevance_probability([[2, 0], [-1, 2.5]], 3, table)):
        assert values.tolist() == [[0.5, 0], [0, 1]]


def test_the_largest_label_is_broadcast_over_the_intents():
    labels = [[[1, 2], [2, 0]], [[0, 4], [0, 1]]]
    largest = [[[2, 2]], [[0, 4]]]

    result = relevance_probability(labels, largest, "linear")

    assert result.tolist() == [[[0.5, 1], [1, 0]], [[0, 1], [0, 0.25]]]


@pytest.mark.parametrize("gain", GAINS)
def test_an_intent_without_labels_has_probability_zero(gain):
    result = relevance_probability(np.zeros((2, 3)), np.zeros((1, 3)), gain)

    assert not result.any()


@pytest.mark.parametrize("gain", GAINS)
def test_fractional_labels_have_values_between_those_of_whole_ones(gain):
    low, middle, high = gain_value([1, 1.5, 2], gain)

    assert low <= middle <= high
    assert gain_value(1.5, gain) == pytest.approx({"exp": 2**1.5 - 1, "linear": 1.5, "binary": 1}[gain], abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(labels=st.lists(st.floats(0, 8), min_size=1, max_size=6), gain=st.sampled_from(GAINS))
def test_probabilities_lie_between_0_and_1_and_rise_with_the_label(labels, gain):
    labels = sorted(labels)

    result = relevance_probability(labels, max(labels), gain)

    assert (result >= 0).all()
    assert (result <= 1).all()
    assert (np.diff(result) >= 0).all()


@pytest.mark.parametrize("label", [60, 1000, 2000])
def test_the_largest_label_there_can_be_is_near_certain_however_large(label):
    assert relevance_probability(label, label) == pytest.approx(1, abs=1e-12)


def test_labels_that_overflow_an_exponential_still_have_a_utility():
    assert gain_value([1e5]) == np.inf  # without a warning of numpy
    value = utility(RBU(p=0.5, e=0), {"d1": [2000], "d2": [1999]}, ["d2", "d1"])

    # 0.5 (1/2) + 0.25 (1)(1 - 1/2)
    assert value == pytest.approx(0.375, abs=1e-12)


@pytest.mark.parametrize(
    ("gain", "expected"),
    # d1 has labels 1, 3 of at most 2, 3, and both intents weigh 1/2: p = 0.5 times the mean probability.
    [("exp", 0.5 * (1 / 4 + 7 / 8) / 2), ("linear", 0.5 * (1 / 2 + 1) / 2), ("binary", 0.5)],
)
def test_a_label_is_measured_by_the_largest_of_its_intent(gain, expected):
    labels = {"d1": [1, 3], "d2": [2, 1]}

    assert utility(RBU(p=0.5, e=0, gain=gain), labels, ["d1"]) == pytest.approx(expected, abs=1e-12)


def test_the_largest_label_is_that_of_the_qrels_not_of_the_run():
    assert utility(RBU(p=0.5, e=0, gain="linear"), {"d1": [1], "d2": [4]}, ["d1"]) == pytest.approx(0.125, abs=1e-12)


@pytest.mark.parametrize(("gain", "expected"), [("exp", 0.5 * 3 / 16), ("linear", 0.5 * 2 / 4), ("binary", 0.5)])
def test_max_rel_is_the_largest_label_of_every_intent(gain, expected):
    assert utility(RBU(p=0.5, e=0, gain=gain, max_rel=4), {"d1": [2]}, ["d1"]) == pytest.approx(expected, abs=1e-12)


def test_a_label_above_max_rel_is_refused():
    with pytest.raises(
        ValueError, match=r"RBU\(max_rel=2.*: labels may be at most 2, but query 'q' has 3 for document 'd2'"
    ):
        utility(RBU(max_rel=2), {"d1": [1], "d2": [3]}, ["d1"])


@pytest.mark.parametrize("gain", GAINS)
@pytest.mark.parametrize("junk", [-0.5, -1, -2, -4])
def test_a_negative_label_counts_as_0(junk, gain):
    spam = utility(RBU(p=0.5, e=0, gain=gain), {"d1": [junk, 1], "d2": [1, junk]}, ["d1", "d2"])
    plain = utility(RBU(p=0.5, e=0, gain=gain), {"d1": [0, 1], "d2": [1, 0]}, ["d1", "d2"])

    assert spam == plain > 0


@pytest.mark.parametrize("label", [1e-17, 1e-9, 2.0**-11, 2.0**-10, 2.0**-9])
def test_small_labels_keep_their_digits(label):
    assert gain_value(label) == pytest.approx(math.expm1(label * math.log(2)), rel=1e-12)
    assert relevance_probability(label, 2) == pytest.approx(math.expm1(label * math.log(2)) / 4, rel=1e-12)
