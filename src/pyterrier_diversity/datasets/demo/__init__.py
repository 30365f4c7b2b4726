"""A small collection written for this package: ambiguous and faceted queries, short documents, four runs."""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pyterrier as pt

from ...io import highest_label_last, read_qrels, read_run
from ..named import NamedDataset

FOLDER = Path(str(files(__package__)))
RUNS = ("bm25", "xquad", "more-like-this", "xquad-top-3")


class DemoDataset(NamedDataset):
    """A demo collection of 224 documents and 14 queries, with the results of four systems.

    Each query has 3 to 6 intents with weights, types and grades. It needs no download and no Java. ``bm25`` is a
    lexical baseline that favours the dominant intent. ``xquad`` diversifies it over the intents, ``more-like-this``
    re-ranks it by similarity to its first two documents, and ``xquad-top-3`` ends after three documents.
    """

    VARIANTS = {"corpus": True, "topics": ["subtopics"], "qrels": True, "results": list(RUNS)}

    def __init__(self, name: str = "diversity:demo") -> None:
        super().__init__(name)

    def get_corpus_iter(self, *, verbose: bool = True) -> Iterator[dict[str, str]]:
        """Return the documents as dicts of ``docno``, ``title``, ``text``.

        ``results.merge(pd.DataFrame(dataset.get_corpus_iter()), on="docno")`` adds the texts to results.
        """
        lines = (FOLDER / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
        documents = pt.tqdm(lines, desc="diversity:demo documents") if verbose else lines
        return pt.utils.GeneratorLen(map(json.loads, documents), len(lines))

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics.

        Parameters
        ----------
        variant : {None, "subtopics"}
            None for the topics, with the columns ``qid``, ``query``. "subtopics" for their intents, with the columns
            ``qid``, ``iteration``, ``query``, ``intent_type`` ("inf" or "nav").
        """
        self.check_variant("topics", variant)
        return pd.read_csv(FOLDER / f"{variant or 'topics'}.tsv", sep="\t", dtype=str)

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the qrels: ``qid``, ``docno``, ``label`` (0 to 3), ``iteration``, ``weight``, ``intent_type``.

        The last row of a document has its highest label, which pytrec_eval reads.
        """
        self.check_variant("qrels", variant)
        qrels = read_qrels(FOLDER / "qrels.txt")
        kinds = self.get_topics("subtopics")[["qid", "iteration", "intent_type"]]
        return highest_label_last(qrels.merge(kinds, on=["qid", "iteration"], how="left"))

    def get_results(self, variant: str | None = None) -> pd.DataFrame:
        """Return the results of one of `RUNS`, "bm25" if None: ``qid``, ``query``, ``docno``, ``score``, ``rank``."""
        self.check_variant("results", variant)
        results = read_run(FOLDER / f"{variant or RUNS[0]}.run").merge(self.get_topics(), on="qid", how="left")
        return results[["qid", "query", "docno", "score", "rank"]]
