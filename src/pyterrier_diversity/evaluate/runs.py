"""Many runs evaluated one after the other, or side by side: only as many are in memory as there are workers."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import glob
from pathlib import Path
from typing import Any, Literal, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from ..io import read_run_or_session
from ..io.trec import checked_order
from ..judged import QRELS_COLUMNS, RUN_COLUMNS, Run, collected, to_frame, warn_user
from ..measures import signature
from ..measures.composite import innermost, last_rank
from ..measures.groups import read_measures
from ..parallel import in_parallel
from ..parameters import Rng
from .arguments import check_order
from .evaluator import DiversityEvaluator, RefusedMeasureError, aggregated
from .expected import Draws, TiesOption, mean_and_error, read_draws, sampled_values

# The evaluator that a process has made for the runs of one call.
_evaluators: dict[str, Any] = {}

_FORMS = "evaluate_runs: runs must be a mapping of names to runs, or paths"


def evaluate_runs(
    qrels: pd.DataFrame,
    runs: Mapping[str, Any] | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
    *,
    perquery: bool = False,
    n_jobs: int | None = None,
    order: Literal["score", "rank"] = "score",
    queries: bool = False,
    strict: bool = False,
    ties: TiesOption = "docno",
    samples: int = 100,
    rng: Rng = None,
) -> pd.DataFrame:
    """Evaluate run files, each of which is read when its turn comes: for more runs than fit in memory.

    Parameters
    ----------
    qrels : DataFrame
        Qrels that keep the intents, as a dataset's ``get_qrels()`` or `io.read_qrels` returns them. Not changed.
    runs : mapping of names to paths or runs, path, or iterable of paths
        Run files of TREC or of TREC Dynamic Domain, which may be compressed, or runs as evaluators take them. Without
        names, a path may be a folder or a pattern, as of `run_files`; a file is called by its name without endings, or
        by its path if two would be called the same.
    measures : Measure or str, or iterable of them
        Measures of this package and of ir_measures.
    perquery : bool
        Whether to return a row for each query.
    n_jobs : int, optional
        Workers, as of ``joblib.Parallel``; what ``joblib.parallel_config`` says if omitted, so that a Dask or Ray
        cluster can do the work where its workers see the files.
    order : {"score", "rank"}
        Which column orders the documents of files and frames, as of `io.read_run`.
    queries : bool
        Whether to add the column ``queries``, how many queries of the qrels a run has documents for, and for each
        cutoff a column such as ``ties@20``: in which share of these queries the documents at ranks 20 and 21 have the
        same score.
    strict : bool
        Whether warnings about data are errors.
    ties : {"docno", "expected"}
        How documents of the same score are ordered: by descending id, or at random, many times; values are then means
        over these orders.
    samples : int
        With ``ties="expected"``, the number of random orders, at least 2.
    rng : int, Generator or None
        Where random orders come from. They are the same whatever the order of rows and runs and the number of workers.

    Returns
    -------
    DataFrame
        As ``pt.Experiment`` returns it: a row for each run, with ``name`` and a column for each measure; or, with
        ``perquery``, the columns ``name``, ``qid``, ``measure``, ``value``. ``attrs["signatures"]`` has the `signature`
        of each measure, ``attrs["empty"]`` the names of runs without documents, ``attrs["ties"]`` the shares of tied
        queries of each run, as ``queries`` shows them. With ``ties="expected"``, the standard error of the mean over
        the orders is in a column such as ``se(RBU@20)`` behind that of the measure, or, with ``perquery``, in the
        column ``se``; ``attrs["expected"]`` has ``samples`` and ``seed``.

    Raises
    ------
    ValueError
        If there is no run, no measure or no judgement, an argument looks like another one, two runs have one name, or
        qrels or a run cannot be evaluated: with the name of the run. So it is if an ad-hoc measure would not see the
        highest label of a document, which ``Adhoc(M)`` does.

    Warns
    -----
    UserWarning
        With the name of the run: if it is empty, if it answers fewer than half of the queries that any of the runs
        answers, and of all that evaluators warn of.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pyterrier_diversity import RBU, alpha_nDCG
    >>> from pyterrier_diversity.datasets.demo import FOLDER
    >>> qrels = pt.get_dataset("diversity:demo").get_qrels()
    >>> evaluate_runs(qrels, [FOLDER / "bm25.run", FOLDER / "xquad.run"], [RBU @ 5, alpha_nDCG @ 5]).round(3)
        name  RBU@5  alpha_nDCG@5
    0   bm25  0.146         0.644
    1  xquad  0.306         0.850
    """
    order = checked_order("evaluate_runs", order)
    check_order("evaluate_runs", qrels, runs, measures)
    named = _named(runs)
    wanted = list(dict.fromkeys(read_measures("evaluate_runs", measures)))
    if not named or not wanted:
        raise ValueError(f"evaluate_runs: give at least one {'measure' if named else 'run'}.")
    judged = to_frame(qrels, QRELS_COLUMNS, "qrels")
    if judged.empty:
        raise ValueError("evaluate_runs: qrels hold no row: there is nothing to evaluate by.")
    call = _Call(uuid.uuid4().hex, judged, wanted, perquery, order, read_draws("evaluate_runs", ties, samples, rng))
    tasks = [(call, name, _sendable(name, run, order)) for name, run in named.items()]
    try:
        evaluated = dict(zip(named, in_parallel(_evaluated, tasks, n_jobs=n_jobs, what="runs"), strict=True))
    finally:
        _evaluators.pop(call.token, None)
    for message in _messages(evaluated):
        if strict:
            raise ValueError(message)
        warn_user(message)
    return _table(call, evaluated, queries)


class _Call(NamedTuple):
    """What all runs of a call are evaluated by."""

    token: str
    qrels: pd.DataFrame
    measures: Sequence[ir_measures.Measure]
    perquery: bool
    order: Literal["score", "rank"]
    draws: Draws | None


class _Evaluated(NamedTuple):
    """What a worker tells of a run."""

    rows: list[tuple[Any, ...]]
    answered: frozenset[str]
    empty: bool
    ties: dict[str, float]
    messages: list[str]


def _table(call: _Call, evaluated: Mapping[str, _Evaluated], queries: bool) -> pd.DataFrame:
    """Return the rows of all runs as a frame."""
    if call.perquery:
        columns = ["name", "qid", "measure", "value", *(["se"] if call.draws else [])]
    else:
        of_measure = [[str(measure), *([f"se({measure})"] if call.draws else [])] for measure in call.measures]
        columns = ["name", *(column for of_one in of_measure for column in of_one)]
    table = pd.DataFrame([row for of_run in evaluated.values() for row in of_run.rows], columns=columns)
    if queries:
        counts = {name: {"queries": len(of_run.answered), **of_run.ties} for name, of_run in evaluated.items()}
        for place, column in enumerate(next(iter(counts.values())), 1):
            table.insert(place, column, [counts[name][column] for name in table["name"]])
    ties = f"mean over {call.draws.samples} orders, seed {call.draws.seed}" if call.draws else "docno descending"
    table.attrs = {
        "signatures": {str(measure): signature(measure, ties=ties) for measure in call.measures},
        "empty": [name for name, of_run in evaluated.items() if of_run.empty],
        "ties": {name: of_run.ties for name, of_run in evaluated.items()},
        **({"expected": call.draws._asdict()} if call.draws else {}),
    }
    return table


def _messages(evaluated: Mapping[str, _Evaluated]) -> Iterator[str]:
    """Yield the warnings about runs, each with the name of its run."""
    every = frozenset[str]().union(*(of_run.answered for of_run in evaluated.values()))
    for name, of_run in evaluated.items():
        if of_run.empty:
            yield f"Run {name} is empty: every query scores the default of a measure."
        elif of_run.answered and 2 * len(of_run.answered) < len(every):
            yield (
                f"Run {name} answers {len(of_run.answered)} of {len(every)} queries that the runs answer: each other "
                "query scores the default of a measure."
            )
        for message in of_run.messages:
            yield f"Run {name}: {message}"


def run_files(patterns: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Find run files.

    Parameters
    ----------
    patterns : iterable of path
        Files; folders, for all files in them that are not hidden; or patterns such as ``runs/**/*.gz``.

    Returns
    -------
    list of Path
        Each file once; those of a folder or pattern by name.

    Raises
    ------
    ValueError
        If a pattern or folder has no file.
    """
    found: dict[Path, None] = {}
    for pattern in map(Path, patterns):
        paths = [pattern]
        if pattern.is_dir():
            paths = [path for path in pattern.iterdir() if not path.name.startswith(".")]
        elif not pattern.exists():
            paths = [Path(path) for path in glob(str(pattern), recursive=True)]
        files = sorted(path for path in paths if path.is_file())
        if not files:
            raise ValueError(f"There is no run file {str(pattern)!r}.")
        found.update(dict.fromkeys(files))
    return list(found)


