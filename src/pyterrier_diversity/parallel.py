"""Long loops: in parallel through joblib, with progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .progress import progress

T = TypeVar("T")


def in_parallel(
    function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], *, n_jobs: int | None, what: str
) -> list[T]:
    """Call a function with the arguments of each task, through joblib, with progress.

    Parameters
    ----------
    function : callable
        At the top of a module, so that other processes find it.
    tasks : sequence of tuple
        Arguments of each call.
    n_jobs : int, optional
        As of ``joblib.Parallel``: workers, all cores if -1; what ``joblib.parallel_config`` says if None.
    what : str
        What the progress bar is called.
    """
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of workers, or -1 for all cores, not 0.")
    dispatched = progress(tasks, what)
    # What joblib was told to do, it was told after its import.
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
        return [function(*task) for task in dispatched]
    import joblib

    results: list[T] = joblib.Parallel(n_jobs=n_jobs)(joblib.delayed(function)(*task) for task in dispatched)
    return results
