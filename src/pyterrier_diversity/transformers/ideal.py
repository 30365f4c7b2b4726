"""The best ranking that the judgements allow, as a system to compare with."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import partial
from typing import Any, Literal

import ir_measures
import pandas as pd
import pyterrier as pt

from ..ideal.greedy import TIE
from ..judged import judge
from ..judged.columns import numbers
from ..measures import alpha_nDCG
from ..measures.base import implementation
from ..measures.lifts import innermost, read_measure
from ..measures.optima import exact_rankings, greedy_rankings, is_provable, provable
from ..parameters import TIME_LIMIT, Parameter, Parameters, checked
from .base import Step
from .evaluate import QueryEvaluator, last_rank, queries_of

Rankings = dict[str, list[str]]

_OPTIONS: Parameters = {
    "ideal": Parameter(
        str, choices=("greedy", "exact"), desc="the best document at each rank, or the proven best ranking"
    ),
    "num_results": Parameter(int, interval="[1, inf)", desc="most documents of a ranking"),
    **TIME_LIMIT,
}


class Ideal(Step):
    """Rank the judged documents as well as a measure allows: the headroom, as a system of an experiment.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names, as the measures take them. Not changed.
    measure : Measure or str
        The measure to be best by, with its own cutoff and parameters.
    ideal : {"greedy", "exact"}
        "greedy" takes the document that raises the value most, rank by rank; of those within 1e-12 the one of the
        highest name. It serves every measure that ir_measures can compute, and need not find the best: at the first
        ranks it is blind where nothing raises the value, as by ``SRR``. "exact" is proven to be the best.
    num_results : int, optional
        Most documents for a query; the measure's cutoff if omitted or larger.
    time_limit : float
        Seconds to search for the exact ideal at the most, for each query.

    Raises
    ------
    ValueError
        If a parameter is out of range, or the qrels cannot be read. With "exact", if there is no proof for the measure,
        in which case the message names those that there is one for; or if a bare ad-hoc measure is to be best by, and
        the last row of a document, which it reads, has not the document's highest label.
    NotProvenError
        If the time is over before a ranking is proven to be the best.

    Notes
    -----
    Q -> R (or R -> R, of which only the queries count). A query that has no relevant document, or none worth reading,
    has no rows, and so scores 0. The ranking holds relevant documents only. The greedy one ends where every document
    left would lower the value, as by the effort of ``RBU``.

    Proven are the measures of one discounted novelty gain (``alpha_DCG``, ``ERR_IA``, ``NRBP`` and their normalised
    forms, by branch and bound), what covers intents (``StRecall``, ``SRR``, ``StRecallMinRank`` and, where a query's
    intents weigh the same, ``Coverage``, by set covers), and those whose best ranking goes by the worth of documents
    each by itself: by label (``Adhoc(M)`` of the usual ad-hoc measures, ``ERR``, ``Q``, ``Pplus``), by global gain
    (``D_nDCG``, ``D_Q``) or by intents (``nP_IA``).

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

    schematic = {"label": "Ideal"}
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
        self._evaluator = QueryEvaluator("Ideal", qrels, [self.measure])
        if self.ideal == "exact" and not is_provable(self.measure):
            served = ", ".join(provable())
            raise ValueError(
                f"Ideal: no proof is known for {self.measure}; ideal='exact' serves {served}, and Adhoc of them. Use "
                "ideal='greedy'."
            )
        if self.ideal == "exact" and implementation(self.measure) is None:
            _check_last_rows(self._evaluator.qrels, self.measure)

    def __reduce__(self) -> tuple[Any, ...]:
        """Read the qrels again in another process: not every provider's evaluator can be sent there."""
        options = {"ideal": self.ideal, "num_results": self.num_results, "time_limit": self.time_limit}
        return partial(type(self), **options), (self.qrels, self.measure)

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
        frame = self._evaluator.qrels
        frame = frame[frame["query_id"].isin(query_ids)]
        cutoff = last_rank(self.measure)
        depth = min((limit for limit in (cutoff, self.num_results) if limit is not None), default=None)
        judgements = judge(frame)
        rankings = (
            exact_rankings(self.measure, judgements, depth, self.time_limit)
            if self.ideal == "exact"
            else greedy_rankings(self.measure, judgements, depth)
        )
        if rankings is None:
            return self._by_trial(frame, depth)
        return dict(zip(judgements.query_ids, rankings, strict=True))

    def _by_trial(self, frame: pd.DataFrame, depth: int | None) -> Rankings:
        """Lengthen each query's ranking by the document that raises its value most, again and again."""
        rel = innermost(self.measure).params.get("rel", 0)
        growing = {query: _Growing(kinds) for query, kinds in _kinds(frame, rel).items()}
        longest = max((ranking.n_left for ranking in growing.values()), default=0)
        ranks = range(longest if depth is None else min(longest, depth))
        left = list(growing)
        for rank in pt.tqdm(ranks, desc=f"ideal rankings by {self.measure}", unit="rank", delay=2, leave=False):
            values = self._try({query: growing[query] for query in left}, quiet=rank > 0)
            left = [query for query in left if growing[query].grow(values[query])]
            if not left:
                break
        return {query: ranking.docs for query, ranking in growing.items()}

    def _try(self, growing: dict[str, _Growing], *, quiet: bool) -> dict[str, dict[str, float]]:
        """Return the value of each query's ranking with each of the candidates at its end."""
        candidates = {query: ranking.candidates for query, ranking in growing.items()}
        values: dict[str, dict[str, float]] = {query: {} for query in growing}
        for i in range(max(map(len, candidates.values()), default=0)):
            tried = {query: docs[i] for query, docs in candidates.items() if i < len(docs)}
            run = {query: scored([*growing[query].docs, doc]) for query, doc in tried.items()}
            found = self._evaluator.values(run, quiet=quiet or i > 0)
            for query, doc in tried.items():
                values[query][doc] = found[query][self.measure]
        return values


