"""The kinds of warnings about data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from .warned import ignored

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


def checked_kinds(rule: str, kinds: str | Iterable[str]) -> frozenset[str]:
    """Return kinds of warnings, or raise a ``ValueError`` that begins with ``rule`` if one is unknown."""
    given = frozenset([kinds] if isinstance(kinds, str) else kinds)
    if given - KINDS.keys():
        raise ValueError(f"{rule} ({', '.join(KINDS)}), not {min(given - KINDS.keys())!r}.")
    return given


@contextmanager
def ignoring(who: str, kinds: Iterable[str]) -> Iterator[frozenset[str]]:
    """Hide warnings of these kinds, even where they would be errors; get all kinds that are ignored.

    Raises
    ------
    ValueError
        If a kind is unknown; the message begins with ``who``.
    """
    all_kinds = ignored.get() | checked_kinds(f"{who}: ignore must name kinds", kinds)
    token = ignored.set(all_kinds)
    try:
        yield all_kinds
    finally:
        ignored.reset(token)
