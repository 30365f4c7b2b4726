from __future__ import annotations

import math

import ir_measures
import numpy as np
import pytest

from pyterrier_diversity import ERR_IA, NRBP, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP
from pyterrier_diversity.measures.cascade import (
    discounted,
    geometric_discount,
    log_discount,
    novelty_gain,
    reciprocal_discount,
)

# The gains of the ranking a, b, z are 1, 1.5 and 0; those of the ideal one, b, a, are 2 and 0.5.
JUDGED = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "z": {"y": 0}}
LOG3 = math.log2(3)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (alpha_DCG @ 3, (1 + 1.5 / LOG3) / (2 * (1 + 0.5 / LOG3 + 0.25 / 2))),
        (alpha_DCG(alpha=0.0) @ 2, (1 + 2 / LOG3) / (2 * (1 + 1 / LOG3))),
        (alpha_DCG(alpha=1.0) @ 2, (1 + 1 / LOG3) / 2),
        (alpha_nDCG @ 3, (1 + 1.5 / LOG3) / (2 + 0.5 / LOG3)),
        (alpha_nDCG, (1 + 1.5 / LOG3) / (2 + 0.5 / LOG3)),
        (alpha_nDCG @ 1, 1 / 2),
        (alpha_nDCG(alpha=0.25) @ 2, (1 + 1.75 / LOG3) / (2 + 0.75 / LOG3)),
        (ERR_IA @ 3, (1 + 1.5 / 2) / (2 * (1 + 0.5 / 2 + 0.25 / 3))),
        (nERR_IA @ 3, (1 + 1.5 / 2) / (2 + 0.5 / 2)),
        (nERR_IA, (1 + 1.5 / 2) / (2 + 0.5 / 2)),
        (NRBP, (1 + 0.5 * 1.5) * (1 - 0.5 * 0.5) / 2),
        (NRBP(alpha=0.25, beta=0.8), (1 + 0.8 * 1.75) * (1 - 0.75 * 0.8) / 2),
        (NRBP(beta=0.0), 1 / 2),
        (nNRBP, (1 + 0.5 * 1.5) / (2 + 0.5 * 0.5)),
        (nNRBP(alpha=0.25, beta=0.8), (1 + 0.8 * 1.75) / (2 + 0.8 * 0.75)),
    ],
    ids=repr,
)
def test_values_of_three_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, JUDGED, "abz") == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("measure", [ERR_IA @ 1, alpha_DCG @ 1], ids=repr)
def test_a_cutoff_of_1_is_normalised_though_ndeval_leaves_it_out(measure, topic, value_of):
    qrels, run = topic(JUDGED, "abz")

    value = value_of(measure, JUDGED, "abz")

    assert value == 1 / 2
    assert [metric.value for metric in ir_measures.pyndeval.iter_calc([measure], qrels, run)] == [1.0]


@pytest.mark.parametrize(
    "measure", [ERR_IA, alpha_DCG, alpha_DCG(alpha=0.1, rel=2), ERR_IA(judged_only=True)], ids=repr
)
def test_a_perfect_list_needs_a_cutoff(measure, value_of):
    name = measure.NAME

    with pytest.raises(ValueError, match=f"^{name} needs a cutoff, as in {name}@20: it divides by a perfect list"):
        value_of(measure, JUDGED, "a")


SIX = [
    alpha_DCG,
    alpha_DCG(alpha=0.1),
    alpha_DCG(alpha=1.0),
    alpha_nDCG,
    alpha_nDCG(alpha=0.1),
    alpha_nDCG(alpha=0.75),
    ERR_IA,
    nERR_IA,
]
WITHOUT_CUTOFF = [NRBP, NRBP(alpha=0.1, beta=0.8), nNRBP, nNRBP(alpha=0.75), nNRBP(alpha=0.1, beta=0.9), NRBP(rel=2)]
PEERS = [
    *(measure @ cutoff for measure in SIX for cutoff in (2, 5, 10, 20)),
    *WITHOUT_CUTOFF,
    alpha_nDCG(rel=2) @ 10,
    nERR_IA(rel=2) @ 10,
]


@pytest.mark.parametrize("seed", range(10))
def test_values_equal_those_of_pyndeval(seed, beside_pyndeval):
    ours, peers = beside_pyndeval(PEERS, seed)

    assert ours == pytest.approx(peers, abs=1e-9)


