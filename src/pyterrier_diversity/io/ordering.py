"""The row order of qrels."""

from __future__ import annotations

import pandas as pd


def highest_label_last(qrels: pd.DataFrame) -> pd.DataFrame:
    """Sort qrels so that the last row of each document has its highest label.

    pytrec_eval reads the last of several rows for a document, so ad-hoc measures are correct on these qrels. Queries
    are sorted by the number at the end of their ids; ids without a number come last.
    """
    number = qrels["qid"].str.extract(r"(\d+)$", expand=False).astype(float)
    order = qrels.assign(number=number).sort_values(["number", "qid", "docno", "label", "iteration"])
    return qrels.loc[order.index].reset_index(drop=True)
