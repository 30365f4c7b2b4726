"""Groups of measures to report together, and signatures for papers."""

import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import ir_measures
import pandas as pd
from ir_measures import AP_IA, ERR_IA, NRBP, P_IA, StRecall, alpha_DCG, alpha_nDCG, nERR_IA, nNRBP

from ..parameters import check_parameters
from .base import implementation, other_provider
from .composite import Adhoc, DINsharp_nDCG, Dsharp_nDCG, PplusQsharp, innermost, inside
from .d_measures import D_nDCG
from .nugget_scores import NuggetScore
from .parse import grid, parse, read_measure
from .rbu import RBU
from .subtopic import Coverage
from .user_models import ARR, CDG, DAG, DCG, EPR, RAP, RBAP, RBTR, RRAP, RRG, RRR, RRTR, UserModel

__all__ = ["CARTERETTE", "CRUX", "FRESHSTACK", "NDEVAL", "NTCIR_INTENT", "NUGGETS", "RBU18_OFFICIAL", "signature"]

MeasureGroup = tuple[ir_measures.Measure, ...]
# What functions take: one or several measures, as objects or by their names.
Measures = ir_measures.Measure | str | Iterable[ir_measures.Measure | str]
_CUTOFFS = (5, 10, 20)


def signature(measure: ir_measures.Measure | str, *, ties: str | None = None) -> str:
    """Describe a measure in one line, with everything needed to compute its values again.

    Parameters
    ----------
    measure : Measure or str
        Any measure that ir_measures can compute.
    ties : str, optional
        How ties were broken, in words. By default, as the measure's provider breaks them.

    Returns
    -------
    str
        The measure, the value of every parameter, the treatment of ties and missing queries, and the provider with its
        version.

    Raises
    ------
    TypeError
        If ``measure`` is neither a measure nor a name.
    ValueError
        If the name or a parameter is unknown, a value is out of range, or no installed provider computes the measure.

    Examples
    --------
    >>> print(signature(RBU @ 20).split("|")[1])
    cutoff=20,p=0.99,e=0.001,gain='exp',max_rel=None,rel=None,norm=False
    """
    measure = read_measure("signature", measure)
    ours = implementation(measure)
    # importlib.metadata knows the version, too, but is slow to import.
    tool = f"pyterrier-diversity {sys.modules[__name__.partition('.')[0]].__version__}"
    inner = measure if ours is None else innermost(ours)
    if ours is None or implementation(inner, inside=True) is None:
        check_parameters(inner)
        provider = other_provider(inner)
        if provider is None:
            raise ValueError(f"{inner}: no installed provider computes this measure.")
        theirs = f"ir-measures {ir_measures.__version__} ({provider.NAME})"
        tool = theirs if ours is None else f"{tool} over {theirs}"
    if ties is None:
        ties = "docno descending" if ours is not None else "as that provider breaks them"
    described = _parameters(measure if ours is None else ours)
    return "|".join([str(measure), *described, f"ties: {ties}", "queries missing in the run score 0", tool])


def _parameters(measure: ir_measures.Measure) -> list[str]:
    """Return every parameter with its value, and then those of the inner measure."""
    inner = inside(measure)
    elsewhere = () if inner is None else ("measure", "cutoff")
    values = {name: measure[name] for name in measure.SUPPORTED_PARAMS if name not in elsewhere}
    # ir_measures uses a bare object for a parameter that has neither a value nor a default.
    own = [",".join(f"{name}={value!r}" for name, value in values.items() if type(value) is not object)]
    return own if inner is None else [*filter(None, own), f"measure: {inner}", *_parameters(inner)]


#: The columns of ndeval, the program of the TREC Web tracks' diversity tasks.
NDEVAL: MeasureGroup = (
    *(measure @ k for measure in (ERR_IA, nERR_IA, alpha_DCG, alpha_nDCG) for k in _CUTOFFS),
    NRBP,
    nNRBP,
    AP_IA,
    *(measure @ k for measure in (P_IA, StRecall) for k in _CUTOFFS),
)

#: The measures of NTCIR's INTENT tasks for document rankings.
NTCIR_INTENT: MeasureGroup = (StRecall @ 10, D_nDCG @ 10, Dsharp_nDCG @ 10, DINsharp_nDCG @ 10, PplusQsharp @ 10)

