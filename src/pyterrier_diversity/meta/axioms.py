"""The search for rankings on which a measure breaks a constraint.

Rankings have up to 9 documents, so that a cutoff of 9 or more has no effect. DeepTh and CloseTh compare longer
rankings of equal length, filled up with documents that are not relevant, as in the paper's proof. The paper only
says that their threshold exists: the search tests DeepTh with 1000 documents, and CloseTh with 1 to 10, one of
which must be enough.

Labels are whole numbers. Every intent has one document with the largest label, 10, that is not retrieved. Labels 1,
2 and 5 are therefore worth little (1/1024, 3/1024 and 31/1024 with ``gain="exp"``), as the paper demands. If a
measure refuses such labels, the largest is 4 or 3. Sat is tested with a label of 50. In small topics of Red and MRed,
both intents have equally many relevant documents.

AspRel is only tested without other documents of the two intents. With a later document of the heavier intent, RBU
breaks it too; the paper's proof considers a single rank.

The table differs from Table 1 of the paper. `counterexample` shows a case of each difference:

- A measure with a cutoff of at most n meets DeepTh: ``nDCG@20`` does, ``nDCG`` does not.
- ``P@k`` and ``IA(P@k)`` meet CloseTh: two relevant documents at ranks 3 and 4 are better than one. Ad-hoc measures
  of graded labels meet AspDiv, and RR meets Sat; the paper does not apply these constraints to them.
- Binary measures (``RBP(rel=1)``, ``NRBP``, ``alpha_nDCG``) break Pri, Deep and AspDiv, in which grades matter.
  ``NRBP_IA``, ``alpha_DCG_IA`` and ``NRBP_IA(alpha=0)``, which is graded RBP-IA, use grades.
- ``IA(AP)`` and ``IA(nDCG)`` break AspRel if the heavier intent has more relevant documents, because they normalise
  each intent separately.
- Alpha measures (``NRBP_IA``, ``alpha_DCG_IA``, ``EU``, ``CT_rank``) break Pri and AspDiv: a document of little
  relevance can take more novelty from a better one below it than it adds. With a large alpha, they also break
  CloseTh.
- ``NRBP_IA`` and ``alpha_DCG_IA`` weight the intents and meet AspRel, unlike NRBP and alpha-nDCG in the paper.
- ``IA(ERR)`` breaks Sat, because gdeval's best label leaves 1 user in 16 unsatisfied. ERR-IA as in the paper is
  ``UserModel(model=3, stop="ERR", gain="linear")``.
- ``RBU`` breaks Sat if its best label leaves more users unsatisfied than the effort, as in ``RBU(max_rel=4)``.
- ``CT_rank`` breaks Red if both intents are saturated. It cannot meet both Red and Sat.
"""

from __future__ import annotations

import copy
import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from ..evaluate import DiversityEvaluator
from ..measures import Adhoc
from ..measures.base import is_ours
from ..measures.groups import read_measures
from ..measures.parse import read_measure
from ..parameters import Parameter, Rng
from .constraints import CONSTRAINTS, SATURATED, Constraint, Instance, Pair
from .scores import Measures, generators, signs

__all__ = ["CONSTRAINTS", "Constraint", "Pair", "Verdict", "axiom_table", "check", "counterexample", "sketch"]

# Largest labels to try, because some measures refuse larger ones: gdeval's ERR takes labels up to 4.
_LARGEST_LABELS = (SATURATED, 4, 3)

# Most measures that break a constraint do so on one of the first few instances.
_FEW = 24

_N_PAIRS = Parameter(int, 200, interval="[0, inf)", desc="random pairs after the systematic ones")

_LEGEND = {
    "ranking": "'better' for the ranking that should have the higher value (Sat: not the lower one), or 'worse'",
    "value": "the value of that ranking",
    "rank": "the rank of the document, from 1; missing if the ranking does not have the judged document",
    "docno": "the document",
    "iteration": "the intent",
    "weight": "the weight of the intent",
    "label": "the label of the document for the intent",
}


@dataclass(frozen=True, eq=False)
class Verdict:
    """The result of the search for a measure and a constraint.

    Attributes
    ----------
    measure, constraint : str
        Their names.
    satisfied : bool
        True if no counter-example was found.
    counterexample : DataFrame or None
        The smallest counter-example found, as from `counterexample`.
    """

    measure: str
    constraint: str
    satisfied: bool
    counterexample: pd.DataFrame | None = field(repr=False)


