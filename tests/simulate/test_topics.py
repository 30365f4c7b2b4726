from collections import Counter
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from by_hand import qrels
from pyterrier_diversity.simulate import swap_topics

THREE = qrels("q x a 1", "q y b 1", "q z c 1", "q x b 0")


@settings(max_examples=20, deadline=None)
@given(
    relevant=st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=6),
    seed=st.integers(0, 99),
)
def test_margins_are_kept(relevant, seed):
    rows = [("q", f"d{i}", 1, "wxyz"[t]) for i, row in enumerate(relevant) for t, met in enumerate(row) if met]
    frame = pd.DataFrame(rows or [("q", "d0", 0, "w")], columns=["qid", "docno", "label", "iteration"])

    drawn = swap_topics(frame, n=3, burn_in=50, attempts=20, rng=seed)

    found = frame[frame["label"] > 0]
    for _, topic in drawn.groupby("qid"):
        for margin in ("docno", "iteration"):
            assert Counter(topic[margin]) == Counter(found[margin])
        assert not topic.duplicated(["docno", "iteration"]).any()
    assert drawn["qid"].nunique() == (3 if rows else 0)


@pytest.mark.parametrize("intents", ["xy", "xyz"])
def test_all_topics_with_these_margins_are_drawn_equally_often(intents):
    one_each = qrels(*(f"q {intent} {doc} 1" for intent, doc in zip(intents, "abc", strict=False)), "q x b 0")
    orders = ["".join(order) for order in permutations(intents)]

    # Two documents swap at every attempt: after an even number, the topic would be the same again.
    drawn = swap_topics(one_each, n=200 * len(orders), burn_in=100, attempts=31, rng=1)

    kinds = drawn.sort_values("docno").groupby("qid")["iteration"].agg("".join).value_counts()
    assert sorted(kinds.index) == orders
    assert kinds.tolist() == pytest.approx([200] * len(orders), abs=60)


def test_a_query_is_drawn_alike_beside_others():
    both = swap_topics(qrels("q x a 1", "q y b 1", "r x a 1", "r y b 1"), n=5, rng=3)

    alone = swap_topics(qrels("q x a 1", "q y b 1"), n=5, rng=3)
    pd.testing.assert_frame_equal(both[both["source"] == "q"], alone)


def test_the_walk_goes_on_from_topic_to_topic():
    first, both = (swap_topics(THREE, n=n, rng=5) for n in (1, 2))

    pd.testing.assert_frame_equal(both[both["qid"] == "q-1"].reset_index(drop=True), first)


def test_columns_name_the_topic_and_its_source():
    drawn = swap_topics(THREE, rng=1)

    assert drawn.columns.tolist() == ["qid", "docno", "label", "iteration", "source"]
    assert set(drawn["qid"]) == {"q-1"}
    assert set(drawn["source"]) == {"q"}
    assert np.issubdtype(drawn["label"].dtype, np.integer)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"n": 0}, "n must be"), ({"burn_in": -1}, "burn_in must be"), ({"attempts": 0.5}, "attempts must be")],
)
def test_numbers_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=f"swap_topics: {message} an integer in"):
        swap_topics(THREE, **arguments)
