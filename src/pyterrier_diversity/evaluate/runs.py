"""Evaluate many runs, one after the other or in parallel; each worker has one run in memory."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, Literal, NamedTuple, get_args

import ir_measures
import numpy as np
import pandas as pd

from ..frames import KINDS, Message, checked_kinds, column_of, give
from ..io import OrderedBy, Runs, check_order, checked_order, named_runs, qrels_frame, read_lengths
from ..measures.groups import read_some_measures
from .saved import Saved, SaveMode, Scored, content_key
from .scoring import Call, score_runs


def evaluate_runs(
    qrels: Any,
    runs: Runs,
    measures: ir_measures.Measure | str | Iterable[ir_measures.Measure | str],
    *,
    perquery: bool = False,
    n_jobs: int | None = None,
    order: OrderedBy = "score",
    queries: bool = False,
    strict: bool | Collection[str] = False,
    doc_len: Mapping[str, float] | str | os.PathLike[str] | None = None,
    save_dir: str | os.PathLike[str] | None = None,
    save_mode: SaveMode = "reuse",
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
    strict : bool or collection of str
        Whether warnings about the data are errors, or which kinds of them: "words", "support", "intents", "empty",
        "missing", "ids", "repeats", "ranks" or "lengths", as `check_files` calls them.
    doc_len : mapping or path-like, optional
        The number of words of each document, for `EU_DD`, as in `io.add_lengths`.
    save_dir : path, optional
        A folder for the values of each run, which are written when the run is finished: a table of queries and measures
        (``.csv.gz``), and notes on how it was computed (``.json``). A later call with the same qrels, runs and measures
        reads them, however the earlier one ended, and several processes may use one folder at once. Measures
        of other packages are computed again, unless their class has an attribute ``VERSION``.
    save_mode : {"reuse", "overwrite", "error"}
        What to do if the folder has values of a run: read those that are still valid, replace them, or raise an error.
    on_error : {"raise", "skip"}
        Whether a run that cannot be evaluated raises an error or is skipped.

    Returns
    -------
    DataFrame
        As from ``pt.Experiment``: one row for each run, with ``name`` and a column for each measure; with ``perquery``,
        the columns ``name``, ``qid``, ``measure``, ``value``. ``attrs`` has the ``signatures`` of the measures, the
        names of ``empty`` runs and of those whose ids are ``unmatched`` in the qrels, how many queries each run
        ``answered`` and which it is ``missing`` that others answer, the ``errors`` of skipped runs, and, for each run
        and cutoff, the share of queries with ``ties`` across it.

    Raises
    ------
    ValueError
        If runs, measures or qrels are empty, arguments are in the wrong order, two runs or two different measures have
        the same name, or the qrels or a run cannot be evaluated. Also if an ad-hoc measure would miss a document's
        highest label; use ``Adhoc(M)``. Also if a file in ``save_dir`` was changed, or has values that ``save_mode``
        refuses; or if ``strict`` has an unknown kind.
    OSError
        If a file cannot be read or written.

    Warns
    -----
    UserWarning
        If a run is empty, answers fewer than half of the queries of the qrels, or has odd data.

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
    # All arguments but two are those of `values_of_runs`; no other name is bound yet.
    options = {name: given for name, given in locals().items() if name not in ("perquery", "queries")}
    found = values_of_runs(keep_by_query=perquery, **options)
    return found.perquery(counted=queries) if perquery else found.means(counted=queries)


class RunValues(NamedTuple):
    """The values of runs, as arrays.

    Attributes
    ----------
    names, query_ids : sequence of str
        The runs and the queries.
    measures : dict of str to Measure
        The measures by name.
    values : array, shape (runs, measures, queries + 1)
        The values of the queries, if they were kept, and their aggregates.
    counts : dict of str to list
        For each run, the number of queries answered and the shares of them with ties across each cutoff.
    attrs : dict
        The ``attrs`` of tables.
    """

    names: list[str]
    measures: dict[str, ir_measures.Measure]
    query_ids: Sequence[str]
    values: np.ndarray
    counts: dict[str, list[float]]
    attrs: dict[Hashable, Any]

    def means(
        self, measures: Iterable[str] | None = None, *, by_query: bool = False, counted: bool = False
    ) -> pd.DataFrame:
        """Return a row for each run, with a column for each measure.

        With ``by_query``, there is a row for each run and query, and below them the run's means as the query "all".
        """
        query_ids = [*self.query_ids, "all"] if by_query else ["all"]
        rows: dict[str, Any] = {"qid": query_ids} if by_query else {}
        values = self.values[..., -len(query_ids) :]
        place = {measure: i for i, measure in enumerate(self.measures)}
        columns = {measure: values[:, place[measure]] for measure in (self.measures if measures is None else measures)}
        return self._table(rows, columns, values.shape[-1], counted)

    def perquery(self, *, counted: bool = False) -> pd.DataFrame:
        """Return a row for each run, query and measure."""
        rows = {"qid": [query for query in self.query_ids for _ in self.measures]}
        rows["measure"] = [*self.measures] * len(self.query_ids)
        return self._table(rows, {"value": self.values[..., :-1].swapaxes(1, 2)}, len(rows["qid"]), counted)

    def _table(
        self, rows: dict[str, list[Any]], columns: dict[str, np.ndarray], n_rows: int, counted: bool
    ) -> pd.DataFrame:
        """Return ``n_rows`` rows for each run: its name and counts, what the rows are about, and the values."""
        table: dict[str, Any] = {"name": [name for name in self.names for _ in range(n_rows)]}
        table |= {name: np.repeat(counts, n_rows) for name, counts in self.counts.items() if counted}
        table |= {name: column_of(of_run * len(self.names)) for name, of_run in rows.items()}
        frame = pd.DataFrame(table | {name: values.ravel() for name, values in columns.items()})
        frame.attrs = self.attrs
        return frame


def values_of_runs(
    qrels: Any,
    runs: Runs,
    measures: Any,
    *,
    keep_by_query: bool,
    n_jobs: int | None = None,
    order: OrderedBy = "score",
    strict: bool | Collection[str] = False,
    doc_len: Mapping[str, float] | str | os.PathLike[str] | None = None,
    save_dir: str | os.PathLike[str] | None = None,
    save_mode: SaveMode = "reuse",
    on_error: Literal["raise", "skip"] = "raise",
) -> RunValues:
    """Evaluate many runs as `evaluate_runs` does, and return arrays."""
    order = checked_order("evaluate_runs", order)
    check_order("evaluate_runs", qrels, runs, measures)
    if on_error not in ("raise", "skip"):
        raise ValueError(f"evaluate_runs: on_error must be 'raise' or 'skip', not {on_error!r}.")
    if save_mode not in get_args(SaveMode):
        raise ValueError(f"evaluate_runs: save_mode must be 'reuse', 'overwrite' or 'error', not {save_mode!r}.")
    rule = "evaluate_runs: strict must be True, False or kinds"
    kinds = checked_kinds(rule, KINDS if strict is True else strict or ())
    named = named_runs("evaluate_runs", runs)
    wanted = read_some_measures("evaluate_runs", measures)
    judged = qrels_frame(qrels)
    if judged.empty:
        raise ValueError("evaluate_runs: qrels must not be empty.")
    lengths = doc_len if doc_len is None or isinstance(doc_len, Mapping) else read_lengths(doc_len)
    call = Call(judged, wanted, order, lengths)
    saved = (
        None
        if save_dir is None
        else Saved(save_dir, save_mode, named, content_key(judged, *call.query_ids), call.query_ids, call.codes)
    )
    scored, failures = score_runs(
        call, named, n_jobs=n_jobs, saved=saved, skip=on_error == "skip", keep_values=keep_by_query
    )
    give([*call.messages, *_messages(scored, len(call.query_ids))], kinds)
    return _values(call, scored, failures, keep_by_query)


def _values(call: Call, scored: Mapping[str, Scored], failures: dict[str, str], kept: bool) -> RunValues:
    names, measures = list(scored), list(call.measures)
    shape = len(names), len(measures), len(call.query_ids) + 1 if kept else 1
    values = np.array([list(run.by_measure.values()) for run in scored.values()]).reshape(shape)
    given = {name: run.answered for name, run in scored.items() if run.answered.any()}
    lacking = {name: np.any(list(given.values()), axis=0) & ~answered for name, answered in given.items()}
    attrs: dict[Hashable, Any] = {
        "signatures": call.signatures,
        "empty": [name for name, run in scored.items() if run.empty],
        "answered": {name: int(run.answered.sum()) for name, run in scored.items()},
        "missing": {name: list(compress(call.query_ids, of_run)) for name, of_run in lacking.items()},
        "unmatched": [name for name, run in scored.items() if any(one.kind == "ids" for one in run.messages)],
        "ties": {name: run.ties for name, run in scored.items()},
        "errors": failures,
    }
    counts: dict[str, list[float]] = {
        "queries": list(attrs["answered"].values()),
        **{cutoff: [run.ties[cutoff] for run in scored.values()] for cutoff in call.cutoffs},
    }
    return RunValues(names, call.measures, call.query_ids, values, counts, attrs)


def _messages(scored: Mapping[str, Scored], n_queries: int) -> Iterator[Message]:
    """Yield the warnings about each run."""
    for name, run in scored.items():
        n = int(run.answered.sum())
        if run.empty:
            yield Message(f"Run {name} is empty: every query gets each measure's default value.", "empty")
        elif 0 < 2 * n < n_queries:
            yield Message(
                f"Run {name} answers only {n} of the {n_queries} queries of the qrels: the others get each measure's "
                "default value.",
                "missing",
            )
        for message in run.messages:
            yield Message(f"Run {name}: {message}", message.kind)
