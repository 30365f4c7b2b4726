"""Evaluation as the last step of a pipeline."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..judged.columns import numbers, with_string_ids
from ..measures.base import implementation, reason
from ..measures.lifts import innermost, read_measures
from .base import Step


class Evaluate(Step):
    """Evaluate the ranking of each query: a row for each, with a column for each measure.

    The values are those of ``pt.Experiment(..., perquery=True)``: from the same providers, with the same order of
    ties. The qrels are read once, however often the transformer is called.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names, as the measures take them. Not changed.
    measures : Measure or str, or iterable of them
        Which measures: objects such as ``RBU @ 20``, or strings that `measures.parse` reads.

    Raises
    ------
    ValueError
        If the qrels cannot be read, or a measure cannot be computed.

    Warns
    -----
    UserWarning
        If queries of the results have no judgements: their values are NaN, which means over the frame leave out.

    Notes
    -----
    R -> Q: in the place of the documents come the columns ``str(measure)``, beside ``qid`` and the columns of the query
    (``query``, ``query_0``, ...), one row for each query in the order of the results. A query *without results* is not
    in them, and so in no row: a mean over this frame leaves it out, where ``pt.Experiment`` counts it as 0.

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

    schematic = {"label": "Evaluate"}
    FIXED = frozenset({"qrels", "measures"})

    def __init__(
        self, qrels: pd.DataFrame, measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str]
    ) -> None:
        self.qrels = qrels
        self._evaluator = QueryEvaluator("Evaluate", qrels, measures)
        self.measures = self._evaluator.measures

    def __reduce__(self) -> tuple[Any, ...]:
        """Read the qrels again in another process: not every provider's evaluator can be sent there."""
        return type(self), (self.qrels, self.measures)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return a row for each query of the results."""
        pt.validate.result_frame(inp, extra_columns=["score"])
        table = queries_of(inp)
        query_ids = table["qid"].astype(str)
        values = self._evaluator.values(self._evaluator.judged(as_run(inp), query_ids))
        for measure in self._evaluator.measures:
            table[str(measure)] = np.array([values.get(query, {}).get(measure, np.nan) for query in query_ids])
        return table

    def __repr__(self) -> str:
        """Return the measures."""
        return f"Evaluate({', '.join(map(str, self._evaluator.measures))})"


def queries_of(inp: pd.DataFrame) -> pd.DataFrame:
    """Return the queries of topics or results, each once, with the columns of theirs."""
    of_query = set(pt.model.query_columns(inp)) if "docno" in inp else set(inp)
    columns = [column for column in inp if column in of_query]
    return inp.drop_duplicates("qid")[columns].reset_index(drop=True)


class QueryEvaluator:
    """Measures of each query, against qrels that are read once.

    Parameters
    ----------
    who : str
        Who asks: begins messages.
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names. The attribute has ir_measures' names, and ids as strings.
    measures : Measure or str, or iterable of them
        The measures.
    """

    def __init__(
        self, who: str, qrels: pd.DataFrame, measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str]
    ) -> None:
        self._who = who
        self.measures = read_measures(who, measures)
        if not self.measures:
            raise ValueError(f"{who}: measures must hold a measure at least.")
        self.qrels = with_string_ids(qrels, ("query_id", "doc_id", "relevance"), "qrels")
        self._query_ids = frozenset(self.qrels["query_id"])
        try:
            self._evaluator = ir_measures.DefaultPipeline.evaluator(self.measures, self.qrels)
        except AssertionError as error:  # how ir_measures refuses parameters
            raise ValueError(f"{who}: {', '.join(map(str, self.measures))}: {reason(error)}.") from error

    def judged(self, run: pd.DataFrame, query_ids: Iterable[str]) -> pd.DataFrame:
        """Return the rows of a run whose queries have judgements.

        Warns
        -----
        UserWarning
            If some of ``query_ids``, those of the run, have none.
        """
        distinct = set(query_ids)
        unjudged = len(distinct - self._query_ids)
        if not unjudged:
            return run
        warnings.warn(
            f"{self._who}: {unjudged} of {len(distinct)} queries have no judgements: their values are NaN.",
            UserWarning,
            stacklevel=3,
        )
        return run[run["query_id"].isin(self._query_ids)]

    def values(self, run: Any, *, quiet: bool = False) -> dict[str, dict[ir_measures.Measure, float]]:
        """Return the value of each measure for each query of the qrels: the default for those that a run lacks.

        Parameters
        ----------
        run : DataFrame or dict of dicts
            A run with ir_measures' names.
        quiet : bool
            Whether warnings are left out, having been given for much the same run before.
        """
        values: dict[str, dict[ir_measures.Measure, float]] = {query: {} for query in self._query_ids}
        with warnings.catch_warnings():
            if quiet:
                warnings.simplefilter("ignore")
            for metric in self._evaluator.iter_calc(run) if len(run) else ():
                values[metric.query_id][metric.measure] = metric.value
        return values


def last_rank(measure: ir_measures.Measure) -> int | None:
    """Return the last rank that a measure looks at, where no turns are told; None for all."""
    inner = innermost(measure)
    cutoff: int | None = inner.params.get("cutoff")
    ours = implementation(inner)
    if cutoff is None or ours is None or not ours.COUNTS_TURNS:
        return cutoff
    return cutoff * int(ours["batch"])


def as_run(results: pd.DataFrame) -> pd.DataFrame:
    """Return results with ir_measures' names, ids as strings and scores as finite numbers."""
    run = with_string_ids(results, ("query_id", "doc_id", "score"), "run")
    return run.assign(score=numbers(run, "score", "run"))
