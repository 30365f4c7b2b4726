"""The best possible ranking by a measure, as a system to compare others with."""

from __future__ import annotations

import math
from collections import defaultdict
from operator import itemgetter
from typing import Any, Literal

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..ideal import TIE, ByWorth
from ..judged import QRELS_COLUMNS, Judgements, Order, Retrieved, ideal, judge, numbers, with_string_ids
from ..measures import Adhoc, DiversityMeasure, alpha_nDCG, registered
from ..measures.base import implementation
from ..measures.composite import inside, last_rank, smallest_relevant
from ..measures.err import by_label
from ..measures.parse import read_measure
from ..parameters import TIME_LIMIT, Parameter, Parameters, checked
from .evaluate import evaluator_of, queries_of
from .steps import Step

Rankings = dict[str, list[str]]

_OPTIONS: Parameters = {
    "ideal": Parameter(
        str, choices=("greedy", "exact"), desc="the best document at each rank, or the proven best ranking"
    ),
    "num_results": Parameter(int, interval="[1, inf)", desc="largest number of documents for a query"),
    **TIME_LIMIT,
}


class Ideal(Step):
    """Retrieve the ideal ranking of each query by a measure, to see how much better systems could be.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' column names.
    measure : Measure or str
        The measure to maximise, with its own cutoff and parameters.
    ideal : {"greedy", "exact"}
        "greedy" adds, rank by rank, the document that raises the value most (ties within 1e-12: the highest id). It
        works for every measure, but may miss the best ranking, in particular if no document raises the value at the
        first ranks, as with ``SRR``. "exact" finds a ranking that is proven to be best.
    num_results : int, optional
        Largest number of documents for a query; by default, and at most, the measure's cutoff.
    time_limit : float
        Seconds to search for the exact ideal of each query.

    Raises
    ------
    ValueError
        If a parameter is out of range, or the qrels cannot be read. With "exact": if no proof is known for the measure
        (the message names those with one), or a bare ad-hoc measure would not read a document's highest label; use
        ``Adhoc(M)``.
    NotProvenError
        If the time runs out before a ranking is proven to be best.

    Notes
    -----
    Q -> R, or R -> R, where only the queries are read. The ranking has only relevant documents. A greedy ranking ends
    when every other document would lower the value, as the effort of ``RBU`` does. A query has no rows, and scores 0,
    if no document raises its value.

    "exact" is available for:

    - measures of discounted novelty, by branch and bound: ``alpha_DCG``, ``ERR_IA``, ``NRBP`` and their normalised
      forms;
    - measures that cover intents, by set cover: ``StRecall``, ``SRR``, ``StRecallMinRank`` and, if all intents of a
      query have the same weight, ``Coverage``;
    - measures whose best ranking sorts the documents: by label for ``Adhoc(M)`` of the usual ad-hoc measures, ``ERR``,
      ``Q`` and ``Pplus``, by global gain for ``D_nDCG`` and ``D_Q``, and by the weight of their intents for ``nP_IA``.

    Examples
    --------
    >>> from pyterrier_diversity import RBU
    >>> demo = pt.get_dataset("diversity:demo")
    >>> systems = {"bm25": demo.get_results("bm25"), "ideal": Ideal(demo.get_qrels(), RBU @ 10)}
    >>> pt.Experiment(systems, demo.get_topics(), demo.get_qrels(), [RBU @ 10], round=3)
        name  RBU@10
    0   bm25   0.059
    1  ideal   0.626
    """

    LABEL = "Ideal"
    FIXED = frozenset({"qrels", "measure", "ideal"})

    def __init__(
        self,
        qrels: pd.DataFrame,
        measure: ir_measures.Measure | str = alpha_nDCG @ 20,
        *,
        ideal: Literal["greedy", "exact"] = "greedy",
        num_results: int | None = None,
        time_limit: float = 60.0,
    ) -> None:
        options = checked("Ideal", _OPTIONS, ideal=ideal, num_results=num_results, time_limit=time_limit)
        self.ideal, self.num_results, self.time_limit = options.values()
        self.measure = read_measure("Ideal", measure)
        self.qrels = qrels
        self._evaluator = evaluator_of("Ideal", self.measure, qrels)
        self._frame = with_string_ids(qrels, QRELS_COLUMNS, "qrels")
        if self.ideal == "exact" and not is_provable(self.measure):
            served = ", ".join(provable())
            raise ValueError(
                f"Ideal: ideal='exact' is not available without a proof, and none is known for {self.measure}. Use "
                f"ideal='greedy', or one of {served}, or Adhoc of one."
            )
        if self.ideal == "exact" and implementation(self.measure) is None:
            _check_last_rows(self._frame, self.measure)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the ideal ranking of each query."""
        pt.validate.columns(inp, includes=["qid"])
        queries = queries_of(inp)
        query_ids = queries["qid"].astype(str).tolist()
        rankings = self._rankings(set(query_ids))
        rows = [
            (row, doc, score)
            for row, query in enumerate(query_ids)
            for doc, score in scored(rankings.get(query, [])).items()
        ]
        ranked = pd.DataFrame(rows, columns=["row", "docno", "score"]).astype({"row": int, "score": float})
        results = queries.iloc[ranked["row"]].reset_index(drop=True)
        return pt.model.add_ranks(results.assign(docno=ranked["docno"], score=ranked["score"]))

    def __repr__(self) -> str:
        """Return the measure and the kind of ideal."""
        return f"Ideal({self.measure}, ideal={self.ideal!r})"

    def _rankings(self, query_ids: set[str]) -> Rankings:
        """Return the ideal ranking of each of these queries that has judgements."""
        frame = self._frame[self._frame["query_id"].isin(query_ids)]
        cutoff = last_rank(self.measure)
        depth = min((limit for limit in (cutoff, self.num_results) if limit is not None), default=None)
        view, order = self._order(self.measure, judge(frame), depth)
        if order is None:
            return self._by_trial(frame, depth)
        return dict(zip(view.query_ids, ideal(view, order, depth).retrieved.rankings(), strict=True))

    def _order(
        self, measure: ir_measures.Measure, judgements: Judgements, depth: int | None
    ) -> tuple[Judgements, Order | None]:
        """Return a view of the judgements, and the order of its documents in the ideal ranking."""
        ours = implementation(measure)
        if ours is None:
            by_worth = ByWorth(by_label) if self.ideal == "exact" else None
            return judgements.view("ad hoc", measure.params.get("rel")), by_worth
        inner = inside(ours)
        if inner is not None and ours.NAME == Adhoc.NAME and self.ideal == "exact":
            return self._order(inner, judgements.view("ad hoc"), depth)
        order = ours.best(depth, self.time_limit) if self.ideal == "exact" else ours.greedy
        return judgements.view(ours.VIEW, ours.get("rel")), order

    def _by_trial(self, frame: pd.DataFrame, depth: int | None) -> Rankings:
        """Add to each query's ranking the document that raises its value most, until none raises it."""
        judgements = self._evaluator.judgements
        kinds = _kinds(frame[_counts(frame)], smallest_relevant(self.measure) or 0)
        index = judgements.query_index
        growing = {
            index[query]: _Growing(of_query, judgements.relevant_docs[index[query]])
            for query, of_query in kinds.items()
        }
        longest = max((ranking.n_left for ranking in growing.values()), default=0)
        ranks = range(longest if depth is None else min(longest, depth))
        left = list(growing)
        taken = Retrieved(
            judgements,
            np.zeros(len(judgements.documents.ids), dtype=np.int64),
            np.zeros(len(judgements), dtype=np.int64),
        )
        for _ in pt.tqdm(ranks, desc=f"ideal rankings by {self.measure}", unit="rank", delay=2, leave=False):
            values = self._try({query: growing[query].candidates for query in left}, taken)
            left = [query for query in left if growing[query].grow(values[query])]
            if not left:
                break
            for query in left:
                taken.n[query] += 1
                taken.ranks[growing[query].last] = taken.n[query]
        return {judgements.query_ids[query]: ranking.docs for query, ranking in growing.items()}

    def _try(self, candidates: dict[int, list[int]], taken: Retrieved) -> dict[int, dict[int, float]]:
        """Return the value of each query's ranking after adding each candidate."""
        values: dict[int, dict[int, float]] = {query: {} for query in candidates}
        for i in range(max(map(len, candidates.values()), default=0)):
            tried = {query: docs[i] for query, docs in candidates.items() if i < len(docs)}
            queries, docs = list(tried), list(tried.values())
            ranks, n = taken.ranks.copy(), taken.n.copy()
            n[queries] += 1
            ranks[docs] = n[queries]
            found = self._evaluator.values(Retrieved(taken.judgements, ranks, n))[self.measure]
            for query, doc in tried.items():
                values[query][doc] = found[query]
        return values


