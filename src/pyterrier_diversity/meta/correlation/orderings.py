"""How similarly measures order the systems: rank correlation, and query by query concordance and unanimity."""

from collections.abc import Hashable, Iterator
from contextlib import suppress
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from ...docstrings import legend_of
from ...parameters import Parameter
from ..scores import Group, Measures, names_of, read_scores, rounded, with_families, with_legend
from ..significance.randomisation import slices

Method = Literal["tau", "spearman", "tau_ap", "tau_ap_symmetric"]
Variant = Literal["a", "b"]

# How many numbers are in memory at a time.
_CELLS = 2**22


def rank_correlation(
    perquery: Any,
    reference: Measures | None = None,
    *,
    method: Method = "tau",
    variant: Variant = "b",
    top: int | None = None,
    matrix: bool = False,
) -> pd.DataFrame:
    r"""Compute how similarly measures rank the systems by their means over the queries, the best system first.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    reference : Measure or str, or list of them, optional
        The measures to compare with; by default, all pairs of measures are compared.
    method : {"tau", "spearman", "tau_ap", "tau_ap_symmetric"}
        Kendall's tau, Spearman's rho, the AP correlation with the measure as the estimate, in which swaps near its top
        cost the most, or the mean of that in both directions.
    variant : {"b", "a"}
        How to treat ties; see Notes. Spearman's rho uses mean ranks, which is "b". Means over queries that are equal to
        ten decimals are tied.
    top : int >= 2, optional
        Use only the best systems by the reference: this many, and those tied with the last of them. By default, all.
    matrix : bool
        Whether to return a matrix with a row for each measure and a column for each reference.

    Returns
    -------
    DataFrame
        One row for each pair of different measures, in both directions.

        - ``measure``: the measure that ranks the systems (the estimate)
        - ``reference``: the measure whose ranking it is compared with
        - ``value``: the coefficient: 1 for the same order of all systems, -1 for the opposite order, NaN if all are
          tied

        With ``matrix``, the values as a matrix. Only with variant ``"b"``, a value is NaN if all systems are tied in a
        ranking. ``attrs`` describes the columns, and has the parameters.

    Raises
    ------
    ValueError
        If the frame cannot be read, has fewer than two systems, or does not have a reference. Also if the method or
        variant is unknown, or ``top`` is below 2 or above the number of systems.
    TypeError
        If ``perquery`` is not a frame.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    Of n pairs of systems, P are in the same order and Q in the opposite order; :math:`n_1` and :math:`n_2` are not tied
    by the measure and by the reference. Kendall's tau is :math:`(P - Q) / \sqrt{n_1 n_2}` with variant ``"b"``, and
    :math:`(P - Q) / n`, the mean over all ways to break the ties, with ``"a"``.

    The AP correlation of n systems, without ties and in the order of the estimate (Yilmaz et al.), is

    .. math::
        \tau_{AP} = \frac{2}{n - 1} \sum_{i=2}^{n} \frac{C(i)}{i - 1} - 1

    where C(i) counts the systems above rank i of the estimate that are above the same system in the reference too.

    ``"a"`` is the mean of this over all ways to break the ties of both lists, all equally likely. For a reference
    without ties it is :math:`\tau_{AP,a}` of Urbano and Marrero, who do not define it for a reference with ties.

    ``"b"`` ignores pairs that are tied in the estimate:

    .. math::
        \frac{2}{n - t} \sum_{i:\, p_i > 0} \frac{C(i)}{p_i} - 1

    where :math:`p_i` systems are above system i in the estimate, C(i) of these are also above it in the reference, and
    t systems share the top of the estimate. A pair that is tied only in the reference therefore costs as much as a
    swap. :math:`\tau_{AP,b}` of Urbano and Marrero is the mean of this in both directions: "tau_ap_symmetric".

    References
    ----------
    Kendall (1945). The treatment of ties in ranking problems. Biometrika 33(3), 239-251.

    Yilmaz, Aslam, Robertson (2008). A new rank correlation coefficient for information retrieval. SIGIR, 587-594.
    https://doi.org/10.1145/1390334.1390435

    Urbano, Marrero (2017). The treatment of ties in AP correlation. ICTIR, 321-324.
    https://doi.org/10.1145/3121050.3121106

    Examples
    --------
    Means are values of one query. (Kendall's tau of a table of means is also ``table.corr("kendall")``.)

    >>> means = pd.DataFrame({"name": ["x", "y", "z"], "AP": [0.3, 0.2, 0.1], "RBU": [0.2, 0.3, 0.1]})
    >>> values = means.melt("name", var_name="measure").assign(qid="1")
    >>> rank_correlation(values, "AP", method="tau_ap")
      measure reference  value
    0     RBU        AP    0.0

    A notebook shows the matrix in colours with matplotlib:

    >>> colours = rank_correlation(values, matrix=True).style.background_gradient("RdBu", vmin=-1, vmax=1)
    """
    Parameter(str, choices=get_args(Method)).check("rank_correlation", "method", method)
    Parameter(str, choices=get_args(Variant)).check("rank_correlation", "variant", variant)
    if method == "spearman" and variant != "b":
        raise ValueError(f"rank_correlation: variant must be 'b' for method='spearman', not {variant!r}.")
    scores = read_scores(perquery, two=["systems"], who="rank_correlation")
    signs = scores.signs
    means = {measure: signs[measure] * rounded(of_systems) for measure, of_systems in scores.means.items()}
    references = list(means) if reference is None else names_of(reference)
    absent = [name for name in references if name not in means]
    if absent:
        raise ValueError(f"reference must be among the measures {', '.join(means)}, not {', '.join(absent)}.")
    values = np.stack(list(means.values()))
    attrs: dict[Hashable, Any] = {"method": method, "variant": variant}
    if top is None:
        coefficients = correlate(values, np.stack([means[name] for name in references]), method, variant)
    else:
        attrs["top"] = top = Parameter(int, interval=f"[2, {values.shape[1]}]").check("rank_correlation", "top", top)
        best = [(means[name], means[name] >= np.sort(means[name])[-top]) for name in references]
        columns = [correlate(values[:, kept], own[None, kept], method, variant) for own, kept in best]
        coefficients = np.concatenate(columns, axis=1)
    result = pd.DataFrame(coefficients, pd.Index(means, name="measure"), pd.Index(references, name="reference"))
    if not matrix:
        result = result.reset_index().melt("measure", value_name="value")
        result = result[result["measure"] != result["reference"]].reset_index(drop=True)
    result.attrs = {"legend": legend_of(rank_correlation.__doc__), **attrs}
    return result


