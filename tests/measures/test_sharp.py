from __future__ import annotations

import ir_measures
import pytest

import drawn
from pyterrier_diversity import (
    D_Q,
    DIN_Q,
    D_nDCG,
    DIN_nDCG,
    DINsharp_nDCG,
    DINsharp_Q,
    Dsharp_nDCG,
    Dsharp_Q,
    PplusQ,
    PplusQsharp,
    Sharp,
    StRecall,
)

FORMS = [
    (Dsharp_nDCG, D_nDCG),
    (Dsharp_Q, D_Q),
    (DINsharp_nDCG, DIN_nDCG),
    (DINsharp_Q, DIN_Q),
    (PplusQsharp, PplusQ),
]
each_form = pytest.mark.parametrize(("form", "base"), FORMS, ids=lambda measure: measure.NAME)
each_form_alone = pytest.mark.parametrize("form", [form for form, _ in FORMS], ids=lambda form: form.NAME)

# Fig. 1 of Sakai (2013), a document of rank 5 that is L1-relevant: i is informational, j navigational.
FIGURE_1 = {"a": {"i": 1}, "b": {"i": 3, "j": 1}, "d": {"j": 3}, "e": {"i": 1}}


def known(measure, params):
    return {name: value for name, value in params.items() if name in measure.SUPPORTED_PARAMS}


@each_form
@pytest.mark.parametrize("gamma", [0.3, 1])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"cutoff": 5},
        {"cutoff": 100},
        {"rel": 2, "cutoff": 5},
        {"gain": "linear", "cutoff": 5},
        {"beta": 0.1, "gain": "binary", "rel": 1.5},
    ],
    ids=str,
)
def test_a_sharp_form_is_sharp_of_its_base(form, base, gamma, params, by_query):
    qrels, run = drawn.intent_topics(0)

    expected = by_query(Sharp(base(**known(base, params)), gamma=gamma), qrels, run)

    assert by_query(form(gamma=gamma, **known(form, params)), qrels, run) == expected
    assert len(set(expected.values())) > 1


@each_form
def test_gamma_is_a_half_unless_given(form, base, by_query):
    qrels, run = drawn.intent_topics(1)

    values = by_query(form @ 5, qrels, run)

    assert values == by_query(Sharp(base @ 5, gamma=0.5), qrels, run)
    assert values == by_query(form(gamma=0.5) @ 5, qrels, run)


@each_form
@pytest.mark.parametrize("params", [{}, {"cutoff": 3}], ids=str)
def test_gamma_0_is_the_base_and_gamma_1_subtopic_recall(form, base, params, by_query):
    qrels, run = drawn.intent_topics(1)

    none, all_of_it = (by_query(form(gamma=gamma, **params), qrels, run) for gamma in (0, 1))

    assert none == by_query(base(**params), qrels, run)
    assert all_of_it == by_query(StRecall(**params), qrels, run)


@pytest.mark.parametrize(
    ("measure", "value"),
    [  # subtopic recall is 1/2 at rank 1, where the gain is 1/2 of at most 4
        (Dsharp_nDCG @ 1, (1 / 2 + 0.5 / 4) / 2),
        (DINsharp_nDCG @ 1, (1 / 2 + 0.5 / 4) / 2),
        (Dsharp_Q @ 1, (1 / 2 + 1.5 / 5) / 2),
        (DINsharp_Q @ 1, (1 / 2 + 1.5 / 5) / 2),
        (PplusQsharp @ 1, (1 / 2 + (2 / 8 + 0) / 2) / 2),
        (Dsharp_Q @ 2, (1 + (1.5 / 5 + 6.5 / 9.5) / 2) / 2),
        (Dsharp_Q(gamma=0.2) @ 2, 0.2 + 0.8 * (1.5 / 5 + 6.5 / 9.5) / 2),
        (DINsharp_Q(gamma=0.2) @ 4, 0.2 + 0.8 * (1.5 / 5 + 6.5 / 9.5) / 4),
        (Dsharp_Q(gamma=0.2) @ 4, 0.2 + 0.8 * (1.5 / 5 + 6.5 / 9.5 + 11 / 12.5) / 4),
        (PplusQsharp(gamma=0.2) @ 2, 0.2 + 0.8 * ((2 / 8 + 10 / 10) / 2 + 2 / 10) / 2),
    ],
    ids=repr,
)
def test_values_of_figure_1_worked_by_hand(measure, value, value_of):
    assert value_of(measure, FIGURE_1, "abcde", navigational="j") == pytest.approx(value, abs=1e-12)


