"""The search for rankings on which a measure breaks a constraint, and what it finds in words."""

from collections.abc import Iterable, Sequence
from itertools import product

import ir_measures
import numpy as np
import pandas as pd

from ...evaluate import DiversityEvaluator
from ...frames import collected
from ...measures import Adhoc
from ...measures.base import implementation
from ...measures.groups import read_measures
from ...measures.parse import read_measure
from ...parameters import Parameter
from ...progress import progress
from ..scores import Measures, with_legend
from .constraints import CONSTRAINTS, SATURATED, Constraint, Pair

# Largest labels to try, because some measures refuse larger ones: gdeval's ERR takes labels up to 4.
_LARGEST_LABELS = (SATURATED, 4, 3)

_KNOWN = Parameter(str, choices=tuple(CONSTRAINTS))

# Most measures that break a constraint do so on one of the first few instances.
_FIRST_INSTANCES = 24


def _judgements(pair: Pair) -> list[tuple[str, str, float, int]]:
    """Return the document, the intent with its weight, and the label of each judgement."""
    return [
        (doc, str(intent), weight, label)
        for doc, grades in pair.judged.items()
        for intent, (label, weight) in enumerate(zip(grades, pair.weights, strict=True), start=1)
    ]


def _values_of_pairs(measures: Sequence[ir_measures.Measure], pairs: Sequence[Pair]) -> np.ndarray:
    """Return the values of both rankings, shape (measures, pairs, 2). Each ranking is evaluated as a query."""
    rankings = [(pair, ranking) for pair in pairs for ranking in (pair.better, pair.worse)]
    run = {str(i): {doc: -float(rank) for rank, doc in enumerate(each)} for i, (_, each) in enumerate(rankings)}
    qrels = [(str(i), *row) for i, (pair, _) in enumerate(rankings) for row in _judgements(pair)]
    frame = pd.DataFrame(qrels, columns=["query_id", "doc_id", "iteration", "weight", "relevance"])
    # A form of each measure that reads topics with several intents.
    found = zip(measures, map(implementation, measures), strict=True)
    readable = [Adhoc(each) if ours is None or ours.VIEW == "ad hoc" else each for each, ours in found]
    # The evaluator sorts queries whose ids are numbers by the number.
    with collected():  # these topics are made up, and often have one intent
        return DiversityEvaluator(readable, frame).values(run).reshape(len(readable), -1, 2)


def _largest_label(measure: ir_measures.Measure) -> int:
    """Return the largest label that a topic may have for a measure."""
    for largest in _LARGEST_LABELS:
        try:
            _values_of_pairs([measure], CONSTRAINTS["Conf"].instances(largest)[0])
        except ValueError as error:
            refused = error
        else:
            return largest
    raise refused


def _search(
    measures: Sequence[ir_measures.Measure], constraints: Sequence[Constraint]
) -> dict[tuple[str, ir_measures.Measure], tuple[Pair, list[float]]]:
    """Return the smallest violation of each constraint by each measure: rankings and their values."""
    limits = {measure: _largest_label(measure) for measure in measures}
    violations: dict[tuple[str, ir_measures.Measure], tuple[Pair, list[float]]] = {}
    parts = slice(_FIRST_INSTANCES), slice(_FIRST_INSTANCES, None)
    steps = list(product(constraints, set(limits.values()), parts))
    for constraint, limit, part in progress(steps, "axioms", unit="search"):
        left = [each for each in measures if limits[each] == limit and (constraint.name, each) not in violations]
        instances = constraint.instances(min(limit, constraint.largest))[part]
        if not (left and instances):
            continue
        pairs = [pair for instance in instances for pair in instance]
        starts = np.cumsum([0, *(len(instance) for instance in instances[:-1])])
        values = _values_of_pairs(left, pairs)
        # The last bit of a value such as 0.47549502495 decides how it is rounded, but not how the difference is, which
        # is relative if an absolute value exceeds 1.
        size = np.maximum(1.0, np.abs(values).max(axis=-1))
        difference = np.round((values[..., 0] - values[..., 1]) / size, 10)
        as_demanded = np.logical_or.reduceat(difference > 0 if constraint.strict else difference >= 0, starts, axis=1)
        for measure, met, own in zip(left, as_demanded, values, strict=True):
            if not met.all():
                at = int(np.argmin(met))
                of = np.arange(starts[at], starts[at] + len(instances[at]))
                # Take the size that comes closest to the constraint.
                nearest = int(of[np.argmax(own[of, 0] - own[of, 1])])
                violations[constraint.name, measure] = pairs[nearest], own[nearest].tolist()
    return violations


