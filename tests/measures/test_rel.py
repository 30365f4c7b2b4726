"""What ``rel=1`` means: ir_measures' default for its own measures, the label 1 for those of the package."""

import ir_measures
import pytest
from ir_measures import RBP

import by_hand
import naive
from pyterrier_diversity import (
    AP_IA,
    ERR_IA,
    IA,
    NRBP,
    P_IA,
    RBU,
    Adhoc,
    Coverage,
    Dsharp_nDCG,
    Q,
    Sharp,
    StRecall,
    alpha_DCG,
    alpha_nDCG,
    nERR_IA,
    nNRBP,
    nP_IA,
)

OF_IR_MEASURES = [alpha_nDCG, alpha_DCG @ 3, ERR_IA @ 3, nERR_IA, NRBP, nNRBP, AP_IA, P_IA @ 3, StRecall @ 3]
OF_THE_PACKAGE = [Coverage @ 1, nP_IA @ 1, RBU(e=0.0), Q, Dsharp_nDCG]
# The first document is relevant to x by a label below 1.
QRELS = by_hand.qrels("q x a 0.5", "q x b 2", "q y c 1")
RUN = by_hand.run(q="a u c b")


def by_name(measures):
    return pytest.mark.parametrize("measure", measures, ids=repr)


def by_itself(measure):
    return by_hand.value(measure, QRELS, RUN)


@by_name(OF_IR_MEASURES)
def test_rel_1_of_a_measure_of_ir_measures_is_every_label_above_0(measure):
    assert by_itself(measure(rel=1)) == by_itself(measure) != by_itself(measure(rel=2))


@by_name(OF_IR_MEASURES)
def test_both_names_of_one_measure_have_one_value_in_one_table(measure):
    table = by_hand.values_by_query([measure(rel=1), measure, measure(rel=2)], QRELS, RUN)

    assert table == {(repr(one), "q"): by_itself(one) for one in (measure, measure(rel=2))}


@by_name(OF_THE_PACKAGE)
def test_rel_1_of_a_measure_of_the_package_is_every_label_from_1(measure):
    assert by_itself(measure(rel=1)) != by_itself(measure)
    assert by_itself(measure(rel=1)) == pytest.approx(naive.values(measure(rel=1), QRELS, RUN)["q"], abs=1e-12)


@by_name([IA, Adhoc, Sharp])
def test_a_wrapper_reads_rel_as_the_measure_inside_does(measure):
    inner = [alpha_nDCG, alpha_nDCG(rel=1), alpha_nDCG(rel=2), RBU(rel=1), RBP(rel=1), RBU]
    expected = naive.values_of_all(map(measure, inner), QRELS, RUN)

    values = by_hand.values_by_query(map(measure, inner), QRELS, RUN)

    assert values == pytest.approx(expected, abs=1e-12)
    assert values[repr(measure(RBU(rel=1))), "q"] != values[repr(measure(RBU)), "q"]


@by_name([Sharp(RBU(rel=1)), Dsharp_nDCG(rel=1)])
def test_recall_of_a_sharp_measure_counts_what_its_measure_counts(measure):
    alone = by_itself(measure(gamma=1) @ 1)

    together = by_hand.values([StRecall @ 1, measure(gamma=1) @ 1], QRELS, RUN)

    assert alone == 0
    assert list(together.values()) == [[0.5], [0.0]]


def test_the_name_of_a_measure_leaves_out_what_says_nothing():
    ours = ir_measures.providers.registry["diversity"]

    assert repr(alpha_nDCG(rel=1) @ 5) == "alpha_nDCG@5"
    assert ours.supports(alpha_nDCG(rel=1) @ 5)
