"""Add columns to qrels: the rareness of documents and the weights of intents."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np
import pandas as pd

from .arithmetic import divide
from .frames import Columns
from .io import Runs, qrels_frame, read_runs
from .judged import Run, intents_of_rows
from .parameters import Parameter

RarityForm = Literal["linear", "bounded", "log"]

RARITY_CUTOFF = Parameter(int, 100, interval="[1, inf)")
RARITY_FORM = Parameter(str, "linear", choices=get_args(RarityForm))
SCHEME = Parameter(str, "uniform", choices=("uniform", "sakai"))

# Sums cannot distinguish smaller weights than 2^-1000 from 0.
MOST_SAKAI_INTENTS = 1000


def add_rarity(qrels: pd.DataFrame, runs: Runs, cutoff: int = 100, *, form: RarityForm = "linear") -> pd.DataFrame:
    r"""Add the column ``rarity``, which is high for documents that few systems retrieve.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names. Not changed.
    runs : mapping of names to runs, path, or iterable of paths or frames
        The rankings of all systems that will be evaluated, as `io.read_runs` takes them. A document that none of them
        retrieves is as rare as one that a single system retrieves.
    cutoff : int >= 1
        The last rank at which a document counts as retrieved.
    form : {"linear", "bounded", "log"}
        How the number of systems that retrieve a document becomes its rarity.

    Returns
    -------
    DataFrame
        The qrels with the column ``rarity``, in [0, 1].

    Raises
    ------
    ValueError
        If ``runs`` is empty or a single run, the cutoff is not an integer of at least 1, the form is unknown, or a
        column or a value is missing.
    TypeError
        If ``runs`` is neither a mapping nor paths.

    Notes
    -----
    Of :math:`S` systems, :math:`S_d` retrieve a document d, or count as 1 if none does. Its rarity is :math:`1 - S_d/S`
    ("linear", Eq. 2), :math:`1 - (S_d - 1)/(S - 1)` ("bounded", Sec. 5.2), or :math:`\log(S/S_d)/\log S` ("log"). The
    last two are 1 for a document that one system retrieves, and 0 if there is only one system. Sec. 5.2 suggests
    weighting rarity like the inverse document frequency, but gives no formula; "log" is this package's.

    References
    ----------
    Türkmen, Lease, Kutlu (2023). New metrics to encourage innovation and diversity in information retrieval approaches.
    ECIR, 239-254, Eq. 2, Sec. 5.2. https://doi.org/10.1007/978-3-031-28238-6_16

    Examples
    --------
    >>> frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["d1", "d2"], "label": [1, 1]})
    >>> first = pd.DataFrame({"qid": ["q", "q"], "docno": ["d1", "d2"], "score": [2.0, 1.0]})
    >>> add_rarity(frame, [first, first.head(1)])
      qid docno  label  rarity
    0   q    d1      1     0.0
    1   q    d2      1     0.5
    """
    cutoff = RARITY_CUTOFF.check("add_rarity", "cutoff", cutoff)
    form = RARITY_FORM.check("add_rarity", "form", form)
    systems = [Run(run) for _, run in read_runs(runs, who="add_rarity")]
    qrels = qrels_frame(qrels)
    columns = Columns(qrels, ("query_id", "doc_id"), "qrels")
    n_systems = np.maximum(retrieval_counts(columns, systems, cutoff), 1)
    return qrels.assign(rarity=rarity(n_systems, len(systems), form))


def retrieval_counts(qrels: Columns, systems: Iterable[Run], cutoff: int) -> np.ndarray:
    """Return how many systems retrieve the document of each row of qrels."""
    query, docs = qrels.ids("query_id"), qrels.strings("doc_id").tolist()
    counts: list[Counter[str]] = [Counter() for _ in query.names]
    for system in systems:
        for count, ranking in zip(counts, system.rankings(query.names.tolist(), cutoff), strict=True):
            count.update(ranking)
    return np.array([counts[q][doc] for q, doc in zip(query.codes.tolist(), docs, strict=True)], dtype=np.int64)


def rarity(n_retrieving: np.ndarray, n_systems: int, form: RarityForm) -> np.ndarray:
    """Return the rarity of documents that ``n_retrieving`` of ``n_systems`` systems retrieve; both are at least 1."""
    if form == "log":
        return divide(np.log(n_systems / n_retrieving), np.log(n_systems))
    # 1 - (S_d - 1)/(S - 1) is (S - S_d)/(S - 1).
    return divide(n_systems - n_retrieving, n_systems - (form == "bounded"))


def add_weights(qrels: pd.DataFrame, scheme: Literal["uniform", "sakai"] = "uniform") -> pd.DataFrame:
    r"""Add the column ``weight``: the probability of each of a query's intents.

    Parameters
    ----------
    qrels : DataFrame
        Qrels with a column ``iteration`` or ``subtopic_id``, with PyTerrier's or ir_measures' names. Not changed.
    scheme : {"uniform", "sakai"}
        :math:`1/n` for each of a query's n intents, or :math:`2^{n-j+1} / \sum_{k=1}^n 2^k` for the j-th intent.
        Intents are sorted by number if all of their names are numbers, otherwise by name.

    Returns
    -------
    DataFrame
        The qrels with the column ``weight``, which sums to 1 over the intents of each query.

    Raises
    ------
    ValueError
        If the scheme is unknown, a column is missing, or a query has too many intents for ``scheme="sakai"``.

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
    qrels = qrels_frame(qrels)
    intent, query, names = intents_of_rows(Columns(qrels, ("query_id",), "qrels"))
    if scheme == "uniform":
        return qrels.assign(weight=1 / np.bincount(query)[query][intent])
    # The place of each intent within its query, from 1, and the query's number of intents.
    number = pd.to_numeric(pd.Series(names, dtype=object), errors="coerce").astype(float)
    are_numbers = pd.Series(np.isfinite(number)).groupby(query).transform("all")
    intents = pd.DataFrame({"query": query, "number": number.where(are_numbers, 0), "name": names})
    of_query = intents.sort_values(["query", "number", "name"]).groupby("query")["name"]
    place = of_query.cumcount().sort_index().to_numpy() + 1.0
    n_intents = of_query.transform("size").sort_index().to_numpy(dtype=float)
    if n_intents.max(initial=0) > MOST_SAKAI_INTENTS:
        most = f"{MOST_SAKAI_INTENTS} intents in a query, not {n_intents.max():.0f}"
        raise ValueError(f"add_weights: scheme='sakai' halves weights and allows at most {most}.")
    # 2^(n-j+1) over the sum of 2^k for k from 1 to n, which is 2^(n+1) - 2, both divided by 2^(n+1).
    return qrels.assign(weight=(np.exp2(-place) / (1 - np.exp2(-n_intents)))[intent])
