import itertools
import math
import re
import warnings
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ir_measures import AP
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multitest import multipletests

from by_hand import of_measures, perquery, t_of
from pyterrier_diversity import __version__
from pyterrier_diversity.evaluate import aggregates
from pyterrier_diversity.meta import compare
from pyterrier_diversity.meta.scores import rounded
from pyterrier_diversity.meta.significance import randomisation
from pyterrier_diversity.meta.significance.randomisation import blocks_of, flips, resamples, shuffle
from pyterrier_diversity.meta.significance.tests import TESTS as TABLE
from pyterrier_diversity.meta.significance.tests import Design, Test
from pyterrier_diversity.meta.significance.tests import tested as p_and_intervals

DRAWING = ["tukey-randomised", "bootstrap", "permutation"]
TESTS = [*DRAWING, "tukey", "t", "wilcoxon"]
INTERVALS = ["tukey-randomised", "bootstrap", "tukey", "t"]

# Three systems on four queries; x is far better than the others.
SYSTEMS = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.4, 0.5, 0.3], "z": [0.1, 0.5, 0.4, 0.4]}

MATRIX = rounded(np.random.default_rng(5).random((5, 20)) + np.linspace(0, 0.5, 5)[:, None])


def pair(z, test, **options):
    """The row of a system that exceeds another one by z."""
    return compare(perquery([z, np.zeros(len(z))], "nEU"), test, rng=1, **options).iloc[0]


def design(test, values, n_trials=1, groups="all", rng=1):
    return Design(test, groups, n_trials, blocks_of(rng, n_trials, values.size), 0.05, None)


def p_of(values, test, **options):
    first, second = np.triu_indices(len(values), 1)
    return p_and_intervals(values, first, second, design(test, values, **options)).p


def fig_2(x, y, samples):
    """Sakai (2013), Fig. 2: the ASL of a pair, by resamples of the queries."""
    z = [a - b for a, b in zip(x, y, strict=True)]
    mean = sum(z) / len(z)
    w = [v - mean for v in z]
    count = 0
    for queries in samples:
        if abs(t_of([w[q] for q in queries])) >= abs(t_of(z)) - 1e-12:
            count += 1
    return count / len(samples)


def fig_4(values, matrices):
    """Sakai (2013), Fig. 4: the ASL of each pair, by matrices of which each query's values are permuted."""
    means = [sum(row) / len(row) for row in values]
    asl = []
    for i, j in itertools.combinations(range(len(values)), 2):
        count = 0
        for matrix in matrices:
            shuffled = [sum(row) / len(row) for row in matrix]
            if max(shuffled) - min(shuffled) >= abs(means[i] - means[j]) - 1e-12:
                count += 1
        asl.append(count / len(matrices))
    return asl


def test_type_checkers_see_the_tests_of_the_table():
    assert get_args(Test) == tuple(TABLE)


# Worked by hand


def test_a_row_tells_means_difference_effect_and_p_of_a_pair():
    x, y, _ = SYSTEMS.values()
    z = np.subtract(x, y)

    row = compare(perquery(SYSTEMS), "t", rng=1).iloc[0]

    assert row[["measure", "name", "other"]].tolist() == ["RBU", "x", "y"]
    assert row[["mean", "other_mean", "difference"]].tolist() == pytest.approx([0.725, 0.325, 0.4])
    assert row["effect_size"] == pytest.approx(0.4 / z.std(ddof=1))
    assert row["p"] == pytest.approx(stats.ttest_rel(x, y).pvalue)
    assert row["significant"]


def test_parametric_hsd_of_a_worked_example():
    # Means 1, 2, 6 of the systems, and -2/3 and 2/3 from the grand mean 3 for the queries: residuals of 1/3, four
    # times, and 2/3, twice, whose squares add up to 4/3, for (3 - 1) (2 - 1) = 2 degrees of freedom; MS_res / n = 1/3.
    values = np.array([[0.0, 2.0], [1.0, 3.0], [6.0, 6.0]])

    q = np.array([1.0, 5.0, 4.0]) * math.sqrt(3)

    assert p_of(values, "tukey") == pytest.approx([stats.studentized_range.sf(each, 3, 2) for each in q])


