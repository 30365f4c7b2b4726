"""The TREC Dynamic Domain tracks of 2015-2017 as datasets of ir_datasets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import ir_datasets
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseQrels, BaseQueries, TrecSubQrel
from ir_datasets.util import Cache, RequestsDownload, home_path

from ..io import read_dd_truth
from ..truth import read_topics

_TRUTH = {
    "trec-dd/2015": "https://trec.nist.gov/data/domain/2015/dynamic-domain-2015-truth-data-v5.xml.gz",
    "trec-dd/2016": "https://trec.nist.gov/data/domain/2016/dynamic-domain-2016-truth-data.xml.gz",
    "trec-dd/2017": "https://trec.nist.gov/data/domain/2017/truth_data_nyt_2017_v2.3.xml",
}
_AUTHORS = {
    "trec-dd/2015": "Yang, Frank, Soboroff",
    "trec-dd/2016": "Yang, Soboroff",
    "trec-dd/2017": "Yang, Tang, Soboroff",
}
_RATINGS = {1: "marginally relevant", 2: "relevant", 3: "highly relevant", 4: "key result"}


class TruthFile:
    """The truth file of a year in ir_datasets' cache.

    Parameters
    ----------
    name : str
        The dataset's id, such as "trec-dd/2016".
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.url = _TRUTH[name]

    def path(self) -> Path:
        """Return where the file is, after a download if it is not there yet.

        Raises
        ------
        ConnectionError
            If the file cannot be had: where it is put by hand.
        """
        path = Path(home_path()) / "trec-dd" / self.url.rpartition("/")[2]
        if path.exists():
            return path
        try:
            self._download(path)
        except (OSError, RuntimeError, ValueError) as error:
            raise ConnectionError(
                f"{self.name} could not be downloaded from {self.url}. The file may be put into ir_datasets' cache by "
                f"hand: {path}."
            ) from error
        return path

    def _download(self, path: Path) -> None:
        """Keep what is downloaded only if it is a truth file, since NIST gives no checksum."""
        unchecked = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            Cache(RequestsDownload(self.url), unchecked).verify()
            for _ in read_topics(unchecked):
                pass
            unchecked.replace(path)
        finally:
            unchecked.unlink(missing_ok=True)


class TrecDDSubtopic(NamedTuple):
    """A subtopic of a query."""

    number: str
    text: str


class TrecDDQuery(NamedTuple):
    """A topic; the description is empty where there is none."""

    query_id: str
    name: str
    description: str
    subtopics: tuple[TrecDDSubtopic, ...]

    def default_text(self) -> str:
        """Return the name."""
        return self.name


class TrecDDPassageQrel(NamedTuple):
    """The rating of a passage for a subtopic."""

    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str
    passage_id: str
    type: str
    nugget: str


class TrecDDQueries(BaseQueries):  # type: ignore[misc]
    """The topics of a truth file."""

    def __init__(self, truth: TruthFile) -> None:
        self._truth = truth

    def queries_path(self) -> str:
        """Return the path of the truth file."""
        return str(self._truth.path())

    def queries_iter(self) -> Iterator[TrecDDQuery]:
        """Read the topics, in the order of the file."""
        for topic in read_topics(self._truth.path()):
            subtopics = tuple(TrecDDSubtopic(subtopic.id, subtopic.name) for subtopic in topic.subtopics)
            yield TrecDDQuery(topic.id, topic.name, topic.description, subtopics)

    def queries_count(self) -> int:
        """Count the topics."""
        return sum(1 for _ in self.queries_iter())

    def queries_cls(self) -> type[TrecDDQuery]:
        """Return the class of a query."""
        return TrecDDQuery

    def queries_namespace(self) -> str:
        """Return the namespace of the ids."""
        return "trec-dd"

    def queries_lang(self) -> str:
        """Return the language."""
        return "en"


class TrecDDQrels(BaseQrels):  # type: ignore[misc]
    """The judgements of a truth file, of documents or of passages."""

    def __init__(self, truth: TruthFile, level: Literal["documents", "passages"]) -> None:
        self._truth = truth
        self._level = level

    def qrels_path(self) -> str:
        """Return the path of the truth file."""
        return str(self._truth.path())

    def qrels_iter(self) -> Iterator[TrecSubQrel | TrecDDPassageQrel]:
        """Read the judgements, in the order of `read_dd_truth`."""
        kind = self.qrels_cls()
        qrels = read_dd_truth(self._truth.path(), self._level)
        return map(kind._make, qrels.iloc[:, : len(kind._fields)].itertuples(index=False))

    def qrels_count(self) -> int:
        """Count the judgements."""
        return sum(1 for _ in self.qrels_iter())

    def qrels_cls(self) -> type[TrecSubQrel | TrecDDPassageQrel]:
        """Return the class of a judgement."""
        return TrecSubQrel if self._level == "documents" else TrecDDPassageQrel

    def qrels_defs(self) -> dict[int, str]:
        """Return what the ratings mean."""
        return _RATINGS


class Documentation:
    """What ir_datasets tells of a dataset."""

    def __init__(self, name: str, level: Literal["documents", "passages"]) -> None:
        self._name = name
        self._level = level

    def documentation(self) -> dict[str, object]:
        """Return the entries that ir_datasets keeps in files of its own for the datasets that are its own."""
        year = self._name[-4:]
        rated = "passages" if self._level == "passages" else "documents, each with the highest rating of its passages"
        return {
            "pretty_name": f"TREC Dynamic Domain {year}" + (", passages" if self._level == "passages" else ""),
            "desc": (
                f"<p>Topics of the TREC {year} Dynamic Domain track and their subtopics, with judgements of {rated}, "
                f"for each subtopic; without the documents themselves.</p>"
                f"<p>{_AUTHORS[self._name]}. TREC {year} Dynamic Domain Track Overview. TREC {year}.</p>"
            ),
            "bibtex_ids": [f"Yang{year}TrecDD"],
        }


def register() -> None:
    """Register the datasets that ir_datasets does not have yet."""
    registered = set(ir_datasets.registry)
    for name in _TRUTH:
        truth = TruthFile(name)
        queries = TrecDDQueries(truth)
        levels: dict[str, Literal["documents", "passages"]] = {name: "documents", f"{name}/passages": "passages"}
        for key, level in levels.items():
            if key not in registered:
                dataset = Dataset(queries, TrecDDQrels(truth, level), Documentation(name, level))
                ir_datasets.registry.register(key, dataset)


register()
