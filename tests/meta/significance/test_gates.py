import itertools
import re

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.power import TTestPower

from by_hand import of_measures, perquery
from pyterrier_diversity import RBU, Coverage, UserModel, evaluate_runs
from pyterrier_diversity.meta import below_minimum, worse_than
from pyterrier_diversity.meta.significance.gates import GateError
from pyterrier_diversity.warnings import MissingWarning

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


def p_by_loops(losses):
    """The share of flips of signs whose sum is at least the observed one, for each row."""
    flips = np.array(list(itertools.product([1, -1], repeat=losses.shape[-1])))
    return (losses @ flips.T >= losses.sum(axis=-1, keepdims=True) - 1e-9).mean(axis=-1)


def holm_by_loops(p):
    """Holm (1979): the smallest p times m, the next times m - 1, ..., none smaller than the one before."""
    corrected, before = np.empty(len(p)), 0.0
    for rank, i in enumerate(np.argsort(p)):
        before = corrected[i] = max(before, min(1.0, (len(p) - rank) * p[i]))
    return corrected


def test_a_gate_fails_at_its_level_and_other_runs_change_it_by_holms_factor_only():
    rng, n = np.random.default_rng(36), 12
    old = rng.uniform(0.3, 0.7, n)
    beside = {"alone": [], "a better": [old + 0.1], "nine bad": [old - 0.1 + 0.01 * rng.random(n) for _ in range(9)]}
    of_others = {name: [p_by_loops((old - one)[None])[0] for one in ones] for name, ones in beside.items()}
    share = {}
    for loss in (0.0, 0.02, 0.05):
        draws = old - loss + 0.06 * rng.standard_normal((1000, n))
        single = p_by_loops(old - draws)
        for name, others in of_others.items():
            corrected = np.array([holm_by_loops(np.array([p, *others]))[0] for p in single])
            share[name, loss] = np.mean(corrected < 0.05)
            for i in (0, 500):
                runs = {"old": old, "new": draws[i]} | {f"run {j}": values for j, values in enumerate(beside[name])}
                (row,) = worse_than(perquery(runs), "old", all_systems=True).query("name == 'new'").to_dict("records")
                assert (row["p"], row["p_corrected"]) == pytest.approx((single[i], corrected[i]), abs=1e-12)
                assert row["fails"] == (corrected[i] < 0.05)

    assert all(share[name, 0.0] <= 0.05 + 0.015 for name in beside)
    assert share["alone", 0.05] > 0.75 > share["alone", 0.02] > 0.2
    # The nine are certain losses, which Holm sets aside first.
    assert share["nine bad", 0.05] == share["alone", 0.05] > share["a better", 0.05]


def test_one_more_good_run_lets_no_bad_one_pass():
    rng = np.random.default_rng(2)
    old, more = rng.uniform(0.2, 0.6, 14), rng.uniform(0, 0.4, 14)
    bad = old - 0.05 + 0.03 * rng.standard_normal(14)

    alone = worse_than(perquery({"bad": bad, "old": old}), "old", rng=0)
    beside = worse_than(perquery({"bad": bad, "old": old, "oracle": old + more}), "old", rng=0)

    assert alone["p"].tolist() == beside["p"].tolist()
    assert beside["p_corrected"].item() == pytest.approx(2 * beside["p"].item())


def test_drawn_flips_estimate_p_and_the_same_seed_gives_the_same_gate_in_any_order():
    rng = np.random.default_rng(3)
    old = rng.random(15)
    new = old - 0.1 + 0.15 * rng.standard_normal(15)
    values = perquery({"new": new, "old": old})

    drawn = [worse_than(frame, "old", rng=1, all_systems=True) for frame in (values, values[::-1])]

    assert drawn[0]["p"].item() == pytest.approx(p_by_loops((old - new)[None])[0], abs=0.005)
    assert drawn[0]["p"].tolist() == drawn[1]["p"].tolist()
    assert (drawn[0].attrs["n_trials"], drawn[0].attrs["seed"]) == (10_000, 1)


def test_random_flips_are_so_many_that_holm_leaves_each_gate_able_to_fail():
    losses = np.full(20, 0.5)
    runs = {"old": np.linspace(0.5, 1, 20)} | {f"run {i}": np.linspace(0.5, 1, 20) - losses for i in range(60)}

    worse = worse_than(perquery(runs), "old", rng=0)

    assert len(worse) == 60
    assert worse.attrs["n_trials"] == 20 * 60 / 0.05
    assert worse["p"].max() < 0.05 / 60