def _frame(measure: ir_measures.Measure, constraint: Constraint, pair: Pair, values: Sequence[float]) -> pd.DataFrame:
    """Return a violation as a frame with a row for each ranking, document and intent."""
    rankings = []
    for name, ranking, value in zip(("better", "worse"), (pair.better, pair.worse), values, strict=True):
        rows = pd.DataFrame(_judgements(pair), columns=["docno", "iteration", "weight", "label"])
        rank = rows["docno"].map({doc: rank for rank, doc in enumerate(ranking, start=1)}).astype("Int64")
        rankings.append(rows.assign(ranking=name, value=value, rank=rank).sort_values("rank", kind="stable"))
    rule = {"constraint": constraint.name, "statement": constraint.statement, "strict": constraint.strict}
    columns = ["ranking", "value", "rank", "docno", "iteration", "weight", "label"]
    frame = pd.concat(rankings, ignore_index=True)[columns]
    return with_legend(frame, counterexample, {"measure": str(measure), **rule})


def counterexample(measure: ir_measures.Measure | str, constraint: str) -> pd.DataFrame | None:
    """Return the smallest rankings found on which a measure breaks a constraint.

    Parameters
    ----------
    measure : Measure or str
        A measure of this package or of ir_measures. An ad-hoc measure is read as ``Adhoc(measure)``.
    constraint : str
        The name of one of `CONSTRAINTS`.

    Returns
    -------
    DataFrame or None
        None if nothing was found. Otherwise one row for each ranking, judged document and intent.

        - ``ranking``: 'better' for the ranking that should have the higher value (Sat: not the lower one), or 'worse'
        - ``value``: the value of that ranking
        - ``rank``: the rank of the document, from 1; missing if the ranking does not have the judged document
        - ``docno``: the document
        - ``iteration``: the intent
        - ``weight``: the weight of the intent
        - ``label``: the label of the document for the intent

        The rows of a ranking are its qrels. Of the sizes tried for CloseTh, the frame has the one that comes closest to
        meeting it. ``attrs`` describes the columns, and states the constraint.

    Raises
    ------
    TypeError
        If ``measure`` is not a measure.
    ValueError
        If the constraint is unknown, or the measure cannot be computed from labels, intents and weights.

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics: introducing the
    rank-biased utility metric. SIGIR, 625-634, Sec. 3. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    >>> from pyterrier_diversity import RBU, StRecall
    >>> counterexample(RBU, "Pri") is None
    True
    >>> found = counterexample(StRecall, "Pri")
    >>> found[["ranking", "value", "rank", "docno", "label"]]
      ranking  value  rank docno  label
    0  better    1.0     1    d2      1
    1  better    1.0     2    d1      0
    2  better    1.0  <NA>    u1     10
    3   worse    1.0     1    d1      0
    4   worse    1.0     2    d2      1
    5   worse    1.0  <NA>    u1     10
    """
    measure, name = read_measure("counterexample", measure), _KNOWN.check("counterexample", "constraint", constraint)
    found = _search([measure], [CONSTRAINTS[name]]).get((name, measure))
    return None if found is None else _frame(measure, CONSTRAINTS[name], *found)


def axiom_table(measures: Measures, constraints: Iterable[str] | None = None) -> pd.DataFrame:
    """Check measures against the ten constraints, by a search for counter-examples.

    Parameters
    ----------
    measures : Measure or str, or iterable of them
        As for `counterexample`.
    constraints : iterable of str, optional
        By default, all ten of `CONSTRAINTS`.

    Returns
    -------
    DataFrame
        One row for each measure and a column for each constraint. True means that no counter-example was found, which
        is not a proof. ``attrs`` states each constraint, and where the paper defines it.

    Raises
    ------
    TypeError, ValueError
        As for `counterexample`. Also if there are no measures.

    Notes
    -----
    `meta.axioms` says what the search tries, and where the table differs from the paper's.

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics: introducing the
    rank-biased utility metric. SIGIR, 625-634, Table 1. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    >>> from pyterrier_diversity import IA, RBU
    >>> from ir_measures import AP
    >>> axiom_table([RBU, IA(AP)], ["CloseTh", "Conf", "Red"]).T
    measure   RBU  IA(AP)
    CloseTh  True    True
    Conf     True   False
    Red      True   False
    """
    wanted = read_measures("axiom_table", measures)
    names = CONSTRAINTS if constraints is None else _KNOWN.check_each("axiom_table", "constraints", constraints)
    sought = [CONSTRAINTS[name] for name in names]
    violations = _search(wanted, sought)
    columns = {each.name: [(each.name, measure) not in violations for measure in wanted] for each in sought}
    table = pd.DataFrame(columns, index=pd.Index([str(measure) for measure in wanted], name="measure"), dtype=bool)
    legend = {each.name: f"{each.statement} ({each.section})" for each in sought}
    table.attrs = {"legend": legend, "True": "no counter-example found"}
    return table
