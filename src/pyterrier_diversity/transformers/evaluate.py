"""Evaluate rankings at the end of a pipeline, and explain how much each document contributes to a measure, and why."""

from collections.abc import Hashable
from itertools import repeat
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..evaluate import DiversityEvaluator, intents_by_rank
from ..frames import RUN_COLUMNS, Columns, places, warn
from ..io import qrels_frame, texts_of, texts_of_queries
from ..judged import Ranked, Run, take
from ..measures.base import parts_of
from ..measures.composite import innermost, last_rank
from ..measures.groups import Measures, read_measures
from ..measures.parse import read_measure
from ..progress import progress
from ..warnings import MissingWarning
from .steps import Step, check_columns, in_ranking_order


class Evaluate(Step):
    """Evaluate the ranking of each query, with a column for each measure.

    The values are those of ``pt.Experiment(..., perquery=True)``, except that all measures see tied documents in the
    same order. The qrels are read only once.

    Parameters
    ----------
    qrels : DataFrame, path, list or dict
        Qrels in any form that `io.read_qrels` reads. Not changed.
    measures : Measure or str, or iterable of them
        Measures such as ``RBU @ 20``, or strings such as ``"RBU@20 NDEVAL"``, which may name several measures and
        groups.

    Raises
    ------
    TypeError
        If something is not a measure, or the qrels have another form.
    ValueError
        If the qrels cannot be read or have no rows, or a measure cannot be computed. Also if a bare ad-hoc measure M
        would not read a document's highest label; use ``Adhoc(M)``.

    Warns
    -----
    MissingWarning
        If queries of the results have no judgements; their values are NaN, so means leave them out.

    Notes
    -----
    R -> Q: one row for each query, with ``qid``, the other columns of the query (``query``, ``query_0``, ...), and a
    column ``str(measure)`` for each measure. A query *without results* has no row: a mean over this frame leaves it
    out, but ``pt.Experiment`` counts it as 0.

    Examples
    --------
    >>> from ir_measures import nDCG
    >>> from pyterrier_diversity import IA, RBU
    >>> demo = pt.get_dataset("diversity:demo")
    >>> bm25 = pt.Transformer.from_df(demo.get_results("bm25"))
    >>> pipeline = bm25 >> Evaluate(demo.get_qrels(), [RBU @ 5, IA(nDCG @ 5)])
    >>> pipeline(demo.get_topics().head(2)).columns.tolist()
    ['qid', 'query', 'RBU@5', 'IA(nDCG@5)']
    """

    FIXED = frozenset({"qrels", "measures"})

    def __init__(self, qrels: pd.DataFrame, measures: Measures) -> None:
        self.qrels = qrels
        self._evaluator = DiversityEvaluator(read_measures("Evaluate", measures), qrels_frame(qrels))
        if not len(self._evaluator.judgements):
            raise ValueError("Evaluate: qrels must not be empty.")
        self.measures = self._evaluator.measures

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return a row for each query of the results."""
        pt.validate.result_frame(inp, extra_columns=["score"])
        table = queries_of(inp)
        run = Run(with_judgements(as_run(inp), self._evaluator, "Evaluate"))
        place = places(table["qid"].astype(str), repeat(self._evaluator.judgements.query_index))
        for measure, values in zip(self.measures, self._evaluator.values(run), strict=True):
            table[str(measure)] = np.append(values, np.nan)[place]
        return table

    def __repr__(self) -> str:
        """Return the measures."""
        return f"Evaluate({', '.join(map(str, self.measures))})"


class Explain(Step):
    """Explain how much each document contributes to a measure, and which intents it covers.

    Parameters
    ----------
    qrels : DataFrame, path, list or dict
        Qrels in any form that `io.read_qrels` reads. Not changed.
    measure : Measure or str
        Any measure that ir_measures can compute, such as ``RBU @ 20`` or ``"RBU@20"``.

    Raises
    ------
    TypeError
        If ``measure`` is neither a measure nor a name, or the qrels have another form.
    ValueError
        If the qrels or the results cannot be read, or the measure cannot be computed.

    Warns
    -----
    MissingWarning, RepeatsWarning
        If queries of the results have no judgements; their values are NaN. Also if a query has a document twice
        (without a column ``turn``); only the better rank counts.

    Notes
    -----
    R -> R: the rows of each query in ranking order, with ``rank`` from 0 and these columns.

    ==================  ================================================================================================
    ``position``        the rank, counted from 1
    ``intents``         dict of the intents that the document is relevant to, with their labels (from ``rel`` up, if the
                        measure has this parameter)
    ``new_intents``     list of those intents that no document above is relevant to
    ``unmet_intents``   list of the query's intents that are not covered down to this rank; for `Coverage` and
                        `NuggetScore` also those without a relevant document
    ``judged``          whether the document is judged for the query
    ``tied``            whether another document of the query (or turn) has the same score, so that ids decide
    ``measure``         the name of the measure
    ``value``           value of the ranking down to this rank, with the measure's own cutoff and normalisation
    ``contribution``    how much ``value`` rises at this rank (negative if it falls). The contributions of a query sum
                        to the measure's value
    ==================  ================================================================================================

    Documents are ordered by descending score, then by descending id, and turn by turn if there is a column ``turn``.
    The value is that of ``Adhoc(M)`` for an ad-hoc measure M. Bare measures may differ in ``pt.Experiment``, where
    cwl_eval (RBP) keeps ties in the order of rows, and pytrec_eval (nDCG, AP) reads scores in single precision.

    Where the qrels have them, ``attrs["queries"]`` has the texts of the queries, and ``attrs["texts"]`` those of the
    intents of each query.

    Without a cutoff, 50 queries of 1,000 documents take a few seconds. To read the table back from a CSV file, use
    ``pd.read_csv(path, converters={"intents": ast.literal_eval, ...})``.

    Examples
    --------
    >>> from pyterrier_diversity import StRecall
    >>> qrels = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 2], "iteration": ["x", "y"]})
    >>> run = pd.DataFrame({"qid": "q", "docno": ["b", "c", "a"], "score": [3.0, 2.0, 1.0]})
    >>> explained = Explain(qrels, StRecall @ 5)(run)
    >>> explained[["docno", "intents", "unmet_intents", "value", "contribution"]]
      docno   intents unmet_intents  value  contribution
    0     b  {'y': 2}           [x]    0.5           0.5
    1     c        {}           [x]    0.5           0.0
    2     a  {'x': 1}            []    1.0           0.5
    """

    FIXED = frozenset({"qrels", "measure"})

    def __init__(self, qrels: pd.DataFrame, measure: ir_measures.Measure | str) -> None:
        self.measure = read_measure("Explain", measure)
        self.qrels = qrels_frame(qrels)
        self._evaluator = DiversityEvaluator([self.measure], self.qrels)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the results in ranking order, with the columns that explain them."""
        pt.validate.result_frame(inp, extra_columns=["score"])
        run = as_run(inp)
        # Raises if this is not a run, and warns of documents that appear twice.
        Run(run).rankings(run["query_id"].unique().tolist(), 0)
        run = in_ranking_order(run, "run")
        run = run if "turn" in run else run.drop_duplicates(["query_id", "doc_id"])
        place = run.groupby("query_id", sort=False).cumcount().to_numpy()
        # New scores without ties, because other providers break ties differently and ignore turns.
        judged = run[[name for name in ("query_id", "doc_id", "turn", "doc_len") if name in run]].assign(score=-place)
        judged = with_judgements(judged.assign(place=place, row=np.arange(len(run))), self._evaluator, "Explain")
        listed, judgements = Run(judged), self._evaluator.judgements
        rank = judged["place"] + 1 if listed.sessions is None else listed.sessions.rank
        judged = judged.assign(query=judged["query_id"].map(judgements.query_index).astype(np.intp), rank=rank)
        ranked = Ranked.of_run(listed, judgements)
        value = np.full(len(run), np.nan)
        value[judged["row"]] = self._values(judged, ranked)
        above = pd.Series(value).groupby(run["query_id"].to_numpy()).shift(fill_value=0.0).to_numpy()
        tied = run.duplicated([name for name in ("query_id", "turn", "score") if name in run], keep=False).to_numpy()
        columns = self._intents(judged, ranked, len(run))
        explained = inp.iloc[run.index].assign(rank=place + pt.model.FIRST_RANK, position=place + 1, **columns)
        explained = explained.assign(tied=tied, measure=str(self.measure), value=value, contribution=value - above)
        explained = explained.reset_index(drop=True)
        explained.attrs = self._texts(set(run["query_id"]))
        return explained

    def __repr__(self) -> str:
        """Return the measure."""
        return f"Explain({self.measure})"

    def _texts(self, queries: set[str]) -> dict[Hashable, Any]:
        """Return the texts of queries and their intents, where the qrels have them."""
        name = "qid" if "qid" in self.qrels else "query_id"
        rows = self.qrels[self.qrels[name].astype(str).isin(queries)]
        texts: dict[Hashable, Any] = {}
        if "nugget_text" in rows:
            texts["texts"] = {str(query): texts_of("Explain", of, str(query)) for query, of in rows.groupby(name)}
        if "query" in rows:
            texts["queries"] = texts_of_queries(rows)
        return texts

    def _values(self, judged: pd.DataFrame, ranked: Ranked) -> pd.Series:
        """Return the value of each row's ranking if it ended there."""
        value = pd.Series(np.nan, judged.index)
        longest = int(judged["place"].max()) + 1 if len(judged) else 0
        unlimited = "turn" in judged or innermost(self.measure).params.get("judged_only")
        ranks = range(longest)[: None if unlimited else last_rank(self.measure)]
        for i in progress(ranks, f"prefixes for {self.measure}", unit="rank"):
            there = judged[judged["place"] == i]
            last = np.zeros(len(ranked.n), dtype=np.int64)
            last[there["query"]] = there["rank"]
            (found,) = self._evaluator.values(ranked.down_to(last))
            value[there.index] = found[there["query"]]
        # Nothing changes below the measure's cutoff.
        return value.groupby(judged["query"]).ffill()

    def _intents(self, judged: pd.DataFrame, ranked: Ranked, n_rows: int) -> dict[str, list[Any]]:
        """Return the columns about intents and judgements, given the rows of queries with judgements."""
        view = ranked.judgements.view(rel=innermost(self.measure).params.get("rel"))
        formulas = [ours for part, ours in parts_of(self.measure) if part == "intents" and ours is not None]
        all_count = any(ours.COUNTS_ALL_NAMED for ours in formulas)  # also those without a relevant document
        named = take(view.named, view.named.weight > 0) if all_count else view.intents
        left = pd.Series(named.ids, dtype=object).groupby(named.query).agg(list).to_dict()
        found = intents_by_rank(ranked.view(view))
        intents: list[dict[str, float]] = [{} for _ in range(n_rows)]
        new: list[list[str]] = [[] for _ in intents]
        unmet: list[list[str]] = [[] for _ in intents]
        known = [False] * n_rows
        # A repeated document counts as unjudged.
        again = judged.duplicated(["query", "doc_id"])
        columns = (judged["query"], judged["rank"], judged["row"], judged["doc_id"], again)
        for query, rank, row, doc, repeated in zip(*columns, strict=True):
            intents[row], new[row] = found[query, rank]
            left[query] = unmet[row] = [intent for intent in left.get(query, []) if intent not in intents[row]]
            known[row] = not repeated and doc in ranked.judgements.judged_docs[query]
        return {"intents": intents, "new_intents": new, "unmet_intents": unmet, "judged": known}


