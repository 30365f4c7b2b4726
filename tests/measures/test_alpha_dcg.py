from __future__ import annotations

import itertools
import math
import random
import re

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import drawn
import naive
from by_hand import values_by_query
from pyterrier_diversity import (
    ERR_IA,
    IA,
    NRBP,
    NRBP_IA,
    Adhoc,
    alpha_DCG,
    alpha_DCG_IA,
    alpha_nDCG,
    alpha_nDCG_exact,
    alpha_nDCG_IA,
    nERR_IA,
    nNRBP,
    score,
)
from pyterrier_diversity.ideal import (
    GeometricDiscount,
    NotProvenError,
    exact_order,
    exact_ranking,
    log_discount,
    orders,
    reciprocal_discount,
)
from small_topics import alpha_dcg, best_alpha_dcg, name, qrels_of, random_masks, topics

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


@pytest.mark.parametrize("seed", range(3))
def test_values_equal_those_of_pyndeval(seed, beside_pyndeval):
    ours, peers = beside_pyndeval(PEERS, seed)

    assert ours == pytest.approx(peers, abs=1e-9)


@pytest.mark.parametrize("cutoff", [21, 25, 40, 1000])
def test_cutoffs_beyond_20_go_on(cutoff, topic, by_query):
    rng = np.random.default_rng(3)
    docs = [f"d{i:02d}" for i in range(40)]
    sets = [set("xyz"[: rng.integers(1, 4)]) if rng.random() < 0.6 else set() for _ in docs]
    judged = {doc: dict.fromkeys(sorted(intents), 1) for doc, intents in zip(docs, sets, strict=True)}
    judged |= {"n1": {"x": 1, "y": 1}, "n2": {"z": 1}}

    frames = topic(judged, docs)

    values = by_query(alpha_DCG(alpha=0.3) @ cutoff, *frames)

    assert values == pytest.approx(naive.values(alpha_DCG(alpha=0.3) @ cutoff, *frames), abs=1e-12)


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

    # Intents are summed in the order of their names, which may move the last bit.
    assert value_of(alpha_nDCG @ 3, renamed, "abz") == pytest.approx(value_of(alpha_nDCG @ 3, JUDGED, "abz"), rel=1e-15)


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


def novelty_gains(labels, alpha):
    """Return the gain of each of two intents' documents, read off what a cutoff adds."""
    undiscounted = NRBP_IA(p=1, alpha=alpha, gain="binary")
    sums = [2 * score(undiscounted @ k, labels) for k in range(1, len(labels) + 1)]
    return np.diff(sums, prepend=0).tolist()


def test_novelty_gains_shrink_each_time_that_an_intent_is_met():
    assert novelty_gains([[1, 0], [1, 0], [1, 1]], alpha=0.5) == [1.0, 0.5, 1.25]


def test_novelty_gains_without_intolerance_count_intents():
    assert novelty_gains([[1, 0], [1, 0], [1, 1]], alpha=0) == [1.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("discount", "values"),
    [
        (log_discount, [1, 1 / LOG3, 1 / 2]),
        (reciprocal_discount, [1, 1 / 2, 1 / 3]),
        (GeometricDiscount(0.8), [1, 0.8, 0.64]),
        (GeometricDiscount(0.0), [1, 0, 0]),
    ],
)
def test_discounts_of_the_first_three_ranks(discount, values):
    assert discount(np.array([1.0, 2.0, 3.0])) == pytest.approx(values, abs=1e-15)


def test_gains_are_discounted_at_their_true_ranks():
    nothing = [0, 0, 0, 0]
    labels = [nothing, [1, 0, 0, 0], nothing, nothing, nothing, [0, 1, 1, 1]]
    perfect = 4 * sum(0.5 ** (i - 1) / i for i in range(1, 7))

    # The gains 1 and 3 at ranks 2 and 6.
    assert score(ERR_IA @ 6, labels) * perfect == pytest.approx(1, abs=1e-15)


def test_a_perfect_list_that_is_too_long_to_sum_is_refused(value_of):
    with pytest.raises(ValueError, match=r"alpha_DCG\(alpha=0.0\)@100000000000: the cutoff must not exceed 10000000"):
        value_of(alpha_DCG(alpha=0.0) @ 10**11, JUDGED, "a")


