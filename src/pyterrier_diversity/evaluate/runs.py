"""Evaluate many runs, one after the other or in parallel; each worker has one run in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from glob import glob
from pathlib import Path
from typing import Any, Literal

import ir_measures
import numpy as np
import pandas as pd

from ..io.dynamic_domain import read_lengths
from ..io.trec import OrderedBy, checked_order
from ..judged import QRELS_COLUMNS, give, to_frame
from ..measures.groups import read_some_measures
from ..parameters import Rng
from .arguments import check_order, runs_by_name
from .expected import TiesOption, read_draws
from .saved import Scored
from .scoring import Call, score_runs

_FORMS = "runs must be a mapping of names to runs, or paths"


def evaluate_runs(
    qrels: pd.DataFrame,
    runs: Mapping[str, Any] | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
    *,
    perquery: bool = False,
    n_jobs: int | None = None,
    order: OrderedBy = "score",
    queries: bool = False,
    strict: bool = False,
    ties: TiesOption = "docno",
    samples: int = 100,
    rng: Rng = None,
    doc_len: Mapping[str, float] | str | os.PathLike[str] | None = None,
    save: str | os.PathLike[str] | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> pd.DataFrame:
    """Evaluate many runs, one after the other or in parallel.

    A run file is read when its turn comes, so that the runs need not fit in memory together.

    Parameters
    ----------
    qrels : DataFrame
        Qrels with intents, as from a dataset's ``get_qrels()``, `io.read_qrels` or `io.read_nuggets`.
    runs : mapping of names to paths or runs, path, or iterable of paths
        Runs or run files. Without names, a path may also be a folder or a pattern, as in `run_files`, and a run is
        named after its file.
    measures : Measure or str, or iterable of them
        Measures of this package and of ir_measures.
    perquery : bool
        Whether to return the values of each query instead of means.
    n_jobs : int, optional
        Number of workers, as for joblib. By default, the setting of ``joblib.parallel_config``, such as a Dask or Ray
        cluster whose workers can read the files.
    order : {"score", "rank"}
        The column that orders the documents of a run.
    queries : bool
        Whether to count, for each run, the queries of the qrels that it answers (``queries``), and the share of these
        with a tie across each cutoff (``ties@20``: ranks 20 and 21 have the same score).
    strict : bool
        Whether warnings about the data are errors.
    ties : {"docno", "expected"}
        How to order documents with the same score: by descending id, or at random, with means over many orders.
    samples : int >= 2
        The number of random orders.
    rng : int, Generator or None
        Seed or generator of the random orders.
    doc_len : mapping or path-like, optional
        The number of words of each document, for `EU_DD`, as in `io.add_lengths`.
    save : path, optional
        A ``.csv`` or ``.parquet`` file for the values of each query. Each run is written when it is finished. A later
        call with the same qrels, runs and measures reads the finished values instead of computing them again. Other
        rows are kept. With ``ties="expected"``, ``rng`` must be an integer.
    on_error : {"raise", "skip"}
        Whether a run that cannot be evaluated raises an error or is skipped.

    Returns
    -------
    DataFrame
        As from ``pt.Experiment``: one row for each run, with ``name`` and a column for each measure; with ``perquery``,
        the columns ``name``, ``qid``, ``measure``, ``value``. With ``ties="expected"``, standard errors are in columns
        such as ``se(RBU@20)``, or in the column ``se``. ``attrs`` has the ``signatures`` of the measures, the names of
        ``empty`` runs, the ``errors`` of skipped runs, and the shares of ``ties``. ``attrs["expected"]`` has the
        ``samples``, the ``seed``, and the standard errors ``se`` of each run's aggregates.

    Raises
    ------
    ValueError
        If runs, measures or qrels are empty, arguments are in the wrong order, two runs have the same name, or the
        qrels or a run cannot be evaluated. Also if an ad-hoc measure would miss a document's highest label; use
        ``Adhoc(M)``.
    ImportError
        If ``save`` is a parquet file and pyarrow is not installed.
    OSError
        If a file cannot be read or written, or another process saves to the same file.

    Warns
    -----
    UserWarning
        If a run is empty, answers fewer than half of the queries that the runs answer, or has odd data.

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
    if on_error not in ("raise", "skip"):
        raise ValueError(f"evaluate_runs: on_error must be 'raise' or 'skip', not {on_error!r}.")
    named = named_runs("evaluate_runs", runs)
    wanted = read_some_measures("evaluate_runs", measures)
    judged = to_frame(qrels, QRELS_COLUMNS, "qrels")
    if judged.empty:
        raise ValueError("evaluate_runs: qrels must not be empty.")
    lengths = doc_len if doc_len is None or isinstance(doc_len, Mapping) else read_lengths(doc_len)
    call = Call(judged, wanted, order, read_draws("evaluate_runs", ties, samples, rng), lengths)
    scored, errors = score_runs(call, named, n_jobs=n_jobs, save=save, skip=on_error == "skip", keep_values=perquery)
    give(_messages(scored), strict)
    table = _by_query(call, scored) if perquery else _aggregates(call, scored)
    if queries:
        counts = {name: {"queries": int(run.answered.sum()), **run.ties} for name, run in scored.items()}
        for place, column in enumerate(["queries", *call.cutoffs], 1):
            table.insert(place, column, [counts[name][column] for name in table["name"]])
    table.attrs = {
        "signatures": call.signatures,
        "empty": [name for name, run in scored.items() if run.empty],
        "ties": {name: run.ties for name, run in scored.items()},
        "errors": errors,
        **({"expected": {**call.draws._asdict(), "se": _errors(scored)}} if call.draws else {}),
    }
    return table


