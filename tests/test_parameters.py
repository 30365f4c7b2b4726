import math
import pickle
import re

import ir_measures
import numpy as np
import pytest

from by_hand import evaluator, qrels, run, value
from pyterrier_diversity import (
    ERR,
    IA,
    NRBP,
    RBU,
    D_nDCG,
    StRecall,
    alpha_DCG,
    alpha_nDCG,
    nERR_IA,
    nNRBP,
    parse,
)
from pyterrier_diversity.measures import registered
from pyterrier_diversity.parameters import ALPHA, CUTOFF, Parameter, checked

BAD_TABLES = [{}, {0: 0.5}, {-1: 0.5}, {1: 0}, {1: -0.5}, {1: 1e101}, {1: 0.5, 2: 0.25}]
BAD_TABLES += [{"1": 0.5}, {1: "0.5"}, {1: math.nan}, {math.inf: 0.5}, {1: True}, {True: 0.5}, [(1, 0.5)]]


def build(measure, **params):
    """Build the measure with parameters; one that lifts others lifts nDCG."""
    return measure(*(["nDCG"] if "measure" in measure.SUPPORTED_PARAMS else []), **params)


def bounds(parameter):
    low, high = (float(bound) for bound in parameter.interval[1:-1].split(","))
    return low, high


def refused(parameter):
    """Return values that a parameter must not have."""
    if parameter.dtype is bool:
        return [1, 0, "True", 1.0]
    if parameter.dtype is str:
        return ["no such choice", 1, True, *(BAD_TABLES if parameter.table else [{1: 1.0}])]
    low, high = bounds(parameter)
    outside = [low - 1 if math.isfinite(low) else None, 2 * high + 1 if math.isfinite(high) else None]
    outside += [low if parameter.interval[0] == "(" else None, high if parameter.interval[-1] == ")" else None]
    values = [value for value in outside if value is not None and math.isfinite(value)]
    values += [True, False, math.nan, math.inf, -math.inf, np.nan, "0.5", [0.5]]
    return values + ([2.5] if parameter.dtype is int else [])


def test_a_value_out_of_range_is_refused_when_the_measure_is_built():
    for measure in registered():
        for name, parameter in measure.SUPPORTED_PARAMS.items():
            for bad in refused(parameter) if name != "measure" else []:
                sentence = f"{measure.NAME}: {name} must be {parameter.range}, not {bad!r}."
                with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
                    build(measure, **{name: bad})


def test_a_bound_that_belongs_to_the_range_is_accepted():
    for measure in registered():
        for name, parameter in measure.SUPPORTED_PARAMS.items():
            brackets = parameter.interval[0], parameter.interval[-1]
            for bound, bracket in zip(bounds(parameter), brackets, strict=True):
                if parameter.dtype in (int, float) and bracket in "[]":
                    assert parameter.check(measure.NAME, name, bound) == bound, (measure.NAME, name)


def test_an_unknown_parameter_is_refused_when_the_measure_is_built():
    for measure in registered():
        names = ", ".join(measure.SUPPORTED_PARAMS)
        with pytest.raises(ValueError, match=f"^{measure.NAME} has no parameter 'foo'; its parameters: {names}.$"):
            build(measure, foo=1)


# ir_measures' own classes check types when they are evaluated, and ranges not at all.
@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        (alpha_nDCG(alpha=1.5) @ 20, "alpha_nDCG: alpha must be a number in [0, 1], not 1.5."),
        (alpha_nDCG(alpha=-0.1), "alpha_nDCG: alpha must be a number in [0, 1], not -0.1."),
        (alpha_DCG(alpha=math.nan) @ 20, "alpha_DCG: alpha must be a number in [0, 1], not nan."),
        (NRBP(beta=1.0), "NRBP: beta must be a number in [0, 1), not 1.0."),
        (nNRBP(beta=-math.inf), "nNRBP: beta must be a number in [0, 1), not -inf."),
        (nERR_IA @ 0, "nERR_IA: cutoff must be an integer in [1, inf), not 0."),
        (ERR @ -3, "ERR: cutoff must be an integer in [1, inf), not -3."),
        (StRecall @ True, "StRecall: cutoff must be an integer in [1, inf), not True."),
        (StRecall(rel=0) @ 5, "StRecall: rel must be a number in (0, inf), not 0."),
    ],
    ids=repr,
)
def test_a_built_in_measure_out_of_range_is_refused_when_it_is_evaluated(measure, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
        value(measure, qrels("q x a 1"), run(q="a"))


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        (alpha_nDCG(alpha=True) @ 20, "alpha_nDCG: alpha must be a number in [0, 1], not True."),
        (alpha_nDCG(alpha="0.5") @ 20, "alpha_nDCG: alpha must be a number in [0, 1], not '0.5'."),
        (StRecall @ 2.5, "StRecall: cutoff must be an integer in [1, inf), not 2.5."),
        (nERR_IA(judged_only=1) @ 5, "nERR_IA: judged_only must be True or False, not 1."),
        (ERR(alpha=0.5) @ 5, "ERR has no parameter 'alpha'; its parameters: cutoff."),
    ],
    ids=lambda value: value.NAME if isinstance(value, ir_measures.Measure) else None,
)
def test_the_provider_refuses_a_built_in_measure_with_a_parameter_of_a_wrong_type_or_name(measure, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
        evaluator(measure, of=qrels("q x a 1"))


@pytest.mark.parametrize("alpha", [1, 0, np.float32(0.5), np.int64(1)], ids=repr)
def test_the_provider_takes_integers_and_numpy_scalars_for_the_floats_of_a_built_in_measure(alpha):
    measures = [alpha_nDCG(alpha=alpha) @ 3, alpha_nDCG(alpha=float(alpha)) @ 3]

    metrics = evaluator(*measures, of=qrels("q x a 1", "q x b 1", "q y c 1")).iter_calc(run(q="a b c"))

    given, as_float = (metric.value for metric in metrics)
    assert given == as_float


@pytest.mark.parametrize(
    "value", [1, np.float32(0.5), np.float64(0.5), np.int32(1), np.array(0.5)[()]], ids=lambda value: repr(value)
)
def test_a_float_parameter_makes_a_python_float_of_any_number(value):
    plain = Parameter(float, interval="[0, 1]", desc="a share").check("M", "x", value)

    assert type(plain) is float
    assert plain == value


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float64(3)], ids=repr)
def test_an_integer_parameter_makes_a_python_int_of_any_whole_number(value):
    plain = Parameter(int, interval="[1, inf)", desc="a rank").check("M", "k", value)

    assert type(plain) is int
    assert plain == 3


