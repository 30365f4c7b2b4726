"""Run long loops in parallel with joblib and a progress bar."""

import operator
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from .progress import progress_bar

K = TypeVar("K")
T = TypeVar("T")
Task = tuple[str, tuple[Any, ...]]

# In a worker, the object that the tasks of the last call share, by the name of the call.
_loaded: dict[str, Any] = {}


def in_parallel(function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], *, what: str) -> list[T]:
    """Call a function with the arguments of each task, with a progress bar, and return the results in order.

    ``joblib.parallel_config`` sets the number of workers.

    Parameters
    ----------
    function : callable
        A function at the top level of a module, so that other processes can import it.
    tasks : sequence of tuple
        The arguments of each call.
    what : str
        The title of the progress bar.
    """
    n_workers = enough_workers(len(tasks))
    numbered = as_finished(operator.call, function, enumerate(tasks), n_workers=n_workers)
    found = dict(progress_bar(len(tasks), what, iterable=numbered))
    return [found[number] for number in range(len(tasks))]


def as_finished(
    function: Callable[..., T], shared: Any, tasks: Iterable[tuple[K, tuple[Any, ...]]], *, n_workers: int
) -> Iterator[tuple[K, T]]:
    """Call a function with a shared object and the arguments of each task, and yield results as they finish.

    Each worker loads the shared object once. An exception in a worker, or its death, ends the call with joblib's error.

    Parameters
    ----------
    function : callable
        A function at the top level of a module, so that other processes can import it.
    shared : object
        The first argument, which must be picklable if there are workers.
    tasks : iterable of pairs
        The key and the further arguments of each call. They are read as workers become free.
    n_workers : int
        Number of workers; with 1, this process does the work.
    """
    if n_workers == 1:
        yield from ((key, function(shared, *arguments)) for key, arguments in tasks)
        return
    import uuid

    import joblib
    import numpy as np

    # Plain pickle sends classes of a notebook or script by their names, which workers do not know.
    whole = joblib.wrap_non_picklable_objects(shared, keep_wrapper=False)
    # joblib writes a large array to a file, which its workers map into memory, or sends it once to a cluster.
    pickled = np.frombuffer(pickle.dumps(whole), dtype=np.uint8)
    name = uuid.uuid4().hex
    calls = (joblib.delayed(_call)(function, name, pickled, *task) for task in tasks)
    try:
        parallel = joblib.Parallel(n_jobs=n_workers, return_as="generator_unordered")
    except ValueError:  # multiprocessing and Ray return all results at the end: they get a few calls at a time
        with joblib.Parallel(n_jobs=n_workers) as parallel:
            while some := list(islice(calls, 4 * n_workers)):
                yield from parallel(some)
    else:
        with parallel:
            with _without_interrupts():
                results = parallel(calls)
            yield from results


def _call(function: Callable[..., T], name: str, pickled: Any, key: K, arguments: tuple[Any, ...]) -> tuple[K, T]:
    shared = _loaded.get(name)
    if shared is None:
        shared = pickle.loads(pickled)
        _loaded.clear()
        _loaded[name] = shared
    return key, function(shared, *arguments)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Keep Ctrl-C for later. Workers that start meanwhile never get it: the main process ends, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # workers start it, which would end the wait
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def enough_workers(n_tasks: int, n_jobs: int | None = None) -> int:
    """Return a number of workers with a task and a core for each: joblib starts as many as it is told to."""
    # joblib takes long to import, and only a program that has imported it can have called joblib.parallel_config.
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
        return 1
    import joblib

    n_cores = max(joblib.effective_n_jobs(-1), 2)
    try:
        n_wanted = joblib.effective_n_jobs(n_jobs)
    except ValueError as error:  # 0, here or in joblib.parallel_config
        raise ValueError("n_jobs must be a number of workers, or -1 for all cores, not 0.") from error
    return max(1, min(n_wanted, n_cores, n_tasks))
