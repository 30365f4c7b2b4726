import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP

from by_hand import of_measures
from pyterrier_diversity import UserModel
from pyterrier_diversity.meta import concordance, kendall_tau, rank_correlation, unanimity

# The example of the README of ircor 1.0, the R package of Urbano and Marrero: x is the reference.
X = [0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]
Y = [0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]
Y_TIES = [0.4, 0, 0.2, 0.2, 0.6, 0.6, 0.6, 1, 0.8, 1]
X_TIES = [0, 0.2, 0.2, 0.4, 0.6, 0.6, 0.6, 0.8, 1, 1]

# The example of ircor's manual pages of tau and tauAP.
MANUAL_X = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
MANUAL_Y = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
MANUAL_X_TIES = [0.7, 0.4, 0.3, 0.1, 0.6, 0.2, 0.9, 0.8, 0.1, 0.5]
MANUAL_Y_TIES = [0.5, 0.7, 0.3, 0.1, 0.1, 0.6, 0.9, 0.2, 0.4, 0.8]


def means_of(**measures):
    """Values of one query."""
    return of_measures(**{name: [[value] for value in values] for name, values in measures.items()})


def correlation(method):
    """The coefficient of two lists, as a function of them and of the variant."""

    def coefficient(estimate, reference, variant="b"):
        frame = means_of(estimate=estimate, reference=reference)
        return rank_correlation(frame, "reference", method=method, variant=variant)["value"].item()

    return coefficient


tau, tau_ap, tau_ap_symmetric = COEFFICIENTS = [correlation(each) for each in ("tau", "tau_ap", "tau_ap_symmetric")]
both_variants = pytest.mark.parametrize("variant", ["a", "b"])
every_coefficient = pytest.mark.parametrize("coefficient", COEFFICIENTS)
# Each drawn example is one for all of them.


def two_lists(low, high, *, ties):
    one = st.lists(st.integers(0, 3 if ties else 99), min_size=high, max_size=high, unique=not ties)
    return st.tuples(st.integers(low, high), one, one).map(lambda drawn: (drawn[1][: drawn[0]], drawn[2][: drawn[0]]))


TIED, UNTIED = two_lists(2, 7, ties=True), two_lists(2, 8, ties=False)


def yilmaz(estimate, reference):
    """Yilmaz et al. (2008), rank by rank; without ties."""
    order = sorted(range(len(estimate)), key=lambda i: -estimate[i])
    n, total = len(order), 0.0
    for rank in range(2, n + 1):
        system = order[rank - 1]
        total += sum(reference[other] > reference[system] for other in order[: rank - 1]) / (rank - 1)
    return 2 / (n - 1) * total - 1


def kendall(first, second):
    pairs = list(itertools.combinations(range(len(first)), 2))
    return sum((1 if first[i] > first[j] else -1) * (1 if second[i] > second[j] else -1) for i, j in pairs) / len(pairs)


def orderings(values):
    """All ways to break the ties: lists of distinct values that order untied ones as before."""
    for order in itertools.permutations(range(len(values))):
        if all(values[i] <= values[j] for i, j in itertools.pairwise(order)):
            yield [order.index(i) for i in range(len(values))]


def mean_over_orderings(coefficient, first, second):
    broken = itertools.product(orderings(first), orderings(second))
    return np.mean([coefficient(one, other) for one, other in broken])


