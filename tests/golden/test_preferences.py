"""Concordant pairs of whole rankings against Kendall's tau of scipy, which counts them."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import kendalltau

from by_hand import values_of_labels
from pyterrier_diversity import ConcordantPairs


def of_tau(labels):
    """Return tau of a ranking with these labels, on the scale of concordant pairs."""
    tau = kendalltau(labels, -np.arange(len(labels))).statistic
    return (len(labels) - 1) * (tau + 1) / 4


def concordant(*rankings):
    """Return the pairs of rankings with these labels."""
    (values,) = values_of_labels([ConcordantPairs(above="all")], rankings)
    return values


def test_every_order_of_six_documents_has_the_tau_of_scipy():
    orders = list(permutations(range(6)))

    assert concordant(*orders) == pytest.approx([*map(of_tau, orders)], abs=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_a_long_ranking_has_the_tau_of_scipy(seed):
    labels = np.random.default_rng(seed).permutation(500)

    assert concordant(labels) == [pytest.approx(of_tau(labels), rel=1e-12)]
