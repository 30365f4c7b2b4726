import io
import json
import re

import pandas as pd
import pyterrier as pt
import pytest
from click.testing import CliRunner

from pyterrier_diversity import CT, EU_DD, NDEVAL, RBU, evaluate_runs, signature
from pyterrier_diversity.cli import app
from pyterrier_diversity.datasets.demo import FOLDER, RUNS, DemoDataset
from pyterrier_diversity.io import read_dd_run, read_dd_truth, read_run
from shell import BM25, XQUAD, fail, run

QRELS = str(FOLDER / "qrels.txt")
COMPARE = ["compare", "demo", BM25, XQUAD, "-m", "RBU@5"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", QRELS, BM25, XQUAD, "-m", "RBU@5", "-p", "2"],
        ["evaluate", "-m", "RBU@5", QRELS, BM25, "-p", "2", XQUAD],
        ["evaluate", "diversity:demo", BM25, XQUAD, "-m", "RBU@5", "-p", "2"],
        ["evaluate", "demo", "bm25", "xquad", "-m", "RBU@5", "-p", "2", "-j", "2"],
    ],
    ids=" ".join,
)
def test_qrels_and_runs_are_files_or_names_and_options_stand_anywhere(arguments):
    assert run(*arguments).split() == ["name", "RBU@5", "bm25", "0.38", "xquad", "0.54"]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["evaluate", "demo", BM25, "-m", "RBU(p=2)@5"], 1, "RBU: p must be a number in (0, 1], not 2."),
        (["evaluate", "empty", BM25, "-m", "RBU@5"], 1, "contains no judgement"),
        (["evaluate", "nothing", BM25, "-m", "RBU@5"], 1, "'nothing' is neither a file nor a dataset"),
        (["evaluate", "demo", "bad.run", "-m", "RBU@5"], 1, "bad.run is lines of three columns without names"),
        (["evaluate", "demo", "no/*.run", "-m", "RBU@5"], 1, "No run file found at 'no/*.run'."),
        (["evaluate", BM25, QRELS, "-m", "RBU@5"], 1, f"{BM25} is a run, not qrels; the first line is 1 Q0"),
        (["evaluate", "demo", BM25, "-m", "EU_DD@5"], 1, "EU_DD@5 needs the column passage"),
        (["evaluate", QRELS, BM25, "-m", "EU_DD@5"], 1, "(in the shell, give the truth file, which ends in .xml"),
        (["evaluate", QRELS, BM25, "-m", "RBU@5", "-o", "no/t.csv"], 1, "There is no folder 'no'."),
        (["evaluate", QRELS, BM25, XQUAD, "-m", "AP"], 1, "Adhoc(AP)"),
        ([*COMPARE, "--correction", "no"], 1, "correction must"),
        ([*COMPARE, "--correction", "holm"], 1, "--correction holm cannot be used with --test tukey-randomised"),
        (["compare", "demo", BM25, "-m", "RBU@5"], 2, "Give at least two runs to compare"),
    ],
)
def test_a_mistake_is_told_once_in_one_sentence(tmp_path, monkeypatch, arguments, status, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").touch()
    (tmp_path / "bad.run").write_text("1 Q0 d1\n")

    assert fail(*arguments, status=status).count(message) == 1


def test_evaluate_by_query_ends_each_run_with_its_aggregate():
    text = run("evaluate", "demo", BM25, XQUAD, "-m", "StRecall@5 RBU@5", "-q", "--format", "csv", "-p", "10")
    table = pd.read_csv(io.StringIO(text), dtype={"qid": str})

    for _, of_run in table.groupby("name"):
        assert of_run["qid"].tolist() == [*map(str, range(1, 15)), "all"]
        for measure in ("StRecall@5", "RBU@5"):
            assert of_run[measure].iloc[:-1].mean() == pytest.approx(of_run[measure].iloc[-1], abs=1e-9)


@pytest.mark.parametrize("name", ["nuggets/q1.json", "nuggets"])
def test_evaluate_reads_nuggets_from_a_file_and_from_a_folder(name, tmp_path):
    (tmp_path / "nuggets").mkdir()
    bank = [{"question": "Is it free?", "answers": [{"answer": "yes", "references": ["p1"]}]}]
    topic = {"metadata": {"topic_id": "q1"}, "nugget_bank": bank}
    (tmp_path / "nuggets" / "q1.json").write_text(json.dumps(topic))
    (tmp_path / "mine.jsonl").write_text('{"qid": "q1", "docno": ["p2", "p1"]}\n')

    text = run("evaluate", str(tmp_path / name), str(tmp_path / "mine.jsonl"), "-m", "Coverage@1 Coverage@2")

    assert text.split() == ["name", "Coverage@1", "Coverage@2", "mine", "0.0000", "1.0000"]


@pytest.mark.parametrize(("how", "where"), [(["-s"], "stdout"), (["-s", "--format", "csv"], "stderr"), ([], None)])
def test_signatures_stand_below_the_table_and_apart_from_what_programs_read(how, where):
    result = CliRunner().invoke(app, ["evaluate", "demo", BM25, "-m", "RBU@5", *how])

    assert {name for name in ("stdout", "stderr") if signature(RBU @ 5) in getattr(result, name)} == {where} - {None}
    assert where != "stdout" or result.stdout.splitlines()[-1] == signature(RBU @ 5)


def test_measures_and_groups_come_from_several_texts():
    measures = ["-m", "RBU(p=0.9, e=0.1)@5 AP", "-m", "FRESHSTACK, Sharp(alpha_nDCG@5, gamma=0.3)"]
    header = run("evaluate", "demo", BM25, *measures, "--format", "csv").splitlines()[0]

    freshstack = "alpha_nDCG@10,Coverage@20,Adhoc(R@50),NuggetScore(full=1.0)@20"
    assert header == f'name,"RBU(p=0.9,e=0.1)@5",AP,{freshstack},"Sharp(alpha_nDCG@5,gamma=0.3)"'


@pytest.mark.parametrize("by_query", [[], ["--by-query"]], ids=["means", "by query"])
def test_the_number_of_queries_is_a_column_on_request(by_query):
    text = run("evaluate", "demo", BM25, "-m", "RBU@5", "--queries", "--format", "csv", *by_query)

    assert text.splitlines()[0] == ("name,queries,ties@5,qid,RBU@5" if by_query else "name,queries,ties@5,RBU@5")


def test_runs_may_be_ordered_by_rank(tmp_path):
    path = tmp_path / "bm25.run"
    lines = [line.split() for line in (FOLDER / "bm25.run").read_text().splitlines()]
    path.write_text("".join(f"{' '.join(line[:4])} {line[3]} {line[5]}\n" for line in lines))
    arguments = ["-m", "RBU@5", "--format", "csv"]

    assert run("evaluate", "demo", str(path), *arguments, "--order", "rank") == run(
        "evaluate", "demo", BM25, *arguments
    )


def test_shell_python_and_an_experiment_give_the_same_values():
    demo, measures = DemoDataset(), [*NDEVAL, RBU, RBU @ 5, RBU(p=0.9) @ 20]
    names = [str(measure) for measure in measures]
    runs = {name: demo.get_results(name) for name in RUNS}

    experiment = pt.Experiment(runs, demo.get_topics(), demo.get_qrels(), measures).set_index("name")[names]
    python = evaluate_runs(demo.get_qrels(), runs, measures).set_index("name")[names]
    arguments = ["evaluate", "demo", *RUNS, "-m", " ".join(names), "--format"]
    shell = [
        pd.DataFrame(json.loads(run(*arguments, "json"))),
        pd.read_csv(io.StringIO(run(*arguments, "csv")), dtype=str),
    ]

    pd.testing.assert_frame_equal(experiment, python, check_exact=True)
    for table in shell:
        table = table.set_index("name")[names].astype(float)
        pd.testing.assert_frame_equal(table, python, check_exact=True)


def test_a_table_is_written_in_the_format_of_the_file(tmp_path):
    path = tmp_path / "table.json"

    assert run("evaluate", QRELS, BM25, "-m", "RBU@5", "-o", str(path)) == ""

    assert path.read_text() == run("evaluate", QRELS, BM25, "-m", "RBU@5", "--format", "json")
    beside = json.loads((tmp_path / "table.json.json").read_text())
    assert beside["signatures"] == {"RBU@5": signature(RBU @ 5)}


def test_check_reports_mistakes_and_counts(tmp_path):
    (tmp_path / "nothing.run").touch()
    arguments = ["check", QRELS, BM25, str(tmp_path / "nothing.run")]

    lines = run(*arguments).splitlines()

    assert [line.split(": ")[:2] for line in lines] == [["note", "qrels"], ["note", "bm25"], ["warning", "nothing"]]
    assert CliRunner().invoke(app, [*arguments, "--strict"]).exit_code == 1
    assert CliRunner().invoke(app, [*arguments[:3], "--strict"]).exit_code == 0


@pytest.mark.filterwarnings("always")
def test_real_imperfect_nuggets_pass_from_files_to_a_check_a_table_and_a_gate(shared):
    folder = shared / "nuggets" / "assignments"
    large, small = str(folder / "gpt-4o.jsonl.gz"), str(folder / "llama-3.1-70b.jsonl.gz")

    assert "[WordsWarning]" in fail("check", str(folder), large, "--strict")
    assert "warning" not in run("check", str(folder), large, "--strict", "--ignore", "WordsWarning")
    strict = ["--strict", "--ignore", "WordsWarning"]
    rows = json.loads(run("evaluate", str(folder), large, small, "-m", "NUGGETS", *strict, "--format", "json"))
    assert [round(row["NuggetScore"], 4) for row in rows] == [0.3632, 0.3587]
    run("compare", str(folder), small, "-b", large, "--no-worse", "NuggetScore", *strict)


def test_qrels_may_come_from_standard_input():
    result = CliRunner().invoke(app, ["evaluate", "-", BM25, "-m", "RBU@5"], (FOLDER / "qrels.txt").read_text())

    assert result.stdout == run("evaluate", "demo", BM25, "-m", "RBU@5")


@pytest.mark.parametrize(("level", "measures"), [("documents", [CT @ 5, RBU @ 10]), ("passages", [CT @ 5, EU_DD @ 5])])
def test_truth_files_sessions_and_lengths_are_read_as_the_measures_need_them(shared, level, measures):
    folder = shared / "trec-dd"
    truth, session = folder / "dd17-odd-truth.xml.gz", folder / "runs" / "dd17-odd-syn1.txt"
    lengths = folder / "dd17-odd-doc-lengths.tsv.gz"
    options = ["-m", " ".join(map(str, measures)), "--doc-len", str(lengths), "--format", "json"]

    (row,) = json.loads(run("evaluate", str(truth), str(session), *options))

    qrels, retrieved = read_dd_truth(truth, level), read_dd_run(session, lengths)
    for measure in measures:
        value = measure.calc_aggregate(pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(retrieved))
        assert row[str(measure)] == pytest.approx(value, abs=1e-12)


@pytest.fixture
def odd_nuggets(tmp_path):
    """A file of nuggets with an unknown word."""
    path = tmp_path / "nuggets.jsonl"
    path.write_text(
        '{"qid": "1", "docid": "demo-189", "nuggets": [{"text": "x", "assignment": "perhaps"}, '
        '{"text": "y", "assignment": "support"}]}\n'
    )
    return str(path)


def test_a_list_of_missed_intents_ignores_warnings(odd_nuggets):
    assert "bm25" in run("missed", odd_nuggets, XQUAD, BM25, "-k", "1", "--ignore", "WordsWarning")


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("command", [["compare", "-m", "RBU@5"], ["check"]], ids=" ".join)
def test_warnings_are_errors_if_strict(odd_nuggets, command):
    message = fail(command[0], odd_nuggets, BM25, XQUAD, *command[1:], "--strict")

    assert message.startswith("Warning: read_nuggets: 2 nuggets; assignments with an unknown word")


@pytest.mark.filterwarnings("always")
def test_all_warnings_are_printed_with_their_class_before_strict_ends_the_command(tmp_path, odd_nuggets):
    (tmp_path / "nothing.run").touch()
    arguments = ["evaluate", odd_nuggets, BM25, str(tmp_path / "nothing.run"), "-m", "RBU@5"]

    told = CliRunner().invoke(app, arguments).stderr
    strict = fail(*arguments, "--strict")
    some = fail(*arguments, "--strict", "--ignore", "WordsWarning")
    run(*arguments, "--strict", "--ignore", "WordsWarning", "--ignore", "EmptyWarning")

    assert re.fullmatch(r"Warning: .*unknown word.* \[WordsWarning\]\nWarning: .* \[EmptyWarning\]\n", told)
    assert strict == f"{told}Error: With --strict, warnings about data are errors.\n"
    assert some == strict[strict.index("\n") + 1 :]
    assert "is not one of 'WordsWarning', 'NuggetsWarning'" in fail(*arguments, "--ignore", "words", status=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "long"], "--format long has a line for each value of a query: add -q."),
        (["-q", "--format", "trec_eval"], "--format trec_eval has no names of runs: give one run, or"),
        (["-q", "--format", "ir_measures"], "--format ir_measures has no names of runs"),
    ],
)  # fmt: skip
def test_formats_of_lines_need_what_they_show(options, message):
    assert message in fail("evaluate", "demo", BM25, XQUAD, "-m", "RBU@5", *options, status=2)


