"""Many runs evaluated one after the other, or side by side: only as many are in memory as there are workers."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from glob import glob
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd

from ..io import read_run_or_session
from ..measures import signature
from ..measures.parse import read_measures
from ..parallel import in_parallel
from .evaluator import DiversityEvaluator, RefusedMeasureError

# The evaluator that a process has made for the runs of one call.
_evaluators: dict[str, Any] = {}


def evaluate_runs(
    qrels: pd.DataFrame,
    runs: Mapping[str, pd.DataFrame | str | os.PathLike[str]]
    | str
    | os.PathLike[str]
    | Iterable[str | os.PathLike[str]],
    measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
    *,
    perquery: bool = False,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Evaluate run files, each of which is read when its turn comes: for more runs than fit in memory.

    Parameters
    ----------
    qrels : DataFrame
        Qrels that keep the intents, as a dataset's ``get_qrels()`` or `io.read_qrels` returns them. Not changed.
    runs : mapping of names to paths or frames, path, or iterable of paths
        Run files of TREC or of TREC Dynamic Domain, which may be compressed, or runs. Without names, a path may be a
        folder or a pattern, as of `run_files`; a file is called by its name without endings, or by its path if two
        would be called the same.
    measures : Measure or str, or iterable of them
        Measures of this package and of ir_measures.
    perquery : bool
        Whether to return a row for each query.
    n_jobs : int, optional
        Workers, as of ``joblib.Parallel``; what ``joblib.parallel_config`` says if omitted, so that a Dask or Ray
        cluster can do the work where its workers see the files.

    Returns
    -------
    DataFrame
        As ``pt.Experiment`` returns it: a row for each run, with ``name`` and a column for each measure; or, with
        ``perquery``, the columns ``name``, ``qid``, ``measure``, ``value``. ``attrs["signatures"]`` has the `signature`
        of each measure.

    Raises
    ------
    ValueError
        If there is no run or no measure, or qrels or a run cannot be evaluated: with the name of the run.

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
    named = _named(runs)
    wanted = list(dict.fromkeys(read_measures("evaluate_runs", measures)))
    if not named or not wanted:
        raise ValueError(f"evaluate_runs: there must be a {'measure' if named else 'run'} at least.")
    token = uuid.uuid4().hex
    tasks = [(token, qrels, wanted, name, run, perquery) for name, run in named.items()]
    try:
        rows = [row for rows in in_parallel(_rows, tasks, n_jobs=n_jobs, what="runs") for row in rows]
    finally:
        _evaluators.pop(token, None)
    columns = ["name", "qid", "measure", "value"] if perquery else ["name", *map(str, wanted)]
    table = pd.DataFrame(rows, columns=columns)
    table.attrs = {"signatures": {str(measure): signature(measure) for measure in wanted}}
    return table


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
        return {str(name): run for name, run in runs.items()}
    paths = run_files([runs] if isinstance(runs, (str, os.PathLike)) else runs)
    names = [path.name.removesuffix(".gz").removesuffix(".run").removesuffix(".txt") for path in paths]
    return dict(zip(names if len(set(names)) == len(names) else map(str, paths), paths, strict=True))


def _rows(
    token: str,
    qrels: pd.DataFrame,
    measures: Sequence[ir_measures.Measure],
    name: str,
    run: pd.DataFrame | str | os.PathLike[str],
    perquery: bool,
) -> list[tuple[Any, ...]]:
    """Return the rows of one run."""
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
        ranked = run if isinstance(run, pd.DataFrame) else read_run_or_session(run)
        if perquery:
            return [(name, value.query_id, str(value.measure), value.value) for value in evaluator.iter_calc(ranked)]
        means = evaluator.calc_aggregate(ranked)
        return [(name, *(means[measure] for measure in measures))]
    except ValueError as error:
        raise ValueError(f"Run {name}: {error}") from error