@pytest.mark.parametrize(
    ("z", "p", "effect"),
    [([0.25] * 4, 0.0, math.inf), ([-0.1] * 3, 0.0, -math.inf), ([0.0] * 5, 1.0, 0.0)],
)
@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_differences_without_variance_are_certain_or_none(test, z, p, effect):
    row = pair(z, test)

    assert (row["p"], row["effect_size"]) == (p, effect)


def test_parametric_hsd_without_residuals_is_certain():
    # Queries and systems explain all.
    values = np.array([[0.1, 0.5, 0.3], [0.2, 0.6, 0.4], [0.2, 0.6, 0.4]])

    assert p_of(values, "tukey").tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("test", TESTS)
def test_the_last_bits_change_no_p_value(test):
    values = np.random.default_rng(3).integers(0, 5, (3, 14)) / 10
    noisy = values + np.random.default_rng(4).uniform(-1e-14, 1e-14, values.shape)

    p, p_noisy = (compare(perquery(v), test, rng=1)["p"].to_numpy() for v in (values, noisy))

    assert p_noisy == pytest.approx(p, abs=0 if test in (*DRAWING, "wilcoxon") else 1e-9)


# Restated


@pytest.mark.parametrize("cells", [2**20, 900])
def test_bootstrap_is_fig_2(monkeypatch, cells):
    monkeypatch.setattr(randomisation, "AT_ONCE", cells)
    samples = np.concatenate(list(resamples(blocks_of(1, 200, MATRIX.size), 20))).tolist()

    expected = [fig_2(x, y, samples) for x, y in itertools.combinations(MATRIX.tolist(), 2)]

    assert p_of(MATRIX, "bootstrap", n_trials=200) == pytest.approx(expected, abs=0)


@settings(deadline=None, max_examples=40)
@given(arrays(np.int64, (3, 4), elements=st.integers(0, 2)))
def test_bootstrap_is_fig_2_with_ties_and_samples_without_variance(values):
    values = values / 10
    samples = np.concatenate(list(resamples(blocks_of(1, 50, values.size), 4))).tolist()

    expected = [fig_2(x, y, samples) for x, y in itertools.combinations(values.tolist(), 2)]

    assert p_of(values, "bootstrap", n_trials=50) == pytest.approx(expected, abs=0)


@pytest.mark.parametrize("cells", [2**20, 900])
def test_randomised_hsd_is_fig_4(monkeypatch, cells):
    monkeypatch.setattr(randomisation, "AT_ONCE", cells)
    matrices = [m.T for seed, n in blocks_of(1, 200, MATRIX.size) for m in shuffle(MATRIX, seed, n)]

    assert p_of(MATRIX, "tukey-randomised", n_trials=200) == pytest.approx(fig_4(MATRIX, matrices), abs=0)


def test_pairwise_randomised_hsd_is_fig_4_of_each_pair_alone():
    signs = np.concatenate(list(flips(blocks_of(1, 200, MATRIX.size), 20))) > 0
    expected = []
    for two in itertools.combinations(MATRIX, 2):
        both = np.array(two)
        expected += fig_4(both, [np.where(flip, both, both[::-1]) for flip in signs])

    assert p_of(MATRIX, "tukey-randomised", n_trials=200, groups="pairwise") == pytest.approx(expected, abs=0)


def test_all_permutations_of_a_query_are_as_likely():
    shuffled = shuffle(np.arange(3.0)[:, None], np.random.default_rng(1), 6_000)[:, 0]

    _, counts = np.unique(shuffled, axis=0, return_counts=True)

    assert stats.chisquare(counts).pvalue > 0.01
    assert len(counts) == 6


# Peers


