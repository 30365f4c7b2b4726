"""The error for an exact search that runs out of time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class NotProvenError(TimeoutError):
    """An optimum could not be proven within the time limit.

    Parameters
    ----------
    what : str
        The name of the optimum, with which the message begins.
    best : float
        The best value found.
    bound : float
        The proven bound on the optimum.
    time_limit : float
        The limit, in seconds.

    Attributes
    ----------
    best, bound : float
        The optimum lies between them.
    """

    def __init__(self, what: str, best: float, bound: float, time_limit: float) -> None:
        super().__init__(what)
        self.what, self.best, self.bound, self.time_limit = what, best, bound, time_limit

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the attributes when the error comes from another process."""
        return NotProvenError, (self.what, self.best, self.bound, self.time_limit)

    def __str__(self) -> str:
        """Return the message."""
        return (
            f"{self.what} could not be proven within {self.time_limit:g} seconds: the best value found is "
            f"{self.best:.12g}, and the proven bound is {self.bound:.12g}. Increase time_limit, or use the greedy "
            "ideal."
        )


@contextmanager
def naming(query_id: str) -> Iterator[None]:
    """Add the query to the message of a `NotProvenError`."""
    try:
        yield
    except NotProvenError as error:
        error.what = f"Query {query_id!r}: {error.what[0].lower()}{error.what[1:]}"
        raise