def _named(runs: Any) -> dict[str, Any]:
    if isinstance(runs, Mapping):
        named = {str(name): run for name, run in runs.items()}
        if len(named) < len(runs):
            given = [str(name) for name in runs]
            twice = next(name for name in given if given.count(name) > 1)
            raise ValueError(f"evaluate_runs: two runs have the name {twice!r}.")
        return named
    several = [runs] if isinstance(runs, (str, os.PathLike)) else runs
    if not isinstance(several, Iterable):
        raise TypeError(f"{_FORMS}, not {type(runs).__name__}.")
    several = list(several)
    others = [path for path in several if not isinstance(path, (str, os.PathLike))]
    if others:
        raise TypeError(f"{_FORMS}, not a {type(runs).__name__} of {type(others[0]).__name__}.")
    paths = run_files(several)
    names = [path.name.removesuffix(".gz").removesuffix(".run").removesuffix(".txt") for path in paths]
    return dict(zip(names if len(set(names)) == len(names) else map(str, paths), paths, strict=True))


def _sendable(name: str, run: Any, order: str) -> pd.DataFrame | str | os.PathLike[str]:
    """Return a path, or a run as a frame, which other processes can be given."""
    if isinstance(run, (str, os.PathLike)):
        return run
    try:
        if order == "rank" and isinstance(run, pd.DataFrame):
            if "rank" not in run:
                raise ValueError("order='rank' needs the column rank")
            run = run.drop(columns="score", errors="ignore")
        return to_frame(run, RUN_COLUMNS, "run")
    except (ValueError, TypeError) as error:
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"Run {name}: {error}") from error


