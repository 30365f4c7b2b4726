import io
import json

import matplotlib as mpl
import pandas as pd
import pytest
from click.testing import CliRunner

from pyterrier_diversity import RBU, plots
from pyterrier_diversity.cli import app
from pyterrier_diversity.cli.inputs import read_texts
from pyterrier_diversity.cli.looking import PICTURES
from pyterrier_diversity.datasets.demo import FOLDER, DemoDataset
from pyterrier_diversity.io import read_dd_run
from pyterrier_diversity.transformers import Explain, explain_difference
from shell import BM25, MORE, XQUAD, fail, run

QRELS = str(FOLDER / "qrels.txt")


def explained(name: str) -> pd.DataFrame:
    demo = DemoDataset()
    return Explain(demo.get_qrels(), RBU @ 5)(demo.get_results(name).query("qid == '3'")).head(5)


def test_explain_gives_the_table_of_the_transformer():
    rows = json.loads(run("explain", QRELS, BM25, "-q", "3", "-m", "RBU@5", "--format", "json"))

    expected = explained("bm25")
    assert [row["position"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["docno"] for row in rows] == expected["docno"].tolist()
    assert [row["contribution"] for row in rows] == expected["contribution"].tolist()


def test_explain_of_two_runs_gives_the_difference_rank_by_rank():
    arguments = ["explain", QRELS, XQUAD, BM25, "-q", "3", "-m", "RBU@5", "--format", "csv"]
    table = pd.read_csv(io.StringIO(run(*arguments)))

    expected = explain_difference(explained("xquad"), explained("bm25"))
    assert table["difference"].tolist() == expected["difference"].tolist()
    assert table["docno bm25"].tolist() == expected["docno_other"].tolist()
    assert table["new_intents bm25"].tolist() == expected["new_intents_other"].map(str).tolist()
    told = CliRunner().invoke(app, arguments).stderr
    assert told.startswith("RBU@5 for query 3: ")
    assert told.endswith(f", difference {expected['difference'].sum():.4g}.\n")


def test_the_value_that_explain_tells_does_not_depend_on_the_last_rank_to_show():
    arguments = ["explain", QRELS, XQUAD, BM25, "-q", "3", "-m", "RBU@5"]

    whole, cut = (CliRunner().invoke(app, [*arguments, *depth]) for depth in ([], ["-k", "2"]))

    assert cut.stderr == whole.stderr
    assert [line.split()[0] for line in cut.stdout.splitlines()] == ["position", "1", "2"]


@pytest.mark.parametrize(
    ("measure", "depth", "n"), [("IA(nDCG@3)", [], 3), ("nCT@1", [], 5), ("nCT@1", ["-k", "2"], 2)]
)
def test_explain_shows_the_ranks_that_the_measure_reads(measure, depth, n):
    rows = json.loads(run("explain", QRELS, BM25, "-q", "3", "-m", measure, "--format", "json", *depth))

    assert len(rows) == n


def test_a_session_is_shown_down_to_a_rank(shared):
    folder = shared / "trec-dd"
    arguments = ["explain", str(folder / "dd17-odd-truth.xml.gz"), str(folder / "runs" / "dd17-odd-syn1.txt")]
    query = read_dd_run(arguments[2])["qid"][0]

    rows = [json.loads(run(*arguments, "-q", query, "-m", "nCT@1", "--format", "json", *k)) for k in ([], ["-k", "3"])]

    assert rows[1] == rows[0][:3]
    assert len(rows[0]) > 5


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([BM25, "-q", "99", "-m", "RBU@5"], 1, "has no documents for query '99'."),
        ([BM25, XQUAD, MORE, "-q", "1", "-m", "RBU@5"], 2, "Give one run to explain, or two"),
        ([BM25, "-m", "RBU@5"], 2, "Missing option '-q'"),
    ],
)
def test_invalid_arguments_of_explain_give_one_sentence(arguments, status, message):
    assert message in fail("explain", QRELS, *arguments, status=status)


