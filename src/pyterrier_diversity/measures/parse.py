"""Measures read from text."""

from __future__ import annotations

import ast
import re
from difflib import get_close_matches
from typing import Any

import ir_measures

from .base import reason
from .composite import Wrapper


def parse(text: str) -> ir_measures.Measure:
    """Read a measure as ``ir_measures.parse_measure`` does, or as a table shows it: ``IA(nDCG@20)``.

    Parameters
    ----------
    text : str
        What `repr` or `str` of a measure gives.

    Raises
    ------
    ValueError
        If there is no such measure, or it does not take these parameters.

    Examples
    --------
    >>> parse("Sharp(alpha_nDCG@20, gamma=0.3)")
    Sharp(measure='alpha_nDCG@20',gamma=0.3)
    """
    try:
        call: ast.expr = ast.parse(text.strip(), mode="eval").body
        cutoff = {}
        if isinstance(call, ast.BinOp) and isinstance(call.op, ast.MatMult):
            cutoff = {"cutoff": ast.literal_eval(call.right)}
            call = call.left
        if isinstance(call, ast.Call) and len(call.args) == 1:
            wrapper = ir_measures.parse_measure(ast.unparse(call.func))
            if isinstance(wrapper, Wrapper):
                own = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
                return wrapper(parse(ast.unparse(call.args[0])), **own, **cutoff)
        measure = ir_measures.parse_measure(text.strip())
        unknown = sorted(measure.params.keys() - measure.SUPPORTED_PARAMS.keys())
        if unknown:  # ir_measures fails to print such a measure
            raise TypeError(f"{measure.NAME} has no parameter {', '.join(unknown)}")
        return measure
    except (AttributeError, NameError, SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, ValueError) and str(error).endswith("."):  # ours, of a parameter
            raise
        raise ValueError(f"{text!r} is no measure that ir_measures can read: {reason(error)}{_near(text)}.") from error


def _near(text: str) -> str:
    """Return the name that may be meant, if a text begins with a name which is none of a measure."""
    known = {name.lower(): name for name in ir_measures.measures.registry}
    name = re.split(r"\W", text.strip(), maxsplit=1)[0]
    alike = [] if name in known.values() else get_close_matches(name.lower(), known, n=1)
    return "".join(f"; perhaps {known[one]} is meant" for one in alike)


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
    return [read_measure(who, measure) for measure in several]
