"""Formulas in LaTeX, translated to plain text for terminals."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SYMBOLS = {r"\left": "", r"\right": "", r"\quad": " ", r"\le": "<=", r"\ge": ">=", r"\in": "in", r"\cup": "or"}
_SYMBOLS |= {r"\cdot": "", r"\exists": "there is", r"\,": " ", r"\;": " ", r"\{": "{", r"\}": "}"}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[^\\]")


def plain(latex: str) -> str:
    r"""Translate a LaTeX formula to plain text.

    This handles what the measures of this package use: fractions, sub- and superscripts, text and names of symbols.

    Examples
    --------
    >>> plain(r"\frac{1}{|T|} \sum_t \frac{1 - \alpha}{R_t + 1} J_{it}^{c_{it}}")
    '1/|T| sum_t (1 - alpha)/(R_t + 1) J_it^c_it'
    """
    return _tidy(_up_to_brace(iter(_TOKEN.findall(latex))))


def _up_to_brace(tokens: Iterator[str]) -> str:
    """Return the text up to the brace that closes the group."""
    parts = []
    for token in tokens:
        if token == "}":
            break
        if token == "{":
            parts.append(_up_to_brace(tokens))
        elif token == r"\frac":
            parts.append("/".join(_bracketed(_argument(tokens)) for _ in range(2)))
        elif token in ("_", "^"):
            parts.append(token + _script(_argument(tokens), "()" if token == "^" else "{}"))
        elif token in (r"\text", r"\mathrm"):
            parts.append(_argument(tokens))
        else:
            parts.append(_SYMBOLS.get(token, token.lstrip("\\")))
    return "".join(parts)


def _argument(tokens: Iterator[str]) -> str:
    token = next(tokens)
    return _up_to_brace(tokens) if token == "{" else token.lstrip("\\")


def _bracketed(text: str) -> str:
    """Return part of a fraction in brackets, unless it is one symbol, call or pair of bars."""
    text = _tidy(text)
    return text if re.fullmatch(r"[\w*^']*(\([^()]*\))?|\|\w+\|", text) else f"({text})"


def _script(text: str, brackets: str) -> str:
    text = _tidy(text)
    return text if re.fullmatch(r"[\w*+]+", text) else brackets[0] + text + brackets[1]


def _tidy(text: str) -> str:
    return re.sub(r"\( | (?=[),])", lambda found: found.group().strip(), " ".join(text.split()))