def test_parametric_hsd_has_the_residual_mean_square_of_a_two_way_anova():
    table = anova_lm(ols("value ~ C(name) + C(qid)", perquery(MATRIX)).fit())
    mean_square, freedom = table.loc["Residual", ["mean_sq", "df"]]
    scale = math.sqrt(mean_square / 20)

    result = compare(perquery(MATRIX), "tukey")

    assert freedom == 4 * 19
    expected = stats.studentized_range.sf(result["difference"].abs() / scale, 5, freedom)
    assert result["p"].to_numpy() == pytest.approx(expected, abs=1e-9)
    half = stats.studentized_range.ppf(0.95, 5, freedom) * scale
    assert (result["ci_high"] - result["difference"]).to_numpy() == pytest.approx(half, abs=1e-6)
    assert (result["difference"] - result["ci_low"]).to_numpy() == pytest.approx(half, abs=1e-6)


def permutation(x, y, **options):
    options |= {"permutation_type": "samples", "vectorized": True}
    return stats.permutation_test((x - y,), lambda v, axis: v.mean(axis=axis), **options)


TIED = np.random.default_rng(3).integers(0, 4, (4, 30)) / 4


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(
    ("test", "peer", "tables"),
    [
        ("t", stats.ttest_rel, [MATRIX, MATRIX[:, :9]]),
        ("wilcoxon", stats.wilcoxon, [MATRIX, MATRIX[:, :9], TIED]),
        ("permutation", permutation, [MATRIX[:, :9]]),  # exact, as few queries allow
    ],
)
def test_tests_are_those_of_scipy(test, peer, tables, alternative):
    for values in tables:
        expected = [peer(x, y, alternative=alternative).pvalue for x, y in itertools.combinations(values, 2)]

        result = compare(perquery(values), test, alternative=alternative, rng=1)

        assert result["p"].to_numpy() == pytest.approx(expected, abs=1e-9)
        assert result.attrs.get("alternative", "two-sided") == alternative


@pytest.mark.parametrize(
    ("z", "p", "greater"),
    [
        ([0.1, 0.2, 0.25, 0.3, 0.4], 0.0625, 0.03125),
        ([0.1, 0.2, 0.2, 0.3, 0.4], 0.0625, 0.03125),
        ([0.1, 0.2, 0.2, 0.3, -0.1], 0.1875, 0.09375),
        ([0.0, 0.1, 0.2, 0.3, 0.4], 0.125, 0.0625),
        ([0.0, 0.1, 0.1, -0.1, 0.2, 0.3, 0.4, 0.0], 0.125, 0.0625),
        ([0.1 * i - 0.25 for i in range(13)], 0.011962890625, 0.0059814453125),
        ([0.1] * 8 + [-0.1] * 6, 0.5929800980174267, 0.29649004900871333),
        ([0.0, *(0.1 * i for i in range(-4, 10))], 0.05432871367198416, 0.02716435683599208),
    ],
)
def test_wilcoxon_has_one_p_whatever_other_pairs_are_tested_and_the_version_of_scipy(z, p, greater):
    zeros = np.zeros(len(z))
    tied = np.linspace(0.1, 0.5, len(z)).round(1)
    alone, several = perquery([z, zeros]), perquery([z, zeros, tied, 0.9 * np.array(z) ** 2])

    for frame in (alone, several):
        assert compare(frame, "wilcoxon", baseline="S1")["p"][0] == pytest.approx(p, abs=1e-9)
        one_sided = compare(frame, "wilcoxon", baseline="S1", alternative="greater")
        assert one_sided["p"][0] == pytest.approx(greater, abs=1e-9)


@pytest.mark.parametrize("cells", [2**20, 900])
def test_permutation_test_of_many_queries_counts_its_flips_and_the_values_themselves(monkeypatch, cells):
    monkeypatch.setattr(randomisation, "AT_ONCE", cells)
    signs = np.concatenate(list(flips(blocks_of(1, 999, MATRIX.size), 20)))
    expected = []
    for x, y in itertools.combinations(MATRIX, 2):
        count = sum(abs(np.mean(flip * (x - y))) >= abs(np.mean(x - y)) - 1e-12 for flip in signs)
        expected.append((count + 1) / (999 + 1))

    assert p_of(MATRIX, "permutation", n_trials=999) == pytest.approx(expected, abs=0)


