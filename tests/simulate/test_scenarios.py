import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from by_hand import qrels, value
from pyterrier_diversity import RBU, StRecall
from pyterrier_diversity.simulate import random_grades, random_lengths, random_weights

pytestmark = pytest.mark.filterwarnings("ignore:Scores rise down the rows")

QRELS = qrels("q x a 2", "q x b 0", "q y a 1", "q y c -2", "r 0 a 3", "r 0 b 0.5")


def run(**n_docs):
    """A run of so many documents for each query, worst first."""
    rows = [(qid, f"d{i:02d}", float(-i)) for qid, n in n_docs.items() for i in reversed(range(n))]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


@given(seed=st.integers(0, 999))
def test_grades_lie_above_0_and_up_to_the_label(seed):
    drawn = random_grades(QRELS, rng=seed)["label"]

    positive = QRELS["label"] > 0
    assert ((drawn > 0) & (drawn <= QRELS["label"]))[positive].all()
    assert (drawn == QRELS["label"])[~positive].all()


def test_grades_are_uniform():
    frame = pd.DataFrame({"qid": "q", "docno": [f"d{i}" for i in range(4000)], "label": 4})

    drawn = random_grades(frame, rng=1)["label"]

    assert np.histogram(drawn, bins=4, range=(0, 4))[0] == pytest.approx([1000] * 4, abs=120)


@given(seed=st.integers(0, 999))
def test_weights_of_a_query_are_positive_and_have_sum_1(seed):
    drawn = random_weights(QRELS, rng=seed).drop_duplicates(["qid", "iteration"])

    assert (drawn["weight"] > 0).all()
    assert drawn.groupby("qid")["weight"].sum().tolist() == pytest.approx([1, 1])


def test_an_intent_has_one_weight():
    drawn = random_weights(QRELS, rng=1)

    assert len(drawn.drop_duplicates(["qid", "iteration", "weight"])) == 3
    assert value(RBU @ 5, drawn, {"q": {"a": 1}}) != value(RBU @ 5, QRELS, {"q": {"a": 1}})


def test_a_ranking_is_cut_anywhere_from_nothing_to_its_length():
    frame = run(**{f"q{i}": 4 for i in range(400)})

    lengths = random_lengths(frame, rng=1).groupby("qid").size().reindex(frame["qid"].unique(), fill_value=0)

    assert lengths.value_counts().reindex(range(5)).tolist() == pytest.approx([80] * 5, abs=30)


def test_the_top_of_a_ranking_is_left():
    left = random_lengths(run(q=30), rng=2)["docno"]

    assert sorted(left) == [f"d{i:02d}" for i in range(len(left))]
    assert 0 < len(left) < 30


@pytest.mark.parametrize(("longest", "most"), [(0, 0), (3, 3), (50, 10)])
def test_lengths_may_be_drawn_up_to_a_number(longest, most):
    frame = run(**{f"q{i}": 10 for i in range(200)})

    lengths = random_lengths(frame, longest, rng=1).groupby("qid").size()

    assert lengths.max() == most if most else lengths.empty


@pytest.mark.parametrize("simulate", [random_grades, random_weights], ids=lambda function: function.__name__)
@pytest.mark.parametrize("names", [{}, {"qid": "query_id", "docno": "doc_id", "label": "relevance"}], ids=str)
def test_a_seed_gives_the_same_result_with_either_names_and_the_qrels_are_not_changed(simulate, names):
    frame = QRELS.rename(columns=names)
    before = frame.copy()

    drawn = simulate(frame, rng=7)

    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(drawn, simulate(QRELS, rng=7).rename(columns=names))


def test_a_seed_gives_the_same_lengths():
    pd.testing.assert_frame_equal(random_lengths(run(q=9, r=9), rng=4), random_lengths(run(q=9, r=9), rng=4))


def test_a_run_of_random_length_is_evaluated_like_any_other():
    assert value(
        StRecall @ 5,
        qrels("q x d00 1"),
        random_lengths(run(q=5), rng=5).rename(columns={"qid": "query_id", "docno": "doc_id"}),
    ) in (0, 1)


@pytest.mark.parametrize("longest", [-1, 2.5, "3"])
def test_an_invalid_length_is_refused(longest):
    with pytest.raises(ValueError, match=r"random_lengths: longest must be an integer in \[0, inf\), not"):
        random_lengths(run(q=3), longest)


def test_a_length_may_be_larger_than_any_integer_of_numpy():
    frame = run(q=3)

    assert len(random_lengths(frame, 10**300, rng=1)) == len(frame)


@pytest.mark.parametrize("simulate", [random_grades, random_lengths])
def test_something_that_is_neither_qrels_nor_a_run_is_refused(simulate):
    with pytest.raises(TypeError, match=r"(qrels|run) must be a file, a frame, .* not int"):
        simulate(7)
