from itertools import pairwise

import pandas as pd
import pyterrier as pt
import pytest

from frames_to_draw import PERQUERY, QRELS, RUN, lines, names, texts
from pyterrier_diversity import RBU, Coverage, StRecall, add_weights, evaluate_runs, plots

pytestmark = pytest.mark.usefixtures("no_layout")


def test_intent_coverage_is_the_mean_share_of_intents_down_to_each_rank():
    # Query 1 has the intents a, met at rank 3, b, met at rank 2, and c, which nothing meets; query 2 has no ranking.
    ax = plots.intent_coverage(QRELS, RUN, cutoff=4)

    (line,) = ax.get_lines()
    assert line.get_xydata().tolist() == [[1, 0], [2, 1 / 6], [3, 1 / 3]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rank", "Coverage")
    assert names(ax) == []


def test_intent_coverage_of_several_runs_has_a_line_for_each_name():
    better = pd.DataFrame([("1", "d1", 2.0), ("2", "d1", 1.0)], columns=["qid", "docno", "score"])

    ax = plots.intent_coverage(QRELS, {"bm25": RUN, "better": better}, cutoff=2)

    assert lines(ax) == {"bm25": [[1, 0], [2, 1 / 6]], "better": [[1, 2 / 3], [2, 2 / 3]]}
    assert names(ax) == ["bm25", "better"]


@pytest.mark.parametrize("measure", [Coverage, StRecall, RBU(e=0), "Adhoc(P)"], ids=str)
def test_intent_coverage_is_the_measure_at_every_cutoff(measure):
    dataset = pt.get_dataset("diversity:demo")
    retrieved, qrels = dataset.get_results("xquad"), add_weights(dataset.get_qrels(), "sakai")

    ax = plots.intent_coverage(qrels, retrieved, measure=measure, cutoff=5)

    table = evaluate_runs(qrels, {"xquad": retrieved}, [f"{measure}@{k}" for k in range(1, 6)])
    assert ax.get_lines()[0].get_ydata().tolist() == pytest.approx(table.iloc[0, 1:].tolist(), abs=1e-12)
    assert ax.get_ylabel().split("\n")[0] == str(measure)


@pytest.mark.parametrize(
    ("runs", "qrels", "cutoff", "message"),
    [
        (RUN, QRELS.assign(label=0), 5, "The qrels have no relevant document"),
        ({}, QRELS, 5, "intent_coverage: give at least one run"),
        (RUN, QRELS, 0, r"intent_coverage: cutoff must be an integer in \[1, inf\), not 0"),
        (RUN.drop(columns="score"), QRELS, 5, "run is rows without score or rank"),
    ],
)
def test_intent_coverage_of_nothing_is_refused(runs, qrels, cutoff, message):
    with pytest.raises(ValueError, match=message):
        plots.intent_coverage(qrels, runs, cutoff=cutoff)


def test_values_that_can_be_negative_fill_the_axes():
    run = pd.DataFrame({"qid": "1", "docno": [f"x{i}" for i in range(50)], "score": range(50, 0, -1)})

    low, high = plots.intent_coverage(QRELS, run, measure=RBU(e=0.05), cutoff=50).get_ylim()

    assert low < -0.5
    assert 0 < high < 0.1


def test_long_rankings_are_evaluated_at_200_ranks_with_the_first_and_the_last():
    n = 1500
    run = pd.DataFrame({"qid": "1", "docno": [f"x{i}" for i in range(n)], "score": range(n, 0, -1)})

    (line,) = plots.intent_coverage(QRELS, run, cutoff=10**9).get_lines()

    assert len(line.get_xdata()) == 200
    assert (line.get_xdata()[0], line.get_xdata()[-1]) == (1, n)


def test_per_query_deltas_are_sorted_and_name_their_queries():
    from ir_measures import AP

    ax = plots.per_query_deltas(PERQUERY, AP, "x", "y")

    assert [bar.get_height() for bar in ax.patches] == pytest.approx([0.8, 0, -0.4])
    assert texts(ax.get_xticklabels()) == ["3", "2", "1"]
    assert ax.get_ylabel() == "difference in AP"
    assert ax.get_title() == "x against y: 1 better, 1 equal, 1 worse, mean +0.133"
    assert ax.get_lines()[0].get_ydata() == [pytest.approx(0.4 / 3)] * 2
    assert len({bar.get_facecolor() for bar in ax.patches}) == 2


def test_per_query_deltas_of_several_systems_are_a_line_each_sorted_by_itself():
    perquery = PERQUERY[PERQUERY["name"] != "z"]
    other = perquery[perquery["name"] == "y"].assign(name="w", value=[0.1, 0.9, 0.0])

    ax = plots.per_query_deltas(pd.concat([perquery, other]), "AP", iter(["x", "w"]), "y")

    shown = lines(ax)
    assert shown["x: 1 better, 1 equal, 1 worse"] == [[1, pytest.approx(0.8)], [2, 0], [3, pytest.approx(-0.4)]]
    assert shown["w: 1 better, 2 worse"] == [
        [1, pytest.approx(0.4)],
        [2, pytest.approx(-0.1)],
        [3, pytest.approx(-0.8)],
    ]
    assert names(ax) == list(shown)
    assert (ax.get_ylabel(), ax.get_title()) == ("difference in AP", "against y, 3 queries")


def test_per_query_deltas_due_to_rounding_are_0():
    rounded = PERQUERY.assign(
        value=PERQUERY["value"].where(PERQUERY["qid"] != "2", PERQUERY["name"].map({"x": 0.3, "y": 0.1 + 0.2}))
    )

    ax = plots.per_query_deltas(rounded, "AP", "x", "y")

    assert ax.patches[1].get_height() == 0


def test_per_query_deltas_leave_out_queries_that_are_missing_for_a_system():
    with pytest.warns(UserWarning, match="2 of 3 queries are left out"):
        ax = plots.per_query_deltas(PERQUERY, "AP", "x", "z")

    assert [bar.get_height() for bar in ax.patches] == [0.5]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((PERQUERY, "RR", "x", "y"), "the frame has no measure RR"),
        ((PERQUERY, "AP", "x", "w"), "the frame has no system w; it has x, y, z"),
        ((PERQUERY, "AP", ["x", "w"], "y"), "the frame has no system w; it has x, y, z"),
        ((PERQUERY, "AP", [], "y"), "system must name a system"),
        ((PERQUERY.drop(columns="value"), "AP", "x", "y"), "missing column value; found: name, qid, measure"),
    ],
)
def test_per_query_deltas_of_missing_systems_and_measures_are_refused(data, message):
    with pytest.raises(ValueError, match=message):
        plots.per_query_deltas(*data)


