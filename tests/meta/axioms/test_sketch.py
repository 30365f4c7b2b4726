import pytest
from ir_measures import AP, P, nDCG

from pyterrier_diversity import IA
from pyterrier_diversity.meta.axioms import counterexample, sketch


def test_a_sketch_has_one_line_for_ranks_that_are_alike():
    assert sketch(counterexample(nDCG, "DeepTh")).splitlines()[1:] == [
        "       rank  A             B",
        "          1  label 1       not relevant",
        "     2-1000  not relevant  not relevant",
        "  1001-2000  not relevant  label 1",
        "not retrieved: label 10",
    ]


def test_a_sketch_tells_the_labels_for_each_intent_and_their_weights():
    assert sketch(counterexample(P @ 20, "AspRel")).splitlines() == [
        "A should have a higher value than B, but both have 0.050000.",
        "  rank  A                     B",
        "     1  label 1 for intent 2  label 1 for intent 1",
        "not retrieved: label 10 for intent 1; label 10 for intent 2",
        "weights of the intents: 0.4, 0.6",
    ]


def test_a_sketch_tells_where_a_ranking_ends_and_that_sat_demands_no_rise():
    assert sketch(counterexample(IA(AP), "Sat")).splitlines()[:4] == [
        "A should not be below B, but A has 0.333333 and B 0.666667.",
        "  rank  A            B",
        "     1  label 50     label 50",
        "     2  no document  label 1",
    ]


@pytest.mark.parametrize(
    ("worse", "told"),
    [
        (0.25, "both have 0.250000."),
        (0.25 + 1e-13, "both have 0.250000."),
        (0.25 + 2e-7, "A has 0.2500000000 and B 0.2500002000."),
        (0.25 + 1e-6, "A has 0.250000 and B 0.250001."),
        (0.25 + 3e-9, "A has 0.2500000000 and B 0.2500000030."),
        (0.26, "A has 0.250000 and B 0.260000."),
    ],
)
def test_a_sketch_has_as_many_decimals_as_tell_the_values_apart(worse, told):
    found = counterexample(P @ 20, "AspRel")
    found["value"] = found["ranking"].map({"better": 0.25, "worse": worse})

    assert sketch(found).splitlines()[0] == f"A should have a higher value than B, but {told}"
