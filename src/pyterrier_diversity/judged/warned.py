"""Warnings to users. A call that evaluates many runs collects those about data."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_collecting: ContextVar[list[str] | None] = ContextVar("collecting", default=None)

# Warnings point to the user's line, not to lines of this package or its hosts.
_PACKAGES = (__name__.partition(".")[0], "pyterrier", "ir_measures")


def warn_user(message: str) -> None:
    """Warn at the user's line: the innermost one outside this package and its hosts."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PACKAGES:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)


def warn_of_data(message: str) -> None:
    """Warn about data, or collect the message."""
    messages = _collecting.get()
    if messages is None:
        warn_user(message)
    else:
        messages.append(message)


def give(messages: Iterable[str], strict: bool) -> None:
    """Give the warnings that were collected, or raise the first as a ``ValueError``."""
    for message in messages:
        if strict:
            raise ValueError(message)
        warn_user(message)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Collect warnings about data in this thread instead of showing them: those of a worker process would be lost."""
    messages: list[str] = []
    token = _collecting.set(messages)
    try:
        yield messages
    finally:
        _collecting.reset(token)
