"""Small frames to draw, and functions that read pictures."""

import pandas as pd

from pyterrier_diversity import plots

QRELS = pd.DataFrame(
    [("1", "d1", 2, "a"), ("1", "d2", 1, "b"), ("1", "d3", 0, "b"), ("1", "d4", 0, "c"), ("2", "d1", 1, "a")],
    columns=["qid", "docno", "label", "iteration"],
)
RUN = pd.DataFrame([("1", "d3", 3.0), ("1", "d2", 2.0), ("1", "d1", 1.0)], columns=["qid", "docno", "score"])
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
_XY = PERQUERY.query("name != 'z'")
TWO = pd.concat([_XY, _XY.assign(measure="P@5", value=[0.3, 0.4, 0.1, 0.6, 0.2, 0.4])])
SWEPT = pd.DataFrame({"name": ["x", "y"], "RBU@5": [0.5, 0.4], "RBU(e=0.1)@5": [0.3, 0.35], "StRecall@5": [0.5, 1]})
MISSED = pd.DataFrame(
    [
        ("A", "1", "a", "The first nugget.", 1.0, True, ["B"]),
        ("A", "1", "b", "", 2.0, False, []),
        ("B", "1", "b", "", 2.0, False, []),
    ],
    columns=["name", "qid", "iteration", "nugget_text", "weight", "coverable", "covered_by"],
)
# As of an HSD test with the critical difference 0.2.
COMPARED = pd.DataFrame(
    [("x", "y", 0.6, 0.5, 0.3), ("x", "z", 0.6, 0.3, 0.01), ("y", "z", 0.5, 0.3, 0.05)],
    columns=["name", "other", "mean", "other_mean", "p"],
).assign(measure="RBU", difference=[0.1, 0.3, 0.2], significant=[False, True, False])
COMPARED = COMPARED.assign(ci_low=[-0.1, 0.1, 0.0], ci_high=[0.3, 0.5, 0.4])

# What draws each picture, and of which data.
PICTURES = {
    "differences": (plots.differences, (COMPARED,)),
    "explain": (plots.explain, (EXPLAINED,)),
    "intent_coverage": (plots.intent_coverage, (QRELS, RUN)),
    "means": (plots.means, (COMPARED,)),
    "missed_intents": (plots.missed_intents, (MISSED,)),
    "per_query_deltas": (plots.per_query_deltas, (PERQUERY, "AP", "x", "y")),
    "scatter": (plots.scatter, (TWO, "AP", "P@5")),
    "sweep": (plots.sweep, (SWEPT, "e")),
}


def lines(ax):
    """Return the points of each line, by its label."""
    named = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
    return {line.get_label(): line.get_xydata().tolist() for line in named}


def texts(labels):
    return [label.get_text() for label in labels]


def names(ax):
    """Return the names of lines in the legend."""
    return texts(ax.get_legend().get_texts()) if ax.get_legend() else []


def ticks(axis):
    """Return the numbers that are written at an axis."""
    axis.axes.figure.draw_without_rendering()
    low, high = sorted(axis.get_view_interval())
    return [tick.label1.get_text() for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
