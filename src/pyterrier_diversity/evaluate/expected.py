"""Expected values of measures over random orders of tied documents."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from ..frames import collected
from ..judged import Run, Ties
from ..parameters import Parameter, Parameters, Rng, checked, generator_of
from .evaluator import DiversityEvaluator

TiesOption = Literal["docno", "expected"]
SAMPLES: Parameters = {"samples": Parameter(int, 100, interval="[2, 1e6]")}


class Draws(NamedTuple):
    """The number of random orders, and the seed that reproduces them when given as ``rng``."""

    samples: int
    seed: int


def read_draws(who: str, ties: TiesOption, samples: int, rng: Rng) -> Draws | None:
    """Return the number of orders and the seed, or None if ties are broken by name.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if ties not in ("docno", "expected"):
        raise ValueError(f"{who}: ties must be 'docno' or 'expected', not {ties!r}.")
    samples = checked(who, SAMPLES, samples=samples)["samples"]
    if ties == "docno":
        return None
    generator = generator_of(rng)
    seed = rng if isinstance(rng, (int, np.integer)) else generator.integers(2**63)
    return Draws(samples, int(seed))


def sampled_values(evaluator: DiversityEvaluator, run: Run, draws: Draws | None) -> np.ndarray:
    """Return values of shape (measures, orders, queries); a run without ties has a single order.

    The orders of a query depend on the seed, its id and its documents, not on the rest of the run.
    """
    first, index = evaluator.values(run), evaluator.judgements.query_index
    if draws is None:
        return first[:, None]
    ties = Ties(run)
    tied = [query_id for query_id in ties.query_ids if query_id in index]
    if not tied:
        return first[:, None]
    root = int(generator_of(draws.seed).integers(2**63))
    generators = {name: np.random.default_rng([root, *name.encode("utf-8", "surrogatepass")]) for name in tied}
    with collected():  # the run's warnings were given above
        orders = [evaluator.values(ties.shuffled(generators)) for _ in range(draws.samples)]
    return np.stack(orders, axis=1)


def mean_and_error(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean over the first axis and its standard error, exactly 0 if all values are equal."""
    n, constant = len(values), (values == values[0]).all(axis=0)
    error = values.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.zeros(values.shape[1:])
    return np.where(constant, values[0], values.mean(axis=0)), np.where(constant, 0.0, error)
