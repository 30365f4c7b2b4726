"""Write tables as text or to files, with a second file that says how the numbers were computed."""

from __future__ import annotations

import json
import math
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from .files import Path

Format = Literal["table", "csv", "json", "jsonl", "latex", "html", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)

_ENDINGS: dict[str, Format | Literal["parquet"]] = {
    ".txt": "table",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".parquet": "parquet",
}

# Formats for people, and their default number of decimal places. Formats for programs have every digit.
_PLACES = {"table": 4, "latex": 4, "html": 4, "markdown": 4}

# Characters that end a line, control a terminal, or have no UTF-8 form.
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}


def write_table(
    frame: pd.DataFrame,
    path: Path,
    format: Format | Literal["parquet"] | None = None,
    places: int | None = None,
) -> None:
    """Write a table to a file, and how its numbers were computed to a second file.

    Parameters
    ----------
    frame : DataFrame
        A table from `evaluate_runs` or a function of ``meta``. Its index is not written.
    path : path-like
        The file, which is replaced if it exists. A second file, ``PATH.json`` (such as ``table.csv.json``), has
        ``frame.attrs``, such as signatures, tests and seeds, and the version of this package.
    format : {"table", "csv", "json", "jsonl", "latex", "html", "markdown", "parquet"}, optional
        By default, the path's ending decides: ``.txt``, ``.csv``, ``.json``, ``.jsonl``, ``.tex``, ``.html``, ``.md``,
        ``.parquet``.
    places : int in [0, inf), optional
        As for `formatted`.

    Raises
    ------
    ValueError
        If the ending or the format is unknown.
    ImportError
        If the format is parquet and pyarrow is not installed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> frame = pd.DataFrame({"name": ["bm25", "=xquad"], "RBU@5": [0.1, 0.30000000000000004]})
    >>> write_table(frame, folder / "table.csv")
    >>> print((folder / "table.csv").read_text(), end="")
    name,RBU@5
    bm25,0.1
    '=xquad,0.30000000000000004
    >>> sorted(file.name for file in folder.iterdir())
    ['table.csv', 'table.csv.json']
    """
    chosen = format or format_of(path)
    if chosen == "parquet":
        require_pyarrow(f"write_table: {os.fspath(path)}")
        (frame if places is None else frame.round(places)).to_parquet(path, index=False)
    else:
        text = formatted(frame, chosen, places)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text + "\n")
    write_attrs(frame, path)


def write_attrs(frame: pd.DataFrame, path: Path) -> None:
    """Write the ``attrs`` of a table, and the version of this package, to ``PATH.json`` beside the table's file."""
    from importlib.metadata import version

    content = {"pyterrier_diversity": version("pyterrier-diversity"), **{str(k): v for k, v in frame.attrs.items()}}
    with open(f"{os.fspath(path)}.json", "w", encoding="utf-8") as file:
        file.write(json.dumps(content, indent=2, default=str) + "\n")


def format_of(path: Path) -> Format | Literal["parquet"]:
    """Return the format that the ending of a path stands for."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in _ENDINGS:
        raise ValueError(
            f"{os.fspath(path)!r} does not name a format: its ending must be one of {', '.join(_ENDINGS)}, "
            f"not {ending!r}."
        )
    return _ENDINGS[ending]


def require_pyarrow(who: str) -> None:
    """Raise an ``ImportError`` that says what to install if pyarrow is missing."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{who} needs pyarrow: pip install pyarrow, or choose .csv.") from error


def formatted(frame: pd.DataFrame, format: Format = "table", places: int | None = None) -> str:
    r"""Return a table as text, without a line break at its end.

    Control characters in names are escaped (``\x1b``). In CSV, a name that a spreadsheet would execute begins with an
    apostrophe.

    Parameters
    ----------
    frame : DataFrame
        The table. Its index is not printed.
    format : {"table", "csv", "json", "jsonl", "latex", "html", "markdown"}
        The format of the text.
    places : int in [0, inf), optional
        Decimal places of numbers that are not whole. By default, csv, json and jsonl have all digits, so that numbers
        can be read back exactly; the other formats have 4.

    Raises
    ------
    ValueError
        If the format is unknown.

    Examples
    --------
    >>> print(formatted(pd.DataFrame({"name": ["bm25"], "RBU@5": [0.14563]}), "markdown"))
    | name |  RBU@5 |
    |:-----|-------:|
    | bm25 | 0.1456 |
    """
    if format not in FORMATS:
        raise ValueError(f"formatted: format must be one of {', '.join(FORMATS)}, not {format!r}.")
    places = _PLACES.get(format) if places is None else places
    if format in ("json", "jsonl"):
        return _json(frame, places, lines=format == "jsonl")
    safe = _harmless(frame, spreadsheet=format == "csv")
    if format == "csv":
        text: str = safe.to_csv(
            index=False, float_format=None if places is None else f"%.{places}f", lineterminator="\n"
        )
        return text.rstrip("\n")
    if format == "html":
        return str(safe.to_html(index=False, float_format=f"{{:.{places}f}}".format, border=0))
    if format == "table":
        return str(safe.to_string(index=False, float_format=f"{{:.{places}f}}".format))
    numeric = [kind.kind in "if" for kind in safe.dtypes]
    rows = [[str(name) for name in safe], *([_cell(cell, places) for cell in row] for row in _rows(safe))]
    if format == "markdown":
        return _markdown(rows, numeric)
    return latex([list(map(escaped, row)) for row in rows], "".join("r" if number else "l" for number in numeric))


