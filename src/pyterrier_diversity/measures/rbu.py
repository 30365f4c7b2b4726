"""Rank-Biased Utility."""

import math
from functools import cached_property
from typing import Any

import numpy as np

from ..arithmetic import power
from ..judged import Ranked
from ..parameters import CUTOFF, FROM_0, GRADES, Parameter
from .base import DiversityMeasure
from .registration import register

__all__ = ["RBU"]


class _RBU(DiversityMeasure):
    r"""Rank-Biased Utility: the gain of a user from a ranking, minus the effort of reading it.

    It is the only measure that meets all ten constraints of Amigó et al. (2018).

    Each rank down to the cutoff costs the effort e, whether its document is judged or not. After the last new intent,
    each further rank lowers the value by about e, so that long rankings can have a negative value. A query that is
    missing from the run scores 0, which is higher, so compare only systems that answer the same queries. A query
    without relevant documents still costs effort, and counts in the mean.

    In the paper (Table 2), RBU agrees best with other measures at p = 0.99, the default, for every e that was tried. At
    a cutoff k, choose e well below 1/k: reading k documents costs about k times e, and no ranking gains more than 1.
    With the default e, 0.001, 20 documents cost 0.02; with 0.05 they cost 0.9, more than most rankings gain.

    ``norm=True`` multiplies by (1 - p) / p; the authors' release computes ``RBU(p=0.8, e=0.03, norm=True)`` by default.

    Notes
    -----
    :Name: Rank-Biased Utility
    :Formula: \sum_i p^i \left( \sum_t w_t r_{it} \prod_{j<i} (1 - r_{jt}) - e \right)
    :Values: [-e (p + ... + p^k), 1]
    :Source: Amigó et al. (2018), Eq. 11
    :Equal to: RBU 0.1, the release of its authors, with norm=True, if each intent has a relevant document and a query's
        weights sum to 1; the release neither leaves out intents nor rescales weights

    .. cite.dblp:: conf/sigir/AmigoSC18

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics. SIGIR, 625-634,
    Eq. 11. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    >>> from pyterrier_diversity import RBU, score
    >>> score(RBU(p=0.5, e=0), [[1, 0], [1, 1]])
    0.21875
    """

    READS = ("weight",)
    SUPPORTED_PARAMS = {
        **CUTOFF,
        "p": Parameter(float, 0.99, interval="(0, 1]", desc="probability of going on to the next document"),
        "e": Parameter(float, 0.001, interval=FROM_0, desc="effort of looking at a document"),
        **GRADES,
        "norm": Parameter(bool, False, desc="multiply by (1 - p) / p, the scale of the authors' release"),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.norm and self.p == 1:
            raise ValueError("RBU: norm=True needs p in (0, 1), not 1.0, as it multiplies by (1 - p) / p.")

    @cached_property
    def _lowest(self) -> float:
        """The value of documents down to the cutoff that are all not relevant."""
        return float(self._less_effort(0.0, self.get("cutoff") or math.inf)) if self.e else 0.0

    def range(self) -> tuple[float, float]:
        return self._lowest, 1.0

    def score(self, ranked: Ranked) -> np.ndarray:
        gain = ranked.weight * ranked.probability(self) * ranked.left(self)
        return self._less_effort(ranked.total(power(self.p, ranked.rank) * gain), ranked.n)

    def _less_effort(self, gain: Any, n: Any) -> np.ndarray:
        # p + p^2 + ... + p^n
        effort = n if self.p == 1 else self.p * (1 - power(self.p, n)) / (1 - self.p)
        value = gain - self.e * effort
        return value * (1 - self.p) / self.p if self.norm else value


RBU = register(_RBU())