def test_a_boolean_parameter_takes_numpy_booleans():
    assert Parameter(bool, False, desc="a switch").check("M", "on", np.True_) is True


def test_a_choice_makes_a_python_string_of_numpy_strings():
    assert type(Parameter(str, choices=("a", "b"), desc="a letter").check("M", "x", np.str_("b"))) is str


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (Parameter(float, interval="(0, 1]", desc=""), "a number in (0, 1]"),
        (Parameter(int, interval="[1, inf)", desc=""), "an integer in [1, inf)"),
        (Parameter(bool, False, desc=""), "True or False"),
        (Parameter(str, choices=("a", "b"), desc=""), "one of 'a', 'b'"),
        (Parameter(float, interval="[0, inf)", choices=("most",), desc=""), "a number in [0, inf) or 'most'"),
        (
            Parameter(str, choices=("a", "b"), table="(0, 5]", desc=""),
            "one of 'a', 'b', or a dict of labels above 0 to values in (0, 5] that never fall",
        ),
    ],
)
def test_a_range_is_written_for_people(parameter, text):
    assert parameter.range == text


def test_a_default_lies_in_its_range():
    for measure in registered():
        for name, parameter in measure.SUPPORTED_PARAMS.items():
            default = parameter.default
            assert default is None or parameter.check(measure.NAME, name, default) == default, (measure.NAME, name)


@pytest.mark.parametrize("value", [0.5, "most"])
def test_a_number_may_have_words_for_values_besides(value):
    assert Parameter(float, interval="[0, 1]", choices=("most",), desc="a share").check("M", "x", value) == value


@pytest.mark.parametrize(("cutoff", "expected"), [(None, None), (3.0, 3)])
def test_arguments_are_checked_against_their_declaration(cutoff, expected):
    assert checked("rank", CUTOFF, cutoff=cutoff) == {"cutoff": expected}


def test_the_message_names_the_function_that_an_argument_is_for():
    with pytest.raises(ValueError, match=r"^rank: cutoff must be an integer in \[1, inf\), not 0.$"):
        checked("rank", CUTOFF, cutoff=0)


def test_none_leaves_a_parameter_at_its_default():
    assert RBU(p=None, cutoff=None) == RBU
    assert checked("rank", {**CUTOFF, **ALPHA}, cutoff=None, alpha=None) == {"cutoff": None, "alpha": 0.5}


def test_minus_zero_is_zero_and_parses():
    measure = RBU(e=-0.0) @ 5

    assert repr(measure) == "RBU(e=0.0)@5"
    assert ir_measures.parse_measure(repr(measure)) == measure


@pytest.mark.parametrize(
    ("table", "written"),
    [
        ({1: 1, 2: 3}, "{1:1,2:3}"),
        ({2: 3, 1: 1}, "{1:1,2:3}"),
        ({np.int64(1): np.float32(0.5)}, "{1:0.5}"),
        ({0.75: 1e-5, 1e16: 1e100}, "{0.75:1e-05,1e+16:1e+100}"),
        ({1: 0.1, 2: 0.1}, "{1:0.1,2:0.1}"),
    ],
)
def test_a_table_is_written_in_the_order_of_labels_and_read_again(table, written):
    measure = D_nDCG(gain=table) @ 10

    assert repr(measure) == f"D_nDCG(gain={written})@10"
    assert parse(repr(measure)) == ir_measures.parse_measure(repr(measure)) == measure
    assert repr(parse(repr(measure))) == repr(measure)
    assert IA(measure) == parse(repr(IA(measure))) == parse(str(IA(measure)))
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_a_table_is_not_changed_by_a_dict_that_is_changed_later():
    table = {1: 1, 2: 2}
    measure = D_nDCG(gain=table)

    table[2] = 5

    assert measure == D_nDCG(gain={1: 1, 2: 2})
