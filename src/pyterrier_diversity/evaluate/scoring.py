"""Score runs one after the other or in parallel, and save each when it is finished."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from ..io import Content, add_lengths, read_content, read_run_or_session
from ..io.trec import OrderedBy
from ..judged import RUN_COLUMNS, Run, collected, to_frame
from ..measures import signature
from ..measures.composite import innermost, last_rank
from ..parallel import as_finished
from ..progress import Counted
from .evaluator import DiversityEvaluator, RefusedMeasureError, aggregated
from .expected import Draws, mean_and_error, sampled_values
from .saved import Column, Saved, Scored, bytes_key, content_key, file_key

_Source = pd.DataFrame | str | os.PathLike[str] | Content

# Exceptions that a run's data can cause. Any other exception is a bug.
_BAD = (FileNotFoundError, OSError, MemoryError, TypeError, ValueError)

_NO_VALUES = np.empty(0)


class Call:
    """The settings that all runs of a call share; each process builds its own evaluators.

    Parameters
    ----------
    qrels : DataFrame
        The qrels, with ir_measures' names.
    measures : list of Measure
        The measures.
    order : {"score", "rank"}
        The column that orders a run.
    draws : Draws, optional
        The number of random orders of tied documents, and the seed.
    doc_len : mapping of str to float, optional
        The number of words of each document.

    Raises
    ------
    ValueError
        If the qrels cannot be read, or a measure cannot be computed.
    """

    def __init__(
        self,
        qrels: pd.DataFrame,
        measures: list[ir_measures.Measure],
        order: OrderedBy,
        draws: Draws | None,
        doc_len: Mapping[str, float] | None = None,
    ) -> None:
        self.qrels, self.order, self.draws, self.doc_len = qrels, order, draws, doc_len
        self._read_as = [f"order={order}", f"ties={'docno' if draws is None else tuple(draws)}"]
        if doc_len is not None:
            self._read_as.append(content_key(pd.DataFrame({"docno": list(doc_len), "words": list(doc_len.values())})))
        self.measures = {str(measure): measure for measure in measures}
        self.cutoffs = _cutoffs(measures)
        self._evaluators: dict[tuple[str, ...], DiversityEvaluator] = {}
        self.query_ids = self.evaluator(tuple(self.measures)).judgements.query_ids
        ties = f"mean over {draws.samples} orders, seed {draws.seed}" if draws else "docno descending"
        self.signatures = {name: signature(measure, ties=ties) for name, measure in self.measures.items()}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the evaluators, which are larger than the qrels that they are built from."""
        return {**self.__dict__, "_evaluators": {}}

    def evaluator(self, names: tuple[str, ...]) -> DiversityEvaluator:
        """Return the evaluator of these measures, built on first use."""
        if names not in self._evaluators:
            try:
                self._evaluators[names] = DiversityEvaluator([self.measures[name] for name in names], self.qrels)
            except RefusedMeasureError as error:
                raise ValueError(
                    f"{str(error).rstrip('.')} (ir_measures accepts only the exact types of parameters: 1.0, not 1)."
                ) from error
        return self._evaluators[names]

    def run_key(self, run: _Source) -> str:
        """Return a key of the content of a run and of the options that read it."""
        if isinstance(run, Content):
            return bytes_key([run.data], *self._read_as)
        if isinstance(run, pd.DataFrame):
            return content_key(run, *self._read_as)
        return file_key(run, *self._read_as)


def _cutoffs(measures: Iterable[ir_measures.Measure]) -> dict[str, int]:
    """Return the cutoffs of measures by the names of the columns that count ties across them."""
    cutoffs = {last_rank(measure) for measure in measures if not innermost(measure).params.get("judged_only")}
    return {f"ties@{rank}": rank for rank in sorted(rank for rank in cutoffs if rank is not None)}


def score_runs(
    call: Call,
    runs: Mapping[str, Any],
    *,
    n_jobs: int | None,
    save: str | os.PathLike[str] | None,
    skip: bool,
    keep_values: bool,
) -> tuple[dict[str, Scored], dict[str, str]]:
    """Return the results of each run, and the errors of skipped runs.

    Parameters
    ----------
    call : Call
        The settings of the call.
    runs : mapping of names to paths or runs
        The runs.
    n_jobs : int, optional
        Number of workers, as in ``joblib.Parallel``.
    save : path, optional
        A file of finished results, to which new results are added.
    skip : bool
        Whether to skip runs that cannot be scored; otherwise the first one raises.
    keep_values : bool
        Whether to return the value of each query, too.
    """
    to_save = nullcontext() if save is None else Saved(save, content_key(call.qrels), call.query_ids, call.signatures)
    with to_save as saved, Counted(len(runs), "runs", unit="run") as counted:
        results = _Results(call, saved, counted, skip, keep_values)
        waiting = [task for name, run in runs.items() for task in results.tasks(name, run)]

        def tasks() -> Iterator[tuple[str, tuple[Any, ...]]]:
            for task in waiting:
                if results.failed is not None:
                    return
                yield task

        for name, result in as_finished(_scored, call, tasks(), n_jobs=n_jobs):
            results.take(name, result)
    if results.failed is not None:
        raise results.failed
    return {name: results.scored[name] for name in runs if name in results.scored}, results.errors


