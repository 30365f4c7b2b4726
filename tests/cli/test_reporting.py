import pytest

from pyterrier_diversity import RBU, StRecall, html_report
from pyterrier_diversity.datasets.demo import FOLDER
from pyterrier_diversity.io import read_qrels, read_run
from shell import BM25, XQUAD, fail, run

QRELS = str(FOLDER / "qrels.txt")


def test_report_writes_the_page_of_the_function(tmp_path):
    run("report", QRELS, XQUAD, BM25, "-m", "RBU@5 StRecall@5", "-b", "bm25", "-k", "5", "-o", str(tmp_path / "a.html"))

    runs = {name: read_run(FOLDER / f"{name}.run") for name in ("xquad", "bm25")}
    expected = html_report(
        read_qrels(QRELS), runs, [RBU @ 5, StRecall @ 5], tmp_path / "b.html", baseline="bm25", cutoff=5
    )
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    for path in (QRELS, XQUAD, BM25):
        assert path in text
        text = text.replace(path, "a table in memory")
    assert text == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([BM25, "-m", "RBU@5"], 2, "Missing option '-o'"),
        ([BM25, "-o", "report.html"], 2, "Name the measures, as in -m 'RBU@20 alpha_nDCG@20'."),
        ([BM25, "-m", "RBU@5", "-b", "nobody", "-o", "report.html"], 1, "is neither a file nor the name of a run"),
    ],
)
def test_invalid_arguments_of_report_give_one_sentence(arguments, status, message):
    assert message in fail("report", QRELS, *arguments, status=status)


def test_a_report_on_a_dataset_has_its_texts_and_names_from_files(tmp_path):
    (tmp_path / "names.txt").write_text("bm25,Okapi\n")
    page = tmp_path / "a.html"

    run("report", "demo", "xquad", "bm25", "-m", "RBU@5", "--names", str(tmp_path / "names.txt"), "-o", str(page))

    text = page.read_text(encoding="utf-8")
    assert "Tallow Quay Crane" in text
    assert "Okapi" in text
    assert "Rankings are read down to rank 5." in text
