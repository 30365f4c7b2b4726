"""Descriptions of measures, from their declarations."""

import re
from collections import ChainMap, defaultdict
from typing import Any

from ..docstrings import fields_of, section_of
from ..measures import DiversityMeasure
from ..measures.base import range_text
from ..parameters import Parameter
from .formulas import in_plain_text


def entry(measure: DiversityMeasure) -> dict[str, Any]:
    """Describe a measure from its declaration.

    Returns
    -------
    dict
        Its name and published name, a sentence about it, its formula, its parameters with ranges and defaults, and the
        range of its values. Also the optional columns of the qrels that it reads, its source, and the tool or printed
        example with the same values.
    """
    notes = notes_of(measure)
    where = re.sub(r"\$(.+?)\$", lambda found: in_plain_text(found[1]), notes["Where"])
    read = [f"{column} (needed)" if column in measure.NEEDS else column for column in measure.READS]
    return {
        "measure": measure.NAME,
        "name": notes["Name"] or measure.NAME,
        "what": prose(measure).split("\n")[0],
        "formula": in_plain_text(notes["Formula"]) + (f", where {where}" if where else ""),
        "parameters": {name: parameter_text(parameter) for name, parameter in measure.SUPPORTED_PARAMS.items()},
        "range": notes["Values"] or range_text(*measure.range()),
        "columns": ", ".join(read) or "none",
        "source": notes["Source"],
        "equals": notes["Equal to"],
    }


def notes_of(measure: DiversityMeasure) -> dict[str, str]:
    """Return the fields in the Notes of the docstring of a measure and, without one, of its base classes."""
    own, *inherited = (fields_of(each.__doc__) for each in type(measure).__mro__)
    # A subclass does not have the values of the tool that its base equals.
    return defaultdict(str, {**ChainMap(*inherited), "Equal to": "", **own})


def parameter_text(parameter: Parameter) -> str:
    """Describe a parameter: what it is, its range and its default."""
    default = "" if parameter.default is None else f"; {parameter.default!r} if not given"
    return f"{parameter.desc} ({parameter.range}{default})"


def text(measure: DiversityMeasure) -> str:
    """Describe a measure with all its parameters."""
    known = entry(measure)
    declared = ((name, parameter.default) for name, parameter in measure.SUPPORTED_PARAMS.items())
    values = ", ".join(name if default is None else f"{name}={default!r}" for name, default in declared)
    lines = [known["formula"], f"in {known['range']}; reads: {known['columns']}", known["source"]]
    lines += [f"equal to {known['equals']}"] if known["equals"] else []
    # A paragraph is one line.
    told = [" ".join(part.split()) for part in prose(measure).split("\n\n")]
    parameters = [f"    {name}: {text}" for name, text in known["parameters"].items()]
    head = [f"{measure.NAME}({values}): {known['name']}", *(f"    {line}" for line in lines)]
    return "\n\n".join(["\n".join(head), *told, "\n".join(["Parameters", *parameters])]).replace("`", "")


def prose(measure: DiversityMeasure) -> str:
    """Return the docstring of a measure, without its sections and citations."""
    return section_of(measure.__doc__).partition("\n.. cite")[0].strip()