def half_of_tau_ap_b(estimate, reference):
    """The mean, over the systems below the top of the estimate, of the share of those above in the same order."""
    if len(set(estimate)) == 1 or len(set(reference)) == 1:
        return math.nan
    shares = []
    for i, own in enumerate(estimate):
        above = [j for j, other in enumerate(estimate) if other > own]
        if above:
            shares.append(sum(reference[j] > reference[i] for j in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (kendall_tau(Y, X), 0.7777778),
        (tau_ap(Y, X), 0.7491182),
        (tau(Y_TIES, X, "a"), 0.7111111),
        (tau_ap(Y_TIES, X, "a"), 0.6074515),
        (tau(Y_TIES, X_TIES, "b"), 0.75),
        (tau_ap_symmetric(Y_TIES, X_TIES, "b"), 0.6269841),
        (kendall_tau(MANUAL_Y, MANUAL_X), 0.2),
        (tau(MANUAL_Y_TIES, MANUAL_X, "a"), 0.2222222),
        (tau(MANUAL_Y_TIES, MANUAL_X, "b"), 0.2247333),
        (tau(MANUAL_Y_TIES, MANUAL_X_TIES, "b"), 0.25),
        (tau_ap(MANUAL_Y, MANUAL_X), 0.3928571),
        (tau_ap(MANUAL_Y, MANUAL_X, "a"), 0.3928571),
        (tau_ap(MANUAL_Y_TIES, MANUAL_X, "a"), 0.39903),
        (tau_ap_symmetric(MANUAL_Y_TIES, MANUAL_X, "b"), 0.3317019),
        (tau_ap_symmetric(MANUAL_Y_TIES, MANUAL_X_TIES, "b"), 0.339418),
    ],
)
def test_the_values_of_the_readme_and_the_manual_of_ircor(value, expected):
    assert value == pytest.approx(expected, abs=5e-8)


@settings(max_examples=12)
@given(lists=UNTIED)
def test_without_ties_both_variants_are_the_coefficients_of_yilmaz_and_kendall(lists):
    for coefficient, slow in ((tau_ap, yilmaz), (tau, kendall)):
        expected = pytest.approx(slow(*lists))
        assert [coefficient(*lists, variant) for variant in "ab"] == [expected, expected]


@settings(max_examples=10)
@given(lists=two_lists(2, 5, ties=True))
@pytest.mark.parametrize(("coefficient", "slow"), [(tau_ap, yilmaz), (tau, kendall)])
def test_variant_a_is_the_mean_over_all_ways_to_break_the_ties_of_both(coefficient, slow, lists):
    assert coefficient(*lists, "a") == pytest.approx(mean_over_orderings(slow, *lists), abs=1e-12)


@settings(max_examples=10)
@given(estimate=st.lists(st.integers(0, 1), min_size=6, max_size=6))
def test_variant_a_handles_large_ties_of_the_estimate(estimate):
    reference = [3, 1, 6, 5, 2, 4]

    assert tau_ap(estimate, reference, "a") == pytest.approx(mean_over_orderings(yilmaz, estimate, reference))


@settings(max_examples=12)
@given(lists=TIED)
def test_variant_b_is_its_restatement(lists):
    expected = half_of_tau_ap_b(*lists)

    assert tau_ap(*lists) == pytest.approx(expected, nan_ok=True)
    assert tau_ap_symmetric(*lists) == pytest.approx((expected + half_of_tau_ap_b(*lists[::-1])) / 2, nan_ok=True)


@both_variants
@every_coefficient
def test_values_that_differ_in_the_last_bits_are_ties(coefficient, variant):
    exact, noisy = [0.3, 0.3, 0.1, 0.2], [0.1 + 0.2, 0.3 - 1e-13, 0.1, 0.2]

    for other in ([1, 2, 3, 4], [4, 3, 3, 1]):
        assert coefficient(noisy, other, variant) == coefficient(exact, other, variant)
        assert coefficient(other, noisy, variant) == coefficient(other, exact, variant)


@pytest.mark.parametrize(
    "lists",
    [
        ([1, 2], [1, 2, 3]),
        ([1], [1]),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ([1, 2], [1, math.inf]),
        ([math.nan, 2], [1, 2]),
        (["x", 2], [1, 2]),
        (1, 2),
    ],
)
def test_lists_that_cannot_be_correlated_are_refused(lists):
    message = "^kendall_tau: first and second must be lists of finite numbers of the same length, 2 or more[.]$"
    with pytest.raises(ValueError, match=message):
        kendall_tau(*lists)


