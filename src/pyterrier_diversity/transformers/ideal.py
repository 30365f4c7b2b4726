"""The best possible ranking by a measure, as a system to compare others with."""

import math
from typing import ClassVar, Literal

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..arithmetic import counted
from ..evaluate import DiversityEvaluator
from ..frames import QRELS_COLUMNS, Columns
from ..ideal import TIE, ByWorth
from ..io import qrels_frame
from ..judged import Judgements, Order, Ranked, View, ideal, judge
from ..measures import Adhoc, alpha_nDCG, registered
from ..measures.ad_hoc import by_label
from ..measures.base import implementation
from ..measures.composite import inside, last_rank, smallest_relevant
from ..measures.parse import read_measure
from ..parameters import TIME_LIMIT, Parameter
from .evaluate import queries_of
from .steps import Step, retrieved


class Ideal(Step):
    """Retrieve the ideal ranking of each query by a measure, to see how much better systems could be.

    Parameters
    ----------
    qrels : DataFrame, path, list or dict
        Qrels in any form that `io.read_qrels` reads. Not changed.
    measure : Measure or str
        The measure to maximise, with its own cutoff and parameters.
    ideal : {"greedy", "exact"}
        "greedy" adds, rank by rank, the document that raises the value most (ties within 1e-12: the highest id). It
        works for every measure, but may miss the best ranking, in particular if no document raises the value at the
        first ranks, as with ``SRR``. "exact" finds a ranking that is proven to be best.
    candidates : bool
        Whether to rank only documents of the given results: the most that a re-ranker of them could reach. For
        "greedy" only.
    time_limit : float
        Seconds to search for the exact ideal of each query.

    Raises
    ------
    TypeError
        If ``measure`` is neither a measure nor a name, or the qrels have another form.
    ValueError
        If a parameter is out of range, or the qrels cannot be read. With "exact": if ``candidates`` is set, or no
        proof is known for the measure (the message names those with one). Use ``Adhoc(M)`` for a bare ad-hoc measure M.
    NotProvenError
        If the time runs out before a ranking is proven to be best.

    Notes
    -----
    Q -> R, or R -> R: of results, only the queries are read, and with ``candidates`` also the documents. The ranking
    has only relevant documents, down to the measure's cutoff. For a measure without one, write ``Ideal(...) % 10``. For
    the queries of the qrels, write ``Ideal(qrels, measure)(qrels)``. A greedy ranking ends when every other document
    would lower the value, as can happen with ``RBU``, which subtracts effort. A query has no rows, and scores 0, if no
    document raises its value.

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
    0   bm25   0.523
    1  ideal   0.923

    What a re-ranker of the first 10 documents of BM25 could reach at most:

    >>> candidates = systems["bm25"].query("rank < 10")
    >>> systems = {"bm25": candidates, "best": Ideal(demo.get_qrels(), RBU @ 10, candidates=True)(candidates)}
    >>> pt.Experiment(systems, demo.get_topics(), demo.get_qrels(), [RBU @ 10], round=3)
       name  RBU@10
    0  bm25   0.523
    1  best   0.536
    """

    FIXED = frozenset({"qrels", "measure", "ideal", "candidates"})
    PARAMETERS: ClassVar[dict[str, Parameter]] = {
        "ideal": Parameter(str, "greedy", choices=("greedy", "exact")),
        "candidates": Parameter(bool, False),
        **TIME_LIMIT,
    }

    def __init__(
        self,
        qrels: pd.DataFrame,
        measure: ir_measures.Measure | str = alpha_nDCG @ 20,
        *,
        ideal: Literal["greedy", "exact"] = "greedy",
        candidates: bool = False,
        time_limit: float = 60.0,
    ) -> None:
        self.ideal, self.candidates, self.time_limit = ideal, candidates, time_limit
        self.measure = read_measure("Ideal", measure)
        self.qrels = qrels_frame(qrels)
        self._evaluator = DiversityEvaluator([self.measure], self.qrels)
        self._frame = Columns(self.qrels, QRELS_COLUMNS, "qrels").renamed()
        if self.ideal == "exact" and self.candidates:
            raise ValueError("Ideal: candidates=True needs ideal='greedy'.")
        # A bare ad-hoc measure may not read the highest label of a document.
        is_bare = implementation(self.measure) is None
        if self.ideal == "exact" and (is_bare or proven_order(self.measure)[1] is None):
            raise ValueError(
                f"Ideal: ideal='exact' needs a proof, and none is known for {self.measure}. Use ideal='greedy', or one "
                f"of {', '.join(provable())}, or Adhoc of one of these or of {', '.join(BY_LABEL)}."
            )

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the ideal ranking of each query."""
        pt.validate.columns(inp, includes=["qid", "docno"] if self.candidates else ["qid"])
        queries = queries_of(inp)
        query_ids = queries["qid"].astype(str).tolist()
        frame = self._frame[self._frame["query_id"].isin(set(query_ids))]
        depth = last_rank(self.measure)
        if self.candidates:
            ideals = self._by_trial(frame, depth, Columns(inp, ("query_id", "doc_id"), "Ideal").renamed())
        else:
            view, order = self._order(judge(frame), depth)
            ideals = self._by_trial(frame, depth) if order is None else ideal(view, order, depth)
        rankings = dict(zip(ideals.judgements.query_ids, ideals.rankings(), strict=True))
        docs = (rankings.get(query, []) for query in query_ids)
        return retrieved(queries, [dict(zip(best, range(len(best), 0, -1), strict=True)) for best in docs])

    def __repr__(self) -> str:
        """Return the measure and the kind of ideal."""
        return f"Ideal({self.measure}, ideal={self.ideal!r})"

    def _order(self, judgements: Judgements, depth: int | None) -> tuple[Judgements, Order | None]:
        """Return a view of the judgements, and the order of its documents in the ideal ranking, if that is known."""
        ours = implementation(self.measure)
        if self.ideal == "exact":
            views, order = proven_order(self.measure, depth, self.time_limit)
        else:
            views, order = ([], None) if ours is None else ([(ours.VIEW, ours.get("rel"))], ours.greedy)
        for view, rel in views:
            judgements = judgements.view(view, rel)
        return judgements, order

    def _by_trial(self, frame: pd.DataFrame, depth: int | None, given: pd.DataFrame | None = None) -> Ranked:
        """Add to each query's ranking the document that raises its value most, until every one would lower it."""
        judgements = self._evaluator.judgements
        documents = judgements.documents
        kind = _kinds(frame, judgements)
        relevant = judgements.view(rel=smallest_relevant(self.measure)).base_doc
        left = np.isin(np.arange(len(kind)), relevant) & (kind >= 0)
        if given is not None:
            left &= _pairs(judgements).isin(pd.MultiIndex.from_frame(given[["query_id", "doc_id"]]))
        ranks = np.zeros(len(left), dtype=np.int64)
        n, value = np.zeros(len(judgements), dtype=np.int64), np.zeros(len(judgements))
        longest = int(np.bincount(documents.query[left]).max(initial=0))
        places = range(longest if depth is None else min(longest, depth))
        for _ in pt.tqdm(places, desc=f"ideal rankings by {self.measure}", unit="rank", delay=2, leave=False):
            docs = np.flatnonzero(left)
            docs = docs[~pd.Series(kind[docs]).duplicated()]
            query = documents.query[docs]
            tried = self._tried(Ranked(judgements, ranks, n), docs)
            best = pd.Series(tried).groupby(query).transform("max").to_numpy()
            # The documents of a query are in descending order of their names.
            row = np.flatnonzero((tried >= best - TIE) & (best >= value[query] - TIE))
            row = row[~pd.Series(query[row]).duplicated()]
            query, docs = query[row], docs[row]
            value[query] = tried[row]
            n[query] += 1
            ranks[docs] = n[query]
            left[docs] = False
            left &= np.isin(documents.query, query)
        return Ranked(judgements, ranks, n)

    def _tried(self, ranked: Ranked, docs: np.ndarray) -> np.ndarray:
        """Return the value of each document's query if the document is added to its ranking."""
        judgements = ranked.judgements
        query = judgements.documents.query[docs]
        place = counted(np.bincount(query))
        values = np.empty(len(docs))
        for i in range(int(place.max(initial=-1)) + 1):
            row = np.flatnonzero(place == i)
            ranks, n = ranked.ranks.copy(), ranked.n.copy()
            n[query[row]] += 1
            ranks[docs[row]] = n[query[row]]
            (found,) = self._evaluator.values(Ranked(judgements, ranks, n))
            values[row] = found[query[row]]
        return values


