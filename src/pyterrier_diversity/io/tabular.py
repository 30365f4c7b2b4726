"""Qrels as frames: the order of their rows, and whole labels."""

from __future__ import annotations

import numpy as np
import pandas as pd

_LARGEST_INTEGER = 2.0**63


def highest_label_last(qrels: pd.DataFrame) -> pd.DataFrame:
    """Sort qrels so that the last row of each document has its highest label.

    pytrec_eval reads the last of several rows for a document, so ad-hoc measures are correct on these qrels. Queries
    are sorted by the number at the end of their ids; ids without a number come last.
    """
    number = qrels["qid"].str.extract(r"(\d+)$", expand=False).astype(float)
    order = qrels.assign(number=number).sort_values(["number", "qid", "docno", "label", "iteration"])
    return qrels.loc[order.index].reset_index(drop=True)


def with_whole_labels(qrels: pd.DataFrame) -> pd.DataFrame:
    """Return qrels with integer labels if all labels are whole numbers that fit into integers."""
    label = qrels["label"]
    is_whole = ((label % 1 == 0) & (label.abs() < _LARGEST_INTEGER)).all()
    return qrels.assign(label=label.astype(np.int64)) if is_whole else qrels
