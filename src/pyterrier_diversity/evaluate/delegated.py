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
from ..frames.strings import equal, odd_row
from ..judged import Judgements, Ranked
from ..measures.base import implementation, other_provider, other_providers
from ..parameters import check_parameters
from ..warnings import LabelsWarning

# Providers that accept fractional labels; the others round or refuse them.
_FRACTIONAL_LABELS = ("runtime", "cwl_eval", "compat", "judged")

# pytrec_eval allocates a counter for each label up to the largest.
_LARGEST_LABEL = 2**20

# How many queries to pass to a provider at a time, to save memory.
_AT_A_TIME = 1000

# Cutoffs are passed to programs in C.
_LARGEST_CUTOFF = 2**31 - 1

# Measures of ir_measures that read no labels, and those that read only the labels of retrieved documents.
_READ_NO_LABEL = ("NumRet", "NumQ", "Judged")
_READ_RETRIEVED_LABELS = ("NumRet", "P", "RR", "Success", "SetP", "ERR", "RBP")


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
    theirs, of_gdeval = [each for each in asked if implementation(each) is None], _of_gdeval(asked)
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
    names = [name for name in sorted(read) if (labels[read[name]] < labels["highest"]).any()]
    for first in names[:1]:
        row = labels[labels[read[first]] < labels["highest"]].iloc[0]
        _warn_once(
            f"{', '.join(names)}: ir_measures reads one label of each document, but documents have several. {first} "
            f"reads label {row[read[first]]:g} for document {row['doc']!r} of query {row['query']!r}, whose highest "
            f"label is {row['highest']:g}. Write {', '.join(f'Adhoc({name})' for name in names)}."
        )
    return theirs


def _of_gdeval(measures: Iterable[ir_measures.Measure]) -> list[ir_measures.Measure]:
    """Return gdeval's measures, which are computed here if each document has one label."""
    found = ((each, implementation(each)) for each in measures)
    served = (each for each, ours in found if ours and ours is not each and ours.VIEW == "ad hoc")
    return list(filter(ir_measures.gdeval.supports, served))


def refuse_misread(measures: Iterable[ir_measures.Measure], qrels: Any) -> None:
    """Raise a ``ValueError`` for a measure of gdeval, which reads the lowest label above 0, if there are others."""
    for measure in _of_gdeval(measures)[:1]:
        for row in _several_labels(qrels).query("above < highest").head(1).itertuples():
            raise ValueError(
                f"{measure} would use only the lowest label above 0 of each document ({row.above:g} for document "
                f"{row.doc!r} of query {row.query!r}, whose highest label is {row.highest:g}). Use Adhoc({measure})."
            )


# The columns of the qrels that were looked at last, and the result: pt.Experiment passes a copy for each system.
_recent: tuple[list[pd.Series], pd.DataFrame] = ([], pd.DataFrame())


def _several_labels(qrels: Any) -> pd.DataFrame:
    """Return the last label, lowest above 0, and highest of the documents that have several labels."""
    global _recent
    try:
        given = Columns(given_frame(qrels, QRELS_COLUMNS, "qrels"), QRELS_COLUMNS, "qrels")
        columns = [given[name] for name in QRELS_COLUMNS]
        known, docs = _recent
        if known and all(map(equal, known, columns)):
            return docs
        label = np.maximum(given.numbers("relevance"), 0)
        rows = pd.DataFrame({"query": given.objects("query_id"), "doc": given.objects("doc_id"), "label": label})
    except (TypeError, ValueError):  # whoever reads the qrels says what is wrong
        return pd.DataFrame(columns=["above", "highest"])
    rows = rows[rows.duplicated(["query", "doc"], keep=False)]
    groups = rows.assign(above=rows["label"].where(rows["label"] > 0)).groupby(["query", "doc"], sort=False)
    docs = groups.agg(last=("label", "last"), above=("above", "min"), least=("label", "min"), highest=("label", "max"))
    docs = docs[docs["least"] < docs["highest"]].reset_index()
    _recent = [column.copy() for column in columns], docs
    return docs


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


