"""One ranking given as plain labels."""

from math import log2

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity import (
    AP_IA,
    EU_DD,
    IA,
    P_IA,
    RBU,
    SRR,
    Adhoc,
    AP_Rareness,
    Coverage,
    D_nDCG,
    DIN_nDCG,
    Sharp,
    StRecall,
    alpha_nDCG,
    score,
)

UTILITY = RBU(p=0.5, e=0, gain="binary")


TWO = [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("measure", "labels", "given", "value"),
    [
        # A row is a document, the first one of rank 1, and a column is an intent; one row of labels is of one intent.
        (StRecall @ 1, [[1, 0, 0], [0, 1, 1]], {}, 1 / 3),
        (StRecall @ 2, [[1, 0, 0], [0, 1, 1]], {}, 1),
        (SRR, [[0], [0], [1]], {}, 1 / 3),
        (SRR, [[0]] * 11 + [[1]], {}, 1 / 12),
        (AP_IA, [1, 0, 3], {}, (1 + 2 / 3) / 2),
        (AP_IA, [[1], [0], [3]], {}, (1 + 2 / 3) / 2),
        (RBU(p=0.5, e=0, gain="linear", max_rel=1), [-2, 0.5], {}, 0.125),
        ("StRecall@1", TWO, {}, 0.5),
        # Others are judged, but not retrieved, and they are in the ideal.
        (StRecall, [[1, 0], [2, 0]], {}, 1),
        (StRecall, [[1, 0], [2, 0]], {"others": [[0, 1]]}, 0.5),
        (AP_IA, [1, 0, 1], {"others": [1, 1]}, (1 + 2 / 3) / 4),
        (AP_IA, [1, 0, 1], {"others": [0, 0, -1]}, (1 + 2 / 3) / 2),
        (alpha_nDCG @ 1, [[1, 0]], {"others": [[1, 1]]}, 0.5),
        (StRecall @ 2, [], {"others": [1, 1]}, 0),
        (StRecall @ 2, np.zeros((0, 1)), {"others": [1, 1]}, 0),
        # Without weights, all intents weigh the same; those without relevant documents or weight are left out.
        (UTILITY, TWO, {}, 0.375),
        (UTILITY, TWO, {"weights": [7, 7]}, 0.375),
        (UTILITY, TWO, {"weights": np.array([0.5, 1.5])}, 0.5 * 0.25 + 0.25 * 0.75),
        (UTILITY, [[1, 0, 0], [0, 0, 1]], {"weights": [1, 5, 3]}, 0.5 * 0.25 + 0.25 * 0.75),
        (StRecall @ 2, [[1, 0, 0], [0, 0, 1]], {}, 1),
        (StRecall, [[1, 0]], {"others": [[0, 1]], "weights": [1, 0]}, 1),
        # Some measures count all intents.
        (Coverage @ 1, [[1, 0, 0]], {"others": [[0, 1, 0]], "weights": [2, 1, 1]}, 0.5),
        # A measure may be made of others.
        (IA(ir_measures.P @ 2), TWO, {}, 0.5),
        (Adhoc(ir_measures.P @ 2), TWO, {}, 1),
        (Sharp(P_IA @ 2), TWO, {}, 0.75),
        (IA(UTILITY), TWO, {}, 0.375),
    ],
)
def test_values_worked_by_hand(measure, labels, given, value):
    found = score(measure, labels, **given)

    assert found == pytest.approx(value, abs=1e-15)
    assert type(found) is float


@pytest.mark.parametrize("form", [list, tuple, np.array, pd.Series])
def test_labels_may_be_in_any_array(form):
    assert score(UTILITY, form([0, 1, 2])) == 0.25


def test_intent_types_mark_navigational_intents():
    labels = [[1, 0], [1, 1]]

    # With navigational intents only the first relevant document counts.
    assert score(DIN_nDCG @ 2, labels, intent_types=["inf", "inf"]) == score(D_nDCG @ 2, labels)
    assert score(DIN_nDCG @ 2, labels) == score(D_nDCG @ 2, labels)
    gained, best = (0.5 + 0.5 / log2(3)), (1 + 0.5 / log2(3))
    assert score(DIN_nDCG @ 2, labels, intent_types=["nav", "nav"]) == pytest.approx(gained / best)


