"""The base classes of steps, which evaluate, cut or re-rank results query by query; and a budget of tokens."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import chain, count
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from ..arithmetic import divide
from ..frames import RUN_COLUMNS, Columns, in_order
from ..ideal import TIE
from ..parameters import Parameter

Normalise = Literal["sum", "max", "minmax"] | None

N_CHOSEN = Parameter(int, interval="[1, inf)")
NORMALISE = Parameter(str, choices=("sum", "max", "minmax"))

# Sums of larger scores could overflow.
_LARGEST_SCORE = 1e100


class Candidates(NamedTuple):
    """The documents of one query by descending score, then docno, and ``rows``, their places in the results."""

    query_id: str
    docs: np.ndarray
    scores: np.ndarray
    rows: np.ndarray


class Step(pt.Transformer):  # type: ignore[misc]
    """A step of a pipeline.

    Attributes
    ----------
    LABEL : str
        Its name in the schematic of a pipeline, by default that of the class.
    PAPER : str, optional
        The address that its name in a schematic links to.
    FIXED : frozenset of str
        Attributes that cannot be changed, because other attributes were computed from them.
    PARAMETERS : dict of str to Parameter
        The parameters. Attributes of these names are checked whenever they are set.
    LIMIT : str
        The parameter that limits the documents of a query, if there is one.
    """

    LABEL: ClassVar[str] = ""
    PAPER: ClassVar[str | None] = None
    FIXED: ClassVar[frozenset[str]] = frozenset()
    PARAMETERS: ClassVar[dict[str, Parameter]] = {}
    LIMIT: ClassVar[str] = "k"

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute, unless it is fixed or out of range; a ``ValueError`` names the parameter."""
        if name in self.FIXED and name in vars(self):
            raise AttributeError(f"{self.who}: {name} cannot be changed; make another {self.who}.")
        parameter = self.PARAMETERS.get(name)
        if parameter is not None and (value is not None or parameter.default is not None):
            parameter.check(self.who, name, value)
        super().__setattr__(name, value)

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, Any]:
        """Return the label, the link and the settings for a schematic: the step as it prints itself."""
        return {"label": self.LABEL or self.who, "help_url": self.PAPER, "settings": {"step": repr(self)}}

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer | None:
        """Return a pipeline that finds only ``k`` documents before a cutoff; None if that changes nothing."""
        limit = getattr(self, self.LIMIT, 0)
        if limit is not None and limit <= k:
            return None
        fewer = copy(self)
        setattr(fewer, self.LIMIT, k)
        return fewer >> pt.RankCutoff(k)

    @property
    def who(self) -> str:
        """The name of the class, for messages."""
        return type(self).__name__


class Reranker(Step):
    """Choose ``k`` documents of each query and put them first; the others keep their order."""

    k: int | None
    normalise: Normalise

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of the results in their new order, with new columns ``score`` and ``rank``."""
        pt.validate.result_frame(inp, extra_columns=["score"], context=self)
        if inp.empty:
            return pt.model.add_ranks(inp.assign(score=inp["score"].astype(np.float64)))
        if "turn" in inp:
            raise ValueError(
                f"{self.who}: cannot re-rank a session, whose turns have a fixed order. Drop the column turn to "
                "re-rank its documents."
            )
        queries = candidates(inp, self.who)
        chosen = self._choose(inp, queries)
        # The chosen documents, then the others in their original order.
        rows = [
            query.rows[np.append(first, np.setdiff1d(np.arange(len(query.rows)), first))]
            for query, first in zip(queries, chosen, strict=True)
        ]
        frame = inp.iloc[np.concatenate(rows)].reset_index(drop=True)
        # Whole numbers stay distinct even in single precision.
        return pt.model.add_ranks(frame.assign(score=np.concatenate([np.arange(len(of), 0.0, -1.0) for of in rows])))

    def _choose(self, inp: pd.DataFrame, queries: Sequence[Candidates]) -> Iterable[np.ndarray]:
        """Return the documents chosen for each query, as indices into its candidates, best first."""
        raise NotImplementedError

    def n_chosen(self, query: Candidates) -> int:
        """Return how many documents of a query to choose."""
        return len(query.docs) if self.k is None else int(min(self.k, len(query.docs)))

    def relevance(self, query: Candidates) -> np.ndarray:
        """Return the scores of a query's documents in [0, 1]."""
        what = f"{self.who}: the score of a result of {query.query_id!r}"
        return normalised(query.scores, self.normalise, what)

    def __repr__(self) -> str:
        """Return the name and the parameters."""
        values = {name: getattr(self, name) for name in self.PARAMETERS}
        plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in values.items()}
        return f"{self.who}({', '.join(f'{name}={value!r}' for name, value in plain.items())})"


