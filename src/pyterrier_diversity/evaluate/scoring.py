"""Score runs one after the other or in parallel."""

import os
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ..frames import Doubts, Told, collected, warn
from ..io import OrderedBy, ReadWholeError, Renamed, add_lengths, regular, run_frame, run_parts
from ..judged import Judgements, Run, ideal, tied_across
from ..measures import Normalised, signature
from ..measures.base import implementation, parts_of
from ..measures.composite import innermost, last_rank
from ..parallel import Task, as_finished, enough_workers
from ..progress import progress, progress_bar
from ..warnings import NuggetsWarning
from .evaluator import DiversityEvaluator, aggregated

_Source = pd.DataFrame | str | os.PathLike[str]

# Exceptions that a run's data can cause. Any other exception is a bug.
_BAD = (FileNotFoundError, OSError, MemoryError, TypeError, ValueError)


@dataclass(frozen=True)
class Scored:
    """The results of one run.

    Attributes
    ----------
    by_query : array, shape (measures, queries) or (measures, 0)
        The values of the queries, if they are wanted.
    aggregates : array, shape (measures,)
        The aggregates over the queries.
    answered : array of bool
        For each query of the qrels, whether the run has documents for it.
    ties : dict of str to float
        For each cutoff, the share of queries in which documents with the same score are on both sides of it.
    messages : list of Told
        Warnings about the data, with their kinds.
    n_rows : int
        The number of rows read; 0 if the run has no documents.
    """

    by_query: np.ndarray
    aggregates: np.ndarray
    answered: np.ndarray
    ties: dict[str, float]
    messages: list[Told]
    n_rows: int


