"""How similarly measures order the systems."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...parameters import Parameter
from ..scores import Measures, names_of, read_means, read_scores, rounded
from .coefficients import METHOD, VARIANT, Method, Variant, correlate

_LEGEND = {
    "measure": "the measure that ranks the systems (the estimate)",
    "reference": "the measure whose ranking it is compared with",
    "value": "the coefficient: 1 for the same order of all systems, -1 for the opposite order, NaN if all are tied",
}


def rank_correlation(
    perquery_or_means: pd.DataFrame,
    reference: Measures | None = None,
    *,
    method: Method = "tau",
    variant: Variant = "b",
    top: int | None = None,
    matrix: bool = False,
) -> pd.DataFrame:
    """Compute how similarly measures rank the systems by their means over the queries.

    Parameters
    ----------
    perquery_or_means : DataFrame
        A frame from ``pt.Experiment``, with or without ``perquery=True``: columns ``name`` (of the system), ``qid``,
        ``measure``, ``value``, or ``name`` and a column of means for each measure; `evaluate_runs` returns them, too.
        Columns that are not measures are ignored: ``mrt``, ``queries``, ties (``ties@20``), standard errors
        (``se(RBU@20)``) and comparisons with a baseline (``AP +``, ``AP p-value``). Higher values are better.
    reference : Measure or str, or list of them, optional
        The measures to compare with; by default, all pairs of measures are compared.
    method : {"tau", "spearman", "tau_ap", "tau_ap_symmetric"}
        `kendall_tau`, Spearman's rho, `tau_ap` with the measure as the estimate, or `tau_ap_symmetric`.
    variant : {"b", "a"}
        How to treat ties, as in the function of that name. Spearman's rho uses mean ranks, which is "b". Means over
        queries that are equal to eight decimals are tied.
    top : int >= 2, optional
        Use only the best systems by the reference: this many, and those tied with the last of them. By default, all.
    matrix : bool
        Whether to return a matrix with a row for each measure and a column for each reference.

    Returns
    -------
    DataFrame
        ``measure``, ``reference`` and ``value`` in [-1, 1], for each pair of different measures in both directions;
        with ``matrix``, the values as a matrix. With variant ``"b"``, a value is NaN if all systems are tied in a
        ranking. ``attrs`` describes the columns, and has the parameters.

    Raises
    ------
    ValueError
        If the frame cannot be read, has fewer than two systems, or does not have a reference. Also if the method or
        variant is unknown, or ``top`` is below 2 or above the number of systems.
    TypeError
        If the first argument is not a frame.

    Warns
    -----
    UserWarning
        If queries are left out, because some systems have no value for them.

    Examples
    --------
    >>> means = pd.DataFrame({"name": ["x", "y", "z"], "AP": [0.3, 0.2, 0.1], "RBU": [0.2, 0.3, 0.1]})
    >>> rank_correlation(means, "AP", method="tau_ap")
      measure reference  value
    0     RBU        AP    0.0
    """
    METHOD.check("rank_correlation", "method", method)
    VARIANT.check("rank_correlation", "variant", variant)
    if method == "spearman" and variant != "b":
        raise ValueError(f"rank_correlation: variant must be 'b' for method='spearman', not {variant!r}.")
    frame = perquery_or_means
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(
            f"rank_correlation: perquery_or_means must be a frame from pt.Experiment, not {type(frame).__name__}."
        )
    if {"qid", "measure"} & set(frame):
        means = {measure: rounded(values.mean(axis=1)) for measure, values in read_scores(frame).unrounded.items()}
    else:
        means = read_means("rank_correlation", frame)
    n_systems = len(next(iter(means.values())))
    if n_systems < 2:
        raise ValueError(f"rank_correlation: perquery_or_means must have at least two systems, not {n_systems}.")
    references = list(means) if reference is None else names_of(reference)
    absent = [name for name in references if name not in means]
    if absent:
        raise ValueError(f"reference must be among the measures {', '.join(means)}, not {', '.join(absent)}.")
    values = np.stack(list(means.values()))
    of_references = np.stack([means[name] for name in references])
    if top is None:
        coefficients = correlate(values, of_references, method, variant)
    else:
        parameter = Parameter(int, interval=f"[2, {n_systems}]", desc="how many of the systems are ranked")
        top = int(parameter.check("rank_correlation", "top", top))
        coefficients = _correlate_top(values, of_references, method, variant, top)
    index, columns = pd.Index(list(means), name="measure"), pd.Index(references, name="reference")
    result = pd.DataFrame(coefficients, index=index, columns=columns)
    if not matrix:
        result = result.reset_index().melt("measure", value_name="value")
        result = result[result["measure"] != result["reference"]].reset_index(drop=True)
    result.attrs = {"legend": dict(_LEGEND), "method": method, "variant": variant}
    if top is not None:
        result.attrs["top"] = top
    return result


def _correlate_top(
    estimates: np.ndarray, references: np.ndarray, method: Method, variant: Variant, top: int
) -> np.ndarray:
    """Correlate as `correlate`, over the best systems by each reference."""
    columns = []
    for reference in references:
        best = reference >= np.sort(reference)[-top]
        columns.append(correlate(estimates[:, best], reference[None, best], method, variant))
    return np.concatenate(columns, axis=1)
