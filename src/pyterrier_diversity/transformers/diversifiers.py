"""Re-rankers: by scores for intents (IA-Select, xQuAD, PM-2), and by the distances between document vectors."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import pyterrier as pt

from ..arithmetic import divide
from ..frames import warn
from ..parameters import Parameter
from ..warnings import RanksWarning
from .intent_scores import read_intent_scores
from .steps import N_CHOSEN, NORMALISE, Candidates, Normalise, Reranker, first_best, normalised

Strategy = Literal["mmr", "msd", "dpp", "cover", "ssd"]

_DIVERSITY = Parameter(float, 0.5, interval="[0, 1]")
_STRATEGY = Parameter(str, "mmr", choices=get_args(Strategy))


def xquad(relevance: np.ndarray, coverage: np.ndarray, weights: np.ndarray, lambda_: float, n: int) -> np.ndarray:
    """Choose ``n`` documents by relevance to the query and to the intents covered least so far, as in `XQuAD`.

    Returns their indices, best first. ``coverage`` has the shape (n_docs, n_intents). Ties go to the earlier row.
    """
    own, uncovered = (1 - lambda_) * relevance, weights
    left, chosen = np.ones(len(coverage), dtype=bool), np.empty(n, dtype=np.intp)
    for i in range(n):
        chosen[i] = first_best(own + lambda_ * (coverage @ uncovered), left)
        left[chosen[i]] = False
        uncovered = uncovered * (1 - coverage[chosen[i]])
    return chosen


@dataclass(eq=False, repr=False)
class _IntentReranker(Reranker):
    """A re-ranker that needs scores of documents for intents, and raises an error without them."""

    intents: pd.DataFrame | pt.Transformer | None = None

    def __post_init__(self) -> None:
        """Raise an error without intents."""
        if not isinstance(self.intents, (pd.DataFrame, pt.Transformer)):
            given = None if self.intents is None else type(self.intents).__name__
            raise TypeError(
                f"{self.who}: intents must be a frame of scores or a transformer that returns one, such as "
                f"OnSubtopics(pipeline, subtopics), not {given}."
            )

    def _choose(self, inp: pd.DataFrame, queries: Sequence[Candidates]) -> Iterable[np.ndarray]:
        intents: Any = self.intents
        frame = intents if isinstance(intents, pd.DataFrame) else intents(inp)
        chosen, n_uncovered = [], 0
        for query, (scores, weights) in zip(queries, read_intent_scores(frame, queries, self.who), strict=True):
            what = f"{self.who}: an intent's score in query {query.query_id!r}"
            coverage = normalised(scores, self.normalise, what)
            n_uncovered += not coverage.any()
            chosen.append(self._rank(query, coverage, weights))
        if n_uncovered:
            message = (
                f"{self.who}: {n_uncovered} of {len(queries)} queries keep their order, because their documents have "
                "no scores for intents or the same scores."
            )
            warn(RanksWarning(message))
        return chosen

    def _rank(self, query: Candidates, coverage: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the documents chosen, as indices, best first."""
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class IASelect(_IntentReranker):
    r"""Re-rank by the probability that a document satisfies a user whom the documents above did not satisfy: IA-Select.

    Documents that add nothing are tied. Tied documents keep their order: by descending score, then by descending docno.

    Parameters
    ----------
    intents : DataFrame or pt.Transformer
        Scores of documents for intents: a frame with the columns ``qid``, ``iteration``, ``docno``, ``score`` and
        optionally ``weight``. A transformer such as `OnSubtopics` may return this frame for the results. The
        weights are P(intent|query), uniform by default; they are divided by their sum for the query if it is above 1. A
        document without a row has a score of 0, or the intent's lowest score if that is below 0.
    normalise : {"sum", "max", "minmax"} or None
        How an intent's scores become V(d|q, c). None takes them as probabilities, as in the paper. "sum" and "max"
        divide by the sum or the maximum over the query's documents. "minmax" maps the lowest score to 0 and the highest
        to 1.
    k : int >= 1, optional
        How many documents to choose, by default all; the others keep their order below them.

    Raises
    ------
    TypeError
        If ``intents`` is neither a frame nor a transformer.
    ValueError
        If a parameter is out of range. When used: if a score is missing, not a number, negative, or above 1 although it
        should be a probability, or if a query has a document twice.

    Warns
    -----
    RanksWarning
        If some queries keep their order, because their documents have no scores for intents or the same scores.

    Notes
    -----
    Each step chooses the document with the largest :math:`\sum_c U(c) V(d|q, c)`, where
    :math:`U(c) = P(c|q) \prod_{d' \in S} (1 - V(d'|q, c))` and :math:`S` are the documents chosen before.

    References
    ----------
    Agrawal et al. (2009). Diversifying search results. WSDM, 5-14. https://doi.org/10.1145/1498759.1498766

    Examples
    --------
    >>> results = pd.DataFrame({"qid": ["q"] * 3, "docno": ["d1", "d2", "d3"], "score": [9.0, 8.0, 7.0]})
    >>> intents = pd.DataFrame(
    ...     [("q", "1", "d1", 0.9), ("q", "1", "d2", 0.8), ("q", "2", "d3", 0.5)],
    ...     columns=["qid", "iteration", "docno", "score"],
    ... )
    >>> IASelect(intents)(results)
      qid docno  score  rank
    0   q    d1    3.0     0
    1   q    d3    2.0     1
    2   q    d2    1.0     2
    """

    LABEL = "IA-Select"
    PAPER = "https://doi.org/10.1145/1498759.1498766"
    PARAMETERS = {"normalise": NORMALISE, "k": N_CHOSEN}

    _: KW_ONLY
    normalise: Normalise = None
    k: int | None = None

    def _rank(self, query: Candidates, coverage: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return xquad(np.zeros(len(coverage)), coverage, weights, 1.0, self.n_chosen(query))


@dataclass(eq=False, repr=False)
class _MixingReranker(_IntentReranker):
    """A re-ranker whose parameter ``lambda_`` weights two goals."""

    PARAMETERS = {"lambda_": _DIVERSITY, "normalise": NORMALISE, "k": N_CHOSEN}

    _: KW_ONLY
    lambda_: float = 0.5
    normalise: Normalise = "sum"
    k: int | None = None


@dataclass(eq=False, repr=False)  # for errors with its own name
class XQuAD(_MixingReranker):
    r"""Re-rank by relevance to the query and to the intents covered least so far: xQuAD.

    Tied documents keep their order: by descending score, then by descending docno.

    Parameters
    ----------
    intents : DataFrame or pt.Transformer
        Scores of documents for intents: a frame with the columns ``qid``, ``iteration``, ``docno``, ``score`` and
        optionally ``weight``, or a transformer such as `OnSubtopics` that returns one; as in `IASelect`.
    lambda\_ : float in [0, 1]
        Weight of diversity against relevance; 0 keeps the order of the results.
    normalise : {"sum", "max", "minmax"} or None
        How the scores of the results become P(d|q), and those of each intent P(d|q_i). "sum" makes them a distribution
        over the query's documents. With "max" and "minmax", a single document can cover more of an intent. None takes
        the scores as probabilities.
    k : int >= 1, optional
        How many documents to choose, by default all; the others keep their order below them.

    Raises
    ------
    TypeError, ValueError
        As in `IASelect`.

    Warns
    -----
    RanksWarning
        As in `IASelect`.

    Notes
    -----
    Each step chooses the document with the largest :math:`(1 - \lambda) P(d|q) + \lambda \sum_i P(q_i|q) P(d|q_i)
    \prod_{d' \in S} (1 - P(d'|q_i))`, where :math:`S` are the documents chosen before.

    References
    ----------
    Santos, Macdonald, Ounis (2010). Exploiting query reformulations for web search result diversification. WWW,
    881-890.

    Examples
    --------
    >>> results = pd.DataFrame({"qid": ["q"] * 3, "docno": ["d1", "d2", "d3"], "score": [9.0, 8.0, 7.0]})
    >>> intents = pd.DataFrame(
    ...     [("q", "1", "d1", 5.0), ("q", "1", "d2", 5.0), ("q", "2", "d3", 2.0)],
    ...     columns=["qid", "iteration", "docno", "score"],
    ... )
    >>> XQuAD(intents, lambda_=0.8)(results)["docno"].tolist()
    ['d3', 'd1', 'd2']
    """

    LABEL = "xQuAD"
    PAPER = "https://doi.org/10.1145/1772690.1772780"

    def _rank(self, query: Candidates, coverage: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return xquad(self.relevance(query), coverage, weights, self.lambda_, self.n_chosen(query))


@dataclass(eq=False, repr=False)
class PM2(_MixingReranker):
    r"""Re-rank so that intents get ranks in proportion to their weights: PM-2.

    The scores of the results only break ties; remaining ties are broken by descending docno.

    Parameters
    ----------
    intents : DataFrame or pt.Transformer
        Scores of documents for intents: a frame with the columns ``qid``, ``iteration``, ``docno``, ``score`` and
        optionally ``weight``, or a transformer such as `OnSubtopics` that returns one; as in `IASelect`.
    lambda\_ : float in [0, 1]
        Weight of the intent that is due the next rank, against all others.
    normalise : {"sum", "max", "minmax"} or None
        How the scores of each intent become P(d|t_i), as in `XQuAD`.
    k : int >= 1, optional
        How many documents to choose, by default all; the others keep their order below them.

    Raises
    ------
    TypeError, ValueError
        As in `IASelect`.

    Warns
    -----
    RanksWarning
        As in `IASelect`.

    Notes
    -----
    The next rank, or seat, is due to the intent :math:`i^*` with the largest quotient :math:`q_i = v_i / (2 s_i + 1)`
    of votes :math:`v_i`, its weight, and seats :math:`s_i`; ties go to the first intent. The document with the largest
    :math:`\lambda q_{i^*} P(d|t_{i^*}) + (1 - \lambda) \sum_{i \ne i^*} q_i P(d|t_i)` takes the seat. The intents
    share it: :math:`s_i` grows by :math:`P(d|t_i) / \sum_j P(d|t_j)`, and by 0 if the document has no intent. Once all
    documents of an intent are chosen, it gets no further seat. The paper leaves this case open.

    References
    ----------
    Dang, Croft (2012). Diversity by proportionality: an election-based approach to search result diversification.
    SIGIR, 65-74.

    Examples
    --------
    >>> results = pd.DataFrame({"qid": ["q"] * 3, "docno": ["d1", "d2", "d3"], "score": [9.0, 8.0, 7.0]})
    >>> intents = pd.DataFrame(
    ...     [("q", "1", "d1", 5.0), ("q", "1", "d2", 4.0), ("q", "2", "d3", 2.0)],
    ...     columns=["qid", "iteration", "docno", "score"],
    ... )
    >>> PM2(intents)(results)["docno"].tolist()
    ['d3', 'd1', 'd2']
    """

    LABEL = "PM-2"
    PAPER = "https://doi.org/10.1145/2348283.2348296"

    def _rank(self, query: Candidates, coverage: np.ndarray, weights: np.ndarray) -> np.ndarray:
        portions = divide(coverage, coverage.sum(axis=1, keepdims=True))
        seats, n_left = np.zeros(len(weights)), np.count_nonzero(coverage, axis=0)
        left, chosen = np.ones(len(coverage), dtype=bool), np.empty(self.n_chosen(query), dtype=np.intp)
        for i in range(len(chosen)):
            quotient = weights / (2 * seats + 1)
            value = (1 - self.lambda_) * quotient
            if n_left.any():
                due = first_best(quotient, n_left > 0)
                value[due] = self.lambda_ * quotient[due]
            chosen[i] = first_best(coverage @ value, left)
            left[chosen[i]] = False
            seats += portions[chosen[i]]
            n_left = n_left - (coverage[chosen[i]] > 0)
        return chosen


class Diversify(Reranker):
    """Re-rank by relevance and by the distances between document vectors, with the package pyversity.

    This needs ``pip install pyversity``, and a column of document vectors, such as those that PyTerrier-DR's encoders
    write. Vectors are compared by cosine; "mmr" and "cover" treat a negative cosine as 0. Tied documents keep
    their order: by descending score, then by descending docno. In "dpp", the order of documents that add nothing
    depends on rounding.

    Parameters
    ----------
    strategy : {"mmr", "msd", "dpp", "cover", "ssd"}
        Maximal marginal relevance, maximal sum of distances, a determinantal point process, facility location, or
        sliding spectrum decomposition.
    diversity : float in [0, 1]
        Weight of diversity against relevance; in "mmr", this is 1 - lambda. 0 keeps the order of the results. 1 ignores
        the scores, except that "mmr", "msd" and "ssd" keep the first document of the results.
    k : int >= 1, optional
        How many documents to choose, by default all; the others keep their order below them.
    normalise : {"sum", "max", "minmax"} or None
        How scores become comparable with cosines, as in `XQuAD`.
    column : str
        The column of vectors.

    Raises
    ------
    ImportError
        If pyversity is not installed.
    ValueError
        If a parameter is out of range. When used: if a vector is missing, has another length or is not finite, or if a
        query has a document twice.

    References
    ----------
    Carbonell, Goldstein (1998). The use of MMR, diversity-based reranking for reordering documents and producing
    summaries. SIGIR, 335-336.

    Examples
    --------
    >>> results = pd.DataFrame({"qid": ["q"] * 3, "docno": ["d1", "d2", "d3"], "score": [3.0, 2.9, 1.0]})
    >>> results["doc_vec"] = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    >>> Diversify("mmr", diversity=0.7)(results)["docno"].tolist()
    ['d1', 'd3', 'd2']
    """

    PARAMETERS = {"strategy": _STRATEGY, "diversity": _DIVERSITY, "normalise": NORMALISE, "k": N_CHOSEN}

    def __init__(
        self,
        strategy: Strategy = "mmr",
        *,
        diversity: float = 0.5,
        k: int | None = None,
        normalise: Normalise = "minmax",
        column: str = "doc_vec",
    ) -> None:
        self.strategy = strategy
        self.diversity = diversity
        self.k = k
        self.normalise = normalise
        self.column = column
        try:
            import_module("pyversity")
        except ImportError as error:
            raise ImportError("Diversify needs pyversity: pip install pyversity") from error

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of the results in their new order, with new columns ``score`` and ``rank``."""
        pt.validate.result_frame(inp, extra_columns=["score", self.column], context=self)
        return super().transform(inp)

    def _choose(self, inp: pd.DataFrame, queries: Sequence[Candidates]) -> Iterable[np.ndarray]:
        diversify = import_module("pyversity").diversify
        for query in queries:
            vectors = self._vectors(inp, query)
            scores = self.relevance(query)
            if self.diversity == 0:  # pyversity does not define the order of tied scores
                yield np.arange(len(vectors))
                continue
            k = self.n_chosen(query)
            yield diversify(vectors, scores, k, self.strategy, float(self.diversity)).indices

    def _vectors(self, inp: pd.DataFrame, query: Candidates) -> np.ndarray:
        vectors = np.empty(0)
        with suppress(TypeError, ValueError):
            vectors = np.array(inp[self.column].iloc[query.rows].tolist(), dtype=np.float64)
        if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
            raise ValueError(
                f"{self.who}: the column {self.column} must have vectors of one length, of finite numbers, in query "
                f"{query.query_id!r}."
            )
        # Of length 1, because pyversity's single precision rounds very short and long ones to 0.
        vectors = divide(vectors, np.abs(vectors).max(axis=1, keepdims=True))

        return divide(vectors, np.linalg.norm(vectors, axis=1, keepdims=True))
