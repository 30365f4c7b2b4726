"""A folder with the values of runs: tables that anybody can read, and notes that say whether they are still valid."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import ir_measures
import numpy as np
import pandas as pd

from ..frames import Message
from ..io import SAVED_NOTES, SAVED_VALUES, Content, replaced
from ..measures.base import CompositeMeasure, implementation

SaveMode = Literal["reuse", "overwrite", "error"]

# Packages whose code has a version in the signatures of measures.
_VERSIONED = (__name__.partition(".")[0], "ir_measures")

_PART = 2**20

# How many characters of a run's name are in the names of its files, which may have 255 bytes.
_LONGEST = 100

# The length of the digests in the names of files.
_DIGITS = 16


@dataclass
class Scored:
    """The results of one run.

    Attributes
    ----------
    by_measure : dict of str to array, shape (queries + 1,)
        The values of the queries and their aggregate.
    answered : array of bool
        For each query of the qrels, whether the run has documents for it.
    empty : bool
        Whether the run has no documents at all.
    ties : dict of str to float
        For each cutoff, the share of queries in which documents with the same score are on both sides of it.
    messages : list of Message
        Warnings about the data, with their kinds.
    n_rows : int
        The number of rows read.
    """

    by_measure: dict[str, np.ndarray]
    answered: np.ndarray
    empty: bool = False
    ties: dict[str, float] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    n_rows: int = 0

    def merge(self, other: Scored) -> None:
        """Add further results of the same run."""
        self.by_measure |= other.by_measure
        self.ties |= other.ties
        self.messages += [message for message in other.messages if message not in self.messages]


def content_key(content: pd.DataFrame | Content | bytes | str | os.PathLike[str], *how: object) -> str:
    """Return a key of content and of the options that read it.

    Parameters
    ----------
    content : DataFrame, Content, bytes or path
        A frame, whose rows may be in any order; or bytes, or a file with these bytes.
    *how : object
        The options.
    """
    if isinstance(content, pd.DataFrame):
        columns = {str(name): _plain(column) for name, column in content.items() if _is_plain(column)}
        ordered = pd.DataFrame({name: columns[name] for name in sorted(columns)})
        how = *how, *ordered.columns, *ordered.dtypes
        try:
            hashes = pd.util.hash_pandas_object(ordered, index=False)
        except UnicodeEncodeError:
            hashes = pd.util.hash_pandas_object(ordered.map(_encoded), index=False)
        content = np.sort(hashes.to_numpy()).tobytes()
    digest = hashlib.blake2b("\0".join(map(str, (*how, ""))).encode("utf-8", "surrogatepass"), digest_size=16)
    if isinstance(content, (bytes, Content)):
        digest.update(content if isinstance(content, bytes) else content.data)
        return digest.hexdigest()
    with open(content, "rb") as file:
        while part := file.read(_PART):
            digest.update(part)
    return digest.hexdigest()


def code_key(measure: ir_measures.Measure, described: str = "") -> str | None:
    """Return what identifies a measure and the code that computes it, or None if that code may change.

    The code of this package and of ir_measures has a version, which is in the signature. Any other class, also inside
    of a composite measure, needs an attribute ``VERSION``.

    Parameters
    ----------
    measure : Measure
        The measure.
    described : str
        Its `signature`.
    """
    ours = implementation(measure)
    code = measure if ours is None else ours
    if type(code).__module__.partition(".")[0] not in _VERSIONED or hasattr(code, "runtime_impl"):
        version = getattr(code, "VERSION", None)
        if version is None:
            return None
        described = f"{described}|{type(code).__module__}.{type(code).__qualname__} {version}"
    parts = [code_key(part.measure) for part in ours.parts()] if isinstance(ours, CompositeMeasure) else []
    return None if None in parts else "".join([described, *filter(None, parts)])


def _is_plain(column: pd.Series) -> bool:
    """Tell whether a column contains strings or numbers; vectors and lists do not affect evaluation."""
    return column.dtype != object or all(map(pd.api.types.is_scalar, column.head(1)))


def _encoded(cell: Any) -> Any:
    """Return a string as bytes, because it may contain unpaired surrogates."""
    return cell.encode("utf-8", "surrogatepass") if isinstance(cell, str) else cell


def _plain(column: pd.Series) -> pd.Series:
    """Return integers with 64 bits: pandas hashes the bits of a number, so -1 with 8 bits would be 255 with more."""
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return column.reset_index(drop=True)
    if column.hasnans or column.dtype.kind not in "iu":
        return pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return pd.Series(column.to_numpy(dtype=np.int64 if column.dtype.kind == "i" else np.uint64))


class Saved:
    """A folder with the values of runs.

    For each run there is a table, ``NAME.DIGEST.values.csv.gz``, with a row for each query, a last row "all", and a
    column for each measure. ``NAME.DIGEST.values.json`` has the keys of
    the qrels, the run and the measures, the checksum of the table, and what else is known about the run. The digest is
    that of the notes. So a file is never written with other content, and needs no lock: processes that write to the
    same folder do not disturb each other. The notes are written last, so a table without notes does not count.

    Parameters
    ----------
    folder : path-like
        The folder, which is made if it does not exist.
    mode : {"reuse", "overwrite", "error"}
        Whether to read the values of runs that are in the folder, to replace them, or to refuse them.
    names : iterable of str
        The runs.
    qrels_key : str
        The `content_key` of the qrels.
    query_ids : sequence of str
        The queries of the qrels, in order.
    signatures : mapping of str to (str or None)
        What identifies each requested measure and its code; None if that may change.

    Raises
    ------
    ValueError
        If a file was changed, or if the mode is "error" and the folder has values of a run.
    OSError
        If the folder cannot be made or read.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        mode: SaveMode,
        names: Iterable[str],
        qrels_key: str,
        query_ids: Sequence[str],
        signatures: Mapping[str, str | None],
    ) -> None:
        self._folder = Path(folder)
        self._qrels_key, self._query_ids, self._signatures = qrels_key, query_ids, signatures
        self._folder.mkdir(exist_ok=True)
        # The notes of each run, by its key, and the files that are there, by the names of the runs.
        self._notes: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._replaced: dict[str, list[Path]] = defaultdict(list)
        for path in sorted(self._folder.glob(f"*{SAVED_NOTES}")):
            if mode == "reuse":
                with suppress(FileNotFoundError):  # another process has just replaced it
                    self._read_notes(path)
            else:
                self._replaced[path.name.removesuffix(SAVED_NOTES).rpartition(".")[0]].append(path)
        for name in names if mode == "error" else ():
            if self._replaced[_file_name(name)]:
                raise ValueError(
                    f"evaluate_runs: save_dir={os.fspath(folder)!r} has values of the run {name!r}. Use "
                    "save_mode='reuse' to read them, or 'overwrite' to replace them."
                )

    def found(self, run_key: str) -> Scored | None:
        """Return the saved results of a run, which may have only some of the measures."""
        found: Scored | None = None
        for notes in self._notes.get(run_key, ()):
            kept = [name for name, key in notes["measures"].items() if key and key == self._signatures.get(name)]
            # Nobody knows which of the measures that were computed together caused a warning.
            if (notes["warnings"] and len(kept) < len(notes["measures"])) or not kept:
                continue
            scored = self._read(notes, kept)
            if found is None:
                found = scored
            else:
                found.merge(scored)
        return found

    def add(self, name: str, run_key: str, scored: Scored) -> None:
        """Write the results of a run."""
        table = gzip.compress(self._table(scored).encode("utf-8", "backslashreplace"), compresslevel=6, mtime=0)
        notes = {
            "run": name,
            "run_key": run_key,
            "qrels_key": self._qrels_key,
            "measures": {measure: self._signatures[measure] for measure in scored.by_measure},
            "values": content_key(table),
            "unanswered": [self._query_ids[place] for place in np.flatnonzero(~scored.answered).tolist()],
            "empty": scored.empty,
            "ties": scored.ties,
            "warnings": [[message.kind, message] for message in scored.messages],
        }
        content = json.dumps(notes, indent=1).encode()
        stem = f"{_file_name(name)}.{content_key(content)[:_DIGITS]}"
        for ending, data in ((SAVED_VALUES, table), (SAVED_NOTES, content)):
            with replaced(self._folder / f"{stem}{ending}") as file:
                file.write_bytes(data)
        for path in self._replaced.pop(_file_name(name), ()):
            if path.name != f"{stem}{SAVED_NOTES}":
                path.unlink(missing_ok=True)
                _values_of(path).unlink(missing_ok=True)

    def _table(self, scored: Scored) -> str:
        """Return the values of a run as CSV, with all digits."""
        columns: dict[str, Any] = {"qid": pd.Series([*self._query_ids, "all"], dtype=object)}  # may not fit into Arrow
        columns |= {measure: values.tolist() for measure, values in scored.by_measure.items()}
        return str(pd.DataFrame(columns).to_csv(index=False, lineterminator="\n", na_rep="nan"))

    def _read_notes(self, path: Path) -> None:
        content = path.read_bytes()
        _check(path, content, path.name.removesuffix(SAVED_NOTES).rpartition(".")[2])
        notes = json.loads(content)
        if notes["qrels_key"] == self._qrels_key:
            self._notes[notes["run_key"]].append({**notes, "path": path})

    def _read(self, notes: Mapping[str, Any], measures: Sequence[str]) -> Scored:
        """Return the results of some of the measures of a table."""
        path = _values_of(notes["path"])
        content = path.read_bytes() if path.exists() else b""
        _check(path, content, notes["values"])
        _, *rows = csv.reader(io.StringIO(gzip.decompress(content).decode(), newline=""))
        values = np.array([row[1:] for row in rows], dtype=np.float64).T  # exact, as Python reads floats
        by_name = dict(zip(notes["measures"], values, strict=True))
        return Scored(
            {measure: by_name[measure] for measure in measures},
            ~np.isin(self._query_ids, notes["unanswered"]),
            notes["empty"],
            notes["ties"],
            [Message(text, kind) for kind, text in notes["warnings"]],
        )


def _check(path: Path, content: bytes, digits: str) -> None:
    """Raise a ``ValueError`` if the key of a file's content does not begin with these digits."""
    if not content_key(content).startswith(digits):
        raise ValueError(
            f"evaluate_runs: the file {path} has changed since evaluate_runs wrote it. Use save_mode='overwrite', or "
            "another save_dir."
        )


def _values_of(notes: Path) -> Path:
    """Return the table that notes are about."""
    return notes.with_name(f"{notes.name.removesuffix(SAVED_NOTES)}{SAVED_VALUES}")


def _file_name(name: str) -> str:
    """Return the name of a run as it is in the names of files: distinct names stay distinct.

    Examples
    --------
    >>> _file_name("runs/bm25 (k=1)")
    'runs%2Fbm25%20%28k%3D1%29'
    """
    safe = quote(name, safe="", errors="surrogatepass").replace(".", "%2E", name.startswith("."))
    return safe if len(safe) <= _LONGEST else f"{safe[:_LONGEST]}~{content_key(b'', name)[:_DIGITS]}"