# Intervals


@pytest.mark.parametrize(
    ("test", "options"), [("t", {}), ("t", {"alternative": "greater"}), ("tukey", {"groups": "pairwise"})]
)
def test_the_interval_of_the_t_test_is_that_of_scipy(test, options):
    result = compare(perquery(MATRIX, "nEU"), test, alpha=0.1, **options)

    side = options.get("alternative", "two-sided")
    tests = [stats.ttest_rel(x, y, alternative=side) for x, y in itertools.combinations(MATRIX, 2)]
    peers = [list(each.confidence_interval(0.9)) for each in tests]
    assert result[["ci_low", "ci_high"]].to_numpy() == pytest.approx(np.array(peers), abs=1e-9)


def test_the_intervals_of_the_randomised_hsd_are_a_quantile_of_its_ranges_wide():
    frame = perquery(MATRIX)
    result = compare(frame, "tukey-randomised", n_trials=200, rng=1)

    # Queries in the order of their names.
    values = frame.pivot(index="name", columns="qid", values="value").to_numpy()  # noqa: PD010
    generator = np.random.default_rng(1).spawn(1)[0].spawn(1)[0]
    means = shuffle(values, generator, 200).mean(axis=1)
    # 9 of 200 trials may reach a significant difference: a share below 0.05.
    half = sorted(np.ptp(means, axis=1), reverse=True)[9]
    assert (result["ci_high"] - result["difference"]).to_numpy() == pytest.approx(half, abs=1e-9)
    assert (result["difference"] - result["ci_low"]).to_numpy() == pytest.approx(half, abs=1e-9)


def test_the_interval_of_the_bootstrap_is_studentised():
    z = np.random.default_rng(2).exponential(1, 25)
    (samples,) = resamples(blocks_of(1, 100, 50), 25)
    # Queries in the order of their names.
    w = (z - z.mean())[np.argsort([f"q{i}" for i in range(25)])]
    ts = sorted((abs(t_of(w[queries].tolist())) for queries in samples), reverse=True)

    row = pair(z, "bootstrap", n_trials=100, ci=0.9)

    half = ts[9] * z.std(ddof=1) / 5
    assert row[["ci_low", "ci_high"]].tolist() == pytest.approx([z.mean() - half, z.mean() + half], abs=1e-9)


@pytest.mark.parametrize("test", ["wilcoxon", "permutation"])
def test_tests_without_an_interval_have_no_columns_of_it(test):
    result = compare(perquery(SYSTEMS), test, rng=1)

    assert not {"ci_low", "ci_high"} & {*result, *result.attrs["legend"]}


@settings(deadline=None, max_examples=10)
@given(
    arrays(np.int64, st.tuples(st.just(4), st.integers(2, 4), st.integers(2, 8)), elements=st.integers(0, 3)),
    st.sampled_from([*((test, "two-sided") for test in INTERVALS), ("t", "greater"), ("bootstrap", "greater")]),
    st.sampled_from(["all", "pairwise"]),
    st.sampled_from([0.05, 0.1, 0.25, 0.3, 0.5]),
    st.sampled_from([0.0, 1e-14]),
)
def test_0_is_outside_the_interval_exactly_if_the_difference_is_significant(values, how, groups, alpha, noise):
    # Few values and trials, so that ties at the border are frequent.
    noisy = values / 10 + noise * np.random.default_rng(0).uniform(-1, 1, values.shape)
    frame = of_measures(**{f"m{i}": table for i, table in enumerate(noisy)})

    result = compare(frame, how[0], groups=groups, alternative=how[1], alpha=alpha, n_trials=40, rng=1)

    outside = (result["ci_low"] > 0) | (result["ci_high"] < 0)
    assert (outside == result["significant"]).all()
    if how[1] == "two-sided":
        assert (result["ci_low"] <= result["difference"]).all()
        assert (result["difference"] <= result["ci_high"]).all()
    else:
        assert (result["ci_high"] == np.inf).all()
    assert result.attrs["ci"] == 1 - alpha


