"""Intent-aware precision: the mean of precision or average precision over the intents."""

from __future__ import annotations

import numpy as np

from ..arithmetic import divide
from ..ideal import ByWorth
from ..judged import Ranked
from ..parameters import CUTOFF, JUDGED_ONLY, REL, REL_FROM_1
from .base import DiversityMeasure, Normalised, register, serve

__all__ = ["AP_IA", "P_IA", "nP_IA"]


class _P_IA(DiversityMeasure):
    r"""Precision averaged over the intents.

    Precision is divided by the cutoff even if fewer documents are retrieved. Without a cutoff, it is divided by the
    number of retrieved documents.
    Values equal those of ndeval.

    Notes
    -----
    :Name: Intent-Aware Precision
    :Formula: \frac{1}{k |T|} \sum_i \sum_t J_{it}
    :Source: Agrawal et al. (2009); ndeval 4.5
    :Equal to: ndeval 4.5 with -traditional

    .. cite.dblp:: conf/wsdm/AgrawalGHI09

    References
    ----------
    Agrawal, Gollapudi, Halverson, Ieong (2009). Diversifying search results. WSDM, 5-14.
    https://doi.org/10.1145/1498759.1498766

    Examples
    --------
    >>> from pyterrier_diversity import P_IA, score
    >>> score(P_IA @ 2, [[1, 0], [1, 1]])
    0.75
    """

    SUPPORTED_PARAMS = {**CUTOFF, **REL_FROM_1, **JUDGED_ONLY}

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(ranked.total(np.ones(len(ranked.rank))), ranked.depth * ranked.n_intents)


class _AP_IA(DiversityMeasure):
    r"""Average precision, averaged over the intents.

    Values equal those of ndeval's MAP-IA.

    Notes
    -----
    :Name: Intent-Aware (Mean) Average Precision
    :Formula: \frac{1}{|T|} \sum_t \frac{1}{R_t} \sum_i J_{it} \frac{\sum_{j \le i} J_{jt}}{i}
    :Source: Agrawal et al. (2009); ndeval 4.5
    :Equal to: MAP-IA of ndeval 4.5 with -traditional

    .. cite.dblp:: conf/wsdm/AgrawalGHI09

    References
    ----------
    Agrawal, Gollapudi, Halverson, Ieong (2009). Diversifying search results. WSDM, 5-14.
    https://doi.org/10.1145/1498759.1498766

    Examples
    --------
    >>> from pyterrier_diversity import AP_IA, score
    >>> score(AP_IA, [[1, 0], [0, 1]])
    0.75
    """

    SUPPORTED_PARAMS = {**REL_FROM_1, **JUDGED_ONLY}

    def score(self, ranked: Ranked) -> np.ndarray:
        precision = (ranked.met + 1) / ranked.rank
        return divide(ranked.total(precision / ranked.n_relevant), ranked.n_intents)


def weighted_relevance(ranked: Ranked) -> np.ndarray:
    """Return w_t J_it."""
    return ranked.weight


class _nP_IA(Normalised):
    r"""Precision averaged over the intents by their weights, divided by that of the ideal ranking.

    The ideal ranking sorts documents by the total weight of their intents, which is optimal here.

    Notes
    -----
    :Name: Normalised Intent-Aware Precision
    :Formula: \frac{P}{P^*}, \quad P = \sum_i \sum_t w_t J_{it}
    :Source: Agrawal et al. (2009); Carterette (2011, Inf. Retr.), Sec. 2.1.4
    :Equal to: the worked example of Carterette (2011, Inf. Retr.), Sec. 2.3

    .. cite.dblp:: journals/ir/Carterette11

    Examples
    --------
    >>> from pyterrier_diversity import nP_IA, score
    >>> score(nP_IA @ 1, [[1, 0], [1, 1]])
    0.5
    """

    READS = ("weight",)
    SUPPORTED_PARAMS = {**CUTOFF, **REL}
    normaliser = optimal = ByWorth(weighted_relevance)

    def gained(self, ranked: Ranked) -> np.ndarray:
        """Return the sum over documents and intents."""
        return ranked.total(ranked.weight)


P_IA = serve(_P_IA())
AP_IA = serve(_AP_IA())
nP_IA = register(_nP_IA())
