import ast
import re
from pathlib import Path

import pytest

from pyterrier_diversity import IA, RBU, D_nDCG, DIN_nDCG, P_Rareness, UserModel
from pyterrier_diversity.measures import registered
from pyterrier_diversity.report.formulas import in_plain_text
from pyterrier_diversity.report.reference import entry, notes_of, text

# Measures that golden tests use beside those that they compare with a peer.
BESIDE = {"alpha_DCG_IA"}


def test_an_entry_describes_a_measure():
    known = entry(RBU)

    assert known["name"] == "Rank-Biased Utility"
    assert known["range"] == "[-e (p + ... + p^k), 1]"
    assert known["columns"] == "weight"
    assert known["parameters"]["p"].endswith("(a number in (0, 1]; 0.99 if not given)")
    assert known["equals"].startswith("RBU 0.1, the release of its authors")


def test_a_subclass_does_not_inherit_the_tools_that_its_base_equals():
    assert entry(D_nDCG)["equals"]
    assert entry(DIN_nDCG)["equals"] == ""


def test_a_measure_equals_a_peer_only_where_a_golden_test_compares_the_two():
    claimed = {measure.NAME for measure in registered() if entry(measure)["equals"]}
    compared = set()
    for module in Path(__file__).parents[1].joinpath("golden").glob("test_*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "pyterrier_diversity":
                compared |= {name.name for name in node.names}

    assert claimed == compared & {measure.NAME for measure in registered()} - BESIDE


@pytest.mark.parametrize(
    ("measure", "columns"),
    [(P_Rareness, "rarity (needed)"), (UserModel, "weight, intent_type"), (IA, "weight, those of M")],
    ids=lambda value: getattr(value, "NAME", value),
)
def test_an_entry_lists_the_columns_that_are_read_and_those_that_are_needed(measure, columns):
    assert entry(measure)["columns"] == columns


def test_a_text_begins_with_the_call_the_formula_and_the_source():
    lines = text(RBU).splitlines()

    assert lines[0] == ("RBU(cutoff, p=0.99, e=0.001, gain='exp', max_rel, rel, norm=False): Rank-Biased Utility")
    assert lines[1:4] == [
        f"    {in_plain_text(notes_of(RBU)['Formula'])}",
        "    in [-e (p + ... + p^k), 1]; reads: weight",
        f"    {entry(RBU)['source']}",
    ]


def test_a_text_describes_every_parameter_and_no_markup():
    for measure in registered():
        described = text(measure)

        assert all(f"    {name}: " in described for name in measure.SUPPORTED_PARAMS), measure.NAME
        assert ("    equal to " in described) == bool(entry(measure)["equals"]), measure.NAME
        assert not re.search(r"\.\. cite|-----|`", described), measure.NAME
        assert described.count(entry(measure)["what"].replace("`", "")) == 1, measure.NAME
