import inspect
import re
from typing import NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
import pyterrier as pt
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text

from frames_to_draw import PICTURES, names
from large_pictures import faults
from pyterrier_diversity import RBU, evaluate_runs, meta, missed_intents, plots
from pyterrier_diversity.plots.drawing import COLOURS
from pyterrier_diversity.transformers import Explain

# What returns the frame of a picture that has another name.
SOURCES = {
    "differences": "meta.compare",
    "explain": "transformers.Explain",
    "means": "meta.compare",
    "missed_intents": "missed_intents",
    "per_query_deltas": "pt.Experiment(..., perquery=True)",
    "scatter": "pt.Experiment(..., perquery=True)",
}
picture = pytest.mark.parametrize(("draw", "data"), PICTURES.values(), ids=PICTURES)


def curves(**values):
    """A table of systems with values at each place of a parameter."""
    rows = [(name, e, value) for name, of in values.items() for e, value in enumerate(of, 1)]
    return pd.DataFrame(rows, columns=["name", "e", "RBU"])


def test_every_public_picture_is_drawn_here():
    assert {*PICTURES} == {*plots.__all__}


@picture
def test_pictures_are_drawn_into_the_axes_given(draw, data):
    figure, ax = plt.subplots()
    same = draw(*data, ax=ax)

    assert same is ax
    assert ax.has_data()
    assert plt.get_fignums() == [figure.number]


class Shown(NamedTuple):
    """The axes of a picture that was shown, the frames given, and copies of them from before."""

    ax: Axes
    frames: list[pd.DataFrame]
    before: list[pd.DataFrame]


@pytest.fixture(scope="module", params=PICTURES)
def shown(request):
    """A picture in a figure of its own, shown once for all tests that look at it."""
    draw, data = PICTURES[request.param]
    frames = [frame for frame in data if isinstance(frame, pd.DataFrame)]
    before = [frame.copy() for frame in frames]
    before_it = plt.figure()
    ax = draw(*data)
    assert ax.figure is not before_it
    ax.figure.draw_without_rendering()
    return Shown(ax, frames, before)


def test_pictures_leave_the_frames_as_they_are(shown):
    for frame, copy in zip(shown.frames, shown.before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)


def test_no_text_of_a_picture_is_cut_or_printed_over(shown):
    assert faults(shown.ax.figure) == []


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
    return {
        "evaluate_runs(..., perquery=True)": perquery,
        "meta.asl_curve": meta.asl_curve(compared),
        "meta.compare": compared,
        "meta.discriminative_power": meta.discriminative_power(compared),
        "meta.expected_over_cutoffs": meta.expected_over_cutoffs(perquery, {5: 1.0}),
        "meta.overlap": meta.overlap(compared),
        "meta.rank_correlation": meta.rank_correlation(perquery),
        "meta.risk": meta.risk(perquery, "bm25"),
        "meta.topic_sampling": meta.topic_sampling(perquery, sizes=[5], n_trials=2, rng=1),
        "meta.topics_needed": meta.topics_needed(perquery, n=[25, 50]),
        "meta.worse_than": meta.worse_than(perquery, "xquad"),
        "missed_intents": missed_intents(qrels, runs, 2),
        "pt.Experiment(..., perquery=True)": perquery,
        "transformers.Explain": Explain(qrels, RBU @ 5)(runs["bm25"]),
    }


# Of a whole family, or with the columns of another one.
ALSO = {
    "per_query_deltas": {"evaluate_runs(..., perquery=True)", "meta.expected_over_cutoffs"},
    "scatter": {"evaluate_runs(..., perquery=True)", "meta.expected_over_cutoffs"},
}
DRAWN = {name: draw for name, (draw, _) in PICTURES.items() if name not in {"intent_coverage", "sweep"}}