class _Violation(NamedTuple):
    """A pair of rankings that breaks a constraint, and their values."""

    pair: Pair
    values: tuple[float, float]


def _readable(measure: ir_measures.Measure) -> ir_measures.Measure:
    """Return a form of the measure that reads topics with several intents."""
    return measure if is_ours(measure) else Adhoc(measure)


def _constraint(constraint: str | Constraint) -> Constraint:
    if isinstance(constraint, Constraint):
        return constraint
    if constraint not in CONSTRAINTS:
        raise ValueError(f"constraint must be one of {', '.join(CONSTRAINTS)}, not {constraint!r}.")
    return CONSTRAINTS[constraint]


def _values(measures: Sequence[ir_measures.Measure], pairs: Sequence[Pair]) -> np.ndarray:
    """Return the values of both rankings, shape (measures, pairs, 2). Each ranking is evaluated as a query."""
    qrels: list[tuple[str, str, int, str, float]] = []
    run: dict[str, dict[str, float]] = {}
    for i, pair in enumerate(pairs):
        for query_id, ranking in zip((str(2 * i), str(2 * i + 1)), (pair.better, pair.worse), strict=True):
            run[query_id] = {doc: -float(rank) for rank, doc in enumerate(ranking)}
            for doc, grades in pair.judged.items():
                qrels += [
                    (query_id, doc, label, str(intent), weight)
                    for intent, (label, weight) in enumerate(zip(grades, pair.weights, strict=True), start=1)
                ]
    frame = pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance", "iteration", "weight"])
    readable = [_readable(measure) for measure in measures]
    # The evaluator sorts queries whose ids are numbers by the number.
    values = DiversityEvaluator(readable, frame).values(run)
    return np.stack([values[measure].reshape(-1, 2) for measure in readable])


def _largest_label(measure: ir_measures.Measure) -> int:
    """Return the largest label that a topic may have for a measure."""
    for largest in _LARGEST_LABELS:
        try:
            _values([measure], CONSTRAINTS["Conf"].instances(largest)[0])
        except ValueError as error:
            refused = error
        else:
            return largest
    raise refused


def _violations(
    measures: Sequence[ir_measures.Measure], constraint: Constraint, instances: Sequence[Instance]
) -> dict[ir_measures.Measure, _Violation]:
    """Return the first instance that each measure violates."""
    if not measures or not instances:
        return {}
    pairs = [pair for instance in instances for pair in instance]
    starts = np.cumsum([0, *(len(instance) for instance in instances[:-1])])
    values = _values(measures, pairs)
    sign = signs(values[..., 0], values[..., 1])
    as_demanded = np.logical_or.reduceat(sign > 0 if constraint.strict else sign >= 0, starts, axis=1)
    found = {}
    for measure, met, own in zip(measures, as_demanded, values, strict=True):
        if not met.all():
            at = int(np.argmin(met))
            of = np.arange(starts[at], starts[at] + len(instances[at]))
            # Take the size that comes closest to the constraint.
            nearest = int(of[np.argmax(own[of, 0] - own[of, 1])])
            found[measure] = _Violation(pairs[nearest], (float(own[nearest, 0]), float(own[nearest, 1])))
    return found


def _search(
    measures: Sequence[ir_measures.Measure], constraints: Sequence[Constraint], n_pairs: int, rng: Rng
) -> dict[str, dict[ir_measures.Measure, _Violation]]:
    """Return the violations of each constraint, from all small instances and then from random ones."""
    n_pairs = _N_PAIRS.check("axioms", "n_pairs", n_pairs)
    *own, other = generators(rng, len(CONSTRAINTS) + 1)
    generator_of = dict(zip(CONSTRAINTS, own, strict=True))
    limits = {measure: _largest_label(measure) for measure in measures}
    violations: dict[str, dict[ir_measures.Measure, _Violation]] = {}
    for constraint in constraints:
        groups: dict[int, list[ir_measures.Measure]] = defaultdict(list)
        for measure, limit in limits.items():
            groups[min(limit, constraint.largest)].append(measure)
        generator = generator_of.get(constraint.name, other)
        found: dict[ir_measures.Measure, _Violation] = {}
        for largest, group in groups.items():
            small, drawn = constraint.instances(largest), constraint.draw(n_pairs, copy.deepcopy(generator), largest)
            for instances in (small[:_FEW], small[_FEW:], drawn):
                found |= _violations([measure for measure in group if measure not in found], constraint, instances)
        violations[constraint.name] = found
    return violations


