"""Write the reference pages of the measures from their declarations.

Run it after adding or changing a measure: ``python tests/write_reference.py``. A test fails while the files
differ from its output.
"""

import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import ir_measures
import pandas as pd
from ir_measures import nDCG

from pyterrier_diversity import ERR_IA, IA, Adhoc, Sharp, UserModel, alpha_DCG
from pyterrier_diversity.measures import DiversityMeasure, parse, registered
from pyterrier_diversity.parameters import CUTOFF, GRADES, JUDGED_ONLY, REL_FROM_1, Parameter
from pyterrier_diversity.report.reference import entry, notes_of, parameter_text, prose

FOLDER = Path(__file__).parents[1] / "src" / "pyterrier_diversity" / "pt_docs"

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

# Examples of measures that need a parameter.
EXAMPLES: dict[str, ir_measures.Measure] = {
    "Adhoc": Adhoc(nDCG),
    "ERR_IA": ERR_IA @ 20,
    "IA": IA(nDCG),
    "Sharp": Sharp(nDCG),
    "UserModel": UserModel(1, "RBP"),
    "alpha_DCG": alpha_DCG @ 20,
}


class Example(NamedTuple):
    """A measure, its value after each document of the topic of the examples, and the constraints that it meets."""

    measure: ir_measures.Measure
    by_rank: list[float]
    constraints: str


def topic() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the topic of the examples: qrels with all columns that measures read, and a ranking."""
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
    shown = [EXAMPLES.get(measure.NAME, measure) for measure in measures]
    cut = [_at_the_end(measure) for measure in shown]
    qrels, run = topic()
    values = [ir_measures.calc_aggregate(cut, qrels, run.head(n)) for n in range(1, len(run) + 1)]
    asked = _constraints([measure for measure in shown if not _needs(measure)])
    constraints = [
        f"not tested, because the topics of the search have no column {' and '.join(_needs(measure))}"
        if _needs(measure)
        else asked[str(measure)]
        for measure in shown
    ]
    return [Example(each, [value[each] for value in values], met) for each, met in zip(cut, constraints, strict=True)]


@cache
def every_example() -> list[Example]:
    """Return the examples of all registered measures, which take some seconds."""
    return examples(registered())


def _needs(measure: ir_measures.Measure) -> tuple[str, ...]:
    return measure.NEEDS if isinstance(measure, DiversityMeasure) else ()


def _at_the_end(measure: ir_measures.Measure) -> ir_measures.Measure:
    """Return a measure with the last turn or rank of the topic of the examples as its cutoff, if it takes one."""
    if "cutoff" not in measure.SUPPORTED_PARAMS:
        return measure
    return measure @ (_TURNS if isinstance(measure, DiversityMeasure) and measure.COUNTS_TURNS else _DEPTH)


def _constraints(measures: Sequence[ir_measures.Measure]) -> dict[str, str]:
    """Return which constraints each measure meets and which it breaks, by its name."""
    from pyterrier_diversity.meta import axiom_table

    table = axiom_table(measures)
    met = {}
    for name, row in zip(table.index, table.to_numpy(bool), strict=True):
        found = {"meets": table.columns[row], "breaks": table.columns[~row]}
        met[str(name)] = "; ".join(f"{does} {', '.join(these)}" for does, these in found.items() if len(these))
    return met


def pages() -> dict[str, str]:
    """Return the reference in reStructuredText: its first page, the symbols, and a page for each family, by file name.

    This takes a few seconds.
    """
    families: dict[str, list[tuple[DiversityMeasure, Example]]] = defaultdict(list)
    for measure, example in zip(registered(), every_example(), strict=True):
        families[type(measure).__module__].append((measure, example))
    ordered = {module: families[module] for module in sorted(families, key=_place)}
    written = {f"measures/{_stem(module)}.rst": _family_page(module, of) for module, of in ordered.items()}
    return {"measures.rst": _first_page(ordered), "measures/symbols.rst": _symbols_page(), **written}


# The families in the order of the pages, the simplest first; any others follow.
_FAMILIES: tuple[str, ...] = (
    "rbu",
    "alpha_dcg",
    "graded_novelty",
    "composite",
    "subtopic",
    "nugget_scores",
    "d_measures",
    "ad_hoc",
    "session",
    "trec_dd_2015",
    "rareness",
    "user_models",
)

_INTRODUCTION = """\
Every measure of :mod:`pyterrier_diversity` by family, Rank-Biased Utility first. Each family has a page with the
formulas, the parameters, an example and the sources. :doc:`measures/symbols` has what all measures share: the rules,
the symbols of the formulas, and the common parameters. :doc:`which_measure` helps you choose.