@pytest.mark.parametrize("name", DRAWN)
def test_the_frame_of_another_function_is_refused_with_the_name_of_the_right_one(name, frames_of_meta):
    source = source_of(name)
    others = {key: frame for key, frame in frames_of_meta.items() if key not in {source, *ALSO.get(name, ())}}
    assert len(others) == len(frames_of_meta) - 1 - len(ALSO.get(name, ()))
    arguments = PICTURES[name][1][1:]

    for other in others.values():
        said = rf"^{name}: .*\. Pass the result of (\w+\.)?{re.escape(source)}.*\.$|^perquery(:| holds| is)"
        with pytest.raises(ValueError, match=said):
            DRAWN[name](other, *arguments)


def test_a_frame_without_rows_or_columns_is_refused_with_those_that_are_missing():
    columns = "measure, name, other, difference, p, significant, ci_low, ci_high"
    with pytest.raises(
        ValueError, match=f"^differences: missing column {columns}; found: nothing. Pass the result of "
    ):
        plots.differences(pd.DataFrame({"nothing": [1]}))
    with pytest.raises(ValueError, match=r"^differences: the frame has no rows\. Pass the result of meta\.compare"):
        plots.differences(PICTURES["differences"][1][0].iloc[:0])


@pytest.mark.parametrize("name", DRAWN)
def test_the_docstring_says_which_function_feeds_a_picture(name):
    assert re.search(rf"`(\w+\.)?{re.escape(source_of(name))}`", inspect.getdoc(DRAWN[name]))


def test_ten_lines_have_ten_markers_and_more_differ_in_marker_colour_or_dashes():
    ax = plots.sweep(curves(**{f"m{i:02}": [i / 100, i / 50] for i in range(60)}), "e")

    looks = [(line.get_marker(), line.get_color(), line.get_linestyle()) for line in ax.get_lines()]
    assert len({marker for marker, _, _ in looks[:10]}) == 10
    assert len(set(looks)) == 60


@pytest.mark.parametrize("n", [2, 10, 60])
def test_lines_are_named_in_a_legend_beside_them(n):
    frame = curves(**{f"m{i}": [i / 100, i / 50] for i in range(n)})

    ax = plots.sweep(frame, "e")

    ax.figure.draw_without_rendering()
    assert names(ax) == list(frame["name"].unique())
    legend = ax.get_legend().get_window_extent()
    assert legend.x0 >= ax.get_window_extent().x1
    assert legend.y0 > 0


def test_axes_whose_figure_makes_no_room_have_a_legend():
    _, ax = plt.subplots()

    plots.sweep(curves(low=[0.2, 0.3], high=[0.6, 0.9]), "e", ax=ax)

    assert ax.get_legend() is not None


def test_dollars_in_names_and_texts_are_no_formulas():
    line = plots.sweep(curves(**{r"$\a$": [0.2, 0.5], "b": [0.6, 0.9]}), "e")
    grid = plots.explain(PICTURES["explain"][1][0].assign(query="from $5 to $10 _{a$"))

    for ax in (line, grid):
        ax.figure.canvas.draw()  # a formula that cannot be read would raise
    assert grid.get_title() == r"query 1: from \$5 to \$10 _{a\$"


def test_labels_may_have_formulas():
    ax = plots.sweep(curves(a=[0.2, 0.5], b=[0.3, 0.4]), "e", names={"a": r"$\alpha = 1$-nDCG"})

    ax.figure.canvas.draw()
    assert names(ax) == [r"$\alpha{}={}1$-nDCG", "b"]


def test_systems_and_measures_have_the_names_that_are_given():
    perquery = PICTURES["per_query_deltas"][1][0]
    ax = plots.per_query_deltas(perquery, "AP", "x", "y", names={"x": "DESA"}, labels={"AP": "MAP"})

    assert ax.get_title().startswith("DESA against y")
    assert ax.get_ylabel() == "difference in MAP"
    with pytest.raises(ValueError, match="names: 'x' and 'y' must not both be called 'y'"):
        plots.per_query_deltas(perquery, "AP", "x", "y", names={"x": "y"})


