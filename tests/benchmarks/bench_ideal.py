"""Proven optima of all TREC Web topics: ``pytest tests/benchmarks/bench_ideal.py -s``.

Printed are how long the proofs take, and how often and by how much the greedy ideals miss them.
"""

import time

import numpy as np
import pytest

from pyterrier_diversity import alpha_nDCG, alpha_nDCG_exact
from pyterrier_diversity.ideal import Covers, NotProvenError, exact_order, greedy_places, log_discount
from pyterrier_diversity.judged import judge, relevance_by_query

YEARS = range(2009, 2015)


@pytest.fixture(scope="module")
def topics(trec_qrels) -> dict[str, np.ndarray]:
    """Return the relevance (documents by descending name, intents) of each topic."""

    queries = (query for year in YEARS for query in relevance_by_query(judge(trec_qrels(year))))
    return {query.query_id: query.matrix for query in queries}


def alpha_dcg(relevant: np.ndarray, docs: np.ndarray, alpha: float) -> float:
    ranked = relevant[docs]
    gains = (ranked * (1 - alpha) ** (np.cumsum(ranked, axis=0) - ranked)).sum(axis=1)
    return float(gains @ log_discount(np.arange(1.0, len(gains) + 1)))


def greedily(relevant: np.ndarray, alpha: float, depth: int | None) -> np.ndarray:
    """Return the greedy order of a topic's documents."""
    doc, intent = np.nonzero(relevant)
    queries, worth = np.zeros(len(relevant), dtype=int), np.ones(len(doc))
    places = greedy_places(queries, doc, intent, worth, alpha=alpha, depth=depth)
    return np.argsort(places)[np.count_nonzero(places == 0) :]


def test_smallest_covers_of_all_topics(benchmark, topics):
    def search() -> dict[str, tuple[int, int]]:
        covers = {query_id: Covers(*np.nonzero(relevant)) for query_id, relevant in topics.items()}
        return {
            query_id: (len(cover.greedy(cover.n_intents)), len(cover.exact(cover.n_intents)))
            for query_id, cover in covers.items()
        }

    sizes = benchmark(search)

    missed = [query_id for query_id, (greedy, exact) in sizes.items() if exact < greedy]
    print(f"\nminRank of {len(sizes)} topics: greedy is too long on {len(missed)} ({', '.join(sorted(missed))})")


@pytest.mark.parametrize(("n_docs", "n_intents", "share"), [(60, 100, 0.05), (60, 100, 0.1), (200, 100, 0.05)])
def test_a_smallest_cover_of_many_intents(benchmark, n_docs, n_intents, share):
    relevant = np.random.default_rng(1).random((n_docs, n_intents)) < share

    def search() -> tuple[int, int]:
        cover = Covers(*np.nonzero(relevant))
        return len(cover.greedy(cover.n_intents)), len(cover.exact(cover.n_intents))

    greedy, exact = benchmark.pedantic(search, rounds=3)
    print(f"\nminRank of {n_docs} documents x {n_intents} intents: {exact}, greedy {greedy}")


@pytest.mark.parametrize(("alpha", "depth"), [(0.5, 20), (0.1, 20), (0.9, 20), (0.5, 10), (0.5, 50), (0.5, None)])
def test_best_rankings_of_all_topics(benchmark, topics, alpha, depth):
    slowest, excess, unproven = 0.0, [], []

    def search() -> None:
        nonlocal slowest
        for query_id, relevant in topics.items():
            started = time.perf_counter()
            try:
                best = exact_order(
                    *np.nonzero(relevant),
                    n_docs=len(relevant),
                    alpha=alpha,
                    discount=log_discount,
                    depth=depth,
                    time_limit=10.0,
                )
            except NotProvenError:
                unproven.append(query_id)
                continue
            slowest = max(slowest, time.perf_counter() - started)
            greedy = greedily(relevant, alpha, depth)
            excess.append(alpha_dcg(relevant, best, alpha) / alpha_dcg(relevant, greedy, alpha) - 1)

    benchmark.pedantic(search, rounds=1)
    missed = [value for value in excess if value > 1e-9]
    print(
        f"\nalpha-DCG(alpha={alpha})@{depth} of {len(topics)} topics: {benchmark.stats.stats.total:.1f} s, "
        f"{slowest:.2f} s at most; greedy is off on {len(missed)}, by {max(excess):.2%} at most; "
        f"not proven within 10 s: {len(unproven)}"
    )


def test_optima_are_found_once_for_all_runs(benchmark, trec_qrels, trec_run):
    measures = [alpha_nDCG @ 20, alpha_nDCG_exact @ 20]
    run = trec_run("2012/rm.catb")
    times = []
    for _ in range(2):
        started = time.perf_counter()
        values = {str(measure): measure.calc_aggregate(trec_qrels(2012), run) for measure in measures}
        times.append(time.perf_counter() - started)
    print(f"\n{values}: {times[0]:.2f} s, then {times[1]:.3f} s")

    benchmark.pedantic(lambda: (alpha_nDCG_exact @ 20).calc_aggregate(trec_qrels(2012), run), rounds=3)
