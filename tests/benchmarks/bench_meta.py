"""Statistics of 129 systems on 50 topics, beside scipy: ``pytest tests/benchmarks/bench_meta.py -s``.

On a machine that others use too, ``OPENBLAS_NUM_THREADS=1`` keeps threads of the matrix products from waiting for each
other.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, permutation_test

from pyterrier_diversity.meta.correlation.orderings import correlate
from pyterrier_diversity.meta.scores import Scores
from pyterrier_diversity.meta.significance.tests import design, studentised
from pyterrier_diversity.meta.significance.tests import tested as p_and_intervals
from timing import peak_mb, seconds


@pytest.fixture(scope="module")
def values(shared) -> np.ndarray:
    """Return AP of the systems of TREC-8, shape (systems, topics)."""
    return pd.read_csv(shared / "scores" / "adhoc8_ap.csv").to_numpy(float).T


def p_values_of(values: np.ndarray, test: str, n_trials: int) -> np.ndarray:
    systems, topics = ([str(i) for i in range(length)] for length in values.shape)
    options = {"groups": "all", "alternative": "two-sided", "alpha": 0.05, "correction": None}
    options |= {"n_trials": n_trials, "rng": 1}
    how = design("bench", Scores(systems, topics, {}, systems, {}), test=test, **options)
    return p_and_intervals(values, *np.triu_indices(len(systems), 1), how).p


def report(what: str, ours: float, theirs: float, peer: str) -> None:
    print(f"\n{what}: {ours:.3f} s; {peer}: {theirs:.3f} s, {theirs / ours:.1f} times as long")


def range_of_means(*systems: np.ndarray, axis: int) -> np.ndarray:
    means = np.stack([values.mean(axis=axis) for values in systems])
    return means.max(axis=0) - means.min(axis=0)


def test_randomised_hsd(benchmark, values):
    def scipy() -> object:
        return permutation_test(
            tuple(values),
            range_of_means,
            permutation_type="samples",
            alternative="greater",
            vectorized=True,
            n_resamples=5000,
            batch=100,
            axis=-1,
            random_state=1,
        )

    benchmark.pedantic(p_values_of, (values, "tukey-randomised", 5000), rounds=5, warmup_rounds=1)
    report("Randomised HSD, B = 5,000", benchmark.stats.stats.min, seconds(scipy), "scipy.stats.permutation_test")


def test_memory_of_randomised_hsd(benchmark, values):
    benchmark.pedantic(p_values_of, (values, "tukey-randomised", 100_000), rounds=1)
    peak = peak_mb(p_values_of, values, "tukey-randomised", 100_000)
    print(f"\nRandomised HSD, B = 100,000: at most {peak:.0f} MB")


def test_paired_bootstrap(benchmark, values):
    first, second = np.triu_indices(len(values), 1)

    def pair_by_pair() -> None:
        rng = np.random.default_rng(1)
        for i, j in zip(first, second, strict=True):
            z = values[i] - values[j]
            resampled = (z - z.mean())[rng.integers(len(z), size=(1000, len(z)))]
            (np.abs(studentised(resampled)) >= abs(studentised(z))).mean()

    benchmark.pedantic(p_values_of, (values, "bootstrap", 1000), rounds=5, warmup_rounds=1)
    report(
        f"Bootstrap of {len(first)} pairs", benchmark.stats.stats.min, seconds(pair_by_pair, rounds=1), "pair by pair"
    )


def test_tau_of_200_rankings(benchmark, values):
    rng = np.random.default_rng(1)
    rankings = np.array([values[:, rng.integers(values.shape[1], size=25)].mean(axis=1) for _ in range(200)])
    pairs = list(zip(*np.triu_indices(len(rankings), 1), strict=True))

    ours = benchmark.pedantic(correlate, (rankings, rankings), rounds=5, warmup_rounds=1)
    theirs = seconds(lambda: [kendalltau(rankings[i], rankings[j]) for i, j in pairs], rounds=1)
    report(f"tau of {len(pairs)} pairs of rankings", benchmark.stats.stats.min, theirs, "scipy.stats.kendalltau")
    assert ours[0, 1] == pytest.approx(kendalltau(rankings[0], rankings[1]).statistic, abs=1e-12)
