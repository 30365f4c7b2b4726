"""The evaluator: computes the values of measures for a run and qrels. Every value of this package comes from here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, cycle, repeat
from typing import Any, cast

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.measures.base import MeanAgg
from ir_measures.providers import Evaluator
from ir_measures.util import CalcResults

from ..frames import QRELS_COLUMNS, RUN_COLUMNS, given_frame
from ..judged import Judgements, Order, Ranked, Run, judge
from ..measures.base import (
    CompositeMeasure,
    DiversityMeasure,
    Normalised,
    formula_of,
    identity,
    implementation,
    in_range,
)
from .delegated import Bare, OverView
from .doubts import warn_of_qrels

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
        If the qrels cannot be read or a measure cannot be computed. When evaluating a run: if another provider would
        not read the highest label of a document, as for ad-hoc measures on qrels with several intents.
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


# What a formula reads: a view of the judgements, whether of judged documents only, and the cutoff.
_Reads = tuple[Judgements, bool, int | None]


@dataclass(frozen=True, eq=False)
class _Planned:
    """A measure over a view of the judgements: its implementation, or None if another provider computes it."""

    measure: ir_measures.Measure
    ours: DiversityMeasure | None
    judgements: Judgements
    parts: list[_Planned]

    @cached_property
    def reads(self) -> _Reads:
        """What the formula reads."""
        ours = cast("DiversityMeasure", self.ours)
        cutoff = None if ours.COUNTS_TURNS else ours.get("cutoff")
        return self.judgements.view(ours.VIEW, ours.get("rel")), bool(ours.get("judged_only")), cutoff


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
    """

    def __init__(
        self, judgements: Judgements, measures: Iterable[ir_measures.Measure], qrels: pd.DataFrame | None = None
    ) -> None:
        self._judgements = judgements
        # The parts of composites come before them.
        plan: dict[tuple[Any, ...], _Planned] = {}
        self._asked = [_planned(plan, measure, judgements, is_bare=qrels is not None) for measure in measures]
        self._composites = [(each, each.ours) for each in plan.values() if isinstance(each.ours, CompositeMeasure)]
        alone = [each for each in plan.values() if each.ours and not isinstance(each.ours, CompositeMeasure)]
        # The deepest first: a shorter ideal ranking is the beginning of a longer one.
        alone.sort(key=lambda each: -np.inf if each.reads[2] is None else -each.reads[2])
        self._formulas: dict[_Reads, list[tuple[_Planned, DiversityMeasure]]] = defaultdict(list)
        for each in alone:
            self._formulas[each.reads].append((each, cast("DiversityMeasure", each.ours)))
        others: dict[tuple[Judgements, bool], list[_Planned]] = defaultdict(list)
        for (view, is_bare, _), each in plan.items():
            if each.ours is None:
                others[view, is_bare].append(each)
        self._delegated: list[tuple[list[_Planned], Bare | OverView]] = []
        for (view, is_bare), several in others.items():
            theirs = [each.measure for each in several]
            delegated = Bare(theirs, qrels) if is_bare and qrels is not None else OverView(theirs, view)
            self._delegated.append((several, delegated))

    @cached_property
    def depth(self) -> int | None:
        """The number of ranks that the measures read, or None for all."""
        depths = [None if judged_only else cutoff for _, judged_only, cutoff in self._formulas]
        depths += [delegated.depth for _, delegated in self._delegated]
        limits = [depth for depth in depths if depth is not None]
        return max(limits) if len(limits) == len(depths) > 0 else None

    @property
    def ideals(self) -> list[tuple[Judgements, Order, int | None]]:
        """The ideal rankings that the measures are divided by, as `judged.ideal` takes them."""
        return [
            (view, ours.normaliser, cutoff)
            for (view, _, cutoff), formulas in self._formulas.items()
            for each, ours in formulas
            if isinstance(ours, Normalised) and each.judgements.columns.issuperset(ours.NEEDS)
        ]

    def values(self, found: Ranked) -> np.ndarray:
        """Return the values of each measure for the queries of the view, shape (measures, queries).

        Parameters
        ----------
        found : Ranked
            Rankings over the judgements as read, not over the view.
        """
        values: dict[_Planned, np.ndarray] = {}
        for several, delegated in self._delegated:
            values |= zip(several, delegated.values(found.view(several[0].judgements)), strict=True)
        wholes: dict[tuple[Judgements, bool], Ranked] = {}
        for (view, judged_only, cutoff), formulas in self._formulas.items():
            if (view, judged_only) not in wholes:
                wholes[view, judged_only] = found.view(view).judged_only() if judged_only else found.view(view)
            ranked = wholes[view, judged_only].top(cutoff)
            for each, ours in formulas:
                if found.view(each.judgements).n.any():
                    _check_columns(each.judgements, ours)
                values[each] = _checked(each, ours, ours.score(ranked), found)
        for each, composite in self._composites:
            of_queries = composite.combine([values[part] for part in each.parts], each.judgements)
            values[each] = _checked(each, composite, of_queries, found)
        return np.array([values[each] for each in self._asked]).reshape(len(self._asked), len(self._judgements))


