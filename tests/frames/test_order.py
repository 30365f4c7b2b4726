"""The order of a ranking is that of a sort in Python."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.frames import RUN_COLUMNS, Columns, Doubts, RankedRows, in_order
from pyterrier_diversity.frames.order import MOST_TURNS
from pyterrier_diversity.frames.strings import FEWEST

ROWS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from([0, 1, 7]),
        st.sampled_from([0.0, -0.0, 1.0, 2.5]),
        st.sampled_from(["a", "b", "B", "", "é", "10", "9", "\uffff", "🙂"]),
    ),
    min_size=1,
    max_size=25,
)


def ordered(rows: list[tuple], *, turns: bool = True, **columns: list) -> RankedRows:
    frame = pd.DataFrame(rows, columns=["qid", "turn", "score", "docno"]).assign(**columns)
    return in_order(Columns(frame if turns else frame.drop(columns="turn"), RUN_COLUMNS, "run"))


def by_first(rows: list[tuple]) -> dict[int, int]:
    """The place of each query in the order in which they appear."""
    return {query: place for place, query in enumerate(dict.fromkeys(row[0] for row in rows))}


@settings(max_examples=30, deadline=None)
@given(rows=ROWS, turns=st.booleans())
def test_rows_are_sorted_by_query_turn_descending_score_and_descending_name(rows, turns):
    result, first = ordered(rows, turns=turns), by_first(rows)

    expected = sorted(rows, key=lambda row: row[3], reverse=True)
    expected = sorted(expected, key=lambda row: (first[row[0]], row[1] if turns else 0, -row[2]))
    at = rows if result.rows is None else [rows[row] for row in result.rows]
    kept = (0, 1, 2, 3) if turns else (0, 2, 3)
    assert [[row[i] for i in kept] for row in at] == [[row[i] for i in kept] for row in expected]
    assert result.docs.tolist() == [row[3] for row in rows]
    assert result.score.tolist() == [row[2] for row in expected]
    assert result.query.codes.tolist() == [first[row[0]] for row in expected]
    assert result.size.tolist() == [sum(row[0] == query for row in rows) for query in first]
    assert result.key.tolist() == [first[row[0]] * (MOST_TURNS if turns else 1) + turns * row[1] for row in expected]
    assert ordered(expected, turns=turns).rows is None


@pytest.mark.parametrize("n_queries", [3, 300, 70_000])
def test_there_may_be_any_number_of_queries(n_queries):
    rng = np.random.default_rng(1)
    query = rng.integers(0, n_queries, 2 * FEWEST)
    score = rng.integers(0, 5, len(query)).astype(float)
    frame = pd.DataFrame({"qid": query, "score": score, "docno": rng.permutation(len(query)).astype(str)})

    place = frame.assign(qid=pd.factorize(query)[0], score=-score).sort_values("docno", ascending=False)
    expected = place.sort_values(["qid", "score"], kind="stable").index
    for dtype in (object, "string[pyarrow]"):
        rows = in_order(Columns(frame.astype({"docno": dtype}), RUN_COLUMNS, "run")).rows
        assert rows.tolist() == expected.tolist()


def test_ranks_of_different_queries_and_turns_do_not_contradict_each_other():
    rows = [("p", 0, 2.0, "a"), ("p", 1, 1.0, "b"), ("q", 0, 0.5, "c")]

    found = {turns: Doubts() for turns in (True, False)}
    for turns, doubts in found.items():
        ordered(rows, turns=turns, rank=[9, 3, 1]).add_odd(doubts)
    assert not list(found[True].warnings())
    assert "in 1 of 2 queries of the run, such as 'p'" in str(next(found[False].warnings()))
