"""The examples of a page as a program."""

from __future__ import annotations

import doctest


def script(text: str) -> str:
    """Return the examples of a page in order; what they print, and where they are, is in comments.

    An example that raises is a comment, too, because a program ends there.
    """
    parts, section = [], ""
    lines = text.splitlines()
    for example in doctest.DocTestParser().get_examples(text):
        above = [lines[i - 1] for i in range(1, example.lineno) if set(lines[i]) in ({"-"}, {"="}) and lines[i - 1]]
        if above and above[-1] != section:
            section = above[-1]
            parts.append(f"\n# {section}\n")
        code = example.source
        if example.exc_msg is not None:
            code = "".join(f"# {line}\n" for line in code.splitlines())
        parts.append(code + "".join(f"#> {line}\n" for line in example.want.splitlines()))
    return "".join(parts).lstrip("\n")
