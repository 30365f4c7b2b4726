"""The numbers of the papers: what the notebooks show, what they wrote, and the page that is made of it."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

from pyterrier_diversity.meta.reproduction import VERDICTS
from write_reproduction import ADVICE, FOLDER, PAPERS, ROWS, compared, different, pages, read

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
    rows = [row for row in compared() if row["paper"] == paper]

    assert "..\n" not in text
    for row in rows:
        assert f'"{row["cell"]}", "{row["theirs"]}", "{row["ours"]}", "{row["verdict"]}"' in text
    for why in {row["why"] for row in rows if row["why"]}:
        tables = {row["table_or_figure"] for row in rows if row["why"] == why}
        assert 1 <= text.count(f": {why}.") <= len(tables)
        assert f'"{why}"' not in text


def test_the_overview_counts_all_comparisons_and_how_many_numbers_and_statements_agree():
    overview, rows = pages()["reproduction.rst"], compared()
    agreeing = [row["theirs"] for row in rows if row["verdict"] == "agrees"]
    n_numbers = sum(text.replace(".", "").removeprefix("-").isdigit() for text in agreeing)
    sentence = (
        f"{len(rows)} comparisons of {len(different(rows))} different numbers and statements; "
        "some are compared more than once, such as on several collections. "
        f"{len(agreeing)} agree: {n_numbers} numbers and {len(agreeing) - n_numbers} statements."
    )

    assert sentence in overview


def test_a_number_that_is_compared_on_three_collections_is_one_number():
    of_table = [row for row in compared() if row["paper"] == "CAR11" and row["table_or_figure"].startswith("Table 2")]

    assert (len(of_table), len(different(of_table))) == (75, 25)


def test_equal_values_of_different_columns_are_different_numbers():
    row = {"paper": "A", "cell": "P", "theirs": "0.5"}
    other = {"paper": "A", "cell": "AP", "theirs": "0.4"}
    columns = [row | {"table_or_figure": "Table 1, 95 %"}, other | {"table_or_figure": "Table 1, 95 %"}]
    columns += [
        row | {"table_or_figure": "Table 1, 99 %"},
        other | {"table_or_figure": "Table 1, 99 %", "theirs": "0.3"},
    ]

    assert len(different(columns)) == 4


def test_advice_is_on_the_overview_and_counted_apart():
    overview = pages()["reproduction.rst"].replace("\\", "")
    advice = [row for row in read() if row["table_or_figure"] == ADVICE]

    assert len(compared()) + len(advice) == len(read())
    assert (
        f"{len(advice)} pieces of advice, of which {sum(row['verdict'] == 'agrees' for row in advice)} hold" in overview
    )
    for row in advice:
        assert f'"{row["cell"]}", "{row["ours"]}", "{row["why"]}"' in overview


def test_hundreds_of_numbers_of_five_papers_are_compared():
    rows = [row for row in different(compared()) if row["ours"]]

    assert {row["paper"] for row in rows} == set(PAPERS)
    assert sum(row["theirs"].replace(".", "").isdigit() for row in rows) >= 250
