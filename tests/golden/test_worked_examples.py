"""Examples that papers work through, value by value."""

import math

import pytest

from by_hand import qrels, run, value
from pyterrier_diversity import (
    NRBP,
    P_IA,
    SPrecision,
    StRecall,
    StRecallMinRank,
    alpha_nDCG,
    alpha_nDCG_exact,
    nP_IA,
)
from pyterrier_diversity.ideal import min_rank
from pyterrier_diversity.transformers import Ideal
from small_topics import CARTERETTE

QRELS = qrels(*(f"q {subtopic} {doc} 1" for doc, subtopics in CARTERETTE.items() for subtopic in subtopics))

# The three systems of the paper: optimal for S-recall at minRank; greedy for S-recall; greedy for alpha-nDCG, prec-IA.
OPTIMAL = "D4 D5 D3 D2 D1"
GREEDY_S_RECALL = "D3 D2 D1 D4 D5"
GREEDY_NOVELTY = "D3 D4 D5 D2 D1"


def values(measures, ranking):
    return [value(measure, QRELS, run(q=ranking)) for measure in measures]


def alpha_dcg(gains):
    return sum(gain / math.log2(i + 1) for i, gain in enumerate(gains, start=1))


def test_greedy_takes_three_documents_where_two_cover_all_subtopics():
    assert min_rank(QRELS, ideal="greedy")["docnos"].tolist() == [["D3", "D2", "D1"]]
    assert min_rank(QRELS)["docnos"].map(sorted).tolist() == [["D4", "D5"]]


@pytest.mark.parametrize(
    ("n_intents", "exact", "greedy"), [(7, 1, 1), (8, 1, 1), (12, 2, 2), (14, 2, 3)], ids=lambda value: str(value)
)
def test_min_rank_of_7_8_12_and_14_subtopics(n_intents, exact, greedy):
    assert min_rank(QRELS, n_intents)["min_rank"].tolist() == [exact]
    assert min_rank(QRELS, n_intents, ideal="greedy")["min_rank"].tolist() == [greedy]


@pytest.mark.parametrize(
    ("ranking", "recalls"),
    [
        (OPTIMAL, [7 / 14, 1, 1, 1, 1]),
        (GREEDY_S_RECALL, [8 / 14, 12 / 14, 1, 1, 1]),
        (GREEDY_NOVELTY, [8 / 14, 11 / 14, 1, 1, 1]),
    ],
)
def test_s_recall_at_each_rank(ranking, recalls):
    assert values([StRecall @ k for k in range(1, 6)], ranking) == pytest.approx(recalls, abs=1e-15)


@pytest.mark.parametrize(
    ("ranking", "exact", "greedy"), [(OPTIMAL, 1, 1), (GREEDY_S_RECALL, 12 / 14, 1), (GREEDY_NOVELTY, 11 / 14, 1)]
)
def test_s_recall_at_min_rank(ranking, exact, greedy):
    measures = [StRecallMinRank, StRecallMinRank(ideal="greedy")]

    assert values(measures, ranking) == pytest.approx([exact, greedy], abs=1e-15)


@pytest.mark.parametrize(
    ("ranking", "exact", "greedy"),
    [
        (OPTIMAL, [1, 2 / 2, 2 / 2], [1, 3 / 2, 3 / 2]),
        (GREEDY_S_RECALL, [1, 2 / 2, 2 / 3], [1, 2 / 2, 3 / 3]),
        (GREEDY_NOVELTY, [1, 2 / 2, 2 / 3], [1, 2 / 2, 3 / 3]),
    ],
)
def test_s_precision_of_the_optimal_system_exceeds_1_if_min_rank_is_greedy(ranking, exact, greedy):
    assert values([SPrecision @ k for k in (1, 2, 3)], ranking) == pytest.approx(exact, abs=1e-15)
    assert values([SPrecision(ideal="greedy") @ k for k in (1, 2, 3)], ranking) == pytest.approx(greedy, abs=1e-15)


@pytest.mark.parametrize(("cutoff", "best"), [(1, {"D3"}), (2, {"D4", "D5"}), (3, {"D3", "D4", "D5"})])
def test_the_documents_of_the_best_alpha_dcg_depend_on_the_rank(cutoff, best):
    assert set(Ideal(QRELS, alpha_nDCG @ cutoff, ideal="exact")(QRELS)["docno"]) == best


def test_greedy_alpha_dcg_takes_d3_above_d4_and_d5():
    docs = Ideal(QRELS, alpha_nDCG)(QRELS)["docno"].tolist()

    assert docs[0] == "D3"
    assert set(docs[1:3]) == {"D4", "D5"}
    assert docs[3:] == ["D2", "D1"]


