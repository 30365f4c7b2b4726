"""The generated pages of the reference."""

import re

import ir_measures
import pytest

from pyterrier_diversity import RBU, P_Rareness
from pyterrier_diversity.measures import registered
from pyterrier_diversity.report.reference import entry
from write_reference import FOLDER, every_example, examples, pages, topic


@pytest.fixture(scope="module")
def written():
    """The pages, which take some seconds."""
    return pages()


def test_the_pages_that_are_shipped_are_those_that_the_declarations_give(written):
    families = {f"measures/{path.name}" for path in FOLDER.joinpath("measures").iterdir()}
    shipped = {name: FOLDER.joinpath(name).read_text(encoding="utf-8") for name in {"measures.rst", *families}}

    assert shipped == written, "python tests/write_reference.py writes them"


def test_each_measure_has_one_section_and_one_entry_of_the_index(written):
    names = sorted(measure.NAME for measure in registered())
    headings = re.findall(r"^``(\w+)``: .+\n-+$", "\n".join(written.values()), flags=re.MULTILINE)
    entries = re.findall(r"^:ref:`(\w+) <diversity-\1>`\n    \S", written["measures.rst"], flags=re.MULTILINE)

    assert sorted(headings) == names
    assert sorted(entries) == names


def test_rank_biased_utility_comes_first(written):
    assert re.findall(r"^   measures/(\w+)$", written["measures.rst"], flags=re.MULTILINE)[:2] == ["symbols", "rbu"]


def test_each_section_has_a_formula_an_example_and_says_which_constraints_are_met(written):
    for field in (
        r"\.\. math:: \S.*",
        r":Example: ``\S+`` is \d+\.\d{4}; rank by rank \d.*",
        r":Constraints: (meets |breaks |not tested, ).*",
    ):
        assert len(re.findall(f"^{field}$", "\n".join(written.values()), flags=re.MULTILINE)) == len(registered())


def test_a_range_names_only_parameters_that_the_measure_has():
    for measure in registered():
        named = re.findall(r"(\w+)=", entry(measure)["range"])
        assert set(named) <= set(measure.SUPPORTED_PARAMS), measure.NAME


def test_each_parameter_of_a_measure_is_explained_once_on_its_page_or_the_first(written):
    for name, page in written.items():
        if name not in ("measures.rst", "measures/symbols.rst"):
            explained = re.findall(r"^- (``\w+``: .*)$", written["measures/symbols.rst"] + page, flags=re.MULTILINE)
            assert len(explained) == len(set(explained)), name


def test_headings_are_underlined_to_their_length(written):
    for page in written.values():
        lines = page.splitlines()
        underlined = [(lines[i - 1], line) for i, line in enumerate(lines) if re.fullmatch(r"[=~-]{4,}", line)]
        assert all(len(heading) == len(line) for heading, line in underlined)


def test_the_example_of_rbu_is_its_formula_worked_by_hand():
    example = next(each for each in every_example() if each.measure.NAME == "RBU")

    # Label 2 of d1 is the highest for a, 3 of d5 for b: 2^g - 1 over 2^highest.
    first = 0.99 * (0.5 * 3 / 4 - 0.001)
    second = 0.99**2 * (0.5 * 1 / 4 * 1 / 4 + 0.25 * 1 / 2 - 0.001)
    third = 0.99**3 * -0.001
    fourth = 0.99**4 * (0.25 * 1 / 8 + 0.25 * 1 / 2 * 1 / 2 - 0.001)
    expected = [first, first + second, first + second + third, first + second + third + fourth]
    assert str(example.measure) == "RBU@4"
    assert example.by_rank == pytest.approx(expected, abs=1e-12)
    assert example.constraints == "meets Pri, Deep, DeepTh, CloseTh, Conf, AspDiv, Red, MRed, Sat, AspRel"


def test_the_last_value_of_an_example_is_that_of_the_whole_topic():
    shown = every_example()
    values = ir_measures.calc_aggregate([example.measure for example in shown], *topic())

    for example in shown:
        assert example.by_rank[-1] == pytest.approx(values[example.measure], abs=1e-12)


def test_a_measure_that_needs_another_is_shown_with_one():
    assert {"IA(nDCG@4)", "UserModel(model=1,stop='RBP')@4"} <= {str(example.measure) for example in every_example()}


def test_constraints_are_not_asked_of_a_measure_that_needs_a_column_which_they_know_nothing_of():
    example, _ = examples([P_Rareness, RBU])

    assert example.constraints == "not tested, because the topics of the search have no column rarity"
