"""Many runs evaluated one after the other, or side by side: only as many are in memory as there are workers."""

from __future__ import annotations

import os
import uuid
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import glob
from pathlib import Path
from typing import Any, Literal, NamedTuple

import ir_measures
import pandas as pd

from ..io import add_lengths, read_run_or_session
from ..io.dynamic_domain import read_lengths
from ..io.trec import checked_order
from ..judged import QRELS_COLUMNS, RUN_COLUMNS, collected, to_frame
from ..measures import signature
from ..measures.parse import read_measures
from ..parallel import in_parallel
from .evaluator import DiversityEvaluator, RefusedMeasureError

# The evaluator that a process has made for the runs of one call.
_evaluators: dict[str, Any] = {}


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
    doc_len: Mapping[str, float] | str | os.PathLike[str] | None = None,
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
        Whether to add the column ``queries``: how many queries of the qrels a run has documents for.
    strict : bool
        Whether warnings about data are errors.
    doc_len : mapping or path-like, optional
        The number of words of each document, for `EU_DD`, as of `io.add_lengths`.

    Returns
    -------
    DataFrame
        As ``pt.Experiment`` returns it: a row for each run, with ``name`` and a column for each measure; or, with
        ``perquery``, the columns ``name``, ``qid``, ``measure``, ``value``. ``attrs["signatures"]`` has the `signature`
        of each measure, ``attrs["empty"]`` the names of runs without documents.

    Raises
    ------
    ValueError
        If there is no run, no measure or no judgement, two runs have one name, or qrels or a run cannot be evaluated:
        with the name of the run.

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
    named = named_runs(runs)
    wanted = list(dict.fromkeys(read_measures("evaluate_runs", measures)))
    if not named or not wanted:
        raise ValueError(f"evaluate_runs: there must be a {'measure' if named else 'run'} at least.")
    judged = to_frame(qrels, QRELS_COLUMNS, "qrels")
    if judged.empty:
        raise ValueError("evaluate_runs: qrels hold no row: there is nothing to evaluate by.")
    lengths = doc_len if doc_len is None or isinstance(doc_len, Mapping) else read_lengths(doc_len)
    token = uuid.uuid4().hex
    tasks = [
        (token, judged, wanted, name, _sendable(name, run, order), perquery, order, lengths)
        for name, run in named.items()
    ]
    try:
        evaluated = dict(zip(named, in_parallel(_evaluated, tasks, n_jobs=n_jobs, what="runs"), strict=True))
    finally:
        _evaluators.pop(token, None)
    for message in _messages(evaluated):
        if strict:
            raise ValueError(message)
        warnings.warn(message, UserWarning, stacklevel=2)
    n_answered = {name: len(of_run.answered) for name, of_run in evaluated.items()}
    columns = ["name", "qid", "measure", "value"] if perquery else ["name", *map(str, wanted)]
    table = pd.DataFrame([row for of_run in evaluated.values() for row in of_run.rows], columns=columns)
    if queries:
        table.insert(1, "queries", table["name"].map(n_answered))
    table.attrs = {
        "signatures": {str(measure): signature(measure) for measure in wanted},
        "empty": [name for name, of_run in evaluated.items() if of_run.empty],
    }
    return table


class _Evaluated(NamedTuple):
    """What a worker tells of a run."""

    rows: list[tuple[Any, ...]]
    answered: frozenset[str]
    empty: bool
    messages: list[str]


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


def named_runs(runs: Any) -> dict[str, Any]:
    """Return runs, or the paths of their files, by name, as `evaluate_runs` takes them."""
    if isinstance(runs, Mapping):
        named = {str(name): run for name, run in runs.items()}
        if len(named) < len(runs):
            given = [str(name) for name in runs]
            twice = next(name for name in given if given.count(name) > 1)
            raise ValueError(f"evaluate_runs: two runs have the name {twice!r}.")
        return named
    paths = run_files([runs] if isinstance(runs, (str, os.PathLike)) else runs)
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


def _evaluated(
    token: str,
    qrels: pd.DataFrame,
    measures: Sequence[ir_measures.Measure],
    name: str,
    run: pd.DataFrame | str | os.PathLike[str],
    perquery: bool,
    order: Literal["score", "rank"],
    doc_len: Mapping[str, float] | None,
) -> _Evaluated:
    """Return the rows of one run, and what there is to say of it."""
    evaluator = _evaluators.get(token)
    if evaluator is None:
        _evaluators.clear()
        try:
            evaluator = DiversityEvaluator(measures, qrels)
        except RefusedMeasureError as error:
            raise ValueError(
                f"{str(error).rstrip('.')} (ir_measures takes values of its own types only: 1.0, not 1)."
            ) from error
        _evaluators[token] = evaluator
    try:
        with collected() as messages:
            ranked = to_frame(
                run if isinstance(run, pd.DataFrame) else read_run_or_session(run, order), RUN_COLUMNS, "run"
            )
            ranked = ranked if doc_len is None else add_lengths(ranked, doc_len)
            rows: list[tuple[Any, ...]]
            if perquery:
                rows = [
                    (name, value.query_id, str(value.measure), value.value) for value in evaluator.iter_calc(ranked)
                ]
            else:
                means = evaluator.calc_aggregate(ranked)
                rows = [(name, *(means[measure] for measure in measures))]
        given = {str(query_id) for query_id in ranked["query_id"].unique().tolist()}
        return _Evaluated(rows, frozenset(given.intersection(evaluator.judgements.query_ids)), ranked.empty, messages)
    except (ValueError, TypeError) as error:
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"Run {name}: {error}") from error
