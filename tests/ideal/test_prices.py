"""Bounds by prices: those that the linear program gives, which no order exceeds."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linprog

from pyterrier_diversity.ideal import log_discount
from pyterrier_diversity.ideal.exact import Prices, Topic

# After the last kind, the second adds as much as the first.
KINDS, N_DOCS, PATH = [(0, 2), (1,), (2, 3)], [1, 1, 1], (2, 1, 0)


def topic_of(kinds, n_docs, alpha, depth=4):
    return Topic(kinds, n_docs, alpha, log_discount(np.arange(1.0, depth + 1)))


def drawn(seed):
    """Draw kinds of documents, and how many documents are of each kind."""
    rng = np.random.default_rng(seed)
    kinds = sorted({tuple(np.flatnonzero(rng.random(4) < 0.5).tolist()) for _ in range(5)} - {()})
    names = sorted({t for kind in kinds for t in kind})
    return [tuple(map(names.index, kind)) for kind in kinds], rng.integers(1, 4, len(kinds)).tolist()


def best_path(topic):
    """Return the best order of kinds, by trying all."""
    docs = np.repeat(np.arange(len(topic.n_docs)), topic.n_docs).tolist()
    return max(set(permutations(docs, topic.depth)), key=topic.value)


def most_gain(kinds, n_docs, alpha, rank):
    """Return the largest gain of ``rank`` documents, of which fractions may be taken."""
    n_intents, levels = max(map(max, kinds)) + 1, np.arange(sum(n_docs))
    worth = np.tile((1 - alpha) ** levels, n_intents)
    # Each time that an intent is met has a variable; there are at most as many times as documents.
    relevant = [[-(t in kind) for kind in kinds] for t in range(n_intents)]
    met = np.hstack([relevant, np.repeat(np.eye(n_intents), len(levels), axis=1)])
    result = linprog(
        np.append(np.zeros(len(kinds)), -worth),
        A_ub=met,
        b_ub=np.zeros(n_intents),
        A_eq=[[1] * len(kinds) + [0] * len(worth)],
        b_eq=[rank],
        bounds=[*((0, n) for n in n_docs), *[(0, 1)] * len(worth)],
    )
    return -result.fun


def test_prices_of_their_own_prove_what_equal_prices_do_not():
    topic = topic_of(KINDS, N_DOCS, 1.0)

    proven, equal = (Prices(topic, PATH, end).bound for end in (math.inf, -math.inf))

    assert proven == pytest.approx(topic.value(PATH), abs=1e-12)
    assert equal > proven + 0.1


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(12))
def test_the_bound_at_each_rank_is_the_largest_gain_of_fractions_of_documents(seed, alpha):
    kinds, n_docs = drawn(seed)
    topic = topic_of(kinds, n_docs, alpha)

    prices = Prices(topic, best_path(topic), math.inf)

    expected = [most_gain(kinds, n_docs, alpha, rank) for rank in range(1, topic.depth + 1)]
    assert prices.most == pytest.approx(expected, abs=1e-9)
    assert prices.bound >= topic.value(best_path(topic)) - 1e-12


def test_no_prices_are_looked_for_where_the_order_is_proven(monkeypatch):
    searched = []
    monkeypatch.setattr(Prices, "_solve", lambda *args: searched.append(args))

    Prices(topic_of([(0,), (1,)], [1, 1], 1.0), (0, 1), math.inf)

    assert searched == []
