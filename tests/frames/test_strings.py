"""Strings in Arrow and Python strings are read alike."""

import importlib
import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyterrier_diversity import P_IA
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.frames.strings import FEWEST, Pairs, equal, heads, in_arrow, keys_of, numbered, repeated
from pyterrier_diversity.judged import Judgements, Run, judge

pa = pytest.importorskip("pyarrow")

TYPES = ["string[pyarrow]", pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.large_string())]
JUDGED = judge(pd.DataFrame([(q, d, 1) for q in "pqé" for d in "abé"], columns=["qid", "docno", "label"]))


@pytest.fixture(scope="module", autouse=True, params=[1, FEWEST], ids=["in Arrow", "as objects"])
def fewest(request: pytest.FixtureRequest) -> Iterator[None]:
    """Look up the few strings of a test in Arrow, and as objects as short columns are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.import_module("pyterrier_diversity.frames.strings"), "FEWEST", request.param)
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
        ranks, n = Run(frame).find(judgements, depth)
    return ranks.tolist(), n.tolist(), {str(warning.message) for warning in caught}


@pytest.mark.parametrize("grouped", [False, True])
@settings(max_examples=10, deadline=None)
@example(rows=[("q", "a", 2.0), ("q", "b", 1.0), ("q", "b", 0.0), ("q", "é", 0.0)], depth=3)
@given(rows=ROWS, depth=st.none() | st.integers(1, 6))
def test_ranks_lengths_and_warnings_are_those_of_objects(grouped, rows, depth):
    frame = pd.DataFrame(sorted(rows) if grouped else rows, columns=["qid", "docno", "score"])
    frame = frame.astype({"qid": object, "docno": object, "score": float})

    expected = found(frame, depth)

    for dtype in TYPES:
        assert found(frame.astype({"qid": dtype, "docno": dtype}), depth) == expected, dtype


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

    assert sorted(ranks)[-2:] == [1, 2]
    assert JUDGED.documents.ids[np.argmax(ranks)] == "a"
    assert sum(n) == 2


# Long columns

LONG = FEWEST + 10
PYTHON_TYPES = [object, pd.StringDtype("python"), pd.StringDtype("python", na_value=np.nan)]
ANY_TYPE = [*TYPES, pd.StringDtype("pyarrow", na_value=np.nan), *PYTHON_TYPES, "category"]


def long_run(dtype: object) -> pd.DataFrame:
    """Two queries of many documents, best first."""
    names = [f"d{i}" for i in range(LONG)]
    frame = pd.DataFrame(
        {"qid": ["p"] * 9 + ["q"] * (LONG - 9), "docno": names, "score": -np.arange(LONG, dtype=float)}
    )
    return frame.astype({"qid": dtype, "docno": dtype})


@pytest.mark.parametrize("dtype", ANY_TYPE, ids=str)
@pytest.mark.parametrize("column", ["qid", "docno"])
@pytest.mark.parametrize("row", [0, LONG - 1])
def test_a_missing_id_of_a_long_column_is_refused(dtype, column, row):
    frame = long_run(dtype)
    frame.loc[row, column] = None
    qrels = frame.rename(columns={"score": "label"}).assign(label=1)

    with pytest.raises(ValueError, match=f"^run: row {row} has no {column}"):
        Run(frame)
    with pytest.raises(ValueError, match=f"^qrels: row {row} has no {column}"):
        judge(qrels)


@pytest.mark.parametrize("column", ["qid", "docno"])
@pytest.mark.parametrize("value", [1.5, True, b"q", ["q"]], ids=str)
def test_an_id_of_a_long_column_that_is_no_string_is_refused(column, value):
    frame = long_run(object)
    frame[column] = [*frame[column][:-1], value]

    with pytest.raises(TypeError, match=f"^run: {column} must contain strings or integers, but row {LONG - 1} has "):
        Run(frame)


@pytest.mark.parametrize("depth", [None, 2, 3])
@pytest.mark.parametrize("dtype", [*TYPES, object], ids=str)
def test_a_repeated_document_of_a_long_run_has_its_best_rank(dtype, depth):
    names = pd.Series(["d9", "d10", "d12"], dtype=object)
    judgements = judge(pd.DataFrame({"qid": pd.Series(["q"] * 3, dtype=object), "docno": names, "label": 1}))
    run = long_run(object).replace({"docno": {"d11": "d10"}}).assign(tag="x").astype({"qid": dtype, "docno": dtype})

    ranks, n, told = found(run, depth, judgements)

    # Documents in descending order of their names: d9, d12, d10. The repeated document is at rank 3.
    assert ranks == ([1, 0, 2] if depth == 2 else [1, 3, 2])
    assert n == [2 if depth == 2 else LONG - 10]
    assert len(told) == (depth != 2)


@pytest.mark.parametrize("n_rows", [3, LONG])
def test_a_surrogate_and_its_escape_are_two_documents(n_rows):
    names = pd.Series(["\ud800", "'\\ud800'"], dtype=object)
    judgements = judge(pd.DataFrame({"qid": pd.Series(["q"] * 2, dtype=object), "docno": names, "label": 1}))
    docs = pd.Series([*names, *(f"d{i}" for i in range(n_rows - 2))], dtype=object)
    run = pd.DataFrame({"qid": pd.Series("q", docs.index, dtype=object), "docno": docs, "score": -docs.index})

    ranks, n, told = found(run, None, judgements)

    assert (sorted(ranks), n, told) == ([1, 2], [n_rows], set())
    assert judgements.view("ad hoc").n_relevant_docs.tolist() == [2]


@pytest.mark.parametrize("dtype", [*TYPES, object], ids=str)
def test_turns_without_documents_take_up_ranks_of_a_long_session(dtype):
    judgements = judge(pd.DataFrame({"qid": ["q", "q"], "docno": ["d9", "d12"], "label": [1, 1]}))
    run = long_run(dtype)[9:].assign(turn=lambda frame: np.where(frame["docno"] == "d9", 0, 5))

    assert found(run, None, judgements)[:2] == ([1, 8], [LONG - 9 + 4])


@pytest.mark.parametrize("dtype", ANY_TYPE, ids=str)
def test_judged_names_may_be_unpaired_surrogates_in_a_long_run(dtype):
    names = pd.Series(["d3", "\ud800", "d2000"], dtype=object)
    judgements = judge(pd.DataFrame({"qid": pd.Series(["q"] * 3, dtype=object), "docno": names, "label": 1}))
    run = long_run(dtype).assign(qid="q")

    assert found(run, None, judgements) == ([0, 4, 2001], [LONG], set())


@pytest.mark.parametrize("dtype", ANY_TYPE, ids=str)
@pytest.mark.parametrize("n_rows", [FEWEST, 3])
def test_qrels_changed_in_place_are_read_anew(dtype, n_rows):
    qrels = pd.DataFrame({"qid": "q", "iteration": "1", "docno": [f"d{i}" for i in range(n_rows)], "label": 0})
    qrels = qrels.astype({"qid": dtype, "iteration": dtype, "docno": dtype})
    qrels.loc[1, "label"] = 1
    run = {"q": {"d1": 1.0, "x": 0.0}}
    value = lambda: DiversityEvaluator([P_IA @ 1], qrels).values(run).tolist()  # noqa: E731

    before = value()
    if dtype == "category":
        qrels["docno"] = qrels["docno"].cat.add_categories(["other"])
    qrels.loc[1, "docno"] = "other"
    renamed = value()
    qrels.loc[1, ["docno", "label"]] = ["d1", 1]
    again = value()
    qrels.loc[1, "label"] = 0

    assert (before, renamed, again, value()) == ([[1.0]], [[0.0]], [[1.0]], [[0.0]])


@pytest.mark.parametrize("dtype", ANY_TYPE, ids=str)
def test_columns_are_equal_if_all_values_and_types_are(dtype):
    column = pd.Series(["a", "b", "c"]).astype(dtype)
    changed = pd.Series(["a", "b", "d"]).astype(dtype)

    assert equal(column, column.copy())
    assert equal(column, pd.Series(["a", "b", "c"]).astype(dtype))
    assert not equal(column, changed)
    assert not equal(column, column[:2])
    assert not equal(column, pd.Series([1, 2, 3]))


@pytest.mark.parametrize("other", [[True, 2], [1.0, 2], [1, "2"], [1, None], [1, pd.NA], [1, np.array([2])]])
def test_objects_of_other_types_are_not_equal(other):
    assert not equal(pd.Series([1, 2], dtype=object), pd.Series(other, dtype=object))


# Each kind of strings


def kept(values: list[str], dtype: object) -> object:
    """Strings as they are kept: in Arrow, or as an array of objects."""
    column = pd.Series(values, dtype=object).astype(dtype)
    strings = in_arrow(column)
    return column.to_numpy(dtype=object) if strings is None else strings


NAMES = st.lists(st.sampled_from(["a", "b", "", "é", "ab", "🙂"]), min_size=1, max_size=12)


@settings(max_examples=25, deadline=None)
@given(names=NAMES)
def test_strings_are_numbered_in_the_order_in_which_they_appear(names):
    for dtype in (*TYPES, object):
        codes, distinct = numbered(kept(names, dtype))

        assert distinct.tolist() == list(dict.fromkeys(names)), dtype
        assert distinct[codes].tolist() == names, dtype


TAIL = "/a/page/index.html"
ALIKE = st.sampled_from(["", "a", "b", "ab", "1234567", "12345678", f"x{TAIL}", f"y{TAIL}", f"{TAIL}", "🙂", "🙂é"])
ROWS_OF_GROUPS = st.lists(st.tuples(st.integers(0, 2), ALIKE), max_size=14).map(sorted)


@settings(max_examples=30, deadline=None)
@given(rows=ROWS_OF_GROUPS, known=st.sets(st.tuples(st.integers(0, 2), ALIKE | st.just("\ud800"))))
def test_pairs_of_group_and_string_are_found_unless_rows_repeat(rows, known):
    known = sorted(known)
    pairs = Pairs(*np.array([*known, (0, "")], dtype=object)[:-1].T)
    group, asked = np.array([group for group, _ in rows], dtype=np.int64), np.arange(len(known))[1:]

    expected = {known[i]: rows.index(known[i]) for i in asked if known[i] in rows}
    for dtype in TYPES:
        strings = pa.array(pd.Series([name for _, name in rows], dtype=object).astype(dtype).array)
        strings = strings.cast(pa.large_string())  # pandas 2 may have short ones
        strings = strings.combine_chunks() if isinstance(strings, pa.ChunkedArray) else strings
        result = pairs.find(asked, group, strings)
        assert (result is None) == (len(set(rows)) < len(rows)), dtype
        if result is not None:
            assert {known[i]: row for row, i in zip(*map(np.ndarray.tolist, result), strict=True)} == expected, dtype


@settings(max_examples=40, deadline=None)
@given(rows=ROWS_OF_GROUPS)
def test_a_string_is_repeated_if_it_is_above_or_below_in_the_same_group(rows):
    group = np.array([group for group, _ in rows], dtype=np.int64)

    for dtype in (*TYPES, object):
        strings = kept([name for _, name in rows], dtype)
        assert repeated(group, strings).tolist() == [pair in rows[:row] for row, pair in enumerate(rows)], dtype
        below = [pair in rows[row + 1 :] for row, pair in enumerate(rows)]
        assert repeated(group, strings, keep="last").tolist() == below, dtype


@pytest.mark.parametrize("docs", ["xba", "x", "xy"])
def test_strings_with_equal_fingerprints_are_still_different(docs):
    frame = pd.DataFrame({"qid": "q", "docno": list(docs), "score": -np.arange(len(docs), dtype=float)})

    expected = found(frame.astype({"qid": object, "docno": object}), None)
    with pytest.MonkeyPatch.context() as patch:
        module = importlib.import_module("pyterrier_diversity.frames.strings")
        patch.setattr(module, "keys_of", lambda group, _: np.zeros(len(group), np.uint64))
        judgements = replace(JUDGED, columns=frozenset())  # without fingerprints
        assert found(frame.astype({"qid": TYPES[0], "docno": TYPES[0]}), None, judgements) == expected


WORDS = ["", "a", "aa", "b", "\0", "\0\0", "a\0", "1234567", "12345678", "x12345678", "y12345678", "x" * 16, "x" * 17]
WORDS += [f"{first}{'-' * 30}" for first in "ab"] + ["-" * n for n in range(1, 60)] + ["é", "é" * 9]


def test_equal_strings_have_equal_keys_and_others_differ():
    every, reverse = (pa.array(words, pa.large_string()) for words in (WORDS, WORDS[::-1]))
    group = np.arange(len(WORDS)) % 3

    keys = keys_of(group, every)

    assert len({*keys.tolist(), *keys_of(group + 3, every).tolist()}) == 2 * len(WORDS)
    assert keys_of(group[::-1], reverse)[::-1].tolist() == keys.tolist()
    assert keys_of(group[3:], every[3:]).tolist() == keys[3:].tolist()
    # Strings of one length are read in another way.
    for row, word in enumerate(WORDS):
        assert set(keys_of(group[[row] * 3], pa.array([word] * 3, pa.large_string())).tolist()) == {keys[row]}


def test_rows_that_differ_from_the_one_above_are_heads():
    assert heads(np.array([1.0, 1.0, 2.0, 1.0])).tolist() == [0, 2, 3]
    assert heads(np.array([])).tolist() == []
