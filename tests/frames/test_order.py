"""The order of a ranking is that of a sort in Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.frames import Ids, ranking_order
from pyterrier_diversity.frames.order import MOST_TURNS, contradicted_ranks, turn_keys
from pyterrier_diversity.frames.strings import FEWEST, kept_in_arrow

ROWS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from([0, 1, 7]),
        st.sampled_from([0.0, -0.0, 1.0, 2.5]),
        st.sampled_from(["a", "b", "B", "", "é", "10", "9", "\uffff", "🙂"]),
    ),
    min_size=1,
    max_size=25,
)


def arrays(rows: list[tuple]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    query, turn, score, docs = zip(*rows, strict=True)
    return np.array(query), np.array(turn, dtype=float), np.array(score), np.array(docs, dtype=object)


@settings(max_examples=200, deadline=None)
@given(rows=ROWS, turns=st.booleans())
def test_rows_are_sorted_by_query_turn_descending_score_and_descending_name(rows, turns):
    query, turn, score, docs = arrays(rows)

    order = ranking_order(query, turn if turns else None, score, docs)

    expected = sorted(rows, key=lambda row: row[3], reverse=True)
    expected = sorted(expected, key=lambda row: (row[0], row[1] if turns else 0, -row[2]))
    ordered = rows if order is None else [rows[row] for row in order]
    kept = (0, 1, 2, 3) if turns else (0, 2, 3)
    assert [[row[i] for i in kept] for row in ordered] == [[row[i] for i in kept] for row in expected]


@settings(max_examples=50, deadline=None)
@given(rows=ROWS)
def test_sorted_rows_are_told_by_none(rows):
    expected = sorted(sorted(rows, key=lambda row: row[3], reverse=True), key=lambda row: (row[0], row[1], -row[2]))

    assert ranking_order(*arrays(expected)) is None


@pytest.mark.parametrize("n_queries", [3, 300, 70_000])
def test_there_may_be_any_number_of_queries(n_queries):
    rng = np.random.default_rng(1)
    query = rng.integers(0, n_queries, 2 * FEWEST)
    score = rng.integers(0, 5, len(query)).astype(float)
    frame = pd.DataFrame({"query": query, "score": -score, "doc": rng.permutation(len(query)).astype(str)})

    expected = frame.sort_values("doc", ascending=False).sort_values(["query", "score"], kind="stable").index
    for docs in (frame["doc"].to_numpy(dtype=object), kept_in_arrow(frame.astype({"doc": "string[pyarrow]"}), "doc")):
        assert ranking_order(query, None, score, docs).tolist() == expected.tolist()


def test_queries_and_turns_have_one_key_that_sorts_by_both():
    query, turn = np.array([0, 0, 1, 70_000], dtype=np.int32), np.array([0.0, MOST_TURNS - 1, 0.0, 3.0])

    assert turn_keys(query, turn).tolist() == [0, MOST_TURNS - 1, MOST_TURNS, 70_000 * MOST_TURNS + 3]
    assert turn_keys(query, None) is query


@pytest.mark.parametrize(
    ("ranks", "contradicted"),
    [([1, 2, 3], False), ([3, 2, 1], True), ([1, 3, 2], False), ([2, 1, 3], True), ([1, 1, 1], False)],
)
def test_ranks_contradict_scores_if_a_lower_rank_has_a_higher_score(ranks, contradicted):
    # b and c are tied, and may swap their ranks.
    query, docs = Ids(np.zeros(3, dtype=int), np.array(["q"], dtype=object)), np.array(["a", "c", "b"], dtype=object)

    message = contradicted_ranks(query, None, np.array([2.0, 1.0, 1.0]), docs, np.array(ranks, dtype=float))

    assert bool(message) == contradicted


def test_ranks_of_different_queries_and_turns_do_not_contradict_each_other():
    query = Ids(np.array([0, 0, 1]), np.array(["p", "q"], dtype=object))
    docs, score, rank = np.array(["a", "b", "c"], dtype=object), np.array([2.0, 1.0, 0.5]), np.array([9.0, 3.0, 1.0])

    assert contradicted_ranks(query, np.array([0.0, 1.0, 0.0]), score, docs, rank) == ""
    assert "in 1 of 2 queries of the run, such as 'p'" in contradicted_ranks(query, None, score, docs, rank)
