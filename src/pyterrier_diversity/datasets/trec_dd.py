"""The TREC Dynamic Domain tracks 2015-2017, read from their truth files in ir_datasets' cache."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyterrier as pt

from ..io import read_dd_truth
from ..truth import Topic, read_topics

TREC_DD = ("trec-dd/2015", "trec-dd/2016", "trec-dd/2017")


class TrecDDDataset(pt.datasets.Dataset):  # type: ignore[misc]
    """Topics, subtopics and qrels of one year, read when asked for.

    Parameters
    ----------
    name : str
        The dataset's id in ir_datasets, such as "trec-dd/2016".
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        """Return how to make it."""
        return f"TrecDDDataset({self.name!r})"

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics.

        Parameters
        ----------
        variant : {None, "subtopics"}
            None for the topics, with columns ``qid``, ``query`` (the topic's name) and, in a year that has them,
            ``description``; "subtopics" for their intents, with columns ``qid``, ``iteration``, ``query`` (the
            subtopic's name).
        """
        if variant not in (None, "subtopics"):
            raise ValueError(f"{self.name} has the topics None and 'subtopics', not {variant!r}.")
        topics = read_topics(self._path())
        return _topics(topics) if variant is None else _subtopics(topics)

    def get_topics_lang(self) -> str:
        """Return the language of the topics."""
        return "en"

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the qrels.

        Parameters
        ----------
        variant : {None, "passages"}
            None for the judgements of documents, with columns ``qid``, ``docno``, ``label`` (highest rating of the
            document's passages for the subtopic), ``iteration``, ``gain`` (sum of these ratings), sorted so that the
            last row of a document has its highest label. "passages" for the judgements of passages, with columns
            ``qid``, ``docno``, ``label``, ``iteration``, ``passage``, ``type``, ``nugget``.
        """
        if variant not in (None, "passages"):
            raise ValueError(f"{self.name} has the qrels None and 'passages', not {variant!r}.")
        return read_dd_truth(self._path(), "passages" if variant else "documents")

    def info_url(self) -> str:
        """Return NIST's page of the track's data."""
        return f"https://trec.nist.gov/data/domain{self.name[-4:]}.html"

    def _describe_component(self, component: str) -> list[str] | None:
        return {"topics": ["subtopics"], "qrels": ["passages"]}.get(component)

    def _path(self) -> Path:
        from ..irds.trec_dd import TruthFile

        return TruthFile(self.name).path()


def _topics(topics: Iterable[Topic]) -> pd.DataFrame:
    rows = [(topic.id, topic.name, topic.description) for topic in topics]
    frame = pd.DataFrame(rows, columns=["qid", "query", "description"])
    return frame if frame["description"].any() else frame[["qid", "query"]]


def _subtopics(topics: Iterable[Topic]) -> pd.DataFrame:
    rows = [(topic.id, subtopic.id, subtopic.name) for topic in topics for subtopic in topic.subtopics]
    return pd.DataFrame(rows, columns=["qid", "iteration", "query"])
