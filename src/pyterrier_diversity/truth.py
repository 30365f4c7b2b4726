"""Topics, subtopics and passages from the truth files of the TREC Dynamic Domain tracks."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple
from xml.parsers import expat

from .files import Path, opened

_PARENTS = {"topic": "domain", "subtopic": "topic", "passage": "subtopic"}
_FIELDS = ("docno", "rating", "type")
_INTEGER = re.compile(r"[+-]?\d+")


class Passage(NamedTuple):
    """A passage: its rating is 1 at least, its nugget the last MANUAL passage of the subtopic, itself included.

    The nugget is empty if no MANUAL passage stands before one that is MATCHED.
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


class Topic(NamedTuple):
    """A topic and its subtopics, in the order of the file; the description is empty where there is none."""

    id: str
    name: str
    description: str
    subtopics: list[Subtopic]


def read_topics(path: Path) -> Iterator[Topic]:
    """Read a truth file topic by topic.

    Parameters
    ----------
    path : path-like
        XML, gzipped or not: trec_dd, in it domain, topic, subtopic, passage; in a passage docno, rating, type.

    Yields
    ------
    Topic
        As soon as its end has been read. The texts of passages are not kept.

    Raises
    ------
    ValueError
        If the file cannot be read or holds no passage: file, line number, and what is wrong.
    """
    reader = _Reader(os.fspath(path))
    try:
        with opened(path) as stream:
            while chunk := stream.read(1 << 16):
                reader.parser.Parse(chunk)
                yield from reader.ended()
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise reader.error(expat.ErrorString(error.code), error.lineno) from error
    except FileNotFoundError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise reader.error(error) from error
    yield from reader.ended()
    if not reader.n_passages:
        raise reader.error("the file ends without a topic that has a passage")


class _Reader:
    """Make topics of what expat tells of a file."""

    def __init__(self, name: str) -> None:
        self.n_passages = 0
        self._name = name
        self._topics: list[Topic] = []
        self._open: list[str] = []
        self._nugget = ""
        self._fields: dict[str, str] = {}
        self._text: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text_of_element

    def error(self, what: object, line: int | None = None) -> ValueError:
        return ValueError(f"{self._name}, line {line or self.parser.CurrentLineNumber}: {what}.")

    def ended(self) -> list[Topic]:
        """Hand out the topics whose end has been read."""
        n_ended = len(self._topics) - ("topic" in self._open)
        ended, self._topics = self._topics[:n_ended], self._topics[n_ended:]
        return ended

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else ""
        if not parent and tag != "trec_dd":
            raise self.error(f"a truth file begins with <trec_dd>, not with <{tag}>")
        if tag in _PARENTS:
            if parent != _PARENTS[tag]:
                raise self.error(f"<{tag}> must be in <{_PARENTS[tag]}>, not in <{parent}>")
            if not attributes.get("id"):
                raise self.error(f"<{tag}> has no id")
            self._begin(tag, attributes["id"], _words(attributes.get("name", "")))
        self._open.append(tag)
        self._text = []

    def _begin(self, tag: str, number: str, name: str) -> None:
        if tag == "topic":
            self._topics.append(Topic(number, name, "", []))
        elif tag == "subtopic":
            self._topics[-1].subtopics.append(Subtopic(number, name, []))
            self._nugget = ""
        else:
            self._fields = {"id": number}

    def _text_of_element(self, text: str) -> None:
        self._text.append(text)

    def _end(self, tag: str) -> None:
        self._open.pop()
        parent = self._open[-1] if self._open else ""
        if parent == "passage" and tag in _FIELDS:
            self._fields[tag] = _words("".join(self._text))
        elif parent == "topic" and tag == "description":
            self._topics[-1] = self._topics[-1]._replace(description=_words("".join(self._text)))
        elif tag == "passage":
            self._topics[-1].subtopics[-1].passages.append(self._passage(**self._fields))
            self.n_passages += 1

    def _passage(self, id: str, docno: str = "", rating: str = "", type: str = "") -> Passage:
        for field, value in (("docno", docno), ("rating", rating), ("type", type)):
            if not value:
                raise self.error(f"passage {id} has no {field}")
        if not _INTEGER.fullmatch(rating):
            raise self.error(f"the rating of passage {id} must be an integer, not {rating!r}")
        if type not in ("MANUAL", "MATCHED"):
            raise self.error(f"the type of passage {id} must be MANUAL or MATCHED, not {type!r}")
        if type == "MANUAL":
            self._nugget = id
        # Ratings of 0 and below are the lowest one of the relevant, too.
        return Passage(id, docno, max(int(rating), 1), type, self._nugget)


def _words(text: str) -> str:
    return " ".join(text.split())
