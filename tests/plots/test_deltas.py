from itertools import pairwise

import pandas as pd
import pytest

from frames_to_draw import PERQUERY, lines, names, texts
from pyterrier_diversity import plots


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
        ((PERQUERY, "AP", "x", "w"), "the frame has no system 'w' with AP; it has x, y, z"),
        ((PERQUERY, "AP", ["x", "w"], "y"), "the frame has no system 'w' with AP"),
        ((PERQUERY, "AP", [], "y"), "system must name a system"),
        ((PERQUERY.drop(columns="value"), "AP", "x", "y"), "missing column value; found: name, qid, measure"),
    ],
)
def test_per_query_deltas_of_missing_systems_and_measures_are_refused(data, message):
    with pytest.raises(ValueError, match=message):
        plots.per_query_deltas(*data)


@pytest.mark.parametrize(("n_queries", "named"), [(50, 50), (300, 100)])
def test_the_queries_of_a_default_figure_can_be_read(n_queries, named):
    rows = [(name, str(query), query * sign) for name, sign in (("x", 1), ("y", 0)) for query in range(n_queries)]
    frame = pd.DataFrame(rows, columns=["name", "qid", "value"]).assign(measure="AP")

    ax = plots.per_query_deltas(frame, "AP", "x", "y")

    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert len(boxes) == named
    assert all(left.x1 <= right.x0 + 1 for left, right in pairwise(boxes))
    assert ("is named" in ax.get_xlabel()) == (named < n_queries)
