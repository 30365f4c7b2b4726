"""ERR: the measure of gdeval, without rounding."""

from __future__ import annotations

import numpy as np

from ..ideal import ByWorth
from ..judged import Ranked, relevance_probability
from ..parameters import CUTOFF
from .ad_hoc import AdHoc, by_label
from .base import DiversityMeasure, serve

__all__ = ["ERR"]

# gdeval's labels go from 0 to 4. Even the best document leaves 1 in 16 users unsatisfied.
MAX_LABEL = 4


def err_of_intents(ranked: Ranked, who: DiversityMeasure) -> np.ndarray:
    """Return sum_i 1/i r_i prod_{j<i} (1 - r_j) of each intent, where r = (2^label - 1) / 16.

    Raises
    ------
    ValueError
        If a label is above 4.
    """
    ranked.judgements.check_labels(MAX_LABEL, who)
    r = relevance_probability(ranked.label, MAX_LABEL)
    return ranked.intents.total(r * ranked.intents.left(r) / ranked.rank)


class _ERR(AdHoc):
    r"""Expected reciprocal rank: the expected reciprocal of the rank at which a user is satisfied.

    Values equal those of gdeval before rounding. A document counts with its highest label for any intent, and satisfies
    a user with probability r = (2^label - 1) / 16. A label above 4 raises a ``ValueError``.

    Notes
    -----
    :Name: Expected Reciprocal Rank
    :Formula: \sum_i \frac{1}{i} r_i \prod_{j<i} (1 - r_j), \quad r_i = \frac{2^{\max_t g_{it}} - 1}{2^4}
    :Source: Chapelle et al. (2009); gdeval 1.3
    :Equal to: gdeval 1.3

    .. cite.dblp:: conf/cikm/ChapelleMZG09

    References
    ----------
    Chapelle, Metzler, Zhang, Grinspan (2009). Expected reciprocal rank for graded relevance. CIKM, 621-630.
    https://doi.org/10.1145/1645953.1646033

    Examples
    --------
    >>> from pyterrier_diversity import ERR, score
    >>> score(ERR @ 2, [[0], [4]])
    0.46875
    """

    SUPPORTED_PARAMS = {**CUTOFF}
    # Swapping two neighbours gains (1/i - 1/(i+1)) dr if the lower one has the higher label.
    optimal = ByWorth(by_label)

    def score(self, ranked: Ranked) -> np.ndarray:
        return ranked.sum_intents(err_of_intents(ranked, self))


ERR = serve(_ERR())
