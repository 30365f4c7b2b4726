"""Qrels and runs in every form that ir_measures takes."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import Qrel, ScoredDoc

from pyterrier_diversity import AP_IA, P_IA, RBU, P_Rareness, add_rarity, evaluate_runs
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.frames import QRELS_COLUMNS, RUN_COLUMNS, Columns
from pyterrier_diversity.io import read_qrels, write_qrels
from pyterrier_diversity.io.forms import frame_of
from pyterrier_diversity.meta import insert_synthetic_system, pool_depth
from pyterrier_diversity.transformers import Explain, OnSubtopics, explain_difference

# d2 is relevant to a and b, d1 to a; the run is d3 d2 d1: P-IA@2 = (1 + 1)/(2 * 2), AP-IA = ((1/2 + 2/3)/2 + 1/2)/2.
QRELS = [("q", "d1", 1, "a"), ("q", "d2", 1, "a"), ("q", "d2", 1, "b"), ("q", "d3", 0, "a")]
RUN = [("q", "d3", 3.0), ("q", "d2", 2.0), ("q", "d1", 1.0)]
MEASURES = [P_IA @ 2, AP_IA]
EXPECTED = [0.5, 13 / 24]

MISSING = [("object", None), ("object", np.nan), ("object", pd.NA), ("str", None), ("string", pd.NA)]


def qrels_frame(names: tuple[str, ...] = ("qid", "docno", "label", "iteration")) -> pd.DataFrame:
    return pd.DataFrame(QRELS, columns=list(names))


def run_frame(names: tuple[str, ...] = ("qid", "docno", "score")) -> pd.DataFrame:
    return pd.DataFrame(RUN, columns=list(names))


def values(qrels: object, run: object) -> list[float]:
    aggregates = ir_measures.calc_aggregate(MEASURES, qrels, run)
    return [aggregates[measure] for measure in MEASURES]


@pytest.mark.parametrize("qrels_names", [("qid", "docno", "label"), ("query_id", "doc_id", "relevance")])
@pytest.mark.parametrize("run_names", [("qid", "docno"), ("query_id", "doc_id")])
def test_frames_may_have_the_names_of_pyterrier_or_of_ir_measures(qrels_names, run_names):
    result = values(qrels_frame((*qrels_names, "iteration")), run_frame((*run_names, "score")))

    assert result == pytest.approx(EXPECTED, abs=1e-12)


def test_lists_of_named_tuples_are_qrels_and_a_run():
    result = values([Qrel(*row) for row in QRELS], [ScoredDoc(*row) for row in RUN])

    assert result == pytest.approx(EXPECTED, abs=1e-12)


def test_generators_that_can_be_read_once_are_qrels_and_a_run():
    result = values((Qrel(*row) for row in QRELS), (ScoredDoc(*row) for row in RUN))

    assert result == pytest.approx(EXPECTED, abs=1e-12)


def test_named_tuples_with_a_subtopic_id_are_qrels():
    sub_qrel = namedtuple("sub_qrel", ["query_id", "doc_id", "relevance", "subtopic_id"])

    result = values((sub_qrel(*row) for row in QRELS), run_frame())

    assert result == pytest.approx(EXPECTED, abs=1e-12)


def test_named_tuples_may_have_the_names_of_pyterrier():
    qrels, run = qrels_frame(("qid", "docno", "label", "iteration")), run_frame(("qid", "docno", "score"))

    result = values(list(qrels.itertuples(index=False)), list(run.itertuples(index=False)))

    assert result == pytest.approx(EXPECTED, abs=1e-12)


def test_dicts_of_dicts_are_qrels_of_one_intent_and_a_run():
    result = values({"q": {"d1": 1, "d2": 1, "d3": 0}}, {"q": {"d1": 1.0, "d2": 2.0, "d3": 3.0}})

    assert result == pytest.approx([1 / 2, (1 / 2 + 2 / 3) / 2], abs=1e-12)


@pytest.mark.parametrize("dtype", ["object", "str", "string", "category"])
def test_ids_may_have_any_string_dtype(dtype):
    qrels = qrels_frame().astype({"qid": dtype, "docno": dtype, "iteration": dtype})
    run = run_frame().astype({"qid": dtype, "docno": dtype})

    assert values(qrels, run) == pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.parametrize("dtype", ["int8", "float32", "Int64", "Float64", "object", "category"])
def test_labels_and_scores_may_have_any_numeric_dtype(dtype):
    result = values(qrels_frame().astype({"label": dtype}), run_frame().astype({"score": dtype}))

    assert result == pytest.approx(EXPECTED, abs=1e-12)


def test_rows_may_have_any_index_and_further_columns():
    qrels = qrels_frame().set_index(pd.Index([7, 7, 0, -1])).assign(note="x")
    run = run_frame().set_index(pd.Index(["z", "z", "a"])).assign(rank=0, query="jaguar")

    assert values(qrels, run) == pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.parametrize("missing", ["qid", "docno", "label"])
def test_qrels_without_a_needed_column_are_refused(missing):
    with pytest.raises(ValueError, match=rf"qrels: missing column {missing}; found: .*iteration"):
        values(qrels_frame().drop(columns=missing), run_frame())


@pytest.mark.parametrize("missing", ["qid", "docno", "score"])
def test_a_run_without_a_needed_column_is_refused(missing):
    with pytest.raises(ValueError, match=rf"run: missing column {missing}; found: .*place"):
        values(qrels_frame(), run_frame().assign(place=[1, 2, 3]).drop(columns=missing))


def test_all_missing_columns_are_named():
    with pytest.raises(ValueError, match=r"run: missing column docno, score; found: qid\."):
        values(qrels_frame(), run_frame()[["qid"]])


def test_an_iterable_of_plain_tuples_is_refused():
    with pytest.raises(
        TypeError,
        match=r"run must be a file, a frame, a list of dicts or of named tuples, .* not rows of tuple",
    ):
        values(qrels_frame(), RUN)


@pytest.mark.parametrize("data", [7, None, {"q": {"d1"}}])
def test_something_that_is_not_a_table_is_refused(data):
    with pytest.raises(TypeError, match="qrels must be a file, a frame, a list of dicts or of named tuples, or a dict"):
        values(data, run_frame())


def test_a_run_may_be_a_dict_of_lists_best_document_first():
    result = values(qrels_frame(), {"q": ["d3", "d2", "d1"]})

    assert result == pytest.approx(EXPECTED, abs=1e-12)
    assert values(qrels_frame(), {"q": ("d3", "d2", "d1"), "p": {"d1": 1.0}}) == result
    assert values(qrels_frame(), {"q": []}) == [0, 0]


@pytest.mark.parametrize("docs", [{"d1", "d2"}, iter(["d1"])])
def test_a_collection_without_order_is_not_a_ranking(docs):
    with pytest.raises(TypeError, match=r"run must be a file, a frame, .*, not a dict of \w+\."):
        values(qrels_frame(), {"q": docs})


def test_documents_without_a_score_are_ranked_by_their_rank():
    run = run_frame().drop(columns="score").assign(rank=[0, 1, 2]).sample(frac=1, random_state=1)

    assert values(qrels_frame(), run) == pytest.approx(EXPECTED, abs=1e-12)
    assert values(qrels_frame(), list(run.itertuples(index=False))) == pytest.approx(EXPECTED, abs=1e-12)
    assert values(qrels_frame(), run.assign(rank=-run["rank"])) != pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, "first"])
def test_a_rank_that_is_not_a_finite_number_is_refused_where_there_is_no_score(bad):
    run = run_frame().drop(columns="score").assign(rank=[1, bad, 3])

    with pytest.raises(ValueError, match=r"run: .*rank must (be a finite number|contain numbers)"):
        values(qrels_frame(), run)


@pytest.mark.parametrize("column", ["docno", "label"])
def test_qrels_that_have_a_column_twice_are_refused(column):
    qrels = pd.concat([qrels_frame(), qrels_frame()[[column]]], axis=1)

    with pytest.raises(
        ValueError, match="|".join({"docno": ["docno", "doc_id"], "label": ["label", "relevance"]}[column])
    ):
        values(qrels, run_frame())


def test_a_run_that_has_a_column_twice_is_refused():
    run = pd.concat([run_frame(), run_frame()[["score"]]], axis=1)

    with pytest.raises(ValueError, match="score"):
        values(qrels_frame(), run)


@pytest.mark.parametrize(
    ("old", "new", "other"), [("qid", "query_id", "p"), ("docno", "doc_id", "d9"), ("label", "relevance", 3)]
)
def test_two_names_of_one_column_must_agree(old, new, other):
    both = qrels_frame().assign(**{new: qrels_frame()[old]})

    assert values(both, run_frame()) == pytest.approx(EXPECTED, abs=1e-12)
    both.loc[2, new] = other
    with pytest.raises(
        ValueError, match=rf"qrels: {old} and {new} are names of one column, but differ in row 2: .* and "
    ):
        values(both, run_frame())


def test_a_run_with_two_names_of_one_column_is_refused_unless_they_agree():
    both = run_frame().assign(doc_id=["d3", "d2", "d1"])

    assert values(qrels_frame(), both) == pytest.approx(EXPECTED, abs=1e-12)
    with pytest.raises(
        ValueError, match="run: docno and doc_id are names of one column, but differ in row 0: 'd3' and 'd1'"
    ):
        values(qrels_frame(), both.assign(doc_id=["d1", "d2", "d3"]))


def test_an_integer_and_its_digits_agree():
    qrels = pd.DataFrame({"qid": [1], "query_id": ["1"], "docno": ["d"], "doc_id": ["d"], "label": [1.0]})

    assert values(qrels.assign(relevance=1), {"1": {"d": 1.0}})[1] == 1


def test_missing_values_of_two_names_agree_and_are_refused_as_missing():
    qrels = qrels_frame().assign(doc_id=["d1", "d2", "d2", None], docno=["d1", "d2", "d2", np.nan])

    with pytest.raises(ValueError, match="qrels: row 3 has no doc_id"):
        values(qrels, run_frame())


def test_integer_ids_are_read_as_strings():
    qrels = pd.DataFrame({"qid": [1, 1], "docno": [20, 3], "label": [1, 1], "iteration": [1, 2]})
    run = pd.DataFrame({"qid": ["1", "1"], "docno": ["20", "7"], "score": [2.0, 1.0]})

    assert ir_measures.calc_aggregate([P_IA @ 1], qrels, run)[P_IA @ 1] == 0.5


def test_integer_docnos_that_tie_are_ranked_as_strings():
    qrels = pd.DataFrame({"qid": [1], "docno": [9], "label": [1]})
    run = pd.DataFrame({"qid": [1, 1], "docno": [10, 9], "score": [1.0, 1.0]})

    assert ir_measures.calc_aggregate([AP_IA], qrels, run)[AP_IA] == 1.0


def test_a_number_and_its_string_are_one_id():
    qrels = pd.DataFrame({"qid": [1, "1"], "docno": ["a", "b"], "label": [1, 1]})
    run = pd.DataFrame({"qid": ["1", 1], "docno": ["a", "b"], "score": [2.0, 1.0]})

    assert ir_measures.calc_aggregate([P_IA @ 2], qrels, run)[P_IA @ 2] == 1.0


@pytest.mark.parametrize(("dtype", "missing"), MISSING)
@pytest.mark.parametrize("column", ["qid", "docno", "iteration"])
def test_qrels_with_a_missing_id_are_refused(column, dtype, missing):
    qrels = qrels_frame().astype({column: dtype})
    qrels.loc[1, column] = missing

    with pytest.raises(ValueError, match=f"qrels: row 1 has no {column}"):
        values(qrels, run_frame())


@pytest.mark.parametrize(("dtype", "missing"), MISSING)
@pytest.mark.parametrize("column", ["qid", "docno"])
def test_a_run_with_a_missing_id_is_refused(column, dtype, missing):
    run = run_frame().astype({column: dtype})
    run.loc[2, column] = missing

    with pytest.raises(ValueError, match=f"run: row 2 has no {column}"):
        values(qrels_frame(), run)


def test_qrels_with_a_missing_id_are_refused_after_equal_qrels_without():
    complete = qrels_frame().astype({"docno": "string"})
    incomplete = complete.copy()
    incomplete.loc[3, "docno"] = pd.NA

    values(complete, run_frame())

    with pytest.raises(ValueError, match="qrels: row 3 has no docno"):
        values(incomplete, run_frame())


@pytest.mark.parametrize(("bad", "shown"), [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_a_label_that_is_not_a_finite_number_is_refused(bad, shown):
    qrels = qrels_frame().astype({"label": float})
    qrels.loc[1, "label"] = bad

    with pytest.raises(ValueError, match=f"qrels: label must be a finite number, but query 'q' has .*{shown}"):
        values(qrels, run_frame())


@pytest.mark.parametrize(("bad", "shown"), [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf")])
def test_a_score_that_is_not_a_finite_number_is_refused(bad, shown):
    run = run_frame()
    run.loc[1, "score"] = bad

    with pytest.raises(ValueError, match=f"run: score must be a finite number, but query 'q' has .*{shown}"):
        values(qrels_frame(), run)


def test_a_missing_label_of_a_nullable_column_is_refused():
    qrels = qrels_frame().astype({"label": "Int64"})
    qrels.loc[1, "label"] = pd.NA

    with pytest.raises(ValueError, match="qrels: label must be a finite number, but query 'q' has <NA>"):
        values(qrels, run_frame())


def test_bad_values_of_a_query_that_the_qrels_lack_are_refused_too():
    run = pd.concat([run_frame(), pd.DataFrame({"qid": ["other"], "docno": ["d1"], "score": [np.nan]})])

    with pytest.raises(ValueError, match="score must be a finite number, but query 'other' has"):
        values(qrels_frame(), run)


def test_the_number_of_bad_rows_is_in_the_error():
    run = run_frame()
    run.loc[[0, 2], "score"] = np.nan

    with pytest.raises(ValueError, match="rows like this: 2"):
        values(qrels_frame(), run)


def test_labels_that_are_words_are_refused():
    with pytest.raises(ValueError, match=r"qrels: the column label must contain numbers: .*'high'"):
        values(qrels_frame().assign(label="high"), run_frame())


def test_frames_of_the_user_are_left_as_they_are():
    qrels, run = qrels_frame().sample(frac=1, random_state=1), run_frame().sample(frac=1, random_state=2)
    qrels_before, run_before = qrels.copy(deep=True), run.copy(deep=True)

    ir_measures.calc_aggregate([*MEASURES, RBU, P_IA(judged_only=True, rel=1) @ 1], qrels, run)

    pd.testing.assert_frame_equal(qrels, qrels_before)
    pd.testing.assert_frame_equal(run, run_before)


@settings(max_examples=50, deadline=None)
@given(values=st.lists(st.integers(0, 12) | st.text("01ab", max_size=2), max_size=12))
def test_ids_stand_for_the_string_of_each_row(values):
    codes, names = Columns(pd.DataFrame({"id": pd.Series(values, dtype=object)}), (), "qrels").ids("id")

    assert names[codes].tolist() == [str(value) for value in values]
    assert len(set(names.tolist())) == len(names)


NO_IDS = [1.0, np.float64(1.5), True, np.bool_(False), b"d1", ("d1",), ["d1"], pd.Timestamp("2020-01-01"), 1j]


@pytest.mark.parametrize("n_names", [2**15 - 1, 2**15, 2**15 + 1])
def test_there_may_be_more_ids_than_small_numbers(n_names):
    column = np.repeat([str(i) for i in range(n_names)], 3).astype(object)

    codes, names = Columns(pd.DataFrame({"id": column}), (), "qrels").ids("id")

    assert (codes >= 0).all()
    assert (names[codes] == column).all()


@pytest.mark.parametrize("bad", NO_IDS, ids=repr)
@pytest.mark.parametrize("read", [Columns.ids, Columns.strings])
def test_only_strings_and_integers_are_ids(read, bad):
    cells = pd.Series(["d1", 1, None, "d1"], dtype=object)
    cells[2] = bad

    with pytest.raises(TypeError, match=r"qrels: id must contain strings or integers, but row 2 has .*: .*\.$"):
        read(Columns(pd.DataFrame({"id": cells}), (), "qrels"), "id")


@pytest.mark.parametrize("bad", [1.0, True])
def test_an_id_is_refused_though_it_equals_an_integer(bad):
    frame = pd.DataFrame({"id": pd.Series([1, bad, "x"], dtype=object)})

    with pytest.raises(TypeError, match="row 1 has"):
        Columns(frame, (), "qrels").ids("id")


@pytest.mark.parametrize(
    ("dtype", "fix"),
    [
        ("float64", r"type float: read the column as strings, as with pandas.read_csv\(..., dtype=str\)"),
        ("bool", r"type bool: convert them to strings, as with frame\[column\].map\(str\)"),
        ("S1", r"type bytes: decode them, as with frame\[column\].str.decode\('utf-8'\)"),
    ],
)
@pytest.mark.parametrize("column", ["qid", "docno"])
def test_ids_of_another_type_are_refused_with_the_way_to_repair_them(column, dtype, fix):
    odd = pd.Series(np.array([1, 0, 1, 1]).astype(dtype).tolist())

    with pytest.raises(TypeError, match=f"qrels: {column} must .* but row 0 has .* of {fix}"):
        values(qrels_frame().assign(**{column: odd}), run_frame())
    with pytest.raises(TypeError, match=f"run: {column} must .* but row 0 has .* of {fix}"):
        values(qrels_frame(), run_frame().assign(**{column: odd}))


@pytest.mark.parametrize("column", ["iteration", "subtopic_id", "nugget"])
def test_names_in_qrels_are_ids_too(column):
    given = qrels_frame().assign(passage="1", nugget="1", subtopic_id=qrels_frame()["iteration"])

    with pytest.raises(TypeError, match=f"qrels: {column} must contain strings or integers"):
        values(given.assign(**{column: 1.5}), run_frame())


def test_a_missing_id_is_reported_before_a_wrong_type():
    with pytest.raises(ValueError, match="qrels: row 1 has no id"):
        Columns(pd.DataFrame({"id": [1.5, np.nan]}), (), "qrels").strings("id")


@settings(max_examples=30, deadline=None)
@given(values=st.lists(st.integers() | st.text(max_size=3), max_size=8))
def test_strings_are_those_of_each_row(values):
    result = Columns(pd.DataFrame({"id": pd.Series(values, dtype=object)}), (), "qrels").strings("id")

    assert result.tolist() == [str(value) for value in values]


@settings(max_examples=30, deadline=None)
@given(values=st.lists(st.integers() | st.text(max_size=3) | st.floats(allow_nan=False), max_size=8))
def test_texts_are_those_of_any_values(values):
    columns = Columns(pd.DataFrame({"name": pd.Series(values, dtype=object)}), (), "perquery")

    result = columns.strings("name", are_ids=False)

    assert result.tolist() == [str(value) for value in values]


def test_numbers_are_floats():
    result = Columns(pd.DataFrame({"query_id": ["q", "q"], "label": [1, -2]}), (), "qrels").numbers("relevance")

    assert result.dtype == np.float64
    assert result.tolist() == [1.0, -2.0]


BIG = 2**53


@pytest.mark.parametrize(
    "given",
    [
        np.array([BIG + 1, BIG, 7]),
        np.array([BIG + 1, BIG, 0], dtype=np.uint64) + np.uint64(2**63),
        pd.array([BIG + 1, BIG, -7], dtype="Int64"),
        pd.Series([2**70 + 1, 2**70, -(2**70)], dtype=object),
        pd.Series([-BIG, -BIG - 1, -(2.0**60)], dtype=object),
        pd.Series([np.int64(BIG + 1), float(BIG), "1"], dtype=object),
        np.array([np.iinfo(np.int64).min + 2, np.iinfo(np.int64).min + 1, np.iinfo(np.int64).min]),
    ],
    ids=["int64", "uint64", "Int64", "long", "negative", "mixed", "lowest"],
)
def test_scores_that_are_different_integers_differ(given):
    result = Columns(pd.DataFrame({"query_id": "q", "score": given}), (), "run").scores()

    assert result[0] > result[1] > result[2]


@pytest.mark.parametrize("given", [[3, 1, 2], [0.5, 1e300, -1.0], [True, False, True], ["2", 1, 0.5]])
def test_other_scores_are_what_they_are(given):
    run = Columns(pd.DataFrame({"query_id": "q", "score": given}), (), "run")

    assert run.scores().tolist() == run.numbers("score").tolist()


@pytest.mark.parametrize(
    "values",
    [[1j, 2], pd.to_datetime(["2020-01-01", None]), pd.to_timedelta([1, None]), pd.Series([10**400, 1], dtype=object)],
)
def test_values_that_only_numpy_reads_as_numbers_are_refused(values):
    with pytest.raises(ValueError, match="the column score must contain numbers"):
        Columns(pd.DataFrame({"query_id": "q", "score": values}), (), "run").numbers("score")


def test_rows_may_be_dicts():
    frame = frame_of([{"qid": "q", "docno": "a", "label": 1}], QRELS_COLUMNS, "qrels")

    assert frame.to_dict("records") == [{"qid": "q", "docno": "a", "label": 1}]


def test_a_row_of_a_run_may_list_documents_best_first():
    frame = frame_of([{"qid": "q", "docno": ["b", "a"]}, {"qid": "r", "docno": "c", "score": -3}], RUN_COLUMNS, "run")

    assert frame[["qid", "docno", "score"]].to_numpy().tolist() == [
        ["q", "b", -1],
        ["q", "a", -2],
        ["r", "c", -3],
    ]


def test_a_row_of_a_run_may_list_documents_with_scores():
    frame = frame_of([{"qid": "q", "docno": ["b", "a"], "score": [0.5, 2.0]}], RUN_COLUMNS, "run")

    assert frame["score"].tolist() == [0.5, 2.0]


def test_documents_that_are_listed_without_a_score_for_each_are_refused():
    with pytest.raises(ValueError, match=r"run: a row lists 2 documents and 1 scores\."):
        frame_of([{"qid": "q", "docno": ["b", "a"], "score": [0.5]}], RUN_COLUMNS, "run")


BOTH = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"label": [np.nan] * 4}, "{label} must be a finite number"),
        ({"label": ["high"] * 4}, "the column {label} must contain numbers"),
        ({"docno": [b"d"] * 4}, "{docno} must contain strings or integers"),
        ({"qid": [None] * 4}, "row 0 has no {qid}"),
    ],
)
def test_errors_name_columns_as_the_user_does(cells, said):
    theirs = qrels_frame().assign(**cells)

    for renames, names in [
        ({}, {old: old for old in BOTH}),
        (BOTH, {old: rf"{new} \({old} in PyTerrier\)" for old, new in BOTH.items()}),
        ({"qid": "query_id"}, {"qid": "query_id", "docno": "docno", "label": "label"}),
    ]:
        with pytest.raises((ValueError, TypeError), match=f"^qrels: {said.format(**names)}"):
            DiversityEvaluator([P_IA @ 1], theirs.rename(columns=renames))


def test_a_missing_column_has_the_name_that_goes_with_the_others():
    for names, said in [(BOTH, r"relevance \(label in PyTerrier\)"), ({}, "label"), ({"qid": "query_id"}, "label")]:
        frame = qrels_frame().rename(columns=names).drop(columns=names.get("label", "label"))
        with pytest.raises(ValueError, match=f"^qrels: missing column {said}; found: "):
            DiversityEvaluator([P_IA @ 1], frame)


def test_names_of_columns_leave_no_trace_in_frames_of_the_user():
    qrels = qrels_frame()
    qrels.attrs["mine"] = 1

    DiversityEvaluator([P_IA @ 1], qrels).values(run_frame())

    assert qrels.attrs == {"mine": 1}
    assert add_rarity(qrels, [run_frame()]).attrs == {"mine": 1}


@pytest.mark.parametrize("names", [{}, BOTH], ids=["PyTerrier", "ir_measures"])
def test_attributes_of_frames_may_be_anything(names, tmp_path):
    def odd(frame: pd.DataFrame, names: Mapping[str, str] = names) -> pd.DataFrame:
        frame = frame.rename(columns=names)
        frame.attrs["mine"] = np.zeros(2)
        return frame

    qrels, runs = odd(qrels_frame()), {"a": odd(run_frame()), "b": odd(run_frame().tail(2))}
    rare = odd(add_rarity(qrels_frame(), [run_frame()]))
    subtopics = odd(pd.DataFrame({"qid": ["q"], "iteration": ["a"], "query": ["x"]}), {})
    explain, topics = Explain(qrels, P_IA @ 2), odd(pd.DataFrame({"qid": ["q"]}), {})

    assert len(pool_depth(qrels, runs, [P_IA @ 2], depths=[1])) == 1
    assert len(insert_synthetic_system(rare, runs, [P_Rareness @ 2], [1])) == 1
    assert len(explain_difference(*(explain(odd(run_frame(), {})) for _ in range(2)))) == 3
    assert len(OnSubtopics(pt.Transformer.from_df(run_frame().assign(qid="q.a")), subtopics)(topics)) == 3
    write_qrels(qrels, tmp_path / "qrels.parquet")
    assert values(read_qrels(tmp_path / "qrels.parquet"), run_frame()) == EXPECTED


ONCE = {
    "generator": lambda rows: (row for row in rows),
    "list": iter,
    "tuple": lambda rows: iter(tuple(rows)),
    "map": lambda rows: map(ScoredDoc._make, rows),
    "filter": lambda rows: filter(None, iter(rows)),
    "of a frame": lambda rows: pd.DataFrame(rows, columns=["qid", "docno", "score"]).itertuples(index=False),
    "of a generator": lambda rows: map(ScoredDoc._make, (row for row in rows)),
}


@pytest.mark.parametrize("form", ONCE)
def test_an_iterator_is_refused_the_second_time(form):
    rows = ONCE[form]([ScoredDoc(*row) for row in RUN])

    assert values(qrels_frame(), rows) == pytest.approx(EXPECTED, abs=1e-12)
    with pytest.raises(ValueError, match=r"^run: the (generator|iterator) was already read and is now empty\."):
        values(qrels_frame(), rows)


@pytest.mark.parametrize("form", ONCE)
def test_an_empty_iterator_is_an_empty_run_with_the_usual_warning(form):
    with pytest.warns(UserWarning, match=r"^Run mine: The run is empty"):
        table = evaluate_runs(qrels_frame(), {"mine": ONCE[form]([])}, MEASURES)

    assert table[["P_IA@2", "AP_IA"]].to_numpy().tolist() == [[0, 0]]
