import math

import pytest
from ir_measures import AP, ERR, RR, NumRet, P, SetF, nDCG

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
)
from pyterrier_diversity.measures import registered
from pyterrier_diversity.measures.composite import value_range

INF = math.inf


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        *((measure, (0, 1)) for measure in (StRecall @ 5, P @ 5, AP, RR, nDCG @ 5, ERR @ 5, IA(nDCG @ 5), Adhoc(AP))),
        (alpha_nDCG @ 5, (0, 1.582)),
        (RBU @ 5, (-INF, 1)),
        (EU @ 5, (-INF, INF)),
        (CDG @ 5, (0, INF)),
        (IA(EU @ 5), (-INF, INF)),
        (Sharp(StRecall @ 5), (0, 1)),
        (Sharp(EU @ 5), (-INF, INF)),
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
        (NumRet, (-INF, INF)),
        (SetF, (-INF, INF)),
    ],
    ids=str,
)
def test_the_range_of_a_measure_is_read_from_its_declaration(measure, expected):
    assert value_range(measure) == expected


@pytest.mark.parametrize(
    "measure", [m for m in registered() if "measure" not in m.SUPPORTED_PARAMS], ids=lambda m: m.NAME
)
def test_each_declaration_can_be_read(measure):
    required = {"UserModel": {"model": 2, "stop": "RBP"}}.get(measure.NAME, {})

    low, high = value_range(measure(**required))

    assert low < high
