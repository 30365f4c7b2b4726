"""Read a run into rankings, in the same order for all measures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise, repeat, starmap

import numpy as np
import pandas as pd

from ..arithmetic import counted
from ..frames.columns import RUN_COLUMNS, Columns
from ..frames.order import in_order
from ..frames.strings import heads, places, repeated, taken
from ..frames.warned import warn
from ..warnings import DataWarning, IdsWarning, RanksWarning, RepeatsWarning
from .judgements import Judgements
from .sessions import Sessions

# A problem of this many queries of a batch, such as no judged documents, probably affects the whole run.
_SEVERAL = 5

# How many rows to look up at a time, of whole queries: small arrays are fast.
_AT_A_TIME = 2**15

# With more words, the cost of reading could be infinite.
_MOST_WORDS = 1e100

# Ranks of the relevant documents, lengths of rankings, and whether documents repeat.
_Found = tuple[np.ndarray, np.ndarray, bool]

# Prefix of the made-up names of documents at ranks in a session without a judged document.
_NOBODY = "\1"


class Run:
    """The rankings of one system: by descending score, with ties by descending document id.

    With a column ``turn``, the turns of a session follow each other, each in this order. A turn without documents takes
    up one rank. A repeated document keeps its rank and counts as unjudged.

    Parameters
    ----------
    run : DataFrame
        Query, document and score, with PyTerrier's or ir_measures' names; optionally ``turn``, ``doc_len``, the
        number of words of each document (NaN if unknown), and ``tie``, the same number for documents that tie, if the
        scores do not show it. Without ``score``, the column ``rank`` counts.
    is_whole : bool
        Whether this is the whole run, not a batch of its queries, which may by chance have no judged document.

    Attributes
    ----------
    query_ids : list of str
        The queries that have documents.
    sessions : Sessions or None
        The ranks and turns of sessions; None if the run has no column ``turn``.
    query, turn, tie : ndarray, shape (rows,)
        For each row, in ranking order: the place of its query in ``query_ids``, the same number for a query and turn,
        and, within these, for documents that tie.

    Raises
    ------
    ValueError
        If a column or a value is missing, a score is not finite, a turn is negative or fractional, or a length is
        negative or infinite.

    Warns
    -----
    RanksWarning
        If scores contradict the column ``rank``; the score counts. If, in half of the queries or more, all documents
        have the same score.
    """

    def __init__(self, run: pd.DataFrame, *, is_whole: bool = False) -> None:
        self._is_whole = is_whole
        columns = Columns(run, RUN_COLUMNS, "run")
        ordered = in_order(columns)
        tie = columns.numbers("tie") if "tie" in columns else None
        doc_len = columns.numbers("doc_len", most=_MOST_WORDS, may_be_missing=True) if "doc_len" in columns else None
        if ordered.rows is not None:
            tie, doc_len = (None if values is None else values[ordered.rows] for values in (tie, doc_len))
        self.query_ids: list[str] = ordered.query.names.tolist()
        self.query, self.turn = ordered.query.codes, ordered.key
        self.sessions = Sessions(self.query, self.turn) if ordered.has_turns else None
        self.tie = ordered.score if tie is None else tie
        self._docs, self._doc_len, self._of_integers = ordered.docs, doc_len, columns.of_integers
        self._size = ordered.size
        self._start = np.cumsum(self._size) - self._size
        self._warned: set[str] = set()
        doubt = ordered.doubt(1 if is_whole else _SEVERAL)
        if doubt:
            self.warn_once(RanksWarning(doubt))

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.query_ids)

    def find(self, judgements: Judgements, depth: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Find the ranks of the relevant documents.

        Parameters
        ----------
        judgements : Judgements
            The judgements as read.
        depth : int, optional
            The number of ranks that matter; all by default. Lower documents are skipped, except in sessions and in
            rankings with repeated documents.

        Returns
        -------
        ranks : ndarray of int, shape (documents,)
            The rank of each relevant document, from 1; 0 if it is not retrieved.
        n : ndarray of int, shape (queries,)
            The length of each ranking.

        Warns
        -----
        RepeatsWarning, IdsWarning
            Once for each run: if it repeats documents in a query, has no query of the qrels, or has no judged document
            in any query (in a batch: in any of several queries).
        """
        depth = None if depth is None or self.sessions is not None else min(depth, int(self._size.max(initial=0)))
        of = places(self.query_ids, judgements.query_index)
        found = None if isinstance(self._docs, np.ndarray) else self._in_arrow(judgements, of, depth)
        ranks, n, has_repeats = self._in_dicts(judgements, of, depth) if found is None else found
        self._warn(judgements.query_ids, of, has_repeats)
        if self._of_integers != judgements.of_integers:
            self._refuse_lost_zeros(judgements)
        if not ranks.any():
            self._warn_of_unjudged(judgements, np.flatnonzero(n).tolist())
        return ranks, n

    def _in_dicts(self, judgements: Judgements, of: np.ndarray, depth: int | None) -> _Found:
        """Find ranks by dicts."""
        found: list[int] = []
        ranks: list[int] = []
        n = [0] * len(judgements)
        has_repeats = False
        from_1 = list(range(1, int(self._size.max(initial=0)) + 1))
        last = self._start + (self._size if depth is None else np.minimum(self._size, depth))
        for query, start, end in zip(of.tolist(), self._start.tolist(), last.tolist(), strict=True):
            if query < 0:
                continue
            known, docs, rank = judgements.places_of_docs[query], self._docs[start:end].tolist(), from_1
            few = len(docs) <= len(known)
            at = {} if few else dict(zip(docs, rank, strict=False))
            if self.sessions is not None:
                few, rank = True, self.sessions.rank[start:end].tolist()
            elif len(set(docs) if few else at) < len(docs):  # a document has its best rank; its repeats take up none
                has_repeats, docs = True, self.ranking(judgements.query_ids[query])
                at = dict(zip(docs, rank, strict=False))
            n[query] = rank[len(docs) - 1]
            # The fewer look-ups.
            found += map(known.get, docs, repeat(-1)) if few else known.values()
            ranks += rank[: len(docs)] if few else map(at.get, known, repeat(0))
        return judgements.ranks(found, ranks), np.array(n, dtype=np.int64), has_repeats

    def _in_arrow(self, judgements: Judgements, of: np.ndarray, depth: int | None) -> _Found | None:
        """Find ranks by fingerprints, or return None if documents may repeat."""
        judged = np.flatnonzero(of >= 0)
        query, start, size = of[judged], self._start[judged], self._size[judged]
        size = size if depth is None else np.minimum(size, depth)
        n_relevant = judgements.n_relevant_docs[query]
        first = (np.cumsum(judgements.n_relevant_docs) - judgements.n_relevant_docs)[query]
        ranks, n = np.zeros(len(judgements.documents.ids), dtype=np.int64), np.zeros(len(judgements), dtype=np.int64)
        # Ranges of queries with about `_AT_A_TIME` rows each.
        for part in starmap(slice, pairwise([*heads(np.cumsum(size) // _AT_A_TIME).tolist(), len(size)])):
            place = counted(size[part])
            rows = np.repeat(start[part], size[part]) + place
            relevant = np.repeat(first[part], n_relevant[part]) + counted(n_relevant[part])
            found = judgements.pairs.find(relevant, np.repeat(query[part], size[part]), taken(self._docs, rows))
            if found is None:
                return None
            row, doc = found
            ranks[doc] = place[row] + 1 if self.sessions is None else self.sessions.rank[rows[row]]
        n[query] = size if self.sessions is None else self.sessions.rank[start + size - 1]
        return ranks, n, False

    def ranking(self, query_id: str, depth: int | None = None) -> list[str]:
        """Return the documents of a query, best first, down to a depth, or an empty list."""
        rows = self.rows(query_id)
        documents: list[str] = self._docs[rows].tolist()
        if self.sessions is None:
            return list(dict.fromkeys(documents))[:depth]
        # Turns without documents and repeats get made-up names.
        ranks = self.sessions.rank[rows].tolist()
        first = dict(zip(reversed(documents), reversed(ranks), strict=True))
        at = {rank: doc for doc, rank in first.items()}
        return [at.get(rank, f"{_NOBODY}{rank}") for rank in range(1, max(ranks, default=0) + 1)[:depth]]

    def rankings(self, query_ids: Sequence[str], depth: int | None = None) -> list[list[str]]:
        """Return the documents of each query, best first, down to a depth, with the warnings of `find`."""
        of = places(self.query_ids, dict(zip(query_ids, range(len(query_ids)), strict=True)))
        self._warn(query_ids, of, bool(self._repeated.any()))
        return [self.ranking(query_id, depth) for query_id in query_ids]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {query_id: query for query, query_id in enumerate(self.query_ids)}

    def rows(self, query_id: str) -> slice:
        """Return the rows of a query, in ranking order."""
        query = self._index.get(query_id)
        return slice(0) if query is None else slice(self._start[query], self._start[query] + self._size[query])

    @cached_property
    def _repeated(self) -> np.ndarray:
        """Whether each row repeats a document of its query."""
        return repeated(self.query, self._docs)

    @property
    def has_lengths(self) -> bool:
        """Whether the run has a column ``doc_len``."""
        return self._doc_len is not None

    def places(self, query_ids: Sequence[str]) -> np.ndarray:
        """Return the place of each query among those of the run, or -1."""
        return places(query_ids, self._index)

    def doc_len(self, query_id: str) -> np.ndarray:
        """Return the number of words of each document of a query, best first; NaN if unknown."""
        rows = self.rows(query_id)
        lengths, again = np.asarray(self._doc_len)[rows], self._repeated[rows]
        if again.any():
            of_docs = pd.Series(lengths).groupby(self._docs[rows].tolist()).nunique(dropna=False)
            for doc in of_docs.index[of_docs > 1][:1]:
                raise ValueError(f"run: document {doc!r} of query {query_id!r} has two lengths in doc_len.")
        # Only sessions keep repeated documents; these count as unknown.
        return lengths[~again] if self.sessions is None else np.where(again, np.nan, lengths)

    @property
    def takes_rank(self) -> np.ndarray:
        """Whether each row takes up a rank: only sessions keep repeated documents."""
        return ~self._repeated if self.sessions is None else np.ones(len(self.query), dtype=bool)

    def warn_once(self, warning: DataWarning) -> None:
        """Give a warning about this run once."""
        if str(warning) not in self._warned:
            warn(warning)
            self._warned.add(str(warning))

    def _warn(self, query_ids: Sequence[str], of: np.ndarray, has_repeats: bool) -> None:
        """Warn of repeated documents, and of a run without a query of ``query_ids``.

        Parameters
        ----------
        of : ndarray of int
            The place of each query of the run in ``query_ids``, or -1.
        """
        again = np.flatnonzero(self._repeated & (of >= 0)[self.query]) if has_repeats and self.sessions is None else ()
        if len(again):
            row = again[of[self.query[again]].argmin()]
            doc, query_id = str(self._docs[row]), self.query_ids[self.query[row]]
            message = (
                f"The run repeats documents within a query, such as {doc!r} in query {query_id!r}. Only the best rank "
                f"of each counts (repeated rows: {len(again)})."
            )
            self.warn_once(RepeatsWarning(message))
        if len(query_ids) and len(of) and (of < 0).all():
            names = ", ".join(repr(name) for name in self.query_ids[:3])
            message = f"No query of the run ({names}, ...) is in the qrels ({query_ids[0]!r}, ...)."
            self.warn_once(IdsWarning(f"{message} Do the query ids match?"))

    def _refuse_lost_zeros(self, judgements: Judgements) -> None:
        """Raise a ``ValueError`` if ids that were read as numbers on one side have leading zeros on the other."""
        docs = set(self._docs.tolist()), set().union(*judgements.judged_docs)
        ids = {"query_id": (set(self.query_ids), set(judgements.query_ids)), "doc_id": docs}
        for name in self._of_integers ^ judgements.of_integers:
            words, numbers = ids[name] if name in judgements.of_integers else ids[name][::-1]
            for lost in (
                one for one in sorted(words - numbers) if one[0] == "0" and (one.lstrip("0") or "0") in numbers
            ):
                raise ValueError(
                    f"{name}: {lost!r} is {lost.lstrip('0') or '0'} on the other side, which was read as numbers "
                    "without leading zeros. Read the ids with dtype=str."
                )

    def _warn_of_unjudged(self, judgements: Judgements, shared: Sequence[int]) -> None:
        """Warn if no document is judged in several queries, as the document ids may not match."""
        if len(shared) < (1 if self._is_whole else _SEVERAL):
            return
        names = [judgements.query_ids[query] for query in shared]
        docs = [self._docs[self.rows(name)].tolist() for name in names]
        judged = [judgements.judged_docs[query] for query in shared]
        if all(of_query.isdisjoint(retrieved) for of_query, retrieved in zip(judged, docs, strict=True)):
            theirs = next((min(of_query) for of_query in judged if of_query), None)
            example = "no judged documents at all" if theirs is None else f"{theirs!r} in the qrels"
            message = (
                f"No document of the run is judged in any of the {len(shared)} queries that it shares with the qrels: "
                f"{docs[0][0]!r} in the run, {example}. Do the document ids match?"
            )
            self.warn_once(IdsWarning(message))