def explain_difference(explained: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Compare two explained rankings rank by rank, to see where one gains on the other.

    Parameters
    ----------
    explained, other : DataFrame
        The results of `Explain` for two systems, with the same qrels and measure.

    Returns
    -------
    DataFrame
        One row for each query and rank, with ``qid``, ``rank`` and ``position``. The columns ``docno``,
        ``new_intents``, ``contribution`` and ``value`` describe the first ranking; with the suffix ``_other``, the
        second. They are empty below the end of a ranking. ``difference`` is the first contribution minus the second.
        The differences of a query sum to the difference of the two values.

    Raises
    ------
    ValueError
        If a column is missing, or the two frames have different measures.
    TypeError
        If ``explained`` or the other one is not a frame.

    Examples
    --------
    >>> from pyterrier_diversity import StRecall
    >>> qrels = pd.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 2], "iteration": ["x", "y"]})
    >>> run = pd.DataFrame({"qid": "q", "docno": ["b", "c", "a"], "score": [3.0, 2.0, 1.0]})
    >>> explain = Explain(qrels, StRecall @ 5)
    >>> table = explain_difference(explain(run), explain(run[:1]))
    >>> table[["position", "docno", "docno_other", "difference"]]
       position docno docno_other  difference
    0         1     b           b         0.0
    1         2     c         NaN         0.0
    2         3     a         NaN         0.5
    """
    keys = ["qid", "rank", "position"]
    columns = [*keys, "docno", "new_intents", "contribution", "value"]
    for what, frame in (("explained", explained), ("other", other)):
        check_columns(frame, (*columns, "measure"), f"explain_difference: {what}", "Explain returns it.")
    measures = sorted({*explained["measure"], *other["measure"]})
    if len(measures) > 1:
        raise ValueError(f"explain_difference: both frames must have the same measure, not {', '.join(measures)}.")
    # Results may have integers as qids.
    explained, other = (frame[columns].astype({"qid": str}) for frame in (explained, other))
    table = explained.merge(other, "outer", keys, suffixes=("", "_other"), sort=False)
    order = pd.Index(pd.concat([explained["qid"], other["qid"]]).unique()).get_indexer(table["qid"])
    table = table.iloc[np.lexsort([table["rank"], order])].reset_index(drop=True)
    return table.assign(difference=table["contribution"].fillna(0.0) - table["contribution_other"].fillna(0.0))


def queries_of(inp: pd.DataFrame) -> pd.DataFrame:
    """Return the queries of topics or results, each once, with all columns of the query."""
    of_query = set(pt.model.query_columns(inp)) if "docno" in inp else set(inp)
    columns = [column for column in inp if column in of_query]
    return inp.drop_duplicates("qid")[columns].reset_index(drop=True)


def with_judgements(run: pd.DataFrame, evaluator: DiversityEvaluator, who: str) -> pd.DataFrame:
    """Return the rows of a run whose queries have judgements.

    Warns
    -----
    MissingWarning
        If queries are left out.
    """
    judged = run["query_id"].isin(evaluator.judgements.query_ids)
    if judged.all():
        return run
    unjudged, n = run["query_id"][~judged].nunique(), run["query_id"].nunique()
    warn(MissingWarning(f"{who}: {unjudged} of {n} queries have no judgements: their values are NaN."))
    return run[judged]


def as_run(results: pd.DataFrame) -> pd.DataFrame:
    """Return results with ir_measures' names, ids as strings and scores as finite numbers in their order."""
    run = Columns(results, RUN_COLUMNS, "run")
    return run.renamed().assign(score=run.scores())
