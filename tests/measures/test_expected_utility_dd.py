from __future__ import annotations

import math

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import nDCG

import drawn
import naive
from by_hand import qrels, session, value, values, values_by_query
from pyterrier_diversity import CT, EU_DD, RBU, Adhoc, Dsharp_nDCG, SessionDCG, alpha_nDCG


def passages(*rows: str) -> pd.DataFrame:
    """Qrels of the rows "passage document rating nugget", all of one intent but for the nugget n2."""
    read = [row.split() for row in rows]
    judged = qrels(*(f"q {'y' if nugget == 'n2' else 'x'} {doc} {rating}" for _, doc, rating, nugget in read))
    return judged.assign(passage=[row[0] for row in read], nugget=[row[3] for row in read])


# In the first turn, a or else b is the last document, with the same probability. So n1 is met 1/2 * 1 + 1/2 * 2 times,
# n2 1/2 times; in the second turn, n2 is met two times more.
JUDGED = passages("1 a 2 n1", "2 b 3 n1", "3 b 1 n2", "4 c 1 n2", "5 c 1 n2")
WORDS = {"a": 100.0, "b": 300.0, "c": 50.0}


def told(turns, **words):
    """A run whose documents have the lengths given; of the others they are not known."""
    run = session(*turns)
    return run.assign(doc_len=run["docno"].map(words).astype(float))


READ = told(["ab", "c"], **WORDS)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (EU_DD(a=0), 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**2.5)),
        (EU_DD, 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**2.5) - 0.001 * (50 + 200 + 50)),
        (EU_DD @ 1, 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**0.5) - 0.001 * (50 + 200)),
        (EU_DD @ 9, 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**2.5) - 0.001 * (50 + 200 + 50)),
        (EU_DD(gamma=0), 3 + 1 - 0.3),
        (EU_DD(gamma=0.25), 3 / 0.75 * (1 - 0.25**1.5) + 1 / 0.75 * (1 - 0.25**2.5) - 0.3),
        (EU_DD(p=0.25), 3 * 2 * (1 - 0.5**1.75) + 2 * (1 - 0.5**2.75) - 0.001 * (25 + 300 + 50)),
    ],
    ids=repr,
)
def test_values_of_three_documents_in_two_turns_worked_by_hand(measure, expected):
    assert value(measure, JUDGED, READ) == pytest.approx(expected, abs=1e-14)


def test_users_who_stop_for_sure_read_the_first_document_of_each_turn():
    judged = passages("1 a 2 n1", "2 b 2 n1", "3 b 1 n2", "4 c 1 n2", "5 c 1 n2")

    assert value(EU_DD(p=1), judged, READ) == pytest.approx(2 * 2 * 0.5 + 2 * 0.75 - 0.001 * (100 + 50), abs=1e-15)


GAIN = 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**2.5)


@pytest.mark.parametrize(
    ("words", "cost"),
    [
        ({"a": 100, "c": 50}, 50 + 50),
        ({"b": 300, "c": 50}, 150 + 50),
        ({}, 0),
    ],
    ids=str,
)
def test_a_document_of_unknown_length_costs_nothing_at_its_rank(words, cost):
    assert value(EU_DD, JUDGED, told(["ab", "c"], **words)) == pytest.approx(GAIN - 0.001 * cost, abs=1e-14)


@pytest.mark.parametrize(
    ("turns", "cost"),
    [
        (["ab", "ac"], 50 + 200 + 25),
        (["aab", "c"], 50 + 0 + 1 / 4 * 400 + 50),
        (["ab", "", "c"], 50 + 200 + 50),
    ],
    ids=str,
)
def test_missing_turns_and_repeated_documents_cost_nothing(turns, cost):
    run = told(turns, **WORDS)

    assert value(EU_DD(a=0), JUDGED, run) - value(EU_DD, JUDGED, run) == pytest.approx(0.001 * cost, abs=1e-14)


