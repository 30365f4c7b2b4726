"""Long loops: in parallel through joblib, with progress; results as they are finished, workers may die."""

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

# What the calls of this process share with their tasks, those used last.
_shared: dict[str, Any] = {}
_MOST_SHARED = 4

# What a worker has computed is here by then, or it is lost.
_SECONDS_OF_TRANSFER = 5


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
    dispatched = progress(tasks, what)
    if _alone(n_jobs):
        return [function(*task) for task in dispatched]
    import joblib

    results: list[T] = joblib.Parallel(n_jobs=n_jobs)(joblib.delayed(function)(*task) for task in dispatched)
    return results


def as_finished(
    function: Callable[..., T], shared: Any, tasks: Iterable[tuple[K, tuple[Any, ...]]], *, n_jobs: int | None
) -> Iterator[tuple[K, T | Exception]]:
    """Call a function with what all tasks share and the arguments of each, and yield results as they are finished.

    What is shared travels to a worker once, not with each task. If a worker dies, those tasks that were under way are
    called again, one by one; a task that ends a worker again, or raises again, has the exception as its result. Where
    joblib's backend gives no result before the last one (multiprocessing, Ray), it is given some tasks at a time.

    Parameters
    ----------
    function : callable
        At the top of a module, so that other processes find it. In this process, its exceptions are raised.
    shared : object
        Its first argument, which can be pickled.
    tasks : iterable of pairs
        The key and the further arguments of each call. Read as workers become free: when it ends, what is under way is
        finished.
    n_jobs : int, optional
        As of ``joblib.Parallel``: workers, all cores if -1; what ``joblib.parallel_config`` says if None.
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
    """What tasks share, pickled once and only if it must travel to another process."""

    def __init__(self, shared: Any = None, content: bytes | None = None) -> None:
        self._shared, self._content = shared, content

    def __reduce__(self) -> tuple[Any, ...]:
        if self._content is None:
            self._content = pickle.dumps(self._shared, protocol=pickle.HIGHEST_PROTOCOL)
        return type(self), (None, self._content)

    def opened(self) -> Any:
        """Return what is inside."""
        return self._shared if self._content is None else pickle.loads(self._content)


class _Unknown:
    """The answer of a worker that does not have what the tasks share."""


class _Calls(Generic[K, T]):
    """The calls of a function with what they share, of which some are under way."""

    def __init__(self, function: Callable[..., T], shared: Any, n_jobs: int | None) -> None:
        self._function, self._n_jobs = function, n_jobs
        self._token = uuid.uuid4().hex
        self._parcel = _Parcel(shared)
        # Threads find it there.
        _shared[self._token] = shared
        # So many tasks are handed out at first, and to so many the parcel is attached before one goes without it:
        # nobody knows which worker will take them.
        self._n_first = self._owed = 0
        self._under_way: dict[K, tuple[Any, ...]] = {}
        self._again: deque[tuple[K, tuple[Any, ...]]] = deque()

    def end(self) -> None:
        """Forget what the tasks share."""
        _shared.pop(self._token, None)

    def given_up(self) -> list[tuple[K, tuple[Any, ...]]]:
        """Return the tasks that were under way when a worker died, which are under way no more."""
        tasks = list(self._under_way.items())
        self._under_way.clear()
        return tasks

    def finished(self, tasks: Iterator[tuple[K, tuple[Any, ...]]]) -> Iterator[tuple[K, T | Exception]]:
        """Yield results until there is no task left, or raise what ended a worker."""
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
        """Yield what joblib's workers answer, in the order in which they do."""
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
        """Yield what the workers of a Dask cluster answer, through its own client.

        Dask calls again what dead workers were at. A result that is lost with a worker, between its end and its way
        here, can be waited for in vain (joblib's backend does, for ever): its task is handed out again.
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
    """Call a function in a worker, which keeps what the tasks share."""
    key, task = keyed
    if token not in _shared:
        if parcel is None:
            return key, _Unknown()
        while len(_shared) >= _MOST_SHARED:
            _shared.pop(next(iter(_shared)), None)
        _shared[token] = parcel.opened()
    return key, function(_shared[token], *task)


def _alone(n_jobs: int | None) -> bool:
    """Tell whether this process does the work, so that joblib is not needed."""
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of workers, or -1 for all cores, not 0.")
    # What joblib was told to do, it was told after its import.
    return n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules)
