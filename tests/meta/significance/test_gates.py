import re

import numpy as np
import pandas as pd
import pytest

from by_hand import perquery
from pyterrier_diversity import RBU, Coverage, evaluate_runs
from pyterrier_diversity.meta import below_minimum, compare, worse_than
from pyterrier_diversity.meta.significance.gates import GateError

VALUES = {"old": [0.75, 0.5, 0.5, 0.75, 0.25], "new": [0.5, 0.25, 0.5, 0.5, 0.25], "best": [1.0, 0.75, 1.0, 1.0, 0.5]}


def frame(values=VALUES, measure="RBU@5"):
    return perquery(values, measure)


def test_systems_below_the_minimum_are_named_with_their_lowest_queries():
    (row,) = below_minimum(frame(), {"RBU@5": 0.5}).to_dict("records")

    assert row["name"] == "new"
    assert row["short_by"] == pytest.approx(0.1, abs=1e-12)
    assert row["queries"] == {"q1": 0.25, "q4": 0.25, "q0": 0.5}
    assert row["message"] == "RBU@5 of new is 0.4, below 0.5 by 0.1; lowest on queries q1 (0.25), q4 (0.25), q0 (0.5)."


@pytest.mark.parametrize("values", [[0.1, 0.2, 0.3], [0.7, 0.1], [0.55]])
def test_a_mean_that_equals_the_minimum_up_to_rounding_is_enough(values):
    least = float(np.mean(values))

    for minimum in (least, np.nextafter(least, 1), round(least, 15)):
        assert below_minimum(frame({"a": values}), {"RBU@5": float(minimum)}).empty
    assert len(below_minimum(frame({"a": values}), {"RBU@5": least + 1e-9})) == 1


def test_a_minimum_may_be_a_number_of_numpy_and_nan_reaches_none():
    assert len(below_minimum(frame(), {"RBU@5": np.float32(0.5)})) == 1
    assert len(below_minimum(frame({"a": [0.5, float("nan")]}), {"RBU@5": 0.0})) == 1


@pytest.mark.parametrize(
    ("minimum", "message"),
    [
        ({}, "minimum must have at least one measure"),
        ({"RBU@5": float("nan")}, r"the minimum of RBU@5 must be a number in \(-inf, inf\), not nan"),
        ({"RBU@5": "high"}, r"must be a number in \(-inf, inf\), not 'high'"),
        ({"AP": 0.5}, "perquery has no measure AP; it has RBU@5"),
        ({"RBU@5": 0.9, RBU @ 5: 0.1}, "minimum must have each measure once, not as RBU@5, RBU@5"),
        ({"RBU@5": 0.9, "RBU(p=0.99)@5": 0.1}, "must have each measure once"),
        ({"RBU@5,AP": 0.5}, "RBU@5,AP"),
    ],
)
def test_an_invalid_minimum_is_refused(minimum, message):
    with pytest.raises(ValueError, match=message):
        below_minimum(frame(), minimum)


def test_a_significantly_lower_mean_is_worse():
    perquery = frame()

    worse = worse_than(perquery, "best", test="t", alpha=0.02)

    compared = compare(perquery, "t", baseline="best", alpha=0.02)
    expected = compared[compared["significant"] & (compared["difference"] < 0)]
    assert len(expected) > 0
    assert worse["name"].tolist() == expected["name"].tolist()
    assert worse["p"].tolist() == expected["p"].tolist()
    assert worse.attrs == compared.attrs


def test_a_significantly_higher_mean_is_not_worse():
    assert worse_than(frame(), "new", test="t", alpha=0.5).empty


def test_the_queries_that_lose_most_are_named():
    worse = worse_than(frame(), "old", test="t", alpha=0.01, tolerance=0.1).set_index("name")

    assert worse.index.tolist() == ["new"]
    assert worse.loc["new", "queries"] == {"q0": -0.25, "q1": -0.25, "q3": -0.25}
    assert worse.loc["new", "message"].startswith("RBU@5 of new is lower than that of old by 0.15 (0.4, 0.55; p = ")
    assert worse.loc["new", "message"].endswith("; most on queries q0 (-0.25), q1 (-0.25), q3 (-0.25).")


@pytest.mark.parametrize(("tolerance", "n_worse"), [(0.15, 0), (0.1499, 1), (None, 0), (0.0, 1)])
def test_a_loss_of_the_tolerance_itself_is_tolerated(tolerance, n_worse):
    values = {"old": [0.35, 0.9], "new": [0.05, 0.9]}

    assert len(worse_than(frame(values), "old", test="t", tolerance=tolerance)) == n_worse


def test_a_p_value_that_no_trial_reached_has_its_bound():
    values = {"old": np.linspace(0.5, 1, 20), "new": np.linspace(0, 0.5, 20)}

    (message,) = worse_than(frame(values), "old", n_trials=500, rng=1)["message"]

    assert "; p < 0.002)" in message


