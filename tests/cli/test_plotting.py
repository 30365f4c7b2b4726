import re

import matplotlib as mpl
import pytest

from pyterrier_diversity import plots
from pyterrier_diversity.cli.plotting import PICTURES
from pyterrier_diversity.datasets.demo import FOLDER
from shell import BM25, XQUAD, fail, run

QRELS = str(FOLDER / "qrels.txt")


def test_every_picture_of_the_module_has_its_name():
    assert {*PICTURES} == {*plots.__all__} - {"sweep"}


MANY = ["-m", "RBU@5 alpha_nDCG@5 StRecall@5"]
OPTIONS = {
    "explain": ["--query", "1", "-m", "RBU@5"],
    "intent_coverage": [],
    "per_query_deltas": ["-m", "RBU@5"],
    "means": ["-m", "RBU@5"],
    "differences": ["-m", "RBU@5"],
    "missed_intents": ["--query", "2", "-k", "5"],
    "scatter": ["-m", "StRecall@5 RBU@5"],
}


@pytest.mark.usefixtures("no_layout")
@pytest.mark.parametrize("name", PICTURES)
def test_each_picture_is_drawn_into_a_file(tmp_path, name):
    path = tmp_path / "picture.svg"

    assert run("plot", name, QRELS, BM25, XQUAD, *OPTIONS.get(name, MANY), "-o", str(path)) == ""
    assert "</svg>" in path.read_text()


@pytest.mark.usefixtures("no_layout")
@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_the_ending_of_the_file_is_its_format(tmp_path, ending):
    run("plot", "intent_coverage", "demo", "bm25", "-o", str(tmp_path / f"picture.{ending}"))

    assert (tmp_path / f"picture.{ending}").read_bytes()[:4] in (b"\x89PNG", b"%PDF")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["explain", QRELS, BM25, "-m", "RBU@5"], 2, "Name one query with --query."),
        (["explain", QRELS, BM25, "--query", "1"], 2, "Name one measure with -m."),
        (["scatter", QRELS, BM25, "-m", "RBU@5"], 2, "Name two measures with -m."),
        (["means", QRELS, BM25, XQUAD], 2, "Name the measures, as in -m"),
        (
            ["per_query_deltas", QRELS, BM25, "-m", "RBU@5"],
            2,
            "compares each run with the last; give at least two runs.",
        ),
        (["intent_coverage", QRELS, BM25, "-o", "x.foo"], 2, "svgz, tif, tiff, webp), not 'x.foo'."),
        (["intent_coverage", QRELS, BM25, "-o", "x"], 2, "svgz, tif, tiff, webp), not 'x'."),
        (["intent_coverage", QRELS, BM25, "--query", "1"], 2, "intent_coverage does not read --query: leave it out"),
        (["scatter", QRELS, BM25, "-m", "RBU@5", "--seed", "1"], 2, "scatter does not read --seed"),
        (["means", QRELS, BM25, "-m", "RBU@5", "-k", "5"], 2, "means does not read --depth"),
        (["rainbow", QRELS, BM25], 2, "'rainbow' is not one of"),
    ],
)
def test_invalid_arguments_of_plot_give_one_sentence(tmp_path, arguments, status, message):
    output = [] if "-o" in arguments else ["-o", str(tmp_path / "picture.svg")]

    assert message in fail("plot", *arguments, *output, status=status)


@pytest.mark.usefixtures("no_layout")
@pytest.mark.parametrize("name", ["explain", "missed_intents"])
def test_pictures_of_a_dataset_have_the_texts_of_its_queries_and_intents(tmp_path, name):
    path = tmp_path / "picture.svg"
    measure = ["-m", "RBU@5"] if name == "explain" else []
    with mpl.rc_context({"svg.fonttype": "none"}):
        run("plot", name, "demo", "bm25", "xquad", "--query", "3", "-k", "5", *measure, "-o", str(path))

    text = path.read_text()
    assert re.search(">demo(, query 3: crane)?</text>", text)
    assert "Tallow Quay Crane" in text
    assert ("query 3: crane" in text) == (name != "missed_intents")


def test_names_and_labels_are_read_from_files(tmp_path):
    (tmp_path / "names.txt").write_text("bm25\tOkapi\n")
    (tmp_path / "labels.txt").write_text("RBU@5,utility\n")
    path = tmp_path / "picture.svg"
    options = ["-m", "RBU@5", "--names", str(tmp_path / "names.txt"), "--labels", str(tmp_path / "labels.txt")]

    with mpl.rc_context({"svg.fonttype": "none"}):
        run("plot", "means", QRELS, BM25, XQUAD, *options, "-o", str(path))

    assert {"Okapi", "xquad"} < set(re.findall(">([^<]+)</text>", path.read_text()))
    assert "mean utility" in path.read_text()
    refused = fail("plot", "missed_intents", QRELS, BM25, *options[4:], "-o", str(path), status=2)
    assert "The picture missed_intents does not read --labels: leave it out." in refused
