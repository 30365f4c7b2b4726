"""Rank-Biased Utility."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import left_before, over_documents, over_intents, ranks_of
from ..judged import JudgedRankings
from ..parameters import CUTOFF, GRADES, Parameter
from .base import DiversityMeasure, register


def rbu(
    probability: npt.ArrayLike,
    weights: npt.ArrayLike,
    ranks: npt.ArrayLike | None = None,
    n: npt.ArrayLike | None = None,
    *,
    p: float = 0.99,
    e: float = 0.05,
) -> np.ndarray:
    r"""Compute rank-biased utility: what a user gains from a ranking, less the effort of reading it.

    Parameters
    ----------
    probability : array_like, shape (..., n_docs, n_intents)
        Probability in [0, 1] that each document satisfies each intent, best rank first.
    weights : array_like, shape (..., n_intents)
        Weight of each intent, of sum 1; 0 for padding.
    ranks : array_like of int, shape (..., n_docs), optional
        Rank of each document, from 1; 1, 2, 3, ... if omitted. Documents that satisfy nothing may be left out.
    n : array_like of int, shape (...), optional
        Number of ranks that the user looks at; the number of documents if omitted.
    p : float in (0, 1]
        Probability of going on to the next document.
    e : float >= 0
        Effort of looking at a document.

    Returns
    -------
    ndarray, shape (...)
        Values in (-e p / (1 - p), p]; negative where the effort outweighs the gain.

    Notes
    -----
    :math:`\sum_i p^i (\sum_t w_t r_{it} \prod_{j<i} (1 - r_{jt}) - e)`

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics. SIGIR, 625-634,
    Eq. 11. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    >>> rbu([[0.5, 0.0], [0.5, 0.5]], weights=[0.5, 0.5], p=0.5, e=0.0)
    array(0.21875)
    """
    probability, weights = np.asarray(probability, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    ranks = ranks_of(ranks, probability.shape[-2])
    n = probability.shape[-2] if n is None else np.asarray(n)
    gains = left_before(probability, axis=-2)
    gains *= probability
    gains *= weights[..., None, :]
    effort = n if p == 1 else p * (1 - np.power(p, n)) / (1 - p)
    return np.asarray(over_documents(np.power(p, ranks) * over_intents(gains)) - e * effort)


class _RBU(DiversityMeasure):
    """Rank-Biased Utility: what a user gains from a ranking, less the effort of reading it.

    The only measure that meets all ten constraints of Amigó et al. (2018). Negative where the effort outweighs the
    gain; a query that the run lacks scores 0. ``norm=True`` multiplies by (1 - p) / p, the scale of the authors'
    release, whose defaults are p=0.8 and e=0.03. p = 1, e = 0 is the probability that the user is satisfied at all.

    .. cite.dblp:: conf/sigir/AmigoSC18
    """

    NAME = __name__ = "RBU"
    PRETTY_NAME = "Rank-Biased Utility"
    SHORT_DESC = "What a user gains from a ranking over all intents, less the effort of reading it."
    FORMULA = "sum_i p^i (sum_t w_t r_it prod_{j<i} (1 - r_jt) - e)"
    SOURCE = "Amigó et al. (2018), Eq. 11"
    EQUALS = "RBU 0.1, the release of its authors, with norm=True"
    RANGE = "(-inf, 1]"
    READS = ("weight",)
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "p": Parameter(float, 0.99, interval="(0, 1]", desc="probability of going on to the next document"),
        "e": Parameter(float, 0.05, interval="[0, inf)", desc="effort of looking at a document"),
        **GRADES,
        "norm": Parameter(bool, False, desc="multiply by (1 - p) / p, the scale of the authors' release"),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self["norm"] and self["p"] == 1:
            raise ValueError("RBU: norm=True needs p in (0, 1), not 1.0: (1 - p) / p is 0 there.")

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        value = rbu(ranked.probability(self), ranked.weights, ranked.ranks, ranked.n, p=self["p"], e=self["e"])
        return value * (1 - self["p"]) / self["p"] if self["norm"] else value


RBU = register(_RBU())
