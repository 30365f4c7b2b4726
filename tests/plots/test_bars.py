import pytest

from frames_to_draw import ASSESSORS, DELTAS, POWER, STABILITY, UNANIMITY, texts, ticks
from pyterrier_diversity import plots


def test_unanimity_has_a_bar_for_each_measure_the_first_on_top():
    ax = plots.unanimity(UNANIMITY)

    assert [bar.get_width() for bar in ax.patches] == [0.97, 0.5, 0]
    assert texts(ax.get_yticklabels()) == ["RBU", "AP", "P"]
    assert texts(ax.texts) == ["0.97", "0.50", "-inf"]
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "unanimity"


def test_discriminative_power_has_a_bar_for_the_share_of_pairs_with_their_numbers():
    ax = plots.discriminative_power(POWER.drop(columns="share"))

    assert [bar.get_width() for bar in ax.patches] == [0.7, 0.4]
    assert texts(ax.get_yticklabels()) == ["RBU", "AP"]
    assert texts(ax.texts) == ["7/10", "4/10"]


def test_discriminative_power_may_be_of_shares_alone():
    ax = plots.discriminative_power(POWER[["measure", "share"]])

    assert [bar.get_width() for bar in ax.patches] == [0.7, 0.4]
    assert texts(ax.texts) == ["70.0%", "40.0%"]


def test_an_axis_of_shares_goes_from_0_to_1_even_if_all_are_0():
    ax = plots.discriminative_power(POWER.assign(significant=0))

    assert ax.get_xlim() == (0, pytest.approx(1.15))
    assert ticks(ax.xaxis) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]


def test_a_title_names_the_test_and_its_level():
    frame = POWER.copy()
    frame.attrs = {"test": "tukey", "alpha": 0.05, "n_systems": 5}

    assert plots.discriminative_power(frame).get_title() == "tukey, alpha 0.05, 5 systems"


def test_the_parts_of_stability_sum_to_1():
    ax = plots.stability(STABILITY)

    widths = [[bar.get_width() for bar in bars] for bars in ax.containers]
    assert widths == [pytest.approx(parts) for parts in ([0.9, 0.6], [0.05, 0.3], [0.05, 0.1])]
    assert texts(ax.get_legend().get_texts()) == ["the more frequent order", "tied", "the other order"]
    assert texts(ax.texts) == ["0.90", "0.60"]


def test_a_difference_that_no_pair_reaches_has_no_bar():
    ax = plots.delta_required(DELTAS)

    assert [bar.get_width() for bar in ax.patches] == [0.12, 0]
    assert texts(ax.texts) == ["0.120", "no pair is significant"]


def test_agreement_of_assessors_is_a_point_with_its_interval():
    ax = plots.assessor_agreement(ASSESSORS)

    assert ax.get_lines()[0].get_xydata()[0].tolist() == [0.8, 0]
    assert ax.collections[0].get_segments()[0].tolist() == [[0.5, 0], [0.9, 0]]
    assert texts(ax.texts) == ["0.80"]
    assert texts(ax.get_yticklabels()) == ["RBU", "AP"]
