"""Progress bars."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def progress(items: Sequence[T], what: str, *, unit: str = "it") -> Iterable[T]:
    """Iterate over items with a progress bar, which appears after two seconds."""
    if len(items) < 2:
        return items
    bar: Iterable[T] = _bar(items, desc=what, unit=unit)
    return bar


class Counted:
    """A progress bar that counts finished items and their rows; it appears after two seconds.

    Parameters
    ----------
    total : int
        The number of items.
    what : str
        The title of the bar.
    unit : str
        The name of one item.
    """

    def __init__(self, total: int, what: str, *, unit: str) -> None:
        self._bar: Any = _bar(total=total, desc=what, unit=unit) if total > 1 else None
        self._n_rows = 0

    def __enter__(self) -> Counted:
        """Return the bar."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()

    def add(self, n_rows: int) -> None:
        """Count one more item with ``n_rows`` rows."""
        if self._bar is not None:
            self._n_rows += n_rows
            self._bar.set_postfix_str(f"{self._n_rows:,} rows", refresh=False)
            self._bar.update()


def _bar(items: Iterable[T] | None = None, **options: Any) -> Any:
    """Return a progress bar: PyTerrier's if PyTerrier is imported, so that ``pt.tqdm`` can be set.

    Importing PyTerrier here would take longer than most evaluations.
    """
    if "pyterrier" in sys.modules:
        from pyterrier import tqdm
    else:
        from tqdm import tqdm
    return tqdm(items, delay=2, leave=False, **options)
