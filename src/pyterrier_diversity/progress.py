"""A progress bar for work that takes long."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def progress(items: Sequence[T], what: str, *, unit: str = "it") -> Iterable[T]:
    """Yield the items; a bar appears if they take longer than two seconds.

    It is PyTerrier's where PyTerrier is imported, so that ``pt.tqdm`` can be set; importing PyTerrier for it would take
    longer than most evaluations.
    """
    if len(items) < 2:
        return items
    if "pyterrier" in sys.modules:
        from pyterrier import tqdm
    else:
        from tqdm import tqdm
    bar: Iterable[T] = tqdm(items, desc=what, unit=unit, delay=2, leave=False)
    return bar
