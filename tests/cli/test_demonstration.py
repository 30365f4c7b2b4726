import re
import shlex
from io import StringIO

import pandas as pd
import pytest

from shell import run


@pytest.fixture(scope="module")
def demo():
    """The commands that the demonstration shows, and the table below each."""
    return dict(re.findall(r"^\$ pyterrier-diversity ((?:.*\\\n)?.*)\n\n((?:.+\n)+)", run("demo"), flags=re.MULTILINE))


def test_the_demo_shows_commands_that_print_what_is_below_them(demo):
    for command, table in demo.items():
        assert run(*shlex.split(command.replace("\\\n", ""))).startswith(table)

    assert [command.split()[0] for command in demo] == ["evaluate", "explain", "explain"]


def test_the_text_of_the_demo_is_true(demo):
    evaluated, *explained = demo.values()
    table = pd.read_csv(StringIO(evaluated), sep=r"\s+").set_index("name")

    assert table["Adhoc(nDCG@5)"].idxmax() == "more-like-this"
    assert (table[["RBU@5", "alpha_nDCG@5", "StRecall@5"]].idxmax() == "xquad").all()
    assert table["RBU@5"]["xquad-top-3"] > table["RBU@5"]["bm25"]
    bm25, xquad = (float(of.split()[-1]) for of in explained)
    assert bm25 < xquad