def _frame(measure: ir_measures.Measure, constraint: Constraint, violation: _Violation) -> pd.DataFrame:
    """Return a violation as a frame with a row for each ranking, document and intent."""
    pair, rows = violation.pair, []
    for name, ranking, value in zip(("better", "worse"), (pair.better, pair.worse), violation.values, strict=True):
        unretrieved = [doc for doc in pair.judged if doc not in set(ranking)]
        ranks: list[int | None] = [*range(1, len(ranking) + 1), *[None] * len(unretrieved)]
        for rank, doc in zip(ranks, [*ranking, *unretrieved], strict=True):
            for intent, (label, weight) in enumerate(zip(pair.judged[doc], pair.weights, strict=True), start=1):
                rows.append((name, value, rank, doc, str(intent), weight, label))
    frame = pd.DataFrame(rows, columns=["ranking", "value", "rank", "docno", "iteration", "weight", "label"])
    frame["rank"] = frame["rank"].astype("Int64")
    frame.attrs = {
        "measure": str(measure),
        "constraint": constraint.name,
        "statement": constraint.statement,
        "strict": constraint.strict,
        "legend": dict(_LEGEND),
    }
    return frame


def check(
    measure: ir_measures.Measure | str, constraint: str | Constraint, *, n_pairs: int = 200, rng: Rng = 0
) -> Verdict:
    """Search for rankings on which a measure breaks a constraint.

    Parameters
    ----------
    measure : Measure or str
        A measure of this package or of ir_measures. An ad-hoc measure is read as ``Adhoc(measure)``.
    constraint : str or Constraint
        One of `CONSTRAINTS`, or its name.
    n_pairs : int >= 0
        Number of random pairs of rankings to try, after all small ones.
    rng : int, Generator or None
        Seed or generator of the random pairs.

    Returns
    -------
    Verdict
        ``measure``, ``constraint``, ``satisfied`` and ``counterexample``.

    Raises
    ------
    TypeError
        If ``measure`` is not a measure.
    ValueError
        If the constraint is unknown, ``n_pairs`` is negative, or the measure cannot be computed from labels, intents
        and weights.

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics: introducing the
    rank-biased utility metric. SIGIR, 625-634, Sec. 3. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    >>> from pyterrier_diversity import RBU
    >>> check(RBU, "Conf")
    Verdict(measure='RBU', constraint='Conf', satisfied=True)
    >>> check(RBU(e=0), "Conf")
    Verdict(measure='RBU(e=0.0)', constraint='Conf', satisfied=False)
    """
    measure = read_measure("check", measure)
    found = counterexample(measure, constraint, n_pairs=n_pairs, rng=rng)
    return Verdict(str(measure), _constraint(constraint).name, found is None, found)


