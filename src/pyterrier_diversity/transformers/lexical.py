"""A lexical scorer without Java, for pipelines on small collections."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from ..frames import Columns
from ..parameters import Parameter
from .steps import Step, candidates, retrieved


class BM25(Step):
    """Retrieve documents for queries, or score given ones, by BM25 over an index in memory.

    Words are lower-case sequences of letters and digits without a plural s. Each word of a query counts once. Scores
    equal those of Lucene's BM25, in double precision. Documents with equal scores are ranked by descending docno.

    Parameters
    ----------
    documents : iterable of dict
        ``docno``, ``text`` and optionally ``title``, as ``dataset.get_corpus_iter()`` returns them.
    num_results : int >= 1
        How many documents to retrieve for a query. Documents without any of its words are not retrieved.
    k1 : float >= 0
        Weight of repeated occurrences of a word.
    b : float in [0, 1]
        Strength of the normalisation by document length.

    Raises
    ------
    ValueError
        If a parameter is out of range, a document has no ``docno`` or no ``text``, two documents have the same
        ``docno``, or no document has a word. When used: if a given result is not one of the documents.
    TypeError
        If the documents are not dicts.

    References
    ----------
    Robertson, Zaragoza (2009). The probabilistic relevance framework: BM25 and beyond. Foundations and Trends in
    Information Retrieval 3(4), 333-389.

    Examples
    --------
    >>> scorer = BM25([{"docno": "d1", "text": "Jaguars hunt."}, {"docno": "d2", "text": "A jaguar is a cat."}])
    >>> scorer.search("cat")["docno"].tolist()
    ['d2']
    """

    LIMIT = "num_results"
    FIXED = frozenset({"k1", "b"})
    PARAMETERS = {
        "num_results": Parameter(int, 1000, interval="[1, inf)"),
        "k1": Parameter(float, 1.2, interval="[0, inf)"),
        "b": Parameter(float, 0.75, interval="[0, 1]"),
    }

    def __init__(
        self, documents: Iterable[Mapping[str, Any]], *, num_results: int = 1000, k1: float = 1.2, b: float = 0.75
    ) -> None:
        import bm25s

        self.num_results, self.k1, self.b = num_results, k1, b
        # Private, because setting them would not change the index.
        self._documents = list(documents) if isinstance(documents, Iterable) else [documents]
        indexed = dict(_words_of(self._documents))
        # Descending, so that a stable sort by score breaks ties by descending docno.
        self._docs = pd.Index(sorted(indexed, reverse=True), dtype=object)
        if not any(indexed.values()):
            raise ValueError("BM25: documents must have at least one word, but all are empty.")
        self._index = bm25s.BM25(k1=k1, b=b, method="lucene", dtype="float64")
        self._index.index([indexed[doc] for doc in self._docs], create_empty_token=False, show_progress=False)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return documents for queries, or given results with new columns ``score`` and ``rank``."""
        with pt.validate.any(inp, context=self) as form:
            form.query_frame(["query"], mode="retrieve")
            form.result_frame(["query"], mode="score")
        if inp.empty:
            return pt.model.add_ranks(inp.assign(docno="", score=0.0))
        queries = Columns(inp, (), "BM25").objects("query")
        return self._retrieved(inp, queries) if form.mode == "retrieve" else self._scored(inp, queries)

    def scores(self, query: str) -> np.ndarray:
        """Return the score of every document, in descending order of their docnos."""
        known = self._index.get_tokens_ids([*dict.fromkeys(words(query))])
        return self._index.get_scores_from_ids(known) if known else np.zeros(len(self._docs))

    def _retrieved(self, inp: pd.DataFrame, queries: np.ndarray) -> pd.DataFrame:
        found = []
        for query in queries:
            score = self.scores(query)
            best = np.argsort(-score, kind="stable")[: int(self.num_results)]
            best = best[score[best] > 0]
            found.append(dict(zip(self._docs[best], score[best], strict=True)))
        return retrieved(inp, found)

    def _scored(self, inp: pd.DataFrame, queries: np.ndarray) -> pd.DataFrame:
        docs = Columns(inp, (), "BM25").objects("doc_id")
        place = self._docs.get_indexer(pd.Index(docs))
        unknown = docs[place < 0]
        if len(unknown):
            raise ValueError(f"BM25: the results contain document {unknown[0]!r}, which is not in the index.")
        score = np.zeros(len(inp))
        for query in dict.fromkeys(queries.tolist()):
            asked = queries == query
            score[asked] = self.scores(query)[place[asked]]
        frame = inp.assign(score=score)
        order = np.concatenate([query.rows for query in candidates(frame[["qid", "docno", "score"]], "BM25")])
        return pt.model.add_ranks(frame.iloc[order].reset_index(drop=True))

    def __repr__(self) -> str:
        """Return the number of documents."""
        return f"BM25({len(self._docs)} documents)"


def words(text: str) -> list[str]:
    """Return the words of a text: lower-case sequences of letters and digits, without a plural s.

    Examples
    --------
    >>> words("The cat's 9 lives")
    ['the', 'cat', 's', '9', 'live']
    """
    return [word[0] + word[1:].removesuffix("s") for word in re.findall(r"[^\W_]+", text.lower())]


def _words_of(documents: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, list[str]]]:
    """Yield the docno and the words of each document; a progress bar appears if this takes longer than two seconds."""
    seen = set()
    for document in pt.tqdm(documents, desc="BM25", unit="document", delay=2, leave=False):
        if not isinstance(document, Mapping):
            kind = type(document).__name__
            raise TypeError(f"BM25: documents must be dicts with docno and text, as of get_corpus_iter(), not {kind}.")
        missing = [key for key in ("docno", "text") if document.get(key) is None]
        if missing:
            raise ValueError(f"BM25: a document has no {missing[0]}: {dict(document)!r:.80}.")
        docno = str(document["docno"])
        if docno in seen:
            raise ValueError(f"BM25: documents must have each docno once, but have {docno!r} twice.")
        seen.add(docno)
        yield docno, words(f"{document.get('title') or ''} {document['text']}")
