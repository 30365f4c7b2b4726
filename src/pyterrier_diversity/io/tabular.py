"""Read and write qrels as tables with all their columns; read runs from JSON lines."""

from __future__ import annotations

import csv
import gzip
import os
from typing import Any

import numpy as np
import pandas as pd

from ..judged import NO_DOCUMENT, QRELS_COLUMNS, given_frame, numbers, strings
from .files import Content, Path
from .records import Field, ending, read_records
from .written import require_pyarrow

TABLES = (".csv", ".tsv", ".parquet")
JSON = (".jsonl", ".json", ".ndjson")
# The columns of TREC's qrels; the weight is optional.
_LINE = ("query_id", "iteration", "doc_id", "relevance", "weight")
_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}
_NUMBERS = ("label", "weight", "rarity", "gain")
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
    try:
        frame = frame.assign(**ids)
        if ending(path) == ".parquet":
            _write_parquet(frame.rename(columns=_PYTERRIER), path)
        elif ending(path) in TABLES:
            separator = "," if ending(path) == ".csv" else "\t"
            # All text is quoted: a carriage return would otherwise end the row.
            quoted: Any = {"quoting": csv.QUOTE_NONNUMERIC, "sep": separator}
            frame.rename(columns=_PYTERRIER).to_csv(path, index=False, encoding="utf-8", **quoted)
        else:
            _write_trec(frame, path, lossy)
    except UnicodeEncodeError as error:
        raise ValueError(f"write_qrels: {error.object[:40]!r} cannot be written in UTF-8.") from error


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    require_pyarrow("write_qrels")
    if os.fspath(path).endswith(".gz"):
        raise ValueError("write_qrels: path must not end in .parquet.gz, as parquet files are compressed already.")
    frame.to_parquet(path, index=False)


def _write_trec(frame: pd.DataFrame, path: Path, lossy: bool) -> None:
    lost = [str(name) for name in frame if name not in _LINE]
    nobody = (frame["doc_id"] == NO_DOCUMENT).to_numpy()
    if not lossy and (lost or nobody.any()):
        named = f"the column{'s' if len(lost) > 1 else ''} {', '.join(lost)}" if lost else ""
        unjudged = f"{int(nobody.sum())} intents without judgements" if nobody.any() else ""
        raise ValueError(
            f"write_qrels: TREC's format has no place for {' and '.join(filter(None, [named, unjudged]))}; end the "
            "path in .csv or .parquet, or leave them out by lossy=True."
        )
    frame = frame[~nobody]
    frame = frame if "iteration" in frame else frame.assign(iteration="0")
    for name in ("query_id", "iteration", "doc_id"):
        bad = next((value for value in frame[name].tolist() if len(value.split()) != 1 or value != value.strip()), None)
        if bad is not None:
            raise ValueError(
                f"write_qrels: TREC's format cannot represent the id {bad!r}: end the path in .csv or .parquet."
            )
    columns = [frame[name].tolist() for name in _LINE if name in frame]
    text = "".join(" ".join(map(str, row)) + "\n" for row in zip(*columns, strict=True)).encode()
    with gzip.open(path, "wb") if os.fspath(path).endswith(".gz") else open(path, "wb") as stream:
        stream.write(text)


def read_qrels_table(content: Content) -> pd.DataFrame:
    """Read qrels from a table, with all its columns; a row may have no document."""
    records = read_records(content, "read_qrels")
    if not records:
        raise ValueError(f"{content.name} contains no judgement.")
    return with_whole_labels(pd.DataFrame([_qrels_row(record) for record in records]))


def with_whole_labels(qrels: pd.DataFrame) -> pd.DataFrame:
    """Return qrels with integer labels if all labels are whole numbers that fit into integers."""
    label = qrels["label"]
    is_whole = ((label % 1 == 0) & (label.abs() < _LARGEST_INTEGER)).all()
    return qrels.assign(label=label.astype(np.int64)) if is_whole else qrels


def _qrels_row(record: Field) -> dict[str, Any]:
    row = {_PYTERRIER.get(name, name): value for name, value in record.value.items()}
    row["qid"] = record.need("qid", "query_id").identifier()
    doc = record.get("docno", "doc_id")
    row["docno"] = NO_DOCUMENT if doc is None else doc.identifier()
    row["label"] = record.need("label", "relevance").number()
    if "iteration" in row:
        row["iteration"] = record.need("iteration").identifier()
    return row | {name: record.need(name).number() for name in _NUMBERS[1:] if name in row}


def read_json_run(content: Content) -> pd.DataFrame:
    """Read the rows of a run from JSON, in the order of the file, with ``qid``, ``docno``, ``score`` and ``rank``."""
    rows = [row for record in read_records(content, "read_run") for row in _run_rows(record)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])


def _run_rows(record: Field) -> list[tuple[str, str, float, float]]:
    query = record.need("qid", "query_id").identifier()
    if record.has("nuggets") and record.has("run_id"):  # the run of a judged answer has nothing else
        return [(query, record.need("run_id").identifier(), 1.0, 0.0)]
    docs = record.need("docno", "doc_id")
    score, rank = record.get("score"), record.get("rank")
    if not isinstance(docs.value, list):
        place = np.nan if rank is None else rank.number()
        value = record.need("score", "rank").number() if score is not None or rank is None else -place
        return [(query, docs.identifier(), value, place)]
    names = [doc.identifier() for doc in docs.members()]
    scores = [-float(i) for i in range(len(names))] if score is None else [one.number() for one in score.members()]
    if len(scores) != len(names):
        raise (score or docs).refused(f"must have a number for each of the {len(names)} documents")
    return [(query, doc, value, float(i)) for i, (doc, value) in enumerate(zip(names, scores, strict=True))]
