import numpy as np
import pandas as pd
import pytest

from by_hand import qrels
from pyterrier_diversity.judged import Run, judge

JUDGED = judge(qrels("q x a 1", "r x a 1", "s x a 1"))


def sessions(*rows, **columns):
    """The sessions of a run of the rows "qid docno turn", best first."""
    frame = pd.DataFrame([row.split() for row in rows], columns=["qid", "docno", "turn"]).astype({"turn": int})
    frame = frame.assign(score=-np.arange(len(frame), dtype=float), **columns)
    return Run(frame).retrieve(JUDGED).sessions


THREE = sessions("q a 0", "q b 0", "q c 2", "q a 2", "q d 2", "r a 0")


def test_a_turn_ends_at_its_last_document_and_a_missing_one_is_a_rank():
    turns = THREE.turns(5)

    assert turns.ends.tolist() == [[2, 3, 6], [1, 1, 1], [0, 0, 0]]
    assert turns.n.tolist() == [3, 1, 0]


def test_ranks_have_a_turn_and_a_place_in_it():
    ranks = np.array([[1, 2, 3, 4, 6], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]])

    assert THREE.turns(5).of(ranks)[0].tolist() == [1, 1, 2, 3, 3]
    assert THREE.turns(5).places(ranks)[0].tolist() == [1, 2, 1, 1, 3]


@pytest.mark.parametrize(
    ("cutoff", "last"), [(1, [2, 1, 0]), (2, [3, 1, 0]), (3, [6, 1, 0]), (2**63, [6, 1, 0]), (None, [6, 1, 0])]
)
def test_a_cutoff_ends_with_its_turn(cutoff, last):
    assert THREE.turns(5).last_ranks(cutoff).tolist() == last


@pytest.mark.parametrize(("batch", "ends"), [(2, [2, 4, 5]), (5, [5, 5, 5]), (9, [5, 5, 5])])
def test_without_turns_so_many_documents_are_one(batch, ends):
    run = Run({"q": dict(zip("abcde", range(5, 0, -1), strict=True))})

    turns = run.retrieve(JUDGED).sessions.turns(batch)

    assert turns.ends[0].tolist() == ends[: turns.ends.shape[1]]
    assert turns.n.tolist() == [len(set(ends)), 0, 0]


def test_lengths_stand_at_the_rank_of_their_document_and_nowhere_else():
    lengths = sessions("q a 0", "q b 2", "q a 2", "r a 0", doc_len=[10.0, np.nan, 10.0, 7.0]).doc_len()

    # a; nothing in the second turn; b, whose length is not known; a again
    np.testing.assert_array_equal(lengths[0], [10, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(lengths[1], [7, np.nan, np.nan, np.nan])


def test_without_the_column_no_length_is_told():
    assert THREE.doc_len() is None


@pytest.mark.parametrize(("length", "rule"), [(-1.0, "must not be negative"), (np.inf, "must be a finite number")])
def test_a_length_that_is_none_is_refused(length, rule):
    with pytest.raises(ValueError, match=f"run: doc_len {rule}, but query 'q' has {length}"):
        sessions("q a 0", doc_len=[length])


def test_some_queries_have_their_own_sessions():
    assert THREE.of(np.array([1, 0])).turns(5).n.tolist() == [1, 3]