def slowly(relevant, alpha, discount, cutoff):
    """Return the discounted sum over rows of relevant intents, each as a set."""
    value, seen = 0.0, {}
    for i, intents in enumerate(relevant[:cutoff], start=1):
        value += sum((1 - alpha) ** seen.get(t, 0) for t in intents) * discount(i)
        seen.update({t: seen.get(t, 0) + 1 for t in intents})
    return value


@pytest.mark.parametrize("cutoff", [21, 25, 40, 1000])
def test_cutoffs_beyond_20_go_on(cutoff, topic, by_query):
    rng = np.random.default_rng(3)
    docs = [f"d{i:02d}" for i in range(40)]
    sets = [set("xyz"[: rng.integers(1, 4)]) if rng.random() < 0.6 else set() for _ in docs]
    judged = {doc: dict.fromkeys(sorted(intents), 1) for doc, intents in zip(docs, sets, strict=True)}
    judged |= {"n1": {"x": 1, "y": 1}, "n2": {"z": 1}}

    values = by_query(alpha_DCG(alpha=0.3) @ cutoff, *topic(judged, docs))

    perfect = slowly([set("xyz")] * cutoff, 0.3, lambda i: 1 / math.log2(i + 1), None)
    expected = slowly(sets, 0.3, lambda i: 1 / math.log2(i + 1), cutoff) / perfect
    assert values["q"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", [ERR_IA, alpha_DCG, alpha_DCG(alpha=0.9), alpha_DCG(alpha=1.0)], ids=repr)
def test_a_cutoff_that_stands_for_all_costs_nothing(measure, value_of):
    assert value_of(measure @ 10**15, JUDGED, "abz") == pytest.approx(
        value_of(measure @ 5000, JUDGED, "abz"), abs=1e-12
    )


@pytest.mark.parametrize("measure", [alpha_nDCG, nERR_IA, alpha_DCG, ERR_IA], ids=repr)
def test_relevant_documents_below_rank_20_count_beyond_a_cutoff_of_20(measure, value_of):
    judged = {f"d{i:02d}": {"x": 1} for i in range(30)}
    ranking = [f"u{i:02d}" for i in range(24)] + sorted(judged)

    assert value_of(measure @ 20, judged, ranking) == 0
    assert value_of(measure @ 25, judged, ranking) > 0


def test_two_alphas_in_one_call_keep_their_values(random_topics, by_query):
    qrels, run = random_topics(4)
    measures = [alpha_nDCG(alpha=alpha) @ 10 for alpha in (0.1, 0.5, 0.9)]

    together = {(m.measure, m.query_id): m.value for m in ir_measures.iter_calc(measures, qrels, run)}

    for measure in measures:
        assert by_query(measure, qrels, run) == {q: value for (m, q), value in together.items() if m == measure}
    assert len({value for (_, query), value in together.items() if query == "q1"}) == 3


@pytest.mark.parametrize("measure", [alpha_DCG, alpha_nDCG, ERR_IA, nERR_IA], ids=repr)
def test_judged_only_takes_unjudged_documents_out_of_the_ranking(measure, value_of):
    lifted = value_of(measure(judged_only=True) @ 2, JUDGED, "uzvab")

    assert lifted == value_of(measure @ 2, JUDGED, "zab")
    assert lifted > value_of(measure @ 2, JUDGED, "uzvab")


@pytest.mark.parametrize("measure", [alpha_DCG @ 3, alpha_nDCG @ 3, ERR_IA @ 3, nERR_IA @ 3, NRBP, nNRBP], ids=repr)
def test_rel_makes_lower_labels_and_their_intents_irrelevant(measure, value_of):
    graded = {"a": {"x": 1, "y": 2}, "b": {"x": 1}, "c": {"y": 3, "z": 1}}

    assert value_of(measure(rel=2), graded, "bac") == value_of(measure, {"a": {"y": 1}, "c": {"y": 1}}, "bac")


@pytest.mark.parametrize("measure", [alpha_DCG @ 3, alpha_nDCG @ 3, ERR_IA @ 3, nERR_IA @ 3, NRBP, nNRBP], ids=repr)
def test_labels_are_read_as_binary(measure, value_of):
    graded = {"a": {"x": 4}, "b": {"x": 0.5, "y": 3}, "z": {"y": -2}}

    assert value_of(measure, graded, "abz") == value_of(measure, JUDGED, "abz")


@pytest.mark.parametrize("measure", [alpha_DCG @ 3, alpha_nDCG @ 3, ERR_IA @ 3, nERR_IA @ 3, NRBP, nNRBP], ids=repr)
def test_weights_of_intents_change_nothing(measure, value_of):
    assert value_of(measure, JUDGED, "abz", weights={"x": 9, "y": 0.1}) == value_of(measure, JUDGED, "abz")


@pytest.mark.parametrize("names", ["07", ["", " "], ["a b", "a\tb"], ["ä", "→"], ["1.10", "1.1"], ["-1", "x" * 300]])
def test_an_intent_may_have_any_name(names, value_of):
    renamed = {
        doc: {names["xy".index(intent)]: label for intent, label in labels.items()} for doc, labels in JUDGED.items()
    }

    assert value_of(alpha_nDCG @ 3, renamed, "abz") == value_of(alpha_nDCG @ 3, JUDGED, "abz")


@pytest.mark.parametrize("measure", [alpha_DCG @ 3, alpha_nDCG @ 3, ERR_IA @ 3, nERR_IA @ 3, NRBP, nNRBP], ids=repr)
def test_a_query_without_relevant_documents_scores_0(measure, value_of):
    assert value_of(measure, {"a": {"x": 0, "y": -2}}, "a") == 0


@pytest.mark.parametrize("measure", [alpha_nDCG, alpha_nDCG @ 3, nERR_IA @ 3, nNRBP], ids=repr)
def test_the_greedy_ideal_ranking_scores_1(measure, value_of):
    judged = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"y": 1, "z": 1}, "d": {"x": 1, "y": 1, "z": 1}, "e": {"w": 1}}

    assert value_of(measure, judged, "decba") == pytest.approx(1, abs=1e-15)


