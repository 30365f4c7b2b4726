"""Every registered measure has the values of the naive reference, for any parameters."""

import functools
import math

import pytest
from ir_measures import AP, RBP, RR, P, nDCG

import by_hand
import disagreements
import drawn
import naive
from pyterrier_diversity import (
    AP_IA,
    CT,
    DAG,
    ERR,
    EU,
    EU_DD,
    IA,
    RAP,
    RBAP,
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

OVER_OTHERS = {
    "IA": [nDCG @ 5, nDCG, AP, P @ 3, P(rel=2) @ 3, RR, RBP(p=0.6, rel=1), ERR @ 4],
    "Adhoc": [nDCG @ 5, nDCG, AP, P @ 3, AP(rel=2), RR, RBP(p=0.6, rel=2), ERR],
    "Sharp": [nDCG @ 5, AP, P(rel=2) @ 3, RBP(p=0.6, rel=1)],
}
OVER_OURS = [RBU @ 4, RBU(rel=2), alpha_nDCG @ 3, alpha_nDCG(judged_only=True), EU, nEU @ 3, D_nDCG(gain="linear")]
OVER_OURS += [PplusQ @ 4, P_Rareness @ 3, Coverage(rel=2), AP_IA, UserModel(2, "RBP", theta_nav=0.9)]
OVER_OURS += [IA(RBU @ 3), Adhoc(D_nDCG), Adhoc(alpha_nDCG @ 3)]
# Sharp does not take a cutoff that counts turns.
OVER_SESSIONS = [CT @ 2, SessionDCG, EU_DD]

# Parameters that have an effect beside others only.
BESIDE = {"theta_red": {"redundancy": "RBP"}, "max_rel": {"gain": "exp"}}
STOPS = {1: ["RBP", "DCG", "RR"], 2: ["RBP", "DCG", "RR"], 3: ["ERR", "AP", "RRR"]}
STOPS[4] = [*STOPS[1], *STOPS[3]]


@functools.cache
def settings(measure):
    """Return a measure with its defaults, at some cutoffs, and with each parameter at other values."""
    declared = measure.SUPPORTED_PARAMS
    if "measure" in declared:
        inner = [*OVER_OTHERS[measure.NAME], *OVER_OURS, *(OVER_SESSIONS if measure.NAME != "Sharp" else [])]
        gammas = [{}, {"gamma": 0.25}] if "gamma" in declared else [{}]
        return [measure(one, **gamma) for one in inner for gamma in gammas]
    bases = [{}]
    if measure.NAME == "UserModel":
        bases = [{"model": model, "stop": stop} for model, stops in STOPS.items() for stop in stops]
    if measure.NAME == "ConcordantPairs":
        bases = [{"above": above, "stop": stop} for above in ("one", "all") for stop in ("uniform", *STOPS[1])]
    others = [name for name in declared if name not in ("cutoff", "model", "stop", "above", "time_limit")]
    changes = [{name: value} for name in others for value in drawn.alternatives(declared[name])]
    changes += [{**change, **BESIDE[name]} for change in changes for name in change.keys() & BESIDE.keys()]
    changes += [{**change, "norm": True} for change in changes if "norm" in declared]
    changes += [{**change, "cutoff": 3} for change in changes if "cutoff" in declared]
    changes += [{}, *({"cutoff": cutoff} for cutoff in (1, 3, 30) if "cutoff" in declared)]
    built = []
    for base in bases:
        for change in changes:
            try:
                built.append(measure(**base, **change))
            except ValueError:
                continue  # parameters that do not go together
    return list(dict.fromkeys(built))


INPUTS = {
    "whole labels": {"seed": 0},
    "fractions": {"seed": 1, "fractions": True},
    "turns": {"seed": 2, "turns": True},
    "passages": {"seed": 3, "passages": True, "turns": True},
    "passages without turns": {"seed": 4, "passages": True},
}


@functools.cache
def frames_and_topics(name):
    frames = drawn.small_topics(**INPUTS[name])
    return *frames, by_hand.Data(*frames), naive.read(*frames)


def naive_values(measures, topics):
    """Return the naive value of each measure and query, and the measures that refuse the input."""
    values, refused = {}, []
    for measure in measures:
        try:
            values |= {(repr(measure), topic.query_id): naive.value(measure, topic) for topic in topics}
        except naive.RefusedError:
            refused.append(measure)
    return values, refused


@pytest.mark.filterwarnings("ignore::UserWarning")  # documents that are retrieved twice
@pytest.mark.parametrize("form", INPUTS)
@pytest.mark.parametrize("measure", registered(), ids=lambda measure: measure.NAME)
def test_values_are_those_of_the_naive_reference(measure, form):
    _, _, data, topics = frames_and_topics(form)
    measures = [one for one in settings(measure) if not disagreements.is_known(one)]
    if len(measures) > 1000 and form != "whole labels":  # of UserModel; each form has others
        measures = measures[list(INPUTS).index(form) :: 4]
    expected, refused = naive_values(measures, topics)

    accepted = [one for one in measures if one not in refused]
    values = {
        (repr(one), query): value
        for one, of_queries in zip(accepted, data.values(accepted).tolist(), strict=True)
        for query, value in zip(data.judgements.query_ids, of_queries, strict=True)
    }

    assert expected.keys() == values.keys()
    assert {key: (values[key], expected[key]) for key in values if not is_close(values[key], expected[key])} == {}
    for one in refused:
        with pytest.raises(ValueError, match=r"\.$"):
            data.values([one])


def is_close(value, expected):
    return math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("measure", [RBAP, DAG, RAP, UserModel(4, "RBP")], ids=repr)
def test_a_perfect_ranking_is_as_long_as_the_ranking(measure):
    qrels, run, _, _ = frames_and_topics("whole labels")
    expected = naive.values_of_all([measure(norm=True)], qrels, run)

    values = by_hand.values_by_query([measure(norm=True)], qrels, run)

    assert values == pytest.approx(expected, abs=1e-12)


def test_a_document_without_a_row_for_an_intent_is_unjudged_for_it():
    judged = by_hand.qrels("q x a 1", "q y b 1")

    assert by_hand.value(IA(alpha_nDCG(judged_only=True)), judged, by_hand.run(q="a b")) == 1


def test_every_registered_measure_has_a_naive_definition():
    assert {measure.NAME for measure in registered()} <= naive.DEFINITIONS.keys() | naive.COMPOSITES.keys()
