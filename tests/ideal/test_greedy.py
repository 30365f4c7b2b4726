from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.ideal import greedy_gains


def matrices(max_docs, max_intents=4):
    row = st.integers(1, max_intents).flatmap(
        lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=max_docs)
    )
    return row.map(np.array)


# Fractions, so that the algorithms below compare sums exactly.
ALPHAS = st.sampled_from([Fraction(n, 100) for n in (0, 10, 25, 30, 50, 75, 90, 100)])


def gain(row, counts, alpha):
    return sum((1 - alpha) ** count for relevant, count in zip(row, counts, strict=True) if relevant)


def gains_of(order, relevant, alpha):
    """Return the gain of each document of a ranking over those above it."""
    counts, gains = [0] * relevant.shape[1], []
    for doc in order:
        gains.append(gain(relevant[doc], counts, alpha))
        counts = [count + bool(met) for count, met in zip(counts, relevant[doc], strict=True)]
    return gains


def greedily(relevant, alpha, depth):
    """Take the best document again and again, the first of those that tie."""
    left, order = list(range(len(relevant))), []
    while left and len(order) < depth:
        counts = relevant[order].sum(axis=0).tolist() if order else [0] * relevant.shape[1]
        best = max(gain(relevant[doc], counts, alpha) for doc in left)
        order.append(next(doc for doc in left if gain(relevant[doc], counts, alpha) == best))
        left.remove(order[-1])
    return gains_of(order, relevant, alpha)


def dcg(gains):
    return sum(gain / math.log2(i + 1) for i, gain in enumerate(gains, start=1))


@settings(max_examples=300, deadline=None)
@given(relevant=matrices(8), alpha=ALPHAS, depth=st.integers(1, 10))
def test_greedy_gains_equal_those_of_the_algorithm_read_aloud(relevant, alpha, depth):
    gains = greedy_gains(relevant, alpha=float(alpha), depth=depth)

    assert gains.tolist() == pytest.approx([float(gain) for gain in greedily(relevant, alpha, depth)], abs=1e-12)


@settings(max_examples=200, deadline=None)
@given(relevant=matrices(5), alpha=ALPHAS)
def test_greedy_is_never_better_than_the_best_ranking_and_close_to_it(relevant, alpha):
    best = max(dcg(gains_of(order, relevant, alpha)) for order in permutations(range(len(relevant))))

    value = dcg(greedy_gains(relevant, alpha=float(alpha)))

    assert (1 - 1 / math.e) * best - 1e-12 <= value <= best + 1e-12


def test_greedy_can_miss_the_best_ranking():
    # The first document has most intents, but the other two together have all.
    relevant = np.array([[1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0], [0, 0, 1, 1, 0, 1]])

    gains = greedy_gains(relevant, alpha=1.0, depth=2)

    assert gains.tolist() == [4, 1]
    assert sum(gains_of([1, 2], relevant, 1)) == 6


@pytest.mark.parametrize(("order", "second"), [([0, 1, 2], 2), ([2, 1, 0], 1)])
def test_of_tied_documents_the_first_is_taken(order, second):
    # All three tie. After document 0, document 1 has two new intents; after document 2, the others have one each.
    relevant = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]])

    assert greedy_gains(relevant[order], alpha=1.0, depth=2).tolist() == [2, second]


def test_gains_that_differ_by_rounding_only_are_a_tie():
    # After document 0, documents 1 and 2 gain 0.1 + 0.1 + 1 and 0.1 + 1 + 0.1: the second sum is larger by one bit.
    relevant = [[1, 0, 1, 1, 0], [1, 0, 1, 0, 1], [1, 1, 1, 0, 0], [0, 1, 1, 1, 0]]

    assert greedy_gains(relevant, alpha=0.9).tolist() == pytest.approx([3, 1.2, 1.11, 0.111], abs=1e-12)


def test_nothing_is_gained_once_nothing_is_left():
    assert greedy_gains([[1, 0], [0, 0], [0, 0]], alpha=0.5).tolist() == [1, 0, 0]


@pytest.mark.parametrize(("depth", "length"), [(None, 3), (1, 1), (3, 3), (99, 3)])
def test_the_list_is_as_long_as_its_depth_or_the_documents(depth, length):
    assert greedy_gains([[1, 0], [1, 1], [0, 1]], depth=depth).shape == (length,)


def test_without_intolerance_documents_come_by_their_number_of_intents():
    assert greedy_gains([[1, 0, 0], [1, 1, 1], [0, 1, 1]], alpha=0).tolist() == [3, 2, 1]


def test_with_full_intolerance_only_new_intents_count():
    assert greedy_gains([[1, 1, 0], [1, 1, 1], [0, 1, 1]], alpha=1).tolist() == [3, 0, 0]


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), alpha=ALPHAS, depth=st.integers(1, 7))
def test_a_batch_is_ranked_as_its_queries_one_by_one(seed, alpha, depth):
    alpha = float(alpha)
    relevant = np.random.default_rng(seed).random((2, 3, 6, 4)) < 0.4

    batch = greedy_gains(relevant, alpha=alpha, depth=depth)

    alone = [[greedy_gains(query, alpha=alpha, depth=depth).tolist() for query in part] for part in relevant]
    assert batch == pytest.approx(np.array(alone), abs=1e-15)


def test_a_query_without_documents_has_an_empty_list():
    assert greedy_gains(np.zeros((2, 0, 3))).shape == (2, 0)


def test_the_argument_is_left_as_it_was():
    relevant = np.array([[1.0, 0.0], [1.0, 1.0]])

    greedy_gains(relevant)

    assert relevant.tolist() == [[1, 0], [1, 1]]
