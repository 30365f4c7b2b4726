"""Columns of qrels that some measures read: how rare documents are, and how likely intents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from .arithmetic import divide
from .judged import Run, given_frame, ids, intents_of_rows, strings
from .parameters import CUTOFF, Parameter, checked

SCHEME = Parameter(str, "uniform", choices=("uniform", "sakai"), desc="how the intents of a query are weighted")

# 2 to the power of minus more is no weight that sums could tell from 0.
MOST_SAKAI_INTENTS = 1000


def add_rarity(
    qrels: pd.DataFrame,
    runs: Mapping[str, Any] | Iterable[Any],
    cutoff: int = 100,
    bounded: bool = False,
) -> pd.DataFrame:
    r"""Add the column ``rarity``: how few of the systems retrieve a document.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names. Not changed.
    runs : mapping of names to runs, or iterable of runs
        The rankings of all systems: frames, as files or transformers give them. A system that is evaluated later but
        left out here does not count as finding its own documents; a document that none of the systems here finds is
        as rare as one that a single system finds.
    cutoff : int >= 1
        How far down a ranking a document counts as retrieved.
    bounded : bool
        Whether the rarest document has a rarity of 1 whatever the number of systems.

    Returns
    -------
    DataFrame
        The qrels with the column ``rarity``: :math:`1 - S_d/S`, where :math:`S_d` of the :math:`S` systems, at least 1,
        retrieve the document; if ``bounded``, :math:`1 - (S_d - 1)/(S - 1)`, and 0 with one system.

    Raises
    ------
    ValueError
        If there is no run, the cutoff is below 1 or no integer, or a column or a value is missing.
    TypeError
        If ``runs`` is no collection of runs, such as one frame.

    References
    ----------
    Türkmen, Lease, Kutlu (2023). New metrics to encourage innovation and diversity in information retrieval approaches.
    ECIR, 239-254, Eq. 2. https://doi.org/10.1007/978-3-031-28238-6_16

    Examples
    --------
    >>> frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["d1", "d2"], "label": [1, 1]})
    >>> first = pd.DataFrame({"qid": ["q", "q"], "docno": ["d1", "d2"], "score": [2.0, 1.0]})
    >>> add_rarity(frame, [first, first.head(1)])
      qid docno  label  rarity
    0   q    d1      1     0.0
    1   q    d2      1     0.5
    """
    if isinstance(runs, (pd.DataFrame, str)) or not isinstance(runs, Iterable):
        raise TypeError(f"runs must be a dict of names to runs, or a list of runs, not {type(runs).__name__}.")
    cutoff = checked("add_rarity", CUTOFF, cutoff=cutoff)["cutoff"]
    systems = [Run(run) for run in (runs.values() if isinstance(runs, Mapping) else runs)]
    if not systems:
        raise ValueError("runs must hold a run at least, in a dict or a list: rareness is among systems.")
    frame = given_frame(qrels, ("query_id", "doc_id"), "qrels")
    query = ids(frame, "query_id", "qrels")
    docs = strings(frame, "doc_id", "qrels").tolist()
    counts: list[dict[str, int]] = [{} for _ in query.names]
    for system in systems:
        for count, ranking in zip(counts, system.rankings(query.names.tolist(), cutoff), strict=True):
            for doc in ranking:
                count[doc] = count.get(doc, 0) + 1
    n_systems = np.array([max(counts[q].get(doc, 0), 1) for q, doc in zip(query.codes.tolist(), docs, strict=True)])
    # 1 - (S_d - 1)/(S - 1) is (S - S_d)/(S - 1).
    return qrels.assign(rarity=divide(len(systems) - n_systems, len(systems) - bool(bounded)))


def add_weights(qrels: pd.DataFrame, scheme: Literal["uniform", "sakai"] = "uniform") -> pd.DataFrame:
    r"""Add the column ``weight``: the probability of each of a query's intents.

    Parameters
    ----------
    qrels : DataFrame
        Qrels with a column ``iteration`` or ``subtopic_id``, with PyTerrier's or ir_measures' names. Not changed.
    scheme : {"uniform", "sakai"}
        :math:`1/n` for each of a query's n intents, or :math:`2^{n-j+1} / \sum_{k=1}^n 2^k` for the j-th: in the order
        of their numbers if all names are numbers, else of their names.

    Returns
    -------
    DataFrame
        The qrels with the column ``weight``, of sum 1 over the intents that they name for a query.

    Raises
    ------
    ValueError
        If the scheme is unknown, a column is missing, or a query has so many intents that the last of them would have
        no weight.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Table 1.

    Examples
    --------
    >>> frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["d", "d"], "iteration": ["1", "2"], "label": [1, 1]})
    >>> add_weights(frame, "sakai")["weight"].round(2).tolist()
    [0.67, 0.33]
    """
    SCHEME.check("add_weights", "scheme", scheme)
    frame = given_frame(qrels, ("query_id",), "qrels")
    intent, query, names = intents_of_rows(frame)
    if scheme == "uniform":
        return qrels.assign(weight=1 / np.bincount(query)[query][intent])
    place, n_intents = _places(query, names)
    if n_intents.max(initial=0) > MOST_SAKAI_INTENTS:
        raise ValueError(
            f"scheme='sakai' halves the weight from intent to intent, and is for {MOST_SAKAI_INTENTS} intents at most; "
            f"a query has {n_intents.max():.0f}."
        )
    # 2^(n-j+1) over the sum of 2^k for k from 1 to n, which is 2^(n+1) - 2, both divided by 2^(n+1).
    return qrels.assign(weight=(np.exp2(-place) / (1 - np.exp2(-n_intents)))[intent])


def _places(query: np.ndarray, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of each intent among those of its query, from 1, and how many these are."""
    intents = pd.DataFrame({"query": query, "name": names})
    place, n_intents = np.zeros(len(names)), np.zeros(len(names))
    for _, group in intents.groupby("query")["name"]:
        numbers = pd.to_numeric(group, errors="coerce").astype(float)
        place_of = numbers if np.isfinite(numbers).all() else group
        order = sorted(group.index, key=lambda i: (place_of[i], names[i]))
        place[order] = np.arange(1, len(order) + 1)
        n_intents[order] = len(order)
    return place, n_intents