@pytest.mark.parametrize(
    ("turns", "n1", "n2"),
    [
        # Having read a before, users stop at it with probability 1/2.
        (["ab", "ac"], 1.5, 1.5),
        (["ab", "", "c"], 1.5, 2.5),
        (["aab"], 1 / 2 + 1 / 4 + 2 / 4, 1 / 4),
    ],
    ids=str,
)
def test_missing_turns_and_repeated_documents_tell_nothing_anew(turns, n1, n2):
    gain = 3 * 2 * (1 - 0.5**n1) + 2 * (1 - 0.5**n2)

    assert value(EU_DD(a=0), JUDGED, told(turns)) == pytest.approx(gain, abs=1e-14)


@pytest.mark.parametrize(("turns", "rating"), [(["ab"], 3), (["b", "ab"], 2)], ids=str)
def test_a_nugget_is_worth_the_rating_of_the_last_passage_read(turns, rating):
    # One rating or the other, since the first document has been read for sure.
    judged = passages("1 a 2 n1", "2 b 3 n1")

    gain = value(EU_DD(a=0, gamma=0), judged, told(turns))

    assert gain == pytest.approx(rating, abs=1e-15)


def test_a_nugget_counts_for_each_passage_of_a_document():
    judged = passages("1 a 2 n1", "2 a 2 n1", "3 a 2 n1", "4 a 1 n2")

    assert value(EU_DD(a=0), judged, told(["a"])) == pytest.approx(2 * 2 * (1 - 0.5**3) + 2 * 0.5, abs=1e-15)


def test_nuggets_of_different_queries_are_told_apart():
    judged = passages("1 a 2 n1", "2 b 3 n1")
    judged["qid"] = ["q", "p"]
    run = pd.concat([told(["a"]), told(["ab"]).assign(qid="p")])

    computed = values([EU_DD(a=0)], judged, run)

    assert computed[repr(EU_DD(a=0))] == pytest.approx([3 * 2 * (1 - 0.5**0.5), 2], abs=1e-15)


def test_weights_of_intents_play_no_part():
    assert value(EU_DD, JUDGED.assign(weight=[9, 9, 1, 1, 1]), READ) == value(EU_DD, JUDGED, READ)


def test_a_session_without_relevant_documents_is_pure_cost():
    assert value(EU_DD, JUDGED, told(["uv"], u=200, v=100)) == pytest.approx(-0.001 * (100 + 150), abs=1e-15)


def test_a_query_without_relevant_passages_is_pure_cost():
    assert value(EU_DD, passages("1 a 0 n1"), told(["a"], a=200)) == pytest.approx(-0.2, abs=1e-15)


def test_a_query_that_the_run_lacks_scores_0():
    run = told(["a"], a=100).assign(qid="other")
    judged = pd.concat([JUDGED, JUDGED.assign(qid="other")])

    assert values([EU_DD], judged, run)["EU_DD"][1] == 0


@pytest.mark.parametrize(("batch", "cost"), [(2, 50 + 200 + 50), (5, 50 + 1 / 4 * 400 + 1 / 4 * 450)])
def test_without_turns_some_documents_are_one(batch, cost):
    run = told(["abc"], **WORDS).drop(columns="turn")
    measures = [EU_DD(a=a, batch=batch) for a in (0, 0.001)]

    assert value(measures[0], JUDGED, run) - value(measures[1], JUDGED, run) == pytest.approx(0.001 * cost, abs=1e-14)


def test_a_run_without_lengths_costs_nothing_and_is_warned_of_once():
    run = READ.drop(columns="doc_len")

    with pytest.warns(UserWarning, match="doc_len") as caught:
        computed = values([EU_DD, EU_DD @ 1, EU_DD(gamma=0)], JUDGED, run)

    assert len(caught) == 1
    assert computed["EU_DD"] == pytest.approx([GAIN], abs=1e-14)


