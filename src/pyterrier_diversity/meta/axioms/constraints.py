"""The ten constraints on diversity measures of Amigó et al. (2018), and pairs of rankings to test them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, NamedTuple, TypeVar

from ...docstrings import section_of

Item = TypeVar("Item")
Grades = tuple[int, ...]
Docs = Sequence[Grades]
Weights = tuple[float, ...]

# DeepTh needs an n that is large enough; CloseTh an m that is small enough, one of these.
DEEP = 1000
CLOSE = range(1, 11)

# The largest number of documents in the rankings for the other constraints.
LONGEST = 9

# The paper assumes a relevance contribution r << 1: these labels are worth little if the topic's largest label is 10.
LOW = (1, 2)
LARGEST = 10

# Sat: a document of this label leaves 2^-50 of the users unsatisfied, which is 0 in rounded values.
SATURATED = 50

_LABELS = (0, *LOW)


class Pair(NamedTuple):
    """Two rankings of one judged topic; by the constraint, the first should have the higher value.

    ``better`` and ``worse`` are documents in the order of ranks. ``judged`` has the labels of all judged documents, one
    for each intent. ``weights`` are those of the intents and sum to 1.
    """

    better: tuple[str, ...]
    worse: tuple[str, ...]
    judged: Mapping[str, Grades]
    weights: Weights


# A constraint in one topic: pairs of rankings, at least one of which must meet the demand.
Instance = tuple[Pair, ...]
_Instances = Callable[[int], Iterable[Instance]]


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
        Takes the largest label and returns all instances.
    strict : bool
        Whether the better ranking needs a higher value, or only one that is not lower.
    largest : int
        Largest label of the topics.
    """

    name: str
    statement: str
    section: str
    smallest: _Instances = field(repr=False)
    strict: bool = field(default=True, repr=False)
    largest: int = field(default=LARGEST, repr=False)

    def instances(self, largest: int | None = None) -> list[Instance]:
        """Return all instances, the smallest first."""
        return sorted(self.smallest(largest or self.largest), key=_size)


CONSTRAINTS: dict[str, Constraint] = {}


def _states(name: str, section: str, **options: Any) -> Callable[[_Instances], _Instances]:
    """Add a constraint to `CONSTRAINTS`, from a function that returns its instances and states it in its docstring."""

    def added(smallest: _Instances) -> _Instances:
        CONSTRAINTS[name] = Constraint(name, section_of(smallest.__doc__), section, smallest, **options)
        return smallest

    return added


def _size(instance: Instance) -> tuple[int, int, int]:
    """Return the numbers of documents retrieved, intents, and documents judged, to sort instances by."""
    pair = instance[-1]
    return max(len(pair.better), len(pair.worse)), len(pair.weights), len(pair.judged)


def _pair(
    docs: Docs, better: Iterable[int], worse: Iterable[int], largest: int, pool: Docs = (), weights: Weights = ()
) -> Instance:
    """Return one pair: rankings of ``docs`` by their places in this list; those of ``pool`` are not retrieved.

    In the topic, each intent has one more document, with the largest label, to set the scale. Without weights, all
    intents have the same.
    """
    weights = weights or (1.0 / len(docs[0]),) * len(docs[0])
    unretrieved = [*(_only(intent, largest, len(weights)) for intent in range(len(weights))), *pool]
    names = [f"d{i}" for i, _ in enumerate(docs, start=1)]
    judged = dict(zip(names, docs, strict=True))
    judged |= {f"u{i}": grades for i, grades in enumerate(unretrieved, start=1)}
    return (Pair(tuple(names[i] for i in better), tuple(names[i] for i in worse), judged, weights),)


def _one_more(
    docs: Docs, better: Grades, worse: Grades, largest: int, pool: Docs, weights: Weights = (), place: int | None = None
) -> Instance:
    """Return one pair: two rankings of ``docs``, each with a further document, by default at the end."""
    above = range(len(docs) if place is None else place)
    below = range(len(above), len(docs))
    first, second = ([*above, len(docs) + further, *below] for further in (0, 1))
    return _pair([*docs, better, worse], first, second, largest, pool, weights)


def _only(intent: int, label: int, n_intents: int) -> Grades:
    """Return the labels of a document that is relevant to one intent."""
    return tuple(label if i == intent else 0 for i in range(n_intents))


def _one_intent(labels: Iterable[int]) -> list[Grades]:
    """Return documents with these labels, in a topic of one intent."""
    return [(label,) for label in labels]


