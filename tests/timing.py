"""What the benchmarks share: time and memory of functions, made-up input, and the peer of this package."""

import time
import tracemalloc
from collections.abc import Callable

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_nDCG

MEASURES = [alpha_nDCG @ 20, ERR_IA @ 20, NRBP, AP_IA, P_IA @ 20, StRecall @ 20]


def pyndeval() -> ir_measures.providers.Provider:
    """Return what computes these measures in ir_measures without this package."""
    return ir_measures.providers.registry["pyndeval"]


def in_turns(
    *functions: Callable[[], object], between: Callable[[], object] | None = None, budget: float = 3.0
) -> list[float]:
    """Return the shortest CPU time of each function, in seconds.

    The functions are called one after the other, over and over: 3 rounds, and up to 200 while the budget of CPU seconds
    lasts. What else the machine does then meets all of them. A first round does not count. ``between`` is called before
    each function, and not timed.
    """
    shortest = [float("inf")] * len(functions)
    started = time.process_time()
    for turn in range(201):
        for i, function in enumerate(functions):
            if between is not None:
                between()
            begun = time.process_time()
            function()
            if turn:
                shortest[i] = min(shortest[i], time.process_time() - begun)
        if turn >= 3 and time.process_time() - started > budget:
            break
    return shortest


def seconds(function: Callable[..., object], *arguments: object, rounds: int = 3) -> float:
    """Return the shortest of some times that a function takes."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - started)
    return min(times)


def peak_mb(function: Callable[..., object], *arguments: object) -> float:
    """Return what a function allocates in Python at its peak."""
    tracemalloc.start()
    function(*arguments)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20


def made_up(
    n_queries: int, n_docs: int, n_intents: int, n_relevant: int = 20, seed: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make a run, and qrels with some relevant documents for each query, each of one intent."""
    rng = np.random.default_rng(seed)
    queries = np.array([f"q{i}" for i in range(n_queries)], dtype=object)
    docs = np.array([f"clueweb09-en0000-{i:05d}" for i in range(n_docs * 2)], dtype=object)
    doc = np.concatenate([rng.permutation(len(docs))[:n_docs] for _ in range(n_queries)])
    score = -np.sort(-rng.random((n_queries, n_docs)), axis=1).ravel()
    run = pd.DataFrame({"query_id": queries.repeat(n_docs), "doc_id": docs[doc], "score": score})
    judged = np.concatenate([rng.choice(len(docs), n_relevant, replace=False) for _ in range(n_queries)])
    qrels = pd.DataFrame({"query_id": queries.repeat(n_relevant), "doc_id": docs[judged]})
    qrels["iteration"] = rng.integers(0, n_intents, len(qrels)).astype(str)
    return run, qrels.assign(relevance=rng.integers(1, 4, len(qrels)))


def nuggets(
    n_queries: int, n_passages: int, n_nuggets: int, share: float = 0.05, seed: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make a run of passages, and qrels where each passage has each nugget of its query with this probability."""
    rng = np.random.default_rng(seed)
    rows = np.arange(n_queries * n_passages)
    run = pd.DataFrame({"query_id": [f"q{row // n_passages}" for row in rows], "doc_id": [f"p{row}" for row in rows]})
    row, nugget = np.nonzero(rng.random((len(run), n_nuggets)) < share)
    qrels = run.iloc[row].reset_index(drop=True).assign(iteration=nugget.astype(str), relevance=1)
    return run.assign(score=rng.random(len(run))), qrels
