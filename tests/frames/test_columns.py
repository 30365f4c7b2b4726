"""Columns of qrels and runs: their names, ids and numbers."""

from collections.abc import Mapping
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from by_hand import qrels, value
from pyterrier_diversity import AP_IA, P_IA, P_Rareness, add_rarity
from pyterrier_diversity.evaluate import DiversityEvaluator
from pyterrier_diversity.frames import Columns
from pyterrier_diversity.io import read_qrels, write_qrels
from pyterrier_diversity.meta import insert_synthetic_system, pool_depth
from pyterrier_diversity.transformers import Explain, OnSubtopics, explain_difference

# d2 is relevant to a and b, d1 to a; the run is d3 d2 d1: P-IA@2 = (1 + 1)/(2 * 2), AP-IA = ((1/2 + 2/3)/2 + 1/2)/2.
QRELS = qrels("q a d1 1", "q a d2 1", "q b d2 1", "q a d3 0").astype({"label": int})
RUN = pd.DataFrame([("q", "d3", 3.0), ("q", "d2", 2.0), ("q", "d1", 1.0)], columns=["qid", "docno", "score"])
MEASURES = [P_IA @ 2, AP_IA]
EXPECTED = [0.5, 13 / 24]
BOTH = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


def values(judged: object, retrieved: object) -> list[float]:
    aggregates = ir_measures.calc_aggregate(MEASURES, judged, retrieved)
    return [aggregates[measure] for measure in MEASURES]


def column(cells: object, name: str = "id") -> Columns:
    return Columns(pd.DataFrame({name: cells}), (), "qrels")


@pytest.mark.parametrize("dtype", ["object", "str", "string", "category"])
def test_ids_may_have_any_string_dtype(dtype):
    judged = QRELS.astype({"qid": dtype, "docno": dtype, "iteration": dtype})

    assert values(judged, RUN.astype({"qid": dtype, "docno": dtype})) == pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.parametrize("dtype", ["int8", "float32", "Int64", "Float64", "object", "category"])
def test_labels_and_scores_may_have_any_numeric_dtype(dtype):
    result = values(QRELS.astype({"label": dtype}), RUN.astype({"score": dtype}))

    assert result == pytest.approx(EXPECTED, abs=1e-12)


def test_rows_may_have_any_index_and_further_columns():
    judged = QRELS.set_index(pd.Index([7, 7, 0, -1])).assign(note="x")
    retrieved = RUN.set_index(pd.Index(["z", "z", "a"])).assign(rank=0, query="jaguar")

    assert values(judged, retrieved) == pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        ([("q", "d1", 1.0)], "rows of tuple"),
        ({"q": ["d3", "d2"]}, "dict"),
        ({"q": {"d1", "d2"}}, "dict"),
        ({"qid": "q"}, "dict"),
        ("a.run", "(str|rows of str)"),  # ir_measures iterates over the qrels
        (Path("a.run"), "PosixPath"),
        (7, "int"),
        (None, "NoneType"),
    ],
)
def test_forms_that_only_io_reads_are_refused(run, kind):
    message = (
        rf"must be a frame, a dict \{{query: \{{document: value\}}\}}, or rows \(dicts or named tuples\) here, not "
        rf"{kind}: read it with pyterrier_diversity\.io\.read_"
    )

    with pytest.raises(TypeError, match=f"^run {message}run"):
        values(QRELS, run)
    with pytest.raises(TypeError, match=f"^qrels {message}qrels"):
        values(run, RUN)


def test_a_list_of_documents_in_a_row_is_not_an_id():
    with pytest.raises(TypeError, match=r"docno must contain .* of type list: read them with .*io\.read_run"):
        values(QRELS, [{"qid": "q", "docno": ["d1", "d2"], "score": 1.0}])


def test_documents_without_a_score_are_ranked_by_their_rank():
    by_rank = RUN.drop(columns="score").assign(rank=[0, 1, 2]).sample(frac=1, random_state=1)

    assert values(QRELS, by_rank) == pytest.approx(EXPECTED, abs=1e-12)
    assert values(QRELS, list(by_rank.itertuples(index=False))) == pytest.approx(EXPECTED, abs=1e-12)
    assert values(QRELS, by_rank.assign(rank=-by_rank["rank"])) != pytest.approx(EXPECTED, abs=1e-12)


# Names of columns


