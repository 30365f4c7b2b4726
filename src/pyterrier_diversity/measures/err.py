"""Expected Reciprocal Rank, in full precision."""

from __future__ import annotations

from collections.abc import Sequence

import ir_measures
import numpy as np
import numpy.typing as npt

from ..arrays import left_before, over_documents, ranks_of
from ..judged import JudgedRankings, relevance_probability
from ..judged.judgements import View
from ..parameters import CUTOFF
from .base import DiversityMeasure, by_worth, register

# gdeval's scale: labels 0 to 4, so that even the best document leaves 1 in 16 users unsatisfied.
MAX_LABEL = 4


def expected_reciprocal_rank(probability: npt.ArrayLike, ranks: npt.ArrayLike | None = None) -> np.ndarray:
    r"""Compute the expected reciprocal rank at which a user is satisfied.

    Parameters
    ----------
    probability : array_like, shape (..., n_docs)
        Probability in [0, 1] that each document satisfies the user, best rank first.
    ranks : array_like of int, shape (..., n_docs), optional
        Rank of each document, from 1; 1, 2, 3, ... if omitted. Documents that satisfy nobody may be left out.

    Returns
    -------
    ndarray, shape (...)
        Values in [0, 1].

    Notes
    -----
    :math:`\sum_i \frac{1}{i} r_i \prod_{j<i} (1 - r_j)`

    References
    ----------
    Chapelle, Metzler, Zhang, Grinspan (2009). Expected reciprocal rank for graded relevance. CIKM, 621-630.
    https://doi.org/10.1145/1645953.1646033

    Examples
    --------
    >>> expected_reciprocal_rank([0.5, 0.5])
    array(0.625)
    """
    probability = np.asarray(probability, dtype=np.float64)
    satisfied = probability * left_before(probability, axis=-1)
    return np.asarray(over_documents(satisfied / ranks_of(ranks, probability.shape[-1])))


class _ERR(DiversityMeasure):
    """Expected reciprocal rank as gdeval computes it, without its rounding; labels are each document's highest.

    r = (2^label - 1) / 16; a label above 4 is a ``ValueError``.

    .. cite.dblp:: conf/cikm/ChapelleMZG09
    """

    NAME = __name__ = "ERR"
    PRETTY_NAME = "Expected Reciprocal Rank"
    SHORT_DESC = "Expected reciprocal rank at which a user is satisfied."
    FORMULA = "sum_i 1/i r_i prod_{j<i} (1 - r_j), r = (2^max_t g - 1) / 2^4"
    SOURCE = "Chapelle et al. (2009); gdeval 1.3"
    EQUALS = "gdeval 1.3"
    SUPPORTED_PARAMS = {**CUTOFF}
    VIEW: View = "ad hoc"

    def score(self, ranked: JudgedRankings) -> np.ndarray:
        """Compute one value for each query."""
        ranked.chunk.judgements.check_labels(MAX_LABEL, str(self))
        return expected_reciprocal_rank(
            relevance_probability(ranked.labels.max(axis=-1, initial=0), MAX_LABEL), ranked.ranks
        )

    def best_rankings(self, every: JudgedRankings, depth: int | None, time_limit: float) -> Sequence[np.ndarray]:
        """Rank by label: exchanging neighbours of which the lower one has the higher label gains (1/i - 1/(i+1)) dr."""
        return by_worth(every, every.labels.max(axis=-1, initial=0), depth)


ERR: ir_measures.Measure = register(_ERR())