@pytest.mark.usefixtures("laid_out")
@pytest.mark.parametrize(("n_queries", "named"), [(50, 50), (300, 100)])
def test_the_queries_of_a_default_figure_can_be_read(n_queries, named):
    rows = [(name, str(query), query * sign) for name, sign in (("x", 1), ("y", 0)) for query in range(n_queries)]
    frame = pd.DataFrame(rows, columns=["name", "qid", "value"]).assign(measure="AP")

    ax = plots.per_query_deltas(frame, "AP", "x", "y")

    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert len(boxes) == named
    assert all(left.x1 <= right.x0 + 1 for left, right in pairwise(boxes))
    assert ("is named" in ax.get_xlabel()) == (named < n_queries)


def test_a_gain_of_a_measure_whose_lower_values_are_better_is_below_0():
    effort = "UserModel(model=3,stop='ERR',effort='rank')"
    ax = plots.per_query_deltas(PERQUERY.query("name != 'z'").assign(measure=effort), effort, "x", "y")

    assert [bar.get_height() for bar in ax.patches] == pytest.approx([-0.4, 0, 0.8])
    assert ax.get_title().replace("\n", " ").startswith("x against y: 1 better, 1 equal, 1 worse")


def test_a_sweep_has_a_line_for_each_system_and_measure_along_the_parameter():
    table = pd.DataFrame({"name": ["x", "y"], "RBU@5": [0.5, 0.4], "RBU(e=0.1)@5": [0.3, 0.35], "RBU@9": [0.6, 0.7]})

    assert lines(plots.sweep(table.drop(columns="RBU@9"), "e")) == {
        "x": [[0.001, 0.5], [0.1, 0.3]],
        "y": [[0.001, 0.4], [0.1, 0.35]],
    }
    by_cutoff = plots.sweep(table, "cutoff", names={"x": "ours"}, labels={"RBU": "utility"})
    assert lines(by_cutoff)["ours, utility"] == [[5, 0.5], [9, 0.6]]
    with pytest.raises(ValueError, match=r"sweep: 'gamma' is neither a column of the table nor a parameter"):
        plots.sweep(table, "gamma")


def test_a_sweep_of_a_grid_scan_has_a_line_for_each_value_of_the_other_parameters():
    scanned = pd.DataFrame(
        {"tran_0": "XQuAD(...)", "tran_0_lambda_": [0.5, 0.0, 0.5], "tran_1_k": [5, 5, 9], "AP": [0.2, 0.1, 0.3]}
    )

    assert lines(plots.sweep(scanned, "lambda_")) == {"k=5": [[0.0, 0.1], [0.5, 0.2]], "k=9": [[0.5, 0.3]]}
    assert plots.sweep(scanned[:2], "lambda_").get_legend() is None
