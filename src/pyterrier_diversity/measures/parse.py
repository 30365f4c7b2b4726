"""Measures read from text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, cast

import ir_measures

from ..parameters import CUTOFF, Parameter
from .base import reason
from .composite import Wrapper

_FORM = "a measure is written as RBU@20 or RBU(p=0.9)@20, one in each text"
_CUTOFF = cast("Parameter", CUTOFF["cutoff"])
# Names of trec_eval that no name of ir_measures is like.
_OF_TREC_EVAL = {"recip_rank": "RR", "ndcg_cut": "nDCG", "map_cut": "AP"}


def parse(text: str) -> ir_measures.Measure:
    """Read a measure as ``ir_measures.parse_measure`` does, or as a table shows it: ``IA(nDCG@20)``.

    Parameters
    ----------
    text : str
        What `repr` or `str` of a measure gives.

    Raises
    ------
    ValueError
        If there is no such measure, it does not take these parameters, or a parameter is given twice.

    Examples
    --------
    >>> parse("Sharp(alpha_nDCG@20, gamma=0.3)")
    Sharp(measure='alpha_nDCG@20',gamma=0.3)
    """
    try:
        return _read(ast.parse(text.strip(), mode="eval").body)
    except (AttributeError, MemoryError, NameError, RecursionError, SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, ValueError) and str(error).endswith("."):  # ours, of a parameter
            raise
        why = reason(error) if isinstance(error, (NameError, TypeError)) else _FORM
        raise ValueError(f"{text!r} is no measure that ir_measures can read: {why}{_near(text)}.") from error


def _read(node: ast.expr) -> ir_measures.Measure:
    """Return the measure that a syntax tree names; each part of the tree is read once."""
    given: list[tuple[str, ast.expr]] = []
    cutoff: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        cutoff, node = [node.right], node.left
    inner: list[ast.expr] = []
    if isinstance(node, ast.Call):
        given, inner, node = [(str(word.arg), word.value) for word in node.keywords], node.args, node.func
    if not isinstance(node, ast.Name):
        raise SyntaxError(_FORM)
    measure = ir_measures.measures.registry.get(node.id)
    if measure is None:
        raise NameError(f"measure not found: {node.id}")
    if inner and (len(inner) > 1 or not isinstance(measure, Wrapper)):
        raise SyntaxError(_FORM)
    given = [*(("measure", value) for value in inner), *given, *((measure.AT_PARAM, value) for value in cutoff)]
    names = [name for name, _ in given]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{node.id}: the parameter {', '.join(twice)} is given twice.")
    params = {name: _value(measure, name, value) for name, value in given}
    unknown = sorted(params.keys() - measure.SUPPORTED_PARAMS.keys())
    if unknown:  # ir_measures fails to print such a measure
        raise TypeError(f"{measure.NAME} has no parameter {', '.join(unknown)}")
    if "cutoff" in params:
        params["cutoff"] = _CUTOFF.check(str(measure.NAME), "cutoff", params["cutoff"])
    return measure(**params)


def _value(measure: ir_measures.Measure, name: str, node: ast.expr) -> Any:
    """Return the value of a parameter."""
    if name != "measure" or not isinstance(measure, Wrapper):
        return ast.literal_eval(node)
    return parse(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else _read(node)


def _near(text: str) -> str:
    """Return the name that may be meant, if a text begins with a name which is none of a measure."""
    known = {name.lower(): measure.NAME for name, measure in ir_measures.measures.registry.items()}
    name = re.split(r"[^\w#-]", text.strip(), maxsplit=1)[0]
    if name in ir_measures.measures.registry:
        return ""
    for written, read in (("\u03b1", "alpha_"), ("#", "sharp_"), ("-", "_")):
        name = name.replace(written, read)
    name = re.sub("_+", "_", re.sub(r"_\d+$", "", name)).lower()
    alike = (
        [_OF_TREC_EVAL[name]] if name in _OF_TREC_EVAL else [known[one] for one in get_close_matches(name, known, n=1)]
    )
    return "".join(f"; perhaps {one} is meant" for one in alike)


def read_measure(who: str, measure: Any) -> ir_measures.Measure:
    """Return a measure that is given as an object or as a string."""
    if isinstance(measure, str):
        return parse(measure)
    if not isinstance(measure, ir_measures.Measure):
        raise TypeError(f"{who}: a measure must be an object such as RBU @ 20, or its name, not {measure!r}.")
    return measure


def read_measures(who: str, measures: Any) -> list[ir_measures.Measure]:
    """Return measures, of which there may be one or several, given as objects or as strings."""
    several = [measures] if isinstance(measures, (ir_measures.Measure, str)) else measures
    if not isinstance(several, Iterable):
        raise TypeError(f"{who}: measures must be a measure or several, not {type(measures).__name__}.")
    return [read_measure(who, measure) for measure in several]
