"""Write the pages of reproduced numbers from what the notebooks wrote.

Run it after a notebook: ``python tests/write_reproduction.py``. A test fails while its output differs from the pages.
"""

import csv
import re
import runpy
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from write_reference import write

ROOT = Path(__file__).parents[1]
FOLDER_OF_NOTEBOOKS = ROOT / "notebooks" / "reproduction"
ROWS = FOLDER_OF_NOTEBOOKS / "reproduction.csv"
CLAIMS = FOLDER_OF_NOTEBOOKS / "claims.csv"
_OF_NOTEBOOKS = runpy.run_path(str(ROWS.with_suffix(".py")))
VERDICTS, EVIDENCE, OUTCOMES = (_OF_NOTEBOOKS[name] for name in ("VERDICTS", "EVIDENCE", "OUTCOMES"))

# A reason for fewer cells than these is on the page of its paper alone.
COMMON = 10

# A list of more rows than these is folded: a click opens it.
OPEN = 10

# Such as "Table 2", "Figs. 2-4" or "Secs. 3.1 and 4" at the start of a longer name.
NUMBER = r"\d{1,2}(\.\d)*[a-z]?\b"
PLACE = re.compile(rf"(Table|Figs?\.|Secs?\.) {NUMBER}((, | and |-){NUMBER})*")

# The columns of the csv file that the page of a paper shows, and what they are called there.
SHOWN = {
    "cell": "cell",
    "theirs": "paper",
    "ours": "here",
    "simulated": "made-up systems",
    "evidence": "evidence",
    "verdict": "verdict",
}

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

**{of_claims}**
The formulas equal the authors' programs to 1e-9 (:doc:`other_tools`). The numbers differ because the
data does: the notebooks recompute the tables and figures of the papers on public data, which are the topics and
judgements of the TREC tracks, real systems on the Web track of 2009 to 2012, and scores of official runs.

What the papers claim
---------------------

If there is real data for a claim, the claim is tested on it: it is *reproduced* if it holds on all real data,
*contradicted* if it holds on none, and *mixed* otherwise. The last column has the paper's number, our number, and a
link to the rows. *6 real* are a first stage, four diversification systems that re-rank it, and one system from another
source, on the topics of the Web track of these years. *10 real* also include four runs of the organisers. For official
runs, only the scores are available.

{claims}The numbers
-----------

A *row* is a number or a statement of a paper. {sentence}

What real data agrees with
--------------------------

The {n_agreeing} rows that rest on real systems or official scores and agree with the paper:

{agreeing}Where made-up systems give another result
-----------------------------------------

For these statements, real data gives a different result from systems that are made up, redrawn or changed by noise. The
verdict is that of the real data.

{otherwise}Errors of the papers
--------------------

{errors}All rows by evidence
--------------------

{legend}
Cells that do not form a column of a table have no order: they agree or differ. Two cells that are equal in the paper
also have no order. Two cells that are equal only here are not in the order of the paper.

{by_paper}Each paper has a page with all cells, and with a reason for each cell that does not agree.

Why cells do not agree
----------------------

Each of these reasons explains at least {common} cells. All other reasons are on the pages of the papers.

{reasons}The files
---------

The folder ``notebooks/reproduction`` of the source has the notebooks; ``reproduction.csv`` there has all rows with
their reasons, and ``claims.csv`` the claims. To compare another paper, use the function of ``reproduction.py``.

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
:doc:`../reproduction` explains the words. The tables are from {notebooks}.

{by_table}"""


def read(path: Path = ROWS) -> list[Row]:
    """Return the rows that the notebooks wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def pages() -> dict[str, str]:
    """Return the texts of the pages as they should be, by their names in the folder of pages."""
    rows = read()
    of_papers = {paper: [row for row in rows if row["paper"] == paper] for paper in PAPERS}
    written = {"reproduction.rst": _overview(rows, of_papers)}
    for paper, of_paper in of_papers.items():
        written[f"reproduction/{paper.lower()}.rst"] = _page(paper, of_paper)
    return written


