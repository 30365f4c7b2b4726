from __future__ import annotations

import itertools

import pytest
from ir_measures import AP, RR

import drawn
import naive
from by_hand import values_by_query
from pyterrier_diversity import IA, Adhoc, Pplus, PplusQ, Q, score

# Gains of a, b, c: 1, 7, 3; the ideal list cumulates 7, 10, 11.
JUDGED = {"a": {"i": 1}, "b": {"i": 3}, "c": {"i": 2}, "n": {"i": 0}}
# Blended ratios of the ranking a, n, b, c.
AT_1, AT_3, AT_4 = (1 + 1) / (1 + 7), (2 + 8) / (3 + 11), (3 + 11) / (4 + 11)

# Fig. 1 of Sakai (2013), a document of rank 5 that is L1-relevant: i is informational, j navigational.
FIGURE_1 = {"a": {"i": 1}, "b": {"i": 3, "j": 1}, "d": {"j": 3}, "e": {"i": 1}}
NAVIGATIONAL = "j"
# Gains for i: 1, 7, 0, 0, 1 (ideal 7, 8, 9); for j: 0, 1, 0, 7, 0 (ideal 7, 8).
Q_OF_I = ((1 + 1) / (1 + 7) + (2 + 8) / (2 + 8) + (3 + 9) / (5 + 9)) / 3
P_PLUS_OF_J = ((1 + 1) / (2 + 8) + (2 + 8) / (4 + 8)) / 2

ALL = [Q, Pplus, PplusQ]
CUTOFFS = [1, 2, 3, 5, 10, 1000, None]


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (Q, (AT_1 + AT_3 + AT_4) / 3),
        (Q @ 1, AT_1),
        (Q @ 2, AT_1 / 2),
        (Q @ 3, (AT_1 + AT_3) / 3),
        (Q @ 4, (AT_1 + AT_3 + AT_4) / 3),
        (Q(beta=0), (1 + 2 / 3 + 3 / 4) / 3),
        (Q(beta=10), (11 / 71 + 82 / 113 + 113 / 114) / 3),
        (Q(gain="linear"), (2 / (1 + 3) + (2 + 4) / (3 + 6) + (3 + 6) / (4 + 6)) / 3),
        (Q(gain="binary"), (2 / 2 + 4 / (3 + 3) + 6 / (4 + 3)) / 3),
        (Pplus, (AT_1 + AT_3) / 2),
        (Pplus @ 1, AT_1),
        (Pplus @ 2, AT_1),
        (Pplus @ 3, (AT_1 + AT_3) / 2),
        (Pplus(beta=0), (1 + 2 / 3) / 2),
        (Pplus(beta=10), (11 / 71 + 82 / 113) / 2),
        (Pplus(gain="linear"), (2 / (1 + 3) + (2 + 4) / (3 + 6)) / 2),
    ],
    ids=repr,
)
def test_values_of_three_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, JUDGED, "anbc") == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("cutoff", "value"),
    [
        (10, (2 / (1 + 7) + (2 + 4) / (5 + 14)) / 2),
        (9, (2 / (1 + 7) + (2 + 4) / (5 + 14)) / 2),
        (4, 2 / (1 + 7)),
        (20, (2 / (1 + 7) + (2 + 4) / (5 + 14) + (3 + 7) / (10 + 14) + (4 + 14) / (20 + 14)) / 4),
        (None, (2 / (1 + 7) + (2 + 4) / (5 + 14) + (3 + 7) / (10 + 14) + (4 + 14) / (20 + 14)) / 4),
    ],
)
def test_the_preferred_rank_is_that_of_the_papers_footnote_6(cutoff, value, value_of):
    ranks = {1: 1, 5: 2, 10: 2, 20: 3}
    judged = {f"d{rank}": {"i": label} for rank, label in ranks.items()}

    value_at_cutoff = value_of(Pplus(cutoff=cutoff), judged, [f"d{rank}" for rank in range(1, 21)])

    assert value_at_cutoff == pytest.approx(value, abs=1e-12)


def test_the_preferred_rank_is_the_first_of_the_highest_grade(value_of):
    judged = {"a": {"i": 2}, "b": {"i": 2}, "c": {"i": 3}}

    assert value_of(Pplus, judged, "uabv") == pytest.approx((1 + 3) / (2 + 10), abs=1e-12)


