import json
from pathlib import Path

import pytest

from pyterrier_diversity.io import read_qrels, read_run

QRELS = "1 a d1 2\n1 b d1 0\n\n2 0 d2 -2\n"
RUN = "1 Q0 d1 9 1.5 tag\n2 Q0 d3 1 1 tag\n1 Q0 d2 1 2 tag\n1 Q0 d4 1 1.5 tag\n"


def write(folder: Path, text: str, name: str = "file") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (QRELS, [("1", "d1", 2, "a"), ("1", "d1", 0, "b"), ("2", "d2", -2, "0")]),
        ("1 a d1 2 0.75\n1 b d1 0.5 0.25\n", [("1", "d1", 2.0, "a", 0.75), ("1", "d1", 0.5, "b", 0.25)]),
    ],
)
def test_qrels_keep_intents_labels_and_weights(tmp_path, text, expected):
    qrels = read_qrels(write(tmp_path, text))

    assert repr(list(qrels.itertuples(index=False, name=None))) == repr(expected)
    assert qrels.columns.tolist() == ["qid", "docno", "label", "iteration", "weight"][: len(expected[0])]


def test_a_run_comes_in_the_order_of_its_evaluation(tmp_path):
    run = read_run(write(tmp_path, RUN))

    expected = [("1", "d2", 2.0, 0), ("1", "d4", 1.5, 1), ("1", "d1", 1.5, 2), ("2", "d3", 1.0, 0)]
    assert list(run.itertuples(index=False, name=None)) == expected


def test_a_run_may_be_ordered_by_its_ranks(tmp_path):
    lines = "1 Q0 d1 1 none tag\n1 Q0 d2 2 0.7 tag\n1 Q0 d3 3 0.7 tag\n2 Q0 d4 1 1 tag\n"
    run = read_run(write(tmp_path, lines), order="rank")

    expected = [("1", "d1", -1, 0), ("1", "d2", -2, 1), ("1", "d3", -3, 2), ("2", "d4", -1, 0)]
    assert list(run.itertuples(index=False, name=None)) == expected


def test_documents_of_one_rank_have_no_order_by_rank(tmp_path):
    with pytest.raises(ValueError, match=r"rank must differ within a query with order='rank', but query '1' has 1"):
        read_run(write(tmp_path, RUN), order="rank")


def test_anything_may_stand_in_the_place_of_a_rank_that_is_not_read(tmp_path):
    path = write(tmp_path, "1 Q0 d1 - 1 tag\n1 Q0 d2 nan 2 tag\n")

    assert read_run(path)["docno"].tolist() == ["d2", "d1"]
    with pytest.raises(ValueError, match="line 1: rank must be a finite number, not '-'"):
        read_run(path, order="rank")


@pytest.mark.parametrize("order", ["score", "rank"])
def test_the_ranks_of_a_session_are_those_of_its_lines(tmp_path, order):
    path = write(tmp_path, "1\t0\td2\t1\t0\tNULL\n1\t1\td1\t7\t0\tNULL\n")

    assert read_run(path, order=order)[["docno", "turn"]].to_numpy().tolist() == [["d2", 0], ["d1", 1]]


def test_an_empty_run_has_the_columns_of_a_run(tmp_path):
    run = read_run(write(tmp_path, "\n"))

    assert run.empty
    assert run.columns.tolist() == ["qid", "docno", "score", "rank"]


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_qrels, "1 d1\n", r"file, line 1: expected 4 columns \(qid iteration docno label\), found 2"),
        (read_qrels, "1 a d1 2\n1 b d1\n", r"file, line 2: expected 4 columns \(qid iteration docno label\), found 3"),
        (read_qrels, "1 a d1 2 1\n1 b d1 1\n", r"line 2: expected 5 columns \(qid .* weight\), found 4"),
        (read_qrels, "1 a d1 2 1 x 1\n", r"line 1: expected 5 columns .*, found 7"),
        (read_qrels, "1 a d1 2\n\n1 b d1 x\n", r"line 3: label must be a finite number, not 'x'"),
        (read_qrels, "1 a d1 nan\n", r"line 1: label must be a finite number, not 'nan'"),
        (read_qrels, "1 a d1 1 inf\n", r"line 1: weight must be a finite number, not 'inf'"),
        (read_qrels, "", r"file contains no judgement"),
        (read_run, "1 Q0 d1 1 2\n", r"line 1: expected 6 columns \(qid q0 docno rank score tag\), found 5"),
        (read_run, "1 Q0 d1 1 one tag\n", r"line 1: score must be a finite number, not 'one'"),
        (read_run, "no archive", r"file\.gz, line 1: expected 6 columns \(.*\), found 2"),
    ],
)
def test_a_bad_line_is_named(tmp_path, read, text, message):
    with pytest.raises(ValueError, match=message):
        read(write(tmp_path, text, "file.gz" if text == "no archive" else "file"))


def test_a_fifth_column_that_differs_within_an_intent_is_no_weight(tmp_path):
    path = write(tmp_path, "1 a d1 2 0.5\n2 a d1 2 1\n1 a d2 2 0.25\n")

    with pytest.raises(ValueError, match=r"is judgements in the fifth column, beside a stratum, not qrels.* Name "):
        read_qrels(path)


def test_judged_answers_are_the_run_of_their_system(tmp_path):
    lines = [json.dumps({"qid": qid, "run_id": "mine", "nuggets": []}) for qid in ("q1", "q2")]
    run = read_run(write(tmp_path, "\n".join(lines), "mine.jsonl"))

    assert run.to_numpy().tolist() == [["q1", "mine", 1, 0], ["q2", "mine", 1, 0]]
