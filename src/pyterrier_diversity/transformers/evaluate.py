"""Evaluation as the last step of a pipeline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..evaluate import DiversityEvaluator, RefusedMeasureError
from ..evaluate.expected import TiesOption, mean_and_error, read_draws, sampled_values
from ..judged import RUN_COLUMNS, Run, scores, warn_user, with_string_ids
from ..measures.groups import read_measures
from ..parameters import Rng
from .steps import Step


class Evaluate(Step):
    """Evaluate the ranking of each query: a row for each, with a column for each measure.

    The values are those of ``pt.Experiment(..., perquery=True)``, with one order of ties for all measures, also those
    of other providers. The qrels are read once, however often the transformer is called.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names, as the measures take them. Not changed.
    measures : Measure or str, or iterable of them
        Which measures: objects such as ``RBU @ 20``, or strings that `measures.parse` reads, several or groups in one.
    ties : {"docno", "expected"}
        How documents of the same score are ordered: by descending id, or at random, many times; values are then means
        over these orders, with their standard error in a column such as ``se(RBU@20)`` behind that of the measure.
    samples : int
        With ``ties="expected"``, the number of random orders, at least 2.
    rng : int, Generator or None
        Where random orders come from. Those of a query are the same whatever the other queries.

    Raises
    ------
    ValueError
        If the qrels cannot be read or have no row, or a measure cannot be computed; so it is if an ad-hoc measure would
        not see the highest label of a document, which ``Adhoc(M)`` does.

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

    LABEL = "Evaluate"
    FIXED = frozenset({"qrels", "measures", "ties", "samples", "rng"})

    def __init__(
        self,
        qrels: pd.DataFrame,
        measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
        *,
        ties: TiesOption = "docno",
        samples: int = 100,
        rng: Rng = None,
    ) -> None:
        self.qrels, self.ties, self.samples, self.rng = qrels, ties, samples, rng
        self._draws = read_draws("Evaluate", ties, samples, rng)
        self._evaluator = evaluator_of("Evaluate", measures, qrels)
        if not len(self._evaluator.judgements):
            raise ValueError("Evaluate: qrels hold no row: there is nothing to evaluate by.")
        self.measures = self._evaluator.measures

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return a row for each query of the results."""
        pt.validate.result_frame(inp, extra_columns=["score"])
        table = queries_of(inp)
        run = Run(with_judgements(as_run(inp), self._evaluator, "Evaluate"))
        sampled = sampled_values(self._evaluator, run, self._draws)
        index = self._evaluator.judgements.query_index
        place = np.array([index.get(str(query_id), -1) for query_id in table["qid"]], dtype=np.intp)
        for measure in self.measures:
            names = [str(measure), f"se({measure})"] if self._draws else [str(measure)]
            for name, column in zip(names, mean_and_error(sampled[measure]), strict=False):
                table[name] = np.append(column, np.nan)[place]
        return table

    def __repr__(self) -> str:
        """Return the measures."""
        return f"Evaluate({', '.join(map(str, self.measures))})"


def queries_of(inp: pd.DataFrame) -> pd.DataFrame:
    """Return the queries of topics or results, each once, with the columns of theirs."""
    of_query = set(pt.model.query_columns(inp)) if "docno" in inp else set(inp)
    columns = [column for column in inp if column in of_query]
    return inp.drop_duplicates("qid")[columns].reset_index(drop=True)


def evaluator_of(who: str, measures: Any, qrels: pd.DataFrame) -> DiversityEvaluator:
    """Return an evaluator of measures, given as objects or strings; there must be one."""
    several = read_measures(who, measures)
    if not several:
        raise ValueError(f"{who}: measures must not be empty.")
    try:
        return DiversityEvaluator(several, qrels)
    except RefusedMeasureError as error:
        raise ValueError(f"{who}: {error}") from error


def with_judgements(run: pd.DataFrame, evaluator: DiversityEvaluator, who: str) -> pd.DataFrame:
    """Return the rows of a run whose queries have judgements.

    Warns
    -----
    UserWarning
        If some queries have none.
    """
    judged = run["query_id"].isin(evaluator.judgements.query_ids)
    if judged.all():
        return run
    unjudged, n = run["query_id"][~judged].nunique(), run["query_id"].nunique()
    warn_user(f"{who}: {unjudged} of {n} queries have no judgements: their values are NaN.")
    return run[judged]


def as_run(results: pd.DataFrame) -> pd.DataFrame:
    """Return results with ir_measures' names, ids as strings and scores as finite numbers in their order."""
    run = with_string_ids(results, RUN_COLUMNS, "run")
    return run.assign(score=scores(run, "run"))
