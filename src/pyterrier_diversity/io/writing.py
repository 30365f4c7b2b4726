"""Files that are written: whole or not at all, and never over an input; files of qrels."""

import csv
import gzip
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path as File
from typing import Any

import pandas as pd

from ..frames import NO_DOCUMENT, PYTERRIER_NAMES, QRELS_COLUMNS, Columns
from .files import Path
from .forms import with_whole_labels
from .records import native

# The columns of TREC's qrels; the weight is optional.
_LINE = ("qid", "iteration", "docno", "label", "weight")


@contextmanager
def replaced(path: Path) -> Iterator[File]:
    """Yield a new file beside a path, which replaces the file at the path once it is written without an error.

    A device or a pipe is yielded as it is. Errors of the operating system name the path.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> with replaced(target) as file:
    ...     _ = file.write_text("RBU")
    ...     target.exists(), file.suffix
    (False, '.csv')
    >>> target.read_text()
    'RBU'
    """
    is_direct, target = is_device(path), File(os.path.realpath(path))  # a link stays a link
    part = File(path) if is_direct else target.with_name(f".{secrets.token_hex(8)}{target.suffix}")
    try:
        yield part
        if not is_direct:
            if target.exists():
                shutil.copymode(target, part)
            os.replace(part, target)
    except OSError as error:
        if error.filename in (None, str(part), part):
            error.filename, error.filename2 = os.fspath(path), None
        raise
    finally:
        if not is_direct:
            part.unlink(missing_ok=True)


def is_device(path: Path) -> bool:
    """Return whether a path is a device, a pipe or anything else that cannot be replaced by a file."""
    return (os.path.exists(path) and not os.path.isfile(path)) or os.fspath(path).startswith("/dev/")


def refuse_inputs(who: str, output: Path, inputs: Iterable[Path]) -> None:
    """Raise a ``ValueError`` if an output is one of the inputs, even under another path.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> qrels = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> qrels.touch()
    >>> refuse_inputs("report", qrels.parent / "." / "qrels.txt", [qrels])
    Traceback (most recent call last):
    ...
    ValueError: report: the output ...qrels.txt is one of the inputs. Choose another file.
    """
    if is_device(output) or not os.path.exists(output):
        return
    for given in inputs:
        if os.path.isfile(given) and os.path.samefile(given, output):
            raise ValueError(f"{who}: the output {os.fspath(output)} is one of the inputs. Choose another file.")


def write_qrels(qrels: pd.DataFrame, path: Path) -> None:
    """Write qrels to a file that `read_qrels` reads.

    Parameters
    ----------
    qrels : DataFrame
        Qrels, with PyTerrier's or ir_measures' names.
    path : path-like
        A ``.csv``, ``.tsv``, ``.json``, ``.jsonl`` or ``.parquet`` file keeps all columns; those that no measure reads
        are text in ``.csv`` and ``.tsv``. Any other ending means TREC's format: query, intent, document, label and, if
        there is one, weight. ``.gz`` compresses the file.

    Raises
    ------
    ValueError
        If a column is missing, or TREC's format cannot store another column, an intent without judgements, or an id.

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
    columns = Columns(qrels, QRELS_COLUMNS, "qrels")
    ids = [name for name in ("query_id", "doc_id", "iteration") if name in columns]
    table = columns.renamed(ids).rename(columns=PYTERRIER_NAMES)
    table = with_whole_labels(table.assign(label=columns.numbers("relevance")))
    ending = File(os.fspath(path).removesuffix(".gz")).suffix.lower()
    how: dict[str, Any] = {"index": False, "lineterminator": "\n"}
    with replaced(path) as file:
        if ending == ".parquet":
            table.to_parquet(file, index=False, engine="pyarrow")
        elif ending in (".csv", ".tsv"):
            # All text is quoted: a carriage return would otherwise end the row.
            table.to_csv(file, sep="\t" if ending == ".tsv" else ",", quoting=csv.QUOTE_NONNUMERIC, **how)
        elif ending in (".json", ".jsonl"):
            records = native(table.to_dict("records"))
            values = [records] if ending == ".json" else records
            data = "".join(f"{json.dumps(one, default=str, ensure_ascii=False)}\n" for one in values).encode()
            file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
        else:
            _trec(table).to_csv(file, sep=" ", header=False, quoting=csv.QUOTE_NONE, **how)


def _trec(qrels: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of TREC's format, or raise a ``ValueError`` if something would be lost."""
    lost = [f"the column {name}" for name in qrels if name not in _LINE]
    lost += ["intents without judgements"] if (qrels["docno"] == NO_DOCUMENT).any() else []
    qrels = qrels if "iteration" in qrels else qrels.assign(iteration="0")
    ids = qrels[["qid", "iteration", "docno"]].to_numpy(dtype=object).flat
    lost += [f"the id {one!r}" for one in ids if one not in ("", *one.split())][:1]
    if lost:
        instead = "Drop this first, or end the path in .csv, .jsonl or .parquet."
        raise ValueError(f"write_qrels: TREC's format cannot store {', '.join(lost)}. {instead}")
    return qrels[[name for name in _LINE if name in qrels]]
