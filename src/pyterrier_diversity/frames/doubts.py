"""What may be wrong with a run: counts and examples, which are added up over its parts."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from ..warnings import DataWarning, IdsWarning, RanksWarning, RepeatsWarning
from .warned import Told, give

# Queries, those whose order is odd (a lower rank has a higher score; scores rise down the rows as given; all documents
# have the same score), and those with ranks; pairs of documents with the same score that ranks do not order; repeated
# rows; queries of the run and of the qrels, if they share none; queries without a judged document in the run, and
# whether the qrels have one.
Doubt = Literal[
    "query", "contradicted", "rising", "tied", "ranked", "unranked", "repeated", "run", "qrels", "unjudged", "judged"
]


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
    is_judged, is_shared : bool
        Whether a document of the run is judged, and whether the qrels have a query of the run.
    """

    def __init__(self, fewest: int = 1) -> None:
        self.fewest, self.is_judged, self.is_shared = fewest, False, False
        self._n: defaultdict[Doubt, int] = defaultdict(int)
        self._examples: dict[Doubt, tuple[int, str]] = {}

    def add(self, doubt: Doubt, n: int, example: str = "", place: int = 0) -> None:
        """Add a number of cases, and an example; the first one at the lowest place counts."""
        if n:
            self._n[doubt] += n
            if place < self._examples.setdefault(doubt, (place, example))[0]:
                self._examples[doubt] = place, example

    def warn(self) -> None:
        """Give a warning for each doubt."""
        give(map(Told, self.warnings()))

    def warnings(self) -> Iterator[DataWarning]:
        """Yield a warning for each doubt."""
        n, such_as = self._n, {doubt: example for doubt, (_, example) in self._examples.items()}
        if n["contradicted"]:
            yield RanksWarning(
                f"Scores and ranks contradict each other in {n['contradicted']} of {n['query']} queries of the run, "
                f"such as {such_as['contradicted']}. The score counts; to use the rank, read the run with order='rank'."
            )
        elif n["query"] >= self.fewest and 0 < n["rising"] == n["query"]:
            yield RanksWarning(
                f"Scores rise down the rows of every query of the run, such as {such_as['rising']}. If lower is "
                "better, as for distances, negate them before the run is read: run.assign(score=-run['score'])."
            )
        # In half of the queries or more, all documents have one score, unless ranks agree.
        elif n["query"] >= self.fewest and n["unranked"] and 2 * n["tied"] >= n["query"]:
            how = ", not by rank or by their order in a list; to use these, read the run with order='rank'"
            yield RanksWarning(
                f"All documents have the same score in {n['tied']} of {n['query']} queries of the run, such as "
                f"{such_as['tied']}. They are ordered by descending document id{how if n['ranked'] else ''}."
            )
        if n["repeated"]:
            yield RepeatsWarning(
                f"The run repeats documents within a query, such as {such_as['repeated']}. Only the best rank of each "
                f"counts (repeated rows: {n['repeated']})."
            )
        if n["run"] and n["qrels"] and not self.is_shared:
            message = f"No query of the run ({such_as['run']}, ...) is in the qrels ({such_as['qrels']}, ...)."
            yield IdsWarning(f"{message} Do the query ids match?")
        if not self.is_judged and n["unjudged"] >= self.fewest:
            theirs = f"{such_as['judged']} in the qrels" if n["judged"] else "no judged documents at all"
            yield IdsWarning(
                f"No document of the run is judged in any of the {n['unjudged']} queries that it shares with the "
                f"qrels: {such_as['unjudged']} in the run, {theirs}. Do the document ids match?"
            )