def kendall_tau(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    r"""Compute Kendall's rank correlation (tau-b) of two lists of values.

    Parameters
    ----------
    first, second : array_like, shape (n_systems,)
        Values of the systems. Values that are equal to ten decimals are tied; values above 1 in absolute value are
        first divided by a power of ten.

    Returns
    -------
    float
        In [-1, 1]; NaN if all systems are tied in a list.

    Raises
    ------
    ValueError
        If the lists do not have the same length of at least 2, or a value is not finite.

    Examples
    --------
    >>> round(kendall_tau([3, 2, 1], [3, 1, 2]), 3)
    0.333
    """
    lists: np.ndarray = np.empty(0)
    with suppress(TypeError, ValueError, OverflowError):
        lists = np.array([first, second], dtype=np.float64)
    if lists.ndim != 2 or lists.shape[1] < 2 or not np.isfinite(lists).all():
        raise ValueError("kendall_tau: first and second must be lists of finite numbers of the same length, 2 or more.")
    return float(correlate(*rounded(lists)[:, None]).item())


def correlate(
    estimates: np.ndarray, references: np.ndarray, method: Method = "tau", variant: Variant = "b"
) -> np.ndarray:
    """Correlate each of several estimates with each of several references.

    Parameters
    ----------
    estimates : ndarray, shape (n_estimates, n_systems)
        Finite values of the systems. Equal values are tied.
    references : ndarray, shape (n_references, n_systems)
        Finite values of the systems.
    method, variant
        As in `rank_correlation`.

    Returns
    -------
    ndarray, shape (n_estimates, n_references)
    """
    if method == "tau":
        return _tau(estimates, references, variant)
    if method == "spearman":
        return _spearman(estimates, references)
    values = _tau_ap(estimates, references, variant)
    if method == "tau_ap_symmetric":
        values = (values + _tau_ap(references, estimates, variant).T) / 2
    return values


def _tau(estimates: np.ndarray, references: np.ndarray, variant: Variant) -> np.ndarray:
    first, second = np.triu_indices(estimates.shape[1], 1)
    agreement = np.zeros((len(estimates), len(references)))
    n_estimate, n_reference = np.zeros(len(estimates)), np.zeros(len(references))
    # Whole numbers up to 2^24 are exact in single precision.
    n_above = [_n_above(values).astype(np.float32) for values in (estimates, references)]
    for pairs in slices(len(first), len(estimates) + len(references), _CELLS):
        one, other = (np.sign(above[:, second[pairs]] - above[:, first[pairs]]) for above in n_above)
        agreement += one @ other.T
        n_estimate += np.count_nonzero(one, axis=1)
        n_reference += np.count_nonzero(other, axis=1)
    if variant == "a":
        return agreement / len(first)
    untied = np.sqrt(n_estimate[:, None] * n_reference)
    return np.divide(agreement, untied, out=np.full_like(untied, np.nan), where=untied > 0)


def _spearman(estimates: np.ndarray, references: np.ndarray) -> np.ndarray:
    from scipy.stats import rankdata

    with np.errstate(invalid="ignore"):  # a list in which all systems are tied
        found = np.corrcoef(rankdata(estimates, axis=1), rankdata(references, axis=1))
    return found[: len(estimates), len(estimates) :]


def _tau_ap(estimates: np.ndarray, references: np.ndarray, variant: Variant) -> np.ndarray:
    n = estimates.shape[1]
    weight, constant = (_weights_b if variant == "b" else _weights_a)(estimates)
    concordant = np.zeros((len(estimates), len(references)))
    for systems in slices(n, n * (len(estimates) + len(references)), _CELLS):
        above = estimates[:, None, :] > estimates[:, systems, None]
        one, other = references[:, None, :], references[:, systems, None]
        right = one > other if variant == "b" else ((one > other) + 1.0 * (one >= other)) / 2
        weighted = above * weight[:, systems, None]
        concordant += weighted.reshape(len(estimates), -1) @ right.reshape(len(references), -1).T.astype(np.float64)
    values = np.clip(2 * (concordant + constant[:, None]) - 1, -1.0, 1.0)
    if variant == "b":
        values[:, (references == references[:, :1]).all(axis=1)] = np.nan
    return values


def _weights_b(estimates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight of a concordant pair, by its lower system, and a constant, NaN if all systems are tied."""
    n_above = _n_above(estimates)
    below_top = n_above > 0
    n_below_top = np.count_nonzero(below_top, axis=1)
    weight = np.divide(1.0, n_above * n_below_top[:, None], out=np.zeros(n_above.shape), where=below_top)
    return weight, np.where(n_below_top > 0, 0.0, np.nan)


def _weights_a(estimates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight of a concordant pair, by its lower system, and the constant share of ties."""
    # A tie of t systems that is broken at random puts 0, 1, ..., t - 1 of them above a system, each with probability
    # 1/t. A pair that is tied in either list is concordant with probability 1/2.
    n = estimates.shape[1]
    n_above = _n_above(estimates)
    n_tied = n - n_above - _n_above(-estimates)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n))])
    # The sums of 1/(n_above + k), without the term 1/0, and of k/(n_above + k), over k = 0, ..., t - 1.
    inverses = harmonic[n_above + n_tied - 1] - harmonic[np.maximum(n_above - 1, 0)]
    shares = n_tied - (n_above == 0) - n_above * inverses
    return inverses / n_tied / (n - 1), (shares / 2 / n_tied).sum(axis=1) / (n - 1)