# Measures of ir_measures that never fall when a document moves above a neighbour with a lower label.
BY_LABEL = ("AP", "Bpref", "IPrec", "P", "R", "RBP", "RR", "Rprec", "Success", "nDCG")


def proven_order(
    measure: ir_measures.Measure, depth: int | None = None, time_limit: float = math.inf
) -> tuple[list[tuple[View, float | None]], Order | None]:
    """Return the views of the qrels that a measure reads, and the proven order of its best ranking, or None."""
    ours = implementation(measure)
    if ours is None:
        # Gains of a table may fall as labels rise.
        known = measure.NAME in BY_LABEL and not hasattr(measure, "runtime_impl") and "gains" not in measure.params
        return [("ad hoc", measure.params.get("rel"))], ByWorth(by_label) if known else None
    inner = inside(ours) if ours.NAME == Adhoc.NAME else None
    if inner is None:
        return [(ours.VIEW, ours.get("rel"))], ours.best(depth, time_limit)
    views, order = proven_order(inner, depth, time_limit)
    return [("ad hoc", None), *views], order


def provable() -> list[str]:
    """Return the names of the measures with a proven order, without `IA`, `Adhoc` and `Sharp`."""
    proven = (str(measure.NAME) for measure in registered() if measure.best(None, math.inf) is not None)
    return sorted(proven, key=str.lower)


def _kinds(frame: pd.DataFrame, judgements: Judgements) -> np.ndarray:
    """Return a number for each relevant document, the same if query and rows are the same; -1 without rows."""
    read = [name for name in frame if name in {"query_id", "relevance", *judgements.columns}]
    row = frame.groupby(read, sort=False, dropna=False).ngroup()
    rows = row.groupby([frame["query_id"], frame["doc_id"]]).agg(tuple)
    kinds = pd.Series(pd.factorize(rows)[0], rows.index)
    return kinds.reindex(_pairs(judgements), fill_value=-1).to_numpy()


def _pairs(judgements: Judgements) -> pd.MultiIndex:
    """Return the query and the name of each relevant document."""
    documents = judgements.documents
    return pd.MultiIndex.from_arrays([np.array(judgements.query_ids, dtype=object)[documents.query], documents.ids])
