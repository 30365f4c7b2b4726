import math
import re

import numpy as np
import pytest
from ir_measures import AP, ERR, RBP, RR, Bpref, NumRel, NumRet, P, SetF, Success, nDCG

from by_hand import qrels, run
from by_hand import value as value_of
from pyterrier_diversity import (
    ARR,
    CDG,
    DCG,
    EU,
    IA,
    RBU,
    Adhoc,
    AP_Rareness,
    ConcordantPairs,
    P_Rareness,
    Sharp,
    SPrecision,
    StRecall,
    alpha_nDCG,
    nEU,
    nP_IA,
)
from pyterrier_diversity.evaluate.evaluator import valid
from pyterrier_diversity.measures import DiversityMeasure, registered
from pyterrier_diversity.measures.base import implementation, range_text
from pyterrier_diversity.measures.parse import value_range
from pyterrier_diversity.parameters import Parameter
from pyterrier_diversity.report.reference import entry

INF = math.inf


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        *((measure, (0, 1)) for measure in (StRecall @ 5, P @ 5, AP, RR, nDCG @ 5, ERR @ 5, IA(nDCG @ 5), Adhoc(AP))),
        (alpha_nDCG @ 5, (0, 1.582)),
        (RBU(p=0.5, e=0.25) @ 2, (-0.1875, 1)),
        (RBU(p=0.5, e=0.25, norm=True) @ 2, (-0.1875, 1)),
        (RBU(p=0.5, e=0.25), (-0.25, 1)),
        (RBU(p=1, e=0.25) @ 4, (-1, 1)),
        (RBU(p=1), (-INF, 1)),
        (RBU(p=1, e=0), (0, 1)),
        (EU(e=0.25) @ 4, (-1, INF)),
        (EU(e=0), (0, INF)),
        (EU, (-INF, INF)),
        (nEU @ 5, (-INF, INF)),
        (CDG @ 5, (0, INF)),
        (IA(EU(e=0.25) @ 4), (-1, INF)),
        (Sharp(StRecall @ 5), (0, 1)),
        (Sharp(EU(e=0.25) @ 4, gamma=0.75), (-0.25, INF)),
        (Sharp(EU, gamma=1), (0, 1)),
        (SPrecision @ 5, (0, 1)),
        (SPrecision(ideal="greedy") @ 5, (0, INF)),
        (P_Rareness(alpha=0.5) @ 5, (0, 1.5)),
        (AP_Rareness(alpha="adaptive"), (0, 2)),
        (P_Rareness(alpha=0.5, mixture=True) @ 5, (0, 1)),
        (ConcordantPairs @ 5, (0, 1)),
        (ConcordantPairs(above="all") @ 5, (0, INF)),
        (DCG(norm=True) @ 5, (0, 1)),
        (ARR(norm=True), (0, 1)),
        (ARR(norm=True, effort="rank"), (0, INF)),
        *(
            (measure, (-INF, INF))
            for measure in (NumRet, NumRet(rel=1), NumRel, RBP(p=0.8), nDCG(judged_only=True) @ 5)
        ),
        *((binary, (0, 1)) for binary in (SetF, Success @ 5, Adhoc(Bpref), RBP(p=0.8, rel=2))),
    ],
    ids=str,
)
def test_the_range_of_a_measure_is_read_from_its_declaration(measure, expected):
    assert value_range(measure) == expected


def test_a_description_starts_with_the_range_of_the_defaults():
    of_m = [measure.NAME for measure in registered() if entry(measure)["range"].startswith("those of M")]
    # With the effort e, the lowest value depends on all parameters.
    alone = [measure for measure in registered() if not {"measure", "e"} & measure.SUPPORTED_PARAMS.keys()]

    for measure in alone:
        default = range_text(*measure.range()).replace("2]", "1 + alpha]" if "Rareness" in measure.NAME else "2]")
        assert entry(measure)["range"].split(";")[0] == default
    assert (of_m, entry(Sharp)["range"]) == (["Adhoc", "IA"], "[0, 1] if those of M are")