MEANS = means_of(AP=[0.4, 0.3, 0.2, 0.1], RR=[0.9, 1.0, 0.5, 0.5], RBU=[1, 2, 3, 4])


def test_each_measure_is_compared_with_each_other_one():
    result = rank_correlation(MEANS)

    assert result.columns.tolist() == ["measure", "reference", "value"]
    assert set(zip(result["measure"], result["reference"], strict=True)) == set(
        itertools.permutations(["AP", "RR", "RBU"], 2)
    )
    for row in result.itertuples(index=False):
        lists = (MEANS.loc[MEANS["measure"] == name, "value"] for name in row[:2])
        assert row.value == pytest.approx(kendall_tau(*map(list, lists)))


def test_systems_are_ranked_by_their_means_over_the_queries():
    frame = of_measures(AP=[[0.1, 0.9], [0.4, 0.4], [0.3, 0.3]], RR=[[1, 0], [1, 0.5], [0.2, 0.3]])
    means = means_of(AP=[0.5, 0.4, 0.3], RR=[0.5, 0.75, 0.25])

    pd.testing.assert_frame_equal(rank_correlation(frame), rank_correlation(means))


def test_means_that_differ_in_the_last_bits_are_ties():
    frame = of_measures(one=[[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]], other=[[1] * 3, [2] * 3, [3] * 3])

    assert math.isnan(rank_correlation(frame)["value"].iloc[0])
    assert rank_correlation(frame, variant="a")["value"].tolist() == [0, 0]


@pytest.mark.parametrize("reference", ["AP", AP, ["AP"], (AP, "AP")])
def test_a_reference_may_be_named_or_given(reference):
    result = rank_correlation(MEANS, reference)

    assert result[["measure", "reference"]].to_numpy().tolist() == [["RR", "AP"], ["RBU", "AP"]]


@pytest.mark.parametrize("method", ["tau", "tau_ap", "tau_ap_symmetric"])
def test_a_matrix_has_the_same_values_and_ones_and_a_column_for_each_reference(method):
    matrix = rank_correlation(MEANS, method=method, matrix=True)

    assert matrix.index.tolist() == matrix.columns.tolist() == ["AP", "RR", "RBU"]
    assert (matrix.index.name, matrix.columns.name) == ("measure", "reference")
    assert np.diag(matrix).tolist() == pytest.approx([1, 1, 1])
    for row in rank_correlation(MEANS, method=method).itertuples():
        assert matrix.loc[row.measure, row.reference] == row.value
    two = rank_correlation(MEANS, ["RBU", "AP"], method=method, matrix=True)
    pd.testing.assert_frame_equal(two, matrix[["RBU", "AP"]])


@pytest.mark.parametrize("matrix", [True, False])
def test_the_frame_describes_its_columns(matrix):
    attrs = rank_correlation(MEANS, method="tau_ap", variant="a", matrix=matrix).attrs

    assert list(attrs["legend"]) == ["measure", "reference", "value"]
    assert (attrs["method"], attrs["variant"]) == ("tau_ap", "a")


def test_one_measure_alone_has_no_rows_but_a_matrix():
    alone = MEANS.query("measure == 'AP'")

    assert rank_correlation(alone).empty
    assert rank_correlation(alone, matrix=True).to_numpy().tolist() == [[1]]


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (MEANS, {"reference": "ERR"}, "reference must be among the measures AP, RR, RBU, not ERR"),
        (MEANS, {"method": "rho"}, "method must be one of 'tau', 'spearman', 'tau_ap', 'tau_ap_symmetric', not 'rho'"),
        (MEANS, {"method": "spearman", "variant": "a"}, "variant must be 'b' for method='spearman', not 'a'"),
        (MEANS, {"top": 1}, r"top must be an integer in \[2, 4\], not 1"),
        (MEANS, {"top": 5}, r"top must be an integer in \[2, 4\], not 5"),
        (MEANS, {"variant": "c"}, "variant must be one of 'a', 'b', not 'c'"),
        (MEANS.query("name == 'S1'"), {}, "must have at least two systems, not 1"),
        (of_measures(AP=[[1], [2]]).drop(columns="qid"), {}, "missing column qid"),
        ([1.0, 2.0], {}, r"perquery must be a file, a frame, .* \{measure: number\}, not rows of float"),
    ],
)
def test_invalid_arguments_are_refused(frame, options, message):
    with pytest.raises(TypeError if isinstance(frame, list) else ValueError, match=message):
        rank_correlation(frame, **options)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12))
