import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from by_hand import perquery
from pyterrier_diversity.meta import topics_needed


def frame(**values):
    return perquery(values, "AP")


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
        ({"n": 1}, r"n must be an integer in \[2, 1000000\], not 1"),
        ({"n": 10**7}, r"n must be an integer in \[2, 1000000\], not 10000000"),
        ({"delta": 0.1, "power": 1}, r"power must be a number in \(0, 1\), not 1"),
        ({"delta": 0.1, "alpha": 0}, r"alpha must be a number in \(0, 1\), not 0"),
        ({"delta": 1e-9}, "delta=1e-09 is too small for AP: even 1,000,000 topics would not detect it"),
        ({"delta": 0.1, "perquery": frame(x=[0.1, 0.2])}, "at least two systems, not 1"),
        ({"delta": 0.1, "perquery": frame(x=[0.1], y=[0.2])}, "at least two queries, not 1"),
        (
            {"delta": 0.1, "perquery": frame(x=[0.1, 0.2], y=[0.2, 0.3])},
            "all topics have the same difference in AP",
        ),
    ],
)
def test_values_out_of_range_and_pilots_without_variance_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        topics_needed(**{"perquery": PILOT, **options})
