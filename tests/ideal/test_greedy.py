import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.ideal import greedy_places
from pyterrier_diversity.ideal.greedy import TIE


def matrices(max_docs, max_intents=4):
    """Draw what each document is worth to each intent, 1 or 0."""
    return st.integers(1, max_intents).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 1), min_size=n, max_size=n), min_size=1, max_size=max_docs)
    )


def graded(max_docs, max_intents=4):
    """Draw what each document is worth to each intent, 0 if it is not relevant; several documents often are alike."""
    values = st.sampled_from([0, 0, 0, 1, 1, 1 / 3, 0.1, 0.2, 0.3, 0.7 * 0.1])
    return st.integers(1, max_intents).flatmap(
        lambda n: st.lists(st.lists(values, min_size=n, max_size=n), min_size=1, max_size=max_docs)
    )


def places(queries, **given):
    """Return the place of each document of each query."""
    query, doc, intent, worth, n_docs, n_intents = [], [], [], [], 0, 0
    for number, docs in enumerate(queries):
        for values in docs:
            labels = [t for t, value in enumerate(values) if value]
            query.append(number)
            doc += [n_docs] * len(labels)
            intent += [n_intents + t for t in labels]
            worth += [values[t] for t in labels]
            n_docs += 1
        n_intents += len(docs[0])
    flat = greedy_places(query, doc, intent, worth, **given).tolist()
    return [[flat.pop(0) for _ in docs] for docs in queries]


def order(docs, **given):
    """Return the documents of a query in their order."""
    (of_query,) = places([docs], **given)
    return sorted((doc for doc, place in enumerate(of_query) if place), key=of_query.__getitem__)


def gains_of(order, docs, alpha):
    """Return the gain of each document of a ranking over those above it."""
    left, gains = [1] * len(docs[0]), []
    for doc in order:
        gains.append(sum(value * of_intent for value, of_intent in zip(docs[doc], left, strict=True)))
        left = [of_intent * (1 - alpha if value else 1) for value, of_intent in zip(docs[doc], left, strict=True)]
    return gains


def read_aloud(docs, *, alpha, depth=None, least=-math.inf):
    """Take the best document again and again, the first of those that tie; those relevant to nothing last."""
    left, waiting, ranked = [1.0] * len(docs[0]), list(range(len(docs))), [0] * len(docs)
    while waiting and max(ranked) < (depth or len(docs)):
        gains = {}
        for doc in waiting:
            gain = 0.0
            for value, of_intent in zip(docs[doc], left, strict=True):
                gain += value * of_intent
            gains[doc] = gain if any(docs[doc]) else -1.0
        highest = max(gains.values())
        best = next(doc for doc in waiting if gains[doc] >= highest - TIE)
        gain = max(gains[best], 0.0)
        if gain - least <= TIE * gain:
            break
        ranked[best] = max(ranked) + 1
        waiting.remove(best)
        left = [of_intent * (1 - alpha if value else 1.0) for value, of_intent in zip(docs[best], left, strict=True)]
    return ranked


PARAMETERS = {
    "alpha": st.sampled_from([0.0, 0.1, 0.5, 0.75, 0.9, 1.0]),
    "depth": st.sampled_from([None, 1, 2, 3, 5, 20]),
    "least": st.sampled_from([-math.inf, -math.inf, 0.0, 0.05, 0.3, 1.0]),
}


@settings(max_examples=12, deadline=None)
@given(queries=st.lists(st.one_of(graded(9), matrices(9)), min_size=12, max_size=30), **PARAMETERS)
def test_the_orders_of_many_queries_are_those_of_the_algorithm_read_aloud(queries, alpha, depth, least):
    given = {"alpha": alpha, "depth": depth, "least": least}

    assert places(queries, **given) == [read_aloud(docs, **given) for docs in queries]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), **PARAMETERS)