def test_spearman_is_that_of_scipy(pairs):
    from scipy.stats import spearmanr

    one, other = ([value / 7 for value in column] for column in zip(*pairs, strict=True))
    frame = means_of(AP=one, RR=other)

    value = rank_correlation(frame, "RR", method="spearman")["value"].item()

    if len({*one}) == 1 or len({*other}) == 1:
        assert math.isnan(value)
    else:
        assert value == pytest.approx(spearmanr(one, other).statistic, abs=1e-12)


def test_spearman_ties_means_that_differ_by_rounding():
    frame = means_of(AP=[0.1 + 0.2, 0.3, 0.1], RR=[0.5, 0.5, 0.1])

    assert rank_correlation(frame, "RR", method="spearman")["value"].item() == pytest.approx(1)


# RR ranks a, b, c, d, e; AP swaps the best two, and those alone.
LISTS = {"RR": [0.9, 0.8, 0.7, 0.6, 0.5], "AP": [0.8, 0.9, 0.7, 0.6, 0.5]}


@pytest.mark.parametrize(("top", "tau"), [(2, -1), (3, 1 / 3), (5, 8 / 10)])
def test_tau_of_the_best_systems_is_over_those_of_the_reference(top, tau):
    found = rank_correlation(means_of(**LISTS), "RR", top=top)

    assert found["value"].item() == pytest.approx(tau)
    assert found.attrs["top"] == top


def test_systems_tied_with_the_last_of_the_best_are_among_them():
    tied = means_of(RR=[0.9, 0.8, 0.7, 0.7, 0.5], AP=LISTS["AP"])

    three = rank_correlation(tied, "RR", top=3)["value"].item()

    # Of a, b, c, d, AP orders six pairs, RR all but c and d: one is swapped.
    assert three == pytest.approx((4 - 1) / math.sqrt(6 * 5))


def test_the_best_systems_are_each_references_own():
    matrix = rank_correlation(means_of(**LISTS, ERR=[0.1, 0.2, 0.3, 0.4, 0.5]), top=2, matrix=True)

    assert matrix.loc["AP", "RR"] == pytest.approx(-1)  # a and b
    assert matrix.loc["AP", "ERR"] == pytest.approx(-1)  # d and e
    assert matrix.loc["ERR", "AP"] == pytest.approx(1)  # a and b, swapped in both
    assert np.allclose(np.diag(matrix), 1)


def test_measures_of_which_lower_values_are_better_are_turned_round():
    effort = str(UserModel(model=3, stop="ERR", effort="rank") @ 10)
    values = {"A": [[4, 3], [2, 1], [1, 2], [1, 4]], "B": [[1, 2], [2, 3], [3, 4], [1, 1]], "C": [[1], [2], [3], [1]]}
    straight = of_measures(**{name: np.broadcast_to(own, (4, 2)) for name, own in values.items()})
    turned = straight.assign(value=straight["value"].where(straight["measure"] != "C", 9 - straight["value"]))
    turned["measure"] = turned["measure"].replace("C", effort)

    for study in (
        lambda frame, name: rank_correlation(frame, method="tau_ap", top=2),
        lambda frame, name: concordance(frame, name),
        lambda frame, name: concordance(frame, "A"),
        lambda frame, name: unanimity(frame),
    ):
        pd.testing.assert_frame_equal(study(turned, effort).replace(effort, "C"), study(straight, "C"))
