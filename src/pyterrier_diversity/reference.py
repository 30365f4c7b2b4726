"""The reference of all measures, made from their declarations."""

from __future__ import annotations

import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, TypedDict

import ir_measures
import pandas as pd

from .measures import DiversityMeasure, parse, registered
from .parameters import Parameter

# The topic of the examples: weight and type of each intent; rank, turn, rarity and labels of each document.
_INTENTS = {"a": (0.5, "inf"), "b": (0.25, "inf"), "c": (0.25, "nav")}
_DOCUMENTS: dict[str, tuple[int | None, int | None, float, dict[str, int]]] = {
    "d1": (1, 0, 0.0, {"a": 2}),
    "d2": (2, 0, 0.5, {"a": 1, "c": 1}),
    "d3": (3, 1, 0.0, {"a": 0}),
    "d4": (4, 1, 0.75, {"b": 1, "c": 1}),
    "d5": (None, None, 0.75, {"a": 1, "b": 3}),
}
_WORDS = 100.0
_DEPTH, _TURNS = 4, 2


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
    equals: str


def entry(measure: DiversityMeasure) -> Entry:
    """Describe a measure by its declaration.

    Returns
    -------
    Entry
        Its name, published name, meaning and formula; each parameter with default, range and meaning; the range of its
        values; the columns of the qrels that it reads besides query, document, label and intent; its source; and whose
        values it equals, as far as that is tested.
    """
    read = [f"{column} (needed)" if column in measure.NEEDS else column for column in measure.READS]
    return {
        "measure": measure.NAME,
        "name": measure.PRETTY_NAME,
        "what": _documented(measure).split("\n")[0],
        "formula": measure.FORMULA,
        "parameters": {name: _described(parameter) for name, parameter in measure.parameters().items()},
        "range": measure.RANGE,
        "columns": ", ".join(read) or "none",
        "source": measure.SOURCE,
        # A subclass that computes something else does not equal what its base class equals.
        "equals": {**vars(type(measure)), **vars(measure)}.get("EQUALS", ""),
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
    known = entry(measure)
    parameters = [f"    {name}: {described}" for name, described in known["parameters"].items()]
    equals = [f"    equal to {known['equals']}"] if known["equals"] else []
    return "\n".join([text(measure), *equals, "", _prose(measure), "", "Parameters", *parameters])


class Example(NamedTuple):
    """A measure, its value after each document of the topic of the examples, and the constraints that it meets."""

    measure: ir_measures.Measure
    by_rank: list[float]
    constraints: str


def topic() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the topic of the examples: its qrels, with every column that a measure reads, and a ranking."""
    judged = [
        ("q", doc, label, intent, *_INTENTS[intent], rarity, f"{doc}{intent}", f"{doc}{intent}")
        for doc, (_, _, rarity, labels) in _DOCUMENTS.items()
        for intent, label in labels.items()
    ]
    columns = ["qid", "docno", "label", "iteration", "weight", "intent_type", "rarity", "passage", "nugget"]
    retrieved = [
        ("q", doc, -float(rank), turn, _WORDS) for doc, (rank, turn, _, _) in _DOCUMENTS.items() if rank is not None
    ]
    return (
        pd.DataFrame(judged, columns=columns),
        pd.DataFrame(retrieved, columns=["qid", "docno", "score", "turn", "doc_len"]),
    )


def examples(measures: Sequence[DiversityMeasure]) -> list[Example]:
    """Evaluate measures on the topic of the examples, and check them against the constraints of `meta.axioms`."""
    shown = [parse(measure.EXAMPLE) if measure.EXAMPLE else measure for measure in measures]
    cut = [_at_the_end(measure) for measure in shown]
    qrels, run = topic()
    values = [ir_measures.calc_aggregate(cut, qrels, run.head(n)) for n in range(1, len(run) + 1)]
    asked = _constraints([measure for measure in shown if not _needs(measure)])
    constraints = [
        f"not asked, as they know no column {' and '.join(_needs(measure))}" if _needs(measure) else asked[str(measure)]
        for measure in shown
    ]
    return [Example(each, [value[each] for value in values], met) for each, met in zip(cut, constraints, strict=True)]


def _needs(measure: ir_measures.Measure) -> tuple[str, ...]:
    return measure.NEEDS if isinstance(measure, DiversityMeasure) else ()


def _at_the_end(measure: ir_measures.Measure) -> ir_measures.Measure:
    """Return a measure with the last turn or rank of the topic of the examples as its cutoff, if it takes one."""
    if "cutoff" not in measure.SUPPORTED_PARAMS:
        return measure
    return measure @ (_TURNS if isinstance(measure, DiversityMeasure) and measure.COUNTS_TURNS else _DEPTH)


def _constraints(measures: Sequence[ir_measures.Measure]) -> dict[str, str]:
    """Return which constraints each measure meets and which it misses, by its name."""
    from .meta import axiom_table

    table = axiom_table(measures)
    described = {}
    for name, row in zip(table.index, table.to_numpy(bool), strict=True):
        found = {"meets": table.columns[row], "misses": table.columns[~row]}
        described[str(name)] = "; ".join(f"{does} {', '.join(these)}" for does, these in found.items() if len(these))
    return described


def page() -> str:
    """Return the reference page of all measures, in reStructuredText, family by family: it takes some seconds."""
    families: dict[str, list[tuple[DiversityMeasure, Example]]] = defaultdict(list)
    for measure, example in zip(registered(), examples(registered()), strict=True):
        families[type(measure).__module__].append((measure, example))
    parts = [_title("Measures", "="), _INTRODUCTION, _title("The topic of the examples", "-"), _topic_section()]
    for module in sorted(families, key=_family):
        parts += [_title(_family(module), "-"), *(_section(*each) for each in families[module])]
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = """\
Each measure of :mod:`pyterrier_diversity`, as it is declared. All read the columns ``qid``, ``docno``, ``label`` and
``iteration`` of the qrels; *columns* are those that a measure reads besides. Symbols: ``w_t`` the weight of intent t,
``g_it`` the label of the document at rank i for it, ``J_it`` 1 if it is relevant, ``r_it`` its probability of
relevance, ``c_it`` how many documents above are relevant to t, ``k`` the cutoff, ``T`` the intents with a relevant
document.

*Equal to* names the tool, or the printed example, whose values a test of this package reproduces. The *constraints* are
those of Amigó et al. (2018), which :doc:`which_measure` explains: "meets" says that no counter-example was found, for
the measure without a cutoff where it can do without. A turn is five documents there."""

_TOPIC = """\
The *example* of each measure is its value for this ranking of four documents, read in two turns, and for its first
document, its first two and so on. The intents a and b are informational and c is navigational, with the weights
{weights}; document d5 is not retrieved, d3 is judged and relevant to nothing.

{table}

The column ``rarity`` is read by the measures of rareness only. For ``EU_DD``, each label is a passage with a nugget of
its own, and each document has {words:g} words. To compute a value again:

>>> from pyterrier_diversity import RBU
>>> from pyterrier_diversity.reference import topic
>>> qrels, run = topic()
>>> round((RBU @ {depth}).calc_aggregate(qrels, run), 4)
{value}"""


def _topic_section() -> str:
    """Return the topic of the examples as a table."""
    rows = [("rank", "document", "turn", *_INTENTS, "rarity")]
    for doc, (rank, turn, rarity, labels) in _DOCUMENTS.items():
        cells = (rank, doc, turn, *(labels.get(intent) for intent in _INTENTS), rarity)
        rows.append(tuple("-" if cell is None else f"{cell}" for cell in cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "  ".join("=" * width for width in widths)
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    table = "\n".join([rule, lines[0], rule, *lines[1:], rule])
    weights = ", ".join(f"{weight:g}" for weight, _ in _INTENTS.values())
    value = round(parse(f"RBU@{_DEPTH}").calc_aggregate(*topic()), 4)
    return _TOPIC.format(weights=weights, table=table, words=_WORDS, depth=_DEPTH, value=value)


def _section(measure: DiversityMeasure, example: Example) -> str:
    known = entry(measure)
    cited = re.search(r"^\.\. cite\.dblp::.*$", _documented(measure), re.MULTILINE)
    fields = {
        "Formula": f"``{known['formula']}``",
        "Range": known["range"],
        "Columns": known["columns"],
        "Example": f"``{example.measure}`` is {example.by_rank[-1]:.4f}; rank by rank "
        + ", ".join(f"{value:.4f}" for value in example.by_rank),
        "Constraints": example.constraints,
        **({"Equal to": known["equals"]} if known["equals"] else {}),
        "Source": known["source"],
    }
    return "\n\n".join(
        [
            f".. _diversity-{known['measure']}:",
            _title(f"``{known['measure']}``: {known['name']}", "~"),
            _prose(measure),
            "\n".join(f":{name}: {value}" for name, value in fields.items()),
            "\n".join(f"- ``{name}``: {described}" for name, described in known["parameters"].items()),
            *([cited.group()] if cited else []),
        ]
    )


def _prose(measure: DiversityMeasure) -> str:
    """Return what the class says of itself, without its sections and citations."""
    prose = re.split(r"^(?:(?:Raises|References|Examples)\n-|\.\. cite)", _documented(measure), flags=re.MULTILINE)
    return prose[0].strip()


def _documented(measure: DiversityMeasure) -> str:
    return inspect.cleandoc(measure.__doc__ or "")


def _family(module: str) -> str:
    return (sys.modules[module].__doc__ or "").split("\n")[0].rstrip(".")


def _title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"
