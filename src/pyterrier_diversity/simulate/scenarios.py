"""Scenarios that not all measures react to: graded labels, unequal intents, rankings of different lengths."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..io import qrels_as_given, read_run
from ..judged import QRELS_COLUMNS, Run, given_frame, intents_of_rows, numbers, strings
from ..parameters import Parameter, Rng, generator_of

LONGEST = Parameter(int, interval="[0, inf)", desc="largest length to draw")


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
    qrels = qrels_as_given(qrels)
    frame = given_frame(qrels, QRELS_COLUMNS, "qrels")
    label = numbers(frame, "relevance", "qrels")
    keys = {name: strings(frame, name, "qrels") for name in ("doc_id", "passage") if name in frame}
    # One number for each judgement in the order of ids, so that row order and repeated rows do not matter.
    judgements = pd.DataFrame({"intent": intents_of_rows(frame)[0], **keys}).groupby(["intent", *keys])
    drawn = label * (1 - generator_of(rng).random(judgements.ngroups))[judgements.ngroup()]
    name = "label" if "label" in qrels else "relevance"
    return qrels.assign(**{name: np.where(label > 0, drawn, label)})


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
    qrels = qrels_as_given(qrels)
    intent, query, _ = intents_of_rows(given_frame(qrels, ("query_id",), "qrels"))
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
        longest = min(LONGEST.check("random_lengths", "longest", longest), np.iinfo(np.int64).max)
    run = run if isinstance(run, pd.DataFrame) else read_run(run)
    generator, rankings = generator_of(rng), Run(run)
    frame = given_frame(run, ("query_id", "doc_id"), "run")
    query, docs = (strings(frame, name, "run").tolist() for name in ("query_id", "doc_id"))
    kept: set[tuple[str, str]] = set()
    for name in sorted(set(query)):
        ranking = rankings.ranking(name)
        length = int(generator.integers(0, len(ranking) if longest is None else longest, endpoint=True))
        kept.update((name, doc) for doc in ranking[:length])
    return run[[row in kept for row in zip(query, docs, strict=True)]]
