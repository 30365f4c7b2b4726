"""The smallest p-value that a test can reach with a number of systems and queries, whatever their values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from ..scores import Scores, rounded
from .tests import Design, Test, corrected, tries_all


def _least_of_flips(n_systems: int, n_queries: int, how: Design) -> float:
    # The difference with these signs, and for a two-sided test the one with all of them flipped.
    return how.n_sides / 2.0**n_queries


def _least_of_permutations(n_systems: int, n_queries: int, how: Design) -> float:
    exact = _least_of_flips(n_systems, n_queries, how)
    return exact if tries_all(n_queries, how.draws.n) else max(exact, 1 / (how.draws.n + 1))


def _least_of_shuffles(n_systems: int, n_queries: int, how: Design) -> float:
    # The best and the worst value of each query may belong to the same two systems, which can be any two.
    n_pairs = n_systems * (n_systems - 1) if how.groups == "all" else 2
    return float(n_pairs) ** (1 - n_queries)


# The other tests can reach every p above 0.
_LEAST: dict[Test, Callable[[int, int, Design], float]] = {
    "tukey-randomised": _least_of_shuffles,
    "wilcoxon": _least_of_flips,
    "permutation": _least_of_permutations,
}


def smallest_p(scores: Scores, how: Design) -> float:
    """Return the smallest p-value that the test can reach with so many systems and queries, whatever their values."""
    least = _LEAST.get(how.test)
    return 0.0 if least is None else least(len(scores.systems), len(scores.queries), how)


def why_none_is_significant(compared: pd.DataFrame) -> str:
    """Return why no values could make a difference significant, as a sentence; an empty string if some could."""
    least, alpha = float(compared.attrs["smallest_p"]), float(compared.attrs["alpha"])
    correction = compared.attrs.get("correction")
    decisive, more = least, ""
    if correction is not None:
        n_families = compared["measure"].nunique() if compared.attrs["family"] == "measure" else 1
        n_pairs = len(compared) // n_families
        decisive = corrected(np.full(n_pairs, least), correction, 1).min()
        more = f" ({decisive:.4g} when it is corrected for {n_pairs} pairs)"
    if rounded(decisive) < rounded(alpha):
        return ""
    return (
        f"no difference can be significant at alpha = {alpha:g}: the smallest p that this test can reach with "
        f"{compared.attrs['n_queries']} queries is {least:.4g}{more}. meta.topics_needed estimates how many are needed."
    )