def test_documents_below_the_preferred_rank_change_nothing(value_of):
    assert value_of(Pplus, JUDGED, "anbcuv") == value_of(Pplus, JUDGED, "anbu")


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (PplusQ, (Q_OF_I + P_PLUS_OF_J) / 2),
        (PplusQ @ 5, (Q_OF_I + P_PLUS_OF_J) / 2),
        (PplusQ @ 2, ((1 / 4 + 1) / 2 + 2 / 10) / 2),
        (PplusQ @ 1, (1 / 4 + 0) / 2),
        (PplusQ(beta=0), ((1 + 1 + 3 / 5) / 3 + (1 / 2 + 2 / 4) / 2) / 2),
        (PplusQ(gain="linear") @ 2, ((2 / 4 + (2 + 4) / (2 + 4)) / 2 + 2 / (2 + 4)) / 2),
    ],
    ids=repr,
)
def test_values_of_figure_1_worked_by_hand(measure, value, value_of):
    assert value_of(measure, FIGURE_1, "abcde", navigational=NAVIGATIONAL) == pytest.approx(value, abs=1e-12)


def test_pplusq_weighs_intents_by_their_weights(value_of):
    value = value_of(PplusQ @ 5, FIGURE_1, "abcde", {"i": 3, "j": 1}, NAVIGATIONAL)

    assert value == pytest.approx(0.75 * Q_OF_I + 0.25 * P_PLUS_OF_J, abs=1e-12)


def test_pplusq_of_figure_1_equals_intent_aware_q(value_of):
    value = value_of(PplusQ @ 5, FIGURE_1, "abcde", navigational=NAVIGATIONAL)

    assert value == pytest.approx(value_of(IA(Q @ 5), FIGURE_1, "abcde"), abs=1e-12)


def test_pplusq_of_figure_1_falls_below_intent_aware_q_if_the_first_document_for_j_is_its_best(value_of):
    judged = {**FIGURE_1, "b": {"i": 3, "j": 3}}

    value = value_of(PplusQ @ 5, judged, "abcde", navigational=NAVIGATIONAL)

    # For j, gains 7 and 7 at ranks 2 and 4; the second one is below the preferred rank.
    assert value == pytest.approx((Q_OF_I + (1 + 7) / (2 + 14)) / 2, abs=1e-12)
    assert value < value_of(IA(Q @ 5), judged, "abcde")


PARAMS = [
    {"gain": gain, "beta": beta, "cutoff": cutoff}
    for gain, beta, cutoff in itertools.product(["exp", "linear", "binary"], [0, 1, 7.5], [None, 1, 4, 100])
]


@pytest.mark.parametrize("rel", [None, 1.5])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", [Q, Pplus, PplusQ], ids=lambda measure: measure.NAME)
def test_values_are_those_of_the_naive_reference(measure, seed, rel):
    qrels, run = drawn.intent_topics(seed)
    measures = [measure(rel=rel, **row) for row in PARAMS]

    values = values_by_query(measures, qrels, run)

    expected = naive.values_of_all(measures, qrels, run)
    assert values == pytest.approx(expected, abs=1e-11)
    assert len({round(value, 6) for value in values.values()}) > 10


@pytest.mark.parametrize("seed", [0, 2])  # whole labels, which pytrec_eval wants
@pytest.mark.parametrize("rel", [None, 2])
def test_q_without_persistence_is_the_average_precision_of_ir_measures(rel, seed, by_query):
    qrels, run = drawn.intent_topics(seed)

    expected = by_query(Adhoc(AP(rel=rel or 1)), qrels, run)

    assert by_query(Q(beta=0, rel=rel), qrels, run) == pytest.approx(expected, abs=1e-9)
    assert len(set(expected.values())) > 2


@pytest.mark.parametrize("cutoff", CUTOFFS[:-1])
def test_q_without_persistence_at_a_cutoff_divides_by_no_more_than_the_cutoff(cutoff, random_topics, by_query):
    qrels, run = random_topics(3)
    qrels = qrels.query("iteration == 'intent 0'")
    n_relevant = qrels[qrels["relevance"] > 0].groupby("query_id").size()

    values = by_query(Q(beta=0) @ cutoff, qrels, run)

    average = by_query(AP @ cutoff, qrels, run)
    assert values == pytest.approx({q: average[q] * n / min(n, cutoff) for q, n in n_relevant.items()}, abs=1e-9)


def test_pplus_without_persistence_of_equal_grades_is_the_reciprocal_rank(random_topics, by_query):
    qrels, run = random_topics(4)
    qrels = qrels.query("iteration == 'intent 0'").assign(relevance=lambda rows: (rows["relevance"] > 0).astype(int))

    assert by_query(Pplus(beta=0), qrels, run) == pytest.approx(by_query(RR, qrels, run), abs=1e-9)


