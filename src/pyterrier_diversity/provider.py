"""The bridge to ir_measures: the only place that knows providers on one side and judged arrays on the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ir_measures
import numpy as np
from ir_measures.providers import Evaluator, FallbackProvider, Provider

from .judged import Judgements, Retrieved, Run, judge, judged_rankings
from .judged.judgements import View
from .measures.base import CompositeMeasure, DiversityMeasure, implementation, is_ours, reason

Values = dict[ir_measures.Measure, np.ndarray]

# Where the columns of the qrels come from that measures cannot do without.
WRITTEN_BY = {
    "rarity": "pyterrier_diversity.add_rarity writes it",
    "passage": "pyterrier_diversity.io.read_dd_truth(path, 'passages') reads passages",
    "nugget": "pyterrier_diversity.io.read_dd_truth(path, 'passages') reads nuggets",
}

# Providers that compute with labels as they are; the others round or refuse those that are no whole numbers.
_FRACTIONAL_LABELS = ("runtime", "cwl_eval", "compat", "judged")

# pytrec_eval keeps a count for each label up to the largest.
_LARGEST_LABEL = 2**20


class DiversityProvider(Provider):
    """Computes this package's measures, and those of ndeval and gdeval that ir_measures has names for."""

    NAME = "diversity"

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Tell whether this provider computes a measure."""
        measure.validate_params()
        return is_ours(measure)

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> DiversityEvaluator:
        return DiversityEvaluator(measures, qrels)


class DiversityEvaluator(Evaluator):
    """Scores any number of runs against qrels that were read once.

    Values come query by query, and in each query in the order of the measures.

    Parameters
    ----------
    measures : iterable of Measure
        Measures that `DiversityProvider` supports; those of a set are put in the order of their names.
    qrels : DataFrame, iterable of named tuples, or dict of dicts
        As `judge` takes them.
    """

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> None:
        ordered = sorted(measures, key=repr) if isinstance(measures, (set, frozenset)) else list(measures)
        self._evaluation = Evaluation(judge(qrels), ordered)
        super().__init__(ordered, self._evaluation.judgements.query_ids)

    def iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        """Yield the value of each measure for each query of the qrels."""
        columns = self._values(run)
        for i, query_id in enumerate(self.qrel_qids):
            for measure, column in columns:
                yield ir_measures.Metric(query_id, measure, column[i])

    def calc_aggregate(self, run: Any) -> dict[ir_measures.Measure, float]:
        """Return the aggregate of each measure, in the order of the measures."""
        aggregates = {}
        for measure, column in self._values(run):
            aggregator = measure.aggregator()
            for value in column:
                aggregator.add(value)
            aggregates[measure] = aggregator.result()
        return aggregates

    def _values(self, run: Any) -> list[tuple[ir_measures.Measure, list[float]]]:
        values = self._evaluation.values(Retrieval(Run(run), self._evaluation.judgements))
        return [(measure, values[measure].tolist()) for measure in self.measures]


class Retrieval:
    """A run, and what it found of some judgements, looked up once."""

    def __init__(self, run: Run, judgements: Judgements) -> None:
        self.run = run
        self._judgements = judgements
        self._found: dict[bool, Retrieved] = {}

    def of(self, view: Judgements, judged_only: bool = False) -> Retrieved:
        """Return what the run found of a view of the judgements."""
        if judged_only not in self._found:
            self._found[judged_only] = self.run.retrieve(self._judgements, judged_only)
        return self._found[judged_only].of(view)

    def rankings(self, view: Judgements, names: list[str], depth: int | None) -> dict[str, dict[str, float]]:
        """Return the rankings of a view's queries, by ``names``, with scores n, n - 1, ..., 1."""
        scored: dict[str, dict[str, float]] = {}
        rankings: dict[str, dict[str, float]] = {}
        for name, base in zip(names, view.base_query.tolist(), strict=True):
            query_id = self._judgements.query_ids[base]
            if query_id not in scored:
                docs = self.run.ranking(query_id)[:depth]
                _check_names(docs, "run")
                scored[query_id] = dict(zip(docs, np.arange(len(docs), 0, -1.0).tolist(), strict=True))
            if scored[query_id]:
                rankings[name] = scored[query_id]
        return rankings


