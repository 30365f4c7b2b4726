"""Warnings about qrels that can be evaluated but are probably wrong, given once for any number of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import ir_measures
import numpy as np

from ..frames import Told, give
from ..judged import Judgements
from ..measures.base import implementation, parts_of
from ..warnings import DataWarning, IntentsWarning


def warn_of_qrels(judgements: Judgements, measures: Iterable[ir_measures.Measure]) -> None:
    """Warn if qrels probably do not fit the measures."""
    measures = list(measures)
    ours = [measure for measure in map(implementation, measures) if measure is not None]
    found = [measure.warning(judgements) for measure in ours]
    if any(map(_reads_intents, measures)):
        found += single_intents(judgements)
    give(Told(warning) for warning in found if warning is not None)


def single_intents(judgements: Judgements) -> Iterator[DataWarning]:
    """Yield a warning if there are several queries, and none has more than one intent."""
    if len(judgements) > 1 and np.bincount(judgements.named.query).max() == 1:
        yield IntentsWarning(
            "No query has more than one intent, so every measure equals its ad-hoc form. Were the intents lost, as "
            "with pt.io.read_qrels?"
        )


def _reads_intents(measure: ir_measures.Measure) -> bool:
    return any(
        view == "each intent" or (view == "intents" and ours is not None and ours.VIEW == "intents")
        for view, ours in parts_of(measure)
    )