def test_the_queries_that_lose_most_are_named():
    both = frame().query("name != 'old'")

    (row,) = worse_than(both, "best").to_dict("records")

    assert row["queries"] == {"q0": -0.5, "q1": -0.5, "q2": -0.5}
    assert row["message"] == (
        "RBU@5 of new is lower than that of best by 0.45 (0.4, 0.85; one-sided p = 0.03125); most on queries "
        "q0 (-0.5), q1 (-0.5), q2 (-0.5)."
    )
    assert worse_than(both, "new").empty


@pytest.mark.parametrize(("tolerance", "n_worse"), [(0.25, 0), (0.2499, 1), (0.0, 1)])
def test_a_loss_must_be_significant_and_larger_than_the_tolerance(tolerance, n_worse):
    values = {"old": [0.35, 0.9, 0.5, 0.6, 0.7], "new": [0.1, 0.65, 0.25, 0.35, 0.45]}
    noisy = {"old": values["old"], "new": [0.0, 0.95, 0.0, 0.65, 0.0]}

    assert len(worse_than(frame(values), "old", tolerance=tolerance)) == n_worse
    assert worse_than(frame(noisy), "old", tolerance=tolerance).empty


def test_a_run_that_equals_its_baseline_passes_whatever_the_queries_are():
    same = {"old": VALUES["old"], "new": VALUES["old"]}

    (row,) = worse_than(frame(same), "old", all_systems=True).to_dict("records")

    assert (row["p"], row["fails"]) == (1.0, False)
    assert row["message"] == "RBU@5 of new against old: +0, one-sided p = 1; the same on all 5 queries."


def test_the_loss_that_a_gate_finds_is_that_of_the_same_one_sided_test():
    rng = np.random.default_rng(4)
    old = rng.random(40)
    new = old + 0.1 * rng.standard_normal(40)

    (message,) = worse_than(perquery({"new": new, "old": old}), "old", all_systems=True, rng=0)["message"]

    by_t = TTestPower().solve_power(nobs=40, power=0.8, alpha=0.05, alternative="larger") * np.std(old - new, ddof=1)
    found = re.search(r"40 queries find a loss of ([0-9.]+) in 80% of cases", message)
    assert float(found[1]) == pytest.approx(by_t, rel=0.15)


def test_of_a_measure_of_which_lower_values_are_better_the_higher_mean_is_worse():
    effort = UserModel(model=3, stop="ERR", effort="rank") @ 10
    values = perquery({"good": np.linspace(0.4, 0.6, 6), "bad": np.linspace(4, 6, 6)}, str(effort))

    (message,) = worse_than(values, "good")["message"]

    assert f"{effort} of bad is higher than that of good by 4.5 (5, 0.5; one-sided p = 0.01562)" in message
    assert message.endswith("; most on queries q5 (5.4), q4 (5.04), q3 (4.68).")
    assert worse_than(values, "bad").empty
    assert below_minimum(values, {effort: 1.0})["name"].tolist() == ["bad"]
    assert "is 5, above 1 by 4; highest on queries q5 (6)" in below_minimum(values, {effort: 1.0})["message"].item()


def test_queries_that_only_one_of_both_answers_fail_the_gate_or_are_left_out():
    qrels = pd.DataFrame({"qid": list("abcdefg"), "docno": "d", "label": 1, "iteration": "x"})
    whole = {query: {"d": 1.0} for query in "abcdefg"}
    with pytest.warns(MissingWarning, match="Run old: The run answers 6 of 7 queries, but not c"):
        values = evaluate_runs(
            qrels,
            {"new": {**whole, "a": {"e": 1.0}}, "old": {q: whole[q] for q in "abdefg"}},
            [Coverage @ 5],
            perquery=True,
        )

    (message,) = worse_than(values, "old")["message"]
    found = worse_than(values, "old", common_queries=True, all_systems=True)

    assert message == (
        "new and old answer different queries: only one of them answers 1 (c). To test the other 6, set "
        "common_queries=True."
    )
    assert found["fails"].tolist() == [False]
    assert found["other_mean"].tolist() == [1.0]
    assert found["message"].item().endswith(" Left out, as only one answers them: 1 of 7 (c).")


