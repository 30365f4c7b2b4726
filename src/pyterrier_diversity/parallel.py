"""Run long loops in parallel with joblib and a progress bar, even if workers die."""

from __future__ import annotations

import pickle
import signal
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

from .progress import progress

T = TypeVar("T")
Task = tuple[str, tuple[Any, ...]]
_Call = tuple[Callable[..., Any], "_Shared", Task]

# In a worker, the object that the tasks of the last call share, by the name of the call.
_loaded: dict[str, _Shared] = {}

# Seconds after which a finished result that has not arrived from its worker is considered lost.
_SECONDS_OF_TRANSFER = 5


def in_parallel(
    function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], *, n_jobs: int | None, what: str
) -> list[T]:
    """Call a function with the arguments of each task, with a progress bar.

    Parameters
    ----------
    function : callable
        A function at the top level of a module, so that other processes can import it.
    tasks : sequence of tuple
        The arguments of each call.
    n_jobs : int, optional
        Number of workers, as in ``joblib.Parallel``; -1 for all cores, None for the setting of
        ``joblib.parallel_config``.
    what : str
        The title of the progress bar.
    """
    dispatched = progress(tasks, what)
    if _alone(n_jobs):
        return [function(*task) for task in dispatched]
    import joblib

    calls = (joblib.delayed(function)(*task) for task in dispatched)
    return list(_of_joblib(calls, len(tasks), return_as="generator", n_jobs=at_most(len(tasks), n_jobs)))


def as_finished(
    function: Callable[..., T], shared: Any, tasks: Iterable[Task], *, n_jobs: int | None
) -> Iterator[tuple[str, T | Exception]]:
    """Call a function with a shared object and the arguments of each task, and yield results as they finish.

    Each worker loads the shared object once. If a worker dies, the unfinished tasks are called again, one by one. If a
    task kills its worker or raises again, its result is the exception. Backends that return all results at the end
    (multiprocessing, Ray) get a few tasks at a time.

    Parameters
    ----------
    function : callable
        A function at the top level of a module, so that other processes can import it. Without other processes, its
        exceptions are raised.
    shared : object
        The first argument, which must be picklable.
    tasks : iterable of pairs
        The key and the further arguments of each call. They are read as workers become free.
    n_jobs : int, optional
        Number of workers, as in ``joblib.Parallel``; -1 for all cores, None for the setting of
        ``joblib.parallel_config``.
    """
    if _alone(n_jobs):
        for key, arguments in tasks:
            yield key, function(shared, *arguments)
        return
    calls = ((function, given, task) for given in [_Shared(shared)] for task in tasks)
    while True:
        under_way: dict[str, _Call] = {}
        try:
            yield from _results(calls, under_way, n_jobs)
            return
        except Exception:
            if not under_way:
                raise
        for key, call in list(under_way.items()):
            try:
                yield from _results(iter([call]), {}, n_jobs)
            except Exception as error:
                yield key, error


class _Shared:
    """An object that is pickled at most once, and that each worker loads once."""

    def __init__(self, shared: Any) -> None:
        self.shared, self._call = shared, uuid.uuid4().hex

    @cached_property
    def _content(self) -> Any:
        import joblib
        import numpy as np

        # Plain pickle sends classes of a notebook or script by their names, which workers do not know.
        whole = joblib.wrap_non_picklable_objects(self.shared, keep_wrapper=False)
        # joblib writes a large array to a file, which its workers map into memory.
        return np.frombuffer(pickle.dumps(whole, protocol=pickle.HIGHEST_PROTOCOL), dtype=np.uint8)

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (self._call, self._content)


def _load(call: str, content: Any) -> _Shared:
    if call not in _loaded:
        _loaded.clear()
        _loaded[call] = _Shared(pickle.loads(content))
    return _loaded[call]


def _results(calls: Iterator[_Call], under_way: dict[str, _Call], n_jobs: int | None) -> Iterator[tuple[str, Any]]:
    """Yield results as they arrive, or raise the exception that ended a worker and keep the calls ``under_way``."""
    import joblib

    client = getattr(joblib.parallel.get_active_backend()[0], "client", None)
    begun = (under_way.setdefault(call[2][0], call) for call in calls)
    if client is None:
        delayed = (joblib.delayed(_call)(*call) for call in begun)
        several = 4 * joblib.effective_n_jobs(n_jobs)
        results = _of_joblib(delayed, several, return_as="generator_unordered", n_jobs=n_jobs, batch_size=1)
    else:
        results = _of_dask(begun, client)
    for key, result in results:
        del under_way[key]
        yield key, result


def _of_joblib(calls: Iterator[Any], at_a_time: int, *, return_as: str, **how: Any) -> Iterator[Any]:
    """Yield the results of joblib's workers; those that return all at the end get a few calls at a time."""
    import joblib

    try:
        parallel = joblib.Parallel(return_as=return_as, **how)
    except ValueError:  # multiprocessing and Ray
        while some := list(islice(calls, at_a_time)):
            yield from joblib.Parallel(**how)(some)
    else:
        with parallel:
            with _without_interrupts():
                results = parallel(calls)
            yield from results


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


def _of_dask(calls: Iterator[_Call], client: Any) -> Iterator[tuple[str, Any]]:
    """Yield the results of a Dask cluster, which repeats the calls of dead workers.

    If a worker dies with a finished result, joblib's backend waits for it forever. Here, the call is handed out again.
    """
    from distributed import TimeoutError, as_completed

    done = as_completed(loop=client.loop)
    sent: Any = None

    def hand_out(calls: Iterable[_Call]) -> None:
        nonlocal sent
        for call in calls:
            function, given, task = call
            sent = sent or client.submit(lambda shared: shared, given, pure=False)
            future = client.submit(_call, function, sent, task, pure=False)
            future.call = call
            done.add(future)

    hand_out(islice(calls, 2 * sum(client.ncores().values())))
    for future in done:
        try:
            result = future.result(timeout=_SECONDS_OF_TRANSFER)
        except TimeoutError:
            hand_out([future.call])
        else:
            future.release()  # otherwise Dask computes it again if its worker dies
            hand_out(islice(calls, 1))
            yield result


def _call(function: Callable[..., T], given: _Shared, task: Task) -> tuple[str, T]:
    key, arguments = task
    return key, function(given.shared, *arguments)


def at_most(n_tasks: int, n_jobs: int | None) -> int | None:
    """Return a number of workers with a task and a core for each: joblib starts as many as it is told to."""
    if n_jobs is None or n_jobs in (0, 1):
        return n_jobs
    if n_tasks < 2:
        return 1
    import joblib

    wanted = n_jobs if n_jobs > 0 else joblib.effective_n_jobs(n_jobs)
    return int(min(wanted, max(joblib.effective_n_jobs(-1), 2), n_tasks))


def _alone(n_jobs: int | None) -> bool:
    """Tell whether this process does the work alone, without joblib."""
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of workers, or -1 for all cores, not 0.")
    # joblib.parallel_config can only have been called if joblib is imported.
    return n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules)
