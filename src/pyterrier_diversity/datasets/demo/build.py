"""Compute the runs of the demo collection from its text: ``python -m pyterrier_diversity.datasets.demo.build``."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from . import FOLDER, RUNS, DemoDataset

K1, B = 1.2, 0.75  # of BM25
DEPTH = 30  # documents retrieved for a query
MIXING = 0.7  # lambda of xQuAD: how much novelty counts


def bm25(queries: list[str], documents: list[str]) -> np.ndarray:
    """Score documents for queries by BM25 over lower-case words without a plural s; shape (queries, documents)."""
    words = [_words(text) for text in documents]
    vocabulary = {word: i for i, word in enumerate(sorted({word for text in words for word in text}))}
    counts = np.zeros((len(documents), len(vocabulary)))
    for row, found in zip(counts, words, strict=True):
        np.add.at(row, [vocabulary[word] for word in found], 1)
    length = counts.sum(axis=1, keepdims=True)
    holding = np.count_nonzero(counts, axis=0)
    rarity = np.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
    weights = rarity * counts * (K1 + 1) / (counts + K1 * (1 - B + B * length / length.mean()))
    asked = np.zeros((len(queries), len(vocabulary)))
    for row, query in zip(asked, queries, strict=True):
        row[[vocabulary[word] for word in _words(query) if word in vocabulary]] = 1
    return np.asarray(asked @ weights.T)


def xquad(scores: np.ndarray, intent_scores: np.ndarray, mixing: float) -> np.ndarray:
    """Rank documents by relevance to the query and to the intents that those above cover least (Santos et al. 2010).

    Parameters
    ----------
    scores : ndarray, shape (docs,)
        Relevance to the query.
    intent_scores : ndarray, shape (intents, docs)
        Relevance to each intent; intents weigh the same.
    mixing : float in [0, 1]
        How much novelty counts.

    Returns
    -------
    ndarray, shape (docs,)
        The documents, best first.
    """
    relevance = scores / scores.sum()
    coverage = intent_scores / intent_scores.sum(axis=1, keepdims=True).clip(1e-9)
    uncovered = np.ones((len(coverage), 1))
    left = list(range(len(scores)))
    ranking = []
    while left:
        novelty = (coverage[:, left] * uncovered).mean(axis=0)
        best = left.pop(int(np.argmax((1 - mixing) * relevance[left] + mixing * novelty)))
        uncovered *= 1 - coverage[:, [best]]
        ranking.append(best)
    return np.array(ranking)


def build(folder: Path = FOLDER) -> None:
    """Write the runs into a folder."""
    dataset = DemoDataset()
    corpus = pd.DataFrame(dataset.get_corpus_iter(verbose=False))
    texts = (corpus["title"] + " " + corpus["text"]).tolist()
    topics, subtopics = dataset.get_topics(), dataset.get_topics("subtopics")
    query_scores = bm25(topics["query"].tolist(), texts)
    intent_scores = bm25(subtopics["query"].tolist(), texts)
    likeness = bm25(texts, texts)
    runs: dict[str, list[str]] = {name: [] for name in RUNS}
    for qid, scores in zip(topics["qid"], query_scores, strict=True):
        found = np.lexsort((-np.arange(len(scores)), -scores))[:DEPTH]
        found = found[scores[found] > 0]
        of_intents = intent_scores[(subtopics["qid"] == qid).to_numpy()][:, found]
        diverse = found[xquad(scores[found], of_intents, MIXING)]
        alike = found[np.argsort(-likeness[found[:2]][:, found].sum(axis=0), kind="stable")]
        for name, ranking in zip(RUNS, (found, diverse, alike, diverse[:3]), strict=True):
            for rank, doc in enumerate(ranking):
                runs[name].append(f"{qid} Q0 {corpus['docno'][doc]} {rank + 1} {len(ranking) - rank} {name}\n")
    for name, lines in runs.items():
        (folder / f"{name}.run").write_text("".join(lines), encoding="utf-8")


def _words(text: str) -> list[str]:
    return [word.removesuffix("s") for word in re.findall(r"[a-z0-9]+", text.lower())]


if __name__ == "__main__":
    build()
