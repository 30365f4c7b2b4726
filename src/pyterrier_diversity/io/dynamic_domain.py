"""Read judgements and runs of the TREC Dynamic Domain tracks."""

import math
import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from lxml import etree

from ..frames import Columns, warn
from ..warnings import LengthsWarning
from .files import Path, Source, read_content
from .forms import highest_label_last
from .labels import one_line
from .lines import Kinds, read_columns, read_pairs

_SESSION: Kinds = {"qid": str, "turn": int, "docno": str, "score": float, "on_topic": None, "feedback": None}
#: The turn, whether the document is on topic, and the track's feedback: ratings of its passages, by subtopic.
LINE_OF_SESSION = re.compile(r"[^\t]*\t\d+\t[^\t]*\t[^\t]*\t[01]\t(NULL|([^\s:|]+:\d+\|?)+)\Z")
# A blank line that is not above the data.
_BLANK_LINE = re.compile(rb"(?<=\S)[^\S\n]*\n[^\S\n]*\n")

# What is wrong with elements of a truth file, by the XPath that finds them.
_FAULTS = {
    "/*[not(self::trec_dd)]": "a truth file begins with <trec_dd>, not with <{tag}>",
    "//topic[not(parent::domain)]|//subtopic[not(parent::topic)]|//passage[not(parent::subtopic)]": (
        "<{tag}> is in <{parent}>; the order is domain, topic, subtopic, passage"
    ),
    "//*[(self::topic or self::subtopic or self::passage) and not(string(@id))]": "<{tag}> has no id",
    "//passage[not(normalize-space(docno[not(*)]) and rating[not(*)] and type[not(*)])]": (
        "<passage> must contain <docno>, <rating> and <type>, each with a text and no element"
    ),
    r"//passage/rating[not(re:test(., '^\s*[+-]?\d{1,9}\s*$'))]": "<rating> must be an integer, not {text!r}",
    r"//passage/type[not(re:test(., '^\s*(MANUAL|MATCHED)\s*$'))]": "<type> must be MANUAL or MATCHED, not {text!r}",
    "/*[not(.//passage)]": "the file contains no topic with a passage",
}
_REGULAR_EXPRESSIONS = {"re": "http://exslt.org/regular-expressions"}


def read_dd_truth(source: Source, level: Literal["documents", "passages"] = "documents") -> pd.DataFrame:
    """Read the judgements of a TREC Dynamic Domain truth file.

    Parameters
    ----------
    source : path-like or file object
        The track's XML, compressed or not.
    level : {"documents", "passages"}
        Whether a row is a document judged for a subtopic, or one of its passages.

    Returns
    -------
    DataFrame
        For "documents", the columns ``qid``, ``docno``, ``label``, ``iteration`` (subtopic) and ``gain``, sorted by
        topic number, document, label and subtopic. The label is the highest rating of the document's passages for the
        subtopic; the gain is their sum.

        For "passages", the columns ``qid``, ``docno``, ``label`` (rating), ``iteration``, ``passage``, ``type``
        ("MANUAL" or "MATCHED") and ``nugget``, in the order of the file. The nugget is the last MANUAL passage of the
        subtopic so far, which may be this one.

        Ratings of 0 and below are read as 1, as the track's scorer does.

    Raises
    ------
    ValueError
        If the level is unknown, or the file cannot be read or contains no passage. For "passages", also if a MATCHED
        passage has no MANUAL one before it. The message names file and line.
    """
    if level not in ("documents", "passages"):
        raise ValueError(f"level must be 'documents' or 'passages', not {level!r}.")
    content = read_content(source)
    passages = read_truth(content).passages
    if level == "passages":
        for row in passages[passages["nugget"] == ""].itertuples():
            what = (
                f"passage {row.passage} of subtopic {row.iteration} has the type MATCHED, but no MANUAL passage comes"
            )
            raise ValueError(f"{content.name}: {what} before it, so its nugget is unknown.")
        return passages
    ratings = passages.groupby(["qid", "docno", "iteration"], sort=False)["label"]
    documents = ratings.agg(label="max", gain="sum").reset_index().astype({"gain": float})
    return highest_label_last(documents[["qid", "docno", "label", "iteration", "gain"]])


def read_dd_run(path: Source, doc_len: Mapping[str, float] | Path | None = None) -> pd.DataFrame:
    """Read a TREC Dynamic Domain run, in the order of evaluation.

    Parameters
    ----------
    path : path-like or file object
        A file of tab-separated lines ``topic turn document score on_topic feedback``, gzipped or not, or ``"-"`` for
        the standard input. It is read up to the first blank line, as the track's scorer does. ``on_topic`` and
        ``feedback`` are ignored.
    doc_len : mapping or path-like, optional
        The number of words of each document: a mapping, or a file of tab-separated lines ``document words``.

    Returns
    -------
    DataFrame
        The columns ``qid``, ``docno``, ``score``, ``rank`` (from 0, over the session), ``turn`` and, if lengths are
        given, ``doc_len`` (NaN if unknown). The rows of each query are sorted by turn, descending score and, for equal
        scores, the order of the file. ``score`` is not that of the file, but counts down to 1 over the session: the
        order is kept even if ``turn`` is lost, as in ``pt.io.write_results``. If the file has equal scores in a turn,
        these documents have the same number in a column ``tie``, which counts as ties in `check_files`.

    Raises
    ------
    ValueError
        If a line cannot be read; the message names file and line.
    """
    content = read_content(path)
    begin = content._replace(data=_BLANK_LINE.split(content.data, 1)[0])
    table = read_columns(begin, _SESSION, separator="\t")
    order = np.lexsort((-table["score"].to_numpy(), table["turn"].to_numpy(), pd.factorize(table["qid"])[0]))
    table = table.iloc[order].reset_index(drop=True)
    tie = table.groupby(["qid", "turn", "score"], sort=False).ngroup()
    sessions = table.groupby("qid", sort=False)
    run = table.assign(score=sessions.cumcount(ascending=False) + 1.0, rank=sessions.cumcount())
    run = run[["qid", "docno", "score", "rank", "turn"]]
    run = run if tie.is_unique else run.assign(tie=tie)
    return run if doc_len is None else add_lengths(run, doc_len)


