"""The evaluator: computes the values of measures for a run and qrels. Every value of this package comes from here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from itertools import chain, cycle, repeat
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.measures.base import MeanAgg
from ir_measures.providers import Evaluator
from ir_measures.util import CalcResults

from ..io.forms import frame_of
from ..judged import (
    QRELS_COLUMNS,
    RUN_COLUMNS,
    Judgements,
    Order,
    Ranked,
    Run,
    View,
    ideal,
    judge,
)
from ..measures.base import (
    CompositeMeasure,
    DiversityMeasure,
    Normalised,
    formula_of,
    identity,
    implementation,
    is_ours,
)
from ..progress import progress
from .delegated import Bare, OverView
from .doubts import warn_of_qrels

_View = tuple[View, float | None]

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
    qrels : DataFrame, list of dicts or of named tuples, dict, or file
        Qrels in any form that `io.read_qrels` reads but a file.

    Raises
    ------
    ValueError
        If the qrels cannot be read or a measure cannot be computed. When evaluating a run: if another provider would
        not read the highest label of a document, as for ad-hoc measures on qrels with several intents.

    Warns
    -----
    UserWarning
        If a measure reads intents and none of several queries has two, or no label is full support for `NuggetScore`.
    """

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> None:
        ordered = sorted(measures, key=repr) if isinstance(measures, (set, frozenset)) else list(measures)
        if not isinstance(qrels, pd.DataFrame):  # an iterator can be read only once
            qrels = frame_of(qrels, QRELS_COLUMNS, "qrels")
        self.judgements = judge(qrels)
        self._evaluation = Evaluation(self.judgements, ordered, qrels)
        self._knows_ideals = False
        super().__init__(ordered, self.judgements.query_ids)
        warn_of_qrels(self.judgements, ordered)

    def values(self, run: Any) -> np.ndarray:
        """Return the values of each measure for the queries of the qrels; a query without a ranking gets the default.

        Parameters
        ----------
        run : DataFrame, list of dicts or of named tuples, dict, Run or Ranked
            A run in any form that `io.read_run` reads but a file, or the relevant documents that rankings retrieve.

        Returns
        -------
        ndarray, shape (measures, queries)
        """
        if not isinstance(run, Ranked):
            if not isinstance(run, (Run, pd.DataFrame)):
                run = frame_of(run, RUN_COLUMNS, "run")
            run = Ranked.of_run(run if isinstance(run, Run) else Run(run), self.judgements, self._evaluation.depth)
        return self._evaluation.values(run)

    def find_ideals(self) -> None:
        """Find all ideal rankings, with a progress bar, before the first run is evaluated: some take long."""
        ideals = [] if self._knows_ideals else self._evaluation.ideals
        for judgements, order, cutoff in progress(ideals, "ideal rankings", unit="measure"):
            ideal(judgements, order, cutoff)
        self._knows_ideals = True

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
        return dict(zip(self.measures, map(aggregated, self.measures, self.values(run)), strict=True))

    def calc(self, run: Any) -> CalcResults:
        """Return aggregates and the value of each measure for each query."""
        self._check_queries()
        return super().calc(run)

    def _check_queries(self) -> None:
        if not len(self.judgements):
            raise ValueError("qrels must not be empty: there are no queries to aggregate over.")


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
        self._implementation = formula_of if qrels is None else implementation
        # The row of each measure in the values; the parts of composites come before them.
        self._rows: dict[tuple[Any, ...], int] = {}
        self._formulas: dict[tuple[Any, ...], list[tuple[int, DiversityMeasure]]] = defaultdict(list)
        self._composites: list[tuple[int, CompositeMeasure, list[tuple[_View | None, int]]]] = []
        self._others: dict[int, ir_measures.Measure] = {}
        needed: dict[_View, list[ir_measures.Measure]] = defaultdict(list)
        self._asked = [self._assign(measure, needed) for measure in measures]
        self._defaults = np.array([float(measure.DEFAULT) for _, measure, *_ in self._rows]).reshape(-1, 1)
        self._views = {view: Evaluation(judgements.view(*view), parts) for view, parts in needed.items()}
        others = list(self._others.values())
        self._delegated = (
            (Bare(others, qrels) if qrels is not None else OverView(others, judgements)) if others else None
        )

    def _assign(self, measure: ir_measures.Measure, needed: dict[_View, list[ir_measures.Measure]]) -> int:
        """Assign a measure to what computes it, and return its row."""
        key = identity(measure)
        if key in self._rows:
            return self._rows[key]
        ours = self._implementation(measure)
        parts: list[tuple[_View | None, int]] = []
        for part in ours.parts() if isinstance(ours, CompositeMeasure) else ():
            view = part.view, part.rel
            if view == ("intents", None) and is_ours(part.measure):
                parts.append((None, self._assign(part.measure, needed)))
            else:
                parts.append((view, len(needed[view])))
                needed[view].append(part.measure)
        row = self._rows[key] = len(self._rows)
        if ours is None:
            self._others[row] = measure
        elif isinstance(ours, CompositeMeasure):
            self._composites.append((row, ours, parts))
        else:
            cutoff = None if ours.COUNTS_TURNS else ours.get("cutoff")
            self._formulas[(ours.VIEW, ours.get("rel")), bool(ours.get("judged_only")), cutoff].append((row, ours))
        return row

    @cached_property
    def depth(self) -> int | None:
        """The number of ranks that the measures read, or None for all."""
        depths = [None if judged_only else cutoff for _, judged_only, cutoff in self._formulas]
        depths += [evaluation.depth for evaluation in self._views.values()]
        depths += [] if self._delegated is None else [self._delegated.depth]
        limits = [depth for depth in depths if depth is not None]
        return max(limits) if len(limits) == len(depths) > 0 else None

    @property
    def ideals(self) -> list[tuple[Judgements, Order, int | None]]:
        """The ideal rankings that the measures are divided by, as `judged.ideal` takes them."""
        here = [
            (self._judgements.view(*view), measure.normaliser, cutoff)
            for (view, _, cutoff), measures in self._formulas.items()
            for _, measure in measures
            if isinstance(measure, Normalised) and self._judgements.columns.issuperset(measure.NEEDS)
        ]
        return [*here, *(each for evaluation in self._views.values() for each in evaluation.ideals)]

    def values(self, found: Ranked) -> np.ndarray:
        """Return the values of each measure for the queries of the view, shape (measures, queries).

        Parameters
        ----------
        found : Ranked
            Rankings over the judgements as read, not over the view.
        """
        here = found.view(self._judgements)
        values = np.empty((len(self._rows), len(here.n)))
        rankings: dict[tuple[Any, ...], Ranked] = {}
        for (view, judged_only, cutoff), measures in self._formulas.items():
            if (view, judged_only) not in rankings:
                ranked = found.view(self._judgements.view(*view))
                rankings[view, judged_only] = ranked.judged_only() if judged_only else ranked
            ranked = rankings[view, judged_only].top(cutoff)
            for row, measure in measures:
                if measure.NEEDS and here.n.any():
                    _check_columns(self._judgements, measure)
                values[row] = _one_for_each(measure, measure.score(ranked), len(here.n))
        if self._delegated is not None:
            values[list(self._others)] = self._delegated.values(here)
        viewed = {view: evaluation.values(found) for view, evaluation in self._views.items()}
        for row, composite, parts in self._composites:
            of_parts = [values[place] if view is None else viewed[view][place] for view, place in parts]
            values[row] = _one_for_each(composite, composite.combine(of_parts, self._judgements), len(here.n))
        if not np.isfinite(values).all():
            self._check_finite(values)
        if not here.n.all():
            values = np.where(here.n == 0, self._defaults, values)
        return values[self._asked]

    def _check_finite(self, values: np.ndarray) -> None:
        """Raise a ``ValueError`` if a measure of this package is not finite."""
        bad = np.argwhere(~np.isfinite(values))
        for row, query in bad[~np.isin(bad[:, 0], list(self._others))]:
            measure = list(self._rows)[row][1]
            raise ValueError(
                f"{measure}: score must return finite numbers, but returned {values[row, query]} for query "
                f"{self._judgements.query_ids[query]!r}."
            )


