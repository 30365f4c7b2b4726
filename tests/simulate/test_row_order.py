"""The same seed gives the same numbers, in whichever order rows come."""

import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity import simulate

# Names whose order is neither that of the numbers in them nor that of the frame.
ROWS = [
    (qid, f"d{doc}", label, iteration)
    for qid in ("10", "9", "2", "101")
    for doc, label, iteration in ((10, 2, "b"), (9, 1, "b"), (9, 3, "a"), (1, 0, "a"), (2, 1, "10"), (2, 4, "9"))
]
QRELS = pd.DataFrame(ROWS, columns=["qid", "docno", "label", "iteration"])
RUN = QRELS[["qid", "docno"]].drop_duplicates().reset_index(drop=True)
RUN = RUN.assign(score=np.random.default_rng(1).integers(0, 3, len(RUN)) / 2)

DRAWN = {
    "random_grades": (simulate.random_grades, QRELS),
    "random_weights": (simulate.random_weights, QRELS),
    "random_lengths": (simulate.random_lengths, RUN),
    "degrade": (simulate.degrade, QRELS),
    "swap_topics": (lambda qrels, rng: simulate.swap_topics(qrels, 2, burn_in=50, attempts=20, rng=rng), QRELS),
}


def rows(frame):
    return sorted(frame.itertuples(index=False, name=None))


@pytest.mark.parametrize("name", DRAWN)
@settings(deadline=None, max_examples=8)
@given(random=st.randoms(use_true_random=False))
def test_a_seed_gives_the_same_result_in_any_order_of_rows(name, random):
    function, frame = DRAWN[name]
    order = list(range(len(frame)))
    random.shuffle(order)

    assert rows(function(frame.iloc[order], rng=5)) == rows(function(frame, rng=5))


def test_every_function_that_draws_is_tested_here():
    drawing = {name for name in simulate.__all__ if "rng" in inspect.signature(getattr(simulate, name)).parameters}

    assert drawing == DRAWN.keys()


def test_a_judgement_that_is_there_twice_has_one_grade():
    twice = pd.concat([QRELS, QRELS.iloc[:3]])

    drawn = simulate.random_grades(twice, rng=5)

    assert len(drawn.drop_duplicates()) == len(QRELS)


def test_passages_have_grades_of_their_own():
    passages = pd.DataFrame({"qid": "q", "docno": "d", "label": 4, "passage": ["1", "2", "10"], "nugget": "n"})

    assert simulate.random_grades(passages, rng=5)["label"].nunique() == 3
