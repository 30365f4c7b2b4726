"""Files that are written: whole or not at all, and never over an input; files of qrels."""

import csv
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

# The columns of TREC's qrels; the weight is optional.
_LINE = ("query_id", "iteration", "doc_id", "relevance", "weight")


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
    columns = Columns(qrels, QRELS_COLUMNS, "qrels")
    columns.numbers("relevance")
    frame = columns.renamed([name for name in ("query_id", "doc_id", "iteration") if name in columns])
    name = os.fspath(path)
    ending = File(name.removesuffix(".gz")).suffix.lower()
    if name.endswith(".parquet.gz"):
        raise ValueError("write_qrels: path must not end in .parquet.gz, as parquet files are compressed already.")
    # All text is quoted: a carriage return would otherwise end the row.
    how: dict[str, Any] = {"sep": "\t" if ending == ".tsv" else ",", "quoting": csv.QUOTE_NONNUMERIC}
    try:
        if ending not in (".parquet", ".csv", ".tsv"):
            frame, how = _trec(frame, lossy), {"sep": " ", "quoting": csv.QUOTE_NONE, "header": False}
        table = frame.rename(columns=PYTERRIER_NAMES)
        with replaced(path) as file:
            if ending == ".parquet":
                table.to_parquet(file, index=False, engine="pyarrow")
            else:
                table.to_csv(file, index=False, encoding="utf-8", lineterminator="\n", **how)
    except UnicodeEncodeError as error:
        raise ValueError(f"write_qrels: {error.object[:40]!r} cannot be written in UTF-8.") from error


def _trec(frame: pd.DataFrame, lossy: bool) -> pd.DataFrame:
    """Return the columns of TREC's format, or raise a ``ValueError`` if something would be lost."""
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
    for value in frame[["query_id", "iteration", "doc_id"]].to_numpy(dtype=object).T.flat:
        if [value] != value.split():
            raise ValueError(
                f"write_qrels: TREC's format cannot represent the id {value!r}: end the path in .csv or .parquet."
            )
    return frame[[name for name in _LINE if name in frame]]
