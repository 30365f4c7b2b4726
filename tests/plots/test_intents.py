from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from frames_to_draw import EXPLAINED, MISSED, QRELS, RUN, lines, texts, ticks
from pyterrier_diversity import RBU, plots
from pyterrier_diversity.transformers import Explain

pytestmark = pytest.mark.usefixtures("no_layout")

LONG = "Find a map that shows where to stay in the mountains, with prices, and how to get there without a car"


def values_above(ax):
    """The axes with the value down to each rank."""
    (values,) = ax.child_axes
    return values


def key(ax):
    """What the shades and marks are said to mean."""
    return texts(ax.get_legend().get_texts())


@pytest.mark.usefixtures("laid_out")
def test_explain_shows_grades_by_intent_and_rank_new_intents_marks_and_the_running_value():
    ax = plots.explain(EXPLAINED, intents={"a": "first"})

    shown = np.asarray(ax.collections[0].get_array()).reshape(3, 3)
    assert shown.tolist() == [[2, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert texts(ax.get_yticklabels()) == ["first", "b", "c"]
    assert ticks(ax.xaxis) == ["1", "2", "3"]
    assert [line.get_xydata().tolist() for line in ax.get_lines()] == [[[1, 0], [3, 1]]]
    assert [text.get_position()[0] for text in ax.texts if text.get_text() == "="] == [2, 3]
    assert [patch.get_x() for patch in ax.patches if patch.get_hatch()] == [1.5]
    values = values_above(ax)
    assert lines(values) == {"RBU@3": [[1, 0.5], [2, 0.45], [3, 0.6]]}
    assert values.get_ylabel() == "RBU@3"
    assert texts(values.texts) == ["0.600"]
    assert ax.get_title() == "query 1"


def test_explain_shows_one_query_down_to_the_cutoff():
    both = pd.concat([EXPLAINED.assign(qid="2", value=0.1), EXPLAINED])

    ax = plots.explain(both, "1", cutoff=2)

    assert lines(values_above(ax)) == {"RBU@3, first 2 ranks": [[1, 0.5], [2, 0.45]]}
    # The intent b is met below the cutoff only.
    assert texts(ax.get_yticklabels()) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("measure", "cutoff", "n", "label"),
    [
        ("RBU@20", None, 20, "RBU@20"),
        ("RBU@20", 7, 7, "RBU@20, first 7 ranks"),
        ("RBU", None, 10, "RBU, first 10 ranks"),
        ("MyLength", None, 10, "MyLength, first 10 ranks"),
    ],
)
def test_explain_says_which_part_of_a_ranking_it_shows(measure, cutoff, n, label):
    rows = pd.concat([EXPLAINED.head(1)] * 30, ignore_index=True).assign(position=range(1, 31), measure=measure)

    values = values_above(plots.explain(rows, cutoff=cutoff))

    assert values.get_ylabel().replace("\n", " ") == label
    assert list(map(len, lines(values).values())) == [n]


@pytest.mark.usefixtures("laid_out")
def test_explain_names_the_ranks_that_the_frame_has():
    ax = plots.explain(EXPLAINED[EXPLAINED["position"] >= 2])

    assert ticks(ax.xaxis) == ["2", "3"]


@pytest.mark.parametrize(
    ("frame", "query_id", "message"),
    [
        (
            pd.concat([EXPLAINED, EXPLAINED.assign(qid="2")]),
            None,
            "query_id must name one of the 2 queries of the frame: 1, 2",
        ),
        (EXPLAINED, "7", "the frame has no query 7; it has 1"),
        (EXPLAINED.drop(columns="tied"), None, "explain: missing column tied; found: qid, position"),
        (EXPLAINED.head(0), None, "explain: the frame has no rows"),
        (
            EXPLAINED.assign(intents=[{}] * 3, unmet_intents=[[]] * 3),
            "1",
            "query '1' has no intent with a relevant document",
        ),
    ],
)
def test_explain_of_nothing_is_refused(frame, query_id, message):
    with pytest.raises(ValueError, match=message):
        plots.explain(frame, query_id)


def test_missed_intents_are_a_matrix_of_intents_and_systems():
    ax = plots.missed_intents(MISSED)

    assert texts(ax.get_yticklabels()) == ["b (2)", "The first nugget. (1)"]
    assert texts(ax.get_xticklabels()) == ["A", "B"]
    assert {text.get_position(): text.get_text() for text in ax.texts} == {(1, 0): "✗", (2, 0): "✗"}
    assert ax.collections[0].get_array().reshape(2, 2).tolist() == [[0, 0], [1, 0]]  # A misses a
    assert ax.get_title() == "query 1: intents that a system misses"


def test_a_query_whose_intents_nobody_misses_is_not_called_unknown():
    missed = MISSED.copy()
    missed.attrs = {"intents": {"1": 3, "2": 4}}

    with pytest.raises(ValueError, match="missed_intents: no system misses an intent of query '2'; show another query"):
        plots.missed_intents(missed, "2")


@pytest.mark.usefixtures("laid_out")
def test_rankings_of_fifty_documents_have_a_wider_figure():
    run = pd.DataFrame({"qid": "1", "docno": [f"x{i}" for i in range(50)], "score": range(50, 0, -1)})

    few, many = (plots.explain(Explain(QRELS, RBU)(run), cutoff=cutoff) for cutoff in (10, 50))
    assert few.get_window_extent().width == pytest.approx(420)
    assert many.get_window_extent().width == pytest.approx(800)


def test_missed_intents_show_systems_that_miss_nothing_and_how_many_intents_there_are():
    from pyterrier_diversity import missed_intents

    runs = {"A": {"1": ["d1"]}, "none": {}, "all": {"1": QRELS["docno"].unique().tolist()}}
    ax = plots.missed_intents(missed_intents(QRELS, runs), "1")

    assert texts(ax.get_xticklabels()) == ["A", "none", "all"]
    assert ax.get_title() == "query 1: intents that a system misses (3 of 3)"


def test_texts_of_missed_intents_are_whole_and_come_from_the_frame_or_the_caller():
    text = "word " * 40
    of_frame = plots.missed_intents(MISSED.assign(nugget_text=text))
    given = plots.missed_intents(MISSED, intents=pd.DataFrame({"qid": "1", "iteration": ["b"], "query": ["given"]}))

    assert texts(of_frame.get_yticklabels())[0].replace("\n", " ") == f"{text.strip()} (2)"
    assert texts(given.get_yticklabels()) == ["given (2)", "The first nugget. (1)"]


def test_rows_that_are_left_out_are_not_drawn_as_covered():
    from pyterrier_diversity import missed_intents

    missed = missed_intents(QRELS, {"A": {"1": ["d1"]}, "none": {}, "B": {"1": ["d1"]}})

    part = plots.missed_intents(missed[(missed["name"] == "A") & missed["coverable"]], "1")

    assert texts(part.get_xticklabels()) == ["A", "none", "B"]
    assert set(part.collections[0].get_array().ravel()) == {1}  # no system covers b
    assert part.get_title().replace("\n", " ") == "query 1: 1 of the 3 intents that a system misses (3 of 3)"


@pytest.mark.parametrize(
    ("missed", "query", "message"),
    [
        (
            pd.concat([MISSED, MISSED.assign(qid="2")]),
            None,
            "query_id must name one of the 2 queries of the frame: 1, 2",
        ),
        (MISSED, "7", "the frame has no query 7; it has 1"),
        (MISSED.drop(columns="weight"), "1", "missing column weight"),
    ],
)
def test_missed_intents_of_an_unknown_query_are_refused(missed, query, message):
    with pytest.raises(ValueError, match=f"^missed_intents: {message}"):
        plots.missed_intents(missed, query)


@pytest.mark.usefixtures("laid_out")
def test_memory_does_not_depend_on_the_cutoff():
    ax = plots.intent_coverage(QRELS, RUN, cutoff=10**9)

    assert ticks(ax.xaxis) == ["1", "2", "3"]


def test_new_intents_labels_and_unjudged_documents_have_a_key():
    unjudged = pd.DataFrame([("1", "new", 0.5)], columns=["qid", "docno", "score"])

    ax = plots.explain(Explain(QRELS, RBU)(pd.concat([RUN, unjudged])))

    assert key(ax) == ["label 0 or none", "label 1", "label 2", "unjudged", "new intent"]
    assert [patch.get_x() for patch in ax.patches if patch.get_hatch()] == [3.5]
    assert [line.get_xydata().tolist() for line in ax.get_lines()] == [[[3, 0], [2, 1]]]


def test_the_key_says_what_there_is_and_no_more():
    assert key(plots.explain(EXPLAINED.head(1))) == ["label 0 or none", "label 2", "new intent"]
    assert key(plots.explain(EXPLAINED))[-2:] == ["new intent", "tied score"]


@pytest.mark.usefixtures("laid_out")
@pytest.mark.parametrize("depth", [10, 50])
def test_long_texts_of_intents_leave_the_panel_more_than_half_of_the_width(depth):
    run = pd.DataFrame({"qid": "1", "docno": [f"x{i}" for i in range(depth)], "score": range(depth, 0, -1)})

    for names in ({}, dict.fromkeys("abc", LONG)):
        ax = plots.explain(Explain(QRELS, RBU)(run), cutoff=depth, intents=names)
        ax.figure.draw_without_rendering()

        assert ax.get_window_extent().width > 0.5 * ax.figure.bbox.width
        boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
        assert all(not a.overlaps(b) for a, b in pairwise(boxes))
        assert ticks(ax.xaxis)[-1] == str(depth)


@pytest.mark.usefixtures("laid_out")
def test_explanations_of_several_systems_share_scale_zero_and_rows():
    other = EXPLAINED.assign(value=[-0.5, 1.5, 0.2], intents=[{}, {"z": 4}, {}], query="a query of two words")

    axes = plots.explain({"one": EXPLAINED, "other": other}, intents={"z": LONG})

    values = [values_above(ax) for ax in axes]
    assert values[0].get_ylim() == values[1].get_ylim()
    assert texts(axes[0].get_yticklabels())[:3] == ["a", "b", "c"]
    assert [ax.collections[0].get_clim() for ax in axes] == [(0, 4), (0, 4)]
    figure = axes[0].figure
    assert [ax.get_title() for ax in axes] == ["one", "other"]
    assert figure.get_suptitle() == "query 1: a query of two words"
    figure.draw_without_rendering()
    first, second = (ax.get_window_extent() for ax in axes)
    assert (first.width, first.y0, first.y1) == pytest.approx((second.width, second.y0, second.y1))
    assert [ax.get_legend() is None for ax in axes] == [True, False]


@pytest.mark.usefixtures("laid_out")
def test_the_title_stands_above_the_values_and_can_be_replaced():
    ax = plots.explain(EXPLAINED)
    ax.set_title("another")
    ax.figure.draw_without_rendering()

    assert ax.title.get_window_extent().y0 > values_above(ax).get_window_extent().y1


@pytest.mark.parametrize(
    ("explained", "ax", "message"),
    [
        ({}, None, "give at least one explanation"),
        ({"one": EXPLAINED, "other": EXPLAINED.assign(measure="AP")}, None, "by one measure, not by RBU@3, AP"),
        (
            {"one": EXPLAINED, "other": EXPLAINED.assign(qid="2")},
            None,
            "query_id must name one of the 2 queries of the frame: 1, 2",
        ),
        (
            {"one": EXPLAINED, "other": EXPLAINED.head(0)},
            None,
            "the frame has no rows. Pass the result of transformers.Explain",
        ),
        ({"one": EXPLAINED, "other": EXPLAINED}, ["only one"], "one Axes object for each system, not 1 for 2"),
    ],
)
def test_explanations_that_do_not_fit_together_are_refused(explained, ax, message):
    with pytest.raises(ValueError, match=f"^explain: .*{message}"):
        plots.explain(explained, ax=ax)


def test_an_explanation_of_one_system_without_the_query_names_the_system():
    frames = {"one": pd.concat([EXPLAINED, EXPLAINED.assign(qid="2")]), "other": EXPLAINED}

    with pytest.raises(ValueError, match="the frame of other has no query '2' down to rank 3"):
        plots.explain(frames, "2")


@pytest.mark.usefixtures("laid_out")
@pytest.mark.parametrize("height", [2.4, 9.0])
@pytest.mark.parametrize("n_intents", [3, 8])
def test_long_texts_are_not_printed_over_each_other(height, n_intents):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, height), layout="constrained")
    named = [f"intent {i}" for i in range(n_intents)]
    for ax in axes:
        plots.explain(EXPLAINED.assign(unmet_intents=[named] * 3), intents=dict.fromkeys(named, LONG), ax=ax)
    figure.draw_without_rendering()

    boxes = [label.get_window_extent() for label in axes[0].get_yticklabels()]
    overlaps = [low.y1 - high.y0 for high, low in pairwise(boxes)]
    assert max(overlaps) < 3


