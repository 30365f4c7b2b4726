import math

import pytest

from pyterrier_diversity import EU, nEU

# r of a: 3/4 for x, 1/2 for y; of c: 1/4 for x. The discounts of the ranks 1, 2 and 3 are 1, 1/2 and D3.
JUDGED = {"a": {"x": 2, "y": 1}, "b": {"x": 0, "y": 0}, "c": {"x": 1}}
D3 = 1 / (1 + math.log2(3))


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (EU(e=0.1), (5 / 8 - 0.1) + 1 / 2 * (0 - 0.1) + D3 * (1 / 2 * 1 / 4 * 1 / 2 - 0.1)),
        (EU, (5 / 8 - 0.001) + 1 / 2 * (0 - 0.001) + D3 * (1 / 16 - 0.001)),
        (EU @ 2, (5 / 8 - 0.001) - 1 / 2 * 0.001),
        (EU(e=0), 5 / 8 + D3 / 16),
        (EU(alpha=0.0, e=0), 5 / 8 + D3 / 8),
        (EU(alpha=1.0, e=0), 5 / 8),
        (EU(base=4.0, e=0), 5 / 8 + 1 / 16 / (1 + math.log(3, 4))),
        (EU(base=10.0, e=0.1), (5 / 8 - 0.1) - 0.1 / (1 + math.log10(2)) + (1 / 16 - 0.1) / (1 + math.log10(3))),
        (EU(gain="linear", e=0), 1 + D3 * 1 / 2 * 1 / 2 * 1 / 2),
        (EU(gain="binary", e=0), 1 + D3 * 1 / 2 * 1 / 2),
        (EU(max_rel=3.0, e=0), (3 / 8 + 1 / 8) / 2 + D3 / 2 * 1 / 8 * 1 / 2),
        (EU(rel=2.0, e=0), 3 / 4),
        # The greedy ideal ranking is a, c; with e = 0.1, c is not worth the effort.
        (nEU(e=0), (5 / 8 + D3 / 16) / (5 / 8 + 1 / 2 * 1 / 16)),
        (nEU(e=0) @ 1, 1),
        (nEU(e=0) @ 2, (5 / 8) / (5 / 8 + 1 / 2 * 1 / 16)),
        (nEU(e=0.1), ((5 / 8 - 0.1) - 1 / 2 * 0.1 + D3 * (1 / 16 - 0.1)) / (5 / 8 - 0.1)),
        (nEU, ((5 / 8 - 0.001) - 1 / 2 * 0.001 + D3 * (1 / 16 - 0.001)) / ((5 / 8 - 0.001) + 1 / 2 * (1 / 16 - 0.001))),
    ],
    ids=repr,
)
def test_values_of_three_documents_worked_by_hand(measure, value, value_of):
    assert value_of(measure, JUDGED, "abc") == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(("cutoff", "ranks"), [(1, 1), (2, 2), (3, 3), (4, 3), (1000, 3), (None, 3)])
def test_effort_is_charged_down_to_the_cutoff_or_the_end_of_the_ranking(cutoff, ranks, value_of):
    value = value_of(EU(e=0.1, cutoff=cutoff), {"a": {"x": 1}}, "uvw")

    assert value == pytest.approx(-0.1 * sum([1, 1 / 2, D3][:ranks]), abs=1e-15)


@pytest.mark.parametrize("cutoff", [None, 1, 3, 5])
@pytest.mark.parametrize(("e", "ranking"), [(0, "bacde"), (0.07, "bac"), (0.1, "ba")])
def test_the_greedy_ideal_ranking_scores_1(e, ranking, cutoff, value_of):
    # Worth 6/12 (and a as much), 4.5/12, 1/12, 0.75/12 and 0.25/12.
    judged = {
        "a": {"w": 3, "x": 1, "y": 2},
        "b": {"x": 3, "y": 2, "z": 1},
        "c": {"z": 2},
        "d": {"y": 3},
        "e": {"x": 1},
    }

    assert value_of(nEU(gain="linear", max_rel=3, e=e, cutoff=cutoff), judged, ranking) == pytest.approx(1, abs=1e-15)


def test_the_ideal_stops_before_the_first_document_that_is_not_worth_the_effort(value_of):
    # Worth 1, 0.5 and 0.25.
    judged = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1}}
    measure = nEU(gain="binary", e=0.3)

    assert value_of(measure, judged, "ab") == pytest.approx(1, abs=1e-15)
    assert value_of(measure, judged, "abc") == pytest.approx((0.7 + 0.1 + D3 * -0.05) / (0.7 + 0.1), abs=1e-15)


def test_the_ideal_looks_at_marginal_utility_before_its_discount(value_of):
    # At rank 2, b is worth 0.5 before the discount, and 0.25 after it.
    judged = {"a": {"x": 1}, "b": {"x": 1}}

    assert value_of(nEU(gain="binary", e=0.4), judged, "a") == pytest.approx(0.6 / (0.6 + 0.1 / 2), abs=1e-15)


@pytest.mark.parametrize(
    ("judged", "e"),
    [({"a": {"x": 0}}, 0.05), ({"a": {"x": -2}}, 0), ({"a": {"x": 1}}, 0.5), ({"a": {"x": 1}}, 3)],
)
def test_where_the_ideal_is_0_so_is_the_value(judged, e, value_of):
    assert value_of(nEU(e=e), judged, "ua") == 0


def test_an_ideal_that_is_0_but_for_rounding_is_0(value_of):
    # 1/2 (1/5 + 2/5) - 0.3 is 5.6e-17 in floating point.
    assert value_of(nEU(gain="linear", max_rel=5, e=0.3), {"a": {"x": 1, "y": 2}}, "ua") == 0


def test_the_ideal_breaks_ties_by_the_highest_name(value_of):
    # All tie at first. With c taken, one new intent is left to each of the others; a and b have none in common.
    judged = {"a": {"x": 1, "w": 1}, "b": {"y": 1, "z": 1}, "c": {"x": 1, "y": 1}}

    value = value_of(nEU(alpha=1.0, e=0, gain="binary") @ 2, judged, "ab")

    assert value == pytest.approx((2 + 2 / 2) / (2 + 1 / 2), abs=1e-15)


def test_gains_that_differ_by_rounding_only_are_ties(value_of):
    # a is worth 1/2 (1/5 + 2/5), in floating point a bit more than b's 1/2 * 3/5. Below b, a is worth 0.25; below a, b
    # is worth 0.15.
    judged = {"a": {"x": 1, "y": 2}, "b": {"x": 3}}

    value = value_of(nEU(gain="linear", max_rel=5, e=0) @ 2, judged, "ab")

    assert value == pytest.approx((0.3 + 0.15 / 2) / (0.3 + 0.25 / 2), abs=1e-15)


@pytest.mark.parametrize("max_rel", [20, 60, 200])
def test_gains_may_be_tiny_where_reading_costs_nothing(max_rel, value_of):
    value = value_of(nEU(max_rel=max_rel, e=0) @ 5, {"a": {"x": 1}, "b": {"x": 2}}, "ba")

    assert value == pytest.approx(1, abs=1e-12)
