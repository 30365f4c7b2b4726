"""Sharp has one cutoff, which counts documents."""

import ir_measures
import pytest

import by_hand
import naive
from pyterrier_diversity import CT, EU_DD, IA, Adhoc, CT_rank, Sharp, nCT, nSessionDCG
from pyterrier_diversity.measures import parse


@pytest.mark.parametrize(
    "build",
    [
        lambda: Sharp(CT @ 2),
        lambda: Sharp(CT) @ 2,
        lambda: Sharp(nCT)(gamma=0.25) @ 2,
        lambda: Sharp(IA(CT @ 2)),
        lambda: Sharp(IA(Adhoc(CT))) @ 2,
        lambda: Sharp(Sharp(CT)) @ 2,
        lambda: Sharp("CT@2"),
        lambda: parse("Sharp(CT@2)"),
        lambda: ir_measures.parse_measure("Sharp(measure='CT@2')"),
    ],
)
def test_sharp_refuses_a_cutoff_that_counts_turns(build):
    sentence = r"Sharp: the cutoff of n?CT@2 counts turns, but subtopic recall counts documents\.$"

    with pytest.raises(ValueError, match=sentence):
        build()


@pytest.mark.parametrize("inner", [CT, EU_DD, nSessionDCG(batch=2), CT_rank @ 2], ids=repr)
def test_sharp_takes_sessions_as_a_whole_and_ranks(inner):
    qrels = by_hand.qrels("q x a 1", "q y c 2", passage=["1", "2"], nugget=["n", "m"])
    run = by_hand.session("ab", "c", doc_len=[10.0, 20.0, 30.0])

    value = by_hand.value(Sharp(inner), qrels, run)

    assert value == pytest.approx(naive.values(Sharp(inner), qrels, run)["q"], abs=1e-12)
