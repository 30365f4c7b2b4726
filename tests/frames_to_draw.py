"""Small frames to draw, and functions that read pictures."""

from __future__ import annotations

import numpy as np
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
STABILITY = pd.DataFrame({"measure": ["RBU", "AP"], "stability": [0.9, 0.6], "ties": [0.05, 0.3]})
DELTAS = pd.DataFrame({"measure": ["RBU", "AP"], "delta": [0.12, np.nan]})
ASSESSORS = pd.DataFrame(
    {"measure": ["RBU", "AP"], "tau": [0.8, np.nan], "tau_low": [0.5, np.nan], "tau_high": [0.9, np.nan]}
)
CONCORDANCE = pd.DataFrame(
    [("RBU", "AP", 0.7, 0.2, 30, 0.01), ("RBU", "P", 0.5, 0.4, 10, 0.6), ("AP", "P", np.nan, np.nan, 0, 1.0)],
    columns=["measure", "other", "concordance", "other_concordance", "disagreements", "p"],
)
CONFUSION = pd.DataFrame([[6, 2], [0, 0], [1, 3]], index=[0, 1, 3], columns=[0, 1])
POOLS = SIZES.rename(columns={"size": "depth"})
SYSTEMS = pd.DataFrame(
    [("P_R", 2, 0.6, 0.3), ("P_R", 4, 0.8, 0.2), ("AP_R", 4, 0.9, np.nan)],
    columns=["measure", "n_systems", "mean", "std"],
)
SYNTHETIC = pd.DataFrame(
    [("P_R", "rare", 1, 5), ("P_R", "rare", 2, 1), ("AP_R", "rare", 1, 5), ("AP_R", "rare", 2, 3)],
    columns=["measure", "kind", "n_relevant", "rank"],
)
TOPICS = pd.DataFrame({"measure": ["P", "P", "AP"], "topics": [100, 25, 25], "delta": [0.1, 0.2, 0.3]})

STAGES = pd.DataFrame(
    [("BM25", "1", 1.0), ("BM25", "2", 0.5), ("first 3", "1", 0.5), ("first 3", "2", 0.5)],
    columns=["name", "qid", "value"],
).assign(measure="StRecall")
GROUPS = pd.DataFrame(
    [
        ("x", "easy", 2, 0.5),
        ("x", "hard", 1, 0.25),
        ("x", "macro mean", 3, 0.375),
        ("y", "easy", 2, 0.75),
        ("y", "hard", 1, 0.5),
        ("y", "macro mean", 3, 0.625),
    ],
    columns=["name", "kind", "queries", "RBU@5"],
)

# As of an HSD test with the critical difference 0.2.
COMPARED = pd.DataFrame(
    [("x", "y", 0.6, 0.5, 0.3), ("x", "z", 0.6, 0.3, 0.01), ("y", "z", 0.5, 0.3, 0.05)],
    columns=["system", "other", "mean", "other_mean", "p"],
).assign(measure="RBU", difference=[0.1, 0.3, 0.2], significant=[False, True, False])
COMPARED = COMPARED.assign(ci_low=[-0.1, 0.1, 0.0], ci_high=[0.3, 0.5, 0.4])

# What draws each picture, and of which data.
PICTURES = {
    "asl_curve": (plots.asl_curve, (ASL,)),
    "assessor_agreement": (plots.assessor_agreement, (ASSESSORS,)),
    "by_topic_set_size": (plots.by_topic_set_size, (SIZES,)),
    "concordance": (plots.concordance, (CONCORDANCE,)),
    "confusion": (plots.confusion, (CONFUSION,)),
    "coverage": (plots.coverage, (QRELS, RUN, "1")),
    "delta_required": (plots.delta_required, (DELTAS,)),
    "differences": (plots.differences, (COMPARED,)),
    "discriminative_power": (plots.discriminative_power, (POWER,)),
    "explain": (plots.explain, (EXPLAINED,)),
    "groups": (plots.groups, (GROUPS,)),
    "insert_synthetic_system": (plots.insert_synthetic_system, (SYNTHETIC,)),
    "intent_coverage": (plots.intent_coverage, (QRELS, RUN)),
    "means": (plots.means, (COMPARED,)),
    "missed_intents": (plots.missed_intents, (MISSED,)),
    "number_of_systems": (plots.number_of_systems, (SYSTEMS,)),
    "per_query_deltas": (plots.per_query_deltas, (PERQUERY, "AP", "x", "y")),
    "pool_depth": (plots.pool_depth, (POOLS,)),
    "stability": (plots.stability, (STABILITY,)),
    "stages": (plots.stages, (STAGES,)),
    "tau_matrix": (plots.tau_matrix, (TAUS,)),
    "topics_needed": (plots.topics_needed, (TOPICS,)),
    "unanimity": (plots.unanimity, (UNANIMITY,)),
}

# What a frame of `meta` for a picture may not be without.
COLUMNS = {
    "asl_curve": "measure, rank, asl",
    "assessor_agreement": "measure, tau, tau_low, tau_high",
    "by_topic_set_size": "measure, size, tau",
    "concordance": "measure, other, concordance, other_concordance, p",
    "delta_required": "measure, delta",
    "discriminative_power": "measure, significant, pairs",
    "insert_synthetic_system": "measure, n_relevant, rank",
    "number_of_systems": "measure, n_systems, mean, std",
    "pool_depth": "measure, depth, tau",
    "stability": "measure, stability, ties",
    "topics_needed": "measure, topics, delta",
    "unanimity": "measure, unanimity",
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