@pytest.mark.parametrize("measure", [M(beta=beta) for M in (Q, Pplus) for beta in (0, 1, 10)], ids=repr)
@pytest.mark.parametrize("gain", ["exp", "linear", "binary"])
@pytest.mark.parametrize("seed", range(2))
def test_a_perfect_ranking_scores_1_at_any_cutoff(measure, gain, seed, by_query):
    qrels, _ = drawn.intent_topics(seed)
    perfect = qrels.groupby(["query_id", "doc_id"], as_index=False)["relevance"].max()
    perfect = perfect.rename(columns={"relevance": "score"})

    values = [by_query(measure(gain=gain, cutoff=cutoff), qrels, perfect) for cutoff in CUTOFFS]

    # The first query has no relevant document.
    ones = {query: float(query != "q0") for query in qrels["query_id"].unique()}
    assert values == [pytest.approx(ones, abs=1e-12)] * len(CUTOFFS)


@pytest.mark.parametrize("ranking", ["b", "bn", "bacu"])
def test_pplus_is_1_where_a_best_document_is_on_top(ranking, value_of):
    assert value_of(Pplus, JUDGED, ranking) == 1


@pytest.mark.parametrize("measure", [Q, Pplus], ids=repr)
def test_the_label_of_a_document_is_its_highest_over_the_intents(measure, value_of):
    several = {"a": {"x": 1, "y": 1, "z": -2}, "b": {"x": 2, "y": 3}, "c": {"z": 2, "x": 0}}

    assert value_of(measure, several, "anbc") == value_of(measure, JUDGED, "anbc")


@pytest.mark.parametrize("measure", [Q, Pplus, Q(beta=0.5) @ 4, Pplus(gain="linear") @ 4], ids=repr)
def test_weights_and_types_of_intents_do_not_change_q_and_pplus(measure, by_query):
    qrels, run = drawn.intent_topics(0)
    plain = qrels.drop(columns=["weight", "intent_type"])

    assert by_query(measure, qrels, run) == by_query(measure, plain, run)


@pytest.mark.parametrize("measure", [Q, Pplus, Q @ 3, Pplus @ 3], ids=repr)
def test_q_and_pplus_are_their_ad_hoc_forms(measure, by_query):
    qrels, run = drawn.intent_topics(1)

    assert by_query(measure, qrels, run) == by_query(Adhoc(measure), qrels, run)