# The query and the documents have other names; bad.json cannot be read.
OTHER_NAMES = ["--columns", "topic=qid,arg=docno", "--columns", "kp=iteration"]


@pytest.fixture
def with_other_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.csv").write_text("topic,arg,kp,label\n1,a1,k1,1\n1,a2,k2,1\n")
    (tmp_path / "good.csv").write_text("topic,arg,score\n1,a1,2\n1,a2,1\n")
    (tmp_path / "bad.json").write_text('{"x')


@pytest.mark.usefixtures("with_other_names")
@pytest.mark.parametrize("jobs", [[], ["-j", "2"]], ids=["one process", "two"])
def test_a_run_that_cannot_be_read_leaves_the_others_with_new_names_of_columns(jobs):
    arguments = ["evaluate", "qrels.csv", "good.csv", "bad.json", "-m", "Coverage@2", *OTHER_NAMES, *jobs]

    result = CliRunner().invoke(app, arguments)

    assert result.exit_code == 1
    assert result.stdout.split() == ["name", "Coverage@2", "good", "1.0000"]
    assert "bad.json, line 1: this is not JSON" in result.stderr


@pytest.mark.usefixtures("with_other_names")
@pytest.mark.parametrize(
    ("runs", "status", "found"),
    [([], 0, ["1 queries, 2 intents"]), (["good.csv", "bad.json"], 1, ["note: good", "error: bad"])],
)
def test_check_reads_new_names_of_columns_of_each_file(runs, status, found):
    result = CliRunner().invoke(app, ["check", "qrels.csv", *runs, *OTHER_NAMES])

    assert result.exit_code == status
    assert all(text in result.stdout.replace("1 query,", "1 queries,") for text in found)


