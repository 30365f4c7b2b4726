"""Random numbers that a seed reproduces."""

from collections.abc import Hashable

import numpy as np

# The source of random numbers: a generator or its seed; None for a new generator each time.
Rng = np.random.Generator | int | None


def generator_of(rng: Rng) -> np.random.Generator:
    """Return the generator that ``rng`` is or seeds."""
    try:
        return np.random.default_rng(rng)
    except (ValueError, TypeError) as error:
        raise ValueError(f"rng must be an integer >= 0, a numpy.random.Generator or None, not {rng!r}.") from error


def seed_of(rng: Rng) -> dict[Hashable, int]:
    """Return the seed for the attributes of a table, or nothing if ``rng`` is a generator or None."""
    return {"seed": int(rng)} if isinstance(rng, (int, np.integer)) else {}