def twice(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    return pd.concat([frame, frame[[name]]], axis=1)


UNSCORED = RUN.drop(columns="score")


@pytest.mark.parametrize(
    ("judged", "retrieved", "message"),
    [
        *((QRELS.drop(columns=name), RUN, f"qrels: missing column {name}; found: .*iteration") for name in BOTH),
        *(
            (QRELS, RUN.assign(place=1).drop(columns=name), f"run: missing column {name}; found: .*place")
            for name in RUN
        ),
        (QRELS, RUN[["qid"]], r"run: missing column docno, score; found: qid\."),
        (twice(QRELS, "docno"), RUN, r"qrels: the column docno appears twice\.$"),
        (
            twice(QRELS, "label"),
            RUN,
            r"qrels: the column label appears twice\. PyTerrier's get_qrels\(variant\) repeats it; use get_qrels\(\)\.",
        ),
        (QRELS, twice(RUN, "score"), "run: the column score appears twice"),
        *((QRELS, UNSCORED.assign(rank=[1, bad, 3]), "run: rank must be a finite number") for bad in (np.nan, np.inf)),
        (QRELS, UNSCORED.assign(rank=[1, "first", 3]), "run: rank must be a finite number, but query 'q' has 'first'"),
    ],
)
def test_columns_that_are_missing_or_repeated_are_refused(judged, retrieved, message):
    with pytest.raises(ValueError, match=message):
        values(judged, retrieved)


@pytest.mark.parametrize(
    ("old", "new", "other"), [("qid", "query_id", "p"), ("docno", "doc_id", "d9"), ("label", "relevance", 3)]
)
def test_two_names_of_one_column_must_agree(old, new, other):
    both = QRELS.assign(**{new: QRELS[old]})

    assert values(both, RUN) == pytest.approx(EXPECTED, abs=1e-12)
    both.loc[2, new] = other
    with pytest.raises(ValueError, match=f"qrels: {old} and {new} are names of one column, but differ in row 2: .*"):
        values(both, RUN)


def test_two_names_of_a_column_of_a_run_must_agree():
    assert values(QRELS, RUN.assign(doc_id=RUN["docno"])) == pytest.approx(EXPECTED, abs=1e-12)
    with pytest.raises(ValueError, match=r"run: docno and doc_id .* differ in row 0: 'd3' and 'd1'"):
        values(QRELS, RUN.assign(doc_id=["d1", "d2", "d3"]))


def test_an_integer_and_its_digits_agree():
    judged = pd.DataFrame({"qid": [1], "query_id": ["1"], "docno": ["d"], "doc_id": ["d"], "label": [1.0]})

    assert values(judged.assign(relevance=1), {"1": {"d": 1.0}})[1] == 1


def test_missing_values_of_two_names_agree_and_are_refused_as_missing():
    judged = QRELS.assign(doc_id=["d1", "d2", "d2", None], docno=["d1", "d2", "d2", np.nan])

    with pytest.raises(ValueError, match="qrels: row 3 has no doc_id"):
        values(judged, RUN)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"label": [np.nan] * 4}, "{label} must be a finite number"),
        ({"label": ["high"] * 4}, "{label} must be a finite number, but query 'q' has 'high'"),
        ({"docno": [b"d"] * 4}, "{docno} must contain strings or integers"),
        ({"qid": [None] * 4}, "row 0 has no {qid}"),
        ({"label": None}, "missing column {label}; found: "),
    ],
)
def test_errors_name_columns_as_the_user_does(cells, said):
    theirs = QRELS.assign(**cells).dropna(axis="columns") if cells == {"label": None} else QRELS.assign(**cells)

    for renames, names in [
        ({}, {old: old for old in BOTH}),
        (BOTH, {old: rf"{new} \({old} in PyTerrier\)" for old, new in BOTH.items()}),
        ({"qid": "query_id"}, {"qid": "query_id", "docno": "docno", "label": "label"}),
    ]:
        with pytest.raises((ValueError, TypeError), match=f"^qrels: {said.format(**names)}"):
            DiversityEvaluator([P_IA @ 1], theirs.rename(columns=renames))


# Ids


@pytest.mark.parametrize(
    ("judged", "retrieved", "expected"),
    [
        ({"qid": [1, 1], "docno": [20, 3], "iteration": [1, 2]}, {"qid": ["1", "1"], "docno": ["20", "7"]}, 1 / 2),
        ({"qid": [1], "docno": [9]}, {"qid": [1, 1], "docno": [10, 9], "score": 1.0}, 1),  # a tie of strings
        ({"qid": [1, "1"], "docno": ["a", "b"]}, {"qid": ["1", 1], "docno": ["a", "b"]}, 1),
    ],
)
def test_integer_ids_are_read_as_strings(judged, retrieved, expected):
    ranked = pd.DataFrame({"score": [2.0, 1.0], **retrieved})

    assert value(AP_IA, pd.DataFrame(judged).assign(label=1), ranked) == expected


