"""The reference of all measures, made from their declarations."""

from __future__ import annotations

import inspect
import re
import sys
from collections import defaultdict
from typing import TypedDict

from .measures import DiversityMeasure, registered
from .parameters import Parameter


class Entry(TypedDict):
    """What there is to know about a measure, in words."""

    measure: str
    name: str
    what: str
    formula: str
    parameters: dict[str, str]
    range: str
    columns: str
    source: str


def entry(measure: DiversityMeasure) -> Entry:
    """Describe a measure by its declaration.

    Returns
    -------
    Entry
        Its name, published name, meaning and formula; each parameter with default, range and meaning; the range of its
        values; the columns of the qrels that it reads besides query, document, label and intent; and its source.
    """
    read = [f"{column} (needed)" if column in measure.NEEDS else column for column in measure.READS]
    return {
        "measure": measure.NAME,
        "name": measure.PRETTY_NAME,
        "what": measure.SHORT_DESC,
        "formula": measure.FORMULA,
        "parameters": {name: _described(parameter) for name, parameter in measure.parameters().items()},
        "range": measure.RANGE,
        "columns": ", ".join(read) or "none",
        "source": measure.SOURCE,
    }


def _described(parameter: Parameter) -> str:
    default = "" if parameter.fallback is None else f"; {parameter.fallback!r} if not given"
    return f"{parameter.desc} ({parameter.range}{default})"


def signature_of(measure: DiversityMeasure) -> str:
    """Return the measure with its parameters and their defaults, as it is called."""
    values = (
        name if parameter.fallback is None else f"{name}={parameter.fallback!r}"
        for name, parameter in measure.parameters().items()
    )
    return f"{measure.NAME}({', '.join(values)})"


def text(measure: DiversityMeasure) -> str:
    """Describe a measure in a few lines."""
    known = entry(measure)
    lines = [known["what"], known["formula"], f"in {known['range']}; reads: {known['columns']}", known["source"]]
    return "\n    ".join([f"{signature_of(measure)}: {known['name']}", *lines])


def full_text(measure: DiversityMeasure) -> str:
    """Describe a measure with all its parameters."""
    parameters = [f"    {name}: {described}" for name, described in entry(measure)["parameters"].items()]
    return "\n".join([text(measure), "", _prose(measure), "", "Parameters", *parameters])


def page() -> str:
    """Return the reference page of all measures, in reStructuredText, family by family."""
    families: dict[str, list[DiversityMeasure]] = defaultdict(list)
    for measure in registered():
        families[type(measure).__module__].append(measure)
    parts = [
        _title("Measures", "="),
        "Each measure of :mod:`pyterrier_diversity`, as it is declared. All read the columns ``qid``, ``docno``, "
        "``label`` and ``iteration`` of the qrels; *columns* are those that a measure reads besides. Symbols: "
        "``w_t`` the weight of intent t, ``g_it`` the label of the document at rank i for it, ``J_it`` 1 if it is "
        "relevant, ``r_it`` its probability of relevance, ``c_it`` how many documents above are relevant to t, ``k`` "
        "the cutoff, ``T`` the intents with a relevant document.",
    ]
    for module in sorted(families, key=_family):
        parts += [_title(_family(module), "-"), *map(_section, families[module])]
    return "\n\n".join(parts) + "\n"


def _section(measure: DiversityMeasure) -> str:
    known = entry(measure)
    cited = re.search(r"^\.\. cite\.dblp::.*$", inspect.cleandoc(type(measure).__doc__ or ""), re.MULTILINE)
    fields = {"Formula": f"``{known['formula']}``", "Range": known["range"], "Columns": known["columns"]}
    return "\n\n".join(
        [
            _title(f"``{known['measure']}``: {known['name']}", "~"),
            _prose(measure),
            "\n".join(f":{name}: {value}" for name, value in {**fields, "Source": known["source"]}.items()),
            "\n".join(f"- ``{name}``: {described}" for name, described in known["parameters"].items()),
            *([cited.group()] if cited else []),
        ]
    )


def _prose(measure: DiversityMeasure) -> str:
    """Return what the class says of itself, without its sections and citations."""
    prose = re.split(r"^(?:Raises\n-|\.\. cite)", inspect.cleandoc(type(measure).__doc__ or ""), flags=re.MULTILINE)
    return prose[0].strip()


def _family(module: str) -> str:
    return (sys.modules[module].__doc__ or "").split("\n")[0].rstrip(".")


def _title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"
