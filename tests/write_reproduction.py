"""Write the pages of reproduced numbers, and their picture, from what the notebooks wrote.

Run it after a notebook: ``python tests/write_reproduction.py``. A test fails while its output differs from the pages.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pyterrier_diversity.meta.reproduction import VERDICTS
from write_reference import FOLDER, write

ROOT = Path(__file__).parents[1]
ROWS = ROOT / "notebooks" / "reproduction.csv"

# A reason for fewer cells than these is on the page of its paper alone.
COMMON = 10

# What the papers advise, tried on real systems: sentences for users, not cells of the papers.
ADVICE = "Advice, on six real systems"

# Such as "Table 2", "Figs. 2-4" or "Secs. 3.1 and 4" at the start of a longer name.
NUMBER = r"\d{1,2}(\.\d)*[a-z]?\b"
PLACE = re.compile(rf"(Table|Figs?\.|Secs?\.) {NUMBER}((, | and |-){NUMBER})*")

Row = dict[str, str]


class Paper(NamedTuple):
    """How the pages name a paper, and its key at DBLP."""

    topic: str
    authors: str
    published: str
    doi: str
    dblp: str


PAPERS = {
    "RBU18": Paper(
        "Rank-Biased Utility",
        "Amigó et al. 2018",
        "Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics: Introducing "
        "the Rank-Biased Utility metric. SIGIR, 625-634.",
        "10.1145/3209978.3210024",
        "conf/sigir/AmigoSC18",
    ),
    "CAR11": Paper(
        "User models",
        "Carterette 2011",
        "Carterette (2011). System effectiveness, user models, and user utility: A conceptual framework for "
        "investigation. SIGIR, 903-912.",
        "10.1145/2009916.2010037",
        "conf/sigir/Carterette11",
    ),
    "TUR23": Paper(
        "Rareness",
        "Türkmen et al. 2023",
        "Türkmen, Lease, Kutlu (2023). New metrics to encourage innovation and diversity in information retrieval "
        "approaches. ECIR, 239-254.",
        "10.1007/978-3-031-28238-6_16",
        "conf/ecir/TurkmenLK23",
    ),
    "SAK13": Paper(
        "Informational and navigational intents",
        "Sakai 2013",
        "Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information "
        "Processing 21(1), 100-113.",
        "10.2197/ipsjjip.21.100",
        "journals/jip/Sakai13",
    ),
    "CAR09": Paper(
        "NP-complete ideals",
        "Carterette 2011",
        "Carterette (2011). An analysis of NP-completeness in novelty and diversity ranking. Information Retrieval "
        "14(1), 89-106.",
        "10.1007/s10791-010-9157-1",
        "journals/ir/Carterette11",
    ),
}

OVERVIEW = """\
Published numbers, recomputed
=============================

Do the numbers of the papers come out again? The notebooks recompute the tables and figures of five papers on data that
anybody can have: the topics and judgements of the TREC tracks, six real systems on the Web track of 2009 to 2012, and
official scores.

**{sentence}**
Most papers used runs that are not public; each reason is counted below.

- **agrees**: the recomputed number, rounded as the paper rounds, is the paper's, or its statement is true here.
- **order only**: another number, but at least 90 % of the other cells of its column lie on the same side of it as in
  the paper.
- **differs**: another number in another order, or another statement.
- **cannot be had**: public data does not allow it.

Cells that are not one column of a table have no order: they agree or differ. Two cells that are equal in the paper have
no order either. Two that are equal here only are not in the paper's order.

.. figure:: pictures/reproduction.svg
   :alt: A bar for each paper, in parts for the four verdicts
   :width: 85%

   The comparisons of each paper, by verdict.

{by_paper}Each paper has a page, with each cell and the reason if it does not agree.

What agrees in full
-------------------

These tables, figures and sections agree in each cell that was compared:

{in_full}Why cells do not agree
----------------------

The reasons for {common} cells or more, and how many cells they explain. All others stand on the pages of the papers.

{reasons}The papers' advice on real systems
----------------------------------

Does what the papers advise hold for six real systems on the Web track of 2009 to 2012? The notebook
``notebooks/15_real_systems.ipynb`` tries {n_advice} pieces of advice, of which {n_holding} hold. They are not counted
above.

{advice}Compare a paper yourself
------------------------

The verdicts are given by :func:`pyterrier_diversity.meta.reproduction`, for any paper:

>>> from pyterrier_diversity import meta
>>> printed = {{"RBU": 0.80, "AP": 0.79, "RR": 0.68}}
>>> here = {{"RBU": 0.87, "AP": 0.79}}
>>> frame = meta.reproduction(
...     "RBU18", "Table 2", printed, here, decimals=2, why="other runs"
... )
>>> frame["verdict"].tolist()
['order only', 'agrees', 'cannot be had']

