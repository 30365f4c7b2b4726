"""Rankings that are read in turns."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from by_hand import qrels
from pyterrier_diversity.frames.order import MOST_TURNS
from pyterrier_diversity.io import run_frame
from pyterrier_diversity.judged import Ranked, Run, Turns, judge, turns_of
from pyterrier_diversity.judged.sessions import Sessions
from pyterrier_diversity.judged.turns import turns_of_sessions
from pyterrier_diversity.measures.session import lengths

JUDGED = judge(qrels("q x a 1", "r x a 1", "s x a 1"))


def sessions(*rows: str, **columns: list) -> Ranked:
    """The sessions of a run of the rows "qid docno turn", best first."""
    frame = pd.DataFrame([row.split() for row in rows], columns=["qid", "docno", "turn"]).astype({"turn": int})
    frame = frame.assign(score=-np.arange(len(frame), dtype=float), **columns)
    return Ranked.of_run(Run(frame), JUDGED)


def by_query(turns: Turns, values: np.ndarray) -> list[list[int]]:
    """The values of each query's turns."""
    return [values[turns.queries.of == query].tolist() for query in range(turns.queries.n)]


THREE = sessions("q a 0", "q b 0", "q c 2", "q a 2", "q d 2", "r a 0")


def test_a_turn_starts_below_the_one_before():
    turns = turns_of(THREE, 5)

    assert by_query(turns, turns.start) == [[0, 3], [0], []]


def test_ranks_have_a_turn_and_a_place_in_it():
    turns = turns_of(THREE, 5)
    ranks = np.array([1, 2, 4, 6, 1])

    rows = turns.of(np.array([0, 0, 0, 0, 1]), ranks)

    assert (turns.number[rows] + 1).tolist() == [1, 1, 3, 3, 1]
    assert (ranks - turns.start[rows]).tolist() == [1, 2, 1, 3, 1]
    assert turns.queries.of[rows].tolist() == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("cutoff", "last"), [(1, [2, 1, 0]), (2, [3, 1, 0]), (3, [6, 1, 0]), (2**63, [6, 1, 0]), (None, [6, 1, 0])]
)
def test_a_cutoff_ends_with_its_turn(cutoff, last):
    assert turns_of(THREE, 5).down_to(cutoff).last_rank.tolist() == last


def test_a_cutoff_keeps_that_many_turns():
    turns = turns_of(THREE, 5).down_to(2)

    assert by_query(turns, turns.last) == [[2], [1], []]
    assert by_query(turns, turns.start) == [[0], [0], []]
    assert turns.n.tolist() == [2, 1, 0]


@pytest.mark.parametrize(("batch", "last"), [(1, [1, 2, 3, 4, 5]), (2, [2, 4, 5]), (5, [5]), (9, [5]), (2**62, [5])])
def test_without_a_column_turn_each_batch_of_documents_is_a_turn(batch, last):
    run = Run(run_frame({"q": list("abcde")}))

    turns = turns_of(Ranked.of_run(run, JUDGED), batch)

    assert by_query(turns, turns.last) == [last, [], []]
    assert turns.n.tolist() == [len(last), 0, 0]


def test_rankings_without_documents_have_no_turns():
    turns = turns_of(Ranked.of_run(Run(run_frame({})), JUDGED), 5)

    assert turns.n.tolist() == turns.last_rank.tolist() == [0, 0, 0]


def test_each_intent_has_the_session_of_its_query():
    judgements = judge(qrels("q x a 1", "q y b 1", "r x a 1"))
    frame = pd.DataFrame([("q", "a", 2, 0), ("q", "b", 1, 1)], columns=["qid", "docno", "score", "turn"])

    turns = turns_of(Ranked.of_run(Run(frame), judgements).view(judgements.view("each intent")), 5)

    assert by_query(turns, turns.last) == [[1, 2], [1, 2], []]


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.lists(st.integers(0, 4), max_size=5), min_size=1, max_size=4),
    cutoff=st.none() | st.integers(1, 6),
    read=st.integers(0, 25),
)
def test_turns_are_those_of_a_walk_down_each_session(sizes, cutoff, read):
    # A session ends with a document, and a turn without one is a rank.
    sizes = [of_query[: max((i + 1 for i, size in enumerate(of_query) if size), default=0)] for of_query in sizes]
    turn_of_rank = [[turn for turn, size in enumerate(of) for _ in range(max(size, 1))][:read] for of in sizes]
    answered = [query for query, of_query in enumerate(sizes) if of_query]
    rows = [
        (place, turn) for place, q in enumerate(answered) for turn, size in enumerate(sizes[q]) for _ in range(size)
    ]
    of_run = np.array([answered.index(query) if of_query else -1 for query, of_query in enumerate(sizes)])

    query, turn = np.array(rows, dtype=int).reshape(-1, 2).T
    sessions = Sessions(query, query * MOST_TURNS + turn)
    turns = turns_of_sessions(sessions, of_run, np.array(list(map(len, turn_of_rank)))).down_to(cutoff)

    ranks = [
        1 + sum(max(size, 1) for size in sizes[q][:t]) + i
        for q in answered
        for t, n in enumerate(sizes[q])
        for i in range(n)
    ]
    assert sessions.rank.tolist() == ranks
    walked = []
    for query, (of_query, of_rank) in enumerate(zip(sizes, turn_of_rank, strict=True)):
        seen = [turn for turn in dict.fromkeys(of_rank) if cutoff is None or turn < cutoff]
        last = {t: max(rank for rank, turn in enumerate(of_rank, 1) if turn == t) for t in seen}
        walked += [(query, rank, turn) for rank, turn in enumerate(of_rank, 1) if turn in seen and of_query[turn]]
        assert turns.last[turns.queries.of == query].tolist() == [last[t] for t in seen if of_query[t]]
        assert turns.n[query] == len(seen)
        assert turns.last_rank[query] == max(last.values(), default=0)
    query, rank, turn = np.array(walked, dtype=int).reshape(-1, 3).T
    rows = turns.of(query, rank)
    assert turns.queries.of[rows].tolist() == query.tolist()
    assert turns.number[rows].tolist() == turn.tolist()


# Lengths of documents


def test_each_document_has_its_length_except_repeated_ones():
    run = sessions("q a 0", "q b 2", "q a 2", "r a 0", doc_len=[10.0, np.nan, 10.0, 7.0]).run

    # a; b, whose length is not known; a again
    np.testing.assert_array_equal(lengths(run, "q"), [10, np.nan, np.nan])
    np.testing.assert_array_equal(lengths(run, "r"), [7])
    assert lengths(run, "s").tolist() == []