@pytest.mark.parametrize("test", INTERVALS)
def test_intervals_are_only_moved_by_rounding_errors(test):
    p = compare(perquery(MATRIX), test, rng=1, n_trials=500)["p"]
    other = compare(perquery(MATRIX), test, rng=1, n_trials=500, ci=0.5)

    assert ((other["ci_low"] + other["ci_high"]) / 2).tolist() == pytest.approx(other["difference"].tolist(), abs=1e-9)
    assert (((other["ci_low"] > 0) | (other["ci_high"] < 0)) == (p < 0.5)).all()


def test_a_correction_does_not_reach_the_interval_and_the_legend_says_so():
    plain, holm = (compare(perquery(MATRIX), "t", correction=method) for method in (None, "holm"))

    assert holm["ci_low"].tolist() == plain["ci_low"].tolist()
    assert "not corrected" in holm.attrs["legend"]["ci_low"]


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh"])
def test_a_correction_is_over_all_pairs_of_a_measure(correction):
    frame = pd.concat([perquery(MATRIX), perquery(MATRIX[::-1] ** 2, "AP")])

    result = compare(frame, "t", correction=correction, alpha=0.08, rng=1)

    for _, rows in result.groupby("measure"):
        assert len(rows) == 10
        assert rows["p_corrected"].to_numpy() == pytest.approx(multipletests(rows["p"], method=correction)[1])
    assert (result["significant"] == (result["p_corrected"] < 0.08)).all()
    assert (result["significant"] != (result["p"] < 0.08)).any()
    assert result.attrs["legend"]["p_corrected"] == "p, corrected for the number of pairs of the measure"


# One side
def test_the_one_sided_bootstrap_counts_larger_resamples_only():
    z = np.random.default_rng(2).normal(0.3, 1, 12)
    (samples,) = resamples(blocks_of(1, 300, 24), 12)
    by_name = z[np.argsort([f"q{i}" for i in range(12)])]
    w = by_name - z.mean()

    row = pair(z, "bootstrap", n_trials=300, alternative="greater")

    assert row["p"] == np.mean([t_of(w[queries].tolist()) >= t_of(z.tolist()) - 1e-12 for queries in samples])


# Means and queries


def test_wins_ties_and_losses_count_queries():
    values = {"x": [0.5, 0.7, 0.9, 0.8], "y": [0.1, 0.7 + 1e-14, 1.0, 0.3]}

    result = compare(perquery(values), "wilcoxon")

    assert result[["wins", "ties", "losses"]].to_numpy().tolist() == [[2, 1, 1]]


def test_means_have_the_interval_of_student():
    row = compare(perquery(SYSTEMS), "wilcoxon", alpha=0.1).iloc[1]

    for name, columns in (("x", ["mean_low", "mean_high"]), ("z", ["other_mean_low", "other_mean_high"])):
        expected = stats.ttest_1samp(SYSTEMS[name], 0).confidence_interval(0.9)
        assert row[columns].tolist() == pytest.approx(list(expected))


def test_an_interval_of_a_mean_ends_at_the_range_of_its_measure():
    values = {"x": [1.0, 1.0, 1.0, 0.6], "y": [0.0, 0.0, 0.1, 0.0]}
    of_recall = compare(perquery(values, "StRecall@5"), "t").iloc[0]
    of_utility = compare(perquery(values, "EU@5"), "t").iloc[0]
    of_nobody = compare(perquery(values, "mine"), "t").iloc[0]

    assert (of_recall["mean_high"], of_recall["other_mean_low"]) == (1.0, 0.0)
    assert of_recall["mean_low"] == of_utility["mean_low"]
    for row in (of_utility, of_nobody):
        assert row["mean_high"] > 1
        assert row["other_mean_low"] < 0


