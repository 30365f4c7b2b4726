"""Simulated judgements, rankings and topics, as used in papers to study measures.

Scenarios that not all measures react to have graded labels, unequal intents, or rankings of different lengths. Random
topics and noisy judgements show how far the greedy algorithm is from the smallest cover of a topic.
"""

import numpy as np
import pandas as pd

from .frames import QRELS_COLUMNS, Columns
from .ideal import Covers, naming
from .io import qrels_frame, read_run
from .judged import Run, intents_of_rows, judge, relevance_by_query
from .parameters import TIME_LIMIT, Parameter, Parameters, checked
from .progress import progress
from .randomness import Rng, generator_of

__all__ = ["degrade", "greedy_study", "random_grades", "random_lengths", "random_weights", "swap_topics"]

_LENGTH = Parameter(int, interval="[0, inf)")
_WALK: Parameters = {
    "n": Parameter(int, 1, interval="[1, inf)"),
    "burn_in": Parameter(int, 10_000, interval="[0, inf)"),
    "attempts": Parameter(int, 1_000, interval="[1, inf)"),
}


def random_grades(qrels: pd.DataFrame, rng: Rng = None) -> pd.DataFrame:
    """Replace each positive label by a random number between 0 and the label.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names. Not changed.
    rng : Generator, int or None
        Random seed or generator. The order of rows does not change the result.

    Returns
    -------
    DataFrame
        The qrels. A label r above 0 is replaced by a uniform number in (0, r]; the others are unchanged.

    Raises
    ------
    ValueError
        If a column is missing, or a label is not finite.

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics. SIGIR, 625-634,
    Sec. 6.3. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    >>> frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["d1", "d2"], "label": [2, 0]})
    >>> random_grades(frame, rng=1)["label"].round(2).tolist()
    [0.98, 0.0]
    """
    qrels = qrels_frame(qrels)
    columns = Columns(qrels, QRELS_COLUMNS, "qrels")
    label = columns.numbers("relevance")
    keys = {name: columns.objects(name) for name in ("doc_id", "passage") if name in columns}
    # One number for each judgement in the order of ids, so that row order and repeated rows do not matter.
    judgements = pd.DataFrame({"intent": intents_of_rows(columns)[0], **keys}).groupby(["intent", *keys])
    drawn = label * (1 - generator_of(rng).random(judgements.ngroups))[judgements.ngroup()]
    return qrels.assign(**{columns.theirs["relevance"]: np.where(label > 0, drawn, label)})


def random_weights(qrels: pd.DataFrame, rng: Rng = None) -> pd.DataFrame:
    """Give the intents of each query random weights that sum to 1.

    Parameters
    ----------
    qrels : DataFrame
        Qrels with a column ``iteration`` or ``subtopic_id``, with PyTerrier's or ir_measures' names. Not changed.
    rng : Generator, int or None
        Random seed or generator. The order of rows does not change the result.

    Returns
    -------
    DataFrame
        The qrels with a column ``weight``: uniform numbers in (0, 1], divided by their sum over the query's intents.

    Raises
    ------
    ValueError
        If a column is missing.

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics. SIGIR, 625-634,
    Sec. 6.3. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    >>> frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["d", "d"], "label": [1, 1], "iteration": ["a", "b"]})
    >>> random_weights(frame, rng=1)["weight"].round(2).tolist()
    [0.91, 0.09]
    """
    qrels = qrels_frame(qrels)
    intent, query, _ = intents_of_rows(Columns(qrels, ("query_id",), "qrels"))
    drawn = 1 - generator_of(rng).random(len(query))
    return qrels.assign(weight=(drawn / np.bincount(query, drawn)[query])[intent])


def random_lengths(run: pd.DataFrame, longest: int | None = None, rng: Rng = None) -> pd.DataFrame:
    """Cut each ranking at a random length.

    Parameters
    ----------
    run : DataFrame
        A run, with PyTerrier's or ir_measures' names. Not changed.
    longest : int >= 0, optional
        Largest length, by default that of each ranking. Lengths are drawn uniformly from 0 up to it.
    rng : Generator, int or None
        Random seed or generator. The order of rows does not change the result.

    Returns
    -------
    DataFrame
        The rows of the top documents of each query.

    Raises
    ------
    ValueError
        If a column is missing, a score is not finite, or ``longest`` is negative or not an integer.

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics. SIGIR, 625-634,
    Sec. 6.3. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    >>> frame = pd.DataFrame({"qid": ["q"] * 3, "docno": ["d1", "d2", "d3"], "score": [3.0, 2.0, 1.0]})
    >>> random_lengths(frame, rng=3)["docno"].tolist()
    ['d1', 'd2', 'd3']
    """
    if longest is not None:
        longest = min(_LENGTH.check("random_lengths", "longest", longest), np.iinfo(np.int64).max)
    run = run if isinstance(run, pd.DataFrame) else read_run(run)
    generator, rankings = generator_of(rng), Run(run)
    columns = Columns(run, ("query_id", "doc_id"), "run")
    query, docs = (columns.strings(name).tolist() for name in ("query_id", "doc_id"))
    kept: set[tuple[str, str]] = set()
    for name in sorted(set(query)):
        ranking = rankings.ranking(name)
        length = int(generator.integers(0, len(ranking) if longest is None else longest, endpoint=True))
        kept.update((name, doc) for doc in ranking[:length])
    return run[[row in kept for row in zip(query, docs, strict=True)]]


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
        Attempted swaps before each further topic. In a topic of two documents and two intents, each attempt swaps them,
        so that an even number leads back to the same topic.
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
    n, burn_in, attempts = checked("swap_topics", _WALK, n=n, burn_in=burn_in, attempts=attempts).values()
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