# D4 and D5 share no subtopic with each other; each shares four with D3, and has three others.
@pytest.mark.parametrize(
    ("ranking", "cutoff", "gains", "best"),
    [
        (GREEDY_NOVELTY, 1, [8], [8]),
        (OPTIMAL, 1, [7], [8]),
        (OPTIMAL, 2, [7, 7], [7, 7]),
        (GREEDY_NOVELTY, 2, [8, 3 + 4 / 2], [7, 7]),
        (GREEDY_S_RECALL, 2, [8, 4], [7, 7]),
        (GREEDY_NOVELTY, 3, [8, 3 + 4 / 2, 3 + 4 / 2], [8, 5, 5]),
        (OPTIMAL, 3, [7, 7, 8 / 2], [8, 5, 5]),
        (GREEDY_S_RECALL, 3, [8, 4, 2], [8, 5, 5]),
    ],
)
def test_alpha_dcg_over_its_true_maximum(ranking, cutoff, gains, best):
    expected = alpha_dcg(gains) / alpha_dcg(best)

    assert values([alpha_nDCG_exact @ cutoff], ranking) == pytest.approx([expected], abs=1e-15)


def test_alpha_ndcg_of_the_optimal_system_exceeds_1_if_the_ideal_is_greedy():
    expected = alpha_dcg([7, 7]) / alpha_dcg([8, 3 + 4 / 2])

    assert expected > 1
    assert values([alpha_nDCG @ 2], OPTIMAL) == pytest.approx([expected], abs=1e-15)


def test_exact_alpha_ndcg_of_the_greedy_system_decreases_though_it_goes_on_finding_subtopics():
    exact = values([alpha_nDCG_exact @ k for k in (1, 2, 3)], GREEDY_S_RECALL)

    assert exact[0] == 1
    assert exact == sorted(exact, reverse=True)


def test_precision_ia_of_the_best_ranking_is_far_from_1():
    precisions = values([P_IA @ k for k in (1, 2, 3)], GREEDY_NOVELTY)

    assert precisions == pytest.approx([8 / 14, 15 / 28, 22 / 42], abs=1e-15)
    assert [round(precision, 2) for precision in precisions] == [0.57, 0.54, 0.52]


def test_normalised_precision_ia_of_the_best_ranking_is_1_throughout():
    assert values([*(nP_IA @ k for k in range(1, 7)), nP_IA], GREEDY_NOVELTY) == [1] * 7


def test_normalised_precision_ia_decreases_for_greedy_s_recall_and_increases_for_the_optimal_system():
    measures = [nP_IA @ k for k in (1, 2, 3)]

    assert values(measures, GREEDY_S_RECALL) == pytest.approx([1, 12 / 15, 14 / 22], abs=1e-15)
    assert values(measures, OPTIMAL) == pytest.approx([7 / 8, 14 / 15, 1], abs=1e-15)


@pytest.mark.parametrize(("ranking", "printed"), [(OPTIMAL, 0.711), (GREEDY_S_RECALL, 0.673), (GREEDY_NOVELTY, 0.713)])
def test_nrbp_of_the_three_systems(ranking, printed):
    (nrbp,) = values([NRBP(beta=0.8)], ranking)

    assert round(nrbp, 3) == printed


@pytest.mark.parametrize("k", range(3, 9))
def test_the_generalised_example_takes_greedy_to_k_documents_where_two_are_enough(k):
    # Document i has 2^i subtopics of its own, and each of two more documents has one half of all of these.
    rows = []
    for i in range(1, k + 1):
        rows += [f"q {i}.{j} D{i} 1" for j in range(2**i)]
        rows += [f"q {i}.{j} {'even' if j % 2 == 0 else 'odd'} 1" for j in range(2**i)]
    judged = qrels(*rows)
    greedy_system = run(q=" ".join(f"D{i}" for i in range(k, 0, -1)))

    assert min_rank(judged)["docnos"].map(sorted).tolist() == [["even", "odd"]]
    assert min_rank(judged, ideal="greedy")["docnos"].tolist() == [[f"D{i}" for i in range(k, 0, -1)]]
    assert value(StRecallMinRank(ideal="greedy"), judged, greedy_system) == 1
    assert value(StRecallMinRank, judged, greedy_system) == pytest.approx(
        (2**k + 2 ** (k - 1)) / (2 ** (k + 1) - 2), abs=1e-15
    )
