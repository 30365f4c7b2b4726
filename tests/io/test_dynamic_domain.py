import functools
import gzip
import math
import re
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import P

from pyterrier_diversity import CT, alpha_nDCG, nSessionDCG
from pyterrier_diversity.io import add_lengths, read_dd_run, read_dd_truth, read_qrels, read_run
from pyterrier_diversity.io.dynamic_domain import LINE_OF_SESSION, read_truth
from pyterrier_diversity.io.files import Content, read_content

TRUTHS = ["dd16-mini-truth.xml", "dd16-odd-truth.xml.gz", "dd17-odd-truth.xml.gz"]
RUNS = [
    *(f"runs/dd16-mini-syn{i}.txt" for i in (1, 2, 3)),
    *(f"runs/dd17-odd-syn{i}.txt" for i in (1, 2, 3)),
    "runs/dd16-odd-jig-sample.txt",
    "dd15-sample-run.txt.gz",
]


def write(folder: Path, text: str, name: str = "file") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def passage(number: int, docno: str = "d1", rating: object = 1, kind: str = "MANUAL") -> str:
    fields = f"<docno>{docno}</docno><rating>{rating}</rating><text>t</text><type>{kind}</type>"
    return f'<passage id="{number}">{fields}</passage>\n'


def truth(*passages: str, topic: str = "DD1-1") -> str:
    start = f'<trec_dd>\n<domain>\n<topic name="n" id="{topic}">\n<subtopic id="1">\n'
    return start + "".join(passages) + "</subtopic></topic></domain></trec_dd>"


def rows(frame: pd.DataFrame) -> list[tuple[object, ...]]:
    return list(frame.astype(object).itertuples(index=False, name=None))


# For files that are not changed.
real_truth = functools.cache(read_dd_truth)


@pytest.mark.parametrize("name", TRUTHS)
def test_every_passage_of_a_real_truth_file_is_a_row_in_the_order_of_the_file(shared, name):
    path = shared / "trec-dd" / name
    passages = real_truth(path, "passages")

    root = ElementTree.fromstring(content(path))
    expected = [
        (topic.get("id"), p.findtext("docno"), max(int(p.findtext("rating")), 1), s.get("id"), p.get("id"))
        for topic in root.iter("topic")
        for s in topic.findall("subtopic")
        for p in s.findall("passage")
    ]
    assert passages.columns.tolist() == ["qid", "docno", "label", "iteration", "passage", "type", "nugget"]
    assert rows(passages.iloc[:, :5]) == expected
    assert passages["qid"].nunique() == len(root.findall("domain/topic"))
    assert len(passages[["qid", "iteration"]].drop_duplicates()) == len(root.findall("domain/topic/subtopic"))


@pytest.mark.parametrize("name", TRUTHS)
def test_label_and_gain_of_a_document_are_the_highest_rating_and_the_sum(shared, name):
    path = shared / "trec-dd" / name
    documents, columns = real_truth(path), ["qid", "docno", "label", "iteration", "gain"]

    labels = real_truth(path, "passages").groupby(["qid", "docno", "iteration"])["label"]
    expected = labels.agg(label="max", gain="sum").astype({"gain": float}).reset_index()[columns]
    assert documents.columns.tolist() == columns
    assert documents["label"].dtype == "int64"
    assert documents["gain"].dtype == "float64"
    assert rows(documents) == sorted(rows(expected), key=lambda row: (int(row[0].split("-")[1]), *row[1:4]))


def test_the_nugget_of_a_passage_is_the_last_manual_one_in_the_subtopic(shared):
    path = shared / "trec-dd" / "dd17-odd-truth.xml.gz"
    passages = real_truth(path, "passages")

    nuggets = []
    for s in ElementTree.fromstring(content(path)).iter("subtopic"):
        before = list(s.findall("passage"))
        for i in range(len(before)):
            nuggets.append([p.get("id") for p in before[: i + 1] if p.findtext("type") == "MANUAL"][-1])
    assert passages["nugget"].tolist() == nuggets
    assert passages["type"].value_counts().to_dict() == {"MANUAL": 2597, "MATCHED": 680}


