"""What an exact search raises when it is out of time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class NotProvenError(TimeoutError):
    """An optimum that could not be proven within the time limit.

    Parameters
    ----------
    what : str
        What was searched for.
    best : float
        The best value that was found.
    bound : float
        What the optimum was proven not to be better than.
    time_limit : float
        The limit, in seconds.

    Attributes
    ----------
    best, bound : float
        As given: the optimum lies between them.
    """

    def __init__(self, what: str, *, best: float, bound: float, time_limit: float) -> None:
        super().__init__(what)
        self.what, self.best, self.bound, self.time_limit = what, best, bound, time_limit

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the attributes where the error comes from another process."""
        return _rebuilt, (self.what, self.best, self.bound, self.time_limit)

    def __str__(self) -> str:
        """Say what is known, and what to do."""
        return (
            f"{self.what} could not be proven within {self.time_limit:g} seconds: the best found is {self.best:.12g}, "
            f"and it is proven only that none is better than {self.bound:.12g}. Give it more time with time_limit, or "
            "use the greedy ideal."
        )


def _rebuilt(what: str, best: float, bound: float, time_limit: float) -> NotProvenError:
    return NotProvenError(what, best=best, bound=bound, time_limit=time_limit)


@contextmanager
def naming(query_id: str) -> Iterator[None]:
    """Name the query in a `NotProvenError`."""
    try:
        yield
    except NotProvenError as error:
        error.what = f"Query {query_id!r}: {error.what[0].lower()}{error.what[1:]}"
        raise
