"""Read a run into rankings, in the same order for all measures."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count, islice, pairwise, repeat
from typing import Any

import numpy as np
import pandas as pd

from .arrow import ArrowStrings
from .columns import (
    RUN_COLUMNS,
    Ids,
    fail,
    given_ranks,
    ids,
    kept_strings,
    numbers,
    scores,
    to_frame,
)
from .entries import Groups
from .judgements import Judgements
from .sessions import TurnSizes
from .ties import Ties
from .warned import warn_of_data

_MOST_TURNS = 1_000_000

# If rankings are longer than this many times the relevant documents, look up the relevant documents in the ranking.
# Otherwise, look up the documents of the ranking in the judgements.
_LONGER = 4

# If no document is judged in so many queries, the document ids probably do not match.
_SEVERAL = 5

# Prefix of the made-up names of documents at ranks in a session without a judged document.
_NOBODY = "\1"


class Run:
    """The rankings of one system: by descending score, with ties by descending document id.

    With a column ``turn``, the turns of a session follow each other, each in this order. A turn without documents takes
    up one rank. A repeated document keeps its rank and counts as unjudged.

    Parameters
    ----------
    run : DataFrame, iterable of named tuples, dict of dicts, or dict of lists
        Query, document and score, with PyTerrier's or ir_measures' names; optionally ``turn``, and ``doc_len``, the
        number of words of each document (NaN if unknown). Without ``score``, the column ``rank`` or the order of a list
        counts.

    Raises
    ------
    ValueError
        If a column or a value is missing, a score is not finite, a turn is negative or fractional, or a length is
        negative or infinite.

    Warns
    -----
    UserWarning
        If scores contradict the column ``rank``; the score counts.
    """

    def __init__(self, run: Any) -> None:
        frame = to_frame(run, RUN_COLUMNS, "run")
        query = ids(frame, "query_id", "run", grouped=True)
        self._docs = kept_strings(frame, "doc_id", "run")
        self._turn = _turn(frame) if "turn" in frame else None
        self._doc_len = _doc_len(frame) if "doc_len" in frame else None
        self._score = score = scores(frame, "run")
        rank = given_ranks(frame)
        self._order = ranking_order(query.codes, self._turn, score, self._docs)
        n_rows = np.bincount(query.codes, minlength=len(query.names))
        bounds = [0, *np.cumsum(n_rows).tolist()]
        self._bounds = dict(zip(query.names.tolist(), pairwise(bounds), strict=True))
        self._warned: set[str] = set()
        if rank is not None:
            contradicted = contradicted_ranks(query, self._turn, score, self._docs, rank, self._order)
            if contradicted:
                self.warn_once(contradicted)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self._bounds)

    @property
    def query_ids(self) -> list[str]:
        """The queries that have documents."""
        return list(self._bounds)

    def ranking(self, query_id: str, depth: int | None = None) -> list[str]:
        """Return the documents of a query, best first, down to a depth, or an empty list."""
        documents = self._listed(*self._bounds.get(query_id, (0, 0)))
        if self._turn is None:
            return list(dict.fromkeys(documents))[:depth]
        ranks = self._ranks(query_id)
        n = ranks[-1] if ranks else 0
        return list(islice(_session(documents, ranks), n if depth is None else min(depth, n)))

    def rankings(self, query_ids: Sequence[str], depth: int | None = None) -> list[list[str]]:
        """Return the documents of each query, best first, down to a depth, with the warnings of `retrieve`."""
        listed = (self._listed(*self._bounds.get(query_id, (0, 0))) for query_id in query_ids)
        self._warn(0 if self.tells_turns else sum(len(docs) - len(set(docs)) for docs in listed), query_ids)
        return [self.ranking(query_id, depth) for query_id in query_ids]

    def retrieve(self, judgements: Judgements, depth: int | None = None) -> Retrieved:
        """Find the ranks of the relevant documents.

        Parameters
        ----------
        judgements : Judgements
            The judgements as read.
        depth : int, optional
            The number of ranks that matter; all by default. Lower documents are skipped, except in sessions and in
            rankings with repeated documents.

        Warns
        -----
        UserWarning
            Once for each run: if it repeats documents in a query, has no query of the qrels, or has no judged document
            in several queries.
        """
        found = None
        if self._turn is not None:
            found = self._in_turns(judgements)
        elif isinstance(self._docs, ArrowStrings):
            found = self._looked_up(self._docs, judgements, depth)
        ranks, n, n_repeats = self._gone_through(judgements, depth) if found is None else found
        self._warn(n_repeats, judgements.query_ids)
        if not ranks.any():
            self._warn_of_unjudged(judgements, np.flatnonzero(n).tolist())
        return Retrieved(judgements, ranks, n, self)

    def _gone_through(self, judgements: Judgements, depth: int | None) -> tuple[np.ndarray, np.ndarray, int]:
        """Return the rank of each document, the number of documents of each query, and the number of repeats."""
        n = np.zeros(len(judgements), dtype=np.int64)
        # Short rankings: the index of each document, and the length. Long rankings: ranks, and the query.
        at: list[int] = []
        read: list[int] = []
        ranks: list[int] = []
        looked_up: list[int] = []
        n_repeats = 0
        from_1: list[int] = []
        index, relevant_docs = judgements.query_index, judgements.relevant_docs
        for query_id, (start, end) in self._bounds.items():
            query = index.get(query_id)
            if query is None:
                continue
            relevant = relevant_docs[query]
            documents = self._listed(start, end if depth is None else min(end, start + depth))
            if len(documents) > len(from_1):
                from_1.extend(range(len(from_1) + 1, len(documents) + 1))
            by_ranking = len(documents) <= _LONGER * len(relevant)
            distinct: Any = set(documents) if by_ranking else dict(zip(documents, from_1, strict=False))
            if len(distinct) < len(documents):
                listed = self._listed(start, end)
                documents = list(dict.fromkeys(listed))
                n_repeats += len(listed) - len(documents)
                distinct = dict(zip(documents, count(1), strict=False))
            n[query] = len(distinct)
            if by_ranking:
                at.extend(map(relevant.get, documents, repeat(-1)))
                read.append(len(documents))
            else:
                ranks.extend(map(distinct.get, relevant, repeat(0)))
                looked_up.append(query)
        of_doc = _ranks_of(judgements, at, read)
        of_doc[judgements.documents_of(np.array(looked_up, dtype=np.intp))] = ranks
        return of_doc, n, n_repeats

    def _in_turns(self, judgements: Judgements) -> tuple[np.ndarray, np.ndarray, int]:
        """Return the same as `_gone_through` for sessions, where a repeated document counts as another one."""
        n, ranks = np.zeros(len(judgements), dtype=np.int64), np.zeros(len(judgements.documents.ids), dtype=np.int64)
        for query_id, bounds in self._bounds.items():
            query = judgements.query_index.get(query_id)
            if query is None:
                continue
            relevant, of_rows = judgements.relevant_docs[query], self._ranks(query_id)
            n[query] = of_rows[-1]
            # In reverse, so that the first rank of a document stays.
            for doc, rank in zip(reversed(self._listed(*bounds)), reversed(of_rows), strict=True):
                if doc in relevant:
                    ranks[relevant[doc]] = rank
        return ranks, n, 0

    def _looked_up(
        self, docs: ArrowStrings, judgements: Judgements, depth: int | None
    ) -> tuple[np.ndarray, np.ndarray, int] | None:
        """Return the same as `_gone_through`, or None if a document is repeated."""
        query = np.array([judgements.query_index.get(name, -1) for name in self._bounds], dtype=np.intp)
        start, end = np.array(list(self._bounds.values()), dtype=np.intp).reshape(-1, 2).T
        size = np.where(query >= 0, np.minimum(end - start, len(docs) if depth is None else min(depth, len(docs))), 0)
        rankings = Groups(np.repeat(np.arange(len(size)), size), len(size))
        rows = start[rankings.of] + rankings.place
        docs = docs.take(rows if self._order is None else self._order[rows])
        if docs.repeats(rankings.of):
            return None
        n, ranks = np.zeros(len(judgements), dtype=np.int64), np.zeros(len(judgements.documents.ids), dtype=np.int64)
        n[query[query >= 0]] = size[query >= 0]
        row, doc = judgements.documents_named(query[rankings.of], docs)
        ranks[doc] = rankings.place[row] + 1
        return ranks, n, 0

    @cached_property
    def _ties(self) -> Ties:
        place = slice(None) if self._order is None else self._order
        sizes = [end - start for start, end in self._bounds.values()]
        query = np.repeat(np.arange(len(sizes)), sizes)
        turn = None if self._turn is None else self._turn[place]
        return Ties(query, turn, self._score[place], self._docs[place])

    def tied_across(self, rank: int) -> list[str]:
        """Return the queries with the same score at a rank and at the next one."""
        names = list(self._bounds)
        return [names[query] for query in self._ties.across(rank).tolist()]

    @property
    def tied_queries(self) -> list[str]:
        """The queries with tied documents."""
        names = list(self._bounds)
        return [names[query] for query in self._ties.queries.tolist()]

    def shuffled(self, generators: Mapping[str, np.random.Generator]) -> Run:
        """Return the run with tied documents in random order; each query has its generator."""
        keys = np.zeros(len(self._docs))
        for query_id, generator in generators.items():
            start, end = self._bounds[query_id]
            keys[start:end] = generator.random(end - start)
        order = self._ties.order(keys)
        other = copy.copy(self)
        other.__dict__.pop("_ties", None)
        other._order = order if self._order is None else self._order[order]
        return other

    def _rows(self, query_id: str) -> slice | np.ndarray:
        """Return the rows of a query, in ranking order."""
        place = slice(*self._bounds.get(query_id, (0, 0)))
        return place if self._order is None else self._order[place]

    def _listed(self, start: int, end: int) -> list[str]:
        """Return the documents of a range of ordered rows, with repeats."""
        rows = slice(start, end) if self._order is None else self._order[start:end]
        documents: list[str] = self._docs[rows].tolist()
        return documents

    def _turns(self, query_id: str) -> np.ndarray:
        """Return the turn of each row of a query, in ranking order, or an empty array if the run has no turns."""
        turn = np.zeros(0) if self._turn is None else self._turn[self._rows(query_id)]
        return turn.astype(np.int64)

    def _ranks(self, query_id: str) -> list[int]:
        """Return the rank of each row of a session, where a turn without documents takes one rank."""
        turn = self._turns(query_id)
        n_turns = np.cumsum(np.diff(turn, prepend=-1) > 0)
        ranks: list[int] = (np.arange(1, len(turn) + 1) + turn + 1 - n_turns).tolist()
        return ranks

    @property
    def tells_turns(self) -> bool:
        """Whether the run has a column ``turn``, and so consists of sessions."""
        return self._turn is not None

    @property
    def tells_lengths(self) -> bool:
        """Whether the run has a column ``doc_len``."""
        return self._doc_len is not None

    def turn_sizes(self, query_id: str) -> TurnSizes:
        """Return the turns of a query with documents."""
        return TurnSizes(*np.unique(self._turns(query_id), return_counts=True))

    def doc_len(self, query_id: str) -> np.ndarray:
        """Return the number of words of each document of a query, best first; NaN if unknown."""
        rows = self._rows(query_id)
        again = pd.Series(self._docs[rows]).duplicated().to_numpy()
        lengths = np.full(len(again), np.nan) if self._doc_len is None else self._doc_len[rows]
        # Only sessions keep repeated documents; these count as unknown.
        return lengths[~again] if self._turn is None else np.where(again, np.nan, lengths)

    def warn_once(self, message: str) -> None:
        """Give a warning about this run once."""
        if message not in self._warned:
            warn_of_data(message)
            self._warned.add(message)

    def _warn(self, n_repeats: int, query_ids: Sequence[str]) -> None:
        if n_repeats:
            query_id, doc = next(self._repeats(query_ids))
            self.warn_once(
                f"The run repeats documents within a query, {n_repeats} times in all, such as {doc!r} in query "
                f"{query_id!r}; the best rank counts."
            )
        if self._bounds and query_ids and self._bounds.keys().isdisjoint(query_ids):
            names = ", ".join(repr(name) for name in list(self._bounds)[:3])
            self.warn_once(
                f"No query of the run ({names}, ...) is in the qrels ({query_ids[0]!r}, ...). Do the query ids match?"
            )

    def _repeats(self, query_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield each repeated document with its query."""
        for query_id in query_ids:
            seen: set[str] = set()
            for doc in self._listed(*self._bounds.get(query_id, (0, 0))):
                if doc in seen:
                    yield query_id, doc
                seen.add(doc)

    def _warn_of_unjudged(self, judgements: Judgements, shared: Sequence[int]) -> None:
        """Warn if no document is judged in several queries, as the document ids may not match."""
        if len(shared) < _SEVERAL:
            return
        judged = judgements.judged_docs
        named = [(self._docs[self._rows(judgements.query_ids[query])], judged[query]) for query in shared]
        if all(of_query.isdisjoint(docs) for docs, of_query in named):
            theirs = next((min(of_query) for _, of_query in named if of_query), None)
            example = "no judged documents at all" if theirs is None else f"{theirs!r} in the qrels"
            self.warn_once(
                f"No document of the run is judged in any of the {len(shared)} queries that it shares with the qrels: "
                f"{named[0][0][0]!r} in the run, {example}. Do the document ids match?"
            )