def test_the_corrected_p_value_decides():
    worse = worse_than(frame(), ["best"], test="t", correction="holm", alpha=0.05)

    assert all("p corrected = " in message for message in worse["message"])
    assert worse["p_corrected"].lt(0.05).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alternative": "greater"}, "alternative must be 'two-sided'"),
        ({"tolerance": -0.1}, "tolerance must be a number in \\[0, inf\\), not -0.1"),
        ({"tolerance": float("inf")}, "tolerance must be a number in \\[0, inf\\), not inf"),
        ({"tolerance": float("nan")}, "tolerance must be a number in \\[0, inf\\), not nan"),
        ({"tolerance": "0.1"}, "tolerance must be a number in \\[0, inf\\), not '0.1'"),
    ],
)
def test_gates_that_cannot_be_evaluated_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        worse_than(frame(), "old", test="t", **options)


def test_a_test_that_no_values_could_make_significant_is_no_gate():
    collapse = {"old": [1.0, 1.0, 1.0], "new": [0.0, 0.0, 0.0]}

    none = r": no difference can be significant with 3 queries at alpha = 0\.05"
    least = r": the smallest possible p-value is 0\.25\..* Give a tolerance, or more queries\.$"
    with pytest.raises(GateError, match=f"^worse_than{none}{least}"):
        worse_than(frame(collapse), "old")
    with pytest.warns(UserWarning, match=f"^compare{none}"):
        assert worse_than(frame(collapse), "old", tolerance=0.1)["name"].tolist() == ["new"]
    assert worse_than(frame(collapse), "old", alpha=0.3, rng=1)["name"].tolist() == ["new"]


def test_a_tolerance_that_a_collapse_does_not_exceed_is_no_gate_if_no_difference_can_be_significant():
    collapse = frame({"old": [0.5, 0.75, 0.25], "new": [0.0, 0.0, 0.0]}, "StRecall@5")

    with pytest.raises(
        GateError,
        match=r"nothing can be worse than the baseline old, whose StRecall@5 cannot fall by more than the tolerance, "
        r"0\.5, from 0\.5; no difference can be significant with 3 queries",
    ):
        worse_than(collapse, "old", tolerance=0.5)
    assert worse_than(collapse, "old", tolerance=0.499)["name"].tolist() == ["new"]
    assert worse_than(collapse, "old", tolerance=0.5, test="t", alpha=0.1)["name"].tolist() == ["new"]


@pytest.mark.parametrize("baseline", [{}, {"foreign": {"d": 1.0}}])
def test_a_baseline_that_answers_no_query_is_no_gate(baseline):
    qrels = pd.DataFrame({"qid": ["1", "2"], "docno": "d", "label": 1, "iteration": "a"})
    with pytest.warns(UserWarning, match=r"^Run old(: No query of the run|: The run is empty)"):
        perquery = evaluate_runs(qrels, {"new": {"1": {"d": 1.0}}, "old": baseline}, [Coverage @ 5], perquery=True)

    with pytest.raises(GateError, match="nothing can be worse than the baseline old, which answers no query of the"):
        worse_than(perquery, "old", tolerance=0.1, test="t")


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        (Coverage @ 5, "of which no document is judged. Do its document ids match those of the qrels?"),
        (RBU @ 5, "of which no document is judged."),
    ],
)
def test_a_baseline_without_a_judged_document_is_no_gate(measure, why):
    qrels = pd.DataFrame({"qid": ["1", "2"], "docno": "d", "label": 1, "iteration": "a"})
    runs = {"new": {"1": {"d": 1.0}, "2": {"d": 1.0}}, "old": {"1": {"doc:d": 1.0}, "2": {"doc:d": 1.0}}}
    with pytest.warns(UserWarning, match=r"^Run old: No document of the run is judged"):
        perquery = evaluate_runs(qrels, runs, [measure], perquery=True)

    assert perquery.attrs["unmatched"] == ["old"]
    with pytest.raises(GateError, match=f"nothing can be worse than the baseline old, {re.escape(why)}"):
        worse_than(perquery, "old", tolerance=0.1, test="t")
    assert worse_than(perquery, "new", tolerance=0.1, test="t")["name"].tolist() == ["old"]


def test_a_baseline_with_the_lowest_value_on_every_query_is_no_gate():
    values = {"old": [0.0, 0.0, 0.0], "new": [0.5, 0.25, 0.0]}

    with pytest.raises(GateError, match=r"nothing can be worse than the baseline old, whose StRecall@5 is 0 on every"):
        worse_than(frame(values, "StRecall@5"), "old", tolerance=0.1, test="t")
    assert worse_than(frame(values, "RBU@5"), "old", tolerance=0.1, test="t").empty
    assert worse_than(frame({**values, "old": [0.0, 0.1, 0.0]}, "StRecall@5"), "old", tolerance=0.1, test="t").empty