def test_a_system_has_its_colour_whatever_the_others_are_and_no_two_are_alike():
    values = {name: [0.1, place] for place, name in enumerate("dbac")}
    of_all = {line.get_label(): line.get_color() for line in plots.sweep(curves(**values), "e").get_lines()}
    perquery, given = PICTURES["scatter"][1][0], {"y": "#0072B2"}
    ax = plots.scatter(perquery, "AP", "P@5", colors=given)

    assert [of_all[name] for name in "abcd"] == list(COLOURS[:4])
    assert {each.get_label(): each[0].get_color() for each in ax.containers} == {"x": COLOURS[1], "y": COLOURS[0]}


def test_a_picture_in_axes_leaves_the_figure_as_large_as_it_was_and_panels_may_have_the_width_of_a_page():
    _, ax = plt.subplots(figsize=(3.33, 2))
    explained = PICTURES["explain"][1][0]
    plots.explain(explained, ax=ax)
    with plt.rc_context({"font.size": 7}):
        panels = plots.explain(dict.fromkeys("abcdef", explained), width=7)

    assert ax.figure.get_size_inches().tolist() == [3.33, 2]
    assert panels[0].figure.get_size_inches()[0] == 7
    assert faults(panels[0].figure) == []
    with pytest.raises(ValueError, match="explain: width is that of a new figure: leave it out, or ax"):
        plots.explain(explained, width=7, ax=ax)


def test_plots_lists_its_functions_only():
    assert dir(plots) == sorted(plots.__all__)


def in_a_column(draw, **options):
    """The axes of a picture in one column of a paper, with texts of 7 points and without a title."""
    with plt.rc_context({"font.size": 7}):
        _, ax = plt.subplots(figsize=(3.33, 2.2))
        draw(ax=ax, **options).set_title("")
    return ax


@pytest.fixture(scope="module")
def of_demo():
    demo = pt.get_dataset("diversity:demo")
    runs = {name: demo.get_results(name) for name in ("bm25", "more-like-this", "xquad", "xquad-top-3")}
    return evaluate_runs(demo.get_qrels(), runs, [RBU @ 10], perquery=True)


IN_A_COLUMN = {
    "means": lambda perquery, ax: plots.means(meta.compare(perquery, "tukey"), ax=ax),
    "all pairs": lambda perquery, ax: plots.differences(meta.compare(perquery, "tukey"), ax=ax),
    "one baseline": lambda perquery, ax: plots.differences(meta.compare(perquery, "t", baseline="bm25"), ax=ax),
    "bars": lambda perquery, ax: plots.per_query_deltas(perquery, RBU @ 10, "xquad", "bm25", ax=ax),
    "seven measures": lambda _, ax: plots.sweep(
        curves(**{f"alpha_nDCG(alpha=0.{i})@20": [0.1 * i, 0.9] for i in range(1, 8)}), "e", ax=ax
    ),
    "scatter": lambda perquery, ax: plots.scatter(
        pd.concat([perquery, perquery.assign(measure="another")]), RBU @ 10, "another", ax=ax
    ),
    "lines": lambda perquery, ax: plots.per_query_deltas(
        perquery, RBU @ 10, ["xquad", "more-like-this"], "bm25", ax=ax
    ),
}


@pytest.mark.parametrize("name", IN_A_COLUMN)
def test_nothing_is_cut_in_one_column_of_a_paper_and_the_axes_have_half_of_its_width(name, of_demo):
    ax = in_a_column(lambda ax: IN_A_COLUMN[name](of_demo, ax))

    assert faults(ax.figure) == []
    assert ax.get_window_extent().width >= ax.figure.bbox.width / 2
    assert max(text.get_fontsize() for text in ax.figure.findobj(Text) if text.get_text()) == 7


def test_the_legend_of_narrow_axes_is_below_them(of_demo):
    ax = in_a_column(lambda ax: IN_A_COLUMN["lines"](of_demo, ax))

    ax.figure.draw_without_rendering()
    (legend,) = ax.figure.legends
    assert ax.get_legend() is None
    assert legend.get_window_extent().y1 < ax.get_window_extent().y0


def test_the_texts_of_a_new_figure_have_the_font_size_that_is_set():
    with plt.rc_context({"font.size": 20}):
        ax = plots.means(*PICTURES["means"][1])

    assert ax.title.get_fontsize() == 20
    assert ax.get_yticklabels()[0].get_fontsize() == 18
