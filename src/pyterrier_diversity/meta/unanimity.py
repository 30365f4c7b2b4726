"""Metric unanimity: how well a measure finds the improvements on which all other measures agree."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .scores import Group, Measures, families, read_scores, signs

# Comparisons (measures x pairs of systems) at a time: some 50 MB.
CELLS = 1_000_000

_LEGEND = {
    "measure": "the measure; with families, the family's first measure with the highest unanimity",
    "family": "the family of the measure",
    "unanimity": "log2 of how much more often than by chance the measure finds an improvement on which all others "
    "agree; at most 1, 0 by chance, NaN if there is no such improvement",
}


def unanimity(perquery: pd.DataFrame, measures: Measures | None = None, *, group: Group | None = None) -> pd.DataFrame:
    r"""Compute metric unanimity (MU): how well each measure finds the improvements on which all others agree.

    Parameters
    ----------
    perquery : DataFrame
        Columns ``name`` (of the system), ``qid``, ``measure``, ``value``, as ``pt.Experiment(..., perquery=True)``
        returns them. Not changed.
    measures : Measure or str, or iterable of them, optional
        The measures to compare with each other; by default, all of the frame. Unanimity depends on the whole set.
    group : mapping of str to str, or callable, optional
        The family of each measure, by the measure's name. All measures are compared, but only the best of each family
        is returned.

    Returns
    -------
    DataFrame
        A row for each measure, or for each family: ``measure``, ``family`` (with ``group``) and ``unanimity``, highest
        first. It is at most 1, and 0 for a measure that decides by chance or ties all systems. It is ``-inf`` if the
        measure sees every unanimous improvement as a loss, and NaN if no improvement is unanimous. ``attrs``
        describes the columns, and has the numbers of systems, queries and different measures.

    Raises
    ------
    ValueError
        If the frame cannot be read, or has fewer than two systems or two different measures. Also if ``group`` has no
        family for a measure.

    Warns
    -----
    UserWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    Over all ordered pairs of two systems, on each query,

    .. math::
        MU(m) = \log_2 \frac{P(\Delta m, \Delta \mathcal{M})}{\frac{1}{2} P(\Delta \mathcal{M})}

    Here, :math:`\Delta m` is the event that m gives the first system the higher value (one half if the values are
    equal). :math:`\Delta \mathcal{M}` is the event that no other measure gives it the lower value. Values are equal
    within 1e-12.

    Measures with the same values for every system and query count once, so that copies change nothing. In the paper's
    formula, a copy of m counts among the other measures of m. Measures that rank alike with different values, such as
    DCG and nDCG, count twice: give only one of them, as the paper does.

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics: introducing the
    rank-biased utility metric. SIGIR, 625-634, Sec. 6.1. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    The example of the paper.

    >>> values = {"m1": [1, 0.5, 0.2], "m2": [0.8, 0.3, 0.4], "m3": [1, 0.2, 0.5]}
    >>> rows = [(f"S{i + 1}", "q", m, v) for m in values for i, v in enumerate(values[m])]
    >>> unanimity(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])).round(3)
      measure  unanimity
    0      m2      1.000
    1      m3      1.000
    2      m1      0.415
    """
    scores = read_scores(perquery, measures)
    scores.need_two("unanimity", "systems")
    values = np.stack([scores.by_measure[measure].T for measure in scores.measures])
    originals, copy_of = _without_copies(values)
    if len(originals) < 2:
        raise ValueError(
            "unanimity: perquery must have at least two measures with different values, not only "
            f"{', '.join(scores.measures)}."
        )
    unanimous, agreeing = counts(values[originals])
    frame = pd.DataFrame({"measure": scores.measures, "unanimity": _mutual_information(unanimous, agreeing)[copy_of]})
    family_of = families("unanimity", scores.measures, group)
    if family_of is not None:
        frame.insert(1, "family", frame["measure"].map(family_of))
    frame = frame.sort_values("unanimity", ascending=False, kind="stable", ignore_index=True)
    if family_of is not None:
        frame = frame.drop_duplicates("family", ignore_index=True)
    frame.attrs = {
        "legend": {column: what for column, what in _LEGEND.items() if column in frame},
        **scores.sizes,
        "n_measures": len(originals),
    }
    return frame


def _without_copies(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of each set of equal measures, and for each measure the position of its first one."""
    originals: list[int] = []
    copy_of = []
    for measure, own in enumerate(values):
        differs = signs(values[originals], own).any(axis=(1, 2))
        copy_of.append(len(originals) if differs.all() else int(np.argmin(differs)))
        if differs.all():
            originals.append(measure)
    return np.array(originals), np.array(copy_of)


def counts(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count, for each measure, the improvements on which all others agree, and how many of them it finds.

    ``values`` has shape (measures, queries, systems).
    """
    n_measures, n_queries, n_systems = values.shape
    unanimous, agreeing = np.zeros(n_measures), np.zeros(n_measures)
    first = values.reshape(n_measures, -1)
    step = max(1, CELLS // (n_measures * n_systems))
    for start in range(0, n_queries * n_systems, step):
        rows = np.arange(start, min(start + step, n_queries * n_systems))
        query, system = np.divmod(rows, n_systems)
        sign = signs(first[:, rows, None], values[:, query, :])
        worse = sign < 0
        seen_by_others = np.count_nonzero(worse, axis=0) - worse == 0
        seen_by_others &= system[:, None] != np.arange(n_systems)
        unanimous += np.count_nonzero(seen_by_others, axis=(1, 2))
        # 1, 1/2 or 0 where the first value is higher, equal or lower.
        agreeing += np.sum((sign + 1) / 2, axis=(1, 2), where=seen_by_others)
    return unanimous, agreeing


def _mutual_information(unanimous: np.ndarray, agreeing: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log2(2 * agreeing / unanimous)
