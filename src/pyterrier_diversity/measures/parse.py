"""Measures from names, objects and grids of parameters; errors say what is wrong with a name or a parameter."""

import ast
import math
import re
from collections.abc import Iterable, Sized
from contextlib import suppress
from difflib import get_close_matches
from inspect import signature
from itertools import product
from typing import Any

import ir_measures
import pandas as pd

from ..parameters import CUTOFF, MEASURE, check_names
from .base import DiversityMeasure, implementation

__all__ = ["grid", "parse"]


FORM = "A measure is written as RBU@20 or RBU(p=0.9)@20"
# Names of measures in papers and other tools, as `_key` writes it, where ir_measures has no similar name.
_ELSEWHERE = {
    **dict.fromkeys(("irec", "cr", "srecall", "subtopicrecall"), "StRecall"),
    **{"sdcg": "SessionDCG", "nsdcg": "nSessionDCG", "andcg": "alpha_nDCG", "adcg": "alpha_DCG"},
    **{"dsharp": "Dsharp_nDCG", "dinsharp": "DINsharp_nDCG", "qmeasure": "Q"},
    **{"reciprank": "RR", "iprecatrecall": "IPrec", "numrelret": "NumRelRet", "setrecall": "SetR", "setmap": "SetAP"},
}
# Wrappers, a name, parameters, a cutoff, the rest of the name (P@10_IA), and the ends of the wrappers.
_WRITTEN = re.compile(
    r"((?:\w+\((?:measure=)?['\"]?)*)([^\W\d][\w#+.-]*+)(\([^()]*\))?([-_]\w++)?(@[\d.]+)?([-_]\w++)?(['\"),].*)?",
    flags=re.DOTALL,
)
_ERRORS = (AttributeError, MemoryError, NameError, RecursionError, SyntaxError, TypeError, ValueError)


def respelt(text: str) -> str:
    """Return what `parse` reads for a measure that is written as elsewhere or misspelt, or an empty string."""
    # A text that is copied from a paper may have other hyphens, and a musical sharp.
    plain = re.sub("[\u2010-\u2015\u2212]", "-", "".join(text.split()).replace("\u266f", "#"))
    written = _WRITTEN.fullmatch(plain)
    if written is None:
        return ""
    before, name, given, middle, at, ending, after = written.groups(default="")
    # ndcg_cut_10, ndcg_cut.10, nDCG_10
    words = re.findall(r"\d[\d.]*|[^-_.\d]+", re.sub(r"[-_]cut(?![^\W_\d])", "", name + middle + ending))
    at = "".join(f"@{word}" for word in words if word[0].isdigit()) + at
    name = "".join(word for word in words if not word[0].isdigit() and word.upper() != "IA")
    key, names = _key(name), ir_measures.measures.registry
    known = {_key(one): str(measure.NAME) for one, measure in names.items()}
    near = get_close_matches(key, known, n=1)
    base = name if name in names else (known | _ELSEWHERE).get(key) or (known[near[0]] if near else "?")
    forms = [f"{base}{{}}{at}"]
    if "IA" in map(str.upper, words):  # some measures have an intent-aware class of their own
        own = known.get(f"{key}ia") or known.get(f"{_key(base)}ia", "")
        forms = [f"{own}{{}}{at}", f"IA({base}{{}}{at})"]
    if re.match(r"\([\d.]", given):  # RBP(0.8)
        forms = [form.replace("{}", f"({one}={{}}") for form in forms for one in ("p", "alpha", "gamma", "cutoff")]
        given = given[1:]
    return next(filter(_is_measure, (before + form.replace("{}", given) + after for form in forms)), "")


def _key(name: str) -> str:
    """Return a name without what differs between spellings: case, underscores and symbols."""
    for written, read in (("\u03b1", "alpha"), ("#", "sharp"), ("+", "plus"), ("_", "")):
        name = name.replace(written, read)
    return name.lower()


def _is_measure(text: str) -> bool:
    with suppress(*_ERRORS):
        _read_text(text)
        return True
    return False


def parse(text: str) -> ir_measures.Measure:
    """Read a measure from its name, such as ``RBU(p=0.9)@20``, or from the form in tables, such as ``IA(nDCG@20)``.

    Parameters
    ----------
    text : str
        The `repr` or `str` of a measure.

    Raises
    ------
    TypeError
        If ``text`` is not a string.
    ValueError
        If the measure or a parameter is unknown, or a parameter is out of range or given twice.

    Examples
    --------
    >>> parse("Sharp(alpha_nDCG@20, gamma=0.3)")
    Sharp(measure='alpha_nDCG@20',gamma=0.3)
    """
    if not isinstance(text, str):
        raise TypeError(f"parse: text must be the name of a measure, not {_as_words(text)}.")
    try:
        return _read_text(text)
    except _ERRORS as error:
        if isinstance(error, ValueError) and str(error).endswith((".", "?")):  # about a parameter, or a name inside
            raise
        name = (isinstance(error, NameError) and error.name) or text
        whole = respelt(text)
        near = whole or respelt(name)
        hint = f"{f' Did you mean {near}?' if near else ''}{'' if whole else f' {FORM}.'}"
        raise ValueError(f"Unknown measure {name!r}.{hint}") from error


def _read_text(text: str) -> ir_measures.Measure:
    if "#" in text:  # Python would read a comment
        raise SyntaxError(FORM)
    return _measure_of(ast.parse(text.strip(), mode="eval").body)


