"""Qrels as frames and files: the order of their rows, whole labels, and how they are written."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path as File

import numpy as np
import pandas as pd

from ..judged import NO_DOCUMENT, PYTERRIER_NAMES, QRELS_COLUMNS, given_frame, numbers, strings
from .files import Path
from .tables import require_pyarrow
from .writing import replaced

_LARGEST_INTEGER = 2.0**63
# The columns of TREC's qrels; the weight is optional.
_LINE = ("query_id", "iteration", "doc_id", "relevance", "weight")


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


def highest_label_last(qrels: pd.DataFrame) -> pd.DataFrame:
    """Sort qrels so that the last row of each document has its highest label.

    pytrec_eval reads the last of several rows for a document, so ad-hoc measures are correct on these qrels. Queries
    are sorted by the number at the end of their ids; ids without a number come last.
    """
    number = qrels["qid"].str.extract(r"(\d+)$", expand=False).astype(float)
    order = qrels.assign(number=number).sort_values(["number", "qid", "docno", "label", "iteration"])
    return qrels.loc[order.index].reset_index(drop=True)


def with_whole_labels(qrels: pd.DataFrame) -> pd.DataFrame:
    """Return qrels with integer labels if all labels are whole numbers that fit into integers."""
    label = qrels["label"]
    is_whole = ((label % 1 == 0) & (label.abs() < _LARGEST_INTEGER)).all()
    return qrels.assign(label=label.astype(np.int64)) if is_whole else qrels
