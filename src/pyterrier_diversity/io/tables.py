"""The one writer of tables: text, LaTeX, HTML and Markdown for people, CSV, JSON and parquet for programs."""

import html
import json
import math
import operator
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from typing import Any, Literal, NamedTuple, Self, get_args

import pandas as pd

from .aligned import aligned, in_lines, placed, terminal_width
from .files import Path
from .labels import SYSTEMS, printable, renamed, tex
from .records import native
from .writing import is_device, replaced

Format = Literal["table", "csv", "tsv", "json", "jsonl", "latex", "html", "markdown"]
FileFormat = Format | Literal["parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
PEOPLE = ("table", "latex", "html", "markdown")

# The endings of paths: one for each of the formats, and another one for HTML.
_NAMED = [".txt", ".csv", ".tsv", ".json", ".jsonl", ".tex", ".html", ".md", ".parquet", ".htm"]
_ENDINGS: dict[str, FileFormat] = dict(zip(_NAMED, (*FORMATS, "parquet", "html"), strict=True))

# Decimal places in the formats for people. Those for programs have every digit.
_DECIMALS = 4
_P_VALUES = ("p", "p_corrected")
# Columns of what users may rename.
_NAMES = (*SYSTEMS, "measure")
# What the best text of a column, and what is above and below after a text, are in.
_TEXT = ("{}", "^{}", "_{}")
_HTML = ("<b>{}</b>", "<sup>{}</sup>", "<sub>{}</sub>")
_LATEX_MARKS = (r"\textbf{{{}}}", r"$^{{\mathrm{{{}}}}}$", r"$_{{\mathrm{{{}}}}}$")


class Cell(NamedTuple):
    """A cell for people: its text, the superscript and subscript after it, and whether it is the best in its column."""

    text: str
    above: str = ""
    below: str = ""
    best: bool = False
    is_number: bool = False

    def written(self, escape: Callable[[str], str], best: str, above: str, below: str) -> tuple[str, str]:
        """Return the text and its marks in these formats."""
        text, marks = escape(self.text), ((above, self.above), (below, self.below))
        return best.format(text) if self.best else text, "".join(how.format(mark) for how, mark in marks if mark)


@dataclass(frozen=True, eq=False)
class Table:
    """A table for people; HTML in notebooks, text when it is printed.

    Attributes
    ----------
    header : list of str
        The names of the columns.
    cells : list of list of Cell
        The rows.
    legend : str
        What the marks mean, below the table.
    tips : dict of str to str
        The tooltips of the columns or rows of these names.
    """

    header: list[str]
    cells: list[list[Cell]]
    legend: str = ""
    tips: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_names(self) -> int:
        """The number of columns on the left that name a row."""
        return len(list(takewhile(operator.not_, self._numeric))) or 1

    @property
    def of_values(self) -> bool:
        """Whether the columns after the names are numbers, so that the table can be transposed without loss."""
        return all(self._numeric[self.n_names :])

    def transposed(self) -> Self:
        """Return the table with a row for each column of values."""
        n, corner = self.n_names, "measure" if self.of_values else ""
        names = [" ".join(cell.text for cell in row[:n] if cell.text) for row in self.cells]
        rows = [[Cell(name), *column] for name, column in zip(self.header[n:], self._columns[n:], strict=True)]
        return replace(self, header=[corner, *names], cells=rows)

    def to_text(self, width: int | None = None) -> str:
        """Return the table as text of at most ``width`` characters, if that is given.

        A table of values that is too wide is transposed if that makes it narrower. If it is still too wide, texts wrap,
        and as a last resort the columns are printed in several parts.
        """
        tables = [self, self.transposed()] if width is not None and self.of_values else [self]
        table = min(tables, key=lambda table: max([width or 0, *map(len, table._lines())]))
        told = f"Transposed to fit {width} columns: the measures are rows." * (table is not self)
        legend = [in_lines(line, width) for line in (self.legend, told) if line]
        return "\n\n".join(["\n".join(table._lines(width)), *legend])

    def __str__(self) -> str:
        """Return the table as text that fits the terminal."""
        return self.to_text(terminal_width())

    def to_markdown(self) -> str:
        """Return the table in GitHub's Markdown. The best means are bold."""
        columns = self._texts(lambda text: printable(text).replace("|", "\\|"), "**{}**", *_HTML[1:])
        widths = [max(3, *map(len, column)) for column in columns]
        lines = [f"| {' | '.join(map(placed, row, widths, self._numeric))} |" for row in zip(*columns, strict=True)]
        rules = [f"{'-' * (w + 1)}:" if n else f":{'-' * (w + 1)}" for w, n in zip(widths, self._numeric, strict=True)]
        told = ["", printable(self._legend)] if self._legend else []
        return "\n".join([lines[0], f"|{'|'.join(rules)}|", *lines[1:], *told])

    def to_html(self) -> str:
        """Return the table as HTML. The best means are bold, and marks do not move the decimal points."""
        n = self.n_names
        marks = [max((len(cell.above + cell.below) for cell in column), default=0) for column in self._columns]
        rows = [[*(self._th(cell.text) for cell in row[:n]), *map(_td, row[n:], marks[n:])] for row in self.cells]
        body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
        head = "".join(map(self._th, self.header))
        caption = f"<caption>{_html(self._legend)}</caption>\n" if self._legend else ""
        return f"<table>\n{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"

    _repr_html_ = to_html

    def to_latex(self) -> str:
        """Return the table as LaTeX with booktabs. The best means are bold; comments have the tips and the legend.

        Marks are in a column of their own, so that the decimal points line up.
        """
        kinds, columns = "", []
        for name, cells, number in zip(self.header, self._columns, self._numeric, strict=True):
            kind, head = "r" if number else "l", tex(name, formulas=True)
            escape = partial(tex, formulas=name in _NAMES)
            parts = [cell.written(escape, *_LATEX_MARKS) for cell in cells]
            marked = any(marks for _, marks in parts)
            kinds += f"{kind}@{{}}l" if marked else kind
            head = rf"\multicolumn{{2}}{{{kind}}}{{{head}}}" if marked else head
            columns.append([head, *(f"{value} & {marks}" if marked else value for value, marks in parts)])
        first, *others = (f"{' & '.join(row)} \\\\" for row in zip(*columns, strict=True)) if columns else [" \\\\"]
        # A name with a line break would end the comment.
        told = [f"% {' '.join(text.splitlines())}" for text in (*self.tips.values(), self._legend) if text]
        rules = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", first, r"\midrule"]
        return "\n".join([r"% needs \usepackage{booktabs}", *told, *rules, *others, r"\bottomrule", r"\end{tabular}"])

    @property
    def _legend(self) -> str:
        """The legend of formats with bold numbers."""
        return self.legend + " Bold: the best mean." * any(cell.best for row in self.cells for cell in row)

    @property
    def _columns(self) -> list[tuple[Cell, ...]]:
        return list(zip(*self.cells, strict=True)) or [()] * len(self.header)

    @property
    def _numeric(self) -> list[bool]:
        return [all(cell.is_number for cell in column) for column in self._columns]

    def _texts(self, escape: Callable[[str], str], *marks: str) -> list[list[str]]:
        """Return the texts of each column with its header; spaces after numbers keep their decimal points in line."""
        columns = []
        for name, cells in zip(self.header, self._columns, strict=True):
            parts = [cell.written(escape, *marks) for cell in cells]
            wide = max((len(after) for _, after in parts), default=0)
            columns.append([escape(name), *(text + after.ljust(wide) for text, after in parts)])
        return columns

    def _lines(self, width: int | None = None) -> list[str]:
        return aligned(self._texts(printable, *_TEXT), self._numeric, width)

    def _th(self, name: str) -> str:
        tip = f' title="{html.escape(self.tips[name])}"' if name in self.tips else ""
        return f"<th{tip}>{_html(name)}</th>"


def write_table(
    frame: pd.DataFrame,
    path: Path,
    format: FileFormat | None = None,
    places: int | None = None,
    *,
    names: Mapping[Any, str] | None = None,
    labels: Mapping[Any, str] | None = None,
    transpose: bool = False,
) -> None:
    """Write a table to a file, and how its numbers were computed to a second file.

    A file is replaced when the new one is complete. If writing fails, the old one stays.

    Parameters
    ----------
    frame : DataFrame
        A table from `evaluate_runs` or a function of ``meta``. Its index is not written.
    path : path-like
        The file, which is replaced if it exists. A second file, ``PATH.json`` (such as ``table.csv.json``), has
        ``frame.attrs``, such as signatures, tests and seeds, and the version of this package. A device or a pipe gets
        no second file.
    format : {"table", "csv", "tsv", "json", "jsonl", "latex", "html", "markdown", "parquet"}, optional
        By default, the path's ending decides: ``.txt``, ``.csv``, ``.tsv``, ``.json``, ``.jsonl``, ``.tex``, ``.html``,
        ``.md``, ``.parquet``.
    places, names, labels, transpose
        As for `formatted`.

    Raises
    ------
    ValueError
        If the ending or the format is unknown, two systems or measures would have the same name, none of the names or
        labels is known, or two columns of JSON would have the same name.
    ImportError
        If the format is parquet and pyarrow is not installed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> frame = pd.DataFrame({"name": ["bm25", "xquad"], "RBU@5": [0.1, 0.30000000000000004]})
    >>> write_table(frame, folder / "table.csv")
    >>> print((folder / "table.csv").read_text(), end="")
    name,RBU@5
    bm25,0.1
    xquad,0.30000000000000004
    >>> sorted(file.name for file in folder.iterdir())
    ['table.csv', 'table.csv.json']
    """
    chosen = format or format_of(path)
    if chosen == "parquet":
        shown = renamed(frame, names, labels)
        shown = transposed(shown) if transpose else shown
        content: str | bytes = shown.map(_value_in_parquet, places=places).to_parquet(index=False, engine="pyarrow")
    else:
        content = formatted(frame, chosen, places, names=names, labels=labels, transpose=transpose)
    write_content(content, path, frame.attrs)


def write_content(content: str | bytes, path: Path, attrs: Mapping[Any, Any]) -> None:
    """Write the text or the bytes of a table, and its ``attrs`` to ``PATH.json`` beside it."""
    from importlib.metadata import version

    with replaced(path) as file:
        file.write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())
    if not is_device(path):
        told = {"pyterrier_diversity": version("pyterrier-diversity"), **{str(k): v for k, v in attrs.items()}}
        with replaced(f"{os.fspath(path)}.json") as file:
            file.write_text(json.dumps(told, indent=2, default=str) + "\n", encoding="utf-8")