def degrade(
    qrels: pd.DataFrame,
    relevant: tuple[float, float] = (2.0, 1.0),
    irrelevant: tuple[float, float] = (1.0, 2.0),
    rng: Rng = None,
) -> pd.DataFrame:
    r"""Replace judgements by noisy probabilities of relevance, to simulate the input of a diversification method.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names. Not changed.
    relevant, irrelevant : pair of float > 0
        Parameters alpha and beta of the Beta distributions of the probabilities: for documents that are relevant to the
        intent, and for documents that are not. The mean of a distribution is alpha / (alpha + beta).
    rng : Generator, int or None
        Random seed or generator. Each query is drawn independently of the others.

    Returns
    -------
    DataFrame
        ``qid``, ``iteration``, ``docno`` and ``score``, the probability, for each relevant document of a query and each
        intent.

    Raises
    ------
    ValueError
        If the qrels cannot be read, or a parameter is not above 0.

    References
    ----------
    Carterette (2011). An analysis of NP-completeness in novelty and diversity ranking. Information Retrieval 14(1),
    89-106, Sec. 3.3.

    Examples
    --------
    >>> frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["d", "e"], "label": [1, 1], "iteration": ["a", "b"]})
    >>> degrade(frame, (99, 1), (1, 99), rng=1)["score"].round().tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    shapes: list[list[float]] = []
    for name, shape in (("relevant", relevant), ("irrelevant", irrelevant)):
        if not isinstance(shape, (tuple, list)) or len(shape) != 2:
            raise ValueError(f"degrade: {name} must be a pair (alpha, beta) of a Beta distribution, not {shape!r}.")
        shapes.append([Parameter(float, interval="(0, inf)").check("degrade", name, parameter) for parameter in shape])
    queries = relevance_by_query(judge(qrels_frame(qrels)))
    frames = [pd.DataFrame(columns=["qid", "iteration", "docno", "score"]).astype({"score": float})]
    for query, generator in zip(queries, generator_of(rng).spawn(len(queries)), strict=True):
        drawn = [generator.beta(alpha, beta, query.matrix.shape) for alpha, beta in shapes]
        frame = {
            "qid": query.query_id,
            "iteration": np.tile(query.intents, len(query.docs)),
            "docno": query.docs.repeat(len(query.intents)),
            "score": np.where(query.matrix, *drawn).ravel(),
        }
        frames.append(pd.DataFrame(frame))
    return pd.concat(frames, ignore_index=True)


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

        ``study[study["rank_ratio"] > 1].mean(numeric_only=True)`` has the mean ratios of the queries that the greedy
        algorithm misses. Leave out trivial ones to compute their share.

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
            relevant, covers = query.matrix, Covers(query.doc, query.intent)
            n_intents = covers.n_intents
            with naming(query.query_id):
                greedy, exact = covers.greedy(n_intents), covers.exact(n_intents, time_limit)
            recall = np.count_nonzero(relevant[greedy[: len(exact)]].any(axis=0)) / n_intents
            ranks = len(exact), len(greedy), len(greedy) / len(exact)
            rows.append((query.query_id, _kind(relevant), *ranks, 1 / recall))
    columns = ["qid", "kind", "min_rank", "greedy_min_rank", "rank_ratio", "recall_ratio"]
    return pd.DataFrame(rows, columns=columns)


def _walk(matrix: list[list[bool]], attempts: int, generator: np.random.Generator) -> None:
    """Swap the intents of pairs of documents, in place."""
    n_docs, n_intents = len(matrix), len(matrix[0])
    if n_docs < 2 or n_intents < 2:
        return
    pairs = *_random_pairs(n_docs, attempts, generator), *_random_pairs(n_intents, attempts, generator)
    for first, second, one, other in zip(*pairs, strict=True):
        above, below = matrix[first], matrix[second]
        if above[one] != above[other] and above[one] == below[other] and above[other] == below[one]:
            above[one], above[other], below[one], below[other] = above[other], above[one], above[one], above[other]


def _random_pairs(n: int, size: int, generator: np.random.Generator) -> tuple[list[int], list[int]]:
    """Draw pairs of different numbers below n."""
    first = generator.integers(0, n, size)
    second = (first + generator.integers(1, n, size)) % n
    return first.tolist(), second.tolist()


def _kind(relevant: np.ndarray) -> str:
    if relevant.all(axis=1).any():
        return "trivial"
    only_one = np.count_nonzero(relevant, axis=0) == 1
    left = ~relevant[relevant[:, only_one].any(axis=1)].any(axis=0)
    trivially = only_one.any() and relevant[:, left].all(axis=1).any()
    return "quasi-trivial" if trivially else "other"
