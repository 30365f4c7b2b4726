"""Progress bars."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

# What `tqdm` gets if there are bars at all: False for wherever `pt.tqdm` draws them, None for terminals only.
_disabled: bool | None = False


def only_in_terminals() -> None:
    """Show no more bars where standard error is not a terminal, such as in a file."""
    global _disabled
    _disabled = None


def progress(items: Sequence[T], what: str, *, unit: str = "it") -> Iterable[T]:
    """Iterate over items with a progress bar, which appears after two seconds."""
    return items if len(items) < 2 else progress_bar(len(items), what, unit=unit, iterable=items)  # tqdm takes its time


def progress_bar(total: int, what: str, **options: Any) -> Any:
    """Return a progress bar that appears after two seconds, and not for a single item.

    It is PyTerrier's if PyTerrier is imported, so that setting ``pt.tqdm`` has an effect. Importing PyTerrier here
    would take longer than most evaluations.
    """
    if "pyterrier" in sys.modules:
        from pyterrier import tqdm
    else:
        from tqdm import tqdm
    return tqdm(total=total, desc=what, delay=2, leave=False, disable=total < 2 or _disabled, **options)
