import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.arithmetic import divide, power

EXPONENTS = [0, 0.5, 1, 2, 3]
BASES = st.floats(0, 1e3, allow_subnormal=False)


def test_a_quotient_is_0_where_there_is_nothing_to_divide_by():
    assert divide([1.0, 2.0, 0.0], [2, 0, 0]).tolist() == [0.5, 0.0, 0.0]


def test_quotients_broadcast():
    assert divide([[1], [2]], [1, 4]).tolist() == [[1.0, 0.25], [2.0, 0.5]]
    assert divide([[1], [2]], [0, 4]).tolist() == [[0.0, 0.25], [0.0, 0.5]]
    assert divide(1.0, [2, 0]).tolist() == [0.5, 0.0]


@pytest.mark.parametrize(("whole", "quotient"), [(4, 0.25), (0, 0.0)])
def test_a_single_quotient_is_a_value(whole, quotient):
    result = divide(1, whole)

    assert result.shape == ()
    assert float(result) == quotient


def test_of_nothing_there_are_no_quotients():
    assert divide([], []).tolist() == []
    assert divide(np.zeros((2, 0)), np.zeros((2, 0))).shape == (2, 0)


@settings(max_examples=100, deadline=None)
@given(pairs=st.lists(st.tuples(BASES, st.just(0.0) | st.floats(1e-100, 1e100)), min_size=1, max_size=9))
def test_a_quotient_is_the_same_alone_and_among_others(pairs):
    part, whole = zip(*pairs, strict=True)

    assert divide(part, whole).tolist() == [float(divide(p, w)) for p, w in pairs]


@pytest.mark.parametrize("exponent", EXPONENTS)
@settings(max_examples=40, deadline=None)
@given(bases=st.lists(BASES, min_size=1, max_size=12))
def test_a_power_is_the_same_to_the_bit_alone_and_among_others(exponent, bases):
    alone = [power(base, exponent).item() for base in bases]

    assert power(bases, exponent).tolist() == alone
    assert power(bases, np.full(len(bases), exponent)).tolist() == alone
    many, others = np.tile(bases, 50), np.resize(EXPONENTS, 50 * len(bases))
    others[: len(bases)] = exponent
    assert power(many, others)[: len(bases)].tolist() == alone


@settings(max_examples=100, deadline=None)
@given(base=st.floats(0, 1), ranks=st.integers(1, 60))
def test_the_powers_of_one_base_are_the_same_alone_and_among_others(base, ranks):
    exponents = np.arange(ranks)

    assert power(base, exponents).tolist() == [power(base, exponent).item() for exponent in exponents]


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_powers_are_those_of_arithmetic(exponent):
    assert power([0.25, 1.0, 4.0], exponent) == pytest.approx([0.25**exponent, 1, 4**exponent], rel=1e-15)
    assert power(0.0, exponent).item() == (1 if exponent == 0 else 0)


@pytest.mark.parametrize(
    ("base", "exponent", "shape"),
    [(0.5, 2, ()), ([0.5, 0.1], 2, (2,)), ([[0.5], [0.1]], [1, 2, 3], (2, 3)), ([], 2, (0,))],
)
def test_powers_have_the_shape_of_both(base, exponent, shape):
    assert power(base, exponent).shape == shape
