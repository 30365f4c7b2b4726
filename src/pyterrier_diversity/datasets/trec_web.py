"""The diversity tasks of the TREC Web tracks 2009-2014, read through ir_datasets and its cache."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from ..io import highest_label_last, one_line
from .named import NamedDataset, cache_folder, cached

TREC_WEB = (
    *(f"clueweb09/en/trec-web-{year}" for year in range(2009, 2013)),
    *(f"clueweb12/trec-web-{year}" for year in (2013, 2014)),
)

# NIST's spellings in the topics of 2011.
_INTENT_TYPES = {"inv": "inf", "inav": "nav"}


class TrecWebDataset(NamedDataset):
    """Topics, subtopics and qrels of one year, read on demand.

    Parameters
    ----------
    name : str
        The dataset's id in ir_datasets, without ``/diversity``.
    """

    VARIANTS = {"corpus": True, "topics": ["subtopics"], "qrels": ["adhoc"]}

    def get_corpus_iter(self, *, verbose: bool = True) -> Iterator[dict[str, Any]]:
        """Return the documents from ir_datasets, which says how to get them if they are missing."""
        return pt.get_dataset(f"irds:{self.name}").get_corpus_iter(verbose=verbose)

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics.

        Parameters
        ----------
        variant : {None, "subtopics"}
            None for the topics, with the columns ``qid``, ``query``. "subtopics" for their intents, with the columns
            ``qid``, ``iteration``, ``query``, ``intent_type`` ("inf" or "nav"). A topic without subtopics has one
            intent, "0", as in the qrels, and its description is the query.
        """
        self.check_variant("topics", variant)
        topics = self._read("queries_iter")
        if variant is None:
            return pd.DataFrame([(topic.query_id, one_line(topic.query)) for topic in topics], columns=["qid", "query"])
        from ir_datasets.formats import TrecSubtopic

        rows = [
            (topic.query_id, one.number, one_line(one.text), _INTENT_TYPES.get(one.type, one.type))
            for topic in topics
            for one in topic.subtopics or [TrecSubtopic("0", topic.description, "inf")]
        ]
        return pd.DataFrame(rows, columns=["qid", "iteration", "query", "intent_type"])

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the qrels.

        Parameters
        ----------
        variant : {None, "adhoc"}
            None for the diversity task, with the columns ``qid``, ``docno``, ``label``, ``iteration``, ``weight``
            (uniform over the topic's intents) and ``intent_type`` ("inf" if the topics do not say). The last row of a
            document has its highest label, which pytrec_eval reads. "adhoc" for the track's own ad-hoc qrels, with the
            columns ``qid``, ``docno``, ``label``.

        Notes
        -----
        In 2009, NIST recorded documents without a relevant subtopic under a subtopic 0, which no topic has. Here they
        are judged irrelevant to each subtopic of the topic.

        Since 2011 the ad-hoc qrels repeat the labels of one subtopic, the topic's description. So nDCG on them ignores
        the other intents, and differs from ``Adhoc(nDCG)`` on the diversity qrels.

        ``irds:.../diversity`` and ``ir_datasets.load`` give the same values, with two exceptions: their qrels have no
        types of intents, which `DIN_nDCG`, `DIN_Q`, `PplusQ`, their sharp forms and `EfP` read, and in 2009 `Coverage`
        and `NuggetScore` count subtopic 0 as missed.
        """
        self.check_variant("qrels", variant)
        names = {"query_id": "qid", "doc_id": "docno", "relevance": "label", "subtopic_id": "iteration"}
        qrels = pd.DataFrame(self._read("qrels_iter", "" if variant else "/diversity")).rename(columns=names)
        if variant:
            return qrels[["qid", "docno", "label"]]
        subtopics = self.get_topics("subtopics")
        kinds = subtopics[["qid", "iteration", "intent_type"]]
        qrels = _judged_for_all(qrels, subtopics).merge(kinds, on=["qid", "iteration"], how="left")
        weight = 1 / qrels["qid"].map(subtopics["qid"].value_counts())
        qrels = qrels.fillna({"intent_type": "inf"}).assign(weight=weight)
        return highest_label_last(qrels[["qid", "docno", "label", "iteration", "weight", "intent_type"]])

    def info_url(self) -> str:
        """Return the address of ir_datasets' page about the collection."""
        return f"https://ir-datasets.com/{self.name.split('/')[0]}.html#{self.name}/diversity"

    def _read(self, records: str, part: str = "") -> list[Any]:
        """Read records with ir_datasets, and download their file first if it is not in the cache."""
        folder = cache_folder()
        import ir_datasets
        from ir_datasets.util import Download, DownloadConfig

        file = {"queries_iter": "queries", "qrels_iter": "qrels.all" if part else "qrels.adhoc"}[records]
        collection, *_, track = self.name.split("/")
        known = DownloadConfig.context(collection, folder / collection)[f"{track}/{file}"]
        path, urls, md5 = Path(known.path(force=False)), known.mirrors, known.expected_md5
        cached(path, self.name, urls[0].url, lambda copy: Download(urls, cache_path=copy, expected_md5=md5).path())
        return list(getattr(ir_datasets.load(self.name + part), records)())


def _judged_for_all(qrels: pd.DataFrame, subtopics: pd.DataFrame) -> pd.DataFrame:
    """Replace labels of 0 or less for intents that a topic does not have by the same label for each of its intents."""
    pairs = [pd.MultiIndex.from_frame(frame[["qid", "iteration"]]) for frame in (qrels, subtopics)]
    for_nobody = ~pairs[0].isin(pairs[1]) & (qrels["label"] <= 0).to_numpy()
    for_all = qrels[for_nobody].drop(columns="iteration").merge(subtopics[["qid", "iteration"]], on="qid")
    return pd.concat([qrels[~for_nobody], for_all], ignore_index=True)