def _n_above(values: np.ndarray) -> np.ndarray:
    """Return how many systems are above each one."""
    from scipy.stats import rankdata

    return rankdata(-values, "min", axis=1).astype(np.int64) - 1


def concordance(
    perquery: Any, gold: Measures, measures: Measures | None = None, *, method: Literal["exact", "normal"] = "exact"
) -> pd.DataFrame:
    r"""Test which of two measures agrees more often with gold standards, when the two measures disagree.

    A gold standard is a simple measure of one goal, such as ``StRecall@10`` for diversity and ``EfP@10`` for relevance.
    Two measures disagree on a topic if each finds another one of two systems better. A measure is right if all gold
    standards order the systems as it does. A gold standard on which the systems tie agrees with both measures.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
    gold : Measure or str, or iterable of them
        The gold standards. A measure is right if it agrees with all of them.
    measures : Measure or str, or iterable of them, optional
        Two or more measures to compare; by default, all in the frame except the gold standards.
    method : {"exact", "normal"}
        The sign test: exact (binomial), or the normal approximation without continuity correction, which reproduces
        the marks in the paper.

    Returns
    -------
    DataFrame
        One row for each pair of measures.

        - ``measure``: the first measure
        - ``other``: the second measure
        - ``concordance`` in [0, 1]: share of the disagreements in which the first measure agrees with all gold
          standards; NaN if none
        - ``other_concordance`` in [0, 1]: share of the disagreements in which the second measure agrees with all gold
          standards
        - ``disagreements``: number of pairs of systems, over all topics, that the two measures order in opposite ways
        - ``p``: two-sided p-value of the sign test that both are right equally often; 1 if neither is ever right alone

        ``attrs`` describes the columns, and has the parameters.

    Raises
    ------
    ValueError
        If no gold standard is given, the method is unknown, or the frame has fewer than two measures or systems to
        compare. Also if a column, a measure or a value is missing.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    The sign test counts disagreements in which exactly one of the two measures is right. Like the paper, it treats them
    as independent, although pairs share systems and topics.

    References
    ----------
    Sakai (2013). Web search evaluation with informational and navigational intents. Journal of Information Processing
    21(1), Sec. 4.2, Fig. 6.

    Examples
    --------
    >>> rows = [("a", "P", 1.0), ("b", "P", 0.0), ("a", "RR", 0.2), ("b", "RR", 0.5), ("a", "R", 0.9), ("b", "R", 0.3)]
    >>> frame = pd.DataFrame(rows, columns=["name", "measure", "value"]).assign(qid="1")
    >>> concordance(frame, gold="R")
      measure other  concordance  other_concordance  disagreements    p
    0       P    RR          1.0                0.0              1  1.0

    A picture, with matplotlib:

    >>> table = concordance(frame, gold="R").set_index(["measure", "other"])
    >>> ax = table[["concordance", "other_concordance"]].plot.barh()
    """
    Parameter(str, choices=("exact", "normal")).check("concordance", "method", method)
    golds = names_of(gold)
    if not golds:
        raise ValueError("concordance: gold must have at least one measure.")
    wanted = None if measures is None else names_of(measures)
    scores = read_scores(perquery, wanted, needed=golds, two=["systems"], who="concordance")
    compared = [measure for measure in scores.measures if measure not in golds] if wanted is None else wanted
    if len(compared) < 2:
        raise ValueError(f"concordance: give at least two measures besides gold, not {compared!r}.")
    better = scores.better
    counts = _counts(*(np.stack([better[name] for name in names]) for names in (compared, golds)))
    one, other = np.triu_indices(len(compared), 1)
    disagreements, correct, both = (count[one, other] for count in counts)
    others_correct = counts[1][other, one]
    names = np.array(compared, dtype=object)
    some = np.where(disagreements > 0, disagreements, np.nan)
    columns = {
        "measure": names[one],
        "other": names[other],
        "concordance": correct / some,
        "other_concordance": others_correct / some,
        "disagreements": disagreements.astype(np.int64),
        "p": _sign_test(correct - both, others_correct - both, method),
    }
    return with_legend(pd.DataFrame(columns), concordance, {**scores.sizes, "gold": golds, "method": method})