# Measures of ir_measures that never fall when a document moves above a neighbour with a lower label.
BY_LABEL = ("AP", "Bpref", "IPrec", "P", "R", "RBP", "RR", "Rprec", "Success", "nDCG")


def is_provable(measure: ir_measures.Measure) -> bool:
    """Tell whether a ranking can be proven to be the best by a measure."""
    ours = implementation(measure)
    if ours is None:
        return measure.NAME in BY_LABEL and not hasattr(measure, "runtime_impl") and _grows_with_label(measure)
    inner = inside(ours)
    if inner is not None:
        return ours.NAME == Adhoc.NAME and is_provable(inner)
    return _has_proof(ours)


def provable() -> list[str]:
    """Return the names of the measures for which `is_provable` is true, without `IA`, `Adhoc` and `Sharp`."""
    return sorted([*(str(measure.NAME) for measure in registered() if _has_proof(measure)), *BY_LABEL], key=str.lower)


def _has_proof(measure: DiversityMeasure) -> bool:
    return measure.best(None, math.inf) is not None


def _grows_with_label(measure: ir_measures.Measure) -> bool:
    """Tell whether only labels above 0 have a gain, and gains never fall as labels rise."""
    return "gains" not in measure.params and measure.params.get("rel", 1) > 0


def _check_last_rows(frame: pd.DataFrame, measure: ir_measures.Measure) -> None:
    """Raise if a bare ad-hoc measure, which reads only the last row of a document, would miss its highest label."""
    label = frame.assign(label=numbers(frame, "relevance", "qrels")).groupby(["query_id", "doc_id"])["label"]
    hidden = label.last().index[label.last() < label.max()]
    if len(hidden):
        query, doc = hidden[0]
        raise ValueError(
            f"Ideal: {measure} reads only the last row of each document, and would miss the highest label of document "
            f"{doc!r} of query {query!r} ({len(hidden)} such documents in all). Use Adhoc({measure})."
        )


