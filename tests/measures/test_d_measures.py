from __future__ import annotations

import itertools
from math import log2

import pandas as pd
import pytest
from ir_measures import AP, P, nDCG

import drawn
import naive
from by_hand import values_by_query
from pyterrier_diversity import D_Q, DIN_Q, Adhoc, D_nDCG, DIN_nDCG, EfP

# Fig. 1 of Sakai (2013), a document of rank 5 that is L1-relevant: i is informational, j navigational.
# Global gains of a, b, d, e: 1/2, 4, 7/2, 1/2.
FIGURE_1 = {"a": {"i": 1}, "b": {"i": 3, "j": 1}, "d": {"j": 3}, "e": {"i": 1}}
NAVIGATIONAL = "j"

GLOBAL_GAIN = [D_nDCG, D_Q, DIN_nDCG, DIN_Q]
ALL = [*GLOBAL_GAIN, EfP]
CUTOFFS = [1, 2, 3, 5, 10, 1000, None]


IDEAL_DCG = 4 + 3.5 / log2(3) + 0.5 / 2 + 0.5 / log2(5)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (D_nDCG, (0.5 + 4 / log2(3) + 3.5 / log2(5) + 0.5 / log2(6)) / IDEAL_DCG),
        (D_nDCG @ 1, 0.5 / 4),
        (D_nDCG @ 2, (0.5 + 4 / log2(3)) / (4 + 3.5 / log2(3))),
        (D_nDCG @ 3, (0.5 + 4 / log2(3)) / (4 + 3.5 / log2(3) + 0.5 / 2)),
        (DIN_nDCG, (0.5 + 4 / log2(3) + 0.5 / log2(6)) / IDEAL_DCG),
        (DIN_nDCG @ 2, (0.5 + 4 / log2(3)) / (4 + 3.5 / log2(3))),
        (DIN_nDCG @ 4, (0.5 + 4 / log2(3)) / IDEAL_DCG),
        (D_Q, (1.5 / (1 + 4) + 6.5 / (2 + 7.5) + 11 / (4 + 8.5) + 12.5 / (5 + 8.5)) / 4),
        (D_Q @ 1, 1.5 / (1 + 4)),
        (D_Q @ 3, (1.5 / (1 + 4) + 6.5 / (2 + 7.5)) / 3),
        (D_Q(beta=10), (6 / (1 + 40) + 47 / (2 + 75) + 83 / (4 + 85) + 89 / (5 + 85)) / 4),
        (D_Q(beta=0), (1 + 1 + 3 / 4 + 4 / 5) / 4),
        (DIN_Q, (1.5 / (1 + 4) + 6.5 / (2 + 7.5) + 8 / (5 + 8.5)) / 4),
        (DIN_Q @ 4, (1.5 / (1 + 4) + 6.5 / (2 + 7.5)) / 4),
        (DIN_Q(beta=0), (1 + 1 + 3 / 5) / 4),
        (EfP @ 1, 1),
        (EfP @ 3, 2 / 3),
        (EfP @ 4, 2 / 4),
    ],
    ids=repr,
)
def test_values_of_figure_1_worked_by_hand(measure, value, value_of):
    assert value_of(measure, FIGURE_1, "abcde", navigational=NAVIGATIONAL) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "value"),
    [  # global gains of a, b, d, e: 3/4, 11/2, 7/4, 3/4
        (D_nDCG @ 2, (0.75 + 5.5 / log2(3)) / (5.5 + 1.75 / log2(3))),
        (DIN_nDCG @ 4, (0.75 + 5.5 / log2(3)) / (5.5 + 1.75 / log2(3) + 0.75 / 2 + 0.75 / log2(5))),
        (D_Q @ 4, (1.75 / (1 + 5.5) + 8.25 / (2 + 7.25) + 11 / (4 + 8.75)) / 4),
        (DIN_Q @ 4, (1.75 / (1 + 5.5) + 8.25 / (2 + 7.25)) / 4),
    ],
    ids=repr,
)
def test_the_global_gain_weighs_intents_by_their_weights(measure, value, value_of):
    weights = {"i": 3, "j": 1}

    assert value_of(measure, FIGURE_1, "abcde", weights, NAVIGATIONAL) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "value"),
    [  # global gains of a, b, d, e: 1/2, 2, 3/2, 1/2, and 1/2, 1, 1/2, 1/2
        (D_nDCG(gain="linear") @ 2, (0.5 + 2 / log2(3)) / (2 + 1.5 / log2(3))),
        (D_nDCG(gain="binary") @ 2, (0.5 + 1 / log2(3)) / (1 + 0.5 / log2(3))),
        (DIN_nDCG(gain="linear") @ 4, (0.5 + 2 / log2(3)) / (2 + 1.5 / log2(3) + 0.5 / 2 + 0.5 / log2(5))),
        (DIN_nDCG(gain="binary") @ 4, (0.5 + 1 / log2(3)) / (1 + 0.5 / log2(3) + 0.5 / 2 + 0.5 / log2(5))),
        (D_Q(gain="linear") @ 2, (1.5 / (1 + 2) + 4.5 / (2 + 3.5)) / 2),
        (D_Q(gain="binary") @ 2, (1.5 / (1 + 1) + 3.5 / (2 + 1.5)) / 2),
        (DIN_Q(gain="linear") @ 4, (1.5 / (1 + 2) + 4.5 / (2 + 3.5)) / 4),
        (DIN_Q(gain="binary") @ 4, (1.5 / (1 + 1) + 3.5 / (2 + 1.5)) / 4),
    ],
    ids=repr,
)
def test_gain_makes_labels_values(measure, value, value_of):
    assert value_of(measure, FIGURE_1, "abcde", navigational=NAVIGATIONAL) == pytest.approx(value, abs=1e-12)


