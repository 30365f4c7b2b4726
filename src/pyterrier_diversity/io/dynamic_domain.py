"""Read judgements and runs of the TREC Dynamic Domain tracks."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from lxml import etree

from ..frames import Columns, warn
from ..warnings import LengthsWarning
from .files import Content, Path, Source, read_content
from .forms import highest_label_last
from .labels import one_line
from .lines import Kinds, read_columns

_SESSION: Kinds = {"qid": str, "turn": int, "docno": str, "score": float, "on_topic": None, "feedback": None}
# The turn, whether the document is on topic, and the track's feedback: ratings of its passages, by subtopic.
_LINE_OF_SESSION = re.compile(r"[^\t]*\t\d+\t[^\t]*\t[^\t]*\t[01]\t(NULL|([^\s:|]+:\d+\|?)+)")

# The parent of each element of a truth file, and what the fields of a passage must be.
_PARENTS = {"topic": "domain", "subtopic": "topic", "passage": "subtopic"}
_FIELDS = {"docno": ("", r".+"), "rating": ("an integer", r"[+-]?\d+"), "type": ("MANUAL or MATCHED", "MANUAL|MATCHED")}


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
    rows = [
        (topic.id, passage.docno, passage.rating, subtopic.id, passage.id, passage.type, passage.nugget)
        for topic in read_topics(content)
        for subtopic in topic.subtopics
        for passage in subtopic.passages
    ]
    passages = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration", "passage", "type", "nugget"])
    if level == "passages":
        for row in passages[passages["nugget"] == ""].itertuples():
            raise ValueError(
                f"{content.name}: passage {row.passage} of subtopic {row.iteration} has the type MATCHED, but no "
                "MANUAL passage comes before it, so its nugget is unknown."
            )
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
    table = read_columns(path, _SESSION, separator="\t", to_blank=True)
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
    table = read_columns(path, {"docno": str, "words": float}, separator="\t").drop_duplicates()
    twice = table["docno"].duplicated().to_numpy()
    if twice.any():
        docno = table["docno"].iloc[int(twice.argmax())]
        raise ValueError(f"{os.fspath(path)}: document {docno!r} has two lengths.")
    return dict(zip(table["docno"], table["words"], strict=True))


def is_dd_run(content: Content) -> bool:
    """Tell from the first line of a run file whether it is a TREC Dynamic Domain run."""
    return _LINE_OF_SESSION.fullmatch(content.first_line) is not None


class Passage(NamedTuple):
    """A passage. Its rating is at least 1. Its nugget is the last MANUAL passage of the subtopic so far, or itself.

    The nugget of a MATCHED passage without a MANUAL one before it is empty.
    """

    id: str
    docno: str
    rating: int
    type: str
    nugget: str


class Subtopic(NamedTuple):
    """A subtopic and its passages, in the order of the file."""

    id: str
    name: str
    passages: list[Passage]


class TruthTopic(NamedTuple):
    """A topic and its subtopics, in the order of the file; the description may be empty."""

    id: str
    name: str
    description: str
    subtopics: list[Subtopic]


def read_topics(source: Source) -> list[TruthTopic]:
    """Read the topics of a truth file.

    Parameters
    ----------
    source : path-like, file object or Content
        XML, compressed or not: trec_dd, in it domain, topic, subtopic, passage; in a passage docno, rating, type.

    Returns
    -------
    list of TruthTopic
        The topics. The texts of passages are not kept.

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
    for element, fault in _faults(root):
        raise ValueError(f"{content.name}, line {element.sourceline}: {fault}.")
    return [
        TruthTopic(
            topic.get("id"),
            one_line(topic.get("name", "")),
            _texts_in(topic).get("description", ""),
            [
                Subtopic(subtopic.get("id"), one_line(subtopic.get("name", "")), _passages_of(subtopic))
                for subtopic in topic.iterfind("subtopic")
            ],
        )
        for topic in root.iter("topic")
    ]


def _faults(root: Any) -> Iterator[tuple[Any, str]]:
    """Yield the elements of a truth file that are not as they must be, and what is wrong with them."""
    if root.tag != "trec_dd":
        yield root, f"a truth file begins with <trec_dd>, not with <{root.tag}>"
    if elsewhere := root.getroottree().docinfo.system_url:
        yield root, f"the document type is in another file, {elsewhere!r}, which is not read"
    for element in root.iter(*_PARENTS):
        tag, parent = element.tag, element.getparent().tag
        if parent != _PARENTS[tag]:
            yield element, f"<{tag}> must be in <{_PARENTS[tag]}>, not in <{parent}>"
        if not element.get("id"):
            yield element, f"<{tag}> has no id"
        if tag == "passage":
            yield from ((element, fault) for fault in _faults_of_passage(element))
    if root.find(".//passage") is None:
        yield root, "the file contains no topic with a passage"


def _faults_of_passage(passage: Any) -> Iterator[str]:
    for child in passage:
        if child.tag in _FIELDS and len(child):
            yield f"<{child.tag}> must contain text only, not <{child[0].tag}>"
    number, texts = passage.get("id"), _texts_in(passage)
    for field, (rule, pattern) in _FIELDS.items():
        if not texts.get(field):
            yield f"passage {number} has no {field}"
        elif not re.fullmatch(pattern, texts[field]):
            yield f"the {field} of passage {number} must be {rule}, not {texts[field]!r}"


def _passages_of(subtopic: Any) -> list[Passage]:
    passages: list[Passage] = []
    nugget = ""
    for passage in subtopic.iterfind("passage"):
        number, texts = passage.get("id"), _texts_in(passage)
        docno, rating, kind = (texts[field] for field in _FIELDS)
        nugget = number if kind == "MANUAL" else nugget
        # Passages with a rating of 0 or less are relevant, too, with the lowest rating.
        passages.append(Passage(number, docno, max(int(rating), 1), kind, nugget))
    return passages


def _texts_in(element: Any) -> dict[str, str]:
    return {child.tag: one_line("".join(child.itertext())) for child in element}
