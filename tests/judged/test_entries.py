"""Groups of rows, and sums and products over them."""

from itertools import accumulate

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.judged import Groups

# Three rows, none, one, two.
OF = np.array([0, 0, 0, 2, 3, 3])
GROUPS = Groups(OF, 5)
MIXED = Groups(np.array([2, 0, 4, 4, 0, 0]), 5)
VALUES = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


def test_groups_have_a_size():
    assert GROUPS.size.tolist() == [3, 0, 1, 2, 0]


def test_rows_have_an_order_group_by_group():
    assert MIXED.order.tolist() == [1, 4, 5, 0, 2, 3]
    assert GROUPS.order.tolist() == [0, 1, 2, 3, 4, 5]


def test_rows_of_a_group_need_not_be_adjacent():
    assert MIXED.place.tolist() == [0, 0, 0, 1, 1, 2]
    assert MIXED.first.tolist() == [True, True, True, False, False, False]
    assert MIXED.above(VALUES).tolist() == [0, 0, 0, 4, 2, 18]
    assert MIXED.left(np.array([1.0, 0.5, 0.5, 0.0, 1.0, 0.0])).tolist() == [1, 1, 1, 0.5, 0.5, 0]
    assert MIXED.until(VALUES, np.array([0, 0, 2, 4]), np.array([1, 2, 1, 9])).tolist() == [2, 18, 1, 12]


@pytest.mark.parametrize("n_rows", range(7))
@pytest.mark.parametrize("known", [False, True])
def test_the_first_rows_are_in_the_same_groups(n_rows, known):
    groups = Groups(MIXED.of, MIXED.n)
    if known:
        groups.above(VALUES)

    top, alone = groups.top(n_rows), Groups(MIXED.of[:n_rows], MIXED.n)

    assert top.order.tolist() == alone.order.tolist()
    assert top.place.tolist() == alone.place.tolist()
    assert top.size.tolist() == alone.size.tolist()
    assert top.above(VALUES[:n_rows]).tolist() == groups.above(VALUES)[:n_rows].tolist()


def test_whole_numbers_and_truths_may_be_summed():
    assert GROUPS.above(VALUES.astype(int)).tolist() == [0, 1, 3, 0, 0, 16]
    assert GROUPS.above(VALUES > 1).tolist() == [0, 0, 1, 0, 0, 1]
    assert GROUPS.total(VALUES > 1).tolist() == [2, 0, 1, 2, 0]


def test_the_highest_value_of_a_group_is_0_at_the_least():
    assert GROUPS.highest(VALUES).tolist() == [4, 0, 8, 32, 0]
    assert GROUPS.highest(-VALUES).tolist() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("group", "place", "total"),
    [(0, 0, 0), (0, 1, 1), (0, 2, 3), (0, 3, 7), (0, 9, 7), (1, 2, 0), (3, 1, 16), (4, 1, 0)],
)
def test_until_a_place_is_the_sum_of_that_many_rows(group, place, total):
    assert GROUPS.until(VALUES, np.array([group]), np.array([place])).tolist() == [total]
    assert GROUPS.until(VALUES, np.array([group]), np.array([float(place)])).tolist() == [total]


def test_until_takes_any_number_of_places():
    assert GROUPS.until(VALUES, np.array([3, 0, 3, 0]), np.array([2, 1, 2, 3])).tolist() == [48, 1, 48, 7]
    assert GROUPS.until(VALUES, np.zeros(0, dtype=int), np.zeros(0)).tolist() == []


@pytest.mark.parametrize("n", [0, 1, 3])
def test_groups_without_rows_have_no_sums(n):
    groups, nothing = Groups(np.zeros(0, dtype=int), n), np.zeros(0)

    assert [groups.total(nothing).tolist(), groups.highest(nothing).tolist()] == [[0] * n] * 2
    assert groups.size.tolist() == [0] * n
    assert [len(groups.above(nothing)), len(groups.left(nothing)), len(groups.place), len(groups.first)] == [0] * 4
    assert groups.until(nothing, np.arange(n), np.ones(n)).tolist() == [0] * n


# Against loops

SIZES = st.lists(st.sampled_from([0, 0, 1, 1, 2, 3, 4, 5, 8, 9, 16, 17, 40]), max_size=12)


def grouped(sizes: list[int]) -> Groups:
    """Groups of these sizes, whose rows are adjacent."""
    return Groups(np.repeat(np.arange(len(sizes)), sizes), len(sizes))


def drawn(sizes: list[int], seed: int) -> np.ndarray:
    """Values between 0 and 1, some of them one of the two, whose sums depend on the order."""
    rng = np.random.default_rng(seed)
    values = rng.random(sum(sizes))
    return np.where(rng.random(sum(sizes)) < 0.1, np.round(values), values)