# With more words, the cost of reading could be infinite.
_MOST_WORDS = 1e100


class Retrieved:
    """Rankings of the relevant documents of some judgements.

    Parameters
    ----------
    judgements : Judgements
        The judgements, or a view of them.
    ranks : ndarray of int, shape (documents,)
        The rank of each relevant document, from 1; 0 if it is not retrieved.
    n : ndarray of int, shape (queries,)
        The length of each ranking.
    run : Run, optional
        The run of the rankings; without one, they contain only relevant documents.
    """

    def __init__(
        self,
        judgements: Judgements,
        ranks: np.ndarray,
        n: np.ndarray,
        run: Run | None = None,
        base: Retrieved | None = None,
    ) -> None:
        self.judgements = judgements
        self.ranks = ranks
        self.n = n
        self.run = run
        self._base = self if base is None else base

    def view(self, view: Judgements) -> Retrieved:
        """Return the same rankings over a view of the judgements."""
        if view is self.judgements:
            return self
        base = self._base
        return Retrieved(view, base.ranks[view.base_doc], base.n[view.base_query], self.run, base)

    def prefix(self, last: np.ndarray) -> Retrieved:
        """Return the rankings down to the last rank of each."""
        below = self.ranks > last[self.judgements.documents.query]
        base = None if self._base is self else self._base
        return Retrieved(self.judgements, np.where(below, 0, self.ranks), np.minimum(self.n, last), self.run, base)

    def judged_only(self) -> Retrieved:
        """Return the rankings without unjudged documents."""
        if self.run is None:
            return self
        judged = [
            list(filter(of_query.__contains__, docs))
            for of_query, docs in zip(self.judgements.judged_docs, self.rankings(), strict=True)
        ]
        return retrieved(self.judgements, judged, self.run)

    def rankings(self, depth: int | None = None, queries: slice = slice(None)) -> list[list[str]]:
        """Return the documents of each ranking, or of some, best first, down to a depth."""
        names, last = self.judgements.query_ids[queries], self.n[queries]
        if depth is not None:
            last = np.minimum(last, depth)
        if self.run is not None:
            known = {name: self.run.ranking(name, depth) for name in set(names)}
        else:
            base = self._base
            known = dict(zip(base.judgements.query_ids, _rankings(base), strict=True))
        return [known[name][:n] for name, n in zip(names, last.tolist(), strict=True)]

    def as_dict(
        self, names: Sequence[str], depth: int | None = None, queries: slice = slice(None)
    ) -> dict[str, dict[str, float]]:
        """Return the non-empty rankings of ``queries`` down to a depth, by name, with the scores n, ..., 2, 1."""
        rankings = self.rankings(depth, queries)
        longest = max(map(len, rankings), default=0)
        scores = np.arange(longest, 0, -1.0).tolist()
        return {
            name: dict(zip(docs, islice(scores, longest - len(docs), None), strict=True))
            for name, docs in zip(names[queries], rankings, strict=True)
            if docs
        }

    def turn_sizes(self) -> list[TurnSizes] | None:
        """Return the turns with documents of each ranking, or None if the run has no turns."""
        if self.run is None or not self.run.tells_turns:
            return None
        return [self.run.turn_sizes(name) for name in self.judgements.query_ids]

    def doc_len(self) -> list[np.ndarray] | None:
        """Return the number of words of each document of each ranking, or None if the run has no lengths."""
        if self.run is None or not self.run.tells_lengths:
            return None
        return list(map(self.run.doc_len, self.judgements.query_ids))