# At rank 2 and with full intolerance the best documents are a and b; greedy takes c and b.
GREEDY_IS_WRONG = {
    "a": {"1": 1, "2": 1, "5": 1},
    "b": {"3": 1, "4": 1, "6": 1},
    "c": {"1": 1, "2": 1, "3": 1, "4": 1},
}


@pytest.mark.parametrize(
    ("measure", "ranking", "value"),
    [
        (alpha_nDCG_exact(alpha=1.0) @ 1, "cb", 1),
        (alpha_nDCG_exact(alpha=1.0) @ 2, "cb", (4 + 1 / LOG3) / (3 + 3 / LOG3)),
        (alpha_nDCG_exact(alpha=1.0) @ 2, "ab", 1),
        (alpha_nDCG(alpha=1.0) @ 2, "ab", (3 + 3 / LOG3) / (4 + 1 / LOG3)),
        (alpha_nDCG_exact @ 2, "cb", 1),
        (alpha_nDCG_exact @ 2, "ab", (3 + 3 / LOG3) / (4 + (1 + 2 * 0.5) / LOG3)),
        (alpha_nDCG_exact @ 2, "uc", (4 / LOG3) / (4 + (1 + 2 * 0.5) / LOG3)),
    ],
    ids=repr,
)
def test_exact_values_where_greedy_is_wrong(measure, ranking, value, value_of):
    assert value_of(measure, GREEDY_IS_WRONG, ranking) == pytest.approx(value, abs=1e-15)


@settings(max_examples=60, deadline=None)
@given(
    drawn=topics(max_docs=6, max_topics=6),
    ranking=st.permutations(range(8)),
    alpha=st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]),
    cutoff=st.sampled_from([1, 2, 3, 6, 10, None]),
)
def test_exact_values_are_over_the_best_of_all_permutations(drawn, ranking, alpha, cutoff, by_query):
    run = {str(i): {name(doc): -float(rank) for rank, doc in enumerate(ranking)} for i in range(len(drawn))}

    values = by_query(alpha_nDCG_exact(alpha=alpha, cutoff=cutoff), qrels_of(drawn), run)

    for i, masks in enumerate(drawn):
        best = best_alpha_dcg(masks, alpha)[: cutoff or len(masks)][-1]
        value = alpha_dcg([masks[doc] if doc < len(masks) else 0 for doc in ranking[:cutoff]], alpha)
        assert values[str(i)] == pytest.approx(value / best if best else 0, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("cutoff", [1, 3, 10, None])
def test_the_exact_ranking_scores_1(alpha, cutoff, by_query):
    qrels = qrels_of(random_masks(seed, 10, 6, 0.3) for seed in range(10))

    values = by_query(
        alpha_nDCG_exact(alpha=alpha, cutoff=cutoff), qrels, exact_ranking(qrels, alpha=alpha, cutoff=cutoff)
    )

    assert values == pytest.approx(dict.fromkeys(values, 1.0), abs=1e-12)


@pytest.mark.parametrize("cutoff", [1, 5, 20])
def test_exact_values_are_never_above_the_greedy_ones(cutoff, by_query):
    qrels = qrels_of(random_masks(seed, 10, 6, 0.3) for seed in range(20))
    run = {qid: dict.fromkeys(rows["docno"], 1.0) for qid, rows in qrels.groupby("qid")}

    exact, greedy = (by_query(measure @ cutoff, qrels, run) for measure in (alpha_nDCG_exact, alpha_nDCG))

    assert not {query: (exact[query], greedy[query]) for query in exact if exact[query] > greedy[query] + 1e-12}


@pytest.mark.parametrize(("alpha", "cutoff"), [(0.0, 5), (0.0, None), (0.5, 1), (1.0, 1)])
def test_exact_values_are_the_greedy_ones_where_greedy_is_optimal(alpha, cutoff, random_topics, by_query):
    frames = random_topics(8)

    exact, greedy = (
        by_query(measure(**{"alpha": alpha, **({"cutoff": cutoff} if cutoff else {})}), *frames)
        for measure in (alpha_nDCG_exact, alpha_nDCG)
    )

    assert exact == pytest.approx(greedy, abs=1e-12)


def test_exact_values_read_labels_as_binary_and_without_weights(value_of):
    graded = {"a": {"x": 4}, "b": {"x": 0.5, "y": 3}, "z": {"y": -2}}

    value = value_of(alpha_nDCG_exact @ 3, graded, "abz", weights={"x": 9, "y": 0.1})

    assert value == value_of(alpha_nDCG_exact @ 3, JUDGED, "abz")


def test_rel_makes_lower_labels_irrelevant_to_exact_values(value_of):
    graded = {"a": {"x": 1, "y": 2}, "b": {"x": 1}, "c": {"y": 3, "z": 1}}
    binary = {"a": {"y": 1}, "c": {"y": 1}}

    assert value_of(alpha_nDCG_exact(rel=2) @ 3, graded, "bac") == value_of(alpha_nDCG_exact @ 3, binary, "bac")


def test_the_exact_value_of_a_query_without_relevant_documents_is_0(value_of):
    assert value_of(alpha_nDCG_exact @ 3, {"a": {"x": 0, "y": -2}}, "a") == 0


def test_an_exact_value_whose_proof_takes_longer_than_its_time_limit_is_an_error():
    qrels = qrels_of([random_masks(0, 200, 100, 0.1)])
    run = {"0": dict.fromkeys(qrels["docno"], 1.0)}

    with pytest.raises(NotProvenError, match="time_limit"):
        ir_measures.calc_aggregate([alpha_nDCG_exact(time_limit=0.01) @ 20], qrels, run)


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (alpha_nDCG_exact @ 20, "alpha_nDCG_exact@20"),
        (alpha_nDCG_exact(alpha=0.5, time_limit=60), "alpha_nDCG_exact"),
        (alpha_nDCG_exact(alpha=1, time_limit=5) @ 10, "alpha_nDCG_exact(alpha=1.0,time_limit=5.0)@10"),
    ],
)
def test_the_names_of_exact_values_parse(measure, text):
    assert repr(measure) == text
    assert ir_measures.parse_measure(text) == measure


