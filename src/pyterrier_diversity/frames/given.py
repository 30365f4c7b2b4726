"""The forms of qrels and runs that ir_measures takes. `io` reads all others."""

from collections.abc import Generator, Iterable, Mapping
from inspect import GEN_CLOSED, getgeneratorstate
from operator import length_hint
from typing import Any

import pandas as pd

from .columns import NO_DOCUMENT, RUN_COLUMNS


def given_frame(data: Any, required: tuple[str, ...], what: str) -> pd.DataFrame:
    """Return a frame, rows (dicts or named tuples) or a dict {query: {document: value}} as a frame.

    Raises
    ------
    ValueError
        If ``data`` is a generator or an iterator that was read before.
    TypeError
        If ``data`` has another form.
    """
    if isinstance(data, pd.DataFrame):
        return data
    kind = type(data).__name__
    if isinstance(data, Mapping):
        if all(isinstance(docs, Mapping) for docs in data.values()):
            of_nothing = {} if required == RUN_COLUMNS else {NO_DOCUMENT: 0}  # a query without judgements counts, too
            cells = [(query, *one) for query, docs in data.items() for one in (docs or of_nothing).items()]
            return pd.DataFrame(cells, columns=list(required), dtype=object)
    elif isinstance(data, Iterable) and not isinstance(data, str):
        refuse_read(data, what)
        rows = list(data)
        others = [row for row in rows if not isinstance(row, Mapping) and not hasattr(row, "_fields")]
        if not others:
            return pd.DataFrame(rows, dtype=object)
        kind = f"rows of {type(others[0]).__name__}"
    reader = "read_run" if required == RUN_COLUMNS else "read_qrels"
    raise TypeError(
        f"{what} must be a frame, a dict {{query: {{document: value}}}}, or rows (dicts or named tuples) here, not "
        f"{kind}: read it with pyterrier_diversity.io.{reader}."
    )


def refuse_read(rows: Iterable[Any], what: str) -> None:
    """Raise a ``ValueError`` if a generator or an iterator was read before."""
    if _is_read(rows):
        kind = "generator" if isinstance(rows, Generator) else "iterator"
        raise ValueError(f"{what}: the {kind} was already read and is now empty. Pass a list instead.")


def _is_read(rows: Any) -> bool:
    """Tell whether a generator, an iterator over a list, or a map or zip of these has been read before."""
    if isinstance(rows, Generator):
        return getgeneratorstate(rows) == GEN_CLOSED
    if isinstance(rows, (map, filter, zip, enumerate)):
        return any(map(_is_read, rows.__reduce__()[1]))
    if isinstance(rows, type(iter(range(0)))):  # pandas 2 iterates over the rows of a frame by their numbers
        whole: Any = rows.__reduce__()[1][0]
        return length_hint(rows) == 0 and whole.stop > 0
    # When used up, they no longer have a position.
    return isinstance(rows, (type(iter([])), type(iter(())))) and len(rows.__reduce__()) < 3
