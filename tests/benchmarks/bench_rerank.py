"""Re-ranking by intents and vectors: ``pytest tests/benchmarks/bench_rerank.py``.

50 queries of 1,000 documents and 10 intents, each intent with a score for every document.
"""

import numpy as np
import pandas as pd
import pytest

from pyterrier_diversity.transformers import PM2, Diversify, IASelect, XQuAD

N_QUERIES, N_DOCS, N_INTENTS = 50, 1000, 10


@pytest.fixture(scope="module")
def results() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"qid": np.repeat(np.arange(N_QUERIES).astype(str), N_DOCS)})
    frame["docno"] = [f"clueweb09-en0000-00-{doc:05d}" for doc in rng.permutation(len(frame))]
    frame["score"] = rng.exponential(5, len(frame))
    frame["doc_vec"] = list(rng.normal(size=(len(frame), 128)))
    return frame


@pytest.fixture(scope="module")
def intents(results) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frames = [results[["qid", "docno"]].assign(iteration=str(intent + 1)) for intent in range(N_INTENTS)]
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(score=rng.exponential(5, len(frame)))


@pytest.mark.parametrize("k", [100, None])
@pytest.mark.parametrize("reranker", [IASelect, XQuAD, PM2])
def test_intents(benchmark, results, intents, reranker, k):
    frame = benchmark.pedantic(reranker(intents, normalise="sum", k=k), args=(results,), rounds=3)

    assert len(frame) == len(results)


@pytest.mark.parametrize("strategy", ["mmr", "dpp"])
def test_vectors(benchmark, results, strategy):
    frame = benchmark.pedantic(Diversify(strategy, k=100), args=(results,), rounds=1)

    assert len(frame) == len(results)