def add_lengths(run: pd.DataFrame, doc_len: Mapping[str, float] | Path) -> pd.DataFrame:
    """Add the lengths of documents to a run, which `EU_DD` needs for the cost of reading.

    Parameters
    ----------
    run : DataFrame
        Results with ``docno`` or ``doc_id``. Not changed.
    doc_len : mapping or path-like
        The number of words of each document: a mapping, or a file of tab-separated lines ``document words``.

    Returns
    -------
    DataFrame
        The run with the column ``doc_len``, NaN if the length is unknown.

    Raises
    ------
    ValueError
        If the run has no document ids, or a line of the file cannot be read; the message names file and line.

    Warns
    -----
    LengthsWarning
        If no document of the run has a length.

    Examples
    --------
    >>> add_lengths(pd.DataFrame({"qid": "1", "docno": ["a", "b"]}), {"a": 120})
      qid docno  doc_len
    0   1     a    120.0
    1   1     b      NaN
    """
    lengths = doc_len if isinstance(doc_len, Mapping) else read_lengths(doc_len)
    docs = Columns(run, ("doc_id",), "run").objects("doc_id")
    words = np.array([lengths.get(doc, math.nan) for doc in docs], dtype=float)
    if len(docs) and np.isnan(words).all():
        known = next(map(repr, lengths), "no document at all")
        message = f"No document of the run has a known length: the run has {docs[0]!r}, and the lengths are of {known}."
        warn(LengthsWarning(f"{message} Do the document ids match?"))
    return run.assign(doc_len=words)


def read_lengths(path: Path) -> dict[str, float]:
    """Read the number of words of each document from tab-separated lines ``document words``."""
    return read_pairs(path, {"docno": str, "words": float}, "\t")


class Truth(NamedTuple):
    """The content of a truth file, in its order.

    Attributes
    ----------
    topics : DataFrame
        The columns ``qid``, ``query`` (the topic's name) and ``description``, which may be empty.
    subtopics : DataFrame
        The columns ``qid``, ``iteration`` and ``query`` (the subtopic's name).
    passages : DataFrame
        The columns ``qid``, ``docno``, ``label``, ``iteration``, ``passage``, ``type`` and ``nugget``. A label is at
        least 1. The nugget is the last MANUAL passage of the subtopic so far, which may be this one; the nugget of a
        MATCHED passage without a MANUAL one before it is empty.
    """

    topics: pd.DataFrame
    subtopics: pd.DataFrame
    passages: pd.DataFrame


def read_truth(source: Source) -> Truth:
    """Read a truth file.

    Parameters
    ----------
    source : path-like, file object or Content
        XML, compressed or not: trec_dd, in it domain, topic, subtopic, passage; in a passage docno, rating, type.

    Raises
    ------
    ValueError
        If the file cannot be read or contains no passage; the message names file and line.
    """
    content = read_content(source)
    # Entities that the file itself declares are replaced; no other file is read.
    parser = etree.XMLParser(resolve_entities="internal", remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(content.data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"{content.name}, line {error.lineno}: {error.msg.partition(', line ')[0]}.") from error
    for path, fault in _FAULTS.items():
        for element in root.xpath(path, namespaces=_REGULAR_EXPRESSIONS):
            parent, text = element.xpath("name(..)"), element.xpath("normalize-space()")
            fault = fault.format(tag=element.tag, parent=parent, text=text)
            raise ValueError(f"{content.name}, line {element.sourceline}: {fault}.")
    topics, subtopics, passages = [], [], []
    for topic in root.iter("topic"):
        description = topic.xpath("string(description)")
        topics.append((topic.get("id"), one_line(topic.get("name", "")), one_line(description)))
    for subtopic in root.iter("subtopic"):
        query, intent, nugget = subtopic.getparent().get("id"), subtopic.get("id"), ""
        subtopics.append((query, intent, one_line(subtopic.get("name", ""))))
        for passage in subtopic.iterfind("passage"):
            docno, rating, kind = map(one_line, map(passage.findtext, ("docno", "rating", "type")))
            nugget = passage.get("id") if kind == "MANUAL" else nugget
            # Passages with a rating of 0 or less are relevant, too, with the lowest rating.
            passages.append((query, docno, max(int(rating), 1), intent, passage.get("id"), kind, nugget))
    return Truth(
        pd.DataFrame(topics, columns=["qid", "query", "description"]),
        pd.DataFrame(subtopics, columns=["qid", "iteration", "query"]),
        pd.DataFrame(passages, columns=["qid", "docno", "label", "iteration", "passage", "type", "nugget"]),
    )
