"""What experiments have in common: qrels, runs and measures that are read, and statistics over trials."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ...io import Runs, check_order, qrels_frame, read_runs
from ...judged import QRELS_COLUMNS, with_string_ids
from ...measures.groups import read_some_measures
from ...parameters import Parameter
from ..scores import Measures

N_TRIALS = Parameter(int, 1000, interval="[1, inf)", desc="number of samples")


def read_experiment(
    who: str, runs: Runs, measures: Measures, *, fewest: int = 1, **qrels: Any
) -> tuple[list[pd.DataFrame], dict[str, pd.DataFrame], dict[str, ir_measures.Measure]]:
    """Read the qrels of each assessor, runs by name and measures by name.

    Raises
    ------
    ValueError
        If runs, qrels or measures cannot be read, are in the wrong order or empty, or there are too few runs.
    TypeError
        If ``runs``, ``measures`` or qrels are of the wrong type.
    """
    check_order(who, qrels["qrels"], runs, measures, order=", ".join([*qrels, "runs", "measures"]))
    named = dict(read_runs(runs, who=who))
    if len(named) < fewest:
        raise ValueError(f"{who}: runs must have at least two systems, not {list(named)!r}.")
    judged = []
    for what, given in qrels.items():
        judged.append(with_string_ids(qrels_frame(given, what=what), QRELS_COLUMNS, what))
        if judged[-1].empty:
            raise ValueError(f"{what} must not be empty.")
    return judged, named, {str(measure): measure for measure in read_some_measures(who, measures)}


def over_trials(values: np.ndarray, keys: dict[str, Iterable[Any]], mean: str, deviation: str) -> pd.DataFrame:
    """Return mean, standard deviation and number of the trials that are not NaN.

    Parameters
    ----------
    values : ndarray, shape (combinations of keys, trials)
    """
    trials = pd.DataFrame(values, index=pd.MultiIndex.from_product(list(keys.values()), names=list(keys)))
    columns = {mean: trials.mean(axis=1), deviation: trials.std(axis=1), "n_trials": trials.count(axis=1)}
    return pd.DataFrame(columns).reset_index()
