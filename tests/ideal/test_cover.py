from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from by_hand import qrels
from pyterrier_diversity.ideal import NotProvenError, min_rank
from small_topics import (
    GREEDY_IS_WRONG,
    found,
    greedy_order,
    n_covered,
    name,
    qrels_of,
    random_masks,
    smallest_covers,
    topics,
)

greedy_min_rank = partial(min_rank, ideal="greedy")
BOTH = [min_rank, greedy_min_rank]


def rows_of(frame):
    """Return the rows of a frame by query."""
    return {row.qid: row for row in frame.itertuples()}


def with_intents(topics, n_intents):
    """Return those topics that have so many intents."""
    return [masks for masks in topics if n_covered(masks) >= n_intents]


def up_to_the_largest(topics):
    return range(1, max(map(n_covered, topics)) + 1)


@pytest.mark.parametrize("n_intents", [11, 12, 13, 14, 20])
def test_min_rank_is_that_of_all_subsets_for_any_number_of_intents(n_intents):
    drawn = [random_masks(seed, 9, n_intents, 0.3) for seed in range(5)]

    ranks = [
        [rows_of(min_rank(qrels_of([masks]), n_intents=m))["0"].min_rank for m in range(n_covered(masks) + 1)]
        for masks in drawn
    ]

    assert ranks == [smallest_covers(masks) for masks in drawn]


@pytest.mark.parametrize("function", BOTH)
@settings(max_examples=12, deadline=None)
@given(drawn=topics(max_docs=8))
def test_the_documents_are_a_cover_of_that_size(function, drawn):
    for m in up_to_the_largest(drawn):
        large = with_intents(drawn, m)

        rows = rows_of(function(qrels_of(large), n_intents=m))

        for i, masks in enumerate(large):
            docnos = rows[str(i)].docnos
            assert n_covered(found(masks, docnos)) >= m
            assert len(docnos) == len(set(docnos)) == rows[str(i)].min_rank


@settings(max_examples=15, deadline=None)
@given(drawn=topics(max_docs=8))
def test_greedy_takes_the_document_of_most_new_intents_and_of_those_that_tie_the_highest_name(drawn):
    for m in up_to_the_largest(drawn):
        large = with_intents(drawn, m)

        rows = rows_of(greedy_min_rank(qrels_of(large), n_intents=m))

        for i, masks in enumerate(large):
            order = greedy_order(masks)
            size = next(k for k in range(len(order) + 1) if n_covered(masks[doc] for doc in order[:k]) >= m)
            assert rows[str(i)].docnos == [name(doc) for doc in order[:size]]


@pytest.mark.parametrize(("m", "seed"), [(20, 1), (26, 5), (26, 11), (32, 4), (32, 11), (38, 0), (38, 2)])
def test_no_smaller_set_of_documents_covers_some_of_many_intents(m, seed):
    masks = random_masks(seed, 28, 40, 0.25)

    row = rows_of(min_rank(qrels_of([masks]), n_intents=m))["0"]

    assert n_covered(found(masks, row.docnos)) >= m
    assert not any(n_covered(smaller) >= m for smaller in combinations(masks, row.min_rank - 1))


def test_min_rank_is_smaller_where_greedy_is_wrong():
    assert min_rank(GREEDY_IS_WRONG)["docnos"].map(sorted).tolist() == [["a", "b"]]
    assert greedy_min_rank(GREEDY_IS_WRONG)["docnos"].tolist() == [["c", "b", "a"]]


@pytest.mark.parametrize("function", BOTH)
def test_there_is_one_row_for_each_query(function):
    frame = function(qrels("q1 x a 1", "q2 x a 1", "q2 y b 1", "q3 x a 0"))

    assert frame.columns.tolist() == ["qid", "n_intents", "min_rank", "docnos"]
    assert [tuple(row) for row in frame.itertuples(index=False)] == [
        ("q1", 1, 1, ["a"]),
        ("q2", 2, 2, frame["docnos"][1]),
        ("q3", 0, 0, []),
    ]
    assert sorted(frame["docnos"][1]) == ["a", "b"]


