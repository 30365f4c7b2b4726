"""A small collection written for this package: ambiguous and faceted queries, short documents, four runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pyterrier as pt

from ...io import read_qrels, read_run
from ...io.ordering import highest_label_last
from .text_loader import TextLoader

FOLDER = Path(str(files(__package__)))
RUNS = ("bm25", "xquad", "more-like-this", "xquad-top-3")


class DemoDataset(pt.datasets.Dataset):  # type: ignore[misc]
    """A demo collection of 224 documents and 14 queries, with the results of four systems.

    Each query has 3 to 6 intents with weights, types and grades. It needs no download and no Java. ``bm25`` is a
    lexical baseline that favours the dominant intent. ``xquad`` diversifies it over the intents, ``more-like-this``
    re-ranks it by similarity to its first two documents, and ``xquad-top-3`` ends after three documents.
    """

    def __repr__(self) -> str:
        """Return the constructor call."""
        return "DemoDataset()"

    def get_corpus_iter(self, *, verbose: bool = True) -> Iterator[dict[str, str]]:
        """Return the documents as dicts of ``docno``, ``title``, ``text``."""
        lines = (FOLDER / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
        documents = pt.tqdm(lines, desc="diversity:demo documents") if verbose else lines
        return pt.utils.GeneratorLen(map(json.loads, documents), len(lines))

    def get_corpus_lang(self) -> str:
        """Return the language of the documents."""
        return "en"

    def text_loader(self, fields: Sequence[str] | str = "*", *, verbose: bool = False) -> pt.Transformer:
        """Return a transformer that adds the texts of documents; ``pt.text.get_text(dataset)`` calls it.

        Parameters
        ----------
        fields : sequence of str, or str
            "title", "text" or both; "*" for both.
        verbose : bool
            Whether to show progress.
        """
        return TextLoader(self.get_corpus_iter(verbose=verbose), fields)

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """Return the topics.

        Parameters
        ----------
        variant : {None, "subtopics"}
            None for the topics, with the columns ``qid``, ``query``. "subtopics" for their intents, with the columns
            ``qid``, ``iteration``, ``query``, ``intent_type`` ("inf" or "nav").
        """
        if variant not in (None, "subtopics"):
            raise ValueError(f"diversity:demo: variant must be None or 'subtopics', not {variant!r}.")
        return pd.read_csv(FOLDER / f"{variant or 'topics'}.tsv", sep="\t", dtype=str)

    def get_topics_lang(self) -> str:
        """Return the language of the topics."""
        return "en"

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """Return the qrels: ``qid``, ``docno``, ``label`` (0 to 3), ``iteration``, ``weight``, ``intent_type``.

        The last row of a document has its highest label, which pytrec_eval reads.
        """
        if variant is not None:
            raise ValueError(f"diversity:demo: variant must be None, not {variant!r}.")
        qrels = read_qrels(FOLDER / "qrels.txt")
        kinds = self.get_topics("subtopics")[["qid", "iteration", "intent_type"]]
        return highest_label_last(qrels.merge(kinds, on=["qid", "iteration"], how="left"))

    def get_results(self, variant: str | None = None) -> pd.DataFrame:
        """Return the results of one of `RUNS`, "bm25" if None: ``qid``, ``query``, ``docno``, ``score``, ``rank``."""
        name = variant or RUNS[0]
        if name not in RUNS:
            raise ValueError(f"diversity:demo: variant must be one of {', '.join(RUNS)}, not {variant!r}.")
        results = read_run(FOLDER / f"{name}.run").merge(self.get_topics(), on="qid", how="left")
        return results[["qid", "query", "docno", "score", "rank"]]

    def _describe_component(self, component: str) -> bool | list[str] | None:
        parts: dict[str, bool | list[str]] = {"corpus": True, "qrels": True}
        return (parts | {"topics": ["subtopics"], "results": list(RUNS)}).get(component)
