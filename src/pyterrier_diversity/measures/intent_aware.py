"""Precision and average precision of intents."""

from __future__ import annotations

from collections.abc import Sequence

import ir_measures
import numpy as np
import numpy.typing as npt

from ..arrays import descending, over_documents, over_intents, ranks_of, share
from ..judged import JudgedRankings
from ..parameters import CUTOFF, JUDGED_ONLY, REL
from .base import DiversityMeasure, by_worth, register


def precision_ia(relevant: npt.ArrayLike, intents: npt.ArrayLike, depth: npt.ArrayLike | None = None) -> np.ndarray:
    r"""Compute the precision of a ranking for each intent, averaged over the intents.

    Parameters
    ----------
    relevant : array_like, shape (..., n_docs, n_intents)
        1 where a document is relevant to an intent, else 0. Documents that are relevant to nothing may be left out.
    intents : array_like of bool, shape (..., n_intents)
        Which intents the query has (False marks padding).
    depth : array_like of int, shape (...), optional
        What to divide by; the number of documents if omitted.

    Returns
    -------
    ndarray, shape (...)
        Values in [0, 1]; 0 for a query without intents.

    Notes
    -----
    :math:`\frac{1}{k |T|} \sum_i \sum_t J_{it}`

    References
    ----------
    Agrawal, Gollapudi, Halverson, Ieong (2009). Diversifying search results. WSDM, 5-14.
    https://doi.org/10.1145/1498759.1498766

    Examples
    --------
    >>> precision_ia([[1, 0], [1, 1]], intents=[True, True])
    array(0.75)
    """
    relevant = np.asarray(relevant, dtype=np.float64)
    depth = relevant.shape[-2] if depth is None else np.asarray(depth)
    return share(relevant.sum(axis=(-2, -1)), depth * np.count_nonzero(intents, axis=-1))


def average_precision_ia(
    relevant: npt.ArrayLike, n_relevant: npt.ArrayLike, ranks: npt.ArrayLike | None = None
) -> np.ndarray:
    r"""Compute the average precision of a ranking for each intent, averaged over the intents.

    Parameters
    ----------
    relevant : array_like, shape (..., n_docs, n_intents)
        1 where a document is relevant to an intent, else 0; best rank first.
    n_relevant : array_like of int, shape (..., n_intents)
        The number of documents relevant to each intent, retrieved or not; 0 for padding.
    ranks : array_like of int, shape (..., n_docs), optional
        Rank of each document, from 1; 1, 2, 3, ... if omitted. Documents that are relevant to nothing may be left out.

    Returns
    -------
    ndarray, shape (...)
        Values in [0, 1]; 0 for a query without intents.

    Notes
    -----
    :math:`\frac{1}{|T|} \sum_t \frac{1}{R_t} \sum_i J_{it} \frac{\sum_{j \le i} J_{jt}}{i}`

    References
    ----------
    Agrawal, Gollapudi, Halverson, Ieong (2009). Diversifying search results. WSDM, 5-14.
    https://doi.org/10.1145/1498759.1498766

    Examples
    --------
    >>> average_precision_ia([[1, 0], [0, 1]], n_relevant=[1, 1])
    array(0.75)
    """
    relevant = np.asarray(relevant, dtype=np.float64)
    gains = np.cumsum(relevant, axis=-2)
    gains *= relevant
    gains *= share(1.0, n_relevant)[..., None, :]
    total = over_documents(over_intents(gains) / ranks_of(ranks, relevant.shape[-2]))
    return share(total, np.count_nonzero(n_relevant, axis=-1))


class _P_IA(DiversityMeasure):
    """Precision for each intent, averaged over the intents; equal to ndeval's.

    It divides by the cutoff even if fewer documents were retrieved, and by their number without a cutoff.

    .. cite.dblp:: conf/wsdm/AgrawalGHI09
    """

    NAME = __name__ = "P_IA"
    PRETTY_NAME = "Intent-Aware Precision"
    SHORT_DESC = "Precision averaged over the intents."
    FORMULA = "1/(k |T|) sum_i sum_t J_it"
    SOURCE = "Agrawal et al. (2009); ndeval 4.5"
    EQUALS = "ndeval 4.5 with -traditional"
    SUPPORTED_PARAMS = {**CUTOFF, **REL, **JUDGED_ONLY}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return precision_ia(ranked.relevant, ranked.intents, ranked.depth)


class _AP_IA(DiversityMeasure):
    """Average precision for each intent, averaged over the intents; equal to ndeval's MAP-IA.

    .. cite.dblp:: conf/wsdm/AgrawalGHI09
    """

    NAME = __name__ = "AP_IA"
    PRETTY_NAME = "Intent-Aware (Mean) Average Precision"
    SHORT_DESC = "Average precision averaged over the intents."
    FORMULA = "1/|T| sum_t 1/R_t sum_i J_it (sum_{j<=i} J_jt)/i"
    SOURCE = "Agrawal et al. (2009); ndeval 4.5"
    EQUALS = "MAP-IA of ndeval 4.5 with -traditional"
    SUPPORTED_PARAMS = {**REL, **JUDGED_ONLY}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        return average_precision_ia(ranked.relevant, ranked.n_relevant, ranked.ranks)


class _nP_IA(DiversityMeasure):
    """Precision averaged over the intents by their weights, over that of the best documents.

    Greedy is exact here: the best ranking comes by the total weight of each document's intents.

    .. cite.dblp:: journals/ir/Carterette11
    """

    NAME = __name__ = "nP_IA"
    PRETTY_NAME = "Normalised Intent-Aware Precision"
    SHORT_DESC = "Precision averaged over the intents by their weights, over that of the best documents."
    FORMULA = "sum_i sum_t w_t J_it / the same for the best k documents"
    SOURCE = "Agrawal et al. (2009); Carterette (2011, Inf. Retr.), Sec. 2.1.4"
    EQUALS = "the worked example of Carterette (2011, Inf. Retr.), Sec. 2.3"
    READS = ("weight",)
    SUPPORTED_PARAMS = {**CUTOFF, **REL}

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        best = ranked.ideal("weighted precision", lambda every: descending(_weighted(every)))
        return share(over_documents(_weighted(ranked)), over_documents(best[:, : ranked.cutoff]))

    def best_rankings(self, every: JudgedRankings, depth: int | None, time_limit: float) -> Sequence[np.ndarray]:
        """Rank by the total weight of each document's intents."""
        return by_worth(every, _weighted(every), depth)


def _weighted(ranked: JudgedRankings) -> np.ndarray:
    """Return the total weight of each document's intents."""
    return over_intents(ranked.relevant * ranked.weights[:, None])


P_IA: ir_measures.Measure = register(_P_IA())
AP_IA: ir_measures.Measure = register(_AP_IA())
nP_IA = register(_nP_IA())
