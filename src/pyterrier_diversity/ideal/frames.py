"""Ideal rankings and smallest covers, from qrels."""

from typing import Any

import numpy as np
import pandas as pd

from ..io import qrels_frame
from ..judged import Order, ideal, judge
from ..parameters import ALPHA, CUTOFF, REL, TIME_LIMIT, Parameter, Parameters, checked
from .discount import log_discount
from .orders import Exact, Greedy, smallest_covers

_NOVELTY: Parameters = {**ALPHA, **CUTOFF, **REL, **TIME_LIMIT}
_COVER: Parameters = {"n_intents": Parameter(int, interval="[0, inf)"), **REL, **TIME_LIMIT}


def min_rank(
    qrels: Any, n_intents: int | None = None, *, rel: float | None = None, time_limit: float = 60.0
) -> pd.DataFrame:
    """Compute minRank: the fewest documents that together cover each query's intents, with a proof.

    Parameters
    ----------
    qrels : DataFrame, iterable of named tuples, or dict of dicts
        Qrels, as for the measures.
    n_intents : int, optional
        The number of intents to cover; by default, all intents with a relevant document.
    rel : float > 0, optional
        Smallest relevant label; every label above 0 by default.
    time_limit : float
        Seconds to search for each query.

    Returns
    -------
    DataFrame
        One row for each query: ``qid``, ``n_intents`` (the number covered), ``min_rank`` (0 without relevant documents)
        and ``docnos``, the documents of a smallest cover.

    Raises
    ------
    ValueError
        If a query has fewer than ``n_intents`` intents, or a parameter is out of range.
    NotProvenError
        If no cover is proven to be the smallest in time.

    References
    ----------
    Carterette (2011). An analysis of NP-completeness in novelty and diversity ranking. Information Retrieval 14(1),
    89-106, Sec. 2.1.

    Examples
    --------
    >>> frame = pd.DataFrame([("q", "d1", 1, "a"), ("q", "d2", 1, "b")], columns=["qid", "docno", "label", "iteration"])
    >>> min_rank(frame)
      qid  n_intents  min_rank    docnos
    0   q          2         2  [d2, d1]
    """
    return _covers("min_rank", qrels, "exact", n_intents=n_intents, rel=rel, time_limit=time_limit)


def greedy_min_rank(qrels: Any, n_intents: int | None = None, *, rel: float | None = None) -> pd.DataFrame:
    """Cover each query's intents greedily: take the document with the most new intents each time.

    Ties are broken by descending document name. The cover has at most 1 + ln(n) times as many documents as the smallest
    one, where n is the largest number of intents of a document.

    Parameters
    ----------
    qrels, n_intents, rel
        As for `min_rank`.

    Returns
    -------
    DataFrame
        As from `min_rank`.

    Raises
    ------
    ValueError
        If a query has fewer than ``n_intents`` intents, or a parameter is out of range.
    """
    return _covers("greedy_min_rank", qrels, "greedy", n_intents=n_intents, rel=rel)


def greedy_ranking(
    qrels: Any, *, alpha: float = 0.5, cutoff: int | None = None, rel: float | None = None
) -> pd.DataFrame:
    """Rank each query's relevant documents greedily by alpha-DCG, as in the ideal ranking of alpha-nDCG.

    Parameters
    ----------
    qrels : DataFrame, iterable of named tuples, or dict of dicts
        Qrels, as for the measures.
    alpha : float in [0, 1]
        Redundancy intolerance.
    cutoff : int, optional
        Number of documents for each query; all by default.
    rel : float > 0, optional
        Smallest relevant label; every label above 0 by default.

    Returns
    -------
    DataFrame
        A run, with ``qid``, ``docno``, ``rank`` (from 0) and ``score``, which falls strictly with the rank.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    alpha, cutoff, rel = checked("greedy_ranking", _NOVELTY, alpha=alpha, cutoff=cutoff, rel=rel).values()
    return _ranking(qrels, rel, Greedy(alpha), cutoff)


def exact_ranking(
    qrels: Any, *, alpha: float = 0.5, cutoff: int | None = None, rel: float | None = None, time_limit: float = 60.0
) -> pd.DataFrame:
    """Rank each query's relevant documents by the highest alpha-DCG at the cutoff, with a proof.

    The best ranking for one cutoff need not be the best for another.

    Parameters
    ----------
    qrels, alpha, cutoff, rel
        As for `greedy_ranking`.
    time_limit : float
        Limit of the search in seconds for each query.

    Returns
    -------
    DataFrame
        As from `greedy_ranking`.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    NotProvenError
        If no ranking is proven to be the best in time.
    """
    alpha, cutoff, rel, limit = checked(
        "exact_ranking", _NOVELTY, alpha=alpha, cutoff=cutoff, rel=rel, time_limit=time_limit
    ).values()
    return _ranking(qrels, rel, Exact(alpha, log_discount, cutoff, limit), cutoff)


def _covers(who: str, qrels: Any, ideal: str, **values: Any) -> pd.DataFrame:
    """Return the smallest cover of each query, for values of the parameters `_COVER`."""
    n_intents, rel, *limit = checked(who, _COVER, **values).values()
    judgements = judge(qrels_frame(qrels)).view(rel=rel)
    wanted = judgements.n_intents if n_intents is None else np.full(len(judgements), n_intents)
    for query in np.flatnonzero(wanted > judgements.n_intents)[:1]:
        most, name = judgements.n_intents[query], judgements.query_ids[query]
        raise ValueError(f"n_intents must be at most {most} for query {name!r}, not {n_intents!r}.")
    covers = smallest_covers(judgements, wanted, ideal, *limit, who="ideal rankings")
    docnos = [judgements.documents.ids[cover].tolist() for cover in covers]
    return pd.DataFrame(
        {"qid": judgements.query_ids, "n_intents": wanted, "min_rank": [*map(len, docnos)], "docnos": docnos}
    )


def _ranking(qrels: Any, rel: float | None, order: Order, cutoff: int | None) -> pd.DataFrame:
    judgements = judge(qrels_frame(qrels)).view(rel=rel)
    rankings = ideal(judgements, order, cutoff).rankings()
    rows = [
        (query_id, doc, place, float(len(docs) - place))
        for query_id, docs in zip(judgements.query_ids, rankings, strict=True)
        for place, doc in enumerate(docs)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "rank", "score"])
