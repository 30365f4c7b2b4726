"""A file of finished values that grows run by run, so that an interrupted call can be continued."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..io import harmless, printable, require_pyarrow

COLUMNS = ("name", "qid", "measure", "value", "se", "run_key", "qrels_key", "signature", "notes")

_PART = 2**20


class Column(NamedTuple):
    """One value for each query of the qrels, their aggregate, and standard errors if there are any."""

    by_query: np.ndarray
    aggregate: float
    errors: np.ndarray | None = None
    error: float | None = None


@dataclass
class Scored:
    """The results of one run.

    Attributes
    ----------
    columns : dict of str to Column
        The values of the measures.
    answered : array of bool
        For each query of the qrels, whether the run has documents for it.
    empty : bool
        Whether the run has no documents at all.
    ties : dict of str to float
        For each cutoff, the share of queries in which documents with the same score are on both sides of it.
    messages : list of str
        Warnings about the data.
    n_rows : int
        The number of rows read.
    """

    columns: dict[str, Column]
    answered: np.ndarray
    empty: bool = False
    ties: dict[str, float] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    n_rows: int = 0

    def merge(self, other: Scored) -> None:
        """Add further results of the same run."""
        self.columns |= other.columns
        self.ties |= other.ties
        self.messages += [message for message in other.messages if message not in self.messages]


def content_key(frame: pd.DataFrame, *how: object) -> str:
    """Return a key of the content of a frame, in any row order, and of the options that read it."""
    columns = {str(name): column for name, column in frame.items() if _is_plain(column)}
    ordered = pd.DataFrame({name: columns[name] for name in sorted(columns)})
    digest = _digest(*how, *ordered.columns)
    digest.update(np.sort(pd.util.hash_pandas_object(ordered, index=False).to_numpy()).tobytes())
    return digest.hexdigest()


def file_key(path: str | os.PathLike[str], *how: object) -> str:
    """Return a key of the bytes of a file and of the options that read it."""
    with open(path, "rb") as file:
        return bytes_key(iter(partial(file.read, _PART), b""), *how)


def bytes_key(parts: Iterable[bytes], *how: object) -> str:
    """Return the key of a file with these bytes."""
    digest = _digest(*how)
    for part in parts:
        digest.update(part)
    key: str = digest.hexdigest()
    return key


def _is_plain(column: pd.Series) -> bool:
    """Tell whether a column contains strings or numbers; vectors and lists do not affect evaluation."""
    return column.dtype != object or all(map(pd.api.types.is_scalar, column.head(1)))


def _digest(*parts: object) -> Any:
    return hashlib.blake2b("\0".join(map(str, (*parts, ""))).encode(), digest_size=16)


class Saved:
    """A CSV or parquet file with one row for each run, query and measure.

    The rows of a run are written as one block, whose last row has notes. A block without notes is incomplete, because
    the process was killed, and is removed. A parquet file cannot grow, so finished rows go to ``PATH.csv`` first. They
    are merged when the call ends, or at the start of the next one.

    Parameters
    ----------
    path : path-like
        The file, which must end in ``.csv`` or ``.parquet``. It is created if it does not exist.
    qrels_key : str
        The `content_key` of the qrels.
    query_ids : sequence of str
        The queries of the qrels, in order.
    signatures : mapping of str to str
        The signature of each requested measure.

    Raises
    ------
    ValueError
        If the path has another ending, or `evaluate_runs` did not write the file.
    ImportError
        If the file is parquet and pyarrow is not installed.
    OSError
        If another process writes to the file.
    """

    def __init__(
        self, path: str | os.PathLike[str], qrels_key: str, query_ids: Sequence[str], signatures: Mapping[str, str]
    ) -> None:
        self._path = os.fspath(path)
        ending = os.path.splitext(self._path)[1].lower()
        if ending not in (".csv", ".parquet"):
            raise ValueError(f"evaluate_runs: save must end in .csv or .parquet, not {self._path!r}.")
        self._is_parquet = ending == ".parquet"
        if self._is_parquet:
            require_pyarrow(f"evaluate_runs: save={self._path!r}")
        self._growing = f"{self._path}.csv" if self._is_parquet else self._path
        self._qrels_key, self._signatures = qrels_key, signatures
        self._query_ids = [harmless(printable(query_id)) for query_id in query_ids]
        self._found: dict[str, Scored] = {}
        self._named: set[tuple[str, ...]] = set()

    def __enter__(self) -> Saved:
        """Read the file, and lock it."""
        self._file = _locked(self._growing)
        try:
            if self._is_parquet and os.path.exists(self._path):
                self._read((record, 0) for record in _parquet_records(self._path))
            end = self._read(_csv_records(self._file, self._growing))
            self._file.truncate(end)
            self._file.seek(end)
            if not end:
                self._write([COLUMNS])
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Merge the new rows into the parquet file."""
        try:
            if self._is_parquet:
                self._merge()
        finally:
            self._file.close()

    def found(self, run_key: str) -> Scored | None:
        """Return the saved results of a run, which may have only some of the measures."""
        return self._found.get(run_key)

    def add(self, name: str, run_key: str, scored: Scored) -> Scored:
        """Write the results of a run that are not saved under its name, and return them with the saved ones."""
        known = self._found.get(run_key)
        if known is None:
            known = scored
        else:
            known.merge(scored)
        self._write_columns(harmless(printable(name)), run_key, known)
        return known

    def _write_columns(self, name: str, run_key: str, scored: Scored) -> None:
        new = {
            measure: column
            for measure, column in scored.columns.items()
            if (name, run_key, self._signatures[measure]) not in self._named
        }
        if not new:
            return
        columns = [
            (measure, column.by_query.tolist(), self._signatures[measure], _texts(column.errors))
            for measure, column in new.items()
        ]
        rows = [
            [name, query_id, measure, repr(values[i]), errors[i], run_key, self._qrels_key, signature, ""]
            for i, query_id in enumerate(self._query_ids)
            for measure, values, signature, errors in columns
        ]
        rows[-1][-1] = json.dumps({"rows": len(rows), **_notes(scored, new)})
        self._write(rows)

    def _write(self, rows: Iterable[Sequence[str]]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        self._file.write(text.getvalue().encode())
        self._file.flush()

    def _read(self, records: Iterable[tuple[list[Any], int]]) -> int:
        """Keep the requested values, and return where the last complete block ends."""
        rows: list[list[Any]] = []
        complete = 0
        for row, end in records:
            if rows and (row[0], row[5:7]) != (rows[0][0], rows[0][5:7]):
                raise self._changed()
            rows.append(row)
            is_header = tuple(row) == COLUMNS
            if row[-1] and not is_header:
                self._keep(rows)
            if row[-1]:
                rows, complete = [], end
        return complete

    def _keep(self, rows: list[list[Any]]) -> None:
        """Keep the values of a block that belong to the same qrels and measures."""
        name, *_, run_key, qrels_key, _, text = rows[-1]
        n_measures, rest = divmod(len(rows), len(self._query_ids))
        try:
            notes = json.loads(text)
            if notes["rows"] != len(rows):
                raise self._changed()
            if qrels_key != self._qrels_key:
                return
            if rest or [row[1] for row in rows[::n_measures]] != self._query_ids:
                raise self._changed()
            columns = {
                rows[i][2]: (rows[i][7], _column(rows[i::n_measures], notes["aggregates"][rows[i][2]]))
                for i in range(n_measures)
            }
            scored = _scored(notes, len(self._query_ids))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._changed() from error
        for measure, (signature, column) in columns.items():
            if self._signatures.get(measure) == signature:
                scored.columns[measure] = column
                self._named.add((name, run_key, signature))
        if scored.columns:
            self._found.setdefault(run_key, scored).merge(scored)

    def _changed(self) -> ValueError:
        return ValueError(
            f"evaluate_runs: save={self._path!r} was changed since evaluate_runs wrote it; move it away, or save to "
            "another file."
        )

    def _merge(self) -> None:
        """Replace the parquet file by one with the old and the new rows."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._file.seek(0)
        rows = [row for row, _ in _csv_records(self._file, self._growing) if tuple(row) != COLUMNS]
        if rows or not os.path.exists(self._path):
            numbers = ("value", "se")
            schema = pa.schema([(name, pa.float64() if name in numbers else pa.string()) for name in COLUMNS])
            columns = zip(*rows, strict=True) if rows else [()] * len(COLUMNS)
            new = pa.table(
                [
                    [float(cell) if cell else None for cell in column] if name in numbers else list(column)
                    for name, column in zip(COLUMNS, columns, strict=True)
                ],
                schema=schema,
            )
            tables = [pq.read_table(self._path).cast(schema), new] if os.path.exists(self._path) else [new]
            beside = f"{self._path}.{os.getpid()}"
            pq.write_table(pa.concat_tables(tables), beside)
            os.replace(beside, self._path)
        os.unlink(self._growing)


def _notes(scored: Scored, columns: Mapping[str, Column]) -> dict[str, Any]:
    """Return everything but the values of queries, for JSON."""
    notes: dict[str, Any] = {
        "aggregates": {measure: [column.aggregate, column.error] for measure, column in columns.items()}
    }
    if not scored.answered.all():
        notes["answered"] = np.packbits(scored.answered).tobytes().hex()
    further = {"empty": scored.empty, "ties": scored.ties, "warnings": scored.messages}
    return notes | {name: value for name, value in further.items() if value}


def _scored(notes: Mapping[str, Any], n_queries: int) -> Scored:
    answered = np.ones(n_queries, dtype=bool)
    if "answered" in notes:
        bits = np.frombuffer(bytes.fromhex(notes["answered"]), dtype=np.uint8)
        answered = np.unpackbits(bits, count=n_queries).astype(bool)
    return Scored({}, answered, notes.get("empty", False), notes.get("ties", {}), notes.get("warnings", []))


def _column(rows: list[list[Any]], aggregate: tuple[float, float | None]) -> Column:
    errors = None if aggregate[1] is None else np.array([float(row[4]) for row in rows])
    return Column(np.array([float(row[3]) for row in rows]), aggregate[0], errors, aggregate[1])


def _texts(values: np.ndarray | None) -> Any:
    """Return numbers as strings that can be read back exactly, or empty strings if there are none."""
    return defaultdict(str) if values is None else list(map(repr, values.tolist()))


def _locked(path: str) -> io.BufferedRandom:
    """Open and lock a file; on systems without locks, only open it."""
    while True:
        file = open(path, "a+b")  # noqa: SIM115  (it stays open)
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            return file
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                return file  # a file system without locks
            file.close()
            raise OSError(
                f"evaluate_runs: another process saves to {path}; wait for it, or save to another file."
            ) from error
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        file.close()  # another process has just removed it


def _csv_records(file: io.BufferedRandom, path: str) -> Iterator[tuple[list[str], int]]:
    """Yield the complete records of a file, and where each ends."""
    file.seek(0)
    end, whole = 0, True

    def lines() -> Iterator[str]:
        nonlocal end, whole
        for line in file:
            end += len(line)
            whole = line.endswith(b"\n")
            yield line.decode(errors="replace")

    header = ",".join(COLUMNS)
    for number, record in enumerate(csv.reader(lines())):
        if number == 0 and tuple(record) != COLUMNS and not (not whole and header.startswith(",".join(record))):
            raise ValueError(f"evaluate_runs: {path} has other columns than {header}; save to another file.")
        if not whole or len(record) != len(COLUMNS):
            return
        yield record, end


def _parquet_records(path: str) -> Iterator[list[Any]]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        if tuple(file.schema_arrow.names) != COLUMNS:
            raise ValueError(f"evaluate_runs: {path} has other columns than {','.join(COLUMNS)}; save to another file.")
        for batch in file.iter_batches():
            yield from map(list, zip(*(column.to_pylist() for column in batch.columns), strict=True))