def _overview(rows: list[Row], of_papers: dict[str, list[Row]]) -> str:
    agreeing = [row for row in rows if (row["evidence"], row["verdict"]) == ("real", "agrees")]
    otherwise = [row for row in rows if _is_statement(row) and row["simulated"] not in ("", row["ours"])]
    explained = Counter(row["why"] for row in rows if row["why"])
    reasons = []
    for why, n_cells in explained.most_common():
        if n_cells >= COMMON:
            papers = sorted({row["paper"] for row in rows if row["why"] == why}, key=list(PAPERS).index)
            reasons.append([_escaped(why), ", ".join(map(_link, papers)), str(n_cells)])
    return OVERVIEW.format(
        of_claims=sentence_of_claims(read(CLAIMS)),
        sentence=sentence(rows),
        claims="".join(map(_claims, PAPERS)),
        n_agreeing=len(agreeing),
        agreeing=_listed(agreeing, "theirs", "ours"),
        otherwise=_listed(otherwise, "theirs", "ours", "simulated"),
        errors=_listed([row for row in rows if row["verdict"] == "paper error"], "theirs", "ours", "why"),
        legend="".join(f"- **{word}**: {meaning}.\n" for word, meaning in (EVIDENCE | VERDICTS).items()),
        common=COMMON,
        by_paper=_by_evidence(of_papers),
        reasons=_folded("reasons", ["reason", "papers", "cells"], reasons) if reasons else "None.\n\n",
        citations="".join(f".. cite.dblp:: {paper.dblp}\n" for paper in PAPERS.values()),
        toctree="\n".join(f"   reproduction/{paper.lower()}" for paper in PAPERS),
    )


def _claims(paper: str) -> str:
    """Return what becomes of the claims of a paper."""
    heading = f"{PAPERS[paper].topic} ({PAPERS[paper].authors})"
    rows = [row for row in read(CLAIMS) if row["paper"] == paper]
    notebooks = " and ".join(
        f"``notebooks/reproduction/{name}.ipynb``" for name in sorted({row["notebook"] for row in rows})
    )
    shown = []
    for row in rows:
        numbers = f"paper: {row['theirs']}; here: {row['ours']}"
        link = f":ref:`{row['where']} <{_label(paper, row['where'])}>`"
        data = _escaped(row["data"]) or "none"
        shown.append([_escaped(row["claim"]), row["outcome"], data, f"{_escaped(numbers)} ({link})"])
    table = _table(["claim", "outcome", "data: does it hold?", "numbers"], shown, stacked=True)
    return f"{heading}\n{'^' * len(heading)}\n\nTested in {notebooks}.\n\n{table}"


def _by_evidence(of_papers: dict[str, list[Row]]) -> str:
    shown = []
    for paper, of_paper in of_papers.items():
        for evidence in EVIDENCE:
            of_kind = [row for row in of_paper if row["evidence"] == evidence]
            if of_kind:
                shown.append([_link(paper), evidence, *_counts(of_kind)])
    every = [row for of_paper in of_papers.values() for row in of_paper]
    for evidence in EVIDENCE:
        shown.append(["all", evidence, *_counts([row for row in every if row["evidence"] == evidence])])
    return _folded("counts", ["paper", "evidence", *VERDICTS, "rows"], [*shown, ["all", "all", *_counts(every)]])


def _listed(rows: list[Row], *columns: str) -> str:
    """Return rows with their paper and place, and some of their columns."""
    if not rows:
        return "None.\n\n"
    names = {"theirs": "paper says", "ours": "here", "simulated": "made-up systems", "why": "derivation"}
    shown = []
    for row in sorted(rows, key=lambda row: list(PAPERS).index(row["paper"])):
        place = place_of(row["table_or_figure"])
        link = f":ref:`{row['paper']}, {place} <{_label(row['paper'], place)}>`"
        part = _part(row, place)
        cell = f"{part}: {row['cell']}" if part else row["cell"]
        shown.append([link, _escaped(cell), *(_escaped(row[column]) for column in columns)])
    return _folded("rows", ["where", "what", *(names[column] for column in columns)], shown)


def _page(name: str, rows: list[Row]) -> str:
    paper, title = PAPERS[name], f"{PAPERS[name].topic} ({PAPERS[name].authors})"
    places = _places(rows)
    notebooks = [
        f"``notebooks/reproduction/{notebook}.ipynb``" for notebook in sorted({row["notebook"] for row in rows})
    ]
    head = PAGE.format(
        title=title,
        line="=" * len(title),
        published=paper.published,
        doi=paper.doi,
        sentence=sentence(rows),
        notebooks=" and ".join(filter(None, (", ".join(notebooks[:-1]), notebooks[-1]))),
        by_table=_table(["where", *VERDICTS, "rows"], [[_escaped(place), *_counts(cells)] for place, cells in places]),
    )
    sections = [
        f".. _{_label(name, place)}:\n\n{place}\n{'-' * len(place)}\n\n{_section(place, cells)}"
        for place, cells in places
    ]
    return "".join([head, *sections]).rstrip() + "\n"


def _part(row: Row, place: str) -> str:
    """Return what a row says of its place: "Table 3, topics" for "Sec. 3.1 and Table 3, topics"."""
    return row["table_or_figure"].removeprefix(place).strip(" ,").removeprefix("and ")


