"""Cut rankings to a number of tokens."""

import pandas as pd
import pyterrier as pt

from ..frames import Columns
from ..parameters import Parameter
from .steps import Step, in_ranking_order


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