class _Refused(NamedTuple):
    """Why a run cannot be scored: the message, and the index of the exception in `_BAD`."""

    kind: int
    message: str


def _refused(error: Exception) -> _Refused:
    message = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        message = f"{error.filename}: {error.strerror}"
    return _Refused([isinstance(error, kind) for kind in _BAD].index(True), message or type(error).__name__)


class _Results:
    """The finished results of a call."""

    def __init__(self, call: Call, saved: Saved | None, counted: Counted, skip: bool, keep_values: bool) -> None:
        self._call, self._saved, self._counted, self._skip, self._keep = call, saved, counted, skip, keep_values
        self._keys: dict[str, str] = {}
        self.scored: dict[str, Scored] = {}
        self.errors: dict[str, str] = {}
        self.failed: Exception | None = None

    def tasks(self, name: str, run: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield the task of scoring a run by the measures that are not saved yet, if any."""
        try:
            run = _sendable(run, self._call.order)
            if self._saved is not None:
                self._keys[name] = self._call.run_key(run)
        except _BAD as error:
            self.take(name, _refused(error))
            if self.failed is not None:
                raise self.failed from error
            return
        found = None if self._saved is None else self._saved.found(self._keys[name])
        measures = tuple(measure for measure in self._call.measures if found is None or measure not in found.columns)
        if measures:
            yield name, (run, measures)
        elif found is not None:
            self.take(name, Scored({}, found.answered))

    def take(self, name: str, result: Scored | _Refused | Exception) -> None:
        """Keep and save the results of a run, or handle its error."""
        if isinstance(result, Scored):
            self._take_scored(name, result)
            return
        if isinstance(result, _Refused):
            message = result.message
            kind: type[Exception] = _BAD[result.kind]
            cause = None
        else:
            message, kind, cause = f"{type(result).__name__}: {result}", RuntimeError, result
        self._counted.add(0)
        if self._skip:
            self.errors[name] = message
        elif self.failed is None:
            self.failed = kind(f"Run {name}: {message}")
            self.failed.__cause__ = cause

    def _take_scored(self, name: str, new: Scored) -> None:
        self._counted.add(new.n_rows)
        known = new if self._saved is None else self._saved.add(name, self._keys[name], new)
        columns = {measure: known.columns[measure] for measure in self._call.measures}
        if not self._keep:
            columns = {measure: column._replace(by_query=_NO_VALUES) for measure, column in columns.items()}
        ties = {name: known.ties[name] for name in self._call.cutoffs}
        self.scored[name] = replace(known, columns=columns, ties=ties)


def _sendable(run: Any, order: str) -> _Source:
    """Return a run in a form that can be sent to other processes: a path, the content of a pipe, or a frame."""
    if isinstance(run, (str, os.PathLike)):
        # A pipe can be read only once, and only by this process.
        return run if os.path.isfile(run) or not (os.fspath(run) == "-" or os.path.exists(run)) else read_content(run)
    if order == "rank" and isinstance(run, pd.DataFrame):
        if "rank" not in run:
            raise ValueError("order='rank' needs the column rank.")
        run = run.drop(columns="score", errors="ignore")
    return to_frame(run, RUN_COLUMNS, "run")


def _scored(call: Call, run: _Source, measures: tuple[str, ...]) -> Scored | _Refused:
    """Return the results of one run."""
    evaluator = call.evaluator(measures)
    try:
        with collected() as messages:
            frame = run if isinstance(run, pd.DataFrame) else read_run_or_session(run, call.order)
            if call.doc_len is not None:
                frame = add_lengths(to_frame(frame, RUN_COLUMNS, "run"), call.doc_len)
            ranked = Run(frame)
            sampled = sampled_values(evaluator, ranked, call.draws)
    except _BAD as error:
        return _refused(error)
    answered = frozenset(ranked.query_ids).intersection(call.query_ids)
    return Scored(
        columns={str(measure): _column(measure, values, call.draws) for measure, values in sampled.items()},
        answered=np.array([query_id in answered for query_id in call.query_ids]),
        empty=not len(ranked),
        ties={
            name: len(answered.intersection(ranked.tied_across(rank))) / max(len(answered), 1)
            for name, rank in _cutoffs(evaluator.measures).items()
        },
        messages=messages,
        n_rows=len(frame),
    )


def _column(measure: ir_measures.Measure, sampled: np.ndarray, draws: Draws | None) -> Column:
    """Return the means of values of shape (orders, queries), with standard errors if orders were drawn."""
    by_query, errors = mean_and_error(sampled)
    aggregate, error = mean_and_error(np.array([aggregated(measure, values) for values in sampled]))
    if draws is None:
        return Column(by_query, float(aggregate))
    return Column(by_query, float(aggregate), errors, float(error))