def _aggregates(call: Call, scored: Mapping[str, Scored]) -> pd.DataFrame:
    """Return one row for each run."""
    columns: dict[str, list[Any]] = {"name": list(scored)}
    for measure in call.measures:
        of_runs = [run.columns[measure] for run in scored.values()]
        columns[measure] = [column.aggregate for column in of_runs]
        if call.draws:
            columns[f"se({measure})"] = [column.error for column in of_runs]
    return pd.DataFrame(columns)


def _by_query(call: Call, scored: Mapping[str, Scored]) -> pd.DataFrame:
    """Return one row for each run, query and measure."""
    n_queries, n_measures = len(call.query_ids), len(call.measures)
    columns = [[run.columns[measure] for measure in call.measures] for run in scored.values()]
    table = pd.DataFrame(
        {
            "name": [name for name in scored for _ in range(n_queries * n_measures)],
            "qid": [query_id for query_id in call.query_ids for _ in range(n_measures)] * len(scored),
            "measure": list(call.measures) * (n_queries * len(scored)),
            "value": _in_rows([[column.by_query for column in of_run] for of_run in columns]),
        }
    )
    if call.draws:
        table["se"] = _in_rows([[column.errors for column in of_run] for of_run in columns])
    return table


def _errors(scored: Mapping[str, Scored]) -> dict[str, dict[str, float | None]]:
    """Return the standard error of each run's aggregates."""
    return {name: {measure: column.error for measure, column in run.columns.items()} for name, run in scored.items()}


def _in_rows(values: list[list[Any]]) -> np.ndarray:
    """Return values of shape (runs, measures, queries) in the order of runs, queries and measures."""
    return np.array(values, dtype=np.float64).swapaxes(1, 2).ravel() if values else np.empty(0)


def _messages(scored: Mapping[str, Scored]) -> Iterator[str]:
    """Yield the warnings about each run."""
    n_answered = int(np.any([run.answered for run in scored.values()], axis=0).sum()) if scored else 0
    for name, run in scored.items():
        n = int(run.answered.sum())
        if run.empty:
            yield f"Run {name} is empty: every query gets each measure's default value."
        elif 0 < 2 * n < n_answered:
            yield (
                f"Run {name} answers only {n} of the {n_answered} queries that the runs answer: the others get each "
                "measure's default value."
            )
        for message in run.messages:
            yield f"Run {name}: {message}"


def run_files(patterns: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Find run files.

    Parameters
    ----------
    patterns : iterable of path
        Files or pipes; ``"-"`` for the standard input; folders, for all visible files in them; or patterns such as
        ``runs/**/*.gz``.

    Returns
    -------
    list of Path
        Each file once. The files of a folder or pattern are sorted by name.

    Raises
    ------
    ValueError
        If a file does not exist, or a folder or pattern contains none.
    """
    found: dict[Path, None] = {}
    for pattern in map(Path, patterns):
        if pattern.is_dir():
            paths = [path for path in pattern.iterdir() if not path.name.startswith(".")]
        elif pattern.exists() or str(pattern) == "-":  # pipes, too
            found[pattern] = None
            continue
        else:
            paths = [Path(path) for path in glob(str(pattern), recursive=True)]
        files = sorted(path for path in paths if path.is_file())
        if not files:
            raise ValueError(f"No run file found at {str(pattern)!r}.")
        found.update(dict.fromkeys(files))
    return list(found)


def named_runs(who: str, runs: Any) -> dict[str, Any]:
    """Return runs or their paths by name."""
    if isinstance(runs, Mapping):
        return runs_by_name(who, runs)
    several = [runs] if isinstance(runs, (str, os.PathLike)) else runs
    if not isinstance(several, Iterable):
        raise TypeError(f"{who}: {_FORMS}, not {type(runs).__name__}.")
    several = list(several)
    others = [path for path in several if not isinstance(path, (str, os.PathLike))]
    if others:
        raise TypeError(f"{who}: {_FORMS}, not a {type(runs).__name__} of {type(others[0]).__name__}.")
    if not several:
        raise ValueError(f"{who}: give at least one run.")
    paths = run_files(several)
    names = [_stem(path) for path in paths]
    return dict(zip(names if len(set(names)) == len(names) else map(str, paths), paths, strict=True))


def _stem(path: Path) -> str:
    """Return the name of a file without the usual endings of run files."""
    name = path.name.removesuffix(".gz")
    for ending in (".run", ".txt", ".jsonl", ".json"):
        name = name.removesuffix(ending)
    return name
