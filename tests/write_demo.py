"""Write the runs of the demo collection from its text: ``python tests/write_demo.py``."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset
from pyterrier_diversity.transformers import BM25, OnSubtopics, XQuAD

DEPTH = 30  # documents retrieved for a query
MIXING = 0.7  # lambda of xQuAD: how much diversity counts


class MoreLikeThis(pt.Transformer):
    """Re-rank by similarity to the first two documents: their texts are scored as queries.

    Parameters
    ----------
    scorer : pt.Transformer
        Scores documents for a query.
    texts : Series
        The text of each document, by docno.
    """

    def __init__(self, scorer: pt.Transformer, texts: pd.Series) -> None:
        self.scorer = scorer
        self.texts = texts

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the results in another order."""
        return pt.model.add_ranks(inp.assign(score=self._likeness(inp, 0) + self._likeness(inp, 1)))

    def _likeness(self, inp: pd.DataFrame, rank: int) -> np.ndarray:
        """Return the score of each document for the text of the document at a rank."""
        liked = inp[inp["rank"] == rank].set_index("qid")["docno"].map(self.texts)
        scored = self.scorer(inp.assign(query=inp["qid"].map(liked))).set_index(["qid", "docno"])["score"]
        return scored[pd.MultiIndex.from_frame(inp[["qid", "docno"]])].to_numpy()


def systems() -> dict[str, pt.Transformer]:
    """Return the pipelines of `RUNS`, in that order."""
    dataset = DemoDataset()
    documents = list(dataset.get_corpus_iter(verbose=False))
    texts = pd.Series({document["docno"]: f"{document['title']} {document['text']}" for document in documents})
    scorer = BM25(documents)
    bm25 = scorer % DEPTH
    subtopics = OnSubtopics(scorer, dataset.get_topics("subtopics"), rescore=True)
    xquad = bm25 >> XQuAD(subtopics, lambda_=MIXING)
    return dict(zip(RUNS, (bm25, xquad, bm25 >> MoreLikeThis(scorer, texts), xquad % 3), strict=True))


def write(folder: Path = FOLDER) -> None:
    """Write the runs into a folder."""
    topics = DemoDataset().get_topics()
    for name, system in systems().items():
        results = system(topics).sort_values("rank", kind="stable")
        lines = []
        for qid in topics["qid"]:
            docs = results["docno"][results["qid"] == qid].tolist()
            lines += [f"{qid} Q0 {doc} {i + 1} {len(docs) - i} {name}\n" for i, doc in enumerate(docs)]
        (folder / f"{name}.run").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write()