PARAMS = {"gain": ["exp", "linear", "binary"], "beta": [0, 1, 7.5], "cutoff": [None, 1, 4, 100]}


@pytest.mark.parametrize("rel", [None, 1.5])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", [D_nDCG, D_Q, DIN_nDCG, DIN_Q, EfP], ids=lambda measure: measure.NAME)
def test_values_are_those_of_the_naive_reference(measure, seed, rel):
    qrels, run = drawn.intent_topics(seed)
    names = [name for name in PARAMS if name in measure.SUPPORTED_PARAMS]
    params = [dict(zip(names, row, strict=True)) for row in itertools.product(*(PARAMS[name] for name in names))]
    measures = [measure(rel=rel, **row) for row in params]

    values = values_by_query(measures, qrels, run)

    expected = naive.values_of_all(measures, qrels, run)
    assert values == pytest.approx(expected, abs=1e-11)
    assert len({round(value, 6) for value in values.values()}) > 5


def test_effective_precision_of_figure_1_is_that_of_the_paper(value_of):
    assert value_of(EfP @ 5, FIGURE_1, "abcde", navigational=NAVIGATIONAL) == 3 / 5


def test_effective_precision_divides_by_the_cutoff_even_if_fewer_documents_were_retrieved(value_of):
    assert value_of(EfP @ 100, FIGURE_1, "abcde", navigational=NAVIGATIONAL) == 3 / 100


def test_effective_precision_without_a_cutoff_divides_by_the_length_of_the_ranking(value_of):
    assert value_of(EfP, FIGURE_1, "abcdeuvw", navigational=NAVIGATIONAL) == 3 / 8


def test_a_document_is_effective_if_it_is_the_first_for_one_of_its_navigational_intents(value_of):
    judged = {"a": {"j": 1}, "b": {"j": 1, "k": 1}, "c": {"k": 1, "j": 1}}

    assert value_of(EfP @ 3, judged, "abc", navigational="jk") == 2 / 3


def test_a_document_that_repeats_a_navigational_intent_is_effective_for_an_informational_one(value_of):
    judged = {"a": {"j": 1}, "b": {"j": 1, "i": 1}, "c": {"j": 1, "i": 1}}

    assert value_of(EfP @ 3, judged, "abc", navigational="j") == 1


def test_a_document_counts_once_even_if_it_is_relevant_to_several_intents(value_of):
    judged = {"a": {"i": 1, "j": 1, "k": 1}, "b": {"i": 1}}

    assert value_of(EfP @ 2, judged, "ua", navigational="jk") == 1 / 2


