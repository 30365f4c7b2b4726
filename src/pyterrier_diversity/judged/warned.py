"""Warnings: given to the user at once, or, of data, collected by a call that evaluates many runs."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_collecting: ContextVar[list[str] | None] = ContextVar("collecting", default=None)

# Lines of this package and of its hosts tell a user nothing.
_PACKAGES = (__name__.partition(".")[0], "pyterrier", "ir_measures")


def warn_user(message: str) -> None:
    """Warn at the user's line: the last one called that is neither of this package nor of its hosts."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PACKAGES:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)


def warn_of_data(message: str) -> None:
    """Warn of data, or add the message to those that are being collected."""
    messages = _collecting.get()
    if messages is None:
        warn_user(message)
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