class Evaluation:
    """Computes measures over one view of the judgements: ours by their kernels, others by whoever provides them."""

    def __init__(self, judgements: Judgements, measures: Iterable[ir_measures.Measure]) -> None:
        self.judgements = judgements
        self._kernels: dict[tuple[Any, ...], dict[ir_measures.Measure, DiversityMeasure]] = defaultdict(dict)
        self._composites: dict[ir_measures.Measure, CompositeMeasure] = {}
        self._elsewhere: list[ir_measures.Measure] = []
        needed: dict[tuple[View, float | None], list[ir_measures.Measure]] = defaultdict(list)
        for measure in measures:
            self._sort(measure, needed)
        self._views = {key: Evaluation(judgements.view(*key), parts) for key, parts in needed.items()}
        self._others = _OtherProviders(judgements, self._elsewhere) if self._elsewhere else None

    def _sort(self, measure: ir_measures.Measure, needed: dict[Any, list[ir_measures.Measure]]) -> None:
        """Put a measure where it is computed, its parts before it."""
        ours = implementation(measure)
        if ours is None:
            if measure not in self._elsewhere:
                self._elsewhere.append(measure)
        elif isinstance(ours, CompositeMeasure):
            for part in ours.parts():
                if part[1:] == ("intents", None):
                    self._sort(part.measure, needed)
                else:
                    needed[part.view, part.rel].append(part.measure)
            self._composites[measure] = ours
        else:
            cutoff = None if ours.COUNTS_TURNS else ours.get("cutoff")
            key = (ours.VIEW, ours.get("rel")), cutoff, bool(ours.get("judged_only"))
            self._kernels[key][measure] = ours

    def values(self, retrieval: Retrieval) -> Values:
        """Return one value for each query of the view: the default where the run has no ranking."""
        values: Values = {}
        for (view, cutoff, judged_only), measures in self._kernels.items():
            judgements = self.judgements.view(*view)
            retrieved = retrieval.of(judgements, judged_only)
            if retrieved.n.any():
                _check_columns(judgements, measures.values())
            values.update({measure: np.empty(len(judgements)) for measure in measures})
            for ranked in judged_rankings(judgements, retrieved, cutoff):
                for measure, ours in measures.items():
                    values[measure][ranked.chunk.queries] = ours.score(ranked)
        if self._others is not None:
            values.update(self._others.values(retrieval))
        viewed = {key: evaluation.values(retrieval) for key, evaluation in self._views.items()}
        viewed["intents", None] = values
        for measure, ours in self._composites.items():
            parts = [viewed[part.view, part.rel][part.measure] for part in ours.parts()]
            values[measure] = ours.combine(parts, self.judgements)
        empty = retrieval.of(self.judgements).n == 0
        return {measure: np.where(empty, measure.DEFAULT, value) for measure, value in values.items()}


def _check_columns(judgements: Judgements, measures: Iterable[DiversityMeasure]) -> None:
    """Raise the ``ValueError`` for a measure that cannot do without a column which the qrels lack."""
    for measure in measures:
        missing = [column for column in measure.NEEDS if column not in judgements.columns]
        if missing:
            raise ValueError(
                f"{measure} needs the column {' and the column '.join(missing)} in the qrels; {WRITTEN_BY[missing[0]]}."
            )


class _OtherProviders:
    """Computes measures that are not ours over one view, through ir_measures' pipeline."""

    def __init__(self, judgements: Judgements, measures: list[ir_measures.Measure]) -> None:
        self._judgements = judgements
        self._measures = measures
        labels = np.maximum(judgements.rows.label, 0)
        if (labels != np.floor(labels)).any():
            _refuse(measures, "takes whole labels; the qrels hold fractions")
        elif labels.max(initial=0) > _LARGEST_LABEL:
            _refuse(measures, f"takes labels up to {_LARGEST_LABEL}; the qrels hold larger ones")
        else:
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
        try:
            self._evaluator = ir_measures.DefaultPipeline.evaluator(measures, qrels)
        except AssertionError as error:  # how ir_measures refuses parameters
            raise ValueError(f"{', '.join(map(str, measures))}: {reason(error)}.") from error
        # A measure with a cutoff sees nothing below it, so that longer rankings need not be handed over.
        cut = all(measure.params.get("cutoff") and not measure.params.get("judged_only") for measure in measures)
        self._depth = max(measure.params["cutoff"] for measure in measures) if cut else None

    def values(self, retrieval: Retrieval) -> Values:
        """Return one value for each query of the view."""
        values = {measure: np.zeros(len(self._judgements)) for measure in self._measures}
        index = {name: i for i, name in enumerate(self._names)}
        rankings = retrieval.rankings(self._judgements, self._names, self._depth)
        for metric in self._evaluator.iter_calc(rankings) if rankings else ():
            values[metric.measure][index[metric.query_id]] = metric.value
        return values


def _check_names(names: Sequence[str], what: str) -> None:
    """Refuse names that programs in C would cut off, or crash on: with a null character, or without a UTF-8 form."""
    text = "".join(names)
    if "\0" not in text and _is_utf8(text):
        return
    bad = next(name for name in names if "\0" in name or not _is_utf8(name))
    raise ValueError(f"{what}: the id {bad!r} holds a character that providers other than this package cannot read.")


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse(measures: list[ir_measures.Measure], why: str) -> None:
    """Raise the ``ValueError`` for measures that are computed by a provider which cannot read the labels."""
    for measure in measures:
        providers = ir_measures.DefaultPipeline.providers
        name = next((p.NAME for p in providers if p.supports(measure) and p.is_available()), None)
        if name and name not in _FRACTIONAL_LABELS:
            raise ValueError(f"{measure} is computed by {name}, which {why}.")


def register_provider() -> None:
    """Add the provider to ir_measures' registry and default pipeline, after ``runtime``; again is harmless."""
    pipeline: FallbackProvider = ir_measures.DefaultPipeline
    pipeline.providers[:] = [provider for provider in pipeline.providers if provider.NAME != DiversityProvider.NAME]
    provider = ir_measures.providers.register(DiversityProvider())
    pipeline.providers.insert(pipeline.providers.index(ir_measures.runtime) + 1, provider)
