from __future__ import annotations

import numpy as np
import pytest

from pyterrier_diversity.arrays import left_before, over_documents, over_intents, ranks_of, share


def test_share_is_0_where_there_is_nothing_to_divide_by():
    assert share([1.0, 2.0, 0.0], [2, 0, 0]).tolist() == [0.5, 0.0, 0.0]


def test_share_broadcasts():
    assert share([[1], [2]], [1, 4]).tolist() == [[1.0, 0.25], [2.0, 0.5]]


def test_left_before_multiplies_what_the_documents_above_leave():
    assert left_before(np.array([0.5, 0.25, 1.0, 0.5]), axis=-1).tolist() == [1.0, 0.5, 0.375, 0.0]


def test_left_before_runs_along_the_axis_that_it_is_given():
    taken = np.array([[0.5, 0.0], [0.5, 1.0], [0.0, 0.0]])

    assert left_before(taken, axis=-2).tolist() == [[1.0, 1.0], [0.5, 1.0], [0.25, 0.0]]
    assert left_before(taken, axis=0).tolist() == left_before(taken, axis=-2).tolist()


def test_left_before_of_no_documents_is_empty():
    assert left_before(np.zeros((2, 0, 3)), axis=-2).shape == (2, 0, 3)


def test_ranks_count_from_1_if_there_are_none():
    assert ranks_of(None, 3).tolist() == [1.0, 2.0, 3.0]
    assert ranks_of([2, 5], 2).tolist() == [2.0, 5.0]


@pytest.mark.parametrize("total", [over_documents, over_intents])
def test_sums_run_along_the_last_axis(total):
    assert total(np.array([[1.0, 2.0, 4.0], [0.5, 0.0, 0.25]])).tolist() == [7.0, 0.75]


@pytest.mark.parametrize("total", [over_documents, over_intents])
def test_sums_of_nothing_are_0(total):
    assert total(np.zeros((2, 0))).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("total", [over_documents, over_intents])
@pytest.mark.parametrize("length", [1, 7, 8, 9, 100, 1000])
def test_padding_changes_no_bit_of_a_sum(total, length):
    values = np.random.default_rng(length).random((3, length))

    padded = np.pad(values, [(0, 2), (0, 131)])

    assert total(padded)[:3].tolist() == total(values).tolist() == [total(row[None])[0] for row in values]
