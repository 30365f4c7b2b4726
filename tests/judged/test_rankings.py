"""A run seen through judgements: the hits, where they stand, and what they are worth."""

from __future__ import annotations

from math import inf

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity import RBU, D_nDCG
from pyterrier_diversity.judged import JudgedRankings, Run, judge, judged_rankings

# Query 1: intents a (d1, d3) and b (d3); query 2: intent c (d1).
QRELS = [
    ("1", "a", "d1", 1, 1),
    ("1", "a", "d3", 2, 1),
    ("1", "b", "d3", 3, 3),
    ("1", "b", "d2", -1, 3),
    ("2", "c", "d1", 2, 1),
    ("2", "c", "d2", 0, 1),
]
RUN = {"1": {"d2": 9, "d3": 8, "x": 7, "d1": 6}, "2": {"x": 3}}


def frame(**columns: list) -> pd.DataFrame:
    return pd.DataFrame(QRELS, columns=["query_id", "iteration", "doc_id", "relevance", "weight"]).assign(**columns)


def ranked(
    cutoff: int | None = None,
    *,
    qrels: pd.DataFrame | None = None,
    run: object = RUN,
    rel: float | None = None,
    judged_only: bool = False,
) -> JudgedRankings:
    judgements = judge(frame() if qrels is None else qrels)
    retrieved = Run(run).retrieve(judgements, judged_only)
    view = judgements.view(rel=rel)
    (rankings,) = judged_rankings(view, retrieved.of(view), cutoff)
    return rankings


def test_hits_are_the_retrieved_documents_that_are_relevant():
    result = ranked()

    # d3 (a: 2, b: 3), then d1 (a: 1); query 2 found nothing
    assert result.labels.tolist() == [[[2, 3], [1, 0]], [[0, 0], [0, 0]]]


def test_hits_have_their_rank_among_all_documents():
    result = ranked()

    assert result.ranks[0].tolist() == [2, 4]
    assert (result.ranks >= 1).all()


def test_the_length_is_that_of_the_ranking():
    assert ranked().n.tolist() == [4, 1]


def test_hits_below_the_cutoff_are_left_out():
    result = ranked(cutoff=3)

    assert result.labels.tolist() == [[[2, 3]], [[0, 0]]]
    assert result.n.tolist() == [3, 1]


def test_a_hit_at_the_cutoff_is_looked_at():
    assert ranked(cutoff=4).ranks[0].tolist() == [2, 4]


def test_a_precision_divides_by_the_cutoff_or_by_the_length():
    assert ranked(cutoff=3).depth.tolist() == [3, 3]
    assert ranked().depth.tolist() == [4, 1]


def test_judged_only_moves_the_hits_up():
    result = ranked(judged_only=True)

    # left are d2, d3, d1
    assert result.ranks[0].tolist() == [2, 3]
    assert result.n.tolist() == [3, 0]


def test_relevant_is_1_for_every_label_above_0():
    assert ranked().relevant.tolist() == [[[1, 1], [1, 0]], [[0, 0], [0, 0]]]


def test_rel_leaves_lower_labels_and_their_intents_out():
    result = ranked(rel=3)

    assert result.labels.tolist() == [[[3]], [[0]]]
    assert result.n_intents.tolist() == [1, 0]


def test_intents_are_told_from_padding():
    result = ranked()

    assert result.intents.tolist() == [[True, True], [True, False]]
    assert result.n_intents.tolist() == [2, 1]


def test_weights_have_sum_1_in_each_query():
    assert ranked().weights.tolist() == [[0.25, 0.75], [1, 0]]


def test_relevant_documents_are_counted_whether_retrieved_or_not():
    assert ranked(cutoff=1).n_relevant.tolist() == [[2, 1], [1, 0]]


def test_documents_relevant_to_any_intent_are_counted_once():
    assert ranked(cutoff=1).n_relevant_docs.tolist() == [2, 1]


def test_the_first_rank_of_an_intent_is_infinite_where_it_is_not_met():
    assert ranked().first_ranks.tolist() == [[2, 2], [inf, inf]]
    assert ranked(cutoff=1).first_ranks.tolist() == [[inf, inf], [inf, inf]]


def test_navigational_intents_are_told_from_informational_ones():
    qrels = frame(intent_type=["nav", "nav", "inf", "inf", "nav", "nav"])

    assert ranked(qrels=qrels).navigational.tolist() == [[True, False], [True, False]]


def test_a_hit_has_the_rarity_of_its_document():
    qrels = frame(rarity=[0.1, 0.3, 0.3, 0.2, 0.5, 0.6])

    assert ranked(qrels=qrels).rarity.tolist() == [[0.3, 0.1], [0, 0]]