@pytest.mark.parametrize(("kind", "alone"), [("inf", Q), ("nav", Pplus)])
@pytest.mark.parametrize("params", [{}, {"cutoff": 4}, {"beta": 0.2, "gain": "linear", "rel": 2}], ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_pplusq_of_intents_of_one_type_is_an_intent_aware_measure(kind, alone, params, seed, by_query):
    qrels, run = drawn.intent_topics(seed)
    qrels["intent_type"] = kind

    expected = by_query(IA(alone(**params)), qrels, run)

    assert by_query(PplusQ(**params), qrels, run) == pytest.approx(expected, abs=1e-12)
    assert len(set(expected.values())) > 2


def test_intents_of_no_type_are_informational(by_query):
    qrels, run = drawn.intent_topics(0)

    values = by_query(PplusQ, qrels.drop(columns="intent_type"), run)

    assert values == by_query(PplusQ, qrels.assign(intent_type="inf"), run)
    assert values != by_query(PplusQ, qrels, run)


def test_pplusq_takes_q_of_informational_intents_and_pplus_of_navigational_ones(value_of):
    judged = {"a": {"x": 1, "y": 2}, "b": {"x": 3, "y": 1}}

    x = value_of(Q, {"a": {"x": 1}, "b": {"x": 3}}, "ab")
    y = value_of(Pplus, {"a": {"y": 2}, "b": {"y": 1}}, "ab")

    assert value_of(PplusQ, judged, "ab", {"x": 1, "y": 4}, "y") == pytest.approx(0.2 * x + 0.8 * y, abs=1e-12)


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_rel_makes_lower_labels_and_their_intents_irrelevant(measure, value_of):
    judged = {"a": {"i": 1, "k": 1}, "b": {"i": 3, "j": 2}, "c": {"j": 3}, "d": {"i": 2, "j": 1}}
    higher = {"b": {"i": 3, "j": 2}, "c": {"j": 3}, "d": {"i": 2}}

    value = value_of(measure(rel=2) @ 4, judged, "adbc", navigational="j")

    assert value == value_of(measure @ 4, higher, "adbc", navigational="j")
    assert value != value_of(measure @ 4, judged, "adbc", navigational="j")


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_rel_is_inclusive_and_may_be_a_fraction(measure, value_of):
    judged = {"a": {"i": 0.49}, "b": {"i": 0.5}}

    assert value_of(measure(rel=0.5), judged, "ba") == 1


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_linear_gains_take_fractions(measure, value_of):
    value = value_of(measure(gain="linear") @ 1, {"a": {"i": 0.5}, "b": {"i": 1.5}}, "ab")

    assert value == pytest.approx((1 + 0.5) / (1 + 1.5), abs=1e-12)


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_an_intent_without_relevant_documents_is_left_out(measure, value_of):
    weights, judged = {"i": 3, "j": 1, "w": 7, "v": 1}, {**FIGURE_1, "m": {"w": 0, "v": -2}}

    value = value_of(measure, judged, "abcde", weights, "jw")

    assert value == value_of(measure, FIGURE_1, "abcde", weights, "j")


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_negative_labels_count_as_0(measure, value_of):
    assert value_of(measure, {**JUDGED, "n": {"i": -2}}, "anbc") == value_of(measure, JUDGED, "anbc")


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_a_cutoff_larger_than_the_ranking_has_no_effect(measure, value_of):
    assert value_of(measure @ 100, FIGURE_1, "ba", None, "j") == value_of(measure, FIGURE_1, "ba", None, "j")


@pytest.mark.parametrize(("measure", "value"), [(Q, (1 + 4 / 6) / 2), (Pplus, 1), (PplusQ, (1 + 4 / 6) / 2)], ids=repr)
def test_the_ideal_list_ends_with_its_last_relevant_document(measure, value, value_of):
    # The ideal list cumulates 1, 2, 2, 2, ...; the cutoff is larger than R.
    assert value_of(measure @ 10, {"a": {"i": 1}, "b": {"i": 1}}, "auvb") == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("cutoff", [None, 4, 100])
def test_q_also_divides_by_relevant_documents_that_are_not_retrieved(cutoff, value_of):
    assert value_of(Q(cutoff=cutoff), JUDGED, "b") == pytest.approx(1 / 3, abs=1e-12)


@pytest.mark.parametrize("measure", ALL, ids=repr)
@pytest.mark.parametrize("cutoff", [None, 2])
def test_a_query_without_relevant_documents_scores_0(measure, cutoff, value_of):
    assert value_of(measure(cutoff=cutoff), {"a": {"i": 0, "j": -2}}, "ab", navigational="j") == 0


@pytest.mark.parametrize("measure", ALL, ids=repr)
@pytest.mark.parametrize(("ranking", "cutoff"), [("", None), ("", 2), ("uvn", None), ("uvn", 2), ("unabc", 2)])
@pytest.mark.parametrize("navigational", ["", "i"])
def test_a_ranking_without_relevant_documents_above_the_cutoff_scores_0(
    measure, ranking, cutoff, navigational, value_of
):
    assert value_of(measure(cutoff=cutoff), JUDGED, ranking, navigational=navigational) == 0


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_one_intent_needs_no_column_that_names_it(measure, topic, by_query):
    qrels, run = topic(JUDGED, "anbc")

    assert by_query(measure, qrels.drop(columns="iteration"), run) == by_query(measure, qrels, run)


@pytest.mark.parametrize("measure", ALL, ids=lambda measure: measure.NAME)
@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"beta": -0.1}, "beta must be a number in .0, inf., not -0.1"),
        ({"gain": "log"}, "gain must be one of 'exp', 'linear', 'binary'"),
        ({"max_rel": 3}, "has no parameter 'max_rel'"),
        ({"gamma": 0.5}, "has no parameter 'gamma'"),
        ({"cutoff": 0}, "cutoff must be an integer"),
        ({"rel": 0}, "rel must be a number"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_when_the_measure_is_built(measure, params, sentence):
    with pytest.raises(ValueError, match=f"^{measure.NAME}.*{sentence}"):
        measure(**params)


def test_documents_that_are_not_relevant_push_the_others_down():
    # The ideal list cumulates 7, 10, 11.
    ratios = (1 + 0.5 * 1) / (1 + 0.5 * 7), (2 + 0.5 * 8) / (3 + 0.5 * 11), (3 + 0.5 * 11) / (5 + 0.5 * 11)

    assert score(Q(beta=0.5), [1, 0, 3, 0, 2]) == sum(ratios) / 3


def test_q_of_nothing_that_is_relevant_is_0():
    assert score(Q, [0, 0]) == 0
