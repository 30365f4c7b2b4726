from math import log2

import pytest

from pyterrier_diversity import ERR, Adhoc, score


def test_err_of_three_documents_worked_by_hand(value_of):
    value = value_of(ERR @ 20, {"a": {"0": 2}, "b": {"0": 0}, "c": {"0": 4}}, "abc")

    assert value == pytest.approx(3 / 16 + (1 - 3 / 16) * 15 / 16 / 3, abs=1e-15)


def test_the_best_document_leaves_one_user_in_16(value_of):
    assert value_of(ERR @ 1, {"a": {"0": 4}}, "a") == 15 / 16


def test_a_cutoff_ends_the_sum(value_of):
    assert value_of(ERR @ 1, {"a": {"0": 1}, "b": {"0": 4}}, "ab") == 1 / 16


def test_the_order_of_a_documents_rows_does_not_matter(topic, by_query):
    qrels, run = topic({"a": {"x": 3, "y": 1}}, "a")

    assert by_query(Adhoc(ERR @ 5), qrels.iloc[::-1], run) == by_query(Adhoc(ERR @ 5), qrels, run) == {"q": 7 / 16}


@pytest.mark.parametrize("ranking", ["b", "a", "ab"])
def test_a_label_above_4_is_refused_retrieved_or_not(ranking, value_of):
    sentence = "^ERR@20: labels may be at most 4, but query 'q' has 5 for document 'a'.$"

    with pytest.raises(ValueError, match=sentence):
        value_of(ERR @ 20, {"a": {"0": 5}, "b": {"0": 1}}, ranking)


# (2^label - 1) / 16 is 1/2, and 1/4.
HALF, QUARTER = log2(9), log2(5)


@pytest.mark.parametrize(
    ("labels", "value"),
    [([HALF, 0, QUARTER], 0.5 + 0.5 * 0.25 / 3), ([HALF, HALF], 0.625), ([0, HALF], 0.25)],
    ids=["with a gap", "twice", "second"],
)
def test_documents_that_satisfy_nobody_push_the_others_down(labels, value):
    assert score(ERR, labels) == pytest.approx(value, abs=1e-15)