*Needs* lists the columns of the qrels that a measure reads in addition to ``qid``, ``docno``, ``label`` and
``iteration``; those in brackets are optional."""

_OF_SYMBOLS = """\
This page defines what all measures share: which documents, intents and queries count, what the letters in the
formulas mean, the parameters that many measures have, and the topic of the examples."""

_SYMBOLS = """\
.. list-table::
   :widths: 20 80

   * - :math:`i, j`
     - ranks, from 1 down to the cutoff :math:`k`, or to the length :math:`n` of the ranking
   * - :math:`d_i`
     - the document at rank i
   * - :math:`T`
     - the intents with at least one relevant document; :math:`T_i` those that the first i documents cover
   * - :math:`w_t`
     - weight of intent t; the weights of :math:`T` sum to 1, and are equal without a column ``weight``
   * - :math:`g_{it}`
     - label of :math:`d_i` for intent t, 0 if it is unjudged. Where the measure has a parameter ``gain``, it is
       :math:`2^g - 1` for a label g with ``gain="exp"``, g with ``"linear"``, :math:`J_{it}` with ``"binary"``, and the
       value of g with a dict
   * - :math:`J_{it}`
     - 1 if :math:`d_i` is relevant to t, otherwise 0; :math:`J_i` likewise for any intent
   * - :math:`r_{it}`
     - probability that :math:`d_i` satisfies a user with intent t. For a label g, it is :math:`(2^g - 1) / 2^m` with
       ``gain="exp"``, :math:`g / m` with ``"linear"``, :math:`J_{it}` with ``"binary"``, and the value of g with a
       dict. Here m is ``max_rel``, or the largest label of the query's intent in the qrels if ``max_rel`` is not given
   * - :math:`c_{it}`
     - number of documents above rank i that are relevant to t
   * - :math:`R`
     - number of relevant documents; :math:`R_t` is their number for intent t
   * - :math:`X^*`
     - the value of X for the ideal ranking
   * - :math:`[\\ldots]`
     - 1 if the condition is true, otherwise 0"""

_RULES = """\
- Rankings are sorted by score, and ties by descending document id. The order of rows does not matter.
- Unjudged documents count as not relevant, and negative labels count as 0.
- Intents without a relevant document are left out, except by ``Coverage`` and ``NuggetScore``. The weights of the other
  intents are rescaled to sum to 1 for each query.
- A query of the qrels that is missing in the run scores 0, and counts in the mean. A query without relevant documents
  also counts: it scores 0 or, by ``RBU`` and ``EU``, minus the effort. Other queries of the run are ignored."""

_COMMON_TEXT = """\
These parameters mean the same in every measure that has them. ``M @ 10`` sets the cutoff of M.

{parameters}"""

_TOPIC = """\
The *example* of each measure is its value for this ranking of four documents, read in two turns, and for the first
document, the first two and so on. The intents a and b are informational and c is navigational, with the weights
{weights}. Document d5 is not retrieved. Document d3 is judged, but not relevant to any intent.

{table}

Only the measures of rareness read the column ``rarity``. For ``EU_DD``, each label is a passage with its own nugget,
and each document has {words:g} words. To compute a value yourself:

>>> from pyterrier_diversity import RBU, score
>>> labels = {labels}
>>> round(score(RBU @ {depth}, labels, weights={given}, others={others}), 4)
{value}

