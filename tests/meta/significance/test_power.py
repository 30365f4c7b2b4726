import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.power import TTestPower

from pyterrier_diversity.meta import compare, topics_needed


def frame(**values):
    """A per-query frame of one measure: a list of values for each system."""
    rows = [(name, f"q{i}", "AP", value) for name, row in values.items() for i, value in enumerate(row)]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def drawn(n_systems, n_queries, sd, seed=0):
    """Systems of one mean whose values differ by the topic and, with this standard deviation, by chance."""
    rng = np.random.default_rng(seed)
    topics = rng.normal(0.5, 0.2, n_queries)
    return frame(**{f"s{i}": topics + rng.normal(0, sd, n_queries) for i in range(n_systems)})


PILOT = frame(x=[0.5, 0.7, 0.9, 0.8, 0.2], y=[0.1, 0.4, 0.5, 0.9, 0.3])  # differences .4, .3, .4, -.1, -.1
SD = np.std([0.4, 0.3, 0.4, -0.1, -0.1], ddof=1)


@pytest.mark.parametrize(("delta", "power", "alpha"), [(0.1, 0.8, 0.05), (0.02, 0.9, 0.01), (0.4, 0.5, 0.05)])
def test_topics_for_t_are_those_of_statsmodels_rounded_up(delta, power, alpha):
    (row,) = topics_needed(PILOT, delta, power=power, alpha=alpha).to_dict("records")

    needed = TTestPower().solve_power(effect_size=delta / SD, power=power, alpha=alpha)
    assert row["topics"] == np.ceil(needed)
    assert row["sd"] == pytest.approx(SD)
    assert row["power"] == pytest.approx(TTestPower().power(delta / SD, np.ceil(needed), alpha))


def test_a_table_of_cohen_is_met():
    # Cohen (1988), Table 2.4.1: two-sided .05, power .80, d = 0.5: 64 in each of two independent groups. For paired
    # differences with d_z = 0.5, G*Power 3.1 gives 34 pairs; with 0.2, 199; with 0.8, 15.
    pilot = frame(x=[1.0, 0.0, 1.0, 0.0], y=[0.0, 0.0, 0.0, 0.0])
    sd = np.std([1, 0, 1, 0], ddof=1)

    assert topics_needed(pilot, [0.2 * sd, 0.5 * sd, 0.8 * sd])["topics"].tolist() == [199, 34, 15]


def test_the_difference_for_a_number_of_topics_is_the_inverse():
    found = topics_needed(PILOT, n=[25, 50, 100])

    expected = [TTestPower().solve_power(nobs=n, power=0.8, alpha=0.05) * SD for n in (25, 50, 100)]
    # The solver of statsmodels stops where the power is .799997.
    assert found["delta"].tolist() == pytest.approx(expected, rel=1e-5)
    assert found["power"].tolist() == pytest.approx([0.8] * 3, abs=1e-8)
    assert found["topics"].tolist() == [25, 50, 100]
    assert topics_needed(PILOT, found["delta"])["topics"].tolist() == [25, 50, 100]


def test_the_variance_is_the_mean_over_the_pairs_of_systems():
    pilot = frame(x=[0.5, 0.1, 0.3], y=[0.2, 0.2, 0.6], z=[0.9, 0.1, 0.2])
    table = pilot.pivot_table(index="name", columns="qid", values="value").to_numpy()
    variances = [np.var(table[i] - table[j], ddof=1) for i, j in ((0, 1), (0, 2), (1, 2))]
    residuals = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()

    sd = topics_needed(pilot, 0.1)["sd"].item()

    assert sd**2 == pytest.approx(np.mean(variances))
    assert sd**2 == pytest.approx(2 * (residuals**2).sum() / 4)


def test_randomised_hsd_of_two_systems_takes_as_many_topics_as_t():
    pilot = drawn(2, 60, 0.15)

    t = topics_needed(pilot, [0.1, 0.2])["topics"]
    simulated = topics_needed(pilot, [0.1, 0.2], test="tukey-randomised", rng=1)["topics"]

    assert simulated.tolist() == pytest.approx(t.tolist(), rel=0.12, abs=2)