def harmless(text: str) -> str:
    """Return a name that a spreadsheet does not execute: one that looks like a formula gets an apostrophe in front.

    Numbers are left alone. A name that begins with an apostrophe gets another one, so that names stay distinct.

    Examples
    --------
    >>> [harmless(name) for name in ("bm25", "=1+2", "-0.5", "-x", "'=1+2")]
    ['bm25', "'=1+2", '-0.5', "'-x", "''=1+2"]
    """
    executed = text[:1] in ("=", "+", "-", "@", "'", "\t", "\r") and not _NUMBER.fullmatch(text)
    return f"'{text}" if executed else text


def printable(text: str) -> str:
    """Return text on one line, with control characters escaped."""
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if unicodedata.category(character) in _UNPRINTABLE
        else character
        for character in text
    )


def latex(rows: Iterable[Sequence[str]], columns: str) -> str:
    """Return a LaTeX table with the rules of booktabs; the first row is the header, and cells are not escaped."""
    header, *body = (f"{' & '.join(row)} \\\\" for row in rows)
    lines = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        header,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Return text escaped for LaTeX, on one line."""
    return "".join(_LATEX.get(character, character) for character in " ".join(text.splitlines()))


def _harmless(frame: pd.DataFrame, *, spreadsheet: bool) -> pd.DataFrame:
    """Return a table with printable names that spreadsheets do not execute."""

    def safe(cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        return harmless(printable(cell)) if spreadsheet else printable(cell)

    texts = [i for i, kind in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    columns = [
        pd.Series([safe(cell) for cell in column], dtype=object) if i in texts else column.reset_index(drop=True)
        for i, (_, column) in enumerate(frame.items())
    ]
    table = pd.concat(columns, axis=1) if columns else pd.DataFrame()
    return table.set_axis([safe(str(name)) for name in frame.columns], axis=1)


def _rows(frame: pd.DataFrame) -> Iterable[tuple[Any, ...]]:
    """Return the rows of a table, with whole numbers as integers."""
    return zip(*(column.tolist() for _, column in frame.items()), strict=True)


def _cell(cell: Any, places: int | None) -> str:
    return f"{cell:.{places}f}" if isinstance(cell, float) else str(cell)


def _json(frame: pd.DataFrame, places: int | None, *, lines: bool) -> str:
    names = [str(name) for name in frame.columns]
    records = [
        json.dumps(dict(zip(names, (_value(cell, places) for cell in row), strict=True))) for row in _rows(frame)
    ]
    return "\n".join(records) if lines else f"[{', '.join(records)}]"


def _value(cell: Any, places: int | None) -> Any:
    """Return the JSON value of a cell: null for infinity and missing values, text for unknown types."""
    if isinstance(cell, dict):
        return {str(key): _value(value, places) for key, value in cell.items()}
    if isinstance(cell, (list, tuple)):
        return [_value(value, places) for value in cell]
    if isinstance(cell, float):
        return None if not math.isfinite(cell) else cell if places is None else round(cell, places)
    if isinstance(cell, np.integer):
        return int(cell)
    return None if cell is None or cell is pd.NA else cell if isinstance(cell, (str, bool, int)) else str(cell)


def _markdown(rows: list[list[str]], numeric: list[bool]) -> str:
    """Return a table in GitHub's Markdown, with numbers aligned right."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(3, *map(len, column)) for column in zip(*cells, strict=True)]
    header, *body = (
        "| "
        + " | ".join((f"{c:>{w}}" if n else f"{c:<{w}}") for c, w, n in zip(row, widths, numeric, strict=True))
        + " |"
        for row in cells
    )
    rule = "|".join("-" * (w + 1) + ":" if n else ":" + "-" * (w + 1) for w, n in zip(widths, numeric, strict=True))
    return "\n".join([header, f"|{rule}|", *body])
