import inspect
import re
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from frames_to_draw import COLUMNS, PICTURES, names, texts
from pyterrier_diversity import RBU, P_Rareness, StRecall, evaluate_runs, meta, missed_intents, plots
from pyterrier_diversity.transformers import Explain

# What returns the frame of a picture that has another name.
SOURCES = {
    "by_topic_set_size": "meta.topic_sampling",
    "confusion": "meta.agreement(..., table=True)",
    "differences": "meta.compare",
    "explain": "transformers.Explain",
    "means": "meta.compare",
    "missed_intents": "missed_intents",
    "per_query_deltas": "pt.Experiment(..., perquery=True)",
    "tau_matrix": "meta.rank_correlation(..., matrix=True)",
}
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


def source_of(name):
    """What returns the frame of a picture."""
    return SOURCES.get(name, f"meta.{name}")


@pytest.fixture(scope="module")
def frames_of_meta():
    """What each function of `meta` that returns a frame returns, small."""
    demo = pt.get_dataset("diversity:demo")
    runs = {name: demo.get_results(name) for name in ("bm25", "more-like-this", "xquad")}
    qrels = demo.get_qrels()
    measures = ["RBU@5", "StRecall@5"]
    perquery = evaluate_runs(qrels, runs, measures, perquery=True)
    compared = meta.compare(perquery, n_trials=50, rng=1)
    rare = {"measures": P_Rareness @ 5, "cutoff": 10}
    return {
        "meta.agreement": meta.agreement(qrels, qrels),
        "meta.agreement(..., table=True)": meta.agreement(qrels, qrels, table=True),
        "meta.asl_curve": meta.asl_curve(compared),
        "meta.assessor_agreement": meta.assessor_agreement(runs, qrels, qrels, measures, n_trials=10, rng=1),
        "meta.axiom_table": meta.axiom_table([StRecall], ["Sat"]),
        "meta.below_minimum": meta.below_minimum(perquery, {"RBU@5": 2.0}),
        "meta.compare": compared,
        "meta.concordance": meta.concordance(perquery, "StRecall@5", measures),
        "meta.delta_required": meta.delta_required(compared),
        "meta.discriminative_power": meta.discriminative_power(compared),
        "meta.expected_over_cutoffs": meta.expected_over_cutoffs(perquery, {5: 1.0}),
        "meta.insert_synthetic_system": meta.insert_synthetic_system(runs, qrels, n_relevant=[1, 2], **rare),
        "meta.number_of_systems": meta.number_of_systems(runs, qrels, sizes=[2], n_trials=2, rng=1, **rare),
        "meta.overlap": meta.overlap(compared),
        "meta.pool_depth": meta.pool_depth(runs, qrels, measures, [2, 5]),
        "meta.rank_correlation": meta.rank_correlation(perquery),
        "meta.rank_correlation(..., matrix=True)": meta.rank_correlation(perquery, matrix=True),
        "meta.reproduction": meta.reproduction("A (2000)", "Table 1", {"x": 0.5}, {"x": 0.5}),
        "meta.risk": meta.risk(perquery, "bm25"),
        "meta.stability": meta.stability(perquery, n_trials=5, rng=1),
        "meta.topic_sampling": meta.topic_sampling(perquery, sizes=[5], n_trials=2, rng=1),
        "meta.topics_needed": meta.topics_needed(perquery, n=[25, 50]),
        "meta.unanimity": meta.unanimity(perquery),
        "meta.worse_than": meta.worse_than(perquery, "xquad", test="t"),
        "missed_intents": missed_intents(qrels, runs, 2),
        "pt.Experiment(..., perquery=True)": perquery,
        "transformers.Explain": Explain(qrels, RBU @ 5)(runs["bm25"]),
    }


# Of a whole family, or with the columns of another one.
ALSO = {
    "means": {"meta.worse_than"},
    "differences": {"meta.worse_than"},
    "per_query_deltas": {"meta.expected_over_cutoffs"},
}
DRAWN = {name: draw for name, (draw, _) in PICTURES.items() if name not in {"coverage", "intent_coverage"}}


