"""The possible values of a measure, read from its declaration."""

from __future__ import annotations

import math

import ir_measures

from .base import formula_of
from .composite import Wrapper


def value_range(measure: ir_measures.Measure) -> tuple[float, float]:
    """Return the least and the largest value that a measure can have; infinite where that is not known.

    Examples
    --------
    >>> import ir_measures
    >>> from pyterrier_diversity import EU, IA, P_Rareness
    >>> value_range(IA(ir_measures.nDCG @ 20)), value_range(EU @ 5), value_range(P_Rareness(alpha=0.5) @ 5)
    ((0.0, 1.0), (-inf, inf), (0.0, 1.5))
    """
    ours = formula_of(measure)
    if ours is None:
        return -math.inf, math.inf
    declared, _, more = ours.RANGE.partition(";")
    if not declared.startswith(("[", "(")):  # "that of M"
        return value_range(ours.measure) if isinstance(ours, Wrapper) else (-math.inf, math.inf)
    if declared.endswith("if that of M is") and value_range(ours.measure) != (0.0, 1.0):
        return -math.inf, math.inf
    low, high = declared[1:].split("]")[0].rstrip(")").split(", ")
    if "more with ideal='greedy'" in more and ours.get("ideal") == "greedy":
        high = "inf"
    if high == "1 + alpha":  # "adaptive" is at most 1
        return float(low), 1 + (1.0 if isinstance(ours.alpha, str) else float(ours.alpha))
    return float(low), float(high)