def test_randomised_hsd_of_more_systems_takes_more_topics():
    pilot = drawn(5, 40, 0.15)

    two = topics_needed(pilot, 0.12, test="t")["topics"].item()
    five = topics_needed(pilot, 0.12, test="tukey-randomised", n_trials=400, rng=1)["topics"].item()

    assert 1.2 * two < five < 2.5 * two


def test_the_power_of_randomised_hsd_is_how_often_compare_finds_the_difference():
    pilot, delta = drawn(3, 30, 0.15), 0.12
    (row,) = topics_needed(pilot, delta, test="tukey-randomised", n_trials=300, rng=1).to_dict("records")
    table = pilot.pivot_table(index="name", columns="qid", values="value").to_numpy()
    rng = np.random.default_rng(5)

    found = 0
    for trial in range(150):
        centred = (table - table.mean(axis=1, keepdims=True)) * np.sqrt(30 / 29)
        sample = centred[:, rng.integers(30, size=row["topics"])]
        sample[0] += delta / 2
        sample[1] -= delta / 2
        perquery = frame(a=sample[0], b=sample[1], c=sample[2])
        tested = compare(perquery, n_trials=300, rng=trial).set_index(["system", "other"])
        found += tested.loc[("a", "b"), "significant"]

    assert found / 150 == pytest.approx(row["power"], abs=0.1)


def test_a_seed_gives_the_same_number_in_any_order_of_rows():
    pilot = drawn(3, 20, 0.2)
    options = {"test": "tukey-randomised", "n_trials": 100, "rng": 7}

    one, other = (topics_needed(each, [0.2], **options) for each in (pilot, pilot.sample(frac=1, random_state=1)))

    pd.testing.assert_frame_equal(one, other)
    assert one.attrs["seed"] == 7
    assert one.attrs["legend"].keys() == set(one)


def test_differences_smaller_by_far_take_more_topics_than_are_looked_for():
    with pytest.raises(
        ValueError, match=r"delta=1e-09 is too small for AP: even 1,000,000 topics would not detect it with test='t'"
    ):
        topics_needed(PILOT, 1e-9)


def test_topics_too_few_for_a_p_value_below_alpha_find_nothing():
    # Three topics and two systems have eight shuffles: p is 1/4 or more.
    with pytest.raises(ValueError, match="n=3 is too small for AP: so few topics detect no difference"):
        topics_needed(PILOT, n=3, test="tukey-randomised", n_trials=200, rng=1)


@pytest.mark.parametrize("delta", [1e3, 1e50])
def test_a_huge_difference_takes_two_topics(delta):
    (row,) = topics_needed(PILOT, delta).to_dict("records")

    assert row["topics"] == 2
    assert 0.99 < row["power"] <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give exactly one of delta and n, not neither"),
        ({"delta": 0.1, "n": 5}, "give exactly one of delta and n, not both"),
        ({"delta": 0}, r"delta must be a number in \(0, 1e100\], not 0"),
        ({"delta": []}, "delta must not be empty"),
        ({"n": 1}, r"n must be an integer in \[2, inf\), not 1"),
        ({"n": 10**7}, "n must be at most 1,000,000 with test='t', not 10000000"),
        ({"delta": 0.1, "power": 1}, r"power must be a number in \(0, 1\), not 1"),
        ({"delta": 0.1, "alpha": 0}, r"alpha must be a number in \(0, 1\), not 0"),
        ({"delta": 0.1, "test": "wilcoxon"}, "test must be one of 't', 'tukey-randomised', not 'wilcoxon'"),
        ({"delta": 0.1, "n_trials": 0}, r"n_trials must be an integer in \[1, inf\), not 0"),
    ],
)
def test_values_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        topics_needed(PILOT, **options)


@pytest.mark.parametrize(
    ("pilot", "message"),
    [
        (frame(x=[0.1, 0.2]), "at least two systems, not 1"),
        (frame(x=[0.1], y=[0.2]), "at least two queries, not 1"),
        (frame(x=[0.1, 0.2], y=[0.2, 0.3]), "difference of AP between two systems must vary over the topics"),
    ],
)
def test_pilots_without_variance_are_refused(pilot, message):
    with pytest.raises(ValueError, match=message):
        topics_needed(pilot, 0.1)
