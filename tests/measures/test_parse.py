"""What `parse` reads, and what it says of texts that name no measure."""

from __future__ import annotations

import re
import time

import ir_measures
import pytest
from ir_measures import AP, RBP, P, nDCG

from pyterrier_diversity import IA, RBU, Adhoc, Sharp, alpha_nDCG, evaluate_runs, parse, score

FORM = "A measure is written as RBU@20 or RBU(p=0.9)@20."


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        *(
            (text, IA(nDCG @ 20))
            for text in ("IA(nDCG@20)", " IA( nDCG @ 20 ) ", "IA(nDCG)@20", "IA(measure='nDCG@20')")
        ),
        ("Sharp(IA(RBU(p=0.5)@5),gamma=0.25)", Sharp(IA(RBU(p=0.5) @ 5), gamma=0.25)),
        ("IA(AP@5)@10", IA(AP @ 10)),
        ("IA(measure='IA(RBU@3)')", IA(IA(RBU @ 3))),
        ("nDCG(gains={0: 0, 1: 3})@5", nDCG(gains={0: 0, 1: 3}) @ 5),
        ("IPrec@0.5", ir_measures.IPrec @ 0.5),
    ],
)
def test_a_text_names_a_measure(text, measure):
    read = parse(text)

    assert read == measure == parse(str(measure))
    assert read.params == measure.params


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        # A parameter is given twice.
        ("RBU(p=.8,p=.9)@5", "RBU: the parameter p is given twice."),
        ("P(rel=1,rel=2)@5", "P: the parameter rel is given twice."),
        ("RBU(cutoff=5)@6", "RBU: the parameter cutoff is given twice."),
        ("IA(RBU(p=.8,p=.9)@5)", "RBU: the parameter p is given twice."),
        ("IA(measure='RBU(p=.8,p=.9)')", "RBU: the parameter p is given twice."),
        ("Sharp(AP,gamma=.1,gamma=.1)", "Sharp: the parameter gamma is given twice."),
        ("IA(AP,measure='AP')", "IA: the parameter measure is given twice."),
        # A parameter is wrong.
        ("RBU(p=2)", "RBU: p must be a number in (0, 1], not 2."),
        ("AP(x=1)", "AP has no parameter 'x'; its parameters: cutoff, rel, judged_only."),
        ("IA(AP(x=1))", "AP has no parameter 'x'; its parameters: cutoff, rel, judged_only."),
        # The text is not written like a measure.
        *(
            (text, f"Unknown measure {text!r}. {FORM}")
            for text in (
                *("", "RBU(", "IA(", "IA(AP", "IA(AP, AP)", "nDCG(5)", "nDCG@@5", "nDCG@x", "AP # 5", "AP@x"),
                *("Coverage@10 alpha_nDCG@10", "x.y", "1 + 1", "@0", "\0"),
            )
        ),
        ("ndcg_cut.20", f"Unknown measure 'ndcg_cut.20'. Did you mean nDCG? {FORM}"),
        # The name is unknown.
        ("zzzzz@5", f"Unknown measure 'zzzzz'. {FORM}"),
        *(
            (text, f"Unknown measure {shown!r}. Did you mean {name}?")
            for text, shown, name in [
                ("P_10", "P_10", "P"),
                ("map", "map", "AP"),
                ("recip_rank", "recip_rank", "RR"),
                ("ndcg@10", "ndcg", "nDCG"),
                ("nRBU(p=0.5)@5", "nRBU", "RBU"),
                ("\u03b1-nDCG@20", "\u03b1-nDCG", "alpha_nDCG"),
                ("alpha-nDCG@20", "alpha-nDCG", "alpha_nDCG"),
                ("ERR-IA@20", "ERR-IA", "ERR_IA"),
                ("D#-nDCG@10", "D#-nDCG", "Dsharp_nDCG"),
                ("IA(nDGC@5)", "nDGC", "nDCG"),
                ("IA(measure='Adhoc(nDGC@5)')", "nDGC", "nDCG"),
            ]
        ),
        # The cutoff is out of range.
        *(
            (f"{name}@{cutoff}", f"{name.partition('(')[0]}: cutoff must be an integer in [1, inf), not {cutoff}.")
            for name in ("nDCG", "RBU", "alpha_nDCG", "IA(AP)")
            for cutoff in ("-5", "0", "2.5", "True", "'5'")
        ),
    ],
)
def test_the_error_says_what_is_wrong_with_a_text(text, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
        parse(text)


@pytest.mark.parametrize("text", ["IA(" * 70, "IA(" * 60 + "AP" + ")" * 60, "IA(" * 5000 + "AP" + ")" * 5000])
def test_a_deeply_nested_text_is_refused_at_once(text):
    start = time.perf_counter()

    with pytest.raises(ValueError, match=r"\.$"):
        parse(text)

    assert time.perf_counter() - start < 2


def test_eight_measures_inside_of_each_other_are_the_most():
    measure = AP
    for wrapper in [IA, Adhoc, Sharp, IA, Adhoc, Sharp, IA, Adhoc]:
        measure = wrapper(measure)

    assert parse(str(measure)) == ir_measures.parse_measure(repr(measure)) == measure
    with pytest.raises(ValueError, match=r"^IA: measures must not be nested more than 8 deep\.$"):
        IA(measure)


NO_BOGUS = "alpha_nDCG has no parameter 'bogus'; its parameters: cutoff, rel, alpha, judged_only."


# `python -O` says the same: see `test_optimised.py`.
@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        (alpha_nDCG(bogus=3) @ 5, NO_BOGUS),
        (nDCG(foo=1) @ 5, "nDCG has no parameter 'foo'; its parameters: cutoff, dcg, gains, judged_only."),
        (nDCG(dcg="x") @ 5, "nDCG(dcg='x')@5: invalid param dcg='x'"),
        (P, "P: the parameter cutoff is missing"),
        (AP @ 2.5, "AP@2.5: invalid param cutoff=2.5"),
        (RBP(p=1), "RBP(p=1): invalid param p=1"),
        (alpha_nDCG(alpha=2.0), "alpha_nDCG: alpha must be a number in [0, 1], not 2.0."),
    ],
    ids=lambda value: value.NAME if isinstance(value, ir_measures.Measure) else None,
)
def test_a_parameter_that_a_measure_of_ir_measures_does_not_take_is_refused(measure, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        evaluate_runs({"q": {"a": 1}}, {"mine": {"q": ["a"]}}, [measure])


def test_the_error_of_a_parameter_is_the_same_for_every_caller():
    with pytest.raises(ValueError, match=f"^{re.escape(NO_BOGUS)}$"):
        score(alpha_nDCG(bogus=3) @ 5, [1])
    with pytest.raises(ValueError, match=f"^Adhoc: {re.escape(NO_BOGUS)}$"):
        Adhoc(alpha_nDCG(bogus=3) @ 5)
