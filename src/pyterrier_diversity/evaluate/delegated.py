"""Measures that other providers of ir_measures compute, with checks that keep their values right.

The providers misread some input: they read only the last row of a document, break ties in their own ways, crash on
queries whose labels are all negative, and read ids and labels in C. Here they get the ranking of this package, and
input that they would misread is refused.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ..frames import QRELS_COLUMNS, Columns, given_frame, of_documents, warn
from ..frames.strings import odd_row
from ..judged import Judgements, Ranked
from ..measures.base import implementation, other_provider, other_providers
from ..parameters import check_parameters
from ..warnings import LabelsWarning

# Providers that accept fractional labels; the others round or refuse them.
_FRACTIONAL_LABELS = ("runtime", "cwl_eval", "compat", "judged")

# pytrec_eval allocates a counter for each label up to the largest.
_LARGEST_ACCEPTED = 2**20

# How many queries to pass to a provider at a time, to save memory.
_QUERIES_AT_A_TIME = 1000

# Cutoffs are passed to programs in C.
_LARGEST_CUTOFF = 2**31 - 1

# Measures of ir_measures that read no labels.
_READ_NO_LABEL = ("NumRet", "NumQ", "Judged")


def check_delegated(measures: Iterable[ir_measures.Measure]) -> None:
    """Raise a ``ValueError`` for parameters that other providers cannot read."""
    for measure in measures:
        if isinstance(measure.params.get("cutoff"), int) and measure.params["cutoff"] > _LARGEST_CUTOFF:
            raise ValueError(f"{measure}: the cutoff must not exceed {_LARGEST_CUTOFF}.")
        check_parameters(measure)


def _reads_labels(measure: ir_measures.Measure) -> bool:
    return measure.NAME not in _READ_NO_LABEL or bool(measure.params.get("rel"))


def left_to_others(measures: Iterable[ir_measures.Measure], qrels: Any) -> list[ir_measures.Measure]:
    """Return the measures of ir_measures that other providers compute, and warn of labels that they misread.

    gdeval's are computed here, unless documents have several labels.
    """
    asked = list(measures)
    theirs = [each for each in asked if implementation(each) is None]
    of_gdeval = [] if all(implementation(each) is each for each in asked) else _of_gdeval(asked)
    if not theirs and not of_gdeval:
        return []
    labels = _several_labels(qrels)
    read: dict[str, str] = {}
    if len(labels):
        # A user's measure may read all. gdeval reads the lowest label above 0.
        read = {str(each): "last" for each in theirs if _reads_labels(each) and not hasattr(each, "runtime_impl")}
        read |= {str(each): "above" for each in of_gdeval}
        theirs += of_gdeval
    check_delegated(theirs)
    misread = {name: case for name in sorted(read) if (case := _misread(labels, read[name]))}
    for first, case in list(misread.items())[:1]:
        _warn_once(
            f"{', '.join(misread)}: ir_measures reads one label of each document, but documents have several. {first} "
            f"reads label {case}. Write {', '.join(f'Adhoc({name})' for name in misread)}."
        )
    return theirs


def _of_gdeval(measures: Iterable[ir_measures.Measure]) -> list[ir_measures.Measure]:
    """Return gdeval's measures, which are computed here if each document has one label."""
    found = ((each, implementation(each)) for each in measures)
    served = (each for each, ours in found if ours and ours is not each and ours.VIEW == "ad hoc")
    return list(filter(ir_measures.gdeval.supports, served))


def refuse_misread(measures: Sequence[ir_measures.Measure], qrels: Any) -> None:
    """Raise a ``ValueError`` for a bare measure of another provider that would not read a document's highest label."""
    read = {each: "last" for each in measures if implementation(each) is None and _reads_labels(each)}
    read |= dict.fromkeys(_of_gdeval(measures), "above")
    labels = _several_labels(qrels, weighted=True) if read else pd.DataFrame()
    for measure, which in read.items():
        case = _misread(labels, which) if len(labels) else ""
        if case:
            label = "last label" if which == "last" else "lowest label above 0"
            raise ValueError(f"{measure} would use only the {label} of each document ({case}). Use Adhoc({measure}).")


