"""Read the lines of runs, qrels and results, whose columns have no names."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..frames import LARGEST_EXACT, exact, warn
from ..warnings import RowsWarning
from .forms import check_names, highest_label_last
from .lines import Kinds, Same, read_columns
from .look import USUAL_NAMES, Look
from .records import Label

# The types of columns that a user may name by number.
_KINDS: Kinds = {
    **dict.fromkeys(("qid", "docno", "iteration", "name", "measure"), str),
    **dict.fromkeys(("score", "rank", "weight", "value"), float),
    "label": Label,
    "turn": int,
}


def read_lines_of_run(look: Look) -> pd.DataFrame:
    """Read lines ``query Q0 document rank score tag``, with the rank or the score."""
    # The other of rank and score may contain anything. A run of several systems has several tags.
    kinds: Kinds = {"qid": str, "q0": Same, "docno": str, "rank": object, "score": float, "tag": Same}
    kinds |= {"rank": float, "score": None} if look.by_rank else {}
    return _read(look, kinds)


def read_lines_of_qrels(look: Look) -> pd.DataFrame:
    """Read lines ``query intent document label``, optionally with the weight of the intent."""
    kinds: Kinds = {"qid": str, "iteration": str, "docno": str, "label": Label}
    table = read_columns(look.data, kinds, {"weight": float}, separator=look.separator)
    if "weight" in table:
        first = table.groupby(["qid", "iteration"], sort=False)["weight"].transform("first")
        for row in table[first != table["weight"]].head(1).itertuples():
            raise ValueError(
                f"{look.name}: the fifth column is the weight of an intent, and must be the same in all rows of intent "
                f"{row.iteration!r} of query {row.qid!r}. If it has judgements, strata or anything else, name the "
                "columns by number: columns={'1': 'qid', '3': 'docno', '5': 'label'}, or in the shell --columns "
                "1=qid,3=docno,5=label."
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
