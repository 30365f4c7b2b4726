"""The evaluator: computes the values of measures for a run and qrels. Every value of this package comes from here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.measures.base import MeanAgg
from ir_measures.providers import Evaluator
from ir_measures.util import CalcResults

from ..judged import (
    QRELS_COLUMNS,
    Judgements,
    Ranked,
    Retrieved,
    Run,
    View,
    judge,
    judging_rows,
    numbers,
    to_frame,
    with_string_ids,
)
from ..measures.base import CompositeMeasure, DiversityMeasure, implementation, is_ours
from ..measures.names import check_parameters

_View = tuple[View, float | None]

# What to do if the qrels do not have a column that a measure needs.
WRITTEN_BY = {
    "importance": "read it from nugget files with pyterrier_diversity.io.read_nuggets (in the shell, give these as "
    "QRELS)",
    "rarity": "add it with pyterrier_diversity.add_rarity",
    "passage": "read it with pyterrier_diversity.io.read_dd_truth(path, 'passages') (in the shell, give the truth "
    "file, which ends in .xml, as QRELS)",
}
WRITTEN_BY["nugget"] = WRITTEN_BY["passage"]

# Providers that accept fractional labels; the others round or refuse them.
_FRACTIONAL_LABELS = ("runtime", "cwl_eval", "compat", "judged")

# pytrec_eval allocates a counter for each label up to the largest.
_LARGEST_LABEL = 2**20

# How many queries to pass to a provider at a time, to save memory.
_AT_A_TIME = 1000

# Cutoffs are passed to programs in C.
_LARGEST_CUTOFF = 2**31 - 1


# Measures of ir_measures that read no labels, and those that read only the labels of retrieved documents.
_READ_NO_LABEL = ("NumRet", "NumQ", "Judged")
_READ_RETRIEVED_LABELS = ("NumRet", "P", "RR", "Success", "SetP", "ERR", "RBP")


class RefusedMeasureError(ValueError):
    """A measure's provider refuses its parameters."""


