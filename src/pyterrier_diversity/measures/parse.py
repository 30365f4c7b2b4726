"""Parse measures."""

from __future__ import annotations

import ast
from collections.abc import Sized
from typing import Any

import ir_measures
import pandas as pd

from ..parameters import CUTOFF, MEASURE
from .names import FORM, check_names, unknown_measure

__all__ = ["parse"]


def parse(text: str) -> ir_measures.Measure:
    """Read a measure from its name, such as ``RBU(p=0.9)@20``, or from the form in tables, such as ``IA(nDCG@20)``.

    Parameters
    ----------
    text : str
        The `repr` or `str` of a measure.

    Raises
    ------
    ValueError
        If the measure or a parameter is unknown, or a parameter is given twice.

    Examples
    --------
    >>> parse("Sharp(alpha_nDCG@20, gamma=0.3)")
    Sharp(measure='alpha_nDCG@20',gamma=0.3)
    """
    if "#" in text:  # Python would read a comment
        raise ValueError(unknown_measure(text))
    try:
        return _read(ast.parse(text.strip(), mode="eval").body)
    except (AttributeError, MemoryError, NameError, RecursionError, SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, ValueError) and str(error).endswith((".", "?")):  # about a parameter, or a name inside
            raise
        raise ValueError(unknown_measure(text)) from error


def _read(node: ast.expr) -> ir_measures.Measure:
    """Return the measure that a syntax tree names, in one pass over the tree."""
    given: list[tuple[str, ast.expr]] = []
    cutoff: list[ast.expr] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        cutoff, node = [node.right], node.left
    inner: list[ast.expr] = []
    if isinstance(node, ast.Call):
        given, inner, node = [(str(word.arg), word.value) for word in node.keywords], node.args, node.func
    if not isinstance(node, ast.Name):
        raise SyntaxError(FORM)
    measure = ir_measures.measures.registry.get(node.id)
    if measure is None:
        raise ValueError(unknown_measure(node.id))
    wraps = measure.SUPPORTED_PARAMS.get("measure") is MEASURE["measure"]
    if inner and (len(inner) > 1 or not wraps):
        raise SyntaxError(FORM)
    given = [*(("measure", value) for value in inner), *given, *((measure.AT_PARAM, value) for value in cutoff)]
    names = [name for name, _ in given]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{node.id}: the parameter {', '.join(twice)} is given twice.")
    params = {name: _inner(value) if wraps and name == "measure" else ast.literal_eval(value) for name, value in given}
    check_names(measure, params)
    if "cutoff" in params:
        params["cutoff"] = CUTOFF["cutoff"].check(str(measure.NAME), "cutoff", params["cutoff"])
    return measure(**params)


def _inner(node: ast.expr) -> ir_measures.Measure:
    """Return the measure inside of another one, which may be quoted."""
    return parse(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else _read(node)


def read_measure(who: str, measure: Any) -> ir_measures.Measure:
    """Return the measure that an object or a string stands for."""
    if isinstance(measure, str):
        return parse(measure)
    if not isinstance(measure, ir_measures.Measure):
        raise TypeError(f"{who}: a measure must be an object such as RBU @ 20, or its name, not {_described(measure)}.")
    check_names(measure, measure.params)  # ir_measures cannot print a measure with unknown parameters
    return measure


def _described(other: Any) -> str:
    """Describe an argument that is not a measure in a few words: a frame could fill the screen."""
    if isinstance(other, pd.DataFrame):
        return "a DataFrame; qrels come before measures"
    return f"a {type(other).__name__} of {len(other)}" if isinstance(other, Sized) else repr(other)
