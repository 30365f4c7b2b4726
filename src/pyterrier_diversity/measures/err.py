"""ERR and nDCG with exponential gains: the measures of gdeval, without rounding.

The nDCG is ir_measures' own ``nDCG(dcg="exp-log2") @ k``, which this package computes if it is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ir_measures
import numpy as np

from ..ideal import ByWorth, log_discount
from ..judged import LARGEST_EXPONENT, Order, Ranked, View, gain_value, relevance_probability
from ..parameters import CUTOFF, JUDGED_ONLY, Parameter
from .base import DiversityMeasure, Normalised, register

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


def by_label(ranked: Ranked) -> np.ndarray:
    """Return the label of each entry, by which the best ranking of many measures is sorted."""
    return ranked.label


class _ERR(DiversityMeasure):
    """Expected reciprocal rank: the expected reciprocal of the rank at which a user is satisfied.

    Values equal those of gdeval before rounding. A document counts with its highest label for any intent, and satisfies
    a user with probability r = (2^label - 1) / 16. A label above 4 raises a ``ValueError``.

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

    NAME = __name__ = "ERR"
    PRETTY_NAME = "Expected Reciprocal Rank"
    FORMULA = r"\sum_i \frac{1}{i} r_i \prod_{j<i} (1 - r_j), \quad r_i = \frac{2^{\max_t g_{it}} - 1}{2^4}"
    SOURCE = "Chapelle et al. (2009); gdeval 1.3"
    EQUALS = "gdeval 1.3"
    SUPPORTED_PARAMS = {**CUTOFF}
    VIEW: View = "ad hoc"

    def score(self, ranked: Ranked) -> np.ndarray:
        return ranked.sum_intents(err_of_intents(ranked, self))

    def best(self, depth: int | None, time_limit: float) -> Order:
        """By label: swapping two neighbours gains (1/i - 1/(i+1)) dr if the lower one has the higher label."""
        return ByWorth(by_label)


class _nDCG(Normalised):
    """DCG with exponential gains, divided by that of the ideal ranking.

    Values equal those of gdeval before rounding. A document counts with its highest label for any intent; labels below
    1 have no gain. This package computes nDCG only with ``dcg="exp-log2"``, a cutoff and no ``gains``. Other providers
    of ir_measures compute all other forms of nDCG.

    .. cite.dblp:: conf/icml/BurgesSRLDHH05

    Examples
    --------
    >>> from ir_measures import nDCG
    >>> from pyterrier_diversity import score
    >>> score(nDCG(dcg="exp-log2") @ 1, [[1], [2]])
    0.3333333333333333
    """

    NAME = __name__ = "nDCG"
    PRETTY_NAME = "Normalised Discounted Cumulative Gain"
    FORMULA = (
        r"\frac{\mathrm{DCG}}{\mathrm{DCG}^*}, \quad \mathrm{DCG} = \sum_i \frac{2^{\max_t g_{it}} - 1}{\log_2(i + 1)}"
    )
    SOURCE = "Burges et al. (2005); gdeval 1.3"
    EQUALS = "gdeval 1.3"
    EXAMPLE = "nDCG(dcg='exp-log2')@20"
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "dcg": Parameter(str, choices=("exp-log2",), desc="gains of 2^g - 1, discounted by log2(i+1)"),
        **JUDGED_ONLY,
    }
    VIEW: View = "ad hoc"

    def serves(self, params: Mapping[str, Any]) -> bool:
        """Tell whether this is the nDCG of gdeval."""
        return params.get("dcg") == "exp-log2" and "cutoff" in params and "gains" not in params

    def gained(self, ranked: Ranked) -> np.ndarray:
        """Return the discounted sum of gains."""
        ranked.judgements.check_labels(LARGEST_EXPONENT, self)
        gain = np.where(ranked.label < 1, 0.0, gain_value(ranked.label))
        return ranked.total(gain * log_discount(ranked.rank))

    @property
    def normaliser(self) -> Order:
        """By label."""
        return ByWorth(by_label)

    def best(self, depth: int | None, time_limit: float) -> Order:
        """By label: this ideal ranking has the value 1."""
        return self.normaliser


ERR: ir_measures.Measure = register(_ERR())
register(_nDCG())
