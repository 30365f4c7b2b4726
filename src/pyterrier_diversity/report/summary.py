"""The means of a report: who is best, by how much, whether that could be chance, and what the measures mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from ..measures.base import implementation
from ..measures.composite import innermost
from ..meta.scores import Scores
from .reference import entry

# More systems than these are counted.
_MOST_NAMED = 3


class Mean(NamedTuple):
    """A cell of the table of means. Interval and marks are empty if no test was made."""

    text: str
    best: bool
    interval: str = ""
    above: str = ""
    below: str = ""


class Tested:
    """The means of systems, with the systems in the order of the first measure, and the test of their differences.

    ``compared`` is the frame from `meta.compare`, or None if there is nothing to compare.
    """

    def __init__(self, scores: Scores, compared: pd.DataFrame | None) -> None:
        self._scores = scores
        self._means = {
            name: dict(zip(scores.systems, values.mean(axis=1).tolist(), strict=True))
            for name, values in scores.unrounded.items()
        }
        first = self._means[scores.measures[0]]
        self.systems: list[str] = sorted(scores.given, key=lambda system: -first[system])
        self._differs: dict[tuple[str, str, str], bool] = {}
        self._ends: dict[tuple[str, str], tuple[float, float]] = {}
        for row in [] if compared is None else compared.to_dict("records"):
            for one, other, low, high in (
                (row["system"], row["other"], row["mean_low"], row["mean_high"]),
                (row["other"], row["system"], row["other_mean_low"], row["other_mean_high"]),
            ):
                self._differs[row["measure"], one, other] = bool(row["significant"])
                self._ends[row["measure"], one] = low, high

    def table(self) -> dict[str, list[Mean]]:
        """Return the cells of each system, one for each measure."""
        return {system: [self._cell(name, system) for name in self._scores.measures] for system in self.systems}

    def _cell(self, measure: str, system: str) -> Mean:
        means = self._means[measure]
        best = f"{means[system]:.3f}" == f"{max(means.values()):.3f}" and len(means) > 1
        if (measure, system) not in self._ends:
            return Mean(f"{means[system]:.3f}", best)
        low, high = self._ends[measure, system]
        interval = f"{low:.3f} to {high:.3f}" if np.isfinite([low, high]).all() else ""
        differ = [other for other in self.systems if self._differs.get((measure, system, other))]
        above = [self.systems.index(other) + 1 for other in differ if means[other] < means[system]]
        below = [self.systems.index(other) + 1 for other in differ if means[other] > means[system]]
        return Mean(f"{means[system]:.3f}", best, interval, spans(above), spans(below))

    def sentences(self, names: Mapping[str, str], labels: Mapping[str, str]) -> list[str]:
        """Say for each measure which system is best, and whether that could be chance."""
        return [self._sentence(measure, names, labels[measure]) for measure in self._scores.measures]

    def _sentence(self, measure: str, names: Mapping[str, str], label: str) -> str:
        means = self._means[measure]
        texts = {system: f"{means[system]:.3f}" for system in self.systems}
        highest = max(texts.values(), key=float)
        best = [system for system in self.systems if texts[system] == highest]
        told = f"By {label}, {_listed([names[system] for system in best], len(means))} "
        if len(self.systems) == 1:
            return f"By {label}, {names[best[0]]} has {_worth(measure, means[best[0]])}."
        if len(best) > 1:
            return f"{told}are best, with the same mean: {_worth(measure, means[best[0]])}."
        told += f"is best, with {_worth(measure, means[best[0]])}"
        pairs = {other: self._differs.get((measure, best[0], other)) for other in self.systems if other != best[0]}
        leads = []
        for what, significant in (("is hardly chance", True), ("could be chance", False)):
            over = [names[other] for other, differs in pairs.items() if differs is significant]
            if over:
                leads.append(f"its lead over {_listed(over, len(pairs))} {what}")
        return f"{told}: {'; '.join(leads)}." if leads else f"{told}. Whether that is chance was not tested."


def _worth(measure: str, mean: float) -> str:
    """Return a mean in words; a share of the intents as a percentage."""
    share = measure.split("@")[0].split("(")[0] in ("Coverage", "StRecall")
    return f"{mean:.1%} of the intents" if share else f"a mean of {mean:.3f}"


def _listed(names: Sequence[str], n_all: int) -> str:
    """Return a few names, or how many there are."""
    if len(names) > _MOST_NAMED:
        return f"all {n_all} others" if len(names) == n_all else f"{len(names)} of the {n_all} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def spans(numbers: Sequence[int]) -> str:
    """Return numbers with those that follow each other as spans, as in "1-3, 5"."""
    groups = [[n for _, n in group] for _, group in groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0])]
    return ", ".join(f"{group[0]}" if len(group) == 1 else f"{group[0]}-{group[-1]}" for group in groups)


def meaning(measure: ir_measures.Measure) -> str:
    """Return what a measure means, in one sentence from its declaration."""
    ours, inner = implementation(measure), innermost(measure)
    if ours is None:
        return str(getattr(measure, "SHORT_DESC", "") or getattr(measure, "PRETTY_NAME", "") or measure).strip()
    return " ".join([entry(ours)["what"], *([f"Here, of {inner}: {meaning(inner)}"] if inner != measure else [])])
