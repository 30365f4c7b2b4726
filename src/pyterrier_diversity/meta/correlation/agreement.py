"""Agreement of judges on labels, such as two assessors, or several assessors and an LLM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from ...arithmetic import divide
from ...io import qrels_frame
from ...judged import intents_of_rows, judge, numbers, warn_user
from ...judged.columns import strings
from ...parameters import REL, Parameter, checked

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

_LEGEND_OF_SEVERAL = {
    **{column: _LEGEND[column] for column in ("qid", "iteration")},
    "pairs": "number of pairs of a document and an intent that at least two judged",
    "labels": "number of labels of these pairs",
    "alpha_nominal": "Krippendorff's alpha: agreement beyond chance; NaN if all labels are the same",
    "alpha_ordinal": "alpha for ordered labels, in which close labels disagree less",
}


def agreement(
    qrels_a: Any, qrels_b: Any = None, *, by: By = "intent", rel: float | None = None, table: bool = False
) -> pd.DataFrame:
    r"""Compute the agreement of two judges on the documents that both judged, or of several judges.

    `assessor_agreement` shows how their differences change the ranking of systems.

    Parameters
    ----------
    qrels_a, qrels_b : DataFrame
        The qrels of each judge, with PyTerrier's or ir_measures' column names. For two or more judges, a dict of names
        to qrels instead of both.
    by : {"intent", "query"}
        Whether to return one row for each intent or for each query.
    rel : float > 0, optional
        Smallest relevant label, for the columns that count relevant documents. All labels above 0 are relevant if
        omitted.
    table : bool
        Whether to return the confusion table instead. Like ``rel``, only for two judges.

    Returns
    -------
    DataFrame
        One row for each intent (or query), sorted by id, and a last row for all of them. The columns are ``qid``,
        ``iteration`` (by intent), ``pairs`` (of a document and an intent), ``agreement`` in [0, 1], ``kappa`` and
        ``kappa_linear`` in [-1, 1], ``relevant``, ``other_relevant``, and ``jaccard`` in [0, 1]. ``attrs`` describes
        the columns, and says how many pairs only one judge judged.

        With ``table``, the number of pairs for each label of the first judge (rows) and of the second (columns).

        For a dict of judges, the columns are ``qid``, ``iteration`` (by intent), ``pairs`` that at least two judged,
        the number of their ``labels``, and Krippendorff's alpha, at most 1: ``alpha_nominal`` and ``alpha_ordinal``.

    Raises
    ------
    ValueError
        If qrels cannot be read, no pair is judged by two judges, or ``by`` or ``rel`` is out of range. Also if ``rel``
        or ``table`` is given for a dict of judges.

    Warns
    -----
    UserWarning
        If pairs are left out, because only one judge judged them.

    Notes
    -----
    Negative labels count as 0. Cohen's kappa is :math:`(p_o - p_e)/(1 - p_e)`, where :math:`p_o` is the share of equal
    labels, and :math:`p_e` the share expected if each judge's labels were shuffled. In the linear form, labels a and b
    agree by :math:`1 - |a - b| / (\max - \min)`. statsmodels computes both.

    Krippendorff's alpha is :math:`1 - D_o / D_e`, the observed disagreement of the labels of a pair over that of all
    labels shuffled. Two labels disagree by :math:`[a \ne b]` or, as ordered labels, by the squared number of labels
    between them, counting half of those that equal one of them.

    References
    ----------
    Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20(1), 37-46.

    Krippendorff (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.

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
    >>> agreement({"people": people, "machine": machine, "others": machine}).tail(1).round(3)
       qid iteration  pairs  labels  alpha_nominal  alpha_ordinal
    2  all       all      4      12          0.436          0.615
    """
    _BY.check("agreement", "by", by)
    if isinstance(qrels_a, Mapping) and qrels_b is None:
        if rel is not None or table:
            raise ValueError("agreement: rel and table are for two judges. Give two qrels instead of a dict.")
        return _of_several(qrels_a, by)
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
    keys = _keys(by)
    levels = np.unique(both[["label_a", "label_b"]].to_numpy())
    groups = both.sort_values("place", kind="stable").groupby(keys, sort=False)
    rows = [(*names, *_row(group, levels, rel)) for names, group in groups]
    rows.append((*[_ALL] * len(keys), *_row(both, levels, rel)))
    legend = {column: what for column, what in _LEGEND.items() if column != "iteration" or by == "intent"}
    result = pd.DataFrame(rows, columns=list(legend))
    result.attrs = {"legend": legend, "only_a": only[0], "only_b": only[1]}
    return result


def _of_several(judges: Mapping[str, Any], by: By) -> pd.DataFrame:
    """Return Krippendorff's alpha of each intent or query, and of all."""
    if len(judges) < 2:
        raise ValueError(f"agreement: give the qrels of at least two judges, not {len(judges)}.")
    labels = pd.concat([_labels(qrels, str(name)) for name, qrels in judges.items()], ignore_index=True)
    place = labels.groupby(_KEYS[:2], sort=False)["place"].transform("min")
    several = labels.groupby(_KEYS)["label"].transform("size") > 1
    if not several.any():
        raise ValueError("agreement: two judges must judge at least one document for the same intent.")
    if not several.all():
        warn_user(
            f"agreement: {int((~several).sum())} pairs that only one judge judged are left out; several judges judged "
            f"{int(labels[several].groupby(_KEYS).ngroups)}."
        )
    labels = labels.assign(place=place)[several].sort_values("place", kind="stable")
    keys = _keys(by)
    rows = [(*names, *_alphas(group)) for names, group in labels.groupby(keys, sort=False)]
    rows.append((*[_ALL] * len(keys), *_alphas(labels)))
    legend = {column: what for column, what in _LEGEND_OF_SEVERAL.items() if column != "iteration" or by == "intent"}
    result = pd.DataFrame(rows, columns=list(legend))
    result.attrs = {"legend": legend, "judges": list(map(str, judges)), "only_one": int((~several).sum())}
    return result


def _alphas(labels: pd.DataFrame) -> tuple[int, int, float, float]:
    """Return the numbers of pairs and of labels, and Krippendorff's alpha for nominal and for ordinal labels."""
    pair = labels.groupby(_KEYS, sort=False).ngroup().to_numpy()
    levels, level = np.unique(labels["label"], return_inverse=True)
    counts = np.zeros((pair.max() + 1, len(levels)))
    np.add.at(counts, (pair, level), 1)
    # How often two labels of a pair coincide: each pair has the weight of its number of labels.
    shares = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincide = counts.T @ shares - np.diag(shares.sum(axis=0))
    totals = coincide.sum(axis=0)
    middle = np.cumsum(totals) - totals / 2
    found = []
    for distance in (1 - np.eye(len(levels)), (middle - middle[:, None]) ** 2):
        expected = totals @ distance @ totals
        observed = (totals.sum() - 1) * (coincide * distance).sum()
        found.append(1 - observed / expected if expected else np.nan)
    return len(counts), len(labels), found[0], found[1]


def _keys(by: By) -> list[str]:
    """Return the columns of a group."""
    return _KEYS[:1] if by == "query" else _KEYS[:2]


def _labels(qrels: Any, what: str) -> pd.DataFrame:
    """Return the label of each document for each intent, at least 0, and the place of the intent."""
    frame = qrels_frame(qrels, what=what)
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
    return (
        len(pairs),
        float(np.mean(a == b)),
        *_kappas(a, b, levels),
        int(relevant[0].sum()),
        int(relevant[1].sum()),
        jaccard,
    )


def _kappas(a: np.ndarray, b: np.ndarray, levels: np.ndarray) -> tuple[float, float]:
    """Return Cohen's kappa and its linear form, or NaN if all labels are equal."""
    from scipy.stats.contingency import crosstab
    from statsmodels.stats.inter_rater import cohens_kappa

    if (a == a[0]).all() and (b == a[0]).all():
        return np.nan, np.nan
    counts = crosstab(a, b, levels=(levels, levels)).count
    plain = cohens_kappa(counts, return_results=False)
    return float(plain), float(cohens_kappa(counts, weights=levels, wt="linear", return_results=False))
