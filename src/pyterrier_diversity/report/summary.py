"""The means of a report: which system is best, by how much, whether this could be chance, what the measures mean."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from ..measures.base import implementation
from ..measures.composite import innermost
from ..measures.parse import higher_is_better
from ..meta.scores import Scores
from .reference import entry

# More systems than these are counted.
_MOST_NAMED = 3
_UNTESTED: dict[str, Any] = {"significant": None, "lead": ""}

# Measures in words for readers who do not know them; {} stands for the results that count. The words are true for any
# values of these parameters, and for the defaults of all others.
_FREE = {"cutoff", "rel", "full", "p", "e", "gain", "max_rel", "measure"}
_IN_PLAIN_WORDS = {
    "Coverage": "the share of a query's intents that {} contain; important intents count more, and 1 means all intents",
    "StRecall": "the share of a query's intents that {} contain, without those that no judged document contains; all "
    "intents count the same",
    "MRecall": "the share of the queries for which {} contain everything that could be found",
    "NuggetScore": "the share of a query's facts that {} support; partial support counts half",
    "alpha_nDCG": "how close {} are to the best possible order, which has new intents first; each repetition of an "
    "intent counts less",
    "ERR_IA": "how soon in {} a reader finds what they want, averaged over the intents",
    "RBU": "what a reader gains from {}, minus the effort of reading; it can be negative if many results are useless",
    "Dsharp_nDCG": "one half for the intents that {} cover, one half for having the most relevant results first",
    "IA": "the measure in brackets for readers who want one intent each, averaged over the intents",
    "Adhoc": "the measure in brackets, if it does not matter that results repeat each other",
    "nDCG": "how close {} are to the best possible order, which has the most relevant results first",
    "P": "the share of {} that are relevant",
}


class TestedMeans:
    """The means of systems, with the systems in the order of the first measure, and the test of their differences.

    ``compared`` is the frame from `meta.compare`, or None if there is nothing to compare.
    """

    def __init__(self, scores: Scores, compared: pd.DataFrame | None) -> None:
        self.compared, self._measures = compared, scores.measures
        means = pd.DataFrame(scores.means, scores.systems)
        # The lower, the better, where a measure says so.
        self._signs = {name: 1 if higher_is_better(name) else -1 for name in self._measures}
        first = self._measures[0]
        self._means = means.loc[scores.given].sort_values(first, ascending=self._signs[first] < 0, kind="stable")
        self.systems: list[str] = self._means.index.tolist()
        # What the test says of each system by a measure, against each other one.
        self._against: dict[tuple[str, str], dict[str, dict[str, Any]]] = defaultdict(dict)
        for row in [] if compared is None else compared.to_dict("records"):
            ends = row.get("ci_low", np.nan), row.get("ci_high", np.nan)
            better = self._signs[row["measure"]]
            for one, other, of, sign in (("name", "other", "", better), ("other", "name", "other_", -better)):
                low, high = sorted(sign * end for end in ends)
                interval = f", {low:+.3f} to {high:+.3f}" if np.isfinite(ends).all() else ""
                self._against[row["measure"], row[one]][row[other]] = {
                    "significant": bool(row["significant"]),
                    "lead": f" ({sign * row['difference']:+.3f}{interval})",
                    "mean": (row[f"{of}mean_low"], row[f"{of}mean_high"]),
                }

    def table(self) -> dict[str, list[dict[str, Any]]]:
        """Return the cells of each system, one for each measure; intervals and marks are empty without a test."""
        return {system: [self._cell(name, system) for name in self._measures] for system in self.systems}

    def numbers_of(self, systems: Iterable[str]) -> str:
        """Return the places of systems in the table, from 1, with those that follow each other as in "1-3, 5"."""
        places = sorted(self.systems.index(system) + 1 for system in systems)
        spans = [[n for _, n in span] for _, span in groupby(enumerate(places), lambda pair: pair[1] - pair[0])]
        return ", ".join(f"{span[0]}" if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in spans)

    def _cell(self, measure: str, system: str) -> dict[str, Any]:
        means, against = self._means[measure], self._against[measure, system]
        low, high = next((told["mean"] for told in against.values()), (np.nan, np.nan))
        gains = (means[system] - means) * self._signs[measure]
        differ = [other for other, told in against.items() if told["significant"]]
        return {
            "text": f"{means[system]:.3f}",
            "best": system in self._best(measure) and len(means) > 1,
            "interval": f"{low:.3f} to {high:.3f}" if np.isfinite([low, high]).all() else "",
            "better": self.numbers_of(other for other in differ if gains[other] > 0),
            "worse": self.numbers_of(other for other in differ if gains[other] < 0),
        }

    def _best(self, measure: str) -> list[str]:
        """Return the systems with the best mean, as it is printed."""
        printed = self._means[measure].map("{:.3f}".format).astype(float) * self._signs[measure]
        return printed.index[printed == printed.max()].tolist()

    def sentences(self, names: Mapping[str, str], labels: Mapping[str, str]) -> list[str]:
        """Say for each measure which system is best, and whether that could be chance."""
        return [self._sentence(measure, names, labels[measure]) for measure in self._measures]

    def _sentence(self, measure: str, names: Mapping[str, str], label: str) -> str:
        means, (best, *equal) = self._means[measure], self._best(measure)
        told = f"By {label}, {_few_of([names[system] for system in (best, *equal)], len(means))}"
        worth = f"a mean of {means[best]:.3f}" + (" (lower is better)" if self._signs[measure] < 0 else "")
        if len(means) == 1:
            return f"{told} has {worth}."
        if equal:
            return f"{told} are best, with the same mean: {worth}."
        against, leads = self._against[measure, best], []
        others = [other for other in self.systems if other != best]
        outcomes = {"is unlikely to be chance": True, "could be chance": False, "was not tested": None}
        for what, significant in outcomes.items():
            over = [other for other in others if against.get(other, _UNTESTED)["significant"] is significant]
            if over:
                sizes = [names[other] + against.get(other, _UNTESTED)["lead"] for other in over]
                leads.append(f"its lead over {_few_of(sizes, len(others))} {what}")
        return f"{told} is best, with {worth}: {'; '.join(leads)}."


def _few_of(names: Sequence[str], n_all: int) -> str:
    """Return a few names, or how many there are."""
    if len(names) > _MOST_NAMED:
        return f"all {n_all} others" if len(names) == n_all else f"{len(names)} of the {n_all} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def meaning(measure: ir_measures.Measure) -> str:
    """Return what a measure means, in plain words if they are known, otherwise from its declaration."""
    ours, inner, cutoff = implementation(measure), innermost(measure), measure.params.get("cutoff")
    if measure.NAME in _IN_PLAIN_WORDS and measure.params.keys() <= _FREE and cutoff != 1:
        told = _IN_PLAIN_WORDS[measure.NAME].format("the results" if cutoff is None else f"the first {cutoff} results")
        told = f"{told[0].upper()}{told[1:]}."
    elif ours is None:
        return str(getattr(measure, "SHORT_DESC", "") or getattr(measure, "PRETTY_NAME", "") or measure).strip()
    else:
        told = entry(ours)["what"].replace("`", "")
    return told if inner == measure else f"{told} {inner}: {meaning(inner)}"
