"""Which measures have a ranking that is proven to be best, and which one it is."""

import re

import ir_measures
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import (
    AP,
    ERR,
    RBP,
    RR,
    Bpref,
    Compat,
    IPrec,
    Judged,
    P,
    R,
    Rprec,
    SetP,
    Success,
    nDCG,
)

from pyterrier_diversity import (
    EU,
    IA,
    NRBP_IA,
    RBU,
    SRR,
    Adhoc,
    AP_Rareness,
    Coverage,
    D_nDCG,
    DIN_nDCG,
    Dsharp_nDCG,
    Q,
    Sharp,
    SPrecision,
    StRecall,
    StRecallMinRank,
    alpha_DCG_IA,
    alpha_nDCG,
    nP_IA,
)
from pyterrier_diversity.measures import registered
from pyterrier_diversity.measures.base import implementation
from pyterrier_diversity.transformers import Ideal
from small_topics import found, n_covered, qrels_of, smallest_covers, topics

QRELS = pd.DataFrame(
    [
        ("10", "a", 1, "x"),
        ("10", "b", 3, "x"),
        ("10", "b", 1, "y"),
        ("10", "c", 2, "y"),
        ("9", "a", 1, "x"),
        ("9", "c", -2, "x"),
        ("11", "a", 0, "x"),
    ],
    columns=["qid", "docno", "label", "iteration"],
)


# A bare ad-hoc measure reads the last row of each document, which has the highest label here.
SORTED = QRELS.sort_values("label")


def rankings(measure, qrels=QRELS, **options):
    """Return the ideal ranking of each query, in the order of their numbers."""
    topics = pd.DataFrame({"qid": sorted(qrels["qid"].unique(), key=int)})
    ideal = Ideal(qrels, measure, **options)(topics)
    of_query = ideal.groupby("qid")["docno"].agg(list).to_dict()
    return [of_query.get(qid, []) for qid in topics["qid"]]


def exact(measure, qrels=QRELS, time_limit=60.0):
    return rankings(measure, qrels, ideal="exact", time_limit=time_limit)


def is_served(measure):
    """Tell whether `Ideal` takes a measure for an exact ideal: it says so before it ranks anything."""
    try:
        Ideal(SORTED, measure, ideal="exact")
    except ValueError as refusal:
        if f"ideal='exact' needs a proof, and none is known for {measure}. Use" in str(refusal):
            return False
        raise
    return True


def served():
    """Return the names that the refusal of a measure gives."""
    with pytest.raises(ValueError, match="none is known for RBU") as refusal:
        Ideal(QRELS, RBU, ideal="exact")
    return re.search(r"or one of (.*), or Adhoc of one", str(refusal.value)).group(1).split(", ")


@pytest.mark.parametrize(
    "measure",
    [
        RBU,
        EU,
        IA(AP),
        IA(alpha_nDCG),
        Sharp(D_nDCG),
        Dsharp_nDCG,
        DIN_nDCG,
        alpha_DCG_IA,
        NRBP_IA,
        SPrecision,
        AP_Rareness,
        Adhoc(RBU),
        Adhoc(IA(AP)),
        Compat,
        Judged @ 5,
        SetP,
        # Gains of one's own need not grow with the label; documents of label 0 would be relevant.
        nDCG(gains={1: 5, 2: 1}),
        Adhoc(nDCG(gains={1: 5, 2: 1})),
    ],
    ids=str,
)
def test_measures_without_a_proof_are_not_served(measure):
    assert not is_served(measure)


def test_a_measure_that_a_user_defines_has_no_proof_even_by_the_name_of_one_that_has():
    mine = ir_measures.define_byquery(lambda qrels, run: 0.5, name="AP")

    assert is_served(Adhoc(AP))
    assert not is_served(Adhoc(mine))


def test_a_lift_of_nothing_says_that_it_needs_a_measure():
    with pytest.raises(ValueError, match="Adhoc needs a measure"):
        Ideal(QRELS, Adhoc, ideal="exact")


def test_the_names_are_those_of_all_measures_that_have_a_proof():
    lifts = {"IA", "Adhoc", "Sharp"}
    ours = [measure for measure in registered() if measure.NAME not in lifts]
    theirs = [AP, Bpref, IPrec @ 0.5, P @ 5, R @ 5, RBP(rel=1), RR, Rprec, Success @ 5, nDCG]

    assert all(is_served(Adhoc(measure)) for measure in theirs)
    assert not any(map(is_served, theirs))  # they read one of several labels of a document
    assert set(served()) == {measure.NAME for measure in filter(is_served, ours)}
    assert len(served()) == len(set(served()))
    assert served() == sorted(served(), key=str.lower)


def test_exact_rankings_of_each_query_worked_by_hand():
    # Queries 9, 10, 11. By global gains, b has (7 + 1)/2, c 3/2, a 1/2.
    assert exact(D_nDCG) == [["a"], ["b", "c", "a"], []]
    assert exact(D_nDCG @ 2) == [["a"], ["b", "c"], []]
    assert exact(StRecall) == [["a"], ["b"], []]
    assert [sorted(ranking) for ranking in exact(StRecall(rel=2))] == [[], ["b", "c"], []]
    assert exact(Adhoc(AP)) == [["a"], ["b", "c", "a"], []]
    assert exact(Adhoc(AP(rel=2))) == [[], ["b", "c"], []]


def test_worth_that_ties_goes_to_the_highest_name():
    alike = QRELS[QRELS["qid"] == "10"].assign(label=1)

    assert exact(Q, alike) == [["c", "b", "a"]]
    assert exact(nP_IA, alike) == [["b", "c", "a"]]
    assert exact(ERR @ 2, alike) == [["c", "b"]]


def test_without_a_relevant_document_rankings_are_empty():
    for measure in (alpha_nDCG @ 20, StRecall, SRR, StRecallMinRank, Coverage, D_nDCG, nP_IA, Q, ERR, Adhoc(AP)):
        assert exact(measure, QRELS.assign(label=0)) == [[], [], []]


@settings(max_examples=15, deadline=None)
@given(masks=topics(max_docs=6, max_topics=3), depth=st.sampled_from([None, 1, 2, 3]))
def test_the_most_intents_are_covered_by_no_more_documents_than_that_takes(masks, depth):
    ours = exact(StRecall if depth is None else StRecall @ depth, qrels_of(masks))

    for topic, ranking in zip(masks, ours, strict=True):
        fewest = smallest_covers(topic)
        most = max(m for m, size in enumerate(fewest) if depth is None or size <= depth)
        assert n_covered(found(topic, ranking)) == most
        assert len(ranking) <= (fewest[-1] if depth is None else depth)


@pytest.mark.parametrize("measure", [RBU, StRecall, D_nDCG, Adhoc(alpha_nDCG), IA(AP)], ids=str)
def test_other_measures_know_no_faster_way_than_to_try(measure):
    assert implementation(measure).greedy is None
