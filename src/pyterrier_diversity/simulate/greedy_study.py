"""How often, and by how much, the greedy algorithm needs more documents than the smallest cover."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ..ideal import Covers, naming
from ..io import qrels_frame
from ..judged import QueryRelevance, judge, relevance_by_query
from ..parameters import TIME_LIMIT, checked
from ..progress import progress


def greedy_study(qrels: pd.DataFrame, time_limit: float = 60.0) -> pd.DataFrame:
    r"""Compare the greedy minRank of each query with the exact one.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names, for instance from `swap_topics`. Not changed.
    time_limit : float > 0
        Seconds to prove the minRank of a query.

    Returns
    -------
    DataFrame
        A row for each query with a relevant document:

        - ``qid``.
        - ``kind``: "trivial" if one document covers all intents. "quasi-trivial" if the documents that are the only
          ones for some intent, and at most one further document, cover all intents. Otherwise "other".
        - ``min_rank`` and ``greedy_min_rank``.
        - ``rank_ratio``: the greedy minRank divided by the exact one.
        - ``recall_ratio``: how much the greedy minRank overestimates subtopic recall. This is 1 divided by the recall
          of the greedy ranking at the exact minRank.

        ``attrs`` is about the queries that are not trivial: their number ``n``, and the share ``missed`` with a rank
        ratio above 1. ``rank_ratio`` and ``recall_ratio`` are means over the missed ones, or NaN.

    Raises
    ------
    ValueError
        If the qrels cannot be read, or the time limit is not above 0.
    NotProvenError
        If the time runs out for a query.

    References
    ----------
    Carterette (2011). An analysis of NP-completeness in novelty and diversity ranking. Information Retrieval 14(1),
    89-106, Sec. 3.

    Examples
    --------
    >>> frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["d", "e"], "label": [1, 1], "iteration": ["a", "b"]})
    >>> greedy_study(frame)[["kind", "min_rank", "rank_ratio"]].to_numpy().tolist()
    [['quasi-trivial', 2, 1.0]]
    """
    time_limit = checked("greedy_study", TIME_LIMIT, time_limit=time_limit)["time_limit"]
    rows = []
    for query in progress(relevance_by_query(judge(qrels_frame(qrels))), "minRank", unit="query"):
        if len(query.docs):
            with naming(query.query_id):
                rows.append((query.query_id, *_compare(query, time_limit)))
    columns = ["qid", "kind", "min_rank", "greedy_min_rank", "rank_ratio", "recall_ratio"]
    study = pd.DataFrame(rows, columns=columns)
    hard = study[study["kind"] != "trivial"]
    missed = hard[hard["rank_ratio"] > 1]
    study.attrs = {
        "n": len(hard),
        "missed": len(missed) / len(hard) if len(hard) else math.nan,
        "rank_ratio": float(missed["rank_ratio"].mean()),
        "recall_ratio": float(missed["recall_ratio"].mean()),
    }
    return study


def _compare(query: QueryRelevance, time_limit: float) -> tuple[str, int, int, float, float]:
    relevant, covers = query.matrix, Covers(query.doc, query.intent)
    n_intents = covers.n_intents
    greedy, exact = covers.greedy(n_intents), covers.exact(n_intents, time_limit)
    recall = np.count_nonzero(relevant[greedy[: len(exact)]].any(axis=0)) / n_intents
    return _kind(relevant), len(exact), len(greedy), len(greedy) / len(exact), 1 / recall


def _kind(relevant: np.ndarray) -> str:
    if relevant.all(axis=1).any():
        return "trivial"
    only_one = np.count_nonzero(relevant, axis=0) == 1
    left = ~relevant[relevant[:, only_one].any(axis=1)].any(axis=0)
    trivially = only_one.any() and relevant[:, left].all(axis=1).any()
    return "quasi-trivial" if trivially else "other"