@pytest.mark.parametrize("change", [lambda label: label * 2.5, lambda label: int(label > 0)])
def test_effective_precision_reads_labels_as_binary(change, value_of):
    judged = {doc: {t: change(label) for t, label in row.items()} for doc, row in FIGURE_1.items()}

    assert value_of(EfP @ 5, judged, "abcde", navigational=NAVIGATIONAL) == 3 / 5


def test_weights_do_not_change_effective_precision(value_of):
    assert value_of(EfP @ 5, FIGURE_1, "abcde", {"i": 0.01, "j": 9}, NAVIGATIONAL) == 3 / 5


@pytest.mark.parametrize("seed", [0, 2])  # whole labels, which pytrec_eval wants
@pytest.mark.parametrize("cutoff", [1, 4, 10])
def test_effective_precision_is_precision_where_every_intent_is_informational(seed, cutoff, by_query):
    qrels, run = drawn.intent_topics(seed)
    qrels["intent_type"] = "inf"

    expected = by_query(Adhoc(P @ cutoff), qrels, run)

    assert by_query(EfP @ cutoff, qrels, run) == pytest.approx(expected, abs=1e-12)
    assert len(set(expected.values())) > 1


def test_effective_precision_where_every_intent_is_navigational_counts_first_documents(value_of):
    judged = {"a": {"j": 1}, "b": {"j": 2}, "c": {"k": 1}, "d": {"j": 1, "k": 3}}

    assert value_of(EfP @ 4, judged, "badc", navigational="jk") == 2 / 4


@pytest.mark.parametrize("measure", [D_nDCG, D_Q, *(D_Q(beta=beta) for beta in (0, 0.1, 10))], ids=repr)
@pytest.mark.parametrize("gain", ["exp", "linear", "binary"])
@pytest.mark.parametrize("seed", range(2))
def test_a_perfect_ranking_scores_1_at_any_cutoff(measure, gain, seed, by_query):
    qrels, _ = drawn.intent_topics(seed)
    gains = {"exp": lambda label: 2**label - 1, "linear": lambda label: label, "binary": lambda label: label > 0}
    gained = qrels.assign(score=gains[gain](qrels["relevance"].clip(lower=0)) * qrels["weight"])
    perfect = gained.groupby(["query_id", "doc_id"], as_index=False)["score"].sum()

    values = [by_query(measure(gain=gain, cutoff=cutoff), qrels, perfect) for cutoff in CUTOFFS]

    # The first query has no relevant document.
    ones = {query: float(query != "q0") for query in qrels["query_id"].unique()}
    assert values == [pytest.approx(ones, abs=1e-12)] * len(CUTOFFS)


@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("seed", [0, 2])
def test_d_q_without_persistence_is_the_average_precision_of_ir_measures(cutoff, seed, by_query):
    qrels, run = drawn.intent_topics(seed)
    run = run.groupby("query_id").head(cutoff or 1000)
    n_relevant = qrels[qrels["relevance"] > 0].groupby("query_id")["doc_id"].nunique()

    values = by_query(D_Q(beta=0, cutoff=cutoff), qrels, run)

    # That of ir_measures divides by the number of relevant documents, the cutoff notwithstanding.
    scale = {query: n / min(n, cutoff or n) for query, n in n_relevant.items()}
    average = by_query(Adhoc(AP), qrels, run)
    assert values == pytest.approx({query: average[query] * scale.get(query, 1) for query in values}, abs=1e-9)
    assert len(set(values.values())) > 1


@pytest.mark.parametrize("cutoff", CUTOFFS[:-1])
def test_d_ndcg_of_one_intent_with_linear_gains_is_the_ndcg_of_ir_measures(cutoff, random_topics, by_query):
    qrels, run = random_topics(0)
    qrels = qrels.query("iteration == 'intent 0'")

    expected = by_query(nDCG @ cutoff, qrels, run)

    assert by_query(D_nDCG(gain="linear") @ cutoff, qrels, run) == pytest.approx(expected, abs=1e-9)


INFORMATIONAL = [(DIN_nDCG, D_nDCG), (DIN_Q, D_Q), (DIN_Q(beta=0.3), D_Q(beta=0.3))]
named_pairs = pytest.mark.parametrize(("din", "d"), INFORMATIONAL, ids=repr)


