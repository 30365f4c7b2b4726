"""Look at data: in which container it is, which names it has, and what its first lines or its first record are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import islice
from typing import Any, Literal

import pandas as pd

from ..frames import PYTERRIER_NAMES, label_of, refuse_read
from .files import Content, Renamed, is_file, read_content, visible_files
from .lines import are_quoted, words_of
from .records import Field, native, plain, read_csv, read_json, read_parquet, reads

Wanted = Literal["run", "qrels", "results"]
# What the columns of other tools are called here, without ir_measures' names, which `Columns` reads, and with them.
_OF_TOOLS = dict.fromkeys(("query-id", "q_id", "topic_id"), "qid")
_OF_TOOLS |= dict.fromkeys(("docid", "corpus-id", "corpus_id"), "docno")
USUAL_NAMES = PYTERRIER_NAMES | _OF_TOOLS
# The same for results by query.
_OF_RESULTS = {**USUAL_NAMES, "topic": "qid", "metric": "measure"}
_OF_RESULTS |= dict.fromkeys(("run", "runid", "run_id", "system"), "name")
#: The columns that are needed, of which "a|b" is one of two.
NEEDED = {
    "run": ("qid", "docno", "score|rank"),
    "qrels": ("qid", "docno", "label"),
    "results": ("qid", "measure", "value"),
}
#: Names of columns, which tell a header from a line of data.
KNOWN_NAMES = {*_OF_RESULTS, *_OF_RESULTS.values(), "score", "rank", "iteration", "subtopic_id", "weight", "value"}
# Names of a list of documents in an object about a query.
LISTS = ("docno", "results", "documents", "hits", "references", "candidates")
# TREC's placeholders for an intent.
NO_INTENT = {"0", "Q0"}
# What may hold lists and objects in a frame of objects.
_NESTED = {*LISTS, "nuggets", "nugget_bank", "claim_bank", "answer", "rating", "questions", "retrieval_gt"}
# The only name in an object of rows.
_OF_ROWS = {"results", "run", "qrels", "rows"}
_JSON = re.compile(r"\s*(\{\s*[\"}]|\{\s*$|\[\s*[\[{\"\]]|\[\s*$|\[\s*-?\d)")
# The line of trec_eval with the tag of a run.
_TAG = re.compile(rb"^runid\s+all\s.*$", re.MULTILINE)
# How many words the lines of runs and qrels have.
_N_WORDS = range(3, 7)
#: How tables in HTML, Markdown and LaTeX begin.
FOR_PEOPLE = r"<table|\||\\begin|% needs \\"
_MOST_LINES, _MOST_BYTES = 200, 2**16


class SharedColumns(dict[str, str]):
    """New names of columns, shared by several files, each of which may have only some of the columns."""


@dataclass(frozen=True)
class Look:
    """What data shows at a glance.

    Attributes
    ----------
    name : str
        What the data is called in messages.
    wanted : {"run", "qrels", "results"}
        What it should be.
    columns : mapping of str to str
        The new names of columns.
    by_rank : bool
        Whether ranks order the documents of a run.
    data : Content, DataFrame, list of Field or object
        The data.
    form : {"lines", "markup", "frame", "records", "object"}
        Its container. A frame may be a table in text. Records are objects of JSON, or dicts.
    lines : list of list of str
        The words of the first lines.
    fields : tuple of str
        The names of columns, or the keys of the first record, as the user calls them.
    separator : str or None
        What separates the words of lines, if it is not white space.
    is_text : bool
        Whether it was text, whose numbers are checked when they are read; not data of Python or parquet.
    places : list of str
        File and line of each row of a table in text.
    """

    name: str
    wanted: Wanted
    columns: Mapping[str, str]
    by_rank: bool
    data: Any
    form: Literal["lines", "markup", "frame", "records", "object"] = "object"
    lines: tuple[list[str], ...] = ()
    fields: tuple[str, ...] = ()
    is_text: bool = False
    separator: str | None = None
    places: Sequence[str] = ()

    @property
    def record(self) -> Any:
        """The first record; an empty dict if there is none."""
        return self.data[0].value if self.form == "records" and self.data else {}

    @cached_property
    def names(self) -> set[str]:
        """The names of columns or of the keys of the first record, with their usual and new names."""
        # The keys of an object that only has objects and lists are ids.
        are_ids = self.form == "records" and all(isinstance(of, (Mapping, list, tuple)) for of in self.record.values())
        found = self.data if self.form == "frame" else self.record
        usual = _OF_RESULTS if self.wanted == "results" else USUAL_NAMES
        return {usual.get(name, name) for name in map(str, found) if not are_ids or name in self.columns.values()}

    def records(self) -> list[Field]:
        """Return the rows of a frame, or the objects, with Python's values."""
        if self.form == "frame":
            places = self.places or [f"{self.name}, row {i}" for i in range(len(self.data))]
            rows = zip(self.data.to_dict("records"), places, strict=True)
            return [Field(native(row), at, given=dict(zip(self.fields, row.values(), strict=True))) for row, at in rows]
        return [Field(native(one.value), one.where, given=one.given) for one in self.data]

    def at(self, data: Any) -> Look:
        """Look at other data in the place of this one."""
        return look_at(data, self.wanted, self.columns, by_rank=self.by_rank, name=self.name)


