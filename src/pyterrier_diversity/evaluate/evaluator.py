"""The evaluator: computes the values of measures for a run and qrels. Every value of this package comes from here."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, cycle, repeat
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.measures.base import MeanAgg
from ir_measures.providers import Evaluator
from ir_measures.util import CalcResults

from ..frames import QRELS_COLUMNS, RUN_COLUMNS, given_frame, warn
from ..judged import Judgements, Ranked, Run, judge
from ..measures.base import CompositeMeasure, DiversityMeasure, implementation, parts_of, range_text
from ..warnings import DataWarning, IntentsWarning
from .delegated import Delegated, bare, over_view, refuse_misread

# The largest number that is finite, and how far rounding may lead out of a range.
_LARGEST, _LAST_BITS = float(np.finfo(np.float64).max), 1e-9
_RULE = "score must return one number for each query"

# What to do if the qrels do not have a column that a measure needs.
WRITTEN_BY = {
    "importance": "pyterrier_diversity.io.read_nuggets reads it from nugget files that have it. For others, such as "
    "FreshStack's, only importance='all' makes sense",
    "rarity": "add it with pyterrier_diversity.add_rarity",
    "passage": "read it with pyterrier_diversity.io.read_dd_truth(path, 'passages') (in the shell, give the truth "
    "file, which ends in .xml, as QRELS)",
}
WRITTEN_BY["nugget"] = WRITTEN_BY["passage"]


class DiversityEvaluator(Evaluator):
    """Evaluate any number of runs against qrels that are read once.

    Values are ordered by query, then by measure. Other providers compute their measures from the same qrels and the
    same ranking as this package's measures.

    Parameters
    ----------
    measures : iterable of Measure
        Measures of this package and of ir_measures. The measures of a set are sorted by name.
    qrels : DataFrame, iterable of dicts or of named tuples, or dict
        Qrels with PyTerrier's or ir_measures' names, or as {query: {document: label}}. `io.read_qrels` reads others.
    warn_again : bool
        Whether to warn of qrels although an evaluator of equal qrels and measures already has.

    Attributes
    ----------
    judgements : Judgements
        The qrels as read.
    evaluation : Evaluation
        What computes the values.

    Raises
    ------
    ValueError
        If the qrels cannot be read or a measure cannot be computed, or if another provider would not read the highest
        label of a document, as for ad-hoc measures on qrels with several intents.
    TypeError
        If the qrels, or a run, have another form.

    Warns
    -----
    IntentsWarning, SupportWarning
        If a measure reads intents and none of several queries has two, or no label is full support for `NuggetScore`.
    """

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: Any, *, warn_again: bool = True) -> None:
        ordered = sorted(measures, key=repr) if isinstance(measures, (set, frozenset)) else list(measures)
        qrels = given_frame(qrels, QRELS_COLUMNS, "qrels")  # an iterator can be read only once
        if warn_again:  # the provider has warned instead
            refuse_misread(ordered, qrels)
        self.judgements = judge(qrels)
        self.evaluation = Evaluation(self.judgements, ordered, qrels)
        super().__init__(ordered, self.judgements.query_ids)
        if warn_again:
            warn_of_qrels(self.judgements, ordered)
        else:
            self.judgements.remembered(("doubts", *ordered), lambda: warn_of_qrels(self.judgements, ordered))

    def values(self, run: Any) -> np.ndarray:
        """Return the values of each measure for the queries of the qrels; a query without a ranking gets the default.

        Parameters
        ----------
        run : DataFrame, iterable of dicts or of named tuples, dict, Run or Ranked
            A run with PyTerrier's or ir_measures' names, or as {query: {document: score}}, or the relevant documents
            that rankings retrieve. `io.read_run` reads other forms.

        Returns
        -------
        ndarray, shape (measures, queries)
        """
        if not isinstance(run, Ranked):
            run = run if isinstance(run, Run) else Run(given_frame(run, RUN_COLUMNS, "run"))
            run = Ranked.of_run(run, self.judgements, self.evaluation.depth)
        return self.evaluation.values(run)

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Return the value of each measure for each query of the qrels."""
        values = self.values(run)
        names = chain.from_iterable(map(repeat, self.qrel_qids, repeat(len(values))))
        # The same as Metric(name, measure, value), without a call in Python for each.
        return map(
            partial(tuple.__new__, ir_measures.Metric), zip(names, cycle(self.measures), values.T.ravel().tolist())
        )

    def calc_aggregate(self, run: Any) -> dict[ir_measures.Measure, float]:
        """Return the aggregate of each measure, in the order of the measures.

        Raises
        ------
        ValueError
            If the qrels are empty.
        """
        self._check_queries()
        return dict(zip(self.measures, aggregated(self.measures, self.values(run)).tolist(), strict=True))

    def calc(self, run: Any) -> CalcResults:
        """Return aggregates and the value of each measure for each query."""
        self._check_queries()
        return super().calc(run)

    def _check_queries(self) -> None:
        if not len(self.judgements):
            raise ValueError("qrels must not be empty: they have no queries to aggregate over.")


