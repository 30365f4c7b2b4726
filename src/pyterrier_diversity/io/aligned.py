"""Lay out columns of text side by side within a given width."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, zip_longest
from shutil import get_terminal_size
from textwrap import wrap

_BETWEEN = "  "
# No column of texts is made narrower than this.
_NARROWEST = 12


def aligned(columns: Sequence[Sequence[str]], numeric: Sequence[bool], width: int | None = None) -> list[str]:
    """Return the lines of a table from its columns, each with its header, with numbers aligned to the right.

    Texts wrap to fit into ``width``. If that is not enough, there are several parts, each of which begins
    with the first column.
    """
    if not columns:
        return []
    natural = [max(map(len, column)) for column in columns]
    least = [max(map(len, column[1:]), default=0) if n else 0 for column, n in zip(columns, numeric, strict=True)]
    limit = max(natural) if width is None else min(max(natural), width)
    while True:
        widths = [max(low, min(high, limit)) for low, high in zip(least, natural, strict=True)]
        if width is None or limit <= _NARROWEST or sum(widths) + len(_BETWEEN) * (len(widths) - 1) <= width:
            break
        limit -= 1
    ends = accumulate(size + len(_BETWEEN) for size in widths)
    n = len(columns) if width is None else max(2, sum(end - len(_BETWEEN) <= width for end in ends))
    if n < len(columns):
        parts = [
            aligned([columns[0], *of], [numeric[0], *kinds], width)
            for of, kinds in ((columns[1:n], numeric[1:n]), (columns[n:], numeric[n:]))
        ]
        return [*parts[0], "", *parts[1]]
    lines = []
    for row in zip(*columns, strict=True):
        folded = [wrap(cell, size) if len(cell) > size else [cell] for cell, size in zip(row, widths, strict=True)]
        for parts_of_line in zip_longest(*folded, fillvalue=""):
            lines.append(_BETWEEN.join(map(placed, parts_of_line, widths, numeric)).rstrip())
    return lines


def terminal_width() -> int | None:
    """Return the number of columns of the terminal, or of the variable COLUMNS; None if there is neither."""
    return get_terminal_size((0, 0)).columns or None


def placed(text: str, width: int, is_number: bool) -> str:
    """Return a text padded to a width, with numbers aligned to the right."""
    return f"{text:>{width}}" if is_number else f"{text:<{width}}"
