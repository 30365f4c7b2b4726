"""The law of the fuzzing: an answer that the naive program confirms, or a refusal in one sentence."""

import os
import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

PROFILES = ("ci", "long")
SECONDS = 30
REFUSALS = (ValueError, TypeError, KeyError, ImportError, FileNotFoundError)
OURS = ("pyterrier_diversity",)

# Counts by function: inputs tried, inputs that the naive program confirmed, and inputs that were refused.
tried: Counter[str] = Counter()
confirmed: Counter[str] = Counter()
bounded: Counter[str] = Counter()
refused: Counter[tuple[str, str]] = Counter()


def fuzzed(n: int, /, **strategies: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try a test on ``n`` inputs in the profile ``ci``, and on more of them in ``long``."""
    named = os.environ.get("PYTERRIER_DIVERSITY_FUZZ") or settings.get_current_profile_name()
    profile = settings.get_profile(named if named in PROFILES else "ci")
    percent = profile.max_examples
    return lambda test: settings(profile, max_examples=max(n * percent // 100, 1))(given(**strategies)(test))


class Refusal:
    """An error that the specification knows."""

    def __init__(self, error: Exception, *, of_host: bool = False) -> None:
        self.of_host = of_host
        self.kind = type(error).__name__
        self.message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)

    def __repr__(self) -> str:
        return f"{self.kind}: {self.message}"


def answer(function: str, call: Callable[[], Any], *, hosts: tuple[str, ...] = ()) -> Any:
    """Return what a call returns, or the `Refusal` that it raises; any other error is passed on.

    ``hosts`` are packages that call ours, and may refuse their own input as they like.
    """
    tried[function] += 1
    try:
        with within_seconds(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=UserWarning)
            return call()
    except Exception as error:
        frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        validated = type(error).__module__.startswith("pyterrier.")
        if hosts and (validated or (not _in(frames, OURS) and _in(frames, hosts))):
            refused[function, f"{type(error).__name__} of the host"] += 1
            return Refusal(error, of_host=True)
        if not isinstance(error, REFUSALS):
            raise
        refusal = Refusal(error)
        # What the system says of a file that is not there needs no full stop.
        told = isinstance(error, FileNotFoundError) or refusal.message.endswith((".", "?"))
        if not told or not _in(frames[-1:], OURS):
            raise
        refused[function, refusal.kind] += 1
        return refusal


def _in(filenames: list[str], packages: tuple[str, ...]) -> bool:
    return any(f"{os.sep}{package}{os.sep}" in name for name in filenames for package in packages)


@contextmanager
def within_seconds() -> Iterator[None]:
    """Raise what no law allows if something takes too long."""

    def hang(*_: object) -> None:
        raise AssertionError(f"no answer within {SECONDS} seconds")

    previous = signal.signal(signal.SIGALRM, hang)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def report() -> list[str]:
    """Return the counts, line by line."""
    lines = [
        f"{sum(tried.values())} inputs tried, {sum(confirmed.values())} values confirmed by the naive program, "
        f"{sum(bounded.values())} finite and in range, {sum(refused.values())} refusals"
    ]
    for function in sorted(tried):
        kinds = ", ".join(f"{count} {kind}" for (name, kind), count in sorted(refused.items()) if name == function)
        counts = [f"{tried[function]} tried"]
        counts += [f"{confirmed[function]} confirmed"] if confirmed[function] else []
        counts += [f"{bounded[function]} in range"] if bounded[function] else []
        lines.append(f"{function}: {', '.join(counts)}; {kinds or 'none'} refused")
    return lines
