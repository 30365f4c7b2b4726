"""Random topics that keep the number of intents of each document, and of documents of each intent."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..io import qrels_frame
from ..judged import judge, relevance_by_query
from ..parameters import Parameter, Parameters, Rng, checked, generator_of

_PARAMETERS: Parameters = {
    "n": Parameter(int, 1, interval="[1, inf)", desc="topics to draw from each query"),
    "burn_in": Parameter(int, 10_000, interval="[0, inf)", desc="attempted swaps before the first topic"),
    "attempts": Parameter(int, 1_000, interval="[1, inf)", desc="attempted swaps between topics"),
}


def swap_topics(
    qrels: pd.DataFrame, n: int = 1, *, burn_in: int = 10_000, attempts: int = 1_000, rng: Rng = None
) -> pd.DataFrame:
    r"""Draw random topics that keep the number of intents of each document, and of documents of each intent.

    The topics come from a random walk. Each attempt draws two documents and two intents. If one document is relevant to
    only one of the intents, and the other document only to the other, they swap these intents.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names. Not changed.
    n : int >= 1
        Topics to draw from each query.
    burn_in : int >= 0
        Attempted swaps before the first topic.
    attempts : int >= 1
        Attempted swaps before each further topic.
    rng : Generator, int or None
        Random seed or generator. Each query is drawn independently of the others.

    Returns
    -------
    DataFrame
        Qrels in which all labels are 1: ``qid`` (such as ``151-1`` for the first topic from query 151), ``docno``,
        ``label``, ``iteration`` and ``source``, the original query. Queries without relevant documents have no rows.

    Raises
    ------
    ValueError
        If the qrels cannot be read, or a number is out of range.

    References
    ----------
    Carterette (2011). An analysis of NP-completeness in novelty and diversity ranking. Information Retrieval 14(1),
    89-106, Sec. 3.2.

    Examples
    --------
    >>> frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["d", "e"], "label": [1, 1], "iteration": ["a", "b"]})
    >>> swap_topics(frame, n=2, rng=1)[["qid", "docno", "iteration"]].to_numpy().tolist()
    [['q-1', 'e', 'b'], ['q-1', 'd', 'a'], ['q-2', 'e', 'b'], ['q-2', 'd', 'a']]
    """
    n, burn_in, attempts = checked("swap_topics", _PARAMETERS, n=n, burn_in=burn_in, attempts=attempts).values()
    queries = relevance_by_query(judge(qrels_frame(qrels)))
    rows = []
    for query, generator in zip(queries, generator_of(rng).spawn(len(queries)), strict=True):
        matrix = query.matrix.tolist()
        for number in range(1, n + 1 if matrix else 1):
            _walk(matrix, burn_in if number == 1 else attempts, generator)
            name = f"{query.query_id}-{number}"
            for doc, intent in np.argwhere(matrix).tolist():
                rows.append((name, query.docs[doc], 1, query.intents[intent], query.query_id))
    return pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration", "source"])


def _walk(matrix: list[list[bool]], attempts: int, generator: np.random.Generator) -> None:
    """Swap the intents of pairs of documents, in place."""
    n_docs, n_intents = len(matrix), len(matrix[0])
    if n_docs < 2 or n_intents < 2:
        return
    pairs = *_pairs(n_docs, attempts, generator), *_pairs(n_intents, attempts, generator)
    for first, second, one, other in zip(*pairs, strict=True):
        above, below = matrix[first], matrix[second]
        if above[one] != above[other] and above[one] == below[other] and above[other] == below[one]:
            above[one], above[other], below[one], below[other] = above[other], above[one], above[one], above[other]


def _pairs(n: int, size: int, generator: np.random.Generator) -> tuple[list[int], list[int]]:
    """Draw pairs of different numbers below n."""
    first = generator.integers(0, n, size)
    second = (first + generator.integers(1, n, size)) % n
    return first.tolist(), second.tolist()
