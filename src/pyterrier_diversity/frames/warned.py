"""Warnings about data, each of a kind that can be ignored or be an error. Calls with many runs collect them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_collecting: ContextVar[list[Message] | None] = ContextVar("collecting", default=None)
# The kinds of warnings that are not shown, even where they would be errors.
ignored: ContextVar[frozenset[str]] = ContextVar("ignored", default=frozenset())

# Warnings point to the user's line, not to lines of this package, of its hosts, or of what ends a `with` statement.
_PACKAGES = (__name__.partition(".")[0], "pyterrier", "ir_measures", "contextlib")


class Message(str):
    """The text of a warning about data, with its kind, one of `judged.KINDS`."""

    kind: str

    def __new__(cls, text: str, kind: str = "other") -> Message:
        """Make a message."""
        message = super().__new__(cls, text)
        message.kind = kind
        return message


def warn_user(message: str) -> None:
    """Warn at the user's line: the innermost one outside this package and its hosts."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PACKAGES:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)


def warn_of_data(message: str, kind: str = "other") -> None:
    """Warn about data, or collect the message."""
    messages = _collecting.get()
    if messages is not None:
        messages.append(Message(message, kind))
    elif kind not in ignored.get():
        warn_user(Message(message, kind))


def give(messages: Iterable[str], strict: Collection[str] = ()) -> None:
    """Give the warnings that were collected, or raise the first one of each kind that is strict, and name the kinds.

    Parameters
    ----------
    messages : iterable of str
        The warnings; a string without a kind is of the kind "other".
    strict : collection of str
        The kinds that are errors.
    """
    errors: dict[str, str] = {}
    for message in messages:
        kind = message.kind if isinstance(message, Message) else "other"
        if kind in strict and kind not in ignored.get():
            errors.setdefault(kind, f"{message} [{kind}]")
        else:
            warn_of_data(message, kind)
    if errors:
        raise ValueError(" ".join(errors.values()))


@contextmanager
def collected() -> Iterator[list[Message]]:
    """Collect warnings about data in this thread instead of showing them: those of a worker process would be lost."""
    messages: list[Message] = []
    token = _collecting.set(messages)
    try:
        yield messages
    finally:
        _collecting.reset(token)


@contextmanager
def of_run(name: str) -> Iterator[None]:
    """Put the name of a run before the warnings and errors about its data."""
    try:
        with collected() as messages:
            yield
    except (ValueError, TypeError) as error:
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"Run {name}: {error}") from error
    for message in messages:
        warn_of_data(f"Run {name}: {message}", message.kind)
