"""Read a run into rankings, in the one order that every value of a table comes from."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import repeat
from typing import Any

import numpy as np

from .columns import fail, ids, numbers, strings, to_frame, trusted_strings
from .judgements import Judgements

RUN_COLUMNS = ("query_id", "doc_id", "score")
_MOST_TURNS = 1_000_000

# Only the documents of a ranking that is so many times longer than the judgements are not all looked up in these.
_LONGER = 4

# Begins the name of a place in a session that no judged document takes.
_NOBODY = "\1"


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
        frame = to_frame(run, RUN_COLUMNS, "run")
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
        self._warned: set[str] = set()

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self._slices)

    def ranking(self, query_id: str) -> list[str]:
        """Return the documents of a query, best first; an empty list if it has none."""
        return list(dict.fromkeys(self._listed(query_id)))

    def rankings(self, query_ids: Sequence[str]) -> list[list[str]]:
        """Return the documents of each query, best first, with the warnings of `retrieve`."""
        rankings = [self.ranking(query_id) for query_id in query_ids]
        n_listed = sum(len(self._listed(query_id)) for query_id in query_ids)
        self._warn(n_listed - sum(map(len, rankings)), query_ids)
        return rankings

    def retrieve(self, judgements: Judgements) -> Retrieved:
        """Find the ranks of the relevant documents.

        Warns
        -----
        UserWarning
            Once a run, if it holds documents twice in a query or has no query in common with the qrels.
        """
        ranks = np.zeros(len(judgements.documents.ids), dtype=np.int64)
        n = np.zeros(len(judgements), dtype=np.int64)
        found: list[int] = []
        at: list[int] = []
        n_repeats = 0
        from_1: list[int] = []
        for query_id in self._slices:
            query = judgements.query_index.get(query_id)
            if query is None:
                continue
            documents = self._listed(query_id)
            n_listed = len(documents)
            if len(from_1) < n_listed:
                from_1.extend(range(len(from_1) + 1, n_listed + 1))
            rank_of = dict(zip(documents, from_1, strict=False))
            if self._missing in rank_of:
                raise ValueError(f"run: a row of query {query_id!r} has no doc_id.")
            if len(rank_of) < n_listed:
                n_repeats += n_listed - len(rank_of)
                rank_of = dict(zip(rank_of, from_1, strict=False))
            n[query] = len(rank_of)
            relevant = judgements.relevant_docs[query]
            if n_listed < _LONGER * len(relevant):
                docs = list(filter(relevant.__contains__, rank_of))
                found.extend(map(rank_of.__getitem__, docs))
                at.extend(map(relevant.__getitem__, docs))
            else:
                found.extend(map(rank_of.get, relevant, repeat(0)))
                at.extend(relevant.values())
        ranks[at] = found
        self._warn(n_repeats, judgements.query_ids)
        return Retrieved(judgements, ranks, n, self)

    def _rows(self, query_id: str) -> slice | np.ndarray:
        """Return the rows of a query, in ranking order."""
        place = self._slices.get(query_id, slice(0))
        return place if self._order is None else self._order[place]

    def _listed(self, query_id: str) -> list[str]:
        """Return the documents of a query as the run lists them, repeats and all."""
        rows = self._rows(query_id)
        documents: list[str] = self._docs[rows].tolist()
        return documents if self._turn is None else _session(documents, self._turn[rows].tolist())

    @property
    def tells_turns(self) -> bool:
        """Whether the run is of sessions: has a column ``turn``."""
        return self._turn is not None

    @property
    def tells_lengths(self) -> bool:
        """Whether the run has a column ``doc_len``."""
        return self._doc_len is not None

    def turn_sizes(self, query_id: str) -> np.ndarray:
        """Return the number of ranks of each turn of a query."""
        turn = np.zeros(0) if self._turn is None else self._turn[self._rows(query_id)]
        return np.maximum(np.bincount(turn.astype(np.int64)), 1)

    def doc_len(self, query_id: str) -> np.ndarray:
        """Return the words of the document at each rank of a query, NaN where they are not known."""
        rows = self._rows(query_id)
        lengths = [] if self._doc_len is None else self._doc_len[rows][::-1].tolist()
        words = dict(zip(self._docs[rows][::-1].tolist(), lengths, strict=False))
        return np.array([words.get(doc, np.nan) for doc in self.ranking(query_id)])

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


class Retrieved:
    """What rankings found of some judgements.

    Parameters
    ----------
    judgements : Judgements
        The judgements, or a view of them.
    ranks : ndarray of int, shape (documents,)
        The rank of each relevant document, from 1; 0 where it was not retrieved.
    n : ndarray of int, shape (queries,)
        The length of each ranking.
    run : Run, optional
        The run that the rankings are of; without one, they are of relevant documents only.
    """

    def __init__(self, judgements: Judgements, ranks: np.ndarray, n: np.ndarray, run: Run | None = None) -> None:
        self.judgements = judgements
        self.ranks = ranks
        self.n = n
        self.run = run

    def view(self, view: Judgements) -> Retrieved:
        """Return what they found of a view of the judgements as read, which these must be of."""
        if view is self.judgements:
            return self
        return Retrieved(view, self.ranks[view.base_doc], self.n[view.base_query], self.run)

    def prefix(self, last: np.ndarray) -> Retrieved:
        """Return the rankings down to a last rank for each."""
        below = self.ranks > last[self.judgements.documents.query]
        return Retrieved(self.judgements, np.where(below, 0, self.ranks), np.minimum(self.n, last), self.run)

    def judged_only(self) -> Retrieved:
        """Return the rankings without documents that have no judgement for their query."""
        if self.run is None:
            return self
        judged = [
            list(filter(of_query.__contains__, docs))
            for of_query, docs in zip(self.judgements.judged_docs, self.rankings(), strict=True)
        ]
        return retrieved(self.judgements, judged, self.run)

    def rankings(self) -> list[list[str]]:
        """Return the documents of each ranking, best first."""
        n = self.n.tolist()
        if self.run is not None:
            rankings = {name: self.run.ranking(name) for name in set(self.judgements.query_ids)}
            return [rankings[name][:k] for name, k in zip(self.judgements.query_ids, n, strict=True)]
        found = np.flatnonzero(self.ranks)
        found = found[np.lexsort([self.ranks[found], self.judgements.documents.query[found]])]
        return [docs.tolist() for docs in np.split(self.judgements.documents.ids[found], np.cumsum(n)[:-1])]

    def as_dict(self, names: Sequence[str], depth: int | None = None) -> dict[str, dict[str, float]]:
        """Return the rankings that are not empty, by ``names``, with scores n, n - 1, ..., 1, down to a depth."""
        return {
            name: dict(zip(docs[:depth], np.arange(len(docs[:depth]), 0, -1.0).tolist(), strict=True))
            for name, docs in zip(names, self.rankings(), strict=True)
            if docs
        }

    def turn_sizes(self) -> list[np.ndarray] | None:
        """Return the number of ranks of each turn of each ranking; None if the run does not tell."""
        if self.run is None or not self.run.tells_turns:
            return None
        return [self.run.turn_sizes(name) for name in self.judgements.query_ids]

    def doc_len(self) -> list[np.ndarray] | None:
        """Return the words of the document at each rank of each ranking; None if the run does not tell any."""
        if self.run is None or not self.run.tells_lengths:
            return None
        lengths = map(self.run.doc_len, self.judgements.query_ids)
        return [words[:n] for words, n in zip(lengths, self.n.tolist(), strict=True)]


def retrieved(judgements: Judgements, rankings: Sequence[Sequence[str]], run: Run | None = None) -> Retrieved:
    """Return what rankings of distinct documents, one for each query, found of the judgements."""
    ranks = np.zeros(len(judgements.documents.ids), dtype=np.int64)
    for relevant, docs in zip(judgements.relevant_docs, rankings, strict=True):
        for rank, doc in enumerate(docs, start=1):
            if doc in relevant:
                ranks[relevant[doc]] = rank
    return Retrieved(judgements, ranks, np.array([len(docs) for docs in rankings], dtype=np.int64), run)


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
