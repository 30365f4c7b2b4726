"""Measures are built, parsed and described from arbitrary parameters and names."""

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fuzz import law
from fuzz.law import Refusal, answer, fuzzed
from fuzz.parameters import LIFTS, ODD, PLAIN, in_range, measures
from pyterrier_diversity import RBU, alpha_nDCG, grid, parse, signature
from pyterrier_diversity.measures.base import implementation

NAMES = sorted({name for measure in PLAIN for name in measure.SUPPORTED_PARAMS})
TOKENS = [
    *("RBU", "IA", "Adhoc", "Sharp", "alpha_nDCG", "nDCG", "AP", "P", "D", "D#-nDCG", "UserModel", "EU_DD", "x"),
    *("@", "(", ")", "(", ")", "@5", "@0", "@-1", "@1.5", "@'5'", "alpha=", "p=", "measure=", "rel=2", "1", "0.5"),
    *(
        "'exp'",
        "gain=",
        "=",
        ",",
        ".",
        " ",
        "\n",
        "\\",
        '"',
        "'",
        "[",
        "]",
        "{",
        "*",
        "**",
        "%",
        "\x00",
        "é",
        "lambda:",
    ),
    *("0x", "1e999"),
]


def is_value(parameter: Any, value: Any) -> bool:
    """Tell whether a parameter may have a value, by its declaration as people read it."""
    plain = value.item() if isinstance(value, np.generic) else value
    if parameter.dtype is bool or isinstance(plain, bool):
        return parameter.dtype is bool and isinstance(plain, bool)
    if isinstance(plain, str):
        return plain in parameter.choices
    if parameter.dtype is str or not isinstance(plain, (int, float)) or not math.isfinite(float(min(plain, 10**300))):
        return False
    low, high = (float(bound) for bound in parameter.interval[1:-1].split(","))
    above = plain >= low if parameter.interval[0] == "[" else plain > low
    below = plain <= high if parameter.interval[-1] == "]" else plain < high
    return above and below and plain <= 1.8e308 and (parameter.dtype is float or plain == int(plain))


@fuzzed(800, measure=st.sampled_from([m for m in PLAIN if m.SUPPORTED_PARAMS]), data=st.data())
def test_a_parameter_in_its_range_is_accepted_and_any_other_refused(measure, data):
    name = data.draw(st.sampled_from(sorted(measure.SUPPORTED_PARAMS)))
    value = data.draw(st.sampled_from(ODD) | st.floats() | st.integers() | in_range(measure.SUPPORTED_PARAMS[name]))

    built = answer("parameters", lambda: measure(**{name: value}))

    if value is None:
        assert built == measure
    elif not is_value(measure.SUPPORTED_PARAMS[name], value):
        assert isinstance(built, Refusal), f"{measure.NAME} takes {name}={value!r}"
    elif not isinstance(built, Refusal):  # it may not go together with others that are missing
        means_none = value == measure.SUPPORTED_PARAMS[name].none
        assert built[name] in (value, None if means_none else float(value) if isinstance(value, int) else value)
        assert built in (parse(repr(built)), *map(implementation, [parse(repr(built))]))
        law.confirmed["parameters"] += 1


@fuzzed(200, measure=st.sampled_from([*PLAIN, *LIFTS, alpha_nDCG]), cutoff=st.sampled_from(ODD) | st.integers())
def test_a_cutoff_is_taken_or_refused(measure, cutoff):
    built = answer("@", lambda: measure @ cutoff)

    if not isinstance(built, Refusal) and cutoff is not None and measure is not alpha_nDCG:
        assert built["cutoff"] == cutoff >= 1
        law.confirmed["@"] += 1


@fuzzed(300, names=st.lists(st.sampled_from(NAMES) | st.text(max_size=3), max_size=3, unique=True), data=st.data())
def test_any_parameters_together_are_taken_or_refused(names, data):
    measure = data.draw(st.sampled_from([*PLAIN, *LIFTS]))
    params = {name: data.draw(st.sampled_from(ODD)) for name in names}

    answer("parameters", lambda: measure(**params))


@fuzzed(
    300,
    lift=st.sampled_from(LIFTS),
    inner=st.sampled_from(ODD) | st.text(max_size=5) | measures(),
    cutoff=st.sampled_from(ODD),
)
def test_a_wrapper_takes_a_measure_and_nothing_else(lift, inner, cutoff):
    for params in ({}, {"cutoff": cutoff}, {"gamma": cutoff}):
        built = answer("lifts", lambda params=params: lift(inner, **params))
        if not isinstance(built, Refusal) and inner is not None:
            assert parse(str(built)) == parse(repr(built)) == built
            law.confirmed["lifts"] += 1


@fuzzed(500, tokens=st.lists(st.sampled_from(TOKENS), max_size=9), text=st.text(max_size=8))
def test_any_text_is_parsed_or_refused(tokens, text):
    for words in ("".join(tokens), text, f"RBU({text})", f"IA({''.join(tokens)})@5"):
        built = answer("parse", lambda words=words: parse(words))
        if not isinstance(built, Refusal):
            assert parse(repr(built)) == built
            law.confirmed["parse"] += 1


@fuzzed(150, measure=measures())
def test_every_measure_is_described_and_parses(measure):
    if measure is None:
        return
    line = answer("signature", lambda: signature(measure))

    assert "\n" not in line
    assert line.startswith(f"{measure}|")
    assert parse(repr(measure)) == parse(str(measure)) == measure
    law.confirmed["signature"] += 1


@fuzzed(150, measure=st.sampled_from([*PLAIN, alpha_nDCG, RBU @ 5]), data=st.data())
def test_a_grid_has_every_combination_or_is_refused(measure, data):
    names = data.draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True))
    some = st.lists(st.sampled_from(ODD), max_size=3) | st.sampled_from([1, None, "exp", RBU, (0.5,)])
    values = {name: data.draw(some) for name in names}

    found = answer("grid", lambda: grid(measure, **values))

    if not isinstance(found, Refusal):
        assert len(found) == math.prod(map(len, values.values()))
        law.confirmed["grid"] += len(found)
