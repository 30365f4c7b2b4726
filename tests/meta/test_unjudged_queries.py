"""Queries without judgements, which are NaN, are left out by every function that reads the values of an experiment."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity.meta import (
    asl_curve,
    compare,
    concordance,
    delta_required,
    discriminative_power,
    overlap,
    rank_correlation,
    stability,
    topic_sampling,
    unanimity,
)

VALUES = np.random.default_rng(7).random((3, 4, 9))
FRAME = pd.DataFrame(
    [
        (name, str(93 + q), measure, VALUES[m, s, q])
        for m, measure in enumerate(["RBU", "AP", "P"])
        for s, name in enumerate("wxyz")
        for q in range(9)
    ],
    columns=["name", "qid", "measure", "value"],
)
# As pt.Experiment gives topics 95 and 100 of TREC Web 2010, which nobody judged.
UNJUDGED = FRAME.assign(value=FRAME["value"].mask(FRAME["qid"].isin(["95", "100"])))
FUNCTIONS = {
    "compare": lambda frame: compare(frame, "t"),
    "discriminative_power": lambda frame: discriminative_power(frame, "t"),
    "delta_required": lambda frame: delta_required(frame, "tukey"),
    "asl_curve": lambda frame: asl_curve(frame, "t"),
    "overlap": lambda frame: overlap(frame, test="t"),
    "stability": lambda frame: stability(frame, n_trials=9, rng=1),
    "topic_sampling": lambda frame: topic_sampling(frame, sizes=[3], n_trials=9, rng=1),
    "unanimity": unanimity,
    "rank_correlation": rank_correlation,
    "concordance": lambda frame: concordance(frame, gold="P"),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_they_are_left_out_with_one_warning_that_names_them(function):
    with pytest.warns(UserWarning, match="2 of 9 queries are left out: 95, 100") as caught:
        result = function(UNJUDGED)

    assert len(caught) == 1
    assert caught[0].filename == __file__
    pd.testing.assert_frame_equal(result, function(FRAME[~FRAME["qid"].isin(["95", "100"])]))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_another_nan_is_refused(function):
    frame = UNJUDGED.assign(value=UNJUDGED["value"].mask((FRAME["qid"] == "97") & (FRAME["name"] == "x")))

    with (
        pytest.warns(UserWarning, match="95, 100"),
        pytest.raises(ValueError, match="system 'x' has nan of RBU for query '97'"),
    ):
        function(frame)
