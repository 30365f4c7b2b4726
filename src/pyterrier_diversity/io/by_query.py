"""Tables of results by query: those with a column for each measure, and those with a row for each value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from ..frames import Columns
from .forms import named, new_names
from .labels import printable
from .look import NAMES_OF_RESULTS, Look
from .records import Field

#: The columns of lines of values, in order.
LINE_FORMATS = {
    "trec_eval": "measure qid value",
    "ir_measures": "qid measure value",
    "long": "name qid measure value",
}

# Columns of tables that are neither names nor measures.
_OTHERS = ("name", "qid", "mrt", "queries", "index", "Unnamed: 0", "")


def read_table_of_results(look: Look) -> pd.DataFrame:
    """Read a table of results by query, with a column for each measure, or with the columns measure and value."""
    if look.form == "frame":
        table = look.data.rename(columns=new_names(look.data.columns, look.columns))
        usual = {old: new for old, new in NAMES_OF_RESULTS.items() if new not in table}
        table = table.rename(columns=lambda name: usual.get(name, str(name)))
    else:
        rows = [named(one.need_object(), one.where, look.columns, NAMES_OF_RESULTS) for one in look.data]
        table = pd.DataFrame(rows, dtype=object)
    measures = ["value"] if "measure" in table else _measures_in(table)
    table = table.assign(**{name: _numbers(name, Columns(table, (), look.name), look) for name in measures})
    return table if "measure" in table else melted(table)


def read_values_by_query(look: Look) -> pd.DataFrame:
    """Read ``{query: {measure: value}}``."""
    rows = [(query, name, value) for query, of in look.record.items() for name, value in (of or {}).items()]
    return pd.DataFrame(rows, columns=["qid", "measure", "value"])


def melted(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each value of a table that has a column for each measure."""
    measures = _measures_in(table)
    keys = table[[name for name in ("name", "qid") if name in table]]
    rows = keys.iloc[np.repeat(np.arange(len(table)), len(measures))]
    return rows.assign(measure=measures * len(table), value=table[measures].to_numpy(np.float64).ravel())


def lines_of_results(table: pd.DataFrame, format: str, places: int | None = None) -> str:
    """Return the values of a table that has a column for each measure as lines of words, separated by tabs."""
    lines = melted(table)[LINE_FORMATS[format].split()]
    values = [repr(value) if places is None else f"{value:.{places}f}" for value in lines.pop("value")]
    rows = zip(*(map(printable, lines[name]) for name in lines), values, strict=True)
    return "\n".join(map("\t".join, rows))


def _measures_in(table: pd.DataFrame) -> list[str]:
    return [str(name) for name in table if name not in _OTHERS and not str(name).startswith("ties@")]


def _numbers(name: str, columns: Columns, look: Look) -> Any:
    """Return a column of numbers, which may be missing; errors name the place in a file."""
    if look.form == "frame":
        return columns.numbers(name, may_be_missing=True)
    fields = (Field(value, one.where, name) for value, one in zip(columns[name], look.data, strict=True))
    return [math.nan if one.value in (None, "") or one.value != one.value else one.number() for one in fields]
