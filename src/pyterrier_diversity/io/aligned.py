"""Lay out texts, and columns of text side by side, within a given width."""

import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import accumulate, zip_longest
from textwrap import wrap
from typing import Any

_BETWEEN = "  "
# No column of texts is made narrower than this.
_NARROWEST = 12


def aligned(columns: Sequence[Sequence[str]], numeric: Sequence[bool], width: int | None = None) -> list[str]:
    """Return the lines of a table from its columns, each with its header, with numbers aligned to the right.

    Texts wrap between words to fit into ``width``. If that is not enough, there are several parts, each of which begins
    with the first column.
    """
    if not columns:
        return []
    natural = [max(map(len, column)) for column in columns]
    limit, half = (max(natural),) * 2 if width is None else (min(max(natural), width), width // 2)
    # A number, and a word that is not longer than half a line, stays whole.
    least = [
        max(max(map(len, column[1:]), default=0) if n else 0, min(half, _longest_word(*column)))
        for column, n in zip(columns, numeric, strict=True)
    ]
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
    whole: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    lines: list[str] = []
    for line in text.split("\n"):
        begin = line[: len(line) - len(line.lstrip())] + indent
        lines += wrap(line, max(width, 1), subsequent_indent=begin, **whole) if len(line) > width else [line]
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
