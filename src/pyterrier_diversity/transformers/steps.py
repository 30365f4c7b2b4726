"""What all re-rankers share: results are read query by query, and ranked anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from copy import copy
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from ..arithmetic import divide
from ..ideal import TIE
from ..judged import ids, numbers, ranking_order, strings, to_frame
from ..parameters import Parameter

Normalise = Literal["sum", "max", "minmax"] | None

K = Parameter(int, interval="[1, inf)", desc="how many documents to choose; all if not given")
NORMALISE = Parameter(str, choices=("sum", "max", "minmax"), desc="how scores are brought into [0, 1]")

# More things than these, and longer texts, are not written out in a schematic.
_MANY, _LONG = 8, 100
# Sums of larger scores may not be finite.
_LARGEST = 1e100


class Candidates(NamedTuple):
    """The documents of one query in ranking order, score then docno descending; ``rows`` says where they stand."""

    query_id: str
    docs: np.ndarray
    scores: np.ndarray
    rows: np.ndarray


class Step(pt.Transformer):  # type: ignore[misc]
    """A step of a pipeline, which is the same one however it is shown.

    Attributes
    ----------
    LABEL : str
        What it is called in the schematic of a pipeline.
    PAPER : str, optional
        The address that its name in a schematic leads to.
    FIXED : frozenset of str
        Attributes that something was computed from: setting them again is an ``AttributeError``.
    """

    LABEL: ClassVar[str]
    PAPER: ClassVar[str | None] = None
    FIXED: ClassVar[frozenset[str]] = frozenset()

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute, unless it is fixed."""
        if name in self.FIXED and name in vars(self):
            who = type(self).__name__
            raise AttributeError(f"{who}: {name} cannot be changed; make another {who}.")
        super().__setattr__(name, value)

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, Any]:
        """Return what a schematic shows: label, address, and the settings in a few words each, data by their size."""
        given = {attribute.name: attribute.value for attribute in pt.inspect.transformer_attributes(self, strict=False)}
        settings = {
            name: _in_few_words(value)
            for name, value in given.items()
            if value is not pt.inspect.TransformerAttribute.MISSING and not _has_steps(value)
        }
        return {"label": self.LABEL, "help_url": self.PAPER, "settings": settings}

    # PyTerrier's own is the hash of the repr, which changes with the parameters, and which two may share.
    __hash__ = object.__hash__


def _has_steps(value: object) -> bool:
    """Tell whether a setting is a step of its own, or several, which a schematic draws."""
    several = value if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(one, pt.Transformer) for one in several[:1])


def _in_few_words(value: object) -> str:
    """Return a setting as text of one line, or its size."""
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return f"{len(value):,} rows"
    if isinstance(value, Sized) and not isinstance(value, (str, bytes)) and len(value) > _MANY:
        return f"{len(value):,} items"
    text = " ".join(str(value).split())
    return text if len(text) <= _LONG else f"{text[:_LONG]} ..."