@pytest.mark.usefixtures("with_other_names")
def test_a_new_name_of_a_column_that_no_file_has_is_refused_with_what_was_found():
    message = fail("check", "qrels.csv", "good.csv", "bad.json", "--columns", "topic=qid,doc=docno")

    assert "renames 'doc', which is not a column of any of the files; found: arg, kp, label, score, topic." in message


@pytest.mark.usefixtures("with_other_names")
@pytest.mark.parametrize(
    ("columns", "hint"), [("qid=topic", " Did you mean topic=qid?"), ("topic=qid,relevant=label", "")]
)
def test_pairs_that_are_given_the_wrong_way_round_are_turned(columns, hint):
    message = fail("check", "qrels.csv", "--columns", columns)

    assert message.endswith(f"which is not a column of any of the files; found: arg, kp, label, topic.{hint}\n")


@pytest.mark.usefixtures("with_other_names")
@pytest.mark.parametrize("columns", ["topic=qid,topic=docno", "topic"])
def test_new_names_of_columns_are_pairs_and_each_column_has_one(columns):
    message = fail("check", "qrels.csv", "--columns", columns, *OTHER_NAMES, status=2)

    assert f"--columns must be pairs such as 'topic=qid,passage=docno', not '{columns},topic=qid" in message


def test_columns_of_lines_are_named_by_number(tmp_path):
    path = tmp_path / "bm25.txt"
    words = [line.split() for line in (FOLDER / "bm25.run").read_text().splitlines()]
    path.write_text("".join(f"{query} {doc} {score}\n" for query, _, doc, _, score, _ in words))
    measure = ["-m", "RBU@5", "--format", "csv"]

    found = run("evaluate", "demo", str(path), *measure, "--columns", "1=qid,2=docno,3=score")

    assert found == run("evaluate", "demo", BM25, *measure)
    message = fail("evaluate", "demo", str(path), "-m", "RBU@5", "--columns", "1=qid,2=docno,4=score")
    assert "is lines of three columns without names, not a run" in message
    assert "or write a header as the first line" in message