def test_a_run_without_lengths_is_fine_for_other_measures():
    assert value(CT, JUDGED, READ.drop(columns="doc_len")) == value(CT, JUDGED, READ) > 0


@pytest.mark.parametrize("missing", [["passage", "nugget"], ["passage"], ["nugget"]], ids=str)
def test_qrels_without_passages_are_refused(missing):
    judged = drawn.of_documents(JUDGED) if "passage" in missing else JUDGED
    judged = judged.drop(columns="nugget", errors="ignore") if "nugget" in missing else judged.assign(nugget="n1")

    with pytest.raises(ValueError, match=r"^EU_DD.* needs .*io\.read_dd_truth") as refused:
        value(EU_DD, judged, READ)

    assert all(name in str(refused.value) for name in missing)


@pytest.mark.parametrize("run", [READ.head(0), {}], ids=["frame", "dict"])
def test_qrels_without_passages_are_fine_for_an_empty_run(run):
    assert value(EU_DD, drawn.of_documents(JUDGED), run) == 0


def same(frame):
    return frame


GRID = [
    {"a": 0},
    {},
    {"a": 0.01, "gamma": 0.9},
    {"gamma": 0},
    {"p": 0.9, "a": 0.1},
    {"p": 0.2, "gamma": 0.1, "batch": 3},
]


@pytest.mark.parametrize(
    ("seed", "form", "arrange"),
    [(8, same, same), (9, drawn.with_weights, same), (10, same, drawn.without_turns)],
    ids=["passages", "weighted", "batches"],
)
def test_values_of_drawn_sessions_are_those_of_the_naive_reference(seed, form, arrange):
    passages, run = drawn.sessions(seed)
    judged, run = form(passages), arrange(run)
    measures = [EU_DD(cutoff=cutoff, **params) for params in GRID for cutoff in (None, 1, 3, 60)]

    computed = values_by_query(measures, judged, run)

    assert len(computed) == 12 * len(measures)
    assert computed == pytest.approx(naive.values_of_all(measures, judged, run), abs=1e-11)


def test_the_order_of_rows_does_not_matter():
    judged, run = drawn.sessions(10)
    shuffled = judged.sample(frac=1, random_state=1), run.sample(frac=1, random_state=2)

    assert values([EU_DD], *shuffled)["EU_DD"] == pytest.approx(values([EU_DD], judged, run)["EU_DD"], abs=1e-12)


def test_sessions_are_measured_beside_rankings_in_one_experiment():
    judged, run = drawn.sessions(11)
    topics = pd.DataFrame({"qid": judged["qid"].unique(), "query": "query"})
    measures = [EU_DD @ 3, CT @ 3, SessionDCG, RBU @ 5, alpha_nDCG @ 5, Dsharp_nDCG @ 5, Adhoc(nDCG @ 5)]

    table = pt.Experiment([run], topics, judged, measures, ["x"])

    expected = np.mean(list(naive.values(EU_DD @ 3, judged, run).values()))
    assert table.loc[0, "EU_DD@3"] == pytest.approx(expected, abs=1e-12)
    for measure in measures[1:]:
        assert table.loc[0, str(measure)] == pytest.approx(value(measure, drawn.of_documents(judged), run), abs=1e-12)


@pytest.mark.parametrize(
    "params",
    [
        {"a": -0.1},
        {"a": math.nan},
        {"gamma": 1.1},
        {"p": 0},
        {"cutoff": 0},
    ],
    ids=str,
)
def test_a_parameter_out_of_range_is_refused_when_the_measure_is_built(params):
    name = next(iter(params))

    with pytest.raises(ValueError, match=f"^EU_DD: {name} must be "):
        EU_DD(**params)


@pytest.mark.parametrize("measure", [EU_DD(a=0, p=1) @ 10, EU_DD(gamma=0.25, batch=3)], ids=repr)
def test_repr_parses_to_an_equal_measure(measure):
    assert ir_measures.parse_measure(repr(measure)) == measure