class Reranker(Step):
    """Rank the documents of each query anew; ``k`` of them are chosen, and the others follow in their old order.

    Attributes
    ----------
    PARAMETERS : dict of str to Parameter
        The parameters: attributes of these names, checked whenever they are used.
    """

    PARAMETERS: ClassVar[dict[str, Parameter]]
    k: int | None

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of the results in their new order, with new columns ``score`` and ``rank``."""
        pt.validate.result_frame(inp, extra_columns=self.columns, context=self)
        self.check()
        if inp.empty:
            return pt.model.add_ranks(inp.astype({"score": np.float64}))
        if "turn" in inp:
            raise ValueError(
                f"{self.who}: the results are a session (column turn), whose turns follow each other whatever their "
                "scores; drop the column to rank its documents anew."
            )
        queries = candidates(inp, self.who)
        chosen = self._choose(inp, queries)
        return ranked(inp, [query.rows[followed(first, query)] for query, first in zip(queries, chosen, strict=True)])

    def _choose(self, inp: pd.DataFrame, queries: Sequence[Candidates]) -> Iterable[np.ndarray]:
        """Return the documents chosen for each query, as indices into its candidates, best first."""
        raise NotImplementedError

    def check(self) -> None:
        """Check the parameters, which may have been set since the last time; a ``ValueError`` names the bad one."""
        for name, parameter in self.PARAMETERS.items():
            value = getattr(self, name)
            if value is not None or parameter.fallback is not None:
                parameter.check(self.who, name, value)

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        """Return a pipeline that chooses ``k`` documents where a cutoff follows; None if it chooses no more."""
        if self.k is not None and self.k <= k:
            return None
        fewer = copy(self)
        fewer.k = k
        return fewer >> pt.RankCutoff(k)

    def depth(self, n_docs: int) -> int:
        """Return how many of the documents are to be chosen."""
        return n_docs if self.k is None else min(int(self.k), n_docs)

    @property
    def columns(self) -> list[str]:
        """The columns that results need besides ``qid`` and ``docno``."""
        return ["score"]

    @property
    def who(self) -> str:
        """What messages call it."""
        return type(self).__name__

    def __repr__(self) -> str:
        """Return the name and the parameters."""
        return f"{self.who}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.PARAMETERS)})"


def candidates(results: pd.DataFrame, who: str) -> list[Candidates]:
    """Read results query by query, in the order in which the queries appear.

    Raises
    ------
    ValueError
        If a value is missing, a score is no finite number, or a query has a document twice.
    """
    frame = to_frame(results, ("query_id", "doc_id", "score"), who)
    query = ids(frame, "query_id", who, grouped=True)
    docs, score = strings(frame, "doc_id", who), numbers(frame, "score", who)
    order = ranking_order(query.codes, None, score, docs)
    order = np.arange(len(docs)) if order is None else order
    ends = np.cumsum(np.bincount(query.codes, minlength=len(query.names)))
    queries = [
        Candidates(name, docs[rows], score[rows], rows)
        for name, rows in zip(query.names.tolist(), np.split(order, ends[:-1]), strict=True)
    ]
    for one in queries:
        if len(set(one.docs.tolist())) < len(one.docs):
            twice = pd.Series(one.docs)[pd.Series(one.docs).duplicated()].iloc[0]
            raise ValueError(f"{who}: query {one.query_id!r} has document {twice!r} twice; each may stand there once.")
    return queries


def followed(chosen: np.ndarray, query: Candidates) -> np.ndarray:
    """Return the chosen documents, then all others in the order in which they were."""
    others = np.ones(len(query.docs), dtype=bool)
    others[chosen] = False
    return np.concatenate([chosen, np.flatnonzero(others)])


def ranked(results: pd.DataFrame, rankings: Sequence[np.ndarray]) -> pd.DataFrame:
    """Return rows of results, best first, one query after the other; scores count down to 1.

    Whole numbers fall strictly even where an evaluator keeps scores in single precision.
    """
    frame = results.iloc[np.concatenate(rankings)].reset_index(drop=True)
    frame["score"] = np.concatenate([np.arange(len(rows), 0.0, -1.0) for rows in rankings])
    return pt.model.add_ranks(frame)


def normalised(scores: np.ndarray, how: Normalise, what: str) -> np.ndarray:
    r"""Bring the scores of a query's documents into [0, 1].

    Parameters
    ----------
    scores : ndarray, shape (n_docs,) or (n_docs, n_intents)
        Scores, NaN where there is none: that counts as 0, or as the lowest score of the intent if it is below 0.
    how : {"sum", "max", "minmax"} or None
        Divide by the sum or by the highest of the documents' scores; map the lowest to 0 and the highest to 1, all to
        0 if they are the same; None leaves probabilities as they are.
    what : str
        How messages call a score: who reads it, and of which query.

    Raises
    ------
    ValueError
        If a score is negative and ``how`` is not "minmax", above 1 and ``how`` is None, or above 1e100 in size.
    """
    if np.nanmax(np.abs(scores), initial=0.0) > _LARGEST:
        raise ValueError(f"{what} must be at most {_LARGEST:g} in size, but one is {np.nanmax(np.abs(scores)):g}.")
    lowest = np.fmin.reduce(scores, axis=0, initial=0.0)
    scores = np.where(np.isnan(scores), lowest, scores)
    if how == "minmax":
        least = scores.min(axis=0)
        return divide(scores - least, scores.max(axis=0) - least)
    if how is None and scores.max(initial=0.0) > 1:
        raise ValueError(
            f"{what} must be a probability if normalise is None, but one is {scores.max():g}; normalise='sum' or 'max' "
            "takes scores of any size."
        )
    if scores.min(initial=0.0) < 0:
        raise ValueError(
            f"{what} must not be negative, but one is {scores.min():g}; normalise='minmax' takes any number, and the "
            "exponential of a log-likelihood is positive."
        )
    if how is None:
        return scores
    return divide(scores, scores.sum(axis=0) if how == "sum" else scores.max(axis=0))


def first_best(values: np.ndarray, left: np.ndarray) -> int:
    """Return the index of the largest value of those left, the first one if several are as large but for rounding."""
    values = np.where(left, values, -np.inf)
    best = values.max()
    return int(np.argmax(values >= best - TIE * abs(best)))
