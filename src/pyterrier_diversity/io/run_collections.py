"""Runs, and results by query, by the names of their systems."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from glob import glob
from pathlib import Path
from typing import Any

import pandas as pd

from ..frames import Columns, Told, collected, give, of_run, warn
from ..warnings import RowsWarning
from .files import visible_files
from .fits import is_summary, kind_of
from .look import Look, look_at
from .readers import OrderedBy, read_run
from .records import is_frame
from .shapes import RUNS_OF_SYSTEMS, SEVERAL, Shape, frame_in, refusal, shape_of

# Everything that a function accepts as runs: see `read_runs`.
Runs = Any

# The kinds of what belongs to one query.
_OF_QUERY = ("numbers", "list", "groups", "records")
# How much of a pattern a message shows.
_LONGEST_PATTERN = 200
# The tables that pt.Experiment writes beside the runs in its save_dir.
_TABLES = ("aggregated.csv", "perquery.csv")
# Endings of files that are not part of the name of a run.
_USUAL_ENDINGS = re.compile(r"(\.(run|res|txt|jsonl|ndjson|json|csv|tsv|parquet))?(\.(gz|xz|zst))?\Z")


def read_runs(
    runs: Runs, *, order: OrderedBy = "score", columns: Mapping[str, str] | None = None, who: str = "read_runs"
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Read runs one after the other.

    Parameters
    ----------
    runs : mapping of names to runs, path, or iterable of paths or frames
        A run has any form that `read_run` reads. A path may also be a folder, for all visible files in it, a pattern
        such as ``runs/**/*.gz``, or ``"-"`` for the standard input. A run without a name is named after its file, or,
        if it is a frame, after its position.
    order, columns
        As in `read_run`.
    who : str
        The name of the calling function in messages.

    Yields
    ------
    tuple of str and DataFrame
        The name of a run and the result of `read_run`.

    Raises
    ------
    ValueError
        If no run is given, two runs have the same name, a path leads to no file, or a run cannot be read.
    TypeError
        If ``runs`` or a run has another form.

    Warns
    -----
    RanksWarning
        As `read_run`, once for all runs, with their names.

    Examples
    --------
    >>> dict(read_runs({"A": {"q": ["d1", "d2"]}}))["A"]
      qid docno  score  rank
    0   q    d1   -1.0     0
    1   q    d2   -2.0     1
    """
    told: list[Told] = []
    try:
        for name, run in named_runs(who, runs).items():
            with collected() as of_one, of_run(name):
                frame = read_run(run, order=order, columns=columns)
            told += of_one
            yield name, frame
    finally:
        give(told)


def named_runs(who: str, runs: Runs) -> dict[str, Any]:
    """Return runs by name without reading them.

    Raises
    ------
    ValueError
        If no run is given, two runs have the same name, or a path leads to no file.
    TypeError
        If ``runs`` has a form that `read_runs` does not accept.
    """
    if isinstance(runs, (str, os.PathLike)):
        named: list[tuple[str, Any]] = _named_files([runs])
    elif are_named(runs):
        named = [(_in_unicode(name), run) for name, run in runs.items()]
    else:
        look = look_at(runs, "run", name=f"{who}: runs")
        shape = shape_of(look)
        if shape is not SEVERAL and not (look.form == "records" and not look.data):
            raise _no_runs(look, shape)
        named = [(f"run {place}", run) for place, run in enumerate(look.data, start=1) if is_frame(run)]
        named += _named_files([run for run in look.data if not is_frame(run)])
    if not named:
        raise ValueError(f"{who}: give at least one run.")
    names = [name for name, _ in named]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{who}: two runs have the name {twice!r}.")
    return dict(named)


def are_named(runs: Any) -> bool:
    """Tell whether something maps names to runs or results, and not queries to documents or values."""
    kinds = {kind_of(run, name) for name, run in runs.items()} if isinstance(runs, Mapping) else {*_OF_QUERY}
    return kinds.isdisjoint(_OF_QUERY) and kinds != {"frame"}


def _no_runs(look: Look, shape: Shape | None) -> Exception:
    """Return the error about an argument that is not several runs."""
    if shape is not None and "run" in shape.holds.split():
        return ValueError(f"{look.name} is one run. Give it a name, as in {{'mine': run}}.")
    if shape is None:
        kind = f"a list of {type(look.data[0]).__name__}" if isinstance(look.data, list) else type(look.data).__name__
        return TypeError(f"{look.name} must be a mapping of names to runs, or paths, not {kind}.")
    return refusal(look, shape)


def _in_unicode(name: object) -> str:
    """Return a name that can be written: bytes of file names that are not text become question marks."""
    return str(name).encode(errors="replace").decode()


def _named_files(patterns: Iterable[str | os.PathLike[str]]) -> list[tuple[str, Path]]:
    """Return the files of paths by name: without the usual endings, or the whole path if names would be repeated."""
    paths = run_files(patterns)
    names = [_USUAL_ENDINGS.sub("", _in_unicode(path.name)) for path in paths]
    names = names if len(set(names)) == len(names) else list(map(_in_unicode, paths))
    return [run for name, path in zip(names, paths, strict=True) for run in _of_systems(path) or [(name, path)]]


def _of_systems(path: Path) -> list[tuple[str, Any]]:
    """Return the runs in a file of JSON that has those of several systems."""
    if path.is_file():
        with suppress(ValueError, OSError), open(path, "rb") as file:
            look = look_at(path, "run") if ".json" in path.suffixes or file.read(1) == b"{" else None
            return list(look.record.items()) if look and shape_of(look) is RUNS_OF_SYSTEMS else []
    return []


def run_files(patterns: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Find run files: each file once, those of a folder or pattern sorted by name.

    Raises
    ------
    ValueError
        If a file does not exist, a folder contains none, or a pattern matches none.
    """
    found: dict[Path, None] = {}
    for pattern in map(Path, patterns):
        if os.path.isdir(pattern):
            files = visible_files(pattern)
        elif os.path.exists(pattern) or str(pattern) == "-":  # pipes, too
            files = [pattern]
        else:
            files = sorted(path for path in map(Path, glob(str(pattern), recursive=True)) if path.is_file())
        if not files:
            raise ValueError(f"No run file found at {str(pattern)[:_LONGEST_PATTERN]!r}.")
        kept = [path for path in files if path.name not in _TABLES] or files
        if len(kept) < len(files):
            tables = " and ".join(path.name for path in files if path not in kept)
            told = "are not read as runs: these are names of tables of pt.Experiment."
            warn(RowsWarning(f"{tables} in {str(pattern)!r} {told}"))
        found.update(dict.fromkeys(kept))
    return list(found)


def read_perquery(perquery: Any, *, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Read results by query, of this package and of other tools.

    All functions that take ``perquery`` read it in this way. Rows of means, which other tools call ``all``,
    ``amean``, ``gmean``, ``mean``, ``average``, ``avg``, ``overall``, ``macro`` or ``micro``, are left out.

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
    read = [_read_results(look, name, rename=isinstance(perquery, Mapping)) for name, look in looks.items()]
    frame = pd.concat(read, ignore_index=True)
    frame.attrs = dict(getattr(perquery, "attrs", {}))
    # Queries of the qrels that have such a name.
    kept = frame.attrs.get("queries_like_means", ())
    means = [query for query in frame["qid"].unique() if is_summary(query) and query not in kept]
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


def _read_results(look: Look, name: str, *, rename: bool) -> pd.DataFrame:
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