class _Delegated:
    """Measures that ir_measures' pipeline computes.

    Parameters
    ----------
    measures : list of Measure
        The measures.
    qrels : DataFrame or dict of dicts
        Qrels with ir_measures' names.
    """

    def __init__(self, measures: list[ir_measures.Measure], qrels: Any) -> None:
        self._measures = measures
        self._qrels = qrels
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
        return type(self), (self._measures, self._qrels)

    def values(self, query_ids: Sequence[str], rankings: Sequence[list[str]]) -> np.ndarray:
        """Return the values of each measure for each query; a query with an empty ranking gets the default."""
        for docs in rankings:
            _refuse_odd(docs, "run")
        run = {
            query_id: dict(zip(docs, map(float, range(len(docs), 0, -1)), strict=True))
            for query_id, docs in zip(query_ids, rankings, strict=True)
            if docs
        }
        values = np.array([[float(measure.DEFAULT)] * len(query_ids) for measure in self._measures])
        index = {query_id: i for i, query_id in enumerate(query_ids)}
        for evaluator, call in self._calls if run else ():
            for metric in evaluator.iter_calc(run):
                values[call[metric.measure], index[metric.query_id]] = metric.value
        return values


class Bare:
    """Measures that other providers compute from the qrels as given: they read only the last row of a document."""

    depth = None

    def __init__(self, measures: list[ir_measures.Measure], qrels: pd.DataFrame) -> None:
        given = Columns(qrels, QRELS_COLUMNS, "qrels")
        qrels = given.renamed()[of_documents(given.ids("doc_id"))]
        judged = given.of(qrels)
        label = judged.numbers("relevance")
        names = ["query_id", "doc_id"]
        rows = qrels[names].assign(last=np.maximum(label, 0))
        is_last = ~rows.duplicated(names, keep="last").to_numpy()
        readable = _readable(measures, label, rows["query_id"].to_numpy(), is_last)
        self._delegated = _Delegated(measures, qrels.assign(relevance=readable))
        # Rows of weight 0 do not count, but other providers read them.
        counts = judged.numbers("weight") > 0 if "weight" in judged else np.ones(len(rows), dtype=bool)
        rows["highest"] = rows.assign(highest=rows["last"] * counts).groupby(names)["highest"].transform("max")
        rows = rows[is_last & (rows["last"] != rows["highest"])]
        self._misread = list(rows.itertuples(index=False, name=None))
        self._readers = list(filter(_reads_labels, measures))

    def values(self, found: Ranked) -> np.ndarray:
        """Return the values of each measure for each query, or raise a ``ValueError`` if a label would be misread."""
        query_ids, rankings = found.judgements.query_ids, found.rankings()
        retrieved = dict(zip(query_ids, map(set, rankings), strict=True)) if self._misread and self._readers else {}
        for query, doc, last, highest in self._misread:
            for measure in self._readers if retrieved.get(query) else ():
                if doc in retrieved[query] or measure.NAME not in _READ_RETRIEVED_LABELS:
                    without = "in a row of a weight above 0 " if last > highest else ""
                    raise ValueError(
                        f"{measure} would use only the last label of each document ({last:g} for document {doc!r} of "
                        f"query {query!r}, whose highest label {without}is {highest:g}). Use Adhoc({measure})."
                    )
        return self._delegated.values(query_ids, rankings)


class OverView:
    """Measures that other providers compute over a view of the judgements.

    Attributes
    ----------
    depth : int or None
        The number of ranks that the measures read, or None for all.
    """

    def __init__(self, measures: list[ir_measures.Measure], judgements: Judgements) -> None:
        distinct = len(set(judgements.query_ids)) == len(judgements)
        names = list(judgements.query_ids) if distinct else list(map(str, range(len(judgements))))
        rows = judgements.rows
        _refuse_odd([*names, *rows.doc_ids.tolist()], "qrels")
        qrels: dict[str, dict[str, Any]] = {name: {} for name in names}
        label = _readable(measures, rows.label, rows.query, np.ones(len(rows.label), dtype=bool))
        for query, doc, value in zip(rows.query.tolist(), rows.doc_ids.tolist(), label.tolist(), strict=True):
            qrels[names[query]][doc] = value
        parts = [slice(start, start + _AT_A_TIME) for start in range(0, max(len(names), 1), _AT_A_TIME)]
        self._names = names
        self._parts = [(part, _Delegated(measures, {name: qrels[name] for name in names[part]})) for part in parts]
        # Measures with a cutoff do not read documents below it, so these need not be passed on.
        cut = all(measure.params.get("cutoff") and not measure.params.get("judged_only") for measure in measures)
        self.depth = max(measure.params["cutoff"] for measure in measures) if cut else None

    def values(self, found: Ranked) -> np.ndarray:
        """Return the values of each measure for the queries of the view."""
        values = [one.values(self._names[part], found.rankings(self.depth, part)) for part, one in self._parts]
        return np.concatenate(values, axis=1)


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
    elif label.max(initial=0) > _LARGEST_LABEL:
        why = f"accepts labels up to {_LARGEST_LABEL}, but the qrels contain larger ones"
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