def look_at(
    source: Any, wanted: Wanted, columns: Mapping[str, str] | None = None, *, by_rank: bool = False, name: str = ""
) -> Look:
    """Look at a file, a frame, an object or rows; ``name`` is what messages call data in memory."""
    columns = (isinstance(source, Renamed) and source.columns) or columns or {}
    columns = columns if all(isinstance(old, str) for old in columns) else {str(old): columns[old] for old in columns}
    if isinstance(source, pd.Series) and source.index.nlevels > 1:
        source = source.reset_index(name=NEEDED[wanted][-1].split("|")[0] if source.name is None else source.name)
    data = read_content(source) if is_file(source) else plain(source)
    if isinstance(data, Content):
        return _of_content(Look(data.name, wanted, columns, by_rank, data, is_text=True))
    look = Look(name or wanted, wanted, columns, by_rank, data)
    if isinstance(data, pd.DataFrame):
        levels = [name for name in data.index.names if name in KNOWN_NAMES and name not in data]
        return _of_frame(look, data.reset_index(level=levels) if levels else data)
    if isinstance(data, Mapping):
        return _of_records(look, [Field({name: plain(of) for name, of in data.items()}, look.name)])
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes, os.PathLike)):
        refuse_read(data, look.name)
        members = list(data)
        if members and all(hasattr(member, "_fields") for member in members):
            return look.at(pd.DataFrame(members, dtype=object))
        rows = [Field(plain(one), f"{look.name}, object {i}") for i, one in enumerate(members)]
        are_records = all(isinstance(row.value, Mapping) for row in rows)
        return _of_records(look, rows) if are_records else replace(look, data=members)
    return look


def _of_frame(look: Look, frame: pd.DataFrame, places: Sequence[str] = ()) -> Look:
    """Look at a frame, whose columns get new names, and usual ones unless another column has them."""
    fields = tuple(map(str, frame.columns))
    check_fields(fields, look.columns, look.name)
    frame = frame.rename(columns=_new_names(frame.columns, look.columns)) if look.columns else frame
    usual = _OF_RESULTS if look.wanted == "results" else _OF_TOOLS
    names = {old: new for old, new in usual.items() if old in frame and new not in frame}
    frame = frame.rename(columns=names) if names else frame
    look = replace(look, form="frame", data=frame, fields=fields, places=places)
    firsts = (native(column.iloc[0]) for name, column in frame.items() if name in _NESTED and len(frame))
    are_nested = any(isinstance(one, (list, dict)) for one in firsts)
    return replace(look, form="records", data=look.records()) if are_nested else look


def _of_records(look: Look, records: list[Field]) -> Look:
    first = records[0].value if records else {}
    if not isinstance(first, Mapping):
        raise records[0].refused("must have names, as of to_json(orient='records')")
    inside = _table_in(first, look) if len(records) == 1 else None
    if isinstance(inside, pd.DataFrame):
        return look.at(inside)
    if inside:
        return _of_records(look, [Field(row, records[0].where) for row in inside])
    if look.columns:
        check_fields(names_of_fields(records), look.columns, look.name)
        records = [Field(with_our_names(one.value, look.columns), one.where, given=one.value) for one in records]
    return replace(look, form="records", data=records, fields=tuple(map(str, first)))


