"""The frames of meta-evaluation: values of all systems on all queries are read, and tables of results described."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import numpy.typing as npt
import pandas as pd

from ..docstrings import legend_of
from ..evaluate.perquery import refuse_repeated, refuse_value
from ..frames import warn
from ..io import read_perquery
from ..measures.groups import Measures as Measures
from ..measures.parse import higher_is_better
from ..warnings import MissingWarning

Group = Mapping[str, str] | Callable[[str], str]

# Sums of squares of larger values could overflow.
_LARGEST_VALUE = 1e100


class Scores(NamedTuple):
    """Values of systems on queries.

    ``systems`` and ``queries`` are sorted, so that random draws do not depend on the order of rows. ``measures`` are in
    the order of the frame, and so is ``given``, the systems again. ``by_measure`` has an array of shape (systems,
    queries) for each measure, and ``unrounded`` has the same values before rounding.
    """

    systems: list[str]
    queries: list[str]
    by_measure: dict[str, np.ndarray]
    given: list[str]
    unrounded: dict[str, np.ndarray]

    @property
    def means(self) -> dict[str, np.ndarray]:
        """The mean of each system by each measure. Equal means may differ in the last bit, but not once rounded."""
        return {measure: values.mean(axis=1) for measure, values in self.unrounded.items()}

    @property
    def signs(self) -> dict[str, int]:
        """1 for each measure, or -1 if its lower values are better."""
        return {measure: 1 if higher_is_better(measure) else -1 for measure in self.by_measure}

    @property
    def better(self) -> dict[str, np.ndarray]:
        """The values by measure, with the other sign if lower ones are better."""
        return {measure: sign * self.by_measure[measure] for measure, sign in self.signs.items()}

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return list(self.by_measure)

    @property
    def sizes(self) -> dict[Hashable, int]:
        """The numbers of systems and queries, as attributes of a table."""
        return {"n_systems": len(self.systems), "n_queries": len(self.queries)}

    def pairs(self, who: str, baseline: str | Iterable[str] | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of both systems of each pair, in the order of the frame; baselines are second.

        Without a baseline, these are all pairs. Errors start with ``who``: a ``ValueError`` if a baseline is unknown, a
        ``TypeError`` if it is neither a name nor a list of names.
        """
        found = combinations(self.given, 2) if baseline is None else pairs_with(who, self.given, baseline)
        places = [[self.systems.index(name) for name in pair] for pair in found]
        first, second = np.array(places, dtype=int).reshape(-1, 2).T
        return first, second

    def table(self, parts: Sequence[Mapping[str, np.ndarray]], first: np.ndarray, second: np.ndarray) -> pd.DataFrame:
        """Return the columns of the pairs of each measure, with the names of measure, ``name`` and ``other``."""
        names = np.array(self.systems, dtype=object)
        keys = {"name": names[first], "other": names[second]}
        tables = [
            pd.DataFrame({"measure": name, **keys, **part}) for name, part in zip(self.measures, parts, strict=True)
        ]
        return pd.concat(tables, ignore_index=True)


