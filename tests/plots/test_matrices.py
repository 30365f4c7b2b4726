import numpy as np
import pandas as pd
import pytest

from frames_to_draw import CONCORDANCE, CONFUSION, TAUS, texts
from pyterrier_diversity import plots

pytestmark = pytest.mark.usefixtures("no_layout")


def test_a_tau_matrix_has_a_cell_for_each_two_measures():
    ax = plots.tau_matrix(TAUS)

    shown = ax.get_images()[0].get_array()
    assert shown.filled(9).tolist() == [[1, -0.25], [-0.25, 9]]
    assert {(text.get_position(), text.get_text()) for text in ax.texts} == {
        ((0, 0), "1.00"),
        ((1, 0), "-0.25"),
        ((0, 1), "-0.25"),
    }
    assert texts(ax.get_xticklabels()) == texts(ax.get_yticklabels()) == ["RBU", "AP"]


@pytest.mark.parametrize(("tau", "limits"), [(0.87, (0.8, 1)), (0.05, (0, 1)), (1.0, (0.9, 1)), (-0.2, (-1, 1))])
def test_colours_of_a_tau_matrix_begin_at_the_lowest_tenth_unless_a_value_is_negative(tau, limits):
    ax = plots.tau_matrix(pd.DataFrame([[1, tau], [tau, 1]], index=["RBU", "AP"], columns=["RBU", "AP"]))

    assert ax.get_images()[0].get_clim() == pytest.approx(limits)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (TAUS.iloc[:1], "the same measures as rows and columns, not RBU and RBU, AP"),
        (TAUS[["AP", "RBU"]], "not RBU, AP and AP, RBU"),
        (pd.DataFrame(), "not none and none"),
    ],
)
def test_a_tau_matrix_that_is_not_square_is_refused(frame, message):
    with pytest.raises(ValueError, match=message):
        plots.tau_matrix(frame)


def test_confusion_has_counts_shaded_by_the_share_of_the_first_judges_label():
    ax = plots.confusion(CONFUSION)

    assert texts(ax.texts) == ["6", "2", "0", "0", "0", "0", "1", "3", "0"]
    assert np.asarray(ax.images[0].get_array()).tolist() == [[0.75, 0.25, 0], [0, 0, 0], [0.25, 0.75, 0]]
    assert texts(ax.get_yticklabels()) == texts(ax.get_xticklabels()) == ["0", "1", "3"]
    with pytest.raises(ValueError, match="confusion: the frame has no rows"):
        plots.confusion(CONFUSION.iloc[:0])


def test_a_tau_matrix_names_the_coefficient():
    frame = TAUS.copy()
    frame.attrs = {"method": "tau_ap_symmetric", "top": 3}

    ax = plots.tau_matrix(frame)

    assert ax.get_title().replace("\n", " ") == "symmetric τ AP of the orders of the systems, the best 3 systems"
    assert "symmetric τ AP" in [other.get_ylabel() for other in ax.figure.axes]


def test_concordance_has_a_cell_for_each_measure_against_each_with_a_star_where_it_is_significant():
    ax = plots.concordance(CONCORDANCE)

    cells = {(row, column): text for text in ax.texts for column, row in [text.get_position()]}
    assert {at: text.get_text() for at, text in cells.items()} == {
        (0, 1): "0.70*",
        (1, 0): "0.20*",
        (0, 2): "0.50",
        (2, 0): "0.40",
    }
    assert texts(ax.get_yticklabels()) == ["RBU", "AP", "P"]
    assert "0.70" in texts(plots.concordance(CONCORDANCE, alpha=0.001).texts)
