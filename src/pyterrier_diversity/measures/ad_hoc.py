"""Ad-hoc measures and intent-aware precision: ERR, the means of P and AP over the intents, and formulas for wrappers.

The formulas of P, RR, AP, nDCG and RBP are for IA(M), Adhoc(M) and Sharp(M). Outside these wrappers, other packages
compute these measures through ir_measures. Only ERR, and nDCG with exponential gains at a cutoff, are computed here:
ir_measures leaves them to the Perl script gdeval. In pt.Experiment and ir_measures, gdeval computes them if documents
have several labels.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arithmetic import divide, power
from ..ideal import ByWorth, log_discount
from ..judged import LARGEST_EXPONENT, LARGEST_GAIN, Order, Ranked, View, gain_value, relevance_probability
from ..parameters import CUTOFF, FROM_0, JUDGED_ONLY, REL, REL_FROM_1, GainTable, Parameter, Parameters
from .base import DiversityMeasure, Normalised, ZeroToOne
from .registration import register, serve

__all__ = ["AP_IA", "ERR", "P_IA", "nP_IA"]

# cwl_eval reads this many documents.
RBP_DEPTH = 1000


def by_label(ranked: Ranked) -> np.ndarray:
    """Return the label of each entry, by which the best ranking of many measures is sorted."""
    return ranked.label


class _P_IA(ZeroToOne):
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


class _AP_IA(ZeroToOne):
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


class AdHoc(ZeroToOne):
    """A formula of a measure of ir_measures, for wrappers; a document counts with its highest label for any intent."""

    VIEW: View = "ad hoc"
    SUPPORTED_PARAMS: Parameters = {**CUTOFF, **REL_FROM_1, **JUDGED_ONLY}
    # The parameters that the value needs.
    REQUIRED: tuple[str, ...] = ()

    def serves(self, params: Mapping[str, Any], inside: bool) -> bool:
        """Tell whether the formula has these parameters; in a plain column, the measure stays its owner's."""
        if not inside or params.get("judged_only") or not params.keys() >= {*self.REQUIRED}:
            return False
        try:
            self(**params)
        except (TypeError, ValueError):
            return False
        return True


class _P(AdHoc):
    """Precision, as in pytrec_eval."""

    REQUIRED = ("cutoff",)
    score = _P_IA.score


class _RR(AdHoc):
    """Reciprocal rank, as in pytrec_eval, and with a cutoff as in MS MARCO."""

    def score(self, ranked: Ranked) -> np.ndarray:
        return ranked.total((ranked.met == 0) / ranked.rank)


class _AP(AdHoc):
    """Average precision, as in pytrec_eval: even at a cutoff, it is divided by the number of all relevant documents."""

    score = _AP_IA.score


def ndcg_gain(ranked: Ranked, dcg: str, gains: GainTable | None) -> np.ndarray:
    """Return the gain of each entry in nDCG: the label or its value in ``gains``, or 2^label - 1."""
    if dcg == "exp-log2":
        return gain_value(ranked.label)
    labels, place = np.unique(ranked.label, return_inverse=True)
    return np.array([(gains or {}).get(label, label) for label in labels.tolist()])[place]


class _nDCG(AdHoc, Normalised):
    """DCG, divided by that of the ideal ranking, as in pytrec_eval or, with exponential gains, gdeval.

    A label that is not in ``gains`` is its own gain.

    .. cite.dblp:: conf/icml/BurgesSRLDHH05

    Examples
    --------
    >>> from ir_measures import nDCG
    >>> from pyterrier_diversity import score
    >>> score(nDCG(dcg="exp-log2") @ 1, [[1], [2]])
    0.3333333333333333
    """

    SUPPORTED_PARAMS = {
        **CUTOFF,
        "dcg": Parameter(
            str, "log2", choices=("log2", "exp-log2"), desc="the gain of label g: g or 2^g - 1, discounted by log2(i+1)"
        ),
        "gains": Parameter(
            str, choices=(), table=FROM_0, desc="the gain of each label; other labels are their own gains"
        ),
        **JUDGED_ONLY,
    }
    optimal = ByWorth(by_label)

    def __init__(self, *, gains: Mapping[float, float] | None = None, **params: Any) -> None:
        # Labels that are not relevant have no entries; a table may not name them.
        listed = gains and {label: gain for label, gain in gains.items() if label > 0 or gain > 0}
        super().__init__(gains=listed, **params)

    def serves(self, params: Mapping[str, Any], inside: bool) -> bool:
        """Tell whether this is the nDCG of gdeval, or a formula inside a wrapper."""
        if params.get("dcg") == "exp-log2":
            return "cutoff" in params and "gains" not in params
        return super().serves(params, inside)

    @property
    def normaliser(self) -> Order:
        """By gain."""
        return ByWorth(ndcg_gain, (self.dcg, self.gains))

    def gained(self, ranked: Ranked) -> np.ndarray:
        """Return the discounted sum of gains."""
        ranked.judgements.check_labels(LARGEST_EXPONENT if self.dcg == "exp-log2" else LARGEST_GAIN, self)
        return ranked.total(ndcg_gain(ranked, self.dcg, self.gains) * log_discount(ranked.rank))


class _RBP(AdHoc):
    """Rank-biased precision with binary labels, as in cwl_eval, whose 1,000 weights sum to 1."""

    SUPPORTED_PARAMS = {
        "p": Parameter(float, 0.8, interval="[0, 1]", desc="probability of going on to the next document"),
        **REL_FROM_1,
    }
    REQUIRED = ("rel",)

    def score(self, ranked: Ranked) -> np.ndarray:
        read = ranked.rank <= RBP_DEPTH
        return ranked.total(read * power(self.p, ranked.rank - 1)) / power(self.p, np.arange(RBP_DEPTH)).sum()


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


class _ERR(ZeroToOne):
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

    VIEW: View = "ad hoc"
    SUPPORTED_PARAMS = {**CUTOFF}
    # Swapping two neighbours gains (1/i - 1/(i+1)) dr if the lower one has the higher label.
    optimal = ByWorth(by_label)

    def score(self, ranked: Ranked) -> np.ndarray:
        return ranked.sum_intents(err_of_intents(ranked, self))


def weighted_relevance(ranked: Ranked) -> np.ndarray:
    """Return w_t J_it."""
    return ranked.weight


class _nP_IA(Normalised, ZeroToOne):
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
ERR = serve(_ERR())
for formula in (_P(), _RR(), _AP(), _nDCG(), _RBP()):
    serve(formula)