class TokenBudget(Step):
    """Keep the top documents that fit into a number of tokens, to compare systems with the same amount of context.

    Parameters
    ----------
    budget : float > 0
        How many tokens the documents of a query may have together.
    column : str
        The column with the length of each document, in the unit of the budget.

    Raises
    ------
    ValueError
        If the budget is out of range. When used: if the column is missing, or a length is missing or negative.

    Notes
    -----
    R -> R: the rows in ranking order, up to the first document that does not fit. Later documents are left out even if
    they would fit, as in a prompt that is filled from the top. Ranking order is by descending score, then by descending
    document id, and turn by turn if there is a column ``turn``. A document that appears twice in a session counts
    twice.

    Examples
    --------
    >>> results = pd.DataFrame({"qid": "q", "docno": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]})
    >>> TokenBudget(500)(results.assign(doc_len=[300, 200, 100]))["docno"].tolist()
    ['a', 'b']
    >>> TokenBudget(40, "words")(results.assign(words=[30, 20, 5]))["docno"].tolist()
    ['a']
    """

    PARAMETERS = {"budget": Parameter(float, interval="(0, inf)")}

    def __init__(self, budget: float, column: str = "doc_len") -> None:
        self.PARAMETERS["budget"].check(self.who, "budget", budget)  # which must not be omitted
        self.budget = budget
        self.column = column

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows that fit, with a new column ``rank``."""
        pt.validate.result_frame(inp, extra_columns=["score", self.column], context=self)
        rows = in_ranking_order(inp, "TokenBudget")
        columns = Columns(rows, (), "TokenBudget")
        length = columns.numbers(self.column)
        columns.refuse(length < 0, self.column, "must not be negative")
        total = pd.Series(length, rows.index).groupby(rows["query_id"], sort=False).cumsum()
        # Lengths are not negative, so the documents that fit are the top of the ranking.
        kept = rows[total <= self.budget]
        place = kept.groupby("query_id", sort=False).cumcount().to_numpy()
        return inp.iloc[kept.index].reset_index(drop=True).assign(rank=place + pt.model.FIRST_RANK)

    def __repr__(self) -> str:
        """Return the budget and the column."""
        return f"TokenBudget({self.budget!r}, {self.column!r})"


def stages(pipeline: pt.Transformer) -> Callable[[pd.DataFrame], dict[str, pd.DataFrame]]:
    """Return a function that gives the results after each step of a pipeline, to see which step loses which intents.

    Parameters
    ----------
    pipeline : pt.Transformer
        Steps joined by ``>>``. Steps that PyTerrier fuses, such as a retriever and a cutoff, are run as the fused ones.

    Returns
    -------
    callable
        A function of topics or results. It returns the results after each step that gives documents with scores, as
        runs for `missed_intents` and `evaluate_runs`. They are named as the steps print themselves, or after their
        classes; repeated names are numbered.

    Raises
    ------
    ValueError
        If no step gives documents with scores.
    TypeError
        If ``pipeline`` is not a transformer.

    Examples
    --------
    >>> from pyterrier_diversity import StRecall, evaluate_runs
    >>> from pyterrier_diversity.transformers import BM25, OnSubtopics, XQuAD
    >>> demo = pt.get_dataset("diversity:demo")
    >>> scorer = BM25(demo.get_corpus_iter(verbose=False))
    >>> xquad = XQuAD(OnSubtopics(scorer, demo.get_topics("subtopics"), rescore=True), k=3)
    >>> bm25 = pt.Transformer.from_df(demo.get_results("bm25"))
    >>> results = stages(bm25 >> pt.RankCutoff(10) >> xquad >> pt.RankCutoff(3))(demo.get_topics())
    >>> evaluate_runs(demo.get_qrels(), results, [StRecall]).round(3)
                                           name  StRecall
    0                         SourceTransformer     1.000
    1                            RankCutoff(10)     0.877
    2  XQuAD(lambda_=0.5, normalise='sum', k=3)     0.877
    3                             RankCutoff(3)     0.837
    """
    if not isinstance(pipeline, pt.Transformer):
        raise TypeError(f"stages: pipeline must be a transformer, not {type(pipeline).__name__}.")
    compiled = pipeline.compile()
    steps = [*compiled] if isinstance(compiled, pt.Compose) else [compiled]

    def results(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
        found: dict[str, pd.DataFrame] = {}
        for step in steps:
            frame = step(frame.copy())  # a step may change what it is given
            if {"docno", "score"} <= {*frame}:
                text = repr(step)
                name = type(step).__name__ if text == object.__repr__(step) else text
                names = chain([name], (f"{name} ({n})" for n in count(2)))
                found[next(name for name in names if name not in found)] = frame
        if not found:
            raise ValueError(f"stages: no step of {pipeline!r} gives documents with scores.")
        return found

    return results


def candidates(results: pd.DataFrame, who: str) -> list[Candidates]:
    """Read results query by query, in the order in which the queries appear.

    Raises
    ------
    ValueError
        If a value is missing, a score is not finite, or a query has a document twice.
    """
    frame = in_ranking_order(results, who)
    columns = Columns(results, (), who).of(frame)
    columns.refuse(frame.duplicated(["query_id", "doc_id"]).to_numpy(), "doc_id", "must appear once in a query")
    return [
        Candidates(str(name), rows["doc_id"].to_numpy(dtype=object), rows["score"].to_numpy(), rows.index.to_numpy())
        for name, rows in frame.groupby("query_id", sort=False)
    ]


def check_columns(frame: Any, names: Iterable[str], what: str, hint: str) -> None:
    """Raise an error unless ``frame`` is a frame with these columns."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{what} must be a frame, not {type(frame).__name__}. {hint}")
    if missing := [name for name in names if name not in frame]:
        found = ", ".join(map(str, frame.columns))
        raise ValueError(f"{what}: missing column {', '.join(missing)}; found: {found}. {hint}")


