"""Lay out texts, and columns of text side by side, within a given width."""

import os
import sys
from bisect import bisect
from collections.abc import Sequence
from contextlib import suppress
from itertools import accumulate, zip_longest
from textwrap import fill, wrap

_BETWEEN = "  "
# No column of texts is made narrower than this.
_NARROWEST = 12


def aligned(columns: Sequence[Sequence[str]], numeric: Sequence[bool], width: int | None = None) -> list[str]:
    """Return the lines of a table from its columns, each with its header, with numbers aligned to the right.

    Texts wrap between words to fit into ``width``. If that is not enough, there are several parts, each of which begins
    with the first column.
    """
    width = sys.maxsize if width is None else width
    natural = [max(map(len, column)) for column in columns]
    # A number, and a word that is not longer than half a line, stays whole.
    least = [
        max(max(map(len, column[1:]), default=0) if n else 0, min(width // 2, _longest_word(*column)))
        for column, n in zip(columns, numeric, strict=True)
    ]

    def sizes(limit: int) -> list[int]:
        return [max(low, min(high, limit)) for low, high in zip(least, natural, strict=True)]

    def ends(limit: int) -> list[int]:
        return list(accumulate(sizes(limit), lambda end, size: end + len(_BETWEEN) + size))

    wider = range(_NARROWEST + 1, max(natural, default=0) + 1)
    limit = _NARROWEST + bisect(wider, width, key=lambda limit: ends(limit)[-1])
    n = max(2, bisect(ends(limit), width))
    if n < len(columns):
        parts = [0, *range(1, n)], [0, *range(n, len(columns))]
        first, others = (aligned([columns[i] for i in part], [numeric[i] for i in part], width) for part in parts)
        return [*first, "", *others]
    lines, widths = [], sizes(limit)
    for row in zip(*columns, strict=True):
        folded = [
            wrap(cell, size, break_on_hyphens=_longest_word(cell) > size) if len(cell) > size else [cell]
            for cell, size in zip(row, widths, strict=True)
        ]
        for parts_of_line in zip_longest(*folded, fillvalue=""):
            lines.append(_BETWEEN.join(map(placed, parts_of_line, widths, numeric)).rstrip())
    return lines


def _longest_word(*texts: str) -> int:
    return max((len(word) for text in texts for word in text.split()), default=0)


def in_lines(text: str, width: int | None, indent: str = "") -> str:
    """Return a text whose long lines are wrapped between words, and go on with the line's own indent and another."""
    if width is None:
        return text
    lines = []
    for line in text.split("\n"):
        begin = line[: len(line) - len(line.lstrip())] + indent
        lines.append(fill(line, width, subsequent_indent=begin, break_long_words=False, break_on_hyphens=False))
    return "\n".join(lines)


def terminal_width(stream: int = 1) -> int | None:
    """Return the variable COLUMNS, or the number of columns of the terminal that a stream goes to; None otherwise."""
    given = os.environ.get("COLUMNS", "")
    with suppress(OSError):
        return (int(given) if given.isdigit() else os.get_terminal_size(stream).columns) or None
    return None


def placed(text: str, width: int, is_number: bool) -> str:
    """Return a text padded to a width, with numbers aligned to the right."""
    return f"{text:>{width}}" if is_number else f"{text:<{width}}"
