"""Evaluation as the last step of a pipeline."""

from collections.abc import Iterable

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..evaluate import DiversityEvaluator
from ..frames import RUN_COLUMNS, Columns, places, warn
from ..io import qrels_frame
from ..judged import Run
from ..measures.groups import read_some_measures
from ..warnings import MissingWarning
from .steps import Step


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

    def __init__(
        self,
        qrels: pd.DataFrame,
        measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
    ) -> None:
        self.qrels = qrels
        self._evaluator = DiversityEvaluator(read_some_measures("Evaluate", measures), qrels_frame(qrels))
        if not len(self._evaluator.judgements):
            raise ValueError("Evaluate: qrels must not be empty.")
        self.measures = self._evaluator.measures

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return a row for each query of the results."""
        pt.validate.result_frame(inp, extra_columns=["score"])
        table = queries_of(inp)
        run = Run(with_judgements(as_run(inp), self._evaluator, "Evaluate"))
        place = places(table["qid"].astype(str), self._evaluator.judgements.query_index)
        for measure, values in zip(self.measures, self._evaluator.values(run), strict=True):
            table[str(measure)] = np.append(values, np.nan)[place]
        return table

    def __repr__(self) -> str:
        """Return the measures."""
        return f"Evaluate({', '.join(map(str, self.measures))})"


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
