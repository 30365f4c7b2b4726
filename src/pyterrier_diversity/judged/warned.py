"""Warnings about data: given to the user at once, or collected by a call that evaluates many runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_collecting: ContextVar[list[str] | None] = ContextVar("collecting", default=None)


def warn_of_data(message: str) -> None:
    """Warn of data, or add the message to those that are being collected."""
    messages = _collecting.get()
    if messages is None:
        warnings.warn(message, UserWarning, stacklevel=3)
    else:
        messages.append(message)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Collect warnings about data in this thread instead of giving them: a worker's would reach nobody."""
    messages: list[str] = []
    token = _collecting.set(messages)
    try:
        yield messages
    finally:
        _collecting.reset(token)