@pytest.mark.parametrize("name", DRAWN)
def test_the_frame_of_another_function_is_refused_with_the_name_of_the_right_one(name, frames_of_meta):
    source = source_of(name)
    others = {key: frame for key, frame in frames_of_meta.items() if key not in {source, *ALSO.get(name, ())}}
    assert len(others) == len(frames_of_meta) - 1 - len(ALSO.get(name, ()))
    arguments = PICTURES[name][1][1:]

    for other in others.values():
        with pytest.raises(ValueError, match=rf"^{name}: .*\. (\w+\.)?{re.escape(source)}.* returns such a frame\.$"):
            DRAWN[name](other, *arguments)


@pytest.mark.parametrize(
    "name", [name for name in DRAWN if name not in {"explain", "missed_intents", "per_query_deltas"}]
)
def test_the_frame_of_its_own_function_is_drawn(name, frames_of_meta):
    draw = DRAWN[name]
    options = {"measure": "RBU@5"} if name in {"means", "differences"} else {}

    draw(frames_of_meta[source_of(name)], **options).figure.canvas.draw()


@pytest.mark.parametrize(("name", "columns"), COLUMNS.items(), ids=COLUMNS)
def test_a_frame_without_the_columns_is_refused_with_those_that_are_missing(name, columns):
    message = f"^{name}: missing column {columns}; found: nothing. {source_of(name)} returns such a frame.$"

    with pytest.raises(ValueError, match=message):
        PICTURES[name][0](pd.DataFrame({"nothing": [1]}))


@pytest.mark.parametrize("name", COLUMNS)
def test_frames_without_rows_are_refused(name):
    draw, (frame,) = PICTURES[name]

    with pytest.raises(ValueError, match=f"^{name}: the frame has no rows. meta."):
        draw(frame.iloc[:0])


@pytest.mark.parametrize("name", DRAWN)
def test_the_docstring_says_which_function_feeds_a_picture(name):
    assert re.search(rf"`(\w+\.)?{re.escape(source_of(name))}`", inspect.getdoc(DRAWN[name]))


def test_each_function_of_meta_has_a_picture_or_a_reason_why_not():
    for name in {*meta.__all__} - {"axioms"}:  # a module
        assert re.search(rf"meta\.{name}\b|`{name}`", inspect.getdoc(plots)), name


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
    ax = plots.by_topic_set_size(curves(a=[0.2, 0.5], b=[0.6, 0.5001], c=[0.4, 0.4999]))
    ax.figure.canvas.draw()

    boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
    assert len(boxes) == 3
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))


@pytest.mark.parametrize("apart", [0, 0.004])
def test_lines_that_nobody_can_tell_apart_are_named_together(apart):
    ax = plots.by_topic_set_size(curves(a=[0.2, 0.5], b=[0.6, 0.9], c=[0.2 + apart, 0.5]))

    assert names(ax) == ["a, c (one line)", "b"]


def test_dollars_in_names_and_texts_are_no_formulas():
    line = plots.by_topic_set_size(curves(**{r"$\a$": [0.2, 0.5], "b": [0.6, 0.9]}))
    cells = plots.tau_matrix(pd.DataFrame(1.0, index=["$x_$y$"], columns=["$x_$y$"]))
    grid = plots.explain(PICTURES["explain"][1][0].assign(query="from $5 to $10 _{a$"))

    for ax in (line, cells, grid):
        ax.figure.canvas.draw()  # a formula that cannot be read would raise
    assert grid.get_title() == r"query 1: from \$5 to \$10 _{a\$"


def test_lines_that_differ_at_one_point_have_their_own_names():
    ax = plots.by_topic_set_size(curves(a=[0.2, 0.5, 0.5], b=[0.2, 0.54, 0.5]))

    assert names(ax) == ["a", "b"]


def test_many_long_names_leave_the_lines_their_width():
    frame = curves(**{f"a system with a name that is longer than most, number {i}": [i / 10, 0.5] for i in range(9)})

    ax = plots.by_topic_set_size(frame)

    ax.figure.canvas.draw()
    legend, panel = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert panel.width > 0.8 * ax.figure.bbox.width
    assert legend.y1 < panel.y0
