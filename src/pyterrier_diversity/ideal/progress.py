"""A progress bar for searches that take long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def progress(queries: Iterable[T], what: str) -> Iterable[T]:
    """Yield the queries; a bar appears if they take longer than two seconds."""
    import pyterrier as pt

    bar: Iterable[T] = pt.tqdm(queries, desc=what, unit="query", delay=2, leave=False)
    return bar
