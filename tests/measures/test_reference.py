"""Every registered measure has the values of the naive reference, whatever its parameters."""

from __future__ import annotations

import functools
import warnings

import ir_measures
import pytest
from ir_measures import AP, RBP, RR, P, nDCG

import drawn
import naive
from pyterrier_diversity import (
    AP_IA,
    CT,
    ERR,
    EU,
    EU_DD,
    IA,
    RBU,
    Adhoc,
    Coverage,
    D_nDCG,
    P_Rareness,
    PplusQ,
    SessionDCG,
    UserModel,
    alpha_nDCG,
    nEU,
)
from pyterrier_diversity.measures import registered

NAMES = [measure.NAME for measure in registered()]

OVER_OTHERS = {
    "IA": [nDCG @ 5, nDCG, AP, P @ 3, P(rel=2) @ 3, RR, RBP(p=0.6, rel=1), ERR @ 4],
    "Adhoc": [nDCG @ 5, nDCG, AP, P @ 3, AP(rel=2), RR, RBP(p=0.6, rel=2), ERR],
    "Sharp": [nDCG @ 5, AP, P(rel=2) @ 3, RBP(p=0.6, rel=1)],
}
OVER_OURS = [RBU @ 4, RBU(rel=2), alpha_nDCG @ 3, alpha_nDCG(judged_only=True), EU, nEU @ 3, D_nDCG(gain="linear")]
OVER_OURS += [PplusQ @ 4, P_Rareness @ 3, Coverage(rel=2), AP_IA, UserModel(2, "RBP", theta_nav=0.9)]
OVER_OURS += [IA(RBU @ 3), Adhoc(D_nDCG), Adhoc(alpha_nDCG @ 3)]
# The cutoff of these is a number of turns, which Sharp refuses.
OVER_SESSIONS = [CT @ 2, SessionDCG, EU_DD]

# Parameters that have an effect beside others only.
BESIDE = {"theta_red": {"redundancy": "RBP"}, "max_rel": {"gain": "exp"}}
STOPS = {1: ["RBP", "DCG", "RR"], 2: ["RBP", "DCG", "RR"], 3: ["ERR", "AP", "RRR"]}
STOPS[4] = [*STOPS[1], *STOPS[3]]


def settings(measure):
    """Return a measure with its defaults, at some cutoffs, and with each parameter at every other value."""
    declared = measure.SUPPORTED_PARAMS
    if "measure" in declared:
        inner = [*OVER_OTHERS[measure.NAME], *OVER_OURS, *(OVER_SESSIONS if measure.NAME != "Sharp" else [])]
        gammas = [{}, {"gamma": 0.25}] if "gamma" in declared else [{}]
        return [measure(one, **gamma) for one in inner for gamma in gammas]
    bases = [{}]
    if measure.NAME == "UserModel":
        bases = [{"model": model, "stop": stop} for model, stops in STOPS.items() for stop in stops]
    cutoffs = [{"cutoff": cutoff} for cutoff in (None, 1, 3, 30)] if "cutoff" in declared else [{}]
    others = [name for name in declared if name not in ("cutoff", "model", "stop", "time_limit")]
    changes = [{}, *({name: value} for name in others for value in drawn.alternatives(declared[name]))]
    if "norm" in declared:
        changes += [{**change, "norm": True} for change in changes if "norm" not in change]
    built = []
    for base in bases:
        for change in changes:
            for cutoff in cutoffs:
                for beside in ({}, *(BESIDE[name] for name in change.keys() & BESIDE.keys())):
                    try:
                        built.append(type(measure)(**{**base, **beside, **change, **cutoff}))
                    except ValueError:
                        continue  # parameters that do not go together
    return list(dict.fromkeys(built))


INPUTS = {
    "whole labels": {"seed": 0},
    "fractions": {"seed": 1, "fractions": True},
    "turns": {"seed": 2, "turns": True},
    "passages": {"seed": 3, "passages": True, "turns": True},
    "passages without turns": {"seed": 4, "passages": True},
    "more whole labels": {"seed": 5},
}


@functools.cache
def frames_and_topics(name):
    frames = drawn.small_topics(**INPUTS[name])
    return *frames, naive.read(*frames)


def expected_values(measure, topics):
    """Return the naive value of each query; None where the measure refuses the input."""
    try:
        return {topic.query_id: naive.value(measure, topic) for topic in topics}
    except naive.RefusedError:
        return None


def provided_values(measure, qrels, run):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # documents that are retrieved twice
            return {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}
    except ValueError as error:
        if "takes whole labels" in str(error):
            pytest.skip(str(error))
        return None


@pytest.mark.parametrize("form", INPUTS)
@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_the_naive_reference(name, form):
    (measure,) = (one for one in registered() if name == one.NAME)
    qrels, run, topics = frames_and_topics(form)

    differences = {}
    for one in settings(measure):
        expected, values = expected_values(one, topics), provided_values(one, qrels, run)
        if (expected is None) != (values is None):
            differences[repr(one)] = values, expected
        elif expected is not None and values != pytest.approx(expected, rel=1e-12, abs=1e-12):
            differences[repr(one)] = {q: (values[q], expected[q]) for q in expected if values[q] != expected[q]}

    assert differences == {}


def test_every_registered_measure_has_a_naive_definition():
    assert set(NAMES) <= naive.DEFINITIONS.keys() | naive.COMPOSITES.keys()