def walked(values: np.ndarray, sizes: list[int], initial: float, step) -> list[float]:
    """What has come together above each row, group by group."""
    result, rows = [], iter(values.tolist())
    for size in sizes:
        so_far = initial
        for _ in range(size):
            result.append(so_far)
            so_far = step(so_far, next(rows))
    return result


@settings(max_examples=75, deadline=None)
@given(sizes=SIZES, seed=st.integers(0, 2**32))
def test_sums_and_products_are_those_of_loops(sizes, seed):
    groups, values = grouped(sizes), drawn(sizes, seed)

    above = walked(values, sizes, 0.0, lambda total, value: total + value)
    left = walked(values, sizes, 1.0, lambda left, value: left * (1.0 - value))
    np.testing.assert_allclose(groups.above(values), above, rtol=1e-14)
    np.testing.assert_allclose(groups.left(values), left, rtol=1e-14)


@settings(max_examples=25, deadline=None)
@given(sizes=SIZES.filter(any), seed=st.integers(0, 2**32))
def test_sums_and_products_are_those_of_pandas(sizes, seed):
    groups, values = grouped(sizes), drawn(sizes, seed)

    by_group, of_rest = (pd.Series(rows).groupby(groups.of) for rows in (values, 1 - values))
    np.testing.assert_allclose(groups.above(values) + values, by_group.cumsum(), rtol=1e-14)
    np.testing.assert_allclose(groups.left(values) * (1 - values), of_rest.cumprod(), rtol=1e-14)
    assert groups.place.tolist() == by_group.cumcount().tolist()
    of_groups = pd.RangeIndex(len(sizes))
    assert groups.highest(values).tolist() == by_group.max().reindex(of_groups, fill_value=0).tolist()
    assert groups.total(values) == pytest.approx(by_group.sum().reindex(of_groups, fill_value=0).to_numpy(), rel=1e-14)


@settings(max_examples=40, deadline=None)
@given(sizes=SIZES, seed=st.integers(0, 2**32))
def test_the_sum_until_a_place_is_that_of_a_loop(sizes, seed):
    groups, values = grouped(sizes), drawn(sizes, seed)
    group, place = np.divmod(np.arange(len(sizes) * 45), 45)

    totals = groups.until(values, group, place)

    rows = np.split(values, np.cumsum(sizes)[:-1]) if sizes else []
    sums = [[0.0, *accumulate(of_group.tolist())] for of_group in rows]
    expected = [sums[g][min(n, len(rows[g]))] for g, n in zip(group, place, strict=True)]
    np.testing.assert_allclose(totals, expected, rtol=1e-14)


@settings(max_examples=40, deadline=None)
@given(sizes=SIZES.filter(any), seed=st.integers(0, 2**32), data=st.data())
def test_the_order_of_groups_and_the_rows_below_do_not_change_a_sum_in_any_bit(sizes, seed, data):
    groups, values = grouped(sizes), drawn(sizes, seed)
    # The rows of each group stay in their order.
    of = np.random.default_rng(seed).permutation(groups.of)
    place = np.argsort(np.argsort(of, kind="stable"))
    mixed, n_rows = Groups(of, len(sizes)), data.draw(st.integers(0, len(values)))

    assert mixed.above(values[place]).tolist() == groups.above(values)[place].tolist()
    assert mixed.left(values[place]).tolist() == groups.left(values)[place].tolist()
    top = mixed.top(n_rows)
    assert top.above(values[place][:n_rows]).tolist() == mixed.above(values[place])[:n_rows].tolist()
    assert top.left(values[place][:n_rows]).tolist() == mixed.left(values[place])[:n_rows].tolist()


@settings(max_examples=100, deadline=None)
@given(before=SIZES, sizes=SIZES, after=SIZES, seed=st.integers(0, 2**32))
def test_other_groups_do_not_change_a_sum_in_any_bit(before, sizes, after, seed):
    every = [*before, *sizes, *after]
    values = drawn(every, seed)
    mine, own = slice(sum(before), sum(before) + sum(sizes)), slice(len(before), len(before) + len(sizes))
    among, alone, few = grouped(every), grouped(sizes), values[mine]

    assert alone.above(few).tolist() == among.above(values)[mine].tolist()
    assert alone.left(few).tolist() == among.left(values)[mine].tolist()
    assert alone.total(few).tolist() == among.total(values)[own].tolist()
    assert alone.highest(few).tolist() == among.highest(values)[own].tolist()
    assert alone.place.tolist() == among.place[mine].tolist()
    assert alone.first.tolist() == among.first[mine].tolist()
    group = np.arange(len(sizes))
    there = group + len(before)
    assert alone.until(few, group, group).tolist() == among.until(values, there, group).tolist()


def test_the_values_given_stay_as_they_are():
    values = VALUES.copy()

    GROUPS.above(values)
    GROUPS.left(values)
    GROUPS.until(values, np.array([0]), np.array([2]))

    assert values.tolist() == VALUES.tolist()