def in_ranking_order(results: pd.DataFrame, who: str) -> pd.DataFrame:
    """Return results by query and rank, with ir_measures' names; the index has the place of each row before.

    Raises
    ------
    ValueError
        If a value is missing, or a score is not finite.
    """
    columns = Columns(results, RUN_COLUMNS, who)
    rows = in_order(columns).rows
    frame = columns.renamed().reset_index(drop=True).assign(score=columns.numbers("score"))
    return frame if rows is None else frame.iloc[rows]


def retrieved(queries: pd.DataFrame, found: Sequence[Mapping[str, float]]) -> pd.DataFrame:
    """Return the documents found for each query, the best first, with their scores and all columns of the queries."""
    rows = [(row, doc, float(score)) for row, of_query in enumerate(found) for doc, score in of_query.items()]
    row, docs, scores = zip(*rows, strict=True) if rows else ((), (), ())
    frame = queries.iloc[list(row)].reset_index(drop=True)
    return pt.model.add_ranks(frame.assign(docno=np.array(docs, dtype=object), score=list(scores)))


def normalised(scores: np.ndarray, how: Normalise, what: str) -> np.ndarray:
    r"""Bring the scores of a query's documents into [0, 1].

    Parameters
    ----------
    scores : ndarray, shape (n_docs,) or (n_docs, n_intents)
        Scores. NaN counts as 0, or as the lowest score of the intent if that is below 0.
    how : {"sum", "max", "minmax"} or None
        "sum" and "max" divide by the sum or the maximum of the documents' scores. "minmax" maps the lowest score to 0
        and the highest to 1, or all to 0 if they are equal. None leaves them as they are; they must be probabilities.
    what : str
        The name of a score in messages, with the caller and the query.

    Raises
    ------
    ValueError
        If a score is negative and ``how`` is not "minmax", above 1 and ``how`` is None, or above 1e100 in size.
    """
    if np.nanmax(np.abs(scores), initial=0.0) > _LARGEST_SCORE:
        raise ValueError(f"{what} must be at most {_LARGEST_SCORE:g} in size, not {np.nanmax(np.abs(scores)):g}.")
    lowest = np.fmin.reduce(scores, axis=0, initial=0.0)
    scores = np.where(np.isnan(scores), lowest, scores)
    if how == "minmax":
        least = scores.min(axis=0)
        return divide(scores - least, scores.max(axis=0) - least)
    if how is None and scores.max(initial=0.0) > 1:
        raise ValueError(
            f"{what} must be a probability if normalise is None, but one is {scores.max():g}. Use normalise='sum' or "
            "'max' for other scores."
        )
    if scores.min(initial=0.0) < 0:
        raise ValueError(
            f"{what} must not be negative, but one is {scores.min():g}. Use normalise='minmax', or the exponential of "
            "a log-likelihood."
        )
    if how is None:
        return scores
    return divide(scores, scores.sum(axis=0) if how == "sum" else scores.max(axis=0))


def first_best(values: np.ndarray, left: np.ndarray) -> int:
    """Return the index of the largest remaining value, or of the first one that equals it up to rounding."""
    values = np.where(left, values, -np.inf)
    best = values.max()
    return int(np.argmax(values >= best - TIE * abs(best)))