# r of a: 3/4 for x, 1/2 for y; of c: 1/4 for x. The measures below are graded, and weighted.
GRADED = {"a": {"x": 2, "y": 1}, "b": {"x": 0, "y": 0}, "c": {"x": 1}}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (alpha_DCG_IA, 5 / 8 + 1 / 2 * (1 / 4 * 1 / 2) / 2),
        (alpha_DCG_IA @ 2, 5 / 8),
        (alpha_DCG_IA(alpha=0.0) @ 3, 5 / 8 + 1 / 2 * 1 / 4 / 2),
        (alpha_DCG_IA(alpha=1.0) @ 3, 5 / 8),
        (alpha_DCG_IA(gain="linear"), 1 + 1 / 2 * (1 / 2 * 1 / 2) / 2),
        (alpha_DCG_IA(gain="binary"), 1 + 1 / 2 * (1 / 2) / 2),
        (alpha_DCG_IA(max_rel=3), (3 / 8 + 1 / 8) / 2 + 1 / 2 * (1 / 8 * 1 / 2) / 2),
        (alpha_DCG_IA(rel=2), 3 / 4),
        (NRBP_IA, 5 / 8 + 0.64 * (1 / 4 * 1 / 2) / 2),
        (NRBP_IA @ 2, 5 / 8),
        (NRBP_IA(p=0.5, alpha=0.25), 5 / 8 + 0.25 * (1 / 4 * 3 / 4) / 2),
        (NRBP_IA(gain="linear", max_rel=4), (1 / 2 + 1 / 4) / 2 + 0.64 * (1 / 4 * 1 / 2) / 2),
        (NRBP_IA(gain="binary"), 1 + 0.64 * (1 / 2) / 2),
        (NRBP_IA(rel=2), 3 / 4),
    ],
    ids=repr,
)
def test_graded_values_of_three_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, GRADED, "abc") == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(("measure", "discount"), [(alpha_DCG_IA, 1 / 2), (NRBP_IA, 0.64)], ids=["log", "geometric"])
def test_graded_values_weigh_intents_by_their_weights(measure, discount, value_of):
    value = value_of(measure, GRADED, "abc", weights={"x": 3, "y": 1})

    assert value == pytest.approx(3 / 4 * 3 / 4 + 1 / 4 * 1 / 2 + discount * 3 / 4 * 1 / 4 * 1 / 2, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "persistence"),
    [(alpha_DCG_IA, [{}]), (NRBP_IA, [{"p": 0.3}, {"p": 0.95}])],
    ids=["log", "geometric"],
)
@pytest.mark.parametrize("seed", range(4))
def test_graded_values_are_those_of_the_naive_reference(seed, measure, persistence, random_topics):
    qrels, run = drawn.with_weights_and_types(random_topics(seed, n_queries=6, n_docs=14))
    names = ("alpha", "gain", "max_rel", "rel", "cutoff")
    grid = itertools.product(
        persistence, [0.0, 0.3, 1.0], ["exp", "linear", "binary"], [None, 3.0, 4.5], [None, 2.0], [None, 1, 10, 50]
    )
    sets = [
        {**first, **dict(zip(names, rest, strict=True))} for first, *rest in random.Random(seed).sample([*grid], 60)
    ]

    measures = [measure(**params) for params in sets]

    values = values_by_query(measures, qrels, run)

    expected = naive.values_of_all(measures, qrels, run)
    assert values == pytest.approx(expected, abs=1e-12)
    assert len(set(expected.values())) > 80


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("cutoff", [1, 5, 20])
def test_alpha_dcg_ia_of_binary_labels_is_alpha_dcg_over_the_number_of_intents(cutoff, alpha, random_topics, by_query):
    data = random_topics(6)

    values = by_query(alpha_DCG_IA(alpha=alpha, gain="binary") @ cutoff, *data)

    # alpha_DCG divides by a list of documents relevant to all intents, of which each has this value.
    perfect = sum((1 - alpha) ** (i - 1) / math.log2(i + 1) for i in range(1, cutoff + 1))
    shares = by_query(alpha_DCG(alpha=alpha) @ cutoff, *data)
    assert values == pytest.approx({query: share * perfect for query, share in shares.items()}, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("p", [0.3, 0.5, 0.8])
def test_nrbp_ia_of_binary_labels_is_nrbp_but_for_a_factor(p, alpha, random_topics, by_query):
    data = random_topics(7)

    values = by_query(NRBP_IA(p=p, alpha=alpha, gain="binary"), *data)

    normalised = by_query(NRBP(beta=p, alpha=alpha), *data)
    expected = {query: value / (1 - (1 - alpha) * p) for query, value in normalised.items()}
    assert values == pytest.approx(expected, abs=1e-12)


WEIGHTED = [alpha_DCG_IA, alpha_DCG_IA(alpha=0.1, gain="linear") @ 5, NRBP_IA, NRBP_IA(p=0.3, max_rel=4) @ 5]


@pytest.mark.parametrize("measure", WEIGHTED, ids=repr)
def test_graded_values_are_the_mean_over_the_intents(measure, random_topics, by_query):
    data = drawn.with_weights_and_types(random_topics(8))

    assert by_query(measure, *data) == pytest.approx(by_query(IA(measure), *data), abs=1e-12)


@pytest.mark.parametrize("measure", WEIGHTED, ids=repr)
def test_with_one_intent_a_graded_value_is_its_ad_hoc_form(measure, random_topics, by_query):
    qrels, run = random_topics(9)
    qrels = qrels.query("iteration == 'intent 0'")

    assert by_query(measure, qrels, run) == pytest.approx(by_query(Adhoc(measure), qrels, run), abs=1e-12)


def test_alpha_dcg_ia_of_one_intent_without_redundancy_is_dcg(value_of):
    value = value_of(alpha_DCG_IA(alpha=0, gain="linear", max_rel=2), {"a": {"x": 2}, "b": {"x": 1}}, "ab")

    assert value == pytest.approx((2 + 1 / LOG3) / 2, abs=1e-15)


@pytest.mark.parametrize("measure", WEIGHTED, ids=repr)
def test_a_graded_value_without_relevant_documents_or_ranking_is_0(measure, value_of):
    assert value_of(measure, {"a": {"x": 0, "y": -2}}, "a") == 0
    assert value_of(measure, {"a": {"x": 1}}, "") == 0


@pytest.mark.parametrize("measure", [alpha_DCG_IA, NRBP_IA], ids=repr)
def test_a_label_above_max_rel_is_refused(measure, value_of):
    sentence = f"{measure(max_rel=2)}: labels may be at most 2, but query 'q' has 3 for document 'b'."

    with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
        value_of(measure(max_rel=2), {"a": {"x": 2}, "b": {"x": 3}}, "a")


@pytest.mark.parametrize(
    ("measure", "params"),
    [
        (alpha_DCG_IA, {"alpha": -0.1}),
        (alpha_DCG_IA, {"alpha": 1.1}),
        (alpha_DCG_IA, {"gain": "log"}),
        (alpha_DCG_IA, {"max_rel": 0}),
        (alpha_DCG_IA, {"rel": 0}),
        (alpha_DCG_IA, {"cutoff": 0}),
        (NRBP_IA, {"p": -0.1}),
        (NRBP_IA, {"p": 1.1}),
        (NRBP_IA, {"alpha": math.nan}),
        (NRBP_IA, {"gain": "log"}),
        (NRBP_IA, {"max_rel": -1}),
        (NRBP_IA, {"cutoff": 1.5}),
    ],
    ids=lambda value: getattr(value, "NAME", str(value)),
)
def test_a_parameter_out_of_range_is_refused_when_the_measure_is_built(measure, params):
    name = next(iter(params))

    with pytest.raises(ValueError, match=f"^{measure.NAME}: {name} must be "):
        measure(**params)


@pytest.mark.parametrize(
    "measure", [alpha_DCG_IA(alpha=0.1, gain="linear") @ 20, NRBP_IA(p=0.5, alpha=0, max_rel=4, rel=2)], ids=repr
)
def test_repr_of_a_graded_measure_parses_to_an_equal_one(measure):
    assert ir_measures.parse_measure(repr(measure)) == measure


def test_an_optimum_is_searched_for_once_for_all_runs(random_topics, monkeypatch):
    qrels, run = random_topics(21)
    searched = []
    monkeypatch.setattr(
        orders, "exact_order", lambda *args, **kwargs: searched.append(1) or exact_order(*args, **kwargs)
    )
    evaluator = alpha_nDCG_exact(alpha=0.7).evaluator(qrels)

    values = [evaluator.calc_aggregate(run), evaluator.calc_aggregate(run.iloc[::2])]
    again = alpha_nDCG_exact(alpha=0.7).evaluator(qrels.copy()).calc_aggregate(run)

    assert len(searched) == qrels["query_id"].nunique()
    assert again == values[0] != values[1]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (alpha_nDCG_IA @ 1, 1 / 4 * 3 / 4 / (3 / 4 * 3 / 4)),
        (alpha_nDCG_IA(gain="linear") @ 2, (1 / 4 + 3 / 4 / math.log2(3)) / (3 / 4 + 1 / 4 / math.log2(3))),
        (alpha_nDCG_IA(gain="binary") @ 3, 1),
    ],
    ids=str,
)
def test_normalised_graded_values_worked_by_hand(measure, expected):
    labels = [[2, 0], [0, 2]] if measure["gain"] != "binary" else [[0, 1], [1, 0]]

    assert score(measure, labels, weights=[1, 3]) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
