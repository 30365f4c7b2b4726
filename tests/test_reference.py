import re
from importlib.resources import files

import pytest

from pyterrier_diversity import IA, RBU, P_Rareness, UserModel
from pyterrier_diversity.measures import registered
from pyterrier_diversity.reference import entry, full_text, page, text


def test_the_page_that_is_shipped_is_the_one_that_the_declarations_give():
    shipped = files("pyterrier_diversity").joinpath("pt_docs", "measures.rst").read_text(encoding="utf-8")

    assert shipped == page(), "pyterrier-diversity measures --page writes it"


def test_the_page_has_a_section_for_each_measure():
    headings = re.findall(r"^``(\w+)``: .+\n~+$", page(), flags=re.MULTILINE)

    assert sorted(headings) == sorted(measure.NAME for measure in registered())


def test_headings_are_underlined_to_their_length():
    lines = page().splitlines()

    underlined = [(lines[i - 1], line) for i, line in enumerate(lines) if re.fullmatch(r"[=~-]{4,}", line)]
    assert all(len(heading) == len(line) for heading, line in underlined)


def test_an_entry_says_what_a_measure_is():
    known = entry(RBU)

    assert known["name"] == "Rank-Biased Utility"
    assert known["range"] == "(-inf, 1]"
    assert known["columns"] == "weight"
    assert known["parameters"]["p"].endswith("(a number in (0, 1]; 0.99 if not given)")


@pytest.mark.parametrize(
    ("measure", "columns"),
    [(P_Rareness, "rarity (needed)"), (UserModel, "weight, intent_type"), (IA, "weight, those of M")],
    ids=lambda value: getattr(value, "NAME", value),
)
def test_an_entry_tells_the_columns_that_are_read_and_those_that_are_needed(measure, columns):
    assert entry(measure)["columns"] == columns


def test_a_short_text_has_the_call_the_formula_and_the_source():
    lines = text(RBU).splitlines()

    assert lines[0] == ("RBU(cutoff, p=0.99, e=0.05, gain='exp', max_rel, rel, norm=False): Rank-Biased Utility")
    assert lines[2:] == [f"    {RBU.FORMULA}", "    in (-inf, 1]; reads: weight", f"    {RBU.SOURCE}"]


@pytest.mark.parametrize("measure", registered(), ids=lambda measure: measure.NAME)
def test_a_full_text_describes_every_parameter_and_no_markup(measure):
    described = full_text(measure)

    assert all(f"    {name}: " in described for name in measure.SUPPORTED_PARAMS)
    assert ".. cite" not in described
    assert "-----" not in described
