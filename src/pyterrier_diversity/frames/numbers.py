"""Read numbers and labels, which may be given as words."""

import math
from numbers import Integral
from typing import Any

import pandas as pd

# Floats represent all integers up to here exactly.
LARGEST_EXACT = 2.0**53

# Labels that are words: truth values, and NTCIR's.
_WORDS_OF_LABELS = {"true": 1.0, "false": 0.0, **{f"l{grade}": float(grade) for grade in range(10)}}


def number_of(value: Any) -> float:
    """Return a number, which may be given as a string in ASCII, or NaN for anything else."""
    try:
        is_other = isinstance(value, bool) or (isinstance(value, str) and ("_" in value or not value.isascii()))
        return math.nan if is_other else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def label_of(value: Any) -> float:
    """Return a label: a number, a truth value, or one of NTCIR's words L0 to L9; or NaN for anything else.

    Examples
    --------
    >>> [label_of(value) for value in ("2", True, "False", "L3", "high")]
    [2.0, 1.0, 0.0, 3.0, nan]
    """
    found = _WORDS_OF_LABELS.get(str(value).lower())
    return number_of(value) if found is None else found


def exact(words: pd.Series) -> pd.Series:
    """Return finite numbers, given as numbers or words, so that large integers stay what they are."""
    values = [_number(word) for word in words.tolist()]
    are_floats = all(abs(value) < LARGEST_EXACT for value in values if isinstance(value, int))
    return pd.Series(values, words.index, dtype=float if are_floats else object)


def _number(word: Any) -> int | float:
    is_integer = isinstance(word, Integral) or (isinstance(word, str) and word.lstrip("+-").isdigit())
    return int(word) if is_integer else float(word)
