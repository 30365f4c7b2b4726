"""Evaluate many runs, one after the other or in parallel; each worker has one run, or a part of it, in memory."""

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import compress
from typing import Any, Literal

import ir_measures
import numpy as np
import pandas as pd

from ..frames import Told, column_of, give, once_a_kind, warn
from ..io import ORDER, OrderedBy, Runs, is_summary, named_runs, qrels_frame, read_lengths
from ..measures.groups import read_measures
from ..warnings import EmptyWarning, IdsWarning, RowsWarning
from .perquery import told_of_missing
from .scoring import Call, Scored, score_runs


def evaluate_runs(
    qrels: Any,
    runs: Runs,
    measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
    *,
    perquery: bool = False,
    n_jobs: int | None = None,
    order: OrderedBy = "score",
    queries: bool = False,
    doc_len: Mapping[str, float] | str | os.PathLike[str] | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> pd.DataFrame:
    """Evaluate many runs, one after the other or in parallel.

    A run file is read when its turn comes, so that the runs need not fit in memory together.

    Parameters
    ----------
    qrels : DataFrame
        Qrels with intents, as from a dataset's ``get_qrels()``, `io.read_qrels` or `io.read_nuggets`.
    runs : mapping of names to runs, path, or iterable of paths
        Runs in any form, as `io.read_runs` takes them: without names, a path may also be a folder or a pattern, and a
        run is named after its file.
    measures : Measure or str, or iterable of them
        Measures of this package and of ir_measures, and groups of them, such as ``NDEVAL``.
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
    doc_len : mapping or path-like, optional
        The number of words of each document, for `EU_DD`, as in `io.add_lengths`.
    on_error : {"raise", "skip"}
        Whether a run that cannot be evaluated raises an error or is skipped.

    Returns
    -------
    DataFrame
        As from ``pt.Experiment``: one row for each run, with ``name`` and a column for each measure; with ``perquery``,
        the columns ``name``, ``qid``, ``measure``, ``value``. ``attrs`` has the ``signatures`` of the measures, the
        names of ``empty`` runs and of those whose ids are ``unmatched`` in the qrels, how many queries each run
        ``answered`` and which are ``missing``, the ``errors`` of skipped runs, all ``warnings``,
        and, for each run and cutoff, the share of queries with ``ties`` across it.

    Raises
    ------
    ValueError
        If runs, measures or qrels are empty, arguments are in the wrong order, two runs or two different measures have
        the same name, or the qrels or a run cannot be evaluated. Also if an ad-hoc measure would miss a document's
        highest label; use ``Adhoc(M)``.
    OSError
        If a file cannot be read.

    Warns
    -----
    DataWarning
        If a run is empty, does not answer all queries of the qrels, or has odd data: one warning of each
        kind, which names the runs. ``pd.DataFrame(attrs["warnings"])`` has all, with the ``name`` of the run, the class
        that a warning is ``about``, and the ``message``.

    Examples
    --------
    >>> import pyterrier as pt
    >>> from pyterrier_diversity import RBU, alpha_nDCG
    >>> from pyterrier_diversity.datasets.demo import FOLDER
    >>> qrels = pt.get_dataset("diversity:demo").get_qrels()
    >>> evaluate_runs(qrels, [FOLDER / "bm25.run", FOLDER / "xquad.run"], [RBU @ 5, alpha_nDCG @ 5]).round(3)
        name  RBU@5  alpha_nDCG@5
    0   bm25  0.384         0.644
    1  xquad  0.544         0.850
    """
    who = "evaluate_runs"
    order = ORDER.check(who, "order", order)
    if on_error not in ("raise", "skip"):
        raise ValueError(f"{who}: on_error must be 'raise' or 'skip', not {on_error!r}.")
    named = named_runs(who, runs)
    wanted = read_measures(who, measures)
    with once_a_kind() as told:
        judged = qrels_frame(qrels)
        if judged.empty:
            raise ValueError(f"{who}: qrels must not be empty.")
        lengths = doc_len if doc_len is None or isinstance(doc_len, Mapping) else read_lengths(doc_len)
        call = Call(judged, wanted, order, lengths, perquery)
        scored, errors = score_runs(call, named, n_jobs=n_jobs, skip=on_error == "skip")
        attrs = _attrs(call, scored, errors)
        give(_warnings_of(scored))
        give(told_of_missing(attrs["missing"], set(call.query_ids), wanted))
        like_means = [query for query in call.query_ids if is_summary(query)]
        if like_means:
            warn(
                RowsWarning(f"{', '.join(like_means)} counts as a query, because the qrels have a query of this name.")
            )
    table = _table(call, scored, counted=queries)
    table.attrs = attrs | {"warnings": [one.as_row() for one in told]}
    table.attrs |= {"queries_like_means": like_means} if like_means else {}
    return table


def _table(call: Call, scored: Mapping[str, Scored], *, counted: bool) -> pd.DataFrame:
    """Return a row for each run, or for each run, query and measure."""
    n_rows = len(call.query_ids) * len(call.measures) if call.by_query else 1
    table: dict[str, Any] = {"name": [name for name in scored for _ in range(n_rows)]}
    if counted:
        counts: dict[str, list[float]] = {"queries": [int(run.answered.sum()) for run in scored.values()]}
        counts |= {cutoff: [run.ties[cutoff] for run in scored.values()] for cutoff in call.cutoffs}
        table |= {column: np.repeat(of_runs, n_rows) for column, of_runs in counts.items()}
    if call.by_query:
        query_ids = [query_id for query_id in call.query_ids for _ in call.measures]
        table["qid"] = column_of(query_ids * len(scored))
        table["measure"] = column_of([*call.measures] * (len(call.query_ids) * len(scored)))
        table["value"] = np.concatenate([np.empty(0), *(run.by_query.T.ravel() for run in scored.values())])
    else:
        of_runs = np.array([run.aggregates for run in scored.values()]).reshape(len(scored), len(call.measures))
        table |= zip(call.measures, of_runs.T, strict=True)
    return pd.DataFrame(table)


def _attrs(call: Call, scored: Mapping[str, Scored], errors: dict[str, str]) -> dict[Hashable, Any]:
    """Return the attributes of a table."""
    return {
        "signatures": call.signatures,
        "empty": [name for name, run in scored.items() if not run.n_rows],
        "answered": {name: int(run.answered.sum()) for name, run in scored.items()},
        "missing": {name: list(compress(call.query_ids, ~run.answered)) for name, run in scored.items()},
        "unmatched": [name for name, run in scored.items() if IdsWarning in {type(one) for one, _ in run.messages}],
        "ties": {name: run.ties for name, run in scored.items()},
        "errors": errors,
    }


def _warnings_of(scored: Mapping[str, Scored]) -> Iterator[Told]:
    """Yield the warnings about each run."""
    for name, run in scored.items():
        if not run.n_rows:
            yield Told(EmptyWarning("The run is empty: every query gets each measure's default value."), name)
        for warning, _ in run.messages:
            yield Told(warning, name)
