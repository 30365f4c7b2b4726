import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import alpha_nDCG

from pyterrier_diversity.ideal import NotProvenError, exact, exact_order, log_discount
from pyterrier_diversity.transformers import Ideal
from small_topics import GREEDY_IS_WRONG, alpha_dcg, best_alpha_dcg, found, matrix_of, qrels_of, random_masks, union

BOTH = ["exact", "greedy"]
ALPHAS = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]


def ranking(frame, cutoff, ideal="exact", alpha=0.5, **limit):
    return Ideal(frame, alpha_nDCG(alpha=alpha) @ cutoff, ideal=ideal, **limit)(frame)


def rankings(frame):
    """Return the documents of each query, best first."""
    return {qid: rows.sort_values("rank")["docno"].tolist() for qid, rows in frame.groupby("qid")}


def values(frame, topics, alpha):
    """Return alpha-DCG of each topic's ranking."""
    ranked = rankings(frame)
    return [alpha_dcg(found(masks, ranked.get(str(i), [])), alpha) for i, masks in enumerate(topics)]


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0])
@pytest.mark.parametrize(
    ("seed", "n_docs", "n_intents", "density", "cutoff"),
    # Of most of these seeds greedy is wrong for at least one of the alphas.
    [
        *((seed, 30, 24, 0.3, 3) for seed in (15, 23)),
        *((seed, 10, 12, 0.3, 5) for seed in (20, 22, 26)),
        *((seed, 10, 7, 0.3, 5) for seed in (3, 10)),
        *((seed, 8, 6, 0.6, 8) for seed in (10, 28)),
        (0, 8, 3, 0.4, 8),
    ],
)
def test_the_exact_ranking_of_more_documents_is_the_best_of_all_permutations(
    seed, n_docs, n_intents, density, cutoff, alpha
):
    masks = random_masks(seed, n_docs, n_intents, density)

    ranked = ranking(qrels_of([masks]), cutoff, alpha=alpha)

    assert values(ranked, [masks], alpha) == pytest.approx(best_alpha_dcg(masks, alpha, cutoff)[-1:], abs=1e-12)


@pytest.mark.parametrize(
    ("cutoff", "exact", "greedy"), [(1, {"c"}, {"c"}), (2, {"a", "b"}, {"c", "b"})], ids=["at 1", "at 2"]
)
def test_the_exact_ranking_differs_where_greedy_is_wrong(cutoff, exact, greedy):
    ranked = [set(ranking(GREEDY_IS_WRONG, cutoff, ideal, 1.0)["docno"]) for ideal in BOTH]

    assert ranked == [exact, greedy]


@pytest.mark.parametrize("ideal", BOTH)
def test_neither_the_order_of_rows_nor_other_queries_change_a_ranking(ideal):
    frame = qrels_of(random_masks(seed, 12, 5, 0.3) for seed in range(5))
    shuffled = frame.iloc[np.random.default_rng(0).permutation(len(frame))]

    ranked = rankings(ranking(frame, 6, ideal))

    assert rankings(ranking(shuffled, 6, ideal)) == ranked
    assert all(rankings(ranking(rows, 6, ideal)) == {qid: ranked[qid]} for qid, rows in frame.groupby("qid"))


HARD = random_masks(0, 200, 100, 0.1)


@pytest.fixture(scope="module", params=[1e-9, 0.01])
def not_proven(request):
    """The error that a query too hard for its time limit ends in."""
    with pytest.raises(NotProvenError) as caught:
        ranking(qrels_of([HARD]), 20, time_limit=request.param)
    return caught.value


def test_a_time_limit_that_ends_before_the_proof_leaves_the_best_value_and_a_bound(not_proven):
    (greedy,) = values(ranking(qrels_of([HARD]), 20, "greedy"), [HARD], 0.5)

    assert greedy - 1e-12 <= not_proven.best < not_proven.bound
    # No document has more than all intents that there are.
    assert not_proven.bound <= alpha_dcg([union(HARD)] * 20, 0.5)


