import re
from html import unescape

import pytest
from click.testing import CliRunner

from pyterrier_diversity import RBU, StRecall, html_report
from pyterrier_diversity.cli import app
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


@pytest.mark.filterwarnings("always")
def test_the_page_has_the_warnings_of_the_shell(tmp_path):
    (tmp_path / "a.run").write_text("".join(f"1 Q0 demo-{rank} {rank} {rank} t\n" for rank in range(1, 9)))
    page = tmp_path / "a.html"

    arguments = ["report", "demo", str(tmp_path / "a.run"), "-m", "RBU@5", "-o", str(page)]
    told = CliRunner().invoke(app, arguments).stderr

    printed = [line.removeprefix("Warning: ") for line in told.splitlines() if line.startswith("Warning: ")]
    (listed,) = re.findall(r'<ul id="warnings">(.*?)</ul>', page.read_text(encoding="utf-8"), flags=re.DOTALL)
    in_python = [line.replace("--order rank", "order='rank'") for line in printed]
    assert [unescape(line) for line in re.findall("<li>(.*?)</li>", listed)] == in_python
    assert {line.rpartition(" ")[2] for line in printed} >= {"[RanksWarning]", "[MissingWarning]"}


@pytest.mark.filterwarnings("always")
def test_a_report_that_ends_with_an_error_prints_its_warnings_before(tmp_path):
    rows = [f'{{"qid": "1", "docno": "d{word}", "nugget": "x", "label": "{word}"}}' for word in ("support", "odd")]
    (tmp_path / "odd.jsonl").write_text("\n".join(rows))
    (tmp_path / "bad.run").write_text("1 Q0 d1\n")

    told = fail("report", f"{tmp_path}/odd.jsonl", BM25, f"{tmp_path}/bad.run", "-m", "RBU@5", "-o", "-")

    assert re.match(r"Warning: .*unknown word.*\[WordsWarning\]\nError: Run bad", told)