@pytest.mark.parametrize("test", ["tukey-randomised", "tukey", "t", "bootstrap"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_an_interval_of_a_difference_stays_within_what_the_range_allows(test, alternative):
    if alternative == "greater" and "tukey" in test:
        pytest.skip("Tukey's tests have no sides")
    values = {"a": [1.0, 1.0, 0.9, 0.0], "b": [0.0, 0.0, 0.0, 1.0], "c": [0.0, 0.0, 0.0, 1.0]}

    within = compare(perquery(values, "StRecall@5"), test, alternative=alternative, rng=1)
    free = compare(perquery(values, "mine"), test, alternative=alternative, rng=1)

    for end in ("ci_low", "ci_high"):
        assert within[end].tolist() == np.clip(free[end], -1, 1).tolist()
    assert free["ci_high"].max() > 1


def test_an_interval_that_ends_at_0_has_no_negative_zero():
    row = compare(perquery({"x": [0.0] * 5, "y": [1.0] * 5}, "mine"), "tukey-randomised", rng=1).iloc[0]

    assert (row["difference"], row["ci_low"], str(row["ci_high"])) == (-1, -2, "0.0")


def test_means_are_those_of_the_evaluation():
    rng = np.random.default_rng(1)
    values = perquery({"a": rng.random(30), "b": rng.random(30)}).sample(frac=1, random_state=1)

    (row,) = compare(values, "t").to_dict("records")

    means = aggregates(values).set_index("name")["RBU"]
    expected = means[row["name"]], means[row["other"]]
    assert (row["mean"], row["other_mean"]) == pytest.approx(expected, rel=1e-15, abs=0)
    assert row["difference"] == row["mean"] - row["other_mean"]


def test_means_that_differ_by_rounding_have_the_difference_0():
    row = compare(perquery({"x": [0.1, 0.2, 0.3], "y": [0.3, 0.2, 0.1]}), "t").iloc[0]

    assert row["mean"] > row["other_mean"]
    assert row["difference"] == 0


def test_equal_values_have_no_interval_of_their_mean():
    row = compare(perquery({"x": [1.0, 1.0, 1.0], "y": [0.1, 0.2, 0.4]}), "t").iloc[0]

    assert row["mean"] == 1
    assert np.isnan([row["mean_low"], row["mean_high"]]).all()
    assert not np.isnan([row["other_mean_low"], row["ci_low"], row["ci_high"]]).any()


# Pairs


@pytest.mark.parametrize(
    ("baseline", "pairs"), [("y", [("x", "y"), ("z", "y")]), (["y", "x"], [("x", "y"), ("z", "y"), ("z", "x")])]
)
def test_all_systems_are_compared_with_baselines_and_two_of_them_are_one_pair(baseline, pairs):
    result = compare(perquery(SYSTEMS), "t", baseline=baseline, rng=1)

    assert list(zip(result["name"], result["other"], strict=True)) == pairs
    assert result["difference"].tolist()[:2] == pytest.approx([0.4, 0.025])


@pytest.mark.parametrize("test", TESTS)
def test_a_baseline_leaves_out_pairs_and_changes_none(test):
    every = compare(perquery(MATRIX), test, rng=1, n_trials=500).query("name == 'S0'")

    result = compare(perquery(MATRIX), test, baseline="S0", rng=1, n_trials=500)

    assert result["p"].tolist() == pytest.approx(every["p"].tolist(), abs=1e-12)
    assert result["difference"].tolist() == pytest.approx((-every["difference"]).tolist())
    if test in INTERVALS:
        assert result["ci_low"].tolist() == pytest.approx((-every["ci_high"]).tolist())


def test_a_correction_is_over_the_pairs_with_baselines_only():
    result = compare(perquery(MATRIX), "t", baseline="S0", correction="bonferroni", rng=1)

    assert result["p_corrected"].tolist() == pytest.approx(np.minimum(4 * result["p"], 1).tolist())


# Laws


@pytest.mark.parametrize("groups", ["all", "pairwise"])
@pytest.mark.parametrize("test", TESTS)
def test_seeds_decide(monkeypatch, test, groups):
    monkeypatch.setattr(randomisation, "AT_ONCE", 10_000)
    options = {"groups": groups, "n_trials": 300}

    one = compare(perquery(MATRIX), test, rng=1, **options)

    pd.testing.assert_frame_equal(compare(perquery(MATRIX), test, rng=np.random.default_rng(1), **options), one)
    other = compare(perquery(MATRIX), test, rng=2, **options)
    assert (other["p"] == one["p"]).all() == (test not in DRAWING)
    if test in INTERVALS:
        assert (other["ci_low"] == one["ci_low"]).all() == (test not in DRAWING)


@pytest.mark.parametrize("test", DRAWING)
def test_other_measures_change_no_p_value(test):
    both = pd.concat([perquery(MATRIX[::-1] ** 2, "AP"), perquery(MATRIX)])

    alone = compare(perquery(MATRIX), test, rng=1, n_trials=100)

    pd.testing.assert_frame_equal(
        compare(both, test, [AP, "RBU"], rng=1, n_trials=100).tail(10).reset_index(drop=True), alone
    )
    pd.testing.assert_frame_equal(compare(both, test, ["RBU"], rng=1, n_trials=100), alone)


def test_alpha_and_trials_are_what_is_said():
    half = compare(perquery(SYSTEMS), "bootstrap", n_trials=7, alpha=0.999, rng=1)

    assert (half["p"] * 7).tolist() == pytest.approx((half["p"] * 7).round().tolist())
    assert half["significant"].tolist() == (half["p"] < 0.999).tolist()


def test_a_p_value_of_alpha_is_not_significant():
    # Of 2^5 permutations, one and its opposite are as extreme.
    assert pair([1, 2, 3, 4, 5], "permutation")["p"] == 1 / 16
    assert not pair([1, 2, 3, 4, 5], "permutation", alpha=1 / 16)["significant"]
    assert pair([1, 2, 3, 4, 5], "permutation", alpha=0.07)["significant"]


@pytest.mark.parametrize(
    ("test", "n_trials"), [("tukey-randomised", 5_000), ("bootstrap", 1_000), ("permutation", 9_999)]
)
def test_the_table_says_how_it_was_made(test, n_trials):
    options = {"groups": "pairwise"} if test == "tukey-randomised" else {}
    result = compare(perquery(SYSTEMS), test, rng=1, correction="bonferroni", alpha=0.01, **options)

    assert list(result.attrs["legend"]) == list(result.columns)
    assert result.attrs["n_trials"] == n_trials
    told = [result.attrs[key] for key in ("test", "alpha", "correction", "n_systems", "n_queries")]
    assert told == [test, 0.01, "bonferroni", 3, 4]
    assert result.attrs["ci"] == 0.99
    assert (result.attrs["seed"], result.attrs["version"]) == (1, __version__)
    uncorrected = compare(perquery(SYSTEMS), test, rng=np.random.default_rng(1), n_trials=20)
    assert ("seed" in uncorrected.attrs, "bounds" in result.attrs, "bounds" in uncorrected.attrs) == (
        False,
        True,
        False,
    )
    assert ("groups" in result.attrs) == (test == "tukey-randomised")


# Errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "z"}, "compare: test must be one of 'tukey-randomised', .*, not 'z'"),
        ({"groups": "each"}, "compare: groups must be one of 'all', 'pairwise', not 'each'"),
        ({"alpha": 1}, r"compare: alpha must be a number in \(0, 1\), not 1"),
        ({"ci": 95}, r"compare: ci must be a number in \(0, 1\), not 95"),
        ({"n_trials": 0}, "compare: n_trials must be an integer in .*, not 0"),
        ({"baseline": "w"}, "compare: unknown baseline 'w'; the systems are x, y, z"),
        ({"baseline": []}, r"compare: unknown baseline \[\]; the systems are x, y, z"),
        ({"correction": "none"}, "compare: correction must be a method of .*, not 'none'"),
        ({"correction": 3}, "compare: correction must be a method of .*, not 3"),
        ({"alternative": "less"}, "compare: alternative must be one of 'two-sided', 'greater', not 'less'"),
        ({"alternative": "greater"}, "compare: alternative must be 'two-sided' for test='tukey-randomised'"),
        ({"measures": ["AP"]}, "perquery has no measure AP"),
        ({"baseline": 0}, "baseline must be the name of a system or a list of names, not 0"),
        ({"perquery": perquery([[1, 2]])}, "compare: perquery must have at least two systems, not 1"),
        ({"perquery": perquery([[1], [2]])}, "compare: perquery must have at least two queries, not 1"),
        *(
            (
                {"test": test, "n_trials": 19},
                rf"^compare: n_trials must be at least 20 for test='{test}' and alpha = 0\.05, not 19\.",
            )
            for test in DRAWING
        ),
        *(
            ({"test": test, "n_trials": 99, "ci": 0.999}, r"at least 1000 for .* \(1 - ci\) = 0\.001, not 99")
            for test in DRAWING[:2]
        ),
    ],
)
def test_parameters_out_of_range_are_refused(options, message):
    with pytest.raises(TypeError if options.get("baseline") == 0 else ValueError, match=message):
        compare(**{"perquery": perquery(SYSTEMS), **options})


