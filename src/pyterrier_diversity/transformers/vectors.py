"""Re-ranking by the distances between document vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyterrier as pt

from ..arithmetic import divide
from ..parameters import Parameter
from .steps import NORMALISE, Candidates, K, Normalise, Reranker

Strategy = Literal["mmr", "msd", "dpp", "cover", "ssd"]

_STRATEGY = Parameter(str, "mmr", choices=("mmr", "msd", "dpp", "cover", "ssd"), desc="how documents are chosen")
_DIVERSITY = Parameter(float, 0.5, interval="[0, 1]", desc="weight of diversity against relevance")


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
    **options
        Other parameters of pyversity's strategy, such as ``gamma`` of "cover" and ``scale`` of "dpp".

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

    LABEL = "Diversify"
    PARAMETERS = {"strategy": _STRATEGY, "diversity": _DIVERSITY, "normalise": NORMALISE, "k": K}

    def __init__(
        self,
        strategy: Strategy = "mmr",
        *,
        diversity: float = 0.5,
        k: int | None = None,
        normalise: Normalise = "minmax",
        column: str = "doc_vec",
        **options: Any,
    ) -> None:
        self.strategy = strategy
        self.diversity = diversity
        self.k = k
        self.normalise = normalise
        self.column = column
        self.options = options
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
            k = len(vectors) if self.k is None else int(min(self.k, len(vectors)))
            yield diversify(vectors, scores, k, self.strategy, float(self.diversity), **self.options).indices

    def _vectors(self, inp: pd.DataFrame, query: Candidates) -> np.ndarray:
        try:
            vectors = np.array(inp[self.column].iloc[query.rows].tolist(), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{self.who}: the column {self.column} must have vectors of one length in query {query.query_id!r}: "
                f"{error}."
            ) from error
        if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
            raise ValueError(
                f"{self.who}: the column {self.column} must have vectors of finite numbers in query {query.query_id!r}."
            )
        return vectors if self.options.keys() & {"metric", "normalize"} else _of_length_1(vectors)


def _of_length_1(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors to length 1, because pyversity's single precision rounds very short and long ones to 0."""
    vectors = divide(vectors, np.abs(vectors).max(axis=1, keepdims=True))
    return divide(vectors, np.linalg.norm(vectors, axis=1, keepdims=True))
