import matplotlib as mpl
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_diversity import RBU, Coverage, StRecall, add_weights, evaluate_runs, plots

mpl.use("Agg")

QRELS = pd.DataFrame(
    [("1", "d1", 2, "a"), ("1", "d2", 1, "b"), ("1", "d3", 0, "b"), ("1", "d4", 0, "c"), ("2", "d1", 1, "a")],
    columns=["qid", "docno", "label", "iteration"],
)
RUN = pd.DataFrame([("1", "d3", 3.0), ("1", "d2", 2.0), ("1", "d1", 1.0)], columns=["qid", "docno", "score"])


def test_coverage_shows_labels_by_intent_and_rank():
    ax = plots.coverage(RUN, QRELS, "1", cutoff=4)

    shown = np.asarray(ax.collections[0].get_array()).reshape(2, 4)
    assert shown.tolist() == [[0, 0, 2, 0], [0, 1, 0, 0]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a (0.50)", "b (0.50)"]


def test_coverage_writes_the_names_given_for_intents_into_the_axes_given():
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    same = plots.coverage(RUN, QRELS, "1", intents=pd.Series({"a": "first"}), ax=ax)

    assert same is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first (0.50)", "b (0.50)"]


def test_coverage_of_a_query_without_relevant_documents_says_so():
    with pytest.raises(ValueError, match="no relevant document for query '3'"):
        plots.coverage(RUN, QRELS, "3")


EXPLAINED = pd.DataFrame(
    {
        "qid": "1",
        "position": [1, 2, 3],
        "intents": [{"a": 2}, {}, {"a": 1, "b": 1}],
        "new_intents": [["a"], [], ["b"]],
        "unmet_intents": [["b", "c"], ["b", "c"], ["c"]],
        "judged": [True, False, True],
        "tied": [False, True, True],
        "measure": "RBU@3",
        "value": [0.5, 0.45, 0.6],
    }
)


def test_explain_shows_grades_by_intent_and_rank_new_intents_marks_and_the_running_value():
    ax = plots.explain(EXPLAINED, intents={"a": "first"})

    shown = np.asarray(ax.collections[0].get_array()).reshape(3, 3)
    assert shown.tolist() == [[2, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert texts(ax.get_yticklabels()) == ["first", "b", "c"]
    assert texts(ax.get_xticklabels()) == ["1", "2\n?=", "3\n="]
    assert [line.get_xydata().tolist() for line in ax.get_lines()] == [[[1, 0]], [], [[3, 1]]]
    (values,) = (other for other in ax.figure.axes if other is not ax)
    assert values.get_lines()[0].get_xydata().tolist() == [[1, 0.5], [2, 0.45], [3, 0.6]]
    assert values.get_ylabel() == "RBU@3"


def test_explain_shows_one_query_down_to_the_cutoff():
    both = pd.concat([EXPLAINED.assign(qid="2", value=0.1), EXPLAINED])

    ax = plots.explain(both, "1", cutoff=2)

    (values,) = (other for other in ax.figure.axes if other is not ax)
    assert values.get_lines()[0].get_xydata().tolist() == [[1, 0.5], [2, 0.45]]
    # The intent b is met below the cutoff only.
    assert texts(ax.get_yticklabels()) == ["a", "b", "c"]


def test_explain_names_the_ranks_that_the_frame_has():
    ax = plots.explain(EXPLAINED[EXPLAINED["position"] >= 2])

    assert texts(ax.get_xticklabels()) == ["2\n?=", "3\n="]


@pytest.mark.parametrize(
    ("frame", "query_id", "message"),
    [
        (pd.concat([EXPLAINED, EXPLAINED.assign(qid="2")]), None, "query_id must name one of the 2 queries"),
        (EXPLAINED, "7", "the frame has no query '7'"),
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


ASL = pd.DataFrame(
    [("AP", 2, 0.01), ("AP", 1, 0.5), ("RBU", 1, 0.3), ("RBU", 2, 0.0)], columns=["measure", "rank", "asl"]
)
UNANIMITY = pd.DataFrame({"measure": ["RBU", "AP", "P"], "unanimity": [0.97, 0.5, -np.inf]})
POWER = pd.DataFrame({"measure": ["RBU", "AP"], "pairs": [10, 10], "significant": [7, 4], "share": [0.7, 0.4]})
TAUS = pd.DataFrame([[1, -0.25], [-0.25, np.nan]], index=["RBU", "AP"], columns=["RBU", "AP"])
SIZES = pd.DataFrame(
    [
        ("AP", "old", 10, 0.8),
        ("AP", "old", 5, 0.6),
        ("P", "old", 5, 0.4),
        ("P", "old", 10, 0.6),
        ("RBU", "new", 5, 0.9),
    ],
    columns=["measure", "family", "size", "tau"],
)
PERQUERY = pd.DataFrame(
    [
        ("x", "1", 0.5),
        ("x", "2", 0.5),
        ("x", "3", 0.9),
        ("y", "1", 0.9),
        ("y", "2", 0.5),
        ("y", "3", 0.1),
        ("z", "1", 0),
    ],
    columns=["name", "qid", "value"],
).assign(measure="AP")

MISSED = pd.DataFrame(
    [
        ("A", "1", "a", "The first nugget.", 1.0, True, ["B"]),
        ("A", "1", "b", "", 2.0, False, []),
        ("B", "1", "b", "", 2.0, False, []),
    ],
    columns=["name", "qid", "iteration", "nugget_text", "weight", "coverable", "covered_by"],
)
PICTURES = {
    "asl_curve": (plots.asl_curve, (ASL,)),
    "by_topic_set_size": (plots.by_topic_set_size, (SIZES,)),
    "explain": (plots.explain, (EXPLAINED,)),
    "discriminative_power": (plots.discriminative_power, (POWER,)),
    "intent_coverage": (plots.intent_coverage, (RUN, QRELS)),
    "missed_intents": (plots.missed_intents, (MISSED,)),
    "per_query_deltas": (plots.per_query_deltas, (PERQUERY, "AP", "x", "y")),
    "tau_matrix": (plots.tau_matrix, (TAUS,)),
    "unanimity": (plots.unanimity, (UNANIMITY,)),
}
picture = pytest.mark.parametrize(("draw", "data"), PICTURES.values(), ids=PICTURES)


@pytest.fixture(autouse=True)
def _close():
    """Close the figures of a test, and those that others left open."""
    import matplotlib.pyplot as plt

    plt.close("all")
    yield
    plt.close("all")


def lines(ax):
    """The points of each line, by its label."""
    return {line.get_label(): line.get_xydata().tolist() for line in ax.get_lines()}


def texts(labels):
    return [label.get_text() for label in labels]


@picture
def test_pictures_are_drawn_into_the_axes_given(draw, data):
    import matplotlib.pyplot as plt

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


@pytest.mark.parametrize(
    ("draw", "frame", "missing"),
    [
        (plots.asl_curve, ASL.drop(columns="asl"), "asl"),
        (plots.by_topic_set_size, SIZES.drop(columns=["size", "tau"]), "size, tau"),
        (plots.discriminative_power, POWER[["measure"]], "significant, pairs"),
        (plots.unanimity, UNANIMITY.drop(columns="measure"), "measure"),
    ],
)
def test_frames_without_a_column_are_refused_with_the_columns_they_have(draw, frame, missing):
    with pytest.raises(ValueError, match=f"{draw.__name__}: missing column {missing}; found: {', '.join(frame)}"):
        draw(frame)


@pytest.mark.parametrize(
    ("draw", "frame"),
    [
        (plots.asl_curve, ASL),
        (plots.by_topic_set_size, SIZES),
        (plots.discriminative_power, POWER),
        (plots.unanimity, UNANIMITY),
    ],
)
def test_frames_without_rows_are_refused(draw, frame):
    with pytest.raises(ValueError, match=f"{draw.__name__}: the frame has no rows"):
        draw(frame.iloc[:0])


def test_an_asl_curve_has_a_line_for_each_measure_by_rank():
    ax = plots.asl_curve(ASL)

    assert lines(ax) == {"AP": [[1, 0.5], [2, 0.01]], "RBU": [[1, 0.3], [2, 0]]}
    assert texts(ax.get_legend().get_texts()) == ["AP", "RBU"]
    assert (ax.get_ylabel(), ax.get_yscale()) == ("achieved significance level", "linear")


def test_p_values_of_an_asl_curve_may_be_on_a_logarithmic_axis():
    ax = plots.asl_curve(ASL, log=True)

    ax.figure.canvas.draw()
    assert ax.get_yscale() == "log"


def test_more_lines_than_colours_are_told_apart_by_dashes():
    frame = pd.concat([ASL[ASL["measure"] == "AP"].assign(measure=f"AP@{k}") for k in range(30)])

    looks = {(line.get_color(), line.get_linestyle()) for line in plots.asl_curve(frame).get_lines()}

    assert len(looks) == 30


def test_taus_by_topic_set_size_have_a_line_for_each_measure():
    ax = plots.by_topic_set_size(SIZES)

    assert lines(ax) == {"AP": [[5, 0.6], [10, 0.8]], "P": [[5, 0.4], [10, 0.6]], "RBU": [[5, 0.9]]}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("topics", "Kendall's τ with all topics")


def test_taus_by_topic_set_size_may_have_a_line_for_each_family():
    drawn = lines(plots.by_topic_set_size(SIZES, by="family"))

    assert list(drawn) == ["old", "new"]
    assert np.array(drawn["old"]) == pytest.approx(np.array([[5, 0.5], [10, 0.7]]))
    assert drawn["new"] == [[5, 0.9]]


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


def test_per_query_deltas_are_sorted_and_name_their_queries():
    from ir_measures import AP

    ax = plots.per_query_deltas(PERQUERY, AP, "x", "y")

    assert [bar.get_height() for bar in ax.patches] == pytest.approx([0.8, 0, -0.4])
    assert texts(ax.get_xticklabels()) == ["3", "2", "1"]
    assert ax.get_ylabel() == "AP: x minus y"
    assert len({bar.get_facecolor() for bar in ax.patches}) == 2


def test_per_query_deltas_of_several_systems_are_a_line_each_sorted_by_itself():
    perquery = PERQUERY[PERQUERY["name"] != "z"]
    other = perquery[perquery["name"] == "y"].assign(name="w", value=[0.1, 0.9, 0.0])

    ax = plots.per_query_deltas(pd.concat([perquery, other]), "AP", iter(["x", "w"]), "y")

    shown = lines(ax)
    assert shown["x"] == [[1, pytest.approx(0.8)], [2, 0], [3, pytest.approx(-0.4)]]
    assert shown["w"] == [[1, pytest.approx(0.4)], [2, pytest.approx(-0.1)], [3, pytest.approx(-0.8)]]
    assert texts(ax.get_legend().get_texts()) == ["x", "w"]
    assert ax.get_ylabel() == "AP: system minus y"


def test_per_query_deltas_by_rounding_are_none():
    rounded = PERQUERY.assign(
        value=PERQUERY["value"].where(PERQUERY["qid"] != "2", PERQUERY["name"].map({"x": 0.3, "y": 0.1 + 0.2}))
    )

    ax = plots.per_query_deltas(rounded, "AP", "x", "y")

    assert ax.patches[1].get_height() == 0


def test_per_query_deltas_leave_out_queries_that_a_system_lacks():
    with pytest.warns(UserWarning, match="2 of 3 queries are left out"):
        ax = plots.per_query_deltas(PERQUERY, "AP", "x", "z")

    assert [bar.get_height() for bar in ax.patches] == [0.5]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((PERQUERY, "RR", "x", "y"), "the frame has no measure RR"),
        ((PERQUERY, "AP", "x", "w"), "the frame has no system 'w' with AP; it has x, y, z"),
        ((PERQUERY, "AP", ["x", "w"], "y"), "the frame has no system 'w' with AP"),
        ((PERQUERY, "AP", [], "y"), "system must name a system"),
        ((PERQUERY.drop(columns="value"), "AP", "x", "y"), "missing column value; found: name, qid, measure"),
    ],
)
def test_per_query_deltas_of_what_is_not_there_are_refused(data, message):
    with pytest.raises(ValueError, match=message):
        plots.per_query_deltas(*data)


def test_confusion_has_counts_shaded_by_the_share_of_the_first_judges_label():
    frame = pd.DataFrame([[6, 2], [0, 0], [1, 3]], index=[0, 1, 3], columns=[0, 1])

    ax = plots.confusion(frame)

    assert texts(ax.texts) == ["6", "2", "0", "0", "1", "3"]
    assert np.asarray(ax.images[0].get_array()).tolist() == [[0.75, 0.25], [0, 0], [0.25, 0.75]]
    assert texts(ax.get_yticklabels()) == ["0", "1", "3"]
    with pytest.raises(ValueError, match="confusion: the frame has no rows"):
        plots.confusion(frame.iloc[:0])


def test_topics_needed_are_a_line_for_each_measure_on_logarithmic_axes():
    frame = pd.DataFrame({"measure": ["P", "P", "AP"], "topics": [100, 25, 25], "delta": [0.1, 0.2, 0.3]})

    ax = plots.topics_needed(frame)

    assert lines(ax) == {"P": [[25, 0.2], [100, 0.1]], "AP": [[25, 0.3]]}
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_intent_coverage_is_the_mean_share_of_intents_down_to_each_rank():
    # Query 1 has the intents a, met at rank 3, b, met at rank 2, and c, which nothing meets; query 2 has no ranking.
    ax = plots.intent_coverage(RUN, QRELS, cutoff=4)

    (line,) = ax.get_lines()
    assert line.get_xydata().tolist() == [[1, 0], [2, 1 / 6], [3, 1 / 3], [4, 1 / 3]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rank", "Coverage")
    assert ax.get_legend() is None


def test_intent_coverage_of_several_runs_has_a_line_for_each_name():
    better = pd.DataFrame([("1", "d1", 2.0), ("2", "d1", 1.0)], columns=["qid", "docno", "score"])

    ax = plots.intent_coverage({"bm25": RUN, "better": better}, QRELS, cutoff=2)

    assert lines(ax) == {"bm25": [[1, 0], [2, 1 / 6]], "better": [[1, 2 / 3], [2, 2 / 3]]}
    assert texts(ax.get_legend().get_texts()) == ["bm25", "better"]


@pytest.mark.parametrize("measure", [Coverage, StRecall, RBU(e=0), "Adhoc(P)"], ids=str)
def test_intent_coverage_is_the_measure_at_every_cutoff(measure):
    dataset = pt.get_dataset("diversity:demo")
    retrieved, qrels = dataset.get_results("xquad"), add_weights(dataset.get_qrels(), "sakai")

    ax = plots.intent_coverage(retrieved, qrels, measure=measure, cutoff=5)

    table = evaluate_runs(qrels, {"xquad": retrieved}, [f"{measure}@{k}" for k in range(1, 6)])
    assert ax.get_lines()[0].get_ydata().tolist() == pytest.approx(table.iloc[0, 1:].tolist(), abs=1e-12)
    assert ax.get_ylabel() == str(measure)


@pytest.mark.parametrize(
    ("runs", "qrels", "cutoff", "message"),
    [
        (RUN, QRELS.assign(label=0), 5, "The qrels have no relevant document"),
        ({}, QRELS, 5, "runs must not be empty"),
        (RUN, QRELS, 0, r"intent_coverage: cutoff must be an integer in \[1, inf\), not 0"),
        (RUN.drop(columns="score"), QRELS, 5, "run: missing column score"),
    ],
)
def test_intent_coverage_of_nothing_is_refused(runs, qrels, cutoff, message):
    with pytest.raises(ValueError, match=message):
        plots.intent_coverage(runs, qrels, cutoff=cutoff)


def test_intent_coverage_may_be_coverage_of_all_nuggets_by_weight():
    weighted = QRELS.assign(weight=QRELS["iteration"].map({"a": 3.0, "b": 1.0}).fillna(1.0))
    unjudged = pd.DataFrame({"qid": ["1"], "docno": "", "label": 0, "iteration": "z", "weight": 4.0})

    ax = plots.intent_coverage(RUN, pd.concat([weighted, unjudged]), measure=Coverage, cutoff=4)

    assert ax.get_lines()[0].get_ydata().tolist() == pytest.approx([0, 1 / 18, 4 / 18, 4 / 18])
    assert ax.get_ylabel() == "Coverage"


def test_missed_intents_are_a_matrix_of_intents_and_systems():
    ax = plots.missed_intents(MISSED)

    assert texts(ax.get_yticklabels()) == ["b (2)", "The first nugget. (1)"]
    assert texts(ax.get_xticklabels()) == ["A", "B"]
    marks = {tuple(map(int, text.get_position())): text.get_text() for text in ax.texts}
    assert marks == {(1, 0): "✗", (2, 0): "✗", (1, 1): "", (2, 1): "●"}
    assert ax.get_title(loc="right") == "query 1"


def test_missed_intents_show_systems_that_miss_nothing_and_how_many_intents_there_are():
    from pyterrier_diversity import missed_intents

    runs = {"A": {"1": ["d1"]}, "none": {}, "all": {"1": QRELS["docno"].unique().tolist()}}
    ax = plots.missed_intents(missed_intents(QRELS, runs), "1")

    assert texts(ax.get_xticklabels()) == ["A", "none", "all"]
    assert ax.get_title(loc="right") == "query 1: 3 of 3 intents are missed"


def test_texts_of_missed_intents_are_shortened():
    ax = plots.missed_intents(MISSED.assign(nugget_text="word " * 100))

    assert all(len(text.splitlines()) == 2 and text.endswith(")") for text in texts(ax.get_yticklabels()))


@pytest.mark.parametrize(
    ("missed", "query", "message"),
    [
        (pd.concat([MISSED, MISSED.assign(qid="2")]), None, "query_id must name one of the 2 queries of the frame"),
        (MISSED, "7", "the frame has no query '7'"),
        (MISSED.drop(columns="weight"), "1", "missing column weight"),
    ],
)
def test_missed_intents_of_an_unknown_query_are_refused(missed, query, message):
    with pytest.raises(ValueError, match=f"^missed_intents: {message}"):
        plots.missed_intents(missed, query)