def _evaluated(call: _Call, name: str, run: pd.DataFrame | str | os.PathLike[str]) -> _Evaluated:
    """Return the rows of one run, and what there is to say of it."""
    evaluator = _evaluator(call)
    try:
        with collected() as messages:
            frame = run if isinstance(run, pd.DataFrame) else read_run_or_session(run, call.order)
            ranked = Run(frame)
            rows = _rows(call, name, evaluator, ranked)
        answered = frozenset(ranked.query_ids).intersection(evaluator.judgements.query_ids)
        return _Evaluated(rows, answered, not len(ranked), _ties(call.measures, ranked, answered), messages)
    except (ValueError, TypeError) as error:
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"Run {name}: {error}") from error


def _evaluator(call: _Call) -> DiversityEvaluator:
    """Return the evaluator that this process has for a call."""
    if call.token not in _evaluators:
        _evaluators.clear()
        try:
            _evaluators[call.token] = DiversityEvaluator(call.measures, call.qrels)
        except RefusedMeasureError as error:
            raise ValueError(
                f"{str(error).rstrip('.')} (ir_measures takes values of its own types only: 1.0, not 1)."
            ) from error
    evaluator: DiversityEvaluator = _evaluators[call.token]
    return evaluator


def _rows(call: _Call, name: str, evaluator: DiversityEvaluator, run: Run) -> list[tuple[Any, ...]]:
    """Return the rows of one run, with standard errors where orders of tied documents were drawn."""
    sampled = sampled_values(evaluator, run, call.draws)
    if not call.perquery:
        means: list[float] = []
        for measure in call.measures:
            mean, error = mean_and_error(np.array([aggregated(measure, values) for values in sampled[measure]]))
            means += [float(mean), *([float(error)] if call.draws else [])]
        return [(name, *means)]
    columns = {
        str(measure): [column.tolist() for column in mean_and_error(sampled[measure])[: 2 if call.draws else 1]]
        for measure in call.measures
    }
    return [
        (name, query_id, measure, *(column[place] for column in of_measure))
        for place, query_id in enumerate(evaluator.judgements.query_ids)
        for measure, of_measure in columns.items()
    ]


def _ties(measures: Iterable[ir_measures.Measure], run: Run, answered: frozenset[str]) -> dict[str, float]:
    """Return the share of queries with tied documents on both sides of each cutoff."""
    cutoffs = {last_rank(measure) for measure in measures if not innermost(measure).params.get("judged_only")}
    return {
        f"ties@{rank}": len(answered.intersection(run.tied_across(rank))) / max(len(answered), 1)
        for rank in sorted(rank for rank in cutoffs if rank is not None)
    }