def unanimity(perquery: Any, measures: Measures | None = None, *, group: Group | None = None) -> pd.DataFrame:
    r"""Compute metric unanimity (MU): how well each measure finds the improvements on which all others agree.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them: a frame of ``pt.Experiment(..., perquery=True)``, or files.
        Not changed.
    measures : Measure or str, or iterable of them, optional
        The measures to compare with each other; by default, all in the frame. Unanimity depends on the whole set.
    group : mapping of str to str, or callable, optional
        The family of each measure, by the measure's name. All measures are compared, but only the best of each family
        is returned.

    Returns
    -------
    DataFrame
        One row for each measure, or for each family, highest unanimity first.

        - ``measure``: the measure; with families, the family's first measure with the highest unanimity
        - ``family`` (with ``group``): the family of the measure
        - ``unanimity``: log2 of how much more often than by chance the measure finds an improvement on which all others
          agree; at most 1, 0 by chance, NaN if there is no such improvement

        A measure that ties all systems has a unanimity of 0, too. It is ``-inf`` if the measure sees every unanimous
        improvement as a loss. ``attrs`` describes the columns, and has the numbers of systems, queries and different
        measures.

    Raises
    ------
    ValueError
        If the frame cannot be read, or has fewer than two systems or two different measures. Also if ``group`` has no
        family for a measure.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them.

    Notes
    -----
    Over all ordered pairs of two systems, on each query,

    .. math::
        MU(m) = \log_2 \frac{P(\Delta m, \Delta \mathcal{M})}{\frac{1}{2} P(\Delta \mathcal{M})}

    Here, :math:`\Delta m` is the event that m gives the first system the better value (one half if the values are
    equal). :math:`\Delta \mathcal{M}` is the event that no other measure gives it the worse value. Values count as
    equal if they agree to ten decimals.

    Measures with the same values for every system and query count once, so that copies change nothing. In the paper's
    formula, a copy of m counts as one of the other measures. Measures that rank alike with different values, such as
    DCG and nDCG, count twice: give only one of them, as the paper does.

    References
    ----------
    Amigó, Spina, Carrillo-de-Albornoz (2018). An axiomatic analysis of diversity evaluation metrics: introducing the
    rank-biased utility metric. SIGIR, 625-634, Sec. 6.1. https://doi.org/10.1145/3209978.3210024

    Examples
    --------
    The paper's example.

    >>> values = {"m1": [1, 0.5, 0.2], "m2": [0.8, 0.3, 0.4], "m3": [1, 0.2, 0.5]}
    >>> rows = [(f"S{i + 1}", "q", m, v) for m in values for i, v in enumerate(values[m])]
    >>> table = unanimity(pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]))
    >>> table.round(3)
      measure  unanimity
    0      m2      1.000
    1      m3      1.000
    2      m1      0.415

    A picture, with matplotlib:

    >>> ax = table.plot.barh("measure", "unanimity")
    """
    scores = read_scores(perquery, measures, two=["systems"], who="unanimity")
    values = np.stack(list(scores.better.values()))
    # Adding 0 makes zeros of both signs equal.
    copy_of, _ = pd.factorize(np.array([(own + 0.0).tobytes() for own in values], dtype=object))
    _, originals = np.unique(copy_of, return_index=True)
    if len(originals) < 2:
        raise ValueError(
            "unanimity: perquery must have at least two measures with different values, not only "
            f"{', '.join(scores.measures)}."
        )
    frame = pd.DataFrame({"measure": scores.measures, "unanimity": _mutual_information(values[originals])[copy_of]})
    frame = frame.sort_values("unanimity", ascending=False, kind="stable", ignore_index=True)
    frame = with_legend(
        with_families("unanimity", frame, group), unanimity, {**scores.sizes, "n_measures": len(originals)}
    )
    return frame if group is None else frame.drop_duplicates("family", ignore_index=True)


