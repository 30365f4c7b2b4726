"""The examples of a page as a program."""

from doctest import DocTestParser
from textwrap import indent


def script(text: str) -> str:
    """Return the examples of a page; what they print is in comments, and so are those that raise."""
    return "".join(
        indent(example.source, "# " if example.exc_msg else "") + indent(example.want, "#> ")
        for example in DocTestParser().get_examples(text)
    )