def format_of(path: Path) -> FileFormat:
    """Return the format that the ending of a path stands for."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in _ENDINGS:
        known = ", ".join(_ENDINGS)
        raise ValueError(f"{os.fspath(path)!r} does not name a format: its ending must be one of {known}.")
    return _ENDINGS[ending]


def formatted(
    frame: pd.DataFrame,
    format: Format = "table",
    places: int | None = None,
    *,
    names: Mapping[Any, str] | None = None,
    labels: Mapping[Any, str] | None = None,
    transpose: bool = False,
    width: int | None = None,
) -> str:
    r"""Return a table as text, without a line break at its end.

    Control characters in names are escaped (``\x1b``).

    Parameters
    ----------
    frame : DataFrame
        The table. Its index is not printed.
    format : {"table", "csv", "tsv", "json", "jsonl", "latex", "html", "markdown"}
        The format of the text.
    places : int in [0, inf), optional
        Decimal places of numbers that are not whole. By default, csv, tsv, json and jsonl have all digits, so that
        numbers can be read back exactly; the other formats have 4. A smaller p-value than that is written as
        ``< 0.0001``.
    names, labels : mapping of str to str, optional
        What systems and measures are called. In LaTeX, formulas (``$...$``) stay as they are, and the rest is escaped.
    transpose : bool
        Whether the measures are rows and the systems are columns.
    width : int >= 1, optional
        The largest number of characters of a line in the format "table": a table of values that is too wide is
        transposed if that makes it narrower, and texts wrap. By default, lines may have any length.

    Raises
    ------
    ValueError
        If the format is unknown, two systems or measures would have the same name, none of the names or labels is
        known, or two columns of JSON would have the same name.

    Examples
    --------
    >>> print(formatted(pd.DataFrame({"name": ["bm25"], "RBU@5": [0.14563]}), "markdown"))
    | name |  RBU@5 |
    |:-----|-------:|
    | bm25 | 0.1456 |
    """
    if format not in FORMATS:
        raise ValueError(f"formatted: format must be one of {', '.join(FORMATS)}, not {format!r}.")
    frame = renamed(frame, names, labels)
    if format in PEOPLE:
        table = table_of(frame, _DECIMALS if places is None else places)
        table = table.transposed() if transpose else table
        return table.to_text(width) if format == "table" else str(getattr(table, f"to_{format}")())
    frame = transposed(frame) if transpose else frame
    if format in ("json", "jsonl"):
        columns = frame.columns.map(str)
        for name in columns[columns.duplicated()]:
            raise ValueError(f"formatted: JSON cannot have two columns that are called {name!r}. Use csv or tsv.")
        records = _as_json(frame.to_dict("records"), places)
        return json.dumps(records) if format == "json" else "\n".join(map(json.dumps, records))
    digits, separator = None if places is None else f"%.{places}f", "\t" if format == "tsv" else ","
    header = [printable(str(name)) for name in frame.columns]
    shown = frame.map(_value_in_csv, places=places)
    text: str = shown.to_csv(index=False, header=header, float_format=digits, lineterminator="\n", sep=separator)
    return text.rstrip("\n")


def table_of(frame: pd.DataFrame, places: int) -> Table:
    """Return a frame as a table for people, with so many decimal places for numbers that are not whole."""
    columns = [
        [_cell(cell, places, p_value=str(name) in _P_VALUES) for cell in column.tolist()]
        for name, column in frame.items()
    ]
    told = {str(name): text for name, text in frame.attrs.get("signatures", {}).items() if name in frame}
    return Table(list(map(str, frame.columns)), [list(row) for row in zip(*columns, strict=True)], tips=told)


def transposed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a row for each measure, and a column for each row."""
    table = table_of(frame, 0)
    n, header = table.n_names, table.transposed().header
    rows = [[str(name), *column.tolist()] for name, column in frame.iloc[:, n:].items()]
    return pd.DataFrame(rows, columns=header)


