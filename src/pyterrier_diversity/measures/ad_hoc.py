"""Formulas of P, RR, AP, nDCG, RBP: the ad-hoc measures that `IA`, `Adhoc` and `Sharp` compute for other labels.

In a column of its own, each of these measures is computed by its owner in ir_measures. Only nDCG with exponential gains
at a cutoff, which ir_measures leaves to the Perl script gdeval, is always computed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ..arithmetic import divide, power
from ..ideal import ByWorth, log_discount
from ..judged import LARGEST_EXPONENT, LARGEST_GAIN, Order, Ranked, View, gain_value
from ..parameters import CUTOFF, FROM_0, JUDGED_ONLY, GainTable, Parameter, Parameters
from .base import DiversityMeasure, Normalised, serve, serve_inside

# cwl_eval reads no further.
RBP_DEPTH = 1000

REL: Parameters = {"rel": Parameter(float, 1.0, interval="[1, inf)", desc="smallest relevant label")}


def by_label(ranked: Ranked) -> np.ndarray:
    """Return the label of each entry, by which the best ranking of many measures is sorted."""
    return ranked.label


class AdHoc(DiversityMeasure):
    """A measure of ir_measures; a document counts with its highest label for any intent."""

    VIEW: View = "ad hoc"
    SUPPORTED_PARAMS: Parameters = {**CUTOFF, **REL}
    # The parameters without which there is no value.
    REQUIRED: tuple[str, ...] = ()


class _P(AdHoc):
    """Precision, as in pytrec_eval."""

    REQUIRED = ("cutoff",)

    def score(self, ranked: Ranked) -> np.ndarray:
        return divide(ranked.total(np.ones(len(ranked.rank))), ranked.depth)


class _RR(AdHoc):
    """Reciprocal rank, as in pytrec_eval, and with a cutoff as in MS MARCO."""

    def score(self, ranked: Ranked) -> np.ndarray:
        return ranked.total((ranked.met == 0) / ranked.rank)


class _AP(AdHoc):
    """Average precision, as in pytrec_eval: at a cutoff it is divided by the number of all relevant documents, too."""

    def score(self, ranked: Ranked) -> np.ndarray:
        return ranked.total((ranked.met + 1) / ranked.rank / ranked.n_relevant)


def ndcg_gain(ranked: Ranked, dcg: str, gains: GainTable | None) -> np.ndarray:
    """Return the gain of each entry in nDCG: the label or its value in ``gains``, or 2^label - 1 from label 1 on."""
    if dcg == "exp-log2":
        return np.where(ranked.label < 1, 0.0, gain_value(ranked.label))
    labels, place = np.unique(ranked.label, return_inverse=True)
    return np.array([(gains or {}).get(label, label) for label in labels.tolist()])[place]


class _nDCG(AdHoc, Normalised):
    """DCG, divided by that of the ideal ranking, as in pytrec_eval or, with exponential gains, gdeval.

    Labels below 1 have no exponential gain. Labels that are not in ``gains`` are gains themselves.

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
            str, "log2", choices=("log2", "exp-log2"), desc="gains of g, or of 2^g - 1, discounted by log2(i+1)"
        ),
        "gains": Parameter(str, choices=(), table=FROM_0, desc="the gain of each label; others are gains themselves"),
        **JUDGED_ONLY,
    }
    optimal = ByWorth(by_label)

    def serves(self, params: Mapping[str, Any]) -> bool:
        """Tell whether this is the nDCG of gdeval."""
        return params.get("dcg") == "exp-log2" and "cutoff" in params and "gains" not in params

    @property
    def normaliser(self) -> Order:
        """By gain."""
        return ByWorth(ndcg_gain, self.dcg, self.gains)

    def gained(self, ranked: Ranked) -> np.ndarray:
        """Return the discounted sum of gains."""
        ranked.judgements.check_labels(LARGEST_EXPONENT if self.dcg == "exp-log2" else LARGEST_GAIN, self)
        return ranked.total(ndcg_gain(ranked, self.dcg, self.gains) * log_discount(ranked.rank))


class _RBP(AdHoc):
    """Rank-biased precision with binary labels, as in cwl_eval, whose 1,000 weights sum to 1."""

    SUPPORTED_PARAMS = {
        "p": Parameter(float, 0.8, interval="[0, 1]", desc="probability of going on to the next document"),
        **REL,
    }
    REQUIRED = ("rel",)

    def score(self, ranked: Ranked) -> np.ndarray:
        read = ranked.rank <= RBP_DEPTH
        return ranked.total(read * power(self.p, ranked.rank - 1)) / power(self.p, np.arange(RBP_DEPTH)).sum()


def _formula(formula: type[AdHoc], params: Mapping[str, Any]) -> AdHoc | None:
    """Return a formula with the parameters of ir_measures, or None if it does not have them."""
    if params.get("judged_only") or not params.keys() >= {*formula.REQUIRED}:
        return None
    if params.get("dcg") == "exp-log2" and ("gains" in params or "cutoff" not in params):
        return None
    try:
        return formula(**{name: _relevant(value) for name, value in params.items() if name != "judged_only"})
    except (TypeError, ValueError):
        return None


def _relevant(value: Any) -> Any:
    """Leave out labels without a gain that are not relevant; a table refuses any others, which have no entries."""
    if not isinstance(value, Mapping):
        return value
    return {label: gain for label, gain in value.items() if label > 0 or gain > 0}


serve(_nDCG())
serve_inside("P", partial(_formula, _P))
serve_inside("RR", partial(_formula, _RR))
serve_inside("AP", partial(_formula, _AP))
serve_inside("nDCG", partial(_formula, _nDCG))
serve_inside("RBP", partial(_formula, _RBP))
