from __future__ import annotations

import math

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import nDCG

import drawn
import naive
from by_hand import qrels, session, value, values, values_by_query
from pyterrier_diversity import RBU, Adhoc, Dsharp_nDCG, SessionDCG, alpha_nDCG, nSessionDCG

# Documents a, b, then, in another turn, c: worth 3, 4 and 3.
JUDGED = qrels("q x a 2", "q x b 4", "q y a 1", "q y c 3")
READ = session("ab", "c")
D3 = 1 / (1 + math.log2(3))


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (SessionDCG, 3 + 4 / 2 + 3 / 1.5),
        (SessionDCG @ 1, 3 + 4 / 2),
        (SessionDCG @ 9, 3 + 4 / 2 + 3 / 1.5),
        (SessionDCG(b=4), 3 + 4 / 1.5 + 3 / 1.5),
        (SessionDCG(bq=2), 3 + 4 / 2 + 3 / 2),
        # The ideal reads b at rank 1 of turn 1, a and c at the next best places.
        (nSessionDCG, 7 / (4 + 3 / 1.5 + 3 / 2)),
        (nSessionDCG @ 1, 5 / (4 + 3 / 2 + 3 * D3)),
        (nSessionDCG @ 3, 7 / (4 + 3 / 1.5 + 3 / (1 + math.log(3, 4)))),
        (nSessionDCG(b=4), (3 + 7 / 1.5) / (4 + 6 / 1.5)),
        (nSessionDCG(batch=1) @ 1, 5 / 4),
        (nSessionDCG(batch=1), 7 / (4 + 3 / 1.5)),
    ],
    ids=repr,
)
def test_values_of_three_documents_in_two_turns_worked_by_hand(measure, expected):
    assert value(measure, JUDGED, READ) == pytest.approx(expected, abs=1e-14)


def test_weights_of_intents_play_no_part():
    assert value(SessionDCG, JUDGED.assign(weight=[9, 9, 1, 1]), READ) == value(SessionDCG, JUDGED, READ)


def test_an_intent_of_weight_0_is_left_out():
    assert value(SessionDCG, JUDGED.assign(weight=[1, 1, 0, 0]), READ) == pytest.approx(2 + 4 / 2, abs=1e-15)


def test_the_gain_of_a_document_is_the_column_gain_where_there_is_one():
    judged = qrels("q x a 1", "q y a 1", "q x b 4", gain=[6, 1, 3])

    assert value(SessionDCG, judged, session("ab")) == pytest.approx((6 + 1) + 3 / 2, abs=1e-15)
    assert value(nSessionDCG, judged, session("ab")) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (["ab", "", "c"], 3 + 4 / 2 + 3 / (1 + math.log(3, 4))),
        (["ab", "a", "c"], 3 + 4 / 2 + 3 / (1 + math.log(3, 4))),
        (["ab", "ac"], 3 + 4 / 2 + 3 / 2 / 1.5),
        (["aab"], 3 + 4 * D3),
    ],
    ids=str,
)
def test_missing_turns_and_repeated_documents_keep_their_places_and_gain_nothing(turns, expected):
    assert value(SessionDCG, JUDGED, session(*turns)) == pytest.approx(expected, abs=1e-15)


def test_documents_of_a_turn_are_ranked_by_score():
    run = session("ab").assign(score=[1.0, 2.0])

    assert value(SessionDCG, JUDGED, run) == pytest.approx(4 + 3 / 2, abs=1e-15)


@pytest.mark.parametrize(
    ("batch", "expected"),
    [(1, 3 + 4 / 1.5 + 3 / (1 + math.log(3, 4))), (5, 3 + 4 / 2 + 3 * D3)],
)
def test_without_turns_some_documents_are_one(batch, expected):
    run = session("abc").drop(columns="turn")

    assert value(SessionDCG(batch=batch), JUDGED, run) == pytest.approx(expected, abs=1e-15)


def test_the_best_session_scores_1():
    judged = qrels("q x a 4", "q x b 3", "q y c 2", "q x d 1")

    # The discounts of two turns of two documents are 1, 1/2 and 2/3, 1/3.
    assert value(nSessionDCG(batch=2), judged, session("ac", "bd")) == pytest.approx(1, abs=1e-15)


def test_a_cutoff_beyond_the_session_makes_the_ideal_longer():
    judged = qrels("q x a 1", "q x b 1")

    at = [value(nSessionDCG(batch=1) @ k, judged, session("ab")) for k in (1, 2, 50)]

    assert at == pytest.approx([1.5, 1.5 / (1 + 1 / 1.5), 1.5 / (1 + 1 / 1.5)], abs=1e-15)


PARAMS = [{}, {"b": 10, "bq": 1.5}, {"b": 1.1}, {"bq": 20, "batch": 2}, {"batch": 9}]
FORMS = {
    "passages": lambda passages: passages,
    "documents with gains": drawn.of_documents,
    "documents with labels": lambda passages: drawn.of_documents(passages).drop(columns="gain"),
    "weighted passages": drawn.with_weights,
}


@pytest.mark.parametrize(("form", "turns"), [*((form, True) for form in FORMS), ("passages", False)])
def test_values_of_drawn_sessions_are_those_of_the_naive_reference(form, turns):
    passages, run = drawn.sessions(6)
    judged, run = FORMS[form](passages), run if turns else drawn.without_turns(run)
    kinds = [(measure, params) for measure in (SessionDCG, nSessionDCG) for params in PARAMS]
    measures = [measure(cutoff=cutoff, **params) for measure, params in kinds for cutoff in (None, 1, 3, 60)]

    computed = values_by_query(measures, judged, run)

    assert len(computed) == 12 * len(measures)
    assert computed == pytest.approx(naive.values_of_all(measures, judged, run), abs=1e-11)


@pytest.mark.parametrize("run", [session(""), session("u")], ids=["empty", "u"])
def test_a_query_without_anything_relevant_retrieved_scores_0(run):
    assert values([SessionDCG, nSessionDCG], JUDGED, run) == {"SessionDCG": [0], "nSessionDCG": [0]}


def test_sessions_are_measured_beside_rankings_in_one_experiment():
    passages, run = drawn.sessions(7)
    topics = pd.DataFrame({"qid": passages["qid"].unique(), "query": "query"})
    measures = [SessionDCG @ 3, nSessionDCG, RBU @ 5, alpha_nDCG @ 5, Dsharp_nDCG @ 5, Adhoc(nDCG @ 5)]

    table = pt.Experiment([run], topics, passages, measures, ["x"])

    for measure in measures:
        assert table.loc[0, str(measure)] == pytest.approx(value(measure, drawn.of_documents(passages), run), abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "params"),
    [
        (SessionDCG, {"b": 1}),
        (nSessionDCG, {"bq": 1}),
        (nSessionDCG, {"batch": 0}),
        (nSessionDCG, {"cutoff": 0}),
    ],
    ids=str,
)
def test_a_parameter_out_of_range_is_refused_when_the_measure_is_built(measure, params):
    name = next(iter(params))

    with pytest.raises(ValueError, match=f"^{measure.NAME}: {name} must be "):
        measure(**params)


@pytest.mark.parametrize("measure", [SessionDCG(b=10, bq=1.5) @ 3, nSessionDCG(batch=1)], ids=repr)
def test_repr_parses_to_an_equal_measure(measure):
    assert ir_measures.parse_measure(repr(measure)) == measure