def _table_in(record: Mapping[Any, Any], look: Look) -> pd.DataFrame | list[Any] | None:
    """Return the table in an object, as pandas writes it in any orient, or the rows that are its only value."""
    columns = {name: list(of.values()) if isinstance(of, Mapping) else of for name, of in record.items()}
    rows = list(record.values())
    if isinstance(record.get("data"), list) and not {"columns", "schema"}.isdisjoint(record):
        return pd.DataFrame(record["data"], columns=record.get("columns"), dtype=object)
    if _has_columns(record, look) and all(isinstance(column, list) for column in columns.values()):
        if len(set(map(len, columns.values()))) > 1:
            raise ValueError(f"{look.name}: the columns have different lengths.")
        return pd.DataFrame(columns, dtype=object)
    if len(rows) == 1 and not _OF_ROWS.isdisjoint(record) and isinstance(rows[0], list):
        rows = rows[0]
    return rows if all(isinstance(row, Mapping) and _has_columns(row, look) for row in rows) else None


def _has_columns(names: Iterable[Any], look: Look) -> bool:
    known = usual_names(look.columns.get(name, name) for name in map(str, names))
    is_result = look.wanted == "results" and "qid" in known
    return is_result or ("docno" in known and not known.isdisjoint({"qid", "query", "label", "score", "rank"}))


def usual_names(names: Iterable[Any]) -> set[str]:
    """Return the names that columns of these names have here."""
    return {USUAL_NAMES.get(name, name) for name in map(str, names)}


def usually_named(fields: Mapping[Any, Any] | pd.DataFrame) -> dict[str, Any]:
    """Return the fields of a record, or the columns of a frame, by the names that they have here."""
    return {USUAL_NAMES.get(str(name), str(name)): value for name, value in fields.items()}


def all_names(look: Look) -> Iterable[str]:
    """Return the names of columns, or of the fields of records, as the user calls them."""
    return names_of_fields(look.data) if look.form == "records" else look.fields


def by_place(wanted: Wanted, places: Sequence[int] = (1, 2, 3)) -> str:
    """Return how to name the columns of lines that are needed, which are in these places."""
    columns = {str(place): name.split("|")[0] for place, name in zip(places, NEEDED[wanted], strict=True)}
    other = " (rank instead of score for numbers such as 1, 2, 3)" * (wanted == "run")
    shell = f" or, in the shell, --columns {','.join(map('='.join, columns.items()))}" * (wanted != "results")
    return f"Name the columns by number, as in columns={columns}{shell}{other}; or write a header as the first line."


def names_of_fields(records: Iterable[Field]) -> Iterator[str]:
    """Yield the names of all fields of records, also of objects inside them, as the user calls them."""

    def names(value: Any, above: str = "") -> Iterator[str]:
        value = value[0] if isinstance(value, list) and value else value
        for name, of in value.items() if isinstance(value, Mapping) else ():
            yield f"{above}{name}"
            yield from names(of, f"{above}{name}." * isinstance(of, Mapping))

    yield from dict.fromkeys(name for record in records for name in names(record.given))


def check_fields(found: Iterable[Any], columns: Mapping[str, str], what: str) -> None:
    """Raise a ``ValueError`` if a column that gets a new name does not exist."""
    if not columns or isinstance(columns, SharedColumns):
        return
    names = list(map(str, found))
    for name in columns:
        if name not in names:
            raise ValueError(f"{what}: columns renames {name!r}, which is not a column; found: {', '.join(names)}.")


def _new_names(found: Iterable[Any], columns: Mapping[str, str]) -> dict[Any, str]:
    """Return the new name of each column that gets one. An old column of that name is kept as ``name (old)``."""
    names = list(found)
    new = {old: columns[str(old)] for old in names if str(old) in columns}
    taken = usual_names(new.values())
    return {**{name: f"{name} (old)" for name in names if USUAL_NAMES.get(name, name) in taken}, **new}


def with_our_names(record: Any, columns: Mapping[str, str]) -> Any:
    """Return an object with new names of its fields; of the objects in its lists, if it has no field of that name.

    A name with dots is that of a field inside others, such as ``metadata.topic``.
    """
    if not isinstance(record, Mapping) or not columns:
        return record
    inside = {name: reduce(_member, name.split("."), record) for name in columns if "." in name}
    fields = {**record, **{name: value for name, value in inside.items() if value is not None}}
    names, others = _new_names(fields, columns), {old: columns[old] for old in columns if old not in fields}
    return {
        names.get(name, name): [with_our_names(one, others) for one in value] if isinstance(value, list) else value
        for name, value in fields.items()
    }


