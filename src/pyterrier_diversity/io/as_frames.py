"""Read data of each shape as a frame: lines, whose columns have no names, tables, sessions, nuggets and results."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..frames import LARGEST_EXACT, PYTERRIER_NAMES, Columns, exact, warn
from ..warnings import RowsWarning
from .dynamic_domain import read_dd_run
from .forms import completed, frame_of, highest_label_last, rows_of_row
from .labels import printable
from .lines import Kinds, read_columns
from .look import NAMES_OF_RESULTS, NEEDED, USUAL_NAMES, Look, check_names
from .nuggets import read_nuggets
from .records import Field, Label

#: The columns of lines of values, in order.
LINE_FORMATS = {
    "trec_eval": "measure qid value",
    "ir_measures": "qid measure value",
    "long": "name qid measure value",
}

#: What to do with lines that have several numbers, or others than a label and a weight.
ONE_LABEL = (
    "Name the columns that count by number, as in columns={'1': 'qid', '3': 'docno', '5': 'label'} or, in the shell, "
    "--columns 1=qid,3=docno,5=label."
)

# Columns of tables that are neither names nor measures.
_OTHERS = ("name", "qid", "mrt", "queries", "index", "Unnamed: 0", "")

# The types of columns that a user may name by number.
_KINDS: Kinds = {
    **dict.fromkeys(("qid", "docno", "iteration", "name", "measure"), str),
    **dict.fromkeys(("score", "rank", "weight", "value"), float),
    "label": Label,
    "turn": int,
}


def read_lines_of_run(look: Look) -> pd.DataFrame:
    """Read lines ``query Q0 document rank score tag``, with the rank or the score."""
    # The other of rank and score may contain anything. Only a run of several systems has several tags.
    often = pd.Categorical
    kinds: Kinds = {"qid": str, "q0": often, "docno": str, "rank": object, "score": float, "tag": often}
    kinds |= {"rank": float, "score": None} if look.by_rank else {}
    return _read(look, kinds)


def read_lines_of_qrels(look: Look) -> pd.DataFrame:
    """Read lines ``query intent document label``, optionally with the weight of the intent."""
    kinds: Kinds = {"qid": str, "iteration": str, "docno": str, "label": Label}
    kinds |= {"weight": float} if len(look.lines[0]) > len(kinds) else {}
    table = read_columns(look.data, kinds, separator=look.separator)
    if "weight" in table:
        first = table.groupby(["qid", "iteration"], sort=False)["weight"].transform("first")
        for row in table[first != table["weight"]].head(1).itertuples():
            raise ValueError(
                f"{look.name}: the fifth column is the weight of an intent, and must be the same in all rows of intent "
                f"{row.iteration!r} of query {row.qid!r}. {ONE_LABEL}"
            )
    return table[["qid", "docno", "label", "iteration", *table.columns[4:]]]


def read_passages(look: Look) -> pd.DataFrame:
    """Read the qrels of Dynamic Domain: lines ``topic subtopic document passage rating``."""
    kinds: Kinds = {"qid": str, "iteration": str, "docno": str, "passage": int, "label": float}
    table = _read(look, kinds)
    rating = table["label"].clip(lower=1).astype(np.int64)
    passages = table.assign(label=rating, passage=table["passage"].astype(str)).drop_duplicates()
    return highest_label_last(passages[["qid", "docno", "label", "iteration", "passage"]])


def read_prels(look: Look) -> pd.DataFrame:
    """Read lines ``topic document judgement method probability``, without method and probability."""
    kinds: Kinds = {"qid": str, "docno": str, "label": float, "method": None, "probability": None}
    warn(RowsWarning(f"{look.name}: prels are read by their judgements; method and probability are ignored."))
    return _read(look, kinds)


def read_values(names: str, look: Look) -> pd.DataFrame:
    """Read lines of values, whose columns have these names."""
    return _read(look, {name: _KINDS[name] for name in names.split()})


def read_numbered(look: Look) -> pd.DataFrame:
    """Read lines whose columns were named by number, as in ``{"1": "qid", "2": "docno", "3": "score"}``."""
    places = [str(place) for place in range(1, len(look.lines[0]) + 1)]
    check_names(places, look.columns, look.name)
    names = {place: USUAL_NAMES.get(name, name) for place, name in look.columns.items()}
    return _read(
        look, {names.get(place, place): _KINDS.get(names[place], str) if place in names else None for place in places}
    )


def _read(look: Look, kinds: Kinds) -> pd.DataFrame:
    """Return the columns of lines; scores are read again, exactly, if floats cannot distinguish them."""
    table = read_columns(look.data, kinds, separator=look.separator)
    if kinds.get("score") is float and table["score"].abs().max() >= LARGEST_EXACT:
        words = read_columns(look.data, {**kinds, "score": str}, separator=look.separator)
        table["score"] = exact(words["score"])
    return table


def read_nothing(look: Look) -> pd.DataFrame:
    """Return an empty frame with the columns that are needed."""
    return pd.DataFrame(columns=[name.split("|")[0] for name in NEEDED[look.wanted]])


def read_session(look: Look) -> pd.DataFrame:
    """Read a session of TREC Dynamic Domain."""
    if look.by_rank:
        raise ValueError(f"{look.name} is a TREC Dynamic Domain run, which has no ranks: order must be 'score'.")
    return read_dd_run(look.data)


def read_as_nuggets(look: Look) -> pd.DataFrame:
    """Read nuggets, from a folder or from the look at the data."""
    return read_nuggets(look.data, columns=look.columns) if look.form == "object" else read_nuggets(look)


def read_table(look: Look) -> pd.DataFrame:
    """Return rows with PyTerrier's names of columns; a frame that has them or ir_measures' is returned as it is."""
    if look.form == "records":
        return frame_of(rows_of_row, look)
    frame = _renamed(look, {old: new for old, new in USUAL_NAMES.items() if old not in PYTERRIER_NAMES})
    return completed(frame, look.places, look)


def read_scores(look: Look) -> pd.DataFrame:
    """Read qrels whose labels are called score."""
    return read_table(look).rename(columns={"score": "label"})


def _renamed(look: Look, usual: Mapping[str, str]) -> pd.DataFrame:
    """Return a frame with new names of columns, and usual ones unless another column has them."""
    names = {old: new for old, new in usual.items() if old in look.data and new not in look.data}
    return look.data.rename(columns=names) if names else look.data


def read_table_of_results(look: Look) -> pd.DataFrame:
    """Read a table of results by query, with a column for each measure, or with the columns measure and value."""
    rows = look if look.form == "frame" else look.at(pd.DataFrame([one.value for one in look.data], dtype=object))
    table = _renamed(rows, NAMES_OF_RESULTS).rename(columns=str)
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
    if not look.text:
        return columns.numbers(name, may_be_missing=True)
    places = look.places if look.form == "frame" else [one.where for one in look.data]
    fields = (Field(value, where, name) for value, where in zip(columns[name], places, strict=True))
    return [math.nan if one.value in (None, "") or one.value != one.value else one.number() for one in fields]
