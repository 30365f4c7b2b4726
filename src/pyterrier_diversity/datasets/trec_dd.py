"""The TREC Dynamic Domain tracks 2015-2017 as datasets for PyTerrier and ir_datasets, read from truth files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import ir_datasets
import pandas as pd
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseQrels, BaseQueries
from ir_datasets.util import Cache, RequestsDownload

from ..io import read_dd_truth, read_truth
from .named import NamedDataset, cache_folder, cached

Level = Literal["documents", "passages"]

# NIST's truth files.
_YEARS = {
    "trec-dd/2015": "2015/dynamic-domain-2015-truth-data-v5.xml.gz",
    "trec-dd/2016": "2016/dynamic-domain-2016-truth-data.xml.gz",
    "trec-dd/2017": "2017/truth_data_nyt_2017_v2.3.xml",
}


def truth_file(name: str) -> Path:
    """Return the path of a year's truth file in ir_datasets' cache, and download it first if it does not exist.

    Raises
    ------
    ConnectionError
        If the download fails; the message says where to put the file by hand.
    """
    url = f"https://trec.nist.gov/data/domain/{_YEARS[name]}"
    path = cache_folder() / "trec-dd" / url.rpartition("/")[2]
    # It is read as a check, since NIST publishes no checksum.
    return cached(path, name, url, lambda copy: read_truth(Cache(RequestsDownload(url), copy).path()))


class TrecDDDataset(NamedDataset):
    """Topics, subtopics and qrels of one year, read on demand.

    Parameters
    ----------
    name : str
        The dataset's id in ir_datasets, such as "trec-dd/2016".
    """

    VARIANTS = {"topics": ["subtopics"], "qrels": ["passages"]}

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics.

        Parameters
        ----------
        variant : {None, "subtopics"}
            None for the topics, with the columns ``qid``, ``query`` (the topic's name) and, in some years,
            ``description``. "subtopics" for their intents, with the columns ``qid``, ``iteration``, ``query`` (the
            subtopic's name).
        """
        self.check_variant("topics", variant)
        topics, subtopics, _ = read_truth(truth_file(self.name))
        if variant is None:
            return topics if topics["description"].any() else topics[["qid", "query"]]
        return subtopics

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the qrels.

        Parameters
        ----------
        variant : {None, "passages"}
            None for the judgements of documents, with the columns ``qid``, ``docno``, ``label`` (the highest rating of
            the document's passages for the subtopic), ``iteration`` and ``gain`` (the sum of these ratings). The last
            row of a document has its highest label. "passages" for the judgements of passages, with the columns
            ``qid``, ``docno``, ``label``, ``iteration``, ``passage``, ``type``, ``nugget``.
        """
        self.check_variant("qrels", variant)
        return read_dd_truth(truth_file(self.name), "passages" if variant else "documents")

    def info_url(self) -> str:
        """Return the address of NIST's page about the track's data."""
        return f"https://trec.nist.gov/data/domain{self.name[-4:]}.html"


class TrecDDSubtopic(NamedTuple):
    """A subtopic of a query."""

    number: str
    text: str


class TrecDDQuery(NamedTuple):
    """A topic; its description may be empty."""

    query_id: str
    name: str
    description: str
    subtopics: tuple[TrecDDSubtopic, ...]

    def default_text(self) -> str:
        """Return the name."""
        return self.name


class TrecDDQrel(NamedTuple):
    """The highest rating of a document's passages for a subtopic, and the sum of their ratings."""

    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str
    gain: float


class TrecDDPassageQrel(NamedTuple):
    """The rating of a passage for a subtopic. The measures read columns of these names."""

    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str
    passage: str
    type: str
    nugget: str


class TrecDDQueries(BaseQueries):  # type: ignore[misc]
    """The topics of a truth file."""

    def __init__(self, name: str) -> None:
        self._name = name

    def queries_iter(self) -> Iterator[TrecDDQuery]:
        """Read the topics, in the order of the file."""
        truth = read_truth(truth_file(self._name))
        named = truth.subtopics.groupby("qid", sort=False)
        subtopics = {query: tuple(map(TrecDDSubtopic._make, of.iloc[:, 1:].to_numpy())) for query, of in named}
        for query, name, description in truth.topics.itertuples(index=False, name=None):
            yield TrecDDQuery(query, name, description, subtopics.get(query, ()))

    def queries_cls(self) -> type[TrecDDQuery]:
        """Return the class of a query."""
        return TrecDDQuery

    def queries_lang(self) -> str:
        """Return the language."""
        return "en"


class TrecDDQrels(BaseQrels):  # type: ignore[misc]
    """The judgements of a truth file, of documents or of passages."""

    def __init__(self, name: str, level: Level) -> None:
        self._name, self._level = name, level

    def qrels_iter(self) -> Iterator[TrecDDQrel | TrecDDPassageQrel]:
        """Read the judgements, in the order of `read_dd_truth`, whose columns are the fields."""
        return map(self.qrels_cls()._make, read_dd_truth(truth_file(self._name), self._level).itertuples(index=False))

    def qrels_count(self) -> int:
        """Count the judgements."""
        return sum(1 for _ in self.qrels_iter())

    def qrels_cls(self) -> type[TrecDDQrel | TrecDDPassageQrel]:
        """Return the class of a judgement."""
        return TrecDDQrel if self._level == "documents" else TrecDDPassageQrel

    def qrels_defs(self) -> dict[int, str]:
        """Return the meaning of each rating."""
        return {1: "marginally relevant", 2: "relevant", 3: "highly relevant", 4: "key result"}


def register_datasets() -> None:
    """Register the datasets that ir_datasets does not have yet."""
    registered = set(ir_datasets.registry)
    for name in _YEARS:
        levels: dict[str, Level] = {name: "documents", f"{name}/passages": "passages"}
        for key, level in levels.items():
            if key not in registered:
                ir_datasets.registry.register(key, Dataset(TrecDDQueries(name), TrecDDQrels(name, level)))


register_datasets()