class DiversityEvaluator(Evaluator):
    """Evaluate any number of runs against qrels that are read once.

    Values are ordered by query, then by measure. Other providers compute their measures from the same qrels and the
    same ranking as this package's measures.

    Parameters
    ----------
    measures : iterable of Measure
        Measures of this package and of ir_measures. The measures of a set are sorted by name.
    qrels : DataFrame, iterable of named tuples, or dict of dicts
        Qrels, as `judge` takes them.

    Raises
    ------
    ValueError
        If the qrels cannot be read or a measure cannot be computed. When evaluating a run: if another provider would
        not read the highest label of a document, as for ad-hoc measures on qrels with several intents.
    """

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> None:
        ordered = sorted(measures, key=repr) if isinstance(measures, (set, frozenset)) else list(measures)
        bare = [measure for measure in ordered if not is_ours(measure)]
        if not isinstance(qrels, pd.DataFrame):  # an iterator can be read only once
            qrels = to_frame(qrels, QRELS_COLUMNS, "qrels")
        self.judgements = judge(qrels)
        ours = [measure for measure in ordered if is_ours(measure)]
        self._ours = Evaluation(self.judgements, ours)
        self._bare = _Bare(bare, judging_rows(with_string_ids(qrels, QRELS_COLUMNS, "qrels"))) if bare else None
        # The column of each measure; this package's measures come first.
        place = {id(measure): at for at, measure in enumerate([*ours, *bare])}
        self._places = [place[id(measure)] for measure in ordered]
        super().__init__(ordered, self.judgements.query_ids)

    def values(self, run: Any) -> dict[ir_measures.Measure, np.ndarray]:
        """Return the values of each measure for the queries of the qrels; a query without a ranking gets the default.

        Parameters
        ----------
        run : DataFrame, iterable of named tuples, dict of dicts, Run or Retrieved
            A run, or the relevant documents that rankings retrieve.
        """
        return dict(zip(self.measures, self._columns(run), strict=True))

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Yield the value of each measure for each query of the qrels."""
        columns = [
            (measure, column.tolist()) for measure, column in zip(self.measures, self._columns(run), strict=True)
        ]
        for i, query_id in enumerate(self.qrel_qids):
            for measure, column in columns:
                yield ir_measures.Metric(query_id, measure, column[i])

    def calc_aggregate(self, run: Any) -> dict[ir_measures.Measure, float]:
        """Return the aggregate of each measure, in the order of the measures.

        Raises
        ------
        ValueError
            If the qrels are empty.
        """
        self._check_queries()
        return {
            measure: aggregated(measure, column)
            for measure, column in zip(self.measures, self._columns(run), strict=True)
        }

    def calc(self, run: Any) -> CalcResults:
        """Return aggregates and the value of each measure for each query."""
        self._check_queries()
        return super().calc(run)

    def _check_queries(self) -> None:
        if not len(self.judgements):
            raise ValueError("qrels must not be empty: there are no queries to aggregate over.")

    def _columns(self, run: Any) -> Sequence[np.ndarray]:
        """Return the values of each measure, in the order of the measures."""
        if not isinstance(run, Retrieved):
            depth = self._ours.depth if self._bare is None else None
            run = (run if isinstance(run, Run) else Run(run)).retrieve(self.judgements, depth)
        columns = self._ours.values(run)
        if self._bare is not None:
            columns += self._bare.values(run.as_dict(self.judgements.query_ids), self.judgements.query_ids)
        return [columns[place] for place in self._places]


class Evaluation:
    """Measures over one view of the judgements, computed by their formulas or by other providers.

    Parameters
    ----------
    judgements : Judgements
        The view.
    measures : iterable of Measure
        The measures.
    """

    def __init__(self, judgements: Judgements, measures: Iterable[ir_measures.Measure]) -> None:
        self._judgements = judgements
        # A column of values for each measure; the parts of composites come before them.
        self._columns: dict[ir_measures.Measure, int] = {}
        self._formulas: dict[tuple[Any, ...], list[tuple[int, DiversityMeasure]]] = defaultdict(list)
        self._composites: list[tuple[int, CompositeMeasure, list[tuple[_View | None, int]]]] = []
        self._provided: list[int] = []
        needed: dict[_View, dict[ir_measures.Measure, int]] = defaultdict(dict)
        self._asked = [self._assign(measure, needed) for measure in measures]
        self._views = {view: Evaluation(judgements.view(*view), parts) for view, parts in needed.items()}
        others = [measure for measure, column in self._columns.items() if column in self._provided]
        self._others = _ProvidedOverView(judgements, others) if others else None

    def _assign(self, measure: ir_measures.Measure, needed: dict[_View, dict[ir_measures.Measure, int]]) -> int:
        """Assign a measure to the part that computes it, and return its column."""
        ours = implementation(measure)
        if measure in self._columns:
            return self._columns[measure]
        parts: list[tuple[_View | None, int]] = []
        for part in ours.parts() if isinstance(ours, CompositeMeasure) else ():
            view = part.view, part.rel
            if view == ("intents", None):
                parts.append((None, self._assign(part.measure, needed)))
            else:
                parts.append((view, needed[view].setdefault(part.measure, len(needed[view]))))
        column = self._columns[measure] = len(self._columns)
        if ours is None:
            self._provided.append(column)
        elif isinstance(ours, CompositeMeasure):
            self._composites.append((column, ours, parts))
        else:
            cutoff = None if ours.COUNTS_TURNS else ours.get("cutoff")
            self._formulas[(ours.VIEW, ours.get("rel")), bool(ours.get("judged_only")), cutoff].append((column, ours))
        return column

    @cached_property
    def depth(self) -> int | None:
        """The number of ranks that the measures read, or None for all."""
        depths = [None if judged_only else cutoff for _, judged_only, cutoff in self._formulas]
        depths += [evaluation.depth for evaluation in self._views.values()]
        depths += [] if self._others is None else [self._others.depth]
        limits = [depth for depth in depths if depth is not None]
        return max(limits) if len(limits) == len(depths) > 0 else None

    def values(self, retrieved: Retrieved) -> list[np.ndarray]:
        """Return the values of each measure for the queries of the view.

        Parameters
        ----------
        retrieved : Retrieved
            Rankings over the judgements as read, not over the view.
        """
        found = retrieved.view(self._judgements)
        columns: list[Any] = [None] * len(self._columns)
        rankings: dict[tuple[Any, ...], Ranked] = {}
        for (view, judged_only, cutoff), measures in self._formulas.items():
            if (view, judged_only) not in rankings:
                of_view = retrieved.view(self._judgements.view(*view))
                rankings[view, judged_only] = Ranked(of_view.judged_only() if judged_only else of_view)
            ranked = rankings[view, judged_only]
            ranked = ranked if cutoff is None else ranked.down_to(cutoff, cutoff)
            for column, measure in measures:
                if measure.NEEDS and found.n.any():
                    _check_columns(self._judgements, measure)
                columns[column] = measure.score(ranked)
        if self._others is not None:
            for column, values in zip(self._provided, self._others.values(found), strict=True):
                columns[column] = values
        viewed = {view: evaluation.values(retrieved) for view, evaluation in self._views.items()}
        for column, measure, parts in self._composites:
            of_parts = [columns[place] if view is None else viewed[view][place] for view, place in parts]
            columns[column] = measure.combine(of_parts, self._judgements)
        if not found.n.all():
            default = {column: float(measure.DEFAULT) for measure, column in self._columns.items()}
            columns = [np.where(found.n == 0, default[column], values) for column, values in enumerate(columns)]
        return [columns[column] for column in self._asked]


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


class _Provided:
    """Measures that other providers compute, through ir_measures' pipeline.

    Parameters
    ----------
    measures : list of Measure
        The measures.
    qrels : DataFrame or dict of dicts
        Qrels with ir_measures' names.
    """

    def __init__(self, measures: list[ir_measures.Measure], qrels: Any) -> None:
        self._measures = measures
        self._qrels = qrels
        for measure in measures:
            if isinstance(measure.params.get("cutoff"), int) and measure.params["cutoff"] > _LARGEST_CUTOFF:
                raise RefusedMeasureError(f"{measure}: the cutoff must not exceed {_LARGEST_CUTOFF}.")
            try:
                check_parameters(measure)
            except ValueError as error:
                raise RefusedMeasureError(str(error)) from error
        # In one call, pytrec_eval may compute nDCG without gains by those of another measure.
        by_gains: dict[str, list[ir_measures.Measure]] = defaultdict(list)
        for measure in measures:
            by_gains[repr(measure.params.get("gains"))].append(measure)
        self._evaluators = [ir_measures.DefaultPipeline.evaluator(of, qrels) for of in by_gains.values()]

    def __reduce__(self) -> tuple[Any, ...]:
        """Build the evaluator again in another process, because it may contain a running program."""
        return type(self), (self._measures, self._qrels)

    def values(self, run: Any, query_ids: Sequence[str]) -> list[np.ndarray]:
        """Return the values of each measure for each query; a query that is missing in the run gets the default."""
        values = {measure: np.full(len(query_ids), float(measure.DEFAULT)) for measure in self._measures}
        index = {query_id: i for i, query_id in enumerate(query_ids)}
        for evaluator in self._evaluators if len(run) else ():
            for metric in evaluator.iter_calc(run):
                values[metric.measure][index[metric.query_id]] = metric.value
        return [values[measure] for measure in self._measures]


class _Bare(_Provided):
    """Measures that other providers compute from the qrels as given: they read only the last row of a document."""

    def __init__(self, measures: list[ir_measures.Measure], qrels: pd.DataFrame) -> None:
        _check_names([*qrels["query_id"], *qrels["doc_id"]], "qrels")
        labels = numbers(qrels, "relevance", "qrels")
        # pytrec_eval crashes on a query whose labels are all negative.
        highest = pd.Series(labels).groupby(qrels["query_id"].to_numpy()).transform("max").to_numpy()
        given = np.where(highest < 0, 0, labels)
        whole = _check_labels(measures, given)
        super().__init__(measures, qrels.assign(relevance=given.astype(np.int64) if whole else given))
        counted = np.maximum(labels, 0)
        rows = pd.DataFrame({"query": qrels["query_id"].array, "doc": qrels["doc_id"].array, "last": counted})
        rows["highest"] = rows.groupby(["query", "doc"])["last"].transform("max")
        rows = rows[~rows.duplicated(["query", "doc"], keep="last") & (rows["last"] < rows["highest"])]
        self._misread = list(rows.itertuples(index=False, name=None))
        self._readers = [each for each in measures if each.NAME not in _READ_NO_LABEL or each.params.get("rel")]

    def values(self, run: Any, query_ids: Sequence[str]) -> list[np.ndarray]:
        """Return the values of each measure for each query, or raise a ``ValueError`` if a label would be misread."""
        for query, doc, last, highest in self._misread if self._readers else ():
            for measure in self._readers if query in run else ():
                if doc in run[query] or measure.NAME not in _READ_RETRIEVED_LABELS:
                    raise ValueError(
                        f"{measure} reads only the last row of a document: label {last:g} for document {doc!r} of "
                        f"query {query!r}, whose highest label is {highest:g}. Use Adhoc({measure})."
                    )
        _check_names([doc for docs in run.values() for doc in docs], "run")
        return super().values(run, query_ids)


class _ProvidedOverView:
    """Measures that other providers compute, over a view of the judgements."""

    def __init__(self, judgements: Judgements, measures: list[ir_measures.Measure]) -> None:
        labels = np.maximum(judgements.rows.label, 0)
        if _check_labels(measures, labels):
            labels = labels.astype(np.int64)
        distinct = len(set(judgements.query_ids)) == len(judgements)
        self._names = list(judgements.query_ids) if distinct else [str(i) for i in range(len(judgements))]
        _check_names([*self._names, *judgements.rows.doc_ids.tolist()], "qrels")
        qrels: dict[str, dict[str, Any]] = {name: {} for name in self._names}
        queries = [qrels[name] for name in self._names]
        for query, doc, label in zip(
            judgements.rows.query.tolist(), judgements.rows.doc_ids.tolist(), labels.tolist(), strict=True
        ):
            queries[query][doc] = label
        parts = [slice(start, start + _AT_A_TIME) for start in range(0, max(len(self._names), 1), _AT_A_TIME)]
        self._parts = [(part, _Provided(measures, {name: qrels[name] for name in self._names[part]})) for part in parts]
        # Measures with a cutoff do not read documents below it, so these need not be passed on.
        cut = all(measure.params.get("cutoff") and not measure.params.get("judged_only") for measure in measures)
        self.depth = max(measure.params["cutoff"] for measure in measures) if cut else None

    def values(self, found: Retrieved) -> list[np.ndarray]:
        """Return the values of each measure for the queries of the view."""
        values = []
        for part, provided in self._parts:
            run = found.as_dict(self._names, self.depth, part)
            for docs in run.values():
                _check_names(docs, "run")
            values.append(provided.values(run, self._names[part]))
        return [np.concatenate(of_measure) for of_measure in zip(*values, strict=True)]


def _check_names(names: Iterable[str], what: str) -> None:
    """Refuse ids with a null character or without a UTF-8 form, which programs in C cannot read."""
    text = "".join(names)
    if "\0" not in text and _is_utf8(text):
        return
    bad = next(name for name in names if "\0" in name or not _is_utf8(name))
    raise ValueError(f"{what}: the id {bad!r} contains a character that other providers of ir_measures cannot read.")


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_labels(measures: list[ir_measures.Measure], labels: np.ndarray) -> bool:
    """Tell whether all labels are whole numbers of a usual size; raise if a provider cannot read them."""
    if (labels != np.floor(labels)).any():
        _refuse(measures, "takes only whole labels; the qrels contain fractions")
        return False
    if labels.max(initial=0) > _LARGEST_LABEL:
        _refuse(measures, f"takes labels up to {_LARGEST_LABEL}; the qrels contain larger ones")
        return False
    return True


def _refuse(measures: list[ir_measures.Measure], why: str) -> None:
    """Raise a ``ValueError`` for the first measure whose provider cannot read the labels."""
    for measure in measures:
        providers = ir_measures.DefaultPipeline.providers
        name = next((p.NAME for p in providers if p.supports(measure) and p.is_available()), None)
        if name and name not in _FRACTIONAL_LABELS:
            raise ValueError(f"{measure} is computed by {name}, which {why}.")