def _several_labels(qrels: Any, *, weighted: bool = False) -> pd.DataFrame:
    """Return documents with several labels: the last, the lowest above 0, the lowest, and the highest."""
    try:
        given = Columns(given_frame(qrels, QRELS_COLUMNS, "qrels"), QRELS_COLUMNS, "qrels")
        query, doc, label = given.ids("query_id"), given.ids("doc_id"), np.maximum(given.numbers("relevance"), 0)
        # Rows of weight 0 do not count, but other providers read them.
        counted = label * (given.numbers("weight") > 0) if weighted and "weight" in given else label
    except (TypeError, ValueError):  # whoever reads the qrels says what is wrong
        return pd.DataFrame()
    above = np.where(counted > 0, counted, np.inf)
    rows = pd.DataFrame(
        {"row": np.arange(len(label)), "last": label, "above": above, "least": label, "highest": counted}
    )
    groups = rows.groupby(query.codes * len(doc.names) + doc.codes, sort=False)
    docs = groups.agg({"row": "first", "last": "last", "above": "min", "least": "min", "highest": "max"})
    docs = docs[(docs["least"] != docs["highest"]) | (docs["last"] != docs["highest"])].replace(np.inf, 0.0)
    return docs.assign(query=query.names[query.codes[docs["row"]]], doc=doc.names[doc.codes[docs["row"]]])


def _misread(labels: pd.DataFrame, read: str) -> str:
    """Return an example of a document of which a label is read that is not the highest one; empty if there is none."""
    for row in labels[labels[read] != labels["highest"]].head(1).to_dict("records"):
        without = "in a row of a weight above 0 " if row[read] > row["highest"] else ""
        return (
            f"{row[read]:g} for document {row['doc']!r} of query {row['query']!r}, whose highest label {without}is "
            f"{row['highest']:g}"
        )
    return ""


@lru_cache(maxsize=16)
def _warn_once(text: str) -> None:
    """Warn if the same was not said recently: pt.Experiment makes an evaluator of the same qrels for each system."""
    warn(LabelsWarning(text))


def _forms_of(measures: Iterable[ir_measures.Measure]) -> str:
    """Return in which forms providers compute the measures that no installed provider computes, in sentences."""
    lacking = {each.NAME for each in measures if other_provider(each) is None}
    told = ""
    for one in other_providers().providers:
        how = "" if one.is_available() else f" ({one.install_instructions()})"
        told += "".join(f" {one.NAME} computes {form}{how}." for form in one.SUPPORTED_MEASURES if form.NAME in lacking)
    return told


class Delegated:
    """Measures that ir_measures' pipeline computes for some queries of a view.

    Parameters
    ----------
    measures : list of Measure
        The measures.
    qrels : DataFrame or dict of dicts
        Qrels with ir_measures' names.
    names : sequence of str
        The names of the queries in the qrels.
    queries : slice
        The queries in the view.
    depth : int or None
        The number of ranks that the measures read, or None for all.
    """

    def __init__(
        self,
        measures: list[ir_measures.Measure],
        qrels: Any,
        names: Sequence[str],
        queries: slice = slice(None),
        depth: int | None = None,
    ) -> None:
        self._given = measures, qrels, names, queries, depth
        self.depth = depth
        check_delegated(measures)
        # In one call, pytrec_eval may compute nDCG without gains with the gains of another measure, and NumRet may
        # count only judged documents, as another measure does; two measures of one name would share their values.
        calls: dict[tuple[Any, ...], dict[ir_measures.Measure, int]] = defaultdict(dict)
        for row, measure in enumerate(measures):
            params = measure.params
            alike = repr(params.get("gains")), bool(params.get("judged_only")), measures[:row].count(measure)
            calls[alike][measure] = row
        try:
            self._calls = [(other_providers().evaluator(list(call), qrels), call) for call in calls.values()]
        except ValueError as error:
            raise ValueError(f"{error}{_forms_of(measures)}") from error

    def __reduce__(self) -> tuple[Any, ...]:
        """Build the evaluator again in another process, because it may contain a running program."""
        return type(self), self._given

    def values(self, found: Ranked) -> np.ndarray:
        """Return the values of each measure for each query; a query with an empty ranking gets the default."""
        measures, _, names, queries, depth = self._given
        run: dict[str, dict[str, float]] = {}
        for name, docs in zip(names, found.rankings(depth, queries), strict=True):
            _refuse_odd(docs, "run")
            run |= {name: dict(zip(docs, map(float, range(len(docs), 0, -1)), strict=True))} if docs else {}
        values = np.array([[float(measure.DEFAULT)] * len(names) for measure in measures])
        index = {name: i for i, name in enumerate(names)}
        for evaluator, call in self._calls if run else ():
            for metric in evaluator.iter_calc(run):
                values[call[metric.measure], index[metric.query_id]] = metric.value
        return values


