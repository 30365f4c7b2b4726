"""Read and write qrels and runs as tables with all their columns; read those in JSON."""

from __future__ import annotations

import csv
import gzip
import math
import os
from collections.abc import Mapping
from pathlib import Path as File

import numpy as np
import pandas as pd

from ..judged import (
    NO_DOCUMENT,
    OF_NUGGETS,
    PYTERRIER_NAMES,
    QRELS_COLUMNS,
    RUN_COLUMNS,
    exact,
    given_frame,
    look_of_columns,
    numbers,
    shown,
    strings,
)
from .files import Content, Path
from .forms import expanded, frame_of
from .records import Field, Kind, first_record, read_parquet, read_records
from .tables import require_pyarrow
from .writing import replaced

# The columns of TREC's qrels; the weight is optional.
_LINE = ("query_id", "iteration", "doc_id", "relevance", "weight")
_IDS = ("query_id", "doc_id", "iteration", "subtopic_id")
_NUMBERS = ("relevance", "weight", "rarity", "gain", "score", "turn")
_LARGEST_INTEGER = 2.0**63


def write_qrels(qrels: pd.DataFrame, path: Path, *, lossy: bool = False) -> None:
    """Write qrels to a file that `read_qrels` reads.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names.
    path : path-like
        A ``.csv``, ``.tsv`` or ``.parquet`` file keeps all columns, as text if no measure reads them. Any other ending
        means TREC's format: query, intent, document, label and, if there is one, weight. ``.gz`` compresses the file.
    lossy : bool
        Whether TREC's format may lose other columns, and intents without judgements.

    Raises
    ------
    ValueError
        If something would be lost, a column is missing, or an id does not fit into TREC's format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pyterrier_diversity import io
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["d 1"], "label": 2, "iteration": "a", "importance": "vital"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_qrels(qrels, Path(folder) / "qrels.csv")
    ...     io.read_qrels(Path(folder) / "qrels.csv")
      qid docno  label iteration importance
    0   1   d 1      2         a      vital
    """
    frame = given_frame(qrels, QRELS_COLUMNS, "qrels")
    numbers(frame, "relevance", "qrels")
    ids = {name: strings(frame, name, "qrels") for name in ("query_id", "doc_id", "iteration") if name in frame}
    name = os.fspath(path)
    ending = File(name.removesuffix(".gz")).suffix.lower()
    if ending == ".parquet":
        require_pyarrow("write_qrels")
        if name.endswith(".gz"):
            raise ValueError("write_qrels: path must not end in .parquet.gz, as parquet files are compressed already.")
    try:
        frame = frame.assign(**ids)
        table = frame.rename(columns=PYTERRIER_NAMES)
        text = _trec(frame, lossy).encode() if ending not in (".parquet", ".csv", ".tsv") else b""
        with replaced(path) as file:
            if ending == ".parquet":
                table.to_parquet(file, index=False)
            elif ending in (".csv", ".tsv"):
                # All text is quoted: a carriage return would otherwise end the row.
                separator = "," if ending == ".csv" else "\t"
                table.to_csv(file, index=False, encoding="utf-8", sep=separator, quoting=csv.QUOTE_NONNUMERIC)
            else:
                file.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    except UnicodeEncodeError as error:
        raise ValueError(f"write_qrels: {error.object[:40]!r} cannot be written in UTF-8.") from error