class Evaluation:
    """Measures over one view of the judgements, computed by their formulas or by other providers.

    Parameters
    ----------
    judgements : Judgements
        The view.
    measures : iterable of Measure
        The measures.
    qrels : DataFrame, optional
        The qrels that measures of other providers read as given, not as parts of other measures.

    Attributes
    ----------
    steps : list
        The measures that are computed here, the largest cutoff first, and composite measures after their parts: what
        each reads, its number, the measure, and the view that it is computed for.
    depth : int or None
        The number of ranks that the measures read, or None for all.
    """

    def __init__(
        self, judgements: Judgements, measures: Iterable[ir_measures.Measure], qrels: pd.DataFrame | None = None
    ) -> None:
        self._judgements = judgements
        self._numbers: dict[tuple[Any, ...], int] = {}
        self.steps: list[tuple[Any, int, DiversityMeasure, Judgements]] = []
        self._others: dict[tuple[Judgements, bool], dict[int, ir_measures.Measure]] = defaultdict(dict)
        self._asked = [self._planned(measure, judgements, is_bare=qrels is not None) for measure in measures]
        self._delegated: list[tuple[Judgements, list[int], list[Delegated]]] = []
        for (view, is_bare), others in self._others.items():
            several = list(others.values())
            parts = bare(several, view, qrels) if is_bare and qrels is not None else over_view(several, view)
            self._delegated.append((view, list(others), parts))
        # The deepest first: a shorter ideal ranking is the beginning of a longer one.
        self.steps.sort(key=lambda step: -(step[0][2] or np.inf) if isinstance(step[0], tuple) else np.inf)
        self._reads = list(dict.fromkeys(reads for reads, *_ in self.steps if isinstance(reads, tuple)))
        self._views = {view for view, *_ in (*self._others, *self._reads)} | {view for *_, view in self.steps}
        depths: list[Any] = [None if judged_only else cutoff for _, judged_only, cutoff in self._reads]
        depths += [part.depth for *_, parts in self._delegated for part in parts]
        self.depth: int | None = None if None in depths else max(depths, default=None)

    def _planned(self, measure: ir_measures.Measure, judgements: Judgements, is_bare: bool = False) -> int:
        """Return the number of a measure over a view in the plan, to which it is added after its parts."""
        ours = implementation(measure, inside=not is_bare)
        is_bare = is_bare and ours is None
        several = ours.parts() if isinstance(ours, CompositeMeasure) else ()
        parts = [self._planned(part.measure, judgements.view(part.view, part.rel)) for part in several]
        # Measures of one name are equal, though they may be of different classes.
        key = judgements, is_bare, type(measure), measure, *parts
        if key in self._numbers:
            return self._numbers[key]
        number = self._numbers[key] = len(self._numbers)
        if ours is None:
            self._others[judgements, is_bare][number] = measure
        elif isinstance(ours, CompositeMeasure):
            self.steps.append((parts, number, ours, judgements))
        else:
            # A view of the judgements, whether of judged documents only, and the cutoff.
            cutoff = None if ours.COUNTS_TURNS else ours.get("cutoff")
            reads = judgements.view(ours.VIEW, ours.get("rel")), bool(ours.get("judged_only")), cutoff
            self.steps.append((reads, number, ours, judgements))
        return number

    def values(self, found: Ranked) -> np.ndarray:
        """Return the values of each measure for the queries of the view, shape (measures, queries).

        Parameters
        ----------
        found : Ranked
            Rankings over the judgements as read, not over the view.
        """
        values: dict[int, np.ndarray] = {}
        over = {view: found.view(view) for view in self._views}
        no_ranking = {view: ranked.n == 0 for view, ranked in over.items() if not ranked.n.all()}
        tops = {
            (view, judged_only, cutoff): (over[view].judged_only if judged_only else over[view]).top(cutoff)
            for view, judged_only, cutoff in self._reads
        }
        for view, theirs, delegated in self._delegated:
            values |= zip(theirs, np.concatenate([part.values(over[view]) for part in delegated], axis=1), strict=True)
        for reads, number, ours, judgements in self.steps:
            if isinstance(ours, CompositeMeasure):
                computed = ours.combine([values[part] for part in reads], judgements)
            else:
                if not judgements.columns.issuperset(ours.NEEDS) and over[judgements].n.any():
                    missing = [column for column in ours.NEEDS if column not in judgements.columns]
                    hint = f"; {WRITTEN_BY[missing[0]]}" if missing[0] in WRITTEN_BY else ""
                    raise ValueError(f"{ours} needs the column {' and the column '.join(missing)} in the qrels{hint}.")
                computed = ours.score(tops[reads])
            values[number] = valid(ours, computed, judgements.query_ids)
            if judgements in no_ranking:  # a query without a ranking has the default
                values[number] = np.where(no_ranking[judgements], ours.DEFAULT, values[number])
        return np.array([values[number] for number in self._asked]).reshape(len(self._asked), len(self._judgements))