def test_ten_systems_are_in_two_rows_of_panels_and_a_list_of_frames_is_refused():
    axes = plots.explain({f"s{i}": EXPLAINED for i in range(10)})

    assert len({round(ax.get_position().y0, 3) for ax in axes}) == 2
    assert axes[0].figure.get_figwidth() < 20
    assert [place for place, ax in enumerate(axes) if ax.get_yticklabels()] == [0, 5]
    with pytest.raises(TypeError, match=r"explain: give a frame, or a dict of the .* names to frames, not list"):
        plots.explain([EXPLAINED, EXPLAINED], "1")


@pytest.mark.parametrize(
    "intents",
    [
        {"a": "first"},
        {("1", "a"): "first", ("2", "a"): "other"},
        pd.Series({"a": "first", "b": np.nan}),
        pd.DataFrame({"qid": ["1", "2"], "iteration": "a", "query": ["first", "other"]}),
        pd.DataFrame({"query_id": [1, 2], "subtopic_id": "a", "nugget_text": ["first", "other"]}),
    ],
)
def test_texts_of_intents_may_be_a_mapping_or_a_frame(intents):
    assert texts(plots.explain(EXPLAINED, intents=intents).get_yticklabels())[0] == "first"


def test_texts_of_intents_are_those_of_the_qrels_unless_others_are_given():
    qrels = QRELS.assign(nugget_text=QRELS["iteration"].map({"a": "the first"}), query="a question")
    explained = Explain(qrels, RBU @ 3)(RUN)

    ax = plots.explain(explained)

    assert texts(ax.get_yticklabels())[0] == "the first"
    assert ax.get_title() == "query 1: a question"
    with pytest.raises(ValueError, match="explain: intents must have the columns iteration and nugget_text"):
        plots.explain(explained, intents=QRELS)


def test_a_label_has_the_same_shade_in_every_picture():
    def shade(labels):
        ax = plots.explain(EXPLAINED.assign(intents=labels))
        legend = ax.get_legend()
        return dict(zip(key(ax), (handle.get_facecolor() for handle in legend.legend_handles[:2]), strict=False))

    assert shade([{"a": 1}, {}, {}])["label 1"] == shade([{"a": 1}, {"a": 4}, {}])["label 1"]


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_systems_that_return_fewer_documents_share_the_ranks_of_the_others(order):
    lengths = {"short": EXPLAINED.head(1), "long": EXPLAINED}
    names = list(lengths)[order]

    axes = plots.explain({name: lengths[name] for name in names})

    assert [ax.get_xlim() for ax in axes] == [(0.5, 3.5), (0.5, 3.5)]
    assert [np.asarray(ax.collections[0].get_array()).size for ax in axes] == [3 * len(lengths[name]) for name in names]