@named_pairs
@pytest.mark.parametrize("cutoff", [None, 3])
def test_din_equals_d_where_no_intent_is_navigational(din, d, cutoff, by_query):
    qrels, run = drawn.intent_topics(0)
    qrels["intent_type"] = "inf"

    assert by_query(din(cutoff=cutoff), qrels, run) == by_query(d(cutoff=cutoff), qrels, run)


@named_pairs
def test_intents_of_no_type_are_informational(din, d, by_query):
    qrels, run = drawn.intent_topics(0)

    assert by_query(din, qrels.drop(columns="intent_type"), run) == by_query(d, qrels, run)


@named_pairs
def test_types_do_not_change_d(din, d, by_query):
    qrels, run = drawn.intent_topics(0)

    assert by_query(d, qrels, run) == by_query(d, qrels.assign(intent_type="nav"), run)
    assert by_query(din, qrels, run) != by_query(din, qrels.assign(intent_type="nav"), run)


@named_pairs
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("cutoff", [None, 1, 5])
def test_din_is_never_above_d(din, d, cutoff, seed, by_query):
    qrels, run = drawn.intent_topics(seed)

    lower, upper = by_query(din(cutoff=cutoff), qrels, run), by_query(d(cutoff=cutoff), qrels, run)

    assert {query for query in upper if lower[query] > upper[query] + 1e-12} == set()


@pytest.mark.parametrize("measure", [DIN_nDCG, DIN_Q], ids=repr)
def test_din_of_a_perfect_ranking_may_be_below_1(measure, value_of):
    assert value_of(measure, {"a": {"j": 2}, "b": {"j": 1}}, "ab", navigational="j") < 0.9


@pytest.mark.parametrize("measure", [DIN_nDCG, DIN_Q, EfP], ids=repr)
def test_an_unsatisfying_document_leaves_a_navigational_intent_open(measure, value_of):
    judged = {"a": {"j": 0, "i": 1}, "n": {"j": -2}, "b": {"j": 1}}

    assert value_of(measure, judged, "anb", navigational="j") > value_of(measure, judged, "anu", navigational="j")


@pytest.mark.parametrize("measure", GLOBAL_GAIN, ids=repr)
def test_the_gain_of_a_document_may_be_a_fraction(measure, value_of):
    judged = {"a": {"i": 0.5}, "b": {"i": 1.5}}

    value = value_of(measure(gain="linear") @ 1, judged, "ab")

    assert value == pytest.approx(1.5 / 2.5 if "beta" in measure.SUPPORTED_PARAMS else 0.5 / 1.5, abs=1e-12)


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_rel_makes_lower_labels_and_their_intents_irrelevant(measure, value_of):
    judged = {"a": {"i": 1, "k": 1}, "b": {"i": 3, "j": 2}, "c": {"j": 3}, "d": {"i": 2, "j": 1}}
    higher = {"b": {"i": 3, "j": 2}, "c": {"j": 3}, "d": {"i": 2}}

    value = value_of(measure(rel=2) @ 4, judged, "adbc", navigational="j")

    assert value == value_of(measure @ 4, higher, "adbc", navigational="j")
    assert value != value_of(measure @ 4, judged, "adbc", navigational="j")


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_an_intent_without_relevant_documents_is_left_out(measure, value_of):
    weights, judged = {"i": 3, "j": 1, "w": 7, "v": 1}, {**FIGURE_1, "m": {"w": 0, "v": -2}}

    value = value_of(measure, judged, "abcde", weights, "jw")

    assert value == value_of(measure, FIGURE_1, "abcde", weights, "j")


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_negative_labels_count_as_0(measure, value_of):
    below, zero = ({**FIGURE_1, "c": {"i": label, "j": label}} for label in (-2, 0))

    assert value_of(measure, below, "abcde", navigational="j") == value_of(measure, zero, "abcde", navigational="j")


@pytest.mark.parametrize("measure", GLOBAL_GAIN, ids=repr)
def test_a_cutoff_larger_than_the_ranking_has_no_effect(measure, value_of):
    value = value_of(measure @ 100, FIGURE_1, "ba", navigational=NAVIGATIONAL)

    assert value == value_of(measure, FIGURE_1, "ba", navigational=NAVIGATIONAL)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (D_nDCG, 4 / IDEAL_DCG),
        (DIN_nDCG, 4 / IDEAL_DCG),
        (D_Q, 1 / 4),
        (DIN_Q, 1 / 4),
    ],
    ids=repr,
)
@pytest.mark.parametrize("cutoff", [4, 5, None])
def test_the_ideal_ranking_is_longer_than_one_without_all_relevant_documents(measure, value, cutoff, value_of):
    assert value_of(measure(cutoff=cutoff), FIGURE_1, "b") == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("measure", [D_Q, DIN_Q], ids=repr)
