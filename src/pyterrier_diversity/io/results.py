"""Read results by query."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from ..frames import Columns, warn
from ..warnings import RowsWarning
from .fits import SUMMARIES
from .look import Look, look_at
from .run_collections import are_named, named_runs
from .shapes import SEVERAL, frame_in, shape_of


def read_perquery(perquery: Any, *, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Read results by query, of this package and of other tools.

    All functions that take ``perquery`` read it in this way. Rows of means (``all``, ``amean``, ``mean``) are left out.

    Parameters
    ----------
    perquery : frame, path-like, mapping of names to results, or list of paths, frames, dicts or named tuples
        Results of one of the following forms, recognised by their content. Those without the name of a system are named
        after their file, or by the mapping. A path may also be a folder, for all visible files in it, a pattern such as
        ``results/*.csv``, or ``"-"`` for the standard input.

        - A frame of ``pt.Experiment(..., perquery=True)`` or of `evaluate_runs`.
        - A table with a column for each measure, or with the columns ``measure`` and ``value``: what ``evaluate -q``,
          ndeval and gdeval write. CSV or TSV with a header, JSON, JSON lines, parquet, or a frame.
        - Lines ``measure query value`` (``trec_eval -q``), ``query measure value`` (``ir_measures -q``) or ``name query
          measure value``.
        - ``{query: {measure: value}}``, as pytrec_eval returns it; values of ``ir_measures.iter_calc``.
    columns : mapping of str to str, optional
        The meaning of columns with other names, as in ``{"topic": "qid", "system": "name"}``.

    Returns
    -------
    DataFrame
        The columns ``name``, ``qid``, ``measure`` (strings) and ``value`` (floats), with the ``attrs`` of a frame.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a file cannot be read (the message names file and line), a column or the name of a system is missing, a value
        is not a number, or there are no values of queries.
    TypeError
        If ``perquery`` has another form.

    Warns
    -----
    RowsWarning
        If rows of means are left out.

    Examples
    --------
    >>> read_perquery(pd.DataFrame({"run": "bm25", "qid": ["1", "2"], "RBU@5": [0.25, 0.75], "AP": [0.5, 1.0]}))
       name qid measure  value
    0  bm25   1   RBU@5   0.25
    1  bm25   1      AP   0.50
    2  bm25   2   RBU@5   0.75
    3  bm25   2      AP   1.00
    """
    looks = _looks(perquery, columns)
    read = [_read(look, name, rename=isinstance(perquery, Mapping)) for name, look in looks.items()]
    frame = pd.concat(read, ignore_index=True)
    frame.attrs = dict(getattr(perquery, "attrs", {}))
    # Queries of the qrels that have such a name.
    kept = frame.attrs.get("queries_like_means", ())
    means = [query for query in frame["qid"].unique() if query.lower() in SUMMARIES and query not in kept]
    named = ", ".join(map(repr, means))
    frame = frame[~frame["qid"].isin(means)].reset_index(drop=True) if means else frame
    if frame.empty:
        found = f"only means ({named})" if means else "none"
        raise ValueError(f"perquery must have values by query (-q in the shell), but has {found}.")
    if means:
        warn(RowsWarning(f"perquery: the rows of {named} are left out, because they are means, not queries."))
    return frame


def _looks(perquery: Any, columns: Mapping[str, str] | None) -> dict[str, Look]:
    """Return looks at results by the name of their system, which is empty if they have none."""
    look_of = partial(look_at, wanted="results", columns=columns, name="perquery")
    if not isinstance(perquery, (str, os.PathLike)):
        look = look_of(perquery)
        shape = shape_of(look)
        if shape is SEVERAL and look.form == "object":
            perquery = look.data
        elif not are_named(perquery) or (shape is not None and "results" in shape.holds.split()):
            return {"": look}
    return {name: look_of(one) for name, one in named_runs("read_perquery", perquery).items()}


def _read(look: Look, name: str, *, rename: bool) -> pd.DataFrame:
    """Read results. Those of a system without a name, or of the only one if it is to be renamed, get this name."""
    frame = frame_in(look)
    if "name" not in frame or (rename and name and len(set(frame["name"])) == 1):
        if not name and len(frame):
            raise ValueError(f"{look.name}: the name of the system is missing. Give it, as in {{'bm25': results}}.")
        frame = frame.assign(name=name)
    read = Columns(frame, (), look.name)
    ours = {"name": "name", "qid": "query_id", "measure": "measure"}
    names = {column: read.objects(name, are_ids=False) for column, name in ours.items()}
    return pd.DataFrame({**names, "value": frame["value"].to_numpy()})