#: The measures of FreshStack, where nuggets are the intents (Thakur et al. 2025), and `NuggetScore` for its labels.
#:
#: FreshStack breaks ties by ascending id, rounds the Coverage of each query to five digits, and rounds means to four.
#: Here ties are broken by descending id, and nothing is rounded.
FRESHSTACK: MeasureGroup = (alpha_nDCG @ 10, Coverage @ 20, Adhoc(ir_measures.R @ 50), NuggetScore(full=1) @ 20)

#: The three scores of AutoNuggetizer, each strict and with partial support (Pradeep et al. 2025).
#:
#: A label of 2 means full support (``full=2``); formats with labels 0 and 1 need ``NuggetScore(full=1)``. To score the
#: passages of a ranking, add a cutoff: ``[measure @ 20 for measure in NUGGETS]``.
NUGGETS: MeasureGroup = grid(NuggetScore, importance=["vital", "weighted", "all"], partial=[0, 0.5])

#: The measures of CRUX, where a rating of 3 or more means that a passage answers a question.
#:
#: ``Coverage`` is over all questions of a topic, ``StRecall`` over those that a passage answers.
CRUX: MeasureGroup = (Coverage(rel=3) @ 10, StRecall(rel=3) @ 10, alpha_nDCG(rel=3) @ 10, NuggetScore(full=3) @ 10)

#: The official measures of the TREC Web track 2014 and variants of RBU, as in Amigó et al. (2018), Table 3.
RBU18_OFFICIAL: MeasureGroup = (*NDEVAL, *grid(RBU, e=[0, 0.001, 0.05, 0.1, 0.5], p=[0.8, 0.9, 0.99]))

#: The fifteen measures of Carterette (2011), Table 1, sorted by model and normalised as in Sec. 3.2.
CARTERETTE: MeasureGroup = (
    UserModel(1, "RBP"),
    CDG,
    RRG,
    RBTR(norm=True),
    DCG(norm=True),
    RRTR(norm=True),
    UserModel(3, "ERR"),
    ARR(norm=True),
    RRR,
    RBAP,
    DAG,
    RAP,
    EPR,
    UserModel(4, "AP"),
    RRAP,
)

GROUPS: dict[str, MeasureGroup] = {name: globals()[name] for name in __all__ if name.isupper()}


def read_measures(who: str, measures: Any) -> list[ir_measures.Measure]:
    """Return one or several measures, given as objects, as groups of them or as strings, without duplicates.

    A string names a measure or a group, or several of them with spaces or commas between.

    Raises
    ------
    TypeError
        If one is not a measure.
    ValueError
        If there are none, two different measures have the same name, or a name is unknown.
    """
    several: dict[str, ir_measures.Measure] = {}
    one = isinstance(measures, (ir_measures.Measure, str, pd.DataFrame)) or not isinstance(measures, Iterable)
    for measure in _read_each(who, [measures] if one else [*measures]):
        named = several.setdefault(str(measure), measure)
        # ir_measures compares names only.
        if type(named) is not type(measure) or named != measure:
            raise ValueError(f"{who}: two different measures have the name {measure}.")
    if not several:
        raise ValueError(f"{who}: measures must not be empty.")
    return list(several.values())


def _read_each(who: str, measure: Any) -> Iterable[ir_measures.Measure]:
    if isinstance(measure, (list, tuple)):
        return [read for each in measure for read in _read_each(who, each)]
    if not isinstance(measure, str):
        return [read_measure(who, measure)]
    return [read for name in _split(measure) for read in GROUPS.get(name) or [_parsed(name)]]


def _parsed(name: str) -> ir_measures.Measure:
    """Read a measure; the error about an unknown name may name a group."""
    try:
        return parse(name)
    except ValueError as error:
        near = get_close_matches(name.upper(), GROUPS, n=1, cutoff=0.8)
        if near and "Did you mean" not in str(error):
            raise ValueError(f"Unknown measure {name!r}. Did you mean {near[0]}?") from error
        raise


def _split(text: str) -> list[str]:
    """Split a text at spaces and commas, except inside brackets and next to an ``@``."""
    names, depth = [""], 0
    for character in re.sub(r"\s*([(@])\s*", r"\1", text):
        depth += (character in "([{") - (character in ")]}")
        if depth <= 0 and (character == "," or character.isspace()):
            names.append("")
        else:
            names[-1] += character
    return [name for name in names if name] or [text]
