"""Measures with parameters drawn from their ranges."""

import math
from typing import Any

import ir_measures
import numpy as np
from hypothesis import strategies as st
from ir_measures import AP, RR, P, nDCG

from pyterrier_diversity import IA, RBU, Adhoc, Sharp
from pyterrier_diversity.measures import DiversityMeasure, registered
from pyterrier_diversity.parameters import Parameter

LIFTS = (IA, Adhoc, Sharp)
PLAIN = [measure for measure in registered() if "measure" not in measure.SUPPORTED_PARAMS]
THEIRS = [AP, AP @ 3, P @ 2, P(rel=2) @ 5, RR, nDCG, nDCG @ 3, AP(rel=2)]

ODD: list[Any] = [0, 1, -1, 2, 0.5, -0.0, 1e-320, 1e308, math.inf, -math.inf, math.nan, True, False, None, 10**400]
ODD += ["", "exp", "0.5", "inf", b"x", 1j, (), (1,), [0.5], {"a": 1}, object(), np.float64(0.5), np.int64(3)]
ODD += [np.float32(0.5), np.bool_(True), np.array(0.5), np.array([0.5]), np.nan, np.str_("exp"), RBU, RBU @ 5, int]


def in_range(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Draw a value that a parameter may have."""
    if parameter.dtype is bool:
        return st.booleans()
    if parameter.dtype is str:
        return st.sampled_from(parameter.choices)
    low, high = (float(bound) for bound in parameter.interval[1:-1].split(","))
    least, most = max(low, 0), min(high, 5.0)
    inside = st.floats(least, most, exclude_min=parameter.interval[0] == "(", exclude_max=parameter.interval[-1] == ")")
    usual = [x for x in (0.1, 0.5, 0.9, 1, 2, 4, 5) if low < x < high]
    numbers = st.sampled_from(usual) | inside
    if parameter.dtype is int:
        return st.integers(int(low), 6) if high > 6 else st.integers(int(low), int(high))
    return numbers | st.sampled_from(parameter.choices) if parameter.choices else numbers


@st.composite
def measures(draw: st.DrawFn, *, lifts: bool = True) -> ir_measures.Measure:
    """Draw a measure of this package with some of its parameters, or None if they cannot be combined."""
    lift = draw(st.sampled_from([None, None, *LIFTS])) if lifts else None
    if lift is not None:
        inner = draw(st.sampled_from(THEIRS) | measures(lifts=False))
        try:
            return None if inner is None else lift(inner)
        except ValueError:  # Sharp of turns
            return None
    declared = draw(st.sampled_from(PLAIN))
    wanted = draw(st.sets(st.sampled_from(sorted(declared.SUPPORTED_PARAMS))))
    wanted |= {"model", "stop"} & declared.SUPPORTED_PARAMS.keys()
    params = {name: draw(in_range(declared.SUPPORTED_PARAMS[name])) for name in sorted(wanted - {"time_limit"})}
    try:
        built = declared(**params)
    except ValueError:
        return None
    return visible(built)


def visible(measure: DiversityMeasure) -> ir_measures.Measure | None:
    """Return the object that users have: that of ir_measures if it has the name; None if it refuses parameters."""
    known = ir_measures.measures.registry[measure.NAME]
    if isinstance(known, DiversityMeasure):
        return measure
    theirs = known(**measure.params)
    try:
        theirs.validate_params()
    except AssertionError:  # an integer for a number, or the other way round
        return None
    return theirs