@pytest.mark.parametrize("tolerance", [-0.1, float("inf"), float("nan"), "0.1"])
def test_a_tolerance_that_is_no_loss_is_refused(tolerance):
    with pytest.raises(ValueError, match=rf"worse_than: tolerance must be a number in \[0, 1e100\], not '?{tolerance}"):
        worse_than(frame(), "old", tolerance=tolerance)


def test_too_few_queries_for_any_loss_are_no_gate():
    collapse = {"old": [1.0, 1.0, 1.0], "new": [0.0, 0.0, 0.0]}

    none = r"worse_than: no loss can be significant with 3 common queries at alpha = 0\.05: the smallest possible"
    with pytest.raises(GateError, match=rf"^{none} p-value is 0\.125\. Give more queries \(meta\.topics_needed"):
        worse_than(frame(collapse), "old", tolerance=0.1)
    with pytest.raises(GateError, match=f"^{none}"):
        worse_than(frame(collapse | {"old": [1.0] * 6}), "old", common_queries=True)
    assert worse_than(frame(collapse), "old", alpha=0.3)["name"].tolist() == ["new"]
    with pytest.raises(GateError, match=r"value is 0\.5\."):
        worse_than(frame({"old": [1.0], "new": [0.0]}), "old", tolerance=0.5)
    with pytest.raises(GateError, match=r"0\.0625 \(corrected for 2 comparisons\)"):
        worse_than(of_measures(P=VALUES, AP=VALUES).query("name != 'best'"), "old")


@pytest.mark.parametrize("empty", [{}, {"foreign": {"d": 1.0}}, {query: {"doc:d": 1.0} for query in "abcdef"}], ids=str)
@pytest.mark.filterwarnings("ignore::pyterrier_diversity.warnings.DataWarning")
def test_a_run_that_is_empty_or_matches_nothing_fails_each_gate_and_is_no_baseline(empty):
    qrels = pd.DataFrame({"qid": list("abcdef"), "docno": "d", "label": 1, "iteration": "x"})
    whole = {query: {"d": 1.0} for query in "abcdef"}
    values = evaluate_runs(qrels, {"whole": whole, "none": empty}, [RBU @ 5], perquery=True)

    why = "has no judged document" if "a" in empty else "answers no query of the qrels."
    assert f"none {why}" in worse_than(values, "whole")["message"].item()
    assert f"none {why}" in below_minimum(values, {"RBU@5": -0.001})["message"].item()
    with pytest.raises(GateError, match=f"nothing can be worse than the baseline none, which {why}"):
        worse_than(values, "none", tolerance=0.1)


def test_a_baseline_that_shares_no_query_is_no_gate():
    values = pd.concat([frame({"new": [0.5] * 5}), frame({"old": [0.5] * 5}).assign(qid=list("abcde"))])

    with pytest.raises(GateError, match="the baseline old, which shares no query with new"):
        worse_than(values, "old")


@pytest.mark.parametrize(("tolerance", "message"), [(0.0, "is 0 and cannot fall by more than 0"), (0.3, "than 0.3")])
def test_a_baseline_that_cannot_fall_by_more_than_the_tolerance_is_no_gate(tolerance, message):
    values = {"old": np.full(5, tolerance), "new": np.full(5, 0.5)}

    with pytest.raises(GateError, match=rf"the baseline old, whose StRecall@5 .*{re.escape(message)}"):
        worse_than(frame(values, "StRecall@5"), "old", tolerance=tolerance)
    assert worse_than(frame(values, "RBU@5"), "old", tolerance=tolerance).empty


@pytest.mark.parametrize(
    ("measure", "least", "low"),
    [
        ("StRecall@5", 0, "0"),
        ("Coverage@5", -1e-9, "0"),
        ("RBU@5", -5, "-0.00485199"),
        ("RBU(p=1.0)@5", -0.005 + 1e-14, "-0.005"),
        ("EU@5", -0.005, "-0.005"),
        ("Sharp(RBU(p=1.0)@5)", -0.1, "-0.0025"),
        ("Success@5", 0, "0"),
        ("IA(Bpref)", 0, "0"),
    ],
)
def test_a_minimum_that_no_run_can_fall_below_is_no_gate(measure, least, low):
    said = f"below_minimum: no value of {measure} is below {least:g}: its range is [{low}, "

    with pytest.raises(GateError, match=f"^{re.escape(said)}"):
        below_minimum(frame(measure=measure), {measure: least})