def pairs_with(who: str, systems: Sequence[str], baseline: str | Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of systems whose second is a baseline; two baselines are one pair."""
    if not isinstance(baseline, Iterable):
        raise TypeError(f"{who}: baseline must be the name of a system or a list of names, not {baseline!r}.")
    names = list(dict.fromkeys(map(str, [baseline] if isinstance(baseline, str) else baseline)))
    if not names or not set(systems).issuperset(names):
        raise ValueError(f"{who}: unknown baseline {baseline!r}; the systems are {', '.join(systems)}.")
    return [(one, other) for i, other in enumerate(names) for one in systems if one not in names[: i + 1]]


def read_scores(
    perquery: Any,
    measures: Measures | None = None,
    *,
    needed: Iterable[str] = (),
    two: Iterable[str] = (),
    who: str = "",
) -> Scores:
    """Read the values of all systems on the queries that all of them have, `rounded`.

    Parameters
    ----------
    perquery : frame, path-like, or several of them
        Results by query, as `io.read_perquery` reads them. Not changed.
    measures : Measure or str, or iterable of them, optional
        Which measures to read; all in the frame if omitted.
    needed : iterable of str
        Further measures to read, by name.
    two : iterable of {"systems", "queries"}
        What there must be at least two of. The error starts with ``who``.

    Raises
    ------
    ValueError
        If a column, a name or a measure is missing, a system has two values of a measure for a query, a value is not
        finite or above 1e100, or no query is left. The message names system, query and measure. Also if there are not
        ``two``.
    TypeError
        If ``perquery`` is not a frame.

    Warns
    -----
    MissingWarning
        If queries are left out, because some systems have no value for them, or because their values are NaN for every
        system and measure.
    """
    frame = read_perquery(perquery)
    there = list(frame["measure"].unique())
    wanted = list(dict.fromkeys([*(there if measures is None else names_of(measures)), *needed]))
    absent = [measure for measure in wanted if measure not in there]
    if absent and there:
        raise ValueError(f"perquery has no measure {', '.join(absent)}; it has {', '.join(there)}.")
    frame = _with_judgements(frame)
    frame = frame[frame["measure"].isin(wanted)]
    refuse_value(frame, ~np.isfinite(frame["value"]).to_numpy(), "must be a finite number")
    too_large = frame["value"].abs().gt(_LARGEST_VALUE).to_numpy()
    refuse_value(frame, too_large, f"must be at most {_LARGEST_VALUE:g} in absolute value")
    refuse_repeated(frame)
    given = list(frame["name"].unique())
    systems, queries = sorted(given), sorted(frame["qid"].unique())
    keys = ["measure", "name"]
    table = frame.pivot(index=keys, columns="qid", values="value")  # noqa: PD010
    table = table.reindex(index=pd.MultiIndex.from_product([wanted, systems], names=keys), columns=queries)
    complete = table.notna().all(axis=0)
    if not complete.all():
        left_out = f"{int((~complete).sum())} of {len(complete)} queries are left out"
        warn(MissingWarning(f"perquery: {left_out}, because some systems have no value for them."))
    table = table.loc[:, complete]
    if not table.shape[1] or not systems:
        raise ValueError("perquery: there is no query for which all systems have a value.")
    values = {measure: table.loc[measure].to_numpy() for measure in wanted}
    by_measure = {measure: rounded(of_measure) for measure, of_measure in values.items()}
    scores = Scores(systems, list(table.columns), by_measure, given, values)
    for what in two:
        if (n := scores.sizes[f"n_{what}"]) < 2:
            raise ValueError(f"{who}: perquery must have at least two {what}, not {n}.")
    return scores


def _with_judgements(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the queries that have a value of any system by any measure."""
    empty = frame["value"].isna().groupby(frame["qid"], sort=False).all()
    if empty.any() and not empty.all():
        message = (
            f"perquery: {empty.sum()} of {len(empty)} queries are left out, because all their values are NaN: "
            f"{', '.join(empty.index[empty])}. Probably they have no judgements. pt.Experiment(filter_by_qrels=True) "
            "leaves them out."
        )
        warn(MissingWarning(message))
        frame = frame[~frame["qid"].isin(empty.index[empty])]
    return frame


def names_of(measures: Measures) -> list[str]:
    """Return the names of one or several measures, each once."""
    several = [measures] if isinstance(measures, (ir_measures.Measure, str)) else measures
    return list(dict.fromkeys(map(str, several)))


def rounded(values: npt.ArrayLike) -> np.ndarray:
    """Round values to 10 decimal places; values above 1 relative to the next power of ten.

    A measure computed in two ways may differ in the last bit. Rounded values can be compared as they are, and so can
    rounded statistics of them.

    Examples
    --------
    >>> rounded([0.1 + 0.2, 1 / 3, 2e20 / 3]).tolist()
    [0.3, 0.3333333333, 6.666666667e+19]
    """
    array = np.asarray(values, dtype=np.float64)
    scale = scale_of(array)
    return np.asarray(np.round(array / scale, 10) * scale)


def scale_of(values: np.ndarray) -> np.ndarray:
    """Return the smallest power of ten that is not below 1 or the absolute value of each value; at most 1e100."""
    size = np.abs(values)
    return np.asarray(1.0 if (size <= 1).all() else 10.0 ** np.ceil(np.log10(np.clip(size, 1.0, _LARGEST_VALUE))))


def outcomes(differences: np.ndarray) -> dict[str, np.ndarray]:
    """Count the queries, along the last axis, on which the first system of a pair wins, ties and loses."""
    signs = {"wins": differences > 0, "ties": differences == 0, "losses": differences < 0}
    return {name: np.count_nonzero(each, axis=-1) for name, each in signs.items()}


def with_families(who: str, frame: pd.DataFrame, group: Group | None) -> pd.DataFrame:
    """Add the family of each measure, and the family's mean tau at the same size or depth, if there is a ``group``."""
    if group is None:
        return frame
    family = frame["measure"].map(group if callable(group) else {str(name): group[name] for name in group})
    if family.isna().any():
        raise ValueError(f"{who}: group has no family for {', '.join(frame['measure'][family.isna()].unique())}.")
    frame.insert(1, "family", family)
    if "tau" in frame:
        same = [name for name in ("family", "size", "depth") if name in frame]
        mean = frame.groupby(same, sort=False)["tau"].transform("mean")
        frame.insert(list(frame).index("tau") + 1, "family_tau", mean)
    return frame


def with_legend(frame: pd.DataFrame, function: Callable[..., Any], attrs: Mapping[Any, Any]) -> pd.DataFrame:
    """Add the attributes, and the descriptions of the columns from the docstring of the function that returns them."""
    legend = legend_of(function.__doc__)
    frame.attrs = {"legend": {column: legend[column] for column in frame if column in legend}, **attrs}
    return frame