def p_text(p: float, places: int) -> str:
    """Return a p-value as text, which never reads 0.000.

    Examples
    --------
    >>> [p_text(p, 3) for p in (0.04, 0.00004, 0)]
    ['0.040', '< 0.001', '< 0.001']
    """
    text = f"{p:.{places}f}"
    return text if float(text) or math.isnan(p) else f"< {10**-places:.{places}f}"


def _cell(cell: Any, places: int, *, p_value: bool) -> Cell:
    if isinstance(cell, float):
        text = f"{cell:z.{places}f}"  # without a minus at 0
        if p_value:  # 0 means less than the smallest p-value that a randomised test can give
            text = p_text(cell, places) if cell else "0"
        return Cell(text, is_number=True)
    if isinstance(cell, dict):
        cell = [f"{key}: {value}" for key, value in cell.items()]
    text = ", ".join(map(str, cell)) if isinstance(cell, (list, tuple)) else str(cell)
    return Cell(text, is_number=isinstance(cell, int) and not isinstance(cell, bool))


def _html(text: str) -> str:
    return html.escape(printable(text))


def _td(cell: Cell, wide: int) -> str:
    value, marks = cell.written(_html, *_HTML)
    beside = f'<span style="display:inline-block;min-width:{wide}ch;text-align:left">{marks}</span>' if wide else ""
    return f'<td style="text-align:right">{value}{beside}</td>' if cell.is_number else f"<td>{value}</td>"


def _value_in_csv(cell: Any, places: int | None) -> Any:
    """Return a cell with texts on one line; a list or dict as JSON."""
    cell = json.dumps(_as_json(cell, places)) if isinstance(cell, (dict, list)) else cell
    return printable(cell) if isinstance(cell, str) else cell


def _value_in_parquet(cell: Any, places: int | None) -> Any:
    """Return a cell with the digits of the other formats; a dict as JSON, as parquet would give all rows all keys."""
    if isinstance(cell, dict):
        return json.dumps(_as_json(cell, places))
    return round(cell, places) if isinstance(cell, float) and places is not None else cell


def _as_json(data: Any, places: int | None) -> Any:
    """Return data as JSON can have it: None for infinity and missing values, text for unknown types."""
    read = float if places is None else lambda word: round(float(word), places)
    return json.loads(json.dumps(native(data), default=str), parse_float=read, parse_constant=lambda _: None)
