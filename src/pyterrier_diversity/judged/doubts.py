"""What may be wrong with a run: counts and examples, which are added up over its parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from ..frames.order import OddOrder
from ..frames.warned import Told, give
from ..warnings import DataWarning, IdsWarning, RanksWarning, RepeatsWarning


class Doubts:
    """What may be wrong with a run, or with some of its queries.

    Parameters
    ----------
    fewest : int
        With fewer queries, documents may by chance all have the same score, or none of them may be judged.

    Attributes
    ----------
    fewest : int
        As the parameter.
    is_judged : bool
        Whether a document is judged.
    """

    def __init__(self, fewest: int = 1) -> None:
        self.fewest, self.is_judged = fewest, False
        self._order = OddOrder()
        self._query_ids: list[str] = []
        self._qrels_ids: list[str] = []
        self._is_shared = False
        self._counts: Counter[str] = Counter()
        # The example of each kind in the first query of the qrels.
        self._examples: dict[str, tuple[int, str]] = {}

    def add_order(self, order: OddOrder) -> None:
        """Add what is odd about the order of documents."""
        self._order = self._order.plus(order)

    def add_queries(self, run: Sequence[str], qrels: Sequence[str], *, is_shared: bool) -> None:
        """Add queries of the run; tell whether one of them is in the qrels."""
        self._query_ids = [*self._query_ids, *run[:3]][:3]
        self._qrels_ids = [*qrels[:1]]
        self._is_shared |= is_shared

    def add(self, kind: Literal["repeated", "unjudged", "judged"], n: int, query: int, example: str) -> None:
        """Add a number of documents or queries, and an example with the place of its query in the qrels.

        Repeated rows, or queries without a judged document in the run, or with one in the qrels.
        """
        self._counts[kind] += n
        self._examples[kind] = min((query, example), self._examples.get(kind, (query, example)))

    def warn(self) -> None:
        """Give a warning for each doubt."""
        give(map(Told, self.warnings()))

    def warnings(self) -> Iterator[DataWarning]:
        """Yield a warning for each doubt."""
        n, examples = self._counts, {kind: example for kind, (_, example) in self._examples.items()}
        odd = self._order.message(self.fewest)
        if odd:
            yield RanksWarning(odd)
        if n["repeated"]:
            yield RepeatsWarning(
                f"The run repeats documents within a query, such as {examples['repeated']}. Only the best rank of each "
                f"counts (repeated rows: {n['repeated']})."
            )
        if self._query_ids and self._qrels_ids and not self._is_shared:
            names = ", ".join(map(repr, self._query_ids))
            message = f"No query of the run ({names}, ...) is in the qrels ({self._qrels_ids[0]!r}, ...)."
            yield IdsWarning(f"{message} Do the query ids match?")
        if not self.is_judged and n["unjudged"] >= self.fewest:
            theirs = f"{examples['judged']} in the qrels" if "judged" in examples else "no judged documents at all"
            yield IdsWarning(
                f"No document of the run is judged in any of the {n['unjudged']} queries that it shares with the "
                f"qrels: {examples['unjudged']} in the run, {theirs}. Do the document ids match?"
            )