def test_qrels_with_a_missing_id_are_refused_after_equal_qrels_without():
    complete = QRELS.astype({"docno": "string"})
    incomplete = complete.copy()
    incomplete.loc[3, "docno"] = pd.NA

    values(complete, RUN)

    with pytest.raises(ValueError, match="qrels: row 3 has no docno"):
        values(incomplete, RUN)


@pytest.mark.parametrize(
    ("dtype", "missing"), [("object", None), ("object", np.nan), ("object", pd.NA), ("str", None), ("string", pd.NA)]
)
@pytest.mark.parametrize("name", ["qid", "docno", "iteration"])
def test_a_missing_id_is_refused(name, dtype, missing):
    judged = QRELS.astype({name: dtype})
    judged.loc[1, name] = missing

    with pytest.raises(ValueError, match=f"qrels: row 1 has no {name}"):
        values(judged, RUN)


NO_IDS = [1.0, np.float64(1.5), True, np.bool_(False), b"d1", ("d1",), ["d1"], pd.Timestamp("2020-01-01"), 1j]


@pytest.mark.parametrize("bad", NO_IDS, ids=repr)
@pytest.mark.parametrize("read", [Columns.ids, Columns.strings])
def test_only_strings_and_integers_are_ids(read, bad):
    cells = pd.Series(["d1", 1, None, "d1"], dtype=object)
    cells[2] = bad

    with pytest.raises(TypeError, match=r"qrels: id must contain strings or integers, but row 2 has .*: .*\.$"):
        read(column(cells), "id")


@pytest.mark.parametrize(
    ("dtype", "fix"),
    [
        ("float64", r"type float: read the column as strings, as with pandas.read_csv\(..., dtype=str\)"),
        ("bool", r"type bool: convert them to strings, as with frame\[column\].map\(str\)"),
        ("S1", r"type bytes: decode them, as with frame\[column\].str.decode\('utf-8'\)"),
    ],
)
@pytest.mark.parametrize("name", ["qid", "docno"])
def test_ids_of_another_type_are_refused_with_the_way_to_repair_them(name, dtype, fix):
    odd = pd.Series(np.array([1, 0, 1, 1]).astype(dtype).tolist())

    with pytest.raises(TypeError, match=f"qrels: {name} must .* but row 0 has .* of {fix}"):
        values(QRELS.assign(**{name: odd}), RUN)
    with pytest.raises(TypeError, match=f"run: {name} must .* but row 0 has .* of {fix}"):
        values(QRELS, RUN.assign(**{name: odd}))


@pytest.mark.parametrize("name", ["iteration", "subtopic_id", "nugget"])
def test_names_in_qrels_are_ids_too(name):
    given = QRELS.assign(passage="1", nugget="1", subtopic_id=QRELS["iteration"])

    with pytest.raises(TypeError, match=f"qrels: {name} must contain strings or integers"):
        values(given.assign(**{name: 1.5}), RUN)


def test_a_missing_id_is_reported_before_a_wrong_type():
    with pytest.raises(ValueError, match="qrels: row 1 has no id"):
        column([1.5, np.nan]).strings("id")


@pytest.mark.parametrize("n_names", [2**15 - 1, 2**15, 2**15 + 1])
def test_there_may_be_more_ids_than_small_numbers(n_names):
    cells = np.repeat([str(i) for i in range(n_names)], 3).astype(object)

    codes, names = column(cells).ids("id")

    assert (codes >= 0).all()
    assert (names[codes] == cells).all()


# A sample of all characters: it takes a second to make a table of them.
TEXT = st.text("".join(map(chr, [*range(0x250), 0x2028, 0x3042, 0xFEFF, 0xFFFF, 0x1F600, 0x10FFFF])), max_size=3)


@settings(max_examples=12, deadline=None)
@given(cells=st.lists(st.integers(0, 12) | st.text("01ab", max_size=2) | TEXT, max_size=12))
def test_ids_stand_for_the_string_of_each_row(cells):
    columns = column(pd.Series(cells, dtype=object))

    codes, names = columns.ids("id")

    assert names[codes].tolist() == columns.strings("id").tolist() == [str(cell) for cell in cells]
    assert len(set(names.tolist())) == len(names)