@pytest.mark.parametrize("params", [{}, {"alpha": 1}, {"gain": "linear", "max_rel": 9}, {"gain": "binary"}, {"rel": 2}])
def test_normalised_graded_values_are_those_of_the_naive_reference(seed, params):
    frames = drawn.intent_topics(seed)
    measures = [alpha_nDCG_IA(**params), alpha_nDCG_IA(**params) @ 3]

    values = values_by_query(measures, *frames)

    assert values == pytest.approx(naive.values_of_all(measures, *frames), abs=1e-12)


@pytest.mark.parametrize("cutoff", [1, 5, 20])
def test_alpha_ndcg_ia_of_binary_labels_and_uniform_weights_is_alpha_ndcg(cutoff, random_topics, by_query):
    qrels, run = random_topics(cutoff)
    of_binary = by_query(alpha_nDCG_IA(gain="binary") @ cutoff, qrels, run)

    assert of_binary == pytest.approx(by_query(alpha_nDCG @ cutoff, qrels, run), abs=1e-12)


def test_a_low_label_can_use_up_an_intent_in_the_greedy_ideal_ranking():
    # Greedy takes the first document, after which the others gain nothing; they are worth more without it.
    others = 4 * np.eye(6)
    first = [2] * 6

    assert score(alpha_nDCG_IA(alpha=1, gain="linear"), others, others=[first]) > 1
