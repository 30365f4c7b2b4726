"""Runs whose strings live in Arrow are the same runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.judged import Judgements, Run, arrow, judge

pa = pytest.importorskip("pyarrow")

TYPES = ["string[pyarrow]", pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.large_string())]
JUDGED = judge(pd.DataFrame([(q, d, 1) for q in "pqé" for d in "abé"], columns=["qid", "docno", "label"]))


@pytest.fixture(scope="module", autouse=True, params=[0, arrow.FEWEST], ids=["in Arrow", "as objects"])
def fewest(request: pytest.FixtureRequest) -> Iterator[None]:
    """Look up the few strings of a test in Arrow, and as objects as short columns are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "FEWEST", request.param)
        yield


ROWS = st.lists(
    st.tuples(
        st.sampled_from("pqéx"),
        st.sampled_from(["a", "b", "é", "x", "", "🙂", "\uffff"]),
        st.sampled_from([0.0, 1.0, 2.0]),
    ),
    max_size=14,
)


def found(
    frame: pd.DataFrame, depth: int | None, judgements: Judgements = JUDGED
) -> tuple[list[int], list[int], set[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        retrieved = Run(frame).retrieve(judgements, depth)
    return retrieved.ranks.tolist(), retrieved.n.tolist(), {str(warning.message) for warning in caught}


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("grouped", [False, True])
@settings(max_examples=150, deadline=None)
@given(rows=ROWS, depth=st.none() | st.integers(1, 6))
def test_ranks_lengths_and_warnings_are_those_of_objects(dtype, grouped, rows, depth):
    frame = pd.DataFrame(sorted(rows) if grouped else rows, columns=["qid", "docno", "score"])
    frame = frame.astype({"qid": object, "docno": object, "score": float})

    assert found(frame.astype({"qid": dtype, "docno": dtype}), depth) == found(frame, depth)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("column", ["qid", "docno"])
def test_a_missing_id_is_refused(dtype, column):
    frame = pd.DataFrame({"qid": ["q", "q", "q"], "docno": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]})
    frame = frame.astype({"qid": dtype, "docno": dtype})
    frame.loc[1, column] = None

    with pytest.raises(ValueError, match="run: row 1 has no "):
        Run(frame)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_judgements_without_a_relevant_document_find_nothing(dtype):
    judgements = judge(pd.DataFrame({"qid": ["q"], "docno": ["a"], "label": [0]}))
    frame = pd.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0]}).astype({"qid": dtype, "docno": dtype})

    assert found(frame, None, judgements) == ([], [1], set())


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_strings_in_several_pieces_are_one_column(dtype):
    pieces = [pd.DataFrame({"qid": ["q"], "docno": [doc], "score": [score]}) for doc, score in (("b", 2.0), ("a", 1.0))]
    frame = pd.concat([piece.astype({"qid": dtype, "docno": dtype}) for piece in pieces], ignore_index=True)

    ranks, n, _ = found(frame, None)

    assert np.array(ranks).reshape(3, 3)[:, :2].max(axis=0).tolist() == [2, 1]
    assert sum(n) == 2


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_judged_names_may_be_unpaired_surrogates(dtype):
    names = pd.Series(["a", "\ud800"], dtype=object)
    judgements = judge(pd.DataFrame({"qid": pd.Series(["q", "q"], dtype=object), "docno": names, "label": [1, 1]}))
    frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [1.0, 2.0]})

    assert found(frame.astype({"qid": dtype, "docno": dtype}), None, judgements)[0] == [2, 0]