@pytest.mark.parametrize("test", ["tukey-randomised", "tukey"])
def test_a_correction_on_top_of_an_hsd_test_is_refused(test):
    message = f"compare: correction='holm' cannot be used with test='{test}', .*'bootstrap', 't', 'wilcoxon', 'perm"
    with pytest.raises(ValueError, match=message):
        compare(perquery(SYSTEMS), test, correction="holm")
    assert "p_corrected" in compare(perquery(SYSTEMS), test, groups="pairwise", correction="holm", n_trials=20)


# Real data


@pytest.mark.parametrize(
    ("test", "n_systems", "n", "options", "least"),
    [
        ("permutation", 2, 4, {}, 2 / 2**4),
        ("permutation", 2, 4, {"alternative": "greater"}, 1 / 2**4),
        ("permutation", 2, 20, {"n_trials": 99}, 1 / 100),
        ("wilcoxon", 2, 5, {}, 2 / 2**5),
        ("tukey-randomised", 2, 4, {}, 2 / 2**4),
        ("tukey-randomised", 3, 2, {}, 1 / 6),
        ("tukey-randomised", 3, 2, {"groups": "pairwise"}, 1 / 2),
        ("t", 3, 2, {}, 0),
    ],
)
def test_the_smallest_p_is_that_of_the_clearest_difference(test, n_systems, n, options, least):
    # The first system is the best on each query, the last one the worst, by differences of all sizes.
    clearest = {f"S{i}": [10.0 ** (3 - q) * (n_systems - i) + q for q in range(n)] for i in range(n_systems)}

    result = compare(perquery(clearest), test, rng=1, **options)

    assert result.attrs["smallest_p"] == pytest.approx(least)
    drawn = test == "tukey-randomised"
    row = result[(result["name"] == "S0") & (result["other"] == f"S{n_systems - 1}")].iloc[0]
    assert row["p"] == pytest.approx(least, abs=0.03 if drawn else 1e-3 if test == "t" else 1e-12) or test == "t"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "permutation"}, r"with 4 queries .* is 0\.125\. meta"),
        (
            {"test": "permutation", "alpha": 0.2, "correction": "holm"},
            r"is 0\.125 \(0\.375 when it is corrected for 3 p",
        ),
        ({"test": "permutation", "alpha": 0.2, "correction": "fdr_bh"}, None),
        ({"test": "permutation", "alpha": 0.2}, None),
        ({"test": "tukey-randomised"}, None),
        ({"test": "t"}, None),
    ],
)
def test_a_test_that_no_values_could_make_significant_is_told(options, message):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare(perquery(SYSTEMS), rng=1, **options)

    assert len(caught) == (message is not None)
    assert all(re.search(message, str(warning.message)) for warning in caught)


@pytest.mark.parametrize("test", ["permutation", "wilcoxon", "tukey-randomised"])
def test_more_queries_than_a_power_of_two_can_tell_are_tested(test):
    values = np.random.default_rng(3).random((2, 1100))

    result = compare(perquery(values), test, n_trials=99, rng=1)

    assert result["p"].between(0, 1).all()
    assert result.attrs["smallest_p"] == (0.01 if test == "permutation" else 0)
