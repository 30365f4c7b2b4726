"""Every picture of ten systems with names of 50 characters, 50 topics, 45 pairs, and texts of 120 characters."""

import matplotlib.pyplot as plt
import pytest

from large_pictures import SYSTEMS, TEXT, drawn, faults, pictures
from pyterrier_diversity import plots

# Their scores are numbers of rows.
pytestmark = pytest.mark.filterwarnings("ignore:.*Scores rise down the rows")


def test_every_picture_is_drawn_large():
    assert {*plots.__all__} <= {*pictures()}
    assert min(map(len, SYSTEMS)) >= 49
    assert len(TEXT.format("place 1")) >= 115


@pytest.mark.parametrize("name", pictures())
def test_nothing_is_cut_or_printed_over_and_no_side_is_longer_than_20_inches(name):
    ax = drawn(name)

    assert faults(ax.figure) == []


@pytest.mark.parametrize("name", ["differences", "means", "missed_intents", "explain"])
def test_rows_can_be_told_apart(name):
    ax = drawn(name)

    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert len(set(labels)) == len(labels)


def test_faults_are_found():
    _, ax = plt.subplots()
    for _ in range(2):
        ax.text(0.5, 0.5, "the same")
    ax.text(2, 0.5, "far away")

    assert faults(ax.figure) == ["outside: 'far away'", "over each other: 'the same' and 'the same'"]
