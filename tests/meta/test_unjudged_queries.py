"""Queries without judgements, which are NaN, are left out by every function that reads the values of an experiment."""

import json

import numpy as np
import pandas as pd
import pytest
from ir_measures import P

from by_hand import of_measures
from pyterrier_diversity import P_Rareness
from pyterrier_diversity.meta import (
    assessor_agreement,
    axiom_table,
    compare,
    concordance,
    insert_synthetic_system,
    number_of_systems,
    pool_depth,
    rank_correlation,
    stability,
    topic_sampling,
    unanimity,
)

VALUES = np.random.default_rng(7).random((3, 4, 9))
FRAME = of_measures(
    **{measure: dict(zip("wxyz", VALUES[m], strict=True)) for m, measure in enumerate(("RBU", "AP", "P"))}
)
# As pt.Experiment gives topics of TREC Web 2010 that nobody judged.
UNJUDGED = FRAME.assign(value=FRAME["value"].mask(FRAME["qid"].isin(["q2", "q7"])))
FUNCTIONS = {
    "compare": lambda frame: compare(frame, "t"),
    "stability": lambda frame: stability(frame, n_trials=9, rng=1),
    "topic_sampling": lambda frame: topic_sampling(frame, sizes=[3], n_trials=9, rng=1),
    "unanimity": unanimity,
    "rank_correlation": rank_correlation,
    "concordance": lambda frame: concordance(frame, gold="P"),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_they_are_left_out_with_one_warning_that_names_them(function):
    with pytest.warns(UserWarning, match="2 of 9 queries are left out, .*: q2, q7") as caught:
        result = function(UNJUDGED)

    assert len(caught) == 1
    assert caught[0].filename == __file__
    pd.testing.assert_frame_equal(result, function(FRAME[~FRAME["qid"].isin(["q2", "q7"])]))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_the_attributes_of_tables_are_json(function):
    attrs = function(FRAME).attrs

    assert json.loads(json.dumps(attrs)) == attrs


@pytest.mark.parametrize("test", ["tukey-randomised", "bootstrap", "permutation", "tukey", "t", "wilcoxon"])
def test_the_attributes_of_comparisons_are_json(test):
    options = {"baseline": ["w", "x"], "n_trials": np.int64(19), "alpha": np.float64(0.1), "rng": np.int64(1)}

    attrs = compare(FRAME, test, groups="pairwise", correction="holm", **options).attrs

    assert json.loads(json.dumps(attrs)) == attrs


def test_the_attributes_of_tables_of_runs_and_constraints_are_json():
    run = pd.DataFrame({"qid": "q", "docno": list("abc"), "score": [3.0, 2.0, 1.0]})
    runs = {"one": run, "two": run.iloc[:2], "three": run.iloc[1:]}
    qrels = pd.DataFrame({"qid": "q", "docno": list("abc"), "label": [1, 0, 2]})
    tables = [
        pool_depth(qrels, runs, [P @ 2], depths=[1, 2]),
        assessor_agreement(qrels, qrels, runs, [P @ 2]),
        number_of_systems(qrels, runs, P_Rareness @ 2, sizes=[2], n_trials=3, rng=1),
        insert_synthetic_system(qrels, runs, P_Rareness @ 2, n_relevant=[1]),
        axiom_table([P @ 2], ["Conf", "Red"]),
    ]

    for table in tables:
        assert json.loads(json.dumps(table.attrs)) == table.attrs
