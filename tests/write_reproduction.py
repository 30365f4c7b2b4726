"""Write the page of reproduced numbers from what the notebooks wrote.

Run it after a notebook: ``python tests/write_reproduction.py``. A test fails while its output differs from the page.
"""

from __future__ import annotations

import csv
from collections import Counter
from itertools import groupby
from pathlib import Path

from pyterrier_diversity.meta.reproduction import VERDICTS

ROOT = Path(__file__).parents[1]
ROWS = ROOT / "notebooks" / "reproduction.csv"
PAGE = ROOT / "src" / "pyterrier_diversity" / "pt_docs" / "reproduction.rst"

PAPERS = {
    "CAR09": "Carterette (2011), An analysis of NP-completeness in novelty and diversity ranking",
    "CAR11": "Carterette (2011), System effectiveness, user models, and user utility",
    "RBU18": "Amigó, Spina, Carrillo-de-Albornoz (2018), Rank-Biased Utility",
    "SAK13": "Sakai (2013), Informational and navigational intents",
    "TUR23": "Türkmen, Lease, Kutlu (2023), Rareness",
}

HEADING = """\
Published numbers, recomputed
=============================

The notebooks recompute the tables and figures of five papers on data that anybody can have: the topics and judgements
of the TREC tracks, six real systems on the Web track of 2009 to 2012, and official scores. Most papers used runs that
are not public, so most numbers cannot be the same. Each one has a verdict:

- **agrees**: the recomputed number, rounded as the paper rounds, is the paper's.
- **order only**: another number, but above and below nine in ten of the other cells of its column, as in the paper.
- **differs**: another number, in another place. The last column says why, or what is known.
- **cannot be had**: public data does not allow it.

The verdicts are given by :func:`pyterrier_diversity.meta.reproduction`, which is at hand for other papers, too:

>>> from pyterrier_diversity import meta
>>> printed, here = {"RBU": 0.80, "AP": 0.79, "RR": 0.68}, {"RBU": 0.87, "AP": 0.79}
>>> meta.reproduction("RBU18", "Table 2", printed, here, decimals=2, why="other runs")["verdict"].tolist()
['order only', 'agrees', 'cannot be had']

"""


def read() -> list[dict[str, str]]:
    """Return the rows that the notebooks wrote."""
    with ROWS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page() -> str:
    """Return the text of the page as it should be."""
    rows = sorted(read(), key=lambda row: row["paper"])
    papers = {paper: list(of_paper) for paper, of_paper in groupby(rows, key=lambda row: row["paper"])}
    counts = [[paper, *_counts(of_paper), str(len(of_paper))] for paper, of_paper in papers.items()]
    counts.append(["all", *_counts(rows), str(len(rows))])
    parts = [HEADING, _table(["paper", *VERDICTS, "cells"], counts)]
    for paper, of_paper in papers.items():
        title = f"{paper}: {PAPERS[paper]}"
        parts.append(f"{title}\n{'-' * len(title)}\n\n")
        for (table, notebook), cells in groupby(of_paper, key=lambda row: (row["table_or_figure"], row["notebook"])):
            shown = [[cell[name] for name in ("cell", "theirs", "ours", "verdict", "why")] for cell in cells]
            parts.append(f"**{table}** (``notebooks/{notebook}.ipynb``)\n\n")
            parts.append(_table(["cell", "paper", "here", "verdict", "why"], shown))
    return "".join(parts).rstrip() + "\n"


def _counts(rows: list[dict[str, str]]) -> list[str]:
    counted = Counter(row["verdict"] for row in rows)
    return [str(counted[verdict]) for verdict in VERDICTS]


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [", ".join(f'"{_escaped(value)}"' for value in row) for row in rows]
    fields = [".. csv-table::", f"   :header: {', '.join(header)}", "", *(f"   {line}" for line in lines)]
    return "\n".join(fields) + "\n\n"


def _escaped(value: str) -> str:
    """Return text that reStructuredText shows as it is."""
    for character in "\\*`|_@":  # nDCG@20 would be an address of e-mail
        value = value.replace(character, f"\\{character}")
    return value.replace('"', '""')


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