def _member(record: Any, name: str) -> Any:
    return record.get(name) if isinstance(record, Mapping) else None


def _of_content(look: Look) -> Look:
    if look.wanted == "results":
        look = replace(look, data=look.data._replace(data=_TAG.sub(b"", look.data.data)))
    content: Content = look.data
    line = content.first_line
    if content.data.startswith(b"PAR1"):
        return look.at(read_parquet(content))
    if _JSON.match(line):
        return _of_records(look, read_json(content))
    if re.match(rf"\s*(<\?xml|<trec_dd|<!DOCTYPE|{FOR_PEOPLE})", line):
        return replace(look, form="markup")
    separator = max(",\t;|", key=line.count)
    cells = [word.strip('"') for word in re.split(rf"[{separator}\s]+", line.strip())]
    known = {cell.lower() for cell in cells} & (KNOWN_NAMES | look.columns.keys())
    is_header = (separator in line and separator != "|") or len(known) > 1
    if is_header and not any(reads(float, cell) or label_of(cell) == label_of(cell) for cell in cells):
        return _of_frame(look, *read_csv(content, separator if separator in line else " "))
    begin = content.data[:_MOST_BYTES]
    whole = begin if len(begin) == len(content.data) else begin.rpartition(b"\n")[0]
    separated = _separator_of(line, separator, look)
    quoted = are_quoted(whole)
    # Names of systems may have spaces, and rows of means come late.
    most = None if look.wanted == "results" else _MOST_LINES
    filled = islice(filter(str.strip, whole.decode(errors="replace").splitlines()), most)
    words = tuple(words_of(each, quoted=quoted, separator=separated) for each in filled)
    columns = look.columns
    # An option names the columns of runs and of qrels. The last one of three is the label.
    if (
        look.wanted == "qrels"
        and isinstance(columns, SharedColumns)
        and all(re.fullmatch(r"\S+ \S+ -?\d+", " ".join(of)) for of in words)
    ):
        columns = SharedColumns({at: "label" if name in ("score", "rank") else name for at, name in columns.items()})
    return replace(look, form="lines", lines=words, separator=separated, columns=columns)


def _separator_of(line: str, separator: str, look: Look) -> str | None:
    """Return what separates the words of lines if white space does not: words may have spaces inside."""
    n, n_cells = len(line.split()), line.count(separator) + 1
    is_tabbed = separator == "\t" and n_cells > 1
    are_cells = is_tabbed and (look.wanted == "results" or (n != n_cells and any(map(str.isdigit, look.columns))))
    is_spaced = line.count(f"{separator} ") == n_cells - 1 > 1
    return separator if are_cells or ((n not in _N_WORDS or is_spaced) and n_cells in _N_WORDS) else None


def read_records(source: Any, who: str, columns: Mapping[str, str] | None = None) -> list[Field]:
    """Return the objects of files, or of Python.

    Parameters
    ----------
    source : path-like, frame, mapping, iterable of them, or Look
        Files (JSON, JSON lines, tables with a header, parquet); folders, for all visible files in them; objects and
        rows; or named tuples.
    who : str
        The name of the source in messages, if it is not a file.
    columns : mapping of str to str, optional
        The new names of fields.

    Raises
    ------
    ValueError
        If a file cannot be read. The message names file and line.
    TypeError
        If the source is something else.
    """
    folder = source if isinstance(source, (str, os.PathLike)) and os.path.isdir(source) else None
    source = source if folder is None else visible_files(folder)
    if folder is not None and not source:
        raise ValueError(f"{os.fspath(folder)}: the folder is empty.")
    if isinstance(source, (list, tuple)) and any(isinstance(one, (str, os.PathLike)) for one in source):
        return [record for i, one in enumerate(source) for record in read_records(one, f"{who}, object {i}", columns)]
    look = source if isinstance(source, Look) else look_at(source, "qrels", columns, name=who)
    if look.form in ("frame", "records"):
        return look.records()
    one = look.data[0] if isinstance(look.data, list) else look.data
    kinds = {"object": type(one).__name__, "markup": "markup"}
    what = kinds.get(look.form, "lines of words" if look.lines else "empty")
    raise (TypeError if look.form == "object" else ValueError)(
        f"{look.name} must be a path, a frame, an object or a list of them, not {what}."
    )
