"""Qrels that were written are read as they were, and runs of JSON as those of TREC."""

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyterrier_diversity.io import read_qrels, read_run, write_qrels

QRELS = pd.DataFrame(
    {
        "qid": ["007", "007", "8"],
        "docno": ["d 1", "", "nan"],
        "label": [2, 0, -1],
        "iteration": ["a", "b,c", '"'],
        "weight": [0.1, 1e-300, 3.0],
        "importance": ["vital", "", "okay"],
        "nugget_text": ["It is free.", "über\n=SUM(1)", "\ttab"],
    }
)


@pytest.mark.parametrize("name", ["q.csv", "q.csv.gz", "q.tsv", "q.json", "q.jsonl", "q.jsonl.gz", "q.parquet"])
def test_qrels_are_read_as_they_were_written(name, tmp_path):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    write_qrels(QRELS, tmp_path / name)

    pd.testing.assert_frame_equal(read_qrels(tmp_path / name), QRELS, check_dtype=False, check_exact=True)


def test_names_of_ir_measures_and_numbers_of_ids_are_written_as_those_of_pyterrier(tmp_path):
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    write_qrels(QRELS.assign(qid=[7, 7, 8]).rename(columns=names), tmp_path / "q.csv")

    expected = QRELS.assign(qid=["7", "7", "8"])
    pd.testing.assert_frame_equal(read_qrels(tmp_path / "q.csv"), expected, check_dtype=False, check_exact=True)


# A sample of all characters: it takes a second to make a table of them.
TEXT = st.text("".join(map(chr, [*range(1, 0x250), 0x2028, 0x3042, 0xFEFF, 0xFFFF, 0x1F600, 0x10FFFF])))


@settings(max_examples=25, deadline=None)
@given(ids=st.lists(TEXT.filter(bool), min_size=3, max_size=3), text=TEXT, label=st.floats(-1e300, 1e300))
def test_any_text_and_number_is_read_as_it_was_written(ids, text, label, tmp_path_factory):
    qrels = pd.DataFrame([[*ids, label, text]], columns=["qid", "docno", "iteration", "label", "nugget_text"])

    for name in ("q.csv", "q.jsonl"):
        path = tmp_path_factory.mktemp("qrels") / name
        write_qrels(qrels, path)

        assert read_qrels(path).to_numpy().tolist() == qrels.to_numpy().tolist()


@pytest.mark.parametrize(("label", "kind"), [(2**62, "i"), (-(2**62), "i"), (2**63, "f"), (-(2**64), "f"), (0.5, "f")])
def test_whole_labels_are_integers_as_far_as_these_reach(label, kind, tmp_path):
    (tmp_path / "q.csv").write_text(f"qid,docno,label\n1,a,{label}\n1,b,1\n")

    read = read_qrels(tmp_path / "q.csv")["label"]

    assert read.dtype.kind == kind
    assert read.tolist() == [label, 1]


PLAIN = QRELS.iloc[[0, 2]][["qid", "docno", "label", "iteration", "weight"]].assign(docno=["d1", "d2"])


@pytest.mark.parametrize("name", ["q.txt", "q.qrels.gz"])
def test_a_file_of_trec_keeps_intents_labels_and_weights(name, tmp_path):
    write_qrels(PLAIN, tmp_path / name)

    pd.testing.assert_frame_equal(read_qrels(tmp_path / name), PLAIN.reset_index(drop=True), check_dtype=False)


def test_a_file_of_trec_loses_nothing(tmp_path):
    path = tmp_path / "q.txt"
    lost = "the column importance, the column nugget_text, intents without judgements"

    with pytest.raises(ValueError, match=f"^write_qrels: TREC's format cannot store {lost}. Drop this first, or end"):
        write_qrels(QRELS.assign(docno=["d1", "", "d2"]), path)
    assert not path.exists()


@pytest.mark.parametrize("bad", ["d 1", " d", "d\n", "\u2003"])
def test_a_file_of_trec_cannot_hold_white_space_in_ids(bad, tmp_path):
    with pytest.raises(ValueError, match="write_qrels: TREC's format cannot store the id"):
        write_qrels(PLAIN.assign(docno=bad), tmp_path / "q.txt")


