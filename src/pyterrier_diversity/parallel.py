"""Run long loops in parallel with joblib and a progress bar, even if workers die."""

from __future__ import annotations

import pickle
import sys
import uuid
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar

from .progress import progress

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

# The objects that calls share with their tasks in this process, most recent last.
_shared: dict[str, Any] = {}
_MOST_SHARED = 4

# Seconds after which a result that has not arrived from its worker is considered lost.
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

    results: list[T] = joblib.Parallel(n_jobs=n_jobs)(joblib.delayed(function)(*task) for task in dispatched)
    return results


def as_finished(
    function: Callable[..., T], shared: Any, tasks: Iterable[tuple[K, tuple[Any, ...]]], *, n_jobs: int | None
) -> Iterator[tuple[K, T | Exception]]:
    """Call a function with a shared object and the arguments of each task, and yield results as they finish.

    The shared object is sent to each worker once, not with each task. If a worker dies, the unfinished tasks are called
    again, one by one. If a task kills its worker or raises again, its result is the exception. Backends that return all
    results at the end (multiprocessing, Ray) get a few tasks at a time.

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
        for key, task in tasks:
            yield key, function(shared, *task)
        return
    calls: _Calls[K, T] = _Calls(function, shared, n_jobs)
    left = iter(tasks)
    try:
        while True:
            try:
                yield from calls.finished(left)
                return
            except Exception:
                under_way = calls.given_up()
            for key, task in under_way:
                try:
                    yield from calls.finished(iter([(key, task)]))
                except Exception as error:
                    calls.given_up()
                    yield key, error
    finally:
        calls.end()


class _Parcel:
    """The object that tasks share, pickled once, and only if another process needs it."""

    def __init__(self, shared: Any = None, content: bytes | None = None) -> None:
        self._shared, self._content = shared, content

    def __reduce__(self) -> tuple[Any, ...]:
        if self._content is None:
            self._content = pickle.dumps(self._shared, protocol=pickle.HIGHEST_PROTOCOL)
        return type(self), (None, self._content)

    def opened(self) -> Any:
        """Return the shared object."""
        return self._shared if self._content is None else pickle.loads(self._content)


class _Unknown:
    """The answer of a worker that does not have the shared object."""


class _Calls(Generic[K, T]):
    """Calls of a function with a shared object, some of which are under way."""

    def __init__(self, function: Callable[..., T], shared: Any, n_jobs: int | None) -> None:
        self._function, self._n_jobs = function, n_jobs
        self._token = uuid.uuid4().hex
        self._parcel = _Parcel(shared)
        # For threads.
        _shared[self._token] = shared
        # The number of tasks handed out at first, and of those that still carry the parcel. Because any worker may take
        # a task, all of the first tasks carry it.
        self._n_first = self._owed = 0
        self._under_way: dict[K, tuple[Any, ...]] = {}
        self._again: deque[tuple[K, tuple[Any, ...]]] = deque()

    def end(self) -> None:
        """Forget the shared object."""
        _shared.pop(self._token, None)

    def given_up(self) -> list[tuple[K, tuple[Any, ...]]]:
        """Return the tasks that were under way when a worker died, and forget them."""
        tasks = list(self._under_way.items())
        self._under_way.clear()
        return tasks

    def finished(self, tasks: Iterator[tuple[K, tuple[Any, ...]]]) -> Iterator[tuple[K, T | Exception]]:
        """Yield results until no task is left, or raise the exception that ended a worker."""
        while True:
            for key, result in self._results(tasks):
                task = self._under_way.pop(key)
                if isinstance(result, _Unknown):
                    self._owed = self._n_first
                    self._again.append((key, task))
                else:
                    yield key, result
            if not self._again:
                return

    def _results(self, tasks: Iterator[tuple[K, tuple[Any, ...]]]) -> Iterator[tuple[K, Any]]:
        """Yield the answers of joblib's workers as they arrive."""
        import joblib

        client = getattr(joblib.parallel.get_active_backend()[0], "client", None)
        n_jobs = joblib.effective_n_jobs(self._n_jobs)
        self._owed = self._n_first = 2 * n_jobs
        if client is not None:
            yield from self._results_of_dask(client, self._handed_out(tasks))
            return
        calls = (joblib.delayed(_answer)(*self._arguments(keyed)) for keyed in self._handed_out(tasks))
        try:
            parallel = joblib.Parallel(n_jobs=self._n_jobs, batch_size=1, return_as="generator_unordered")
        except ValueError:  # a backend, or a joblib before 1.4, that cannot
            with joblib.Parallel(n_jobs=self._n_jobs, batch_size=1) as parallel:
                while some := list(islice(calls, 4 * n_jobs)):
                    yield from parallel(some)
        else:
            yield from parallel(calls)

    def _results_of_dask(self, client: Any, tasks: Iterator[tuple[K, tuple[Any, ...]]]) -> Iterator[tuple[K, Any]]:
        """Yield the answers of a Dask cluster's workers, through its own client.

        Dask repeats the tasks of dead workers. But if a worker dies with a finished result, joblib's backend waits for
        the result forever. Here, the task is handed out again.
        """
        from distributed import TimeoutError, as_completed

        done = as_completed(loop=client.loop)

        def hand_out(n_tasks: int) -> None:
            for keyed in islice(tasks, n_tasks):
                future = client.submit(_answer, *self._arguments(keyed), pure=False)
                future.task = keyed[0]
                done.add(future)

        hand_out(self._n_first)
        for future in done:
            try:
                answer = future.result(timeout=_SECONDS_OF_TRANSFER)
            except TimeoutError:
                self._again.append((future.task, self._under_way[future.task]))
                answer = None
            except Exception as error:
                answer = future.task, error
            if answer is not None:
                yield answer
            hand_out(1)

    def _handed_out(self, tasks: Iterator[tuple[K, tuple[Any, ...]]]) -> Iterator[tuple[K, tuple[Any, ...]]]:
        while True:
            key, task = self._again.popleft() if self._again else next(tasks, (None, None))
            if key is None or task is None:
                return
            self._under_way[key] = task
            yield key, task

    def _arguments(self, keyed: tuple[K, tuple[Any, ...]]) -> tuple[Any, ...]:
        self._owed -= 1
        return self._function, self._token, self._parcel if self._owed >= 0 else None, keyed


def _answer(
    function: Callable[..., T], token: str, parcel: _Parcel | None, keyed: tuple[K, tuple[Any, ...]]
) -> tuple[K, T | _Unknown]:
    """Call a function in a worker, which keeps the shared object."""
    key, task = keyed
    if token not in _shared:
        if parcel is None:
            return key, _Unknown()
        while len(_shared) >= _MOST_SHARED:
            _shared.pop(next(iter(_shared)), None)
        _shared[token] = parcel.opened()
    return key, function(_shared[token], *task)


def _alone(n_jobs: int | None) -> bool:
    """Tell whether this process does the work alone, without joblib."""
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of workers, or -1 for all cores, not 0.")
    # joblib.parallel_config can only have been called if joblib is imported.
    return n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules)
