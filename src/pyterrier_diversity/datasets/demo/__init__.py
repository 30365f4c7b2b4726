"""A small collection written for this package: ambiguous and faceted queries, short documents, four runs."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import pandas as pd
import pyterrier as pt

from ...io import highest_label_last, read_qrels, read_run
from ...transformers.steps import Step
from ..named import NamedDataset

FOLDER = Path(str(files(__package__)))
RUNS = ("bm25", "xquad", "more-like-this", "xquad-top-3")
_FIELDS = ("title", "text")


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
        """Return the documents as dicts of ``docno``, ``title``, ``text``."""
        lines = (FOLDER / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
        documents = pt.tqdm(lines, desc="diversity:demo documents") if verbose else lines
        return pt.utils.GeneratorLen(map(json.loads, documents), len(lines))

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


class TextLoader(Step):
    """Add the texts of documents to results; columns with the same names are replaced.

    Parameters
    ----------
    documents : iterable of dict
        ``docno`` and the fields.
    fields : sequence of str, or str
        "title", "text" or both; "*" for both.

    Raises
    ------
    ValueError
        If a field is unknown. When it runs: if a document of the results is not in the collection.
    """

    def __init__(self, documents: Iterable[Mapping[str, str]], fields: Sequence[str] | str = "*") -> None:
        self.fields = _FIELDS if fields == "*" else (fields,) if isinstance(fields, str) else tuple(fields)
        unknown = [field for field in self.fields if field not in _FIELDS]
        if unknown:
            raise ValueError(f"text_loader: fields must be among {', '.join(_FIELDS)}, not {unknown[0]!r}.")
        self._documents = {document["docno"]: document for document in documents}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows with the texts."""
        pt.validate.columns(inp, includes=["docno"], context=self)
        unknown = [docno for docno in inp["docno"] if docno not in self._documents]
        if unknown:
            raise ValueError(f"text_loader: the collection has no document {unknown[0]!r}.")
        return inp.assign(**{field: [self._documents[docno][field] for docno in inp["docno"]] for field in self.fields})

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer:
        """Return a pipeline that adds texts only after the cutoff."""
        return pt.RankCutoff(k) >> self
