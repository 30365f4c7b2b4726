"""nDCG with exponential gains, which ir_measures leaves to the Perl script gdeval."""

import math

import ir_measures
import pytest
from ir_measures import nDCG

import by_hand
import drawn
from pyterrier_diversity import Adhoc, D_nDCG, signature
from pyterrier_diversity.measures import registered
from pyterrier_diversity.measures.base import implementation

EXP = nDCG(dcg="exp-log2")
OURS = ir_measures.providers.registry["diversity"]


def test_three_documents_worked_by_hand():
    qrels = by_hand.qrels("q x a 1", "q x b 3", "q x c 2")

    value = by_hand.value(EXP @ 2, qrels, by_hand.run(q="a u b"))

    assert value == pytest.approx(1 / (7 + 3 / math.log2(3)), abs=1e-15)


def test_with_one_intent_it_is_d_ndcg():
    qrels, run = drawn.intent_topics(0)
    qrels = qrels[qrels["iteration"] == "t0"]

    ours, peer = by_hand.values([EXP @ 5, D_nDCG @ 5], qrels, run).values()

    assert ours == pytest.approx(peer, abs=1e-15)


def test_labels_below_1_gain_by_the_formula():
    gain = by_hand.value(EXP @ 1, by_hand.qrels("q x a 0.5", "q x b 1"), by_hand.run(q="a b"))

    assert gain == pytest.approx(2**0.5 - 1, abs=1e-15)


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
    assert implementation(measure) is None


def test_a_measure_computed_with_some_parameters_only_is_not_listed():
    assert "nDCG" not in {measure.NAME for measure in registered()}


def test_without_perl_it_is_computed(monkeypatch):
    monkeypatch.setenv("PATH", "")

    assert by_hand.value(EXP @ 5, by_hand.qrels("q-a x d 7"), {"q-a": {"d": 1.0}}) == 1
    assert by_hand.value(Adhoc(EXP @ 5), by_hand.qrels("q x d 7"), by_hand.run(q="d")) == 1


@pytest.mark.parametrize("cutoff", [0, -5])
def test_a_cutoff_out_of_range_is_refused(cutoff):
    with pytest.raises(ValueError, match=rf"^nDCG: cutoff must be an integer in \[1, inf\), not {cutoff}\.$"):
        by_hand.value(EXP @ cutoff, by_hand.qrels("q x a 1"), by_hand.run(q="a"))


def test_a_label_whose_gain_is_not_finite_is_refused():
    with pytest.raises(ValueError, match=r"labels may be at most 1000, but query 'q' has 1100 for document 'a'\.$"):
        by_hand.value(EXP @ 5, by_hand.qrels("q x a 1100"), by_hand.run(q="a"))