def test_qrels_of_2016_are_the_passages_of_its_truth(shared):
    qrels = read_qrels(shared / "trec-dd" / "dd16-qrels.txt.gz")
    passages = real_truth(shared / "trec-dd" / "dd16-odd-truth.xml.gz", "passages")

    columns = ["qid", "docno", "label", "iteration", "passage"]
    assert qrels.columns.tolist() == columns
    assert len(qrels) == len(set(rows(qrels)))
    assert set(rows(qrels[qrels["qid"].isin(passages["qid"])])) == set(rows(passages[columns]))
    labels = qrels.groupby(["qid", "docno"])["label"]
    assert labels.last().equals(labels.max())


def test_qrels_of_2016_have_the_values_of_its_truth(shared):
    qrels = read_qrels(shared / "trec-dd" / "dd16-qrels.txt.gz")
    documents = real_truth(shared / "trec-dd" / "dd16-odd-truth.xml.gz")
    run = read_dd_run(shared / "trec-dd" / "runs/dd16-odd-jig-sample.txt")
    measures = [CT @ 5, nSessionDCG @ 5, alpha_nDCG @ 10, P @ 5]

    odd = qrels[qrels["qid"].isin(documents["qid"])]
    odd, documents, run = map(pt.model.to_ir_measures, (odd, documents, run))
    values, expected = (ir_measures.calc_aggregate(measures, given, run) for given in (odd, documents))

    assert values == pytest.approx(expected, abs=1e-12)
    assert min(expected.values()) > 0


@pytest.mark.parametrize("rating", [0, -1])
def test_ratings_of_zero_and_below_in_qrels_are_read_as_one(tmp_path, rating):
    path = write(tmp_path, f"DD16-1\tDD16-1.1\td1\t7\t{rating}\nDD16-1\tDD16-1.2\td1\t8\t1\n")

    assert rows(read_qrels(path)) == [("DD16-1", "d1", 1, "DD16-1.1", "7"), ("DD16-1", "d1", 1, "DD16-1.2", "8")]


@pytest.mark.parametrize(
    "line",
    ["DD16-1 DD16-1.1 d1 2 0.5", "DD16-1 1 d1 2 1", "1 1.1 d1 2 1", "DD16-1 DD16-10.1 d1 2 1", "DD16 DD16.1 d 1 1"],
)
def test_other_qrels_of_five_columns_have_weights(tmp_path, line):
    assert read_qrels(write(tmp_path, line))["weight"].tolist() == [float(line.split()[-1])]


def test_a_nugget_does_not_reach_into_the_next_subtopic(tmp_path):
    inner = passage(1) + '</subtopic><subtopic id="2">\n' + passage(2, kind="MATCHED")

    path = write(tmp_path, truth(inner))

    with pytest.raises(
        ValueError, match=r"passage 2 of subtopic 2 has the type MATCHED, but no MANUAL passage comes before it"
    ):
        read_dd_truth(path, "passages")
    assert len(read_dd_truth(path)) == 2


def test_topics_without_a_number_come_last(tmp_path):
    topics = [truth(passage(1), topic=topic).removeprefix("<trec_dd>\n") for topic in ("aid", "DD1-10", "DD1-9")]
    inner = "".join(topic.removesuffix("</trec_dd>") for topic in topics)

    assert read_dd_truth(write(tmp_path, f"<trec_dd>{inner}</trec_dd>"))["qid"].tolist() == ["DD1-9", "DD1-10", "aid"]