def _trec(frame: pd.DataFrame, lossy: bool) -> str:
    """Return qrels in TREC's format, or raise a ``ValueError`` if something would be lost."""
    lost = [str(name) for name in frame if name not in _LINE]
    nobody = (frame["doc_id"] == NO_DOCUMENT).to_numpy()
    if not lossy and (lost or nobody.any()):
        named = f"the column{'s' if len(lost) > 1 else ''} {', '.join(lost)}" if lost else ""
        unjudged = f"{int(nobody.sum())} intents without judgements" if nobody.any() else ""
        raise ValueError(
            f"write_qrels: the TREC format cannot store {' and '.join(filter(None, [named, unjudged]))}. Use a path "
            "that ends in .csv or .parquet, or lossy=True to leave this out."
        )
    frame = frame[~nobody] if "iteration" in frame else frame[~nobody].assign(iteration="0")
    columns = {name: frame[name].tolist() for name in _LINE if name in frame}
    for value in (value for name in ("query_id", "iteration", "doc_id") for value in columns[name]):
        if [value] != value.split():
            raise ValueError(
                f"write_qrels: TREC's format cannot represent the id {value!r}: end the path in .csv or .parquet."
            )
    return "".join(" ".join(map(str, row)) + "\n" for row in zip(*columns.values(), strict=True))


def with_whole_labels(qrels: pd.DataFrame) -> pd.DataFrame:
    """Return qrels with integer labels if all labels are whole numbers that fit into integers."""
    label = qrels["label"]
    is_whole = ((label % 1 == 0) & (label.abs() < _LARGEST_INTEGER)).all()
    return qrels.assign(label=label.astype(np.int64)) if is_whole else qrels


def frame_of_records(
    content: Content,
    kind: Kind,
    required: tuple[str, ...],
    columns: Mapping[str, str] | None = None,
    order: str = "score",
) -> pd.DataFrame:
    """Return the qrels or the run in a table or in JSON as a frame with ir_measures' column names.

    Raises
    ------
    ValueError
        If a value cannot be read. The message names file and line.
    """
    if kind == "parquet":
        return frame_of(read_parquet(content), required, content.name, order=order, columns=columns)
    is_run = required == RUN_COLUMNS
    records = [(record.need_object(), record.where) for record in read_records(content, content.name)]
    rows, places = expanded(records, is_run, columns or {})
    frame = frame_of(pd.DataFrame(rows, dtype=object), required, content.name, order=order)
    if not is_run:  # a row may only name an intent
        frame = frame.assign(doc_id=frame["doc_id"].where(frame["doc_id"].notna(), NO_DOCUMENT))
    if "doc_len" in frame:
        frame = frame.assign(doc_len=frame["doc_len"].replace("", np.nan))
    _refuse_values(frame, places, is_run)
    read = {name: numbers(frame, name, content.name) for name in _NUMBERS if name in frame}
    return frame.assign(**read | ({"score": exact(frame["score"])} if is_run else {}))


def _refuse_values(frame: pd.DataFrame, places: list[str], is_run: bool) -> None:
    """Raise a ``ValueError`` for the first id or number of a file that cannot be read, with its place."""
    for name in (name for name in (*_IDS, *_NUMBERS) if name in frame):
        for value, where in zip(frame[name].tolist(), places, strict=True):
            if (type(value) is str and value) if name in _IDS else type(value) is float and math.isfinite(value):
                continue
            field = Field(value, where, shown(frame, name))
            if value == NO_DOCUMENT and name == "doc_id" and not is_run:
                continue
            if value is None or value == "" or value != value:
                raise ValueError(f"{where}: {field.name} is missing.")
            field.identifier() if name in _IDS else field.number()


def are_nuggets(content: Content, kind: Kind, columns: Mapping[str, str]) -> bool:
    """Tell by its first object whether JSON or a table has nuggets, not qrels or a run."""
    first = first_record(content)
    if first is None or not isinstance(first.value, Mapping):
        return kind == "json"
    try:
        rows = expanded([(first.value, first.where)], False, columns)[0]
    except TypeError:  # lists of lists, which are groups of documents
        return True
    names = {str(name) for row in rows for name in row}
    if kind == "json" and not (names | first.value.keys()) & OF_NUGGETS:
        return not (names & {"label", "score", "rank"} or names <= {"qid", "docno"})
    return kind == "json" or look_of_columns(names) == "nuggets"
