"""The base class of all re-rankers, which re-rank results query by query."""

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

# A schematic shows only the size of larger collections and longer texts.
_MANY, _LONG = 8, 100
# Sums of larger scores could overflow.
_LARGEST = 1e100


class Candidates(NamedTuple):
    """The documents of one query by descending score, then docno, and ``rows``, their places in the results."""

    query_id: str
    docs: np.ndarray
    scores: np.ndarray
    rows: np.ndarray


class Step(pt.Transformer):  # type: ignore[misc]
    """A step of a pipeline.

    Attributes
    ----------
    LABEL : str
        Its name in the schematic of a pipeline.
    PAPER : str, optional
        The address that its name in a schematic links to.
    FIXED : frozenset of str
        Attributes that cannot be changed, because other attributes were computed from them.
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
        """Return the label, the link and the settings for a schematic; data are described by their size."""
        given = {attribute.name: attribute.value for attribute in pt.inspect.transformer_attributes(self, strict=False)}
        settings = {
            name: _short_text(value)
            for name, value in given.items()
            if value is not pt.inspect.TransformerAttribute.MISSING and not _has_steps(value)
        }
        return {"label": self.LABEL, "help_url": self.PAPER, "settings": settings}

    # PyTerrier hashes the repr, which changes with the parameters and is not unique.
    __hash__ = object.__hash__


def _has_steps(value: object) -> bool:
    """Tell whether a setting is a transformer or a list of them, which a schematic draws itself."""
    several = value if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(one, pt.Transformer) for one in several[:1])


def _short_text(value: object) -> str:
    """Return a setting as text of one line, or its size."""
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return f"{len(value):,} rows"
    if isinstance(value, Sized) and not isinstance(value, (str, bytes)) and len(value) > _MANY:
        return f"{len(value):,} items"
    text = " ".join(str(value).split())
    return text if len(text) <= _LONG else f"{text[:_LONG]} ..."


class Reranker(Step):
    """Choose ``k`` documents of each query and put them first; the others keep their order.

    Attributes
    ----------
    PARAMETERS : dict of str to Parameter
        The parameters. Attributes of these names are checked before each use.
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
                f"{self.who}: cannot re-rank a session, whose turns have a fixed order. Drop the column turn to "
                "re-rank its documents."
            )
        queries = candidates(inp, self.who)
        chosen = self._choose(inp, queries)
        return ranked(inp, [query.rows[followed(first, query)] for query, first in zip(queries, chosen, strict=True)])

    def _choose(self, inp: pd.DataFrame, queries: Sequence[Candidates]) -> Iterable[np.ndarray]:
        """Return the documents chosen for each query, as indices into its candidates, best first."""
        raise NotImplementedError

    def check(self) -> None:
        """Check the parameters, which may have been set since the last check; a ``ValueError`` names the bad one."""
        for name, parameter in self.PARAMETERS.items():
            value = getattr(self, name)
            if value is not None or parameter.fallback is not None:
                parameter.check(self.who, name, value)

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        """Return a pipeline that chooses only ``k`` documents before a cutoff; None if that changes nothing."""
        if self.k is not None and self.k <= k:
            return None
        fewer = copy(self)
        fewer.k = k
        return fewer >> pt.RankCutoff(k)

    def depth(self, n_docs: int) -> int:
        """Return how many of the documents to choose."""
        return n_docs if self.k is None else min(int(self.k), n_docs)

    @property
    def columns(self) -> list[str]:
        """The columns that results need besides ``qid`` and ``docno``."""
        return ["score"]

    @property
    def who(self) -> str:
        """The name of the class, for messages."""
        return type(self).__name__

    def __repr__(self) -> str:
        """Return the name and the parameters."""
        return f"{self.who}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.PARAMETERS)})"


def candidates(results: pd.DataFrame, who: str) -> list[Candidates]:
    """Read results query by query, in the order in which the queries appear.

    Raises
    ------
    ValueError
        If a value is missing, a score is not finite, or a query has a document twice.
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
            raise ValueError(
                f"{who}: results must have each document of a query once, but query {one.query_id!r} has document "
                f"{twice!r} twice."
            )
    return queries


def followed(chosen: np.ndarray, query: Candidates) -> np.ndarray:
    """Return the chosen documents, then the others in their original order."""
    others = np.ones(len(query.docs), dtype=bool)
    others[chosen] = False
    return np.concatenate([chosen, np.flatnonzero(others)])


def ranked(results: pd.DataFrame, rankings: Sequence[np.ndarray]) -> pd.DataFrame:
    """Return rows of results in a new order, query by query, with scores that count down to 1.

    Whole numbers stay distinct even in single precision.
    """
    frame = results.iloc[np.concatenate(rankings)].reset_index(drop=True)
    frame["score"] = np.concatenate([np.arange(len(rows), 0.0, -1.0) for rows in rankings])
    return pt.model.add_ranks(frame)


def normalised(scores: np.ndarray, how: Normalise, what: str) -> np.ndarray:
    r"""Bring the scores of a query's documents into [0, 1].

    Parameters
    ----------
    scores : ndarray, shape (n_docs,) or (n_docs, n_intents)
        Scores. NaN counts as 0, or as the lowest score of the intent if that is below 0.
    how : {"sum", "max", "minmax"} or None
        "sum" and "max" divide by the sum or the maximum of the documents' scores. "minmax" maps the lowest score to 0
        and the highest to 1, or all to 0 if they are equal. None leaves them as they are; they must be probabilities.
    what : str
        The name of a score in messages, with the caller and the query.

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
            f"{what} must be a probability if normalise is None, but one is {scores.max():g}. Use normalise='sum' or "
            "'max' for other scores."
        )
    if scores.min(initial=0.0) < 0:
        raise ValueError(
            f"{what} must not be negative, but one is {scores.min():g}. Use normalise='minmax', or the exponential of "
            "a log-likelihood."
        )
    if how is None:
        return scores
    return divide(scores, scores.sum(axis=0) if how == "sum" else scores.max(axis=0))


def first_best(values: np.ndarray, left: np.ndarray) -> int:
    """Return the index of the largest remaining value, or of the first one that equals it up to rounding."""
    values = np.where(left, values, -np.inf)
    best = values.max()
    return int(np.argmax(values >= best - TIE * abs(best)))