@pytest.mark.parametrize("level", ["documents", "passages"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (truth(passage(1))[:-10], r"file, line 6: Premature end of data"),
        (
            truth(passage(1).replace("</passage>", "")),
            r"file, line 6: Opening and ending tag mismatch: passage line 5 and subtopic\.$",
        ),
        (
            truth(passage(1).replace("</docno>", "")),
            r"line 5: Opening and ending tag mismatch: docno line 5 and passage\.$",
        ),
        (truth(passage(1, "d<b>1</b>2")), r"file, line 5: <passage> must contain .* no element\."),
        (
            f"<!DOCTYPE trec_dd SYSTEM 'dd.dtd'>\n{truth(passage(1, 'd&e;1'))}",
            r"file, line 6: Entity 'e' not defined\.$",
        ),
        (
            f"<!DOCTYPE trec_dd [<!ENTITY e SYSTEM 'e.txt'>]>\n{truth(passage(1, 'd&e;1'))}",
            r"file, line 6: Entity 'e' not defined\.$",
        ),
        (
            f"<!DOCTYPE trec_dd [<!ENTITY % p SYSTEM 'p.dtd'> %p;]>\n{truth(passage(1, 'd&e;1'))}",
            r"file, line [16]: Entity '[pe]' not defined\.$",
        ),
        (truth(passage(1, "d&e;1")), r"file, line 5: Entity 'e' not defined\.$"),
        ("1 a d1 2\n", r"file, line 1: Start tag expected"),
        ("", r"file, line 1: Document is empty\.$"),
        ("<html>\n</html>", r"file, line 1: a truth file begins with <trec_dd>, not with <html>\."),
        (
            truth(passage(1), passage(2).replace("docno", "doc")),
            r"file, line 6: <passage> must contain <docno>, <rating> and <type>, each with a text",
        ),
        (truth(passage(1, docno=" ")), r"file, line 5: <passage> must contain <docno>, .* each with a text"),
        (truth(passage(1), passage(2, rating="")), r"file, line 6: <rating> must be an integer, not ''\."),
        (truth(passage(1, kind="")), r"file, line 5: <type> must be MANUAL or MATCHED, not ''\."),
        (truth(passage(1, rating="2.5")), r"line 5: <rating> must be an integer, not '2\.5'\."),
        (truth(passage(1, rating="high")), r"line 5: <rating> must be an integer, not 'high'\."),
        (truth(passage(1, kind="GUESSED")), r"<type> must be MANUAL or MATCHED, not 'GUESSED'\."),
        (truth(), r"file, line 1: the file contains no topic with a passage\."),
        ("<trec_dd>\n<domain/>\n</trec_dd>\n", r"line 1: the file contains no topic with a passage\."),
        (truth(passage(1)).replace('<subtopic id="1">', "<subtopic>"), r"line 4: <subtopic> has no id\."),
        ("<trec_dd>\n<topic id='1'/></trec_dd>", r"line 2: <topic> is in <trec_dd>; the order is domain, topic,"),
    ],
)
def test_what_is_wrong_with_a_truth_file_is_said_with_its_line(tmp_path, text, message, level):
    path = write(tmp_path, text)

    with pytest.raises(ValueError, match=message):
        read_dd_truth(path, level)


def test_a_description_may_contain_elements(tmp_path):
    text = truth(passage(1)).replace(
        '<subtopic id="1">', '<description>a <b>small</b> one</description><subtopic id="1">'
    )

    assert read_truth(write(tmp_path, text)).topics["description"].tolist() == ["a small one"]


@pytest.mark.parametrize(
    ("start", "docno"),
    [
        ("<!DOCTYPE trec_dd [<!ENTITY e 'X'>]>", "\n d&e;&amp;&#49; "),
        ("<!-- c --><?p q?>", "d<!-- c -->X<?p q?>&amp;1\n"),
    ],
)
def test_entities_are_replaced_and_comments_and_spaces_do_not_matter(tmp_path, start, docno):
    passages = passage(1, docno, " -1\n", "\tMANUAL "), passage(2, "d", 0), passage(3, "d", 3)
    path = write(tmp_path, start + truth(*passages))

    assert rows(read_dd_truth(path)) == [("DD1-1", "d", 3, "1", 4.0), ("DD1-1", "dX&1", 1, "1", 1.0)]
    assert read_dd_truth(path, "passages")["label"].tolist() == [1, 1, 3]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252", "klingon"])
def test_encodings_are_read_or_told(tmp_path, encoding):
    path, declared = tmp_path / "file", f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    path.write_bytes((declared + truth(passage(1, "é"))).encode("utf-8" if encoding == "klingon" else encoding))

    if encoding == "klingon":
        with pytest.raises(ValueError, match=r"file, line 1: Unsupported encoding.* klingon"):
            read_dd_truth(path)
    else:
        assert read_dd_truth(path)["docno"].tolist() == read_qrels(path)["docno"].tolist() == ["é"]


