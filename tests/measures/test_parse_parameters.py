from __future__ import annotations

import re

import pytest
from ir_measures import AP, RBP, P, nDCG

from pyterrier_diversity import Adhoc, alpha_nDCG, evaluate_runs, score

QRELS, RUNS = {"q": {"a": 1}}, {"mine": {"q": ["a"]}}
NO_BOGUS = "alpha_nDCG has no parameter 'bogus'; its parameters: cutoff, rel, alpha, judged_only."

# `python -O` says the same: see `test_optimised.py`.
WRONG = {
    "alpha_nDCG(bogus=3) @ 5": (alpha_nDCG(bogus=3) @ 5, NO_BOGUS),
    "nDCG(foo=1) @ 5": (
        nDCG(foo=1) @ 5,
        "nDCG has no parameter 'foo'; its parameters: cutoff, dcg, gains, judged_only.",
    ),
    "nDCG(dcg='x') @ 5": (nDCG(dcg="x") @ 5, "nDCG(dcg='x')@5: invalid param dcg='x'"),
    "P": (P, "P: the parameter cutoff is missing"),
    "AP @ 2.5": (AP @ 2.5, "AP@2.5: invalid param cutoff=2.5"),
    "RBP(p=1)": (RBP(p=1), "RBP(p=1): invalid param p=1"),
    "alpha_nDCG(alpha=2.0)": (alpha_nDCG(alpha=2.0), "alpha_nDCG: alpha must be a number in [0, 1], not 2.0."),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_parameter_that_a_measure_of_ir_measures_does_not_take_is_refused(name):
    measure, sentence = WRONG[name]

    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        evaluate_runs(QRELS, RUNS, [measure])


def test_the_error_of_a_parameter_is_the_same_for_every_caller():
    with pytest.raises(ValueError, match=f"^{re.escape(NO_BOGUS)}$"):
        score(alpha_nDCG(bogus=3) @ 5, [1])
    with pytest.raises(ValueError, match=f"^Adhoc: {re.escape(NO_BOGUS)}$"):
        Adhoc(alpha_nDCG(bogus=3) @ 5)
