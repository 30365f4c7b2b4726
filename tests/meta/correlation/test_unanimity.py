import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from by_hand import of_measures
from pyterrier_diversity.meta import unanimity

# Values of 2 to 4 measures, for 2 to 4 systems on 1 to 3 queries: ties are frequent.
VALUES = arrays(
    np.int64, st.tuples(st.integers(2, 4), st.integers(2, 4), st.integers(1, 3)), elements=st.integers(0, 3)
)


def numbered(values):
    return {f"m{i}": own for i, own in enumerate(values)}


def by_measure(frame, **options):
    return unanimity(frame, **options).set_index("measure")["unanimity"].to_dict()


def restated(measures, m):
    """MU in plain Python, without copies of the measure among the others."""
    others = [values for values in measures if not np.array_equal(values, measures[m])]
    n_systems, n_queries = measures[m].shape
    unanimous = agreeing = 0.0
    for q in range(n_queries):
        for i in range(n_systems):
            for j in range(n_systems):
                if i != j and all(other[i, q] >= other[j, q] for other in others):
                    unanimous += 1
                    agreeing += {True: 1, False: 0}[measures[m][i, q] > measures[m][j, q]]
                    agreeing += 0.5 if measures[m][i, q] == measures[m][j, q] else 0
    if not unanimous:
        return math.nan
    return math.log2(agreeing / unanimous / 0.5) if agreeing else -math.inf


def two_differ(values):
    return len({own.tobytes() for own in values}) > 1


PAPER = {"m1": [1, 0.5, 0.2], "m2": [0.8, 0.3, 0.4], "m3": [1, 0.2, 0.5]}


def test_the_example_of_the_paper():
    assert by_measure(of_measures(**PAPER)) == pytest.approx({"m1": 0.415, "m2": 1, "m3": 1}, abs=5e-4)


def test_a_constant_measure_has_no_unanimity():
    assert by_measure(of_measures(**PAPER, constant=[4, 4, 4]))["constant"] == 0


@settings(max_examples=12)
@given(values=VALUES, copied=st.integers(0, 1), n_copies=st.integers(1, 3))
def test_copies_of_a_measure_change_nothing_and_score_as_it_does(values, copied, n_copies):
    assume(two_differ(values))
    copies = {f"copy{i}": values[copied] for i in range(n_copies)}

    before = by_measure(of_measures(**numbered(values)))
    after = by_measure(of_measures(**numbered(values), **copies))

    assert after == pytest.approx(before | dict.fromkeys(copies, before[f"m{copied}"]), nan_ok=True)


def test_copies_that_differ_in_the_last_bit_are_copies():
    last_bit = np.nextafter(PAPER["m1"], 2)

    values = by_measure(of_measures(**PAPER, copy=last_bit))

    assert values["m1"] == values["copy"] == pytest.approx(math.log2(4 / 3))


def test_measures_that_order_alike_with_other_values_are_two():
    values = by_measure(of_measures(DCG=[4, 2, 1], nDCG=[1, 0.5, 0.25], other=[1, 3, 2]))

    # DCG sees the only improvement that nDCG and the other measure see: the last system is never better.
    assert values["DCG"] == values["nDCG"] == 1


def test_values_that_differ_in_the_last_bit_are_ties():
    third = np.nextafter(0.5, 1)

    values = by_measure(of_measures(m=[0.5, third, 0.2], other=[1, 3, 2]))

    # The other measure sees S1 > S2 > S0 and S1 > S0; m sees the first, not the second, and is undecided on the third.
    assert values["m"] == pytest.approx(math.log2(1.5 / 3 / 0.5))


@settings(max_examples=12)
@given(values=VALUES, seed=st.integers(0, 9))
def test_unanimity_is_its_restatement_in_any_order_of_rows_and_at_most_one(values, seed):
    assume(two_differ(values))
    frame = of_measures(**numbered(values))

    result = by_measure(frame.sample(frac=1, random_state=seed))

    assert result == pytest.approx({f"m{i}": restated(values, i) for i in range(len(values))}, nan_ok=True)
    assert np.nanmax([*result.values(), -1]) <= 1


def test_zeros_of_both_signs_are_equal():
    frame = of_measures(one=[0.0, 1.0, 2.0], copy=[-1e-13, 1.0, 2.0], other=[0.0, 2.0, 1.0])

    assert unanimity(frame).attrs["n_measures"] == 2


def test_memory_is_bounded_for_a_hundred_systems():
    import tracemalloc

    frame = of_measures(**numbered(np.random.default_rng(3).random((30, 100, 10))))
    tracemalloc.start()
    unanimity(frame)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    # 30 x 10 x 100 x 100 comparisons would be 24 MB as one array of floats, and several of them are needed.
    assert peak < 60e6


def test_the_highest_come_first_and_nan_last():
    result = unanimity(of_measures(up=[1, 2], higher=[3, 5], down=[2, 1]))

    assert result["measure"].tolist() == ["down", "up", "higher"]
    assert result["unanimity"].tolist() == pytest.approx([-math.inf, math.nan, math.nan], nan_ok=True)


def test_a_family_is_reported_by_its_best_variant_among_all_variants():
    frame = of_measures(**{"A(x)": [1, 2, 2, 4], "A(y)": [1, 2, 4, 3], "B(x)": [1, 1, 1, 2], "B(y)": [2, 1, 3, 4]})
    every = by_measure(frame)

    result = unanimity(frame, group=lambda name: name.split("(")[0])

    assert every["A(x)"] > every["A(y)"]
    assert every["B(y)"] > every["B(x)"]
    assert result.columns.tolist() == ["measure", "family", "unanimity"]
    assert result.to_numpy().tolist() == [["A(x)", "A", every["A(x)"]], ["B(y)", "B", every["B(y)"]]]


def test_families_may_be_a_mapping_and_ties_go_to_the_first_variant():
    result = unanimity(of_measures(**PAPER), group={"m1": "one", "m2": "two", "m3": "two"})

    assert result["family"].tolist() == ["two", "one"]
    assert result["measure"].tolist() == ["m2", "m1"]


def test_the_frame_describes_its_columns():
    result = unanimity(of_measures(**PAPER, copy=PAPER["m1"]), group=str)

    assert list(result.attrs["legend"]) == result.columns.tolist()
    assert [result.attrs[name] for name in ("n_systems", "n_queries", "n_measures")] == [3, 1, 3]


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (of_measures(m=[1], n=[2]), {}, "unanimity: perquery must have at least two systems, not 1"),
        (of_measures(m=[1, 2]), {}, "at least two measures with different values, not only m"),
        (of_measures(m=[1, 2], n=[1, 2]), {}, "at least two measures with different values, not only m, n"),
        (of_measures(**PAPER), {"measures": ["AP"]}, "perquery has no measure AP"),
        (of_measures(**PAPER), {"group": {"m1": "a"}}, "group has no family for m2, m3"),
    ],
)
def test_invalid_arguments_are_refused(frame, options, message):
    with pytest.raises(ValueError, match=message):
        unanimity(frame, **options)
