"""Expected values of measures over the ranks at which users stop."""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ..measures import parse
from ..measures.composite import innermost
from ..parameters import CUTOFF, Parameter
from .scores import Scores, read_scores, with_legend

_PROBABILITY = Parameter(float, interval="[0, 1]")


def expected_over_cutoffs(perquery: Any, probabilities: Mapping[int, float]) -> pd.DataFrame:
    r"""Compute the expected value of a measure when users stop at rank k with probability P(k).

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them, for instance for ``[RBU @ k for k in probabilities]``. Measures with other cutoffs are ignored.
    probabilities : mapping of int to float
        The probability in [0, 1] of each cutoff. They sum to 1: count users who read further at the last cutoff.

    Returns
    -------
    DataFrame
        A frame like that of ``pt.Experiment``, for `compare` and the other functions. ``attrs`` describes the columns.

        - ``name``: the system
        - ``qid``: the query
        - ``measure``, such as ``E[RBU@k]``: the expected measure; k is the rank at which the user stops
        - ``value``: mean of the measure over the cutoffs, weighted by their probabilities

    Raises
    ------
    ValueError
        If the frame cannot be read, a cutoff or probability is out of range, or the probabilities do not sum to 1
        (within 1e-9). Also if a measure has some of the cutoffs but not all.
    TypeError
        If the probabilities are not a mapping.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    :math:`\sum_k P(k)\, M@k`. For precision and a fixed distribution P(k), this is model 4 of Carterette, such as
    ``RBAP`` with P(k) = (1 - θ)^(k - 1) θ. This function takes any distribution, such as one from a log, and any
    measure.

    References
    ----------
    Carterette (2011). System effectiveness, user models, and user utility: a conceptual framework for investigation.
    SIGIR, 903-912, Sec. 5.3. https://doi.org/10.1145/2009916.2010037

    Examples
    --------
    One of three users reads one document, and two read five: (0.9 + 2 * 0.3) / 3.

    >>> rows = [("x", "1", "RBU@1", 0.9), ("x", "1", "RBU@5", 0.3)]
    >>> frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    >>> expected_over_cutoffs(frame, {1: 1 / 3, 5: 2 / 3})
      name qid   measure  value
    0    x   1  E[RBU@k]    0.5
    """
    who = "expected_over_cutoffs"
    if not isinstance(probabilities, Mapping):
        raise TypeError(f"{who}: probabilities must be a dict of cutoffs, not {type(probabilities).__name__}.")
    cutoffs = [CUTOFF["cutoff"].check(who, "probabilities", cutoff) for cutoff in probabilities]
    given = [_PROBABILITY.check(who, f"probability of cutoff {cutoff}", p) for cutoff, p in probabilities.items()]
    total = math.fsum(given)
    if abs(total - 1) > 1e-9:
        raise ValueError(f"{who}: probabilities must sum to 1, not {total:g}: add the rest to the last cutoff.")
    chances = {cutoff: chance for cutoff, chance in zip(cutoffs, given, strict=True) if chance}
    scores = read_scores(perquery)
    pairs = list(product(scores.systems, scores.queries))
    rows = []
    for measure, names in _names_by_cutoff(scores, chances).items():
        values = np.sum([chances[cutoff] * scores.by_measure[name] for cutoff, name in names.items()], axis=0)
        rows += [(*of, measure, value) for of, value in zip(pairs, values.flat, strict=True)]
    table = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    return with_legend(table, expected_over_cutoffs, {})


def _names_by_cutoff(scores: Scores, chances: Mapping[int, float]) -> dict[str, dict[int, str]]:
    """Return, for each expected measure, the name of its measure at each cutoff."""
    found: dict[str, dict[int, str]] = {}
    for name in scores.measures:
        measure = parse(name)
        cutoff = innermost(measure).params.get("cutoff")
        if cutoff is not None and cutoff in chances:
            before, _, after = str(measure @ 1).rpartition("@1")
            found.setdefault(f"E[{before}@k{after}]", {})[cutoff] = name
    if not found:
        raise ValueError(
            "expected_over_cutoffs: perquery must have a measure with a cutoff of "
            f"{', '.join(map(str, chances))}, but has {', '.join(scores.measures)}."
        )
    for expected, names in found.items():
        missing = [str(cutoff) for cutoff in chances if cutoff not in names]
        if missing:
            raise ValueError(f"expected_over_cutoffs: {expected} needs the cutoffs {', '.join(missing)}, too.")
    return found