@pytest.mark.parametrize("measure", ["P@2", ir_measures.AP, ir_measures.nDCG @ 2, ir_measures.RR], ids=str)
def test_a_measure_may_be_of_another_provider(measure):
    by_run = ir_measures.parse_measure(str(measure))

    assert score(measure, [0, 1], others=[1]) == pytest.approx(
        ir_measures.calc_aggregate([by_run], {"q": {"a": 0, "b": 1, "c": 1}}, {"q": {"a": 2.0, "b": 1.0}})[by_run]
    )


@settings(max_examples=15, deadline=None)
@given(
    labels=st.lists(st.lists(st.sampled_from([-1, 0, 0, 1, 2]), min_size=3, max_size=3), min_size=1, max_size=12),
    others=st.lists(st.lists(st.sampled_from([0, 1, 3]), min_size=3, max_size=3), max_size=4),
    weights=st.none() | st.lists(st.sampled_from([0.5, 1, 2]), min_size=3, max_size=3),
    types=st.none() | st.lists(st.sampled_from(["inf", "nav"]), min_size=3, max_size=3),
)
def test_values_are_those_of_frames(labels, others, weights, types):
    docs = [*labels, *others]
    rows = [("q", f"d{99 - i}", f"t{t}", label) for i, doc in enumerate(docs) for t, label in enumerate(doc)]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "iteration", "label"])
    if weights:
        qrels["weight"] = qrels["iteration"].map({f"t{t}": weight for t, weight in enumerate(weights)})
    if types:
        qrels["intent_type"] = qrels["iteration"].map({f"t{t}": kind for t, kind in enumerate(types)})
    run = {"q": {f"d{99 - i}": -float(i) for i in range(len(labels))}}
    # They read, in turn: cutoffs, weights, types, the labels of one intent, and all intents that are named.
    measures = [P_IA @ 3, RBU @ 4, DIN_nDCG @ 5, IA(RBU), Coverage]

    expected = ir_measures.calc_aggregate(measures, qrels, run)

    for measure in measures:
        given = score(measure, labels, others=others, weights=weights, intent_types=types)
        assert given == pytest.approx(expected[measure], abs=1e-12)


# What cannot be scored


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": [[[1]]]}, r"score: labels must have one or two dimensions, not the shape \(1, 1, 1\)"),
        ({"labels": 1}, r"score: labels must have one or two dimensions, not the shape \(\)"),
        ({"labels": [1], "others": [[[1]]]}, "score: others must have one or two dimensions"),
        ({"labels": [[1, 0]], "others": [1]}, "score: others must have 2 intents, like labels, not 1"),
        ({"labels": [1], "others": [[1, 0]]}, "score: others must have 1 intents, like labels, not 2"),
        ({"labels": [[1, 0]], "weights": [1]}, "score: weights must have 2 intents, like labels, not 1"),
        ({"labels": [[1, 0]], "weights": 2}, "score: weights must have 2 intents, like labels, not 1"),
        ({"labels": [1], "weights": [1, 2]}, "score: weights must have 1 intents, like labels, not 2"),
        ({"labels": [1], "intent_types": ["inf"] * 3}, "score: intent_types must have 1 intents, .*, not 3"),
        ({"labels": []}, "score: labels and others have no intent. Give the labels of at least one document."),
        ({"labels": [[], []]}, "score: labels and others have no intent"),
        ({"labels": [1, np.nan]}, "label must be a finite number"),
        ({"labels": [1], "others": [np.inf]}, "label must be a finite number"),
        ({"labels": [[1, 1]], "weights": [1, -1]}, "weight must not be negative"),
        ({"labels": [[1, 1]], "intent_types": ["inf", "x"]}, "intent_type must be 'inf' or 'nav', .* 'x'"),
    ],
    ids=str,
)
def test_something_that_is_not_a_ranking_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        score(P_IA @ 1, **arguments)


@pytest.mark.parametrize(("measure", "column"), [(AP_Rareness, "rarity"), (EU_DD, "passage")], ids=str)
def test_a_measure_that_needs_another_column_is_refused(measure, column):
    with pytest.raises(ValueError, match=f"{measure} needs the column {column}"):
        score(measure, [1])


@pytest.mark.parametrize(("given", "labels", "named"), [(3, [1], "3"), ([[1], [0]], RBU, "a list of 2")])
def test_something_that_is_not_a_measure_is_refused(given, labels, named):
    message = f"score: a measure must be an object such as RBU @ 20, or its name, not {named}"
    with pytest.raises(TypeError, match=message):
        score(given, labels)