def test_without_the_column_no_document_is_rare():
    assert ranked().rarity.tolist() == [[0, 0], [0, 0]]


def test_hits_point_at_their_documents():
    result = ranked()

    names = result.chunk.judgements.documents.ids
    assert names[result.docs[0]].tolist() == ["d3", "d1"]
    assert result.docs[1].tolist() == [-1, -1]


@pytest.mark.parametrize(("gain", "values"), [("exp", [3, 7, 1]), ("linear", [2, 3, 1]), ("binary", [1, 1, 1])])
def test_gains_are_those_of_the_labels(gain, values):
    gains = ranked().gain(D_nDCG(gain=gain))

    assert [*gains[0, 0], gains[0, 1, 0]] == values


def test_a_label_whose_exponential_gain_is_not_finite_is_refused():
    qrels = frame(relevance=[1, 2, 1001, 0, 1, 0])

    with pytest.raises(
        ValueError, match=r"D_nDCG: labels may be at most 1000, but query '1' has 1001 for document 'd3'"
    ):
        ranked(qrels=qrels).gain(D_nDCG)
    assert ranked(qrels=qrels).gain(D_nDCG(gain="linear")).max() == 1001


def test_rankings_know_the_names_of_their_queries():
    assert ranked().query_ids == ["1", "2"]


def test_probabilities_are_measured_by_the_largest_label_of_the_intent():
    assert ranked().probability(RBU).tolist() == [[[3 / 4, 7 / 8], [1 / 4, 0]], [[0, 0], [0, 0]]]
    assert ranked().probability(RBU(gain="linear")).tolist() == [[[1, 1], [1 / 2, 0]], [[0, 0], [0, 0]]]


def test_probabilities_are_measured_by_max_rel_where_it_is_given():
    assert ranked().probability(RBU(max_rel=4)).tolist() == [[[3 / 16, 7 / 16], [1 / 16, 0]], [[0, 0], [0, 0]]]


def test_ideals_see_all_relevant_documents_by_descending_name():
    every = ranked(cutoff=1).ideal("all", lambda every: every)

    assert every.labels.tolist() == [[[2, 3], [1, 0]], [[2, 0], [0, 0]]]
    assert every.ranks.tolist() == [[1, 2], [1, 1]]
    assert every.n.tolist() == [2, 1]
    assert every.cutoff is None


def test_an_ideal_is_computed_once():
    result = ranked()
    result.ideal("it", lambda every: "first")

    assert result.ideal("it", lambda every: "second") == "first"
    assert result.ideal("another", lambda every: "second") == "second"


def test_an_empty_run_has_no_hits():
    result = ranked(run={})

    assert result.labels.shape == (2, 0, 2)
    assert result.n.tolist() == [0, 0]


@settings(max_examples=80, deadline=None)
@given(
    labels=st.dictionaries(
        st.tuples(st.sampled_from(["1", "2"]), st.sampled_from("ab"), st.sampled_from("uvwxyz")),
        st.integers(0, 3),
        min_size=1,
    ),
    rankings=st.fixed_dictionaries({query: st.permutations("uvwxyz!") for query in ("1", "2")}),
    depth=st.integers(0, 7),
    cutoff=st.none() | st.integers(1, 8),
)
def test_hits_are_those_of_a_walk_down_each_ranking(labels, rankings, depth, cutoff):
    rows = [(*key, label) for key, label in labels.items()]
    judgements = judge(pd.DataFrame(rows, columns=["qid", "iteration", "docno", "label"]))
    tops = {query: docs[:depth] for query, docs in rankings.items()}
    run = {query: {doc: -i for i, doc in enumerate(docs)} for query, docs in tops.items()}
    queries = sorted({query for query, _, _ in labels})
    (result,) = judged_rankings(judgements, Run(run).retrieve(judgements), cutoff)

    for row, query in enumerate(queries):
        of_query = {key[1:]: label for key, label in labels.items() if key[0] == query and label > 0}
        intents = sorted({intent for intent, _ in of_query})
        hits = [
            (rank, [of_query.get((intent, doc), 0) for intent in intents])
            for rank, doc in enumerate(tops[query][:cutoff], start=1)
            if any(of_query.get((intent, doc)) for intent in intents)
        ]
        assert result.ranks[row, : len(hits)].tolist() == [rank for rank, _ in hits]
        assert result.labels[row, : len(hits), : len(intents)].tolist() == [found for _, found in hits]
        assert result.labels[row].sum() == sum(sum(found) for _, found in hits)
        assert result.n[row] == len(tops[query][:cutoff])


def test_a_cutoff_below_all_hits_leaves_none():
    assert ranked(cutoff=1).labels.shape[1] == 0
    assert ranked(cutoff=1).n.tolist() == pytest.approx([1, 1])
