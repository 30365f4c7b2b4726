"""The ten constraints on diversity measures of Amigó et al. (2018), and pairs of rankings to test them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..parameters import Rng, generator_of

Grades = tuple[int, ...]
Docs = list[tuple[str, Grades]]

# DeepTh needs an n that is large enough; CloseTh an m that is small enough, one of these.
DEEP = 1000
CLOSE = range(1, 11)

# The largest number of documents in the rankings for the other constraints.
LONGEST = 9

# The paper assumes a relevance contribution r << 1: these labels are worth little if the topic's largest label is 10.
LOW = (1, 2)
LARGEST = 10

# Sat: a document of this label leaves 2^-50 of the users unsatisfied, which is 0 within the tolerance.
SATURATED = 50


class Pair(NamedTuple):
    """Two rankings of one judged topic; by the constraint, the first should have the higher value.

    ``better`` and ``worse`` are documents in the order of ranks. ``judged`` has the labels of all judged documents, one
    for each intent. ``weights`` are those of the intents and sum to 1.
    """

    better: tuple[str, ...]
    worse: tuple[str, ...]
    judged: Mapping[str, Grades]
    weights: tuple[float, ...]


# A constraint in one topic: pairs of rankings, at least one of which must meet the demand.
Instance = tuple[Pair, ...]


@dataclass(frozen=True)
class Constraint:
    """A constraint on measures, and rankings that may break it.

    Attributes
    ----------
    name : str
        The paper's abbreviation.
    statement : str
        The constraint in one sentence.
    section : str
        The section and equation of the paper.
    smallest : callable
        Takes the largest label and returns all small instances.
    drawn : callable, optional
        Takes a generator and the largest label and returns a random instance. None if there are no random instances.
    strict : bool
        Whether the better ranking needs a higher value, or only one that is not lower.
    largest : int
        Largest label of the topics.
    """

    name: str
    statement: str
    section: str
    smallest: Callable[[int], Iterable[Instance]] = field(repr=False)
    drawn: Callable[[np.random.Generator, int], Instance] | None = field(default=None, repr=False)
    strict: bool = field(default=True, repr=False)
    largest: int = field(default=LARGEST, repr=False)

    def instances(self, largest: int | None = None) -> list[Instance]:
        """Return all small instances, the smallest first."""
        return sorted(self.smallest(largest or self.largest), key=_size)

    def draw(self, n_pairs: int, rng: Rng = 0, largest: int | None = None) -> list[Instance]:
        """Return random instances, the smallest first."""
        if self.drawn is None:
            return []
        generator = generator_of(rng)
        return sorted((self.drawn(generator, largest or self.largest) for _ in range(n_pairs)), key=_size)


def _size(instance: Instance) -> tuple[int, int, int]:
    """Return the numbers of documents retrieved, intents, and documents judged, to sort instances by."""
    pair = instance[-1]
    return max(len(pair.better), len(pair.worse)), len(pair.weights), len(pair.judged)


def _single(
    better: Docs, worse: Docs, largest: int, weights: Sequence[float] = (1.0,), pool: Iterable[Grades] = ()
) -> Instance:
    """Return one pair; in its topic, each intent has one more document, with the largest label, to set the scale."""
    n = len(weights)
    unretrieved = [*(_only(intent, largest, n) for intent in range(n)), *pool]
    judged = dict([*better, *worse, *((f"u{i}", grades) for i, grades in enumerate(unretrieved, start=1))])
    return (Pair(tuple(doc for doc, _ in better), tuple(doc for doc, _ in worse), judged, tuple(weights)),)


def _ranking(grades: Iterable[Grades]) -> Docs:
    """Return documents with these labels."""
    return [(f"d{i}", each) for i, each in enumerate(grades, start=1)]


def _one_intent(labels: Iterable[int]) -> Docs:
    """Return documents with these labels, in a topic of one intent."""
    return _ranking((int(label),) for label in labels)


def _only(intent: int, label: int, n_intents: int) -> Grades:
    """Return the labels of a document that is relevant to one intent."""
    return tuple(label if i == intent else 0 for i in range(n_intents))


def _swapped(docs: Docs, i: int, j: int) -> Docs:
    """Return the ranking with two documents swapped."""
    ranking = list(docs)
    ranking[i], ranking[j] = docs[j], docs[i]
    return ranking


def _much_more(largest: int) -> int:
    """Return a label that is worth much more than those of LOW and still little: 5 if the largest is 10."""
    return largest // 2


def _uniform(n_intents: int) -> tuple[float, ...]:
    return (1.0 / n_intents,) * n_intents


def _increasing(rng: np.random.Generator, n_intents: int) -> tuple[float, ...]:
    """Draw different weights that sum to 1, in ascending order."""
    parts = np.sort(rng.choice(np.arange(1, 10), size=n_intents, replace=False))
    return tuple((parts / parts.sum()).tolist())


def _first(rng: np.random.Generator, instances: Callable[[], list[Instance]]) -> Instance:
    """Draw topics until one of them has instances, and return a random one of these."""
    while True:
        found = instances()
        if found:
            return found[int(rng.integers(len(found)))]


def _priorities(labels: Sequence[int], largest: int) -> list[Instance]:
    """Return Eq. 1 for each two documents in the wrong order."""
    docs = _one_intent(labels)
    wrong = [(i, j) for i, j in itertools.combinations(range(len(docs)), 2) if labels[j] > labels[i]]
    return [_single(_swapped(docs, i, j), docs, largest) for i, j in wrong]


def _smallest_priorities(largest: int) -> Iterator[Instance]:
    for n in (2, 3, 4):
        for labels in itertools.product((0, *LOW), repeat=n):
            yield from _priorities(labels, largest)
    # A document of little relevance moves above one that is much more relevant, or above many that are more relevant,
    # and takes their novelty.
    yield from _priorities((0, _much_more(largest), LOW[0]), largest)
    for n in range(5, LONGEST + 1):
        for i in range(n - 2):
            docs = _one_intent([*[0] * (i + 1), *[LOW[-1]] * (n - i - 2), LOW[0]])
            yield _single(_swapped(docs, i, n - 1), docs, largest)


def _drawn_priority(rng: np.random.Generator, largest: int) -> Instance:
    return _first(rng, lambda: _priorities(rng.integers(0, 3, size=rng.integers(3, LONGEST + 1)).tolist(), largest))


def _deepnesses(labels: Sequence[int], largest: int) -> list[Instance]:
    """Return Eq. 2 for each two pairs of neighbours with the same labels in the wrong order."""
    docs = _one_intent(labels)
    wrong = [i for i in range(len(docs) - 1) if labels[i] < labels[i + 1]]
    alike = [(i, j) for i, j in itertools.combinations(wrong, 2) if labels[i : i + 2] == labels[j : j + 2]]
    return [_single(_swapped(docs, i, i + 1), _swapped(docs, j, j + 1), largest) for i, j in alike]


def _smallest_deepnesses(largest: int) -> Iterator[Instance]:
    for n in (4, 5, 6):
        for labels in itertools.product((0, *LOW), repeat=n):
            yield from _deepnesses(labels, largest)


def _drawn_deepness(rng: np.random.Generator, largest: int) -> Instance:
    return _first(rng, lambda: _deepnesses(rng.integers(0, 3, size=rng.integers(5, LONGEST + 1)).tolist(), largest))


def _early_and_late(n: int, label: int) -> tuple[Docs, Docs]:
    """Return one relevant document before 2n - 1 others, and n relevant documents after n others."""
    relevant: Docs = [(f"d{i}", (label,)) for i in range(1, n + 1)]
    others: Docs = [(f"n{i}", (0,)) for i in range(1, 2 * n)]
    return [relevant[0], *others], [*others[:n], *relevant]


def _smallest_deepness_thresholds(largest: int) -> Iterator[Instance]:
    """Yield Eq. 3 for a large n."""
    for label in LOW:
        early, late = _early_and_late(DEEP, label)
        yield _single(early, late, largest)


def _smallest_closeness_thresholds(largest: int) -> Iterator[Instance]:
    """Yield Eq. 4 for all small m; one of them must be enough."""
    for label in LOW:
        both = [_early_and_late(m, label) for m in CLOSE]
        yield tuple(pair for early, late in both for pair in _single(late, early, largest))


def _confidence(labels: Iterable[int], largest: int) -> Instance:
    """Return Eq. 5."""
    docs = _one_intent(labels)
    return _single(docs, [*docs, ("x", (0,))], largest)


def _smallest_confidences(largest: int) -> Iterator[Instance]:
    for n in (1, 2, 3):
        for labels in itertools.product((0, *LOW), repeat=n):
            yield _confidence(labels, largest)


def _drawn_confidence(rng: np.random.Generator, largest: int) -> Instance:
    return _confidence(rng.integers(0, 3, size=rng.integers(1, 9)), largest)


def _aspect_diversity(
    grades: Sequence[Grades], i: int, more: Grades, weights: Sequence[float], largest: int
) -> Instance:
    """Return Eq. 6: the document at place i is replaced by one that is more relevant to every intent."""
    docs = _ranking(grades)
    return _single([*docs[:i], ("x", more), *docs[i + 1 :]], docs, largest, weights)


def _smallest_aspect_diversities(largest: int) -> Iterator[Instance]:
    for n_intents, n in ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2)):
        each = list(itertools.product((0, *LOW), repeat=n_intents))
        for grades in itertools.product(each, repeat=n):
            for i, more in itertools.product(range(n), each):
                if all(new > old for new, old in zip(more, grades[i], strict=True)):
                    yield _aspect_diversity(grades, i, more, _uniform(n_intents), largest)
    # A document of little relevance above one that is much more relevant, or above many that are more relevant, takes
    # their novelty.
    yield _aspect_diversity(((0,), (_much_more(largest),)), 0, (LOW[0],), (1.0,), largest)
    for n in range(4, LONGEST + 1):
        for i in range(n - 1):
            grades = ((0,),) * (i + 1) + ((LOW[-1],),) * (n - i - 1)
            yield _aspect_diversity(grades, i, (LOW[0],), (1.0,), largest)


def _drawn_aspect_diversity(rng: np.random.Generator, largest: int) -> Instance:
    n, n_intents = int(rng.integers(2, 8)), int(rng.integers(2, 4))
    grades = [tuple(row) for row in rng.integers(0, 3, size=(n, n_intents)).tolist()]
    i = int(rng.integers(n))
    grades[i] = tuple(rng.integers(0, 2, size=n_intents).tolist())
    more = tuple(rng.integers(np.array(grades[i]) + 1, 3).tolist())
    return _aspect_diversity(grades, i, more, _increasing(rng, n_intents), largest)


def _mirrored(docs: Docs) -> list[Grades]:
    """Return these documents with the first two intents swapped, so that both intents have equally many."""
    return [(second, first, *rest) for _, (first, second, *rest) in docs]


def _redundancy(
    intents: Sequence[int | None], label: int, n_intents: int, largest: int, pool: Iterable[int] | None = None
) -> Instance:
    """Return Eq. 7: after documents of these intents, a further one of the second intent or of the first."""
    docs = _ranking((0,) * n_intents if of is None else _only(of, label, n_intents) for of in intents)
    first, second = (_only(intent, label, n_intents) for intent in (0, 1))
    unretrieved = _mirrored(docs) if pool is None else [_only(intent, label, n_intents) for intent in pool]
    return _single([*docs, ("y", second)], [*docs, ("x", first)], largest, _uniform(n_intents), unretrieved)


def _smallest_redundancies(largest: int) -> Iterator[Instance]:
    for n in (1, 2, 3, 4, 5):
        for intents in itertools.product((None, 0, 1), repeat=n):
            if intents.count(0) > intents.count(1):
                for label in (1, largest - 1):
                    yield _redundancy(intents, label, 2, largest)


def _drawn_redundancy(rng: np.random.Generator, largest: int) -> Instance:
    n_intents = int(rng.integers(2, 5))
    intents: list[int | None] = [None, *range(n_intents)]
    intents = [intents[i] for i in rng.integers(n_intents + 1, size=rng.integers(2, LONGEST - 1))]
    if intents.count(0) < intents.count(1):
        intents = [1 - of if of in (0, 1) else of for of in intents]
    elif intents.count(0) == intents.count(1):
        intents.insert(int(rng.integers(len(intents) + 1)), 0)
    pool = rng.integers(0, n_intents, size=rng.integers(0, 4)).tolist()
    return _redundancy(intents, int(rng.integers(1, largest)), n_intents, largest, pool)


def _monotonic_redundancy(grades: Iterable[Grades], label: int, largest: int, mirrored: bool = True) -> Instance:
    """Return Eq. 8: after these documents, a further one of the second intent or of the first."""
    docs = _ranking(grades)
    better, worse = ([*docs, doc] for doc in (("y", (0, label)), ("x", (label, 0))))
    return _single(better, worse, largest, _uniform(2), _mirrored(docs) if mirrored else ())


_MORE_OF_THE_FIRST = ((1, 0), (2, 0), (2, 1))


def _smallest_monotonic_redundancies(largest: int) -> Iterator[Instance]:
    for n in (1, 2, 3):
        for grades in itertools.product(_MORE_OF_THE_FIRST, repeat=n):
            for label in LOW:
                yield _monotonic_redundancy(grades, label, largest)


def _drawn_monotonic_redundancy(rng: np.random.Generator, largest: int) -> Instance:
    grades = [_MORE_OF_THE_FIRST[i] for i in rng.integers(0, 3, size=rng.integers(1, 8))]
    return _monotonic_redundancy(grades, int(rng.choice(LOW)), largest, bool(rng.integers(2)))


def _saturation(before: Iterable[Grades], label: int, weights: Sequence[float], largest: int) -> Instance:
    """Return Eq. 9: after a document that saturates the first intent, no further document or one of that intent."""
    n_intents = len(weights)
    docs = _ranking([*before, _only(0, largest, n_intents)])
    return _single(docs, [*docs, ("x", _only(0, label, n_intents))], largest, weights)


def _without_overlap(n_intents: int, labels: Iterable[int]) -> list[Grades]:
    """Return the labels of all documents that are relevant to at most one intent."""
    each = itertools.product(range(n_intents), labels)
    return [(0,) * n_intents, *(_only(intent, label, n_intents) for intent, label in each)]


def _smallest_saturations(largest: int) -> Iterator[Instance]:
    for n_intents, n in ((1, 0), (1, 1), (2, 0), (2, 1), (2, 2)):
        for before in itertools.product(_without_overlap(n_intents, (*LOW, largest)), repeat=n):
            for label in (*LOW, largest):
                yield _saturation(before, label, _uniform(n_intents), largest)


def _drawn_saturation(rng: np.random.Generator, largest: int) -> Instance:
    n_intents = int(rng.integers(1, 4))
    each = _without_overlap(n_intents, (*LOW, largest))
    before = [each[i] for i in rng.integers(len(each), size=rng.integers(0, 6))]
    return _saturation(before, int(rng.choice((*LOW, largest))), _increasing(rng, n_intents), largest)


def _aspect_relevance(
    others: Sequence[Grades], i: int, label: int, weights: Sequence[float], largest: int, pool: Iterable[Grades] = ()
) -> Instance:
    """Return Eq. 10: at place i, a document of the second, heavier intent or one of the first."""
    docs, n_intents = _ranking(others), len(weights)
    lighter, heavier = (_only(intent, label, n_intents) for intent in (0, 1))
    better, worse = ([*docs[:i], doc, *docs[i:]] for doc in (("y", heavier), ("x", lighter)))
    return _single(better, worse, largest, weights, pool)


def _smallest_aspect_relevances(largest: int) -> Iterator[Instance]:
    for n, label, n_more in itertools.product((0, 1, 2), (*LOW, largest), (0, 1, 2)):
        for i in range(n + 1):
            yield _aspect_relevance([(0, 0)] * n, i, label, (0.4, 0.6), largest, [(0, label)] * n_more)


def _drawn_aspect_relevance(rng: np.random.Generator, largest: int) -> Instance:
    n_intents, n = int(rng.integers(2, 5)), int(rng.integers(0, 7))
    each = [grades for grades in _without_overlap(n_intents, (*LOW, largest)) if not any(grades[:2])]
    others = [each[i] for i in rng.integers(len(each), size=n)]
    label = int(rng.choice((*LOW, largest)))
    pool = [_only(intent, label, n_intents) for intent in rng.integers(0, n_intents, size=rng.integers(0, 4))]
    weights = _increasing(rng, n_intents)
    return _aspect_relevance(others, int(rng.integers(n + 1)), label, weights, largest, pool)


CONSTRAINTS: dict[str, Constraint] = {
    constraint.name: constraint
    for constraint in (
        Constraint(
            "Pri",
            "Swapping two documents of one intent so that the more relevant one comes first raises the value.",
            "3.2, Eq. 1",
            _smallest_priorities,
            _drawn_priority,
        ),
        Constraint(
            "Deep",
            "Moving the more relevant of two neighbours up raises the value more near the top than further down.",
            "3.2, Eq. 2",
            _smallest_deepnesses,
            _drawn_deepness,
        ),
        Constraint(
            "DeepTh",
            "For a large n, one relevant document at the top is better than n relevant documents after n others.",
            "3.2, Eq. 3",
            _smallest_deepness_thresholds,
        ),
        Constraint(
            "CloseTh",
            "For some small m, one relevant document at the top is worse than m relevant documents after m others.",
            "3.2, Eq. 4",
            _smallest_closeness_thresholds,
        ),
        Constraint(
            "Conf",
            "Adding a document that is not relevant to the end lowers the value.",
            "3.2, Eq. 5",
            _smallest_confidences,
            _drawn_confidence,
        ),
        Constraint(
            "AspDiv",
            "Replacing a document by one that is more relevant to every intent raises the value.",
            "3.3, Eq. 6",
            _smallest_aspect_diversities,
            _drawn_aspect_diversity,
        ),
        Constraint(
            "Red",
            "A new document is worth more if fewer of the documents above it are relevant to its intent.",
            "3.3, Eq. 7",
            _smallest_redundancies,
            _drawn_redundancy,
        ),
        Constraint(
            "MRed",
            "If all documents above favour one intent over another, a new document is worth more for the other intent.",
            "3.3, Eq. 8",
            _smallest_monotonic_redundancies,
            _drawn_monotonic_redundancy,
        ),
        Constraint(
            "Sat",
            "Once a document fully satisfies an intent, another document for that intent does not raise the value.",
            "3.3, Eq. 9",
            _smallest_saturations,
            _drawn_saturation,
            strict=False,
            largest=SATURATED,
        ),
        Constraint(
            "AspRel",
            "Of two intents not covered yet, a document for the one with the larger weight raises the value more.",
            "3.3, Eq. 10",
            _smallest_aspect_relevances,
            _drawn_aspect_relevance,
        ),
    )
}