@each_form_alone
def test_rel_holds_for_subtopic_recall_too(form, value_of):
    judged = {"a": {"i": 1, "k": 1}, "b": {"i": 3, "j": 2}, "c": {"j": 3}, "d": {"i": 2, "j": 1}}
    higher = {"b": {"i": 3, "j": 2}, "c": {"j": 3}, "d": {"i": 2}}

    value = value_of(form(rel=2) @ 3, judged, "adb", navigational="j")

    assert value == value_of(form @ 3, higher, "adb", navigational="j")
    assert value != value_of(form @ 3, judged, "adb", navigational="j")


@each_form_alone
@pytest.mark.parametrize("label", [0, -2])
def test_a_query_without_relevant_documents_scores_0(form, label, value_of):
    assert value_of(form @ 5, {"a": {"i": label, "j": 0}}, "ab", navigational="j") == 0


@each_form_alone
def test_a_query_that_is_missing_from_the_run_scores_0(form, value_of):
    assert value_of(form @ 5, FIGURE_1, "", navigational="j") == 0


@pytest.mark.parametrize("form", [Dsharp_nDCG, Dsharp_Q], ids=repr)
@pytest.mark.parametrize("cutoff", [2, 4, None])
def test_a_perfect_ranking_that_covers_every_intent_scores_1(form, cutoff, value_of):
    assert value_of(form(cutoff=cutoff), FIGURE_1, "bdae") == pytest.approx(1, abs=1e-12)


@each_form_alone
@pytest.mark.parametrize("params", [{"gamma": 0.3}, {"gain": "linear", "rel": 2, "cutoff": 5, "gamma": 1}], ids=str)
def test_repr_parses_to_an_equal_measure(form, params):
    measure = form(**params)

    assert ir_measures.parse_measure(repr(measure)) == measure


@each_form_alone
@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"gamma": -0.01}, "gamma must be a number in .0, 1., not -0.01"),
        ({"gamma": 1.01}, "gamma must be a number in .0, 1., not 1.01"),
        ({"gain": "log"}, "gain must be one of 'exp', 'linear', 'binary'"),
        ({"max_rel": 3}, "has no parameter 'max_rel'"),
        ({"measure": "nDCG@5"}, "has no parameter 'measure'"),
        ({"cutoff": 0}, "cutoff must be an integer"),
        ({"rel": 0}, "rel must be a number"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_when_the_measure_is_built(form, params, sentence):
    with pytest.raises(ValueError, match=f"^{form.NAME}.*{sentence}"):
        form(**params)


@pytest.mark.parametrize("form", [Dsharp_Q, DINsharp_Q, PplusQsharp], ids=lambda form: form.NAME)
def test_a_negative_persistence_is_refused_when_the_measure_is_built(form):
    with pytest.raises(ValueError, match=rf"^{form.NAME}: beta must be a number in \[0, inf\), not -1"):
        form(beta=-1)


@pytest.mark.parametrize("form", [Dsharp_nDCG, DINsharp_nDCG], ids=lambda form: form.NAME)
def test_a_form_of_ndcg_has_no_persistence(form):
    with pytest.raises(ValueError, match=f"^{form.NAME} has no parameter 'beta'"):
        form(beta=1)