def test_qrels_without_an_iteration_are_written_as_one_intent(tmp_path):
    write_qrels(PLAIN[["qid", "docno", "label"]], tmp_path / "q.txt")

    assert (tmp_path / "q.txt").read_text() == "007 0 d1 2\n8 0 d2 -1\n"


@pytest.mark.parametrize("name", ["q.csv", "q.txt"])
def test_what_no_file_can_hold_is_refused(name, tmp_path):
    half = pd.Series("\ud800", PLAIN.index, dtype=object)

    with pytest.raises(ValueError, match=r"^qrels: docno must not contain .* half of a character, but row 0 has"):
        write_qrels(PLAIN.assign(docno=half), tmp_path / name)
    with pytest.raises(ValueError, match="surrogates not allowed"):
        write_qrels(PLAIN.assign(intent_type=half), tmp_path / name.replace("txt", "jsonl"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("qid,docno,label\n1,d,x\n", "line 2: label must be a finite number, not 'x'."),
        ("qid,docno\n1,d\n", r"missing column label; found: qid, docno\. If .* rename it, as in io\.read_qrels"),
        ("qid,docno,label,iteration\n1,d,1,\n", "line 2: iteration is missing."),
        ("qid,docno,label,weight\n1,d,1,-\n", "line 2: weight must be a finite number, not '-'."),
        ("qid,docno,label\n", "contains no judgement"),
    ],
)
def test_a_table_that_is_no_qrels_is_refused(content, message, tmp_path):
    (tmp_path / "q.csv").write_text(content)

    with pytest.raises(ValueError, match=f"q.csv(, |: | ){message}"):
        read_qrels(tmp_path / "q.csv")


# Runs


def json_lines(tmp_path, rows, name="run.jsonl"):
    path = tmp_path / name
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_lists_may_have_scores(tmp_path):
    path = json_lines(tmp_path, [{"qid": "1", "docno": ["b", "a"], "score": [1, 2]}])

    with pytest.warns(UserWarning, match="Scores and ranks contradict each other in 1 of 1 queries"):
        assert read_run(path)["docno"].tolist() == ["a", "b"]
    assert read_run(path, order="rank")["docno"].tolist() == ["b", "a"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"qid": "1", "docno": "a"}, "line 2: score is missing"),
        ({"qid": "1", "score": 1}, "line 2: docno is missing"),
        ({"qid": "1", "docno": "a", "score": "high"}, "line 2: score must be a finite number, not 'high'"),
        ({"qid": "1", "docno": ["a"], "score": [1, 2]}, "line 2: a row lists 1 documents and 2 scores"),
        ({"qid": "1", "docno": [1.5]}, "line 2: docno must be a non-empty string or an integer, not 1.5"),
    ],
)
def test_a_line_that_is_no_row_of_a_run_is_refused(row, message, tmp_path):
    with pytest.raises(ValueError, match=rf"run\.jsonl, {message}"):
        read_run(json_lines(tmp_path, [{"qid": "1", "docno": "b", "score": 1}, row]))


@pytest.mark.parametrize("name", ["qrels.csv", "qrels.txt", "qrels.txt.gz"])
def test_qrels_that_cannot_be_written_leave_the_old_file(name, tmp_path, monkeypatch):
    (tmp_path / name).write_text("old")
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [1], "iteration": ["a"]})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match=f"No space left on device: '.*{name}'"):
        write_qrels(qrels, tmp_path / name)

    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize("labels", [[True, False], ["L1", "L0"], ["true", "0"]])
def test_labels_are_written_as_numbers(labels, tmp_path):
    qrels = PLAIN[["qid", "docno", "label"]].assign(label=labels)

    write_qrels(qrels, tmp_path / "q.txt")
    write_qrels(qrels, tmp_path / "q.csv")

    assert (tmp_path / "q.txt").read_text() == "007 0 d1 1\n8 0 d2 0\n"
    assert (tmp_path / "q.csv").read_text().splitlines()[1:] == ['"007","d1",1', '"8","d2",0']