def _section(place: str, cells: list[Row]) -> str:
    """Return the cells of a table, figure or section, after the reasons for those that do not agree."""
    parts: dict[str, list[Row]] = {}
    for row in cells:
        parts.setdefault(_part(row, place), []).append(row)
    shown = []
    for part, of_part in parts.items():
        for i, row in enumerate(of_part):
            values = [row[name] for name in SHOWN]
            shown.append([_escaped(value) for value in ("" if i else part, *values)])
    header = ["part", *SHOWN.values()]
    # Columns that are empty all the way down are left out.
    filled = [i for i in range(len(header)) if any(row[i] for row in shown)]
    return _reasons(parts) + _folded("cells", [header[i] for i in filled], [[row[i] for i in filled] for row in shown])


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
        places.setdefault(place_of(row["table_or_figure"]), []).append(row)
    return sorted(places.items(), key=lambda item: _order(item[0]))


def place_of(name: str) -> str:
    """Return the section, table or figure, such as "Table 2" of "Table 2, column 1"."""
    found = PLACE.match(name)
    return found[0] if found else name


def _order(place: str) -> tuple[int, list[int]]:
    """Sort sections before tables before figures before all else, each by number."""
    kinds = ("Sec", "Table", "Fig")
    kind = next((i for i, name in enumerate(kinds) if place.startswith(name)), len(kinds))
    return kind, [int(number) for number in re.findall(r"\d+", place)]


def sentence(rows: list[Row]) -> str:
    """Return how many rows there are, how many rest on real data, and how these end."""
    real = [row for row in rows if row["evidence"] == "real"]
    agrees, order, differs, errors, lacking, n_real = _counts(real)
    return (
        f"{n_real} of {len(rows)} rows rest on real systems or official scores: {agrees} of these agree with the "
        f"paper, {order} have only the same order, {differs} differ, {errors} are errors of the paper, and {lacking} "
        "are not available."
    )


def sentence_of_claims(claims: list[Row]) -> str:
    """Return how many claims there are, and what became of them."""
    counted = Counter(row["outcome"] for row in claims)
    reproduced, mixed, contradicted, not_tested = (counted[outcome] for outcome in OUTCOMES)
    return (
        f"Of {len(claims)} claims of five papers, {reproduced} are reproduced, {mixed} in part, {contradicted} are "
        f"contradicted, and {not_tested} could not be tested."
    )


def _is_statement(row: Row) -> bool:
    """Tell whether a row is about words rather than a number."""
    try:
        float(row["theirs"])
    except ValueError:
        return True
    return False


def _counts(rows: list[Row]) -> list[str]:
    """Return how many rows have each verdict, and how many there are."""
    counted = Counter(row["verdict"] for row in rows)
    return [*(str(counted[verdict]) for verdict in VERDICTS), str(len(rows))]


def _label(paper: str, place: str) -> str:
    """Return the label of a section of the page of a paper, such as "rbu18-table-2"."""
    return "-".join(re.findall(r"[a-z0-9]+", f"{paper} {place}".lower()))


def _link(paper: str) -> str:
    return f":doc:`{PAPERS[paper].topic} <reproduction/{paper.lower()}>`"


def _folded(what: str, header: list[str], rows: list[list[str]]) -> str:
    """Return a table that is folded if it is long; the headings stay in sight, so that links reach them."""
    if len(rows) <= OPEN:
        return _table(header, rows)
    opening = f".. raw:: html\n\n   <details><summary>All {len(rows)} {what}</summary>\n\n"
    return f"{opening}{_table(header, rows)}.. raw:: html\n\n   </details>\n\n"


def _table(header: list[str], rows: list[list[str]], *, stacked: bool = False) -> str:
    """Return a table; a stacked one shows its cells below each other on a phone."""
    lines = [", ".join('"' + value.replace('"', '""') + '"' for value in row) for row in rows]
    options = [f"   :header: {', '.join(header)}", *(["   :class: stacked"] if stacked else [])]
    fields = [".. csv-table::", *options, "", *(f"   {line}" for line in lines)]
    return "\n".join(fields) + "\n\n"


def without_braces(value: str) -> str:
    """Return text in which dicts, such as {'a': 1, 'b': 2}, are lists such as a: 1, b: 2."""
    return re.sub(r"\{([^{}]*: [^{}]*)\}", lambda found: found[1].replace("'", ""), value)


def _escaped(value: str) -> str:
    """Return text that reStructuredText shows as it is."""
    value = without_braces(value)
    for character in "\\*`|_@":  # nDCG@20 would be an address of e-mail
        value = value.replace(character, f"\\{character}")
    return value


if __name__ == "__main__":
    write(pages(), "reproduction/*.rst")
