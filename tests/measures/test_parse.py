from __future__ import annotations

import pytest
from ir_measures import nDCG

from pyterrier_diversity import IA
from pyterrier_diversity.measures import parse


@pytest.mark.parametrize("text", ["IA(nDCG@20)", " IA( nDCG @ 20 ) ", "IA(nDCG)@20", "IA(measure='nDCG@20')"])
def test_parse_reads_what_tables_show_and_what_parses(text):
    assert parse(text) == IA(nDCG @ 20)


@pytest.mark.parametrize("text", ["RBU(p=0.5)@5", "nDCG@20", "Sharp(IA(RBU(p=0.5)@5),gamma=0.25)"])
def test_parse_is_the_inverse_of_str(text):
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "IA(", "nosuchmeasure@5", "IA(nosuchmeasure@5)", "nDCG(5)", "IA(AP, AP)", "1 + 1", "@0", "AP@x", "x.y", "\0"],
)
def test_parse_refuses_texts_that_are_not_measures(text):
    with pytest.raises(ValueError, match=r"^Unknown measure '"):
        parse(text)


@pytest.mark.parametrize("text", ["ERR_IA(alpha=1)@5", "AP(x=1)", "IA(ERR_IA(alpha=1))"])
def test_parse_refuses_parameters_that_a_measure_of_ir_measures_does_not_have(text):
    with pytest.raises(ValueError, match="has no parameter"):
        parse(text)


def test_parse_explains_errors_in_parameters_of_this_packages_measures():
    with pytest.raises(ValueError, match=r"^RBU: p must be a number in \(0, 1\], not 2\.$"):
        parse("RBU(p=2)")
