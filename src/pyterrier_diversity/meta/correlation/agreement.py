"""Agreement of judges on labels, such as two assessors, or several assessors and an LLM."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...frames import QRELS_COLUMNS, Columns, warn
from ...io import qrels_frame
from ...judged import intents_of_rows, judge
from ...warnings import MissingWarning
from ..scores import with_legend

_JUDGED_PAIR = ["query_id", "iteration", "doc_id"]


def agreement(qrels_a: Any, qrels_b: Any = None) -> pd.DataFrame:
    r"""Compute the agreement of two judges on the documents that both judged, or of several judges.

    `assessor_agreement` shows how their differences change the ranking of systems.

    Parameters
    ----------
    qrels_a, qrels_b : DataFrame
        The qrels of each judge, with PyTerrier's or ir_measures' column names. For two or more judges, a dict of names
        to qrels instead of both.

    Returns
    -------
    DataFrame
        One row for each intent, sorted by id, and a last row for all of them.

        - ``qid``: the query; 'all' in the last row, for all pairs
        - ``iteration``: the intent; 'all' in the last row
        - ``pairs``: number of pairs of a document and an intent that at least two judged
        - ``agreement`` in [0, 1]: share of the pairs with the same label
        - ``kappa`` in [-1, 1]: Cohen's kappa: agreement beyond chance; NaN if all labels are the same
        - ``kappa_linear`` in [-1, 1]: kappa with linear weights, in which close labels disagree less
        - ``relevant``: number of pairs that the first judged relevant
        - ``other_relevant``: number of pairs that the second judged relevant
        - ``jaccard`` in [0, 1]: pairs that both judged relevant, divided by pairs that either judged relevant; NaN if
          there are none

        ``attrs`` describes the columns, and says how many pairs ``only`` one judge judged, by judge.

        For a dict of judges, the columns after ``pairs`` are

        - ``labels``: number of labels of these pairs
        - ``alpha_nominal``, at most 1: Krippendorff's alpha: agreement beyond chance; NaN if all labels are the same
        - ``alpha_ordinal``, at most 1: alpha for ordered labels, in which close labels disagree less

    Raises
    ------
    ValueError
        If qrels cannot be read, or no pair is judged by two judges.

    Warns
    -----
    MissingWarning
        If pairs are left out, because only one judge judged them.

    Notes
    -----
    Negative labels count as 0, and labels above 0 are relevant. Cohen's kappa is :math:`(p_o - p_e)/(1 - p_e)`, where
    :math:`p_o` is the share of equal labels, and :math:`p_e` the share expected if each judge's labels were shuffled.
    In the linear form, labels a and b agree by :math:`1 - |a - b| / (\max - \min)`. statsmodels computes both.

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
    >>> both = people.merge(machine, on=["qid", "docno", "iteration"])
    >>> pd.crosstab(both["label_x"], both["label_y"]).rename_axis(None)
    label_y  0  1
    0        1  1
    1        0  1
    2        0  1
    >>> agreement({"people": people, "machine": machine, "others": machine}).tail(1).round(3)
       qid iteration  pairs  labels  alpha_nominal  alpha_ordinal
    2  all       all      4      12          0.436          0.615
    """
    of_several = isinstance(qrels_a, Mapping) and qrels_b is None
    judges: dict[Any, Any] = dict(qrels_a) if of_several else {"qrels_a": qrels_a, "qrels_b": qrels_b}
    if len(judges) < 2:
        raise ValueError(f"agreement: give the qrels of at least two judges, not {len(judges)}.")
    labels = pd.concat(
        [_labels_of_judge(qrels, str(name)).assign(judge=i) for i, (name, qrels) in enumerate(judges.items())]
    )
    alone = labels.groupby(_JUDGED_PAIR)["judge"].transform("size") == 1
    only = dict(zip(map(str, judges), np.bincount(labels["judge"][alone], minlength=len(judges)).tolist(), strict=True))
    labels = labels[~alone]
    if labels.empty:
        raise ValueError("agreement: two judges must judge at least one document for the same intent.")
    # The labels of a pair follow each other, in the order of the judges.
    pair = labels.groupby(_JUDGED_PAIR, sort=False).ngroup()
    place = intents_of_rows(Columns(labels, (), "labels"))[0]
    labels = labels.assign(pair=pair, place=place).sort_values(["place", "pair"], kind="stable")
    if n_only := sum(only.values()):
        told = ", ".join(f"{name} {n}" for name, n in only.items() if n)
        left_out = f"{n_only} pairs that only one judge judged are left out ({told})"
        warn(MissingWarning(f"agreement: {left_out}; several judges judged {pair.nunique()}."))
    levels = np.unique(labels["relevance"])
    intents = [*labels.groupby(_JUDGED_PAIR[:2], sort=False), (("all", "all"), labels)]
    rows = [
        {"qid": query, "iteration": intent, **(_alphas(own) if of_several else _kappas(own, levels))}
        for (query, intent), own in intents
    ]
    return with_legend(pd.DataFrame(rows), agreement, {"only": only})


def _labels_of_judge(qrels: Any, what: str) -> pd.DataFrame:
    """Return the label of each document for each intent, at least 0."""
    given = Columns(qrels_frame(qrels, what), QRELS_COLUMNS, what)
    judge(given.frame)  # raises if labels contradict each other
    intent, _, names = intents_of_rows(given)
    columns = {
        "query_id": given.objects("query_id"),
        "iteration": names[intent],
        "doc_id": given.objects("doc_id"),
        "relevance": np.maximum(given.numbers("relevance"), 0),
    }
    pairs = pd.DataFrame(columns).drop_duplicates()
    # A row without a document names an intent that nobody judged.
    return pairs[pairs["doc_id"] != ""]


def _kappas(labels: pd.DataFrame, levels: np.ndarray) -> dict[str, float]:
    """Compare the labels of two judges."""
    from scipy.stats.contingency import crosstab
    from statsmodels.stats.inter_rater import cohens_kappa

    a, b = labels["relevance"].to_numpy().reshape(-1, 2).T
    first, second = a > 0, b > 0
    either = np.count_nonzero(first | second)
    counts = crosstab(a, b, levels=(levels, levels)).count
    plain = linear = np.nan
    if np.ptp([a, b]) > 0:
        plain = float(cohens_kappa(counts, return_results=False))
        linear = float(cohens_kappa(counts, weights=levels, wt="linear", return_results=False))
    return {
        "pairs": len(a),
        "agreement": float(np.mean(a == b)),
        "kappa": plain,
        "kappa_linear": linear,
        "relevant": int(np.count_nonzero(first)),
        "other_relevant": int(np.count_nonzero(second)),
        "jaccard": np.count_nonzero(first & second) / either if either else np.nan,
    }


def _alphas(labels: pd.DataFrame) -> dict[str, float]:
    """Return the numbers of pairs and of labels, and Krippendorff's alpha for nominal and for ordinal labels."""
    pair = pd.factorize(labels["pair"])[0]
    levels, level = np.unique(labels["relevance"], return_inverse=True)
    counts = np.zeros((pair.max() + 1, len(levels)))
    np.add.at(counts, (pair, level), 1)
    # How often two labels of a pair coincide: each pair has the weight of its number of labels.
    shares = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincide = counts.T @ shares - np.diag(shares.sum(axis=0))
    totals = coincide.sum(axis=0)
    middle = np.cumsum(totals) - totals / 2
    found: dict[str, float] = {"pairs": len(counts), "labels": len(labels)}
    distances = {"nominal": 1 - np.eye(len(levels)), "ordinal": (middle - middle[:, None]) ** 2}
    for name, distance in distances.items():
        expected = totals @ distance @ totals
        observed = (totals.sum() - 1) * (coincide * distance).sum()
        found[f"alpha_{name}"] = 1 - observed / expected if expected else np.nan
    return found
