"""Each shape of data is taken by its own row of the table; data of a wrong shape gets a sentence that leads on."""

import functools
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import forms
import shell
from pyterrier_diversity import RBU, Coverage, alpha_nDCG, evaluate_runs
from pyterrier_diversity.io import read_qrels, read_run, read_runs
from pyterrier_diversity.io.look import look_at
from pyterrier_diversity.io.shapes import NUMBERED, SHAPES, shape_of
from pyterrier_diversity.warnings import DataWarning, WordsWarning
from shape_examples import EXAMPLES
from write_reference import FOLDER
from write_shapes import page

BY_NUMBER = {"1": "qid", "2": "docno", "3": "score"}


def placed(example: Any, folder: Path) -> Any:
    """Return data, or a file or folder of it."""
    if not isinstance(example, str):
        return example
    (folder / "n.jsonl").write_text('{"qid": "1", "docid": "d1", "nuggets": []}')
    (folder / "file").write_text(example)
    return folder if example == "folder" else folder / "file"


@pytest.mark.parametrize(
    ("shape", "wanted", "example"),
    [(shape, *one) for shape, one in zip(SHAPES, EXAMPLES, strict=True)],
    ids=[shape.name for shape in SHAPES],
)
def test_each_example_is_taken_by_its_own_shape(shape, wanted, example, tmp_path):
    look = look_at(placed(example, tmp_path), wanted, BY_NUMBER if shape is NUMBERED else {})

    assert shape_of(look) is shape


def test_the_page_of_files_is_written_from_the_table():
    for name, text in page().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, "python tests/write_shapes.py writes it"


# Grades, weights, intents with odd names, ties, long ids, and ids with quotes.
QRELS = pd.DataFrame(
    [
        ("1", 'a"b', 2, "é", 0.75),
        ("1", "1290000000000000001", 1, "0-1", 0.25),
        ("1", "1290000000000000002", 3, "é", 0.75),
        ("7", "x", 0, "'", 1.0),
        ("7", "'y'", 1, "'", 1.0),
    ],
    columns=["qid", "docno", "label", "iteration", "weight"],
)
RUN = pd.DataFrame(
    [
        ("1", "1290000000000000001", 1.5),
        ("1", 'a"b', 0.5),
        ("1", "1290000000000000002", 0.25),
        ("7", "x", 0.1),
        ("7", "'y'", 0.1),
    ],
    columns=["qid", "docno", "score"],
)
MEASURES = [RBU @ 5, alpha_nDCG @ 5, Coverage @ 1]


def values(qrels: Any, run: Any) -> list[float]:
    return evaluate_runs(qrels, {"mine": run}, MEASURES, perquery=True)["value"].tolist()


@functools.cache
def values_of_frames() -> list[float]:
    return values(QRELS, RUN)


@pytest.mark.parametrize(
    ("of", "form"), [("run", form) for form in forms.RUNS] + [("qrels", form) for form in forms.QRELS]
)
@pytest.mark.filterwarnings("ignore:All documents", "ignore:Run mine")
def test_one_run_and_one_set_of_qrels_give_the_same_bits_in_every_shape(of, form, tmp_path):
    run = RUN if of == "qrels" else forms.RUNS[form](RUN, tmp_path)
    qrels = QRELS if of == "run" else forms.QRELS[form](QRELS, tmp_path)
    found = values(qrels, run)

    assert found == values_of_frames()
    if isinstance(run, Path) or isinstance(qrels, Path):
        QRELS.to_csv(tmp_path / "qrels.csv", index=False)
        RUN.to_csv(tmp_path / "run.csv", index=False)
        given = [
            str(qrels) if of == "qrels" else f"{tmp_path}/qrels.csv",
            str(run) if of == "run" else f"{tmp_path}/run.csv",
        ]
        lines = shell.run("evaluate", *given, *(f"-m{m}" for m in MEASURES), "-q", "--format", "csv").splitlines()
        by_query = [line.split(",")[2:] for line in lines[1:] if ",all," not in line]
        assert [float(value) for row in by_query for value in row] == found


TWO = [["1", "a", 2.0], ["1", "b", 1.0]]
BY_3 = {"columns": BY_NUMBER}
INDEXED = pd.DataFrame(TWO, columns=["qid", "docno", "score"]).set_index(["qid", "docno"])


