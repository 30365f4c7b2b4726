"""Explain how much each document contributes to a measure, and why."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

from ..judged import Judgements, Run, numbers, ranking_order
from ..measures.base import CompositeMeasure, implementation
from ..measures.composite import innermost, last_rank
from ..measures.parse import read_measure
from .evaluate import as_run, evaluator_of, with_judgements
from .steps import Step

Grades = dict[str, int | float]


class Explain(Step):
    """Explain how much each document contributes to a measure, and which intents it covers.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' column names.
    measure : Measure or str
        Any measure that ir_measures can compute, such as ``RBU @ 20`` or ``"RBU@20"``.

    Raises
    ------
    ValueError
        If the qrels or the results cannot be read, or the measure cannot be computed.

    Warns
    -----
    UserWarning
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

    LABEL = "Explain"
    FIXED = frozenset({"qrels", "measure"})

    def __init__(self, qrels: pd.DataFrame, measure: ir_measures.Measure | str) -> None:
        self.qrels = qrels
        self.measure = read_measure("Explain", measure)
        self._evaluator = evaluator_of("Explain", self.measure, qrels)
        rel, all_named = innermost(self.measure).params.get("rel"), _counts_all_named(self.measure)
        self._labels = _Labels(self._evaluator.judgements, rel, all_named)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the results in ranking order, with the columns that explain them."""
        pt.validate.result_frame(inp, extra_columns=["score"])
        run = _ranked(as_run(inp).reset_index(drop=True))
        place = run.groupby("query_id", sort=False).cumcount().to_numpy()
        value = self._values(run, place)
        above = pd.Series(value).groupby(run["query_id"].to_numpy()).shift(fill_value=0.0).to_numpy()
        tied = run.duplicated([name for name in ("query_id", "turn", "score") if name in run], keep=False).to_numpy()
        columns = {"rank": place + pt.model.FIRST_RANK, "position": place + 1, **self._labels.of(run), "tied": tied}
        explained = inp.iloc[run.index].assign(**columns, measure=str(self.measure), value=value)
        return explained.assign(contribution=value - above).reset_index(drop=True)

    def __repr__(self) -> str:
        """Return the measure."""
        return f"Explain({self.measure})"

    def _values(self, run: pd.DataFrame, place: np.ndarray) -> np.ndarray:
        """Return the value of each row's ranking if it ended there; NaN where the query has no judgements."""
        # New scores without ties, because other providers break ties differently and ignore turns.
        run = run[[name for name in ("query_id", "doc_id", "turn", "doc_len") if name in run]].assign(score=-place)
        judged = with_judgements(run.assign(place=place, row=np.arange(len(run))), self._evaluator, "Explain")
        retrieved = Run(judged).retrieve(self._evaluator.judgements)
        index = self._evaluator.judgements.query_index
        query = np.array([index[query_id] for query_id in judged["query_id"]], dtype=np.intp)
        rank = judged["place"].to_numpy() + 1 + _missing_turns(judged)
        value = np.full(len(run), np.nan)
        ranks = range(self._depth(judged))
        for i in pt.tqdm(ranks, desc=f"prefixes for {self.measure}", unit="rank", delay=2, leave=False):
            there = (judged["place"] == i).to_numpy()
            last = np.zeros(len(retrieved.n), dtype=np.int64)
            last[query[there]] = rank[there]
            found = self._evaluator.values(retrieved.prefix(last))
            value[judged["row"][there]] = found[self.measure][query[there]]
        # Nothing changes below the measure's cutoff.
        return pd.Series(value).groupby(run["query_id"].to_numpy()).ffill().to_numpy()

    def _depth(self, run: pd.DataFrame) -> int:
        """Return the largest number of documents that the measure reads for a query."""
        longest = int(run["place"].max()) + 1 if len(run) else 0
        unlimited = "turn" in run or innermost(self.measure).params.get("judged_only")
        cutoff = None if unlimited else last_rank(self.measure)
        return longest if cutoff is None else min(longest, cutoff)