def _check_last_rows(frame: pd.DataFrame, measure: ir_measures.Measure) -> None:
    """Refuse qrels of which a bare ad-hoc measure reads a row that has not the document's highest label."""
    label = frame.assign(label=numbers(frame, "relevance", "qrels")).groupby(["query_id", "doc_id"])["label"]
    hidden = label.last().index[label.last() < label.max()]
    if len(hidden):
        query, doc = hidden[0]
        raise ValueError(
            f"Ideal: {measure} reads the last row of each document, but that of document {doc!r} of query {query!r} "
            f"has not its highest label ({len(hidden)} such documents in all); use Adhoc({measure})."
        )


class _Growing:
    """A ranking that grows, and the documents left: those of a kind together, ascending by name."""

    def __init__(self, kinds: list[list[str]]) -> None:
        self.docs: list[str] = []
        self._value = 0.0
        self._kinds = kinds

    @property
    def n_left(self) -> int:
        """The number of documents left."""
        return sum(map(len, self._kinds))

    @property
    def candidates(self) -> list[str]:
        """One document of each kind."""
        return [kind[-1] for kind in self._kinds]

    def grow(self, values: dict[str, float]) -> bool:
        """Take the best of the candidates; return False if each of them would lower the value, or none is left."""
        best = max(values.values(), default=-math.inf)
        if best < self._value - TIE:
            return False
        self.docs.append(max(doc for doc, value in values.items() if value >= best - TIE))
        self._value = values[self.docs[-1]]
        self._kinds = [kind[:-1] if kind[-1] == self.docs[-1] else kind for kind in self._kinds]
        self._kinds = [kind for kind in self._kinds if kind]
        return True


def _kinds(frame: pd.DataFrame, rel: float) -> dict[str, list[list[str]]]:
    """Return each query's relevant documents, those with the same rows together, ascending by name."""
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
