"""Values of the naive reference itself, worked by hand or printed in a paper."""

from math import log2

import pytest
from ir_measures import AP, RBP, RR, P, nDCG

import naive
import small_topics
from by_hand import qrels, run, session
from naive.measures import alpha_ndcg_ia, query_of
from pyterrier_diversity import (
    ACT,
    CT,
    D_Q,
    DCG,
    ERR,
    ERR_IA,
    EU,
    EU_DD,
    IA,
    NRBP,
    P_IA,
    RBU,
    SRR,
    Adhoc,
    AP_Rareness,
    Coverage,
    D_nDCG,
    DIN_nDCG,
    EfP,
    ERR_arith,
    P_at_Recall_mod,
    P_Rareness,
    Pplus,
    PplusQ,
    RR_at_Recall,
    SessionDCG,
    Sharp,
    SPrecision,
    StRecall,
    StRecallMinRank,
    UserModel,
    alpha_DCG,
    alpha_nDCG,
    alpha_nDCG_exact,
    nCT,
    nEU,
)

# r of a: 3/4 for x, 1/2 for y; of c: 1/4 for x.
GRADED = qrels("q x a 2", "q y a 1", "q x b 0", "q x c 1")
D3 = 1 / (1 + log2(3))


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (RBU(p=0.9, e=0.1), 0.9 * (5 / 8 - 0.1) + 0.81 * (0 - 0.1) + 0.729 * (1 / 2 * 1 / 4 * 1 / 4 - 0.1)),
        (RBU(p=0.5, e=0, norm=True) @ 1, 5 / 16),
        (EU(e=0.1), (5 / 8 - 0.1) + 1 / 2 * (0 - 0.1) + D3 * (1 / 2 * 1 / 4 * 1 / 2 - 0.1)),
        (nEU(e=0.1) @ 2, ((5 / 8 - 0.1) - 1 / 2 * 0.1) / (5 / 8 - 0.1)),
        (ERR @ 3, 3 / 16 + 13 / 16 * 1 / 16 / 3),
        (IA(RBU(p=1, e=0) @ 1), (3 / 4 + 1 / 2) / 2),
        (Adhoc(nDCG), (2 + 1 / 2) / (2 + 1 / log2(3))),
        (IA(AP), ((1 + 2 / 3) / 2 + 1) / 2),
        (IA(P @ 2), 1 / 2),
        (Adhoc(RR(rel=2)), 1),
        (Adhoc(RBP(p=0.5, rel=1)), 1 / 2 * (1 + 1 / 4)),
        (Sharp(P @ 2, gamma=0.25), 1 / 4 * 1 + 3 / 4 * 1 / 2),
        (DCG, ((1 + 1 / 2) + 1) / 2),
        (UserModel(4, "AP"), ((1 + 2 / 3) / 2 + 1) / 2),
        (StRecall(rel=2), 1),
        (SRR, 1),
    ],
    ids=str,
)
def test_values_of_three_documents_worked_by_hand(measure, expected):
    assert naive.values(measure, GRADED, run(q="a b c"))["q"] == pytest.approx(expected, abs=1e-15)


# The greedy ideal ranking is b, c, a: a and c tie at the second rank, where b has covered y of a, and x of c.
NOVEL = qrels("q y a 1", "q x b 1", "q y b 1", "q x c 1")


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (alpha_nDCG, (1 + (1 + 1 / 2) / log2(3)) / (2 + 1 / 2 / log2(3) + 1 / 2 / 2)),
        (alpha_nDCG @ 1, 1 / 2),
        (alpha_nDCG_exact @ 2, (1 + 1.5 / log2(3)) / (2 + 1 / 2 / log2(3))),
        (alpha_DCG @ 2, (1 + 1.5 / log2(3)) / (2 * (1 + 1 / 2 / log2(3)))),
        (ERR_IA @ 2, (1 + 1.5 / 2) / (2 * (1 + 1 / 4))),
    ],
    ids=str,
)
def test_values_of_novelty_worked_by_hand(measure, expected):
    assert naive.values(measure, NOVEL, run(q="a b"))["q"] == pytest.approx(expected, abs=1e-15)


CARTERETTE = qrels(*(f"q {t} {doc} 1" for doc, subtopics in small_topics.CARTERETTE.items() for t in subtopics))


OPTIMAL, GREEDY_S_RECALL, GREEDY_NOVELTY = "D4 D5 D3 D2 D1", "D3 D2 D1 D4 D5", "D3 D4 D5 D2 D1"


@pytest.mark.parametrize(
    ("measure", "ranking", "expected"),
    [
        (SPrecision, GREEDY_NOVELTY, 2 / 3),
        (SPrecision(ideal="greedy"), GREEDY_NOVELTY, 3 / 3),
        (StRecallMinRank, GREEDY_S_RECALL, 12 / 14),
        (StRecallMinRank(ideal="greedy"), GREEDY_S_RECALL, 1),
    ],
    ids=str,
)
def test_greedy_covers_the_subtopics_of_carterette_with_three_documents_and_two_would_do(measure, ranking, expected):
    assert naive.values(measure, CARTERETTE, run(q=ranking))["q"] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "ranking", "digits", "printed"),
    [
        (P_IA @ 1, GREEDY_NOVELTY, 2, 0.57),
        (P_IA @ 2, GREEDY_NOVELTY, 2, 0.54),
        (P_IA @ 3, GREEDY_NOVELTY, 2, 0.52),
        (NRBP(beta=0.8), OPTIMAL, 3, 0.711),
        (NRBP(beta=0.8), GREEDY_S_RECALL, 3, 0.673),
        (NRBP(beta=0.8), GREEDY_NOVELTY, 3, 0.713),
    ],
    ids=str,
)
def test_values_are_those_that_carterette_prints(measure, ranking, digits, printed):
    assert round(naive.values(measure, CARTERETTE, run(q=ranking))["q"], digits) == printed