def test_queries_of_any_size_are_ordered_as_they_are_alone(seed, alpha, depth, least):
    rng = np.random.default_rng(seed)
    queries = [
        (rng.random((n, 4)) * (rng.random((n, 4)) < 0.4)).tolist()
        for n in [*rng.integers(1, 30, 20), 700, *range(1, 4)]
    ]
    given = {"alpha": alpha, "depth": depth, "least": least}

    assert places(queries, **given) == [places([docs], **given)[0] for docs in queries]


@settings(max_examples=60, deadline=None)
@given(docs=graded(12), alpha=PARAMETERS["alpha"])
def test_a_shorter_order_is_the_beginning_of_a_longer_one(docs, alpha):
    longest = order(docs, alpha=alpha)

    assert [order(docs, alpha=alpha, depth=k) for k in range(1, 14)] == [longest[:k] for k in range(1, 14)]


def test_greedy_can_miss_the_best_ranking():
    # The first document has most intents, but the other two together have all.
    docs = [[1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 0, 1]]

    ranked = order(docs, alpha=1.0, depth=2)

    assert gains_of(ranked, docs, 1) == [4, 1]
    assert sum(gains_of([1, 2], docs, 1)) == 6


@pytest.mark.parametrize(("permuted", "second"), [([0, 1, 2], 2), ([2, 1, 0], 1)])
def test_of_tied_documents_the_first_is_taken(permuted, second):
    # All three tie. After document 0, document 1 has two new intents; after document 2, the others have one each.
    docs = [[[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]][doc] for doc in permuted]

    assert gains_of(order(docs, alpha=1.0, depth=2), docs, 1) == [2, second]


@pytest.mark.parametrize("n_queries", [1, 30], ids=["by heap", "by arrays"])
def test_gains_that_differ_by_rounding_only_are_a_tie(n_queries):
    # After document 0, documents 1 and 2 gain 0.1 + 0.1 + 1 and 0.1 + 1 + 0.1: the second sum is larger by one bit.
    docs = [[1, 0, 1, 1, 0], [1, 0, 1, 0, 1], [1, 1, 1, 0, 0], [0, 1, 1, 1, 0]]

    found = places([docs] * n_queries, alpha=0.9)

    assert found == [found[0]] * n_queries
    assert gains_of(np.argsort(found[0]), docs, 0.9) == pytest.approx([3, 1.2, 1.11, 0.111], abs=1e-12)
    assert found[0].index(2) == 1


def test_documents_that_gain_less_than_a_tie_come_in_the_given_order():
    docs = [[1e-13, 0], [0, 1], [0, 9e-13], [0, 0], [3e-13, 0], [0, 0]]

    assert order(docs, alpha=0.5) == [1, 0, 2, 4, 3, 5]


@pytest.mark.parametrize(("least", "length"), [(-0.1, 4), (0.0, 3), (0.25, 2), (0.5, 1), (1.0, 0)])
def test_the_order_stops_before_a_gain_that_does_not_exceed_the_least(least, length):
    # Gains of 1, 0.5, 0.25 and 0.
    assert len(order([[1], [1], [1], [0]], alpha=0.5, least=least)) == length


def test_a_gain_that_exceeds_the_least_by_rounding_only_does_not():
    assert order([[0.1 + 0.2]], alpha=0.5, least=0.3) == []


@pytest.mark.parametrize("n_docs", [0, 3])
def test_without_labels_documents_keep_their_order(n_docs):
    assert greedy_places([0] * n_docs, [], [], [], alpha=0.5).tolist() == list(range(1, n_docs + 1))


def test_queries_and_intents_may_be_numbered_with_gaps():
    assert greedy_places([4, 4, 9], [0, 1, 1, 2], [7, 7, 5, 3], [1.0] * 4, alpha=0.5).tolist() == [2, 1, 1]


def test_thousands_of_intents_are_ordered():
    doc = np.arange(9000)

    ranked = greedy_places(np.zeros(9000, dtype=int), doc, doc % 3000, np.ones(9000), alpha=0.5)

    assert (ranked == doc + 1).all()
