"""Score runs one after the other or in parallel, and save each when it is finished."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import takewhile
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ..frames import collected, column_of
from ..io import Content, OrderedBy, add_lengths, read_content, run_frame
from ..judged import Run, ideal, tied_across
from ..measures import signature
from ..measures.composite import innermost, last_rank
from ..parallel import Task, as_finished, at_most
from ..progress import progress, progress_bar
from .delegated import RefusedMeasureError
from .doubts import refuse_unjudged
from .evaluator import DiversityEvaluator, aggregated
from .saved import Saved, Scored, code_key, content_key

_Source = pd.DataFrame | str | os.PathLike[str] | Content

# Evaluating so many bytes takes no longer than starting workers.
SMALL = 2**24
_BYTES_OF_ROW = 32

# Exceptions that a run's data can cause. Any other exception is a bug.
_BAD = (FileNotFoundError, OSError, MemoryError, TypeError, ValueError)


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
        doc_len: Mapping[str, float] | None = None,
    ) -> None:
        self.qrels, self.order, self.doc_len = qrels, order, doc_len
        self._read_as = [f"order={order}"]
        if doc_len is not None:
            lengths = {"docno": column_of(list(doc_len)), "words": list(doc_len.values())}
            self._read_as.append(content_key(pd.DataFrame(lengths)))
        self.measures = {str(measure): measure for measure in measures}
        # By the names of the columns that count ties across them.
        ranks = {last_rank(measure) for measure in measures if not innermost(measure).params.get("judged_only")}
        self.cutoffs = {f"ties@{rank}": rank for rank in sorted(rank for rank in ranks if rank is not None)}
        self._evaluators: dict[tuple[str, ...], DiversityEvaluator] = {}
        self._have_ideals: set[DiversityEvaluator] = set()
        with collected() as self.messages:
            judgements = self.evaluator(tuple(self.measures)).judgements
        refuse_unjudged(judgements)
        self.query_ids = judgements.query_ids
        self.signatures = {name: signature(measure, ties="docno descending") for name, measure in self.measures.items()}
        self.codes = {name: code_key(measure, self.signatures[name]) for name, measure in self.measures.items()}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the evaluators, which are larger than the qrels that they are built from."""
        return {**self.__dict__, "_evaluators": {}, "_have_ideals": set()}

    def evaluator(self, names: tuple[str, ...]) -> DiversityEvaluator:
        """Return the evaluator of these measures, built on first use."""
        if names not in self._evaluators:
            try:
                self._evaluators[names] = DiversityEvaluator([self.measures[name] for name in names], self.qrels)
            except RefusedMeasureError as error:
                raise ValueError(
                    f"{str(error).rstrip('.')} (ir_measures checks the types of parameters: write 1.0, not 1)."
                ) from error
        return self._evaluators[names]

    def find_ideals(self, evaluator: DiversityEvaluator) -> None:
        """Find all ideal rankings, with a progress bar, before the first run is evaluated: some take long."""
        ideals = [] if evaluator in self._have_ideals else evaluator.evaluation.ideals
        for judgements, order, cutoff in progress(ideals, "ideal rankings", unit="measure"):
            ideal(judgements, order, cutoff)
        self._have_ideals.add(evaluator)

    def key(self, run: _Source) -> str:
        """Return a key of the content of a run and of the options that read it."""
        return content_key(run, *self._read_as)