class Call:
    """The settings that all runs of a call share; each process builds its own evaluator.

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
    by_query : bool
        Whether the value of each query is wanted, too.

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
        doc_len: Mapping[str, float] | None,
        by_query: bool,
    ) -> None:
        self.qrels, self.order, self.doc_len, self.by_query = qrels, order, doc_len, by_query
        self.folder = os.getcwd()
        self.measures = {str(measure): measure for measure in measures}
        # By the names of the columns that count ties across them.
        ranks = {last_rank(measure) for measure in measures if not innermost(measure).params.get("judged_only")}
        self.cutoffs = {f"ties@{rank}": rank for rank in sorted(rank for rank in ranks if rank is not None)}
        judgements = self.evaluator.judgements
        refuse_unjudged(judgements)
        read = {implementation(measure) for measure in measures} | {of for one in measures for _, of in parts_of(one)}
        reads = {column for measure in read if measure for column in measure.READS}
        if "weight" in reads - judgements.columns and "importance" in judgements.columns:
            message = (
                "The qrels have a column importance, but no weight, so that all nuggets of a query weigh the same."
            )
            warn(NuggetsWarning(f"{message} io.read_nuggets adds weights (vital 1, okay 0.5)."))
        self.query_ids = judgements.query_ids
        self.signatures = {name: signature(measure, ties="docno descending") for name, measure in self.measures.items()}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the evaluator, which is larger than the qrels that it is built from."""
        return {name: value for name, value in self.__dict__.items() if name not in ("evaluator", "ready")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Move a worker to the folder of the call, to which paths are relative: it may have started in another one."""
        self.__dict__.update(state)
        with suppress(OSError):  # on another machine
            os.chdir(self.folder)

    @cached_property
    def evaluator(self) -> DiversityEvaluator:
        """The evaluator."""
        return DiversityEvaluator(self.measures.values(), self.qrels)

    @cached_property
    def ready(self) -> DiversityEvaluator:
        """The evaluator with all ideal rankings, which are found with a progress bar: some take long."""
        ideals = [
            (reads[0], ours.normaliser, reads[2])
            for reads, _, ours, judgements in self.evaluator.evaluation.steps
            if isinstance(ours, Normalised) and judgements.columns.issuperset(ours.NEEDS)
        ]
        for one in progress(ideals, "ideal rankings", unit="measure"):
            ideal(*one)
        return self.evaluator


def refuse_unjudged(judgements: Judgements) -> None:
    """Raise a ``ValueError`` if the qrels only name intents."""
    if not len(judgements.rows.doc_ids):
        raise ValueError(
            f"qrels judge no document: they only name {len(judgements.named.query)} intents. Nuggets need assignments "
            "to answers or passages, or relevant documents."
        )


def score_runs(
    call: Call, runs: Mapping[str, Any], *, n_jobs: int | None, skip: bool
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
    skip : bool
        Whether to skip runs that cannot be scored; otherwise the first one raises.
    """
    scored: dict[str, Scored] = {}
    errors: dict[str, Exception] = {}
    n_rows = 0
    with progress_bar(len(runs), "runs", unit="run") if len(runs) > 1 else nullcontext() as bar:
        for name, result in _scored_or_bad(call, runs, n_jobs, skip):
            if isinstance(result, Scored):
                scored[name] = result
                n_rows += result.n_rows
            else:
                errors[name] = result
            if bar is not None:
                bar.set_postfix_str(f"{n_rows:,} rows", refresh=False)
                bar.update()
    for name, error in errors.items():
        if not skip:
            raise type(error)(f"Run {name}: {error}")
    return {name: scored[name] for name in runs if name in scored}, {name: str(bad) for name, bad in errors.items()}


def _scored_or_bad(
    call: Call, runs: Mapping[str, Any], n_jobs: int | None, skip: bool
) -> Iterator[tuple[str, Scored | Exception]]:
    """Yield the results of runs as they finish; no run is begun after one that is bad, unless it is skipped."""
    tasks: list[Task] = []
    for name, run in runs.items():
        try:
            tasks.append((name, (_sendable(run, call.order),)))
        except _BAD as error:
            yield name, _sendable_error(error, run)
            if not skip:
                return
    to_begin = iter(tasks)
    for name, result in as_finished(_scored, call, to_begin, n_workers=enough_workers(len(tasks), n_jobs)):
        if not (skip or isinstance(result, Scored)):
            deque(to_begin, maxlen=0)
        yield name, result


def _sendable_error(error: Exception, run: Any) -> Exception:
    """Return an exception of one of the kinds `_BAD` itself, which other processes can always send."""
    message = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        message = f"{error.filename}: {error.strerror}"
    kind = next(kind for kind in _BAD if isinstance(error, kind))
    if kind is MemoryError:
        message = f"not enough memory: {message}".rstrip(": ")
        path = (isinstance(run, Renamed) and run.name) or run
        message = f"{os.fspath(path)}: {message}" if isinstance(path, (str, os.PathLike)) else message
    return kind(message or type(error).__name__)


def _sendable(run: Any, order: OrderedBy) -> _Source:
    """Return a run in a form that can be sent to other processes: a path, not of a pipe, or a frame."""
    return regular(run) if isinstance(run, (str, os.PathLike)) else run_frame(run, order=order)


def _scored(call: Call, run: _Source) -> Scored | Exception:
    """Return the results of one run."""
    try:
        with collected():  # which gives the warnings about the qrels again in a worker
            evaluator = call.ready
        if call.doc_len is None and not isinstance(run, pd.DataFrame):
            with suppress(ReadWholeError):
                return _sum_of_parts(call, evaluator, run_parts(run, order=call.order))
        return _sum_of_parts(call, evaluator, _whole(call, run))
    except _BAD as error:
        return _sendable_error(error, run)


def _whole(call: Call, run: _Source) -> Iterator[pd.DataFrame]:
    """Yield a run as one frame."""
    frame = run if isinstance(run, pd.DataFrame) else run_frame(run, order=call.order)
    yield frame if call.doc_len is None else add_lengths(frame, call.doc_len)


def _sum_of_parts(call: Call, evaluator: DiversityEvaluator, frames: Iterator[pd.DataFrame]) -> Scored:
    """Evaluate a run in parts of whole queries, and return the results of all."""
    index = evaluator.judgements.query_index
    values, answered = np.empty((len(call.measures), len(index))), np.zeros(len(index), dtype=bool)
    n_tied, n_rows, doubts = dict.fromkeys(call.cutoffs, 0), 0, Doubts()
    with collected() as messages:
        for frame in frames:
            part = Run(frame, doubts=doubts)
            # Queries that are in no part have the default values, which each part gives.
            values[:, ~answered] = evaluator.values(part)[:, ~answered]
            answered[[index[query_id] for query_id in part.query_ids if query_id in index]] = True
            for cutoff, queries in zip(call.cutoffs, tied_across(part, call.cutoffs.values()), strict=True):
                n_tied[cutoff] += sum(query_id in index for query_id in queries)
            n_rows += len(frame)
        doubts.warn()
    return Scored(
        values if call.by_query else np.empty((len(values), 0)),
        aggregated(call.measures.values(), values),
        answered,
        {cutoff: count / max(int(answered.sum()), 1) for cutoff, count in n_tied.items()},
        list({str(told.warning): told for told in messages}.values()),
        n_rows,
    )
