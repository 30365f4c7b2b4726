"""Fuse the rankings of a query's subtopics into one."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import KW_ONLY, dataclass
from typing import Literal, get_args

import pandas as pd
import pyterrier as pt

from ..frames import warn_user
from ..parameters import Parameter
from .intent_scores import OnSubtopics
from .steps import NUM_RESULTS, Step, candidates, retrieved

FusionMethod = Literal["reciprocal-rank", "round-robin"]

_METHOD = Parameter(str, "reciprocal-rank", choices=get_args(FusionMethod))
_K = Parameter(float, 60, interval="[0, 1e100]")

# The rankings of a query with their weights, whose mean is 1.
_Rankings = list[tuple[float, list[str]]]


@dataclass(eq=False, repr=False)
class FuseSubtopics(Step):
    r"""Retrieve documents for each subtopic of a query and fuse the rankings, like the query fan-out of RAG systems.

    Parameters
    ----------
    pipeline : pt.Transformer
        A retriever, called with the text of each subtopic.
    subtopics : DataFrame
        Columns ``qid``, ``iteration``, ``query`` (the text of the subtopic) and optionally ``weight``, as in
        `OnSubtopics`. To search for the original query too, add it as a row. Not changed.
    method : {"reciprocal-rank", "round-robin"}
        "reciprocal-rank" sums weighted reciprocal ranks. "round-robin" takes the best remaining document of each
        subtopic in turn, by descending weight and then in the order of the rows.
    k : float >= 0
        For "reciprocal-rank": smoothing; with a larger k, the first ranks count less.
    num_results : int >= 1
        How many documents to retrieve for a query.

    Raises
    ------
    ValueError
        As in `OnSubtopics`, or if a parameter is out of range. When used: if the ranking of a subtopic has a document
        twice or a score that is not finite.

    Warns
    -----
    UserWarning
        If queries retrieve nothing, because they have no subtopics.

    Notes
    -----
    Q -> R. The score of "reciprocal-rank" is :math:`\sum_s n w_s / (k + r_s(d))` over the subtopics that retrieve d, at
    rank :math:`r_s(d)` from 1. The weights :math:`w_s` of the n subtopics sum to 1; uniform weights give the formula of
    the paper. Ties are broken by descending docno. The scores of "round-robin" count down to 1.

    References
    ----------
    Cormack, Clarke, Büttcher (2009). Reciprocal rank fusion outperforms Condorcet and individual rank learning methods.
    SIGIR, 758-759. https://doi.org/10.1145/1571941.1572114

    Examples
    --------
    >>> from pyterrier_diversity.transformers import BM25
    >>> texts = {"d1": "The big cat.", "d2": "A small cat and a car.", "d3": "An old car."}
    >>> scorer = BM25([{"docno": docno, "text": text} for docno, text in texts.items()])
    >>> subtopics = pd.DataFrame({"qid": ["q", "q"], "iteration": ["1", "2"], "query": ["big cat", "old car"]})
    >>> fused = FuseSubtopics(scorer, subtopics)(pd.DataFrame({"qid": ["q"], "query": ["jaguar"]}))
    >>> fused[["docno", "score", "rank"]].round(4)
      docno   score  rank
    0    d2  0.0323     0
    1    d3  0.0164     1
    2    d1  0.0164     2
    """

    LABEL = "FuseSubtopics"
    PAPER = "https://doi.org/10.1145/1571941.1572114"
    PARAMETERS = {"method": _METHOD, "k": _K, "num_results": NUM_RESULTS}

    pipeline: pt.Transformer
    subtopics: pd.DataFrame
    _: KW_ONLY
    method: FusionMethod = "reciprocal-rank"
    k: float = 60
    num_results: int = 1000

    def __post_init__(self) -> None:
        """Raise an error if the subtopics cannot be read."""
        OnSubtopics(self.pipeline, self.subtopics)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return documents for the queries, with all columns of the queries."""
        pt.validate.query_frame(inp, context=self)
        found = OnSubtopics(self.pipeline, self.subtopics)(inp)
        place = self.subtopics["iteration"].astype(str).drop_duplicates().tolist().index
        order = found["iteration"].map(place)
        found = found.assign(order=order).sort_values(["weight", "order"], ascending=[False, True], kind="stable")
        n_subtopics = self.subtopics["qid"].astype(str).value_counts()
        rankings: defaultdict[str, _Rankings] = defaultdict(list)
        for one in candidates(found.assign(qid=found["qid"] + "." + found["iteration"]), "FuseSubtopics"):
            qid, weight = found[["qid", "weight"]].iloc[one.rows[0]]
            rankings[qid].append((int(n_subtopics[qid]) * float(weight), one.docs.tolist()))
        fuse = self._by_reciprocal_rank if self.method == "reciprocal-rank" else _in_turn
        qids, fused = inp["qid"].astype(str), []
        for qid in qids:
            scores = fuse(rankings[qid])
            best = sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True)[: self.num_results]
            fused.append({doc: scores[doc] for doc in best})
        n_unknown = int((~qids.isin(n_subtopics.index)).sum())
        if n_unknown:
            warn_user(f"FuseSubtopics: {n_unknown} of {len(inp)} queries have no subtopics and retrieve nothing.")
        return retrieved(inp, fused)

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        """Return a step that retrieves ``k`` documents for a query; None if this one retrieves no more."""
        return self.at_most("num_results", k)

    def _by_reciprocal_rank(self, rankings: _Rankings) -> dict[str, float]:
        scores: dict[str, float] = {}
        for weight, docs in rankings:
            for rank, doc in enumerate(docs, start=1):
                scores[doc] = scores.get(doc, 0.0) + weight / (self.k + rank)
        return scores

    def __repr__(self) -> str:
        """Return the pipeline and how rankings are fused."""
        return f"FuseSubtopics({self.pipeline!r}, method={self.method!r}, k={self.k!r})"


def _in_turn(rankings: _Rankings) -> dict[str, float]:
    """Take the best document left of each ranking in turn, and return scores that fall in this order."""
    taken: dict[str, None] = {}
    left = [deque(docs) for _, docs in rankings]
    while any(left):
        for docs in left:
            while docs and docs[0] in taken:
                docs.popleft()
            if docs:
                taken[docs.popleft()] = None
    return {doc: float(len(taken) - at) for at, doc in enumerate(taken)}
