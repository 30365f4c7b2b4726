"""What `parse` says of texts that name no measure."""

from __future__ import annotations

import re
import time

import ir_measures
import pytest
from ir_measures import AP

from pyterrier_diversity import IA, RBU, Adhoc, Sharp, parse

FORM = "A measure is written as RBU@20 or RBU(p=0.9)@20."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("RBU(p=.8,p=.9)@5", "RBU: the parameter p is given twice."),
        ("P(rel=1,rel=2)@5", "P: the parameter rel is given twice."),
        ("RBU(cutoff=5)@6", "RBU: the parameter cutoff is given twice."),
        ("IA(RBU(p=.8,p=.9)@5)", "RBU: the parameter p is given twice."),
        ("IA(measure='RBU(p=.8,p=.9)')", "RBU: the parameter p is given twice."),
        ("Sharp(AP,gamma=.1,gamma=.1)", "Sharp: the parameter gamma is given twice."),
        ("IA(AP,measure='AP')", "IA: the parameter measure is given twice."),
    ],
)
def test_a_parameter_given_twice_is_refused(text, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
        parse(text)


def test_a_cutoff_outside_replaces_the_one_inside():
    assert parse("IA(AP@5)@10") == IA(AP @ 10)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Coverage@10 alpha_nDCG@10", FORM),
        ("nDCG@@5", FORM),
        ("RBU(", FORM),
        ("nDCG@x", FORM),
        ("nDCG(5)", FORM),
        ("", FORM),
        ("x.y", FORM),
        ("ndcg_cut.20", f"Did you mean nDCG? {FORM}"),
        ("IA(AP", FORM),
        ("AP # 5", FORM),
    ],
)
def test_the_error_says_what_a_measure_looks_like(text, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(f"Unknown measure {text!r}. {sentence}") + "$"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "shown", "name"),
    [
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
    ],
)
def test_the_error_of_an_unknown_name_says_which_may_be_meant(text, shown, name):
    with pytest.raises(ValueError, match="^" + re.escape(f"Unknown measure {shown!r}. Did you mean {name}?") + "$"):
        parse(text)


def test_a_name_that_is_like_no_other_is_shown_with_the_form():
    with pytest.raises(ValueError, match="^" + re.escape(f"Unknown measure 'zzzzz'. {FORM}") + "$"):
        parse("zzzzz@5")


@pytest.mark.parametrize("cutoff", ["-5", "0", "2.5", "True", "'5'"])
@pytest.mark.parametrize("name", ["nDCG", "RBU", "alpha_nDCG", "IA(AP)"])
def test_a_cutoff_out_of_range_is_refused(name, cutoff):
    sentence = f"{name.partition('(')[0]}: cutoff must be an integer in [1, inf), not {cutoff}."

    with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
        parse(f"{name}@{cutoff}")


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


def test_special_values_that_other_measures_accept_are_read():
    assert parse("nDCG(gains={0: 0, 1: 3})@5").params == {"gains": {0: 0, 1: 3}, "cutoff": 5}
    assert parse("IPrec@0.5").params == {"recall": 0.5}
    assert parse("IA(measure='IA(RBU@3)')") == IA(IA(RBU @ 3))
