"""Metric unanimity: how well a measure finds the improvements on which all other measures agree."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..scores import Group, Measures, families, read_scores

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
    if they are so to ten decimals.

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
    values = np.stack(list(scores.by_measure.values()))
    # Adding 0 makes zeros of both signs equal.
    copy_of, _ = pd.factorize(np.array([(own + 0.0).tobytes() for own in values], dtype=object))
    _, originals = np.unique(copy_of, return_index=True)
    if len(originals) < 2:
        raise ValueError(
            "unanimity: perquery must have at least two measures with different values, not only "
            f"{', '.join(scores.measures)}."
        )
    frame = pd.DataFrame({"measure": scores.measures, "unanimity": _mutual_information(values[originals])[copy_of]})
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


def _mutual_information(values: np.ndarray) -> np.ndarray:
    """Return the unanimity of each measure, from values of shape (measures, systems, queries)."""
    unanimous, agreeing = np.zeros((2, len(values)))
    for i in range(values.shape[1]):
        others = np.delete(values, i, axis=1)
        higher, lower = values[:, [i]] > others, values[:, [i]] < others
        # An improvement on which all measures but this one agree; one half of a tie agrees.
        seen = np.count_nonzero(lower, axis=0) - lower == 0
        unanimous += np.count_nonzero(seen, axis=(1, 2))
        agreeing += (np.count_nonzero(seen & higher, axis=(1, 2)) + np.count_nonzero(seen & ~lower, axis=(1, 2))) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log2(2 * agreeing / unanimous))