class _Growing:
    """A ranking that grows, and the documents left. Documents with the same labels are of one kind."""

    def __init__(self, kinds: list[list[str]], index: dict[str, int]) -> None:
        self.docs: list[str] = []
        self.last = -1
        self._value = 0.0
        self._kinds = kinds
        self._index = index

    @property
    def n_left(self) -> int:
        """The number of documents left."""
        return sum(map(len, self._kinds))

    @property
    def candidates(self) -> list[int]:
        """One document of each kind."""
        return [self._index[kind[-1]] for kind in self._kinds]

    def grow(self, values: dict[int, float]) -> bool:
        """Add the best candidate; return False if every candidate would lower the value, or there are none."""
        best = max(values.values(), default=-math.inf)
        if best < self._value - TIE:
            return False
        kind = max((kind for kind in self._kinds if values[self._index[kind[-1]]] >= best - TIE), key=itemgetter(-1))
        self.docs.append(kind.pop())
        self.last = self._index[self.docs[-1]]
        self._value = values[self.last]
        self._kinds = [kind for kind in self._kinds if kind]
        return True


def _counts(frame: pd.DataFrame) -> np.ndarray:
    """Tell for each row whether its intent has a weight above 0; other rows are dropped when qrels are read."""
    return numbers(frame, "weight", "qrels") > 0 if "weight" in frame else np.ones(len(frame), dtype=bool)


def _kinds(frame: pd.DataFrame, rel: float) -> dict[str, list[list[str]]]:
    """Return each query's relevant documents, grouped by equal rows, ascending by id."""
    columns: list[Any] = ["query_id", "doc_id", "relevance"]
    columns += [name for name in frame if name not in columns]
    rows: dict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)
    for query, doc, *row in frame[columns].itertuples(index=False):
        rows[query, doc].append(tuple(row))
    kinds: dict[str, dict[tuple[Any, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for query, doc in sorted(rows):
        of_document = rows[query, doc]
        if any(label > 0 and label >= rel for label, *_ in of_document):
            kinds[query][tuple(of_document)].append(doc)
    return {query: list(of_query.values()) for query, of_query in kinds.items()}


def scored(docs: list[str]) -> dict[str, float]:
    """Return documents, best first, with scores n, n - 1, ..., 1."""
    return {doc: float(len(docs) - place) for place, doc in enumerate(docs)}
