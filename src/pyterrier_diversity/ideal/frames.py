"""Smallest covers, from qrels."""

from typing import Any, Literal

import numpy as np
import pandas as pd

from ..io import qrels_frame
from ..judged import judge
from ..parameters import REL, Parameter, Parameters, checked
from .orders import IDEAL, smallest_covers

_COVER: Parameters = {"n_intents": Parameter(int, interval="[0, inf)"), **IDEAL, **REL}


def min_rank(
    qrels: Any,
    n_intents: int | None = None,
    *,
    ideal: Literal["exact", "greedy"] = "exact",
    rel: float | None = None,
    time_limit: float = 60.0,
) -> pd.DataFrame:
    """Compute minRank: the fewest documents that together cover each query's intents.

    Parameters
    ----------
    qrels : DataFrame, iterable of named tuples, or dict of dicts
        Qrels, as for the measures.
    n_intents : int, optional
        The number of intents to cover; by default, all intents with a relevant document.
    ideal : {"exact", "greedy"}
        "exact" proves that no cover is smaller. "greedy" takes the document with the most new intents each time, of
        tied ones that with the highest name. The greedy cover has at most 1 + ln(n) times as many documents as the
        smallest one, where n is the largest number of intents of a document.
    rel : float > 0, optional
        Smallest relevant label; every label above 0 by default.
    time_limit : float
        Seconds to search for a proof for each query.

    Returns
    -------
    DataFrame
        One row for each query: ``qid``, ``n_intents`` (the number covered), ``min_rank`` (0 without relevant documents)
        and ``docnos``, the documents of the cover.

    Raises
    ------
    ValueError
        If a query has fewer than ``n_intents`` intents, a parameter is out of range, or the qrels cannot be read.
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
    given = checked("min_rank", _COVER, n_intents=n_intents, ideal=ideal, rel=rel, time_limit=time_limit)
    judgements = judge(qrels_frame(qrels)).view(rel=given["rel"])
    wanted = judgements.n_intents if n_intents is None else np.full(len(judgements), given["n_intents"])
    for query in np.flatnonzero(wanted > judgements.n_intents)[:1]:
        most, name = judgements.n_intents[query], judgements.query_ids[query]
        raise ValueError(f"min_rank: n_intents must be at most {most} for query {name!r}, not {n_intents!r}.")
    covers = smallest_covers(judgements, wanted, given["ideal"], given["time_limit"], who="min_rank")
    docnos = [judgements.documents.ids[cover].tolist() for cover in covers]
    return pd.DataFrame(
        {"qid": judgements.query_ids, "n_intents": wanted, "min_rank": [*map(len, docnos)], "docnos": docnos}
    )