def _mirrored(docs: Docs) -> list[Grades]:
    """Return these documents with the first two intents swapped, so that both intents have equally many."""
    return [(second, first, *rest) for first, second, *rest in docs]


def _swapped(n: int, i: int, j: int) -> list[int]:
    """Return the places of n documents after a swap of two."""
    places = list(range(n))
    places[i], places[j] = j, i
    return places


def _all(kinds: Sequence[Item], lengths: Iterable[int]) -> Iterator[tuple[Item, ...]]:
    """Return all sequences of these kinds."""
    return (each for n in lengths for each in product(kinds, repeat=n))


def _alike(kinds: Sequence[Item], lengths: Iterable[int]) -> Iterator[tuple[Item, ...]]:
    """Return all sequences of one kind."""
    return ((kind,) * n for n in lengths for kind in kinds)


def _one_among(lengths: Iterable[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Return labels and a place: the last below others that are alike, or the end of a run above another run."""
    for n in lengths:
        for i, own, other in product(range(n), _LABELS, _LABELS):
            yield (own,) * (i + 1) + (other,) * (n - i - 1), i
        yield from (((other,) * (n - 1) + (own,), n - 1) for own, other in product(_LABELS, _LABELS))


@_states("Pri", "3.2, Eq. 1")
def _priorities(largest: int) -> Iterator[Instance]:
    """Swapping two documents of one intent so that the more relevant one comes first raises the value."""
    swaps = [(labels, i, j) for labels in _all(_LABELS, (2, 3, 4)) for i, j in combinations(range(len(labels)), 2)]
    # A document of little relevance moves above one that is much more relevant and takes its novelty.
    swaps.append(((0, largest // 2, LOW[0]), 0, 2))
    swaps += [((*labels, last), i, len(labels)) for labels, i in _one_among(range(4, LONGEST)) for last in _LABELS]
    for labels, i, j in dict.fromkeys(swaps):
        if labels[i] < labels[j]:
            yield _pair(_one_intent(labels), _swapped(len(labels), i, j), range(len(labels)), largest)


@_states("Deep", "3.2, Eq. 2")
def _deepnesses(largest: int) -> Iterator[Instance]:
    """Moving the more relevant of two neighbours up raises the value more near the top than further down."""
    rankings = list(_all(_LABELS, (4, 5, 6)))
    for n, above, between in product(range(7, LONGEST + 1), _LABELS, _LABELS):
        for two, m in product(combinations(_LABELS, 2), range(n - 3)):
            if m in (0, n - 4) or above == between:
                rankings.append((above,) * (n - 4 - m) + two + (between,) * m + two)
    for labels in dict.fromkeys(rankings):
        wrong = [i for i in range(len(labels) - 1) if labels[i] < labels[i + 1]]
        for i, j in combinations(wrong, 2):
            if labels[i : i + 2] == labels[j : j + 2]:
                better, worse = (_swapped(len(labels), place, place + 1) for place in (i, j))
                yield _pair(_one_intent(labels), better, worse, largest)


def _early_and_late(n: int, label: int, largest: int, *, early: bool) -> Instance:
    """Compare one relevant document before 2n - 1 others with n relevant documents after n others."""
    docs = _one_intent([label] * n + [0] * (2 * n - 1))
    first, last = [0, *range(n, 3 * n - 1)], [*range(n, 2 * n), *range(n)]
    return _pair(docs, first, last, largest) if early else _pair(docs, last, first, largest)


@_states("DeepTh", "3.2, Eq. 3")
def _deepness_thresholds(largest: int) -> Iterator[Instance]:
    """For a large n, one relevant document at the top is better than n relevant documents after n others."""
    return (_early_and_late(DEEP, label, largest, early=True) for label in LOW)


@_states("CloseTh", "3.2, Eq. 4")
def _closeness_thresholds(largest: int) -> Iterator[Instance]:
    """For some small m, one relevant document at the top is worse than m relevant documents after m others."""
    for label in LOW:
        yield tuple(pair for m in CLOSE for pair in _early_and_late(m, label, largest, early=False))


@_states("Conf", "3.2, Eq. 5")
def _confidences(largest: int) -> Iterator[Instance]:
    """Adding a document that is not relevant to the end lowers the value."""
    for labels in [*_all(_LABELS, (1, 2, 3)), *_alike(_LABELS, range(4, LONGEST))]:
        yield _pair(_one_intent((*labels, 0)), range(len(labels)), range(len(labels) + 1), largest)


@_states("AspDiv", "3.3, Eq. 6")
def _aspect_diversities(largest: int) -> Iterator[Instance]:
    """Replacing a document by one that is more relevant to every intent raises the value."""
    replaced: list[tuple[tuple[Grades, ...], int, Grades]] = []
    for n_intents, n in ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2)):
        each = list(product(_LABELS, repeat=n_intents))
        replaced += product(product(each, repeat=n), range(n), each)
    # A document of little relevance above one that is much more relevant takes its novelty.
    replaced.append((((0,), (largest // 2,)), 0, (LOW[0],)))
    long = product(_one_among(range(4, LONGEST + 1)), _LABELS)
    replaced += [(tuple(_one_intent(labels)), i, (new,)) for (labels, i), new in long]
    for docs, i, new in dict.fromkeys(replaced):
        if all(more > less for more, less in zip(new, docs[i], strict=True)):
            n = len(docs)
            yield _pair([*docs, new], [*range(i), n, *range(i + 1, n)], range(n), largest)


@_states("Red", "3.3, Eq. 7")
def _redundancies(largest: int) -> Iterator[Instance]:
    """A new document is worth more if fewer of the documents above it are relevant to its intent."""
    rankings = list(_all((2, 0, 1), (1, 2, 3, 4, 5)))
    for n, other in product(range(6, LONGEST), (1, 2)):
        rankings += [(0,) * k + (other,) * (n - k) for k in range(1, n + 1)]
        rankings += [(other,) * (n - k) + (0,) * k for k in range(1, n + 1)]
    for intents in dict.fromkeys(rankings):
        # The third kind of document is not relevant, or relevant to a third intent.
        for n_intents in (2, 3) if 2 in intents and len(intents) < 5 else (2,):
            for label in (1, largest - 1) if intents.count(0) > intents.count(1) else ():
                docs = [_only(intent, label, n_intents) for intent in intents]
                first, second = (_only(intent, label, n_intents) for intent in (0, 1))
                yield _one_more(docs, second, first, largest, _mirrored(docs))


@_states("MRed", "3.3, Eq. 8")
def _monotonic_redundancies(largest: int) -> Iterator[Instance]:
    """If all documents above favour one intent over another, a new document is worth more for the other intent."""
    kinds = ((1, 0), (2, 0), (2, 1))
    for docs, label in product([*_all(kinds, (1, 2, 3)), *_alike(kinds, range(4, LONGEST))], LOW):
        yield _one_more(docs, (0, label), (label, 0), largest, _mirrored(docs))


@_states("Sat", "3.3, Eq. 9", strict=False, largest=SATURATED)
def _saturations(largest: int) -> Iterator[Instance]:
    """Once a document fully satisfies an intent, another document for that intent does not raise the value."""
    for n_intents in (1, 2):
        labels = (*LOW, largest)
        kinds = [(0,) * n_intents, *(_only(i, label, n_intents) for i, label in product(range(n_intents), labels))]
        rankings = [*_all(kinds, range(n_intents + 1)), *_alike(kinds, range(n_intents + 1, LONGEST - 1))]
        for before, label in product(rankings, labels):
            docs = [*before, _only(0, largest, n_intents), _only(0, label, n_intents)]
            yield _pair(docs, range(len(docs) - 1), range(len(docs)), largest)


@_states("AspRel", "3.3, Eq. 10")
def _aspect_relevances(largest: int) -> Iterator[Instance]:
    """Of two intents not covered yet, a document for the one with the larger weight raises the value more."""
    cases: list[tuple[Weights, int, int, Grades]]
    cases = [((0.4, 0.6), *case) for case in product(range(LONGEST), (*LOW, largest), ((), (1,), (0, 1), (1, 1)))]
    for unequal in ((0.45, 0.55), (0.1, 0.9), (0.1, 0.2, 0.7), (0.3, 0.33, 0.37)):
        cases += [(unequal, *case) for case in product(range(3), (1, largest), ((), (1,), (0, 1), (1, 1, 1)))]
    for weights, n, label, others in cases:
        # The documents above and below are relevant to the third intent, if there is one.
        lighter, heavier, third = (_only(intent, label, len(weights)) for intent in (0, 1, 2))
        pool = [_only(intent, label, len(weights)) for intent in others]
        for place in range(n + 1) if n < 3 else (0, n):
            yield _one_more([third] * n, heavier, lighter, largest, pool, weights, place)
