"""Read TREC files into PyTerrier's frames, nothing lost."""

from __future__ import annotations

import math
import os
import re
import zlib
from collections.abc import Mapping
from io import TextIOWrapper
from typing import Literal

import numpy as np
import pandas as pd

from .files import Path, opened
from .judged import ranking_order
from .ordering import highest_label_last
from .truth import read_topics

Columns = dict[str, type | None]

_DD_RUN: Columns = {"qid": str, "turn": int, "docno": str, "score": float, "on_topic": None, "feedback": None}
# What a user says of a document: the ratings of its passages, by subtopic.
_FEEDBACK = re.compile(r"NULL|([^\s:|]+:\d+\|?)+")
_LONGEST_LINE = 2**20


def read_qrels(path: Path) -> pd.DataFrame:
    """Read a TREC qrels file and keep the intent of each judgement, which PyTerrier's own reader drops.

    Parameters
    ----------
    path : path-like
        A file of lines ``query intent document label`` and, optionally, a fifth column: the intent's weight. ``.gz``
        is read too.

    Returns
    -------
    DataFrame
        Columns ``qid``, ``docno``, ``label``, ``iteration`` and, if the file has it, ``weight``.

    Raises
    ------
    ValueError
        If a line cannot be read: file, line number, and what is wrong.
    """
    table = _read_table(path, {"qid": str, "iteration": str, "docno": str, "label": float}, {"weight": float})
    if table.empty:
        raise ValueError(f"{os.fspath(path)} holds no judgement.")
    if (table["label"] % 1 == 0).all():
        table["label"] = table["label"].astype(np.int64)
    return table[["qid", "docno", "label", "iteration", *table.columns[4:]]]


def read_run(path: Path) -> pd.DataFrame:
    """Read a TREC run file in the order in which it is evaluated.

    Parameters
    ----------
    path : path-like
        A file of lines ``query Q0 document rank score tag``. ``.gz`` is read too. The rank column is ignored, as
        trec_eval does.

    Returns
    -------
    DataFrame
        Columns ``qid``, ``docno``, ``score`` and ``rank`` (from 0), each query's rows together, by descending score
        and, among equal scores, descending document id.

    Raises
    ------
    ValueError
        If a line cannot be read: file, line number, and what is wrong; or if it is a TREC Dynamic Domain run, which has
        as many columns.
    """
    if is_dd_run(path):
        raise ValueError(f"{os.fspath(path)} is a TREC Dynamic Domain run: read_dd_run reads it.")
    return _read_trec_run(path)


def read_run_or_session(path: Path) -> pd.DataFrame:
    """Read a run file of TREC as `read_run` does, or one of TREC Dynamic Domain as `read_dd_run` does."""
    return read_dd_run(path) if is_dd_run(path) else _read_trec_run(path)


def _read_trec_run(path: Path) -> pd.DataFrame:
    columns: Columns = {"qid": str, "q0": None, "docno": str, "rank": None, "score": float, "tag": None}
    table = _read_table(path, columns)
    codes = pd.factorize(table["qid"])[0]
    order = ranking_order(codes, None, table["score"].to_numpy(), table["docno"].to_numpy(dtype=object))
    if order is not None:
        table = table.iloc[order].reset_index(drop=True)
    return table.assign(rank=table.groupby("qid", sort=False).cumcount())


def is_dd_run(path: Path) -> bool:
    """Tell by the first line of a run file whether it is a TREC Dynamic Domain run, which `read_dd_run` reads."""
    try:
        with opened(path) as stream:
            line = stream.readline(_LONGEST_LINE)
    except (OSError, EOFError, zlib.error):  # which reading it will tell
        return False
    cells = line.decode("utf-8-sig", errors="replace").rstrip("\r\n").split("\t")
    if len(cells) != len(_DD_RUN):
        return False
    _, turn, _, _, on_topic, feedback = cells
    return turn.isdigit() and on_topic in ("0", "1") and bool(_FEEDBACK.fullmatch(feedback))


def read_dd_truth(path: Path, level: Literal["documents", "passages"] = "documents") -> pd.DataFrame:
    """Read the judgements of a TREC Dynamic Domain truth file.

    Parameters
    ----------
    path : path-like
        The track's XML, gzipped or not.
    level : {"documents", "passages"}
        What a row is: a document judged for a subtopic, or one of its passages.

    Returns
    -------
    DataFrame
        Of "documents": columns ``qid``, ``docno``, ``label`` (highest rating of the document's passages for the
        subtopic), ``iteration`` (subtopic), ``gain`` (sum of these ratings); by topic number, document, label,
        subtopic. Of "passages": ``qid``, ``docno``, ``label`` (rating), ``iteration``, ``passage``, ``type``
        ("MANUAL" or "MATCHED"), ``nugget`` (the passage itself if it is MANUAL, else the nearest MANUAL one before it
        in the subtopic); in the order of the file. Ratings of 0 and below are read as 1, as the track's scorer does.

    Raises
    ------
    ValueError
        If the level is unknown, or the file cannot be read or holds no passage: file, line number, and what is wrong.
        Of "passages" only, if a MATCHED passage has no MANUAL one before it.
    """
    if level not in ("documents", "passages"):
        raise ValueError(f"level must be 'documents' or 'passages', not {level!r}.")
    rows = [
        (topic.id, passage.docno, passage.rating, subtopic.id, passage.id, passage.type, passage.nugget)
        for topic in read_topics(path)
        for subtopic in topic.subtopics
        for passage in subtopic.passages
    ]
    passages = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration", "passage", "type", "nugget"])
    if level == "passages":
        for row in passages[passages["nugget"] == ""].itertuples():
            raise ValueError(
                f"{os.fspath(path)}: passage {row.passage} of subtopic {row.iteration} is MATCHED, but no MANUAL one "
                "stands before it: its nugget is not known."
            )
        return passages
    ratings = passages.groupby(["qid", "docno", "iteration"], sort=False)["label"]
    documents = ratings.agg(label="max", gain="sum").reset_index().astype({"gain": float})
    return highest_label_last(documents[["qid", "docno", "label", "iteration", "gain"]])


