"""Formulas in LaTeX, translated to plain text for terminals."""

import re

# Braces of the text are angle brackets until all groups are translated.
_SYMBOLS = {r"\left": "", r"\right": "", r"\quad": " ", r"\le": "<=", r"\ge": ">=", r"\in": "in", r"\cup": "or"}
_SYMBOLS |= {r"\cdot": "", r"\exists": "there is", r"\,": " ", r"\;": " ", r"\{": "⟨", r"\}": "⟩"}
_SYMBOL = re.compile(r"\\(?!frac|text|mathrm)([A-Za-z]+|.)")
_GROUP = re.compile(r"\\frac{([^{}]*)}{([^{}]*)}|\\(?:text|mathrm){([^{}]*)}|([_^]){([^{}]*)}")


def in_plain_text(latex: str) -> str:
    r"""Translate a LaTeX formula to plain text.

    This handles what the measures of this package use: fractions, sub- and superscripts, text and names of symbols.

    Examples
    --------
    >>> in_plain_text(r"\frac{1}{|T|} \sum_t \frac{1 - \alpha}{R_t + 1} J_{it}^{c_{it}}")
    '1/|T| sum_t (1 - alpha)/(R_t + 1) J_it^c_it'
    """
    before, text = "", _SYMBOL.sub(lambda found: _SYMBOLS.get(found[0], found[1]), latex)
    while text != before:  # the innermost groups first
        before, text = text, _GROUP.sub(_translated, text)
    return _tidy(text).replace("⟨", "{").replace("⟩", "}")


def _translated(group: re.Match[str]) -> str:
    above, below, words, mark, script = group.groups()
    if mark:
        script = _tidy(script)
        brackets = "" if re.fullmatch(r"[\w*+]+", script) else "()" if mark == "^" else "⟨⟩"
        return mark + brackets[:1] + script + brackets[1:]
    return words if above is None else f"{_bracketed(above)}/{_bracketed(below)}"


def _bracketed(text: str) -> str:
    """Return part of a fraction in brackets, unless it is one symbol, call or pair of bars."""
    text = _tidy(text)
    return text if re.fullmatch(r"[\w*^']*(\([^()]*\))?|\|\w+\|", text) else f"({text})"


def _tidy(text: str) -> str:
    return re.sub(r"\( | (?=[),])", lambda found: found.group().strip(), " ".join(text.split()))
