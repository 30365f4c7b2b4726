"""Random trials: shuffles, flips of signs and resamples, in blocks that fit in memory and can be drawn again."""

from collections.abc import Iterator

import numpy as np

from ...randomness import Rng, generator_of
from ..scores import scale_of

# Number of values in memory at a time.
AT_ONCE = 2**20


def slices(length: int, n_cells: int, memory: int | None = None) -> list[slice]:
    """Divide indices into slices with ``n_cells`` numbers for each index, `AT_ONCE` or ``memory`` numbers together."""
    size = max(1, (memory or AT_ONCE) // n_cells)
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


# Trials in blocks: a seed for each block, and its number of trials. They can be drawn again.
Blocks = list[tuple[np.random.SeedSequence, int]]


def blocks_of(rng: Rng, n_trials: int, n_cells: int) -> Blocks:
    """Divide trials of ``n_cells`` numbers each into blocks that fit in memory."""
    sizes = [part.stop - part.start for part in slices(n_trials, n_cells)]
    # Its seeds can be drawn from again, and by any worker.
    (own,) = generator_of(rng).bit_generator.seed_seq.spawn(1)  # type: ignore[attr-defined]
    return list(zip(own.spawn(len(sizes)), sizes, strict=True))


def resamples(blocks: Blocks, n_queries: int) -> Iterator[np.ndarray]:
    """Return the queries of each trial, drawn with replacement: arrays of shape (trials of a block, n_queries)."""
    for seed, size in blocks:
        yield np.random.default_rng(seed).integers(n_queries, size=(size, n_queries))


def shuffle(values: np.ndarray, seed: np.random.SeedSequence, n_trials: int) -> np.ndarray:
    """Shuffle each query's values among the systems in each trial, shape (n_trials, n_queries, n_systems)."""
    return np.random.default_rng(seed).permuted(np.broadcast_to(values.T, (n_trials, *values.T.shape)), axis=-1)


def flips(blocks: Blocks, n_queries: int) -> Iterator[np.ndarray]:
    """Return 1 or -1 for each query of each trial, which is `shuffle` for the difference of two systems."""
    for seed, size in blocks:
        yield np.random.default_rng(seed).integers(2, size=(size, n_queries)) * 2.0 - 1.0


def all_flips(n_queries: int) -> np.ndarray:
    """Return all ways to flip the signs of the queries, shape (2**n_queries, n_queries)."""
    return (np.arange(2**n_queries)[:, None] >> np.arange(n_queries) & 1) * 2.0 - 1.0


def reached(statistics: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Count the trials in which each row's statistic is at least the observed one, rounded as that is."""
    per_unit = (1e10 / scale_of(observed))[..., None]  # `rounded` keeps so many units
    return np.count_nonzero(np.rint(statistics * per_unit) >= np.rint(observed[:, None] * per_unit), axis=-1)


def critical(statistics: np.ndarray, level: float) -> np.ndarray:
    """Return the value above which a statistic is significant, from trials along the last axis."""
    # A statistic is significant if the share of the trials that reach it is below the level.
    place = int(np.ceil(np.round(statistics.shape[-1] * level, 10)))
    return np.asarray(np.partition(statistics, -place, axis=-1)[..., -place])
