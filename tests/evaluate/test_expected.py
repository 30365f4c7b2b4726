from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, RR, NumQ, NumRet, P, nDCG

from pyterrier_diversity import CT, IA, RBU, Adhoc, StRecall, alpha_nDCG, evaluate_runs
from pyterrier_diversity.evaluate import score
from pyterrier_diversity.evaluate.expected import read_draws

LABELS = {"a": [1, 0], "b": [0, 2], "c": [0, 0], "d": [1, 1]}
QRELS = pd.DataFrame(
    [
        (query, doc, label, str(intent))
        for query in ("q", "p")
        for doc, labels in LABELS.items()
        for intent, label in enumerate(labels)
    ],
    columns=["qid", "docno", "label", "iteration"],
)
# All documents of q are tied but the first one; none of p is.
RUN = pd.DataFrame(
    [("q", "c", 2.0), ("q", "a", 1.0), ("q", "b", 1.0), ("q", "d", 1.0)]
    + [("p", doc, -place) for place, doc in enumerate("dcab")],
    columns=["qid", "docno", "score"],
)
# Means and standard errors of RBU(e=0.05)@3 and Adhoc(AP) over seven orders.
VERSION_1 = [0.38021802991071396, 0.013095547427649299, 0.7222222222222221, 0.0]
MEASURES = [RBU @ 3, alpha_nDCG @ 3, StRecall @ 2, IA(nDCG @ 2), Adhoc(AP), Adhoc(P @ 2), CT]


def expected(runs: object = None, measures: object = MEASURES, **options: object) -> pd.DataFrame:
    given = {"mine": RUN} if runs is None else runs
    return evaluate_runs(QRELS, given, measures, ties="expected", **{"rng": 1, **options})


def value_of(measure: object, docs: str) -> float:
    return score(measure, [LABELS[doc] for doc in docs], others=[LABELS[doc] for doc in LABELS if doc not in docs])


@pytest.fixture(scope="module")
def of_many_orders():
    return expected(perquery=True, samples=2000)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_the_mean_is_that_over_all_orders_of_the_tied_documents(measure, of_many_orders):
    orders = [value_of(measure, "c" + "".join(order)) for order in permutations("abd")]

    table = of_many_orders[of_many_orders["measure"] == str(measure)].set_index("qid")

    assert table["value"]["q"] == pytest.approx(np.mean(orders), abs=5 * table["se"]["q"] + 1e-12)
    assert table["se"]["q"] == pytest.approx(np.std(orders) / 2000**0.5, rel=0.1, abs=1e-12)
    assert table.loc["p", ["value", "se"]].tolist() == [value_of(measure, "dcab"), 0.0]


def test_a_tie_worked_by_hand():
    # The first of two tied documents is relevant or not: RR is 1 or 1/2.
    qrels = pd.DataFrame({"qid": "q", "docno": ["r"], "label": 1})
    run = pd.DataFrame({"qid": "q", "docno": ["r", "s"], "score": 1.0})

    table = evaluate_runs(qrels, {"mine": run}, [RR], ties="expected", samples=1000, rng=3)

    assert table["RR"][0] == pytest.approx(0.75, abs=5 * 0.25 / 1000**0.5)
    assert table["se(RR)"][0] == pytest.approx(0.25 / 1000**0.5, rel=0.05)
    with pytest.warns(UserWarning, match="All documents have the same score in 1 of 1 queries"):
        assert evaluate_runs(qrels, {"mine": run}, [RR])["RR"][0] == 0.5


def test_a_table_has_the_error_of_each_mean_over_queries():
    table, by_query = expected(), expected(perquery=True)

    assert table.columns.tolist() == ["name", *(c for m in map(str, MEASURES) for c in (m, f"se({m})"))]
    for measure in map(str, MEASURES):
        of_measure = by_query[by_query["measure"] == measure]
        assert table[measure][0] == pytest.approx(of_measure["value"].mean(), abs=1e-12)
        assert table[f"se({measure})"][0] == pytest.approx(of_measure["se"].max() / 2, abs=1e-12)  # p adds nothing


def test_sums_over_queries_are_drawn_too():
    table = expected(measures=[NumQ, Adhoc(NumRet(rel=1))])

    assert table.drop(columns="name").to_numpy().tolist() == [[2.0, 0.0, 6.0, 0.0]]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_seed_gives_the_same_numbers_for_any_order_of_rows_runs_and_queries(n_jobs):
    other = RUN.assign(score=0.0)
    table = expected({"mine": RUN, "other": other}, perquery=True)

    shuffled = {"other": other.sample(frac=1, random_state=2), "mine": RUN.sample(frac=1, random_state=1)}
    again = expected(shuffled, perquery=True, n_jobs=n_jobs)
    alone = expected({"any": RUN[RUN["qid"] == "q"]}, perquery=True)

    keys = ["name", "qid", "measure"]
    pd.testing.assert_frame_equal(
        again.sort_values(keys, ignore_index=True), table.sort_values(keys, ignore_index=True), check_exact=True
    )
    of_q = table[(table["name"] == "mine") & (table["qid"] == "q")]["value"].tolist()
    assert alone[alone["qid"] == "q"]["value"].tolist() == of_q
    assert expected(rng=2)["RBU@3"][0] != expected()["RBU@3"][0]


