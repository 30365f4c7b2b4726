"""Ties are found within queries and turns."""

import pandas as pd
import pytest

from pyterrier_diversity.judged import Run, tied_across


def ties_of(*rows: tuple[object, ...], turn: bool = False) -> list[list[str]]:
    """The queries that are tied across the ranks 1 to 4."""
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score", "turn"][: 4 if turn else 3])
    return tied_across(Run(frame), range(1, 5))


NONE: list[list[str]] = [[], [], [], []]
TIED = [("q", "a", 3.0), ("q", "b", 2.0), ("q", "c", 2.0), ("q", "d", 1.0), ("p", "x", 1.0), ("p", "y", 1.0)]


def test_queries_are_tied_across_a_rank_where_it_and_the_next_one_have_one_score():
    assert ties_of(*TIED) == ties_of(*reversed(TIED)) == [["p"], ["q"], [], []]


def test_a_document_that_is_there_twice_has_one_rank_and_ties_with_others_only():
    once = ("q", "a", 3.0), ("q", "a", 3.0), ("q", "b", 2.0), ("q", "a", 1.0), ("q", "c", 1.0)

    assert ties_of(*once) == NONE
    assert ties_of(*once, ("q", "d", 1.0)) == [[], [], ["q"], []]


def test_turns_follow_each_other_and_an_empty_one_is_a_rank():
    assert ties_of(("q", "a", 1.0, 0), ("q", "b", 1.0, 2), ("q", "c", 1.0, 2), turn=True) == [[], [], ["q"], []]


@pytest.mark.parametrize(
    ("rows", "turn"),
    [
        ([("p", "a", 2.0), ("p", "b", 1.0), ("q", "c", 1.0), ("q", "d", 0.0), ("r", "e", 0.0)], False),
        ([("q", "a", 2.0, 0), ("q", "b", 1.0, 0), ("q", "c", 1.0, 1), ("q", "d", 0.0, 1)], True),
        ([(query, "a", 1.0) for query in "pqr"], False),
        ([("q", "a", 2**60), ("q", "b", 2**60 + 1)], False),  # floats cannot tell these apart
        ([], False),
    ],
    ids=["queries", "turns", "single documents", "integers", "no rows"],
)
def test_documents_of_other_queries_turns_and_scores_are_not_tied(rows, turn):
    assert ties_of(*rows, turn=turn) == NONE


def test_queries_beside_each_other_with_one_score_are_tied_in_themselves_only():
    rows = ("p", "a", 1.0), ("p", "b", 1.0), ("q", "c", 1.0), ("r", "d", 1.0), ("r", "e", 1.0)

    assert ties_of(*rows) == [["p", "r"], [], [], []]
