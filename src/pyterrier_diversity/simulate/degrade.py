"""Simulated estimates of relevance, with any amount of noise."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..io import qrels_frame
from ..judged import judge, relevance_by_query
from ..parameters import Parameter, Rng, generator_of

_SHAPE = Parameter(float, interval="(0, inf)", desc="parameter of a Beta distribution")


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
    shapes = _shape("relevant", relevant), _shape("irrelevant", irrelevant)
    queries = relevance_by_query(judge(qrels_frame(qrels)))
    frames = [pd.DataFrame(columns=["qid", "iteration", "docno", "score"]).astype({"score": float})]
    for query, generator in zip(queries, generator_of(rng).spawn(len(queries)), strict=True):
        drawn = [generator.beta(*shape, query.matrix.shape) for shape in shapes]
        frame = {
            "qid": query.query_id,
            "iteration": np.tile(query.intents, len(query.docs)),
            "docno": query.docs.repeat(len(query.intents)),
            "score": np.where(query.matrix, *drawn).ravel(),
        }
        frames.append(pd.DataFrame(frame))
    return pd.concat(frames, ignore_index=True)


def _shape(name: str, shape: tuple[float, float]) -> tuple[float, float]:
    if not isinstance(shape, (tuple, list)) or len(shape) != 2:
        raise ValueError(f"degrade: {name} must be a pair (alpha, beta) of a Beta distribution, not {shape!r}.")
    alpha, beta = (_SHAPE.check("degrade", name, parameter) for parameter in shape)
    return alpha, beta
