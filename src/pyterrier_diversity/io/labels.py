"""What systems, measures, queries and intents are called in tables, pictures and reports."""

import re
from collections.abc import Iterable, Mapping
from itertools import chain, product
from types import NoneType
from typing import Any

import pandas as pd

from .files import Path, read_content
from .lines import read_pairs
from .records import reads

# The columns of tables that name systems.
SYSTEMS = ("name", "other", "baseline")
# The columns and attributes with names of systems, and those with names of measures.
_OF_SYSTEMS, _OF_MEASURES = (*SYSTEMS, "covered_by", "systems"), ("measure", "signatures", "bounds")
# The names of the columns of queries and intents in ir_datasets, and here.
_IDS = {"query_id": "qid", "subtopic_id": "iteration"}

# Characters that end a line, control a terminal, have no UTF-8 form, or change the direction of the text after them, so
# that a name can look like another one.
_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

_NAMED_SIGNS = {"\\": "backslash", "^": "asciicircum", "~": "asciitilde"}
_LATEX = {sign: f"\\{sign}" for sign in "&%$#_{}"} | {sign: f"\\text{word}{{}}" for sign, word in _NAMED_SIGNS.items()}
# A formula has nothing that ends a cell, a line or a row of a table.
_MATH, _NO_FORMULA = re.compile(r"(\$(?:[^$\\]|\\.)+\$)"), re.compile(r"(?<!\\)[&%#]|\\\\")


def renamed(
    frame: pd.DataFrame, names: Mapping[Any, str] | None = None, labels: Mapping[Any, str] | None = None
) -> pd.DataFrame:
    """Return a table with other names of systems and measures.

    Parameters
    ----------
    frame : DataFrame
        A table of `evaluate_runs`, ``pt.Experiment`` or ``meta``. Not changed.
    names : mapping of str to str, optional
        The new names of systems. Others keep theirs.
    labels : mapping of Measure or str to str, optional
        The new names of measures, in the column ``measure`` and as names of columns.

    Raises
    ------
    ValueError
        If two systems or two measures would have the same name, or none of the names is known; or none of the labels,
        unless the table has no measures.
    TypeError
        If ``names`` or ``labels`` is not a mapping.

    Examples
    --------
    >>> table = pd.DataFrame({"name": ["bm25", "xquad"], "RBU@5": [0.384, 0.544]})
    >>> renamed(table, names={"bm25": "BM25"}, labels={"RBU@5": "$RBU_5$"})
        name  $RBU_5$
    0   BM25    0.384
    1  xquad    0.544
    """
    if not names and not labels:
        return frame
    systems = map(str, chain(*(frame.get(name, ()) for name in SYSTEMS), *frame.get("covered_by", ())))
    known = list(map(str, [*frame.get("measure", ()), *frame.columns]))
    if isinstance(labels, Mapping) and "measure" not in frame and not any(map(is_measure, known)):
        labels = {name: label for name, label in labels.items() if str(name) in known}
    of_systems, of_measures = called("names", names, systems), called("labels", labels, known)
    table: Any = frame.copy()
    for what, new, places in (("names", of_systems, _OF_SYSTEMS), ("labels", of_measures, _OF_MEASURES)):
        table.attrs[what] = {old: name for old, name in new.items() if old != name}
        for holder, place in product((table, table.attrs), places):
            if place in holder:
                holder[place] = _put(holder[place], new)
    table.columns = _put(table.columns, of_measures)
    return table


def _put(data: Any, new: Mapping[str, str]) -> Any:
    """Return a name, a collection of names, or a mapping by names, with new names."""
    if isinstance(data, Mapping):
        return {_put(name, new): value for name, value in data.items()}
    if isinstance(data, Iterable) and not isinstance(data, str):
        return [_put(name, new) for name in data]
    return new.get(str(data), data)


def is_measure(word: str) -> bool:
    """Tell whether a word begins with the name of a registered measure, or is one of trec_eval's."""
    import ir_measures  # which registers the measures of this package, which read files

    name = re.split("[@(]", word)[0].replace("-", "_")
    return name in ir_measures.measures.registry or reads(ir_measures.parse_trec_measure, word)


