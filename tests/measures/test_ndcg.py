"""nDCG with exponential gains, which ir_measures leaves to the Perl script gdeval."""

from __future__ import annotations

import math

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import nDCG

import by_hand
import drawn
import naive
from pyterrier_diversity import IA, Adhoc, D_nDCG, Sharp, signature
from pyterrier_diversity.measures import registered
from pyterrier_diversity.measures.base import implementation
from pyterrier_diversity.transformers import Ideal

EXP = nDCG(dcg="exp-log2")
OURS = ir_measures.providers.registry["diversity"]


def test_three_documents_worked_by_hand():
    qrels = by_hand.qrels("q x a 1", "q x b 3", "q x c 2")

    value = by_hand.value(EXP @ 2, qrels, by_hand.run(q="a u b"))

    assert value == pytest.approx(1 / (7 + 3 / math.log2(3)), abs=1e-15)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), fractions=st.booleans(), cutoff=st.sampled_from([1, 2, 3, 20]))
def test_values_are_those_of_the_naive_reference(seed, fractions, cutoff):
    frames = drawn.small_topics(seed, fractions=fractions)
    inner = [EXP @ cutoff, EXP(judged_only=True) @ cutoff]
    measures = [*inner, *map(IA, inner), *map(Adhoc, inner), *map(Sharp, inner)]

    values = by_hand.values_by_query(measures, *frames)

    assert values == pytest.approx(naive.values_of_all(measures, *frames), abs=1e-12)


def test_with_one_intent_it_is_d_ndcg():
    qrels, run = drawn.intent_topics(0)
    qrels = qrels[qrels["iteration"] == "t0"]

    ours, peer = by_hand.values([EXP @ 5, D_nDCG @ 5], qrels, run).values()

    assert ours == pytest.approx(peer, abs=1e-15)


def test_labels_below_1_gain_nothing():
    assert by_hand.value(EXP @ 1, by_hand.qrels("q x a 0.5", "q x b 1"), by_hand.run(q="a b")) == 0


def test_the_label_of_a_document_is_its_highest_over_the_intents():
    several = by_hand.qrels("q x a 3", "q y a 1", "q y b 2", "q x b 1")

    assert by_hand.value(EXP @ 2, several, by_hand.run(q="a b")) == 1


@pytest.mark.parametrize("measure", [EXP @ 5, EXP(judged_only=True) @ 5, EXP(judged_only=False) @ 1], ids=repr)
def test_it_is_computed_by_this_package(measure):
    assert OURS.supports(measure)
    assert "pyterrier-diversity" in signature(measure)


@pytest.mark.parametrize(
    "measure",
    [nDCG, nDCG @ 5, nDCG(dcg="log2") @ 5, EXP, EXP(gains={1: 2}) @ 5, nDCG(gains={0: 0, 1: 3}) @ 5],
    ids=repr,
)
def test_every_other_ndcg_stays_ir_measures(measure):
    assert not OURS.supports(measure)
    assert implementation(measure) is None


def test_a_measure_computed_with_some_parameters_only_is_not_listed():
    assert "nDCG" not in {measure.NAME for measure in registered()}


def test_without_perl_it_is_computed(monkeypatch):
    monkeypatch.setenv("PATH", "")

    assert by_hand.value(EXP @ 5, by_hand.qrels("q-a x d 7"), {"q-a": {"d": 1.0}}) == 1
    assert by_hand.value(Adhoc(EXP @ 5), by_hand.qrels("q x d 7"), by_hand.run(q="d")) == 1


def test_both_kinds_stand_in_one_table():
    qrels, run = by_hand.qrels("q x a 1", "q x b 3"), by_hand.run(q="a b")

    values = by_hand.values([Adhoc(EXP @ 2), Adhoc(nDCG @ 2), EXP @ 2], qrels, run)

    exponential, linear, bare = (value for (value,) in values.values())
    assert exponential == bare < linear


@pytest.mark.parametrize("cutoff", [0, -5])
def test_a_cutoff_out_of_range_is_refused(cutoff):
    with pytest.raises(ValueError, match=rf"^nDCG: cutoff must be an integer in \[1, inf\), not {cutoff}\.$"):
        by_hand.value(EXP @ cutoff, by_hand.qrels("q x a 1"), by_hand.run(q="a"))


def test_a_label_whose_gain_is_not_finite_is_refused():
    with pytest.raises(ValueError, match=r"labels may be at most 1000, but query 'q' has 1100 for document 'a'\.$"):
        by_hand.value(EXP @ 5, by_hand.qrels("q x a 1100"), by_hand.run(q="a"))


@pytest.mark.parametrize("measure", [EXP @ 5, Adhoc(EXP @ 5)], ids=repr)
def test_the_ideal_ranking_by_label_scores_1(measure):
    qrels, run = drawn.small_topics(0)
    qrels = qrels[qrels["query_id"].isin(["q3", "q4"])]
    topics = run[["query_id"]].drop_duplicates().rename(columns={"query_id": "qid"}).assign(query="")

    ideal = Ideal(qrels, measure, ideal="exact")(topics[topics["qid"].isin(["q3", "q4"])])

    assert by_hand.value(measure, qrels, ideal) == 1
