import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from by_hand import values_of_labels
from pyterrier_diversity import ConcordantPairs, UserModel, score

ALL = ConcordantPairs(above="all")
# Pairs of ranks in which the upper document is better: (1, 3), (1, 4), (2, 3), (2, 4); equal and relevant: (1, 2).
LABELS = [[2], [2], [0], [1]]
STOPS = ["RBP", "DCG", "RR"]


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (ALL, 4 / 4),
        (ConcordantPairs, (2 / 3 + 2 / 4) / 4),
        (ALL @ 3, 2 / 3),
        (ALL @ 8, 4 / 8 + 4 / 8 * 3),
        (ConcordantPairs @ 8, (2 / 3 + 2 / 4) / 8),
        (ALL(ties=True), (1 + 2 + 2 + 3) / 4),
        (ConcordantPairs(ties=True), (1 + 2 / 2 + 2 / 3 + 3 / 4) / 4),
        (ALL(stop="RR"), 2 / 12 + 2 / 20 + 3 / 5),
        (ALL(stop="RR") @ 2, 2 / 3),
        (ConcordantPairs(stop="RR"), 2 / 3 / 12 + 2 / 4 / 20),
        (ALL(stop="RBP", theta=0.2), 2 * 0.2 * 0.8**2 + 2 * 0.2 * 0.8**3 + 3 * 0.8**4),
        (ALL(stop="DCG") @ 3, 2 * (np.log(2) / np.log(4) - np.log(2) / np.log(5)) + 2 * np.log(2) / np.log(5)),
        (ALL(rel=2), 4 / 4),
    ],
    ids=repr,
)
def test_pairs_counted_by_hand(measure, value):
    assert score(measure, LABELS) == pytest.approx(value, abs=1e-15)


def test_intents_are_averaged_by_their_weights():
    labels = [[1, 0], [0, 3], [0, 2]]  # two pairs for the first intent, one for the second

    assert score(ALL, labels, weights=[3, 1]) == pytest.approx((0.75 * 2 + 0.25 * 1) / 3, abs=1e-15)


@given(
    labels=st.lists(st.sampled_from([0, 1]), min_size=1, max_size=8).filter(any),
    stop=st.sampled_from(STOPS),
    cutoff=st.sampled_from([None, 2, 5, 20]),
)
def test_with_ties_and_binary_labels_they_are_models_2_and_4(labels, stop, cutoff):
    pairs = [ConcordantPairs(above=above, stop=stop, ties=True, cutoff=cutoff) for above in ("all", "one")]
    models = [UserModel(model, stop, cutoff=cutoff) for model in (2, 4)]

    values = values_of_labels([*pairs, *models], [labels])

    assert values[:2] == pytest.approx(np.array(values[2:]), abs=1e-14)


@given(labels=st.lists(st.integers(0, 3), min_size=2, max_size=8), data=st.data())
def test_users_who_stop_anywhere_alike_never_mind_that_a_better_document_moves_up(labels, data):
    i = data.draw(st.integers(0, len(labels) - 2))
    worse = [*labels[:i], *sorted(labels[i : i + 2]), *labels[i + 2 :]]
    better = [*labels[:i], *sorted(labels[i : i + 2], reverse=True), *labels[i + 2 :]]

    measures = [ConcordantPairs, ALL, ConcordantPairs(ties=True), ALL(ties=True)]
    for measure, values in zip(measures, values_of_labels(measures, [worse, better]), strict=True):
        assert values[1] >= values[0] - 1e-12, measure


def test_impatient_users_may_mind():
    impatient = ALL(stop="RBP", theta=0.8)

    assert score(impatient, [[1], [0], [1]]) == pytest.approx(0.16 + 2 * 0.008, abs=1e-15)
    assert score(impatient, [[1], [1], [0]]) == pytest.approx(2 * 0.032 + 2 * 0.008, abs=1e-15)


def test_only_the_order_of_labels_matters():
    ranking = [[1], [3], [0], [2], [3]]

    for measure in (ConcordantPairs, ALL(stop="DCG"), ALL(ties=True)):
        assert score(measure, ranking) == score(measure, [[0.1 * label**5] for (label,) in ranking])


@pytest.mark.parametrize("params", [{"theta": 0.2}, {"theta": 0.2, "stop": "DCG"}])
def test_parameters_of_another_distribution_are_refused(params):
    with pytest.raises(ValueError, match=r"ConcordantPairs: theta has no effect in ConcordantPairs\(.*\)\."):
        ConcordantPairs(**params)


def test_documents_that_are_not_retrieved_do_not_count():
    assert score(ConcordantPairs, [[1], [0]], others=[[3]]) == 1 / 2 / 2