def valid(measure: DiversityMeasure, values: Any, query_ids: Sequence[str]) -> np.ndarray:
    """Return the values of a measure within its range, which they may leave only by rounding.

    Raises
    ------
    ValueError
        If there is not one finite number for each query, or one is outside the range by more.
    """
    try:
        if values is None or np.asarray(values).dtype.kind == "c":
            raise TypeError(f"it returned {'nothing' if values is None else 'complex numbers'}")
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{measure}: {_RULE}: {str(error).rstrip('.')}.") from error
    if numbers.shape != (len(query_ids),):
        n = {0: "one", 1: str(numbers.size)}.get(numbers.ndim, f"an array of shape {numbers.shape}")
        raise ValueError(
            f"{measure}: {_RULE}, but it returned {n} for {len(query_ids)} queries. To sum over the entries of a "
            "query, use ranked.total(...)."
        )
    low, high = measure.range()
    smallest, largest = max(low, -_LARGEST), min(high, _LARGEST)
    # For few queries, argmin is faster than min. If a value is NaN, both find it.
    if not len(numbers) or (smallest <= numbers[numbers.argmin()] and numbers[numbers.argmax()] <= largest):
        return numbers
    least, most = (limit + side * _LAST_BITS * max(1.0, abs(limit)) for limit, side in ((low, -1), (high, 1)))
    for query in np.flatnonzero(~np.isfinite(numbers) | (numbers < least) | (numbers > most))[:1].tolist():
        raise ValueError(
            f"{measure}: the values must be in {range_text(low, high)}, the range of this measure, but that of query "
            f"{query_ids[query]!r} is {numbers[query]}."
        )
    return numbers.clip(low, high)


def aggregated(measures: Iterable[ir_measures.Measure], values: np.ndarray) -> np.ndarray:
    """Return the aggregates of each measure's values over the last axis, which are queries."""
    n = values.shape[-1]
    # Sums in the order of the values, as the aggregator of means does, so that the bits are equal.
    found = values.cumsum(axis=-1)[..., -1] / n if n else np.zeros(values.shape[:-1])
    for i, measure in enumerate(measures):
        if n and type(measure.aggregator()) is MeanAgg:
            continue
        for place in np.ndindex(values.shape[1:-1]):
            aggregator = measure.aggregator()
            for value in values[(i, *place)].tolist():
                aggregator.add(value)
            found[(i, *place)] = aggregator.result()
    return found


def warn_of_qrels(judgements: Judgements, measures: Sequence[ir_measures.Measure]) -> None:
    """Warn if qrels probably do not fit the measures."""
    found = [ours.warning(judgements) for ours in map(implementation, measures) if ours is not None]
    parts = [part for measure in measures for part in parts_of(measure)]
    if any(view == "each intent" or (ours is not None and view == ours.VIEW == "intents") for view, ours in parts):
        found += single_intents(judgements)
    for warning in {str(one): one for one in found if one is not None}.values():
        warn(warning)


def single_intents(judgements: Judgements) -> Iterator[DataWarning]:
    """Yield a warning if there are several queries, and none has more than one intent."""
    if len(judgements) > 1 and np.bincount(judgements.named.query).max() == 1:
        yield IntentsWarning(
            "No query has more than one intent, so every measure equals its ad-hoc form. Were the intents lost, as "
            "with pt.io.read_qrels?"
        )