# Sakai (2013), Fig. 1: i is informational, j is navigational. The global gains of a perfect list: 4, 3.5, 0.5, 0.5.
FIGURE_1 = qrels("q i a 1", "q i b 3", "q j b 1", "q j d 3", "q i e 1").assign(
    intent_type=["inf", "inf", "nav", "nav", "inf"]
)
IDEAL = 4 + 3.5 / log2(3) + 0.5 / 2 + 0.5 / log2(5)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (EfP @ 5, 3 / 5),
        (D_nDCG, (0.5 + 4 / log2(3) + 3.5 / log2(5) + 0.5 / log2(6)) / IDEAL),
        (DIN_nDCG, (0.5 + 4 / log2(3) + 0.5 / log2(6)) / IDEAL),
        (D_Q @ 1, 1.5 / (1 + 4)),
        (Pplus @ 3, ((1 + 1) / (1 + 7) + (2 + 8) / (2 + 14)) / 2),
        (PplusQ @ 2, ((2 / 8 + 10 / 10) / 2 + (1 + 1) / (2 + 8)) / 2),
    ],
    ids=str,
)
def test_values_of_figure_1_of_sakai(measure, expected):
    assert naive.values(measure, FIGURE_1, run(q="a b c d e"))["q"] == pytest.approx(expected, abs=1e-15)


def test_values_of_rareness_worked_by_hand():
    judged = qrels("q x a 1", "q x b 1", "q y b 2").assign(rarity=[0.5, 0.25, 0.25])
    ranking = run(q="a u b")

    assert naive.values(P_Rareness @ 4, judged, ranking)["q"] == (1.5 + 1.25) / 4
    assert naive.values(AP_Rareness(alpha="adaptive"), judged, ranking)["q"] == (1.25 + (1.25 + 1.125) / 3) / 2


# Documents a, b, then, in another turn, c. Of x, they fill 1, 1 and 0; of y, 1/2, 0 and 3/4: the cube is 5 high.
SESSION = qrels("q x a 2", "q x b 4", "q y a 1", "q y c 3")


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (CT, 1.625 / 5 / 2),
        (CT @ 1, 1.25 / 5),
        (ACT, (0.75 / 5 + 1.25 / 5 + 1.625 / 5 / 2) / 3),
        (nCT, 1.625 / 2 / (4.25 / 2)),
        (SessionDCG, 3 + 4 / 2 + 3 / 1.5),
        (ERR_arith, (3 / 16 + 13 / 16 * 15 / 16 / 2 + 1 / 16 + 15 / 16 * 7 / 16 / 3) / 2),
        (RR_at_Recall, 1),
        (P_at_Recall_mod, 1),
    ],
    ids=str,
)
def test_values_of_a_session_worked_by_hand(measure, expected):
    assert naive.values(measure, SESSION, session("ab", "c"))["q"] == pytest.approx(expected, abs=1e-15)


def test_expected_utility_of_a_session_worked_by_hand():
    judged = qrels("q x a 2", "q x b 3", "q y b 1", "q y c 1", "q y c 1")
    judged = judged.assign(passage=list("12345"), nugget=["n1", "n1", "n2", "n2", "n2"])
    read = session("ab", "c", doc_len=[100, 300, 50])

    # n1 is met 1/2 * 1 + 1/2 * 2 times, n2 1/2 + 2 times.
    gain = 3 * 2 * (1 - 0.5**1.5) + 2 * (1 - 0.5**2.5)
    assert naive.values(EU_DD, judged, read)["q"] == pytest.approx(gain - 0.001 * (50 + 200 + 50), abs=1e-14)


def test_coverage_counts_intents_that_no_document_is_relevant_to():
    judged = qrels("q x a 1", "q y b 1", "q z b 0").assign(weight=[1, 2, 5])

    assert naive.values(Coverage @ 1, judged, run(q="b a"))["q"] == 2 / 8


def test_alpha_ndcg_ia_of_binary_labels_is_alpha_ndcg():
    (topic,) = naive.read(NOVEL, run(q="a b"))
    params = {"alpha": 0.5, "gain": "binary", "max_rel": None, "cutoff": None}

    value = alpha_ndcg_ia(query_of(topic, params), params)

    assert value == pytest.approx(naive.value(alpha_nDCG, topic), abs=1e-15)


def test_queries_without_a_ranking_or_relevant_documents_score_0_but_for_effort():
    judged = qrels("missing x a 1", "nothing x a 0")
    retrieved = run(nothing="a b", other="a")

    assert naive.values(alpha_nDCG, judged, retrieved) == {"missing": 0, "nothing": 0}
    assert naive.values(RBU(p=1, e=0.5), judged, retrieved) == {"missing": 0, "nothing": -1}


@pytest.mark.parametrize(
    ("measure", "judged"),
    [
        (RBU, qrels("q x a 1", "q x a 2")),
        (RBU, qrels("q x a 1").assign(weight=-1)),
        (RBU(max_rel=1), qrels("q x a 2")),
        (ERR, qrels("q x a 5")),
        (alpha_DCG, qrels("q x a 1")),
        (P_Rareness, qrels("q x a 1")),
        (EU_DD, qrels("q x a 1")),
    ],
    ids=str,
)
def test_combinations_that_the_specification_refuses_are_refused(measure, judged):
    with pytest.raises(naive.RefusedError):
        naive.values(measure, judged, run(q="a"))