*Equal to* names the tool, or the printed example, whose values a test of this package reproduces. *Constraints* are
those of Amigó et al. (2018) (:doc:`../constraints`): "meets" means that a search found no counter-example. The search
uses no cutoff if the measure does not need one, and turns of five documents."""

# Parameters that are explained once for all measures.
_COMMON: dict[str, Parameter] = {**CUTOFF, **GRADES, **JUDGED_ONLY}


def _is_common(parameter: Parameter) -> bool:
    return parameter in (*_COMMON.values(), REL_FROM_1["rel"])


def _first_page(families: dict[str, list[tuple[DiversityMeasure, Example]]]) -> str:
    """Return the page with all measures in tables."""
    tables = [part for module, of in families.items() for part in (_title(_family(module), "-"), _index(module, of))]
    toctree = "\n".join(
        [
            ".. toctree::",
            "   :hidden:",
            "",
            "   measures/symbols",
            *(f"   measures/{_stem(module)}" for module in families),
        ]
    )
    return "\n\n".join([_title("Measures", "="), _LINKED, _INTRODUCTION, toctree, *tables]) + "\n"


def _symbols_page() -> str:
    """Return the page with what all measures have in common."""
    common = "\n".join(f"- {_parameter(name, parameter)}" for name, parameter in _COMMON.items())
    sections = {
        "Rules for all measures": _RULES,
        "Symbols": _SYMBOLS,
        "Common parameters": _COMMON_TEXT.format(parameters=common),
        "The topic of the examples": _topic_section(),
    }
    parts = [_title("Rules, symbols and common parameters", "="), _OF_SYMBOLS]
    for title, text in sections.items():
        parts += [f".. _diversity-{title.lower().replace(' ', '-')}:", _title(title, "-"), text]
    return "\n\n".join(parts) + "\n"


def _index(module: str, of: list[tuple[DiversityMeasure, Example]]) -> str:
    """Return the list of a family: for each measure, a description, its range and its needs."""
    lines = [f":doc:`Formulas, parameters and examples <measures/{_stem(module)}>`"]
    for measure, _ in of:
        known = entry(measure)
        needs = [column if column in measure.NEEDS else f"({column})" for column in measure.READS]
        what = re.sub(f"^{re.escape(known['name'])}: ", "", known["what"], flags=re.IGNORECASE)
        what = what if what.startswith("nDCG") else what[0].upper() + what[1:]
        told = f"{what.rstrip('.')}. *Range:* {known['range']}." + f" *Needs:* {', '.join(needs)}." * bool(needs)
        lines.append(f":ref:`{known['measure']} <diversity-{known['measure']}>`\n    {told}")
    return "\n\n".join(lines)


# Single backticks are links, in any build of the pages.
_LINKED = """\
.. default-role:: py:obj
.. currentmodule:: pyterrier_diversity"""

_EXPLAINED = """\
:doc:`symbols` explains the :ref:`symbols <diversity-symbols>`, the
:ref:`common parameters <diversity-common-parameters>` and
:ref:`the topic of the examples <diversity-the-topic-of-the-examples>`."""


def _shared(measures: Sequence[DiversityMeasure]) -> dict[str, Parameter]:
    """Return the parameters that several of these measures share, except those of all measures."""
    declared = [item for measure in measures for item in measure.SUPPORTED_PARAMS.items()]
    return {name: each for name, each in declared if declared.count((name, each)) > 1 and not _is_common(each)}


def _family_page(module: str, of: list[tuple[DiversityMeasure, Example]]) -> str:
    about = inspect.cleandoc(sys.modules[module].__doc__ or "")
    first, *more = about.split("\n\n")
    _, _, subtitle = first.rstrip(".").partition(": ")
    subtitle = f"{subtitle[0].upper()}{subtitle[1:]}." if subtitle else ""
    shared = _shared([measure for measure, _ in of])
    listed = "\n".join(f"- {_parameter(name, parameter)}" for name, parameter in shared.items())
    common = [f"Parameters that these measures share:\n\n{listed}"] if shared else []
    cited = [_cited(measure) for measure, _ in of]
    once = len({*cited}) == 1  # at the end of the page
    sections = [
        _section(measure, example, shared, "" if once else key)
        for (measure, example), key in zip(of, cited, strict=True)
    ]
    parts = [
        _title(_family(module), "="),
        _LINKED,
        subtitle,
        *more,
        _EXPLAINED,
        *common,
        *sections,
        *cited[: int(once)],
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _topic_section() -> str:
    """Return the topic of the examples as a table."""
    rows = [("rank", "document", "turn", *_INTENTS, "rarity")]
    for doc, (rank, turn, rarity, labels) in _DOCUMENTS.items():
        cells = (rank, doc, turn, *(labels.get(intent) for intent in _INTENTS), rarity)
        rows.append(tuple(r"\-" if cell is None else f"{cell}" for cell in cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "  ".join("=" * width for width in widths)
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    table = "\n".join([rule, lines[0], rule, *lines[1:], rule])
    weights = ", ".join(f"{weight:g}" for weight, _ in _INTENTS.values())
    value = round(parse(f"RBU@{_DEPTH}").calc_aggregate(*topic()), 4)
    retrieved, others = (
        [
            [labels.get(intent, 0) for intent in _INTENTS]
            for rank, _, _, labels in _DOCUMENTS.values()
            if (rank is None) is beside
        ]
        for beside in (False, True)
    )
    given = [weight for weight, _ in _INTENTS.values()]
    return _TOPIC.format(
        **{"weights": weights, "table": table, "words": _WORDS, "depth": _DEPTH, "value": value},
        **{"labels": retrieved, "others": others, "given": given},
    )


def _cited(measure: DiversityMeasure) -> str:
    """Return the line of the docstring that cites the paper, if there is one."""
    found = re.search(r"^\.\. cite\.dblp::.*$", (inspect.getdoc(measure) or ""), re.MULTILINE)
    return found.group() if found else ""


def _section(measure: DiversityMeasure, example: Example, shared: Mapping[str, Parameter], cited: str) -> str:
    known = entry(measure)
    where = re.sub(r"\$(.+?)\$", r":math:`\1`", notes_of(measure)["Where"])
    fields = {
        "Range": known["range"],
        "Columns": known["columns"],
        "Example": f"``{example.measure}`` is {example.by_rank[-1]:.4f}; rank by rank "
        + ", ".join(f"{value:.4f}" for value in example.by_rank),
        "Constraints": example.constraints,
        **({"Equal to": known["equals"]} if known["equals"] else {}),
        "Source": known["source"],
    }
    common = [name for name, each in measure.SUPPORTED_PARAMS.items() if _is_common(each)]
    above = [name for name, each in measure.SUPPORTED_PARAMS.items() if shared.get(name) is each]
    own = [f"- {_parameter(*item)}" for item in measure.SUPPORTED_PARAMS.items() if item[0] not in (*common, *above)]
    places = {"top of this page": above, ":ref:`common parameters <diversity-common-parameters>`": common}
    told = [f"the {place} for {', '.join(f'``{name}``' for name in names)}" for place, names in places.items() if names]
    if told:
        own.append(f"- See {', and '.join(told)}.")
    return "\n\n".join(
        [
            f".. index:: {', '.join(_spellings(known['measure']))}",
            f".. _diversity-{known['measure']}:",
            _title(f"``{known['measure']}``: {known['name']}", "-"),
            f".. py:data:: {known['measure']}",
            prose(measure),
            f".. math:: {notes_of(measure)['Formula']}",
            *([f"where {where}."] if where else []),
            "\n".join(f":{name}: {value}" for name, value in fields.items()),
            "\n".join(own),
            *([cited] if cited else []),
        ]
    )


def _spellings(name: str) -> list[str]:
    """Return a name and how papers write it, so that a search for any of these finds the measure first."""
    symbols = name.replace("sharp_", "#-").replace("sharp", "#").replace("plus", "+").replace("alpha_", "\u03b1-")
    every = {name, *(each.replace("_", "-") for each in (name, symbols, name.replace("sharp", "-sharp")))}
    return [f"! {each}" for each in sorted(every)]  # of the first rank in the search


def _parameter(name: str, parameter: Parameter) -> str:
    return f"``{name}``: {parameter_text(parameter)}"


def _family(module: str) -> str:
    return (sys.modules[module].__doc__ or "").split("\n")[0].rstrip(".").split(": ")[0]


def _stem(module: str) -> str:
    return module.rpartition(".")[-1]


def _place(module: str) -> tuple[int, str]:
    stem = _stem(module)
    return (_FAMILIES.index(stem) if stem in _FAMILIES else len(_FAMILIES), stem)


def _title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def write(written: Mapping[str, str], pattern: str) -> None:
    """Write pages by name, and remove other pages that match a pattern."""
    for stale in set(FOLDER.glob(pattern)) - {FOLDER / name for name in written}:
        stale.unlink()
    for name, text in written.items():
        (FOLDER / name).parent.mkdir(exist_ok=True)
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(pages(), "measures/*.rst")