def test_the_ideal_breaks_ties_by_the_highest_name(value_of):
    # All tie at first. With c taken, as ndeval does, one new intent is left to each of the others; a and b have none in
    # common.
    judged = {"a": {"x": 1, "w": 1}, "b": {"y": 1, "z": 1}, "c": {"x": 1, "y": 1}}

    value = value_of(alpha_nDCG(alpha=1.0) @ 2, judged, "ab")

    assert value == pytest.approx((2 + 2 / LOG3) / (2 + 1 / LOG3), abs=1e-15)


def test_novelty_gains_shrink_each_time_that_an_intent_is_met():
    assert novelty_gain([[1, 0], [1, 0], [1, 1]], alpha=0.5).tolist() == [1.0, 0.5, 1.25]


def test_novelty_gains_without_intolerance_count_intents():
    assert novelty_gain([[1, 0], [1, 0], [1, 1]], alpha=0).tolist() == [1.0, 1.0, 2.0]


def test_novelty_gains_of_a_batch_are_those_of_its_rankings():
    relevant = np.random.default_rng(0).random((3, 6, 4)) < 0.4

    batch = novelty_gain(relevant, alpha=0.3)

    assert batch.tolist() == [novelty_gain(ranking, alpha=0.3).tolist() for ranking in relevant]


@pytest.mark.parametrize(
    ("discount", "values"),
    [
        (log_discount, [1, 1 / LOG3, 1 / 2]),
        (reciprocal_discount, [1, 1 / 2, 1 / 3]),
        (geometric_discount(0.8), [1, 0.8, 0.64]),
        (geometric_discount(0.0), [1, 0, 0]),
    ],
)
def test_discounts_of_the_first_three_ranks(discount, values):
    assert discount(np.array([1.0, 2.0, 3.0])) == pytest.approx(values, abs=1e-15)


def test_discounted_gains_may_stand_at_ranks_of_their_own():
    assert discounted([1.0, 3.0], reciprocal_discount, ranks=[2, 6]) == 1.0


def test_a_perfect_list_that_is_too_long_to_sum_is_refused(value_of):
    with pytest.raises(ValueError, match=r"alpha_DCG\(alpha=0.0\)@100000000000: the cutoff may be at most 10000000"):
        value_of(alpha_DCG(alpha=0.0) @ 10**11, JUDGED, "a")
