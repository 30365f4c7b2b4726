import io
import json

import pandas as pd
import pytest
from click.testing import CliRunner

from pyterrier_diversity import RBU
from pyterrier_diversity.cli import app
from pyterrier_diversity.cli.inputs import own_name
from pyterrier_diversity.datasets.demo import FOLDER, DemoDataset
from pyterrier_diversity.io import read_dd_run
from pyterrier_diversity.transformers import Explain, explain_difference
from shell import BM25, MORE, XQUAD, fail, run

QRELS = str(FOLDER / "qrels.txt")


def explained(name: str) -> pd.DataFrame:
    demo = DemoDataset()
    return Explain(demo.get_qrels(), RBU @ 5)(demo.get_results(name).query("qid == '3'")).head(5)


def test_explain_gives_the_table_of_the_transformer():
    rows = json.loads(run("explain", QRELS, BM25, "--query", "3", "-m", "RBU@5", "--format", "json"))

    expected = explained("bm25")
    assert [row["position"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["docno"] for row in rows] == expected["docno"].tolist()
    assert [row["contribution"] for row in rows] == expected["contribution"].tolist()


def test_explain_of_two_runs_gives_the_difference_rank_by_rank():
    arguments = ["explain", QRELS, XQUAD, BM25, "--query", "3", "-m", "RBU@5", "--format", "csv"]
    table = pd.read_csv(io.StringIO(run(*arguments)), dtype=str)

    expected = explain_difference(explained("xquad"), explained("bm25"))
    assert table["difference"].astype(float).tolist() == expected["difference"].tolist()
    assert table["docno bm25"].tolist() == expected["docno_other"].tolist()
    assert table["new_intents bm25"].tolist() == expected["new_intents_other"].map(json.dumps).tolist()
    told = CliRunner().invoke(app, arguments).stderr
    assert told.startswith("RBU@5 for query 3: ")
    assert told.endswith(f", difference {expected['difference'].sum():.4f}.\n")


def test_the_value_that_explain_tells_does_not_depend_on_the_last_rank_to_show():
    arguments = ["explain", QRELS, XQUAD, BM25, "--query", "3", "-m", "RBU@5"]

    whole, cut = (CliRunner().invoke(app, [*arguments, *depth]) for depth in ([], ["-k", "2"]))

    assert cut.stderr == whole.stderr
    assert [line.split()[0] for line in cut.stdout.splitlines()] == ["position", "1", "2"]


@pytest.mark.parametrize(
    ("measure", "depth", "n"), [("IA(nDCG@3)", [], 3), ("nCT@1", [], 5), ("nCT@1", ["-k", "2"], 2)]
)
def test_explain_shows_the_ranks_that_the_measure_reads(measure, depth, n):
    rows = json.loads(run("explain", QRELS, BM25, "--query", "3", "-m", measure, "--format", "json", *depth))

    assert len(rows) == n


def test_a_session_is_shown_down_to_a_rank(shared):
    folder = shared / "trec-dd"
    arguments = ["explain", str(folder / "dd17-odd-truth.xml.gz"), str(folder / "runs" / "dd17-odd-syn1.txt")]
    arguments += ["--query", read_dd_run(arguments[2])["qid"][0], "-m", "nCT@1", "--format", "json"]

    rows = [json.loads(run(*arguments, *k)) for k in ([], ["-k", "3"])]

    assert rows[1] == rows[0][:3]
    assert len(rows[0]) > 5


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([BM25, "--query", "99", "-m", "RBU@5"], 1, "has no documents for query '99'."),
        ([BM25, XQUAD, MORE, "--query", "1", "-m", "RBU@5"], 2, "Give one run to explain, or two"),
        ([BM25, "-m", "RBU@5"], 2, "Name one query with --query."),
        ([BM25, "--query", "1", "-m", "RBU@5 RBU@10"], 2, "Name one measure with -m."),
    ],
)
def test_invalid_arguments_of_explain_give_one_sentence(arguments, status, message):
    assert message in fail("explain", QRELS, *arguments, status=status)


def test_a_table_for_people_has_the_texts_of_the_intents_and_a_file_their_ids():
    arguments = ["explain", "demo", "bm25", "--query", "3", "-m", "RBU@5"]

    subtopics = DemoDataset().get_topics("subtopics").query("qid == '3'")
    beginnings = [text[:25] for text in subtopics["query"]]
    assert any(text in run(*arguments) for text in beginnings)
    assert not any(text in run(*arguments, "--format", "json") for text in beginnings)


@pytest.mark.parametrize("name", [QRELS, "-", "vaswani"])
def test_only_datasets_of_the_package_have_texts(name):
    assert own_name(name) == ""


def test_topics_that_cannot_be_downloaded_leave_an_explanation_without_texts(monkeypatch):
    arguments = ["explain", "demo", "bm25", "--query", "3", "-m", "RBU@5"]
    with_texts, qrels = run(*arguments), DemoDataset().get_qrels()

    def fails(*_):
        raise ConnectionError("no network")

    monkeypatch.setattr(DemoDataset, "get_qrels", lambda *_: qrels)  # which are on the disk
    monkeypatch.setattr(DemoDataset, "get_topics", fails)

    assert own_name("demo") == own_name("diversity:demo") == "demo"
    assert run(*arguments) == run("explain", QRELS, BM25, *arguments[3:]) != with_texts


def test_the_difference_of_two_runs_is_first_and_the_texts_of_intents_are_below():
    arguments = ["explain", "demo", "bm25", "xquad", "--query", "3", "-m", "RBU@3"]

    printed, rows = run(*arguments), json.loads(run(*arguments, "--format", "json"))

    assert printed.split()[:6] == ["position", "difference", "docno", "bm25", "docno", "xquad"]
    assert "\n\n1: types of construction crane and how they lift\n2: crane bird species" in printed
    assert rows[2]["new_intents bm25"] == ["2", "3"]