@pytest.mark.parametrize("function", BOTH)
def test_without_a_number_of_intents_all_that_have_a_relevant_document_are_covered(function):
    frame = function(qrels("q x a 1", "q y a 1", "q z a 0", "q w b -2"))

    assert frame[["n_intents", "min_rank"]].to_numpy().tolist() == [[2, 1]]


@pytest.mark.parametrize("function", BOTH)
def test_more_intents_than_a_query_has_are_refused(function):
    with pytest.raises(ValueError, match=r"'q2'"):
        function(qrels("q1 x a 1", "q1 y a 1", "q2 x a 1"), n_intents=2)


@pytest.mark.parametrize("function", BOTH)
@pytest.mark.parametrize("m", [-1, 1.5, float("nan")])
def test_a_number_of_intents_below_1_is_refused(function, m):
    with pytest.raises(ValueError, match=f"{m}"):
        function(GREEDY_IS_WRONG, n_intents=m)


@pytest.mark.parametrize("function", BOTH)
@pytest.mark.parametrize(("n_docs", "n_intents"), [(12, 6), (30, 24)])
def test_neither_the_order_of_rows_nor_other_queries_change_the_documents(function, n_docs, n_intents):
    frame = qrels_of(random_masks(seed, n_docs, n_intents, 0.3) for seed in range(5))
    shuffled = frame.iloc[np.random.default_rng(0).permutation(len(frame))]

    docnos = {qid: row.docnos for qid, row in rows_of(function(frame)).items()}

    assert {qid: row.docnos for qid, row in rows_of(function(shuffled)).items()} == docnos
    assert {qid: function(rows)["docnos"].item() for qid, rows in frame.groupby("qid")} == docnos


@pytest.fixture(scope="module", params=[1e-9, 0.01])
def not_proven(request):
    """The error that a query too hard for its time limit ends in, and the size of its greedy cover."""
    hard = qrels_of([random_masks(0, 200, 100, 0.1)])
    with pytest.raises(NotProvenError) as caught:
        min_rank(hard, time_limit=request.param)
    return caught.value, greedy_min_rank(hard)["min_rank"][0]


def test_a_time_limit_that_ends_before_the_proof_leaves_two_bounds(not_proven):
    error, greedy = not_proven

    assert 1 <= error.bound < error.best <= greedy


def test_the_bounds_of_a_cover_are_numbers_of_documents(not_proven):
    error, _ = not_proven

    assert [error.best, error.bound] == [int(error.best), int(error.bound)]


def test_the_error_is_a_timeout_that_names_the_query_and_what_to_do(not_proven):
    error, _ = not_proven

    assert isinstance(error, TimeoutError)
    assert str(error).startswith("Query '0': the smallest cover could not be proven within ")
    assert "time_limit" in str(error)
    assert "greedy" in str(error)


def test_no_cover_of_a_trec_topic_is_larger_than_the_greedy_one_and_few_are_smaller(trec_qrels):
    frame = pd.concat([trec_qrels(year) for year in range(2009, 2015)])

    exact, greedy = (function(frame).set_index("qid")["min_rank"] for function in BOTH)

    assert len(exact) == 298
    assert (exact <= greedy).all()
    assert sorted(exact.index[exact < greedy], key=int) == ["24", "37", "99"]


def test_a_cover_by_the_largest_documents_is_proven_without_a_search():
    pairs = [(f"d{i}", f"t{i}-{j}") for i in range(500) for j in range(20)]
    topic = pd.DataFrame(pairs, columns=["docno", "iteration"]).assign(qid="q", label=1)

    assert min_rank(topic, n_intents=20 * 20 + 1, time_limit=1e-9)["min_rank"].tolist() == [21]
