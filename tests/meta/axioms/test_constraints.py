import itertools

import numpy as np
import pytest

from pyterrier_diversity.meta import axioms
from pyterrier_diversity.meta.axioms import CONSTRAINTS
from pyterrier_diversity.meta.axioms.constraints import CLOSE, DEEP

# The premises, restated.


def labels(pair, ranking):
    return [pair.judged[doc] for doc in ranking]


def single(pair):
    """One intent; all labels of retrieved documents are worth little."""
    assert pair.weights == (1.0,)
    retrieved = [label for (label,) in labels(pair, {*pair.better, *pair.worse})]
    assert set(retrieved) <= {0, 1, 2, 5}
    return [[label for (label,) in labels(pair, ranking)] for ranking in (pair.better, pair.worse)]


def places_that_differ(pair):
    assert len(pair.better) == len(pair.worse)
    return [i for i, (a, b) in enumerate(zip(pair.better, pair.worse, strict=True)) if a != b]


def one_aspect_at_most(pair):
    return all(np.count_nonzero(grades) <= 1 for grades in pair.judged.values())


def swap(ranking, i, j):
    ranking = list(ranking)
    ranking[i], ranking[j] = ranking[j], ranking[i]
    return tuple(ranking)


def pri(pair):
    _, before = single(pair)
    i, j = places_that_differ(pair)
    return swap(pair.worse, i, j) == pair.better and before[j] > before[i]


def deep(pair):
    single(pair)
    for i, j in itertools.combinations(range(len(pair.better) - 1), 2):
        base = swap(pair.better, i, i + 1)
        r = [label for (label,) in labels(pair, base)]
        alike = r[i] == r[j] < r[i + 1] == r[j + 1]
        if alike and base == swap(pair.worse, j, j + 1):
            return True
    return False


def early_and_late(early, late):
    n = len(early) // 2
    label = early[0]
    return label > 0 and early[1:] == [0] * (2 * n - 1) and late == [0] * n + [label] * n


def deepth(pair):
    early, late = single(pair)
    return early_and_late(early, late) and len(early) == 2000


def closeth(pair):
    late, early = single(pair)
    return early_and_late(early, late) and 1 <= len(early) // 2 <= 10


def conf(pair):
    without, noisy = single(pair)
    return len(without) > 0 and pair.worse[:-1] == pair.better and noisy[-1] == 0


def aspdiv(pair):
    (i,) = places_that_differ(pair)
    new, old = pair.judged[pair.better[i]], pair.judged[pair.worse[i]]
    retrieved = np.array(labels(pair, {*pair.better, *pair.worse}))
    return set(np.unique(retrieved)) <= {0, 1, 2, 5} and all(a > b for a, b in zip(new, old, strict=True))


def red(pair):
    *before, second = labels(pair, pair.better)
    first = pair.judged[pair.worse[-1]]
    seen = np.array(before)
    label = max(first)
    values = {value for doc, grades in pair.judged.items() if max(grades) < 10 for value in grades}
    return (
        pair.better[:-1] == pair.worse[:-1]
        and one_aspect_at_most(pair)
        and len(set(pair.weights)) == 1
        and values <= {0, label}
        and first[0] == second[1] == label < 10
        and (seen[:, 0] == label).sum() > (seen[:, 1] == label).sum()
    )


def mred(pair):
    *before, second = labels(pair, pair.better)
    first = pair.judged[pair.worse[-1]]
    return (
        pair.better[:-1] == pair.worse[:-1]
        and pair.weights == (0.5, 0.5)
        and first[1] == second[0] == 0 < first[0] == second[1] <= 2
        and all(2 >= a > b for a, b in before)
    )


def sat(pair):
    *_, last = labels(pair, pair.better)
    more = pair.judged[pair.worse[-1]]
    return pair.worse[:-1] == pair.better and one_aspect_at_most(pair) and last[0] == 50 and more[0] > 0


def asprel(pair):
    (i,) = places_that_differ(pair)
    heavier, lighter = pair.judged[pair.better[i]], pair.judged[pair.worse[i]]
    others = labels(pair, [doc for place, doc in enumerate(pair.better) if place != i])
    return (
        one_aspect_at_most(pair)
        and pair.weights[0] < pair.weights[1]
        and heavier[1] == lighter[0] > 0
        and not any(first or second for first, second, *_ in others)
    )


PREMISES = dict(zip(CONSTRAINTS, [pri, deep, deepth, closeth, conf, aspdiv, red, mred, sat, asprel], strict=True))


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_all_instances_meet_the_premises(name):
    constraint = CONSTRAINTS[name]

    instances = constraint.instances()

    assert len(instances) >= 2
    for pair in itertools.chain.from_iterable(instances):
        assert PREMISES[name](pair)
        assert sum(pair.weights) == pytest.approx(1)
        assert {len(grades) for grades in pair.judged.values()} == {len(pair.weights)}
        assert len(pair.worse) <= 9 or name in ("DeepTh", "CloseTh")
        assert len(set(pair.better)) == len(pair.better)
        assert len(set(pair.worse)) == len(pair.worse)
        assert {*pair.better, *pair.worse} <= set(pair.judged)
        unretrieved = labels(pair, pair.judged.keys() - pair.better - set(pair.worse))
        assert np.array(unretrieved).max(axis=0).tolist() == [constraint.largest] * len(pair.weights)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_instances_come_by_size_and_once(name):
    instances = CONSTRAINTS[name].instances()

    sizes = [max(len(pair.better) for pair in instance) for instance in instances]
    assert sizes == sorted(sizes)
    assert len({repr(instance) for instance in instances}) == len(instances)


def test_labels_stay_in_the_requested_range():
    pairs = [pair for name in CONSTRAINTS if name != "Sat" for (pair, *_) in CONSTRAINTS[name].instances(4)]

    assert {label for pair in pairs for grades in pair.judged.values() for label in grades} == {0, 1, 2, 3, 4}


def test_sizes_of_thresholds_are_as_documented():
    assert f"DeepTh with {DEEP} documents" in " ".join(axioms.__doc__.split())
    assert f"CloseTh with {CLOSE[0]} to {CLOSE[-1]}," in " ".join(axioms.__doc__.split())
