"""Warnings about data, each of a kind that can be ignored or be an error. Calls with many runs collect them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# What a user may ignore, in words for the shell's help.
KINDS = {
    "words": "unknown words for the importance or assignment of nuggets",
    "nuggets": "nuggets without a judgement, or not read exactly as their format intends",
    "difference": "queries left out, because their answers or passages were assigned different nuggets",
    "support": "no label means full support",
    "intents": "no query has several intents",
    "relevance": "queries without a relevant document",
    "empty": "a run without documents",
    "missing": "a run that does not answer some queries of the qrels",
    "ids": "ids of the run that do not match those of the qrels",
    "repeats": "documents that a run repeats",
    "ranks": "ranks of a run that contradict its scores, or scores that do not order its documents",
    "significance": "too few queries for any difference to be significant",
    "lengths": "unknown lengths of documents",
    "other": "anything else",
}

_collecting: ContextVar[list[Message] | None] = ContextVar("collecting", default=None)
_ignored: ContextVar[frozenset[str]] = ContextVar("ignored", default=frozenset())

# Warnings point to the user's line, not to lines of this package, of its hosts, or of what ends a `with` statement.
_PACKAGES = (__name__.partition(".")[0], "pyterrier", "ir_measures", "contextlib")


class Message(str):
    """The text of a warning about data, with its kind, one of `KINDS`."""

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
    elif kind not in _ignored.get():
        warn_user(Message(message, kind))


def checked_kinds(rule: str, kinds: str | Iterable[str]) -> frozenset[str]:
    """Return kinds of warnings, or raise a ``ValueError`` that begins with ``rule`` if one is unknown."""
    given = frozenset([kinds] if isinstance(kinds, str) else kinds)
    if given - KINDS.keys():
        raise ValueError(f"{rule} ({', '.join(KINDS)}), not {min(given - KINDS.keys())!r}.")
    return given


def give(messages: Iterable[str], strict: bool | Collection[str] = False) -> None:
    """Give the warnings that were collected, or raise the first one of each kind that is strict, and name the kinds.

    Parameters
    ----------
    messages : iterable of str
        The warnings; a string without a kind is of the kind "other".
    strict : bool or collection of str
        Whether all warnings are errors, or the kinds that are.
    """
    kinds = KINDS if strict is True else strict or ()
    errors: dict[str, str] = {}
    for message in messages:
        kind = message.kind if isinstance(message, Message) else "other"
        if kind in kinds and kind not in _ignored.get():
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
def ignoring(who: str, kinds: Iterable[str]) -> Iterator[frozenset[str]]:
    """Hide warnings of these kinds, even where they would be errors; get all kinds that are ignored.

    Raises
    ------
    ValueError
        If a kind is unknown; the message begins with ``who``.
    """
    ignored = _ignored.get() | checked_kinds(f"{who}: ignore must name kinds", kinds)
    token = _ignored.set(ignored)
    try:
        yield ignored
    finally:
        _ignored.reset(token)


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