def _above_and_below(values: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Tell where each system is above each other one, and where below, shape (measures, systems * queries)."""
    for i in range(values.shape[1]):
        own = values[:, [i]]
        yield (own > values).reshape(len(values), -1), (own < values).reshape(len(values), -1)


def _counts(values: np.ndarray, golds: np.ndarray) -> np.ndarray:
    """Count over all pairs of systems and all topics.

    Parameters
    ----------
    values, golds : ndarray, shape (measures, systems, queries)
        Values of the measures to compare, and of the gold standards.

    Returns
    -------
    ndarray, shape (3, measures, measures)
        How often two measures disagree, how often the one of the row is right then, and how often both are.
    """
    counts = np.zeros((3, len(values), len(values)))
    for (higher, lower), (gold_higher, gold_lower) in zip(
        _above_and_below(values), _above_and_below(golds), strict=True
    ):
        right = ~gold_lower.any(axis=0)
        tied = right & ~gold_higher.any(axis=0)
        # A matrix product counts, for all pairs of measures, how often one says higher and the other lower.
        others = lower.T.astype(np.float64)
        for count, counted in zip(counts, (higher, higher & right, higher & tied), strict=True):
            count += counted.astype(np.float64) @ others
    return counts


def _sign_test(wins: np.ndarray, losses: np.ndarray, method: str) -> np.ndarray:
    """Return the two-sided p-values of the sign test; 1 without wins and losses."""
    from scipy import stats

    n = wins + losses
    if method == "exact":
        return np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(wins, losses), n, 0.5))
    return 2 * stats.norm.sf(np.abs(wins - losses) / np.sqrt(np.maximum(n, 1)))


def _mutual_information(values: np.ndarray) -> np.ndarray:
    """Return the unanimity of each measure, from values of shape (measures, systems, queries)."""
    unanimous, agreeing = np.zeros((2, len(values)))
    for i, (higher, lower) in enumerate(_above_and_below(values)):
        # An improvement on which all measures but this one agree; one half of a tie agrees.
        seen = np.count_nonzero(lower, axis=0) - lower == 0
        seen.reshape(values.shape)[:, i] = False  # the system itself
        unanimous += np.count_nonzero(seen, axis=1)
        agreeing += (np.count_nonzero(seen & higher, axis=1) + np.count_nonzero(seen & ~lower, axis=1)) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log2(2 * agreeing / unanimous))
