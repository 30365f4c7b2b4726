import io
import re

import pandas as pd
import pytest

from pyterrier_diversity import RBU
from pyterrier_diversity.datasets.demo import RUNS, DemoDataset
from shell import run


@pytest.fixture(scope="module")
def demo_lines():
    return run("demo").splitlines()


def demo_table(lines):
    return pd.read_csv(io.StringIO("\n".join(lines)), sep=r"\s+").set_index("name")


def test_the_demo_runs_pipelines_live_to_the_values_of_their_stored_runs(demo_lines):
    table = demo_table(demo_lines[2:8])
    assert table.index.tolist() == [*RUNS, "ideal"]
    assert table.columns.tolist() == ["RBU@5", "alpha_nDCG@5", "StRecall@5", "Adhoc(nDCG@5)", "Adhoc(AP)"]
    qrels = DemoDataset().get_qrels().rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    for name in RUNS:
        stored = DemoDataset().get_results(name).rename(columns={"qid": "query_id", "docno": "doc_id"})
        assert table["RBU@5"][name] == pytest.approx((RBU @ 5).calc_aggregate(qrels, stored), abs=5e-4)


def test_the_text_of_the_demo_is_true(demo_lines):
    table = demo_table(demo_lines[2:8])
    systems = table.drop(index="ideal")

    assert systems["Adhoc(nDCG@5)"].idxmax() == "more-like-this"
    assert (systems[["RBU@5", "alpha_nDCG@5", "StRecall@5"]].idxmax() == "xquad").all()
    assert systems["RBU@5"]["xquad-top-3"] > systems["RBU@5"]["bm25"]
    assert table["alpha_nDCG@5"].idxmax() == "ideal"
    assert table["alpha_nDCG@5"]["ideal"] == 1


def test_the_demo_explains_why_two_systems_differ(demo_lines):
    (bm25, xquad) = (place for place, line in enumerate(demo_lines) if line.startswith("Why "))

    assert re.fullmatch(r"Why bm25 has an RBU@5 of 0\.\d{3} for 'jaguar':", demo_lines[bm25])
    for place in (bm25, xquad):
        value = demo_lines[place].split(" of ")[1].split()[0]
        rows = demo_lines[place + 3 : place + 8]
        assert rows[-1].split()[-1] == value
        assert sum(float(row.split()[-2]) for row in rows) == pytest.approx(float(value), abs=3e-3)
