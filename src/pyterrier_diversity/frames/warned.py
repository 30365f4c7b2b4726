"""Give warnings at the user's line. Those of a call with many runs are collected, and given once a kind."""

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

# Warnings point to the user's line, not to lines of this package, of its hosts, or of what ends a `with` statement.
_PACKAGES = (__name__.partition(".")[0], "pyterrier", "ir_measures", "contextlib")
# How many runs a warning names.
_MOST_RUNS = 3


class Told(NamedTuple):
    """A warning, and the name of the run that it is about; an empty string if it is about no run."""

    warning: Warning
    run: str = ""

    def as_row(self) -> dict[str, str]:
        """Return a row as of `check_files`: ``name``, ``about`` and ``message``."""
        return {"name": self.run or "qrels", "about": type(self.warning).__name__, "message": str(self.warning)}


_collecting: ContextVar[list[Told] | None] = ContextVar("collecting", default=None)


def warn(warning: Warning) -> None:
    """Give a warning, or leave it to the call that collects warnings."""
    give([Told(warning)])


def give(found: Iterable[Told]) -> None:
    """Give warnings, those about runs once a kind; or leave them to the call that collects warnings."""
    outer = _collecting.get()
    if outer is not None:
        outer.extend(found)
        return
    for warning in merged(found):
        _show(warning)


def pending() -> list[Told]:
    """Return the warnings that the call around has collected so far."""
    return [*(_collecting.get() or ())]


def merged(found: Iterable[Told]) -> Iterator[Warning]:
    """Yield each warning once, and one of each kind for those about runs."""
    kinds: dict[type[Warning], dict[str, list[str]]] = {}
    for warning, run in found:
        texts = kinds.setdefault(type(warning), {}).setdefault(run, [])
        texts += [] if str(warning) in texts else [str(warning)]
    for kind, by_run in kinds.items():
        yield from map(kind, by_run.pop("", []))
        if by_run:
            yield kind(_of_runs(by_run))


def _of_runs(texts: Mapping[str, list[str]]) -> str:
    """Return what is said of the first run, and how many runs have a warning of this kind."""
    names = list(texts)
    said = f"Run {names[0]}: {' '.join(texts[names[0]])}"
    if len(names) == 1:
        return said
    return f"{said} Runs with a warning of this kind: {len(names)} ({listed(names, _MOST_RUNS)})."


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return names for a message, separated by commas; of many, the first ones."""
    return ", ".join([*names[:most], *(["..."] if len(names) > most else [])]) or "none"


def _show(warning: Warning) -> None:
    """Warn at the user's line: the innermost one outside this package and its hosts."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PACKAGES:
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level)


@contextmanager
def collected() -> Iterator[list[Told]]:
    """Collect the warnings of this thread instead of giving them: those of a worker process would be lost."""
    found: list[Told] = []
    token = _collecting.set(found)
    try:
        yield found
    finally:
        _collecting.reset(token)


@contextmanager
def once_a_kind() -> Iterator[list[Told]]:
    """Collect the warnings of a call, and give them when it ends, those about runs once a kind."""
    with collected() as found:
        yield found
    give(found)


@contextmanager
def of_run(name: str) -> Iterator[None]:
    """Name a run in the warnings and errors about its data."""
    try:
        with collected() as found:
            yield
    except (ValueError, TypeError) as error:
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"Run {name}: {error}") from error
    give(Told(warning, name) for warning, _ in found)
