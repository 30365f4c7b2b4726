"""At the limits of the allowed ranges, a value is finite, or an error says which input is not allowed."""

import math
import sys

import ir_measures
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import AP, RBP, P, R, Success, nDCG

import by_hand
from pyterrier_diversity import D_Q, EU_DD, IA, RBU, Adhoc, P_Rareness, Pplus, Q, Sharp
from pyterrier_diversity.measures import registered

CUTOFFS = [1, 10, 2**31, 2**63, 10**30, 2**1000]
EXTREME = [5e-324, 1e-300, 1.0, 2.0, 1000.0, 1e16, 1e100, 1e300, 1e308]
INNER = [P @ 5, AP, nDCG, nDCG(dcg="exp-log2") @ 5, RBP(p=0.5, rel=1), RBU @ 5, Q]


def ends(parameter):
    """Return the values at the ends of a parameter's interval, and some near them."""
    if parameter.dtype is bool:
        return [True, False]
    if parameter.dtype is str:
        return list(parameter.choices)
    low, high = (float(bound) for bound in parameter.interval[1:-1].split(","))
    if parameter.dtype is int:
        return [*map(int, {low, high} - {math.inf}), *(CUTOFFS if high == math.inf else [])]
    near = [low, math.nextafter(low, math.inf), low + 1e-12, 1e16, 1e100, math.nextafter(high, 0), high]
    return [value for value in [*near, sys.float_info.max] if admits(parameter, value)]


def admits(parameter, value):
    try:
        parameter.check("M", "x", value)
    except ValueError:
        return False
    return True


@st.composite
def built(draw, measure):
    """Draw a measure with up to three parameters at their ends; None if they do not go together."""
    declared = measure.SUPPORTED_PARAMS
    if "measure" in declared:
        inner, cutoff = draw(st.sampled_from(INNER)), draw(st.sampled_from([None, *CUTOFFS]))
        return measure(inner) if cutoff is None else measure(inner) @ cutoff
    names = [name for name in declared if name != "time_limit"]
    chosen = draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
    try:
        return measure(**{name: draw(st.sampled_from(ends(declared[name]))) for name in chosen})
    except ValueError:
        return None


def frames(label, weight, gain, words):
    rows = [f"q x a {label!r}", "q x b 1", "q y a 1", f"q y c {label!r}", "q y d 5e-324"]
    qrels = by_hand.qrels(*rows, gain=[gain] * 5, rarity=[0.5] * 5, passage=list("12345"), nugget=list("nnmmo"))
    qrels["weight"] = qrels["iteration"].map({"x": weight, "y": 1.0})
    qrels["intent_type"] = qrels["iteration"].map({"x": "nav", "y": "inf"})
    qrels["importance"] = qrels["iteration"].map({"x": "vital", "y": "okay"})
    return qrels, by_hand.session("ub", "ac", doc_len=[words] * 4)


def read(qrels, run):
    """Return the data, or nothing and the sentence that refuses them."""
    try:
        return by_hand.Data(qrels, run), "."
    except ValueError as error:
        return None, str(error)


def outcome(measure, data):
    """Return the value, or 0 and the sentence that refuses it."""
    try:
        return data.values([measure]).item(), "."
    except ValueError as error:
        return 0.0, str(error)


@pytest.mark.filterwarnings("ignore:No label of the qrels is full support")
@pytest.mark.parametrize("part", range(2))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow])
@given(data=st.data(), extremes=st.tuples(*[st.sampled_from(EXTREME)] * 4))
def test_a_value_is_finite_or_there_is_a_sentence(part, data, extremes):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        given_frames, refused = read(*frames(*extremes))

    assert refused.endswith(".")
    if given_frames is None:
        return
    for measure in filter(None, (data.draw(built(measure)) for measure in registered()[part::2])):
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            value, sentence = outcome(measure, given_frames)

        assert math.isfinite(value)
        assert sentence.endswith(".")
        assert "the values must be in" not in sentence  # no value leaves the range of its measure by more than rounding


@pytest.mark.parametrize("measure", [D_Q, Q, Pplus], ids=repr)
@pytest.mark.parametrize("beta", [1e16, 1e100, 1e308])
def test_a_large_beta_is_the_ratio_of_gains(measure, beta):
    qrels, run = by_hand.qrels("q x a 1", "q x b 2"), by_hand.run(q="a b")

    at_1e15, large = (by_hand.value(measure(beta=b), qrels, run) for b in (1e15, beta))

    assert large == pytest.approx(at_1e15, abs=1e-12)


@pytest.mark.parametrize(
    "build", [lambda: RBU(e=1e101), lambda: EU_DD(a=1e308), lambda: P_Rareness(alpha=1e101)], ids=["RBU", "EU_DD", "P"]
)
def test_a_factor_too_large_to_be_summed_up_is_refused_when_the_measure_is_built(build):
    with pytest.raises(ValueError, match=r"must be a number in \[0, 1e100\]"):
        build()


@pytest.mark.parametrize("measure", [Adhoc(Success @ 2**63), IA(R @ 2**63), Sharp(Success @ 2**63)], ids=repr)
def test_a_cutoff_that_other_providers_cannot_read_is_refused(measure):
    with pytest.raises(ValueError, match=r"@9223372036854775808: the cutoff must not exceed 2147483647\.$"):
        by_hand.value(measure, by_hand.qrels("q x a 1"), by_hand.run(q="a"))


def test_lengths_of_documents_too_large_to_be_summed_up_are_refused():
    with pytest.raises(ValueError, match=r"doc_len .*must be at most 1e\+100"):
        ir_measures.calc_aggregate([EU_DD], *frames(1.0, 1.0, 1.0, 1e308))


def test_labels_too_large_to_be_summed_up_are_refused_in_sessions():
    qrels, run = frames(2.0**1001, 1.0, 1.0, 1.0)

    with pytest.raises(ValueError, match=r"^EU_DD: labels may be at most 1\.07151e\+301, but query 'q' has"):
        ir_measures.calc_aggregate([EU_DD], qrels, run)