@settings(max_examples=30, deadline=None)
@given(cells=st.lists(st.integers() | TEXT | st.floats(allow_nan=False), max_size=8))
def test_texts_are_those_of_any_values(cells):
    result = column(pd.Series(cells, dtype=object)).strings("id", are_ids=False)

    assert result.tolist() == [str(cell) for cell in cells]


# Numbers


@pytest.mark.parametrize(
    ("bad", "dtype", "shown"),
    [(np.nan, float, "nan"), (np.inf, float, "inf"), (-np.inf, float, "-inf"), (pd.NA, "Int64", "<NA>")],
)
def test_a_label_or_score_that_is_not_a_finite_number_is_refused(bad, dtype, shown):
    judged, retrieved = QRELS.astype({"label": dtype}), RUN.astype({"score": dtype})
    judged.loc[1, "label"] = retrieved.loc[[0, 2], "score"] = bad

    with pytest.raises(ValueError, match=f"qrels: label must be a finite number, but query 'q' has .*{shown}"):
        values(judged, RUN)
    with pytest.raises(ValueError, match=rf"run: score must be .* 'q' has .*{shown} \(such rows: 2\)\.$"):
        values(QRELS, retrieved)
    with pytest.raises(ValueError, match="score must be a finite number, but query 'other' has"):
        values(QRELS, pd.concat([RUN, retrieved.assign(qid="other")]))


def test_numbers_are_floats():
    result = column([1, -2], "label").numbers("relevance")

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
    result = column(given, "score").scores()

    assert result[0] > result[1] > result[2]


@pytest.mark.parametrize("given", [[3, 1, 2], [0.5, 1e300, -1.0], [True, False, True], ["2", 1, 0.5]])
def test_other_scores_are_what_they_are(given):
    assert column(given, "score").scores().tolist() == column(given, "score").numbers("score").tolist()


@pytest.mark.parametrize(
    "given",
    [[1j, 2], pd.to_datetime(["2020-01-01", None]), pd.to_timedelta([1, None]), pd.Series([10**400, 1], dtype=object)],
)
def test_values_that_only_numpy_reads_as_numbers_are_refused(given):
    with pytest.raises(ValueError, match="the column score must contain numbers"):
        column(given, "score").numbers("score")


# Frames of the user


def test_names_of_columns_leave_no_trace_in_frames_of_the_user():
    judged, retrieved = QRELS.sample(frac=1, random_state=1), RUN.sample(frac=1, random_state=3)
    judged.attrs["mine"] = 1
    before, run_before = judged.copy(deep=True), retrieved.copy(deep=True)

    DiversityEvaluator([*MEASURES, P_IA(judged_only=True, rel=1) @ 1], judged).values(retrieved)

    pd.testing.assert_frame_equal(judged, before)
    pd.testing.assert_frame_equal(retrieved, run_before)
    assert judged.attrs == {"mine": 1}
    assert add_rarity(judged, [retrieved]).attrs == {"mine": 1}


@pytest.mark.parametrize("names", [{}, BOTH], ids=["PyTerrier", "ir_measures"])
def test_attributes_of_frames_may_be_anything(names, tmp_path):
    def odd(frame: pd.DataFrame, names: Mapping[str, str] = names) -> pd.DataFrame:
        frame = frame.rename(columns=names)
        frame.attrs["mine"] = np.zeros(2)
        return frame

    judged, runs = odd(QRELS), {"a": odd(RUN), "b": odd(RUN.tail(2))}
    rare = odd(add_rarity(QRELS, [RUN]))
    subtopics = odd(pd.DataFrame({"qid": ["q"], "iteration": ["a"], "query": ["x"]}), {})
    explain, topics = Explain(judged, P_IA @ 2), odd(pd.DataFrame({"qid": ["q"]}), {})

    assert len(pool_depth(judged, runs, [P_IA @ 2], depths=[1])) == 1
    assert len(insert_synthetic_system(rare, runs, [P_Rareness @ 2], [1])) == 1
    assert len(explain_difference(*(explain(odd(RUN, {})) for _ in range(2)))) == 3
    assert len(OnSubtopics(pt.Transformer.from_df(RUN.assign(qid="q.a")), subtopics)(topics)) == 3
    write_qrels(judged, tmp_path / "qrels.parquet")
    assert values(read_qrels(tmp_path / "qrels.parquet"), RUN) == EXPECTED
