import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import P, nDCG

from by_hand import of_measures
from pyterrier_diversity import IA, RBAP, RBU, Adhoc
from pyterrier_diversity.meta import compare, expected_over_cutoffs

VALUES = of_measures(**{"P@1": {"y": [1, 0], "x": [0, 1]}, "P@10": {"y": [0.2, 0.4], "x": [0.1, 0.3]}})


def test_each_value_is_the_mean_over_the_cutoffs():
    table = expected_over_cutoffs(VALUES, {10: 0.75, 1: 0.25})

    assert table["name"].tolist() == ["x", "x", "y", "y"]
    assert table["qid"].tolist() == ["q0", "q1"] * 2
    assert set(table["measure"]) == {"E[P@k]"}
    assert table["value"].tolist() == pytest.approx([0.075, 0.475, 0.4, 0.3])
    assert table.attrs["legend"].keys() == set(table)


def experiment(measures):
    demo = pt.get_dataset("diversity:demo")
    runs = {name: demo.get_results(name) for name in ("xquad", "bm25")}
    return pt.Experiment(runs, demo.get_topics(), demo.get_qrels(), measures, perquery=True)


def test_precision_where_rank_biased_users_stop_is_average_precision_of_these_users():
    # Carterette (2011), model 4: the sum of P(k) P@k; those who read below rank 10 are put at rank 10.
    theta, deepest = 0.5, 10
    chances = {k: theta * (1 - theta) ** (k - 1) for k in range(1, deepest)}
    last = (1 - theta) ** (deepest - 1)
    perquery = experiment([IA(P @ k) for k in range(1, deepest + 1)])

    table = expected_over_cutoffs(perquery, {**chances, deepest: last})

    whole = experiment([RBAP(theta=theta) @ (deepest - 1)]).set_index(["name", "qid"])["value"]
    at_last = perquery[perquery["measure"] == f"IA(P@{deepest})"].set_index(["name", "qid"])["value"]
    expected = (whole + last * at_last).loc[pd.MultiIndex.from_frame(table[["name", "qid"]])]
    assert table["measure"].unique().tolist() == ["E[IA(P@k)]"]
    assert table["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-9)


def test_measures_side_by_side_are_as_alone_and_others_are_left_out():
    perquery = experiment([RBU(p=0.9) @ 1, Adhoc(nDCG @ 5), RBU(p=0.9) @ 5, RBU @ 3, Adhoc(nDCG @ 1)])

    table = expected_over_cutoffs(perquery, {1: 0.5, 5: 0.5})

    assert {*table["measure"]} == {"E[RBU(p=0.9)@k]", "E[Adhoc(nDCG@k)]"}
    alone = expected_over_cutoffs(perquery[perquery["measure"].str.startswith("Adhoc")], {5: 0.5, 1: 0.5})
    assert np.allclose(alone["value"], table.loc[table["measure"] == "E[Adhoc(nDCG@k)]", "value"], atol=1e-15)


def test_a_cutoff_where_nobody_stops_is_not_needed():
    table = expected_over_cutoffs(VALUES, {1: 1.0, 7: 0.0})

    assert table["value"].tolist() == [0, 1, 1, 0]


def test_the_result_is_compared_like_any_other():
    table = expected_over_cutoffs(VALUES, {1: 0.5, 10: 0.5})

    assert compare(table, "t")["measure"].tolist() == ["E[P@k]"]


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ({1: 0.5, 10: 0.4}, "probabilities must sum to 1, not 0.9: add the rest to the last cutoff"),
        ({1: 1.5}, r"probability of cutoff 1 must be a number in \[0, 1\], not 1.5"),
        ({0: 1.0}, r"probabilities must be an integer in \[1, inf\), not 0"),
        ({7: 1.0}, "must have a measure with a cutoff of 7, but has P@1, P@10"),
        ({1: 0.5, 7: 0.25, 9: 0.25}, r"E\[P@k\] needs the cutoffs 7, 9, too\."),
        ({}, "must sum to 1, not 0"),
        ([0.5, 0.5], "probabilities must be a dict of cutoffs, not list"),
    ],
)
def test_invalid_probabilities_are_refused(probabilities, message):
    with pytest.raises(ValueError if isinstance(probabilities, dict) else TypeError, match=message):
        expected_over_cutoffs(VALUES, probabilities)