def test_every_picture_of_the_module_has_its_name():
    # These are of two qrels, or of measures and gold standards.
    assert {*PICTURES, "confusion", "assessor_agreement", "concordance"} == {*plots.__all__}


OPTIONS = {
    "coverage": ["-q", "1"],
    "explain": ["-q", "1", "-m", "RBU@5"],
    "intent_coverage": [],
    "per_query_deltas": ["-m", "RBU@5"],
    "means": ["-m", "RBU@5"],
    "differences": ["-m", "RBU@5"],
    "missed_intents": ["-q", "2", "-k", "5"],
    "topics_needed": ["-m", "RBU@5"],
    "number_of_systems": [MORE, "-m", "P_Rareness@5"],
    "insert_synthetic_system": ["-m", "P_Rareness@5"],
}


@pytest.mark.parametrize("name", PICTURES)
def test_each_picture_is_drawn_into_a_file(tmp_path, name):
    path = tmp_path / "picture.svg"
    options = OPTIONS.get(name, ["-m", "RBU@5 alpha_nDCG@5 StRecall@5"])

    assert run("plot", name, QRELS, BM25, XQUAD, *options, "-o", str(path)) == ""

    assert "</svg>" in path.read_text()


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_the_ending_of_the_file_is_its_format(tmp_path, ending):
    run("plot", "coverage", "demo", "bm25", "-q", "1", "-o", str(tmp_path / f"picture.{ending}"))

    assert (tmp_path / f"picture.{ending}").read_bytes()[:4] in (b"\x89PNG", b"%PDF")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["coverage", QRELS, BM25], 2, "name it with --query"),
        (["explain", QRELS, BM25, "-q", "1"], 2, "shows one measure: name it with -m"),
        (["unanimity", QRELS, BM25, XQUAD], 2, "shows measures: name them with -m"),
        (["per_query_deltas", QRELS, BM25, "-m", "RBU@5"], 2, "compares two runs: give two, not 1."),
        (["coverage", QRELS, BM25, "-q", "1", "-o", "x.foo"], 2, "must be a format of pictures, not '.foo': "),
        (["coverage", QRELS, BM25, "-q", "1", "-o", "x"], 2, "must be a format of pictures, not '': "),
        (["rainbow", QRELS, BM25], 2, "'rainbow' is not one of"),
        (["coverage", QRELS, BM25, "-q", "99"], 1, "no relevant document for query '99'"),
    ],
)
def test_invalid_arguments_of_plot_give_one_sentence(tmp_path, arguments, status, message):
    output = [] if "-o" in arguments else ["-o", str(tmp_path / "picture.svg")]

    assert message in fail("plot", *arguments, *output, status=status)


@pytest.mark.parametrize("name", ["coverage", "explain", "missed_intents"])
def test_pictures_of_a_dataset_have_the_texts_of_its_queries_and_intents(tmp_path, name):
    path = tmp_path / "picture.svg"
    measure = ["-m", "RBU@5"] if name == "explain" else []
    with mpl.rc_context({"svg.fonttype": "none"}):
        run("plot", name, "demo", "bm25", "xquad", "-q", "3", "-k", "5", *measure, "-o", str(path))

    text = path.read_text()
    assert ">demo</text>" in text
    assert "Tallow Quay Crane" in text
    assert ("query 3: crane" in text) == (name != "missed_intents")


@pytest.mark.parametrize("name", [QRELS, "-", "vaswani"])
def test_only_datasets_of_the_package_have_texts(name):
    assert read_texts(name) == ("", {}, {})


def test_topics_that_cannot_be_downloaded_leave_a_picture_without_texts(monkeypatch):
    def fails(*_):
        raise ConnectionError("no network")

    monkeypatch.setattr(DemoDataset, "get_topics", fails)

    assert read_texts("demo") == ("demo", {}, {})