def _rankings(found: Retrieved) -> list[list[str]]:
    """Return the relevant documents of each ranking, best first."""
    doc = np.flatnonzero(found.ranks)
    query = found.judgements.documents.query[doc]
    order = np.lexsort([found.ranks[doc], query])
    n = np.bincount(query, minlength=len(found.judgements))
    ids = iter(found.judgements.documents.ids[doc[order]].tolist())
    return [list(islice(ids, n_docs)) for n_docs in n.tolist()]


def retrieved(judgements: Judgements, rankings: Sequence[Sequence[str]], run: Run | None = None) -> Retrieved:
    """Return rankings of distinct documents, one for each query, over the judgements."""
    at: list[int] = []
    for relevant, docs in zip(judgements.relevant_docs, rankings, strict=True):
        at.extend(map(relevant.get, docs, repeat(-1)))
    n = list(map(len, rankings))
    return Retrieved(judgements, _ranks_of(judgements, at, n), np.array(n, dtype=np.int64), run)


def _ranks_of(judgements: Judgements, at: list[int], n: list[int]) -> np.ndarray:
    """Return the rank of each document in rankings of lengths ``n``, in which -1 is a document that is not relevant."""
    rank = Groups(np.repeat(np.arange(len(n)), n), len(n)).place + 1
    doc = np.fromiter(at, np.int64, len(at))
    ranks = np.zeros(len(judgements.documents.ids), dtype=np.int64)
    ranks[doc[doc >= 0]] = rank[doc >= 0]
    return ranks


