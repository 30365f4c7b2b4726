"""Docstrings in numpydoc's form, read as data; empty if Python removes docstrings (``-OO``)."""

import inspect
import re
from functools import cache

_TITLE = re.compile(r"^(.+)\n-{3,}\n", re.MULTILINE)
_FIELD = re.compile(r"^:([A-Z].*?): (.*(?:\n +\S.*)*)", re.MULTILINE)
_PARAMETER = re.compile(r"^(\S.*?) : (.*)\n((?: {4}.*\n?)+)", re.MULTILINE)
_ITEM = re.compile(r"^ *- ``(\w+)``.*?: (.*(?:\n {6}.*)*)", re.MULTILINE)


@cache
def section_of(docstring: str | None, title: str = "") -> str:
    """Return the text of a section, or what precedes all sections; empty if there is none."""
    prose, *others = _TITLE.split(inspect.cleandoc(docstring or ""))
    return {"": prose, **dict(zip(others[::2], others[1::2], strict=True))}.get(title, "").strip()


def fields_of(docstring: str | None) -> dict[str, str]:
    """Return the fields like ``:Source: text`` in the section Notes."""
    return {name: " ".join(text.split()) for name, text in _FIELD.findall(section_of(docstring, "Notes"))}


def parameters_of(docstring: str | None) -> dict[str, tuple[str, str]]:
    """Return the type and the description of each parameter."""
    return {
        name: (kind, _plain_text(text))
        for names, kind, text in _PARAMETER.findall(section_of(docstring, "Parameters"))
        for name in names.split(", ")
    }


def legend_of(docstring: str | None) -> dict[str, str]:
    """Return what is said about each column of the result, in items like ``- ``name`` (condition): text``."""
    return {name: _plain_text(text) for name, text in _ITEM.findall(section_of(docstring, "Returns"))}


def _plain_text(text: str) -> str:
    return " ".join(text.replace("`", "").split())
