"""Scores of documents for intents, as re-rankers need them: from a frame, a pipeline on subtopics, or qrels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ..arithmetic import divide
from ..frames import Columns, by_number
from ..io import qrels_frame
from ..judged import judge, relevance_probability, take
from .steps import Candidates, Step, check_columns

# The column of query and intent together; the name is not used anywhere else.
_NAME = "qid.iteration"


class OnSubtopics(Step):
    """Run a pipeline on the subtopics of each query, to score documents for intents.

    Pass it to a re-ranker such as `XQuAD`. Or call it with topics, and pass the frame to several re-rankers.

    Parameters
    ----------
    pipeline : pt.Transformer
        A retriever; with ``rescore=True``, a step that scores given documents, as `BM25` does. Many retrievers that
        search an index do not take documents.
    subtopics : DataFrame
        Columns ``qid``, ``iteration``, ``query`` (the text of the subtopic) and optionally ``weight``, as from
        ``dataset.get_topics("subtopics")``. The weights are P(intent|query), uniform by default; they are rescaled to
        sum to 1 for each query.
    rescore : bool
        Whether the pipeline scores the given documents for each subtopic, instead of retrieving documents itself.

    Raises
    ------
    ValueError
        If a column of the subtopics is missing, a weight is negative or not a number, or a query has a subtopic twice.
        When used: if the pipeline returns results for other queries, or without ``docno`` or ``score``.
    TypeError
        If the subtopics are not a frame.

    Examples
    --------
    >>> from pyterrier_diversity.transformers import BM25
    >>> topics = pd.DataFrame({"qid": ["q"], "query": ["jaguar"]})
    >>> subtopics = pd.DataFrame({"qid": ["q", "q"], "iteration": ["1", "2"], "query": ["jaguar cat", "jaguar car"]})
    >>> documents = [{"docno": "d1", "text": "The big cat."}, {"docno": "d2", "text": "An old car."}]
    >>> OnSubtopics(BM25(documents), subtopics)(topics)[["qid", "iteration", "docno"]]
      qid iteration docno
    0   q         1    d1
    1   q         2    d2
    """

    def __init__(self, pipeline: pt.Transformer, subtopics: pd.DataFrame, *, rescore: bool = False) -> None:
        hint = "dataset.get_topics('subtopics') returns them."
        check_columns(subtopics, ("qid", "iteration", "query"), "OnSubtopics: subtopics", hint)
        self.pipeline = pipeline
        self.subtopics = subtopics
        self.rescore = rescore
        named = _named(subtopics)[_NAME]
        if not named.is_unique:
            twice = named[named.duplicated()].iloc[0]
            raise ValueError(f"OnSubtopics: subtopics must have each row once, but have {twice} (qid.iteration) twice.")

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return ``qid``, ``iteration``, ``docno``, ``score``, and ``weight``, which sums to 1 for each query."""
        needed = ["qid", "docno"] if self.rescore else ["qid"]
        pt.validate.columns(inp, includes=needed, context=self)
        named = _named(self.subtopics)
        asked = named[named["qid"].isin(inp["qid"].astype(str))]
        columns = ["qid", "iteration", "docno", "score", "weight"]
        if asked.empty:
            return pd.DataFrame(columns=columns)
        queries = asked[["qid", _NAME, "query"]]
        if self.rescore:
            kept = [column for column in pt.model.document_columns(inp) if column not in ("score", "rank")]
            queries = queries.merge(inp[kept].assign(qid=inp["qid"].astype(str)), on="qid")
        found = self.pipeline(queries.drop(columns="qid").rename(columns={_NAME: "qid"}))
        missing = [column for column in ("qid", "docno", "score") if column not in found]
        if missing or not found["qid"].isin(asked[_NAME]).all():
            wrong = f"no column {', '.join(missing)}" if missing else "results for other queries"
            raise ValueError(f"OnSubtopics: the pipeline {self.pipeline} returned {wrong}.")
        found = found[["qid", "docno", "score"]].rename(columns={"qid": _NAME})
        return found.merge(asked[[_NAME, "qid", "iteration", "weight"]], on=_NAME)[columns]

    def __repr__(self) -> str:
        """Return the pipeline."""
        return f"OnSubtopics({self.pipeline!r})"


def _named(subtopics: pd.DataFrame) -> pd.DataFrame:
    """Add the qid that a pipeline sees, and weights that sum to 1 for each query."""
    what = "OnSubtopics: subtopics"
    frame = subtopics.assign(qid=subtopics["qid"].astype(str), iteration=subtopics["iteration"].astype(str))
    frame.attrs = {}  # pandas cannot join frames with attributes that it cannot compare
    weight = pd.Series(_weight(Columns(subtopics, ("query_id", "iteration"), what)), frame.index)
    shares = divide(weight, weight.groupby(frame["qid"]).transform("sum"))
    return frame.assign(**{_NAME: frame["qid"] + "." + frame["iteration"]}).assign(weight=shares)