def _turn(frame: Any) -> np.ndarray:
    turn = numbers(frame, "turn", "run")
    bad = (turn < 0) | (turn != np.floor(turn)) | (turn >= _MOST_TURNS)
    if bad.any():
        fail(frame, bad, "turn", "run", f"must be a whole number from 0 to {_MOST_TURNS - 1}")
    return turn


def _doc_len(frame: Any) -> np.ndarray:
    """Return the number of words of each document; NaN if unknown."""
    unknown = frame["doc_len"].isna().to_numpy()
    words = numbers(frame.assign(doc_len=frame["doc_len"].where(~unknown, 0)), "doc_len", "run")
    if (words < 0).any():
        fail(frame, words < 0, "doc_len", "run", "must not be negative")
    if (words > _MOST_WORDS).any():
        fail(frame, words > _MOST_WORDS, "doc_len", "run", f"must be at most {_MOST_WORDS:g}")
    return np.where(unknown, np.nan, words)


def ranking_order(
    query: np.ndarray, turn: np.ndarray | None, score: np.ndarray, docs: np.ndarray | ArrowStrings
) -> np.ndarray | None:
    """Return the order of rows by query and rank, or None if they are in that order already."""
    key = _turn_of_query(query, turn)
    begins = key[1:] != key[:-1]
    order = None
    if not ((key[1:] >= key[:-1]).all() and ((score[1:] <= score[:-1]) | begins).all()):
        order = np.argsort(-score)
        order = order[np.argsort(key[order], kind="stable")]
        key, score = key[order], score[order]
        begins = key[1:] != key[:-1]
    ties = np.flatnonzero((score[1:] == score[:-1]) & ~begins)
    if not len(ties):
        return order
    order_of_scores = np.arange(len(key)) if order is None else order
    wrong = docs[order_of_scores[ties]] < docs[order_of_scores[ties + 1]]
    return _by_name(order_of_scores, ties, wrong, docs) if wrong.any() else order