def called(what: str, given: Mapping[Any, str] | None, known: Iterable[Any]) -> dict[Any, str]:
    """Return what each known system or measure is called: as ``given``, or by its own name.

    ``what`` is the name of the argument in errors: "names" or "labels". Some of the given names may be
    unknown, so that the same ones can be used for several tables, but not all of them.

    Examples
    --------
    >>> called("names", {"bm25": "BM25"}, ["bm25", "xquad"])
    {'bm25': 'BM25', 'xquad': 'xquad'}
    """
    if not isinstance(given, (Mapping, NoneType)):
        raise TypeError(f"{what} must be a mapping such as {{'old name': 'new name'}}, not {type(given).__name__}.")
    wanted = {str(key): str(name) for key, name in (given or {}).items()}
    found = {name: wanted.get(str(name), str(name)) for name in known}
    if wanted and found and wanted.keys().isdisjoint(map(str, found)):
        unknown, names = (", ".join(map(str, of)) for of in (wanted, found))
        raise ValueError(f"{what}: unknown names {unknown}. The names are {names}.")
    owners: dict[str, Any] = {}
    for name, shown in found.items():
        if owners.setdefault(shown, name) != name:
            raise ValueError(f"{what}: {owners[shown]!r} and {name!r} must not both be called {shown!r}.")
    return found


def read_names(path: Path) -> dict[str, str]:
    """Read new names from a file with two columns, the old and the new name, separated by a tab or a comma.

    Raises
    ------
    ValueError
        If the file cannot be read, a line does not have two columns, or a name has two new names.
    """
    content = read_content(path)
    return read_pairs(content, {"name": str, "label": str}, "\t" if b"\t" in content.data else ",")


def one_line(text: str) -> str:
    """Return a text on one line, with a single space between words."""
    return " ".join(text.split())


def printable(text: str) -> str:
    """Return text on one line, with control characters escaped, including those that change its direction."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def tex(text: str, *, formulas: bool) -> str:
    """Return text for LaTeX, on one line: formulas ``$...$`` may stay, the rest is escaped."""
    parts = _MATH.split(printable(" ".join(text.splitlines())))
    for i, part in enumerate(parts):
        if not formulas or i % 2 == 0 or _NO_FORMULA.search(part):
            parts[i] = "".join(_LATEX.get(character, character) for character in part)
    return "".join(parts)


def texts_of(who: str, intents: Any, query_id: str) -> dict[str, str]:
    """Return the texts of a query's intents by their ids.

    Parameters
    ----------
    who : str
        The function that was called, for errors.
    intents : mapping, Series, DataFrame or None
        Texts by intent, or by (query, intent); or a frame with ``iteration`` and ``nugget_text`` or ``query``, such as
        qrels with texts or the subtopics of a dataset. A column ``qid`` says which query a row belongs to.
    query_id : str
        The query.

    Raises
    ------
    ValueError
        If a column is missing.

    Examples
    --------
    >>> subtopics = pd.DataFrame({"qid": ["1", "2"], "iteration": "a", "query": ["crane, the bird", "jaguar"]})
    >>> texts_of("explain", subtopics, "1")
    {'a': 'crane, the bird'}
    """
    if isinstance(intents, pd.DataFrame):
        frame = intents.rename(columns={old: new for old, new in _IDS.items() if new not in intents})
        text = next(filter(frame.__contains__, ("nugget_text", "query", "text")), None)
        if text is None or "iteration" not in frame:
            wanted = "the columns iteration and nugget_text (or query)"
            raise ValueError(f"{who}: intents must have {wanted}; found: {', '.join(map(str, intents)) or 'none'}.")
        intents = frame.assign(qid=frame.get("qid", query_id)).set_index(["qid", "iteration"])[text].to_dict()
    given = dict(() if intents is None else intents)
    pairs = [(*(name if isinstance(name, tuple) else (query_id, name)), text) for name, text in given.items()]
    return {str(name): text for query, name, text in pairs if str(query) == query_id and text and isinstance(text, str)}


def texts_of_queries(*frames: pd.DataFrame) -> dict[str, str]:
    """Return the texts of queries by their ids: those of a column ``query``, or of a frame's ``attrs["queries"]``.

    If several frames have the text of a query, the first one counts.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "query": ["crane", "crane", ""]})
    >>> texts_of_queries(run)
    {'1': 'crane'}
    """
    texts: dict[str, str] = {}
    for frame in reversed(frames):
        name, found = "qid" if "qid" in frame else "query_id", frame.attrs.get("queries", {})
        if name in frame and "query" in frame:
            rows = frame.drop_duplicates(name)
            found = dict(zip(rows[name].astype(str), rows["query"], strict=True)) | found
        texts |= {query: text for query, text in found.items() if text and isinstance(text, str)}
    return texts