def read_dd_run(path: Path, doc_len: Mapping[str, float] | Path | None = None) -> pd.DataFrame:
    """Read a TREC Dynamic Domain run in the order in which it is evaluated.

    Parameters
    ----------
    path : path-like
        A file of tab-separated lines ``topic turn document score on_topic feedback``, gzipped or not; it is read up to
        its first blank line, as the track's scorer does. What ``on_topic`` and ``feedback`` say is not kept.
    doc_len : mapping or path-like, optional
        The number of words of each document: a mapping, or a file of tab-separated lines ``document words``.

    Returns
    -------
    DataFrame
        Columns ``qid``, ``docno``, ``score``, ``rank`` (from 0, over the session), ``turn`` and, if lengths are given,
        ``doc_len`` (NaN where unknown): each query's rows together, by turn, descending score and, among equal scores,
        the order of the file. ``score`` is the one of the file no more: it counts down to 1 within each turn, so that
        no two documents of a turn have the same.

    Raises
    ------
    ValueError
        If a line cannot be read: file, line number, and what is wrong.
    """
    table = _read_table(path, _DD_RUN, separator="\t", to_blank=True)
    order = np.lexsort((-table["score"].to_numpy(), table["turn"].to_numpy(), pd.factorize(table["qid"])[0]))
    table = table.iloc[order].reset_index(drop=True)
    below = table.groupby(["qid", "turn"], sort=False).cumcount(ascending=False)
    run = table.assign(score=below + 1.0, rank=table.groupby("qid", sort=False).cumcount())
    run = run[["qid", "docno", "score", "rank", "turn"]]
    if doc_len is None:
        return run
    lengths = doc_len if isinstance(doc_len, Mapping) else _read_lengths(doc_len)
    return run.assign(doc_len=np.array([lengths.get(docno, math.nan) for docno in run["docno"]], dtype=float))


def _read_lengths(path: Path) -> dict[str, float]:
    table = _read_table(path, {"docno": str, "words": float}, separator="\t")
    return dict(zip(table["docno"], table["words"], strict=True))


def _read_table(
    path: Path,
    columns: Columns,
    optional: Columns | None = None,
    *,
    separator: str | None = None,
    to_blank: bool = False,
) -> pd.DataFrame:
    """Read the columns that have a type from lines of words; all lines have the ``optional`` ones, or none has.

    Words are separated by white space, or by the separator. Blank lines are skipped, or the first one is the end.
    """
    name = os.fspath(path)
    table: dict[str, list[str | float]] = {}
    number = 0
    try:
        # Some editors begin a file with a byte order mark, which is not part of its first word.
        with opened(path) as stream, TextIOWrapper(stream, encoding="utf-8-sig") as lines:
            for line in lines:
                number += 1
                fields = line.split() if separator is None else _cells(line, separator)
                if not fields and to_blank:
                    break
                if not fields:
                    continue
                if not table:
                    columns = columns | (optional or {}) if len(fields) > len(columns) else columns
                    table = {column: [] for column, kind in columns.items() if kind}
                    kept = [(i, column, kind) for i, (column, kind) in enumerate(columns.items()) if kind]
                if len(fields) != len(columns):
                    count = f"{len(columns)} {'tab-separated ' if separator else ''}columns"
                    raise ValueError(f"expected {count} ({' '.join(columns)}), found {len(fields)}")
                for i, column, kind in kept:
                    table[column].append(fields[i] if kind is str and fields[i] else _value(fields[i], column, kind))
    except FileNotFoundError:
        raise
    except (ValueError, OSError, EOFError, zlib.error) as error:
        at = number + 1 if isinstance(error, UnicodeDecodeError) else number
        raise ValueError(f"{name}, line {at}: {error}.") from error
    table = table or {column: [] for column, kind in columns.items() if kind}
    return pd.DataFrame(table).astype({column: kind for column, kind in columns.items() if kind in (int, float)})


def _cells(line: str, separator: str) -> list[str]:
    cells = [cell.strip() for cell in line.split(separator)]
    return cells if any(cells) else []


def _value(text: str, column: str, kind: type) -> float:
    if not text:
        raise ValueError(f"{column} is empty")
    return _whole(text, column) if kind is int else _finite(text, column)


def _whole(text: str, column: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{column} must be a whole number from 0, not {text!r}")
    return int(text)


def _finite(text: str, column: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{column} must be a finite number, not {text!r}")
    return value
