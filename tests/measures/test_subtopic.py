import math

import ir_measures
import pandas as pd
import pytest

from pyterrier_diversity import SRR, Coverage, MRecall, SPrecision, StRecall, StRecallMinRank, score
from pyterrier_diversity.ideal import NotProvenError
from small_topics import qrels_of, random_masks

# Two documents cover x, y and z. The intent w is named, but has no relevant document.
JUDGED = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"y": 1, "z": 1}, "d": {"z": 1}, "n": {"w": 0}}
WEIGHTS = {"x": 1, "y": 2, "z": 3, "w": 4}

# Greedy takes c first, and then needs a and b, which are enough.
GREEDY_IS_WRONG = {
    "a": {"1": 1, "2": 1, "5": 1},
    "b": {"3": 1, "4": 1, "6": 1},
    "c": {"1": 1, "2": 1, "3": 1, "4": 1},
}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (StRecall @ 1, 1 / 3),
        (StRecall @ 3, 2 / 3),
        (StRecall @ 100, 1),
        (StRecall, 1),
        (Coverage @ 1, 1 / 4),
        (Coverage @ 3, 2 / 4),
        (Coverage @ 100, 3 / 4),
        (Coverage, 3 / 4),
        (MRecall @ 1, 1),
        (MRecall @ 2, 0),
        (MRecall @ 3, 0),
        (MRecall @ 5, 1),
        (MRecall, 1),
        (SRR, 1 / 4),
        (SRR @ 4, 1 / 4),
        (SRR @ 3, 0),
        (SRR(recall=2 / 3), 1 / 3),
        (SRR(recall=0.5) @ 3, 1 / 3),
        (SRR(recall=0.1), 1),
        (SPrecision @ 1, 1 / 1),
        (SPrecision @ 2, 1 / 1),
        (SPrecision @ 3, 1 / 3),
        (SPrecision @ 4, 2 / 4),
        (SPrecision @ 100, 2 / 4),
        (SPrecision, 2 / 4),
        (StRecallMinRank, 1 / 3),
    ],
    ids=repr,
)
def test_values_of_five_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, JUDGED, "anbdc") == pytest.approx(value, abs=1e-15)


PEERS = [*(StRecall @ k for k in (1, 2, 5, 10, 20)), StRecall(rel=3) @ 10]


def test_coverage_weighs_all_intents_that_are_named(value_of):
    assert value_of(Coverage @ 3, JUDGED, "anbdc", weights=WEIGHTS) == pytest.approx((1 + 2) / 10, abs=1e-15)


def test_coverage_does_not_count_intents_of_weight_0(value_of):
    assert value_of(Coverage, JUDGED, "ad", weights={**WEIGHTS, "w": 0, "y": 0}) == pytest.approx(1, abs=1e-15)


def test_coverage_counts_intents_whose_labels_are_all_below_rel(value_of):
    assert value_of(Coverage(rel=2), {"a": {"x": 2, "y": 1}, "b": {"z": -2}}, "ab") == pytest.approx(1 / 3, abs=1e-15)


def test_coverage_counts_the_named_intents_of_each_query_alone(by_query):
    qrels = pd.DataFrame(
        [("q1", "x", "a", 1), ("q1", "y", "b", 0), ("q2", "x", "a", 1)],
        columns=["query_id", "iteration", "doc_id", "relevance"],
    )
    run = pd.DataFrame([("q1", "a", 1.0), ("q2", "a", 1.0)], columns=["query_id", "doc_id", "score"])

    assert by_query(Coverage, qrels, run) == {"q1": 1 / 2, "q2": 1}


@pytest.mark.parametrize("n_intents", [3, 6, 7, 10, 49, 100])
def test_a_recall_level_that_is_a_share_of_the_intents_is_reached_when_so_many_are_covered(n_intents, value_of):
    judged = {f"d{t:03d}": {f"t{t}": 1} for t in range(n_intents)}

    for level in range(1, n_intents + 1):
        assert value_of(SRR(recall=level / n_intents), judged, sorted(judged)) == 1 / level


