"""Read a run into rankings, in the same order for all measures."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain, count, pairwise, repeat, starmap

import numpy as np
import pandas as pd

from ..arithmetic import counted
from ..frames.columns import RUN_COLUMNS, Columns
from ..frames.doubts import Doubts
from ..frames.order import in_order
from ..frames.strings import Strings, heads, places, repeated
from ..frames.warned import warn
from ..warnings import DataWarning
from .judgements import Judgements
from .sessions import Sessions

# A problem of this many queries of a batch, such as no judged documents, probably affects the whole run.
_SEVERAL = 5

# How many rows to look up at a time, of whole queries: small arrays are fast.
_ROWS_AT_A_TIME = 2**14

# With more words, the cost of reading could be infinite.
_MOST_WORDS = 1e100

# Ranks of the relevant documents, and how many documents of each query of the run were looked up, without repeats.
_Found = tuple[np.ndarray, np.ndarray]

# No ranking is longer, and a larger number would not fit into an array.
LARGEST_RANK = 2**62

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
    doubts : Doubts, optional
        What may be wrong is added to these instead of warned of. By default, the run may be a batch of queries, which
        by chance have no judged document.

    Attributes
    ----------
    query_ids : list of str
        The queries that have documents.
    sessions : Sessions or None
        The ranks and turns of sessions; None if the run has no column ``turn``.
    query, turn, tie : ndarray, shape (rows,)
        For each row, in ranking order: the place of its query in ``query_ids``, the same number for a query and turn,
        and, within these, for documents that tie.
    doc_len : ndarray or None
        The number of words of each row's document; NaN if unknown.

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

    def __init__(self, run: pd.DataFrame, *, doubts: Doubts | None = None) -> None:
        columns = Columns(run, RUN_COLUMNS, "run")
        ordered = in_order(columns)
        order = slice(None) if ordered.rows is None else ordered.rows
        self.tie = columns.numbers("tie")[order] if "tie" in columns else ordered.score
        self.doc_len: np.ndarray | None = None
        if "doc_len" in columns:
            self.doc_len = columns.numbers("doc_len", most=_MOST_WORDS, may_be_missing=True)[order]
        self.query_ids: list[str] = ordered.query.names.tolist()
        self.query, self.turn = ordered.query.codes, ordered.key
        self.sessions = Sessions(self.query, self.turn) if ordered.has_turns else None
        self._given, self._order = ordered.docs, ordered.rows
        self._size, self._of_integers = ordered.size, columns.of_integers
        self._start = self._size.cumsum() - self._size
        self._warned: set[str] = set()
        self._doubts = doubts
        found = doubts or Doubts(_SEVERAL)
        ordered.add_odd(found)
        self._tell(found)

    @cached_property
    def docs(self) -> Strings:
        """The document of each row."""
        return self._given if self._order is None else self._given.take(self._order)

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
        of = places(self.query_ids, repeat(judgements.query_index))
        last = self._size
        if self.sessions is None:
            deepest = LARGEST_RANK if depth is None else min(depth, LARGEST_RANK)
            last = np.where(of < 0, 0, np.minimum(self._size, deepest))
        found = None if isinstance(self._given, np.ndarray) else self._in_arrow(judgements, of, last)
        ranks, size = self._in_dicts(judgements, of, last) if found is None else found
        n = np.zeros(len(judgements) + 1, dtype=np.int64)
        n[of] = size if self.sessions is None else self.sessions.rank[self._start + size - 1]
        n = n[:-1]  # the last is for queries that are not judged
        doubts = self._doubts or Doubts(_SEVERAL)
        self._add_queries(doubts, judgements.query_ids, of, size is not last)
        doubts.is_judged |= bool(ranks.any())
        if not doubts.is_judged and np.count_nonzero(n) >= doubts.fewest:
            self._add_unjudged(doubts, judgements, np.flatnonzero(n).tolist())
        self._tell(doubts)
        if self._of_integers != judgements.of_integers:
            self._refuse_lost_zeros(judgements)
        return ranks, n

    def _in_dicts(self, judgements: Judgements, of: np.ndarray, size: np.ndarray) -> _Found:
        """Find documents by dicts; the sizes are others if documents repeat."""
        rows, n = map(slice, self._start.tolist(), (self._start + size).tolist()), size.sum()
        rankings = list(map(self.docs.tolist().__getitem__, rows))
        if self.sessions is None and n > len(judgements.documents.ids):
            # Fewer look-ups: of the relevant documents among those of the run.
            ranks: list[int] = []
            n_distinct, from_1 = 0, list(range(1, size.max() + 1))
            known = [judgements.places_of_docs[query] for query in of[of >= 0].tolist()]
            for docs, places_of_docs in zip(filter(None, rankings), known, strict=True):
                at = dict(zip(docs, from_1, strict=False))
                n_distinct += len(at)
                ranks += map(at.get, places_of_docs, repeat(0))
            if n_distinct == n:
                return judgements.ranks(list(chain.from_iterable(map(dict.values, known))), np.array(ranks)), size
        if self.sessions is None and sum(map(len, map(set, rankings))) < n:
            # A document has its best rank; its repeats take up none.
            rankings = list(map(self.ranking, self.query_ids))
            size = np.array(list(map(len, rankings)), dtype=np.int64)
        # The last dict is for queries that are not judged.
        index = map([*judgements.places_of_docs, {}].__getitem__, of.tolist())
        doc = places(chain.from_iterable(rankings), chain.from_iterable(map(repeat, index, size.tolist())))
        return judgements.ranks(doc, counted(size) + 1 if self.sessions is None else self.sessions.rank), size

    def _in_arrow(self, judgements: Judgements, of: np.ndarray, last: np.ndarray) -> _Found | None:
        """Find documents by fingerprints, or return None if they may repeat."""
        judged = np.flatnonzero(of >= 0)
        query, start, size = of[judged], self._start[judged], last[judged]
        n_relevant = judgements.n_relevant_docs[query]
        first = (np.cumsum(judgements.n_relevant_docs) - judgements.n_relevant_docs)[query]
        ranks = np.zeros(len(judgements.documents.ids), dtype=np.int64)
        # Ranges of queries with about `_ROWS_AT_A_TIME` rows each.
        for part in starmap(slice, pairwise([*heads(np.cumsum(size) // _ROWS_AT_A_TIME).tolist(), len(size)])):
            place = counted(size[part])
            rows = np.repeat(start[part], size[part]) + place
            relevant = np.repeat(first[part], n_relevant[part]) + counted(n_relevant[part])
            if self._order is None and rows[-1] - rows[0] + 1 == len(rows):  # needs no copy
                docs = self._given[rows[0] : rows[-1] + 1]
            else:
                docs = self._given.take(rows if self._order is None else self._order[rows])
            found = judgements.pairs.find(relevant, np.repeat(query[part], size[part]), docs)
            if found is None:
                return None
            row, doc = found
            ranks[doc] = place[row] + 1 if self.sessions is None else self.sessions.rank[rows[row]]
        return ranks, last

    def ranking(self, query_id: str, depth: int | None = None) -> list[str]:
        """Return the documents of a query, best first, down to a depth, or an empty list."""
        rows = self.rows(query_id)
        documents: list[str] = self.docs[rows].tolist()
        if self.sessions is None:
            return list(dict.fromkeys(documents))[:depth]
        # Turns without documents and repeats get made-up names.
        ranks = self.sessions.rank[rows].tolist()
        first = dict(zip(reversed(documents), reversed(ranks), strict=True))
        at = {rank: doc for doc, rank in first.items()}
        return [at.get(rank, f"{_NOBODY}{rank}") for rank in range(1, max(ranks, default=0) + 1)[:depth]]

    def rankings(self, query_ids: Sequence[str], depth: int | None = None) -> list[list[str]]:
        """Return the documents of each query, best first, down to a depth, with the warnings of `find`."""
        of = places(self.query_ids, repeat(dict(zip(query_ids, count()))))
        doubts = self._doubts or Doubts(_SEVERAL)
        self._add_queries(doubts, query_ids, of, bool(self.repeats.any()))
        self._tell(doubts)
        return [self.ranking(query_id, depth) for query_id in query_ids]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {query_id: query for query, query_id in enumerate(self.query_ids)}

    def rows(self, query_id: str) -> slice:
        """Return the rows of a query, in ranking order."""
        query = self._index.get(query_id)
        return slice(0) if query is None else slice(self._start[query], self._start[query] + self._size[query])

    @cached_property
    def repeats(self) -> np.ndarray:
        """Whether each row repeats a document of its query."""
        return repeated(self.query, self.docs)

    def places(self, query_ids: Sequence[str]) -> np.ndarray:
        """Return the place of each query among those of the run, or -1."""
        return places(query_ids, repeat(self._index))

    def warn_once(self, warning: DataWarning) -> None:
        """Give a warning about this run once."""
        if str(warning) not in self._warned:
            warn(warning)
            self._warned.add(str(warning))

    def _tell(self, doubts: Doubts) -> None:
        """Warn of doubts at once, if they are not added up over the whole run."""
        for warning in doubts.warnings() if self._doubts is None else ():
            self.warn_once(warning)

    def _add_queries(self, doubts: Doubts, query_ids: Sequence[str], of: np.ndarray, has_repeats: bool) -> None:
        """Add repeated documents, and whether the run has a query of ``query_ids``.

        Parameters
        ----------
        of : ndarray of int
            The place of each query of the run in ``query_ids``, or -1.
        """
        doubts.is_shared |= bool((of >= 0).any())
        if not doubts.is_shared:
            doubts.add("run", len(self), "".join(map(repr, self.query_ids[:1])))
            doubts.add("qrels", len(query_ids), "".join(map(repr, query_ids[:1])))
        again = np.flatnonzero(self.repeats & (of >= 0)[self.query]) if has_repeats and self.sessions is None else ()
        if len(again):
            row = again[of[self.query[again]].argmin()]
            doc, query = str(self.docs[row]), self.query[row]
            doubts.add("repeated", len(again), f"{doc!r} in query {self.query_ids[query]!r}", int(of[query]))

    def _refuse_lost_zeros(self, judgements: Judgements) -> None:
        """Raise a ``ValueError`` if ids that were read as numbers on one side have leading zeros on the other."""
        docs = set(self.docs.tolist()), set().union(*judgements.judged_docs)
        ids = {"query_id": (set(self.query_ids), set(judgements.query_ids)), "doc_id": docs}
        for name in self._of_integers ^ judgements.of_integers:
            words, numbers = ids[name] if name in judgements.of_integers else ids[name][::-1]
            lost_zeros = {one for one in words - numbers if one[:1] == "0" and (one.lstrip("0") or "0") in numbers}
            for lost in sorted(lost_zeros)[:1]:
                raise ValueError(
                    f"{name}: {lost!r} is {lost.lstrip('0') or '0'} on the other side, which was read as numbers "
                    "without leading zeros. Read the ids with dtype=str."
                )

    def _add_unjudged(self, doubts: Doubts, judgements: Judgements, shared: Sequence[int]) -> None:
        """Add queries if none of their documents is judged, as the document ids may not match."""
        docs = [self.docs[self.rows(judgements.query_ids[query])].tolist() for query in shared]
        judged = [judgements.judged_docs[query] for query in shared]
        doubts.is_judged = not all(map(set.isdisjoint, judged, docs))
        doubts.add("unjudged", len(shared), repr(docs[0][0]), shared[0])
        for query, of_query in zip(shared, judged, strict=True):
            doubts.add("judged", len(of_query), repr(min(of_query, default="")), query)
