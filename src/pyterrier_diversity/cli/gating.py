"""How commands about rankings end: with runs that cannot be evaluated, and with gates."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable

import pandas as pd

from .outputs import tell

GATE = 3


def end(found: pd.DataFrame, failures: Collection[str], notes: Iterable[str] = ()) -> None:
    """Print why gates failed, and exit with status 3 if one did, or with 1 if a run could not be evaluated.

    The ``notes`` tell more about gates that passed.
    """
    end_if_incomplete(found)
    for note in notes:
        tell(note)
    for why in failures:
        tell(f"Gate: {why}")
    if failures:
        sys.exit(GATE)


def end_if_incomplete(found: pd.DataFrame) -> None:
    """Print a line for each run that could not be evaluated, and exit with status 1 if there are any."""
    errors: dict[str, str] = found.attrs["errors"]
    if found.empty and len(set(errors.values())) == 1:  # the same for all runs: the cause is the qrels or a measure
        raise ValueError(next(iter(errors.values())))
    for name, message in errors.items():
        tell(f"Error: {message if name in message else f'{name}: {message}'}")
    if errors:
        tell(f"The table is incomplete: {len(errors)} of the runs could not be evaluated.")
        sys.exit(1)