def test_an_unknown_level_is_refused(tmp_path):
    with pytest.raises(ValueError, match="level must be 'documents' or 'passages', not 'topics'"):
        read_dd_truth(tmp_path, "topics")


@pytest.mark.parametrize("name", RUNS)
def test_a_real_run_comes_turn_by_turn_and_by_score(shared, name):
    run = read_dd_run(shared / "trec-dd" / name)

    turns = defaultdict(lambda: defaultdict(list))
    for line in content(shared / "trec-dd" / name).decode().splitlines():
        topic, turn, docno, score, _, _ = line.split("\t")
        turns[topic][int(turn)].append((docno, float(score)))
    expected = []
    for topic in turns:
        rank = 0
        for turn in sorted(turns[topic]):
            ranking = sorted(turns[topic][turn], key=lambda pair: -pair[1])
            for docno, _ in ranking:
                expected.append((topic, docno, rank, turn))
                rank += 1
    run = run.drop(columns="tie", errors="ignore")
    assert run.columns.tolist() == ["qid", "docno", "score", "rank", "turn"]
    assert rows(run.drop(columns="score")) == expected
    assert (run["score"] == run.groupby("qid")["rank"].transform("max") - run["rank"] + 1).all()


def test_ties_keep_the_order_of_the_file_and_are_told_apart_from_other_documents(tmp_path):
    lines = [("q", 1, "e", 1), ("q", 0, "b", 1), ("r", 0, "z", 0), ("q", 0, "a", 1), ("q", 0, "c", 2)]
    path = write(tmp_path, "".join(f"{q}\t{turn}\t{docno}\t{score}\t0\tNULL\n" for q, turn, docno, score in lines))

    expected = [
        ("q", "c", 4.0, 0, 0, 0),
        ("q", "b", 3.0, 1, 0, 1),
        ("q", "a", 2.0, 2, 0, 1),
        ("q", "e", 1.0, 3, 1, 2),
        ("r", "z", 1.0, 0, 0, 3),
    ]
    assert rows(read_dd_run(path)) == expected


@pytest.mark.parametrize("blank", ["", "  ", "\t\t"])
def test_a_run_is_read_from_its_first_line_to_the_next_blank_one(tmp_path, blank):
    lines = ["", "", "q\t0\td1\t1\t0\t", "q\t3\td1\t1\t1\ts:3|s:2", blank, "q\t0\td2\t1\t0\tNULL", "no line"]
    path = write(tmp_path, "\n".join(lines))

    assert rows(read_dd_run(path)) == [("q", "d1", 2.0, 0, 0), ("q", "d1", 1.0, 1, 3)]
    assert read_run(write(tmp_path, "\n\nq\t0\td1\t1\t0\tNULL\n"))["docno"].tolist() == ["d1"]


def test_lengths_come_from_a_mapping_or_a_file(shared, tmp_path):
    path = write(tmp_path, "q\t0\td1\t2\t0\tNULL\nq\t0\td2\t1\t0\tNULL\n")
    mapped = read_dd_run(path, doc_len={"d2": 7})
    read = read_dd_run(path, doc_len=write(tmp_path, "d1\t12\nd3\t5\n", "lengths.tsv"))

    assert mapped.columns.tolist() == ["qid", "docno", "score", "rank", "turn", "doc_len"]
    assert math.isnan(mapped["doc_len"][0])
    assert mapped["doc_len"][1] == 7.0
    assert read["doc_len"].fillna(-1).tolist() == [12.0, -1.0]


@pytest.mark.parametrize("name", ["docno", "doc_id"])
def test_lengths_are_added_to_any_run(name):
    run = pd.DataFrame({name: ["d1", "d2"]})

    assert add_lengths(run, {"d2": 7}).fillna(-1).to_dict("list") == {name: ["d1", "d2"], "doc_len": [-1.0, 7.0]}
    assert list(run) == [name]