def oracle_intent_scores(qrels: Any) -> pd.DataFrame:
    """Make perfect scores for intents from the qrels, to see how good a re-ranker could get.

    Parameters
    ----------
    qrels : DataFrame, iterable of named tuples, or dict of dicts
        Qrels, as for the measures.

    Returns
    -------
    DataFrame
        ``qid``, ``iteration``, ``docno``, ``score`` and ``weight`` of all relevant documents. The score is the
        probability of relevance (2^label - 1) / 2^m, where m is the intent's largest label. Intents without a relevant
        document are left out.

    Raises
    ------
    ValueError
        If the qrels cannot be read.

    Examples
    --------
    >>> frame = pd.DataFrame([("q", "d1", 2, "a"), ("q", "d2", 1, "a")], columns=["qid", "docno", "label", "iteration"])
    >>> oracle_intent_scores(frame)
      qid iteration docno  score  weight
    0   q         a    d1   0.75     1.0
    1   q         a    d2   0.25     1.0
    """
    judgements = judge(qrels_frame(qrels))
    labels, intents = judgements.labels, judgements.intents
    # The documents of a query are in descending order of their names.
    labels = take(labels, np.lexsort([labels.intent, -labels.doc, judgements.documents.query[labels.doc]]))
    names = np.array(judgements.query_ids, dtype=object)
    return pd.DataFrame(
        {
            "qid": names[judgements.documents.query[labels.doc]],
            "iteration": intents.ids[labels.intent],
            "docno": judgements.documents.ids[labels.doc],
            "score": relevance_probability(labels.value, judgements.max_label[labels.intent]),
            "weight": intents.weight[labels.intent],
        }
    )


def read_intent_scores(
    frame: pd.DataFrame, queries: Sequence[Candidates], who: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Read scores in the long form.

    Parameters
    ----------
    frame : DataFrame
        Columns ``qid``, ``iteration``, ``docno``, ``score`` and optionally ``weight``. Weights are divided by their sum
        for the query if it is above 1. Rows of other queries and documents are ignored.
    queries : sequence of Candidates
        The documents to find scores for.
    who : str
        The caller, for messages.

    Returns
    -------
    list of pairs of ndarray
        For each query, the scores of its documents for its intents, shape (n_docs, n_intents), NaN if missing, and the
        weights P(t|q). If these sum to less than 1, the rest belongs to intents without scores. The intents are in the
        order of their ids, numbers first.

    Raises
    ------
    ValueError
        If a column or a value is missing, a score is not finite, or a document has two scores for an intent. Also if a
        weight is negative, or differs between the rows of an intent.
    """
    what = f"{who}: intents"
    hint = "OnSubtopics(pipeline, subtopics) returns scores for intents, and so does oracle_intent_scores(qrels)."
    check_columns(frame, ("iteration", "score"), what, hint)
    columns = Columns(frame, ("query_id", "iteration", "doc_id", "score"), what)
    query = pd.Series(columns.objects("query_id"))
    kept = query.isin([one.query_id for one in queries]).to_numpy()
    columns = Columns(frame[kept], (), what)
    table = pd.DataFrame(
        {
            "query": query[kept].to_numpy(),
            "intent": columns.objects("iteration"),
            "doc": columns.objects("doc_id"),
            "score": columns.numbers("score"),
            "weight": _weight(columns),
        }
    )
    first = table.groupby(["query", "intent"])["weight"].transform("first")
    columns.refuse((first != table["weight"]).to_numpy(), "weight", "must be the same in all rows of a query's intent")
    twice = table.duplicated(["query", "intent", "doc"]).to_numpy()
    columns.refuse(twice, "doc_id", "must appear once for each intent of a query")
    rows = dict(iter(table[table["weight"] > 0].groupby("query", sort=False)))
    return [_laid_out(rows.get(one.query_id, table[:0]), one.docs) for one in queries]


def _weight(columns: Columns) -> np.ndarray:
    if "weight" not in columns:
        return np.ones(len(columns.frame))
    weight = columns.numbers("weight")
    columns.refuse(weight < 0, "weight", "must not be negative")
    return weight


def _laid_out(rows: pd.DataFrame, docs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of a query's documents, given the rows of the query that have a weight above 0."""
    weights = rows.groupby("intent")["weight"].first()
    names = sorted(weights.index, key=by_number)
    row, column = (pd.Index(ids).get_indexer(rows[of]) for ids, of in ((docs, "doc"), (names, "intent")))
    scores = np.full((len(docs) + 1, len(names)), np.nan)  # other documents have the place -1, which is the last row
    scores[row, column] = rows["score"]
    return scores[:-1], weights[names].to_numpy() / max(weights.sum(), 1.0)