def score_runs(
    call: Call, runs: Mapping[str, Any], *, n_jobs: int | None, saved: Saved | None, skip: bool, keep_values: bool
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
    saved : Saved, optional
        A folder for the results of each run.
    skip : bool
        Whether to skip runs that cannot be scored; otherwise the first one raises.
    keep_values : bool
        Whether to return the value of each query, too.
    """
    scored: dict[str, Scored] = {}
    errors: dict[str, str] = {}
    failed: list[Exception] = []
    n_rows = 0
    with progress_bar(len(runs), "runs", unit="run") if len(runs) > 1 else nullcontext() as bar:
        for name, result in _results(call, runs, saved, n_jobs, failed):
            if isinstance(result, Scored):
                n_rows += result.n_rows
                values = {measure: result.by_measure[measure] for measure in call.measures}
                if not keep_values:  # copied, so that the values of the queries need no memory
                    values = {measure: rows[-1:].copy() for measure, rows in values.items()}
                scored[name] = replace(result, by_measure=values, ties={at: result.ties[at] for at in call.cutoffs})
            else:
                is_bad = type(result) in _BAD
                errors[name] = str(result) if is_bad else f"{type(result).__name__}: {result}"
                if not (skip or failed):
                    failed.append((type(result) if is_bad else RuntimeError)(f"Run {name}: {errors[name]}"))
                    failed[0].__cause__ = None if is_bad else result
            if bar is not None:
                bar.set_postfix_str(f"{n_rows:,} rows", refresh=False)
                bar.update()
    if failed:
        raise failed[0]
    return {name: scored[name] for name in runs if name in scored}, errors


def _results(
    call: Call, runs: Mapping[str, Any], saved: Saved | None, n_jobs: int | None, failed: Sequence[Exception]
) -> Iterator[tuple[str, Scored | Exception]]:
    """Yield the results of runs as they finish; no run is begun after one has ``failed``.

    Runs are scored by the measures that are not saved yet, if any.
    """
    keys: dict[str, str] = {}
    tasks: list[Task] = []
    for name, run in runs.items():
        try:
            source = _sendable(run, call.order)
            keys[name] = "" if saved is None else call.key(source)
        except _BAD as error:
            yield name, _plain(error, run)
            if failed:
                return
            continue
        known = None if saved is None else saved.found(keys[name])
        measures = tuple(name for name in call.measures if known is None or name not in known.by_measure)
        if known is not None and not measures:
            yield name, known
        else:
            tasks.append((name, (source, measures)))
    unless_failed = takewhile(lambda _: not failed, tasks)
    for name, result in as_finished(_scored, call, unless_failed, n_jobs=_n_workers(call, tasks, n_jobs)):
        if saved is not None and isinstance(result, Scored):
            known = saved.found(keys[name])
            saved.add(name, keys[name], result)
            if known is not None:
                result.merge(known)
        yield name, result


def _n_workers(call: Call, tasks: Sequence[Task], n_jobs: int | None) -> int | None:
    """Return how many workers to start: not more than are needed, and none for small runs."""
    n_bytes = sum(_n_bytes(run) for _, (run, _) in tasks)
    return at_most(0 if n_bytes < SMALL else len(tasks), n_jobs)


def _n_bytes(run: _Source) -> int:
    if isinstance(run, Content):
        return len(run.data)
    if isinstance(run, pd.DataFrame):
        return len(run) * _BYTES_OF_ROW
    return os.path.getsize(run) if os.path.isfile(run) else 0


def _plain(error: Exception, run: Any) -> Exception:
    """Return an exception of one of the kinds `_BAD` itself, which other processes can always send."""
    message = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        message = f"{error.filename}: {error.strerror}"
    kind = next(kind for kind in _BAD if isinstance(error, kind))
    if kind is MemoryError:
        message = f"not enough memory: {message}".rstrip(": ")
        path = run.name if isinstance(run, Content) else run
        message = f"{os.fspath(path)}: {message}" if isinstance(path, (str, os.PathLike)) else message
    return kind(message or type(error).__name__)


def _sendable(run: Any, order: OrderedBy) -> _Source:
    """Return a run in a form that can be sent to other processes: a path, the content of a pipe, or a frame."""
    if isinstance(run, (str, os.PathLike)):
        # A pipe can be read only once, and only by this process.
        return run if os.path.isfile(run) or not (os.fspath(run) == "-" or os.path.exists(run)) else read_content(run)
    return run_frame(read_content(run) if hasattr(run, "read") else run, order=order)


def _scored(call: Call, run: _Source, measures: tuple[str, ...]) -> Scored | Exception:
    """Return the results of one run."""
    with collected():  # the call has warned of the qrels
        evaluator = call.evaluator(measures)
    try:
        call.find_ideals(evaluator)
        with collected() as messages:
            frame = run if isinstance(run, pd.DataFrame) else run_frame(run, order=call.order)
            if call.doc_len is not None:
                frame = add_lengths(frame, call.doc_len)
            ranked = Run(frame, is_whole=True)
            values = evaluator.values(ranked)
    except _BAD as error:
        return _plain(error, run)
    answered = frozenset(ranked.query_ids).intersection(call.query_ids)
    return Scored(
        {
            name: np.append(of_queries, aggregated([call.measures[name]], of_queries[None]))
            for name, of_queries in zip(measures, values, strict=True)
        },
        answered=np.array([query_id in answered for query_id in call.query_ids]),
        empty=not len(ranked),
        ties={
            name: len(answered.intersection(tied)) / max(len(answered), 1)
            for name, tied in zip(call.cutoffs, tied_across(ranked, call.cutoffs.values()), strict=True)
        },
        messages=messages,
        n_rows=len(frame),
    )