@pytest.mark.parametrize(
    ("recall", "n_intents", "rank"), [(1 - 1 / 3, 3, 2), (0.1 * 3, 10, 3), (1 - 0.9, 10, 1), (0.7 + 0.1 + 0.1, 10, 9)]
)
def test_a_recall_level_off_by_rounding_is_the_level_that_is_meant(recall, n_intents, rank, value_of):
    judged = {f"d{t}": {f"t{t}": 1} for t in range(n_intents)}

    assert value_of(SRR(recall=recall), judged, sorted(judged)) == 1 / rank


def test_a_recall_level_needs_an_intent_however_small_it_is(value_of):
    assert value_of(SRR(recall=1e-12), JUDGED, "nabdc") == 1 / 2


def test_a_recall_level_between_two_shares_is_reached_at_the_larger_one(value_of):
    assert value_of(SRR(recall=0.34), JUDGED, "anbdc") == 1 / 3


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (SPrecision @ 2, 2 / 2),
        (SPrecision(ideal="exact") @ 2, 2 / 2),
        (SPrecision(ideal="greedy") @ 2, 3 / 2),
        (SPrecision(ideal="greedy") @ 1, 1),
        (StRecallMinRank, 1),
        (StRecallMinRank(ideal="greedy"), 1),
    ],
    ids=repr,
)
def test_values_of_the_best_ranking_where_greedy_is_wrong(measure, value, value_of):
    assert value_of(measure, GREEDY_IS_WRONG, "abc") == pytest.approx(value, abs=1e-15)


def test_a_greedy_ranking_loses_recall_at_the_true_minimum_only(value_of):
    assert value_of(StRecallMinRank, GREEDY_IS_WRONG, "cba") == pytest.approx(5 / 6, abs=1e-15)
    assert value_of(StRecallMinRank(ideal="greedy"), GREEDY_IS_WRONG, "cba") == 1


def test_irrelevant_documents_count_as_ranks_in_subtopic_recall_at_minimum_rank(value_of):
    assert value_of(StRecallMinRank, JUDGED, "ucb") == pytest.approx(2 / 3, abs=1e-15)


@pytest.mark.parametrize("measure", [SPrecision, StRecallMinRank], ids=repr)
def test_a_proof_that_takes_longer_than_its_time_limit_is_an_error(measure):
    qrels = qrels_of([random_masks(0, 200, 100, 0.1)])
    run = {"0": dict.fromkeys(qrels["docno"], 1.0)}

    with pytest.raises(NotProvenError, match="time_limit"):
        ir_measures.calc_aggregate([measure(time_limit=0.01)], qrels, run)


@pytest.mark.parametrize("measure", [SPrecision(ideal="greedy"), StRecallMinRank(ideal="greedy")], ids=repr)
def test_greedy_needs_no_proof(measure):
    qrels = qrels_of([random_masks(0, 200, 100, 0.1)])
    run = {"0": dict.fromkeys(qrels["docno"], 1.0)}

    assert ir_measures.calc_aggregate([measure(time_limit=0.001)], qrels, run).popitem()[1] > 0


@pytest.mark.parametrize(("n_intents", "rank"), [(1, 2), (2, 2), (3, 5), (4, math.inf)])
def test_the_rank_of_a_number_of_intents_is_that_of_the_last_one_needed(n_intents, rank):
    # The intents are first met at the ranks 5, 2, never and 2.
    nothing = [0, 0, 0, 0]
    labels = [nothing, [0, 1, 0, 1], nothing, nothing, [1, 0, 0, 0]]

    assert score(SRR(recall=n_intents / 4), labels, others=[[0, 0, 1, 0]]) == 1 / rank


@pytest.mark.parametrize(("ranking", "value"), [("ab", 1), ("abz", 1), ("za", 0), ("zyab", 0)])
def test_mrecall_wants_k_intents_where_there_are_more(ranking, value, value_of):
    judged = {"a": {"x": 1}, "b": {"z": 1}, "c": {"w": 1}}

    assert value_of(MRecall @ 2, judged, ranking) == value
