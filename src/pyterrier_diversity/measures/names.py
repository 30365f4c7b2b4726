"""Error messages for unknown measures and unknown parameters."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

import ir_measures

FORM = "A measure is written as RBU@20 or RBU(p=0.9)@20"
# Names of trec_eval that resemble no name of ir_measures.
_OF_TREC_EVAL = {"recip_rank": "RR", "ndcg_cut": "nDCG", "map_cut": "AP"}


def unknown_measure(text: str) -> str:
    """Return the error message for a text that names no measure, with the most similar name or the form of one."""
    name = re.match(r"[\w#]+(-[^\W\d]\w*)*", text.strip())
    if name is not None and name.group() in ir_measures.measures.registry:
        return f"Unknown measure {text!r}. {FORM}."
    near = "" if name is None else _most_similar(name.group())
    # The rest of the text, such as a cutoff, may be right.
    is_form = name is not None and re.fullmatch(r"(\(.*\))?(@\d+)?", text.strip()[name.end() :], flags=re.DOTALL)
    shown = name.group() if name is not None and is_form else text
    if not near:
        return f"Unknown measure {shown!r}. {FORM}."
    if not is_form:
        return f"Unknown measure {shown!r}. Did you mean {near}? {FORM}."
    return f"Unknown measure {shown!r}. Did you mean {near}?"


def _most_similar(name: str) -> str:
    """Return the most similar name of a measure, or an empty string."""
    for written, read in (("\u03b1", "alpha_"), ("#", "sharp_"), ("-", "_")):
        name = name.replace(written, read)
    name = re.sub("_+", "_", re.sub(r"_\d+$", "", name)).lower()
    if name in _OF_TREC_EVAL:
        return _OF_TREC_EVAL[name]
    known = {name.lower(): str(measure.NAME) for name, measure in ir_measures.measures.registry.items()}
    return next((known[one] for one in get_close_matches(name, known, n=1)), "")


def check_name(name: str) -> None:
    """Raise a ``ValueError`` if a measure of this name could not be parsed."""
    # Python normalises some letters of names, and reads D#-nDCG as D with a comment.
    normal = unicodedata.normalize("NFKC", name)
    if not name.isidentifier() or keyword.iskeyword(name) or name != normal or name == "D":
        raise ValueError(f"register: {name!r} cannot be parsed as the name of a measure. Choose another NAME.")


def check_names(measure: ir_measures.Measure, given: Iterable[str]) -> None:
    """Raise a ``ValueError`` for parameters that a measure does not have."""
    unknown = sorted(set(given) - measure.SUPPORTED_PARAMS.keys())
    if unknown:
        raise ValueError(
            f"{measure.NAME} has no parameter {', '.join(map(repr, unknown))}; its parameters: "
            f"{', '.join(measure.SUPPORTED_PARAMS) or 'none'}."
        )


def check_parameters(measure: ir_measures.Measure) -> None:
    """Raise a ``ValueError`` for parameters that ir_measures checks only by ``assert``, which ``-O`` removes."""
    check_names(measure, measure.params)
    for name, parameter in measure.SUPPORTED_PARAMS.items():
        if name not in measure.params:
            if parameter.required:
                raise ValueError(f"{measure}: the parameter {name} is missing.")
        elif not parameter.validate(measure.params[name]):
            raise ValueError(f"{measure}: invalid param {name}={measure.params[name]!r}.")