def test_q_at_a_cutoff_larger_than_the_relevant_documents_divides_by_their_number(measure, value_of):
    # The ideal list ends with its second document: 1 + 1 below rank 1.
    value = value_of(measure @ 10, {"a": {"i": 1}, "b": {"i": 1}}, "auvb")

    assert value == pytest.approx((1 + (2 + 2) / (4 + 2)) / 2, abs=1e-12)


@pytest.mark.parametrize("measure", ALL, ids=repr)
@pytest.mark.parametrize("cutoff", [None, 2])
def test_a_query_without_relevant_documents_scores_0(measure, cutoff, value_of):
    assert value_of(measure(cutoff=cutoff), {"a": {"i": 0, "j": -2}}, "ab", navigational="j") == 0


@pytest.mark.parametrize("measure", ALL, ids=repr)
@pytest.mark.parametrize("cutoff", [None, 2])
@pytest.mark.parametrize("ranking", ["uvw", ""])
def test_a_ranking_without_judged_documents_scores_0(measure, cutoff, ranking, value_of):
    assert value_of(measure(cutoff=cutoff), FIGURE_1, ranking, navigational=NAVIGATIONAL) == 0


@pytest.mark.parametrize("measure", ALL, ids=repr)
def test_one_intent_needs_no_column_that_names_it(measure, topic, by_query):
    qrels, run = topic({"a": {"i": 1}, "b": {"i": 3}}, "uab")

    assert by_query(measure, qrels.drop(columns="iteration"), run) == by_query(measure, qrels, run)


@pytest.mark.parametrize(
    ("measure", "params", "sentence"),
    [
        *((measure, {"beta": -1}, "beta must be a number in .0, inf., not -1") for measure in (D_Q, DIN_Q)),
        *((measure, {"gain": "log"}, "gain must be one of 'exp', 'linear', 'binary'") for measure in GLOBAL_GAIN),
        *((measure, {"max_rel": 3}, "has no parameter 'max_rel'") for measure in ALL),
        *((measure, {"gamma": 0.5}, "has no parameter 'gamma'") for measure in ALL),
        *((measure, {"beta": 1}, "has no parameter 'beta'") for measure in (D_nDCG, DIN_nDCG, EfP)),
        (EfP, {"gain": "exp"}, "has no parameter 'gain'"),
        *((measure, {"cutoff": 0}, "cutoff must be an integer") for measure in ALL),
        *((measure, {"rel": 0}, "rel must be a number") for measure in ALL),
    ],
    ids=lambda value: getattr(value, "NAME", str(value)),
)
def test_wrong_parameters_are_refused_when_the_measure_is_built(measure, params, sentence):
    with pytest.raises(ValueError, match=f"^{measure.NAME}.*{sentence}"):
        measure(**params)


def test_the_first_document_of_each_navigational_intent_of_each_query_counts(topic, by_query):
    weights = {"i": 1, "j": 2}
    q = topic({"a": {"j": 1}, "b": {"i": 1, "j": 1}, "c": {"i": 1}}, "abc", weights, "q", "i")
    r = topic({"a": {"i": 1, "j": 1}, "b": {"i": 1, "j": 1}, "c": {"j": 1}}, "abc", weights, "r", "j")
    qrels, run = (pd.concat(frames) for frames in zip(q, r, strict=True))

    values = by_query(DIN_nDCG(gain="binary"), qrels, run)

    # What counts of a, b and c are the intents j; i and j; none: and i and j; i; none.
    expected = {
        "q": (2 + 3 / log2(3) + 0) / (3 + 2 / log2(3) + 1 / 2),
        "r": (3 + 1 / log2(3) + 0) / (3 + 3 / log2(3) + 2 / 2),
    }
    assert values == pytest.approx(expected, abs=1e-12)