class Model:
    """As pydantic's models."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self) -> dict[str, Any]:
        return self.fields


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("1 a 2\n1 b 1\n", BY_3),
        ("1,a,2\n1,b,1\n", BY_3),
        ("1, a, 2\n1, b, 1\n", BY_3),
        ("1 | a | 2\n1 | b | 1\n", BY_3),
        ("1 a 2\n1 b 1\n", {"columns": {1: "query_id", 2: "doc_id", 3: "score"}}),
        ("# made, by hand\n<SYSDESC>x, y</SYSDESC>1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n", {}),
        ('"1"\t"Q0"\t"a"\t"1"\t"2"\t"t"\n"1"\t"Q0"\t"b"\t"2"\t"1"\t"t"\n', {}),
        ('"1" "Q0" "a" 1 2 "t"\n"1" "Q0" "b" 2 1 "t"\n', {}),
        ("1\tQ0\ta\t1\t2\ta long tag\n1\tQ0\tb\t2\t1\ta long tag\n", {}),
        ("qid, docno, score\n1, a, 2\n1, b, 1\n", {}),
        ("SEP=|\nqid|docno|score\n1|a|2\n1|b|1\n", {}),
        ("1|Q0|a|1|2|t\n1|Q0|b|2|1|t\n", {}),
        ('1 Q0 a 1 2 "my ""own"""\n1 Q0 b 2 1 "my ""own"""\n', {}),
        ([{"query": {"topic_id": "1"}, "candidates": [{"docid": "a", "score": 2}, {"docid": "b", "score": 1}]}], {}),
        (
            '{"qid": "1", "hits": [{"m": {"id": "a"}, "score": 2}, {"m": {"id": "b"}, "score": 1}]}',
            {"columns": {"m.id": "docno"}},
        ),
        ("qid,docno,rank,score\n1,a,-2,\n1,b,-1,\n", {"order": "rank"}),
        ('{"qid": "1", "query": "x", "hits": [{"docid": "a", "score": 2}, {"docid": "b", "score": 1}]}', {}),
        ('{"1": [{"docno": "b", "rank": -1}, {"docno": "a", "rank": -2}]}', {}),
        ([{"qid": "1", "docno": "b", "score": "1"}, {"qid": "1", "docno": "a", "score": "2"}], {}),
        ({"1": pd.Series({"a": 2, "b": 1}), "name": {}, "qid": {}}, {}),
        ({"1": [Model(docid="a", score=2), Model(docid="b", score=1)]}, {}),
        (INDEXED, {}),
        (INDEXED["score"], {}),
        (INDEXED["score"].rename(None).rename_axis(["topic", None]), {"columns": {"topic": "qid", "level_1": "docno"}}),
        ({"1": INDEXED.reset_index()}, {}),
        ({"1": {"a": 2, "b": 1}, "2": []}, {}),
        ({"1": {"a": "2", "b": "1"}}, {}),
        ({1: INDEXED.loc["1"].reset_index()}, {}),
        ({"1": INDEXED.reset_index().to_dict("records")}, {}),
        ('{"1": [{"query_id": 1, "docid": "a", "score": 2}, {"query_id": "1", "docid": "b", "score": 1}]}', {}),
        (INDEXED.reset_index().to_dict("series"), {}),
        (pd.DataFrame(TWO), {"columns": {0: "qid", 1: "docno", 2: "score"}}),
    ],
)
def test_more_forms_of_a_run(source, options, tmp_path):
    run = read_run(placed(source, tmp_path), **options)

    assert run[["qid", "docno", "score"]].to_numpy().tolist() == TWO


@pytest.mark.parametrize("ids", [["a", "my own b"], ["my a", "b"]])
def test_ids_between_tabs_may_have_spaces(ids, tmp_path):
    by_number = read_run(placed("".join(f"1\t{one}\t{2 - i}\n" for i, one in enumerate(ids)), tmp_path), **BY_3)
    of_trec = read_run(placed("".join(f"1\tQ0\t{one}\t{i}\t{2 - i}\tt\n" for i, one in enumerate(ids)), tmp_path))

    assert by_number["docno"].tolist() == of_trec["docno"].tolist() == ids


def test_integers_beyond_floats_keep_their_order_in_lines_with_columns_by_number(tmp_path):
    run = read_run(placed("1 a 9007199254740992\n1 b 9007199254740993\n", tmp_path), **BY_3)

    assert run["docno"].tolist() == ["b", "a"]


