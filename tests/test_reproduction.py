"""The numbers of the papers: what the notebooks show, what they wrote, and the pages that are made of it."""

import json
import re
from collections import Counter

import pytest

from write_reference import FOLDER
from write_reproduction import (
    CLAIMS,
    EVIDENCE,
    FOLDER_OF_NOTEBOOKS,
    OUTCOMES,
    PAPERS,
    VERDICTS,
    pages,
    place_of,
    read,
    sentence,
    sentence_of_claims,
    without_braces,
)

COLUMNS = ["paper", "table_or_figure", "cell", "theirs", "ours", "simulated", "evidence", "verdict", "why", "notebook"]
NOTEBOOKS = sorted({row["notebook"] for row in read()})
# No reason explains more rows than these.
AT_MOST = 30


def unescaped(page):
    return pages()[page].replace("\\", "")


def different(rows):
    """The rows without those that compare a number of a paper again.

    Parts of one table or figure whose common cells are all equal are one column, compared on several collections.
    """
    columns, parts = {}, {}
    for row in rows:
        parts.setdefault((row["paper"], row["table_or_figure"]), {})[row["cell"]] = row
    for (paper, name), part in parts.items():
        known = columns.setdefault((paper, place_of(name)), [])
        for column in known:
            common = part.keys() & column.keys()
            if common and all(part[cell]["theirs"] == column[cell]["theirs"] for cell in common):
                column |= part
                break
        else:
            known.append(dict(part))
    return [row for known in columns.values() for column in known for row in column.values()]


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_counts_that_a_notebook_shows_are_those_of_what_it_wrote(notebook):
    cells = json.loads((FOLDER_OF_NOTEBOOKS / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    shown = "".join(cells[-1]["outputs"][-1]["data"]["text/plain"]).splitlines()
    counted = Counter((row["evidence"], row["verdict"]) for row in read() if row["notebook"] == notebook)

    counts = {line.split()[0]: [int(number) for number in line.split()[1:]] for line in shown[2:]}

    assert counts == {kind: [counted[kind, verdict] for verdict in VERDICTS] for kind in EVIDENCE}


def test_each_row_has_its_evidence_a_verdict_and_a_reason_unless_it_agrees():
    for row in read():
        assert [*row] == COLUMNS
        assert row["paper"] in PAPERS
        assert row["evidence"] in EVIDENCE
        assert row["verdict"] in VERDICTS
        assert bool(row["why"]) == (row["verdict"] != "agrees"), row
        assert bool(row["ours"]) == (row["verdict"] != "not available") or row["verdict"] == "paper error", row
        assert row["evidence"] == "real" or not row["simulated"], row


def test_no_number_of_a_paper_is_compared_twice():
    keys = [(row["paper"], row["table_or_figure"], row["cell"]) for row in read()]

    assert len(keys) == len(set(keys))
    assert len(different(read())) == len(keys)


def test_no_reason_explains_more_than_thirty_rows():
    most, n_rows = Counter(row["why"] for row in read() if row["why"]).most_common(1)[0]

    assert n_rows <= AT_MOST, most


def test_at_least_forty_rows_agree_on_real_data():
    agreeing = [row for row in read() if (row["evidence"], row["verdict"]) == ("real", "agrees")]

    assert len(agreeing) >= 40
    assert {row["paper"] for row in agreeing} == set(PAPERS)


def test_each_paper_has_four_to_eight_claims_each_with_its_data_and_a_place_among_the_rows():
    claims = read(CLAIMS)
    places = {(row["paper"], place_of(row["table_or_figure"])) for row in read()}
    n_claims = Counter(row["paper"] for row in claims)

    assert all(4 <= n_claims[paper] <= 8 for paper in PAPERS)
    for row in claims:
        answers = [part.rsplit(": ", 1)[1] == "yes" for part in row["data"].split("; ") if part]
        outcome = "not tested" if not answers else OUTCOMES[2 - any(answers) - all(answers)]
        assert row["outcome"] == outcome, row
        assert (row["paper"], row["where"]) in places, row
        assert row["theirs"], row
        assert row["ours"], row


def test_the_pages_are_made_of_what_the_notebooks_wrote():
    written = {str(path.relative_to(FOLDER)): path for path in FOLDER.glob("reproduction*/**/*.rst")}
    written["reproduction.rst"] = FOLDER / "reproduction.rst"

    texts = {name: path.read_text(encoding="utf-8") for name, path in written.items()}

    assert texts == pages(), "python tests/write_reproduction.py writes them"


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_of_a_paper_has_each_cell_and_says_a_reason_once_for_a_table(paper):
    text = unescaped(f"reproduction/{paper.lower()}.rst")
    rows = [row for row in read() if row["paper"] == paper]

    assert "..\n" not in text
    for row in rows:
        assert f'"{row["cell"]}", "{row["theirs"]}"' in text
        assert f'"{row["evidence"]}", "{row["verdict"]}"' in text
    for why in {row["why"] for row in rows if row["why"]}:
        tables = {row["table_or_figure"] for row in rows if row["why"] == why}
        assert 1 <= text.count(f": {without_braces(why)}.") <= len(tables)
        assert f'"{why}"' not in text


def test_the_overview_begins_with_the_claims_and_then_says_how_many_rows_agree_on_real_data():
    overview = unescaped("reproduction.rst")
    real = [row for row in read() if row["evidence"] == "real"]
    n_agreeing = sum(row["verdict"] == "agrees" for row in real)

    assert (
        f"{len(real)} of {len(read())} rows rest on real systems or official scores: {n_agreeing} of these agree"
        in (sentence(read()))
    )
    assert sum(map(int, re.findall(r"\d+", sentence_of_claims(read(CLAIMS))))) == 2 * len(read(CLAIMS))
    order = [sentence_of_claims(read(CLAIMS)), "What the papers claim", sentence(read()), "All rows by"]
    places = [overview.index(each) for each in order]
    assert places == sorted(places)
    for row in read(CLAIMS):
        assert f'"{row["claim"]}", "{row["outcome"]}"' in overview


def test_the_overview_says_what_made_up_systems_say_otherwise_and_lists_the_errors_of_the_papers():
    overview = unescaped("reproduction.rst")
    otherwise = overview[overview.index("Where made-up") : overview.index("Errors of the papers")]
    errors = overview[overview.index("Errors of the papers") : overview.index("All rows by")]

    for row in read():
        if row["ours"] == "does not hold" and row["simulated"] == "holds":
            assert row["cell"] in otherwise
        if row["verdict"] == "paper error":
            assert row["why"] in errors
