import inspect
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from frames_to_draw import COLUMNS, PICTURES, names, texts
from pyterrier_diversity import plots

picture = pytest.mark.parametrize(("draw", "data"), PICTURES.values(), ids=PICTURES)


def curves(**values):
    """A frame of lines by topic set size."""
    rows = [(name, size, tau) for name, taus in values.items() for size, tau in enumerate(taus, 1)]
    return pd.DataFrame(rows, columns=["measure", "size", "tau"])


def test_every_public_picture_is_drawn_here():
    assert {*PICTURES} == {*plots.__all__}


@picture
def test_pictures_are_drawn_into_the_axes_given(draw, data):
    figure, ax = plt.subplots()
    same = draw(*data, ax=ax)

    assert same is ax
    assert ax.has_data()
    assert plt.get_fignums() == [figure.number]


@picture
def test_pictures_have_new_axes_if_none_are_given_and_can_be_shown(draw, data):
    first, second = draw(*data), draw(*data)

    assert first.figure is not second.figure
    first.figure.canvas.draw()


@picture
def test_pictures_leave_the_frames_as_they_are(draw, data):
    before = [frame.copy() for frame in data if isinstance(frame, pd.DataFrame)]

    draw(*data)

    for frame, copy in zip(data, before, strict=False):
        pd.testing.assert_frame_equal(frame, copy)


@picture
def test_every_text_of_a_picture_is_inside_of_it(draw, data):
    figure = draw(*data).figure
    figure.canvas.draw()

    used, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert min(used.x0, used.y0, width - used.x1, height - used.y1) > -0.02


@picture
def test_numbers_of_an_axis_are_not_printed_over_each_other(draw, data):
    ax = draw(*data)
    ax.figure.canvas.draw()

    boxes = [
        label.get_window_extent() for label in ax.get_xticklabels() if label.get_text() and not label.get_rotation()
    ]
    assert all(not a.overlaps(b) for a, b in pairwise(boxes))


@pytest.mark.parametrize(("name", "columns"), COLUMNS.items(), ids=COLUMNS)
def test_the_wrong_frame_is_refused_with_the_function_that_returns_the_right_one(name, columns):
    source = next(iter(name.split(":"))).replace("by_topic_set_size", "topic_sampling")
    message = f"^{name}: missing column {columns}; found: nothing. meta.{source} returns such a frame.$"

    with pytest.raises(ValueError, match=message):
        PICTURES[name][0](pd.DataFrame({"nothing": [1]}))


@pytest.mark.parametrize("name", COLUMNS)
def test_frames_without_rows_are_refused(name):
    draw, (frame,) = PICTURES[name]

    with pytest.raises(ValueError, match=f"^{name}: the frame has no rows. meta."):
        draw(frame.iloc[:0])


@pytest.mark.parametrize("name", COLUMNS)
def test_the_docstring_says_which_function_feeds_a_picture(name):
    source = name.replace("by_topic_set_size", "topic_sampling")

    assert f"`meta.{source}`" in inspect.getdoc(PICTURES[name][0])


def test_ten_lines_have_ten_markers_and_more_differ_in_marker_colour_or_dashes():
    ax = plots.by_topic_set_size(curves(**{f"m{i}": [i / 100, i / 50] for i in range(60)}))

    looks = [(line.get_marker(), line.get_color(), line.get_linestyle()) for line in ax.get_lines()]
    assert len({marker for marker, _, _ in looks[:10]}) == 10
    assert len(set(looks)) == 60


def test_lines_are_named_at_their_ends_where_there_is_room():
    ax = plots.by_topic_set_size(curves(low=[0.2, 0.3], high=[0.6, 0.9]))

    assert ax.get_legend() is None
    low, high, *markers = ax.get_lines()
    assert [(text.get_text(), text.get_color()) for text in ax.texts] == [
        ("low", low.get_color()),
        ("high", high.get_color()),
    ]
    assert [marker.get_marker() for marker in markers] == [low.get_marker(), high.get_marker()]


@pytest.mark.parametrize(
    "frame",
    [
        curves(**{f"m{i}": [i / 10, 0.5] for i in range(9)}),
        curves(**{"a measure with a very long name": [0.2, 0.3], "b": [0.1, 0.6]}),
        curves(long=[0.2, 0.3, 0.3, 0.3], short=[0.1, 0.6]),
        curves(some=[0.2, 0.3], none=[0.1, np.nan]),
    ],
    ids=["many at one place", "long names", "lines that end early", "no value at the end"],
)
def test_lines_are_named_in_a_legend_where_there_is_no_room(frame):
    ax = plots.by_topic_set_size(frame)

    assert texts(ax.get_legend().get_texts()) == list(frame["measure"].unique())
    assert not ax.texts


def test_axes_whose_figure_makes_no_room_have_a_legend():
    _, ax = plt.subplots()

    plots.by_topic_set_size(curves(low=[0.2, 0.3], high=[0.6, 0.9]), ax=ax)

    assert ax.get_legend() is not None


def test_names_at_the_ends_are_above_each_other():
    ax = plots.by_topic_set_size(curves(a=[0.2, 0.5], b=[0.6, 0.5001], c=[0.6, 0.4999]))
    ax.figure.canvas.draw()

    boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
    assert len(boxes) == 3
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))


def test_lines_that_lie_on_each_other_are_named_together():
    ax = plots.by_topic_set_size(curves(a=[0.2, 0.5], b=[0.6, 0.9], c=[0.2, 0.5]))

    assert names(ax) == ["a, c (one line)", "b"]