@pytest.mark.parametrize(
    "source",
    [
        "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n",
        pd.DataFrame({"q_id": "1", "doc_id": ["a", "b"], "score": [2, 0]}),
        '{"1": {"a": "L2", "b": false}}',
        {"1": {"a": "L2", "b": "0"}},
        pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": ["L2", "false"]}),
        "1,0,a,2\n1,0,b,0\n",
        pd.Series([2, 0], pd.MultiIndex.from_tuples([("1", "a"), ("1", "b")], names=["qid", "docno"])),
        {"1": [{"qid": "1", "docno": "a", "label": 2}, {"qid": "1", "docno": "b", "label": 0}]},
        {"1": pd.DataFrame({"docno": ["a", "b"], "label": [2, 0]})},
        "qid,docno,iteration,label\n1,a,x,support\n1,b,x,not_support\n",
        "topic_id,corpus-id,nugget,assignment\n1,a,x,support\n1,b,x,not_support\n",
        '{"topic_id":"1","docid":"a","nugget":"x","label":2}\n{"topic_id":"1","docid":"b","nugget":"x","label":0}',
        pd.DataFrame({"qid": "1", "docno": ["b", "a"], "relevance": ["not_support", "support"], "iteration": "x"}),
        '{"qid":"1","docno":"a","nugget":"x","label":"support"}\n{"qid":"1","docno":"b","nugget":"x","label":"not_support"}',
    ],
)
def test_more_forms_of_qrels(source, tmp_path):
    qrels = read_qrels(placed(source, tmp_path))

    assert qrels[["qid", "docno", "label"]].to_numpy().tolist() == [["1", "a", 2], ["1", "b", 0]]


@pytest.mark.parametrize("words", [("L1", "L0"), ("True", "False")])
def test_words_for_labels_between_tabs_are_no_header(words, tmp_path):
    lines = "".join(f"q\ti\t{doc}\t{word}\n" for doc, word in zip("ab", words, strict=True))

    assert read_qrels(placed(lines, tmp_path))["label"].tolist() == [1, 0]


@pytest.mark.parametrize("form", ["csv", "json", "frame"])
def test_words_are_labels_even_if_the_first_one_is_unknown_or_missing(form, tmp_path):
    frame = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "iteration": "x", "label": ["odd", "support"]})
    forms = {
        "csv": lambda frame: frame.to_csv(index=False),
        "json": lambda frame: frame.to_json(orient="records", lines=True),
        "frame": lambda frame: frame,
    }

    with pytest.warns(WordsWarning, match=r"1 \('odd'\)"):
        assert read_qrels(placed(forms[form](frame), tmp_path))["label"].tolist() == [0, 2]
    with pytest.raises(ValueError, match=r"label \(or assignment, rating\) is missing"):
        read_qrels(placed(forms[form](frame.replace("odd", None)), tmp_path))


@pytest.mark.parametrize(
    "source",
    [
        "qid,docno,label,iteration\n1,a,1,x\n2,,,\n",
        '[{"qid": "1", "docno": "a", "label": 1}, {"qid": "2", "docno": null, "label": null}]',
        '{"1": {"a": 1}, "2": []}',
        [{"qid": "1", "docno": "a", "label": 1}, {"qid": "2"}],
        pd.DataFrame({"qid": ["1", "2"], "docno": ["a", ""], "label": [1, None]}),
        pd.DataFrame({"qid": ["1", "2"], "docno": ["a", None], "label": [1, None], "iteration": ["x", None]}),
    ],
)
def test_a_query_without_judgements_is_a_row_without_document(source, tmp_path):
    qrels = read_qrels(placed(source, tmp_path))

    assert qrels[["qid", "docno", "label"]].to_numpy().tolist() == [["1", "a", 1], ["2", "", 0]]