def test_the_error_is_a_timeout_that_names_the_query_and_what_to_do(not_proven):
    assert isinstance(not_proven, TimeoutError)
    assert "'0'" in str(not_proven)
    assert "time_limit" in str(not_proven)


LABELS = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2], [1, 2, 3, 4, 1, 2, 5, 3, 4, 6]


def test_more_kinds_of_documents_than_can_be_kept_are_not_searched(monkeypatch):
    monkeypatch.setattr(exact, "MAX_KINDS", 2)

    with pytest.raises(NotProvenError, match="best discounted gain") as raised:
        exact_order(*LABELS, n_docs=3, alpha=1.0, depth=2, discount=log_discount)

    assert raised.value.best == pytest.approx(4 + 1 / math.log2(3))
    assert raised.value.best < raised.value.bound < math.inf


DISCOUNTS = {
    "log": lambda ranks: 1 / np.log2(ranks + 1),
    "1/i": lambda ranks: 1 / ranks,
    "0.5^(i-1)": lambda ranks: 0.5 ** (ranks - 1),
    "constant": np.ones_like,
    "two ranks": lambda ranks: (ranks <= 2).astype(float),
}


def discounted(masks, order, alpha, discount):
    """Return the discounted gain of an order."""
    relevant = matrix_of(masks)[list(order)]
    seen = np.cumsum(relevant, axis=0) - relevant
    gains = (relevant * np.power(1.0 - alpha, seen)).sum(axis=1)
    return float(gains @ discount(np.arange(1.0, len(gains) + 1)))


def order_of(masks, discount=log_discount, **given):
    return exact_order(*np.nonzero(matrix_of(masks)), n_docs=len(masks), discount=discount, **given).tolist()


@pytest.mark.parametrize("discount", DISCOUNTS.values(), ids=DISCOUNTS)
@settings(max_examples=25, deadline=None)
@given(
    masks=st.lists(st.integers(0, 31), min_size=1, max_size=6),
    alpha=st.sampled_from(ALPHAS),
    depth=st.sampled_from([None, 1, 2, 4]),
)
def test_under_any_discount_the_order_is_the_best_of_all_permutations(discount, masks, alpha, depth):
    ranked = order_of(masks, alpha=alpha, depth=depth, discount=discount)

    orders = permutations(range(len(masks)), len(ranked))
    best = max(discounted(masks, order, alpha, discount) for order in orders)
    assert len(ranked) == len(set(ranked)) == min(depth or len(masks), len(masks))
    assert discounted(masks, ranked, alpha, discount) == pytest.approx(best, abs=1e-12)


def test_documents_that_are_relevant_to_nothing_come_last():
    assert order_of([0, 1, 0, 3, 4]) == [3, 4, 1, 0, 2]


def test_thousands_of_intents_are_proven_where_prices_are_equal():
    doc = np.arange(3000)

    assert (exact_order(doc, doc % 1000, n_docs=3000, discount=log_discount) == doc).all()


@pytest.mark.parametrize(
    ("year", "discount"), [*((year, "log") for year in range(2009, 2015)), (2010, "1/i"), (2010, "0.5^(i-1)")]
)
def test_trec_topics_are_proven_without_a_cutoff(year, discount, trec_qrels):
    frame = trec_qrels(year)

    for _, topic in list(frame[frame["relevance"] > 0].groupby("query_id"))[year % 6 :: 6]:
        doc, docs = topic["doc_id"].factorize(sort=True)
        intent, _ = topic["subtopic_id"].factorize()
        by_doc = np.argsort(doc, kind="stable")

        ranked = exact_order(
            doc[by_doc], intent[by_doc], n_docs=len(docs), discount=DISCOUNTS[discount], time_limit=30.0
        )

        assert sorted(ranked.tolist()) == list(range(len(docs)))