def _one_for_each(measure: DiversityMeasure, values: Any, n_queries: int) -> np.ndarray:
    """Return the values of a measure, or raise a ``ValueError`` unless there is one number for each query."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"{measure}: score must return one number for each query: {str(error).rstrip('.')}."
        ) from error
    if numbers.shape != (n_queries,):
        n = {0: "one", 1: str(numbers.size)}.get(numbers.ndim, f"an array of shape {numbers.shape}")
        raise ValueError(
            f"{measure}: score must return one number for each query, but returned {n} for {n_queries} queries. Sum "
            "the values of entries with ranked.total(...)."
        )
    return numbers


def aggregated(measure: ir_measures.Measure, values: np.ndarray) -> float:
    """Return the aggregate of a measure's values."""
    aggregator = measure.aggregator()
    if type(aggregator) is MeanAgg and len(values):
        # Sums in the order of the values, as the aggregator does, so that the bits are equal.
        return float(np.cumsum(values)[-1] / len(values))
    for value in values.tolist():
        aggregator.add(value)
    return float(aggregator.result())


def _check_columns(judgements: Judgements, measure: DiversityMeasure) -> None:
    """Raise a ``ValueError`` if a column that a measure requires is missing in the qrels."""
    missing = [column for column in measure.NEEDS if column not in judgements.columns]
    if missing:
        hint = f"; {WRITTEN_BY[missing[0]]}" if missing[0] in WRITTEN_BY else ""
        raise ValueError(f"{measure} needs the column {' and the column '.join(missing)} in the qrels{hint}.")