@pytest.mark.filterwarnings("ignore:No query")
def test_columns_of_qrels_and_runs_without_names_are_given_once(tmp_path):
    for name, text in {"qrels": "q a 1\nq b 0\n", "scores": "q a 0.5\nq b 1\n", "ranks": "q b 1\nq a 2\n"}.items():
        (tmp_path / name).write_text(text)
    names, qrels = ("--columns", "1=qid,2=docno,3="), str(tmp_path / "qrels")

    for of in ("score", "rank"):
        found = run("evaluate", qrels, str(tmp_path / f"{of}s"), "-m", "RR", "--format", "csv", names[0], names[1] + of)
        assert found.splitlines()[1] == f"{of}s,0.5"
    message = fail("evaluate", qrels, str(tmp_path / "scores"), "-m", "RR", names[0], names[1] + "label", status=1)
    assert "scores is lines of three columns without names, not a run" in message
    message = fail("evaluate", str(tmp_path / "scores"), qrels, "-m", "RR", names[0], names[1] + "score", status=1)
    assert "scores is lines of three columns without names, not qrels" in message


def test_a_file_has_the_runs_of_several_systems_in_every_command(tmp_path):
    several = {
        name: {query: dict(of.to_numpy()) for query, of in frame.groupby("qid")[["docno", "score"]]}
        for name in ("bm25", "xquad")
        for frame in [read_run(FOLDER / f"{name}.run")]
    }
    (tmp_path / "systems.json").write_text(json.dumps(several))
    arguments = ["-m", "RBU@5", "-b", "bm25", "--test", "t", "--format", "csv"]

    found = run("compare", "demo", str(tmp_path / "systems.json"), *arguments)

    assert found == run("compare", "demo", BM25, XQUAD, *arguments)
    assert "bm25" in run("report", "demo", str(tmp_path / "systems.json"), "-m", "RBU@5", "-o", "-")
