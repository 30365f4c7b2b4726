"""Re-ranking by how different document vectors are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arithmetic import divide
from ..parameters import Parameter
from .steps import NORMALISE, Candidates, K, Normalise, Reranker, normalised

Strategy = Literal["mmr", "msd", "dpp", "cover", "ssd"]

_STRATEGY = Parameter(str, "mmr", choices=("mmr", "msd", "dpp", "cover", "ssd"), desc="how documents are chosen")
_DIVERSITY = Parameter(float, 0.5, interval="[0, 1]", desc="how much the difference of documents counts")


class Diversify(Reranker):
    """Re-rank by relevance and by how different the vectors of documents are, through the package pyversity.

    Needs ``pip install pyterrier-diversity[rerank]``, and a column of document vectors, as PyTerrier-DR's encoders and
    indexes write it. Vectors are compared by their cosine, which "mmr" and "cover" read as 0 where it is negative. Ties
    keep the order of the results, score then docno descending; but among documents that add nothing to those above,
    rounding decides in "dpp".

    Parameters
    ----------
    strategy : {"mmr", "msd", "dpp", "cover", "ssd"}
        Maximal marginal relevance (the least likeness to any document above), maximal sum of distances (to all above),
        a determinantal point process, facility location, or sliding spectrum decomposition.
    diversity : float in [0, 1]
        How much the difference of documents counts: 0 is the order of the results. 1 is without regard to the scores,
        but for the first document of "mmr", "msd" and "ssd", which is that of the results. For "mmr" it is 1 - lambda.
    k : int >= 1, optional
        How many documents to choose; those left follow in the order in which they were. All if omitted.
    normalise : {"sum", "max", "minmax"} or None
        How scores become comparable with cosines; see `XQuAD`.
    column : str
        The column of vectors, which stays.
    **options
        Further parameters of pyversity's strategy, such as ``gamma`` of "cover" and ``scale`` of "dpp".

    Raises
    ------
    ImportError
        If pyversity is not installed.
    ValueError
        If a parameter is out of range; when used, if a vector is missing, of another length or holds no finite
        numbers, or a document is there twice.

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
        self.check()
        _pyversity()

    @property
    def columns(self) -> list[str]:
        """The columns that results need besides ``qid`` and ``docno``."""
        return ["score", self.column]

    def _choose(self, inp: pd.DataFrame, queries: Sequence[Candidates]) -> Iterable[np.ndarray]:
        diversify = _pyversity().diversify
        for query in queries:
            vectors = self._vectors(inp, query)
            scores = normalised(
                query.scores, self.normalise, f"{self.who}: the score of a result of {query.query_id!r}"
            )
            if self.diversity == 0:  # pyversity's order of tied scores would be any
                yield np.arange(len(vectors))
                continue
            k = self.depth(len(vectors))
            yield diversify(vectors, scores, k, self.strategy, float(self.diversity), **self.options).indices

    def _vectors(self, inp: pd.DataFrame, query: Candidates) -> np.ndarray:
        try:
            vectors = np.array(inp[self.column].iloc[query.rows].tolist(), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{self.who}: query {query.query_id!r}: {self.column} must hold vectors: {error}."
            ) from error
        if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
            raise ValueError(
                f"{self.who}: query {query.query_id!r}: {self.column} must hold vectors of finite numbers."
            )
        return vectors if self.options.keys() & {"metric", "normalize"} else _of_length_1(vectors)


def _of_length_1(vectors: np.ndarray) -> np.ndarray:
    """Return vectors of the same directions: in single precision, as pyversity computes, large and small ones are 0."""
    vectors = divide(vectors, np.abs(vectors).max(axis=1, keepdims=True))
    return divide(vectors, np.linalg.norm(vectors, axis=1, keepdims=True))


def _pyversity() -> ModuleType:
    try:
        return import_module("pyversity")
    except ImportError as error:
        raise ImportError("Diversify needs pyversity: pip install pyterrier-diversity[rerank]") from error
