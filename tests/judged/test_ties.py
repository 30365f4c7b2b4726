"""Ties are found within queries and turns, and each order of tied documents is as likely."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.judged import Run, Ties


def ties_of(*rows: tuple[object, ...], turn: bool = False) -> Ties:
    return Ties(run_of(*rows, turn=turn))


def run_of(*rows: tuple[object, ...], turn: bool = False) -> Run:
    return Run(pd.DataFrame(rows, columns=["qid", "docno", "score", "turn"][: 4 if turn else 3]))


TIED = [("q", "a", 3.0), ("q", "b", 2.0), ("q", "c", 2.0), ("q", "d", 1.0), ("p", "x", 1.0), ("p", "y", 1.0)]


@pytest.mark.parametrize(("rank", "queries"), [(1, {"p"}), (2, {"q"}), (3, set()), (10, set())])
def test_queries_are_tied_across_a_rank_where_it_and_the_next_one_have_one_score(rank, queries):
    assert set(ties_of(*TIED).across(rank)) == queries
    assert set(ties_of(*reversed(TIED)).across(rank)) == queries


def test_the_last_document_of_a_query_does_not_tie_with_the_first_of_the_next_one():
    ties = ties_of(("p", "a", 1.0), ("q", "b", 1.0), ("q", "c", 0.0), ("r", "d", 0.0))

    assert ties.query_ids == []
    assert [ties.across(rank) for rank in (1, 2, 3)] == [[], [], []]


def test_a_document_that_is_there_twice_has_one_rank_and_ties_with_others_only():
    ties = ties_of(("q", "a", 3.0), ("q", "a", 3.0), ("q", "b", 2.0), ("q", "a", 1.0), ("q", "c", 1.0))

    assert ties.query_ids == []
    assert [ties.across(rank) for rank in (1, 2, 3)] == [[], [], []]


def test_turns_follow_each_other_and_an_empty_one_is_a_rank():
    ties = ties_of(("q", "a", 1.0, 0), ("q", "b", 1.0, 2), ("q", "c", 1.0, 2), turn=True)

    assert [ties.across(rank) for rank in (1, 2, 3, 4)] == [[], [], ["q"], []]


def test_the_last_document_of_a_query_is_not_tied_with_the_first_of_the_next():
    run = run_of(("p", "a", 2.0), ("p", "b", 1.0), ("q", "c", 1.0), ("q", "d", 0.0))
    turns = run_of(("q", "a", 2.0, 0), ("q", "b", 1.0, 0), ("q", "c", 1.0, 1), ("q", "d", 0.0, 1), turn=True)
    lone = run_of(*((query, "a", 1.0) for query in "pqr"))

    for ranked in (run, turns, lone):
        ties = Ties(ranked)
        assert (ties.query_ids, [ties.across(rank) for rank in range(5)]) == ([], [[]] * 5)
        shuffled = ties.shuffled({query: np.random.default_rng(1) for query in ranked.query_ids})
        assert [shuffled.ranking(query) for query in "pqr"] == [ranked.ranking(query) for query in "pqr"]


def test_queries_beside_each_other_with_one_score_are_tied_in_themselves_only():
    ties = ties_of(("p", "a", 1.0), ("p", "b", 1.0), ("q", "c", 1.0), ("r", "d", 1.0), ("r", "e", 1.0))

    assert ties.query_ids == ["p", "r"]
    assert [ties.across(rank) for rank in (1, 2)] == [["p", "r"], []]


def test_integers_that_floats_cannot_tell_apart_are_not_tied():
    frame = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "score": [2**60, 2**60 + 1]})

    assert Ties(Run(frame)).query_ids == []


def test_a_run_without_rows_has_no_ties():
    ties = Ties(Run(pd.DataFrame()))

    assert (ties.query_ids, ties.across(1)) == ([], [])


def test_each_order_of_tied_documents_is_as_likely():
    ties, generator = (
        ties_of(("q", "z", 9.0), *(("q", doc, 1.0) for doc in "abc"), ("q", "y", 0.0)),
        np.random.default_rng(1),
    )

    orders = ["".join(ties.shuffled({"q": generator}).ranking("q")) for _ in range(6000)]

    counts = pd.Series(orders).value_counts()
    assert sorted(counts.index) == [f"z{order}y" for order in ("abc", "acb", "bac", "bca", "cab", "cba")]
    assert counts.between(850, 1150).all()  # 1,000 each, and five standard deviations


def test_a_document_that_is_there_twice_is_drawn_once():
    ties, generator = ties_of(("q", "a", 1.0), ("q", "a", 1.0), ("q", "b", 1.0)), np.random.default_rng(1)

    first = [ties.shuffled({"q": generator}).ranking("q")[0] for _ in range(4000)]

    assert 1840 <= first.count("a") <= 2160  # a half, and five standard deviations


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(st.tuples(st.sampled_from("pq"), st.sampled_from("abcde"), st.integers(0, 2), st.integers(0, 2))),
    turns=st.booleans(),
    seed=st.integers(0, 9),
)
def test_a_shuffled_run_is_another_ranking_by_the_same_scores(rows, turns, seed):
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score", "turn"]).drop(columns=[] if turns else ["turn"])
    run = Run(frame)
    ties = Ties(run)

    shuffled = ties.shuffled({name: np.random.default_rng(seed) for name in ties.query_ids})

    assert set(ties.query_ids) == {query for rank in range(1, 40) for query in ties.across(rank)}
    for query in run.query_ids:
        if query not in ties.query_ids:
            assert shuffled.ranking(query) == run.ranking(query)
        elif not turns:
            score = frame[frame["qid"] == query].groupby("docno")["score"].max()
            assert sorted(shuffled.ranking(query)) == sorted(run.ranking(query))
            assert all(score[a] >= score[b] for a, b in pairwise(shuffled.ranking(query)))