def _measure_of(node: ast.expr) -> ir_measures.Measure:
    """Return the measure that a syntax tree names, in one pass over the tree."""
    at: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        at, node = [node.right], node.left
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    if not isinstance(call.func, ast.Name):
        raise SyntaxError(FORM)
    named = call.func.id
    measure = ir_measures.measures.registry.get(named)
    if measure is None:
        raise NameError(name=named)
    wraps = measure.SUPPORTED_PARAMS.get("measure") is MEASURE["measure"]
    # IA(nDCG) and UserModel(2, 'DCG') as in Python; all other parameters have names.
    arguments = list(signature(type(measure).__call__).parameters.values())[1:]
    positional = [one.name for one in arguments if one.kind is one.POSITIONAL_OR_KEYWORD]
    if len(call.args) > len(positional):
        raise SyntaxError(FORM)
    given = [*zip(positional, call.args, strict=False), *((str(word.arg), word.value) for word in call.keywords)]
    given += [(measure.AT_PARAM, value) for value in at]
    names = [name for name, _ in given]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{named}: the parameter {', '.join(twice)} is given twice.")
    params = {name: _inner(value) if wraps and name == "measure" else ast.literal_eval(value) for name, value in given}
    check_names(measure, params)
    if "cutoff" in params:
        params["cutoff"] = CUTOFF["cutoff"].check(str(measure.NAME), "cutoff", params["cutoff"])
    return measure(**params)


def _inner(node: ast.expr) -> ir_measures.Measure:
    """Return the measure inside a wrapper, which may be quoted."""
    return parse(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else _measure_of(node)


def read_measure(who: str, measure: Any) -> ir_measures.Measure:
    """Return the measure that an object or a string stands for."""
    if isinstance(measure, str):
        return parse(measure)
    if not isinstance(measure, ir_measures.Measure):
        raise TypeError(f"{who}: a measure must be an object such as RBU @ 20, or its name, not {_as_words(measure)}.")
    check_names(measure, measure.params)  # ir_measures cannot print a measure with unknown parameters
    return measure


def higher_is_better(measure: ir_measures.Measure | str) -> bool:
    """Tell whether higher values of a measure are better; true for names that cannot be parsed."""
    return bool(getattr(_known(measure), "HIGHER_IS_BETTER", True))


def value_range(measure: ir_measures.Measure | str) -> tuple[float, float]:
    """Return the smallest and the largest value that a measure can have; infinite where a limit is not known."""
    known = _known(measure)
    if isinstance(known, DiversityMeasure):
        return known.range()
    # ir_measures' measures of documents that are relevant or not are shares, except for the counts.
    is_share = type(known).__module__.startswith("ir_measures.") and not str(known).startswith("Num")
    is_share = is_share and isinstance(known["rel"] if "rel" in known.SUPPORTED_PARAMS else None, int)
    return (0.0, 1.0) if is_share else (-math.inf, math.inf)


def _known(measure: ir_measures.Measure | str) -> Any:
    """Return this package's implementation of a measure, otherwise the measure, or None if it cannot be read."""
    try:
        read = parse(measure) if isinstance(measure, str) else measure
        return implementation(read, inside=True) or read
    except ValueError:
        return None


def _as_words(other: Any) -> str:
    """Describe an argument that is not a measure in a few words: a frame could fill the screen."""
    if isinstance(other, pd.DataFrame):
        return "a DataFrame; qrels come before measures"
    return f"a {type(other).__name__} of {len(other)}" if isinstance(other, Sized) else repr(other)


def grid(measure: ir_measures.Measure | str, /, **values: Iterable[Any]) -> tuple[ir_measures.Measure, ...]:
    """Return a measure with each combination of parameters.

    Parameters
    ----------
    measure : Measure or str
        Any measure, or its name. It keeps the parameters that ``values`` does not name.
    **values : iterable
        The values of each parameter, such as ``cutoff``.

    Returns
    -------
    tuple of Measure
        One measure for each combination; the last parameter varies fastest.

    Raises
    ------
    ValueError
        If a parameter is unknown or a value is out of range. The values of measures that other providers compute are
        checked only when they are evaluated.
    TypeError
        If ``measure`` is not a measure, or a parameter has a single value instead of an iterable.

    Examples
    --------
    >>> from pyterrier_diversity import RBU
    >>> grid(RBU @ 20, p=[0.9, 0.99], e=[0.001])
    (RBU(p=0.9)@20, RBU@20)
    """
    for name, several in values.items():
        if isinstance(several, str) or not isinstance(several, Iterable):
            raise TypeError(f"grid: {name} must be an iterable of values, as in {name}=[{several!r}], not one value.")
    measure = read_measure("grid", measure)
    check_names(measure, values)
    ours = implementation(measure)
    if ours is not None and not isinstance(measure, DiversityMeasure):
        for name, several in values.items():
            plain = [ours.SUPPORTED_PARAMS[name].check(ours.NAME, name, value) for value in several]
            # The classes of ir_measures require the exact types of their parameters.
            kind = measure.SUPPORTED_PARAMS[name].dtype
            values[name] = [kind(value) if kind(value) == value else value for value in plain]
    return tuple(measure(**dict(zip(values, point, strict=True))) for point in product(*values.values()))