@pytest.mark.parametrize(("lengths", "known"), [({"zz": 5}, "'zz'"), ({1: 5}, "1"), ({}, "no document at all")])
def test_lengths_of_other_documents_only_are_told(lengths, known):
    message = (
        f"No document of the run has a known length: the run has '1', and the lengths are of {known}. "
        "Do the document ids match?"
    )

    with pytest.warns(UserWarning, match=re.escape(message)):
        add_lengths(pd.DataFrame({"docno": ["1", "2"]}), lengths)


TURN, SCORE = "turn must be a non-negative whole number of at most 18 digits", "score must be a finite number"


@pytest.mark.parametrize(
    ("lines", "lengths", "message"),
    [
        ("q 0 d1 1 0 NULL", {}, r"file, line 2: expected 6 tab-separated columns \(qid turn .* feedback\), found 1\."),
        ("q\t0\td1\t1\t0", {}, r"file, line 2: expected 6 tab-separated columns .*, found 5\."),
        ("q\t-1\td1\t1\t0\tNULL", {}, rf"file, line 2: {TURN}, not '-1'\."),
        ("q\t1.5\td1\t1\t0\tNULL", {}, rf"file, line 2: {TURN}, not '1\.5'\."),
        (f"q\t{'1' * 5000}\td\t1\t1\tNULL", {}, f"line 2: {TURN}, not '111.*111..."),
        ("q\t0\td1\tone\t0\tNULL", {}, rf"file, line 2: {SCORE}, not 'one'\."),
        ("q\t0\td1\tnan\t0\tNULL", {}, rf"file, line 2: {SCORE}, not 'nan'\."),
        ("q\t0\t\t1\t0\tNULL", {}, r"file, line 2: docno is missing\."),
        ("\t0\td1\t1\t0\tNULL", {}, r"file, line 2: qid is missing\."),
        ("", "d1\t3\nd2 3", r"lengths, line 2: expected 2 tab-separated columns \(docno words\), found 1\."),
        ("", "d1\t3\nd2\tmany", r"lengths, line 2: words must be a finite number, not 'many'\."),
    ],
)
def test_a_bad_line_of_a_run_or_of_lengths_is_named(tmp_path, lines, lengths, message):
    path = write(tmp_path, f"q\t0\td0\t1\t0\tNULL\n{lines}\n")

    with pytest.raises(ValueError, match=message):
        read_dd_run(path, lengths and write(tmp_path, lengths, "lengths"))


def test_lengths_need_documents_and_a_mapping_or_a_file():
    with pytest.raises(ValueError, match="run: missing column docno"):
        add_lengths(pd.DataFrame({"qid": ["1"]}), {"1": 5})
    with pytest.raises(TypeError, match=r"os\.PathLike object, not Series$"):
        add_lengths(pd.DataFrame({"docno": ["1"]}), pd.Series({"1": 5}))


def test_an_empty_run_has_the_columns_of_a_run(tmp_path):
    run = read_dd_run(write(tmp_path, "\n"), doc_len={})

    columns = {"qid": None, "docno": None, "score": "float64", "rank": "int64", "turn": "int64", "doc_len": "float64"}
    assert run.empty
    assert run.columns.tolist() == list(columns)
    assert run.dtypes[2:].astype(str).tolist() == list(columns.values())[2:]


@pytest.mark.parametrize("name", RUNS)
def test_a_session_is_told_from_a_trec_run_and_ranks_as_it_did_when_it_is_saved_as_one(shared, tmp_path, name):
    path = shared / "trec-dd" / name
    session = read_dd_run(path)
    pt.io.write_results(session, str(tmp_path / "saved"))

    assert LINE_OF_SESSION.fullmatch(read_content(path).first_line)
    pd.testing.assert_frame_equal(read_run(path), session, check_dtype=False)
    assert read_run(tmp_path / "saved")["docno"].tolist() == session["docno"].tolist()


@pytest.mark.parametrize(
    "line",
    [
        *("1\tQ0\td1\t1\t1\ttag", "1 0 d1 9.5 1 106:2", "1\t0\td1\t1\t9.5\tNULL", "1\t0\td1\t1\t1\ttag"),
        *("1\t0\td1\t9.5\t1", ""),
    ],
)
def test_other_lines_are_no_session(line):
    assert not LINE_OF_SESSION.fullmatch(Content("run", f"{line}\n".encode()).first_line)