def _counts_all_named(measure: ir_measures.Measure) -> bool:
    """Tell whether a measure counts intents that no document is relevant to."""
    ours = implementation(measure)
    if isinstance(ours, CompositeMeasure):
        return any(part.view == "intents" and _counts_all_named(part.measure) for part in ours.parts())
    return ours is not None and ours.COUNTS_ALL_NAMED


class _Labels:
    """The judged documents of each query, and their grades for its intents."""

    def __init__(self, judgements: Judgements, rel: float | None, all_named: bool) -> None:
        self._judged = dict(zip(judgements.query_ids, judgements.judged_docs, strict=True))
        view = judgements.view(rel=rel)
        self._intents: dict[str, list[str]] = defaultdict(list)
        intents = view.named.take(view.named.weight > 0) if all_named else view.intents
        for query, intent in zip(intents.query.tolist(), intents.ids.tolist(), strict=True):
            self._intents[view.query_ids[query]].append(intent)
        self._grades: dict[tuple[str, str], Grades] = defaultdict(dict)
        labels = view.labels.take(np.lexsort([view.labels.intent, view.labels.doc]))
        for doc, intent, value in zip(labels.doc.tolist(), labels.intent.tolist(), labels.value.tolist(), strict=True):
            document = view.query_ids[view.documents.query[doc]], view.documents.ids[doc]
            self._grades[document][view.intents.ids[intent]] = int(value) if value.is_integer() else value

    def of(self, run: pd.DataFrame) -> dict[str, list[Any]]:
        """Return the columns of a run in ranking order."""
        rows: list[tuple[Grades, list[str], list[str], bool]] = []
        for name, docs in run.groupby("query_id", sort=False)["doc_id"]:
            query = str(name)
            unmet, unread = self._intents.get(query, []), set(docs)
            for doc in docs:
                # A repeated document counts as unjudged.
                grades = dict(self._grades.get((query, doc), {})) if doc in unread else {}
                new = [intent for intent in grades if intent in unmet]
                unmet = [intent for intent in unmet if intent not in grades]
                rows.append((grades, new, unmet, doc in unread and doc in self._judged.get(query, ())))
                unread.discard(doc)
        names = ("intents", "new_intents", "unmet_intents", "judged")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def _missing_turns(run: pd.DataFrame) -> np.ndarray:
    """Return, for each row, the number of earlier turns without documents, each of which counts as a rank."""
    if "turn" not in run:
        return np.zeros(len(run), dtype=np.int64)
    number = run.groupby("query_id")["turn"].rank("dense") - 1
    return (run["turn"].astype(float) - number).to_numpy(dtype=np.int64)


def _ranked(run: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a run in ranking order; without turns, each document of a query once."""
    # Raises if this is not a run, and warns of documents that appear twice.
    Run(run).rankings(run["query_id"].unique().tolist(), 0)
    turn = numbers(run, "turn", "run") if "turn" in run else None
    query = pd.factorize(run["query_id"])[0]
    order = ranking_order(query, turn, run["score"].to_numpy(), run["doc_id"].to_numpy(dtype=object))
    ranked = run if order is None else run.iloc[order]
    return ranked if "turn" in run else ranked.drop_duplicates(["query_id", "doc_id"])


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
        missing = [column for column in (*columns, "measure") if column not in frame]
        if missing:
            raise ValueError(
                f"explain_difference: {what} must be a frame from Explain, but the column {', '.join(missing)} is "
                "missing."
            )
    measures = sorted({*explained["measure"], *other["measure"]})
    if len(measures) > 1:
        raise ValueError(f"explain_difference: both frames must have the same measure, not {', '.join(measures)}.")
    # Results may have integers as qids.
    explained, other = (frame[columns].astype({"qid": str}) for frame in (explained, other))
    table = explained.merge(other, "outer", keys, suffixes=("", "_other"), sort=False)
    order = dict(zip(pd.concat([explained["qid"], other["qid"]]).unique(), range(len(table)), strict=False))
    table = table.iloc[np.lexsort([table["rank"], table["qid"].map(order)])].reset_index(drop=True)
    gained = table["contribution"].fillna(0.0) - table["contribution_other"].fillna(0.0)
    return table.assign(difference=gained)