@pytest.mark.parametrize(
    ("wanted", "source", "options", "message"),
    [
        ("run", "{\"score\": {\"('1', 'a')\": 1}}", {}, "is a nested object, not a run"),
        ("run", {"1": {"a": {"score": 1}}}, {}, "is a nested object, not a run"),
        ("run", {"score": {("1", "a"): 1}}, {}, "is a nested object, not a run"),
        ("run", '[["1", "a", 2]]', {}, "object 0: the object must have names"),
        ("run", pd.DataFrame(index=range(4)), {}, "run: missing column qid, docno, score or rank; found: nothing"),
        ("run", "x;y\n", {}, "file: missing column qid, docno, score or rank; found: x, y"),
        ("run", '{"x": {"1": ["a"]}, "y": {}}', {}, "is runs of several systems"),
        ("run", "1,a,2\n", {}, "columns without names, not a run; the first line is 1,a,2. Name the columns by number"),
        (
            "run",
            "1 a 2\n",
            {"columns": {"4": "score", "1": "qid", "2": "docno"}},
            "'4', which is not a column; found: 1",
        ),
        ("run", "1 a 2\n", {"columns": {"1": "qid"}}, "so columns must name qid, docno, score or rank. Name"),
        ("run", "1 a 1 x\n1 b 1 y\n", {"columns": {**BY_NUMBER, "3": "rank", "4": "tag"}}, "several rankings"),
        ("run", pd.DataFrame({"qid": "1", "docno": ["a"], "score": ["1_0"]}), {}, "score must be a finite number"),
        ("run", pd.DataFrame({"qid": "1", "docno": ["a\0"], "score": 1}), {}, "docno must not .* row 0 has"),
        ("run", {"\ud800": {"a": 1.0}}, {}, "must not contain the character NUL or half of a character"),
        ("qrels", [{"qid": "1", "docno": "a", "label": 1, "iteration": "\0"}], {}, "iteration must not"),
        ("qrels", "1 0 a 1 0 1 1\n", {}, "judgements of several aspects"),
        ("run", [{"query": {"x": "1"}, "hits": ["a"]}, {"query": {"x": "2"}, "hits": ["a"]}], {}, "missing column qid"),
        ("qrels", [{"qid": "1", "query": "crane"}], {}, "qrels is topics, not qrels"),
        (
            "run",
            [{"qid": "1", "query": "crane", "pid": "d", "score": 1.0}],
            {},
            "run: missing column docno; found: qid",
        ),
        ("qrels", {"1": {"a": 1}, "2": None}, {}, "query '2' has None"),
        ("qrels", {"1": {"a": "yes"}}, {}, "must be a finite number, but query '1' has 'yes'"),
        ("qrels", {"1": "crane"}, {}, "is texts of queries, or paths without a file, not qrels.* Qrels come first"),
        ("qrels", [{"topic": "1", "doc": "a", "grade": "2"}], {}, "missing column qid, docno, label; found: topic, d"),
        ("qrels", "1 1 a 2 1 2\n1 2 b 1 1 2\n", {}, "judgements of several aspects.* it is 2=iteration"),
        (
            "qrels",
            {"qid": "1", "rubrics": [{"criterion": "x", "weight": -5}]},
            {},
            "is rubrics, not qrels.* Drop criteria of neg",
        ),
        ("run", {"x": [("1", "a", 2.0)]}, {}, "is runs of several systems"),
        (
            "run",
            [(1, "a", 2.0)],
            {},
            r"is rows without names, .*: pandas.DataFrame\(rows, columns=\['qid'",
        ),
        (
            "qrels",
            [(1, "a", 2)],
            {},
            "is rows without names, not qrels. Name the columns: pandas.DataFrame.* with 'label' for qrels",
        ),
        (
            "qrels",
            "<table>\n<thead><tr>",
            {},
            "is a table in HTML, Markdown or LaTeX, not qrels. Its numbers are",
        ),
        ("run", b"1\x00 \x00Q\x000\x00", {}, "line 1: this is not UTF-8. Save the file in UTF-8"),
    ],
)
def test_more_data_of_a_wrong_shape(wanted, source, options, message, tmp_path):
    if isinstance(source, bytes):
        (tmp_path / "file").write_bytes(source)
        source = tmp_path / "file"

    with pytest.raises((ValueError, TypeError), match=message):
        (read_run if wanted == "run" else read_qrels)(placed(source, tmp_path), **options)


@pytest.mark.parametrize("nothing", [{"1": []}, {"1": {}}, '{"1": [], "2": {}}'])
def test_queries_without_documents_are_an_empty_run(nothing, tmp_path):
    assert read_run(placed(nothing, tmp_path)).empty


def test_systems_in_one_file_need_no_ending(tmp_path):
    for text in ('{"x": {"1": ["a"]}, "y": {}}', '{"x": [{"qid": "1", "docno": "a", "rank": 1}], "y": []}'):
        assert [(name, run["docno"].tolist()) for name, run in read_runs(placed(text, tmp_path))] == [
            ("x", ["a"]),
            ("y", []),
        ]


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        (QRELS, RUN.assign(docno=["a", "b\0", "c", "d", "e"])),
        (QRELS.assign(qid=["1", "\0", "3", "4", "5"]), RUN),
        (QRELS.assign(iteration=pd.Series(["a", "\ud800", "c", "d", "e"], dtype=object)), RUN),
    ],
)
def test_ids_that_no_file_can_hold_are_refused_in_frames(qrels, run):
    with pytest.raises(ValueError, match="must not contain the character NUL or half of a character, but row 1 has"):
        evaluate_runs(qrels, {"mine": run}, MEASURES)