``notebooks/reproduction.csv`` has all cells and the advice, with the reason in each row.

Citation
--------

{citations}
.. toctree::
   :maxdepth: 1
   :hidden:

{toctree}
"""

PAGE = """\
{title}
{line}

{published} https://doi.org/{doi}

**{sentence}**
:doc:`../reproduction` says what the verdicts mean. The tables are written by {notebooks}.

{by_table}"""


def read() -> list[Row]:
    """Return the rows that the notebooks wrote."""
    with ROWS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def compared() -> list[Row]:
    """Return the rows that compare a cell of a paper, without the advice."""
    return [row for row in read() if row["table_or_figure"] != ADVICE]


def different(rows: Iterable[Row]) -> list[Row]:
    """Return a row for each different number and statement of the papers.

    Parts of one table or figure whose common cells are all equal are one column, compared on several collections.
    """
    columns: dict[tuple[str, str], list[dict[str, Row]]] = {}
    parts: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        parts.setdefault((row["paper"], row["table_or_figure"]), {})[row["cell"]] = row
    for (paper, name), part in parts.items():
        known = columns.setdefault((paper, _place(name)), [])
        for column in known:
            common = part.keys() & column.keys()
            if common and all(part[cell]["theirs"] == column[cell]["theirs"] for cell in common):
                column |= part
                break
        else:
            known.append(dict(part))
    return [row for known in columns.values() for column in known for row in column.values()]


def pages() -> dict[str, str]:
    """Return the texts of the pages as they should be, by their names in the folder of pages."""
    rows = compared()
    of_papers = {paper: [row for row in rows if row["paper"] == paper] for paper in PAPERS}
    written = {"reproduction.rst": _overview(rows, of_papers)}
    for paper, of_paper in of_papers.items():
        written[f"reproduction/{paper.lower()}.rst"] = _page(PAPERS[paper], of_paper)
    return written


def _overview(rows: list[Row], of_papers: dict[str, list[Row]]) -> str:
    counts = [
        [f"{_link(paper)} ({PAPERS[paper].authors})", *_counts(of_paper)] for paper, of_paper in of_papers.items()
    ]
    in_full = []
    for paper, of_paper in of_papers.items():
        places = [place for place, cells in _places(of_paper) if {row["verdict"] for row in cells} == {"agrees"}]
        if places:
            in_full.append([_link(paper), _escaped("; ".join(places))])
    explained = Counter(row["why"] for row in rows if row["why"])
    reasons = []
    for why, n_cells in explained.most_common():
        if n_cells >= COMMON:
            papers = sorted({row["paper"] for row in rows if row["why"] == why}, key=list(PAPERS).index)
            reasons.append([_escaped(why), ", ".join(map(_link, papers)), str(n_cells)])
    advice = [row for row in read() if row["table_or_figure"] == ADVICE]
    return OVERVIEW.format(
        sentence=_sentence(rows),
        common=COMMON,
        by_paper=_table(["paper", *VERDICTS, "comparisons"], [*counts, ["all", *_counts(rows)]]),
        in_full=_table(["paper", "where"], in_full),
        reasons=_table(["reason", "papers", "cells"], reasons),
        n_advice=len(advice),
        n_holding=sum(row["verdict"] == "agrees" for row in advice),
        advice=_table(
            ["paper", "advice", "here", "why"],
            [[_link(row["paper"]), *(_escaped(row[name]) for name in ("cell", "ours", "why"))] for row in advice],
        ),
        citations="".join(f".. cite.dblp:: {paper.dblp}\n" for paper in PAPERS.values()),
        toctree="\n".join(f"   reproduction/{paper.lower()}" for paper in PAPERS),
    )


def _page(paper: Paper, rows: list[Row]) -> str:
    title = f"{paper.topic} ({paper.authors})"
    places = _places(rows)
    counts = [[_escaped(place), *_counts(cells)] for place, cells in places]
    notebooks = [f"``notebooks/{name}.ipynb``" for name in sorted({row["notebook"] for row in rows})]
    head = PAGE.format(
        title=title,
        line="=" * len(title),
        published=paper.published,
        doi=paper.doi,
        sentence=_sentence(rows),
        notebooks=" and ".join(filter(None, (", ".join(notebooks[:-1]), notebooks[-1]))),
        by_table=_table(["where", *VERDICTS, "comparisons"], counts),
    )
    sections = [f"{place}\n{'-' * len(place)}\n\n{_section(place, cells)}" for place, cells in places]
    return "".join([head, *sections]).rstrip() + "\n"


def _section(place: str, cells: list[Row]) -> str:
    """Return the cells of a table, figure or section, after the reasons for those that do not agree."""
    parts: dict[str, list[Row]] = {}
    for row in cells:
        parts.setdefault(row["table_or_figure"].removeprefix(place).strip(" ,"), []).append(row)
    shown = []
    for part, of_part in parts.items():
        for i, row in enumerate(of_part):
            values = [row[name] for name in ("cell", "theirs", "ours", "verdict")]
            shown.append([_escaped(value) for value in ("" if i else part, *values)])
    header = ["part", "cell", "paper", "here", "verdict"]
    if not any(parts):
        header, shown = header[1:], [row[1:] for row in shown]
    return _reasons(parts) + _table(header, shown)


def _reasons(parts: dict[str, list[Row]]) -> str:
    """Return each reason once: of a whole part, or of some of its cells."""
    by_why: dict[str, list[str]] = {}
    for part, of_part in parts.items():
        of_cell = {row["cell"]: row["why"] for row in of_part if row["why"]}
        alone = len(parts) > 1 and len({*of_cell.values()}) == 1
        for cell, why in of_cell.items():
            names = by_why.setdefault(why, [])
            if not alone:
                names.append(", ".join(filter(None, (part if len(parts) > 1 else "", cell))))
            elif part not in names:
                names.append(part)
    if len(by_why) < 2:
        return "".join(f"Why cells do not agree: {_escaped(why)}.\n\n" for why in by_why)
    # The reason of most stands last, without their names.
    rarest_first = sorted(by_why.items(), key=lambda item: len(item[1]))
    items = [f"- {'; '.join(f'*{_escaped(name)}*' for name in names)}: {_escaped(why)}." for why, names in rarest_first]
    if len(rarest_first[-1][1]) > 3:
        items[-1] = f"- all others: {_escaped(rarest_first[-1][0])}."
    return "Why cells do not agree:\n\n" + "\n".join(items) + "\n\n"


def _places(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """Return the rows of each section, table and figure of a paper, in this order."""
    places: dict[str, list[Row]] = {}
    for row in rows:
        places.setdefault(_place(row["table_or_figure"]), []).append(row)
    return sorted(places.items(), key=lambda item: _order(item[0]))


def _place(name: str) -> str:
    """Return the section, table or figure, such as "Table 2" of "Table 2, column 1"."""
    found = PLACE.match(name)
    return found[0] if found else name


def _order(place: str) -> tuple[int, list[int]]:
    """Sort sections before tables before figures before all else, each by number."""
    kinds = ("Sec", "Table", "Fig")
    kind = next((i for i, name in enumerate(kinds) if place.startswith(name)), len(kinds))
    return kind, [int(number) for number in re.findall(r"\d+", place)]


def _sentence(rows: list[Row]) -> str:
    """Return how many comparisons there are, of how much that differs, and how they end."""
    agrees, order, differs, lacking, n_compared = _counts(rows)
    n_different = len(different(rows))
    repeated = "" if n_different == len(rows) else "; some are compared more than once, such as on several collections"
    n_numbers = sum(row["verdict"] == "agrees" and _is_number(row["theirs"]) for row in rows)
    return (
        f"{n_compared} comparisons of {n_different} different numbers and statements{repeated}. "
        f"{agrees} agree: {n_numbers} numbers and {int(agrees) - n_numbers} statements. "
        f"{order} have the paper's order only, {differs} differ, and {lacking} cannot be had."
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _counts(rows: list[Row]) -> list[str]:
    """Return how many rows have each verdict, and how many there are."""
    counted = Counter(row["verdict"] for row in rows)
    return [*(str(counted[verdict]) for verdict in VERDICTS), str(len(rows))]


def _link(paper: str) -> str:
    return f":doc:`{PAPERS[paper].topic} <reproduction/{paper.lower()}>`"


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [", ".join('"' + value.replace('"', '""') + '"' for value in row) for row in rows]
    fields = [".. csv-table::", f"   :header: {', '.join(header)}", "", *(f"   {line}" for line in lines)]
    return "\n".join(fields) + "\n\n"


def _escaped(value: str) -> str:
    """Return text that reStructuredText shows as it is."""
    for character in "\\*`|_@":  # nDCG@20 would be an address of e-mail
        value = value.replace(character, f"\\{character}")
    return value


if __name__ == "__main__":
    write(pages(), "reproduction/*.rst")
    # The picture of the overview; writing all others takes longer.
    from pictures_of_pages import reproduction
    from write_pictures import svg

    (FOLDER / "pictures" / "reproduction.svg").write_text(svg(reproduction), encoding="utf-8")
