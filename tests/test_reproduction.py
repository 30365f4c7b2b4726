"""The numbers of the papers: what the notebooks show, what they wrote, and the page that is made of it."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

from pyterrier_diversity.meta.reproduction import VERDICTS
from write_reproduction import FOLDER, PAPERS, ROWS, pages, read

COLUMNS = ["paper", "table_or_figure", "cell", "theirs", "ours", "verdict", "why"]
NOTEBOOKS = sorted({row["notebook"] for row in read()})


class Cells(HTMLParser):
    """The cells of a table, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def shown(notebook):
    """The last table of a notebook."""
    cells = json.loads((ROWS.parent / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    tables = [
        "".join(output["data"]["text/html"])
        for cell in cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    parser = Cells()
    parser.feed(tables[-1])
    return parser.rows


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_what_a_notebook_shows_is_what_it_wrote(notebook):
    header, *rows = shown(notebook)

    assert header == COLUMNS
    assert rows == [[row[column] for column in COLUMNS] for row in read() if row["notebook"] == notebook]


def test_each_cell_has_a_verdict_and_each_difference_a_reason():
    for row in read():
        assert row["paper"] in PAPERS
        assert row["verdict"] in VERDICTS
        assert bool(row["why"]) == (row["verdict"] != "agrees"), row
        assert bool(row["ours"]) == (row["verdict"] != "cannot be had"), row


def test_no_cell_is_compared_twice():
    keys = [(row["paper"], row["table_or_figure"], row["cell"]) for row in read()]

    assert len(keys) == len(set(keys))


def test_the_pages_are_made_of_what_the_notebooks_wrote():
    written = {str(path.relative_to(FOLDER)): path for path in FOLDER.glob("reproduction*/**/*.rst")}
    written["reproduction.rst"] = FOLDER / "reproduction.rst"

    texts = {name: path.read_text(encoding="utf-8") for name, path in written.items()}

    assert texts == pages(), "python tests/write_reproduction.py writes them"


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_of_a_paper_has_each_cell_and_says_a_reason_once_for_a_table(paper):
    text = pages()[f"reproduction/{paper.lower()}.rst"].replace("\\", "")
    rows = [row for row in read() if row["paper"] == paper]

    for row in rows:
        assert f'"{row["cell"]}", "{row["theirs"]}", "{row["ours"]}", "{row["verdict"]}"' in text
    for why in {row["why"] for row in rows if row["why"]}:
        tables = {row["table_or_figure"] for row in rows if row["why"] == why}
        assert 1 <= text.count(f": {why}.") <= len(tables)
        assert f'"{why}"' not in text


def test_the_overview_counts_all_cells():
    overview, n_cells = pages()["reproduction.rst"], len(read())
    agreeing = sum(row["verdict"] == "agrees" for row in read())

    assert f"**Of {n_cells} cells, {agreeing} agree, " in overview


def test_hundreds_of_numbers_of_five_papers_are_compared():
    rows = [row for row in read() if row["ours"]]

    assert {row["paper"] for row in rows} == set(PAPERS)
    assert sum(row["theirs"].replace(".", "").isdigit() for row in rows) >= 250