def test_a_run_without_ties_has_the_usual_values_and_no_error():
    untied = RUN[RUN["qid"] == "p"]

    table = expected({"mine": untied})

    usual = evaluate_runs(QRELS, {"mine": untied}, MEASURES)
    pd.testing.assert_frame_equal(table[list(usual)], usual, check_exact=True)
    assert (table[[f"se({measure})" for measure in MEASURES]] == 0).all(axis=None)


def test_warnings_come_once_although_there_are_many_orders():
    run = pd.concat([RUN, RUN.head(1)])

    with pytest.warns(UserWarning, match=r"^Run mine: ") as warned:
        expected({"mine": run})

    assert len(warned) == 1


def test_a_table_says_how_many_orders_were_drawn_and_by_which_seed():
    table = expected(samples=7, rng=5)

    assert table.attrs["expected"]["samples"] == 7
    assert table.attrs["expected"]["se"] == {"mine": {str(m): table[f"se({m})"][0] for m in MEASURES}}
    assert expected(samples=7, rng=5, perquery=True).attrs == table.attrs
    assert table.attrs["expected"]["seed"] == 5
    json.dumps(table.attrs)
    assert "expected" not in evaluate_runs(QRELS, {"mine": RUN}, MEASURES).attrs


@pytest.mark.parametrize(
    "rng", [5, np.int64(5), np.random.default_rng(5), None], ids=["int", "numpy", "generator", "none"]
)
@pytest.mark.parametrize("perquery", [False, True])
def test_the_recorded_seed_gives_the_same_table_again(rng, perquery):
    table = expected(samples=7, rng=rng, perquery=perquery)

    again = expected(samples=7, rng=table.attrs["expected"]["seed"], perquery=perquery)
    pd.testing.assert_frame_equal(again, table, check_exact=True)
    assert again.attrs == table.attrs


def test_generators_of_one_state_draw_the_same_orders():
    first, second = (expected(rng=np.random.default_rng(5)) for _ in range(2))

    pd.testing.assert_frame_equal(first, second, check_exact=True)


def test_an_integer_seed_draws_the_orders_that_it_drew_in_version_1():
    table = expected(measures=[RBU(e=0.05) @ 3, Adhoc(AP)], samples=7, rng=5)

    assert table.drop(columns="name").to_numpy()[0].tolist() == pytest.approx(VERSION_1, rel=0, abs=1e-12)


def test_the_share_of_queries_with_ties_across_each_cutoff_is_in_attrs():
    measures = [RBU @ 1, Adhoc(P @ 2), alpha_nDCG @ 3, nDCG(judged_only=True) @ 5, AP, CT @ 1]

    table = evaluate_runs(QRELS, {"mine": RUN, "none": RUN[RUN["qid"] == "p"]}, measures[:3], queries=True)

    shares = {"ties@1": 0.0, "ties@2": 0.5, "ties@3": 0.5}
    assert table.attrs["ties"] == {"mine": shares, "none": dict.fromkeys(shares, 0.0)}
    assert table[["queries", *shares]].to_numpy().tolist() == [[2, 0.0, 0.5, 0.5], [1, 0.0, 0.0, 0.0]]
    ordered = QRELS.sort_values("label", kind="stable")
    assert list(evaluate_runs(ordered, {"mine": RUN}, measures[3:]).attrs["ties"]["mine"]) == ["ties@5"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "random"}, r"^evaluate_runs: ties must be 'docno' or 'expected', not 'random'\.$"),
        ({"samples": 1}, r"^evaluate_runs: samples must be an integer in \[2, 1e6\], not 1\.$"),
        ({"samples": -3, "ties": "docno"}, r"^evaluate_runs: samples must be an integer in \[2, 1e6\], not -3\.$"),
        ({"samples": 2.5}, r"^evaluate_runs: samples must be an integer in \[2, 1e6\], not 2\.5\.$"),
        ({"rng": -1}, r"^rng must be a seed"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        evaluate_runs(QRELS, {"mine": RUN}, MEASURES, **{"ties": "expected", **options})


def test_different_seeds_draw_different_orders():
    seeds = {read_draws("evaluate_runs", "expected", 2, rng).seed for rng in range(200)}

    assert len(seeds) == 200
