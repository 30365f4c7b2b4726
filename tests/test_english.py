"""Docstrings, messages, pages and notebooks do not use phrases that nobody says.

STYLE of the project: short sentences, the usual word, in the usual order. Each pattern names what to write instead.
"""

import re
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = Path(str(files("pyterrier_diversity")))
PROSE = [*SOURCE.rglob("*.rst"), *SOURCE.rglob("*.jinja"), *ROOT.glob("*.md"), *ROOT.glob("tests/**/*.md")]
FILES = sorted(
    [
        *SOURCE.rglob("*.py"),
        *ROOT.glob("tests/**/*.py"),
        *ROOT.glob("notebooks/**/*.ipynb"),
        *ROOT.glob("notebooks/**/*.py"),
        *PROSE,
    ]
)

INSTEAD = {
    r"at the most\b": "at most",
    r"must be \w+ \w+ at least\b": "give at least one ...",
    r"(?<!there )\bis no (?!longer)": "is not a ...",
    r"\bthat is none\b": "that is not a ...",
    r"\b(?:of|than|from|with|by) what (?:is|was)\b": "the noun that 'what' stands for",
    r"\bof (?:ours|theirs)\b": "of this package, of the others",
    r"[,;:] (?:or |and )?else\b(?![.:])|\b(?:or|and) else\b": "otherwise",
    r"\b(?:it|that|which|who|they) lacks?\b": "does not have",
    r"\bto hold (?!for\b|in\b)": "to contain, to have",
    r"\bwhatever (?:is|was|are|were|can|the|they)\b": "any, regardless of",
    r"\bonce more\b": "again",
}
# Whether there may be a phrase, in one reading of the text.
ANY = re.compile("at the most|must be|is no |that is none|what |of ours|of theirs|else|lack|to hold|whatever|once more")


def found(text: str) -> list[str]:
    """Return the phrases of a text that have a usual form, each with it.

    Code between backticks is left out. Strings and comments of Python, and cells of notebooks, go on in the next line.
    """
    prose = re.sub(r"``[^`]*``|:math:`[^`]*`|`[^`]*`|^ *>>> .*$", "CODE", text, flags=re.MULTILINE)
    prose = " ".join(re.sub(r"[\"#]|\\n", " ", prose).split())
    if not ANY.search(prose.lower()):
        return []
    return [
        f"{prose[max(0, match.start() - 40) : match.end() + 30]!r}: write {instead!r}"
        for pattern, instead in INSTEAD.items()
        for match in re.finditer(pattern, prose, flags=re.IGNORECASE)
    ]


def test_a_text_has_no_phrase_that_nobody_says():
    phrases = {str(path): found(path.read_text(encoding="utf-8")) for path in FILES if path != Path(__file__)}

    assert {path: of_file for path, of_file in phrases.items() if of_file} == {}


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("evaluate_runs: there must be a run at least.", 1),
        ("'nDGC' is no measure that can be read", 1),
        ("There is no run. It is no longer needed.", 0),
        ("It returns a measure of ours, or\nelse what it lacks at the most.", 4),
        ("Use ``x if y, else z`` otherwise.", 0),
        ("The difference of what was\nread is shown once more.", 2),
    ],
)
def test_phrases_are_found_across_lines_but_not_in_code(text, n):
    assert len(found(text)) == n