def counterexample(
    measure: ir_measures.Measure | str, constraint: str | Constraint, *, n_pairs: int = 200, rng: Rng = 0
) -> pd.DataFrame | None:
    """Return the smallest rankings found on which a measure breaks a constraint.

    Parameters
    ----------
    measure, constraint, n_pairs, rng
        As for `check`.

    Returns
    -------
    DataFrame or None
        None if nothing was found. Otherwise one row for each ranking, judged document and intent: ``ranking`` ("better"
        for the one that should have the higher value, or "worse"), its ``value``, ``rank`` (missing if the document is
        not retrieved), ``docno``, ``iteration``, ``weight`` and ``label``. The rows of a ranking are its qrels. Of the
        sizes tried for CloseTh, the frame has the one that comes closest to meeting it. ``attrs`` describes the
        columns, and states the constraint. `sketch` describes the counter-example in words.

    Raises
    ------
    TypeError, ValueError
        As for `check`.

    Examples
    --------
    >>> from pyterrier_diversity import StRecall
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
    measure, sought = read_measure("counterexample", measure), _constraint(constraint)
    violation = _search([measure], [sought], n_pairs, rng)[sought.name].get(measure)
    return None if violation is None else _frame(measure, sought, violation)


def sketch(counterexample: pd.DataFrame) -> str:
    """Describe a counter-example in a few lines.

    Parameters
    ----------
    counterexample : DataFrame
        As `counterexample` returns it.

    Returns
    -------
    str
        First, how the values of the rankings A ("better" in the frame) and B ("worse") should compare, and what they
        are. Then a table of the labels at each rank, in which equal ranks share a row. Last, the judged documents that
        neither ranking retrieves.

    Examples
    --------
    >>> from pyterrier_diversity import IA
    >>> from ir_measures import nDCG
    >>> print(sketch(counterexample(IA(nDCG), "Red")))
    A should have a higher value than B, but both have 0.073261.
      rank  A                     B
         1  label 1 for intent 1  label 1 for intent 1
         2  label 1 for intent 2  label 1 for intent 1
    not retrieved: label 10 for intent 1; label 10 for intent 2; label 1 for intent 2
    weights of the intents: 0.5, 0.5
    """
    weights = counterexample.drop_duplicates("iteration")["weight"]
    retrieved = counterexample.dropna(subset="rank")
    rankings = [_labels(retrieved[retrieved["ranking"] == name], len(weights)) for name in ("better", "worse")]
    others = counterexample[~counterexample["docno"].isin(retrieved["docno"])]
    others = others[others["ranking"] == "better"]
    a, b = counterexample.groupby("ranking")["value"].first()
    demand = "A should have a higher value than B" if counterexample.attrs["strict"] else "A should not be below B"
    places = 6 if round(a, 6) != round(b, 6) else 12
    found = f"both have {a:.6f}" if signs(a, b) == 0 else f"A has {a:.{places}f} and B {b:.{places}f}"
    lines = [f"{demand}, but {found}.", *_side_by_side(*rankings)]
    lines.append(f"not retrieved: {'; '.join(_labels(others, len(weights)))}")
    if len(weights) > 1:
        lines.append(f"weights of the intents: {', '.join(f'{weight:.3g}' for weight in weights)}")
    return "\n".join(lines)


def _side_by_side(a: Sequence[str], b: Sequence[str]) -> list[str]:
    """Return the lines of a table of two rankings; ranks at which neither changes share a line."""
    rows: list[tuple[str, ...]] = [("rank", "A", "B")]
    first = 1
    for (one, other), same in itertools.groupby(itertools.zip_longest(a, b, fillvalue="no document")):
        last = first + len(list(same)) - 1
        rows.append((str(first) if first == last else f"{first}-{last}", one, other))
        first = last + 1
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [f"  {rank:>{widths[0]}}  {one:<{widths[1]}}  {other}" for rank, one, other in rows]


def _labels(rows: pd.DataFrame, n_intents: int) -> list[str]:
    """Return the labels of each document in words."""
    described = []
    for _, doc in rows.groupby("docno", sort=False):
        relevant = doc[doc["label"] > 0]
        labels = [
            f"label {label}" if n_intents == 1 else f"label {label} for intent {intent}"
            for label, intent in zip(relevant["label"], relevant["iteration"], strict=True)
        ]
        described.append(", ".join(labels) or "not relevant")
    return described


def axiom_table(
    measures: Measures,
    constraints: Iterable[str | Constraint] | None = None,
    *,
    n_pairs: int = 200,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Check measures against the ten constraints, by a search for counter-examples.

    Parameters
    ----------
    measures : Measure or str, or iterable of them
        As for `check`.
    constraints : iterable of str or Constraint, optional
        By default, all ten of `CONSTRAINTS`.
    n_pairs, rng
        As for `check`.

    Returns
    -------
    DataFrame
        One row for each measure and a column for each constraint. True means that no counter-example was found, which
        is not a proof. ``attrs`` states each constraint, and where the paper defines it.

    Raises
    ------
    TypeError, ValueError
        As for `check`.

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
    wanted = list(dict.fromkeys(read_measures("axiom_table", measures)))
    sought = list(CONSTRAINTS.values()) if constraints is None else [_constraint(each) for each in constraints]
    violations = _search(wanted, sought, n_pairs, rng)
    columns = {each.name: [measure not in violations[each.name] for measure in wanted] for each in sought}
    table = pd.DataFrame(columns, index=pd.Index([str(measure) for measure in wanted], name="measure"), dtype=bool)
    table.attrs = {
        "legend": {each.name: f"{each.statement} ({each.section})" for each in sought},
        "True": "no counter-example found",
        "n_pairs": n_pairs,
    }
    return table