def _by_name(order: np.ndarray, ties: np.ndarray, wrong: np.ndarray, docs: np.ndarray | ArrowStrings) -> np.ndarray:
    """Return the rows with ties sorted by descending name; ``wrong`` marks ties in the wrong order."""
    # Comparing names is slow, so only tied groups in the wrong order are sorted, all at once.
    heads = np.flatnonzero(np.diff(ties, prepend=-2) > 1)
    unsorted = np.logical_or.reduceat(wrong, heads)
    size = np.diff(heads, append=len(ties))[unsorted] + 1
    rows = np.repeat(ties[heads][unsorted] - (np.cumsum(size) - size), size) + np.arange(size.sum())
    group = np.repeat(np.arange(len(size)), size)
    names = docs[order[rows]].tolist()
    by_name = np.array(sorted(range(len(rows)), key=names.__getitem__, reverse=True))
    order[rows] = order[rows[by_name[np.argsort(group[by_name], kind="stable")]]]
    return order


def _turn_of_query(query: np.ndarray, turn: np.ndarray | None) -> np.ndarray:
    """Return one number for the query and the turn of each row, which sorts by both."""
    return query if turn is None else query.astype(np.int64) * _MOST_TURNS + turn.astype(np.int64)


def contradicted_ranks(
    query: Ids,
    turn: np.ndarray | None,
    score: np.ndarray,
    docs: np.ndarray | ArrowStrings,
    rank: np.ndarray,
    order: np.ndarray | None,
) -> str:
    """Return a message about queries where a lower rank has a higher score, or an empty string.

    Parameters
    ----------
    order : ndarray of int, optional
        The result of `ranking_order`.
    """
    key = _turn_of_query(query.codes, turn)
    begins = key[1:] != key[:-1]
    # Usually the rows are sorted by query and rank.
    falls_or_rises = (rank[1:] < rank[:-1]) | (score[1:] > score[:-1])
    if (key[1:] >= key[:-1]).all() and not (falls_or_rises & ~begins).any():
        return ""
    if order is not None:
        key, score, rank = key[order], score[order], rank[order]
    same = key[1:] == key[:-1]
    if not ((rank[1:] < rank[:-1]) & same).any():
        return ""
    # Tied documents may swap their ranks.
    heads = np.flatnonzero(np.concatenate([[True], ~same | (score[1:] != score[:-1])]))
    lowest, highest = np.minimum.reduceat(rank, heads), np.maximum.reduceat(rank, heads)
    risen = np.flatnonzero((lowest[1:] < highest[:-1]) & (key[heads][1:] == key[heads][:-1]))
    if not len(risen):
        return ""
    first = int(risen[0])
    above = heads[first] + int(rank[heads[first] : heads[first + 1]].argmax())
    below = heads[first + 1] + int((rank[heads[first + 1] :] == lowest[first + 1]).argmax())
    place = np.arange(len(rank)) if order is None else order
    queries = query.codes[place[heads[risen]]]
    upper, lower = docs[place[[above, below]]].tolist()
    return (
        f"Scores and ranks contradict each other in {len(np.unique(queries))} of {len(query.names)} queries of the "
        f"run, such as {query.names[queries[0]]!r}, where {upper!r} has rank {rank[above]:g} and a higher score than "
        f"{lower!r} at rank {rank[below]:g}. The score counts; to use the rank, read the run with order='rank'."
    )


def _session(documents: list[str], ranks: list[int]) -> Iterator[str]:
    """Yield the document at each rank, with made-up names for turns without documents and for repeats."""
    seen: set[str] = set()
    for doc, above, rank in zip(documents, [0, *ranks], ranks, strict=False):
        yield from (f"{_NOBODY}{empty}" for empty in range(above + 1, rank))
        yield doc if doc not in seen else f"{_NOBODY}{rank}"
        seen.add(doc)
