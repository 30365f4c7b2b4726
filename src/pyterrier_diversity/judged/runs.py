"""Read a run into rankings, in the one order that every value of a table comes from."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from .columns import fail, ids, numbers, strings, to_frame, trusted_strings
from .judgements import Judgements
from .sessions import Session, Sessions

_REQUIRED = ("query_id", "doc_id", "score")
_MOST_TURNS = 1_000_000

# Begins the name of a place in a session that no judged document takes.
_NOBODY = "\1"


class Retrieved(NamedTuple):
    """What a run found: the rank of each relevant document (0: not retrieved); length and turns of each ranking."""

    ranks: np.ndarray
    n: np.ndarray
    sessions: Sessions

    def of(self, judgements: Judgements) -> Retrieved:
        """Return the same for a view of the judgements."""
        return Retrieved(
            self.ranks[judgements.base_doc], self.n[judgements.base_query], self.sessions.of(judgements.base_query)
        )


class Run:
    """The rankings of one system: score descending, ties by document id descending.

    With a column ``turn``, the turns of a session follow each other, each in this order. A turn number without
    documents is one rank with nothing relevant at it, and a repeated document keeps its place as an unjudged one.

    Parameters
    ----------
    run : DataFrame, iterable of named tuples, or dict of dicts
        Query, document and score, with PyTerrier's or ir_measures' names; optionally ``turn``, and ``doc_len``, the
        number of words of each document, NaN where unknown. Not changed.

    Raises
    ------
    ValueError
        If a column or a value is missing, a score is not finite, a turn is negative or fractional, or a length
        negative or infinite.
    """

    def __init__(self, run: Any) -> None:
        frame = to_frame(run, _REQUIRED, "run")
        query = ids(frame, "query_id", "run", grouped=True)
        self._docs, self._missing = trusted_strings(frame, "doc_id", "run")
        self._turn = _turn(frame) if "turn" in frame else None
        self._doc_len = _doc_len(frame) if "doc_len" in frame else None
        score = numbers(frame, "score", "run")
        try:
            self._order = ranking_order(query.codes, self._turn, score, self._docs)
        except TypeError:  # names that are missing cannot be ordered
            strings(frame, "doc_id", "run")
            raise
        bounds = [0, *np.cumsum(np.bincount(query.codes, minlength=len(query.names))).tolist()]
        self._slices = {name: slice(*bounds[i : i + 2]) for i, name in enumerate(query.names.tolist())}
        self._sessions: dict[str, Session] = {}
        self._warned: set[str] = set()

    def ranking(self, query_id: str) -> list[str]:
        """Return the documents of a query, best first; an empty list if it has none."""
        return list(dict.fromkeys(self._listed(query_id)))

    def rankings(self, query_ids: Sequence[str]) -> list[list[str]]:
        """Return the documents of each query, best first, with the warnings of `retrieve`."""
        rankings = [self.ranking(query_id) for query_id in query_ids]
        n_listed = sum(len(self._listed(query_id)) for query_id in query_ids)
        self._warn(n_listed - sum(map(len, rankings)), query_ids)
        return rankings

    def retrieve(self, judgements: Judgements, judged_only: bool = False) -> Retrieved:
        """Find the ranks of the relevant documents.

        Parameters
        ----------
        judgements : Judgements
            As read; not a view of them.
        judged_only : bool
            Whether documents without any judgement for the query are taken out of the ranking first.

        Warns
        -----
        UserWarning
            Once a run, if it holds documents twice in a query or has no query in common with the qrels.
        """
        found: list[int] = []
        lengths: list[int] = []
        n_repeats = 0
        from_1: list[int] = []
        for i, (query_id, relevant) in enumerate(zip(judgements.query_ids, judgements.relevant_docs, strict=True)):
            documents = self._listed(query_id)
            from_1.extend(range(len(from_1) + 1, len(documents) + 1))
            ranks = dict(zip(documents, from_1, strict=False))
            if self._missing in ranks:
                raise ValueError(f"run: a row of query {query_id!r} has no doc_id.")
            if len(ranks) < len(documents):
                n_repeats += len(documents) - len(ranks)
                ranks = dict(zip(ranks, from_1, strict=False))
            if judged_only:
                ranks = dict(zip(filter(judgements.judged_docs[i].__contains__, ranks), from_1, strict=False))
            found.extend(map(ranks.get, relevant, repeat(0)))
            lengths.append(len(ranks))
        self._warn(n_repeats, judgements.query_ids)
        n = np.array(lengths, dtype=np.int64)
        sessions = Sessions(self, np.array(judgements.query_ids, dtype=object), n)
        return Retrieved(np.array(found, dtype=np.int64), n, sessions)

    def _rows(self, query_id: str) -> slice | np.ndarray:
        """Return the rows of a query, in ranking order."""
        place = self._slices.get(query_id, slice(0))
        return place if self._order is None else self._order[place]

    def _listed(self, query_id: str) -> list[str]:
        """Return the documents of a query as the run lists them, repeats and all."""
        rows = self._rows(query_id)
        documents: list[str] = self._docs[rows].tolist()
        return documents if self._turn is None else _session(documents, self._turn[rows].tolist())

    def session(self, query_id: str) -> Session:
        """Return the turns of a query, and the lengths of its documents."""
        if query_id not in self._sessions:
            self._sessions[query_id] = self._read_session(query_id)
        return self._sessions[query_id]

    def _read_session(self, query_id: str) -> Session:
        rows = self._rows(query_id)
        turn = None if self._turn is None else self._turn[rows].astype(np.int64)
        sizes = None if turn is None else np.maximum(np.bincount(turn), 1)
        if self._doc_len is None:
            return Session(sizes, None)
        words = dict(zip(self._docs[rows][::-1].tolist(), self._doc_len[rows][::-1].tolist(), strict=True))
        return Session(sizes, np.array([words.get(doc, np.nan) for doc in self.ranking(query_id)]))

    def warn_once(self, message: str) -> None:
        """Warn of something about this run, the first time only."""
        if message not in self._warned:
            warnings.warn(message, UserWarning, stacklevel=2)
            self._warned.add(message)

    def _warn(self, n_repeats: int, query_ids: Sequence[str]) -> None:
        if n_repeats:
            self.warn_once(
                f"The run holds a document twice in a query, {n_repeats} times in all; the better-ranked one counts."
            )
        if self._slices and query_ids and self._slices.keys().isdisjoint(query_ids):
            names = ", ".join(repr(name) for name in list(self._slices)[:3])
            self.warn_once(f"No query of the run ({names}, ...) is in the qrels: nothing of it counts.")


def _turn(frame: Any) -> np.ndarray:
    turn = numbers(frame, "turn", "run")
    bad = (turn < 0) | (turn != np.floor(turn)) | (turn >= _MOST_TURNS)
    if bad.any():
        fail(frame, bad, "turn", "run", f"must be a whole number from 0 to {_MOST_TURNS - 1}")
    return turn


def _doc_len(frame: Any) -> np.ndarray:
    """Return the number of words of each document, NaN where unknown."""
    unknown = frame["doc_len"].isna().to_numpy()
    words = numbers(frame.assign(doc_len=frame["doc_len"].where(~unknown, 0)), "doc_len", "run")
    if (words < 0).any():
        fail(frame, words < 0, "doc_len", "run", "must not be negative")
    return np.where(unknown, np.nan, words)


def ranking_order(query: np.ndarray, turn: np.ndarray | None, score: np.ndarray, docs: np.ndarray) -> np.ndarray | None:
    """Return the rows query by query, each in ranking order; None if that is how they are."""
    keys = [query] if turn is None else [query, turn]
    order = None
    if not _is_sorted(keys, score):
        order = np.lexsort([-score, *reversed(keys)])
        keys, score, docs = [key[order] for key in keys], score[order], docs[order]
    tied = score[1:] == score[:-1]
    for key in keys:
        tied &= key[1:] == key[:-1]
    ties = np.flatnonzero(tied)
    wrong = docs[ties] < docs[ties + 1]
    if not wrong.any():
        return order
    # Names are slow to compare: only those of tied groups that are out of order are sorted, all groups at once.
    heads = np.flatnonzero(np.diff(ties, prepend=-2) > 1)
    unsorted = np.logical_or.reduceat(wrong, heads)
    size = np.diff(heads, append=len(ties))[unsorted] + 1
    rows = np.repeat(ties[heads][unsorted] - (np.cumsum(size) - size), size) + np.arange(size.sum())
    group = np.repeat(np.arange(len(size)), size)
    names = docs[rows].tolist()
    by_name = np.array(sorted(range(len(rows)), key=names.__getitem__, reverse=True))
    order = np.arange(len(docs)) if order is None else order
    order[rows] = order[rows[by_name[np.argsort(group[by_name], kind="stable")]]]
    return order


def _is_sorted(keys: list[np.ndarray], score: np.ndarray) -> bool:
    """Tell whether rows are sorted by ``keys``, ascending, then by ``score``, descending."""
    in_order = score[1:] <= score[:-1]
    for key in reversed(keys):
        in_order = (key[1:] > key[:-1]) | ((key[1:] == key[:-1]) & in_order)
    return bool(in_order.all())


def _session(documents: list[str], turns: list[float]) -> list[str]:
    """Give missing turns one rank each, and each repeated document a name that no qrels have."""
    session: list[str] = []
    seen: set[str] = set()
    previous = -1
    for doc, turn in zip(documents, map(int, turns), strict=True):
        session += [f"{_NOBODY}{len(session) + i}" for i in range(turn - previous - 1)]
        session.append(doc if doc not in seen else f"{_NOBODY}{len(session)}")
        seen.add(doc)
        previous = turn
    return session