def bare(measures: list[ir_measures.Measure], judgements: Judgements, qrels: pd.DataFrame) -> list[Delegated]:
    """Return measures that other providers compute from the qrels as given: they read only a document's last row."""
    given = Columns(qrels, QRELS_COLUMNS, "qrels")
    qrels = given.renamed()[of_documents(given.ids("doc_id"))]
    is_last = ~qrels.duplicated(["query_id", "doc_id"], keep="last").to_numpy()
    label = _readable(measures, given.of(qrels).numbers("relevance"), qrels["query_id"].to_numpy(), is_last)
    return [Delegated(measures, qrels.assign(relevance=label), judgements.query_ids)]


def over_view(measures: list[ir_measures.Measure], judgements: Judgements) -> list[Delegated]:
    """Return measures that other providers compute over a view of the judgements."""
    distinct = len(set(judgements.query_ids)) == len(judgements)
    names = list(judgements.query_ids) if distinct else list(map(str, range(len(judgements))))
    rows = judgements.rows
    _refuse_odd([*names, *rows.doc_ids.tolist()], "qrels")
    qrels: dict[str, dict[str, Any]] = {name: {} for name in names}
    label = _readable(measures, rows.label, rows.query, np.ones(len(rows.label), dtype=bool))
    for query, doc, value in zip(rows.query.tolist(), rows.doc_ids.tolist(), label.tolist(), strict=True):
        qrels[names[query]][doc] = value
    # Measures with a cutoff do not read documents below it, so these need not be passed on.
    cut = all(measure.params.get("cutoff") and not measure.params.get("judged_only") for measure in measures)
    depth = max(measure.params["cutoff"] for measure in measures) if cut else None
    parts = [slice(start, start + _QUERIES_AT_A_TIME) for start in range(0, max(len(names), 1), _QUERIES_AT_A_TIME)]
    return [
        Delegated(measures, {name: qrels[name] for name in names[part]}, names[part], part, depth) for part in parts
    ]


def _readable(
    measures: list[ir_measures.Measure], label: np.ndarray, query: np.ndarray, read: np.ndarray
) -> np.ndarray:
    """Return labels that all providers read alike, as integers if all are whole; raise if a provider cannot read them.

    ``read`` marks the rows that providers read.
    """
    # pytrec_eval crashes on a query whose labels are all negative.
    highest = pd.Series(label).where(read).groupby(query).transform("max").to_numpy()
    label = np.where(highest < 0, np.maximum(label, 0), label)
    if (label != np.floor(label)).any():
        why = "accepts only integer labels, but the qrels contain fractions"
    elif label.max(initial=0) > _LARGEST_ACCEPTED:
        why = f"accepts labels up to {_LARGEST_ACCEPTED}, but the qrels contain larger ones"
    else:
        return label.astype(np.int64)
    for measure in measures:
        provider = other_provider(measure)
        if provider and provider.NAME not in _FRACTIONAL_LABELS:
            raise ValueError(f"{measure} is computed by {provider.NAME}, which {why}.")
    return label


def _refuse_odd(names: list[str], what: str) -> None:
    """Refuse ids that programs in C cannot read."""
    row = odd_row(np.array(names, dtype=object))
    if row is not None:
        raise ValueError(
            f"{what}: the id {names[row]!r} contains a character that other providers of ir_measures cannot read."
        )