@pytest.mark.parametrize("kind", [object, "category", "Int64"])
def test_integers_in_any_column_have_lost_their_zeros(kind):
    run = pd.DataFrame({"qid": "1", "docno": pd.Series([77, 78]).astype(kind), "score": [2, 1]})

    for given in (run, run.to_dict("records"), {"1": {77: 2, 78: 1}}):
        with pytest.raises(ValueError, match="'0077' is 77 on the other side"):
            evaluate_runs(pd.DataFrame({"qid": "1", "docno": ["0077"], "label": 1}), {"mine": given}, MEASURES)


@pytest.mark.parametrize("least", ["3.2e-05", "0.5", ".5", "1.0", "1"])
def test_prels_have_any_probability(least, tmp_path):
    with pytest.warns(DataWarning, match="prels are read by their judgements"):
        qrels = read_qrels(placed(f"1 GX0-7 2 1 1\n1 GX0-8 1 0 {least}\n", tmp_path))

    assert qrels.to_numpy().tolist() == [["1", "GX0-7", 2], ["1", "GX0-8", 1]]


WEIGHTS = {"1": "qid", "2": "iteration", "3": "docno", "4": "label", "5": "weight"}
AS_PRELS = {"1": "qid", "2": "docno", "3": "label"}


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("1 a 0 2 1.0\n1 b 1 1 0.5\n", {}),
        ("1 i7 0 2 1.0\n1 i8 1 1 0.5\n", WEIGHTS),
        ("1 7 0 2 1.0\n1 7 1 2 1.0\n1 8 1 1 0.5\n", {}),
    ],
)
def test_qrels_with_weights_are_no_prels(text, columns, tmp_path):
    qrels = read_qrels(placed(text, tmp_path), columns=columns)

    assert qrels.drop_duplicates("iteration")[["docno", "label", "weight"]].to_numpy().tolist() == [
        ["0", 2, 1.0],
        ["1", 1, 0.5],
    ]


@pytest.mark.filterwarnings("ignore:.*prels are read by")
@pytest.mark.parametrize(
    ("docs", "columns"), [(("GX000-00-1", "GX000-00-2"), {}), (("20034", "20035"), AS_PRELS), (("d1", "d2"), AS_PRELS)]
)
def test_lines_that_may_be_prels_are_read_if_it_is_sure(docs, columns, tmp_path):
    text = f"101 {docs[0]} 2 1 0.5\n101 {docs[1]} 1 1 0.25\n102 {docs[0]} 0 0 1\n"

    if columns:
        with pytest.raises(ValueError, match=r"file is either prels or qrels with weights; .* Name the columns by num"):
            read_qrels(placed(text, tmp_path))
    qrels = read_qrels(placed(text, tmp_path), columns=columns)

    assert qrels[["docno", "label"]].to_numpy().tolist() == [[docs[0], 2], [docs[1], 1], [docs[0], 0]]


@pytest.mark.parametrize("nothing", [{}, []])
def test_queries_without_documents_are_no_frames(nothing):
    frame = pd.DataFrame({"docno": ["a", "b"], "score": [2.0, 1.0]})

    assert read_run({"1": nothing}).empty
    assert read_qrels({"1": nothing, "2": {}})["qid"].tolist() == ["1", "2"]
    assert read_run({"1": frame, "2": nothing})["docno"].tolist() == ["a", "b"]


@pytest.mark.parametrize("index", [["qid"], ["qid", "docno"], ["query_id", "docno"]])
def test_a_frame_with_queries_in_its_index_is_a_run(index):
    run = RUN.rename(columns={"qid": index[0]}).set_index(index)

    assert values(QRELS, run) == values_of_frames()


def test_a_missing_name_is_no_error():
    run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [2.0, 1.0], "name": ["x", None]})

    with pytest.warns(DataWarning, match="several words in the column name"):
        assert len(read_run(run)) == 2


def test_any_column_that_differs_where_documents_repeat_may_name_rankings():
    run = pd.DataFrame({"qid": "1", "docno": ["a", "b", "b", "a"], "score": [4.0, 3, 2, 1], "seed": [1, 1, 2, 2]})

    with pytest.warns(DataWarning, match="several words in the column seed: '1', '2'"):
        read_run(run)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_run(run.assign(seed=["of a", "of b", "of b", "of a"]))
        read_run(run.assign(seed=[1, 2, 3, 4]))
        read_run(run.assign(docno=list("abcd")))
