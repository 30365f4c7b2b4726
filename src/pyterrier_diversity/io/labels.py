"""What systems, measures, queries and intents are called in tables, pictures and reports."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any

import pandas as pd

from .files import Path, read_content
from .lines import read_pairs
from .records import reads

# The columns of tables that name systems.
SYSTEMS = ("name", "other")
# The columns of frames that name intents, and those with texts of intents and queries.
_INTENT_IDS = ("iteration", "subtopic_id")
_TEXTS = ("nugget_text", "query", "text")


# Characters that end a line, control a terminal, or have no UTF-8 form.
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
# Classes of characters that change the direction of the text after them, so that a name can look like another one.
_TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")

_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
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
    systems = [column for column in SYSTEMS if column in frame]
    values = {column: frame[column].astype(object) for column in (*systems, "measure") if column in frame}
    covering = [name for others in frame.get("covered_by", ()) for name in others]
    told = called("names", names, [*(name for column in systems for name in values[column]), *covering])
    known = list(map(str, [*values.get("measure", []), *frame.columns]))
    if isinstance(labels, Mapping) and "measure" not in values and not any(map(is_measure, known)):
        labels = {name: label for name, label in labels.items() if str(name) in known}
    headers = called("labels", labels, known)
    table = frame.assign(**{column: values[column].map(told) for column in systems})
    if "measure" in values:
        table["measure"] = values["measure"].map(str).map(headers)
    if "covered_by" in table:
        table["covered_by"] = [[told[name] for name in others] for others in table["covered_by"]]
    table = table.rename(columns=lambda column: headers[str(column)])
    changed = {"names": told, "labels": headers}
    table.attrs = frame.attrs | {
        what: {str(old): new for old, new in of.items() if str(old) != new} for what, of in changed.items()
    }
    for key in {"baseline", "systems"} & set(table.attrs):
        table.attrs[key] = [told.get(name, name) for name in table.attrs[key]]
    for key in {"signatures", "bounds"} & set(table.attrs):
        table.attrs[key] = {headers.get(name, name): told for name, told in frame.attrs[key].items()}
    return table


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
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if unicodedata.category(character) in _UNPRINTABLE or unicodedata.bidirectional(character) in _TURNING
        else character
        for character in text
    )


def escaped(text: str) -> str:
    """Return text escaped for LaTeX, on one line."""
    return "".join(_LATEX.get(character, character) for character in printable(" ".join(text.splitlines())))


def tex(label: str) -> str:
    """Return the name of a system or a measure for LaTeX, on one line: formulas ``$...$`` stay, the rest is escaped."""
    parts = _MATH.split(printable(" ".join(label.splitlines())))
    return "".join(part if i % 2 and not _NO_FORMULA.search(part) else escaped(part) for i, part in enumerate(parts))


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
    if intents is None:
        return {}
    if not isinstance(intents, pd.DataFrame):
        pairs = ((name if isinstance(name, tuple) else (query_id, name), text) for name, text in dict(intents).items())
        return {str(name): str(text) for (query, name), text in pairs if str(query) == query_id and text}
    name, text = (next((column for column in known if column in intents), None) for known in (_INTENT_IDS, _TEXTS))
    if name is None or text is None:
        raise ValueError(
            f"{who}: intents must have the columns iteration and nugget_text (or query); found: "
            f"{', '.join(map(str, intents.columns)) or 'none'}."
        )
    query = next((column for column in ("qid", "query_id") if column in intents), None)
    rows = intents if query is None else intents[intents[query].astype(str) == query_id]
    rows = rows[rows[text].map(lambda found: isinstance(found, str) and found != "")]
    return dict(zip(rows[name].astype(str), rows[text], strict=True))


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
    for frame in frames:
        found: dict[str, Any] = frame.attrs.get("queries", {})
        query = next((column for column in ("qid", "query_id") if column in frame), None)
        if query is not None and "query" in frame:
            rows = frame.drop_duplicates(query)
            found = dict(zip(rows[query].astype(str), rows["query"], strict=True)) | found
        texts = {name: text for name, text in found.items() if isinstance(text, str) and text} | texts
    return texts