@pytest.mark.parametrize(
    ("measure", "value", "expected"),
    [
        (StRecall, 1 + 1e-9, 1.0),
        (StRecall, -1e-9, 0.0),
        (RBU, 1 + 1e-9, 1.0),
        (RBU(p=1), -1e6, -1e6),
        (RBU(p=1) @ 5, -0.005 - 1e-9, -0.005),
        (EU, 1e300, 1e300),
        (P_Rareness(alpha=1e9), (1 + 1e9) * (1 + 1e-10), 1 + 1e9),
    ],
    ids=str,
)
def test_a_value_that_leaves_its_range_by_rounding_becomes_the_limit(measure, value, expected):
    values = np.array([0.5, value, 0.25])

    assert valid(implementation(measure), values, ["p", "q", "r"]).tolist() == [0.5, expected, 0.25]
    assert values[1] == value


@pytest.mark.parametrize(
    ("measure", "value", "said"),
    [
        (StRecall @ 5, 1 + 2e-9, r"\[0, 1\]"),
        (StRecall, -2e-9, r"\[0, 1\]"),
        (RBU(p=1), 1.5, r"\(-inf, 1\]"),
        (RBU(p=1) @ 5, -0.006, r"\[-0.005, 1\]"),
        (CDG, -1.0, r"\[0, inf\)"),
        (P_Rareness(alpha=1e9), (1 + 1e9) * (1 + 2e-9), r"\[0, 1e\+09\]"),
    ],
    ids=str,
)
def test_a_value_further_outside_is_an_error_with_measure_query_and_value(measure, value, said):
    said = (
        rf"^{re.escape(str(measure))}: the values must be in {said}, the range .*, but that of query 'q' is {value}\.$"
    )

    with pytest.raises(ValueError, match=said):
        valid(implementation(measure), np.array([0.5, value, 9e99]), ["p", "q", "r"])


class _Constant(DiversityMeasure):
    """The same value for each query."""

    SUPPORTED_PARAMS = {"value": Parameter(float, 1.0), "low": Parameter(float), "high": Parameter(float)}

    def range(self):
        return super().range() if self.low is None else (self.low, self.high)

    def score(self, ranked):
        return np.full(len(ranked.n), self.value)


CONSTANT = _Constant()
QRELS = qrels("q x a 1", "r x a 0")


@pytest.mark.parametrize("wrapper", [lambda measure: measure, IA, Adhoc, lambda measure: Sharp(measure, gamma=0)])
def test_the_range_of_an_own_measure_is_any_number_unless_it_gives_one(wrapper):
    above = wrapper(CONSTANT(value=7.0, low=0, high=1))

    assert value_of(wrapper(CONSTANT(value=7.0)), QRELS, run(q="a", r="a")) in (7.0, 3.5)
    with pytest.raises(ValueError, match=r"^Constant.*: the values must be in \[0, 1\], .* of query 'q' is 7\.0\.$"):
        value_of(above, QRELS, run(q="a", r="a"))


@pytest.mark.parametrize("wrapper", [lambda measure: measure, IA, Adhoc])
def test_queries_without_a_relevant_document_or_without_a_ranking_may_leave_the_range(wrapper):
    measure = wrapper(CONSTANT(value=7.0, low=5, high=9))

    assert value_of(measure, QRELS, run(r="a")) == (0.0 if wrapper is IA else 3.5)


def test_the_last_bits_of_a_sum_do_not_lead_out_of_the_range():
    rows = [f"q {intent} {doc} 1" for doc in "abcde" for intent in range(1, 7)]

    assert value_of(nP_IA @ 5, qrels(*rows, weight=[1, 2, 3, 4, 5, 7] * 5), run(q="a b c d e")) == 1.0
