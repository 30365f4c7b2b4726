"""Agreement of two judges on labels, such as two assessors, or an assessor and an LLM."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from ..arithmetic import divide
from ..judged import QRELS_COLUMNS, intents_of_rows, judge, numbers, to_frame, warn_user
from ..judged.columns import strings
from ..parameters import REL, Parameter, checked

By = Literal["intent", "query"]

_BY = Parameter(str, choices=get_args(By), desc="whether a row is an intent or a query")
_KEYS = ["qid", "iteration", "docno"]
_ALL = "all"

_LEGEND = {
    "qid": "the query; 'all' in the last row, for all pairs",
    "iteration": "the intent; 'all' in the last row",
    "pairs": "number of pairs of a document and an intent that both judged",
    "agreement": "share of the pairs with the same label",
    "kappa": "Cohen's kappa: agreement beyond chance; NaN if all labels are the same",
    "kappa_linear": "kappa with linear weights, in which close labels disagree less",
    "relevant": "number of pairs that the first judged relevant",
    "other_relevant": "number of pairs that the second judged relevant",
    "jaccard": "pairs that both judged relevant, divided by pairs that either judged relevant; NaN if there are none",
}


def agreement(
    qrels_a: Any, qrels_b: Any, *, by: By = "intent", rel: float | None = None, table: bool = False
) -> pd.DataFrame:
    r"""Compute the agreement of two judges on the documents that both judged.

    `assessor_agreement` shows how their differences change the ranking of systems.

    Parameters
    ----------
    qrels_a, qrels_b : DataFrame
        The qrels of each judge, with PyTerrier's or ir_measures' column names.
    by : {"intent", "query"}
        Whether to return one row for each intent or for each query.
    rel : float > 0, optional
        Smallest relevant label, for the columns that count relevant documents. All labels above 0 are relevant if
        omitted.
    table : bool
        Whether to return the confusion table instead.

    Returns
    -------
    DataFrame
        One row for each intent (or query), sorted by id, and a last row for all of them. The columns are ``qid``,
        ``iteration`` (by intent), ``pairs`` (of a document and an intent), ``agreement`` in [0, 1], ``kappa`` and
        ``kappa_linear`` in [-1, 1], ``relevant``, ``other_relevant``, and ``jaccard`` in [0, 1]. ``attrs`` describes
        the columns, and says how many pairs only one judge judged.

        With ``table``, the number of pairs for each label of the first judge (rows) and of the second (columns).

    Raises
    ------
    ValueError
        If qrels cannot be read, no pair is judged by both, or ``by`` or ``rel`` is out of range.

    Warns
    -----
    UserWarning
        If pairs are left out, because only one of the two judged them.

    Notes
    -----
    Negative labels count as 0. Cohen's kappa is :math:`(p_o - p_e)/(1 - p_e)`, where :math:`p_o` is the share of equal
    labels, and :math:`p_e` the share expected if each judge's labels were shuffled. In the linear form, labels a and b
    agree by :math:`1 - |a - b| / (\max - \min)`. statsmodels computes both.

    References
    ----------
    Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20(1), 37-46.

    Voorhees (2000). Variations in relevance judgments and the measurement of retrieval effectiveness. Information
    Processing & Management 36(5), 697-716.

    Examples
    --------
    >>> docs = {"qid": "1", "docno": ["d1", "d2", "d3", "d4"], "iteration": ["a", "a", "b", "b"]}
    >>> people, machine = (pd.DataFrame({**docs, "label": labels}) for labels in ([2, 0, 1, 0], [1, 0, 1, 1]))
    >>> agreement(people, machine).drop(columns=["relevant", "other_relevant"]).round(3)
       qid iteration  pairs  agreement  kappa  kappa_linear  jaccard
    0    1         a      2        0.5  0.333         0.500    1.000
    1    1         b      2        0.5  0.000         0.000    0.500
    2  all       all      4        0.5  0.273         0.333    0.667
    >>> agreement(people, machine, table=True).rename_axis(None)
    label_b  0  1
    0        1  1
    1        0  1
    2        0  1
    """
    _BY.check("agreement", "by", by)
    rel = checked("agreement", REL, rel=rel)["rel"]
    a, b = _labels(qrels_a, "qrels_a"), _labels(qrels_b, "qrels_b")
    both = a.merge(b.drop(columns="place"), on=_KEYS, suffixes=("_a", "_b"))
    if both.empty:
        raise ValueError("agreement: qrels_a and qrels_b must judge at least one document for the same intent.")
    only = len(a) - len(both), len(b) - len(both)
    if any(only):
        warn_user(
            f"agreement: pairs that only qrels_a ({only[0]}) or only qrels_b ({only[1]}) judge are left out; both "
            f"judge {len(both)}."
        )
    if table:
        return pd.crosstab(both["label_a"], both["label_b"])
    keys = _KEYS[:1] if by == "query" else _KEYS[:2]
    levels = np.unique(both[["label_a", "label_b"]].to_numpy())
    groups = both.sort_values("place", kind="stable").groupby(keys, sort=False)
    rows = [(*names, *_row(group, levels, rel)) for names, group in groups]
    rows.append((*[_ALL] * len(keys), *_row(both, levels, rel)))
    legend = {column: what for column, what in _LEGEND.items() if column != "iteration" or by == "intent"}
    result = pd.DataFrame(rows, columns=list(legend))
    result.attrs = {"legend": legend, "only_a": only[0], "only_b": only[1]}
    return result


def _labels(qrels: Any, what: str) -> pd.DataFrame:
    """Return the label of each document for each intent, at least 0, and the place of the intent."""
    frame = to_frame(qrels, QRELS_COLUMNS, what)
    judge(frame)  # raises if labels contradict each other
    intent, _, names = intents_of_rows(frame)
    pairs = pd.DataFrame(
        {
            "qid": strings(frame, "query_id", what),
            "iteration": names[intent],
            "docno": strings(frame, "doc_id", what),
            "label": np.maximum(numbers(frame, "relevance", what), 0),
            "place": intent,
        }
    ).drop_duplicates()
    # A row without a document names an intent that nobody judged.
    pairs = pairs[pairs["docno"] != ""]
    whole = (pairs["label"] == np.floor(pairs["label"])).all()
    return pairs.astype({"label": np.int64}) if whole else pairs


def _row(pairs: pd.DataFrame, levels: np.ndarray, rel: float | None) -> tuple[float, ...]:
    """Return pairs, agreement, both kappas, relevant pairs by each, and Jaccard's coefficient."""
    a, b = pairs["label_a"].to_numpy(), pairs["label_b"].to_numpy()
    relevant = [labels > 0 if rel is None else labels >= rel for labels in (a, b)]
    either = np.count_nonzero(relevant[0] | relevant[1])
    jaccard = float(divide(np.count_nonzero(relevant[0] & relevant[1]), either)) if either else np.nan
    counts = np.zeros((len(levels), len(levels)))
    np.add.at(counts, (np.searchsorted(levels, a), np.searchsorted(levels, b)), 1)
    return (
        len(pairs),
        float(np.trace(counts) / len(pairs)),
        *_kappas(counts, levels),
        int(relevant[0].sum()),
        int(relevant[1].sum()),
        jaccard,
    )


def _kappas(counts: np.ndarray, levels: np.ndarray) -> tuple[float, float]:
    """Return Cohen's kappa and its linear form, or NaN if all labels are equal."""
    from statsmodels.stats.inter_rater import cohens_kappa

    used = (counts.sum(axis=0) + counts.sum(axis=1)) > 0
    if used.sum() < 2:
        return np.nan, np.nan
    plain = cohens_kappa(counts, return_results=False)
    return float(plain), float(cohens_kappa(counts, weights=levels, wt="linear", return_results=False))