def _checked(planned: _Planned, ours: DiversityMeasure, values: Any, found: Ranked) -> np.ndarray:
    """Return checked values of a measure, with its default for queries without a ranking."""
    checked = in_range(ours, _one_for_each(planned, values), planned.judgements.query_ids)
    no_ranking = found.view(planned.judgements).n == 0
    return np.where(no_ranking, planned.measure.DEFAULT, checked) if no_ranking.any() else checked


def _planned(
    plan: dict[tuple[Any, ...], _Planned], measure: ir_measures.Measure, judgements: Judgements, is_bare: bool = False
) -> _Planned:
    """Return a measure with its implementation over a view, after its parts were added to the plan."""
    ours = implementation(measure) if is_bare else formula_of(measure)
    key = judgements, is_bare and ours is None, identity(measure)
    if key not in plan:
        parts = ours.parts() if isinstance(ours, CompositeMeasure) else ()
        of_parts = [_planned(plan, part.measure, judgements.view(part.view, part.rel)) for part in parts]
        plan[key] = _Planned(measure, ours, judgements, of_parts)
    return plan[key]


def _one_for_each(planned: _Planned, values: Any) -> np.ndarray:
    """Return the values of a measure, or raise a ``ValueError`` unless there is a finite number for each query."""
    rule, query_ids = "score must return", planned.judgements.query_ids
    try:
        if values is None or np.iscomplexobj(values):
            raise TypeError(f"it returned {'nothing' if values is None else 'complex numbers'}")
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{planned.measure}: {rule} one number for each query: {str(error).rstrip('.')}.") from error
    if numbers.shape != (len(query_ids),):
        n = {0: "one", 1: str(numbers.size)}.get(numbers.ndim, f"an array of shape {numbers.shape}")
        raise ValueError(
            f"{planned.measure}: {rule} one number for each query, but it returned {n} for {len(query_ids)} queries. "
            "To sum over the entries of a query, use ranked.total(...)."
        )
    if not np.isfinite(numbers).all():
        bad = int(np.argmin(np.isfinite(numbers)))
        raise ValueError(
            f"{planned.measure}: {rule} finite numbers, but it returned {numbers[bad]} for query {query_ids[bad]!r}."
        )
    return numbers


def aggregated(measures: Iterable[ir_measures.Measure], values: np.ndarray) -> np.ndarray:
    """Return the aggregates of each measure's values over the last axis, which are queries."""
    n = values.shape[-1]
    # Sums in the order of the values, as the aggregator of means does, so that the bits are equal.
    found = np.cumsum(values, axis=-1)[..., -1] / n if n else np.zeros(values.shape[:-1])
    for i, measure in enumerate(measures):
        if n and type(measure.aggregator()) is MeanAgg:
            continue
        for place in np.ndindex(values.shape[1:-1]):
            aggregator = measure.aggregator()
            for value in values[(i, *place)].tolist():
                aggregator.add(value)
            found[(i, *place)] = aggregator.result()
    return found


def _check_columns(judgements: Judgements, measure: DiversityMeasure) -> None:
    """Raise a ``ValueError`` if a column that a measure requires is missing in the qrels."""
    missing = [column for column in measure.NEEDS if column not in judgements.columns]
    if missing:
        hint = f"; {WRITTEN_BY[missing[0]]}" if missing[0] in WRITTEN_BY else ""
        raise ValueError(f"{measure} needs the column {' and the column '.join(missing)} in the qrels{hint}.")
